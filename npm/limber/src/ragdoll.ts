import { Matrix4, Quaternion, Vector3, type Object3D, type Scene, type SkinnedMesh } from 'three'
import { checkBackend, type Backend } from './backend.js'
import { Colliders, type Collider } from './colliders.js'
import { checkFunction, checkKeys, checkNumber, LimberError, settings, shown } from './error.js'
import { RAGDOLL, type RagdollChannels } from './generated/channels.js'
import { RAGDOLL_OPTIONS_DEFAULTS, type RagdollOptions } from './generated/options.js'
import { humanoidSetup } from './ragdoll-humanoid.js'
import {
  layOutRagdoll,
  type PlacedLimit,
  type RagdollBodySetup,
  type RagdollLayout,
  type RagdollParts,
} from './ragdoll-layout.js'
import { mapHumanoid } from './ragdoll-map.js'
import { objectsAbove, RagdollPoses } from './ragdoll-poses.js'
import type { HumanoidBone, HumanoidMap } from './ragdoll-setup.js'
import { Simulation, type PartialOptions, type SimulationStats } from './simulation.js'
import { checkObject, FAR, readVector, type VectorLike } from './vector.js'

/** What a body does: follows its pose, falls, or blends from where it fell back to its pose. */
export type RagdollState = 'animated' | 'limp' | 'gettingUp'

/** Where the chest of a body looks. */
export type RagdollFacing = 'up' | 'down' | 'side'

/** What a ragdoll is made of, and its options. */
export interface RagdollSetup extends RagdollParts, PartialOptions<RagdollOptions> {
  /** Solids that bodies stay out of. */
  colliders?: Iterable<Collider> | undefined
  /** Acceleration of gravity, world, m/s²; (0, −9.8, 0) unless set. {@link Ragdoll.gravity} changes it. */
  gravity?: VectorLike | undefined
}

/** What `fromSkeleton` may be given besides the options. */
export interface RagdollSkeletonSetup extends PartialOptions<RagdollOptions> {
  /** Which bone is which. What it does not name is found by the names of the bones; `'auto'`, unless set, finds all. */
  map?: 'auto' | HumanoidMap | undefined
  /** What `getUp` moves under the hips: the whole character unless set. For several bodies, a list. */
  root?: Object3D | readonly Object3D[] | undefined
  /** Mass of the whole body, kg; 70 unless set. */
  mass?: number | undefined
  /** Solids that bodies stay out of. */
  colliders?: Iterable<Collider> | undefined
  /** Acceleration of gravity, world, m/s²; (0, −9.8, 0) unless set. */
  gravity?: VectorLike | undefined
}

/** A blow: where, how hard, how far it reaches. */
export interface RagdollHit {
  /** World, metres. */
  point: VectorLike
  /** Velocity that a point right there gains, m/s. */
  impulse: VectorLike
  /** A point at the distance d gains exp(−d²/falloff) of it; m², 0.3 unless set. `Infinity`: all gain it alike. */
  falloff?: number | undefined
}

/** How a body goes limp. */
export interface RagdollActivation {
  /** A blow that it begins with. */
  hit?: RagdollHit | undefined
  /** Only these bones, and those below them, go limp; the rest follows its pose. */
  from?: Object3D | readonly Object3D[] | undefined
  /** See {@link RagdollBody.strength}. */
  strength?: number | undefined
  /** Velocity to begin with, world, m/s, instead of that of the pose in the last two frames. */
  velocity?: VectorLike | undefined
}

/** How a body gets up. */
export interface RagdollRise {
  /**
   * Seconds, from 0 to 60; 0.9 unless set. Up to a quarter more where the pose is turned so fast that a bone, which turns by at
   * most 19° in 1/60 s, has not reached it by then.
   */
  duration?: number | undefined
  /**
   * To which pose: `'animated'`, unless set, is what the bones are given by then, frame by frame, as by a mixer that plays the
   * clip of getting up; or what they were given last. `'rest'` is the pose in which the ragdoll was made.
   */
  pose?: 'animated' | 'rest' | undefined
  /**
   * Where the character looks afterwards: `'keep'`, unless set, where it looked before; `'body'` where it would look if it sat
   * up from how it lies.
   */
  heading?: 'keep' | 'body' | undefined
}

/** Counts and times of a ragdoll. */
export interface RagdollStats extends SimulationStats {
  readonly bodies: number
  /** Points of a body. */
  readonly points: number
  /** Links of a body. */
  readonly links: number
  /** Bodies that are limp and do not sleep. */
  awake: number
}

/** What could not be found in a skeleton. */
export interface RagdollReport {
  readonly bodies: number
  readonly points: number
  readonly links: number
  readonly bones: number
  /** Pairs of capsules that keep apart. */
  readonly pairs: number
  /** Bones of a human body that `fromSkeleton` did not find, and did without. */
  readonly missing: readonly HumanoidBone[]
  /** Those that it found. */
  readonly mapped: { readonly [bone in HumanoidBone]?: Object3D }
}

const STATES: readonly RagdollState[] = ['animated', 'limp', 'gettingUp']
const OPTION_KEYS = Object.keys(RAGDOLL_OPTIONS_DEFAULTS)
const PART_KEYS = ['points', 'links', 'bones', 'limits', 'capsules', 'bodies', 'root']
const KEYS = [...PART_KEYS, 'colliders', 'gravity', ...OPTION_KEYS]
const SKELETON_KEYS = ['map', 'root', 'mass', 'colliders', 'gravity', ...OPTION_KEYS]
/** What is no option, and how it is changed instead. */
const ELSEWHERE: Record<string, string> = {
  gravity: 'set ragdoll.gravity',
  colliders: 'use ragdoll.colliders',
  strength: 'set ragdoll.bodies[i].strength',
  paused: 'set ragdoll.paused',
  timeScale: 'set ragdoll.timeScale',
  ...Object.fromEntries(PART_KEYS.map((key) => [key, 'it is given when a ragdoll is made'])),
}
/** Numbers of four matrices. */
const MATRIX = 48
/** A floor that a lying body is nearer to than this part of its height is what it lies on. */
const ON_FLOOR = 0.05

/** What `fromSkeleton` knows and the constructor is not given. */
interface Found {
  missing: readonly HumanoidBone[]
  mapped: { readonly [bone in HumanoidBone]?: Object3D }
}
const found = /* @__PURE__ */ new WeakMap<RagdollSetup, Found>()

/** One body of a {@link Ragdoll}. */
export class RagdollBody {
  readonly #owner: Ragdoll

  /** @internal */
  constructor(
    owner: Ragdoll,
    /** Its place in {@link Ragdoll.bodies}. */
    readonly index: number,
  ) {
    this.#owner = owner
  }

  /** What it does. */
  get state(): RagdollState {
    return this.#owner.stateOf(this.index)
  }

  /** Whether it is limp and lies still: it costs next to nothing until something wakes it. */
  get asleep(): boolean {
    return this.#owner.sleeps(this.index)
  }

  /**
   * Where the chest looks now: `'up'` for one that lies on its back, `'down'` on its face, else `'side'`, also while it stands.
   * Needs points named `shoulderL`, `shoulderR`, `waist` and `neck`, as `fromSkeleton` makes them; `'side'` without.
   */
  get facing(): RagdollFacing {
    return this.#owner.facingOf(this.index)
  }

  /** Its part of {@link Ragdoll.bones}, parents before children. */
  get bones(): readonly Object3D[] {
    const { bones, bodies } = this.#owner
    return bones.filter((_, i) => i % bodies.length === this.index)
  }

  /** What {@link getUp} moves under its hips, if anything. */
  get root(): Object3D | undefined {
    return this.#owner.rootOf(this.index)
  }

  /** Its part of {@link Ragdoll.points}: read it afresh, do not keep it. */
  get points(): Float32Array<ArrayBuffer> {
    const { points, pointCount } = this.#owner
    return points.subarray(this.index * pointCount * 3, (this.index + 1) * pointCount * 3)
  }

  /**
   * How strongly limbs seek the pose that the bones are given, from 0 to 1; 0 unless set. Only how limbs lie to one another is
   * sought: a body that is pushed falls, one that stands in balance may stay so. It does not fall asleep meanwhile.
   */
  get strength(): number {
    return this.#owner.strengthOf(this.index)
  }

  set strength(value: number) {
    this.#owner.setStrength(this.index, value)
  }

  /**
   * Lets it fall, with the pose and velocity of the running clip. One that is limp already falls anew from where it is, and
   * keeps its velocity unless one is given.
   *
   * @throws LimberError `invalid-option` naming the option; `invalid-input` for a pose that is not finite
   */
  activate(options: RagdollActivation = {}): void {
    this.#owner.activateBody(this.index, options)
  }

  /**
   * Strikes it, if it is limp, and wakes it.
   *
   * @param point world, metres
   * @param impulse velocity that a point right there gains, m/s
   * @param falloff a point at the distance d gains exp(−d²/falloff) of it; m². `Infinity`: all alike
   */
  hit(point: VectorLike, impulse: VectorLike, falloff = 0.3): void {
    this.#owner.hitBody(this.index, point, impulse, falloff)
  }

  /** Blends it back to its pose, if it is limp. Its root is put under its hips. */
  getUp(options: RagdollRise = {}): void {
    this.#owner.raiseBody(this.index, options)
  }

  /** Gives it back to its pose at once. */
  settle(): void {
    this.#owner.settleBody(this.index)
  }

  /** Wakes it, if it sleeps. */
  wake(): void {
    this.#owner.wakeBody(this.index)
  }
}

/**
 * Bodies that fall: points and links, the bones that they turn, and the way back to the animation.
 *
 * Call {@link step} in every frame, after the mixer and before rendering. While a body is animated, `step` looks at its pose,
 * so that {@link activate} takes over pose and velocity; while it is limp, its bones are written after whatever the mixer
 * wrote; what the mixer wrote is then the pose to which it gets up.
 *
 * @example
 * const ragdoll = Ragdoll.fromSkeleton(limber, skinnedMesh)
 * renderer.setAnimationLoop((time) => {
 *   timer.update(time)
 *   mixer.update(timer.getDelta())
 *   ragdoll.step(timer.getDelta())
 *   renderer.render(scene, camera)
 * })
 * // when it is struck:
 * ragdoll.activate({ hit: { point: [0, 1.4, 0], impulse: [0, 0.5, -4] } })
 * // and later:
 * ragdoll.getUp()
 */
export class Ragdoll extends Simulation<RagdollOptions, RagdollChannels> {
  /** The bodies. */
  readonly bodies: readonly RagdollBody[]
  /** Every bone that is written while a body is limp, and what lies between them: of all bodies, parents before children. */
  readonly bones: readonly Object3D[]
  /** Points of one body. */
  readonly pointCount: number
  /** Links of one body. */
  readonly linkCount: number
  /** Names of the points that have one, with their places in a body. */
  readonly pointNames: ReadonlyMap<string, number>
  /** Counts, and the milliseconds of a step. */
  readonly stats: RagdollStats
  /** What was made, and what a skeleton did not have. */
  readonly report: RagdollReport
  /** Called when a body has changed its state. */
  onState: ((body: RagdollBody, state: RagdollState) => void) | undefined
  /**
   * Whether `step` brings the world matrices above the bones up to date; `true` unless set. Set it to `false` where that is
   * done anyway before each step.
   */
  updateWorldMatrices = true

  readonly #layout: RagdollLayout
  readonly #poses: RagdollPoses
  readonly #colliders: Colliders
  readonly #gravity: Vector3
  /** Joints that hang on nothing simulated. */
  readonly #roots: readonly number[]
  /** What is above these, parents before children, as it was looked up last. */
  #above: readonly Object3D[] = []
  #parents: (Object3D | null)[] = []
  /** What those above hung on then. */
  #lines: (Object3D | null)[] = []
  /** The state of each body that was told last. */
  readonly #told: Uint8Array
  /** Joints that a partial ragdoll writes, by body; none where all are. */
  readonly #free: (Uint8Array | undefined)[]
  readonly #stances: readonly Stance[]

  /**
   * A ragdoll of points and links. With bones a body begins animated; without them it falls at once.
   *
   * @throws LimberError `invalid-option` naming what is wrong and its range; nothing has been allocated then
   */
  constructor(backend: Backend, setup: RagdollSetup) {
    checkBackend(backend)
    checkKeys('Ragdoll', setup, KEYS, 'setup')
    const own = found.get(setup)
    const { colliders, gravity, points, links, bones, limits, capsules, bodies, root, ...options } = setup
    const order = settings(options)
    backend.check(RAGDOLL.kind, order)
    const layout = layOutRagdoll({ points, links, bones, limits, capsules, bodies, root })
    super(backend, {
      name: 'Ragdoll',
      technique: RAGDOLL,
      fixedStep: 1 / 120,
      maxSteps: 6,
      order,
      reals: layout.reals,
      indices: layout.indices,
    })
    try {
      const { views } = this
      this.#layout = layout
      this.pointCount = layout.radii.length
      this.linkCount = views.links.length / 2
      this.pointNames = layout.names
      this.bones = Object.freeze(layout.joints.flatMap(({ objects }) => objects))
      this.bodies = Object.freeze(Array.from({ length: layout.bodies }, (_, i) => new RagdollBody(this, i)))
      const counts = JSON.parse(backend.report(this.handle)) as Omit<RagdollReport, 'missing' | 'mapped'>
      this.report = Object.freeze({ ...counts, missing: own?.missing ?? [], mapped: own?.mapped ?? {} })
      this.stats = {
        bodies: layout.bodies,
        points: this.pointCount,
        links: this.linkCount,
        awake: 0,
        milliseconds: 0,
      }
      this.#told = new Uint8Array(layout.bodies)
      this.#free = Array.from({ length: layout.bodies }, () => undefined)
      this.#roots = layout.joints.flatMap(({ parent }, j) => (parent === undefined ? [j] : []))
      this.#poses = new RagdollPoses(layout.joints, layout.bodies, views)
      this.register([])
      this.#colliders = new Colliders({
        views,
        checkAlive: () => void this.handle,
        setColliders: (payload) => void this.command(RAGDOLL.commands.setColliders, payload),
      })
      if (colliders !== undefined) this.#colliders.replace(colliders)
      this.#gravity = new Vector3().fromArray(views.gravity)
      if (gravity !== undefined) this.gravity = gravity
      this.writeInputs()
      // What is shown before the first step is what the bodies are.
      backend.reset(this.handle)
      for (let i = 0; i < layout.bodies; i++) this.#told[i] = views.states[i]! & 255
      this.stats.awake = views.status[1]!
      this.#stances = this.bodies.map(({ index }) => this.#stanceOf(index))
    } catch (error) {
      super.dispose()
      throw error
    }
  }

  /**
   * The ragdoll of a skinned character: its bones are found by their names (Mixamo, VRM, Ready Player Me, Unreal, Blender and
   * many others) or by a map, and a body with a human's masses, joints and limits is built from its bind pose, whatever its
   * size. Several meshes are several bodies of one build: clones of one character. A list of meshes of one character, as of
   * one that is made of parts, is one body: give any one of them.
   *
   * What was not found is in `report.missing`.
   *
   * @throws LimberError `invalid-input` where there are no hips, or no spine and head; `invalid-option` for a map that names
   *   what is not there, or a bone twice
   */
  static fromSkeleton(
    backend: Backend,
    mesh: SkinnedMesh | readonly SkinnedMesh[],
    setup: RagdollSkeletonSetup = {},
  ): Ragdoll {
    checkBackend(backend)
    checkKeys('fromSkeleton', setup, SKELETON_KEYS, 'setup')
    const { map = 'auto', root, mass = 70, ...options } = setup
    checkNumber('mass', mass, 1e-6, 1e6, 'kg')
    const meshes = Array.isArray(mesh) ? (mesh as readonly SkinnedMesh[]) : [mesh as SkinnedMesh]
    if (meshes.length === 0) throw new LimberError('invalid-option', 'fromSkeleton takes at least one SkinnedMesh')
    meshes.forEach((one, i) => {
      if ((one as Partial<SkinnedMesh> | null | undefined)?.isSkinnedMesh && one.skeleton) return
      const path = Array.isArray(mesh) ? `mesh[${i}]` : 'mesh'
      throw new LimberError('invalid-option', `${path} must be a SkinnedMesh that is bound, got ${shown(one)}`)
    })
    const first = meshes[0]!
    const { bones } = first.skeleton
    const { bones: mapped, missing } = mapHumanoid(bones, map)
    for (const one of meshes) topOf(one).updateMatrixWorld(true)
    const parts = humanoidSetup({ bones: mapped }, mass, charactersMeshes(first))
    const named = new Set<Object3D>()
    for (const { bone } of [...parts.points, ...(parts.bones ?? [])]) if (bone) named.add(bone)
    const places = [...named].map((bone) => bones.indexOf(bone as (typeof bones)[number]))
    const roots: readonly Object3D[] = Array.isArray(root) ? root : root === undefined ? [] : [root as Object3D]
    if (root !== undefined && roots.length !== meshes.length) {
      throw new LimberError(
        'invalid-option',
        `root must be one for each of ${meshes.length} bodies, got ${roots.length}`,
      )
    }
    const bodies = meshes.map((one, i): RagdollBodySetup => {
      const own = roots[i]
      if (own !== undefined) checkObject('root', own)
      const hips = one.skeleton.bones[bones.indexOf(mapped.hips as (typeof bones)[number])] ?? one
      const list = i === 0 ? [...named] : places.map((place) => one.skeleton.bones[place]!)
      return { bones: list, root: own ?? characterOf(hips) }
    })
    const size = heightOf(parts.points)
    const made: RagdollSetup = {
      classic: false,
      damping: 0.05,
      sleepDistance: Math.min(0.016 * size, 1000),
      ...options,
      ...parts,
      bodies,
    }
    found.set(made, { missing, mapped })
    return new Ragdoll(backend, made)
  }

  /** The state of the first body. */
  get state(): RagdollState {
    return this.stateOf(0)
  }

  /** Where points are drawn: `[x, y, z] × points × bodies`, world, metres. A view: read it afresh, do not keep it. */
  get points(): Float32Array<ArrayBuffer> {
    return this.views.points
  }

  /** Which points of a body are linked: `[a, b] × links`. */
  get links(): Uint32Array<ArrayBuffer> {
    return this.views.links
  }

  /** Radii of a body's points, metres in the rest pose. */
  get radii(): readonly number[] {
    return this.#layout.radii
  }

  /** @internal Limits that can be drawn. */
  get placedLimits(): readonly PlacedLimit[] {
    return this.#layout.limits
  }

  /** Acceleration of gravity, world, m/s²; read at each step. What is assigned is copied into it. */
  get gravity(): Vector3 {
    return this.#gravity
  }

  set gravity(value: VectorLike) {
    readVector('gravity', value, scratch, 0, 'm/s²')
    this.#gravity.fromArray(scratch)
  }

  /** Solids that bodies stay out of. A list that is assigned replaces them. */
  get colliders(): Colliders {
    return this.#colliders
  }

  set colliders(colliders: Iterable<Collider>) {
    this.#colliders.replace(colliders)
  }

  /** Lets all bodies fall: {@link RagdollBody.activate}. */
  activate(options: RagdollActivation = {}): void {
    for (const body of this.bodies) body.activate(options)
  }

  /** Strikes all limp bodies: {@link RagdollBody.hit}. */
  hit(point: VectorLike, impulse: VectorLike, falloff = 0.3): void {
    for (const body of this.bodies) body.hit(point, impulse, falloff)
  }

  /** Blends all limp bodies back to their poses: {@link RagdollBody.getUp}. */
  getUp(options: RagdollRise = {}): void {
    for (const body of this.bodies) body.getUp(options)
  }

  /** Gives all bodies back to their poses at once. */
  settle(): void {
    for (const body of this.bodies) body.settle()
  }

  /** As in every simulation, and says for what is no option how it is changed instead. */
  override configure(partial: PartialOptions<RagdollOptions>): void {
    void this.handle
    const name = Object.keys(partial ?? {}).find((key) => Object.hasOwn(ELSEWHERE, key))
    if (name) {
      throw new LimberError('invalid-option', `${name} is no option that configure changes: ${ELSEWHERE[name]!}`)
    }
    super.configure(partial)
  }

  /** Bodies with bones are animated again and hold their own poses; the others are where they began. Time begins anew. */
  override reset(): void {
    void this.handle
    for (const { index } of this.bodies) this.#release(index)
    super.reset()
    this.#tell()
  }

  /** As in every simulation; inputs come back too: poses, gravity and colliders that follow nothing. */
  override restore(bytes: Uint8Array): void {
    super.restore(bytes)
    this.gravity.fromArray(this.views.gravity)
    this.colliders.reread()
    this.#tell()
  }

  /** Frees it at once, and gives every bone back the pose that it had or was given. */
  override dispose(): void {
    for (const { index } of this.disposed ? [] : this.bodies) {
      this.#poses.take(index)
      this.#release(index)
    }
    super.dispose()
  }

  /** @internal */
  rootOf(body: number): Object3D | undefined {
    return this.#layout.roots[body]
  }

  /** @internal */
  stateOf(body: number): RagdollState {
    return STATES[this.views.states[body]! & 255]!
  }

  /** @internal */
  sleeps(body: number): boolean {
    return this.views.states[body]! > 255
  }

  /** @internal */
  facingOf(body: number): RagdollFacing {
    const y = this.#front(body)?.y ?? 0
    return y > 0.5 ? 'up' : y < -0.5 ? 'down' : 'side'
  }

  /** @internal */
  strengthOf(body: number): number {
    return this.views.strengths[body]!
  }

  /** @internal */
  setStrength(body: number, value: number): void {
    void this.handle
    checkNumber('strength', value, 0, 1)
    this.views.strengths[body] = value
    if (value > 0) this.wakeBody(body)
  }

  /** @internal */
  activateBody(body: number, options: RagdollActivation): void {
    void this.handle
    checkKeys('activate', options, ['hit', 'from', 'strength', 'velocity'])
    const { hit, from, strength, velocity } = options
    if (hit !== undefined) checkKeys('hit', hit, ['point', 'impulse', 'falloff'], 'hit')
    if (hit !== undefined) this.#hitPayload(body, hit.point, hit.impulse, hit.falloff ?? 0.3)
    if (strength !== undefined) checkNumber('strength', strength, 0, 1)
    if (velocity !== undefined) readVector('velocity', velocity, scratch, 0, 'm/s')
    const free = from === undefined ? undefined : this.#freed(body, from)
    const payload = [body, ...(velocity === undefined ? [NaN, NaN, NaN] : scratch)]
    if (free) payload.push(...this.#layout.pointJoints.map((joint) => Number(joint !== undefined && free[joint])))
    const limp = this.stateOf(body) === 'limp' && this.#layout.joints.length > 0
    if (!limp || from !== undefined || this.#free[body]) {
      this.#drawNewest(body)
      this.#writePose(body)
      // From what is drawn, where it is limp in part or getting up.
      this.#poses.takeDrawn(body)
      if (free)
        this.#poses.giveBack(
          body,
          free.map((on) => 1 - on),
        )
      this.#free[body] = free
      this.#poses.hold(body)
      this.#command(RAGDOLL.commands.activate, payload)
    } else if (velocity !== undefined) {
      this.#command(RAGDOLL.commands.wake, [body])
      this.#command(RAGDOLL.commands.hit, [body, 0, 0, 0, ...scratch, 0])
    }
    if (strength !== undefined) this.views.strengths[body] = strength
    if (hit) this.hitBody(body, hit.point, hit.impulse, hit.falloff ?? 0.3)
    this.#show(body)
    this.#tell()
  }

  /** @internal */
  hitBody(body: number, point: VectorLike, impulse: VectorLike, falloff: number): void {
    void this.handle
    const payload = this.#hitPayload(body, point, impulse, falloff)
    this.#command(RAGDOLL.commands.hit, payload)
  }

  #hitPayload(body: number, point: VectorLike, impulse: VectorLike, falloff: number): number[] {
    const payload = [body, 0, 0, 0, 0, 0, 0, 0]
    readVector('point', point, payload, 1)
    readVector('impulse', impulse, payload, 4, 'm/s')
    if (falloff !== Infinity) {
      checkNumber('falloff', falloff, 1e-6, FAR, 'm²')
      payload[7] = falloff
    }
    return payload
  }

  /** @internal */
  raiseBody(body: number, options: RagdollRise): void {
    void this.handle
    checkKeys('getUp', options, ['duration', 'pose', 'heading'])
    const { duration = 0.9, pose = 'animated', heading = 'keep' } = options
    checkNumber('duration', duration, 0, 60, 's')
    if (pose !== 'animated' && pose !== 'rest') {
      throw new LimberError('invalid-option', `pose must be 'animated' or 'rest', got ${shown(pose)}`)
    }
    if (heading !== 'keep' && heading !== 'body') {
      throw new LimberError('invalid-option', `heading must be 'keep' or 'body', got ${shown(heading)}`)
    }
    if (this.stateOf(body) !== 'limp' || this.#layout.joints.length === 0) return
    this.#drawNewest(body)
    this.#poses.take(body)
    if (pose === 'rest') this.#poses.rest(body)
    if (!this.#free[body]) this.#moveRoot(body, heading)
    this.#writePose(body)
    this.#command(RAGDOLL.commands.getUp, [body, duration, Number(this.amidStep)])
    this.#show(body)
    this.#tell()
  }

  /** @internal */
  settleBody(body: number): void {
    void this.handle
    if (this.#layout.joints.length === 0) return
    this.#poses.take(body)
    this.#command(RAGDOLL.commands.settle, [body])
    this.#release(body)
    this.#tell()
  }

  /** @internal */
  wakeBody(body: number): void {
    void this.handle
    this.#command(RAGDOLL.commands.wake, [body])
  }

  protected writeInputs(): void {
    checkFunction('onState', this.onState)
    this.#gravity.toArray(this.views.gravity)
    this.#colliders.update()
    if (this.#layout.joints.length === 0) return
    if (this.#haveMoved()) this.#lookUp()
    if (this.updateWorldMatrices) for (const object of this.#above) object.updateWorldMatrix(false, false)
    for (let body = 0; body < this.bodies.length; body++) {
      this.#poses.take(body)
      this.#writeParents(body)
    }
  }

  protected readOutputs(): void {
    this.stats.awake = this.views.status[1]!
    if (this.#layout.joints.length) for (let body = 0; body < this.bodies.length; body++) this.#show(body)
    this.#tell()
  }

  protected rebound(): void {}

  protected divergences(): number {
    return this.views.status[0]!
  }

  #command(op: number, payload: readonly number[]): void {
    this.backend.command(this.handle, op, Float32Array.from(payload))
  }

  /**
   * Between the steps of a call the bones hold what was drawn after the last call, at a time that depends on the frame rate:
   * they are to hold the newest step. What they were given since is their own pose.
   */
  #drawNewest(body: number): void {
    if (!this.amidStep || this.#layout.joints.length === 0) return
    this.#poses.take(body)
    this.#command(RAGDOLL.commands.show, [])
    this.#show(body)
  }

  /** The bones of a body hold what is drawn of it. What they were given since is their own pose. */
  #show(body: number): void {
    if (this.#layout.joints.length === 0) return
    this.#poses.take(body)
    if (this.views.states[body]! & 255) this.#poses.write(body, this.#free[body])
    else this.#release(body)
  }

  /** The bones of a body hold their own pose. */
  #release(body: number): void {
    this.#poses.giveBack(body)
    this.#free[body] = undefined
  }

  #tell(): void {
    const { states } = this.views
    for (let i = 0; i < states.length; i++) {
      const state = states[i]! & 255
      if (state === this.#told[i]) continue
      this.#told[i] = state
      this.onState?.(this.bodies[i]!, STATES[state]!)
    }
  }

  /** The pose of one body, and what it hangs on, as they are now. */
  #writePose(body: number): void {
    this.#poses.take(body)
    for (const j of this.#roots) this.#layout.joints[j]!.objects[body]!.parent?.updateWorldMatrix(true, false)
    this.#writeParents(body)
  }

  #writeParents(body: number): void {
    const { parents } = this.views
    const { joints } = this.#layout
    for (let r = 0; r < this.#roots.length; r++) {
      const at = ((body >> 2) * this.#roots.length + r) * MATRIX + (body & 3)
      const parent = joints[this.#roots[r]!]!.objects[body]!.parent
      const e = (parent?.matrixWorld ?? identity).elements
      for (let c = 0; c < 4; c++) {
        parents[at + c * 12] = e[c * 4]!
        parents[at + c * 12 + 4] = e[c * 4 + 1]!
        parents[at + c * 12 + 8] = e[c * 4 + 2]!
      }
    }
  }

  /** Whether some root hangs on something else by now. */
  #haveMoved(): boolean {
    const { joints } = this.#layout
    let i = 0
    for (const j of this.#roots) {
      const { objects } = joints[j]!
      for (let body = 0; body < objects.length; body++) if (objects[body]!.parent !== this.#parents[i++]) return true
    }
    const above = this.#above
    const lines = this.#lines
    for (let a = 0; a < above.length; a++) if (above[a]!.parent !== lines[a]) return true
    return i !== this.#parents.length
  }

  #lookUp(): void {
    this.#parents = this.#roots.flatMap((j) => this.#layout.joints[j]!.objects.map((object) => object.parent))
    this.#above = objectsAbove(this.#parents)
    this.#lines = this.#above.map((object) => object.parent)
  }

  /** Joints that are freed: those of `from` and all below. */
  #freed(body: number, from: Object3D | readonly Object3D[]): Uint8Array {
    const { joints } = this.#layout
    const list = Array.isArray(from) ? (from as readonly Object3D[]) : [from as Object3D]
    if (list.length === 0) throw new LimberError('invalid-option', 'from must name at least one bone')
    const free = new Uint8Array(joints.length)
    list.forEach((object, i) => {
      checkObject(Array.isArray(from) ? `from[${i}]` : 'from', object)
      const joint = joints.findIndex(({ objects }) => objects[body] === object)
      if (joint < 0) {
        throw new LimberError('invalid-option', `from: ${shown(object.name)} is no bone of this body that is simulated`)
      }
      free[joint] = 1
    })
    joints.forEach(({ parent }, j) => {
      if (parent !== undefined && free[parent]) free[j] = 1
    })
    return free
  }

  /** Puts the root of a body under its hips, on the ground on which it lies; its bones then stay where they are. */
  #moveRoot(body: number, heading: 'keep' | 'body'): void {
    const root = this.#layout.roots[body]
    const hips = this.#roots[0]
    if (!root || hips === undefined) return
    const bone = this.#layout.joints[hips]!.objects[body]!
    const place = bone.getWorldPosition(new Vector3())
    if (heading === 'body') {
      const yaw = this.#yaw(body)
      if (yaw !== undefined) turnAbout(root, yaw)
    }
    const target = this.#poses.ownPosition(body, hips, new Vector3())
    if (bone.parent) {
      bone.parent.updateWorldMatrix(true, false)
      target.applyMatrix4(bone.parent.matrixWorld)
    }
    const at = root.getWorldPosition(new Vector3())
    at.x += place.x - target.x
    at.z += place.z - target.z
    const standing = this.#stances[body]!
    at.y = this.#ground(body) + standing.height
    if (root.parent) root.parent.worldToLocal(at)
    root.position.copy(at)
    root.updateWorldMatrix(true, false)
    bone.parent?.updateWorldMatrix(true, false)
  }

  /** The height of the ground on which a body is: its lowest point, or the floor where that is nearly as high. */
  #ground(body: number): number {
    const { points } = this.bodies[body]!
    const { radii } = this.#layout
    let [lowest, wide] = [Infinity, 0]
    for (let p = 0; p < radii.length; p++) {
      lowest = Math.min(lowest, points[p * 3 + 1]! - radii[p]!)
      for (let c = 0; c < 3; c++) wide = Math.max(wide, Math.abs(points[p * 3 + c]! - points[c]!))
    }
    const { floor } = this.options
    return floor !== null && Math.abs(lowest - floor) < ON_FLOOR * wide ? floor : lowest
  }

  /** How the root of a body is to the ground and to where the body looks, as it was made. */
  #stanceOf(body: number): Stance {
    const root = this.#layout.roots[body]
    if (!root) return { height: 0, front: new Vector3(0, 0, 1) }
    const front = this.#front(body) ?? new Vector3(0, 0, 1)
    front.applyQuaternion(root.getWorldQuaternion(new Quaternion()).invert())
    return { height: root.getWorldPosition(across).y - this.#ground(body), front }
  }

  /** Where the chest looks. */
  #front(body: number): Vector3 | undefined {
    const points = this.bodies[body]!.points
    const [left, right, waist, neck] = TRUNK.map((name) => this.pointNames.get(name))
    if (left === undefined || right === undefined || waist === undefined || neck === undefined) return undefined
    across.fromArray(points, left * 3).sub(upwards.fromArray(points, right * 3))
    upwards.fromArray(points, neck * 3).sub(front.fromArray(points, waist * 3))
    return new Vector3().crossVectors(across, upwards).normalize()
  }

  /** By which angle about y a character is to be turned so that it looks where it would look if it sat up. */
  #yaw(body: number): number | undefined {
    const { points } = this.bodies[body]!
    const [, , waist, neck] = TRUNK.map((name) => this.pointNames.get(name))
    const facing = this.facingOf(body)
    if (waist === undefined || neck === undefined || facing === 'side') return undefined
    // On its back it looks towards its feet, on its face towards its head.
    upwards.fromArray(points, neck * 3).sub(front.fromArray(points, waist * 3))
    if (facing === 'up') upwards.negate()
    front.copy(this.#stances[body]!.front)
    front.applyQuaternion(this.#layout.roots[body]!.getWorldQuaternion(new Quaternion()))
    return Math.atan2(upwards.x, upwards.z) - Math.atan2(front.x, front.z)
  }
}

/** How the root of a body is to the ground, metres, and where the body looks in the root's space. */
interface Stance {
  height: number
  front: Vector3
}

/** Points that say where a body looks. */
const TRUNK = ['shoulderL', 'shoulderR', 'waist', 'neck'] as const
const scratch: number[] = [0, 0, 0]
const identity = /* @__PURE__ */ new Matrix4()
const across = /* @__PURE__ */ new Vector3()
const upwards = /* @__PURE__ */ new Vector3()
const front = /* @__PURE__ */ new Vector3()

/** Turns an object about the world's y axis. */
function turnAbout(object: Object3D, angle: number): void {
  const above = new Quaternion()
  object.parent?.getWorldQuaternion(above)
  const yaw = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), angle)
  object.quaternion.premultiply(above.clone().invert().multiply(yaw).multiply(above))
}

function topOf(object: Object3D): Object3D {
  let top = object
  while (top.parent) top = top.parent
  return top
}

/** The skinned meshes that share bones with one. */
function charactersMeshes(mesh: SkinnedMesh): SkinnedMesh[] {
  const bones = new Set<Object3D>(mesh.skeleton.bones)
  const all: SkinnedMesh[] = [mesh]
  topOf(mesh).traverse((object) => {
    const other = object as SkinnedMesh
    if (other !== mesh && other.isSkinnedMesh && other.skeleton?.bones.some((bone) => bones.has(bone))) all.push(other)
  })
  return all
}

/** The topmost object above a bone, below the scene, that holds no other character. */
function characterOf(bone: Object3D): Object3D {
  const line: Object3D[] = []
  for (let o: Object3D | null = bone; o && !(o as Scene).isScene; o = o.parent) line.push(o)
  let top = line[0]!
  const own = new Set<Object3D>()
  for (const object of line) {
    let strange = false
    object.traverse((inner) => {
      const other = inner as SkinnedMesh
      if (!other.isSkinnedMesh || !other.skeleton || own.has(other)) return
      if (other.skeleton.bones.includes(bone as (typeof other.skeleton.bones)[number])) own.add(other)
      else strange = true
    })
    if (strange) break
    top = object
  }
  return top
}

/** How large the rest pose is, metres. */
function heightOf(points: RagdollParts['points']): number {
  const [low, high] = [new Vector3(Infinity, Infinity, Infinity), new Vector3(-Infinity, -Infinity, -Infinity)]
  const at = new Vector3()
  for (const { rest } of points) {
    if (!rest) continue
    readVector('rest', rest, scratch)
    low.min(at.fromArray(scratch))
    high.max(at)
  }
  const size = high.sub(low)
  return Math.max(size.x, size.y, size.z, 1e-6)
}
