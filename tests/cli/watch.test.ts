import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FLAG, project, start, write } from './helpers.js'

it('--watch bakes again when an input, a module that it imports, or the config changes', async () => {
  const scene = `import './part.mjs'\n${FLAG}`
  const config = (tolerance: number) => ({ 'limber.config.json': { tolerance, jobs: [{ module: 'flag.mjs' }] } })
  const folder = project({ ...config(0.01), 'flag.mjs': scene, 'part.mjs': '' })
  const { child, ended, until } = start(folder, ['bake', '--watch'])
  const files = () => readdirSync(join(folder, 'baked')).filter((name) => name.endsWith('.glb'))
  const rounds = (count: number) => until((printed) => printed.split('watching 3 files').length > count)
  await rounds(1)
  const seen = [files()]
  write(folder, { 'part.mjs': '// changed' })
  await rounds(2)
  seen.push(files())
  write(folder, config(0.02))
  await rounds(3)
  seen.push(files())
  // A config that is wrong is told, and it goes on.
  write(folder, config(7))
  await rounds(4)
  write(folder, { ...config(0.02), 'flag.mjs': `${scene}\n` })
  await rounds(5)
  seen.push(files())
  child.kill('SIGINT')
  const { status, stderr } = await ended
  expect(status).toBe(130)
  expect(stderr).toContain('config.tolerance must be a number from 0.00001 to 1, got 7')
  expect(seen.map((names) => names.length)).toEqual([1, 1, 1, 1])
  expect(new Set(seen.flat()).size).toBe(4)
})

it('--watch goes on when a file that a config or a module imports is mended, or made', async () => {
  const config = `import { tolerance } from './part.mjs'\nexport default { tolerance, jobs: [{ module: 'flag.mjs' }] }`
  const folder = project({
    'limber.config.mjs': config,
    'part.mjs': 'export const tolerance = 0.01 )',
    'flag.mjs': `import './more.mjs'\n${FLAG}`,
  })
  const { child, ended, until } = start(folder, ['bake', '--watch'])
  const rounds = (count: number) => until((printed) => printed.split('Ctrl-C ends it').length > count)
  await rounds(1)
  write(folder, { 'part.mjs': 'export const tolerance = 0.01' })
  await rounds(2)
  write(folder, { 'more.mjs': '' })
  await until((printed) => printed.includes('1 job: 1 baked'))
  child.kill('SIGINT')
  const { status, stderr } = await ended
  expect(status).toBe(130)
  expect(stderr).toContain('part.mjs cannot be read as an ES module')
  expect(stderr).toContain('flag.mjs imports ./more.mjs: no such file')
})
