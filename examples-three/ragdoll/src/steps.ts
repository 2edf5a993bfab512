import * as THREE from 'three'
import type { Collider } from 'limber'
import { ClayMaterial } from '../../shared/clay/clay-material'

/** 계단: [앞끝 z, 뒤끝 z, 높이, 빛깔] (m). 앞은 무대 바닥이다. */
const STEPS = [
  [0.25, -0.55, 0.28, '#f3c7b3'],
  [-0.55, -1.3, 0.56, '#c5b6ee'],
  [-1.3, -2.15, 0.84, '#a9cdf0'],
] as const
export const STEPS_WIDTH = 3.7
const ROUND = 0.05

/** 넓은 무대 계단: 보이는 모양과 부딪히는 상자 */
export class Steps {
  readonly group = new THREE.Group()
  readonly colliders: Collider[] = []
  #made: { dispose(): void }[] = []

  constructor() {
    for (const [front, back, height, colour] of STEPS) {
      const geometry = roundedBox(STEPS_WIDTH, height, front - back)
      const material = new ClayMaterial({ color: colour, grain: 0.9 })
      const mesh = new THREE.Mesh(geometry, material)
      mesh.position.set(0, height / 2, (front + back) / 2)
      mesh.castShadow = mesh.receiveShadow = true
      this.group.add(mesh)
      this.#made.push(geometry, material)
      // 뒤로 길게 겹쳐 두면 계단 사이에 틈이 없다
      const deep = front - STEPS[2][1]
      this.colliders.push({
        kind: 'box',
        center: [0, height / 2 - 0.5, front - deep / 2],
        halfExtents: [STEPS_WIDTH / 2, height / 2 + 0.5, deep / 2],
        friction: 0.4,
      })
    }
  }

  dispose(): void {
    for (const thing of this.#made) thing.dispose()
    this.group.removeFromParent()
  }
}

/** 그 자리의 바닥 높이(m) */
export function groundAt(x: number, z: number): number {
  if (Math.abs(x) > STEPS_WIDTH / 2) return 0
  return STEPS.reduce((top, [front, back, height]) => (z < front && z > back ? height : top), 0)
}

function roundedBox(width: number, height: number, depth: number): THREE.BufferGeometry {
  const shape = new THREE.Shape()
  const [x, y] = [width / 2 - ROUND, height / 2 - ROUND]
  shape.absarc(x, y, ROUND, 0, Math.PI / 2)
  shape.absarc(-x, y, ROUND, Math.PI / 2, Math.PI)
  shape.lineTo(-width / 2, -height / 2)
  shape.lineTo(width / 2, -height / 2)
  shape.closePath()
  return new THREE.ExtrudeGeometry(shape, {
    depth: depth - ROUND * 2,
    bevelThickness: ROUND,
    bevelSize: ROUND,
    bevelOffset: -ROUND,
    bevelSegments: 4,
    curveSegments: 8,
  }).translate(0, 0, -depth / 2 + ROUND)
}
