//! Beginning anew, carrying all somewhere else, saving and putting back.

use super::pose::origin_near;
use super::{Body, MAX_STEPS, Mode, OUTERMOST, Ragdoll, STEP, lane_mask};
use crate::clock::Clock;
use crate::collider::{Collider, STRIDE, within_reach};
use crate::error::{Error, Result};
use crate::lanes::{F4, ON, V3, splat};
use crate::simulation::read_matrix;
use crate::spatial::{Affine, M3};
use bytemuck::Zeroable;
use xxhash_rust::xxh64::xxh64;

/// First bytes of a snapshot: what it is, and which layout.
const MAGIC: &[u8; 8] = b"LBragdl2";

/// How far the columns of a rotation may be from unit length and right angles.
const STRAIGHT: f32 = 1e-3;

impl Ragdoll {
    /// Bodies with bones are animated; those without lie where they were put, with the velocity that they were given.
    pub(super) fn restart(&mut self) {
        self.clock = Clock::new(STEP, MAX_STEPS);
        (self.frames, self.newest, self.exact) = (0, true, false);
        self.due = None;
        self.output.status = [0, 0];
        for (collider, pose) in self.colliders.iter_mut().zip(self.input.colliders.as_chunks().0) {
            collider.pose = *pose;
        }
        self.now.clone_from(&self.colliders);
        self.gravity = self.input.gravity;
        self.state.blocks.fill(super::Block::zeroed());
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
        let m = read_matrix(matrix)?;
        let [x, y, z, origin] = [m.x_axis, m.y_axis, m.z_axis, m.w_axis].map(|c| V3::splat([c.x, c.y, c.z]));
        let (axes, one) = (M3 { x, y, z }, M3::IDENTITY);
        let off = |v: V3, to: V3| {
            let off = v - to;
            off.x.abs().as_array()[0] + off.y.abs().as_array()[0] + off.z.abs().as_array()[0]
        };
        let square = M3 { x: axes.transposed_times(x), y: axes.transposed_times(y), z: axes.transposed_times(z) };
        let turned = x.cross(y).dot(z).as_array()[0] > 0.0;
        if !turned || off(square.x, one.x) + off(square.y, one.y) + off(square.z, one.z) > STRAIGHT {
            return Err(Error::input("teleport takes a matrix that turns and moves a ragdoll, and does not scale it"));
        }
        let way = Affine { axes, origin };
        let n = self.build.points.len();
        let places: Vec<V3> = self.state.blocks.iter().map(|block| way.times(block.origin)).collect();
        if places.iter().any(|p| [p.x, p.y, p.z].iter().any(|v| !v.to_array().iter().all(within_reach))) {
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

    /// What makes two of them able to exchange snapshots: bodies, points, links, bones and what their colliders are.
    fn make(&self) -> u64 {
        let build = &self.build;
        let counts = [self.bodies.len(), build.points.len(), build.joints.len(), build.roots, build.limits.len()];
        let links = build.links.iter().flat_map(|link| [link.a, link.b, u32::from(link.min)]);
        let bones = build.bones.iter().flat_map(|bone| [bone.joint, bone.points[0], bone.points[1], bone.points[2]]);
        let shapes = self.colliders.iter().map(Collider::kind);
        let all = counts.into_iter().map(|count| count as u32).chain(links).chain(bones).chain(shapes);
        let bytes: Vec<u8> = all.flat_map(u32::to_le_bytes).collect();
        xxh64(&bytes, 0)
    }

    /// All that a snapshot holds in registers.
    fn parts(&self) -> [&[f32]; 25] {
        use bytemuck::cast_slice;
        let state = &self.state;
        [
            cast_slice(&state.at),
            cast_slice(&state.was),
            cast_slice(&state.last),
            cast_slice(&state.mark),
            cast_slice(&state.goal_from),
            cast_slice(&state.goal),
            cast_slice(&state.weight),
            cast_slice(&state.mass),
            cast_slice(&state.rows),
            cast_slice(&state.seeds),
            cast_slice(&state.wanted),
            cast_slice(&state.blocks),
            cast_slice(&state.slack),
            cast_slice(&state.gaps),
            cast_slice(&state.sunk),
            cast_slice(&state.held),
            cast_slice(&self.output.rotations),
            cast_slice(&self.output.places),
            cast_slice(&self.from.poses),
            cast_slice(&self.from.parents),
            cast_slice(&self.to.poses),
            cast_slice(&self.to.parents),
            cast_slice(&self.input.frame.poses),
            cast_slice(&self.input.frame.parents),
            &self.input.strengths,
        ]
    }

    /// The same, to be written.
    fn parts_mut(&mut self) -> [&mut [f32]; 25] {
        use bytemuck::cast_slice_mut;
        let state = &mut self.state;
        [
            cast_slice_mut(&mut state.at),
            cast_slice_mut(&mut state.was),
            cast_slice_mut(&mut state.last),
            cast_slice_mut(&mut state.mark),
            cast_slice_mut(&mut state.goal_from),
            cast_slice_mut(&mut state.goal),
            cast_slice_mut(&mut state.weight),
            cast_slice_mut(&mut state.mass),
            cast_slice_mut(&mut state.rows),
            cast_slice_mut(&mut state.seeds),
            cast_slice_mut(&mut state.wanted),
            cast_slice_mut(&mut state.blocks),
            cast_slice_mut(&mut state.slack),
            cast_slice_mut(&mut state.gaps),
            cast_slice_mut(&mut state.sunk),
            cast_slice_mut(&mut state.held),
            cast_slice_mut(&mut self.output.rotations),
            cast_slice_mut(&mut self.output.places),
            cast_slice_mut(&mut self.from.poses),
            cast_slice_mut(&mut self.from.parents),
            cast_slice_mut(&mut self.to.poses),
            cast_slice_mut(&mut self.to.parents),
            cast_slice_mut(&mut self.input.frame.poses),
            cast_slice_mut(&mut self.input.frame.parents),
            &mut self.input.strengths,
        ]
    }

    /// The exact state as bytes.
    pub(super) fn save(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let mut long = |v: u64| bytes.extend(v.to_le_bytes());
        long(self.make());
        let (owed, steps) = self.clock.state();
        for v in [owed.to_bits(), steps, self.between.to_bits(), u64::from(self.frames)] {
            long(v);
        }
        long(self.due.unwrap_or(0.0).to_bits());
        long(u64::from(self.newest));
        for body in &self.bodies {
            long(body.mode as u64);
            long(body.elapsed.to_bits());
            long(body.duration.to_bits());
        }
        let poses = |all: &[Collider]| all.iter().flat_map(|c| c.pose).collect::<Vec<f32>>();
        let air = [self.pace.seconds].into_iter().chain(self.gravity).chain(self.input.gravity);
        let numbers = air.chain(poses(&self.colliders)).chain(poses(&self.now)).chain(self.input.colliders.clone());
        let numbers: Vec<f32> = numbers.chain(self.parts().into_iter().flatten().copied()).collect();
        bytes.extend(numbers.iter().flat_map(|v| v.to_le_bytes()));
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
        let (between, frames) = (f64::from_bits(longs.next()?), longs.next()?);
        let (due, newest) = (f64::from_bits(longs.next()?), longs.next()?);
        let sound_due = (0.0..f64::INFINITY).contains(&due);
        let sound =
            sound_due && owed.abs() <= 1.0 && steps <= 1 << 52 && between > 0.0 && between.is_finite() && frames <= 2;
        let mut bodies = Vec::with_capacity(self.bodies.len());
        for _ in &self.bodies {
            let mode = [Mode::Animated, Mode::Limp, Mode::GettingUp].get(longs.next()? as usize).copied()?;
            let (elapsed, duration) = (f64::from_bits(longs.next()?), f64::from_bits(longs.next()?));
            if !((-1.0..f64::INFINITY).contains(&elapsed) && (0.0..=60.0).contains(&duration)) {
                return None;
            }
            bodies.push(Body { mode, elapsed, duration });
        }
        let numbers: Vec<f32> =
            bytes.get(64 + 24 * bodies.len()..)?.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let (air, rest) = numbers.split_at_checked(7)?;
        let (poses, parts) = rest.split_at_checked(3 * self.input.colliders.len())?;
        let same = self.colliders.iter().cycle().zip(poses.as_chunks::<STRIDE>().0);
        let in_reach = |v: &f32| v.abs() <= OUTERMOST;
        let sound = sound
            && air.iter().all(within_reach)
            && air[0] > 0.0
            && same.into_iter().all(|(collider, pose)| Collider { pose: *pose, ..*collider }.check(0).is_ok());
        // Masks are no numbers; all else is.
        let (mut first, mut masks) = (0, 0..0);
        for (i, part) in self.parts().iter().enumerate() {
            if i == BLOCKS {
                masks = first..first + part.len();
            }
            first += part.len();
        }
        let rest = parts[..masks.start].iter().chain(&parts[masks.end..]);
        let wide = size_of::<super::Block>() / 4;
        let blocks = parts[masks].chunks(wide).flat_map(|block| block[..16].iter().chain(&block[wide - 4..]));
        let strengths = &parts[parts.len() - self.input.strengths.len()..];
        let sound = sound && strengths.iter().all(|v| (0.0..=1.0).contains(v));
        if !sound || !rest.chain(blocks).all(in_reach) {
            return None;
        }
        self.clock.set_state((owed, steps));
        (self.between, self.frames, self.newest) = (between, frames as u32, newest != 0);
        self.due = (due > 0.0).then_some(due);
        self.bodies = bodies;
        self.gravity.copy_from_slice(&air[1..4]);
        self.input.gravity.copy_from_slice(&air[4..]);
        let mut poses = poses.as_chunks::<STRIDE>().0.iter();
        for collider in self.colliders.iter_mut().chain(&mut self.now) {
            collider.pose = *poses.next()?;
        }
        for (into, pose) in self.input.colliders.as_chunks_mut().0.iter_mut().zip(poses) {
            *into = *pose;
        }
        let mut parts = parts.iter();
        for (into, v) in self.parts_mut().into_iter().flatten().zip(&mut parts) {
            *into = *v;
        }
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
        // Velocities are a small step's: of the options that were then.
        let ratio = splat(self.pace.seconds / air[0]);
        if self.pace.seconds != air[0] {
            for (at, was) in self.state.at.iter().zip(&mut self.state.was) {
                *was = *at - (*at - *was) * ratio;
            }
        }
        self.show();
        Some(())
    }

    /// A digest of what is limp, of what each body does, and of the steps.
    pub(super) fn digest(&self) -> u64 {
        let mut bytes = self.clock.steps().to_le_bytes().to_vec();
        let n = self.build.points.len();
        for (i, body) in self.bodies.iter().enumerate() {
            bytes.push(body.mode as u8);
            bytes.extend(body.elapsed.to_le_bytes());
            if body.mode == Mode::Limp {
                let (b, lane) = (i / 4, i % 4);
                let mut add = |v: &V3| bytes.extend(v.get(lane).into_iter().flat_map(f32::to_le_bytes));
                add(&self.state.blocks[b].origin);
                for p in b * n..(b + 1) * n {
                    add(&self.state.at[p]);
                    add(&self.state.was[p]);
                }
            }
        }
        xxh64(&bytes, 0)
    }
}

/// Which of the parts of a snapshot the blocks are.
const BLOCKS: usize = 11;
