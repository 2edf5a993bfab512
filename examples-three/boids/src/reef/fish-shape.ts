import * as THREE from 'three'
import type { Water } from './water'

/** 물고기 한 종의 빛깔. ▶ 진짜 물고기 모델과 텍스처가 있으면 fishGeometry · fishMaterial 을 바꾼다. */
export interface FishColours {
  back: string
  side: string
  belly: string
  fin: string
  /** 머리 뒤의 흰 띠 */
  band?: boolean
}

/** 몸통의 단면: [앞뒤 자리, 반높이, 반너비]. 코 끝은 0.5, 전체 길이는 1 남짓. */
const RINGS = [
  [0.39, 0.088, 0.055],
  [0.17, 0.176, 0.088],
  [-0.09, 0.152, 0.07],
  [-0.36, 0.042, 0.02],
] as const
const SIDES = 6

type Corner = readonly [x: number, y: number, z: number]

/** +z 를 보는 길이 1 의 물고기. 꼭짓점 마흔 개. */
export function fishGeometry(): THREE.BufferGeometry {
  const place: number[] = [0, -0.01, 0.5]
  const index: number[] = []
  for (const [z, high, wide] of RINGS)
    for (let k = 0; k < SIDES; k++) {
      const angle = (k / SIDES) * Math.PI * 2
      place.push(Math.sin(angle) * wide, Math.cos(angle) * high, z)
    }
  const at = (ring: number, k: number): number => 1 + ring * SIDES + (k % SIDES)
  for (let k = 0; k < SIDES; k++) {
    index.push(0, at(0, k + 1), at(0, k))
    for (let ring = 1; ring < RINGS.length; ring++) {
      const [a, b] = [at(ring - 1, k), at(ring - 1, k + 1)]
      const [c, d] = [at(ring, k), at(ring, k + 1)]
      index.push(a, d, c, a, b, d)
    }
  }
  const body = place.length / 3
  const geometry = new THREE.BufferGeometry().setIndex(index)
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(place, 3))
  geometry.computeVertexNormals()
  const normal = Array.from(geometry.getAttribute('normal').array)

  // 지느러미는 양쪽에서 보인다. 법선은 위로 세워 어느 쪽에서나 밝게 한다
  const fin = (...corners: Corner[]): void => {
    const from = place.length / 3
    for (const corner of corners) {
      place.push(...corner)
      normal.push(0, 0.85, 0.5)
    }
    for (let k = 2; k < corners.length; k++) index.push(from, from + k - 1, from + k, from, from + k, from + k - 1)
  }
  fin([0, 0.035, -0.33], [0, 0.2, -0.6], [0, 0.07, -0.5], [0, 0, -0.45])
  fin([0, -0.035, -0.33], [0, 0, -0.45], [0, -0.07, -0.5], [0, -0.2, -0.6])
  fin([0, 0.16, 0.2], [0, 0.15, -0.1], [0, 0.2, -0.22], [0, 0.27, 0.03])
  fin([0, -0.12, -0.02], [0, -0.23, -0.17], [0, -0.08, -0.22])

  const made = new THREE.BufferGeometry().setIndex(index)
  made.setAttribute('position', new THREE.Float32BufferAttribute(place, 3))
  made.setAttribute('normal', new THREE.Float32BufferAttribute(normal, 3))
  made.setAttribute(
    'fin',
    new THREE.Float32BufferAttribute(
      Array.from({ length: place.length / 3 }, (_, k) => Number(k >= body)),
      1,
    ),
  )
  return made
}

/** 꼬리를 흔드는 물고기의 재료. 마리마다 look(크기, 빛깔 차이)과 beat(꼬리질의 때)를 받는다. */
export function fishMaterial(water: Water, colours: FishColours, length: number): THREE.MeshLambertMaterial {
  const colour = (given: string): THREE.IUniform<THREE.Color> => ({ value: new THREE.Color(given) })
  const material = new THREE.MeshLambertMaterial()
  return water.wet(material, {
    caustics: 0.7,
    clear: 1.35,
    uniforms: {
      fishLength: { value: length },
      backColour: colour(colours.back),
      sideColour: colour(colours.side),
      bellyColour: colour(colours.belly),
      finColour: colour(colours.fin),
      bandPart: { value: colours.band ? 1 : 0 },
    },
    vertex: {
      head: `
        attribute float fin; attribute vec2 look; attribute float beat;
        uniform float fishLength; varying vec3 vShape; varying vec2 vLook;`,
      // 옆으로 휘는 만큼(bend)과 그 기울기(slope)
      normal: `
        float behind = 0.5 - position.z;
        float sweep = 0.018 + 0.1 * behind * behind;
        float wave = sin(beat - behind * 3.2);
        float bend = wave * sweep;
        float slope = 3.2 * cos(beat - behind * 3.2) * sweep - 0.2 * behind * wave;
        objectNormal = normalize(objectNormal - vec3(0.0, 0.0, slope * objectNormal.x));`,
      place: `
        vShape = position; vLook = vec2(fin, look.y);
        transformed.x += bend;
        transformed *= fishLength * look.x;`,
    },
    fragment: {
      head: `
        uniform vec3 backColour; uniform vec3 sideColour; uniform vec3 bellyColour; uniform vec3 finColour; uniform float bandPart;
        varying vec3 vShape; varying vec2 vLook;`,
      colour: `
        float high = vShape.y / (0.05 + 0.13 * smoothstep(-0.4, 0.1, vShape.z));
        vec3 skin = mix(sideColour, backColour, smoothstep(0.15, 0.8, high));
        skin = mix(skin, bellyColour, smoothstep(-0.15, -0.7, high));
        float band = smoothstep(0.045, 0.03, abs(vShape.z - 0.2 - vShape.y * vShape.y * 2.0));
        skin = mix(skin, vec3(1.0, 0.96, 0.9), band * bandPart * (1.0 - vLook.x));
        skin = mix(skin, mix(finColour, sideColour, smoothstep(-0.5, -0.3, vShape.z) * 0.5), vLook.x);
        skin *= 1.0 + vLook.y * vec3(0.14, 0.22, 0.12);
        float eye = distance(vShape.yz, vec2(0.035, 0.35));
        float body = 1.0 - vLook.x;
        skin = mix(skin, vec3(1.0, 0.98, 0.92), smoothstep(0.056, 0.046, eye) * body);
        skin = mix(skin, vec3(0.015, 0.03, 0.07), smoothstep(0.04, 0.032, eye) * body);
        diffuseColor.rgb = skin;`,
    },
  })
}
