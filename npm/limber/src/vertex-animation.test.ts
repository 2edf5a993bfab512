import { LimberError, packNormal, VertexAnimation, writeVertexAnimationFile, type VertexAnimationFile } from 'limber'
import { MeshBasicMaterial, MeshDepthMaterial, MeshStandardMaterial, ShaderChunk, ShaderLib, Vector3 } from 'three'
import { describe, expect, it } from 'vitest'
import { refusal } from '../../../tests/helpers.mjs'

const UNIT = 0.001
const MIN = [-1, 2, -0.5] as const

/** Numbers from 0 to 1, the same in every run. */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

interface Setup {
  columns?: number
  rows?: number
  frames?: number
  every?: number
  normalBits?: 8 | 16
  /** Steps of the highest wave. */
  height?: number
}

/** A sheet that waves. */
function wave({ columns = 5, rows = 4, frames = 11, every = 1, normalBits = 8, height = 200 }: Setup = {}) {
  const vertices = columns * rows
  const there = Array.from({ length: frames }, (_, i) => i).filter((i) => i % every === 0 || i === frames - 1)
  const steps = new Uint32Array(vertices * there.length * 3)
  const normals = new Uint16Array(vertices * there.length * 2)
  there.forEach((frame, r) => {
    for (let v = 0; v < vertices; v++) {
      const [i, j] = [v % columns, Math.floor(v / columns)]
      const slope = Math.cos(i + frame / 3)
      steps.set([i * 30, j * 20, Math.round((Math.sin(i + frame / 3) + 1) * (height / 2))], (r * vertices + v) * 3)
      const normal = new Vector3(-slope, 0.3 * j, frame % 2 ? 1 : -1).normalize()
      packNormal(normal.toArray(), 0, normalBits, normals, (r * vertices + v) * 2)
    }
  })
  const index: number[] = []
  for (let j = 0; j + 1 < rows; j++) {
    for (let i = 0; i + 1 < columns; i++) {
      const v = j * columns + i
      index.push(v, v + columns, v + 1, v + 1, v + columns, v + columns + 1)
    }
  }
  const file: VertexAnimationFile = {
    fps: 10,
    frames,
    every,
    vertices,
    min: MIN,
    unit: UNIT,
    normalBits,
    loop: false,
    error: { maxDistance: 0.1, meanDistance: 0.01, maxAngle: 0.2, meanAngle: 0.02 },
    index: Uint32Array.from(index),
    groups: [
      { start: 0, count: 6, materialIndex: 0 },
      { start: 6, count: index.length - 6, materialIndex: 1 },
    ],
    drawRange: { start: 0, count: null },
    attributes: {
      uv: { array: Float32Array.from({ length: vertices * 2 }, (_, i) => i / 7), itemSize: 2, normalized: false },
      color: { array: Uint8Array.from({ length: vertices * 3 }, (_, i) => i * 5), itemSize: 3, normalized: true },
    },
    steps,
    normals,
  }
  return file
}

/** What is there at one of the frames that are there. */
function rowOf({ vertices, steps }: VertexAnimationFile, row: number): number[] {
  const own = steps.subarray(row * vertices * 3, (row + 1) * vertices * 3)
  return Array.from(own, (step, i) => MIN[i % 3]! + step * UNIT)
}

function sampled(animation: VertexAnimation, time: number) {
  const positions = new Float32Array(animation.vertices * 3)
  const normals = new Float32Array(animation.vertices * 3)
  animation.sample(time, positions, normals)
  return { positions, normals }
}

function furthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length)
  return Math.max(...Array.from(a, (n, i) => Math.abs(n - b[i]!)))
}

/** A file whose text is another one. */
function retold(bytes: Uint8Array, tell: (text: Record<string, any>) => void): Uint8Array {
  const length = new DataView(bytes.buffer).getUint32(8, true)
  const text = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + length))) as Record<string, any>
  tell(text)
  const json = new TextEncoder().encode(JSON.stringify(text).padEnd(length + 100))
  const out = new Uint8Array(12 + json.length + bytes.length - 12 - length)
  out.set(bytes.subarray(0, 12))
  new DataView(out.buffer).setUint32(8, json.length, true)
  out.set(json, 12)
  out.set(bytes.subarray(12 + length), 12 + json.length)
  return out
}

describe('a vertex animation', () => {
  it.each([
    ['16 bits', {}],
    ['normals of 16 bits', { normalBits: 16 }],
    ['32-bit floats', { height: 70000 }],
    ['frames that are left out', { every: 3 }],
    ['more than a row of the texture', { columns: 40, rows: 30 }],
    ['two frames', { frames: 2 }],
    ['one triangle', { columns: 2, rows: 2, frames: 3 }],
  ] as [string, Setup][])('gives back what was written: %s', (_, setup) => {
    const file = wave(setup)
    const animation = VertexAnimation.parse(writeVertexAnimationFile(file))
    expect(animation).toMatchObject({
      vertices: file.vertices,
      frames: file.frames,
      fps: 10,
      every: file.every,
      duration: (file.frames - 1) / 10,
      error: file.error,
      loop: false,
      compact: setup.height === undefined && setup.normalBits !== 16,
    })
    const { geometry } = animation
    expect([...geometry.index!.array]).toEqual([...file.index!])
    expect(geometry.groups).toEqual(file.groups)
    expect(geometry.drawRange).toEqual({ start: 0, count: Infinity })
    expect(geometry.attributes.uv!.array).toEqual(file.attributes.uv!.array)
    expect(geometry.attributes.color!.array).toEqual(file.attributes.color!.array)
    expect(geometry.attributes.color!.normalized).toBe(true)
    expect(furthest(geometry.attributes.position!.array, rowOf(file, 0))).toBeLessThan(1e-5)

    const rows = Math.ceil((file.frames - 1) / file.every)
    for (let row = 0; row <= rows; row++) {
      const frame = Math.min(row * file.every, file.frames - 1)
      const { positions, normals } = sampled(animation, frame / 10)
      expect(furthest(positions, rowOf(file, row))).toBeLessThan(1e-5)
      const normal = new Vector3()
      for (let v = 0; v < file.vertices; v++) {
        const slope = Math.cos((v % (setup.columns ?? 5)) + frame / 3)
        const j = Math.floor(v / (setup.columns ?? 5))
        const expected = new Vector3(-slope, 0.3 * j, frame % 2 ? 1 : -1).normalize()
        const off = normal.fromArray(normals, v * 3).angleTo(expected)
        expect(off).toBeLessThan(setup.normalBits === 16 ? 1e-3 : 0.011)
        expect(normal.length()).toBeCloseTo(1, 6)
        expect(geometry.boundingBox!.containsPoint(new Vector3().fromArray(positions, v * 3))).toBe(true)
      }
    }
    const { width, height } = animation.texture.image as { width: number; height: number }
    expect(Math.max(width, height)).toBeLessThanOrEqual(4096)
    expect(Math.log2(width) % 1).toBe(0)
    const { center, radius } = geometry.boundingSphere!
    expect(center.distanceTo(geometry.boundingBox!.max)).toBeCloseTo(radius, 6)
  })

  it('is on the straight way between frames', () => {
    const file = wave({ every: 4 })
    const animation = VertexAnimation.parse(writeVertexAnimationFile(file))
    // Frames 0, 4, 8 and 10 are there.
    for (const [time, row, share] of [
      [0.1, 0, 0.25],
      [0.75, 1, 0.875],
      [0.9, 2, 0.5],
      [0.95, 2, 0.75],
    ] as const) {
      const [from, to] = [rowOf(file, row), rowOf(file, row + 1)]
      const there = from.map((n, i) => n * (1 - share) + to[i]! * share)
      expect(furthest(sampled(animation, time).positions, there)).toBeLessThan(1e-5)
    }
  })

  it('goes without index, groups and attributes', () => {
    const file = { ...wave({ columns: 3, rows: 4 }), index: null, groups: [], attributes: {} }
    const animation = VertexAnimation.parse(writeVertexAnimationFile(file))
    expect(animation.geometry.index).toBe(null)
    expect(Object.keys(animation.geometry.attributes).sort()).toEqual(['normal', 'position'])
    expect(furthest(sampled(animation, 1).positions, rowOf(file, 10))).toBeLessThan(1e-5)
  })

  it('reads from the middle of a buffer, and from an ArrayBuffer', () => {
    const bytes = writeVertexAnimationFile(wave())
    const shifted = new Uint8Array(bytes.length + 3)
    shifted.set(bytes, 3)
    expect(VertexAnimation.parse(shifted.subarray(3)).vertices).toBe(20)
    expect(VertexAnimation.parse(bytes.buffer).vertices).toBe(20)
  })

  it('plays, and stands still or begins anew at its end', () => {
    const animation = VertexAnimation.parse(writeVertexAnimationFile(wave()))
    animation.update(0.4)
    expect(animation.time).toBeCloseTo(0.4)
    expect(animation.uniforms.vatTime!.value).toBe(animation.time)
    animation.update(0.8)
    expect(animation.time).toBe(1)
    animation.loop = true
    expect(animation.uniforms.vatLoop!.value).toBe(true)
    animation.setTime(1)
    expect(animation.time).toBe(1)
    animation.update(0.25)
    expect(animation.time).toBeCloseTo(0.25)
    animation.update(-0.5)
    expect(animation.time).toBeCloseTo(0.75)
    expect(sampled(animation, 2.3)).toEqual(sampled(animation, 2.3 - 2))
    animation.loop = false
    expect(sampled(animation, 7)).toEqual(sampled(animation, 1))
    for (const wrong of [NaN, Infinity, undefined, '1'])
      expect(refusal(() => animation.setTime(wrong as number))).toMatchObject({
        code: 'invalid-input',
        message: `seconds must be a finite number (s), got ${typeof wrong === 'string' ? '"1"' : wrong}`,
      })
    expect(refusal(() => animation.sample(0, new Float32Array(59))).message).toBe(
      'positions must be a Float32Array of 60 numbers, got one of 59',
    )
    expect(refusal(() => animation.sample(0, new Float32Array(60), [] as never)).message).toBe(
      'normals must be a Float32Array of 60 numbers, got an array of 0',
    )
    expect(VertexAnimation.parse(writeVertexAnimationFile({ ...wave(), loop: true })).loop).toBe(true)
  })

  it('is gone after dispose', () => {
    const animation = VertexAnimation.parse(writeVertexAnimationFile(wave()))
    const { customDepthMaterial, material } = animation.mesh()
    const gone: string[] = []
    animation.texture.addEventListener('dispose', () => gone.push('texture'))
    animation.geometry.addEventListener('dispose', () => gone.push('geometry'))
    customDepthMaterial!.addEventListener('dispose', () => gone.push('depth'))
    material.addEventListener('dispose', () => gone.push('material'))
    animation.dispose()
    animation.dispose()
    expect(gone.sort()).toEqual(['depth', 'geometry', 'texture'])
    expect(animation.disposed).toBe(true)
    for (const use of [() => animation.update(1), () => animation.material(), () => sampled(animation, 0)])
      expect(refusal(use).code).toBe('disposed')
  })

  it('makes materials read the texture, and keeps what they do', () => {
    for (const bits of [8, 16] as const) {
      const animation = VertexAnimation.parse(writeVertexAnimationFile(wave({ normalBits: bits })))
      const material = new MeshStandardMaterial()
      let called = 0
      material.onBeforeCompile = () => void called++
      const key = material.customProgramCacheKey()
      expect(animation.apply(material)).toBe(material)
      animation.apply(material)
      const shader = { uniforms: {}, vertexShader: ShaderLib.standard.vertexShader, fragmentShader: '' }
      material.onBeforeCompile(shader as never, undefined as never)
      expect(called).toBe(1)
      expect(shader.uniforms).toEqual(animation.uniforms)
      expect(shader.vertexShader.split('vatPosition()').length).toBe(3)
      expect(shader.vertexShader.split('vatNormal()').length).toBe(3)
      expect(shader.vertexShader.includes('#define VAT_COMPACT')).toBe(bits === 8)
      expect(material.customProgramCacheKey()).not.toBe(key)
      expect(material.customProgramCacheKey().startsWith(key)).toBe(true)
      const other = VertexAnimation.parse(writeVertexAnimationFile(wave()))
      expect(refusal(() => other.apply(material)).message).toBe(
        'material must be one that shows no other VertexAnimation',
      )
    }
    // What the reader hooks into is what three.js draws with.
    expect(ShaderChunk.begin_vertex).toContain('vec3 transformed =')
    expect(ShaderChunk.beginnormal_vertex).toContain('vec3 objectNormal =')
    for (const { vertexShader } of [ShaderLib.standard, ShaderLib.depth, ShaderLib.distance!, ShaderLib.basic])
      expect(vertexShader).toContain('#include <begin_vertex>')
  })

  it('makes meshes, alone and as a crowd', () => {
    const animation = VertexAnimation.parse(writeVertexAnimationFile(wave()))
    const looks = [new MeshBasicMaterial(), new MeshStandardMaterial()]
    const mesh = animation.mesh(looks)
    expect(mesh.geometry).toBe(animation.geometry)
    expect(mesh.customDepthMaterial).toBeInstanceOf(MeshDepthMaterial)
    expect(mesh.customDistanceMaterial!.type).toBe('MeshDistanceMaterial')
    for (const look of [...looks, mesh.customDepthMaterial!, mesh.customDistanceMaterial!])
      expect(look.customProgramCacheKey()).toContain('limber vat')

    const crowd = animation.instancedMesh([0, 0.25, 1.5])
    expect(crowd.count).toBe(3)
    expect([...crowd.geometry.attributes.timeOffset!.array]).toEqual([0, 0.25, 1.5])
    expect(crowd.geometry.attributes.uv).toBe(animation.geometry.attributes.uv)
    expect(crowd.geometry.groups).toEqual(animation.geometry.groups)
    expect(crowd.geometry.boundingSphere).toEqual(animation.geometry.boundingSphere)
    expect(animation.geometry.attributes.timeOffset).toBe(undefined)
    for (const wrong of [[], [NaN], undefined, 3])
      expect(refusal(() => animation.instancedMesh(wrong as number[])).code).toBe('invalid-input')
  })

  it('packs normals within what is said', () => {
    const next = random(1)
    const packed = new Uint16Array(2)
    const [normal, shown] = [new Vector3(), new Vector3()]
    const directions = [
      [1, 0, 0],
      [-1, 0, 0],
      [0, 1, 0],
      [0, -1, 0],
      [0, 0, 1],
      [0, 0, -1],
    ]
    for (let i = 0; i < 20000; i++) {
      const z = next() * 2 - 1
      const turn = next() * 2 * Math.PI
      const side = Math.sqrt(1 - z * z)
      directions.push([side * Math.cos(turn), side * Math.sin(turn), z])
    }
    for (const [bits, most] of [
      [8, 0.011],
      [16, 0.00005],
    ] as const) {
      for (const direction of directions) {
        packNormal(direction, 0, bits, packed, 0)
        const unit = 2 ** (bits - 1) - 1
        const [a, b] = [packed[0]! / unit - 1, packed[1]! / unit - 1]
        shown.set(a, b, 1 - Math.abs(a) - Math.abs(b))
        if (shown.z < 0) {
          shown.x = (1 - Math.abs(b)) * (a < 0 ? -1 : 1)
          shown.y = (1 - Math.abs(a)) * (b < 0 ? -1 : 1)
        }
        const off = shown.normalize().sub(normal.fromArray(direction)).length()
        expect(off).toBeLessThan(most)
      }
    }
  })
})

describe('a file that is none', () => {
  const bytes = writeVertexAnimationFile(wave())
  const fault = (given: unknown) => {
    const error = refusal(() => VertexAnimation.parse(given as Uint8Array))
    expect(error.code).toBe('invalid-input')
    expect(error.message.startsWith('bytes must be a vertex animation, ')).toBe(true)
    return error.message.slice('bytes must be a vertex animation, '.length)
  }

  it('is refused, and says why', () => {
    expect(fault(undefined)).toBe('a Uint8Array or an ArrayBuffer, got undefined')
    expect(fault(new Uint8Array())).toBe('and are another kind of file')
    expect(fault(Uint8Array.from(bytes, (byte, i) => (i === 0 ? 1 : byte)))).toBe('and are another kind of file')
    expect(fault(Uint8Array.from(bytes, (byte, i) => (i === 4 ? 9 : byte)))).toBe(
      'and are one of version 9, where 1 can be read',
    )
    expect(fault(bytes.subarray(0, bytes.length - 1))).toBe(`and are cut off: ${bytes.length - 1} of ${bytes.length}`)
    expect(fault(Uint8Array.from([...bytes, 0, 0]))).toBe('and are 2 too many')
  })

  it('is refused wherever it is cut off', () => {
    for (let length = 0; length < bytes.length; length++) fault(bytes.subarray(0, length))
  })

  it('is refused for what its text may not say', () => {
    expect(VertexAnimation.parse(retold(bytes, () => {})).vertices).toBe(20)
    const wrong: Record<string, unknown[]> = {
      fps: [0, -1, null, '30'],
      frames: [1, 1.5, 'x'],
      every: [0, 11, 0.5],
      vertices: [0, -3, 1.5],
      min: [[0, 0], null, [0, 0, null]],
      unit: [0, null],
      normalBits: [7, 32],
      loop: [1, undefined],
      error: [null, {}],
      groups: [null, [{ start: -1, count: 1, materialIndex: 0 }]],
      drawRange: [null, { start: 0, count: 1.5 }],
      index: [-1, 0.5, 'x'],
      attributes: [
        null,
        [{ name: 'uv', array: 'Float64Array', itemSize: 2, normalized: false }],
        [{ name: 'uv', array: 'Float32Array', itemSize: 5, normalized: false }],
        [{ name: 'position', array: 'Float32Array', itemSize: 3, normalized: false }],
      ],
      packed: [-1, null],
    }
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        expect(fault(retold(bytes, (text) => (text[name] = value))), `${name}: ${value}`).toBe(
          'and hold a text that none has',
        )
      }
    }
  })

  it('is refused for more than a texture holds, before memory is taken for it', () => {
    const many = retold(bytes, (text) => Object.assign(text, { vertices: 2 ** 22 }))
    expect(fault(many)).toBe('of 4194304 vertices in 11 frames: more than the 16777216 texels of the largest texture')
    expect(fault(retold(bytes, (text) => Object.assign(text, { vertices: 2 ** 20, attributes: [] })))).toMatch(
      /^and (hold \d+ bytes for \d+ numbers|are \d+ too many)$/,
    )
  })

  it('is refused or read, whatever bits are flipped', () => {
    const next = random(5)
    let refused = 0
    for (let i = 0; i < 2000; i++) {
      const flipped = bytes.slice()
      flipped[Math.floor(next() * bytes.length)]! ^= 1 << Math.floor(next() * 8)
      try {
        VertexAnimation.parse(flipped)
      } catch (error) {
        if (!(error instanceof LimberError)) throw error
        refused += 1
      }
    }
    expect(refused).toBeGreaterThan(500)
  })
})
