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
import {
  layOut,
  vrmChains,
  type Center,
  type JiggleChainLike,
  type JiggleChainSetup,
  type Joint,
} from './jiggle-chains.js'
import { JigglePoses } from './jiggle-poses.js'
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
  /** Acceleration of gravity, world, m/s²; (0, −4.32, 0) unless set: less than on Earth, as the springs are soft. {@link JiggleBones.gravity} changes it. */
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

/** What a VRM file says of its chains. */
const SPRINGS = ['stiffness', 'damping', 'frequency', 'dampingRatio']
/** What a chain is made with. */
const MADE_WITH = ['bones', 'tip', 'curves', 'gravity', 'limit', 'colliders', 'center', 'rest', 'rate']

/** Numbers of a block of four roots in `parents`, and of four centres. */
const MATRIX = 48

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

  /**
   * Changes some options while it runs. The stiffness and drag of a VRM chain are those of its file: change its `multiplier`.
   *
   * @throws LimberError `invalid-option` naming option and range; nothing has changed
   */
  configure(partial: PartialOptions<Omit<JiggleChainOptions, 'rate'>>): void {
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
  readonly #poses: JigglePoses
  /** The chains are those of a VRM file. */
  readonly #vrm: boolean
  readonly #colliders: Colliders
  readonly #wind: Vector3
  readonly #gravity: Vector3
  /** Objects above the roots, parents before children, and what each hung on when this was looked up. */
  #above: readonly Hung[] = []
  /** Bones that hang on nothing simulated, what that was likewise, and where its matrix goes in `parents`. */
  readonly #roots: readonly (Hung & { readonly offset: number })[]
  readonly #centers: readonly Center[]
  /** Some chain feels only part of its centre's motion. */
  #centred = false
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
  constructor(backend: Backend, chains: readonly JiggleChainLike[], setup: JiggleBonesSetup = {}) {
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
      this.#vrm = vrmChains.has(chains)
      this.#poses = new JigglePoses(layout.joints, views)
      this.bones = Object.freeze(layout.joints.filter((joint) => !joint.between).map((joint) => joint.bone))
      const bones = layout.setups.map((): Object3D[] => [])
      for (const { bone, chain, between } of layout.joints) if (!between) bones[chain]!.push(bone)
      this.chains = Object.freeze(bones.map((own, index) => new JiggleChain(this, index, Object.freeze(own))))
      this.stats = { bones: this.bones.length, chains: this.chains.length, milliseconds: 0 }
      this.#roots = Array.from({ length: views.roots.length / 2 }, (_, i) => {
        const slot = views.roots[i * 2 + 1]!
        const object = layout.joints[views.roots[i * 2]!]!.bone
        return { object, parent: object.parent, offset: (slot >> 2) * MATRIX + (slot & 3) }
      })
      this.#lookUp()
      this.#centers = layout.centers
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
      this.#setAll(colliders, layout.setups)
      this.#wind = new Vector3().fromArray(views.wind)
      this.#gravity = new Vector3().fromArray(views.gravity)
      if (wind !== undefined) this.wind = wind
      if (gravity !== undefined) this.gravity = gravity
      this.#readOptions()
      this.#poses.takeFirst()
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
    refuseSprings(options)
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
    this.#poses.take()
    this.backend.command(handle, JIGGLE_BONES.commands.settle, new Float32Array(0))
    if (!value) this.#poses.giveBack()
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
    const name = Object.keys(partial ?? {}).find((key) => Object.hasOwn(ELSEWHERE, key.split('.')[0]!))
    if (name) {
      const how = ELSEWHERE[name.split('.')[0]!]!
      throw new LimberError('invalid-option', `${name} is no option that configure changes: ${how}`)
    }
    if (this.#vrm) refuseSprings(partial)
    super.configure(partial)
  }

  /** @internal */
  configureChain(index: number, partial: PartialOptions<JiggleChainOptions>): void {
    void this.handle
    const made = Object.keys(partial ?? {}).find((key) => MADE_WITH.includes(key))
    if (made) throw new LimberError('invalid-option', `${made} is given when a chain is made, and cannot be changed`)
    checkKeys('a chain', partial, Object.keys(JIGGLE_CHAIN_OPTIONS_DEFAULTS))
    if (this.#vrm) refuseSprings(partial)
    // What it may follow from now on is to be known where it is.
    if (partial.inertia !== undefined) this.#writeCenters()
    if (Object.keys(partial).length) super.configure({ chains: { [index]: partial } } as PartialOptions<object>)
    this.#readOptions()
  }

  /** Every tip at rest in the pose of the next step; time begins anew. */
  override reset(): void {
    void this.handle
    this.#poses.take()
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
    this.#poses.take()
    if (matrix) super.teleport(matrix)
    else this.backend.command(handle, JIGGLE_BONES.commands.carry, new Float32Array(0))
  }

  /** As in every simulation; inputs come back too: poses, wind, gravity and colliders that follow nothing. */
  override restore(bytes: Uint8Array): void {
    void this.handle
    this.#poses.take()
    super.restore(bytes)
    this.#poses.reread()
    if (this.#enabled) this.readOutputs()
    else this.#poses.giveBack()
    this.wind.fromArray(this.views.wind)
    this.gravity.fromArray(this.views.gravity)
    this.colliders.reread()
  }

  override step(dt?: number): number {
    if (this.#enabled) return super.step(dt)
    void this.handle
    this.#poses.take()
    this.#poses.giveBack()
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
      this.#poses.take()
      this.#poses.giveBack()
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
    this.#poses.take()
    this.#colliders.update()
    if (this.#begins) {
      // A call of no time takes the inputs of now as those of the last frame.
      this.backend.advance(this.handle, 0)
      this.#begins = false
    }
  }

  protected readOutputs(): void {
    if (!this.#enabled) return
    this.#poses.write(this.#away > 0)
  }

  protected rebound(): void {}

  protected divergences(): number {
    return this.views.status[0]!
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
      const { object, root } = this.#centers[i]!
      const center = object ?? root.parent
      if (this.updateWorldMatrices) center?.updateWorldMatrix(true, false)
      writeMatrix(center, centers, (i >> 2) * MATRIX + (i & 3))
    }
  }

  #readOptions(): void {
    this.#centred = this.chains.some((chain) => chain.options.inertia < 1)
    if (this.#centred) this.#writeCenters()
  }
}

/** Throws for what would say nothing: VRM chains have the springs of their file. */
function refuseSprings(partial: object | undefined): void {
  const name = Object.keys(partial ?? {}).find((key) => SPRINGS.includes(key))
  if (!name) return
  throw new LimberError('invalid-option', `${name} does nothing for VRM chains: change the multiplier of each`)
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
