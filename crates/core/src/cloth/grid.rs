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

/// Fewer columns than this leave strips too narrow for links that skip a column; such a cloth is solved as a mesh.
pub const LEAST_COLUMNS: usize = 9;

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
        let mut add = |kind, i: usize, j: usize, di: isize, dj: usize| {
            all.push((
                kind,
                std::array::from_fn(|lane| {
                    let from = lane * w + i;
                    let to = from.checked_add_signed(di)?;
                    (from < self.columns && to < self.columns).then(|| [self.slot(from, j), self.slot(to, j + dj)])
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
            for j in (first..rows - 1).step_by(2) {
                (0..w).for_each(|i| add(Kind::Shear, i, j, 1, 1));
                (1..w).for_each(|i| add(Kind::Shear, i, j, -1, 1));
                // The lane of the strip to the right starts this one, so it is listed by its end in the left strip.
                add(Kind::Shear, w, j, -1, 1);
            }
        }
        for j in 0..rows {
            for first in [0, 1] {
                (first..w - 1).step_by(2).for_each(|i| add(Kind::Structural, i, j, 1, 0));
            }
            add(Kind::Structural, w - 1, j, 1, 0);
        }
        for j in 0..rows {
            for first in [0, 2] {
                for i in (first..w.saturating_sub(2)).step_by(4) {
                    add(Kind::Bend, i, j, 2, 0);
                    if i + 1 < w - 2 {
                        add(Kind::Bend, i + 1, j, 2, 0);
                    }
                }
            }
            add(Kind::Bend, w - 2, j, 2, 0);
            add(Kind::Bend, w - 1, j, 2, 0);
        }
        all
    }

    /// One pass over all links.
    pub fn relax(&self, p: &mut [V3], links: &[LinkLanes]) {
        let (w, rows) = (self.width, self.rows);
        let mut links = links.iter();

        // Structural, along the columns.
        for first in [1, 0] {
            for two in p[first * w..].chunks_exact_mut(2 * w) {
                let (top, bottom) = two.split_at_mut(w);
                for ((a, b), link) in top.iter_mut().zip(bottom).zip(links.by_ref()) {
                    relax(a, b, link);
                }
            }
        }
        // Bend, along the columns.
        for first in [2, 0] {
            for four in p[(first * w).min(rows * w)..].chunks_mut(4 * w) {
                if four.len() >= 3 * w {
                    let (top, bottom) = four.split_at_mut(2 * w);
                    for ((a, b), link) in top.iter_mut().zip(bottom).zip(links.by_ref()) {
                        relax(a, b, link);
                    }
                }
            }
        }
        // Shear: down to the right, then down to the left.
        for first in [1, 0] {
            for two in p[first * w..].chunks_exact_mut(2 * w) {
                let (top, bottom) = two.split_at_mut(w);
                for ((a, b), link) in top[..w - 1].iter_mut().zip(&mut bottom[1..]).zip(links.by_ref()) {
                    relax(a, b, link);
                }
                if let Some(link) = links.next() {
                    relax_next(&mut top[w - 1], &mut bottom[0], link);
                }
                for ((a, b), link) in top[1..].iter_mut().zip(&mut bottom[..w - 1]).zip(links.by_ref()) {
                    relax(a, b, link);
                }
                if let Some(link) = links.next() {
                    relax_previous(&mut top[0], &mut bottom[w - 1], link);
                }
            }
        }
        // Structural, along the rows.
        for row in p.chunks_exact_mut(w) {
            for first in [0, 1] {
                for (pair, link) in row[first..].chunks_exact_mut(2).zip(links.by_ref()) {
                    let [a, b] = pair else { return };
                    relax(a, b, link);
                }
            }
            border(row, w - 1, 0, &mut links);
        }
        // Bend, along the rows.
        for row in p.chunks_exact_mut(w) {
            for first in [0, 2] {
                for four in row[first..].chunks_mut(4) {
                    if let [a, c, b, rest @ ..] = four {
                        if let Some(link) = links.next() {
                            relax(a, b, link);
                        }
                        if let [d] = rest
                            && let Some(link) = links.next()
                        {
                            relax(c, d, link);
                        }
                    }
                }
            }
            border(row, w - 2, 0, &mut links);
            border(row, w - 1, 1, &mut links);
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

/// Solves block `a` of a row with block `b` of the strip to the right.
#[inline(always)]
fn border<'a>(row: &mut [V3], a: usize, b: usize, links: &mut impl Iterator<Item = &'a LinkLanes>) {
    if let Some(link) = links.next() {
        let (mut left, mut right) = (row[a], row[b].next());
        relax(&mut left, &mut right, link);
        row[a] = left;
        row[b] = right.previous(row[b]);
    }
}

/// Solves `a` with `b` of the strip to the right.
#[inline(always)]
fn relax_next(a: &mut V3, b: &mut V3, link: &LinkLanes) {
    let mut right = b.next();
    relax(a, &mut right, link);
    *b = right.previous(*b);
}

/// Solves `a` of the strip to the right with `b`.
#[inline(always)]
fn relax_previous(a: &mut V3, b: &mut V3, link: &LinkLanes) {
    let mut right = a.next();
    relax(&mut right, b, link);
    *a = right.previous(*a);
}
