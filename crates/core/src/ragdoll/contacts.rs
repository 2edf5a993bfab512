//! What points and limbs meet: the floor, colliders, and one another.

use super::links::taken;
use super::{Build, Pace, Ragdoll, State, is_on};
use crate::collider::{Collider, STRIDE, Solid};
use crate::lanes::{F4, V3, greater, larger, less, select, smaller, splat};
use crate::number::root;
use crate::spatial::direction;

/// A limb: all within the radius of the way between two points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capsule {
    pub points: [u32; 2],
    pub radius: f32,
}

/// What a block may meet in a step.
#[derive(Debug, Default)]
pub(super) struct Near {
    colliders: Vec<u32>,
    pairs: Vec<u32>,
}

impl Near {
    pub fn reserve(&mut self, colliders: usize, pairs: usize) {
        self.colliders.clear();
        self.colliders.reserve(colliders);
        self.pairs.clear();
        self.pairs.reserve(pairs);
    }
}

/// The friction of a collider in a small step: the part of the sideways motion that it leaves, and what it holds by pressure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rub {
    /// What these are of.
    friction: f32,
    slide: F4,
    hold: F4,
}

impl Rub {
    pub fn of(friction: f32, parts: u32) -> Rub {
        let slide = root(f64::from(1.0 - friction), parts) as f32;
        Rub { friction, slide: splat(slide), hold: splat(hold_of(friction)) }
    }
}

/// How a point was pressed against something in a small step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Press {
    out: V3,
    /// How far friction holds it, metres.
    hold: F4,
}

impl Press {
    pub const NONE: Press = Press { out: V3::ZERO, hold: F4::ZERO };

    /// On where it is pressed.
    pub fn some(&self) -> F4 {
        less(F4::ZERO, self.hold)
    }
}

/// Part of the pressure that is left a small step later, within a step: what is pressed unsteadily is held steadily.
const LINGER: f32 = 0.9;

/// What is pressed and moves more slowly than this, m/s, is held where it is.
const CREEP: f32 = 0.1;

/// Part of the depth by which a small step takes limbs apart, beyond what has moved in.
const SOFTLY: f32 = 0.03;

/// Beyond what moves in a step, metres: nothing that pushes is missed.
const MARGIN: f32 = 0.02;

/// A collider that moves by more than this, in metres, wakes what it is near to.
const STIR: f32 = 1e-5;

impl Ragdoll {
    /// Colliders on their way through this step, made ready for each small step.
    pub(super) fn ready_solids(&mut self, place: f32) {
        self.solids.clear();
        for (rub, pose) in self.rubs.iter_mut().zip(self.input.colliders.as_chunks::<STRIDE>().0) {
            // A root is dear, and friction hardly ever changes.
            if rub.friction != pose[7] {
                *rub = Rub::of(pose[7], self.pace.parts);
            }
        }
        let mut moves = false;
        let next = |collider: &Collider, to: &[f32; STRIDE]| collider.towards(*to, place);
        for (i, (collider, to)) in self.colliders.iter().zip(self.input.colliders.as_chunks().0).enumerate() {
            self.motion[i] = self.now[i].motion(&next(collider, to));
            moves |= self.now[i].pose != next(collider, to).pose;
        }
        let parts = if moves { self.pace.parts } else { 0 };
        for part in 0..=parts {
            let t = if parts == 0 { 1.0 } else { part as f32 / parts as f32 };
            for (i, (collider, to)) in self.colliders.iter().zip(self.input.colliders.as_chunks().0).enumerate() {
                self.solids.push(self.now[i].towards(next(collider, to).pose, t).solid());
            }
        }
        for (i, (collider, to)) in self.colliders.iter().zip(self.input.colliders.as_chunks().0).enumerate() {
            self.now[i] = next(collider, to);
        }
    }

    /// Wakes sleeping bodies that are near a collider which moves in this call.
    pub(super) fn wake_what_is_touched(&mut self) {
        for i in 0..self.colliders.len() {
            let Some(to) = self.input.colliders.as_chunks().0.get(i) else { return };
            let next = Collider { pose: *to, ..self.colliders[i] };
            let motion = self.colliders[i].motion(&next);
            if motion < STIR && next.pose == self.colliders[i].pose {
                continue;
            }
            let solid = next.solid();
            for b in 0..self.state.blocks.len() {
                let block = self.state.blocks[b];
                let sleeping = block.limp & !block.awake;
                if !sleeping.any() {
                    continue;
                }
                let n = self.build.points.len();
                let mut near = F4::ZERO;
                for (p, point) in self.build.points.iter().enumerate() {
                    let (_, distance) = solid.separation(self.state.at[b * n + p] + block.origin);
                    let reach = block.scale * splat(point.radius) + splat(motion + MARGIN);
                    near |= sleeping & less(distance, reach);
                }
                for lane in (0..4).filter(|lane| is_on(near, *lane)) {
                    self.wake(b * 4 + lane);
                }
            }
        }
    }
}

/// Finds what a block may meet in this step.
#[inline(never)]
pub(super) fn look_around(
    near: &mut Near,
    build: &Build,
    state: &State,
    b: usize,
    scene: &Scene,
    self_collision: bool,
) {
    near.colliders.clear();
    near.pairs.clear();
    let (n, block) = (build.points.len(), &state.blocks[b]);
    let (at, was) = (&state.at[b * n..(b + 1) * n], &state.was[b * n..(b + 1) * n]);
    let (mut far, mut fast, mut thick) = (F4::ZERO, F4::ZERO, 0.0);
    for (p, point) in build.points.iter().enumerate() {
        let (away, moved) = (at[p] - at[0], at[p] - was[p]);
        far = larger(away.dot(away), far);
        fast = larger(moved.dot(moved), fast);
        thick = if point.radius > thick { point.radius } else { thick };
    }
    let fast = fast.sqrt() * splat(scene.pace.parts as f32) + splat(MARGIN);
    let reach = far.sqrt() + fast + block.scale * splat(thick);
    let center = at[0] + block.origin;
    for (i, motion) in scene.motion.iter().enumerate() {
        let (_, distance) = scene.solids[scene.solids.len() - scene.motion.len() + i].separation(center);
        if (block.awake & less(distance, reach + splat(*motion))).any() {
            near.colliders.push(i as u32);
        }
    }
    if !self_collision {
        return;
    }
    for (i, (pair, most)) in build.pairs.iter().enumerate() {
        let ends = pair.map(|c| build.capsules[c as usize].points.map(|p| at[p as usize]));
        let [middles, halves] = [
            ends.map(|[a, b]| (a + b) * splat(0.5)),
            ends.map(|[a, b]| {
                let half = (b - a) * splat(0.5);
                V3 { x: half.dot(half).sqrt(), ..V3::ZERO }
            }),
        ];
        let way = middles[1] - middles[0];
        let reach = halves[0].x + halves[1].x + block.scale * splat(*most) + fast;
        if (block.awake & less(way.dot(way), reach * reach)).any() {
            near.pairs.push(i as u32);
        }
    }
}

/// What is the same for all blocks in a step.
pub(super) struct Scene<'a> {
    pub solids: &'a [Solid],
    pub rubs: &'a [Rub],
    pub motion: &'a [f32],
    pub pace: &'a Pace,
}

/// One block while it is stepped.
pub(super) struct Meeting<'a> {
    pub build: &'a Build,
    /// Of each point.
    pub pressed: &'a mut [Press],
    pub at: &'a mut [V3],
    pub was: &'a mut [V3],
    pub weight: &'a [F4],
    pub origin: V3,
    pub scale: F4,
    /// By how much each point may still be inside something.
    pub sunk: &'a [F4],
}

impl Meeting<'_> {
    /// Points rise to the floor; sideways they keep a part of their speed. The order sheet's arithmetic: what they gain by
    /// that is speed too.
    pub fn stand(&mut self, heights: &[F4], slide: F4) {
        for (p, height) in heights.iter().enumerate() {
            let under = less(self.at[p].y, *height);
            if under.any() {
                let under = under & greater(self.weight[p], F4::ZERO);
                let (at, was) = (&mut self.at[p], &mut self.was[p]);
                at.y = select(under, *height, at.y);
                was.x = select(under, at.x - (at.x - was.x) * slide, was.x);
                was.z = select(under, at.z - (at.z - was.z) * slide, was.z);
            }
        }
    }

    /// Points on the floor stop, and keep a part of their sideways speed.
    pub fn land(&mut self, heights: &[F4], slide: F4, hold: F4) {
        for (p, height) in heights.iter().enumerate() {
            let depth = *height - self.at[p].y;
            if less(F4::ZERO, depth).any() {
                let depth = select(greater(self.weight[p], F4::ZERO), larger(depth, F4::ZERO), F4::ZERO);
                let (at, was) = (&mut self.at[p], &mut self.was[p]);
                let stopped = smaller(depth, larger(was.y - at.y, F4::ZERO));
                at.y += depth;
                was.y += depth - stopped;
                let along = V3 { x: at.x - was.x, y: F4::ZERO, z: at.z - was.z };
                let hold = depth * hold;
                let lost = select(greater(depth, F4::ZERO), lost(along, slide, hold), F4::ZERO);
                *was = *was + along * lost;
                self.press(p, &Press { out: V3 { x: F4::ZERO, y: F4::ONE, z: F4::ZERO }, hold });
            }
        }
    }

    /// Points, and the middles of limbs, leave the colliders.
    pub fn meet(&mut self, near: &Near, scene: &Scene, part: usize) {
        let count = scene.motion.len();
        for i in &near.colliders {
            let i = *i as usize;
            let moving = scene.solids.len() > count;
            let contact =
                Contact { solid: &scene.solids[if moving { part * count + i } else { i }], rub: scene.rubs[i] };
            for p in 0..self.build.points.len() {
                let free = greater(self.weight[p], F4::ZERO);
                let radius = self.scale * splat(self.build.points[p].radius) - self.sunk[p];
                self.leave(&contact, [p, p], radius, free);
            }
            for capsule in self.build.capsules.iter().filter(|capsule| capsule.points[0] != capsule.points[1]) {
                let ends = capsule.points.map(|p| p as usize);
                let free = greater(self.weight[ends[0]] + self.weight[ends[1]], F4::ZERO);
                let radius = self.scale * splat(capsule.radius) - larger(self.sunk[ends[0]], self.sunk[ends[1]]);
                self.leave(&contact, ends, radius, free);
            }
        }
    }

    /// A ball at the middle of two points, or at one point, leaves a solid, with its friction.
    #[inline(never)]
    fn leave(&mut self, contact: &Contact, ends: [usize; 2], radius: F4, free: F4) {
        let [a, b] = ends;
        let middle = |all: &[V3]| (all[a] + all[b]) * splat(0.5);
        let at = middle(self.at);
        let (out, distance) = contact.solid.separation(at + self.origin);
        let depth = radius - distance;
        let inside = free & less(F4::ZERO, depth);
        if !inside.any() {
            return;
        }
        let push = select(inside, depth, F4::ZERO);
        let closing = larger((middle(self.was) - at).dot(out), F4::ZERO);
        let release = push - smaller(push, closing);
        let moved = at + out * (push - release) - middle(self.was);
        let along = moved - out * moved.dot(out);
        let hold = push * contact.rub.hold;
        let back = along * select(inside, lost(along, contact.rub.slide, hold), F4::ZERO);
        let sum = self.weight[a] + self.weight[b];
        let per = splat(2.0) / select(free, sum, F4::ONE);
        for p in if a == b { &ends[..1] } else { &ends[..] } {
            let share = if a == b { F4::ONE } else { per * self.weight[*p] };
            self.at[*p] = self.at[*p] + out * (push * share);
            self.was[*p] = self.was[*p] + (back + out * release) * share;
            self.press(*p, &Press { out, hold });
        }
    }

    fn press(&mut self, p: usize, press: &Press) {
        let on = less(self.pressed[p].hold, press.hold);
        let now = &mut self.pressed[p];
        *now = Press { out: V3::select(on, press.out, now.out), hold: select(on, press.hold, now.hold) };
    }

    /// Limbs leave one another.
    pub fn keep_limbs_apart(&mut self, near: &Near, gaps: &[F4], kick: F4) {
        for i in &near.pairs {
            let (pair, most) = self.build.pairs[*i as usize];
            let ends = self.build.ends(pair);
            let Closest { out, distance, one, other } = closest(self.at, ends);
            let depth = self.scale * splat(most) - distance - gaps[*i as usize];
            let shares = [F4::ONE - one, one, F4::ONE - other, other];
            let mut sum = F4::ZERO;
            for (p, share) in ends.iter().zip(&shares) {
                sum += self.weight[*p] * *share * *share;
            }
            let inside = less(F4::ZERO, depth) & greater(sum, F4::ZERO);
            if !inside.any() {
                continue;
            }
            let [a, b, c, d] = ends.map(|p| self.at[p] - self.was[p]);
            let parting = (a + (b - a) * one - (c + (d - c) * other)).dot(out);
            let (push, release) = taken(depth, F4::ZERO - parting, kick, SOFTLY);
            let per = select(inside, F4::ONE / select(inside, sum, F4::ONE), F4::ZERO);
            let (push, release) = (push * per, release * per);
            for (i, (p, share)) in ends.iter().zip(&shares).enumerate() {
                let part = self.weight[*p] * *share * splat(if i < 2 { 1.0 } else { -1.0 });
                self.at[*p] = self.at[*p] + out * (push * part);
                self.was[*p] = self.was[*p] + out * (release * part);
            }
        }
    }
}

/// A collider as a block meets it.
struct Contact<'a> {
    solid: &'a Solid,
    rub: Rub,
}

/// Where two limbs are nearest: from the second to the first a unit vector and a distance, and the places along each.
pub(super) struct Closest {
    out: V3,
    pub distance: F4,
    one: F4,
    other: F4,
}

#[inline(never)]
pub(super) fn closest(at: &[V3], ends: [usize; 4]) -> Closest {
    let [a, b, c, d] = ends.map(|p| at[p]);
    let (one, other) = nearest([a, b], [c, d]);
    let way = (a + (b - a) * one) - (c + (d - c) * other);
    let (out, distance) = direction(way, (b - a).cross(d - c).normalized());
    Closest { out, distance, one, other }
}

/// Holds pressed points that hardly move where they were: links have moved them since friction acted, and would move them a
/// little in every small step.
pub(super) fn hold_still(pressed: &mut [Press], at: &mut [V3], was: &[V3], seconds: f32) {
    let creep = splat(CREEP * seconds);
    for (p, press) in pressed.iter_mut().enumerate() {
        if press.hold != F4::ZERO {
            let moved = at[p] - was[p];
            let along = moved - press.out * moved.dot(press.out);
            let most = select(less(press.hold, creep), press.hold, creep);
            let held = less(along.dot(along), most * most);
            at[p] = V3::select(held, at[p] - along, at[p]);
            press.hold *= splat(LINGER);
        }
    }
}

/// The part of a motion along a surface that friction takes: what it takes of any motion, after what it takes at most by how
/// hard the point is pressed. That holds still what would otherwise creep.
#[inline(always)]
fn lost(along: V3, slide: F4, most: F4) -> F4 {
    let square = along.dot(along);
    let some = greater(square, splat(1e-30));
    let length = select(some, square, F4::ONE).sqrt();
    let left = F4::ONE - most / length;
    F4::ONE - select(less(F4::ZERO, left), left, F4::ZERO) * slide
}

/// How hard friction that takes a part of all motion holds, as a part of the pressure.
pub(super) fn hold_of(friction: f32) -> f32 {
    friction / (1.0 - friction + 1e-6)
}

/// Where two segments are nearest to one another, from 0 to 1 along each: Ericson, "Real-Time Collision Detection" (2005),
/// 5.1.9.
#[inline(always)]
fn nearest([p, q]: [V3; 2], [r, s]: [V3; 2]) -> (F4, F4) {
    let (u, v, w) = (q - p, s - r, p - r);
    let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
    let (uw, vw) = (u.dot(w), v.dot(w));
    let per = |n: F4, d: F4| {
        let some = greater(d, splat(1e-20));
        unit(select(some, n / select(some, d, F4::ONE), F4::ZERO))
    };
    let t = per(uv * vw - uw * vv, uu * vv - uv * uv);
    let other = per(uv * t + vw, vv);
    (per(uv * other - uw, uu), other)
}

/// The nearer of 0 and 1 where it is not between them.
#[inline(always)]
fn unit(t: F4) -> F4 {
    select(greater(t, F4::ZERO), select(less(t, F4::ONE), t, F4::ONE), F4::ZERO)
}
