import { JiggleBones } from 'limber/core'
import { Bone, Object3D } from 'three'

/** Two characters that hop and turn: ears of two bones, hair in three strands from one root, a tail with a limit. */
export const name = 'jiggle-bones-hopping'

/** Bones in a row, each at the end of the one before. */
function chain(parent, offsets) {
  return offsets.map((offset) => {
    const bone = new Bone()
    bone.position.set(...offset)
    parent.add(bone)
    parent = bone
    return bone
  })
}

function character(x, scale) {
  const body = new Object3D()
  body.position.x = x
  body.scale.setScalar(scale)
  const head = new Bone()
  head.position.y = 1
  body.add(head)
  const ears = [-0.1, 0.1].map((side) =>
    chain(head, [
      [side, 0.2, 0],
      [side * 0.2, 0.2, 0],
      [0, 0.18, -0.02],
    ]),
  )
  const [hair] = chain(head, [
    [0, 0.25, -0.1],
    [0, 0.05, -0.05],
  ])
  for (const side of [-0.05, 0, 0.05])
    chain(hair, [
      [side, 0, -0.05],
      [side, -0.08, -0.03],
    ])
  const tail = chain(body, [
    [0, 0.3, -0.2],
    [0, 0.02, -0.12],
  ])
  return { body, head, ears, hair, tail }
}

/** @param {import('limber').Backend} limber */
export function create(limber) {
  const characters = [character(-0.5, 1), character(0.5, 0.01)]
  const chains = characters.flatMap(({ head, ears, hair, tail }) => [
    ...ears.map((bones) => ({ bones, tip: [0, 0.15, 0] })),
    { bones: hair, multiplier: 1.3, curves: { stiffness: [1, 0.6] }, radius: 0.01 },
    {
      bones: tail,
      multiplier: 1.6,
      rate: 90,
      inertia: 0.5,
      limit: { kind: 'cone', angle: 0.6 },
      colliders: [{ kind: 'sphere', center: [0, 0.1, 0], radius: 0.2, follow: head }],
    },
  ])
  const jiggle = new JiggleBones(limber, chains, {
    colliders: [{ kind: 'capsule', a: [-1, 1.2, -0.4], b: [1, 1.2, -0.4], radius: 0.2 }],
    gusts: 1,
    seed: 7,
  })
  bodies.set(jiggle, characters)
  return jiggle
}

/** @type {WeakMap<JiggleBones, ReturnType<typeof character>[]>} */
const bodies = new WeakMap()

/** @param {JiggleBones} jiggle @param {number} t seconds */
export function drive(jiggle, t) {
  jiggle.wind.set(3 * Math.sin(0.4 * t), 0, 2)
  bodies.get(jiggle).forEach(({ body, head }, i) => {
    body.position.y = 0.4 * Math.abs(Math.sin(2.6 * t + i))
    body.rotation.y = 0.8 * Math.sin(0.9 * t)
    head.rotation.x = 0.3 * Math.sin(5.2 * t)
  })
}
