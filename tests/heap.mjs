// What 10,000 steps leave on the JavaScript heap, and what one makes, in bytes. Run with --expose-gc and a backend's name.

import { Cloth } from 'limber/core'
import { Bone } from 'three'
import { backends } from './backends.mjs'
import { report } from './heap-measure.mjs'

const limber = await backends[process.argv[2]]()
const bone = new Bone()
const capsule = { kind: 'capsule', a: [0, 0, 0.3], b: [0, -1, 0.3], radius: 0.2 }
const plane = { kind: 'plane', normal: [0, 1, 0.1], offset: -3 }
const tapered = { kind: 'taperedCapsule', a: [0, 0, 0.3], b: [0, -1, 0.3], radiusA: 0.2, radiusB: 0.1 }
const box = { kind: 'box', center: [0, -2, 0], halfExtents: [0.4, 0.1, 0.4], rotation: [0, 0.1, 0, 1] }
const room = { kind: 'sphere', center: [0, 0, 0], radius: 5, inside: true, friction: 0.2 }
const solids = [capsule, plane, tapered, box, room]
const cape = Cloth.grid(limber, {
  columns: 12,
  rows: 17,
  width: 0.5,
  height: 1.2,
  pinned: 'top',
  colliders: [...solids, ...solids.map((solid) => ({ ...solid, follow: bone }))],
})
cape.attach(cape.pins.vertices, bone)
cape.onDiverge = () => {}

let frame = 0
const stepped = () => {
  frame = (frame + 1) % 1000
  bone.position.x = (frame % 100) / 100
  cape.wind.x = frame % 10
  for (let k = 0; k < solids.length; k++) cape.colliders.set(k, solids[k])
  cape.step(1 / 60)
}

// What moves it is to make nothing either.
report(() => {}, stepped, 15_000)
limber.dispose()
