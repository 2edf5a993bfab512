import * as THREE from 'three'
import { Clay, ellipsoid, polygonise } from '../../shared/clay/clay'
import { ClayMaterial } from '../../shared/clay/clay-material'
import { language, type Text } from '../../shared/language'
import { glowTexture, paint } from '../../shared/textures'
import type { Stage } from '../../shared/stage'

const contact = (): THREE.CanvasTexture =>
  glowTexture([
    [0, 'rgb(255 255 255 / 1)'],
    [0.45, 'rgb(255 255 255 / 0.62)'],
    [0.75, 'rgb(255 255 255 / 0.16)'],
    [1, 'rgb(255 255 255 / 0)'],
  ])

type Blob = THREE.Mesh<THREE.PlaneGeometry, THREE.MeshBasicMaterial>

/** 바닥에 닿은 곳의 부드러운 그늘 */
function blob(map: THREE.Texture, width: number, depth: number, opacity: number): Blob {
  const mesh = new THREE.Mesh(
    new THREE.PlaneGeometry(width, depth),
    new THREE.MeshBasicMaterial({
      color: '#5d4a7d',
      map,
      transparent: true,
      opacity,
      depthWrite: false,
      toneMapped: false,
    }),
  )
  mesh.rotation.x = -Math.PI / 2
  return mesh
}

/** 파스텔 스튜디오: 큰 주광, 하늘빛 채움광, 뒤에서 감싸는 빛, 이음매 없는 바닥, 점토 구름. */
export class Studio {
  readonly group = new THREE.Group()
  readonly key = new THREE.DirectionalLight('#fff1e2', 2.5)
  #clouds: THREE.Object3D[] = []

  constructor() {
    const { group, key } = this
    key.position.set(-2.6, 5, 4.2)
    key.target.position.set(0, 0.9, 0)
    const { camera } = key.shadow
    Object.assign(camera, { left: -1.9, right: 1.9, top: 2.1, bottom: -1.7, near: 2, far: 11 })
    const rim = new THREE.DirectionalLight('#dcd6ff', 1.7)
    rim.position.set(3, 3.2, -4)
    group.add(key, key.target, rim, new THREE.HemisphereLight('#e9f0ff', '#f2cfd6', 1.25))

    // 그림자만 받는 바닥: 하늘빛이 그대로 비쳐 끝이 보이지 않는다
    const floor = new THREE.Mesh(
      new THREE.PlaneGeometry(8, 5),
      new THREE.ShadowMaterial({ color: '#75609c', opacity: 0.26 }),
    )
    floor.rotation.x = -Math.PI / 2
    floor.position.z = -0.7
    floor.receiveShadow = true
    group.add(floor, this.#backdrop())
  }

  update(time: number): void {
    this.#clouds.forEach((cloud, k) => (cloud.position.y = cloud.userData.y + Math.sin(time * 0.5 + k * 2) * 0.035))
  }

  /** 뒤에 걸린 커다란 원과 점토 구름 */
  #backdrop(): THREE.Group {
    const group = new THREE.Group()
    const disc = new THREE.Mesh(
      new THREE.CircleGeometry(1.85, 72),
      new THREE.MeshBasicMaterial({
        map: paint(8, 256, (context) => {
          const fall = context.createLinearGradient(0, 0, 0, 256)
          fall.addColorStop(0, '#fff3e4')
          fall.addColorStop(0.55, '#fde3e0')
          fall.addColorStop(1, '#f3dced')
          context.fillStyle = fall
          context.fillRect(0, 0, 8, 256)
        }),
        toneMapped: false,
        dithering: true,
      }),
    )
    disc.position.set(0, 1.42, -2.6)
    group.add(disc)
    const puff = cloudGeometry()
    const white = new THREE.MeshLambertMaterial({ color: '#f6f2fc' })
    for (const [x, y, z, size] of [
      [-2.05, 1.62, -1.7, 0.3],
      [2.2, 2.18, -2.0, 0.36],
      [-1.1, 3.02, -2.3, 0.24],
      [1.35, 3.6, -2.4, 0.26],
    ] as const) {
      const cloud = new THREE.Mesh(puff, white)
      cloud.scale.setScalar(size)
      cloud.position.set(x, y, z)
      cloud.userData.y = y
      this.#clouds.push(cloud)
      group.add(cloud)
    }
    return group
  }
}

/** 이음매 없는 점토 구름 (반지름 1 쯤) */
function cloudGeometry(): THREE.BufferGeometry {
  const puffs = [
    [0, 0, 1],
    [-0.95, -0.2, 0.68],
    [0.98, -0.16, 0.74],
    [0.42, 0.3, 0.72],
    [-1.6, -0.38, 0.4],
    [1.7, -0.36, 0.42],
  ] as const
  const clay = new Clay(
    puffs.map(([x, y, r]) => ({
      shape: ellipsoid([x, y, 0], [r, r * 0.92, r * 0.7]),
      bone: '',
      colour: new THREE.Color(),
      blend: 0.2,
    })),
    new THREE.Box3(new THREE.Vector3(-2.2, -1.1, -0.9), new THREE.Vector3(2.3, 1.3, 0.9)),
  )
  const { positions, triangles } = polygonise(clay, 0.17)
  const normals = positions.map((p) => {
    const normal = new THREE.Vector3()
    clay.settle(p, normal)
    return normal
  })
  const geometry = new THREE.BufferGeometry().setFromPoints(positions)
  geometry.setAttribute(
    'normal',
    new THREE.Float32BufferAttribute(
      normals.flatMap((n) => n.toArray()),
      3,
    ),
  )
  geometry.setIndex(triangles)
  return geometry
}

export const PEDESTAL_HEIGHT = 0.36

/** 모서리가 둥근 받침과 그 앞의 글 */
export class Pedestal {
  readonly group = new THREE.Group()
  #shade: Blob
  #plate: THREE.MeshStandardMaterial | undefined
  #text: Text | undefined
  #ink: string
  #made: { dispose(): void }[] = []

  constructor(radius: number, colour: string, ink: string, text?: Text) {
    this.#ink = ink
    const round = 0.075
    const profile = [new THREE.Vector2(0, 0), new THREE.Vector2(radius - round * 0.5, 0)]
    const corner = (y: number, from: number, r: number): void => {
      for (let k = 0; k <= 8; k++) {
        const angle = from + (k / 8) * (Math.PI / 2)
        profile.push(new THREE.Vector2(radius - r + Math.cos(angle) * r, y + Math.sin(angle) * r))
      }
    }
    corner(round * 0.5, -Math.PI / 2, round * 0.5)
    corner(PEDESTAL_HEIGHT - round, 0, round)
    profile.push(new THREE.Vector2(0, PEDESTAL_HEIGHT))
    const body = new THREE.Mesh(new THREE.LatheGeometry(profile, 56), new ClayMaterial({ color: colour }))
    body.castShadow = body.receiveShadow = true
    const texture = contact()
    const ground = blob(texture, radius * 3.5, radius * 3.1, 0.4)
    ground.position.y = 0.004
    this.#shade = blob(texture, 1, 1, 0.4)
    this.#shade.position.y = PEDESTAL_HEIGHT + 0.004
    this.group.add(body, ground, this.#shade)
    this.#made.push(body.geometry, body.material, texture)
    for (const mesh of [ground, this.#shade]) this.#made.push(mesh.geometry, mesh.material)
    if (text) this.#addPlate(radius)
    if (text) this.label(text)
  }

  /** 앞에 붙은 글을 바꾼다. */
  label(text: Text): void {
    if (text === this.#text) return
    this.#text = text
    this.write()
  }

  /** 지금 언어로 다시 쓴다. */
  write(): void {
    if (!this.#text || !this.#plate) return
    const words = language.say(this.#text)
    this.#plate.map?.dispose()
    this.#plate.map = paint(512, 136, (context) => {
      context.fillStyle = '#fff8f0'
      context.beginPath()
      context.roundRect(6, 6, 500, 124, 62)
      context.fill()
      context.fillStyle = this.#ink
      context.font = `700 ${language.current === 'ko' ? 70 : 72}px ${getComputedStyle(document.body).fontFamily}`
      context.textAlign = 'center'
      context.textBaseline = 'middle'
      context.fillText(words, 256, 72)
    })
  }

  /** 위에 선 몸의 그늘: 높이 뜨면 넓고 옅어진다. */
  shade(height: number, width: number, depth = width): void {
    const spread = 1 + height * 0.5
    this.#shade.scale.set(width * spread, depth * spread, 1)
    this.#shade.material.opacity = 0.55 / (1 + height * 5)
  }

  dispose(): void {
    this.#plate?.map?.dispose()
    for (const thing of this.#made) thing.dispose()
    this.group.removeFromParent()
  }

  #addPlate(radius: number): void {
    const arc = 0.66 / radius
    const geometry = new THREE.CylinderGeometry(radius + 0.006, radius + 0.006, 0.175, 24, 1, true, -arc / 2, arc)
    this.#plate = new THREE.MeshStandardMaterial({ roughness: 0.8, transparent: true, depthWrite: false })
    const plate = new THREE.Mesh(geometry, this.#plate)
    plate.position.y = PEDESTAL_HEIGHT / 2 - 0.012
    plate.receiveShadow = true
    this.group.add(plate)
    this.#made.push(geometry, this.#plate)
  }
}

/** 무대의 하늘: 아래는 분홍, 위는 하늘빛 */
export const SKY: ConstructorParameters<typeof Stage>[1]['sky'] = [
  [-1, '#eed6e4'],
  [-0.3, '#f3e0ec'],
  [-0.1, '#f6e9f2'],
  [0.06, '#e6e6f8'],
  [0.22, '#cfe6ff'],
  [1, '#b9d6fa'],
]
