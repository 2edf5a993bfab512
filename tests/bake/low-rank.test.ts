import { AnimationMixer, Bone, BufferGeometry, Group, Mesh, PlaneGeometry, Quaternion, Vector3 } from 'three'
import { bake, Cloth, JiggleBones, load, type Backend, type Recording as Recorded } from 'limber-node'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// A recording of numbers of our own: the class that `bake` fills.
import { Recording, RecordedMesh } from '../../npm/limber-node/dist/bake/recording.js'
import { randoms } from '../boids/flock.mjs'
import * as walkingCape from '../scenes/cloth-walking-cape.mjs'

/** A sheet of `n × n` vertices whose every coordinate is a sum of random waves, jumps and noise. */
function random(seed: number): { recording: Recorded; extent: number } {
  const next = randoms(seed)
  const n = 2 + Math.floor(next() * 5)
  const frames = 2 + Math.floor(next() * 60)
  const geometry: BufferGeometry = new PlaneGeometry(1, 1, n - 1, n - 1)
  const size = 10 ** (next() * 3 - 2)
  const waves = Array.from({ length: 1 + Math.floor(next() * 5) }, () => ({
    amplitude: size * next(),
    place: [next() * 12, next() * 12],
    speed: next() * 1.5,
    axis: Math.floor(next() * 3),
  }))
  const [noise, jump] = [next() < 0.3 ? size * 0.05 * next() : 0, next() < 0.2 ? Math.floor(next() * frames) : -1]
  const drift = next() < 0.3 ? 20 * next() : 0
  const mesh = new RecordedMesh('sheet', geometry)
  const rest = geometry.getAttribute('position').array as Float32Array
  for (let frame = 0; frame < frames; frame++) {
    const positions = rest.map((number) => number * size)
    for (let v = 0; v < n * n; v++) {
      const [x, y] = [rest[v * 3]!, rest[v * 3 + 1]!]
      for (const { amplitude, place, speed, axis } of waves) {
        positions[v * 3 + axis]! += amplitude * Math.sin(place[0]! * x + place[1]! * y + speed * frame)
      }
      positions[v * 3]! += (drift * frame) / frames + (frame >= jump && jump >= 0 ? size : 0)
      for (let c = 0; c < 3; c++) positions[v * 3 + c]! += noise * (next() - 0.5)
    }
    const normals = new Float32Array(rest.length)
    for (let i = 0; i < normals.length; i += 3) {
      new Vector3(next() - 0.5, next() - 0.5, 2).normalize().toArray(normals, i)
    }
    mesh.record({ positions, normals })
  }
  return { recording: new Recording(30, frames, [mesh]) as Recorded, extent: size }
}

/** The largest distance of what a mesh and its clip show from the recorded positions, by three.js. */
function farthest(recording: Recorded, options: { tolerance: number; maxTargets: number }): number {
  const { positions } = recording.meshes[0]!
  const mesh = new Mesh(recording.toGeometry(options))
  const clip = recording.toAnimationClip(options)
  expect(clip.validate()).toBe(true)
  const mixer = new AnimationMixer(mesh)
  mixer.clipAction(clip).play()
  const [shown, right] = [new Vector3(), new Vector3()]
  let far = 0
  positions.forEach((frame, f) => {
    mixer.setTime(Math.min(f / recording.fps, clip.duration * (1 - 1e-9)))
    for (let v = 0; v < frame.length / 3; v++) {
      far = Math.max(far, mesh.getVertexPosition(v, shown).distanceTo(right.fromArray(frame, v * 3)))
    }
  })
  return far
}

describe('a tolerance is a bound', () => {
  it('for 600 random sheets', () => {
    let [targets, most] = [0, 0]
    for (let seed = 1; seed <= 600; seed++) {
      const { recording, extent } = random(seed)
      const tolerance = Math.min(Math.max(extent * 10 ** (-1 - 2 * randoms(seed)()), 1e-4), 1)
      const options = { tolerance, maxTargets: 200 }
      const far = farthest(recording, options)
      expect(far, `seed ${seed}`).toBeLessThanOrEqual(tolerance + 1e-6)
      most = Math.max(most, far / tolerance)
      targets += recording.toGeometry(options).morphAttributes.position!.length
    }
    // Not by being closer than was asked for.
    expect(most).toBeGreaterThan(0.95)
    expect(targets / 600).toBeLessThan(12)
  })

  it('for 400 random turns of bones', async () => {
    const limber = await load()
    const bounds = { angle: 0.004, distance: 0.002, ratio: 0.003 }
    let [keys, frames] = [0, 0]
    for (let seed = 1; seed <= 400; seed++) {
      const next = randoms(seed)
      const group = new Group()
      const [body, tail] = ['body', 'tail'].map((name) => Object.assign(new Bone(), { name })) as [Bone, Bone]
      group.add(body.add(tail))
      tail.position.set(0, 0.3, 0)
      const jiggle = new JiggleBones(limber, [tail])
      const waves = Array.from({ length: 9 }, () => ({ high: next() * 2, fast: next() * 25, at: next() * 7 }))
      const wave = (i: number, t: number) => waves[i]!.high * Math.sin(waves[i]!.fast * t + waves[i]!.at)
      const jumps = next() < 0.2
      const drive = (t: number) => {
        body.rotation.set(wave(0, t), wave(1, t), wave(2, t) + (jumps && t > 0.5 ? 2 : 0))
        body.position.set(wave(3, t), wave(4, t), wave(5, t))
        body.scale.set(2 + wave(6, t) / 2, 2 + wave(7, t) / 2, 2 + wave(8, t) / 2)
      }
      const recording = await bake(jiggle, { duration: 1, root: group, drive })
      const clip = recording.toAnimationClip(bounds)
      const mixer = new AnimationMixer(group)
      mixer.clipAction(clip).play()
      const right = new Quaternion()
      for (const node of recording.skeletons[0]!.nodes) {
        const bone = group.getObjectByName(node.name)
        if (!bone || !node.animated) continue
        for (let frame = 0; frame < recording.frames; frame++) {
          mixer.setTime(Math.min(frame / 30, clip.duration * (1 - 1e-9)))
          right.fromArray(node.quaternions, frame * 4)
          const rest = right.conjugate().multiply(bone.quaternion)
          const angle = 2 * Math.atan2(Math.hypot(rest.x, rest.y, rest.z), Math.abs(rest.w))
          expect(angle, `seed ${seed}`).toBeLessThanOrEqual(bounds.angle)
          const place = new Vector3().fromArray(node.positions, frame * 3)
          expect(bone.position.distanceTo(place) * node.metres[frame]!).toBeLessThanOrEqual(bounds.distance * 1.0001)
          const size = new Vector3().fromArray(node.scales, frame * 3)
          const off = bone.scale.distanceTo(size) / Math.max(...size.toArray().map(Math.abs))
          expect(off).toBeLessThanOrEqual(bounds.ratio * 1.0001)
        }
      }
      for (const { times } of clip.tracks) keys += times.length
      frames += recording.frames * clip.tracks.length
      jiggle.dispose()
    }
    expect(keys).toBeLessThan(frames * 0.9)
    limber.dispose()
  })
})

describe('small files', () => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  it('a 33 × 33 flag in a strong wind: at most 200 KiB within 1 % of its diagonal', async () => {
    const place = (i: number, j: number, out: Vector3) => out.set((i / 32) * 1.2, 2.6 - (j / 32) * 0.75, 0)
    const flag = Cloth.grid(limber, { columns: 33, rows: 33, pinned: 'left', floor: null, place })
    const drive = (t: number) => flag.wind.set(10 * (1 + 0.3 * Math.sin(2.1 * t)), 0, 3.5 * Math.sin(1.3 * t))
    const recording = await bake({ flag }, { fps: 30, duration: 149 / 30, drive })
    expect(recording.frames).toBe(150)
    const tolerance = 0.01 * Math.hypot(1.2, 0.75)
    const bytes = await recording.toGLB({ tolerance, compression: 'meshopt' })
    expect(bytes.length).toBeLessThanOrEqual(200 * 1024)
    const report = recording.report!
    expect(report.maxError).toBeLessThanOrEqual(tolerance)
    expect(report.targets).toBeLessThanOrEqual(64)
    expect(report.meanNormalError).toBeLessThan(0.1)
    flag.dispose()
  })

  it('K1, K2, K4: the walking cape, 4 s and 20 s: at most 120 KiB within 2 mm, few targets, within 1 mm unless said', async () => {
    const cape = walkingCape.create(limber)
    const short = await bake({ cape }, { duration: 4, drive: (t) => walkingCape.drive(cape, t) })
    const bytes = await short.toGLB({ tolerance: 0.002, compression: 'meshopt' })
    expect(bytes.length).toBeLessThanOrEqual(120 * 1024)
    expect(short.report!.maxError).toBeLessThanOrEqual(0.002)
    await short.toGLB()
    expect(short.report!.maxError).toBeLessThanOrEqual(0.001)

    cape.reset()
    const long = await bake({ cape }, { duration: 599 / 30, drive: (t) => walkingCape.drive(cape, t) })
    expect(long.frames).toBe(600)
    const all = await long.toGLB({ compression: 'meshopt' })
    const { targets, bytes: size, maxError } = long.report!
    expect(targets).toBeLessThanOrEqual(64)
    expect(size).toBe(all.length)
    expect(size).toBeLessThan(120 * 1024)
    expect(maxError).toBeLessThanOrEqual(0.001)
    cape.dispose()
  })
})

it('the fit has the same bits from the addon and the WebAssembly', async () => {
  const script = `
    import { bake, load } from 'limber-node'
    import { createHash } from 'node:crypto'
    import * as cape from './scenes/cloth-walking-cape.mjs'
    const cloth = cape.create(await load())
    const recording = await bake({ cloth }, { duration: 3, drive: (t) => cape.drive(cloth, t) })
    for (const compression of ['none', 'quantize', 'meshopt']) {
      console.log(createHash('sha256').update(await recording.toGLB({ compression })).digest('hex'))
    }`
  const run = async (wasm: string) => {
    const cwd = fileURLToPath(new URL('..', import.meta.url))
    const env = { ...process.env, LIMBER_NODE_FORCE_WASM: wasm }
    const args = ['--input-type=module', '--eval', script]
    return (await promisify(execFile)(process.execPath, args, { cwd, env })).stdout.trim().split('\n')
  }
  const [native, wasm] = [await run('0'), await run('1')]
  expect(native.length).toBe(3)
  expect(wasm).toEqual(native)
  expect(new Set(native).size).toBe(3)
  expect(native[0]).toHaveLength(createHash('sha256').digest('hex').length)
})
