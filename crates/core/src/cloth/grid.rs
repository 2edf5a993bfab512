//! A grid of particles whose links are solved in whole vectors.
//!
//! The columns are cut into four strips of `width` columns, and lane `l` holds strip `l`. So block `j × width + i` holds
//! the columns `i`, `width + i`, `2 × width + i` and `3 × width + i` of row `j`, and a link of any kind joins two whole
//! blocks; only where a strip borders on the next do lanes shift by one. Where the columns do not divide by four, the last
//! strip is padded with particles that nothing moves.
//!
//! Links are solved by kind and direction: bend links along the columns, shear links, structural links along the columns,
//! then structural and bend links along the rows, in the order of [`Grid::links`]. Rows follow from the top down, so that
//! a pull reaches the last one in one pass. The first row mostly carries all the others: once more, and weakly, it is solved
//! with the second. Links of one row do not touch, and are whole vectors.
//!
//! Refused, by the largest stretch at 8 iterations of the standing cape and of a hanging 64 × 64 sheet, and by the strain of
//! a first row pulled along at 15 m/s (1.03, 1.9, 4.6 % as it is): the first row not once more (1.03, 1.8, 6 %), rows
//! in two sets by their parity (1.05, 2.3, 4 %), from the bottom up in the last pass (1.05, 2.5, 0 %), structural links last
//! (1.06, 2.7), a greedy colouring of all links at once (1.63 at one iteration, instead of 1.32).

use super::links::{Batch, Kind, LinkLanes, relax};
use crate::lanes::{F4, ON, V3};
use std::ops::Range;

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
    /// All links, in the order in which they are solved.
    runs: Vec<Run>,
}

/// Link vectors that follow one another, each joining the blocks `step` behind those of the one before.
#[derive(Clone, Copy, Debug)]
struct Run {
    kind: Kind,
    /// The first link vector, and how many there are.
    link: usize,
    count: usize,
    /// The blocks that the first one joins.
    from: usize,
    to: usize,
    step: usize,
    /// The second block is taken from the strip to the right.
    over: bool,
    strength: f32,
}

impl Grid {
    /// A grid of at least [`LEAST_COLUMNS`] columns and 2 rows.
    pub fn new(columns: usize, rows: usize) -> Self {
        let width = columns.div_ceil(4);
        let cell = |i: usize, lane: usize| if lane * width + i + 1 < columns { ON } else { 0.0 };
        let cells = (0..width).map(|i| F4::new([cell(i, 0), cell(i, 1), cell(i, 2), cell(i, 3)])).collect();
        let mut grid = Grid { columns, rows, width, cells, runs: Vec::new() };
        grid.plan();
        grid
    }

    /// How many blocks hold the grid.
    pub fn blocks(&self) -> usize {
        self.width * self.rows
    }

    /// The slot of the particle in column `i` of row `j`.
    pub fn slot(&self, i: usize, j: usize) -> u32 {
        ((j * self.width + i % self.width) * 4 + i / self.width) as u32
    }

    /// Lays down what is solved, and when.
    fn plan(&mut self) {
        let (w, rows) = (self.width, self.rows);
        // Links are listed kind after kind.
        let mut bend = 0;
        let mut shear = rows.saturating_sub(2) * w;
        let mut down = shear + (rows - 1) * 2 * w;
        let first_row = down;
        // One kind after the other, but in step: shear links two rows behind the bend links, structural links four. By then
        // nothing earlier touches their rows any more, so that the bits are those of three passes; and a narrow cloth, whose
        // rows have few blocks, keeps the processor busy with three rows at once.
        for j in 0..rows + 3 {
            if j + 2 < rows {
                self.add(&mut bend, Kind::Bend, 0..w, j, [0, 2]);
            }
            if (2..=rows).contains(&j) {
                self.add(&mut shear, Kind::Shear, 0..w, j - 2, [1, 1]);
                self.add(&mut shear, Kind::Shear, 1..w, j - 2, [-1, 1]);
                // Over the border of a strip the left end comes first.
                self.add(&mut shear, Kind::Shear, w - 1..w, j - 1, [1, -1]);
            }
            if j >= 4 {
                self.add(&mut down, Kind::Structural, 0..w, j - 4, [0, 1]);
            }
        }
        let again = Run {
            kind: Kind::Structural,
            link: first_row,
            count: w,
            from: 0,
            to: w,
            step: 1,
            over: false,
            strength: AGAIN,
        };
        self.runs.push(again);
        let mut link = down;
        for (kind, distance) in [(Kind::Structural, 1), (Kind::Bend, 2)] {
            for top in (0..rows).step_by(BAND) {
                let band = || top..if top + BAND < rows { top + BAND } else { rows };
                // Sets of links that do not touch: of each two or four blocks the first one or two; then those over the border.
                for first in 0..2 * distance {
                    for j in band() {
                        for i in (first..w - distance).step_by(2 * distance) {
                            self.add(&mut link, kind, i..i + 1, j, [distance as isize, 0]);
                        }
                    }
                }
                for i in w - distance..w {
                    for j in band() {
                        self.add(&mut link, kind, i..i + 1, j, [distance as isize, 0]);
                    }
                }
            }
        }
    }

    /// Adds the vectors that join the blocks `blocks` of row `j` with those `di` blocks and `dj` rows on, and counts them.
    fn add(&mut self, link: &mut usize, kind: Kind, blocks: Range<usize>, j: usize, [di, dj]: [isize; 2]) {
        let w = self.width;
        for i in blocks {
            let next = i.wrapping_add_signed(di);
            let over = next >= w;
            let from = j * w + i;
            let to = j.wrapping_add_signed(dj) * w + if over { next - w } else { next };
            if let Some(last) = self.runs.last_mut()
                && (last.kind, last.link + last.count, last.over) == (kind, *link, over)
            {
                let step = if last.count == 1 { from.wrapping_sub(last.from) } else { last.step };
                let on = last.count.wrapping_mul(step);
                if (last.from.wrapping_add(on), last.to.wrapping_add(on)) == (from, to) {
                    (last.step, last.count) = (step, last.count + 1);
                    *link += 1;
                    continue;
                }
            }
            self.runs.push(Run { kind, link: *link, count: 1, from, to, step: 0, over, strength: 1.0 });
            *link += 1;
        }
    }

    /// Every link vector, kind after kind.
    pub fn links(&self) -> Vec<Batch> {
        let (w, last) = (self.width, self.runs[self.runs.len() - 1]);
        let mut all = vec![Batch { kind: Kind::Bend, ends: [0; 8] }; last.link + last.count];
        for run in &self.runs {
            for (k, batch) in all[run.link..][..run.count].iter_mut().enumerate() {
                batch.kind = run.kind;
                let [from, to] = [run.from, run.to].map(|block| block + k * run.step);
                for lane in 0..4 {
                    let on = lane + usize::from(run.over);
                    if lane * w + from % w < self.columns && on * w + to % w < self.columns {
                        batch.ends[lane] = (from * 4 + lane) as u32;
                        batch.ends[lane + 4] = (to * 4 + on) as u32;
                    }
                }
            }
        }
        all
    }

    /// One pass over all links.
    ///
    /// Refused: one loop for all runs, which asks of each link whether it goes over a border and how strong it is (0.1 KB less,
    /// 12 to 17 % more time); chunks instead of places (0.3 KB more, no faster).
    pub fn relax(&self, p: &mut [V3], links: &[LinkLanes]) {
        for &Run { link, count, mut from, mut to, step, over, strength, .. } in &self.runs {
            let links = &links[link..link + count];
            if over {
                for link in links {
                    let (mut a, mut b) = (p[from], p[to].next());
                    relax(&mut a, &mut b, link);
                    p[from] = a;
                    p[to] = b.previous(p[to]);
                    from += step;
                    to += step;
                }
            } else if strength == 1.0 {
                for link in links {
                    let (mut a, mut b) = (p[from], p[to]);
                    relax(&mut a, &mut b, link);
                    p[from] = a;
                    p[to] = b;
                    from += step;
                    to += step;
                }
            } else {
                for link in links {
                    let (mut a, mut b) = (p[from], p[to]);
                    relax(&mut a, &mut b, &link.weakened(strength));
                    p[from] = a;
                    p[to] = b;
                    from += step;
                    to += step;
                }
            }
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
                let over = i + 1 == w;
                let right = if over { 0 } else { i + 1 };
                let (a, mut b, c, mut d) = (top[i], top[right], bottom[i], bottom[right]);
                if over {
                    (b, d) = (b.next(), d.next());
                }
                let cell = self.cells[i];
                let first = V3::select(cell, (b - c).cross(a - c), V3::ZERO);
                let mut second = V3::select(cell, (d - c).cross(b - c), V3::ZERO);
                let mut both = first + second;
                n_top[i] = n_top[i] + first;
                n_bottom[i] = n_bottom[i] + both;
                if over {
                    (both, second) = (both.previous(V3::ZERO), second.previous(V3::ZERO));
                }
                n_top[right] = n_top[right] + both;
                n_bottom[right] = n_bottom[right] + second;
            }
        }
        for n in n {
            *n = n.normalized();
        }
    }
}
