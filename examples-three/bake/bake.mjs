// 망토의 걸음을 Node 에서 굽는다: baked/cape.glb 와 그 보고서. 저장소에서는 npm run bake 로 부른다.

import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { bake, load } from 'limber-node'
import { runnerImport } from 'vite'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** 그림은 화면에서만 필요하다: Node 에는 캔버스가 없으므로 빈 텍스처로 대신한다. */
const withoutCanvas = {
  name: 'without-canvas',
  load(id) {
    if (!id.endsWith('/shared/textures.ts')) return
    const names = ['paint', 'paintPixels', 'normalMap', 'glowTexture']
    return `import { Texture } from 'three'\n${names.map((name) => `export const ${name} = () => new Texture()`).join('\n')}`
  },
}

const { module } = await runnerImport(here('src/walk.ts'), {
  configFile: false,
  logLevel: 'error',
  plugins: [withoutCanvas],
  // 천의 클래스는 limber-node 가 쓰는 바로 그것이어야 한다
  resolve: { external: ['limber', 'three'] },
})
const { DURATION, FPS, Walk, WARMUP } = module

const limber = await load()
const walk = new Walk(limber)
const began = performance.now()
const recording = await bake(
  { cape: walk.cape.cloth },
  {
    fps: FPS,
    duration: DURATION,
    warmup: WARMUP,
    drive: (t) => walk.drive(t),
    onProgress: (done, total) =>
      process.stderr.isTTY && process.stderr.write(`\rbaking ${Math.round((100 * done) / total)} %`),
  },
)
// 초당 60 장면의 펄럭임을 200 모프 타깃 안에 담는다: 4 mm 는 눈에 띄지 않는다
const glb = await recording.toGLB({ name: 'walk', tolerance: 0.004 })
const seconds = (performance.now() - began) / 1000

await mkdir(here('baked'), { recursive: true })
await writeFile(here('baked/cape.glb'), glb)
await writeFile(here('baked/report.json'), `${JSON.stringify(recording.report, null, 2)}\n`)
const { bytes, frames, targets, maxError } = recording.report
console.error(`${process.stderr.isTTY ? '\r' : ''}baked on ${limber.target} in ${seconds.toFixed(1)} s`)
console.log(
  `baked/cape.glb: ${frames} frames, ${targets} morph targets, ${Math.round(bytes / 1024)} KiB, within ${(maxError * 1000).toFixed(2)} mm`,
)
limber.dispose()
