//! One fixed step.

use super::{Block, JiggleBones, OUTERMOST, Pose, Row, Tip, gather};
use crate::collider::Solid;
use crate::lanes::{F4, ON, V3, greater, less, select, splat};
use crate::rng;
use crate::spatial::{Affine, M3, direction, mix, perpendicular};

/// A tip this deep inside a collider, in metres, counts as outside: rounding alone leaves some a little inside.
const SETTLED: f32 = 1e-6;

/// What acts on all tips of a step.
struct Air {
    gravity: V3,
    /// Wind that blows on each lane.
    wind: V3,
    blows: bool,
    iterations: u32,
    /// The first step.
    fresh: bool,
}

impl Row {
    /// The pose at the place `t` between the last frame's and this one's.
    #[inline(never)]
    pub(super) fn pose(&mut self, from: &Pose, to: &Pose, t: f32) {
        self.pose = *to;
        self.settled = t == 1.0 || !self.moving;
        self.pose.rotation = to.rotation.normalized();
        if !self.settled {
            let t = splat(t);
            self.pose = Pose {
                position: mix(from.position, to.position, t),
                rotation: from.rotation.normalized().towards(self.pose.rotation, t),
                scale: mix(from.scale, to.scale, t),
            };
        }
        self.turn = self.pose.rotation.matrix();
        let scale = self.pose.scale;
        let arm = V3 { x: self.tip.x * scale.x, y: self.tip.y * scale.y, z: self.tip.z * scale.z };
        (self.axis, self.length) = direction(arm, M3::IDENTITY.y);
        self.side = perpendicular(self.axis);
        if let Some(limit) = &mut self.limit {
            limit.limit.face(self.axis, &limit.own);
        }
    }

    /// Sets the tips to the bones' lengths and within their limits.
    #[inline(never)]
    fn hold(&self, tip: &mut Tip, bone: &M3) {
        let (swing, length) = direction(bone.back(tip.at), self.axis);
        tip.swing = V3::select(self.live & greater(length, F4::ZERO), swing, self.axis);
        if let Some(limit) = &self.limit {
            tip.swing = V3::select(self.live, limit.limit.hold(tip.swing), self.axis);
        }
        tip.at = bone.times(tip.swing * self.length);
    }

    /// One step under a world matrix. Gives the bones' matrices without swing, and on where all is finite still.
    #[inline(always)]
    fn step(
        &self,
        tip: &mut Tip,
        block: &Block,
        world: &Affine,
        carry: &Option<Affine>,
        solids: &[Solid],
        air: &Air,
    ) -> (M3, F4) {
        tip.swing_last = tip.swing;
        let bone = world.axes.after(&self.turn);
        let head = world.times(self.pose.position);
        let arm = bone.times(self.axis * self.length);
        if air.fresh {
            // In the sheet a child begins at rest on a parent that has stepped already; in VRM all do before any has.
            tip.head = V3::select(self.once, tip.head, head);
            tip.at = V3::select(self.once, tip.at, arm);
            tip.was = tip.at;
        }
        if let Some(step) = carry {
            let moved = step.times(tip.head) - tip.head;
            tip.at = mix(tip.at, step.axes.times(tip.at) + moved, block.carried);
            tip.was = mix(tip.was, step.axes.times(tip.was) + moved, block.carried);
        }
        let away = head - tip.head;
        tip.head = head;
        let velocity = (tip.at - tip.was) * self.keep;
        tip.was = tip.at - away;
        tip.at = tip.was + velocity;
        tip.at = tip.at + (arm - tip.at) * self.stiffness;
        if self.pushes {
            tip.at = tip.at + direction(arm, V3::ZERO).0 * self.push;
        }
        tip.at = tip.at + self.gravity + air.gravity * self.pull;
        if air.blows {
            tip.at = tip.at + air.wind * self.breeze;
        }
        self.hold(tip, &bone);
        if !block.colliders.is_empty() {
            self.meet(tip, &bone, &block.colliders, solids, air.iterations);
        }
        // A comparison with what is not a number is off.
        let finite = less(size(tip.at) + size(head), splat(OUTERMOST));
        if !finite.all() {
            tip.recover(finite, self, arm);
        }
        (bone, finite)
    }

    /// Pushes the tips out of the colliders until they are out of all and the lengths hold.
    #[inline(never)]
    fn meet(&self, tip: &mut Tip, bone: &M3, colliders: &[(u32, F4)], solids: &[Solid], iterations: u32) {
        let mut free = self.live;
        for pass in 0..iterations {
            let mut touched = F4::ZERO;
            for (collider, mask) in colliders {
                let Some(solid) = solids.get(*collider as usize) else { continue };
                let (out, distance) = solid.separation(tip.head + tip.at);
                let depth = self.radius - distance;
                let inside = free & *mask & greater(depth, splat(SETTLED));
                if inside.any() {
                    touched |= inside;
                    tip.at = tip.at + out * select(inside, depth, F4::ZERO);
                    solid.drag(&tip.at, &mut tip.was, out, inside);
                    self.hold(tip, bone);
                }
            }
            free &= touched;
            if pass == 0 {
                free = select(self.once, F4::ZERO, free);
            }
            if !free.any() {
                return;
            }
        }
    }
}

impl Tip {
    /// Carries tips along, where the mask is on.
    #[inline(never)]
    pub(super) fn carry(&mut self, way: &Affine, mask: F4) {
        self.head = V3::select(mask, way.times(self.head), self.head);
        for arm in [&mut self.at, &mut self.was] {
            *arm = V3::select(mask, way.axes.times(*arm), *arm);
        }
    }

    /// Puts tips that have stopped being finite back to rest.
    #[cold]
    fn recover(&mut self, finite: F4, row: &Row, arm: V3) {
        let arm = V3::select(less(size(arm), splat(OUTERMOST)), arm, V3::ZERO);
        self.at = V3::select(finite, self.at, arm);
        self.was = V3::select(finite, self.was, arm);
        self.head = V3::select(less(size(self.head), splat(OUTERMOST)), self.head, V3::ZERO);
        self.swing = V3::select(finite, self.swing, row.axis);
        self.swing_last = V3::select(finite, self.swing_last, row.axis);
    }
}

impl JiggleBones {
    /// Runs one step of the fastest group, and of each slower one whose time it has reached: which step that is does not
    /// depend on how the steps fall into calls.
    pub(super) fn step(&mut self) {
        let place = self.clock.advance();
        let (now, fastest) = (self.clock.steps(), self.groups[0].rate);
        for g in 0..self.groups.len() {
            let group = &mut self.groups[g];
            let (next, reached) = ((group.steps + 1) * u64::from(fastest), now * u64::from(group.rate));
            if next > reached {
                continue;
            }
            group.steps += 1;
            let behind = (reached - next) as f64 / f64::from(group.rate);
            let time = group.steps as f64 / f64::from(group.rate);
            let t = match behind {
                _ if self.exact || !self.options.interpolate => 1.0,
                0.0 => place,
                _ => self.clock.place_behind(behind),
            };
            self.step_group(g, t, time);
        }
        self.exact = false;
    }

    fn step_group(&mut self, g: usize, t: f32, time: f64) {
        let poses = self.input.colliders.as_chunks().0.iter();
        for ((collider, to), solid) in self.colliders.iter().zip(poses).zip(&mut self.solids) {
            *solid = collider.towards(*to, t).solid();
        }
        if self.centred {
            let first = g * self.centers.len();
            let now = self.centers_now[first..].iter_mut().zip(&mut self.center_steps);
            for (center, (now, step)) in self.centers.iter().zip(now) {
                let next = center.from.towards(&center.to, t);
                *step = now.way_to(&next);
                *now = next;
            }
        }
        let fresh = self.groups[g].fresh;
        if fresh {
            self.groups[g].fresh = false;
            self.rest(g, t);
        }
        let mut air = Air {
            gravity: V3::splat(self.input.gravity),
            wind: V3::ZERO,
            blows: self.input.wind != [0.0; 3],
            iterations: self.options.iterations,
            fresh,
        };
        let mut lost = F4::ZERO;
        for b in self.groups[g].blocks.clone() {
            if air.blows {
                air.wind = V3::splat(self.input.wind) * self.gust(b, time);
            }
            lost |= self.step_block(b, t, &air);
        }
        if lost.any() {
            self.status[0] += 1;
        }
    }

    /// Puts the tips of a group at rest, as the pose has them when nothing swings.
    #[cold]
    fn rest(&mut self, g: usize, t: f32) {
        for b in self.groups[g].blocks.clone() {
            let mut world = self.world_above(b, t);
            let block = &self.blocks[b];
            for r in block.row..block.row + block.rows {
                let (row, tip) = (&mut self.rows[r], &mut self.tips[r]);
                row.pose(&self.from[r], &self.input.poses[r], t);
                world = world.after(&Affine { axes: row.turn, origin: row.pose.position });
                let arm = world.axes.times(row.axis * row.length);
                *tip = Tip { head: world.origin, at: arm, was: arm, swing: row.axis, swing_last: row.axis };
                world.axes = world.axes.scaled(row.pose.scale);
                self.worlds[r] = world;
            }
        }
    }

    /// The matrices of what a block's strands hang on.
    fn world_above(&self, b: usize, t: f32) -> Affine {
        match &self.blocks[b] {
            block @ Block { nested: true, .. } => gather(&self.worlds, &block.parents),
            Block { moving: true, from, to, .. } => from.towards(to, t),
            Block { to, .. } => to.raw,
        }
    }

    /// Steps four strands, joint after joint. Says which of them stopped being finite and were put back to rest.
    ///
    /// Refused: the first joints of four blocks, then their second ones, so that none waits for another's roots and divisions.
    /// It is no faster.
    fn step_block(&mut self, b: usize, t: f32, air: &Air) -> F4 {
        let mut world = self.world_above(b, t);
        let block = &self.blocks[b];
        let carry = if block.centred { Some(gather(&self.center_steps, &block.centers)) } else { None };
        let mut lost = F4::ZERO;
        let end = block.row + block.rows;
        for r in block.row..end {
            let (row, tip) = (&mut self.rows[r], &mut self.tips[r]);
            if !row.settled {
                row.pose(&self.from[r], &self.input.poses[r], t);
            }
            let (bone, finite) = row.step(tip, block, &world, &carry, &self.solids, air);
            lost |= select(finite, F4::ZERO, splat(ON));
            if row.branches || r + 1 < end {
                let axes = bone.after(&M3::between(row.axis, tip.swing, row.side)).scaled(row.pose.scale);
                world = Affine { axes, origin: tip.head };
                if row.branches {
                    self.worlds[r] = world;
                }
            }
        }
        lost
    }

    /// How strongly the wind blows on each strand of a block: smooth noise of simulated time, a little later from chain to
    /// chain. Two octaves, of 0.7 and 2.3 a second.
    fn gust(&self, b: usize, time: f64) -> F4 {
        let strength = self.blocks[b].chains.map(|chain| {
            let seed = u64::from(self.options.seed) << 32;
            let late = f64::from(rng::signed(seed ^ u64::from(chain))) * 0.3;
            let noise =
                smooth_noise(seed, (time - late) * 0.7) + 0.4 * smooth_noise(seed + (1 << 31), (time - late) * 2.3);
            1.0 + self.options.gusts * noise
        });
        F4::new(strength)
    }
}

fn size(v: V3) -> F4 {
    v.x.abs() + v.y.abs() + v.z.abs()
}

/// From −1 to 1, smoothly from one whole place to the next.
fn smooth_noise(seed: u64, place: f64) -> f32 {
    // Places before 0 are few.
    let place = place + 16.0;
    let whole = place as u64;
    let t = (place - whole as f64) as f32;
    let (a, b) = (rng::signed(seed + whole), rng::signed(seed + whole + 1));
    a + (b - a) * t * t * (3.0 - 2.0 * t)
}
