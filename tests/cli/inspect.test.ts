import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WebIO, type Document } from '@gltf-transform/core'
import { ALL_EXTENSIONS, EXTMeshoptCompression } from '@gltf-transform/extensions'
import { MeshoptEncoder } from 'meshoptimizer'
import { beforeAll, describe, expect, it } from 'vitest'
import { FISH, FLAG, limber, project, root, write } from './helpers.js'

const model = (name: string) => readFileSync(join(root, 'tests/models', name))

describe('limber inspect', () => {
  let folder: string
  beforeAll(() => {
    const jobs = [
      { module: 'flag.mjs', tolerance: 0.01 },
      { name: 'clip', module: 'fish.mjs', format: 'clip', seed: 1 },
      { name: 'flock', module: 'fish.mjs', format: 'flock', seed: 1 },
    ]
    folder = project({
      'limber.config.json': { jobs },
      'flag.mjs': FLAG,
      'fish.mjs': FISH,
      'man.glb': model('CesiumMan.glb'),
      'cut.glb': model('CesiumMan.glb').subarray(0, 3000),
      'text.txt': 'neither',
      'other.json': '{"tracks": 3}',
    })
    expect(limber(folder, ['bake']).status).toBe(0)
  })

  const path = (id: string) =>
    join(
      'baked',
      readdirSync(join(folder, 'baked')).find((name) => name.startsWith(`${id}.`))!,
    )
  function inspect(file: string) {
    const { status, stdout } = limber(folder, ['inspect', file, '--json'])
    const found = JSON.parse(stdout)
    const parts = Object.values(found.parts as Record<string, number>)
    expect(found.bytes).toBe(readFileSync(join(folder, file)).length)
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(found.bytes)
    expect(parts.every((part) => part > 0)).toBe(true)
    return { status, found }
  }

  it('a GLB with morph targets', () => {
    const { status, found } = inspect(path('flag'))
    expect(status).toBe(0)
    expect(found).toMatchObject({ kind: 'glb', validator: { errors: 0, warnings: 0, messages: [] } })
    expect(found.meshes).toEqual([
      expect.objectContaining({ name: 'flag', primitives: 1, vertices: 12, triangles: 12 }),
    ])
    const { jobs } = JSON.parse(readFileSync(join(folder, 'baked/manifest.json'), 'utf8'))
    expect(found.meshes[0].targets).toBe(jobs[0].report.targets)
    expect(found.animations).toEqual([expect.objectContaining({ name: 'bake', channels: 1, paths: ['weights'] })])
    expect(found.animations[0].duration).toBeCloseTo(0.2, 6)
    expect(Object.keys(found.parts)).toEqual(expect.arrayContaining(['morph targets', 'vertices', 'animations']))
  })

  it('a character from elsewhere, with its warning', () => {
    const { status, found } = inspect('man.glb')
    expect(status).toBe(0)
    expect(found).toMatchObject({ skins: [{ joints: 19 }], validator: { errors: 0, warnings: 1 } })
    expect(found.validator.messages[0]).toMatch(/^warning: NODE_SKINNED_MESH_NON_ROOT at /)
    expect(found.meshes[0]).toMatchObject({ vertices: 3273, triangles: 4672, targets: 0 })
    expect(found.parts.images).toBeGreaterThan(100_000)
  })

  it('a three.js clip, and a flock clip', () => {
    const clip = inspect(path('clip')).found
    expect(clip).toMatchObject({ kind: 'clip', name: 'bake', duration: Math.fround(0.3) })
    expect(clip.tracks).toHaveLength(12)
    const flock = inspect(path('flock')).found
    expect(flock).toMatchObject({ kind: 'flock', boids: 6, frames: 10, fps: 30, bits: 16 })
    expect(flock.maxDistance).toBeLessThanOrEqual(0.002)
  })

  it('a file that meshopt has packed is checked unpacked, too', async () => {
    await MeshoptEncoder.ready
    const io = new WebIO()
      .registerExtensions(ALL_EXTENSIONS)
      .registerDependencies({ 'meshopt.encoder': MeshoptEncoder })
    const pack = async (spoil: (document: Document) => void) => {
      const document = await io.readBinary(new Uint8Array(model('RiggedSimple.glb')))
      spoil(document)
      document.createExtension(EXTMeshoptCompression).setRequired(true)
      return io.writeBinary(document)
    }
    const spoil = (document: Document) => {
      const normals = document.getRoot().listMeshes()[0]!.listPrimitives()[0]!.getAttribute('NORMAL')!
      normals.setElement(0, [3, 0, 0])
    }
    write(folder, { 'packed.glb': await pack(() => {}), 'spoilt.glb': await pack(spoil) })
    const { status, found } = inspect('packed.glb')
    expect(status).toBe(0)
    expect(found).toMatchObject({ extensionsRequired: ['EXT_meshopt_compression'], validator: { errors: 0 } })
    const spoilt = inspect('spoilt.glb')
    expect(spoilt.status).toBe(1)
    expect(spoilt.found.validator.messages.join()).toContain('error: ACCESSOR_VECTOR3_NON_UNIT')
  })

  it('prints tables without --json', () => {
    const { status, stdout } = limber(folder, ['inspect', path('flag')])
    expect(status).toBe(0)
    expect(stdout).toMatch(/: GLB, [\d,]+ bytes\n/)
    expect(stdout).toMatch(
      /^name +primitives +vertices +triangles +targets +attributes\nflag +1 +12 +12 +\d+ +POSITION NORMAL/m,
    )
    expect(stdout).toMatch(/^morph targets +[\d,]+ +\d+\.\d %$/m)
    expect(stdout).toContain('gltf-validator: 0 errors, 0 warnings')
  })

  it('what is broken, or something else, ends with 1 and one line', () => {
    const fault = (file: string) => {
      const { status, stdout, stderr } = limber(folder, ['inspect', file])
      expect({ status, stdout, lines: stderr.trim().split('\n').length }).toEqual({ status: 1, stdout: '', lines: 1 })
      return stderr
    }
    expect(fault('cut.glb')).toMatch(/^limber: cut\.glb is broken: .*cut off/)
    expect(fault('text.txt')).toMatch(/^limber: text\.txt is no GLB, three\.js clip, /)
    expect(fault('other.json')).toMatch(/^limber: other\.json is no GLB, /)
    write(folder, { 'cut.flock': readFileSync(join(folder, path('flock'))).subarray(0, 200) })
    expect(fault('cut.flock')).toMatch(/^limber: cut\.flock is broken: /)
  })

  it('a GLB with an error of the standard ends with 1, and says it', () => {
    const glb = model('RiggedSimple.glb')
    // An index beyond the vertices.
    const json = glb.subarray(20, 20 + glb.readUInt32LE(12)).toString()
    const { accessors, bufferViews, meshes } = JSON.parse(json)
    const accessor = accessors[meshes[0].primitives[0].indices]
    const at =
      20 + glb.readUInt32LE(12) + 8 + (bufferViews[accessor.bufferView].byteOffset ?? 0) + (accessor.byteOffset ?? 0)
    glb.writeUInt16LE(60_000, at)
    write(folder, { 'wrong.glb': glb })
    const { status, stdout } = limber(folder, ['inspect', 'wrong.glb'])
    expect(status).toBe(1)
    expect(stdout).toMatch(/^error: ACCESSOR_INDEX_OOB at /m)
  })
})
