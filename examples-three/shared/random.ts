/** 씨앗이 같으면 늘 같은 수열을 주는 난수(mulberry32). 0 이상 1 미만. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** 가장자리가 이어지는 값 노이즈. x · y 는 0~1 에서 한 바퀴, 결과는 0~1. */
export function tileableNoise(cells: number, seed: number): (x: number, y: number) => number {
  const random = seeded(seed)
  const grid = Float32Array.from({ length: cells * cells }, random)
  const at = (i: number, j: number): number =>
    grid[(((j % cells) + cells) % cells) * cells + (((i % cells) + cells) % cells)]!
  return (x, y) => {
    const u = x * cells
    const v = y * cells
    const i = Math.floor(u)
    const j = Math.floor(v)
    const s = (u - i) * (u - i) * (3 - 2 * (u - i))
    const t = (v - j) * (v - j) * (3 - 2 * (v - j))
    const top = at(i, j) + (at(i + 1, j) - at(i, j)) * s
    const bottom = at(i, j + 1) + (at(i + 1, j + 1) - at(i, j + 1)) * s
    return top + (bottom - top) * t
  }
}

/** 0~1 로 부드럽게 넘어가는 값. */
export function smoothstep(from: number, to: number, x: number): number {
  const t = Math.min(1, Math.max(0, (x - from) / (to - from)))
  return t * t * (3 - 2 * t)
}

/** 프레임 길이와 상관없이 같은 빠르기로 목표에 다가간다. rate 는 1/초. */
export function approach(value: number, target: number, rate: number, dt: number): number {
  return target + (value - target) * Math.exp(-rate * dt)
}
