import {
  AnimationMixer,
  Bone,
  BufferAttribute,
  BufferGeometry,
  ConeGeometry,
  Group,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Object3D,
  Quaternion,
  Vector3,
  type AnimationClip,
} from 'three'
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'
import validator from 'gltf-validator'
import {
  bake,
  Boids,
  Cloth,
  FlockClip,
  JiggleBones,
  LimberError,
  type Backend,
  type BoidsSetup,
  type RecordedFlock,
  type Recording,
} from 'limber-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { refusal } from '../helpers.mjs'

const FPS = 30

const [WIDTH, HEIGHT, FASTEST] = [1, 0.9, 0.6]
/** A small world in which boids are fast, and often go round it. */
const TORUS: BoidsSetup = {
  count: 40,
  dimensions: 2,
  seed: 7,
  bounds: { kind: 'torus', min: [0, 0], max: [WIDTH, HEIGHT] },
  speed: { min: 0.4, max: FASTEST },
}
const BOX: BoidsSetup = { count: 60, seed: 3, bounds: { kind: 'box', min: [-1, -0.5, -1], max: [1, 0.5, 1] } }

/** Looks along +z, and is one part. */
function arrow() {
  const geometry = new ConeGeometry(0.01, 0.04, 5).rotateX(Math.PI / 2)
  geometry.clearGroups()
  return geometry
}

function angleBetween(a: Quaternion, b: Quaternion): number {
  const rest = a.clone().conjugate().multiply(b)
  return 2 * Math.atan2(Math.hypot(rest.x, rest.y, rest.z), Math.abs(rest.w))
}

/** From one place to another, around a torus the shorter way. */
function wayTo(from: Vector3, to: Vector3, { around }: Pick<RecordedFlock, 'around'>): Vector3 {
  const way = to.clone().sub(from)
  around?.forEach((size, c) => {
    const there = way.getComponent(c)
    if (size > 0) way.setComponent(c, there - Math.round(there / size) * size)
  })
  return way
}

const placeAt = ({ positions }: RecordedFlock, frame: number, boid: number) =>
  new Vector3().fromArray(positions[frame]!, boid * 3)
const turnAt = ({ quaternions }: RecordedFlock, frame: number, boid: number) =>
  new Quaternion().fromArray(quaternions[frame]!, boid * 4)

/** How often a boid went round. */
function rounds(flock: RecordedFlock): number {
  let found = 0
  for (let frame = 1; frame < flock.positions.length; frame++) {
    for (let i = 0; i < flock.ids.length; i++) {
      const [a, b] = [placeAt(flock, frame - 1, i), placeAt(flock, frame, i)]
      if (a.distanceTo(b) > 2 * wayTo(a, b, flock).length() + 1e-6) found += 1
    }
  }
  return found
}

async function expectValid(bytes: Uint8Array) {
  const { issues } = await validator.validateBytes(bytes)
  expect([issues.numErrors, issues.numWarnings], JSON.stringify(issues.messages)).toEqual([0, 0])
}

/** A file as stock three.js loads it. */
function parse(bytes: Uint8Array<ArrayBuffer>) {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  return new GLTFLoader().parseAsync(buffer, '')
}

/** Plays a clip on `root`, and holds it against the recording. */
function expectPlayed(root: Object3D, clip: AnimationClip, flock: RecordedFlock, distance: number, angle: number) {
  const nodes = [...flock.ids].map((id) => root.getObjectByName(`boid-${id}`)!)
  const mixer = new AnimationMixer(root)
  mixer.clipAction(clip).play()
  let [way, turn] = [0, 0]
  // A breath short of the end, where the action would begin anew.
  const setTime = (time: number) => mixer.setTime(Math.min(time, clip.duration * (1 - 1e-7)))
  flock.positions.forEach((_, frame) => {
    setTime(frame / FPS)
    nodes.forEach((node, i) => {
      way = Math.max(way, node.position.distanceTo(placeAt(flock, frame, i)))
      turn = Math.max(turn, angleBetween(node.quaternion, turnAt(flock, frame, i)))
    })
  })
  expect(way).toBeLessThanOrEqual(distance + 1e-6)
  expect(turn).toBeLessThanOrEqual(angle)

  // Between frames nobody is far from the straight way, the shorter way round: nobody flies through the world.
  for (let frame = 1; frame < flock.positions.length; frame++) {
    for (const share of [0.1, 0.3, 0.49, 0.51, 0.7, 0.9]) {
      setTime((frame - 1 + share) / FPS)
      nodes.forEach((node, i) => {
        const from = placeAt(flock, frame - 1, i)
        const there = from.clone().addScaledVector(wayTo(from, placeAt(flock, frame, i), flock), share)
        expect(wayTo(node.position, there, flock).length()).toBeLessThanOrEqual(distance + 1e-6)
      })
    }
  }
}

describe.each(Object.entries(backends))('baking boids on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  async function record(setup: BoidsSetup, duration = 2, warmup = 0): Promise<Recording> {
    const boids = new Boids(limber, setup)
    const recording = await bake(boids, { fps: FPS, duration, warmup })
    boids.dispose()
    return recording
  }

  it.each([
    ['a torus', TORUS],
    ['a box', BOX],
  ])('records %s as it is live, with the same bits', async (_, setup) => {
    const boids = new Boids(limber, setup)
    const drive = (flock: Boids) => (t: number) => {
      flock.repellers.splice(0, 1, { position: [0.2 + 0.3 * t, 0.3, 0] })
    }
    const recording = await bake(boids, { fps: FPS, duration: 1.5, warmup: 0.5, drive: drive(boids) })
    const live = new Boids(limber, setup)
    const [flock] = recording.flocks
    expect(flock!.name).toBe('boids')
    expect([flock!.ids, flock!.species]).toEqual([live.ids, live.species])
    expect(recording.frames).toBe(46)
    expect(flock!.positions.length).toBe(46)
    for (let frame = -15; frame < 46; frame++) {
      drive(live)(frame / FPS)
      live.step(frame === -15 ? 0 : 1 / FPS)
      if (frame < 0) continue
      expect(flock!.positions[frame]).toEqual(live.positions)
      for (let i = 0; i < live.ids.length; i++) {
        const turned = new Matrix4()
          .makeRotationFromQuaternion(turnAt(flock!, frame, i))
          .setPosition(placeAt(flock!, frame, i))
        turned.elements.forEach((n, k) => expect(Math.abs(n - live.matrices[i * 16 + k]!)).toBeLessThan(1e-6))
      }
    }
    for (const one of [boids, live]) one.dispose()
  })

  it.each<[string, BoidsSetup, { distance?: number; angle?: number }]>([
    ['a torus, which they go round', TORUS, {}],
    ['a box, closely', BOX, { distance: 0.0001, angle: 0.001 }],
    ['one boid', { ...TORUS, count: 1 }, {}],
  ])('plays %s, from a file and from a clip', async (_, setup, closely) => {
    const recording = await record(setup, 3)
    const flock = recording.flock()
    if (setup.count! > 1) expect(rounds(flock) > 20).toBe(setup.dimensions === 2)
    const distance = closely.distance ?? (setup.dimensions === 2 ? WIDTH / 1000 : 0.002)
    const angle = closely.angle ?? 0.02
    const bytes = await recording.toGLB({ ...closely, geometry: arrow(), name: 'school' })
    const { report } = recording
    await expectValid(bytes)
    const file = await parse(bytes)
    const root = file.scene.getObjectByName('boids')!
    expect(root.children.map(({ name }) => name)).toEqual([...flock.ids].map((id) => `boid-${id}`))
    const meshes = root.children as Mesh[]
    expect(new Set(meshes.map(({ geometry }) => geometry)).size).toBe(1)
    expect([...meshes[0]!.geometry.getAttribute('position').array]).toEqual([...arrow().getAttribute('position').array])
    expect(file.animations.map(({ name }) => name)).toEqual(['school'])
    expect(file.animations[0]!.validate()).toBe(true)
    expect(file.animations[0]!.duration).toBeCloseTo(3, 6)
    expectPlayed(file.scene, file.animations[0]!, flock, distance, angle)

    const clip = recording.toAnimationClip(closely)
    expect(clip.validate()).toBe(true)
    expect(clip.duration).toBe(3)
    expect(clip.tracks.length).toBe(flock.ids.length * 2)
    const plain = new Group()
    for (const id of flock.ids) plain.add(Object.assign(new Object3D(), { name: `boid-${id}` }))
    expectPlayed(plain, clip, flock, distance, angle)

    const [own] = report!.skeletons
    expect(report).toMatchObject({ bytes: bytes.byteLength, frames: 91, targets: 0, meshes: [], flocks: [] })
    expect(own).toMatchObject({ name: 'boids', tracks: flock.ids.length * 2, maxRatio: 0 })
    expect(own!.keys).toBe(clip.tracks.reduce((sum, { times }) => sum + times.length, 0))
    expect(own!.maxDistance).toBeLessThanOrEqual(distance)
    expect(report!.maxAngle).toBeLessThanOrEqual(angle)
    expect(report!.meanAngle).toBeLessThan(report!.maxAngle)
  })

  it.each([
    ['a torus in 2D', { ...TORUS, count: 110 }, {}, 16],
    ['a box', BOX, {}, 16],
    ['a ball', { count: 30, bounds: { kind: 'sphere', center: [5, 0, 0], radius: 0.5 } }, {}, 16],
    ['one boid', { ...TORUS, count: 1 }, {}, 16],
    ['one that is shown within a micrometre', { ...BOX, count: 5 }, { distance: 0.000001 }, 32],
    ['3,000 boids', { count: 3000, seed: 5, bounds: { kind: 'torus', min: [-1, -1, -1], max: [1, 1, 1] } }, {}, 16],
    ['all frames of it', BOX, { thin: false }, 16],
  ] as [string, BoidsSetup, object, number][])(
    'a flock clip of %s is within its error',
    async (_, setup, options, bits) => {
      const recording = await record(setup, 2, 1)
      const flock = recording.flock()
      const bytes = recording.toFlockClip(options)
      const clip = FlockClip.parse(bytes)
      expect(clip).toMatchObject({
        count: flock.ids.length,
        fps: FPS,
        duration: 2,
        ids: flock.ids,
        species: flock.species,
      })
      const mesh = clip.instancedMesh(arrow(), new MeshBasicMaterial())
      clip.loop = false
      const [matrix, turn] = [new Matrix4(), new Quaternion()]
      const error = { maxDistance: 0, meanDistance: 0, maxAngle: 0, meanAngle: 0 }
      flock.positions.forEach((_, frame) => {
        clip.setTime(frame / FPS)
        for (let i = 0; i < clip.count; i++) {
          mesh.getMatrixAt(i, matrix)
          const distance = wayTo(new Vector3().setFromMatrixPosition(matrix), placeAt(flock, frame, i), flock).length()
          const angle = angleBetween(turn.setFromRotationMatrix(matrix), turnAt(flock, frame, i))
          error.maxDistance = Math.max(error.maxDistance, distance)
          error.maxAngle = Math.max(error.maxAngle, angle)
          error.meanDistance += distance / clip.count / recording.frames
          error.meanAngle += angle / clip.count / recording.frames
        }
      })
      for (const key of ['maxDistance', 'meanDistance', 'maxAngle', 'meanAngle'] as const) {
        expect(Math.abs(clip.error[key] - error[key]), key).toBeLessThan(1e-7)
      }
      const { min, max } = flock.world
      const allowed = { distance: Math.max(...max.map((n, c) => n - min[c]!)) / 1000, angle: 0.02, ...options }
      expect(clip.error.maxDistance).toBeLessThanOrEqual(allowed.distance)
      expect(clip.error.maxAngle).toBeLessThanOrEqual(allowed.angle)
      const { report } = recording
      expect(report).toMatchObject({
        bytes: bytes.byteLength,
        frames: 61,
        maxAngle: clip.error.maxAngle,
        skeletons: [],
      })
      expect(report!.flocks).toEqual([{ ...report!.flocks[0], name: 'boids', boids: clip.count, ...clip.error }])
      const { positionEvery, rotationEvery } = report!.flocks[0]!
      const rows = (every: number) => Math.ceil(60 / every) + 1
      const each = 8 + rows(rotationEvery) * 4 + (rows(positionEvery) * 3 * bits) / 8
      expect(bytes.byteLength).toBe(144 + clip.count * each)
      if ('thin' in options) expect([positionEvery, rotationEvery]).toEqual([1, 1])
      else if (clip.count === 3000) expect(positionEvery).toBeGreaterThan(1)
    },
  )

  it('a torus is gone round, not crossed, by a clip with few frames', async () => {
    const recording = await record(TORUS, 4)
    const flock = recording.flock()
    const clip = FlockClip.parse(recording.toFlockClip({ distance: 0.01 }))
    expect(recording.report!.flocks[0]!.positionEvery).toBeGreaterThan(5)
    const mesh = clip.instancedMesh(arrow(), new MeshBasicMaterial())
    const matrix = new Matrix4()
    let last: Vector3[] = []
    for (let time = 0; time < 4; time += 1 / 120) {
      clip.setTime(time)
      const places = Array.from({ length: clip.count }, (_, i) => {
        mesh.getMatrixAt(i, matrix)
        return new Vector3().setFromMatrixPosition(matrix)
      })
      for (const [i, place] of places.entries()) {
        expect(place.x >= 0 && place.x <= WIDTH && place.y >= 0 && place.y <= HEIGHT).toBe(true)
        if (last.length)
          expect(wayTo(last[i]!, place, flock).length()).toBeLessThanOrEqual((FASTEST * 1.01) / 120 + 5e-5)
      }
      last = places
    }
  })

  it('species are shown by themselves, and flocks by their names', async () => {
    const species = [{ count: 30 }, { count: 4, hunts: [0], speed: 1.4 }]
    const [prey, birds] = [new Boids(limber, { species }), new Boids(limber, { count: 7 })]
    const cloth = Cloth.grid(limber, { columns: 4, rows: 4, pinned: 'top', floor: null })
    const recording = await bake({ prey, birds, cloth }, { duration: 0.5 })
    expect(recording.flocks.map(({ name }) => name)).toEqual(['prey', 'birds'])
    const clip = FlockClip.parse(recording.toFlockClip({ name: 'prey' }))
    expect(clip.instancedMesh(arrow(), new MeshBasicMaterial(), { species: 1 }).count).toBe(4)
    expect(refusal(() => recording.toFlockClip()).message).toBe('name must be one of prey, birds, got undefined')
    const bytes = await recording.toGLB({ geometry: arrow() })
    await expectValid(bytes)
    const { scene } = await parse(bytes)
    expect(scene.children.map(({ name }) => name)).toEqual(['cloth', 'prey', 'birds'])
    expect(scene.children.map(({ children }) => children.length)).toEqual([0, 34, 7])
    expect(recording.report!.skeletons.map(({ name }) => name)).toEqual(['prey', 'birds'])
    // No two nodes share a name, and the clip moves those of the file.
    const names = scene.children.flatMap(({ children }) => children.map(({ name }) => name))
    expect(new Set(names).size).toBe(41)
    expect(names).toEqual([
      ...Array.from({ length: 34 }, (_, i) => `prey-boid-${i}`),
      ...Array.from({ length: 7 }, (_, i) => `birds-boid-${i}`),
    ])
    const both = recording.toAnimationClip()
    expect(new Set(both.tracks.map(({ name }) => name.split('.')[0]))).toEqual(new Set(['cloth', ...names]))
    const mixer = new AnimationMixer(scene)
    mixer.clipAction(both).play()
    mixer.setTime(0.2)
    const at = (flock: number, i: number) =>
      new Vector3().fromArray(recording.flocks[flock]!.positions[Math.round(0.2 * recording.fps)]!, i * 3)
    for (const [flock, name] of [
      [0, 'prey-boid-3'],
      [1, 'birds-boid-3'],
    ] as const) {
      expect(scene.getObjectByName(name)!.position.distanceTo(at(flock, 3))).toBeLessThan(0.003)
    }
    expect(recording.toAnimationClip({ name: 'birds' }).tracks.length).toBe(14)
    for (const one of [prey, birds, cloth]) one.dispose()
  })

  it('takes any geometry that a file can hold', async () => {
    const recording = await record({ ...TORUS, count: 3 }, 0.2)
    const triangle = new BufferGeometry().setFromPoints([
      new Vector3(0, 0, 1),
      new Vector3(1, 0, 0),
      new Vector3(-1, 0, 0),
    ])
    triangle.setAttribute('color', new BufferAttribute(Float32Array.of(2, 0, 0, 0, 1, 0, 0, -1, 1), 3))
    const before = Object.keys(triangle.attributes)
    const bytes = await recording.toGLB({ geometry: triangle })
    await expectValid(bytes)
    const file = await parse(bytes)
    const { geometry } = file.scene.getObjectByName('boid-2') as Mesh
    expect([...geometry.getAttribute('color').array]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1])
    expect([...geometry.getAttribute('normal').array].map(Math.abs)).toEqual([0, 1, 0, 0, 1, 0, 0, 1, 0])
    expect(Object.keys(triangle.attributes)).toEqual(before)
    // Without one they are empty.
    const empty = await recording.toGLB()
    await expectValid(empty)
    expect('isMesh' in (await parse(empty)).scene.getObjectByName('boid-2')!).toBe(false)

    const fault = async (geometry: unknown) =>
      recording.toGLB({ geometry } as never).then(
        () => expect.unreachable(),
        ({ code, message }: LimberError) => [code, message],
      )
    expect(await fault(5)).toEqual(['invalid-option', 'geometry must be a BufferGeometry, got 5'])
    expect(await fault(new Mesh())).toEqual(['invalid-option', 'geometry must be a BufferGeometry, got an object'])
    expect(await fault(new BufferGeometry())).toEqual(['invalid-input', 'geometry has no positions'])
    triangle.setAttribute('position', new BufferAttribute(Float32Array.of(NaN, 0, 0, 1, 0, 0, 0, 1, 0), 3))
    expect(await fault(triangle)).toEqual([
      'invalid-input',
      'geometry.attributes.position must hold finite numbers, got NaN',
    ])
  })

  it('refuses what cannot be recorded or written, and says what would do', async () => {
    const many = await record({ count: 501 }, 0.1)
    const message = 'boids has 501 boids, and as nodes there may be 500 at most: toFlockClip() takes any number'
    await expect(many.toGLB()).rejects.toMatchObject({ code: 'invalid-input', message })
    expect(refusal(() => many.toAnimationClip())).toMatchObject({ code: 'invalid-input', message })
    expect(FlockClip.parse(many.toFlockClip()).count).toBe(501)
    // They do not stand in the way of what is recorded with them.
    const [crowd, few] = [new Boids(limber, { count: 501 }), new Boids(limber, { count: 2 })]
    const both = await bake({ crowd, few }, { duration: 0.1 })
    expect(both.toAnimationClip({ name: 'few' }).tracks.length).toBe(4)
    await expectValid(await (await record({ count: 500 }, 0.1)).toGLB())

    const bare = new Boids(limber, { count: 3, matrices: false })
    await expect(bake({ fish: bare }, { duration: 1 })).rejects.toMatchObject({
      code: 'invalid-option',
      message: 'simulations.fish has no matrices, and so no rotations: make the boids with matrices: true',
    })
    const boids = new Boids(limber, { count: 5 })
    await expect(bake(boids, { duration: 1, loop: true } as never)).rejects.toThrow(
      'loop is not for boids: a flock does not repeat itself',
    )
    const [body, tail] = [new Bone(), new Bone()].map((bone, i) => Object.assign(bone, { name: `bone${i}` })) as [
      Bone,
      Bone,
    ]
    body.add(tail.translateY(0.2))
    const jiggle = new JiggleBones(limber, [{ bones: tail }])
    await expect(bake({ jiggle, boids }, { duration: 1, loop: true })).rejects.toMatchObject({
      code: 'invalid-option',
      message: 'loop is not for boids: a flock does not repeat itself',
    })
    const drive = (t: number) => {
      if (t > 0.5) boids.bounds = { kind: 'torus', min: [0, 0, 0], max: [3, 3, 3] }
    }
    await expect(bake({ fish: boids }, { duration: 1, drive })).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringMatching(/^simulations\.fish had its torus changed/),
    })

    const recording = await record(BOX, 0.5)
    for (const [options, code, text] of [
      [
        { tolerance: 1 },
        'invalid-option',
        /^tolerance is no option of toFlockClip; known: name, angle, distance, thin$/,
      ],
      [{ distance: 0 }, 'invalid-option', /^distance must be a number from 0.000001 to 1 \(m\), got 0$/],
      [{ angle: 1 }, 'invalid-option', /^angle must be a number from 0.00001 to 0.1 \(rad\), got 1$/],
      [{ thin: 1 }, 'invalid-option', /^thin must be true or false, got 1$/],
      [{ name: 'fish' }, 'invalid-option', /^name must be one of boids, got "fish"$/],
      [null, 'invalid-option', /^options must be an object, got null$/],
      [
        { angle: 0.001 },
        'tolerance',
        /^boids would be up to .* m and 0.00\d+ rad off with all its frames, and .* m and 0.001 rad are allowed$/,
      ],
    ] as [object, string, RegExp][]) {
      const error = refusal(() => recording.toFlockClip(options))
      expect([error.code, error.message]).toEqual([code, expect.stringMatching(text)])
    }
    expect(refusal(() => recording.toAnimationClip({ ratio: 0.1 })).message).toBe(
      'ratio is no option of toAnimationClip; known: angle, distance, name',
    )
    const cloth = Cloth.grid(limber, { columns: 4, rows: 4, pinned: 'top', floor: null })
    const sheet = await bake(cloth, { duration: 0.1 })
    expect(refusal(() => sheet.toFlockClip()).message).toBe('there is no flock: no boids were recorded')
    for (const one of [crowd, few, bare, boids, jiggle, cloth]) one.dispose()
  })
})

it('the addon, its pool and the WebAssembly bake the same bytes', async () => {
  const files: Uint8Array[][] = []
  for (const load of Object.values(backends)) {
    const limber = await load()
    const boids = new Boids(limber, { ...TORUS, count: 100 })
    const recording = await bake(boids, { fps: FPS, duration: 1 })
    files.push([recording.toFlockClip(), await recording.toGLB({ geometry: arrow() })])
    limber.dispose()
  }
  expect(files[1]).toEqual(files[0])
  expect(files[2]).toEqual(files[0])
})
