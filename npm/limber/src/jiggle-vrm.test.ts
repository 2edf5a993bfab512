import { JiggleBones, load, type Backend } from 'limber'
import { Bone, Group, Object3D, Vector3 } from 'three'
import * as SkeletonUtils from 'three/addons/utils/SkeletonUtils.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusal } from '../../../tests/helpers.mjs'
import { makeGltf, poseOf, tipAt } from '../../../tests/jiggle/chain.mjs'

const NODES = [
  { name: 'a', children: [1, 4] },
  { name: 'b', translation: [0, 0.1, 0], children: [2] },
  { name: 'c', translation: [0, 0.1, 0] },
  { name: 'd', translation: [1, 0, 0] },
  { name: 'e', translation: [0.1, 0, 0] },
]
const joints = (...nodes: number[]) => nodes.map((node) => ({ node }))
const spring = (more: object = {}, joint: object = {}) => ({ joints: [{ node: 0, ...joint }, { node: 1 }], ...more })
/** A file of VRM 0.x. */
function zero(secondaryAnimation: unknown) {
  const gltf = makeGltf(NODES, {})
  gltf.parser.json.extensions = { VRM: { secondaryAnimation } }
  return gltf
}

describe('springs of a VRM file', () => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  const refused = (gltf: unknown, setup?: unknown) => {
    const error = refusal(() => JiggleBones.fromGLTF(limber, gltf as never, setup as never))
    return [error.code, error.message]
  }
  const names = (gltf: unknown) => {
    const jiggle = JiggleBones.fromGLTF(limber, gltf as never)
    for (let i = 0; i < 20; i++) jiggle.step(1 / 60)
    for (const { quaternion } of jiggle.bones) expect(quaternion.length()).toBeCloseTo(1, 6)
    const list = jiggle.chains.map(({ bones }) => bones.map(({ name }) => name).join(''))
    jiggle.dispose()
    return list
  }

  it.each([
    undefined,
    null,
    5,
    {},
    { scene: new Group() },
    { scene: {}, parser: { json: {}, associations: new Map() } },
  ])('needs what GLTFLoader gives, not %o', (wrong) => {
    expect(refused(wrong)).toEqual([
      'invalid-input',
      'fromGLTF takes what GLTFLoader gives: an object with scene and parser',
    ])
  })

  it.each([
    ['no extension', undefined],
    ['an empty one', {}],
    ['no springs', { springs: [] }],
    ['null', { springs: null }],
    ['springs without joints', { springs: [{}, { joints: [] }] }],
    ['springs of one joint', { springs: [{ joints: joints(0) }] }],
  ])('needs springs: %s', (_, extension) => {
    const gltf = makeGltf(NODES, extension ?? {})
    if (!extension) gltf.parser.json.extensions = { KHR_lights: {} }
    expect(refused(gltf)).toEqual([
      'invalid-input',
      expect.stringMatching(/^the file has no springs: neither VRMC_springBone/),
    ])
  })

  it.each<[string, object, RegExp]>([
    [
      'a node that is not there',
      { springs: [{ joints: joints(0, 9) }] },
      /^the file's spring 0 is node 9, which is not in the scene$/,
    ],
    ['a node below 0', { springs: [{ joints: joints(-1, 1) }] }, /spring 0 is node -1, which is not in the scene$/],
    ['no node', { springs: [{ joints: [{}, { node: 1 }] }] }, /spring 0 is node undefined, /],
    [
      'a joint that is not below',
      { springs: [{ joints: joints(0, 3, 2) }] },
      /^the file's spring 0 ends in a node that is not below/,
    ],
    ['joints from the end on', { springs: [{ joints: joints(2, 1, 0) }] }, /not below/],
    [
      'a joint of two springs',
      { springs: [{ joints: joints(0, 1) }, { joints: joints(0, 1) }] },
      /a bone swings once$/,
    ],
    [
      'stiffness below 0',
      { springs: [spring({}, { stiffness: -1 })] },
      /stiffness must be a number from 0 to 1000, got -1$/,
    ],
    [
      'a radius below 0',
      { springs: [spring({}, { hitRadius: -1 })] },
      /radius must be a number from 0 to 1000, got -1$/,
    ],
    [
      'a direction of one number',
      { springs: [spring({}, { gravityDir: [1], gravityPower: 1 })] },
      /gravity must be \[x, y, z\]/,
    ],
    ['a centre that is not there', { springs: [spring({ center: 9 })] }, /^the file's centre of spring 0 is node 9, /],
    [
      'a collider on what is not there',
      { colliders: [{ node: 9, shape: { sphere: {} } }], springs: [spring()] },
      /^the file's collider 0 is node 9, /,
    ],
    [
      'a collider of a radius below 0',
      {
        colliders: [{ node: 3, shape: { sphere: { radius: -1 } } }],
        colliderGroups: [{ colliders: [0] }],
        springs: [spring({ colliderGroups: [0] })],
      },
      /^the file's springs: chains\[0\]\.colliders\[0\]\.radius must be a number from 0 /,
    ],
  ])('is refused with %s', (_, extension, message) => {
    expect(refused(makeGltf(NODES, extension))).toEqual(['invalid-input', expect.stringMatching(message)])
  })

  it('issue: files of another form were a TypeError', () => {
    for (const extension of [
      { springs: {} },
      { springs: 5 },
      { springs: [null] },
      { springs: [{ joints: [null, { node: 1 }] }] },
      { springs: [spring({ colliderGroups: null })] },
      { colliders: [null], springs: [spring()] },
      { colliders: {}, springs: [spring()] },
    ]) {
      expect(refused(makeGltf(NODES, extension))).toEqual([
        'invalid-input',
        expect.stringMatching(/^the file's springs are broken: /),
      ])
    }
    for (const animation of [
      { boneGroups: {} },
      { boneGroups: [null] },
      { boneGroups: [{ bones: {} }] },
      { boneGroups: [{ bones: [0] }], colliderGroups: [null] },
    ])
      expect(refused(zero(animation))).toEqual([
        'invalid-input',
        expect.stringMatching(/^the file's springs are broken: /),
      ])
  })

  it('issue: a spring that ended elsewhere had an end somewhere', () => {
    expect(refused(makeGltf(NODES, { springs: [{ joints: joints(0, 1, 3) }] }))).toEqual([
      'invalid-input',
      "the file's spring 0 ends in a node that is not below the joint before it",
    ])
  })

  it('what is unknown, or not a number, does no harm', () => {
    for (const extension of [
      { springs: [spring({}, { stiffness: 'x', dragForce: null })] },
      { springs: [spring({}, { dragForce: 2, extensions: { FOO_bar: 1, VRMC_springBone_limit: null } })] },
      { springs: [spring({}, { extensions: { VRMC_springBone_limit: { limit: { twist: {} } } } })] },
      { springs: [spring({ colliderGroups: [7], extensions: { FOO_bar: 1 } })] },
      {
        colliders: [{ node: 3 }],
        colliderGroups: [{ colliders: [0, 7] }, {}],
        springs: [spring({ colliderGroups: [0, 1] })],
      },
    ])
      expect(names(makeGltf(NODES, extension))).toEqual(['a'])
  })

  it('issue: a shape that is not known was a point', () => {
    const gltf = makeGltf(NODES, {
      colliders: [{ node: 1, shape: { cylinder: {} } }],
      colliderGroups: [{ colliders: [0] }],
      springs: [spring({ colliderGroups: [0] }, { hitRadius: 0.05, gravityPower: 0 })],
    })
    const jiggle = JiggleBones.fromGLTF(limber, gltf)
    expect(jiggle.colliders.length).toBe(0)
    jiggle.step(1 / 60)
    expect(tipAt(jiggle.tips).distanceTo(new Vector3(0, 0.1, 0))).toBeLessThan(1e-6)
    jiggle.dispose()
  })

  it('joins springs end to end, and skips those that have nothing to swing', () => {
    expect(
      names(makeGltf(NODES, { springs: [{ joints: joints(4) }, { joints: joints(0, 1) }, { joints: joints(1, 2) }] })),
    ).toEqual(['a', 'b'])
  })

  it('a clone says so by root, and shares nothing', () => {
    const gltf = makeGltf(NODES, { springs: [{ joints: joints(0, 1, 2) }] })
    const copy = SkeletonUtils.clone(gltf.scene)
    const jiggle = JiggleBones.fromGLTF(limber, gltf, { root: copy })
    const nodes: Object3D[] = []
    gltf.scene.traverse((object: Object3D) => void nodes.push(object))
    const before = nodes.map(poseOf)
    for (let i = 0; i < 30; i++) {
      copy.position.x = i / 10
      jiggle.step(1 / 60)
    }
    expect(nodes.map(poseOf)).toEqual(before)
    expect(jiggle.bones[0]).toBe(copy.getObjectByName('a'))
    expect(Math.abs(jiggle.bones[0]!.quaternion.z)).toBeGreaterThan(0.01)
    jiggle.dispose()
    expect(refused(gltf, { root: null })).toEqual(['invalid-option', 'root must be an Object3D, got null'])
    expect(refused(gltf, { root: new Group() })[1]).toMatch(
      /^the file's spring 0 is node 0, which is not in the scene$/,
    )
  })

  it('takes a setup, and what is wrong with that is an option’s', () => {
    const gltf = makeGltf(NODES, { springs: [{ joints: joints(0, 1, 2) }] })
    const jiggle = JiggleBones.fromGLTF(limber, gltf, { gravity: [0, -1, 0], wind: [1, 0, 0], interpolate: false })
    expect([jiggle.gravity.y, jiggle.wind.x, jiggle.options.interpolate, jiggle.fixedStep]).toEqual([
      -1,
      1,
      false,
      1 / 60,
    ])
    expect(jiggle.chains[0]!.options.rate).toBe(60)
    jiggle.dispose()
    for (const wrong of [
      null,
      5,
      [],
      { foo: 1 },
      { stiffness: -1 },
      { colliders: 5 },
      { colliders: [{ kind: 'sphere', center: [0, 0, 0], radius: -1 }] },
    ])
      expect(refused(gltf, wrong)[0]).toBe('invalid-option')
  })

  describe('of VRM 0.x', () => {
    const group = (more: object = {}) => ({ boneGroups: [{ bones: [0], ...more }] })

    it.each<[string, unknown, RegExp]>([
      ['no groups', { boneGroups: [] }, /^the file has no springs/],
      ['a bone that is not there', group({ bones: [9] }), /^the file's bone group 0 is node 9, /],
      ['a centre that is not there', group({ center: 99 }), /^the file's centre of bone group 0 is node 99, /],
      [
        'a radius below 0',
        group({ hitRadius: -1 }),
        /^the file's springs: .*radius must be a number from 0 to 1000 \(m\), got -1$/,
      ],
      ['a stiffness of 4000', group({ stiffiness: 4000 }), /stiffness must be a number from 0 to 1000, got 4000$/],
      [
        'a collider group on what is not there',
        { ...group(), colliderGroups: [{ node: 9 }] },
        /^the file's collider group 0 is node 9, /,
      ],
      [
        'a collider that is somewhere',
        {
          ...group({ colliderGroups: [0] }),
          colliderGroups: [{ node: 3, colliders: [{ radius: 1, offset: { x: 'a' } }] }],
        },
        /^the file's springs: chains\[0\]\.colliders\[0\]\.center must be /,
      ],
    ])('is refused with %s', (_, animation, message) => {
      expect(refused(zero(animation))).toEqual(['invalid-input', expect.stringMatching(message)])
    })

    it('each node swings with all below it, once', () => {
      expect(names(zero(group()))).toEqual(['abce'])
      expect(names(zero(group({ center: -1, gravityDir: null, colliderGroups: [5] })))).toEqual(['abce'])
      expect(names(zero({ boneGroups: [{ bones: [1] }, { bones: [0] }] }))).toEqual(['bc', 'ae'])
      expect(names(zero({ boneGroups: [{ bones: [0, 1] }, { bones: [1] }] }))).toEqual(['abce'])
    })

    it('issue: an end that no skin knows was no end', () => {
      // What GLTFLoader makes of nodes that are joints of a skin, and of one that is not.
      const scene = new Group()
      const objects = [new Bone(), new Bone(), new Object3D()]
      objects.forEach((object, i) => (object.name = 'abc'[i]!))
      objects.reduce<Object3D>((parent, object) => (parent.add(object), object), scene)
      objects[1]!.position.y = 0.1
      objects[2]!.position.set(0, 0, 0.3)
      const json = { extensions: { VRM: { secondaryAnimation: group({ gravityPower: 0 }) } } }
      const associations = new Map(objects.map((object, nodes) => [object, { nodes }]))
      const jiggle = JiggleBones.fromGLTF(limber, { scene, parser: { json, associations } })
      expect(jiggle.bones.map(({ name }) => name).join('')).toBe('abc')
      jiggle.step(1 / 60)
      // The second bone ends where the end is; the end itself goes on by 7 cm.
      expect(tipAt(jiggle.tips, 1).distanceTo(new Vector3(0, 0.1, 0.3))).toBeLessThan(1e-6)
      expect(tipAt(jiggle.tips, 2).distanceTo(new Vector3(0, 0.1, 0.37))).toBeLessThan(1e-6)
      jiggle.dispose()
    })

    it('has z the other way round in the offsets of colliders', () => {
      const gltf = zero({
        ...group({ colliderGroups: [0] }),
        colliderGroups: [{ node: 3, colliders: [{ radius: 0.1, offset: { x: 1, y: 2, z: 3 } }] }],
      })
      const jiggle = JiggleBones.fromGLTF(limber, gltf)
      expect([...jiggle.colliders]).toMatchObject([{ kind: 'sphere', center: [1, 2, -3], radius: 0.1, chains: [0] }])
      jiggle.dispose()
    })
  })
})
