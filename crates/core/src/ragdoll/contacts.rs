//! What points and limbs meet: the floor, colliders, and one another.

use super::limits::{Gradient, Points};
use super::{Block, Build, Own, Pace, Ragdoll};
use crate::collider::{Collider, Solid};
use crate::lanes::{F4, V3, greater, larger, less, select, smaller, splat};
use crate::number::root;
use crate::spatial::direction_inline;

/// A limb: all within the radius of the way between two points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capsule {
    pub points: [u32; 2],
    pub radius: f32,
}

impl Capsule {
    /// Whether it is all around one point.
    fn is_ball(&self) -> bool {
        self.points[0] == self.points[1]
    }
}

/// What a block may meet in a step.
#[derive(Debug, Default)]
pub(super) struct Near {
    /// Of colliders, and after them of pairs.
    indices: Vec<u32>,
    colliders: usize,
}

impl Near {
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    pub fn reserve(&mut self, colliders: usize, pairs: usize) {
        self.indices.clear();
        self.indices.reserve(colliders + pairs);
        self.colliders = 0;
    }
}

/// A collider in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rub {
    /// Where it is at the end, and how far it moves there.
    next: Collider,
    motion: f32,
    /// Of its friction in a small step: the part of the sideways motion that it leaves, and what it holds by pressure.
    slide: F4,
    hold: F4,
}

impl Rub {
    pub fn of(next: &Collider, parts: u32) -> Rub {
        let friction = next.pose[7];
        let slide = root(f64::from(1.0 - friction), parts) as f32;
        Rub { next: *next, motion: 0.0, slide: splat(slide), hold: splat(hold_of(friction)) }
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

    fn add(&mut self, out: V3, hold: F4) {
        let on = less(self.hold, hold);
        self.out = V3::select(on, out, self.out);
        self.hold = select(on, hold, self.hold);
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
        let Ragdoll { solids, rubs, colliders, now, input, pace, .. } = self;
        solids.clear();
        let mut moves = false;
        for (((rub, now), collider), to) in rubs.iter_mut().zip(&*now).zip(colliders).zip(input.colliders.as_chunks().0)
        {
            let next = collider.towards(*to, place);
            // A root is dear, and friction hardly ever changes.
            if rub.next.pose[7] != next.pose[7] {
                *rub = Rub::of(&next, pace.parts);
            }
            rub.next = next;
            rub.motion = now.motion(&next);
            moves |= now.pose != next.pose;
        }
        let parts = if moves { pace.parts } else { 0 };
        for part in 0..=parts {
            let t = if parts == 0 { 1.0 } else { part as f32 / parts as f32 };
            solids.extend(rubs.iter().zip(&*now).map(|(rub, now)| now.towards(rub.next.pose, t).solid()));
        }
        for (rub, now) in rubs.iter().zip(now) {
            *now = rub.next;
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
                let Own { block, at, .. } = self.state.own(&self.build, b);
                let sleeping = block.limp & !block.awake;
                if !sleeping.any() {
                    continue;
                }
                let mut near = F4::ZERO;
                for (at, point) in at.iter().zip(&self.build.points) {
                    let (_, distance) = solid.separation(*at + block.origin);
                    near |= less(distance, block.scale * splat(point.radius) + splat(motion + MARGIN));
                }
                if (near & sleeping).any() {
                    self.wake(b, near & sleeping);
                }
            }
        }
    }
}

/// The largest square of how far points are from others.
#[inline(never)]
pub(super) fn farthest(at: &[V3], from: &[V3]) -> F4 {
    at.iter().zip(from).fold(F4::ZERO, |most, (at, from)| larger((*at - *from).dot(*at - *from), most))
}

/// The middle of a limb, and half its length.
fn ball(at: &[V3], limb: &Capsule) -> (V3, F4) {
    let [a, b] = limb.points.map(|p| at[p as usize]);
    let half = (b - a) * splat(0.5);
    (a + half, half.dot(half).sqrt())
}

/// Finds what a block may meet in this step.
#[inline(never)]
pub(super) fn look_around(near: &mut Near, build: &Build, own: &Own, scene: &Scene, self_collision: bool) {
    near.indices.clear();
    near.colliders = 0;
    let pairs = if self_collision { &build.pairs[..] } else { &[] };
    if scene.rubs.is_empty() && pairs.is_empty() {
        return;
    }
    let Own { block, at, was, .. } = own;
    let Block { scale, awake, .. } = **block;
    let (mut far, mut thick) = (F4::ZERO, 0.0);
    for (at, point) in at.iter().zip(&build.points) {
        let away = *at - own.at[0];
        far = larger(away.dot(away), far);
        thick = if point.radius > thick { point.radius } else { thick };
    }
    let fast = farthest(at, was).sqrt() * splat(scene.pace.parts as f32) + splat(MARGIN);
    let reach = far.sqrt() + fast + scale * splat(thick);
    let ends = &scene.solids[scene.solids.len() - scene.rubs.len()..];
    for (i, (rub, solid)) in scene.rubs.iter().zip(ends).enumerate() {
        let (_, distance) = solid.separation(at[0] + block.origin);
        if (awake & less(distance, reach + splat(rub.motion))).any() {
            near.indices.push(i as u32);
        }
    }
    near.colliders = near.indices.len();
    for (i, (pair, most)) in pairs.iter().enumerate() {
        let [(one, half), (other, other_half)] = pair.map(|c| ball(at, &build.capsules[c as usize]));
        let way = other - one;
        let reach = half + other_half + scale * splat(*most) + fast;
        if (awake & less(way.dot(way), reach * reach)).any() {
            near.indices.push(i as u32);
        }
    }
}

/// What is the same for all blocks in a step.
pub(super) struct Scene<'a> {
    pub solids: &'a [Solid],
    pub rubs: &'a [Rub],
    pub pace: &'a Pace,
}

/// One block while it is stepped.
pub(super) struct Meeting<'a> {
    pub build: &'a Build,
    /// Of each point.
    pub pressed: &'a mut [Press],
    pub points: Points<'a>,
    pub origin: V3,
    pub scale: F4,
    /// By how much each point may still be inside something.
    pub sunk: &'a [F4],
}

impl Meeting<'_> {
    /// Points on the floor stop, and keep a part of their sideways speed.
    pub fn land(&mut self, heights: &[F4], slide: F4, hold: F4) {
        let Points { at, was, weight, .. } = &mut self.points;
        let points = heights.iter().zip(&mut **at).zip(&mut **was).zip(*weight);
        for ((((height, at), was), weight), press) in points.zip(&mut *self.pressed) {
            let depth = *height - at.y;
            if less(F4::ZERO, depth).any() {
                let depth = select(greater(*weight, F4::ZERO), larger(depth, F4::ZERO), F4::ZERO);
                let stopped = smaller(depth, larger(was.y - at.y, F4::ZERO));
                at.y += depth;
                was.y += depth - stopped;
                let along = V3 { x: at.x - was.x, y: F4::ZERO, z: at.z - was.z };
                let hold = depth * hold;
                let lost = select(greater(depth, F4::ZERO), lost(along, slide, hold), F4::ZERO);
                *was = *was + along * lost;
                press.add(V3 { x: F4::ZERO, y: F4::ONE, z: F4::ZERO }, hold);
            }
        }
    }

    /// Points, and the middles of limbs, leave the colliders.
    pub fn meet(&mut self, near: &Near, scene: &Scene, part: usize) {
        let count = scene.rubs.len();
        for i in &near.indices[..near.colliders] {
            let i = *i as usize;
            let moving = scene.solids.len() > count;
            let contact =
                Contact { solid: &scene.solids[if moving { part * count + i } else { i }], rub: &scene.rubs[i] };
            for (p, point) in self.build.points.iter().enumerate() {
                self.leave(&contact, [p, p], point.radius);
            }
            for Capsule { points: [a, b], radius } in self.build.capsules.iter().filter(|limb| !limb.is_ball()) {
                self.leave(&contact, [*a as usize, *b as usize], *radius);
            }
        }
    }

    /// A ball at the middle of two points, or at one point, leaves a solid, with its friction.
    #[inline(never)]
    fn leave(&mut self, contact: &Contact, [a, b]: [usize; 2], radius: f32) {
        let Points { at, was, weight, .. } = &mut self.points;
        let radius = self.scale * splat(radius) - larger(self.sunk[a], self.sunk[b]);
        let sum = weight[a] + weight[b];
        let free = greater(sum, F4::ZERO);
        let middle = |all: &[V3]| (all[a] + all[b]) * splat(0.5);
        let [middle, before] = [middle(at), middle(was)];
        let (out, distance) = contact.solid.separation(middle + self.origin);
        let depth = radius - distance;
        let inside = free & less(F4::ZERO, depth);
        if !inside.any() {
            return;
        }
        let push = select(inside, depth, F4::ZERO);
        let closing = larger((before - middle).dot(out), F4::ZERO);
        let release = push - smaller(push, closing);
        let moved = middle + out * (push - release) - before;
        let along = moved - out * moved.dot(out);
        let hold = push * contact.rub.hold;
        let back = along * select(inside, lost(along, contact.rub.slide, hold), F4::ZERO);
        let per = splat(2.0) / select(free, sum, F4::ONE);
        let ends = [a, b];
        for p in &ends[usize::from(a == b)..] {
            let share = if a == b { F4::ONE } else { per * weight[*p] };
            at[*p] = at[*p] + out * (push * share);
            was[*p] = was[*p] + (back + out * release) * share;
            self.pressed[*p].add(out, hold);
        }
    }

    /// Limbs leave one another.
    pub fn keep_limbs_apart(&mut self, near: &Near, gaps: &[F4], kick: F4) {
        for i in &near.indices[near.colliders..] {
            let (pair, most) = self.build.pairs[*i as usize];
            let ends = self.build.ends(pair);
            let Closest { out, distance, one, other } = closest(self.points.at, ends);
            let depth = self.scale * splat(most) - distance - gaps[*i as usize];
            let inside = less(F4::ZERO, depth);
            if inside.any() {
                let mut grads = Gradient::NONE;
                for (p, share) in ends.iter().zip([F4::ONE - one, one, other - F4::ONE, F4::ZERO - other]) {
                    grads.add(*p, out * share);
                }
                self.points.take(&grads, select(inside, depth, F4::ZERO), kick, SOFTLY);
            }
        }
    }
}

/// Points rise to the floor; sideways they keep a part of their speed. The order sheet's arithmetic: what they gain by that is
/// speed too. `numbers` are weights, and after them heights.
pub(super) fn stand(at: &mut [V3], was: &mut [V3], numbers: &[F4], slide: F4) {
    let (weight, heights) = numbers.split_at(at.len());
    for (((height, at), was), weight) in heights.iter().zip(at).zip(was).zip(weight) {
        let under = less(at.y, *height);
        if under.any() {
            let under = under & greater(*weight, F4::ZERO);
            at.y = select(under, *height, at.y);
            was.x = select(under, at.x - (at.x - was.x) * slide, was.x);
            was.z = select(under, at.z - (at.z - was.z) * slide, was.z);
        }
    }
}

/// A collider as a block meets it.
struct Contact<'a> {
    solid: &'a Solid,
    rub: &'a Rub,
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
    let (out, distance) = direction_inline(way, (b - a).cross(d - c).normalized());
    Closest { out, distance, one, other }
}

/// Holds pressed points that hardly move where they were: links have moved them since friction acted, and would move them a
/// little in every small step.
pub(super) fn hold_still(pressed: &mut [Press], at: &mut [V3], was: &[V3], seconds: f32) {
    let creep = splat(CREEP * seconds);
    for ((press, at), was) in pressed.iter_mut().zip(at).zip(was) {
        if press.hold != F4::ZERO {
            let moved = *at - *was;
            let along = moved - press.out * moved.dot(press.out);
            let most = select(less(press.hold, creep), press.hold, creep);
            let held = less(along.dot(along), most * most);
            *at = V3::select(held, *at - along, *at);
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
    let t = part(uv * vw - uw * vv, uu * vv - uv * uv);
    let other = part(uv * t + vw, vv);
    (part(uv * other - uw, uu), other)
}

/// `n / d`, or the nearer of 0 and 1 where it is not between them; 0 where `d` is none.
#[inline(always)]
fn part(n: F4, d: F4) -> F4 {
    let some = greater(d, splat(1e-20)) & greater(n, F4::ZERO);
    let t = n / select(some, d, F4::ONE);
    select(some, smaller(t, F4::ONE), F4::ZERO)
}
