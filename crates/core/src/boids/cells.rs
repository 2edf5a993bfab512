//! Boids sorted by where they are, so that those that are near lie together in memory.
//!
//! The world is cut into rows along x, which are at least as wide and as high as anybody sees, and each row into bins, which are
//! far shorter. Four boids that lie beside one another look into nine rows (in 2D three), and in each at the bins that are near
//! enough to the box around the four: that is less than what 27 cubes hold. Across the edge of a torus the rows of the other side count too, moved once around.

use super::Species;
use super::world::{Shape, World};
use crate::lanes::{F4, V3, splat};
use wide::u32x4;

/// Bins for the length that a boid sees.
const FINE: f32 = 8.0;

/// Where nobody is: far from everything, and its square still a number.
const FAR: f32 = 1e18;

/// Four boids that lie beside one another. A row begins with a whole block, and its last is filled up with nobody.
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Block {
    pub at: V3,
    pub going: V3,
    /// Their places among the ids, −1 where nobody is.
    pub who: F4,
}

/// Numbers of a block.
const WIDE: usize = size_of::<Block>() / 4;

impl Block {
    const NOBODY: Block =
        Block { at: V3 { x: splat(FAR), y: F4::ZERO, z: F4::ZERO }, going: V3::ZERO, who: splat(-1.0) };

    /// Their places among the ids; that of the first boid where nobody is.
    pub fn places(&self) -> [usize; 4] {
        self.who.to_array().map(|who| if who >= 0.0 { who as usize } else { 0 })
    }
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
    /// Where there are several species.
    pub kin: Vec<Kin>,
}

/// Of each boid of a block what species it is of, and with which it flocks, a bit for each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kin {
    own: u32x4,
    pub flocks: [u32; 4],
}

impl Kin {
    /// On where one is of the species whose bits are set.
    #[inline(always)]
    pub fn of(&self, species: u32) -> F4 {
        let none = (self.own & u32x4::new([species; 4])).simd_eq(u32x4::ZERO);
        bytemuck::cast(!none)
    }
}

/// The blocks `from..to`, seen at their place and `shift`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    pub from: usize,
    pub to: usize,
    pub shift: [f32; 3],
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
        let room = (boids + rows * 3) / 4;
        self.blocks.clear();
        self.blocks.resize(room, Block::NOBODY);
        self.kin.clear();
        self.kin.resize(room, Kin::default());
    }

    fn along(&self, v: f32, axis: usize) -> usize {
        let place = (v - self.low[axis]) * self.per_width[axis];
        let last = self.count[axis] - 1;
        if place > 0.0 { if (place as usize) < last { place as usize } else { last } } else { 0 }
    }

    /// Sorts the boids: a counting sort, which keeps the order of the ids within a bin.
    #[inline(never)]
    pub fn sort(&mut self, at: &[F4], going: &[F4], species: &[u32], table: &[Species], mixed: bool) {
        self.start.fill(0);
        let [bins, across, _] = self.count;
        for (i, p) in at.iter().enumerate() {
            let [x, y, z, _] = p.to_array();
            let bin = (self.along(z, 2) * across + self.along(y, 1)) * (bins + 1) + self.along(x, 0);
            self.bin_of[i] = bin as u32;
            self.start[bin] += 1;
        }
        // The end of each bin, from which boids are filled in backwards: it is the start then.
        let mut sum = 0;
        for row in self.start.chunks_exact_mut(bins + 1) {
            for start in row {
                sum += *start;
                *start = sum;
            }
            if sum % 4 > 0 {
                self.blocks[sum as usize / 4] = Block::NOBODY;
                sum = sum.next_multiple_of(4);
            }
        }
        self.blocks[sum as usize / 4..].fill(Block::NOBODY);
        let numbers: &mut [f32] = bytemuck::cast_slice_mut(&mut self.blocks);
        for i in (0..at.len()).rev() {
            let start = &mut self.start[self.bin_of[i] as usize];
            *start -= 1;
            let (block, lane) = (*start as usize / 4, *start as usize % 4);
            let into = &mut numbers[block * WIDE + lane..][..WIDE - 3];
            let ([x, y, z, _], [vx, vy, vz, _]) = (at[i].to_array(), going[i].to_array());
            for (field, v) in [x, y, z, vx, vy, vz, i as f32].into_iter().enumerate() {
                into[field * 4] = v;
            }
            if mixed {
                let kin = &mut self.kin[block];
                kin.own.as_mut_array()[lane] = 1 << species[i];
                kin.flocks[lane] = table[species[i] as usize].flocks;
            }
        }
    }

    /// Visits all boids that are nearer than `radius` to the box from `low` to `high`, and some farther ones: each at the image at
    /// which it may be near to what is in one half of the world, once.
    #[inline(always)]
    pub fn about(&self, low: [f32; 3], high: [f32; 3], radius: f32, mut visit: impl FnMut(Run)) {
        let bins = self.count[0] as i32;
        let in_bins = |x: f32| ((x - self.low[0]) * self.per_width[0]).floor() as i32;
        // Beyond the world there is nothing, or once more what is in it.
        let least = |c: usize| if self.wraps { -(self.count[c] as i32) } else { 0 };
        let reach = [1, 2].map(|c| {
            let rows = radius * self.per_width[c];
            1 + if rows < self.count[c] as f32 { rows as i32 } else { self.count[c] as i32 }
        });
        let first = [1, 2].map(|c| (self.along(low[c], c) as i32 - reach[c - 1]).max(least(c)));
        let last =
            [1, 2].map(|c| (self.along(high[c], c) as i32 + reach[c - 1]).min(self.count[c] as i32 - 1 - least(c)));
        // The square of the distance to a row. Rounded into rows, a boid may be a little beyond.
        let gap = |row: i32, c: usize| {
            let near = self.low[c] + row as f32 * self.width[c];
            let (below, above) = (low[c] - near - self.width[c] * 1.00001, near - self.width[c] * 1e-5 - high[c]);
            let gap = if below > above { below } else { above };
            if gap > 0.0 { gap * gap } else { 0.0 }
        };
        for z in first[1]..=last[1] {
            let Some((own_z, shift_z)) = self.place(z, 2) else { continue };
            let rest = radius * radius - gap(z, 2);
            for y in first[0]..=last[0] {
                let Some((own_y, shift_y)) = self.place(y, 1) else { continue };
                let rest = rest - gap(y, 1);
                if rest <= 0.0 {
                    continue;
                }
                let half = rest.sqrt() * 1.0001 + self.width[0] * 1e-3;
                let (first, last) = (in_bins(low[0] - half).max(-bins), in_bins(high[0] + half).min(2 * bins));
                let row = (own_z * self.count[1] + own_y) * (bins as usize + 1);
                let mut part = |first: i32, last: i32, shift_x: f32| {
                    let first = if first > 0 { first } else { 0 };
                    let last = if last < first { first } else { (last + 1).min(bins) };
                    let (from, to) =
                        (self.start[row + first as usize] as usize, self.start[row + last as usize] as usize);
                    if from < to {
                        visit(Run { from: from / 4, to: to.div_ceil(4), shift: [shift_x, shift_y, shift_z] });
                    }
                };
                if first < bins && last >= 0 {
                    part(first, last, 0.0);
                }
                if self.wraps && first < 0 {
                    part(first + bins, last + bins, -self.side[0]);
                }
                if self.wraps && last >= bins {
                    part(first - bins, last - bins, self.side[0]);
                }
            }
        }
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
