import * as THREE from 'three'
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js'
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'

const SIZE = 128

/** What a file shows at some time. */
export interface Shown {
  /** Pixels that are not background. */
  covered: number
  /** `[x, y, z]` of some vertices of each mesh that morphs, world, by the names of the nodes that an animation weights. */
  vertices: Record<string, number[]>
  /** `[x, y, z, w]` of each node that is turned. */
  turns: Record<string, number[]>
}

const renderer = new THREE.WebGLRenderer({ antialias: false })
renderer.setSize(SIZE, SIZE, false)
document.body.append(renderer.domElement)

/** Plays the last animation of a file, and says what there is to be seen at each of `times`. Every `stride`-th vertex is told. */
async function play(base64: string, times: readonly number[], stride: number): Promise<Shown[]> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  const { scene, animations } = await new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).parseAsync(bytes.buffer, '')
  const clip = animations.at(-1)!
  const stage = new THREE.Scene().add(scene)
  // What has no mesh, as bones have none, is shown as its axes.
  scene.traverse((object) => void ('isBone' in object && object.add(new THREE.AxesHelper(0.2))))
  if (!scene.getObjectByProperty('type', 'Mesh'))
    scene.children.forEach((child) => child.add(new THREE.AxesHelper(0.2)))
  stage.add(new THREE.HemisphereLight(0xffffff, 0x888888, 3))
  const mixer = new THREE.AnimationMixer(scene)
  mixer.clipAction(clip).play()
  const camera = new THREE.PerspectiveCamera(50, 1, 0.01, 1000)
  const shown: Shown[] = []
  for (const time of times) {
    mixer.setTime(Math.min(time, clip.duration * (1 - 1e-7)))
    scene.updateMatrixWorld(true)
    const box = new THREE.Box3().setFromObject(scene, true)
    const middle = box.getCenter(new THREE.Vector3())
    const reach = Math.max(box.getSize(new THREE.Vector3()).length(), 0.1)
    camera.position.copy(middle).add(new THREE.Vector3(0.5, 0.3, 1).multiplyScalar(reach))
    camera.lookAt(middle)
    renderer.render(stage, camera)
    const now: Shown = { covered: covered(), vertices: {}, turns: {} }
    const place = new THREE.Vector3()
    for (const { name } of clip.tracks) {
      const [node, path] = name.split('.') as [string, string]
      const object = scene.getObjectByName(node) ?? scene.getObjectByProperty('uuid', node)
      if (!object) continue
      if (path === 'quaternion') now.turns[node] = object.quaternion.toArray()
      if (path !== 'morphTargetInfluences') continue
      const mesh = ('isMesh' in object ? object : object.children.find((child) => 'isMesh' in child)) as THREE.Mesh
      const list: number[] = []
      for (let v = 0; v < mesh.geometry.getAttribute('position').count; v += stride) {
        list.push(...mesh.localToWorld(mesh.getVertexPosition(v, place)).toArray())
      }
      now.vertices[object.name] = list
    }
    shown.push(now)
  }
  return shown
}

function covered(): number {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = SIZE
  const context = canvas.getContext('2d', { willReadFrequently: true })!
  // In the same task, while the drawing buffer still holds the frame.
  context.drawImage(renderer.domElement, 0, 0)
  const { data } = context.getImageData(0, 0, SIZE, SIZE)
  let count = 0
  for (let i = 0; i < data.length; i += 4) if (data[i]! + data[i + 1]! + data[i + 2]! > 0) count += 1
  return count
}

declare global {
  interface Window {
    files?: { play: typeof play }
  }
}
window.files = { play }
