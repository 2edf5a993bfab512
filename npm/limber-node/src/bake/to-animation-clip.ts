import { AnimationClip, NumberKeyframeTrack } from 'three'
import { checkKeys } from 'limber/core'
import { FIT_KEYS, type FitOptions } from './fit.js'
import type { Recording } from './recording.js'

/** See `Recording.toAnimationClip`. */
export function toAnimationClip(recording: Recording, options: FitOptions): AnimationClip {
  checkKeys('toAnimationClip', options, FIT_KEYS)
  const { meshes, duration } = recording
  const tracks = meshes.map((mesh) => {
    const { times, weights } = recording.fit(mesh, options)
    const node = meshes.length === 1 ? '' : mesh.name
    return new NumberKeyframeTrack(`${node}.morphTargetInfluences`, times.slice(), weights.slice())
  })
  return new AnimationClip('bake', duration, tracks)
}
