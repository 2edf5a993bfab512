import { Matrix4, Quaternion, Vector3, type Bone, type Object3D, type SkinnedMesh } from 'three'
import { describe, expect, it } from 'vitest'
import { loadModel } from '../../../tests/jiggle/load-model.mjs'
import { mixamo, plain, RIGS, unreal } from '../../../tests/ragdoll/rigs.mjs'
import { LimberError } from './error.js'
import { humanoidSetup, type HumanoidSetup } from './ragdoll-humanoid.js'
import { mapHumanoid } from './ragdoll-map.js'
import type { RagdollLimit, RagdollPoint } from './ragdoll-setup.js'

interface Rig {
  root: Object3D
  mesh: SkinnedMesh
}
const setupOf = ({ mesh }: Rig, mass = 70) => humanoidSetup(mapHumanoid(mesh.skeleton.bones), mass, [mesh])

/** Rest places by name. */
const places = (setup: HumanoidSetup): Record<string, Vector3> =>
  Object.fromEntries(setup.points.map(({ name, rest }) => [name, rest as Vector3]))
const placeNow = ({ bone, local }: RagdollPoint) => (local as Vector3).clone().applyMatrix4(bone!.matrixWorld)
const ends = (link: unknown) => link as readonly [string, string]
const at = (object: Object3D) => new Vector3().setFromMatrixPosition(object.matrixWorld)

/** Angle of a hinge, as the contract of limits has it. */
function bendOf(a: Vector3, joint: Vector3, axis: Vector3, b: Vector3): number {
  const n = axis.clone().sub(joint).normalize()
  const flat = (v: Vector3) => v.addScaledVector(n, -v.dot(n))
  const [u, f] = [flat(joint.clone().sub(a)), flat(b.clone().sub(joint))]
  return Math.atan2(n.dot(u.clone().cross(f)), u.dot(f))
}
const hinge = (setup: HumanoidSetup, joint: string) =>
  setup.limits.find((l): l is RagdollLimit & { kind: 'hinge' } => l.kind === 'hinge' && l.points[1] === joint)!

/** Everything that must hold of every body. */
function check(setup: HumanoidSetup, mass = 70): void {
  const at = places(setup)
  const { points, links, bones, limits, capsules } = setup
  expect(new Set(points.map(({ name }) => name)).size).toBe(points.length)
  const size = at['hipL']!.distanceTo(at['neck']!)
  const known = (name: unknown) => expect(at).toHaveProperty(String(name))
  for (const { rest, local, radius, mass } of points) {
    for (const v of [rest, local] as Vector3[]) expect(v.toArray().every(Number.isFinite)).toBe(true)
    expect(radius! / size).toBeGreaterThan(0.001)
    expect(radius! / size).toBeLessThan(1)
    expect(mass).toBeGreaterThan(0)
  }
  const masses = points.map(({ mass }) => mass!)
  expect(masses.reduce((a, b) => a + b) / mass).toBeCloseTo(1, 6)
  expect(Math.min(...masses) / Math.max(...masses)).toBeGreaterThan(1 / 41)
  const once = new Set<string>()
  for (const link of links) {
    const [a, b] = ends(link)
    known(a)
    known(b)
    once.add([a, b].sort().join())
    expect(at[a]!.distanceTo(at[b]!) / size).toBeGreaterThan(0.01)
  }
  expect(once.size).toBe(links.length)
  const linked = (a: string, b: string) => once.has([a, b].sort().join())
  const frame = (names: readonly (string | number)[]) => {
    const [a, b, c] = names as [string, string, string]
    for (const name of [a, b, c]) known(name)
    // A frame is rigid.
    expect([linked(a, b), linked(b, c), linked(a, c)]).toEqual([true, true, true])
    const [p, q, r] = [at[a]!, at[b]!, at[c]!]
    const sides = [p.distanceTo(q), q.distanceTo(r), r.distanceTo(p)]
    const twice = q.clone().sub(p).cross(r.clone().sub(p)).length()
    const longest = Math.max(...sides)
    expect(twice / longest / longest).toBeGreaterThan(0.05)
  }
  const turned: Object3D[] = []
  for (const { bone, points, parent } of bones) {
    if (points.length === 3) frame(points)
    points.forEach(known)
    if (parent) expect(turned).toContain(parent)
    turned.push(bone)
  }
  expect(new Set(turned).size).toBe(turned.length)
  for (const limit of limits) {
    limit.points.forEach(known)
    if (limit.kind === 'hinge') {
      const [a, joint, axis, b] = limit.points.map((name) => at[name]!) as [Vector3, Vector3, Vector3, Vector3]
      const rest = bendOf(a, joint, axis, b)
      expect(rest).toBeGreaterThanOrEqual(limit.min - 1e-6)
      expect(rest).toBeLessThanOrEqual(limit.max + 1e-6)
      // At right angles to what it turns, more or less: an ankle's line is turned about the shank by 0.45 rad.
      const n = axis.clone().sub(joint).normalize()
      for (const v of [a.clone().sub(joint), b.clone().sub(joint)])
        expect(Math.abs(v.normalize().dot(n))).toBeLessThan(0.5)
      continue
    }
    frame(limit.frame)
    if (limit.kind === 'twist') frame(limit.points)
    else expect((limit.axis as Vector3).length()).toBeCloseTo(1, 6)
  }
  for (const { points, radius } of capsules) {
    points.forEach(known)
    expect(radius / size).toBeGreaterThan(0.005)
    expect(radius / size).toBeLessThan(0.6)
  }
}

const RIGHT = (name: string) => (name === 'hipL' ? 'hipR' : name.replace(/L$/, 'R'))

describe('the body of a skeleton', () => {
  const poses = ['T', 'A', 'down'] as const
  const cases = Object.entries(RIGS).flatMap(([name, make]) => poses.map((pose) => [name, pose, make] as const))

  it.each(cases)('of %s in pose %s is whole, sound and bends the right way', (_, pose, make) => {
    const rig = make({ pose })
    const setup = setupOf(rig)
    check(setup)
    const p = places(setup)
    expect(Object.keys(p)).toHaveLength(7 + 2 + 2 * (4 + 5))
    expect(setup.bones).toHaveLength(3 + 2 * 6)

    // Joints are where bones are, also after the armature's scale.
    const head = (name: string) => at(rig.root.getObjectByName(name)!)
    const { bones } = mapHumanoid(rig.mesh.skeleton.bones)
    for (const [point, key] of [
      ['hipL', 'leftUpperLeg'],
      ['kneeL', 'leftLowerLeg'],
      ['ankleR', 'rightFoot'],
      ['shoulderR', 'rightUpperArm'],
      ['elbowL', 'leftLowerArm'],
      ['wristL', 'leftHand'],
      ['waist', 'spine'],
      ['neck', 'neck'],
    ] as const) {
      expect(p[point]!.distanceTo(head(bones[key]!.name))).toBeLessThan(1e-5)
    }
    for (const point of setup.points) expect(placeNow(point).distanceTo(point.rest as Vector3)).toBeLessThan(1e-5)

    // Left and right are alike, but for the lines of hinges, which turn right-handed on both sides.
    for (const { name, rest, mass, radius } of setup.points) {
      if (!name!.endsWith('L')) continue
      const other = setup.points.find((q) => q.name === RIGHT(name!))!
      const mirrored = (rest as Vector3).clone().setX(-(rest as Vector3).x)
      if (name!.includes('Axis')) {
        const joint = p[name!.replace('Axis', '')]!
        const offset = mirrored.clone().sub(joint.clone().setX(-joint.x)).negate()
        mirrored.copy(p[RIGHT(name!.replace('Axis', ''))]!).add(offset)
      }
      expect(mirrored.distanceTo(other.rest as Vector3)).toBeLessThan(2e-3)
      expect(mass! / other.mass!).toBeCloseTo(1, 6)
      expect(radius! / other.radius!).toBeCloseTo(1, 2)
    }

    // It looks along +z.
    expect(p['face']!.z - p['crown']!.z).toBeGreaterThan(0.02)
    expect(p['sternum']!.z).toBeGreaterThan(0.05)
    for (const side of ['L', 'R']) expect(p[`toe${side}`]!.z).toBeGreaterThan(p[`ankle${side}`]!.z + 0.1)
    expect(p['crown']!.y + (setup.points.find(({ name }) => name === 'crown')!.radius ?? 0)).toBeCloseTo(1.76, 1)
    // Nothing is below the floor.
    for (const { rest, radius } of setup.points) expect((rest as Vector3).y - radius!).toBeGreaterThan(-0.02)

    for (const side of ['L', 'R']) {
      const bend = (joint: string, end: string, axis: Vector3, angle: number) => {
        const limit = hinge(setup, joint + side)
        const [a, j, x] = limit.points.map((name) => p[name]!) as [Vector3, Vector3, Vector3]
        const b = p[end + side]!
        const turned = b.clone().sub(j).applyAxisAngle(axis, angle).add(j)
        return bendOf(a, j, x, turned) - bendOf(a, j, x, b)
      }
      // About +x a shank that hangs down goes backward; a forearm towards +z.
      expect(bend('knee', 'ankle', new Vector3(1, 0, 0), 0.4)).toBeCloseTo(0.4, 1)
      const arm = p[`wrist${side}`]!.clone().sub(p[`elbow${side}`]!).normalize()
      expect(bend('elbow', 'wrist', arm.cross(new Vector3(0, 0, 1)).normalize(), 0.4)).toBeCloseTo(0.4, 1)
      // Toes go up.
      expect(bend('ankle', 'toe', new Vector3(-1, 0, 0), 0.3)).toBeCloseTo(0.3, 1)
      expect(hinge(setup, `knee${side}`).max).toBeCloseTo(2.5)
      expect(hinge(setup, `elbow${side}`).max).toBeCloseTo(2.6)
    }
  })

  it.each([0.001, 0.01, 0.3, 20])('is the same at scale %f', (scale) => {
    for (const make of [mixamo, unreal]) {
      const [small, one] = [setupOf(make({ scale })), setupOf(make())]
      check(small)
      small.points.forEach(({ rest, radius, mass }, i) => {
        const other = one.points[i]!
        const scaled = (rest as Vector3).clone().divideScalar(scale)
        expect(scaled.distanceTo(other.rest as Vector3)).toBeLessThan(1e-4)
        expect(radius! / scale / other.radius!).toBeCloseTo(1, 3)
        expect(mass).toBeCloseTo(other.mass!, 3)
      })
      small.capsules.forEach(({ radius }, i) => expect(radius / scale / one.capsules[i]!.radius).toBeCloseTo(1, 3))
      small.limits.forEach((limit, i) => {
        const other = one.limits[i]!
        if (limit.kind === 'hinge' && other.kind === 'hinge') expect(limit.min).toBeCloseTo(other.min, 3)
      })
    }
    check(setupOf(mixamo({ height: 0.02 * scale })))
  })

  it('goes with the bones into whatever pose they have now', () => {
    const rig = mixamo()
    const rest = setupOf(rig)
    const { bones } = mapHumanoid(rig.mesh.skeleton.bones)
    const turn = new Quaternion().setFromAxisAngle(new Vector3(0.3, 1, -0.2).normalize(), 0.8)
    for (const bone of Object.values(bones)) if (bone !== bones.hips) bone.quaternion.multiply(turn)
    rig.root.updateMatrixWorld(true)
    const posed = setupOf(rig)
    posed.points.forEach((point, i) => {
      const other = rest.points[i]!
      // The rest pose is that of the skin.
      expect((point.rest as Vector3).distanceTo(other.rest as Vector3)).toBeLessThan(1e-4)
      expect((point.local as Vector3).distanceTo(other.local as Vector3)).toBeLessThan(1e-2)
    })
    const elbow = posed.points.find(({ name }) => name === 'elbowL')!
    expect(placeNow(elbow).distanceTo(at(bones.leftLowerArm!))).toBeLessThan(1e-5)
    expect((elbow.rest as Vector3).distanceTo(at(bones.leftLowerArm!))).toBeGreaterThan(0.1)
  })

  it('is where the body stands, however it is turned', () => {
    const rig = mixamo()
    const rest = setupOf(rig)
    rig.root.position.set(5, -3, 12)
    rig.root.rotation.set(1, 2, 0.5)
    const moved = setupOf(rig)
    check(moved)
    moved.points.forEach(({ rest: place, local }, i) => {
      const other = rest.points[i]!
      const expected = (other.rest as Vector3).clone().applyMatrix4(rig.root.matrixWorld)
      expect((place as Vector3).distanceTo(expected)).toBeLessThan(1e-3)
      expect((local as Vector3).distanceTo(other.local as Vector3)).toBeLessThan(0.1)
    })
  })

  it('mirrored by what carries it still looks where its toes point, and bends so', () => {
    for (const without of [[], ['toes*']]) {
      const setup = setupOf(mixamo({ mirror: true, without }))
      check(setup)
      const p = places(setup)
      expect(p['hipL']!.x).toBeLessThan(0)
      expect(p['sternum']!.z).toBeGreaterThan(0.05)
      for (const [joint, end, axis] of [
        ['knee', 'ankle', new Vector3(1, 0, 0)],
        ['elbow', 'wrist', new Vector3(0, 1, 0)],
      ] as const) {
        const limit = hinge(setup, `${joint}L`)
        const [a, j, x] = limit.points.map((name) => p[name]!) as [Vector3, Vector3, Vector3]
        const b = p[`${end}L`]!
        // The left arm is on the right here: forward is about +y.
        const turned = b.clone().sub(j).applyAxisAngle(axis, 0.3).add(j)
        expect(bendOf(a, j, x, turned)).toBeGreaterThan(bendOf(a, j, x, b) + 0.2)
      }
    }
  })

  it('looks where its toes point when sides are named as seen from before it', () => {
    const { mesh } = mixamo()
    const { bones } = mapHumanoid(mesh.skeleton.bones)
    const swapped = Object.fromEntries(
      Object.entries(bones).map(([key, bone]) => [
        key.replace(/^(left|right)/, (side) => (side === 'left' ? 'right' : 'left')),
        bone,
      ]),
    )
    const setup = humanoidSetup({ bones: swapped }, 70, [mesh])
    check(setup)
    expect(places(setup)['sternum']!.z).toBeGreaterThan(0.05)
  })

  it.each<[string, string[], string[]]>([
    ['toes', ['toes*'], []],
    ['feet', ['foot*'], ['toeL', 'ankleAxisL', 'toeR']],
    ['hands', ['hand*'], ['handL', 'handR']],
    ['fingers', ['thumb*1', 'index*1', 'middle*1'], []],
    ['arms', ['clavicle*', 'upperArm*'], ['elbowL', 'elbowR', 'handL']],
    ['the left arm', ['upperArmL'], ['elbowL', 'handL']],
    ['legs', ['upperLeg*'], ['kneeL', 'kneeR', 'toeL', 'ankleAxisR']],
    ['the right leg', ['upperLegR'], ['kneeR', 'ankleR']],
    ['forearms', ['lowerArm*'], ['elbowL', 'wristR']],
    ['head and neck', ['neck', 'head'], ['crown', 'face']],
    ['arms, head and legs', ['neck', 'head', 'clavicle*', 'upperArm*', 'upperLeg*'], ['crown', 'kneeL', 'elbowL']],
    ['legs and arms', ['clavicle*', 'upperArm*', 'upperLeg*'], ['kneeL', 'elbowL']],
  ])('works without %s', (_, without, gone) => {
    for (const make of [mixamo, plain, unreal]) {
      const rig = make({ without })
      for (const meshes of [[rig.mesh], []]) {
        const setup = humanoidSetup(mapHumanoid(rig.mesh.skeleton.bones), 40, meshes)
        check(setup, 40)
        const p = places(setup)
        for (const name of gone) expect(p).not.toHaveProperty(name)
        for (const name of ['hipL', 'hipR', 'waist', 'neck', 'shoulderL', 'shoulderR', 'sternum']) {
          expect(p).toHaveProperty(name)
        }
        if (!gone.includes('wristL') && !gone.includes('elbowL')) expect(p['wristL']!.x).toBeGreaterThan(0.6)
        if (!gone.includes('kneeL')) expect(p['ankleL']!.y).toBeLessThan(0.2)
      }
    }
  })

  it('is one piece without a spine', () => {
    const { mesh } = mixamo()
    const { bones } = mapHumanoid(mesh.skeleton.bones)
    delete bones.spine
    const setup = humanoidSetup({ bones }, 70, [mesh])
    check(setup)
    expect(setup.links.map(ends).some(([a, b]) => a === 'hipL' && b === 'neck')).toBe(true)
    expect(setup.limits.some(({ points }) => points[0] === 'waist')).toBe(false)
    expect(setup.points.find(({ name }) => name === 'sternum')!.bone).toBe(bones.hips)
  })

  it('bends as the bind pose is bent, where it is clearly so', () => {
    // A knee that is bent backward, as of a bird.
    const rig = plain()
    const { bones } = mapHumanoid(rig.mesh.skeleton.bones)
    bones.leftLowerLeg!.position.z += 0.3
    rig.root.updateMatrixWorld(true)
    const setup = humanoidSetup({ bones })
    expect(hinge(setup, 'kneeL').min).toBe(0)
    bones.leftLowerLeg!.position.z -= 0.65
    rig.root.updateMatrixWorld(true)
    const bird = humanoidSetup({ bones })
    check(bird)
    expect(hinge(bird, 'kneeL').min).toBe(0)
    // Hardly bent the wrong way, as models are made: a knee still bends backward, from somewhat less than straight.
    bones.leftLowerLeg!.position.z += 0.3
    rig.root.updateMatrixWorld(true)
    const straight = humanoidSetup({ bones })
    expect(hinge(straight, 'kneeL').min).toBeLessThan(0)
    expect(hinge(straight, 'kneeL').min).toBeGreaterThan(-0.4)
  })

  it('lays skins that were bound apart over each other', () => {
    const rig = mixamo()
    const one = setupOf(rig)
    // The upper body is a mesh of its own, in another place and unit.
    const other = rig.mesh.clone()
    const move = new Matrix4().makeScale(100, 100, 100).setPosition(3, 4, 5)
    const bones = rig.mesh.skeleton.bones
    const pick = bones.map((bone, b) => [bone, b] as const).filter(([{ name }]) => !/Leg|Foot|Toe/.test(name))
    other.skeleton = rig.mesh.skeleton.clone()
    other.skeleton.bones = pick.map(([bone]) => bone)
    other.skeleton.boneInverses = pick.map(([, b]) =>
      rig.mesh.skeleton.boneInverses[b]!.clone().multiply(move.clone().invert()),
    )
    const lower = rig.mesh.clone()
    const legs = bones.map((bone, b) => [bone, b] as const).filter(([{ name }]) => /Leg|Foot|Toe|Hips/.test(name))
    lower.skeleton = rig.mesh.skeleton.clone()
    lower.skeleton.bones = legs.map(([bone]) => bone)
    lower.skeleton.boneInverses = legs.map(([, b]) => rig.mesh.skeleton.boneInverses[b]!)
    const two = humanoidSetup(mapHumanoid(bones), 70, [other, lower])
    two.points.forEach(({ rest }, i) => {
      expect((rest as Vector3).distanceTo(one.points[i]!.rest as Vector3)).toBeLessThan(0.1)
    })
  })

  it.each(['CesiumMan.glb', 'RobotExpressive.glb'])('of %s is sound', async (file) => {
    const { scene } = await loadModel(file)
    scene.updateMatrixWorld(true)
    const meshes: SkinnedMesh[] = []
    scene.traverse((object) => 'isSkinnedMesh' in object && meshes.push(object as SkinnedMesh))
    const setup = humanoidSetup(mapHumanoid(meshes[0]!.skeleton.bones as Bone[]), 70, meshes)
    check(setup)
    const p = places(setup)
    expect(p['face']!.z).toBeGreaterThan(p['neck']!.z)
    for (const side of ['L', 'R']) {
      expect(p[`toe${side}`]!.z - p[`ankle${side}`]!.z).toBeGreaterThan(0.1 * p[`knee${side}`]!.y)
      const foot = setup.points.filter(({ name }) => name === `toe${side}` || name === `ankle${side}`)
      for (const { rest, radius } of foot) expect((rest as Vector3).y - radius!).toBeGreaterThan(-0.1 * p['waist']!.y)
      expect(p[`hand${side}`]!.distanceTo(p[`shoulder${side}`]!)).toBeGreaterThan(
        p[`wrist${side}`]!.distanceTo(p[`shoulder${side}`]!),
      )
    }
  })

  it('refuses limbs and bodies of no length', () => {
    const refused = (run: () => unknown) => {
      try {
        run()
      } catch (error) {
        if (error instanceof LimberError) return `${error.code}: ${error.message}`
        throw error
      }
      throw new Error('nothing was refused')
    }
    const rig = plain()
    const { bones } = mapHumanoid(rig.mesh.skeleton.bones)
    bones.leftLowerArm!.position.set(0, 0, 0)
    expect(refused(() => humanoidSetup({ bones }))).toBe(
      'invalid-input: leftLowerArm (left lower arm) is where leftUpperArm (left upper arm) is: a limb must have a length in the bind pose',
    )
    rig.root.scale.setScalar(0)
    expect(refused(() => humanoidSetup({ bones }))).toBe(
      'invalid-input: the hips (hips) are scaled to nothing: a ragdoll has no size then',
    )
    const flat = plain()
    flat.mesh.skeleton.bones.forEach((bone) => bone.position.set(0, 0, 0))
    expect(refused(() => humanoidSetup(mapHumanoid(flat.mesh.skeleton.bones)))).toMatch(
      /^invalid-input: the hips are where/,
    )
  })
})
