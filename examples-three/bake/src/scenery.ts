import * as THREE from 'three'
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js'
import { Clay, ellipsoid, polygonise } from '../../shared/clay/clay'
import { tileableNoise } from '../../shared/random'
import { paintPixels } from '../../shared/textures'

type Puff = readonly [x: number, y: number, z: number, radius: number]

/** 둥근 덩이들을 이음매 없이 붙인 점토 모양 */
export function puffs(list: readonly Puff[], cell: number): THREE.BufferGeometry {
  const box = new THREE.Box3()
  for (const [x, y, z, r] of list)
    box.union(new THREE.Box3(new THREE.Vector3(x - r, y - r, z - r), new THREE.Vector3(x + r, y + r, z + r)))
  const clay = new Clay(
    list.map(([x, y, z, r]) => ({
      shape: ellipsoid([x, y, z], [r, r * 0.92, r]),
      bone: '',
      colour: new THREE.Color(),
      blend: r * 0.4,
    })),
    box.expandByScalar(cell * 2),
  )
  const { positions, triangles } = polygonise(clay, cell)
  const normals = positions.flatMap((p) => {
    const normal = new THREE.Vector3()
    clay.settle(p, normal)
    return normal.toArray()
  })
  const geometry = new THREE.BufferGeometry().setFromPoints(positions)
  geometry.setAttribute('normal', new THREE.Float32BufferAttribute(normals, 3))
  geometry.setIndex(triangles)
  return geometry
}

/** 한 빛깔로 물들인다: 합친 뒤에도 제 빛을 지닌다. top 이 있으면 위로 갈수록 그 빛깔. */
export function tinted(
  geometry: THREE.BufferGeometry,
  colour: THREE.ColorRepresentation,
  top = colour,
): THREE.BufferGeometry {
  geometry.computeBoundingBox()
  const { min, max } = geometry.boundingBox!
  const { position } = geometry.attributes
  const [low, high, mixed] = [new THREE.Color(colour), new THREE.Color(top), new THREE.Color()]
  const colours = new Float32Array(position!.count * 3)
  for (let k = 0; k < position!.count; k++)
    mixed.lerpColors(low, high, (position!.getY(k) - min.y) / (max.y - min.y || 1)).toArray(colours, k * 3)
  geometry.setAttribute('color', new THREE.BufferAttribute(colours, 3))
  geometry.deleteAttribute('uv')
  return geometry
}

/** 모양 하나를 여러 자리에 */
export function scatter(
  geometry: THREE.BufferGeometry,
  places: readonly { at: readonly [number, number, number]; size: number; turn?: number; colour?: string }[],
  shadows = true,
): THREE.InstancedMesh {
  const white = !geometry.getAttribute('color')
  const material = new THREE.MeshLambertMaterial({ vertexColors: !white })
  const mesh = new THREE.InstancedMesh(geometry, material, places.length)
  const object = new THREE.Object3D()
  places.forEach(({ at, size, turn = 0, colour }, k) => {
    object.position.set(...at)
    object.scale.setScalar(size)
    object.rotation.y = turn
    object.updateMatrix()
    mesh.setMatrixAt(k, object.matrix)
    if (colour) mesh.setColorAt(k, new THREE.Color(colour))
  })
  mesh.castShadow = mesh.receiveShadow = shadows
  return mesh
}

/** 둥근 나무: 줄기와 뭉게뭉게한 잎 */
export function treeGeometry(leaf: string, light: string): THREE.BufferGeometry {
  const trunk = new THREE.CylinderGeometry(0.09, 0.15, 1, 9).translate(0, 0.5, 0)
  const crown = puffs(
    [
      [0, 1.55, 0, 0.72],
      [0.5, 1.3, 0.12, 0.46],
      [-0.48, 1.32, -0.1, 0.48],
      [0.08, 1.28, -0.48, 0.44],
      [-0.06, 1.3, 0.48, 0.45],
      [0.1, 2.05, 0.05, 0.45],
    ],
    0.16,
  )
  return mergeGeometries([tinted(trunk.toNonIndexed(), '#9a6a47'), tinted(crown.toNonIndexed(), leaf, light)])
}

/** 점토 구름 */
export function clouds(places: readonly (readonly [number, number, number, number])[]): THREE.InstancedMesh {
  const shape = puffs(
    [
      [0, 0, 0, 1],
      [-0.95, -0.2, 0, 0.68],
      [0.98, -0.16, 0, 0.74],
      [0.42, 0.3, 0, 0.72],
      [-1.6, -0.38, 0, 0.4],
      [1.7, -0.36, 0, 0.42],
    ],
    0.17,
  )
  const mesh = scatter(
    tinted(shape, '#eef3fb', '#ffffff'),
    places.map(([x, y, z, size]) => ({ at: [x, y, z], size, turn: Math.atan2(-x, -z) })),
    false,
  )
  const material = mesh.material as THREE.MeshLambertMaterial
  material.fog = false
  material.emissive.set('#c3d3ea')
  material.emissiveIntensity = 0.5
  mesh.frustumCulled = false
  return mesh
}

/** 둘러선 언덕: [방향(라디안), 거리, 너비, 높이, 빛깔] */
export function hills(list: readonly (readonly [number, number, number, number, string])[]): THREE.Group {
  const ball = new THREE.SphereGeometry(1, 40, 20, 0, Math.PI * 2, 0, Math.PI / 2)
  const group = new THREE.Group()
  for (const [angle, distance, width, height, colour] of list) {
    const hill = new THREE.Mesh(ball, new THREE.MeshLambertMaterial({ color: colour }))
    hill.position.set(Math.sin(angle) * distance, -0.4, Math.cos(angle) * distance)
    hill.scale.set(width, height, width * 0.7)
    hill.rotation.y = angle
    group.add(hill)
  }
  return group
}

/** 두 빛깔이 얼룩진 풀밭 그림 */
export function grass(dark: string, light: string, size: number): THREE.Texture {
  const noise = tileableNoise(6, 21)
  const fine = tileableNoise(28, 8)
  const [a, b, mixed] = [new THREE.Color(dark), new THREE.Color(light), new THREE.Color()]
  const map = paintPixels(256, (x, y) => {
    const t = noise(x / 256, y / 256) * 0.75 + fine(x / 256, y / 256) * 0.35
    mixed.lerpColors(a, b, Math.min(1, Math.max(0, t))).convertLinearToSRGB()
    return [mixed.r * 255, mixed.g * 255, mixed.b * 255]
  })
  map.repeat.setScalar(size)
  map.anisotropy = 8
  return map
}
