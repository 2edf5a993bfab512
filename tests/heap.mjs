// What 10,000 steps leave on the JavaScript heap, and what one makes, in bytes. Run with --expose-gc and a backend's name.

import { Cloth } from 'limber/core'
import { Bone } from 'three'
import { backends } from './backends.mjs'

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

function run(steps) {
  for (let i = 0; i < steps; i++) {
    bone.position.x = (i % 100) / 100
    cape.wind.x = i % 10
    for (let k = 0; k < solids.length; k++) cape.colliders.set(k, solids[k])
    cape.step(1 / 60)
  }
}

const used = () => process.memoryUsage().heapUsed

run(15_000)

// The compiler's own bookkeeping may fall into a round and only adds to it: the least of some is what steps keep and make.
let kept = Infinity
for (let round = 0; round < 2; round++) {
  gc()
  gc()
  const before = used()
  run(10_000)
  gc()
  gc()
  kept = Math.min(kept, used() - before)
}

// Few enough steps for no collection to come between.
let made = Infinity
for (let round = 0; round < 5; round++) {
  gc()
  const start = used()
  run(1000)
  made = Math.min(made, (used() - start) / 1000)
}
process.stdout.write(JSON.stringify({ kept, made }))
limber.dispose()
