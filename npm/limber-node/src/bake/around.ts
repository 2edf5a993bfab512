/**
 * Positions that go round a torus, as keyframes. Where a boid goes round, between two recorded frames, it swims on for half
 * of the time, out of the world by half a frame's way at most, and for the other half it swims in at the opposite side. The two
 * keyframes in the middle are at times next to each other in 32 bits, so that no player shows what is between them.
 */

/** Keyframes. */
export interface Keys {
  /** Seconds: the first 0, the last that of the last frame. */
  times: Float32Array<ArrayBuffer>
  /** So many numbers × times. */
  values: Float32Array<ArrayBuffer>
}

/** The frames before which `positions` went round a torus of these sizes, ascending. */
export function crossings(positions: Float64Array, around: readonly number[]): number[] {
  const found: number[] = []
  for (let frame = 1; frame < positions.length / 3; frame++) {
    const way = (c: number) => Math.abs(positions[frame * 3 + c]! - positions[frame * 3 - 3 + c]!)
    if (around.some((size, c) => way(c) > size / 2)) found.push(frame)
  }
  return found
}

/** Keyframes up to a crossing and those after it, with the way across. */
export function across(before: Keys, after: Keys, around: readonly number[]): Keys {
  const [from, to] = [before.values.subarray(-3), after.values.subarray(0, 3)]
  const half = around.map((size, c) => {
    const way = to[c]! - from[c]!
    return (way - (size > 0 ? Math.round(way / size) * size : 0)) / 2
  })
  const middle = Math.fround((before.times.at(-1)! + after.times[0]!) / 2)
  return {
    times: Float32Array.from([...before.times, middle, following(middle), ...after.times]),
    values: Float32Array.from([
      ...before.values,
      ...half.map((way, c) => from[c]! + way),
      ...half.map((way, c) => to[c]! - way),
      ...after.values,
    ]),
  }
}

/** The next larger number in 32 bits, of one above 0. */
function following(value: number): number {
  const numbers = Float32Array.of(value)
  new Uint32Array(numbers.buffer)[0]! += 1
  return numbers[0]!
}
