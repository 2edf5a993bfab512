import type { Matrix4, Object3D } from 'three'
import { LimberError, shown } from './error.js'

/** A point or direction: `[x, y, z]`, or anything with `x`, `y` and `z`, such as a `Vector3`. */
export type VectorLike =
  readonly [x: number, y: number, z: number] | { readonly x: number; readonly y: number; readonly z: number }

/** A rotation: `[x, y, z, w]`, or anything with `x`, `y`, `z` and `w`, such as a `Quaternion`. */
export type QuaternionLike =
  | readonly [x: number, y: number, z: number, w: number]
  | { readonly x: number; readonly y: number; readonly z: number; readonly w: number }

/** Largest coordinate that the core takes. */
export const FAR = 1_000_000

/**
 * Writes `value`, of numbers from `low` to {@link FAR}, to `out` at `offset`.
 *
 * @throws LimberError `invalid-option` naming `path`
 */
export function readVector(
  path: string,
  value: VectorLike,
  out: number[] | Float32Array | Float64Array,
  offset = 0,
  unit = 'm',
  low = -FAR,
): void {
  if (read(value, 3, out, offset, low)) return
  throw new LimberError(
    'invalid-option',
    `${path} must be [x, y, z] of numbers from ${low} to ${FAR} (${unit}), got ${listed(value, 3)}`,
  )
}

/**
 * Writes `value`, made of unit length, to `out` at `offset`; no turn where it is left out.
 *
 * @throws LimberError `invalid-option` naming `path`
 */
export function readQuaternion(
  path: string,
  value: QuaternionLike | undefined,
  out: number[] | Float32Array | Float64Array,
  offset = 0,
): void {
  const whole = read(value === undefined ? NO_TURN : value, 4, out, offset, -FAR)
  let square = 0
  for (let i = offset; i < offset + 4; i++) square += out[i]! * out[i]!
  if (!whole || !(square > 0)) {
    throw new LimberError(
      'invalid-option',
      `${path} must be a quaternion [x, y, z, w] of numbers from -${FAR} to ${FAR}, not all 0, got ${listed(value, 4)}`,
    )
  }
  const length = Math.sqrt(square)
  for (let i = offset; i < offset + 4; i++) out[i]! /= length
}

const NO_TURN = [0, 0, 0, 1] as const

/**
 * Writes the `count` numbers of `value` to `out`, and says whether all are numbers from `low` to {@link FAR}. A list and an
 * object go apart: a number that may come from either would be boxed, and colliders are set in every frame.
 */
function read(
  value: VectorLike | QuaternionLike,
  count: number,
  out: number[] | Float32Array | Float64Array,
  offset: number,
  low: number,
): boolean {
  if (Array.isArray(value)) {
    const list = value as readonly number[]
    if (list.length !== count) return false
    for (let i = 0; i < count; i++) {
      const n = list[i]
      if (!(typeof n === 'number' && n >= low && n <= FAR)) return false
      out[offset + i] = n
    }
    return true
  }
  const { x, y, z, w } = (value ?? {}) as { x?: unknown; y?: unknown; z?: unknown; w?: unknown }
  if (!inReach(x) || !inReach(y) || !inReach(z) || x < low || y < low || z < low) return false
  out[offset] = x
  out[offset + 1] = y
  out[offset + 2] = z
  if (count === 3) return true
  if (!inReach(w)) return false
  out[offset + 3] = w
  return true
}

/** What was given, for a message. */
function listed(value: unknown, count: number): string {
  const given = value as { x: unknown; y: unknown; z: unknown; w: unknown } | null | undefined
  if (!given) return shown(value)
  const { x, y, z, w } = given
  const numbers = Array.isArray(value) ? (value as unknown[]) : [x, y, z, w].slice(0, count)
  return `[${numbers.map(String).join(', ')}]`
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

/** Whether the core takes it as a coordinate. */
export function inReach(n: unknown): n is number {
  return typeof n === 'number' && n >= -FAR && n <= FAR
}
