import * as THREE from 'three'
import { paint } from '../../shared/textures'

const [W, H] = [192, 128]

const RED = '#e5484d'
const GOLD = '#ffc23d'
const TEAL = '#17a3a3'
const NAVY = '#2f4aa8'
const CREAM = '#fff3dc'
const CORAL = '#ff8a66'
const PLUM = '#8a4fb5'

/** 깃발의 무늬들. ▶ 진짜 문장 그림이 있으면 TextureLoader 로 읽어 온다. */
export function emblems(): THREE.Texture[] {
  return [
    flag(RED, (context) => disc(context, GOLD, 30)),
    flag(TEAL, (context) => {
      context.strokeStyle = CREAM
      context.lineWidth = 22
      line(context, 0, 0, W, H)
      line(context, 0, H, W, 0)
    }),
    flag(CREAM, (context) => {
      context.fillStyle = NAVY
      context.fillRect(0, 0, W / 2, H / 2)
      context.fillRect(W / 2, H / 2, W / 2, H / 2)
    }),
    flag(GOLD, (context) => {
      context.strokeStyle = RED
      context.lineWidth = 24
      context.beginPath()
      context.moveTo(20, -14)
      context.lineTo(104, H / 2)
      context.lineTo(20, H + 14)
      context.stroke()
    }),
    flag(PLUM, (context) => star(context, CREAM, 40)),
    flag(CORAL, (context) => {
      context.fillStyle = CREAM
      for (const y of [0.2, 0.6]) context.fillRect(0, y * H, W, 0.2 * H)
    }),
    flag(NAVY, (context) => {
      context.fillStyle = GOLD
      context.fillRect(46, 0, 24, H)
      context.fillRect(0, H / 2 - 12, W, 24)
    }),
  ]
}

/** 바탕 위에 무늬를 그리고, 올과 박음질을 더한다. */
function flag(ground: string, draw: (context: CanvasRenderingContext2D) => void): THREE.Texture {
  return paint(W, H, (context) => {
    context.fillStyle = ground
    context.fillRect(0, 0, W, H)
    draw(context)
    context.fillStyle = 'rgb(255 255 255 / 0.06)'
    for (let y = 0; y < H; y += 4) context.fillRect(0, y, W, 2)
    context.strokeStyle = 'rgb(60 30 20 / 0.22)'
    context.lineWidth = 3
    context.strokeRect(4, 4, W - 8, H - 8)
    context.fillStyle = 'rgb(60 30 20 / 0.2)'
    context.fillRect(0, 0, 7, H)
  })
}

function disc(context: CanvasRenderingContext2D, colour: string, radius: number): void {
  context.fillStyle = context.strokeStyle = colour
  context.beginPath()
  context.arc(W / 2, H / 2, radius * 0.8, 0, 7)
  context.fill()
  context.lineWidth = 7
  for (let k = 0; k < 12; k++) {
    const [x, y] = [Math.cos((k / 6) * Math.PI), Math.sin((k / 6) * Math.PI)]
    line(context, W / 2 + x * radius, H / 2 + y * radius, W / 2 + x * radius * 1.4, H / 2 + y * radius * 1.4)
  }
}

function star(context: CanvasRenderingContext2D, colour: string, radius: number): void {
  context.fillStyle = colour
  context.beginPath()
  for (let k = 0; k < 10; k++) {
    const r = k % 2 ? radius * 0.45 : radius
    context.lineTo(W / 2 + Math.sin((k / 5) * Math.PI) * r, H / 2 - Math.cos((k / 5) * Math.PI) * r)
  }
  context.fill()
}

function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath()
  context.moveTo(x0, y0)
  context.lineTo(x1, y1)
  context.stroke()
}
