import { mix } from './colour'
import type { View } from './scenery'
import { seeded } from '../../../shared/random'

interface Blade {
  x: number
  foot: number
  tall: number
  wide: number
  seed: number
  colours: readonly [foot: string, tip: string]
  leaves: boolean
}

const JOINTS = 9
const GREENS = ['#3fae7a', '#6cc24f', '#2f9a8c', '#a8c84a'] as const

/** 물결에 흔들리는 해초. 'far' 는 모래 끝에, 'near' 는 화면 맨 앞 구석에 선다. */
export class Weeds {
  #blades: Blade[] = []

  constructor(seed: number, { width, scale }: View, foot: number, place: 'far' | 'near') {
    const random = seeded(seed)
    const near = place === 'near'
    const clumps = near ? [-0.012, 0.045, 0.965, 1.012] : [0.045, 0.255, 0.29, 0.6, 0.8, 0.9, 0.945]
    for (const at of clumps) {
      const blades = near ? 4 : 5
      for (let k = 0; k < blades; k++) {
        const green = GREENS[Math.floor(random() * GREENS.length)]!
        const water = near ? mix(green, '#0a3a7a', 0.62) : mix(green, '#2b93c6', 0.34)
        this.#blades.push({
          x: at * width + (k - (blades - 1) / 2) * scale * 0.02 + (random() - 0.5) * scale * 0.02,
          foot: foot + random() * scale * 0.012,
          tall: scale * (near ? 0.2 + random() * 0.2 : 0.1 + random() * 0.16),
          wide: scale * (near ? 0.011 : 0.0065) * (0.8 + random() * 0.5),
          seed: random() * 6,
          colours: near
            ? [mix(water, '#062a5e', 0.5), mix(water, green, 0.25)]
            : [mix(water, '#0f4f8f', 0.5), mix(water, '#e8ffb0', 0.3)],
          leaves: !near && random() < 0.55,
        })
      }
    }
  }

  draw(context: CanvasRenderingContext2D, time: number, shift: number): void {
    for (const { x, foot, tall, wide, seed, colours, leaves } of this.#blades) {
      const colour = context.createLinearGradient(0, foot - tall, 0, foot)
      colour.addColorStop(0, colours[1])
      colour.addColorStop(1, colours[0])
      context.fillStyle = colour
      const at = (u: number): readonly [number, number] => {
        const wave = Math.sin(time * 0.9 + seed - u * 2.6) * 0.13 + Math.sin(time * 0.37 + x * 0.01) * 0.12
        return [x + shift + tall * wave * u ** 1.5, foot - tall * u]
      }
      const left: [number, number][] = []
      const right: [number, number][] = []
      for (let k = 0; k <= JOINTS; k++) {
        const u = k / JOINTS
        const [px, py] = at(u)
        const half = wide * (1 - u) ** 0.6 * (1 + 0.3 * Math.sin(u * 14 + seed))
        left.push([px - half, py])
        right.push([px + half, py])
      }
      context.beginPath()
      context.moveTo(...left[0]!)
      for (const point of left) context.lineTo(...point)
      for (const point of right.reverse()) context.lineTo(...point)
      context.fill()
      if (!leaves) continue
      context.beginPath()
      for (let k = 1; k < JOINTS; k++) {
        const [px, py] = at(k / JOINTS)
        const side = k % 2 ? 1 : -1
        const reach = wide * 3.6 * (1.1 - k / JOINTS)
        context.moveTo(px, py)
        context.quadraticCurveTo(px + side * reach * 0.7, py - reach * 0.2, px + side * reach, py - reach)
        context.quadraticCurveTo(px + side * reach * 0.1, py - reach * 0.9, px, py - wide)
      }
      context.fill()
    }
  }
}
