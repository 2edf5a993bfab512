import { alpha, mix } from './colour'
import { approach, seeded } from '../../../shared/random'

/** 물고기의 빛깔과 무늬, 몸의 높이 */
const KINDS = [
  { back: '#e2561a', body: '#ff9128', belly: '#ffe0a0', fin: '#ff7a1e', band: '#fffaf0', tall: 1 },
  { back: '#f0a800', body: '#ffd53a', belly: '#fff6c4', fin: '#ffbe1c', band: '', tall: 1.12 },
  { back: '#e0436f', body: '#ff7590', belly: '#ffd9d6', fin: '#f4557c', band: '', tall: 0.9 },
] as const

/** 머리(0)에서 꼬리 자루(1)까지: 자리 x, 등의 높이, 배의 깊이. 몸길이의 절반이 1 이다. */
const PROFILE = [
  [1, 0.02, 0.02],
  [0.88, 0.15, 0.13],
  [0.64, 0.29, 0.27],
  [0.3, 0.4, 0.38],
  [-0.05, 0.4, 0.38],
  [-0.4, 0.29, 0.27],
  [-0.7, 0.15, 0.14],
  [-0.95, 0.085, 0.08],
] as const
const TAIL = PROFILE.length - 1

/** 물빛이 섞이는 정도로 나눈 세 겹: 먼 물고기일수록 작고 푸르다. */
const DEPTHS = [0.2, 0.08, 0] as const

const HAZE = '#8fd0e6'

interface Coat {
  body: CanvasGradient
  fin: CanvasGradient
  band: string
  shine: string
  tall: number
}

/** 그림의 상태: 위치와 속도는 시뮬레이션이, 몸짓은 여기에서. */
export class FishPainter {
  /** 뒤에서 앞으로 그리는 차례 */
  #order: number[]
  #kind: Uint8Array
  #size: Float32Array
  #depth: Uint8Array
  #heading: Float32Array
  #bend: Float32Array
  #beat: Float32Array
  /** 배가 아래로 오게 몸을 굴린 정도: 오른쪽을 보면 1, 왼쪽을 보면 −1 */
  #roll: Float32Array
  #coats: Coat[][] = []
  #context: CanvasRenderingContext2D | undefined

  constructor(velocities: Float32Array) {
    const count = velocities.length / 3
    const random = seeded(8)
    this.#kind = Uint8Array.from({ length: count }, (_, i) => (i % 7 === 0 ? 2 : i % 3 ? 0 : 1))
    this.#size = Float32Array.from({ length: count }, () => 0.8 + random() * 0.42)
    this.#depth = Uint8Array.from(this.#size, (size) => (size < 0.9 ? 0 : size < 1.02 ? 1 : 2))
    this.#order = [...this.#size.keys()].sort((a, b) => this.#size[a]! - this.#size[b]!)
    this.#heading = Float32Array.from({ length: count }, (_, i) =>
      Math.atan2(velocities[i * 3 + 1]!, velocities[i * 3]!),
    )
    this.#bend = new Float32Array(count)
    this.#beat = Float32Array.from({ length: count }, () => random() * 6)
    this.#roll = Float32Array.from(this.#heading, (heading) => Math.sign(Math.cos(heading)) || 1)
  }

  /** 몸짓을 dt 초 앞으로: 머리는 헤엄치는 쪽으로, 빠를수록 꼬리를 자주 친다. */
  advance(velocities: Float32Array, dt: number): void {
    for (let i = 0; i < this.#heading.length; i++) {
      const vx = velocities[i * 3]!
      const vy = velocities[i * 3 + 1]!
      const before = this.#heading[i]!
      const wanted = Math.atan2(vy, vx) - before
      const turn = (wanted - Math.round(wanted / (Math.PI * 2)) * Math.PI * 2) * (1 - Math.exp(-14 * dt))
      this.#heading[i] = before + turn
      const curve = Math.max(-0.5, Math.min(0.5, (turn / Math.max(dt, 1e-3)) * 0.16))
      this.#bend[i] = approach(this.#bend[i]!, curve, 6, dt)
      this.#beat[i] = this.#beat[i]! + dt * (2 + Math.hypot(vx, vy) * 62)
      // 똑바로 오르내리는 동안에는 굴린 쪽을 지킨다
      const cosine = Math.cos(this.#heading[i]!)
      const side = Math.abs(cosine) > 0.2 ? Math.sign(cosine) : Math.sign(this.#roll[i]!) || 1
      this.#roll[i] = approach(this.#roll[i]!, side, 7, dt)
    }
  }

  /** 끝이 이어진 바다에 모두 그린다. length 는 몸길이의 절반(px), scale 은 1 m 의 픽셀. */
  draw(
    context: CanvasRenderingContext2D,
    positions: Float32Array,
    { width, height, scale, length }: { width: number; height: number; scale: number; length: number },
  ): void {
    if (this.#context !== context) this.#mix(context)
    const base = context.getTransform()
    for (const i of this.#order) {
      const size = length * this.#size[i]!
      const reach = size * 1.9
      const x = positions[i * 3]! * scale
      const y = positions[i * 3 + 1]! * scale
      // 가장자리에 걸친 물고기는 맞은편에도 그린다
      const across = x < reach ? width : x > width - reach ? -width : 0
      const down = y < reach ? height : y > height - reach ? -height : 0
      this.#one(context, base, i, x, y, size)
      if (across) this.#one(context, base, i, x + across, y, size)
      if (down) this.#one(context, base, i, x, y + down, size)
      if (across && down) this.#one(context, base, i, x + across, y + down, size)
    }
    context.setTransform(base)
  }

  /** ▶ 진짜 그림이 있으면: 머리가 +x 를 보는 그림을 여기에서 drawImage 로 그린다. */
  #one(context: CanvasRenderingContext2D, base: DOMMatrix, i: number, x: number, y: number, size: number): void {
    const coat = this.#coats[this.#kind[i]!]![this.#depth[i]!]!
    const roll = this.#roll[i]!
    const side = roll < 0 ? -1 : 1
    const beat = this.#beat[i]!
    const bend = this.#bend[i]! * side
    const high = side * Math.max(0.45, Math.abs(roll)) * coat.tall
    const cosine = Math.cos(this.#heading[i]!) * size
    const sine = Math.sin(this.#heading[i]!) * size
    const { a, d } = base
    context.setTransform(a * cosine, d * sine, -a * sine * high, d * cosine * high, a * x, d * y)

    /** 등뼈가 옆으로 휜 만큼: 도는 쪽으로 굽고, 꼬리로 갈수록 물결친다. */
    const sway = (x: number): number => {
      const u = 1 - x
      return bend * u * u * 0.24 + Math.sin(beat + x * 1.7) * 0.045 * u * u
    }
    const tail = sway(-0.95)
    const angle = Math.atan2(sway(-1.35) - sway(-0.75), -0.6)
    const [tx, ty] = [Math.cos(angle), Math.sin(angle)]
    const flick = 1 - 0.22 * Math.abs(Math.cos(beat - 1.6))
    const at = (along: number, across: number): [number, number] => [
      -0.88 + along * tx * flick - across * ty,
      tail + along * ty * flick + across * tx,
    ]

    // 꼬리지느러미와 등 · 배지느러미
    context.fillStyle = coat.fin
    context.beginPath()
    context.moveTo(...at(0, -0.07))
    context.quadraticCurveTo(...at(0.3, -0.2), ...at(0.72, -0.5))
    context.quadraticCurveTo(...at(0.56, -0.16), ...at(0.46, 0))
    context.quadraticCurveTo(...at(0.56, 0.16), ...at(0.72, 0.5))
    context.quadraticCurveTo(...at(0.3, 0.2), ...at(0, 0.07))
    context.fill()
    context.beginPath()
    context.moveTo(0.42, sway(0.42) - 0.34)
    context.quadraticCurveTo(0.16, sway(0.1) - 0.66, -0.3, sway(-0.3) - 0.6)
    context.quadraticCurveTo(-0.5, sway(-0.5) - 0.5, -0.66, sway(-0.66) - 0.13)
    context.moveTo(-0.02, sway(0) + 0.34)
    context.quadraticCurveTo(-0.22, sway(-0.2) + 0.62, -0.5, sway(-0.5) + 0.5)
    context.quadraticCurveTo(-0.52, sway(-0.5) + 0.3, -0.64, sway(-0.6) + 0.14)
    context.fill()

    // 몸
    context.fillStyle = coat.body
    context.beginPath()
    context.moveTo(1.02, sway(1))
    for (let k = 1; k <= TAIL; k++) {
      const [x0, top0] = PROFILE[k - 1]!
      const [x, top] = PROFILE[k]!
      const middle = (x0 + x) / 2
      if (k === 1) context.lineTo(middle, sway(middle) - (top0 + top) / 2)
      const [x1, top1] = PROFILE[Math.min(TAIL, k + 1)]!
      const next = (x + x1) / 2
      context.quadraticCurveTo(x, sway(x) - top, next, sway(next) - (top + top1) / 2)
    }
    for (let k = TAIL; k >= 1; k--) {
      const [x, , low] = PROFILE[k]!
      const [x1, , low1] = PROFILE[k - 1]!
      if (k === TAIL) context.lineTo(x, sway(x) + low)
      const next = (x + x1) / 2
      context.quadraticCurveTo(x, sway(x) + low, next, sway(next) + (low + low1) / 2)
    }
    context.closePath()
    context.fill()

    if (coat.band) {
      context.fillStyle = coat.band
      for (const [x, wide, top, low] of [
        [0.4, 0.085, 0.365, 0.35],
        [-0.22, 0.07, 0.34, 0.32],
      ] as const) {
        const y = sway(x)
        context.beginPath()
        context.moveTo(x + wide * 0.8, y - top)
        context.quadraticCurveTo(x + wide * 2.2, y, x + wide * 0.8, y + low)
        context.lineTo(x - wide * 0.8, y + low)
        context.quadraticCurveTo(x + wide * 0.4, y, x - wide * 0.8, y - top)
        context.fill()
      }
    }

    // 등에 앉은 빛
    context.strokeStyle = coat.shine
    context.lineWidth = 0.07
    context.lineCap = 'round'
    context.beginPath()
    context.moveTo(0.66, sway(0.66) - 0.2)
    context.quadraticCurveTo(0.2, sway(0.2) - 0.37, -0.4, sway(-0.4) - 0.2)
    context.stroke()

    // 가슴지느러미와 눈
    const flap = 0.16 + Math.sin(beat * 0.7) * 0.12
    context.fillStyle = coat.fin
    context.beginPath()
    context.moveTo(0.26, sway(0.2) + 0.06)
    context.quadraticCurveTo(0.02, 0.04 + flap, -0.16, 0.12 + flap)
    context.quadraticCurveTo(-0.04, 0.2 + flap * 1.2, 0.24, sway(0.2) + 0.18)
    context.fill()
    const eye = sway(0.66) - 0.07
    dot(context, 0.66, eye, 0.125, '#fffdf4')
    dot(context, 0.68, eye, 0.085, '#12213c')
    dot(context, 0.71, eye - 0.035, 0.03, '#ffffff')
  }

  /** 빛깔마다, 깊이마다 한 번만 섞어 둔다. */
  #mix(context: CanvasRenderingContext2D): void {
    this.#context = context
    this.#coats = KINDS.map(({ back, body, belly, fin, band, tall }) =>
      DEPTHS.map((haze) => {
        const wet = (colour: string): string => mix(colour, HAZE, haze)
        const gradient = context.createLinearGradient(0, -0.42, 0, 0.42)
        gradient.addColorStop(0, wet(back))
        gradient.addColorStop(0.36, wet(body))
        gradient.addColorStop(0.6, wet(body))
        gradient.addColorStop(0.88, wet(belly))
        gradient.addColorStop(1, wet(mix(belly, back, 0.25)))
        const fins = context.createLinearGradient(0, -0.7, 0, 0.7)
        fins.addColorStop(0, wet(mix(fin, '#ffffff', 0.25)))
        fins.addColorStop(0.5, wet(fin))
        fins.addColorStop(1, wet(mix(fin, '#ffffff', 0.3)))
        return {
          body: gradient,
          fin: fins,
          band: band && wet(band),
          shine: alpha('#ffffff', 0.32 - haze * 0.5),
          tall,
        }
      }),
    )
  }
}

function dot(context: CanvasRenderingContext2D, x: number, y: number, radius: number, colour: string): void {
  context.fillStyle = colour
  context.beginPath()
  context.arc(x, y, radius, 0, Math.PI * 2)
  context.fill()
}
