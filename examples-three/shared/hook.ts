/** 시험이 쓰는 손잡이: 기다리지 않고 시뮬레이션 시간을 정확히 앞당긴다. */
export interface ExampleHook<Stats> {
  /** 첫 화면이 그려지면 끝난다. */
  ready: Promise<void>
  /** 실시간 진행을 멈추고 seconds 초를 1/60 초씩 진행한 뒤 한 번 그린다. */
  simulate(seconds: number): void
  /** 실시간 진행을 다시 시작한다. */
  resume(): void
  readonly stats: Stats
}

declare global {
  interface Window {
    limberExample?: ExampleHook<unknown>
  }
}

/** 주소에 ?t=초 가 있으면 그만큼 진행한 화면에서 멈춰 있는다. */
export function expose<Stats>(app: { advance(dt: number): void; render(): void; stats(): Stats }): {
  held(): boolean
  start(): void
} {
  let held = false
  let begun = (): void => {}
  const hook: ExampleHook<Stats> = {
    ready: new Promise((resolve) => (begun = resolve)),
    simulate(seconds) {
      held = true
      for (let frame = Math.round(seconds * 60); frame > 0; frame--) app.advance(1 / 60)
      app.render()
    },
    resume() {
      held = false
    },
    get stats() {
      return app.stats()
    },
  }
  window.limberExample = hook
  return {
    held: () => held,
    start() {
      const asked = new URLSearchParams(location.search).get('t')
      if (asked !== null && Number.isFinite(Number(asked))) hook.simulate(Math.max(0, Number(asked)))
      else app.render()
      begun()
    },
  }
}
