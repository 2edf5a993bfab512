/**
 * Boids of yuka, with its spatial index: the same count, radius and density, and its own separation, alignment and cohesion. It has
 * no torus: what leaves the world is put in again on the other side, and nobody sees across the edge.
 */
import {
  AlignmentBehavior,
  CellSpacePartitioning,
  CohesionBehavior,
  EntityManager,
  SeparationBehavior,
  Vehicle,
} from 'yuka'

export class YukaBoids {
  /** @param {import('./sheet-boids.mjs').Rules} rules @param {ArrayLike<number>} positions @param {ArrayLike<number>} velocities */
  constructor(rules, positions, velocities) {
    const [width, height, depth = 0.1] = rules.size
    this.size = [width, height, depth]
    this.dt = rules.dt
    const radius = Math.sqrt(rules.view2)
    const cells = [width, height, depth].map((side) => Math.max(1, Math.floor(side / radius)))
    const manager = (this.manager = new EntityManager())
    manager.spatialIndex = new CellSpacePartitioning(width, height, depth, ...cells)
    this.begin = { positions, velocities }
    this.boids = Array.from({ length: positions.length / 3 }, () => {
      const boid = new Vehicle()
      boid.maxSpeed = rules.maxSpeed
      boid.updateNeighborhood = true
      boid.neighborhoodRadius = radius
      for (const [Behavior, weight] of [
        [SeparationBehavior, 0.01],
        [AlignmentBehavior, 1],
        [CohesionBehavior, 0.5],
      ]) {
        const behavior = new Behavior()
        behavior.weight = weight
        boid.steering.add(behavior)
      }
      manager.add(boid)
      return boid
    })
    this.reset()
  }

  /** Back to the start. Its index lies about the origin. */
  reset() {
    const { positions, velocities } = this.begin
    const [width, height, depth] = this.size
    for (const [i, { position, velocity }] of this.boids.entries()) {
      position.set(positions[i * 3] - width / 2, positions[i * 3 + 1] - height / 2, positions[i * 3 + 2] - depth / 2)
      velocity.set(velocities[i * 3], velocities[i * 3 + 1], velocities[i * 3 + 2])
    }
  }

  step() {
    this.manager.update(this.dt)
    const [width, height, depth] = this.size
    for (const { position } of this.boids) {
      position.x -= Math.round(position.x / width) * width
      position.y -= Math.round(position.y / height) * height
      position.z -= Math.round(position.z / depth) * depth
    }
  }
}
