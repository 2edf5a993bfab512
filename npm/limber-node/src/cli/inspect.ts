import { readFileSync } from 'node:fs'
import { FlockClip } from 'limber/core'
import { readGLB, type GLB } from '../bake/glb.js'
import { errorText, EXIT, Fault, shownPath, systemText, usage } from '../config/fault.js'
import { grouped, table } from './table.js'
import { validateGLB } from './validate.js'

/** What is in a file. Numbers of things, bytes, and seconds. */
interface Found {
  kind: 'glb' | 'clip' | 'flock' | 'vat'
  bytes: number
  [what: string]: unknown
}

/** `limber inspect`: says what is in a file. Ends with 1 for one that is broken, or that gltf-validator finds errors in. */
export async function inspect(path: string, json: boolean): Promise<number> {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (error) {
    throw usage(`${path} cannot be read: ${systemText(error)}`)
  }
  const found = await read(path, bytes).catch((error: unknown) => {
    throw error instanceof Fault ? error : new Fault(`${path} is broken: ${errorText(error)}`)
  })
  if (json) console.log(JSON.stringify({ file: path, ...found }, null, 2))
  else console.log(inTables(path, found))
  const { errors = 0 } = (found['validator'] ?? {}) as { errors?: number }
  return errors > 0 ? EXIT.failed : EXIT.done
}

async function read(path: string, bytes: Uint8Array): Promise<Found> {
  const magic = new TextDecoder('latin1').decode(bytes.subarray(0, 4))
  if (magic === 'glTF') return ofGLB(bytes)
  if (magic === 'FLCK') return ofFlock(bytes)
  if (/^\s*\{/.test(magic)) {
    const clip = clipOf(bytes)
    if (clip) return clip
  }
  if (magic === 'LVAT') return ofVAT(bytes)
  throw new Fault(`${shownPath(path)} is no GLB, three.js clip, flock clip or vertex animation texture`)
}

interface View {
  byteLength: number
  extensions?: Record<string, { byteLength?: number }>
}

interface Accessor {
  bufferView?: number
  count: number
  type: string
  componentType: number
  max?: number[]
  sparse?: { indices: { bufferView: number }; values: { bufferView: number } }
}

/** What is read of a glTF file here. */
interface Json {
  asset: { generator?: string }
  nodes?: object[]
  materials?: object[]
  meshes?: {
    name?: string
    primitives: {
      attributes: Record<string, number>
      indices?: number
      targets?: Record<string, number>[]
      mode?: number
    }[]
  }[]
  skins?: { joints: number[]; inverseBindMatrices?: number }[]
  animations?: {
    name?: string
    channels: { target: { path: string } }[]
    samplers: { input: number; output: number }[]
  }[]
  images?: { bufferView?: number }[]
  accessors?: Accessor[]
  bufferViews?: View[]
  extensionsUsed?: string[]
  extensionsRequired?: string[]
}

async function ofGLB(bytes: Uint8Array): Promise<Found> {
  const glb = readGLB('the file', bytes)
  const json = glb.json as unknown as Json
  const { accessors = [], meshes = [], animations = [], skins = [] } = json
  const count = (accessor: number | undefined) => (accessor === undefined ? 0 : (accessors[accessor]?.count ?? 0))
  const issues = await validateGLB(bytes)
  return {
    kind: 'glb',
    bytes: bytes.byteLength,
    generator: json.asset.generator,
    nodes: json.nodes?.length ?? 0,
    materials: json.materials?.length ?? 0,
    skins: skins.map(({ joints }) => ({ joints: joints.length })),
    meshes: meshes.map(({ name, primitives }, i) => {
      // Primitives of one mesh may share their vertices.
      const positions = new Set(primitives.map(({ attributes }) => attributes['POSITION']))
      const triangles = primitives.map(({ attributes, indices, mode = 4 }) =>
        mode === 4 ? Math.floor(count(indices ?? attributes['POSITION']) / 3) : 0,
      )
      return {
        name: name ?? `mesh ${i}`,
        primitives: primitives.length,
        vertices: sum([...positions].map(count)),
        triangles: sum(triangles),
        targets: Math.max(0, ...primitives.map(({ targets = [] }) => targets.length)),
        attributes: [...new Set(primitives.flatMap(({ attributes }) => Object.keys(attributes)))],
      }
    }),
    animations: animations.map(({ name, channels, samplers }, i) => ({
      name: name ?? `animation ${i}`,
      channels: channels.length,
      paths: [...new Set(channels.map(({ target }) => target.path))],
      keys: sum(samplers.map(({ input }) => count(input))),
      duration: Math.max(0, ...samplers.map(({ input }) => accessors[input]?.max?.[0] ?? 0)),
    })),
    parts: partsOf(bytes.byteLength, glb, json),
    extensionsUsed: json.extensionsUsed ?? [],
    extensionsRequired: json.extensionsRequired ?? [],
    validator: {
      errors: issues.filter(({ severity }) => severity === 'error').length,
      warnings: issues.filter(({ severity }) => severity === 'warning').length,
      messages: issues.map(({ severity, text }) => `${severity}: ${text}`),
    },
  }
}

/** What the bytes of a GLB are for. They sum up to the file. */
function partsOf(total: number, { others, binary }: GLB, json: Json): Record<string, number> {
  const { accessors = [], bufferViews = [], meshes = [], animations = [], skins = [], images = [] } = json
  const purposes = new Map<number, string>()
  const mark = (accessor: number | undefined, purpose: string) => {
    const { bufferView, sparse } = accessors[accessor ?? -1] ?? {}
    for (const view of [bufferView, sparse?.indices.bufferView, sparse?.values.bufferView]) {
      if (view !== undefined && !purposes.has(view)) purposes.set(view, purpose)
    }
  }
  for (const { primitives } of meshes) {
    for (const { attributes, indices } of primitives) {
      mark(indices, 'indices')
      for (const accessor of Object.values(attributes)) mark(accessor, 'vertices')
    }
    for (const { targets = [] } of primitives) {
      for (const accessor of targets.flatMap(Object.values)) mark(accessor as number, 'morph targets')
    }
  }
  for (const { samplers } of animations) {
    for (const { input, output } of samplers) {
      mark(input, 'animations')
      mark(output, 'animations')
    }
  }
  for (const { inverseBindMatrices } of skins) mark(inverseBindMatrices, 'skins')
  for (const { bufferView } of images) if (bufferView !== undefined) purposes.set(bufferView, 'images')

  const parts: Record<string, number> = {}
  const add = (part: string, bytes: number) => void (bytes > 0 && (parts[part] = (parts[part] ?? 0) + bytes))
  bufferViews.forEach(({ byteLength, extensions = {} }, i) => {
    const packed = Object.values(extensions).find((extension) => typeof extension.byteLength === 'number')
    add(purposes.get(i) ?? 'other', packed?.byteLength ?? byteLength)
  })
  add('padding', Math.max(0, binary.byteLength - sum(Object.values(parts))))
  add('other', sum(others.map(({ byteLength }) => byteLength)))
  add('JSON and headers', total - sum(Object.values(parts)))
  return parts
}

function ofFlock(bytes: Uint8Array): Found {
  const { count, duration, fps, species, error } = FlockClip.parse(bytes)
  const header = new DataView(bytes.buffer, bytes.byteOffset + 8, 17 * 8)
  const [boids, frames, , positionEvery, rotationEvery, bits] = Array.from({ length: 17 }, (_, i) =>
    header.getFloat64(8 * i, true),
  ) as [number, number, number, number, number, number]
  const rows = (every: number) => Math.ceil((frames - 1) / every) + 1
  const positions = rows(positionEvery) * boids * 3 * (bits / 8)
  const rotations = rows(rotationEvery) * boids * 4
  return {
    kind: 'flock',
    bytes: bytes.byteLength,
    boids: count,
    species: new Set(species).size,
    frames,
    fps,
    duration,
    positionEvery,
    rotationEvery,
    bits,
    keys: rows(positionEvery) + rows(rotationEvery),
    ...error,
    parts: { positions, rotations, ids: boids * 8, header: bytes.byteLength - positions - rotations - boids * 8 },
  }
}

interface ClipJson {
  name?: string
  duration?: number
  tracks?: { name: string; type: string; times: number[]; values: number[] }[]
}

/** A clip as `AnimationClip.toJSON` writes it. */
function clipOf(bytes: Uint8Array): Found | undefined {
  let clip: ClipJson
  try {
    clip = JSON.parse(new TextDecoder().decode(bytes)) as ClipJson
  } catch {
    return undefined
  }
  const { name, duration, tracks } = clip
  if (!Array.isArray(tracks)) return undefined
  const parts: Record<string, number> = {}
  for (const track of tracks) {
    const path = String(track.name).split('.').at(-1)!
    parts[path] = (parts[path] ?? 0) + JSON.stringify(track).length
  }
  return {
    kind: 'clip',
    bytes: bytes.byteLength,
    name,
    duration,
    keys: sum(tracks.map(({ times }) => times?.length ?? 0)),
    tracks: tracks.map(({ name, type, times }) => ({ name, type, keys: times?.length ?? 0 })),
    parts: { ...parts, other: bytes.byteLength - sum(Object.values(parts)) },
  }
}

/** A vertex animation. @throws LimberError where it is broken */
async function ofVAT(bytes: Uint8Array): Promise<Found> {
  const { VertexAnimation } = await import('limber/core')
  const animation = VertexAnimation.parse(bytes)
  const { vertices, frames, fps, every, duration, loop, error } = animation
  animation.dispose()
  return { kind: 'vat', bytes: bytes.byteLength, vertices, frames, fps, every, duration, loop, ...error }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

const KINDS = { glb: 'GLB', clip: 'three.js clip', flock: 'flock clip', vat: 'vertex animation texture' }

/** Scalars as a list, and each list of things as a table. */
function inTables(path: string, { kind, bytes, ...rest }: Found): string {
  const text = (value: unknown): string =>
    Array.isArray(value) ? value.join(' ') : typeof value === 'number' ? grouped(value) : String(value ?? '')
  const blocks = [`${path}: ${KINDS[kind]}, ${grouped(bytes)} bytes`]
  const facts: string[][] = []
  for (const [what, value] of Object.entries(rest)) {
    if (what === 'parts' || what === 'validator' || value === undefined) continue
    if (Array.isArray(value) && typeof value[0] === 'object') {
      const rows = value as Record<string, unknown>[]
      const head = Object.keys(rows[0]!)
      blocks.push(
        `${what}\n${table(
          head,
          rows.map((row) => head.map((key) => text(row[key]))),
        )}`,
      )
    } else if (!Array.isArray(value) || value.length > 0) facts.push([what, text(value)])
  }
  blocks.splice(1, 0, facts.map(([what, value]) => `${what!.padEnd(20)}${value}`).join('\n'))
  const parts = Object.entries((rest['parts'] ?? {}) as Record<string, number>).sort(([, a], [, b]) => b - a)
  if (parts.length) {
    const share = (part: number) => `${((100 * part) / bytes).toFixed(1)} %`
    blocks.push(
      table(
        ['part', 'bytes', 'share'],
        parts.map(([name, part]) => [name, grouped(part), share(part)]),
      ),
    )
  }
  const validator = rest['validator'] as { errors: number; warnings: number; messages: string[] } | undefined
  if (validator) {
    const { errors, warnings, messages } = validator
    blocks.push([`gltf-validator: ${errors} errors, ${warnings} warnings`, ...messages].join('\n'))
  }
  return blocks.filter((block) => block !== '').join('\n\n')
}
