import { Box3, BufferAttribute, BufferGeometry, DynamicDrawUsage, Matrix4, Sphere, Vector3, type Object3D } from 'three'
import { checkBackend, type Backend } from './backend.js'
import { Colliders, type Collider } from './colliders.js'
import { checkFunction, checkKeys, LimberError, settings } from './error.js'
import { CLOTH, type ClothChannels } from './generated/channels.js'
import {
  CLOTH_GRID_DEFAULTS,
  CLOTH_OPTIONS_DEFAULTS,
  type ClothGrid,
  type ClothMesh,
  type ClothOptions,
} from './generated/options.js'
import { outputGeometry, readGeometry } from './geometry.js'
import { Pins } from './pins.js'
import { Simulation, type PartialOptions, type SimulationStats } from './simulation.js'
import { checkObject, readVector, type VectorLike } from './vector.js'
import { readGridVertices, readMeshVertices, type GridVertices, type MeshVertices } from './vertices.js'

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
  pinned?: GridVertices | undefined
}

/** A cloth made of a geometry. */
export interface ClothGeometrySetup extends ClothSetup, Pick<PartialOptions<ClothMesh>, 'weld'> {
  /** Takes the geometry into the world, as a mesh's `matrixWorld` does. */
  matrix?: Matrix4 | undefined
  /** Vertices that do not move by themselves: a list, or a choice by world position; none unless set. */
  pinned?: MeshVertices | undefined
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
  /** The vertices that are meant, ascending and each once. */
  choose(
    this: void,
    path: string,
    vertices: unknown,
    cloth: Pick<Cloth, 'positions' | 'space' | 'stats'>,
  ): Uint32Array<ArrayBuffer>
}

/** What both ways of making a cloth take. */
const SHARED = ['pinned', 'colliders', 'wind', 'gravity', 'space', ...Object.keys(CLOTH_OPTIONS_DEFAULTS)]
const GRID_KEYS = [...Object.keys(CLOTH_GRID_DEFAULTS), 'place', ...SHARED]
const GEOMETRY_KEYS = ['weld', 'matrix', ...SHARED]

/** What is not an option, and how it is changed instead. */
const ELSEWHERE: Record<string, string> = {
  wind: 'set cloth.wind',
  gravity: 'set cloth.gravity',
  space: 'set cloth.space',
  pinned: 'use cloth.pins.set() or cloth.attach()',
  pins: 'use cloth.pins.set() or cloth.attach()',
  colliders: 'use cloth.colliders',
  paused: 'set cloth.paused',
  timeScale: 'set cloth.timeScale',
  matrix: 'use cloth.teleport()',
  ...Object.fromEntries([...Object.keys(CLOTH_GRID_DEFAULTS), 'place', 'weld'].map((key) => [key, 'make a new cloth'])),
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
export class Cloth<Vertices = GridVertices | MeshVertices> extends Simulation<ClothOptions, ClothChannels> {
  /**
   * What to draw: `position` and `normal` are the simulation's own memory, renewed by `step`, as are `boundingBox` and
   * `boundingSphere`; `uv` and index stay.
   */
  readonly geometry: BufferGeometry
  /** Vertices that do not move by themselves, and where they are to be. */
  readonly pins: Pins<Vertices>
  /** Counts, and the milliseconds of a step. */
  readonly stats: ClothStats

  readonly #position: BufferAttribute
  readonly #normal: BufferAttribute
  readonly #box = new Box3()
  readonly #sphere = new Sphere()
  readonly #wind: Vector3
  readonly #gravity: Vector3
  readonly #colliders: Colliders
  #space: Object3D | undefined
  #inSpace = false
  #report: ClothReport | undefined

  private constructor(backend: Backend, source: ClothSource) {
    if (typeof source?.choose !== 'function') {
      throw new LimberError(
        'invalid-option',
        'a cloth is made by Cloth.grid(limber, …) or Cloth.fromGeometry(limber, …)',
      )
    }
    const { order, reals, indices, geometry, setup, choose } = source
    super(backend, { name: 'Cloth', technique: CLOTH, fixedStep: 1 / 60, maxSteps: 3, order, reals, indices })
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
      const checkAlive = () => void this.handle
      this.pins = new Pins({
        choose: (path, given) => choose(path, given, this),
        views,
        checkAlive,
        setPins: (pinned) => void this.command(CLOTH.commands.setPins, Float32Array.from(pinned)),
      })
      this.#colliders = new Colliders({
        views,
        checkAlive,
        setColliders: (payload) => void this.command(CLOTH.commands.setColliders, payload),
      })
      if (setup.colliders !== undefined) this.#colliders.replace(setup.colliders)
      this.#wind = new Vector3().fromArray(views.wind)
      this.#gravity = new Vector3().fromArray(views.gravity)
      if (setup.wind !== undefined) this.wind = setup.wind
      if (setup.gravity !== undefined) this.gravity = setup.gravity
      this.space = setup.space
      if (this.#space) {
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
   * For a body that is already posed, `place` it where the bone is; or make it about the origin, `teleport(bone.matrixWorld)`,
   * and then {@link attach} it.
   *
   * @throws LimberError `invalid-option` naming the option and its range; nothing has been allocated then
   */
  static grid(backend: Backend, setup: ClothGridSetup = {}): Cloth<GridVertices> {
    checkBackend(backend)
    checkKeys('Cloth.grid', setup, GRID_KEYS, 'setup')
    checkFunction('place', setup.place)
    const { columns, rows, width, height, place, pinned, colliders, wind, gravity, space, ...options } = setup
    const grid: Grid = { ...CLOTH_GRID_DEFAULTS, ...defined({ columns, rows, width, height }) }
    const order = settings({ grid, options })
    backend.check(CLOTH.kind, order)
    return new Cloth(backend, {
      order,
      reals: place ? placed(grid, place) : new Float32Array(0),
      indices: readGridVertices('pinned', pinned === undefined ? [] : pinned, grid),
      geometry: gridGeometry(grid),
      setup,
      choose: (path, vertices) => readGridVertices(path, vertices, grid),
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
  static fromGeometry(backend: Backend, geometry: BufferGeometry, setup: ClothGeometrySetup = {}): Cloth<MeshVertices> {
    checkBackend(backend)
    checkKeys('Cloth.fromGeometry', setup, GEOMETRY_KEYS, 'setup')
    if (setup.space !== undefined) checkObject('space', setup.space)
    const { weld, matrix, pinned, colliders, wind, gravity, space, ...options } = setup
    const source = readGeometry(geometry, matrix)
    const order = settings({ mesh: { triangles: source.triangles.length / 3, weld }, options })
    backend.check(CLOTH.kind, order)
    const position = new Vector3()
    const pins = readMeshVertices('pinned', pinned === undefined ? [] : pinned, source.positions.length / 3, (v) =>
      position.fromArray(source.positions, v * 3),
    )
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
      choose: chooseNow,
    })
  }

  /** Velocity of the air, world, m/s; read at each step. What is assigned is copied into it. */
  get wind(): Vector3 {
    return this.#wind
  }

  set wind(value: VectorLike) {
    this.#wind.fromArray(vector('wind', 'm/s', value))
  }

  /** Acceleration of gravity, world, m/s²; read at each step. What is assigned is copied into it. */
  get gravity(): Vector3 {
    return this.#gravity
  }

  set gravity(value: VectorLike) {
    this.#gravity.fromArray(vector('gravity', 'm/s²', value))
  }

  /** Solids that the cloth stays out of, or in. A list that is assigned replaces them all. */
  get colliders(): Colliders {
    return this.#colliders
  }

  set colliders(colliders: Iterable<Collider>) {
    this.#colliders.replace(colliders)
  }

  /**
   * The output is in this object's local space instead of the world's: set it to the mesh that shows the cloth, or to that
   * mesh's parent. Read at each step.
   */
  get space(): Object3D | undefined {
    return this.#space
  }

  set space(object: Object3D | undefined) {
    if (object !== undefined) checkObject('space', object)
    this.#space = object
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
   * that followed another object leave it. They are chosen as `pinned` chooses them when the cloth is made; a function of a
   * cloth made of a geometry is told where they are now.
   *
   * @throws LimberError `invalid-option` for a vertex that does not exist; nothing has changed
   */
  attach(vertices: Vertices, object: Object3D): void {
    this.pins.attach(vertices, object)
  }

  /** These vertices, or all, no longer follow an object: they stay pinned where it left them. */
  detach(vertices?: Vertices): void {
    this.pins.detach(vertices)
  }

  /** As in every simulation, and says for what is no option how it is changed instead. */
  override configure(partial: PartialOptions<ClothOptions>): void {
    const name = Object.keys(partial ?? {}).find((key) => Object.hasOwn(ELSEWHERE, key))
    if (name) {
      throw new LimberError('invalid-option', `${name} is no option that configure changes: ${ELSEWHERE[name]!}`)
    }
    super.configure(partial)
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
    if (this.#space) {
      this.#space.updateWorldMatrix(true, false)
      intoSpace.copy(this.#space.matrixWorld).invert()
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

/**
 * Vertices of a cloth made of a geometry, by where they are now. Not written where the cloth is made, as it would keep alive
 * all that the cloth was made of.
 */
const chooseNow: ClothSource['choose'] = (path, vertices, { positions, space, stats }) => {
  const position = new Vector3()
  return readMeshVertices(path, vertices, stats.vertices, (v) => {
    position.fromArray(positions, v * 3)
    return space ? position.applyMatrix4(space.matrixWorld) : position
  })
}

type Grid = { [K in keyof ClothGrid]: number }

/** `given` without what is undefined. */
function defined<T extends object>(given: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as typeof given & object
}

function isMirrored(matrix: Matrix4 | undefined): boolean {
  return matrix !== undefined && matrix.determinant() < 0
}

function vector(path: string, unit: string, given: VectorLike): number[] {
  const numbers = [0, 0, 0]
  readVector(path, given, numbers, 0, unit)
  return numbers
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
