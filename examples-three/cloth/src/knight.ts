import * as THREE from 'three'
import type { Collider } from 'limber'
import { DARK_STEEL, GOLD, LEATHER, MAIL, Parts, PLUME, SHADOW, STEEL } from './armour'
import { seeded } from '../../shared/random'
import { glowTexture } from '../../shared/textures'

/** 다리 치수(m): 발목 높이, 정강이, 넓적다리, 엉덩관절의 반너비 */
export const LEG = { ankle: 0.09, shin: 0.43, thigh: 0.43, half: 0.095 }

/** 앞은 +z, 왼쪽은 +x, 발밑이 y = 0 인 뼈대 */
export interface Bones {
  root: THREE.Group
  hips: THREE.Group
  chest: THREE.Group
  head: THREE.Group
  plume: THREE.Group
  arms: { upper: THREE.Group; fore: THREE.Group }[]
  legs: { thigh: THREE.Group; shin: THREE.Group; foot: THREE.Group }[]
}

/**
 * 코드로 만든 기사, 키 약 1.8 m.
 *
 * ▶ 진짜 모델로 바꿀 자리: GLTFLoader 로 불러온 모델에서 같은 이름의 뼈를 찾아 Bones 로 돌려주면
 *   걸음(gait.ts), 망토(cape.ts), 충돌 캡슐(bodyColliders)이 그대로 돈다.
 */
export function createKnight(): Bones {
  const group = (parent: THREE.Object3D, x = 0, y = 0, z = 0): THREE.Group => {
    const bone = new THREE.Group()
    bone.position.set(x, y, z)
    parent.add(bone)
    return bone
  }
  const root = new THREE.Group()
  root.add(contactShadow())
  const hips = group(root, 0, 0.92)
  const chest = group(hips, 0, 0.1)
  const head = group(chest, 0, 0.49, 0.005)
  const plume = group(head, 0, 0.27, -0.035)
  const sides = [1, -1] as const
  const arms = sides.map((side) => {
    const upper = group(chest, side * 0.212, 0.365, -0.005)
    return { upper, fore: group(upper, 0, -0.285) }
  })
  const legs = sides.map(() => ({ thigh: group(root), shin: group(root), foot: group(root) }))

  buildTorso(chest)
  buildHips(hips)
  buildHelmet(head)
  buildPlume(plume)
  sides.forEach((side, k) => {
    buildArm(arms[k]!.upper, arms[k]!.fore, side)
    buildLeg(legs[k]!, side)
  })
  return { root, hips, chest, head, plume, arms, legs }
}

/** 몸을 감싸는 캡슐과 구. 보이는 몸은 이 안쪽 15 mm 보다 더 깊이 있다. */
export function bodyColliders({ hips, chest, head, arms, legs }: Bones): Collider[] {
  const capsule = (
    follow: THREE.Object3D,
    a: [number, number, number],
    b: [number, number, number],
    radius: number,
  ): Collider => ({ kind: 'capsule', a, b, radius, follow, friction: 0.3 })
  const ball = (follow: THREE.Object3D, center: [number, number, number], radius: number): Collider => ({
    kind: 'sphere',
    center,
    radius,
    follow,
    friction: 0.3,
  })
  return [
    ...[-0.075, 0, 0.075].map((x) => capsule(chest, [x, -0.02, -0.002], [x, 0.3, -0.002], 0.15)),
    capsule(chest, [0, 0.04, 0.06], [0, 0.3, 0.06], 0.125),
    ...[-0.05, 0.05].map((x) => capsule(hips, [x, -0.17, 0], [x, 0.12, 0], 0.177)),
    capsule(chest, [0, 0.4, 0], [0, 0.54, 0], 0.132),
    ball(head, [0, 0.13, 0.005], 0.187),
    capsule(hips, SCABBARD.pommel, SCABBARD.tip, 0.06),
    ball(hips, SCABBARD.hilt, 0.09),
    ...arms.flatMap(({ upper, fore }) => [
      ball(upper, [0, 0, 0], 0.12),
      capsule(upper, [0, -0.05, 0], [0, -0.27, 0], 0.11),
      capsule(fore, [0, 0, 0], [0, -0.32, 0.01], 0.084),
    ]),
    ...legs.flatMap(({ thigh, shin, foot }) => [
      capsule(thigh, [0, 0, 0], [0, -LEG.thigh, 0], 0.118),
      capsule(shin, [0, 0, 0], [0, -LEG.shin, 0], 0.095),
      capsule(foot, [0, -0.03, -0.03], [0, -0.05, 0.17], 0.082),
    ]),
  ]
}

/** 왼쪽 허리에 찬 칼집(엉덩이 좌표) */
const SCABBARD = {
  pommel: [0.223, 0.223, 0.105] as [number, number, number],
  hilt: [0.228, 0.06, 0.085] as [number, number, number],
  tip: [0.248, -0.62, 0.0] as [number, number, number],
}

/** 발밑의 부드러운 그늘 */
function contactShadow(): THREE.Mesh {
  const map = glowTexture(
    [
      [0, 'rgba(4,5,12,0.85)'],
      [0.35, 'rgba(4,5,12,0.5)'],
      [1, 'rgba(4,5,12,0)'],
    ],
    64,
  )
  const shade = new THREE.Mesh(
    new THREE.PlaneGeometry(0.85, 1.05),
    new THREE.MeshBasicMaterial({ map, transparent: true, depthWrite: false }),
  )
  shade.rotation.x = -Math.PI / 2
  shade.position.y = 0.006
  return shade
}

function buildTorso(chest: THREE.Group): void {
  const shape = [
    [0.134, -0.07],
    [0.142, -0.02],
    [0.166, 0.08],
    [0.184, 0.19],
    [0.186, 0.28],
    [0.166, 0.36],
    [0.115, 0.42],
    [0.08, 0.445],
  ] as const
  // 가슴 한가운데에 능선이 서고, 등은 조금 납작하다
  const plate = (p: THREE.Vector3): void => {
    if (p.z > 0)
      p.z +=
        0.034 *
        Math.max(0, 1 - Math.abs(p.x) / 0.19) *
        Math.sin(Math.min(1, Math.max(0, (p.y + 0.07) / 0.46)) * Math.PI)
    else p.z *= 0.92
  }
  new Parts()
    .turned(shape, STEEL, { deep: 0.68, bend: plate })
    .turned(
      [
        [0.1, 0.4],
        [0.108, 0.44],
        [0.094, 0.475],
        [0.088, 0.52],
        [0.094, 0.53],
      ],
      DARK_STEEL,
      { deep: 0.95 },
    )
    .ring(0.093, 0.006, GOLD, { at: [0, 0.53, 0], turn: [Math.PI / 2, 0, 0] })
    .ring(0.141, 0.007, GOLD, { at: [0, -0.045, 0], turn: [Math.PI / 2, 0, 0], scale: [1, 0.69, 1] })
    .turned(
      [
        [0.11, -0.16],
        [0.135, -0.06],
      ],
      MAIL,
      { deep: 0.75 },
    )
    .build(chest)
}

function buildHips(hips: THREE.Group): void {
  const parts = new Parts()
  parts.turned(
    [
      [0.146, 0.075],
      [0.152, 0.06],
      [0.152, 0.035],
      [0.147, 0.02],
    ],
    LEATHER,
    { deep: 0.74 },
  )
  parts.add(new THREE.BoxGeometry(0.06, 0.05, 0.014), GOLD, { at: [0, 0.047, 0.115] })
  parts.add(new THREE.BoxGeometry(0.034, 0.026, 0.016), LEATHER, { at: [0, 0.047, 0.117] })
  // 허리 아래를 덮는 세 겹 치마판
  for (let lame = 0; lame < 3; lame++) {
    const y = 0.035 - lame * 0.056
    const r = 0.145 + lame * 0.016
    parts.turned(
      [
        [r, y],
        [r + 0.014, y - 0.04],
        [r + 0.018, y - 0.068],
      ],
      lame % 2 ? DARK_STEEL : STEEL,
      { deep: 0.78 },
    )
    parts.ring(r + 0.018, 0.0045, lame === 2 ? GOLD : DARK_STEEL, {
      at: [0, y - 0.068, 0],
      turn: [Math.PI / 2, 0, 0],
      scale: [1, 0.78, 1],
    })
  }
  parts.turned(
    [
      [0.15, -0.12],
      [0.158, -0.2],
      [0.15, -0.21],
    ],
    MAIL,
    { deep: 0.8 },
  )
  // 칼집과 칼자루
  const hilt = new THREE.Vector3(...SCABBARD.hilt)
  const tip = new THREE.Vector3(...SCABBARD.tip)
  const along = tip.clone().sub(hilt)
  const turn = new THREE.Euler().setFromQuaternion(
    new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, -1, 0), along.clone().normalize()),
  )
  const angles = [turn.x, turn.y, turn.z]
  const at = (t: number): number[] => hilt.clone().addScaledVector(along, t).toArray()
  parts.add(new THREE.CylinderGeometry(0.021, 0.012, along.length() * 0.98, 10), LEATHER, {
    at: at(0.5),
    turn: angles,
    scale: [1, 1, 0.55],
  })
  parts.add(new THREE.CylinderGeometry(0.023, 0.023, 0.04, 10), GOLD, {
    at: at(0.03),
    turn: angles,
    scale: [1, 1, 0.6],
  })
  parts.add(new THREE.CylinderGeometry(0.017, 0.008, 0.06, 10), GOLD, {
    at: at(0.985),
    turn: angles,
    scale: [1, 1, 0.6],
  })
  parts.add(new THREE.CapsuleGeometry(0.0095, 0.11, 2, 7), GOLD, {
    at: at(-0.02),
    turn: [angles[0]! + Math.PI / 2, angles[1]!, angles[2]!],
  })
  parts.add(new THREE.CylinderGeometry(0.0125, 0.0145, 0.12, 10), LEATHER, { at: at(-0.115), turn: angles })
  parts.ball(0.022, GOLD, { at: at(-0.225) })
  parts.build(hips)
}

function buildHelmet(head: THREE.Group): void {
  const skull = [
    [0.078, -0.005],
    [0.088, 0.02],
    [0.101, 0.07],
    [0.108, 0.13],
    [0.105, 0.185],
    [0.085, 0.24],
    [0.05, 0.27],
    [0.001, 0.282],
  ] as const
  const narrow = (p: THREE.Vector3): void => {
    p.x *= 0.95
    p.z = p.z * 1.1 + (p.z > 0 ? 0.008 : 0)
  }
  // 얼굴가리개: 앞으로 뾰족하게 나온 판
  const beak = (p: THREE.Vector3): void => {
    p.x *= 0.98
    p.z = p.z * 1.12 + 0.045 * Math.max(0, 1 - Math.abs(p.x) / 0.1) * Math.max(0, 1 - Math.abs(p.y - 0.095) / 0.12)
  }
  const parts = new Parts()
  parts.turned(skull, STEEL, { bend: narrow })
  parts.turned(
    [
      [0.094, -0.025],
      [0.086, 0.004],
      [0.09, 0.02],
    ],
    DARK_STEEL,
    { bend: narrow },
  )
  parts.turned(
    [
      [0.096, 0.02],
      [0.108, 0.06],
      [0.114, 0.1],
      [0.1145, 0.138],
    ],
    STEEL,
    { from: -1.25, arc: 2.5, bend: beak },
  )
  parts.turned(
    [
      [0.1135, 0.154],
      [0.113, 0.18],
      [0.103, 0.215],
      [0.093, 0.233],
    ],
    STEEL,
    { from: -1.25, arc: 2.5, bend: beak },
  )
  parts.turned(
    [
      [0.1105, 0.135],
      [0.1105, 0.157],
    ],
    SHADOW,
    { from: -1.15, arc: 2.3, bend: beak },
  )
  parts.turned(
    [
      [0.1165, 0.128],
      [0.1165, 0.139],
    ],
    GOLD,
    { from: -1.25, arc: 2.5, bend: beak },
  )
  for (const side of [-1, 1]) {
    parts.add(new THREE.CylinderGeometry(0.02, 0.022, 0.014, 16), GOLD, {
      at: [side * 0.11, 0.145, 0.008],
      turn: [0, 0, Math.PI / 2],
    })
    for (let n = 0; n < 6; n++)
      parts.ball(0.0048, SHADOW, {
        at: [
          side * (0.03 + 0.014 * (n % 3)),
          0.06 + 0.022 * Math.floor(n / 3),
          0.142 - 0.011 * (n % 3) + 0.005 * Math.floor(n / 3),
        ],
      })
  }
  // 정수리의 볏
  parts.add(new THREE.TorusGeometry(0.118, 0.008, 6, 24, Math.PI * 0.86), STEEL, {
    at: [0, 0.155, -0.004],
    turn: [0, Math.PI / 2, 0],
    scale: [1, 1.1, 1.2],
  })
  parts.add(new THREE.CylinderGeometry(0.013, 0.018, 0.035, 12), GOLD, { at: [0, 0.275, -0.036], turn: [-0.25, 0, 0] })
  parts.build(head)
}

/** 짧은 깃 장식: 뒤로 휘며 늘어지는 깃 여러 가닥 */
function buildPlume(plume: THREE.Group): void {
  const random = seeded(11)
  const parts = new Parts()
  for (let n = 0; n < 64; n++) {
    const spread = (random() - 0.5) * 0.13
    const reach = 0.06 + random() * 0.15
    const rise = 0.07 + random() * 0.07
    const drop = 0.05 + random() * 0.12
    const curve = new THREE.CubicBezierCurve3(
      new THREE.Vector3(0, 0, 0),
      new THREE.Vector3(spread * 0.3, rise, 0.02 - random() * 0.03),
      new THREE.Vector3(spread, rise * 1.05, -reach * 0.8),
      new THREE.Vector3(spread * 1.5, rise - drop, -reach),
    )
    const feather = new THREE.TubeGeometry(curve, 6, 0.0085, 3)
    const { position } = feather.attributes
    for (let k = 0; k < position!.count; k++) {
      const t = Math.floor(k / 4) / 6
      const centre = curve.getPoint(t)
      const width = 0.3 + 1.3 * Math.sin(Math.min(1, t + 0.06) * Math.PI)
      position!.setXYZ(
        k,
        centre.x + (position!.getX(k) - centre.x) * width,
        centre.y + (position!.getY(k) - centre.y) * width,
        centre.z + (position!.getZ(k) - centre.z) * width,
      )
    }
    parts.add(feather, PLUME)
  }
  parts.build(plume)
}

function buildArm(upper: THREE.Group, fore: THREE.Group, side: number): void {
  const shoulder = new Parts()
  // 어깨판 세 겹: 바깥으로 조금 기울어 있다
  const tilt = [0, 0, side * -0.38]
  shoulder.turned(
    [
      [0.001, 0.08],
      [0.04, 0.072],
      [0.073, 0.045],
      [0.088, 0.008],
      [0.091, -0.02],
    ],
    STEEL,
    { turn: tilt, deep: 1.05 },
  )
  shoulder.ring(0.092, 0.005, GOLD, {
    at: [side * -0.0075, -0.019, 0],
    turn: [Math.PI / 2, side * -0.38, 0],
    scale: [1, 1.05, 1],
  })
  shoulder.turned(
    [
      [0.08, -0.005],
      [0.084, -0.05],
      [0.086, -0.06],
    ],
    DARK_STEEL,
    { turn: [0, 0, side * -0.22] },
  )
  shoulder.turned(
    [
      [0.072, -0.045],
      [0.075, -0.085],
      [0.077, -0.095],
    ],
    STEEL,
    { turn: [0, 0, side * -0.1] },
  )
  shoulder.turned(
    [
      [0.05, -0.05],
      [0.057, -0.12],
      [0.054, -0.2],
      [0.046, -0.27],
    ],
    MAIL,
  )
  shoulder.turned(
    [
      [0.059, -0.12],
      [0.06, -0.17],
      [0.052, -0.235],
    ],
    STEEL,
  )
  shoulder.build(upper)

  new Parts()
    .ball(0.052, STEEL, { scale: [1, 1.1, 1.1] })
    .ball(0.042, DARK_STEEL, { at: [side * 0.024, 0, 0], scale: [0.5, 1.2, 1.2] })
    .turned(
      [
        [0.047, -0.035],
        [0.055, -0.08],
        [0.05, -0.15],
        [0.039, -0.215],
      ],
      STEEL,
    )
    .turned(
      [
        [0.058, -0.175],
        [0.05, -0.205],
        [0.037, -0.245],
      ],
      DARK_STEEL,
    )
    .ring(0.0575, 0.004, GOLD, { at: [0, -0.175, 0], turn: [Math.PI / 2, 0, 0] })
    .ball(0.042, STEEL, { at: [0, -0.275, 0.004], scale: [0.62, 1.05, 0.95] })
    .add(new THREE.CapsuleGeometry(0.019, 0.05, 2, 8), DARK_STEEL, {
      at: [side * -0.004, -0.325, 0.012],
      turn: [Math.PI / 2 - 0.25, 0, 0],
    })
    .add(new THREE.CapsuleGeometry(0.0165, 0.046, 2, 8), STEEL, {
      at: [side * -0.012, -0.345, 0.006],
      turn: [Math.PI / 2 - 0.1, 0, 0],
    })
    .add(new THREE.CapsuleGeometry(0.013, 0.035, 2, 7), DARK_STEEL, {
      at: [side * -0.026, -0.29, 0.03],
      turn: [-0.5, 0, 0],
    })
    .build(fore)
}

function buildLeg(
  { thigh, shin, foot }: { thigh: THREE.Group; shin: THREE.Group; foot: THREE.Group },
  side: number,
): void {
  new Parts()
    .turned(
      [
        [0.088, 0.02],
        [0.09, -0.1],
        [0.072, -0.3],
        [0.06, -0.42],
      ],
      MAIL,
    )
    .turned(
      [
        [0.094, -0.1],
        [0.093, -0.15],
        [0.08, -0.27],
        [0.066, -0.375],
      ],
      STEEL,
    )
    .ring(0.0945, 0.004, GOLD, { at: [0, -0.1, 0], turn: [Math.PI / 2, 0, 0] })
    .build(thigh)
  new Parts()
    .ball(0.066, STEEL, { at: [0, 0.005, 0.01], scale: [0.95, 1.08, 1.02] })
    .ball(0.042, DARK_STEEL, { at: [side * 0.045, 0, 0], scale: [0.42, 1.25, 1.25] })
    .turned(
      [
        [0.05, -0.02],
        [0.062, -0.06],
        [0.067, -0.13],
        [0.056, -0.26],
        [0.045, -0.355],
        [0.052, -0.4],
      ],
      STEEL,
      { bend: (p) => void (p.z -= p.z < 0 ? 0.01 * Math.sin(Math.min(1, -p.y / 0.3) * Math.PI) : 0) },
    )
    .ring(0.064, 0.0045, GOLD, { at: [0, -0.065, 0], turn: [Math.PI / 2, 0, 0] })
    .build(shin)
  const boot = new Parts()
    .ball(0.05, STEEL, { at: [0, -0.01, -0.004], scale: [1, 1.05, 1.1] })
    .ball(0.05, STEEL, { at: [0, -0.052, 0.06], scale: [0.92, 0.72, 2.1] })
    .add(new THREE.CapsuleGeometry(0.044, 0.15, 2, 10), LEATHER, {
      at: [0, -0.076, 0.055],
      turn: [Math.PI / 2, 0, 0],
      scale: [1.04, 1, 0.3],
    })
  for (let lame = 0; lame < 4; lame++)
    boot.ring(0.046 - lame * 0.0035, 0.0035, DARK_STEEL, {
      at: [0, -0.053, 0.045 + lame * 0.03],
      scale: [0.98, 0.8 - lame * 0.05, 1],
    })
  boot.build(foot)
}
