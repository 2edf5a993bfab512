import * as THREE from 'three'
import type { Water } from './water'
import { seeded, smoothstep, tileableNoise } from '../../../shared/random'
import { paintPixels } from '../../../shared/textures'

/** 모래 바닥의 높이(m) */
export function bed(x: number, z: number): number {
  const dunes = Math.sin(x * 0.55 + Math.sin(z * 0.4) * 0.8) * 0.1 + Math.sin(z * 0.62 + x * 0.2 + 1.3) * 0.12
  const far = Math.hypot(x, z + 2)
  return dunes + smoothstep(9, 30, far) * (0.5 + Math.sin(x * 0.21) * 0.9 + Math.sin(z * 0.16 + 2) * 0.7)
}

/** 물결무늬 모래 */
export function ground(water: Water): THREE.Mesh {
  const geometry = new THREE.PlaneGeometry(120, 84, 80, 56).rotateX(-Math.PI / 2).translate(0, 0, -22)
  const { position } = geometry.attributes
  for (let k = 0; k < position!.count; k++) position!.setY(k, bed(position!.getX(k), position!.getZ(k)))
  geometry.computeVertexNormals()
  const map = sandTexture()
  map.repeat.set(24, 17)
  map.anisotropy = 2
  const material = water.wet(new THREE.MeshLambertMaterial({ map, color: '#e9d6b4' }), { caustics: 1.7 })
  const mesh = new THREE.Mesh(geometry, material)
  mesh.frustumCulled = false
  mesh.renderOrder = 0.2 // 앞의 산호와 물고기에 가려지는 곳은 칠하지 않게 나중에 그린다
  return mesh
}

/** ▶ 진짜 모래 사진 텍스처가 있으면 여기를 바꾼다. */
function sandTexture(): THREE.CanvasTexture {
  const size = 512
  const [broad, warp, grain] = [tileableNoise(5, 1), tileableNoise(4, 2), seeded(3)]
  return paintPixels(size, (px, py) => {
    const [u, v] = [px / size, py / size]
    const bent = v * 7 + (warp(u, v) - 0.5) * 2.4
    const wave = Math.sin(bent * Math.PI * 2)
    // 골은 부드럽고 마루는 밝게
    const light =
      0.86 + wave * 0.05 + Math.max(0, wave) ** 3 * 0.05 + (broad(u, v) - 0.5) * 0.09 + (grain() - 0.5) * 0.07
    return [light * 255, light * 236, light * 196]
  })
}
