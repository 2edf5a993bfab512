/**
 * The order sheet's cloth, written from the sheet as fast as plain JavaScript allows: the yardstick that Limber is timed against.
 *
 * Typed arrays throughout, nothing allocated in `step`, no three.js objects. It ends where the sheet's step ends: with f32
 * positions and normals that a `BufferAttribute` can show, and true bounds. `tests/bench/sheet-cloth.test.mjs` holds it against
 * `tests/golden/cloth.json`. Where it departs from the sheet's code, it is to be faster:
 * - The state is f64. The sheet stores f32, and V8 then converts at every load and store of the link loop: about a fifth slower.
 * - Which end of a link is pinned is decided once, in `shareA` and `shareB`; links between two pinned points are left out.
 * - `output` is filled in the loop that finds the bounds.
 */

/** Part of the velocity kept per step. */
const KEEP = 0.988
/** m/s², along -y. */
const GRAVITY = 9.8
/** Acceleration per m/s of relative wind along the normal, 1/s. */
const WIND_RESPONSE = 0.6
/** Acceleration per m/s of relative wind, 1/s. */
const DRAG = 0.08
/** Height of the floor unless said, metres. */
const FLOOR = 0.02
/** Stiffness of each kind of link, 0..1 per iteration. */
const STIFFNESS = { structural: 1, shear: 0.6, bend: 0.25 }
/** Numbers per capsule: a xyz, b xyz, radius. */
const CAPSULE = 7

/**
 * @typedef {object} SheetClothOptions
 * @property {number} columns points along u, 2 or more
 * @property {number} rows points along v, 2 or more
 * @property {(i: number, j: number) => [number, number, number]} place world position of point (i, j), metres
 * @property {(i: number, j: number) => boolean} pinned
 * @property {{a: number[], b: number[], radius: number}[]} [capsules] world, metres
 * @property {number} [floor] height, metres; -Infinity = none
 */

export class SheetCloth {
  /** @param {SheetClothOptions} options */
  constructor({ columns, rows, place, pinned, capsules = [], floor = FLOOR }) {
    const count = columns * rows
    /** points */
    this.count = count
    /** `[x, y, z] × points`, world, metres. Point k = j * columns + i. */
    this.positions = new Float64Array(count * 3)
    /** Positions one step ago, laid out as `positions`. */
    this.previous = new Float64Array(count * 3)
    /** Where pinned points go in the next step, laid out as `positions`. */
    this.targets = new Float64Array(count * 3)
    /** `positions` as f32, for three.js. */
    this.output = new Float32Array(count * 3)
    /** Unit normals, laid out as `positions`. */
    this.normals = new Float32Array(count * 3)
    /** Sums of the normals of the triangles around each point. */
    this.normalSums = new Float64Array(count * 3)
    /** 1 = pinned. */
    this.pinned = new Uint8Array(count)
    /** `[ax, ay, az, bx, by, bz, radius] × capsules`, world, metres. May be written between steps. */
    this.capsules = new Float64Array(capsules.length * CAPSULE)
    capsules.forEach(({ a, b, radius }, c) => this.capsules.set([...a, ...b, radius], c * CAPSULE))
    this.floor = floor
    /** Whether points can meet anything. */
    this.collides = capsules.length > 0 || floor > -Infinity
    /** `[minX, minY, minZ, maxX, maxY, maxZ, centreX, centreY, centreZ, radius]` of the box and the sphere around the points. */
    this.bounds = new Float64Array(10)

    for (let j = 0; j < rows; j++)
      for (let i = 0; i < columns; i++) {
        const k = j * columns + i
        this.positions.set(place(i, j), k * 3)
        this.pinned[k] = pinned(i, j) ? 1 : 0
      }
    this.previous.set(this.positions)
    this.targets.set(this.positions)

    /** @type {[a: number, b: number, stiffness: number][]} */
    const links = []
    const { structural, shear, bend } = STIFFNESS
    for (let j = 0; j < rows; j++)
      for (let i = 0; i < columns; i++) {
        const k = j * columns + i
        const right = i + 1 < columns
        const down = j + 1 < rows
        if (right) links.push([k, k + 1, structural])
        if (down) links.push([k, k + columns, structural])
        if (right && down) links.push([k, k + columns + 1, shear], [k + 1, k + columns, shear])
        if (i + 2 < columns) links.push([k, k + 2, bend])
        if (j + 2 < rows) links.push([k, k + 2 * columns, bend])
      }
    /** All links of the sheet, those between two pinned points too. */
    this.linkCount = links.length
    /** `[a, b] × structural links`, for measuring stretch. */
    this.structural = Uint32Array.from(links.filter(([, , s]) => s === structural).flatMap(([a, b]) => [a, b]))
    this.structuralRest = Float32Array.from({ length: this.structural.length / 2 }, (_, s) =>
      distance(this.positions, this.structural[2 * s], this.structural[2 * s + 1]),
    )

    const live = links.filter(([a, b]) => !(this.pinned[a] && this.pinned[b]))
    /** Offsets of each link's ends in `positions`. */
    this.linkA = Uint32Array.from(live, ([a]) => a * 3)
    this.linkB = Uint32Array.from(live, ([, b]) => b * 3)
    /** Rest length, metres. */
    this.rest = Float32Array.from(live, ([a, b]) => distance(this.positions, a, b))
    /** Part of a link's error that each end takes: stiffness, halved between two free ends, 0 at a pinned one. */
    const share = (/** @type {number} */ end, /** @type {number} */ other, /** @type {number} */ s) =>
      this.pinned[end] ? 0 : this.pinned[other] ? Math.fround(s) : Math.fround(s) / 2
    this.shareA = Float32Array.from(live, ([a, b, s]) => share(a, b, s))
    this.shareB = Float32Array.from(live, ([a, b, s]) => share(b, a, s))

    /** Offsets in `positions`, three a triangle. */
    this.triangles = new Uint32Array((columns - 1) * (rows - 1) * 6)
    for (let j = 0, t = 0; j < rows - 1; j++)
      for (let i = 0; i < columns - 1; i++, t += 6) {
        const a = (j * columns + i) * 3
        const c = a + columns * 3
        this.triangles.set([a, c, a + 3, a + 3, c, c + 3], t)
      }
    computeNormals(this.positions, this.normalSums, this.normals, this.triangles)
    show(this.positions, this.output, this.bounds)
  }

  /**
   * One whole step: wind, integration, links, capsules, floor, normals, bounds.
   * @param {number} h seconds
   * @param {number} iterations 1 or more
   * @param {number} windX m/s
   * @param {number} windY
   * @param {number} windZ
   */
  step(h, iterations, windX, windY, windZ) {
    integrate(this.positions, this.previous, this.normals, this.targets, this.pinned, h, windX, windY, windZ)
    for (let i = 0; i < iterations; i++) {
      solveLinks(this.positions, this.linkA, this.linkB, this.rest, this.shareA, this.shareB)
      if (this.collides) collide(this.positions, this.previous, this.pinned, this.capsules, this.floor)
    }
    computeNormals(this.positions, this.normalSums, this.normals, this.triangles)
    show(this.positions, this.output, this.bounds)
  }

  /** Length over rest length of the structural links: the largest and the mean. */
  stretch() {
    let max = 0
    let sum = 0
    const { structural, structuralRest, positions } = this
    for (let s = 0; s < structuralRest.length; s++) {
      const ratio = distance(positions, structural[2 * s], structural[2 * s + 1]) / structuralRest[s]
      max = Math.max(max, ratio)
      sum += ratio
    }
    return { max, mean: sum / structuralRest.length }
  }
}

/** @param {Float64Array} p @param {number} a @param {number} b */
function distance(p, a, b) {
  return Math.hypot(p[b * 3] - p[a * 3], p[b * 3 + 1] - p[a * 3 + 1], p[b * 3 + 2] - p[a * 3 + 2])
}

/**
 * Verlet with the relative wind on the normal; pinned points go to their targets and carry their previous position.
 * @param {Float64Array} p @param {Float64Array} o @param {Float32Array} normals @param {Float64Array} targets
 * @param {Uint8Array} pinned @param {number} h @param {number} windX @param {number} windY @param {number} windZ
 */
function integrate(p, o, normals, targets, pinned, h, windX, windY, windZ) {
  const h2 = h * h
  for (let k = 0, x = 0; k < pinned.length; k++, x += 3) {
    const y = x + 1
    const z = x + 2
    const px = p[x]
    const py = p[y]
    const pz = p[z]
    if (pinned[k] !== 0) {
      p[x] = targets[x]
      p[y] = targets[y]
      p[z] = targets[z]
    } else {
      const vx = (px - o[x]) * KEEP
      const vy = (py - o[y]) * KEEP
      const vz = (pz - o[z]) * KEEP
      const rx = windX - vx / h
      const ry = windY - vy / h
      const rz = windZ - vz / h
      const nx = normals[x]
      const ny = normals[y]
      const nz = normals[z]
      const push = (nx * rx + ny * ry + nz * rz) * WIND_RESPONSE
      p[x] = px + vx + (nx * push + rx * DRAG) * h2
      p[y] = py + vy + (ny * push + ry * DRAG - GRAVITY) * h2
      p[z] = pz + vz + (nz * push + rz * DRAG) * h2
    }
    o[x] = px
    o[y] = py
    o[z] = pz
  }
}

/**
 * One pass over the links, in the sheet's order.
 * @param {Float64Array} p @param {Uint32Array} linkA @param {Uint32Array} linkB @param {Float32Array} rest
 * @param {Float32Array} shareA @param {Float32Array} shareB
 */
function solveLinks(p, linkA, linkB, rest, shareA, shareB) {
  for (let c = 0; c < linkA.length; c++) {
    const a = linkA[c]
    const b = linkB[c]
    const ax = p[a]
    const ay = p[a + 1]
    const az = p[a + 2]
    const bx = p[b]
    const by = p[b + 1]
    const bz = p[b + 2]
    const dx = bx - ax
    const dy = by - ay
    const dz = bz - az
    const d = Math.sqrt(dx * dx + dy * dy + dz * dz) || 1e-6
    const error = (d - rest[c]) / d
    const fa = error * shareA[c]
    const fb = error * shareB[c]
    p[a] = ax + dx * fa
    p[a + 1] = ay + dy * fa
    p[a + 2] = az + dz * fa
    p[b] = bx - dx * fb
    p[b + 1] = by - dy * fb
    p[b + 2] = bz - dz * fb
  }
}

/**
 * Points out of the capsules and above the floor, which halves their sideways velocity.
 * @param {Float64Array} p @param {Float64Array} o @param {Uint8Array} pinned @param {Float64Array} capsules
 * @param {number} floor
 */
function collide(p, o, pinned, capsules, floor) {
  for (let k = 0, x = 0; k < pinned.length; k++, x += 3) {
    if (pinned[k] !== 0) continue
    for (let c = 0; c < capsules.length; c += CAPSULE) {
      const ax = capsules[c]
      const ay = capsules[c + 1]
      const az = capsules[c + 2]
      const abx = capsules[c + 3] - ax
      const aby = capsules[c + 4] - ay
      const abz = capsules[c + 5] - az
      const radius = capsules[c + 6]
      const apx = p[x] - ax
      const apy = p[x + 1] - ay
      const apz = p[x + 2] - az
      let t = (apx * abx + apy * aby + apz * abz) / (abx * abx + aby * aby + abz * abz)
      t = t < 0 ? 0 : t > 1 ? 1 : t
      const qx = p[x] - (ax + abx * t)
      const qy = p[x + 1] - (ay + aby * t)
      const qz = p[x + 2] - (az + abz * t)
      const d2 = qx * qx + qy * qy + qz * qz
      if (d2 < radius * radius) {
        const d = Math.sqrt(d2) || 1e-6
        const s = (radius - d) / d
        p[x] += qx * s
        p[x + 1] += qy * s
        p[x + 2] += qz * s
      }
    }
    if (p[x + 1] < floor) {
      p[x + 1] = floor
      o[x] += (p[x] - o[x]) * 0.5
      o[x + 2] += (p[x + 2] - o[x + 2]) * 0.5
    }
  }
}

/**
 * What three.js `BufferGeometry.computeVertexNormals` does.
 * @param {Float64Array} p @param {Float64Array} sums scratch @param {Float32Array} normals @param {Uint32Array} triangles
 */
function computeNormals(p, sums, normals, triangles) {
  sums.fill(0)
  for (let t = 0; t < triangles.length; t += 3) {
    const a = triangles[t]
    const b = triangles[t + 1]
    const c = triangles[t + 2]
    const bx = p[b]
    const by = p[b + 1]
    const bz = p[b + 2]
    const ux = p[c] - bx
    const uy = p[c + 1] - by
    const uz = p[c + 2] - bz
    const vx = p[a] - bx
    const vy = p[a + 1] - by
    const vz = p[a + 2] - bz
    const nx = uy * vz - uz * vy
    const ny = uz * vx - ux * vz
    const nz = ux * vy - uy * vx
    sums[a] += nx
    sums[a + 1] += ny
    sums[a + 2] += nz
    sums[b] += nx
    sums[b + 1] += ny
    sums[b + 2] += nz
    sums[c] += nx
    sums[c + 1] += ny
    sums[c + 2] += nz
  }
  for (let x = 0; x < normals.length; x += 3) {
    const nx = sums[x]
    const ny = sums[x + 1]
    const nz = sums[x + 2]
    const s = 1 / (Math.sqrt(nx * nx + ny * ny + nz * nz) || 1)
    normals[x] = nx * s
    normals[x + 1] = ny * s
    normals[x + 2] = nz * s
  }
}

/**
 * Output for three.js, and what its `computeBoundingBox` and `computeBoundingSphere` do.
 * @param {Float64Array} p @param {Float32Array} output @param {Float64Array} bounds
 */
function show(p, output, bounds) {
  let minX = Infinity
  let minY = Infinity
  let minZ = Infinity
  let maxX = -Infinity
  let maxY = -Infinity
  let maxZ = -Infinity
  for (let x = 0; x < p.length; x += 3) {
    const px = p[x]
    const py = p[x + 1]
    const pz = p[x + 2]
    output[x] = px
    output[x + 1] = py
    output[x + 2] = pz
    if (px < minX) minX = px
    if (px > maxX) maxX = px
    if (py < minY) minY = py
    if (py > maxY) maxY = py
    if (pz < minZ) minZ = pz
    if (pz > maxZ) maxZ = pz
  }
  const cx = (minX + maxX) / 2
  const cy = (minY + maxY) / 2
  const cz = (minZ + maxZ) / 2
  let radius2 = 0
  for (let x = 0; x < p.length; x += 3) {
    const dx = p[x] - cx
    const dy = p[x + 1] - cy
    const dz = p[x + 2] - cz
    const d2 = dx * dx + dy * dy + dz * dz
    if (d2 > radius2) radius2 = d2
  }
  bounds[0] = minX
  bounds[1] = minY
  bounds[2] = minZ
  bounds[3] = maxX
  bounds[4] = maxY
  bounds[5] = maxZ
  bounds[6] = cx
  bounds[7] = cy
  bounds[8] = cz
  bounds[9] = Math.sqrt(radius2)
}
