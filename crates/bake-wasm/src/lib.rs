//! `limber-bake` as WebAssembly, for `limber-node` where no addon fits: it converts and decides nothing.

#![forbid(unsafe_code)]

use limber_bake::{Fit, Limits, Motion};
use wasm_bindgen::prelude::wasm_bindgen;

/// A recorded mesh as morph targets: see `Fit` of `limber-bake`.
#[wasm_bindgen]
pub struct LowRank(Fit);

#[wasm_bindgen]
impl LowRank {
    /// Metres of a position's delta of 1.
    #[wasm_bindgen(getter)]
    pub fn unit(&self) -> f32 {
        self.0.unit
    }

    /// Of each target, 1 where its codes need 16 bits.
    #[wasm_bindgen(getter)]
    pub fn wide(&self) -> Vec<u8> {
        self.0.wide.clone()
    }

    /// `[x, y, z] × vertices` of positions and then of normals, of each target.
    #[wasm_bindgen(getter)]
    pub fn codes(&self) -> Vec<i16> {
        self.0.codes.clone()
    }

    /// `[target] × frames`.
    #[wasm_bindgen(getter)]
    pub fn weights(&self) -> Vec<f32> {
        self.0.weights.clone()
    }

    /// Frames that are enough, ascending.
    #[wasm_bindgen(getter)]
    pub fn keyframes(&self) -> Vec<u32> {
        self.0.keyframes.clone()
    }
}

/// Fits a recorded mesh. Throws what `Fault` says.
#[wasm_bindgen(js_name = lowRank)]
pub fn low_rank(
    frames: u32,
    positions: &[f32],
    normals: &[f32],
    tolerance: f64,
    targets: u32,
) -> Result<LowRank, String> {
    let motion = Motion::new(frames as usize, positions, normals);
    let limits = Limits { tolerance, targets: targets as usize };
    motion.and_then(|motion| limber_bake::fit(&motion, limits)).map(LowRank).map_err(|fault| fault.to_string())
}
