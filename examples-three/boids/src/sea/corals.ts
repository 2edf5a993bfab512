import { alpha, mix } from './colour'

type Context = CanvasRenderingContext2D
type Random = () => number

/** 산호 하나를 그린다: 발치 (x, y) 에서 위로 size 픽셀. */
export type Coral = (context: Context, x: number, y: number, size: number, colour: string, random: Random) => void

/** 위는 빛을 받아 밝고 아래는 물빛으로 어둡다. */
function lit(context: Context, y: number, size: number, colour: string): CanvasGradient {
  const gradient = context.createLinearGradient(0, y - size, 0, y)
  gradient.addColorStop(0, mix(colour, '#fff6e0', 0.45))
  gradient.addColorStop(0.45, colour)
  gradient.addColorStop(1, mix(colour, '#173f7c', 0.55))
  return gradient
}

/** 사슴뿔처럼 갈라지는 산호 */
export const staghorn: Coral = (context, x, y, size, colour, random) => {
  context.strokeStyle = lit(context, y, size, colour)
  context.lineCap = 'round'
  const tips: [number, number, number][] = []
  const grow = (x0: number, y0: number, angle: number, long: number, thick: number, left: number): void => {
    const x1 = x0 + Math.sin(angle) * long
    const y1 = y0 - Math.cos(angle) * long
    context.lineWidth = thick
    context.beginPath()
    context.moveTo(x0, y0)
    context.quadraticCurveTo(x0 + Math.sin(angle * 0.5) * long * 0.5, y0 - long * 0.5, x1, y1)
    context.stroke()
    if (left === 0) return void tips.push([x1, y1, thick])
    const spread = 0.32 + random() * 0.3
    grow(x1, y1, angle - spread * (0.7 + random() * 0.5), long * (0.66 + random() * 0.16), thick * 0.74, left - 1)
    grow(x1, y1, angle + spread * (0.7 + random() * 0.5), long * (0.66 + random() * 0.16), thick * 0.74, left - 1)
  }
  for (const lean of [-0.55, -0.05, 0.5])
    grow(x + lean * size * 0.12, y, lean + (random() - 0.5) * 0.2, size * 0.34, size * 0.11, 3)
  context.fillStyle = mix(colour, '#ffffff', 0.62)
  for (const [tx, ty, thick] of tips) disc(context, tx, ty - thick * 0.1, thick * 0.42)
}

/** 부채산호: 고운 가지가 한 면으로 퍼진다. */
export const fan: Coral = (context, x, y, size, colour, random) => {
  context.lineCap = 'round'
  const outline = (): void => {
    context.beginPath()
    context.moveTo(x, y)
    context.bezierCurveTo(x - size * 0.85, y - size * 0.35, x - size * 0.6, y - size * 1.02, x, y - size)
    context.bezierCurveTo(x + size * 0.6, y - size * 1.02, x + size * 0.85, y - size * 0.35, x, y)
  }
  outline()
  context.fillStyle = alpha(mix(colour, '#173f7c', 0.2), 0.34)
  context.fill()
  context.save()
  outline()
  context.clip()
  context.strokeStyle = lit(context, y, size, colour)
  const grow = (x0: number, y0: number, angle: number, long: number, thick: number, left: number): void => {
    const x1 = x0 + Math.sin(angle) * long
    const y1 = y0 - Math.cos(angle) * long
    context.lineWidth = thick
    context.beginPath()
    context.moveTo(x0, y0)
    context.lineTo(x1, y1)
    context.stroke()
    if (left === 0) return
    for (const way of [-1, 1])
      grow(x1, y1, angle + way * (0.16 + random() * 0.2), long * (0.78 + random() * 0.12), thick * 0.74, left - 1)
  }
  for (let k = -2; k <= 2; k++) grow(x, y, k * 0.34, size * 0.24, size * 0.045, 5)
  context.restore()
}

/** 뇌산호: 둥근 덩이에 구불구불한 골 */
export const brain: Coral = (context, x, y, size, colour, random) => {
  const wide = size * 0.78
  const high = size * 0.72
  const shape = (): void => {
    context.beginPath()
    context.moveTo(x - wide, y)
    context.bezierCurveTo(x - wide * 1.08, y - high * 0.9, x - wide * 0.5, y - high, x, y - high)
    context.bezierCurveTo(x + wide * 0.5, y - high, x + wide * 1.08, y - high * 0.9, x + wide, y)
    context.quadraticCurveTo(x, y + size * 0.2, x - wide, y)
  }
  const shade = context.createRadialGradient(x - wide * 0.25, y - high * 0.85, size * 0.05, x, y - high * 0.2, size)
  shade.addColorStop(0, mix(colour, '#fff6e0', 0.6))
  shade.addColorStop(0.45, colour)
  shade.addColorStop(1, mix(colour, '#173f7c', 0.6))
  shape()
  context.fillStyle = shade
  context.fill()
  context.save()
  shape()
  context.clip()
  context.strokeStyle = alpha(mix(colour, '#3a1b5c', 0.55), 0.4)
  context.lineWidth = size * 0.026
  context.lineJoin = 'round'
  for (let row = 0; row < 7; row++) {
    const lift = (row + 0.6) / 7
    context.beginPath()
    for (let k = 0; k <= 26; k++) {
      const s = (k / 26) * 2 - 1
      const px = x + s * wide
      const py =
        y - high * lift * Math.sqrt(Math.max(0, 1.02 - s * s)) + (k % 2 ? 1 : -1) * size * 0.035 * (0.6 + random())
      if (k) context.lineTo(px, py)
      else context.moveTo(px, py)
    }
    context.stroke()
  }
  context.restore()
}

/** 관 해면: 둥근 관 여럿이 모여 선다. */
export const tubes: Coral = (context, x, y, size, colour, random) => {
  const pipes = Array.from({ length: 5 }, (_, k) => ({
    at: x + (k - 2) * size * 0.17 + (random() - 0.5) * size * 0.06,
    tall: size * (0.52 + random() * 0.46) * (1 - Math.abs(k - 2) * 0.13),
    wide: size * (0.085 + random() * 0.03),
    lean: (k - 2) * 0.09 + (random() - 0.5) * 0.08,
  })).sort((a, b) => b.tall - a.tall)
  for (const { at, tall, wide, lean } of pipes) {
    const top = at + lean * tall
    const side = context.createLinearGradient(at - wide, 0, at + wide * 1.4, 0)
    side.addColorStop(0, mix(colour, '#fff6e0', 0.3))
    side.addColorStop(0.5, colour)
    side.addColorStop(1, mix(colour, '#173f7c', 0.5))
    context.fillStyle = side
    context.beginPath()
    context.moveTo(at - wide * 0.8, y)
    context.quadraticCurveTo(at - wide * 0.7, y - tall * 0.5, top - wide, y - tall)
    context.lineTo(top + wide, y - tall)
    context.quadraticCurveTo(at + wide * 0.9, y - tall * 0.5, at + wide * 0.8, y)
    context.fill()
    context.fillStyle = mix(colour, '#ffffff', 0.42)
    oval(context, top, y - tall, wide * 1.06, wide * 0.46)
    context.fillStyle = mix(colour, '#2a1450', 0.62)
    oval(context, top, y - tall + wide * 0.05, wide * 0.72, wide * 0.28)
  }
}

/** 탁자산호: 기둥 위에 납작하게 펼친다. */
export const table: Coral = (context, x, y, size, colour, random) => {
  for (const [lift, wide] of [
    [0.42, 0.62],
    [0.7, 0.86],
  ] as const) {
    const top = y - size * lift
    const at = x + (random() - 0.5) * size * 0.3
    context.fillStyle = mix(colour, '#173f7c', 0.5)
    context.beginPath()
    context.moveTo(x - size * 0.09, y)
    context.quadraticCurveTo(x - size * 0.04, top + size * 0.2, at - size * wide * 0.6, top)
    context.lineTo(at + size * wide * 0.6, top)
    context.quadraticCurveTo(x + size * 0.06, top + size * 0.2, x + size * 0.1, y)
    context.fill()
    context.fillStyle = mix(colour, '#173f7c', 0.22)
    oval(context, at, top + size * 0.025, size * wide, size * 0.1)
    context.fillStyle = mix(colour, '#fff6e0', 0.2)
    oval(context, at, top, size * wide, size * 0.085)
    context.fillStyle = alpha(mix(colour, '#ffffff', 0.6), 0.75)
    for (let k = 0; k < 26; k++) {
      const angle = random() * Math.PI * 2
      const out = Math.sqrt(random()) * 0.9
      oval(
        context,
        at + Math.cos(angle) * size * wide * out,
        top + Math.sin(angle) * size * 0.075 * out,
        size * 0.028,
        size * 0.013,
      )
    }
  }
}

/** 둥근 바위 */
export const rock: Coral = (context, x, y, size, colour, random) => {
  context.fillStyle = lit(context, y, size * 0.95, colour)
  context.beginPath()
  const points = Array.from({ length: 14 }, (_, k) => {
    const angle = (k / 14) * Math.PI * 2
    const reach = size * (0.85 + random() * 0.3)
    const py = Math.sin(angle) * reach * 0.8
    return [x + Math.cos(angle) * reach * 1.25, y + Math.min(py, py * 0.2)] as const
  })
  for (const [k, [px, py]] of points.entries()) {
    const [nx, ny] = points[(k + 1) % points.length]!
    if (k === 0) context.moveTo((points.at(-1)![0] + px) / 2, (points.at(-1)![1] + py) / 2)
    context.quadraticCurveTo(px, py, (px + nx) / 2, (py + ny) / 2)
  }
  context.fill()
}

/** 불가사리. 모래 위에 눕는다. */
export const starfish: Coral = (context, x, y, size, colour, random) => {
  const turn = random() * 2
  context.fillStyle = colour
  context.beginPath()
  for (let k = 0; k < 10; k++) {
    const angle = turn + (k * Math.PI) / 5
    const reach = size * (k % 2 ? 0.36 : 1)
    const [px, py] = [x + Math.cos(angle) * reach, y + Math.sin(angle) * reach * 0.5]
    if (k) context.lineTo(px, py)
    else context.moveTo(px, py)
  }
  context.closePath()
  context.lineJoin = 'round'
  context.lineWidth = size * 0.3
  context.strokeStyle = colour
  context.stroke()
  context.fill()
  context.fillStyle = mix(colour, '#ffffff', 0.55)
  for (let k = 0; k < 5; k++) {
    const angle = turn + (k * Math.PI * 2) / 5
    for (const out of [0.3, 0.62])
      disc(context, x + Math.cos(angle) * size * out, y + Math.sin(angle) * size * out * 0.5, size * 0.07)
  }
}

function disc(context: Context, x: number, y: number, radius: number): void {
  oval(context, x, y, radius, radius)
}

function oval(context: Context, x: number, y: number, wide: number, high: number): void {
  context.beginPath()
  context.ellipse(x, y, wide, high, 0, 0, Math.PI * 2)
  context.fill()
}
