import {
  Box3,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  Sphere,
  type BufferGeometry,
  type Material,
} from 'three'
import { checkBackend, type Backend } from './backend.js'
import { BoidsRule } from './boids-rules.js'
import { boundsOf, layOut, readBounds, type BoidsBounds, type BoidsSetup } from './boids-setup.js'
import { Influences, type BoidsInfluence } from './boids-influences.js'
import { Obstacles, type BoidsObstacle } from './boids-obstacles.js'
import { readPoint, type BoidsPoint } from './boids-points.js'
import { checkNumber, LimberError, shown } from './error.js'
import { BOIDS, type BoidsChannels } from './generated/channels.js'
import { type BoidsOptions } from './generated/options.js'
import { Simulation, type PartialOptions, type SimulationStats } from './simulation.js'

/** Counts and times of boids. */
export interface BoidsStats extends SimulationStats {
  /** How many there are. */
  readonly boids: number
}

/** The three rules of a flock, each with `enabled`, `weight`, `radius` and `angle`, which may be set at any time. */
export interface BoidsRuleSet {
  /** Keeping apart from those that are very near. */
  readonly separation: BoidsRule
  /** Swimming as the others do. */
  readonly alignment: BoidsRule
  /** Drawing near to the middle of the others. */
  readonly cohesion: BoidsRule
}

/** What {@link Boids.instancedMesh} may be told. */
export interface BoidsMeshOptions {
  /** Show only this species. Its ids must follow one another, as they do when species have counts. All unless set. */
  species?: number | undefined
}

/** A mesh that shows the boids of some places among the ids. */
interface Shown {
  readonly mesh: InstancedMesh
  readonly from: number
  readonly to: number
}

/** What is not an option, and how it is changed instead. */
const ELSEWHERE: Record<string, string> = {
  bounds: 'set boids.bounds',
  attractors: 'change the list boids.attractors',
  repellers: 'change the list boids.repellers',
  obstacles: 'use boids.obstacles',
  paused: 'set boids.paused',
  timeScale: 'set boids.timeScale',
  ...Object.fromEntries(
    ['count', 'initial', 'dimensions', 'seed', 'matrices', 'species'].map((key) => [key, 'make new boids']),
  ),
}

/**
 * A flock, a school, a swarm: boids that each look at their neighbours alone.
 *
 * @example
 * const fish = new Boids(limber, { count: 2000, bounds: { kind: 'box', min: [-2, -1, -2], max: [2, 1, 2] } })
 * scene.add(fish.instancedMesh(geometry, material)) // the geometry looks along +z
 * renderer.setAnimationLoop((time) => {
 *   timer.update(time)
 *   fish.step(timer.getDelta())
 *   renderer.render(scene, camera)
 * })
 */
export class Boids extends Simulation<BoidsOptions, BoidsChannels> {
  /** Counts, and the milliseconds of a step. */
  readonly stats: BoidsStats
  /** The three rules. */
  readonly rules: BoidsRuleSet
  /** 2: in a plane, whose z is 0; 3: in space. */
  readonly dimensions: 2 | 3
  /**
   * What attracts boids: points, lines, objects, boids that lead, paths. The list and what is in it may be changed at any time;
   * it is read at each step.
   */
  readonly attractors: BoidsInfluence[]
  /** What repels boids, such as a pointer: points and lines. Read at each step, as {@link attractors}. */
  readonly repellers: BoidsInfluence[]

  readonly #influences: Influences
  readonly #obstacles: Obstacles
  readonly #shown = new Set<Shown>()
  #bounds: BoidsBounds

  /**
   * @throws LimberError `invalid-option` naming the option and its range; nothing has been allocated then
   */
  constructor(backend: Backend, setup: BoidsSetup = {}) {
    checkBackend(backend)
    const { order, reals, indices, bounds, dimensions } = layOut(setup, (order) => backend.check(BOIDS.kind, order))
    super(backend, { name: 'Boids', technique: BOIDS, fixedStep: 1 / 60, maxSteps: 3, order, reals, indices })
    try {
      this.register([])
      this.dimensions = dimensions
      this.#bounds = bounds
      this.stats = { boids: this.views.ids.length, milliseconds: 0 }
      const rule = (name: keyof BoidsRuleSet) =>
        new BoidsRule(
          () => this.options.rules[name],
          (change) => this.configure({ rules: { [name]: change } }),
        )
      this.rules = Object.freeze({
        separation: rule('separation'),
        alignment: rule('alignment'),
        cohesion: rule('cohesion'),
      })
      this.attractors = copied('attractors', setup.attractors)
      this.repellers = copied('repellers', setup.repellers)
      this.#influences = new Influences({
        views: this.views,
        dimensions,
        placeOf: (id) => this.#placeOf(id),
        replace: (payload) => void this.command(BOIDS.commands.setInfluences, payload),
      })
      this.#obstacles = new Obstacles(
        {
          views: this.views,
          checkAlive: () => void this.handle,
          setColliders: (payload) => void this.command(BOIDS.commands.setColliders, payload),
        },
        dimensions,
      )
      if (setup.obstacles !== undefined) this.#obstacles.replace(setup.obstacles)
      this.#influences.update(this.attractors, this.repellers)
    } catch (error) {
      this.dispose()
      throw error
    }
  }

  /** `[x, y, z] × boids`, world, metres, in the order of {@link ids}. Written by `step`; read the property afresh. */
  get positions(): Float32Array<ArrayBuffer> {
    return this.views.positions
  }

  /** `[x, y, z] × boids`, world, m/s, in the order of {@link ids}. Written by `step`; read the property afresh. */
  get velocities(): Float32Array<ArrayBuffer> {
    return this.views.velocities
  }

  /**
   * 16 numbers × boids, column-major, in the order of {@link ids}: what takes a model that looks along +z to each boid. In 3D
   * they bank; in 2D their +y is out of the plane. Written by `step`; read the property afresh. Empty with `matrices: false`.
   */
  get matrices(): Float32Array<ArrayBuffer> {
    return this.views.matrices
  }

  /** `[id] × boids`, ascending: 0, 1, 2, … unless they were given. */
  get ids(): Uint32Array<ArrayBuffer> {
    return this.views.ids
  }

  /** `[species] × boids`, in the order of {@link ids}. */
  get species(): Uint32Array<ArrayBuffer> {
    return this.views.species
  }

  /** Solids that boids steer clear of, and do not enter. A list that is assigned replaces them all. */
  get obstacles(): Obstacles {
    return this.#obstacles
  }

  set obstacles(obstacles: Iterable<BoidsObstacle>) {
    this.#obstacles.replace(obstacles)
  }

  /**
   * Where boids may be. They are brought in when it is set.
   *
   * @throws LimberError `invalid-option`, also where a radius is larger than half the new torus
   */
  get bounds(): BoidsBounds {
    return this.#bounds
  }

  set bounds(bounds: BoidsBounds) {
    const { numbers, bounds: read } = readBounds(bounds, this.dimensions)
    this.command(BOIDS.commands.setBounds, Float32Array.from(numbers))
    this.#bounds = read
    this.readOutputs()
  }

  /**
   * A mesh whose instances are the boids: its `instanceMatrix` is the simulation's own memory, and its bounds are kept true.
   * The geometry looks along +z with its back along +y. It may be called more than once; dispose of a mesh as usual.
   *
   * @throws LimberError `invalid-option` without matrices, or for a species that is not one run of ids
   */
  instancedMesh<Geometry extends BufferGeometry, Look extends Material | Material[]>(
    geometry: Geometry,
    material: Look,
    { species }: BoidsMeshOptions = {},
  ): InstancedMesh<Geometry, Look> {
    void this.handle
    if (this.matrices.length === 0) {
      throw new LimberError('invalid-option', 'instancedMesh needs matrices: make the boids with matrices: true')
    }
    const [from, to] = species === undefined ? [0, this.ids.length] : this.#run(species)
    const mesh = new InstancedMesh(geometry, material, 0)
    mesh.count = to - from
    mesh.boundingBox = new Box3()
    mesh.boundingSphere = new Sphere()
    const shown = { mesh: mesh as unknown as InstancedMesh, from, to }
    this.#bind(shown)
    this.#shown.add(shown)
    mesh.addEventListener('dispose', () => this.#shown.delete(shown))
    this.readOutputs()
    return mesh
  }

  /**
   * Ids of the boids that boid `id` sees, the nearest first: those within the largest radius of the three rules, by what is
   * drawn; with `topological` the `nearest` of them. Species and angles are left out.
   *
   * @throws LimberError `invalid-option` for an id that there is not
   */
  neighbours(id: number): number[] {
    const own = this.#placeOf(id)
    if (own < 0) throw new LimberError('invalid-option', `there is no boid with the id ${shown(id)}`)
    const { rules, topological, nearest } = this.options
    const radius = Math.max(rules.separation.radius, rules.alignment.radius, rules.cohesion.radius)
    const [x, y, z] = this.positions.subarray(own * 3, own * 3 + 3)
    const found = this.#within([x!, y!, z!], radius, own)
    return topological ? found.slice(0, nearest) : found
  }

  /**
   * Ids of the boids nearer to `point` than `radius`, the nearest first, by what is drawn; around a torus the shorter way.
   *
   * @throws LimberError `invalid-option`
   */
  query(point: BoidsPoint, radius: number): number[] {
    void this.handle
    const place = [0, 0, 0]
    readPoint('point', point, this.dimensions, place)
    checkNumber('radius', radius, 0, 1_000_000, 'm')
    return this.#within(place, radius, -1)
  }

  /** As in every simulation, and says for what is no option how it is changed instead. */
  override configure(partial: PartialOptions<BoidsOptions>): void {
    const name = Object.keys(partial ?? {}).find((key) => Object.hasOwn(ELSEWHERE, key))
    if (name) {
      throw new LimberError('invalid-option', `${name} is no option that configure changes: ${ELSEWHERE[name]!}`)
    }
    super.configure(partial)
  }

  /**
   * As in every simulation; bounds and obstacles that follow nothing come back too. There must be as many attractors and
   * repellers together as when the snapshot was taken: switch one off with `enabled: false` rather than taking it away.
   */
  override restore(bytes: Uint8Array): void {
    // What the lists hold by now.
    this.#influences.update(this.attractors, this.repellers)
    super.restore(bytes)
    this.#bounds = boundsOf(this.command(BOIDS.commands.readBounds, new Float32Array(0)))
    this.#obstacles.reread()
  }

  protected writeInputs(): void {
    this.#influences.update(this.attractors, this.repellers)
    this.#obstacles.update()
  }

  protected readOutputs(): void {
    const { bounds } = this.views
    for (const { mesh } of this.#shown) {
      mesh.instanceMatrix.needsUpdate = true
      const { geometry } = mesh
      if (geometry.boundingSphere === null) geometry.computeBoundingSphere()
      const { center, radius } = geometry.boundingSphere!
      // However a boid is turned.
      const reach = center.length() + radius
      mesh.boundingBox!.min.fromArray(bounds).addScalar(-reach)
      mesh.boundingBox!.max.fromArray(bounds, 3).addScalar(reach)
      mesh.boundingSphere!.center.fromArray(bounds, 6)
      mesh.boundingSphere!.radius = bounds[9]! + reach
    }
  }

  protected rebound(): void {
    for (const shown of [...this.#shown]) {
      if (shown.mesh.instanceMatrix.array.buffer === this.views.matrices.buffer) continue
      // Renderers forget what they have of it: WebGPURenderer would go on with the old array, and by the attribute with the old buffer.
      shown.mesh.dispose()
      this.#bind(shown)
      this.#shown.add(shown)
    }
  }

  protected divergences(): number {
    return 0
  }

  /** Lets a mesh show the simulation's own memory. */
  #bind({ mesh, from, to }: Shown): void {
    const attribute = new InstancedBufferAttribute(this.views.matrices.subarray(from * 16, to * 16), 16)
    mesh.instanceMatrix = attribute.setUsage(DynamicDrawUsage)
    this.keepAlive([attribute])
  }

  /** The place of an id, or −1. */
  #placeOf(id: number): number {
    const { ids } = this.views
    let [low, high] = [0, ids.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (ids[middle]! < id) low = middle + 1
      else high = middle
    }
    return ids[low] === id ? low : -1
  }

  /** The places from and to which boids are of `species`. */
  #run(species: number): [number, number] {
    const all = this.species
    const [from, to] = [all.indexOf(species), all.lastIndexOf(species) + 1]
    if (from < 0 || !all.subarray(from, to).every((other) => other === species)) {
      throw new LimberError(
        'invalid-option',
        `species must be one of those there are, whose ids follow one another, got ${shown(species)}`,
      )
    }
    return [from, to]
  }

  /** Ids of all but boid `own` nearer to a point than `radius`. */
  #within(point: readonly number[], radius: number, own: number): number[] {
    const { positions, ids } = this.views
    const bounds = this.#bounds
    const around = [0, 1, 2].map((c) =>
      bounds.kind === 'torus' && c < this.dimensions ? bounds.max[c]! - bounds.min[c]! : Number.MAX_VALUE,
    )
    const found: [square: number, id: number][] = []
    for (let i = 0; i < ids.length; i++) {
      if (i === own) continue
      let square = 0
      for (let c = 0; c < 3; c++) {
        const way = positions[i * 3 + c]! - point[c]!
        const shorter = way - Math.round(way / around[c]!) * around[c]!
        square += shorter * shorter
      }
      if (square < radius * radius) found.push([square, ids[i]!])
    }
    return found.sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, id]) => id)
  }
}

function copied(name: string, list: readonly BoidsInfluence[] = []): BoidsInfluence[] {
  if (Array.isArray(list)) return [...(list as readonly BoidsInfluence[])]
  throw new LimberError('invalid-option', `${name} must be a list, got ${shown(list)}`)
}
