import { Cloth, LimberError } from 'limber'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { refusal } from '../../../tests/helpers.mjs'

/** Every view that `run` makes of a memory, as what it was made with. */
async function views(run: () => unknown): Promise<unknown[][]> {
  const made: unknown[][] = []
  for (const name of ['Uint8Array', 'Uint32Array', 'Float32Array'] as const) {
    vi.stubGlobal(
      name,
      new Proxy(globalThis[name], {
        construct(Type, given: unknown[]) {
          if (given[0] instanceof ArrayBuffer) made.push(given)
          return new (Type as new (...given: unknown[]) => object)(...given)
        },
      }),
    )
  }
  try {
    await run()
  } finally {
    vi.unstubAllGlobals()
  }
  return made
}

describe.each(Object.entries(backends).filter(([name]) => name !== 'addon'))('texts for %s', (_, load) => {
  afterEach(() => void vi.restoreAllMocks())

  it('are written into views that end: encodeInto writes nothing into one longer than 2 GiB', async () => {
    const limber = await load()
    const made = await views(() => {
      const cloth = Cloth.grid(limber, { columns: 8, rows: 8, iterations: 3, pinned: 'top' })
      cloth.configure({ iterations: 4 })
      cloth.restore(cloth.snapshot())
      cloth.colliders = [{ kind: 'sphere', center: [0, 0, 0], radius: 0.1 }]
      cloth.reset()
      refusal(() => cloth.configure({ iterations: -1 }))
      expect(cloth.options.iterations).toBe(4)
      cloth.dispose()
    })
    expect(made.length).toBeGreaterThan(20)
    // A whole small buffer of JavaScript's own may be looked at; a place within memory must have an end.
    const memory = made.filter(([buffer]) => (buffer as ArrayBuffer).byteLength >= 2 ** 20)
    expect(memory.length).toBeGreaterThan(15)
    for (const given of memory) expect(typeof given[2]).toBe('number')
    limber.dispose()
  })

  it('are refused when they are not handed over whole', async () => {
    const limber = await load()
    const cloth = Cloth.grid(limber, { columns: 4, rows: 4, iterations: 3 })
    const places: number[] = []
    const { encodeInto } = TextEncoder.prototype
    // Of check, create and configure, the one that fails.
    for (const failing of [0, 1]) {
      let calls = 0
      vi.spyOn(TextEncoder.prototype, 'encodeInto').mockImplementation(function (this: TextEncoder, text, into) {
        places.push(into.length - 3 * text.length)
        return calls++ === failing ? { read: 0, written: 0 } : encodeInto.call(this, text, into)
      })
      const error = refusal(() => Cloth.grid(limber, { columns: 4, rows: 4 }))
      expect(error).toBeInstanceOf(LimberError)
      expect(error.message).toMatch(/^only 0 of \d+ characters of a call could be handed over$/)
      expect(calls).toBe(failing + 1)
    }
    vi.spyOn(TextEncoder.prototype, 'encodeInto').mockReturnValue({ read: 0, written: 0 })
    refusal(() => cloth.configure({ iterations: 9 }))
    vi.restoreAllMocks()
    expect(cloth.options.iterations).toBe(3)
    cloth.configure({ iterations: 9 })
    expect(cloth.options.iterations).toBe(9)
    expect(new Set(places)).toEqual(new Set([0]))
    expect(cloth.step()).toBe(1)
    limber.dispose()
  })
})
