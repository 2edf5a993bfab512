import { readFileSync } from 'node:fs'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { shown } from 'limber/core'
import type { BakeConfig } from './config.js'
import { usage } from './fault.js'
import type { Job } from './jobs.js'

/** What is read of a schema to say in words what it wants. */
interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  $ref?: string
  required?: string[]
  title?: string
  properties?: Record<string, Schema>
  $defs?: Record<string, Schema>
}

/** The JSON Schema of a config, as it is published: `limber-node/schema/config.json`. */
export function readSchema(): Schema {
  return JSON.parse(readFileSync(new URL('../../schema/config.json', import.meta.url), 'utf8')) as Schema
}

/**
 * Checks a config against the schema, and what variants make of its simulations.
 *
 * @throws Fault 2 that says in one line what is wrong and what is allowed
 */
export function checkConfig(config: BakeConfig, jobs: () => readonly Job[]): void {
  const schema = readSchema()
  const ajv = new Ajv2020({ verbose: true, discriminator: true, strict: false })
  ajv.addSchema(schema, 'config')
  const check = (definition: string, data: unknown, path: string) => {
    const validate = ajv.getSchema(definition)!
    if (!validate(data)) throw usage(inWords(validate.errors!, path, schema))
  }
  check('config', plain(config), 'config')
  for (const { settings, path } of jobs()) {
    const { variant, simulations } = settings
    if (variant === undefined) continue
    const place = `${path}.variants.${variant}.simulations`
    for (const [name, simulation] of Object.entries(simulations ?? {})) {
      check('config#/$defs/simulation', simulation, `${place}.${name}`)
    }
  }
}

/** A config of a module as JSON would have it: without what is undefined, and without its scenes, which are functions. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const said = Object.entries(value).filter(
    ([name, inner]) => inner !== undefined && !(name === 'scene' && typeof inner === 'function'),
  )
  return Object.fromEntries(said.map(([name, inner]) => [name, plain(inner)]))
}

/** The fault that matters of those that the validator found, as `config.jobs[0].fps must be a number from 1 to 240, got 0`. */
function inWords(errors: readonly ErrorObject[], root: string, schema: Schema): string {
  // Of alternatives, the one that says that none fits comes last.
  const error = errors.at(-1)!
  const path = root + pathOf(error.instancePath)
  const parent = error.parentSchema as Schema
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params['additionalProperty'])
      const known = Object.keys(parent.properties ?? {}).join(', ')
      return `${path}.${key} is no option of ${parent.title ?? 'this'}; known: ${known}`
    }
    case 'required':
      return `${path}.${String(params['missingProperty'])} is missing`
    case 'not':
      return `${path} may have only one of ${((error.schema as Schema).required ?? []).join(' and ')}`
    case 'minProperties':
      return `${path} must have at least one entry`
    case 'propertyNames':
      return `${path} has the name ${shown(params['propertyName'])}, which must not be empty`
    case 'uniqueItems':
      return `${path} has ${shown((error.data as unknown[])[Number(params['j'])])} twice`
    case 'discriminator': {
      const tag = String(params['tag'])
      const all = (parent.oneOf ?? []).map((one) => resolved(one, schema).properties?.[tag] ?? {})
      const value = params['tagValue']
      if (value === undefined) return `${path}.${tag} is missing: it is ${alternatives(all, schema)}`
      return `${path}.${tag} must be ${alternatives(all, schema)}, got ${shown(value)}`
    }
    default:
      return `${path} must be ${words(parent, schema)}, got ${shown(error.data)}`
  }
}

function resolved(schema: Schema, root: Schema): Schema {
  const [, name] = /^#\/\$defs\/(.+)$/.exec(schema.$ref ?? '') ?? []
  return name === undefined ? schema : (root.$defs?.[name] ?? schema)
}

/** What a schema wants: `a number from 1 to 240`. */
function words(given: Schema, root: Schema): string {
  const schema = resolved(given, root)
  if (schema.const !== undefined) return shown(schema.const)
  if (schema.enum)
    return schema.enum.length === 1 ? shown(schema.enum[0]) : `one of ${schema.enum.map(shown).join(', ')}`
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return alternatives(choices, root)
  const { type, minimum, maximum, exclusiveMinimum, minLength, minItems, maxItems, items, title } = schema
  if (type === 'number' || type === 'integer') {
    const range =
      exclusiveMinimum !== undefined
        ? ` above ${exclusiveMinimum}${maximum === undefined ? '' : `, at most ${maximum}`}`
        : minimum !== undefined
          ? ` from ${minimum}${maximum === undefined ? ' on' : ` to ${maximum}`}`
          : maximum === undefined
            ? ''
            : ` of at most ${maximum}`
    return `a ${type === 'integer' ? 'whole ' : ''}number${range}`
  }
  if (type === 'array') {
    const count = minItems !== undefined && minItems === maxItems ? `${minItems} ` : minItems ? 'one or more ' : ''
    return `a list of ${count}${items ? plural(resolved(items, root), root) : 'values'}`
  }
  if (type === 'object') return title ? `an object (${title})` : 'an object'
  if (type === 'string') return minLength ? 'a text that is not empty' : 'a text'
  if (type === 'boolean') return 'true or false'
  if (type === 'null') return 'null'
  return title ?? 'of another kind'
}

/** What a list holds: `whole numbers from 0 to 9`. */
function plural(item: Schema, root: Schema): string {
  if (item.title) return `${item.title.replace(/^an? /, '')}s`
  return words(item, root)
    .replace(/^an? /, '')
    .replace(/^(whole )?number/, '$1numbers')
    .replace(/^text that is/, 'texts that are')
}

function alternatives(all: readonly Schema[], root: Schema): string {
  const texts = [...new Set(all.map((one) => words(one, root)))]
  if (texts.length > 2 && texts.every((text) => text.startsWith('"'))) return `one of ${texts.join(', ')}`
  return texts.join(' or ')
}

/** `/jobs/0/fps` as `.jobs[0].fps`. */
function pathOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
}
