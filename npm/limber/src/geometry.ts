import { BufferAttribute, BufferGeometry, type InterleavedBufferAttribute, type Matrix4, Vector3 } from 'three'
import { LimberError, shown } from './error.js'
import { checkMatrix } from './vector.js'

/** What a geometry becomes for the core. */
export interface MeshSource {
  /** `[x, y, z] × vertices`, world, metres. */
  positions: Float32Array<ArrayBuffer>
  /** `[a, b, c] × triangles`, vertices. */
  triangles: Uint32Array<ArrayBuffer>
}

/** The vertices and triangles of any geometry, indexed or not, interleaved, quantised; `matrix` takes them to the world. */
export function readGeometry(geometry: BufferGeometry, matrix: Matrix4 | undefined): MeshSource {
  if (!geometry?.isBufferGeometry) {
    throw new LimberError('invalid-option', `geometry must be a BufferGeometry, got ${shown(geometry)}`)
  }
  const position = geometry.getAttribute('position') as BufferAttribute | InterleavedBufferAttribute | undefined
  if (!position?.array || position.itemSize < 3 || position.count === 0) {
    throw new LimberError('invalid-input', 'geometry must have a position attribute of x, y and z')
  }
  if (matrix !== undefined) {
    checkMatrix('matrix', matrix)
    if (!matrix.elements.every(Number.isFinite)) {
      throw new LimberError('invalid-option', 'matrix must hold finite numbers')
    }
  }
  const positions = new Float32Array(position.count * 3)
  const point = new Vector3()
  for (let v = 0; v < position.count; v++) {
    point.fromBufferAttribute(position, v)
    if (matrix) point.applyMatrix4(matrix)
    point.toArray(positions, v * 3)
  }
  const { index } = geometry
  const corners = (index ?? position).count
  const triangles = new Uint32Array(corners - (corners % 3))
  for (let i = 0; i < triangles.length; i++) triangles[i] = index ? index.getX(i) : i
  if (matrix && matrix.determinant() < 0) turn(triangles)
  return { positions, triangles }
}

/** Attributes that a cloth writes itself, or that would move its vertices a second time. */
const NOT_KEPT = ['position', 'normal', 'tangent', 'skinIndex', 'skinWeight']

/** A geometry for a cloth's output: index, groups and all attributes of `source` that stay true, as copies. */
export function outputGeometry(source: BufferGeometry, mirrored: boolean): BufferGeometry {
  const geometry = new BufferGeometry()
  geometry.name = source.name
  for (const [name, attribute] of Object.entries(source.attributes)) {
    const instanced = 'isInstancedBufferAttribute' in attribute
    if (!NOT_KEPT.includes(name) && 'array' in attribute && !instanced) geometry.setAttribute(name, copied(attribute))
  }
  for (const { start, count, materialIndex } of source.groups) geometry.addGroup(start, count, materialIndex)
  geometry.setDrawRange(source.drawRange.start, source.drawRange.count)
  if (source.index) geometry.setIndex(copied(source.index))
  if (mirrored) {
    const { index } = geometry
    const indices = index
      ? index.array
      : Uint32Array.from({ length: source.attributes['position']!.count }, (_, v) => v)
    turn(indices as Uint32Array)
    if (!index) geometry.setIndex(new BufferAttribute(indices, 1))
  }
  return geometry
}

/** A copy of its own memory, in the same type. */
function copied(attribute: BufferAttribute | InterleavedBufferAttribute): BufferAttribute {
  const { count, itemSize, normalized, array } = attribute
  const [stride, offset] = 'data' in attribute ? [attribute.data.stride, attribute.offset] : [itemSize, 0]
  const numbers = new (array.constructor as Uint8ArrayConstructor)(count * itemSize)
  for (let i = 0; i < count; i++) {
    for (let c = 0; c < itemSize; c++) numbers[i * itemSize + c] = array[i * stride + offset + c]!
  }
  // A Float16BufferAttribute decodes what it holds: keep the class where the source has one.
  const Type = 'data' in attribute ? BufferAttribute : (attribute.constructor as typeof BufferAttribute)
  const copy = new Type(numbers, itemSize, normalized)
  copy.name = attribute.name
  return copy
}

/** Turns every triangle round: a mirroring matrix turned them inside out. */
function turn(indices: Uint32Array | Uint16Array): void {
  for (let t = 0; t + 2 < indices.length; t += 3) {
    const b = indices[t + 1]!
    indices[t + 1] = indices[t + 2]!
    indices[t + 2] = b
  }
}
