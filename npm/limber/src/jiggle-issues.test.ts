import { Bone, Object3D } from 'three'
import { JiggleBones, type Backend } from 'limber/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'

/** A bone of length 1 that points along +y, under an object. */
function single(): { root: Object3D; bone: Bone } {
  const [root, bone] = [new Object3D(), new Bone()]
  root.add(bone)
  return { root, bone }
}

/** How far a bone is turned from no rotation, in radians. */
const angle = (bone: Object3D) => 2 * Math.acos(Math.min(1, Math.abs(bone.quaternion.w)))

describe.each(Object.entries(backends))('jiggle bones on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  it('issue: without inertia it swung with what its root was hung on later', () => {
    const { root, bone } = single()
    const jiggle = new JiggleBones(limber, [{ bones: bone, tip: [0, 1, 0], inertia: 0 }], { gravity: [0, 0, 0] })
    const other = new Object3D()
    for (let frame = 0; frame < 60; frame++) {
      if (frame === 20) other.add(bone)
      root.position.x = other.position.x = 0.3 * Math.sin(frame * 0.5)
      jiggle.step(1 / 60)
      if (frame > 22) expect(angle(bone)).toBeLessThan(1e-3)
    }
    jiggle.dispose()
  })

  it('issue: a hub whose children lie evenly around it never swung', () => {
    const { root, bone } = single()
    for (const x of [-0.2, 0.2]) bone.add(Object.assign(new Bone(), { name: `child${x}` }))
    bone.children.forEach((child, i) => child.position.set(i ? 0.2 : -0.2, 0, 0))
    const jiggle = new JiggleBones(limber, [bone])
    let most = 0
    for (let frame = 0; frame < 60; frame++) {
      root.position.y = 0.2 * Math.sin(frame * 0.5)
      jiggle.step(1 / 60)
      most = Math.max(most, angle(bone))
    }
    expect(most).toBeGreaterThan(0.05)
    jiggle.dispose()
  })

  it('issue: a collider set with a fresh list of chains was one for all, and not followed between frames', () => {
    const { bone } = single()
    const other = new Bone()
    const ball = { kind: 'sphere', center: [0.2, 1, 0], radius: 0.3 } as const
    const chains = [
      { bones: bone, tip: [0, 1, 0], colliders: [ball] },
      { bones: other, tip: [0, 1, 0] },
    ] as const
    const jiggle = new JiggleBones(limber, chains, { gravity: [0, 0, 0] })
    jiggle.colliders.set(0, { ...ball, radius: 0.31 })
    expect(jiggle.colliders.at(0)).toMatchObject({ chains: [0], radius: expect.closeTo(0.31) as number })
    jiggle.colliders.set(0, { ...ball, radius: 0.32, chains: [0] })
    for (let frame = 0; frame < 60; frame++) jiggle.step(1 / 60)
    expect(angle(bone)).toBeGreaterThan(0.05)
    expect(angle(other)).toBeLessThan(1e-5)
    jiggle.dispose()
  })

  it('issue: tips while it is disabled were those of the last swing', () => {
    const { root, bone } = single()
    const jiggle = new JiggleBones(limber, [{ bones: bone, tip: [0, 1, 0] }])
    for (let frame = 0; frame < 20; frame++) {
      root.position.x = 0.3 * Math.sin(frame * 0.5)
      jiggle.step(1 / 60)
    }
    expect(angle(bone)).toBeGreaterThan(0.05)
    jiggle.enabled = false
    const [x, y, z] = jiggle.tips
    expect([x, y, z].map((v, i) => Math.abs(v! - [root.position.x, 1, 0][i]!) < 1e-6)).toEqual([true, true, true])
    jiggle.dispose()
  })

  it('issue: disposed while it stepped elsewhere, the step was an error', async () => {
    const { bone } = single()
    const jiggle = new JiggleBones(limber, [bone])
    const call = jiggle.stepAsync(1 / 60)
    jiggle.dispose()
    expect(await call).toBeTypeOf('number')
  })

  it('issue: the springs of a clone that swung had the swing as their rest', () => {
    const nodes = [new Object3D(), new Object3D(), new Object3D()] as const
    const [scene, bone, end] = nodes
    scene.add(bone.add(end))
    bone.quaternion.set(0, 0, Math.sin(0.3), Math.cos(0.3)) // swung: the file has none
    end.position.y = 1
    const json = {
      nodes: [{}, {}, {}],
      extensions: { VRMC_springBone: { springs: [{ joints: [{ node: 1, stiffness: 4 }, { node: 2 }] }] } },
    }
    const associations = new Map(nodes.map((node, i) => [node, { nodes: i }]))
    const jiggle = JiggleBones.fromGLTF(limber, { scene, parser: { json, associations } })
    for (let frame = 0; frame < 300; frame++) jiggle.step(1 / 60)
    expect(angle(bone)).toBeLessThan(1e-4)
    jiggle.dispose()
  })

  it('issue: an option of a chain by its path went past the chain', () => {
    const { bone } = single()
    const jiggle = new JiggleBones(limber, [bone])
    expect(() => jiggle.configure({ 'chains.0.inertia': 0 } as object)).toThrow(/^chains\.0\.inertia is no option/)
    jiggle.dispose()
  })

  it('issue: a bone by itself that carries others ended elsewhere than they begin', () => {
    const { bone } = single()
    const hand = new Bone()
    hand.position.set(0.6, 0.8, 0)
    bone.position.set(0, 0, 3)
    bone.add(hand)
    const jiggle = new JiggleBones(limber, [[bone]])
    const [x, y, z] = jiggle.tips
    expect([x, y, z].map((v) => v!.toFixed(5))).toEqual(['0.60000', '0.80000', '3.00000'])
    jiggle.dispose()
  })

  it('issue: a stiffness for VRM chains did nothing, without a word', () => {
    const nodes = [new Object3D(), new Object3D()] as const
    const scene = nodes[0]
    scene.add(nodes[1])
    const springs = [{ joints: [{ node: 0 }, { node: 1 }] }]
    const associations = new Map(nodes.map((node, i) => [node, { nodes: i }]))
    nodes[1].position.y = 1
    const json = { extensions: { VRMC_springBone: { springs } } }
    const jiggle = JiggleBones.fromGLTF(limber, { scene, parser: { json, associations } })
    for (const set of [
      () => jiggle.configure({ stiffness: 0.1 }),
      () => jiggle.chains[0]!.configure({ dampingRatio: 1 }),
    ]) {
      expect(set).toThrow(/^(stiffness|dampingRatio) does nothing for VRM chains: change the multiplier of each$/)
    }
    jiggle.chains[0]!.configure({ multiplier: 2 })
    jiggle.dispose()
  })
})
