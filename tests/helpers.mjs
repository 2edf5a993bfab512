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
