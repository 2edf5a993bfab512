import * as THREE from 'three'
import { paintPixels } from '../../../shared/textures'

/** 수면의 높이(m). 바닥의 모래는 0 언저리. */
export const SURFACE = 7.4

export interface WetOptions {
  /** 어른거리는 물결빛의 세기. 기본 0 */
  caustics?: number
  /** 물에 덜 잠겨 보이는 배수. 기본 1 */
  clear?: number
  /** 꼭짓점 셰이더: 머리말, 법선(objectNormal) 뒤, 자리(transformed) 뒤 */
  vertex?: { head: string; normal?: string; place: string }
  /** 조각 셰이더: 머리말, 바탕빛(diffuseColor) 뒤 */
  fragment?: { head: string; colour: string }
  uniforms?: Record<string, THREE.IUniform>
}

/** 물빛: 보는 방향만으로 정해지는 바다의 색, 거리에 따라 물에 잠기는 정도, 물결빛. 셰이더마다 함께 쓴다. */
export const WATER_GLSL = `
uniform float waterTime; uniform float clarity; uniform sampler2D causticMap;
vec3 waterColour(vec3 way) {
  vec3 colour = mix(vec3(0.05, 0.3, 0.58), vec3(0.045, 0.39, 0.7), smoothstep(-0.4, 0.02, way.y));
  colour = mix(colour, vec3(0.26, 0.76, 0.88), smoothstep(-0.03, 0.55, way.y));
  float sun = max(dot(way, vec3(-0.27, 0.34, -0.9)), 0.0);
  sun *= sun; sun *= sun;
  return colour + vec3(0.1, 0.2, 0.16) * sun + vec3(0.12, 0.12, 0.07) * sun * sun * sun;
}
float sunk(float distance) { distance /= clarity; return 1.0 - exp(-distance * distance); }
float web(vec2 at) {
  float a = texture2D(causticMap, at * 0.21 + waterTime * vec2(0.023, 0.014)).r;
  float b = texture2D(causticMap, at * 0.17 - waterTime * vec2(0.018, -0.02) + 0.37).r;
  return min(a, b);
}
`

/** 바닷물. 재료를 물에 담그면 멀수록 물빛에 잠기고 물결빛이 어른거린다. */
export class Water {
  readonly uniforms = {
    waterTime: { value: 0 },
    /** 이만큼 멀면(m) 반 넘게 물빛에 잠긴다 */
    clarity: { value: 22 },
    causticMap: { value: causticTexture() },
  }

  wet<M extends THREE.Material>(material: M, options: WetOptions = {}): M {
    const { caustics = 0, clear = 1, vertex, fragment } = options
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms, options.uniforms)
      shader.vertexShader = shader.vertexShader
        .replace(
          '#include <common>',
          `#include <common>\nvarying vec3 vWet; uniform float waterTime;\n${vertex?.head ?? ''}`,
        )
        .replace('#include <beginnormal_vertex>', `#include <beginnormal_vertex>\n${vertex?.normal ?? ''}`)
        .replace('#include <begin_vertex>', `#include <begin_vertex>\n${vertex?.place ?? ''}`)
        .replace(
          '#include <fog_vertex>',
          `vec4 wetPlace = vec4(transformed, 1.0);
          #ifdef USE_INSTANCING
          wetPlace = instanceMatrix * wetPlace;
          #endif
          vWet = (modelMatrix * wetPlace).xyz;`,
        )
      shader.fragmentShader = shader.fragmentShader
        .replace('#include <common>', `#include <common>\nvarying vec3 vWet;\n${WATER_GLSL}\n${fragment?.head ?? ''}`)
        .replace('#include <color_fragment>', `#include <color_fragment>\n${fragment?.colour ?? ''}`)
        .replace(
          '#include <opaque_fragment>',
          caustics > 0
            ? `float upward = max(inverseTransformDirection(normal, viewMatrix).y + 0.15, 0.0);
            float net = web((vWet.xz + vWet.y * 0.3) * 1.9);
            outgoingLight += diffuseColor.rgb * vec3(0.9, 1.0, 0.92) * (net * net * net * upward * ${(caustics * 7).toFixed(2)});
            #include <opaque_fragment>`
            : '#include <opaque_fragment>',
        )
        .replace(
          '#include <fog_fragment>',
          `vec3 wetWay = vWet - cameraPosition;
          float wetFar = length(wetWay);
          gl_FragColor.rgb = mix(gl_FragColor.rgb, waterColour(wetWay / wetFar), sunk(wetFar / ${clear.toFixed(2)}));`,
        )
    }
    const key = JSON.stringify([caustics, clear, vertex, fragment])
    material.customProgramCacheKey = () => key
    return material
  }

  dispose(): void {
    this.uniforms.causticMap.value.dispose()
  }
}

/** 사방으로 이어지는 물결빛 그물. ▶ 구워 둔 물결빛 그림이 있으면 여기를 바꾼다. */
function causticTexture(): THREE.CanvasTexture {
  const size = 256
  const texture = paintPixels(
    size,
    (px, py) => {
      const x = (px / size) * Math.PI * 2 - 250
      const y = (py / size) * Math.PI * 2 - 250
      let [i, j, sum] = [x, y, 1]
      for (let n = 0; n < 5; n++) {
        const t = 2.6 * (1 - 3.5 / (n + 1))
        ;[i, j] = [x + Math.cos(t - i) + Math.sin(t + j), y + Math.sin(t - j) + Math.cos(t + i)]
        sum += 1 / Math.hypot((x * 0.005) / Math.sin(i + t), (y * 0.005) / Math.cos(j + t))
      }
      const light = Math.min(1, Math.abs(1.17 - (sum / 5) ** 1.4) ** 4.5)
      return [light * 255, light * 255, light * 255]
    },
    false,
  )
  texture.anisotropy = 2 // 여러 번 읽는 그림이라 가볍게
  return texture
}
