/**
 * Baking: how small files are against a morph target a frame and gltfpack, what recording costs on top of stepping, and how long
 * a fit and its file take against the simulation. Where a row is of sizes, its figures are KiB.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from '../measure.mjs'
import { gltfpacked, rawTargets } from '../peers/gltfpack-flag.mjs'
import { gusts } from '../scenes.mjs'

const FPS = 30
const WIND = gusts(10)
const [WIDTH, HEIGHT] = [1.2, 0.75]

/** A flag of `side × side` vertices in the golden's gusts of 10 m/s. */
function flagOf({ Cloth, limber }, side) {
  const place = (i, j, out) => out.set((i / (side - 1)) * WIDTH, 2.6 - (j / (side - 1)) * HEIGHT, 0)
  const flag = Cloth.grid(limber, { columns: side, rows: side, pinned: 'left', floor: null, place })
  return { flag, drive: (t) => flag.wind.set(...WIND(t)) }
}

const kib = (bytes) => bytes / 1024

/** One thing after the other, several times over, as medians in milliseconds. */
async function medians(rounds, ...runs) {
  const times = runs.map(() => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [r, run] of runs.entries()) {
      const began = performance.now()
      await run()
      // The first round warms up.
      if (round) times[r].push(performance.now() - began)
    }
  }
  return times.map(median)
}

export const cases = [
  {
    name: 'bake-size',
    /** @param {import('../bench.mjs').Bench} bench */
    async run(bench) {
      const node = (await bench.limber()).find(({ name }) => name === 'limber-node')
      const { flag, drive } = flagOf(node, 33)
      const recording = await node.bake({ flag }, { fps: FPS, duration: 149 / FPS, drive })
      const tolerance = 0.01 * Math.hypot(WIDTH, HEIGHT)
      const size = kib((await recording.toGLB({ tolerance, compression: 'meshopt' })).length)
      const { targets, maxError } = recording.report
      const note = `KiB: ${targets} targets, ${(maxError * 1000).toFixed(1)} mm`
      const raw = await rawTargets(recording.meshes[0], FPS)
      const packed = kib((await gltfpacked(raw)).length)
      flag.dispose()
      const row = (peer, peerSize, required) => ({
        subject: 'limber-node',
        peer,
        subjectMs: size,
        peerMs: peerSize,
        ratio: peerSize / size,
        goal: { ratio: { required } },
        note,
      })
      return [row('a target a frame', kib(raw.length), 20), row('gltfpack -cc', packed, 4)]
    },
  },
  {
    name: 'bake-record',
    /** @param {import('../bench.mjs').Bench} bench */
    async run(bench) {
      const node = (await bench.limber()).find(({ name }) => name === 'limber-node')
      const frames = 300
      const stepped = async () => {
        const { flag, drive } = flagOf(node, 128)
        for (let frame = 0; frame < frames; frame++) {
          drive(frame / FPS)
          await flag.stepAsync(frame ? 1 / FPS : 0)
        }
        flag.dispose()
      }
      let recording
      const recorded = async () => {
        const { flag, drive } = flagOf(node, 128)
        recording = await node.bake({ flag }, { fps: FPS, duration: (frames - 1) / FPS, drive })
        flag.dispose()
      }
      const [step, record] = await medians(3, stepped, recorded)
      // So far that 64 targets are enough.
      const limits = { tolerance: 0.06, compression: 'meshopt' }
      const began = performance.now()
      await recording.toGLB(limits)
      const file = performance.now() - began
      const { targets } = recording.report
      return [
        {
          subject: 'bake',
          peer: 'stepping',
          subjectMs: record,
          peerMs: step,
          ratio: step / record,
          goal: { ratio: { required: 0.87 } },
          note: '128 × 128, 300 frames',
        },
        {
          subject: 'toGLB',
          peer: '5 s or bake',
          subjectMs: file,
          peerMs: Math.max(5000, record),
          ratio: Math.max(5000, record) / file,
          goal: { ratio: { required: 1 } },
          note: `${targets} targets, fit, file and check`,
        },
      ]
    },
  },
  {
    name: 'bake-again',
    async run() {
      const folder = mkdtempSync(join(tmpdir(), 'limber-again-'))
      const command = join(
        dirname(createRequire(import.meta.url).resolve('limber-node/package.json')),
        'dist/cli/main.js',
      )
      try {
        const scene = `import { Cloth } from 'limber-node'
export default (limber, { seed }) => {
  const flag = Cloth.grid(limber, { columns: 4, rows: 4, floor: null })
  return { simulations: { flag }, drive: (t) => flag.wind.set(seed, 0, Math.sin(9 * t)) }
}`
        writeFileSync(join(folder, 'flag.mjs'), scene)
        const seeds = Array.from({ length: 100 }, (_, i) => i)
        const jobs = [{ module: 'flag.mjs', duration: 0.2, tolerance: 0.01, seeds }]
        writeFileSync(join(folder, 'limber.config.json'), JSON.stringify({ jobs }))
        // The module's `limber-node` is this repository's.
        symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'))
        const run = () => execFileSync(process.execPath, [command, 'bake'], { cwd: folder, stdio: 'ignore' })
        run()
        const [again] = await medians(5, async () => run())
        return [
          {
            subject: 'limber bake',
            peer: '1 s',
            subjectMs: again,
            peerMs: 1000,
            ratio: 1000 / again,
            goal: { ratio: { required: 1 } },
            note: '100 jobs that are done',
          },
        ]
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
  },
]
