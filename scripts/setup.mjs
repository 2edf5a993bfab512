// `npm run setup`: installs what is missing. What only the user can install is asked for in one line.

import { existsSync, readFileSync } from 'node:fs'
import { chromium } from './chromium.mjs'
import { ask, at, atLeast, command, fresh, run, say, Stop, tools, workspaces } from './lib.mjs'

const WASM = 'wasm32-unknown-unknown'
const WASM_PACK = '0.15.1'

/** Installs what building needs. */
export async function setup() {
  checkNode()
  checkRust()
  checkLinker()
  await packages()
  await wasmTarget()
  await cargoTool('wasm-pack', WASM_PACK, 'wasm-pack', '--locked')
  // Not locked: it must agree with the crate to the last digit, and an old lock file may not.
  await cargoTool('wasm-bindgen', bindgenVersion(), 'wasm-bindgen-cli')
}

function checkNode() {
  const have = process.versions.node
  if (!atLeast(have, '20.19')) throw new Stop(`Node 20.19 or newer is needed, this is ${have}: get it from nodejs.org`)
}

function checkRust() {
  const want = /^rust-version = "(.*)"/m.exec(read('Cargo.toml'))[1]
  if (!ask('cargo', '--version'))
    throw new Stop('Rust is needed: get it with rustup from rustup.rs, then run this again')
  const have = /^rustc (\d+\.\d+)/.exec(ask('rustc', '--version') ?? '')?.[1]
  if (!have || !atLeast(have, want))
    throw new Stop(`Rust ${want} or newer is needed, this is ${have}: rustup update stable`)
}

function checkLinker() {
  if (process.platform === 'win32' || ask('cc', '--version')) return
  const how = process.platform === 'darwin' ? 'xcode-select --install' : "your system's gcc, as in: apt-get install gcc"
  throw new Stop(`Rust needs a C linker: ${how}`)
}

async function packages() {
  // Of a package.json only what it depends on counts.
  const manifests = ['.', ...workspaces()].map((folder) => JSON.parse(read(`${folder}/package.json`)))
  const more = JSON.stringify(
    manifests.map(({ name, version, dependencies, devDependencies, peerDependencies }) => {
      return { name, version, dependencies, devDependencies, peerDependencies }
    }),
  )
  const about = { name: 'npm', title: 'npm packages: installing, about a minute', more, outputs: ['node_modules'] }
  await fresh({ ...about, inputs: ['package-lock.json'] }, () => {
    return command('npm', [existsSync(at('package-lock.json')) ? 'ci' : 'install', '--loglevel', 'error'])
  })
}

async function wasmTarget() {
  const folder = ask('rustc', '--print', 'target-libdir', '--target', WASM)
  if (folder && existsSync(folder)) return
  if (!ask('rustup', '--version')) throw new Stop(`Rust's target ${WASM} is needed, and rustup to add it: rustup.rs`)
  say(`Rust's target ${WASM}: adding, a few seconds`)
  await command('rustup', ['target', 'add', WASM])
}

/**
 * Compiles a tool into `.tools`, once a version, unless the same version is on the path. Not optimised: that takes three
 * times as long, and the tools run for a tenth of a second.
 */
async function cargoTool(name, version, crate, ...flags) {
  if (ask(name, '--version')?.split(' ')[1] === version) return
  say(`${name} ${version}: compiling, once, 1 to 2 minutes`)
  const options = ['--debug', '--bin', name, '--root', tools, '--quiet', ...flags]
  await command('cargo', ['install', `${crate}@${version}`, ...options], { env: { CARGO_PROFILE_DEV_DEBUG: 'false' } })
}

const bindgenVersion = () => /^wasm-bindgen = "=(.*)"/m.exec(read('Cargo.toml'))[1]

const read = (file) => readFileSync(at(file), 'utf8')

run(import.meta.url, async () => {
  await setup()
  await chromium()
  say('all is installed')
})
