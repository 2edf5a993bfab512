import { Boids, checkKeys, BOIDS_MAKE_DEFAULTS, BOIDS_OPTIONS_DEFAULTS, LimberError } from 'limber/core'
import type { BoidsConfig } from './config.js'
import { colliders, within, type Part, type Stage } from './part.js'

const OPTIONS = [...Object.keys(BOIDS_MAKE_DEFAULTS), ...Object.keys(BOIDS_OPTIONS_DEFAULTS)]
const SETUP = [
  ...OPTIONS.filter((key) => key !== 'matrices'),
  'bounds',
  'initial',
  'species',
  'attractors',
  'repellers',
]

/** A flock in the file's scene. */
export function makeBoids({ limber, file, seed }: Stage, name: string, config: BoidsConfig): Part {
  const path = `simulations.${name}`
  checkKeys(path, config, ['technique', 'geometry', 'obstacles', ...SETUP], path)
  const { technique: _, geometry, obstacles, ...setup } = config
  const shape = geometry === undefined ? undefined : file.meshNode(`${path}.geometry`, geometry)
  if (shape?.meshes.some((mesh) => 'isSkinnedMesh' in mesh)) {
    throw new LimberError(
      'invalid-option',
      `${path}.geometry must be a mesh without a skeleton: boids show it as it is`,
    )
  }
  const solids = colliders(file, `${path}.obstacles`, obstacles)
  const boids = within(path, () => new Boids(limber, { seed, ...setup, obstacles: solids }))
  if (boids.ids.length > MOST) {
    const count = boids.ids.length
    boids.dispose()
    throw new LimberError(
      'invalid-option',
      `${path} must be ${MOST} boids at most, as each is a node of the file, got ${count}: bake() and toFlockClip() take any number`,
    )
  }
  return { name, simulation: boids, shape: shape && { node: shape.index } }
}

/** Boids that are nodes. */
const MOST = 500
