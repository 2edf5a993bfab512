import { join } from 'node:path'
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FLAG, limber, project } from './helpers.js'

const make = (scene: string) =>
  project({
    'limber.config.json': { tolerance: 0.01, jobs: [{ module: 'flag.mjs' }, { module: 'other.mjs' }] },
    'flag.mjs': FLAG,
    'other.mjs': scene,
  })

describe('a module that misbehaves fails its own job, in one line', () => {
  it.each([
    ['throws null', 'throw null', 'threw null'],
    ['throws what has no text', 'throw Object.create(null)', 'threw an object'],
    ['throws an error without a text or a stack', 'throw Object.assign(new Error(), { message: 5, stack: 5 })', '5'],
    [
      'throws later',
      "setTimeout(() => { throw new Error('later') }, 10); return new Promise(() => {})",
      'later (other.mjs:1:49)',
    ],
    [
      'leaves a rejection alone',
      "Promise.reject(new Error('left')); return new Promise(() => {})",
      'left (other.mjs:1:39)',
    ],
    ['goes elsewhere', "process.chdir('/'); throw new Error('away')", 'away (other.mjs:1:50)'],
    [
      'talks to the command',
      "for (const word of [null, 'x', { kind: 'baked' }]) process.send(word); process.exit(0)",
      'its process ended early, with exit code 0',
    ],
  ])('%s', (_, body, message) => {
    const folder = make(`export default () => { ${body} }`)
    const { status, stdout, stderr } = limber(folder, ['bake'])
    expect({ status, stderr }).toEqual({ status: 1, stderr: `limber: other: ${message}\n` })
    expect(stdout).toMatch(/2 jobs: 1 baked, 1 failed\n$/)
    expect(readdirSync(join(folder, 'baked'))).toEqual([expect.stringMatching(/^flag\./), 'manifest.json'])
  })

  it('what it prints arrives whole, and long lines in parts', () => {
    const folder = make(`export { default } from './flag.mjs'
      for (let i = 0; i < 30000; i++) console.log(\`line \${i}\`)
      process.stdout.write('x'.repeat(300000) + 'end')`)
    const { status, stdout, stderr } = limber(folder, ['bake', '--json'])
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ exit: 0 })
    const lines = stderr.split('\n')
    expect(lines.filter((line) => line.startsWith('other: line '))).toHaveLength(30000)
    expect(lines.some((line) => /^other: x*end$/.test(line))).toBe(true)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(150_000)
  })

  it('a process that it started does not hold its job', () => {
    const folder = make(`import { spawn } from 'node:child_process'
      export { default } from './flag.mjs'
      spawn(process.execPath, ['-e', 'setTimeout(() => {}, 20000)'], { stdio: 'inherit', detached: true }).unref()`)
    const began = performance.now()
    expect(limber(folder, ['bake']).status).toBe(0)
    expect(performance.now() - began).toBeLessThan(15_000)
  })
})

describe('a config that gives none', () => {
  it.each([
    ['ends the process', 'export default () => process.exit(0)'],
    ['never settles', 'export default () => new Promise(() => {})'],
    ['never ends to load', 'await new Promise(() => {}); export default {}'],
    ['exports what never settles', 'export default new Promise(() => {})'],
  ])('where it %s', (_, text) => {
    const { status, stdout, stderr } = limber(project({ 'limber.config.mjs': text }), ['list'])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    // Node may add a warning of its own.
    expect(stderr).toContain(
      'limber: limber.config.mjs ends the process, or waits for what never comes, and gives no config\n',
    )
    expect(stderr).not.toContain('    at ')
  })

  it.each([
    [
      'a BigInt',
      "export default { jobs: [{ module: 'flag.mjs', seed: 5n }] }",
      'Do not know how to serialize a BigInt',
    ],
    [
      'itself',
      'const all = { jobs: [] }; all.jobs.push(all); export default all',
      'Converting circular structure to JSON',
    ],
  ])('as it holds %s', (_, text, why) => {
    const { status, stderr } = limber(project({ 'limber.config.mjs': text }), ['list'])
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `limber: config must hold nothing that JSON has not: ${why}\n`,
    })
  })

  it.each([
    [{}, 'config.jobs[0].variants must have at least one entry'],
    [{ storm: null }, 'config.jobs[0].variants.storm must be an object (a variant), got null'],
  ])('with the variants %j', (variants, message) => {
    const config = { jobs: [{ module: 'flag.mjs', variants }] }
    const { status, stderr } = limber(project({ 'limber.config.json': config, 'flag.mjs': FLAG }), ['list'])
    expect({ status, stderr }).toEqual({ status: 2, stderr: `limber: ${message}\n` })
  })
})

describe.runIf(process.platform === 'linux')('where no folder can be made', () => {
  it('the command ends', () => {
    const job = { module: 'flag.mjs', tolerance: 0.01 }
    const folder = project({ 'limber.config.json': { out: '/proc/none/out', jobs: [job] }, 'flag.mjs': FLAG })
    const { status, stderr } = limber(folder, ['bake'])
    expect(status).toBe(1)
    expect(stderr).toMatch(/^limber: nothing can be written to the folder \/proc\/none\/out: .+ \(ENOENT\)\n$/)
  })

  it('and no cache is made of an empty name', () => {
    const folder = project({ 'limber.config.json': { jobs: [{ module: 'flag.mjs' }] }, 'flag.mjs': FLAG })
    const { status, stderr } = limber(folder, ['bake', '--cache', ''])
    expect({ status, stderr }).toEqual({ status: 2, stderr: 'limber: --cache must be the path of a folder, got ""\n' })
  })
})
