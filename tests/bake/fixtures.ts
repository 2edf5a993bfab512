import {
  AnimationMixer,
  Bone,
  BoxGeometry,
  ConeGeometry,
  Float32BufferAttribute,
  Matrix4,
  SphereGeometry,
  type AnimationClip,
  type Object3D,
  type SkinnedMesh,
} from 'three'
import * as SkeletonUtils from 'three/addons/utils/SkeletonUtils.js'
import {
  bake,
  bakeScene,
  Boids,
  Cloth,
  JiggleBones,
  Ragdoll,
  type Backend,
  type BakeOptions,
  type BakeSubjects,
  type BoidsSetup,
  type GLBOptions,
  type Recording,
  type SceneOptions,
} from 'limber-node'
import { loadModel } from '../jiggle/load-model.mjs'
import { readyPlayerMe } from '../ragdoll/rigs.mjs'
import * as flag from '../scenes/cloth-flag.mjs'
import * as walkingCape from '../scenes/cloth-walking-cape.mjs'
import { hero, model } from './scene-models.js'

/** A file that was baked. */
export interface Fixture {
  bytes: Uint8Array<ArrayBuffer>
  recording: Recording
  /** The file that it was put on: what is wrong with that is not ours. */
  before?: Uint8Array
}

type Make = (limber: Backend) => Promise<Fixture>

/** What is recorded, and how it is written; simulations are freed by whoever frees the backend. */
function recorded(
  record: (limber: Backend) => [BakeSubjects, BakeOptions],
  options: GLBOptions = {},
  before?: string,
): Make {
  return async (limber) => {
    const recording = await bake(...record(limber))
    if (!before) return { recording, bytes: await recording.toGLB(options) }
    const file = await model(before)
    return { recording, bytes: await recording.toGLB({ ...options, onto: file }), before: file }
  }
}

function scene(file: () => Promise<Uint8Array>, options: SceneOptions, to: GLBOptions = {}): Make {
  return async (limber) => {
    const before = await file()
    const baked = await bakeScene(limber, before, options)
    return { recording: baked.recording, bytes: await baked.toGLB(to), before }
  }
}

const waving =
  (more: Partial<BakeOptions> = {}) =>
  (limber: Backend): [BakeSubjects, BakeOptions] => {
    const sheet = flag.create(limber)
    return [{ flag: sheet }, { duration: 1.5, warmup: 1, drive: (t) => flag.drive(sheet, t + 6), ...more }]
  }

const walking =
  (more: Partial<BakeOptions> = {}) =>
  (limber: Backend): [BakeSubjects, BakeOptions] => {
    const cape = walkingCape.create(limber)
    return [{ cape }, { duration: 2, drive: (t) => walkingCape.drive(cape, t), ...more }]
  }

/** A gust that repeats itself every two seconds. */
const gusty =
  (loop: 'crossfade' | 'periodic') =>
  (limber: Backend): [BakeSubjects, BakeOptions] => {
    const sheet = flag.create(limber)
    const drive = (t: number) => sheet.wind.set(6 + 3 * Math.sin(Math.PI * t), 0, 2 * Math.sin(2 * Math.PI * t))
    return [{ sheet }, { duration: 2, warmup: 4, loop, drive }]
  }

const ball = (limber: Backend): [BakeSubjects, BakeOptions] => {
  const geometry = new SphereGeometry(0.3, 20, 12)
  const count = geometry.getAttribute('position').count
  geometry.setAttribute(
    'color',
    new Float32BufferAttribute(
      Array.from({ length: count * 3 }, (_, i) => (i % 7) / 6),
      3,
    ),
  )
  const ball = Cloth.fromGeometry(limber, geometry, { floor: 0, matrix: new Matrix4().makeTranslation(0, 0.6, 0) })
  return [{ ball }, { duration: 1 }]
}

const box = (limber: Backend): [BakeSubjects, BakeOptions] => {
  const matrix = new Matrix4().makeTranslation(0, 0.5, 0)
  const box = Cloth.fromGeometry(limber, new BoxGeometry(0.4, 0.4, 0.4, 4, 4, 4), { floor: 0, matrix })
  return [{ box }, { duration: 1 }]
}

/** Bones of 20 cm, one on the other, swung to and fro by the first. */
const tail =
  (more: Partial<BakeOptions> = {}) =>
  (limber: Backend): [BakeSubjects, BakeOptions] => {
    const bones = ['body', 'tail1', 'tail2'].map((name) => Object.assign(new Bone(), { name }))
    bones.reduce((above, bone) => (above.add(bone), bone.position.set(0, 0, -0.2), bone))
    const jiggle = new JiggleBones(limber, [{ bones: bones[1]!, multiplier: 1.6 }])
    const drive = (t: number) => bones[0]!.rotation.set(0, Math.sin(Math.PI * t), 0)
    return [{ tail: jiggle }, { duration: 2, warmup: 2, drive, ...more }]
  }

const robot = await loadModel('RobotExpressive.glb')

function actor(clip: string): { root: Object3D; mixer: AnimationMixer; mesh: SkinnedMesh } {
  const root = SkeletonUtils.clone(robot.scene)
  const mixer = new AnimationMixer(root)
  mixer.clipAction(robot.animations.find(({ name }: AnimationClip) => name === clip)!).play()
  mixer.setTime(0)
  let mesh: SkinnedMesh | undefined
  root.traverse((object) => void ('isSkinnedMesh' in object && (mesh ??= object as SkinnedMesh)))
  return { root, mixer, mesh: mesh! }
}

const head =
  (more: Partial<BakeOptions> = {}) =>
  (limber: Backend): [BakeSubjects, BakeOptions] => {
    const { root, mixer } = actor('Walking')
    const jiggle = new JiggleBones(limber, [{ bones: root.getObjectByName('Head') as Bone, multiplier: 1.3 }])
    return [{ head: jiggle }, { duration: 1, warmup: 1, drive: (t) => mixer.setTime(t + 1), ...more }]
  }

const struck = (ragdoll: Ragdoll, then: (t: number) => unknown = () => 0) => {
  let done = false
  return (t: number) => {
    then(t)
    if (t < 0.2 || done) return
    done = true
    ragdoll.activate({ hit: { point: [0, 1.2, 0.1], impulse: [1, 1, -5] } })
  }
}

const fall = (limber: Backend): [BakeSubjects, BakeOptions] => {
  const { root, mesh } = readyPlayerMe()
  ;(root as Object3D).updateMatrixWorld(true)
  const ragdoll = Ragdoll.fromSkeleton(limber, mesh)
  return [{ fall: ragdoll }, { duration: 2, drive: struck(ragdoll) }]
}

const tumble = (limber: Backend): [BakeSubjects, BakeOptions] => {
  const { mixer, mesh } = actor('Running')
  const ragdoll = Ragdoll.fromSkeleton(limber, mesh)
  return [{ tumble: ragdoll }, { duration: 1.5, drive: struck(ragdoll, (t) => mixer.setTime(t)) }]
}

const both = (limber: Backend): [BakeSubjects, BakeOptions] => {
  const { root, mixer } = actor('Walking')
  const jiggle = new JiggleBones(limber, [{ bones: root.getObjectByName('Head') as Bone }])
  const cape = Cloth.grid(limber, { columns: 5, rows: 7, pinned: 'top', floor: null })
  const drive = (t: number) => (mixer.setTime(t), cape.wind.set(0, 0, 5 * Math.sin(4 * t)))
  return [
    { cape, head: jiggle },
    { duration: 1, drive },
  ]
}

const shoal =
  (setup: BoidsSetup) =>
  (limber: Backend): [BakeSubjects, BakeOptions] => [{ fish: new Boids(limber, setup) }, { duration: 1.5, warmup: 1 }]

const arrow = new ConeGeometry(0.03, 0.1, 6).rotateX(Math.PI / 2)
const TORUS: BoidsSetup = { count: 40, dimensions: 2, seed: 7, bounds: { kind: 'torus', min: [0, 0], max: [1, 0.9] } }
const BOX: BoidsSetup = { count: 60, seed: 3, bounds: { kind: 'box', min: [-1, -0.5, -1], max: [1, 0.5, 1] } }
const BALL: BoidsSetup = { count: 200, seed: 5, bounds: { kind: 'sphere', center: [0, 1, 0], radius: 1.5 } }

const CAPE = { technique: 'cloth', mesh: 'Cape', pinned: { attribute: 'COLOR_0', above: 0.5 } } as const
const HAIR = { technique: 'jiggle', bones: ['Hair.1'], stiffness: 0.03, multiplier: 1.3 } as const
const CLOSE = { tolerance: 0.005 }

/** Files of every technique and every way of writing them. */
export const FIXTURES: Record<string, Make> = {
  'a flag, floats': recorded(waving(), { ...CLOSE, compression: 'none' }),
  'a flag, quantized': recorded(waving(), CLOSE),
  'a flag, meshopt': recorded(waving(), { ...CLOSE, compression: 'meshopt' }),
  'a flag at 60 a second': recorded(waving({ fps: 60, duration: 1 }), { tolerance: 0.01, compression: 'meshopt' }),
  'a flag at 7 a second': recorded(waving({ fps: 7 }), { tolerance: 0.02 }),
  'a flag closely': recorded(waving({ duration: 0.5 }), { tolerance: 0.0002 }),
  'a walking cape': recorded(walking()),
  'a walking cape, meshopt': recorded(walking(), { compression: 'meshopt' }),
  'a gust that crossfades': recorded(gusty('crossfade'), { ...CLOSE, compression: 'meshopt' }),
  'a gust that repeats itself': recorded(gusty('periodic'), CLOSE),
  'a ball with colours': recorded(ball, CLOSE),
  'a ball with colours, meshopt': recorded(ball, { ...CLOSE, compression: 'meshopt' }),
  'a box of six materials': recorded(box, CLOSE),
  'a box of six materials, meshopt': recorded(box, { ...CLOSE, compression: 'meshopt' }),
  'a tail': recorded(tail()),
  'a tail, meshopt': recorded(tail(), { compression: 'meshopt' }),
  'a tail in a loop': recorded(tail({ loop: 'periodic' })),
  'a tail that crossfades': recorded(tail({ loop: 'crossfade' })),
  'nothing but swings': recorded(tail(), { only: 'jiggle' }),
  'a head on its file': recorded(head(), {}, 'RobotExpressive.glb'),
  'a head on its file, meshopt': recorded(head(), { compression: 'meshopt' }, 'RobotExpressive.glb'),
  'a fall': recorded(fall),
  'a fall, meshopt': recorded(fall, { compression: 'meshopt' }),
  'a tumble on its file': recorded(tumble, {}, 'RobotExpressive.glb'),
  'cape and head': recorded(both),
  'cape and head on a file': recorded(both, CLOSE, 'RobotExpressive.glb'),
  'fish round a torus': recorded(shoal(TORUS)),
  'fish in a box, with a shape': recorded(shoal(BOX), { geometry: arrow }),
  'fish in a ball, meshopt': recorded(shoal(BALL), { geometry: arrow, compression: 'meshopt' }),
  'a scene of cape and hair': scene(hero, { clip: 'Walk', simulations: { cape: CAPE, hair: HAIR } }, CLOSE),
  'a scene of cape and hair, meshopt': scene(
    () => hero({ textured: true }),
    { clip: 'Walk', warmup: 1.2, loop: 'periodic', simulations: { cape: CAPE, hair: HAIR } },
    { ...CLOSE, compression: 'meshopt' },
  ),
  'a scene of a fall': scene(() => model('CesiumMan.glb'), {
    duration: 1,
    simulations: { fall: { technique: 'ragdoll', limpAt: 0.1 } },
  }),
  'a scene of fish': scene(hero, { duration: 1, simulations: { fish: { technique: 'boids', count: 9 } } }),
}
