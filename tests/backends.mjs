import { load } from 'limber'
import { load as loadNative } from 'limber-node'
import { readFile } from 'node:fs/promises'

/**
 * Everything that runs the core, by name: what holds for one holds for all.
 *
 * @type {Record<string, () => Promise<import('limber').Backend>>}
 */
export const backends = {
  wasm: async () => load({ wasm: await readFile(new URL('../npm/limber/pkg/limber_bg.wasm', import.meta.url)) }),
  'wasm without SIMD': async () =>
    load({ wasm: await readFile(new URL('../npm/limber/pkg/limber_scalar_bg.wasm', import.meta.url)) }),
  addon: async () => {
    const limber = await loadNative()
    if (limber.target !== 'native') throw new Error('there is no addon: npm run build makes it')
    return limber
  },
}
