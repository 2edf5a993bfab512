//! One fixed step.

use super::contacts::{Meeting, Press, Scene, hold_still, look_around};
use super::limits::{Points, basis_of};
use super::links::{ease_apart, pull, pull_four};
use super::pose::origin_near;
use super::{Block, NONE, OUTERMOST, Ragdoll};
use crate::lanes::{F4, V3, greater, larger, less, select, splat};
use crate::spatial::{M3, Q4, mix};

/// Passes over the links in a small step: more than one where points are light beside their neighbours.
const PASSES: u32 = 5;

/// After this one, hinges have their say again, against what the links did.
const AGAIN: u32 = 3;

/// Passes over the links of a body that falls asleep.
const AT_REST: u32 = 300;

/// Four blocks are stepped together where four in a row are awake.
const ABREAST: usize = 4;

/// A body that is farther than this, in metres, from what its points are measured from is measured anew.
const NEAR: f32 = 32.0;

/// A body whose points are all slower than this, m/s, comes to rest, and the part of its motion that it loses at most in a step.
const SLOW: f32 = 0.25;
const REST: f32 = 0.8;

impl Ragdoll {
    /// Runs one step of every body that is limp and awake.
    pub(super) fn step(&mut self) {
        let place = self.clock.advance();
        let place = if self.exact { 1.0 } else { place };
        self.exact = false;
        self.ready_solids(place);
        let awake = |block: &Block| block.awake.any();
        let mut b = 0;
        while let Some(block) = self.state.blocks.get(b) {
            if !awake(block) {
                b += 1;
            } else if self.state.blocks[b..].iter().take(ABREAST).filter(|block| awake(block)).count() == ABREAST {
                self.step_blocks(b, ABREAST, place);
                b += ABREAST;
            } else {
                self.step_blocks(b, 1, place);
                b += 1;
            }
        }
    }

    fn step_blocks(&mut self, first: usize, count: usize, place: f32) {
        let n = self.build.points.len();
        let points = first * n..(first + count) * n;
        let scene = Scene { solids: &self.solids, rubs: &self.rubs, motion: &self.motion, pace: &self.pace };
        for g in 0..count {
            look_around(&mut self.near[g], &self.build, &self.state, first + g, &scene, self.options.self_collision);
        }
        self.pressed.fill(Press::NONE);
        for g in 0..count {
            self.ease_in(first + g, g);
        }
        self.state.last[points.clone()].copy_from_slice(&self.state.at[points.clone()]);
        let (classic, parts) = (self.options.classic, self.pace.parts);
        for part in 0..parts {
            for b in first..first + count {
                self.move_on(b, place, parts - part);
            }
            for _ in 0..if classic { self.options.iterations } else { 1 } {
                if classic {
                    self.pull_all(first, count);
                }
                for g in 0..count {
                    self.constrain(first + g, g, part as usize + 1);
                }
                if !classic {
                    // Few iterations are to be rubber, so that there are few passes in each.
                    let passes = parts.div_ceil(2);
                    for pass in 0..if passes < PASSES { passes } else { PASSES } {
                        self.pull_all(first, count);
                        if pass == AGAIN {
                            for b in first..first + count {
                                self.constrain_again(b);
                            }
                        }
                    }
                    let (at, was) = (&mut self.state.at[points.clone()], &self.state.was[points.clone()]);
                    hold_still(&mut self.pressed[..count * n], at, was, self.pace.seconds * self.build.unit);
                }
            }
        }
        for g in 0..count {
            self.end_step(first + g, g);
        }
    }

    /// One pass over the links.
    fn pull_all(&mut self, first: usize, count: usize) {
        let (n, m) = (self.build.points.len(), self.build.links.len());
        let rows = &self.state.rows[first * m..(first + count) * m];
        let at = &mut self.state.at[first * n..(first + count) * n];
        if count == ABREAST {
            pull_four(&self.build.links, rows, at, self.pace.tiny);
        } else {
            pull(&self.build.links, rows, at, self.pace.tiny);
        }
    }

    /// What began inside something may be so a little less from now on; and how high points stand on the floor.
    fn ease_in(&mut self, b: usize, g: usize) {
        let (n, m, pairs) = (self.build.points.len(), self.build.links.len(), self.build.pairs.len());
        let (block, state) = (self.state.blocks[b], &mut self.state);
        let ease = self.pace.ease * block.scale * splat(self.build.unit);
        let (sunk, gaps) = (&mut state.sunk[b * n..(b + 1) * n], &mut state.gaps[b * pairs..(b + 1) * pairs]);
        for eased in sunk.iter_mut().chain(gaps) {
            let left = *eased - ease;
            *eased = select(greater(left, F4::ZERO), left, F4::ZERO);
        }
        if !self.options.classic {
            ease_apart(&self.build.links, &mut state.rows[b * m..(b + 1) * m], ease, block.scale);
        }
        let floor = splat(self.options.floor.unwrap_or_default()) - block.origin.y;
        for ((height, point), sunk) in self.heights[g * n..].iter_mut().zip(&self.build.points).zip(&*sunk) {
            *height = floor + block.scale * splat(point.radius) - *sunk;
        }
    }

    /// Moves the points of a block as they moved before, and by gravity; those that follow the pose a part of what is `left`
    /// of their way.
    fn move_on(&mut self, b: usize, place: f32, left: u32) {
        let (state, pace) = (&mut self.state, &self.pace);
        let fall = V3::splat(self.gravity) * splat(pace.seconds * pace.seconds);
        let n = self.build.points.len();
        let (own, driven) = (b * n..(b + 1) * n, state.blocks[b].driven);
        fly(&mut state.at[own.clone()], &mut state.was[own.clone()], pace.keep, fall);
        if driven.any() {
            for p in own {
                let held = less(state.weight[p], pace.tiny) & driven;
                let goal = mix(state.goal_from[p], state.goal[p], splat(place));
                let on = mix(state.was[p], goal, F4::ONE / splat(left as f32));
                state.at[p] = V3::select(held, on, state.at[p]);
            }
        }
    }

    /// All but the links: what a block meets, its limits, its strength.
    fn constrain(&mut self, b: usize, g: usize, part: usize) {
        let strength = self.strengths(b) & self.state.blocks[b].limp;
        let Ragdoll { build, state, pace, options, near, pressed, heights, solids, rubs, motion, angles, .. } = self;
        let (n, bones) = (build.points.len(), build.bones.len());
        let (limits, pairs) = (build.limits.len(), build.pairs.len());
        let (block, own) = (state.blocks[b], b * n..(b + 1) * n);
        let (at, was) = (&mut state.at[own.clone()], &mut state.was[own.clone()]);
        let (weight, sunk) = (&state.weight[own.clone()], &state.sunk[own]);
        let scene = Scene { solids, rubs, motion, pace };
        let pressed = &mut pressed[g * n..(g + 1) * n];
        let (origin, scale) = (block.origin, block.scale);
        let gaps = &state.gaps[b * pairs..(b + 1) * pairs];
        let heights = &heights[g * n..(g + 1) * n];
        let mut meeting = Meeting { build, pressed, at, was, weight, origin, scale, sunk };
        meeting.keep_limbs_apart(&near[g], gaps, pace.kick * scale * splat(build.unit));
        meeting.meet(&near[g], &scene, part);
        if options.floor.is_some() {
            if options.classic {
                meeting.stand(heights, pace.slide)
            } else {
                meeting.land(heights, pace.slide, pace.hold)
            }
        }
        let Meeting { at, was, .. } = meeting;
        let mut points = Points { at, was, weight, angles, kick: pace.kick_angle };
        if greater(strength, F4::ZERO).any() {
            points.seek_all(build, &state.wanted[b * bones..(b + 1) * bones], strength * pace.strong);
        }
        points.hold(&build.limits, &mut state.slack[b * limits..(b + 1) * limits], pace.ease_angle);
    }

    /// Hinges once more.
    fn constrain_again(&mut self, b: usize) {
        let Ragdoll { build, state, pace, angles, .. } = self;
        let (n, limits) = (build.points.len(), build.limits.len());
        let own = b * n..(b + 1) * n;
        let (at, was) = (&mut state.at[own.clone()], &mut state.was[own.clone()]);
        let mut points = Points { at, was, weight: &state.weight[own], angles, kick: pace.kick_angle };
        points.hold_hinges(&build.limits, &state.slack[b * limits..(b + 1) * limits]);
    }

    /// What is done once a step: lost motion, rest, and what must not be.
    fn end_step(&mut self, b: usize, g: usize) {
        let n = self.build.points.len();
        let own = b * n..(b + 1) * n;
        if self.options.damping > 0.0 {
            self.damp(b);
        }
        self.come_to_rest(b, g);
        let state = &mut self.state;
        let mut sound = F4::ZERO;
        let mut most = F4::ZERO;
        for p in own.clone() {
            let at = state.at[p];
            most = larger(most, at.x.abs() + at.y.abs() + at.z.abs());
            sound |= !less(at.x.abs() + at.y.abs() + at.z.abs(), splat(OUTERMOST));
        }
        let block = &mut state.blocks[b];
        let o = block.origin;
        sound = !(sound | !less(o.x.abs() + o.y.abs() + o.z.abs(), splat(OUTERMOST)));
        let awake = block.awake;
        if !(sound | !awake).all() {
            self.output.status[0] += 1;
        }
        // What sleeps, or is not simulated, stays; what stopped being finite stands where it was a step ago.
        let keep = awake & sound;
        if !keep.all() {
            for p in own.clone() {
                state.at[p] = V3::select(keep, state.at[p], state.last[p]);
                state.was[p] = V3::select(keep, state.was[p], state.last[p]);
            }
        }
        if greater(most, splat(NEAR)).any() {
            self.measure_anew(b);
        }
        self.fall_asleep(b);
    }

    /// Takes a part of each point's motion as against that of its body as one. Momentum and its moment stay as they are.
    ///
    /// Müller, Heidelberger, Hennix and Ratcliff, "Position based dynamics" (2007), 3.5.
    fn damp(&mut self, b: usize) {
        let n = self.build.points.len();
        let state = &mut self.state;
        let own = b * n..(b + 1) * n;
        let (at, was, mass) = (&state.at[own.clone()], &mut state.was[own.clone()], &state.mass[own]);
        let (mut sum, mut center, mut motion) = (F4::ZERO, V3::ZERO, V3::ZERO);
        for p in 0..n {
            sum += mass[p];
            center = center + at[p] * mass[p];
            motion = motion + (at[p] - was[p]) * mass[p];
        }
        let per = F4::ONE / larger(sum, self.pace.tiny);
        let (center, motion) = (center * per, motion * per);
        let (mut moment, mut inertia) = (V3::ZERO, M3 { x: V3::ZERO, y: V3::ZERO, z: V3::ZERO });
        for p in 0..n {
            let arm = at[p] - center;
            moment = moment + arm.cross(at[p] - was[p]) * mass[p];
            let (heavy, square) = (arm * mass[p], arm.dot(arm) * mass[p]);
            inertia.x = inertia.x - arm * heavy.x;
            inertia.y = inertia.y - arm * heavy.y;
            inertia.z = inertia.z - arm * heavy.z;
            inertia.x.x += square;
            inertia.y.y += square;
            inertia.z.z += square;
        }
        let turn = inertia.solve(moment);
        let part = splat(self.options.damping);
        for p in 0..n {
            let whole = motion + turn.cross(at[p] - center);
            was[p] = was[p] - (whole - (at[p] - was[p])) * part;
        }
    }

    /// A body that touches something and hardly moves loses what is left: joints and friction are never solved to the end.
    fn come_to_rest(&mut self, b: usize, g: usize) {
        let n = self.build.points.len();
        let state = &mut self.state;
        let (mut fastest, mut touches) = (F4::ZERO, F4::ZERO);
        for (p, press) in (b * n..(b + 1) * n).zip(&self.pressed[g * n..]) {
            let moved = state.at[p] - state.last[p];
            fastest = larger(fastest, moved.dot(moved));
            touches |= press.some();
        }
        let slow = splat(SLOW * super::STEP as f32 * self.build.unit) * state.blocks[b].scale;
        let part = splat(1.0) - fastest.sqrt() / slow;
        let part = select(touches & greater(part, F4::ZERO), part * splat(REST), F4::ZERO);
        if greater(part, F4::ZERO).any() {
            for p in b * n..(b + 1) * n {
                state.was[p] = mix(state.was[p], state.at[p], part);
            }
        }
    }

    /// Measures the points from somewhere nearer to the first of them.
    #[cold]
    fn measure_anew(&mut self, b: usize) {
        let n = self.build.points.len();
        let Ragdoll { state, options, .. } = self;
        let origin = state.blocks[b].origin;
        let by = origin_near(state.at[b * n] + origin, options.floor) - origin;
        state.blocks[b].origin = origin + by;
        for p in b * n..(b + 1) * n {
            for all in state.places() {
                all[p] = all[p] - by;
            }
        }
    }

    /// Looks, where it is due, whether bodies have moved since they were last looked at.
    fn fall_asleep(&mut self, b: usize) {
        let Some(seconds) = self.options.sleep_time else { return };
        let (n, strengths) = (self.build.points.len(), self.strengths(b));
        let state = &mut self.state;
        let block = &mut state.blocks[b];
        block.since += F4::ONE;
        let due = block.awake & !less(block.since * splat(super::STEP as f32), splat(seconds));
        if !due.any() {
            return;
        }
        let mut moved = F4::ZERO;
        for p in b * n..(b + 1) * n {
            let way = state.at[p] - state.mark[p];
            moved = larger(moved, way.dot(way));
            state.mark[p] = V3::select(due, state.at[p], state.mark[p]);
        }
        block.since = select(due, F4::ZERO, block.since);
        let far = splat(self.options.sleep_distance);
        let asleep = due & less(moved, far * far) & !block.driven & !greater(strengths, F4::ZERO);
        block.awake &= !asleep;
        if asleep.any() {
            // Where it lies, lengths hold exactly.
            let m = self.build.links.len();
            let (at, rows) = (&mut state.at[b * n..(b + 1) * n], &state.rows[b * m..(b + 1) * m]);
            self.spare.copy_from_slice(at);
            for _ in 0..if self.options.classic { 0 } else { AT_REST } {
                pull(&self.build.links, rows, at, self.pace.tiny);
            }
            for (at, awake) in at.iter_mut().zip(&self.spare) {
                *at = V3::select(asleep, *at, *awake);
            }
            for p in b * n..(b + 1) * n {
                state.was[p] = V3::select(asleep, state.at[p], state.was[p]);
                state.last[p] = V3::select(asleep, state.at[p], state.last[p]);
            }
        }
    }
}

/// Points move as they moved before, slowed by the air, and fall.
#[inline(never)]
fn fly(at: &mut [V3], was: &mut [V3], keep: F4, fall: V3) {
    for (at, was) in at.iter_mut().zip(was) {
        let moved = *at - *was;
        *was = *at;
        *at = *at + moved * keep + fall;
    }
}

impl Points<'_> {
    /// Turns every bone that has a carrier towards how it is wanted in it.
    fn seek_all(&mut self, build: &super::Build, wanted: &[Q4], pull: F4) {
        for (bone, wanted) in build.bones.iter().zip(wanted) {
            let Some(frame) = build.frame_of(bone) else { continue };
            let carrier = basis_of(self.at, &frame);
            let [o, along, side] = bone.points;
            let way = self.at[along as usize] - self.at[o as usize];
            let turn = if side == NONE {
                // Its direction only.
                let wanted = carrier.times(wanted.v);
                let (way, _) = crate::spatial::direction(way, wanted);
                way.cross(wanted)
            } else {
                let now = basis_of(self.at, &bone.points);
                let off = Q4::chain(&[Q4::of(carrier), *wanted, Q4::of(now).back()]);
                let sign = select(less(off.w, F4::ZERO), splat(-2.0), splat(2.0));
                off.v * sign
            };
            self.seek(&frame, &bone.points, turn, pull);
        }
    }
}
