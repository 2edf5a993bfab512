import { JiggleBones, load, type Backend, type JiggleChainSetup } from 'limber'
import { Bone, Group, Mesh, Object3D, Vector3 } from 'three'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusal } from '../../../tests/helpers.mjs'
import { makeChain, tipAt } from '../../../tests/jiggle/chain.mjs'

const upright = (count: number) => makeChain(Array.from({ length: count }, () => [0, 0.1, 0]))

/** Bones of a tree: `{ a: { b: {}, c: {} } }`. */
interface Tree {
  [name: string]: Tree
}
function grow(tree: Tree, parent: Object3D, all: Record<string, Bone> = {}) {
  for (const [name, below] of Object.entries(tree)) {
    const bone = new Bone()
    bone.name = name
    bone.position.y = 0.1
    parent.add((all[name] = bone))
    grow(below, bone, all)
  }
  return all
}

describe('chains', () => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  const made = (chains: unknown) => {
    const jiggle = new JiggleBones(limber, chains as never)
    jiggle.step(1 / 60)
    for (const { quaternion } of jiggle.bones) expect(quaternion.length()).toBeCloseTo(1, 6)
    const names = jiggle.chains.map(({ bones }) => bones.map(({ name }) => name).join(' '))
    const { stats } = jiggle
    expect(stats).toMatchObject({ bones: jiggle.bones.length, chains: names.length })
    jiggle.dispose()
    return names
  }

  it.each([
    [undefined, 'chains must be a list of bones or of chains, got undefined'],
    [null, 'chains must be a list of bones or of chains, got null'],
    [5, 'chains must be a list of bones or of chains, got 5'],
    ['tail', 'chains must be a list of bones or of chains, got "tail"'],
    [{}, 'chains must be a list of bones or of chains, got an object'],
    [new Bone(), 'chains must be a list of bones or of chains, got an object'],
    [[], 'chains must hold at least one chain'],
    [[null], 'chains[0] must be a bone, a list of bones or { bones, … }, got null'],
    [[5], 'chains[0] must be a bone, a list of bones or { bones, … }, got 5'],
    [[[]], 'chains[0].bones must hold at least one bone'],
    [[[null]], 'chains[0].bones[0] must be an Object3D, got null'],
    [[new Bone(), ['tail']], 'chains[1].bones[0] must be an Object3D, got "tail"'],
    [[{}], 'chains[0] must be a bone, a list of bones or { bones, … }, got an object'],
    [[{ bones: [] }], 'chains[0].bones must hold at least one bone'],
    [[{ bones: new Set([new Bone()]) }], 'chains[0].bones must be an Object3D, got an object'],
  ])('refuse %o', (chains, message) => {
    const error = refusal(() => made(chains))
    expect([error.code, error.message]).toEqual(['invalid-option', message])
  })

  it.each<[object, RegExp]>([
    [{ foo: 1 }, /^foo is no option of a chain; known: bones, tip, curves, /],
    [{ tip: 5 }, /^chains\[0\]\.tip must be \[x, y, z\] of numbers from -1000000 to 1000000 \(m\)/],
    [{ tip: [NaN, 0, 0] }, /^chains\[0\]\.tip must be .* got \[NaN, 0, 0\]$/],
    [{ tip: null }, /^chains\[0\]\.tip must be .* got null$/],
    [{ curves: 5 }, /^chains\[0\]\.curves must be an object, got 5$/],
    [{ curves: { stifness: [1] } }, /^stifness is no option of curves; known: stiffness, damping, /],
    [
      { curves: { wind: [] } },
      /^chains\[0\]\.curves\.wind must be a list of numbers or a function, got an array of 0$/,
    ],
    [{ curves: { wind: 5 } }, /^chains\[0\]\.curves\.wind must be a list of numbers or a function, got 5$/],
    [{ curves: { wind: [1, 'x'] } }, /^chains\[0\]\.curves\.wind must be a number from 0 to 1000, got NaN$/],
    [{ curves: { wind: () => undefined } }, /^chains\[0\]\.curves\.wind must be a number .* got undefined$/],
    [{ curves: { wind: [-1] } }, /^chains\[0\]\.curves\.wind must be a number from 0 to 1000, got -1$/],
    [{ limit: 5 }, /^chains\[0\]\.limit\.kind must be 'cone', 'hinge' or 'spherical', got undefined$/],
    [{ limit: () => null }, /^chains\[0\]\.limit\.kind must be /],
    [
      { limit: { kind: 'cone' } },
      /^chains\[0\]\.limit\.angle must be a number from 0 to 3\.14\d* \(rad\), got undefined$/,
    ],
    [{ limit: { kind: 'hinge', angle: 4 } }, /^chains\[0\]\.limit\.angle must be a number .* got 4$/],
    [{ limit: { kind: 'spherical', phi: 1, theta: 2 } }, /^chains\[0\]\.limit\.theta must be a number from 0 to 1\.57/],
    [{ limit: { kind: 'cone', angle: 1, phi: 1 } }, /^phi is no option of a limit; known: kind, angle, rotation$/],
    [
      { limit: { kind: 'cone', angle: 1, rotation: [0, 0, 0, 0] } },
      /^chains\[0\]\.limit\.rotation must be a quaternion/,
    ],
    [{ gravity: 5 }, /^chains\[0\]\.gravity must be \[x, y, z\] .* \(m\/s²\)/],
    [{ gravity: () => undefined }, /^chains\[0\]\.gravity must be .* got undefined$/],
    [{ colliders: 5 }, /^chains\[0\]\.colliders must be a list, got 5$/],
    [{ colliders: [null] }, /^chains\[0\]\.colliders\[0\]\.kind must be /],
    [{ center: {} }, /^chains\[0\]\.center must be an Object3D, got an object$/],
    [{ rest: 'x' }, /^chains\[0\]\.rest must be 'clip' or 'bind', got "x"$/],
    [{ rate: 10 }, /rate must be a whole number from 30 to 1000 \(1\/s\), got 10$/],
    [{ rate: 60.5 }, /rate must be a whole number from 30 to 1000 \(1\/s\), got 60\.5$/],
    [{ stiffness: 2 }, /stiffness must be null or a number from 0 to 1, got 2$/],
    [{ radius: NaN }, /radius must be a number from 0 to 1000 \(m\), got NaN$/],
  ])('of %o are refused by name', (more, message) => {
    const { bones } = upright(3)
    const before = bones.map(({ quaternion }) => quaternion.toArray())
    const error = refusal(() => made([{ bones, ...more }]))
    expect([error.code, error.message]).toEqual(['invalid-option', expect.stringMatching(message)])
    expect(bones.map(({ quaternion }) => quaternion.toArray())).toEqual(before)
  })

  it('a bone is below the one before it, and swings once', () => {
    const { a, b, c, d } = grow({ a: { b: { c: {} } }, d: {} }, new Group()) as Record<'a' | 'b' | 'c' | 'd', Bone>
    expect(refusal(() => made([[a, d]])).message).toBe(
      'chains[0].bones[1] must be below chains[0].bones[0] in the scene',
    )
    expect(refusal(() => made([[b, a]])).message).toMatch(/^chains\[0\]\.bones\[1\] must be below/)
    expect(refusal(() => made([[a, b, a]])).message).toBe(
      'chains[0].bones[2] is chains[0].bones[0] already: a bone swings once',
    )
    expect(refusal(() => made([d, [a, b], [b, c]])).message).toBe(
      'chains[2].bones[0] is chains[1].bones[1] already: a bone swings once',
    )
    expect(refusal(() => made([a, a])).message).toBe('chains[1].bones is chains[0].bones already: a bone swings once')
  })

  it('a root has all bones below it that no other chain has', () => {
    const tree = { a: { b: { c: {}, d: { e: {} } }, f: {} } }
    const bones = () => grow(tree, new Group()) as Record<'a' | 'b' | 'c' | 'd' | 'e' | 'f', Bone>
    expect(made([bones().a])).toEqual(['a b c d e f'])
    const one = bones()
    expect(made([one.a, one.d])).toEqual(['a b c f', 'd e'])
    const two = bones()
    expect(made([two.d, two.a])).toEqual(['d e', 'a b c f'])
    const three = bones()
    // What hangs below another chain's bone goes with it.
    expect(made([{ bones: [three.a, three.f] }, [three.b, three.e]])).toEqual(['a f', 'b e'])
    const four = bones()
    expect(made([[four.e], [four.a]])).toEqual(['e', 'a'])
  })

  it('what a bone carries does not swing, plain nodes below a plain root do', () => {
    const { a, b } = grow({ a: { b: {} } }, new Group()) as Record<'a' | 'b', Bone>
    const hat = new Object3D()
    hat.add(new Bone())
    b.add(hat, new Mesh())
    expect(made([a])).toEqual(['a b'])
    const root = new Group()
    root.name = 'root'
    const below = new Object3D()
    below.name = 'below'
    root.add(below.add(new Mesh()))
    expect(made([root])).toEqual(['root below'])
    // One bone, without a parent.
    expect(made([new Bone()])).toEqual([''])
  })

  it('chains on one another have one rate', () => {
    const { a, b } = grow({ a: { b: {} } }, new Group()) as Record<'a' | 'b', Bone>
    const error = refusal(() => made([[a], { bones: [b], rate: 60 }]))
    expect([error.code, error.message]).toEqual([
      'invalid-option',
      expect.stringMatching(/rate must be that of chain 0, on which it hangs$/),
    ])
  })

  it.each<[string, Partial<JiggleChainSetup>, [number, number, number]]>([
    ['as said', { tip: [0.05, 0.2, 0] }, [0.05, 0.2, 0]],
    ['as far as it is from its parent', {}, [0.3, 0.4, 0]],
  ])('the last bone ends %s', (_, more, wanted) => {
    const { root, bones } = upright(2)
    bones[1]!.position.set(0.3, 0.4, 0)
    const jiggle = new JiggleBones(limber, [{ bones, ...more }], { gravity: [0, 0, 0] })
    jiggle.step()
    expect(tipAt(jiggle.tips, 1).distanceTo(new Vector3(0.3, 0.4, 0).add(new Vector3(...wanted)))).toBeLessThan(1e-6)
    // A bone with bones below it ends in their middle.
    const other = new Bone()
    other.position.set(-0.1, 0.2, 0)
    bones[0]!.add(other)
    const tree = new JiggleBones(
      limber,
      [root.children[0]!].map((bone) => ({ bones: bone })),
      { gravity: [0, 0, 0] },
    )
    tree.step()
    expect(tipAt(tree.tips, 0).distanceTo(new Vector3(0.1, 0.3, 0))).toBeLessThan(1e-6)
    jiggle.dispose()
    tree.dispose()
  })

  it.each([1, 0.01, 1e-6, 1e6])('a bone alone has a length of 7 cm, whatever the scale: %d', (scale) => {
    const bone = new Bone()
    new Group().add(bone).scale.setScalar(scale)
    const jiggle = new JiggleBones(limber, [bone], { gravity: [0, 0, 0] })
    jiggle.step()
    expect(tipAt(jiggle.tips).distanceTo(new Vector3(0, 0.07, 0))).toBeLessThan(1e-6)
    jiggle.dispose()
  })

  it('what is not finite is refused', () => {
    for (const set of [
      (bones: Bone[]) => void (bones[1]!.position.x = NaN),
      (bones: Bone[]) => void (bones[1]!.position.x = 1e7),
    ]) {
      const { bones } = upright(3)
      set(bones)
      expect(refusal(() => made([bones])).message).toMatch(/^tip of bone 0 must be from -1000000 to 1000000, got /)
    }
  })

  it('issue: loops in the scene ran until the stack was full', () => {
    const [a, b, c] = [new Bone(), new Bone(), new Bone()]
    a.add(b.add(c))
    // three.js itself does not make one.
    b.children.push(a)
    a.parent = b
    for (const chains of [[a], [b], [[a, b]], [[c]], [c, a]])
      expect(refusal(() => made(chains)).message).toMatch(
        /^chains\[0\]\.bones(\[0\])? has a loop above it in the scene$/,
      )
    a.parent = null
    expect(made([a])).toEqual([' '.repeat(2)])
  })

  it('issue: chains of some thousand bones ran until the stack was full', () => {
    for (const chains of [
      (bones: Bone[]) => [bones],
      (bones: Bone[]) => [{ bones: bones[0]!, tip: [0, 0.1, 0] }],
      (bones: Bone[]) => [[bones.at(-1)!], bones.slice(0, -1)],
      (bones: Bone[]) => [[bones[0]!, bones.at(-1)!]],
    ]) {
      const { bones } = makeChain(Array.from({ length: 12_000 }, () => [0, 0.001, 0]))
      expect(made(chains(bones)).length).toBeGreaterThan(0)
    }
    const { bones } = makeChain(Array.from({ length: 12_000 }, () => [0, 0.001, 0]))
    expect(made([[bones.at(-1)!], bones.slice(0, -1)])[1]!.split(' ').length).toBe(2 * 11_999)
  })

  it('issue: a chain of more bones than a call takes arguments was a RangeError', () => {
    const root = new Bone()
    for (let i = 0; i < 130_000; i++) root.children.push(Object.assign(new Bone(), { parent: root }))
    const jiggle = new JiggleBones(limber, [root])
    expect(jiggle.stats.bones).toBe(130_001)
    jiggle.dispose()
  })

  it('20,000 chains swing, each for itself', () => {
    const root = new Group()
    const chains = Array.from({ length: 20_000 }, (_, i) => {
      const bone = new Bone()
      bone.name = String(i)
      bone.position.y = 0.1
      root.children.push(Object.assign(bone, { parent: root }))
      return [bone]
    })
    const jiggle = new JiggleBones(limber, chains, { gravity: [0, 0, 0] })
    expect(jiggle.chains.map(({ bones }) => bones.map(({ name }) => name).join())).toEqual(
      chains.map((_, i) => String(i)),
    )
    for (let f = 0; f < 5; f++) {
      root.position.x = f / 20
      jiggle.step(1 / 60)
    }
    const first = jiggle.bones[0]!.quaternion.toArray()
    expect(Math.abs(first[2])).toBeGreaterThan(0.05)
    expect(jiggle.bones.every(({ quaternion }) => quaternion.toArray().every((v, i) => v === first[i]))).toBe(true)
    jiggle.dispose()
  })
})
