import { Euler, Matrix4, Quaternion, Vector3, type Object3D } from 'three'
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
import { isIterable } from './vertices.js'

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
 * What is written to a bone is a float times 1 + n · 2⁻³⁰: off by a few billionths, and so known again wherever it turns up,
 * since no float and hardly any other number is such a product. A mixer keeps the value that a bone had when an action began
 * and gives it back when the action ends: that is then no new pose, but a swing of long ago, and n says about which pose.
 */
const MARK = 2 ** -30
/** Most that n may be: with more, rounding to a float would not give the float back. */
const MARKS = 16
/** Poses of a bone that are known again: the one that it was made with, and the last ones that it held for longer than a frame. */
const KEPT = 4
/** Numbers of a pose: quaternion and Euler angles. */
const OWN = 7

/** By which n Limber marked this, now or earlier; 0 for what it did not write. */
function markOf(q: RawRotation): number {
  const some = q._x || q._y || q._z || q._w
  const n = (some / Math.fround(some) - 1) / MARK
  if (!(n > 0.5 && n < MARKS + 0.5)) return 0
  return checkedMark(q, Math.round(n))
}

function checkedMark({ _x, _y, _z, _w }: RawRotation, n: number): number {
  const mark = 1 + n * MARK
  const ours = isMarked(_x, mark) && isMarked(_y, mark) && isMarked(_z, mark) && isMarked(_w, mark)
  return ours ? n : 0
}

function isMarked(v: number, mark: number): boolean {
  return v === Math.fround(v) * mark
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
    this.#owner.configureChain(this.index, partial)
  }
}

/**
 * Bones that come late: ears, hair, tails, antennas, skirts.
 *
 * A tip is a point on a spring that is pulled to where the pose has it; the bone is turned towards it by the shortest
 * rotation. Call {@link step} after the mixer, or after your own posing, and before rendering: the pose of that moment is
 * what the bones spring back to. A bone that still holds what Limber wrote has an unchanged pose, so what is not animated
 * needs no resetting; and when an action of a mixer stops, the pose from before it is back.
 *
 * A mixer blends actions that weigh less than 1, and additive ones, with what a bone held when the first of them was played: a
 * swing, if it swung. Play such actions before the first step, or while {@link enabled} is `false`.
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
  /** Objects above the roots, parents before children, and what each hung on when this was looked up. */
  #above: readonly Hung[] = []
  /** Bones that hang on nothing simulated, what that was likewise, and where its matrix goes in `parents`. */
  readonly #roots: readonly (Hung & { readonly offset: number })[]
  readonly #centers: readonly Object3D[]
  /** Some chain feels only part of its centre's motion. */
  #centred = false
  /** Where each joint's numbers lie in `poses` and `rotations`. */
  readonly #poseAt: Uint32Array
  readonly #rotationAt: Uint32Array
  /** What each bone had before Limber wrote it, its last poses of that kind: numbers of a pose × kept × joints. */
  readonly #own: Float64Array
  /** By which n each of them is marked, and which one each joint has now. */
  readonly #marks: Uint8Array
  readonly #slots: Uint8Array
  /** That one's factor. */
  readonly #factors: Float64Array
  /** How many there have been, and whether the one of now has been held for longer than a frame. */
  readonly #counts: Uint8Array
  readonly #held: Uint8Array
  /** 1 for joints that only lie between two that swing. They are read, and never written: they may be another's. */
  readonly #between: Uint8Array
  #enabled = true
  /** It has just been enabled: the next call has nothing to interpolate from. */
  #begins = false
  /** How many calls run elsewhere: poses may change until they are back. */
  #away = 0

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
    const rate = layout.setups.reduce((most, own) => Math.max(most, own.rate ?? JIGGLE_CHAIN_OPTIONS_DEFAULTS.rate), 0)
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
      const bones = layout.setups.map((): Object3D[] => [])
      for (const { bone, chain, between } of layout.joints) if (!between) bones[chain]!.push(bone)
      this.chains = Object.freeze(bones.map((own, index) => new JiggleChain(this, index, Object.freeze(own))))
      this.stats = { bones: this.bones.length, chains: this.chains.length, milliseconds: 0 }
      this.#poseAt = views.slots.map((slot) => (slot >> 2) * POSE + (slot & 3))
      this.#rotationAt = views.slots.map((slot) => (slot >> 2) * ROTATION + (slot & 3))
      this.#roots = Array.from({ length: views.roots.length / 2 }, (_, i) => {
        const slot = views.roots[i * 2 + 1]!
        const object = layout.joints[views.roots[i * 2]!]!.bone
        return { object, parent: object.parent, offset: (slot >> 2) * MATRIX + (slot & 3) }
      })
      this.#lookUp()
      this.#centers = layout.centers
      const count = layout.joints.length
      this.#own = new Float64Array(count * KEPT * OWN)
      this.#marks = new Uint8Array(count * KEPT)
      this.#slots = new Uint8Array(count)
      this.#factors = new Float64Array(count)
      this.#counts = new Uint8Array(count)
      this.#held = new Uint8Array(count)
      this.#between = Uint8Array.from(layout.joints, ({ between }) => Number(between))
      this.register([])

      this.#colliders = new Colliders({
        views,
        chains: this.chains.length,
        checkAlive: () => void this.handle,
        setColliders: (payload, chains) => {
          const idle = chains.findIndex((some) => some?.length === 0)
          if (idle >= 0) {
            throw new LimberError(
              'invalid-option',
              `colliders[${idle}].chains must name a chain that meets it, got an array of 0: leave the collider out`,
            )
          }
          this.command(JIGGLE_BONES.commands.setColliders, payload)
          const pairs = chains.flatMap((some, collider) => (some ?? []).flatMap((chain) => [collider, chain]))
          if (pairs.length) this.command(JIGGLE_BONES.commands.setColliderChains, Float32Array.from(pairs))
        },
      })
      this.#setAll(colliders, layout.setups)
      this.#wind = new Vector3().fromArray(views.wind)
      this.#gravity = new Vector3().fromArray(views.gravity)
      if (wind !== undefined) this.wind = wind
      if (gravity !== undefined) this.gravity = gravity
      this.#readOptions()
      for (let j = 0; j < count; j++) if (!this.#between[j]) this.#takeFirst(j)
      this.#takePoses()
      // What is shown before the first step is what the bones hold.
      backend.reset(this.handle)
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
   * For a clone (`SkeletonUtils.clone(gltf.scene)`) say so by `root`. It has the pose that was cloned: clone what does not
   * swing yet, or while it is not {@link enabled}.
   *
   * @throws LimberError `invalid-input` where the file has no springs, or broken ones
   */
  static fromGLTF(backend: Backend, gltf: GLTFLike, setup: JiggleBonesSetup & VRMOptions = {}): JiggleBones {
    checkKeys('fromGLTF', setup, ['root', ...KEYS], 'setup')
    const { root, ...options } = setup
    const { chains, gravity } = readVRM(gltf, root)
    try {
      return new JiggleBones(backend, chains, { gravity, ...options })
    } catch (error) {
      // The chains are the file's, so what is wrong with them is no option of the caller's.
      if (!(error instanceof LimberError && /^(chains\b|tip of )/.test(error.message))) throw error
      throw new LimberError('invalid-input', `the file's springs: ${error.message}`, { cause: error })
    }
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
    this.#takePoses()
    if (value) this.backend.command(handle, JIGGLE_BONES.commands.settle, new Float32Array(0))
    else this.#giveAllBack()
    this.#enabled = this.#begins = value
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
    void this.handle
    const name = Object.keys(partial ?? {}).find((key) => Object.hasOwn(ELSEWHERE, key))
    if (name) {
      throw new LimberError('invalid-option', `${name} is no option that configure changes: ${ELSEWHERE[name]!}`)
    }
    super.configure(partial)
  }

  /** @internal */
  configureChain(index: number, partial: PartialOptions<JiggleChainOptions>): void {
    void this.handle
    checkKeys('a chain', partial, Object.keys(JIGGLE_CHAIN_OPTIONS_DEFAULTS))
    // What it may follow from now on is to be known where it is.
    if (partial.inertia !== undefined) this.#writeCenters()
    if (Object.keys(partial).length) super.configure({ chains: { [index]: partial } } as PartialOptions<object>)
    this.#readOptions()
  }

  /** Every tip at rest in the pose of the next step; time begins anew. */
  override reset(): void {
    void this.handle
    this.#takePoses()
    super.reset()
  }

  /**
   * Moves the tips by a world matrix, without any swing: by what the character is moved. Without a matrix, each chain is
   * carried along with its root in the next step, wherever that is then.
   *
   * @throws LimberError `invalid-option` for what is no `Matrix4`; `invalid-input` for one that cannot be inverted
   */
  override teleport(matrix?: Matrix4): void {
    const { handle } = this
    if (matrix !== undefined) checkMatrix('matrix', matrix)
    this.#takePoses()
    if (matrix) super.teleport(matrix)
    else this.backend.command(handle, JIGGLE_BONES.commands.carry, new Float32Array(0))
  }

  /** As in every simulation; inputs come back too: poses, wind, gravity and colliders that follow nothing. */
  override restore(bytes: Uint8Array): void {
    void this.handle
    this.#takePoses()
    super.restore(bytes)
    for (let j = 0; j < this.#quaternions.length; j++) this.#rereadRotation(j)
    if (this.#enabled) this.readOutputs()
    else this.#giveAllBack()
    this.wind.fromArray(this.views.wind)
    this.gravity.fromArray(this.views.gravity)
    this.colliders.reread()
  }

  override step(dt?: number): number {
    if (this.#enabled) return super.step(dt)
    void this.handle
    this.#takePoses()
    this.#giveAllBack()
    return 0
  }

  override async stepAsync(dt?: number): Promise<number> {
    if (!this.#enabled) return this.step(dt)
    this.#away += 1
    try {
      return await super.stepAsync(dt)
    } finally {
      this.#away -= 1
    }
  }

  /** Frees it at once, and gives every bone back the pose that it had or was given. */
  override dispose(): void {
    if (!this.disposed) {
      this.#takePoses()
      this.#giveAllBack()
    }
    super.dispose()
  }

  protected writeInputs(): void {
    const { parents, wind, gravity } = this.views
    this.#wind.toArray(wind)
    this.#gravity.toArray(gravity)
    if (haveMoved(this.#above) || haveMoved(this.#roots)) this.#lookUp()
    if (this.updateWorldMatrices) for (const { object } of this.#above) object.updateWorldMatrix(false, false)
    for (const { object, offset } of this.#roots) writeMatrix(object.parent, parents, offset)
    if (this.#centred) this.#writeCenters()
    this.#takePoses()
    this.#colliders.update()
    if (this.#begins) {
      // A call of no time takes the inputs of now as those of the last frame.
      this.backend.advance(this.handle, 0)
      this.#begins = false
    }
  }

  protected readOutputs(): void {
    if (!this.#enabled) return
    const { rotations } = this.views
    const at = this.#rotationAt
    const quaternions = this.#quaternions
    const eulers = this.#eulers
    const between = this.#between
    const factors = this.#factors
    const away = this.#away > 0
    for (let j = 0; j < at.length; j++) {
      if (between[j]) continue
      const from = at[j]!
      const q = quaternions[j]!
      // Whatever it was given while the step ran elsewhere.
      if (away && !markOf(q)) this.#takeRotation(j)
      const mark = factors[j]!
      q._x = rotations[from]! * mark
      q._y = rotations[from + 4]! * mark
      q._z = rotations[from + 8]! * mark
      q._w = rotations[from + 12]! * mark
      const euler = eulers[j]!
      if (euler._order === 'XYZ') {
        euler._x = rotations[from + 16]!
        euler._y = rotations[from + 20]!
        euler._z = rotations[from + 24]!
      } else {
        q._onChangeCallback()
      }
    }
  }

  protected rebound(): void {}

  protected divergences(): number {
    return this.views.status[0]!
  }

  /** What the bones hold now: their poses, where that is not what was written to them. */
  #takePoses(): void {
    const { poses, rotations } = this.views
    const quaternions = this.#quaternions
    const positions = this.#positions
    const scales = this.#scales
    const factors = this.#factors
    for (let j = 0; j < quaternions.length; j++) {
      const q = quaternions[j]!
      const out = this.#rotationAt[j]!
      const mark = factors[j]!
      if (
        q._x === rotations[out]! * mark &&
        q._y === rotations[out + 4]! * mark &&
        q._z === rotations[out + 8]! * mark &&
        q._w === rotations[out + 12]! * mark
      ) {
        this.#held[j] = 1
      } else {
        this.#takeRotation(j)
      }
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

  /** Takes what joint `j` has when this is made. */
  #takeFirst(j: number): void {
    this.#marks[j * KEPT] = 1
    this.#factors[j] = 1 + MARK
    this.#writeOwn(j)
    this.#held[j] = 1
  }

  /** Takes what joint `j` holds and Limber has not just written: a new pose, or an earlier one's swing. */
  #takeRotation(j: number): void {
    const q = this.#quaternions[j]!
    if (this.#between[j]) {
      this.#writeRest(j, q._x, q._y, q._z, q._w)
      return
    }
    const n = markOf(q)
    if (n) {
      this.#returnTo(j, n)
      return
    }
    if (this.#held[j]) {
      const own = this.#own
      const at = this.#ownAt(j)
      const other = own[at] !== q._x || own[at + 1] !== q._y || own[at + 2] !== q._z || own[at + 3] !== q._w
      if (other) this.#makeRoom(j)
    }
    this.#writeOwn(j)
  }

  /** A pose that was held is kept: some mixer may bring it back. */
  #makeRoom(j: number): void {
    this.#held[j] = 0
    let slot = this.#slots[j]!
    let count = this.#counts[j]!
    do count = (count + 1) % (MARKS - 1)
    while (1 + (count % (KEPT - 1)) === slot)
    slot = 1 + (count % (KEPT - 1))
    this.#counts[j] = count
    this.#slots[j] = slot
    this.#marks[j * KEPT + slot] = count + 2
    this.#factors[j] = 1 + (count + 2) * MARK
  }

  /** Back to the pose whose swing was marked by `n`, where it is still known. */
  #returnTo(j: number, n: number): void {
    for (let slot = 0; slot < KEPT; slot++) {
      if (this.#marks[j * KEPT + slot] !== n || slot === this.#slots[j]) continue
      this.#slots[j] = slot
      this.#factors[j] = 1 + n * MARK
      this.#held[j] = 1
      const own = this.#own
      const at = this.#ownAt(j)
      if (!this.#joints[j]!.bind) this.#writeRest(j, own[at]!, own[at + 1]!, own[at + 2]!, own[at + 3]!)
      return
    }
  }

  #ownAt(j: number): number {
    return (j * KEPT + this.#slots[j]!) * OWN
  }

  /** What joint `j` holds becomes its own pose. */
  #writeOwn(j: number): void {
    const own = this.#own
    const at = this.#ownAt(j)
    const q = this.#quaternions[j]!
    own[at] = q._x
    own[at + 1] = q._y
    own[at + 2] = q._z
    own[at + 3] = q._w
    const euler = this.#eulers[j]!
    own[at + 4] = euler._x
    own[at + 5] = euler._y
    own[at + 6] = euler._z
    // With a rest of its own it springs back to that instead.
    const rest = (this.#joints[j]!.bind as unknown as RawRotation | undefined) ?? q
    this.#writeRest(j, rest._x, rest._y, rest._z, rest._w)
  }

  #writeRest(j: number, x: number, y: number, z: number, w: number): void {
    const { poses } = this.views
    const at = this.#poseAt[j]!
    poses[at + 12] = x
    poses[at + 16] = y
    poses[at + 20] = z
    poses[at + 24] = w
  }

  /** Takes over the pose that the core has of joint `j`, where it is another. */
  #rereadRotation(j: number): void {
    const { bone, bind, between } = this.#joints[j]!
    if (bind || between) return
    const { poses } = this.views
    const own = this.#own
    const from = this.#poseAt[j]! + 12
    let at = this.#ownAt(j)
    let same = true
    for (let i = 0; i < 4; i++) same &&= Math.fround(own[at + i]!) === poses[from + i * 4]
    if (same) return
    if (this.#held[j]) this.#makeRoom(j)
    at = this.#ownAt(j)
    for (let i = 0; i < 4; i++) own[at + i] = poses[from + i * 4]!
    angles.setFromQuaternion(turn.fromArray(own, at), bone.rotation.order)
    own[at + 4] = angles.x
    own[at + 5] = angles.y
    own[at + 6] = angles.z
  }

  #giveAllBack(): void {
    const own = this.#own
    for (let j = 0; j < this.#joints.length; j++) {
      if (this.#between[j]) continue
      const at = this.#ownAt(j)
      const q = this.#quaternions[j]!
      q._x = own[at]!
      q._y = own[at + 1]!
      q._z = own[at + 2]!
      q._w = own[at + 3]!
      const euler = this.#eulers[j]!
      euler._x = own[at + 4]!
      euler._y = own[at + 5]!
      euler._z = own[at + 6]!
    }
  }

  /** Finds out what the roots hang on. */
  #lookUp(): void {
    for (const root of this.#roots) root.parent = root.object.parent
    this.#above = above(this.#roots.flatMap(({ parent }) => parent ?? []))
  }

  /** Sets the colliders of all and of single chains. */
  #setAll(all: Iterable<Collider> | undefined, setups: readonly JiggleChainSetup[]): void {
    const { list, paths } = owned(all, setups)
    try {
      this.#colliders.replace(list)
    } catch (error) {
      if (!(error instanceof LimberError)) throw error
      const message = error.message.replace(/colliders\[(\d+)\]/, (name, i: string) => paths.get(Number(i)) ?? name)
      throw new LimberError(error.code, message)
    }
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
const turn = /* @__PURE__ */ new Quaternion()
const angles = /* @__PURE__ */ new Euler()
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

/** An object, and what it hung on when that was last looked up. */
interface Hung {
  readonly object: Object3D
  parent: Object3D | null
}

/** Whether some of them hang on something else by now. */
function haveMoved(all: readonly Hung[]): boolean {
  for (const { object, parent } of all) if (object.parent !== parent) return true
  return false
}

/** `objects` and all above them, each once, parents before children. */
function above(objects: readonly Object3D[]): Hung[] {
  const known = new Set<Object3D>()
  for (const object of objects) {
    const line: Object3D[] = []
    for (let o: Object3D | null = object; o && !known.has(o); o = o.parent) line.push(o)
    for (const o of line.reverse()) known.add(o)
  }
  return Array.from(known, (object) => ({ object, parent: object.parent }))
}

/** All colliders, each once, with the chains that meet it; and what those of chains are called, by their place. */
function owned(
  all: Iterable<Collider> | undefined,
  setups: readonly JiggleChainSetup[],
): { list: Iterable<Collider>; paths: Map<number, string> } {
  const paths = new Map<number, string>()
  // What is no list is refused where it is set.
  if (all !== undefined && !isIterable(all)) return { list: all, paths }
  const list = [...(all ?? [])]
  const everywhere = new Set(list)
  const chains = new Map<Collider, number[]>()
  setups.forEach((setup, index) => {
    ;[...(setup.colliders ?? [])].forEach((collider, i) => {
      if (everywhere.has(collider)) return
      const path = `chains[${index}].colliders[${i}]`
      if (collider?.chains !== undefined) {
        throw new LimberError('invalid-option', `${path}.chains must be left out: it is for the chains that have it`)
      }
      const met = chains.get(collider)
      if (met) {
        if (met.at(-1) !== index) met.push(index)
        return
      }
      paths.set(list.length + chains.size, path)
      chains.set(collider, [index])
    })
  })
  for (const [collider, met] of chains) list.push({ ...collider, chains: met })
  return { list, paths }
}
