import * as THREE from 'three'
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js'
import { bed } from './ground'
import type { Water } from './water'
import { approach } from '../../../shared/random'
import { glowTexture } from '../../../shared/textures'

/** 몸통의 단면: [앞뒤 자리, 가운데 높이, 반높이, 반너비] (m) */
const RINGS = [
  [1.12, -0.005, 0.004, 0.006],
  [1.09, 0, 0.034, 0.05],
  [1.0, 0.005, 0.075, 0.098],
  [0.84, 0.005, 0.122, 0.14],
  [0.6, 0, 0.172, 0.172],
  [0.34, 0, 0.205, 0.186],
  [0.08, 0, 0.202, 0.176],
  [-0.2, 0.005, 0.168, 0.14],
  [-0.5, 0.015, 0.112, 0.094],
  [-0.76, 0.02, 0.066, 0.054],
  [-0.95, 0.025, 0.042, 0.03],
  [-1.04, 0.03, 0.036, 0.02],
] as const
const SIDES = 18
const BETWEEN = 3

/** 상어: 몸은 단면을 이어 만들고 지느러미는 얇은 날개꼴. ▶ 진짜 상어 모델이 있으면 여기를 바꾼다. */
export class Shark {
  readonly group = new THREE.Group()
  #body: THREE.Mesh<THREE.BufferGeometry, THREE.MeshPhongMaterial>
  #shade: THREE.Mesh<THREE.PlaneGeometry, THREE.MeshBasicMaterial>
  #pose = { beat: { value: 0 }, bend: { value: 0 } }
  #shown = 0
  #first = true
  readonly #nose = new THREE.Vector3()
  readonly #wanted = new THREE.Quaternion()
  readonly #side = new THREE.Vector3()
  readonly #up = new THREE.Vector3()
  readonly #turn = new THREE.Matrix4()

  constructor(water: Water) {
    const material = new THREE.MeshPhongMaterial({ specular: '#7f98a0', shininess: 28, transparent: true })
    water.wet(material, {
      caustics: 0.9,
      clear: 1.6,
      uniforms: this.#pose,
      vertex: {
        head: `
          attribute vec2 paint; uniform float beat; uniform float bend;
          varying vec3 vShape; varying vec2 vPaint; varying float vUp;`,
        normal: `
          float behind = 1.1 - position.z;
          float sweep = 0.02 + 0.045 * behind * behind;
          float phase = beat - behind * 1.7;
          float curve = position.z * position.z * bend;
          vUp = normal.y;
          float slope = 1.7 * cos(phase) * sweep - 0.09 * behind * sin(phase) + 2.0 * position.z * bend;
          objectNormal = normalize(objectNormal - vec3(0.0, 0.0, slope * objectNormal.x));`,
        place: `
          vShape = position; vPaint = paint;
          transformed.x += sin(phase) * sweep + curve;`,
      },
      fragment: {
        head: 'varying vec3 vShape; varying vec2 vPaint; varying float vUp;',
        colour: `
          float body = 1.0 - vPaint.x;
          float line = vShape.y + 0.022 * sin(vShape.z * 7.0) + 0.012 * sin(vShape.z * 17.0 + 1.0) + 0.05;
          vec3 skin = mix(vec3(0.8, 0.87, 0.88), vec3(0.15, 0.26, 0.34), smoothstep(-0.03, 0.03, line));
          skin = mix(skin, vec3(0.045, 0.11, 0.18), smoothstep(0.04, 0.2, line));
          vec3 fin = mix(vec3(0.66, 0.74, 0.77), vec3(0.09, 0.18, 0.26), smoothstep(-0.6, 0.2, vUp));
          skin = mix(fin, skin, body);
          skin = mix(skin, vec3(0.03, 0.045, 0.06), smoothstep(0.7, 0.86, vPaint.y) * 0.9);
          float slit = (vShape.z - 0.44) / 0.052 - vShape.y * 1.6;
          float gill = smoothstep(0.16, 0.06, abs(fract(slit) - 0.5)) * step(0.0, slit) * step(slit, 5.0) * smoothstep(0.1, 0.07, abs(vShape.y - 0.01));
          skin *= 1.0 - 0.6 * gill * body;
          float mouth = smoothstep(0.012, 0.004, abs(vShape.y + 0.055 + 0.3 * (vShape.z - 0.9) * (vShape.z - 0.9) * 4.0)) * smoothstep(0.72, 0.76, vShape.z) * smoothstep(0.98, 0.95, vShape.z);
          skin *= 1.0 - 0.65 * mouth * body;
          float eye = distance(vShape.yz, vec2(0.04, 0.9));
          skin = mix(skin, vec3(0.78, 0.82, 0.74), smoothstep(0.028, 0.023, eye) * body);
          skin = mix(skin, vec3(0.01, 0.015, 0.02), smoothstep(0.021, 0.017, eye) * body);
          diffuseColor.rgb = skin;`,
      },
    })
    this.#body = new THREE.Mesh(sharkGeometry(), material)
    this.#body.frustumCulled = false
    this.#shade = new THREE.Mesh(
      new THREE.PlaneGeometry(1.5, 3.2).rotateX(-Math.PI / 2),
      water.wet(
        new THREE.MeshBasicMaterial({
          color: '#0b3550',
          map: glowTexture([
            [0, 'rgb(255 255 255 / 0.8)'],
            [0.5, 'rgb(255 255 255 / 0.4)'],
            [1, 'rgb(255 255 255 / 0)'],
          ]),
          transparent: true,
          depthWrite: false,
        }),
      ),
    )
    this.group.add(this.#body, this.#shade)
  }

  /** boids 의 자세를 부드럽게 따라가며 몸을 흔든다. shown 이 거짓이면 물속으로 흐려진다. */
  advance(matrix: THREE.Matrix4, shown: boolean, dt: number): void {
    const body = this.#body
    body.position.setFromMatrixPosition(matrix)
    // 곤두서지 않게 위아래로 기운 것을 줄인다
    matrix.extractBasis(this.#side, this.#up, this.#nose)
    this.#nose.setY(this.#nose.y * 0.6).normalize()
    this.#side.crossVectors(this.#up, this.#nose).normalize()
    this.#up.crossVectors(this.#nose, this.#side)
    this.#wanted.setFromRotationMatrix(this.#turn.makeBasis(this.#side, this.#up, this.#nose))
    const before = this.#nose.set(0, 0, 1).applyQuaternion(body.quaternion)
    const bx = before.x
    const bz = before.z
    if (this.#first) body.quaternion.copy(this.#wanted)
    else body.quaternion.slerp(this.#wanted, 1 - Math.exp(-2.6 * dt))
    this.#first = false
    const nose = this.#nose.set(0, 0, 1).applyQuaternion(body.quaternion)
    // 도는 쪽으로 몸이 휜다
    const turned = dt > 0 ? Math.max(-1.2, Math.min(1.2, (bz * nose.x - bx * nose.z) / dt)) : 0
    this.#pose.bend.value = approach(this.#pose.bend.value, turned * 0.17, 2.5, dt)
    this.#pose.beat.value += dt * 4.4
    this.#shown = approach(this.#shown, shown ? 1 : 0, 2.2, dt)
    body.material.opacity = this.#shown
    body.visible = this.#shown > 0.01
    this.#shade.visible = body.visible
    const ground = bed(body.position.x, body.position.z)
    const high = body.position.y - ground
    this.#shade.position.set(body.position.x, ground + 0.06, body.position.z)
    this.#shade.rotation.y = Math.atan2(nose.x, nose.z)
    this.#shade.material.opacity = this.#shown * Math.max(0, 0.62 - high * 0.09)
  }

  /** 새 떼가 왔다: 다음 자세로 바로 옮긴다. */
  jump(): void {
    this.#first = true
  }
}

function sharkGeometry(): THREE.BufferGeometry {
  const parts = [
    trunk(),
    // 등, 둘째 등, 뒷지느러미
    wing([0, 0.16, 0.36], [0, 0.15, -0.14], [0, 0.56, -0.13], [0, 0.53, -0.18], [0, 0, -0.1], 0.03, 0),
    wing([0, 0.08, -0.56], [0, 0.07, -0.72], [0, 0.2, -0.72], [0, 0.17, -0.79], [0, 0, -0.05], 0.014, 0),
    wing([0, -0.05, -0.56], [0, -0.03, -0.72], [0, -0.16, -0.74], [0, -0.14, -0.8], [0, 0, -0.05], 0.014, 0),
    // 꼬리의 긴 위 갈래와 짧은 아래 갈래
    wing([0, 0.05, -0.86], [0, -0.03, -1.12], [0, 0.52, -1.5], [0, 0.47, -1.53], [0, 0, -0.02], 0.024, 0),
    wing([0, 0.03, -0.88], [0, 0.1, -1.12], [0, -0.27, -1.22], [0, -0.26, -1.25], [0, 0, -0.05], 0.02, 0),
  ]
  for (const side of [1, -1]) {
    // 가슴, 배지느러미
    parts.push(
      wing(
        [side * 0.12, -0.09, 0.5],
        [side * 0.11, -0.11, 0.1],
        [side * 0.7, -0.28, 0.0],
        [side * 0.68, -0.28, -0.05],
        [0, 0.03, -0.05],
        0.03,
        side,
      ),
      wing(
        [side * 0.05, -0.13, -0.2],
        [side * 0.05, -0.12, -0.36],
        [side * 0.17, -0.22, -0.42],
        [side * 0.15, -0.22, -0.47],
        [0, 0, -0.03],
        0.014,
        side,
      ),
    )
  }
  const merged = mergeGeometries(parts)
  for (const part of parts) part.dispose()
  return merged
}

function trunk(): THREE.BufferGeometry {
  const curve = new THREE.CatmullRomCurve3(RINGS.map(([z, y, high]) => new THREE.Vector3(high, y, z)))
  const widths = new THREE.CatmullRomCurve3(RINGS.map(([z, , , wide]) => new THREE.Vector3(wide, 0, z)))
  const rows = (RINGS.length - 1) * BETWEEN
  const place: number[] = []
  const index: number[] = []
  for (let row = 0; row <= rows; row++) {
    const { x: high, y, z } = curve.getPoint(row / rows)
    const wide = widths.getPoint(row / rows).x
    for (let k = 0; k < SIDES; k++) {
      const angle = (k / SIDES) * Math.PI * 2
      // 배는 조금 납작하다
      const drop = Math.cos(angle) < 0 ? 0.88 : 1
      place.push(Math.sin(angle) * wide, y + Math.cos(angle) * high * drop, z)
    }
  }
  for (let row = 0; row < rows; row++)
    for (let k = 0; k < SIDES; k++) {
      const [a, b] = [row * SIDES + k, row * SIDES + ((k + 1) % SIDES)]
      index.push(a, b + SIDES, a + SIDES, a, b, b + SIDES)
    }
  return finish(place, index, () => [0, 0])
}

type Point = readonly [x: number, y: number, z: number]

/** 뿌리의 앞뒤와 끝의 앞뒤를 잇는 얇은 지느러미. swell 만큼 뒤로 휘어진다. side: 옆으로 난 것이면 ±1 */
function wing(
  rootFront: Point,
  rootBack: Point,
  tipFront: Point,
  tipBack: Point,
  swell: Point,
  thick: number,
  side: number,
): THREE.BufferGeometry {
  const [chord, span] = [8, 7]
  const place: number[] = []
  const index: number[] = []
  const tips: number[] = []
  const edge = (root: Point, tip: Point, v: number, bow: number): number[] =>
    root.map((from, c) => from + (tip[c]! - from) * v + swell[c]! * bow * 4 * v * (1 - v))
  for (const face of [1, -1])
    for (let j = 0; j <= span; j++) {
      const v = j / span
      const front = edge(rootFront, tipFront, v, -0.35)
      const back = edge(rootBack, tipBack, v, -0.9)
      for (let i = 0; i <= chord; i++) {
        const u = i / chord
        const lens = thick * Math.sqrt(u + 0.02) * (1 - u) * 2.2 * (1 - 0.75 * v) * face
        const at = front.map((from, c) => from + (back[c]! - from) * u)
        // 얇은 쪽: 세운 지느러미는 x, 옆 지느러미는 y
        if (side) at[1]! += lens
        else at[0]! += lens
        place.push(...at)
        tips.push(v)
      }
    }
  const row = chord + 1
  const flip = side > 0 || (side === 0 && tipFront[1] < rootFront[1])
  for (const face of [0, 1])
    for (let j = 0; j < span; j++)
      for (let i = 0; i < chord; i++) {
        const a = face * row * (span + 1) + j * row + i
        const quad = [a, a + 1, a + row + 1, a, a + row + 1, a + row]
        index.push(...((face === 0) === flip ? quad.reverse() : quad))
      }
  return finish(place, index, (k) => [1, tips[k]!])
}

function finish(
  place: number[],
  index: number[],
  paint: (k: number) => readonly [number, number],
): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry().setIndex(index)
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(place, 3))
  geometry.setAttribute(
    'paint',
    new THREE.Float32BufferAttribute(Array.from({ length: place.length / 3 }, (_, k) => paint(k)).flat(), 2),
  )
  geometry.computeVertexNormals()
  return geometry
}
