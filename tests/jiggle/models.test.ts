import { JiggleBones, type Backend } from 'limber'
import { AnimationMixer, Vector3, type AnimationClip, type Bone, type Object3D } from 'three'
import * as SkeletonUtils from 'three/addons/utils/SkeletonUtils.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { placeOf, poseOf, tipAt } from './chain.mjs'
import { loadModel } from './load-model.mjs'

const FRAME = 1 / 60
const MODELS = ['RobotExpressive.glb', 'CesiumMan.glb', 'RiggedSimple.glb']

const isBone = (object: Object3D | null): object is Bone => object !== null && 'isBone' in object

/** Every run of bones that ends in a leaf and starts below a fork. */
function leafwardChains(scene: Object3D): Bone[][] {
  const chains: Bone[][] = []
  scene.traverse((leaf) => {
    if (!isBone(leaf) || leaf.children.some(isBone)) return
    const chain = [leaf]
    for (let above = leaf.parent; isBone(above) && above.children.filter(isBone).length === 1; above = above.parent)
      chain.unshift(above)
    chains.push(chain)
  })
  return chains
}

/** A copy of a model that plays a clip. */
function actor(scene: Object3D, clip: AnimationClip) {
  const copy = SkeletonUtils.clone(scene)
  const mixer = new AnimationMixer(copy)
  mixer.clipAction(clip).play()
  return { copy, mixer, chains: leafwardChains(copy) }
}

/** Where an object is drawn. */
const drawn = ({ matrixWorld }: Object3D) => new Vector3().setFromMatrixPosition(matrixWorld)

/** The larger, NaN if one is. */
const larger = (a: number, b: number) => (a >= b || Number.isNaN(a) ? a : b)

describe.each(Object.entries(backends))('models on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  describe.each(MODELS)('%s', (file) => {
    it('swings under every clip, keeps its lengths, and gives the plain pose back', async () => {
      const { scene, animations } = await loadModel(file)
      expect(animations.length).toBeGreaterThan(0)
      for (const clip of animations) {
        const [plain, swung] = [actor(scene, clip), actor(scene, clip)]
        const jiggle = new JiggleBones(limber, swung.chains)
        const offsets = swung.chains.map((chain) => chain.slice(1).map(({ position }) => position.clone()))
        const order = new Map(jiggle.bones.map((bone, b) => [bone, b]))
        expect(jiggle.bones.length).toBe(swung.chains.flat().length)
        // The most of the whole clip, as NaN where something was: how far bones turned, by what share their lengths changed,
        // and how far a tip was from where the next bone was made, as far as f32 tells.
        let [swing, stretch, off] = [0, 0, 0]
        const frames = Math.ceil(Math.min(clip.duration + 0.5, 3) / FRAME)
        for (let f = 0; f < frames; f++) {
          for (const { copy, mixer } of [plain, swung]) {
            mixer.update(FRAME)
            copy.position.x = 0.3 * Math.sin(f * 0.1)
          }
          jiggle.step(FRAME)
          for (const { copy } of [plain, swung]) copy.updateMatrixWorld(true)
          const { tips } = jiggle
          swung.chains.forEach((chain, c) =>
            chain.forEach((bone, b) => {
              const twin = plain.chains[c]![b]!
              swing = larger(swing, bone.quaternion.angleTo(twin.quaternion))
              const tip = tipAt(tips, order.get(bone))
              off = larger(off, 0 * tip.length())
              if (b + 1 === chain.length) return
              const length = drawn(chain[b + 1]!).distanceTo(drawn(bone))
              const rest = drawn(plain.chains[c]![b + 1]!).distanceTo(drawn(twin))
              stretch = larger(stretch, Math.abs(length / rest - 1))
              const end = offsets[c]![b]!.clone().applyMatrix4(bone.matrixWorld)
              off = larger(off, end.distanceTo(tip) / Math.max(1, tip.length()))
            }),
          )
        }
        expect(swing, clip.name).toBeGreaterThan(0.01)
        expect(stretch, clip.name).toBeLessThan(1e-5)
        expect(off, clip.name).toBeLessThan(1e-5)

        jiggle.enabled = false
        for (let f = 0; f < 10; f++) {
          for (const { mixer } of [plain, swung]) mixer.update(FRAME)
          jiggle.step(FRAME)
          swung.chains.flat().forEach((bone, b) => {
            expect(poseOf(bone), `${bone.name} of ${clip.name}`).toEqual(poseOf(plain.chains.flat()[b]!))
          })
        }
        jiggle.dispose()
      }
    })

    it('the last bone of a chain is as long as the one before it', async () => {
      const { scene } = await loadModel(file)
      const chains = leafwardChains(scene)
      const jiggle = new JiggleBones(limber, chains, { gravity: [0, 0, 0] })
      jiggle.step(FRAME)
      for (const chain of chains) {
        const leaf = chain[chain.length - 1]!
        const head = placeOf(leaf)
        const length = tipAt(jiggle.tips, jiggle.bones.indexOf(leaf)).distanceTo(head)
        expect(Math.abs(length - head.distanceTo(placeOf(leaf.parent!))), leaf.name).toBeLessThan(1e-5)
      }
      jiggle.dispose()
    })
  })
})
