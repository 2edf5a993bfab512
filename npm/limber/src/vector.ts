import { LimberError, shown } from './error.js'

/** A point or direction: `[x, y, z]`, or anything with `x`, `y` and `z`, such as a `Vector3`. */
export type VectorLike =
  readonly [x: number, y: number, z: number] | { readonly x: number; readonly y: number; readonly z: number }

/** Largest coordinate that the core takes. */
export const FAR = 1_000_000

/** Writes `value` to `out` at `offset`. @throws LimberError `invalid-option` naming `path` */
export function readVector(
  path: string,
  value: VectorLike,
  out: number[] | Float32Array,
  offset = 0,
  unit = 'm',
): void {
  const list = Array.isArray(value) ? (value as readonly number[]) : undefined
  const point = list ? undefined : (value as { x: number; y: number; z: number } | null | undefined)
  const x = list ? list[0] : point?.x
  const y = list ? list[1] : point?.y
  const z = list ? list[2] : point?.z
  if (!inReach(x) || !inReach(y) || !inReach(z) || (list && list.length !== 3)) {
    const given =
      list || point ? `[${list ? list.map(String).join(', ') : [x, y, z].map(String).join(', ')}]` : shown(value)
    throw new LimberError(
      'invalid-option',
      `${path} must be [x, y, z] of numbers from -${FAR} to ${FAR} (${unit}), got ${given}`,
    )
  }
  out[offset] = x
  out[offset + 1] = y
  out[offset + 2] = z
}

function inReach(n: unknown): n is number {
  return typeof n === 'number' && n >= -FAR && n <= FAR
}

/**
 * The numbers of `vertices`, ascending and each once.
 *
 * @throws LimberError `invalid-option` naming `path` for one that is no vertex
 */
export function readVertices(path: string, vertices: Iterable<number>, count: number): Uint32Array<ArrayBuffer> {
  if (typeof vertices !== 'object' || vertices === null || typeof vertices[Symbol.iterator] !== 'function') {
    throw new LimberError('invalid-option', `${path} must be a list of vertices, got ${shown(vertices)}`)
  }
  const found = new Set<number>()
  let place = 0
  for (const vertex of vertices) {
    if (!Number.isInteger(vertex) || vertex < 0 || vertex >= count) {
      const range = `a whole number from 0 to ${count - 1}`
      throw new LimberError('invalid-option', `${path}[${place}] must be ${range}, got ${shown(vertex)}`)
    }
    found.add(vertex)
    place += 1
  }
  return Uint32Array.from(found).sort()
}
