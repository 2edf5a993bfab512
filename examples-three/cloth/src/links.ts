import * as THREE from 'three'
import type { Cloth } from 'limber'

/** 제약 세 가지의 빛깔: 가로세로 이웃, 대각선, 한 칸 건너 */
const COLOURS = ['#fff1d0', '#ffb066', '#6fd3ff'] as const

/** 제약을 선으로 겹쳐 그린다. 점 버퍼는 천의 것을 그대로 쓴다. */
export function linkOverlay(cloth: Cloth, columns: number): THREE.Group {
  const group = new THREE.Group()
  const kinds: number[][] = [[], [], []]
  for (let k = 0; k < cloth.links.length; k += 2) {
    const a = cloth.links[k]!
    const b = cloth.links[k + 1]!
    const across = Math.abs((a % columns) - (b % columns))
    const down = Math.abs(Math.floor(a / columns) - Math.floor(b / columns))
    kinds[across + down === 1 ? 0 : across === 1 ? 1 : 2]!.push(a, b)
  }
  // 넓게 건너뛰는 선부터 그려, 이웃 선이 맨 위에 보인다
  for (const kind of [2, 1, 0]) {
    const geometry = new THREE.BufferGeometry()
    geometry.setAttribute('position', cloth.geometry.getAttribute('position'))
    geometry.setIndex(kinds[kind]!)
    const lines = new THREE.LineSegments(
      geometry,
      new THREE.LineBasicMaterial({
        color: COLOURS[kind]!,
        transparent: true,
        opacity: kind ? 0.35 : 0.9,
        depthTest: false,
        fog: false,
        toneMapped: false,
      }),
    )
    lines.frustumCulled = false
    lines.renderOrder = 10
    group.add(lines)
  }
  return group
}

export function disposeOverlay(overlay: THREE.Group): void {
  overlay.removeFromParent()
  for (const lines of overlay.children as THREE.LineSegments<THREE.BufferGeometry, THREE.Material>[]) {
    lines.geometry.deleteAttribute('position') // 천의 버퍼는 천이 치운다
    lines.geometry.dispose()
    lines.material.dispose()
  }
}
