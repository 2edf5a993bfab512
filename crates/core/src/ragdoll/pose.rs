//! From bones to points: where a pose has them, and how a body goes limp.

use super::contacts::{closest, farthest};
use super::limits::{Points, lie};
use super::{Body, Mode, NONE, Own, Ragdoll, Row, Seed, lane_mask};
use crate::collider::check_reach;
use crate::error::{Error, Result};
use crate::lanes::{F4, ON, V3, greater, keep, larger, less, select, smaller, splat};
use crate::spatial::{Affine, Drawn, M3, Q4};
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
    /// World matrices of the joints of a block, from the place of what the first hangs on; gives that place. Where they carry
    /// points is kept aside.
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
        self.carry_points();
        base
    }

    /// Keeps aside where joints carry the points of the build.
    pub(super) fn carry_points(&mut self) {
        let Ragdoll { build, spare, worlds, .. } = self;
        for ((at, point), joint) in spare.iter_mut().zip(&build.points).zip(&build.carriers) {
            *at = worlds[*joint as usize].times(V3::splat(point.local));
        }
    }

    /// On where bodies of a block are in a mode.
    pub(super) fn lanes_of(&self, b: usize, mode: Mode) -> F4 {
        let is = |lane: usize| self.bodies.get(b * 4 + lane).is_some_and(|body| body.mode == mode);
        F4::new(std::array::from_fn(|lane| if is(lane) { ON } else { 0.0 }))
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
            if let Some(velocity) = velocity {
                let step = V3::splat([velocity[0], velocity[1], velocity[2]]) * splat(self.pace.seconds);
                let Own { at, was, .. } = self.state.own(&self.build, b);
                for (at, was) in at.iter().zip(was) {
                    *was = V3::select(lane_mask(lane), *at - step, *was);
                }
            }
            self.wake(b, lane_mask(lane));
            return Ok(());
        }
        let (joints, roots) = (self.build.joints.len(), self.build.roots);
        self.check_pose(b * joints..(b + 1) * joints, b * roots..(b + 1) * roots)?;
        self.take_pose(body, velocity, payload.get(4..).filter(|free| !free.is_empty()));
        self.seed_bones(body);
        self.bodies[body] = Body::new(Mode::Limp);
        self.seek_pose(b);
        self.show_block(b);
        Ok(())
    }

    /// How points moved from the last frame but one to the last, in a small step. What jumped was put there: a body that moved
    /// too far, or a pose that changed too fast, as where a clip begins anew.
    fn take_motion(&mut self, b: usize, mask: F4) {
        let part = splat((f64::from(self.pace.seconds) / self.between) as f32);
        let before = self.place_joints(b, Which::Before);
        keep(self.state.own(&self.build, b).was, &self.spare, mask);
        let whole = self.place_joints(b, Which::Last) - before;
        let jumped = greater(whole.dot(whole), splat(JUMP * JUMP));
        let whole = V3::select(jumped, V3::ZERO, whole);
        let (own, spare) = (self.state.own(&self.build, b), &self.spare);
        let size = spare.iter().fold(F4::ZERO, |most, at| larger((*at - spare[0]).dot(*at - spare[0]), most));
        let most = splat((self.between * FASTEST) as f32);
        let cut = greater(farthest(spare, own.was), most * most * size);
        for (was, at) in own.was.iter_mut().zip(spare) {
            let moved = V3::select(cut, V3::ZERO, *at - *was);
            *was = V3::select(mask, (whole + moved) * part, *was);
        }
    }

    /// Puts the points of a body where the pose of the inputs has them.
    fn take_pose(&mut self, body: usize, velocity: Option<&[f32]>, free: Option<&[f32]>) {
        let (b, mask) = (body / 4, lane_mask(body % 4));
        // How they moved in the last frame; `was` holds it until it is known where they are.
        let v = velocity.map_or([0.0; 3], |v| [v[0], v[1], v[2]]);
        self.spare.fill(V3::splat(v) * splat(self.pace.seconds));
        keep(self.state.own(&self.build, b).was, &self.spare, mask);
        if velocity.is_none() && self.frames == 2 {
            self.take_motion(b, mask);
        }
        let base = self.place_joints(b, Which::Now);
        self.lay(body, base, free);
    }

    /// Lets a body lie where points were carried to, from `base`. `was` holds how they move in a small step.
    pub(super) fn lay(&mut self, body: usize, base: V3, free: Option<&[f32]>) {
        let (b, mask) = (body / 4, lane_mask(body % 4));
        let Ragdoll { build, state, options, spare, .. } = self;
        let Own { block, at, was, last, mark, goal_from, goal, weight, .. } = state.own(build, b);
        let origin = origin_near(base + spare[0], options.floor);
        for (was, at) in was.iter_mut().zip(&mut *spare) {
            *at = *at + (base - origin);
            *was = V3::select(mask, *at - *was, *was);
        }
        for all in [at, last, mark, goal_from, goal] {
            keep(all, spare, mask);
        }
        block.origin = V3::select(mask, origin, block.origin);
        block.limp |= mask;
        block.awake |= mask;
        block.since = select(mask, F4::ZERO, block.since);
        block.driven &= !mask;
        for (p, (weight, point)) in weight.iter_mut().zip(&build.points).enumerate() {
            let own = if free.is_none_or(|free| free[p] != 0.0) { point.weight } else { 0.0 };
            *weight = select(mask, splat(own), *weight);
            if own == 0.0 {
                block.driven |= mask;
            }
        }
        self.measure_links(b, mask);
        if !self.build.joints.is_empty() || !self.options.classic {
            self.allow_what_is(b, mask);
        }
    }

    /// Rest lengths and shares of the links of some bodies of a block, as their points are now.
    fn measure_links(&mut self, b: usize, mask: F4) {
        let Ragdoll { build, state, .. } = self;
        let Own { block, at, weight, rows, .. } = state.own(build, b);
        let mut scale = F4::ONE;
        if let Some(link) = build.links.iter().find(|link| !link.min && link.rest.is_none()) {
            let rest = build.rest_length(link.a, link.b);
            if rest > 0.0 && !build.joints.is_empty() {
                scale = link.length(at) * splat(1.0 / rest);
            }
        }
        block.scale = select(mask, scale, block.scale);
        for (link, row) in build.links.iter().zip(rows) {
            let rest = match link.rest {
                Some(rest) => scale * splat(rest),
                None => link.length(at),
            };
            let [a, b] = [link.a, link.b].map(|p| weight[p as usize]);
            let per = F4::ONE / larger(a + b, splat(1e-30));
            keep(from_mut(row), from_ref(&Row { rest, a: a * per, b: b * per }), mask);
        }
    }

    /// What is bent too far, or inside something, as some bodies of a block go limp comes back slowly, not in one step.
    fn allow_what_is(&mut self, b: usize, mask: F4) {
        let Ragdoll { build, state, options, colliders, angles, .. } = self;
        let Own { block, at, was, weight, sunk, slack, gaps, rows, .. } = state.own(build, b);
        let allow = |may: &mut F4, excess: F4| *may = select(mask, larger(excess, F4::ZERO), *may);
        let points = Points { at, was, weight, angles, kick: F4::ZERO };
        for (limit, slack) in build.limits.iter().zip(slack) {
            allow(slack, points.excess(limit));
        }
        let at = &*points.at;
        for ((pair, most), gap) in build.pairs.iter().zip(gaps) {
            allow(gap, block.scale * splat(*most) - closest(at, build.ends(*pair)).distance);
        }
        for ((at, point), sunk) in at.iter().zip(&build.points).zip(sunk) {
            let radius = block.scale * splat(point.radius);
            let mut depth = options.floor.map_or(F4::ZERO, |floor| splat(floor) - block.origin.y + radius - at.y);
            for collider in colliders.iter() {
                depth = larger(depth, radius - collider.solid().separation(*at + block.origin).1);
            }
            allow(sunk, depth);
        }
        if !options.classic {
            for (link, row) in build.links.iter().zip(rows).filter(|(link, _)| link.min) {
                row.rest = select(mask, smaller(row.rest, link.length(at)), row.rest);
            }
        }
    }

    /// Remembers how bones lie to the points that turn them. The joints are placed as the pose of the inputs has them.
    fn seed_bones(&mut self, body: usize) {
        let (b, mask) = (body / 4, lane_mask(body % 4));
        let Ragdoll { build, state, input, output, worlds, angles, .. } = self;
        let (joints, roots) = (build.joints.len(), build.roots);
        let parents = &input.frame.parents[b * roots..(b + 1) * roots];
        let own = b * joints..(b + 1) * joints;
        let poses = &input.frame.poses[own.clone()];
        let Own { block, at, seeds, .. } = state.own(build, b);
        let off = parents[0].origin - block.origin;
        for (bone, seed) in build.bones.iter().zip(seeds) {
            let joint = &build.joints[bone.joint as usize];
            let above = if joint.parent == NONE {
                &parents[joint.root as usize].axes
            } else {
                &worlds[joint.parent as usize].axes
            };
            let above = proper(above);
            let next = Seed {
                basis: lie(at, &bone.points, M3::IDENTITY.x),
                before: above.back(),
                after: Q4::chain(&[above, Q4::chain(&[poses[bone.joint as usize].rotation])]),
                head: worlds[bone.joint as usize].origin + off - at[bone.points[0] as usize],
                wanted: Q4::IDENTITY,
            };
            keep(from_mut(seed), from_ref(&next), mask);
        }
        // What only lies between stays as it is.
        for ((pose, rotation), place) in
            poses.iter().zip(&mut output.rotations[own.clone()]).zip(&mut output.places[own])
        {
            let drawn = Drawn::of(Q4::chain(&[pose.rotation]), angles);
            keep(from_mut(rotation), from_ref(&drawn), mask);
            keep(from_mut(place), from_ref(&pose.position), mask);
        }
    }

    /// Where the pose of the inputs has what follows it: points of a partial ragdoll, and how limbs are wanted by their
    /// strength.
    pub(super) fn seek_pose(&mut self, b: usize) {
        let block = self.state.blocks[b];
        let strong = block.limp & greater(self.strengths(b), F4::ZERO);
        if self.build.joints.is_empty() || !(block.driven | strong).any() {
            return;
        }
        let base = self.place_joints(b, Which::Now);
        let Ragdoll { build, state, spare, .. } = self;
        let Own { goal, seeds, .. } = state.own(build, b);
        spare.iter_mut().for_each(|at| *at = *at + (base - block.origin));
        keep(goal, spare, block.limp);
        if !strong.any() {
            return;
        }
        for (bone, Seed { wanted, .. }) in build.bones.iter().zip(seeds) {
            let Some(frame) = build.frame_of(bone) else { continue };
            let frame = lie(goal, &frame, V3::ZERO).back();
            let own = lie(goal, &bone.points, M3::IDENTITY.x);
            *wanted = if bone.points[2] == NONE {
                Q4 { v: frame.turn(own.v), w: F4::ZERO }
            } else {
                Q4::chain(&[frame, own])
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
