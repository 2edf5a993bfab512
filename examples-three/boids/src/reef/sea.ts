import * as THREE from 'three'
import { SURFACE, WATER_GLSL, type Water } from './water'
import { seeded } from '../../../shared/random'

/** 둘레의 바다: 먼 물빛, 어른거리는 수면, 빛줄기, 공기 방울, 떠다니는 알갱이. */
export function sea(water: Water, spread: number): THREE.Group {
  const group = new THREE.Group()
  group.add(backdrop(water), surface(water), shafts(water), bubbles(water, spread), motes(water))
  return group
}

function shader(water: Water, options: THREE.ShaderMaterialParameters): THREE.ShaderMaterial {
  const material = new THREE.ShaderMaterial({ fog: false, toneMapped: false, ...options })
  Object.assign(material.uniforms, water.uniforms)
  return material
}

function backdrop(water: Water): THREE.Mesh {
  const material = shader(water, {
    side: THREE.BackSide,
    vertexShader: `
      varying vec3 vAt;
      void main() {
        vAt = (modelMatrix * vec4(position, 1.0)).xyz;
        gl_Position = projectionMatrix * viewMatrix * vec4(vAt, 1.0);
      }`,
    fragmentShader: `${WATER_GLSL}
      varying vec3 vAt;
      void main() { gl_FragColor = vec4(waterColour(normalize(vAt - cameraPosition)), 1.0); }`,
  })
  const mesh = new THREE.Mesh(new THREE.SphereGeometry(250, 24, 16), material)
  mesh.renderOrder = 0.5 // 앞의 것들을 다 그린 뒤, 무대의 하늘보다는 먼저
  mesh.frustumCulled = false
  return mesh
}

/** 아래에서 올려다본 수면: 두 겹의 물결이 엇갈리며 빛난다 */
function surface(water: Water): THREE.Mesh {
  const material = shader(water, {
    side: THREE.BackSide,
    vertexShader: `
      varying vec3 vAt;
      void main() {
        vAt = (modelMatrix * vec4(position, 1.0)).xyz;
        gl_Position = projectionMatrix * viewMatrix * vec4(vAt, 1.0);
      }`,
    fragmentShader: `${WATER_GLSL}
      varying vec3 vAt;
      void main() {
        vec3 way = vAt - cameraPosition;
        float far = length(way);
        way /= far;
        vec2 swell = vec2(sin(vAt.z * 0.55 + waterTime * 0.8), sin(vAt.x * 0.42 - waterTime * 0.6)) * 0.5;
        float fine = web(vAt.xz * 0.9 + swell);
        float broad = web(vAt.zx * 0.26 - swell * 0.4);
        float sun = pow(max(dot(way, normalize(vec3(-0.27, 0.44, -0.86))), 0.0), 7.0);
        vec3 colour = mix(vec3(0.1, 0.53, 0.77), vec3(0.3, 0.8, 0.9), smoothstep(0.02, 0.5, way.y));
        colour += vec3(0.55, 0.56, 0.5) * (fine * fine * 1.3 + broad * broad * 0.7) * (0.35 + 1.8 * sun) + vec3(0.12, 0.14, 0.11) * sun;
        gl_FragColor = vec4(mix(min(colour, 1.0), waterColour(way), sunk(far * 0.8)), 1.0);
      }`,
  })
  const geometry = new THREE.PlaneGeometry(220, 220).rotateX(-Math.PI / 2)
  const mesh = new THREE.Mesh(geometry, material)
  mesh.position.y = SURFACE
  mesh.renderOrder = 0.3
  return mesh
}

/** 수면에서 비스듬히 내려오는 빛줄기. 저마다 세로축을 돌려 카메라를 본다. */
function shafts(water: Water): THREE.Mesh {
  const random = seeded(31)
  const count = 11
  const place: number[] = []
  const corner: number[] = []
  const shape: number[] = []
  const index: number[] = []
  for (let k = 0; k < count; k++) {
    const at = [-9 + (k / (count - 1)) * 17 + (random() - 0.5) * 1.5, SURFACE, -9 + random() * 9]
    const own = [0.55 + random() * 1.1, 6.5 + random() * 2, random()]
    for (let c = 0; c < 4; c++) {
      place.push(...at)
      corner.push(c % 2 ? 1 : -1, c < 2 ? 0 : 1)
      shape.push(...own)
    }
    index.push(...[0, 2, 1, 1, 2, 3].map((c) => c + k * 4))
  }
  const geometry = new THREE.BufferGeometry().setIndex(index)
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(place, 3))
  geometry.setAttribute('corner', new THREE.Float32BufferAttribute(corner, 2))
  geometry.setAttribute('shape', new THREE.Float32BufferAttribute(shape, 3))
  const material = shader(water, {
    transparent: true,
    depthWrite: false,
    side: THREE.DoubleSide,
    blending: THREE.AdditiveBlending,
    vertexShader: `
      attribute vec2 corner; attribute vec3 shape;
      uniform float waterTime; varying vec2 vCorner; varying float vSeed; varying float vLight;
      void main() {
        vCorner = corner; vSeed = shape.z;
        vec3 down = normalize(vec3(0.3 + (position.x + 3.0) * 0.045, -1.0, 0.22));
        vec3 at = position + vec3(sin(waterTime * 0.13 + shape.z * 40.0) * 0.7, 0.0, 0.0);
        vec3 side = normalize(cross(down, cameraPosition - at));
        at += down * corner.y * shape.y + side * corner.x * shape.x * (0.45 + 0.55 * corner.y);
        vLight = 0.5 + 0.5 * sin(waterTime * (0.3 + shape.z * 0.4) + shape.z * 60.0);
        gl_Position = projectionMatrix * viewMatrix * vec4(at, 1.0);
      }`,
    fragmentShader: `
      uniform float waterTime; varying vec2 vCorner; varying float vSeed; varying float vLight;
      void main() {
        float across = vCorner.x;
        float streak = 0.6 + 0.4 * sin(across * 5.0 + vSeed * 50.0 + waterTime * 0.5) * sin(across * 9.0 - waterTime * 0.37 + vSeed * 20.0);
        float edge = 1.0 - across * across;
        float fall = (1.0 - vCorner.y) * smoothstep(0.0, 0.08, vCorner.y);
        gl_FragColor = vec4(vec3(0.62, 0.93, 0.9) * (edge * edge * streak * fall * (0.08 + 0.26 * vLight)), 1.0);
      }`,
  })
  const mesh = new THREE.Mesh(geometry, material)
  mesh.frustumCulled = false
  mesh.renderOrder = 2
  return mesh
}

function points(geometry: THREE.BufferGeometry, material: THREE.ShaderMaterial): THREE.Points {
  const made = new THREE.Points(geometry, material)
  made.frustumCulled = false
  made.renderOrder = 3
  return made
}

/** 바위틈에서 줄지어 올라오는 공기 방울 */
function bubbles(water: Water, spread: number): THREE.Points {
  const random = seeded(7)
  const springs = [
    [-3.1, 0.9],
    [-5.2, -1.2],
    [1.4, -3.2],
    [4.1, 2.6],
  ] as const
  const each = 16
  const place: number[] = []
  const seed: number[] = []
  for (const [x, z] of springs)
    for (let k = 0; k < each; k++) {
      place.push(x * spread + (random() - 0.5) * 0.25, ((k + random()) / each) * SURFACE, z + (random() - 0.5) * 0.25)
      seed.push(random())
    }
  const geometry = new THREE.BufferGeometry()
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(place, 3))
  geometry.setAttribute('seed', new THREE.Float32BufferAttribute(seed, 1))
  const material = shader(water, {
    transparent: true,
    depthWrite: false,
    uniforms: { height: { value: 1 } },
    vertexShader: `
      attribute float seed; uniform float waterTime; uniform float height; varying float vFade;
      void main() {
        vec3 at = position;
        at.y = mod(at.y + waterTime * (0.75 + 0.35 * seed), ${SURFACE.toFixed(1)});
        float up = at.y * (0.05 + 0.05 * seed);
        at.x += sin(at.y * 2.6 + seed * 50.0) * up;
        at.z += cos(at.y * 2.1 + seed * 90.0) * up;
        vec4 view = viewMatrix * vec4(at, 1.0);
        vFade = smoothstep(0.0, 0.6, at.y) * smoothstep(0.0, 1.0, ${SURFACE.toFixed(1)} - at.y);
        gl_PointSize = max(2.0, (0.035 + 0.075 * seed * seed) * (0.7 + at.y * 0.08) * projectionMatrix[1][1] * height / -view.z);
        gl_Position = projectionMatrix * view;
      }`,
    fragmentShader: `
      varying float vFade;
      void main() {
        vec2 at = gl_PointCoord * 2.0 - 1.0;
        float out_ = dot(at, at);
        if (out_ > 1.0) discard;
        float rim = smoothstep(0.35, 1.0, out_) * (1.0 - smoothstep(0.88, 1.0, out_));
        float shine = smoothstep(0.3, 0.05, distance(at, vec2(-0.35, -0.4)));
        gl_FragColor = vec4(0.86, 0.98, 1.0, (0.1 + rim * 0.75 + shine * 0.9) * vFade);
      }`,
  })
  const made = points(geometry, material)
  made.onBeforeRender = (renderer) => void (material.uniforms.height!.value = renderer.domElement.height * 0.5)
  return made
}

/** 물에 떠다니며 반짝이는 알갱이 */
function motes(water: Water): THREE.Points {
  const random = seeded(99)
  const count = 150
  const place = Float32Array.from({ length: count * 3 }, (_, k) =>
    k % 3 === 1 ? random() * SURFACE : (random() - 0.5) * (k % 3 ? 15 : 17),
  )
  const geometry = new THREE.BufferGeometry()
  geometry.setAttribute('position', new THREE.BufferAttribute(place, 3))
  geometry.setAttribute('seed', new THREE.BufferAttribute(Float32Array.from({ length: count }, random), 1))
  const material = shader(water, {
    transparent: true,
    depthWrite: false,
    blending: THREE.AdditiveBlending,
    uniforms: { height: { value: 1 } },
    vertexShader: `
      attribute float seed; uniform float waterTime; uniform float height; varying float vGlow;
      void main() {
        vec3 at = position;
        at.x += 0.4 * sin(waterTime * (0.1 + 0.12 * seed) + seed * 40.0);
        at.y += 0.3 * sin(waterTime * (0.13 + 0.1 * seed) + seed * 70.0);
        at.z += 0.4 * cos(waterTime * (0.11 + 0.1 * seed) + seed * 55.0);
        vec4 view = viewMatrix * vec4(at, 1.0);
        vGlow = (0.12 + 0.3 * pow(abs(sin(waterTime * (0.25 + seed * 0.5) + seed * 90.0)), 4.0)) * smoothstep(0.8, 2.5, -view.z);
        gl_PointSize = clamp((0.018 + 0.022 * seed) * projectionMatrix[1][1] * height / -view.z, 1.5, 9.0);
        gl_Position = projectionMatrix * view;
      }`,
    fragmentShader: `
      varying float vGlow;
      void main() {
        float out_ = length(gl_PointCoord - 0.5) * 2.0;
        gl_FragColor = vec4(vec3(0.8, 1.0, 0.95) * vGlow * smoothstep(1.0, 0.2, out_), 1.0);
      }`,
  })
  const made = points(geometry, material)
  made.onBeforeRender = (renderer) => void (material.uniforms.height!.value = renderer.domElement.height * 0.5)
  return made
}
