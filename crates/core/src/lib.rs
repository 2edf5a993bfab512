//! Limber's simulations in plain Rust.
//!
//! No word of JavaScript, no I/O and no clock here, and threads only with the feature `threads`: a simulation is stepped by its
//! caller and gives the same bits on every platform. See `ARCHITECTURE.md` for one frame's journey.

pub mod boids;
pub mod clock;
pub mod cloth;
pub mod collider;
pub mod error;
pub mod jiggle_bones;
pub mod lanes;
pub mod number;
pub mod options;
pub mod ragdoll;
pub mod rng;
pub mod simulation;
pub mod snapshot;
pub mod sort;
pub mod spatial;
