import { setTimeout as wait } from 'node:timers/promises'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { contents, FLAG, limber, project, start } from './helpers.js'

const config = { tolerance: 0.01, jobs: [{ module: 'flag.mjs', seeds: [1, 2, 3] }] }
const make = (scene = FLAG) => project({ 'limber.config.json': config, 'flag.mjs': scene })
const STUCK = `import { writeFileSync } from 'node:fs'
export default () => {
  writeFileSync(new URL('begun', import.meta.url), String(process.pid))
  for (;;);
}`

function isAlive(pid: number): boolean {
  try {
    // One that has ended may be listed until somebody has asked for its exit code.
    if (readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) return false
  } catch {
    // No /proc, or no such process.
  }
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a run that is stopped', () => {
  it('killed at a random moment and started again, it gives the same bytes: 20 trials', async () => {
    const whole = make()
    const began = performance.now()
    expect(limber(whole, ['bake', '--jobs', '2']).status).toBe(0)
    const length = performance.now() - began
    const expected = contents(join(whole, 'baked'))
    for (let trial = 0; trial < 20; trial++) {
      const folder = make()
      const { child, ended } = start(folder, ['bake', '--jobs', '2'])
      await wait(Math.random() * length)
      child.kill('SIGKILL')
      await ended
      const { status, stderr } = limber(folder, ['bake', '--jobs', '2'])
      expect({ trial, status, stderr }).toEqual({ trial, status: 0, stderr: '' })
      expect(contents(join(folder, 'baked'))).toEqual(expected)
    }
  })

  it('removes what killed runs left, of its own jobs alone', () => {
    const folder = make()
    expect(limber(folder, ['bake']).status).toBe(0)
    const before = contents(folder)
    const [file] = readdirSync(join(folder, 'baked'))
    expect(file).toMatch(/^flag\.s1\./)
    writeFileSync(join(folder, 'baked', `.${file}.4194304-0.tmp`), 'half')
    writeFileSync(join(folder, 'baked', '.other.0123456789ab.glb.4194304-0.tmp'), 'half')
    // Somebody who is still writing.
    const alive = `.${file}.${process.pid}-0.tmp`
    writeFileSync(join(folder, 'baked', alive), 'half')
    expect(limber(folder, ['bake']).status).toBe(0)
    expect(Object.keys(contents(folder))).toEqual(
      [...Object.keys(before), 'baked/.other.0123456789ab.glb.4194304-0.tmp', `baked/${alive}`].sort(),
    )
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s it ends with %i and one line, also where a module is stuck', async (signal, code) => {
    const folder = make(STUCK)
    const { child, ended } = start(folder, ['bake'])
    let pid = 0
    while (!pid) {
      await wait(20)
      if (existsSync(join(folder, 'begun'))) pid = Number(readFileSync(join(folder, 'begun'), 'utf8'))
    }
    child.kill(signal)
    const { status, stdout, stderr } = await ended
    expect({ status, stdout, stderr }).toEqual({
      status: code,
      stdout: '',
      stderr: 'limber: stopped: 0 of 3 jobs are done; run it again to go on\n',
    })
    expect(readdirSync(join(folder, 'baked'))).toEqual([])
    // Its parent is gone: whoever took it over clears it away in a moment.
    for (let tries = 0; tries < 500 && isAlive(pid); tries++) await wait(10)
    if (isAlive(pid)) {
      process.kill(pid, 'SIGKILL')
      throw new Error('what was baking was left running')
    }
  })
})
