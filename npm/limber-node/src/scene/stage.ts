import { checkKeys, checkNumber, LimberError, shown, type Backend } from 'limber/core'
import { bake, type BakeOptions, type BakeSubject } from '../bake/bake.js'
import { makeBoids } from './boids.js'
import { makeCloth } from './cloth.js'
import type { BoidsConfig, ClothConfig, JiggleConfig, RagdollConfig, SceneOptions, SimulationConfig } from './config.js'
import { clipDrive, timing } from './drive.js'
import type { SceneFile } from './file.js'
import { makeJiggle } from './jiggle.js'
import type { Part, Stage } from './part.js'
import type { Baked } from './put.js'
import { makeRagdoll } from './ragdoll.js'

/** What is called while a scene is baked: as in {@link BakeOptions}. */
export type SceneHooks = Pick<BakeOptions, 'onProgress' | 'signal'>

export const SCENE_KEYS = ['clip', 'fps', 'duration', 'warmup', 'seed', 'loop', 'simulations']

/**
 * Techniques in the order in which they are made and stepped: what falls, what swings on that, and what hangs on both. Cloth
 * comes after the clip has posed all.
 */
const TECHNIQUES = ['ragdoll', 'jiggle', 'cloth', 'boids'] as const

/** Builds the simulations of a scene on a file, and records them. Whoever calls it disposes of the parts. */
export async function bakeOn(
  limber: Backend,
  file: SceneFile,
  options: SceneOptions,
  hooks: SceneHooks,
): Promise<Baked> {
  const { fps = 30, warmup, seed = 0, loop, simulations } = options
  checkNumber('fps', fps, 1, 240, '1/s')
  if (!Number.isInteger(seed) || seed < 0 || seed > 1_000_000_000) {
    throw new LimberError('invalid-option', `seed must be a whole number from 0 to 1000000000, got ${shown(seed)}`)
  }
  const named = readSimulations(simulations)
  const found = options.clip === undefined ? undefined : file.clip(options.clip)
  const loops = loop !== undefined && loop !== false
  const times = timing(found?.clip, options.duration, fps, loops)
  const stage: Stage = { limber, file, seed, times }
  const { scene } = file.gltf
  const parts: Part[] = []
  try {
    scene.updateMatrixWorld(true)
    let pose: ((t: number) => void) | undefined
    for (const technique of TECHNIQUES) {
      // What swings or falls rests in the pose of the file; a clip moves it from then on.
      if (technique === 'cloth' && found) {
        pose = clipDrive(scene, found.clip, times)
        pose(0)
        scene.updateMatrixWorld(true)
      }
      for (const [name, config] of named) {
        if (config.technique !== technique) continue
        const part = make(stage, name, config)
        parts.push(part)
        const same = parts.find((other) => other !== part && other.cloth && other.cloth.node === part.cloth?.node)
        if (!same) continue
        throw new LimberError(
          'invalid-option',
          `simulations.${name}.mesh must be another than that of simulations.${same.name}: a mesh is one cloth`,
        )
      }
    }
    const subjects = Object.fromEntries(parts.map(({ name, simulation }): [string, BakeSubject] => [name, simulation]))
    const recording = await bake(subjects, {
      fps,
      duration: times.duration,
      ...(warmup !== undefined && { warmup }),
      ...(loops && { loop }),
      ...(hooks.onProgress !== undefined && { onProgress: hooks.onProgress }),
      ...(hooks.signal !== undefined && { signal: hooks.signal }),
      drive(t) {
        pose?.(t)
        for (const part of parts) part.drive?.(t)
      },
    })
    return { file, parts, recording, times, clip: found && { index: found.index, length: found.clip.duration } }
  } catch (error) {
    for (const { simulation } of parts) simulation.dispose()
    throw error
  }
}

function readSimulations(given: SceneOptions['simulations']): [name: string, config: SimulationConfig][] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new LimberError('invalid-option', `simulations must be an object, by names, got ${shown(given)}`)
  }
  const named = Object.entries(given)
  if (named.length === 0) throw new LimberError('invalid-option', 'simulations must have at least one')
  for (const [name, config] of named) {
    if (typeof config !== 'object' || config === null || Array.isArray(config)) {
      throw new LimberError('invalid-option', `simulations.${name} must be an object, got ${shown(config)}`)
    }
    if ((TECHNIQUES as readonly unknown[]).includes(config.technique)) continue
    throw new LimberError(
      'invalid-option',
      `simulations.${name}.technique must be cloth, jiggle, ragdoll or boids, got ${shown(config.technique)}`,
    )
  }
  return named
}

function make(stage: Stage, name: string, config: SimulationConfig): Part {
  switch (config.technique) {
    case 'cloth':
      return makeCloth(stage, name, config as ClothConfig)
    case 'jiggle':
      return makeJiggle(stage, name, config as JiggleConfig)
    case 'ragdoll':
      return makeRagdoll(stage, name, config as RagdollConfig)
    case 'boids':
      return makeBoids(stage, name, config as BoidsConfig)
  }
}

/** Refuses options that a scene has not. */
export function checkScene(owner: string, options: unknown, more: readonly string[] = []): void {
  checkKeys(owner, options, [...SCENE_KEYS, ...more])
}
