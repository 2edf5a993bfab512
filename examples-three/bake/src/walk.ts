import type { Backend } from 'limber'
import { Cape } from '../../cloth/src/cape'
import { Gait } from '../../cloth/src/gait'
import { createKnight } from '../../cloth/src/knight'
import { Wind } from '../../cloth/src/wind'

/** 초마다 장면 수, 녹화 전에 걸어 두는 시간(초), 녹화 길이(초): 걷다가 멈춰 서서 성 밖을 내다보기까지 */
export const FPS = 60
export const WARMUP = 2
export const DURATION = 8

/** 밤바람의 세기(m/s) */
const WIND = 6

/**
 * 구울 장면: 성벽을 걷는 기사와 망토. Node(scenes/cape.mjs) 와 화면(main.ts) 이 이 한 벌을 함께 쓴다.
 *
 * ▶ 다른 것을 구우려면: drive(t) 에서 뼈와 바람을 t 초의 것으로 맞추고, 구울 천을 돌려주면 된다.
 */
export class Walk {
  readonly knight = createKnight()
  readonly cape: Cape
  gait = new Gait(this.knight, 0)
  #wind = new Wind()
  #frame = 0

  constructor(limber: Backend) {
    this.cape = new Cape(limber, this.knight, 12, 17, 8)
  }

  /** 깃발도 함께 볼 때 쓸 바람 */
  get wind(): Wind {
    return this.#wind
  }

  /** 기사와 바람을 t 초(녹화 첫 장면이 0)로 맞춘다. 걸음은 앞 장면에서 이어지므로 t 는 늘어나기만 한다. */
  drive(t: number): void {
    for (const last = Math.round((t + WARMUP) * FPS); this.#frame < last; this.#frame++) {
      this.gait.update(1 / FPS)
      this.#wind.update(this.#frame / FPS, 1 / FPS, WIND, this.gait)
    }
    this.cape.cloth.wind.copy(this.#wind.atKnight)
  }

  /** 녹화 첫 장면의 기사와 바람으로 되돌린다. 망토는 cape.cloth.restore 로 되돌린다. */
  rewind(): void {
    this.gait = new Gait(this.knight, 0)
    this.#wind = new Wind()
    this.#frame = 0
    this.drive(0)
  }
}
