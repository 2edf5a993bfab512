import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import * as limber from 'limber'
import * as node from 'limber-node'
import { describe, expect, it, vi } from 'vitest'

describe('limber-node', () => {
  it('is the same classes, run by the addon', async () => {
    for (const [name, value] of Object.entries(limber))
      if (name !== 'load') expect(node, name).toHaveProperty(name, value)
    const backend = await node.load()
    expect(backend.target).toBe('native')
    backend.dispose()
  })

  it('runs the WebAssembly when told to', async () => {
    vi.stubEnv('LIMBER_NODE_FORCE_WASM', '1')
    expect((await node.load()).target).toBe('wasm')
    vi.unstubAllEnvs()
    const wasm = await readFile(new URL('../../limber/pkg/limber_scalar_bg.wasm', import.meta.url))
    expect((await node.load({ wasm })).target).toBe('wasm-scalar')
  })

  it('refuses options that it does not know, with the addon too', async () => {
    for (const [wrong, message] of [
      [{ reserved: 5 }, /^reserved is no option of load; known: wasm, reserve$/],
      [{ reserve: -1 }, /^reserve must be a number from 0 to /],
      [null, /^options must be an object, got null$/],
    ] as const) {
      const error = (await node.load(wrong as never).catch((error: unknown) => error)) as node.LimberError
      expect(error).toBeInstanceOf(node.LimberError)
      expect([error.code, error.message]).toEqual(['invalid-option', expect.stringMatching(message)])
    }
  })

  it('says in one line which package is missing, and runs the WebAssembly', () => {
    // As on a platform for which there is no addon.
    const script = `
      Object.defineProperty(process, 'arch', { value: 'riscv64' })
      const { load, Cloth } = await import('limber-node')
      const limber = await load()
      console.log(limber.target, Cloth.grid(limber, { columns: 4, rows: 4 }).step())
    `
    const cwd = fileURLToPath(new URL('..', import.meta.url))
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      cwd,
    })
    expect(stdout).toBe('wasm 1\n')
    expect(stderr.trim().split('\n').length).toBe(1)
    expect(stderr).toMatch(
      /^limber-node: (limber-node-\S+-riscv64\S*) is not installed, so the WebAssembly build runs instead .* npm install \1 .* npm run build/,
    )
  })
})
