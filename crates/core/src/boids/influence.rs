//! What attracts and repels besides other boids: points, lines, boids that lead, and paths.

use super::world::Lanes;
use super::{AT, Body, Boids};
use crate::collider::within_reach;
use crate::error::{Error, Result};
use crate::lanes::{F4, V3, greater, larger, less, select, smaller, splat};
use crate::text;

/// Numbers of an influence in its channel: `[x, y, z, direction x, y, z, radius, weight]`.
pub const STRIDE: usize = 8;

/// Numbers in the operation before those.
const HEAD: usize = 3;

/// What an influence is.
#[derive(Clone, Debug)]
pub enum Influence {
    /// A point, or a line where its direction has a length.
    Attract,
    /// The same, to be fled.
    Repel,
    /// A boid that the others follow.
    Lead(usize),
    /// Points of `paths`, and whether the last leads to the first.
    Path(std::ops::Range<usize>, bool),
}

/// What four boids are like, for those that steer them.
pub struct Four<'a> {
    pub at: V3,
    pub world: &'a Lanes,
    /// Largest speeds.
    pub fastest: F4,
}

impl Boids {
    pub(super) fn set_influences(&mut self, payload: &[f32]) -> Result<()> {
        let (mut influences, mut numbers, mut paths) = (Vec::new(), Vec::new(), Vec::new());
        let mut rest = payload;
        while let Some((one, after)) = rest.split_first_chunk::<{ HEAD + STRIDE }>() {
            let index = influences.len();
            let [kind, boid, points, pose @ ..] = one;
            if !pose.iter().all(within_reach) || pose[6] < 0.0 || pose[7] < 0.0 {
                return Err(bad(index));
            }
            rest = after;
            influences.push(match *kind {
                0.0 => Influence::Attract,
                1.0 => Influence::Repel,
                2.0 if *boid >= 0.0 && (*boid as usize) < self.ids.len() => Influence::Lead(*boid as usize),
                3.0 | 4.0 if *points >= 2.0 && *points < 1e6 => {
                    let count = *points as usize;
                    let (own, after) = rest.split_at_checked(count * 3).ok_or_else(|| bad(index))?;
                    if !own.iter().all(within_reach) {
                        return Err(bad(index));
                    }
                    rest = after;
                    let from = paths.len();
                    paths.extend(own.as_chunks::<3>().0);
                    Influence::Path(from..paths.len(), *kind == 4.0)
                }
                _ => return Err(bad(index)),
            });
            numbers.extend(pose);
        }
        if !rest.is_empty() {
            return Err(bad(influences.len()));
        }
        // Where there are as many as before they go on from where those were: a path whose points move, or another boid that leads.
        if numbers.len() != self.input.influences.len() {
            self.from = numbers.clone();
            self.now = numbers.clone();
        }
        (self.influences, self.input.influences, self.paths) = (influences, numbers, paths);
        Ok(())
    }

    /// Where the influences are in the step being run.
    pub(super) fn place_influences(&mut self, t: f32) {
        for ((now, from), to) in self.now.iter_mut().zip(&self.from).zip(&self.input.influences) {
            *now = if t == 1.0 { *to } else { *from + (*to - *from) * t };
        }
    }
}

#[cold]
fn bad(index: usize) -> Error {
    Error::option(text![
        "influences[",
        index,
        "] must be of a kind and a boid that exist, coordinates from -1000000 to 1000000, and a radius and a weight from 0"
    ])
}

/// Velocity that the influences add to four boids.
#[inline(never)]
pub fn add(influences: &[Influence], poses: &[f32], paths: &[[f32; 3]], state: &[Body], four: &Four) -> V3 {
    let mut sum = V3::ZERO;
    for (influence, pose) in influences.iter().zip(poses.as_chunks::<STRIDE>().0) {
        let [x, y, z, dx, dy, dz, radius, weight] = *pose;
        if weight <= 0.0 {
            continue;
        }
        let (radius, weight) = (splat(radius), splat(weight));
        let way = match influence {
            Influence::Lead(boid) => {
                let [x, y, z, _] = state[*boid][AT].to_array();
                V3::splat([x, y, z]) - four.at
            }
            Influence::Path(range, closed) => follow(&paths[range.clone()], *closed, four),
            _ => V3::splat([x, y, z]) - four.at,
        };
        let line = V3::splat([dx, dy, dz]);
        let square = line.dot(line);
        // A line is where it is drawn; all else is also seen across the edge of a torus.
        let mut way = if greater(square, F4::ZERO).any() {
            way - line * (way.dot(line) / square)
        } else {
            four.world.shorter(way)
        };
        if four.world.flat {
            way.z = F4::ZERO;
        }
        let square = way.dot(way);
        let push = if let Influence::Repel = influence {
            // The sheet's pointer, with its 0.002 as a part of its radius², which is 0.04.
            let soft = radius * radius * splat(0.05) + splat(1e-30);
            F4::ZERO - weight * radius * radius / (square + soft)
        } else {
            // Towards it, and slower when it is near.
            weight * four.fastest / (square.sqrt() + four.fastest * splat(NEAR))
        };
        sum = sum + way * (less(square, radius * radius) & push);
    }
    sum
}

/// What attracts is near when it is reached in less time than this, in seconds.
const NEAR: f32 = 0.25;

/// How far ahead on a path boids aim, in seconds at their largest speed.
const AHEAD: f32 = 0.5;

/// The way to a point of the path that lies a little ahead of the nearest one.
fn follow(points: &[[f32; 3]], closed: bool, four: &Four) -> V3 {
    let (mut best, mut way) = (splat(f32::MAX), V3::ZERO);
    let ends = points[1..].iter().chain(closed.then_some(&points[0]));
    for (from, to) in points.iter().zip(ends) {
        let axis = V3::splat(*to) - V3::splat(*from);
        let square = larger(axis.dot(axis), splat(1e-30));
        let to_start = four.world.shorter(V3::splat(*from) - four.at);
        let along = F4::ZERO - to_start.dot(axis) / square;
        let foot = smaller(larger(along, F4::ZERO), F4::ONE);
        let to_foot = to_start + axis * foot;
        let distance = to_foot.dot(to_foot);
        let nearer = less(distance, best);
        best = select(nearer, distance, best);
        way = V3::select(nearer, to_foot + axis * (four.fastest * splat(AHEAD) / square.sqrt()), way);
    }
    way
}
