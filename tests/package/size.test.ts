import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

// All four techniques.
it('the WebAssembly is at most 100 KB, compressed', () => {
  const wasm = readFileSync(new URL('../../npm/limber/pkg/limber_bg.wasm', import.meta.url))
  expect(gzipSync(wasm, { level: 9 }).length).toBeLessThanOrEqual(100 * 1024)
})
