import * as THREE from 'three'
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js'
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js'
import { seeded, tileableNoise } from '../../shared/random'
import { normalMap, paintPixels } from '../../shared/textures'

/** 성가퀴 간격(m), 총안 턱의 높이, 성가퀴 꼭대기의 높이, 성벽 안쪽 면의 z */
const PITCH = 1.7
const SILL = 0.52
const MERLON = 1.2
const WALL = -1.36
const THICK = 0.52
const HALF = 11.05

/** 밤 성벽: 돌바닥, 흉벽과 성가퀴. ▶ 진짜 성 모델로 바꿀 자리. */
export function createRampart(): THREE.Group {
  const group = new THREE.Group()
  const wall = new THREE.Mesh(mergeGeometries(wallBlocks()), stone(6, 3, 21, ['#6f6a68', '#857c76', '#5f5d62'], 0))
  const floor = new THREE.Mesh(floorGeometry(), stone(4, 4, 5, ['#5c5a5e', '#716a66', '#4c4c54'], 1))
  for (const mesh of [wall, floor]) mesh.receiveShadow = true
  wall.castShadow = true
  group.add(wall, floor)
  return group
}

function wallBlocks(): THREE.BufferGeometry[] {
  const random = seeded(17)
  const blocks: THREE.BufferGeometry[] = []
  const block = (x: number, y: number, z: number, w: number, h: number, d: number, r = 0): void => {
    // 가까운 돌만 모서리를 다듬는다
    const geometry = r > 0 && Math.abs(x) < 7.5 ? new RoundedBoxGeometry(w, h, d, 1, r) : new THREE.BoxGeometry(w, h, d)
    geometry.rotateY((random() - 0.5) * 0.012)
    geometry.translate(x, y + h / 2, z)
    blocks.push(worldUV(geometry.index ? geometry.toNonIndexed() : geometry))
  }
  const z = WALL - THICK / 2
  for (let x = -HALF; x < HALF; x += PITCH) {
    // 턱돌과 바닥 가까이의 굽돌
    block(x + PITCH / 2, 0, z, PITCH * 1.002, SILL - 0.07, THICK)
    block(x + PITCH / 2, SILL - 0.08, z, PITCH * 0.998, 0.08, THICK + 0.07)
    block(x + PITCH / 2, -0.02, WALL + 0.03, PITCH * 0.996, 0.13, 0.12)
  }
  for (let k = Math.ceil(-HALF / PITCH); k * PITCH < HALF; k++) {
    const x = k * PITCH
    const h = MERLON - SILL + (random() - 0.5) * 0.05
    block(x, SILL - 0.01, z, 1.02, h, THICK - 0.03, 0.035)
    block(x, SILL + h - 0.02, z, 1.12, 0.09, THICK + 0.09, 0.035)
  }
  return blocks
}

function floorGeometry(): THREE.BufferGeometry {
  const geometry = new THREE.PlaneGeometry(HALF * 2, 9, 1, 1)
  geometry.rotateX(-Math.PI / 2)
  geometry.translate(0, 0, WALL + 4.5)
  return worldUV(geometry.toNonIndexed())
}

/** 삼각형이 향한 쪽에 따라 세계 좌표를 그대로 텍스처 좌표로 쓴다 (2 m 마다 되풀이). */
function worldUV(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  const { position, normal, uv } = geometry.attributes
  for (let face = 0; face < position!.count; face += 3) {
    const [x, y, z] = [0, 1, 2].map((axis) =>
      Math.abs([0, 1, 2].reduce((sum, k) => sum + normal!.getComponent(face + k, axis), 0)),
    ) as [number, number, number]
    for (let k = face; k < face + 3; k++) {
      if (y > x && y > z) uv!.setXY(k, position!.getX(k) / 2, position!.getZ(k) / 2)
      else if (x > z) uv!.setXY(k, position!.getZ(k) / 2 + 0.3, position!.getY(k) / 2)
      else uv!.setXY(k, position!.getX(k) / 2, position!.getY(k) / 2)
    }
  }
  return geometry
}

/** 줄눈이 있는 돌: 색 · 윤기 · 법선을 한 높이 그림에서 만든다. wet 이 크면 젖은 자리가 번들거린다. */
function stone(
  rows: number,
  perRow: number,
  seed: number,
  tones: readonly string[],
  wet: number,
): THREE.MeshPhongMaterial | THREE.MeshLambertMaterial {
  const size = 512
  const random = seeded(seed)
  const coarse = tileableNoise(6, seed + 1)
  const middle = tileableNoise(24, seed + 2)
  const fine = tileableNoise(61, seed + 3)
  const finer = tileableNoise(157, seed + 4)
  const courses = Array.from({ length: rows }, () => {
    const cuts = Array.from({ length: perRow }, (_, k) => (k + 0.12 + random() * 0.6) / perRow)
    return cuts.map((from, k) => {
      const { r, g, b } = new THREE.Color(tones[Math.floor(random() * tones.length)]!).convertLinearToSRGB()
      const shade = 255 * (0.86 + random() * 0.28)
      return {
        from,
        to: k + 1 < cuts.length ? cuts[k + 1]! : cuts[0]! + 1,
        r: r * shade,
        g: g * shade,
        b: b * shade,
        lift: random() * 0.2,
      }
    })
  })
  const height = new Float32Array(size * size)
  const gloss = new Float32Array(size * size)
  const map = paintPixels(size, (x, y) => {
    const u = x / size
    const v = y / size
    const patch = coarse(u, v)
    // 돌마다 줄이 조금씩 일그러진다
    const row = ((v + (patch - 0.5) * 0.018) * rows + rows) % rows
    const course = courses[Math.floor(row)]!
    const across = (u + (patch - 0.5) * 0.02 + 1) % 1
    const brick = course.find(({ from, to }) => across >= from && across < to) ?? course[course.length - 1]!
    const along = across < brick.from ? across + 1 : across
    const edge = Math.min((row % 1) / rows, (1 - (row % 1)) / rows, along - brick.from, brick.to - along)
    const joint = Math.min(1, Math.max(0, (edge - 0.002) / 0.011))
    const body = joint * joint * (3 - 2 * joint)
    const grain = middle(u, v) * 0.4 + fine((u + v) % 1, (u - v + 1) % 1) * 0.35 + finer(u, v) * 0.25
    const puddle = wet * Math.max(0, Math.min(1, (0.5 - patch) * 5))
    const k = y * size + x
    height[k] = (body * (0.7 + brick.lift) + grain * 0.1) * (1 - puddle * 0.75) + patch * 0.25
    gloss[k] = 26 + 40 * grain + puddle * 190
    const shade = (0.5 + 0.5 * body) * (0.78 + 0.34 * grain + 0.3 * (patch - 0.5)) * (1 - 0.3 * puddle)
    return [brick.r * shade, brick.g * shade, brick.b * shade]
  })
  const surface = { map, normalMap: normalMap(size, height, 3.6) }
  if (!wet) return new THREE.MeshLambertMaterial(surface)
  const specularMap = paintPixels(size, (x, y) => [gloss[y * size + x]!, 0, 0], false)
  return new THREE.MeshPhongMaterial({ ...surface, specularMap, specular: '#8a8f9c', shininess: 60 })
}
