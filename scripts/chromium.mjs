// Chromium for the browser tests.

import { existsSync } from 'node:fs'
import { join, delimiter } from 'node:path'
import { ask, command, say, Stop } from './lib.mjs'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

const APPS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** The path of Chromium or Chrome, or undefined. `LIMBER_CHROMIUM` goes first. */
export function findChromium() {
  const named = process.env.LIMBER_CHROMIUM
  if (named) return named
  const folders = process.env.PATH.split(delimiter)
  const places = [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...APPS]
  return places.find((place) => existsSync(place))
}

/** The path of Chromium, installed first where that is possible. */
export async function chromium() {
  const found = findChromium()
  if (found) {
    if (existsSync(found)) return found
    throw new Stop(`LIMBER_CHROMIUM names ${found}, which does not exist`)
  }
  if (process.getuid?.() !== 0 || !ask('apt-get', '--version')) {
    throw new Stop('Chromium or Chrome is needed for the browser tests: install it, or name it in LIMBER_CHROMIUM')
  }
  say('Chromium: installing with apt-get, about a minute')
  await command('apt-get', ['update', '-qq'])
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await command('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { env })
  return findChromium() ?? fail()
}

function fail() {
  throw new Stop('apt-get installed no Chromium: install it, or name it in LIMBER_CHROMIUM')
}
