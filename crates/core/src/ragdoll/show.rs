//! What is drawn: points, and the bones that they turn.

use super::limits::lie;
use super::pose::{Which, proper};
use super::{Held, Mode, NONE, Own, Ragdoll, is_on, lane_mask};
use crate::lanes::{F4, V3, keep, splat};
use crate::number::{arccosine, sin_cos};
use crate::spatial::{Drawn, Q4, mix, perpendicular};
use std::slice::{from_mut, from_ref};

impl Ragdoll {
    /// Writes points, rotations and places: the blend of the last two steps of limp bodies, and the way from there to the
    /// pose of those that get up.
    pub(super) fn show(&mut self) {
        self.show_states();
        for b in 0..self.state.blocks.len() {
            self.show_bodies(b);
        }
    }

    /// The same of one block, where only something of it has changed: what is done to each body in turn is not to draw all.
    pub(super) fn show_block(&mut self, b: usize) {
        self.show_states();
        self.show_bodies(b);
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
        let rising = self.lanes_of(b, Mode::GettingUp);
        if rising.any() {
            self.show_rising(b);
        }
        let posed = rising | self.lanes_of(b, Mode::Animated);
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
        for j in body / 4 * joints..(body / 4 + 1) * joints {
            let rotation = self.output.rotations[j].rotation;
            let held = Held { rotation, place: self.output.places[j], toward: rotation };
            keep(from_mut(&mut self.state.held[j]), from_ref(&held), mask);
        }
    }

    /// From what was drawn of the limp body to the pose of the inputs: slower at both ends.
    fn show_rising(&mut self, b: usize) {
        let joints = self.build.joints.len();
        for lane in 0..4 {
            let Some(body) = self.bodies.get(b * 4 + lane).filter(|body| body.mode == Mode::GettingUp) else {
                continue;
            };
            // With the time that waits for the next step: smooth at more than 120 frames a second, too.
            let elapsed = if body.elapsed < 0.0 { 0.0 } else { body.elapsed + self.due.unwrap_or(0.0) };
            let t = if elapsed < body.duration { elapsed / body.duration } else { 1.0 };
            let t = t * t * (3.0 - 2.0 * t);
            for j in b * joints..(b + 1) * joints {
                let (pose, held, drawn) =
                    (&self.input.frame.poses[j], &mut self.state.held[j], &mut self.output.rotations[j]);
                let lanes = |q: &Q4| {
                    let [x, y, z] = q.v.get(lane);
                    [x, y, z, q.w.as_array()[lane]].map(f64::from)
                };
                // The way round that was the shorter one at first is kept: where the pose goes on moving it may become the longer
                // one, and the bone would jump.
                let toward = toward(lanes(&pose.rotation), lanes(&held.toward));
                let [x, y, z, w] = toward.map(|v| v as f32);
                held.toward.v.set(lane, [x, y, z]);
                held.toward.w.as_mut_array()[lane] = w;
                let [x, y, z, w] = slerp(lanes(&held.rotation), toward, t);
                drawn.rotation.v.set(lane, [x, y, z]);
                drawn.rotation.w.as_mut_array()[lane] = w;
                *drawn = Drawn::of(drawn.rotation, &self.angles);
                let place = mix(held.place, pose.position, splat(t as f32)).get(lane);
                self.output.places[j].set(lane, place);
            }
        }
    }
}

fn dot(a: [f64; 4], b: [f64; 4]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The one of the two quaternions of a rotation that is nearer to another.
fn toward(rotation: [f64; 4], other: [f64; 4]) -> [f64; 4] {
    let sign = if dot(rotation, other) < 0.0 { -1.0 } else { 1.0 };
    rotation.map(|v| v * sign)
}

/// From one quaternion to another at a steady pace: Shoemake, "Animating rotation with quaternion curves" (1985). A whole turn is
/// none.
fn slerp(a: [f64; 4], b: [f64; 4], t: f64) -> [f32; 4] {
    let unit = |q: [f64; 4]| {
        let length = dot(q, q).sqrt();
        q.map(|v| if length > 0.0 { v / length } else { 0.5 })
    };
    let (a, mut b) = (unit(a), unit(b));
    if dot(a, b) < -0.9999 {
        b = b.map(|v| -v);
    }
    let angle = arccosine(dot(a, b));
    let (sin, _) = sin_cos(angle);
    let (from, to) =
        if sin > 1e-6 { (sin_cos(angle * (1.0 - t)).0 / sin, sin_cos(angle * t).0 / sin) } else { (1.0 - t, t) };
    unit(std::array::from_fn(|i| a[i] * from + b[i] * to)).map(|v| v as f32)
}
