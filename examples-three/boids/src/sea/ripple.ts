import { approach } from '../../../shared/random'

/** 고리 하나가 생기는 사이와 사라지기까지(초) */
const EVERY = 0.5
const LIVES = 1.5

/** 포인터 둘레로 번지는 물결 */
export class Ripple {
  #rings: { x: number; y: number; age: number }[] = []
  #since = EVERY
  #glow = 0

  /** x, y 는 포인터의 자리(px), on 은 포인터가 물에 있는가 */
  advance(dt: number, on: boolean, x: number, y: number): void {
    this.#glow = approach(this.#glow, on ? 1 : 0, 6, dt)
    this.#since += dt
    if (on && this.#since >= EVERY) {
      this.#since = 0
      this.#rings.push({ x, y, age: 0 })
    }
    for (const ring of this.#rings) ring.age += dt
    this.#rings = this.#rings.filter(({ age }) => age < LIVES)
  }

  draw(context: CanvasRenderingContext2D, x: number, y: number, reach: number): void {
    if (this.#glow > 0.01) {
      const light = context.createRadialGradient(x, y, 0, x, y, reach)
      light.addColorStop(0, `rgb(235 255 255 / ${0.3 * this.#glow})`)
      light.addColorStop(0.5, `rgb(210 250 255 / ${0.1 * this.#glow})`)
      light.addColorStop(1, 'rgb(210 250 255 / 0)')
      context.fillStyle = light
      context.fillRect(x - reach, y - reach, reach * 2, reach * 2)
    }
    for (const ring of this.#rings) {
      const t = ring.age / LIVES
      context.strokeStyle = `rgb(240 255 255 / ${0.55 * (1 - t) ** 1.5})`
      context.lineWidth = 2.5 * (1 - t) + 0.5
      context.beginPath()
      context.arc(ring.x, ring.y, reach * (0.08 + 0.92 * (1 - (1 - t) ** 2)), 0, Math.PI * 2)
      context.stroke()
    }
  }
}
