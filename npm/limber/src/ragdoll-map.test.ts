import { Bone, Group, Object3D, type Bone as BoneType, type SkinnedMesh } from 'three'
import { clone } from 'three/addons/utils/SkeletonUtils.js'
import { describe, expect, it } from 'vitest'
import { loadModel } from '../../../tests/jiggle/load-model.mjs'
import { mixamo, plain, RIGS, vrm } from '../../../tests/ragdoll/rigs.mjs'
import { LimberError } from './error.js'
import { HUMANOID_BONES, mapHumanoid } from './ragdoll-map.js'

/** Names of what was found. */
const namesOf = ({ bones }: ReturnType<typeof mapHumanoid>) =>
  Object.fromEntries(Object.entries(bones).map(([key, bone]) => [key, bone.name]))

function refused(run: () => unknown): [string, string] {
  try {
    run()
  } catch (error) {
    if (error instanceof LimberError) return [error.code, error.message]
    throw error
  }
  throw new Error('nothing was refused')
}

/** Bones of a tree: `{ a: { b: {}, c: {} } }`. */
interface Tree {
  [name: string]: Tree
}
function grow(tree: Tree, parent: Object3D = new Group(), all: BoneType[] = []): BoneType[] {
  for (const [name, below] of Object.entries(tree)) {
    const bone = new Bone()
    bone.name = name
    bone.position.y = 0.1
    parent.add(bone)
    all.push(bone)
    grow(below, bone, all)
  }
  return all
}

/** Skinned meshes of a model. */
async function skinsOf(file: string) {
  const { scene } = await loadModel(file)
  const skins: SkinnedMesh[] = []
  for (const root of [scene, clone(scene)]) root.traverse((o) => 'isSkinnedMesh' in o && skins.push(o as SkinnedMesh))
  return skins
}

describe('a map of a body', () => {
  it.each(Object.entries(RIGS))('finds every bone of %s', (_, make) => {
    const { mesh, expected } = make()
    expect(Object.keys(expected)).toHaveLength(HUMANOID_BONES.length)
    const found = mapHumanoid(mesh.skeleton.bones)
    expect(namesOf(found)).toEqual(expected)
    expect(found.missing).toEqual([])
    // In whatever order.
    expect(namesOf(mapHumanoid([...mesh.skeleton.bones].reverse()))).toEqual(expected)
  })

  it.each(['mixamorig', 'mixamorig1', 'mixamorig12:', 'Armature|', ''])('finds Mixamo with the prefix %o', (prefix) => {
    const { mesh, expected } = mixamo({ prefix })
    expect(namesOf(mapHumanoid(mesh.skeleton.bones))).toEqual(expected)
  })

  it('finds the bones that three-vrm makes', () => {
    const { mesh, expected } = vrm({ normalised: true })
    expect(namesOf(mapHumanoid(mesh.skeleton.bones))).toEqual(expected)
  })

  it('orders numbered chains by how they hang together', async () => {
    for (const { skeleton } of await skinsOf('CesiumMan.glb')) {
      const found = mapHumanoid(skeleton.bones)
      expect(found.missing).toEqual([])
      expect(namesOf(found)).toEqual({
        hips: 'Skeleton_torso_joint_1',
        spine: 'Skeleton_torso_joint_2',
        neck: 'Skeleton_neck_joint_1',
        head: 'Skeleton_neck_joint_2',
        leftUpperArm: 'Skeleton_arm_joint_L__4_',
        leftLowerArm: 'Skeleton_arm_joint_L__3_',
        leftHand: 'Skeleton_arm_joint_L__2_',
        rightUpperArm: 'Skeleton_arm_joint_R',
        rightLowerArm: 'Skeleton_arm_joint_R__2_',
        rightHand: 'Skeleton_arm_joint_R__3_',
        leftUpperLeg: 'leg_joint_L_1',
        leftLowerLeg: 'leg_joint_L_2',
        leftFoot: 'leg_joint_L_3',
        leftToes: 'leg_joint_L_5',
        rightUpperLeg: 'leg_joint_R_1',
        rightLowerLeg: 'leg_joint_R_2',
        rightFoot: 'leg_joint_R_3',
        rightToes: 'leg_joint_R_5',
      })
    }
  })

  it('finds feet that do not hang on the legs', async () => {
    for (const { skeleton } of await skinsOf('RobotExpressive.glb')) {
      const found = mapHumanoid(skeleton.bones)
      expect(found.missing).toEqual(['leftToes', 'rightToes'])
      expect(namesOf(found)).toEqual({
        hips: 'Body',
        spine: 'Abdomen',
        neck: 'Neck',
        head: 'Head',
        leftUpperArm: 'UpperArmL',
        leftLowerArm: 'LowerArmL',
        leftHand: 'Palm2L',
        rightUpperArm: 'UpperArmR',
        rightLowerArm: 'LowerArmR',
        rightHand: 'Palm2R',
        leftUpperLeg: 'UpperLegL',
        leftLowerLeg: 'LowerLegL',
        leftFoot: 'FootL',
        rightUpperLeg: 'UpperLegR',
        rightLowerLeg: 'LowerLegR',
        rightFoot: 'FootR',
      })
    }
  })

  it('finds the same among all objects of a scene', async () => {
    for (const file of ['CesiumMan.glb', 'RobotExpressive.glb']) {
      const { scene } = await loadModel(file)
      const all: Object3D[] = []
      let bones: Object3D[] = []
      scene.traverse((object) => {
        all.push(object)
        if ('isSkinnedMesh' in object) bones = (object as SkinnedMesh).skeleton.bones
      })
      expect(namesOf(mapHumanoid(all))).toEqual(namesOf(mapHumanoid(bones)))
    }
  })

  it.each<[string, Tree, Record<string, string>]>([
    [
      'joints instead of limbs',
      {
        Hips: {
          Chest: {
            Neck: { Head: {} },
            LeftShoulder: { LeftElbow: { LeftWrist: { LeftHand: {} } } },
            RightShoulder: { RightElbow: { RightWrist: {} } },
          },
          LeftHip: { LeftKnee: { LeftAnkle: { LeftFoot: {} } } },
          RightHip: { RightKnee: { RightAnkle: {} } },
        },
      },
      {
        hips: 'Hips',
        spine: 'Chest',
        neck: 'Neck',
        head: 'Head',
        leftUpperArm: 'LeftShoulder',
        leftLowerArm: 'LeftElbow',
        leftHand: 'LeftWrist',
        rightUpperArm: 'RightShoulder',
        rightLowerArm: 'RightElbow',
        rightHand: 'RightWrist',
        leftUpperLeg: 'LeftHip',
        leftLowerLeg: 'LeftKnee',
        leftFoot: 'LeftAnkle',
        leftToes: 'LeftFoot',
        rightUpperLeg: 'RightHip',
        rightLowerLeg: 'RightKnee',
        rightFoot: 'RightAnkle',
      },
    ],
    [
      'the side in front, twists between, and hips below a root',
      {
        Genesis: {
          hip: {
            pelvis: {
              lThighBend: { lThighTwist: { lShin: { lFoot: { lMetatarsals: { lToe: { lBigToe: {} } } } } } },
              rThighBend: { rThighTwist: { rShin: { rFoot: { rToe: {} } } } },
            },
            abdomenLower: {
              abdomenUpper: {
                chestLower: {
                  chestUpper: {
                    lCollar: { lShldrBend: { lShldrTwist: { lForearmBend: { lForearmTwist: { lHand: {} } } } } },
                    rCollar: { rShldrBend: { rShldrTwist: { rForearmBend: { rForearmTwist: { rHand: {} } } } } },
                    neckLower: { neckUpper: { head: { upperFaceRig: {} } } },
                  },
                },
              },
            },
          },
        },
      },
      {
        hips: 'hip',
        spine: 'abdomenLower',
        neck: 'neckLower',
        head: 'head',
        leftUpperArm: 'lShldrBend',
        leftLowerArm: 'lForearmBend',
        leftHand: 'lHand',
        rightUpperArm: 'rShldrBend',
        rightLowerArm: 'rForearmBend',
        rightHand: 'rHand',
        leftUpperLeg: 'lThighBend',
        leftLowerLeg: 'lShin',
        leftFoot: 'lFoot',
        leftToes: 'lToe',
        rightUpperLeg: 'rThighBend',
        rightLowerLeg: 'rShin',
        rightFoot: 'rFoot',
        rightToes: 'rToe',
      },
    ],
    [
      'a character without legs',
      { base: { torso: { head: {}, l_arm: { l_forearm: {} }, r_arm: { r_forearm: {} } } } },
      {
        hips: 'base',
        spine: 'torso',
        head: 'head',
        leftUpperArm: 'l_arm',
        leftLowerArm: 'l_forearm',
        rightUpperArm: 'r_arm',
        rightLowerArm: 'r_forearm',
      },
    ],
    [
      'a character without arms',
      { pelvis: { back: { head: {} }, thighL: { shinL: { footL: {} } }, thighR: { shinR: { footR: {} } } } },
      {
        hips: 'pelvis',
        spine: 'back',
        head: 'head',
        leftUpperLeg: 'thighL',
        leftLowerLeg: 'shinL',
        leftFoot: 'footL',
        rightUpperLeg: 'thighR',
        rightLowerLeg: 'shinR',
        rightFoot: 'footR',
      },
    ],
    ['a trunk alone', { hips: { spine: {} } }, { hips: 'hips', spine: 'spine' }],
    [
      'limbs of which half is missing, without them',
      {
        hips: {
          spine: { head: {}, upperarm_l: { hand_l: {} }, hand_r: {} },
          thigh_l: { calf_l: {} },
          thigh_r: {},
          calf_r: {},
        },
      },
      { hips: 'hips', spine: 'spine', head: 'head', leftUpperLeg: 'thigh_l', leftLowerLeg: 'calf_l' },
    ],
    [
      'a name before each bone that is a word itself',
      { leg_hips: { leg_spine: { leg_head: {} }, leg_thigh_l: { leg_shin_l: {} }, leg_thigh_r: { leg_shin_r: {} } } },
      {
        hips: 'leg_hips',
        spine: 'leg_spine',
        head: 'leg_head',
        leftUpperLeg: 'leg_thigh_l',
        leftLowerLeg: 'leg_shin_l',
        rightUpperLeg: 'leg_thigh_r',
        rightLowerLeg: 'leg_shin_r',
      },
    ],
    [
      'the bones that deform among the inner works of a rig',
      {
        root: {
          'MCH-torso': {},
          'ORG-spine': {
            'DEF-spine': {
              'DEF-spine001': { 'DEF-head': {} },
              'DEF-thighL': { 'DEF-thighL001': { 'DEF-shinL': { 'DEF-footL': {} } } },
            },
            'ORG-thighL': { 'ORG-shinL': { 'ORG-footL': {} } },
            foot_ikL: {},
          },
        },
      },
      {
        hips: 'DEF-spine',
        spine: 'DEF-spine001',
        head: 'DEF-head',
        leftUpperLeg: 'DEF-thighL',
        leftLowerLeg: 'DEF-shinL',
        leftFoot: 'DEF-footL',
      },
    ],
  ])('finds %s', (_, tree, expected) => {
    const found = mapHumanoid(grow(tree))
    expect(namesOf(found)).toEqual(expected)
    expect(found.missing).toEqual(HUMANOID_BONES.filter((key) => !(key in expected)))
  })

  describe('that is given', () => {
    const { mesh, bones, expected } = mixamo()
    const all = mesh.skeleton.bones

    it('overrides what would be found, by name or object', () => {
      const found = mapHumanoid(all, { spine: 'mixamorig:Spine1', neck: bones['mixamorig:Neck']!, head: undefined })
      expect(namesOf(found)).toEqual({ ...expected, spine: 'mixamorig:Spine1' })
    })

    it('may be whole', () => {
      const strange = grow({ a: { b: { c: { d: {} } }, e: { f: { g: {} } } } })
      const found = mapHumanoid(strange, {
        hips: 'a',
        spine: 'b',
        neck: 'c',
        head: 'd',
        leftUpperLeg: 'e',
        leftLowerLeg: strange[5]!,
        leftFoot: 'g',
      })
      expect(Object.values(namesOf(found)).join('')).toBe('abcdefg')
    })

    it('takes the names of the file, which loaders change', () => {
      const changed = mixamo({ prefix: 'mixamorig' })
      const found = mapHumanoid(changed.mesh.skeleton.bones, { spine: 'mixamorig:Spine2' })
      expect(found.bones.spine!.name).toBe('mixamorigSpine2')
    })

    it('leaves the rest to be found', () => {
      const strange = grow({ hips: { spine: { head: {} }, x: { leftKnee: { leftFoot: {} } } } })
      expect(namesOf(mapHumanoid(strange))).not.toHaveProperty('leftLowerLeg')
      expect(namesOf(mapHumanoid(strange, { leftUpperLeg: 'x' }))).toMatchObject({
        leftUpperLeg: 'x',
        leftLowerLeg: 'leftKnee',
        leftFoot: 'leftFoot',
      })
    })

    it.each<[unknown, string, string]>([
      ['manual', 'invalid-option', 'map must be \'auto\' or an object, got "manual"'],
      [null, 'invalid-option', "map must be 'auto' or an object, got null"],
      [[], 'invalid-option', "map must be 'auto' or an object, got an array of 0"],
      [{ leftKnee: 'x' }, 'invalid-option', `map.leftKnee is no bone of a body; known: ${HUMANOID_BONES.join(', ')}`],
      [{ hips: null }, 'invalid-option', 'map.hips must be a bone or its name, got null'],
      [{ hips: 5 }, 'invalid-option', 'map.hips must be a bone or its name, got 5'],
      [
        { hips: 'mixamorig:Spine', spine: bones['mixamorig:Spine'] },
        'invalid-option',
        'map.spine and map.hips are the same bone, "mixamorig:Spine"',
      ],
      [{ hips: new Bone() }, 'invalid-option', 'map.hips: "" is no bone of the skeleton'],
    ])('refuses %o', (map, code, message) => {
      expect(refused(() => mapHumanoid(all, map as never))).toEqual([code, message])
    })

    it('refuses a name that no bone has, and says which there are', () => {
      const [code, message] = refused(() => mapHumanoid(plain().mesh.skeleton.bones, { hips: 'Pelvis' }))
      expect(code).toBe('invalid-option')
      expect(message).toMatch(/^map\.hips: no bone is called "Pelvis"; there are hips, spine, /)
    })
  })

  it('refuses a skeleton that is no body, and says what to do', () => {
    expect(refused(() => mapHumanoid(grow({ a: { b: {} } })))).toEqual([
      'invalid-input',
      "no hips found among the bones a, b: say which is which, as map: { hips: '…', head: '…', … }",
    ])
    expect(refused(() => mapHumanoid([]))).toEqual([
      'invalid-input',
      "no hips found among the bones (none): say which is which, as map: { hips: '…', head: '…', … }",
    ])
    expect(refused(() => mapHumanoid(grow({ hips: { b: {} } })))).toEqual([
      'invalid-input',
      "neither spine nor head found among the bones hips, b: say which they are, as map: { spine: '…', head: '…' }",
    ])
    const [code, message] = refused(() => mapHumanoid(Array.from({ length: 200 }, () => new Bone())))
    expect(code).toBe('invalid-input')
    expect(message).toContain('(no name) and 120 more')
    expect(refused(() => mapHumanoid([undefined as never]))[0]).toBe('invalid-option')
  })
})
