/**
 * Skinned people for tests and scenes, made in code: one body, with the names and hierarchies that well-known tools give.
 * Lengths are of a person of 1.75 m who stands on y = 0 and looks along +z; left is +x.
 */
import {
  Bone,
  BufferAttribute,
  BufferGeometry,
  Group,
  Matrix4,
  MeshStandardMaterial,
  Skeleton,
  SkinnedMesh,
  Vector3,
} from 'three'

/** @typedef {import('../../npm/limber/src/ragdoll-setup.js').HumanoidBone} HumanoidBone */

/**
 * @typedef {object} RigOptions
 * @property {number} [height] metres; 1.75 unless set
 * @property {number} [scale] of the whole, on the outermost node; 1 unless set
 * @property {'T' | 'A' | 'down'} [pose] the bind pose: arms to the sides, half down, or along the body; T unless set
 * @property {number} [turn] radians about y, of the outermost node
 * @property {boolean} [mirror] the outermost node mirrors x
 * @property {readonly string[]} [without] joints that it does not have, with all below, by the keys of `JOINTS`
 */

/**
 * @typedef {object} Rig
 * @property {Group} root outermost node: give this to a scene
 * @property {SkinnedMesh} mesh
 * @property {Record<string, Bone>} bones by name
 * @property {Partial<Record<HumanoidBone, string>>} expected names of what a map must find
 * @property {number} height of the body in the world
 */

/** Joints of a body in T-pose: parent and place. `*` stands for each side; the left one is given. */
const JOINTS = {
  hips: [undefined, 0, 1.0, 0],
  spine: ['hips', 0, 1.1, -0.01],
  spine1: ['spine', 0, 1.22, -0.015],
  spine2: ['spine1', 0, 1.34, -0.02],
  neck: ['spine2', 0, 1.5, -0.01],
  head: ['neck', 0, 1.58, 0.01],
  headEnd: ['head', 0, 1.76, 0.03],
  'eye*': ['head', 0.035, 1.66, 0.09],
  'clavicle*': ['spine2', 0.04, 1.44, -0.01],
  'upperArm*': ['clavicle*', 0.18, 1.44, -0.02],
  'lowerArm*': ['upperArm*', 0.46, 1.44, -0.025],
  'hand*': ['lowerArm*', 0.71, 1.44, -0.02],
  'thumb*1': ['hand*', 0.74, 1.43, 0.02],
  'thumb*2': ['thumb*1', 0.77, 1.42, 0.05],
  'index*1': ['hand*', 0.8, 1.44, 0.015],
  'index*2': ['index*1', 0.84, 1.44, 0.02],
  'middle*1': ['hand*', 0.8, 1.44, -0.01],
  'middle*2': ['middle*1', 0.85, 1.44, -0.01],
  'upperLeg*': ['hips', 0.095, 0.93, 0],
  'lowerLeg*': ['upperLeg*', 0.1, 0.51, 0.012],
  'foot*': ['lowerLeg*', 0.1, 0.085, -0.025],
  'toes*': ['foot*', 0.11, 0.02, 0.11],
  'toesEnd*': ['toes*', 0.11, 0.015, 0.19],
}

/** Joints with the sides put in: `upperArmL`. @returns {Record<string, {parent?: string, place: Vector3}>} */
function bodyJoints(/** @type {'T' | 'A' | 'down'} */ pose) {
  const down = { T: 0, A: 0.8, down: 1.4 }[pose]
  if (down === undefined) throw new Error(`no pose ${pose}`)
  /** @type {Record<string, {parent?: string, place: Vector3}>} */
  const joints = {}
  for (const [key, [parent, x, y, z]] of Object.entries(JOINTS)) {
    for (const side of key.includes('*') ? ['L', 'R'] : ['']) {
      const place = new Vector3(Number(x), Number(y), Number(z))
      if (/^(lowerArm|hand|thumb|index|middle)/.test(key)) {
        const shoulder = new Vector3(0.18, 1.44, -0.02)
        place
          .sub(shoulder)
          .applyAxisAngle(new Vector3(0, 0, 1), -down)
          .add(shoulder)
      }
      if (side === 'R') place.x *= -1
      joints[key.replace('*', side)] = { parent: /** @type {string | undefined} */ (parent)?.replace('*', side), place }
    }
  }
  return joints
}

/** Thickness of the limb that ends at a joint, for the mesh. @param {string} key */
function thickness(key) {
  if (/^(spine|neck$)/.test(key)) return key === 'neck' ? 0.12 : 0.13
  if (/^head/.test(key)) return key === 'head' ? 0.055 : 0.085
  if (/^clavicle|^upperArm/.test(key)) return 0.055
  if (/^lowerArm/.test(key)) return 0.045
  if (/^hand/.test(key)) return 0.035
  if (/^upperLeg/.test(key)) return 0.09
  if (/^lowerLeg/.test(key)) return 0.075
  if (/^foot/.test(key)) return 0.05
  if (/^toes/.test(key)) return 0.03
  return 0.012
}

/**
 * Capsules between joints, each of the bone that carries it.
 * @param {{key: string, from: Vector3, to: Vector3, bone: number, above: number}[]} limbs
 */
function skin(limbs) {
  const [around, rings] = [10, 7]
  const positions = []
  const normals = []
  const bones = []
  const weights = []
  const faces = []
  for (const { key, from, to, bone, above } of limbs) {
    const along = to.clone().sub(from)
    const length = along.length()
    if (length < 1e-6) continue
    along.divideScalar(length)
    const side = new Vector3(Math.abs(along.x) < 0.8 ? 1 : 0, Math.abs(along.x) < 0.8 ? 0 : 1, 0)
      .cross(along)
      .normalize()
    const other = along.clone().cross(side)
    const radius = thickness(key)
    const start = positions.length / 3
    for (let r = 0; r < rings; r++) {
      // A capsule: half a ball at both ends.
      const angle = (r / (rings - 1)) * Math.PI
      const end = r < rings / 2 ? 0 : length
      const beyond = key.includes('End') ? 0 : 0.6 * radius
      const at = Math.min(Math.max(end - Math.cos(angle) * radius * 0.9, -0.6 * radius), length + beyond)
      const wide = Math.max(Math.sin(angle), 0.02) * radius
      for (let a = 0; a < around; a++) {
        const turn = (a / around) * 2 * Math.PI
        const out = side.clone().multiplyScalar(Math.cos(turn)).addScaledVector(other, Math.sin(turn))
        const p = from.clone().addScaledVector(along, at).addScaledVector(out, wide)
        const n = out.clone().multiplyScalar(Math.sin(angle)).addScaledVector(along, -Math.cos(angle))
        positions.push(p.x, p.y, p.z)
        normals.push(n.x, n.y, n.z)
        // Soft at the joint above.
        const own = r === 0 ? 0.6 : r === 1 ? 0.8 : 1
        bones.push(bone, above, 0, 0)
        weights.push(own, 1 - own, 0, 0)
        if (r === rings - 1) continue
        const [i, j] = [start + r * around + a, start + r * around + ((a + 1) % around)]
        faces.push(i, j, i + around, j, j + around, i + around)
      }
    }
  }
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3))
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3))
  geometry.setAttribute('skinIndex', new BufferAttribute(new Uint16Array(bones), 4))
  geometry.setAttribute('skinWeight', new BufferAttribute(new Float32Array(weights), 4))
  geometry.setIndex(faces)
  return geometry
}

/**
 * A body whose joints are called what `names` says; those that it leaves out do not exist, and what hung on them hangs on the
 * next above.
 * @param {(key: string) => string | undefined} names
 * @param {RigOptions} options
 * @param {{armature?: string, unit?: number, parents?: Record<string, string>, turned?: boolean, extra?: Record<string, string>}} [style]
 *   `unit`: metres of a unit of the armature; `parents`: other parents of joints, by key; `turned`: bones point along y, as
 *   in Blender; `extra`: more bones, `{ name: key of the parent }`
 * @param {Partial<Record<string, HumanoidBone>>} [roles] other roles than the usual, by key
 * @returns {Rig}
 */
function build(names, options, style = {}, roles = {}) {
  const { height = 1.75, scale = 1, pose = 'T', turn = 0, mirror = false, without = [] } = options
  const { armature, unit = 1, parents = {}, turned = false, extra = {} } = style
  const all = bodyJoints(pose)
  const size = height / 1.75
  /** @type {Map<string, Bone>} */
  const made = new Map()
  /** @type {Partial<Record<HumanoidBone, string>>} */
  const expected = {}
  const root = new Group()
  root.name = 'character'
  const holder = armature === undefined ? root : new Group()
  if (holder !== root) {
    holder.name = armature ?? ''
    root.add(holder)
  }
  holder.scale.setScalar(unit)
  /** @type {Bone[]} */
  const bones = []
  const ancestors = (/** @type {string} */ key) => {
    const line = []
    for (let k = parents[key] ?? all[key].parent; k; k = parents[k] ?? all[k].parent) line.push(k)
    return line
  }
  const isWithout = (/** @type {string} */ key, /** @type {string[]} */ line) =>
    [key, ...line].some((k) => without.includes(k) || without.includes(k.replace(/[LR](?=\d?$)/, '*')))
  // World matrices of joints, without the scale of the whole.
  /** @type {Map<string, Matrix4>} */
  const worlds = new Map()
  for (const key of Object.keys(all)) {
    const name = names(key)
    const line = ancestors(key)
    if (name === undefined || isWithout(key, line)) continue
    const bone = new Bone()
    bone.name = name
    const child = Object.keys(all).find((k) => all[k].parent === key)
    const world = new Matrix4()
    if (turned && child) {
      // y to the next joint.
      const y = all[child].place.clone().sub(all[key].place).normalize()
      const x = new Vector3(Math.abs(y.x) < 0.9 ? 1 : 0, 0, Math.abs(y.x) < 0.9 ? 0 : 1)
      const z = x.cross(y).normalize()
      world.makeBasis(y.clone().cross(z), y, z)
    }
    world.setPosition(all[key].place.clone().multiplyScalar(size / unit))
    worlds.set(key, world)
    const above = line.find((k) => made.has(k))
    const local = above ? worlds.get(above)?.clone().invert().multiply(world) : world
    local?.decompose(bone.position, bone.quaternion, bone.scale)
    ;(above ? made.get(above) : holder)?.add(bone)
    made.set(key, bone)
    bones.push(bone)
    const role = roles[key] ?? ROLES[key]
    if (role) expected[role] = name
  }
  for (const [name, key] of Object.entries(extra)) {
    const bone = new Bone()
    bone.name = name
    bone.position.y = 0.02 / unit
    ;(made.get(key) ?? holder).add(bone)
    bones.push(bone)
  }
  root.scale.setScalar(scale)
  if (mirror) root.scale.x *= -1
  root.rotation.y = turn

  // Also what has no bone of its own has a skin: fingers, the top of the head.
  const limbs = Object.entries(all).flatMap(([key, { parent, place }]) => {
    const line = ancestors(key)
    if (parent === undefined || key.startsWith('eye') || isWithout(key, line)) return []
    const [bone, above = bone] = line.flatMap((k) => made.get(k) ?? []).map((b) => bones.indexOf(b))
    const [from, to] = [all[parent].place, place].map((p) => p.clone().multiplyScalar(size))
    return bone === undefined ? [] : [{ key, from, to, bone, above }]
  })
  const geometry = skin(limbs)
  const mesh = new SkinnedMesh(geometry, new MeshStandardMaterial({ color: 0xb0b8c8, roughness: 0.8 }))
  mesh.name = 'body'
  root.add(mesh)
  root.updateMatrixWorld(true)
  // The skin is in metres, and bound to the body before it is placed, as loaders do.
  const toRoot = root.matrixWorld.clone().invert()
  mesh.bind(
    new Skeleton(
      bones,
      bones.map((bone) => toRoot.clone().multiply(bone.matrixWorld).invert()),
    ),
    new Matrix4(),
  )
  mesh.frustumCulled = false
  return {
    root,
    mesh,
    bones: Object.fromEntries(bones.map((bone) => [bone.name, bone])),
    expected,
    height: height * scale,
  }
}

/** Roles of joints. @type {Partial<Record<string, HumanoidBone>>} */
const ROLES = { hips: 'hips', spine: 'spine', neck: 'neck', head: 'head' }
for (const [letter, side] of /** @type {const} */ ([
  ['L', 'left'],
  ['R', 'right'],
])) {
  for (const part of ['UpperArm', 'LowerArm', 'Hand', 'UpperLeg', 'LowerLeg', 'Foot', 'Toes']) {
    const key = part[0].toLowerCase() + part.slice(1) + letter
    ROLES[key] = /** @type {HumanoidBone} */ (side + part)
  }
}

/** @param {string} key */
const sided = (key) => {
  const [, part = key, letter = '', number = ''] = /^(.*?)([LR]?)(\d?)$/.exec(key) ?? []
  return { part: part + (letter === '' ? number : ''), letter, number: letter === '' ? '' : number }
}

/**
 * Names by part. @param {Record<string, string>} parts
 * @param {(name: string, letter: string, number: string) => string} write
 */
function naming(parts, write) {
  return (/** @type {string} */ key) => {
    const { part, letter, number } = sided(key)
    const name = parts[part]
    return name === undefined ? undefined : write(name, letter, number)
  }
}

const MIXAMO = {
  hips: 'Hips',
  spine: 'Spine',
  spine1: 'Spine1',
  spine2: 'Spine2',
  neck: 'Neck',
  head: 'Head',
  headEnd: 'HeadTop_End',
  clavicle: 'Shoulder',
  upperArm: 'Arm',
  lowerArm: 'ForeArm',
  hand: 'Hand',
  thumb: 'HandThumb',
  index: 'HandIndex',
  middle: 'HandMiddle',
  upperLeg: 'UpLeg',
  lowerLeg: 'Leg',
  foot: 'Foot',
  toes: 'ToeBase',
  toesEnd: 'Toe_End',
}
const WORDS = { '': '', L: 'Left', R: 'Right' }
/** @param {string} letter */
const word = (letter) => WORDS[/** @type {'' | 'L' | 'R'} */ (letter)]

/** Mixamo: an armature in centimetres. @param {RigOptions & {prefix?: string}} [options] */
export function mixamo({ prefix = 'mixamorig:', ...options } = {}) {
  const names = naming(MIXAMO, (name, letter, number) => `${prefix}${word(letter)}${name}${number}`)
  return build(names, options, { armature: 'Armature', unit: 0.01 })
}

/** Ready Player Me. @param {RigOptions} [options] */
export function readyPlayerMe(options = {}) {
  const names = naming({ ...MIXAMO, eye: 'Eye' }, (name, letter, number) => `${word(letter)}${name}${number}`)
  return build(names, options, { armature: 'Armature' })
}

/** VRM, the bones of the file. @param {RigOptions & {normalised?: boolean}} [options] */
export function vrm({ normalised = false, ...options } = {}) {
  const parts = {
    hips: 'Hips',
    spine: 'Spine',
    spine1: 'Chest',
    spine2: 'UpperChest',
    neck: 'Neck',
    head: 'Head',
    eye: 'FaceEye',
    clavicle: 'Shoulder',
    upperArm: 'UpperArm',
    lowerArm: 'LowerArm',
    hand: 'Hand',
    thumb: 'Thumb',
    index: 'Index',
    middle: 'Middle',
    upperLeg: 'UpperLeg',
    lowerLeg: 'LowerLeg',
    foot: 'Foot',
    toes: 'ToeBase',
  }
  const prefix = normalised ? 'Normalized_' : ''
  const names = naming(parts, (name, letter, number) => {
    const own = `J_${name === 'FaceEye' ? 'Adj' : 'Bip'}_${letter || 'C'}_${name}${number}`
    return prefix + own
  })
  const extra = {
    J_Sec_Hair1_01: 'head',
    J_Sec_L_Bust1: 'spine2',
    J_Sec_R_Bust1: 'spine2',
    J_Sec_L_SkirtSide0_01: 'hips',
  }
  return build(names, options, { armature: 'Root', extra })
}

/** Unreal. @param {RigOptions} [options] */
export function unreal(options = {}) {
  const parts = {
    hips: 'pelvis',
    spine: 'spine_01',
    spine1: 'spine_02',
    spine2: 'spine_03',
    neck: 'neck_01',
    head: 'head',
    clavicle: 'clavicle',
    upperArm: 'upperarm',
    lowerArm: 'lowerarm',
    hand: 'hand',
    thumb: 'thumb_0',
    index: 'index_0',
    middle: 'middle_0',
    upperLeg: 'thigh',
    lowerLeg: 'calf',
    foot: 'foot',
    toes: 'ball',
  }
  const names = naming(parts, (name, letter, number) => name + number + (letter && `_${letter.toLowerCase()}`))
  const extra = {
    ik_foot_root: '',
    ik_foot_l: '',
    ik_hand_l: '',
    upperarm_twist_01_l: 'upperArmL',
    thigh_twist_01_r: 'upperLegR',
    lowerarm_twist_01_r: 'lowerArmR',
    calf_kneeBack_l: 'lowerLegL',
  }
  return build(names, options, { armature: 'root', unit: 0.01, turned: true, extra })
}

/** Blender, as Rigify's meta-rig names bones and `GLTFLoader` writes them. @param {RigOptions} [options] */
export function rigify(options = {}) {
  const parts = {
    hips: 'spine',
    spine: 'spine001',
    spine1: 'spine002',
    spine2: 'spine003',
    neck: 'spine004',
    head: 'spine006',
    clavicle: 'shoulder',
    upperArm: 'upper_arm',
    lowerArm: 'forearm',
    hand: 'hand',
    thumb: 'thumb0',
    index: 'f_index0',
    middle: 'f_middle0',
    upperLeg: 'thigh',
    lowerLeg: 'shin',
    foot: 'foot',
    toes: 'toe',
  }
  const names = naming(parts, (name, letter, number) => name + number + letter)
  const extra = {
    face: 'head',
    pelvisL: 'hips',
    pelvisR: 'hips',
    breastL: 'spine2',
    breastR: 'spine2',
    heel02L: 'footL',
  }
  return build(names, options, { armature: 'metarig', turned: true, extra })
}

/** 3ds Max Biped; `GLTFLoader` writes `_` for spaces. @param {RigOptions & {space?: string}} [options] */
export function biped({ space = ' ', ...options } = {}) {
  const parts = {
    hips: 'Pelvis',
    spine: 'Spine',
    spine1: 'Spine1',
    spine2: 'Spine2',
    neck: 'Neck',
    head: 'Head',
    headEnd: 'HeadNub',
    clavicle: 'Clavicle',
    upperArm: 'UpperArm',
    lowerArm: 'Forearm',
    hand: 'Hand',
    thumb: 'Finger0',
    index: 'Finger1',
    middle: 'Finger2',
    upperLeg: 'Thigh',
    lowerLeg: 'Calf',
    foot: 'Foot',
    toes: 'Toe0',
    toesEnd: 'Toe0Nub',
  }
  const names = naming(parts, (name, letter, number) =>
    ['Bip001', ...(letter ? [letter] : []), name + number].join(space),
  )
  // Its collarbones hang on the neck.
  return build(names, options, { armature: 'Bip001', parents: { clavicleL: 'neck', clavicleR: 'neck' } })
}

/** Words in plain English, and nothing but the bones of the map. @param {RigOptions} [options] */
export function plain(options = {}) {
  const parts = {
    hips: 'hips',
    spine: 'spine',
    neck: 'neck',
    head: 'head',
    upperArm: 'upper arm',
    lowerArm: 'lower arm',
    hand: 'hand',
    upperLeg: 'upper leg',
    lowerLeg: 'lower leg',
    foot: 'foot',
    toes: 'toes',
  }
  return build(
    naming(parts, (name, letter) => (letter ? `${word(letter).toLowerCase()} ${name}` : name)),
    options,
  )
}

/** Every rig by name. */
export const RIGS = { mixamo, readyPlayerMe, vrm, unreal, rigify, biped, plain }
