import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FLAG, limber, project, root } from './helpers.js'

const file = (name: string) => readFileSync(join(root, 'examples-three/bake/scale', name), 'utf8')
const found = (text: string, pattern: RegExp) => pattern.exec(text)![1]!

/** A command of a file, as a shell would cut it. */
function accepted(args: string[], env: Record<string, string>) {
  const folder = project({
    'limber.config.json': { jobs: [{ module: 'flag.mjs', tolerance: 0.01 }] },
    'flag.mjs': FLAG,
  })
  const merge = args[0] === 'merge'
  if (merge) expect(limber(folder, ['bake', '--shard', '0/1']).status).toBe(0)
  expect(limber(folder, args, env)).toMatchObject({ status: 0, stderr: '' })
}

describe('the files for many machines', () => {
  it('GitHub Actions: as many parts as the matrix has, from 0, and commands that are taken', () => {
    const text = file('github-actions.yml')
    const total = Number(found(text, /SHARDS: (\d+)/))
    const matrix = JSON.parse(found(text, /shard: (\[.+\])/)) as number[]
    expect(matrix).toEqual([...Array(total).keys()])
    const command = found(text, /run: npx limber (bake .+)/)
    accepted(command.replace(/"(.+?)"/, `0/${total}`).split(' '), {})
    accepted(found(text, /run: npx limber (merge.*)/).split(' '), {})
  })

  it('Kubernetes: completions are what the pods are told, and commands that are taken', () => {
    const text = file('kubernetes.yaml')
    expect(text).toContain('completionMode: Indexed')
    const total = found(text, /completions: (\d+)/)
    expect(found(text, /name: JOB_COMPLETIONS\s+value: '(\d+)'/)).toBe(total)
    const command = JSON.parse(found(text, /command: (\[.+\])/).replaceAll("'", '"')) as string[]
    accepted(command.slice(1), { JOB_COMPLETION_INDEX: '1', JOB_COMPLETIONS: total })
    const merge = JSON.parse(found(file('kubernetes-merge.yaml'), /command: (\[.+\])/).replaceAll("'", '"')) as string[]
    accepted(merge.slice(1), {})
  })

  it('AWS Batch: the definition is JSON, and its command is taken', () => {
    const { containerProperties } = JSON.parse(file('aws-batch-job-definition.json'))
    accepted(containerProperties.command.slice(1), { AWS_BATCH_JOB_ARRAY_INDEX: '1', LIMBER_SHARDS: '16' })
    accepted(JSON.parse(found(file('aws-batch-submit.sh'), /command=(\[.+\])/)).slice(1), {})
  })
})
