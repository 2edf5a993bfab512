// 주인공의 몸: 점토 조각들을 눌러 붙인 모양. 조각마다 빛깔과 따라갈 뼈가 있다.

import { Box3, CatmullRomCurve3, Color, Vector3 } from 'three'
import { BRAID_POINTS, braidBone, restOf } from './rig.mjs'

const SKIN = '#ffcfae'
const HAIR = '#b9552c'
const TUNIC = '#2b8f9c'
const CREAM = '#fff0d8'
const TROUSERS = '#5b4a78'
const BOOT = '#8a4f32'
const SOLE = '#5e3526'
const GOLD = '#f2b544'
const CAPE = '#c83a45'

const smooth = (a, b, x) => {
  const t = Math.min(1, Math.max(0, (x - a) / (b - a)))
  return t * t * (3 - 2 * t)
}

/** 모양이 있는 모듈(clay.ts)을 받아 조각들을 만든다. */
export function pieces({ ellipsoid, limb }) {
  /** 눕힌 고리: 가운데, 반지름 [x, z], 굵기, 높낮이의 납작함 */
  const ring = ([cx, cy, cz], [rx, rz], thick, flat = 1) => ({
    centre: new Vector3(cx, cy, cz),
    reach: Math.max(rx, rz) + thick * 2,
    mirrored: false,
    distance(x, y, z) {
      const [px, pz] = [x - cx, z - cz]
      const k = Math.hypot(px / rx, pz / rz) || 1e-6
      const out = Math.hypot(px, pz) * (1 - 1 / k)
      return Math.hypot(out, (y - cy) / flat) - thick
    },
  })
  const both = { mirrored: true }
  const spine = (p) => {
    const chest = smooth(0.6, 0.7, p.y)
    const hips = 1 - smooth(0.5, 0.6, p.y)
    return [
      ['Hips', hips],
      ['Spine', (1 - hips) * (1 - chest)],
      ['Chest', (1 - hips) * chest],
    ]
  }
  const only = (bone) => () => [[bone, 1]]
  const sided = (bone) => (p) => [[`${bone}.${p.x > 0 ? 'L' : 'R'}`, 1]]
  const sleeve = limb(
    [
      [0.128, 0.755, -0.006, 0.058],
      [0.232, 0.625, -0.01, 0.05],
      [0.272, 0.562, 0.001, 0.05],
    ],
    both,
  )
  const trunk = ellipsoid([0, 0.63, 0], [0.142, 0.2, 0.115])
  const skirt = ellipsoid([0, 0.46, 0.002], [0.172, 0.088, 0.15])
  const arm = (p) => {
    const side = p.x > 0 ? 'L' : 'R'
    const body = Math.min(trunk.distance(p.x, p.y, p.z), skirt.distance(p.x, p.y, p.z))
    const out = smooth(-0.035, 0.035, body - sleeve.distance(p.x, p.y, p.z))
    const fore = smooth(-0.035, 0.035, (Math.abs(p.x) - 0.232) * 0.53 - (p.y - 0.625) * 0.85)
    const rest = spine(p).map(([bone, part]) => [bone, part * (1 - out)])
    return [...rest, [`UpperArm.${side}`, out * (1 - fore)], [`LowerArm.${side}`, out * fore]]
  }
  const leg = (p) => {
    const side = p.x > 0 ? 'L' : 'R'
    const hip = smooth(0.44, 0.53, p.y)
    const shin = 1 - smooth(0.25, 0.31, p.y)
    return [
      ['Hips', hip],
      [`Thigh.${side}`, (1 - hip) * (1 - shin)],
      [`Shin.${side}`, (1 - hip) * shin],
    ]
  }
  const boot = (p) => {
    const side = p.x > 0 ? 'L' : 'R'
    const foot = 1 - smooth(0.075, 0.13, p.y)
    return [
      [`Foot.${side}`, foot],
      [`Shin.${side}`, 1 - foot],
    ]
  }
  const lump = (shape, blend = 0.03, carve = false) => ({ shape, blend, carve, bone: '', colour: new Color() })
  const box = (x, y0, y1, z0, z1) => new Box3(new Vector3(-x, y0, z0), new Vector3(x, y1, z1))
  return [
    {
      name: 'head',
      colour: SKIN,
      cell: 0.0245,
      bounds: box(0.3, 0.78, 1.32, -0.26, 0.3),
      weigh: (p) => {
        const head = smooth(0.82, 0.89, p.y)
        return [
          ['Neck', 1 - head],
          ['Head', head],
        ]
      },
      paint(p, n, colour) {
        // 발그레한 볼과 코끝
        const cheek = Math.hypot(Math.abs(p.x) - 0.135, (p.y - 0.985) * 1.25)
        const blush = p.z > 0 ? smooth(0.062, 0.018, cheek) * 0.62 : 0
        const nose = smooth(0.032, 0.012, Math.hypot(p.x, p.y - 1.012)) * (p.z > 0.2 ? 0.3 : 0)
        colour.lerp(new Color('#f4646a'), Math.max(blush, nose))
      },
      lumps: [
        lump(ellipsoid([0, 1.05, 0], [0.235, 0.22, 0.215])),
        lump(ellipsoid([0.1, 0.975, 0.085], [0.1, 0.085, 0.1], 0, true), 0.09),
        lump(ellipsoid([0, 0.925, 0.12], [0.07, 0.05, 0.06]), 0.07),
        lump(ellipsoid([0, 1.012, 0.222], [0.023, 0.019, 0.022]), 0.02),
        lump(ellipsoid([0.238, 1.025, 0.02], [0.028, 0.05, 0.038], -0.15, true), 0.015),
        lump(
          limb([
            [0, 0.78, -0.005, 0.058],
            [0, 0.9, 0, 0.06],
          ]),
          0.05,
        ),
      ],
    },
    {
      name: 'hair',
      colour: HAIR,
      cell: 0.023,
      bounds: box(0.32, 0.86, 1.46, -0.36, 0.28),
      weigh: only('Head'),
      paint(p, n, colour) {
        // 빗은 결
        const comb = Math.sin(Math.atan2(p.x, p.z + 0.3) * 46 + p.y * 12)
        colour.multiplyScalar(1 + 0.07 * comb)
        colour.lerp(new Color('#e58a4c'), 0.42 * smooth(0.1, 0.9, n.y) * smooth(1.15, 1.3, p.y))
      },
      lumps: [
        lump(ellipsoid([0, 1.085, -0.045], [0.262, 0.232, 0.232])),
        lump(ellipsoid([0, 0.985, -0.1], [0.205, 0.1, 0.135]), 0.06),
        lump(
          limb([
            [-0.05, 1.275, 0.07, 0.05],
            [0.075, 1.235, 0.168, 0.05],
            [0.175, 1.155, 0.168, 0.044],
            [0.226, 1.05, 0.1, 0.024],
          ]),
          0.03,
        ),
        lump(
          limb([
            [-0.06, 1.275, 0.07, 0.045],
            [-0.13, 1.22, 0.15, 0.044],
            [-0.196, 1.14, 0.145, 0.036],
            [-0.232, 1.045, 0.085, 0.022],
          ]),
          0.025,
        ),
        lump(
          limb([
            [-0.03, 1.27, 0.1, 0.045],
            [0.012, 1.212, 0.19, 0.036],
            [0.045, 1.155, 0.213, 0.02],
            [0.05, 1.132, 0.214, 0.011],
          ]),
          0.02,
        ),
        lump(
          limb([
            [0, 1.285, -0.03, 0.036],
            [0.004, 1.345, -0.03, 0.02],
            [0.03, 1.382, 0.004, 0.015],
            [0.062, 1.38, 0.03, 0.008],
          ]),
          0.03,
        ),
        lump(
          limb([
            [0, 1.185, -0.2, 0.07],
            [0, 1.2, -0.262, 0.05],
          ]),
          0.05,
        ),
      ],
    },
    {
      name: 'tunic',
      colour: TUNIC,
      cell: 0.028,
      bounds: box(0.34, 0.36, 0.86, -0.22, 0.22),
      weigh: arm,
      lumps: [
        lump(ellipsoid([0, 0.69, -0.002], [0.142, 0.125, 0.112])),
        lump(ellipsoid([0, 0.575, 0.004], [0.128, 0.12, 0.112]), 0.06),
        lump(ellipsoid([0, 0.46, 0.002], [0.172, 0.088, 0.15]), 0.09),
        lump(ellipsoid([0, 0.375, 0], [0.2, 0.05, 0.18]), 0.03, true),
        lump(sleeve, 0.05),
      ],
    },
    {
      name: 'hem',
      colour: CREAM,
      cell: 0.0185,
      bounds: box(0.22, 0.36, 0.46, -0.2, 0.2),
      weigh: only('Hips'),
      lumps: [lump(ring([0, 0.413, 0.002], [0.152, 0.131], 0.015, 1.1))],
    },
    {
      name: 'cuffs',
      colour: CREAM,
      cell: 0.0185,
      bounds: box(0.38, 0.48, 0.62, -0.08, 0.09),
      weigh: sided('LowerArm'),
      lumps: [
        lump(
          limb(
            [
              [0.276, 0.556, 0.002, 0.063],
              [0.286, 0.542, 0.005, 0.062],
            ],
            both,
          ),
        ),
      ],
    },
    {
      name: 'hands',
      colour: SKIN,
      cell: 0.0175,
      bounds: box(0.39, 0.42, 0.58, -0.08, 0.12),
      weigh: sided('Hand'),
      lumps: [
        lump(ellipsoid([0.308, 0.5, 0.014], [0.036, 0.05, 0.042], 0, true)),
        lump(
          limb(
            [
              [0.295, 0.51, 0.045, 0.017],
              [0.296, 0.485, 0.066, 0.015],
            ],
            both,
          ),
          0.015,
        ),
      ],
    },
    {
      name: 'belt',
      colour: BOOT,
      cell: 0.019,
      bounds: box(0.18, 0.5, 0.6, -0.18, 0.18),
      weigh: spine,
      lumps: [lump(ring([0, 0.545, 0.003], [0.139, 0.123], 0.0165, 1.35))],
    },
    {
      name: 'buckle',
      colour: GOLD,
      cell: 0.013,
      bounds: box(0.06, 0.5, 0.6, 0.08, 0.16),
      weigh: spine,
      lumps: [lump(ellipsoid([0, 0.545, 0.142], [0.032, 0.028, 0.014]))],
    },
    {
      name: 'collar',
      colour: CAPE,
      cell: 0.021,
      bounds: box(0.2, 0.7, 0.87, -0.2, 0.17),
      weigh: only('Chest'),
      lumps: [lump(ring([0, 0.806, -0.018], [0.108, 0.094], 0.031, 0.95))],
    },
    {
      name: 'brooch',
      colour: GOLD,
      cell: 0.0135,
      bounds: box(0.06, 0.73, 0.85, 0.04, 0.16),
      weigh: only('Chest'),
      lumps: [lump(ellipsoid([0, 0.79, 0.103], [0.033, 0.033, 0.017], -0.3))],
    },
    {
      name: 'trousers',
      colour: TROUSERS,
      cell: 0.031,
      bounds: box(0.2, 0.1, 0.56, -0.14, 0.16),
      weigh: leg,
      lumps: [
        lump(ellipsoid([0, 0.49, 0], [0.13, 0.075, 0.1])),
        lump(
          limb(
            [
              [0.078, 0.47, 0, 0.068],
              [0.082, 0.28, 0.006, 0.056],
              [0.085, 0.16, 0, 0.052],
            ],
            both,
          ),
          0.04,
        ),
      ],
    },
    {
      name: 'boots',
      colour: BOOT,
      cell: 0.025,
      bounds: box(0.2, -0.02, 0.28, -0.12, 0.2),
      weigh: boot,
      lumps: [
        lump(
          limb(
            [
              [0.085, 0.2, -0.002, 0.064],
              [0.085, 0.1, -0.005, 0.058],
            ],
            both,
          ),
        ),
        lump(ellipsoid([0.089, 0.058, 0.05], [0.066, 0.058, 0.108], 0, true), 0.04),
        lump(ellipsoid([0.087, 0.05, -0.012], [0.058, 0.05, 0.06], 0, true), 0.03),
        lump(ellipsoid([0, -0.06, 0.03], [0.5, 0.062, 0.5]), 0.012, true),
      ],
    },
    {
      name: 'boot cuffs',
      colour: '#d79a62',
      cell: 0.0185,
      bounds: box(0.18, 0.14, 0.25, -0.1, 0.1),
      weigh: sided('Shin'),
      lumps: [0.085, -0.085].map((x) => lump(ring([x, 0.197, -0.002], [0.057, 0.057], 0.0165, 1.2))),
    },
    {
      name: 'soles',
      colour: SOLE,
      cell: 0.023,
      bounds: box(0.2, -0.03, 0.06, -0.11, 0.2),
      weigh: sided('Foot'),
      lumps: [lump(ellipsoid([0.089, 0.013, 0.036], [0.071, 0.02, 0.126], 0, true))],
    },
  ]
}

/** 땋은 머리: 세 가닥이 엇갈리며 내려가고, 끝에 매듭과 붓 모양 꽁지가 있다. [점, 법선, 빛깔, 뼈 무게][] 와 세모 */
export function braid() {
  const axis = new CatmullRomCurve3(BRAID_POINTS.map((at) => new Vector3(...at)))
  const vertices = []
  const triangles = []
  const tint = new Color(HAIR)
  const light = new Color('#e2844a')
  const WEAVES = 5.5
  const END = 0.86
  /** 몸통에 붙은 통: 자리, 굵기, 빛깔을 s(0~1) 에서 */
  const tube = (rings, sides, at, radius, colour) => {
    const first = vertices.length
    for (let r = 0; r <= rings; r++) {
      const s = r / rings
      const centre = at(s)
      const along = at(Math.min(1, s + 0.004))
        .sub(at(Math.max(0, s - 0.004)))
        .normalize()
      const side = new Vector3(1, 0, 0).addScaledVector(along, -along.x).normalize()
      const out = new Vector3().crossVectors(along, side)
      for (let k = 0; k < sides; k++) {
        const angle = (k / sides) * Math.PI * 2
        const normal = side.clone().multiplyScalar(Math.cos(angle)).addScaledVector(out, Math.sin(angle))
        vertices.push({ p: centre.clone().addScaledVector(normal, radius(s)), n: normal, colour: colour(s, normal) })
      }
    }
    for (let r = 0; r < rings; r++)
      for (let k = 0; k < sides; k++) {
        const a = first + r * sides + k
        const b = first + r * sides + ((k + 1) % sides)
        triangles.push(a, a + sides, b, b, a + sides, b + sides)
      }
  }
  const frame = (s) => {
    const along = axis.getTangent(s)
    const side = new Vector3(1, 0, 0)
    return { side, out: new Vector3().crossVectors(side, along).normalize(), at: axis.getPoint(s) }
  }
  for (let strand = 0; strand < 3; strand++) {
    const offset = (s) => {
      const w = (s * END * WEAVES + strand / 3) * Math.PI * 2
      const width = 0.03 * (1 - 0.35 * s) * smooth(-0.04, 0.06, s)
      return [width * Math.sin(w), 0.62 * width * Math.sin(2 * w)]
    }
    const at = (s) => {
      const { side, out, at: centre } = frame(s * END)
      const [x, z] = offset(s)
      return centre.addScaledVector(side, x).addScaledVector(out, z)
    }
    tube(
      44,
      7,
      at,
      (s) => 0.034 * (1 - 0.36 * s),
      (s, normal) => {
        const [x, z] = offset(s)
        const { side, out } = frame(s * END)
        // 가닥 사이의 골은 어둡게
        const open = normal.dot(side) * x + normal.dot(out) * z
        return tint
          .clone()
          .lerp(light, 0.3)
          .multiplyScalar(0.86 + Math.min(0.2, Math.max(-0.3, open * 9)))
      },
    )
  }
  const gold = () => new Color(GOLD)
  const along = (from, to) => (s) => axis.getPoint(from + (to - from) * s)
  tube(6, 14, along(0.005, 0.05), (s) => 0.05 + 0.013 * Math.sin(Math.PI * s), gold)
  tube(6, 12, along(0.84, 0.885), (s) => 0.026 + 0.012 * Math.sin(Math.PI * s), gold)
  tube(
    10,
    10,
    along(0.87, 1),
    (s) => 0.045 * Math.sin(Math.PI * Math.min(1, 0.16 + s * 0.84)) ** 0.8 + 0.001,
    (s) => tint.clone().lerp(light, 0.2 + 0.5 * s),
  )
  return { vertices: vertices.map((vertex) => ({ ...vertex, weights: weightsOf(vertex.p) })), triangles }
}

/** 땋은 머리의 점이 따라갈 뼈 둘 */
function weightsOf(p) {
  let nearest = Infinity
  let place = 0
  for (let k = 0; k + 1 < BRAID_POINTS.length; k++) {
    const [a, b] = [new Vector3(...BRAID_POINTS[k]), new Vector3(...BRAID_POINTS[k + 1])]
    const way = b.clone().sub(a)
    const t = Math.min(1, Math.max(0, p.clone().sub(a).dot(way) / way.lengthSq()))
    const d = a.addScaledVector(way, t).distanceTo(p)
    if (d < nearest) [nearest, place] = [d, k + t]
  }
  // 마디의 가운데에서 제 뼈만, 이음에서 반씩
  const at = Math.max(0, place - 0.5)
  const k = Math.min(Math.floor(at), 5)
  const part = k < 5 ? smooth(0.1, 0.9, at - k) : 0
  return [
    [braidBone(k), 1 - part],
    [braidBone(Math.min(k + 1, 5)), part],
  ]
}

/** 눈과 눈썹, 입: 얼굴 앞면 위에 놓인다. touch(x, y) 는 앞에서 쏘아 닿은 점과 법선. */
export const FACE = {
  eye: { x: 0.088, y: 1.045, size: [0.031, 0.047, 0.017] },
  dark: '#33201f',
  brow: '#8f3f22',
  mouth: '#a8434a',
  shine: '#ffffff',
}

/** 망토의 재단(가슴의 쉬는 자세): across 는 왼쪽 +1 부터 오른쪽 −1, down 은 0 부터 1. */
export function capeAt(across, down) {
  const LENGTH = 0.6
  const [TOP, BOTTOM] = [0.118, 0.41]
  const angle = across * 1.5
  const wide = TOP + (BOTTOM - TOP) * Math.max(0, down) ** 0.8
  const behind = smooth(0, 0.2, down)
  const fold = 0.05 * Math.max(0, down) ** 0.7 * Math.cos(across * Math.PI * 2)
  const lie = Math.cos(angle)
  return new Vector3(
    wide * Math.sin(angle),
    0.806 - LENGTH * down - 0.02 * behind * Math.sin(angle) ** 2,
    -0.022 - 0.1 * lie - behind * (0.03 + 0.07 * (1 - lie)) - 0.07 * down - fold,
  )
}

export const headRest = () => restOf('Head')
