//! Distance links, four at a time.

use crate::lanes::{F4, V3, splat};

/// What a link holds together, and so how strongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Neighbours along an edge.
    Structural,
    /// Across the diagonal of a cell.
    Shear,
    /// Over one vertex, against folding.
    Bend,
}

/// Slots of the ends of four links that do not touch: the first ends, then the second. In a lane without a link both are the
/// same.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// What they hold together.
    pub kind: Kind,
    /// The slots.
    pub ends: [u32; 8],
}

impl Batch {
    /// The ends of the link in each lane.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, [usize; 2])> {
        let pairs = (0..4).map(|lane| (lane, [self.ends[lane] as usize, self.ends[lane + 4] as usize]));
        pairs.filter(|(_, [a, b])| a != b)
    }
}

/// How four links are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct LinkLanes {
    /// Length at rest, metres; 1 in a lane without a link.
    pub rest: F4,
    /// Share of the error by which the first end moves: stiffness × its part of the inverse mass.
    pub share_a: F4,
    /// Share of the error by which the second end moves.
    pub share_b: F4,
}

impl LinkLanes {
    /// The same links, that much as strong.
    #[inline(always)]
    pub fn weakened(&self, factor: f32) -> Self {
        let factor = splat(factor);
        LinkLanes { rest: self.rest, share_a: self.share_a * factor, share_b: self.share_b * factor }
    }
}

/// Keeps the division finite where two particles share a place; far below the square of any length that f32 resolves.
const TINY: F4 = splat(1e-20);

/// Moves both ends of four links towards their rest lengths.
///
/// Müller et al., "Position Based Dynamics" (2007), equation 10: Δ = w/(w₁+w₂) · (|d| − rest) · d/|d|.
#[inline(always)]
pub fn relax(a: &mut V3, b: &mut V3, link: &LinkLanes) {
    let d = *b - *a;
    let length = (d.dot(d) + TINY).sqrt();
    let error = F4::ONE - link.rest / length;
    *a = *a + d * (error * link.share_a);
    *b = *b - d * (error * link.share_b);
}
