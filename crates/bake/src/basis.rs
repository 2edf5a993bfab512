//! The functions of time of which all numbers of a motion are nearly sums.
//!
//! Positions and normals at all frames are a matrix with a row for each number. Of all matrices of rank `r` the one of its
//! first `r` singular vectors is nearest to it (Eckart and Young 1936); with few frames and many vertices they come from the
//! products of frames (Sirovich 1987, the method of snapshots). That is nearest by the sum of squares, and a tolerance bounds
//! the largest distance. So what is furthest off weighs more and the vectors are found anew (after Lawson 1961), which takes
//! a third fewer targets for a flag.

use crate::wide::{add, dots, each, products};
use crate::{Limits, Motion};
use nalgebra::{DMatrix, SymmetricEigen};

/// A normal that is off by so much, in radians, matters as much as a position that is off by the tolerance.
pub const NORMAL: f64 = 0.2;
/// Share of the tolerance that may be taken before targets are rounded.
const SHARE: f64 = 0.95;
/// Frames and vertices that are looked at; what comes of it is held against all.
const MOST_FRAMES: usize = 600;
const MOST_VERTICES: usize = 2000;
/// Multiplications that weighing anew may take, and how often it is done at most.
const MOST_WORK: usize = 1_500_000_000;
const MOST_ROUNDS: usize = 6;
/// Vertices of one task.
pub const TASK: usize = 64;

/// Functions of time, the most important first.
pub struct Basis {
    /// `[chosen frame]` each. They are orthogonal and of length 1 once multiplied by the weights of frames.
    pub functions: Vec<Vec<f64>>,
    /// How many of them hold what was looked at; more than there are where none do.
    pub enough: usize,
    /// Every so many-th vertex was looked at.
    pub stride: usize,
    /// What each vertex that was looked at weighs.
    pub vertices: Vec<f64>,
    /// Metres that count as much as a normal's difference of 1.
    pub normal: f64,
    /// The frames that were looked at.
    chosen: Vec<usize>,
    /// What each of them weighs.
    pub frames: Vec<f64>,
}

impl Basis {
    /// Finds the functions of a motion.
    pub fn of(motion: &Motion, limits: Limits) -> Basis {
        let count = motion.frames.min(MOST_FRAMES);
        let stride = motion.vertices.div_ceil(MOST_VERTICES);
        let looked = motion.vertices.div_ceil(stride);
        let most = limits.targets.min(count);
        let mut best = Basis {
            functions: Vec::new(),
            enough: 0,
            stride,
            vertices: vec![1.0; looked],
            normal: limits.tolerance / NORMAL,
            chosen: (0..count).map(|i| i * (motion.frames - 1) / (count - 1).max(1)).collect(),
            frames: vec![1.0; count],
        };
        best.decompose(motion, most);
        let mut errors = best.errors(motion);
        best.enough = errors.enough(limits.tolerance);
        let rounds = (MOST_WORK / (looked * count * (3 * count + 6 * most))).min(MOST_ROUNDS);
        for _ in 0..rounds {
            if best.enough < 4 {
                break;
            }
            // With a few functions less than would do: what is too far off then is what matters.
            let at = best.enough.min(most).saturating_sub(4);
            let mut next = Basis {
                functions: Vec::new(),
                vertices: weighed(&best.vertices, &errors.vertices[at], |share| share),
                chosen: best.chosen.clone(),
                frames: weighed(&best.frames, &errors.frames[at], f64::sqrt),
                ..best
            };
            next.decompose(motion, most);
            errors = next.errors(motion);
            next.enough = errors.enough(limits.tolerance);
            if next.enough > best.enough {
                break;
            }
            best = next;
        }
        best
    }

    /// What a row holds at the chosen frames, as these weigh.
    pub fn chosen(&self, row: &[f32]) -> Vec<f64> {
        self.chosen.iter().zip(&self.frames).map(|(&frame, weight)| f64::from(row[frame]) * weight).collect()
    }

    /// Positions and normals that were looked at, at one frame, as they weigh: `[x, nx, y, ny, z, nz] × vertices`.
    pub fn looked(&self, motion: &Motion, vertices: std::ops::Range<usize>, frame: usize) -> Vec<f64> {
        let mut numbers = Vec::with_capacity(vertices.len() * 6);
        for v in vertices {
            for c in 0..3 {
                numbers.push(f64::from(motion.position(v * self.stride, c)[frame]) * self.vertices[v]);
                numbers.push(f64::from(motion.normal(v * self.stride, c)[frame]) * self.vertices[v] * self.normal);
            }
        }
        numbers
    }

    /// Finds the `most` functions that are best with the weights.
    fn decompose(&mut self, motion: &Motion, most: usize) {
        const BLOCK: usize = 40;
        let count = self.chosen.len();
        let mut products = vec![vec![0.0; count]; count];
        for first in (0..self.vertices.len()).step_by(BLOCK) {
            let vertices = first..(first + BLOCK).min(self.vertices.len());
            let columns = each(count, |i| {
                let mut column = self.looked(motion, vertices.clone(), self.chosen[i]);
                column.iter_mut().for_each(|number| *number *= self.frames[i]);
                column
            });
            let more: Vec<Vec<f64>> = each(count, |i| {
                let four = |j: usize| std::array::from_fn(|k| &columns[(j + k).min(i)][..]);
                (0..=i).step_by(4).flat_map(|j| dots::<4>(&columns[i], four(j))).collect()
            });
            for (sums, more) in products.iter_mut().zip(&more) {
                sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            }
        }
        let eigen = SymmetricEigen::new(DMatrix::from_fn(count, count, |i, j| products[i.max(j)][i.min(j)]));
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
        self.functions =
            order[..most].iter().map(|&k| eigen.eigenvectors.column(k).iter().copied().collect()).collect();
    }

    /// How far positions are off with the first of the functions, the first two, and so on.
    fn errors(&self, motion: &Motion) -> Errors {
        let [looked, count, most] = [self.vertices.len(), self.chosen.len(), self.functions.len()];
        let parts = each(looked.div_ceil(TASK), |task| {
            let mut errors = Errors::new(most, count);
            for v in task * TASK..((task + 1) * TASK).min(looked) {
                let mut rest: [Vec<f64>; 3] = std::array::from_fn(|c| self.chosen(motion.position(v * self.stride, c)));
                // Functions do not share anything: what one takes from a row is no other's.
                let shares: [Vec<f64>; 3] = std::array::from_fn(|c| products(&rest[c], &self.functions));
                for (k, function) in self.functions.iter().enumerate() {
                    for (row, shares) in rest.iter_mut().zip(&shares) {
                        add(row, function, -shares[k]);
                    }
                    let mut most = 0.0;
                    let [x, y, z] = &rest;
                    for (i, weight) in self.frames.iter().enumerate() {
                        let distance = (x[i] * x[i] + y[i] * y[i] + z[i] * z[i]).sqrt() / weight;
                        raise(&mut errors.frames[k][i], distance);
                        raise(&mut most, distance);
                    }
                    errors.vertices[k].push(most);
                }
            }
            errors
        });
        let mut all = Errors::new(most, count);
        for part in parts {
            for k in 0..most {
                all.frames[k].iter_mut().zip(&part.frames[k]).for_each(|(most, &more)| raise(most, more));
                all.vertices[k].extend(&part.vertices[k]);
            }
        }
        all
    }
}

/// Largest distances in metres, with the first function, the first two, and so on.
struct Errors {
    /// At each chosen frame.
    frames: Vec<Vec<f64>>,
    /// Of each vertex that was looked at.
    vertices: Vec<Vec<f64>>,
}

impl Errors {
    fn new(most: usize, count: usize) -> Errors {
        Errors { frames: vec![vec![0.0; count]; most], vertices: vec![Vec::new(); most] }
    }

    /// How many functions are enough; one more than there are where all are not.
    fn enough(&self, tolerance: f64) -> usize {
        let holds = |distances: &Vec<f64>| distances.iter().all(|&distance| distance <= tolerance * SHARE);
        1 + self.frames.iter().position(holds).unwrap_or(self.frames.len())
    }
}

/// Weights that are larger the farther off something is, 1 at most.
fn weighed(weights: &[f64], errors: &[f64], gain: impl Fn(f64) -> f64) -> Vec<f64> {
    let furthest = largest(errors);
    let more: Vec<f64> = weights.iter().zip(errors).map(|(w, error)| w * gain((error / furthest).max(0.05))).collect();
    let most = largest(&more);
    more.into_iter().map(|weight| weight / most).collect()
}

/// The largest of some numbers, or 0.
pub fn largest(numbers: &[f64]) -> f64 {
    let mut most = 0.0;
    numbers.iter().for_each(|&number| raise(&mut most, number));
    most
}

fn raise(most: &mut f64, number: f64) {
    if number > *most {
        *most = number;
    }
}
