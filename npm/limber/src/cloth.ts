import { Box3, BufferAttribute, BufferGeometry, DynamicDrawUsage, Matrix4, Sphere, Vector3, type Object3D } from 'three'
import { checkBackend, type Backend } from './backend.js'
import { Colliders, type Collider } from './colliders.js'
import { LimberError, shown, settings } from './error.js'
import { CLOTH, type ClothChannels } from './generated/channels.js'
import { CLOTH_GRID_DEFAULTS, type ClothGrid, type ClothMesh, type ClothOptions } from './generated/options.js'
import { outputGeometry, readGeometry } from './geometry.js'
import { Pins } from './pins.js'
import { Simulation, type PartialOptions, type SimulationStats } from './simulation.js'
import { readVector, readVertices, type VectorLike } from './vector.js'

/** What a cloth may be given when it is made, besides its options. */
export interface ClothSetup extends PartialOptions<ClothOptions> {
  /** Solids that it stays out of; {@link Cloth.colliders} changes them later. */
  colliders?: Iterable<Collider> | undefined
  /** Velocity of the air, world, m/s; none unless set. {@link Cloth.wind} changes it. */
  wind?: VectorLike | undefined
  /** Acceleration of gravity, world, m/s²; (0, −9.8, 0) unless set. {@link Cloth.gravity} changes it. */
  gravity?: VectorLike | undefined
  /** See {@link Cloth.space}. */
  space?: Object3D | undefined
}

/** A cloth made of a grid: vertex `j * columns + i` is in column i of row j; row 0 is the top. */
export interface ClothGridSetup extends ClothSetup, PartialOptions<ClothGrid> {
  /**
   * Writes the start of the vertex in column `i` of row `j` to `out`: world, metres. `out` comes with the default: x from
   * −width/2 to width/2, y from height + 0.1 down to 0.1, z 0.
   */
  place?: ((i: number, j: number, out: Vector3) => void) | undefined
  /** Vertices that do not move by themselves: an edge, the four corners, a list, or a choice; none unless set. */
  pinned?:
    'top' | 'left' | 'right' | 'bottom' | 'corners' | Iterable<number> | ((i: number, j: number) => boolean) | undefined
}

/** A cloth made of a geometry. */
export interface ClothGeometrySetup extends ClothSetup, Pick<PartialOptions<ClothMesh>, 'weld'> {
  /** Takes the geometry into the world, as a mesh's `matrixWorld` does. */
  matrix?: Matrix4 | undefined
  /** Vertices that do not move by themselves: a list, or a choice by world position; none unless set. */
  pinned?: Iterable<number> | ((index: number, position: Vector3) => boolean) | undefined
}

/** Counts and times of a cloth. */
export interface ClothStats extends SimulationStats {
  /** Vertices that are drawn. */
  readonly vertices: number
  /** Particles that are simulated: vertices that share a place are one. */
  readonly particles: number
  /** Links between particles. */
  readonly links: number
  /** Pinned vertices. */
  pins: number
}

/** What the making of a cloth merged or dropped. */
export interface ClothReport {
  /** Vertices that were merged with another one at the same place. */
  readonly welded: number
  /** Triangles without an area; they are not simulated. */
  readonly degenerateTriangles: number
  /** Triangles that lie on another, whatever their winding; they are simulated once. */
  readonly duplicateTriangles: number
  /** Vertices that no simulated triangle uses; they stay where they are. */
  readonly orphanVertices: readonly number[]
}

/** What the constructor is handed by the two ways of making a cloth. */
interface ClothSource {
  order: string
  reals: Float32Array
  indices: Uint32Array
  /** Everything but position and normal. */
  geometry: BufferGeometry
  setup: ClothSetup
}

/**
 * A cloth: a cape, a flag, a sheet.
 *
 * Its {@link geometry} is in world space, so the mesh that shows it keeps an identity matrix (or see {@link space}).
 *
 * @example
 * const cape = Cloth.grid(limber, { columns: 12, rows: 17, width: 0.5, height: 1.2, pinned: 'top' })
 * scene.add(new Mesh(cape.geometry, material))
 * renderer.setAnimationLoop((time) => {
 *   timer.update(time)
 *   cape.step(timer.getDelta())
 *   renderer.render(scene, camera)
 * })
 */
export class Cloth extends Simulation<ClothOptions, ClothChannels> {
  /**
   * What to draw: `position` and `normal` are the simulation's own memory, renewed by `step`, as are `boundingBox` and
   * `boundingSphere`; `uv` and index stay.
   */
  readonly geometry: BufferGeometry
  /** Velocity of the air, world, m/s; read at each step. */
  readonly wind: Vector3
  /** Acceleration of gravity, world, m/s²; read at each step. */
  readonly gravity: Vector3
  /** Vertices that do not move by themselves, and where they are to be. */
  readonly pins: Pins
  /** Solids that the cloth stays out of. */
  readonly colliders: Colliders
  /**
   * The output is in this object's local space instead of the world's: set it to the mesh that shows the cloth, or to that
   * mesh's parent. Read at each step.
   */
  space: Object3D | undefined
  /** Counts, and the milliseconds of a step. */
  readonly stats: ClothStats

  readonly #position: BufferAttribute
  readonly #normal: BufferAttribute
  readonly #box = new Box3()
  readonly #sphere = new Sphere()
  #inSpace = false
  #report: ClothReport | undefined

  private constructor(backend: Backend, { order, reals, indices, geometry, setup }: ClothSource) {
    super(backend, { technique: CLOTH, fixedStep: 1 / 60, maxSteps: 3, order, reals, indices })
    try {
      const { views } = this
      this.#position = new BufferAttribute(views.positions, 3).setUsage(DynamicDrawUsage)
      this.#normal = new BufferAttribute(views.normals, 3).setUsage(DynamicDrawUsage)
      this.geometry = geometry.setAttribute('position', this.#position).setAttribute('normal', this.#normal)
      this.register([this.#position, this.#normal])

      const { report } = this
      const vertices = this.#position.count
      this.stats = {
        vertices,
        particles: vertices - report.welded,
        links: views.links.length / 2,
        pins: views.pinVertices.length,
        milliseconds: 0,
      }
      this.pins = new Pins({
        vertices,
        views,
        setPins: (pinned) => void this.command(CLOTH.commands.setPins, Float32Array.from(pinned)),
      })
      this.colliders = new Colliders({
        views,
        setColliders: (payload) => void this.command(CLOTH.commands.setColliders, payload),
      })
      if (setup.colliders) this.colliders.replace(setup.colliders)
      this.wind = vector('wind', 'm/s', setup.wind, views.wind)
      this.gravity = vector('gravity', 'm/s²', setup.gravity, views.gravity)
      this.space = setup.space
      if (this.space) {
        this.#writeSpace()
        backend.reset(this.handle)
        this.rebind()
      }
      this.readOutputs()
    } catch (error) {
      this.dispose()
      throw error
    }
  }

  /**
   * A cloth of `columns` × `rows` vertices.
   *
   * @throws LimberError `invalid-option` naming the option and its range; nothing has been allocated then
   */
  static grid(backend: Backend, setup: ClothGridSetup): Cloth {
    checkBackend(backend)
    const { columns, rows, width, height, place, pinned, colliders, wind, gravity, space, ...options } = setup
    const grid: Grid = { ...CLOTH_GRID_DEFAULTS, ...defined({ columns, rows, width, height }) }
    const order = settings({ grid, options })
    backend.check(CLOTH.kind, order)
    return new Cloth(backend, {
      order,
      reals: place ? placed(grid, place) : new Float32Array(0),
      indices: pinnedOfGrid(grid, pinned),
      geometry: gridGeometry(grid),
      setup,
    })
  }

  /**
   * A cloth of any `BufferGeometry`: indexed or not, interleaved or quantised. The source is left as it is; its index,
   * groups, colours, texture coordinates and other attributes are kept as copies. Tangents, skinning and morph targets are
   * not, as they would move or light the vertices a second time.
   *
   * Vertices that share a place are one particle and stay together; they are written back split, each with its own normal.
   *
   * @throws LimberError `invalid-option` naming the option and its range; `invalid-input` for a geometry that has no
   *   triangles, or numbers that are not finite
   */
  static fromGeometry(backend: Backend, geometry: BufferGeometry, setup: ClothGeometrySetup = {}): Cloth {
    checkBackend(backend)
    const { weld, matrix, pinned, colliders, wind, gravity, space, ...options } = setup
    const source = readGeometry(geometry, matrix)
    const order = settings({ mesh: { triangles: source.triangles.length / 3, weld }, options })
    backend.check(CLOTH.kind, order)
    const pins = pinnedOfGeometry(source.positions, pinned)
    const indices = new Uint32Array(source.triangles.length + pins.length)
    indices.set(source.triangles)
    indices.set(pins, source.triangles.length)
    const mirrored = isMirrored(matrix) !== isMirrored(space?.matrixWorld)
    return new Cloth(backend, {
      order,
      reals: source.positions,
      indices,
      geometry: outputGeometry(geometry, mirrored),
      setup,
    })
  }

  /** `[x, y, z] × vertices`, in the output space, metres. Written by `step`; read the property afresh. */
  get positions(): Float32Array<ArrayBuffer> {
    return this.views.positions
  }

  /** `[x, y, z] × vertices`, of unit length, in the output space. Written by `step`; read the property afresh. */
  get normals(): Float32Array<ArrayBuffer> {
    return this.views.normals
  }

  /** `[vertex, vertex] × links`: structural, then shear, then bend. */
  get links(): Uint32Array<ArrayBuffer> {
    return this.views.links
  }

  /** What the making of it merged or dropped. */
  get report(): ClothReport {
    return (this.#report ??= Object.freeze(JSON.parse(this.backend.report(this.handle)) as ClothReport))
  }

  /**
   * These vertices follow `object` (a bone, say) from where they are now. Those that are not pinned yet become so; those
   * that followed another object leave it.
   *
   * @throws LimberError `invalid-option` for a vertex that does not exist; nothing has changed
   */
  attach(vertices: Iterable<number>, object: Object3D): void {
    this.pins.attach(vertices, object)
  }

  /** These vertices, or all, no longer follow an object: they stay pinned where it left them. */
  detach(vertices?: Iterable<number>): void {
    this.pins.detach(vertices)
  }

  /** As in every simulation; inputs come back too: wind, gravity, pin targets and colliders that follow nothing. */
  override restore(bytes: Uint8Array): void {
    super.restore(bytes)
    this.wind.fromArray(this.views.wind)
    this.gravity.fromArray(this.views.gravity)
    this.colliders.reread()
  }

  protected writeInputs(): void {
    this.wind.toArray(this.views.wind)
    this.gravity.toArray(this.views.gravity)
    this.#writeSpace()
    this.pins.update()
    this.colliders.update()
  }

  protected readOutputs(): void {
    this.#position.needsUpdate = true
    this.#normal.needsUpdate = true
    const { bounds } = this.views
    this.#box.min.fromArray(bounds)
    this.#box.max.fromArray(bounds, 3)
    this.#sphere.center.fromArray(bounds, 6)
    this.#sphere.radius = bounds[9]!
    this.geometry.boundingBox = this.#box
    this.geometry.boundingSphere = this.#sphere
  }

  protected rebound(): void {
    this.#position.array = this.views.positions
    this.#normal.array = this.views.normals
    this.stats.pins = this.views.pinVertices.length
  }

  protected divergences(): number {
    return this.views.status[0]!
  }

  #writeSpace(): void {
    if (this.space) {
      this.space.updateWorldMatrix(true, false)
      intoSpace.copy(this.space.matrixWorld).invert()
      this.#inSpace = true
    } else if (this.#inSpace) {
      intoSpace.identity()
      this.#inSpace = false
    } else {
      return
    }
    intoSpace.toArray(this.views.space)
  }
}

const intoSpace = /* @__PURE__ */ new Matrix4()

type Grid = { [K in keyof ClothGrid]: number }

/** `given` without what is undefined. */
function defined<T extends object>(given: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as typeof given & object
}

function isMirrored(matrix: Matrix4 | undefined): boolean {
  return matrix !== undefined && matrix.determinant() < 0
}

function vector(path: string, unit: string, given: VectorLike | undefined, initial: Float32Array): Vector3 {
  if (given === undefined) return new Vector3().fromArray(initial)
  const numbers = [0, 0, 0]
  readVector(path, given, numbers, 0, unit)
  return new Vector3().fromArray(numbers)
}

function placed(
  { columns, rows, width, height }: Grid,
  place: NonNullable<ClothGridSetup['place']>,
): Float32Array<ArrayBuffer> {
  const positions = new Float32Array(columns * rows * 3)
  const out = new Vector3()
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      out.set((i / (columns - 1) - 0.5) * width, (1 - j / (rows - 1)) * height + 0.1, 0)
      place(i, j, out)
      readVector(`place(${i}, ${j})`, out, positions, (j * columns + i) * 3)
    }
  }
  return positions
}

function gridGeometry({ columns, rows }: Grid): BufferGeometry {
  const uv = new Float32Array(columns * rows * 2)
  const index = new Uint32Array((columns - 1) * (rows - 1) * 6)
  let at = 0
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const a = j * columns + i
      uv[a * 2] = i / (columns - 1)
      uv[a * 2 + 1] = 1 - j / (rows - 1)
      if (i + 1 === columns || j + 1 === rows) continue
      const [b, c, d] = [a + 1, a + columns, a + columns + 1]
      index.set([a, c, b, b, c, d], at)
      at += 6
    }
  }
  return new BufferGeometry().setAttribute('uv', new BufferAttribute(uv, 2)).setIndex(new BufferAttribute(index, 1))
}

/** Whether the vertex in column `i` of row `j` is on the named edge. */
const EDGES = {
  top: (_: number, j: number) => j === 0,
  bottom: (_: number, j: number, { rows }: Grid) => j === rows - 1,
  left: (i: number) => i === 0,
  right: (i: number, _: number, { columns }: Grid) => i === columns - 1,
  corners: (i: number, j: number, { columns, rows }: Grid) => i % (columns - 1) === 0 && j % (rows - 1) === 0,
}

function pinnedOfGrid(grid: Grid, pinned: ClothGridSetup['pinned']): Uint32Array<ArrayBuffer> {
  const { columns, rows } = grid
  if (pinned === undefined) return new Uint32Array(0)
  if (typeof pinned === 'string' && !Object.hasOwn(EDGES, pinned)) {
    const known = Object.keys(EDGES).join(', ')
    throw new LimberError(
      'invalid-option',
      `pinned must be one of ${known}, a list of vertices or a function, got ${shown(pinned)}`,
    )
  }
  const chosen = typeof pinned === 'string' ? EDGES[pinned] : pinned
  if (typeof chosen !== 'function') return readVertices('pinned', chosen, columns * rows)
  const vertices: number[] = []
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) if (chosen(i, j, grid)) vertices.push(j * columns + i)
  }
  return Uint32Array.from(vertices)
}

function pinnedOfGeometry(positions: Float32Array, pinned: ClothGeometrySetup['pinned']): Uint32Array<ArrayBuffer> {
  if (pinned === undefined) return new Uint32Array(0)
  const count = positions.length / 3
  if (typeof pinned !== 'function') return readVertices('pinned', pinned, count)
  const position = new Vector3()
  const vertices: number[] = []
  for (let v = 0; v < count; v++) if (pinned(v, position.fromArray(positions, v * 3))) vertices.push(v)
  return Uint32Array.from(vertices)
}
