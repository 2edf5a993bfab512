// What the scripts heap*.mjs do with what they have made: how much 10,000 steps leave on the JavaScript heap, and what one makes.

const used = () => process.memoryUsage().heapUsed

/**
 * Prints `{ kept, made }`, in bytes, as JSON. `drive` moves what is stepped, and makes numbers of its own that are none of a
 * step's. Needs --expose-gc.
 *
 * @param {() => void} drive @param {() => void} step @param {number} [warmup] steps
 */
export function report(drive, step, warmup = 6000) {
  const run = (/** @type {number} */ steps, /** @type {() => void} */ step) => {
    for (let i = 0; i < steps; i++) {
      drive()
      step()
    }
  }
  run(warmup, step)

  // The compiler's own bookkeeping may fall into a round and only adds to it: the least of some is what steps keep and make.
  let kept = Infinity
  for (let round = 0; round < 2; round++) {
    gc()
    gc()
    const before = used()
    run(10_000, step)
    gc()
    gc()
    kept = Math.min(kept, used() - before)
  }

  // Few enough steps for no collection to come between.
  const least = (/** @type {() => void} */ step) => {
    let made = Infinity
    for (let round = 0; round < 5; round++) {
      gc()
      const start = used()
      run(1000, step)
      made = Math.min(made, (used() - start) / 1000)
    }
    return made
  }
  const made = least(step) - least(() => {})
  process.stdout.write(JSON.stringify({ kept, made }))
}
