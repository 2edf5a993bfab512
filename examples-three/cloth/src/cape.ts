import * as THREE from 'three'
import { Cloth, type Backend } from 'limber'
import { GOLD, Parts } from './armour'
import { fabric, Hem, weave } from './fabric'
import { bodyColliders, type Bones } from './knight'
import { paint } from '../../shared/textures'

/** 망토 길이(m)와 위 · 아래 반너비(m) */
const LENGTH = 1.17
const TOP = 0.165
const BOTTOM = 0.49

/** 가슴 좌표에서 망토 윗단의 점. across 는 왼쪽 −1 부터 오른쪽 +1. */
function collar(across: number, out: THREE.Vector3): THREE.Vector3 {
  const angle = -across * 1.48
  return out.set(TOP * Math.sin(angle), 0.432 + 0.045 * Math.sin(angle) ** 2, -0.02 - 0.13 * Math.cos(angle))
}

/** 가슴 좌표에서 망토의 재단: 어깨에서 모여 아래로 갈수록 넓고 주름이 진다. */
function cut(across: number, down: number, out: THREE.Vector3): THREE.Vector3 {
  collar(across, out)
  const angle = -across * 1.48
  const wide = TOP + (BOTTOM - TOP) * down ** 0.8
  const behind = THREE.MathUtils.smoothstep(down, 0, 0.16)
  const fold = 0.11 * down ** 0.7 * Math.cos(across * Math.PI * 2)
  out.x = wide * Math.sin(angle)
  out.y -= LENGTH * down + 0.03 * behind * Math.sin(angle) ** 2
  out.z += -behind * 0.11 * (1 - Math.cos(angle)) - 0.1 * down - fold
  return out
}

/** 망토 하나: 시뮬레이션, 그리는 메쉬, 금빛 가장자리. */
export class Cape {
  readonly cloth: Cloth
  readonly group = new THREE.Group()
  #hem: Hem

  constructor(limber: Backend, { chest, ...rest }: Bones, columns: number, rows: number, iterations: number) {
    chest.updateWorldMatrix(true, false)
    this.cloth = Cloth.grid(limber, {
      columns,
      rows,
      iterations,
      windResponse: 0.8,
      pinned: 'top',
      place: (i, j, out) => void chest.localToWorld(cut((i / (columns - 1)) * 2 - 1, j / (rows - 1), out)),
      colliders: bodyColliders({ chest, ...rest }),
    })
    // 윗단은 가슴 뼈를 따라간다: 매 걸음 지난 위치도 함께 옮겨진다
    this.cloth.attach(this.cloth.pins.vertices, chest)

    const mesh = new THREE.Mesh(this.cloth.geometry, capeMaterial())
    mesh.castShadow = mesh.receiveShadow = true
    const edge = [
      ...Array.from({ length: rows }, (_, j) => j * columns),
      ...Array.from({ length: columns - 2 }, (_, i) => (rows - 1) * columns + i + 1),
      ...Array.from({ length: rows }, (_, j) => (rows - j) * columns - 1),
    ]
    this.#hem = new Hem(edge, 0.0075, hemMaterial())
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

/** 비교용: 시뮬레이션 없이 가슴에 붙어 따라가기만 하는 뻣뻣한 망토. */
export function stiffCape(columns = 24, rows = 34): THREE.Mesh {
  const geometry = new THREE.PlaneGeometry(1, 1, columns - 1, rows - 1)
  const p = new THREE.Vector3()
  for (let j = 0; j < rows; j++)
    for (let i = 0; i < columns; i++) {
      cut((i / (columns - 1)) * 2 - 1, j / (rows - 1), p)
      geometry.attributes.position!.setXYZ(j * columns + i, p.x, p.y, p.z)
    }
  geometry.computeVertexNormals()
  const mesh = new THREE.Mesh(geometry, capeMaterial())
  mesh.castShadow = mesh.receiveShadow = true
  return mesh
}

/** 어깨의 말린 깃, 브로치 둘, 가슴을 건너는 사슬. 가슴 뼈에 붙는다. */
export function capeFastening(chest: THREE.Group): void {
  const arc = new THREE.CatmullRomCurve3(
    Array.from({ length: 13 }, (_, k) => collar((k / 12) * 2 - 1, new THREE.Vector3())),
  )
  const roll = new THREE.Mesh(
    new THREE.TubeGeometry(arc, 40, 0.021, 10),
    new THREE.MeshStandardMaterial({ color: '#6d0d1a', roughness: 0.75 }),
  )
  roll.castShadow = roll.receiveShadow = true
  chest.add(roll)

  const gold = new Parts()
  const ends = [1, -1].map((side) => new THREE.Vector3(side * 0.162, 0.472, 0.012))
  for (const { x, y, z } of ends) {
    gold.add(new THREE.CylinderGeometry(0.036, 0.041, 0.016, 24), GOLD, {
      at: [x, y, z],
      turn: [0.55, 0, -Math.sign(x) * 0.35],
    })
    gold.ball(0.016, '#7d0f1d', { at: [x + Math.sign(x) * 0.003, y + 0.008, z + 0.006], scale: [1, 0.7, 1] })
  }
  const chain = new THREE.CatmullRomCurve3([
    ends[0]!,
    new THREE.Vector3(0.1, 0.385, 0.125),
    new THREE.Vector3(0, 0.345, 0.172),
    new THREE.Vector3(-0.1, 0.385, 0.125),
    ends[1]!,
  ])
  for (let k = 1; k < 30; k++) {
    const { x, y, z } = chain.getPointAt(k / 30)
    gold.ring(0.0085, 0.0028, GOLD, { at: [x, y, z], turn: [k % 2 ? 0 : Math.PI / 2, 0, x * 4] })
  }
  gold.build(chest)
}

/** 깃에서 모인 주름의 그늘: 위에서 짙고 아래로 갈수록 풀린다. */
function pleats(context: CanvasRenderingContext2D): void {
  const { width, height } = context.canvas
  for (let k = 0; k < 13; k++) {
    const x = ((k + 0.5 + 0.3 * Math.sin(k * 5.3)) / 13) * width
    const half = width * (0.018 + 0.012 * Math.sin(k * 2.9))
    const reach = height * (0.55 + 0.4 * Math.sin(k * 3.7) ** 2)
    for (const [offset, shade] of [
      [0, '20,0,6'],
      [half * 1.5, '255,120,110'],
    ] as const) {
      const across = context.createLinearGradient(x + offset - half, 0, x + offset + half, 0)
      for (const [stop, alpha] of [
        [0, 0],
        [0.5, 1],
        [1, 0],
      ] as const)
        across.addColorStop(stop, `rgba(${shade},${alpha * (offset ? 0.1 : 0.42)})`)
      context.fillStyle = across
      // 아래로 갈수록 옅게 겹쳐 칠한다
      for (let y = 0; y < 4; y++) {
        context.globalAlpha = 0.4
        context.fillRect(x + offset - half, 0, half * 2, reach * (0.3 + y * 0.233))
      }
      context.globalAlpha = 1
    }
  }
}

let shared: { cape: THREE.Material; hem: THREE.Material } | undefined

const capeMaterial = (): THREE.Material => materials().cape
const hemMaterial = (): THREE.Material => materials().hem

/** ▶ 진짜 옷감 그림으로 바꿀 자리: map 을 TextureLoader 로 불러온 파일로 바꾼다. */
function materials(): { cape: THREE.Material; hem: THREE.Material } {
  if (shared) return shared
  const map = paint(512, 1024, (context) => {
    weave(context, '#640a17', 0.12)
    pleats(context)
    const { width, height } = context.canvas
    // 금빛 단: 두 줄 사이에 마름모 무늬
    context.strokeStyle = context.fillStyle = '#d9a441'
    for (const [inset, line] of [
      [14, 9],
      [62, 6],
    ] as const) {
      context.lineWidth = line
      context.strokeRect(inset, -80, width - 2 * inset, height - inset + 80)
    }
    const diamond = (x: number, y: number): void => {
      context.beginPath()
      context.moveTo(x, y - 14)
      context.lineTo(x + 10, y)
      context.lineTo(x, y + 14)
      context.lineTo(x - 10, y)
      context.fill()
    }
    for (let y = 24; y < height - 60; y += 40) {
      diamond(38, y)
      diamond(width - 38, y)
    }
    for (let x = 38; x < width - 30; x += 36.3) diamond(x, height - 38)
  })
  const cape = fabric(map, '#2a060e', '#c8505a')
  shared = { cape, hem: new THREE.MeshStandardMaterial({ color: '#d29a3c', metalness: 0.55, roughness: 0.45 }) }
  return shared
}
