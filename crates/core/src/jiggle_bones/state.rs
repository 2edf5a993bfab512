//! Beginning anew, carrying along with a body that was put somewhere else, saving and putting back.

use super::{Frame, JiggleBones, LONGEST, MATRIX, NONE, OUTERMOST, POSE, affine};
use crate::clock::Clock;
use crate::collider::{Collider, STRIDE, out_of_reach, within_reach};
use crate::error::{Error, Result};
use crate::lanes::{F4, ON, V3, greater, less, splat};
use crate::spatial::M3;
use glam::{Mat3, Mat4};
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
        for group in &mut self.groups {
            group.clock = clock(group.rate);
            group.fresh = true;
        }
        for row in &mut self.rows {
            row.settled = false;
            (row.head, row.at, row.was) = (V3::ZERO, V3::ZERO, V3::ZERO);
        }
        (self.fresh, self.carry, self.newest) = (true, false, true);
        self.status = [0];
        for r in 0..self.rows.len() {
            let pose = r * POSE..(r + 1) * POSE;
            let row = &mut self.rows[r];
            row.moving = false;
            row.pose(&self.from[pose.clone()], &self.input.poses[pose], 1.0);
            (row.swing, row.swing_last) = (row.axis, row.axis);
        }
        self.show();
    }

    /// Moves tips, and what the next call interpolates from, by a world matrix.
    pub(super) fn carry_all(&mut self, matrix: &[f32; 16]) -> Result<()> {
        if let Some(bad) = matrix.iter().find(|v| !within_reach(v)) {
            return Err(out_of_reach("a number of the matrix", "", *bad));
        }
        let m = Mat4::from_cols_array(matrix);
        let is_affine = [m.x_axis.w, m.y_axis.w, m.z_axis.w, m.w_axis.w] == [0.0, 0.0, 0.0, 1.0];
        if !is_affine || Mat3::from_mat4(m).determinant() == 0.0 {
            return Err(Error::input("teleport takes an affine matrix that can be inverted"));
        }
        let [x, y, z, o] = [m.x_axis, m.y_axis, m.z_axis, m.w_axis].map(|c| V3::splat([c.x, c.y, c.z]));
        let (turn, shift) = (M3 { x, y, z }, o);
        let carried = |raw: &[F4; MATRIX]| {
            let (matrix, origin) = affine(raw);
            let (m, o) = (turn.after(&matrix), turn.times(origin) + shift);
            [m.x.x, m.x.y, m.x.z, m.y.x, m.y.y, m.y.z, m.z.x, m.z.y, m.z.z, o.x, o.y, o.z]
        };
        let far = |raw: &[F4; MATRIX]| !raw.iter().all(|v| less(v.abs(), splat(crate::collider::FARTHEST)).all());
        let frames = self.blocks.iter().map(|b| b.from.raw).chain(self.centers.iter().map(|c| c.from.raw));
        if frames.map(|raw| carried(&raw)).any(|raw| far(&raw)) {
            return Err(Error::input("teleport takes the bones farther than 1000000 m"));
        }
        for row in &mut self.rows {
            row.head = turn.times(row.head) + shift;
            (row.at, row.was) = (turn.times(row.at), turn.times(row.was));
        }
        for block in &mut self.blocks {
            block.from = Frame::of(&carried(&block.from.raw));
        }
        for center in &mut self.centers {
            center.from = Frame::of(&carried(&center.from.raw));
            for now in &mut center.now {
                *now = (turn.after(&now.0), turn.times(now.1) + shift);
            }
        }
        Ok(())
    }

    /// Carries along the strands whose roots have moved or turned so far in this frame that they were put there.
    pub(super) fn follow_jumps(&mut self) {
        let all = self.carry;
        self.carry = false;
        let far = self.options.teleport_distance.map_or(f32::INFINITY, |far| far * far);
        let mut some = false;
        for block in &mut self.blocks {
            let way = block.to.origin - block.from.origin;
            block.jumped = if all { splat(ON) } else { greater(way.dot(way), splat(far)) };
            if !all && block.from.raw != block.to.raw {
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
            let (mut turn, mut shift, mut mask) = (M3::IDENTITY, V3::ZERO, F4::ZERO);
            for lane in 0..4 {
                let source = block.source[lane];
                let (root, other) = (source as usize / 4, source as usize % 4);
                if source == NONE || self.blocks[root].jumped.as_array()[other].to_bits() == 0 {
                    continue;
                }
                let root = &self.blocks[root];
                let (t, s) = super::step::moved(&affine(&root.from.raw), &affine(&root.to.raw));
                turn.x.set(lane, t.x.get(other));
                turn.y.set(lane, t.y.get(other));
                turn.z.set(lane, t.z.get(other));
                shift.set(lane, s.get(other));
                mask.as_mut_array()[lane] = ON;
                let center = block.centers[lane];
                if center != NONE {
                    let (c, l) = (&mut self.centers[center as usize / 4], center as usize % 4);
                    let mut raw = c.from.raw;
                    for (from, to) in raw.iter_mut().zip(&c.to.raw) {
                        from.as_mut_array()[l] = to.as_array()[l];
                    }
                    c.from = Frame::of(&raw);
                    let (matrix, origin) = affine(&raw);
                    for now in &mut c.now {
                        now.0.x.set(l, matrix.x.get(l));
                        now.0.y.set(l, matrix.y.get(l));
                        now.0.z.set(l, matrix.z.get(l));
                        now.1.set(l, origin.get(l));
                    }
                }
            }
            if !mask.any() {
                continue;
            }
            for r in block.row..block.row + block.rows {
                let row = &mut self.rows[r];
                row.head = V3::select(mask, turn.times(row.head) + shift, row.head);
                row.at = V3::select(mask, turn.times(row.at), row.at);
                row.was = V3::select(mask, turn.times(row.was), row.was);
                let pose = r * POSE..(r + 1) * POSE;
                for (from, to) in self.from[pose.clone()].iter_mut().zip(&self.input.poses[pose]) {
                    *from = crate::lanes::select(mask, *to, *from);
                }
            }
        }
        for block in &mut self.blocks {
            if block.jumped.any() {
                let mut raw = block.from.raw;
                for (from, to) in raw.iter_mut().zip(&block.to.raw) {
                    *from = crate::lanes::select(block.jumped, *to, *from);
                }
                block.from = Frame::of(&raw);
            }
        }
        self.read_inputs();
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

    /// Calls `visit` with all that a snapshot holds in registers.
    fn state(&mut self, mut visit: impl FnMut(&mut F4)) {
        let mut vector = |v: &mut V3| [&mut v.x, &mut v.y, &mut v.z].into_iter().for_each(&mut visit);
        for row in &mut self.rows {
            let tips = [&mut row.head, &mut row.at, &mut row.was, &mut row.swing, &mut row.swing_last];
            tips.into_iter().for_each(&mut vector);
        }
        for (m, o) in self.centers.iter_mut().flat_map(|center| &mut center.now).chain(&mut self.worlds) {
            [&mut m.x, &mut m.y, &mut m.z, o].into_iter().for_each(&mut vector);
        }
        let frames = self.blocks.iter_mut().map(|b| &mut b.from).chain(self.centers.iter_mut().map(|c| &mut c.from));
        frames.flat_map(|frame| &mut frame.raw).for_each(&mut visit);
        let inputs = self.input.poses.iter_mut().chain(&mut self.input.parents).chain(&mut self.input.centers);
        self.from.iter_mut().chain(inputs).for_each(&mut visit);
    }

    /// The exact state as bytes.
    pub(super) fn save(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.make().to_le_bytes());
        for group in &self.groups {
            let (owed, steps) = group.clock.state();
            bytes.extend(owed.to_bits().to_le_bytes());
            bytes.extend(steps.to_le_bytes());
            bytes.extend(u32::from(group.fresh).to_le_bytes());
        }
        let flags = [self.fresh, self.carry, self.newest].map(u32::from);
        bytes.extend(flags.into_iter().flat_map(u32::to_le_bytes));
        let air = self.input.wind.iter().chain(&self.input.gravity);
        let poses = self.colliders.iter().flat_map(|c| &c.pose).chain(&self.input.colliders);
        bytes.extend(air.chain(poses).flat_map(|v| v.to_le_bytes()));
        self.clone().state(|v| bytes.extend(v.to_array().into_iter().flat_map(f32::to_le_bytes)));
        bytes
    }

    /// Takes what `save` gave, or nothing of it.
    pub(super) fn load(&mut self, bytes: &[u8]) -> Option<()> {
        let mut words = bytes.strip_prefix(MAGIC)?.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b));
        let mut long = || Some(u64::from(words.next()?) | u64::from(words.next()?) << 32);
        if long()? != self.make() || bytes.len() != self.save().len() {
            return None;
        }
        let mut next = self.clone();
        for group in &mut next.groups {
            let mut long = || Some(u64::from(words.next()?) | u64::from(words.next()?) << 32);
            let owed = f64::from_bits(long()?);
            let steps = long()?;
            if !(owed.abs() <= 1.0) {
                return None;
            }
            group.clock.set_state((owed, steps));
            group.fresh = words.next()? != 0;
        }
        (next.fresh, next.carry, next.newest) = (words.next()? != 0, words.next()? != 0, words.next()? != 0);
        let mut numbers = words.map(f32::from_bits);
        let air = next.input.wind.iter_mut().chain(&mut next.input.gravity);
        let poses = next.colliders.iter_mut().flat_map(|c| &mut c.pose).chain(&mut next.input.colliders);
        for v in air.chain(poses) {
            *v = numbers.next()?;
        }
        let mut sound = true;
        next.state(|v| {
            for lane in v.as_mut_array() {
                *lane = numbers.next().unwrap_or(f32::NAN);
                sound &= lane.abs() <= OUTERMOST;
            }
        });
        let colliders = next.input.colliders.as_chunks::<STRIDE>().0.iter().zip(&next.colliders);
        let placed = colliders.map(|(pose, collider)| Collider { pose: *pose, ..*collider });
        sound &= placed.chain(next.colliders.iter().copied()).all(|collider| collider.check(0).is_ok());
        if !sound || next.check_inputs().is_err() {
            return None;
        }
        for row in &mut next.rows {
            row.settled = false;
        }
        for block in &mut next.blocks {
            block.from = Frame::of(&block.from.raw);
        }
        for center in &mut next.centers {
            center.from = Frame::of(&center.from.raw);
        }
        next.read_inputs();
        next.show();
        *self = next;
        Some(())
    }

    /// A digest of tips, their velocities and the steps.
    pub(super) fn digest(&self) -> u64 {
        let mut bytes: Vec<u8> = self.groups.iter().flat_map(|group| group.clock.state().1.to_le_bytes()).collect();
        let mut add = |v: &V3, lane: usize| bytes.extend(v.get(lane).into_iter().flat_map(f32::to_le_bytes));
        for joint in &self.joints {
            let (row, lane) = (&self.rows[joint.slot as usize / 4], joint.slot as usize % 4);
            add(&row.at, lane);
            add(&row.was, lane);
        }
        xxh64(&bytes, 0)
    }

    /// What tests look at: where the tip of a joint is.
    #[cfg(test)]
    pub(super) fn tip(&self, joint: usize) -> glam::Vec3 {
        let slot = self.joints[joint].slot as usize;
        let row = &self.rows[slot / 4];
        glam::Vec3::from_array((row.head + row.at).get(slot % 4))
    }
}
