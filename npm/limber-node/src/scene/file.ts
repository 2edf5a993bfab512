import { PropertyBinding, type AnimationClip, type Mesh, type Object3D } from 'three'
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js'
import { GLTFLoader, type GLTF } from 'three/addons/loaders/GLTFLoader.js'
import { LimberError, shown } from 'limber/core'
import { readGLB, writeGLB, type GLTFJson } from '../bake/glb.js'

/** What is read of the JSON of a file beside what baking reads. */
export interface SceneJson extends GLTFJson {
  meshes?: (NonNullable<GLTFJson['meshes']>[number] & { name?: string })[]
  nodes?: (NonNullable<GLTFJson['nodes']>[number] & { skin?: number })[]
}

/** A node of the file, and what three.js made of it. */
export interface SceneNode {
  /** Its place in the file. */
  readonly index: number
  readonly object: Object3D
}

/** A node that shows a mesh. */
export interface MeshNode extends SceneNode {
  /** One for each primitive, in their order. */
  readonly meshes: readonly Mesh[]
}

/** Most names that a message lists. */
const LISTED = 30

/** A GLB file in three.js, without its look, and what it calls things. */
export class SceneFile {
  readonly json: SceneJson
  readonly gltf: GLTF
  /** The objects of the file's nodes that are in its scene, by their places in the file. */
  readonly #objects = new Map<number, Object3D>()
  readonly #places = new Map<string, number>()

  private constructor(json: SceneJson, gltf: GLTF) {
    this.json = json
    this.gltf = gltf
    gltf.scene.traverse((object) => {
      const index = this.#associated(object)?.nodes
      if (index === undefined || this.#objects.has(index)) return
      this.#objects.set(index, object)
      this.#places.set(object.name, index)
    })
  }

  /** @throws LimberError `invalid-input` for what is no GLB file, a broken one, or one that holds its numbers elsewhere */
  static async load(file: Uint8Array): Promise<SceneFile> {
    if (!(file instanceof Uint8Array)) {
      throw new LimberError('invalid-option', `file must be a Uint8Array, got ${shown(file)}`)
    }
    const glb = readGLB('file', file)
    const json = glb.json as SceneJson
    const elsewhere = json.buffers?.find(({ uri }) => uri !== undefined && !uri.startsWith('data:'))
    if (elsewhere) {
      const uri = shown(elsewhere.uri!.slice(0, 40))
      throw new LimberError('invalid-input', `file must hold its buffer itself, and has it in ${uri}`)
    }
    if (json.extensionsUsed?.includes('KHR_draco_mesh_compression')) {
      throw new LimberError(
        'invalid-input',
        'file is compressed with KHR_draco_mesh_compression, which cannot be read here: write it without',
      )
    }
    try {
      const bytes = writeGLB({ ...glb, json: bare(structuredClone(json)), others: [] })
      const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder)
      const gltf = await loader.parseAsync(bytes.buffer, '')
      if (!gltf.scene) throw new Error('it has no scene')
      return new SceneFile(json, gltf)
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new LimberError('invalid-input', `file is broken and cannot be loaded: ${why}`, { cause })
    }
  }

  /** The animation of this name. @throws LimberError `invalid-option` where there is none, or several */
  clip(name: string): { index: number; clip: AnimationClip } {
    const names = this.gltf.animations.map((clip, i) => this.json.animations?.[i]?.name ?? clip.name)
    const index = this.#chosen('clip', 'animation', name, names)
    return { index, clip: this.gltf.animations[index]! }
  }

  /** The node of this name. @throws LimberError `invalid-option` where there is none in the scene, or several */
  node(path: string, name: string, what = 'node'): SceneNode {
    const places = [...this.#objects.keys()].sort((a, b) => a - b)
    const index = places[this.#chosen(path, what, name, this.#names(places))]!
    return { index, object: this.#objects.get(index)! }
  }

  /** The node that shows a mesh, by its name or the mesh's. @throws LimberError `invalid-option` where there is not just one */
  meshNode(path: string, name: string): MeshNode {
    const places = [...this.#objects.keys()].filter((i) => this.json.nodes![i]!.mesh !== undefined)
    places.sort((a, b) => a - b)
    const names = this.#names(places)
    const meshNames = places.map((i) => this.json.meshes![this.json.nodes![i]!.mesh!]!.name)
    const isNode = names.some((node) => isCalled(node, name))
    const chosen = !isNode && meshNames.some((mesh) => isCalled(mesh, name)) ? meshNames : names
    const known = names.map((node, i) => node || meshNames[i])
    return this.meshNodeAt(places[this.#chosen(path, 'mesh or node', name, chosen, known)]!)
  }

  /** The node at a place, which shows a mesh. */
  meshNodeAt(index: number): MeshNode {
    const object = this.#objects.get(index)!
    const meshes: Mesh[] = []
    const walk = (one: Object3D) => {
      if ('isMesh' in one) meshes.push(one as Mesh)
      // The nodes below have meshes of their own.
      for (const child of one.children) if (this.#associated(child)?.nodes === undefined) walk(child)
    }
    walk(object)
    meshes.sort((a, b) => (this.#associated(a)?.primitives ?? 0) - (this.#associated(b)?.primitives ?? 0))
    return { index, object, meshes }
  }

  /** Nodes in the scene that show a skinned mesh. */
  get skinned(): MeshNode[] {
    return [...this.#objects.keys()]
      .filter((i) => this.json.nodes![i]!.mesh !== undefined && this.json.nodes![i]!.skin !== undefined)
      .sort((a, b) => a - b)
      .map((i) => this.meshNodeAt(i))
  }

  /** What the file calls a node. */
  nameOf(index: number): string {
    return this.json.nodes?.[index]?.name ?? ''
  }

  /** The place in the file of the node that three.js gave this name. */
  placeOf(name: string): number | undefined {
    return this.#places.get(name)
  }

  #names(places: readonly number[]): string[] {
    return places.map((i) => this.nameOf(i))
  }

  #associated(object: Object3D): { nodes?: number; meshes?: number; primitives?: number } | undefined {
    return this.gltf.parser.associations.get(object) as { nodes?: number } | undefined
  }

  /** Where the one of this name stands in a list of names. `known` is what a message lists. */
  #chosen(
    path: string,
    what: string,
    name: unknown,
    names: readonly (string | undefined)[],
    known: readonly (string | undefined)[] = names,
  ): number {
    if (typeof name !== 'string' || name === '') {
      throw new LimberError('invalid-option', `${path} must be the name of a ${what} of the file, got ${shown(name)}`)
    }
    const exact = names.flatMap((one, i) => (one === name ? [i] : []))
    const found = exact.length ? exact : names.flatMap((one, i) => (isCalled(one, name) ? [i] : []))
    if (found.length === 1) return found[0]!
    if (found.length > 1) {
      throw new LimberError(
        'invalid-option',
        `${path}: the file has ${found.length} of the name ${shown(name)}: names must tell them apart`,
      )
    }
    const others = [...new Set(known.filter(Boolean))]
    const more = others.length > LISTED ? ` and ${others.length - LISTED} more` : ''
    const has = others.length ? `it has ${others.slice(0, LISTED).join(', ')}${more}` : 'it has none'
    throw new LimberError('invalid-option', `${path}: the file has no ${what} named ${shown(name)}; ${has}`)
  }
}

/** Whether a name of the file is this one, as the file or as three.js writes it. */
function isCalled(own: string | undefined, name: string): boolean {
  return own !== undefined && own !== '' && (own === name || PropertyBinding.sanitizeNodeName(own) === name)
}

/**
 * Without what needs a browser's images: the look; and without all scenes but the one that is shown: where several have a node
 * at their root, three.js puts it in the last.
 */
function bare(json: SceneJson): SceneJson {
  const shown = json.scenes?.[json.scene ?? 0]
  if (shown) [json.scenes, json.scene] = [[shown], 0]
  for (const key of ['materials', 'textures', 'images', 'samplers', 'extensionsRequired']) {
    delete (json as unknown as Record<string, unknown>)[key]
  }
  for (const { primitives } of json.meshes ?? []) {
    for (const primitive of primitives) {
      delete primitive.material
      delete (primitive as { extensions?: object }).extensions
    }
  }
  return json
}
