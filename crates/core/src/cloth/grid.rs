//! A grid of particles whose links are solved in whole vectors.
//!
//! The columns are cut into four strips of `width` columns, and lane `l` holds strip `l`. So block `j × width + i` holds
//! the columns `i`, `width + i`, `2 × width + i` and `3 × width + i` of row `j`, and a link of any kind joins two whole
//! blocks; only where a strip borders on the next do lanes shift by one. Where the columns do not divide by four, the last
//! strip is padded with particles that nothing moves.
//!
//! Links are solved by kind and direction and, within these, in sets whose links do not touch; every pass runs in the
//! order of [`Grid::ends`]: structural and bend links along the columns, shear links, structural and bend links along the
//! rows. Between rows the odd sets come before the even ones, so that the links of the first row, which mostly carries all
//! the others, are set right last.
//!
//! Refused, by the largest stretch of the standing cape at 1 and 8 iterations (1.43 and 1.05 as it is): a greedy colouring
//! of all links at once (1.63 at 1), structural links last (1.56 and 1.06), even rows first (no less stretch, but a row
//! pulled along at 15 m/s strains twice as much), rows from the top down one after the other (1.32 and 1.03, but each row
//! waits for the one before, which costs more than it gains).

use super::links::{Kind, LinkLanes, relax};
use crate::lanes::{F4, ON, V3};
use std::slice::Iter;

/// Fewer columns than this leave strips too narrow for links that skip a column; such a cloth is solved as a mesh.
pub const LEAST_COLUMNS: usize = 9;

/// Rows (or pairs of rows) whose links of one set are solved before those of the next. Links of one set do not touch, and
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
        // A vector joins column i of row j, in every strip, with column i + di of row j + dj.
        let mut add = |kind, i: usize, j: usize, di: isize, dj: isize| {
            all.push((
                kind,
                std::array::from_fn(|lane| {
                    let from = lane * w + i;
                    let to = from.checked_add_signed(di)?;
                    (from < self.columns && to < self.columns)
                        .then(|| [self.slot(from, j), self.slot(to, j.wrapping_add_signed(dj))])
                }),
            ));
        };
        for first in [1, 0] {
            for j in (first..rows - 1).step_by(2) {
                (0..w).for_each(|i| add(Kind::Structural, i, j, 0, 1));
            }
        }
        for first in [2, 0] {
            for j in (first..rows.saturating_sub(2)).step_by(4) {
                (0..w).for_each(|i| add(Kind::Bend, i, j, 0, 2));
                if j + 1 < rows - 2 {
                    (0..w).for_each(|i| add(Kind::Bend, i, j + 1, 0, 2));
                }
            }
        }
        for first in [1, 0] {
            let pairs: Vec<usize> = (first..rows - 1).step_by(2).collect();
            for band in pairs.chunks(BAND) {
                band.iter().for_each(|j| (0..w).for_each(|i| add(Kind::Shear, i, *j, 1, 1)));
                for j in band {
                    (1..w).for_each(|i| add(Kind::Shear, i, *j, -1, 1));
                    // Over the border of a strip the left end comes first.
                    add(Kind::Shear, w - 1, *j + 1, 1, -1);
                }
            }
        }
        let all_rows: Vec<usize> = (0..rows).collect();
        for band in all_rows.chunks(BAND) {
            for first in [0, 1] {
                band.iter().for_each(|j| {
                    (first..w - 1).step_by(2).for_each(|i| add(Kind::Structural, i, *j, 1, 0));
                });
            }
            band.iter().for_each(|j| add(Kind::Structural, w - 1, *j, 1, 0));
        }
        for band in all_rows.chunks(BAND) {
            for first in [0, 2] {
                for j in band {
                    for i in (first..w - 2).step_by(4) {
                        add(Kind::Bend, i, *j, 2, 0);
                        if i + 1 < w - 2 {
                            add(Kind::Bend, i + 1, *j, 2, 0);
                        }
                    }
                }
            }
            for i in [w - 2, w - 1] {
                band.iter().for_each(|j| add(Kind::Bend, i, *j, 2, 0));
            }
        }
        all
    }

    /// One pass over all links.
    pub fn relax(&self, p: &mut [V3], links: &[LinkLanes]) {
        let w = self.width;
        let mut links = links.iter();
        for (stride, firsts) in [(1, [1, 0]), (2, [2, 0])] {
            for first in firsts {
                apart(p.get_mut(first * w..).unwrap_or_default(), stride * w, &mut links);
            }
        }
        for first in [1, 0] {
            for band in p[first * w..].chunks_mut(2 * BAND * w) {
                diagonal(band, w, true, &mut links);
                diagonal(band, w, false, &mut links);
            }
        }
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

/// Solves `stride` blocks with the next `stride`, and so on.
#[inline(never)]
fn apart(p: &mut [V3], stride: usize, links: &mut Iter<LinkLanes>) {
    for two in p.chunks_mut(2 * stride) {
        if let Some((from, to)) = two.split_at_mut_checked(stride) {
            for ((a, b), link) in from.iter_mut().zip(to).zip(&mut *links) {
                relax(a, b, link);
            }
        }
    }
}

/// Solves the rows of a band in pairs, from the upper row down to the right or to the left.
#[inline(never)]
fn diagonal(band: &mut [V3], w: usize, right: bool, links: &mut Iter<LinkLanes>) {
    for two in band.chunks_exact_mut(2 * w) {
        let (top, bottom) = two.split_at_mut(w);
        let (a, b) = if right { (&mut top[..w - 1], &mut bottom[1..]) } else { (&mut top[1..], &mut bottom[..w - 1]) };
        for ((a, b), link) in a.iter_mut().zip(b).zip(&mut *links) {
            relax(a, b, link);
        }
        let (left, right) = if right { (&mut top[w - 1], &mut bottom[0]) } else { (&mut bottom[w - 1], &mut top[0]) };
        if let Some(link) = links.next() {
            let mut next = right.next();
            relax(left, &mut next, link);
            *right = next.previous(*right);
        }
    }
}

/// Solves each second block of a row with its neighbour.
#[inline(never)]
fn neighbours(band: &mut [V3], w: usize, first: usize, links: &mut Iter<LinkLanes>) {
    for row in band.chunks_exact_mut(w) {
        for ([a, b], link) in row[first..].as_chunks_mut().0.iter_mut().zip(&mut *links) {
            relax(a, b, link);
        }
    }
}

/// Solves two of each four blocks of a row with those two further on.
#[inline(never)]
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
#[inline(never)]
fn across(band: &mut [V3], w: usize, a: usize, b: usize, links: &mut Iter<LinkLanes>) {
    for (row, link) in band.chunks_exact_mut(w).zip(links) {
        let (mut left, mut right) = (row[a], row[b].next());
        relax(&mut left, &mut right, link);
        row[a] = left;
        row[b] = right.previous(row[b]);
    }
}
