// `npm run build`: builds both packages, and only what is stale.

import { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ask, at, bin, command, fresh, root, run, say, Stop } from './lib.mjs'
import { setup } from './setup.mjs'

const rust = (...crates) => [
  'Cargo.toml',
  'Cargo.lock',
  'scripts/build.mjs',
  'scripts/traps.mjs',
  ...crates.map((name) => `crates/${name}`),
]

/** No path of the machine that built it ends up in a package. */
const remap = [
  `--remap-path-prefix=${process.env.CARGO_HOME ?? join(homedir(), '.cargo')}=cargo`,
  `--remap-path-prefix=${root}=limber`,
]

/** What WebAssembly has everywhere that limber runs; SIMD comes on top. */
const FEATURES = [
  'bulk-memory',
  'bulk-memory-opt',
  'mutable-globals',
  'nontrapping-float-to-int',
  'reference-types',
  'sign-ext',
]

const SIMD = ['-Ctarget-feature=+simd128']

/** Builds what is stale. */
export async function build() {
  const compiler = ask('rustc', '--version') ?? ''
  const pkg = 'npm/limber/pkg'
  await fresh(
    {
      name: 'wasm',
      title: 'WebAssembly, with SIMD and without: building, 1 to 3 minutes',
      inputs: rust('core', 'api', 'wasm'),
      more: compiler,
      outputs: [`${pkg}/limber_bg.wasm`, `${pkg}/limber_scalar_bg.wasm`],
    },
    wasm,
  )
  await fresh(
    {
      name: 'bake-wasm',
      title: 'WebAssembly of baking: building, half a minute',
      inputs: rust('bake', 'bake-wasm'),
      more: compiler,
      outputs: ['npm/limber-node/pkg/limber_bake_bg.wasm'],
    },
    bakeWasm,
  )
  await fresh(
    {
      name: 'addon',
      title: 'Node addon: building, 1 to 2 minutes',
      inputs: [...rust('core', 'api', 'bake', 'node'), 'npm/limber-node/package.json'],
      more: `${compiler} ${process.platform} ${process.arch}`,
      outputs: ['target/limber/addon'],
    },
    addon,
  )
  for (const name of ['limber', 'limber-node']) await typescript(name)
}

/** `npm/limber/pkg`: `limber_bg.wasm` with SIMD, `limber_scalar_bg.wasm` for engines without. */
async function wasm() {
  const simd = at('npm/limber/pkg')
  const scalar = at('target/scalar/pkg')
  await wasmPack('wasm', 'simd', simd, SIMD)
  await wasmPack('wasm', 'scalar', scalar, [])
  const glue = (folder) => readFileSync(join(folder, 'limber.js'), 'utf8')
  if (glue(simd) !== glue(scalar)) throw new Stop('the builds with SIMD and without need different glue')

  const [one, other] = [join(simd, 'limber_bg.wasm'), join(simd, 'limber_scalar_bg.wasm')]
  copyFileSync(join(scalar, 'limber_bg.wasm'), other)
  const { trapOnPanic } = await import('./traps.mjs')
  for (const file of [one, other]) trapOnPanic(file)
  await optimise(one, ['simd'])
  // Fails where the module uses SIMD after all.
  await optimise(other, [])
  // An empty custom section that tells the module from the other.
  appendFileSync(other, customSection('limber-scalar'))
}

/** `npm/limber-node/pkg`: fitting, where no addon fits. Every Node that limber-node runs on has SIMD. */
async function bakeWasm() {
  const folder = at('npm/limber-node/pkg')
  await wasmPack('bake-wasm', 'simd', folder, SIMD, 'limber_bake')
  await optimise(join(folder, 'limber_bake_bg.wasm'), ['simd'])
}

async function wasmPack(crate, name, folder, flags, file = 'limber') {
  rmSync(folder, { recursive: true, force: true })
  const options = ['--mode', 'no-install', '--no-pack', '--target', 'web', '--out-dir', folder, '--out-name', file]
  // A target folder each: cargo would compile everything anew whenever the flags change.
  const env = {
    CARGO_TARGET_DIR: at('target', name),
    CARGO_ENCODED_RUSTFLAGS: [...remap, ...flags].join('\x1f'),
  }
  await command('wasm-pack', ['--log-level', 'error', 'build', at('crates', crate), ...options], { env })
  // It says that the folder is to be ignored, and npm would leave it out of the package.
  rmSync(join(folder, '.gitignore'), { force: true })
}

async function optimise(file, features) {
  const enable = [...FEATURES, ...features].map((name) => `--enable-${name}`)
  const strip = ['--strip-debug', '--strip-producers', '--strip-target-features']
  // Memory begins with the far end of the stack: no pointer is below 1024, and constants may go into addresses.
  const how = ['-O3', '--low-memory-unused', '--mvp-features']
  // What is worth it has been inlined by the compiler. Functions with many variables are larger than their parts.
  for (const kind of ['always', 'flexible', 'one-caller']) how.push(`--${kind}-inline-max-function-size=0`)
  await command(bin('wasm-opt'), [...how, ...enable, ...strip, file, '-o', file])
}

function customSection(name) {
  return Buffer.from([0, name.length + 1, name.length, ...Buffer.from(name)])
}

/** `npm/limber-node/limber-node.*.node`. */
async function addon() {
  const options = [
    '--manifest-path',
    at('crates/node/Cargo.toml'),
    '--package-json-path',
    'package.json',
    '--output-dir',
    '.',
  ]
  const env = { CARGO_ENCODED_RUSTFLAGS: remap.join('\x1f') }
  const what = [
    'build',
    '--platform',
    '--no-js',
    '--profile',
    'release-node',
    '--dts',
    '../../target/limber/addon.d.ts',
  ]
  await command(bin('napi'), [...what, ...options], { cwd: at('npm/limber-node'), env })
}

async function typescript(name) {
  const folder = `npm/${name}`
  await fresh(
    {
      name: `typescript-${name}`,
      title: `TypeScript of ${name}: compiling, a few seconds`,
      inputs: [`${folder}/src`, `${folder}/tsconfig.json`, 'npm/limber/src', 'package-lock.json'],
      outputs: [`${folder}/dist/index.js`],
    },
    async () => {
      rmSync(at(folder, 'dist'), { recursive: true, force: true })
      await command(bin('tsc'), ['--project', at(folder)])
    },
  )
}

run(import.meta.url, async () => {
  await setup()
  await build()
  say('all is built')
})
