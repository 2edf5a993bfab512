import {
  AnimationMixer,
  BufferAttribute,
  BufferGeometry,
  Matrix4,
  Quaternion,
  Vector3,
  type AnimationClip,
  type Bone,
  type Mesh,
  type Object3D,
  type SkinnedMesh,
} from 'three'
import { bakeScene, Cloth, JiggleBones, type Backend, type SceneOptions } from 'limber-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../backends.mjs'
import { angleBetween } from '../jiggle/chain.mjs'
import {
  bareVRM,
  COLUMNS,
  expectValid,
  fault,
  hero,
  images,
  model,
  packed,
  parse,
  PNG,
  ROWS,
  taken,
  WALK,
} from './scene-models.js'

const FPS = 30
const TOLERANCE = 0.002
const ANGLE = 0.00087

/** Where the vertices of a morphed mesh are shown. */
function shownAt(mesh: Mesh): Float64Array {
  mesh.updateWorldMatrix(true, false)
  const place = new Vector3()
  const count = mesh.geometry.getAttribute('position').count
  const out = new Float64Array(count * 3)
  for (let v = 0; v < count; v++) mesh.localToWorld(mesh.getVertexPosition(v, place)).toArray(out, v * 3)
  return out
}

/** The largest distance of two lists of vertices. */
function apart(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length)
  let most = 0
  for (let i = 0; i < a.length; i += 3) {
    most = Math.max(most, Math.hypot(a[i]! - b[i]!, a[i + 1]! - b[i + 1]!, a[i + 2]! - b[i + 2]!))
  }
  return most
}

/** Calls `look` at each frame of a clip. */
function play(root: Object3D, clip: AnimationClip, frames: number, look: (frame: number) => void): void {
  const mixer = new AnimationMixer(root)
  mixer.clipAction(clip).play()
  for (let frame = 0; frame < frames; frame++) {
    mixer.setTime(Math.min(frame / FPS, clip.duration * (1 - 1e-7)))
    root.updateMatrixWorld(true)
    look(frame)
  }
}

function bonesOf(root: Object3D): Bone[] {
  const bones: Bone[] = []
  root.traverse((object) => void ('isBone' in object && bones.push(object as Bone)))
  return bones
}

/** Where a skinned mesh shows a vertex. */
function skinned(mesh: SkinnedMesh, vertex: number): Vector3 {
  const place = new Vector3().fromBufferAttribute(mesh.geometry.getAttribute('position'), vertex)
  const [indices, weights] = [mesh.geometry.getAttribute('skinIndex'), mesh.geometry.getAttribute('skinWeight')]
  const sum = new Vector3()
  for (let c = 0; c < 4; c++) {
    const bone = mesh.skeleton.bones[indices.getComponent(vertex, c)]!
    bone.updateWorldMatrix(true, false)
    const matrix = new Matrix4().multiplyMatrices(
      bone.matrixWorld,
      mesh.skeleton.boneInverses[indices.getComponent(vertex, c)]!,
    )
    sum.addScaledVector(place.clone().applyMatrix4(matrix), weights.getComponent(vertex, c))
  }
  return sum
}

const CAPE = { technique: 'cloth', mesh: 'Cape', pinned: { attribute: 'COLOR_0', above: 0.5 } } as const
const HAIR = { technique: 'jiggle', bones: ['Hair.1'], stiffness: 0.03, multiplier: 1.3 } as const

describe.each(Object.entries(backends))('baking scenes on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  async function baked(file: Uint8Array, options: SceneOptions, to: object = {}) {
    const scene = await bakeScene(limber, file, options)
    try {
      const bytes = await scene.toGLB(to)
      await expectValid(bytes, file)
      return { bytes, recording: scene.recording, report: scene.recording.report! }
    } finally {
      scene.dispose()
    }
  }

  it.each([1, 0.01])('cape and hair are those of a loop by hand, of an armature of scale %d', async (scale) => {
    const file = await hero({ scale })
    const [warm, frames] = [15, 37]
    const { bytes, report } = await baked(
      file,
      {
        clip: 'Walk',
        warmup: warm / FPS,
        simulations: {
          cape: {
            ...CAPE,
            wind: [0.5, 0, -2],
            options: { iterations: 12 },
            colliders: [{ kind: 'capsule', a: [0, 0, 0], b: [0, 0.3, 0], radius: 0.1, follow: 'Spine' }],
          },
          hair: HAIR,
        },
      },
      { tolerance: TOLERANCE },
    )
    // By hand.
    const { scene, animations } = await parse(file)
    const clip = animations.find(({ name }) => name === 'Walk')!
    const bone = (name: string) => scene.getObjectByName(name) as Bone
    const mesh = scene.getObjectByName('Cape') as SkinnedMesh
    scene.updateMatrixWorld(true)
    const jiggle = new JiggleBones(limber, [{ bones: bone('Hair1'), stiffness: 0.03, multiplier: 1.3 }])
    const mixer = new AnimationMixer(scene)
    mixer.clipAction(clip).play()
    const at = (t: number) => {
      mixer.setTime(Math.min(Math.max(t, 0), clip.duration * (1 - 1e-7)))
      scene.updateMatrixWorld(true)
    }
    at(0)
    const spine = new Matrix4().multiplyMatrices(bone('Spine').matrixWorld, mesh.skeleton.boneInverses[1]!)
    const rest = mesh.geometry.clone().deleteAttribute('skinIndex').deleteAttribute('skinWeight')
    const top = Array.from({ length: COLUMNS }, (_, i) => i)
    const cape = Cloth.fromGeometry(limber, rest, {
      matrix: spine,
      pinned: top,
      iterations: 12,
      floor: null,
      wind: [0.5, 0, -2],
      colliders: [{ kind: 'capsule', a: [0, 0, 0], b: [0, 0.3, 0], radius: 0.1, follow: bone('Spine') }],
    })
    const bones = bonesOf(scene)
    const live: { positions: Float32Array; normals: Float32Array; poses: Quaternion[] }[] = []
    for (let frame = -warm; frame < frames; frame++) {
      at(frame / FPS)
      jiggle.step(frame === -warm ? 0 : 1 / FPS)
      top.forEach((vertex) => skinned(mesh, vertex).toArray(cape.pins.targets, vertex * 3))
      cape.step(frame === -warm ? 0 : 1 / FPS)
      if (frame < 0) continue
      live.push({
        positions: cape.positions.slice(),
        normals: cape.normals.slice(),
        poses: bones.map(({ quaternion }) => quaternion.clone()),
      })
    }
    // As a page shows it.
    const page = await parse(bytes)
    const motion = page.animations.find(({ name }) => name === 'baked')!
    expect(motion.validate()).toBe(true)
    expect(page.animations.map(({ name }) => name)).toEqual(['Walk', 'Nod', 'baked'])
    const shown = page.scene.getObjectByName('Cape') as Mesh
    expect('isSkinnedMesh' in shown).toBe(false)
    expect(shown.parent).toBe(page.scene)
    let [far, turned, moved] = [0, 0, 0]
    play(page.scene, motion, frames, (frame) => {
      const { positions, poses } = live[frame]!
      far = Math.max(far, apart(shownAt(shown), positions))
      moved = Math.max(moved, apart(positions, live[0]!.positions))
      bones.forEach(({ name }, b) => {
        turned = Math.max(turned, angleBetween(page.scene.getObjectByName(name)!.quaternion, poses[b]!))
      })
    })
    expect(moved).toBeGreaterThan(0.05)
    expect(far).toBeLessThanOrEqual(TOLERANCE * 1.0001)
    expect(turned).toBeLessThanOrEqual(ANGLE * 1.0001)
    expect(report.maxError).toBeLessThanOrEqual(TOLERANCE)
    expect(report.maxError).toBeGreaterThan(0)
    const normal = shown.geometry.getAttribute('normal')
    const normals = Array.from({ length: normal.count * 3 }, (_, i) => normal.getComponent(Math.floor(i / 3), i % 3))
    // Of 8 bits.
    expect(apart(normals, live[0]!.normals)).toBeLessThan(Math.sqrt(3) / 254 + 1e-6)
    expect(shown.geometry.morphAttributes.normal!.length).toBe(shown.geometry.morphAttributes.position!.length)
    // What is painted is a mark; uvs and looks stay.
    expect(Object.keys(shown.geometry.attributes).sort()).toEqual(['normal', 'position', 'uv'])
    expect((shown.material as { name: string }).name).toBe('Velvet')
    jiggle.dispose()
    cape.dispose()
  })

  it('the animation plays alone: it has what else the clip moves', async () => {
    const { bytes } = await baked(await hero(), { clip: 'Walk', simulations: { cape: CAPE } }, { tolerance: 0.005 })
    const page = await parse(bytes)
    const motion = page.animations.find(({ name }) => name === 'baked')!
    const walk = page.animations.find(({ name }) => name === 'Walk')!
    const names = motion.tracks.map(({ name }) => name).sort()
    expect(names).toEqual([...walk.tracks.map(({ name }) => name), 'Cape.morphTargetInfluences'].sort())
    // The clip's own numbers are there once.
    const { json } = taken(bytes)
    const [a, b] = [json.animations[0].samplers, json.animations.at(-1).samplers]
    expect(b.filter((s: any) => a.some((t: any) => t.output === s.output)).length).toBe(a.length)
  })

  it('a clip is cut off where the recording ends, and repeated where it loops', async () => {
    const file = await hero()
    const short = await baked(file, { clip: 'Walk', duration: 0.7, simulations: { hair: HAIR } })
    const twice = await baked(file, { clip: 'Walk', duration: WALK * 2, loop: true, simulations: { hair: HAIR } })
    for (const [{ bytes }, duration] of [
      [short, 0.7],
      [twice, WALK * 2],
    ] as const) {
      const page = await parse(bytes)
      const motion = page.animations.find(({ name }) => name === 'baked')!
      expect(motion.duration).toBeCloseTo(duration, 5)
      expect(motion.validate()).toBe(true)
      const face = page.scene.getObjectByName('Face') as Mesh
      play(page.scene, motion, Math.round(duration * FPS), (frame) => {
        const place = ((frame / FPS) % WALK) / WALK
        const [low, share] = [Math.floor(place * 12), (place * 12) % 1]
        const key = (i: number) => 0.5 + 0.5 * Math.sin((2 * Math.PI * i) / 12)
        expect(face.morphTargetInfluences![0]).toBeCloseTo(key(low) * (1 - share) + key(low + 1) * share, 4)
      })
    }
  })

  it('halves of a cape are one cloth, and split again', async () => {
    const options = { clip: 'Walk', simulations: { cape: CAPE } }
    const whole = await baked(await hero(), options, { tolerance: 0.005 })
    const halves = await baked(await hero({ halves: true }), options, { tolerance: 0.005 })
    const page = await parse(halves.bytes)
    const meshes = page.scene.getObjectByName('Cape')!.children as Mesh[]
    expect(meshes.map(({ geometry }) => geometry.getAttribute('position').count)).toEqual([4 * ROWS, 4 * ROWS])
    expect(halves.report.maxError).toBeLessThanOrEqual(0.005)
    let seam = 0
    const motion = page.animations.find(({ name }) => name === 'baked')!
    expect(motion.validate()).toBe(true)
    play(page.scene, motion, 37, (frame) => {
      const [left, right] = meshes.map(shownAt) as [Float64Array, Float64Array]
      for (let j = 0; j < ROWS; j++) {
        const place = (list: Float64Array, i: number) => Array.from(list.subarray((j * 4 + i) * 3, (j * 4 + i) * 3 + 3))
        seam = Math.max(seam, apart(place(left, 3), place(right, 0)))
      }
      expect(frame).toBeLessThan(37)
    })
    // Each half keeps its vertices within the tolerance, and the seam is one place.
    expect(seam).toBeLessThan(1e-6)
    const [a, b] = [whole.recording.mesh().positions.at(-1)!, halves.recording.mesh().positions.at(-1)!]
    // The same cloth, whose links are solved in another order.
    expect(apart(a.subarray(0, 3), b.subarray(0, 3))).toBeLessThan(1e-6)
    expect(apart(a.subarray(-3), b.subarray(-3))).toBeLessThan(0.1)
  })

  it.each([
    ['numbers', Array.from({ length: COLUMNS }, (_, i) => i)],
    ['the top', { top: 0.05 }],
    ['a box', { box: { min: [-1, 1.4, -1], max: [1, 2, 1] } }],
    ['a bone', { bone: 'Neck', weight: 0.29 }],
    ['paint', { attribute: 'COLOR_0' }],
  ] as const)('pins by %s', async (kind, pinned) => {
    const scene = await bakeScene(limber, await hero(), {
      duration: 0.5,
      simulations: { cape: { ...CAPE, pinned: pinned as never } },
    })
    const { positions } = scene.recording.mesh()
    const still = Array.from({ length: COLUMNS * ROWS }, (_, v) => v).filter(
      (v) => apart(positions[0]!.subarray(v * 3, v * 3 + 3), positions.at(-1)!.subarray(v * 3, v * 3 + 3)) === 0,
    )
    expect(still.length).toBe(kind === 'a bone' ? COLUMNS * 4 : COLUMNS)
    scene.dispose()
  })

  it('without a skin it follows its own node, or another, and begins where a loop does', async () => {
    const file = await hero({ rigid: true })
    for (const attach of [undefined, 'Head']) {
      const { bytes, recording } = await baked(
        file,
        {
          clip: 'Walk',
          loop: true,
          warmup: 1,
          simulations: { cape: { ...CAPE, ...(attach && { attach }) }, hair: HAIR },
        },
        { tolerance: 0.005 },
      )
      const { scene, animations } = await parse(file)
      const node = scene.getObjectByName(attach ?? 'Cape')!
      const mesh = scene.getObjectByName('Cape') as Mesh
      const mixer = new AnimationMixer(scene)
      mixer.clipAction(animations[0]!).play()
      mixer.setTime(0)
      scene.updateMatrixWorld(true)
      const corner = new Vector3().fromBufferAttribute(mesh.geometry.getAttribute('position'), 0)
      const local = node.worldToLocal(mesh.localToWorld(corner))
      let far = 0
      // Before the end fades into the beginning.
      for (let frame = 0; frame < 20; frame++) {
        mixer.setTime(frame / FPS)
        scene.updateMatrixWorld(true)
        far = Math.max(
          far,
          apart(node.localToWorld(local.clone()).toArray(), recording.mesh().positions[frame]!.subarray(0, 3)),
        )
      }
      expect(far).toBeLessThan(1e-5)
      const page = await parse(bytes)
      expect(page.scene.getObjectByName('Cape')!.parent).toBe(page.scene)
      // The same at the end as at the beginning.
      const { positions } = recording.mesh()
      expect(apart(positions[0]!, positions.at(-1)!)).toBe(0)
    }
  })

  it('quantised positions are read as what they stand for', async () => {
    const file = await hero({ quantized: true })
    const { recording } = await baked(file, { clip: 'Walk', simulations: { cape: CAPE } }, { tolerance: 0.01 })
    const { scene, animations } = await parse(file)
    const mixer = new AnimationMixer(scene)
    mixer.clipAction(animations[0]!).play()
    mixer.setTime(0)
    const mesh = scene.getObjectByName('Cape') as SkinnedMesh
    for (let v = 0; v < COLUMNS; v++) {
      const at = recording.mesh().positions[0]!.subarray(v * 3, v * 3 + 3)
      expect(apart(skinned(mesh, v).toArray(), at)).toBeLessThan(1e-6)
    }
  })

  it('a node that holds others, or whose mesh is shown twice, leaves them as they are', async () => {
    const { json, binary } = taken(await hero({ rigid: true }))
    const place = json.nodes.findIndex(({ name }: any) => name === 'Cape')
    json.nodes[place].children = [json.nodes.push({ name: 'Brooch' }) - 1]
    json.scenes[0].nodes.push(
      json.nodes.push({ name: 'Spare', mesh: json.nodes[place].mesh, translation: [3, 1, 0] }) - 1,
    )
    const { bytes } = await baked(
      packed(json, binary),
      { clip: 'Walk', simulations: { cape: CAPE } },
      { tolerance: 0.01 },
    )
    const { scene, animations } = await parse(bytes)
    const node = (name: string) => scene.getObjectByName(name)!
    expect(node('Brooch').parent).toBe(node('Cape'))
    expect(node('Cape').parent).toBe(node('Spine'))
    expect('isMesh' in node('Cape')).toBe(false)
    expect(node('Cape_cloth').parent).toBe(scene)
    expect((node('Cape_cloth') as Mesh).morphTargetInfluences!.length).toBeGreaterThan(0)
    expect((node('Spare') as Mesh).morphTargetInfluences).toBeUndefined()
    expect((node('Spare') as Mesh).geometry.getAttribute('color')).toBeDefined()
    expect(animations.at(-1)!.tracks.map(({ name }) => name)).toContain('Cape_cloth.morphTargetInfluences')
  })

  it('a file of several scenes with the same nodes is that of the one that is shown', async () => {
    const { json, binary } = taken(await hero())
    json.scenes.push({ ...json.scenes[0], name: 'again' })
    const options = { clip: 'Walk', simulations: { cape: CAPE } }
    const { bytes, report } = await baked(packed(json, binary), options, { tolerance: 0.01 })
    expect(taken(bytes).json.scenes).toHaveLength(2)
    expect(report.maxError).toBeLessThanOrEqual(0.01)
  })

  it('bones whose names are others too are told apart by their places', async () => {
    const { json, binary } = taken(await hero())
    json.scenes[0].nodes.unshift(json.nodes.push({ name: 'Hair.2' }) - 1)
    const { bytes, report } = await baked(packed(json, binary), { clip: 'Walk', simulations: { hair: HAIR } })
    expect(report.maxAngle).toBeLessThanOrEqual(ANGLE)
    const after = taken(bytes).json
    const moved = new Set(after.animations.at(-1).channels.map(({ target }: any) => target.node))
    const hairs = after.nodes.flatMap(({ name }: any, i: number) => (name === 'Hair.2' ? [i] : []))
    expect(hairs.map((i: number) => moved.has(i))).toEqual([true, false])
  })

  it('tells how far it is, and stops when it is told to', async () => {
    const file = await hero()
    const options = { clip: 'Walk', simulations: { hair: HAIR } }
    const told: number[] = []
    const scene = await bakeScene(limber, file, options, { onProgress: (done, all) => void told.push(done / all) })
    scene.dispose()
    expect(told.length).toBe(37)
    expect(told.at(-1)).toBe(1)
    const stop = new AbortController()
    const run = bakeScene(limber, file, options, {
      signal: stop.signal,
      onProgress: () => stop.abort(new Error('enough')),
    })
    await expect(run).rejects.toThrow('enough')
  })

  it('seeds differ and repeat', async () => {
    const file = await hero()
    const bytes = async (seed: number) => {
      const wind = { base: [0, 0, -3], gust: 2, period: 0.8 } as const
      const options = { clip: 'Walk', seed, simulations: { cape: { ...CAPE, wind }, hair: { ...HAIR, wind } } }
      return (await baked(file, options, { tolerance: 0.01 })).bytes
    }
    const [one, again, two] = [await bytes(1), await bytes(1), await bytes(2)]
    expect(Buffer.compare(one, again)).toBe(0)
    expect(Buffer.compare(one, two)).not.toBe(0)
  })

  it('a robot jiggles and falls, and its file stays', async () => {
    const file = await model('RobotExpressive.glb')
    const jiggle = await baked(file, {
      clip: 'Walking',
      loop: true,
      warmup: 1,
      simulations: {
        head: { technique: 'jiggle', bones: ['Head', ['UpperArmL', 'LowerArmL']], limit: { kind: 'cone', angle: 0.5 } },
      },
    })
    expect(jiggle.recording.skeletons[0]!.nodes.filter(({ swings }) => swings).map(({ name }) => name)).toContain(
      'LowerArmL',
    )
    const fall = await baked(file, {
      clip: 'Running',
      duration: 1.5,
      simulations: {
        fall: { technique: 'ragdoll', hit: { at: 0.25, point: [0, 1.2, 0.1], impulse: [1, 1, -5] }, getUpAt: 1.2 },
      },
    })
    for (const { bytes } of [jiggle, fall]) {
      const page = await parse(bytes)
      expect(page.animations.at(-1)!.name).toBe('baked')
      expect(page.animations.at(-1)!.validate()).toBe(true)
      expect(page.animations.length).toBe(15)
      const { json } = taken(bytes)
      expect(json.meshes).toEqual(taken(file).json.meshes)
      expect(json.materials).toEqual(taken(file).json.materials)
    }
    // It fell, and got up again.
    const page = await parse(fall.bytes)
    const head = page.scene.getObjectByName('Head')!
    const heights: number[] = []
    play(page.scene, page.animations.at(-1)!, 46, () => void heights.push(head.getWorldPosition(new Vector3()).y))
    expect(Math.min(...heights)).toBeLessThan(heights[0]! / 2)
    expect(heights.at(-1)).toBeGreaterThan(Math.min(...heights) * 1.2)
  })

  it('CesiumMan falls by a map, and keeps his picture byte for byte', async () => {
    const file = await model('CesiumMan.glb')
    const { bytes } = await baked(file, {
      clip: taken(file).json.animations[0].name ?? 'animation_0',
      duration: 1,
      simulations: {
        fall: { technique: 'ragdoll', limpAt: 0.2, hit: [{ at: 0.4, point: [0, 1, 0], impulse: [0, 0, -3] }] },
      },
    })
    expect(images(bytes)).toEqual(images(file))
    expect(images(bytes).length).toBe(1)
  })

  it('springs of VRM files', async () => {
    for (const name of ['vrm-sphere-collider.gltf', 'vrm-plane-collider.gltf', 'vrm-inside-collider.gltf']) {
      const file = await bareVRM(name)
      const { bytes, recording } = await baked(file, {
        duration: 1,
        simulations: { springs: { technique: 'jiggle', bones: 'vrm', gravity: [0, -9.8, 0] } },
      })
      expect(recording.skeletons[0]!.nodes.filter(({ swings }) => swings).length).toBe(4)
      expect(taken(bytes).json.extensions).toEqual(taken(file).json.extensions)
    }
  })

  it('a cape on a file with extensions of others keeps them, and what they name', async () => {
    const { json, binary } = taken(await hero({ textured: true }))
    const springs = {
      specVersion: '1.0',
      springs: [
        {
          joints: ['Hair.1', 'Hair.2', 'Hair.3'].map((name) => ({
            node: json.nodes.findIndex((n: any) => n.name === name),
          })),
        },
      ],
    }
    json.extensionsUsed = ['VRMC_springBone', 'VRMC_materials_mtoon', 'VENDOR_tag']
    json.extensions = { VRMC_springBone: springs }
    // A texture that nothing else names comes first: places would change.
    json.textures.unshift({ source: 0, name: 'shade' })
    json.materials[0].pbrMetallicRoughness.baseColorTexture.index = 1
    json.materials[0].extensions = { VRMC_materials_mtoon: { specVersion: '1.0', shadeMultiplyTexture: { index: 0 } } }
    json.nodes[0].extensions = { VENDOR_tag: { tag: 7 } }
    const file = packed(json, binary)
    const { bytes } = await baked(
      file,
      { clip: 'Walk', simulations: { cape: CAPE, hair: { technique: 'jiggle', bones: 'vrm', multiplier: 1.2 } } },
      { tolerance: 0.01 },
    )
    const after = taken(bytes).json
    expect(after.extensions).toEqual(json.extensions)
    expect(after.materials).toEqual(json.materials)
    expect(after.textures).toEqual(json.textures)
    expect(after.extensionsUsed.sort()).toEqual(['KHR_mesh_quantization', ...json.extensionsUsed].sort())
    expect(after.nodes[0].extensions).toEqual(json.nodes[0].extensions)
    for (const { node } of springs.springs[0]!.joints) expect(after.nodes[node].name).toBe(json.nodes[node].name)
    expect(images(bytes)).toEqual([PNG])
  })

  it('a texture stays byte for byte, and uvs and looks with it', async () => {
    const file = await hero({ textured: true })
    const { bytes } = await baked(file, { clip: 'Nod', simulations: { cape: CAPE } }, { tolerance: 0.01 })
    expect(images(bytes)).toEqual([PNG])
    const { json } = taken(bytes)
    const cape = json.meshes.find(({ name }: any) => name === 'CapeMesh')
    expect(json.materials[cape.primitives[0].material]).toEqual(taken(file).json.materials[0])
    expect(Object.keys(cape.primitives[0].attributes).sort()).toEqual(['NORMAL', 'POSITION', 'TEXCOORD_0'])
  })

  it('boids show a mesh of the file', async () => {
    const { json, binary } = taken(await hero())
    // A fish that its node scales and turns.
    const fish = json.meshes.push({
      name: 'FishMesh',
      primitives: [
        {
          attributes: {
            POSITION: json.meshes[1].primitives[0].attributes.POSITION,
            NORMAL: json.meshes[1].primitives[0].attributes.NORMAL,
          },
        },
      ],
    })
    const half = Math.SQRT1_2
    json.scenes[0].nodes.push(
      json.nodes.push({ name: 'Fish', mesh: fish - 1, scale: [0.1, 0.1, 0.1], rotation: [0, half, 0, half] }) - 1,
    )
    const { bytes, recording, report } = await baked(packed(json, binary), {
      duration: 1,
      seed: 3,
      simulations: {
        shoal: {
          technique: 'boids',
          count: 20,
          bounds: { kind: 'box', min: [-2, 0, -2], max: [2, 2, 2] },
          geometry: 'Fish',
        },
      },
    })
    const page = await parse(bytes)
    const motion = page.animations.at(-1)!
    expect(motion.validate()).toBe(true)
    const shoal = page.scene.getObjectByName('shoal')!
    expect(shoal.children.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, i) => `boid-${i}`))
    expect('isMesh' in page.scene.getObjectByName('Fish')!).toBe(false)
    const flock = recording.flock()
    const { distance } = flock.closeness
    play(page.scene, motion, 31, (frame) => {
      shoal.children.forEach((boid, i) => {
        expect(apart(boid.position.toArray(), flock.positions[frame]!.subarray(i * 3, i * 3 + 3))).toBeLessThanOrEqual(
          distance * 1.01,
        )
      })
    })
    const look = shoal.children[0]!.children[0] as Mesh
    expect(look.isMesh).toBe(true)
    expect(look.scale.x).toBeCloseTo(0.1)
    expect(Math.abs(look.quaternion.y)).toBeCloseTo(half)
    expect(report.skeletons[0]!.name).toBe('shoal')
  })

  it('boids have names of their own, whatever the file has', async () => {
    const { json, binary } = taken(await hero())
    json.scenes[0].nodes.push(json.nodes.push({ name: 'boid-1', translation: [0, 9, 0] }) - 1)
    const flock = { technique: 'boids', count: 3, bounds: { kind: 'box', min: [-2, 0, -2], max: [2, 2, 2] } } as const
    const names = async (simulations: Record<string, typeof flock>) => {
      const { bytes } = await baked(packed(json, binary), { duration: 0.5, seed: 3, simulations })
      const { scene, animations } = await parse(bytes)
      const motion = animations.at(-1)!
      play(scene, motion, 2, () => {})
      // What was there stays where it was.
      expect(scene.getObjectByName('boid-1')!.position.y).toBe(9)
      for (const name of Object.keys(simulations)) {
        for (const boid of scene.getObjectByName(name)!.children) expect(boid.position.y).toBeLessThan(3)
      }
      return Object.keys(simulations).map((name) => scene.getObjectByName(name)!.children.map((boid) => boid.name))
    }
    expect(await names({ shoal: flock })).toEqual([['shoal-boid-0', 'shoal-boid-1', 'shoal-boid-2']])
    expect(await names({ shoal: flock, gulls: flock })).toEqual([
      ['shoal-boid-0', 'shoal-boid-1', 'shoal-boid-2'],
      ['gulls-boid-0', 'gulls-boid-1', 'gulls-boid-2'],
    ])
  })

  describe('refuses', () => {
    let file: Uint8Array<ArrayBuffer>
    beforeAll(async () => void (file = await hero()))
    const refused = async (options: object, bytes: Uint8Array = file) =>
      (await fault(bakeScene(limber, bytes, options as SceneOptions))).message
    const scene = (simulations: object, more: object = { clip: 'Walk' }) => ({ ...more, simulations })

    it.each([
      [
        scene({ cape: { ...CAPE, mesh: 'Cpae' } }),
        'simulations.cape.mesh: the file has no mesh or node named "Cpae"; it has Cape, Body, Face',
      ],
      [
        scene({ hair: { ...HAIR, bones: ['Hiar'] } }),
        /^simulations\.hair\.bones\[0\]: the file has no bone named "Hiar"; it has Armature, Hips, Spine/,
      ],
      [
        scene({ hair: { ...HAIR, bones: [['Hair.1', 'Hiar']] } }),
        /^simulations\.hair\.bones\[0\]\[1\]: the file has no bone named "Hiar"/,
      ],
      [scene({ cape: CAPE }, { clip: 'Wlak' }), 'clip: the file has no animation named "Wlak"; it has Walk, Nod'],
      [scene({ cape: CAPE }, {}), /^duration must be given/],
      [scene({ cape: CAPE }, { duration: 0 }), /^duration must be a number from/],
      [
        scene({ cape: CAPE, hair: HAIR }, { clip: 'Walk', loop: true, duration: 1.5 }),
        /^duration must be 1\.2\d* s, that of the clip, or a whole number of times/,
      ],
      [scene({ cape: CAPE }, { clip: 'Walk', seed: 0.5 }), 'seed must be a whole number from 0 to 1000000000, got 0.5'],
      [scene({ cape: CAPE }, { clip: 'Walk', fps: 0 }), 'fps must be a number from 1 to 240 (1/s), got 0'],
      [scene({ cape: CAPE }, { clip: 'Walk', frames: 3 }), /^frames is no option of bakeScene; known: clip, fps/],
      [scene({}), 'simulations must have at least one'],
      [
        scene({ cape: CAPE, cloak: { ...CAPE, mesh: 'CapeMesh' } }),
        /^simulations\.cloak\.mesh must be another than that of simulations\.cape/,
      ],
      [
        scene({ cape: { ...CAPE, technique: 'water' } }),
        'simulations.cape.technique must be cloth, jiggle, ragdoll or boids, got "water"',
      ],
      [scene({ cape: { ...CAPE, wnd: 1 } }), /^wnd is no option of simulations\.cape; known: technique, mesh/],
      [
        scene({ cape: { ...CAPE, pinned: { attribute: 'COLOR_1' } } }),
        /^simulations\.cape\.pinned\.attribute: the mesh has no attribute "COLOR_1"; it has .*COLOR_0/,
      ],
      [
        scene({ cape: { ...CAPE, pinned: { attribute: 'COLOR_0', above: 2 } } }),
        /^simulations\.cape\.pinned chooses none of 63 vertices/,
      ],
      [
        scene({ cape: { ...CAPE, pinned: [0, 63] } }),
        'simulations.cape.pinned[1] must be a whole number from 0 to 62, got 63',
      ],
      [scene({ cape: { ...CAPE, pinned: { top: 2 } } }), /^simulations\.cape\.pinned\.top must be a number from/],
      [
        scene({ cape: { ...CAPE, pinned: { bone: 'Armature' } } }),
        /^simulations\.cape\.pinned\.bone must hold the mesh/,
      ],
      [
        scene({ cape: { ...CAPE, pinned: 'top' } }),
        /^simulations\.cape\.pinned must be a list of vertices or an object with one of/,
      ],
      [scene({ cape: { ...CAPE, attach: 'Spien' } }), /^simulations\.cape\.attach: the file has no node named "Spien"/],
      [scene({ cape: { ...CAPE, wind: [0, 'x', 0] } }), /^simulations\.cape\.wind must be \[x, y, z\]/],
      [scene({ cape: { ...CAPE, wind: { gust: 3 } } }), /^simulations\.cape\.wind\.gust must be \[x, y, z\]/],
      [scene({ cape: { ...CAPE, options: { iterations: 0 } } }), /^simulations\.cape\.options\.iterations must be/],
      [scene({ cape: { ...CAPE, floor: 'low' } }), /^simulations\.cape\.floor must be/],
      [
        scene({ cape: { ...CAPE, colliders: [{ kind: 'sphere', center: [0, 0, 0], radius: -1 }] } }),
        /^simulations\.cape\.colliders\[0\]\.radius must be/,
      ],
      [
        scene({ cape: { ...CAPE, colliders: [{ kind: 'sphere', center: [0, 0, 0], radius: 1, follow: 'Spien' }] } }),
        /^simulations\.cape\.colliders\[0\]\.follow: the file has no node named "Spien"/,
      ],
      [scene({ hair: { ...HAIR, stiffness: 2 } }), /^simulations\.hair\.stiffness must be/],
      [scene({ hair: { ...HAIR, bones: [] } }), /^simulations\.hair\.bones must be names of bones/],
      [scene({ hair: { technique: 'jiggle', bones: 'vrm' } }), /^simulations\.hair: the file has no springs/],
      [
        scene({ hair: { technique: 'jiggle', bones: 'vrm', stiffness: 0.1 } }),
        /^stiffness is no option of simulations\.hair with bones: "vrm"/,
      ],
      [
        scene({ fall: { technique: 'ragdoll' } }),
        'simulations.fall must have hit or limpAt: nothing would fall otherwise',
      ],
      [
        scene({ fall: { technique: 'ragdoll', limpAt: 5 } }),
        /^simulations\.fall\.limpAt must be a number from 0 to 1\.2/,
      ],
      [
        scene({ fall: { technique: 'ragdoll', limpAt: 0, mesh: 'Bdoy' } }),
        /^simulations\.fall\.mesh: the file has no mesh or node named "Bdoy"/,
      ],
      [
        scene({ fall: { technique: 'ragdoll', limpAt: 0, map: { hips: 'Hisp' } } }),
        /^simulations\.fall\.map\.hips: the file has no bone named "Hisp"/,
      ],
      [scene({ fish: { technique: 'boids', count: 501 } }), /^simulations\.fish must be 500 boids at most/],
      [
        scene({ fish: { technique: 'boids', count: 5, geometry: 'Body' } }),
        /^simulations\.fish\.geometry must be a mesh without a skeleton/,
      ],
      [scene({ 'a b': CAPE }), /^the name "a b" must be a word/],
    ])('%j', async (options, message) => {
      if (typeof message === 'string') expect(await refused(options)).toBe(message)
      else expect(await refused(options)).toMatch(message)
    })

    it('what is no GLB file, or a broken one', async () => {
      const options = scene({ cape: CAPE })
      expect(await refused(options, new Uint8Array(100))).toMatch(
        /^file must be a GLB file \(glTF 2\.0\), and is another kind/,
      )
      expect(await refused(options, file.slice(0, 500))).toMatch(
        /^file must be a GLB file \(glTF 2\.0\), and is cut off/,
      )
      expect(await refused(options, 'hero.glb' as never)).toBe('file must be a Uint8Array, got "hero.glb"')
      const { json, binary } = taken(file)
      json.meshes[0].primitives[0].attributes.POSITION = 999
      expect(await refused(options, packed(json, binary))).toMatch(/^file is broken and cannot be loaded: /)
    })

    it('what a file cannot hold, before it is written', async () => {
      const scene = await bakeScene(limber, file, { clip: 'Walk', simulations: { cape: CAPE } })
      expect((await fault(scene.toGLB({ name: 'Walk' }))).message).toMatch(/has an animation named "Walk"/)
      expect((await fault(scene.toGLB({ tolerance: 0.001, maxTargets: 1 }))).code).toBe('tolerance')
      expect((await fault(scene.toGLB({ onto: file } as never))).message).toMatch(/^onto is no option of toGLB/)
      scene.dispose()
    })
  })
})
