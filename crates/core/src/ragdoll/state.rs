//! Beginning anew, carrying all somewhere else, saving and putting back.

use super::pose::proper;
use super::{Block, Body, MAX_STEPS, Mode, OUTERMOST, PLACES, Ragdoll, STEP, lane_mask};
use crate::clock::Clock;
use crate::collider::{FARTHEST, all_sound, check_all, kinds, take_poses, within_reach};
use crate::error::{Error, Result};
use crate::lanes::{F4, ON, V3, all_within, keep, splat};
use crate::simulation::read_matrix;
use crate::snapshot::{Kept, Tape, hash};
use bytemuck::{Zeroable, bytes_of};

/// How far a matrix may be from the rotation in it.
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
        self.state.blocks.fill(Block { scale: F4::ONE, ..Block::zeroed() });
        self.state.numbers.fill(F4::ZERO);
        let posed = !self.build.joints.is_empty();
        let mode = if posed { Mode::Animated } else { Mode::Limp };
        self.bodies.fill(Body::new(mode));
        for body in 0..self.build.placed.len() {
            self.put_down(body);
        }
        self.show();
    }

    /// Puts a body without joints where it was placed.
    fn put_down(&mut self, body: usize) {
        let placed = self.build.placed[body];
        let seconds = splat(self.pace.seconds);
        for (spare, point) in self.spare.iter_mut().zip(&self.build.points) {
            *spare = placed.axes.times(V3::splat(point.velocity)) * seconds;
        }
        keep(self.state.own(&self.build, body / 4).was, &self.spare, lane_mask(body % 4));
        self.worlds[0] = placed;
        self.carry_points();
        self.lay(body, V3::ZERO, None);
    }

    /// Moves limp bodies, and what the next call interpolates from, by a matrix that turns and moves.
    pub(super) fn carry_all(&mut self, matrix: &[f32; 16]) -> Result<()> {
        let way = read_matrix(matrix)?;
        let axes = way.axes;
        // The rotation in it is all of it.
        let turn = proper(&axes).matrix();
        let off = [turn.x - axes.x, turn.y - axes.y, turn.z - axes.z];
        if !all_within(&off, STRAIGHT) {
            return Err(Error::input("teleport takes a matrix that only turns and moves a ragdoll"));
        }
        if self.state.blocks.iter().any(|block| !all_within(&[way.times(block.origin)], FARTHEST)) {
            return Err(Error::input("teleport takes the bodies farther than 1000000 m"));
        }
        for block in &mut self.state.blocks {
            block.origin = way.times(block.origin);
        }
        for place in &mut self.state.places {
            *place = axes.times(*place);
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
                self.state.places[b * PLACES * n..][..2 * n].iter().for_each(add);
            }
        }
        hash(&state)
    }
}

impl Ragdoll {
    /// What is kept in registers, but for blocks, which have masks.
    fn numbers(&mut self) -> [&mut [F4]; 11] {
        use bytemuck::cast_slice_mut as numbers;
        let state = &mut self.state;
        let (from, to, now) = (&mut self.from, &mut self.to, &mut self.input.frame);
        [
            numbers(&mut state.places),
            &mut state.numbers,
            &mut state.rows,
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
        (b"LBragdl3", "ragdolls with the bodies, points, links and colliders of these")
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
            tape.one(&mut body.shown);
        }
        // Velocities are a small step's: of the options that were then.
        tape.one(&mut self.pace.seconds);
        tape.all(&mut self.gravity);
        tape.all(&mut self.input.gravity);
        tape.poses(&mut self.colliders);
        tape.poses(&mut self.now);
        tape.all(&mut self.input.colliders);
        self.numbers().into_iter().for_each(|numbers| tape.all(numbers));
        tape.all(&mut self.state.blocks);
        tape.all(&mut self.input.strengths);
    }

    fn is_sound(&mut self) -> bool {
        let body = |body: &Body| {
            body.elapsed >= -1.0
                && body.elapsed.is_finite()
                && (0.0..=60.0).contains(&body.duration)
                && (0.0..=1e9).contains(&body.shown)
        };
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
