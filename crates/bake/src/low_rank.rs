//! A recorded mesh as a few morph targets that are weighted anew at each frame.

use crate::basis::{Basis, NORMAL, TASK, largest};
use crate::wide::{add, dot, each, products};
use crate::{Fault, Limits, Motion};
use nalgebra::{Cholesky, DMatrix, DVector};

/// A motion as targets and their weights.
#[derive(Debug)]
pub struct Fit {
    /// Metres of a position's delta of 1.
    pub unit: f32,
    /// Of each target, whether its codes need 16 bits: a delta is `code / 32767` then, and `code / 127` otherwise.
    pub wide: Vec<u8>,
    /// Of each target, `[x, y, z] × vertices` of positions and then of normals.
    pub codes: Vec<i16>,
    /// `[target] × frames`. All are 0 at the first frame.
    pub weights: Vec<f32>,
    /// Frames that are enough, ascending, the first and the last among them: weights between them may be interpolated.
    pub keyframes: Vec<u32>,
}

/// Rounding steps of all targets together, in tolerances, that are tried one after the other. The first makes small files;
/// the others are for motions of few targets, whose roundings may add up.
const STEPS: [f64; 3] = [0.6, 0.3, 0.1];
/// The largest code of 8 bits.
const NARROW: f64 = 127.0;
/// The same of 16.
const WIDE: f64 = 32767.0;

/// Fits a motion with as few targets as were found to be enough.
pub fn fit(motion: &Motion, limits: Limits) -> Result<Fit, Fault> {
    let basis = Basis::of(motion, limits);
    let most = basis.functions.len();
    let mut off = f64::INFINITY;
    for step in STEPS {
        let mut rank = basis.enough.min(most);
        let mut targets = Targets::new(&basis, step / (rank as f64).sqrt());
        while rank <= most {
            targets.extend(motion, &basis, rank);
            // Some may have taken two: how far off is what there is room for?
            let is_room = targets.all.len() <= limits.targets;
            targets.all.truncate(limits.targets);
            let weights = targets.weigh(motion, &basis);
            let shown = targets.show(motion, &weights);
            let error = shown.furthest(motion);
            if error <= limits.tolerance {
                let keyframes = shown.keyframes(motion, limits.tolerance);
                return Ok(targets.finish(&weights, keyframes));
            }
            off = off.min(error);
            if !is_room {
                break;
            }
            rank += (rank / 24).max(1);
        }
        if basis.enough > most {
            break;
        }
    }
    Err(Fault::Tolerance(off))
}

/// One target, rounded.
struct Target {
    /// `[x, nx, y, ny, z, nz] × vertices`.
    codes: Vec<i16>,
    /// How many steps a code is.
    steps: f64,
    wide: bool,
}

/// Targets of a motion, and what their codes are.
struct Targets {
    all: Vec<Target>,
    /// Functions of the basis that they are of.
    rank: usize,
    unit: f32,
    /// Metres of a position's step, where a weight is 1.
    position: f64,
    /// A normal's step.
    normal: f64,
}

impl Targets {
    /// None yet. `step` is in tolerances.
    fn new(basis: &Basis, step: f64) -> Targets {
        let unit = basis.normal as f32;
        let normal = step * NORMAL;
        Targets { all: Vec::new(), rank: 0, unit, position: normal * f64::from(unit), normal }
    }

    /// Adds targets for functions of the basis until there are those of `rank`. What is too far for 16 bits takes two: one in
    /// larger steps, and one for what that leaves.
    fn extend(&mut self, motion: &Motion, basis: &Basis, rank: usize) {
        let functions: Vec<Vec<f64>> = basis.functions[self.rank..rank]
            .iter()
            .map(|function| {
                // Targets as far as they go: weights of 1 at most.
                let shares: Vec<f64> =
                    function.iter().zip(&basis.frames).map(|(x, weight)| (x / weight).abs()).collect();
                let most = largest(&shares);
                function.iter().map(|x| x * most).collect()
            })
            .collect();
        let parts = each(motion.vertices.div_ceil(TASK), |task| {
            let mut deltas = vec![Vec::new(); functions.len()];
            for v in task * TASK..((task + 1) * TASK).min(motion.vertices) {
                for c in 0..3 {
                    for (row, step) in [(motion.position(v, c), self.position), (motion.normal(v, c), self.normal)] {
                        let shares = products(&basis.chosen(row), &functions);
                        for (deltas, share) in deltas.iter_mut().zip(shares) {
                            deltas.push(share / step);
                        }
                    }
                }
            }
            deltas
        });
        for k in 0..functions.len() {
            let mut deltas: Vec<f64> = parts.iter().flat_map(|part| part[k].iter().copied()).collect();
            loop {
                let most = deltas.iter().fold(0.0, |most, delta| if delta.abs() > most { delta.abs() } else { most });
                let steps = if most > WIDE { most / WIDE } else { 1.0 };
                let codes: Vec<i16> = deltas.iter().map(|delta| (delta / steps).round() as i16).collect();
                deltas.iter_mut().zip(&codes).for_each(|(delta, &code)| *delta -= f64::from(code) * steps);
                self.all.push(Target { codes, steps, wide: most > NARROW });
                // What is left may be nothing.
                if most <= WIDE || deltas.iter().all(|delta| delta.abs() < 0.5) {
                    break;
                }
            }
        }
        self.rank = rank;
    }

    /// Weights, `[frame]` for each target, with which the rounded targets are nearest to the motion.
    fn weigh(&self, motion: &Motion, basis: &Basis) -> Vec<Vec<f64>> {
        let looked = basis.vertices.len();
        let rows: Vec<Vec<f64>> = self
            .all
            .iter()
            .map(|target| {
                let steps = [self.position * target.steps, self.normal * target.steps * basis.normal];
                let number = |v: usize, c: usize| {
                    f64::from(target.codes[v * basis.stride * 6 + c]) * steps[c % 2] * basis.vertices[v]
                };
                (0..looked * 6).map(|i| number(i / 6, i % 6)).collect()
            })
            .collect();
        let rank = rows.len();
        // A little more on the diagonal: targets that are all zero, or alike, would leave weights open.
        let product = |i: usize, j: usize| dot(&rows[i], &rows[j]) * if i == j { 1.0 + 1e-9 } else { 1.0 };
        let lower: Vec<Vec<f64>> = each(rank, |i| (0..=i).map(|j| product(i, j)).collect());
        let square = DMatrix::from_fn(rank, rank, |i, j| {
            let product = lower[i.max(j)][i.min(j)];
            if i == j && product == 0.0 { 1.0 } else { product }
        });
        let solver = Cholesky::new(square);
        let frames = each(motion.frames, |frame| {
            let now = basis.looked(motion, 0..looked, frame);
            let right = DVector::from_vec(products(&now, &rows));
            solver.as_ref().map_or_else(|| DVector::zeros(rank), |solver| solver.solve(&right))
        });
        self.all
            .iter()
            .enumerate()
            // As the file holds them.
            .map(|(k, target)| {
                let scale = self.scale(target);
                frames.iter().map(|weights| f64::from((weights[k] * scale) as f32) / scale).collect()
            })
            .collect()
    }

    /// What a file's weight is where a weight is 1.
    fn scale(&self, target: &Target) -> f64 {
        target.steps * self.normal * if target.wide { WIDE } else { NARROW }
    }

    /// The positions that targets and weights show.
    fn show(&self, motion: &Motion, weights: &[Vec<f64>]) -> Shown {
        let parts = each(motion.vertices.div_ceil(TASK), |task| {
            let numbers = task * TASK * 3..((task + 1) * TASK).min(motion.vertices) * 3;
            let mut rows = Vec::with_capacity(numbers.len() * motion.frames);
            let mut row = vec![0.0; motion.frames];
            for number in numbers {
                row.fill(0.0);
                for (target, weights) in self.all.iter().zip(weights) {
                    add(&mut row, weights, f64::from(target.codes[number * 2]) * self.position * target.steps);
                }
                rows.extend(row.iter().map(|&number| number as f32));
            }
            rows
        });
        Shown { frames: motion.frames, rows: parts.concat() }
    }

    fn finish(&self, weights: &[Vec<f64>], keyframes: Vec<u32>) -> Fit {
        let frames = weights[0].len();
        let at = |frame: usize| self.all.iter().zip(weights).map(move |(t, w)| (w[frame] * self.scale(t)) as f32);
        let every = |t: &Target, first: usize| t.codes.iter().skip(first).step_by(2).copied().collect::<Vec<i16>>();
        Fit {
            unit: self.unit,
            wide: self.all.iter().map(|target| u8::from(target.wide)).collect(),
            codes: self.all.iter().flat_map(|target| [every(target, 0), every(target, 1)].concat()).collect(),
            weights: (0..frames).flat_map(at).collect(),
            keyframes,
        }
    }
}

/// What is shown of a motion: as `Motion` has it.
struct Shown {
    frames: usize,
    /// `[frame] × [x, y, z] × vertices`.
    rows: Vec<f32>,
}

impl Shown {
    fn position(&self, vertex: usize, c: usize) -> &[f32] {
        &self.rows[(vertex * 3 + c) * self.frames..][..self.frames]
    }

    /// The largest distance from the motion, at any frame.
    fn furthest(&self, motion: &Motion) -> f64 {
        let squares = each(motion.vertices, |v| {
            let mut squares = vec![0.0; self.frames];
            for c in 0..3 {
                for (square, (a, b)) in squares.iter_mut().zip(self.position(v, c).iter().zip(motion.position(v, c))) {
                    let off = f64::from(a - b);
                    *square += off * off;
                }
            }
            largest(&squares)
        });
        largest(&squares).sqrt()
    }

    /// Few frames, such that between each and the next everything may be interpolated: from each the furthest that holds.
    fn keyframes(&self, motion: &Motion, tolerance: f64) -> Vec<u32> {
        let last = self.frames - 1;
        let mut keyframes = vec![0];
        let mut from = 0;
        while from < last {
            let mut to = from + 1;
            let mut leap = 1;
            let holds = |to: usize| to <= last && self.holds(motion, from, to, tolerance);
            while holds(to + leap) {
                to += leap;
                leap *= 2;
            }
            while leap > 1 {
                leap /= 2;
                if holds(to + leap) {
                    to += leap;
                }
            }
            keyframes.push(to as u32);
            from = to;
        }
        keyframes
    }

    /// Whether every frame between two is within the tolerance where what is shown is interpolated.
    fn holds(&self, motion: &Motion, from: usize, to: usize, tolerance: f64) -> bool {
        let limit = tolerance * tolerance;
        (0..motion.vertices).all(|v| {
            (from + 1..to).all(|frame| {
                let share = (frame - from) as f64 / (to - from) as f64;
                let square = |c: usize| {
                    let row = self.position(v, c);
                    let shown = f64::from(row[from]) * (1.0 - share) + f64::from(row[to]) * share;
                    let off = shown - f64::from(motion.position(v, c)[frame]);
                    off * off
                };
                square(0) + square(1) + square(2) <= limit
            })
        })
    }
}
