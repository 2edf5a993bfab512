import type { BoidsAlignment } from './generated/options.js'

/** What a rule is set to. */
type RuleOptions = { -readonly [K in keyof BoidsAlignment]: BoidsAlignment[K] }

/** One of the three rules. What is set acts from the next step on. */
export class BoidsRule implements RuleOptions {
  readonly #read: () => Readonly<RuleOptions>
  readonly #write: (change: Partial<RuleOptions>) => void

  /** @internal */
  constructor(read: () => Readonly<RuleOptions>, write: (change: Partial<RuleOptions>) => void) {
    this.#read = read
    this.#write = write
  }

  /** Whether it acts. */
  get enabled(): boolean {
    return this.#read().enabled
  }

  set enabled(enabled: boolean) {
    this.#write({ enabled })
  }

  /** How strongly; its unit is that of the rule's option. */
  get weight(): number {
    return this.#read().weight
  }

  set weight(weight: number) {
    this.#write({ weight })
  }

  /** Who is nearer than this counts, metres. */
  get radius(): number {
    return this.#read().radius
  }

  set radius(radius: number) {
    this.#write({ radius })
  }

  /** Only who is within this angle about the heading counts, half of it to either side, radians from 0 to 2π. */
  get angle(): number {
    return this.#read().angle
  }

  set angle(angle: number) {
    this.#write({ angle })
  }
}
