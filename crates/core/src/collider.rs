//! Shapes that particles are kept out of, or in, moving between poses: spheres, capsules, planes, tapered capsules, boxes.

use crate::error::{Error, Result};
use crate::lanes::{F4, V3, greater, larger, less, select, splat};
use crate::spatial::unit;
use crate::text;
use glam::{Mat3, Quat, Vec3, Vec4};

/// Numbers of a collider in its channel: `[ax, ay, az, bx, by, bz, radius, friction, more × 4]`, where `more` is the radius
/// at b of a tapered capsule, or the quaternion of a box.
pub const STRIDE: usize = 12;

/// Added to the number of a kind whose shape particles are kept inside.
pub const INSIDE: u32 = 8;

/// What the channel of colliders holds, for the generator.
pub const CHANNEL_TEXT: &str = "`[ax, ay, az, bx, by, bz, radius, friction, more × 4] × colliders`, world, metres: the centre of a sphere or box is a; a capsule runs from a to b, and a tapered one has its radius at b in more[0]; a plane's normal is a and its offset bx; a box has its half extents in b, its quaternion in more";

/// What the operation that replaces them takes, for the generator.
pub const COMMAND_TEXT: &str = "Replaces the colliders by the payload's: `[kind, ax, ay, az, bx, by, bz, radius, friction, more × 4]` each, kind 0 sphere, 1 capsule, 2 plane, 3 tapered capsule, 4 box; 8 more, but for a plane, is a shape to stay inside. Throws `invalid-option` for a radius below 0 or a number that is not finite.";

/// Coordinates and radii beyond this are refused, so that no square overflows.
pub const FARTHEST: f32 = 1e6;

/// Whether a number can be a coordinate: NaN and infinities cannot.
pub fn within_reach(v: &f32) -> bool {
    v.abs() <= FARTHEST
}

/// The error for a number that is not [`within_reach`].
pub fn out_of_reach(name: &str, unit: &str, got: f32) -> Error {
    let space = if unit.is_empty() { "" } else { " " };
    Error::input(text![name, " must be from -", FARTHEST, " to ", FARTHEST, space, unit, ", got ", got])
}

/// The error for the first of `values` that is not [`within_reach`], if one is not.
pub fn check_reach(name: &str, unit: &str, values: &[f32]) -> Result<()> {
    match values.iter().position(|v| !within_reach(v)) {
        Some(i) => Err(out_of_reach(&text![name, "[", i, "]"], unit, values[i])),
        None => Ok(()),
    }
}

/// The colliders of the operation that replaces them, checked.
pub fn read_all(payload: &[f32]) -> Result<Vec<Collider>> {
    if !payload.len().is_multiple_of(STRIDE + 1) {
        return Err(Error::input(text!["colliders take ", STRIDE + 1, " numbers each, got ", payload.len()]));
    }
    let mut colliders = Vec::new();
    for (i, numbers) in payload.as_chunks().0.iter().enumerate() {
        colliders.push(Collider::new(numbers, i)?);
    }
    Ok(colliders)
}

/// Where colliders are, as in the channel.
pub fn poses(colliders: &[Collider]) -> Vec<f32> {
    let mut poses = Vec::new();
    colliders.iter().for_each(|collider| poses.extend_from_slice(&collider.pose));
    poses
}

/// Colliders made ready to meet particles.
pub fn solids(colliders: &[Collider]) -> Vec<Solid> {
    let mut solids = Vec::new();
    colliders.iter().for_each(|collider| solids.push(collider.solid()));
    solids
}

/// Takes colliders to where the channel has them.
#[inline(never)]
pub fn take_poses(colliders: &mut [Collider], poses: &[f32]) {
    for (collider, pose) in colliders.iter_mut().zip(poses.as_chunks().0) {
        collider.pose = *pose;
    }
}

/// Refuses poses that cannot be simulated, of colliders that are what `colliders` are.
pub fn check_all(poses: &[f32], colliders: &[Collider]) -> Result<()> {
    for (i, (pose, collider)) in poses.as_chunks().0.iter().zip(colliders).enumerate() {
        Collider { pose: *pose, ..*collider }.check(i)?;
    }
    Ok(())
}

/// Whether all can be simulated.
pub fn all_sound(colliders: &[Collider]) -> bool {
    colliders.iter().all(|collider| collider.check(0).is_ok())
}

/// Adds the kinds of colliders, as in the channel.
pub fn kinds(colliders: &[Collider], words: &mut Vec<u32>) {
    colliders.iter().for_each(|collider| words.push(collider.kind()));
}

/// What a collider is; as a number, its kind in the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A ball around a.
    Sphere,
    /// All within the radius of the segment from a to b.
    Capsule,
    /// All below the plane with normal a and offset bx.
    Plane,
    /// The balls around a and b, each with its radius, and all between them.
    TaperedCapsule,
    /// A box around a with half extents b, turned by a quaternion.
    Box,
}

/// One collider at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collider {
    /// What it is.
    pub shape: Shape,
    /// It keeps particles in, not out.
    pub inside: bool,
    /// Its numbers, as in the channel.
    pub pose: [f32; STRIDE],
}

impl Collider {
    /// A collider of `[kind, ax, ay, az, bx, by, bz, radius, friction, more × 4]`, checked; `index` is for the message.
    pub fn new(numbers: &[f32; STRIDE + 1], index: usize) -> Result<Self> {
        let inside = numbers[0] >= INSIDE as f32;
        let shape = match numbers[0] - if inside { INSIDE as f32 } else { 0.0 } {
            0.0 => Shape::Sphere,
            1.0 => Shape::Capsule,
            2.0 if !inside => Shape::Plane,
            3.0 => Shape::TaperedCapsule,
            4.0 => Shape::Box,
            _ => {
                return Err(Error::option(text![
                    "colliders[",
                    index,
                    "].kind must be sphere, capsule, plane, taperedCapsule or box, got ",
                    numbers[0]
                ]));
            }
        };
        let mut pose = [0.0; STRIDE];
        pose.copy_from_slice(&numbers[1..=STRIDE]);
        let collider = Collider { shape, inside, pose };
        collider.check(index)?;
        Ok(collider)
    }

    /// Its kind's number in the channel.
    pub fn kind(&self) -> u32 {
        self.shape as u32 + if self.inside { INSIDE } else { 0 }
    }

    /// Refuses a pose that cannot be simulated.
    pub fn check(&self, index: usize) -> Result<()> {
        for (i, value) in self.pose.iter().enumerate() {
            let size = matches!((i, self.shape), (6 | 7, _) | (3..6, Shape::Box) | (8, Shape::TaperedCapsule));
            let least = if size { 0.0 } else { -FARTHEST };
            let most = if i == 7 { 1.0 } else { FARTHEST };
            if !(*value >= least && *value <= most) {
                let name = self.name(i);
                return Err(Error::option(text![
                    "colliders[",
                    index,
                    "].",
                    name,
                    " must be a number from ",
                    least,
                    " to ",
                    most,
                    ", got ",
                    value
                ]));
            }
        }
        let (name, given) = match self.shape {
            Shape::Plane => ("normal", self.a().extend(0.0)),
            Shape::Box => ("rotation", self.turn()),
            _ => return Ok(()),
        };
        if given.length() < 1e-6 {
            return Err(Error::option(text!["colliders[", index, "].", name, " must be longer than 0, got 0"]));
        }
        Ok(())
    }

    /// What number `i` of the pose is called.
    fn name(&self, i: usize) -> String {
        let (name, first) = match (i, self.shape) {
            (7, _) => ("friction", None),
            (6, Shape::TaperedCapsule) => ("radiusA", None),
            (8, Shape::TaperedCapsule) => ("radiusB", None),
            (6, _) => ("radius", None),
            (8.., _) => ("rotation", Some(8)),
            (3, Shape::Plane) => ("offset", None),
            (3.., Shape::Box) => ("halfExtents", Some(3)),
            (3.., _) => ("b", Some(3)),
            (_, Shape::Sphere | Shape::Box) => ("center", Some(0)),
            (_, Shape::Plane) => ("normal", Some(0)),
            _ => ("a", Some(0)),
        };
        first.map_or_else(|| name.into(), |first| text![name, "[", i - first, "]"])
    }

    fn a(&self) -> Vec3 {
        Vec3::from_slice(&self.pose)
    }

    fn b(&self) -> Vec3 {
        Vec3::from_slice(&self.pose[3..])
    }

    /// The quaternion of a box.
    fn turn(&self) -> Vec4 {
        Vec4::from_slice(&self.pose[8..])
    }

    /// The same for what stays in the plane z = 0: a box goes on for ever along its axis that points out of it most.
    pub fn upright(mut self) -> Collider {
        if self.shape == Shape::Box {
            let turn = Mat3::from_quat(Quat::from_vec4(self.turn().normalize_or(Vec4::W)));
            let out = [turn.x_axis.z, turn.y_axis.z, turn.z_axis.z].map(f32::abs);
            let most = if out[0] > out[1] && out[0] > out[2] {
                0
            } else if out[1] > out[2] {
                1
            } else {
                2
            };
            self.pose[3 + most] = FARTHEST;
        }
        self
    }

    /// Half its thickness, metres: what moves less than that meets all that it passes. 0 where nothing can be missed, as by
    /// a plane, or by what keeps particles in.
    pub fn thickness(&self) -> f32 {
        let b = self.b();
        match self.shape {
            Shape::Plane => 0.0,
            _ if self.inside => 0.0,
            Shape::TaperedCapsule => (self.pose[6] + self.pose[8]) * 0.5,
            Shape::Box => [b.y, b.z].into_iter().fold(b.x, |least, e| if e < least { e } else { least }),
            _ => self.pose[6],
        }
    }

    /// The collider on its way from where it is (0) to the pose `to` (1); exactly there at 1. A box turns the shorter way.
    pub fn towards(&self, to: [f32; STRIDE], t: f32) -> Collider {
        let mut pose = if t == 1.0 { to } else { std::array::from_fn(|i| self.pose[i] + (to[i] - self.pose[i]) * t) };
        if self.shape == Shape::Box && t != 1.0 {
            let (from, to) = self.turns(to);
            pose[8..].copy_from_slice(&(from + (to - from) * t).normalize_or(to).to_array());
        }
        Collider { pose, ..*self }
    }

    /// The quaternions of a box here and in the pose `to`, of unit length, and of the two signs that which is nearer.
    fn turns(&self, to: [f32; STRIDE]) -> (Vec4, Vec4) {
        let (from, to) = (turn_of(&self.pose), turn_of(&to));
        (from, if from.dot(to) < 0.0 { -to } else { to })
    }

    /// How far any of its points moves at most on the way to `to`, metres.
    pub fn motion(&self, to: &Collider) -> f32 {
        let (a, b) = ((to.a() - self.a()).length(), (to.b() - self.b()).length());
        match self.shape {
            Shape::Plane => 0.0,
            Shape::Sphere => a,
            Shape::Box => {
                // The chord of an angle is at most twice that of the quaternions, which turn by half of it.
                let (from, there) = self.turns(to.pose);
                a + b + 2.0 * (there - from).length() * to.b().length()
            }
            _ if b > a => b,
            _ => a,
        }
    }

    /// Made ready to meet particles.
    pub fn solid(&self) -> Solid {
        let (mut origin, mut axis, mut side, mut offset) = (self.a(), Vec3::ZERO, Vec3::Y, 0.0);
        let (mut radius, mut taper, mut slope, mut frame) = (self.pose[6], 0.0, 0.0, [V3::ZERO; 3]);
        match self.shape {
            Shape::Sphere => {}
            Shape::Capsule | Shape::TaperedCapsule => axis = self.b() - origin,
            Shape::Plane => {
                side = unit(origin, Vec3::ZERO);
                (origin, offset) = (Vec3::ZERO, self.pose[3]);
            }
            Shape::Box => {
                let turn = Mat3::from_quat(Quat::from_vec4(turn_of(&self.pose)));
                frame = [turn.x_axis, turn.y_axis, turn.z_axis].map(|axis| V3::splat(axis.to_array()));
                axis = self.b();
            }
        }
        let square = axis.length_squared();
        let mut per_square = 0.0;
        if self.shape != Shape::Box && square > 1e-30 {
            per_square = 1.0 / square;
            side = unit(axis.any_orthogonal_vector(), Vec3::Y);
        }
        if self.shape == Shape::TaperedCapsule {
            taper = self.pose[8] - radius;
            let length = square.sqrt();
            let rise = ((length - taper) * (length + taper)).sqrt();
            if per_square > 0.0 && rise > 0.0 {
                slope = taper / (length * rise);
                side = (side * rise - axis * (taper / length)) * (1.0 / length);
            } else {
                // One ball holds the other.
                if taper > 0.0 {
                    (origin, radius) = (self.b(), self.pose[8]);
                }
                (axis, per_square, taper) = (Vec3::ZERO, 0.0, 0.0);
            }
        }
        Solid {
            form: match self.shape {
                Shape::Plane => Form::Plane,
                Shape::Box => Form::Box,
                Shape::Sphere | Shape::Capsule if !self.inside => Form::Round,
                _ => Form::Tapered,
            },
            origin: V3::splat(origin.to_array()),
            axis: V3::splat(axis.to_array()),
            per_square: splat(per_square),
            side: V3::splat(side.to_array()),
            offset: splat(offset),
            radius: splat(radius),
            friction: splat(self.pose[7]),
            slippery: self.pose[7] == 0.0,
            taper: splat(taper),
            slope: splat(slope),
            sign: splat(if self.inside { -1.0 } else { 1.0 }),
            frame,
        }
    }
}

/// The quaternion of a box, of unit length.
#[inline(never)]
fn turn_of(pose: &[f32; STRIDE]) -> Vec4 {
    Vec4::from_slice(&pose[8..]).normalize_or(Vec4::W)
}

/// How a solid is met.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Plane,
    /// A sphere or a capsule from outside, which needs no root where nothing is near.
    Round,
    /// Balls along a segment.
    Tapered,
    Box,
}

/// A collider made ready: everything that does not depend on the particle is worked out.
#[derive(Clone, Copy, Debug)]
pub struct Solid {
    form: Form,
    origin: V3,
    /// From a to b, or the half extents of a box.
    axis: V3,
    /// 1 / |axis|², or 0 for a sphere.
    per_square: F4,
    /// The plane's normal; elsewhere the way out for a particle exactly on the axis.
    side: V3,
    offset: F4,
    /// At a.
    radius: F4,
    friction: F4,
    slippery: bool,
    /// What the radius gains from a to b.
    taper: F4,
    /// How far the nearest ball lies towards b from the foot of the perpendicular, as a part of the axis for each metre of
    /// distance from it.
    slope: F4,
    /// −1 where particles are kept inside.
    sign: F4,
    /// The axes of a box.
    frame: [V3; 3],
}

impl Solid {
    /// From the nearest point of the axis (or of the plane) to the particles: the way out and how far they are.
    ///
    /// The closest point on a segment is Ericson, "Real-Time Collision Detection" (2005), 5.1.2.
    #[inline(always)]
    fn off_axis(&self, p: V3) -> V3 {
        let from_a = p - self.origin;
        from_a - self.axis * part(from_a.dot(self.axis) * self.per_square)
    }

    /// Unit vectors out of the solid at the particles, and how far these are from its axis (or plane).
    #[inline(always)]
    fn way_out(&self, q: V3) -> (V3, F4) {
        let square = q.dot(q);
        let some = greater(square, splat(1e-18));
        let length = select(some, square, F4::ONE).sqrt();
        (V3::select(some, q * (F4::ONE / length), self.side), select(some, length, F4::ZERO))
    }

    /// Unit vectors along which the particles leave the forbidden region soonest, and how far they are from its border,
    /// metres: below 0 inside the region. Of what keeps particles in, the region is all around it, and the vectors point
    /// inwards.
    ///
    /// A ball of radius r is pushed along the vector by r less the distance, where that is above 0.
    pub fn separation(&self, p: V3) -> (V3, F4) {
        let (out, distance) = match self.form {
            Form::Plane => (self.side, self.side.dot(p) - self.offset),
            Form::Box => self.off_box(p),
            _ => self.off_cone(p),
        };
        (out * self.sign, distance * self.sign)
    }

    /// The way out of the balls whose centres go from a to b while their radii go from one to the other.
    ///
    /// The distance from ball `t`, |p − c(t)| − r(t), is convex in `t`, and its least value is the distance from the whole:
    /// outside since a union is as far as its nearest part, inside since the whole is convex. With p at height y along the
    /// axis and h beside it, and k what the radius gains a metre, the derivative is 0 at y + h k / √(1 − k²): the foot of
    /// the cone's normal through p, not that of the perpendicular to the axis. The same solid is "Round cone" in Quilez,
    /// "Distance functions" (iquilezles.org/articles/distfunctions).
    #[inline(always)]
    fn off_cone(&self, p: V3) -> (V3, F4) {
        let from_a = p - self.origin;
        let foot = from_a.dot(self.axis) * self.per_square;
        let beside = from_a - self.axis * foot;
        let t = part(foot + beside.dot(beside).sqrt() * self.slope);
        let (out, length) = self.way_out(from_a - self.axis * t);
        (out, length - (self.radius + self.taper * t))
    }

    /// The way out of a box: from outside, away from its nearest point; from inside, through the nearest face.
    #[inline(always)]
    fn off_box(&self, p: V3) -> (V3, F4) {
        let [x, y, z] = self.frame;
        let p = p - self.origin;
        let p = V3 { x: p.dot(x), y: p.dot(y), z: p.dot(z) };
        let beyond = V3 { x: p.x.abs(), y: p.y.abs(), z: p.z.abs() } - self.axis;
        let most = larger(larger(beyond.x, beyond.y), beyond.z);
        // Of what is nearer to the surface than this the square would be too small.
        let outside = greater(most, splat(1e-9));
        let one = |beyond, chosen, p| {
            let size = select(outside, larger(beyond, F4::ZERO), select(chosen, F4::ONE, F4::ZERO));
            select(less(p, F4::ZERO), F4::ZERO - size, size)
        };
        let (not_x, not_y) = (less(beyond.x, most), less(beyond.y, most));
        let (by_x, by_y) = (!not_x, not_x & !not_y);
        let way = V3 { x: one(beyond.x, by_x, p.x), y: one(beyond.y, by_y, p.y), z: one(beyond.z, not_x & not_y, p.z) };
        let length = way.dot(way).sqrt();
        let way = way * (F4::ONE / length);
        (x * way.x + y * way.y + z * way.z, select(outside, length, most))
    }

    /// The normal of the surface nearest to the particles.
    pub fn normal(&self, p: V3) -> V3 {
        match self.form {
            Form::Plane => self.side,
            Form::Round => self.way_out(self.off_axis(p)).0,
            _ => self.separation(p).0,
        }
    }

    /// Whether any particle, where `free` is on, is closer to the surface than `margin`, or inside.
    #[inline(always)]
    pub fn within(&self, p: V3, free: F4, margin: f32) -> bool {
        let margin = splat(margin);
        let near = match self.form {
            Form::Plane => less(self.side.dot(p) - self.offset, margin),
            Form::Round => {
                let q = self.off_axis(p);
                let reach = self.radius + margin;
                less(q.dot(q), reach * reach)
            }
            _ => less(self.separation(p).1, margin),
        };
        (free & near).any()
    }

    /// Pushes the particles that are inside, where `free` is on, to the surface; `o`, where they were a step ago, follows
    /// sideways by the friction. Gives how deep each was inside, metres; 0 where it was not.
    #[inline(never)]
    pub fn push_out(&self, p: &mut V3, o: &mut V3, free: F4) -> F4 {
        let (out, depth, inside);
        match self.form {
            Form::Plane => {
                let distance = self.side.dot(*p) - self.offset;
                inside = free & less(distance, F4::ZERO);
                if !inside.any() {
                    return F4::ZERO;
                }
                (out, depth) = (self.side, F4::ZERO - distance);
            }
            Form::Round => {
                let q = self.off_axis(*p);
                inside = free & less(q.dot(q), self.radius * self.radius);
                if !inside.any() {
                    return F4::ZERO;
                }
                let (way, length) = self.way_out(q);
                (out, depth) = (way, self.radius - length);
            }
            _ => {
                let (way, distance) = self.separation(*p);
                inside = free & less(distance, F4::ZERO);
                if !inside.any() {
                    return F4::ZERO;
                }
                (out, depth) = (way, F4::ZERO - distance);
            }
        }
        let depth = select(inside, depth, F4::ZERO);
        *p = *p + out * depth;
        self.drag(p, o, out, inside);
        depth
    }

    /// Where `inside` is on, `o`, where the particles were a step ago, follows them sideways by the friction.
    #[inline(always)]
    pub fn drag(&self, p: &V3, o: &mut V3, out: V3, inside: F4) {
        if !self.slippery {
            let moved = *p - *o;
            let along = moved - out * moved.dot(out);
            *o = *o + along * select(inside, self.friction, F4::ZERO);
        }
    }
}

/// `t` where it is from 0 to 1, else the nearer of the two; 0 where it is NaN.
#[inline(always)]
fn part(t: F4) -> F4 {
    select(greater(t, F4::ZERO), select(less(t, F4::ONE), t, F4::ONE), F4::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::ON;
    use proptest::prelude::*;

    /// A payload: the numbers after which only zeros come.
    fn payload(numbers: &[f32]) -> [f32; STRIDE + 1] {
        std::array::from_fn(|i| numbers.get(i).copied().unwrap_or(0.0))
    }

    fn solid(numbers: &[f32]) -> Solid {
        Collider::new(&payload(numbers), 0).unwrap().solid()
    }

    fn pushed(numbers: &[f32], at: [f32; 3]) -> Vec3 {
        let mut p = V3::splat(at);
        solid(numbers).push_out(&mut p, &mut V3::splat(at), splat(ON));
        Vec3::from_array(p.get(2))
    }

    fn separation(numbers: &[f32], at: [f32; 3]) -> (Vec3, f32) {
        let (out, distance) = solid(numbers).separation(V3::splat(at));
        (Vec3::from_array(out.get(1)), distance.as_array()[1])
    }

    const INSIDE_SPHERE: f32 = 8.0;
    const SIDEWAYS: f32 = std::f32::consts::FRAC_1_SQRT_2;

    #[test]
    fn particles_end_on_the_surface() {
        let cases: [(&[f32], [f32; 3], [f32; 3]); 9] = [
            (&[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]),
            (&[1.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 1.0], [0.0, 2.0, 0.5], [0.0, 2.0, 1.0]),
            (&[1.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 1.0], [0.0, 4.5, 0.0], [0.0, 5.0, 0.0]),
            (&[2.0, 0.0, 2.0, 0.0, 1.0], [3.0, 0.25, 1.0], [3.0, 1.0, 1.0]),
            // A cone of 30°: from half way up its axis the surface is 1.5 m away, 60° from the axis.
            (
                &[3.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 2.5, 0.0, 0.5],
                [0.0, 2.0, 0.001],
                [0.0, 2.0 + 1.5 * 0.5, 1.5 * 0.866_025_4],
            ),
            (&[4.0, 1.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [1.5, 1.0, 1.0], [2.0, 1.0, 1.0]),
            // A quarter turn about z swaps x and y.
            (
                &[4.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, SIDEWAYS, SIDEWAYS],
                [1.8, 0.5, 0.0],
                [2.0, 0.5, 0.0],
            ),
            (&[INSIDE_SPHERE, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5], [0.0, 1.0, 4.0], [0.0, 1.0, 0.5]),
            (&[12.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [3.0, 0.5, -2.0], [1.0, 0.5, -1.0]),
        ];
        for (numbers, from, to) in cases {
            let end = pushed(numbers, from);
            assert!((end - Vec3::from_array(to)).length() < 2e-3, "{numbers:?}: {end}");
        }
    }

    #[test]
    fn a_particle_that_may_be_there_stays_to_the_bit() {
        for (numbers, at) in [
            (&[8.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0][..], [0.3, 0.2, 0.9]),
            (&[12.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [0.9, -0.9, 0.9]),
            (&[4.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [0.9, -1.01, 0.9]),
            (&[3.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.2, 0.0, 0.1], [0.19, 0.9, 0.0]),
        ] {
            assert_eq!(pushed(numbers, at), Vec3::from_array(at));
        }
    }

    #[test]
    fn vrm_distances_hold() {
        // Less the radius 1 of the joint.
        let check = |numbers: &[f32], at, distance: f32, out: [f32; 3]| {
            let (way, apart) = separation(numbers, at);
            assert!((apart - 1.0 - distance).abs() < 1e-6, "{apart}");
            assert!((way - Vec3::from_array(out)).length() < 1e-6, "{way}");
        };
        let (half, sixth) = (SIDEWAYS, 6f32.sqrt().recip());
        check(&[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [2.0, 1.0, 0.0], -0.585_786, [half, half, 0.0]);
        let capsule = [1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        check(&capsule, [-2.0, 0.0, 1.0], -0.585_786, [-half, 0.0, half]);
        check(&capsule, [3.0, 0.0, 0.0], 0.449_490, [2.0 * sixth, -sixth, -sixth]);
        // Inside: the radius less the joint's and the way from the centre, back along that way.
        check(&[8.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0], [2.0, 1.0, 0.0], 3.0 - 1.0 - 2f32.sqrt(), [-half, -half, 0.0]);
        check(&[9.0, -1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0], [-2.0, 0.0, 1.0], -(2f32.sqrt()), [half, 0.0, -half]);
    }

    #[test]
    fn equal_radii_are_a_capsule_to_the_bit() {
        for at in [[0.4, 0.3, 0.2], [0.0, 3.0, 0.1], [-0.1, -2.0, 0.7]] {
            let tapered = separation(&[3.0, 0.1, 0.0, 0.0, 0.2, 1.0, 0.3, 0.25, 0.0, 0.25], at);
            assert_eq!(tapered, separation(&[1.0, 0.1, 0.0, 0.0, 0.2, 1.0, 0.3, 0.25], at));
        }
    }

    #[test]
    fn degenerate_solids_have_a_way_out_too() {
        let inside = |kind: f32| if kind == 2.0 { kind } else { kind + 8.0 };
        let shapes: [&[f32]; 12] = [
            &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            &[0.0],
            &[1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 1.0],
            &[1.0],
            &[1.0, 0.0, 0.0, 0.0, 1e-22, 0.0, 0.0, 1.0],
            &[2.0, 0.0, 1.0],
            &[3.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.5],
            // Equal centres, one ball in the other, and one that only just is not.
            &[3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0],
            &[3.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.2, 0.0, 1.0],
            &[3.0, 0.0, -0.5, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.999_999_9],
            &[4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            &[4.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.1, -0.2, 0.3, 0.4],
        ];
        for numbers in shapes {
            for kind in [numbers[0], inside(numbers[0])] {
                let mut numbers = numbers.to_vec();
                numbers[0] = kind;
                for at in [[0.0; 3], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [1e-12, 0.0, 0.0], [0.3, 1e7, -1e7]] {
                    let (way, distance) = separation(&numbers, at);
                    assert!(distance.is_finite() && (way.length() - 1.0).abs() < 1e-5, "{numbers:?} at {at:?}: {way}");
                }
            }
        }
        assert!((pushed(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [0.0; 3]).length() - 1.0).abs() < 1e-6);
        assert!((pushed(&[1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 1.0], [0.0; 3]).length() - 1.0).abs() < 1e-6);
        // From a cube's centre it leaves through one face, not along a diagonal.
        let cube = [4.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        assert_eq!(pushed(&cube, [0.0; 3]), Vec3::X);
        // The larger of two balls, where it holds the other.
        assert_eq!(separation(&[3.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.2, 0.0, 1.0], [0.0, -3.0, 0.0]).1, 2.5);
    }

    #[test]
    fn a_box_turns_the_shorter_way() {
        let turned = |angle: f32, sign: f32| {
            let (sin, cos) = (angle * 0.5).sin_cos();
            payload(&[4.0, 0.0, 0.0, 0.0, 2.0, 1.0, 1.0, 0.0, 0.0, 0.0, sin * sign, 0.0, cos * sign])
        };
        let from = Collider::new(&turned(0.0, 1.0), 0).unwrap();
        for sign in [1.0, -1.0] {
            let to = Collider::new(&turned(1.0, sign), 0).unwrap();
            let half = from.towards(to.pose, 0.5);
            let expected = Collider::new(&turned(0.5, 1.0), 0).unwrap();
            assert!(half.pose.iter().zip(expected.pose).all(|(a, b)| (a - b).abs() < 1e-6), "{half:?}");
            assert_eq!(from.towards(to.pose, 1.0), to);
            // A corner 2.45 m out moves by that many radians at most.
            let motion = from.motion(&to);
            assert!(motion > 6f32.sqrt() * 0.95 && motion < 6f32.sqrt() * 1.05, "{motion}");
        }
    }

    #[test]
    fn a_bad_collider_is_named() {
        let refused = |numbers: &[f32], index| Collider::new(&payload(numbers), index).unwrap_err().message.clone();
        for (numbers, index, message) in [
            (&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0][..], 3, "3].radius must be a number from 0 to 1000000, got -1"),
            (
                &[0.0, 0.0, f32::NAN, 0.0, 0.0, 1.0, 0.0, 1.0],
                0,
                "0].center[1] must be a number from -1000000 to 1000000, got NaN",
            ),
            (&[3.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0], 0, "0].radiusA must be a number from 0 to 1000000, got -1"),
            (
                &[11.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -2.0],
                0,
                "0].radiusB must be a number from 0 to 1000000, got -2",
            ),
            (&[4.0, 0.0, 0.0, 0.0, 1.0, -1.0], 1, "1].halfExtents[1] must be a number from 0 to 1000000, got -1"),
            (&[4.0, 0.0, 0.0, 0.0, 1.0, 1.0], 1, "1].rotation must be longer than 0, got 0"),
            (&[2.0, 0.0, 0.0, 0.0, 1.0, 1.0], 1, "1].normal must be longer than 0, got 0"),
            (&[2.0, 0.0, 1.0, 0.0, 1e9], 1, "1].offset must be a number from -1000000 to 1000000, got 1000000000"),
            (&[10.0, 0.0, 1.0], 0, "0].kind must be sphere, capsule, plane, taperedCapsule or box, got 10"),
        ] {
            assert_eq!(refused(numbers, index), format!("colliders[{message}"));
        }
    }

    /// How far `p` is from the hull of two balls: the largest distance from one of its supporting planes, whose normals lie in
    /// the plane of p and the axis. These are tried in steps, then around the best in ever smaller ones.
    fn beyond(balls: [(glam::DVec3, f64); 2], p: glam::DVec3) -> f64 {
        let along = (balls[1].0 - balls[0].0).normalize_or(glam::DVec3::X);
        let aside = (p - balls[0].0).reject_from_normalized(along).normalize_or(along.any_orthonormal_vector());
        let at = |angle: f64| {
            let n = along * angle.cos() + aside * angle.sin();
            balls.iter().map(|(centre, radius)| n.dot(p - *centre) - radius).fold(f64::MAX, f64::min)
        };
        let best = |most: f64, angle: f64| if at(angle) > at(most) { angle } else { most };
        let mut most = (0..1000).map(|k| f64::from(k) * 0.00629).fold(0.0, best);
        let mut step = 0.01;
        while step > 1e-9 {
            most = [most - step, most + step].into_iter().fold(most, best);
            step *= 0.7;
        }
        at(most)
    }

    fn unit(v: [f32; 4]) -> glam::DQuat {
        glam::DQuat::from_array(v.map(f64::from)).normalize()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

        #[test]
        fn tapered_capsules_are_as_far_as_their_supporting_planes(
            a in prop::array::uniform3(-1.0f32..1.0), b in prop::array::uniform3(-1.0f32..1.0),
            radii in prop::array::uniform2(0.0f32..0.8), p in prop::array::uniform3(-2.0f32..2.0),
        ) {
            let numbers = [3.0, a[0], a[1], a[2], b[0], b[1], b[2], radii[0], 0.0, radii[1]];
            let (way, distance) = separation(&numbers, p);
            let [da, db, dp] = [a, b, p].map(|v| Vec3::from_array(v).as_dvec3());
            let balls = [(da, f64::from(radii[0])), (db, f64::from(radii[1]))];
            prop_assert!((f64::from(distance) - beyond(balls, dp)).abs() < 5e-6, "{distance} {}", beyond(balls, dp));
            prop_assert!(beyond(balls, dp - way.as_dvec3() * f64::from(distance)).abs() < 5e-6);
            let mut numbers = numbers;
            numbers[0] = 11.0;
            prop_assert_eq!(separation(&numbers, p), (way * -1.0, -distance));
        }

        #[test]
        fn boxes_are_as_far_as_their_nearest_point(
            centre in prop::array::uniform3(-1.0f32..1.0), extents in prop::array::uniform3(0.0f32..1.5),
            turn in prop::array::uniform4(0.1f32..1.0), p in prop::array::uniform3(-2.0f32..2.0),
        ) {
            let mut numbers = [4.0, centre[0], centre[1], centre[2], extents[0], extents[1], extents[2], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
            numbers[9..].copy_from_slice(&turn);
            let (way, distance) = separation(&numbers, p);
            let [centre, extents, dp] = [centre, extents, p].map(|v| Vec3::from_array(v).as_dvec3());
            let reference = |p: glam::DVec3| {
                let local = unit(turn).inverse() * (p - centre);
                let inside = (local.abs() - extents).max_element();
                if inside > 0.0 { local.distance(local.clamp(-extents, extents)) } else { inside }
            };
            prop_assert!((f64::from(distance) - reference(dp)).abs() < 5e-6, "{distance} {}", reference(dp));
            prop_assert!(reference(dp - way.as_dvec3() * f64::from(distance)).abs() < 5e-6);
            numbers[0] = 12.0;
            prop_assert_eq!(separation(&numbers, p), (way * -1.0, -distance));
        }

        #[test]
        fn any_collider_pushes_to_a_finite_place(
            kind in prop::sample::select(vec![0.0f32, 1.0, 2.0, 3.0, 4.0, 8.0, 9.0, 11.0, 12.0]),
            numbers in prop::collection::vec(prop_oneof![-2.0f32..2.0, Just(0.0), Just(1e-20), Just(1e-9), Just(1e6)], 12),
            to in prop::collection::vec(prop_oneof![-2.0f32..2.0, Just(0.0), Just(1e6)], 12),
            p in prop::array::uniform3(prop_oneof![-3.0f32..3.0, Just(0.0), Just(1e-20), Just(1e6)]), t in 0.0f32..=1.0,
        ) {
            let collider = |numbers: &[f32]| {
                let mut all = vec![kind];
                all.extend(numbers);
                for i in [4, 5, 6, 7, 8, 9] {
                    all[i] = if kind % 8.0 == 2.0 || kind % 8.0 == 1.0 && i < 7 { all[i] } else { all[i].abs() };
                }
                all[8] = (all[8] * 0.1).min(1.0).abs();
                Collider::new(&payload(&all), 0)
            };
            if let (Ok(from), Ok(to)) = (collider(&numbers), collider(&to)) {
                let between = from.towards(to.pose, t);
                prop_assert!(from.motion(&to).is_finite() && between.thickness().is_finite());
                for solid in [from.solid(), between.solid()] {
                    let (way, distance) = solid.separation(V3::splat(p));
                    let (way, distance) = (Vec3::from_array(way.get(0)), distance.as_array()[0]);
                    // A plane may turn by way of no normal at all.
                    prop_assert!(distance.is_finite() && (kind == 2.0 || (way.length() - 1.0).abs() < 1e-4), "{way} {distance}");
                    let (mut at, mut before) = (V3::splat(p), V3::ZERO);
                    let depth = solid.push_out(&mut at, &mut before, splat(ON)).as_array()[0];
                    prop_assert!(depth.is_finite() && at.get(0).iter().chain(&before.get(0)).all(|v| v.is_finite()));
                    prop_assert_eq!(solid.within(V3::splat(p), splat(ON), 0.0), depth > 0.0);
                }
            }
        }
    }
}
