//! Where boids may be, and the way from one to another.

use super::options::BoidsOptions;
use super::points;
use crate::collider::{FARTHEST, within_reach};
use crate::error::{Error, Result};
use crate::lanes::{F4, V3, greater, larger, less, select, smaller, splat};
use crate::text;

/// The kinds of worlds, as numbered in `setBounds`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each side goes on at the opposite one.
    Torus,
    /// Boids turn back at its walls.
    Box,
    /// Boids turn back at its wall.
    Sphere,
}

impl Shape {
    /// The one of a number.
    pub fn of(number: u32) -> Option<Shape> {
        [Shape::Torus, Shape::Box, Shape::Sphere].get(number as usize).copied()
    }
}

/// The world. Of a sphere `low` and `high` are the corners of the box around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct World {
    pub shape: Shape,
    pub low: [f32; 3],
    pub high: [f32; 3],
    pub flat: bool,
}

impl World {
    /// The world of seven numbers, as `setBounds` takes them, checked.
    pub fn read(numbers: &[f32], dimensions: u32) -> Result<Self> {
        let [kind, rest @ ..] = numbers else { return Err(bad()) };
        let rest: &[f32; 6] = rest.try_into().map_err(|_| bad())?;
        if let Some(far) = rest.iter().find(|v| !within_reach(v)) {
            return Err(Error::option(text!["bounds must be of numbers from -1000000 to 1000000 (m), got ", *far]));
        }
        let (shape, mut low, mut high) = match *kind {
            0.0 | 1.0 => {
                let corner = |i: usize| [rest[i], rest[i + 1], rest[i + 2]];
                (if *kind == 0.0 { Shape::Torus } else { Shape::Box }, corner(0), corner(3))
            }
            2.0 => {
                let axis = |sign: f32| [0, 1, 2].map(|c| rest[c] + sign * rest[3]);
                (Shape::Sphere, axis(-1.0), axis(1.0))
            }
            _ => return Err(bad()),
        };
        let flat = dimensions == 2;
        if flat {
            (low[2], high[2]) = (0.0, 0.0);
        }
        let world = World { shape, low, high, flat };
        world.check()?;
        Ok(world)
    }

    /// Refuses a world that is too small for where it is: a ten-thousandth of a coordinate is what f32 tells apart a hundred times.
    pub fn check(&self) -> Result<()> {
        let least = self.least_side();
        let farthest =
            self.low.iter().chain(&self.high).fold(0.0f32, |most, v| if v.abs() > most { v.abs() } else { most });
        let finite = self.low.iter().chain(&self.high).all(|v| v.abs() <= 2.0 * FARTHEST);
        if finite && least > 0.0 && least >= farthest * 1e-4 {
            return Ok(());
        }
        Err(Error::option(text![
            "the sides of bounds must be longer than 0 and than ",
            farthest * 1e-4,
            ", a ten-thousandth of the farthest coordinate (m), got ",
            least
        ]))
    }

    /// As `setBounds` takes it.
    pub fn numbers(&self) -> [f32; 7] {
        let ([a, b, c], [d, e, f]) = (self.low, self.high);
        let middle = [0, 1, 2].map(|c| (self.low[c] + self.high[c]) * 0.5);
        match self.shape {
            Shape::Sphere => [2.0, middle[0], middle[1], middle[2], (d - a) * 0.5, 0.0, 0.0],
            shape => [shape as u32 as f32, a, b, c, d, e, f],
        }
    }

    /// Axes that there are.
    pub fn axes(&self) -> usize {
        if self.flat { 2 } else { 3 }
    }

    /// The shortest side, metres.
    pub fn least_side(&self) -> f32 {
        (0..self.axes()).map(|c| self.high[c] - self.low[c]).fold(f32::INFINITY, |a, b| if a < b { a } else { b })
    }

    /// In a torus nobody sees farther than half around it: beyond that the same boid would be on both sides.
    pub fn check_radii(&self, options: &BoidsOptions, hunts: bool) -> Result<()> {
        let most = self.least_side() * 0.5;
        let rules = &options.rules;
        let radii = [
            ("rules.separation", rules.separation.radius),
            ("rules.alignment", rules.alignment.radius),
            ("rules.cohesion", rules.cohesion.radius),
            ("flight", options.flight.radius),
            ("hunt", options.hunt.radius),
        ];
        let used = if hunts { radii.len() } else { 3 };
        for (name, radius) in &radii[..used] {
            let radius = *radius;
            if self.shape == Shape::Torus && radius > most {
                return Err(Error::option(text![
                    *name,
                    ".radius must be from 0 to ",
                    most,
                    ", half the shortest side of the torus (m), got ",
                    radius
                ]));
            }
        }
        Ok(())
    }

    /// Made ready for four boids at a time.
    pub fn lanes(&self) -> Lanes {
        let side = [0, 1, 2].map(|c| self.high[c] - self.low[c]);
        // Where there is no other side, the way round is endless.
        let around = if self.shape == Shape::Torus { side.map(|v| if v > 0.0 { v } else { 1e30 }) } else { [1e30; 3] };
        Lanes {
            shape: self.shape,
            flat: self.flat,
            low: V3::splat(self.low),
            high: V3::splat(self.high),
            middle: V3::splat([0, 1, 2].map(|c| (self.low[c] + self.high[c]) * 0.5)),
            radius: splat(side[0] * 0.5),
            around: V3::splat(around),
            half: V3::splat(around.map(|v| v * 0.5)),
        }
    }
}

#[cold]
fn bad() -> Error {
    Error::input("bounds take a kind and six numbers")
}

/// A world made ready.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    shape: Shape,
    pub flat: bool,
    low: V3,
    high: V3,
    pub middle: V3,
    radius: F4,
    /// Once around each axis; endless where it has an end.
    around: V3,
    half: V3,
}

impl Lanes {
    /// From any place into the world.
    pub fn bring_in(&self, place: [f32; 3]) -> F4 {
        let mut p = V3::splat(place);
        if self.flat {
            p.z = F4::ZERO;
        }
        points(self.keep_in(p))[0]
    }

    /// The shorter way round that leads where `way` does.
    #[inline(never)]
    pub fn shorter(&self, way: V3) -> V3 {
        let one = |d: F4, around: F4, half: F4| {
            let d = d - select(greater(d, half), around, F4::ZERO);
            d + select(less(d, F4::ZERO - half), around, F4::ZERO)
        };
        V3 {
            x: one(way.x, self.around.x, self.half.x),
            y: one(way.y, self.around.y, self.half.y),
            z: one(way.z, self.around.z, self.half.z),
        }
    }

    /// Places that are out of the world are brought back: around it, or to the wall.
    #[inline(never)]
    pub fn keep_in(&self, p: V3) -> V3 {
        match self.shape {
            Shape::Torus => {
                let one = |x: F4, low: F4, high: F4, around: F4| {
                    let x = x - ((x - low) / around).floor() * around;
                    // Rounded up to the far side it is on the near one.
                    select(less(x, high) & !less(x, low), x, low)
                };
                V3 {
                    x: one(p.x, self.low.x, self.high.x, self.around.x),
                    y: one(p.y, self.low.y, self.high.y, self.around.y),
                    z: one(p.z, self.low.z, self.high.z, self.around.z),
                }
            }
            Shape::Box => {
                let one = |x: F4, low: F4, high: F4| larger(smaller(x, high), low);
                V3 {
                    x: one(p.x, self.low.x, self.high.x),
                    y: one(p.y, self.low.y, self.high.y),
                    z: one(p.z, self.low.z, self.high.z),
                }
            }
            Shape::Sphere => {
                let q = p - self.middle;
                let far = q.dot(q).sqrt();
                let out = greater(far, self.radius);
                self.middle + q * select(out, self.radius / select(out, far, F4::ONE), F4::ONE)
            }
        }
    }

    /// The way from the walls, 1 long at a wall and 0 from `margin` on.
    #[inline(always)]
    pub fn back(&self, p: V3, margin: F4) -> V3 {
        match self.shape {
            Shape::Torus => V3::ZERO,
            Shape::Box => {
                let one = |x: F4, low: F4, high: F4| {
                    let depth = |inside: F4| larger(F4::ONE - inside / margin, F4::ZERO);
                    depth(x - low) - depth(high - x)
                };
                V3 {
                    x: one(p.x, self.low.x, self.high.x),
                    y: one(p.y, self.low.y, self.high.y),
                    // A plane has no walls above and below.
                    z: select(less(self.low.z, self.high.z), one(p.z, self.low.z, self.high.z), F4::ZERO),
                }
            }
            Shape::Sphere => {
                let q = p - self.middle;
                let far = q.dot(q).sqrt();
                let depth = larger(F4::ONE - (self.radius - far) / margin, F4::ZERO);
                let some = greater(far, F4::ZERO);
                V3::ZERO - q * select(some, depth / select(some, far, F4::ONE), F4::ZERO)
            }
        }
    }
}
