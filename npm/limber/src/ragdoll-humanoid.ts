import { Matrix4, Vector3, type Mesh, type Object3D, type SkinnedMesh } from 'three'
import { LimberError } from './error.js'
import { HUMANOID_BONES } from './ragdoll-map.js'
import type {
  HumanoidBone,
  RagdollBone,
  RagdollCapsule,
  RagdollLimit,
  RagdollLink,
  RagdollPoint,
} from './ragdoll-setup.js'

/** What a ragdoll of a human body is made of. */
export interface HumanoidSetup {
  /** Each has a `bone`, its place there as `local`, and `rest`. */
  points: RagdollPoint[]
  /** By the names of points, as everything else. */
  links: RagdollLink[]
  /** Parents first. */
  bones: RagdollBone[]
  limits: RagdollLimit[]
  capsules: RagdollCapsule[]
}

/** Shares of a body's mass, as in the tables of human bodies, rounded. */
const MASS = {
  pelvis: 0.14,
  chest: 0.36,
  head: 0.08,
  upperArm: 0.028,
  forearm: 0.016,
  hand: 0.006,
  thigh: 0.1,
  shank: 0.047,
  foot: 0.015,
}
/** No point is lighter than this part of the heaviest: the greater the ratio, the slower links settle. */
const LIGHTEST = 1 / 12
/** A bend from which on the bind pose tells which way a joint turns, where it agrees with anatomy; and where it does not. */
const BENT = 0.14
const SURELY_BENT = 0.45
/** By how much the hinge line of an ankle is turned about the shank. */
const ANKLE_TURN = 0.45
/** Vertices of a skin that are looked at, at most. */
const SAMPLES = 20_000

/**
 * Points, links and limits of a human body, from its bones in the bind pose. `rest` of a point is where it is when the body
 * is in the bind pose with its hips as they are now; forward is where the toes point, or else what right and left say.
 *
 * What a skeleton does not tell, such as the top of the head, is measured on the skin, or else taken from other lengths of
 * the body: no length is absolute.
 *
 * @param mapped what `mapHumanoid` found
 * @param mass of the whole body, kg
 * @param meshes whose skeletons hold the bind pose; without, the pose of now is taken for it
 * @throws LimberError `invalid-input` where a limb has no length
 */
export function humanoidSetup(
  mapped: { readonly bones: Partial<Record<HumanoidBone, Object3D>> },
  mass = 70,
  meshes: readonly SkinnedMesh[] = [],
): HumanoidSetup {
  const body = new Body(mapped.bones, meshes)
  body.addTrunk()
  body.addHead()
  for (const side of ['L', 'R'] as const) {
    body.addArm(side)
    body.addLeg(side)
  }
  return body.finish(mass)
}

type Side = 'L' | 'R'
interface Frame {
  readonly frame: readonly [string, string, string]
}

class Body {
  readonly #bones: Partial<Record<HumanoidBone, Object3D>>
  readonly #rest: RestPose
  readonly #points = new Map<string, RagdollPoint & { name: string; bone: Object3D; rest: Vector3; mass: number }>()
  readonly #links = new Map<string, readonly [string, string]>()
  readonly #turned: RagdollBone[] = []
  readonly #limits: RagdollLimit[] = []
  readonly #capsules: RagdollCapsule[] = []
  /** Shares of the mass that points have so far. */
  readonly #owed = new Map<string, number>()

  readonly #up = new Vector3()
  readonly #left = new Vector3()
  readonly #forward = new Vector3()
  /** Between the heads of the thighs, and the head of the neck. */
  readonly #base = new Vector3()
  readonly #neck = new Vector3()
  /** From one to the other: what is measured by, where there is nothing nearer. */
  #trunk = 0
  readonly #hips: Record<Side, Vector3>
  readonly #shoulders: Record<Side, Vector3>

  constructor(bones: Partial<Record<HumanoidBone, Object3D>>, meshes: readonly SkinnedMesh[]) {
    this.#bones = bones
    this.#rest = new RestPose(bones, meshes)
    const hips = this.#at('hips')!
    const legs = [this.#at('leftUpperLeg'), this.#at('rightUpperLeg')] as const
    const arms = [this.#at('leftUpperArm'), this.#at('rightUpperArm')] as const
    const spine = this.#at('spine')

    this.#base.copy(legs[0] && legs[1] ? middle(legs[0], legs[1]) : hips)
    const between = arms[0] && arms[1] ? middle(arms[0], arms[1]) : undefined
    const top = this.#at('neck') ?? this.#at('head') ?? between ?? this.#spineEnd() ?? arms[0] ?? arms[1] ?? spine!
    this.#neck.copy(top)
    this.#up.subVectors(top, this.#base)
    this.#trunk = this.#up.length()
    if (!(this.#trunk > 1e-4 * this.#rest.size)) {
      throw new LimberError('invalid-input', 'the hips are where the neck is: there is no trunk in the bind pose')
    }
    this.#up.divideScalar(this.#trunk)
    this.#findSides(legs, arms)

    // A side that has no limb has its joint where the other side has it.
    this.#hips = this.#pair(legs, this.#base, 0.19)
    this.#shoulders = this.#pair(arms, this.#neck.clone().addScaledVector(this.#up, -0.12 * this.#trunk), 0.34)
  }

  /** Where the head of a bone is. */
  #at(key: HumanoidBone): Vector3 | undefined {
    const bone = this.#bones[key]
    return bone && this.#rest.headOf(bone)
  }

  /** Where the spine ends that carries nothing known: farther along it than its first bone. */
  #spineEnd(): Vector3 | undefined {
    const { spine, hips } = this.#bones
    if (!spine) return undefined
    const [from, foot] = [this.#rest.headOf(spine), this.#rest.headOf(hips!)]
    const along = from.clone().sub(foot)
    const end = this.#rest.farthestBelow(spine, from, along)
    return end ?? from.clone().addScaledVector(along, 3)
  }

  #findSides(
    legs: readonly [Vector3 | undefined, Vector3 | undefined],
    arms: readonly [Vector3 | undefined, Vector3 | undefined],
  ): void {
    const across = new Vector3()
    for (const [left, right] of [legs, arms]) {
      const own = new Vector3()
      if (left && right) own.subVectors(left, right)
      else if (left) own.subVectors(left, this.#base)
      else if (right) own.subVectors(this.#base, right)
      own.addScaledVector(this.#up, -own.dot(this.#up))
      // One limb says less than two.
      across.addScaledVector(own, left && right ? 1 : 0.01)
    }
    if (across.lengthSq() < (1e-3 * this.#trunk) ** 2) {
      // No limbs: as the bone of the hips lies.
      const { elements } = this.#rest.matrixOf(this.#bones.hips!)
      for (const column of [0, 8, 4]) {
        across.fromArray(elements, column).addScaledVector(this.#up, -across.dot(this.#up)).normalize()
        if (across.lengthSq() > 0.5) break
      }
    }
    this.#left.copy(across).normalize()
    this.#forward.crossVectors(this.#left, this.#up)
    // Parents that mirror the body turn right-handed into left-handed.
    if (this.#rest.mirrored) this.#forward.negate()
    let [ahead, length] = [0, 0]
    for (const side of ['left', 'right'] as const) {
      const [foot, toes] = [this.#at(`${side}Foot`), this.#at(`${side}Toes`)]
      if (!foot || !toes) continue
      const along = toes.clone().sub(foot)
      ahead += along.dot(this.#forward)
      length += along.length()
    }
    // Toes know better than names, which some give as seen from before the body.
    if (ahead < -0.3 * length) this.#forward.negate()
  }

  #pair(
    given: readonly [Vector3 | undefined, Vector3 | undefined],
    centre: Vector3,
    width: number,
  ): Record<Side, Vector3> {
    const mirror = (other: Vector3): Vector3 =>
      other.clone().addScaledVector(this.#left, -2 * other.clone().sub(centre).dot(this.#left))
    const [left, right] = given
    const L = left ?? (right ? mirror(right) : centre.clone().addScaledVector(this.#left, 0.5 * width * this.#trunk))
    const R = right ?? mirror(L)
    return { L, R }
  }

  addTrunk(): void {
    const { hips, spine } = this.#bones as { hips: Object3D; spine?: Object3D }
    const [trunk, up, forward] = [this.#trunk, this.#up, this.#forward]
    const hipWidth = this.#hips.L.distanceTo(this.#hips.R)
    const shoulderWidth = this.#shoulders.L.distanceTo(this.#shoulders.R)
    // The nearer it is to the line of the hips, the less it tells how they are tilted.
    const waist = this.#at('spine') ?? this.#base.clone().addScaledVector(up, 0.22 * trunk)
    const height = waist.clone().sub(this.#base).dot(up)
    waist.addScaledVector(up, clamp(height, Math.min(0.3 * hipWidth, 0.4 * trunk), 0.6 * trunk) - height)
    // Out of the plane of the others.
    const chest = clamp(0.28 * shoulderWidth, 0.12 * trunk, 0.3 * trunk)
    const shoulders = middle(this.#shoulders.L, this.#shoulders.R)
    const sternum = shoulders.lerp(waist, 0.35).addScaledVector(forward, chest)

    const thigh = this.#thighLength()
    const hipRadius = clamp(0.2 * thigh, 0.2 * hipWidth, 0.5 * hipWidth)
    this.#point('hipL', hips, this.#hips.L, hipRadius)
    this.#point('hipR', hips, this.#hips.R, hipRadius)
    this.#point('waist', hips, waist, 0.2 * trunk)
    const carrier = spine ?? hips
    this.#point('neck', carrier, this.#neck, 0.11 * trunk)
    this.#point('shoulderL', carrier, this.#shoulders.L, 0.11 * trunk)
    this.#point('shoulderR', carrier, this.#shoulders.R, 0.11 * trunk)
    this.#point('sternum', carrier, sternum, 0.08 * trunk)
    this.#weigh(MASS.pelvis, { hipL: 1, hipR: 1, waist: 1 })
    this.#weigh(MASS.chest, { waist: 1, neck: 1.5, shoulderL: 2, shoulderR: 2, sternum: 3 })
    const upper = ['waist', 'neck', 'shoulderL', 'shoulderR', 'sternum']
    if (spine) {
      this.#group('hipL', 'hipR', 'waist')
      this.#group(...upper)
    } else {
      this.#group('hipL', 'hipR', ...upper)
    }
    this.#turned.push({ bone: hips, points: ['waist', 'hipL', 'hipR'] })
    if (spine) {
      this.#turned.push({ bone: spine, points: this.#chest().frame })
      const pelvis = this.#pelvis()
      this.#cone(pelvis, 'waist', 'neck', this.#direction('waist', 'neck'), 0.6)
      this.#limits.push({ kind: 'twist', ...pelvis, points: ['waist', 'neck', 'shoulderL'], angle: 0.5 })
    }
    const around = clamp(0.36 * shoulderWidth, 0.16 * trunk, 0.34 * trunk)
    const girth = this.#rest.girth(spine ? 'spine' : 'hips', waist, this.#neck, around)
    // Up to where the trunk begins.
    const gap = Math.min(0.42 * waist.clone().sub(this.#base).dot(up), girth)
    this.#capsules.push({ points: ['hipL', 'hipR'], radius: Math.max(Math.min(0.85 * girth, 1.1 * hipRadius), gap) })
    this.#capsules.push({ points: ['waist', 'neck'], radius: girth })
  }

  #thighLength(): number {
    const lengths = (['left', 'right'] as const).flatMap((side) => {
      const [hip, knee] = [this.#at(`${side}UpperLeg`), this.#at(`${side}LowerLeg`)]
      return hip && knee ? [hip.distanceTo(knee)] : []
    })
    return lengths.length > 0 ? Math.max(...lengths) : 0.85 * this.#trunk
  }

  #chest(): Frame {
    // The one that is thickest: shoulders may be drawn up to the neck.
    const [a, b] = [this.#where('waist'), this.#where('neck')]
    const beside = (name: string): number => distanceToLine(this.#where(name), a, b)
    const shoulder = beside('shoulderL') > 0.7 * beside('sternum')
    return { frame: ['waist', 'neck', shoulder ? 'shoulderL' : 'sternum'] }
  }

  #pelvis(): Frame {
    return { frame: ['waist', 'hipL', 'hipR'] }
  }

  addHead(): void {
    const { head } = this.#bones
    if (!head) return
    const [up, forward, trunk] = [this.#up, this.#forward, this.#trunk]
    const from = this.#rest.headOf(head)
    const usual = 0.38 * trunk
    // Big heads are common, hats and hair too.
    const end = this.#rest.endBelow(head)
    const measured = end ? end.sub(from).dot(up) : this.#rest.reach('head', from, up)
    const height = clamp(measured ?? usual, 0.5 * usual, 4 * usual)
    const neckToHead = from.clone().sub(this.#neck).dot(up)
    const radius = 0.4 * height
    // The ball about it ends where the head does.
    const crown = from.clone().addScaledVector(up, Math.max(height - radius, 0.15 * trunk - neckToHead))
    const face = from
      .clone()
      .addScaledVector(up, 0.45 * height)
      .addScaledVector(forward, 0.75 * radius)
    this.#point('crown', head, crown, radius)
    this.#point('face', head, face, 0.4 * radius)
    this.#weigh(MASS.head, { neck: 1, crown: 4, face: 2 })
    this.#group('neck', 'crown', 'face')
    this.#turned.push({ bone: head, points: ['neck', 'crown', 'face'] })
    const chest = this.#chest()
    this.#cone(chest, 'neck', 'crown', this.#direction('neck', 'crown'), 0.8)
    this.#limits.push({ kind: 'twist', ...chest, points: ['neck', 'crown', 'face'], angle: 1 })
    this.#capsules.push({ points: ['neck', 'crown'], radius: Math.min(radius, 0.45 * trunk) })
  }

  addArm(side: Side): void {
    const long = side === 'L' ? 'left' : 'right'
    const upper = this.#bones[`${long}UpperArm`]
    const lower = this.#bones[`${long}LowerArm`]
    const hand = this.#bones[`${long}Hand`]
    if (!upper || !lower) return
    const [shoulder, elbow] = [this.#rest.headOf(upper), this.#rest.headOf(lower)]
    const length = this.#length(elbow, shoulder, `${long}LowerArm`, `${long}UpperArm`)
    const along = elbow.clone().sub(shoulder).divideScalar(length)
    const wrist = hand
      ? this.#rest.headOf(hand)
      : this.#end(lower, `${long}LowerArm`, elbow, along, 0.9 * length, 1.6 * length)
    const forearm = this.#length(wrist, elbow, `${long}Hand`, `${long}LowerArm`)
    // The forearm goes forward.
    const axis = this.#hinge(along, wrist.clone().sub(elbow).divideScalar(forearm), this.#forward, this.#up)
    const [s, e, a, w, h] = [`shoulder${side}`, `elbow${side}`, `elbowAxis${side}`, `wrist${side}`, `hand${side}`]
    const r = this.#rest.girth(`${long}UpperArm`, shoulder, elbow, 0.16 * Math.min(length, 0.7 * this.#trunk))
    const rLow = this.#rest.girth(`${long}LowerArm`, elbow, wrist, 0.8 * r)
    this.#point(e, upper, elbow, 0.95 * rLow)
    // Beside it, but hardly outside of the arm: it rests on the floor too.
    const beside = Math.min(0.25 * forearm, Math.max(2 * rLow, 0.12 * forearm))
    this.#point(a, upper, elbow.clone().addScaledVector(axis, beside), 0.2 * rLow)
    this.#point(w, lower, wrist, 0.75 * rLow)
    this.#weigh(MASS.upperArm, { [s]: 4, [e]: 4, [a]: 2 })
    this.#weigh(MASS.forearm, { [e]: 4, [a]: 2, [w]: 4 })
    this.#group(s, e, a)
    this.#group(e, a, w)
    this.#turned.push({ bone: upper, points: [s, e, a] }, { bone: lower, points: [e, w, a] })
    const out = side === 'L' ? 1 : -1
    const reach = new Vector3()
      .addScaledVector(this.#left, 0.75 * out)
      .addScaledVector(this.#forward, 0.5)
      .addScaledVector(this.#up, -0.35)
    this.#cone(this.#chest(), s, e, reach.normalize(), 1.6)
    this.#limits.push({ kind: 'twist', ...this.#chest(), points: [s, e, a], angle: 1.2 })
    this.#bends(s, e, a, w, 0, 2.6)
    this.#capsules.push({ points: [s, e], radius: r }, { points: [e, w], radius: rLow })
    if (!hand) return
    const straight = wrist.clone().sub(elbow).divideScalar(forearm)
    const tip = this.#end(hand, `${long}Hand`, wrist, straight, 0.4 * forearm, 0.8 * forearm)
    this.#point(h, hand, tip, 0.7 * rLow)
    this.#weigh(MASS.hand, { [w]: 1, [h]: 2 })
    this.#group(w, h)
    this.#turned.push({ bone: hand, points: [w, h], parent: lower })
    this.#cone({ frame: [e, w, a] }, w, h, straight, 1)
    this.#capsules.push({ points: [w, h], radius: 0.8 * rLow })
  }

  addLeg(side: Side): void {
    const long = side === 'L' ? 'left' : 'right'
    const upper = this.#bones[`${long}UpperLeg`]
    const lower = this.#bones[`${long}LowerLeg`]
    const foot = this.#bones[`${long}Foot`]
    if (!upper || !lower) return
    const [hip, knee] = [this.#rest.headOf(upper), this.#rest.headOf(lower)]
    const length = this.#length(knee, hip, `${long}LowerLeg`, `${long}UpperLeg`)
    const along = knee.clone().sub(hip).divideScalar(length)
    const ankle = foot
      ? this.#rest.headOf(foot)
      : this.#end(lower, `${long}LowerLeg`, knee, along, length, 1.5 * length)
    const shank = this.#length(ankle, knee, `${long}Foot`, `${long}LowerLeg`)
    const straight = ankle.clone().sub(knee).divideScalar(shank)
    // The shank goes backward.
    const backward = this.#forward.clone().negate()
    const axis = this.#hinge(along, straight, backward, this.#up)
    const [p, k, a, n] = [`hip${side}`, `knee${side}`, `kneeAxis${side}`, `ankle${side}`]
    const [m, t] = [`ankleAxis${side}`, `toe${side}`]
    const r = this.#rest.girth(`${long}UpperLeg`, hip, knee, 0.17 * Math.min(length, 1.3 * this.#trunk))
    const rLow = this.#rest.girth(`${long}LowerLeg`, knee, ankle, 0.72 * r)
    this.#point(k, upper, knee, rLow)
    this.#point(a, upper, knee.clone().addScaledVector(axis, 0.17 * shank), 0.2 * rLow)
    // No thicker than it is above the sole: the body would be lifted when it goes limp.
    const down = this.#up.clone().negate()
    const sole = this.#rest.reach(`${long}Foot`, ankle, down)
    const heel = sole === undefined ? 0.09 * shank : clamp(sole, 0.03 * shank, 0.13 * shank)
    this.#point(n, lower, ankle, heel)
    this.#weigh(MASS.thigh, { [p]: 5, [k]: 4, [a]: 1 })
    this.#weigh(MASS.shank, { [k]: 4, [a]: 1, [n]: 4, ...(foot && { [m]: 1 }) })
    this.#group(p, k, a)
    this.#turned.push({ bone: upper, points: [p, k, a] }, { bone: lower, points: [k, n, a] })
    const out = side === 'L' ? 1 : -1
    const raised = new Vector3()
      .addScaledVector(this.#up, -Math.cos(0.7))
      .addScaledVector(this.#forward, Math.sin(0.7))
      .addScaledVector(this.#left, 0.15 * out)
    this.#cone(this.#pelvis(), p, k, raised.normalize(), 1.1)
    this.#limits.push({ kind: 'twist', ...this.#pelvis(), points: [p, k, a], angle: 0.6 })
    this.#bends(p, k, a, n, 0, 2.5)
    this.#capsules.push({ points: [p, k], radius: r }, { points: [k, n], radius: rLow })
    if (!foot) {
      this.#group(k, a, n)
      return
    }
    const toe = this.#toe(long, ankle, straight, shank)
    const rToe = Math.min(0.08 * shank, 0.3 * toe.distanceTo(ankle))
    const under = this.#rest.reach(`${long}Foot`, toe, down)
    if (under !== undefined && under < rToe) toe.addScaledVector(this.#up, rToe - under)
    const ahead = toe.clone().sub(ankle).normalize()
    // It lifts the toes where it turns them from straight down to forward.
    const across = new Vector3().crossVectors(straight, this.#forward).normalize()
    const lift = new Vector3().crossVectors(straight, ahead)
    if (lift.length() > 0.3 && lift.clone().normalize().dot(across) > 0.7) across.copy(lift).normalize()
    // Of a foot that points straight down or back, a line at right angles still.
    across.addScaledVector(ahead, -across.dot(ahead))
    if (!(across.length() > 0.1)) across.copy(axis).negate()
    // Turned out, as a human's is: in one plane with the hinge of the knee the shank would twist freely.
    across.normalize().applyAxisAngle(straight, side === 'L' ? ANKLE_TURN : -ANKLE_TURN)
    this.#point(m, lower, ankle.clone().addScaledVector(across, 0.13 * shank), 0.2 * heel)
    this.#point(t, foot, toe, rToe)
    this.#weigh(MASS.foot, { [n]: 4, [m]: 2, [t]: 4 })
    this.#group(k, a, n, m)
    this.#group(n, m, t)
    this.#turned.push({ bone: foot, points: [n, t, m], parent: lower })
    const rest = this.#angle(k, n, m, t)
    this.#limits.push({ kind: 'hinge', points: [k, n, m, t], min: rest - 0.7, max: rest + 0.5 })
    this.#capsules.push({ points: [n, t], radius: Math.min(rToe * 1.2, Math.max(heel, rToe)) })
  }

  /** The end of a foot: beyond the toes, at the end of its bones or of its skin, or as long as feet are. */
  #toe(long: 'left' | 'right', ankle: Vector3, straight: Vector3, shank: number): Vector3 {
    const foot = this.#bones[`${long}Foot`]!
    const toes = this.#at(`${long}Toes`)
    const usual = 0.42 * shank
    if (toes) {
      const ahead = toes.clone().sub(ankle)
      const most = ahead.length()
      if (most > 0.05 * shank) {
        // Toes go on forward, and not down into the floor.
        ahead.addScaledVector(this.#up, -ahead.dot(this.#up))
        if (ahead.length() < 0.2 * most) ahead.copy(this.#forward)
        ahead.normalize()
        const skin = this.#rest.reach(`${long}Foot`, toes, ahead)
        return toes.addScaledVector(ahead, clamp(0.9 * (skin ?? 0.4 * most), 0.1 * usual, 0.7 * usual))
      }
    }
    const end = this.#rest.farthestBelow(foot, ankle, this.#forward)
    const far = end?.distanceTo(ankle) ?? 0
    if (end && far > 0.15 * shank && far < 1.2 * shank) return end
    const length = clamp(this.#rest.reach(`${long}Foot`, ankle, this.#forward) ?? usual, 0.2 * shank, 1.2 * shank)
    const sole = this.#rest.reach(`${long}Foot`, ankle, this.#up.clone().negate()) ?? 0.2 * shank
    return ankle
      .clone()
      .addScaledVector(this.#forward, 0.9 * length)
      .addScaledVector(straight, Math.max(Math.min(sole, 0.3 * shank) - 0.08 * shank, 0))
  }

  /** The end of a limb's last bone: of the bones below it, of its skin, or `usual` on along `direction`. */
  #end(bone: Object3D, key: HumanoidBone, from: Vector3, direction: Vector3, usual: number, most: number): Vector3 {
    const end = this.#rest.farthestBelow(bone, from, direction)
    let length = this.#rest.reach(key, from, direction) ?? usual
    const along = direction.clone()
    if (end) {
      const far = end.distanceTo(from)
      // A thumb that sticks out tells no direction.
      if (far > 0.2 * usual && end.clone().sub(from).dot(direction) > 0.7 * far) {
        along.subVectors(end, from).divideScalar(far)
        length = far
      }
    }
    return from.clone().addScaledVector(along, clamp(length, 0.3 * usual, most))
  }

  /** Line of a hinge, such that bending towards `to` is positive. @param u direction above the joint @param f and below */
  #hinge(u: Vector3, f: Vector3, to: Vector3, otherwise: Vector3): Vector3 {
    const anatomic = new Vector3().crossVectors(u, to)
    if (anatomic.length() < 0.3) anatomic.crossVectors(u, otherwise)
    const along = u.clone().add(f).normalize()
    const bend = new Vector3().crossVectors(u, f)
    const angle = Math.atan2(bend.length(), u.dot(f))
    bend.normalize()
    anatomic.addScaledVector(along, -anatomic.dot(along)).normalize()
    return angle > SURELY_BENT || (angle > BENT && bend.dot(anatomic) > 0.7) ? bend : anatomic
  }

  #length(at: Vector3, from: Vector3, key: HumanoidBone, above: HumanoidBone): number {
    const length = at.distanceTo(from)
    if (length > 1e-3 * this.#trunk) return length
    const name = this.#bones[key]?.name ?? key
    throw new LimberError(
      'invalid-input',
      `${key} (${name}) is where ${above} (${this.#bones[above]?.name}) is: a limb must have a length in the bind pose`,
    )
  }

  #point(name: string, bone: Object3D, rest: Vector3, radius: number): void {
    const local = this.#rest.toLocal(bone, rest)
    this.#points.set(name, { name, bone, local, rest: rest.clone(), radius, mass: 0 })
  }

  #where(name: string): Vector3 {
    return this.#points.get(name)!.rest
  }

  #direction(from: string, to: string): Vector3 {
    return this.#where(to).clone().sub(this.#where(from)).normalize()
  }

  /** Spreads a share of the mass over points. */
  #weigh(share: number, parts: Record<string, number>): void {
    const sum = Object.values(parts).reduce((a, b) => a + b)
    for (const [name, part] of Object.entries(parts))
      this.#owed.set(name, (this.#owed.get(name) ?? 0) + (share * part) / sum)
  }

  /** Links every two points of a rigid part, once. */
  #group(...names: string[]): void {
    names.forEach((a, i) => {
      for (const b of names.slice(i + 1)) {
        const key = a < b ? `${a} ${b}` : `${b} ${a}`
        if (!this.#links.has(key)) this.#links.set(key, [a, b])
      }
    })
  }

  #cone(frame: Frame, joint: string, tip: string, axis: Vector3, angle: number): void {
    this.#limits.push({ kind: 'cone', ...frame, points: [joint, tip], axis, angle })
  }

  #bends(a: string, joint: string, axis: string, b: string, min: number, max: number): void {
    const rest = this.#angle(a, joint, axis, b)
    this.#limits.push({
      kind: 'hinge',
      points: [a, joint, axis, b],
      min: Math.min(min, rest),
      max: Math.max(max, rest),
    })
  }

  /** Angle of a hinge in the rest pose. */
  #angle(a: string, joint: string, axis: string, b: string): number {
    const n = this.#direction(joint, axis)
    const [u, f] = [this.#direction(a, joint), this.#direction(joint, b)]
    u.addScaledVector(n, -u.dot(n))
    f.addScaledVector(n, -f.dot(n))
    return Math.atan2(n.dot(u.clone().cross(f)), u.dot(f))
  }

  finish(mass: number): HumanoidSetup {
    const points = [...this.#points.values()]
    const owed = points.map(({ name }) => this.#owed.get(name) ?? 0)
    const least = Math.max(...owed) * LIGHTEST
    const raised = owed.map((share) => Math.max(share, least))
    const sum = raised.reduce((a, b) => a + b)
    points.forEach((point, i) => void (point.mass = (mass * raised[i]!) / sum))
    return {
      points,
      links: [...this.#links.values()],
      bones: this.#turned,
      limits: this.#limits,
      capsules: this.#capsules,
    }
  }
}

/** Where bones and the skin are in the bind pose, world, moved so that the hips are where they are now. */
class RestPose {
  /** The body is mirrored by what carries it. */
  readonly mirrored: boolean
  /** The largest distance of a mapped bone from the hips. */
  readonly size: number
  /** Bind pose of bones that a skeleton knows. */
  readonly #bind = new Map<Object3D, Matrix4>()
  readonly #owners = new Map<Object3D, HumanoidBone>()
  readonly #meshes: readonly SkinnedMesh[]
  /** Places of skin that goes with a mapped bone, three numbers each. */
  #skin: Map<HumanoidBone, number[]> | undefined
  /** From the space in which a skeleton was bound to the world. */
  readonly #placed = new Map<SkinnedMesh, Matrix4>()
  readonly #roots: Object3D[]

  constructor(bones: Partial<Record<HumanoidBone, Object3D>>, meshes: readonly SkinnedMesh[]) {
    this.#meshes = meshes
    const keys = HUMANOID_BONES.filter((key) => bones[key])
    for (const key of keys) this.#owners.set(bones[key]!, key)
    const all = keys.map((key) => bones[key]!)
    this.#roots = all.filter((bone) => !all.some((other) => other !== bone && isBelow(bone, other)))
    for (const root of this.#roots) {
      root.updateWorldMatrix(true, false)
      root.updateMatrixWorld(true)
    }
    const hips = bones.hips!
    const handed = hips.matrixWorld.determinant()
    if (!(Math.abs(handed) > 0)) {
      throw new LimberError(
        'invalid-input',
        `the hips (${hips.name}) are scaled to nothing: a ragdoll has no size then`,
      )
    }
    this.mirrored = handed < 0
    this.#bind.set(hips, hips.matrixWorld)
    // Skins that were bound elsewhere are laid over each other at a bone that both have.
    const waiting = new Set(meshes)
    for (let placed = true; placed && waiting.size > 0;) {
      placed = false
      for (const mesh of waiting) {
        const { skeleton } = mesh
        const shared = skeleton.bones.findIndex((bone) => this.#bind.has(bone))
        if (shared < 0) continue
        const place = this.#bind.get(skeleton.bones[shared]!)!.clone().multiply(skeleton.boneInverses[shared]!)
        skeleton.bones.forEach((bone, b) => {
          if (!this.#bind.has(bone)) this.#bind.set(bone, place.clone().multiply(inverse(skeleton.boneInverses[b]!)))
        })
        this.#placed.set(mesh, place)
        waiting.delete(mesh)
        placed = true
      }
    }
    const centre = this.headOf(hips)
    this.size = Math.max(...all.map((bone) => this.headOf(bone).distanceTo(centre)))
  }

  /** World matrix in the bind pose. What no skin knows lies to the next that one knows as it does now. */
  matrixOf(object: Object3D): Matrix4 {
    const line: Object3D[] = []
    let known: Object3D | null = object
    for (; known && !this.#bind.has(known); known = known.parent) line.unshift(known)
    if (!known) return object.matrixWorld
    const between = inverse(known.matrixWorld).multiply(object.matrixWorld)
    return line.length === 0 ? this.#bind.get(object)! : between.premultiply(this.#bind.get(known)!)
  }

  headOf(object: Object3D): Vector3 {
    return new Vector3().setFromMatrixPosition(this.matrixOf(object))
  }

  toLocal(bone: Object3D, place: Vector3): Vector3 {
    return place.clone().applyMatrix4(inverse(this.matrixOf(bone)))
  }

  /**
   * The bone, or end of one, that is farthest along `direction` of those that go with a bone; it must lie ahead. What is
   * held, such as a sword, is neither.
   */
  farthestBelow(bone: Object3D, from: Vector3, direction: Vector3): Vector3 | undefined {
    let [most, farthest] = [0, undefined as Vector3 | undefined]
    this.#below(bone, (object) => {
      const isBone = 'isBone' in object
      if ('isMesh' in object || (!isBone && object.children.length > 0)) return false
      const place = this.headOf(object)
      const ahead = place.clone().sub(from).dot(direction)
      if (ahead > most) [most, farthest] = [ahead, place]
      return isBone
    })
    return farthest
  }

  /** The bone that ends another and is called so: `HeadTop_End`. */
  endBelow(bone: Object3D): Vector3 | undefined {
    const end = bone.children.find(({ name }) => /head.*(top|end|nub|tip)/i.test(name))
    return end && this.headOf(end)
  }

  /** How far the skin of a mapped bone goes from a place along a direction; but for the last of it, which may be hair. */
  reach(key: HumanoidBone, from: Vector3, direction: Vector3): number | undefined {
    const places = this.#skinOf(key)
    if (places.length < 24) return undefined
    const start = from.dot(direction)
    const { x, y, z } = direction
    const ahead: number[] = []
    for (let i = 0; i < places.length; i += 3)
      ahead.push(places[i]! * x + places[i + 1]! * y + places[i + 2]! * z - start)
    const far = ahead.sort((a, b) => a - b)[Math.floor(0.99 * (ahead.length - 1))]!
    return far > 0 ? far : undefined
  }

  /** How thick the skin of a mapped bone is about a line; `usual` without, and never far from it: it may be a skirt. */
  girth(key: HumanoidBone, from: Vector3, to: Vector3, usual: number): number {
    const places = this.#skinOf(key)
    if (places.length < 24) return usual
    const off: number[] = []
    const place = new Vector3()
    const along = to.clone().sub(from)
    for (let i = 0; i < places.length; i += 3) {
      place.fromArray(places, i)
      const at = place.clone().sub(from).dot(along) / along.lengthSq()
      if (at > 0.1 && at < 0.9) off.push(distanceToLine(place, from, to))
    }
    if (off.length < 8) return usual
    return clamp(off.sort((a, b) => a - b)[off.length >> 1]!, 0.7 * usual, 1.8 * usual)
  }

  #skinOf(key: HumanoidBone): readonly number[] {
    this.#skin ??= this.#collectSkin()
    return this.#skin.get(key) ?? []
  }

  #collectSkin(): Map<HumanoidBone, number[]> {
    const skin = new Map<HumanoidBone, number[]>()
    const place = new Vector3()
    const add = (key: HumanoidBone | undefined): void => {
      if (!key) return
      let places = skin.get(key)
      if (!places) skin.set(key, (places = []))
      places.push(place.x, place.y, place.z)
    }
    for (const mesh of this.#meshes) {
      const { position, skinIndex, skinWeight } = mesh.geometry.attributes
      const placed = this.#placed.get(mesh)
      if (!position || !skinIndex || !skinWeight || !placed) continue
      const owners = mesh.skeleton.bones.map((bone) => this.#ownerOf(bone))
      const toWorld = placed.clone().multiply(mesh.bindMatrix)
      const every = Math.ceil(position.count / SAMPLES)
      for (let v = 0; v < position.count; v += every) {
        let strongest = 0
        for (let i = 1; i < 4; i++) {
          if (skinWeight.getComponent(v, i) > skinWeight.getComponent(v, strongest)) strongest = i
        }
        place.fromBufferAttribute(position, v).applyMatrix4(toWorld)
        add(owners[skinIndex.getComponent(v, strongest)])
      }
    }
    // Robots may have rigid parts on their bones instead; what is on a bone with a skin is held.
    const skinned = new Set(skin.keys())
    for (const [bone, key] of this.#owners) {
      if (skinned.has(key)) continue
      this.#below(bone, (object) => {
        const position =
          'isMesh' in object && !('isSkinnedMesh' in object) && (object as Mesh).geometry.attributes.position
        if (!position) return true
        const toWorld = this.matrixOf(object)
        const every = Math.ceil(position.count / SAMPLES)
        for (let v = 0; v < position.count; v += every) {
          place.fromBufferAttribute(position, v).applyMatrix4(toWorld)
          add(key)
        }
        return true
      })
    }
    return skin
  }

  /** The mapped bone with which another goes. */
  #ownerOf(bone: Object3D): HumanoidBone | undefined {
    for (let above: Object3D | null = bone; above; above = above.parent) {
      const key = this.#owners.get(above)
      // Toes are the end of a foot.
      if (key) return key === 'leftToes' ? 'leftFoot' : key === 'rightToes' ? 'rightFoot' : key
    }
    return undefined
  }

  /** Everything below a bone that goes with it, but for what is below where `use` says `false`. */
  #below(bone: Object3D, use: (object: Object3D) => boolean): void {
    for (const child of bone.children) {
      const key = this.#owners.get(child)
      if (key && key !== 'leftToes' && key !== 'rightToes') continue
      if (use(child)) this.#below(child, use)
    }
  }
}

function inverse(matrix: Matrix4): Matrix4 {
  return matrix.clone().invert()
}

function middle(a: Vector3, b: Vector3): Vector3 {
  return a.clone().add(b).multiplyScalar(0.5)
}

function clamp(n: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, n))
}

function distanceToLine(place: Vector3, from: Vector3, to: Vector3): number {
  const along = to.clone().sub(from)
  const off = place.clone().sub(from)
  const square = along.lengthSq()
  return square > 0 ? off.addScaledVector(along, -off.dot(along) / square).length() : off.length()
}

function isBelow(bone: Object3D, other: Object3D): boolean {
  for (let above = bone.parent; above; above = above.parent) if (above === other) return true
  return false
}
