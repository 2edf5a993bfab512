import {
  BufferAttribute,
  BufferGeometry,
  DataTexture,
  InstancedBufferAttribute,
  InstancedMesh,
  Mesh,
  MeshDepthMaterial,
  MeshDistanceMaterial,
  MeshStandardMaterial,
  RGBAIntegerFormat,
  RGIntegerFormat,
  Sphere,
  UnsignedIntType,
  Vector3,
  Box3,
  type IUniform,
  type Material,
  type MeshStandardMaterialParameters,
} from 'three'
import { LimberError, shown } from './error.js'
import {
  normalUnitOf,
  readVertexAnimationFile,
  rowsOf,
  type VertexAnimationError,
  type VertexAnimationFile,
} from './vertex-animation-file.js'

/**
 * Plays a mesh that `limber-node` has recorded, without a simulation and on the GPU: `recording.toVAT()` writes what it takes.
 * All frames lie in one texture, from which the vertex shader reads: a frame costs setting one uniform. How true it is to the
 * recording is in {@link error}: those are bounds at every recorded frame.
 *
 * With `WebGLRenderer`, {@link mesh}, {@link instancedMesh}, {@link material} and {@link apply} are what is needed. With
 * `WebGPURenderer` the material is a node material, with the nodes of `limber/vertex-animation-nodes`.
 *
 * @example
 * const flag = VertexAnimation.parse(await (await fetch('flag.vat')).arrayBuffer())
 * scene.add(flag.mesh(flag.material({ color: 'crimson', side: DoubleSide })))
 * renderer.setAnimationLoop((time) => {
 *   timer.update(time)
 *   flag.update(timer.getDelta())
 *   renderer.render(scene, camera)
 * })
 *
 * @example
 * // A crowd out of step: one draw call, each instance ahead by its own seconds.
 * const crowd = flag.instancedMesh(Array.from({ length: 500 }, () => Math.random() * flag.duration))
 */
export class VertexAnimation {
  /** Vertices of the mesh. */
  readonly vertices: number
  /** Recorded frames. */
  readonly frames: number
  /** Frames a second that were recorded. */
  readonly fps: number
  /** Every so many-th recorded frame is in the texture, and the last. */
  readonly every: number
  /** Time of the last frame, in seconds. */
  readonly duration: number
  /** How far it is from the recording, in metres and radians. */
  readonly error: VertexAnimationError
  /**
   * The mesh as it is in the first frame, with bounds that hold in all of them: it is not culled while it can be seen. Rays
   * meet it as it is in the first frame.
   */
  readonly geometry: BufferGeometry
  /**
   * All vertices of the first frame, then of the next, in rows of a power of two, at most 4096. Of a vertex, with 16 bits a
   * coordinate and normals of 8, two 32-bit integers: x and y; z and the normal. Else four: x, y and z as the bits of floats, in
   * metres; and the normal. It is read texel by texel, without filtering.
   */
  readonly texture: DataTexture
  /** Whether `texture` has positions in steps of 16 bits, and normals of 8. */
  readonly compact: boolean
  /** Lowest corner of the box of motion, in metres, for shaders. */
  readonly min: Vector3
  /** Length of a step of `compact` positions, in metres, for shaders. */
  readonly unit: number
  /** What stands for 1 in a normal's coordinate, above what stands for 0, for shaders: 127 or 32767. */
  readonly normalUnit: number

  /** What the shaders of {@link apply} read with, by name. */
  readonly uniforms: Readonly<Record<string, IUniform>>
  /** The data of `texture`, as long as it is not disposed. */
  #texels: Uint32Array | null
  #depth: Material | null = null
  #distance: Material | null = null
  readonly #time: IUniform<number> = { value: 0 }
  readonly #loop: IUniform<boolean>

  private constructor(file: VertexAnimationFile) {
    const { vertices, frames, fps, every, error, min, unit, normalBits } = file
    this.vertices = vertices
    this.frames = frames
    this.fps = fps
    this.every = every
    this.duration = (frames - 1) / fps
    this.error = error
    this.min = new Vector3(...min)
    this.unit = unit
    this.normalUnit = normalUnitOf(normalBits)
    this.#loop = { value: file.loop }
    let most = 0
    for (const step of file.steps) if (step > most) most = step
    this.compact = most < 2 ** 16 && normalBits === 8
    this.#texels = texels(file, this.compact)
    const width = widthFor(vertices * rowsOf(frames, every))
    const height = this.#texels.length / width / (this.compact ? 2 : 4)
    const format = this.compact ? RGIntegerFormat : RGBAIntegerFormat
    this.texture = new DataTexture(this.#texels as never, width, height, format, UnsignedIntType)
    this.texture.needsUpdate = true
    this.geometry = geometryOf(file)
    for (const name of ['position', 'normal']) {
      this.geometry.setAttribute(name, new BufferAttribute(new Float32Array(vertices * 3), 3))
    }
    const { position, normal } = this.geometry.attributes as Record<string, BufferAttribute>
    this.sample(0, position!.array as Float32Array, normal!.array as Float32Array)
    this.uniforms = {
      vatFrames: { value: this.texture },
      vatTime: this.#time,
      vatLoop: this.#loop,
      vatTiming: { value: [fps, frames, every, this.duration] },
      vatVertices: { value: vertices },
      vatMin: { value: this.min },
      vatUnit: { value: unit },
      vatNormalUnit: { value: this.normalUnit },
    }
  }

  /**
   * Reads a file, and unpacks it.
   *
   * @throws LimberError `invalid-input` for what is no vertex animation, is of another version, or is cut off
   */
  static parse(bytes: Uint8Array | ArrayBuffer): VertexAnimation {
    return new VertexAnimation(readVertexAnimationFile(bytes))
  }

  /** Time that is shown, in seconds. */
  get time(): number {
    return this.#time.value
  }

  /**
   * Whether it begins anew at its end, else it stands still there; as the file says unless set: whether its last frame is its
   * first. One for which that is not so jumps.
   */
  get loop(): boolean {
    return this.#loop.value
  }
  set loop(loop: boolean) {
    this.#loop.value = loop
  }

  /** Whether it was disposed. */
  get disposed(): boolean {
    return this.#texels === null
  }

  /**
   * Shows a time in all meshes: before 0 and after {@link duration} by {@link loop}. Allocates nothing.
   *
   * @throws LimberError `invalid-input` for what is no finite number; `disposed`
   */
  setTime(seconds: number): void {
    this.#playing()
    this.#time.value = this.#within(seconds)
  }

  /** Moves on by `dt` seconds, or back where that is below 0. Allocates nothing. @throws LimberError as {@link setTime} does */
  update(dt: number): void {
    this.setTime(this.time + dt)
  }

  /**
   * Writes where all vertices are at a time, and their normals: for shadows of one's own, for picking, for measuring.
   *
   * @param seconds before 0 and after {@link duration} by {@link loop}
   * @param positions takes `[x, y, z] × vertices`, metres
   * @param normals takes `[x, y, z] × vertices`, of unit length
   * @throws LimberError `invalid-input` for what is no finite number, and for arrays of another length; `disposed`
   */
  sample(seconds: number, positions: Float32Array, normals?: Float32Array): void {
    const data = this.#playing()
    const time = this.#within(seconds)
    for (const [path, array] of Object.entries({ positions, normals })) {
      if (array === undefined || (array instanceof Float32Array && array.length === this.vertices * 3)) continue
      const got = array instanceof Float32Array ? `one of ${array.length}` : shown(array)
      throw new LimberError(
        'invalid-input',
        `${path} must be a Float32Array of ${this.vertices * 3} numbers, got ${got}`,
      )
    }
    const { vertices, frames, every, compact, unit, normalUnit } = this
    const size = compact ? 2 : 4
    const floats = new Float32Array(data.buffer, data.byteOffset, data.length)
    const frame = Math.min(time * this.fps, frames - 1)
    const row = Math.min(Math.floor(frame / every), rowsOf(frames, every) - 2)
    const start = row * every
    const share = (frame - start) / (Math.min(start + every, frames - 1) - start)
    const min = this.min.toArray()
    for (let v = 0; v < vertices; v++) {
      const own = (row * vertices + v) * size
      const next = own + vertices * size
      for (let c = 0; c < 3; c++) {
        const from = compact ? min[c]! + halfAt(data, own, c) * unit : floats[own + c]!
        const to = compact ? min[c]! + halfAt(data, next, c) * unit : floats[next + c]!
        positions[v * 3 + c] = from * (1 - share) + to * share
      }
      if (!normals) continue
      unpack(data[own + size - 1]!, compact, normalUnit, from)
      unpack(data[next + size - 1]!, compact, normalUnit, to)
      const [x, y, z] = [0, 1, 2].map((c) => from[c]! * (1 - share) + to[c]! * share) as [number, number, number]
      const length = Math.max(Math.sqrt(x * x + y * y + z * z), 1e-9)
      normals[v * 3] = x / length
      normals[v * 3 + 1] = y / length
      normals[v * 3 + 2] = z / length
    }
  }

  /** A `MeshStandardMaterial` that shows the animation with `WebGLRenderer`, in all lights. Dispose of it as usual. */
  material(parameters: MeshStandardMaterialParameters = {}): MeshStandardMaterial {
    return this.apply(new MeshStandardMaterial(parameters))
  }

  /**
   * Makes a material of three.js show the animation with `WebGLRenderer`: any that is lit or not, and those of depth. What its
   * `onBeforeCompile` does is kept. Gives it back. A clone of it does not show the animation until it was applied, too.
   *
   * @throws LimberError `invalid-input` for one that shows another animation; `disposed`
   */
  apply<Look extends Material>(material: Look): Look {
    this.#playing()
    const other = applied.get(material)
    if (other === this) return material
    if (other) throw new LimberError('invalid-input', 'material must be one that shows no other VertexAnimation')
    applied.set(material, this)
    const { uniforms, compact } = this
    const before = material.onBeforeCompile
    const key = `${material.customProgramCacheKey()} limber vat ${compact}`
    material.onBeforeCompile = function (this: Look, shader, renderer) {
      before.call(this, shader, renderer)
      Object.assign(shader.uniforms, uniforms)
      const main = shader.vertexShader
        .replace('#include <beginnormal_vertex>', '#include <beginnormal_vertex>\nobjectNormal = vatNormal();')
        .replace('#include <begin_vertex>', '#include <begin_vertex>\ntransformed = vatPosition();')
      shader.vertexShader = `${compact ? '#define VAT_COMPACT\n' : ''}${READER}${main}`
    }
    material.customProgramCacheKey = () => key
    // Without the attribute an instance is 0 s ahead, whatever another material has left there.
    const look = material as { defaultAttributeValues?: object }
    look.defaultAttributeValues = { ...look.defaultAttributeValues, timeOffset: [0] }
    material.needsUpdate = true
    return material
  }

  /**
   * A mesh that shows the animation, and casts its shadow with `WebGLRenderer`; several share texture and time.
   *
   * @param material {@link material}() unless given; others are told to show the animation by {@link apply}, but for node
   *   materials
   * @throws LimberError as {@link apply} does
   */
  mesh<Look extends Material | Material[] = MeshStandardMaterial>(
    material: Look = this.material() as Material as Look,
  ): Mesh<BufferGeometry, Look> {
    return this.#casting(new Mesh(this.geometry, material))
  }

  /**
   * Meshes in one draw call, each ahead of {@link time} by its own seconds. Their places are set as usual, with `setMatrixAt`.
   * The seconds are the attribute `timeOffset` of the mesh's geometry, which is a further one with the same arrays: dispose of
   * it with the mesh.
   *
   * @param offsets seconds for each instance, finite
   * @param material as for {@link mesh}
   * @throws LimberError `invalid-input` for what is no list of finite numbers; as {@link apply} does
   */
  instancedMesh<Look extends Material | Material[] = MeshStandardMaterial>(
    offsets: ArrayLike<number>,
    material: Look = this.material() as Material as Look,
  ): InstancedMesh<BufferGeometry, Look> {
    const seconds = Float32Array.from(offsets ?? [])
    if (seconds.length === 0 || !seconds.every(Number.isFinite)) {
      throw new LimberError('invalid-input', `offsets must be a list of finite numbers (s), got ${shown(offsets)}`)
    }
    const { geometry } = this
    const own = new BufferGeometry()
    own.setIndex(geometry.index)
    for (const [name, attribute] of Object.entries(geometry.attributes)) own.setAttribute(name, attribute)
    own.setAttribute('timeOffset', new InstancedBufferAttribute(seconds, 1))
    for (const { start, count, materialIndex } of geometry.groups) own.addGroup(start, count, materialIndex)
    own.setDrawRange(geometry.drawRange.start, geometry.drawRange.count)
    own.boundingBox = geometry.boundingBox!.clone()
    own.boundingSphere = geometry.boundingSphere!.clone()
    return this.#casting(new InstancedMesh(own, material, seconds.length))
  }

  /**
   * Lets go of texture and geometry, and of the materials that cast shadows. Meshes must be gone from the scene by then; every
   * later use throws `disposed`, and disposing twice does nothing.
   */
  dispose(): void {
    if (this.#texels === null) return
    this.#texels = null
    for (const own of [this.texture, this.geometry, this.#depth, this.#distance]) own?.dispose()
  }

  #playing(): Uint32Array {
    if (this.#texels) return this.#texels
    throw new LimberError('disposed', 'this VertexAnimation was disposed: remove it from the loop that plays it')
  }

  /** A time from 0 to the end. */
  #within(seconds: number): number {
    if (!Number.isFinite(seconds)) {
      throw new LimberError('invalid-input', `seconds must be a finite number (s), got ${shown(seconds)}`)
    }
    const { duration } = this
    // The end itself is the last frame, not the first.
    const outside = seconds < 0 || seconds > duration
    const time = this.loop && outside ? seconds - Math.floor(seconds / duration) * duration : seconds
    return Math.min(Math.max(time, 0), duration)
  }

  #casting<Shown extends Mesh>(mesh: Shown): Shown {
    for (const material of [mesh.material].flat()) if (!('isNodeMaterial' in material)) this.apply(material)
    mesh.customDepthMaterial = this.#depth ??= this.apply(new MeshDepthMaterial())
    mesh.customDistanceMaterial = this.#distance ??= this.apply(new MeshDistanceMaterial())
    return mesh
  }
}

/** What materials show. */
const applied = /* @__PURE__ */ new WeakMap<Material, VertexAnimation>()

/** What shaders read with: the same as `sample`, and the same as `vertex-animation-nodes.ts`. */
const READER = /* glsl */ `
uniform highp usampler2D vatFrames;
uniform float vatTime;
uniform bool vatLoop;
uniform vec4 vatTiming;
uniform int vatVertices;
uniform vec3 vatMin;
uniform float vatUnit;
uniform float vatNormalUnit;
attribute float timeOffset;

uvec4 vatTexel( int row ) {
	int at = row * vatVertices + gl_VertexID;
	int width = textureSize( vatFrames, 0 ).x;
	return texelFetch( vatFrames, ivec2( at % width, at / width ), 0 );
}

float vatRead( out uvec4 from, out uvec4 to ) {
	float fps = vatTiming.x, last = vatTiming.y - 1.0, every = vatTiming.z, duration = vatTiming.w;
	float time = vatTime + timeOffset;
	if ( vatLoop && ( time < 0.0 || time > duration ) ) time -= floor( time / duration ) * duration;
	float frame = clamp( time * fps, 0.0, last );
	float row = min( floor( frame / every ), ceil( last / every ) - 1.0 );
	float start = row * every;
	from = vatTexel( int( row ) );
	to = vatTexel( int( row ) + 1 );
	return ( frame - start ) / ( min( start + every, last ) - start );
}

vec3 vatPlace( uvec4 texel ) {
#ifdef VAT_COMPACT
	return vatMin + vec3( texel.x & 65535u, texel.x >> 16u, texel.y & 65535u ) * vatUnit;
#else
	return uintBitsToFloat( texel.xyz );
#endif
}

vec3 vatDirection( uvec4 texel ) {
#ifdef VAT_COMPACT
	vec2 ab = vec2( ( texel.y >> 16u ) & 255u, texel.y >> 24u ) / vatNormalUnit - 1.0;
#else
	vec2 ab = vec2( texel.w & 65535u, texel.w >> 16u ) / vatNormalUnit - 1.0;
#endif
	float z = 1.0 - abs( ab.x ) - abs( ab.y );
	float fold = max( - z, 0.0 );
	return normalize( vec3( ab.x + ( ab.x < 0.0 ? fold : - fold ), ab.y + ( ab.y < 0.0 ? fold : - fold ), z ) );
}

vec3 vatPosition() {
	uvec4 from, to;
	float share = vatRead( from, to );
	return mix( vatPlace( from ), vatPlace( to ), share );
}

vec3 vatNormal() {
	uvec4 from, to;
	float share = vatRead( from, to );
	vec3 normal = mix( vatDirection( from ), vatDirection( to ), share );
	return normal / max( length( normal ), 1e-9 );
}
`

/** Width of a texture of so many texels, about as wide as high: a power of two, for shaders. */
function widthFor(texels: number): number {
  return 2 ** Math.ceil(Math.log2(texels) / 2)
}

/** The texture's data. */
function texels(file: VertexAnimationFile, compact: boolean): Uint32Array<ArrayBuffer> {
  const { vertices, frames, every, steps, normals, min, unit } = file
  const count = vertices * rowsOf(frames, every)
  const width = widthFor(count)
  const size = compact ? 2 : 4
  const out = new Uint32Array(Math.ceil(count / width) * width * size)
  const floats = new Float32Array(out.buffer)
  for (let i = 0; i < count; i++) {
    const [a, b] = [normals[i * 2]!, normals[i * 2 + 1]!]
    if (compact) {
      out[i * 2] = steps[i * 3]! | (steps[i * 3 + 1]! << 16)
      out[i * 2 + 1] = steps[i * 3 + 2]! | (a << 16) | (b << 24)
    } else {
      for (let c = 0; c < 3; c++) floats[i * 4 + c] = min[c]! + steps[i * 3 + c]! * unit
      out[i * 4 + 3] = a | (b << 16)
    }
  }
  return out
}

/** Coordinate `c` of compact texels. */
function halfAt(data: Uint32Array, at: number, c: number): number {
  return (data[at + (c >> 1)]! >>> (c === 1 ? 16 : 0)) & 65535
}

const from = /* @__PURE__ */ new Float64Array(3)
const to = /* @__PURE__ */ new Float64Array(3)

function unpack(packed: number, compact: boolean, unit: number, out: Float64Array): void {
  const [a, b] = compact ? [(packed >>> 16) & 255, packed >>> 24] : [packed & 65535, packed >>> 16]
  unpackNormal(a, b, unit, out)
}

function unpackNormal(a: number, b: number, unit: number, out: Float64Array): void {
  const [x, y] = [a / unit - 1, b / unit - 1]
  const z = 1 - Math.abs(x) - Math.abs(y)
  const fold = Math.max(-z, 0)
  const [u, v] = [x + (x < 0 ? fold : -fold), y + (y < 0 ? fold : -fold)]
  const length = Math.sqrt(u * u + v * v + z * z)
  out[0] = u / length
  out[1] = v / length
  out[2] = z / length
}

/**
 * Writes a normal as two coordinates on an octahedron that is folded open (Cigolle and others, "A Survey of Efficient
 * Representations for Independent Unit Vectors", 2014), each of so many bits: the nearest of the four around it. It is off by
 * up to 0.011 rad (0.6°) with 8 bits.
 */
export function packNormal(normals: ArrayLike<number>, at: number, bits: 8 | 16, out: Uint16Array, to: number): void {
  const [x, y, z] = [normals[at]!, normals[at + 1]!, normals[at + 2]!]
  const unit = normalUnitOf(bits)
  const sum = Math.abs(x) + Math.abs(y) + Math.abs(z)
  let [a, b] = [x / sum, y / sum]
  if (z < 0) [a, b] = [(1 - Math.abs(b)) * (a < 0 ? -1 : 1), (1 - Math.abs(a)) * (b < 0 ? -1 : 1)]
  const [left, below] = [Math.floor((a + 1) * unit), Math.floor((b + 1) * unit)]
  let most = -Infinity
  for (let corner = 0; corner < 4; corner++) {
    const [u, v] = [Math.min(left + (corner & 1), unit * 2), Math.min(below + (corner >> 1), unit * 2)]
    unpackNormal(u, v, unit, from)
    const near = from[0]! * x + from[1]! * y + from[2]! * z
    if (near <= most) continue
    most = near
    out[to] = u
    out[to + 1] = v
  }
}

/** All but positions and normals, with bounds of all frames. */
function geometryOf(file: VertexAnimationFile): BufferGeometry {
  const { index, groups, drawRange, attributes, vertices, steps, min, unit } = file
  const geometry = new BufferGeometry()
  if (index) geometry.setIndex(new BufferAttribute(vertices > 65535 ? index : Uint16Array.from(index), 1))
  for (const [name, { array, itemSize, normalized }] of Object.entries(attributes)) {
    geometry.setAttribute(name, new BufferAttribute(array, itemSize, normalized))
  }
  for (const { start, count, materialIndex } of groups) geometry.addGroup(start, count, materialIndex)
  geometry.setDrawRange(drawRange.start, drawRange.count ?? Infinity)
  const [low, high] = [
    [Infinity, Infinity, Infinity],
    [0, 0, 0],
  ] as [number[], number[]]
  for (let i = 0; i < steps.length; i += 3) {
    for (let c = 0; c < 3; c++) {
      const step = steps[i + c]!
      if (step < low[c]!) low[c] = step
      if (step > high[c]!) high[c] = step
    }
  }
  const corner = (of: number[]) => new Vector3(...of.map((step, c) => Math.fround(min[c]! + step * unit)))
  geometry.boundingBox = new Box3(corner(low), corner(high))
  geometry.boundingSphere = geometry.boundingBox.getBoundingSphere(new Sphere())
  return geometry
}
