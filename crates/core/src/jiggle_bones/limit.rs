//! How far a bone may swing from its rest.
//!
//! Each limit is measured in a frame whose y axis is the bone's rest direction: +y turned the shortest way to it, then by the
//! limit's own rotation (`VRMC_springBone_limit`, draft 1.0). A direction that is out of bounds becomes the one that it
//! describes.

use crate::lanes::{F4, ON, V3, greater, less, select, splat};
use crate::number::sin_cos;
use crate::spatial::{M3, direction};

/// Numbers of a limit: `[kind, angle, angle, rotation x, y, z, w]`.
pub const NUMBERS: usize = 7;

/// Four limits, one a lane.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// On where there is one of each kind.
    cone: F4,
    hinge: F4,
    spherical: F4,
    /// Of the angle of a cone or hinge, or the spherical limit's phi.
    cos: F4,
    sin: F4,
    /// Of the spherical limit's theta.
    theta_cos: F4,
    theta_sin: F4,
    /// From the limit's frame into the bone's.
    frame: M3,
}

impl Limit {
    /// No limits.
    pub const NONE: Limit = Limit {
        cone: F4::ZERO,
        hinge: F4::ZERO,
        spherical: F4::ZERO,
        cos: F4::ONE,
        sin: F4::ZERO,
        theta_cos: F4::ONE,
        theta_sin: F4::ZERO,
        frame: M3::IDENTITY,
    };

    /// Puts the limit of `[kind, angle, angle, …]` into `lane`; kind 1 is a cone, 2 a hinge, 3 spherical.
    pub fn set(&mut self, lane: usize, numbers: &[f32]) {
        match numbers[0] as u32 {
            1 => self.cone.as_mut_array()[lane] = ON,
            2 => self.hinge.as_mut_array()[lane] = ON,
            _ => self.spherical.as_mut_array()[lane] = ON,
        }
        let (sin, cos) = sin_cos(f64::from(numbers[1]));
        self.cos.as_mut_array()[lane] = cos as f32;
        self.sin.as_mut_array()[lane] = sin as f32;
        let (sin, cos) = sin_cos(f64::from(numbers[2]));
        self.theta_cos.as_mut_array()[lane] = cos as f32;
        self.theta_sin.as_mut_array()[lane] = sin as f32;
    }

    /// Turns the frames to bones whose rest directions are `axis`, after the limits' own rotations `own`.
    pub fn face(&mut self, axis: V3, own: &M3) {
        let up = M3::IDENTITY.y;
        self.frame = M3::between(up, axis, M3::IDENTITY.x).after(own);
    }

    /// The directions within the limits, in the bones' frames, of unit length.
    #[inline(never)]
    pub fn hold(&self, swing: V3) -> V3 {
        let d = self.frame.transposed_times(swing);
        // A cone keeps the side to which it swings.
        let (side, _) = direction(V3 { x: d.x, y: F4::ZERO, z: d.z }, M3::IDENTITY.z);
        let out = less(d.y, self.cos);
        let at_cone = V3 { x: side.x * self.sin, y: self.cos, z: side.z * self.sin };
        let cone = V3::select(out, at_cone, d);
        // A hinge turns about x; a spherical limit turns about x too, within what theta leaves of it.
        let (turn, _) = direction(V3 { x: F4::ZERO, y: d.y, z: d.z }, M3::IDENTITY.y);
        let out = less(turn.y, self.cos);
        let sign = select(less(turn.z, F4::ZERO), splat(-1.0), F4::ONE);
        let at_hinge = V3 { x: F4::ZERO, y: self.cos, z: self.sin * sign };
        let hinge = V3::select(out, at_hinge, turn);
        let wide = greater(d.x * d.x, self.theta_sin * self.theta_sin);
        let sideways = select(less(d.x, F4::ZERO), F4::ZERO - self.theta_sin, self.theta_sin);
        let x = select(wide, sideways, d.x);
        let left = F4::ONE - d.x * d.x;
        let left = select(wide, self.theta_cos, select(greater(left, F4::ZERO), left, F4::ZERO).sqrt());
        let spherical = V3 { x, y: hinge.y * left, z: hinge.z * left };

        let held = V3::select(self.cone, cone, V3::select(self.hinge, hinge, spherical));
        let limited = self.cone | self.hinge | self.spherical;
        V3::select(limited, self.frame.times(held), swing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(numbers: [f32; 3], d: [f32; 3]) -> [f32; 3] {
        let mut limit = Limit::NONE;
        limit.set(2, &numbers);
        limit.face(M3::IDENTITY.y, &M3::IDENTITY);
        let all = limit.hold(V3::splat(d));
        assert_eq!(all.get(0), d, "a lane without a limit");
        all.get(2)
    }

    fn close(a: [f32; 3], b: [f32; 3]) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6), "{a:?} {b:?}");
    }

    const SLANT: [f32; 3] = [0.6, 0.0, 0.8];

    /// J17, the values of the case.
    #[test]
    fn limits_hold_a_slanting_direction() {
        let [phi, theta] = [30f32.to_radians(), 20f32.to_radians()];
        close(held([1.0, phi, 0.0], SLANT), [0.3, 0.866_025, 0.4]);
        close(held([2.0, phi, 0.0], SLANT), [0.0, 0.866_025, 0.5]);
        close(held([3.0, phi, theta], SLANT), [0.342_020, 0.813_798, 0.469_846]);
    }

    #[test]
    fn the_poles_are_finite_and_within() {
        let [phi, theta] = [30f32.to_radians(), 20f32.to_radians()];
        for kind in [1.0, 2.0, 3.0] {
            for d in [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]] {
                let [x, y, z] = held([kind, phi, theta], d);
                assert!((x * x + y * y + z * z - 1.0).abs() < 1e-6, "{kind} {d:?}");
                assert!(y > 0.8, "{kind} {d:?}");
            }
        }
    }

    #[test]
    fn what_is_within_stays() {
        let d = [0.1, 0.99, 0.099_498_74];
        close(held([1.0, 0.5, 0.0], d), d);
        close(held([3.0, 0.5, 0.3], d), d);
        close(held([2.0, 0.5, 0.0], [0.0, 0.995, 0.099_874_92]), [0.0, 0.995, 0.099_874_92]);
    }

    #[test]
    fn angles_past_a_right_one_are_wide() {
        close(held([1.0, 2.5, 0.0], SLANT), SLANT);
        let [x, y, z] = held([2.0, 2.5, 0.0], [0.0, -1.0, 0.0]);
        assert!(x == 0.0 && (y - 2.5f32.cos()).abs() < 1e-6 && (z - 2.5f32.sin()).abs() < 1e-6);
    }
}
