import * as THREE from 'three'
import { clay } from './bunny-shape'
import type { Pose } from './hop'
import { restOf } from './rig'

const BACK = new THREE.Vector3(0, 0, -1)
const skull = restOf('skull')

/** 얼굴 앞면의 점: 앞(+z)에서 쏘아 닿은 자리 (머리뼈 기준) */
function onFace(x: number, y: number, lift = 0): THREE.Vector3 {
  const { point, normal } = clay.touch(new THREE.Vector3(x, y, 0.8), BACK)
  return point.addScaledVector(normal, lift).sub(skull)
}

/** 표면을 따라가는 가는 끈 */
function cord(points: THREE.Vector3[], radius: number): THREE.TubeGeometry {
  return new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 14, radius, 6)
}

interface Eye {
  ball: THREE.Group
  lid: THREE.Mesh
}

/** 눈 · 코 · 입. 머리뼈에 붙는다. ▶ 진짜 모델이라면 표정 모프 타깃으로 바꾸면 된다. */
export class Face {
  readonly group = new THREE.Group()
  #eyes: Eye[] = []
  #smile: THREE.Mesh
  #gasp: THREE.Mesh
  #made: { dispose(): void }[] = []

  constructor() {
    const dark = this.#keep(new THREE.MeshStandardMaterial({ color: '#3a2320', roughness: 0.16 }))
    const line = this.#keep(new THREE.MeshStandardMaterial({ color: '#5b332d', roughness: 0.6 }))
    const shine = this.#keep(new THREE.MeshBasicMaterial({ color: '#ffffff' }))
    const rose = this.#keep(new THREE.MeshStandardMaterial({ color: '#ef7d86', roughness: 0.4 }))
    const ball = this.#keep(new THREE.SphereGeometry(1, 24, 16))
    const bead = this.#keep(new THREE.SphereGeometry(1, 10, 8))
    const arc = this.#keep(
      cord(
        [-1, -0.55, 0, 0.55, 1].map((s) => new THREE.Vector3(s * 0.058, 0.02 - s * s * 0.034, 0.012 - s * s * 0.006)),
        0.0095,
      ),
    )
    const add = (
      parent: THREE.Object3D,
      geometry: THREE.BufferGeometry,
      material: THREE.Material,
      at: THREE.Vector3,
      size: readonly [number, number, number] = [1, 1, 1],
    ): THREE.Mesh => {
      const mesh = new THREE.Mesh(geometry, material)
      mesh.position.copy(at)
      mesh.scale.set(...size)
      parent.add(mesh)
      return mesh
    }
    for (const side of [1, -1]) {
      const { normal } = clay.touch(new THREE.Vector3(side * 0.158, 0.91, 0.8), BACK)
      const socket = new THREE.Group()
      socket.position.copy(onFace(side * 0.158, 0.91, -0.006))
      socket.lookAt(
        socket.position
          .clone()
          .addScaledVector(normal, 1)
          .setY(socket.position.y + normal.y * 0.6),
      )
      const group = new THREE.Group()
      add(group, ball, dark, new THREE.Vector3(), [0.064, 0.088, 0.03])
      add(group, bead, shine, new THREE.Vector3(-0.018, 0.034, 0.023), [0.021, 0.024, 0.008])
      add(group, bead, shine, new THREE.Vector3(0.02, -0.038, 0.0235), [0.01, 0.011, 0.005])
      const lid = add(socket, arc, line, new THREE.Vector3())
      socket.add(group)
      this.group.add(socket)
      this.#eyes.push({ ball: group, lid })
    }
    add(this.group, bead, rose, onFace(0, 0.828, -0.004), [0.036, 0.025, 0.024])
    const mouth = [-0.062, -0.05, -0.026, -0.006, 0, 0.006, 0.026, 0.05, 0.062].map((x) =>
      onFace(x, 0.772 - 0.024 * Math.abs(Math.sin((x / 0.062) * Math.PI * 0.94)) ** 0.9, 0.002),
    )
    this.#smile = add(this.group, this.#keep(cord(mouth, 0.0075)), line, new THREE.Vector3())
    add(
      this.group,
      this.#keep(cord([onFace(0, 0.81, 0.001), onFace(0, 0.79, 0.002), onFace(0, 0.773, 0.002)], 0.006)),
      line,
      new THREE.Vector3(),
    )
    this.#gasp = add(
      this.group,
      bead,
      this.#keep(new THREE.MeshStandardMaterial({ color: '#a3414a', roughness: 0.7 })),
      onFace(0, 0.752, -0.004),
    )
  }

  /** 눈을 감고 뜨고, 놀라고, 웃는다. */
  show({ blink, wide, happy }: Pose): void {
    const shut = Math.max(blink, happy)
    const open = 1 - shut
    for (const { ball, lid } of this.#eyes) {
      ball.scale.set(1 + wide * 0.1 - shut * 0.1, Math.max(0.06, open) * (1 + wide * 0.14), Math.max(0.3, open))
      ball.visible = open > 0.24
      lid.visible = !ball.visible
      lid.scale.y = happy > blink || blink > 0.999 ? 1 : -0.75
    }
    this.#smile.scale.setScalar(1)
    this.#smile.visible = wide < 0.3
    const gasp = Math.max(0, wide - 0.3) / 0.7
    this.#gasp.visible = gasp > 0
    this.#gasp.scale.set(0.024 + 0.006 * gasp, 0.012 + 0.024 * gasp, 0.014)
  }

  dispose(): void {
    for (const thing of this.#made) thing.dispose()
  }

  #keep<T extends { dispose(): void }>(thing: T): T {
    this.#made.push(thing)
    return thing
  }
}
