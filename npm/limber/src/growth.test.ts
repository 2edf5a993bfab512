import { Boids, load } from 'limber'
import { expect, it } from 'vitest'

it('what a call hands over may be more than the memory that is left', async () => {
  const setup = { count: 100_000, matrices: false } as const
  const [roomy, tight] = [await load(), await load({ reserve: 0 })]
  const full = new Boids(roomy, setup)
  full.step()
  const bytes = full.snapshot()
  const boids = new Boids(tight, setup)
  boids.restore(bytes)
  expect(boids.hash()).toBe(full.hash())
  const small = new Boids(await load({ reserve: 0 }), { count: 10 })
  expect(() => small.restore(new Uint8Array(3e6))).toThrow('the bytes are not a snapshot of boids')
  const many = Array.from({ length: 100_000 }, () => ({ kind: 'sphere', center: [0, 0, 0], radius: 0.1 }) as const)
  small.obstacles.replace(many)
  expect([...small.obstacles].length).toBe(many.length)
  for (const backend of [roomy, tight]) backend.dispose()
})

it('boids take no snapshot of a world that is none', async () => {
  const limber = await load()
  const boids = new Boids(limber, { count: 5 })
  const bytes = boids.snapshot()
  let refused = 0
  for (let at = 16; at + 4 <= bytes.length; at += 4) {
    const broken = bytes.slice()
    new DataView(broken.buffer).setUint32(at, 0x7fc00000, true)
    try {
      boids.restore(broken)
    } catch {
      refused++
      continue
    }
    boids.step()
    expect(boids.positions.every(Number.isFinite), `byte ${at}`).toBe(true)
    boids.restore(bytes)
  }
  expect(refused).toBeGreaterThan(20)
  limber.dispose()
})
