// 구울 장면 하나: 성벽을 걷는 기사의 망토. 화면(src/main.ts)과 똑같은 TypeScript 를 Node 에서 그대로 돌린다.

import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

/** 그림은 화면에서만 필요하다: Node 에는 캔버스가 없으므로 빈 텍스처로 대신한다. */
const withoutCanvas = {
  name: 'without-canvas',
  load(id) {
    if (!id.endsWith('/shared/textures.ts')) return
    const names = ['paint', 'paintPixels', 'normalMap', 'glowTexture']
    return `import { Texture } from 'three'\n${names.map((name) => `export const ${name} = () => new Texture()`).join('\n')}`
  },
}

export default async function scene(limber) {
  const { module } = await runnerImport(fileURLToPath(new URL('../src/walk.ts', import.meta.url)), {
    configFile: false,
    logLevel: 'error',
    plugins: [withoutCanvas],
    // 천의 클래스는 limber-node 가 쓰는 바로 그것이어야 한다
    resolve: { external: ['limber', 'three'] },
  })
  const walk = new module.Walk(limber)
  return {
    simulations: { cape: walk.cape.cloth },
    drive: (t) => walk.drive(t),
    dispose: () => walk.cape.dispose(),
  }
}
