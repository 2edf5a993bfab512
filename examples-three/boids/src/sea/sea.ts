import { Boids, type Backend, type BoidsBounds } from 'limber'
import { Bubbles } from './bubbles'
import { FishPainter } from './fish'
import { Ripple } from './ripple'
import { Scenery, type View } from './scenery'
import { approach } from '../../../shared/random'

/** 바다의 넓이와 가장 짧은 변(m). 가로세로비가 달라도 넓이가 같아서 떼가 비슷하게 생긴다. */
const AREA = 1.6
const LEAST = 0.8
/** 몸길이의 절반(m) */
const LENGTH = 0.028
/** 보는 거리(m): 짧아야 떼가 여럿으로 갈라지고 합쳐진다 */
const SIGHT = 0.085
/** 처음 화면에 떼가 보이도록 미리 헤엄치는 시간(걸음) */
const WARM_UP = 420

/** 캔버스에 그리는 끝이 이어진 바다 */
export class Sea {
  readonly boids: Boids
  /** 물고기가 피하는 포인터 */
  readonly pointer = { position: [0, 0, 0] as [number, number, number], radius: 0.2, weight: 0.1, enabled: false }
  #canvas = document.createElement('canvas')
  #context: CanvasRenderingContext2D
  #view: View = { width: 1, height: 1, scale: 1 }
  #scenery = new Scenery()
  #bubbles = new Bubbles()
  #ripple = new Ripple()
  #painter: FishPainter
  #time = 0
  #sway = 0
  #fixedRatio: boolean
  #ratio: number
  #spent = 0
  #frames = 0

  constructor(container: HTMLElement, limber: Backend) {
    const asked = Number(new URLSearchParams(location.search).get('ratio'))
    this.#fixedRatio = asked > 0
    this.#ratio = Math.min(asked > 0 ? asked : devicePixelRatio, 2)
    this.#canvas.className = 'stage'
    this.#context = this.#canvas.getContext('2d', { alpha: false })!
    container.append(this.#canvas)
    this.boids = new Boids(limber, {
      count: 110,
      dimensions: 2,
      bounds: this.#world(),
      matrices: false,
      seed: 24,
      rules: {
        separation: { radius: 0.046, weight: 0.15 },
        alignment: { radius: SIGHT },
        cohesion: { radius: SIGHT, weight: 0.08 },
      },
      wander: 0.055,
      repellers: [this.pointer],
    })
    for (let step = 0; step < WARM_UP; step++) this.boids.step()
    this.#painter = new FishPainter(this.boids.velocities)
    this.#fit()
    addEventListener('resize', () => {
      this.boids.bounds = this.#world()
      this.#fit()
    })
    this.#listen()
  }

  advance(dt: number): void {
    this.#time += dt
    const { boids, pointer } = this
    boids.step(dt)
    this.#painter.advance(boids.velocities, dt)
    const [x, y] = this.#pointed()
    this.#ripple.advance(dt, pointer.enabled, x, y)
    const lean = pointer.enabled ? 1 - (2 * x) / this.#view.width : 0
    this.#sway = approach(this.#sway, Math.sin(this.#time * 0.17) * 0.6 + lean * 0.4, 1.2, dt)
    this.#adapt(dt)
  }

  render(): void {
    const { width, height, scale } = this.#view
    const context = this.#context
    this.#scenery.back(context, this.#time, this.#sway)
    this.#painter.draw(context, this.boids.positions, {
      width,
      height,
      scale,
      length: Math.max(5, scale * LENGTH),
    })
    this.#bubbles.draw(context, this.#view, this.#time)
    this.#scenery.front(context, this.#time, this.#sway)
    this.#ripple.draw(context, ...this.#pointed(), this.pointer.radius * scale)
  }

  /** 화면의 가로세로비에 맞춘 세계 */
  #world(): BoidsBounds {
    const [height, width] = side(Math.max(1, innerWidth) / Math.max(1, innerHeight))
    return { kind: 'torus', min: [0, 0, 0], max: [width, height, 0] }
  }

  #fit(): void {
    const [width, height] = [Math.max(1, innerWidth), Math.max(1, innerHeight)]
    const canvas = this.#canvas
    canvas.width = Math.round(width * this.#ratio)
    canvas.height = Math.round(height * this.#ratio)
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
    this.#context.setTransform(canvas.width / width, 0, 0, canvas.height / height, 0, 0)
    this.#view = { width, height, scale: height / side(width / height)[0] }
    this.#scenery.resize(this.#context, this.#view, this.#ratio)
  }

  /** 포인터의 자리(px) */
  #pointed(): [number, number] {
    const [x, y] = this.pointer.position
    return [x * this.#view.scale, y * this.#view.scale]
  }

  #listen(): void {
    const { pointer } = this
    const canvas = this.#canvas
    const point = ({ clientX, clientY }: PointerEvent): void => {
      pointer.position[0] = clientX / this.#view.scale
      pointer.position[1] = clientY / this.#view.scale
      pointer.enabled = true
    }
    const leave = ({ type, pointerType }: PointerEvent): void => {
      if (type !== 'pointerup' || pointerType !== 'mouse') pointer.enabled = false
    }
    for (const type of ['pointerdown', 'pointermove'] as const) canvas.addEventListener(type, point)
    for (const type of ['pointerup', 'pointercancel', 'pointerleave'] as const) canvas.addEventListener(type, leave)
  }

  /** 한 장면이 20 ms 보다 오래 걸리면 해상도를 낮춘다. */
  #adapt(dt: number): void {
    if (this.#fixedRatio || this.#ratio <= 0.75) return
    this.#spent += dt
    if (++this.#frames < 40) return
    const mean = this.#spent / this.#frames
    this.#spent = this.#frames = 0
    if (mean <= 0.02) return
    this.#ratio = Math.max(0.75, this.#ratio * 0.8)
    this.#fit()
  }
}

/** 가로세로비에서 세계의 [높이, 너비](m)를 정한다. */
function side(aspect: number): [height: number, width: number] {
  const height = Math.max(Math.sqrt(AREA / aspect), LEAST, LEAST / aspect)
  return [height, height * aspect]
}
