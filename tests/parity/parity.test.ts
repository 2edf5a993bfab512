import { JiggleBones, Ragdoll, type Boids, type Cloth } from 'limber/core'
import { describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { scenes } from '../scenes/index.mjs'

const STEPS = 10_000

const placesOf = (simulation: Boids | Cloth | JiggleBones | Ragdoll) => {
  if (simulation instanceof JiggleBones) return simulation.tips
  return simulation instanceof Ragdoll ? simulation.points : simulation.positions
}

describe('one hash whatever runs the core', () => {
  for (const { name, create, drive } of scenes) {
    it(`${name}, after ${STEPS} steps`, async () => {
      const hashes: Record<string, string> = {}
      for (const [backend, load] of Object.entries(backends)) {
        const limber = await load()
        const simulation = create(limber)
        for (let step = 1; step <= STEPS; step++) {
          drive(simulation as never, step * simulation.fixedStep)
          simulation.step()
        }
        expect(placesOf(simulation).every(Number.isFinite)).toBe(true)
        hashes[backend] = simulation.hash()
        limber.dispose()
      }
      expect(new Set(Object.values(hashes)).size, JSON.stringify(hashes)).toBe(1)
    })
  }
})
