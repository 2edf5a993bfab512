import * as THREE from 'three'
import { Boids, type Backend, type BoidsInfluence, type Collider } from 'limber'
import { fishGeometry, fishMaterial, type FishColours } from './fish-shape'
import type { Water } from './water'
import { seeded } from '../../../shared/random'

/** 물고기가 다니는 상자(m) */
export interface Room {
  min: readonly [number, number, number]
  max: readonly [number, number, number]
}

const KINDS: readonly (FishColours & { share: number })[] = [
  { share: 0.45, back: '#f0561a', side: '#ff8a2a', belly: '#ffe3b8', fin: '#ffb04a', band: true },
  { share: 0.33, back: '#ffb400', side: '#ffd21f', belly: '#fff3b8', fin: '#ffe27a' },
  { share: 0.22, back: '#d83f73', side: '#ff6f8e', belly: '#ffe0dc', fin: '#ff9db0' },
]
/** 상어를 무서워하는 거리(m) */
const FRIGHT = 2.5
/** 상어의 빠르기(m/s): 물고기와 달리 마릿수에 따라 달라지지 않는다 */
const SHARK_SPEED = 1.9
/** 이보다 많으면 한 장면에 한 걸음만 간다 */
const MANY = 20_000
/** 이만한 부피(m³)에 한 마리일 때가 배율 1 */
const ROOM_EACH = 0.27

/** 물고기 떼와 상어 한 마리의 boids. 종마다 InstancedMesh 하나. */
export class School {
  readonly boids: Boids
  readonly group = new THREE.Group()
  /** 상어의 자세 */
  readonly shark = new THREE.Matrix4()
  /** 상어에게 쫓기는 물고기 수 */
  chased = 0
  #fish: { beat: THREE.InstancedBufferAttribute; from: number; to: number }[] = []
  #fastest: number
  #meshes: THREE.InstancedMesh[] = []

  constructor(
    limber: Backend,
    water: Water,
    count: number,
    room: Room,
    obstacles: Collider[],
    repellers: BoidsInfluence[],
  ) {
    const [width, height, depth] = [0, 1, 2].map((c) => room.max[c]! - room.min[c]!) as [number, number, number]
    // 마릿수가 늘면 물고기를 줄인다: 이웃의 수가 그대로다
    const scale = Math.min(1.25, Math.cbrt((width * height * depth) / count / ROOM_EACH))
    const length = 0.245 * scale
    const view = 0.47 * scale
    const fastest = (this.#fastest = 1.9 * scale ** 0.6)
    const counts = KINDS.map(({ share }) => Math.round(count * share))
    counts[0] = count - counts[1]! - counts[2]!
    this.boids = new Boids(limber, {
      count: count + 1,
      seed: 5,
      bounds: { kind: 'box', ...room },
      species: [
        { count: counts[0], flocksWith: [0, 2] },
        { count: counts[1], flocksWith: [1] },
        { count: counts[2], flocksWith: [2, 0] },
        { count: 1, flocksWith: [], hunts: [0, 1, 2], speed: SHARK_SPEED / fastest },
      ],
      initial: start(counts, room, fastest * 0.6),
      rules: {
        separation: { radius: view * 0.55, weight: 0.17 },
        alignment: { radius: view, weight: 0.07 },
        cohesion: { radius: view, weight: 0.075 },
      },
      speed: { min: fastest * 0.45, max: fastest },
      turnLimit: 3.2,
      wander: 0.02,
      walls: { margin: 0.5, weight: 0.06 },
      avoidance: { time: 0.55, weight: 0.12 },
      flight: { radius: FRIGHT, weight: 0.06 },
      hunt: { radius: 6, weight: 0.009 },
      banking: 0.7,
      obstacles,
      repellers,
    })
    this.#build(water, counts, length)
  }

  /** 상어를 놓아주거나 들인다. 없을 때는 아무도 달아나지 않는다. */
  set hunted(hunted: boolean) {
    this.boids.configure({ flight: { weight: hunted ? 0.06 : 0 } })
  }

  #build(water: Water, counts: number[], length: number): void {
    const random = seeded(17)
    const shape = fishGeometry()
    let from = 0
    for (const [species, colours] of KINDS.entries()) {
      const count = counts[species]!
      const geometry = shape.clone()
      const look = Float32Array.from({ length: count * 2 }, (_, k) => (k % 2 ? random() * 2 - 1 : 0.8 + random() * 0.4))
      const beat = Float32Array.from({ length: count }, () => random() * Math.PI * 2)
      const beats = new THREE.InstancedBufferAttribute(beat, 1).setUsage(THREE.DynamicDrawUsage)
      geometry.setAttribute('look', new THREE.InstancedBufferAttribute(look, 2))
      geometry.setAttribute('beat', beats)
      const mesh = this.boids.instancedMesh(geometry, fishMaterial(water, colours, length), { species })
      this.#meshes.push(mesh)
      this.group.add(mesh)
      this.#fish.push({ beat: beats, from, to: from + count })
      from += count
    }
    shape.dispose()
  }

  advance(dt: number): void {
    // 아주 많으면 밀린 걸음을 몰아 계산하지 않는다: 끊기느니 느리게 간다
    this.boids.step(this.boids.ids.length > MANY ? Math.min(dt, 1 / 60) : dt)
    const { velocities, positions, matrices } = this.boids
    const last = this.boids.ids.length - 1
    this.shark.fromArray(matrices, last * 16)
    const x = positions[last * 3]!
    const y = positions[last * 3 + 1]!
    const z = positions[last * 3 + 2]!
    const rate = 15 / this.#fastest
    let chased = 0
    for (const { beat, from, to } of this.#fish) {
      const { array } = beat
      for (let i = from, k = from * 3; i < to; i++, k += 3) {
        const u = velocities[k]!
        const v = velocities[k + 1]!
        const w = velocities[k + 2]!
        // 빠를수록 꼬리를 빨리 친다
        array[i - from]! += dt * (4 + rate * Math.sqrt(u * u + v * v + w * w))
        const dx = positions[k]! - x
        const dy = positions[k + 1]! - y
        const dz = positions[k + 2]! - z
        if (dx * dx + dy * dy + dz * dz < FRIGHT * FRIGHT) chased++
      }
      beat.needsUpdate = true
    }
    this.chased = chased
  }

  dispose(): void {
    this.boids.dispose()
    for (const mesh of this.#meshes) {
      mesh.geometry.dispose()
      ;(mesh.material as THREE.Material).dispose()
      mesh.dispose()
    }
    this.group.removeFromParent()
  }
}

/** 처음부터 떼를 지어 있도록: 종마다 커다란 고리 길 위의 몇 곳에 모여, 길을 따라 헤엄친다. */
function start(counts: number[], { min, max }: Room, speed: number) {
  const random = seeded(3)
  const [cx, cy, cz] = [0, 1, 2].map((c) => (min[c]! + max[c]!) / 2) as [number, number, number]
  const [rx, ry, rz] = [0, 1, 2].map((c) => (max[c]! - min[c]!) / 2) as [number, number, number]
  const ring = (angle: number, out: THREE.Vector3): THREE.Vector3 =>
    out.set(
      cx + Math.cos(angle) * rx * 0.6,
      cy + Math.sin(angle * 2 + 0.6) * ry * 0.32,
      cz + Math.sin(angle) * rz * 0.55,
    )
  // 종마다 모이는 곳: [고리의 각도, 퍼진 각도]
  const schools = [
    [0.9, 0.75],
    [3.6, 0.7],
    [1.25, 0.6],
  ] as const
  const positions: number[] = []
  const velocities: number[] = []
  const [at, ahead] = [new THREE.Vector3(), new THREE.Vector3()]
  const hunter = new THREE.Vector3(cx + rx * 0.42, cy + ry * 0.3, cz + rz * 0.35)
  const spot = (): number => random() + random() + random() - 1.5
  for (const [species, count] of counts.entries()) {
    const [middle, wide] = schools[species]!
    for (let k = 0; k < count; k++) {
      const angle = middle + spot() * wide * 1.4 + (k % 3 === 0 ? 2.1 : 0)
      ring(angle, at)
      ring(angle + 0.05, ahead)
        .sub(at)
        .setLength(speed)
      at.x += spot() * rx * 0.3
      at.y += spot() * ry * 0.45
      at.z += spot() * rz * 0.3
      // 상어의 둘레는 비운다
      const near = at.distanceTo(hunter)
      if (near < FRIGHT)
        at.sub(hunter)
          .setLength(FRIGHT + near * 0.3)
          .add(hunter)
      positions.push(...at.toArray())
      velocities.push(...ahead.toArray())
    }
  }
  positions.push(...hunter.toArray())
  velocities.push(-SHARK_SPEED * 0.8, 0, SHARK_SPEED * 0.1)
  return { positions, velocities }
}
