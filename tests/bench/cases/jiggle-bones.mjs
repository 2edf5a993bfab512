/**
 * Jiggle bones against three-vrm's spring bones, against the sheet's solver in plain JavaScript, and the addon against
 * WebAssembly.
 *
 * A frame starts with the roots moved, and ends with every `bone.quaternion` set and every `bone.rotation` in accord with it. What
 * each side needs of the matrices above its bones is in its time. The update of all matrices for drawing, which costs every side
 * the same, is in none.
 *
 * Frames are of 1/60 s: two steps of the sheet and of Limber, and one of three-vrm, which knows no other.
 */
import { Quaternion, Vector3 } from 'three'
import { compare, race } from '../measure.mjs'
import { SheetJiggle } from '../peers/sheet-jiggle.mjs'
import { VrmJiggle } from '../peers/vrm-jiggle.mjs'
import { FRAME, move, readTips, rig } from '../rigs.mjs'

/** @typedef {import('../rigs.mjs').Rig} Rig */
/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {import('../bench.mjs').Row} Row */
/** @typedef {{step(dt: number): void, dispose?(): void}} Solver */
/** @typedef {{name: string, build(rig: Rig, options?: object): Solver}} Subject */

/** Chains of the rigs that results are looked at on, and steps of the sheet for which they are. */
const WATCHED = 50
const WATCH = 360
/** Metres that a tip may be from the sheet's when both take the same steps: the golden's 1e-4, for four times its frames. */
const TIP_SLACK = 4e-4
/** How much a bone's length may change, as a share of it. */
const LENGTH_SLACK = 1e-5
/** Sine of half the angle between `rotation` and `quaternion`: what f32 allows near a gimbal lock. */
const ROTATION_SLACK = 5e-4

/** @type {Subject} */
const sheet = { name: 'plain JS', build: (made) => new SheetJiggle(made) }
/** @type {Subject} */
const leanSheet = { name: 'lean JS', build: (made) => new SheetJiggle(made, { lean: true }) }
/** @type {Subject} */
const vrm = { name: 'three-vrm', build: (made) => new VrmJiggle(made) }

/** @param {import('../bench.mjs').LimberSubject & {JiggleBones?: any}} subject @returns {Subject} */
const limberSubject = ({ name, limber, JiggleBones }) => ({
  name,
  build: ({ chains }, options) => new JiggleBones(limber, chains, options),
})

/** A racer that moves roots and swings their chains. @param {Subject} subject @param {number} roots @param {number} chains on each */
function swinger(subject, roots, chains) {
  const made = rig(roots, chains)
  const solver = subject.build(made)
  let t = 0
  return {
    name: subject.name,
    run() {
      t += FRAME
      move(made, t)
      solver.step(FRAME)
    },
    dispose: () => solver.dispose?.(),
  }
}

/**
 * Why a result is worse than the sheet's, or nothing: with the sheet's frames, tips that are not the sheet's; with those that are
 * timed, bones that change their length or turn by other angles than their quaternions.
 * @param {Subject} subject
 */
function worse(subject) {
  const [ours, theirs] = [rig(1, WATCHED), rig(1, WATCHED)]
  const [found, wanted] = [ours, theirs].map(
    ({ chains }) => new Float64Array(chains.length * chains[0].bones.length * 3),
  )
  const same = subject.build(ours, { interpolate: false })
  const yardstick = new SheetJiggle(theirs)
  for (let s = 1; s <= WATCH; s++) {
    for (const made of [ours, theirs]) move(made, s / 120)
    for (const solver of [same, yardstick]) solver.step(1 / 120)
    readTips(ours, found)
    readTips(theirs, wanted)
    const apart = found.reduce((most, v, i) => larger(most, Math.abs(v - wanted[i])), 0)
    if (!(apart <= TIP_SLACK)) return `a tip ${(apart * 1000).toFixed(2)} mm from the sheet's after ${s} steps`
  }
  same.dispose?.()

  const shown = rig(1, WATCHED)
  const solver = subject.build(shown)
  for (let s = 1; s <= WATCH / 2; s++) {
    move(shown, s * FRAME)
    solver.step(FRAME)
    readTips(shown, found)
    let o = 0
    for (const { bones, tip } of shown.chains)
      for (const [b, bone] of bones.entries()) {
        const long = (bones[b + 1]?.position ?? tip).length()
        const length = head.setFromMatrixPosition(bone.matrixWorld).distanceTo(end.fromArray(found, o))
        if (!(Math.abs(length / long - 1) <= LENGTH_SLACK)) return `a bone of ${long} m is ${length} m long`
        turn.setFromEuler(bone.rotation).multiply(back.copy(bone.quaternion).conjugate())
        if (!(Math.hypot(turn.x, turn.y, turn.z) <= ROTATION_SLACK)) return 'a rotation that is not its quaternion'
        o += 3
      }
  }
  solver.dispose?.()
}

const head = new Vector3()
const end = new Vector3()
const turn = new Quaternion()
const back = new Quaternion()

/** The larger of two, NaN if one is. @param {number} a @param {number} b */
function larger(a, b) {
  return a >= b || Number.isNaN(a) ? a : b
}

/** A thousand bones on one root. */
const thousand = {
  name: 'jiggle-1000',
  /** @param {Bench} bench @returns {Promise<Row[]>} */
  async run(bench) {
    const [wasm, addon] = (await bench.limber()).map(limberSubject)
    const racers = [wasm, addon, vrm, sheet, leanSheet].map((subject) => swinger(subject, 1, 250))
    const [wasmMs, addonMs, vrmMs, sheetMs, leanMs] = race(racers, bench.effort)
    racers.forEach((racer) => racer.dispose())
    const [wasmWorse, addonWorse] = [wasm, addon].map(worse)
    /** @param {Subject} peer @param {number[]} peerMs @param {import('../bench.mjs').Goal} [goal] @returns {Row} */
    const row = (peer, peerMs, goal) => ({
      subject: wasm.name,
      peer: peer.name,
      ...compare(wasmMs, peerMs),
      goal: goal && { ratio: goal },
      worse: wasmWorse,
    })
    return [
      row(vrm, vrmMs, { required: 4, aim: 8 }),
      row(sheet, sheetMs, { required: 6, aim: 12 }),
      { ...row(leanSheet, leanMs), note: 'the sheet without the matrix updates it makes twice' },
      {
        subject: addon.name,
        peer: wasm.name,
        ...compare(addonMs, wasmMs),
        goal: { ratio: { required: 0.95 } },
        worse: addonWorse,
      },
    ]
  },
}

/** Characters of twelve bones in one call a frame: a bone costs the same however many there are. */
const characters = {
  name: 'jiggle-characters',
  /** @param {Bench} bench @returns {Promise<Row[]>} */
  async run(bench) {
    const [wasm] = (await bench.limber()).map(limberSubject)
    const crowds = [10, 100, 400]
    const racers = crowds.flatMap((crowd) => [wasm, sheet].map((subject) => swinger(subject, crowd, 3)))
    const times = race(racers, bench.effort)
    racers.forEach((racer) => racer.dispose())
    const reason = worse(wasm)
    return crowds.map((crowd, c) => {
      const row = compare(times[2 * c], times[2 * c + 1])
      const nanoseconds = (/** @type {number} */ ms) => ((ms * 1e6) / (crowd * 12)).toFixed(0)
      return {
        subject: `${wasm.name} ×${crowd}`,
        peer: sheet.name,
        ...row,
        worse: reason,
        note: `${nanoseconds(row.subjectMs)} ns a bone; ${nanoseconds(row.peerMs)} in the peer`,
      }
    })
  },
}

export const cases = [thousand, characters]
