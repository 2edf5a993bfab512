import { Matrix4, Quaternion, Vector3, type Object3D } from 'three'
import type { Collider } from './colliders.js'
import { LimberError } from './error.js'
import { vrmChains, type JiggleChainSetup, type JiggleLimit } from './jiggle-chains.js'
import { checkObject, type VectorLike } from './vector.js'

/** What {@link JiggleBones.fromGLTF} needs of what `GLTFLoader` gives. */
export interface GLTFLike {
  scene: Object3D
  parser: {
    json: unknown
    associations: Map<unknown, { nodes?: number | undefined } | undefined>
  }
}

/** How the springs of a file are read. */
export interface VRMOptions {
  /** A clone of `gltf.scene` whose bones are to swing instead. */
  root?: Object3D | undefined
}

type Numbers = readonly [number, number, number]

/** `VRMC_springBone` 1.0 with `VRMC_springBone_extended_collider` and `VRMC_springBone_limit`. */
interface SpringBone {
  colliders?: { node: number; shape?: Shape; extensions?: Extended }[]
  colliderGroups?: { colliders?: number[] }[]
  springs?: {
    joints?: {
      node: number
      hitRadius?: number
      stiffness?: number
      gravityPower?: number
      gravityDir?: Numbers
      dragForce?: number
      extensions?: Limited
    }[]
    colliderGroups?: number[]
    center?: number
    extensions?: Limited
  }[]
}
interface Shape {
  sphere?: { offset?: Numbers; radius?: number; inside?: boolean }
  capsule?: { offset?: Numbers; radius?: number; tail?: Numbers; inside?: boolean }
  plane?: { offset?: Numbers; normal?: Numbers }
}
interface Extended {
  VRMC_springBone_extended_collider?: { shape?: Shape }
}
interface Angles {
  angle?: number
  phi?: number
  theta?: number
  rotation?: readonly [number, number, number, number]
}
interface Limits {
  cone?: Angles
  hinge?: Angles
  spherical?: Angles
}
interface Limited {
  VRMC_springBone_limit?: Limits & { limit?: Limits }
}

/** `secondaryAnimation` of VRM 0.x. */
interface SecondaryAnimation {
  boneGroups?: {
    stiffiness?: number
    gravityPower?: number
    gravityDir?: { x?: number; y?: number; z?: number }
    dragForce?: number
    center?: number
    hitRadius?: number
    bones?: number[]
    colliderGroups?: number[]
  }[]
  colliderGroups?: {
    node: number
    colliders?: { offset?: { x?: number; y?: number; z?: number }; radius?: number }[]
  }[]
}

/** A node of a glTF file. */
interface Posed {
  rotation?: unknown
  matrix?: unknown
}

/** Steps a second for which the standard's forces are meant. */
const RATE = 60

/** The springs of a file as chains. @throws LimberError `invalid-input` */
export function readVRM(gltf: GLTFLike, root?: Object3D): { chains: JiggleChainSetup[]; gravity: VectorLike } {
  const json = gltf?.parser?.json as
    | {
        extensions?: { VRMC_springBone?: SpringBone; VRM?: { secondaryAnimation?: SecondaryAnimation } }
        nodes?: readonly (Posed | undefined)[]
      }
    | undefined
  if (!json || !gltf.scene?.isObject3D || !(gltf.parser.associations instanceof Map)) {
    throw new LimberError('invalid-input', 'fromGLTF takes what GLTFLoader gives: an object with scene and parser')
  }
  if (root !== undefined) checkObject('root', root)
  const nodeOf = nodes(gltf, root)
  const node = (index: number, what: string): Object3D => {
    const found = nodeOf.get(index)
    if (found) return found
    throw new LimberError('invalid-input', `the file's ${what} is node ${index}, which is not in the scene`)
  }
  const one = json.extensions?.VRMC_springBone
  const zero = json.extensions?.VRM?.secondaryAnimation
  let chains: JiggleChainSetup[]
  try {
    chains = one ? readOne(one, node) : zero ? readZero(zero, node) : []
  } catch (cause) {
    if (cause instanceof LimberError) throw cause
    // Something is not of the form that the standard gives it: a list is none, an entry is missing.
    throw new LimberError('invalid-input', `the file's springs are broken: ${String(cause)}`, { cause })
  }
  if (chains.length === 0) {
    throw new LimberError(
      'invalid-input',
      'the file has no springs: neither VRMC_springBone (VRM 1.0) nor secondaryAnimation (VRM 0.x)',
    )
  }
  const indexOf = new Map(Array.from(nodeOf, ([index, object]) => [object, index]))
  vrmChains.set(chains, (bone) => rotationOf(json.nodes?.[indexOf.get(bone) ?? -1]) ?? bone.quaternion.clone())
  return { chains, gravity: [0, 0, 0] }
}

/** How the file has a node turned, whatever it swings like by now; nothing where the file does not have it. */
function rotationOf(node: Posed | undefined): Quaternion | undefined {
  if (!node) return undefined
  const numbers = (list: unknown, length: number): list is number[] =>
    Array.isArray(list) && list.length === length && list.every(Number.isFinite)
  const turn = new Quaternion()
  if (numbers(node.matrix, 16)) new Matrix4().fromArray(node.matrix).decompose(new Vector3(), turn, new Vector3())
  else if (numbers(node.rotation, 4)) turn.fromArray(node.rotation)
  return turn
}

/** The objects of a scene, or of its clone, by their index in the file. */
function nodes(gltf: GLTFLike, root: Object3D | undefined): Map<number, Object3D> {
  const found = new Map<number, Object3D>()
  const walk = (object: Object3D, twin: Object3D): void => {
    const index = gltf.parser.associations.get(object)?.nodes
    if (index !== undefined && !found.has(index)) found.set(index, twin)
    object.children.forEach((child, i) => {
      const other = twin.children[i]
      if (other) walk(child, other)
    })
  }
  walk(gltf.scene, root ?? gltf.scene)
  return found
}

const isNumber = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback)

function readOne(springs: SpringBone, node: (index: number, what: string) => Object3D): JiggleChainSetup[] {
  const colliders = (springs.colliders ?? []).map((collider, i): Collider | undefined => {
    const shape = collider.extensions?.VRMC_springBone_extended_collider?.shape ?? collider.shape ?? {}
    const follow = node(collider.node, `collider ${i}`)
    const { sphere, capsule, plane } = shape
    if (plane) {
      const normal = plane.normal ?? [0, 0, 1]
      const offset = plane.offset ?? [0, 0, 0]
      const length = Math.hypot(...normal) || 1
      const at = (normal[0] * offset[0] + normal[1] * offset[1] + normal[2] * offset[2]) / length
      return { kind: 'plane', normal, offset: at, follow }
    }
    if (capsule) {
      const { offset = [0, 0, 0], tail = [0, 0, 0], radius = 0, inside = false } = capsule
      return { kind: 'capsule', a: offset, b: tail, radius, follow, ...(inside && { inside }) }
    }
    // A shape that came after this was written meets nothing.
    if (!sphere) return undefined
    const { offset = [0, 0, 0], radius = 0, inside = false } = sphere
    return { kind: 'sphere', center: offset, radius, follow, ...(inside && { inside }) }
  })
  return (springs.springs ?? []).flatMap(({ joints = [], colliderGroups = [], center, extensions }, s) => {
    // The last joint only says where the one before it ends.
    if (joints.length < 2) return []
    const bones = joints.slice(0, -1).map((joint) => node(joint.node, `spring ${s}`))
    const end = node(joints.at(-1)!.node, `spring ${s}`)
    const limits = joints.map((joint) => readLimit(joint.extensions) ?? readLimit(extensions))
    const met = colliderGroups.flatMap((group) => springs.colliderGroups?.[group]?.colliders ?? [])
    return {
      bones,
      tip: placeIn(end, bones.at(-1)!, `spring ${s}`),
      curves: {
        stiffness: (_, i) => isNumber(joints[i]!.stiffness, 1),
        damping: (_, i) => isNumber(joints[i]!.dragForce, 0.5),
        radius: (_, i) => isNumber(joints[i]!.hitRadius, 0),
      },
      radius: 1,
      gravity: (i) => pulled(joints[i]!.gravityDir ?? [0, -1, 0], isNumber(joints[i]!.gravityPower, 0)),
      limit: limits.some(Boolean) ? (i) => limits[i] : undefined,
      colliders: [...new Set(met)].flatMap((i) => colliders[i] ?? []),
      center: center === undefined ? undefined : node(center, `centre of spring ${s}`),
      rate: RATE,
    }
  })
}

function pulled(direction: Numbers, power: number): VectorLike {
  return [direction[0] * power, direction[1] * power, direction[2] * power]
}

/** Where `object` is, in the space of `ancestor` above it. */
function placeIn(object: Object3D, ancestor: Object3D, what: string): VectorLike {
  const place = object.position.clone()
  for (let o = object.parent; o !== ancestor; o = o.parent) {
    if (!o)
      throw new LimberError('invalid-input', `the file's ${what} ends in a node that is not below the joint before it`)
    o.updateMatrix()
    place.applyMatrix4(o.matrix)
  }
  return place
}

function readLimit(extensions: Limited | undefined): JiggleLimit | undefined {
  const extension = extensions?.VRMC_springBone_limit
  const { cone, hinge, spherical } = extension?.limit ?? extension ?? {}
  const within = (angle: number | undefined, most: number) => Math.min(Math.max(isNumber(angle, most), 0), most)
  if (cone) return { kind: 'cone', angle: within(cone.angle, Math.PI), rotation: cone.rotation }
  if (hinge) return { kind: 'hinge', angle: within(hinge.angle, Math.PI), rotation: hinge.rotation }
  if (spherical) {
    const { phi, theta, rotation } = spherical
    return { kind: 'spherical', phi: within(phi, Math.PI), theta: within(theta, Math.PI / 2), rotation }
  }
  return undefined
}

/** VRM 0.x: each bone swings with all nodes below it; its file has z the other way round in offsets and directions. */
function readZero(
  { boneGroups = [], colliderGroups = [] }: SecondaryAnimation,
  node: (index: number, what: string) => Object3D,
): JiggleChainSetup[] {
  const groups = colliderGroups.map(({ node: index, colliders = [] }, g) => {
    const follow = node(index, `collider group ${g}`)
    return colliders.map(({ offset, radius = 0 }): Collider => ({
      kind: 'sphere',
      center: [offset?.x ?? 0, offset?.y ?? 0, -(offset?.z ?? 0)],
      radius,
      follow,
    }))
  })
  const taken = new Set<Object3D>()
  return boneGroups.flatMap((group, g) =>
    (group.bones ?? []).flatMap((index): JiggleChainSetup[] => {
      const root = node(index, `bone group ${g}`)
      if (taken.has(root)) return []
      root.traverse((object) => void taken.add(object))
      const { gravityDir } = group
      const center = isNumber(group.center, -1)
      return [
        {
          bones: root,
          curves: { stiffness: () => isNumber(group.stiffiness, 1), damping: () => isNumber(group.dragForce, 0.4) },
          radius: isNumber(group.hitRadius, 0.02),
          gravity: pulled(
            [gravityDir?.x ?? 0, gravityDir ? (gravityDir.y ?? 0) : -1, gravityDir?.z ?? 0],
            isNumber(group.gravityPower, 0),
          ),
          colliders: (group.colliderGroups ?? []).flatMap((i) => groups[i] ?? []),
          center: center >= 0 ? node(center, `centre of bone group ${g}`) : undefined,
          rate: RATE,
        },
      ]
    }),
  )
}
