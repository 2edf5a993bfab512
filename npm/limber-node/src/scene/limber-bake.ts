import type { Transform } from '@gltf-transform/core'
import { checkBackend, checkFunction, type Backend } from 'limber/core'
import { checkCompression, readDocument, writeDocument } from '../bake/document.js'
import type { FitOptions } from '../bake/fit.js'
import { measure } from '../bake/measure.js'
import type { BakeReport } from '../bake/report.js'
import { load } from '../load.js'
import type { SceneOptions } from './config.js'
import { SceneFile } from './file.js'
import { putMotion } from './put.js'
import { checkName } from './scene.js'
import { bakeOn, checkScene, SCENE_KEYS, type SceneHooks } from './stage.js'

/** How {@link limberBake} bakes: a scene, and how closely it is kept. */
export interface LimberBakeOptions extends SceneOptions, SceneHooks, FitOptions {
  /** Name of the animation; `baked` unless set. */
  name?: string | undefined
  /**
   * `'none'` (unless set) stores cloth as floats. `'quantize'` stores it in 8 and 16 bits: what writes the document then needs
   * `KHRMeshQuantization` of `@gltf-transform/extensions`, or the file is broken. The tolerances hold for either. Packing, as
   * `meshopt()` does it, is a transform of its own, and may round what it packs.
   */
  compression?: 'none' | 'quantize' | undefined
  /** Runs the simulations; unless set, one is loaded, and disposed of afterwards. */
  limber?: Backend | undefined
  /** Told how true the document is to what was simulated. It costs writing it once more. */
  onReport?: ((report: BakeReport) => unknown) | undefined
}

const OWN = ['onProgress', 'signal', 'name', 'compression', 'limber', 'onReport']

/**
 * {@link bakeScene} as a function of glTF-Transform: puts the motion on the document, as `BakedScene.toGLB` does on a file, and
 * gives the same numbers.
 *
 * Extensions must be registered with what reads the document: `bones: 'vrm'` needs those of VRM in the file, and glTF-Transform
 * has none.
 *
 * @example
 * await document.transform(
 *   limberBake({ clip: 'Walk', simulations: { cape: { technique: 'cloth', mesh: 'Cape', pinned: { top: 0.05 } } } }),
 *   resample(),
 * )
 *
 * @throws LimberError as `bakeScene` and `BakedScene.toGLB` do; the document is then as it was
 */
export function limberBake(options: LimberBakeOptions): Transform {
  const limits = ['tolerance', 'maxTargets', 'angle', 'distance', 'ratio', 'only'] as const
  checkScene('limberBake', options, [...OWN, ...limits])
  const { name = 'baked', compression = 'none', limber, onReport, onProgress, signal } = options
  checkName(name)
  checkCompression(compression, ['none', 'quantize'])
  if (limber !== undefined) checkBackend(limber)
  checkFunction('onReport', onReport)
  const pick = <K extends string>(keys: readonly K[]) =>
    Object.fromEntries(keys.flatMap((key) => (key in options ? [[key, options[key as never]]] : [])))
  const scene = pick(SCENE_KEYS) as unknown as SceneOptions
  const kept = pick(limits) as FitOptions
  const transform: Transform = async (document) => {
    const file = await SceneFile.load(await writeDocument(document))
    const backend = limber ?? (await load())
    try {
      const baked = await bakeOn(backend, file, scene, { onProgress, signal })
      try {
        await putMotion(document, baked, { ...kept, compression }, name)
        if (!onReport) return
        const bytes = await writeDocument(document)
        onReport(measure(baked.recording, kept, bytes, await readDocument(bytes), name))
      } finally {
        for (const { simulation } of baked.parts) simulation.dispose()
      }
    } finally {
      if (!limber) backend.dispose()
    }
  }
  return Object.defineProperty(transform, 'name', { value: 'limberBake' })
}
