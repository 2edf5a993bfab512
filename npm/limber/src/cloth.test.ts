import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Float16BufferAttribute,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  Matrix4,
  Mesh,
  PlaneGeometry,
  SphereGeometry,
  Vector3,
} from 'three'
import { Cloth, type Backend } from 'limber'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backends } from '../../../tests/backends.mjs'
import { allFinite, farthest, refusal } from '../../../tests/helpers.mjs'

describe.each(Object.entries(backends))('a cloth on %s', (_, load) => {
  let limber: Backend
  beforeAll(async () => void (limber = await load()))
  afterAll(() => limber.dispose())

  describe('made of a grid', () => {
    it('lies in rows from the top, unless it is placed', () => {
      const cloth = Cloth.grid(limber, { columns: 5, rows: 3, width: 2, height: 1, floor: null })
      expect(cloth.stats).toMatchObject({
        vertices: 15,
        particles: 15,
        links: 4 * 3 + 5 * 2 + 4 * 2 * 2 + 3 * 3 + 5,
        pins: 0,
      })
      expect(farthest(cloth.positions.slice(0, 6), [-1, Math.fround(1.1), 0, -0.5, Math.fround(1.1), 0])).toBe(0)
      expect([...cloth.positions.slice(-3)]).toEqual([1, Math.fround(0.1), 0])
      const { uv } = cloth.geometry.attributes
      expect([uv!.getX(7), uv!.getY(7)]).toEqual([0.5, 0.5])
      expect([...cloth.geometry.index!.array.slice(0, 6)]).toEqual([0, 5, 1, 1, 5, 6])
      cloth.dispose()
    })

    it('takes each vertex from place, and options from their defaults', () => {
      const cloth = Cloth.grid(limber, { columns: 3, rows: 4, place: (i, j, out) => out.set(i, 10 + j, i * j) })
      expect([...cloth.positions.slice(-3)]).toEqual([2, 13, 6])
      expect(cloth.options).toEqual({
        iterations: 8,
        substeps: 1,
        stiffness: { structural: 1, shear: expect.closeTo(0.6), bend: 0.25 },
        damping: expect.closeTo(0.012),
        drag: expect.closeTo(0.08),
        windResponse: expect.closeTo(0.6),
        friction: 0.5,
        floor: expect.closeTo(0.02),
        interpolate: true,
      })
      cloth.dispose()
    })

    it.each([
      ['top', [0, 1, 2, 3]],
      ['bottom', [8, 9, 10, 11]],
      ['left', [0, 4, 8]],
      ['right', [3, 7, 11]],
      ['corners', [0, 3, 8, 11]],
      [
        [7, 2, 2],
        [2, 7],
      ],
      [(i: number, j: number) => i === j, [0, 5, 10]],
      [undefined, []],
    ] as const)('pins %s', (pinned, vertices) => {
      const cloth = Cloth.grid(limber, { columns: 4, rows: 3, pinned })
      expect([...cloth.pins.vertices]).toEqual(vertices)
      expect(cloth.stats.pins).toBe(vertices.length)
      cloth.dispose()
    })

    it.each([
      [{ columns: 1 }, /^columns must be .* from 2 to 4096, got 1$/],
      [{ columns: 0 }, /^columns must be .* from 2 to 4096, got 0$/],
      [{ columns: 2.5 }, /^columns must be a whole number/],
      [{ rows: 1e9 }, /^rows must be .* from 2 to 4096, got 1000000000$/],
      [{ iterations: 1e9 }, /^iterations must be .* from 1 to 1000, got 1000000000$/],
      [{ stiffness: { shear: NaN } }, /^stiffness\.shear must be .* from 0 to 1, got NaN$/],
      [{ damping: Infinity }, /^damping must be .* from 0 to 1, got Infinity$/],
      [{ floor: 'low' }, /^floor must be null or a number/],
      [
        { colour: 'red' },
        /^colour is no option of Cloth\.grid; known: columns, rows, width, height, place, pinned, colliders, wind, gravity, space, iterations, .*interpolate$/,
      ],
      [{ pinned: [3, 204] }, /^pinned\[1\] must be a whole number from 0 to 203, got 204$/],
      [{ pinned: [0.5] }, /^pinned\[0\] must be a whole number from 0 to 203, got 0.5$/],
      [{ pinned: 'middle' }, /^pinned must be one of top, .* got "middle"$/],
      [{ pinned: 4 }, /^pinned must be one of top, .* or a function of \(i, j\), got 4$/],
      [{ pinned: null }, /^pinned must be one of top, .* got null$/],
      [{ stiffness: { bent: 1 } }, /^stiffness\.bent is no option of ClothStiffness; known: structural, shear, bend$/],
      [{ place: 'here' }, /^place must be a function, got "here"$/],
      [{ space: {} }, /^space must be an Object3D, got an object$/],
      [{ colliders: 4 }, /^colliders must be a list of colliders, got 4$/],
      [{ colliders: { kind: 'sphere' } }, /^colliders must be a list of colliders, got an object$/],
      [{ colliders: 'sphere' }, /^colliders must be a list of colliders, got "sphere"$/],
      [null, /^setup must be an object, got null$/],
      [7, /^setup must be an object, got 7$/],
      [[], /^setup must be an object, got an array of 0$/],
      [
        { place: (i: number, j: number, out: Vector3) => void (i + j === 3 && (out.y = NaN)) },
        /^place\(3, 0\) must be .* got \[.*NaN.*\]$/,
      ],
      [{ wind: [0, 1] }, /^wind must be \[x, y, z\] .* \(m\/s\), got \[0, 1\]$/],
      [{ gravity: { x: 0, y: 1e9, z: 0 } }, /^gravity must be .* got \[0, 1000000000, 0\]$/],
      [
        { colliders: [{ kind: 'cube' }] },
        /^colliders\[0\]\.kind must be 'sphere', 'capsule', 'taperedCapsule', 'box' or 'plane', got "cube"$/,
      ],
      [
        { colliders: [{ kind: 'sphere', center: [0, 0, 0], radius: -1 }] },
        /^colliders\[0\]\.radius must be a number from 0 to /,
      ],
    ])('refuses %j by name and range, and allocates nothing', (wrong, message) => {
      // All memory that a refusal may take for its text is there after the first.
      refusal(() => Cloth.grid(limber, wrong as never))
      const probe = Cloth.grid(limber, { columns: 2, rows: 2 })
      const { byteLength } = probe.positions.buffer
      const error = refusal(() => Cloth.grid(limber, wrong as never))
      expect(error.code).toBe('invalid-option')
      expect(error.message).toMatch(message)
      expect(probe.positions.buffer.byteLength).toBe(byteLength)
      probe.dispose()
    })

    it('takes every default', () => {
      const cloth = Cloth.grid(limber)
      expect(cloth.stats).toMatchObject({ vertices: 12 * 17, pins: 0 })
      cloth.dispose()
    })

    it('is not made by new, which says what is', () => {
      const Made = Cloth as unknown as new (...all: unknown[]) => Cloth
      for (const all of [[], [limber], [limber, { columns: 4 }]])
        expect(refusal(() => new Made(...all)).message).toMatch(/^a cloth is made by Cloth\.grid\(limber, …\)/)
    })

    it('refuses a promise in the place of what it resolves to', () => {
      expect(refusal(() => Cloth.grid(load() as never, {})).message).toMatch(/await load\(\)/)
    })
  })

  describe('made of a geometry', () => {
    it.each([
      ['ball', new SphereGeometry(0.5, 32, 16)],
      ['ball without index', new SphereGeometry(0.5, 32, 16).toNonIndexed()],
      ['box', new BoxGeometry(1, 1, 1, 8, 8, 8)],
      ['box without index', new BoxGeometry(1, 1, 1, 8, 8, 8).toNonIndexed()],
    ])('C1: a dropped %s stays whole along its seams', (_, geometry) => {
      const before = geometry.toJSON()
      const matrix = new Matrix4().makeTranslation(0, 1, 0)
      const cloth = Cloth.fromGeometry(limber, geometry, { floor: 0, matrix })
      const places = new Map<string, number[]>()
      for (let v = 0; v < cloth.stats.vertices; v++) {
        const key = cloth.positions
          .slice(v * 3, v * 3 + 3)
          .map((c) => Math.round(c * 1e4))
          .join()
        places.set(key, [...(places.get(key) ?? []), v])
      }
      const seams = [...places.values()].filter((vertices) => vertices.length > 1)
      expect(seams.length).toBeGreaterThan(10)
      expect(cloth.report.welded).toBe(cloth.stats.vertices - places.size)
      for (let frame = 0; frame < 300; frame++) {
        cloth.step(1 / 60)
        const place = (v: number) => cloth.positions.subarray(v * 3, v * 3 + 3)
        const cracks = seams.filter(([first, ...others]) => others.some((v) => farthest(place(v), place(first!)) !== 0))
        expect(cracks).toEqual([])
      }
      expect(geometry.toJSON()).toEqual(before)
      cloth.dispose()
    })

    it('keeps index, groups, texture coordinates and colours as copies', () => {
      const geometry = new BoxGeometry(1, 1, 1, 2, 2, 2)
      geometry.name = 'box'
      geometry.setAttribute(
        'uv1',
        new BufferAttribute(new Uint16Array(geometry.attributes.position!.count * 2).fill(7), 2, true),
      )
      geometry.setAttribute(
        'color',
        new BufferAttribute(new Uint8Array(geometry.attributes.position!.count * 4).fill(200), 4, true),
      )
      geometry.setAttribute(
        'tangent',
        new BufferAttribute(new Float32Array(geometry.attributes.position!.count * 4), 4),
      )
      geometry.morphAttributes.position = [geometry.attributes.position!.clone()]
      const cloth = Cloth.fromGeometry(limber, geometry)
      const made = cloth.geometry
      expect(Object.keys(made.attributes).sort()).toEqual(['color', 'normal', 'position', 'uv', 'uv1'])
      expect(made.morphAttributes).toEqual({})
      expect(made.name).toBe('box')
      expect(made.groups).toEqual(geometry.groups)
      for (const name of ['uv', 'uv1', 'color']) {
        const [a, b] = [made.getAttribute(name), geometry.getAttribute(name)]
        expect(a.array).toEqual(b.array)
        expect(a.array).not.toBe(b.array)
        expect([a.itemSize, a.normalized]).toEqual([b.itemSize, b.normalized])
      }
      expect(made.index!.array).toEqual(geometry.index!.array)
      expect(made.index!.array).not.toBe(geometry.index!.array)
      cloth.dispose()
    })

    it('reads interleaved, normalized and half-float positions', () => {
      const plane = new PlaneGeometry(1, 1, 3, 3)
      const { position, uv } = plane.attributes
      const count = position!.count

      const mixed = new InterleavedBuffer(new Float32Array(count * 5), 5)
      const interleaved = plane.clone()
      interleaved.setAttribute('position', new InterleavedBufferAttribute(mixed, 3, 0))
      interleaved.setAttribute('uv', new InterleavedBufferAttribute(mixed, 2, 3))
      const short = new BufferAttribute(new Int16Array(count * 3), 3, true)
      const half = new Float16BufferAttribute(new Uint16Array(count * 3), 3)
      for (let v = 0; v < count; v++) {
        for (const attribute of [interleaved.attributes.position!, short, half]) {
          attribute.setXYZ(v, position!.getX(v), position!.getY(v), position!.getZ(v))
        }
        interleaved.attributes.uv!.setXY(v, uv!.getX(v), uv!.getY(v))
      }
      const start = position!.array
      for (const geometry of [
        interleaved,
        plane.clone().setAttribute('position', short),
        plane.clone().setAttribute('position', half),
      ]) {
        const cloth = Cloth.fromGeometry(limber, geometry)
        expect(farthest(cloth.positions, start)).toBeLessThan(1e-3)
        expect([...cloth.geometry.attributes.uv!.array]).toEqual([...uv!.array])
        cloth.dispose()
      }
    })

    it('C2, C3, C4: doubled and flat triangles and lost vertices are reported, and all stays finite', () => {
      const geometry = new BufferGeometry()
      const positions = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 9, 9, 9, 0.5, 0.5, 0, 0.5 + 1e-12, 0.5, 0]
      geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3))
      geometry.setIndex([0, 1, 2, 0, 2, 3, 2, 1, 0, 3, 2, 0, 1, 1, 2, 0, 5, 6])
      const cloth = Cloth.fromGeometry(limber, geometry, { pinned: [0, 3] })
      expect(cloth.report).toMatchObject({ degenerateTriangles: 2, duplicateTriangles: 2, orphanVertices: [4, 5, 6] })
      for (let i = 0; i < 120; i++) cloth.step(1 / 60)
      expect(allFinite(cloth.positions) && allFinite(cloth.normals)).toBe(true)
      expect([...cloth.positions.slice(12, 15)]).toEqual([9, 9, 9])
      const flat = Cloth.fromGeometry(limber, new PlaneGeometry(1, 1, 2, 2), {
        matrix: new Matrix4().makeScale(1, 0, 1),
      })
      flat.step()
      expect(flat.report.degenerateTriangles).toBe(8)
      expect(allFinite(flat.positions) && allFinite(flat.normals)).toBe(true)
      flat.dispose()
      cloth.dispose()
    })

    it('is placed in the world by a matrix, and pinned by place there', () => {
      const matrix = new Matrix4().makeTranslation(0, 5, 0)
      const cloth = Cloth.fromGeometry(limber, new PlaneGeometry(1, 1, 2, 2), { matrix, pinned: (_, p) => p.y > 5.4 })
      expect([...cloth.pins.vertices]).toEqual([0, 1, 2])
      expect([...cloth.positions.slice(0, 3)]).toEqual([-0.5, 5.5, 0])
      expect(cloth.options.floor).toBe(null)
      cloth.dispose()
    })

    it('faces outwards after a mirroring matrix, as three.js draws it', () => {
      for (const geometry of [new SphereGeometry(1, 8, 6), new SphereGeometry(1, 8, 6).toNonIndexed()]) {
        const cloth = Cloth.fromGeometry(limber, geometry, { matrix: new Matrix4().makeScale(-1, 1, 1) })
        const computed = cloth.geometry.clone()
        computed.computeVertexNormals()
        expect(farthest(cloth.normals, computed.attributes.normal!.array)).toBeLessThan(1e-4)
        const [p, n] = [new Vector3(), new Vector3()]
        for (let v = 0; v < cloth.stats.vertices; v++) {
          p.fromArray(cloth.positions, v * 3)
          n.fromArray(cloth.normals, v * 3)
          // A vertex that no triangle uses, at the poles, has none.
          if (n.lengthSq() > 0) expect(p.dot(n)).toBeGreaterThan(0.5)
        }
        cloth.dispose()
      }
    })

    it.each([
      [new BufferGeometry(), {}, 'invalid-input', /position attribute/],
      [new PlaneGeometry(1, 1).setIndex([0, 1, 9]), {}, 'invalid-input', /must be a vertex from 0 to 3, got 9/],
      [new PlaneGeometry(1, 1).setIndex([]), {}, 'invalid-option', /^triangles must be .* from 1 to/],
      [new PlaneGeometry(NaN, 1), {}, 'invalid-input', /got NaN/],
      [{}, {}, 'invalid-option', /^geometry must be a BufferGeometry/],
      [new PlaneGeometry(1, 1), { weld: -1 }, 'invalid-option', /^weld must be .* from 0 to 1/],
      [new PlaneGeometry(1, 1), { pinned: [4] }, 'invalid-option', /^pinned\[0\] must be .* from 0 to 3, got 4/],
      [
        new PlaneGeometry(1, 1),
        { matrix: new Matrix4().makeScale(NaN, 1, 1) },
        'invalid-option',
        /^matrix must hold finite/,
      ],
      [new PlaneGeometry(1, 1), { matrix: [1, 0] }, 'invalid-option', /^matrix must be a Matrix4, got an array of 2$/],
      [new PlaneGeometry(1, 1), { matrix: {} }, 'invalid-option', /^matrix must be a Matrix4, got an object$/],
      [new PlaneGeometry(1, 1), { space: 'world' }, 'invalid-option', /^space must be an Object3D, got "world"$/],
      [
        new PlaneGeometry(1, 1),
        { pinned: 'top' },
        'invalid-option',
        /^pinned must be a list of vertices or a function of /,
      ],
      [new PlaneGeometry(1, 1), null, 'invalid-option', /^setup must be an object, got null$/],
      [
        new PlaneGeometry(1, 1),
        { columns: 3 },
        'invalid-option',
        /^columns is no option of Cloth\.fromGeometry; known: weld, matrix, pinned, colliders, wind, /,
      ],
    ])('refuses what cannot be a cloth (%#)', (geometry, setup, code, message) => {
      const error = refusal(() => Cloth.fromGeometry(limber, geometry as never, setup as never))
      expect(error.message).toMatch(message)
      expect(error.code).toBe(code)
    })
  })

  it('gives the normals of computeVertexNormals', () => {
    const grid = Cloth.grid(limber, { columns: 9, rows: 7, pinned: 'top', wind: [1, 0, 3], floor: null })
    const ball = Cloth.fromGeometry(limber, new SphereGeometry(1, 12, 8))
    for (const cloth of [grid, ball]) {
      for (let i = 0; i < 47; i++) cloth.step(1 / 144)
      const computed = cloth.geometry.clone()
      computed.computeVertexNormals()
      expect(farthest(cloth.normals, computed.attributes.normal!.array)).toBeLessThan(1e-5)
      cloth.dispose()
    }
  })

  it('C15: bounds hold every vertex while it falls 10 m', () => {
    const cloth = Cloth.grid(limber, { columns: 8, rows: 8, floor: null, wind: [3, 0, 1] })
    const { boundingBox, boundingSphere } = cloth.geometry
    const point = new Vector3()
    while (boundingBox!.min.y > -10) {
      cloth.step(1 / 50)
      let outside = 0
      for (let v = 0; v < cloth.stats.vertices; v++) {
        point.fromArray(cloth.positions, v * 3)
        if (!boundingBox!.containsPoint(point) || boundingSphere!.distanceToPoint(point) > 1e-6) outside += 1
      }
      expect(outside).toBe(0)
    }
    expect(cloth.geometry.boundingBox).toBe(boundingBox)
    expect(cloth.geometry.boundingSphere).toBe(boundingSphere)
    cloth.dispose()
  })

  it('shows itself in the local space of an object', () => {
    const mesh = new Mesh()
    mesh.position.set(3, 1, -2)
    mesh.rotation.set(0.3, 1.1, -0.4)
    mesh.scale.setScalar(2)
    const setup = { columns: 6, rows: 6, pinned: 'top', wind: [0, 0, 4], floor: null } as const
    const local = Cloth.grid(limber, { ...setup, space: mesh })
    const world = Cloth.grid(limber, setup)
    const shown = local.geometry.clone()
    for (let frame = 0; frame < 60; frame++) {
      shown.attributes.position!.copy(local.geometry.attributes.position as BufferAttribute)
      shown.attributes.normal!.copy(local.geometry.attributes.normal as BufferAttribute)
      shown.applyMatrix4(mesh.matrixWorld)
      expect(farthest(shown.attributes.position!.array, world.positions)).toBeLessThan(1e-5)
      expect(farthest(shown.attributes.normal!.array, world.normals)).toBeLessThan(1e-4)
      mesh.rotation.y += 0.05
      local.step(1 / 60)
      world.step(1 / 60)
    }
    expect(local.hash()).toBe(world.hash())
    local.space = undefined
    local.step(1 / 60)
    world.step(1 / 60)
    expect(local.positions).toEqual(world.positions)
    local.dispose()
    world.dispose()
  })
})
