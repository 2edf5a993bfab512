import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['tests/**/*.test.{ts,mjs}', 'npm/*/src/**/*.test.ts'],
    // A slow machine is no failure.
    testTimeout: 0,
    hookTimeout: 0,
    // 0 would be none at all.
    teardownTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    // Tests of memory collect garbage before they measure.
    execArgv: ['--expose-gc'],
  },
})
