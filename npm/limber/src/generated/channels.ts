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
     * Replaces the colliders by the payload's: `[kind, ax, ay, az, bx, by, bz, radius, friction, more × 4]` each, kind
     * 0 sphere, 1 capsule, 2 plane, 3 tapered capsule, 4 box; 8 more, but for a plane, is a shape to stay inside.
     * Throws `invalid-option` for a radius below 0 or a number that is not finite.
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
   * Input: `[ax, ay, az, bx, by, bz, radius, friction, more × 4] × colliders`, world, metres: the centre of a sphere or
   * box is a; a capsule runs from a to b, and a tapered one has its radius at b in more[0]; a plane's normal is a and
   * its offset bx; a box has its half extents in b, its quaternion in more.
   */
  colliders: Float32Array<ArrayBuffer>
  /** Output: `[vertex, vertex] × links`, in the order in which they are solved. */
  links: Uint32Array<ArrayBuffer>
  /** Input: 16 numbers, column-major: from the world into the space of the output. */
  space: Float32Array<ArrayBuffer>
}

/** The numbers by which the core knows `JiggleBones`, its arrays and its commands. */
export const JIGGLE_BONES = {
  kind: 1,
  channels: {
    rotations: { id: 0, element: 'f32' },
    status: { id: 1, element: 'u32' },
    slots: { id: 2, element: 'u32' },
    roots: { id: 3, element: 'u32' },
    poses: { id: 4, element: 'f32' },
    parents: { id: 5, element: 'f32' },
    centers: { id: 6, element: 'f32' },
    wind: { id: 7, element: 'f32' },
    gravity: { id: 8, element: 'f32' },
    colliders: { id: 9, element: 'f32' },
  },
  commands: {
    /**
     * Replaces the colliders by the payload's: `[kind, ax, ay, az, bx, by, bz, radius, friction, more × 4]` each, kind
     * 0 sphere, 1 capsule, 2 plane, 3 tapered capsule, 4 box; 8 more, but for a plane, is a shape to stay inside.
     * Throws `invalid-option` for a radius below 0 or a number that is not finite.
     */
    setColliders: 0,
    /**
     * The payload is `[collider, chain]` each: a collider that is named is for the chains that are named with it, one
     * that is not is for all. Throws `invalid-option` for one that does not exist.
     */
    setColliderChains: 1,
    /** The next call moves every chain along with its root, without any swing. */
    carry: 2,
    /**
     * Gives `[head x, y, z, tip x, y, z, radius] × joints`, world, metres, as they are drawn under the inputs of now.
     */
    readTips: 3,
    /** Every tip begins the next step at rest, without velocity. */
    settle: 4,
  },
} as const

/** The arrays that a `JiggleBones` shares with JavaScript. */
export interface JiggleBonesChannels {
  /**
   * Output: `[quaternion x, y, z, w, Euler x, y, z] × rows`, each number four times, once a lane: local, radians, order
   * XYZ.
   */
  rotations: Float32Array<ArrayBuffer>
  /** Output: `[times the state stopped being finite and was put back]`. */
  status: Uint32Array<ArrayBuffer>
  /** Output: `[slot] × joints`: row × 4 + lane. */
  slots: Uint32Array<ArrayBuffer>
  /** Output: `[joint, slot among the parents] × roots`: block × 4 + lane. */
  roots: Uint32Array<ArrayBuffer>
  /**
   * Input: `[position x, y, z, quaternion x, y, z, w, scale x, y, z] × rows`, each number four times, once a lane:
   * local, without swing.
   */
  poses: Float32Array<ArrayBuffer>
  /**
   * Input: `[x axis, y axis, z axis, origin] × blocks`, of three numbers each, each number four times, once a lane:
   * world matrices, metres.
   */
  parents: Float32Array<ArrayBuffer>
  /** Input: as `parents`, for the centres, four in a block. */
  centers: Float32Array<ArrayBuffer>
  /** Input: `[x, y, z]`, world, m/s. */
  wind: Float32Array<ArrayBuffer>
  /** Input: `[x, y, z]`, world, m/s². */
  gravity: Float32Array<ArrayBuffer>
  /**
   * Input: `[ax, ay, az, bx, by, bz, radius, friction, more × 4] × colliders`, world, metres: the centre of a sphere or
   * box is a; a capsule runs from a to b, and a tapered one has its radius at b in more[0]; a plane's normal is a and
   * its offset bx; a box has its half extents in b, its quaternion in more.
   */
  colliders: Float32Array<ArrayBuffer>
}

/** The numbers by which the core knows `Ragdoll`, its arrays and its commands. */
export const RAGDOLL = {
  kind: 2,
  channels: {
    points: { id: 0, element: 'f32' },
    rotations: { id: 1, element: 'f32' },
    places: { id: 2, element: 'f32' },
    states: { id: 3, element: 'u32' },
    status: { id: 4, element: 'u32' },
    links: { id: 5, element: 'u32' },
    poses: { id: 6, element: 'f32' },
    parents: { id: 7, element: 'f32' },
    strengths: { id: 8, element: 'f32' },
    gravity: { id: 9, element: 'f32' },
    colliders: { id: 10, element: 'f32' },
  },
  commands: {
    /**
     * Replaces the colliders by the payload's: `[kind, ax, ay, az, bx, by, bz, radius, friction, more × 4]` each, kind
     * 0 sphere, 1 capsule, 2 plane, 3 tapered capsule, 4 box; 8 more, but for a plane, is a shape to stay inside.
     * Throws `invalid-option` for a radius below 0 or a number that is not finite.
     */
    setColliders: 0,
    /**
     * `[body]`, or `[body, velocity x, y, z]` in m/s, or `[body, (velocity or NaN × 3), free × points]`: it goes limp
     * with the pose of the inputs and that velocity, or the velocity of the last two frames; of the points only those
     * that are free (not 0), the others follow the pose.
     */
    activate: 1,
    /**
     * `[body, point x, y, z, velocity x, y, z, falloff]`: its limp points gain the velocity × exp(−d²/falloff), d from
     * the point; with a falloff of 0 all gain it alike.
     */
    hit: 2,
    /**
     * `[body, seconds, newest]`: a limp body blends, from what is drawn now, or from the newest step where `newest` is
     * not 0, to the pose of the inputs in so many seconds, or in up to a quarter more where a bone would turn too fast.
     */
    getUp: 3,
    /** `[body]`: it is animated again, at once. */
    settle: 4,
    /** `[body]`: it does not sleep. */
    wake: 5,
    /** Writes the outputs of the newest step, not of a blend: between the steps of a call. */
    show: 6,
  },
} as const

/** The arrays that a `Ragdoll` shares with JavaScript. */
export interface RagdollChannels {
  /** Output: `[x, y, z] × points × bodies`, world, metres. */
  points: Float32Array<ArrayBuffer>
  /**
   * Output: `[quaternion x, y, z, w, Euler x, y, z] × joints × blocks of four bodies`, each number four times, once a
   * body: local, radians, order XYZ.
   */
  rotations: Float32Array<ArrayBuffer>
  /** Output: `[x, y, z] × joints × blocks of four bodies`, each number four times, once a body: local positions. */
  places: Float32Array<ArrayBuffer>
  /** Output: `[0 animated, 1 limp or 2 getting up, and 256 more where it sleeps] × bodies`. */
  states: Uint32Array<ArrayBuffer>
  /** Output: `[times the state stopped being finite and was put back, bodies that are limp and awake]`. */
  status: Uint32Array<ArrayBuffer>
  /** Output: `[a, b] × links`: points of a body. */
  links: Uint32Array<ArrayBuffer>
  /**
   * Input: `[position x, y, z, quaternion x, y, z, w, scale x, y, z] × joints × blocks of four bodies`, each number
   * four times, once a body: local.
   */
  poses: Float32Array<ArrayBuffer>
  /**
   * Input: `[x axis, y axis, z axis, origin] × joints that hang on nothing simulated × blocks of four bodies`, of three
   * numbers each, each number four times: world matrices, metres.
   */
  parents: Float32Array<ArrayBuffer>
  /** Input: `[from 0 to 1] × bodies`, filled up to a multiple of four. */
  strengths: Float32Array<ArrayBuffer>
  /** Input: `[x, y, z]`, world, m/s². */
  gravity: Float32Array<ArrayBuffer>
  /**
   * Input: `[ax, ay, az, bx, by, bz, radius, friction, more × 4] × colliders`, world, metres: the centre of a sphere or
   * box is a; a capsule runs from a to b, and a tapered one has its radius at b in more[0]; a plane's normal is a and
   * its offset bx; a box has its half extents in b, its quaternion in more.
   */
  colliders: Float32Array<ArrayBuffer>
}

/** The numbers by which the core knows `Boids`, its arrays and its commands. */
export const BOIDS = {
  kind: 3,
  channels: {
    positions: { id: 0, element: 'f32' },
    velocities: { id: 1, element: 'f32' },
    matrices: { id: 2, element: 'f32' },
    bounds: { id: 3, element: 'f32' },
    ids: { id: 4, element: 'u32' },
    species: { id: 5, element: 'u32' },
    influences: { id: 6, element: 'f32' },
    colliders: { id: 7, element: 'f32' },
  },
  commands: {
    /**
     * Replaces the colliders by the payload's: `[kind, ax, ay, az, bx, by, bz, radius, friction, more × 4]` each, kind
     * 0 sphere, 1 capsule, 2 plane, 3 tapered capsule, 4 box; 8 more, but for a plane, is a shape to stay inside.
     * Throws `invalid-option` for a radius below 0 or a number that is not finite.
     */
    setColliders: 0,
    /**
     * Replaces what attracts and repels by the payload's: `[kind, boid, points, x, y, z, direction x, y, z, radius,
     * weight]` each, kind 0 attracts, 1 repels, 2 is a boid (its place among the ids) that attracts, 3 a path and 4 a
     * closed one, whose `points` × `[x, y, z]` follow it.
     */
    setInfluences: 1,
    /**
     * Changes the world to the payload's: `[kind, min x, y, z, max x, y, z]`, kind 0 torus, 1 box; or `[2, centre x, y,
     * z, radius, 0, 0]`. Boids outside are brought in. Throws `invalid-option` where a radius is larger than half a
     * torus.
     */
    setBounds: 2,
    /** Gives the world as `setBounds` takes it. */
    readBounds: 3,
  },
} as const

/** The arrays that a `Boids` shares with JavaScript. */
export interface BoidsChannels {
  /** Output: `[x, y, z] × boids`, world, metres, in the order of `ids`; z is 0 in 2D. */
  positions: Float32Array<ArrayBuffer>
  /** Output: `[x, y, z] × boids`, world, m/s, in the order of `ids`. */
  velocities: Float32Array<ArrayBuffer>
  /**
   * Output: 16 numbers × boids, column-major, in the order of `ids`: rotations that take +z to the heading, and the
   * place. Empty where `matrices` is `false`.
   */
  matrices: Float32Array<ArrayBuffer>
  /** Output: `[min x, y, z, max x, y, z, centre x, y, z, radius]` of the drawn positions, metres. */
  bounds: Float32Array<ArrayBuffer>
  /** Output: `[id] × boids`, ascending. */
  ids: Uint32Array<ArrayBuffer>
  /** Output: `[species] × boids`, in the order of `ids`. */
  species: Uint32Array<ArrayBuffer>
  /**
   * Input: `[x, y, z, direction x, y, z, radius, weight] × influences`, world: metres; a direction of length above 0 is
   * that of a line through the point; a weight of 0 is none.
   */
  influences: Float32Array<ArrayBuffer>
  /**
   * Input: `[ax, ay, az, bx, by, bz, radius, friction, more × 4] × colliders`, world, metres: the centre of a sphere or
   * box is a; a capsule runs from a to b, and a tapered one has its radius at b in more[0]; a plane's normal is a and
   * its offset bx; a box has its half extents in b, its quaternion in more.
   */
  colliders: Float32Array<ArrayBuffer>
}
