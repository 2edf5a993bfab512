import { AnimationMixer, Mesh, Quaternion, Vector3, type AnimationClip, type Object3D } from 'three'
import { GLTFLoader, type GLTF } from 'three/addons/loaders/GLTFLoader.js'
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js'
import { load, type Backend, type RecordedMesh } from 'limber-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readDocument, writeDocument } from '../../npm/limber-node/dist/bake/document.js'
import { measure } from '../../npm/limber-node/dist/bake/measure.js'
import { expectValid, packed, taken } from './scene-models.js'
import { FIXTURES } from './fixtures.js'

/** A file as three.js loads it once it has been given the decoder; without textures, which Node has no canvas for. */
function parse(file: Uint8Array<ArrayBuffer>): Promise<GLTF> {
  const { json, binary } = taken(file)
  json.materials = json.materials?.map(({ name }: { name: string }) => ({ name }))
  for (const key of ['textures', 'images', 'samplers']) delete json[key]
  const bytes = packed(json, binary)
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder)
  return new Promise((resolve, reject) => loader.parse(buffer, '', resolve, reject))
}

/** The meshes that show a recorded cloth: those whose targets its animation weights. */
function meshesOf(scene: Object3D, { vertices }: RecordedMesh, track: string): Mesh[] {
  const node = scene.getObjectByName(track.split('.')[0]!) ?? scene.getObjectByProperty('uuid', track.split('.')[0]!)!
  const meshes: Mesh[] = []
  node.traverse((object) => void ('isMesh' in object && meshes.push(object as Mesh)))
  const all = meshes.filter((mesh) => mesh.geometry.getAttribute('position').count === vertices)
  return all.length ? all : meshes
}

describe('files', () => {
  let limber: Backend
  beforeAll(async () => {
    await MeshoptDecoder.ready
    limber = await load()
  })
  afterAll(() => limber.dispose())

  it('are many', () => expect(Object.keys(FIXTURES).length).toBeGreaterThanOrEqual(30))

  it.each(Object.entries(FIXTURES))('%s: valid, and played by three.js as it was simulated', async (_, make) => {
    const { bytes, recording, before } = await make(limber)
    await expectValid(bytes, before)
    // K8: and what is packed, unpacked, which the validator cannot do.
    if (JSON.stringify(taken(bytes).json.extensionsUsed ?? []).includes('EXT_meshopt_compression')) {
      await expectValid(await writeDocument(await readDocument(bytes)), before)
    }
    const report = recording.report!
    expect(report.bytes).toBe(bytes.byteLength)
    const { scene, animations } = await parse(bytes)
    const clip: AnimationClip = animations.at(-1)!
    expect(clip.validate()).toBe(true)
    expect(clip.duration).toBe(Math.max(...clip.tracks.map(({ times }) => times.at(-1)!)))
    // What a mesh of several materials, or a bone by that name, is moved by.
    const weights = clip.tracks.filter(({ name }) => name.endsWith('.morphTargetInfluences'))
    const turned = recording
      .moving()
      .flatMap(({ nodes }) =>
        nodes.filter((node) => clip.tracks.some(({ name }) => name === `${node.name}.quaternion`)),
      )
    expect(weights.length + turned.length).toBeGreaterThan(0)

    const mixer = new AnimationMixer(scene)
    mixer.clipAction(clip).play()
    const [shown, right, turn] = [new Vector3(), new Vector3(), new Quaternion()]
    let [far, angle] = [0, 0]
    for (let frame = 0; frame < recording.frames; frame++) {
      // A breath short of the end, where the action would begin anew.
      mixer.setTime(Math.min(frame / recording.fps, clip.duration * (1 - 1e-7)))
      scene.updateMatrixWorld(true)
      recording.meshes.forEach((mesh, m) => {
        let v = 0
        for (const part of meshesOf(scene, mesh, weights[m]!.name)) {
          const count = part.geometry.getAttribute('position').count
          if (v + count > mesh.vertices) break
          for (let i = 0; i < count; i++, v++) {
            part.localToWorld(part.getVertexPosition(i, shown))
            far = Math.max(far, shown.distanceTo(right.fromArray(mesh.positions[frame]!, v * 3)))
          }
        }
        expect(v).toBe(mesh.vertices)
      })
      for (const node of turned) {
        const { quaternion } = scene.getObjectByName(node.name)!
        turn.fromArray(node.quaternions, frame * 4).normalize()
        angle = Math.max(angle, 2 * Math.acos(Math.min(Math.abs(turn.dot(quaternion.clone().normalize())), 1)))
      }
    }
    expect(far).toBeLessThanOrEqual(report.maxError + 2e-6)
    expect(far).toBeGreaterThanOrEqual(report.maxError * 0.99)
    // acos is coarse near 0.
    expect(angle).toBeLessThanOrEqual(report.maxAngle + 5e-4)
    if (report.seam) {
      expect(report.seam.distance).toBeLessThan(1e-6)
      expect(report.seam.angle).toBeLessThan(1e-6)
      expect(report.seam.jump).toBeLessThanOrEqual(1.5)
    }
  })

  it.each([
    ['a flag, quantized', 'flag is up to', 0.5],
    ['a tail', 'tail is up to', 0.98],
  ])('a file that was spoilt does not pass: %s', async (name, message, factor) => {
    const { bytes, recording } = await FIXTURES[name]!(limber)
    const document = await readDocument(bytes)
    const [animation] = document.getRoot().listAnimations()
    const options = recording.meshes.length ? { tolerance: 0.005 } : {}
    expect(measure(recording, options, bytes, document, 'bake')).toEqual(recording.report)
    // The last of what moves, a little off.
    const output = animation!.listSamplers().at(-1)!.getOutput()!
    output.setArray(Float32Array.from(output.getArray()! as ArrayLike<number>, (number) => number * factor))
    expect(() => measure(recording, options, bytes, document, 'bake')).toThrow(message)
  })
})
