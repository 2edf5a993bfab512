// A technique is whole only with everything that ARCHITECTURE.md lists: this names what is missing.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as techniques from '../../npm/limber/src/generated/channels.js'

const root = new URL('../../', import.meta.url)
const at = (path: string) => new URL(path, root)

/** `JIGGLE_BONES` as `jiggle-bones`. */
const kebab = (name: string) => name.toLowerCase().replaceAll('_', '-')

describe.each(Object.keys(techniques).map(kebab))('%s', (name) => {
  const snake = name.replaceAll('-', '_')
  it.each([
    `crates/core/src/${snake}/mod.rs`,
    `crates/core/src/${snake}/options.rs`,
    `crates/core/src/${snake}/channels.rs`,
    `crates/core/src/${snake}/step.rs`,
    `crates/core/src/${snake}/tests.rs`,
    `npm/limber/src/${name}.ts`,
    `tests/golden/${name === 'jiggle-bones' ? 'jiggle' : name}.json`,
    `tests/bench/cases/${name}.mjs`,
    `examples-three/${name}/index.html`,
    `examples-three/${name}/README.md`,
    `examples-three/${name}/README.ko.md`,
    `examples-three/${name}/card.jpg`,
  ])('has %s', (path) => {
    expect(existsSync(at(path))).toBe(true)
  })

  it('has a scene that the parity test runs', () => {
    const index = readFileSync(at('tests/scenes/index.mjs'), 'utf8')
    const scenes = readdirSync(at('tests/scenes')).filter((file) => file.startsWith(`${name}-`))
    expect(scenes.length).toBeGreaterThan(0)
    for (const scene of scenes) expect(index).toContain(`./${scene}`)
  })

  it('has a card in the gallery', () => {
    expect(readFileSync(at('examples-three/gallery/cards.ts'), 'utf8')).toContain(`folder: '${name}'`)
  })
})
