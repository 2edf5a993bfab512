//! Four particles at a time.
//!
//! Every wide step of the core goes through these few operations. Each is exact IEEE arithmetic (`+ − × ÷ √`, compare and
//! select), so that a lane holds the same bits on SSE2, on WebAssembly SIMD, and where there is no SIMD at all. No fused
//! multiply-add, no estimates, and no `min`/`max`, whose NaN and −0 differ between targets.

use std::ops::{Add, Mul, Sub};

pub use wide::{f32x4 as F4, i32x4 as I4, u32x4 as U4};

/// All bits set: the mask that chooses a lane.
pub const ON: f32 = f32::from_bits(u32::MAX);

/// `v` in every lane. (`F4::splat` becomes a loop through memory where code is compiled for size.)
#[inline(always)]
pub const fn splat(v: f32) -> F4 {
    F4::new([v, v, v, v])
}

/// Four vectors, one a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct V3 {
    /// x of the four.
    pub x: F4,
    /// y of the four.
    pub y: F4,
    /// z of the four.
    pub z: F4,
}

impl V3 {
    /// Four zero vectors.
    pub const ZERO: V3 = V3 { x: F4::ZERO, y: F4::ZERO, z: F4::ZERO };

    /// The same vector in every lane.
    #[inline(always)]
    pub fn splat(v: [f32; 3]) -> Self {
        V3 { x: splat(v[0]), y: splat(v[1]), z: splat(v[2]) }
    }

    /// Scalar product, lane by lane.
    #[inline(always)]
    pub fn dot(self, o: V3) -> F4 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// Vector product, lane by lane.
    #[inline(always)]
    pub fn cross(self, o: V3) -> V3 {
        V3 { x: self.y * o.z - self.z * o.y, y: self.z * o.x - self.x * o.z, z: self.x * o.y - self.y * o.x }
    }

    /// `a` where `mask` is on, else `b`.
    #[inline(always)]
    pub fn select(mask: F4, a: V3, b: V3) -> V3 {
        V3 { x: select(mask, a.x, b.x), y: select(mask, a.y, b.y), z: select(mask, a.z, b.z) }
    }

    /// Unit vectors; a zero vector stays zero.
    #[inline(always)]
    pub fn normalized(self) -> V3 {
        let length = self.dot(self).sqrt();
        let some = greater(length, F4::ZERO);
        self * select(some, F4::ONE / select(some, length, F4::ONE), F4::ZERO)
    }

    /// Lane `l` takes lane `l + 1`; the last keeps its own.
    #[inline(always)]
    pub fn next(self) -> V3 {
        V3 { x: next(self.x), y: next(self.y), z: next(self.z) }
    }

    /// Lane `l` takes lane `l − 1`; the first takes that of `first`.
    #[inline(always)]
    pub fn previous(self, first: V3) -> V3 {
        V3 { x: previous(self.x, first.x), y: previous(self.y, first.y), z: previous(self.z, first.z) }
    }

    /// The vector in `lane`.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> [f32; 3] {
        [self.x.as_array()[lane], self.y.as_array()[lane], self.z.as_array()[lane]]
    }

    /// Replaces the vector in `lane`.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, v: [f32; 3]) {
        self.x.as_mut_array()[lane] = v[0];
        self.y.as_mut_array()[lane] = v[1];
        self.z.as_mut_array()[lane] = v[2];
    }

    /// Four points `[x, y, z, 0]`, one a register.
    #[inline(always)]
    pub fn to_points(self) -> [F4; 4] {
        F4::transpose([self.x, self.y, self.z, F4::ZERO])
    }

    /// Back from four points.
    #[inline(always)]
    pub fn from_points(points: [F4; 4]) -> V3 {
        let [x, y, z, _] = F4::transpose(points);
        V3 { x, y, z }
    }
}

impl Add for V3 {
    type Output = V3;
    #[inline(always)]
    fn add(self, o: V3) -> V3 {
        V3 { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}

impl Sub for V3 {
    type Output = V3;
    #[inline(always)]
    fn sub(self, o: V3) -> V3 {
        V3 { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }
}

impl Mul<F4> for V3 {
    type Output = V3;
    #[inline(always)]
    fn mul(self, s: F4) -> V3 {
        V3 { x: self.x * s, y: self.y * s, z: self.z * s }
    }
}

/// `a` where `mask` is on, else `b`.
#[inline(always)]
pub fn select(mask: F4, a: F4, b: F4) -> F4 {
    mask.bitselect(a, b)
}

/// Where the mask is on, `into` becomes `from`.
#[inline(never)]
fn keep_all(into: &mut [F4], from: &[F4], mask: F4) {
    for (into, from) in into.iter_mut().zip(from) {
        *into = select(mask, *from, *into);
    }
}

/// Where the mask is on, `into` becomes `from`: anything that is made of lanes.
#[inline(always)]
pub fn keep<T: bytemuck::Pod>(into: &mut [T], from: &[T], mask: F4) {
    keep_all(bytemuck::cast_slice_mut(into), bytemuck::cast_slice(from), mask);
}

/// `count` times the same of anything that is made of lanes.
#[inline(never)]
pub fn filled<T: bytemuck::Pod>(value: T, count: usize) -> Vec<T> {
    vec![value; count]
}

/// Whether all numbers of anything that is made of lanes are from −`most` to `most`; what is no number is not.
#[inline(always)]
pub fn all_within<T: bytemuck::Pod>(all: &[T], most: f32) -> bool {
    all_lanes_within(bytemuck::cast_slice(all), most)
}

#[inline(never)]
fn all_lanes_within(all: &[F4], most: f32) -> bool {
    all.iter().all(|v| v.abs().simd_le(splat(most)).all())
}

/// On where `a < b`.
#[inline(always)]
pub fn less(a: F4, b: F4) -> F4 {
    a.simd_lt(b)
}

/// On where `a > b`.
#[inline(always)]
pub fn greater(a: F4, b: F4) -> F4 {
    a.simd_gt(b)
}

/// The smaller, `b` where they do not compare.
#[inline(always)]
pub fn smaller(a: F4, b: F4) -> F4 {
    select(less(a, b), a, b)
}

/// The larger, `b` where they do not compare.
#[inline(always)]
pub fn larger(a: F4, b: F4) -> F4 {
    select(greater(a, b), a, b)
}

#[inline(always)]
fn next(v: F4) -> F4 {
    let [_, b, c, d] = v.to_array();
    F4::new([b, c, d, d])
}

#[inline(always)]
fn previous(v: F4, first: F4) -> F4 {
    let [a, b, c, _] = v.to_array();
    F4::new([first.to_array()[0], a, b, c])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp() -> V3 {
        V3 { x: F4::new([1.0, 2.0, 3.0, 4.0]), y: F4::new([5.0, 6.0, 7.0, 8.0]), z: F4::new([9.0, 10.0, 11.0, 12.0]) }
    }

    #[test]
    fn lanes_shift_towards_their_neighbours() {
        assert_eq!(ramp().next().x.to_array(), [2.0, 3.0, 4.0, 4.0]);
        assert_eq!(ramp().previous(V3::splat([7.0; 3])).y.to_array(), [7.0, 5.0, 6.0, 7.0]);
    }

    #[test]
    fn points_are_the_transpose() {
        assert_eq!(ramp().to_points()[1].to_array(), [2.0, 6.0, 10.0, 0.0]);
        assert_eq!(V3::from_points(ramp().to_points()), ramp());
    }

    #[test]
    fn a_zero_vector_stays_zero() {
        assert_eq!(V3::ZERO.normalized(), V3::ZERO);
        let unit = V3::splat([0.0, 3.0, 4.0]).normalized();
        assert!((unit.dot(unit) - F4::ONE).abs().to_array().iter().all(|e| *e < 1e-6));
    }

    #[test]
    fn smaller_and_larger_pass_over_nan_in_the_first() {
        let nan = splat(f32::NAN);
        assert_eq!(smaller(nan, F4::ONE), F4::ONE);
        assert_eq!(larger(nan, F4::ONE), F4::ONE);
    }
}
