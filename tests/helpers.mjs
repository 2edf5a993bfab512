import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { LimberError } from 'limber'

/** What `run` threw, which must be a {@link LimberError}. */
export function refusal(run) {
  try {
    run()
  } catch (error) {
    if (error instanceof LimberError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** The largest difference between two lists of numbers, NaN if one is. @returns {number} */
export function farthest(a, b) {
  if (a.length !== b.length) return NaN
  let most = 0
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i] - b[i])
    if (Number.isNaN(difference)) return NaN
    if (difference > most) most = difference
  }
  return most
}

/** Whether all are finite. */
export function allFinite(numbers) {
  return numbers.every(Number.isFinite)
}

/**
 * What a script beside this one measures of the JavaScript heap, in bytes. Whether a number is boxed is the compiler's
 * choice, and differs from run to run of the same code: of up to six runs the least counts, since what is made on purpose is
 * made in all. It ends as soon as there is less than `most`.
 *
 * @param {string} script @param {string} backend @param {{kept: number, made: number}} most
 */
export function heap(script, backend, most) {
  const least = { kept: Infinity, made: Infinity }
  const file = fileURLToPath(new URL(script, import.meta.url))
  for (let run = 0; run < 6 && !(least.made < most.made && least.kept < most.kept); run++) {
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', file, backend], { encoding: 'utf8' })
    if (stderr) throw new Error(stderr)
    const { kept, made } = JSON.parse(stdout)
    least.kept = Math.min(least.kept, kept)
    least.made = Math.min(least.made, made)
  }
  return least
}
