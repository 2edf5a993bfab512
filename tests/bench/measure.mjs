/** Timing of several subjects against each other in one process. */

/** Milliseconds a sample lasts at least: shorter than the scheduler's turn on a busy machine. */
const SAMPLE = 2
/** Samples of each racer a round, of which the fastest counts: it is the one that was not interrupted. */
const TRIES = 3

/**
 * @typedef {object} Racer
 * @property {string} name
 * @property {() => void} run one unit of work
 */

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Milliseconds per unit over `count` units. @param {Racer} racer @param {number} count */
function sample({ run }, count) {
  const start = performance.now()
  for (let i = 0; i < count; i++) run()
  return (performance.now() - start) / count
}

/**
 * Runs the racers in turn, and starts each turn with another of them, drawn at random, so that whatever else the machine does
 * hits all alike. Warm-up comes first, and finds how many units a sample of each needs.
 * @param {Racer[]} racers
 * @param {{rounds: number, warmup: number}} effort warm-up in milliseconds each
 * @returns {number[][]} milliseconds per unit, `[racer][round]`
 */
export function race(racers, { rounds, warmup }) {
  const counts = racers.map((racer) => {
    const end = performance.now() + warmup
    while (performance.now() < end) racer.run()
    return Math.max(1, Math.ceil(SAMPLE / Math.min(sample(racer, 3), sample(racer, 3))))
  })
  const times = racers.map(() => new Array(rounds).fill(Infinity))
  for (let round = 0; round < rounds; round++)
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const first = Math.floor(Math.random() * racers.length)
      for (let turn = 0; turn < racers.length; turn++) {
        const r = (first + turn) % racers.length
        times[r][round] = Math.min(times[r][round], sample(racers[r], counts[r]))
      }
    }
  return times
}

/**
 * Medians of two racers, and the median over the rounds of peer / subject: rounds that the machine slowed slow both.
 * @param {number[]} subject @param {number[]} peer milliseconds per round
 */
export function compare(subject, peer) {
  return {
    subjectMs: median(subject),
    peerMs: median(peer),
    ratio: median(peer.map((ms, round) => ms / subject[round])),
  }
}
