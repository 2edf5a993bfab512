import { Command, CommanderError, Option } from 'commander'
import type { Overrides } from '../config/jobs.js'
import { errorText, EXIT, Fault, oneLine, usage } from '../config/fault.js'
import { version } from './version.js'

const EXITS = `
Ends with 0 when all is done, 1 when a job failed (the others are finished), 2 for wrong options or a wrong config,
3 when a tolerance or a size budget was missed and nothing is worse, 130 when stopped by Ctrl-C.`

const CONFIG = 'a .json, .mjs or .js file; limber.config.json, .mjs or .js of the working folder unless given'

/** What commander gives of the options. */
interface Given extends Overrides {
  jobs?: number
  shard?: string
  cache?: string
  watch?: boolean
  dryRun?: boolean
  json?: boolean
  force?: boolean
}

/** Runs the command with these arguments, and gives its exit code. Faults are told in one line on stderr. */
export async function run(args: readonly string[]): Promise<number> {
  let code: number = EXIT.done
  const end = (exit: number) => void (code = exit)
  try {
    await program(args, end).parseAsync(args, { from: 'user' })
  } catch (error) {
    // Help and version have been printed.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    console.error(`limber: ${errorText(error)}`)
    return error instanceof Fault ? error.exit : EXIT.failed
  }
  return code
}

function program(args: readonly string[], end: (exit: number) => void): Command {
  const limber = new Command('limber')
  limber
    .description('Bakes simulations to files, by a config.')
    .version(version(), '--version', 'print the version')
    .helpOption('--help', 'print this')
    .helpCommand(false)
    .addHelpText('after', EXITS)
    .configureOutput({
      writeErr: (text) => process.stderr.write(text),
      outputError: (text, write) => write(`limber: ${oneLine(text.replace(/^error: /, ''))}\n`),
    })
    .exitOverride()
  const fps = () =>
    new Option('--fps <n>', 'frames a second, from 1 to 240, in place of the config').argParser((text) =>
      numberOf('--fps', text, 1, 240),
    )
  const duration = () =>
    new Option('--duration <s>', 'seconds, above 0, at most 3600, in place of the config').argParser((text) =>
      numberOf('--duration', text, 0.001, 3600),
    )
  const shard = (what: string) =>
    new Option('--shard <i/n>', `${what} every n-th job alone, from the i-th on, i from 0 to n - 1`)

  limber
    .command('bake')
    .description('bake what is not up to date')
    .argument('[config]', CONFIG)
    .addOption(fps())
    .addOption(duration())
    .addOption(
      new Option('--jobs <n>', 'jobs at once, from 1 to 256; 1 unless given').argParser((text) =>
        numberOf('--jobs', text, 1, 256, true),
      ),
    )
    .addOption(shard('bake'))
    .option('--cache <folder>', 'keep finished files there too, and take them from there')
    .option('--watch', 'bake again whenever an input or the config changes')
    .option('--dry-run', 'say what would be baked, and write nothing')
    .option('--json', 'print one JSON document on stdout, all else on stderr')
    .option('--force', 'bake what is up to date too')
    .addHelpText('after', EXITS)
    .action(async (config: string | undefined, given: Given) => {
      if (given.watch) {
        const other = (['json', 'dryRun', 'shard'] as const).find((key) => given[key])
        if (other) throw usage(`--watch does not go with ${other === 'dryRun' ? '--dry-run' : `--${other}`}`)
        const { watch } = await import('./watch.js')
        return end(await watch(config, args))
      }
      if (given.cache === '') throw usage('--cache must be the path of a folder, got ""')
      const { bakeAll } = await import('./bake.js')
      end(await bakeAll({ ...given, config, env: process.env }))
    })

  limber
    .command('list')
    .description('list the jobs of a config, by their ids')
    .argument('[config]', CONFIG)
    .addOption(fps())
    .addOption(duration())
    .addOption(shard('list'))
    .option('--json', 'print a JSON document')
    .action(async (config: string | undefined, given: Given) => {
      const { list } = await import('./list.js')
      end(await list({ ...given, config }))
    })

  limber
    .command('merge')
    .description('check what the shards made, and write manifest.json')
    .argument('[config]', CONFIG)
    .addOption(fps())
    .addOption(duration())
    .option('--json', 'print a JSON document')
    .addHelpText('after', EXITS)
    .action(async (config: string | undefined, given: Given) => {
      const { merge } = await import('./merge.js')
      end(await merge({ ...given, config }))
    })

  limber
    .command('inspect')
    .description('say what is in a GLB, a three.js clip, a flock clip or a vertex animation texture')
    .argument('<file>', 'its path')
    .option('--json', 'print a JSON document')
    .action(async (file: string, given: Given) => {
      const { inspect } = await import('./inspect.js')
      end(await inspect(file, given.json === true))
    })

  if (args.length === 0) {
    limber.outputHelp({ error: true })
    throw new CommanderError(EXIT.usage, 'limber.help', '')
  }
  return limber
}

function numberOf(option: string, text: string, low: number, high: number, whole = false): number {
  const value = text.trim() === '' ? NaN : Number(text)
  if (value >= low && value <= high && (!whole || Number.isInteger(value))) return value
  throw usage(`${option} must be a ${whole ? 'whole ' : ''}number from ${low} to ${high}, got ${JSON.stringify(text)}`)
}
