import * as THREE from 'three'
import { Cloth, type Backend } from 'limber'
import { fabric, Hem, weave } from './fabric'
import { paint } from '../../shared/textures'

/** 깃발의 크기(m)와 깃대의 자리 */
const WIDTH = 1.3
const HEIGHT = 0.84
const POLE = new THREE.Vector3(3.4, 1.2, -1.62)
const TOP = 1.48

/** 깃대에 매단 깃발. 왼쪽 한 줄이 고정되어 있다. */
export class Flag {
  readonly cloth: Cloth
  readonly group = new THREE.Group()
  #hem: Hem

  constructor(limber: Backend, columns: number, rows: number, iterations: number) {
    this.cloth = Cloth.grid(limber, {
      columns,
      rows,
      iterations,
      windResponse: 1.7, // 망토보다 가벼운 천이라 바람을 더 탄다
      pinned: 'left',
      // 조금 처진 채로 시작해서 금세 자리를 잡는다
      place: (i, j, out) => {
        const u = i / (columns - 1)
        out.set(
          POLE.x - 0.035 - u * WIDTH * 0.94,
          POLE.y + TOP - 0.08 - (j / (rows - 1)) * HEIGHT - u * u * 0.2,
          POLE.z + 0.22 * u + 0.06 * Math.sin(u * 7),
        )
      },
      colliders: [{ kind: 'capsule', a: [POLE.x, 0, POLE.z], b: [POLE.x, POLE.y + TOP, POLE.z], radius: 0.034 }],
    })
    const mesh = new THREE.Mesh(this.cloth.geometry, flagMaterial())
    mesh.castShadow = mesh.receiveShadow = true
    const edge = [
      ...Array.from({ length: columns }, (_, i) => i),
      ...Array.from({ length: rows - 2 }, (_, j) => (j + 2) * columns - 1),
      ...Array.from({ length: columns }, (_, i) => rows * columns - 1 - i),
    ]
    this.#hem = new Hem(
      edge,
      0.007,
      (hemMaterial ??= new THREE.MeshStandardMaterial({ color: '#c89238', metalness: 0.5, roughness: 0.5 })),
    )
    this.group.add(mesh, this.#hem.mesh)
    this.update()
  }

  update(): void {
    this.#hem.update(this.cloth.positions, this.cloth.normals)
  }

  dispose(): void {
    this.group.removeFromParent()
    this.cloth.dispose()
    this.#hem.dispose()
  }
}

/** 깃대: 쇠테를 두른 나무와 금빛 창끝 */
export function flagPole(): THREE.Group {
  const group = new THREE.Group()
  group.position.copy(POLE)
  const wood = new THREE.MeshStandardMaterial({ color: '#5a4030', roughness: 0.7 })
  const gold = new THREE.MeshStandardMaterial({ color: '#d29a3c', metalness: 0.8, roughness: 0.35 })
  const add = (geometry: THREE.BufferGeometry, material: THREE.Material, y: number): void => {
    const mesh = new THREE.Mesh(geometry, material)
    mesh.position.y = y
    mesh.castShadow = true
    group.add(mesh)
  }
  add(new THREE.CylinderGeometry(0.022, 0.03, TOP + 0.1, 12), wood, TOP / 2)
  add(new THREE.SphereGeometry(0.045, 16, 12), gold, TOP + 0.06)
  add(new THREE.ConeGeometry(0.034, 0.16, 4), gold, TOP + 0.17)
  for (const y of [0.1, TOP - 0.06, TOP - 0.08 - HEIGHT])
    add(new THREE.CylinderGeometry(0.034, 0.034, 0.05, 12), gold, y)
  return group
}

let material: THREE.Material | undefined
let hemMaterial: THREE.Material | undefined

/** ▶ 진짜 문장 그림으로 바꿀 자리: map 을 TextureLoader 로 불러온 파일로 바꾼다. */
function flagMaterial(): THREE.Material {
  return (material ??= fabric(
    paint(768, 496, (context) => {
      const { width, height } = context.canvas
      weave(context, '#7d0c1c', 0.1)
      context.strokeStyle = context.fillStyle = '#e0ae4e'
      context.lineWidth = 12
      context.strokeRect(26, 26, width - 52, height - 52)
      // 문장: 별 셋을 인 성탑
      context.save()
      context.translate(width / 2, height / 2 + 24)
      const tower = new Path2D(
        'M-86 140 L-70 -30 L-92 -40 L-92 -104 L-56 -104 L-56 -78 L-20 -78 L-20 -104 L20 -104 L20 -78 L56 -78 L56 -104 L92 -104 L92 -40 L70 -30 L86 140 L32 140 L32 84 A32 32 0 0 0 -32 84 L-32 140 Z',
      )
      context.fill(tower)
      context.fillStyle = '#7d0c1c'
      context.fillRect(-9, -30, 18, 52)
      context.fillStyle = '#e0ae4e'
      for (const [x, y, r] of [
        [0, -146, 24],
        [-74, -136, 17],
        [74, -136, 17],
      ] as const) {
        context.beginPath()
        for (let k = 0; k < 10; k++) {
          const a = (k * Math.PI) / 5 - Math.PI / 2
          const q = k % 2 ? r * 0.42 : r
          context.lineTo(x + q * Math.cos(a), y + q * Math.sin(a))
        }
        context.fill()
      }
      context.restore()
    }),
    '#4a0b16',
    '#ffb08a',
  ))
}
