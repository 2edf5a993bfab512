import * as THREE from 'three'
import { ClayMaterial } from '../../shared/clay/clay-material'
import { approach, seeded } from '../../shared/random'
import { glowTexture, paint } from '../../shared/textures'
import type { Stage } from '../../shared/stage'

/** 둥근 무대의 반지름과 두께(m). 무대 바닥이 y = 0 이다. */
export const STAGE_RADIUS = 2.45
const THICK = 0.26

/** 해 질 녘 하늘 */
export const SKY: ConstructorParameters<typeof Stage>[1]['sky'] = [
  [-1, '#100e26'],
  [-0.25, '#171530'],
  [0, '#2a2552'],
  [0.14, '#3b3566'],
  [0.45, '#2a2654'],
  [1, '#171530'],
]

const random = seeded(19)

/** 장난감 극장: 민트 무대, 종이 언덕과 달, 커튼, 발밑 전구, 따라다니는 조명과 그 속의 먼지. */
export class Theatre {
  readonly group = new THREE.Group()
  readonly spot = new THREE.SpotLight('#ffe0b4', 150, 0, 0.27, 0.55)
  #aim = new THREE.Vector3(0, 0.7, 0)
  #beam: THREE.Mesh<THREE.BufferGeometry, THREE.ShaderMaterial>
  #dust: THREE.Points
  #hanging: THREE.Object3D[] = []
  #wide = 1

  constructor() {
    const { group, spot } = this
    spot.position.set(-2.1, 5.6, 4.4)
    spot.target.position.copy(this.#aim)
    Object.assign(spot.shadow.camera, { near: 3, far: 12 })
    const rim = new THREE.DirectionalLight('#9db2ff', 2.6)
    rim.position.set(2.6, 3.0, -3.6)
    const pink = new THREE.DirectionalLight('#ff8fb8', 1.1)
    pink.position.set(-4, 1.6, -2.6)
    group.add(spot, spot.target, rim, pink, new THREE.HemisphereLight('#9a90cc', '#4a3a58', 0.95))
    group.add(this.#floor(), this.#backdrop(), this.#curtains(), this.#footlights())
    this.#beam = this.#lightBeam()
    this.#dust = motes()
    group.add(this.#beam, this.#dust)
  }

  /** 조명이 따라갈 곳. wide 가 크면 더 넓게 비춘다. */
  light(at: THREE.Vector3, dt: number, wide = 1): void {
    for (const axis of ['x', 'y', 'z'] as const) this.#aim[axis] = approach(this.#aim[axis], at[axis], 3.2, dt)
    this.#wide = approach(this.#wide, wide, 4, dt)
    this.spot.angle = 0.27 * this.#wide
    this.spot.target.position.copy(this.#aim)
  }

  update(time: number): void {
    this.#hanging.forEach((thing, k) => (thing.rotation.z = Math.sin(time * 0.7 + k * 1.9) * 0.045))
    const { position } = this.spot
    const reach = position.distanceTo(this.#aim)
    this.#beam.position.copy(position)
    this.#beam.lookAt(this.#aim)
    const width = Math.tan(this.spot.angle) * reach
    this.#beam.scale.set(width, width, reach)
    ;(this.#dust.material as THREE.ShaderMaterial).uniforms.time!.value = time
    this.#dust.position.set(this.#aim.x, 0, this.#aim.z)
  }

  #floor(): THREE.Group {
    const group = new THREE.Group()
    const round = 0.07
    const profile = [new THREE.Vector2(STAGE_RADIUS - 0.05, -THICK)]
    for (let k = 0; k <= 8; k++) {
      const angle = (k / 8) * (Math.PI / 2)
      profile.push(new THREE.Vector2(STAGE_RADIUS - round + Math.cos(angle) * round, -round + Math.sin(angle) * round))
    }
    profile.push(new THREE.Vector2(0, 0))
    const disc = new THREE.Mesh(
      new THREE.LatheGeometry(profile, 96),
      new ClayMaterial({ color: '#a9dfb9', grain: 0.8 }),
    )
    disc.receiveShadow = true
    // 무대 가장자리에 한 줄 두른 크림색 테
    const band = new THREE.Mesh(
      new THREE.TorusGeometry(STAGE_RADIUS - 0.26, 0.022, 8, 120),
      new THREE.MeshLambertMaterial({ color: '#f4ead2' }),
    )
    band.rotation.x = Math.PI / 2
    band.scale.z = 0.3
    band.receiveShadow = true
    const boards = new THREE.Mesh(
      new THREE.PlaneGeometry(24, 14),
      new THREE.MeshStandardMaterial({ map: planks(), roughness: 0.72 }),
    )
    boards.rotation.x = -Math.PI / 2
    boards.position.set(0, -THICK, 0)
    boards.receiveShadow = true
    group.add(disc, band, boards)
    return group
  }

  /** 뒤에 겹겹이 세운 종이 언덕, 달, 실에 매단 구름과 별 */
  #backdrop(): THREE.Group {
    const group = new THREE.Group()
    const moon = new THREE.Mesh(new THREE.CircleGeometry(0.66, 64), new THREE.MeshBasicMaterial({ map: moonFace() }))
    moon.position.set(1.45, 1.98, -4.6)
    const halo = new THREE.Mesh(
      new THREE.PlaneGeometry(5.6, 5.6),
      new THREE.MeshBasicMaterial({
        map: glowTexture([
          [0, 'rgb(255 190 150 / 0.85)'],
          [0.28, 'rgb(240 140 160 / 0.42)'],
          [0.6, 'rgb(150 100 190 / 0.14)'],
          [1, 'rgb(120 90 180 / 0)'],
        ]),
        transparent: true,
        depthWrite: false,
        fog: false,
      }),
    )
    halo.position.copy(moon.position).setZ(-4.7)
    group.add(moon, halo)
    for (const [z, height, wave, colour, phase] of [
      [-4.1, 1.15, 0.3, '#6a5f96', 0.4],
      [-3.6, 0.74, 0.24, '#50477c', 2.3],
      [-3.15, 0.36, 0.17, '#3b3364', 4.4],
    ] as const) {
      const hill = new THREE.Mesh(hillGeometry(height, wave, phase), new THREE.MeshLambertMaterial({ color: colour }))
      hill.position.set(0, -THICK, z)
      hill.castShadow = hill.receiveShadow = true
      group.add(hill)
    }
    const gold = new THREE.MeshStandardMaterial({ color: '#ffd27a', emissive: '#a8651c', roughness: 0.5 })
    const paper = new THREE.MeshLambertMaterial({ color: '#8d80c9' })
    const thread = new THREE.LineBasicMaterial({ color: '#8f86c4', transparent: true, opacity: 0.5 })
    const cut = (shape: THREE.Shape): THREE.ExtrudeGeometry =>
      new THREE.ExtrudeGeometry(shape, { depth: 0.03, bevelSize: 0.012, bevelThickness: 0.012, bevelSegments: 2 })
    const star = cut(starShape(0.13))
    const cloud = cut(cloudShape())
    for (const [x, y, z, size, kind] of [
      [-1.85, 2.12, -3.3, 1, 'cloud'],
      [2.3, 1.62, -3.2, 0.78, 'cloud'],
      [-0.7, 2.05, -3.5, 1, 'star'],
      [0.3, 2.3, -3.6, 0.66, 'star'],
      [-2.35, 1.5, -3.0, 0.7, 'star'],
      [2.05, 2.3, -3.4, 0.85, 'star'],
      [-1.15, 1.6, -3.7, 0.5, 'star'],
    ] as const) {
      const hook = new THREE.Group()
      hook.position.set(x, 4.2, z)
      const thing = new THREE.Mesh(kind === 'star' ? star : cloud, kind === 'star' ? gold : paper)
      thing.position.y = y - 4.2
      thing.scale.setScalar(size)
      const string = new THREE.Line(
        new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3(0, y - 4.15, 0)]),
        thread,
      )
      hook.add(thing, string)
      this.#hanging.push(hook)
      group.add(hook)
    }
    return group
  }

  /** 양옆의 묶은 커튼과 위의 드림 */
  #curtains(): THREE.Group {
    const group = new THREE.Group()
    const velvet = new THREE.MeshPhysicalMaterial({
      color: '#8c2f52',
      roughness: 0.85,
      sheen: 1,
      sheenRoughness: 0.45,
      sheenColor: new THREE.Color('#ff7fa6'),
      side: THREE.DoubleSide,
    })
    const shadow = new THREE.MeshBasicMaterial({
      color: '#0d0a20',
      map: glowTexture([
        [0, 'rgb(255 255 255 / 0.9)'],
        [0.6, 'rgb(255 255 255 / 0.55)'],
        [1, 'rgb(255 255 255 / 0)'],
      ]),
      transparent: true,
      depthWrite: false,
    })
    const rope = new THREE.MeshStandardMaterial({ color: '#f0bd5e', roughness: 0.5 })
    for (const side of [-1, 1]) {
      const curtain = new THREE.Mesh(curtainGeometry(side), velvet)
      curtain.receiveShadow = curtain.castShadow = true
      const tie = new THREE.Mesh(new THREE.TorusGeometry(0.21, 0.045, 10, 28), rope)
      tie.rotation.set(Math.PI / 2 - 0.15, side * 0.2, 0)
      tie.scale.set(1, 0.62, 1)
      tie.position.set(side * 3.12, 1.2, -1.5)
      // 끌리는 자락 밑의 그늘
      const shade = new THREE.Mesh(new THREE.PlaneGeometry(2.2, 0.9), shadow)
      shade.rotation.x = -Math.PI / 2
      shade.position.set(side * 3.35, -THICK + 0.006, -1.5)
      group.add(curtain, tie, shade)
    }
    const valance = new THREE.Mesh(valanceGeometry(), velvet)
    valance.castShadow = true
    const fringe = new THREE.Mesh(fringeGeometry(), rope)
    group.add(valance, fringe)
    return group
  }

  /** 무대 앞 둘레의 작은 전구 */
  #footlights(): THREE.Group {
    const group = new THREE.Group()
    const bulb = new THREE.SphereGeometry(0.045, 16, 12)
    const cup = new THREE.CylinderGeometry(0.055, 0.07, 0.07, 16)
    const lit = new THREE.MeshBasicMaterial({ color: '#ffe2a6', toneMapped: false })
    const brass = new THREE.MeshStandardMaterial({ color: '#b98245', roughness: 0.4, metalness: 0.6 })
    const glow = new THREE.SpriteMaterial({
      map: glowTexture([
        [0, 'rgb(255 214 140 / 0.75)'],
        [0.3, 'rgb(255 180 100 / 0.24)'],
        [1, 'rgb(255 160 90 / 0)'],
      ]),
      blending: THREE.AdditiveBlending,
      depthWrite: false,
    })
    for (let k = 0; k < 15; k++) {
      const angle = Math.PI * (0.06 + (0.88 * k) / 14)
      const at = new THREE.Vector3(
        Math.cos(angle) * (STAGE_RADIUS + 0.17),
        -THICK + 0.09,
        Math.sin(angle) * (STAGE_RADIUS + 0.17),
      )
      const light = new THREE.Mesh(bulb, lit)
      light.position.copy(at)
      const foot = new THREE.Mesh(cup, brass)
      foot.position.copy(at).setY(-THICK + 0.035)
      const shine = new THREE.Sprite(glow)
      shine.position.copy(at)
      shine.scale.setScalar(0.62)
      group.add(light, foot, shine)
    }
    const warm = new THREE.PointLight('#ffb070', 5, 5, 1.6)
    warm.position.set(0, 0.1, STAGE_RADIUS + 0.45)
    group.add(warm)
    return group
  }

  /** 조명이 지나는 길: 옅은 빛의 원뿔 */
  #lightBeam(): THREE.Mesh<THREE.BufferGeometry, THREE.ShaderMaterial> {
    const geometry = new THREE.CylinderGeometry(1, 0.05, 1, 48, 1, true)
    geometry.rotateX(Math.PI / 2).translate(0, 0, 0.5)
    const material = new THREE.ShaderMaterial({
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      blending: THREE.AdditiveBlending,
      uniforms: { colour: { value: new THREE.Color('#ffdca8') } },
      vertexShader: `
        varying float vAlong; varying vec3 vNormalView; varying vec3 vView;
        void main() {
          vAlong = position.z;
          vec4 view = modelViewMatrix * vec4(position, 1.0);
          vNormalView = normalMatrix * normal;
          vView = -view.xyz;
          gl_Position = projectionMatrix * view;
        }`,
      fragmentShader: `
        uniform vec3 colour; varying float vAlong; varying vec3 vNormalView; varying vec3 vView;
        void main() {
          float face = abs(dot(normalize(vNormalView), normalize(vView)));
          float alpha = pow(face, 1.8) * 0.075 * smoothstep(1.0, 0.72, vAlong) * smoothstep(0.1, 0.4, vAlong);
          gl_FragColor = vec4(colour * alpha, 1.0);
        }`,
    })
    const beam = new THREE.Mesh(geometry, material)
    beam.frustumCulled = false
    return beam
  }
}

/** 빛 속을 떠다니는 먼지 */
function motes(): THREE.Points {
  const count = 110
  const position = new Float32Array(count * 3)
  const seed = new Float32Array(count)
  for (let k = 0; k < count; k++) {
    const angle = random() * Math.PI * 2
    const out = Math.sqrt(random()) * 1.5
    position.set([Math.cos(angle) * out, random() * 2.6, Math.sin(angle) * out], k * 3)
    seed[k] = random()
  }
  const geometry = new THREE.BufferGeometry()
  geometry.setAttribute('position', new THREE.BufferAttribute(position, 3))
  geometry.setAttribute('seed', new THREE.BufferAttribute(seed, 1))
  const points = new THREE.Points(
    geometry,
    new THREE.ShaderMaterial({
      transparent: true,
      depthWrite: false,
      blending: THREE.AdditiveBlending,
      uniforms: { time: { value: 0 } },
      vertexShader: `
        attribute float seed; uniform float time; varying float vGlow;
        void main() {
          vec3 p = position;
          p.y = mod(p.y - time * (0.025 + 0.04 * seed), 2.6);
          p.x += 0.16 * sin(time * (0.3 + 0.4 * seed) + seed * 40.0);
          p.z += 0.16 * cos(time * (0.25 + 0.4 * seed) + seed * 70.0);
          // 조명 쪽으로 기운 기둥 속에서만
          p.x -= p.y * 0.32; p.z += p.y * 0.6;
          vec4 view = modelViewMatrix * vec4(p, 1.0);
          float edge = smoothstep(0.0, 0.3, p.y) * smoothstep(2.6, 2.0, p.y);
          vGlow = edge * (0.35 + 0.65 * pow(abs(sin(time * (0.4 + seed) + seed * 90.0)), 3.0));
          gl_PointSize = (3.0 + 5.0 * seed * seed) * projectionMatrix[1][1] / -view.z;
          gl_Position = projectionMatrix * view;
        }`,
      fragmentShader: `
        varying float vGlow;
        void main() {
          float d = length(gl_PointCoord - 0.5) * 2.0;
          gl_FragColor = vec4(vec3(1.0, 0.86, 0.66) * vGlow * smoothstep(1.0, 0.0, d) * 0.5, 1.0);
        }`,
    }),
  )
  points.frustumCulled = false
  return points
}

/** 종이 달: 옅은 얼룩과 가장자리의 그늘. ▶ 진짜 달 그림이 있으면 여기를 바꾼다. */
function moonFace(): THREE.CanvasTexture {
  return paint(256, 256, (context) => {
    const fall = context.createRadialGradient(96, 92, 20, 128, 128, 132)
    fall.addColorStop(0, '#fff3d6')
    fall.addColorStop(0.7, '#ffe0b4')
    fall.addColorStop(1, '#f3b98c')
    context.fillStyle = fall
    context.fillRect(0, 0, 256, 256)
    for (const [x, y, r] of [
      [92, 96, 25],
      [160, 132, 34],
      [110, 176, 17],
      [176, 70, 13],
      [58, 146, 12],
    ] as const) {
      context.fillStyle = 'rgb(226 166 120 / 0.3)'
      context.beginPath()
      context.arc(x, y, r, 0, Math.PI * 2)
      context.fill()
    }
  })
}

/** 무대 아래의 널빤지: 가장자리로 갈수록 어둠에 잠긴다 */
function planks(): THREE.CanvasTexture {
  return paint(1024, 1024, (context) => {
    context.fillStyle = '#231c44'
    context.fillRect(0, 0, 1024, 1024)
    for (let k = 0; k < 26; k++) {
      const y = (k * 1024) / 26
      const l = 17 + random() * 6
      context.fillStyle = `hsl(${248 + random() * 12} 38% ${l}%)`
      context.fillRect(0, y + 1.5, 1024, 1024 / 26 - 3)
      for (let g = 0; g < 8; g++) {
        context.fillStyle = `rgb(12 8 34 / ${0.05 + random() * 0.1})`
        context.fillRect(random() * 900, y + random() * 36, 80 + random() * 300, 1.5)
      }
      context.fillStyle = 'rgb(10 8 28 / 0.6)'
      context.fillRect(random() * 1024, y, 2.5, 40)
    }
    const dusk = context.createRadialGradient(512, 512, 150, 512, 512, 512)
    dusk.addColorStop(0, 'rgb(23 21 48 / 0)')
    dusk.addColorStop(1, 'rgb(20 17 44 / 1)')
    context.fillStyle = dusk
    context.fillRect(0, 0, 1024, 1024)
  })
}

function hillGeometry(height: number, wave: number, phase: number): THREE.BufferGeometry {
  const shape = new THREE.Shape()
  shape.moveTo(-7, -0.2)
  for (let k = 0; k <= 80; k++) {
    const x = -7 + (k / 80) * 14
    shape.lineTo(x, height + wave * Math.sin(x * 0.85 + phase) + wave * 0.5 * Math.sin(x * 1.9 + phase * 2))
  }
  shape.lineTo(7, -0.2)
  return new THREE.ExtrudeGeometry(shape, { depth: 0.06, bevelEnabled: false })
}

function starShape(size: number): THREE.Shape {
  const shape = new THREE.Shape()
  for (let k = 0; k < 10; k++) {
    const angle = (k / 10) * Math.PI * 2 + Math.PI / 2
    const r = size * (k % 2 ? 0.5 : 1)
    shape[k ? 'lineTo' : 'moveTo'](Math.cos(angle) * r, Math.sin(angle) * r)
  }
  shape.closePath()
  return shape
}

function cloudShape(): THREE.Shape {
  const shape = new THREE.Shape()
  shape.moveTo(-0.5, 0)
  shape.absarc(-0.4, 0.12, 0.14, Math.PI * 1.4, Math.PI * 0.55, true)
  shape.absarc(-0.14, 0.26, 0.2, Math.PI * 0.95, Math.PI * 0.3, true)
  shape.absarc(0.2, 0.2, 0.17, Math.PI * 0.7, Math.PI * 0.15, true)
  shape.absarc(0.42, 0.1, 0.12, Math.PI * 0.5, -Math.PI * 0.5, true)
  shape.closePath()
  return shape
}

/** 무대 옆의 커튼: 위에서 퍼지고 허리에서 묶여 다시 퍼진다 */
function curtainGeometry(side: number): THREE.BufferGeometry {
  const geometry = new THREE.PlaneGeometry(1, 1, 90, 50)
  const { position } = geometry.attributes
  for (let k = 0; k < position!.count; k++) {
    const u = position!.getX(k) + 0.5
    const v = position!.getY(k) + 0.5 // 0 아래 ~ 1 위
    const y = -THICK + v * 4.2
    const waist = (y - 1.2) / (y > 1.2 ? 2.7 : 1.45)
    const open = Math.min(1, Math.abs(waist)) ** (y > 1.2 ? 1.25 : 0.8)
    const width = 0.36 + (y > 1.2 ? 1.5 : 0.62) * open
    const inner = 3.12 - 0.18 - (y > 1.2 ? 1.0 * open : 0.2 * open)
    const fold = Math.sin(u * Math.PI * 2 * 7 + Math.sin(v * 5) * 0.3)
    position!.setXYZ(
      k,
      side * (inner + u * width),
      y,
      -1.5 + fold * (0.05 + (y > 1.2 ? 0.075 : 0.045) * open) - u * 0.15,
    )
  }
  geometry.computeVertexNormals()
  return geometry
}

const SCALLOPS = 7
const scallop = (x: number): number => 2.4 + 0.17 * (1 - Math.abs(Math.sin(((x + 4.2) / 8.4) * Math.PI * SCALLOPS)))

function valanceGeometry(): THREE.BufferGeometry {
  const geometry = new THREE.PlaneGeometry(8.4, 1, 220, 12)
  const { position } = geometry.attributes
  for (let k = 0; k < position!.count; k++) {
    const x = position!.getX(k)
    const v = position!.getY(k) + 0.5
    const bottom = scallop(x)
    const y = bottom + v * (6.5 - bottom)
    const belly = Math.abs(Math.sin(((x + 4.2) / 8.4) * Math.PI * SCALLOPS))
    const fold = Math.sin(x * 21) * 0.03 * (0.4 + v)
    position!.setXYZ(k, x, y, -1.28 + belly * 0.16 * (1 - v) + fold)
  }
  geometry.computeVertexNormals()
  return geometry
}

/** 드림 끝의 금빛 술 */
function fringeGeometry(): THREE.BufferGeometry {
  const points = Array.from({ length: 240 }, (_, k) => {
    const x = -4.2 + (k / 239) * 8.4
    const belly = Math.abs(Math.sin(((x + 4.2) / 8.4) * Math.PI * SCALLOPS))
    return new THREE.Vector3(x, scallop(x), -1.27 + belly * 0.16 + Math.sin(x * 21) * 0.012)
  })
  return new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 480, 0.03, 6)
}
