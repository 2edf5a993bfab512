import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launch, open, serve, serveBuilt } from '../browser/browser.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const tool = (name: string) => join(root, 'node_modules/.bin', name)
const { devDependencies: versions } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  devDependencies: Record<string, string>
}

/** As outside of `npm test`, which tells npm where its workspace is. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^npm_(lifecycle|package|config_local_prefix|execpath|command|node)/.test(name),
  ),
)

function run(cwd: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error ?? ''}\n${stdout}\n${stderr}`)
  return stdout
}

/** What `npm pack` makes of `folder`: the tarball and what is in it. */
function pack(folder: string, into: string): { tarball: string; files: string[] } {
  const [packed] = JSON.parse(run(folder, 'npm', 'pack', '--json', '--pack-destination', into)) as {
    filename: string
    files: { path: string }[]
  }[]
  return { tarball: join(into, packed!.filename), files: packed!.files.map(({ path }) => path) }
}

describe('the packages, packed and installed elsewhere', () => {
  const temporary = realpathSync(mkdtempSync(join(tmpdir(), 'limber-package-')))
  let browser: Browser
  let limber: ReturnType<typeof pack>
  let node: ReturnType<typeof pack>
  let addon: ReturnType<typeof pack> & { name: string }

  beforeAll(async () => {
    limber = pack(join(root, 'npm/limber'), temporary)
    node = pack(join(root, 'npm/limber-node'), temporary)
    addon = packAddon()
    browser = await launch()
  })
  afterAll(async () => {
    await browser.close()
    rmSync(temporary, { recursive: true })
  })

  /** The package of this platform's addon, made as for a release. */
  function packAddon() {
    const source = join(root, 'npm/limber-node')
    const folder = join(temporary, 'addon')
    mkdirSync(folder)
    cpSync(join(source, 'package.json'), join(folder, 'package.json'))
    run(source, tool('napi'), 'create-npm-dirs', '--cwd', folder)
    const binary = readdirSync(source).find((name) => name.endsWith('.node'))!
    const platform = binary.split('.')[1]!
    cpSync(join(source, binary), join(folder, 'npm', platform, binary))
    return { ...pack(join(folder, 'npm', platform), temporary), name: `limber-node-${platform}` }
  }

  /** An app in a folder of its own, with these dependencies. */
  function install(name: string, dependencies: Record<string, string>): string {
    const folder = join(temporary, name)
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'package.json')
    const existing = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>) : {}
    const all = { ...existing.dependencies, ...dependencies }
    const manifest = { name: 'app', private: true, type: 'module', ...existing, dependencies: all }
    writeFileSync(file, JSON.stringify(manifest))
    run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline')
    return folder
  }

  /** What the app's page says about itself. */
  async function result(url: string): Promise<NonNullable<Window['result']>> {
    const { page, faults } = await open(browser, url)
    await page.waitForFunction(() => window.result !== undefined)
    const said = await page.evaluate(() => window.result!)
    expect(faults).toEqual([])
    await page.close()
    return said
  }

  it('hold what they should and nothing else', () => {
    expect(limber.files).toContain('pkg/limber_bg.wasm')
    expect(limber.files).toContain('pkg/limber_scalar_bg.wasm')
    expect(node.files).toContain('dist/cli/main.js')
    // What WebAssembly of wasm-bindgen is loaded by, and what configs are checked by.
    const own = [/^$/, /^(pkg\/limber_bake(_bg\.wasm)?\.(js|d\.ts)|schema\/config\.json)$/]
    for (const [i, { files }] of [limber, node].entries()) {
      expect(files).toContain('dist/index.js')
      expect(files).toContain('dist/index.d.ts')
      const others = files.filter(
        (path) =>
          !/^(dist\/.*\.(js|d\.ts)|pkg\/.*\.wasm|package\.json|README.*|LICENSE.*)$/.test(path) && !own[i]!.test(path),
      )
      expect(others).toEqual([])
      expect(files.filter((path) => /test/.test(path))).toEqual([])
    }
    expect(addon.files.filter((path) => path.endsWith('.node')).length).toBe(1)
  })

  it('are clean by publint and by arethetypeswrong', async () => {
    for (const [name, { tarball }] of Object.entries({ limber, 'limber-node': node })) {
      const { messages } = await publint({ pkgDir: join(root, 'npm', name), strict: true })
      expect(messages, name).toEqual([])
      execFileSync(tool('attw'), [tarball, '--profile', 'esm-only'], { stdio: 'pipe' })
    }
  })

  it('limber works in an empty Vite app: types, build, browser, and the server for development', async () => {
    const { three, '@types/three': types, typescript, vite } = versions
    const folder = install('app', {
      limber: `file:${limber.tarball}`,
      three: three!,
      '@types/three': types!,
      typescript: typescript!,
      vite: vite!,
    })
    cpSync(fileURLToPath(new URL('app', import.meta.url)), folder, { recursive: true })
    run(folder, 'npx', 'tsc')
    const built = await serveBuilt(folder)
    const said = await result(built.url)
    expect(said).toMatchObject({
      target: 'wasm',
      steps: 60,
      refused: 'invalid-option: iterations must be a whole number from 1 to 1000, got 0',
    })
    expect(said.lowest).toBeLessThan(0.4)
    await built.close()
    // Vite bundles dependencies for development in another way.
    const developing = await serve(folder)
    expect(await result(developing.url)).toEqual(said)
    await developing.close()
  })

  it('limber works without a bundler, from a server that does not know WebAssembly', async () => {
    const folder = install('plain', { limber: `file:${limber.tarball}`, three: versions.three! })
    cpSync(fileURLToPath(new URL('plain.html', import.meta.url)), join(folder, 'index.html'))
    const types: Record<string, string> = { html: 'text/html', js: 'text/javascript' }
    const server = createServer(({ url }, response) => {
      const file = join(folder, url!)
      response.writeHead(existsSync(file) ? 200 : 404, {
        'content-type': types[url!.split('.').at(-1)!] ?? 'application/octet-stream',
      })
      response.end(existsSync(file) ? readFileSync(file) : undefined)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    expect(await result(`http://127.0.0.1:${(server.address() as AddressInfo).port}/index.html`)).toEqual({
      target: 'wasm',
      steps: 1,
    })
    server.close()
  })

  it('limber-node bakes with the addon of its platform, and without it', () => {
    const { three } = versions
    const packages = { limber: `file:${limber.tarball}`, 'limber-node': `file:${node.tarball}`, three: three! }
    const bare = install('node', packages)
    cpSync(fileURLToPath(new URL('app/bake.mjs', import.meta.url)), join(bare, 'bake.mjs'))
    const without = spawnSync(process.execPath, ['bake.mjs'], { cwd: bare, env, encoding: 'utf8' })
    expect(without.stderr.trim()).toMatch(
      new RegExp(`^limber-node: ${addon.name} is not installed, so the WebAssembly build runs instead.*$`),
    )
    const plain = JSON.parse(without.stdout) as { target: string; magic: string; hash: string; file: string }
    expect(plain).toMatchObject({ target: 'wasm', magic: 'glTF' })

    install('node', { ...packages, [addon.name]: `file:${addon.tarball}` })
    const withAddon = spawnSync(process.execPath, ['bake.mjs'], { cwd: bare, env, encoding: 'utf8' })
    expect(withAddon.stderr).toBe('')
    expect(JSON.parse(withAddon.stdout)).toEqual({ ...plain, target: 'native' })

    // The command that npm has installed.
    const scene = `import { Cloth } from 'limber-node'
export default (limber) => ({ simulations: { cape: Cloth.grid(limber, { columns: 4, rows: 4, floor: null }) } })`
    writeFileSync(join(bare, 'scene.mjs'), scene)
    const jobs = [{ module: 'scene.mjs', duration: 0.2, compression: 'meshopt' }]
    writeFileSync(join(bare, 'limber.config.json'), JSON.stringify({ jobs }))
    const command = (...args: string[]) =>
      spawnSync(join(bare, 'node_modules/.bin/limber'), args, { cwd: bare, env, encoding: 'utf8' })
    expect(command('--version').stdout.trim()).toMatch(/^\d+\.\d+\.\d+/)
    expect(command('bake')).toMatchObject({ status: 0 })
    const [file] = readdirSync(join(bare, 'baked')).filter((name) => name.endsWith('.glb'))
    expect(command('inspect', join('baked', file!), '--json').stdout).toContain('EXT_meshopt_compression')
  })

  it.each([
    ['cloth', { points: 364 }],
    ['jiggle-bones', { bones: 7 }],
    ['ragdoll', { points: 27 }],
  ])('the example %s, copied out with the shared folder, builds and runs', async (name, expected) => {
    const examples = join(temporary, 'copied')
    const filter = (path: string) => !/node_modules|dist/.test(path)
    for (const part of [name, 'shared'])
      cpSync(join(root, 'examples-three', part), join(examples, part), { recursive: true, filter })
    const folder = install(`copied/${name}`, { limber: `file:${limber.tarball}` })
    run(folder, 'npm', 'run', 'build')
    const built = await serveBuilt(folder)
    const { page, faults } = await open(browser, `${built.url}?ratio=0.5`)
    await page.waitForFunction(() => window.limberExample !== undefined)
    await page.evaluate(() => window.limberExample!.ready)
    expect(await page.evaluate(() => window.limberExample!.stats)).toMatchObject(expected)
    expect(faults).toEqual([])
    await page.close()
    await built.close()
  })
})
