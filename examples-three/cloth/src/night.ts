import * as THREE from 'three'
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js'
import { seeded } from '../../shared/random'
import { glowTexture, paint } from '../../shared/textures'

/** 달이 뜬 쪽 */
export const MOON = new THREE.Vector3(0.365, 0.2, -0.91).normalize()

/** 밤 풍경: 별, 큰 달, 옅은 구름, 먼 산과 성, 골짜기의 불빛, 달빛. */
export class Night {
  readonly group = new THREE.Group()
  #clouds: THREE.Mesh[] = []

  constructor() {
    this.group.add(stars(), moon(), ...hills(), castle(), lights())
    const wisp = cloudTexture()
    const random = seeded(31)
    for (let k = 0; k < 7; k++) {
      const material = new THREE.MeshBasicMaterial({
        map: wisp,
        color: '#7f95cf',
        transparent: true,
        opacity: 0.1 + random() * 0.14,
        depthWrite: false,
        fog: false,
      })
      const cloud = new THREE.Mesh(new THREE.PlaneGeometry(90 + random() * 60, 12 + random() * 12), material)
      cloud.position.set(-130 + k * 44 + random() * 20, 26 + random() * 36, -170 - random() * 20)
      this.#clouds.push(cloud)
      this.group.add(cloud)
    }
    // 골짜기의 안개 띠
    for (const [y, z, opacity] of [
      [1.2, -34, 0.34],
      [3.5, -60, 0.3],
    ] as const) {
      const mist = new THREE.Mesh(
        new THREE.PlaneGeometry(190, 12),
        new THREE.MeshBasicMaterial({
          map: wisp,
          color: '#5f78b8',
          transparent: true,
          opacity,
          depthWrite: false,
          fog: false,
        }),
      )
      mist.position.set(0, y - 1, z)
      this.#clouds.push(mist)
      this.group.add(mist)
    }
    const rim = new THREE.DirectionalLight('#a9c1ff', 2.6)
    rim.position.copy(MOON).multiplyScalar(30)
    rim.position.y += 6
    this.group.add(rim, new THREE.HemisphereLight('#4a5f9c', '#241a18', 0.7))
  }

  update(time: number): void {
    this.#clouds.forEach((cloud, k) => (cloud.position.x += Math.sin(time * 0.05 + k) * 0.003))
  }
}

function stars(): THREE.Points {
  const random = seeded(3)
  const count = 900
  const position = new Float32Array(count * 3)
  const colour = new Float32Array(count * 3)
  const direction = new THREE.Vector3()
  for (let k = 0; k < count; k++) {
    direction
      .set(random() * 2 - 1, random() * 0.95 + 0.03, -random() * 1.2 + 0.2)
      .setLength(260)
      .toArray(position, k * 3)
    const bright = 0.25 + 0.75 * random() ** 3
    const warm = random()
    colour.set([bright * (0.8 + 0.2 * warm), bright * 0.92, bright * (1.1 - 0.2 * warm)], k * 3)
  }
  const geometry = new THREE.BufferGeometry()
  geometry.setAttribute('position', new THREE.BufferAttribute(position, 3))
  geometry.setAttribute('color', new THREE.BufferAttribute(colour, 3))
  const material = new THREE.PointsMaterial({
    size: 2.6,
    sizeAttenuation: false,
    map: glowTexture(
      [
        [0, '#fff'],
        [0.4, 'rgba(255,255,255,0.6)'],
        [1, 'rgba(255,255,255,0)'],
      ],
      32,
    ),
    vertexColors: true,
    transparent: true,
    depthWrite: false,
    fog: false,
  })
  const points = new THREE.Points(geometry, material)
  return points
}

function moon(): THREE.Group {
  const group = new THREE.Group()
  group.position.copy(MOON).multiplyScalar(230)
  const disc = paint(256, 256, (context) => {
    const light = context.createRadialGradient(112, 108, 10, 128, 128, 126)
    light.addColorStop(0, '#f6f3e6')
    light.addColorStop(0.75, '#dfe3ea')
    light.addColorStop(1, '#aebcdd')
    context.fillStyle = light
    context.beginPath()
    context.arc(128, 128, 124, 0, Math.PI * 2)
    context.fill()
    context.clip()
    const random = seeded(9)
    for (let k = 0; k < 26; k++) {
      const [x, y, r] = [128 + (random() - 0.5) * 190, 128 + (random() - 0.5) * 190, 8 + random() * 34]
      const sea = context.createRadialGradient(x, y, 0, x, y, r)
      sea.addColorStop(0, `rgba(112,130,172,${0.2 + random() * 0.3})`)
      sea.addColorStop(1, 'rgba(150,168,206,0)')
      context.fillStyle = sea
      context.fillRect(x - r, y - r, r * 2, r * 2)
    }
  })
  const halo = glowTexture(
    [
      [0, 'rgba(190,210,255,0.75)'],
      [0.16, 'rgba(150,178,255,0.4)'],
      [0.4, 'rgba(110,140,230,0.13)'],
      [1, 'rgba(80,110,200,0)'],
    ],
    256,
  )
  const sprite = (map: THREE.Texture, scale: number, additive: boolean, order: number, opacity = 1): THREE.Sprite => {
    const made = new THREE.Sprite(
      new THREE.SpriteMaterial({
        map,
        depthWrite: false,
        fog: false,
        toneMapped: false,
        opacity,
        blending: additive ? THREE.AdditiveBlending : THREE.NormalBlending,
      }),
    )
    made.scale.setScalar(scale)
    made.renderOrder = order
    return made
  }
  group.add(sprite(halo, 120, true, -8.5, 0.8), sprite(disc, 25, false, -8))
  return group
}

function cloudTexture(): THREE.CanvasTexture {
  return paint(512, 128, (context) => {
    const random = seeded(13)
    for (let k = 0; k < 90; k++) {
      const x = 60 + random() * 392
      const y = 64 + (random() - 0.5) * 56 * Math.sin((x / 512) * Math.PI)
      const r = 14 + random() * 40 * Math.sin((x / 512) * Math.PI)
      const puff = context.createRadialGradient(x, y, 0, x, y, r)
      puff.addColorStop(0, 'rgba(255,255,255,0.1)')
      puff.addColorStop(1, 'rgba(255,255,255,0)')
      context.fillStyle = puff
      context.fillRect(x - r, y - r, r * 2, r * 2)
    }
  })
}

/** 뒤로 갈수록 옅어지는 산등성이 셋 */
function hills(): THREE.Mesh[] {
  return (
    [
      [-58, -2.5, 6, '#121b36', 4],
      [-92, -1, 11, '#192544', 8],
      [-130, 0, 19, '#223158', 14],
    ] as const
  ).map(([z, low, tall, colour, seed], k) => {
    const random = seeded(seed)
    const waves = Array.from(
      { length: 6 },
      (_, n) => [random() * 6, (0.018 * 1.9 ** n * 60) / -z, 0.5 / 1.55 ** n] as const,
    )
    const shape = new THREE.Shape()
    shape.moveTo(-260, -30)
    for (let x = -260; x <= 260; x += 2)
      shape.lineTo(
        x,
        low +
          tall *
            waves.reduce((sum, [phase, rate, size]) => sum + size * (0.5 + 0.5 * Math.sin(x * rate + phase)), 0) *
            0.75,
      )
    shape.lineTo(260, -30)
    const hill = new THREE.Mesh(
      new THREE.ShapeGeometry(shape),
      new THREE.MeshBasicMaterial({ color: colour, fog: false, toneMapped: false }),
    )
    hill.position.z = z
    return hill
  })
}

/** 왼쪽 멀리 보이는 본성: 탑 몇 채와 불 켜진 창 */
function castle(): THREE.Group {
  const group = new THREE.Group()
  group.position.set(-33, -5, -42)
  const bodies: THREE.BufferGeometry[] = []
  const roofs: THREE.BufferGeometry[] = []
  const panes: THREE.BufferGeometry[] = []
  const random = seeded(23)
  const tower = (x: number, z: number, radius: number, height: number, roof: number): void => {
    bodies.push(new THREE.CylinderGeometry(radius, radius * 1.06, height, 14).translate(x, height / 2, z))
    bodies.push(new THREE.CylinderGeometry(radius * 1.18, radius * 1.02, 0.7, 14).translate(x, height, z))
    for (let k = 0; k < 8; k++)
      bodies.push(
        new THREE.BoxGeometry(radius * 0.42, 0.55, radius * 0.3)
          .rotateY((k * Math.PI) / 4)
          .translate(
            x + Math.sin((k * Math.PI) / 4) * radius * 1.08,
            height + 0.6,
            z + Math.cos((k * Math.PI) / 4) * radius * 1.08,
          ),
      )
    if (roof) roofs.push(new THREE.ConeGeometry(radius * 1.05, roof, 14).translate(x, height + roof / 2 + 0.3, z))
    for (let k = 0; k < 4; k++) {
      const angle = 0.15 + random() * 1.1
      panes.push(
        new THREE.PlaneGeometry(0.26, 0.62)
          .rotateY(angle)
          .translate(
            x + Math.sin(angle) * radius * 1.05,
            height * (0.42 + 0.15 * k),
            z + Math.cos(angle) * radius * 1.05,
          ),
      )
    }
  }
  tower(0, 0, 2.5, 15, 5.4)
  tower(-7, -3, 1.9, 11, 4)
  tower(6.5, -2, 1.6, 9.5, 3.6)
  tower(11, 1, 1.9, 7, 0)
  tower(-13, 1, 2.1, 8, 0)
  bodies.push(
    new THREE.BoxGeometry(12, 8.5, 3).translate(3, 4.2, -2),
    new THREE.BoxGeometry(26, 5, 2).translate(-1, 2.5, 0.5),
  )
  group.add(
    new THREE.Mesh(mergeGeometries(bodies), new THREE.MeshLambertMaterial({ color: '#2a3350' })),
    new THREE.Mesh(mergeGeometries(roofs), new THREE.MeshLambertMaterial({ color: '#2c2740' })),
    new THREE.Mesh(
      mergeGeometries(panes),
      new THREE.MeshBasicMaterial({ color: '#ffc070', side: THREE.DoubleSide, fog: false }),
    ),
  )
  return group
}

/** 골짜기 마을의 작은 불빛 */
function lights(): THREE.Points {
  const random = seeded(41)
  const position = Float32Array.from({ length: 46 * 3 }, (_, k) =>
    k % 3 === 0 ? (random() - 0.35) * 70 : k % 3 === 1 ? -0.6 + random() ** 2 * 3.4 : -56 + random() * 3,
  )
  const geometry = new THREE.BufferGeometry()
  geometry.setAttribute('position', new THREE.BufferAttribute(position, 3))
  const material = new THREE.PointsMaterial({
    color: '#ffb870',
    size: 0.7,
    map: glowTexture(
      [
        [0, '#fff'],
        [0.25, 'rgba(255,220,170,0.8)'],
        [1, 'rgba(255,180,90,0)'],
      ],
      32,
    ),
    transparent: true,
    depthWrite: false,
    blending: THREE.AdditiveBlending,
    fog: false,
  })
  const points = new THREE.Points(geometry, material)
  return points
}
