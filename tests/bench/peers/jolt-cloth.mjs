/**
 * A square of cloth as jolt-physics's soft body, with the links of the order sheet.
 *
 * Every link is an edge constraint, and Jolt's iteration is a substep with one pass over them. Compliance is XPBD's: with
 * α = compliance / substep², a pass takes 2 / (2 + α) of the error between two free points of mass 1. Structural links have
 * compliance 0; shear and bend get the compliance whose part per pass is the sheet's 0.6 and 0.25. This serves Jolt best. With
 * compliance 0 for every link, which may look stiffer, 64×64 never settles: its largest stretch stays above 2 with 8, 16 and 32
 * iterations (compliance 1e-6 for shear and bend: 1.7 with 16, 1.01 with 32); this one has 1.14 with 8.
 */
import initJolt from 'jolt-physics/wasm-compat'

/** Object and broad-phase layer of the only body. */
const LAYER = 0
const STRUCTURAL = 1
const SHEAR = 0.6
const BEND = 0.25

/**
 * @typedef {object} JoltClothOptions
 * @property {number} size points a side
 * @property {number} width metres a side
 * @property {number} height of the pinned top row, metres
 * @property {number} iterations Jolt's substeps a step
 * @property {number} h seconds a step
 */

/** @returns {Promise<any>} one Jolt WebAssembly instance */
export const loadJolt = () => initJolt()

export class JoltCloth {
  /**
   * @param {any} Jolt what `loadJolt` resolved to
   * @param {JoltClothOptions} options
   */
  constructor(Jolt, { size, width, height, iterations, h }) {
    this.Jolt = Jolt
    this.h = h
    this.world = emptyWorld(Jolt)

    const compliance = (/** @type {number} */ stiffness) => ((2 * (1 - stiffness)) / stiffness) * (h / iterations) ** 2
    const shared = new Jolt.SoftBodySharedSettings()
    const vertex = new Jolt.SoftBodySharedSettingsVertex()
    const place = vertex.mPosition
    for (let j = 0; j < size; j++)
      for (let i = 0; i < size; i++) {
        place.x = (i / (size - 1) - 0.5) * width
        place.y = height - (j / (size - 1)) * width
        place.z = 0
        vertex.mPosition = place
        vertex.mInvMass = j === 0 ? 0 : 1
        shared.mVertices.push_back(vertex)
      }
    Jolt.destroy(vertex)

    let links = 0
    const link = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ stiffness) => {
      const edge = new Jolt.SoftBodySharedSettingsEdge(a, b, compliance(stiffness))
      shared.mEdgeConstraints.push_back(edge)
      Jolt.destroy(edge)
      links++
    }
    const face = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ c) => {
      const triangle = new Jolt.SoftBodySharedSettingsFace(a, b, c, 0)
      shared.AddFace(triangle)
      Jolt.destroy(triangle)
    }
    for (let j = 0; j < size; j++)
      for (let i = 0; i < size; i++) {
        const k = j * size + i
        const right = i + 1 < size
        const down = j + 1 < size
        if (right) link(k, k + 1, STRUCTURAL)
        if (down) link(k, k + size, STRUCTURAL)
        if (right && down) {
          link(k, k + size + 1, SHEAR)
          link(k + 1, k + size, SHEAR)
          face(k, k + size, k + 1)
          face(k + 1, k + size, k + size + 1)
        }
        if (i + 2 < size) link(k, k + 2, BEND)
        if (j + 2 < size) link(k, k + 2 * size, BEND)
      }
    /** All links, those between two pinned points too. */
    this.linkCount = links
    shared.CalculateEdgeLengths()
    shared.Optimize()

    const origin = new Jolt.RVec3(0, 0, 0)
    const settings = new Jolt.SoftBodyCreationSettings(shared, origin, Jolt.Quat.prototype.sIdentity(), LAYER)
    settings.mNumIterations = iterations
    settings.mLinearDamping = 0.8 // the sheet's: damping 0.012 × 60 + drag 0.08, 1/s
    settings.mUpdatePosition = false
    settings.mAllowSleeping = false
    const system = this.world.GetPhysicsSystem()
    const bodies = system.GetBodyInterface()
    this.body = bodies.CreateSoftBody(settings)
    bodies.AddBody(this.body.GetID(), Jolt.EActivation_Activate)
    Jolt.destroy(settings)
    Jolt.destroy(origin)

    this.motion = Jolt.castObject(this.body.GetMotionProperties(), Jolt.SoftBodyMotionProperties)
    this.size = size
    this.restLength = width / (size - 1)
  }

  /** One step of the whole world, which holds this body alone. */
  step() {
    this.world.Step(this.h, 1)
  }

  /** Length over rest length of the structural links: the largest. */
  stretch() {
    const { size, restLength, motion } = this
    const vertices = motion.GetVertices()
    const at = (/** @type {number} */ k) => {
      const p = vertices.at(k).mPosition
      return [p.GetX(), p.GetY(), p.GetZ()]
    }
    const points = Array.from({ length: size * size }, (_, k) => at(k))
    const length = (/** @type {number} */ a, /** @type {number} */ b) =>
      Math.hypot(...points[a].map((v, axis) => points[b][axis] - v))
    let max = 0
    for (let j = 0; j < size; j++)
      for (let i = 0; i < size; i++) {
        const k = j * size + i
        if (i + 1 < size) max = Math.max(max, length(k, k + 1))
        if (j + 1 < size) max = Math.max(max, length(k, k + size))
      }
    return max / restLength
  }

  dispose() {
    const bodies = this.world.GetPhysicsSystem().GetBodyInterface()
    const id = this.body.GetID()
    bodies.RemoveBody(id)
    bodies.DestroyBody(id)
    this.Jolt.destroy(this.world)
  }
}

/** @param {any} Jolt */
function emptyWorld(Jolt) {
  const settings = new Jolt.JoltSettings()
  settings.mMaxWorkerThreads = 0
  const pairs = new Jolt.ObjectLayerPairFilterTable(1)
  const broadPhase = new Jolt.BroadPhaseLayerInterfaceTable(1, 1)
  const layer = new Jolt.BroadPhaseLayer(0)
  broadPhase.MapObjectToBroadPhaseLayer(LAYER, layer)
  Jolt.destroy(layer)
  settings.mObjectLayerPairFilter = pairs
  settings.mBroadPhaseLayerInterface = broadPhase
  settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(broadPhase, 1, pairs, 1)
  const world = new Jolt.JoltInterface(settings)
  Jolt.destroy(settings)
  return world
}
