import { BoxGeometry, BufferAttribute, PlaneGeometry, type Mesh } from 'three'
import { GLTFLoader, type GLTF } from 'three/addons/loaders/GLTFLoader.js'
import validator from 'gltf-validator'
import { bake, Cloth, LimberError, type Backend, type Recording } from 'limber-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { refusal } from '../helpers.mjs'

async function fault(run: Promise<unknown>): Promise<LimberError> {
  const error = await run.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(LimberError)
  return error as LimberError
}

/** The written file's meshes, each as the vertices of its triangles; the file must be valid. */
async function written(recording: Recording): Promise<number[][]> {
  const bytes = await recording.toGLB()
  const { issues } = await validator.validateBytes(bytes)
  expect([issues.numErrors, issues.numWarnings], JSON.stringify(issues.messages)).toEqual([0, 0])
  const gltf = await new Promise<GLTF>((resolve, reject) => new GLTFLoader().parse(bytes.buffer, '', resolve, reject))
  const found: number[][] = []
  gltf.scene.traverse((object) => {
    if ((object as Mesh).isMesh) found.push([...(object as Mesh).geometry.index!.array])
  })
  return found
}

describe.each(Object.entries(backends))('what baking refuses on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  const sheet = () => Cloth.grid(limber, { columns: 4, rows: 4, pinned: 'top', floor: null })
  const short = { duration: 1 / 15 }

  it('writes the triangles that three.js draws, or all where these are none', async () => {
    const all = [...sheet().geometry.index!.array]
    for (const [groups, range, expected] of [
      [[], [0, Infinity], [all]],
      [[[0, 0]], [0, Infinity], [all]],
      [
        [
          [0, 2],
          [all.length, 6],
          [600, 3],
        ],
        [0, Infinity],
        [all],
      ],
      [
        [
          [0, 0],
          [6, 12],
        ],
        [0, Infinity],
        [all.slice(6, 18)],
      ],
      [[[0, Infinity]], [0, Infinity], [all]],
      [[], [6, 12], [all.slice(6, 18)]],
      [[], [6, Infinity], [all.slice(6)]],
      [
        [
          [0, 12],
          [12, 12],
        ],
        [6, 12],
        [all.slice(6, 12), all.slice(12, 18)],
      ],
      [
        [
          [0, 12],
          [12, 12],
        ],
        [0, 12],
        [all.slice(0, 12)],
      ],
      [[], [0, 0], [all]],
      [[[0, 12]], [12, 6], [all]],
    ] as const) {
      const cloth = sheet()
      groups.forEach(([start, count], i) => cloth.geometry.addGroup(start, count, i))
      cloth.geometry.setDrawRange(range[0], range[1])
      const recording = await bake(cloth, short)
      expect(await written(recording), JSON.stringify([groups, range])).toEqual(expected)
      const { drawRange } = recording.toGeometry()
      expect([drawRange.start, drawRange.count]).toEqual(range)
      cloth.dispose()
    }
    const bare = sheet()
    bare.geometry.setIndex([])
    const recording = await bake(bare, short)
    expect((await fault(recording.toGLB())).message).toBe('cloth.geometry has no triangles')
    bare.dispose()
  })

  it('the draw range of a geometry without an index', async () => {
    const geometry = new BoxGeometry(1, 1, 1).toNonIndexed()
    geometry.clearGroups()
    geometry.setDrawRange(6, 12)
    const cloth = Cloth.fromGeometry(limber, geometry)
    cloth.geometry.setDrawRange(6, 12)
    expect(await written(await bake(cloth, short))).toEqual([Array.from({ length: 12 }, (_, i) => i + 6)])
    cloth.dispose()
  })

  it('a simulation that is given twice, is being recorded, or is paused', async () => {
    const [a, b] = [sheet(), sheet()]
    for (const subjects of [[a, a], [b, a, a], { x: a, y: b, z: a }]) {
      const error = await fault(bake(subjects, short))
      expect(error.code).toBe('invalid-option')
      expect(error.message).toMatch(/^simulations\.(cloth0|cloth1|x) is given more than once$/)
    }
    const first = bake([a], short)
    for (const subjects of [a, [b, a]]) {
      const error = await fault(bake(subjects, short))
      expect(error.code).toBe('invalid-option')
      expect(error.message).toMatch(/^simulations\.cloth1? is being recorded by another bake/)
    }
    // One that is not may be, at the same time, and the refused call has not marked it.
    const second = await bake(b, short)
    expect((await first).meshes[0]!.positions).toEqual(second.meshes[0]!.positions)
    // However it ends, it may be recorded again.
    await bake(a, short)
    await expect(bake(a, { ...short, drive: () => Promise.reject(new Error('no')) })).rejects.toThrow('no')
    await expect(bake(a, { ...short, signal: AbortSignal.abort(new Error('off')) })).rejects.toThrow('off')
    await bake({ a, b }, short)
    // From within its own drive, too.
    let inner: Promise<LimberError> | undefined
    await bake(a, { ...short, drive: () => void (inner ??= fault(bake(a, short))) })
    expect((await inner!).message).toMatch(/is being recorded by another bake/)

    b.paused = true
    const { time } = a
    const error = await fault(bake({ a, b }, short))
    expect([error.code, error.message]).toEqual([
      'invalid-option',
      'simulations.b is paused, and would stand still: set paused = false',
    ])
    expect(a.time).toBe(time)
    b.paused = false
    await bake({ a, b }, short)
    for (const cloth of [a, b]) cloth.dispose()
  })

  it('fewer targets than a long way takes at a fine tolerance', async () => {
    const cloth = sheet()
    const drive = (t: number) => void cloth.wind.set(0, 5 * Math.sin(5 * t), 4)
    const recording = await bake(cloth, { duration: 1, drive })
    const error = await fault(recording.toGLB({ maxTargets: 1, tolerance: 0.00001 }))
    expect(error.code).toBe('tolerance')
    const metres = /than 1 morph targets .*: a tolerance of ([\d.]+) m would do/.exec(error.message)?.[1]
    await recording.toGLB({ maxTargets: 1, tolerance: Number(metres) })
    cloth.dispose()
  })

  it('no loop for being short: it fades over a frame at least', async () => {
    for (const [fps, duration] of [
      [1, 1],
      [30, 1 / 30],
    ] as const) {
      for (const loop of [true, 'crossfade', 'periodic'] as const) {
        const cloth = sheet()
        const { meshes, frames } = await bake(cloth, { fps, duration, loop, drive: (t) => cloth.wind.set(0, 0, 4 + t) })
        expect([frames, meshes[0]!.positions[1]]).toEqual([2, meshes[0]!.positions[0]])
        cloth.dispose()
      }
    }
  })

  it('callbacks, signals and options of a wrong type', async () => {
    const cloth = sheet()
    const wrong = [5, 'x', {}, [], null, true]
    for (const name of ['drive', 'onProgress', 'signal']) {
      for (const value of name === 'signal' ? [...wrong, () => {}] : wrong) {
        const error = await fault(bake(cloth, { ...short, [name]: value }))
        expect(error.code).toBe('invalid-option')
        expect(error.message).toMatch(
          new RegExp(`^${name} must be ${name === 'signal' ? 'an AbortSignal' : 'a function'}, got `),
        )
      }
    }
    for (const name of ['fps', 'duration', 'warmup']) {
      for (const value of ['1', {}, [], null, true, 1n]) {
        const error = await fault(bake(cloth, { ...short, [name]: value }))
        expect([error.code, error.message.startsWith(`${name} must be a number`)]).toEqual(['invalid-option', true])
      }
    }
    for (const options of [undefined, null, 5, 'x', [], () => {}]) {
      expect((await fault(bake(cloth, options as never))).message).toMatch(/^options must be an object, got /)
    }
    for (const subjects of [null, 5, 'x', [null], [5], { a: 'x' }, () => {}]) {
      expect((await fault(bake(subjects as never, short))).code).toBe('invalid-option')
    }
    expect(cloth.time).toBe(0)

    const recording = await bake(cloth, short)
    for (const [name, run] of [
      ['toGLB', (options) => fault(recording.toGLB(options as never))],
      ['toAnimationClip', (options) => refusal(() => recording.toAnimationClip(options as never))],
      ['toGeometry', (options) => refusal(() => recording.toGeometry(options as never))],
    ] as [string, (options: unknown) => LimberError | Promise<LimberError>][]) {
      for (const options of [null, 5, 'x', [], () => {}]) {
        expect((await run(options)).message, name).toMatch(/^options must be an object, got /)
      }
      const known = `tolerance, maxTargets${{ toGLB: ', name, compression', toGeometry: ', name' }[name] ?? ''}`
      expect((await run({ tolerence: 1 })).message).toBe(`tolerence is no option of ${name}; known: ${known}`)
      for (const key of ['tolerance', 'maxTargets']) {
        for (const value of ['1', null, {}, NaN, Infinity]) {
          expect((await run({ [key]: value })).message).toMatch(new RegExp(`^${key} must be a number from `))
        }
      }
      if (known.includes('name')) {
        for (const value of [5, null, {}]) expect((await run({ name: value })).message).toMatch(/^name must be /)
      }
    }
    expect(recording.report).toBeNull()
    cloth.dispose()
  })

  it('colours and texture coordinates that a file cannot hold', async () => {
    for (const [key, itemSize, count, value, message] of [
      ['color', 3, 16, NaN, 'must hold finite numbers, got NaN'],
      ['color', 4, 16, Infinity, 'must hold finite numbers, got Infinity'],
      ['uv', 2, 16, NaN, 'must hold finite numbers, got NaN'],
      ['uv2', 2, 16, -Infinity, 'must hold finite numbers, got -Infinity'],
      ['color', 1, 16, 1, 'must have 3 or 4 numbers for each of 16 vertices, got 1 for 16'],
      ['color', 3, 15, 1, 'must have 3 or 4 numbers for each of 16 vertices, got 3 for 15'],
      ['uv', 3, 16, 1, 'must have 2 numbers for each of 16 vertices, got 3 for 16'],
    ] as const) {
      const cloth = Cloth.fromGeometry(limber, new PlaneGeometry(1, 1, 3, 3), { floor: null })
      const numbers = new Float32Array(count * itemSize).fill(0.5)
      numbers[7] = value
      cloth.geometry.setAttribute(key, new BufferAttribute(numbers, itemSize))
      const recording = await bake({ cape: cloth }, short)
      const error = await fault(recording.toGLB())
      expect([error.code, error.message]).toEqual(['invalid-input', `cape.geometry.attributes.${key} ${message}`])
      // Once mended, the recording is as good as any.
      recording.meshes[0]!.geometry.deleteAttribute(key)
      expect((await written(recording)).length).toBe(1)
      cloth.dispose()
    }
  })
})
