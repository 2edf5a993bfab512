import type { View } from './scenery'
import { seeded } from '../../../shared/random'

/** 산호 틈에서 줄지어 오르는 물방울과, 물에 떠다니는 티끌 */
export class Bubbles {
  #bubbles: { x: number; start: number; size: number; speed: number }[]
  #specks: { x: number; y: number; size: number; seed: number }[]

  constructor() {
    const random = seeded(40)
    const springs = [0.13, 0.82, 0.5, 0.93]
    this.#bubbles = Array.from({ length: 30 }, (_, k) => ({
      x: springs[k % springs.length]! + (random() - 0.5) * 0.03,
      start: random(),
      size: 0.35 + random() ** 2 * 0.9,
      speed: 0.055 + random() * 0.05,
    }))
    this.#specks = Array.from({ length: 60 }, () => ({
      x: random(),
      y: random(),
      size: 0.4 + random() * 0.9,
      seed: random() * 6,
    }))
  }

  draw(context: CanvasRenderingContext2D, { width, height, scale }: View, time: number): void {
    context.fillStyle = 'rgb(235 255 255)'
    for (const { x, y, size, seed } of this.#specks) {
      const px = ((((x + time * 0.004) % 1) + 1) % 1) * width + Math.sin(time * 0.4 + seed) * 8
      const py = ((((y + time * 0.003) % 1) + 1) % 1) * height * 0.85
      context.globalAlpha = 0.2 + 0.18 * Math.sin(time * 0.8 + seed)
      context.fillRect(px, py, size * 1.6, size * 1.6)
    }
    context.lineWidth = Math.max(1, scale * 0.0018)
    for (const { x, start, size, speed } of this.#bubbles) {
      const life = (start + time * speed) % 1
      const radius = scale * 0.0085 * size * (0.7 + life * 0.6)
      const px = x * width + Math.sin(time * 1.6 + start * 30) * scale * 0.006 * (0.5 + life)
      const py = height * (0.86 - life * 0.92)
      context.globalAlpha = Math.min(1, life * 8, (1 - life) * 5) * 0.85
      context.fillStyle = 'rgb(225 252 255 / 0.16)'
      context.strokeStyle = 'rgb(240 255 255 / 0.75)'
      context.beginPath()
      context.arc(px, py, radius, 0, Math.PI * 2)
      context.fill()
      context.stroke()
      context.fillStyle = 'rgb(255 255 255 / 0.9)'
      context.beginPath()
      context.arc(px - radius * 0.35, py - radius * 0.38, radius * 0.2, 0, Math.PI * 2)
      context.fill()
    }
    context.globalAlpha = 1
  }
}
