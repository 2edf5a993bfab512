import { LimberError, shown, type Backend, type Collider } from 'limber/core'
import type { BakeSubject } from '../bake/bake.js'
import type { ColliderConfig } from './config.js'
import type { Timing } from './drive.js'
import type { SceneFile } from './file.js'

/** What simulations are built on. */
export interface Stage {
  limber: Backend
  file: SceneFile
  seed: number
  times: Timing
}

/** A part of the cloth's vertices that is one primitive of the file. */
export interface Span {
  /** Its first vertex. */
  start: number
  count: number
  /** Its triangles, in its own vertices, where they had to be turned round. */
  indices: Uint32Array<ArrayBuffer> | undefined
}

/** One simulation, and where its motion goes in the file. */
export interface Part {
  name: string
  simulation: BakeSubject
  /** Sets its inputs to time `t`, after the clip has posed all. */
  drive?: (t: number) => void
  /** Of a cloth: the node whose mesh it is. */
  cloth?: { node: number; spans: Span[]; mark: string | undefined }
  /** Of boids: the node whose mesh they show. */
  shape?: { node: number } | undefined
}

/** Runs what refuses options by their names, and puts before these where they stand; some of them within `options`. */
export function within<T>(path: string, run: () => T, nested: readonly string[] = []): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof LimberError)) throw error
    const message = error.message.replace(/^chains(\[\d+\]|\.\d+)\.(?!bones)/, '')
    const [, name] = /^([A-Za-z]+)(\[\d+\]|\.\w+)*( must| is no option|: )/.exec(message) ?? []
    const at = name === undefined ? `${path}: ` : nested.includes(name) ? `${path}.options.` : `${path}.`
    throw new LimberError(error.code, `${at}${message}`, { cause: error })
  }
}

/** Colliders whose `follow` is an object instead of a name. */
export function colliders(file: SceneFile, path: string, given: readonly ColliderConfig[] | undefined): Collider[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) {
    throw new LimberError('invalid-option', `${path} must be a list of colliders, got ${shown(given)}`)
  }
  return (given as readonly ColliderConfig[]).map((one, i) => {
    if (typeof one !== 'object' || one === null) {
      throw new LimberError('invalid-option', `${path}[${i}] must be a collider, got ${shown(one)}`)
    }
    const { follow, ...shape } = one
    if (follow === undefined) return shape as Collider
    return { ...shape, follow: file.node(`${path}[${i}].follow`, follow).object } as Collider
  })
}
