//! Boids sorted by where they are, so that those that are near lie together in memory.
//!
//! The world is cut into rows along x, which are at least as wide and as high as anybody sees, and each row into bins, which are
//! far shorter. Four boids that lie beside one another look into nine rows (in 2D three), and in each at the bins that are near
//! enough to the box around the four: that is less than what 27 cubes hold. Across the edge of a torus the rows of the other side count too, moved once around.

use super::world::{Shape, World};
use super::{AT, Body, GOING};
use crate::lanes::{F4, V3};

/// Bins for the length that a boid sees.
const FINE: f32 = 8.0;

/// Where nobody is: far from everything, and its square still a number.
const FAR: f32 = 1e18;

/// A boid where it lies among the others.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct One {
    /// Where it is, and its place among the ids: −1 where nobody is.
    pub at: [f32; 4],
    /// Its velocity, and the bit of its species, as it lies in memory.
    pub going: [f32; 4],
}

/// Four that lie beside one another. A row begins with a whole block, and its last is filled up with nobody.
pub type Block = [One; 4];

const NOBODY: One = One { at: [FAR, 0.0, 0.0, -1.0], going: [0.0; 4] };

/// Their places among the ids; that of the first boid where nobody is.
#[inline(always)]
pub fn places(block: &Block) -> [usize; 4] {
    let place = |one: &One| if one.at[3] >= 0.0 { one.at[3] as usize } else { 0 };
    [place(&block[0]), place(&block[1]), place(&block[2]), place(&block[3])]
}

/// Places, or velocities, of four as lanes, and the fourth numbers.
#[inline(never)]
pub fn lanes(a: &[f32; 4], b: &[f32; 4], c: &[f32; 4], d: &[f32; 4]) -> (V3, F4) {
    let [x, y, z, more] = F4::transpose([F4::new(*a), F4::new(*b), F4::new(*c), F4::new(*d)]);
    (V3 { x, y, z }, more)
}

/// The boids in their rows and bins, within which they keep the order of their ids.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// Bins in a row, rows across and rows up.
    count: [usize; 3],
    low: [f32; 3],
    /// The length of a bin, the width and the height of a row.
    width: [f32; 3],
    per_width: [f32; 3],
    side: [f32; 3],
    wraps: bool,
    /// Of each row the first boid of each bin, and the end of the row.
    start: Vec<u32>,
    bin_of: Vec<u32>,
    pub blocks: Vec<Block>,
}

/// The boids `from..to`, seen at their place and `shift`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    pub from: u32,
    pub to: u32,
    pub shift: [f32; 3],
}

/// Most runs about a boid that looks: three parts of nine rows. Hunters may see farther than a row is wide.
const MOST_RUNS: usize = 27;

/// Those about a boid, or about four.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    all: [Run; MOST_RUNS],
    count: usize,
}

impl Runs {
    /// There may be more.
    pub fn full(&self) -> bool {
        self.count == MOST_RUNS
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Run> {
        self.all[..self.count].iter()
    }
}

impl Cells {
    /// Cuts the world into rows and bins for `boids` that see as far as `radius`.
    pub fn lay_out(&mut self, world: &World, radius: f32, boids: usize) {
        self.wraps = world.shape == Shape::Torus;
        self.low = world.low;
        self.side = std::array::from_fn(|c| world.high[c] - world.low[c]);
        // In a torus a row must not be its own neighbour's neighbour.
        let least = if self.wraps { 2.0 } else { 1.0 };
        // A little more, as places are rounded into rows.
        let mut see = if radius > 0.0 { radius * 1.0001 } else { world.least_side() };
        loop {
            let counts: [f32; 3] = std::array::from_fn(|c| {
                let count = (self.side[c] / see * if c == 0 { FINE } else { 1.0 }).floor();
                if world.flat && c == 2 {
                    1.0
                } else if count > least {
                    count
                } else {
                    least
                }
            });
            // Far more bins than boids would only cost time.
            if counts[0] * counts[1] * counts[2] <= 2.0 * FINE * boids as f32 + 512.0 {
                self.count = counts.map(|v| v as usize);
                break;
            }
            see *= 1.1;
        }
        for c in 0..3 {
            self.width[c] = self.side[c] / self.count[c] as f32;
            self.per_width[c] = if self.width[c] > 0.0 { 1.0 / self.width[c] } else { 0.0 };
        }
        let rows = self.count[1] * self.count[2];
        self.start.clear();
        self.start.resize(rows * (self.count[0] + 1), 0);
        self.bin_of.resize(boids, 0);
        // No row has more than three places for nobody.
        self.blocks.clear();
        self.blocks.resize((boids + rows * 3) / 4, [NOBODY; 4]);
    }

    fn along(&self, v: f32, axis: usize) -> usize {
        let place = (v - self.low[axis]) * self.per_width[axis];
        let last = self.count[axis] - 1;
        if place > 0.0 { if (place as usize) < last { place as usize } else { last } } else { 0 }
    }

    /// All, and nobody, in order.
    #[inline(always)]
    pub fn ones(&self) -> &[One] {
        self.blocks.as_flattened()
    }

    /// Sorts the boids: a counting sort, which keeps the order of the ids within a bin.
    #[inline(never)]
    pub fn sort(&mut self, bodies: &[Body], species: &[u32]) {
        self.start.fill(0);
        let [bins, across, _] = self.count;
        for (i, body) in bodies.iter().enumerate() {
            let [x, y, z, _] = body[AT].to_array();
            let bin = (self.along(z, 2) * across + self.along(y, 1)) * (bins + 1) + self.along(x, 0);
            self.bin_of[i] = bin as u32;
            self.start[bin] += 1;
        }
        // The end of each bin, from which boids are filled in backwards: it is the start then.
        let mut sum = 0;
        let ones = self.blocks.as_flattened_mut();
        for row in self.start.chunks_exact_mut(bins + 1) {
            for start in row {
                sum += *start;
                *start = sum;
            }
            while sum % 4 > 0 {
                ones[sum as usize] = NOBODY;
                sum += 1;
            }
        }
        ones[sum as usize..].fill(NOBODY);
        let all = bodies.iter().zip(species).zip(&self.bin_of).enumerate();
        for (i, ((body, species), bin)) in all.rev() {
            let start = &mut self.start[*bin as usize];
            *start -= 1;
            let ([x, y, z, _], [vx, vy, vz, _]) = (body[AT].to_array(), body[GOING].to_array());
            let bit = f32::from_bits(1 << species);
            ones[*start as usize] = One { at: [x, y, z, i as f32], going: [vx, vy, vz, bit] };
        }
    }

    /// Finds all boids that are nearer than `radius` to the box from `low` to `high`, and some farther ones: each at the image at
    /// which it may be near to what is in one half of the world, once. Where there are more runs than have room, those that
    /// follow the first `skip`; the last are found when there is room left.
    #[inline(never)]
    pub fn about(&self, low: [f32; 3], high: [f32; 3], radius: f32, skip: usize, runs: &mut Runs) {
        let mut found = 0usize;
        let bins = self.count[0] as i32;
        // The first row along an axis, and that behind the last. Beyond the world there is nothing, or once more what is in it.
        let rows = |c: usize| {
            let (count, least) = (self.count[c] as i32, if self.wraps { -(self.count[c] as i32) } else { 0 });
            let reach = radius * self.per_width[c];
            let reach = 1 + if reach < count as f32 { reach as i32 } else { count };
            let (first, last) = (self.along(low[c], c) as i32 - reach, self.along(high[c], c) as i32 + reach);
            first.max(least)..(last + 1).min(count - least)
        };
        let per_square = if radius > 0.0 { 1.0 / (radius * radius) } else { 0.0 };
        // How far the middle of the box is from that of row 0, and at what distance they touch. Rounded into rows, a boid may be a
        // little beyond.
        let from_first = |c: usize| {
            let (low, high) = (low[c] - self.low[c], high[c] - self.low[c]);
            let half = (high - low + self.width[c]) * 0.5 + self.side[c] * 1e-6;
            ((low + high - self.width[c]) * 0.5, half)
        };
        let [across, up] = [from_first(1), from_first(2)];
        // The square of the distance to a row, as a part of that of the radius. Without a branch, as which it is cannot be foreseen.
        let gap = |row: i32, c: usize, (place, half): (f32, f32)| {
            let beyond = (row as f32 * self.width[c] - place).abs() - half;
            let gap = (beyond + beyond.abs()) * 0.5;
            gap * gap * per_square
        };
        // In bins from once around before the row, a little farther, as places are rounded into bins.
        let place = |x: f32| (x - self.low[0]) * self.per_width[0] + bins as f32;
        let (from, to) = (place(low[0]), place(high[0]));
        let fall = radius * self.per_width[0] * 0.5;
        let far = fall * 2.0 + bins as f32 * 1e-6 + 1e-3;
        for z in rows(2) {
            let Some((own_z, shift_z)) = self.place(z, 2) else { continue };
            let gap_z = gap(z, 2, up);
            for y in rows(1) {
                let Some((own_y, shift_y)) = self.place(y, 1) else { continue };
                let gap = gap_z + gap(y, 1, across);
                if gap >= 1.0 {
                    continue;
                }
                // The root of 1 − gap is no larger than this.
                let half = far - gap * fall;
                let half = if half < bins as f32 { half } else { bins as f32 };
                // From once around before the row to once around behind it, rounded down.
                let first = (from - half) as i32 - bins;
                let last = (to + half) as i32 - bins;
                let row = (own_z * self.count[1] + own_y) * (bins as usize + 1);
                let beyond = self.wraps && (first < 0 || last >= bins);
                for (around, shift_x) in [(0, 0.0), (-bins, -self.side[0]), (bins, self.side[0])] {
                    if around != 0 && !beyond {
                        break;
                    }
                    let (first, last) = ((first - around).max(0), (last - around + 1).min(bins));
                    if first >= last {
                        continue;
                    }
                    let (from, to) = (self.start[row + first as usize], self.start[row + last as usize]);
                    if from >= to {
                        continue;
                    }
                    if let Some(into) = runs.all.get_mut(found.wrapping_sub(skip)) {
                        *into = Run { from, to, shift: [shift_x, shift_y, shift_z] };
                    }
                    found += 1;
                }
            }
        }
        runs.count = (found - skip).min(MOST_RUNS);
    }

    /// The row that is seen at `row` along an axis, and how far from itself.
    #[inline(always)]
    fn place(&self, row: i32, axis: usize) -> Option<(usize, f32)> {
        let count = self.count[axis] as i32;
        if row >= 0 && row < count {
            return Some((row as usize, 0.0));
        }
        // The plane of a 2D world has but one layer.
        if !self.wraps || count < 2 || row < -count || row >= 2 * count {
            return None;
        }
        let side = self.side[axis];
        Some(if row < 0 { ((row + count) as usize, -side) } else { ((row - count) as usize, side) })
    }
}
