import * as reef from './boids-reef.mjs'
import * as shoal from './boids-shoal.mjs'
import * as ball from './cloth-dropped-ball.mjs'
import * as flag from './cloth-flag.mjs'
import * as hangingCape from './cloth-hanging-cape.mjs'
import * as sheet from './cloth-sheet-over-ball.mjs'
import * as walkingCape from './cloth-walking-cape.mjs'
import * as hopping from './jiggle-bones-hopping.mjs'
import * as vrm from './jiggle-bones-vrm.mjs'
import * as classicRagdoll from './ragdoll-classic.mjs'
import * as fall from './ragdoll-fall.mjs'

/**
 * Every scene. One has a `name`; `create(limber)` makes its simulation; `drive(simulation, t)` sets its inputs to what they
 * are at simulated time `t` in seconds, and is a function of nothing else.
 */
export const scenes = [hangingCape, walkingCape, flag, ball, sheet, hopping, vrm, classicRagdoll, fall, shoal, reef]
