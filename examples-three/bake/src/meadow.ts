import * as THREE from 'three'
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js'
import { clouds, grass, hills, puffs, scatter, tinted, treeGeometry } from './scenery'
import { approach, seeded, smoothstep, tileableNoise } from '../../shared/random'
import { paint } from '../../shared/textures'
import type { Stage, StageOptions } from '../../shared/stage'

/** 길가의 것들이 되풀이되는 길이(m)와 이어 놓는 수 */
const LENGTH = 14
const COPIES = 5
/** 걷는 빠르기(m/s): models/rig.mjs 의 SPEED 와 같다 */
const SPEED = 0.72

export const MEADOW: StageOptions = {
  sky: [
    [-1, '#cfe6b8'],
    [-0.06, '#e9f3dd'],
    [0.0, '#fff4dc'],
    [0.07, '#e2f1f8'],
    [0.3, '#a9dcf7'],
    [1, '#6fbdf0'],
  ],
  fog: { colour: '#e6f1e0', near: 14, far: 62 },
  exposure: 1,
  toneMapping: THREE.NeutralToneMapping,
  environment: 0.3,
  fov: 27,
  subject: { width: 1.8, height: 2.05, centre: new THREE.Vector3(0, 0.64, -0.26) },
  view: { azimuth: -0.98, elevation: 0.09 },
  limits: { elevation: [0.0, 0.7], zoom: [0.5, 1.7] },
}

const CALM = new THREE.Color('#ffffff')
const STORM = new THREE.Color('#b3bdd6')

/** 아침 들길: 주인공은 제자리에서 걷고, 길이 뒤로 흘러간다. */
export class Meadow {
  readonly group = new THREE.Group()
  readonly key = new THREE.DirectionalLight('#fff0d4', 2.5)
  #sky = new THREE.HemisphereLight('#dcefff', '#b9c79a', 1.15)
  #side = new THREE.Group()
  #road: THREE.Texture
  #field: THREE.Texture
  #leaves: THREE.InstancedMesh
  #drift: { at: THREE.Vector3; spin: THREE.Vector3; pace: number }[]
  #clouds = clouds([
    [20, 9, -34, 1.7],
    [38, 8, -20, 1.5],
    [4, 10.5, -46, 2.2],
    [46, 12, 2, 2.2],
    [34, 14, -34, 2],
    [-30, 10, -26, 2.2],
    [-34, 9, 20, 2],
    [8, 11, 40, 2.3],
  ])
  #storm = 0
  #tint = new THREE.Color()
  #object = new THREE.Object3D()
  #walked = 0

  constructor() {
    const { group, key } = this
    key.position.set(-3.4, 5.2, 2.6)
    Object.assign(key.shadow.camera, { left: -2.2, right: 2.2, top: 2.4, bottom: -2.2, near: 1, far: 13 })
    const rim = new THREE.DirectionalLight('#ffe9c9', 1.5)
    rim.position.set(3.5, 2.6, -3)
    group.add(key, key.target, rim, this.#sky, this.#clouds)

    this.#field = grass('#79ad52', '#a4cc70', 30)
    const field = new THREE.Mesh(new THREE.PlaneGeometry(150, 150), new THREE.MeshLambertMaterial({ map: this.#field }))
    this.#road = roadTexture()
    const road = new THREE.Mesh(
      new THREE.PlaneGeometry(2.5, 120),
      new THREE.MeshLambertMaterial({ map: this.#road, transparent: true, depthWrite: false }),
    )
    for (const flat of [field, road]) {
      flat.rotation.x = -Math.PI / 2
      flat.receiveShadow = true
      group.add(flat)
    }
    road.position.y = 0.002
    group.add(
      hills([
        [2.3, 40, 20, 3.4, '#8fbf68'],
        [1.55, 44, 22, 2.8, '#9cc978'],
        [2.9, 50, 25, 4.2, '#84b673'],
        [1.95, 66, 30, 6.4, '#8bbd9c'],
        [2.6, 74, 34, 7.6, '#97c3b8'],
        [1.2, 70, 30, 6, '#99c6b0'],
        [3.5, 62, 28, 5.4, '#90c08f'],
        [0.5, 52, 24, 4, '#96c678'],
        [-0.4, 58, 28, 5, '#8cbf7c'],
        [-1.3, 50, 23, 4, '#9bcb7c'],
        [-2.2, 56, 27, 5, '#88bb80'],
      ]),
    )
    this.#plant()
    const random = seeded(5)
    this.#leaves = leaves(90)
    this.#drift = Array.from({ length: 90 }, () => ({
      at: new THREE.Vector3((random() - 0.5) * 8, random() * 2.8, (random() - 0.5) * 9),
      spin: new THREE.Vector3(random() * 6, random() * 6, random() * 6),
      pace: 0.6 + random() * 0.8,
    }))
    group.add(this.#side, this.#leaves)
  }

  /** walked: 걸은 시간(초), storm: 폭풍인가. dt 초 앞으로. */
  update(stage: Stage, dt: number, walked: number, storm: boolean, windy: boolean): void {
    this.#walked += walked * SPEED
    this.#side.position.z = -(this.#walked % LENGTH)
    this.#road.offset.y = -this.#walked / 4
    this.#field.offset.y = -this.#walked / 5
    this.#storm = approach(this.#storm, storm ? 1 : 0, 3, dt)
    const s = smoothstep(0, 1, this.#storm)
    stage.tint(this.#tint.lerpColors(CALM, STORM, s))
    this.key.intensity = 2.5 - 1 * s
    this.#sky.intensity = 1.15 - 0.15 * s
    this.#sky.color.set('#dcefff').lerp(STORM, s * 0.5)
    const material = this.#clouds.material as THREE.MeshLambertMaterial
    material.color.lerpColors(CALM, STORM, s)

    // 바람에 실려 가는 꽃잎과 나뭇잎
    const speed = windy ? 0.55 + 5.4 * s : 0
    this.#leaves.count = windy ? Math.round(14 + 76 * s) : 0
    this.#drift.forEach(({ at, spin, pace }, k) => {
      at.z -= dt * speed * pace
      at.x += dt * speed * 0.2 * pace
      at.y += dt * (Math.sin(this.#walked * 3 + k) * 0.25 - 0.03)
      if (at.z < -4.5) at.z += 9
      if (at.x > 4) at.x -= 8
      if (at.y < 0.06) at.y += 2.7
      if (at.y > 2.9) at.y -= 2.7
      const turn = (0.4 + 2.2 * s) * dt * pace
      spin.x += turn * 1.7
      spin.y += turn
      this.#object.position.copy(at)
      this.#object.rotation.set(spin.x, spin.y, spin.z)
      this.#object.updateMatrix()
      this.#leaves.setMatrixAt(k, this.#object.matrix)
    })
    this.#leaves.instanceMatrix.needsUpdate = true
  }

  /** 길 양옆의 풀포기, 꽃, 조약돌, 나무, 울타리 */
  #plant(): void {
    const random = seeded(12)
    const all = (
      count: number,
      place: () => { x: number; size: number; colour?: string },
    ): Parameters<typeof scatter>[1] =>
      Array.from({ length: count }, () => ({ ...place(), z: random() * LENGTH, turn: random() * 6.3 })).flatMap(
        ({ x, z, size, turn, colour }) =>
          Array.from({ length: COPIES }, (_, copy) => ({
            at: [x, 0, z + (copy - 2) * LENGTH] as const,
            size,
            turn,
            ...(colour && { colour }),
          })),
      )
    const beside = (from: number, to: number): number => (random() < 0.5 ? -1 : 1) * (from + (to - from) * random())
    const blade = (lean: number, turn: number): THREE.BufferGeometry =>
      new THREE.ConeGeometry(0.018, 0.17, 4).translate(0, 0.08, 0).rotateZ(lean).rotateY(turn)
    const tuft = mergeGeometries(
      [0, 1, 2, 3, 4].map((k) => tinted(blade(0.15 + 0.1 * (k % 3), k * 1.26).toNonIndexed(), '#6fae45', '#a9d868')),
    )
    const petals = Array.from({ length: 5 }, (_, k) =>
      new THREE.SphereGeometry(0.026, 8, 6)
        .scale(1, 0.45, 1)
        .translate(0.028 * Math.cos(k * 1.257), 0.13, 0.028 * Math.sin(k * 1.257)),
    )
    const bloom = mergeGeometries(petals.map((petal) => petal.toNonIndexed()))
    bloom.deleteAttribute('uv')
    const stalk = mergeGeometries([
      tinted(new THREE.CylinderGeometry(0.005, 0.006, 0.13, 5).translate(0, 0.065, 0).toNonIndexed(), '#6fae45'),
      tinted(new THREE.SphereGeometry(0.02, 8, 6).translate(0, 0.137, 0).toNonIndexed(), '#ffc64a'),
    ])
    const blooms = all(46, () => ({
      x: beside(1.15, 4.2),
      size: 0.8 + random() * 0.7,
      colour: ['#ffffff', '#ff8fa3', '#ffd166', '#b79cff'][Math.floor(random() * 4)]!,
    }))
    const fence = mergeGeometries([
      tinted(new THREE.CapsuleGeometry(0.055, 0.5, 4, 9).translate(0, 0.28, 0).toNonIndexed(), '#d9a873'),
      tinted(
        new THREE.CapsuleGeometry(0.032, 1.75, 4, 8)
          .rotateX(Math.PI / 2)
          .translate(0, 0.42, 0.875)
          .toNonIndexed(),
        '#e6bb88',
      ),
      tinted(
        new THREE.CapsuleGeometry(0.032, 1.75, 4, 8)
          .rotateX(Math.PI / 2)
          .translate(0, 0.24, 0.875)
          .toNonIndexed(),
        '#e6bb88',
      ),
    ])
    const posts = Array.from({ length: 8 * COPIES }, (_, k) => ({
      at: [2.35, 0, k * 1.75 - 2 * LENGTH] as const,
      size: 1,
    }))
    const stone = puffs([[0, 0, 0, 1]], 0.4)
    const bush = tinted(
      puffs(
        [
          [0, 0.2, 0, 0.34],
          [0.3, 0.14, 0.05, 0.25],
          [-0.28, 0.15, 0, 0.26],
          [0.05, 0.15, 0.26, 0.24],
        ],
        0.09,
      ),
      '#5fa35a',
      '#a2d672',
    )
    this.#side.add(
      scatter(
        tuft,
        all(150, () => ({ x: beside(1.05, 6), size: 0.7 + random() * 0.8 })),
        false,
      ),
      scatter(stalk, blooms, false),
      scatter(bloom, blooms, false),
      scatter(
        tinted(stone, '#c9bda6', '#f3ead6'),
        all(26, () => ({ x: beside(0.85, 1.5), size: 0.025 + random() * 0.05 })),
        false,
      ),
      scatter(fence, posts),
      scatter(
        bush,
        all(9, () => ({ x: beside(3, 6.5), size: 0.8 + random() * 0.6 })),
      ),
      scatter(
        treeGeometry('#4f9a5a', '#9ad06b'),
        all(5, () => ({ x: 8 + random() * 11, size: 0.95 + random() * 0.6 })),
      ),
      scatter(
        treeGeometry('#d98a5a', '#ffc68a'),
        all(2, () => ({ x: 7.5 + random() * 8, size: 0.9 + random() * 0.4 })),
      ),
      scatter(
        treeGeometry('#4f9a5a', '#9ad06b'),
        all(4, () => ({ x: -7 - random() * 9, size: 1 + random() * 0.6 })),
      ),
    )
    for (const mesh of this.#side.children) mesh.frustumCulled = false
  }
}

/** 가장자리가 풀에 섞이는 흙길 */
function roadTexture(): THREE.Texture {
  const edge = tileableNoise(9, 17)
  const grain = tileableNoise(24, 5)
  const map = paint(128, 256, (context) => {
    const image = context.createImageData(128, 256)
    for (let y = 0, k = 0; y < 256; y++)
      for (let x = 0; x < 128; x++, k += 4) {
        const across = Math.abs(x / 127.5 - 0.5) * 2
        const wave = (edge(x / 512, y / 256) - 0.5) * 0.24
        const rut = 0.06 * Math.exp(-(((across - 0.42) * 9) ** 2))
        const shade = 0.95 + (grain(x / 128, y / 256) - 0.5) * 0.13 - rut
        image.data.set([240 * shade, 215 * shade, 166 * shade, 255 * smoothstep(0.97, 0.78, across + wave)], k)
      }
    context.putImageData(image, 0, 0)
  })
  map.wrapT = THREE.RepeatWrapping
  map.repeat.set(1, 30)
  return map
}

function leaves(count: number): THREE.InstancedMesh {
  const shape = new THREE.SphereGeometry(0.034, 8, 6).scale(1, 0.16, 0.55)
  const mesh = new THREE.InstancedMesh(shape, new THREE.MeshLambertMaterial(), count)
  const colours = ['#ffb84d', '#ff8a5c', '#ffd9e0', '#9fd26a', '#ffe08a'].map((colour) => new THREE.Color(colour))
  for (let k = 0; k < count; k++) mesh.setColorAt(k, colours[k % colours.length]!)
  mesh.frustumCulled = false
  mesh.castShadow = true
  return mesh
}
