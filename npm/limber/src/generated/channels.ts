// Written by `npm run gen` from the Rust structs: change those.

/** The numbers by which the core knows `Cloth`, its arrays and its commands. */
export const CLOTH = {
  kind: 0,
  channels: {
    positions: { id: 0, element: 'f32' },
    normals: { id: 1, element: 'f32' },
    bounds: { id: 2, element: 'f32' },
    status: { id: 3, element: 'u32' },
    wind: { id: 4, element: 'f32' },
    gravity: { id: 5, element: 'f32' },
    pinTargets: { id: 6, element: 'f32' },
    pinVertices: { id: 7, element: 'u32' },
    colliders: { id: 8, element: 'f32' },
    links: { id: 9, element: 'u32' },
    space: { id: 10, element: 'f32' },
  },
  commands: {
    /**
     * Pins exactly the vertices of the payload, each where it is. Throws `invalid-option` for a vertex that does not
     * exist.
     */
    setPins: 0,
    /**
     * Replaces the colliders by the payload's: `[kind, ax, ay, az, bx, by, bz, radius, friction]` each, kind 0 sphere,
     * 1 capsule, 2 plane. Throws `invalid-option` for a radius below 0 or a number that is not finite.
     */
    setColliders: 1,
  },
} as const

/** The arrays that a `Cloth` shares with JavaScript. */
export interface ClothChannels {
  /** Output: `[x, y, z] × vertices`, in the output space, metres. */
  positions: Float32Array<ArrayBuffer>
  /** Output: `[x, y, z] × vertices`, in the output space, of unit length, or 0 where no triangle is. */
  normals: Float32Array<ArrayBuffer>
  /** Output: `[min x, y, z, max x, y, z, centre x, y, z, radius]` of the drawn positions, metres. */
  bounds: Float32Array<ArrayBuffer>
  /** Output: `[times the state stopped being finite and was put back]`. */
  status: Uint32Array<ArrayBuffer>
  /** Input: `[x, y, z]`, world, m/s. */
  wind: Float32Array<ArrayBuffer>
  /** Input: `[x, y, z]`, world, m/s². */
  gravity: Float32Array<ArrayBuffer>
  /** Input: `[x, y, z] × pins`, world, metres, in the order of `pinVertices`. */
  pinTargets: Float32Array<ArrayBuffer>
  /** Output: `[vertex] × pins`, ascending. */
  pinVertices: Uint32Array<ArrayBuffer>
  /**
   * Input: `[ax, ay, az, bx, by, bz, radius, friction] × colliders`, world, metres: a sphere's centre is a; a capsule
   * runs from a to b; a plane's normal is a and its offset bx.
   */
  colliders: Float32Array<ArrayBuffer>
  /** Output: `[vertex, vertex] × links`, in the order in which they are solved. */
  links: Uint32Array<ArrayBuffer>
  /** Input: 16 numbers, column-major: from the world into the space of the output. */
  space: Float32Array<ArrayBuffer>
}
