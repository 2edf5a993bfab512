import * as THREE from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js'

export interface StageOptions {
  /** 위에서 지평선까지의 하늘빛: [높이(−1 아래 ~ 1 위), 색][] */
  sky: readonly (readonly [number, THREE.ColorRepresentation])[]
  /** 안개: 색, 시작 거리(m), 다 덮이는 거리(m) */
  fog: { colour: THREE.ColorRepresentation; near: number; far: number }
  /** 노출. 눈으로 맞춘다. */
  exposure: number
  toneMapping?: THREE.ToneMapping
  /** 반사용 방 조명의 세기 */
  environment: number
  /** 세로 시야각(도). 기본 32 */
  fov?: number
  /** 화면에 꼭 들어와야 할 대상의 크기(m)와 가운데 */
  subject: { width: number; height: number; centre: THREE.Vector3 }
  /** 처음 보는 방향: 방위각 · 올려본각(라디안) */
  view: { azimuth: number; elevation: number }
  /** 손으로 돌릴 수 있는 범위: 올려본각(라디안), 처음 거리의 배수 */
  limits: { elevation: readonly [number, number]; zoom: readonly [number, number] }
}

/** 모든 예제가 함께 쓰는 무대: 렌더러, 하늘, 안개, 카메라, 화면 맞춤. */
export class Stage {
  readonly renderer: THREE.WebGLRenderer
  readonly scene = new THREE.Scene()
  readonly camera: THREE.PerspectiveCamera
  readonly controls: OrbitControls
  /** 손전화처럼 작은 화면인가 (그림자 지도 1024, 판은 접어 둔다) */
  readonly small = Math.min(innerWidth, innerHeight) < 500
  #options: StageOptions
  #ratio: number
  #fixedRatio: boolean
  #spent = 0
  #frames = 0
  #sharedShadows = false
  #drawn = 0
  #fog = new THREE.Fog('#000000')
  #sky: Sky | undefined

  constructor(container: HTMLElement, options: StageOptions) {
    this.#options = options
    const asked = Number(new URLSearchParams(location.search).get('ratio'))
    this.#fixedRatio = asked > 0
    this.#ratio = asked > 0 ? Math.min(asked, 2) : Math.min(devicePixelRatio, 2)

    const software = softwareRendered()
    const renderer = (this.renderer = new THREE.WebGLRenderer({
      antialias: this.#fixedRatio || (devicePixelRatio < 2 && !software),
      powerPreference: 'high-performance',
    }))
    renderer.outputColorSpace = THREE.SRGBColorSpace
    renderer.shadowMap.enabled = true
    // r186 의 PCF 는 부드러운 그림자다. 그래픽 카드가 없으면 가벼운 쪽을 쓴다
    renderer.shadowMap.type = software && !this.#fixedRatio ? THREE.BasicShadowMap : THREE.PCFShadowMap
    renderer.domElement.className = 'stage'
    container.append(renderer.domElement)

    const { scene } = this
    scene.fog = this.#fog
    const pmrem = new THREE.PMREMGenerator(renderer)
    const room = new RoomEnvironment()
    scene.environment = pmrem.fromScene(room, 0.04, 0.1, 100, { size: 64 }).texture
    room.dispose()
    pmrem.dispose()

    this.camera = new THREE.PerspectiveCamera(32, 1, 0.1, 400)
    const controls = (this.controls = new OrbitControls(this.camera, renderer.domElement))
    controls.enableDamping = true
    controls.enablePan = false
    this.change(options)
    addEventListener('resize', () => this.#fit())
  }

  /** 다른 무대로 바꾼다: 하늘, 안개, 노출, 화면에 맞출 대상과 보는 방향. 놓인 것은 그대로 둔다. */
  change(options: StageOptions): void {
    this.#options = options
    const { renderer, scene, camera, controls } = this
    renderer.toneMapping = options.toneMapping ?? THREE.AgXToneMapping
    renderer.toneMappingExposure = options.exposure
    scene.environmentIntensity = options.environment
    this.#fog.color.set(options.fog.colour)
    Object.assign(this.#fog, { near: options.fog.near, far: options.fog.far })
    this.#sky?.removeFromParent()
    this.#sky?.geometry.dispose()
    this.#sky?.material.dispose()
    scene.add((this.#sky = gradientSky(options.sky)))
    camera.fov = options.fov ?? 32
    controls.minPolarAngle = Math.PI / 2 - options.limits.elevation[1]
    controls.maxPolarAngle = Math.PI / 2 - options.limits.elevation[0]
    controls.target.copy(options.subject.centre)
    const { azimuth, elevation } = options.view
    camera.position.setFromSphericalCoords(1, Math.PI / 2 - elevation, azimuth).add(controls.target)
    this.#fit()
  }

  /** 하늘과 안개에 빛깔을 곱한다. */
  tint(colour: THREE.Color): void {
    this.#sky?.material.color.copy(colour)
    this.#fog.color.set(this.#options.fog.colour).multiply(colour)
  }

  /** 그림자를 드리우는 주광 하나를 알맞게 맞춘다. */
  castShadow(light: THREE.SpotLight | THREE.DirectionalLight, radius = 4): void {
    light.castShadow = true
    light.shadow.mapSize.setScalar(this.small ? 1024 : 2048)
    light.shadow.bias = -0.0006
    light.shadow.normalBias = 0.02
    light.shadow.radius = radius
  }

  /** 대상이 움직인 만큼 카메라도 따라간다 (손으로 돌려 둔 각도는 그대로). */
  follow(move: THREE.Vector3): void {
    this.controls.target.add(move)
    this.camera.position.add(move)
  }

  /** 대상을 중심으로 카메라를 angle(라디안) 만큼 돌린다. */
  swing(angle: number): void {
    const { target } = this.controls
    this.camera.position.sub(target).applyAxisAngle(THREE.Object3D.DEFAULT_UP, angle).add(target)
  }

  /** 다른 대상을 화면에 맞춘다. 보던 방향은 그대로 둔다. */
  frame(subject: StageOptions['subject']): void {
    this.#options = { ...this.#options, subject }
    this.follow(subject.centre.clone().sub(this.controls.target))
    this.#fit()
  }

  render(): void {
    this.controls.update()
    const { shadowMap } = this.renderer
    shadowMap.autoUpdate = !this.#sharedShadows || this.#drawn++ % 2 === 0
    // 해상도를 바꾸면 화면이 지워지므로 그리기 바로 앞에서 바꾼다
    if (this.renderer.getPixelRatio() !== this.#ratio) this.renderer.setPixelRatio(this.#ratio)
    this.renderer.render(this.scene, this.camera)
  }

  /** 화면마다 frame(지난 초) 을 부른다. held() 가 참이면 멈춰 있는다. */
  run(frame: (dt: number) => void, held: () => boolean): void {
    const timer = new THREE.Timer()
    timer.connect(document)
    this.renderer.setAnimationLoop((time) => {
      timer.update(time)
      if (held()) return
      const dt = Math.max(0, timer.getDelta()) // 첫 장면의 시각은 타이머를 만든 때보다 앞설 수 있다
      this.#adapt(dt)
      frame(dt)
    })
  }

  /** 대상이 가로로도 세로로도 들어오도록 거리를 맞춘다. */
  #fit(): void {
    const { camera, controls } = this
    const { subject, limits } = this.#options
    camera.aspect = innerWidth / innerHeight
    camera.updateProjectionMatrix()
    const slope = Math.tan(THREE.MathUtils.degToRad(camera.fov / 2))
    const distance = Math.max(subject.height / 2 / slope, subject.width / 2 / slope / camera.aspect)
    camera.position.sub(controls.target).setLength(distance).add(controls.target)
    controls.minDistance = distance * limits.zoom[0]
    controls.maxDistance = distance * limits.zoom[1]
    this.renderer.setPixelRatio(this.#ratio)
    this.renderer.setSize(innerWidth, innerHeight)
  }

  /** 한 장면이 20 ms 보다 오래 걸리면 해상도를 낮춘다. */
  #adapt(dt: number): void {
    if (this.#fixedRatio || dt <= 0 || dt > 3) return
    this.#spent += dt
    this.#frames++
    if (this.#frames < 12 && this.#spent < 0.6) return
    const mean = this.#spent / this.#frames
    this.#spent = this.#frames = 0
    // 아주 느리면 그림자는 두 장면에 한 번만 새로 그린다
    if (mean > 0.034) this.#sharedShadows = true
    if (mean <= 0.02 || this.#ratio <= LOWEST_RATIO) return
    this.#ratio = Math.max(LOWEST_RATIO, this.#ratio * Math.min(0.9, Math.max(0.6, Math.sqrt(0.018 / mean))))
  }
}

/** 해상도 비율은 이보다 낮추지 않는다. */
const LOWEST_RATIO = 0.5

/** 그래픽 카드 없이 그리는 브라우저인가 (그때는 계단 줄이기를 끈다) */
function softwareRendered(): boolean {
  const context = document.createElement('canvas').getContext('webgl2')
  const info = context?.getExtension('WEBGL_debug_renderer_info')
  const name = context && info ? String(context.getParameter(info.UNMASKED_RENDERER_WEBGL)) : ''
  context?.getExtension('WEBGL_lose_context')?.loseContext()
  return /swiftshader|llvmpipe|software|basic render/i.test(name)
}

type Sky = THREE.Mesh<THREE.SphereGeometry, THREE.MeshBasicMaterial>

/** 꼭짓점 색으로 칠한 커다란 구: 텍스처 없이 부드럽게 넘어가는 하늘. */
function gradientSky(stops: readonly (readonly [number, THREE.ColorRepresentation])[]): Sky {
  const geometry = new THREE.SphereGeometry(300, 16, 48)
  const { position } = geometry.attributes
  const colours = new Float32Array(position!.count * 3)
  const ladder = stops.map(([height, colour]) => [height, new THREE.Color(colour)] as const).sort((a, b) => a[0] - b[0])
  const mixed = new THREE.Color()
  for (let k = 0; k < position!.count; k++) {
    const height = position!.getY(k) / 300
    const upper = ladder.findIndex(([h]) => h >= height)
    if (upper <= 0) mixed.copy(ladder[upper < 0 ? ladder.length - 1 : 0]![1])
    else {
      const [h0, c0] = ladder[upper - 1]!
      const [h1, c1] = ladder[upper]!
      mixed.lerpColors(c0, c1, (height - h0) / (h1 - h0))
    }
    mixed.toArray(colours, k * 3)
  }
  geometry.setAttribute('color', new THREE.BufferAttribute(colours, 3))
  const material = new THREE.MeshBasicMaterial({
    vertexColors: true,
    side: THREE.BackSide,
    fog: false,
    toneMapped: false,
    depthWrite: false,
    dithering: true,
  })
  const sky = new THREE.Mesh(geometry, material)
  sky.renderOrder = 1 // 다른 것에 가려지는 곳은 칠하지 않게 맨 뒤에 그린다
  sky.frustumCulled = false
  return sky
}
