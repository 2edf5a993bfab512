//! One fixed step.

use super::{Block, JiggleBones, NONE, POSE, Row};
use crate::lanes::{F4, ON, V3, greater, less, select, splat};
use crate::rng;
use crate::spatial::{M3, Q4, direction, mix, perpendicular};

/// A tip this deep inside a collider, in metres, counts as outside: rounding alone leaves some a little inside.
const SETTLED: f32 = 1e-6;

/// What acts on all tips of a step.
struct Air {
    gravity: V3,
    /// Wind that blows on each lane.
    wind: V3,
    blows: bool,
    fresh: bool,
    iterations: u32,
}

impl Row {
    /// The pose at the place `t` between the last frame and this one.
    #[inline(always)]
    pub(super) fn pose(&mut self, from: &[F4], to: &[F4], t: f32) {
        if self.settled {
            return;
        }
        let v = |p: &[F4], i: usize| V3 { x: p[i], y: p[i + 1], z: p[i + 2] };
        let q = |p: &[F4]| Q4 { v: v(p, 3), w: p[6] };
        if t == 1.0 || !self.moving {
            self.position = v(to, 0);
            self.rotation = q(to).normalized();
            self.scale = v(to, 7);
            self.settled = true;
        } else {
            let t = splat(t);
            self.position = mix(v(from, 0), v(to, 0), t);
            self.rotation = q(from).normalized().towards(q(to).normalized(), t);
            self.scale = mix(v(from, 7), v(to, 7), t);
        }
        self.turn = self.rotation.matrix();
        let arm = V3 { x: self.tip.x * self.scale.x, y: self.tip.y * self.scale.y, z: self.tip.z * self.scale.z };
        (self.axis, self.length) = direction(arm, M3::IDENTITY.y);
        self.side = perpendicular(self.axis);
        if let Some(limit) = &mut self.limit {
            limit.limit.face(self.axis, &limit.own);
        }
    }

    /// Sets the tips to the bones' lengths and within their limits.
    #[inline(always)]
    fn hold(&mut self, bone: &M3) {
        let (swing, length) = direction(bone.back(self.at), self.axis);
        self.swing = V3::select(self.live & greater(length, F4::ZERO), swing, self.axis);
        if let Some(limit) = &self.limit {
            self.swing = V3::select(self.live, limit.limit.hold(self.swing), self.axis);
        }
        self.at = bone.times(self.swing * self.length);
    }
}

impl JiggleBones {
    /// Runs one step of the fastest group, and of each slower one whose turn it is.
    pub(super) fn step(&mut self) {
        self.ran += 1;
        for g in 0..self.groups.len() {
            let group = &mut self.groups[g];
            // Slower ones are spread over the steps of the call.
            let turn = u64::from(self.ran) * u64::from(group.due) / u64::from(if self.due > 0 { self.due } else { 1 });
            if u64::from(group.ran) >= turn {
                continue;
            }
            group.ran += 1;
            if self.reread {
                group.clock.begin_one();
            }
            let place = group.clock.advance();
            let time = group.clock.time();
            self.step_group(g, if self.options.interpolate { place } else { 1.0 }, time);
            self.groups[g].fresh = false;
        }
        self.reread = false;
    }

    fn step_group(&mut self, g: usize, t: f32, time: f64) {
        for (i, collider) in self.colliders.iter().enumerate() {
            let to = self.input.colliders.as_chunks().0.get(i);
            self.solids[i] = collider.towards(to.copied().unwrap_or(collider.pose), t).solid();
        }
        for center in self.centers.iter_mut().filter(|_| self.centred) {
            let now = center.from.towards(&center.to, t);
            center.step = moved(&center.now[g], &now);
            center.now[g] = now;
        }
        let mut air = Air {
            gravity: V3::splat(self.input.gravity),
            wind: V3::ZERO,
            blows: self.input.wind != [0.0; 3],
            fresh: self.groups[g].fresh,
            iterations: self.options.iterations,
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

    /// Steps four strands, joint after joint. Says which of them stopped being finite and were put back to rest.
    fn step_block(&mut self, b: usize, t: f32, air: &Air) -> F4 {
        let block = &self.blocks[b];
        let (mut matrix, mut origin) =
            if block.nested { gather(&self.worlds, block) } else { block.from.towards(&block.to, t) };
        let carry = if block.centred { Some(self.center_of(block)) } else { None };
        let block = &self.blocks[b];
        let mut lost = F4::ZERO;
        for r in block.row..block.row + block.rows {
            let row = &mut self.rows[r];
            let pose = r * POSE..(r + 1) * POSE;
            row.pose(&self.from[pose.clone()], &self.input.poses[pose], t);
            row.swing_last = row.swing;
            let bone = matrix.after(&row.turn);
            let head = origin + matrix.times(row.position);
            let arm = bone.times(row.axis * row.length);
            if air.fresh {
                (row.at, row.was, row.head) = (arm, arm, head);
                row.swing_last = row.axis;
            }
            if let Some((turn, shift)) = &carry {
                let moved = turn.times(row.head) + *shift - row.head;
                row.at = mix(row.at, turn.times(row.at) + moved, block.carried);
                row.was = mix(row.was, turn.times(row.was) + moved, block.carried);
            }
            let away = head - row.head;
            row.head = head;
            (row.at, row.was) = (row.at - away, row.was - away);
            let velocity = V3 {
                x: (row.at.x - row.was.x) * row.keep,
                y: (row.at.y - row.was.y) * row.keep,
                z: (row.at.z - row.was.z) * row.keep,
            };
            row.was = row.at;
            row.at = row.at + velocity;
            row.at = row.at + (arm - row.at) * row.stiffness;
            if row.pushes {
                row.at = row.at + direction(arm, V3::ZERO).0 * row.push;
            }
            row.at = row.at + row.gravity + air.gravity * row.pull;
            if air.blows {
                row.at = row.at + air.wind * row.breeze;
            }
            row.hold(&bone);

            if !block.colliders.is_empty() {
                let mut free = row.live;
                for pass in 0..air.iterations {
                    let mut touched = F4::ZERO;
                    for (collider, mask) in &block.colliders {
                        let solid = &self.solids[*collider as usize];
                        let (out, distance) = solid.separation(head + row.at);
                        let depth = row.radius - distance;
                        let inside = free & *mask & greater(depth, splat(SETTLED));
                        if inside.any() {
                            touched |= inside;
                            row.at = row.at + out * select(inside, depth, F4::ZERO);
                            solid.drag(&row.at, &mut row.was, out, inside);
                            row.hold(&bone);
                        }
                    }
                    free &= touched;
                    if pass == 0 {
                        free = select(row.once, F4::ZERO, free);
                    }
                    if !free.any() {
                        break;
                    }
                }
            }

            // A comparison with what is not a number is off.
            let finite = less(size(row.at) + size(head), splat(super::OUTERMOST));
            if !finite.all() {
                lost |= select(finite, F4::ZERO, splat(ON));
                let arm = V3::select(less(size(arm), splat(super::OUTERMOST)), arm, V3::ZERO);
                row.at = V3::select(finite, row.at, arm);
                row.was = V3::select(finite, row.was, arm);
                row.head = V3::select(less(size(head), splat(super::OUTERMOST)), head, V3::ZERO);
                row.swing = V3::select(finite, row.swing, row.axis);
                row.swing_last = V3::select(finite, row.swing_last, row.axis);
            }
            if row.branches || r + 1 < block.row + block.rows {
                matrix = bone.after(&M3::between(row.axis, row.swing, row.side)).scaled(row.scale);
                origin = head;
                if row.branches {
                    self.worlds[r] = (matrix, origin);
                }
            }
        }
        lost
    }

    /// What the centres of a block's strands have been moved by in this step.
    fn center_of(&self, block: &Block) -> (M3, V3) {
        let (mut matrix, mut shift) = (M3::IDENTITY, V3::ZERO);
        for lane in 0..4 {
            let center = block.centers[lane];
            if center != NONE {
                let (from, shift_from) = &self.centers[center as usize / 4].step;
                let other = center as usize % 4;
                matrix.x.set(lane, from.x.get(other));
                matrix.y.set(lane, from.y.get(other));
                matrix.z.set(lane, from.z.get(other));
                shift.set(lane, shift_from.get(other));
            }
        }
        (matrix, shift)
    }

    /// How strongly the wind blows on each strand of a block: smooth noise of simulated time, a little later from strand to
    /// strand. Two octaves, of 0.7 and 2.3 a second.
    fn gust(&self, b: usize, time: f64) -> F4 {
        let mut strengths = [0.0; 4];
        for (lane, strength) in strengths.iter_mut().enumerate() {
            let chain = self.blocks[b].chains[lane];
            let seed = u64::from(self.options.seed) << 32;
            let late = f64::from(rng::signed(seed ^ u64::from(chain))) * 0.3;
            let noise =
                smooth_noise(seed, (time - late) * 0.7) + 0.4 * smooth_noise(seed + (1 << 31), (time - late) * 2.3);
            *strength = 1.0 + self.options.gusts * noise;
        }
        F4::new(strengths)
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

/// What takes one matrix to another; nothing where the first is flat.
pub(super) fn moved(from: &(M3, V3), to: &(M3, V3)) -> (M3, V3) {
    let m = &from.0;
    let (yz, zx, xy) = (m.y.cross(m.z), m.z.cross(m.x), m.x.cross(m.y));
    let volume = yz.dot(m.x);
    let some = greater(volume * volume, splat(1e-30));
    let per = F4::ONE / select(some, volume, F4::ONE);
    // The rows of the inverse are these; its columns therefore:
    let inverse = M3 {
        x: V3 { x: yz.x, y: zx.x, z: xy.x } * per,
        y: V3 { x: yz.y, y: zx.y, z: xy.y } * per,
        z: V3 { x: yz.z, y: zx.z, z: xy.z } * per,
    };
    let turn = to.0.after(&inverse);
    let turn = M3 {
        x: V3::select(some, turn.x, M3::IDENTITY.x),
        y: V3::select(some, turn.y, M3::IDENTITY.y),
        z: V3::select(some, turn.z, M3::IDENTITY.z),
    };
    (turn, to.1 - turn.times(from.1))
}

/// The matrices of the joints on which a block's strands hang.
pub(super) fn gather(worlds: &[(M3, V3)], block: &Block) -> (M3, V3) {
    let (mut matrix, mut origin) = (M3::IDENTITY, V3::ZERO);
    for lane in 0..4 {
        let parent = block.parents[lane];
        if parent != NONE {
            let (m, o) = &worlds[parent as usize / 4];
            let other = parent as usize % 4;
            matrix.x.set(lane, m.x.get(other));
            matrix.y.set(lane, m.y.get(other));
            matrix.z.set(lane, m.z.get(other));
            origin.set(lane, o.get(other));
        }
    }
    (matrix, origin)
}
