import { FlockClip, LimberError, packRotation, writeFlockFile, type FlockFile } from 'limber'
import {
  Box3,
  BoxGeometry,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  Sphere,
  SphereGeometry,
  Vector3,
  type InstancedMesh,
} from 'three'
import { describe, expect, it } from 'vitest'
import { refusal } from '../../../tests/helpers.mjs'

const HEADER = 144
const about = (x: number, y: number, z: number, radians: number) =>
  new Quaternion().setFromAxisAngle(new Vector3(x, y, z).normalize(), radians)
const packed = (...rotations: Quaternion[]) => Uint32Array.from(rotations, (q) => packRotation(q.toArray(), 0))

/** Three boids of two species at 10 frames a second; places and turns at frames 0, 2 and 3. */
function file(changes: Partial<FlockFile> = {}): FlockFile {
  const straight = new Quaternion()
  return {
    fps: 10,
    frames: 4,
    positionEvery: 2,
    rotationEvery: 2,
    min: [-1, 0, 0],
    max: [1, 1, 0],
    torus: false,
    error: { maxDistance: 0.25, meanDistance: 0.125, maxAngle: 0.5, meanAngle: 0.375 },
    ids: Uint32Array.of(3, 5, 4_000_000_000),
    species: Uint32Array.of(0, 1, 0),
    positions: Uint16Array.of(
      ...[0, 0, 0, 65535, 65535, 0, 6553, 0, 0],
      ...[65535, 32768, 0, 65535, 0, 0, 58982, 0, 0],
      ...[0, 65535, 0, 65535, 65535, 0, 6553, 0, 0],
    ),
    rotations: packed(
      ...[straight, about(0, 1, 0, -1), straight],
      ...[about(0, 0, 1, 1), about(0, 1, 0, 1), straight],
      ...[straight, straight, straight],
    ),
    ...changes,
  }
}

const parse = (changes?: Partial<FlockFile>) => FlockClip.parse(writeFlockFile(file(changes)))
const meshOf = (clip: FlockClip, options = {}) =>
  clip.instancedMesh(new BoxGeometry(), new MeshBasicMaterial(), options) as unknown as InstancedMesh

function poseOf(mesh: InstancedMesh, i: number) {
  const [matrix, at, turn, scale] = [new Matrix4(), new Vector3(), new Quaternion(), new Vector3()]
  mesh.getMatrixAt(i, matrix)
  matrix.decompose(at, turn, scale)
  expect(scale.distanceTo(new Vector3(1, 1, 1))).toBeLessThan(1e-6)
  return { at, turn }
}

function expectAt(mesh: InstancedMesh, i: number, x: number, y: number, z: number) {
  expect(poseOf(mesh, i).at.distanceTo(new Vector3(x, y, z)), `${poseOf(mesh, i).at.toArray()}`).toBeLessThan(5e-5)
}

describe('a flock clip', () => {
  it('says what it holds', () => {
    const clip = parse()
    expect(clip).toMatchObject({ count: 3, fps: 10, duration: 0.3, time: 0, loop: true, disposed: false })
    expect([...clip.ids]).toEqual([3, 5, 4_000_000_000])
    expect([...clip.species]).toEqual([0, 1, 0])
    expect(clip.error).toEqual({ maxDistance: 0.25, meanDistance: 0.125, maxAngle: 0.5, meanAngle: 0.375 })
  })

  it('shows frames that are there, and those between on a straight line and on an arc', () => {
    const clip = parse()
    const mesh = meshOf(clip)
    expect(mesh.count).toBe(3)
    for (const [time, x, y, angle] of [
      [0, -1, 0, 0],
      [0.1, 0, 0.25, 0.5],
      [0.15, 0.5, 0.375, 0.75],
      [0.2, 1, 0.5, 1],
      // The last piece is a single frame.
      [0.25, 0, 0.75, 0.5],
    ] as const) {
      clip.setTime(time)
      expectAt(mesh, 0, x, y, 0)
      expect(poseOf(mesh, 0).turn.angleTo(about(0, 0, 1, angle)), `${time}`).toBeLessThan(0.01)
    }
    clip.setTime(0.1)
    expect(poseOf(mesh, 1).turn.angleTo(new Quaternion())).toBeLessThan(0.005)
    expectAt(mesh, 1, 1, 0.5, 0)
  })

  it('goes on by time, begins anew or stands still at its end', () => {
    const clip = parse()
    const mesh = meshOf(clip)
    clip.update(0.1)
    clip.update(0.1)
    expect(clip.time).toBeCloseTo(0.2, 12)
    clip.update(0.2)
    expect(clip.time).toBeCloseTo(0.1, 12)
    expectAt(mesh, 0, 0, 0.25, 0)
    clip.update(-0.2)
    expect(clip.time).toBeCloseTo(0.2, 12)
    for (const [seconds, time] of [
      [-0.05, 0.25],
      [3e5 + 0.1, 0.1],
      [0, 0],
      [0.3, 0.3],
      [0.3 + 1e-9, 0.3],
      [0.31, 0.01],
      [-0.3, 0],
    ] as const) {
      clip.setTime(seconds)
      expect(clip.time).toBeCloseTo(time, 9)
    }
    // Frame by frame each is shown, the last one too.
    clip.setTime(0)
    const shown = Array.from({ length: 7 }, () => {
      clip.update(0.1)
      return Math.round(clip.time * 1e6) / 1e5
    })
    expect(shown).toEqual([1, 2, 3, 1, 2, 3, 1])
    clip.loop = false
    clip.setTime(7)
    expect(clip.time).toBe(clip.duration)
    expectAt(mesh, 0, -1, 1, 0)
    clip.update(1)
    expect(clip.time).toBe(clip.duration)
    clip.setTime(-1)
    expect(clip.time).toBe(0)
    for (const seconds of [1e300, -1e300]) {
      clip.loop = true
      clip.setTime(seconds)
      expect(clip.time).toBeGreaterThanOrEqual(0)
      expect(clip.time).toBeLessThanOrEqual(clip.duration)
    }
    for (const wrong of [NaN, Infinity, undefined, '1']) {
      const { code, message } = refusal(() => clip.setTime(wrong as number))
      expect([code, message]).toEqual([
        'invalid-input',
        expect.stringMatching(/^seconds must be a finite number \(s\), got /),
      ])
    }
  })

  it('goes round a torus out at one side and in at the other, never across the world', () => {
    const clip = parse({ torus: true })
    const mesh = meshOf(clip)
    // From 0.1 of the way from one side to 0.1 from the other: the shorter way, over the edge in the middle.
    for (const [time, x] of [
      [0, -0.8],
      [0.05, -0.9],
      [0.09, -0.98],
      [0.11, 0.98],
      [0.15, 0.9],
      [0.2, 0.8],
      [0.225, 0.9],
      [0.275, -0.9],
    ] as const) {
      clip.setTime(time)
      expectAt(mesh, 2, x, 0, 0)
    }
    const open = parse()
    const plain = meshOf(open)
    open.setTime(0.1)
    expectAt(plain, 2, 0, 0, 0)
  })

  it('holds coordinates of 32 bits', () => {
    const most = 2 ** 32 - 1
    const clip = parse({
      positions: Uint32Array.from(file().positions, (n) => Math.round((n / 65535) * most)),
      min: [-1e4, 0, 0],
    })
    const mesh = meshOf(clip)
    clip.setTime(0.2)
    expectAt(mesh, 1, 1, 0, 0)
    expect(poseOf(mesh, 2).at.x).toBeCloseTo(Math.fround(-1e4 + (10001 * 58982) / 65535), 3)
  })

  it('shows species by themselves, and keeps bounds true', () => {
    const clip = parse()
    const all = meshOf(clip)
    const ones = meshOf(clip, { species: 0 })
    const other = meshOf(clip, { species: 1 })
    expect([all.count, ones.count, other.count]).toEqual([3, 2, 1])
    const version = ones.instanceMatrix.version
    for (const time of [0, 0.07, 0.2, 0.26]) {
      clip.setTime(time)
      for (const [mesh, boids] of [
        [ones, [0, 2]],
        [other, [1]],
      ] as const) {
        boids.forEach((boid, i) => {
          const [own, its] = [new Matrix4(), new Matrix4()]
          mesh.getMatrixAt(i, own)
          all.getMatrixAt(boid, its)
          expect(own).toEqual(its)
        })
        const [box, sphere] = [mesh.boundingBox!.clone(), mesh.boundingSphere!.clone()]
        mesh.computeBoundingBox()
        mesh.computeBoundingSphere()
        expect(box.clone().expandByScalar(1e-6).containsBox(mesh.boundingBox!)).toBe(true)
        const corners = new Sphere().copy(sphere)
        corners.radius += 1e-6
        expect(mesh.boundingSphere!.center.distanceTo(corners.center)).toBeLessThanOrEqual(corners.radius)
        mesh.boundingBox!.copy(box)
        mesh.boundingSphere!.copy(sphere)
        expect(box.getSize(new Vector3()).length()).toBeLessThan(6)
      }
    }
    expect(ones.instanceMatrix.version).toBe(version + 4)
    const { message } = refusal(() => meshOf(clip, { species: 7 }))
    expect(message).toBe('species must be one of 0, 1, got 7')
    // A ball does not reach further, however it is turned.
    const ball = clip.instancedMesh(new SphereGeometry(0.5), new MeshBasicMaterial(), { species: 1 })
    clip.setTime(0)
    const tight = new Box3(new Vector3(0.5, 0.5, -0.5), new Vector3(1.5, 1.5, 0.5))
    expect(ball.boundingBox!.min.distanceTo(tight.min) + ball.boundingBox!.max.distanceTo(tight.max)).toBeLessThan(1e-6)
  })

  it('leaves meshes that were disposed of alone, and stands still once it is', () => {
    const clip = parse()
    const [gone, kept] = [meshOf(clip), meshOf(clip)]
    gone.dispose()
    const { version } = gone.instanceMatrix
    clip.setTime(0.1)
    expect(gone.instanceMatrix.version).toBe(version)
    clip.dispose()
    clip.dispose()
    expect(clip.disposed).toBe(true)
    expectAt(kept, 0, 0, 0.25, 0)
    for (const use of [() => clip.setTime(0), () => clip.update(1), () => meshOf(clip)]) {
      expect(refusal(use).code).toBe('disposed')
    }
  })

  it('leaves no garbage', () => {
    const boids = 2000
    const clip = parse({
      ids: Uint32Array.from({ length: boids }, (_, i) => i),
      species: new Uint32Array(boids),
      positions: Uint16Array.from({ length: boids * 9 }, (_, i) => (i * 7919) % 65536),
      rotations: Uint32Array.from({ length: boids * 3 }, (_, i) => (i * 2654435761) % 2 ** 32),
    })
    meshOf(clip)
    const run = (frames: number) => {
      for (let i = 0; i < frames; i++) clip.update(1 / 60)
    }
    run(2000)
    let made = Infinity
    for (let round = 0; round < 10 && made > 500; round++) {
      globalThis.gc!()
      const before = process.memoryUsage().heapUsed
      run(500)
      made = Math.min(made, (process.memoryUsage().heapUsed - before) / 500)
    }
    // Of 2,000 boids: nothing is made for each of them.
    expect(made).toBeLessThan(2000)
  })
})

describe('packed rotations', () => {
  it('are off by 0.0048 rad at most', () => {
    let seed = 1
    const random = () => (seed = (seed * 48271) % 2147483647) / 1073741823.5 - 1
    let most = 0
    const check = (q: Quaternion) => {
      const { turn } = poseOf(
        meshOf(
          parse({
            ids: Uint32Array.of(0),
            species: Uint32Array.of(0),
            positions: new Uint16Array(9),
            rotations: packed(q, q, q),
          }),
        ),
        0,
      )
      const near =
        4 *
        Math.asin(
          Math.min(
            ...[1, -1].map((s) => Math.hypot(turn.x - s * q.x, turn.y - s * q.y, turn.z - s * q.z, turn.w - s * q.w)),
          ) / 2,
        )
      most = Math.max(most, near)
    }
    for (let i = 0; i < 3000; i++) check(new Quaternion(random(), random(), random(), random()).normalize())
    for (let i = 0; i < 16; i++) {
      const signs = [1, 2, 4, 8].map((bit) => (i & bit ? -1 : 1)) as [number, number, number, number]
      check(new Quaternion(...signs).normalize())
      // Where the three small ones are as badly rounded as can be.
      check(new Quaternion(...(signs.map((s, c) => s * (c ? 0.4993 : 0.5021)) as typeof signs)).normalize())
      const alone = [0, 0, 0, 0] as typeof signs
      alone[i % 4] = signs[0]
      check(new Quaternion(...alone))
    }
    expect(most).toBeLessThan(0.0048)
    expect(most).toBeGreaterThan(0.004)
  })

  it('hold no rotation without rounding', () => {
    const q = [0, 0, 0, 1]
    const { turn } = poseOf(meshOf(parse({ rotations: new Uint32Array(9).fill(packRotation(q, 0)) })), 1)
    expect(turn.toArray()).toEqual(q)
  })
})

describe('what is no flock clip', () => {
  const bytes = writeFlockFile(file())
  const refused = (given: unknown) => {
    const error = refusal(() => FlockClip.parse(given as Uint8Array))
    expect(error).toBeInstanceOf(LimberError)
    expect(error.code).toBe('invalid-input')
    return error.message
  }

  it('is read from any view, and from a buffer', () => {
    const shifted = new Uint8Array(bytes.length + 3)
    shifted.set(bytes, 1)
    for (const given of [bytes.buffer, shifted.subarray(1, 1 + bytes.length)]) {
      const clip = FlockClip.parse(given)
      const mesh = meshOf(clip)
      clip.setTime(0.1)
      expectAt(mesh, 0, 0, 0.25, 0)
    }
  })

  it('is refused wherever it is cut off, and with bytes too many', () => {
    for (let length = 0; length < bytes.length; length++) {
      const message = refused(bytes.slice(0, length))
      expect(message).toMatch(length < 8 ? /another kind of file/ : /^bytes must be a flock clip, and are cut off/)
    }
    expect(refused(bytes.slice(0, 200))).toBe(`bytes must be a flock clip, and are cut off: 200 of ${bytes.length}`)
    expect(refused(new Uint8Array([...bytes, 0, 0]))).toBe('bytes must be a flock clip, and are 2 too many')
  })

  it('is refused by its kind, its version and its numbers', () => {
    for (const given of [undefined, null, 'x', 5, {}, [...bytes], new Float32Array(99)]) {
      expect(refused(given)).toMatch(/^bytes must be a flock clip, a Uint8Array or an ArrayBuffer, got /)
    }
    expect(refused(new TextEncoder().encode('glTF and more'))).toMatch(/another kind of file$/)
    const version = bytes.slice()
    version[4] = 9
    expect(refused(version)).toBe('bytes must be a flock clip, and are one of version 9, where 1 can be read')
    const numbers = ['boids', 'frames', 'fps', 'positionEvery', 'rotationEvery', 'bits', 'torus', 'min', '', '', 'max']
    for (const [name, values] of [
      ['boids', [0, -1, 0.5, NaN, Infinity]],
      ['frames', [0, 1, 2.5, -4, NaN, Infinity]],
      ['fps', [0, -1, NaN, Infinity]],
      ['positionEvery', [0, 4, 1.5, -1, NaN]],
      ['rotationEvery', [0, 4, 1.5, -1, NaN]],
      ['bits', [0, 8, 17, 64]],
      ['torus', [2, -1, 0.5]],
      ['min', [2, NaN, -Infinity]],
      ['max', [-2, NaN, Infinity]],
    ] as const) {
      for (const value of values) {
        const changed = bytes.slice()
        new DataView(changed.buffer).setFloat64(8 + numbers.indexOf(name) * 8, value, true)
        expect(refused(changed), `${name} ${value}`).toBe(
          'bytes must be a flock clip, and hold numbers that no flock clip has',
        )
      }
    }
    // A number of boids that there is no memory for asks for none.
    const huge = bytes.slice()
    new DataView(huge.buffer).setFloat64(8, 1e15, true)
    expect(refused(huge)).toMatch(/cut off/)
  })

  it('whatever the bytes after the header, it is shown with finite numbers', () => {
    let seed = 7
    for (let round = 0; round < 50; round++) {
      const garbled = bytes.slice()
      for (let i = HEADER; i < garbled.length; i++) garbled[i] = (seed = (seed * 48271) % 2147483647) & 255
      const clip = FlockClip.parse(garbled)
      const mesh = meshOf(clip)
      for (const time of [0, 0.05, 0.13, 0.29]) {
        clip.setTime(time)
        expect((mesh.instanceMatrix.array as Float32Array).every(Number.isFinite)).toBe(true)
      }
    }
  })
})
