import * as THREE from 'three'

/** 거리 함수와, 그것을 감싸는 공 (mirrored 면 x 를 접어 좌우 한 쌍) */
export interface Shape {
  distance(x: number, y: number, z: number): number
  centre: THREE.Vector3
  reach: number
  mirrored: boolean
}

/** 점토 덩이 하나: 모양, 따라갈 뼈, 빛깔, 옆 덩이와 이어지는 부드러움(m) */
export interface Lump {
  shape: Shape
  bone: string
  colour: THREE.Color
  blend: number
  /** 참이면 붙이지 않고 파낸다 */
  carve?: boolean
}

/** 여러 덩이를 이음매 없이 하나로 붙인 모양 */
export class Clay {
  constructor(
    readonly lumps: readonly Lump[],
    readonly bounds: THREE.Box3,
  ) {}

  /** 표면까지의 거리(안쪽이 음수). 덩이를 차례로 부드럽게 합친다. */
  distance(x: number, y: number, z: number, lumps = this.lumps): number {
    let d = 1e3
    for (let k = 0; k < lumps.length; k++) {
      const { shape, blend, carve } = lumps[k]!
      // 감싸는 공이 멀면 볼 것도 없다
      const room = (carve ? blend - d : d + blend) + shape.reach + 0.03
      if (room < 0 || away(shape, x, y, z) > room * room) continue
      const e = shape.distance(x, y, z)
      const gap = Math.abs(carve ? d + e : d - e)
      const h = gap < blend ? (blend - gap) / blend : 0
      const round = h * h * blend * 0.25
      d = carve ? Math.max(d, -e) + round : Math.min(d, e) - round
    }
    return d
  }

  /** 점에서 range 안에 있을 만한 덩이들 */
  near(x: number, y: number, z: number, range: number): readonly Lump[] {
    return this.lumps.filter(({ shape, blend }) => away(shape, x, y, z) < (shape.reach + blend + range) ** 2)
  }

  /** 거리의 기울기. 길이를 1 로 하면 법선이다. */
  gradient(p: THREE.Vector3, out: THREE.Vector3, lumps = this.lumps): THREE.Vector3 {
    const e = 0.004
    const a = this.distance(p.x + e, p.y - e, p.z - e, lumps)
    const b = this.distance(p.x - e, p.y - e, p.z + e, lumps)
    const c = this.distance(p.x - e, p.y + e, p.z - e, lumps)
    const d = this.distance(p.x + e, p.y + e, p.z + e, lumps)
    return out.set(a - b - c + d, c + d - a - b, b + d - a - c).multiplyScalar(1 / (4 * e))
  }

  /** 점을 표면 위로 옮기고 그곳의 법선을 준다. */
  settle(p: THREE.Vector3, normal: THREE.Vector3): void {
    const lumps = this.near(p.x, p.y, p.z, 0.05)
    for (let pass = 0; pass < 2; pass++) {
      const d = this.distance(p.x, p.y, p.z, lumps)
      if (Math.abs(d) < 2e-4) break
      this.gradient(p, normal, lumps)
      p.addScaledVector(normal, -d / Math.max(0.2, normal.lengthSq()))
    }
    this.gradient(p, normal, lumps).normalize()
  }

  /** from 에서 direction 으로 쏘아 처음 닿는 표면. */
  touch(from: THREE.Vector3, direction: THREE.Vector3): { point: THREE.Vector3; normal: THREE.Vector3 } {
    const point = from.clone()
    for (let step = 0; step < 60; step++) {
      const d = this.distance(point.x, point.y, point.z)
      point.addScaledVector(direction, d * 0.7)
      if (Math.abs(d) < 1e-4) break
    }
    return { point, normal: this.gradient(point, new THREE.Vector3()).normalize() }
  }

  /** 움푹한 곳은 어둡게: 법선 쪽으로 얼마나 트여 있는지 (0~1) */
  openness(p: THREE.Vector3, n: THREE.Vector3): number {
    let shade = 0
    for (const [reach, weight] of OCCLUSION) {
      const d = this.distance(p.x + n.x * reach, p.y + n.y * reach, p.z + n.z * reach)
      shade += weight * Math.max(0, reach - d)
    }
    return 1 - Math.min(1, shade)
  }
}

/** 감싸는 공의 가운데까지 거리의 제곱 */
function away({ centre, mirrored }: Shape, x: number, y: number, z: number): number {
  const dx = (mirrored && x < 0 ? -x : x) - centre.x
  const dy = y - centre.y
  const dz = z - centre.z
  return dx * dx + dy * dy + dz * dz
}

const OCCLUSION = [
  [0.03, 5],
  [0.09, 2.4],
  [0.2, 0.9],
] as const

/** 타원체: 가운데, 반지름, x 축 둘레 기울기. mirrored 면 좌우 한 쌍. */
export function ellipsoid(
  [cx, cy, cz]: readonly [number, number, number],
  [rx, ry, rz]: readonly [number, number, number],
  tilt = 0,
  mirrored = false,
): Shape {
  const s = Math.sin(tilt)
  const c = Math.cos(tilt)
  const least = Math.min(rx, ry, rz)
  return {
    centre: new THREE.Vector3(cx, cy, cz),
    reach: Math.max(rx, ry, rz),
    mirrored,
    distance(x, y, z) {
      const px = ((mirrored && x < 0 ? -x : x) - cx) / rx
      const py = (c * (y - cy) + s * (z - cz)) / ry
      const pz = (c * (z - cz) - s * (y - cy)) / rz
      const k0 = Math.sqrt(px * px + py * py + pz * pz)
      const k1 = Math.sqrt((px / rx) ** 2 + (py / ry) ** 2 + (pz / rz) ** 2)
      return k1 < 1e-6 ? -least : (k0 * (k0 - 1)) / k1
    },
  }
}

/** 굵기가 변하는 마디들: [x, y, z, 반지름][]. flat 은 앞뒤(z)로 납작한 정도. */
export function limb(
  joints: readonly (readonly [number, number, number, number])[],
  { mirrored = false, flat = 1 } = {},
): Shape {
  const box = new THREE.Box3().setFromPoints(joints.map(([x, y, z]) => new THREE.Vector3(x, y, z)))
  const middle = box.getCenter(new THREE.Vector3())
  const thin = 1 / Math.sqrt(flat)
  return {
    centre: middle,
    reach: Math.max(...joints.map(([x, y, z, r]) => Math.hypot(x - middle.x, y - middle.y, z - middle.z) + r)),
    mirrored,
    distance(x0, y, z) {
      const x = mirrored && x0 < 0 ? -x0 : x0
      let nearest = 1e3
      for (let k = 1; k < joints.length; k++) {
        const a = joints[k - 1]!
        const b = joints[k]!
        const ux = b[0] - a[0]
        const uy = b[1] - a[1]
        const uz = b[2] - a[2]
        const px = x - a[0]
        const py = y - a[1]
        const pz = z - a[2]
        const t = Math.min(1, Math.max(0, (px * ux + py * uy + pz * uz) / (ux * ux + uy * uy + uz * uz)))
        const qx = px - ux * t
        const qy = py - uy * t
        const qz = (pz - uz * t) * flat
        // 마디 사이 굵기는 부드럽게 이어진다
        const d = Math.sqrt(qx * qx + qy * qy + qz * qz) - (a[3] + (b[3] - a[3]) * t * t * (3 - 2 * t))
        if (d < nearest) nearest = d
      }
      return nearest * thin
    },
  }
}

/** 모양을 다각형으로 옮긴다 (서피스 네츠). 칸마다 점 하나를 두고 표면으로 밀어 붙여 매끈하게 한다. */
export function polygonise(clay: Clay, cell: number): { positions: THREE.Vector3[]; triangles: number[] } {
  const BLOCK = 4
  const { min } = clay.bounds
  const size = clay.bounds.getSize(new THREE.Vector3()).divideScalar(cell)
  const blocks = [size.x, size.y, size.z].map((n) => Math.ceil(n / BLOCK)) as [number, number, number]
  const [nx, ny, nz] = blocks.map((n) => n * BLOCK + 1) as [number, number, number]
  const field = new Float32Array(nx * ny * nz).fill(1)
  const at = (i: number, j: number, k: number): number => i + nx * (j + ny * k)
  // 표면에서 먼 덩이(4×4×4 칸)는 건너뛴다
  const half = (BLOCK * cell) / 2
  for (let bk = 0; bk < blocks[2]; bk++)
    for (let bj = 0; bj < blocks[1]; bj++)
      for (let bi = 0; bi < blocks[0]; bi++) {
        const [i0, j0, k0] = [bi * BLOCK, bj * BLOCK, bk * BLOCK]
        const [x, y, z] = [min.x + i0 * cell + half, min.y + j0 * cell + half, min.z + k0 * cell + half]
        const lumps = clay.near(x, y, z, half * 1.8)
        if (!lumps.length) continue
        const d = clay.distance(x, y, z, lumps)
        if (d > half * 2.4) continue
        for (let k = k0; k <= k0 + BLOCK; k++)
          for (let j = j0; j <= j0 + BLOCK; j++)
            for (let i = i0; i <= i0 + BLOCK; i++) {
              const spot = at(i, j, k)
              if (d < half * -2.4) field[spot] = Math.min(field[spot]!, -1)
              else if (Math.abs(field[spot]!) === 1)
                field[spot] = clay.distance(min.x + i * cell, min.y + j * cell, min.z + k * cell, lumps)
            }
      }

  const vertex = new Int32Array(nx * ny * nz).fill(-1)
  const positions: THREE.Vector3[] = []
  const triangles: number[] = []
  const corner = [0, 1, nx, nx + 1, nx * ny, nx * ny + 1, nx * ny + nx, nx * ny + nx + 1]
  for (let k = 0; k < nz - 1; k++)
    for (let j = 0; j < ny - 1; j++)
      for (let i = 0; i < nx - 1; i++) {
        const base = at(i, j, k)
        let inside = 0
        for (let c = 0; c < 8; c++) if (field[base + corner[c]!]! < 0) inside |= 1 << c
        if (inside === 0 || inside === 255) continue
        let x = 0
        let y = 0
        let z = 0
        let count = 0
        for (let a = 0; a < 8; a++)
          for (let axis = 1; axis <= 4; axis <<= 1) {
            const b = a | axis
            if (b === a || ((inside >> a) & 1) === ((inside >> b) & 1)) continue
            const da = field[base + corner[a]!]!
            const t = da / (da - field[base + corner[b]!]!)
            x += (a & 1) + (axis === 1 ? t : 0)
            y += ((a >> 1) & 1) + (axis === 2 ? t : 0)
            z += ((a >> 2) & 1) + (axis === 4 ? t : 0)
            count++
          }
        vertex[base] = positions.length
        positions.push(new THREE.Vector3(i + x / count, j + y / count, k + z / count).multiplyScalar(cell).add(min))
      }

  const strides = [1, nx, nx * ny]
  for (let k = 1; k < nz - 1; k++)
    for (let j = 1; j < ny - 1; j++)
      for (let i = 1; i < nx - 1; i++) {
        const base = at(i, j, k)
        const within = field[base]! < 0
        for (let axis = 0; axis < 3; axis++) {
          if (within === field[base + strides[axis]!]! < 0) continue
          const u = strides[(axis + 1) % 3]!
          const v = strides[(axis + 2) % 3]!
          const a = vertex[base - u - v]!
          const b = vertex[base - v]!
          const c = vertex[base]!
          const d = vertex[base - u]!
          if (a < 0 || b < 0 || c < 0 || d < 0) continue
          if (within) triangles.push(a, b, c, a, c, d)
          else triangles.push(a, c, b, a, d, c)
        }
      }
  return { positions, triangles }
}

/** 다각형에 법선 · 빛깔 · 뼈 무게를 붙여 스킨 지오메트리로 만든다. paint 는 빛깔을 더 칠한다. */
export function sculpt(
  clay: Clay,
  cell: number,
  boneIndex: (name: string) => number,
  finish: {
    paint(p: THREE.Vector3, normal: THREE.Vector3, colour: THREE.Color): void
    /** 뼈 무게를 고친다 (귀처럼 한 덩이가 여러 뼈를 따라갈 때) */
    weigh(p: THREE.Vector3, weights: Map<string, number>): void
    flush(p: THREE.Vector3): number
  },
): THREE.BufferGeometry {
  const { positions, triangles } = polygonise(clay, cell)
  const count = positions.length
  const position = new Float32Array(count * 3)
  const normal = new Float32Array(count * 3)
  const colour = new Float32Array(count * 3)
  const flush = new Float32Array(count)
  const skinIndex = new Uint16Array(count * 4)
  const skinWeight = new Float32Array(count * 4)
  const n = new THREE.Vector3()
  const tint = new THREE.Color()
  const weights = new Map<string, number>()
  positions.forEach((p, v) => {
    clay.settle(p, n)
    p.toArray(position, v * 3)
    n.toArray(normal, v * 3)
    weights.clear()
    tint.setRGB(0, 0, 0)
    let painted = 0
    for (const lump of clay.lumps) {
      if (away(lump.shape, p.x, p.y, p.z) > (lump.shape.reach + 0.25) ** 2) continue
      const d = lump.shape.distance(p.x, p.y, p.z)
      const share = Math.exp(-Math.max(d, -0.02) * 70)
      painted += share
      tint.r += lump.colour.r * share
      tint.g += lump.colour.g * share
      tint.b += lump.colour.b * share
      if (!lump.carve) weights.set(lump.bone, (weights.get(lump.bone) ?? 0) + Math.exp(-Math.max(d, -0.02) * 46))
    }
    tint.multiplyScalar(1 / painted)
    finish.paint(p, n, tint)
    // 그늘진 곳은 붉은 기가 돌게: 빛이 스민 점토처럼
    const open = clay.openness(p, n)
    tint.r *= 0.55 + 0.45 * open
    tint.g *= 0.42 + 0.58 * open
    tint.b *= 0.44 + 0.56 * open
    tint.toArray(colour, v * 3)
    flush[v] = finish.flush(p)
    finish.weigh(p, weights)
    const top = [...weights].sort((a, b) => b[1] - a[1]).slice(0, 4)
    const sum = top.reduce((total, [, weight]) => total + weight, 0)
    top.forEach(([bone, weight], slot) => {
      skinIndex[v * 4 + slot] = boneIndex(bone)
      skinWeight[v * 4 + slot] = weight / sum
    })
  })
  const geometry = new THREE.BufferGeometry()
  geometry.setAttribute('position', new THREE.BufferAttribute(position, 3))
  geometry.setAttribute('normal', new THREE.BufferAttribute(normal, 3))
  geometry.setAttribute('color', new THREE.BufferAttribute(colour, 3))
  geometry.setAttribute('flush', new THREE.BufferAttribute(flush, 1))
  geometry.setAttribute('skinIndex', new THREE.BufferAttribute(skinIndex, 4))
  geometry.setAttribute('skinWeight', new THREE.BufferAttribute(skinWeight, 4))
  geometry.setIndex(triangles)
  return geometry
}
