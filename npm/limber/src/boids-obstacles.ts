import { isPair } from './boids-points.js'
import { Colliders, type Collider, type ColliderHost } from './colliders.js'
import { LimberError } from './error.js'
import { FAR } from './vector.js'
import { isIterable } from './vertices.js'

type Flat<Shape> = Shape extends unknown
  ? {
      [Key in keyof Shape]: Key extends 'center' | 'a' | 'b' | 'normal' | 'halfExtents'
        ? Shape[Key] | readonly [x: number, y: number]
        : Shape[Key]
    }
  : never

/** A collider. In 2D its points, directions and half extents may be `[x, y]`. */
export type BoidsObstacle = Flat<Collider>

/** The obstacles of boids: {@link Colliders} by another name. */
export class Obstacles extends Colliders {
  readonly #flat: boolean

  /** @internal */
  constructor(host: ColliderHost, dimensions: 2 | 3) {
    super(host)
    this.#flat = dimensions === 2
  }

  override at(index: number): Collider {
    return renamed(() => super.at(index))
  }

  override remove(index: number): void {
    renamed(() => super.remove(index))
  }

  override set(index: number, obstacle: BoidsObstacle): void {
    renamed(() => super.set(index, this.#whole(obstacle)))
  }

  override add(obstacle: BoidsObstacle): number {
    return renamed(() => super.add(this.#whole(obstacle)))
  }

  override replace(obstacles: Iterable<BoidsObstacle>): void {
    const all = isIterable(obstacles) ? Array.from(obstacles, (obstacle) => this.#whole(obstacle)) : obstacles
    renamed(() => super.replace(all))
  }

  /** With three coordinates each. */
  #whole(obstacle: BoidsObstacle): Collider {
    if (!this.#flat || !POINTS.some((key) => isPair((obstacle as Partial<Record<string, unknown>> | null)?.[key]))) {
      return obstacle as Collider
    }
    const whole: Record<string, unknown> = { ...obstacle }
    for (const key of POINTS) {
      const given = whole[key]
      // What has no height in the plane goes on for ever out of it.
      if (isPair(given)) whole[key] = [...given, key === 'halfExtents' ? FAR : 0]
    }
    return whole as unknown as Collider
  }
}

const POINTS = ['center', 'a', 'b', 'normal', 'halfExtents'] as const

/** Runs what names colliders where the user has obstacles. */
function renamed<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof LimberError) || !/\bcolliders?\b/.test(error.message)) throw error
    throw new LimberError(
      error.code,
      error.message.replace(/\ba collider\b/g, 'an obstacle').replace(/\bcolliders\b/g, 'obstacles'),
      { cause: error },
    )
  }
}
