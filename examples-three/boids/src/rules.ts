import type { Boids } from 'limber'

export const RULES = ['separation', 'alignment', 'cohesion'] as const
export type Rule = (typeof RULES)[number]

/** 저절로 바뀌는 한 바퀴와, 그 안에서 정렬 · 결집을 끄는 때(초) */
const CYCLE = 14
const OFF = 9

/** 규칙의 켬/끔: 손으로 고르거나, 14초마다 저절로 바뀐다. */
export class Rules {
  separation = true
  alignment = true
  cohesion = true
  #auto: boolean
  #clock = 0

  constructor(auto: boolean) {
    this.#auto = auto
  }

  get auto(): boolean {
    return this.#auto
  }

  /** 켜면 한 바퀴를 처음부터 시작한다. */
  set auto(on: boolean) {
    if (on === this.#auto) return
    this.#auto = on
    this.#clock = 0
    this.advance(0)
  }

  /** 정렬이나 결집이 켜져 있는가 */
  get flocking(): boolean {
    return this.alignment || this.cohesion
  }

  /** 정렬과 결집을 한꺼번에. 손으로 고르면 저절로 바뀌지 않는다. */
  set flocking(on: boolean) {
    this.#auto = false
    this.alignment = this.cohesion = on
  }

  get phase(): 'school' | 'aligned' | 'gathering' | 'scatter' {
    if (this.alignment) return this.cohesion ? 'school' : 'aligned'
    return this.cohesion ? 'gathering' : 'scatter'
  }

  /** 다음에 바뀔 때까지 남은 시간(초) */
  get left(): number {
    return (this.#clock < OFF ? OFF : CYCLE) - this.#clock
  }

  /** 남은 시간의 몫(1 → 0) */
  get share(): number {
    return this.left / (this.#clock < OFF ? OFF : CYCLE - OFF)
  }

  toggle(rule: Rule): void {
    this.#auto = false
    this[rule] = !this[rule]
  }

  advance(dt: number): void {
    if (!this.#auto) return
    this.#clock = (this.#clock + dt) % CYCLE
    this.separation = true
    this.alignment = this.cohesion = this.#clock < OFF
  }

  /** 물고기에게 알린다. */
  apply({ rules }: Boids): void {
    for (const rule of RULES) if (rules[rule].enabled !== this[rule]) rules[rule].enabled = this[rule]
  }
}
