import { Matrix4, Vector3, type Object3D } from 'three'
import { checkBackend, type Backend } from './backend.js'
import { Colliders, type Collider } from './colliders.js'
import { checkKeys, LimberError, settings, shown } from './error.js'
import { JIGGLE_BONES, type JiggleBonesChannels } from './generated/channels.js'
import {
  JIGGLE_BONES_OPTIONS_DEFAULTS,
  JIGGLE_CHAIN_OPTIONS_DEFAULTS,
  type JiggleBonesOptions,
  type JiggleChainOptions,
} from './generated/options.js'
import { layOut, type JiggleChainSetup, type Joint } from './jiggle-chains.js'
import { readVRM, type GLTFLike, type VRMOptions } from './jiggle-vrm.js'
import { Simulation, type PartialOptions, type SimulationStats } from './simulation.js'
import { checkMatrix, readVector, type VectorLike } from './vector.js'

/** What jiggle bones may be given when they are made, besides their options. */
export interface JiggleBonesSetup extends PartialOptions<JiggleBonesOptions> {
  /** Solids that every chain stays out of; a chain may have more of its own. */
  colliders?: Iterable<Collider> | undefined
  /** Velocity of the air, world, m/s; none unless set. {@link JiggleBones.wind} changes it. */
  wind?: VectorLike | undefined
  /** Acceleration of gravity, world, m/s²; (0, −4.32, 0), the sheet's, unless set. {@link JiggleBones.gravity} changes it. */
  gravity?: VectorLike | undefined
}

/** Counts and times of jiggle bones. */
export interface JiggleBonesStats extends SimulationStats {
  /** Bones that swing. */
  readonly bones: number
  /** Chains. */
  readonly chains: number
}

const KEYS = ['colliders', 'wind', 'gravity', ...Object.keys(JIGGLE_BONES_OPTIONS_DEFAULTS)]

/** What is not an option, and how it is changed instead. */
const ELSEWHERE: Record<string, string> = {
  wind: 'set jiggle.wind',
  gravity: 'set jiggle.gravity',
  colliders: 'use jiggle.colliders',
  chains: 'use jiggle.chains[i].configure()',
  enabled: 'set jiggle.enabled',
  paused: 'set jiggle.paused',
  timeScale: 'set jiggle.timeScale',
  ...Object.fromEntries(
    Object.keys(JIGGLE_CHAIN_OPTIONS_DEFAULTS)
      .filter((key) => !Object.hasOwn(JIGGLE_BONES_OPTIONS_DEFAULTS, key))
      .map((key) => [key, 'it is an option of a chain: jiggle.chains[i].configure()']),
  ),
}

/** Numbers of a row of four joints in `poses`, `rotations` and, of a block of four roots, in `parents`. */
const [POSE, ROTATION, MATRIX] = [40, 28, 48]

/**
 * What three.js keeps of a quaternion and of Euler angles. Setting the numbers themselves is what makes writing back cheap:
 * `quaternion.set` would have three.js work out the Euler angles of each bone, which costs more than simulating it (per
 * bone and frame, in Node: 8 ns as here, with angles that the core works out; 67 ns by `quaternion.set`).
 */
interface RawRotation {
  _x: number
  _y: number
  _z: number
  _w: number
  _onChangeCallback(): void
}
interface RawEuler {
  _x: number
  _y: number
  _z: number
  _order: string
}

/**
 * What is written to a bone is a float times this: off by a billionth, and so known again wherever it turns up, since no
 * float and hardly any other number is such a product. A mixer keeps the value that a bone had when an action began and gives
 * it back when the action ends: that is then no new pose, but a swing of long ago.
 */
const MARK = 1 + 2 ** -30

/** Whether Limber wrote this, now or earlier. */
function isOurs({ _x, _y, _z, _w }: RawRotation): boolean {
  return isMarked(_x) && isMarked(_y) && isMarked(_z) && isMarked(_w)
}

function isMarked(n: number): boolean {
  return n === Math.fround(n) * MARK
}

/** One chain of {@link JiggleBones}. */
export class JiggleChain {
  readonly #owner: JiggleBones

  /** @internal */
  constructor(
    owner: JiggleBones,
    /** Its place in {@link JiggleBones.chains}. */
    readonly index: number,
    /** Its bones, parents before children. */
    readonly bones: readonly Object3D[],
  ) {
    this.#owner = owner
  }

  /** The options in force; {@link configure} changes them. */
  get options(): Readonly<JiggleChainOptions> {
    return (this.#owner.options as JiggleBonesOptions & { chains: JiggleChainOptions[] }).chains[this.index]!
  }

  /** Changes some options while it runs. @throws LimberError `invalid-option` naming option and range; nothing has changed. */
  configure(partial: PartialOptions<JiggleChainOptions>): void {
    checkKeys('a chain', partial, Object.keys(JIGGLE_CHAIN_OPTIONS_DEFAULTS))
    this.#owner.configureChain(this.index, partial)
  }
}

/**
 * Bones that come late: ears, hair, tails, antennas, skirts.
 *
 * A tip is a point on a spring that is pulled to where the pose has it; the bone is turned towards it by the shortest
 * rotation. Call {@link step} after the mixer, or after your own posing, and before rendering: the pose of that moment is
 * what the bones spring back to. A bone that still holds what Limber wrote has an unchanged pose, so what is not animated
 * needs no resetting.
 *
 * @example
 * const jiggle = new JiggleBones(limber, [
 *   { bones: earLeft }, { bones: earRight }, { bones: tail, multiplier: 1.6 }, { bones: hair, multiplier: 1.3 },
 * ])
 * renderer.setAnimationLoop((time) => {
 *   timer.update(time)
 *   mixer.update(timer.getDelta())
 *   jiggle.step(timer.getDelta())
 *   renderer.render(scene, camera)
 * })
 */
export class JiggleBones extends Simulation<JiggleBonesOptions, JiggleBonesChannels> {
  /** Every bone that swings, parents before children. */
  readonly bones: readonly Object3D[]
  /** The chains, in the order in which they were given. */
  readonly chains: readonly JiggleChain[]
  /** Counts, and the milliseconds of a step. */
  readonly stats: JiggleBonesStats
  /**
   * `step` brings the world matrices above the chains up to date. Set it to `false` where you have just done so for the
   * whole scene, after posing it.
   */
  updateWorldMatrices = true

  readonly #joints: readonly Joint[]
  /** What the joints hold: lists of their own, so that a frame need not reach through the bones. */
  readonly #quaternions: readonly RawRotation[]
  readonly #eulers: readonly RawEuler[]
  readonly #positions: readonly Vector3[]
  readonly #scales: readonly Vector3[]
  readonly #colliders: Colliders
  readonly #wind: Vector3
  readonly #gravity: Vector3
  /** Objects above the roots, parents before children. */
  readonly #above: readonly Object3D[]
  /** What the roots hang on, and where that goes in `parents`. */
  readonly #roots: readonly { parent: Object3D | null; offset: number }[]
  readonly #centers: readonly Object3D[]
  /** Some chain feels only part of its centre's motion. */
  #centred = false
  /** Where each joint's numbers lie in `poses` and `rotations`. */
  readonly #poseAt: Uint32Array
  readonly #rotationAt: Uint32Array
  /** What each bone had before Limber wrote it: quaternion and Euler angles × joints. */
  readonly #own: Float64Array
  /** Joints that only lie between two that swing. */
  readonly #between: readonly number[]
  #enabled = true

  /**
   * Jiggle bones of chains: a root bone with all bones below it, a list of bones, or either with options.
   *
   * @throws LimberError `invalid-option` naming the option and its range; nothing has been allocated then
   */
  constructor(
    backend: Backend,
    chains: Iterable<Object3D | readonly Object3D[] | JiggleChainSetup>,
    setup: JiggleBonesSetup = {},
  ) {
    checkBackend(backend)
    checkKeys('JiggleBones', setup, KEYS, 'setup')
    const { colliders, wind, gravity, ...options } = setup
    const layout = layOut(chains)
    const order = settings({ ...options, ...(Object.keys(layout.options).length && { chains: layout.options }) })
    backend.check(JIGGLE_BONES.kind, order)
    const rate = Math.max(...layout.setups.map((chain) => chain.rate ?? JIGGLE_CHAIN_OPTIONS_DEFAULTS.rate))
    super(backend, {
      name: 'JiggleBones',
      technique: JIGGLE_BONES,
      fixedStep: 1 / rate,
      maxSteps: Math.floor(rate / 15 + 1e-6),
      order,
      reals: layout.reals,
      indices: layout.indices,
    })
    try {
      const { views } = this
      this.#joints = layout.joints
      this.#quaternions = layout.joints.map(({ bone }) => bone.quaternion as unknown as RawRotation)
      this.#eulers = layout.joints.map(({ bone }) => bone.rotation as unknown as RawEuler)
      this.#positions = layout.joints.map(({ bone }) => bone.position)
      this.#scales = layout.joints.map(({ bone }) => bone.scale)
      this.bones = Object.freeze(layout.joints.filter((joint) => !joint.between).map((joint) => joint.bone))
      this.chains = Object.freeze(
        layout.setups.map(
          (_, index) =>
            new JiggleChain(
              this,
              index,
              Object.freeze(
                layout.joints.filter((joint) => joint.chain === index && !joint.between).map((joint) => joint.bone),
              ),
            ),
        ),
      )
      this.stats = { bones: this.bones.length, chains: this.chains.length, milliseconds: 0 }
      this.#poseAt = views.slots.map((slot) => (slot >> 2) * POSE + (slot & 3))
      this.#rotationAt = views.slots.map((slot) => (slot >> 2) * ROTATION + (slot & 3))
      this.#roots = Array.from({ length: views.roots.length / 2 }, (_, i) => {
        const slot = views.roots[i * 2 + 1]!
        return {
          parent: layout.joints[views.roots[i * 2]!]!.bone.parent,
          offset: (slot >> 2) * MATRIX + (slot & 3),
        }
      })
      this.#above = above(this.#roots.flatMap(({ parent }) => parent ?? []))
      this.#centers = layout.centers
      this.#own = new Float64Array(layout.joints.length * 7)
      this.#between = layout.joints.flatMap((joint, j) => (joint.between ? [j] : []))
      this.register([])

      this.#colliders = new Colliders({
        views,
        chains: this.chains.length,
        checkAlive: () => void this.handle,
        setColliders: (payload, chains) => {
          this.command(JIGGLE_BONES.commands.setColliders, payload)
          const pairs = chains.flatMap((some, collider) => (some ?? []).flatMap((chain) => [collider, chain]))
          if (pairs.length) this.command(JIGGLE_BONES.commands.setColliderChains, Float32Array.from(pairs))
        },
      })
      this.#colliders.replace(owned(colliders ?? [], layout.setups))
      this.#wind = new Vector3().fromArray(views.wind)
      this.#gravity = new Vector3().fromArray(views.gravity)
      if (wind !== undefined) this.wind = wind
      if (gravity !== undefined) this.gravity = gravity
      this.#readOptions()
      this.#takePoses(true)
    } catch (error) {
      super.dispose()
      throw error
    }
  }

  /**
   * The springs of a VRM file: VRM 1.0 (`VRMC_springBone` with its extended colliders and limits) or VRM 0.x, of what
   * `GLTFLoader` gives, without any VRM library. They follow the standard's arithmetic: 60 steps a second, the rest pose is
   * that of the file.
   *
   * For a clone (`SkeletonUtils.clone(gltf.scene)`) say so by `root`.
   *
   * @throws LimberError `invalid-input` where the file has no springs, or broken ones
   */
  static fromGLTF(backend: Backend, gltf: GLTFLike, setup: JiggleBonesSetup & VRMOptions = {}): JiggleBones {
    const { root, ...options } = setup
    const { chains, gravity } = readVRM(gltf, root)
    return new JiggleBones(backend, chains, { gravity, ...options })
  }

  /**
   * Whether bones swing. `false` gives every bone back the pose that it had or was given, exactly, and `step` then leaves
   * them alone; time stands still. Set to `true` again, they begin at rest.
   */
  get enabled(): boolean {
    return this.#enabled
  }

  set enabled(value: boolean) {
    const { handle } = this
    if (typeof value !== 'boolean') {
      throw new LimberError('invalid-option', `enabled must be true or false, got ${shown(value)}`)
    }
    if (value === this.#enabled) return
    this.#takePoses(false)
    if (value) this.backend.command(handle, JIGGLE_BONES.commands.settle, new Float32Array(0))
    else this.#giveAllBack()
    this.#enabled = value
  }

  /** Velocity of the air, world, m/s; read at each step. What is assigned is copied into it. */
  get wind(): Vector3 {
    return this.#wind
  }

  set wind(value: VectorLike) {
    readVector('wind', value, scratch, 0, 'm/s')
    this.#wind.fromArray(scratch)
  }

  /** Acceleration of gravity, world, m/s²; read at each step. What is assigned is copied into it. */
  get gravity(): Vector3 {
    return this.#gravity
  }

  set gravity(value: VectorLike) {
    readVector('gravity', value, scratch, 0, 'm/s²')
    this.#gravity.fromArray(scratch)
  }

  /** Solids that the tips stay out of. A list that is assigned replaces them all, those of single chains too. */
  get colliders(): Colliders {
    return this.#colliders
  }

  set colliders(colliders: Iterable<Collider>) {
    this.#colliders.replace(colliders)
  }

  /** Where the tips are drawn: `[x, y, z] × bones`, world, metres. Worked out when it is read. */
  get tips(): Float32Array<ArrayBuffer> {
    const all = this.readTips()
    const tips = new Float32Array(this.bones.length * 3)
    for (let i = 0; i < this.bones.length; i++) tips.set(all.subarray(i * 7 + 3, i * 7 + 6), i * 3)
    return tips
  }

  /** @internal `[head x, y, z, tip x, y, z, radius] × bones`, as drawn. */
  readTips(): Float32Array<ArrayBuffer> {
    const { handle } = this
    this.writeInputs()
    const all = this.backend.command(handle, JIGGLE_BONES.commands.readTips, new Float32Array(0))
    const bones = this.#joints.flatMap((joint, j) => (joint.between ? [] : [...all.subarray(j * 7, j * 7 + 7)]))
    return Float32Array.from(bones)
  }

  /** As in every simulation, and says for what is no option how it is changed instead. */
  override configure(partial: PartialOptions<JiggleBonesOptions>): void {
    const name = Object.keys(partial ?? {}).find((key) => Object.hasOwn(ELSEWHERE, key))
    if (name) {
      throw new LimberError('invalid-option', `${name} is no option that configure changes: ${ELSEWHERE[name]!}`)
    }
    super.configure(partial)
  }

  /** @internal */
  configureChain(index: number, partial: PartialOptions<JiggleChainOptions>): void {
    // What it may follow from now on is to be known where it is.
    if (partial.inertia !== undefined) this.#writeCenters()
    if (Object.keys(partial).length) super.configure({ chains: { [index]: partial } } as PartialOptions<object>)
    this.#readOptions()
  }

  /** Every tip at rest in the pose of the next step; time begins anew. */
  override reset(): void {
    this.#takePoses(false)
    super.reset()
  }

  /**
   * Moves the tips by a world matrix, without any swing: by what the character is moved. Without a matrix, each chain is
   * carried along with its root in the next step, wherever that is then.
   *
   * @throws LimberError `invalid-option` for what is no `Matrix4`; `invalid-input` for one that cannot be inverted
   */
  override teleport(matrix?: Matrix4): void {
    if (matrix !== undefined) checkMatrix('matrix', matrix)
    this.#takePoses(false)
    if (matrix) super.teleport(matrix)
    else this.backend.command(this.handle, JIGGLE_BONES.commands.carry, new Float32Array(0))
  }

  /** As in every simulation; inputs come back too: poses, wind, gravity and colliders that follow nothing. */
  override restore(bytes: Uint8Array): void {
    this.#takePoses(false)
    super.restore(bytes)
    this.wind.fromArray(this.views.wind)
    this.gravity.fromArray(this.views.gravity)
    this.colliders.reread()
  }

  override step(dt?: number): number {
    if (!this.#enabled) {
      this.#takePoses(false)
      this.#giveAllBack()
      return super.step(0)
    }
    return super.step(dt)
  }

  override stepAsync(dt?: number): Promise<number> {
    return this.#enabled ? super.stepAsync(dt) : Promise.resolve(this.step(dt))
  }

  /** Frees it at once, and gives every bone back the pose that it had or was given. */
  override dispose(): void {
    if (!this.disposed) {
      this.#takePoses(false)
      this.#giveAllBack()
    }
    super.dispose()
  }

  protected writeInputs(): void {
    const { parents, wind, gravity } = this.views
    this.#wind.toArray(wind)
    this.#gravity.toArray(gravity)
    if (this.updateWorldMatrices) for (const object of this.#above) object.updateWorldMatrix(false, false)
    for (const { parent, offset } of this.#roots) writeMatrix(parent, parents, offset)
    if (this.#centred) this.#writeCenters()
    this.#takePoses(false)
    this.#colliders.update()
  }

  protected readOutputs(): void {
    if (!this.#enabled) return
    const { rotations } = this.views
    const at = this.#rotationAt
    const quaternions = this.#quaternions
    const eulers = this.#eulers
    for (let j = 0; j < at.length; j++) {
      const from = at[j]!
      const q = quaternions[j]!
      q._x = rotations[from]! * MARK
      q._y = rotations[from + 4]! * MARK
      q._z = rotations[from + 8]! * MARK
      q._w = rotations[from + 12]! * MARK
      const euler = eulers[j]!
      if (euler._order === 'XYZ') {
        euler._x = rotations[from + 16]!
        euler._y = rotations[from + 20]!
        euler._z = rotations[from + 24]!
      } else {
        q._onChangeCallback()
      }
    }
    // What only lies between keeps what it holds, to the last bit.
    for (const j of this.#between) this.#giveBack(j)
  }

  protected rebound(): void {}

  protected divergences(): number {
    return this.views.status[0]!
  }

  /** What the bones hold now: their poses, where that is not what was written to them. */
  #takePoses(all: boolean): void {
    const { poses, rotations } = this.views
    const quaternions = this.#quaternions
    const positions = this.#positions
    const scales = this.#scales
    for (let j = 0; j < quaternions.length; j++) {
      const q = quaternions[j]!
      const out = this.#rotationAt[j]!
      const same =
        q._x === rotations[out]! * MARK &&
        q._y === rotations[out + 4]! * MARK &&
        q._z === rotations[out + 8]! * MARK &&
        q._w === rotations[out + 12]! * MARK
      if (all || !(same || isOurs(q))) this.#takeRotation(j)
      const at = this.#poseAt[j]!
      const position = positions[j]!
      poses[at] = position.x
      poses[at + 4] = position.y
      poses[at + 8] = position.z
      const scale = scales[j]!
      poses[at + 28] = scale.x
      poses[at + 32] = scale.y
      poses[at + 36] = scale.z
    }
  }

  #takeRotation(j: number): void {
    const { poses } = this.views
    const { bone, bind } = this.#joints[j]!
    const { quaternion, rotation } = bone
    const own = this.#own
    own[j * 7] = quaternion.x
    own[j * 7 + 1] = quaternion.y
    own[j * 7 + 2] = quaternion.z
    own[j * 7 + 3] = quaternion.w
    own[j * 7 + 4] = rotation.x
    own[j * 7 + 5] = rotation.y
    own[j * 7 + 6] = rotation.z
    const rest = bind ?? quaternion
    const at = this.#poseAt[j]!
    poses[at + 12] = rest.x
    poses[at + 16] = rest.y
    poses[at + 20] = rest.z
    poses[at + 24] = rest.w
  }

  /** Gives joint `j` back what it held. */
  #giveBack(j: number): void {
    const own = this.#own
    const q = this.#quaternions[j]!
    q._x = own[j * 7]!
    q._y = own[j * 7 + 1]!
    q._z = own[j * 7 + 2]!
    q._w = own[j * 7 + 3]!
    const euler = this.#eulers[j]!
    euler._x = own[j * 7 + 4]!
    euler._y = own[j * 7 + 5]!
    euler._z = own[j * 7 + 6]!
  }

  #giveAllBack(): void {
    for (let j = 0; j < this.#joints.length; j++) this.#giveBack(j)
  }

  #writeCenters(): void {
    const { centers } = this.views
    for (let i = 0; i < this.#centers.length; i++) {
      const center = this.#centers[i]!
      if (this.updateWorldMatrices) center.updateWorldMatrix(true, false)
      writeMatrix(center, centers, (i >> 2) * MATRIX + (i & 3))
    }
  }

  #readOptions(): void {
    this.#centred = this.chains.some((chain) => chain.options.inertia < 1)
    if (this.#centred) this.#writeCenters()
  }
}

const scratch = /* @__PURE__ */ new Float64Array(3)
const identity = /* @__PURE__ */ new Matrix4()

/** The upper three rows of the world matrix of `object`, four numbers apart. */
function writeMatrix(object: Object3D | null, out: Float32Array, offset: number): void {
  const e = (object?.matrixWorld ?? identity).elements
  out[offset] = e[0]!
  out[offset + 4] = e[1]!
  out[offset + 8] = e[2]!
  out[offset + 12] = e[4]!
  out[offset + 16] = e[5]!
  out[offset + 20] = e[6]!
  out[offset + 24] = e[8]!
  out[offset + 28] = e[9]!
  out[offset + 32] = e[10]!
  out[offset + 36] = e[12]!
  out[offset + 40] = e[13]!
  out[offset + 44] = e[14]!
}

/** `objects` and all above them, each once, parents before children. */
function above(objects: readonly Object3D[]): Object3D[] {
  const known = new Set<Object3D>()
  for (const object of objects) {
    const line: Object3D[] = []
    for (let o: Object3D | null = object; o && !known.has(o); o = o.parent) line.push(o)
    for (const o of line.reverse()) known.add(o)
  }
  return [...known]
}

/** All colliders, each once, with the chains that meet it. */
function owned(all: Iterable<Collider>, setups: readonly JiggleChainSetup[]): Collider[] {
  const chains = new Map<Collider, number[]>()
  setups.forEach((setup, index) => {
    for (const collider of setup.colliders ?? []) {
      const list = chains.get(collider)
      if (list) list.push(index)
      else chains.set(collider, [index])
    }
  })
  const everywhere = [...all]
  for (const collider of everywhere) chains.delete(collider)
  return [...everywhere, ...[...chains].map(([collider, list]) => ({ ...collider, chains: list }))]
}
