import { BufferAttribute, BufferGeometry, Float16BufferAttribute, Vector3 } from 'three'
import {
  bake,
  Boids,
  Cloth,
  FlockClip,
  load,
  Recording,
  VertexAnimation,
  type Backend,
  type RecordedMesh,
  type VATOptions,
} from 'limber-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { refusal } from '../helpers.mjs'
import * as walkingCape from '../scenes/cloth-walking-cape.mjs'

const FPS = 30

/** How far a file is from a recording when it is read and played anew. */
function off(bytes: Uint8Array, { fps }: Recording, mesh: RecordedMesh) {
  const animation = VertexAnimation.parse(bytes)
  const [positions, normals] = [new Float32Array(animation.vertices * 3), new Float32Array(animation.vertices * 3)]
  const [a, b] = [new Vector3(), new Vector3()]
  let [maxDistance, maxAngle, distances, angles] = [0, 0, 0, 0]
  mesh.positions.forEach((recorded, frame) => {
    animation.sample(frame / fps, positions, normals)
    for (let i = 0; i < recorded.length; i += 3) {
      const distance = a.fromArray(positions, i).distanceTo(b.fromArray(recorded, i))
      const straight = a.fromArray(normals, i).sub(b.fromArray(mesh.normals[frame]!, i)).length()
      const angle = 2 * Math.asin(Math.min(straight / 2, 1))
      maxDistance = Math.max(maxDistance, distance)
      maxAngle = Math.max(maxAngle, angle)
      distances += distance
      angles += angle
    }
  })
  const all = mesh.positions.length * animation.vertices
  return { animation, maxDistance, maxAngle, meanDistance: distances / all, meanAngle: angles / all }
}

/** A recording of a mesh that moves as told, without a simulation. */
function made(
  vertices: number,
  frames: number,
  move: (frame: number, vertex: number) => readonly number[],
  geometry = new BufferGeometry(),
): [Recording, RecordedMesh] {
  const positions = Array.from({ length: frames }, (_, frame) =>
    Float32Array.from(Array.from({ length: vertices }, (_, v) => move(frame, v)).flat()),
  )
  const normals = positions.map((row) => Float32Array.from(row, (_, i) => (i % 3 === 1 ? 1 : 0)))
  const mesh = { name: 'made', geometry, positions, normals, vertices } as unknown as RecordedMesh
  return [new Recording(FPS, frames, [mesh]), mesh]
}

/** Numbers from 0 to 1, the same in every run. */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

describe.each(Object.entries(backends))('vertex animations on %s', (_, load) => {
  let limber: Backend
  let flag: Recording
  beforeAll(async () => {
    limber = await load()
    const cloth = Cloth.grid(limber, {
      columns: 33,
      rows: 33,
      pinned: 'left',
      place: (i, j, out) => out.set((i / 32) * 1.2, 2.6 - (j / 32) * 0.75, 0),
    })
    // The wind of the golden, w = 10.
    const drive = (t: number) => cloth.wind.set(10 * (1 + 0.3 * Math.sin(2.1 * t)), 0, 3.5 * Math.sin(1.3 * t))
    flag = await bake({ flag: cloth }, { fps: FPS, duration: 149 / FPS, drive })
    cloth.dispose()
  })
  afterAll(() => limber.dispose())

  it.each([
    ['a millimetre unless told', {}, 8, true],
    ['a hundredth of the diagonal', { tolerance: 0.014 }, 8, true],
    ['a hundredth of a millimetre', { tolerance: 0.00001 }, 8, false],
    ['true normals', { tolerance: 0.002, angle: 0.001 }, 16, false],
  ] as [string, VATOptions, 8 | 16, boolean][])('hold a flag in a storm: %s', (_, options, normalBits, compact) => {
    const bytes = flag.toVAT(options)
    const [mesh] = flag.meshes
    const { animation, ...error } = off(bytes, flag, mesh!)
    const { tolerance = 0.001, angle = 0.011 } = options
    expect(error.maxDistance).toBeLessThanOrEqual(tolerance)
    expect(error.maxAngle).toBeLessThanOrEqual(angle)
    const { report } = flag
    expect(report).toMatchObject({
      bytes: bytes.byteLength,
      frames: 150,
      maxError: animation.error.maxDistance,
      meanError: animation.error.meanDistance,
      meshes: [],
    })
    expect(report!.vats).toEqual([
      {
        name: 'flag',
        vertices: 1089,
        every: 1,
        unit: animation.unit,
        normalBits,
        textureBytes: animation.texture.image.data!.byteLength,
        loop: false,
        ...animation.error,
      },
    ])
    for (const [name, value] of Object.entries(error))
      expect(animation.error[name as keyof typeof error]).toBeCloseTo(value, 6)
    expect(animation.compact).toBe(compact)
    expect([...animation.geometry.index!.array]).toEqual([...mesh!.geometry.index!.array])
    expect(animation.geometry.attributes.uv!.array).toEqual(mesh!.geometry.attributes.uv!.array)
    // Raw, they are 24 bytes for each vertex and frame: 3,829 KiB.
    if (compact) expect(bytes.byteLength).toBeLessThan(400 * 1024)
  })

  it('hold the walking cape within 2 mm in 30 KiB', async () => {
    const cape = walkingCape.create(limber)
    const recording = await bake({ cape }, { fps: FPS, duration: 4, drive: (t) => walkingCape.drive(cape, t) })
    const bytes = recording.toVAT({ tolerance: 0.002 })
    expect(off(bytes, recording, recording.meshes[0]!).maxDistance).toBeLessThanOrEqual(0.002)
    expect(bytes.byteLength).toBeLessThan(30 * 1024)
    expect(recording.toVAT({ tolerance: 0.002 })).toEqual(bytes)
    cape.dispose()
  })

  it('choose one of several by name', async () => {
    const [a, b] = [walkingCape.create(limber), Cloth.grid(limber, { columns: 4, rows: 4 })]
    const recording = await bake({ a, b }, { fps: FPS, duration: 0.2 })
    expect(refusal(() => recording.toVAT()).message).toBe('name must be one of a, b, got undefined')
    expect(VertexAnimation.parse(recording.toVAT({ name: 'b' })).vertices).toBe(16)
    for (const cloth of [a, b]) cloth.dispose()
  })
})

describe('vertex animations', () => {
  it('leave frames out where motion is slow', () => {
    const [recording, mesh] = made(20, 121, (frame, v) => [v / 10, Math.sin(frame / 40 + v), 0])
    const bytes = recording.toVAT({ tolerance: 0.01 })
    const { every, maxDistance } = recording.report!.vats[0]!
    expect(every).toBeGreaterThan(5)
    expect(off(bytes, recording, mesh).maxDistance).toBeLessThanOrEqual(0.01)
    expect(maxDistance).toBeGreaterThan(0.002)
    recording.toVAT({ tolerance: 0.0005 })
    expect(recording.report!.vats[0]!.every).toBeLessThan(every)
  })

  it('keep far places, in which floats are coarse', () => {
    const [recording, mesh] = made(4, 10, (frame, v) => [1e6 + v + 0.3 * (frame % 3), frame % 2, 0])
    expect(off(recording.toVAT({ tolerance: 0.0001 }), recording, mesh).maxDistance).toBeLessThanOrEqual(0.0001)
  })

  it('need no more than the ends of what stands still', () => {
    const [recording] = made(5, 61, (_, v) => [v, 1, -v])
    recording.toVAT()
    expect(recording.report!.vats[0]).toMatchObject({ every: 60, loop: true })
  })

  it('say whether they end as they began', () => {
    const [whole] = made(8, 31, (frame, v) => [v, Math.sin(((frame % 30) / 15) * Math.PI), 0])
    expect(VertexAnimation.parse(whole.toVAT()).loop).toBe(true)
    const [half] = made(8, 16, (frame, v) => [v, Math.sin((frame / 20) * Math.PI), 0])
    expect(VertexAnimation.parse(half.toVAT()).loop).toBe(false)
  })

  it('keep the tolerance on every random curve', () => {
    const next = random(11)
    for (let run = 0; run < 300; run++) {
      const [size, jumps] = [10 ** (next() * 4 - 2), next() < 0.3]
      const waves = Array.from({ length: 9 }, () => [next() * size, next() * 0.6, next() * 6] as const)
      const [recording, mesh] = made(1 + Math.floor(next() * 12), 2 + Math.floor(next() * 40), (frame, v) =>
        [0, 1, 2].map((c) => {
          const wave = waves.slice(c * 3, c * 3 + 3)
          const place = wave.reduce((sum, [a, b, d]) => sum + a * Math.sin(b * frame + d + v), 0)
          return jumps ? place + next() * size : place
        }),
      )
      const tolerance = Math.max(size * 10 ** (-1 - next() * 4), 0.00001)
      const bytes = recording.toVAT({ tolerance: Math.min(tolerance, 1) })
      expect(off(bytes, recording, mesh).maxDistance, `run ${run}`).toBeLessThanOrEqual(Math.min(tolerance, 1))
    }
  })

  it('are refused over tolerance, and nothing is reported', () => {
    const [broken] = made(4, 10, (frame, v) => [v, frame === 5 ? NaN : 0, 0])
    expect(refusal(() => broken.toVAT())).toMatchObject({
      code: 'tolerance',
      message: 'made would be up to NaN m and 0 rad off with all its frames, and 0.001 m are allowed',
    })
    expect(broken.report).toBe(null)
    const [wide] = made(4, 10, (frame, v) => [v * 1e6, frame % 2, 0])
    expect(refusal(() => wide.toVAT({ tolerance: 0.001 })).message).toMatch(
      /^made moves in a box of 3000000 m, and a file holds 268435456 steps of 0\.001\d+ m: a larger tolerance would do$/,
    )
  })

  it('are refused for more than a texture holds', () => {
    const [recording, mesh] = made(5000, 2, (frame, v) => [v, frame, 0])
    const frames = 3400
    for (let frame = 2; frame < frames; frame++) {
      mesh.positions.push(mesh.positions[frame % 2]!)
      mesh.normals.push(mesh.normals[0]!)
    }
    const long = new Recording(FPS, frames, recording.meshes)
    expect(refusal(() => long.toVAT())).toMatchObject({
      code: 'tolerance',
      message:
        'made has 5000 vertices in 3400 frames, and a texture of 4096 × 4096 holds 16777216: ' +
        'a larger tolerance may do, or a shorter recording',
    })
  })

  it('are refused for options and attributes that there are not', () => {
    const [recording] = made(4, 3, (frame, v) => [v, frame, 0])
    expect(refusal(() => recording.toVAT({ every: 2 } as VATOptions)).message).toBe(
      'every is no option of toVAT; known: name, tolerance, angle',
    )
    expect(refusal(() => recording.toVAT({ tolerance: 0 })).message).toBe(
      'tolerance must be a number from 0.00001 to 1 (m), got 0',
    )
    expect(refusal(() => recording.toVAT({ angle: 4 })).message).toBe(
      'angle must be a number from 0.0001 to 3.15 (rad), got 4',
    )
    for (const attribute of [
      new Float16BufferAttribute(8, 2),
      new BufferAttribute(new Float64Array(8), 2),
      new BufferAttribute(new Float32Array(20), 5),
    ]) {
      const [odd] = made(4, 3, (frame, v) => [v, frame, 0], new BufferGeometry().setAttribute('uv', attribute))
      const error = refusal(() => odd.toVAT())
      expect(error).toMatchObject({ code: 'invalid-input' })
      expect(error.message).toMatch(/^uv of made must be an attribute of /)
    }
  })
})

it('a file is read from any view of its bytes: of Node, too', async () => {
  const limber = await load()
  const flag = Cloth.grid(limber, { columns: 8, rows: 7, pinned: 'left', floor: null })
  const recording = await bake(flag, { duration: 0.5, drive: (t) => flag.wind.set(4, 0, Math.sin(9 * t)) })
  const file = recording.toVAT()
  const whole = VertexAnimation.parse(file)
  const expected = Array.from(whole.geometry.getAttribute('uv').array)
  expect(expected.length).toBe(8 * 7 * 2)
  for (let offset = 0; offset < 9; offset++) {
    const room = Buffer.alloc(file.length + 16, 0xff)
    room.set(file, offset)
    const view = room.subarray(offset, offset + file.length)
    for (const bytes of [view, new Uint8Array(view.buffer, view.byteOffset, view.length)]) {
      expect(Array.from(VertexAnimation.parse(bytes).geometry.getAttribute('uv').array)).toEqual(expected)
    }
  }
  limber.dispose()
})

it('a flock is read from any view of its bytes, too', async () => {
  const limber = await load()
  const recording = await bake(new Boids(limber, { count: 7 }), { duration: 0.5 })
  const file = recording.toFlockClip()
  const expected = Array.from(FlockClip.parse(file).ids)
  for (let offset = 0; offset < 9; offset++) {
    const room = Buffer.alloc(file.length + 16, 0xff)
    room.set(file, offset)
    expect(Array.from(FlockClip.parse(room.subarray(offset, offset + file.length)).ids)).toEqual(expected)
  }
  limber.dispose()
})
