import * as THREE from 'three'
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js'
import type { Collider } from 'limber'
import { bed, ground } from './ground'
import * as shapes from './shapes'
import { Rock } from './shapes'
import type { Water } from './water'
import { seeded, tileableNoise } from '../../../shared/random'
import { paint, paintPixels } from '../../../shared/textures'

const ORANGE = '#ff8748'
const PINK = '#ff6f96'
const AMBER = '#e5892e'
const RED = '#e4504f'
const LILAC = '#b48bea'
const YELLOW = '#ffcb4d'
const MINT = '#6fd3b4'
const CREAM = '#f3d3a2'
const MAGENTA = '#d4508f'

type Kind = 'brain' | 'staghorn' | 'tubes' | 'table' | 'fingers' | 'anemone' | 'grass' | 'star'

/** 산호초: 모래, 바위, 돌문, 산호와 물풀. 바위는 물고기가 비켜 가는 장애물이기도 하다. */
export class ReefBed {
  readonly group = new THREE.Group()
  readonly obstacles: Collider[] = []
  #random = seeded(2024)
  #hard: THREE.BufferGeometry[] = []
  #soft: THREE.BufferGeometry[] = []
  #fans: THREE.BufferGeometry[] = []
  #spread: number
  #grain = grainTexture()

  /** spread: 좁은 화면에서 좌우를 오므리는 배수 */
  constructor(water: Water, spread: number) {
    this.#spread = spread
    this.#arch()
    this.#left()
    this.#front()
    this.#scatter()
    this.#distance()
    this.#assemble(water)
  }

  #rock(
    x: number,
    z: number,
    sink: number,
    [rx, ry, rz]: readonly [number, number, number],
    seed: number,
    detail?: number,
  ): Rock {
    x *= this.#spread
    const rock = new Rock(new THREE.Vector3(x, bed(x, z) - sink, z), new THREE.Vector3(rx, ry, rz), seed, detail)
    this.#hard.push(rock.geometry)
    return rock
  }

  #block(rock: Rock, radius: number, lift = 0): void {
    const { x, y, z } = rock.centre
    this.obstacles.push({ kind: 'sphere', center: [x, y + lift, z], radius })
  }

  /** 산호 하나를 자리 at 에 심는다. up 은 자라는 쪽. */
  #plant(
    kind: Kind,
    size: number,
    colour: string,
    at: THREE.Vector3,
    up: THREE.Vector3 = THREE.Object3D.DEFAULT_UP,
  ): void {
    const random = shapes.branch(this.#random)
    const parts = {
      brain: () => [shapes.brainCoral(size, colour, random)],
      staghorn: () => shapes.staghorn(size, colour, random),
      tubes: () => shapes.tubeSponge(size, colour, random),
      table: () => [shapes.tableCoral(size, colour, random)],
      fingers: () => shapes.fingerCoral(size, colour, random),
      anemone: () => shapes.anemone(size, colour, random),
      grass: () => shapes.grass(size, colour, random),
      star: () => [shapes.starfish(size, colour, random)],
    }[kind]()
    const turn = new THREE.Quaternion().setFromUnitVectors(THREE.Object3D.DEFAULT_UP, up)
    turn.multiply(new THREE.Quaternion().setFromAxisAngle(THREE.Object3D.DEFAULT_UP, random() * 6.28))
    const place = new THREE.Matrix4().compose(at, turn, new THREE.Vector3(1, 1, 1))
    const soft = kind === 'grass' || kind === 'anemone' || kind === 'fingers'
    for (const part of parts) (soft ? this.#soft : this.#hard).push(part.applyMatrix4(place))
  }

  /** 바위의 방향 way 쪽 겉에 심는다. 반쯤은 위를 향해 자란다. */
  #on(rock: Rock, kind: Kind, size: number, colour: string, x: number, y: number, z: number): void {
    const way = new THREE.Vector3(x, y, z).normalize()
    const at = rock.surface(way, new THREE.Vector3())
    at.addScaledVector(way, -size * 0.06)
    const up = way.lerp(THREE.Object3D.DEFAULT_UP, kind === 'brain' ? 0.2 : 0.55).normalize()
    this.#plant(kind, size, colour, at, up)
  }

  /** 바위의 앞쪽 겉을 작은 산호로 덮는다. */
  #crust(rock: Rock, count: number): void {
    const random = this.#random
    const kinds = ['brain', 'fingers', 'brain', 'staghorn', 'tubes'] as const
    const colours = [PINK, ORANGE, YELLOW, LILAC, MINT, MAGENTA, CREAM]
    for (let k = 0; k < count; k++) {
      const angle = random() * Math.PI * 1.3 - 0.5
      const kind = kinds[Math.floor(random() * kinds.length)]!
      const size = (kind === 'brain' ? 0.13 : 0.22) + random() * 0.14
      this.#on(
        rock,
        kind,
        size,
        colours[Math.floor(random() * 7)]!,
        Math.cos(angle),
        0.1 + random() * 1.1,
        Math.sin(angle),
      )
    }
  }

  #sand(kind: Kind, size: number, colour: string, x: number, z: number): void {
    x *= this.#spread
    this.#plant(kind, size, colour, new THREE.Vector3(x, bed(x, z) - 0.01, z))
  }

  /** 부채산호: 그림을 붙인 판. turn 은 세로축 각도. */
  #fan(size: number, colour: string, at: THREE.Vector3, turn: number, tilt = 0): void {
    const plane = new THREE.PlaneGeometry(size * 1.2, size, 6, 6).translate(0, size * 0.47, 0)
    const { position } = plane.attributes
    for (let k = 0; k < position!.count; k++) {
      const u = position!.getX(k) / size
      position!.setZ(k, u * u * size * 0.35)
    }
    plane.computeVertexNormals()
    const base = new THREE.Color(colour)
    const painted = shapes.finish(
      plane,
      (p, _, out) => void out.copy(base).multiplyScalar(0.7 + (0.5 * p.y) / size),
      (p) => Math.max(0, p.y / size) ** 1.5 * size * 0.16,
    )
    this.#fans.push(painted.rotateZ(tilt).rotateY(turn).translate(at.x, at.y, at.z))
  }

  #fanOn(rock: Rock, size: number, colour: string, way: THREE.Vector3, turn: number, tilt: number): void {
    const at = rock.surface(way.normalize(), new THREE.Vector3())
    this.#fan(size, colour, at.addScaledVector(way, -0.08), turn, tilt)
  }

  /** 오른쪽의 돌문: 물고기 떼가 밑으로 지나간다 */
  #arch(): void {
    const s = this.#spread
    const path = [
      [1.0, -0.7, -3.6],
      [1.1, 1.2, -3.5],
      [1.9, 2.75, -3.2],
      [3.5, 3.35, -2.7],
      [5.0, 2.6, -2.2],
      [5.7, 1.1, -1.8],
      [5.8, -0.7, -1.6],
    ].map(([x, y, z]) => new THREE.Vector3(s < 1 ? x! * 0.72 - 0.4 : x!, y, z))
    const radius = s < 1 ? 0.52 : 0.72
    const arch = new shapes.Arch(new THREE.CatmullRomCurve3(path), radius)
    this.#hard.push(arch.geometry)
    for (let k = 1; k < path.length; k++) {
      this.obstacles.push({ kind: 'capsule', a: path[k - 1]!, b: path[k]!, radius: radius * 1.12 })
    }
    // t: 왼쪽 밑동 0 ~ 오른쪽 밑동 1, sideways: 앞으로 기운 정도
    const top = (t: number, sideways: number, kind: Kind, size: number, colour: string): void => {
      const way = new THREE.Vector3()
      const at = arch.surface(t, sideways, way).addScaledVector(way, -size * 0.08)
      this.#plant(kind, size, colour, at, way.lerp(THREE.Object3D.DEFAULT_UP, kind === 'brain' ? 0.1 : 0.5).normalize())
    }
    top(0.36, 0.2, 'staghorn', 0.62, ORANGE)
    top(0.43, 0.7, 'brain', 0.34, MINT)
    top(0.5, 0.1, 'staghorn', 0.7, LILAC)
    top(0.55, 0.8, 'fingers', 0.5, PINK)
    top(0.62, 0.1, 'staghorn', 0.6, YELLOW)
    top(0.68, 0.7, 'anemone', 0.45, MINT)
    top(0.3, 0.9, 'tubes', 0.55, MAGENTA)
    top(0.75, 0.9, 'brain', 0.36, ORANGE)
    const random = this.#random
    const small = [PINK, ORANGE, YELLOW, MINT, LILAC]
    for (let k = 0; k < 22; k++) {
      const kind = (['brain', 'fingers', 'staghorn'] as const)[k % 3]!
      const size = (kind === 'brain' ? 0.1 : 0.2) + random() * 0.14
      top(0.2 + (k / 22) * 0.64, random() * 2.2 - 0.4, kind, size, small[k % 5]!)
    }
    for (const [t, size, colour, turn, tilt] of [
      [0.24, 1.0, RED, -0.5, 0.5],
      [0.82, 1.1, MAGENTA, 0.45, -0.5],
    ] as const) {
      const way = new THREE.Vector3()
      const at = arch.surface(t, 2.5, way)
      this.#fan(size, colour, at.addScaledVector(way, -0.05), turn, tilt)
    }
    const left = this.#rock(0.2, -2.6, 0.25, [1.0, 0.75, 0.85], 4)
    this.#block(left, 0.85)
    this.#crust(left, 7)
    this.#on(left, 'table', 0.6, AMBER, -0.2, 1, 0.5)
    this.#on(left, 'fingers', 0.5, YELLOW, -0.9, 0.6, 0.5)
    this.#on(left, 'brain', 0.3, PINK, 0.5, 0.7, 0.8)
    const right = this.#rock(6.4, -0.6, 0.2, [1.3, 1.0, 1.1], 5)
    this.#block(right, 1.15)
    this.#crust(right, 8)
    this.#on(right, 'staghorn', 0.75, LILAC, -0.2, 1, 0.3)
    this.#on(right, 'tubes', 0.7, YELLOW, -0.8, 0.7, 0.5)
    this.#on(right, 'brain', 0.42, RED, -0.3, 0.5, 1)
  }

  /** 왼쪽의 산호 언덕 */
  #left(): void {
    const big = this.#rock(-4.9, -2.0, 0.2, [1.75, 1.9, 1.5], 1)
    const low = this.#rock(-3.2, -1.0, 0.25, [1.15, 0.85, 1.0], 2)
    const side = this.#rock(-6.6, -0.6, 0.2, [1.5, 1.25, 1.3], 3)
    this.#block(big, 1.8, 0.1)
    this.#block(low, 1.0)
    this.#block(side, 1.4)
    this.#crust(big, 14)
    this.#crust(low, 8)
    this.#crust(side, 9)
    this.#on(big, 'table', 1.0, AMBER, 0.2, 1, 0.4)
    this.#on(big, 'staghorn', 0.8, PINK, -0.6, 0.9, 0.3)
    this.#on(big, 'tubes', 0.8, LILAC, 0.75, 0.75, 0.4)
    this.#on(big, 'brain', 0.5, YELLOW, 0.4, 0.45, 1)
    this.#on(big, 'fingers', 0.6, MAGENTA, -0.35, 0.6, 0.9)
    this.#on(big, 'brain', 0.36, MINT, 0.9, 0.35, 0.6)
    this.#fanOn(big, 1.3, RED, new THREE.Vector3(-0.1, 0.15, 1), 0.25, 0.1)
    this.#fanOn(big, 1.15, LILAC, new THREE.Vector3(0.75, 0.85, -0.3), -0.35, -0.35)
    this.#on(low, 'anemone', 0.62, PINK, 0.2, 1, 0.4)
    this.#on(low, 'brain', 0.45, MINT, -0.6, 0.7, 0.7)
    this.#on(low, 'staghorn', 0.55, YELLOW, 0.8, 0.6, 0.2)
    this.#on(low, 'fingers', 0.45, ORANGE, 0.5, 0.3, 1)
    this.#on(side, 'staghorn', 0.85, ORANGE, 0.4, 1, 0.4)
    this.#on(side, 'brain', 0.6, MAGENTA, 0.2, 0.4, 1)
    this.#on(side, 'staghorn', 0.7, YELLOW, -0.4, 1, 0.3)
  }

  /** 앞쪽 두 귀퉁이의 산호 */
  #front(): void {
    const left = this.#rock(-3.7, 3.3, 0.35, [1.0, 0.8, 0.8], 6)
    this.#block(left, 0.85)
    this.#on(left, 'staghorn', 0.8, ORANGE, -0.2, 1, 0.1)
    this.#on(left, 'tubes', 0.62, MAGENTA, 0.55, 0.9, 0.3)
    this.#on(left, 'brain', 0.36, YELLOW, 0.9, 0.5, 0.5)
    this.#on(left, 'fingers', 0.5, PINK, -0.8, 0.8, 0.4)
    const right = this.#rock(3.6, 3.0, 0.4, [1.1, 0.8, 0.8], 7)
    this.#block(right, 0.85)
    this.#on(right, 'anemone', 0.6, LILAC, 0.05, 1, 0.2)
    this.#on(right, 'fingers', 0.5, PINK, 0.75, 0.8, 0.1)
    this.#on(right, 'brain', 0.4, ORANGE, -0.75, 0.55, 0.5)
    this.#on(right, 'fingers', 0.4, YELLOW, -0.5, 0.9, -0.2)
  }

  /** 모래 위의 자잘한 것들 */
  #scatter(): void {
    const random = this.#random
    const grassy = [
      [-1.5, -1.4],
      [-2.1, 0.9],
      [1.9, 0.4],
      [2.6, 1.7],
      [-0.6, -4.2],
      [0.7, 1.9],
      [4.6, 0.8],
      [-5.1, 0.9],
      [-2.7, 3.2],
      [2.6, 3.3],
      [3.2, -4.4],
      [-2.4, -4.0],
    ] as const
    for (const [x, z] of grassy)
      for (let k = 0; k < 3; k++) {
        this.#sand(
          'grass',
          0.5 + random() * 0.5,
          k % 2 ? '#5fd39a' : '#a9d45c',
          x + (random() - 0.5) * 0.8,
          z + (random() - 0.5) * 0.6,
        )
      }
    this.#sand('brain', 0.3, PINK, -1.2, 0.6)
    this.#sand('brain', 0.22, YELLOW, -0.85, 0.95)
    this.#sand('fingers', 0.42, LILAC, 1.5, -0.6)
    this.#sand('staghorn', 0.5, CREAM, -0.4, -1.8)
    this.#sand('brain', 0.26, ORANGE, 2.1, 1.1)
    this.#sand('star', 0.2, RED, 0.3, 1.3)
    this.#sand('star', 0.16, ORANGE, -1.7, 2.1)
    this.#sand('tubes', 0.5, PINK, 3.4, -0.8)
  }

  /** 물빛에 잠긴 먼 바위들 */
  #distance(): void {
    for (const [x, z, rx, ry, seed] of [
      [-9.5, -9, 2.6, 3.4, 11],
      [-14, -15, 4, 5.2, 12],
      [-3.5, -15, 2.8, 1.9, 13],
      [5.5, -12, 2.2, 1.7, 14],
      [11.5, -10, 2.6, 3.6, 15],
      [16, -17, 4.5, 5.6, 16],
      [1.5, -23, 5, 2.8, 17],
    ] as const) {
      const rock = this.#rock(x, z, 0.3, [rx, ry, rx * 0.9], seed, 6)
      this.#on(rock, 'staghorn', rx * 0.36, ORANGE, 0.5, 1, 0.4)
      this.#on(rock, 'staghorn', rx * 0.4, PINK, -0.5, 0.9, 0.4)
      this.#on(rock, 'fingers', rx * 0.36, LILAC, 0, 1, 0.5)
      this.#on(rock, 'brain', rx * 0.25, YELLOW, 0.5, 0.5, 0.9)
    }
  }

  #assemble(water: Water): void {
    const sway = {
      head: 'attribute float sway;',
      // 물살에 따라 천천히 흔들린다
      place: `
        vec2 tide = vec2(sin(waterTime * 0.9 + position.x * 0.7 + position.z * 0.4), cos(waterTime * 0.7 + position.z * 0.8));
        vec2 ripple = vec2(sin(waterTime * 2.3 + position.y * 3.0 + position.x * 3.0), sin(waterTime * 2.0 + position.y * 2.6 + position.z * 4.0));
        transformed.xz += (tide + ripple * 0.4) * sway;`,
    }
    const hard = merge(this.#hard)
    hard.deleteAttribute('sway')
    const stone = water.wet(new THREE.MeshLambertMaterial({ vertexColors: true }), {
      caustics: 1.5,
      uniforms: { grain: { value: this.#grain } },
      fragment: {
        head: 'uniform sampler2D grain;',
        colour: `
          float level = inverseTransformDirection(normalize(vNormal), viewMatrix).y;
          float rough = mix(texture2D(grain, vec2(vWet.x + vWet.z * 0.8, vWet.y) * 0.55).r, texture2D(grain, vWet.xz * 0.55).r, level * level);
          diffuseColor.rgb *= 0.5 + 1.25 * rough;`,
      },
    })
    const flesh = new THREE.MeshLambertMaterial({ vertexColors: true, side: THREE.DoubleSide })
    const lace = new THREE.MeshLambertMaterial({
      vertexColors: true,
      side: THREE.DoubleSide,
      map: fanTexture(),
      alphaTest: 0.45,
    })
    this.group.add(
      ground(water),
      new THREE.Mesh(hard, stone),
      new THREE.Mesh(merge(this.#soft), water.wet(flesh, { caustics: 0.9, vertex: sway })),
      new THREE.Mesh(merge(this.#fans), water.wet(lace, { caustics: 0.7, vertex: sway })),
    )
  }
}

function merge(parts: THREE.BufferGeometry[]): THREE.BufferGeometry {
  const merged = mergeGeometries(parts)
  for (const part of parts) part.dispose()
  return merged
}

/** 부채산호의 그물 무늬. ▶ 진짜 부채산호 사진이 있으면 여기를 바꾼다. */
function fanTexture(): THREE.CanvasTexture {
  const random = seeded(5)
  return paint(512, 512, (context) => {
    context.strokeStyle = '#fff'
    context.lineCap = 'round'
    const [x0, y0] = [256, 508]
    const reach = (angle: number): number => 440 - 150 * Math.abs(angle) ** 1.5 + Math.sin(angle * 9) * 16
    // 굵은 가지에서 잔가지로: 부챗살처럼 퍼지며 끝까지 간다
    const grow = (angle: number, from: number, open: number, wide: number): void => {
      const to = Math.min(reach(angle), from + 60 + random() * 40)
      const bent = angle + (random() - 0.5) * 0.07
      context.lineWidth = wide
      context.beginPath()
      context.moveTo(x0 + Math.sin(angle) * from, y0 - Math.cos(angle) * from)
      context.lineTo(x0 + Math.sin(bent) * to, y0 - Math.cos(bent) * to)
      context.stroke()
      if (to >= reach(bent) - 6) return
      const next = Math.max(4, wide * 0.72)
      if (open > 0.035) {
        grow(bent - open, to, open * 0.56, next)
        grow(bent + open, to, open * 0.56, next)
      } else grow(bent, to, open, next)
    }
    for (const lean of [-0.8, -0.4, 0, 0.4, 0.8]) grow(lean, 0, 0.2, 17)
    // 가지 사이를 잇는 결
    context.lineWidth = 3
    for (let k = 0; k < 420; k++) {
      const angle = (random() * 2 - 1) * 0.95
      const out = 90 + random() * (reach(angle) - 110)
      context.beginPath()
      context.arc(x0, y0, out, -Math.PI / 2 + angle - 0.06, -Math.PI / 2 + angle + 0.06)
      context.stroke()
    }
  })
}

/** 거친 결: 바위와 산호의 바탕빛에 곱한다. ▶ 진짜 바위 사진이 있으면 여기를 바꾼다. */
function grainTexture(): THREE.CanvasTexture {
  const size = 256
  const layers = [7, 17, 40, 90].map((cells, k) => tileableNoise(cells, 60 + k))
  const texture = paintPixels(
    size,
    (px, py) => {
      const [a, b, c, d] = layers.map((layer) => layer(px / size, py / size)) as [number, number, number, number]
      const pits = Math.min(1, Math.abs(b - 0.5) * 7)
      const light = (0.25 + a * 0.3 + c * 0.35 + d * 0.2) * (0.55 + 0.45 * pits) * 255
      return [light, light, light]
    },
    false,
  )
  texture.anisotropy = 1
  return texture
}
