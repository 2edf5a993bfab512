type Key = readonly [time: number, value: number]

/** 열쇠값 사이를 부드럽게 잇는다. 봉우리에서는 기울기가 0 이라 넘치지 않는다. */
export function track(...keys: Key[]): (t: number) => number {
  const slopes = keys.map(([time, value], k) => {
    const before = keys[k - 1]
    const after = keys[k + 1]
    if (!before || !after || (value - before[1]) * (after[1] - value) <= 0) return 0
    return (after[1] - before[1]) / (after[0] - before[0])
  })
  return (t) => {
    let k = keys.findIndex(([time]) => time > t)
    if (k === 0) return keys[0]![1]
    if (k < 0) return keys[keys.length - 1]![1]
    k--
    const [t0, v0] = keys[k]!
    const [t1, v1] = keys[k + 1]!
    const h = t1 - t0
    const s = (t - t0) / h
    const [a, b] = [slopes[k]! * h, slopes[k + 1]! * h]
    return v0 + s * (a + s * (3 * (v1 - v0) - 2 * a - b + s * (2 * (v0 - v1) + a + b)))
  }
}

/** 고르지 않게 깜빡인다 (0 뜸 ~ 1 감음). time 은 초. */
export function blink(time: number): number {
  const beat = time % 4.7
  const at = (start: number): number => {
    const t = beat - start
    return t < 0 || t > 0.2 ? 0 : Math.sin((t / 0.2) * Math.PI) ** 0.6
  }
  return Math.max(at(0.9), at(3.1), at(3.42))
}
