// hero.glb 를 만든다: Blender 에서 내보낸 것과 같은 모양새의 파일. node models/make-hero.mjs
//
// ▶ 진짜 모델이 있으면 이 파일들 대신 그 GLB 를 hero.glb 자리에 두면 된다. 굽는 쪽은 이름만 본다.

import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Document, NodeIO } from '@gltf-transform/core'
import { Box3, CatmullRomCurve3, Color, Matrix4, SphereGeometry, TubeGeometry, Vector3 } from 'three'
import { runnerImport } from 'vite'
import { braid, capeAt, FACE, headRest, pieces } from './body.mjs'
import { png } from './png.mjs'
import { DURATION, JOINTS, poseAt, restOf } from './rig.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const { module: shapes } = await runnerImport(here('../../shared/clay/clay.ts'), {
  configFile: false,
  logLevel: 'error',
  resolve: { external: ['three'] },
})
const { Clay, polygonise } = shapes

const document = new Document()
document.getRoot().getAsset().generator = 'make-hero.mjs'
const buffer = document.createBuffer()
const scene = document.createScene('Scene')
document.getRoot().setDefaultScene(scene)
const accessor = (type, array, normalized = false) =>
  document.createAccessor().setType(type).setArray(array).setNormalized(normalized).setBuffer(buffer)

// 뼈대
const index = new Map(JOINTS.map(([name], k) => [name, k]))
const armature = document.createNode('Armature')
scene.addChild(armature)
const bones = []
for (const [name, parent, at] of JOINTS) {
  const from = parent ? restOf(parent) : new Vector3()
  const node = document.createNode(name).setTranslation(round(new Vector3(...at).sub(from).toArray(), 1e6))
  if (parent) bones[index.get(parent)].addChild(node)
  else armature.addChild(node)
  bones.push(node)
}
const skin = document.createSkin('Armature').setSkeleton(bones[0])
for (const node of bones) skin.addJoint(node)
skin.setInverseBindMatrices(
  accessor(
    'MAT4',
    Float32Array.from(JOINTS.flatMap(([, , [x, y, z]]) => new Matrix4().makeTranslation(-x, -y, -z).toArray())),
  ),
)

// 재질
const material = (name, roughness, colour = '#ffffff') => {
  const { r, g, b } = new Color(colour)
  return document
    .createMaterial(name)
    .setBaseColorFactor([r, g, b, 1])
    .setMetallicFactor(0)
    .setRoughnessFactor(roughness)
}
const clayMaterial = material('Clay', 0.82)
const hairMaterial = material('Hair', 0.62)
const capeMaterial = material('Cape', 0.75)
  .setDoubleSided(true)
  .setBaseColorTexture(document.createTexture('Cape').setImage(capePicture()).setMimeType('image/png'))

// 몸: 조각마다 다각형으로 옮겨 하나로 모은다. 움푹한 곳의 그늘은 온몸을 보고 칠한다.
const parts = pieces(shapes)
const body = { vertices: [], triangles: [] }
const whole = new Clay(
  parts.flatMap(({ lumps }) => lumps.filter(({ carve }) => !carve)),
  new Box3(),
)
for (const { colour, cell, bounds, weigh, paint, lumps } of parts) {
  const clay = new Clay(lumps, bounds)
  const { positions, triangles } = polygonise(clay, cell)
  const first = body.vertices.length
  for (const p of positions) {
    const n = new Vector3()
    clay.settle(p, n)
    const tint = new Color(colour)
    paint?.(p, n, tint)
    const open = Math.max(0, whole.openness(p, n))
    tint.r *= 0.6 + 0.4 * open
    tint.g *= 0.46 + 0.54 * open
    tint.b *= 0.48 + 0.52 * open
    body.vertices.push({ p, n, colour: tint, weights: weigh(p) })
  }
  body.triangles.push(...triangles.map((v) => first + v))
}
skinned('Body', body, clayMaterial)
skinned('Braid', braid(), hairMaterial)
addFace(new Clay(parts.find(({ name }) => name === 'head').lumps, new Box3()))
addCape()
addWalk()

await writeFile(here('hero.glb'), await new NodeIO().writeBinary(document))

/** 스킨 메시 하나: 점 [p, n, colour, weights, uv?] 과 세모 */
function skinned(name, { vertices, triangles }, look) {
  const count = vertices.length
  const joints = new Uint8Array(count * 4)
  const weights = new Uint8Array(count * 4)
  vertices.forEach(({ weights: own }, v) => {
    const sum = new Map()
    for (const [bone, weight] of own) if (weight > 0.004) sum.set(bone, (sum.get(bone) ?? 0) + weight)
    const top = [...sum].sort((a, b) => b[1] - a[1]).slice(0, 4)
    const total = top.reduce((all, [, weight]) => all + weight, 0)
    let left = 255
    top.forEach(([bone, weight], slot) => {
      const share = slot ? Math.min(left, Math.round((255 * weight) / total)) : 0
      joints[v * 4 + slot] = share || !slot ? index.get(bone) : 0
      weights[v * 4 + slot] = share
      left -= share
    })
    weights[v * 4] = left // 합은 꼭 255
  })
  const primitive = document
    .createPrimitive()
    .setAttribute(
      'POSITION',
      accessor(
        'VEC3',
        floats(
          vertices.map(({ p }) => p.toArray()),
          8192,
        ),
      ),
    )
    .setAttribute('NORMAL', accessor('VEC3', unit(vertices.map(({ n }) => n))))
    .setAttribute('COLOR_0', accessor('VEC4', colours(vertices), true))
    .setAttribute('JOINTS_0', accessor('VEC4', joints))
    .setAttribute('WEIGHTS_0', accessor('VEC4', weights, true))
    .setIndices(accessor('SCALAR', Uint16Array.from(triangles)))
    .setMaterial(look)
  if (vertices[0].uv) {
    primitive.setAttribute(
      'TEXCOORD_0',
      accessor(
        'VEC2',
        floats(
          vertices.map(({ uv }) => uv),
          4096,
        ),
      ),
    )
  }
  scene.addChild(document.createNode(name).setMesh(document.createMesh(name).addPrimitive(primitive)).setSkin(skin))
}

/** 눈 · 눈썹 · 입: 머리 뼈에 붙은 메시. 눈은 세로로 줄이면 감긴다. */
function addFace(clay) {
  const head = headRest()
  const touch = (x, y) => clay.touch(new Vector3(x, y, 0.6), new Vector3(0, 0, -1))
  const on = (x, y, out) => {
    const { point, normal } = touch(x, y)
    return point.addScaledVector(normal, out)
  }
  const { x: ex, y: ey, size } = FACE.eye
  const origin = new Vector3(0, ey, 0)
  const [dark, shine] = [empty(), empty()]
  for (const side of [1, -1]) {
    const { normal } = touch(side * ex, ey)
    normal.y *= 0.4
    normal.normalize()
    const socket = on(side * ex, ey, -0.004)
    const frame = new Matrix4().lookAt(normal, new Vector3(), new Vector3(0, 1, 0)).setPosition(socket.sub(origin))
    const ball = (to, at, scale, pieces) => {
      const place = new Matrix4().makeScale(...scale).setPosition(...at)
      append(to, new SphereGeometry(1, ...pieces).applyMatrix4(place).applyMatrix4(frame))
    }
    ball(dark, [0, 0, 0], size, [20, 14])
    ball(shine, [-0.0095, 0.019, 0.0125], [0.0098, 0.0118, 0.005], [10, 8])
    ball(shine, [0.01, -0.02, 0.0125], [0.0046, 0.0052, 0.003], [8, 6])
  }
  const eyes = document
    .createMesh('Eyes')
    .addPrimitive(plain(dark, material('Eyes', 0.18, FACE.dark)))
    .addPrimitive(plain(shine, material('Shine', 0.4, FACE.shine).setEmissiveFactor([0.9, 0.9, 0.9])))
  const at = origin.clone().sub(head)
  bones[index.get('Head')].addChild(document.createNode('Eyes').setMesh(eyes).setTranslation(at.toArray()))

  const [brow, mouth] = [empty(), empty()]
  const cord = (to, points, radius) =>
    append(to, new TubeGeometry(new CatmullRomCurve3(points), 14, radius, 6).translate(...head.clone().negate()))
  for (const side of [1, -1]) {
    cord(
      brow,
      [-1, -0.5, 0, 0.5, 1].map((s) =>
        on(side * (ex + 0.004) + s * 0.03, 1.118 - s * s * 0.011 + side * s * -0.004, 0.002),
      ),
      0.0068,
    )
  }
  const smile = [-1, -0.7, -0.35, 0, 0.35, 0.7, 1]
  cord(
    mouth,
    smile.map((s) => on(s * 0.04, 0.961 + s * s * 0.015, 0.0015)),
    0.0058,
  )
  const face = document
    .createMesh('Face')
    .addPrimitive(plain(brow, material('Brow', 0.8, FACE.brow)))
    .addPrimitive(plain(mouth, material('Mouth', 0.7, FACE.mouth)))
  bones[index.get('Head')].addChild(document.createNode('Face').setMesh(face))
}

/** 망토: 격자 하나. 윗단을 흰빛으로, 나머지를 검은빛으로 칠해 두었다(COLOR_0): 흰 점은 몸을 따라간다. */
function addCape() {
  const [columns, rows] = [15, 17]
  const grid = { vertices: [], triangles: [] }
  for (let j = 0; j < rows; j++)
    for (let i = 0; i < columns; i++) {
      const [across, down] = [1 - (2 * i) / (columns - 1), j / (rows - 1)]
      const p = capeAt(across, down)
      const right = capeAt(across - 0.01, down).sub(capeAt(across + 0.01, down))
      const lower = capeAt(across, down + 0.01).sub(capeAt(across, down - 0.01))
      grid.vertices.push({
        p,
        n: right.cross(lower).normalize().negate(),
        colour: new Color(j === 0 ? '#ffffff' : '#000000'),
        weights: [['Chest', 1]],
        uv: [i / (columns - 1), down],
      })
    }
  for (let j = 0; j + 1 < rows; j++)
    for (let i = 0; i + 1 < columns; i++) {
      const a = j * columns + i
      grid.triangles.push(a, a + 1, a + columns, a + 1, a + columns + 1, a + columns)
    }
  skinned('Cape', grid, capeMaterial)
}

/** 걸음: Blender 처럼 초마다 30 장면씩 모든 뼈의 자세를 적는다. 땋은 머리에는 적지 않는다. */
function addWalk() {
  const frames = Math.round(DURATION * 30)
  const poses = Array.from({ length: frames + 1 }, (_, k) => poseAt(k === frames ? 0 : k / 30))
  const input = accessor(
    'SCALAR',
    Float32Array.from(poses, (_, k) => k / 30),
  )
  const walk = document.createAnimation('Walk')
  const animate = (node, path, type, values) => {
    const sampler = document
      .createAnimationSampler()
      .setInput(input)
      .setOutput(accessor(type, Float32Array.from(values)))
      .setInterpolation('LINEAR')
    walk.addSampler(sampler)
    walk.addChannel(document.createAnimationChannel().setTargetNode(node).setTargetPath(path).setSampler(sampler))
  }
  for (const name of Object.keys(poses[0])) {
    const node =
      name === 'Eyes'
        ? bones[index.get('Head')].listChildren().find((n) => n.getName() === name)
        : bones[index.get(name)]
    for (const [key, path, type] of [
      ['position', 'translation', 'VEC3'],
      ['rotation', 'rotation', 'VEC4'],
      ['scale', 'scale', 'VEC3'],
    ])
      if (poses[0][name][key])
        animate(
          node,
          path,
          type,
          poses.flatMap((pose) => pose[name][key].toArray()),
        )
  }
}

/** 올이 보이는 붉은 바탕에 금빛 단과 별 */
function capePicture() {
  const [width, height] = [128, 256]
  const gold = [236, 178, 74]
  // 다섯 뿔의 별: 중심에서 (x, y) 까지가 별 안이면 음수인 어림 거리
  const star = (x, y) => {
    const fifth = (Math.PI * 2) / 5
    const angle = Math.atan2(x, y)
    const off = Math.abs(angle - Math.round(angle / fifth) * fifth)
    const [px, py] = [Math.hypot(x, y) * Math.sin(off), Math.hypot(x, y) * Math.cos(off)]
    // 뿔 끝 (0, R) 에서 골 (r sin 36°, r cos 36°) 로 가는 변
    const [R, r] = [31, 13.5]
    const [vx, vy] = [r * Math.sin(fifth / 2), r * Math.cos(fifth / 2) - R]
    return ((py - R) * vx - px * vy) / Math.hypot(vx, vy)
  }
  return png(width, height, (x, y) => {
    const edge = Math.min(x, width - 1 - x, (height - 1 - y) * 0.85)
    const thread = (x + y) % 4 < 2 ? 5 : -5
    const fall = y / height
    const red = [214 + thread - 18 * fall, 58 + thread - 14 * fall, 66 + thread - 8 * fall]
    const line = (from, to) => clamp(Math.min(edge - from + 0.5, to - edge + 0.5))
    const band = Math.max(line(2, 5.5), line(9.5, 10.8))
    const emblem = clamp(0.5 - star(x - 63.5, (150 - y) * 0.78))
    const part = Math.max(band, emblem)
    return red.map((c, k) => c + (gold[k] + thread - c) * part)
  })
}

function clamp(x) {
  return Math.min(1, Math.max(0, x))
}

function empty() {
  return { positions: [], normals: [], triangles: [] }
}

function append(to, geometry) {
  const { position, normal } = geometry.attributes
  const first = to.positions.length / 3
  to.positions.push(...position.array)
  to.normals.push(...normal.array)
  to.triangles.push(...Array.from(geometry.index.array, (v) => first + v))
}

function plain({ positions, normals, triangles }, look) {
  return document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', floats([positions], 16384)))
    .setAttribute('NORMAL', accessor('VEC3', unit(group(normals))))
    .setIndices(accessor('SCALAR', Uint16Array.from(triangles)))
    .setMaterial(look)
}

function group(numbers) {
  return Array.from({ length: numbers.length / 3 }, (_, k) => new Vector3().fromArray(numbers, k * 3))
}

/** 끝자리를 steps 분의 1 로 맞춘 수: 눈에는 같고, 압축은 더 잘 된다. */
function floats(rows, steps) {
  return Float32Array.from(round(rows.flat(), steps))
}

function round(numbers, steps) {
  return numbers.map((n) => Math.round(n * steps) / steps)
}

function unit(vectors) {
  return Float32Array.from(vectors.flatMap((n) => n.clone().multiplyScalar(256).round().normalize().toArray()))
}

function colours(vertices) {
  return Uint8Array.from(
    vertices.flatMap(({ colour }) => [
      ...round(
        colour.toArray().map((c) => c * 255),
        1,
      ),
      255,
    ]),
  )
}
