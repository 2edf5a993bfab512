//! Beginning anew, carrying all somewhere else, saving and putting back.

use super::pose::origin_near;
use super::{Block, Body, MAX_STEPS, Mode, OUTERMOST, Ragdoll, STEP, lane_mask};
use crate::clock::Clock;
use crate::collider::{FARTHEST, all_sound, check_all, kinds, take_poses, within_reach};
use crate::error::{Error, Result};
use crate::lanes::{F4, ON, V3, all_within, splat};
use crate::simulation::read_matrix;
use crate::snapshot::{Kept, Tape, hash};
use crate::spatial::{Affine, M3};
use bytemuck::{Zeroable, bytes_of};

/// How far the columns of a rotation may be from unit length and right angles.
const STRAIGHT: f32 = 1e-3;

impl Ragdoll {
    /// Bodies with bones are animated; those without lie where they were put, with the velocity that they were given.
    pub(super) fn restart(&mut self) {
        self.clock = Clock::new(STEP, MAX_STEPS);
        (self.frames, self.newest, self.exact) = (0, true, false);
        self.due = None;
        self.output.status = [0, 0];
        take_poses(&mut self.colliders, &self.input.colliders);
        self.now.clone_from(&self.colliders);
        self.gravity = self.input.gravity;
        self.state.blocks.fill(Block::zeroed());
        for all in [&mut self.state.slack, &mut self.state.gaps, &mut self.state.sunk] {
            all.fill(F4::ZERO);
        }
        let posed = !self.build.joints.is_empty();
        let mode = if posed { Mode::Animated } else { Mode::Limp };
        self.bodies.fill(Body { mode, elapsed: 0.0, duration: 0.0 });
        for block in &mut self.state.blocks {
            block.scale = F4::ONE;
        }
        for body in 0..if posed { 0 } else { self.bodies.len() } {
            self.put_down(body);
        }
        for b in 0..if posed { 0 } else { self.state.blocks.len() } {
            self.measure_links(b, splat(ON));
            if !self.options.classic {
                self.allow_what_is(b, splat(ON));
            }
        }
        self.show();
    }

    /// Puts a body without joints where it was placed.
    fn put_down(&mut self, body: usize) {
        let n = self.build.points.len();
        let (b, mask) = (body / 4, lane_mask(body % 4));
        let placed = self.build.placed[body];
        let origin = origin_near(placed.times(V3::splat(self.build.points[0].local)), self.options.floor);
        let block = &mut self.state.blocks[b];
        block.limp |= mask;
        block.awake |= mask;
        block.origin = V3::select(mask, origin, block.origin);
        for (p, point) in self.build.points.iter().enumerate() {
            let i = b * n + p;
            let at = placed.times(V3::splat(point.local)) - origin;
            let step = placed.axes.times(V3::splat(point.velocity)) * splat(self.pace.seconds);
            self.state.put(i, at, step, mask);
            self.state.weigh(i, point.weight, true, mask);
            if point.weight == 0.0 {
                self.state.blocks[b].driven |= mask;
            }
        }
    }

    /// Moves limp bodies, and what the next call interpolates from, by a matrix that turns and moves.
    pub(super) fn carry_all(&mut self, matrix: &[f32; 16]) -> Result<()> {
        let way = read_matrix(matrix)?;
        let (Affine { axes, .. }, one) = (way, M3::IDENTITY);
        let M3 { x, y, z } = axes;
        let off = |v: V3, to: V3| {
            let off = v - to;
            off.x.abs().as_array()[0] + off.y.abs().as_array()[0] + off.z.abs().as_array()[0]
        };
        let square = M3 { x: axes.transposed_times(x), y: axes.transposed_times(y), z: axes.transposed_times(z) };
        let turned = x.cross(y).dot(z).as_array()[0] > 0.0;
        if !turned || off(square.x, one.x) + off(square.y, one.y) + off(square.z, one.z) > STRAIGHT {
            return Err(Error::input("teleport takes a matrix that turns and moves a ragdoll, and does not scale it"));
        }
        let n = self.build.points.len();
        let places: Vec<V3> = self.state.blocks.iter().map(|block| way.times(block.origin)).collect();
        if !all_within(&places, FARTHEST) {
            return Err(Error::input("teleport takes the bodies farther than 1000000 m"));
        }
        for (b, place) in places.into_iter().enumerate() {
            self.state.blocks[b].origin = place;
            for p in b * n..(b + 1) * n {
                for all in self.state.places() {
                    all[p] = axes.times(all[p]);
                }
            }
        }
        for frame in [&mut self.from, &mut self.to] {
            frame.parents.iter_mut().for_each(|raw| *raw = way.after(raw));
        }
        self.wake_all();
        self.show();
        Ok(())
    }

    /// A digest of what is limp, of what each body does, and of the steps.
    pub(super) fn digest(&self) -> u64 {
        let mut state = bytes_of(&self.clock.steps()).to_vec();
        let n = self.build.points.len();
        for (i, body) in self.bodies.iter().enumerate() {
            state.push(body.mode as u8);
            state.extend_from_slice(bytes_of(&body.elapsed));
            if body.mode == Mode::Limp {
                let (b, lane) = (i / 4, i % 4);
                let mut add = |v: &V3| state.extend_from_slice(bytes_of(&v.get(lane)));
                add(&self.state.blocks[b].origin);
                for p in b * n..(b + 1) * n {
                    add(&self.state.at[p]);
                    add(&self.state.was[p]);
                }
            }
        }
        hash(&state)
    }
}

impl Ragdoll {
    /// What is kept in registers, but for masses, which may be large, and blocks, which have masks.
    fn numbers(&mut self) -> [&mut [F4]; 22] {
        use bytemuck::cast_slice_mut as numbers;
        let state = &mut self.state;
        let (from, to, now) = (&mut self.from, &mut self.to, &mut self.input.frame);
        [
            numbers(&mut state.at),
            numbers(&mut state.was),
            numbers(&mut state.last),
            numbers(&mut state.mark),
            numbers(&mut state.goal),
            numbers(&mut state.goal_from),
            &mut state.weight,
            &mut state.slack,
            &mut state.gaps,
            &mut state.sunk,
            numbers(&mut state.rows),
            numbers(&mut state.seeds),
            numbers(&mut state.wanted),
            numbers(&mut state.held),
            numbers(&mut self.output.rotations),
            numbers(&mut self.output.places),
            numbers(&mut from.poses),
            numbers(&mut from.parents),
            numbers(&mut to.poses),
            numbers(&mut to.parents),
            numbers(&mut now.poses),
            numbers(&mut now.parents),
        ]
    }
}

impl Kept for Ragdoll {
    fn label(&self) -> (&'static [u8; 8], &'static str) {
        (b"LBragdl2", "ragdolls with the bodies, points, links and colliders of these")
    }

    /// Bodies, points, links, bones and what the colliders are.
    fn make(&self, words: &mut Vec<u32>) {
        let build = &self.build;
        let counts = [self.bodies.len(), build.points.len(), build.joints.len(), build.roots, build.limits.len()];
        counts.into_iter().for_each(|count| words.push(count as u32));
        for link in &build.links {
            words.extend_from_slice(&[link.a, link.b, u32::from(link.min)]);
        }
        for bone in &build.bones {
            words.push(bone.joint);
            words.extend_from_slice(&bone.points);
        }
        kinds(&self.colliders, words);
    }

    fn keep(&mut self, tape: &mut Tape) {
        self.clock.keep(tape);
        tape.one(&mut self.between);
        tape.one(&mut self.frames);
        let mut due = self.due.unwrap_or(NOTHING_DUE);
        tape.one(&mut due);
        self.due = (due != NOTHING_DUE).then_some(due);
        tape.flag(&mut self.newest);
        for body in &mut self.bodies {
            let mut mode = body.mode as u32;
            tape.one(&mut mode);
            match [Mode::Animated, Mode::Limp, Mode::GettingUp].get(mode as usize) {
                Some(mode) => body.mode = *mode,
                None => tape.refuse(),
            }
            tape.one(&mut body.elapsed);
            tape.one(&mut body.duration);
        }
        // Velocities are a small step's: of the options that were then.
        tape.one(&mut self.pace.seconds);
        tape.all(&mut self.gravity);
        tape.all(&mut self.input.gravity);
        tape.poses(&mut self.colliders);
        tape.poses(&mut self.now);
        tape.all(&mut self.input.colliders);
        self.numbers().into_iter().for_each(|numbers| tape.all(numbers));
        tape.all(&mut self.state.mass);
        tape.all(&mut self.state.blocks);
        tape.all(&mut self.input.strengths);
    }

    fn is_sound(&mut self) -> bool {
        let body =
            |body: &Body| body.elapsed >= -1.0 && body.elapsed.is_finite() && (0.0..=60.0).contains(&body.duration);
        // Masks are no numbers.
        let block = |block: &Block| {
            all_within(&[block.origin], OUTERMOST) && all_within(&[block.scale, block.since], OUTERMOST)
        };
        self.clock.is_sound()
            && self.between > 0.0
            && self.between.is_finite()
            && self.frames <= 2
            && self.due.is_none_or(|due| due >= 0.0 && due.is_finite())
            && self.bodies.iter().all(body)
            && within_reach(&self.pace.seconds)
            && self.pace.seconds > 0.0
            && self.gravity.iter().chain(&self.input.gravity).all(within_reach)
            && all_sound(&self.colliders)
            && all_sound(&self.now)
            && check_all(&self.input.colliders, &self.colliders).is_ok()
            && self.numbers().iter().all(|numbers| all_within(numbers, OUTERMOST))
            && all_within(&self.state.mass, f32::MAX)
            && self.state.blocks.iter().all(block)
            && self.input.strengths.iter().all(|v| (0.0..=1.0).contains(v))
    }

    fn restored(&mut self) {
        // Masks are on or off, and nothing is simulated where there is no body.
        for b in 0..self.state.blocks.len() {
            let limp = self.lanes_of(b, Mode::Limp);
            let block = &mut self.state.blocks[b];
            block.limp = limp;
            for mask in [&mut block.awake, &mut block.driven] {
                let whole = mask.to_array().map(|v| if v.to_bits() != 0 { ON } else { 0.0 });
                *mask = F4::new(whole) & limp;
            }
        }
        self.take_pace();
        self.show();
    }
}

/// In a snapshot, that no time waits for the next step.
const NOTHING_DUE: f64 = 0.0;
