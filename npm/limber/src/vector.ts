import type { Matrix4, Object3D } from 'three'
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
  out: number[] | Float32Array | Float64Array,
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

/** Throws `invalid-option` unless `value` is a `Matrix4`. */
export function checkMatrix(path: string, value: unknown): asserts value is Matrix4 {
  if ((value as { isMatrix4?: unknown } | null | undefined)?.isMatrix4) return
  throw new LimberError('invalid-option', `${path} must be a Matrix4, got ${shown(value)}`)
}

/** Throws `invalid-option` unless `value` is an `Object3D`. */
export function checkObject(path: string, value: unknown): asserts value is Object3D {
  if ((value as Object3D | null | undefined)?.isObject3D) return
  throw new LimberError('invalid-option', `${path} must be an Object3D, got ${shown(value)}`)
}

function inReach(n: unknown): n is number {
  return typeof n === 'number' && n >= -FAR && n <= FAR
}
