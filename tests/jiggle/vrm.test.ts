import { VRMSpringBoneLoaderPlugin, type VRMSpringBoneManager } from '@pixiv/three-vrm-springbone'
import { JiggleBones, type Backend } from 'limber'
import { Euler, Matrix4, Quaternion, Vector3, type Object3D } from 'three'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { makeGltf, placeOf, tipAt } from './chain.mjs'
import { loadModel } from './load-model.mjs'
import { VrmReference, limited, meet } from './vrm-reference.mjs'

const STEP = 1 / 60
const DEGREE = Math.PI / 180
const SCENES = ['vrm-sphere-collider.gltf', 'vrm-plane-collider.gltf', 'vrm-inside-collider.gltf']

const place = (...[x, y, z]: number[]) => new Vector3(x, y, z)

/** J14 and J15, as their author states them: world tails. */
const J14 = [
  place(0.016664352, -0.99986114, 0),
  place(0.043298615, -0.999062175, 0),
  place(0.075834619, -0.997120409, 0),
]
const J15 = new Map([
  [1, place(0.00211173, -0.995197411, 0)],
  [2, place(0.00467502, -0.995446206, 0)],
  [10, place(0.030723249, -0.99759748, 0)],
])
/** J17: limits, and where they bring (0.6, 0, 0.8). */
const J17 = [
  { limit: { cone: { angle: 30 * DEGREE } }, to: place(0.3, 0.866025, 0.4) },
  { limit: { hinge: { angle: 30 * DEGREE } }, to: place(0, 0.866025, 0.5) },
  { limit: { spherical: { phi: 30 * DEGREE, theta: 20 * DEGREE } }, to: place(0.34202, 0.813798, 0.469846) },
]
/** J18: colliders, a ball of radius 1, and how far it is from them. */
const CAPSULE = { capsule: { offset: [-1, 0, 0], tail: [1, 1, 1], radius: 1 } }
const J18 = [
  { shape: { sphere: { offset: [1, 0, 0], radius: 1 } }, ball: place(2, 1, 0), distance: -0.585786 },
  { shape: CAPSULE, ball: place(-2, 0, 1), distance: -0.585786 },
  { shape: CAPSULE, ball: place(3, 0, 0), distance: 0.44949 },
]

/** One bone from the origin, or from `head`, to `tail`. */
function oneBone(joint: object, { head = place(0, 0, 0), tail = place(0, -1, 0), more = {} } = {}) {
  return makeGltf(
    [
      { name: 'head', translation: head.toArray(), children: [1] },
      { name: 'tail', translation: tail.clone().sub(head).toArray() },
      { name: 'still' },
      { name: 'root', children: [0] },
    ],
    { springs: [{ joints: [{ node: 0, ...joint }, { node: 1 }], ...more }] },
  )
}

/** One bone in a limit, pulled from +y to where `direction` is. */
function pulled(limit: object, direction: Vector3) {
  const gravity = direction.clone().sub(place(0, 1, 0))
  const gravityPower = gravity.length() / STEP
  const settings = { stiffness: 0, gravityPower, gravityDir: gravity.normalize().toArray(), dragForce: 0.4 }
  const extensions = { VRMC_springBone_limit: { specVersion: '1.0-draft', limit } }
  return oneBone({ ...settings, extensions }, { tail: place(0, 1, 0) })
}

/** One bone whose tail is a ball of radius 1 at `ball`, with a collider. */
function touching(shape: object, ball: Vector3) {
  const gltf = oneBone(
    { stiffness: 0, gravityPower: 0, dragForce: 0, hitRadius: 1 },
    { head: ball.clone().add(place(0, 3, 1)), tail: ball, more: { colliderGroups: [0] } },
  )
  Object.assign(gltf.parser.json.extensions.VRMC_springBone, {
    colliders: [{ node: 2, shape }],
    colliderGroups: [{ colliders: [0] }],
  })
  return gltf
}

/** A chain with all that a file can ask for: scales, rests, a center, limits of each kind and shapes of each kind. */
function everything() {
  const turned = (...[x, y, z]: number[]) => new Quaternion().setFromEuler(new Euler(x, y, z)).toArray()
  const joint = (node: number, limit?: object) => ({
    node,
    hitRadius: 0.03,
    stiffness: 0.9,
    gravityPower: 0.3,
    gravityDir: [0.6, -0.8, 0],
    dragForce: 0.3,
    ...(limit && { extensions: { VRMC_springBone_limit: { specVersion: '1.0-draft', limit } } }),
  })
  const extended = (node: number, shape: object) => ({
    node,
    shape: { sphere: { offset: [0, -1000, 0], radius: 0 } },
    extensions: { VRMC_springBone_extended_collider: { specVersion: '1.0', shape } },
  })
  return makeGltf(
    [
      { name: 'hips', translation: [0, 1, 0], scale: [1.5, 1.5, 1.5], children: [1, 6] },
      { name: 'a', translation: [0.1, 0.2, 0], rotation: turned(0.3, 0.5, -0.2), children: [2] },
      {
        name: 'b',
        translation: [0.1, 0.05, 0.1],
        rotation: turned(-0.4, 0.2, 0.6),
        scale: [0.8, 0.8, 0.8],
        children: [3],
      },
      { name: 'c', translation: [0, 0.15, -0.05], rotation: turned(1, 0, 0.1), children: [4] },
      { name: 'd', translation: [0.15, 0, 0], rotation: turned(0, -0.7, 0), children: [5] },
      { name: 'end', translation: [0, -0.1, 0.1] },
      { name: 'Collider', translation: [0.2, 0.2, 0.1], rotation: turned(0.2, 0.4, 0.1), scale: [0.5, 0.5, 0.5] },
      { name: 'floor', translation: [0, 1.25, 0], rotation: turned(-Math.PI / 2, 0.1, 0) },
    ],
    {
      colliders: [
        { node: 6, shape: { sphere: { offset: [0.1, 0, 0], radius: 0.2 } } },
        { node: 6, shape: { capsule: { offset: [0, 0.1, 0], tail: [0.3, 0.4, 0], radius: 0.15 } } },
        extended(0, { sphere: { offset: [0.1, 0.2, 0], radius: 0.25, inside: true } }),
        extended(0, { capsule: { offset: [0, 0.2, 0], tail: [0.3, 0.2, 0.1], radius: 0.2, inside: true } }),
        extended(7, { plane: { offset: [0, 0, 0.05], normal: [0, 0, 1] } }),
      ],
      colliderGroups: [{ colliders: [0, 1] }, { colliders: [2, 3, 4] }],
      springs: [
        {
          joints: [
            joint(1),
            joint(2, { cone: { angle: 0.4, rotation: turned(0.1, 0.2, 0.3) } }),
            joint(3, { hinge: { angle: 0.8, rotation: turned(0, 1, 0.1) } }),
            joint(4, { spherical: { phi: 0.5, theta: 0.3, rotation: turned(0.2, -0.4, 0) } }),
            { node: 5 },
          ],
          colliderGroups: [0, 1],
          center: 0,
        },
      ],
    },
  )
}

/** Moves a scene and the collider in it, from where both are in the file at 0 s. */
function drive(scene: Object3D, collider: Object3D, from: Vector3, t: number) {
  scene.position.set(0.6 * Math.sin(3 * t), 0.1 * Math.sin(5 * t), 0.2 * t)
  scene.rotation.set(0.2 * Math.sin(2 * t), t, 0.5 * Math.sin(4 * t))
  collider.position.copy(from)
  collider.position.x -= 0.7 * (1 - Math.cos(2.5 * t))
  collider.position.y += 0.2 * (1 - Math.cos(2.5 * t))
  scene.updateMatrixWorld(true)
}

/** Three-vrm's spring bones of a scene. Its radii do not grow with a collider's node, ours do. */
async function threeVrm(file: string) {
  const { scene, userData } = await loadModel(file, (parser) => new VRMSpringBoneLoaderPlugin(parser))
  const manager = userData.vrmSpringBoneManager as VRMSpringBoneManager
  scene.updateMatrixWorld(true)
  for (const { shape, matrixWorld } of manager.colliders)
    if ('radius' in shape) (shape as { radius: number }).radius *= matrixWorld.getMaxScaleOnAxis()
  return { scene, manager, joints: [...manager.joints] }
}

describe('the reference', () => {
  it('J14: gravity', () => {
    const reference = new VrmReference(
      oneBone({ stiffness: 0, gravityPower: 1, gravityDir: [1, 0, 0], dragForce: 0.4 }),
    )
    for (const tail of J14) {
      reference.step(STEP)
      expect(reference.tails[0]!.distanceTo(tail)).toBeLessThan(1e-8)
    }
  })

  it('J15: stiffness', () => {
    const gltf = oneBone({ stiffness: 1, gravityPower: 0, dragForce: 0.4 })
    const reference = new VrmReference(gltf)
    gltf.scene.position.x = 0.1
    for (let step = 1; step <= 10; step++) {
      reference.step(STEP)
      const tail = J15.get(step)
      if (tail) expect(reference.tails[0]!.distanceTo(tail)).toBeLessThan(1e-8)
    }
  })

  it.each(J17)('J17: $limit', ({ limit, to }) => {
    const axis = place(0, 1, 0)
    expect(limited(limit, axis, place(0.6, 0, 0.8)).distanceTo(to)).toBeLessThan(1e-6)
    for (const direction of [place(0, -1, 0), place(1, 0, 0), place(-1, 0, 0)])
      expect(limited(limit, axis, direction).length()).toBeCloseTo(1, 9)
  })

  it.each(J18)('J18: $shape at $ball', ({ shape, ball, distance }) => {
    expect(meet(shape, new Matrix4(), ball, 1).distance).toBeCloseTo(distance, 5)
  })

  it.each(SCENES)('first joints of %s are those of three-vrm', async (file) => {
    const gltf = await loadModel(file)
    const reference = new VrmReference(gltf)
    const peer = await threeVrm(file)
    const nodes = [gltf.scene, peer.scene].map((scene) => ({ scene, collider: scene.getObjectByName('Collider')! }))
    const from = nodes[0]!.collider.position.clone()
    let met = 0
    for (let step = 0; step < 240; step++) {
      for (const { scene, collider } of nodes) drive(scene, collider, from, step * STEP)
      reference.step(STEP)
      peer.manager.update(STEP)
      expect(placeOf(peer.joints[0]!.child!).distanceTo(reference.tails[0]!)).toBeLessThan(1e-12)
      const { node, shape } = reference.joints[0]!.colliders[0]!
      if (meet(shape, node.matrixWorld, reference.tails[0]!, 0.25).distance < 1e-3) met++
    }
    expect(met, 'steps in which the joint met its collider').toBeGreaterThan(10)
  })
})

describe.each(Object.entries(backends))('VRM chains on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  const from = (gltf: any) => JiggleBones.fromGLTF(limber, gltf, { interpolate: false })

  it('J14: gravity', () => {
    const jiggle = from(oneBone({ stiffness: 0, gravityPower: 1, gravityDir: [1, 0, 0], dragForce: 0.4 }))
    for (const tail of J14) {
      expect(jiggle.step(STEP)).toBe(1)
      expect(tipAt(jiggle.tips).distanceTo(tail)).toBeLessThan(1e-6)
    }
    jiggle.dispose()
  })

  it('J15: stiffness', () => {
    const gltf = oneBone({ stiffness: 1, gravityPower: 0, dragForce: 0.4 })
    const jiggle = from(gltf)
    // At rest where it is: nothing moves yet.
    jiggle.step(STEP)
    expect(tipAt(jiggle.tips).distanceTo(place(0, -1, 0))).toBeLessThan(1e-6)
    gltf.scene.position.x = 0.1
    for (let step = 1; step <= 10; step++) {
      jiggle.step(STEP)
      const tail = J15.get(step)
      if (tail) expect(tipAt(jiggle.tips).distanceTo(tail), `step ${step}`).toBeLessThan(1e-6)
      if (step > 1) continue
      const { x, y, z, w } = jiggle.bones[0]!.quaternion
      const apart = Math.hypot(x, y, z * Math.sign(w) + 0.049003006, Math.abs(w) - 0.998798631)
      expect(apart, 'rotation after step 1').toBeLessThan(1e-6)
    }
    jiggle.dispose()
  })

  it.each([
    ['its root', 3],
    ['itself', 0],
  ])('J16: the center is %s', (_, center) => {
    const gltf = oneBone({ stiffness: 1, gravityPower: 0, dragForce: 0.4 }, { more: { center } })
    const jiggle = from(gltf)
    for (let step = 0; step < 60; step++) {
      gltf.scene.position.x = 0.5 * step
      jiggle.step(STEP)
      const arm = tipAt(jiggle.tips).sub(placeOf(jiggle.bones[0]!))
      expect(arm.distanceTo(place(0, -1, 0)), `step ${step}`).toBeLessThan(1e-6)
    }
    jiggle.dispose()
  })

  it.each(J17)('J17: $limit', ({ limit, to }) => {
    const once = (direction: Vector3) => {
      const gltf = pulled(limit, direction)
      const jiggle = from(gltf)
      jiggle.step(STEP)
      const tail = tipAt(jiggle.tips)
      jiggle.dispose()
      return tail
    }
    expect(once(place(0.6, 0, 0.8)).distanceTo(to)).toBeLessThan(1e-5)
    for (const direction of [place(0, -1, 0), place(1, 0, 0), place(-1, 0, 0)])
      expect(once(direction).length(), direction.toArray().join()).toBeCloseTo(1, 5)
  })

  it.each(J18)('J18: $shape at $ball', ({ shape, ball, distance }) => {
    const reference = new VrmReference(touching(shape, ball))
    reference.step(STEP)
    const jiggle = from(touching(shape, ball))
    jiggle.step(STEP)
    const tail = tipAt(jiggle.tips)
    expect(tail.distanceTo(reference.tails[0]!)).toBeLessThan(1e-5)
    if (distance < 0) expect(tail.distanceTo(ball)).toBeGreaterThan(0.3)
    else expect(tail.distanceTo(ball)).toBeLessThan(1e-6)
    jiggle.dispose()
  })

  it.each(SCENES)('%s: the first joint is three-vrm’s, all are the reference’s', async (file) => {
    const [ours, theirs] = [await loadModel(file), await loadModel(file)]
    const jiggle = from(ours)
    const reference = new VrmReference(theirs)
    const peer = await threeVrm(file)
    const nodes = [ours, theirs, peer].map(({ scene }) => ({ scene, collider: scene.getObjectByName('Collider')! }))
    const start = nodes[0]!.collider.position.clone()
    const joints = reference.joints.map(({ bone }) => jiggle.bones.findIndex(({ name }) => name === bone.name))
    expect(joints).not.toContain(-1)
    for (let step = 0; step < 240; step++) {
      for (const { scene, collider } of nodes) drive(scene, collider, start, step * STEP)
      reference.step(STEP)
      peer.manager.update(STEP)
      jiggle.step(STEP)
      const first = placeOf(peer.joints[0]!.child!)
      expect(tipAt(jiggle.tips, joints[0]).distanceTo(first), `step ${step}`).toBeLessThan(1e-5)
      joints.forEach((joint, j) => {
        const apart = tipAt(jiggle.tips, joint).distanceTo(reference.tails[j]!)
        expect(apart, `joint ${j}, step ${step}`).toBeLessThan(1e-5)
      })
    }
    jiggle.dispose()
  })

  it('a chain with all that a file can ask for is the reference’s', () => {
    const [ours, theirs] = [everything(), everything()]
    const jiggle = from(ours)
    const reference = new VrmReference(theirs)
    const nodes = [ours, theirs].map(({ scene }) => ({ scene, collider: scene.getObjectByName('Collider')! }))
    const start = nodes[0]!.collider.position.clone()
    for (let step = 0; step < 300; step++) {
      for (const { scene, collider } of nodes) {
        drive(scene, collider, start, step * STEP)
        // The center turns too.
        scene.getObjectByName('hips')!.rotation.z = 0.4 * Math.sin(step * 0.15)
      }
      reference.step(STEP)
      jiggle.step(STEP)
      // What is pushed in the very first step: our tips start at rest on parents that have made it, the file's before it. With
      // this drag, that is forgotten in a second.
      if (step < 60) continue
      reference.joints.forEach(({ bone }, j) => {
        const joint = jiggle.bones.findIndex(({ name }) => name === bone.name)
        const apart = tipAt(jiggle.tips, joint).distanceTo(reference.tails[j]!)
        expect(apart, `joint ${bone.name}, step ${step}`).toBeLessThan(1e-5)
      })
    }
    jiggle.dispose()
  })
})
