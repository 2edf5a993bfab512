import * as THREE from 'three'
import { VertexAnimation } from 'limber'
import { DAY, type Act } from './act'
import { castle, TOWERS, WALL } from './castle'
import { emblems } from './emblems'
import { bakedFile, kib, mm, type BakedFile } from './files'
import { clouds, grass, hills, scatter, treeGeometry } from './scenery'
import { wording } from './wording'
import { seeded } from '../../shared/random'
import type { Stage, StageOptions } from '../../shared/stage'

const COUNT = 200

const FESTIVAL: StageOptions = {
  sky: [
    [-1, '#cfe6b8'],
    [-0.05, '#eaf4e0'],
    [0.0, '#fff3d9'],
    [0.1, '#cdebfb'],
    [0.35, '#86ccf5'],
    [1, '#4fa6ea'],
  ],
  fog: { colour: '#dcecea', near: 40, far: 150 },
  exposure: 1,
  toneMapping: THREE.NeutralToneMapping,
  environment: 0.3,
  fov: 30,
  subject: { width: 9.5, height: 14, centre: new THREE.Vector3(0.3, 3.7, -2) },
  view: { azimuth: -0.14, elevation: 0.17 },
  limits: { elevation: [0.03, 0.8], zoom: [0.4, 1.6] },
}

/** 깃대 하나: 꼭대기 자리와 길이(m), 깃발의 크기 */
interface Pole {
  x: number
  y: number
  z: number
  length: number
  size: number
}

/** 셋째 화면: 성과 들판의 깃발 200 장이 텍스처 한 장에서 나와 저마다 다른 박자로 펄럭인다. */
export class Crowd implements Act {
  readonly group = new THREE.Group()
  readonly stage = FESTIVAL
  readonly palette = DAY
  readonly title = wording.crowdTitle
  readonly chipNames = [wording.flags, wording.size, wording.largest, wording.perFrame]
  readonly settings = { speed: 1, playing: true, inStep: false, count: COUNT }
  /** 지난 장면들을 그리는 데 걸린 시간(ms)을 돌려준다. */
  milliseconds = (): number => 0
  #stage: Stage
  #file: BakedFile | undefined
  #flag: VertexAnimation | undefined
  #flags: { mesh: THREE.InstancedMesh; offsets: Float32Array }[] = []
  #poles: THREE.InstancedMesh
  #knobs: THREE.InstancedMesh
  #clouds = clouds([
    [-17, 13, -44, 2.8],
    [13, 15, -48, 3.2],
    [30, 11, -38, 2.2],
    [-36, 10, -34, 2.5],
    [-4, 20, -56, 2.4],
    [44, 15, 10, 3],
    [-44, 13, 12, 3],
  ])
  #time = 0
  #swung = 0

  static async load(stage: Stage): Promise<Crowd> {
    const file = bakedFile('flag')
    const bytes = file && (await (await fetch(file.url)).arrayBuffer())
    return new Crowd(stage, file, bytes && VertexAnimation.parse(bytes))
  }

  private constructor(stage: Stage, file: BakedFile | undefined, flag: VertexAnimation | undefined) {
    this.#stage = stage
    this.#file = file
    this.#flag = flag
    const places = poles()
    const { group } = this
    const key = new THREE.DirectionalLight('#fff1d6', 2.5)
    key.position.set(-10, 17, 12)
    key.target.position.set(0, 0, -2)
    Object.assign(key.shadow.camera, { left: -15, right: 15, top: 13, bottom: -12, near: 4, far: 48 })
    stage.castShadow(key, 3)
    Object.assign(key.shadow, { bias: -0.0012, normalBias: 0.05 })
    const rim = new THREE.DirectionalLight('#ffe3bd', 1.1)
    rim.position.set(10, 8, -14)
    group.add(key, key.target, rim, new THREE.HemisphereLight('#d9eeff', '#bdc9a0', 1.05), this.#clouds, castle())

    const field = new THREE.Mesh(
      new THREE.PlaneGeometry(260, 260),
      new THREE.MeshLambertMaterial({ map: grass('#7bae54', '#a6cd72', 26) }),
    )
    field.rotation.x = -Math.PI / 2
    field.receiveShadow = true
    group.add(
      field,
      hills([
        [Math.PI, 66, 44, 6, '#92c48c'],
        [2.6, 56, 26, 5, '#88bb70'],
        [-2.6, 58, 28, 5.4, '#97c67c'],
        [2.1, 78, 36, 8, '#97c3b8'],
        [-2.1, 82, 36, 7.4, '#9dc8bd'],
        [1.4, 68, 32, 5, '#97c67c'],
        [-1.4, 66, 32, 5, '#8cbf7c'],
        [0.5, 74, 36, 5, '#92c37c'],
        [-0.5, 76, 36, 5, '#9bcb7c'],
      ]),
      this.#trees(),
    )
    // 깃대와 금빛 꼭지
    this.#poles = scatterPoles(places)
    this.#knobs = scatter(
      new THREE.SphereGeometry(1, 10, 8),
      places.map(({ x, y, z, size }) => ({ at: [x, y + 0.03, z] as const, size: 0.05 * size, colour: '#ffc74d' })),
    )
    group.add(this.#poles, this.#knobs)
    if (flag) this.#hang(flag, places)
  }

  get sentence() {
    const file = this.#file
    return file ? wording.crowdSentence(kib(file), mm(file.report.maxError)) : wording.missing
  }

  chips(): string[] {
    const { count } = this.settings
    return [String(count), kib(this.#file), mm(this.#file?.report.maxError), this.milliseconds().toFixed(1)]
  }

  enter(): void {
    this.#swung = 0
    this.advance(0)
  }

  leave(): void {}

  /** 앞에서부터 count 장만 보인다. */
  show(): void {
    const { count } = this.settings
    this.#poles.count = this.#knobs.count = count
    const kinds = this.#flags.length
    this.#flags.forEach(({ mesh }, kind) => (mesh.count = Math.ceil((count - kind) / kinds)))
  }

  /** 모두 같은 박자로, 또는 저마다 다른 박자로 */
  step(together: boolean): void {
    for (const { mesh, offsets } of this.#flags) {
      const own = mesh.geometry.getAttribute('timeOffset') as THREE.InstancedBufferAttribute
      own.array.set(together ? new Float32Array(offsets.length) : offsets)
      own.needsUpdate = true
    }
  }

  advance(dt: number): void {
    const { settings } = this
    this.#time += dt
    // 한 장면에 하는 일은 이것뿐이다: 시각 하나를 알려 준다
    if (settings.playing) this.#flag?.update(dt * settings.speed)
    this.#clouds.position.x = 2.5 * Math.sin(this.#time * 0.03)
    const angle = 0.1 * Math.sin(this.#time * 0.22)
    this.#stage.swing(angle - this.#swung)
    this.#swung = angle
  }

  render(): void {}

  stats(): Record<string, number> {
    const flag = this.#flag
    if (!flag) return { flags: 0, time: this.#time }
    const [first, last] = [new Float32Array(flag.vertices * 3), new Float32Array(flag.vertices * 3)]
    const middle = new Float32Array(flag.vertices * 3)
    flag.sample(0, first)
    flag.sample(flag.duration, last)
    flag.sample(flag.duration / 2, middle)
    const furthest = (b: Float32Array): number => Math.max(...first.map((n, i) => Math.abs(n - b[i]!))) * 1000
    return {
      flags: this.#flags.reduce((sum, { mesh }) => sum + mesh.count, 0),
      millimetres: flag.error.maxDistance * 1000,
      seam: furthest(last),
      moved: furthest(middle),
      milliseconds: this.milliseconds(),
      time: this.#time,
    }
  }

  /** 무늬마다 InstancedMesh 하나: 같은 텍스처, 같은 시각을 함께 쓴다. */
  #hang(flag: VertexAnimation, places: readonly Pole[]): void {
    const random = seeded(77)
    const looks = emblems()
    const object = new THREE.Object3D()
    looks.forEach((map, kind) => {
      const own = places.filter((_, k) => k % looks.length === kind)
      const offsets = Float32Array.from(own, () => random() * flag.duration)
      const material = flag.apply(new THREE.MeshLambertMaterial({ map, side: THREE.DoubleSide }))
      const mesh = flag.instancedMesh(offsets, material)
      own.forEach(({ x, y, z, size }, k) => {
        object.position.set(x + 0.02, y - 0.02, z)
        object.scale.setScalar(size)
        object.rotation.y = (random() - 0.5) * 0.3
        object.updateMatrix()
        mesh.setMatrixAt(k, object.matrix)
      })
      mesh.castShadow = mesh.receiveShadow = true
      mesh.frustumCulled = false
      this.#flags.push({ mesh, offsets })
      this.group.add(mesh)
    })
  }

  #trees(): THREE.InstancedMesh {
    const random = seeded(9)
    const places = Array.from({ length: 34 }, (_, k) => {
      const side = k % 2 ? 1 : -1
      return {
        at: [side * (15 + random() * 20), 0, -20 + random() * 26] as const,
        size: 1.6 + random() * 1.4,
        turn: random() * 6,
      }
    })
    return scatter(treeGeometry('#4f9a5a', '#9ad06b'), places)
  }
}

/** 깃대가 설 자리: 들판의 여섯 줄, 성벽 위, 탑 둘레와 지붕 꼭대기. */
function poles(): Pole[] {
  const random = seeded(21)
  const list: Pole[] = []
  for (const [x, z, r, tall, roof] of TOWERS) {
    if (roof) list.push({ x, y: tall + roof + 1.35, z, length: 1.2, size: 1.05 })
    const round = roof ? 0 : 8
    for (let k = 0; k < round; k++) {
      const angle = ((k + 0.5) / round) * Math.PI * 2
      const [px, pz] = [x + Math.sin(angle) * r * 0.9, z + Math.cos(angle) * r * 0.9]
      list.push({ x: px, y: tall + 2.2, z: pz, length: 2, size: 0.85 })
    }
  }
  for (let x = -WALL.half + 1.9; x < WALL.half - 0.5; x += 1.36) {
    if (Math.abs(Math.abs(x) - 3.1) > 1.2) list.push({ x, y: WALL.height + 1.75, z: WALL.z, length: 1.8, size: 0.78 })
  }
  // 들판: 가운데에 성문으로 가는 길을 남긴다
  const rest = COUNT - list.length
  const perRow = Math.ceil(rest / 8)
  for (let k = 0; k < rest; k++) {
    const row = Math.floor(k / perRow)
    const along = (k % perRow) - (perRow - 1) / 2
    const wide = 1.72
    const x = along * wide + Math.sign(along || 1) * 1.0 + (row % 2) * 0.5 + (random() - 0.5) * 0.35
    const length = 2.15 + random() * 0.35
    list.push({ x, y: length, z: -4.6 + row * 2.0 + (random() - 0.5) * 0.5 + 0.012 * x * x, length, size: 0.92 })
  }
  // 적게 보일 때에도 고루 남도록 섞는다
  for (let k = list.length - 1; k > 0; k--) {
    const other = Math.floor(random() * (k + 1))
    ;[list[k], list[other]] = [list[other]!, list[k]!]
  }
  return list.slice(0, COUNT)
}

function scatterPoles(places: readonly Pole[]): THREE.InstancedMesh {
  const mesh = new THREE.InstancedMesh(
    new THREE.CylinderGeometry(0.026, 0.034, 1, 8).translate(0, -0.5, 0),
    new THREE.MeshLambertMaterial({ color: '#e9d3ae' }),
    places.length,
  )
  const object = new THREE.Object3D()
  places.forEach(({ x, y, z, length, size }, k) => {
    object.position.set(x, y, z)
    object.scale.set(size, length, size)
    object.updateMatrix()
    mesh.setMatrixAt(k, object.matrix)
  })
  mesh.castShadow = mesh.receiveShadow = true
  mesh.frustumCulled = false
  return mesh
}
