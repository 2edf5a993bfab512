import { PropertyBinding, type Object3D } from 'three'
import { LimberError, shown } from './error.js'
import type { HumanoidBone, HumanoidMap } from './ragdoll-setup.js'
import { checkObject } from './vector.js'

/** Every bone that a map may name, the trunk first. */
export const HUMANOID_BONES: readonly HumanoidBone[] = [
  'hips',
  'spine',
  'neck',
  'head',
  'leftUpperArm',
  'leftLowerArm',
  'leftHand',
  'rightUpperArm',
  'rightLowerArm',
  'rightHand',
  'leftUpperLeg',
  'leftLowerLeg',
  'leftFoot',
  'leftToes',
  'rightUpperLeg',
  'rightLowerLeg',
  'rightFoot',
  'rightToes',
]

/** Which bone is which, and what was not found. */
export interface MappedHumanoid {
  bones: Partial<Record<HumanoidBone, Object3D>>
  missing: HumanoidBone[]
}

/** What a name can say of a bone. `arm` and `leg` alone may be any bone of the limb. */
type Part =
  | 'hips'
  | 'spine'
  | 'neck'
  | 'head'
  | 'collar'
  | 'arm'
  | 'upperArm'
  | 'lowerArm'
  | 'hand'
  | 'leg'
  | 'upperLeg'
  | 'lowerLeg'
  | 'foot'
  | 'toes'

const PARTS: Record<string, Part> = {
  ...each('hips', 'hips hip pelvis'),
  ...each('spine', 'spine torso abdomen belly chest back waist thorax'),
  ...each('neck', 'neck'),
  ...each('head', 'head skull'),
  ...each('collar', 'clavicle collar shoulder scapula'),
  ...each('arm', 'arm'),
  ...each('upperArm', 'humerus bicep biceps shldr'),
  ...each('lowerArm', 'forearm elbow ulna'),
  ...each('hand', 'hand wrist palm'),
  ...each('leg', 'leg'),
  ...each('upperLeg', 'thigh femur'),
  ...each('lowerLeg', 'shin calf knee tibia'),
  ...each('foot', 'foot ankle'),
  ...each('toes', 'toe toes ball'),
}
const SIDES: Record<string, Side> = { ...each('left', 'l left lft'), ...each('right', 'r right rgt') }
/** With `arm` and `leg`. */
const UPPER = ['upper', 'up']
const LOWER = ['lower', 'low', 'fore']
/** Bones that help others, and parts of the body that a ragdoll leaves alone. */
const HELPERS = new Set(
  (
    'ik fk pole target end nub tip ctrl control helper mch tweak wgt corrective twist roll socket attach weapon prop ' +
    'finger thumb index middle ring pinky little metacarpal heel ' +
    'face eye eyes jaw ear hair brow lid lip tongue teeth nose cheek chin breast bust pec tail skirt cape'
  ).split(' '),
)
const VOCABULARY = new Set([...Object.keys(PARTS), ...UPPER, ...LOWER, 'left', 'right', 'base'])

type Side = 'left' | 'right'

/** A bone as its name and place describe it. */
interface Candidate {
  bone: Object3D
  words: string[]
  side: Side | undefined
  part: Part | undefined
  depth: number
  /** Of a rig's inner works, where a better one may have the same name. */
  second: boolean
}

/**
 * Finds the bones of a human body: by the words of their names first, and then by how they hang together. `map` says which
 * is which where names do not, for all or only some.
 *
 * Hips is the lowest bone that carries both legs and the spine; spine the first one above it. An arm or leg whose upper and
 * lower bones are not both found is left out.
 *
 * @throws LimberError `invalid-option` where `map` names what there is not, or a bone twice; `invalid-input` where no hips
 * are found, or neither spine nor head
 */
export function mapHumanoid(bones: readonly Object3D[], map: 'auto' | HumanoidMap = 'auto'): MappedHumanoid {
  const all = [...new Set(bones)]
  all.forEach((bone, b) => checkObject(`bones[${b}]`, bone))
  const given = readMap(all, map)
  const taken = new Set(given.values())
  const candidates = describe(all).filter(({ bone }) => !taken.has(bone))
  const found = new Map(given)
  for (const side of ['left', 'right'] as const) {
    findLimb(candidates, found, side, ARM)
    findLimb(candidates, found, side, LEG)
  }
  findTrunk(candidates, found)
  for (const side of ['left', 'right'] as const) {
    for (const { slots } of [ARM, LEG]) {
      const [upper, lower, ...rest] = slots.map((slot) => named(side, slot))
      if (found.has(upper!) && found.has(lower!)) continue
      for (const slot of [upper!, lower!, ...rest]) found.delete(slot)
    }
    // Toes turn with a foot.
    if (!found.has(named(side, 'Foot'))) found.delete(named(side, 'Toes'))
  }
  if (!found.has('hips')) {
    throw new LimberError(
      'invalid-input',
      `no hips found among the bones ${list(all)}: say which is which, as map: { hips: '…', head: '…', … }`,
    )
  }
  if (!found.has('spine') && !found.has('head')) {
    throw new LimberError(
      'invalid-input',
      `neither spine nor head found among the bones ${list(all)}: say which they are, as map: { spine: '…', head: '…' }`,
    )
  }
  const missing = HUMANOID_BONES.filter((key) => !found.has(key))
  return {
    bones: Object.fromEntries(HUMANOID_BONES.filter((key) => found.has(key)).map((key) => [key, found.get(key)])),
    missing,
  }
}

/** What the map says. */
function readMap(all: readonly Object3D[], map: 'auto' | HumanoidMap): Map<HumanoidBone, Object3D> {
  const given = new Map<HumanoidBone, Object3D>()
  if (map === 'auto') return given
  if (typeof map !== 'object' || map === null || Array.isArray(map)) {
    throw new LimberError('invalid-option', `map must be 'auto' or an object, got ${shown(map)}`)
  }
  for (const [key, value] of Object.entries(map)) {
    if (!HUMANOID_BONES.includes(key as HumanoidBone)) {
      throw new LimberError('invalid-option', `map.${key} is no bone of a body; known: ${HUMANOID_BONES.join(', ')}`)
    }
    if (value === undefined) continue
    const bone = typeof value === 'string' ? byName(all, value) : value
    if (bone === undefined) {
      throw new LimberError('invalid-option', `map.${key}: no bone is called ${shown(value)}; there are ${list(all)}`)
    }
    if (!(bone as Object3D | null)?.isObject3D) {
      throw new LimberError('invalid-option', `map.${key} must be a bone or its name, got ${shown(value)}`)
    }
    if (!all.includes(bone)) {
      throw new LimberError('invalid-option', `map.${key}: ${shown(bone.name)} is no bone of the skeleton`)
    }
    for (const [other, same] of given) {
      if (same !== bone) continue
      throw new LimberError('invalid-option', `map.${key} and map.${other} are the same bone, ${shown(bone.name)}`)
    }
    given.set(key as HumanoidBone, bone)
  }
  return given
}

/** By the name in the file too, which loaders change: `mixamorig:Hips` is called `mixamorigHips`. */
function byName(all: readonly Object3D[], name: string): Object3D | undefined {
  const changed = PropertyBinding.sanitizeNodeName(name)
  return all.find((bone) => bone.name === name) ?? all.find((bone) => bone.name === changed)
}

/** Names, for a message. */
function list(bones: readonly Object3D[]): string {
  const most = 80
  const names = bones.slice(0, most).map(({ name }) => name || '(no name)')
  return bones.length === 0
    ? '(none)'
    : names.join(', ') + (bones.length > most ? ` and ${bones.length - most} more` : '')
}

/** `{ a: value, b: value }` of `'a b'`. */
function each<T extends string>(value: T, words: string): Record<string, T> {
  return Object.fromEntries(words.split(' ').map((word) => [word, value]))
}

function describe(bones: readonly Object3D[]): Candidate[] {
  const plain = bones.filter((bone) => !('isMesh' in bone) && !('isLight' in bone) && !('isCamera' in bone))
  const words = plain.map(({ name }) => wordsOf(name))
  // A character's name before each bone's says nothing: it may be anything, also an arm.
  const first = words[0]?.[0]
  if (plain.length > 4 && words.every((own) => own.length > 1 && own[0] === first)) words.forEach((own) => own.shift())
  return plain.map((bone, b) => {
    const own = words[b]!
    const side = SIDES[own.find((word) => word in SIDES) ?? '']
    const part = partOf(own, side)
    let depth = 0
    for (let above = bone.parent; above; above = above.parent) depth++
    return { bone, words: own, side, part, depth, second: own.includes('org') }
  })
}

/** Words of a name in small letters, without numbers: of `mixamorig:LeftUpLeg`, `mixamorig left up leg`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .flatMap(split)
}

/** `upperarm` as `upper arm`, `lthigh` as `l thigh`; what is not made of known words stays whole. */
function split(word: string): string[] {
  if (word === '') return []
  const whole = divided(word)
  if (whole) return whole
  const rest = word[0] === 'l' || word[0] === 'r' ? divided(word.slice(1)) : undefined
  return rest ? [word[0]!, ...rest] : [word]
}

function divided(word: string): string[] | undefined {
  if (VOCABULARY.has(word)) return [word]
  for (let at = word.length - 1; at > 1; at--) {
    if (!VOCABULARY.has(word.slice(0, at))) continue
    const rest = divided(word.slice(at))
    if (rest) return [word.slice(0, at), ...rest]
  }
  return undefined
}

function partOf(words: readonly string[], side: Side | undefined): Part | undefined {
  const has = (list: readonly string[]): boolean => list.some((word) => words.includes(word))
  const parts = words.flatMap((word) => PARTS[word] ?? [])
  // Some call the neck so: twist bones that carry the head.
  if (words.some((word) => HELPERS.has(word) && !(word === 'twist' && parts[0] === 'neck'))) return undefined
  if (side === undefined) return parts.find((part) => ['hips', 'spine', 'neck', 'head'].includes(part))
  for (const [limb, upper, lower] of [
    ['arm', 'upperArm', 'lowerArm'],
    ['leg', 'upperLeg', 'lowerLeg'],
  ] as const) {
    if (!parts.includes(limb)) continue
    if (has(UPPER)) return upper
    if (has(LOWER)) return lower
  }
  if (words.includes('hip')) return 'upperLeg'
  const own = parts.filter((part) => !['hips', 'spine', 'neck', 'head'].includes(part))
  // Of `arm_wrist` the wrist.
  return own.find((part) => part !== 'arm' && part !== 'leg') ?? own[0]
}

interface Limb {
  /** What it is called that may be any bone of it. */
  any: Part
  slots: readonly string[]
  parts: readonly Part[]
  /** The last slot that is sure to hang on those before: feet may hang elsewhere than on the leg. */
  inLine: number
}
const ARM: Limb = {
  any: 'arm',
  slots: ['UpperArm', 'LowerArm', 'Hand'],
  parts: ['upperArm', 'lowerArm', 'hand'],
  inLine: 2,
}
const LEG: Limb = {
  any: 'leg',
  slots: ['UpperLeg', 'LowerLeg', 'Foot', 'Toes'],
  parts: ['upperLeg', 'lowerLeg', 'foot', 'toes'],
  inLine: 1,
}

function named(side: Side, slot: string): HumanoidBone {
  return `${side}${slot}` as HumanoidBone
}

/** Fills the slots of one limb, from the body outwards. */
function findLimb(candidates: readonly Candidate[], found: Map<HumanoidBone, Object3D>, side: Side, limb: Limb): void {
  const own = candidates
    .filter((c) => c.side === side)
    .sort((a, b) => Number(a.second) - Number(b.second) || a.depth - b.depth)
  const used = new Set<Object3D>()
  const { slots, parts, any } = limb
  const get = (slot: number): Object3D | undefined => found.get(named(side, slots[slot]!))
  /** The first one of a part that is in its place among those that are known: below the nearest above, above the nearest below. */
  const pick = (part: Part, slot: number, loose = false): Object3D | undefined => {
    let above: Object3D | undefined
    for (let s = slot - 1; s >= 0 && !above; s--) above = get(s)
    let below: Object3D | undefined
    for (let s = slot + 1; s <= limb.inLine && !below; s++) below = get(s)
    const fits = (bone: Object3D): boolean => (!above || isBelow(bone, above)) && (!below || isBelow(below, bone))
    return own.find(({ bone, part: p }) => p === part && !used.has(bone) && (loose || fits(bone)))?.bone
  }
  const put = (slot: number, bone: Object3D | undefined): void => {
    if (!bone || get(slot)) return
    used.add(bone)
    found.set(named(side, slots[slot]!), bone)
  }
  // Names that leave no choice, then those of which the place decides.
  parts.forEach((part, slot) => put(slot, pick(part, slot)))
  // Joints, not limbs, may be what is named: a shoulder that carries the elbow.
  if (limb === ARM && get(1) && !own.some(({ part }) => part === any)) put(0, pick('collar', 0))
  slots.forEach((_, slot) => put(slot, pick(any, slot)))
  // Between what is above and what is below: whatever carries the one and hangs on the other.
  const [upper, end] = [get(0), get(2)]
  if (upper && end && !get(1)) {
    const between = candidates.filter(
      ({ bone, words }) => isBelow(bone, upper) && isBelow(end, bone) && !isHelper(words),
    )
    put(1, between.sort((a, b) => a.depth - b.depth)[0]?.bone)
  }
  if (limb === LEG) {
    // Feet that are moved to a target hang elsewhere.
    if (get(0) && get(1)) put(2, pick('foot', 2, true))
    const foot = get(2)
    // An ankle that carries a foot.
    if (foot)
      put(
        3,
        own.find(({ bone, part }) => (part === 'foot' || part === 'toes') && bone !== foot && isBelow(bone, foot))
          ?.bone,
      )
  }
}

function isHelper(words: readonly string[]): boolean {
  return words.some((word) => HELPERS.has(word))
}

/** Hips, spine, neck and head. */
function findTrunk(candidates: readonly Candidate[], found: Map<HumanoidBone, Object3D>): void {
  const centre = candidates
    .filter(({ side }) => side === undefined)
    .sort((a, b) => Number(a.second) - Number(b.second) || a.depth - b.depth)
  const known = new Map(candidates.map((candidate) => [candidate.bone, candidate]))
  const of = (part: Part): Object3D[] => centre.filter((c) => c.part === part).map(({ bone }) => bone)
  const get = (...keys: HumanoidBone[]): Object3D[] => keys.flatMap((key) => found.get(key) ?? [])
  const set = (key: HumanoidBone, bone: Object3D | undefined): void => {
    if (bone && !found.has(key)) found.set(key, bone)
  }

  set('head', of('head')[0])
  const arms = get('leftUpperArm', 'rightUpperArm')
  const legs = get('leftUpperLeg', 'rightUpperLeg')
  const necks = of('neck')
  const spines = of('spine')
  const tops = [...arms, ...get('neck', 'head'), ...necks.slice(0, 1)]
  if (tops.length === 0) tops.push(...spines.slice(-1), ...get('spine'))

  // What carries both the legs and what is above them.
  if (legs.length > 0 && tops.length > 0) {
    const carrier = lowestCommon([...legs, ...tops])
    set('hips', carrier && known.has(carrier) ? carrier : undefined)
  }
  set('hips', of('hips')[0])
  if (!found.has('hips') && spines[0]) {
    // Without legs: what carries the spine, or the first of it.
    const above = spines[0].parent
    set('hips', above && known.has(above) ? above : spines[0])
  }
  const hips = found.get('hips')
  if (!hips) return

  // The chest carries the arms, and the neck with the head.
  const arm = arms.length === 2 ? lowestCommon(arms) : arms[0]?.parent
  const chest = arm && isBelow(arm, hips) ? arm : undefined
  if (!found.has('head')) {
    // The last one called neck, or else the last of the line that goes on above the chest.
    const run = necks.length > 0 ? line(necks) : chest ? lineAbove(chest, known, arms) : []
    set('head', run.at(-1))
    if (run.length > 1) set('neck', run[0])
  }
  const head = found.get('head')
  if (head)
    set(
      'neck',
      necks.find((bone) => isBelow(head, bone) && isBelow(bone, hips)),
    )
  const taken = new Set(found.values())
  const top = chest ?? get('neck', 'head')[0] ?? spines.at(-1)
  if (!top) return
  const path: Object3D[] = []
  for (let bone: Object3D | null = top; bone && bone !== hips; bone = bone.parent) path.unshift(bone)
  set(
    'spine',
    path.find((bone) => {
      const candidate = known.get(bone)
      if (!candidate || taken.has(bone) || candidate.side || isHelper(candidate.words)) return false
      return candidate.part !== 'hips' && candidate.part !== 'neck' && candidate.part !== 'head'
    }),
  )
}

/** Those of a list, sorted by depth, that hang one below the other. */
function line(bones: readonly Object3D[]): Object3D[] {
  const run: Object3D[] = []
  for (const bone of bones) if (run.length === 0 || isBelow(bone, run.at(-1)!)) run.push(bone)
  return run
}

/** What goes on from the chest between the arms. */
function lineAbove(chest: Object3D, known: ReadonlyMap<Object3D, Candidate>, arms: readonly Object3D[]): Object3D[] {
  const run: Object3D[] = []
  for (let bone: Object3D | undefined = chest; bone;) {
    bone = bone.children.find((child) => {
      const candidate = known.get(child)
      if (!candidate || candidate.side || isHelper(candidate.words)) return false
      return !arms.some((arm) => arm === child || isBelow(arm, child))
    })
    if (bone) run.push(bone)
  }
  return run
}

/** The lowest object that carries all of them. */
function lowestCommon(bones: readonly Object3D[]): Object3D | undefined {
  for (let above = bones[0]!.parent; above; above = above.parent) {
    const carrier = above
    if (bones.every((bone) => bone === carrier || isBelow(bone, carrier))) return carrier
  }
  return undefined
}

function isBelow(bone: Object3D, other: Object3D): boolean {
  for (let above = bone.parent; above; above = above.parent) if (above === other) return true
  return false
}
