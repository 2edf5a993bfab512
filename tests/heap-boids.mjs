// As heap.mjs, of boids: what 10,000 steps leave on the JavaScript heap, and what one makes, in bytes.

import { Boids } from 'limber/core'
import { BoxGeometry, MeshBasicMaterial, Object3D, Vector3 } from 'three'
import { backends } from './backends.mjs'
import { report } from './heap-measure.mjs'

const limber = await backends[process.argv[2]]()
const [rock, bait] = [new Object3D(), new Object3D()]
const ball = { kind: 'sphere', center: [0.3, 0, 0], radius: 0.1 }
const pointer = { position: new Vector3(), direction: [0, 0, 1], weight: 0.1 }
const boids = new Boids(limber, {
  bounds: { kind: 'box', min: [-1, -1, -1], max: [1, 1, 1] },
  species: [{ count: 50 }, { count: 3, hunts: [0] }],
  obstacles: [ball, { kind: 'box', center: [0, 0, 0], halfExtents: [0.1, 0.2, 0.1], follow: rock }],
  attractors: [
    { object: bait },
    {
      path: [
        [0, 0, 0],
        [1, 0, 0],
      ],
    },
    { boid: 7, radius: 0.5 },
  ],
  repellers: [pointer, { position: [0, 0.5, 0] }],
})
boids.onDiverge = () => {}
boids.instancedMesh(new BoxGeometry(), new MeshBasicMaterial())
boids.instancedMesh(new BoxGeometry(), new MeshBasicMaterial(), { species: 1 })
const sheet = new Boids(limber, { dimensions: 2, topological: true })

let frame = 0
function drive() {
  frame = (frame + 1) % 600
  rock.position.x = bait.position.y = pointer.position.x = frame / 600
  pointer.weight = frame / 6000
  boids.obstacles.set(0, ball)
}
const stepped = () => {
  boids.step(1 / 60)
  sheet.step(1 / 60)
}

report(drive, stepped)
limber.dispose()
