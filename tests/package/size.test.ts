import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

// 100 KB is the most once all four techniques are in. Cloth with its colliders takes about half of that.
it('the WebAssembly with cloth and jiggle bones in is at most 76 KB, compressed', () => {
  const wasm = readFileSync(new URL('../../npm/limber/pkg/limber_bg.wasm', import.meta.url))
  expect(gzipSync(wasm, { level: 9 }).length).toBeLessThanOrEqual(76 * 1024)
})
