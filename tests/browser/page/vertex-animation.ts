import * as THREE from 'three'
import { MeshNormalNodeMaterial, MeshStandardNodeMaterial, WebGPURenderer } from 'three/webgpu'
import { VertexAnimation } from 'limber'
import { vertexAnimationNodes } from 'limber/vertex-animation-nodes'

export type Kind = 'webgl' | 'webgpu' | 'webgpu-webgl'
export type Scene = 'normals' | 'shadows' | 'point' | 'crowd' | 'many'

/** What was recorded at a time: `[x, y, z] × vertices` each. */
export interface Shot {
  time: number
  positions: number[]
  normals: number[]
}

const SIZE = 256

/** Draws a file at a time, and plain meshes of what was recorded; `wrong` counts pixels that differ by more than a trace. */
async function compare(kind: Kind, scene: Scene, bytes: number[], shots: Shot[]) {
  const renderer =
    kind === 'webgl'
      ? new THREE.WebGLRenderer()
      : new WebGPURenderer({ forceWebGL: kind === 'webgpu-webgl', antialias: false })
  // What is read back: the canvas of a headless browser without a screen holds nothing.
  const target = new THREE.WebGLRenderTarget(SIZE, SIZE)
  renderer.setClearColor(0x000000, 1)
  renderer.shadowMap.enabled = true
  if (renderer instanceof WebGPURenderer) await renderer.init()
  const animation = VertexAnimation.parse(Uint8Array.from(bytes))
  const look = lookOf(kind, scene, animation)
  const plain = bareOf(scene) ? new THREE.MeshNormalMaterial() : new THREE.MeshStandardMaterial()
  plain.side = THREE.DoubleSide
  const crowd = scene === 'crowd' || scene === 'many'
  const places = [-0.6, 0, 0.6].map((z) => new THREE.Matrix4().makeRotationY(z).setPosition(0.3 * z, 0.5 * z, z))
  const camera = new THREE.OrthographicCamera(-0.2, 1.6, 3.2, 1.4, 0, 20)
  camera.position.set(0, 0, 5)

  const draw = async (...objects: THREE.Object3D[]) => {
    const world = new THREE.Scene().add(...objects)
    if (scene === 'shadows' || scene === 'point') world.add(...lit(scene))
    for (const object of objects) object.castShadow = object.receiveShadow = true
    renderer.setRenderTarget(target as never)
    renderer.render(world, camera)
    if (renderer instanceof WebGPURenderer) {
      return (await renderer.readRenderTargetPixelsAsync(target, 0, 0, SIZE, SIZE)) as Uint8Array
    }
    const pixels = new Uint8Array(SIZE * SIZE * 4)
    renderer.readRenderTargetPixels(target, 0, 0, SIZE, SIZE, pixels)
    return pixels
  }
  const recorded = ({ positions, normals }: Shot) => {
    const geometry = new THREE.BufferGeometry().setIndex(animation.geometry.index)
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(positions, 3))
    geometry.setAttribute('normal', new THREE.Float32BufferAttribute(normals, 3))
    return new THREE.Mesh(geometry, plain)
  }

  const drawn: { covered: number; wrong: number; unlike: number }[] = []
  if (crowd) {
    // All at once, each at a time of its own.
    const offsets = shots.map(({ time }) => time - 0.1)
    // So many that WebGPURenderer does not put their places into a uniform buffer; all but a few are out of sight.
    if (scene === 'many') for (let i = 0; i < 2000; i++) offsets.push(i / 1000)
    const mesh = animation.instancedMesh(offsets, look)
    const away = new THREE.Matrix4().setPosition(100, 0, 0)
    for (let i = 0; i < offsets.length; i++) mesh.setMatrixAt(i, places[i] ?? away)
    animation.setTime(0.1)
    const shown = await draw(mesh)
    const others = shots.map((shot, i) => {
      const other = recorded(shot)
      other.applyMatrix4(places[i]!)
      return other
    })
    const expected = await draw(...others)
    animation.setTime(0)
    drawn.push({ covered: covered(shown), wrong: changed(shown, expected), unlike: changed(shown, await draw(mesh)) })
  } else {
    const mesh = animation.mesh(look)
    for (const shot of shots) {
      animation.setTime(shot.time)
      const shown = await draw(mesh)
      const expected = await draw(recorded(shot))
      animation.setTime(shot.time > 1 ? 0 : animation.duration)
      drawn.push({ covered: covered(shown), wrong: changed(shown, expected), unlike: changed(shown, await draw(mesh)) })
    }
  }
  const backend =
    renderer instanceof WebGPURenderer ? (renderer.backend as { isWebGPUBackend?: boolean }).isWebGPUBackend : undefined
  animation.dispose()
  renderer.dispose()
  return { drawn, webgpu: backend === true, compact: animation.compact }
}

/** A light that throws the flag's shadow onto a wall, and the wall. */
function lit(scene: 'shadows' | 'point'): THREE.Object3D[] {
  const light = scene === 'shadows' ? new THREE.DirectionalLight(0xffffff, 3) : new THREE.PointLight(0xffffff, 60, 0, 2)
  light.castShadow = true
  light.position.set(-1, 4, 4)
  light.shadow.mapSize.set(512, 512)
  light.shadow.bias = -0.002
  light.shadow.normalBias = 0.02
  if (light instanceof THREE.DirectionalLight) {
    light.target.position.set(0.6, 2.2, 0)
    const { camera } = light.shadow as THREE.DirectionalLightShadow
    Object.assign(camera, { left: -2, right: 2, top: 2, bottom: -2, near: 0.1, far: 12 })
  }
  const wall = new THREE.Mesh(new THREE.PlaneGeometry(6, 6), new THREE.MeshStandardMaterial())
  wall.position.set(0.7, 2.2, -1)
  wall.receiveShadow = true
  return light instanceof THREE.DirectionalLight ? [light, light.target, wall] : [light, wall]
}

function bareOf(scene: Scene): boolean {
  return scene !== 'shadows' && scene !== 'point'
}

function lookOf(kind: Kind, scene: Scene, animation: VertexAnimation): THREE.Material {
  const side = THREE.DoubleSide
  const bare = bareOf(scene)
  if (kind === 'webgl')
    return bare ? animation.apply(new THREE.MeshNormalMaterial({ side })) : animation.material({ side })
  const look = bare ? new MeshNormalNodeMaterial({ side }) : new MeshStandardNodeMaterial({ side })
  look.positionNode = vertexAnimationNodes(animation).positionNode
  return look
}

/** Pixels that are not background. */
function covered(pixels: Uint8Array): number {
  let count = 0
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i]! + pixels[i + 1]! + pixels[i + 2]! > 0) count += 1
  return count
}

/** Pixels that differ by more than a trace. */
function changed(a: Uint8Array, b: Uint8Array): number {
  let count = 0
  for (let i = 0; i < a.length; i += 4) {
    if (Math.abs(a[i]! - b[i]!) + Math.abs(a[i + 1]! - b[i + 1]!) + Math.abs(a[i + 2]! - b[i + 2]!) > 24) count += 1
  }
  return count
}

declare global {
  interface Window {
    compareVAT?: typeof compare
  }
}

window.compareVAT = compare
