import type { Boids } from 'limber'

/** 이만큼은 이어져 있어야 한 무리로 센다(마리). */
const SCHOOL = 4

/** 이웃끼리 이어진 무리의 수와, 이웃과 얼마나 같은 쪽으로 헤엄치는지(1 이면 꼭 같다). */
export function measure(boids: Boids): { groups: number; order: number } {
  const { velocities, ids } = boids
  const neighbours = Array.from(ids, (id) => boids.neighbours(id))
  const seen = new Set<number>()
  let groups = 0
  for (const id of ids) {
    const before = seen.size
    const queue = [id]
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (seen.has(next)) continue
      seen.add(next)
      queue.push(...neighbours[next]!)
    }
    if (seen.size - before >= SCHOOL) groups++
  }
  let order = 0
  let pairs = 0
  for (const [i, near] of neighbours.entries())
    for (const j of near) {
      const [ax, ay, bx, by] = [velocities[i * 3]!, velocities[i * 3 + 1]!, velocities[j * 3]!, velocities[j * 3 + 1]!]
      order += (ax * bx + ay * by) / (Math.hypot(ax, ay) * Math.hypot(bx, by))
      pairs++
    }
  return { groups, order: pairs ? order / pairs : 0 }
}
