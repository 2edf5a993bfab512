/**
 * Boids in float64, written from the order sheet and the comments of the options: everybody looks at everybody, and all read the
 * state before the step. Without chance (`wander` is 0) and without banking.
 */

/** Seconds of a step. */
export const STEP = 1 / 60
const TURN = 2 * Math.PI

/** The sheet's numbers. */
export const SHEET_RULES = {
  separation: { enabled: true, radius: Math.sqrt(0.0012), weight: 0.00025 / 0.0012, angle: TURN },
  alignment: { enabled: true, radius: Math.sqrt(0.012), weight: 0.06, angle: TURN },
  cohesion: { enabled: true, radius: Math.sqrt(0.012), weight: 0.05, angle: TURN },
}

const DEFAULTS = {
  dimensions: 3,
  speed: { min: 0.12, max: 0.28 },
  turnLimit: null,
  topological: false,
  nearest: 7,
  walls: { margin: 0.25, weight: 0.15 },
  avoidance: { time: 0.5, weight: 0.2 },
  flight: { radius: 0.2, weight: 0.1 },
  species: [{ flocksWith: [0], flees: [], speed: 1 }],
  repellers: [],
  /** `{ center, radius }` each. */
  balls: [],
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
const length = (a) => Math.sqrt(dot(a, a))
const plus = (a, b, by = 1) => [a[0] + b[0] * by, a[1] + b[1] * by, a[2] + b[2] * by]
const times = (a, by) => [a[0] * by, a[1] * by, a[2] * by]

/** How near to a border of a choice rounding decides, as a part of it. */
const DOUBT = 2e-5

/**
 * @typedef {object} Fish
 * @property {number[]} at metres
 * @property {number[]} going m/s, not 0
 * @property {number} species
 * @property {boolean} doubtful whether rounding may have decided a choice of the last step
 * @property {number} strain how many times larger than their sum the parts of the velocity were in the last step
 */

export class BoidsReference {
  /** @param {object} setup as that of `Boids`, with `rules` in full and bounds as it gives them */
  constructor(setup) {
    this.setup = { ...DEFAULTS, rules: SHEET_RULES, ...setup }
    const { bounds, dimensions } = this.setup
    const { kind } = bounds
    this.low = kind === 'sphere' ? bounds.center.map((c) => c - bounds.radius) : [...bounds.min]
    this.high = kind === 'sphere' ? bounds.center.map((c) => c + bounds.radius) : [...bounds.max]
    this.axes = dimensions === 2 ? [0, 1] : [0, 1, 2]
    /** @type {Fish[]} */
    this.fish = []
  }

  /** Takes the state of others. @param {ArrayLike<number>} positions @param {ArrayLike<number>} velocities @param {ArrayLike<number>} [species] */
  take(positions, velocities, species) {
    const three = (list, i) => [list[i * 3], list[i * 3 + 1], list[i * 3 + 2]]
    this.fish = Array.from({ length: positions.length / 3 }, (_, i) => ({
      at: three(positions, i),
      going: three(velocities, i),
      species: species?.[i] ?? 0,
      doubtful: false,
      strain: 1,
    }))
  }

  get positions() {
    return this.fish.flatMap(({ at }) => at)
  }

  get velocities() {
    return this.fish.flatMap(({ going }) => going)
  }

  /** From one place to another, the shorter way round. */
  way(from, to) {
    const way = plus(to, from, -1)
    if (this.setup.bounds.kind !== 'torus') return way
    for (const c of this.axes) {
      const side = this.high[c] - this.low[c]
      way[c] -= side * Math.round(way[c] / side)
    }
    return way
  }

  step() {
    const next = this.fish.map((one) => this.steered(one))
    this.fish.forEach((one, i) => {
      Object.assign(one, next[i])
      one.at = this.moved(one.at, one.going)
    })
  }

  /** @param {Fish} own */
  steered(own) {
    const { rules, speed, species, topological, nearest, turnLimit } = this.setup
    const kind = species[own.species]
    const [slowest, fastest] = [speed.min * (kind.speed ?? 1), speed.max * (kind.speed ?? 1)]
    const heading = times(own.going, 1 / length(own.going))
    let doubtful = false
    const near = (value, border, scale = Math.abs(border)) => {
      if (Math.abs(value - border) < DOUBT * scale) doubtful = true
      return value < border
    }
    /** Whether a rule sees one that is `d` away. */
    const sees = ({ enabled, radius, weight, angle }, d) => {
      const square = dot(d, d)
      if (!enabled || weight === 0 || !near(square, radius * radius)) return false
      if (angle >= 6.2831) return true
      return near(-dot(d, heading) / Math.sqrt(square), -Math.cos(angle / 2), 1)
    }
    const others = this.fish.filter((other) => other !== own).map((other) => ({ other, d: this.way(own.at, other.at) }))
    let parts = length(own.going)
    let v = [...own.going]
    const add = (gain) => {
      parts += length(gain)
      v = plus(v, gain)
    }

    const { separation, alignment, cohesion } = rules
    const kin = kind.flocksWith ?? [own.species]
    const flock = others
      .filter(({ other }) => kin.includes(other.species))
      .map(({ other, d }) => ({ other, d, aligned: sees(alignment, d), cohering: sees(cohesion, d) }))
      .filter(({ aligned, cohering }) => aligned || cohering)
      .sort((a, b) => dot(a.d, a.d) - dot(b.d, b.d))
    if (topological && flock.length > nearest) {
      near(dot(flock[nearest - 1].d, flock[nearest - 1].d), dot(flock[nearest].d, flock[nearest].d))
      flock.length = nearest
    }
    let push = [0, 0, 0]
    for (const { d } of others) {
      if (!sees(separation, d)) continue
      const [square, soft] = [dot(d, d), separation.radius ** 2 / 12]
      // Nearer than radius/√12 each pushes as strongly as there.
      const one = times(d, -1 / (square < soft ? 2 * Math.sqrt(square * soft) : square + soft))
      parts += length(one) * separation.weight * separation.radius ** 2
      push = plus(push, one)
    }
    v = plus(v, push, separation.weight * separation.radius ** 2)
    const mean = (list, of) =>
      times(
        list.reduce((sum, one) => plus(sum, of(one)), [0, 0, 0]),
        1 / list.length,
      )
    const [aligned, cohering] = [flock.filter((one) => one.aligned), flock.filter((one) => one.cohering)]
    if (aligned.length > 0) {
      const going = mean(aligned, ({ other }) => other.going)
      add(times(plus(going, v, -1), alignment.weight))
    }
    if (cohering.length > 0)
      add(
        times(
          mean(cohering, ({ d }) => d),
          cohesion.weight,
        ),
      )

    const { flight } = this.setup
    for (const { other, d } of others) {
      if (!(kind.flees ?? []).includes(other.species)) continue
      if (flight.weight === 0 || !near(dot(d, d), flight.radius ** 2)) continue
      add(times(d, (-flight.weight * flight.radius ** 2) / (dot(d, d) + flight.radius ** 2 / 20)))
    }
    for (const { position, radius = 0.2, weight = 0.1 } of this.setup.repellers) {
      const d = this.way(own.at, position)
      if (!near(dot(d, d), radius ** 2)) continue
      add(times(d, (-weight * radius ** 2) / (dot(d, d) + radius ** 2 / 20)))
    }
    const { avoidance } = this.setup
    for (const { center, radius } of this.setup.balls) {
      const d = this.way(center, own.at)
      const share = Math.min(1, Math.max(0, 1 - (length(d) - radius) / (fastest * avoidance.time)))
      add(times(d, (share * fastest * avoidance.weight) / length(d)))
    }
    add(times(this.back(own.at), fastest * this.setup.walls.weight))
    if (this.axes.length === 2) v[2] = 0

    const size = length(v)
    let way = times(v, 1 / size)
    if (turnLimit !== null) {
      const most = turnLimit * STEP
      const cos = dot(way, heading)
      const beside = plus(way, heading, -cos)
      const angle = Math.atan2(length(beside), cos)
      if (angle > Math.PI - 0.05) doubtful = true
      if (angle > most) {
        way = plus(times(heading, Math.cos(most)), beside, Math.sin(most) / length(beside))
        parts /= Math.min(1, length(beside))
      }
    }
    return {
      going: times(way, Math.min(Math.max(size, slowest), fastest)),
      doubtful,
      strain: parts / size,
    }
  }

  /** The way from the walls: 1 at one, 0 from the margin on. */
  back(at) {
    const { bounds, walls } = this.setup
    const margin = walls.margin * 0.5 * Math.min(...this.axes.map((c) => this.high[c] - this.low[c]))
    const share = (inside) => Math.max(0, 1 - inside / margin)
    if (bounds.kind === 'torus') return [0, 0, 0]
    if (bounds.kind === 'box') {
      return [0, 1, 2].map((c) =>
        this.axes.includes(c) ? share(at[c] - this.low[c]) - share(this.high[c] - at[c]) : 0,
      )
    }
    const out = plus(at, bounds.center, -1)
    return length(out) === 0 ? [0, 0, 0] : times(out, -share(bounds.radius - length(out)) / length(out))
  }

  moved(at, going) {
    const { bounds, balls } = this.setup
    let to = plus(at, going, STEP)
    for (const { center, radius } of balls) {
      const d = this.way(center, to)
      if (length(d) < radius) to = plus(center, d, radius / length(d))
    }
    if (bounds.kind === 'sphere') {
      const out = plus(to, bounds.center, -1)
      return length(out) > bounds.radius ? plus(bounds.center, out, bounds.radius / length(out)) : to
    }
    for (const c of this.axes) {
      const [low, high] = [this.low[c], this.high[c]]
      if (bounds.kind === 'torus') to[c] -= (high - low) * Math.floor((to[c] - low) / (high - low))
      else to[c] = Math.min(Math.max(to[c], low), high)
    }
    return to
  }
}
