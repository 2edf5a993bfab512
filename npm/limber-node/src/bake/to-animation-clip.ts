import {
  AnimationClip,
  NumberKeyframeTrack,
  PropertyBinding,
  QuaternionKeyframeTrack,
  VectorKeyframeTrack,
  type KeyframeTrack,
} from 'three'
import { checkKeys, LimberError, shown } from 'limber/core'
import type { FitOptions } from './fit.js'
import type { KeyTrack } from './fit-skeleton.js'
import type { Recording } from './recording.js'

/** What a clip holds, and how closely. */
export interface ClipOptions extends FitOptions {
  /** With jiggle bones, ragdolls or boids: the one skeleton or flock that it is of, instead of all. */
  name?: string | undefined
}

/** See `Recording.toAnimationClip`. */
export function toAnimationClip(recording: Recording, options: ClipOptions): AnimationClip {
  const { meshes, skeletons, flocks, duration, fitKeys } = recording
  const moving = skeletons.length + flocks.length > 0
  checkKeys('toAnimationClip', options, [...fitKeys, ...(moving ? ['name'] : [])])
  const { name, ...limits } = options
  const all = [...meshes, ...skeletons, ...flocks]
  const isChosen = (recorded: { name: string }) => name === undefined || recorded.name === name
  if (!all.some(isChosen)) {
    const known = all.map((recorded) => recorded.name).join(', ')
    throw new LimberError('invalid-option', `name must be one of ${known}, got ${shown(name)}`)
  }
  const tracks: KeyframeTrack[] = meshes.filter(isChosen).map((mesh) => {
    const { times, weights } = recording.fit(mesh, limits)
    const node = all.length === 1 ? '' : mesh.name
    return new NumberKeyframeTrack(`${node}.morphTargetInfluences`, times.slice(), weights.slice())
  })
  const owners = new Map<string, string>()
  for (const skeleton of recording.moving(name)) {
    for (const keys of recording.tracks(skeleton, limits)) {
      const track = ofBone(keys)
      const owner = owners.get(track.name)
      if (owner !== undefined) {
        throw new LimberError(
          'invalid-input',
          `${owner} and ${skeleton.name} both have a bone named ${shown(keys.node.name)}: give the name of one of them`,
        )
      }
      owners.set(track.name, skeleton.name)
      tracks.push(track)
    }
  }
  // As three.js holds the time of the last keyframe.
  return new AnimationClip('bake', moving ? Math.fround(duration) : duration, tracks)
}

function ofBone({ node, path, times, values }: KeyTrack): KeyframeTrack {
  const name = `${node.name}.${path}`
  if (!leadsTo(name, node.name)) {
    throw new LimberError(
      'invalid-input',
      `the bone ${shown(node.name)} has a name that tracks of clips cannot have (${shown(PropertyBinding.sanitizeNodeName(node.name))} is one): ` +
        'rename it, or write a GLB',
    )
  }
  const Track = path === 'quaternion' ? QuaternionKeyframeTrack : VectorKeyframeTrack
  return new Track(name, times.slice(), values.slice())
}

/** Whether three.js finds the object called `name` by a track's name. */
function leadsTo(track: string, name: string): boolean {
  try {
    const { nodeName, objectName } = PropertyBinding.parseTrackName(track) as { nodeName?: string; objectName?: string }
    return nodeName === name && objectName === undefined
  } catch {
    return false
  }
}
