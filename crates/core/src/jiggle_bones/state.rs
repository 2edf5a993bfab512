//! Beginning anew, carrying along with a body that was put somewhere else, saving and putting back.

use super::{Frame, JiggleBones, LONGEST, OUTERMOST, Tip};
use crate::clock::Clock;
use crate::collider::{FARTHEST, all_sound, kinds};
use crate::error::{Error, Result};
use crate::lanes::{F4, ON, V3, all_within, greater, keep, less, splat};
use crate::simulation::{Simulation, read_matrix};
use crate::snapshot::{Kept, Tape, hash};
use crate::spatial::Affine;
use bytemuck::cast_slice;
use std::slice::{from_mut, from_ref};

/// A clock for chains of `rate` steps a second.
pub(super) fn clock(rate: u32) -> Clock {
    Clock::new(1.0 / f64::from(rate), (f64::from(rate) * LONGEST + 1e-6) as u32)
}

impl JiggleBones {
    /// Every tip at rest, in the poses that the next call brings.
    pub(super) fn restart(&mut self) {
        self.clock = clock(self.groups[0].rate);
        for group in &mut self.groups {
            (group.steps, group.fresh) = (0, true);
        }
        (self.fresh, self.carry, self.newest) = (true, false, true);
        self.status = [0];
        for r in 0..self.rows.len() {
            let row = &mut self.rows[r];
            row.moving = false;
            row.pose(&self.from[r], &self.input.poses[r], 1.0);
            let axis = row.axis;
            self.tips[r] = Tip { head: V3::ZERO, at: V3::ZERO, was: V3::ZERO, swing: axis, swing_last: axis };
        }
        self.show();
    }

    /// Every tip at rest from the next step on, and drawn so.
    pub(super) fn settle(&mut self) {
        for (row, tip) in self.rows.iter().zip(&mut self.tips) {
            (tip.swing, tip.swing_last) = (row.axis, row.axis);
        }
        for group in &mut self.groups {
            group.fresh = true;
        }
        self.show();
    }

    /// Moves tips, and what the next call interpolates from, by a world matrix.
    pub(super) fn carry_all(&mut self, matrix: &[f32; 16]) -> Result<()> {
        let way = read_matrix(matrix)?;
        let mut frames = self.from_parents.iter().chain(&self.from_centers);
        if !frames.all(|raw| all_within(&[way.after(raw)], FARTHEST)) {
            return Err(Error::input("teleport takes the bones farther than 1000000 m"));
        }
        for tip in &mut self.tips {
            tip.carry(&way, splat(ON));
        }
        for frames in [&mut self.from_parents, &mut self.from_centers, &mut self.centers_now] {
            frames.iter_mut().for_each(|raw| *raw = way.after(raw));
        }
        self.take_frames();
        Ok(())
    }

    /// The frames of the last call's matrices.
    fn take_frames(&mut self) {
        for (block, raw) in self.blocks.iter_mut().zip(&self.from_parents) {
            block.from = Frame::of(raw);
        }
        for (center, raw) in self.centers.iter_mut().zip(&self.from_centers) {
            center.from = Frame::of(raw);
        }
    }

    /// Carries along the strands whose roots have moved or turned so far in this frame that they were put there.
    pub(super) fn follow_jumps(&mut self) {
        let all = self.carry;
        self.carry = false;
        let far = self.options.teleport_distance.map_or(f32::INFINITY, |far| far * far);
        let mut some = false;
        for block in &mut self.blocks {
            let way = block.to.raw.origin - block.from.raw.origin;
            block.jumped = if all { splat(ON) } else { greater(way.dot(way), splat(far)) };
            if !all {
                block.jumped |= less(block.from.turn.dot(block.to.turn).abs(), splat(self.most_turn));
            }
            some |= block.jumped.any();
        }
        if some {
            self.carry_jumped();
        }
    }

    #[cold]
    fn carry_jumped(&mut self) {
        for b in 0..self.blocks.len() {
            let block = &self.blocks[b];
            let (mut way, mut mask) = (Affine::IDENTITY, F4::ZERO);
            for lane in 0..4 {
                let (root, other) = (block.source[lane] as usize / 4, block.source[lane] as usize % 4);
                let Some(root) = self.blocks.get(root).filter(|root| root.jumped.as_array()[other].to_bits() != 0)
                else {
                    continue;
                };
                way.take_lane(lane, &root.from.raw.way_to(&root.to.raw), other);
                mask.as_mut_array()[lane] = ON;
                // Its centre has come along.
                let (center, other) = (block.centers[lane] as usize / 4, block.centers[lane] as usize % 4);
                if let Some(to) = self.centers.get(center).map(|center| center.to.raw) {
                    self.from_centers[center].take_lane(other, &to, other);
                    for now in self.centers_now.iter_mut().skip(center).step_by(self.centers.len()) {
                        now.take_lane(other, &to, other);
                    }
                }
            }
            if !mask.any() {
                continue;
            }
            for r in block.row..block.row + block.rows {
                self.tips[r].carry(&way, mask);
                keep(from_mut(&mut self.from[r]), from_ref(&self.input.poses[r]), mask);
            }
        }
        for (block, raw) in self.blocks.iter().zip(&mut self.from_parents) {
            keep(from_mut(raw), from_ref(&block.to.raw), block.jumped);
        }
        self.take_frames();
    }

    /// A digest of tips, their velocities and the steps.
    pub(super) fn digest(&self) -> u64 {
        let mut state = Vec::new();
        for group in &self.groups {
            state.extend_from_slice(cast_slice(from_ref(&group.steps)));
        }
        for joint in &self.joints {
            let (tip, lane) = (&self.tips[joint.slot as usize / 4], joint.slot as usize % 4);
            for v in [tip.at, tip.was] {
                state.extend_from_slice(&v.get(lane));
            }
        }
        hash(&state)
    }

    /// What tests look at: where the tip of a joint is.
    #[cfg(test)]
    pub(super) fn tip(&self, joint: usize) -> glam::Vec3 {
        let slot = self.joints[joint].slot as usize;
        let tip = &self.tips[slot / 4];
        glam::Vec3::from_array((tip.head + tip.at).get(slot % 4))
    }
}

impl Kept for JiggleBones {
    fn label(&self) -> (&'static [u8; 8], &'static str) {
        (b"LBjiggl2", "jiggle bones with the joints, chains and colliders of these")
    }

    /// Joints, chains and what the colliders are.
    fn make(&self, words: &mut Vec<u32>) {
        for joint in &self.joints {
            words.extend_from_slice(&[joint.slot, joint.chain]);
        }
        kinds(&self.colliders, words);
        self.groups.iter().for_each(|group| words.push(group.rate));
        for count in [self.rows.len(), self.blocks.len(), self.centers.len()] {
            words.push(count as u32);
        }
    }

    fn keep(&mut self, tape: &mut Tape) {
        self.clock.keep(tape);
        for group in &mut self.groups {
            tape.one(&mut group.steps);
            tape.flag(&mut group.fresh);
        }
        for flag in [&mut self.fresh, &mut self.carry, &mut self.newest] {
            tape.flag(flag);
        }
        tape.all(&mut self.input.wind);
        tape.all(&mut self.input.gravity);
        tape.poses(&mut self.colliders);
        tape.all(&mut self.input.colliders);
        tape.all(&mut self.tips);
        for matrices in [
            &mut self.centers_now,
            &mut self.from_parents,
            &mut self.from_centers,
            &mut self.input.parents,
            &mut self.input.centers,
        ] {
            tape.all(matrices);
        }
        tape.all(&mut self.from);
        tape.all(&mut self.input.poses);
    }

    fn is_sound(&mut self) -> bool {
        let (steps, fastest) = (self.clock.steps(), u64::from(self.groups[0].rate));
        let input = &self.input;
        self.clock.is_sound()
            && self.groups.iter().all(|group| group.steps == steps * u64::from(group.rate) / fastest)
            && self.check_air().is_ok()
            && all_sound(&self.colliders)
            && all_within(&self.tips, OUTERMOST)
            && [&self.centers_now, &self.from_parents, &self.from_centers].iter().all(|all| all_within(all, OUTERMOST))
            && all_within(&self.from, OUTERMOST)
            && [&input.parents, &input.centers].iter().all(|all| all_within(all, FARTHEST))
            && all_within(&input.poses, FARTHEST)
    }

    fn restored(&mut self) {
        self.take_frames();
        for row in &mut self.rows {
            row.settled = false;
        }
        // What it would refuse is not sound.
        let read = self.read_inputs();
        debug_assert!(read.is_ok());
        self.show();
    }
}
