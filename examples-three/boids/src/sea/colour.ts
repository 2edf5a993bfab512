/** 바다의 빛깔: [위에서부터의 몫, 색] */
export const WATER = [
  [0, '#7fe4ea'],
  [0.2, '#2ab0d8'],
  [0.6, '#1b82c4'],
  [1, '#0a3a7a'],
] as const

export type Rgb = readonly [number, number, number]

export const rgb = (hex: string): Rgb => {
  const n = parseInt(hex.slice(1), 16)
  return [n >> 16, (n >> 8) & 255, n & 255]
}

/** 두 색 사이. t 가 0 이면 a, 1 이면 b. */
export function mix(a: string, b: string, t: number): string {
  const [from, to] = [rgb(a), rgb(b)]
  const at = (k: 0 | 1 | 2): string =>
    Math.round(from[k] + (to[k] - from[k]) * t)
      .toString(16)
      .padStart(2, '0')
  return `#${at(0)}${at(1)}${at(2)}`
}

/** 색에 투명도를 붙인다. */
export const alpha = (hex: string, a: number): string => `rgb(${rgb(hex).join(' ')} / ${a})`
