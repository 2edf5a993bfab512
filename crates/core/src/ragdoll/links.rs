//! Links: points that stay at a distance, or no nearer than it.

use crate::lanes::{F4, V3, less, select, smaller, splat};
use bytemuck::{Pod, Zeroable};

/// One link of the build.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub a: u32,
    pub b: u32,
    /// Only keeps them from coming nearer.
    pub min: bool,
    /// Metres in the rest pose, where it is given.
    pub rest: Option<f32>,
}

impl Link {
    /// How far its ends are apart, of four bodies.
    #[inline(never)]
    pub fn length(&self, at: &[V3]) -> F4 {
        let way = at[self.b as usize] - at[self.a as usize];
        way.dot(way).sqrt()
    }
}

/// A link of four bodies.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Row {
    /// Metres.
    pub rest: F4,
    /// Which part of a correction each end takes: its inverse mass in the sum of both.
    pub a: F4,
    pub b: F4,
}

/// One pass over the links of a block.
#[inline(never)]
pub(super) fn pull(links: &[Link], rows: &[Row], at: &mut [V3], tiny: F4) {
    for (link, row) in links.iter().zip(rows) {
        solve(link, row, at, tiny);
    }
}

/// The same for four blocks at once, of the places of each the first: each waits for its own roots and divisions only. (As a
/// loop over any number of blocks it is 0.1 KB smaller and a fifth slower.)
#[inline(never)]
pub(super) fn pull_four(links: &[Link], rows: &[Row], places: &mut [V3], tiny: F4) {
    let (n, m) = (places.len() / 4, links.len());
    let (a, rest) = places.split_at_mut(n);
    let (b, rest) = rest.split_at_mut(n);
    let (c, rest) = rest.split_at_mut(n);
    let (d, _) = rest.split_at_mut(n);
    let (p, rest) = rows.split_at(m);
    let (q, rest) = rest.split_at(m);
    let (r, rest) = rest.split_at(m);
    let (s, _) = rest.split_at(m);
    for ((((link, p), q), r), s) in links.iter().zip(p).zip(q).zip(r).zip(s) {
        solve(link, p, a, tiny);
        solve(link, q, b, tiny);
        solve(link, r, c, tiny);
        solve(link, s, d, tiny);
    }
}

/// The order sheet's arithmetic, with the shares of the ends worked out before. `tiny` keeps ends that coincide from dividing
/// by 0.
#[inline(always)]
fn solve(link: &Link, row: &Row, at: &mut [V3], tiny: F4) {
    let (a, b) = (link.a as usize, link.b as usize);
    let (from, to) = (at[a], at[b]);
    let way = to - from;
    let length = way.dot(way).sqrt();
    let mut off = length - row.rest;
    if link.min {
        off = off & less(off, F4::ZERO);
    }
    let k = off / (length + tiny);
    at[a] = from + way * (k * row.a);
    at[b] = to - way * (k * row.b);
}

/// Of the one-sided links of a block, those that began too near come to their length by `ease` a small step.
pub(super) fn ease_apart(links: &[Link], rows: &mut [Row], ease: F4, scale: F4) {
    for (link, row) in links.iter().zip(rows).filter(|(link, _)| link.min) {
        let most = scale * splat(link.rest.unwrap_or_default());
        let next = row.rest + ease;
        row.rest = select(less(next, most), next, most);
    }
}

/// How far what is too far in is taken back in a small step, and how much of that gives no speed. What has moved in stops;
/// beyond that it moves out by the part `softly` of it, at most by `kick`, in a small step, and may be put out by as much
/// again: so that a limit which is passed all at once does not throw a limb.
#[inline(always)]
pub(super) fn taken(excess: F4, closing: F4, kick: F4, softly: f32) -> (F4, F4) {
    let kick = smaller(excess * splat(softly), kick);
    let speed = closing + kick;
    let speed = smaller(excess, select(less(F4::ZERO, speed), speed, F4::ZERO));
    let release = smaller(excess - speed, kick);
    (speed + release, release)
}
