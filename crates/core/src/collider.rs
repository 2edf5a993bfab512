//! Shapes that particles are kept out of: spheres, capsules and planes, moving between poses.

use crate::error::{Error, Result};
use crate::lanes::{F4, V3, greater, less, select, splat};
use crate::number::number;
use glam::Vec3;

/// Numbers of a collider in its channel: `[ax, ay, az, bx, by, bz, radius, friction]`.
pub const STRIDE: usize = 8;

/// Coordinates and radii beyond this are refused, so that no square overflows.
pub const FARTHEST: f32 = 1e6;

/// Whether a number can be a coordinate: NaN and infinities cannot.
pub fn within_reach(v: &f32) -> bool {
    v.abs() <= FARTHEST
}

/// The error for a number that is not [`within_reach`].
pub fn out_of_reach(name: &str, unit: &str, got: f32) -> Error {
    let (far, got) = (number(FARTHEST.into()), number(got.into()));
    let space = if unit.is_empty() { "" } else { " " };
    Error::input(format!("{name} must be from -{far} to {far}{space}{unit}, got {got}"))
}

/// What a collider is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A ball around a.
    Sphere,
    /// All within the radius of the segment from a to b.
    Capsule,
    /// All below the plane with normal a and offset bx.
    Plane,
}

/// One collider at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collider {
    /// What it is.
    pub shape: Shape,
    /// Its numbers, as in the channel.
    pub pose: [f32; STRIDE],
}

impl Collider {
    /// A collider of `[kind, ax, ay, az, bx, by, bz, radius, friction]`, checked; `index` is for the message.
    pub fn new(numbers: &[f32], index: usize) -> Result<Self> {
        let shape = match numbers[0] {
            0.0 => Shape::Sphere,
            1.0 => Shape::Capsule,
            2.0 => Shape::Plane,
            other => {
                return Err(Error::option(format!(
                    "colliders[{index}].kind must be sphere, capsule or plane, got {}",
                    number(f64::from(other))
                )));
            }
        };
        let mut pose = [0.0; STRIDE];
        pose.copy_from_slice(&numbers[1..=STRIDE]);
        let collider = Collider { shape, pose };
        collider.check(index)?;
        Ok(collider)
    }

    /// Refuses a pose that cannot be simulated.
    pub fn check(&self, index: usize) -> Result<()> {
        let refuse = |what: &str, range: &str, got: f32| {
            let got = number(f64::from(got));
            Err(Error::option(format!("colliders[{index}].{what} must be {range}, got {got}")))
        };
        let names: [&str; STRIDE] = match self.shape {
            Shape::Sphere => ["center[0]", "center[1]", "center[2]", "b", "b", "b", "radius", "friction"],
            Shape::Capsule => ["a[0]", "a[1]", "a[2]", "b[0]", "b[1]", "b[2]", "radius", "friction"],
            Shape::Plane => ["normal[0]", "normal[1]", "normal[2]", "offset", "b", "b", "radius", "friction"],
        };
        for (value, name) in self.pose.iter().zip(names) {
            let least = if matches!(name, "radius" | "friction") { 0.0 } else { -FARTHEST };
            let most = if name == "friction" { 1.0 } else { FARTHEST };
            if !(*value >= least && *value <= most) {
                return refuse(
                    name,
                    &format!("a number from {} to {}", number(least.into()), number(most.into())),
                    *value,
                );
            }
        }
        if self.shape == Shape::Plane && self.a().length() < 1e-6 {
            return refuse("normal", "longer than 0", 0.0);
        }
        Ok(())
    }

    fn a(&self) -> Vec3 {
        Vec3::from_slice(&self.pose)
    }

    fn b(&self) -> Vec3 {
        Vec3::from_slice(&self.pose[3..])
    }

    /// Its radius, metres.
    pub fn radius(&self) -> f32 {
        self.pose[6]
    }

    /// The collider on its way from where it is (0) to the pose `to` (1); exactly there at 1.
    pub fn towards(&self, to: [f32; STRIDE], t: f32) -> Collider {
        let pose = if t == 1.0 { to } else { std::array::from_fn(|i| self.pose[i] + (to[i] - self.pose[i]) * t) };
        Collider { shape: self.shape, pose }
    }

    /// How far any of its points moves on the way to `to`, metres.
    pub fn motion(&self, to: &Collider) -> f32 {
        if self.shape == Shape::Plane {
            return 0.0;
        }
        let (a, b) = ((to.a() - self.a()).length(), (to.b() - self.b()).length());
        if self.shape == Shape::Capsule && b > a { b } else { a }
    }

    /// Made ready to meet particles.
    pub fn solid(&self) -> Solid {
        let axis = if self.shape == Shape::Capsule { self.b() - self.a() } else { Vec3::ZERO };
        let square = axis.length_squared();
        let (origin, side, offset) = match self.shape {
            Shape::Plane => (Vec3::ZERO, self.a().normalize_or_zero(), self.pose[3]),
            _ => (self.a(), if square > 0.0 { axis.any_orthogonal_vector().normalize_or_zero() } else { Vec3::Y }, 0.0),
        };
        Solid {
            plane: self.shape == Shape::Plane,
            origin: V3::splat(origin.to_array()),
            axis: V3::splat(axis.to_array()),
            per_square: splat(if square > 0.0 { 1.0 / square } else { 0.0 }),
            side: V3::splat(side.to_array()),
            offset: splat(offset),
            radius: splat(self.pose[6]),
            friction: splat(self.pose[7]),
            slippery: self.pose[7] == 0.0,
        }
    }
}

/// A collider made ready: everything that does not depend on the particle is worked out.
#[derive(Clone, Copy, Debug)]
pub struct Solid {
    plane: bool,
    origin: V3,
    axis: V3,
    /// 1 / |axis|², or 0 for a sphere.
    per_square: F4,
    /// The plane's normal; elsewhere the way out for a particle exactly on the axis.
    side: V3,
    offset: F4,
    radius: F4,
    friction: F4,
    slippery: bool,
}

impl Solid {
    /// From the nearest point of the axis (or of the plane) to the particles: the way out and how far they are.
    ///
    /// The closest point on a segment is Ericson, "Real-Time Collision Detection" (2005), 5.1.2.
    #[inline(always)]
    fn off_axis(&self, p: V3) -> V3 {
        let from_a = p - self.origin;
        let t = from_a.dot(self.axis) * self.per_square;
        from_a - self.axis * select(greater(t, F4::ZERO), select(less(t, F4::ONE), t, F4::ONE), F4::ZERO)
    }

    /// Unit vectors out of the solid at the particles, and how far these are from its axis (or plane).
    #[inline(always)]
    fn way_out(&self, q: V3) -> (V3, F4) {
        let square = q.dot(q);
        let some = greater(square, splat(1e-18));
        let length = select(some, square, F4::ONE).sqrt();
        (V3::select(some, q * (F4::ONE / length), self.side), select(some, length, F4::ZERO))
    }

    /// The normal of the surface nearest to the particles.
    pub fn normal(&self, p: V3) -> V3 {
        if self.plane { self.side } else { self.way_out(self.off_axis(p)).0 }
    }

    /// Whether any particle, where `free` is on, is closer to the surface than `margin`, or inside.
    #[inline(always)]
    pub fn within(&self, p: V3, free: F4, margin: f32) -> bool {
        let margin = splat(margin);
        let near = if self.plane {
            less(self.side.dot(p) - self.offset, margin)
        } else {
            let q = self.off_axis(p);
            let reach = self.radius + margin;
            less(q.dot(q), reach * reach)
        };
        (free & near).any()
    }

    /// Pushes the particles that are inside, where `free` is on, to the surface; `o`, where they were a step ago, follows
    /// sideways by the friction. Gives how deep each was inside, metres; 0 where it was not.
    #[inline(always)]
    pub fn push_out(&self, p: &mut V3, o: &mut V3, free: F4) -> F4 {
        let (out, depth, inside);
        if self.plane {
            let distance = self.side.dot(*p) - self.offset;
            inside = free & less(distance, F4::ZERO);
            if !inside.any() {
                return F4::ZERO;
            }
            (out, depth) = (self.side, F4::ZERO - distance);
        } else {
            let q = self.off_axis(*p);
            inside = free & less(q.dot(q), self.radius * self.radius);
            if !inside.any() {
                return F4::ZERO;
            }
            let (way, length) = self.way_out(q);
            (out, depth) = (way, self.radius - length);
        }
        let depth = select(inside, depth, F4::ZERO);
        *p = *p + out * depth;
        if !self.slippery {
            let moved = *p - *o;
            let along = moved - out * moved.dot(out);
            *o = *o + along * select(inside, self.friction, F4::ZERO);
        }
        depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pushed(numbers: [f32; 9], at: [f32; 3]) -> Vec3 {
        let solid = Collider::new(&numbers, 0).unwrap().solid();
        let mut p = V3::splat(at);
        solid.push_out(&mut p, &mut V3::splat(at), splat(crate::lanes::ON));
        Vec3::from_array(p.get(2))
    }

    #[test]
    fn particles_end_on_the_surface() {
        let sphere = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0];
        assert!((pushed(sphere, [2.0, 0.0, 0.0]) - Vec3::new(3.0, 0.0, 0.0)).length() < 1e-6);
        let capsule = [1.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 1.0, 0.0];
        assert!((pushed(capsule, [0.0, 2.0, 0.5]) - Vec3::new(0.0, 2.0, 1.0)).length() < 1e-6);
        assert!((pushed(capsule, [0.0, 4.5, 0.0]) - Vec3::new(0.0, 5.0, 0.0)).length() < 1e-6);
        let plane = [2.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        assert!((pushed(plane, [3.0, 0.25, 1.0]) - Vec3::new(3.0, 1.0, 1.0)).length() < 1e-6);
    }

    #[test]
    fn a_particle_exactly_inside_comes_out_too() {
        for numbers in [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0], [1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0]] {
            assert!((pushed(numbers, [0.0; 3]).length() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_bad_collider_is_named() {
        let message = Collider::new(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0], 3).unwrap_err().message;
        assert_eq!(message, "colliders[3].radius must be a number from 0 to 1000000, got -1");
        let message = Collider::new(&[0.0, 0.0, f32::NAN, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0], 0).unwrap_err().message;
        assert_eq!(message, "colliders[0].center[1] must be a number from -1000000 to 1000000, got NaN");
    }
}
