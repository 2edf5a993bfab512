import * as THREE from 'three'
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js'
import { seeded } from '../../shared/random'
import { paintPixels } from '../../shared/textures'

/** 갑옷 빛깔. 한 재질로 그리려고 꼭짓점 색으로 넣는다. */
export const STEEL = '#aab4c2'
export const DARK_STEEL = '#6d7788'
export const GOLD = '#d09a3e'
export const LEATHER = '#3a2418'
export const MAIL = '#454c59'
export const SHADOW = '#05060a'
export const PLUME = '#8a0f20'

/** [반지름, 높이] 꼴의 옆선 */
type Profile = readonly (readonly [number, number])[]

/** 뼈 하나에 붙는 조각들을 모아 재질마다 메쉬 하나로 만든다. */
export class Parts {
  #metal: THREE.BufferGeometry[] = []
  #soft: THREE.BufferGeometry[] = []

  add(
    geometry: THREE.BufferGeometry,
    colour: string,
    {
      at = [0, 0, 0],
      turn = [0, 0, 0],
      scale = [1, 1, 1],
    }: { at?: readonly number[]; turn?: readonly number[]; scale?: readonly number[] } = {},
  ): this {
    const made = geometry.index ? geometry.toNonIndexed() : geometry
    made.applyMatrix4(
      new THREE.Matrix4().compose(
        new THREE.Vector3(at[0], at[1], at[2]),
        new THREE.Quaternion().setFromEuler(new THREE.Euler(turn[0], turn[1], turn[2])),
        new THREE.Vector3(scale[0], scale[1], scale[2]),
      ),
    )
    const { r, g, b } = new THREE.Color(colour)
    const colours = new Float32Array(made.attributes.position!.count * 3)
    for (let k = 0; k < colours.length; k += 3) colours.set([r, g, b], k)
    made.setAttribute('color', new THREE.BufferAttribute(colours, 3))
    ;(colour === LEATHER || colour === MAIL || colour === SHADOW || colour === PLUME ? this.#soft : this.#metal).push(
      made,
    )
    return this
  }

  /** 옆선을 돌려 만든 조각. deep 은 앞뒤 두께의 비. */
  turned(
    profile: Profile,
    colour: string,
    {
      deep = 1,
      at = [0, 0, 0],
      turn = [0, 0, 0],
      from = 0,
      arc = Math.PI * 2,
      bend,
    }: {
      deep?: number
      at?: readonly number[]
      turn?: readonly number[]
      from?: number
      arc?: number
      bend?: (p: THREE.Vector3) => void
    } = {},
  ): this {
    const curve = new THREE.SplineCurve(profile.map(([r, y]) => new THREE.Vector2(r, y)))
    const geometry = new THREE.LatheGeometry(
      curve.getPoints(Math.ceil((profile.length - 1) * 1.4)),
      arc < 4 ? 12 : 16,
      from,
      arc,
    )
    geometry.scale(1, 1, deep)
    if (bend) {
      const p = new THREE.Vector3()
      const { position } = geometry.attributes
      for (let k = 0; k < position!.count; k++) {
        bend(p.fromBufferAttribute(position!, k))
        position!.setXYZ(k, p.x, p.y, p.z)
      }
      geometry.computeVertexNormals()
    }
    return this.add(geometry, colour, { at, turn })
  }

  ball(
    radius: number,
    colour: string,
    placed: { at?: readonly number[]; turn?: readonly number[]; scale?: readonly number[] } = {},
  ): this {
    return this.add(
      radius < 0.02 ? new THREE.SphereGeometry(radius, 6, 4) : new THREE.SphereGeometry(radius, 12, 8),
      colour,
      placed,
    )
  }

  ring(
    radius: number,
    thickness: number,
    colour: string,
    placed: { at?: readonly number[]; turn?: readonly number[]; scale?: readonly number[] } = {},
  ): this {
    return this.add(
      radius < 0.02
        ? new THREE.TorusGeometry(radius, thickness, 3, 6)
        : new THREE.TorusGeometry(radius, thickness, 3, 18),
      colour,
      placed,
    )
  }

  /** 다 모은 조각을 bone 에 붙인다. */
  build(bone: THREE.Object3D): void {
    const groups = [
      [this.#metal, metal()],
      [this.#soft, soft()],
    ] as const
    for (const [pieces, material] of groups) {
      if (!pieces.length) continue
      const mesh = new THREE.Mesh(mergeGeometries(pieces), material)
      mesh.castShadow = mesh.receiveShadow = true
      bone.add(mesh)
    }
  }
}

let metalMaterial: THREE.MeshStandardMaterial | undefined
let softMaterial: THREE.MeshStandardMaterial | undefined

/** 솔질한 쇠: 가로로 길게 긁힌 거칠기에 닳은 자국 조금. */
function metal(): THREE.MeshStandardMaterial {
  if (metalMaterial) return metalMaterial
  const size = 128
  const random = seeded(7)
  const grain = new Float32Array(size * size).fill(0.62)
  for (let n = 0; n < 1400; n++) {
    const y = Math.floor(random() * size)
    const x = Math.floor(random() * size)
    const length = 6 + random() * 44
    const depth = (random() - 0.45) * 0.24
    for (let s = 0; s < length; s++) grain[y * size + ((x + s) % size)]! += depth * Math.sin((s / length) * Math.PI)
  }
  const roughnessMap = paintPixels(
    size,
    (x, y) => [0, Math.min(255, Math.max(70, grain[y * size + x]! * 255)), 255],
    false,
  )
  roughnessMap.repeat.set(2, 1)
  metalMaterial = new THREE.MeshStandardMaterial({
    vertexColors: true,
    metalness: 0.82,
    roughness: 0.72,
    roughnessMap,
    side: THREE.DoubleSide,
  })
  return metalMaterial
}

function soft(): THREE.MeshStandardMaterial {
  softMaterial ??= new THREE.MeshStandardMaterial({
    vertexColors: true,
    metalness: 0.05,
    roughness: 0.8,
    side: THREE.DoubleSide,
  })
  return softMaterial
}
