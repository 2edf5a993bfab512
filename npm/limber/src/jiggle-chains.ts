import { Quaternion, Vector3, type Object3D } from 'three'
import type { Collider } from './colliders.js'
import { checkKeys, checkNumber, LimberError, shown } from './error.js'
import { JIGGLE_CHAIN_OPTIONS_DEFAULTS, type JiggleChainOptions } from './generated/options.js'
import type { PartialOptions } from './simulation.js'
import { checkObject, readQuaternion, readVector, type QuaternionLike, type VectorLike } from './vector.js'
import { isIterable } from './vertices.js'

/**
 * How an option varies along a chain: factors at even distances from the first bone to the last, between which it changes
 * evenly; or a function of the place, 0 at the first bone and 1 at the last, and of the bone's index.
 */
export type JiggleCurve = ArrayLike<number> | ((place: number, index: number) => number)

/** How far a bone may swing from its pose. Angles are in radians, measured in a frame whose y axis is the bone's direction. */
export type JiggleLimit =
  | {
      kind: 'cone'
      /** Largest angle from the pose, from 0 to π. */
      angle: number
      /** Turns the frame: a quaternion. */
      rotation?: QuaternionLike | undefined
    }
  | {
      kind: 'hinge'
      /** Largest angle about the frame's x axis, about which alone it turns; from 0 to π. */
      angle: number
      /** Turns the frame: a quaternion. */
      rotation?: QuaternionLike | undefined
    }
  | {
      kind: 'spherical'
      /** Largest angle about x, from 0 to π. */
      phi: number
      /** Largest angle sideways of that, from 0 to π/2. */
      theta: number
      /** Turns the frame: a quaternion. */
      rotation?: QuaternionLike | undefined
    }

/** A chain: a root bone with all bones below it that no other chain has, a list of bones, or either with options. */
export type JiggleChainLike = Object3D | readonly Object3D[] | JiggleChainSetup

/** A chain of bones that swing. */
export interface JiggleChainSetup extends PartialOptions<JiggleChainOptions> {
  /**
   * A root bone, with all bones below it that no other chain has; or a list of bones, root first, each below the one before
   * it (`[arm]` is that bone alone). What lies between two of them keeps its pose.
   */
  bones: Object3D | readonly Object3D[]
  /**
   * End of each last bone, in that bone's own space. Unless set, it is where the bones below begin that swing in no chain; or
   * as far from the bone as the bone is from its parent, in the same direction; or 7 cm along y, where both are at one place.
   */
  tip?: VectorLike | undefined
  /** How options vary along the chain. */
  curves?:
    | {
        stiffness?: JiggleCurve | undefined
        damping?: JiggleCurve | undefined
        gravity?: JiggleCurve | undefined
        wind?: JiggleCurve | undefined
        radius?: JiggleCurve | undefined
      }
    | undefined
  /** Its own acceleration of gravity, world, m/s², instead of that of all. */
  gravity?: VectorLike | ((index: number) => VectorLike) | undefined
  /** How far each bone may swing, in radians, each for itself; or a function of the bone's index. */
  limit?: JiggleLimit | ((index: number) => JiggleLimit | undefined) | undefined
  /** Solids that this chain stays out of, besides those of all. The same one may be given to several chains. */
  colliders?: Iterable<Collider> | undefined
  /**
   * What carries the chain: of its motion only the part {@link JiggleChainOptions.inertia} is felt, which is then 0 unless
   * set. Without one, inertia is of what the root hangs on.
   */
  center?: Object3D | undefined
  /**
   * What the bones spring back to: `'clip'`, the pose of the frame as a mixer or you set it (unless set), or `'bind'`, the
   * rotations that they have now.
   */
  rest?: 'clip' | 'bind' | undefined
}

/** A joint of the simulation. */
export interface Joint {
  readonly bone: Object3D
  readonly chain: number
  /** It keeps its pose: it lies between two that swing. */
  readonly between: boolean
  /** What it springs back to whatever the clip says. */
  readonly bind: Quaternion | undefined
}

/** Chains, as the core takes them. */
export interface ChainLayout {
  setups: readonly JiggleChainSetup[]
  joints: readonly Joint[]
  centers: readonly Center[]
  /** Options of each chain that has some, by its index. */
  options: Record<number, PartialOptions<JiggleChainOptions>>
  reals: Float32Array
  indices: Uint32Array
}

const OPTION_KEYS = Object.keys(JIGGLE_CHAIN_OPTIONS_DEFAULTS)
const KEYS = ['bones', 'tip', 'curves', 'gravity', 'limit', 'colliders', 'center', 'rest', ...OPTION_KEYS]
const CURVES = ['stiffness', 'damping', 'gravity', 'wind', 'radius'] as const

/** No joint, no centre. */
const NONE = 0xffff_ffff
/** Numbers of a joint. */
const REALS = 18
/** More objects above another than this are a loop. */
const DEEPEST = 1_000_000

/** Lists of chains that a VRM file gave: they follow its arithmetic, and spring back to the rotations that the file has. */
export const vrmChains = new WeakMap<object, (bone: Object3D) => Quaternion>()

/** What a chain's inertia is about: an object; or else what the chain's root hangs on, whatever that is by now. */
export interface Center {
  readonly object: Object3D | undefined
  readonly root: Object3D
}

/** Checks chains and lays their joints out. @throws LimberError `invalid-option` naming what is wrong */
export function layOut(chains: readonly JiggleChainLike[]): ChainLayout {
  const setups = readSetups(chains)
  const vrm = vrmChains.get(chains)
  const claimed = claim(setups, vrm !== undefined)
  const { joints, parents, indexOf } = withBetween(setups, claimed, vrm)
  const centers: Center[] = []
  const shared = new Map<Object3D, number>()
  const options: Record<number, PartialOptions<JiggleChainOptions>> = {}
  const chainNumbers = setups.flatMap((setup, index) => {
    const own: Record<string, unknown> = {}
    for (const key of OPTION_KEYS) {
      const value = setup[key as keyof JiggleChainOptions]
      if (value !== undefined) own[key] = value
    }
    if (setup.center && setup.inertia === undefined) own.inertia = 0
    if (Object.keys(own).length) options[index] = own
    const root = claimed[index]![0]!
    const object = setup.center
    let place = object && shared.get(object)
    if (place === undefined) {
      place = centers.push({ object, root }) - 1
      if (object) shared.set(object, place)
    }
    return [vrm ? 1 : 0, place]
  })

  const below = joints.map((): number[] => [])
  parents.forEach((parent, j) => below[parent]?.push(j))
  const reals = new Float32Array(joints.length * REALS)
  const ownGravity = new Set<number>()
  for (const [chain, bones] of claimed.entries()) {
    const setup = setups[chain]!
    const places = placesAlong(bones)
    bones.forEach((bone, index) => {
      const j = indexOf.get(bone)!
      const at = j * REALS
      const path = `chains[${chain}]`
      tipOf(joints, below, j, setup, vrm !== undefined, path).toArray(reals, at)
      CURVES.forEach((name, c) => {
        reals[at + 3 + c] = factor(`${path}.curves.${name}`, setup.curves?.[name], places[index]!, index)
      })
      if (setup.gravity !== undefined) {
        ownGravity.add(j)
        const own = typeof setup.gravity === 'function' ? setup.gravity(index) : setup.gravity
        readVector(`${path}.gravity`, own, reals, at + 8, 'm/s²')
      }
      const limit = typeof setup.limit === 'function' ? setup.limit(index) : setup.limit
      writeLimit(`${path}.limit`, limit, reals, at + 11)
    })
  }
  joints.forEach((joint, j) => {
    if (joint.between) reals.set([0, 0, 0, 1, 1, 1, 1, 1], j * REALS)
  })
  const jointNumbers = joints.flatMap((joint, j) => [
    parents[j]!,
    joint.chain,
    (joint.between ? 1 : 0) | (ownGravity.has(j) ? 2 : 0),
  ])
  return {
    setups,
    joints,
    centers,
    options,
    reals,
    indices: Uint32Array.from([joints.length, setups.length, centers.length].concat(jointNumbers, chainNumbers)),
  }
}

function readSetups(chains: readonly JiggleChainLike[]): JiggleChainSetup[] {
  if (!isIterable(chains)) {
    throw new LimberError('invalid-option', `chains must be a list of bones or of chains, got ${shown(chains)}`)
  }
  const setups = Array.from(chains, (given, index): JiggleChainSetup => {
    const path = `chains[${index}]`
    if (Array.isArray(given)) return { bones: given as readonly Object3D[] }
    if ((given as Object3D | undefined)?.isObject3D) return { bones: given as Object3D }
    const setup = given as JiggleChainSetup
    if (typeof setup !== 'object' || setup === null || 'bones' in setup === false) {
      const found = given === undefined ? ' (does getObjectByName find it?)' : ''
      throw new LimberError(
        'invalid-option',
        `${path} must be a bone, a list of bones or { bones, … }, got ${shown(given)}${found}`,
      )
    }
    checkKeys('a chain', setup, KEYS, path)
    if (setup.center !== undefined) checkObject(`${path}.center`, setup.center)
    if (setup.rest !== undefined && setup.rest !== 'clip' && setup.rest !== 'bind') {
      throw new LimberError('invalid-option', `${path}.rest must be 'clip' or 'bind', got ${shown(setup.rest)}`)
    }
    if (setup.colliders !== undefined && !isIterable(setup.colliders)) {
      throw new LimberError('invalid-option', `${path}.colliders must be a list, got ${shown(setup.colliders)}`)
    }
    if (setup.curves !== undefined) checkKeys('curves', setup.curves, CURVES, `${path}.curves`)
    return setup.colliders ? { ...setup, colliders: [...setup.colliders] } : setup
  })
  if (setups.length === 0) throw new LimberError('invalid-option', 'chains must hold at least one chain')
  return setups
}

/** The bones of each chain, parents before children. */
function claim(setups: readonly JiggleChainSetup[], vrm: boolean): Object3D[][] {
  const owner = new Map<Object3D, string>()
  const lists = setups.map(({ bones }, chain) => {
    const path = `chains[${chain}].bones`
    const list = Array.isArray(bones) ? (bones as readonly Object3D[]) : [bones as Object3D]
    if (list.length === 0) throw new LimberError('invalid-option', `${path} must hold at least one bone`)
    list.forEach((bone, i) => {
      const name = Array.isArray(bones) ? `${path}[${i}]` : path
      checkObject(name, bone)
      if ((bone as { isSkinnedMesh?: boolean }).isSkinnedMesh) {
        throw new LimberError('invalid-option', `${name} must be a bone, got a SkinnedMesh: give bones of its skeleton`)
      }
      const other = owner.get(bone)
      if (other) throw new LimberError('invalid-option', `${name} is ${other} already: a bone swings once`)
      owner.set(bone, name)
      if (i === 0) checkEnds(bone, name)
      if (i > 0 && !isBelow(bone, list[i - 1]!)) {
        throw new LimberError('invalid-option', `${name} must be below ${path}[${i - 1}] in the scene`)
      }
    })
    return list
  })
  return setups.map(({ bones }, chain) => {
    if (Array.isArray(bones)) return [...lists[chain]!]
    return collect(bones as Object3D, owner, vrm)
  })
}

/** Throws where going up from `bone` never ends. */
function checkEnds(bone: Object3D, path: string): void {
  let depth = 0
  for (let o: Object3D | null = bone; o; o = o.parent) {
    if (++depth > DEEPEST) throw new LimberError('invalid-option', `${path} has a loop above it in the scene`)
  }
}

/** `root` and the bones below it that no other chain has, parents before children. */
function collect(root: Object3D, owner: ReadonlyMap<Object3D, string>, vrm: boolean): Object3D[] {
  const all: Object3D[] = []
  const rest: Object3D[] = []
  for (let bone: Object3D | undefined = root; bone; bone = rest.pop()) {
    all.push(bone)
    for (let i = bone.children.length - 1; i >= 0; i--) {
      const child: Object3D = bone.children[i]!
      if (child.parent === bone && isJoint(child, bone, vrm) && !owner.has(child)) rest.push(child)
    }
  }
  return all
}

/**
 * Bones; and plain nodes, where the root is one: files without a skin have no bones. Under a bone a plain node is something
 * that it carries, but for VRM, in which an end is a node that no skin knows.
 */
function isJoint(child: Object3D, parent: Object3D, vrm: boolean): boolean {
  const { isBone } = child as { isBone?: boolean }
  if (isBone) return true
  const plain = child.type === 'Object3D' || child.type === 'Group'
  return plain && (vrm || !(parent as { isBone?: boolean }).isBone)
}

function isBelow(bone: Object3D, other: Object3D): boolean {
  let depth = 0
  for (let o = bone.parent; o; o = o.parent) {
    if (o === other) return true
    if (++depth > DEEPEST) return false
  }
  return false
}

/** All joints, parents before children, with those that lie between. */
function withBetween(
  setups: readonly JiggleChainSetup[],
  claimed: readonly Object3D[][],
  vrm: ((bone: Object3D) => Quaternion) | undefined,
): { joints: Joint[]; parents: number[]; indexOf: Map<Object3D, number> } {
  const chainOf = new Map<Object3D, number>()
  claimed.forEach((bones, chain) => bones.forEach((bone) => chainOf.set(bone, chain)))
  const joints: Joint[] = []
  const parents: number[] = []
  const indexOf = new Map<Object3D, number>()
  const place = (bone: Object3D, own: number): void => {
    // From the bone up to what has its place, or else to the highest that swings: what lies between is of the chain below.
    const line: { bone: Object3D; chain: number; between: boolean }[] = []
    let [chain, length] = [own, 0]
    let above: Object3D | null = bone
    for (; above && !indexOf.has(above); above = above.parent) {
      const swings = chainOf.get(above)
      chain = swings ?? chain
      line.push({ bone: above, chain, between: swings === undefined })
      if (swings !== undefined) length = line.length
    }
    let parent = above ? indexOf.get(above)! : NONE
    if (!above) line.length = length
    for (const joint of line.reverse()) {
      const { bone: object, chain: own, between } = joint
      const bound = setups[own]!.rest === 'bind' ? object.quaternion.clone() : undefined
      const bind = between ? undefined : (vrm?.(object) ?? bound)
      indexOf.set(joint.bone, joints.length)
      parents.push(parent)
      parent = joints.push({ ...joint, bind }) - 1
    }
  }
  claimed.forEach((bones, chain) => bones.forEach((bone) => place(bone, chain)))
  return { joints, parents, indexOf }
}

/** How far along its chain each bone is, from 0 to 1: its depth below the first, as a part of the deepest. */
function placesAlong(bones: readonly Object3D[]): number[] {
  const depths = new Map<Object3D, number>()
  for (const bone of bones) {
    let depth = 0
    for (let o = bone.parent; o; o = o.parent) {
      const above = depths.get(o)
      if (above === undefined) continue
      depth = above + 1
      break
    }
    depths.set(bone, depth)
  }
  let most = 0
  for (const depth of depths.values()) most = Math.max(most, depth)
  return bones.map((bone) => (most ? depths.get(bone)! / most : 0))
}

function factor(path: string, curve: JiggleCurve | undefined, place: number, index: number): number {
  if (curve === undefined) return 1
  let value: unknown
  if (typeof curve === 'function') {
    value = curve(place, index)
  } else if ((Array.isArray(curve) || ArrayBuffer.isView(curve)) && (curve as ArrayLike<number>).length) {
    const numbers = curve as ArrayLike<number>
    const at = place * (numbers.length - 1)
    const low = Math.min(Math.floor(at), numbers.length - 1)
    const high = Math.min(low + 1, numbers.length - 1)
    value = numbers[low]! + (numbers[high]! - numbers[low]!) * (at - low)
  } else {
    throw new LimberError('invalid-option', `${path} must be a list of numbers or a function, got ${shown(curve)}`)
  }
  checkNumber(path, value, 0, 1000)
  return value
}

const quaternion = /* @__PURE__ */ new Quaternion()
const worldPosition = /* @__PURE__ */ new Vector3()
const worldScale = /* @__PURE__ */ new Vector3()

/** Length of a bone that nothing gives a length, in metres: VRM 0.x has it so. */
const STUB = 0.07

/** The end of a bone in its own space: where the joints below it are, at their middle; else what the chain says. */
function tipOf(
  joints: readonly Joint[],
  below: readonly (readonly number[])[],
  j: number,
  { tip }: JiggleChainSetup,
  vrm: boolean,
  path: string,
): Vector3 {
  const { bone } = joints[j]!
  const end = new Vector3()
  const children = vrm ? below[j]!.slice(0, 1) : below[j]!
  if (children.length) {
    let first: Vector3 | undefined
    for (const child of children) {
      // Through what only lies between.
      let last = child
      const between: Object3D[] = []
      for (let next = below[last]![0]; joints[last]!.between && next !== undefined; next = below[last]![0]) {
        between.push(joints[last]!.bone)
        last = next
      }
      const place = joints[last]!.bone.position.clone()
      for (const object of between.reverse()) {
        object.updateMatrix()
        place.applyMatrix4(object.matrix)
      }
      end.addScaledVector(place, 1 / children.length)
      first ??= place
    }
    // Of children that lie evenly around it, one is as good as another.
    return end.length() < 1e-3 * first!.length() ? first! : end
  }
  if (tip !== undefined) {
    const numbers = [0, 0, 0]
    readVector(`${path}.tip`, tip, numbers)
    return end.fromArray(numbers)
  }
  // It carries bones that are no part of this: it ends where they begin.
  const carried = vrm ? [] : bone.children.filter((child) => (child as { isBone?: boolean }).isBone)
  for (const child of carried) end.addScaledVector(child.position, 1 / carried.length)
  if (carried.length) return end.lengthSq() > 0 ? end : end.copy(carried[0]!.position)
  const { position, scale } = bone
  end.copy(position).applyQuaternion(quaternion.copy(bone.quaternion).invert())
  end.set(end.x / (scale.x || 1), end.y / (scale.y || 1), end.z / (scale.z || 1))
  if (end.lengthSq() > 0 && !vrm) return end
  bone.updateWorldMatrix(true, false)
  bone.matrixWorld.decompose(worldPosition, quaternion, worldScale)
  const stub = STUB / (Math.abs(worldScale.y) || 1)
  if (end.lengthSq() === 0) return end.set(0, stub, 0)
  if (vrm) end.setLength(stub)
  return end
}

function writeLimit(path: string, limit: JiggleLimit | undefined, out: Float32Array, at: number): void {
  out[at + 6] = 1
  if (limit === undefined) return
  switch (limit?.kind) {
    case 'cone':
    case 'hinge':
      checkKeys('a limit', limit, ['kind', 'angle', 'rotation'], path)
      checkNumber(`${path}.angle`, limit.angle, 0, Math.PI, 'rad')
      out[at] = limit.kind === 'cone' ? 1 : 2
      out[at + 1] = limit.angle
      break
    case 'spherical':
      checkKeys('a limit', limit, ['kind', 'phi', 'theta', 'rotation'], path)
      checkNumber(`${path}.phi`, limit.phi, 0, Math.PI, 'rad')
      checkNumber(`${path}.theta`, limit.theta, 0, Math.PI / 2, 'rad')
      out[at] = 3
      out[at + 1] = limit.phi
      out[at + 2] = limit.theta
      break
    default:
      throw new LimberError(
        'invalid-option',
        `${path}.kind must be 'cone', 'hinge' or 'spherical', got ${shown((limit as JiggleLimit | null)?.kind)}`,
      )
  }
  readQuaternion(`${path}.rotation`, limit.rotation, out, at + 3)
}
