#!/bin/sh
# Bakes in an array of N jobs, and merges after them: sh aws-batch-submit.sh [N]
# AWS Batch counts the jobs of an array from 0 in AWS_BATCH_JOB_ARRAY_INDEX, which limber reads; an array has at least 2.
set -eu
SHARDS="${1:-16}"
QUEUE="${QUEUE:-bake}"

aws batch register-job-definition --cli-input-json "file://$(dirname "$0")/aws-batch-job-definition.json" > /dev/null

baking=$(aws batch submit-job \
  --job-name limber-bake \
  --job-queue "$QUEUE" \
  --job-definition limber-bake \
  --array-properties "size=$SHARDS" \
  --container-overrides "environment=[{name=LIMBER_SHARDS,value=$SHARDS}]" \
  --query jobId --output text)

merging=$(aws batch submit-job \
  --job-name limber-merge \
  --job-queue "$QUEUE" \
  --job-definition limber-bake \
  --depends-on "jobId=$baking" \
  --container-overrides 'command=["node_modules/.bin/limber","merge"]' \
  --query jobId --output text)

echo "baking: $baking"
echo "merging after it: $merging"
