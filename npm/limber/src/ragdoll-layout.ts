import { Matrix4, Vector3, type Object3D } from 'three'
import { checkKeys, checkNumber, LimberError, shown } from './error.js'
import type { RagdollBone, RagdollCapsule, RagdollLimit, RagdollLink, RagdollPoint } from './ragdoll-setup.js'
import { checkMatrix, checkObject, FAR, readVector, type VectorLike } from './vector.js'
import { isIterable } from './vertices.js'

/** One body of several. */
export interface RagdollBodySetup {
  /** Bodies without bones: where it is put, on top of the points' places; a matrix that turns and moves. */
  matrix?: Matrix4 | undefined
  /** Its bones, as many as the first body has, in the same order: that in which `points`, then `bones`, first name them. */
  bones?: readonly Object3D[] | undefined
  /** What `getUp` moves under its hips. */
  root?: Object3D | undefined
}

/** What a body is made of. */
export interface RagdollParts {
  points: readonly RagdollPoint[]
  links: readonly RagdollLink[]
  bones?: readonly RagdollBone[] | undefined
  limits?: readonly RagdollLimit[] | undefined
  capsules?: readonly RagdollCapsule[] | undefined
  bodies?: number | readonly RagdollBodySetup[] | undefined
  root?: Object3D | undefined
}

/** A joint: a bone that is turned, one that carries points, or what lies between. */
export interface RagdollJoint {
  /** Of each body. */
  readonly objects: readonly Object3D[]
  /** Its parent's place in the list; none where that is not simulated. */
  readonly parent: number | undefined
}

/** A limit that can be drawn, with the places of its points in a body. */
export type PlacedLimit =
  | { readonly kind: 'hinge'; readonly points: readonly number[]; readonly min: number; readonly max: number }
  | {
      readonly kind: 'cone'
      readonly points: readonly number[]
      readonly frame: readonly number[]
      /** In the basis of the frame. */
      readonly axis: Vector3
      readonly angle: number
    }

/** A build, as the core takes it. */
export interface RagdollLayout {
  readonly joints: readonly RagdollJoint[]
  /** Joint of each point; none without bones. */
  readonly pointJoints: readonly (number | undefined)[]
  /** Joint of the first bone: of what else hangs on nothing, the others follow by themselves. */
  readonly names: ReadonlyMap<string, number>
  readonly roots: readonly (Object3D | undefined)[]
  readonly bodies: number
  readonly radii: readonly number[]
  readonly limits: readonly PlacedLimit[]
  reals: Float32Array
  indices: Uint32Array
}

const NONE = 0xffff_ffff
const POINT_KEYS = ['name', 'bone', 'position', 'local', 'rest', 'radius', 'mass', 'inverseMass', 'velocity']
const LINK_KEYS = ['a', 'b', 'rest', 'minOnly']
const BONE_KEYS = ['bone', 'points', 'parent']
const CAPSULE_KEYS = ['points', 'radius']
const BODY_KEYS = ['matrix', 'bones', 'root']
const LIMIT_KEYS = {
  hinge: ['kind', 'points', 'min', 'max'],
  cone: ['kind', 'frame', 'points', 'axis', 'angle'],
  twist: ['kind', 'frame', 'points', 'angle'],
} as const
/** Most bodies of one simulation. */
const MOST_BODIES = 100_000

/** Checks a build and lays it out. @throws LimberError `invalid-option` naming what is wrong */
export function layOutRagdoll(parts: RagdollParts): RagdollLayout {
  const points = listOf<RagdollPoint>('points', parts.points)
  const links = listOf<RagdollLink>('links', parts.links)
  const limits = listOf<RagdollLimit>('limits', parts.limits ?? [])
  const capsules = listOf<RagdollCapsule>('capsules', parts.capsules ?? [])
  if (points.length === 0) throw new LimberError('invalid-option', 'points must hold at least one point')
  const names = new Map<string, number>()
  points.forEach((point, i) => {
    checkKeys(`points[${i}]`, point, POINT_KEYS, `points[${i}]`)
    if (point.name === undefined) return
    if (typeof point.name !== 'string') {
      throw new LimberError('invalid-option', `points[${i}].name must be a text, got ${shown(point.name)}`)
    }
    if (names.has(point.name))
      throw new LimberError('invalid-option', `points[${i}].name ${shown(point.name)} is taken`)
    names.set(point.name, i)
  })
  const index = (path: string, of: unknown): number => {
    const i = typeof of === 'string' ? names.get(of) : of
    if (typeof i === 'number' && Number.isInteger(i) && i >= 0 && i < points.length) return i
    throw new LimberError('invalid-option', `${path}: there is no point ${shown(of)} among the ${points.length}`)
  }

  const bones = inOrder(listOf<RagdollBone>('bones', parts.bones ?? []))
  const { joints, jointOf } = findJoints(points, bones, parts.bodies)
  const bodies = readBodies(parts, jointOf.size > 0)
  const indices: number[] = []
  const reals: number[] = []
  const placed = new Float64Array(3)
  const radii: number[] = []
  const rests: Vector3[] = []

  points.forEach((point, i) => {
    const path = `points[${i}]`
    const { bone, radius = 0.05, mass, inverseMass, velocity } = point
    if ((point.position === undefined) === (point.local === undefined)) {
      throw new LimberError('invalid-option', `${path} must have a position, or a local one in its bone's space`)
    }
    const world = new Vector3()
    const local = new Vector3()
    readVector(`${path}.${point.local ? 'local' : 'position'}`, (point.local ?? point.position)!, placed)
    ;(point.local ? local : world).fromArray(placed)
    if (bone) {
      bone.updateWorldMatrix(true, false)
      if (point.local) world.copy(local).applyMatrix4(bone.matrixWorld)
      else local.copy(world).applyMatrix4(inverse.copy(bone.matrixWorld).invert())
    } else if (point.local) {
      throw new LimberError('invalid-option', `${path}.local is in the space of a bone: give ${path}.bone`)
    } else {
      local.copy(world)
    }
    const rest = point.rest === undefined ? world : read3(`${path}.rest`, point.rest)
    checkNumber(`${path}.radius`, radius, 0, FAR, 'm')
    if (mass !== undefined) checkNumber(`${path}.mass`, mass, 1e-9, 1e9, 'kg')
    if (inverseMass !== undefined) checkNumber(`${path}.inverseMass`, inverseMass, 0, 1e9, '1/kg')
    if (mass !== undefined && inverseMass !== undefined) {
      throw new LimberError('invalid-option', `${path} must have a mass or an inverseMass, not both`)
    }
    const speed = velocity === undefined ? ZERO : read3(`${path}.velocity`, velocity, 'm/s')
    radii.push(radius)
    rests.push(rest)
    indices.push(bone ? jointOf.get(bone)! : NONE)
    reals.push(local.x, local.y, local.z, rest.x, rest.y, rest.z, radius, inverseMass ?? 1 / (mass ?? 1))
    reals.push(speed.x, speed.y, speed.z)
  })
  const finish = (list: number[]): number[] => list.splice(0)
  const pointReals = finish(reals)
  const pointIndices = finish(indices)

  links.forEach((link, i) => {
    const path = `links[${i}]`
    const { a, b, rest, minOnly } = readLink(path, link)
    if (rest !== undefined) checkNumber(`${path}.rest`, rest, 0, FAR, 'm')
    if (minOnly !== undefined && typeof minOnly !== 'boolean') {
      throw new LimberError('invalid-option', `${path}.minOnly must be true or false, got ${shown(minOnly)}`)
    }
    if (minOnly && rest === undefined) throw new LimberError('invalid-option', `${path}.rest must be given for minOnly`)
    indices.push(index(path, a), index(path, b), (minOnly ? 1 : 0) + (rest === undefined ? 0 : 2))
    reals.push(rest ?? 0)
  })
  const linkReals = finish(reals)
  const linkIndices = finish(indices)
  const jointIndices = joints.map(({ parent }) => parent ?? NONE)

  const place = new Map(bones.map(({ bone }, i) => [bone, i]))
  bones.forEach((own, i) => {
    const path = `bones[${i}]`
    const [origin, along, side] = own.points
    const above = nearestAbove(own.bone, place)
    const carrier = own.parent ?? above
    const number = (bone: Object3D | undefined): number => (bone === undefined ? NONE : place.get(bone)!)
    indices.push(jointOf.get(own.bone)!, index(`${path}.points[0]`, origin), index(`${path}.points[1]`, along))
    indices.push(side === undefined ? NONE : index(`${path}.points[2]`, side), number(carrier), number(above))
  })
  const boneIndices = finish(indices)

  limits.forEach((limit, i) => writeLimit(`limits[${i}]`, limit, index, indices, reals))
  const limitReals = finish(reals)
  const limitIndices = finish(indices)
  capsules.forEach((capsule, i) => {
    const path = `capsules[${i}]`
    checkKeys(path, capsule, CAPSULE_KEYS, path)
    const [a, b] = pointList(`${path}.points`, capsule.points, 2)
    checkNumber(`${path}.radius`, capsule.radius, 0, FAR, 'm')
    indices.push(index(`${path}.points[0]`, a), index(`${path}.points[1]`, b))
    reals.push(capsule.radius)
  })
  const matrices = jointOf.size ? [] : bodies.flatMap(({ matrix }) => columns(matrix ?? identity))
  const counts = [points.length, links.length, joints.length, bones.length, limits.length, capsules.length]
  return {
    joints,
    pointJoints: points.map(({ bone }) => bone && jointOf.get(bone)),
    names,
    roots: bodies.map(({ root }) => root),
    bodies: bodies.length,
    radii,
    limits: limits.flatMap((limit): PlacedLimit[] => placedLimit(limit, index, rests)),
    indices: Uint32Array.from([
      ...counts,
      bodies.length,
      ...pointIndices,
      ...linkIndices,
      ...jointIndices,
      ...boneIndices,
      ...limitIndices,
      ...indices,
    ]),
    reals: Float32Array.from([...pointReals, ...linkReals, ...limitReals, ...reals, ...matrices]),
  }
}

const inverse = /* @__PURE__ */ new Matrix4()
const identity = /* @__PURE__ */ new Matrix4()
const ZERO = /* @__PURE__ */ new Vector3()

function listOf<T>(path: string, list: unknown): readonly T[] {
  if (isIterable(list) && typeof list !== 'string') return [...(list as Iterable<T>)]
  throw new LimberError('invalid-option', `${path} must be a list, got ${shown(list)}`)
}

function read3(path: string, value: VectorLike, unit = 'm'): Vector3 {
  const numbers = [0, 0, 0]
  readVector(path, value, numbers, 0, unit)
  return new Vector3().fromArray(numbers)
}

function columns(matrix: Matrix4): number[] {
  const e = matrix.elements
  return [0, 4, 8, 12].flatMap((c) => [e[c]!, e[c + 1]!, e[c + 2]!])
}

function readLink(path: string, link: RagdollLink): { a: unknown; b: unknown; rest: unknown; minOnly: unknown } {
  if (Array.isArray(link)) {
    const [a, b, rest, minOnly] = link as readonly unknown[]
    return { a, b, rest, minOnly }
  }
  checkKeys(path, link, LINK_KEYS, path)
  const { a, b, rest, minOnly } = link as { a: unknown; b: unknown; rest?: unknown; minOnly?: unknown }
  return { a, b, rest, minOnly }
}

function pointList(path: string, list: unknown, count: number): readonly unknown[] {
  if (Array.isArray(list) && list.length === count) return list
  throw new LimberError('invalid-option', `${path} must be a list of ${count} points, got ${shown(list)}`)
}

function writeLimit(
  path: string,
  limit: RagdollLimit,
  index: (path: string, of: unknown) => number,
  indices: number[],
  reals: number[],
): void {
  const kind = (limit as { kind?: unknown } | null)?.kind
  if (kind !== 'hinge' && kind !== 'cone' && kind !== 'twist') {
    throw new LimberError('invalid-option', `${path}.kind must be hinge, cone or twist, got ${shown(kind)}`)
  }
  checkKeys(path, limit, LIMIT_KEYS[kind], path)
  const all = (name: 'points' | 'frame', count: number): number[] =>
    pointList(`${path}.${name}`, (limit as unknown as Record<string, unknown>)[name], count).map((point, i) =>
      index(`${path}.${name}[${i}]`, point),
    )
  if (limit.kind === 'hinge') {
    checkNumber(`${path}.min`, limit.min, -Math.PI, Math.PI, 'rad')
    checkNumber(`${path}.max`, limit.max, limit.min, Math.PI, 'rad')
    indices.push(0, ...all('points', 4), 0, 0)
    reals.push(0, 0, 0, limit.min, limit.max)
    return
  }
  checkNumber(`${path}.angle`, limit.angle, 0, Math.PI, 'rad')
  if (limit.kind === 'cone') {
    const axis = read3(`${path}.axis`, limit.axis, '')
    if (axis.lengthSq() === 0) throw new LimberError('invalid-option', `${path}.axis must not be [0, 0, 0]`)
    indices.push(1, ...all('frame', 3), ...all('points', 2), 0)
    reals.push(axis.x, axis.y, axis.z, 0, limit.angle)
  } else {
    indices.push(2, ...all('frame', 3), ...all('points', 3))
    reals.push(0, 0, 0, 0, limit.angle)
  }
}

function placedLimit(
  limit: RagdollLimit,
  index: (path: string, of: unknown) => number,
  rests: readonly Vector3[],
): PlacedLimit[] {
  const points = limit.points.map((point) => index('', point))
  if (limit.kind === 'hinge') return [{ kind: 'hinge', points, min: limit.min, max: limit.max }]
  if (limit.kind === 'twist') return []
  const frame = limit.frame.map((point) => index('', point))
  const basis = basisOf(frame.map((p) => rests[p]!) as [Vector3, Vector3, Vector3])
  const axis = read3('axis', limit.axis, '').transformDirection(basis.invert())
  return [{ kind: 'cone', points, frame, axis, angle: limit.angle }]
}

/** Checks the bones, and puts each after what carries it. */
function inOrder(bones: readonly RagdollBone[]): readonly RagdollBone[] {
  const own = new Map<Object3D, RagdollBone>()
  bones.forEach((bone, i) => {
    const path = `bones[${i}]`
    checkKeys(path, bone, BONE_KEYS, path)
    checkObject(`${path}.bone`, bone.bone)
    if (own.has(bone.bone)) {
      throw new LimberError('invalid-option', `${path}.bone ${shown(bone.bone.name)} is given twice`)
    }
    if (!Array.isArray(bone.points) || bone.points.length < 2 || bone.points.length > 3) {
      throw new LimberError('invalid-option', `${path}.points must be [origin, along] or [origin, along, side]`)
    }
    own.set(bone.bone, bone)
  })
  const sorted = new Set<RagdollBone>()
  const visit = (bone: RagdollBone, path: readonly RagdollBone[]): void => {
    if (sorted.has(bone)) return
    if (path.includes(bone)) {
      throw new LimberError('invalid-option', `the parents of bone ${shown(bone.bone.name)} go round in a circle`)
    }
    const above = nearestAbove(bone.bone, own)
    if (bone.parent !== undefined && !own.has(bone.parent)) {
      throw new LimberError('invalid-option', `the parent of bone ${shown(bone.bone.name)} must be one of the bones`)
    }
    if (bone.points.length === 2 && !bone.parent && !above) {
      throw new LimberError(
        'invalid-option',
        `bone ${shown(bone.bone.name)} has no bone above it to be swung from: give three points, or a parent`,
      )
    }
    for (const other of [above, bone.parent]) if (other) visit(own.get(other)!, [...path, bone])
    sorted.add(bone)
  }
  for (const bone of bones) visit(bone, [])
  return [...sorted]
}

function nearestAbove(object: Object3D, all: ReadonlyMap<Object3D, unknown>): Object3D | undefined {
  for (let above = object.parent; above; above = above.parent) if (all.has(above)) return above
  return undefined
}

/** The objects whose pose is read, parents first: bones, what carries points, and what lies between. */
function findJoints(
  points: readonly RagdollPoint[],
  bones: readonly RagdollBone[],
  bodies: RagdollParts['bodies'],
): { joints: RagdollJoint[]; jointOf: Map<Object3D, number> } {
  const named = new Map<Object3D, number>()
  points.forEach(({ bone }, i) => {
    if (bone === undefined) return
    checkObject(`points[${i}].bone`, bone)
    if (!named.has(bone)) named.set(bone, named.size)
  })
  if (points.some(({ bone }) => (bone === undefined) !== (named.size === 0))) {
    const i = points.findIndex(({ bone }) => bone === undefined)
    throw new LimberError('invalid-option', `points[${i}].bone must be given, as other points have one`)
  }
  if (named.size === 0 && bones.length) {
    throw new LimberError('invalid-option', 'points must have a bone each, so that there is a pose to fall from')
  }
  for (const { bone } of bones) if (!named.has(bone)) named.set(bone, named.size)
  const turned = new Map(bones.map(({ bone }) => [bone, true]))
  const all = new Set<Object3D>()
  for (const object of named.keys()) {
    const above = nearestAbove(object, named)
    if (!above && !turned.has(object)) {
      throw new LimberError(
        'invalid-option',
        `${shown(object.name)} carries points, and is neither one of the bones nor below one`,
      )
    }
    const line: Object3D[] = []
    for (let o: Object3D = object; o !== above; o = o.parent!) {
      line.push(o)
      if (!above) break
    }
    for (const o of line) all.add(o)
  }
  const order = [...all].sort((a, b) => depthOf(a) - depthOf(b))
  const jointOf = new Map(order.map((object, j) => [object, j]))
  const lists = typeof bodies === 'object' && named.size ? [...bodies] : []
  const objects = order.map((object): Object3D[] => [object])
  lists.forEach((body, k) => {
    if (k === 0 && body?.bones === undefined) return
    const own = body?.bones
    const path = `bodies[${k}].bones`
    if (!isIterable(own) || [...own].length !== named.size) {
      throw new LimberError('invalid-option', `${path} must be a list of ${named.size} bones, got ${shown(own)}`)
    }
    const given = [...own]
    given.forEach((bone, i) => checkObject(`${path}[${i}]`, bone))
    // From below: what lies between is found as a parent.
    const of = new Map<Object3D, Object3D>()
    for (const [object, i] of named) of.set(object, given[i]!)
    for (const object of order.toReversed()) {
      const same = of.get(object)
      const parent = object.parent && jointOf.has(object.parent) ? object.parent : undefined
      if (!parent) continue
      const known = of.get(parent)
      if (!same?.parent || (known && known !== same.parent)) {
        throw new LimberError('invalid-option', `${path}: ${shown(same?.name)} hangs on another bone than in the first`)
      }
      of.set(parent, same.parent)
    }
    order.forEach((object, j) => (objects[j]![k] = of.get(object)!))
  })
  const joints = order.map((object, j): RagdollJoint => {
    const parent = object.parent ? jointOf.get(object.parent) : undefined
    return { objects: objects[j]!, parent }
  })
  const seen = new Set<Object3D>()
  for (const { objects } of joints) {
    for (const object of objects) {
      if (seen.has(object)) {
        throw new LimberError('invalid-option', `bodies: ${shown(object.name)} is the bone of more than one`)
      }
      seen.add(object)
    }
  }
  return { joints, jointOf }
}

function depthOf(object: Object3D): number {
  let depth = 0
  for (let o = object.parent; o; o = o.parent) depth++
  return depth
}

function readBodies({ bodies = 1, root }: RagdollParts, posed: boolean): readonly RagdollBodySetup[] {
  if (root !== undefined) checkObject('root', root)
  if (typeof bodies === 'number') {
    checkNumber('bodies', bodies, 1, posed ? 1 : MOST_BODIES)
    if (!Number.isInteger(bodies))
      throw new LimberError('invalid-option', `bodies must be a whole number, got ${bodies}`)
    return Array.from({ length: bodies }, () => ({ root }))
  }
  const list = listOf<RagdollBodySetup>('bodies', bodies)
  checkNumber('bodies.length', list.length, 1, MOST_BODIES)
  return list.map((body, i) => {
    const path = `bodies[${i}]`
    checkKeys(path, body, BODY_KEYS, path)
    if (body.matrix !== undefined) {
      checkMatrix(`${path}.matrix`, body.matrix)
      if (posed) throw new LimberError('invalid-option', `${path}.matrix is for bodies without bones`)
    }
    if (body.bones !== undefined && !posed)
      throw new LimberError('invalid-option', `${path}.bones: the points have none`)
    if (body.root !== undefined) checkObject(`${path}.root`, body.root)
    return { ...body, root: body.root ?? (i === 0 ? root : undefined) }
  })
}

/** The basis of three points: x from the first to the second, y towards the third. */
export function basisOf([origin, along, side]: readonly [Vector3, Vector3, Vector3]): Matrix4 {
  const x = along.clone().sub(origin).normalize()
  const y = side.clone().sub(origin)
  y.addScaledVector(x, -y.dot(x)).normalize()
  return new Matrix4().makeBasis(x, y, x.clone().cross(y))
}
