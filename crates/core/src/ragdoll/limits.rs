//! How far joints turn: hinges, cones and twists, all measured from the rest pose.

use super::NONE;
use super::links::taken;
use crate::lanes::{F4, V3, greater, less, select, smaller, splat};
use crate::spatial::{Angles, M3, Q4, direction_inline, perpendicular};

/// One limit of the build.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// Two limbs share a line, from `points[1]` to `points[2]`; the one with `points[0]` before it and the one with
    /// `points[3]` behind it turn about it by at most `half` from `middle`.
    Hinge { points: [u32; 4], middle: f32, half: f32 },
    /// A limb, from `limb[0]` to `limb[1]`, stays within `most` of an axis in the basis of three other points.
    Cone { frame: [u32; 3], limb: [u32; 3], axis: [f32; 3], most: f32 },
    /// A limb with a side, `limb[2]`, does not roll by more than `most` from where the shortest swing out of the rest
    /// direction `axis` would take its rest side `side`.
    Twist { frame: [u32; 3], limb: [u32; 3], axis: [f32; 3], side: [f32; 3], most: f32 },
}

/// The points of a block, and what moves them.
pub(super) struct Points<'a> {
    pub at: &'a mut [V3],
    pub was: &'a mut [V3],
    pub weight: &'a [F4],
    pub angles: &'a Angles,
    /// Radians by which a small step takes back what is far beyond a limit.
    pub kick: F4,
}

/// Points, and how fast something grows along each.
pub(super) struct Gradient {
    points: [(usize, V3); 6],
    count: usize,
}

impl Gradient {
    pub const NONE: Gradient = Gradient { points: [(0, V3::ZERO); 6], count: 0 };

    pub fn add(&mut self, point: usize, grad: V3) {
        let known = self.points[..self.count].iter().position(|(p, _)| *p == point);
        let place = known.unwrap_or(self.count);
        if known.is_none() {
            self.count += 1;
            self.points[place] = (point, V3::ZERO);
        }
        self.points[place].1 = self.points[place].1 + grad;
    }
}

impl Points<'_> {
    /// Takes every limit's excess back, but for what it is still allowed: its slack, which `ease` takes away.
    pub fn hold(&mut self, limits: &[Limit], slack: &mut [F4], ease: F4) {
        for (limit, slack) in limits.iter().zip(slack) {
            let excess = self.excess(limit);
            let strict = matches!(limit, Limit::Hinge { .. });
            let ease = if strict { ease * splat(STRICT_EASE) } else { ease };
            let less_slack = smaller(*slack - ease, excess);
            *slack = select(greater(less_slack, F4::ZERO), less_slack, F4::ZERO);
            if !strict {
                // What is held beyond a limit by something stronger stays there: pushed for ever it would creep.
                let more = excess - *slack - splat(GIVE);
                let more = smaller(smaller(more, ease * splat(YIELD)), splat(MOST_YIELD) - *slack);
                *slack += select(greater(more, F4::ZERO), more, F4::ZERO);
            }
            let excess = excess - *slack;
            let over = greater(excess, F4::ZERO);
            if over.any() {
                let excess = select(over, excess, F4::ZERO);
                self.take_back(limit, excess);
            }
        }
    }

    /// Takes the excess of hinges back.
    pub fn hold_hinges(&mut self, limits: &[Limit], slack: &[F4]) {
        for (limit, slack) in limits.iter().zip(slack).filter(|(limit, _)| matches!(limit, Limit::Hinge { .. })) {
            let excess = self.excess(limit) - *slack;
            let over = greater(excess, F4::ZERO);
            if over.any() {
                self.take_back(limit, select(over, excess, F4::ZERO));
            }
        }
    }

    /// By how much the angle of a joint exceeds its limit, radians; below 0 within it.
    #[inline(never)]
    pub fn excess(&self, limit: &Limit) -> F4 {
        let (angle, most) = match limit {
            Limit::Hinge { points, middle, half } => (self.bend(points, *middle).0, *half),
            Limit::Cone { frame, limb, axis, most, .. } => (self.swing(frame, limb, *axis).0, *most),
            Limit::Twist { frame, limb, axis, side, most, .. } => (self.roll(frame, limb, *axis, *side).0, *most),
        };
        angle.abs() - splat(most)
    }

    #[inline(never)]
    fn take_back(&mut self, limit: &Limit, excess: F4) {
        let grads = self.way_back(limit);
        let strict = matches!(limit, Limit::Hinge { .. });
        let (softly, kick) = if strict { (STRICTLY, self.kick * splat(STRICT_KICK)) } else { (SOFTLY, self.kick) };
        self.take(&grads, excess, kick, softly);
    }

    /// Along what points move so that the angle of a limit becomes less, by a radian for a radian.
    fn way_back(&self, limit: &Limit) -> Gradient {
        match limit {
            Limit::Hinge { points, middle, .. } => self.unbending(points, *middle),
            Limit::Cone { frame, limb, axis, .. } => self.turning(frame, limb, self.swing(frame, limb, *axis).1),
            Limit::Twist { frame, limb, axis, side, .. } => {
                let (angle, about) = self.roll(frame, limb, *axis, *side);
                let sign = select(less(angle, F4::ZERO), splat(2.0), splat(-2.0));
                self.turning(frame, limb, about * (sign * per_square(about)))
            }
        }
    }

    /// The angle of a hinge from the middle of what is allowed, radians, and the arms of its ends about its line.
    #[inline(never)]
    pub fn bend(&self, points: &[u32; 4], middle: f32) -> (F4, [V3; 2]) {
        let [a, j, x, b] = points.map(|p| self.at[p as usize]);
        let (axis, _) = direction_inline(x - j, M3::IDENTITY.x);
        let arms = [axis.cross(j - a), axis.cross(b - j)];
        let angle = self.angles.of(arms[0].cross(arms[1]).dot(axis), arms[0].dot(arms[1])) - splat(middle);
        // From minus half a turn to half a turn.
        let (half, turn) = (splat(std::f32::consts::PI), splat(std::f32::consts::TAU));
        let angle = select(greater(angle, half), angle - turn, angle);
        (select(less(angle, F4::ZERO - half), angle + turn, angle), arms)
    }

    /// The angle of a limb from its axis, and about what it turns towards it.
    #[inline(never)]
    pub fn swing(&self, frame: &[u32; 3], limb: &[u32; 3], axis: [f32; 3]) -> (F4, V3) {
        let axis = basis_of(self.at, frame).times(V3::splat(axis));
        let (way, _) = direction_inline(self.at[limb[1] as usize] - self.at[limb[0] as usize], axis);
        let about = way.cross(axis);
        let (about, sin) = direction_inline(about, perpendicular(way));
        (self.angles.of(sin, way.dot(axis)), about)
    }

    /// The angle by which a limb has rolled, and about what the limb turns to roll only: the sum of its direction and that of
    /// rest, which halves their angle. (The rate of the roll is ω · (a + d) / (1 + a · d): Listing's law. A limit that turned
    /// the limb about itself would do work as the limb swings.)
    #[inline(never)]
    fn roll(&self, frame: &[u32; 3], limb: &[u32; 3], axis: [f32; 3], side: [f32; 3]) -> (F4, V3) {
        let basis = basis_of(self.at, frame);
        let [j, tip, beside] = limb.map(|p| self.at[p as usize]);
        let from = basis.times(V3::splat(axis));
        let (way, _) = direction_inline(tip - j, from);
        let side = basis.times(V3::splat(side));
        // `side` after the shortest turn from `from` to `way`, whose axis times its sine is `v`; 1 + cos is true near a half turn
        // too.
        let (v, cos) = (from.cross(way), from.dot(way));
        let wide = less(cos, F4::ZERO);
        let sum = select(wide, v.dot(v) / select(wide, F4::ONE - cos, F4::ONE), F4::ONE + cos);
        let some = greater(sum, splat(1e-10));
        let along = v * (v.dot(side) / select(some, sum, F4::ONE));
        let wanted = V3::select(some, side * cos + v.cross(side) + along, side);
        let beside = beside - j;
        let beside = beside - way * way.dot(beside);
        (self.angles.of(wanted.cross(beside).dot(way), wanted.dot(beside)), from + way)
    }

    /// The gradients of the angle of two triangles over an edge: Bridson, Marino and Fedkiw, "Simulation of clothing with folds
    /// and wrinkles" (2003), section 4.
    fn unbending(&self, points: &[u32; 4], middle: f32) -> Gradient {
        let (angle, arms) = self.bend(points, middle);
        let [a, j, x, b] = points.map(|p| p as usize);
        let edge = self.at[x] - self.at[j];
        let sign = select(less(angle, F4::ZERO), F4::ONE, splat(-1.0));
        let grad_a = arms[0] * (sign * per_square(arms[0]));
        let grad_b = arms[1] * (sign * per_square(arms[1]));
        let along = per_square(edge);
        let part_a = (self.at[a] - self.at[j]).dot(edge) * along;
        let part_b = (self.at[b] - self.at[j]).dot(edge) * along;
        let grad_x = V3::ZERO - grad_a * part_a - grad_b * part_b;
        let grad_j = V3::ZERO - grad_a - grad_b - grad_x;
        let mut grads = Gradient::NONE;
        for (p, grad) in [(a, grad_a), (j, grad_j), (x, grad_x), (b, grad_b)] {
            grads.add(p, grad);
        }
        grads
    }

    /// How a limb turns against its frame about `about`, in radians times its length, as their points move.
    fn turning(&self, frame: &[u32; 3], limb: &[u32; 3], about: V3) -> Gradient {
        let mut grads = Gradient::NONE;
        self.turning_of(limb, about, &mut grads);
        self.turning_of(frame, V3::ZERO - about, &mut grads);
        grads
    }

    /// How the basis of three points turns as they move: with x to the second, at the length l, and the third at (s, h),
    /// a turn ω moves the second by ω × x l and the third by ω × (x s + y h). Without a third it turns across x only.
    #[inline(never)]
    fn turning_of(&self, points: &[u32; 3], about: V3, grads: &mut Gradient) {
        let [o, along, side] = points.map(|p| p as usize);
        let to = self.at[along] - self.at[o];
        let beside = if points[2] == NONE { perpendicular(to.normalized()) } else { self.at[side] - self.at[o] };
        let M3 { x, y, z } = M3::basis(V3::ZERO, to, beside);
        let per_length = to.dot(x) * per_square(to);
        let mut grad = z * (F4::ZERO - about.dot(y) * per_length) + y * (about.dot(z) * per_length);
        if points[2] != NONE {
            let height = y * beside.dot(y);
            let turned = z * (about.dot(x) * height.dot(y) * per_square(height));
            grad = grad - turned * (beside.dot(x) * per_length);
            grads.add(side, turned);
            grads.add(o, V3::ZERO - turned);
        }
        grads.add(along, grad);
        grads.add(o, V3::ZERO - grad);
    }

    /// Moves points along a gradient, each by its inverse mass, until what grows along it has grown by `by`. Momentum and its
    /// moment stay as they are where it does not grow as all move or turn alike.
    #[inline(never)]
    pub fn take(&mut self, grads: &Gradient, by: F4, kick: F4, softly: f32) {
        let mut closing = F4::ZERO;
        for (p, grad) in &grads.points[..grads.count] {
            closing -= grad.dot(self.at[*p] - self.was[*p]);
        }
        let (push, release) = taken(by, closing, kick, softly);
        self.push(grads, push, release);
    }

    fn push(&mut self, grads: &Gradient, push: F4, release: F4) {
        let grads = &grads.points[..grads.count];
        let sum = grads.iter().fold(F4::ZERO, |sum, (p, grad)| sum + self.weight[*p] * grad.dot(*grad));
        let some = greater(sum, F4::ZERO);
        let per = select(some, F4::ONE / select(some, sum, F4::ONE), F4::ZERO);
        let (push, release) = (push * per, release * per);
        for (p, grad) in grads {
            self.at[*p] = self.at[*p] + *grad * (push * self.weight[*p]);
            self.was[*p] = self.was[*p] + *grad * (release * self.weight[*p]);
        }
    }

    /// Turns a limb towards where its carrier would have it: by the part `pull` of the way there.
    pub fn seek(&mut self, frame: &[u32; 3], limb: &[u32; 3], turn: V3, pull: F4) {
        let (about, angle) = direction_inline(turn, V3::ZERO);
        let grads = self.turning(frame, limb, about);
        let push = angle * pull;
        self.push(&grads, push, push * splat(SOFT));
    }
}

/// The basis of three points: origin, along, and side.
#[inline(never)]
pub(super) fn basis_of(at: &[V3], points: &[u32; 3]) -> M3 {
    let [o, along, side] = points.map(|p| at[p as usize]);
    M3::basis(o, along, side)
}

/// How the points of a bone lie: their basis; without a side, as a vector part, the direction to the second, or `otherwise`
/// where it has none.
#[inline(never)]
pub(super) fn lie(at: &[V3], points: &[u32; 3], otherwise: V3) -> Q4 {
    if points[2] != NONE {
        return Q4::of(basis_of(at, points));
    }
    let (way, _) = direction_inline(at[points[1] as usize] - at[points[0] as usize], otherwise);
    Q4 { v: way, w: F4::ZERO }
}

/// 1 / length²; 0 for none.
#[inline(always)]
fn per_square(v: V3) -> F4 {
    let square = v.dot(v);
    let some = greater(square, splat(1e-20));
    select(some, F4::ONE / select(some, square, F4::ONE), F4::ZERO)
}

/// A joint that is bent by more than this beyond its limit, radians, gives way, and by how much faster than it comes back.
const GIVE: f32 = 0.003;
const YIELD: f32 = 1.7;
const MOST_YIELD: f32 = 0.12;

/// Part of the excess that a small step takes back, beyond what has moved in: of hinges, which must not bend back, and of
/// the others.
const STRICTLY: f32 = 1.0;
const STRICT_EASE: f32 = 7.0;
const STRICT_KICK: f32 = 20.0;
const SOFTLY: f32 = 0.03;

/// Part of what a limb is turned to its pose that gives it no speed, so that it does not swing about it.
const SOFT: f32 = 0.7;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::signed;

    /// Six points of a frame and of a limb that hangs on it, anyhow.
    fn points(seed: u64) -> Vec<V3> {
        (0..6).map(|p| V3::splat(std::array::from_fn(|c| signed(seed * 100 + p * 3 + c as u64)))).collect()
    }

    #[test]
    fn what_is_taken_back_is_the_excess_and_moves_nothing_else() {
        let frame = [0, 1, 2];
        let limits = [
            Limit::Cone { frame, limb: [3, 4, 5], axis: [0.6, 0.0, 0.8], most: 0.2 },
            Limit::Twist { frame, limb: [3, 4, 5], axis: [0.6, 0.0, 0.8], side: [0.0, 1.0, 0.0], most: 0.1 },
            Limit::Hinge { points: [0, 3, 4, 5], middle: 0.3, half: 0.1 },
        ];
        for (seed, limit) in (0..60).map(|seed| (seed, &limits[seed as usize % 3])) {
            let mut at = points(seed);
            let mut was = at.clone();
            let mass: Vec<F4> = (0..6).map(|p| splat(1.5 + signed(seed + p))).collect();
            let weight: Vec<F4> = mass.iter().map(|m| F4::ONE / *m).collect();
            let before = at.clone();
            let mut points =
                Points { at: &mut at, was: &mut was, weight: &weight, angles: &Angles::new(), kick: splat(1.0) };
            let excess = points.excess(limit);
            let grads = points.way_back(limit);
            points.take(&grads, splat(0.001), splat(1.0), 1.0);
            let less = excess - points.excess(limit);
            let taken = less.as_array()[0];
            assert!((taken - 0.001).abs() < 1e-4, "{seed}: {taken}");
            let (mut push, mut turn) = (V3::ZERO, V3::ZERO);
            for p in 0..6 {
                push = push + (at[p] - before[p]) * mass[p];
                turn = turn + before[p].cross(at[p] - before[p]) * mass[p];
            }
            let size = |v: V3| v.dot(v).sqrt().as_array()[0];
            assert!(size(push) < 1e-5 && size(turn) < 1e-5, "{seed}: {} {}", size(push), size(turn));
        }
    }
}
