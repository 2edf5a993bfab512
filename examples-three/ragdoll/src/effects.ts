import * as THREE from 'three'
import { seeded } from '../../shared/random'
import { paint } from '../../shared/textures'

const random = seeded(41)
const spread = (): number => random() * 2 - 1

/** 모서리가 둥근 별 */
function starGeometry(size: number): THREE.BufferGeometry {
  const shape = new THREE.Shape()
  for (let k = 0; k < 10; k++) {
    const angle = (k / 10) * Math.PI * 2 + Math.PI / 2
    const r = size * (k % 2 ? 0.5 : 1)
    shape[k ? 'lineTo' : 'moveTo'](Math.cos(angle) * r, Math.sin(angle) * r)
  }
  shape.closePath()
  const round = size * 0.22
  return new THREE.ExtrudeGeometry(shape, {
    depth: size * 0.2,
    bevelThickness: round,
    bevelSize: round,
    bevelOffset: -round * 0.4,
    bevelSegments: 4,
  }).center()
}

interface Star {
  mesh: THREE.Mesh
  velocity: THREE.Vector3
  spin: number
  age: number
}

/** 별: 맞은 곳에서 모자를 벗듯 솟구치고, 어질어질할 때는 머리 위를 돈다. */
export class Stars {
  readonly group = new THREE.Group()
  #material = new THREE.MeshStandardMaterial({
    color: '#ffcf4a',
    emissive: '#ff9d1e',
    emissiveIntensity: 0.75,
    roughness: 0.4,
  })
  #geometry = starGeometry(0.075)
  #burst: Star[] = []
  #ring: THREE.Mesh[] = []
  #halo = new THREE.Group()
  #shown = 0

  constructor() {
    const star = (): THREE.Mesh => {
      const mesh = new THREE.Mesh(this.#geometry, this.#material)
      mesh.visible = false
      return mesh
    }
    for (let k = 0; k < 12; k++) {
      const mesh = star()
      this.#burst.push({ mesh, velocity: new THREE.Vector3(), spin: 0, age: 9 })
      this.group.add(mesh)
    }
    for (let k = 0; k < 5; k++) {
      const mesh = star()
      this.#ring.push(mesh)
      this.#halo.add(mesh)
    }
    this.group.add(this.#halo)
  }

  /** at 에서 터진다. 왼쪽에서 맞으니 오른쪽 위로 반원을 그린다. */
  burst(at: THREE.Vector3, power: number): void {
    this.#burst.forEach((star, k) => {
      const angle = Math.PI * (0.13 + (k / (this.#burst.length - 1)) * 0.84)
      const speed = (1.7 + 0.28 * power) * (0.75 + random() * 0.5)
      star.mesh.position.copy(at)
      star.velocity.set(Math.cos(angle) * speed, Math.sin(angle) * speed + 0.9, 0.5 + spread() * 0.9)
      star.spin = spread() * 9
      star.age = -random() * 0.05
    })
  }

  /** 머리 위를 도는 별. amount 0~1 */
  circle(head: THREE.Vector3, amount: number): void {
    this.#halo.position.copy(head)
    this.#shown = amount
  }

  advance(dt: number, time: number): void {
    for (const star of this.#burst) {
      star.age += dt
      const { mesh, age } = star
      mesh.visible = age > 0 && age < 1.15
      if (!mesh.visible) continue
      star.velocity.y -= 5.2 * dt
      mesh.position.addScaledVector(star.velocity, dt)
      mesh.rotation.z += star.spin * dt
      mesh.rotation.y += star.spin * 0.7 * dt
      const grow = Math.min(1, age / 0.09)
      mesh.scale.setScalar(grow * (1 + 0.4 * Math.exp(-age * 9)) * Math.min(1, (1.15 - age) / 0.3))
    }
    this.#ring.forEach((mesh, k) => {
      mesh.visible = this.#shown > 0.02
      const angle = time * 3.6 + (k / this.#ring.length) * Math.PI * 2
      mesh.position.set(Math.cos(angle) * 0.4, Math.sin(angle * 2 + k) * 0.03, Math.sin(angle) * 0.4)
      mesh.rotation.set(0, -angle + time * 2, Math.sin(time * 4 + k) * 0.3)
      mesh.scale.setScalar(this.#shown * 0.86)
    })
  }

  dispose(): void {
    this.#geometry.dispose()
    this.#material.dispose()
    this.group.removeFromParent()
  }
}

interface Puff {
  sprite: THREE.Sprite
  velocity: THREE.Vector3
  age: number
  life: number
  size: number
}

/** 바닥에 부딪히고 미끄러질 때 피어나는 먼지. ▶ 진짜 연기 그림이 있으면 텍스처만 바꾼다. */
export class Dust {
  readonly group = new THREE.Group()
  #puffs: Puff[] = []
  #next = 0
  #map = paint(128, 128, (context) => {
    // 뭉게뭉게: 아래는 라벤더 그늘, 위는 밝게
    const lumps = [
      [64, 66, 34],
      ...Array.from({ length: 8 }, (_, k) => {
        const angle = (k / 8) * Math.PI * 2
        return [64 + Math.cos(angle) * 27, 66 + Math.sin(angle) * 21, 17 + random() * 8]
      }),
    ] as [number, number, number][]
    for (const [dy, tone] of [
      [5, '176 156 206'],
      [0, '255 248 238'],
    ] as const)
      for (const [x, y, r] of lumps) {
        const soft = context.createRadialGradient(x, y + dy, 0, x, y + dy, r)
        soft.addColorStop(0, `rgb(${tone} / 0.95)`)
        soft.addColorStop(0.7, `rgb(${tone} / 0.8)`)
        soft.addColorStop(1, `rgb(${tone} / 0)`)
        context.fillStyle = soft
        context.fillRect(0, 0, 128, 128)
      }
  })

  constructor(count = 36) {
    for (let k = 0; k < count; k++) {
      const sprite = new THREE.Sprite(
        new THREE.SpriteMaterial({ map: this.#map, color: '#fff2e2', transparent: true, depthWrite: false }),
      )
      sprite.visible = false
      this.group.add(sprite)
      this.#puffs.push({ sprite, velocity: new THREE.Vector3(), age: 9, life: 1, size: 1 })
    }
  }

  /** 바닥의 at 에서 한 덩이 */
  puff(at: THREE.Vector3, strength: number): void {
    const puff = this.#puffs[this.#next++ % this.#puffs.length]!
    puff.age = 0
    puff.life = 0.55 + random() * 0.45
    puff.size = 0.22 + 0.24 * strength + random() * 0.08
    puff.sprite.position.set(at.x + spread() * 0.08, at.y + 0.05, at.z + spread() * 0.08 + 0.12)
    puff.velocity.set(spread() * 0.7 * (0.4 + strength), 0.25 + random() * 0.4, spread() * 0.5 + 0.2)
    puff.sprite.material.rotation = random() * 6.3
  }

  advance(dt: number): void {
    for (const puff of this.#puffs) {
      const { sprite, velocity, life, size } = puff
      const k = (puff.age += dt) / life
      sprite.visible = k < 1
      if (k >= 1) continue
      velocity.multiplyScalar(Math.exp(-3.2 * dt))
      sprite.position.addScaledVector(velocity, dt)
      sprite.scale.setScalar(size * (0.45 + 1.1 * Math.sqrt(k)))
      sprite.material.opacity = 0.9 * (1 - k) ** 1.2
    }
  }

  dispose(): void {
    for (const { sprite } of this.#puffs) sprite.material.dispose()
    this.#map.dispose()
    this.group.removeFromParent()
  }
}
