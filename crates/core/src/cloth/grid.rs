//! A grid of particles whose links are solved in whole vectors.
//!
//! The columns are cut into four strips of `width` columns, and lane `l` holds strip `l`. So block `j × width + i` holds
//! the columns `i`, `width + i`, `2 × width + i` and `3 × width + i` of row `j`, and a link of any kind joins two whole
//! blocks; only where a strip borders on the next do lanes shift by one. Where the columns do not divide by four, the last
//! strip is padded with particles that nothing moves.
//!
//! Links are solved by kind and direction: bend links along the columns, shear links, structural links along the columns,
//! then structural and bend links along the rows, in the order of [`Grid::ends`]. Rows follow from the top down, so that
//! a pull reaches the last one in one pass. The first row mostly carries all the others: once more, and weakly, it is solved
//! with the second. Links of one row do not touch, and are whole vectors.
//!
//! Refused, by the largest stretch at 8 iterations of the standing cape and of a hanging 64 × 64 sheet, and by the strain of
//! a first row pulled along at 15 m/s (1.03, 1.9, 4.6 % as it is): the first row not once more (1.03, 1.8, 6 %), rows
//! in two sets by their parity (1.05, 2.3, 4 %), from the bottom up in the last pass (1.05, 2.5, 0 %), structural links last
//! (1.06, 2.7), a greedy colouring of all links at once (1.63 at one iteration, instead of 1.32).

use super::links::{Kind, LinkLanes, relax};
use crate::lanes::{F4, ON, V3};
use std::ops::Range;
use std::slice::Iter;

/// Fewer columns than this leave strips too narrow for links that skip a column; such a cloth is solved as a mesh.
pub const LEAST_COLUMNS: usize = 9;

/// How strongly the first row is solved once more with the second.
pub const AGAIN: f32 = 0.25;

/// Rows whose links along them are solved set by set. Links of one set do not touch, and
/// the processor works on many at once: in a narrow cloth a single row has too few.
const BAND: usize = 8;

/// The shape of a strip grid.
#[derive(Clone, Debug)]
pub struct Grid {
    columns: usize,
    rows: usize,
    /// Columns in a strip, blocks in a row.
    width: usize,
    /// On where block `i` of a row and its neighbour `i + 1` are both columns of the cloth.
    cells: Vec<F4>,
}

/// The slots (block × 4 + lane) that the four lanes of a link vector join; `None` in a lane without a link.
pub type Ends = [Option<[u32; 2]>; 4];

impl Grid {
    /// A grid of at least [`LEAST_COLUMNS`] columns and 2 rows.
    pub fn new(columns: usize, rows: usize) -> Self {
        let width = columns.div_ceil(4);
        let cell = |i: usize, lane: usize| if lane * width + i + 1 < columns { ON } else { 0.0 };
        let cells = (0..width).map(|i| F4::new([cell(i, 0), cell(i, 1), cell(i, 2), cell(i, 3)])).collect();
        Grid { columns, rows, width, cells }
    }

    /// How many blocks hold the grid.
    pub fn blocks(&self) -> usize {
        self.width * self.rows
    }

    /// The slot of the particle in column `i` of row `j`.
    pub fn slot(&self, i: usize, j: usize) -> u32 {
        ((j * self.width + i % self.width) * 4 + i / self.width) as u32
    }

    /// Every link vector in the order in which [`Grid::relax`] solves them.
    pub fn ends(&self) -> Vec<(Kind, Ends)> {
        let (w, rows) = (self.width, self.rows);
        let mut all = Vec::new();
        let mut add = |kind, columns: Range<usize>, j, di, dj| self.add_row(&mut all, kind, columns, j, [di, dj]);
        for j in 0..rows.saturating_sub(2) {
            add(Kind::Bend, 0..w, j, 0, 2);
        }
        for j in 0..rows - 1 {
            add(Kind::Shear, 0..w, j, 1, 1);
            add(Kind::Shear, 1..w, j, -1, 1);
            // Over the border of a strip the left end comes first.
            add(Kind::Shear, w - 1..w, j + 1, 1, -1);
        }
        for j in 0..rows - 1 {
            add(Kind::Structural, 0..w, j, 0, 1);
        }
        let bands = || (0..rows).step_by(BAND).map(|j| j..if j + BAND < rows { j + BAND } else { rows });
        for band in bands() {
            for first in [0, 1] {
                for j in band.clone() {
                    (first..w - 1).step_by(2).for_each(|i| add(Kind::Structural, i..i + 1, j, 1, 0));
                }
            }
            band.for_each(|j| add(Kind::Structural, w - 1..w, j, 1, 0));
        }
        for band in bands() {
            for first in [0, 2] {
                for j in band.clone() {
                    for i in (first..w - 2).step_by(4) {
                        add(Kind::Bend, i..if i + 2 < w - 2 { i + 2 } else { w - 2 }, j, 2, 0);
                    }
                }
            }
            for i in [w - 2, w - 1] {
                band.clone().for_each(|j| add(Kind::Bend, i..i + 1, j, 2, 0));
            }
        }
        all
    }

    /// Adds the vectors that join the columns `columns` of row `j`, in every strip, with those `di` columns and `dj` rows on.
    #[inline(never)]
    fn add_row(&self, all: &mut Vec<(Kind, Ends)>, kind: Kind, columns: Range<usize>, j: usize, [di, dj]: [isize; 2]) {
        for i in columns {
            let ends = std::array::from_fn(|lane| {
                let from = lane * self.width + i;
                let to = from.checked_add_signed(di)?;
                (from < self.columns && to < self.columns)
                    .then(|| [self.slot(from, j), self.slot(to, j.wrapping_add_signed(dj))])
            });
            all.push((kind, ends));
        }
    }

    /// One pass over all links.
    pub fn relax(&self, p: &mut [V3], links: &[LinkLanes]) {
        let w = self.width;
        let (bend, links) = links.split_at(self.rows.saturating_sub(2) * w);
        let (shear, links) = links.split_at((self.rows - 1) * 2 * w);
        let (structural, links) = links.split_at((self.rows - 1) * w);
        // One kind after the other, but in step: shear links two rows behind the bend links, structural links four. By then
        // nothing earlier touches their rows any more, so that the bits are those of three passes; and a narrow cloth, whose
        // rows have few blocks, keeps the processor busy with three rows at once.
        for j in 0..self.rows + 3 {
            if let Some(links) = row(bend, j, w) {
                apart(&mut p[j * w..], w, 2 * w, links);
            }
            if let Some(links) = j.checked_sub(2).and_then(|k| row(shear, k, 2 * w)) {
                diagonal(&mut p[(j - 2) * w..j * w], w, &mut links.iter());
            }
            if let Some(links) = j.checked_sub(4).and_then(|k| row(structural, k, w)) {
                apart(&mut p[(j - 4) * w..], w, w, links);
            }
        }
        let (first, second) = p.split_at_mut(w);
        for ((a, b), link) in first.iter_mut().zip(second).zip(structural) {
            relax(a, b, &link.weakened(AGAIN));
        }
        let mut links = links.iter();
        for band in p.chunks_mut(BAND * w) {
            for first in [0, 1] {
                neighbours(band, w, first, &mut links);
            }
            across(band, w, w - 1, 0, &mut links);
        }
        for band in p.chunks_mut(BAND * w) {
            for first in [0, 2] {
                skipping(band, w, first, &mut links);
            }
            across(band, w, w - 2, 0, &mut links);
            across(band, w, w - 1, 1, &mut links);
        }
    }

    /// Normals of all particles, summed over their triangles by area: a cell's two triangles are (a, c, b) and (b, c, d),
    /// where a and b are in row j, c and d below them.
    pub fn normals(&self, p: &[V3], n: &mut [V3]) {
        let w = self.width;
        n.fill(V3::ZERO);
        for j in 0..self.rows - 1 {
            let (top, bottom) = (&p[j * w..(j + 1) * w], &p[(j + 1) * w..(j + 2) * w]);
            let (n_top, n_bottom) = n[j * w..(j + 2) * w].split_at_mut(w);
            for i in 0..w {
                let last = i + 1 == w;
                let (a, c) = (top[i], bottom[i]);
                let (b, d) = if last { (top[0].next(), bottom[0].next()) } else { (top[i + 1], bottom[i + 1]) };
                let cell = self.cells[i];
                let first = V3::select(cell, (b - c).cross(a - c), V3::ZERO);
                let second = V3::select(cell, (d - c).cross(b - c), V3::ZERO);
                let both = first + second;
                n_top[i] = n_top[i] + first;
                n_bottom[i] = n_bottom[i] + both;
                if last {
                    n_top[0] = n_top[0] + both.previous(V3::ZERO);
                    n_bottom[0] = n_bottom[0] + second.previous(V3::ZERO);
                } else {
                    n_top[i + 1] = n_top[i + 1] + both;
                    n_bottom[i + 1] = n_bottom[i + 1] + second;
                }
            }
        }
        for n in n {
            *n = n.normalized();
        }
    }
}

/// The links of row `j`, where each row has `count`.
fn row(links: &[LinkLanes], j: usize, count: usize) -> Option<&[LinkLanes]> {
    links.get(j * count..(j + 1) * count)
}

/// Solves the first `w` blocks with those `distance` further on.
#[inline(always)]
fn apart(p: &mut [V3], w: usize, distance: usize, links: &[LinkLanes]) {
    let (top, bottom) = p.split_at_mut(distance);
    for ((a, b), link) in top[..w].iter_mut().zip(&mut bottom[..w]).zip(links) {
        relax(a, b, link);
    }
}

/// Solves the upper of two rows with the lower, down to the right and then down to the left.
#[inline(always)]
fn diagonal(two: &mut [V3], w: usize, links: &mut Iter<LinkLanes>) {
    let (top, bottom) = two.split_at_mut(w);
    for ((a, b), link) in top[..w - 1].iter_mut().zip(&mut bottom[1..]).zip(&mut *links) {
        relax(a, b, link);
    }
    border(&mut top[w - 1], &mut bottom[0], links);
    for ((a, b), link) in top[1..].iter_mut().zip(&mut bottom[..w - 1]).zip(&mut *links) {
        relax(a, b, link);
    }
    border(&mut bottom[w - 1], &mut top[0], links);
}

/// Solves a block with one of the strip to the right.
#[inline(always)]
fn border(left: &mut V3, right: &mut V3, links: &mut Iter<LinkLanes>) {
    if let Some(link) = links.next() {
        let mut next = right.next();
        relax(left, &mut next, link);
        *right = next.previous(*right);
    }
}

/// Solves each second block of a row with its neighbour.
#[inline(always)]
fn neighbours(band: &mut [V3], w: usize, first: usize, links: &mut Iter<LinkLanes>) {
    for row in band.chunks_exact_mut(w) {
        for ([a, b], link) in row[first..].as_chunks_mut().0.iter_mut().zip(&mut *links) {
            relax(a, b, link);
        }
    }
}

/// Solves two of each four blocks of a row with those two further on.
#[inline(always)]
fn skipping(band: &mut [V3], w: usize, first: usize, links: &mut Iter<LinkLanes>) {
    for row in band.chunks_exact_mut(w) {
        for four in row[first..].chunks_mut(4) {
            if let Some((from, to)) = four.split_at_mut_checked(2) {
                for ((a, b), link) in from.iter_mut().zip(to).zip(&mut *links) {
                    relax(a, b, link);
                }
            }
        }
    }
}

/// Solves block `a` of each row with block `b` of the strip to the right.
#[inline(always)]
fn across(band: &mut [V3], w: usize, a: usize, b: usize, links: &mut Iter<LinkLanes>) {
    for (row, link) in band.chunks_exact_mut(w).zip(links) {
        let (mut left, mut right) = (row[a], row[b].next());
        relax(&mut left, &mut right, link);
        row[a] = left;
        row[b] = right.previous(row[b]);
    }
}
