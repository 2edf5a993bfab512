import type { Object3D, SkinnedMesh } from 'three'
import {
  checkKeys,
  checkNumber,
  LimberError,
  Ragdoll,
  RAGDOLL_OPTIONS_DEFAULTS,
  shown,
  type HumanoidMap,
  type RagdollActivation,
  type RagdollRise,
} from 'limber/core'
import type { HitConfig, RagdollConfig } from './config.js'
import { vector } from './drive.js'
import type { SceneFile } from './file.js'
import { colliders, within, type Part, type Stage } from './part.js'

const OPTIONS = Object.keys(RAGDOLL_OPTIONS_DEFAULTS)
const KEYS = [
  'technique',
  'mesh',
  'map',
  'hit',
  'limpAt',
  'from',
  'strength',
  'getUpAt',
  'root',
  'mass',
  'gravity',
  'colliders',
  ...OPTIONS,
]

/** A character of the file that falls. */
export function makeRagdoll({ limber, file, times }: Stage, name: string, config: RagdollConfig): Part {
  const path = `simulations.${name}`
  checkKeys(path, config, KEYS, path)
  const { map = 'auto', mass, gravity } = config
  const mesh = skinnedMesh(path, file, config.mesh)
  const root = config.root === undefined ? undefined : file.node(`${path}.root`, config.root).object
  const events = readEvents(path, file, config, times.duration)
  const bones = readMap(path, file, map)
  const solids = colliders(file, `${path}.colliders`, config.colliders)
  const options = Object.fromEntries(OPTIONS.map((key) => [key, config[key as keyof RagdollConfig]]))
  const make = (root: Object3D | undefined) =>
    within(path, () =>
      Ragdoll.fromSkeleton(limber, mesh, {
        ...options,
        map: bones,
        root,
        ...(mass !== undefined && { mass }),
        ...(gravity !== undefined && { gravity }),
        ...(solids.length && { colliders: solids }),
      }),
    )
  let ragdoll = make(root)
  if (ragdoll.bodies[0]!.root === file.gltf.scene) {
    // The scene is no node of the file: nothing there could move it.
    ragdoll.dispose()
    ragdoll = make(belowScene(file, mesh))
  }
  let next = 0
  return {
    name,
    simulation: ragdoll,
    drive(t) {
      while (next < events.length && events[next]!.at <= t + 1e-9) events[next++]!.run(ragdoll)
    },
  }
}

/** What happens to it, in the order of time. */
interface Event {
  at: number
  run: (ragdoll: Ragdoll) => void
}

function readEvents(path: string, file: SceneFile, config: RagdollConfig, duration: number): Event[] {
  const { hit, limpAt, getUpAt, strength } = config
  const time = (where: string, at: unknown): number => {
    checkNumber(`${path}.${where}`, at, 0, duration, 's')
    return at
  }
  if (strength !== undefined) checkNumber(`${path}.strength`, strength, 0, 1)
  const bones = typeof config.from === 'string' ? [config.from] : config.from
  if (bones !== undefined && (!Array.isArray(bones) || bones.length === 0)) {
    throw new LimberError('invalid-option', `${path}.from must be names of bones, got ${shown(bones)}`)
  }
  const from = bones?.map((bone, i) => file.node(`${path}.from[${i}]`, bone, 'bone').object)
  const how: RagdollActivation = { ...(from && { from }), ...(strength !== undefined && { strength }) }
  const events: Event[] = []
  if (limpAt !== undefined) events.push({ at: time('limpAt', limpAt), run: (ragdoll) => ragdoll.activate(how) })
  const hits = hit === undefined ? [] : Array.isArray(hit) ? (hit as readonly HitConfig[]) : [hit as HitConfig]
  hits.forEach((blow, i) => {
    const at = Array.isArray(hit) ? `hit[${i}]` : 'hit'
    checkKeys(`${path}.${at}`, blow, ['at', 'point', 'impulse', 'falloff'], `${path}.${at}`)
    const point = vector(`${path}.${at}.point`, blow.point, 'm')
    const impulse = vector(`${path}.${at}.impulse`, blow.impulse, 'm/s')
    const { falloff } = blow
    if (falloff !== undefined && falloff !== Infinity) checkNumber(`${path}.${at}.falloff`, falloff, 1e-6, 1e6, 'm²')
    events.push({
      at: time(`${at}.at`, blow.at),
      run(ragdoll) {
        if (ragdoll.state === 'limp') ragdoll.hit(point, impulse, falloff)
        else ragdoll.activate({ ...how, hit: { point, impulse, falloff } })
      },
    })
  })
  if (events.length === 0) {
    throw new LimberError('invalid-option', `${path} must have hit or limpAt: nothing would fall otherwise`)
  }
  if (getUpAt !== undefined) {
    if (typeof getUpAt === 'object') {
      checkKeys(`${path}.getUpAt`, getUpAt, ['at', 'duration', 'pose', 'heading'], `${path}.getUpAt`)
    }
    const { at, ...rise } = typeof getUpAt === 'object' ? getUpAt : { at: getUpAt }
    const where = typeof getUpAt === 'object' ? 'getUpAt.at' : 'getUpAt'
    events.push({
      at: time(where, at),
      run: (ragdoll) => within(`${path}.getUpAt`, () => ragdoll.getUp(rise as RagdollRise)),
    })
  }
  // What is at the same time stays as it was listed: it goes limp, is struck, gets up.
  return events.sort((a, b) => a.at - b.at)
}

function skinnedMesh(path: string, file: SceneFile, name: string | undefined): SkinnedMesh {
  if (name !== undefined) {
    const { meshes } = file.meshNode(`${path}.mesh`, name)
    const [mesh] = meshes
    if (mesh && 'isSkinnedMesh' in mesh) return mesh as SkinnedMesh
    throw new LimberError('invalid-option', `${path}.mesh must be a skinned mesh, and ${shown(name)} has no skeleton`)
  }
  const all = file.skinned
  const meshes = all.map(({ meshes }) => meshes[0] as SkinnedMesh).filter((mesh) => mesh?.isSkinnedMesh)
  const tops = new Set(meshes.map(({ skeleton }) => topOf(skeleton.bones[0]!)))
  if (tops.size === 1) {
    return meshes.reduce((most, mesh) => (mesh.skeleton.bones.length > most.skeleton.bones.length ? mesh : most))
  }
  const names = all.map(({ index }) => file.nameOf(index)).join(', ')
  throw new LimberError(
    'invalid-option',
    meshes.length === 0
      ? `${path}.mesh: the file has no skinned mesh, and a ragdoll needs a skeleton`
      : `${path}.mesh must say which of ${tops.size} characters falls; the file has ${names}`,
  )
}

/** The topmost node of the file above a mesh's bones. */
function belowScene({ gltf }: SceneFile, { skeleton }: SkinnedMesh): Object3D {
  let top: Object3D = skeleton.bones[0]!
  while (top.parent && top.parent !== gltf.scene) top = top.parent
  return top
}

/** The topmost bone above a bone. */
function topOf(bone: Object3D): Object3D {
  let top = bone
  for (let o = bone.parent; o; o = o.parent) if ('isBone' in o) top = o
  return top
}

function readMap(path: string, file: SceneFile, given: NonNullable<RagdollConfig['map']>): 'auto' | HumanoidMap {
  if (given === 'auto') return given
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new LimberError('invalid-option', `${path}.map must be "auto" or names of bones, got ${shown(given)}`)
  }
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, bone]) =>
      bone === undefined ? [] : [[key, file.node(`${path}.map.${key}`, bone, 'bone').object]],
    ),
  )
}
