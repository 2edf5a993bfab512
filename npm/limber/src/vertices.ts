import type { Vector3 } from 'three'
import { LimberError, shown } from './error.js'

/** Vertices of a grid: an edge, the four corners, a list, or a choice by column `i` and row `j`. */
export type GridVertices =
  'top' | 'bottom' | 'left' | 'right' | 'corners' | Iterable<number> | ((i: number, j: number) => boolean)

/** Vertices of a cloth made of a geometry: a list, or a choice by number and world position. */
export type MeshVertices = Iterable<number> | ((index: number, position: Vector3) => boolean)

/** Size of a grid in vertices. */
interface GridSize {
  columns: number
  rows: number
}

/** Whether the vertex in column `i` of row `j` is on the named edge. */
const EDGES = {
  top: (_: number, j: number) => j === 0,
  bottom: (_: number, j: number, { rows }: GridSize) => j === rows - 1,
  left: (i: number) => i === 0,
  right: (i: number, _: number, { columns }: GridSize) => i === columns - 1,
  corners: (i: number, j: number, { columns, rows }: GridSize) => i % (columns - 1) === 0 && j % (rows - 1) === 0,
}

/** Vertices of a grid, ascending and each once. @throws LimberError `invalid-option` naming `path` */
export function readGridVertices(path: string, given: unknown, grid: GridSize): Uint32Array<ArrayBuffer> {
  const { columns, rows } = grid
  const chosen = typeof given === 'string' && Object.hasOwn(EDGES, given) ? EDGES[given as keyof typeof EDGES] : given
  if (typeof chosen !== 'function') {
    const forms = `one of ${Object.keys(EDGES).join(', ')}, a list of vertices or a function of (i, j)`
    return readVertices(path, chosen, columns * rows, forms)
  }
  const vertices: number[] = []
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) if (chosen(i, j, grid)) vertices.push(j * columns + i)
  }
  return Uint32Array.from(vertices)
}

/**
 * Vertices of a cloth made of a geometry, ascending and each once; `position(v)` is where vertex `v` is.
 *
 * @throws LimberError `invalid-option` naming `path`
 */
export function readMeshVertices(
  path: string,
  given: unknown,
  count: number,
  position: (vertex: number) => Vector3,
): Uint32Array<ArrayBuffer> {
  if (typeof given !== 'function') {
    return readVertices(path, given, count, 'a list of vertices or a function of (index, position)')
  }
  const vertices: number[] = []
  for (let v = 0; v < count; v++) if (given(v, position(v))) vertices.push(v)
  return Uint32Array.from(vertices)
}

function readVertices(path: string, given: unknown, count: number, forms: string): Uint32Array<ArrayBuffer> {
  if (!isIterable(given)) throw new LimberError('invalid-option', `${path} must be ${forms}, got ${shown(given)}`)
  const found = new Set<number>()
  let place = 0
  for (const vertex of given) {
    if (!Number.isInteger(vertex) || (vertex as number) < 0 || (vertex as number) >= count) {
      const range = `a whole number from 0 to ${count - 1}`
      throw new LimberError('invalid-option', `${path}[${place}] must be ${range}, got ${shown(vertex)}`)
    }
    found.add(vertex as number)
    place += 1
  }
  return Uint32Array.from(found).sort()
}

/** Whether it is a list of something; a text is not. */
export function isIterable(value: unknown): value is Iterable<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as Iterable<unknown>)[Symbol.iterator] === 'function'
  )
}
