import * as THREE from 'three'
import { seeded } from '../../shared/random'
import { glowTexture } from '../../shared/textures'

/** 횃불 둘의 불꽃 자리 */
const PLACES = [new THREE.Vector3(-3.4, 1.62, -1.16), new THREE.Vector3(1.7, 1.62, -1.16)]
const EMBERS = 14

/** 횃불: 쇠받침, 너울대는 불꽃, 불티, 따뜻한 빛 그리고 그림자를 드리우는 주광. */
export class Torches {
  readonly group = new THREE.Group()
  /** 횃불 빛을 한데 모은 주광. 기사를 따라다니며 그림자를 드리운다. */
  readonly key = new THREE.SpotLight('#ffb066', 0, 16, 0.42, 0.9, 1.6)
  #lights: THREE.PointLight[] = []
  #flames: THREE.ShaderMaterial[] = []
  #glows: THREE.Sprite[] = []
  #embers: THREE.Points
  #seeds: number[]

  constructor() {
    const iron = new THREE.MeshStandardMaterial({ color: '#2a2a30', metalness: 0.7, roughness: 0.55 })
    const wood = new THREE.MeshStandardMaterial({ color: '#3b2517', roughness: 0.9 })
    const glow = glowTexture([
      [0, 'rgba(255,196,120,0.9)'],
      [0.18, 'rgba(255,150,60,0.36)'],
      [0.5, 'rgba(255,110,30,0.08)'],
      [1, 'rgba(255,90,20,0)'],
    ])
    const random = seeded(5)
    for (const place of PLACES) {
      const torch = new THREE.Group()
      torch.position.copy(place)
      const add = (
        geometry: THREE.BufferGeometry,
        material: THREE.Material,
        at: readonly [number, number, number],
        tilt = 0,
      ): void => {
        const mesh = new THREE.Mesh(geometry, material)
        mesh.position.set(...at)
        mesh.rotation.x = tilt
        torch.add(mesh)
      }
      add(new THREE.CylinderGeometry(0.032, 0.022, 0.62, 10), wood, [0, -0.36, -0.06], 0.2)
      add(new THREE.CylinderGeometry(0.075, 0.045, 0.12, 8, 1, true), iron, [0, -0.05, 0])
      add(new THREE.TorusGeometry(0.075, 0.008, 6, 16), iron, [0, 0.01, 0], Math.PI / 2)
      add(new THREE.BoxGeometry(0.09, 0.16, 0.03), iron, [0, -0.55, -0.2])
      add(new THREE.TorusGeometry(0.045, 0.009, 6, 16), iron, [0, -0.5, -0.1], 1.3)

      const flame = flameMaterial(random() * 10)
      const billboard = new THREE.Mesh(new THREE.PlaneGeometry(0.44, 0.66), flame)
      billboard.position.y = 0.26
      billboard.renderOrder = 5
      billboard.onBeforeRender = (_r, _s, camera) =>
        billboard.rotation.set(0, Math.atan2(camera.position.x - place.x, camera.position.z - place.z), 0)
      const halo = new THREE.Sprite(
        new THREE.SpriteMaterial({
          map: glow,
          color: '#ff9a4a',
          blending: THREE.AdditiveBlending,
          depthWrite: false,
          fog: false,
          toneMapped: false,
        }),
      )
      halo.position.set(0, 0.16, 0.05)
      const light = new THREE.PointLight('#ff9d4d', 0, 7.5, 1.7)
      light.position.set(0, 0.22, 0.16)
      torch.add(billboard, halo, light)
      this.group.add(torch)
      this.#flames.push(flame)
      this.#glows.push(halo)
      this.#lights.push(light)
    }
    this.#seeds = Array.from({ length: EMBERS * PLACES.length }, random)
    const geometry = new THREE.BufferGeometry()
    geometry.setAttribute(
      'position',
      new THREE.BufferAttribute(new Float32Array(this.#seeds.length * 3), 3).setUsage(THREE.DynamicDrawUsage),
    )
    geometry.setAttribute(
      'color',
      new THREE.BufferAttribute(new Float32Array(this.#seeds.length * 3), 3).setUsage(THREE.DynamicDrawUsage),
    )
    this.#embers = new THREE.Points(
      geometry,
      new THREE.PointsMaterial({
        size: 0.028,
        map: glow,
        vertexColors: true,
        blending: THREE.AdditiveBlending,
        depthWrite: false,
        fog: false,
      }),
    )
    this.#embers.frustumCulled = false
    this.group.add(this.#embers, this.key, this.key.target)
  }

  /** time 초의 불빛. focus 는 주광이 비추는 곳, heading 은 기사가 걷는 쪽(−1~1), wind 는 바람의 x(m/s). */
  update(time: number, focus: THREE.Vector3, heading: number, wind: number): void {
    this.#lights.forEach((light, k) => {
      const flicker = flickering(time, k * 37)
      light.intensity = 6.5 * flicker
      this.#glows[k]!.scale.setScalar(1.5 + 0.5 * flicker)
      this.#glows[k]!.material.opacity = 0.5 * flicker
      const { uniforms } = this.#flames[k]!
      uniforms.time!.value = time
      uniforms.lean!.value = THREE.MathUtils.clamp(wind * 0.022, -0.2, 0.2)
    })
    this.key.intensity = 38 * (0.9 + 0.1 * flickering(time, 11))
    this.key.position.set(focus.x - heading * 3.6, 3.1, focus.z + 2.7)
    this.key.target.position.set(focus.x, 0.95, focus.z)

    const { position, color } = this.#embers.geometry.attributes as Record<'position' | 'color', THREE.BufferAttribute>
    this.#seeds.forEach((seed, k) => {
      const place = PLACES[Math.floor(k / EMBERS)]!
      const life = (time * (0.35 + seed * 0.25) + seed * 7) % 1
      const drift = Math.sin(seed * 40 + time * 3 + life * 5) * 0.06
      position.setXYZ(
        k,
        place.x + (((seed * 13) % 1) - 0.5) * 0.1 + drift + wind * 0.05 * life * life,
        place.y + 0.15 + life * (0.7 + ((seed * 5) % 0.6)),
        place.z + Math.cos(seed * 60 + life * 6) * 0.07,
      )
      const heat = (1 - life) ** 1.5 * (0.6 + 0.4 * Math.sin(time * 20 + seed * 90))
      color.setXYZ(k, 2.2 * heat, 0.9 * heat, 0.25 * heat)
    })
    position.needsUpdate = color.needsUpdate = true
  }
}

/** 0.75~1.15 쯤에서 흔들리는 불빛 */
function flickering(time: number, phase: number): number {
  return (
    0.95 +
    0.09 * Math.sin(time * 7.3 + phase) +
    0.06 * Math.sin(time * 13.1 + phase * 2.1) +
    0.05 * Math.sin(time * 23.7 + phase * 0.7)
  )
}

/** 불꽃: 위로 흐르는 노이즈로 일그러진 물방울 꼴 */
function flameMaterial(phase: number): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    uniforms: { time: { value: 0 }, phase: { value: phase }, lean: { value: 0 } },
    transparent: true,
    depthWrite: false,
    blending: THREE.AdditiveBlending,
    side: THREE.DoubleSide,
    vertexShader: /* glsl */ `
      varying vec2 at;
      uniform float lean;
      void main() {
        at = uv;
        vec3 p = position;
        p.x += lean * uv.y * uv.y;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(p, 1.0);
      }`,
    fragmentShader: /* glsl */ `
      varying vec2 at;
      uniform float time, phase;
      float hash(vec2 p) { return fract(sin(dot(p, vec2(127.1, 311.7))) * 43758.5453); }
      float noise(vec2 p) {
        vec2 i = floor(p), f = fract(p);
        f = f * f * (3.0 - 2.0 * f);
        return mix(mix(hash(i), hash(i + vec2(1, 0)), f.x), mix(hash(i + vec2(0, 1)), hash(i + 1.0), f.x), f.y);
      }
      void main() {
        vec2 p = vec2(at.x * 2.0 - 1.0, at.y);
        float rise = time * 1.7 + phase;
        float wobble = noise(vec2(p.x * 1.6 + phase, p.y * 2.6 - rise)) - 0.5 + 0.5 * (noise(vec2(p.x * 4.0, p.y * 5.5 - rise * 1.7)) - 0.5);
        p.x += wobble * (0.12 + 0.7 * p.y);
        float width = 0.52 * pow(max(0.0, 1.0 - p.y), 0.75) * smoothstep(-0.04, 0.22, p.y);
        float body = 1.0 - smoothstep(width * 0.25, width + 0.03, abs(p.x));
        body *= 1.0 - smoothstep(0.55, 1.0, p.y + wobble * 0.5);
        vec3 colour = mix(vec3(0.85, 0.1, 0.01), vec3(1.0, 0.4, 0.05), smoothstep(0.1, 0.6, body));
        colour = mix(colour, vec3(1.0, 0.7, 0.26), smoothstep(0.6, 1.0, body) * (1.0 - p.y) * 0.85);
        gl_FragColor = vec4(colour * body * 1.15, body);
        #include <colorspace_fragment>
      }`,
  })
}
