import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

// 100 KB is the most once all four techniques are in; cloth may take half of that.
it('the WebAssembly with cloth in is at most 50 KB, compressed', () => {
  const wasm = readFileSync(new URL('../../npm/limber/pkg/limber_bg.wasm', import.meta.url))
  expect(gzipSync(wasm, { level: 9 }).length).toBeLessThanOrEqual(50 * 1024)
})
