import { alpha, mix, WATER } from './colour'
import { brain, fan, rock, staghorn, starfish, table, tubes, type Coral } from './corals'
import { Weeds } from './weeds'
import { seeded, tileableNoise } from '../../../shared/random'

type Context = CanvasRenderingContext2D

/** 화면의 크기(CSS 픽셀)와, 물건의 크기를 정하는 자 */
export interface View {
  width: number
  height: number
  /** 1 m 의 픽셀 */
  scale: number
}

/** 미리 그려 둔 한 겹. 화면보다 조금 넓어서 옆으로 밀 수 있다. */
interface Layer {
  image: HTMLCanvasElement
  x: number
  y: number
  width: number
  height: number
}

/** 겹이 옆으로 밀리는 너비의 몫 */
const DRIFT = 0.03

/** 화면의 왼쪽 끝을 0, 오른쪽 끝을 1 로 본 자리와 키(m). 가운데는 물고기에게 비워 둔다. */
const FAR: readonly (readonly [Coral, number, number, string])[] = [
  [rock, 0.16, 0.11, '#6f7fb4'],
  [staghorn, 0.1, 0.15, '#d98ab8'],
  [tubes, 0.22, 0.12, '#e7b25c'],
  [rock, 0.36, 0.06, '#6f7fb4'],
  [fan, 0.34, 0.1, '#c77fc0'],
  [brain, 0.4, 0.05, '#e08d6d'],
  [rock, 0.68, 0.09, '#6f7fb4'],
  [fan, 0.63, 0.14, '#e5729a'],
  [staghorn, 0.74, 0.14, '#f0a06a'],
  [table, 0.86, 0.15, '#9a8be0'],
  [brain, 0.56, 0.045, '#d9a0c8'],
]
const NEAR: readonly (readonly [Coral, number, number, string])[] = [
  [rock, 0.02, 0.15, '#5b6296'],
  [fan, 0.075, 0.23, '#e0559a'],
  [staghorn, -0.005, 0.27, '#ff8f6b'],
  [table, 0.16, 0.15, '#8f7be6'],
  [tubes, 0.105, 0.15, '#ffc247'],
  [brain, 0.03, 0.1, '#ff8fa0'],
  [brain, 0.215, 0.055, '#f2b65a'],
  [rock, 0.985, 0.17, '#5b6296'],
  [staghorn, 0.915, 0.24, '#ff7a95'],
  [fan, 0.995, 0.29, '#a86fe0'],
  [tubes, 0.955, 0.18, '#ff9d4d'],
  [brain, 0.875, 0.1, '#ff9a7c'],
  [table, 0.815, 0.11, '#4fc3b5'],
  [brain, 0.76, 0.05, '#d98be0'],
]

/**
 * 바닷속: 물빛, 먼 산호, 모래, 가까운 산호는 크기가 바뀔 때만 다시 그리고, 빛과 해초는 늘 움직인다.
 * ▶ 진짜 배경 그림이 있으면: 겹마다 그 그림을 drawImage 로 그린다.
 */
export class Scenery {
  #water!: HTMLCanvasElement
  #far!: Layer
  #sand!: Layer
  #near!: Layer
  #backWeeds!: Weeds
  #frontWeeds!: Weeds
  #shaft = paintShaft()
  #caustics = paintCaustics()
  #vignette!: CanvasGradient
  #view!: View
  /** 모래가 시작되는 높이(px) */
  #ground = 0

  resize(context: Context, view: View, ratio: number): void {
    const { width, height, scale } = view
    this.#view = view
    const ground = (this.#ground = height * (height > width ? 0.74 : 0.8))
    this.#water = paint(width, height, Math.min(ratio, 1), (c) => paintWater(c, view))
    const layer = (top: number, draw: (context: Context) => void): Layer => {
      const x = -width * DRIFT
      const y = Math.max(0, top)
      const size = { width: width * (1 + 2 * DRIFT), height: height - y }
      const image = paint(size.width, size.height, ratio, (c) => {
        c.translate(-x, -y)
        draw(c)
      })
      return { image, x, y, ...size }
    }
    this.#far = layer(ground - scale * 0.24, (c) => paintFar(c, view, ground))
    this.#sand = layer(ground - scale * 0.03, (c) => paintSand(c, view, ground))
    this.#near = layer(ground - scale * 0.26, (c) => paintNear(c, view, ground))
    this.#backWeeds = new Weeds(31, view, ground + scale * 0.01, 'far')
    this.#frontWeeds = new Weeds(7, view, height * 1.01, 'near')
    const [x, y, reach] = [width / 2, height * 0.25, Math.hypot(width / 2, height * 0.8)]
    this.#vignette = context.createRadialGradient(x, y, reach * 0.5, x, y, reach)
    this.#vignette.addColorStop(0, alpha('#062a5e', 0))
    this.#vignette.addColorStop(1, alpha('#062a5e', 0.45))
  }

  /** 물고기 뒤: 물, 빛줄기, 먼 산호, 모래와 그 위의 물그림자, 해초. sway 는 −1 ~ 1. */
  back(context: Context, time: number, sway: number): void {
    const { width, height } = this.#view
    context.drawImage(this.#water, 0, 0, width, height)
    this.#shafts(context, time, 0)
    this.#put(context, this.#far, sway * 0.35)
    this.#put(context, this.#sand, sway * 0.6)
    this.#ripples(context, time, sway * 0.6)
    this.#backWeeds.draw(context, time, sway * 0.6 * DRIFT * width)
    this.#put(context, this.#near, sway * 0.8)
  }

  /** 물고기 앞: 엷은 빛줄기, 코앞의 해초, 가장자리의 그늘. */
  front(context: Context, time: number, sway: number): void {
    const { width, height } = this.#view
    this.#shafts(context, time, 1)
    this.#frontWeeds.draw(context, time, sway * 1.5 * DRIFT * width)
    context.fillStyle = this.#vignette
    context.fillRect(0, 0, width, height)
  }

  #put(context: Context, { image, x, y, width, height }: Layer, sway: number): void {
    context.drawImage(image, x + sway * DRIFT * this.#view.width, y, width, height)
  }

  /** 위에서 비스듬히 내려와 천천히 흔들리는 빛 */
  #shafts(context: Context, time: number, side: 0 | 1): void {
    const { width, height } = this.#view
    context.save()
    context.globalCompositeOperation = 'screen'
    for (let k = side; k < 12; k += 2) {
      const seed = k * 1.7
      // 화면 밖에서 들어와 화면 밖으로 나간다
      const way = (((k * 0.219 + time * 0.005 * (k % 3 ? 1 : -0.7)) % 1) + 1) % 1
      const top = way * (width * 1.3 + height * 0.4) - width * 0.15
      const wide = (0.07 + 0.05 * (k % 4)) * Math.max(width, height * 0.7)
      const glow = 0.5 + 0.5 * Math.sin(time * (0.31 + 0.07 * (k % 3)) + seed)
      context.globalAlpha = (side ? 0.26 : 0.75) * (0.35 + 0.65 * glow)
      context.save()
      context.transform(1, 0, -0.36 + 0.05 * Math.sin(time * 0.13 + seed), 1, top, 0)
      context.drawImage(this.#shaft, -wide / 2, -height * 0.04, wide, height * (0.72 + 0.2 * glow))
      context.restore()
    }
    context.restore()
  }

  /** 모래에 어른거리는 물그림자: 두 무늬가 엇갈려 흐른다. */
  #ripples(context: Context, time: number, sway: number): void {
    const { width, height, scale } = this.#view
    const top = this.#ground
    context.save()
    context.beginPath()
    sandLine(context, this.#view, top + 3, sway * DRIFT * width)
    context.clip()
    context.globalCompositeOperation = 'screen'
    const size = scale * 0.3
    for (const [speed, strength, shift] of [
      [0.02, 0.9, 0],
      [-0.014, 0.7, 0.4],
    ] as const) {
      // 멀수록 납작하고 옅다
      for (let row = 0, y = top - scale * 0.02; y < height; row++) {
        const high = size * (0.16 + 0.13 * row)
        context.globalAlpha = strength * Math.min(1, 0.35 + row * 0.3)
        const start = ((((time * speed + shift + row * 0.37) % 1) + 1) % 1) * size * (1 + row * 0.3)
        for (let x = -start; x < width; x += size * (1 + row * 0.3))
          context.drawImage(this.#caustics, x, y, size * (1 + row * 0.3) + 0.5, high + 0.5)
        y += high
      }
    }
    context.restore()
  }
}

function paint(width: number, height: number, ratio: number, draw: (context: Context) => void): HTMLCanvasElement {
  const image = document.createElement('canvas')
  image.width = Math.max(1, Math.round(width * ratio))
  image.height = Math.max(1, Math.round(height * ratio))
  const context = image.getContext('2d')!
  context.scale(image.width / width, image.height / height)
  draw(context)
  return image
}

/** 물빛과 수면에 번진 햇빛 */
function paintWater(context: Context, { width, height }: View): void {
  const water = context.createLinearGradient(0, 0, 0, height)
  for (const [at, colour] of WATER) water.addColorStop(at, colour)
  context.fillStyle = water
  context.fillRect(0, 0, width, height)
  const reach = Math.max(width, height) * 0.72
  const sun = context.createRadialGradient(width * 0.62, -height * 0.1, 0, width * 0.62, -height * 0.1, reach)
  sun.addColorStop(0, alpha('#fbffe9', 0.9))
  sun.addColorStop(0.22, alpha('#d2fbf2', 0.5))
  sun.addColorStop(0.6, alpha('#8cecf0', 0.16))
  sun.addColorStop(1, alpha('#8cecf0', 0))
  context.fillStyle = sun
  context.fillRect(0, 0, width, height)
}

/** 물에 잠겨 푸르게 보이는 언덕과 산호 */
function paintFar(context: Context, view: View, ground: number): void {
  const { width, height, scale } = view
  const random = seeded(5)
  for (const [lift, colour, phase] of [
    [0.1, '#2c92c9', 0.4],
    [0.045, '#2a86bd', 2.1],
  ] as const) {
    const hill = context.createLinearGradient(0, ground - scale * lift * 1.8, 0, ground + scale * 0.04)
    hill.addColorStop(0, alpha(colour, 0.75))
    hill.addColorStop(1, alpha('#57b4cf', 0.95))
    context.fillStyle = hill
    context.beginPath()
    context.moveTo(-width * 0.1, height)
    for (let k = 0; k <= 40; k++) {
      const x = width * (-0.1 + (k / 40) * 1.2)
      const u = (x / scale) * 5
      const rise =
        Math.sin(u + phase) * 0.5 + Math.sin(u * 2.3 + phase * 3) * 0.28 + Math.cos((x / width - 0.5) * 6.2) * -0.5
      context.lineTo(x, ground - scale * lift * (0.7 + rise * 0.62))
    }
    context.lineTo(width * 1.1, height)
    context.fill()
  }
  for (const [coral, at, size, colour] of FAR)
    coral(context, at * width, ground + scale * 0.012, size * scale, mix(colour, '#2b93c6', 0.62), random)
}

/** 모래의 윗줄 */
function sandLine(context: Context, { width, height, scale }: View, top: number, shift: number): void {
  context.moveTo(-width * 0.1, height + 2)
  for (let k = 0; k <= 36; k++) {
    const x = width * (-0.1 + (k / 36) * 1.2)
    const u = (x - shift) / scale
    context.lineTo(x, top + scale * (Math.sin(u * 5.2 + 0.7) * 0.008 + Math.sin(u * 11 + 2) * 0.004))
  }
  context.lineTo(width * 1.1, height + 2)
  context.closePath()
}

function paintSand(context: Context, view: View, ground: number): void {
  const { width, height, scale } = view
  const random = seeded(12)
  const sand = context.createLinearGradient(0, ground, 0, height)
  sand.addColorStop(0, '#84d2d8')
  sand.addColorStop(0.22, '#c9e4c8')
  sand.addColorStop(0.6, '#f7e6b4')
  sand.addColorStop(1, '#fbdc9c')
  context.fillStyle = sand
  context.beginPath()
  sandLine(context, view, ground, 0)
  context.fill()
  // 물결 자국: 가까울수록 성기고 굵다
  context.lineCap = 'round'
  const deep = height - ground
  for (let row = 0; row < 9; row++) {
    const t = (row + 0.7) / 9
    const y0 = ground + deep * t ** 1.6
    context.lineWidth = scale * 0.004 * (0.4 + t * 1.5)
    for (let x = -width * 0.05 + random() * scale * 0.1; x < width * 1.05;) {
      const long = scale * (0.05 + random() * 0.12) * (0.4 + t)
      const y = y0 + (random() - 0.5) * deep * 0.05
      for (const [colour, drop] of [
        [alpha('#a98f5a', 0.1 + 0.16 * t), 0],
        [alpha('#fffbe6', 0.1 + 0.26 * t), context.lineWidth],
      ] as const) {
        context.strokeStyle = colour
        context.beginPath()
        context.moveTo(x, y + drop)
        context.quadraticCurveTo(x + long / 2, y - long * 0.09 + drop, x + long, y + drop)
        context.stroke()
      }
      x += long + scale * (0.03 + random() * 0.1) * (0.4 + t)
    }
  }
  for (let k = 0; k < 70; k++) {
    const t = random()
    context.fillStyle = alpha(random() < 0.5 ? '#fff8e2' : '#b99a66', 0.5)
    context.beginPath()
    context.ellipse(
      random() * width,
      ground + deep * (0.15 + 0.85 * t),
      scale * 0.004 * (0.5 + t),
      scale * 0.0025 * (0.5 + t),
      0,
      0,
      7,
    )
    context.fill()
  }
  starfish(context, width * 0.34, ground + deep * 0.42, scale * 0.024, '#f2704f', random)
  starfish(context, width * 0.7, ground + deep * 0.66, scale * 0.028, '#ff9fb4', random)
}

function paintNear(context: Context, view: View, ground: number): void {
  const { width, scale } = view
  const random = seeded(21)
  const deep = view.height - ground
  // 좁은 화면에서는 가운데로 덜 들어오게 가장자리로 모은다
  const squeeze = Math.min(1, width / (scale * 1.2))
  for (const [coral, at, size, colour] of NEAR) {
    const edge = at < 0.5 ? at * (1.3 - 0.3 * squeeze) : 1 - (1 - at) * (1.3 - 0.3 * squeeze)
    const foot = ground + deep * (0.16 + 0.12 * random())
    patch(context, edge * width, foot, size * scale, '#1f5b8c', 0.4)
    coral(context, edge * width, foot, size * scale * (0.8 + 0.2 * squeeze), mix(colour, '#3f9fcf', 0.1), random)
    // 발치에 모래가 쌓인다
    patch(context, edge * width, foot + size * scale * 0.05, size * scale * 0.85, '#d3debb', 1)
  }
}

/** 모래 위의 납작하고 부드러운 얼룩 */
function patch(context: Context, x: number, y: number, size: number, colour: string, strength: number): void {
  const soft = context.createRadialGradient(0, 0, size * 0.2, 0, 0, size)
  soft.addColorStop(0, alpha(colour, strength))
  soft.addColorStop(1, alpha(colour, 0))
  context.save()
  context.translate(x, y)
  context.scale(1, 0.14)
  context.fillStyle = soft
  context.fillRect(-size, -size, size * 2, size * 2)
  context.restore()
}

/** 가장자리가 부드러운 빛줄기 하나 */
function paintShaft(): HTMLCanvasElement {
  return paint(64, 256, 1, (context) => {
    const image = context.createImageData(64, 256)
    for (let y = 0, k = 0; y < 256; y++)
      for (let x = 0; x < 64; x++, k += 4) {
        const across = Math.max(0, 1 - Math.abs(x / 31.5 - 1))
        const down = (1 - y / 255) ** 1.3
        image.data.set([214, 255, 248, 255 * across * across * (3 - 2 * across) * down * 0.55], k)
      }
    context.putImageData(image, 0, 0)
  })
}

/** 물결에 굽은 빛의 그물. 사방으로 이어진다. */
function paintCaustics(): HTMLCanvasElement {
  const size = 192
  const bends = [tileableNoise(5, 3), tileableNoise(5, 14), tileableNoise(9, 25)]
  return paint(size, size, 1, (context) => {
    const image = context.createImageData(size, size)
    for (let y = 0, k = 0; y < size; y++)
      for (let x = 0; x < size; x++, k += 4) {
        const [u, v] = [x / size, y / size]
        let light = 0
        for (const [n, noise] of bends.entries()) light = Math.max(light, 1 - Math.abs(noise(u, v) - 0.5) * (9 - n))
        image.data.set([255, 252, 226, 255 * Math.max(0, light) ** 3 * 0.5], k)
      }
    context.putImageData(image, 0, 0)
  })
}
