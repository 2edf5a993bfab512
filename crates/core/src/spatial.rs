//! Rotations and matrices of four things at a time.

use crate::lanes::{F4, V3, greater, larger, less, select, smaller, splat};
use glam::Vec3;

/// Four quaternions, one a lane.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Q4 {
    /// Vector parts.
    pub v: V3,
    /// Scalar parts.
    pub w: F4,
}

/// Four 3×3 matrices, one a lane, by columns.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct M3 {
    /// First column.
    pub x: V3,
    /// Second column.
    pub y: V3,
    /// Third column.
    pub z: V3,
}

/// Four 3×3 matrices and places: what a world matrix is.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Affine {
    /// Axes.
    pub axes: M3,
    /// Where the origin goes.
    pub origin: V3,
}

/// Four bones or objects in the space of what they hang on.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Pose {
    /// Where the origin goes.
    pub position: V3,
    /// Unit quaternions.
    pub rotation: Q4,
    /// Along each axis.
    pub scale: V3,
}

impl Pose {
    /// Changes nothing.
    pub const IDENTITY: Pose =
        Pose { position: V3::ZERO, rotation: Q4::IDENTITY, scale: V3 { x: F4::ONE, y: F4::ONE, z: F4::ONE } };

    /// The same as a matrix.
    #[inline(never)]
    pub fn matrix(&self) -> Affine {
        Affine { axes: self.rotation.normalized().matrix().scaled(self.scale), origin: self.position }
    }
}

/// Four rotations as three.js draws them.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Drawn {
    /// Unit quaternions.
    pub rotation: Q4,
    /// The same as Euler angles, order XYZ.
    pub euler: V3,
}

impl Drawn {
    /// A rotation and its angles.
    #[inline(never)]
    pub fn of(rotation: Q4, angles: &Angles) -> Drawn {
        Drawn { rotation, euler: rotation.euler(angles) }
    }
}

/// A unit vector, or `otherwise` for one that has no direction.
#[inline(never)]
pub fn unit(v: Vec3, otherwise: Vec3) -> Vec3 {
    v.normalize_or(otherwise)
}

/// `a` on its way to `b`.
#[inline(always)]
pub fn mix(a: V3, b: V3, t: F4) -> V3 {
    a + (b - a) * t
}

/// Unit vectors and lengths. A vector too short to have a direction takes `otherwise`, and its length is 0.
///
/// Divides rather than multiplies by a reciprocal: a vector along an axis then becomes exactly 1.
#[inline(always)]
pub fn direction_inline(v: V3, otherwise: V3) -> (V3, F4) {
    let square = v.dot(v);
    let some = greater(square, splat(1e-30));
    let length = select(some, square, F4::ONE).sqrt();
    let unit = V3 { x: v.x / length, y: v.y / length, z: v.z / length };
    (V3::select(some, unit, otherwise), select(some, length, F4::ZERO))
}

/// [`direction_inline`] as one function: smaller, and faster but where a limit or a contact is worked out.
#[inline(never)]
pub fn direction(v: V3, otherwise: V3) -> (V3, F4) {
    direction_inline(v, otherwise)
}

/// A unit vector at a right angle to each unit vector.
#[inline(never)]
pub fn perpendicular(v: V3) -> V3 {
    let x = less(v.x * v.x, splat(0.5));
    let axis = V3 { x: select(x, F4::ONE, F4::ZERO), y: select(x, F4::ZERO, F4::ONE), z: F4::ZERO };
    v.cross(axis).normalized()
}

/// Below this, `1 + cos` is that of opposite vectors: a hundred-thousandth of a radian from them.
const OPPOSITE: f32 = 1e-10;

/// `length` + `length` × the cosine of an angle, true to the last bits near a half turn too, where the sum itself would have
/// lost them: there it is `sin² / (1 − cos)`. `cos` and the vector product `v` are of vectors of that length and of length 1.
#[inline(always)]
fn sum_with_cosine(length: F4, cos: F4, v: V3) -> F4 {
    let wide = less(cos, F4::ZERO);
    select(wide, v.dot(v) / select(wide, length - cos, F4::ONE), length + cos)
}

impl Q4 {
    /// No rotation.
    pub const IDENTITY: Q4 = Q4 { v: V3::ZERO, w: F4::ONE };

    /// Unit quaternions; what has no length is no rotation.
    #[inline(never)]
    pub fn normalized(self) -> Q4 {
        let square = self.dot(self);
        let some = greater(square, splat(1e-30));
        let per_length = F4::ONE / select(some, square, F4::ONE).sqrt();
        Q4 { v: V3::select(some, self.v * per_length, V3::ZERO), w: select(some, self.w * per_length, F4::ONE) }
    }

    /// Rotations after one another, the last first, as one of unit length. Not for the hot path: it is one function, wherever it
    /// is called from.
    #[inline(never)]
    pub fn chain(all: &[Q4]) -> Q4 {
        all.iter().fold(Q4::IDENTITY, |first, next| first.after(*next)).normalized()
    }

    /// The same rotation back.
    #[inline(always)]
    pub fn back(self) -> Q4 {
        Q4 { v: V3::ZERO - self.v, w: self.w }
    }

    /// `v`, turned.
    #[inline(always)]
    pub fn turn(self, v: V3) -> V3 {
        let t = self.v.cross(v) * splat(2.0);
        v + t * self.w + self.v.cross(t)
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, o: Q4) -> F4 {
        self.v.dot(o.v) + self.w * o.w
    }

    /// On the shorter way from this to `o`, at the place `t`: normalised linear interpolation.
    #[inline(never)]
    pub fn towards(self, o: Q4, t: F4) -> Q4 {
        let sign = select(less(self.dot(o), F4::ZERO), splat(-1.0), F4::ONE);
        let w = o.w * sign;
        Q4 { v: mix(self.v, o.v * sign, t), w: self.w + (w - self.w) * t }.normalized()
    }

    /// First `o`, then this.
    #[inline(always)]
    pub fn after(self, o: Q4) -> Q4 {
        Q4 { v: o.v * self.w + self.v * o.w + self.v.cross(o.v), w: self.w * o.w - self.v.dot(o.v) }
    }

    /// The shortest rotation from a unit vector to one of any length; a half turn about `side` to an opposite one.
    #[inline(never)]
    pub fn between(from: V3, to: V3, side: V3) -> Q4 {
        let v = from.cross(to);
        let length = to.dot(to).sqrt();
        let w = sum_with_cosine(length, from.dot(to), v);
        let some = greater(w, length * splat(OPPOSITE));
        let turn = Q4 { v: V3::select(some, v, side), w: select(some, w, F4::ZERO) };
        turn.normalized()
    }

    /// The rotation of a matrix of unit columns at right angles.
    ///
    /// Shepperd, "Quaternion from rotation matrix" (1978): of the four ways to begin, the one with the largest square.
    #[inline(never)]
    pub fn of(m: M3) -> Q4 {
        let (xx, yy, zz) = (m.x.x, m.y.y, m.z.z);
        let ways = [
            (
                F4::ONE + xx + yy + zz,
                V3 { x: m.y.z - m.z.y, y: m.z.x - m.x.z, z: m.x.y - m.y.x },
                F4::ONE + xx + yy + zz,
            ),
            (
                F4::ONE + xx - yy - zz,
                V3 { x: F4::ONE + xx - yy - zz, y: m.x.y + m.y.x, z: m.z.x + m.x.z },
                m.y.z - m.z.y,
            ),
            (
                F4::ONE - xx + yy - zz,
                V3 { x: m.x.y + m.y.x, y: F4::ONE - xx + yy - zz, z: m.y.z + m.z.y },
                m.z.x - m.x.z,
            ),
            (
                F4::ONE - xx - yy + zz,
                V3 { x: m.z.x + m.x.z, y: m.y.z + m.z.y, z: F4::ONE - xx - yy + zz },
                m.x.y - m.y.x,
            ),
        ];
        let (mut most, mut v, mut w) = ways[0];
        for (square, other_v, other_w) in &ways[1..] {
            let more = greater(*square, most);
            v = V3::select(more, *other_v, v);
            w = select(more, *other_w, w);
            most = select(more, *square, most);
        }
        Q4 { v, w }.normalized()
    }

    /// The matrix of unit quaternions.
    #[inline(never)]
    pub fn matrix(self) -> M3 {
        let two = self.v * splat(2.0);
        let (xx, yy, zz) = (self.v.x * two.x, self.v.y * two.y, self.v.z * two.z);
        let (xy, xz, yz) = (self.v.x * two.y, self.v.x * two.z, self.v.y * two.z);
        let (wx, wy, wz) = (self.w * two.x, self.w * two.y, self.w * two.z);
        M3 {
            x: V3 { x: F4::ONE - (yy + zz), y: xy + wz, z: xz - wy },
            y: V3 { x: xy - wz, y: F4::ONE - (xx + zz), z: yz + wx },
            z: V3 { x: xz + wy, y: yz - wx, z: F4::ONE - (xx + yy) },
        }
    }

    /// The angles that three.js calls Euler `XYZ`: about x, then y, then z, each about the axes as turned so far.
    #[inline(always)]
    pub fn euler(self, angles: &Angles) -> V3 {
        let m = self.matrix();
        let flat = (m.x.x * m.x.x + m.y.x * m.y.x).sqrt();
        let tilt = angles.of(m.z.x, flat);
        // At a right angle x and z turn about the same axis: z takes none, as in three.js.
        let some = greater(flat, splat(5e-4));
        let x = angles.of(select(some, F4::ZERO - m.z.y, m.y.z), select(some, m.z.z, m.y.y));
        let z = angles.of(select(some, F4::ZERO - m.y.x, F4::ZERO), select(some, m.x.x, F4::ONE));
        V3 { x, y: tilt, z }
    }
}

/// Works out angles, with its numbers in memory: as constants in the code they are built up anew, instruction by instruction,
/// wherever WebAssembly uses them.
///
/// The polynomial goes through the arc tangent at Chebyshev's eight points of the squares from 0 to 1.
#[derive(Clone, Debug)]
pub struct Angles {
    terms: [F4; 8],
    quarter: F4,
    half: F4,
}

impl Angles {
    const TERMS: [f32; 8] = [
        0.999_999_9,
        -0.333_318_1,
        0.199_669_6,
        -0.140_032_9,
        0.098_688_65,
        -0.058_829_755,
        0.023_780_52,
        -0.004_559_792,
    ];

    /// Makes one.
    pub fn new() -> Self {
        let [quarter, half] = std::hint::black_box([std::f32::consts::FRAC_PI_2, std::f32::consts::PI]).map(splat);
        Angles { terms: std::hint::black_box(Self::TERMS).map(splat), quarter, half }
    }

    /// Angle of the point (x, y) from the x axis, −π to π; 0 for the origin. Within 3e-7.
    #[inline(always)]
    pub fn of(&self, y: F4, x: F4) -> F4 {
        let (across, up) = (x.abs(), y.abs());
        let steep = greater(up, across);
        let most = larger(up, across);
        let ratio = smaller(up, across) / select(greater(most, F4::ZERO), most, self.half);
        let square = ratio * ratio;
        let [a, b, c, d, e, f, g, h] = self.terms;
        let high = ((h * square + g) * square + f) * square + e;
        let sum = (((high * square + d) * square + c) * square + b) * square + a;
        let angle = sum * ratio;
        let angle = select(steep, self.quarter - angle, angle);
        let angle = select(less(x, F4::ZERO), self.half - angle, angle);
        select(less(y, F4::ZERO), F4::ZERO - angle, angle)
    }
}

impl Default for Angles {
    fn default() -> Self {
        Self::new()
    }
}

impl M3 {
    /// Changes nothing.
    pub const IDENTITY: M3 = M3 {
        x: V3 { x: F4::ONE, y: F4::ZERO, z: F4::ZERO },
        y: V3 { x: F4::ZERO, y: F4::ONE, z: F4::ZERO },
        z: V3 { x: F4::ZERO, y: F4::ZERO, z: F4::ONE },
    };

    /// Unit columns at right angles: x from `origin` to `along`, y towards `side`.
    #[inline(never)]
    pub fn basis(origin: V3, along: V3, side: V3) -> M3 {
        let (x, _) = direction(along - origin, M3::IDENTITY.x);
        let to_side = side - origin;
        let (y, _) = direction(to_side - x * x.dot(to_side), M3::IDENTITY.y);
        M3 { x, y, z: x.cross(y) }
    }

    /// This matrix times `v`.
    #[inline(always)]
    pub fn times(&self, v: V3) -> V3 {
        self.x * v.x + self.y * v.y + self.z * v.z
    }

    /// This matrix times `o`.
    #[inline(never)]
    pub fn after(&self, o: &M3) -> M3 {
        M3 { x: self.times(o.x), y: self.times(o.y), z: self.times(o.z) }
    }

    /// The rows of this matrix times `v`.
    #[inline(always)]
    pub fn transposed_times(&self, v: V3) -> V3 {
        V3 { x: self.x.dot(v), y: self.y.dot(v), z: self.z.dot(v) }
    }

    /// This matrix after a scale along the axes.
    #[inline(always)]
    pub fn scaled(&self, s: V3) -> M3 {
        M3 { x: self.x * s.x, y: self.y * s.y, z: self.z * s.z }
    }

    /// On its way to `o`.
    #[inline(always)]
    pub fn towards(&self, o: &M3, t: F4) -> M3 {
        M3 { x: mix(self.x, o.x, t), y: mix(self.y, o.y, t), z: mix(self.z, o.z, t) }
    }

    /// What this matrix takes to `v`, up to a positive factor; 0 where the matrix is flat.
    #[inline(always)]
    pub fn back(&self, v: V3) -> V3 {
        let yz = self.y.cross(self.z);
        let solve = V3 { x: yz.dot(v), y: self.z.cross(self.x).dot(v), z: self.x.cross(self.y).dot(v) };
        let turned = select(less(yz.dot(self.x), F4::ZERO), splat(-1.0), F4::ONE);
        solve * turned
    }

    /// What this matrix takes to `v`; 0 where the matrix is flat.
    #[inline(never)]
    pub fn solve(&self, v: V3) -> V3 {
        let volume = self.y.cross(self.z).dot(self.x).abs();
        let some = greater(volume, splat(1e-30));
        self.back(v) * select(some, F4::ONE / select(some, volume, F4::ONE), F4::ZERO)
    }

    /// A rotation and what is left: this matrix is the rotation after the rest. A mirror image, a shear and scales are in the
    /// rest. Where a column has no length, all is left.
    ///
    /// Gram and Schmidt's columns at right angles, from the first on.
    #[inline(never)]
    pub fn split(&self) -> (Q4, M3) {
        let (x, along) = direction(self.x, M3::IDENTITY.x);
        let (y, across) = direction(self.y - x * x.dot(self.y), M3::IDENTITY.y);
        let some = greater(smaller(along, across), F4::ZERO);
        let turn = M3 {
            x: V3::select(some, x, M3::IDENTITY.x),
            y: V3::select(some, y, M3::IDENTITY.y),
            z: V3::select(some, x.cross(y), M3::IDENTITY.z),
        };
        let turn = Q4::of(turn);
        // Of the quaternion's own matrix, so that both together are this one to the last bits.
        let m = turn.matrix();
        (turn, M3 { x: m.transposed_times(self.x), y: m.transposed_times(self.y), z: m.transposed_times(self.z) })
    }

    /// The shortest rotation from one unit vector to another; a half turn about `side` between opposite ones.
    ///
    /// Möller and Hughes, "Efficiently building a matrix to rotate one vector to another" (1999).
    #[inline(never)]
    pub fn between(from: V3, to: V3, side: V3) -> M3 {
        let cos = from.dot(to);
        let v = from.cross(to);
        let sum = sum_with_cosine(F4::ONE, cos, v);
        let some = greater(sum, splat(OPPOSITE));
        let axis = V3::select(some, v, side);
        let h = select(some, F4::ONE / select(some, sum, F4::ONE), splat(2.0));
        let cos = select(some, cos, splat(-1.0));
        let v = V3::select(some, v, V3::ZERO);
        let scaled = axis * h;
        let (xy, xz, yz) = (scaled.x * axis.y, scaled.x * axis.z, scaled.y * axis.z);
        M3 {
            x: V3 { x: cos + scaled.x * axis.x, y: xy + v.z, z: xz - v.y },
            y: V3 { x: xy - v.z, y: cos + scaled.y * axis.y, z: yz + v.x },
            z: V3 { x: xz + v.y, y: yz - v.x, z: cos + scaled.z * axis.z },
        }
    }
}

impl Affine {
    /// Changes nothing.
    pub const IDENTITY: Affine = Affine { axes: M3::IDENTITY, origin: V3::ZERO };

    /// The upper three rows of a matrix of four columns, in every lane.
    pub fn of_columns(matrix: &[f32; 16]) -> Affine {
        let [x, y, z, origin] = [0, 4, 8, 12].map(|i| V3::splat([matrix[i], matrix[i + 1], matrix[i + 2]]));
        Affine { axes: M3 { x, y, z }, origin }
    }

    /// Where the points `p` go.
    #[inline(always)]
    pub fn times(&self, p: V3) -> V3 {
        self.origin + self.axes.times(p)
    }

    /// This matrix times `o`. Not for the hot path: it is one function, wherever it is called from.
    #[inline(never)]
    pub fn after(&self, o: &Affine) -> Affine {
        Affine { axes: self.axes.after(&o.axes), origin: self.times(o.origin) }
    }

    /// What takes this matrix to `to`; where this one is flat, only the way from origin to origin.
    #[inline(never)]
    pub fn way_to(&self, to: &Affine) -> Affine {
        let M3 { x, y, z } = self.axes;
        let (yz, zx, xy) = (y.cross(z), z.cross(x), x.cross(y));
        let volume = yz.dot(x);
        let some = greater(volume * volume, splat(1e-30));
        let per = F4::ONE / select(some, volume, F4::ONE);
        // The rows of the inverse are these; its columns therefore:
        let inverse = M3 {
            x: V3 { x: yz.x, y: zx.x, z: xy.x } * per,
            y: V3 { x: yz.y, y: zx.y, z: xy.y } * per,
            z: V3 { x: yz.z, y: zx.z, z: xy.z } * per,
        };
        let turn = to.axes.after(&inverse);
        let axes = M3 {
            x: V3::select(some, turn.x, M3::IDENTITY.x),
            y: V3::select(some, turn.y, M3::IDENTITY.y),
            z: V3::select(some, turn.z, M3::IDENTITY.z),
        };
        Affine { axes, origin: to.origin - axes.times(self.origin) }
    }

    /// `lane` becomes the lane `other` of `from`.
    #[inline(never)]
    pub fn take_lane(&mut self, lane: usize, from: &Affine, other: usize) {
        let (into, from): (&mut [F4; 12], &[F4; 12]) = (bytemuck::cast_mut(self), bytemuck::cast_ref(from));
        for (into, from) in into.iter_mut().zip(from) {
            into.as_mut_array()[lane] = from.as_array()[other];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::signed;
    use glam::{EulerRot, Mat3, Quat};

    fn random(seed: u64) -> Quat {
        let [x, y, z, w] = std::array::from_fn(|i| signed(seed * 4 + i as u64));
        Quat::from_xyzw(x, y, z, w).normalize()
    }

    fn wide(q: Quat) -> Q4 {
        Q4 { v: V3::splat([q.x, q.y, q.z]), w: splat(q.w) }
    }

    fn wide_matrix(m: Mat3) -> M3 {
        let [x, y, z] = m.to_cols_array_2d();
        M3 { x: V3::splat(x), y: V3::splat(y), z: V3::splat(z) }
    }

    fn narrow(q: Q4) -> Quat {
        let [x, y, z] = q.v.get(1);
        Quat::from_xyzw(x, y, z, q.w.to_array()[1])
    }

    fn near(a: Vec3, b: V3) -> bool {
        (a - Vec3::from_array(b.get(2))).length() < 2e-6 * (1.0 + a.length())
    }

    #[test]
    fn rotations_are_those_of_glam() {
        for seed in 0..500 {
            let (a, b) = (random(seed), random(seed + 1000));
            let v = Vec3::new(signed(seed), signed(seed + 1), signed(seed + 2));
            assert!(near(a * v, wide(a).matrix().times(V3::splat(v.to_array()))));
            assert!((narrow(wide(a).after(wide(b))).dot(a * b).abs() - 1.0).abs() < 1e-6);
            assert!(narrow(Q4::of(wide(a).matrix())).dot(a).abs() > 1.0 - 1e-6);
            let (u, to) = (v.normalize(), (b * v).normalize());
            let (wide_u, wide_to) = (V3::splat(u.to_array()), V3::splat(to.to_array()));
            let side = perpendicular(wide_u);
            assert!(near(to, M3::between(wide_u, wide_to, side).times(wide_u)));
            assert!(near(to, Q4::between(wide_u, wide_to, side).matrix().times(wide_u)));
        }
    }

    #[test]
    fn half_turns_have_a_side() {
        for v in [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.6, 0.0, -0.8]] {
            let from = V3::splat(v);
            let to = V3::ZERO - from;
            for m in [M3::between(from, to, perpendicular(from)), Q4::between(from, to, perpendicular(from)).matrix()] {
                assert!(near(-Vec3::from_array(v), m.times(from)));
            }
        }
    }

    #[test]
    fn nearly_half_turns_are_turned_truly() {
        for off in [1e-6f32, 1e-5, 1e-4, 1e-3, 0.1] {
            let from = V3::splat([0.6, 0.8, 0.0]);
            let to = (V3::ZERO - from + V3::splat([0.0, 0.0, off])).normalized();
            for m in [M3::between(from, to, perpendicular(from)), Q4::between(from, to, perpendicular(from)).matrix()] {
                assert!(
                    (Vec3::from_array(m.times(from).get(0)) - Vec3::from_array(to.get(0))).length() < 2e-5,
                    "{off}"
                );
                assert!((Vec3::from_array(m.z.get(0)).length() - 1.0).abs() < 2e-5, "{off}");
            }
        }
    }

    #[test]
    fn euler_angles_are_those_of_three() {
        for seed in 0..2000 {
            let q = random(seed);
            let (x, y, z) = q.to_euler(EulerRot::XYZ);
            let [a, b, c] = wide(q).euler(&Angles::new()).get(0);
            if y.abs() < 1.55 {
                assert!((a - x).abs() < 3e-6 / y.cos(), "{a} {x}");
                assert!((b - y).abs() < 2e-6 && (c - z).abs() < 3e-6 / y.cos(), "{b} {y}, {c} {z}");
            }
        }
        // At the pole the rotation is what counts.
        for turn in [0.3f32, -2.0] {
            let q = Quat::from_euler(EulerRot::XYZ, turn, std::f32::consts::FRAC_PI_2, 0.4);
            let [a, b, c] = wide(q).euler(&Angles::new()).get(3);
            assert!(Quat::from_euler(EulerRot::XYZ, a, b, c).dot(q).abs() > 1.0 - 1e-6);
            assert_eq!(c, 0.0);
        }
    }

    #[test]
    fn any_matrix_is_a_rotation_after_a_rest() {
        for seed in 0..500 {
            let scale = Vec3::new(1.0 + signed(seed), 100.0, if seed % 2 == 0 { -0.5 } else { 2.0 });
            let m = Mat3::from_quat(random(seed)) * Mat3::from_diagonal(scale) * Mat3::from_quat(random(seed + 1));
            let (q, rest) = wide_matrix(m).split();
            let v = Vec3::new(0.3, -0.7, 0.2);
            assert!((narrow(q).length() - 1.0).abs() < 1e-6);
            assert!(near(m * v, q.matrix().after(&rest).times(V3::splat(v.to_array()))), "{seed}");
            let back = wide_matrix(m).back(V3::splat((m * v).to_array()));
            assert!((Vec3::from_array(back.get(0)).normalize() - v.normalize()).length() < 1e-2, "{seed}");
        }
        let flat = M3 { x: V3::ZERO, y: V3::splat([0.0, 1.0, 0.0]), z: V3::ZERO };
        assert_eq!(flat.split(), (Q4::IDENTITY, flat));
        assert_eq!(flat.back(V3::splat([1.0, 2.0, 3.0])).x, F4::ZERO);
    }
}
