//! From bones to points: where a pose has them, and how a body goes limp.

use super::contacts::closest;
use super::limits::{Points, basis_of};
use super::{Body, Mode, NONE, Ragdoll, Seed, lane_mask};
use crate::collider::check_reach;
use crate::error::{Error, Result};
use crate::lanes::{F4, ON, V3, greater, keep, larger, less, select, smaller, splat};
use crate::spatial::{Affine, Drawn, M3, Q4, direction};
use std::slice::{from_mut, from_ref};

/// A body that moves farther in one frame, in metres, was put there.
const JUMP: f32 = 3.0;

/// A pose that changes faster than this, in lengths of the body a second, jumps: faster than any blow or kick.
const FASTEST: f64 = 25.0;

/// Which frame's pose.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Which {
    Before,
    Last,
    Now,
    /// Now, with what is drawn of bodies that get up.
    Drawn,
}

impl Ragdoll {
    /// World matrices of the joints of a block, from the place of what the first hangs on; gives that place.
    pub(super) fn place_joints(&mut self, b: usize, which: Which) -> V3 {
        let frame = match which {
            Which::Before => &self.from,
            Which::Last => &self.to,
            Which::Now | Which::Drawn => &self.input.frame,
        };
        let rising = self.lanes_of(b, Mode::GettingUp);
        let (joints, roots) = (self.build.joints.len(), self.build.roots);
        let base = frame.parents[b * roots].origin;
        for (j, joint) in self.build.joints.iter().enumerate() {
            let mut pose = frame.poses[b * joints + j];
            if which == Which::Drawn {
                let drawn = &self.output.rotations[b * joints + j].rotation;
                pose.rotation.v = V3::select(rising, drawn.v, pose.rotation.v);
                pose.rotation.w = select(rising, drawn.w, pose.rotation.w);
                pose.position = V3::select(rising, self.output.places[b * joints + j], pose.position);
            }
            let pose = pose.matrix();
            self.worlds[j] = if joint.parent == NONE {
                let above = frame.parents[b * roots + joint.root as usize];
                Affine { axes: above.axes, origin: above.origin - base }.after(&pose)
            } else {
                self.worlds[joint.parent as usize].after(&pose)
            };
        }
        base
    }

    /// On where bodies of a block are in a mode.
    pub(super) fn lanes_of(&self, b: usize, mode: Mode) -> F4 {
        let is = |lane: usize| self.bodies.get(b * 4 + lane).is_some_and(|body| body.mode == mode);
        F4::new(std::array::from_fn(|lane| if is(lane) { ON } else { 0.0 }))
    }

    /// Where the joints that were placed last carry a point of the build.
    pub(super) fn carried(&self, p: usize) -> V3 {
        let point = &self.build.points[p];
        self.worlds[point.joint as usize].times(V3::splat(point.local))
    }

    /// Lets a body fall: from the pose of the inputs, with the velocity of the last two frames or one that is given.
    pub(super) fn activate(&mut self, payload: &[f32]) -> Result<()> {
        let body = self.body(payload, 1)?;
        let n = self.build.points.len();
        if !matches!(payload.len() - 1, 0 | 3) && payload.len() != 4 + n {
            return Err(Error::input("activate takes a velocity, or a velocity and a number for each point"));
        }
        let velocity = payload.get(1..4).filter(|v| !v[0].is_nan());
        if let Some(velocity) = velocity {
            check_reach("velocity", "m/s", velocity)?;
        }
        let (b, lane) = (body / 4, body % 4);
        if self.build.joints.is_empty() {
            // It has no pose but the one in which it lies.
            let n = b * n..(b + 1) * n;
            if let Some(velocity) = velocity {
                let step = V3::splat([velocity[0], velocity[1], velocity[2]]) * splat(self.pace.seconds);
                for p in n {
                    self.state.was[p] = V3::select(lane_mask(lane), self.state.at[p] - step, self.state.was[p]);
                }
            }
            self.wake(body);
            return Ok(());
        }
        let (joints, roots) = (self.build.joints.len(), self.build.roots);
        self.check_pose(b * joints..(b + 1) * joints, b * roots..(b + 1) * roots)?;
        self.take_pose(body, velocity, payload.get(4..).filter(|free| !free.is_empty()));
        self.seed_bones(body);
        self.bodies[body] = Body { mode: Mode::Limp, elapsed: 0.0, duration: 0.0 };
        self.seek_pose(b);
        self.show_block(b);
        Ok(())
    }

    /// How points moved from the last frame but one to the last, in a small step. What jumped was put there: a body that moved
    /// too far, or a pose that changed too fast, as where a clip begins anew.
    fn take_motion(&mut self, b: usize, mask: F4) {
        let n = self.build.points.len();
        let part = splat((f64::from(self.pace.seconds) / self.between) as f32);
        let before = self.place_joints(b, Which::Before);
        for p in 0..n {
            self.state.was[b * n + p] = V3::select(mask, self.carried(p), self.state.was[b * n + p]);
        }
        let whole = self.place_joints(b, Which::Last) - before;
        let jumped = greater(whole.dot(whole), splat(JUMP * JUMP));
        let whole = V3::select(jumped, V3::ZERO, whole);
        let (mut fastest, mut size) = (F4::ZERO, F4::ZERO);
        let first = self.carried(0);
        for p in 0..n {
            let (moved, away) = (self.carried(p) - self.state.was[b * n + p], self.carried(p) - first);
            fastest = larger(fastest, moved.dot(moved));
            size = larger(size, away.dot(away));
        }
        let most = splat((self.between * FASTEST) as f32);
        let cut = greater(fastest, most * most * size);
        for p in 0..n {
            let moved = V3::select(cut, V3::ZERO, self.carried(p) - self.state.was[b * n + p]);
            let state = &mut self.state;
            state.was[b * n + p] = V3::select(mask, (whole + moved) * part, state.was[b * n + p]);
        }
    }

    /// Puts the points of a body where the pose of the inputs has them.
    fn take_pose(&mut self, body: usize, velocity: Option<&[f32]>, free: Option<&[f32]>) {
        let n = self.build.points.len();
        let (b, mask) = (body / 4, lane_mask(body % 4));
        let own = b * n..(b + 1) * n;
        // How they moved in the last frame; `was` holds it until it is known where they are.
        for p in own.clone() {
            self.state.was[p] = V3::select(mask, V3::ZERO, self.state.was[p]);
        }
        if let Some(velocity) = velocity {
            let step = V3::splat([velocity[0], velocity[1], velocity[2]]) * splat(self.pace.seconds);
            for p in own.clone() {
                self.state.was[p] = V3::select(mask, step, self.state.was[p]);
            }
        } else if self.frames == 2 {
            self.take_motion(b, mask);
        }
        let base = self.place_joints(b, Which::Now);
        let origin = origin_near(base + self.carried(0), self.options.floor);
        let off = base - origin;
        for p in 0..n {
            let at = self.carried(p) + off;
            let moved = self.state.was[b * n + p];
            self.state.put(b * n + p, at, moved, mask);
        }
        let block = &mut self.state.blocks[b];
        block.origin = V3::select(mask, origin, block.origin);
        block.limp |= mask;
        block.awake |= mask;
        block.since = select(mask, F4::ZERO, block.since);
        block.driven &= !mask;
        for (p, point) in self.build.points.iter().enumerate() {
            let is_free = free.is_none_or(|free| free[p] != 0.0);
            self.state.weigh(b * n + p, point.weight, is_free, mask);
            if !is_free || point.weight == 0.0 {
                self.state.blocks[b].driven |= mask;
            }
        }
        self.measure_links(b, mask);
        self.allow_what_is(b, mask);
    }

    /// Rest lengths and shares of the links of some bodies of a block, as their points are now.
    pub(super) fn measure_links(&mut self, b: usize, mask: F4) {
        let (n, m) = (self.build.points.len(), self.build.links.len());
        let state = &mut self.state;
        let at = &state.at[b * n..(b + 1) * n];
        let mut scale = F4::ONE;
        if let Some(link) = self.build.links.iter().find(|link| !link.min && link.rest.is_none()) {
            let rest = self.build.rest_length(link.a, link.b);
            if rest > 0.0 && !self.build.joints.is_empty() {
                scale = link.length(at) * splat(1.0 / rest);
            }
        }
        state.blocks[b].scale = select(mask, scale, state.blocks[b].scale);
        for (l, link) in self.build.links.iter().enumerate() {
            let rest = match link.rest {
                Some(rest) => scale * splat(rest),
                None => link.length(at),
            };
            let (a, other) = (state.weight[b * n + link.a as usize], state.weight[b * n + link.b as usize]);
            let sum = a + other;
            let per = select(greater(sum, F4::ZERO), F4::ONE / select(greater(sum, F4::ZERO), sum, F4::ONE), F4::ZERO);
            let row = super::Row { rest, a: a * per, b: other * per };
            keep(from_mut(&mut state.rows[b * m + l]), from_ref(&row), mask);
        }
    }

    /// What is bent too far, or inside something, as some bodies of a block go limp comes back slowly, not in one step.
    pub(super) fn allow_what_is(&mut self, b: usize, mask: F4) {
        let Ragdoll { build, state, options, colliders, angles, .. } = self;
        let (n, m) = (build.points.len(), build.links.len());
        let (own, block) = (b * n..(b + 1) * n, &state.blocks[b]);
        let positive = |v: F4| select(greater(v, F4::ZERO), v, F4::ZERO);
        let points = Points {
            at: &mut state.at[own.clone()],
            was: &mut state.was[own.clone()],
            weight: &state.weight[own.clone()],
            angles,
            kick: F4::ZERO,
        };
        let limits = build.limits.len();
        for (limit, slack) in build.limits.iter().zip(&mut state.slack[b * limits..]) {
            *slack = select(mask, positive(points.excess(limit)), *slack);
        }
        let at = &*points.at;
        let pairs = build.pairs.len();
        for ((pair, most), gap) in build.pairs.iter().zip(&mut state.gaps[b * pairs..]) {
            let depth = block.scale * splat(*most) - closest(at, build.ends(*pair)).distance;
            *gap = select(mask, positive(depth), *gap);
        }
        for (p, point) in build.points.iter().enumerate() {
            let radius = block.scale * splat(point.radius);
            let mut depth = F4::ZERO;
            if let Some(floor) = options.floor {
                depth = splat(floor) - block.origin.y + radius - at[p].y;
            }
            for collider in colliders.iter() {
                depth = larger(depth, radius - collider.solid().separation(at[p] + block.origin).1);
            }
            state.sunk[b * n + p] = select(mask, positive(depth), state.sunk[b * n + p]);
        }
        if !options.classic {
            for (link, row) in build.links.iter().zip(&mut state.rows[b * m..]).filter(|(link, _)| link.min) {
                row.rest = select(mask, smaller(row.rest, link.length(at)), row.rest);
            }
        }
    }

    /// Remembers how bones lie to the points that turn them. The joints are placed as the pose of the inputs has them.
    fn seed_bones(&mut self, body: usize) {
        let (b, mask) = (body / 4, lane_mask(body % 4));
        let (n, joints, roots, bones) =
            (self.build.points.len(), self.build.joints.len(), self.build.roots, self.build.bones.len());
        let off = self.input.frame.parents[b * roots].origin - self.state.blocks[b].origin;
        for (i, bone) in self.build.bones.iter().enumerate() {
            let [o, along, side] = bone.points;
            let at = &self.state.at[b * n..(b + 1) * n];
            let basis = if side == NONE {
                let (way, _) = direction(at[along as usize] - at[o as usize], M3::IDENTITY.x);
                Q4 { v: way, w: F4::ZERO }
            } else {
                Q4::of(basis_of(at, &bone.points))
            };
            let joint = &self.build.joints[bone.joint as usize];
            let above = if joint.parent == NONE {
                self.input.frame.parents[b * roots + joint.root as usize].axes
            } else {
                self.worlds[joint.parent as usize].axes
            };
            let above = proper(&above);
            let own = self.input.frame.poses[b * joints + bone.joint as usize].rotation.normalized();
            let seed = &mut self.state.seeds[b * bones + i];
            let head = self.worlds[bone.joint as usize].origin + off - at[o as usize];
            let next = Seed { basis, before: above.back(), after: Q4::chain(&[above, own]), head };
            keep(from_mut(seed), from_ref(&next), mask);
        }
        // What only lies between stays as it is.
        for j in b * joints..(b + 1) * joints {
            let pose = &self.input.frame.poses[j];
            let rotation = pose.rotation.normalized();
            let drawn = Drawn::of(rotation, &self.angles);
            keep(from_mut(&mut self.output.rotations[j]), from_ref(&drawn), mask);
            keep(from_mut(&mut self.output.places[j]), from_ref(&pose.position), mask);
        }
    }

    /// Where the pose of the inputs has what follows it: points of a partial ragdoll, and how limbs are wanted by their
    /// strength.
    pub(super) fn seek_pose(&mut self, b: usize) {
        let (n, bones) = (self.build.points.len(), self.build.bones.len());
        let block = self.state.blocks[b];
        let strong = block.limp & greater(self.strengths(b), F4::ZERO);
        if self.build.joints.is_empty() || !(block.driven | strong).any() {
            return;
        }
        let base = self.place_joints(b, Which::Now);
        for p in 0..n {
            let goal = self.carried(p) + (base - block.origin);
            self.state.goal[b * n + p] = V3::select(block.limp, goal, self.state.goal[b * n + p]);
        }
        if !strong.any() {
            return;
        }
        let goal = &self.state.goal[b * n..(b + 1) * n];
        for (bone, wanted) in self.build.bones.iter().zip(&mut self.state.wanted[b * bones..]) {
            let Some(frame) = self.build.frame_of(bone) else { continue };
            let frame = basis_of(goal, &frame);
            let [o, along, side] = bone.points;
            *wanted = if side == NONE {
                let (way, _) = direction(goal[along as usize] - goal[o as usize], M3::IDENTITY.x);
                Q4 { v: frame.transposed_times(way), w: F4::ZERO }
            } else {
                let own = Q4::of(basis_of(goal, &bone.points));
                Q4::chain(&[Q4::of(frame).back(), own])
            };
        }
    }
}

impl super::Build {
    /// The points that turn the carrier of a bone, where it has one with a basis.
    pub fn frame_of(&self, bone: &super::Bone) -> Option<[u32; 3]> {
        self.bones.get(bone.carrier as usize).map(|carrier| carrier.points).filter(|points| points[2] != NONE)
    }

    /// How far two points are apart in the rest pose, metres.
    pub fn rest_length(&self, a: u32, b: u32) -> f32 {
        let [a, b] = [a, b].map(|p| glam::Vec3::from_array(self.points[p as usize].rest));
        (b - a).length()
    }
}

/// From where points near to a place are measured: whole metres, so that nothing is lost; the height of the floor, where there
/// is one, so that what rests on it is exact.
pub(super) fn origin_near(place: V3, floor: Option<f32>) -> V3 {
    let whole = |v: F4| F4::new(v.to_array().map(|v| (v as i32) as f32));
    V3 { x: whole(place.x), y: floor.map_or_else(|| whole(place.y), splat), z: whole(place.z) }
}

/// The rotation of a matrix; of one that mirrors, that of its opposite.
pub(super) fn proper(axes: &M3) -> Q4 {
    let mirrored = less(axes.x.cross(axes.y).dot(axes.z), F4::ZERO);
    let sign = select(mirrored, splat(-1.0), F4::ONE);
    M3 { x: axes.x * sign, y: axes.y * sign, z: axes.z * sign }.split().0
}
