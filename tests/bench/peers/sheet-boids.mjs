/**
 * Boids in plain JavaScript: the order sheet's way, and a lean one with cells.
 *
 * Both are of the sheet's rules, with its gains, every boid reading the state before the step, and without its random wobble, so
 * that results can be compared. `tests/bench/sheet-boids.test.mjs` holds both against the golden.
 */

/**
 * @typedef {object} Rules
 * @property {number[]} size of the torus from 0, two or three sides
 * @property {number} dt
 * @property {number} view2 square of the radius of alignment and cohesion
 * @property {number} separation2 square of the radius of separation
 * @property {number} separation @property {number} alignment @property {number} cohesion gains a step
 * @property {number} minSpeed @property {number} maxSpeed
 */

/** The sheet's rules in its world. @type {Rules} */
export const SHEET = {
  size: [1.6, 1],
  dt: 1 / 60,
  view2: 0.012,
  separation2: 0.0012,
  separation: 0.00025,
  alignment: 0.06,
  cohesion: 0.05,
  minSpeed: 0.12,
  maxSpeed: 0.28,
}

/** Added to squares of distances, the sheet's. @param {Rules} rules */
const softness = ({ separation2 }) => separation2 / 12

/** The sheet's code: an object a fish, and each looks at all others. In 2D. */
export class SheetBoids {
  /** @param {Rules} rules @param {ArrayLike<number>} positions @param {ArrayLike<number>} velocities `[x, y, z] × boids` */
  constructor(rules, positions, velocities) {
    this.rules = rules
    this.start = { positions, velocities }
    this.fish = Array.from({ length: positions.length / 3 }, () => ({ x: 0, y: 0, vx: 0, vy: 0, nx: 0, ny: 0 }))
    this.reset()
  }

  /** Back to the start. */
  reset() {
    const { positions, velocities } = this.start
    for (const [i, fish] of this.fish.entries()) {
      fish.x = positions[i * 3]
      fish.y = positions[i * 3 + 1]
      fish.vx = velocities[i * 3]
      fish.vy = velocities[i * 3 + 1]
    }
  }

  step() {
    const { rules, fish } = this
    const { dt, view2, separation2, separation, alignment, cohesion, minSpeed, maxSpeed } = rules
    const [width, height] = rules.size
    const soft = softness(rules)
    for (const f of fish) {
      let [sx, sy, ax, ay, cx, cy, n] = [0, 0, 0, 0, 0, 0, 0]
      for (const o of fish) {
        if (o === f) continue
        let dx = o.x - f.x
        let dy = o.y - f.y
        if (dx > width / 2) dx -= width
        if (dx < -width / 2) dx += width
        if (dy > height / 2) dy -= height
        if (dy < -height / 2) dy += height
        const d2 = dx * dx + dy * dy
        if (d2 < view2) {
          n++
          ax += o.vx
          ay += o.vy
          cx += dx
          cy += dy
          if (d2 < separation2) {
            sx -= dx / (d2 + soft)
            sy -= dy / (d2 + soft)
          }
        }
      }
      let vx = f.vx + sx * separation
      let vy = f.vy + sy * separation
      if (n) {
        vx += (ax / n - vx) * alignment
        vy += (ay / n - vy) * alignment
        vx += (cx / n) * cohesion
        vy += (cy / n) * cohesion
      }
      const speed = Math.hypot(vx, vy)
      const wanted = speed < minSpeed ? minSpeed : speed > maxSpeed ? maxSpeed : speed
      f.nx = (vx / (speed || 1)) * wanted
      f.ny = (vy / (speed || 1)) * wanted
    }
    for (const f of fish) {
      f.vx = f.nx
      f.vy = f.ny
      f.x = (f.x + f.vx * dt + width) % width
      f.y = (f.y + f.vy * dt + height) % height
    }
  }

  /** @param {Float64Array} positions @param {Float64Array} velocities `[x, y, z] × boids` */
  read(positions, velocities) {
    this.fish.forEach(({ x, y, vx, vy }, i) => {
      positions.set([x, y, 0], i * 3)
      velocities.set([vx, vy, 0], i * 3)
    })
  }
}

/** Typed arrays, boids sorted into cells each step, each looks at the cells about it. In 2D or 3D; allocates nothing in a step. */
export class CellBoids {
  /** @param {Rules} rules @param {ArrayLike<number>} positions @param {ArrayLike<number>} velocities `[x, y, z] × boids` */
  constructor(rules, positions, velocities) {
    this.rules = rules
    const count = (this.count = positions.length / 3)
    const [width, height, depth = 0] = rules.size
    this.flat = depth === 0
    const radius = Math.sqrt(rules.view2)
    this.cells = [width, height, depth].map((side) => Math.max(1, Math.floor(side / radius)))
    const numbers = () => new Float64Array(count)
    const fields = () => ({ x: numbers(), y: numbers(), z: numbers(), vx: numbers(), vy: numbers(), vz: numbers() })
    this.state = fields()
    this.sorted = fields()
    this.begin = { positions, velocities }
    this.reset()
    this.who = new Uint32Array(count)
    this.cellOf = new Uint32Array(count)
    this.start = new Uint32Array(this.cells[0] * this.cells[1] * this.cells[2] + 1)
  }

  /** Back to the start. */
  reset() {
    const { x, y, z, vx, vy, vz } = this.state
    const { positions, velocities } = this.begin
    for (let i = 0; i < this.count; i++) {
      x[i] = positions[i * 3]
      y[i] = positions[i * 3 + 1]
      z[i] = positions[i * 3 + 2]
      vx[i] = velocities[i * 3]
      vy[i] = velocities[i * 3 + 1]
      vz[i] = velocities[i * 3 + 2]
    }
  }

  sort() {
    const { state, sorted, who, cellOf, start, count } = this
    const [across, up, deep] = this.cells
    const [width, height, depth = 1] = this.rules.size
    start.fill(0)
    for (let i = 0; i < count; i++) {
      const cx = Math.min(across - 1, (state.x[i] / width) * across) | 0
      const cy = Math.min(up - 1, (state.y[i] / height) * up) | 0
      const cz = Math.min(deep - 1, (state.z[i] / depth) * deep) | 0
      const cell = (cz * up + cy) * across + cx
      cellOf[i] = cell
      start[cell]++
    }
    let sum = 0
    for (let c = 0; c < start.length; c++) start[c] = sum += start[c]
    for (let i = count - 1; i >= 0; i--) {
      const to = --start[cellOf[i]]
      who[to] = i
      sorted.x[to] = state.x[i]
      sorted.y[to] = state.y[i]
      sorted.z[to] = state.z[i]
      sorted.vx[to] = state.vx[i]
      sorted.vy[to] = state.vy[i]
      sorted.vz[to] = state.vz[i]
    }
  }

  step() {
    this.sort()
    const { rules, state, who, cellOf, start, count, flat } = this
    const { x, y, z, vx, vy, vz } = this.sorted
    const { dt, view2, separation2, separation, alignment, cohesion, minSpeed, maxSpeed } = rules
    const [across, up, deep] = this.cells
    const [width, height, depth = 1] = rules.size
    const soft = softness(rules)
    for (let i = 0; i < count; i++) {
      const [px, py, pz] = [x[i], y[i], z[i]]
      const cell = cellOf[who[i]]
      const cx = cell % across
      const cy = ((cell / across) | 0) % up
      const cz = (cell / (across * up)) | 0
      let [sx, sy, sz, ax, ay, az, mx, my, mz, n] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
      for (let dz = flat ? 0 : -1; dz <= (flat ? 0 : 1); dz++) {
        const wz = cz + dz < 0 ? deep - 1 : cz + dz >= deep ? 0 : cz + dz
        const oz = cz + dz < 0 ? -depth : cz + dz >= deep ? depth : 0
        for (let dy = -1; dy <= 1; dy++) {
          const wy = cy + dy < 0 ? up - 1 : cy + dy >= up ? 0 : cy + dy
          const oy = cy + dy < 0 ? -height : cy + dy >= up ? height : 0
          for (let dx = -1; dx <= 1; dx++) {
            const wx = cx + dx < 0 ? across - 1 : cx + dx >= across ? 0 : cx + dx
            const ox = cx + dx < 0 ? -width : cx + dx >= across ? width : 0
            const c = (wz * up + wy) * across + wx
            for (let j = start[c]; j < start[c + 1]; j++) {
              const ex = x[j] + ox - px
              const ey = y[j] + oy - py
              const ez = z[j] + oz - pz
              const d2 = ex * ex + ey * ey + ez * ez
              if (d2 < view2 && j !== i) {
                n++
                ax += vx[j]
                ay += vy[j]
                az += vz[j]
                mx += ex
                my += ey
                mz += ez
                if (d2 < separation2) {
                  const per = 1 / (d2 + soft)
                  sx -= ex * per
                  sy -= ey * per
                  sz -= ez * per
                }
              }
            }
          }
        }
      }
      let ux = vx[i] + sx * separation
      let uy = vy[i] + sy * separation
      let uz = vz[i] + sz * separation
      if (n > 0) {
        ux += (ax / n - ux) * alignment
        uy += (ay / n - uy) * alignment
        uz += (az / n - uz) * alignment
        ux += (mx / n) * cohesion
        uy += (my / n) * cohesion
        uz += (mz / n) * cohesion
      }
      const speed = Math.sqrt(ux * ux + uy * uy + uz * uz)
      const wanted = (speed < minSpeed ? minSpeed : speed > maxSpeed ? maxSpeed : speed) / (speed || 1)
      const me = who[i]
      state.vx[me] = ux * wanted
      state.vy[me] = uy * wanted
      state.vz[me] = uz * wanted
    }
    for (let i = 0; i < count; i++) {
      state.x[i] = (state.x[i] + state.vx[i] * dt + width) % width
      state.y[i] = (state.y[i] + state.vy[i] * dt + height) % height
      if (!flat) state.z[i] = (state.z[i] + state.vz[i] * dt + depth) % depth
    }
  }

  /** @param {Float64Array} positions @param {Float64Array} velocities `[x, y, z] × boids` */
  read(positions, velocities) {
    const { x, y, z, vx, vy, vz } = this.state
    for (let i = 0; i < this.count; i++) {
      positions[i * 3] = x[i]
      positions[i * 3 + 1] = y[i]
      positions[i * 3 + 2] = z[i]
      velocities[i * 3] = vx[i]
      velocities[i * 3 + 1] = vy[i]
      velocities[i * 3 + 2] = vz[i]
    }
  }
}
