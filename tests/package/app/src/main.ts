import * as THREE from 'three'
import { Cloth, load, LimberError, type ClothGridSetup } from 'limber'
import { CLOTH_OPTIONS_DEFAULTS, type Backend, type Collider } from 'limber/core'

declare global {
  interface Window {
    result?: { target: string; steps: number; hash: string; refused: string; lowest: number }
  }
}

const limber: Backend = await load()
const body: Collider[] = [{ kind: 'capsule', a: [0, 0.9, 0], b: [0, 1.5, 0], radius: 0.2 }]
const setup: ClothGridSetup = {
  columns: 12,
  rows: 17,
  pinned: 'top',
  iterations: CLOTH_OPTIONS_DEFAULTS.iterations,
  stiffness: { bend: 0.3 },
  colliders: body,
  place: (i, j, out) => out.set((i / 11 - 0.5) * 0.54, 1.5 - (j / 16) * 1.2, -0.24),
}
const cape = Cloth.grid(limber, setup)
const renderer = new THREE.WebGLRenderer()
document.body.append(renderer.domElement)
const camera = new THREE.PerspectiveCamera(50, 1, 0.1, 10)
camera.position.set(0, 1, 3)
const scene = new THREE.Scene()
scene.add(new THREE.Mesh(cape.geometry, new THREE.MeshNormalMaterial({ side: THREE.DoubleSide })))

let steps = 0
for (let frame = 0; frame < 60; frame++) steps += cape.step(1 / 60)
renderer.render(scene, camera)

let refused = ''
try {
  cape.configure({ iterations: 0 })
} catch (error) {
  if (error instanceof LimberError) refused = `${error.code}: ${error.message}`
}
window.result = { target: limber.target, steps, hash: cape.hash(), refused, lowest: cape.positions[203 * 3 + 1]! }
