//! What is drawn: points, and the bones that they turn.

use super::limits::lie;
use super::pose::{Which, proper};
use super::{Held, Mode, NONE, Own, Ragdoll, is_on, lane_mask};
use crate::lanes::{F4, V3, keep, less, smaller, splat};
use crate::spatial::{Drawn, Q4, mix, perpendicular};
use std::slice::{from_mut, from_ref};

impl Ragdoll {
    /// Writes points, rotations and places: the blend of the last two steps of limp bodies, and the way from there to the
    /// pose of those that get up.
    pub(super) fn show(&mut self) {
        for b in 0..self.state.blocks.len() {
            self.show_bodies(b);
        }
        self.show_states();
    }

    /// The same of one block, where only something of it has changed: what is done to each body in turn is not to draw all.
    pub(super) fn show_block(&mut self, b: usize) {
        self.show_bodies(b);
        self.show_states();
    }

    fn show_states(&mut self) {
        let mut awake = 0;
        for (i, body) in self.bodies.iter().enumerate() {
            let block = &self.state.blocks[i / 4];
            let sleeps = body.mode == Mode::Limp && !is_on(block.awake, i % 4);
            awake += u32::from(body.mode == Mode::Limp && !sleeps);
            self.output.states[i] = body.mode as u32 + if sleeps { 256 } else { 0 };
        }
        self.output.status[1] = awake;
    }

    fn show_bodies(&mut self, b: usize) {
        let limp = self.state.blocks[b].limp;
        if limp.any() {
            let blend = splat(if self.newest { 1.0 } else { self.clock.blend() });
            let Own { block, at, last, .. } = self.state.own(&self.build, b);
            for ((spare, at), last) in self.spare.iter_mut().zip(at).zip(last) {
                *spare = mix(*last, *at, blend);
            }
            let origin = block.origin;
            self.write_points(b, origin, limp);
            self.show_bones(b);
        }
        // With the time that waits for the next step: smooth at more than 120 frames a second, too.
        self.rise(b, self.due.unwrap_or(0.0), false);
        let posed = self.lanes_of(b, Mode::GettingUp) | self.lanes_of(b, Mode::Animated);
        if posed.any() && !self.build.joints.is_empty() {
            // Points of bodies that are not limp are where their bones carry them.
            let base = self.place_joints(b, Which::Drawn);
            self.write_points(b, base, posed);
        }
    }

    /// Writes the points that are kept aside, from `base`, of some bodies.
    fn write_points(&mut self, b: usize, base: V3, mask: F4) {
        let n = self.build.points.len() * 3;
        for (lane, points) in (0..4).zip(self.output.points[b * 4 * n..].chunks_exact_mut(n)) {
            if is_on(mask, lane) {
                for (into, at) in points.as_chunks_mut().0.iter_mut().zip(&self.spare) {
                    *into = (*at + base).get(lane);
                }
            }
        }
    }

    /// A bone is what it was when its body went limp, after what its points have turned by since.
    fn show_bones(&mut self, b: usize) {
        let Ragdoll { build, state, input, output, turns, spare, angles, .. } = self;
        let (joints, roots) = (build.joints.len(), build.roots);
        let Own { block, seeds, .. } = state.own(build, b);
        let rotations = &mut output.rotations[b * joints..(b + 1) * joints];
        for (i, (bone, seed)) in build.bones.iter().zip(seeds).enumerate() {
            let turned = if bone.points[2] == NONE {
                let above = turns.get(bone.carrier as usize).copied().unwrap_or(Q4::IDENTITY);
                let from = above.turn(seed.basis.v);
                let way = lie(spare, &bone.points, from).v;
                Q4::chain(&[Q4::between(from, way, perpendicular(from)), above])
            } else {
                Q4::chain(&[lie(spare, &bone.points, V3::ZERO), seed.basis.back()])
            };
            turns[i] = turned;
            let rotation = if bone.above != NONE {
                Q4::chain(&[seed.before, turns[bone.above as usize].back(), turned, seed.after])
            } else {
                // What it hangs on may have moved since.
                let parent = &input.frame.parents[b * roots + build.joints[bone.joint as usize].root as usize];
                let head = block.origin - parent.origin + spare[bone.points[0] as usize] + turned.turn(seed.head);
                let drawn = &mut output.places[b * joints + bone.joint as usize];
                keep(from_mut(drawn), from_ref(&parent.axes.solve(head)), block.limp);
                Q4::chain(&[proper(&parent.axes).back(), turned, seed.after])
            };
            let drawn = Drawn::of(rotation, angles);
            keep(from_mut(&mut rotations[bone.joint as usize]), from_ref(&drawn), block.limp);
        }
    }

    /// Remembers what is drawn of a body as what it gets up from.
    pub(super) fn begin_to_rise(&mut self, body: usize) {
        let (joints, mask) = (self.build.joints.len(), lane_mask(body % 4));
        // What its first bones hang on may have been moved under them.
        self.show_block(body / 4);
        let own = body / 4 * joints..(body / 4 + 1) * joints;
        let all = self.output.rotations[own.clone()].iter().zip(&self.output.places[own]);
        for (held, (drawn, place)) in self.state.own(&self.build, body / 4).held.iter_mut().zip(all) {
            let now = Held { rotation: drawn.rotation, place: *place };
            keep(from_mut(held), from_ref(&now), mask);
        }
    }

    /// Takes those of a block that get up so many seconds further, from what was drawn of the limp body to the pose of the inputs:
    /// slower at both ends. Each time the part of what is left that has come due, so that a pose which moves, or jumps, is never
    /// jumped to. With `step` they are there then; else it is only drawn, so that nothing depends on how often.
    #[inline(never)]
    pub(super) fn rise(&mut self, b: usize, ahead: f64, step: bool) {
        let rising = self.lanes_of(b, Mode::GettingUp);
        if !rising.any() {
            return;
        }
        let Ragdoll { build, state, input, output, bodies, angles, .. } = self;
        let (mut parts, mut most, mut over) = ([0.0; 4], [0.0; 4], [false; 4]);
        for (lane, body) in bodies[b * 4..].iter_mut().take(4).enumerate() {
            let elapsed = body.elapsed + ahead;
            if body.mode == Mode::GettingUp && body.elapsed >= 0.0 && elapsed >= body.shown {
                let left = |elapsed: f64| {
                    let t = if elapsed < body.duration { elapsed / body.duration } else { 1.0 };
                    (1.0 - t) * (1.0 - t) * (1.0 + 2.0 * t)
                };
                let before = left(body.shown);
                over[lane] = elapsed >= body.duration;
                parts[lane] = if before > 0.0 { 1.0 - left(elapsed) / before } else { 1.0 } as f32;
                let swift = HALF_TURN / body.duration;
                let swift = if swift > SWIFT { swift } else { SWIFT };
                most[lane] = (swift * 0.5 * (elapsed - body.shown)) as f32;
                if step {
                    body.shown = elapsed;
                }
            }
        }
        let (part, most) = (F4::new(parts), F4::new(most));
        let mut lags = F4::ZERO;
        let own = b * build.joints.len()..(b + 1) * build.joints.len();
        let drawn = output.rotations[own.clone()].iter_mut().zip(&mut output.places[own.clone()]);
        let poses = &input.frame.poses[own];
        for ((held, pose), (rotation, place)) in state.own(build, b).held.iter_mut().zip(poses).zip(drawn) {
            let wanted = Q4::chain(&[pose.rotation]);
            // On the chord between both by so much that the tangent of half of the turn is `most`. Of none nothing compares.
            let cos = held.rotation.dot(wanted).abs();
            let sin = (F4::ONE - cos * cos).sqrt();
            let turn = smaller(most / (sin + most * (F4::ONE - cos)), part);
            lags |= less(turn, part);
            let now =
                Held { rotation: held.rotation.towards(wanted, turn), place: mix(held.place, pose.position, part) };
            if step {
                keep(from_mut(held), from_ref(&now), rising);
            } else {
                keep(from_mut(rotation), from_ref(&Drawn::of(now.rotation, angles)), rising);
                keep(from_mut(place), from_ref(&now.place), rising);
            }
        }
        // One that is drawn as its pose, or is late, has got up.
        for (lane, body) in bodies[b * 4..].iter_mut().take(4).enumerate() {
            if step && over[lane] && (!is_on(lags, lane) || body.shown >= body.duration * LATE) {
                body.mode = Mode::Animated;
            }
        }
    }
}

/// How fast a bone that gets up turns at most, rad/s: 19° in 1/60 s. A shorter blend may be as fast as it is through half a turn,
/// radians in its duration.
const SWIFT: f64 = 20.0;
const HALF_TURN: f64 = 5.0;

/// A body takes so many times its time at most, where its pose turns faster than it may.
const LATE: f64 = 1.25;
