import * as THREE from 'three'
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js'
import { tinted } from './scenery'
import { seeded, tileableNoise } from '../../shared/random'
import { normalMap, paint } from '../../shared/textures'

/** 성벽이 선 자리: 길이의 반, 높이, 앞뒤(m) */
export const WALL = { half: 11.5, height: 2.9, z: -7.6 }
/** 탑: x, z, 반지름, 높이, 지붕 높이(0 이면 평평한 꼭대기) */
export const TOWERS = [
  [-11.5, -7.4, 1.75, 4.6, 2.9],
  [11.5, -7.4, 1.75, 4.6, 2.9],
  [-3.1, -7.2, 1.3, 4.3, 2.3],
  [3.1, -7.2, 1.3, 4.3, 2.3],
  [0, -12.2, 2.5, 7.4, 0],
  [-7, -13.4, 1.5, 6, 2.8],
  [7, -13.4, 1.5, 6, 2.8],
] as const

/** 햇빛 받는 성: 크림빛 벽, 산호빛 지붕, 문 하나. ▶ 진짜 모델이 있으면 이것 대신 불러온다. */
export function castle(): THREE.Group {
  const group = new THREE.Group()
  const { map, normals } = masonry()
  const stone = (repeat: readonly [number, number]): THREE.MeshLambertMaterial => {
    const [own, bumps] = [map.clone(), normals.clone()]
    own.repeat.set(...repeat)
    bumps.repeat.set(...repeat)
    return new THREE.MeshLambertMaterial({ map: own, normalMap: bumps })
  }
  const solid = (geometry: THREE.BufferGeometry, material: THREE.Material): THREE.Mesh => {
    const mesh = new THREE.Mesh(geometry, material)
    mesh.castShadow = mesh.receiveShadow = true
    group.add(mesh)
    return mesh
  }
  const { half, height, z } = WALL
  solid(new THREE.BoxGeometry(half * 2, height, 1), stone([13, 2])).position.set(0, height / 2, z)
  solid(new THREE.BoxGeometry(half * 2, 0.2, 1.25), stone([13, 0.2])).position.set(0, height - 0.12, z)

  const blocks: THREE.BufferGeometry[] = []
  const merlon = (x: number, y: number, depth: number, turn: number): void => {
    blocks.push(new THREE.BoxGeometry(0.5, 0.55, 0.3).rotateY(turn).translate(x, y + 0.27, depth))
  }
  for (let x = -half + 0.5; x <= half - 0.4; x += 0.95) merlon(x, height, z + 0.42, 0)
  const roofs: THREE.BufferGeometry[] = []
  const windows: THREE.BufferGeometry[] = []
  for (const [x, depth, r, tall, roof] of TOWERS) {
    solid(new THREE.CylinderGeometry(r, r * 1.08, tall, 28, 1), stone([Math.round(r * 4), tall * 0.7])).position.set(
      x,
      tall / 2,
      depth,
    )
    solid(new THREE.CylinderGeometry(r * 1.16, r * 1.02, 0.5, 28), stone([Math.round(r * 4), 0.4])).position.set(
      x,
      tall + 0.2,
      depth,
    )
    const round = Math.round(r * 7)
    for (let k = 0; k < round && !roof; k++) {
      const angle = (k / round) * Math.PI * 2
      merlon(x + Math.sin(angle) * r * 1.04, tall + 0.4, depth + Math.cos(angle) * r * 1.04, angle)
    }
    if (roof) {
      const profile = [
        [r * 1.34, 0],
        [r * 1.3, 0.1],
        [r * 0.82, roof * 0.36],
        [r * 0.36, roof * 0.72],
        [0.05, roof],
      ] as const
      roofs.push(
        tinted(
          new THREE.LatheGeometry(
            profile.map(([a, b]) => new THREE.Vector2(a, b)),
            32,
          )
            .translate(x, tall + 0.42, depth)
            .toNonIndexed(),
          '#d65a4e',
          '#f08a6a',
        ),
      )
    }
    for (const turn of [-0.5, 0.35])
      windows.push(
        new THREE.CapsuleGeometry(0.13, 0.34, 4, 10)
          .scale(1, 1, 0.4)
          .translate(0, 0, r * 1.02)
          .rotateY(turn)
          .translate(x, tall * 0.72, depth),
      )
  }
  solid(mergeGeometries(blocks), stone([1, 1]))
  solid(mergeGeometries(roofs), new THREE.MeshLambertMaterial({ vertexColors: true, side: THREE.DoubleSide }))
  solid(mergeGeometries(windows), new THREE.MeshLambertMaterial({ color: '#4a5578' }))

  // 문: 둥근 아치와 나무 문짝
  const arch = new THREE.Shape()
    .moveTo(-0.95, 0)
    .lineTo(-0.95, 1.2)
    .absarc(0, 1.2, 0.95, Math.PI, 0, true)
    .lineTo(0.95, 0)
  const frame = new THREE.Shape()
    .moveTo(-1.25, 0)
    .lineTo(-1.25, 1.2)
    .absarc(0, 1.2, 1.25, Math.PI, 0, true)
    .lineTo(1.25, 0)
  solid(
    new THREE.ExtrudeGeometry(frame, { depth: 0.3, bevelEnabled: false }),
    new THREE.MeshLambertMaterial({ color: '#d8c39c' }),
  ).position.set(0, 0, z + 0.4)
  solid(
    new THREE.ExtrudeGeometry(arch, { depth: 0.08, bevelEnabled: false }),
    new THREE.MeshLambertMaterial({ color: '#8a5a3c' }),
  ).position.set(0, 0, z + 0.66)
  return group
}

/** 둥글게 다듬은 돌을 켜켜이 쌓은 벽 그림과 그 높낮이 */
function masonry(): { map: THREE.Texture; normals: THREE.Texture } {
  const SIZE = 256
  const random = seeded(44)
  const rows = Array.from({ length: 4 }, (_, j) => {
    const cuts = [0, 0.22 + random() * 0.08, 0.5 + (random() - 0.5) * 0.1, 0.75 + (random() - 0.5) * 0.08]
    return { shift: (j % 2) * 0.13, cuts, shades: cuts.map(() => random()) }
  })
  const noise = tileableNoise(16, 6)
  const height = new Float32Array(SIZE * SIZE)
  const stones = paint(SIZE, SIZE, (context) => {
    const image = context.createImageData(SIZE, SIZE)
    for (let y = 0, k = 0; y < SIZE; y++)
      for (let x = 0; x < SIZE; x++, k += 4) {
        const { shift, cuts, shades } = rows[Math.floor((y / SIZE) * 4)]!
        const u = (x / SIZE + shift) % 1
        const at = cuts.filter((cut) => cut <= u).length - 1
        const end = cuts[at + 1] ?? 1
        const edge = Math.min(u - cuts[at]!, end - u, (((y / SIZE) * 4) % 1) / 4, 0.25 - (((y / SIZE) * 4) % 1) / 4)
        const within = Math.min(1, Math.max(0, (edge - 0.006) / 0.022))
        const grain = (noise(x / SIZE, y / SIZE) - 0.5) * 0.08
        const shade = 0.8 + 0.14 * within + (shades[at]! - 0.5) * 0.09 * within + grain
        height[y * SIZE + x] = within * 2 + grain * 6
        image.data.set([250 * shade, 236 * shade, 212 * shade, 255], k)
      }
    context.putImageData(image, 0, 0)
  })
  const normals = normalMap(SIZE, height, 0.7)
  for (const texture of [stones, normals]) texture.wrapS = texture.wrapT = THREE.RepeatWrapping
  return { map: stones, normals }
}
