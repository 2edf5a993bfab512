import * as THREE from 'three'
import { WebGPURenderer } from 'three/webgpu'
import { Boids, Cloth, load, type Backend } from 'limber'

/** The memories of all instances that were made, to be compared with what attributes hold. */
const memories: WebAssembly.Memory[] = []
const { instantiate } = WebAssembly
WebAssembly.instantiate = (async (...args: Parameters<typeof instantiate>) => {
  const result = await instantiate(...args)
  memories.push((result as unknown as WebAssembly.Instance).exports.memory as WebAssembly.Memory)
  return result
}) as typeof instantiate

const SIZE = 256

/** Draws a cloth, and the same as a plain mesh beside it, and says how they look. */
class View {
  readonly renderer: THREE.WebGLRenderer | WebGPURenderer
  readonly camera = new THREE.OrthographicCamera(-1, 1, 1.8, -0.2, 0, 10)
  readonly material = new THREE.MeshNormalMaterial({ side: THREE.DoubleSide })

  constructor(kind: 'webgl' | 'webgpu') {
    this.renderer =
      kind === 'webgl' ? new THREE.WebGLRenderer() : new WebGPURenderer({ forceWebGL: true, antialias: false })
    this.renderer.setSize(SIZE, SIZE, false)
    this.renderer.setClearColor(0x000000, 1)
    this.camera.position.z = 5
    document.body.append(this.renderer.domElement)
  }

  async ready(): Promise<this> {
    if (this.renderer instanceof WebGPURenderer) await this.renderer.init()
    return this
  }

  /** Pixels of one frame of `object`. */
  draw(object: THREE.Object3D): Uint8ClampedArray {
    const scene = new THREE.Scene().add(object)
    this.renderer.render(scene, this.camera)
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = SIZE
    const context = canvas.getContext('2d', { willReadFrequently: true })!
    // In the same task, while the drawing buffer still holds the frame.
    context.drawImage(this.renderer.domElement, 0, 0)
    return context.getImageData(0, 0, SIZE, SIZE).data
  }
}

/** Pixels that are not background. */
function covered(pixels: Uint8ClampedArray): number {
  let count = 0
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i]! + pixels[i + 1]! + pixels[i + 2]! > 0) count += 1
  return count
}

/** Pixels that differ by more than a trace. */
function changed(a: Uint8ClampedArray, b: Uint8ClampedArray): number {
  let count = 0
  for (let i = 0; i < a.length; i += 4) {
    if (Math.abs(a[i]! - b[i]!) + Math.abs(a[i + 1]! - b[i + 1]!) + Math.abs(a[i + 2]! - b[i + 2]!) > 24) count += 1
  }
  return count
}

const flag = (limber: Backend) =>
  Cloth.grid(limber, { columns: 24, rows: 24, width: 1.4, height: 1.4, pinned: 'top', floor: null, wind: [1, 0, 4] })

/** Where a cloth's attributes lie. */
async function identity() {
  const limber = await load()
  const cloth = flag(limber)
  const { position, normal } = cloth.geometry.attributes as Record<string, THREE.BufferAttribute>
  const facts = () => ({
    position: position === cloth.geometry.attributes.position && position!.array === cloth.positions,
    normal: normal!.array === cloth.normals,
    memory: position!.array.buffer === memories.at(-1)!.buffer && normal!.array.buffer === memories.at(-1)!.buffer,
    dynamic: position!.usage === THREE.DynamicDrawUsage,
    length: position!.array.length,
  })
  const start = facts()
  const { positions } = cloth
  for (let i = 0; i < 100; i++) cloth.step(1 / 60)
  const stepped = { ...facts(), same: cloth.positions === positions }
  const size = memories.at(-1)!.buffer.byteLength
  for (let i = 0; i < 40; i++) Cloth.grid(limber, { columns: 96, rows: 96 })
  const grown = { ...facts(), more: memories.at(-1)!.buffer.byteLength > size }
  limber.dispose()
  return { target: limber.target, start, stepped, grown }
}

/** A cloth drawn through its whole life; `wrong` counts pixels that a plain mesh of the same arrays does not have. */
async function life(kind: 'webgl' | 'webgpu') {
  const view = await new View(kind).ready()
  const limber = await load()
  const cloth = flag(limber)
  const mesh = new THREE.Mesh(cloth.geometry, view.material)
  const look = () => {
    const pixels = view.draw(mesh)
    const copy = new THREE.BufferGeometry().setIndex(cloth.geometry.index)
    copy.setAttribute('position', new THREE.BufferAttribute(cloth.positions.slice(), 3))
    copy.setAttribute('normal', new THREE.BufferAttribute(cloth.normals.slice(), 3))
    const expected = view.draw(new THREE.Mesh(copy, view.material))
    copy.dispose()
    return { pixels, covered: covered(pixels), wrong: changed(pixels, expected) }
  }
  const frames = (count: number) => {
    for (let i = 0; i < count; i++) cloth.step(1 / 60)
  }
  const start = look()
  frames(30)
  const moved = look()
  const { buffer } = cloth.positions
  for (let i = 0; i < 200; i++) Cloth.grid(limber, { columns: 48, rows: 48 })
  const grew = buffer.byteLength === 0
  const afterGrowth = look()
  frames(30)
  const movedOn = look()
  cloth.dispose()
  const disposed = look()
  limber.dispose()
  const all = { start, moved, afterGrowth, movedOn, disposed }
  return {
    grew,
    covered: Object.values(all).map((one) => one.covered),
    wrong: Object.values(all).map((one) => one.wrong),
    changed: {
      start: changed(start.pixels, moved.pixels),
      growth: changed(moved.pixels, afterGrowth.pixels),
      moving: changed(afterGrowth.pixels, movedOn.pixels),
      disposing: changed(movedOn.pixels, disposed.pixels),
    },
  }
}

/** Boids as instances through their whole life; `wrong` counts pixels that a mesh with copies of the matrices does not have. */
async function flock(kind: 'webgl' | 'webgpu', count: number) {
  const view = await new View(kind).ready()
  const limber = await load()
  const boids = new Boids(limber, {
    count,
    bounds: { kind: 'box', min: [-1, -0.2, -1], max: [1, 1.8, 1] },
    speed: { min: 1, max: 2 },
  })
  const size = 0.6 / Math.cbrt(count)
  const shape = new THREE.ConeGeometry(size / 3, size, 5).rotateX(Math.PI / 2)
  const mesh = boids.instancedMesh(shape, view.material)
  const look = () => {
    const pixels = view.draw(mesh)
    const copy = new THREE.InstancedMesh(shape, view.material, count)
    copy.instanceMatrix.array.set(boids.matrices)
    const expected = view.draw(copy)
    copy.dispose()
    return { pixels, covered: covered(pixels), wrong: changed(pixels, expected) }
  }
  const frames = (frames: number) => {
    for (let i = 0; i < frames; i++) boids.step(1 / 60)
  }
  const start = look()
  frames(30)
  const moved = look()
  const { buffer } = boids.matrices
  for (let i = 0; i < 200; i++) Cloth.grid(limber, { columns: 48, rows: 48 })
  const grew = buffer.byteLength === 0
  const own = mesh.instanceMatrix.array.buffer === memories.at(-1)!.buffer
  const afterGrowth = look()
  frames(30)
  const movedOn = look()
  boids.dispose()
  const disposed = look()
  limber.dispose()
  const all = { start, moved, afterGrowth, movedOn, disposed }
  return {
    grew,
    own,
    covered: Object.values(all).map((one) => one.covered),
    wrong: Object.values(all).map((one) => one.wrong),
    changed: {
      start: changed(start.pixels, moved.pixels),
      growth: changed(moved.pixels, afterGrowth.pixels),
      moving: changed(afterGrowth.pixels, movedOn.pixels),
      disposing: changed(movedOn.pixels, disposed.pixels),
    },
  }
}

const tests = { identity, life, flock }

declare global {
  interface Window {
    tests?: typeof tests
  }
}

window.tests = tests
