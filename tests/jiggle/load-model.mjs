/** Models of `tests/models` for Node: what would be drawn, which needs a browser's images or files that are not there, is left out. */
import { readFile } from 'node:fs/promises'
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'

const GLB = 0x46546c67
const JSON_CHUNK = 0x4e4f534a

/**
 * @param {string} file a name in `tests/models`
 * @param {(parser: any) => any} [plugin] of the loader
 * @returns {Promise<import('three/addons/loaders/GLTFLoader.js').GLTF>}
 */
export async function loadModel(file, plugin) {
  const bytes = await readFile(new URL(`../models/${file}`, import.meta.url))
  const loader = new GLTFLoader()
  if (plugin) loader.register(plugin)
  const isGlb = bytes.readUInt32LE(0) === GLB
  return loader.parseAsync(isGlb ? rewritten(bytes) : JSON.stringify(bare(JSON.parse(bytes.toString()))), '')
}

/** Without materials, and without meshes where their bytes are in another file. @param {any} gltf */
function bare(gltf) {
  for (const key of ['materials', 'textures', 'images', 'samplers']) delete gltf[key]
  for (const { primitives } of gltf.meshes ?? []) for (const primitive of primitives) delete primitive.material
  if (gltf.buffers?.some((/** @type {any} */ { uri }) => uri)) {
    for (const key of ['meshes', 'accessors', 'bufferViews', 'buffers']) delete gltf[key]
    for (const node of gltf.nodes) delete node.mesh
  }
  return gltf
}

/** A GLB whose first chunk is {@link bare}. @param {Buffer} bytes */
function rewritten(bytes) {
  const length = bytes.readUInt32LE(12)
  const rest = bytes.subarray(20 + length)
  const json = Buffer.from(JSON.stringify(bare(JSON.parse(bytes.toString('utf8', 20, 20 + length)))))
  const padded = Buffer.concat([json, Buffer.alloc(-json.length & 3, ' ')])
  const head = Buffer.alloc(20)
  ;[GLB, 2, 20 + padded.length + rest.length, padded.length, JSON_CHUNK].forEach((n, i) => head.writeUInt32LE(n, i * 4))
  return new Uint8Array(Buffer.concat([head, padded, rest])).buffer
}
