//! What each boid sees of its neighbours: the sums that the three rules are made of.
//!
//! Those about four boids are gathered side by side, those beyond the edge of a torus at their nearer image; then each of the four
//! looks at them, four at a time.

use super::Sight;
use super::cells::{Block, Cells, Kin, Run};
use crate::lanes::{F4, V3, larger, less, select, splat};

/// A boid looks at all that are in the bins about, as long as they are no more than this: in blocks of four.
const EXACT: usize = 256;

/// Of more it looks at every k-th block, so that they are about this many: else a crowd at one place would cost the square of its
/// number. Which they are changes from step to step.
const SAMPLE: usize = 64;

/// The most neighbours that a boid chooses among all.
const MOST_NEAREST: usize = 32;

/// Most runs about a boid: three parts of nine rows.
const MOST_RUNS: usize = 27;

/// What a boid sees: `[sum of velocities, number]` for alignment, `[sum of ways there, number]` for cohesion, and
/// `[sum of pushes, number at the very same place]` for separation.
pub type Seen = [F4; 3];

/// Sees for the blocks from `first` on, whose results are `seen`, four each.
#[inline(never)]
pub fn look(cells: &Cells, first: usize, sight: &Sight, turn: usize, near: &mut Near, seen: &mut [[Seen; 4]]) {
    for (b, seen) in (first..).zip(seen) {
        let block = &cells.blocks[b];
        let who = block.who.to_array();
        // Those who are nobody come last.
        let count = who.iter().take_while(|who| **who >= 0.0).count();
        if count == 0 {
            continue;
        }
        let scale = near.gather(cells, block, count, sight, turn);
        for lane in 0..count {
            let (place, velocity) = (V3::splat(block.at.get(lane)), V3::splat(block.going.get(lane)));
            let me = Me { place, velocity, who: splat(who[lane]), flocks: cells.kin[b].flocks[lane] };
            let mut sums = if sight.simple { near.all(&me, sight) } else { near.some(&me, sight) };
            // Pushes of those that were passed over are like those of the others.
            sums[2] *= F4::new([scale, scale, scale, 1.0]);
            seen[lane] = sums;
        }
    }
}

/// Those about four boids, side by side, each where it is seen.
#[derive(Clone, Debug)]
pub struct Near {
    blocks: Box<[Block; EXACT]>,
    /// Where there are several species.
    kin: Box<[Kin; EXACT]>,
    count: usize,
}

impl Default for Near {
    fn default() -> Self {
        Near { blocks: Box::new([Block::default(); EXACT]), kin: Box::new([Kin::default(); EXACT]), count: 0 }
    }
}

/// The boid that looks.
struct Me {
    place: V3,
    velocity: V3,
    who: F4,
    /// Species that it flocks with, a bit for each.
    flocks: u32,
}

/// Sums of four lanes each.
#[derive(Default)]
struct Sums {
    velocity: V3,
    aligned: F4,
    way: V3,
    cohering: F4,
    push: V3,
    coincident: F4,
}

impl Sums {
    /// The sums over the lanes, in a fixed order.
    #[inline(always)]
    fn total(self) -> Seen {
        let one = |v: V3, n: F4| {
            let [a, b, c, d] = F4::transpose([v.x, v.y, v.z, n]);
            (a + b) + (c + d)
        };
        [one(self.velocity, self.aligned), one(self.way, self.cohering), one(self.push, self.coincident)]
    }

    /// Adds those that push, of the ways `d` to them.
    #[inline(always)]
    fn separate(&mut self, d: V3, square: F4, close: F4, soft: F4) {
        // Nearer than where the sheet's push is strongest it becomes no weaker.
        let strongest = (square * soft).sqrt() * splat(2.0);
        let per = F4::ONE / larger(select(less(square, soft), strongest, square + soft), splat(1e-30));
        self.push = self.push - d * (close & per);
        self.coincident += close & square.simd_eq(F4::ZERO) & F4::ONE;
    }

    #[inline(always)]
    fn align(&mut self, velocity: V3, mask: F4) {
        self.velocity = self.velocity + masked(velocity, mask);
        self.aligned += mask & F4::ONE;
    }

    #[inline(always)]
    fn cohere(&mut self, d: V3, mask: F4) {
        self.way = self.way + masked(d, mask);
        self.cohering += mask & F4::ONE;
    }
}

#[inline(always)]
fn masked(v: V3, mask: F4) -> V3 {
    V3 { x: v.x & mask, y: v.y & mask, z: v.z & mask }
}

/// The cosine of the angle between the heading and the ways `d`; ahead where they have no length.
#[inline(always)]
fn ahead(d: V3, square: F4, nose: V3) -> F4 {
    let some = square.simd_gt(F4::ZERO);
    select(some, d.dot(nose) / select(some, square, F4::ONE).sqrt(), F4::ONE)
}

impl Near {
    /// Gathers those about the first `boids` of a block. Gives how many there are for each that was taken.
    #[inline(never)]
    fn gather(&mut self, cells: &Cells, block: &Block, boids: usize, sight: &Sight, turn: usize) -> f32 {
        let (mut low, mut high) = (block.at.get(0), block.at.get(0));
        for lane in 1..boids {
            for (c, v) in block.at.get(lane).into_iter().enumerate() {
                low[c] = if v < low[c] { v } else { low[c] };
                high[c] = if v > high[c] { v } else { high[c] };
            }
        }
        let (mut runs, mut found, mut all) = ([Run::default(); MOST_RUNS], 0, 0);
        cells.about(low, high, sight.farthest.sqrt(), |run| {
            if let Some(into) = runs.get_mut(found) {
                *into = run;
                found += 1;
                all += run.to - run.from;
            }
        });
        let stride = if all > EXACT { all.div_ceil(SAMPLE) } else { 1 };
        let (mut count, mut skip) = (0, turn % stride);
        let nothing = std::hint::black_box(V3::ZERO);
        for run in &runs[..found] {
            let shift = V3::splat(run.shift);
            let mut b = run.from + skip;
            while b < run.to && count < EXACT {
                let (from, into) = (&cells.blocks[b], &mut self.blocks[count]);
                into.at = from.at + shift;
                // As mere copies these would become a call for each block.
                into.going = from.going + nothing;
                into.who = from.who + nothing.x;
                if sight.mixed {
                    self.kin[count] = cells.kin[b];
                }
                count += 1;
                b += stride;
            }
            skip = b - run.to;
        }
        self.count = count;
        if count > 0 { all as f32 / count as f32 } else { 1.0 }
    }

    /// One radius for alignment and cohesion, no larger one for separation, all around, one species.
    ///
    /// A function of its own, as is `gather`: in a larger one the loop would not be in registers.
    #[inline(never)]
    fn all(&self, me: &Me, sight: &Sight) -> Seen {
        let mut sums = Sums::default();
        let (view, close, soft) = (splat(sight.cohesion.square), splat(sight.separation.square), splat(sight.soft));
        for block in &self.blocks[..self.count] {
            let d = block.at - me.place;
            let square = d.dot(d);
            let near = less(square, view) & block.who.simd_ne(me.who);
            sums.align(block.going, near);
            sums.way = sums.way + masked(d, near);
            let close = less(square, close) & near;
            if close.any() {
                sums.separate(d, square, close, soft);
            }
        }
        sums.cohering = sums.aligned;
        sums.total()
    }

    /// Each rule with a radius and an angle of its own, and species; or, of those, the nearest few for alignment and cohesion.
    #[inline(never)]
    fn some(&self, me: &Me, sight: &Sight) -> Seen {
        let mut sums = Sums::default();
        let nose = me.velocity.normalized();
        let mut few = [Nearest::default(); MOST_NEAREST];
        let few = &mut few[..if sight.topological { sight.nearest } else { 0 }];
        for (block, kin) in self.blocks[..self.count].iter().zip(&self.kin[..]) {
            let d = block.at - me.place;
            let square = d.dot(d);
            let other = block.who.simd_ne(me.who) & less(square, splat(sight.farthest));
            if !other.any() {
                continue;
            }
            let ahead = if sight.around { F4::ONE } else { ahead(d, square, nose) };
            let close = other & sight.separation.sees(square, ahead);
            if close.any() {
                sums.separate(d, square, close, splat(sight.soft));
            }
            let kin = if sight.mixed { other & kin.of(me.flocks) } else { other };
            let aligned = kin & sight.alignment.sees(square, ahead);
            let cohering = kin & sight.cohesion.sees(square, ahead);
            if sight.topological {
                let (aligned, cohering) = (aligned.to_array(), cohering.to_array());
                for lane in 0..4 {
                    let rules = [aligned[lane], cohering[lane]];
                    if rules.iter().any(|rule| rule.to_bits() != 0) {
                        keep_nearest(
                            few,
                            Nearest {
                                square: square.to_array()[lane],
                                who: block.who.to_array()[lane],
                                d: d.get(lane),
                                velocity: block.going.get(lane),
                                rules,
                            },
                        );
                    }
                }
            } else {
                sums.align(block.going, aligned);
                sums.cohere(d, cohering);
            }
        }
        for near in few.iter().filter(|near| near.square < f32::INFINITY) {
            let [aligned, cohering] = near.rules.map(|rule| F4::new([rule, 0.0, 0.0, 0.0]));
            sums.align(V3::splat(near.velocity), aligned);
            sums.cohere(V3::splat(near.d), cohering);
        }
        sums.total()
    }
}

/// One of the nearest.
#[derive(Clone, Copy)]
struct Nearest {
    square: f32,
    who: f32,
    d: [f32; 3],
    velocity: [f32; 3],
    /// On for alignment, and for cohesion.
    rules: [f32; 2],
}

impl Default for Nearest {
    fn default() -> Self {
        Nearest { square: f32::INFINITY, who: 0.0, d: [0.0; 3], velocity: [0.0; 3], rules: [0.0; 2] }
    }
}

/// Puts one among the nearest few, which are sorted; of equally near ones the first by id is nearer.
fn keep_nearest(few: &mut [Nearest], one: Nearest) {
    let after = |other: &Nearest| other.square < one.square || (other.square == one.square && other.who < one.who);
    let mut place = few.len();
    while place > 0 && !after(&few[place - 1]) {
        place -= 1;
    }
    if place < few.len() {
        few[place..].rotate_right(1);
        few[place] = one;
    }
}
