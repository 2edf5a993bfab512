import { AnimationMixer, BoxGeometry, Matrix4, Mesh, Vector3, type AnimationClip, type Object3D } from 'three'
import { GLTFLoader, type GLTF } from 'three/addons/loaders/GLTFLoader.js'
import validator from 'gltf-validator'
import { bake, Cloth, LimberError, load as loadNative, type Backend } from 'limber-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { farthest, refusal } from '../helpers.mjs'
import * as flag from '../scenes/cloth-flag.mjs'
import * as walkingCape from '../scenes/cloth-walking-cape.mjs'

/** A file as stock three.js loads it. */
function parse(bytes: Uint8Array<ArrayBuffer>): Promise<GLTF> {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  return new Promise((resolve, reject) => new GLTFLoader().parse(buffer, '', resolve, reject))
}

/** The largest distance of a played mesh from `frames`, metres. */
function furthest(root: Object3D, mesh: Mesh, clip: AnimationClip, frames: Float32Array[], fps: number): number {
  root.updateMatrixWorld(true)
  const mixer = new AnimationMixer(root)
  mixer.clipAction(clip).play()
  const [shown, recorded] = [new Vector3(), new Vector3()]
  let most = 0
  frames.forEach((positions, frame) => {
    // A breath short of the end, where the action would begin anew.
    mixer.setTime(Math.min(frame / fps, clip.duration * (1 - 1e-7)))
    for (let v = 0; v < positions.length / 3; v++) {
      mesh.localToWorld(mesh.getVertexPosition(v, shown))
      most = Math.max(most, shown.distanceTo(recorded.fromArray(positions, v * 3)))
    }
  })
  return most
}

async function expectValid(bytes: Uint8Array): Promise<void> {
  const { issues } = await validator.validateBytes(bytes)
  expect([issues.numErrors, issues.numWarnings], JSON.stringify(issues.messages)).toEqual([0, 0])
}

async function fault(run: Promise<unknown>): Promise<LimberError> {
  const error = await run.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(LimberError)
  return error as LimberError
}

describe.each(Object.entries(backends))('baking on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  it('K1, K4, K5, K8: the walking cape, decoded by GLTFLoader in Node, is within a millimetre', async () => {
    expect(globalThis).not.toHaveProperty('document')
    const cape = walkingCape.create(limber)
    const recording = await bake({ cape }, { fps: 30, duration: 4, drive: (t) => walkingCape.drive(cape, t) })
    const bytes = await recording.toGLB()
    await expectValid(bytes)

    const live = walkingCape.create(limber)
    const frames: Float32Array[] = []
    for (let frame = 0; frame <= 120; frame++) {
      walkingCape.drive(live, frame / 30)
      live.step(frame === 0 ? 0 : 1 / 30)
      frames.push(live.positions.slice())
    }
    expect(recording.meshes[0]!.positions).toEqual(frames)

    const gltf = await parse(bytes)
    const mesh = gltf.scene.getObjectByName('cape') as Mesh
    expect(mesh.geometry.morphAttributes.position!.length).toBeLessThanOrEqual(200)
    expect(mesh.geometry.morphAttributes.normal!.length).toBe(mesh.geometry.morphAttributes.position!.length)
    const { uv } = mesh.geometry.attributes
    expect(Array.from({ length: uv!.count * 2 }, (_, i) => uv!.getComponent(i >> 1, i & 1))).toEqual(
      Array.from(cape.geometry.attributes.uv!.array, (value) => expect.closeTo(value, 4)),
    )
    expect([...mesh.geometry.index!.array]).toEqual([...cape.geometry.index!.array])
    expect(gltf.animations[0]!.duration).toBeCloseTo(4, 5)
    const off = furthest(gltf.scene, mesh, gltf.animations[0]!, frames, 30)
    const { report } = recording
    expect(off).toBeLessThanOrEqual(0.001 + 1e-6)
    expect(report!.maxError).toBeLessThanOrEqual(0.001)
    expect(off).toBeCloseTo(report!.maxError, 5)
    expect(report).toMatchObject({
      bytes: bytes.byteLength,
      frames: 121,
      targets: mesh.geometry.morphAttributes.position!.length,
    })
    expect(report!.meanError).toBeLessThan(report!.maxError)
    for (const cloth of [cape, live]) cloth.dispose()
  })

  it('plays as a clip on its own geometry', async () => {
    const cape = walkingCape.create(limber)
    const recording = await bake(cape, {
      fps: 60,
      duration: 1,
      warmup: 2,
      drive: (t) => walkingCape.drive(cape, t + 2),
    })
    const options = { tolerance: 0.003 }
    const geometry = recording.toGeometry(options)
    const mesh = new Mesh(geometry)
    const clip = recording.toAnimationClip(options)
    expect(clip.validate()).toBe(true)
    expect(furthest(mesh, mesh, clip, recording.meshes[0]!.positions, 60)).toBeLessThanOrEqual(0.003 + 1e-6)
    const targets = geometry.morphAttributes.position!.length
    expect(recording.toGeometry({ tolerance: 0.01 }).morphAttributes.position!.length).toBeLessThan(targets)
    expect(geometry.boundingSphere!.radius).toBeGreaterThan(0.4)
    cape.dispose()
  })

  it('stands at t when it records t: warm-up, odd rates and slow ones', async () => {
    for (const [fps, warmup, duration] of [
      [24, 0.5, 1],
      [60, 1, 0.5],
      [7, 1, 2],
      [144, 0, 0.25],
    ] as const) {
      const sheet = flag.create(limber)
      const times: number[] = []
      const progress: [number, number][] = []
      const recording = await bake(sheet, {
        fps,
        warmup,
        duration,
        drive(t) {
          times.push(t)
          flag.drive(sheet, t)
        },
        onProgress: (done, total) => void progress.push([done, total]),
      })
      const frames = Math.round(duration * fps) + 1
      const warm = Math.round(warmup * fps)
      expect(recording.frames).toBe(frames)
      expect(recording.meshes[0]!.positions.length).toBe(frames)
      expect(progress.length).toBe(frames + warm)
      expect(progress.at(-1)).toEqual([frames + warm, frames + warm])
      expect(times[0]).toBe(-warm / fps)
      expect(times.at(-1)).toBeCloseTo(recording.duration, 9)
      // So that a call owes at most two steps.
      expect(times.length).toBe((frames + warm - 1) * Math.ceil(60 / fps / 2) + 1)
      expect(sheet.time).toBeCloseTo(Math.floor((warm / fps + recording.duration) * 60 + 1e-6) / 60, 9)
      sheet.dispose()
    }
  })

  it('keeps as few targets as the tolerance allows, and says what would be needed for fewer', async () => {
    const sheet = flag.create(limber)
    const recording = await bake(sheet, { fps: 60, duration: 3, warmup: 3, drive: (t) => flag.drive(sheet, t + 6) })
    const targets: number[] = []
    for (const tolerance of [0.0005, 0.002, 0.01, 0.05]) {
      const bytes = await recording.toGLB({ tolerance })
      await expectValid(bytes)
      targets.push(recording.report!.targets)
      expect(recording.report!.maxError).toBeLessThanOrEqual(tolerance)
      expect(recording.report!.maxError).toBeGreaterThan(tolerance / 10)
    }
    expect(targets).toEqual([...targets].sort((a, b) => b - a))
    expect(new Set(targets).size).toBe(4)

    const error = await fault(recording.toGLB({ maxTargets: 20 }))
    expect(error.code).toBe('tolerance')
    const needed = Number(/a tolerance of ([\d.]+) m/.exec(error.message)![1])
    expect(needed).toBeGreaterThan(0.001)
    await recording.toGLB({ maxTargets: 20, tolerance: needed })
    // Not far above the least.
    expect((await fault(recording.toGLB({ maxTargets: 20, tolerance: needed * 0.7 }))).code).toBe('tolerance')
    expect(recording.report!.targets).toBeLessThanOrEqual(20)
    expect(() => recording.toAnimationClip({ maxTargets: 20 })).toThrow(error.message)

    for (const [options, message] of [
      [{ maxTargets: 201 }, /^maxTargets must be a number from 1 to 200, got 201$/],
      [{ maxTargets: 0 }, /^maxTargets must be/],
      [{ tolerance: 0 }, /^tolerance must be a number from 0.00001 to 1 \(m\), got 0$/],
      [{ tolerance: NaN }, /^tolerance must be/],
      [{ name: 3 }, /^name must be a string, got 3$/],
      [{ tolerence: 1 }, /^tolerence is no option of toGLB; known: tolerance, maxTargets, name, compression$/],
      [{ compression: 'zip' }, /^compression must be none or quantize or meshopt, got "zip"$/],
      [null, /^options must be an object, got null$/],
      [0.01, /^options must be an object, got 0.01$/],
    ] as const) {
      expect((await fault(recording.toGLB(options as never))).message).toMatch(message)
    }
    expect(refusal(() => recording.toAnimationClip({ name: 'a' } as never)).message).toBe(
      'name is no option of toAnimationClip; known: tolerance, maxTargets',
    )
    expect(refusal(() => recording.toGeometry({ fps: 3 } as never)).message).toBe(
      'fps is no option of toGeometry; known: tolerance, maxTargets, name',
    )
    sheet.dispose()
  })

  it('writes several simulations, with their groups, colours and lost vertices', async () => {
    const geometry = new BoxGeometry(0.4, 0.4, 0.4, 3, 3, 3)
    const box = Cloth.fromGeometry(limber, geometry, { floor: 0, matrix: new Matrix4().makeTranslation(0, 0.5, 0) })
    const sheet = flag.create(limber)
    const recording = await bake({ box, flag: sheet }, { duration: 1, drive: (t) => flag.drive(sheet, t) })
    const bytes = await recording.toGLB({ name: 'both' })
    await expectValid(bytes)
    const gltf = await parse(bytes)
    expect(gltf.animations.map(({ name }) => name)).toEqual(['both'])
    const parts = gltf.scene.getObjectByName('box')!.children as Mesh[]
    expect(parts.length).toBe(6)
    for (const { name, positions } of recording.meshes) {
      const found = gltf.scene.getObjectByName(name)!
      const mesh = (found.children[0] ?? found) as Mesh
      expect(furthest(gltf.scene, mesh, gltf.animations[0]!, positions, 30)).toBeLessThanOrEqual(0.001 + 1e-6)
    }
    expect(recording.report!.meshes.map(({ name }) => name)).toEqual(['box', 'flag'])
    expect(recording.toAnimationClip().tracks.map(({ name }) => name)).toEqual([
      'box.morphTargetInfluences',
      'flag.morphTargetInfluences',
    ])
    expect(recording.toGeometry({ name: 'box' }).groups.length).toBe(6)
    expect(() => recording.toGeometry()).toThrow(/^name must be one of box, flag/)
    for (const cloth of [box, sheet]) cloth.dispose()
  })

  it('waits for what drive promises, and takes whatever else it returns', async () => {
    const sheet = flag.create(limber)
    let waiting = false
    const late = async () => {
      expect(waiting).toBe(false)
      waiting = true
      await new Promise((done) => setTimeout(done))
      waiting = false
    }
    await bake(sheet, { duration: 0.2, drive: late })
    expect(waiting).toBe(false)
    // As it is most shortly written: this is checked by the compiler.
    sheet.onFixedStep = (time) => sheet.wind.set(time, 0, 0)
    await bake(sheet, { duration: 0.1, drive: (t) => sheet.wind.set(t, 0, 0), onProgress: (done) => done })
    sheet.dispose()
  })

  it('can be called off, and the simulations go on', async () => {
    const sheet = flag.create(limber)
    const controller = new AbortController()
    const reason = new Error('enough')
    const onProgress = (done: number) => done === 5 && controller.abort(reason)
    await expect(bake(sheet, { duration: 10, signal: controller.signal, onProgress })).rejects.toBe(reason)
    expect(sheet.time).toBeCloseTo(4 / 30, 9)
    await expect(bake(sheet, { duration: 10, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    // From outside, too: baking leaves room for other work.
    const later = new AbortController()
    setTimeout(() => later.abort(reason))
    await expect(bake(sheet, { duration: 3600, signal: later.signal })).rejects.toBe(reason)
    expect(sheet.step(1 / 30)).toBe(2)
    sheet.dispose()
  })

  it('names what it refuses', async () => {
    const sheet = flag.create(limber)
    for (const [subjects, options, message] of [
      [sheet, { duration: 0 }, /^duration must be a number from .* to 3600 \(s\), got 0$/],
      [sheet, {}, /^duration must be .* got undefined$/],
      [sheet, { duration: 1, fps: 0 }, /^fps must be a number from 1 to 240 \(1\/s\), got 0$/],
      [sheet, { duration: 1, fps: NaN }, /^fps must be/],
      [sheet, { duration: 1, warmup: -1 }, /^warmup must be a number from 0 to 3600/],
      [
        sheet,
        { duration: 1, root: null },
        /^root is no option of bake; known: fps, duration, warmup, loop, drive, onProgress, signal$/,
      ],
      [
        sheet,
        { duration: 1, loop: 'fade' },
        /^loop must be 'crossfade', 'periodic', true, false or seconds to fade over, got "fade"$/,
      ],
      [sheet, undefined, /^options must be an object/],
      [sheet, { duration: 1, drive: 5 }, /^drive must be a function, got 5$/],
      [sheet, { duration: 1, onProgress: {} }, /^onProgress must be a function, got an object$/],
      [sheet, { duration: 1, signal: true }, /^signal must be an AbortSignal, got true$/],
      [[], { duration: 1 }, /^bake takes at least one simulation$/],
      [undefined, { duration: 1 }, /^bake takes at least one simulation$/],
      [{ a: {} }, { duration: 1 }, /^simulations\.a must be a Cloth, JiggleBones, Ragdoll or Boids, got an object$/],
      [{ 'a.b': sheet }, { duration: 1 }, /^the name "a\.b" must be/],
    ] as const) {
      const error = await fault(bake(subjects as never, options as never))
      expect(error.message).toMatch(message)
      expect(error.code).toBe('invalid-option')
    }
    expect(sheet.time).toBe(0)
    const thrown = new Error('from drive')
    await expect(bake(sheet, { duration: 1, drive: () => Promise.reject(thrown) })).rejects.toBe(thrown)
    sheet.dispose()
    expect((await fault(bake(sheet, { duration: 1 }))).code).toBe('disposed')
  })
})

describe('the same bits', () => {
  it('from the addon, its pool, and the WebAssembly', async () => {
    const files: Uint8Array[] = []
    for (const load of Object.values(backends)) {
      const limber = await load()
      const cape = walkingCape.create(limber)
      const recording = await bake(cape, { duration: 2, drive: (t) => walkingCape.drive(cape, t) })
      files.push(await recording.toGLB())
      limber.dispose()
    }
    expect(files[1]).toEqual(files[0])
    expect(files[2]).toEqual(files[0])
  })

  it("while the caller's thread is free for others", async () => {
    const limber = await loadNative()
    expect(limber.target).toBe('native')
    const sheet = Cloth.grid(limber, { columns: 128, rows: 128, pinned: 'top', iterations: 100, floor: null })
    let turns = 0
    const timer = setInterval(() => (turns += 1))
    await bake(sheet, { duration: 1 })
    clearInterval(timer)
    expect(turns).toBeGreaterThan(10)
    expect(farthest(sheet.positions, sheet.positions)).toBe(0)
    limber.dispose()
  })
})
