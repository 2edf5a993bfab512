import {
  checkKeys,
  JIGGLE_BONES_OPTIONS_DEFAULTS,
  JIGGLE_CHAIN_OPTIONS_DEFAULTS,
  JiggleBones,
  LimberError,
  shown,
  type JiggleChainSetup,
} from 'limber/core'
import type { JiggleConfig } from './config.js'
import { windDrive } from './drive.js'
import { colliders, within, type Part, type Stage } from './part.js'

/** What is each chain's own. */
const CHAIN = [...Object.keys(JIGGLE_CHAIN_OPTIONS_DEFAULTS), 'tip', 'curves', 'limit', 'rest']
/** What is of all chains. */
const ALL = Object.keys(JIGGLE_BONES_OPTIONS_DEFAULTS).filter((key) => !CHAIN.includes(key))
const KEYS = ['technique', 'bones', 'center', 'gravity', 'wind', 'colliders', ...CHAIN, ...ALL]
/** What the springs of a VRM file leave open. */
const VRM = ['technique', 'bones', 'multiplier', 'gravity', 'wind', 'colliders', ...ALL]

/** Bones of the file as chains, as they stand in the file. */
export function makeJiggle({ limber, file, seed, times }: Stage, name: string, config: JiggleConfig): Part {
  const path = `simulations.${name}`
  const isVRM = config.bones === 'vrm'
  checkKeys(isVRM ? `${path} with bones: "vrm"` : path, config, isVRM ? VRM : KEYS, path)
  const { wind, multiplier } = config
  const pick = (keys: readonly string[]) =>
    Object.fromEntries(
      keys.flatMap((key) => {
        const value = config[key as keyof JiggleConfig]
        return value === undefined ? [] : [[key, value]]
      }),
    )
  const solids = colliders(file, `${path}.colliders`, config.colliders)
  const blow = wind === undefined ? undefined : windDrive(`${path}.wind`, wind, seed, times.loop)
  const setup = { seed, ...pick([...ALL, 'gravity']), ...(solids.length && { colliders: solids }) }
  let jiggle: JiggleBones
  if (isVRM) {
    jiggle = within(path, () => JiggleBones.fromGLTF(limber, file.gltf, setup))
    try {
      if (multiplier !== undefined)
        within(path, () => jiggle.chains.forEach((chain) => chain.configure({ multiplier })))
    } catch (error) {
      jiggle.dispose()
      throw error
    }
  } else {
    const center = config.center === undefined ? undefined : file.node(`${path}.center`, config.center).object
    const chains = readChains(path, config.bones).map(({ at, bones }): JiggleChainSetup => {
      const objects =
        typeof bones === 'string'
          ? file.node(at, bones, 'bone').object
          : bones.map((bone, i) => file.node(`${at}[${i}]`, bone, 'bone').object)
      return { bones: objects, ...pick(CHAIN), ...(center && { center }) }
    })
    jiggle = within(path, () => new JiggleBones(limber, chains, setup))
  }
  return { name, simulation: jiggle, ...(blow && { drive: (t: number) => blow(t, jiggle.wind) }) }
}

function readChains(path: string, given: unknown): { at: string; bones: string | readonly string[] }[] {
  if (typeof given === 'string') return [{ at: `${path}.bones`, bones: given }]
  const isChain = (one: unknown) => typeof one === 'string' || (Array.isArray(one) && one.length > 0)
  if (!Array.isArray(given) || given.length === 0 || !given.every(isChain)) {
    throw new LimberError(
      'invalid-option',
      `${path}.bones must be names of bones, lists of names, or "vrm", got ${shown(given)}`,
    )
  }
  return (given as (string | string[])[]).map((bones, i) => ({ at: `${path}.bones[${i}]`, bones }))
}
