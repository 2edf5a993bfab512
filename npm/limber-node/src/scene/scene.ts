import { PropertyBinding } from 'three'
import { checkBackend, checkKeys, LimberError, shown, type Backend } from 'limber/core'
import { checkCompression, readDocument, withUnknown, writeDocument } from '../bake/document.js'
import { readGLB, writeGLB } from '../bake/glb.js'
import { measure } from '../bake/measure.js'
import type { Recording } from '../bake/recording.js'
import type { GLBOptions } from '../bake/to-glb.js'
import type { SceneOptions } from './config.js'
import { SceneFile } from './file.js'
import { isWhole, putMotion, type Baked } from './put.js'
import { bakeOn, checkScene, type SceneHooks } from './stage.js'

export type { SceneOptions, SimulationConfig } from './config.js'

/** A file whose simulations were recorded. */
export interface BakedScene {
  /** What was recorded, for its other formats. */
  readonly recording: Recording
  /**
   * The file with the motion put on: an animation more, named `baked` unless `name` says otherwise, which plays alone. It has
   * what was simulated, and what else the clip moves. All else stays, but for:
   *
   * - Of a cloth, the mesh has morph targets instead of a skin, tangents and targets of its own, and its node stands at the root
   *   of the scene without a transform: where it had children, was a bone, or was moved by an animation, a node of its name
   *   and `_cloth` does.
   * - Of boids, a node named as the simulation holds theirs.
   *
   * Sets `recording.report`.
   *
   * @throws LimberError as `Recording.toGLB` does
   */
  toGLB(options?: Omit<GLBOptions, 'onto' | 'geometry'>): Promise<Uint8Array<ArrayBuffer>>
  /** Frees the simulations. */
  dispose(): void
}

/**
 * Bakes what is declared on a GLB file: loads it, lets its clip drive the simulations, and records them. No DOM is needed, and
 * images and textures are not looked at.
 *
 * @example
 * const scene = await bakeScene(limber, await readFile('hero.glb'), {
 *   clip: 'Walk',
 *   loop: true,
 *   warmup: 3,
 *   simulations: {
 *     cape: { technique: 'cloth', mesh: 'Cape', pinned: { attribute: 'COLOR_0' }, wind: [0, 0, -3] },
 *     hair: { technique: 'jiggle', bones: ['Hair1'], multiplier: 1.3 },
 *   },
 * })
 * await writeFile('hero-walk.glb', await scene.toGLB({ tolerance: 0.002 }))
 *
 * @throws LimberError `invalid-option` naming the option, its range, and what the file has instead; `invalid-input` for a
 *   broken file; what `bake` throws
 */
export async function bakeScene(
  limber: Backend,
  file: Uint8Array,
  options: SceneOptions,
  hooks: SceneHooks = {},
): Promise<BakedScene> {
  checkBackend(limber)
  checkScene('bakeScene', options)
  checkKeys('bakeScene', hooks, ['onProgress', 'signal'], 'hooks')
  const baked = await bakeOn(limber, await SceneFile.load(file), options, hooks)
  return {
    recording: baked.recording,
    toGLB: (options = {}) => toGLB(file, baked, options),
    dispose() {
      for (const { simulation } of baked.parts) simulation.dispose()
    },
  }
}

async function toGLB(
  file: Uint8Array,
  baked: Baked,
  options: Omit<GLBOptions, 'onto' | 'geometry'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { recording, clip, times } = baked
  checkKeys('toGLB', options, [...recording.fitKeys, 'name', 'compression'])
  const { name = 'baked', compression = 'quantize', ...limits } = options
  checkName(name)
  checkCompression(compression)
  const isWholeClip = !clip || limits.only !== undefined || isWhole(times, clip.length)
  if (recording.meshes.length + recording.flocks.length === 0 && isWholeClip && isPlain(baked.file)) {
    const bytes = await recording.toGLB({ ...limits, name, compression, onto: file })
    return clip && limits.only === undefined ? withRest(bytes, clip.index, recording) : bytes
  }
  const document = await readDocument(file)
  await putMotion(document, baked, { ...limits, compression }, name)
  const bytes = withUnknown(file, await writeDocument(document, compression === 'meshopt'))
  recording.report = measure(recording, limits, bytes, await readDocument(bytes), name)
  return bytes
}

/** Whether an animation can be added to a file as it is: its buffer is within, and names tell its nodes apart. */
function isPlain({ json }: SceneFile): boolean {
  const names = (json.nodes ?? []).flatMap(({ name }) => (name ? [PropertyBinding.sanitizeNodeName(name)] : []))
  return json.buffers?.[0]?.uri === undefined && new Set(names).size === names.length
}

/** @throws LimberError `invalid-option` */
export function checkName(name: unknown): asserts name is string {
  if (typeof name !== 'string') throw new LimberError('invalid-option', `name must be a string, got ${shown(name)}`)
}

/** Gives the last animation of a file what else another one moves. */
function withRest(bytes: Uint8Array, clip: number, { report }: Recording): Uint8Array<ArrayBuffer> {
  const glb = readGLB('the file', bytes)
  const animations = glb.json.animations!
  const [from, to] = [animations[clip]!, animations.at(-1)!]
  const key = ({ node, path }: { node?: number; path: string }) => `${node} ${path}`
  const known = new Set(to.channels.map(({ target }) => key(target)))
  const samplers = new Map<number, number>()
  for (const { sampler, target } of from.channels) {
    if (target.node === undefined || known.has(key(target))) continue
    if (!samplers.has(sampler)) samplers.set(sampler, to.samplers.push({ ...from.samplers[sampler]! }) - 1)
    to.channels.push({ sampler: samplers.get(sampler)!, target: { ...target } })
  }
  const out = writeGLB(glb)
  if (report) report.bytes = out.byteLength
  return out
}
