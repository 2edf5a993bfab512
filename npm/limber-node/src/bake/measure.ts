import type { Accessor, Document, Primitive, PrimitiveTarget } from '@gltf-transform/core'
import { Quaternion, type AnimationClip } from 'three'
import { LimberError } from 'limber/core'
import { PATHS } from './animation-writer.js'
import { BAKE_FIT_DEFAULTS, type FitOptions } from './fit.js'
import { boundsOf } from './fit-skeleton.js'
import type { RecordedSkeleton } from './recorded-skeleton.js'
import type { RecordedMesh, Recording } from './recording.js'
import { reported, type BakeReport, type MeshReport, type Seam, type SkeletonReport } from './report.js'

/** What a channel of a file plays, as a viewer decodes it. */
interface Played {
  path: string
  times: Numbers
  values: Numbers
  /** What it is decoded from, which channels may share, and how many bytes that takes. */
  from: readonly (readonly [array: unknown, bytes: number])[]
}

type Numbers = ArrayLike<number>
/** What was read of a file. */
type Decoded = Float32Array

/** Of one mesh or skeleton of a loop, how its end meets its beginning. */
interface Looped {
  seam: Seam
}

/**
 * Plays a file that was read back, and compares every vertex and every bone at every frame with the recording. `animation` is
 * the name of its animation.
 */
export function measure(
  recording: Recording,
  options: FitOptions,
  bytes: Uint8Array,
  document: Document,
  animation: string,
): BakeReport {
  const root = document.getRoot()
  const channels = root
    .listAnimations()
    .find((one) => one.getName() === animation)!
    .listChannels()
  const meshes = recording.meshes.map((recorded, i): MeshReport & Looped => {
    const channel = channels[i]!
    const sampler = channel.getSampler()!
    const node = channel.getTargetNode()!
    const all = node.getMesh()!.listPrimitives()
    // Primitives have all vertices each, or each its own.
    const isWhole = all[0]!.getAttribute('POSITION')!.getCount() === recorded.vertices
    const primitives = isWhole ? [all[0]!] : all
    const unit = node.getScale()[0]!
    const [times, weights] = [numbersOf(sampler.getInput()!), numbersOf(sampler.getOutput()!)]
    const targets = all[0]!.listTargets().length
    const shape = (attribute: 'POSITION' | 'NORMAL', unit: number) => {
      const of = (get: (primitive: Primitive) => Primitive | PrimitiveTarget) =>
        joined(primitives.map((primitive) => numbersOf(get(primitive).getAttribute(attribute)!, unit)))
      const deltas = Array.from({ length: targets }, (_, t) => of((primitive) => primitive.listTargets()[t]!))
      return new Shape(
        of((primitive) => primitive),
        deltas,
        times,
        weights,
      )
    }
    const shapes = [shape('POSITION', unit), shape('NORMAL', 1)] as const
    return { name: recorded.name, targets, keys: times.length, ...compared(recorded, recording, ...shapes) }
  })
  const played = channels.slice(meshes.length).map((channel): Played => {
    const sampler = channel.getSampler()!
    const [input, output] = [sampler.getInput()!, sampler.getOutput()!]
    const from = [input, output].map((accessor) => [accessor, accessor.getByteLength()] as const)
    return { path: channel.getTargetPath()!, times: numbersOf(input), values: numbersOf(output), from }
  })
  return together(recording, options, bytes.byteLength, meshes, bonesOf(recording, options, played))
}

/** The same of a clip of bones or boids that was read back from so many bytes. */
export function measureClip(recording: Recording, options: FitOptions, bytes: number, clip: AnimationClip): BakeReport {
  const played = clip.tracks.map(({ name, times, values }): Played => {
    const property = name.slice(name.lastIndexOf('.') + 1) as keyof typeof PATHS
    return { path: PATHS[property], times, values, from: [times, values].map((array) => [array, array.byteLength]) }
  })
  return together(recording, options, bytes, [], bonesOf(recording, options, played))
}

/** @throws LimberError `tolerance` where a bound does not hold */
function together(
  recording: Recording,
  options: FitOptions,
  bytes: number,
  meshes: readonly (MeshReport & Looped)[],
  skeletons: readonly (SkeletonReport & Looped & { turns: number })[],
): BakeReport {
  const { tolerance = BAKE_FIT_DEFAULTS.tolerance } = options
  for (const { name, maxError } of meshes) promise(name, maxError, tolerance, 'm')
  recording.moving().forEach((skeleton, i) => {
    const bounds = boundsOf(skeleton, options)
    const { name, maxAngle, maxDistance, maxRatio } = skeletons[i]!
    promise(name, maxAngle, bounds.angle, 'rad')
    promise(name, maxDistance, bounds.distance, 'm')
    promise(name, maxRatio, bounds.ratio, 'of its scale')
  })
  const vertices = recording.meshes.reduce((sum, mesh) => sum + mesh.vertices, 0)
  const turns = skeletons.reduce((sum, skeleton) => sum + skeleton.turns, 0)
  const mean = (of: (mesh: MeshReport) => number) =>
    vertices && meshes.reduce((sum, mesh, i) => sum + of(mesh) * recording.meshes[i]!.vertices, 0) / vertices
  return reported({
    bytes,
    frames: recording.frames,
    targets: meshes.reduce((sum, mesh) => sum + mesh.targets, 0),
    maxError: Math.max(0, ...meshes.map((mesh) => mesh.maxError)),
    meanError: mean((mesh) => mesh.meanError),
    maxNormalError: Math.max(0, ...meshes.map((mesh) => mesh.maxNormalError)),
    meanNormalError: mean((mesh) => mesh.meanNormalError),
    keys: [...meshes, ...skeletons].reduce((sum, { keys }) => sum + keys, 0),
    maxAngle: Math.max(0, ...skeletons.map((skeleton) => skeleton.maxAngle)),
    meanAngle: turns && skeletons.reduce((sum, skeleton) => sum + skeleton.meanAngle * skeleton.turns, 0) / turns,
    seam: recording.loops ? worst([...meshes, ...skeletons].map(({ seam }) => seam)) : null,
    meshes: meshes.map(({ seam: _, ...mesh }) => mesh),
    skeletons: skeletons.map(({ turns: _, seam: __, ...skeleton }) => skeleton),
  })
}

/** A file that does not keep what was asked for is none. */
function promise(name: string, off: number, bound: number, unit: string): void {
  if (off <= bound * (1 + 1e-9)) return
  throw new LimberError('tolerance', `${name} is up to ${off} ${unit} off once it is decoded, and ${bound} are allowed`)
}

/** An accessor's numbers as a viewer reads them. */
function numbersOf(accessor: Accessor, unit = 1): Decoded {
  const array = accessor.getArray()!
  if (!accessor.getNormalized() && unit === 1) return array as Float32Array
  const largest = accessor.getNormalized() ? 2 ** (array.BYTES_PER_ELEMENT * 8 - 1) - 1 : 1
  const decoded = new Float32Array(array.length)
  for (let i = 0; i < decoded.length; i++) decoded[i] = (array[i]! / largest) * unit
  return decoded
}

function joined(parts: readonly Decoded[]): Decoded {
  if (parts.length === 1) return parts[0]!
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** `sum += Σ numbers · weight` of four lists; apart, so that it is compiled as what it is: a loop over five arrays. */
function addFour(sum: Float64Array, [a, b, c, d]: readonly Decoded[], weights: readonly number[]): void {
  const [p, q, r, s] = weights as [number, number, number, number]
  for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + p * a![i]! + q * b![i]! + r * c![i]! + s * d![i]!
}

/** Positions or normals of a mesh over time: a base and its targets, weighted as the animation says. */
class Shape {
  readonly #times: Numbers
  /** What is shown at each keyframe. */
  readonly #keys: Float64Array[]

  constructor(base: Decoded, targets: readonly Decoded[], times: Decoded, weights: Decoded) {
    this.#times = times
    this.#keys = Array.from({ length: times.length }, (_, key) => {
      const shown = Float64Array.from(base)
      for (let t = 0; t < targets.length; t += 4) {
        // Beyond the last, once more with no weight.
        const four = [t, t + 1, t + 2, t + 3]
        const lists = four.map((k) => targets[Math.min(k, targets.length - 1)]!)
        const shares = four.map((k) => (k < targets.length ? weights[key * targets.length + k]! : 0))
        if (shares.some((weight) => weight !== 0)) addFour(shown, lists, shares)
      }
      return shown
    })
  }

  /** Writes what is shown at a time to `out`. */
  at(time: number, out: Float64Array): void {
    const { key, share } = between(this.#times, time)
    const [a, b] = [this.#keys[key]!, this.#keys[key + 1]!]
    for (let i = 0; i < out.length; i++) out[i] = a[i]! * (1 - share) + b[i]! * share
  }
}

/** How positions and normals differ from the recorded ones, and how the last frame meets the first. */
function compared(
  { positions, normals, vertices }: RecordedMesh,
  { fps, loops }: Recording,
  shape: Shape,
  normal: Shape,
): Omit<MeshReport, 'name' | 'targets' | 'keys'> & Looped {
  const report = { maxError: 0, meanError: 0, maxNormalError: 0, meanNormalError: 0 }
  const size = vertices * 3
  const [shown, first] = [new Float64Array(size), new Float64Array(size)]
  let distance = 0
  positions.forEach((recorded, frame) => {
    shape.at(frame / fps, shown)
    if (frame === 0) first.set(shown)
    if (frame === positions.length - 1) distance = furthest(first, shown)
    for (let i = 0; i < size; i += 3) {
      const off = length(shown[i]! - recorded[i]!, shown[i + 1]! - recorded[i + 1]!, shown[i + 2]! - recorded[i + 2]!)
      if (off > report.maxError) report.maxError = off
      report.meanError += off
    }
    normal.at(frame / fps, shown)
    const right = normals[frame]!
    for (let i = 0; i < size; i += 3) {
      const long = length(shown[i]!, shown[i + 1]!, shown[i + 2]!) || 1
      const x = shown[i]! / long - right[i]!
      const y = shown[i + 1]! / long - right[i + 1]!
      const z = shown[i + 2]! / long - right[i + 2]!
      const angle = 2 * Math.asin(Math.min(length(x, y, z) / 2, 1))
      if (angle > report.maxNormalError) report.maxNormalError = angle
      report.meanNormalError += angle
    }
  })
  report.meanError /= vertices * positions.length
  report.meanNormalError /= vertices * positions.length
  const seam = loops ? { distance, angle: 0, jump: jumpOf(positions.length, bend(positions)) } : NONE
  return { ...report, seam }
}

const NONE: Seam = { distance: 0, angle: 0, jump: 0 }

/** The largest distance of two lists of vertices. */
function furthest(a: Numbers, b: Numbers): number {
  let most = 0
  for (let i = 0; i < a.length; i += 3) {
    most = Math.max(most, length(a[i]! - b[i]!, a[i + 1]! - b[i + 1]!, a[i + 2]! - b[i + 2]!))
  }
  return most
}

/** As `Math.hypot`, and many times faster. */
function length(x: number, y: number, z: number): number {
  return Math.sqrt(x * x + y * y + z * z)
}

/**
 * How much a velocity changes from the last recorded step to the first, as a multiple of the median change between steps.
 * `change` is how much it does at frame `at`, between the step from `before` and the step to `after`. The steps of a file are
 * those of its keyframes, which change more at once, within the tolerance.
 */
function jumpOf(frames: number, change: (before: number, at: number, after: number) => number): number {
  const changes = Array.from({ length: frames - 2 }, (_, i) => change(i, i + 1, i + 2)).sort((a, b) => a - b)
  const median = changes[changes.length >> 1] ?? 0
  // Below a micrometre or a microradian nobody sees either.
  return change(frames - 2, 0, 1) / Math.max(median, 1e-6)
}

/** How much the velocity of some vertex changes at a frame, in metres a frame. */
function bend(positions: readonly Numbers[]): (before: number, at: number, after: number) => number {
  return (before, at, after) => {
    const [a, b, c] = [positions[before]!, positions[at]!, positions[after]!]
    let most = 0
    for (let i = 0; i < a.length; i += 3) {
      const x = a[i]! - 2 * b[i]! + c[i]!
      const y = a[i + 1]! - 2 * b[i + 1]! + c[i + 1]!
      const z = a[i + 2]! - 2 * b[i + 2]! + c[i + 2]!
      most = Math.max(most, length(x, y, z))
    }
    return most
  }
}

/** How much the turning of a bone changes at a frame, in radians a frame. */
function twist(quaternions: Numbers): (before: number, at: number, after: number) => number {
  const turn = (from: number, to: number) => {
    const [a, b] = [from, to].map((frame) => new Quaternion().fromArray(quaternions as number[], frame * 4)) as [
      Quaternion,
      Quaternion,
    ]
    const { x, y, z, w } = b.multiply(a.invert())
    return [x, y, z].map((number) => 2 * Math.sign(w || 1) * number) as [number, number, number]
  }
  return (before, at, after) => {
    const [one, other] = [turn(before, at), turn(at, after)]
    return length(other[0] - one[0], other[1] - one[1], other[2] - one[2])
  }
}

function worst(seams: readonly Seam[]): Seam {
  const most = (of: (seam: Seam) => number) => Math.max(0, ...seams.map(of))
  return { distance: most((s) => s.distance), angle: most((s) => s.angle), jump: most((s) => s.jump) }
}

/** The skeletons, whose channels are in the order of the tracks. */
function bonesOf(recording: Recording, options: FitOptions, channels: readonly Played[]) {
  const { fps, frames, loops } = recording
  let next = 0
  return recording.moving().map((skeleton: RecordedSkeleton): SkeletonReport & Looped & { turns: number } => {
    const sizes = new Map<unknown, number>()
    const report = {
      name: skeleton.name,
      tracks: 0,
      keys: 0,
      bytes: 0,
      maxAngle: 0,
      meanAngle: 0,
      maxDistance: 0,
      maxRatio: 0,
    }
    const seams: Seam[] = []
    let [turns, sum] = [0, 0]
    for (const { node } of recording.tracks(skeleton, options)) {
      const { path, times, values, from } = channels[next++]!
      for (const [array, bytes] of from) sizes.set(array, bytes)
      report.tracks += 1
      report.keys += times.length
      const size = values.length / times.length
      for (let frame = 0; frame < frames; frame++) {
        show(times, values, size, frame / fps, shown)
        if (path === 'rotation') {
          const angle = angleBetween(shown, node.quaternions, frame * 4)
          report.maxAngle = Math.max(report.maxAngle, angle)
          sum += angle
          turns += 1
          continue
        }
        const recorded = path === 'translation' ? node.positions : node.scales
        const [x, y, z] = [0, 1, 2].map((c) => recorded[frame * 3 + c]!) as [number, number, number]
        const off = Math.hypot(shown[0]! - x, shown[1]! - y, shown[2]! - z)
        if (path === 'translation') report.maxDistance = Math.max(report.maxDistance, off * node.metres[frame]!)
        else if (off > 0)
          report.maxRatio = Math.max(report.maxRatio, off / Math.max(Math.abs(x), Math.abs(y), Math.abs(z)))
      }
      if (path === 'rotation') {
        const jump = loops ? jumpOf(frames, twist(node.quaternions)) : 0
        seams.push({ distance: 0, angle: angleBetween(shown, values, 0), jump })
      } else if (path === 'translation') {
        const gap = Math.hypot(...[0, 1, 2].map((c) => shown[c]! - values[c]!))
        seams.push({ distance: gap * node.metres[0]!, angle: 0, jump: 0 })
      }
    }
    for (const size of sizes.values()) report.bytes += size
    return { ...report, meanAngle: turns && sum / turns, turns, seam: worst(seams) }
  })
}

const shown = /* @__PURE__ */ new Float64Array(4)

/** The keyframe before a time, and how far on the way to the next it is. */
function between(times: Numbers, time: number): { key: number; share: number } {
  let [low, high] = [0, times.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (times[middle]! <= time) low = middle
    else high = middle
  }
  return { key: low, share: Math.min(Math.max((time - times[low]!) / (times[high]! - times[low]!), 0), 1) }
}

/** What a track shows at a time: rotations of four numbers on an arc, others on a straight line, as three.js does. */
function show(times: Numbers, values: Numbers, size: number, time: number, out: Float64Array): void {
  const { key, share } = between(times, time)
  const [low, high] = [key, Math.min(key + 1, times.length - 1)]
  if (size === 4) {
    Quaternion.slerpFlat(out as never, 0, values as never, low * 4, values as never, high * 4, share)
    return
  }
  for (let c = 0; c < size; c++) out[c] = values[low * size + c]! * (1 - share) + values[high * size + c]! * share
}

/** The angle from one rotation to another, in radians, whatever the lengths of their quaternions. */
function angleBetween(a: Numbers, b: Numbers, at: number): number {
  const [p, q] = [Array.from(a), Array.from({ length: 4 }, (_, c) => b[at + c]!)].map((list) => {
    const length = Math.hypot(...list)
    return list.map((n) => n / length)
  }) as [number[], number[]]
  const same = (sign: 1 | -1) => p.every((n, c) => n === sign * q[c]!)
  if (same(1) || same(-1)) return 0
  const near = Math.hypot(...p.map((n, c) => n - q[c]!))
  const far = Math.hypot(...p.map((n, c) => n + q[c]!))
  return 4 * Math.atan2(Math.min(near, far), Math.max(near, far))
}
