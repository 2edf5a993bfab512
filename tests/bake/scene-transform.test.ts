import { VertexLayout, WebIO } from '@gltf-transform/core'
import { KHRMeshQuantization } from '@gltf-transform/extensions'
import { bakeScene, limberBake, load, type Backend, type BakeReport, type SceneOptions } from 'limber-node'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectValid, fault, hero, heroDocument, model, numbersOf, parse, PNG } from './scene-models.js'

let limber: Backend
beforeAll(async () => void (limber = await load()))
afterAll(() => limber.dispose())

const CAPE = { technique: 'cloth', mesh: 'Cape', pinned: { attribute: 'COLOR_0' } } as const
const HAIR = { technique: 'jiggle', bones: ['Hair.1'] } as const

it.each([
  [
    'a cape and hair',
    hero,
    { clip: 'Walk', simulations: { cape: { ...CAPE, wind: { base: [0, 0, -2], gust: 1 } }, hair: HAIR } },
  ],
  ['hair alone', hero, { clip: 'Walk', simulations: { hair: HAIR } }],
  [
    'a fall',
    () => model('RobotExpressive.glb'),
    { clip: 'Running', duration: 1, simulations: { fall: { technique: 'ragdoll', limpAt: 0.1 } } },
  ],
  ['a flock', hero, { duration: 1, simulations: { fish: { technique: 'boids', count: 9 } } }],
] as [string, () => Promise<Uint8Array>, SceneOptions][])(
  '%s as a step of a pipeline is that of bakeScene',
  async (_, make, options) => {
    // As glTF-Transform writes it, which takes apart what matrices nodes have.
    const file = await new WebIO().writeBinary(await new WebIO().readBinary(await make()))
    const cloth = Object.values(options.simulations).some(({ technique }) => technique === 'cloth')
    const limits = cloth ? { tolerance: 0.005 } : {}
    const scene = await bakeScene(limber, file, options)
    const bytes = await scene.toGLB(limits)
    scene.dispose()

    const io = new WebIO().setVertexLayout(VertexLayout.SEPARATE).registerExtensions([KHRMeshQuantization])
    const document = await io.readBinary(file)
    let report: BakeReport | undefined
    await document.transform(
      limberBake({ ...options, ...limits, compression: 'quantize', limber, onReport: (told) => (report = told) }),
    )
    const own = (await io.writeBinary(document)) as Uint8Array<ArrayBuffer>
    await expectValid(own, file)
    const [one, other] = [await parse(bytes), await parse(own)]
    const sorted = (list: ReturnType<typeof numbersOf>) =>
      list.sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1))
    expect(sorted(numbersOf(other.animations.at(-1)!))).toEqual(sorted(numbersOf(one.animations.at(-1)!)))
    const shapes = (gltf: typeof one) => {
      const out: (string | number)[][] = []
      gltf.scene.traverse((object: any) => {
        for (const { array } of object.geometry?.morphAttributes.position ?? [])
          out.push([object.name, ...Array.from(array as Float32Array)])
      })
      return out
    }
    expect(shapes(other)).toEqual(shapes(one))
    const { bytes: _size, ...same } = scene.recording.report!
    expect(report).toMatchObject(same)
  },
)

it('works in place, and leaves what it has not to touch', async () => {
  const document = heroDocument({ textured: true })
  const root = document.getRoot()
  const [texture] = root.listTextures()
  const cape = root.listNodes().find((node) => node.getName() === 'Cape')!
  const transform = limberBake({
    clip: 'Walk',
    tolerance: 0.005,
    name: 'Walk with cape',
    limber,
    simulations: { cape: CAPE },
  })
  expect(transform.name).toBe('limberBake')
  await document.transform(transform)
  expect(root.listTextures()).toEqual([texture])
  expect(texture!.getImage()).toEqual(PNG)
  expect(cape.getSkin()).toBeNull()
  expect(root.getDefaultScene()!.listChildren()).toContain(cape)
  expect(root.listAnimations().map((animation) => animation.getName())).toEqual(['Walk', 'Nod', 'Walk with cape'])
})

it('takes a document of several buffers, and loads a backend by itself', async () => {
  const document = heroDocument()
  const more = document.createBuffer('more')
  for (const [i, accessor] of document.getRoot().listAccessors().entries()) if (i % 2) accessor.setBuffer(more)
  await document.transform(limberBake({ clip: 'Nod', simulations: { hair: HAIR } }))
  expect(document.getRoot().listAnimations().length).toBe(3)
})

it('refuses, and the document is as it was', async () => {
  const document = heroDocument()
  const before = await new WebIO().writeBinary(document)
  const run = (options: object) => fault(document.transform(limberBake({ clip: 'Walk', limber, ...options } as never)))
  expect((await run({ simulations: { cape: { ...CAPE, mesh: 'Cpae' } } })).message).toBe(
    'simulations.cape.mesh: the file has no mesh or node named "Cpae"; it has Cape, Body, Face',
  )
  expect((await run({ simulations: { cape: CAPE }, tolerance: 0.001, maxTargets: 1 })).code).toBe('tolerance')
  expect((await run({ simulations: { cape: CAPE }, name: 'Walk' })).message).toMatch(/animation named "Walk"/)
  expect(() => limberBake({ clip: 'Walk', simulations: { cape: CAPE }, tolerence: 1 } as never)).toThrow(
    /^tolerence is no option of limberBake/,
  )
  expect(Buffer.compare(await new WebIO().writeBinary(document), before)).toBe(0)
})
