import type { Document } from '@gltf-transform/core'
import { Quaternion } from 'three'
import type { FitOptions } from './fit.js'
import { floats, readGLB } from './glb.js'
import type { RecordedSkeleton } from './recorded-skeleton.js'
import type { BakeReport, MeshReport, RecordedMesh, Recording, SkeletonReport } from './recording.js'

/** Plays a file that was read back, and compares every vertex and every bone at every frame with the recording. */
export function measure(recording: Recording, options: FitOptions, bytes: Uint8Array, document: Document): BakeReport {
  const root = document.getRoot()
  const channels = root.listAnimations().flatMap((animation) => animation.listChannels())
  const meshes = recording.meshes.map((recorded): MeshReport & { sum: number } => {
    const channel = channels.find(
      (c) => c.getTargetPath() === 'weights' && c.getTargetNode()?.getName() === recorded.name,
    )!
    const sampler = channel.getSampler()!
    const primitive = channel.getTargetNode()!.getMesh()!.listPrimitives()[0]!
    const arrays = primitive.listTargets().map((target) => target.getAttribute('POSITION')!.getArray()!)
    const base = primitive.getAttribute('POSITION')!.getArray()!
    const show = player(base, arrays, sampler.getInput()!.getArray()!, sampler.getOutput()!.getArray()!)
    return { name: recorded.name, targets: arrays.length, ...distances(recorded, recording.fps, show) }
  })
  const skeletons = bonesOf(recording, options, bytes)
  const vertices = recording.meshes.reduce((sum, mesh) => sum + mesh.vertices, 0)
  const turns = skeletons.reduce((sum, skeleton) => sum + skeleton.turns, 0)
  return {
    bytes: bytes.byteLength,
    frames: recording.frames,
    targets: meshes.reduce((sum, mesh) => sum + mesh.targets, 0),
    maxError: Math.max(0, ...meshes.map((mesh) => mesh.maxError)),
    meanError: vertices && meshes.reduce((sum, mesh) => sum + mesh.sum, 0) / (vertices * recording.frames),
    keys: skeletons.reduce((sum, skeleton) => sum + skeleton.keys, 0),
    maxAngle: Math.max(0, ...skeletons.map((skeleton) => skeleton.maxAngle)),
    meanAngle: turns && skeletons.reduce((sum, skeleton) => sum + skeleton.meanAngle * skeleton.turns, 0) / turns,
    meshes: meshes.map(({ sum: _, ...mesh }) => mesh),
    skeletons: skeletons.map(({ turns: _, ...skeleton }) => skeleton),
    flocks: [],
  }
}

/** The skeletons of the last animation of a file, whose channels are in the order of the tracks. */
function bonesOf(recording: Recording, options: FitOptions, bytes: Uint8Array): (SkeletonReport & { turns: number })[] {
  const { fps, frames, meshes } = recording
  const moving = recording.moving()
  if (moving.length === 0) return []
  const file = readGLB('the file', bytes)
  const { channels, samplers } = file.json.animations!.at(-1)!
  let next = meshes.length
  return moving.map((skeleton: RecordedSkeleton) => {
    const sizes = new Map<number, number>()
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
    let [turns, sum] = [0, 0]
    for (const { node } of recording.tracks(skeleton, options)) {
      const { sampler, target } = channels[next++]!
      const { input, output } = samplers[sampler]!
      const [times, values] = [floats(file, input), floats(file, output)]
      sizes.set(input, times.byteLength).set(output, values.byteLength)
      report.tracks += 1
      report.keys += times.length
      for (let frame = 0; frame < frames; frame++) {
        const size = values.length / times.length
        show(times, values, size, frame / fps, shown)
        if (target.path === 'rotation') {
          const angle = angleBetween(shown, node.quaternions, frame * 4)
          report.maxAngle = Math.max(report.maxAngle, angle)
          sum += angle
          turns += 1
          continue
        }
        const recorded = target.path === 'translation' ? node.positions : node.scales
        const [x, y, z] = [0, 1, 2].map((c) => recorded[frame * 3 + c]!) as [number, number, number]
        const off = Math.hypot(shown[0]! - x, shown[1]! - y, shown[2]! - z)
        if (target.path === 'translation') report.maxDistance = Math.max(report.maxDistance, off * node.metres[frame]!)
        else if (off > 0)
          report.maxRatio = Math.max(report.maxRatio, off / Math.max(Math.abs(x), Math.abs(y), Math.abs(z)))
      }
    }
    for (const size of sizes.values()) report.bytes += size
    return { ...report, meanAngle: turns && sum / turns, turns }
  })
}

const shown = /* @__PURE__ */ new Float64Array(4)

/** What a track shows at a time: rotations of four numbers on an arc, others on a straight line, as three.js does. */
function show(times: Numbers, values: Numbers, size: number, time: number, out: Float64Array): void {
  let [low, high] = [0, times.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (times[middle]! <= time) low = middle
    else high = middle
  }
  const share = Math.min(Math.max((time - times[low]!) / (times[high]! - times[low]!), 0), 1)
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
  const near = Math.hypot(...p.map((n, c) => n - q[c]!))
  const far = Math.hypot(...p.map((n, c) => n + q[c]!))
  return 4 * Math.atan2(Math.min(near, far), Math.max(near, far))
}

type Numbers = ArrayLike<number>

/** Positions at a time: the base and its targets, weighted as the animation says. */
function player(base: Numbers, targets: Numbers[], times: Numbers, weights: Numbers): (time: number) => Float64Array {
  const shown = new Float64Array(base.length)
  return (time) => {
    let key = 0
    while (key + 2 < times.length && times[key + 1]! <= time) key += 1
    const share = Math.min(Math.max((time - times[key]!) / (times[key + 1]! - times[key]!), 0), 1)
    shown.set(base)
    for (let t = 0; t < targets.length; t++) {
      const from = weights[key * targets.length + t]!
      const to = weights[(key + 1) * targets.length + t]!
      const weight = from * (1 - share) + to * share
      if (weight === 0) continue
      for (let i = 0; i < shown.length; i++) shown[i]! += weight * targets[t]![i]!
    }
    return shown
  }
}

function distances({ positions, vertices }: RecordedMesh, fps: number, show: (time: number) => Float64Array) {
  let maxError = 0
  let sum = 0
  positions.forEach((recorded, frame) => {
    const shown = show(frame / fps)
    for (let i = 0; i < recorded.length; i += 3) {
      const distance = Math.hypot(
        shown[i]! - recorded[i]!,
        shown[i + 1]! - recorded[i + 1]!,
        shown[i + 2]! - recorded[i + 2]!,
      )
      maxError = Math.max(maxError, distance)
      sum += distance
    }
  })
  return { maxError, meanError: sum / (vertices * positions.length), sum }
}
