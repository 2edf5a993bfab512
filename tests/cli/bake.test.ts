import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { AnimationClip } from 'three'
import { FlockClip } from 'limber-node'
import validator from 'gltf-validator'
import { describe, expect, it } from 'vitest'
import { contents, FISH, FLAG, LIMBER, limber, project, root, write } from './helpers.js'

interface Entry {
  id: string
  file: string
  hash: string
  bytes: number
  sha256: string
  report: Record<string, number>
  state: string
  error?: string
}

const manifest = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'baked/manifest.json'), 'utf8')) as { jobs: Entry[] }
const names = (folder: string) => readdirSync(join(folder, 'baked')).sort()
const model = (name: string) => readFileSync(join(root, 'tests/models', name))

/** A project that bakes the flag. */
const flags = (more: object = {}, files: Parameters<typeof project>[0] = {}) =>
  project({
    'limber.config.json': { jobs: [{ module: 'flag.mjs', tolerance: 0.01, ...more }] },
    'flag.mjs': FLAG,
    ...files,
  })

describe('limber bake', () => {
  it('names files by id and hash, and lists them with their report', async () => {
    const folder = flags({ seeds: [1, 2] })
    const { status, stdout, stderr } = limber(folder, ['bake'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).not.toContain('\r')
    const { jobs } = manifest(folder)
    expect(jobs.map(({ id }) => id)).toEqual(['flag.s1', 'flag.s2'])
    expect(names(folder)).toEqual([...jobs.map(({ file }) => file), 'manifest.json'].sort())
    for (const { id, file, hash, bytes, sha256, report } of jobs) {
      expect(file).toBe(`${id}.${hash.slice(0, 12)}.glb`)
      const content = readFileSync(join(folder, 'baked', file))
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256)
      expect([content.length, report.bytes]).toEqual([bytes, bytes])
      expect(report.maxError).toBeLessThanOrEqual(0.01)
      const { issues } = await validator.validateBytes(new Uint8Array(content))
      expect([issues.numErrors, issues.numWarnings]).toEqual([0, 0])
    }
  })

  it('skips what is finished, and --force bakes the same bytes again', () => {
    const folder = flags({ seeds: [1, 2] })
    limber(folder, ['bake'])
    const before = contents(folder)
    const [first] = manifest(folder).jobs
    const time = () => statSync(join(folder, 'baked', first!.file)).mtimeMs
    const made = time()
    expect(limber(folder, ['bake']).stdout).toMatch(/up to date.*\nup to date.*\n2 jobs: 2 up to date\n$/)
    expect(time()).toBe(made)
    expect(limber(folder, ['bake', '--force']).stdout).toContain('2 jobs: 2 baked')
    expect(time()).not.toBe(made)
    expect(contents(folder)).toEqual(before)
  })

  it('bakes what is missing or cut off, and nothing else', () => {
    const folder = flags({ seeds: [1, 2, 3] })
    limber(folder, ['bake'])
    const before = contents(folder)
    const { jobs } = manifest(folder)
    rmSync(join(folder, 'baked', jobs[0]!.file))
    writeFileSync(join(folder, 'baked', jobs[1]!.file), 'cut')
    expect(limber(folder, ['bake']).stdout).toContain('3 jobs: 2 baked, 1 up to date')
    expect(contents(folder)).toEqual(before)
  })

  it('a change of options, of a module, or of what it imports makes another file, and the older one goes', () => {
    const imports = `import { strength as usual } from './parts/wind.mjs'\n${FLAG.replace('? 9 : 4', '? 9 : usual')}`
    const wind = (n: number) => ({
      'parts/wind.mjs': `export { strength } from './number.mjs'\nexport const data = new URL('wind.txt', import.meta.url)`,
      'parts/number.mjs': `export const strength = ${n}`,
      'parts/wind.txt': 'north',
    })
    const folder = project({
      'limber.config.json': { tolerance: 0.01, jobs: [{ module: 'flag.mjs' }] },
      'flag.mjs': imports,
      ...wind(4),
    })
    const bake = () => {
      expect(limber(folder, ['bake']).status).toBe(0)
      expect(names(folder)).toHaveLength(2)
      return manifest(folder).jobs[0]!.file
    }
    const files = [bake()]
    write(folder, { 'parts/number.mjs': 'export const strength = 5' })
    files.push(bake())
    write(folder, { 'parts/wind.txt': 'south' })
    files.push(bake())
    write(folder, { 'limber.config.json': { tolerance: 0.02, jobs: [{ module: 'flag.mjs' }] } })
    files.push(bake())
    expect(new Set(files).size).toBe(4)
    write(folder, { 'limber.config.json': { tolerance: 0.01, jobs: [{ module: 'flag.mjs' }] }, ...wind(4) })
    expect(bake()).toBe(files[0])
  })

  it('leaves alone what it did not write, and what has no job any more', () => {
    const folder = flags({ seeds: [1, 2] })
    limber(folder, ['bake'])
    const [, second] = manifest(folder).jobs
    write(folder, {
      'baked/flag.s1.0123456789ab.glb': 'mine',
      'limber.config.json': { jobs: [{ module: 'flag.mjs', tolerance: 0.02, seed: 1 }] },
    })
    expect(limber(folder, ['bake']).status).toBe(0)
    expect(names(folder)).toContain('flag.s1.0123456789ab.glb')
    expect(names(folder)).toContain(second!.file)
    expect(names(folder)).toHaveLength(4)
  })

  it('the same bytes whatever runs beside: --jobs 3, --jobs 1, and a module that counts its calls', () => {
    const counting = `let calls = 0\n${FLAG.replace('strength + seed', 'strength + seed + calls++ * 0')}
      if (globalThis.called) throw new Error('called twice in one process')
      globalThis.called = true`
    const all = ['1', '3'].map((jobs) => {
      const folder = flags({ seeds: [1, 2, 3, 4], variants: { storm: {}, calm: {} } }, { 'flag.mjs': counting })
      expect(limber(folder, ['bake', '--jobs', jobs]).status).toBe(0)
      return contents(join(folder, 'baked'))
    })
    expect(Object.keys(all[0]!)).toHaveLength(9)
    expect(all[1]).toEqual(all[0])
  })

  it('--dry-run says what it would do, and writes nothing', () => {
    const folder = flags({ seeds: [1, 2] })
    const dry = limber(folder, ['bake', '--dry-run'])
    expect(dry.status).toBe(0)
    expect(dry.stdout).toMatch(
      /to bake +flag\.s1\.[0-9a-f]{12}\.glb\nto bake +flag\.s2\.[0-9a-f]{12}\.glb\n2 jobs: 2 to bake\n/,
    )
    expect(existsSync(join(folder, 'baked'))).toBe(false)
  })

  it('--json is one document on stdout, also where modules print', () => {
    const folder = flags({ seeds: [1, 2] }, { 'flag.mjs': `console.log('hello from the flag')\n${FLAG}` })
    const { status, stdout, stderr } = limber(folder, ['bake', '--json'])
    const document = JSON.parse(stdout) as { exit: number; jobs: Entry[] }
    expect([status, document.exit]).toEqual([0, 0])
    expect(document.jobs.map(({ state }) => state)).toEqual(['baked', 'baked'])
    expect(document.jobs.map(({ file }) => file)).toEqual(manifest(folder).jobs.map(({ file }) => file))
    expect(stderr).toContain('flag.s1: hello from the flag')
    const again = JSON.parse(limber(folder, ['bake', '--json']).stdout) as { jobs: Entry[] }
    expect(again.jobs.map(({ state }) => state)).toEqual(['up to date', 'up to date'])
  })

  it('--fps and --duration go before the config', () => {
    const folder = flags({ fps: 24 })
    const { stdout } = limber(folder, ['bake', '--fps', '10', '--duration', '0.5', '--json'])
    expect((JSON.parse(stdout) as { jobs: Entry[] }).jobs[0]!.report.frames).toBe(6)
  })

  it('--cache serves another folder, and a damaged file in it counts as none', () => {
    const [one, two, three] = [flags({ seeds: [1, 2] }), flags({ seeds: [1, 2] }), flags({ seeds: [1, 2] })]
    const cache = join(one!, 'kept')
    expect(limber(one!, ['bake', '--cache', cache]).stdout).toContain('2 jobs: 2 baked')
    expect(limber(two!, ['bake', '--cache', cache]).stdout).toContain('2 jobs: 2 from cache')
    expect(contents(join(two!, 'baked'))).toEqual(contents(join(one!, 'baked')))
    const damaged = readdirSync(cache).find((name) => name.endsWith('.bin'))!
    writeFileSync(join(cache, damaged), 'damaged')
    expect(limber(three!, ['bake', '--cache', cache]).stdout).toContain('2 jobs: 1')
    expect(contents(join(three!, 'baked'))).toEqual(contents(join(one!, 'baked')))
  })

  it('writes three.js clips, the same bytes each time, and flock clips', () => {
    const jobs = [
      { name: 'clip', module: 'fish.mjs', format: 'clip', seed: 3 },
      { name: 'flock', module: 'fish.mjs', format: 'flock', seed: 3 },
      { name: 'nodes', module: 'fish.mjs', seed: 3 },
    ]
    const folder = project({ 'limber.config.json': { tolerance: 0.01, maxTargets: 9, jobs }, 'fish.mjs': FISH })
    expect(limber(folder, ['bake'])).toMatchObject({ status: 0, stderr: '' })
    const [clip, flock] = manifest(folder).jobs
    const path = (entry: Entry | undefined) => join(folder, 'baked', entry!.file)
    const parsed = AnimationClip.parse(JSON.parse(readFileSync(path(clip), 'utf8')))
    expect([parsed.validate(), parsed.duration, parsed.tracks.length]).toEqual([true, Math.fround(0.3), 12])
    expect(FlockClip.parse(new Uint8Array(readFileSync(path(flock)))).count).toBe(6)
    const before = contents(folder)
    expect(limber(folder, ['bake', '--force']).status).toBe(0)
    expect(contents(folder)).toEqual(before)
  })

  it('bakes what a config of functions says: scenes, and what is computed', () => {
    const config = `
      import flag from './flag.mjs'
      export default async () => ({
        tolerance: 0.01,
        jobs: [{ name: 'made', scene: flag, seed: 2 }, { module: 'flag.mjs', seed: 2 }],
      })`
    const folder = project({ 'limber.config.mjs': config, 'flag.mjs': FLAG })
    expect(limber(folder, ['bake'])).toMatchObject({ status: 0, stderr: '' })
    const [made, flag] = manifest(folder).jobs
    expect(made!.sha256).toBe(flag!.sha256)
    expect(limber(folder, ['bake']).stdout).toContain('2 jobs: 2 up to date')
    write(folder, { 'flag.mjs': FLAG.replace(': 4', ': 5') })
    expect(limber(folder, ['bake']).stdout).toContain('2 jobs: 2 baked')
  })

  it('bakes what is declared on a file; a warning that the file has already is told, and no failure', () => {
    const arm = { technique: 'jiggle', bones: ['Skeleton_arm_joint_L__4_'] }
    const jobs = [{ input: 'CesiumMan.glb', duration: 0.3, simulations: { arm } }]
    const folder = project({ 'limber.config.json': { jobs }, 'CesiumMan.glb': model('CesiumMan.glb') })
    const { status, stdout, stderr } = limber(folder, ['bake'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('CesiumMan: the input has this warning already: NODE_SKINNED_MESH_NON_ROOT')
    expect(manifest(folder).jobs[0]!.report.keys).toBeGreaterThan(0)
  })
})

describe('what ends with 3', () => {
  it('a budget that is missed, after the second run too', () => {
    const folder = flags({ budget: 100 })
    const line = /^limber: flag: [\d,]+ bytes, and its budget is 100\n$/
    for (const run of [1, 2]) {
      const { status, stderr } = limber(folder, ['bake'])
      expect([run, status]).toEqual([run, 3])
      expect(stderr).toMatch(line)
    }
    expect(names(folder)).toHaveLength(2)
  })

  it('a tolerance that cannot be kept: nothing is written of it, and the others are', () => {
    const jobs = [
      { name: 'tight', module: 'flag.mjs', tolerance: 0.00001, maxTargets: 1 },
      { module: 'flag.mjs', tolerance: 0.01 },
    ]
    const folder = project({ 'limber.config.json': { jobs }, 'flag.mjs': FLAG })
    const { status, stdout, stderr } = limber(folder, ['bake'])
    expect(status).toBe(3)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toMatch(/^limber: tight: /)
    expect(stdout).toContain('2 jobs: 1 tolerance missed, 1 baked')
    expect(names(folder)).toHaveLength(2)
  })
})

describe('a job that fails ends with 1, one line says what and where, and the others are finished', () => {
  const arm = (bones: string[]) => ({ arm: { technique: 'jiggle', bones } })
  const input = { duration: 0.2, input: 'CesiumMan.glb' }
  const faults: [string, object, RegExp][] = [
    [
      'a missing input',
      { ...input, input: 'none.glb', simulations: arm(['a']) },
      /input none\.glb cannot be read: no such file or directory \(ENOENT\)/,
    ],
    [
      'a broken GLB',
      { ...input, input: 'broken.glb', simulations: arm(['a']) },
      /broken\.glb: .*must be a GLB file.*cut off/,
    ],
    ['a missing bone', { ...input, simulations: arm(['Tail']) }, /CesiumMan\.glb: simulations\.arm\.bones.*"Tail"/],
    [
      'a missing mesh',
      { ...input, simulations: { cape: { technique: 'cloth', mesh: 'Cape' } } },
      /CesiumMan\.glb: simulations\.cape\.mesh.*"Cape"/,
    ],
    [
      'a missing clip',
      { ...input, clip: 'Fly', simulations: arm(['Skeleton_arm_joint_L__4_']) },
      /CesiumMan\.glb: clip.*"Fly"/,
    ],
    [
      'a missing module',
      { module: 'none.mjs' },
      /module none\.mjs cannot be read: no such file or directory \(ENOENT\)/,
    ],
    ['a module that throws', { module: 'throws.mjs' }, /TypeError: no such wind \(throws\.mjs:2:9\)/],
    [
      'a module that is none',
      { module: 'broken.mjs' },
      /module broken\.mjs cannot be read as an ES module: see line 2/,
    ],
    [
      'a module without a function',
      { module: 'empty.mjs' },
      /empty\.mjs must export a function by default, got undefined/,
    ],
    [
      'a module that imports what is not there',
      { module: 'lost.mjs' },
      /lost\.mjs imports \.\/gone\.mjs: no such file/,
    ],
    [
      'a module that gives something else',
      { module: 'other.mjs' },
      /sims is no option of what a scene gives; known: simulations/,
    ],
    ['a module that ends its process', { module: 'exits.mjs' }, /its process ended early, with exit code 7/],
  ]

  it.each(faults)('%s', (_, fault, line) => {
    const jobs = [
      { name: 'bad', ...fault },
      { module: 'flag.mjs', tolerance: 0.01 },
    ]
    const folder = project({
      'limber.config.json': { jobs },
      'flag.mjs': FLAG,
      'CesiumMan.glb': model('CesiumMan.glb'),
      'broken.glb': model('CesiumMan.glb').subarray(0, 3000),
      'throws.mjs': "export default () => {\n  throw new TypeError('no such wind')\n}",
      'broken.mjs': 'export default 3\nimport {',
      'empty.mjs': 'export const scene = 3',
      'lost.mjs': "import './gone.mjs'\nexport default () => ({})",
      'other.mjs': 'export default () => ({ sims: {} })',
      'exits.mjs': 'export default () => process.exit(7)',
    })
    const { status, stdout, stderr } = limber(folder, ['bake'])
    expect({ status, lines: stderr.trim().split('\n').length }).toEqual({ status: 1, lines: 1 })
    expect(stderr).toMatch(/^limber: bad(\.Fly)?: /)
    expect(stderr).toMatch(line)
    expect(stdout).toContain('2 jobs: 1 failed, 1 baked')
    expect(names(folder)).toEqual([expect.stringMatching(/^flag\.[0-9a-f]{12}\.glb$/), 'manifest.json'])
  })

  it('an input that changes while it is baked: no file is named by what it was before', () => {
    const scene = `import { writeFileSync } from 'node:fs'
      writeFileSync(new URL('wind.txt', import.meta.url), 'south')
      ${FLAG}`
    const folder = flags({}, { 'flag.mjs': scene, 'wind.txt': 'north' })
    expect(limber(folder, ['bake'])).toMatchObject({
      status: 1,
      stderr: 'limber: flag: its inputs changed while it was baked: run it again\n',
    })
    expect(names(folder)).toEqual([])
    expect(limber(folder, ['bake']).status).toBe(0)
  })

  it('what was there before a failure stays', () => {
    const folder = flags()
    limber(folder, ['bake'])
    const before = names(folder)
    write(folder, { 'flag.mjs': 'export default () => { throw new Error("no") }' })
    expect(limber(folder, ['bake']).status).toBe(1)
    expect(names(folder)).toEqual(before)
    write(folder, { 'flag.mjs': FLAG.replace(': 4', ': 5') })
    expect(limber(folder, ['bake']).status).toBe(0)
    expect(names(folder)).toHaveLength(2)
    expect(names(folder)).not.toEqual(before)
  })

  it('a folder that cannot be written to', () => {
    const folder = flags()
    write(folder, { baked: 'a file' })
    const taken = limber(folder, ['bake'])
    expect(taken.status).toBe(1)
    expect(taken.stderr).toMatch(/^limber: nothing can be written to the folder baked: .+\n$/)

    rmSync(join(folder, 'baked'))
    mkdirSync(join(folder, 'baked'))
    chmodSync(join(folder, 'baked'), 0o555)
    chmodSync(folder, 0o755)
    // Nothing is forbidden to root.
    const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    const { status, stderr } = spawnSync(process.execPath, [LIMBER, 'bake'], { cwd: folder, encoding: 'utf8', ...user })
    chmodSync(join(folder, 'baked'), 0o755)
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'limber: nothing can be written to the folder baked: permission denied (EACCES)\n',
    })
    expect(names(folder)).toEqual([])
  })
})

describe('a second run', () => {
  it('loads nothing that bakes or checks', () => {
    const trace = `
      import { register } from 'node:module'
      register('data:text/javascript,' + encodeURIComponent(\`
        import { appendFileSync } from 'node:fs'
        export async function load(url, context, next) {
          appendFileSync(process.env.TRACE, url + '\\\\n')
          return next(url, context)
        }\`))`
    const folder = flags({ seeds: [1, 2] }, { 'trace.mjs': trace, trace: '' })
    const run = () => {
      writeFileSync(join(folder, 'trace'), '')
      const { status, stdout } = spawnSync(process.execPath, ['--import', './trace.mjs', LIMBER, 'bake'], {
        cwd: folder,
        env: { ...process.env, TRACE: join(folder, 'trace') },
        encoding: 'utf8',
      })
      expect(status).toBe(0)
      return { stdout, loaded: readFileSync(join(folder, 'trace'), 'utf8') }
    }
    const heavy =
      /\/(three|ajv|limber|@gltf-transform|gltf-validator|chokidar|cli-progress|meshoptimizer)\/|worker\.js|\.node$/gm
    const first = run()
    expect(first.loaded).toMatch(/\/three\//)
    expect(first.loaded).toMatch(/\/ajv\//)
    const second = run()
    expect(second.stdout).toContain('2 jobs: 2 up to date')
    expect(second.loaded).toMatch(/commander/)
    expect(second.loaded.replaceAll(root, '').match(heavy)).toBeNull()
  })
})

describe('formats', () => {
  it('a vertex animation is written, and inspected; one that is cut off says so', () => {
    const folder = flags({ format: 'vat' })
    expect(limber(folder, ['bake'])).toMatchObject({ status: 0, stderr: '' })
    const [{ file, report }] = manifest(folder).jobs as [Entry]
    expect(file).toMatch(/\.vat$/)
    expect(report.maxError).toBeLessThanOrEqual(0.01)
    const path = join('baked', file)
    const { status, stdout } = limber(folder, ['inspect', path])
    expect(status).toBe(0)
    expect(stdout).toMatch(/vertex animation texture/)
    expect(stdout).toMatch(/maxDistance +\d/)
    expect(stdout).not.toContain('[object')
    const bytes = readFileSync(join(folder, path))
    write(folder, { 'cut.vat': bytes.subarray(0, bytes.length - 9) })
    expect(limber(folder, ['inspect', 'cut.vat'])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^limber: cut\.vat is broken: .*cut off/) as string,
    })
  })

  it.each([
    ['vat', 'fish.mjs', 'format "vat" holds a cloth alone, and would lose fish: write a "glb"'],
    ['clip', 'flag.mjs', 'format "clip" holds bones and boids alone, and would lose flag: write a "glb"'],
    ['flock', 'flag.mjs', 'format "flock" holds boids alone, and would lose flag: write a "glb"'],
  ])('%s refuses what it cannot hold', (format, module, message) => {
    const folder = project({
      'limber.config.json': { jobs: [{ module, format, seed: 1 }] },
      'flag.mjs': FLAG,
      'fish.mjs': FISH,
    })
    const { status, stderr } = limber(folder, ['bake'])
    expect(status).toBe(1)
    expect(stderr).toContain(message)
  })

  it('a file whose job cannot be made anew is stale in the manifest, and goes when it can', () => {
    const folder = flags()
    expect(limber(folder, ['bake']).status).toBe(0)
    const [before] = manifest(folder).jobs as [Entry & { stale?: true }]
    expect(before.stale).toBeUndefined()
    const config = (more: object) => ({ 'limber.config.json': { jobs: [{ module: 'flag.mjs', ...more }] } })
    write(folder, config({ tolerance: 0.00001, maxTargets: 1 }))
    expect(limber(folder, ['bake']).status).toBe(3)
    expect(manifest(folder).jobs).toEqual([{ ...before, stale: true }])
    expect(limber(folder, ['merge']).status).toBe(1)
    write(folder, config({ tolerance: 0.02 }))
    const { status, stdout } = limber(folder, ['bake'])
    expect(status).toBe(0)
    expect(stdout).toContain(`removed     ${before.file}`)
    expect(names(folder)).not.toContain(before.file)
    expect(manifest(folder).jobs).toHaveLength(1)
    expect(manifest(folder).jobs[0]).not.toHaveProperty('stale')
  })
})
