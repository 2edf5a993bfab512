//! Fits recorded motion with few numbers. Plain functions of arrays: no JavaScript, no I/O, no clock.
//!
//! The bits are the same on every target: sums have a fixed order whatever the number of threads, and the decomposition
//! comes from a crate that has no kernels chosen by the processor.

mod basis;
mod low_rank;
mod motion;
mod wide;

#[cfg(test)]
mod tests;

pub use low_rank::{Fit, fit};
pub use motion::Motion;

/// How closely a motion is kept.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest distance of a vertex from where it was recorded, at any frame, metres.
    pub tolerance: f64,
    /// Most targets.
    pub targets: usize,
}

/// Why a motion was not fitted.
#[derive(Debug, PartialEq)]
pub enum Fault {
    /// The lengths of the arrays are not those of whole vertices and frames.
    Length,
    /// A number is not finite.
    NotFinite,
    /// So many targets leave a vertex farther off than the tolerance: so many metres, as far as was found.
    Tolerance(f64),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::Length => out.write_str("length"),
            Fault::NotFinite => out.write_str("not-finite"),
            Fault::Tolerance(metres) => write!(out, "tolerance {metres}"),
        }
    }
}
