import { describe, expect, it } from 'vitest'
import { FLAG, limber, project, write } from './helpers.js'

const job = (more: object) => ({ jobs: [{ module: 'flag.mjs', ...more }] })
const cloth = (more: object) => ({
  jobs: [{ input: 'hero.glb', duration: 1, simulations: { cape: { technique: 'cloth', mesh: 'Cape', ...more } } }],
})

/** Runs `bake` on a config, which must be refused; gives the one line that says why. */
function refusal(config: object | string, name = 'limber.config.json'): string {
  const folder = project({ [name]: config, 'flag.mjs': FLAG })
  const { status, stdout, stderr } = limber(folder, ['bake'])
  expect({ status, stdout, lines: stderr.trim().split('\n').length }).toEqual({ status: 2, stdout: '', lines: 1 })
  return stderr.trim().replace(/^limber: /, '')
}

describe('wrong usage ends with 2 and one line', () => {
  const folder = project({ 'limber.config.json': job({}), 'flag.mjs': FLAG })

  it.each([
    [['bake', '--fsp', '30'], /unknown option '--fsp'/],
    [['bakes'], /unknown command 'bakes'/],
    [['bake', 'other.json'], /^other\.json: no such file$/],
    [['bake', '--fps', '0'], /^--fps must be a number from 1 to 240, got "0"$/],
    [['bake', '--fps'], /--fps/],
    [['bake', '--duration', 'long'], /^--duration must be a number from 0\.001 to 3600, got "long"$/],
    [['bake', '--jobs', '1.5'], /^--jobs must be a whole number from 1 to 256, got "1\.5"$/],
    [['bake', '--shard', '3/3'], /^--shard: i must be a whole number from 0 to 2, got 3$/],
    [['bake', '--shard', 'a/b'], /^--shard must be i\/n, such as 0\/3, got "a\/b"$/],
    [['bake', '--shard', '0/0'], /n must be a whole number from 1 to 100000, got 0$/],
    [['bake', '--watch', '--json'], /^--watch does not go with --json$/],
    [['bake', '--watch', '--dry-run'], /^--watch does not go with --dry-run$/],
    [['inspect'], /missing required argument 'file'/],
    [['inspect', 'none.glb'], /^none\.glb cannot be read: no such file or directory \(ENOENT\)$/],
  ])('%j', (args, message) => {
    const { status, stdout, stderr } = limber(folder, args)
    expect(stderr.trim().replace(/^limber: /, '')).toMatch(message)
    expect({ status, stdout, lines: stderr.trim().split('\n').length }).toEqual({ status: 2, stdout: '', lines: 1 })
  })

  it('says how it is used where nothing is asked of it', () => {
    const { status, stdout, stderr } = limber(folder, [])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    for (const name of ['bake', 'list', 'merge', 'inspect']) expect(stderr).toContain(`  ${name} `)
  })

  it('prints help and version', () => {
    const help = limber(folder, ['bake', '--help'])
    expect(help.status).toBe(0)
    const options = ['fps', 'duration', 'jobs', 'shard', 'cache', 'watch', 'dry-run', 'json', 'force', 'help']
    for (const option of options) expect(help.stdout).toContain(`--${option}`)
    expect(limber(folder, ['--version'])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    })
  })

  it('names the configs that it looks for', () => {
    const { status, stderr } = limber(project({}), ['bake'])
    expect(status).toBe(2)
    expect(stderr).toContain('there is no limber.config.json, limber.config.mjs, limber.config.js in ')
  })

  it('an index of many without how many there are', () => {
    const alone = limber(folder, ['bake'], { JOB_COMPLETION_INDEX: '1' })
    expect(alone.status).toBe(2)
    expect(alone.stderr).toContain('JOB_COMPLETION_INDEX is 1, and nothing says of how many: set JOB_COMPLETIONS')
    const beyond = limber(folder, ['bake'], { AWS_BATCH_JOB_ARRAY_INDEX: '2', LIMBER_SHARDS: '2' })
    expect(beyond.status).toBe(2)
    expect(beyond.stderr).toContain(
      'AWS_BATCH_JOB_ARRAY_INDEX and LIMBER_SHARDS: i must be a whole number from 0 to 1, got 2',
    )
  })
})

describe('a wrong config ends with 2 and one line that names the option and its range', () => {
  it.each([
    [job({ fps: 0 }), 'config.jobs[0].fps must be a number from 1 to 240, got 0'],
    [
      job({ loop: 'x' }),
      'config.jobs[0].loop must be true or false or a number above 0, at most 3600 or one of "crossfade", "periodic", got "x"',
    ],
    [job({ format: 'fbx' }), 'config.jobs[0].format must be one of "glb", "clip", "vat", "flock", got "fbx"'],
    [job({ seeds: [1, 'x'] }), 'config.jobs[0].seeds[1] must be a whole number from 0 to 1000000000, got "x"'],
    [job({ seeds: [3, 3] }), 'config.jobs[0].seeds has 3 twice'],
    [
      job({ variants: { calm: { budget: 0 } } }),
      'config.jobs[0].variants.calm.budget must be a whole number from 1 on, got 0',
    ],
    [job({ input: 'hero.glb' }), 'config.jobs[0] may have only one of input and module'],
    [job({ clip: 'a', clips: ['b'] }), 'config.jobs[0] may have only one of clip and clips'],
    [{}, 'config.jobs is missing'],
    [{ jobs: [] }, 'config.jobs must be a list of one or more jobs, got an array of 0'],
    [{ jobs: [{}] }, 'config.jobs[0] must have one of input, module and scene, and has none'],
    [{ out: 3, ...job({}) }, 'config.out must be a text that is not empty'],
    [
      cloth({ wind: [0, 3] }),
      'config.jobs[0].simulations.cape.wind must be a list of 3 numbers or an object (x, y and z) or an object (base, gust and period), got an array of 2',
    ],
    [
      cloth({ technique: 'felt' }),
      'config.jobs[0].simulations.cape.technique must be one of "cloth", "jiggle", "ragdoll", "boids", got "felt"',
    ],
    [
      cloth({ options: { iterations: 0 } }),
      'config.jobs[0].simulations.cape.options.iterations must be a whole number from 1 to 1000, got 0',
    ],
    [
      cloth({ colliders: [{ kind: 'capsule', a: [0, 0, 0], b: [0, 0, 1] }] }),
      'config.jobs[0].simulations.cape.colliders[0].radius is missing',
    ],
    [
      { jobs: [{ input: 'hero.glb', duration: 1 }] },
      'config.jobs[0].simulations must name at least one simulation that acts on hero.glb',
    ],
    [
      { jobs: [{ input: 'hero.glb', simulations: { fish: { technique: 'boids' } } }] },
      'config.jobs[0].duration is missing: without a clip there is none to take (seconds, at most 3600)',
    ],
    [
      job({ simulations: { fish: { technique: 'boids' } } }),
      'config.jobs[0].simulations is for jobs with input: a module or scene makes its own',
    ],
  ])('%j', (config, message) => {
    expect(refusal(config)).toBe(message)
  })

  it('names an unknown option, and those that there are', () => {
    expect(refusal(job({ tolerence: 1 }))).toMatch(
      /^config\.jobs\[0\]\.tolerence is no option of a job; known: name, input, module, .*\btolerance\b/,
    )
    expect(refusal(cloth({ option: {} }))).toMatch(
      /^config\.jobs\[0\]\.simulations\.cape\.option is no option of a cloth; known: technique, mesh, .*\boptions\b/,
    )
  })

  it('checks what a variant makes of a simulation', () => {
    const [hero] = cloth({}).jobs
    const variants = { storm: { simulations: { cape: { wind: 'strong' } } } }
    expect(refusal({ jobs: [{ ...hero, variants }] })).toMatch(
      /^config\.jobs\[0\]\.variants\.storm\.simulations\.cape\.wind must be /,
    )
  })

  it('an option that was mistyped after a run is found, too', () => {
    const folder = project({ 'limber.config.json': job({}), 'flag.mjs': FLAG })
    expect(limber(folder, ['bake']).status).toBe(0)
    write(folder, { 'limber.config.json': job({ bugdet: 3 }) })
    const { status, stderr } = limber(folder, ['bake'])
    expect(status).toBe(2)
    expect(stderr).toContain('config.jobs[0].bugdet is no option of a job')
  })

  it('two jobs of one id are named', () => {
    const twice = { jobs: [{ module: 'flag.mjs' }, { module: 'flag.mjs' }] }
    expect(refusal(twice)).toBe(
      'config.jobs[0] and config.jobs[1] both have the id flag: give them names of their own (name)',
    )
  })

  it('what is no JSON, or a module that throws, says where', () => {
    expect(refusal('{ "jobs": [ }')).toMatch(/^limber\.config\.json is no JSON: /)
    expect(refusal("\nthrow new TypeError('no such day')", 'limber.config.mjs')).toBe(
      'limber.config.mjs failed: TypeError: no such day (limber.config.mjs:2:7)',
    )
    expect(refusal('export default () => { throw 3 }', 'limber.config.mjs')).toBe('limber.config.mjs failed: threw 3')
    expect(refusal('export default {{', 'limber.config.mjs')).toMatch(
      /^limber\.config\.mjs failed: SyntaxError: .*see line 1\)$/,
    )
    expect(refusal('export const config = {}', 'limber.config.mjs')).toBe(
      'limber.config.mjs must export by default an object with jobs',
    )
  })
})
