import {
  BufferAttribute,
  BufferGeometry,
  Matrix4,
  Object3D,
  Vector3,
  type InterleavedBufferAttribute,
  type Mesh,
  type SkinnedMesh,
} from 'three'
import {
  checkKeys,
  checkNumber,
  Cloth,
  CLOTH_OPTIONS_DEFAULTS,
  LimberError,
  shown,
  type MeshVertices,
} from 'limber/core'
import type { ClothConfig } from './config.js'
import { vector, windDrive } from './drive.js'
import type { MeshNode } from './file.js'
import { colliders, within, type Part, type Span, type Stage } from './part.js'

const KEYS = ['technique', 'mesh', 'pinned', 'attach', 'wind', 'gravity', 'colliders', 'floor', 'options']
/** Bones that hold a vertex. */
const INFLUENCES = 4

/** A mesh as a cloth, as all stands now. */
export function makeCloth({ limber, file, seed, times }: Stage, name: string, config: ClothConfig): Part {
  const path = `simulations.${name}`
  checkKeys(path, config, KEYS, path)
  const { wind, gravity, floor = null, options = {} } = config
  const node = file.meshNode(`${path}.mesh`, config.mesh)
  const source = new Source(`${path}.mesh`, file.nameOf(node.index), node)
  const attach = config.attach === undefined ? undefined : file.node(`${path}.attach`, config.attach).object
  const solids = colliders(file, `${path}.colliders`, config.colliders)
  const blow = wind === undefined ? undefined : windDrive(`${path}.wind`, wind, seed, times.loop)
  const { chosen, mark } = choose(`${path}.pinned`, source, config.pinned, (bone) => {
    return file.node(`${path}.pinned.bone`, bone, 'bone').object
  })
  const carrier = source.carrier(chosen)
  const rest = carrier().clone()
  const geometry = new BufferGeometry()
    .setAttribute('position', new BufferAttribute(source.placed(rest), 3))
    .setIndex(new BufferAttribute(source.triangles, 1))
  checkKeys(`${path}.options`, options, OPTIONS, `${path}.options`)
  const cloth = within(
    path,
    () =>
      Cloth.fromGeometry(limber, geometry, {
        ...options,
        floor,
        colliders: solids,
        pinned: chosen,
        ...(gravity !== undefined && { gravity }),
      }),
    Object.keys(options),
  )
  try {
    if (chosen.length) {
      if (attach || !source.skinned) within(path, () => cloth.attach(chosen, attach ?? node.object))
      else source.follow(cloth)
    }
  } catch (error) {
    cloth.dispose()
    throw error
  }
  let begun = false
  return {
    name,
    simulation: cloth as Cloth,
    drive(t) {
      blow?.(t, cloth.wind)
      if (begun) return
      begun = true
      // It was made as all stands at t = 0; warming up begins elsewhere.
      const now = carrier()
      if (!now.equals(rest)) cloth.teleport(now.clone().multiply(rest.clone().invert()))
    },
    cloth: { node: node.index, spans: source.spans, mark },
  }
}

const OPTIONS = ['weld', ...Object.keys(CLOTH_OPTIONS_DEFAULTS).filter((key) => key !== 'floor')]

type Attribute = BufferAttribute | InterleavedBufferAttribute

/** The primitives of a mesh as one. */
class Source {
  readonly spans: Span[] = []
  readonly triangles: Uint32Array<ArrayBuffer>
  readonly vertices: number
  readonly skinned: boolean
  readonly #meshes: readonly Mesh[]

  constructor(path: string, name: string, { object, meshes }: MeshNode) {
    const fault = (what: string) => new LimberError('invalid-input', `${path}: ${shown(name)} ${what}`)
    object.traverse((one) => {
      if ('isPoints' in one || 'isLine' in one) throw fault('has points or lines, and a cloth is of triangles')
    })
    if (meshes.length === 0) throw fault('has no triangles')
    if (meshes.some((mesh) => 'isInstancedMesh' in mesh)) throw fault('is shown many times, and a cloth is one')
    this.#meshes = meshes
    this.skinned = 'isSkinnedMesh' in meshes[0]!
    const mirrored = !this.skinned && meshes[0]!.matrixWorld.determinant() < 0
    const triangles: number[] = []
    let start = 0
    for (const { geometry } of meshes) {
      const count = geometry.getAttribute('position').count
      const { index } = geometry
      const corners = (index?.count ?? count) - ((index?.count ?? count) % 3)
      const own = Uint32Array.from({ length: corners }, (_, i) => index?.getX(i) ?? i)
      if (mirrored) for (let i = 0; i < corners; i += 3) own.set([own[i + 2]!, own[i + 1]!], i + 1)
      for (const corner of own) triangles.push(start + corner)
      this.spans.push({ start, count, indices: mirrored ? own : undefined })
      start += count
    }
    this.vertices = start
    this.triangles = Uint32Array.from(triangles)
  }

  /** Calls `each` for all vertices. */
  forEach(each: (vertex: number, mesh: Mesh, own: number) => void): void {
    this.spans.forEach(({ start, count }, m) => {
      for (let i = 0; i < count; i++) each(start + i, this.#meshes[m]!, i)
    })
  }

  /** An attribute by its name in the file, of every primitive. */
  attribute(path: string, semantic: string): Attribute[] {
    const key = NAMES[semantic] ?? semantic.toLowerCase()
    return this.#meshes.map(({ geometry }) => {
      const found = geometry.getAttribute(key) as Attribute | undefined
      if (found) return found
      const known = Object.keys(geometry.attributes).map(
        (own) => Object.keys(NAMES).find((semantic) => NAMES[semantic] === own) ?? own.toUpperCase(),
      )
      throw new LimberError(
        'invalid-option',
        `${path}: the mesh has no attribute ${shown(semantic)}; it has ${known.join(', ')}`,
      )
    })
  }

  /** What carries the mesh, read when it is called: its node; or the bone that holds most of `chosen`, or of all vertices. */
  carrier(chosen: readonly number[]): () => Matrix4 {
    const [first] = this.#meshes as [Mesh]
    const matrix = new Matrix4()
    if (!this.skinned) {
      return () => {
        first.updateWorldMatrix(true, false)
        return matrix.copy(first.matrixWorld)
      }
    }
    const { skeleton, bindMatrix } = first as SkinnedMesh
    const weights = new Float64Array(skeleton.bones.length)
    const meant = new Set(chosen)
    this.forEach((vertex, mesh, own) => {
      if (meant.size > 0 && !meant.has(vertex)) return
      for (const [bone, weight] of influences(mesh, own)) weights[bone]! += weight
    })
    const most = weights.indexOf(Math.max(...weights))
    return () => boneMatrix(skeleton.bones[most]!, skeleton.boneInverses[most]!, bindMatrix, matrix)
  }

  /** `[x, y, z] × vertices` in the world, as `carrier` has them. */
  placed(carrier: Matrix4): Float32Array<ArrayBuffer> {
    const out = new Float32Array(this.vertices * 3)
    const point = new Vector3()
    this.forEach((vertex, { geometry }, own) => {
      const position = geometry.getAttribute('position')
      point.fromBufferAttribute(position, own).applyMatrix4(carrier)
      point.toArray(out, vertex * 3)
    })
    return out
  }

  /** The weight with which a bone holds each vertex. */
  weights(bone: Object3D): number[] | undefined {
    const place = this.skinned ? (this.#meshes[0] as SkinnedMesh).skeleton.bones.indexOf(bone as never) : -1
    if (place < 0) return undefined
    const out = new Array<number>(this.vertices).fill(0)
    this.forEach((vertex, mesh, own) => {
      for (const [bone, weight] of influences(mesh, own)) if (bone === place) out[vertex]! += weight
    })
    return out
  }

  /** Pinned vertices follow the bones, each by its weights. */
  follow(cloth: Cloth<MeshVertices>): void {
    const slots = new Map(Array.from(cloth.pins.vertices, (vertex, slot) => [vertex, slot]))
    const points: SkinnedPoint[] = []
    this.forEach((vertex, mesh, own) => {
      const slot = slots.get(vertex)
      if (slot !== undefined) points.push(skinnedPoint(mesh as SkinnedMesh, own, slot))
    })
    const [first] = points as [SkinnedPoint]
    const skin = new SkinFollower(cloth, points)
    skin.matrixWorld.makeTranslation(new Vector3().fromArray(cloth.pins.targets, first.slot * 3))
    cloth.attach([cloth.pins.vertices[first.slot]!], skin)
    skin.free = true
  }
}

/** Attributes by their names in the file, where three.js calls them otherwise. */
const NAMES: Record<string, string> = {
  POSITION: 'position',
  NORMAL: 'normal',
  TANGENT: 'tangent',
  TEXCOORD_0: 'uv',
  TEXCOORD_1: 'uv1',
  TEXCOORD_2: 'uv2',
  TEXCOORD_3: 'uv3',
  COLOR_0: 'color',
  WEIGHTS_0: 'skinWeight',
  JOINTS_0: 'skinIndex',
}

/** A pinned vertex of a skinned mesh. */
interface SkinnedPoint {
  /** Its place among the pins. */
  slot: number
  place: Vector3
  bind: Matrix4
  bones: readonly (readonly [bone: Object3D, inverse: Matrix4, weight: number])[]
}

function skinnedPoint(mesh: SkinnedMesh, vertex: number, slot: number): SkinnedPoint {
  const { bones, boneInverses } = mesh.skeleton
  return {
    slot,
    place: new Vector3().fromBufferAttribute(mesh.geometry.getAttribute('position'), vertex),
    bind: mesh.bindMatrix,
    bones: influences(mesh, vertex).map(([b, weight]) => [bones[b]!, boneInverses[b]!, weight]),
  }
}

/**
 * Pins on a skin. The first of them follows this object, and where that is asked for its place, as each step of the cloth
 * begins, the others are put to theirs: what steps before the cloth has moved the bones by then.
 */
class SkinFollower extends Object3D {
  /** Whether it follows the bones; before, it stays where it was put. */
  free = false
  readonly #cloth: Cloth<MeshVertices>
  readonly #points: readonly SkinnedPoint[]
  readonly #bones: ReadonlySet<Object3D>

  constructor(cloth: Cloth<MeshVertices>, points: readonly SkinnedPoint[]) {
    super()
    this.#cloth = cloth
    this.#points = points
    this.#bones = new Set(points.flatMap(({ bones }) => bones.map(([bone]) => bone)))
  }

  override updateWorldMatrix(): void {
    if (!this.free) return
    const { targets } = this.#cloth.pins
    for (const bone of this.#bones) bone.updateWorldMatrix(true, false)
    this.#points.forEach(({ slot, place, bind, bones }, i) => {
      sum.set(0, 0, 0)
      for (const [{ matrixWorld }, inverse, weight] of bones) {
        matrix.multiplyMatrices(matrixWorld, inverse).multiply(bind)
        sum.addScaledVector(point.copy(place).applyMatrix4(matrix), weight)
      }
      sum.toArray(targets, slot * 3)
      if (i === 0) this.matrixWorld.makeTranslation(sum)
    })
  }
}

const sum = /* @__PURE__ */ new Vector3()
const point = /* @__PURE__ */ new Vector3()
const matrix = /* @__PURE__ */ new Matrix4()

/** Takes what a bone holds from the bind pose to the world. */
function boneMatrix(bone: Object3D, inverse: Matrix4, bind: Matrix4, out: Matrix4): Matrix4 {
  bone.updateWorldMatrix(true, false)
  return out.multiplyMatrices(bone.matrixWorld, inverse).multiply(bind)
}

/** Bones, by their places in the skeleton, that hold a vertex, with their weights. */
function influences({ geometry }: Mesh, vertex: number): [bone: number, weight: number][] {
  const [indices, weights] = [geometry.getAttribute('skinIndex'), geometry.getAttribute('skinWeight')]
  const found: [number, number][] = []
  for (let c = 0; c < INFLUENCES; c++) {
    const weight = weights.getComponent(vertex, c)
    if (weight > 0) found.push([indices.getComponent(vertex, c), weight])
  }
  return found
}

/** The vertices that are meant, ascending, and the attribute that marks them. */
function choose(
  path: string,
  source: Source,
  given: ClothConfig['pinned'],
  find: (bone: string) => Object3D,
): { chosen: number[]; mark: string | undefined } {
  if (given === undefined) return { chosen: [], mark: undefined }
  const all = Array.from({ length: source.vertices }, (_, v) => v)
  if (Array.isArray(given)) {
    const wrong = given.findIndex((v) => !Number.isInteger(v) || v < 0 || v >= source.vertices)
    if (wrong < 0) return { chosen: [...new Set(given as number[])].sort((a, b) => a - b), mark: undefined }
    const range = `a whole number from 0 to ${source.vertices - 1}`
    throw new LimberError('invalid-option', `${path}[${wrong}] must be ${range}, got ${shown(given[wrong])}`)
  }
  const kinds = ['attribute', 'box', 'top', 'bone'] as const
  const kind = kinds.find((key) => typeof given === 'object' && given !== null && key in given)
  const more = { attribute: ['above', 'component'], box: [], top: [], bone: ['weight'] }
  if (!kind) {
    throw new LimberError(
      'invalid-option',
      `${path} must be a list of vertices or an object with one of ${kinds.join(', ')}, got ${shown(given)}`,
    )
  }
  checkKeys(path, given, [kind, ...more[kind]], path)
  const rule = given as unknown as Record<string, never>
  let test: (vertex: number) => boolean
  if (kind === 'attribute') {
    const { attribute, above = 0.5, component = 0 } = given as { attribute: string; above?: number; component?: number }
    if (typeof attribute !== 'string')
      throw new LimberError('invalid-option', `${path}.attribute must be a name, got ${shown(attribute)}`)
    checkNumber(`${path}.above`, above, -1e6, 1e6)
    const values = source.attribute(`${path}.attribute`, attribute)
    const most = Math.min(...values.map(({ itemSize }) => itemSize)) - 1
    if (!Number.isInteger(component) || component < 0 || component > most) {
      throw new LimberError(
        'invalid-option',
        `${path}.component must be a whole number from 0 to ${most}, got ${shown(component)}`,
      )
    }
    const numbers: number[] = []
    source.spans.forEach(({ count }, s) => {
      for (let i = 0; i < count; i++) numbers.push(values[s]!.getComponent(i, component))
    })
    test = (v) => numbers[v]! > above
  } else if (kind === 'bone') {
    const weight: unknown = rule.weight ?? 0.5
    checkNumber(`${path}.weight`, weight, Number.MIN_VALUE, 1)
    const weights = source.weights(find(rule.bone as unknown as string))
    if (!weights) {
      const why = source.skinned ? 'the skeleton of the mesh has not' : 'the mesh has no skeleton'
      throw new LimberError('invalid-option', `${path}.bone must hold the mesh, and ${why}, got ${shown(rule.bone)}`)
    }
    test = (v) => weights[v]! >= weight
  } else {
    const rest = source.placed(source.carrier([])())
    if (kind === 'top') {
      const share: unknown = rule.top
      checkNumber(`${path}.top`, share, Number.MIN_VALUE, 1)
      const heights = all.map((v) => rest[v * 3 + 1]!)
      const high = heights.reduce((a, b) => Math.max(a, b))
      const low = heights.reduce((a, b) => Math.min(a, b))
      test = (v) => heights[v]! >= high - share * (high - low)
    } else {
      const box = rule.box as unknown as { min: never; max: never }
      checkKeys(`${path}.box`, box, ['min', 'max'], `${path}.box`)
      const [min, max] = [vector(`${path}.box.min`, box.min, 'm'), vector(`${path}.box.max`, box.max, 'm')]
      const point = new Vector3()
      test = (v) => {
        point.fromArray(rest, v * 3)
        return [0, 1, 2].every(
          (c) => point.getComponent(c) >= min.getComponent(c) && point.getComponent(c) <= max.getComponent(c),
        )
      }
    }
  }
  const chosen = all.filter(test)
  if (chosen.length === 0) {
    throw new LimberError(
      'invalid-option',
      `${path} chooses none of ${source.vertices} vertices: leave it out for none`,
    )
  }
  return { chosen, mark: kind === 'attribute' ? (rule.attribute as unknown as string) : undefined }
}
