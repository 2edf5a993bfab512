import { Quaternion } from 'three'
import type { RecordedMesh } from './recording.js'

/**
 * Looping by a crossfade. Recorded are the frames from some before 0 to `duration`; the last frames fade into those before
 * 0, so that the last one is the first one, and the motion that leads to it is the one that leads to the first. The fade
 * begins and ends slowly, in its second derivative too: velocities meet. (Perlin 2002, the fade of improved noise.)
 */
const eased = (share: number) => share * share * share * (share * (6 * share - 15) + 10)

/** Fades `count` numbers at `to` into those at `from`; at a share of 1 they are the same bits. */
export function fadeInto(
  into: Float32Array | Float64Array,
  to: number,
  source: Float32Array | Float64Array,
  from: number,
  count: number,
  share: number,
): void {
  const weight = eased(share)
  for (let i = 0; i < count; i++) {
    const [a, b] = [into[to + i]!, source[from + i]!]
    into[to + i] = share === 1 ? b : a + (b - a) * weight
  }
}

/** The same with a quaternion, the shorter way. */
export function fadeRotation(numbers: Float64Array, to: number, from: number, share: number): void {
  if (share === 1) numbers.copyWithin(to, from, from + 4)
  else Quaternion.slerpFlat(numbers as never, to, numbers as never, to, numbers as never, from, eased(share))
}

/** Fades the last frames of a mesh into its first `fade` ones, and drops these. */
export function fadeMesh({ positions, normals }: RecordedMesh, fade: number): void {
  const before = { positions: positions.splice(0, fade), normals: normals.splice(0, fade) }
  const last = positions.length - 1
  for (let i = 1; i <= fade; i++) {
    const to = last - fade + i
    const from = { positions: before.positions[i] ?? positions[0]!, normals: before.normals[i] ?? normals[0]! }
    fadeInto(positions[to]!, 0, from.positions, 0, from.positions.length, i / fade)
    fadeInto(normals[to]!, 0, from.normals, 0, from.normals.length, i / fade)
    if (i < fade) normalize(normals[to]!)
  }
}

/** Makes normals as long as 1, and up where there is none. */
export function normalize(normals: Float32Array): void {
  for (let i = 0; i < normals.length; i += 3) {
    const length = Math.hypot(normals[i]!, normals[i + 1]!, normals[i + 2]!)
    if (length > 0) for (let c = 0; c < 3; c++) normals[i + c]! /= length
    else normals.set([0, 1, 0], i)
  }
}
