//! Beginning anew, carrying along with a body that was put somewhere else, saving and putting back.

use super::{Frame, JiggleBones, LONGEST, OUTERMOST, Tip, in_reach};
use crate::clock::Clock;
use crate::collider::{Collider, STRIDE, within_reach};
use crate::error::{Error, Result};
use crate::lanes::{F4, ON, V3, greater, keep, less, splat};
use crate::simulation::read_matrix;
use crate::spatial::{Affine, M3};
use std::slice::{from_mut, from_ref};
use xxhash_rust::xxh64::xxh64;

/// First bytes of a snapshot: what it is, and which layout.
const MAGIC: &[u8; 8] = b"LBjiggl1";

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
        let m = read_matrix(matrix)?;
        let [x, y, z, origin] = [m.x_axis, m.y_axis, m.z_axis, m.w_axis].map(|c| V3::splat([c.x, c.y, c.z]));
        let way = Affine { axes: M3 { x, y, z }, origin };
        let frames = self.from_parents.iter().chain(&self.from_centers);
        if !frames.map(|raw| way.after(raw)).all(|raw| in_reach(&raw)) {
            return Err(Error::input("teleport takes the bones farther than 1000000 m"));
        }
        for tip in &mut self.tips {
            tip.head = way.times(tip.head);
            (tip.at, tip.was) = (way.axes.times(tip.at), way.axes.times(tip.was));
        }
        let frames = self.from_parents.iter_mut().chain(&mut self.from_centers).chain(&mut self.centers_now);
        frames.for_each(|raw| *raw = way.after(raw));
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
                let tip = &mut self.tips[r];
                tip.head = V3::select(mask, way.times(tip.head), tip.head);
                tip.at = V3::select(mask, way.axes.times(tip.at), tip.at);
                tip.was = V3::select(mask, way.axes.times(tip.was), tip.was);
                keep(from_mut(&mut self.from[r]), from_ref(&self.input.poses[r]), mask);
            }
        }
        for (block, raw) in self.blocks.iter().zip(&mut self.from_parents) {
            keep(from_mut(raw), from_ref(&block.to.raw), block.jumped);
        }
        self.take_frames();
    }

    /// What makes two of them able to exchange snapshots: joints, chains and what their colliders are.
    fn make(&self) -> u64 {
        let shapes = self.colliders.iter().map(Collider::kind);
        let joints = self.joints.iter().flat_map(|joint| [joint.slot, joint.chain]);
        let rates = self.groups.iter().map(|group| group.rate);
        let counts = [self.rows.len() as u32, self.blocks.len() as u32, self.centers.len() as u32];
        let bytes: Vec<u8> = joints.chain(shapes).chain(rates).chain(counts).flat_map(u32::to_le_bytes).collect();
        xxh64(&bytes, 0)
    }

    /// All that a snapshot holds in registers.
    fn parts(&self) -> [&[f32]; 8] {
        use bytemuck::cast_slice;
        [
            cast_slice(&self.tips),
            cast_slice(&self.centers_now),
            cast_slice(&self.from_parents),
            cast_slice(&self.from_centers),
            cast_slice(&self.from),
            cast_slice(&self.input.poses),
            cast_slice(&self.input.parents),
            cast_slice(&self.input.centers),
        ]
    }

    /// The same, to be written.
    fn parts_mut(&mut self) -> [&mut [f32]; 8] {
        use bytemuck::cast_slice_mut;
        [
            cast_slice_mut(&mut self.tips),
            cast_slice_mut(&mut self.centers_now),
            cast_slice_mut(&mut self.from_parents),
            cast_slice_mut(&mut self.from_centers),
            cast_slice_mut(&mut self.from),
            cast_slice_mut(&mut self.input.poses),
            cast_slice_mut(&mut self.input.parents),
            cast_slice_mut(&mut self.input.centers),
        ]
    }

    /// The exact state as bytes.
    pub(super) fn save(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let mut long = |v: u64| bytes.extend(v.to_le_bytes());
        long(self.make());
        let (owed, steps) = self.clock.state();
        long(owed.to_bits());
        long(steps);
        for group in &self.groups {
            long(group.steps);
            long(u64::from(group.fresh));
        }
        long(u64::from(self.fresh) | u64::from(self.carry) << 1 | u64::from(self.newest) << 2);
        let air = self.input.wind.iter().chain(&self.input.gravity);
        let numbers = air.chain(self.colliders.iter().flat_map(|c| &c.pose)).chain(&self.input.colliders);
        bytes.extend(numbers.chain(self.parts().into_iter().flatten()).flat_map(|v| v.to_le_bytes()));
        bytes
    }

    /// Takes what `save` gave, or nothing of it.
    pub(super) fn load(&mut self, bytes: &[u8]) -> Option<()> {
        if bytes.len() != self.save().len() {
            return None;
        }
        let mut longs = bytes.strip_prefix(MAGIC)?.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b));
        if longs.next()? != self.make() {
            return None;
        }
        let (owed, steps) = (f64::from_bits(longs.next()?), longs.next()?);
        if owed.is_nan() || owed.abs() > 1.0 || steps > 1 << 52 {
            return None;
        }
        let mut groups = Vec::new();
        let fastest = u64::from(self.groups[0].rate);
        for group in &self.groups {
            let (ran, fresh) = (longs.next()?, longs.next()? != 0);
            if ran != steps * u64::from(group.rate) / fastest {
                return None;
            }
            groups.push((ran, fresh));
        }
        let flags = longs.next()?;
        let numbers: Vec<f32> =
            bytes.get(40 + 16 * groups.len()..)?.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let (air, rest) = numbers.split_at_checked(6)?;
        let (poses, parts) = rest.split_at_checked(2 * self.input.colliders.len())?;
        let [from, to] = [0, 1].map(|i| &poses[i * self.input.colliders.len()..][..self.input.colliders.len()]);
        let same = self.colliders.iter().cycle().zip(poses.as_chunks::<STRIDE>().0);
        let sound = air.iter().all(within_reach)
            && parts.iter().all(|v| v.abs() <= OUTERMOST)
            && same.into_iter().all(|(collider, pose)| Collider { pose: *pose, ..*collider }.check(0).is_ok());
        // What JavaScript writes is held to less; it comes last.
        let inputs: usize = self.parts()[5..].iter().map(|part| part.len()).sum();
        if !sound || !parts[parts.len() - inputs..].iter().all(within_reach) {
            return None;
        }
        self.clock.set_state((owed, steps));
        for (group, (ran, fresh)) in self.groups.iter_mut().zip(groups) {
            (group.steps, group.fresh) = (ran, fresh);
        }
        (self.fresh, self.carry, self.newest) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0);
        self.input.wind.copy_from_slice(&air[..3]);
        self.input.gravity.copy_from_slice(&air[3..]);
        for (collider, pose) in self.colliders.iter_mut().zip(from.as_chunks().0) {
            collider.pose = *pose;
        }
        self.input.colliders.copy_from_slice(to);
        let mut parts = parts.iter();
        for (into, v) in self.parts_mut().into_iter().flatten().zip(&mut parts) {
            *into = *v;
        }
        self.take_frames();
        for row in &mut self.rows {
            row.settled = false;
        }
        self.read_inputs().ok()?;
        self.show();
        Some(())
    }

    /// A digest of tips, their velocities and the steps.
    pub(super) fn digest(&self) -> u64 {
        let mut bytes: Vec<u8> = self.groups.iter().flat_map(|group| group.steps.to_le_bytes()).collect();
        let mut add = |v: &V3, lane: usize| bytes.extend(v.get(lane).into_iter().flat_map(f32::to_le_bytes));
        for joint in &self.joints {
            let (tip, lane) = (&self.tips[joint.slot as usize / 4], joint.slot as usize % 4);
            add(&tip.at, lane);
            add(&tip.was, lane);
        }
        xxh64(&bytes, 0)
    }

    /// What tests look at: where the tip of a joint is.
    #[cfg(test)]
    pub(super) fn tip(&self, joint: usize) -> glam::Vec3 {
        let slot = self.joints[joint].slot as usize;
        let tip = &self.tips[slot / 4];
        glam::Vec3::from_array((tip.head + tip.at).get(slot % 4))
    }
}
