// 구울 장면 하나: 깃대에 묶인 깃발. 정점 애니메이션 텍스처 한 장이 되어 200 장으로 펄럭인다.

import { Cloth } from 'limber-node'

/** 깃발의 크기(m)와 점의 수 */
const [WIDTH, HEIGHT] = [1.35, 0.9]
const [COLUMNS, ROWS] = [19, 13]

export default function scene(limber, { duration }) {
  const cloth = Cloth.grid(limber, {
    columns: COLUMNS,
    rows: ROWS,
    iterations: 12,
    windResponse: 0.9,
    drag: 0.9,
    floor: null,
    // 깃대가 원점이고, 깃발은 +x 로 나부낀다
    place: (i, j, out) => void out.set((i / (COLUMNS - 1)) * WIDTH, (-j / (ROWS - 1)) * HEIGHT, 0.02 * Math.sin(i)),
    pinned: Array.from({ length: ROWS }, (_, j) => j * COLUMNS),
  })
  const turns = (n, phase) => (t) => Math.sin((2 * Math.PI * n * t) / duration + phase)
  const [slow, sway, gust, flutter] = [turns(1, 0.4), turns(2, 1.7), turns(3, 3.1), turns(7, 0.9)]
  return {
    simulations: { flag: cloth },
    // 되풀이마다 똑같은 바람
    drive: (t) =>
      void cloth.wind.set(10 + 2 * slow(t) + 1.5 * gust(t), 0.8 + 0.5 * sway(t), 2.4 * sway(t) + 2 * flutter(t)),
    dispose: () => cloth.dispose(),
  }
}
