import * as THREE from 'three'
import { tileableNoise } from '../../shared/random'

/** 옷감 재질: 겉은 그림, 안은 어두운 안감, 비스듬히 볼 때 은은한 윤기. */
export function fabric(
  map: THREE.Texture,
  lining: THREE.ColorRepresentation,
  sheen: THREE.ColorRepresentation,
): THREE.MeshLambertMaterial {
  const material = new THREE.MeshLambertMaterial({ map, side: THREE.DoubleSide })
  material.onBeforeCompile = (shader) => {
    shader.uniforms.lining = { value: new THREE.Color(lining) }
    shader.uniforms.sheen = { value: new THREE.Color(sheen) }
    shader.fragmentShader = shader.fragmentShader
      .replace('void main() {', 'uniform vec3 lining;\nuniform vec3 sheen;\nvoid main() {')
      .replace(
        '#include <map_fragment>',
        '#include <map_fragment>\nif (!gl_FrontFacing) diffuseColor.rgb = mix(lining, diffuseColor.rgb, 0.12);',
      )
      .replace(
        '#include <emissivemap_fragment>',
        `float grazing = 1.0 - abs(dot(normal, normalize(vViewPosition)));
        totalEmissiveRadiance += sheen * diffuseColor.rgb * grazing * grazing * grazing;`,
      )
  }
  return material
}

/** 올이 보이는 바탕을 칠한다. */
export function weave(context: CanvasRenderingContext2D, colour: string, strength: number): void {
  const { width, height } = context.canvas
  context.fillStyle = colour
  context.fillRect(0, 0, width, height)
  const noise = tileableNoise(9, 3)
  const image = context.getImageData(0, 0, width, height)
  for (let y = 0, k = 0; y < height; y++)
    for (let x = 0; x < width; x++, k += 4) {
      const thread = ((x + y) % 4 < 2 ? 1 : -1) * strength * 0.5
      const shade = 1 + thread + (noise(x / width, y / height) - 0.5) * strength * 2.4
      for (let c = 0; c < 3; c++) image.data[k + c]! *= shade
    }
  context.putImageData(image, 0, 0)
}

/** 옷감 가장자리를 따라가는 도톰한 끈. 격자의 둘레 점 차례 path 를 따라간다. */
export class Hem {
  readonly mesh: THREE.Mesh
  #path: readonly number[]
  #radius: number
  #sides = 6

  constructor(path: readonly number[], radius: number, material: THREE.Material) {
    this.#path = path
    this.#radius = radius
    const rings = path.length
    const geometry = new THREE.BufferGeometry()
    for (const name of ['position', 'normal'])
      geometry.setAttribute(
        name,
        new THREE.BufferAttribute(new Float32Array(rings * this.#sides * 3), 3).setUsage(THREE.DynamicDrawUsage),
      )
    const index: number[] = []
    for (let r = 0; r + 1 < rings; r++)
      for (let s = 0; s < this.#sides; s++) {
        const a = r * this.#sides + s
        const b = r * this.#sides + ((s + 1) % this.#sides)
        index.push(a, b, a + this.#sides, b, b + this.#sides, a + this.#sides)
      }
    geometry.setIndex(index)
    this.mesh = new THREE.Mesh(geometry, material)
    this.mesh.frustumCulled = false
    this.mesh.castShadow = true
  }

  /** 옷감의 지금 점과 법선을 따라 끈을 다시 놓는다. */
  update(positions: ArrayLike<number>, normals: ArrayLike<number>): void {
    const path = this.#path
    const { position, normal } = this.mesh.geometry.attributes as Record<'position' | 'normal', THREE.BufferAttribute>
    for (let r = 0; r < path.length; r++) {
      point.fromArray(positions as number[], path[r]! * 3)
      along.fromArray(positions as number[], path[Math.min(r + 1, path.length - 1)]! * 3)
      along.sub(side.fromArray(positions as number[], path[Math.max(r - 1, 0)]! * 3)).normalize()
      out.fromArray(normals as number[], path[r]! * 3)
      side.crossVectors(along, out).normalize()
      for (let s = 0; s < this.#sides; s++) {
        const angle = (s / this.#sides) * Math.PI * 2
        direction.copy(out).multiplyScalar(Math.cos(angle)).addScaledVector(side, Math.sin(angle))
        const k = r * this.#sides + s
        normal.setXYZ(k, direction.x, direction.y, direction.z)
        position.setXYZ(
          k,
          point.x + direction.x * this.#radius,
          point.y + direction.y * this.#radius,
          point.z + direction.z * this.#radius,
        )
      }
    }
    position.needsUpdate = normal.needsUpdate = true
  }

  dispose(): void {
    this.mesh.geometry.dispose()
  }
}

const point = new THREE.Vector3()
const along = new THREE.Vector3()
const out = new THREE.Vector3()
const side = new THREE.Vector3()
const direction = new THREE.Vector3()
