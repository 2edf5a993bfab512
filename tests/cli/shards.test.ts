import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { contents, FISH, FLAG, limber, project, write } from './helpers.js'

const config = {
  tolerance: 0.01,
  jobs: [
    { module: 'flag.mjs', seeds: [1, 2, 3] },
    { module: 'fish.mjs', format: 'flock', seed: 1 },
    { name: 'nodes', module: 'fish.mjs', format: 'clip', seed: 1 },
  ],
}
const make = () => project({ 'limber.config.json': config, 'flag.mjs': FLAG, 'fish.mjs': FISH })

/** Bakes in so many parts, each in a folder of its own, the last first, and brings the files together. */
function inParts(total: number): string {
  const whole = make()
  for (let index = total - 1; index >= 0; index--) {
    const folder = make()
    expect(limber(folder, ['bake', '--shard', `${index}/${total}`]).status).toBe(0)
    cpSync(join(folder, 'baked'), join(whole, 'baked'), { recursive: true })
  }
  return whole
}

describe('parts', () => {
  let alone: Record<string, string>
  let three: string
  beforeAll(() => {
    const folder = make()
    expect(limber(folder, ['bake']).status).toBe(0)
    alone = contents(join(folder, 'baked'))
    three = inParts(3)
  })

  it('1, 3 and 7 parts give, merged, the bytes of one whole', () => {
    expect(Object.keys(alone)).toHaveLength(6)
    for (const folder of [inParts(1), copy(), inParts(7)]) {
      expect(limber(folder, ['merge'])).toMatchObject({ status: 0, stderr: '' })
      expect(contents(join(folder, 'baked'))).toEqual(alone)
      expect(limber(folder, ['bake']).stdout).toContain('5 jobs: 5 up to date')
      // Again, what was merged is checked.
      expect(limber(folder, ['merge'])).toMatchObject({ status: 0, stderr: '' })
    }
    const folder = copy()
    expect(limber(folder, ['merge']).status).toBe(0)
    const [file] = readdirSync(join(folder, 'baked')).filter((name) => name.endsWith('.glb'))
    const path = join(folder, 'baked', file!)
    const bytes = readFileSync(path)
    bytes[bytes.length - 5]! ^= 1
    writeFileSync(path, bytes)
    const spoilt = limber(folder, ['merge'])
    expect(spoilt.status).toBe(1)
    expect(spoilt.stderr).toContain(`${file} has other contents than its part wrote`)
  })

  it('in one folder that is shared, and by the index of an engine, which counts from 0', () => {
    const folder = make()
    for (const index of ['0', '1', '2']) {
      const kubernetes = { JOB_COMPLETION_INDEX: index, JOB_COMPLETIONS: '3' }
      const batch = { AWS_BATCH_JOB_ARRAY_INDEX: index, LIMBER_SHARDS: '3' }
      expect(limber(folder, ['bake'], index === '1' ? batch : kubernetes).status).toBe(0)
      expect(existsSync(join(folder, 'baked', `manifest.${index}-of-3.json`))).toBe(true)
      // Again, as a killed part is started again.
      expect(limber(folder, ['bake'], kubernetes).stdout).toMatch(/: \d up to date\n$/)
    }
    const { stdout } = limber(folder, ['merge', '--json'])
    expect((JSON.parse(stdout) as { faults: string[] }).faults).toEqual([])
    expect(contents(join(folder, 'baked'))).toEqual(alone)
  })

  function copy(): string {
    const folder = make()
    cpSync(join(three, 'baked'), join(folder, 'baked'), { recursive: true })
    return folder
  }

  const fragment = (folder: string, name: string) => join(folder, 'baked', `manifest.${name}.json`)
  const fileOf = (folder: string, id: string) =>
    join(
      folder,
      'baked',
      readdirSync(join(folder, 'baked')).find((name) => name.startsWith(`${id}.`))!,
    )
  function change(folder: string, name: string, edit: (manifest: any) => void): void {
    const manifest = JSON.parse(readFileSync(fragment(folder, name), 'utf8'))
    edit(manifest)
    writeFileSync(fragment(folder, name), JSON.stringify(manifest))
  }

  const faults: [string, (folder: string) => void, RegExp][] = [
    [
      'nothing at all',
      (folder) => rmSync(join(folder, 'baked'), { recursive: true }),
      /there is no manifest\.<i>-of-<n>\.json in baked/,
    ],
    ['a part that is missing', (folder) => rmSync(fragment(folder, '1-of-3')), /manifest\.1-of-3\.json is missing/],
    [
      'a part that is no manifest',
      (folder) => writeFileSync(fragment(folder, '1-of-3'), '{"jobs": [3]}'),
      /manifest\.1-of-3\.json is no manifest of limber/,
    ],
    [
      'parts of another number',
      (folder) => cpSync(fragment(folder, '1-of-3'), fragment(folder, '1-of-4')),
      /manifest\.1-of-4\.json says that it is part 1 of 3/,
    ],
    [
      'a job that failed',
      (folder) => change(folder, '1-of-3', (manifest) => manifest.jobs.shift()),
      /flag\.s2 is missing: no part has it/,
    ],
    [
      'a job that is double, and different',
      (folder) =>
        change(folder, '2-of-3', (manifest) =>
          manifest.jobs.push({ ...JSON.parse(readFileSync(fragment(folder, '0-of-3'), 'utf8')).jobs[0], sha256: 'f' }),
        ),
      /flag\.s1 is in manifest\.0-of-3\.json and in manifest\.2-of-3\.json, with different contents/,
    ],
    [
      'a part of another version',
      (folder) => change(folder, '1-of-3', (manifest) => (manifest.version = '9.9.9')),
      /manifest\.1-of-3\.json is of version 9\.9\.9/,
    ],
    [
      'another config',
      (folder) => write(folder, { 'limber.config.json': { ...config, fps: 24 } }),
      /manifest\.0-of-3\.json is of another config/,
    ],
    [
      'other inputs',
      (folder) => write(folder, { 'fish.mjs': `${FISH}\n` }),
      /fish\.s1 in manifest\.0-of-3\.json was made of other inputs/,
    ],
    [
      'a file that is missing',
      (folder) => rmSync(fileOf(folder, 'flag.s3')),
      /flag\.s3: flag\.s3\.[0-9a-f]{12}\.glb is missing/,
    ],
    [
      'a file that is cut off',
      (folder) => writeFileSync(fileOf(folder, 'flag.s3'), 'glTF'),
      /flag\.s3: .* has 4 bytes, and should have \d+/,
    ],
    [
      'a file with other contents',
      (folder) => {
        const bytes = readFileSync(fileOf(folder, 'flag.s3'))
        bytes[bytes.length - 1]! ^= 1
        writeFileSync(fileOf(folder, 'flag.s3'), bytes)
      },
      /flag\.s3: .* has other contents than its part wrote/,
    ],
  ]

  it.each(faults)('merge refuses %s, and leaves all as it is', (_, spoil, line) => {
    const folder = copy()
    spoil(folder)
    const before = contents(folder)
    const { status, stdout, stderr } = limber(folder, ['merge'])
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(line)
    expect(contents(folder)).toEqual(before)
  })
})
