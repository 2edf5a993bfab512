import { setImmediate } from 'node:timers/promises'
import type { Object3D } from 'three'
import {
  Boids,
  checkFunction,
  checkKeys,
  checkNumber,
  Cloth,
  JiggleBones,
  LimberError,
  Ragdoll,
  shown,
  type RagdollBody,
} from 'limber/core'
import { fadeMesh } from './loop.js'
import { RecordedFlock } from './recorded-flock.js'
import { SkeletonRecorder } from './recorded-skeleton.js'
import { Recording, RecordedMesh } from './recording.js'

/**
 * A simulation that can be recorded: a cloth as a mesh, jiggle bones and ragdolls as the skeleton that they move, boids as a
 * flock of places and rotations.
 */
export type BakeSubject = Cloth | JiggleBones | Ragdoll | Boids

/** What is recorded as a skeleton. */
type Boned = JiggleBones | Ragdoll

/**
 * What is recorded: one simulation, several, or several by name: the keys of an object; `cloth0`, `jiggle1`, … for a list;
 * `cloth`, `jiggle`, `ragdoll` or `boids` for one by itself. A cloth's name is that of its node in a file, and of its mesh in
 * a clip; a flock's that of the node that holds its boids; bones keep their own names.
 */
export type BakeSubjects = BakeSubject | readonly BakeSubject[] | Readonly<Record<string, BakeSubject>>

/** How a recording is made. */
export interface BakeOptions {
  /** Frames a second, from 1 to 240; 30 unless set. */
  fps?: number | undefined
  /** Length of the recording, in seconds, from one frame to 3600. */
  duration: number
  /** Seconds simulated before t = 0, from 0 to 3600, so that everything is in full motion then; 0 unless set. */
  warmup?: number | undefined
  /**
   * With cloth or jiggle bones: makes a loop, whose last frame is its first to the bit, and whose velocities meet there. Frames
   * are then spaced so that the last is at `duration` exactly, not to the nearest frame.
   *
   * - `'crossfade'`, the same as `true`: the last half second (or half of `duration` where that is less, or a frame where that is more) fades into what came
   *   before t = 0. A number says over how many seconds, from one frame to `duration`.
   * - `'periodic'`, for a `drive` that repeats itself after `duration`, below 0 too: all of it fades slowly into the round
   *   before. What differs from one round to the next is then spread over the whole loop, and nothing is there to be seen.
   *
   * It warms up for as long as it fades at least. Let `warmup` be long enough for the swing to settle: there is hardly anything
   * left to fade then. A bone that has turned round once, or any odd number of times, ends on minus its first quaternion, which
   * is the same rotation.
   */
  loop?: boolean | number | 'crossfade' | 'periodic' | undefined
  /**
   * With jiggle bones or a ragdoll: the object of which all that moves is recorded, with all bones. Every chain and every body
   * must be below it. Unless set, it is for each chain the topmost bone above it; or its first object, where that is no bone
   * and has none above. For each body of a ragdoll it is what `getUp` moves, so that this is in the recording.
   */
  root?: Object3D | undefined
  /**
   * Sets the scene to time `t`, in seconds from the first recorded frame: mixers, bones, pins, wind, colliders. `t` is below
   * 0 while warming up. The simulations' arrays may be touched here and nowhere else. A promise is waited for.
   */
  drive?: ((t: number) => unknown) | undefined
  /** Told after each frame how many of all are done; warming up counts. */
  onProgress?: ((done: number, total: number) => unknown) | undefined
  /** Stops the recording: `bake` then rejects with the signal's reason, and the simulations stay where they are. */
  signal?: AbortSignal | undefined
}

/** What is being recorded now. */
const recorded = new WeakSet<BakeSubject>()

/** Kinds of simulations, by the names that they have where none is given. */
const KINDS = { cloth: Cloth, jiggle: JiggleBones, ragdoll: Ragdoll, boids: Boids }

const KNOWN = ['fps', 'duration', 'warmup', 'loop', 'drive', 'onProgress', 'signal']
/** What cannot be made a loop. */
const ONCE = [
  [Ragdoll, 'a ragdoll: a fall'],
  [Boids, 'boids: a flock'],
] as const
/** Of recordings with bones. */
const WITH_BONES = ['root']

/**
 * Records simulations while `drive` moves their scene: the frame at t = 0 as it stands there, and every 1/fps seconds up
 * to `duration` one more. Between frames it is `drive(t)`, then `step(1 / fps)` of each in the order given, as in a live loop,
 * so that the bits are the same as in the browser.
 *
 * Of jiggle bones and ragdolls the whole skeleton is recorded, as it is after the step: the pose that `drive` gave it, and the
 * swing or the fall. Several that move one character are one skeleton; each body of a ragdoll is one by itself. Morph targets
 * are not recorded. Of boids, positions and rotations are, 28 bytes for each boid and frame.
 *
 * Steps run in the addon's thread pool. Frames so long that a call might drop time (below 30 a second, for a cloth or boids;
 * below 18, for jiggle bones; below 24, for ragdolls) are cut into equal parts, and `drive` is called for each.
 *
 * @example
 * const recording = await bake(cape, { duration: 4, drive: (t) => walk(t) })
 * await writeFile('cape.glb', await recording.toGLB())
 *
 * @example
 * const { duration } = clip
 * mixer.clipAction(clip).play()
 * const recording = await bake(jiggle, { duration, warmup: 3, loop: true, drive: (t) => mixer.setTime(t) })
 * await writeFile('walk.glb', await recording.toGLB({ onto: await readFile('character.glb') }))
 *
 * @example
 * let struck = false
 * const fall = await bake(ragdoll, {
 *   duration: 4,
 *   drive(t) {
 *     mixer.setTime(t + 1)
 *     if (t >= 0.5 && !struck) ragdoll.activate({ hit: { point: [0, 1.4, 0], impulse: [0, 0.5, -4] } })
 *     struck = t >= 0.5
 *   },
 * })
 *
 * @throws LimberError `invalid-option` naming option and range, or a simulation that is given twice, paused, or already
 *   being recorded; `invalid-input` for a bone without a name of its own, or without a finite pose, and for a ragdoll whose
 *   character is moved above what is recorded, and for boids whose torus changes; what a step throws
 */
export async function bake(subjects: BakeSubjects, options: BakeOptions): Promise<Recording> {
  const named = byName(subjects)
  const bones = named.filter((entry): entry is [string, Boned] => isBoned(entry[1]))
  const simulations = named.map(([, simulation]) => simulation)
  const { fps, frames, warm, fade } = readOptions(options, bones.length > 0, simulations)
  const groups = skeletons(bones, options.root)
  for (const simulation of simulations) recorded.add(simulation)
  try {
    const cloths = named.filter((entry): entry is [string, Cloth] => entry[1] instanceof Cloth)
    const meshes = cloths.map(([name, cloth]) => new RecordedMesh(name, cloth.geometry))
    const boids = named.filter((entry): entry is [string, Boids] => entry[1] instanceof Boids)
    const flocks = boids.map(([name, flock]) => new RecordedFlock(name, flock, frames, boids.length === 1))
    const recorders = groups.map(
      ({ name, tops, bones, swinging }) => new SkeletonRecorder(name, tops, bones, swinging, frames + fade),
    )
    const strays = rootsAbove(bones, groups)
    await run(simulations, options, fps, frames, warm, (frame) => {
      for (const stray of strays) stray.look(frame)
      if (frame < -fade) return
      meshes.forEach((mesh, i) => mesh.record(cloths[i]![1]))
      flocks.forEach((flock, i) => flock.record(frame, boids[i]![1]))
      for (const recorder of recorders) recorder.record(frame + fade)
    })
    if (fade) for (const mesh of meshes) fadeMesh(mesh, fade)
    return new Recording(
      fps,
      frames,
      meshes,
      recorders.map((recorder) => recorder.finish(fade)),
      flocks,
      fade > 0,
    )
  } finally {
    for (const simulation of simulations) recorded.delete(simulation)
  }
}

function isBoned(simulation: BakeSubject): simulation is Boned {
  return simulation instanceof JiggleBones || simulation instanceof Ragdoll
}

/** Runs the simulations, and calls `take` at each frame. */
async function run(
  simulations: readonly BakeSubject[],
  { drive, onProgress, signal }: BakeOptions,
  fps: number,
  frames: number,
  warm: number,
  take: (frame: number) => void,
): Promise<void> {
  const parts = Math.max(...simulations.map((simulation) => partsOfFrame(simulation, fps)))
  const inThread = simulations.every(({ backend, onFixedStep }) => !backend.advanceAsync || onFixedStep)
  for (let frame = -warm; frame < frames; frame++) {
    signal?.throwIfAborted()
    if (frame === -warm) {
      await drive?.(frame / fps)
      for (const simulation of simulations) simulation.step(0)
    } else {
      for (let part = 1; part <= parts; part++) {
        await drive?.((frame - 1 + part / parts) / fps)
        for (const simulation of simulations) await simulation.stepAsync(1 / fps / parts)
      }
    }
    take(frame)
    onProgress?.(frame + warm + 1, frames + warm)
    // Without a pool nothing else would run until the end: not even what aborts this.
    if (inThread) await setImmediate()
  }
  signal?.throwIfAborted()
}

/** What turns one character. */
interface Group {
  name: string
  /** Objects that all that is recorded is below, none below another. */
  tops: Object3D[]
  bones: Set<Object3D>
  swinging: Set<Object3D>
}

/** What a simulation moves: all jiggle bones together, and each body of a ragdoll. */
function movedBy(name: string, simulation: Boned): { name: string; bones: readonly Object3D[]; root?: Object3D }[] {
  if (!(simulation instanceof Ragdoll)) return [{ name, bones: simulation.bones }]
  const { bodies } = simulation
  return bodies.map(({ index, bones, root }) => ({
    name: bodies.length > 1 ? `${name}-${index}` : name,
    bones,
    ...(root && bones.every((bone) => lineOf(bone).includes(root)) && { root }),
  }))
}

function skeletons(named: readonly [name: string, simulation: Boned][], root: Object3D | undefined): Group[] {
  if (root !== undefined && (root as Object3D | null)?.isObject3D !== true) {
    throw new LimberError('invalid-option', `root must be an Object3D, got ${shown(root)}`)
  }
  const groups: Group[] = []
  for (const { name, bones, root: own, simulation } of named.flatMap(([name, simulation]) =>
    movedBy(name, simulation).map((moved) => ({ ...moved, simulation })),
  )) {
    const stray = root && bones.find((bone) => !lineOf(bone).includes(root))
    if (stray) {
      throw new LimberError(
        'invalid-option',
        `root must be above all bones of simulations.${name}, and is not above ${shown(stray.name)}`,
      )
    }
    const top = root ?? own
    const swinging = new Set(simulation instanceof JiggleBones ? bones : [])
    const group: Group = { name, tops: top ? [top] : bones.map(topOf), bones: new Set(bones), swinging }
    // With those that it shares something with.
    const same = groups.filter((other) => other.tops.some((a) => group.tops.some((b) => isWithin(a, b))))
    for (const other of same) groups.splice(groups.indexOf(other), 1)
    const all = [...same, group]
    const tops = [...new Set(all.flatMap((group) => group.tops))]
    groups.push({
      name: all[0]!.name,
      tops: tops.filter((top) => !tops.some((other) => other !== top && lineOf(top).includes(other))),
      bones: new Set(all.flatMap((group) => [...group.bones])),
      swinging: new Set(all.flatMap((group) => [...group.swinging])),
    })
  }
  return groups
}

/** What `getUp` moves and nothing records. */
function rootsAbove(named: readonly [name: string, simulation: Boned][], groups: readonly Group[]): StrayRoot[] {
  const isRecorded = (object: Object3D) => groups.some(({ tops }) => tops.some((top) => lineOf(object).includes(top)))
  return named.flatMap(([name, simulation]) =>
    simulation instanceof Ragdoll
      ? simulation.bodies.flatMap((body) =>
          body.root && !isRecorded(body.root) ? [new StrayRoot(name, body, body.root)] : [],
        )
      : [],
  )
}

/** Sees to it that the root of a body stands still while its bones are held in the world: a recording would not show it. */
class StrayRoot {
  readonly #name: string
  readonly #body: RagdollBody
  readonly #root: Object3D
  #pose: number[]
  #held = false

  constructor(name: string, body: RagdollBody, root: Object3D) {
    this.#name = name
    this.#body = body
    this.#root = root
    this.#pose = poseOf(root)
  }

  /** @throws LimberError `invalid-input` where it moved and is missed */
  look(frame: number): void {
    const pose = poseOf(this.#root)
    const held = this.#body.state !== 'animated'
    if (frame > 0 && (held || this.#held) && pose.some((n, i) => n !== this.#pose[i])) {
      throw new LimberError(
        'invalid-input',
        `simulations.${this.#name} moved ${shown(this.#root.name)} while it fell or got up, and that is above what is recorded: ` +
          'give it, or what is above it, as root, or leave root out',
      )
    }
    this.#pose = pose
    this.#held = held
  }
}

function poseOf({ position, quaternion, scale }: Object3D): number[] {
  return [...position, ...quaternion, ...scale]
}

/** The topmost bone above `object`, or itself. */
function topOf(object: Object3D): Object3D {
  return lineOf(object).findLast((above) => 'isBone' in above) ?? object
}

/** `object`, its parent, and so on. */
function lineOf(object: Object3D): Object3D[] {
  const line = [object]
  for (let above = object.parent; above; above = above.parent) line.push(above)
  return line
}

/** Whether one of two is, or holds, the other. */
function isWithin(a: Object3D, b: Object3D): boolean {
  return lineOf(a).includes(b) || lineOf(b).includes(a)
}

/**
 * Into how many parts a frame is cut so that no time is dropped: what is owed from the last call, less than a step, and the
 * part's own time must not come to more than one call runs.
 */
function partsOfFrame({ timeScale, maxSteps, fixedStep }: BakeSubject, fps: number): number {
  return Math.max(Math.ceil(timeScale / fps / (Math.max(maxSteps - 1, 1) * fixedStep) - 1e-9), 1)
}

/** Frames, those before 0, and those of these that the loop fades into. */
interface Frames {
  fps: number
  frames: number
  warm: number
  fade: number
}

function readOptions(options: BakeOptions, withBones: boolean, simulations: readonly BakeSubject[]): Frames {
  checkKeys('bake', options, withBones ? [...KNOWN, ...WITH_BONES] : KNOWN)
  const { fps = 30, duration, warmup = 0, drive, onProgress, signal } = options
  checkNumber('fps', fps, 1, 240, '1/s')
  checkNumber('duration', duration, 1 / fps, 3600, 's')
  checkNumber('warmup', warmup, 0, 3600, 's')
  checkFunction('drive', drive)
  checkFunction('onProgress', onProgress)
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
    throw new LimberError('invalid-option', `signal must be an AbortSignal, got ${shown(signal)}`)
  }
  const { loop = false } = options
  for (const [type, what] of ONCE) {
    if (loop === false || !simulations.some((simulation) => simulation instanceof type)) continue
    throw new LimberError('invalid-option', `loop is not for ${what} does not repeat itself`)
  }
  const steps = Math.max(Math.round(duration * fps), 1)
  if (loop === false) return { fps, frames: steps + 1, warm: Math.round(warmup * fps), fade: 0 }
  const rate = steps / duration
  const seconds =
    loop === true || loop === 'crossfade'
      ? Math.max(Math.min(0.5, duration / 2), 1 / rate)
      : loop === 'periodic'
        ? duration
        : loop
  if (typeof seconds !== 'number') {
    throw new LimberError(
      'invalid-option',
      `loop must be 'crossfade', 'periodic', true, false or seconds to fade over, got ${shown(loop)}`,
    )
  }
  if (typeof loop === 'number') checkNumber('loop', loop, Math.min(1 / fps, duration), duration, 's')
  const fade = Math.min(Math.max(Math.round(seconds * rate), 1), steps)
  return { fps: rate, frames: steps + 1, warm: Math.max(Math.round(warmup * rate), fade), fade }
}

function byName(subjects: BakeSubjects): [name: string, simulation: BakeSubject][] {
  const kind = (subject: unknown) => Object.entries(KINDS).find(([, type]) => subject instanceof type)?.[0]
  const alone = kind(subjects)
  const named: [string, BakeSubject][] =
    alone !== undefined
      ? [[alone, subjects as BakeSubject]]
      : Array.isArray(subjects)
        ? (subjects as readonly BakeSubject[]).map((simulation, i) => [
            `${kind(simulation) ?? 'cloth'}${i}`,
            simulation,
          ])
        : Object.entries((subjects ?? {}) as Readonly<Record<string, BakeSubject>>)
  if (named.length === 0) throw new LimberError('invalid-option', 'bake takes at least one simulation')
  for (const [name, simulation] of named) {
    if (kind(simulation) === undefined) {
      throw new LimberError(
        'invalid-option',
        `simulations.${name} must be a Cloth, JiggleBones, Ragdoll or Boids, got ${shown(simulation)}`,
      )
    }
    if (named.some(([other, same]) => same === simulation && other !== name)) {
      throw new LimberError('invalid-option', `simulations.${name} is given more than once`)
    }
    if (recorded.has(simulation)) {
      throw new LimberError(
        'invalid-option',
        `simulations.${name} is being recorded by another bake: wait for it first`,
      )
    }
    if (simulation.paused) {
      throw new LimberError(
        'invalid-option',
        `simulations.${name} is paused, and would stand still: set paused = false`,
      )
    }
    if (simulation instanceof Ragdoll && simulation.bones.length === 0) {
      throw new LimberError('invalid-option', `simulations.${name} is a ragdoll without bones: there is no skeleton`)
    }
    if (simulation instanceof Boids && simulation.matrices.length === 0) {
      throw new LimberError(
        'invalid-option',
        `simulations.${name} has no matrices, and so no rotations: make the boids with matrices: true`,
      )
    }
    if (simulation instanceof JiggleBones && !simulation.enabled) {
      throw new LimberError(
        'invalid-option',
        `simulations.${name} is not enabled, and would not swing: set enabled = true`,
      )
    }
    // Characters that the paths of three.js animation tracks are made of.
    if (name === '' || /[[\].:/\s]/.test(name)) {
      throw new LimberError(
        'invalid-option',
        `the name ${shown(name)} must be a word without spaces or any of [ ] . : /`,
      )
    }
  }
  return named
}
