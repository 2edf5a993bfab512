import { BufferAttribute, type BufferGeometry } from 'three'
import { checkKeys } from 'limber/core'
import { MESH_KEYS, type FitOptions } from './fit.js'
import type { Recording } from './recording.js'

/** See `Recording.toGeometry`. */
export function toGeometry(recording: Recording, options: FitOptions & { name?: string | undefined }): BufferGeometry {
  checkKeys('toGeometry', options, [...MESH_KEYS, 'name'])
  const { name, ...limits } = options
  const mesh = recording.mesh(name)
  const { positions, normals } = recording.fit(mesh, limits)
  const geometry = mesh.geometry.clone()
  geometry.name = mesh.name
  geometry.setAttribute('position', new BufferAttribute(mesh.positions[0]!.slice(), 3))
  geometry.setAttribute('normal', new BufferAttribute(mesh.normals[0]!.slice(), 3))
  geometry.morphTargetsRelative = true
  geometry.morphAttributes.position = positions.map((target) => new BufferAttribute(target.slice(), 3))
  geometry.morphAttributes.normal = normals.map((target) => new BufferAttribute(target.slice(), 3))
  geometry.computeBoundingBox()
  geometry.computeBoundingSphere()
  return geometry
}
