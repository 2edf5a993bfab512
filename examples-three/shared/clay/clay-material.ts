import * as THREE from 'three'
import { seeded, tileableNoise } from '../random'
import { normalMap } from '../textures'

const SIZE = 256

/** 지문과 손자국이 옅게 남은 점토의 높이. ▶ 진짜 점토 사진의 법선 지도가 있으면 이것 대신 읽어 온다. */
function fingerprints(): THREE.CanvasTexture {
  const random = seeded(7)
  const lumps = tileableNoise(5, 11)
  const warp = tileableNoise(7, 23)
  const prints = Array.from({ length: 8 }, () => ({
    x: random(),
    y: random(),
    r: 0.13 + random() * 0.1,
    angle: random() * 6.3,
    depth: 0.5 + random() * 0.5,
  }))
  const height = new Float32Array(SIZE * SIZE)
  const wrap = (d: number): number => d - Math.round(d)
  for (let j = 0; j < SIZE; j++)
    for (let i = 0; i < SIZE; i++) {
      const x = i / SIZE
      const y = j / SIZE
      let h = lumps(x, y) * 1.6
      for (const { x: px, y: py, r, angle, depth } of prints) {
        const u = wrap(x - px)
        const v = wrap(y - py)
        const along = (Math.cos(angle) * u + Math.sin(angle) * v) / r
        const across = (Math.cos(angle) * v - Math.sin(angle) * u) / (r * 0.72)
        const out = Math.hypot(along, across)
        if (out > 1) continue
        // 한가운데에서 휘어 나가는 골
        const ridge = Math.sin(Math.hypot(along * 0.8 + 0.35, across) * r * 230 + warp(x, y) * 5)
        h += ridge * 0.2 * depth * (1 - out) ** 0.6 - 0.5 * (1 - out * out)
      }
      height[j * SIZE + i] = h
    }
  return normalMap(SIZE, height, 1.4)
}

interface ClayParameters extends THREE.MeshLambertMaterialParameters {
  /** 꼭짓점 색과 볼 붉힘을 쓰는가 */
  skinned?: boolean
  /** 무늬가 1 m 에 몇 번 되풀이되는가 */
  grain?: number
}

let prints: THREE.CanvasTexture | undefined

/** 무광 점토. flush(0~1) 로 볼을 붉힌다. 무늬는 쉬는 자세의 세 방향에서 입혀 이음매가 없다. */
export class ClayMaterial extends THREE.MeshLambertMaterial {
  readonly flush = { value: 0 }

  constructor({ skinned = false, grain = 1.7, ...parameters }: ClayParameters = {}) {
    super({ vertexColors: skinned, ...parameters })
    prints ??= fingerprints()
    const uniforms = { prints: { value: prints }, flushed: this.flush, grain: { value: grain } }
    this.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, uniforms)
      shader.vertexShader = shader.vertexShader
        .replace(
          '#include <common>',
          `#include <common>
          varying vec3 vRest; varying vec3 vRestNormal;
          ${skinned ? 'attribute float flush; varying float vFlush;' : ''}`,
        )
        .replace(
          '#include <begin_vertex>',
          `#include <begin_vertex>
          vRest = position; vRestNormal = normal; ${skinned ? 'vFlush = flush;' : ''}`,
        )
      shader.fragmentShader = shader.fragmentShader
        .replace(
          '#include <common>',
          `#include <common>
          uniform sampler2D prints; uniform float flushed; uniform float grain;
          varying vec3 vRest; varying vec3 vRestNormal; ${skinned ? 'varying float vFlush;' : ''}`,
        )
        .replace(
          '#include <color_fragment>',
          `#include <color_fragment>
          ${skinned ? 'diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.94, 0.2, 0.22), vFlush * flushed);' : ''}`,
        )
        .replace(
          '#include <normal_fragment_maps>',
          `#include <normal_fragment_maps>
          {
            vec3 side = pow(abs(normalize(vRestNormal)), vec3(4.0));
            side /= side.x + side.y + side.z;
            vec3 at = vRest * grain;
            vec2 gx = texture2D(prints, at.zy).xy * 2.0 - 1.0;
            vec2 gy = texture2D(prints, at.xz).xy * 2.0 - 1.0;
            vec2 gz = texture2D(prints, at.xy).xy * 2.0 - 1.0;
            vec3 slope = side.x * vec3(0.0, gx.y, gx.x) + side.y * vec3(gy.x, 0.0, gy.y) + side.z * vec3(gz, 0.0);
            vec2 rise = vec2(dot(slope, dFdx(vRest)), dot(slope, dFdy(vRest))) * -0.8 / grain;
            vec3 sx = dFdx(-vViewPosition), sy = dFdy(-vViewPosition);
            vec3 r1 = cross(sy, normal), r2 = cross(normal, sx);
            float area = dot(sx, r1);
            normal = normalize(abs(area) * normal - sign(area) * (rise.x * r1 + rise.y * r2));
          }`,
        )
        .replace(
          '#include <opaque_fragment>',
          `// 가장자리로 스미는 빛: 부드러운 점토
          float edge = 1.0 - saturate(dot(normal, normalize(vViewPosition)));
          outgoingLight += diffuseColor.rgb * vec3(0.26, 0.2, 0.22) * edge * edge;
          #include <opaque_fragment>`,
        )
    }
    this.customProgramCacheKey = () => `clay${skinned}`
  }
}
