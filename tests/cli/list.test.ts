import { describe, expect, it } from 'vitest'
import { FLAG, limber, project } from './helpers.js'

interface Listed {
  id: string
  index: number
  file: string | null
  variant?: string
}

function list(config: object | string, args: string[] = [], name = 'limber.config.json'): Listed[] {
  const folder = project({ [name]: config, 'flag.mjs': FLAG, 'a/hero man.glb': 'glb' })
  const { status, stdout, stderr } = limber(folder, ['list', '--json', ...args])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return (JSON.parse(stdout) as { jobs: Listed[] }).jobs
}

const ids = (config: object, args?: string[]) => list(config, args).map(({ id }) => id)
const fish = { fish: { technique: 'boids', count: 3 } }

describe('limber list', () => {
  it('multiplies clips, variants and seeds, in this order', () => {
    const job = { module: 'flag.mjs', clips: ['Walk', 'Run'], variants: { storm: {}, calm: {} }, seeds: [2, 1] }
    expect(ids({ jobs: [job, { name: 'last', module: 'flag.mjs' }] })).toEqual([
      'flag.Walk.storm.s2',
      'flag.Walk.storm.s1',
      'flag.Walk.calm.s2',
      'flag.Walk.calm.s1',
      'flag.Run.storm.s2',
      'flag.Run.storm.s1',
      'flag.Run.calm.s2',
      'flag.Run.calm.s1',
      'last',
    ])
  })

  it('makes ids of characters that every file system takes', () => {
    const job = { input: 'a/hero man.glb', clip: 'Armature|Walk.001', seed: 0, duration: 1, simulations: fish }
    expect(ids({ jobs: [job] })).toEqual(['hero-man.Armature-Walk-001.s0'])
  })

  it('what stands beside jobs is theirs, unless they say otherwise', () => {
    const jobs = [{ module: 'flag.mjs' }, { module: 'flag.mjs', name: 'own', seed: 9 }]
    expect(ids({ seeds: [1, 2], jobs })).toEqual(['flag.s1', 'flag.s2', 'own.s9'])
  })

  it('the same job has the same file, whatever stands around it; another has another', () => {
    const job = { module: 'flag.mjs', fps: 24 }
    const alone = list({ jobs: [job] })[0]!.file
    const [, beside] = list({ jobs: [{ ...job, name: 'a' }, job, { ...job, name: 'b' }] })
    expect(beside!.file).toBe(alone)
    expect(list({ fps: 24, jobs: [{ module: 'flag.mjs', budget: 3 }] })[0]!.file).toBe(alone)
    for (const other of [{ fps: 25 }, { seed: 1 }, { clip: 'a' }, { tolerance: 0.01 }, { loop: true }, { warmup: 1 }]) {
      expect(list({ jobs: [{ ...job, ...other }] })[0]!.file).not.toBe(alone)
    }
    expect(list({ jobs: [job] }, ['--duration', '3'])[0]!.file).not.toBe(alone)
  })

  it('variants are merged deeply, and lists are replaced', () => {
    const simulations = { fish: { technique: 'boids', count: 3, speed: { min: 0.1, max: 0.2 } } }
    const job = { input: 'a/hero man.glb', duration: 1, simulations }
    const variants = { fast: { simulations: { fish: { speed: { max: 0.4 } } } } }
    const [file] = list({ jobs: [{ ...job, variants }] })
    const whole = { fish: { ...simulations.fish, speed: { min: 0.1, max: 0.4 } } }
    const [same] = list({ jobs: [{ ...job, variants: { fast: { simulations: whole } } }] })
    expect(file!.file).toBe(same!.file)
    const [other] = list({ jobs: [{ ...job, variants: { fast: {} } }] })
    expect(file!.file).not.toBe(other!.file)
  })

  it('--shard lists every n-th, and a missing input has no file', () => {
    const config = { jobs: [{ module: 'flag.mjs', seeds: [0, 1, 2, 3, 4] }, { module: 'none.mjs' }] }
    expect(ids(config, ['--shard', '1/3'])).toEqual(['flag.s1', 'flag.s4'])
    expect(list(config, ['--shard', '2/3']).map(({ index, file }) => [index, file === null])).toEqual([
      [2, false],
      [5, true],
    ])
  })

  it('prints a table without --json', () => {
    const folder = project({
      'limber.config.json': { jobs: [{ module: 'flag.mjs', seeds: [1, 22] }] },
      'flag.mjs': FLAG,
    })
    const { stdout } = limber(folder, ['list'])
    expect(stdout).toMatch(/^id +from +seed +file\nflag\.s1 +flag\.mjs +1 +flag\.s1\.[0-9a-f]{12}\.glb\nflag\.s22 /)
  })
})
