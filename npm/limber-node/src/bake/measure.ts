import type { Document } from '@gltf-transform/core'
import type { BakeReport, MeshReport, RecordedMesh, Recording } from './recording.js'

/** Plays a file that was read back, and compares every vertex at every frame with the recording. */
export function measure(recording: Recording, bytes: number, document: Document): BakeReport {
  const root = document.getRoot()
  const channels = root.listAnimations().flatMap((animation) => animation.listChannels())
  const meshes = recording.meshes.map((recorded): MeshReport & { sum: number } => {
    const channel = channels.find((c) => c.getTargetNode()?.getName() === recorded.name)!
    const sampler = channel.getSampler()!
    const primitive = channel.getTargetNode()!.getMesh()!.listPrimitives()[0]!
    const arrays = primitive.listTargets().map((target) => target.getAttribute('POSITION')!.getArray()!)
    const base = primitive.getAttribute('POSITION')!.getArray()!
    const show = player(base, arrays, sampler.getInput()!.getArray()!, sampler.getOutput()!.getArray()!)
    return { name: recorded.name, targets: arrays.length, ...distances(recorded, recording.fps, show) }
  })
  const vertices = recording.meshes.reduce((sum, mesh) => sum + mesh.vertices, 0)
  return {
    bytes,
    frames: recording.frames,
    targets: meshes.reduce((sum, mesh) => sum + mesh.targets, 0),
    maxError: Math.max(...meshes.map((mesh) => mesh.maxError)),
    meanError: meshes.reduce((sum, mesh) => sum + mesh.sum, 0) / (vertices * recording.frames),
    meshes: meshes.map(({ sum: _, ...mesh }) => mesh),
  }
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
