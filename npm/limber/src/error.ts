/** What kind of fault a {@link LimberError} is. */
export type LimberErrorCode =
  /** An option is unknown, of the wrong type, or outside its range. Nothing has changed. */
  | 'invalid-option'
  /** An argument or input array holds something that cannot be simulated. Nothing has changed. */
  | 'invalid-input'
  /** Bytes given to `restore` are not a snapshot of this simulation. Nothing has changed. */
  | 'invalid-snapshot'
  /** The simulation, or the backend it belongs to, was disposed. */
  | 'disposed'
  /** The memory for a simulation could not be had. */
  | 'out-of-memory'
  /** WebAssembly or the addon failed; nothing of this backend can be used any more. `cause` holds the failure. */
  | 'backend-lost'
  /** The WebAssembly could not be found, read or compiled. */
  | 'load-failed'
  /** A recording cannot be written within its tolerance and limits. */
  | 'tolerance'

const CODES: Record<string, LimberErrorCode> = {
  'invalid-option': 'invalid-option',
  'invalid-input': 'invalid-input',
  'invalid-snapshot': 'invalid-snapshot',
  'invalid-handle': 'disposed',
  'out-of-memory': 'out-of-memory',
  'backend-lost': 'backend-lost',
}

/** The one error that Limber throws. Its message names what was wrong, what is allowed and what was given. */
export class LimberError extends Error {
  override readonly name = 'LimberError'

  constructor(
    /** What kind of fault. */
    readonly code: LimberErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }

  /** The error that the core wrote as `code: message`, or `undefined` when `text` is something else. */
  static parse(text: string): LimberError | undefined {
    const [, name = '', message = ''] = /^([a-z-]+): ([^]*)$/.exec(text) ?? []
    const code = Object.hasOwn(CODES, name) ? CODES[name] : undefined
    return code && new LimberError(code, message)
  }
}

/** A value as an error message shows it. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? JSON.stringify(value) : String(value)
  return Array.isArray(value) ? `an array of ${value.length}` : 'an object'
}

/**
 * Throws `invalid-option` unless `given` is an object that has none but the `known` keys: a misspelt one says nothing
 * otherwise. `owner` is what takes them, `path` what they are called.
 */
export function checkKeys(owner: string, given: unknown, known: readonly string[], path = 'options'): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new LimberError('invalid-option', `${path} must be an object, got ${shown(given)}`)
  }
  // Without the list of keys that Object.keys would allocate: colliders are set in every frame.
  for (const key in given) {
    if (!Object.hasOwn(given, key) || known.includes(key)) continue
    throw new LimberError('invalid-option', `${key} is no option of ${owner}; known: ${known.join(', ')}`)
  }
}

/** Throws `invalid-option` unless `value` is a function or left out. */
export function checkFunction(path: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return
  throw new LimberError('invalid-option', `${path} must be a function, got ${shown(value)}`)
}

/** Throws `invalid-option` unless `value` is a number from `low` to `high`. */
export function checkNumber(
  path: string,
  value: unknown,
  low: number,
  high: number,
  unit = '',
): asserts value is number {
  if (typeof value === 'number' && value >= low && value <= high) return
  const range = `a number from ${low} to ${high}${unit && ` (${unit})`}`
  throw new LimberError('invalid-option', `${path} must be ${range}, got ${shown(value)}`)
}

/**
 * Options as the core reads them, a line each: `path=value`, where a value is `n` and the bits of a number, `t`, `f`, `0`
 * for null, `o` for an object without fields, or `s` and a text for anything else, which the core refuses by name. What is undefined is left out.
 */
export function settings(options: object): string {
  const lines: string[] = []
  collect('', options, lines, 0)
  return lines.join('\n')
}

const bits = new DataView(new ArrayBuffer(8))

function collect(path: string, value: unknown, lines: string[], depth: number): void {
  if (value === undefined) return
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && depth < 8) {
    const fields = Object.entries(value)
    for (const [name, inner] of fields) collect(path === '' ? name : `${path}.${name}`, inner, lines, depth + 1)
    if (fields.length === 0 && path !== '') lines.push(`${path}=o`)
    return
  }
  lines.push(`${path.replace(/[\n=]/g, ' ')}=${encoded(value)}`)
}

function encoded(value: unknown): string {
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (value === null) return '0'
  if (typeof value !== 'number') return `s${shown(value).replace(/\s+/g, ' ').slice(0, 200)}`
  bits.setFloat64(0, value)
  return `n${bits.getBigUint64(0).toString(16).padStart(16, '0')}`
}
