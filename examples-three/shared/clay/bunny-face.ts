import * as THREE from 'three'
import type { Clay } from './clay'

const BACK = new THREE.Vector3(0, 0, -1)

/** 표정 (0~1): 눈 감음 · 놀라 커진 눈 · 웃음, 겁에 질려 작아진 눈동자 · 어질어질 */
export interface Expression {
  blink: number
  wide: number
  happy: number
  fright?: number
  dizzy?: number
}

/** 표면을 따라가는 가는 끈 */
function cord(points: THREE.Vector3[], radius: number, pieces = 14): THREE.TubeGeometry {
  return new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), pieces, radius, 6)
}

/** 눈앞에서 빙글거리는 소용돌이 */
function spiral(): THREE.TubeGeometry {
  const points = Array.from({ length: 36 }, (_, k) => {
    const angle = (k / 35) * Math.PI * 5
    const r = 0.006 + (k / 35) * 0.074
    return new THREE.Vector3(Math.cos(angle) * r, Math.sin(angle) * r, 0.016 - r * r * 1.6)
  })
  return cord(points, 0.0088, 90)
}

interface Eye {
  pupil: THREE.Group
  white: THREE.Mesh | undefined
  lid: THREE.Mesh
  spiral: THREE.Mesh | undefined
}

/** 눈 · 코 · 입. 머리뼈에 붙는다. ▶ 진짜 모델이라면 표정 모프 타깃으로 바꾸면 된다. */
export class BunnyFace {
  readonly group = new THREE.Group()
  #eyes: Eye[] = []
  #smile: THREE.Mesh
  #gasp: THREE.Mesh
  #wobble: THREE.Mesh | undefined
  #made: { dispose(): void }[] = []

  /** skull: 머리뼈의 쉬는 자리. lift: 머리가 얹힌 높이. comic: 겁과 어질어질까지 지을 수 있다. */
  constructor(clay: Clay, skull: THREE.Vector3, { lift = 0, comic = false } = {}) {
    // 얼굴 앞면의 점: 앞(+z)에서 쏘아 닿은 자리 (머리뼈 기준)
    const touch = (x: number, y: number) => clay.touch(new THREE.Vector3(x, y + lift, 0.8), BACK)
    const onFace = (x: number, y: number, out = 0): THREE.Vector3 => {
      const { point, normal } = touch(x, y)
      return point.addScaledVector(normal, out).sub(skull)
    }
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
    const swirl = comic ? this.#keep(spiral()) : undefined
    const pale = comic ? this.#keep(new THREE.MeshStandardMaterial({ color: '#fffaf2', roughness: 0.35 })) : undefined
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
      const { normal } = touch(side * 0.158, 0.91)
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
      this.#eyes.push({
        pupil: group,
        white: pale && add(socket, ball, pale, new THREE.Vector3(0, 0, -0.004), [0.084, 0.108, 0.03]),
        lid,
        spiral: swirl && add(socket, swirl, dark, new THREE.Vector3(0, 0, 0.008), [side, 1, 1]),
      })
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
    if (!comic) return
    const wave = Array.from({ length: 15 }, (_, k) => {
      const x = (k / 14 - 0.5) * 0.17
      return onFace(x, 0.752 + 0.014 * Math.sin((k / 14) * Math.PI * 5), 0.003)
    })
    this.#wobble = add(this.group, this.#keep(cord(wave, 0.008, 40)), line, new THREE.Vector3())
  }

  /** 눈을 감고 뜨고, 놀라고, 웃는다. time(초)은 소용돌이를 돌린다. */
  show({ blink, wide, happy, fright = 0, dizzy = 0 }: Expression, time = 0): void {
    const dazed = dizzy > 0.5
    const shut = Math.max(blink, happy)
    const open = 1 - shut
    for (const { pupil, white, lid, spiral } of this.#eyes) {
      const small = 1 - fright * 0.5
      pupil.scale.set(
        (1 + wide * 0.1 - shut * 0.1) * small,
        Math.max(0.06, open) * (1 + wide * 0.14) * small,
        Math.max(0.3, open),
      )
      pupil.position.z = fright * 0.016
      pupil.visible = open > 0.24 && !dazed
      lid.visible = open <= 0.24 && !dazed
      lid.scale.y = happy > blink || blink > 0.999 ? 1 : -0.75
      if (!white || !spiral) continue
      white.visible = pupil.visible && fright > 0.05
      white.scale.set(0.084, 0.108 * open, 0.03).multiplyScalar(0.72 + 0.36 * fright)
      spiral.visible = dazed
      spiral.rotation.z = -time * 5
    }
    const gasp = Math.max(0, wide - 0.3) / 0.7
    this.#smile.visible = gasp === 0 && !dazed
    if (this.#wobble) this.#wobble.visible = dazed
    this.#gasp.visible = gasp > 0 && !dazed
    this.#gasp.scale.set(0.024 + 0.006 * gasp + 0.012 * fright, 0.012 + 0.024 * gasp + 0.018 * fright, 0.014)
  }

  dispose(): void {
    for (const thing of this.#made) thing.dispose()
  }

  #keep<T extends { dispose(): void }>(thing: T): T {
    this.#made.push(thing)
    return thing
  }
}
