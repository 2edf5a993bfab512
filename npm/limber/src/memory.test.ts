import { Cloth, load, type Backend } from 'limber'
import { describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { heap, refusal } from '../../../tests/helpers.mjs'

const setup = { columns: 12, rows: 17, width: 0.5, height: 1.2, pinned: 'top', floor: null, wind: [0, 0, 2] } as const

/** Lets finalizers run. */
async function collect(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc!()
    await new Promise((resolve) => setTimeout(resolve))
  }
}

describe.each(Object.entries(backends))('memory on %s', (_, loadBackend) => {
  it('C20: attributes live on when 200 more cloths make memory grow', async () => {
    const limber = await loadBackend()
    const alone = await loadBackend()
    const [cloth, twin] = [Cloth.grid(limber, setup), Cloth.grid(alone, setup)]
    const { position, normal } = cloth.geometry.attributes as { position: { array: object }; normal: { array: object } }
    const { buffer } = cloth.positions
    for (let i = 0; i < 200; i++) {
      Cloth.grid(limber, { columns: 48, rows: 48 })
      cloth.step(1 / 60)
      twin.step(1 / 60)
    }
    if (limber.target !== 'native') {
      expect(buffer.byteLength).toBe(0)
      expect(cloth.positions.buffer).not.toBe(buffer)
    }
    expect(cloth.geometry.attributes.position).toBe(position)
    expect(position.array).toBe(cloth.positions)
    expect(normal.array).toBe(cloth.normals)
    expect(cloth.positions.length).toBe(12 * 17 * 3)
    expect(cloth.positions).toEqual(twin.positions)
    expect(cloth.normals).toEqual(twin.normals)
    expect(cloth.links).toEqual(twin.links)
    cloth.pins.targets.set([0, 1, 0])
    cloth.step(0)
    expect([...cloth.positions.slice(0, 3)]).toEqual([0, 1, 0])
    limber.dispose()
    alone.dispose()
  })

  it('does not grow or move in a step', async () => {
    const limber = await loadBackend()
    const cloth = Cloth.grid(limber, setup)
    const { positions, normals } = cloth
    const { byteLength } = positions.buffer
    for (let i = 0; i < 1000; i++) cloth.step(1 / 50)
    expect([cloth.positions, cloth.normals]).toEqual([positions, normals])
    expect(cloth.positions).toBe(positions)
    expect(positions.buffer.byteLength).toBe(byteLength)
    limber.dispose()
  })

  it('is used again after dispose', async () => {
    const limber = await loadBackend()
    const most = { columns: 64, rows: 64 }
    for (let i = 0; i < 20; i++) Cloth.grid(limber, most).dispose()
    const { byteLength } = Cloth.grid(limber, most).positions.buffer
    for (let i = 0; i < 100; i++) Cloth.grid(limber, most).dispose()
    expect(Cloth.grid(limber, most).positions.buffer.byteLength).toBe(byteLength)
    limber.dispose()
  })

  it('dispose leaves a copy of the last pose, and refuses every later use', async () => {
    const limber = await loadBackend()
    const cloth = Cloth.grid(limber, { ...setup, colliders: [{ kind: 'sphere', center: [0, -1, 0], radius: 0.3 }] })
    for (let i = 0; i < 30; i++) cloth.step(1 / 60)
    const { geometry } = cloth
    const { array } = geometry.attributes.position!
    const pose = array.slice()
    const bytes = cloth.snapshot()
    cloth.dispose()
    cloth.dispose()
    expect(cloth.disposed).toBe(true)
    expect(geometry.attributes.position!.array).toEqual(pose)
    expect(geometry.attributes.position!.array).toBe(cloth.positions)
    expect(geometry.attributes.position!.array.buffer).not.toBe(array.buffer)

    // Its slot goes to another, which the old handle must not reach.
    const next = Cloth.grid(limber, setup)
    const hash = next.hash()
    const uses: Record<string, () => unknown> = {
      step: () => cloth.step(1 / 60),
      'step one': () => cloth.step(),
      time: () => cloth.time,
      options: () => cloth.options,
      configure: () => cloth.configure({}),
      reset: () => cloth.reset(),
      teleport: () => cloth.teleport({} as never),
      snapshot: () => cloth.snapshot(),
      restore: () => cloth.restore(bytes),
      hash: () => cloth.hash(),
      pins: () => cloth.pins.set([0]),
      colliders: () => cloth.colliders.clear(),
    }
    for (const [name, use] of Object.entries(uses)) expect(refusal(use).code, name).toBe('disposed')
    expect(next.hash()).toBe(hash)
    expect(geometry.attributes.position!.array).toEqual(pose)
    limber.dispose()
    expect(next.disposed).toBe(true)
    expect(next.positions.length).toBe(pose.length)
    expect(refusal(() => Cloth.grid(limber, setup)).code).toBe('disposed')
    limber.dispose()
  })

  it('a refused creation leaves nothing behind', async () => {
    const limber = await loadBackend()
    const wrong = { columns: 64, rows: 64, colliders: [{ kind: 'sphere', center: [0, 0, 0], radius: NaN }] } as const
    refusal(() => Cloth.grid(limber, wrong))
    const probe = Cloth.grid(limber, setup)
    const { byteLength } = probe.positions.buffer
    for (let i = 0; i < 100; i++) refusal(() => Cloth.grid(limber, wrong))
    expect(probe.positions.buffer.byteLength).toBe(byteLength)
    limber.dispose()
  })

  it('a forgotten cloth is freed, one that is still drawn is not', async () => {
    const limber = await loadBackend()
    const drawn = (() => Cloth.grid(limber, { ...setup, columns: 64, rows: 64 }).geometry.attributes.position!)()
    const forget = () => new WeakRef(Cloth.grid(limber, { ...setup, columns: 64, rows: 64 }))
    const refs: WeakRef<Cloth>[] = []
    const probe = Cloth.grid(limber, setup)
    for (let round = 0; round < 12; round++) {
      for (let i = 0; i < 10; i++) refs.push(forget())
      await collect()
    }
    expect(refs.filter((ref) => ref.deref()).length).toBe(0)
    expect(drawn.array.length).toBe(64 * 64 * 3)
    expect(drawn.getX(63)).toBeCloseTo(0.25)
    // 120 cloths of 64 × 64 would take twice this.
    if (limber.target !== 'native') expect(probe.positions.buffer.byteLength).toBeLessThan(80e6)
    limber.dispose()
  })
})

describe('backends', () => {
  it('live side by side, and share nothing', async () => {
    const [a, b] = await Promise.all([load({ reserve: 0 }), load({ reserve: 0 })])
    const [one, two] = [Cloth.grid(a, setup), Cloth.grid(b, setup)]
    expect(one.positions.buffer).not.toBe(two.positions.buffer)
    for (let i = 0; i < 50; i++) one.step(1 / 60)
    a.dispose()
    for (let i = 0; i < 50; i++) two.step(1 / 60)
    expect(two.time).toBeCloseTo(50 / 60)
    b.dispose()
  })

  it('a trap loses the backend: later calls say so, and what is drawn stays', async () => {
    const limber: Backend = await load()
    const cloth = Cloth.grid(limber, setup)
    const other = Cloth.grid(limber, setup)
    cloth.step()
    const pose = cloth.positions.slice()
    const memory = new Uint8Array(cloth.positions.buffer)
    const kept = memory.slice()
    memory.fill(0xff)
    const first = refusal(() => cloth.step())
    expect(first.code).toBe('backend-lost')
    expect(first.cause).toBeInstanceOf(Error)
    memory.set(kept)
    for (const use of [
      () => cloth.step(),
      () => other.hash(),
      () => Cloth.grid(limber, setup),
      () => cloth.configure({}),
    ]) {
      expect(refusal(use).code).toBe('backend-lost')
    }
    cloth.dispose()
    expect(cloth.positions).toEqual(pose)
    expect(refusal(() => cloth.step()).code).toBe('disposed')
    limber.dispose()
    expect(other.disposed).toBe(true)
  })

  it('10,000 steps leave nothing on the JavaScript heap', () => {
    for (const backend of Object.keys(backends)) {
      const { kept, made } = heap('heap.mjs', backend, { kept: 20_000, made: 200 })
      expect(kept, `${backend}: bytes kept after 10,000 steps`).toBeLessThan(20_000)
      expect(made, `${backend}: bytes made by a step`).toBeLessThan(200)
    }
  })
})
