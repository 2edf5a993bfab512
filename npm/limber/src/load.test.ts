import { createServer, type Server } from 'node:http'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { Cloth, load, LimberError } from 'limber'
import * as core from 'limber/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const file = new URL('../pkg/limber_bg.wasm', import.meta.url)

describe('load', () => {
  let server: Server
  let origin: string
  beforeAll(async () => {
    const bytes = await readFile(file)
    server = createServer((request, response) => {
      const types: Record<string, string> = {
        '/right.wasm': 'application/wasm',
        '/wrong.wasm': 'application/octet-stream',
        '/page': 'text/html',
      }
      const type = types[request.url!]
      response.writeHead(type ? 200 : 404, type ? { 'content-type': type } : {})
      response.end(request.url === '/page' ? '<!doctype html>' : bytes)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => void server.close())

  const works = async (options: Parameters<typeof load>[0]) => {
    const limber = await load(options)
    const cloth = Cloth.grid(limber, { columns: 4, rows: 4 })
    expect(cloth.step()).toBe(1)
    limber.dispose()
    return limber
  }
  const refused = async (options: unknown) => {
    const error = await load(options as never).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(LimberError)
    return error as LimberError
  }

  it('finds its own file in Node, with SIMD', async () => {
    expect((await works({})).target).toBe('wasm')
    expect((await works({ wasm: new URL('../pkg/limber_scalar_bg.wasm', import.meta.url) })).target).toBe('wasm-scalar')
  })

  it('takes an address, a response, bytes or a module', async () => {
    const bytes = await readFile(file)
    await works({ wasm: file })
    await works({ wasm: `${origin}/right.wasm` })
    await works({ wasm: new URL(`${origin}/right.wasm`) })
    await works({ wasm: await fetch(`${origin}/right.wasm`) })
    await works({ wasm: bytes })
    await works({ wasm: new Uint8Array(bytes).buffer })
    await works({ wasm: await WebAssembly.compile(bytes) })
  })

  it('compiles what a server sends with a wrong type', async () => {
    await works({ wasm: `${origin}/wrong.wasm` })
  })

  it('says what is wrong with what it was given', async () => {
    expect(await refused({ wasm: `${origin}/missing` })).toMatchObject({
      code: 'load-failed',
      message: expect.stringMatching(/missing .* 404/),
    })
    expect(await refused({ wasm: `${origin}/page` })).toMatchObject({
      code: 'load-failed',
      message: expect.stringMatching(/not WebAssembly but text\/html/),
    })
    expect(await refused({ wasm: new URL('nowhere.wasm', file) })).toMatchObject({
      code: 'load-failed',
      message: expect.stringMatching(/nowhere\.wasm/),
    })
    expect(await refused({ wasm: new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]) })).toMatchObject({
      code: 'load-failed',
      message: expect.stringMatching(/not Limber's/),
    })
    expect(await refused({ wasm: 7 })).toMatchObject({
      code: 'invalid-option',
      message: expect.stringMatching(/^wasm must be .* got 7/),
    })
    for (const [wrong, message] of [
      [{ reserved: 5 }, /^reserved is no option of load; known: wasm, reserve$/],
      [null, /^options must be an object, got null$/],
      ['limber.wasm', /^options must be an object, got "limber\.wasm"$/],
      [file.pathname.split(''), /^options must be an object, got an array of /],
    ] as const) {
      expect(await refused(wrong)).toMatchObject({ code: 'invalid-option', message: expect.stringMatching(message) })
    }
    for (const reserve of [-1, NaN, 2 ** 31]) {
      expect(await refused({ reserve })).toMatchObject({
        code: 'invalid-option',
        message: expect.stringMatching(/^reserve must be/),
      })
    }
  })

  it('reserves memory', async () => {
    const [small, large] = [await load({ reserve: 0 }), await load({ reserve: 64 * 2 ** 20 })]
    const size = (limber: core.Backend) => Cloth.grid(limber, { columns: 2, rows: 2 }).positions.buffer.byteLength
    expect(size(small)).toBeLessThan(4 * 2 ** 20)
    expect(size(large)).toBeGreaterThanOrEqual(64 * 2 ** 20)
  })

  it('imports without running anything, the classes without the WebAssembly', () => {
    expect(core.Cloth).toBe(Cloth)
    expect(core).not.toHaveProperty('load')
  })
})
