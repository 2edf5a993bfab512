//! What boids see of their neighbours: the sums that the three rules are made of.
//!
//! Four that lie beside one another look together, a lane each: one after another, those about them are held against all four. Those
//! beyond the edge of a torus are looked at from a place moved once around.

use super::cells::{Block, One, Runs, lanes, places};
use super::{Boids, Sight};
use crate::lanes::{F4, I4, U4, V3, larger, less, select, smaller, splat};

/// Boids look at all that are in the bins about, as long as they are no more than this.
const EXACT: u32 = 1024;

/// Of more they look at every k-th, so that they are about this many: else a crowd at one place would cost the square of its number.
/// Which they are changes from step to step.
const SAMPLE: u32 = 256;

/// The most neighbours that a boid chooses among all.
const MOST_NEAREST: usize = 32;

/// What four boids see: the sums of velocities and their number for alignment, of ways there and their number for cohesion, and of
/// pushes and the number of those at the very same place for separation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub velocity: V3,
    pub aligned: F4,
    pub way: V3,
    pub cohering: F4,
    pub push: V3,
    pub coincident: F4,
}

impl Seen {
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

impl One {
    /// The way to it, from four places.
    #[inline(always)]
    fn from(&self, place: V3) -> V3 {
        V3 { x: splat(self.at[0]) - place.x, y: splat(self.at[1]) - place.y, z: splat(self.at[2]) - place.z }
    }

    #[inline(always)]
    fn velocity(&self) -> V3 {
        V3 { x: splat(self.going[0]), y: splat(self.going[1]), z: splat(self.going[2]) }
    }
}

/// What looking needs besides: one a thread.
pub struct Scratch {
    runs: Runs,
    few: [[Nearest; MOST_NEAREST]; 4],
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch { runs: Runs::default(), few: [[Nearest::NOBODY; MOST_NEAREST]; 4] }
    }
}

/// Those that are looked at: every `stride`-th, from a place that is another in each step.
struct About<'a> {
    ones: &'a [One],
    runs: &'a Runs,
    stride: u32,
    first: u32,
}

impl About<'_> {
    /// Visits them, each with the place from which the boids at `at` see it.
    #[inline(always)]
    fn visit(&self, at: V3, mut visit: impl FnMut(&One, V3)) {
        let mut skip = self.first;
        for run in self.runs.iter() {
            let place = at - V3::splat(run.shift);
            let ones = &self.ones[..run.to as usize];
            let mut next = run.from + skip;
            while let Some(one) = ones.get(next as usize) {
                visit(one, place);
                next += self.stride;
            }
            skip = next - run.to;
        }
    }
}

/// What the boids of a block see.
pub fn look(boids: &Boids, block: &Block, scratch: &mut Scratch) -> Seen {
    let (cells, sight, Scratch { runs, few }) = (&boids.cells, &boids.sight, scratch);
    if sight.farthest < 0.0 {
        return Seen::default();
    }
    let (mut low, mut high) = (F4::new(block[0].at), F4::new(block[0].at));
    for one in &block[1..] {
        // Those who are nobody come last.
        if one.at[3] >= 0.0 {
            (low, high) = (smaller(F4::new(one.at), low), larger(F4::new(one.at), high));
        }
    }
    let corner = |v: F4| {
        let [x, y, z, _] = v.to_array();
        [x, y, z]
    };
    cells.about(corner(low), corner(high), sight.farthest.sqrt(), 0, runs);
    let all = runs.iter().fold(0, |sum, run| sum + run.to - run.from);
    let stride = if all > EXACT { all.div_ceil(SAMPLE) } else { 1 };
    let first = (boids.clock.steps() % u64::from(stride)) as u32;
    let about = About { ones: cells.ones(), runs, stride, first };
    let [a, b, c, d] = block;
    let (at, who) = lanes(&a.at, &b.at, &c.at, &d.at);
    let mut seen = if sight.simple {
        simple(&about, at, who, sight)
    } else {
        let [e, f, g, h] = places(block).map(|who| boids.table[boids.species[who] as usize].flocks);
        let (velocity, _) = lanes(&a.going, &b.going, &c.going, &d.going);
        let me = Me { at, who, nose: velocity.normalized(), flocks: U4::new([e, f, g, h]) };
        let few = few.each_mut().map(|few| &mut few[..if sight.topological { sight.nearest } else { 0 }]);
        rules(&about, &me, few, sight)
    };
    if stride > 1 {
        // Pushes of those that were passed over are like those of the others.
        let count = (all - first).div_ceil(stride);
        seen.push = seen.push * splat(all as f32 / count as f32);
    }
    seen
}

/// One radius for alignment and cohesion, no larger one for separation, all around, one species.
///
/// A function of its own: in a larger one the loop would not be in registers.
#[inline(never)]
fn simple(about: &About, at: V3, who: F4, sight: &Sight) -> Seen {
    let mut seen = Seen::default();
    let mut count = I4::ZERO;
    let (view, close, soft) = (splat(sight.cohesion.square), splat(sight.separation.square), splat(sight.soft));
    about.visit(at, |one, place| {
        let d = one.from(place);
        let square = d.dot(d);
        let near = less(square, view) & who.simd_ne(splat(one.at[3]));
        seen.velocity = seen.velocity + masked(one.velocity(), near);
        seen.way = seen.way + masked(d, near);
        // What is on is −1 as a whole number.
        count -= bytemuck::cast::<F4, I4>(near);
        let close = less(square, close) & near;
        if close.any() {
            seen.separate(d, square, close, soft);
        }
    });
    seen.aligned = count.round_float();
    seen.cohering = seen.aligned;
    seen
}

/// Each rule with a radius and an angle of its own, and species; or, of those, the nearest few for alignment and cohesion.
#[inline(never)]
fn rules(about: &About, me: &Me, mut few: [&mut [Nearest]; 4], sight: &Sight) -> Seen {
    let mut seen = Seen::default();
    for few in &mut few {
        few.fill(Nearest::NOBODY);
    }
    about.visit(me.at, |one, place| {
        let d = one.from(place);
        let square = d.dot(d);
        let other = less(square, splat(sight.farthest)) & me.who.simd_ne(splat(one.at[3]));
        if !other.any() {
            return;
        }
        // The cosine of the angle between the heading and the way there; ahead where that has no length.
        let mut ahead = F4::ONE;
        if !sight.around {
            let some = square.simd_gt(F4::ZERO);
            ahead = select(some, d.dot(me.nose) / select(some, square, F4::ONE).sqrt(), F4::ONE);
        }
        let close = other & sight.separation.sees(square, ahead);
        if close.any() {
            seen.separate(d, square, close, splat(sight.soft));
        }
        let strangers = (me.flocks & U4::new([one.going[3].to_bits(); 4])).simd_eq(U4::ZERO);
        let kin = other & bytemuck::cast::<U4, F4>(!strangers);
        let (aligned, cohering) = (kin & sight.alignment.sees(square, ahead), kin & sight.cohesion.sees(square, ahead));
        if !sight.topological {
            seen.align(one.velocity(), aligned);
            seen.cohere(d, cohering);
            return;
        }
        consider(&mut few, one, d, square, [aligned, cohering]);
    });
    let [a, b, c, d] = few;
    for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
        let rule = |rule: usize| F4::new([a.rules[rule], b.rules[rule], c.rules[rule], d.rules[rule]]);
        seen.align(lanes(&a.velocity, &b.velocity, &c.velocity, &d.velocity).0, rule(0));
        seen.cohere(lanes(&a.way, &b.way, &c.way, &d.way).0, rule(1));
    }
    seen
}

/// Puts one among the nearest few of those for whom it counts.
#[inline(never)]
fn consider(few: &mut [&mut [Nearest]; 4], one: &One, d: V3, square: F4, rules: [F4; 2]) {
    for (lane, few) in few.iter_mut().enumerate() {
        let rules = [rules[0].as_array()[lane], rules[1].as_array()[lane]];
        if rules[0].to_bits() | rules[1].to_bits() != 0 {
            let [x, y, z] = d.get(lane);
            let (square, way) = (square.as_array()[lane], [x, y, z, one.at[3]]);
            keep_nearest(few, Nearest { square, rules, way, velocity: one.going });
        }
    }
}

/// The boids that look.
struct Me {
    at: V3,
    who: F4,
    nose: V3,
    /// Species that they flock with, a bit for each.
    flocks: U4,
}

/// One of the nearest.
#[derive(Clone, Copy)]
struct Nearest {
    square: f32,
    /// On for alignment, and for cohesion.
    rules: [f32; 2],
    /// And its place among the ids.
    way: [f32; 4],
    velocity: [f32; 4],
}

impl Nearest {
    const NOBODY: Nearest = Nearest { square: f32::INFINITY, rules: [0.0; 2], way: [0.0; 4], velocity: [0.0; 4] };
}

/// Puts one among the nearest few, which are sorted; of equally near ones the first by id is nearer.
fn keep_nearest(few: &mut [Nearest], one: Nearest) {
    let after =
        |other: &Nearest| other.square < one.square || (other.square == one.square && other.way[3] < one.way[3]);
    let mut place = few.len();
    while place > 0 && !after(&few[place - 1]) {
        place -= 1;
    }
    if place < few.len() {
        few.copy_within(place..few.len() - 1, place + 1);
        few[place] = one;
    }
}
