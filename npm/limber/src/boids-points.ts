import { inReach, readVector, type VectorLike } from './vector.js'

/** A point or direction: as {@link VectorLike}, or `[x, y]` in 2D. */
export type BoidsPoint = VectorLike | readonly [x: number, y: number]

/** Whether it is a list of two numbers that can be coordinates. */
export function isPair(value: unknown): value is readonly [x: number, y: number] {
  return Array.isArray(value) && value.length === 2 && inReach(value[0]) && inReach(value[1])
}

/**
 * Writes a point or direction to `out` at `offset`. No list is made for it, as influences are read in every frame.
 *
 * @throws LimberError `invalid-option` naming `path`
 */
export function readPoint(
  path: string,
  value: BoidsPoint,
  dimensions: 2 | 3,
  out: number[] | Float32Array | Float64Array,
  offset = 0,
): void {
  if (dimensions === 3 || !isPair(value)) return readVector(path, value as VectorLike, out, offset)
  out[offset] = value[0]
  out[offset + 1] = value[1]
  out[offset + 2] = 0
}
