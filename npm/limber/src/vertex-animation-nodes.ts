/**
 * Vertex animations for node materials. Apart from the rest, which does without `three/webgpu`.
 *
 * @module
 */
import type { InstancedMesh } from 'three'
import {
  attribute,
  float,
  Fn,
  instancedMesh,
  int,
  ivec2,
  mix,
  normalLocal,
  positionLocal,
  positionPrevious,
  select,
  textureLoad,
  uint,
  uintBitsToFloat,
  uniform,
  vec2,
  vec3,
  vertexIndex,
} from 'three/tsl'
import type { Node, NodeBuilder, UniformNode } from 'three/webgpu'
import { VertexAnimation } from './vertex-animation.js'
import { LimberError, shown } from './error.js'

/** What {@link vertexAnimationNodes} makes. */
export interface VertexAnimationNodes {
  /**
   * For `positionNode` of a node material. It turns normals as well, before normal maps, and takes instances to their places,
   * each ahead by the seconds of the attribute `timeOffset`, if there is one: meshes of `animation.mesh(material)` and
   * `animation.instancedMesh(offsets, material)`. Shadows follow.
   */
  readonly positionNode: Node<'vec3'>
  /** Seconds that are shown: before each frame it is set to the animation's time. */
  readonly time: UniformNode<'float', number>
}

/** What types leave out. */
interface Facts {
  hasGeometryAttribute(name: string): boolean
  /** Whether the picture of before is wanted, for motion blur and the like. */
  needsPreviousData(): boolean
}

/**
 * Nodes that show a vertex animation with `WebGPURenderer`, on WebGPU and on WebGL 2.
 *
 * @example
 * const material = new MeshStandardNodeMaterial({ color: 'crimson', side: DoubleSide })
 * material.positionNode = vertexAnimationNodes(flag).positionNode
 * scene.add(flag.mesh(material))
 *
 * @throws LimberError `invalid-input` for what is no VertexAnimation
 */
export function vertexAnimationNodes(animation: VertexAnimation): VertexAnimationNodes {
  if (!(animation instanceof VertexAnimation)) {
    throw new LimberError('invalid-input', `animation must be a VertexAnimation, got ${shown(animation)}`)
  }
  const { vertices, frames, fps, every, duration, texture, compact, unit, normalUnit } = animation
  const { width } = texture.image as { width: number }
  const min = vec3(...animation.min.toArray())
  const time = uniform(0).onRenderUpdate(() => animation.time)
  const loop = uniform(0).onRenderUpdate(() => Number(animation.loop))

  const texelOf = (row: Node<'float'>) => {
    const at = uint(row).mul(uint(vertices)).add(vertexIndex).toVar()
    const place = ivec2(int(at.bitAnd(uint(width - 1))), int(at.shiftRight(uint(Math.log2(width)))))
    // What has two numbers a texel has x and y only.
    return textureLoad(texture, place, int(0)).toVar() as unknown as Node<'uvec4'>
  }
  const low = (bits: Node<'uint'>, mask = 65535) => float(bits.bitAnd(uint(mask)))
  const high = (bits: Node<'uint'>, shift = 16) => float(bits.shiftRight(uint(shift)))
  const real = (bits: Node<'uint'>) => uintBitsToFloat(bits) as Node as Node<'float'>
  const placeOf = (texel: Node<'uvec4'>) =>
    compact
      ? min.add(vec3(low(texel.x), high(texel.x), low(texel.y)).mul(unit))
      : vec3(real(texel.x), real(texel.y), real(texel.z))
  const directionOf = (texel: Node<'uvec4'>) => {
    const packed = compact
      ? vec2(low(texel.y.shiftRight(uint(16)), 255), high(texel.y, 24))
      : vec2(low(texel.w), high(texel.w))
    const ab = packed.div(normalUnit).sub(1).toVar()
    const z = float(1).sub(ab.x.abs()).sub(ab.y.abs()).toVar()
    const fold = z.negate().max(0).toVar()
    const side = (n: Node<'float'>) => n.add(select(n.lessThan(0), fold, fold.negate()))
    return vec3(side(ab.x), side(ab.y), z).normalize()
  }

  const positionNode = Fn((given: NodeBuilder) => {
    const builder = given as NodeBuilder & Facts
    const now = builder.hasGeometryAttribute('timeOffset') ? time.add(attribute('timeOffset', 'float')) : float(time)
    const seconds = now.toVar()
    const outside = loop.greaterThan(0).and(seconds.lessThan(0).or(seconds.greaterThan(duration)))
    const around = seconds.sub(seconds.div(duration).floor().mul(duration))
    const last = frames - 1
    const frame = select(outside, around, seconds).mul(fps).clamp(0, last).toVar()
    const row = frame
      .div(every)
      .floor()
      .min(Math.ceil(last / every) - 1)
      .toVar()
    const start = row.mul(every).toVar()
    const share = frame.sub(start).div(start.add(every).min(last).sub(start)).toVar()
    const [from, to] = [texelOf(row), texelOf(row.add(1))]
    positionLocal.assign(mix(placeOf(from), placeOf(to), share))
    const normal = mix(directionOf(from), directionOf(to), share).toVar()
    normalLocal.assign(normal.div(normal.length().max(1e-9)))
    // Instances were taken to their places before, from where the vertices of the geometry are.
    const object = builder.object as InstancedMesh | null
    if (builder.needsPreviousData()) positionPrevious.assign(positionLocal)
    if (object?.isInstancedMesh) instancedMesh(object)
    return positionLocal
  })() as unknown as Node<'vec3'>
  return { positionNode, time }
}
