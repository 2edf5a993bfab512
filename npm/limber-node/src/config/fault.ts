import { basename, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a command ends with. */
export const EXIT = {
  /** All is done. */
  done: 0,
  /** A job failed; the others were finished. */
  failed: 1,
  /** The options or the config are wrong; nothing was done. */
  usage: 2,
  /** A tolerance or a size budget was missed, and nothing is worse. */
  missed: 3,
  /** Stopped by Ctrl-C. */
  interrupted: 130,
} as const

/** A fault that is told in one line. */
export class Fault extends Error {
  override readonly name = 'Fault'

  constructor(
    message: string,
    /** What the command ends with: {@link EXIT}. */
    readonly exit: number = EXIT.failed,
  ) {
    super(oneLine(message))
  }
}

/** A fault of the options or of the config. */
export const usage = (message: string) => new Fault(message, EXIT.usage)

/** A text without line breaks. */
export function oneLine(text: string): string {
  return text.trim().replace(/\s*[\r\n]+\s*/g, ' ')
}

/** The working folder, whatever a module makes of it. */
const began = process.cwd()

/** A path as messages show it: relative to the working folder where it is below it. */
export function shownPath(path: string): string {
  const short = relative(began, path)
  return short === '' ? basename(path) : short.startsWith(`..${sep}`) || short === '..' ? path : short
}

/** What the system said: `no such file or directory (ENOENT)`. */
export function systemText(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  const [, name, text] = /^([A-Z][A-Z0-9]+): ([^,]+)/.exec(message ?? '') ?? []
  if (name !== undefined) return `${text} (${name})`
  return typeof code === 'string' ? `${message} (${code})` : String(message ?? error)
}

/** What was thrown, in one line, and for what a user's module threw, where. */
export function errorText(error: unknown, folder?: string): string {
  if (!(error instanceof Error)) return oneLine(`threw ${thrownText(error)}`)
  const own = error.name === 'Error' || error.name === 'LimberError' || error.name === 'Fault'
  const text = own ? String(error.message) : `${error.name}: ${error.message}`
  const place = folder === undefined ? undefined : placeOf(error, folder)
  return oneLine(place === undefined ? text : `${text} (${place})`)
}

/** What was thrown and is no error. */
function thrownText(thrown: unknown): string {
  if (typeof thrown === 'object' && thrown !== null) return Array.isArray(thrown) ? 'an array' : 'an object'
  return String(thrown)
}

/** The first line of the stack that is in `folder`, outside of packages. */
function placeOf({ stack }: Error, folder: string): string | undefined {
  for (const [, url, line, column] of String(stack).matchAll(
    /(file:\/\/[^\s()?]+?)(?:\?[^\s()]*?)?:(\d+)(?::(\d+))?(?=[\s)]|$)/g,
  )) {
    const path = fileURLToPath(url!)
    if (!path.startsWith(folder) || path.includes(`${sep}node_modules${sep}`)) continue
    return [shownPath(path), line, ...(column === undefined ? [] : [column])].join(':')
  }
  return undefined
}
