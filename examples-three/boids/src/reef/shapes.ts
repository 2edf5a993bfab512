import * as THREE from 'three'
import { mergeVertices } from 'three/addons/utils/BufferGeometryUtils.js'
import { seeded, smoothstep } from '../../../shared/random'

type Random = () => number
type Paint = (at: THREE.Vector3, normal: THREE.Vector3, out: THREE.Color) => void

const hash = (x: number, y: number, z: number): number => {
  let h = Math.imul(x, 374761393) + Math.imul(y, 668265263) + Math.imul(z, 1274126177)
  h = Math.imul(h ^ (h >>> 13), 1274126177)
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296
}

/** 부드러운 값 노이즈 0~1 */
export function noise(x: number, y: number, z: number): number {
  const [i, j, k] = [Math.floor(x), Math.floor(y), Math.floor(z)]
  const ease = (t: number): number => t * t * (3 - 2 * t)
  const [u, v, w] = [ease(x - i), ease(y - j), ease(z - k)]
  const mix = (a: number, b: number, t: number): number => a + (b - a) * t
  const row = (dj: number, dk: number): number => mix(hash(i, j + dj, k + dk), hash(i + 1, j + dj, k + dk), u)
  return mix(mix(row(0, 0), row(1, 0), v), mix(row(0, 1), row(1, 1), v), w)
}

/** 꼭짓점마다 빛깔과 흔들림(0 굳음 ~)을 적고, 한 벌로 합칠 수 있게 다듬는다. */
export function finish(
  given: THREE.BufferGeometry,
  paint: Paint,
  sway?: (at: THREE.Vector3) => number,
): THREE.BufferGeometry {
  const geometry = given.index ? given : mergeVertices(given)
  const { position, normal } = geometry.attributes
  const colours = new Float32Array(position!.count * 3)
  const sways = new Float32Array(position!.count)
  const [at, out, colour] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Color()]
  for (let k = 0; k < position!.count; k++) {
    at.fromBufferAttribute(position!, k)
    out.fromBufferAttribute(normal!, k)
    paint(at, out, colour)
    colour.toArray(colours, k * 3)
    sways[k] = sway?.(at) ?? 0
  }
  geometry.setAttribute('color', new THREE.BufferAttribute(colours, 3))
  geometry.setAttribute('sway', new THREE.BufferAttribute(sways, 1))
  return geometry
}

const ROCK = ['#a9708a', '#dd9f63', '#ee7a90', '#c8ab62'].map((c) => new THREE.Color(c))

/** 바위의 빛깔: 황토, 분홍 산호말, 이끼 */
function rockColour(at: THREE.Vector3, up: number, out: THREE.Color): void {
  out.copy(ROCK[0]!).lerp(ROCK[1]!, smoothstep(0.3, 0.65, noise(at.x * 1.1, at.y * 1.1, at.z * 1.1)))
  out.lerp(ROCK[2]!, smoothstep(0.52, 0.7, noise(at.x * 1.7 + 9, at.y * 1.7, at.z * 1.7)) * 0.9)
  out.lerp(ROCK[3]!, smoothstep(0.5, 0.72, noise(at.x * 1.4, at.y * 1.4 + 20, at.z * 1.4)) * 0.6 * (up * 0.5 + 0.5))
  out.multiplyScalar(0.72 + 0.5 * noise(at.x * 6, at.y * 6, at.z * 6))
}

/** 울퉁불퉁한 바위. 그 위에 산호를 얹을 자리를 알려 준다. */
export class Rock {
  readonly geometry: THREE.BufferGeometry

  constructor(
    readonly centre: THREE.Vector3,
    readonly radii: THREE.Vector3,
    readonly seed: number,
    detail = 8,
  ) {
    const geometry = new THREE.IcosahedronGeometry(1, detail)
    geometry.deleteAttribute('uv')
    geometry.deleteAttribute('normal')
    const merged = mergeVertices(geometry, 1e-4)
    geometry.dispose()
    const { position } = merged.attributes
    const way = new THREE.Vector3()
    for (let k = 0; k < position!.count; k++) {
      way.fromBufferAttribute(position!, k)
      this.surface(way, way)
      position!.setXYZ(k, way.x, way.y, way.z)
    }
    merged.computeVertexNormals()
    this.geometry = finish(merged, (at, normal, out) => {
      rockColour(at, normal.y, out)
      // 밑동은 그늘진다
      out.multiplyScalar(0.55 + 0.45 * smoothstep(-0.1, 1.0, at.y - 0.1 + normal.y * 0.3))
    })
  }

  /** 방향 way 로 나가면 만나는 겉의 점 */
  surface(way: THREE.Vector3, out: THREE.Vector3): THREE.Vector3 {
    const { x, y, z } = way
    const s = this.seed * 17.3
    const folds = 1 - Math.abs(2 * noise(x * 2.6 + s, y * 3.4, z * 2.6) - 1)
    const bulge =
      0.62 +
      0.42 * noise(x * 1.5 + s, y * 1.5, z * 1.5) +
      0.26 * folds * folds +
      0.16 * noise(x * 6 + s, y * 6, z * 6) +
      0.06 * noise(x * 13 + s, y * 13, z * 13)
    return out.set(x, y, z).multiplyScalar(bulge).multiply(this.radii).add(this.centre)
  }
}

/** 길을 따라 선 울퉁불퉁한 돌기둥 */
export class Arch {
  readonly geometry: THREE.BufferGeometry

  constructor(
    readonly curve: THREE.Curve<THREE.Vector3>,
    readonly radius: number,
  ) {
    const geometry = new THREE.TubeGeometry(curve, 72, 1, 26)
    geometry.deleteAttribute('uv')
    const { position, normal } = geometry.attributes
    const [at, out] = [new THREE.Vector3(), new THREE.Vector3()]
    for (let k = 0; k < position!.count; k++) {
      out.fromBufferAttribute(normal!, k)
      at.fromBufferAttribute(position!, k).sub(out)
      this.#swell(at, out)
      position!.setXYZ(k, at.x, at.y, at.z)
    }
    const merged = mergeVertices(geometry, 1e-3)
    merged.computeVertexNormals()
    this.geometry = finish(merged, (at, normal, colour) => {
      rockColour(at, normal.y, colour)
      colour.multiplyScalar((0.62 + 0.38 * smoothstep(0, 1.2, at.y)) * (0.78 + 0.22 * smoothstep(-0.8, 0.4, normal.y)))
    })
  }

  /** 길의 t(0~1) 에서 위쪽으로, sideways 만큼 옆으로 기운 방향(way)으로 나가면 만나는 겉의 점 */
  surface(t: number, sideways: number, way: THREE.Vector3): THREE.Vector3 {
    const along = this.curve.getTangentAt(t)
    way.set(0, 1, 0).addScaledVector(along, -along.y).normalize()
    way.addScaledVector(along.cross(way), sideways).normalize()
    const at = this.curve.getPointAt(t)
    this.#swell(at, way)
    return at
  }

  /** 길 위의 점 at 을 방향 out 쪽 겉으로 옮긴다. */
  #swell(at: THREE.Vector3, out: THREE.Vector3): void {
    const { x, y, z } = at
    const [a, b, c] = [out.x * 1.1, out.y * 1.1, out.z * 1.1]
    const folds = 1 - Math.abs(2 * noise(x * 1.3 + a * 1.4, y * 1.7 + b * 1.4, z * 1.3 + c * 1.4) - 1)
    const lump =
      0.5 +
      0.55 * noise(x * 0.9 + a, y * 0.9 + b, z * 0.9 + c) +
      0.4 * folds * folds +
      0.16 * noise(x * 4 + a * 3, y * 4 + b * 3, z * 4 + c * 3)
    const foot = 1 + 0.5 * smoothstep(1.4, -0.4, y)
    at.addScaledVector(out, this.radius * lump * foot)
  }
}

const WHITE = new THREE.Color('#fff6e6')
const tinted = (colour: string, random: Random): THREE.Color =>
  new THREE.Color(colour).offsetHSL((random() - 0.5) * 0.025, 0, (random() - 0.5) * 0.05)

/** 골이 진 둥근 뇌산호 */
export function brainCoral(size: number, colour: string, random: Random): THREE.BufferGeometry {
  const geometry = new THREE.SphereGeometry(
    size,
    size > 0.3 ? 38 : 16,
    size > 0.3 ? 17 : 8,
    0,
    Math.PI * 2,
    0,
    Math.PI * 0.6,
  )
  geometry.deleteAttribute('uv')
  const { position } = geometry.attributes
  const at = new THREE.Vector3()
  const seed = random() * 50
  const groove = ({ x, y, z }: THREE.Vector3): number => {
    const f = (size > 0.3 ? 9 : 5) / size
    const wave =
      Math.sin(x * f + 7 * noise((x * 3) / size + seed, (y * 3) / size, (z * 3) / size)) +
      Math.sin(z * f * 0.9 + y * f * 0.7 + 7 * noise((z * 3) / size, (x * 3) / size + seed, 3))
    return Math.abs(wave) * 0.5
  }
  for (let k = 0; k < position!.count; k++) {
    at.fromBufferAttribute(position!, k)
    at.multiplyScalar(0.92 + 0.12 * groove(at))
    position!.setXYZ(k, at.x, at.y * 0.8, at.z)
  }
  const smooth = mergeVertices(geometry, 1e-4)
  smooth.computeVertexNormals()
  const base = tinted(colour, random)
  return finish(smooth, (p, normal, out) => {
    p.y /= 0.8
    out.copy(base).multiplyScalar((0.4 + 0.85 * groove(p)) * (0.7 + 0.3 * smoothstep(-0.4, 0.5, normal.y)))
  })
}

/** 한 가닥: a 에서 b 로 가늘어지는 기둥과 둥근 끝 */
function twig(a: THREE.Vector3, b: THREE.Vector3, from: number, to: number, cap: boolean): THREE.BufferGeometry {
  const way = b.clone().sub(a)
  const long = way.length()
  const profile = [new THREE.Vector2(from, 0), new THREE.Vector2(to, long)]
  if (cap) profile.push(new THREE.Vector2(to * 0.62, long + to * 0.75), new THREE.Vector2(0.001, long + to))
  const geometry = new THREE.LatheGeometry(profile, 5)
  geometry.deleteAttribute('uv')
  const turn = new THREE.Quaternion().setFromUnitVectors(THREE.Object3D.DEFAULT_UP, way.divideScalar(long))
  return geometry.applyQuaternion(turn).translate(a.x, a.y, a.z)
}

/** 가지를 뻗는 사슴뿔 산호. 끝은 희다. */
export function staghorn(size: number, colour: string, random: Random): THREE.BufferGeometry[] {
  const parts: THREE.BufferGeometry[] = []
  const base = tinted(colour, random)
  const grow = (from: THREE.Vector3, way: THREE.Vector3, long: number, thick: number, depth: number): void => {
    const to = from.clone().addScaledVector(way, long)
    const last = depth === 0
    parts.push(
      finish(twig(from, to, thick, thick * (last ? 0.62 : 0.78), last), (at, _, out) => {
        const tip = last ? smoothstep(0.35, 1.1, at.distanceTo(from) / long) : 0
        out
          .copy(base)
          .multiplyScalar(0.62 + 0.42 * smoothstep(0, size, at.y))
          .lerp(WHITE, tip * 0.8)
      }),
    )
    if (last) return
    const count = depth > 1 ? 3 : 2
    const turn = random() * Math.PI * 2
    for (let k = 0; k < count; k++) {
      const angle = turn + (k / count) * Math.PI * 2
      const next = new THREE.Vector3(Math.cos(angle), 0.55 + random() * 0.5, Math.sin(angle)).normalize()
      grow(to, next.lerp(way, 0.42).normalize(), long * (0.72 + random() * 0.2), thick * 0.74, depth - 1)
    }
  }
  const small = size < 0.4
  const stems = 3
  for (let k = 0; k < stems; k++) {
    const angle = (k / stems) * Math.PI * 2 + random()
    const way = new THREE.Vector3(Math.cos(angle) * 0.6, 0.8, Math.sin(angle) * 0.6).normalize()
    grow(new THREE.Vector3(0, -size * 0.1, 0), way, size * (small ? 0.55 : 0.4), size * 0.085, small ? 1 : 2)
  }
  return parts
}

/** 대롱 모양 해면의 무리. 입 안은 어둡다. */
export function tubeSponge(size: number, colour: string, random: Random): THREE.BufferGeometry[] {
  const base = tinted(colour, random)
  const count = 5
  return Array.from({ length: count }, (_, k) => {
    const angle = (k / count) * Math.PI * 2 + random()
    const out = k === 0 ? 0 : size * 0.24
    const high = size * (k === 0 ? 1 : 0.45 + random() * 0.45)
    const wide = size * (0.1 + random() * 0.035)
    const lathe = new THREE.LatheGeometry(
      [
        [0.62, -0.15],
        [0.75, 0.3],
        [1, 0.75],
        [1.12, 0.97],
        [1.02, 1.02],
        [0.78, 1],
        [0.62, 0.86],
        [0.02, 0.8],
      ].map(([r, y]) => new THREE.Vector2(r! * wide, y! * high)),
      9,
    )
    lathe.deleteAttribute('uv')
    const painted = finish(lathe, (at, _, colour) => {
      const inner = smoothstep(0.85, 0.55, Math.hypot(at.x, at.z) / wide) * smoothstep(0.7, 0.82, at.y / high)
      colour.copy(base).multiplyScalar((0.5 + 0.55 * smoothstep(-0.1, 1, at.y / high)) * (1 - 0.75 * inner))
    })
    return painted
      .rotateZ(-Math.cos(angle) * 0.22 * Number(k > 0))
      .rotateX(Math.sin(angle) * 0.22 * Number(k > 0))
      .translate(Math.cos(angle) * out, 0, Math.sin(angle) * out)
  })
}

/** 책상처럼 펼쳐진 산호 */
export function tableCoral(size: number, colour: string, random: Random): THREE.BufferGeometry {
  const base = tinted(colour, random)
  const lathe = new THREE.LatheGeometry(
    [
      [0.16, -0.12],
      [0.12, 0.16],
      [0.26, 0.3],
      [0.7, 0.4],
      [1, 0.47],
      [1.0, 0.5],
      [0.72, 0.47],
      [0.3, 0.43],
      [0.001, 0.42],
    ].map(([r, y]) => new THREE.Vector2(r! * size, y! * size)),
    32,
  )
  lathe.deleteAttribute('uv')
  const { position } = lathe.attributes
  const seed = random() * 30
  for (let k = 0; k < position!.count; k++) {
    const [x, z] = [position!.getX(k), position!.getZ(k)]
    const angle = Math.atan2(z, x)
    const far = Math.hypot(x, z) / size
    const lobes =
      1 +
      far *
        (0.09 * Math.sin(angle * 7 + seed) + 0.05 * Math.sin(angle * 13 + seed * 2) + 0.12 * Math.sin(angle * 2 + seed))
    position!.setXYZ(k, x * lobes, position!.getY(k) + far * far * size * 0.05 * Math.sin(angle * 5 + seed), z * lobes)
  }
  const merged = mergeVertices(lathe, 1e-4)
  merged.computeVertexNormals()
  return finish(merged, (at, normal, out) => {
    const far = Math.hypot(at.x, at.z) / size
    const bumps = 0.82 + 0.3 * noise((at.x / size) * 14, 5, (at.z / size) * 14)
    out.copy(base).lerp(WHITE, smoothstep(0.8, 1.08, far) * 0.22)
    out.multiplyScalar((normal.y > 0 ? 1 : 0.5) * bumps * (0.55 + 0.45 * smoothstep(0, 0.5, at.y / size)))
  })
}

/** 손가락을 모은 듯한 말랑한 산호 */
export function fingerCoral(size: number, colour: string, random: Random): THREE.BufferGeometry[] {
  const base = tinted(colour, random)
  return Array.from({ length: 9 }, (_, k) => {
    const angle = k * 2.4 + random() * 0.5
    const out = Math.sqrt(k / 9) * size * 0.42
    const high = size * (0.95 - 0.45 * Math.sqrt(k / 9) + random() * 0.15)
    const thick = size * (0.085 + random() * 0.03)
    const lean = 0.5 * Math.sqrt(k / 9)
    const way = new THREE.Vector3(Math.cos(angle) * lean, 1, Math.sin(angle) * lean).normalize()
    const from = new THREE.Vector3(Math.cos(angle) * out * 0.5, -size * 0.1, Math.sin(angle) * out * 0.5)
    const to = from.clone().addScaledVector(way, high)
    return finish(
      twig(from, to, thick * 0.8, thick, true),
      (at, _, c) => {
        c.copy(base)
          .multiplyScalar(0.55 + 0.5 * smoothstep(0, high, at.y))
          .lerp(WHITE, smoothstep(0.75, 1.1, at.y / high) * 0.35)
      },
      (at) => smoothstep(0, 1, at.y / size) * size * 0.12,
    )
  })
}

/** 촉수를 흔드는 말미잘 */
export function anemone(size: number, colour: string, random: Random): THREE.BufferGeometry[] {
  const base = tinted(colour, random)
  const foot = new THREE.SphereGeometry(size * 0.5, 14, 8, 0, Math.PI * 2, 0, Math.PI * 0.5)
  foot.deleteAttribute('uv')
  foot.scale(1, 0.45, 1)
  const parts = [finish(foot, (at, _, c) => void c.copy(base).multiplyScalar(0.4 + at.y / size))]
  const count = 38
  for (let k = 0; k < count; k++) {
    const out = Math.sqrt((k + 0.5) / count)
    const angle = k * 2.39996
    const long = size * (0.6 + random() * 0.25)
    const from = new THREE.Vector3(
      Math.cos(angle) * out * size * 0.44,
      size * 0.2 * (1 - out * out),
      Math.sin(angle) * out * size * 0.44,
    )
    const way = new THREE.Vector3(Math.cos(angle) * out * 1.1, 1, Math.sin(angle) * out * 1.1).normalize()
    const middle = from.clone().addScaledVector(way, long * 0.55)
    const to = middle.clone().addScaledVector(way.setY(way.y + 0.5).normalize(), long * 0.45)
    const colourAt = (at: THREE.Vector3, _: THREE.Vector3, c: THREE.Color): void => {
      const high = at.distanceTo(from) / long
      c.copy(base)
        .multiplyScalar(0.5 + 0.5 * high)
        .lerp(WHITE, smoothstep(0.8, 1.05, high) * 0.6)
    }
    const swayAt = (at: THREE.Vector3): number => (at.distanceTo(from) / long) ** 1.5 * size * 0.35
    parts.push(finish(twig(from, middle, size * 0.045, size * 0.038, false), colourAt, swayAt))
    parts.push(finish(twig(middle, to, size * 0.038, size * 0.034, true), colourAt, swayAt))
  }
  return parts
}

/** 물풀 한 포기 */
export function grass(size: number, colour: string, random: Random): THREE.BufferGeometry[] {
  const base = tinted(colour, random)
  return Array.from({ length: 11 }, () => {
    const high = size * (0.55 + random() * 0.5)
    const blade = new THREE.PlaneGeometry(size * 0.065, high, 1, 4).translate(0, high / 2, 0)
    blade.deleteAttribute('uv')
    const { position, normal } = blade.attributes
    const lean = 0.15 + random() * 0.45
    for (let k = 0; k < position!.count; k++) {
      const v = position!.getY(k) / high
      position!.setXYZ(k, position!.getX(k) * (1 - v * v * 0.92), v * high, v * v * high * lean)
      normal!.setXYZ(k, 0, 0.75, 0.66)
    }
    const angle = random() * Math.PI * 2
    const out = size * 0.16 * Math.sqrt(random())
    blade.rotateY(angle).translate(Math.cos(angle * 3) * out, -0.03, Math.sin(angle * 3) * out)
    return finish(
      blade,
      (at, _, c) => void c.copy(base).multiplyScalar(0.6 + 0.6 * smoothstep(0, size * 0.8, at.y)),
      (at) => Math.max(0, at.y / size) ** 1.6 * size * 0.34,
    )
  })
}

/** 모래 위의 불가사리 */
export function starfish(size: number, colour: string, random: Random): THREE.BufferGeometry {
  const base = tinted(colour, random)
  const geometry = new THREE.SphereGeometry(size, 30, 4, 0, Math.PI * 2, 0, Math.PI * 0.5)
  geometry.deleteAttribute('uv')
  const { position } = geometry.attributes
  for (let k = 0; k < position!.count; k++) {
    const [x, y, z] = [position!.getX(k), position!.getY(k), position!.getZ(k)]
    const arm = 0.38 + 0.62 * ((Math.cos(Math.atan2(z, x) * 5) + 1) / 2) ** 1.3
    position!.setXYZ(k, x * arm, y * 0.2, z * arm)
  }
  geometry.computeVertexNormals()
  return finish(geometry, (at, _, c) => {
    c.copy(base).lerp(WHITE, 0.35 * smoothstep(0.5, 0.8, noise((at.x / size) * 9, 1, (at.z / size) * 9)))
  })
}

/** 난수에서 다음 씨앗을 얻어 저마다의 난수를 만든다. */
export const branch = (random: Random): Random => seeded(Math.floor(random() * 1e9))
