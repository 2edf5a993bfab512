import { AnimationMixer, Vector3, type AnimationClip, type Object3D } from 'three'
import { checkKeys, checkNumber, LimberError, shown, type VectorLike } from 'limber/core'
import type { WindConfig } from './config.js'

/** How long a scene is, and how its clip runs. */
export interface Timing {
  /** Seconds. */
  duration: number
  /** Seconds after which everything repeats itself, where it does. */
  loop: number | undefined
  /** How many times the clip runs in a loop. */
  rounds: number
  /** Frames a second. */
  fps: number
}

/** @throws LimberError `invalid-option` for a length that is missing, or that the clip does not fit into */
export function timing(
  clip: AnimationClip | undefined,
  given: number | undefined,
  fps: number,
  loops: boolean,
): Timing {
  const duration = given ?? clip?.duration
  if (duration === undefined) {
    throw new LimberError(
      'invalid-option',
      'duration must be given (s) where there is no clip, whose length it would be',
    )
  }
  if (given === undefined && duration < 1 / fps) {
    throw new LimberError(
      'invalid-option',
      `duration must be given (s): the clip ${shown(clip!.name)} is ${duration} s long`,
    )
  }
  checkNumber('duration', duration, 1 / fps, 3600, 's')
  let rounds = 1
  if (loops && clip && clip.duration > 0) {
    rounds = Math.max(Math.round(duration / clip.duration), 1)
    if (Math.abs(duration - rounds * clip.duration) > 1e-3 * clip.duration) {
      throw new LimberError(
        'invalid-option',
        `duration must be ${clip.duration} s, that of the clip, or a whole number of times that, where loop is set, got ${duration}`,
      )
    }
  }
  return { duration, loop: loops ? duration : undefined, rounds, fps }
}

/** Where a clip is at a time of the scene, in seconds. */
export function clipTime(t: number, { loop, rounds }: Timing, length: number): number {
  if (loop === undefined) return Math.min(Math.max(t, 0), length)
  const period = loop / rounds
  const scale = length / period
  const local = t - period * Math.floor(t / period)
  return Math.min(Math.max(Math.abs(scale - 1) < 1e-6 ? local : local * scale, 0), length)
}

/** Poses everything below `root` by the clip. */
export function clipDrive(root: Object3D, clip: AnimationClip, times: Timing): (t: number) => void {
  const mixer = new AnimationMixer(root)
  const action = mixer.clipAction(clip).play()
  return (t) => {
    action.time = clipTime(t, times, clip.duration)
    mixer.update(0)
  }
}

/** Frequencies of gusts, as parts of one over their period, and how much each counts. */
const WAVES = [
  [1, 0.5],
  [1.7, 0.3],
  [3.1, 0.2],
] as const

/**
 * Wind as a function of time: a sum of sines whose phases the seed chooses; at most 1 in sum, so that a gust is never more
 * than was asked for. In a loop each takes a whole number of turns.
 */
export function windDrive(
  path: string,
  given: WindConfig,
  seed: number,
  loop: number | undefined,
): (t: number, out: Vector3) => void {
  const isPlain = Array.isArray(given) || (typeof given === 'object' && given !== null && 'x' in given)
  if (isPlain) {
    const still = vector(path, given as VectorLike, 'm/s')
    return (_, out) => void out.copy(still)
  }
  checkKeys(path, given, ['base', 'gust', 'period'], path)
  const { base: mean = [0, 0, 0], gust = 0, period = 2 } = given as Exclude<WindConfig, VectorLike>
  const base = vector(`${path}.base`, mean, 'm/s')
  checkNumber(`${path}.period`, period, 0.1, 60, 's')
  let most: Vector3
  const along = typeof gust === 'number'
  if (along) {
    checkNumber(`${path}.gust`, gust, 0, 1000, 'm/s')
    if (gust > 0 && base.length() === 0) {
      throw new LimberError('invalid-option', `${path}.gust must be [x, y, z] (m/s) where base is none, got ${gust}`)
    }
    most = base.clone().normalize().multiplyScalar(gust)
  } else most = vector(`${path}.gust`, gust, 'm/s')
  const next = random(seed)
  const waves = [0, 1, 2].map(() =>
    WAVES.map(([factor, size]) => {
      const frequency = factor / period
      const turns = loop === undefined ? frequency : Math.max(Math.round(frequency * loop), 1) / loop
      return { speed: turns * 2 * Math.PI, size, phase: next() * 2 * Math.PI }
    }),
  )
  const wave = (c: number, t: number) =>
    waves[along ? 0 : c]!.reduce((sum, { speed, size, phase }) => sum + size * Math.sin(speed * t + phase), 0)
  return (t, out) => {
    out.set(base.x + most.x * wave(0, t), base.y + most.y * wave(1, t), base.z + most.z * wave(2, t))
  }
}

/** Numbers from 0 to 1 that a seed chooses: splitmix32. */
function random(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let z = state
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32
  }
}

/** Three numbers. @throws LimberError `invalid-option` naming `path` */
export function vector(path: string, given: VectorLike, unit: string): Vector3 {
  const { x, y, z } = (given ?? {}) as { x?: unknown; y?: unknown; z?: unknown }
  const list: unknown[] = Array.isArray(given) ? given : [x, y, z]
  if (list.length === 3 && list.every((n) => typeof n === 'number' && Math.abs(n) <= 1_000_000)) {
    return new Vector3(...(list as [number, number, number]))
  }
  throw new LimberError(
    'invalid-option',
    `${path} must be [x, y, z] of numbers from -1000000 to 1000000 (${unit}), got ${
      Array.isArray(given) ? `[${list.map(String).join(', ')}]` : shown(given)
    }`,
  )
}
