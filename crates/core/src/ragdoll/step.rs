//! One fixed step.

use super::contacts::{Meeting, Press, Scene, farthest, hold_still, look_around, stand};
use super::limits::{Points, lie};
use super::links::{ease_apart, pull, pull_four};
use super::pose::origin_near;
use super::{Block, FOURS_OF_ROW, NONE, OUTERMOST, Own, PLACES, Ragdoll, Seed};
use crate::lanes::{F4, ON, V3, all_within, greater, keep, larger, less, select, splat};
use crate::spatial::{M3, Q4, mix};
use bytemuck::cast_slice;

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
        self.pressed.fill(Press::NONE);
        for g in 0..count {
            self.ease_in(first + g, g);
        }
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
                    if classic && self.options.floor.is_some() {
                        let from = (first + g) * PLACES * n;
                        let (at, was) = self.state.places[from..][..2 * n].split_at_mut(n);
                        let numbers = &self.state.numbers[(first + g) * self.build.numbers()..][..2 * n];
                        stand(at, was, numbers, self.pace.slide);
                    }
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
                    for (b, pressed) in (first..first + count).zip(self.pressed.chunks_exact_mut(n)) {
                        let Own { at, was, .. } = self.state.own(&self.build, b);
                        hold_still(pressed, at, was, self.pace.seconds * self.build.unit);
                    }
                }
            }
        }
        for g in 0..count {
            self.end_step(first + g, g);
        }
    }

    /// One pass over the links.
    fn pull_all(&mut self, first: usize, count: usize) {
        let (n, m) = (self.build.points.len() * PLACES, self.build.links.len() * FOURS_OF_ROW);
        let rows = cast_slice(&self.state.rows[first * m..(first + count) * m]);
        let places = &mut self.state.places[first * n..(first + count) * n];
        if count == ABREAST {
            pull_four(&self.build.links, rows, places, self.pace.tiny);
        } else {
            pull(&self.build.links, rows, places, self.pace.tiny);
        }
    }

    /// Looks at what is near. What began inside something may be so a little less from now on.
    fn ease_in(&mut self, b: usize, g: usize) {
        let Ragdoll { build, state, pace, options, near, solids, rubs, .. } = self;
        let own = state.own(build, b);
        look_around(&mut near[g], build, &own, &Scene { solids, rubs, pace }, options.self_collision);
        own.last.copy_from_slice(own.at);
        let (origin, scale) = (own.block.origin, own.block.scale);
        let ease = pace.ease * scale * splat(build.unit);
        for eased in own.sunk.iter_mut().chain(own.gaps) {
            let left = *eased - ease;
            *eased = select(greater(left, F4::ZERO), left, F4::ZERO);
        }
        if !options.classic {
            ease_apart(&build.links, own.rows, ease, scale);
        }
        let floor = splat(options.floor.unwrap_or_default()) - origin.y;
        for ((height, point), sunk) in own.heights.iter_mut().zip(&build.points).zip(own.sunk) {
            *height = floor + scale * splat(point.radius) - *sunk;
        }
    }

    /// Moves the points of a block as they moved before, and by gravity; those that follow the pose a part of what is `left`
    /// of their way.
    fn move_on(&mut self, b: usize, place: f32, left: u32) {
        let pace = &self.pace;
        let fall = V3::splat(self.gravity) * splat(pace.seconds * pace.seconds);
        let Own { block, at, was, goal_from, goal, weight, .. } = self.state.own(&self.build, b);
        fly(at, was, pace.keep, fall);
        if block.driven.any() {
            for ((((at, was), from), to), weight) in at.iter_mut().zip(was).zip(goal_from).zip(goal).zip(weight) {
                let held = less(*weight, pace.tiny) & block.driven;
                let goal = mix(*from, *to, splat(place));
                let on = mix(*was, goal, F4::ONE / splat(left as f32));
                *at = V3::select(held, on, *at);
            }
        }
    }

    /// All but the links and the floor of `classic`: what a block meets, its limits, its strength.
    fn constrain(&mut self, b: usize, g: usize, part: usize) {
        let strengths = self.strengths(b);
        let Ragdoll { build, state, pace, options, near, pressed, solids, rubs, angles, .. } = self;
        if options.classic && near[g].is_empty() && build.limits.is_empty() && build.bones.is_empty() {
            return;
        }
        let n = build.points.len();
        let Own { block, at, was, weight, heights, sunk, slack, gaps, seeds, .. } = state.own(build, b);
        let (origin, scale, strength) = (block.origin, block.scale, strengths & block.limp);
        let points = Points { at, was, weight, angles, kick: pace.kick_angle };
        let mut meeting = Meeting { build, pressed: &mut pressed[g * n..(g + 1) * n], points, origin, scale, sunk };
        meeting.keep_limbs_apart(&near[g], gaps, pace.kick * scale * splat(build.unit));
        meeting.meet(&near[g], &Scene { solids, rubs, pace }, part);
        if options.floor.is_some() && !options.classic {
            meeting.land(heights, pace.slide, pace.hold);
        }
        let mut points = meeting.points;
        if greater(strength, F4::ZERO).any() {
            points.seek_all(build, seeds, strength * pace.strong);
        }
        points.hold(&build.limits, slack, pace.ease_angle);
    }

    /// Hinges once more.
    fn constrain_again(&mut self, b: usize) {
        let Ragdoll { build, state, pace, angles, .. } = self;
        let Own { at, was, weight, slack, .. } = state.own(build, b);
        Points { at, was, weight, angles, kick: pace.kick_angle }.hold_hinges(&build.limits, slack);
    }

    /// What is done once a step: lost motion, rest, and what must not be.
    fn end_step(&mut self, b: usize, g: usize) {
        let strengths = self.strengths(b);
        let Ragdoll { build, state, pace, options, pressed, output, spare, .. } = self;
        let n = build.points.len();
        let mut own = state.own(build, b);
        if options.damping > 0.0 {
            own.damp(splat(options.damping), pace.tiny);
        }
        own.come_to_rest(&pressed[g * n..(g + 1) * n], build.unit);
        let Own { block, at, was, last, .. } = own;
        let mut sound = splat(ON);
        for at in [block.origin].iter().chain(&*at) {
            sound &= less(at.x.abs() + at.y.abs() + at.z.abs(), splat(OUTERMOST));
        }
        if !(sound | !block.awake).all() {
            output.status[0] += 1;
        }
        // What sleeps, or is not simulated, stays; what stopped being finite stands where it was a step ago.
        let back = !(block.awake & sound);
        if back.any() {
            keep(at, last, back);
            keep(was, last, back);
        }
        if !all_within(at, NEAR) {
            // Points are measured from somewhere nearer to the first of them.
            let by = origin_near(at[0] + block.origin, options.floor) - block.origin;
            block.origin = block.origin + by;
            for place in &mut state.places[b * n * PLACES..(b + 1) * n * PLACES] {
                *place = *place - by;
            }
        }
        let Some(seconds) = options.sleep_time else { return };
        let mut own = state.own(build, b);
        let asleep = own.rest(seconds, options.sleep_distance) & !greater(strengths, F4::ZERO);
        if asleep.any() {
            let Own { block, at, was, last, rows, .. } = own;
            block.awake &= !asleep;
            // Where it lies, lengths hold exactly.
            spare.copy_from_slice(at);
            for _ in 0..if options.classic { 0 } else { AT_REST } {
                pull(&build.links, rows, at, pace.tiny);
            }
            keep(at, spare, !asleep);
            keep(was, at, asleep);
            keep(last, at, asleep);
        }
    }
}

impl Own<'_> {
    /// Takes a part of each point's motion as against that of its body as one. Momentum and its moment stay as they are.
    ///
    /// Müller, Heidelberger, Hennix and Ratcliff, "Position based dynamics" (2007), 3.5.
    #[inline(never)]
    fn damp(&mut self, part: F4, tiny: F4) {
        let (mut sum, mut center, mut motion) = (F4::ZERO, V3::ZERO, V3::ZERO);
        let mass = |weight: &F4| F4::ONE / larger(*weight, splat(1.0 / HELD));
        for ((at, was), weight) in self.at.iter().zip(&*self.was).zip(&*self.weight) {
            let mass = mass(weight);
            sum += mass;
            center = center + *at * mass;
            motion = motion + (*at - *was) * mass;
        }
        let per = F4::ONE / larger(sum, tiny);
        let (center, motion) = (center * per, motion * per);
        let (mut moment, mut inertia) = (V3::ZERO, M3 { x: V3::ZERO, y: V3::ZERO, z: V3::ZERO });
        for ((at, was), weight) in self.at.iter().zip(&*self.was).zip(&*self.weight) {
            let arm = *at - center;
            let heavy = arm * mass(weight);
            let square = arm.dot(heavy);
            moment = moment + heavy.cross(*at - *was);
            inertia.x = inertia.x - arm * heavy.x;
            inertia.y = inertia.y - arm * heavy.y;
            inertia.z = inertia.z - arm * heavy.z;
            inertia.x.x += square;
            inertia.y.y += square;
            inertia.z.z += square;
        }
        let turn = inertia.solve(moment);
        for (at, was) in self.at.iter().zip(&mut *self.was) {
            let whole = motion + turn.cross(*at - center);
            *was = *was - (whole - (*at - *was)) * part;
        }
    }

    /// A body that touches something and hardly moves loses what is left: joints and friction are never solved to the end.
    fn come_to_rest(&mut self, pressed: &[Press], unit: f32) {
        let touches = pressed.iter().fold(F4::ZERO, |touches, press| touches | press.some());
        if !touches.any() {
            return;
        }
        let slow = splat(SLOW * super::STEP as f32 * unit) * self.block.scale;
        let part = splat(1.0) - farthest(self.at, self.last).sqrt() / slow;
        let part = select(touches & greater(part, F4::ZERO), part * splat(REST), F4::ZERO);
        if greater(part, F4::ZERO).any() {
            for (at, was) in self.at.iter().zip(&mut *self.was) {
                *was = mix(*was, *at, part);
            }
        }
    }

    /// On where bodies have not moved since they were last looked at; only where it is time to look.
    fn rest(&mut self, seconds: f32, far: f32) -> F4 {
        let block = &mut *self.block;
        block.since += F4::ONE;
        let due = block.awake & !less(block.since * splat(super::STEP as f32), splat(seconds));
        if !due.any() {
            return F4::ZERO;
        }
        let moved = farthest(self.at, self.mark);
        keep(self.mark, self.at, due);
        block.since = select(due, F4::ZERO, block.since);
        due & less(moved, splat(far * far)) & !block.driven
    }
}

/// How heavy a point that follows the pose is taken to be, kg.
const HELD: f32 = 1e6;

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
    fn seek_all(&mut self, build: &super::Build, seeds: &[Seed], pull: F4) {
        for (bone, Seed { wanted, .. }) in build.bones.iter().zip(seeds) {
            let Some(frame) = build.frame_of(bone) else { continue };
            let carrier = lie(self.at, &frame, V3::ZERO);
            let turn = if bone.points[2] == NONE {
                // Its direction only.
                let wanted = carrier.turn(wanted.v);
                lie(self.at, &bone.points, wanted).v.cross(wanted)
            } else {
                let now = lie(self.at, &bone.points, V3::ZERO);
                let off = Q4::chain(&[carrier, *wanted, now.back()]);
                let sign = select(less(off.w, F4::ZERO), splat(-2.0), splat(2.0));
                off.v * sign
            };
            self.seek(&frame, &bone.points, turn, pull);
        }
    }
}
