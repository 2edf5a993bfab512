//! `limber-bake` for Node: it converts and decides nothing.

use limber_bake::{Fit, Limits, Motion};
use napi::bindgen_prelude::{AsyncTask, Float32Array, Int16Array, Task, Uint8Array, Uint32Array};
use napi::{Env, Error, Result};
use napi_derive::napi;

/// A recorded mesh as morph targets: see `Fit` of `limber-bake`.
#[napi(object)]
pub struct LowRank {
    /// Metres of a position's delta of 1.
    pub unit: f64,
    /// Of each target, 1 where its codes need 16 bits.
    pub wide: Uint8Array,
    /// `[x, y, z] × vertices` of positions and then of normals, of each target.
    pub codes: Int16Array,
    /// `[target] × frames`.
    pub weights: Float32Array,
    /// Frames that are enough, ascending.
    pub keyframes: Uint32Array,
}

impl From<Fit> for LowRank {
    fn from(Fit { unit, wide, codes, weights, keyframes }: Fit) -> Self {
        LowRank {
            unit: unit.into(),
            wide: wide.into(),
            codes: codes.into(),
            weights: weights.into(),
            keyframes: keyframes.into(),
        }
    }
}

fn fit(
    frames: u32,
    positions: &[f32],
    normals: &[f32],
    tolerance: f64,
    targets: u32,
) -> std::result::Result<Fit, String> {
    let motion = Motion::new(frames as usize, positions, normals);
    let limits = Limits { tolerance, targets: targets as usize };
    motion.and_then(|motion| limber_bake::fit(&motion, limits)).map_err(|fault| fault.to_string())
}

/// Fits a recorded mesh. Throws what `Fault` says.
#[napi]
pub fn low_rank(frames: u32, positions: &[f32], normals: &[f32], tolerance: f64, targets: u32) -> Result<LowRank> {
    fit(frames, positions, normals, tolerance, targets).map(LowRank::from).map_err(Error::from_reason)
}

/// The same on a thread of Node's pool: the arrays must stay as they are until the promise resolves.
#[napi(ts_return_type = "Promise<LowRank>")]
pub fn low_rank_async(
    frames: u32,
    positions: Float32Array,
    normals: Float32Array,
    tolerance: f64,
    targets: u32,
) -> AsyncTask<Fitting> {
    AsyncTask::new(Fitting { frames, positions, normals, tolerance, targets })
}

/// A `low_rank` on a thread of Node's pool.
pub struct Fitting {
    frames: u32,
    positions: Float32Array,
    normals: Float32Array,
    tolerance: f64,
    targets: u32,
}

impl Task for Fitting {
    type Output = Fit;
    type JsValue = LowRank;

    fn compute(&mut self) -> Result<Fit> {
        fit(self.frames, &self.positions, &self.normals, self.tolerance, self.targets).map_err(Error::from_reason)
    }

    fn resolve(&mut self, _: Env, fit: Fit) -> Result<LowRank> {
        Ok(fit.into())
    }
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn a_fault_says_what_it_is() {
        let refused = |frames, positions: &[f32]| fit(frames, positions, positions, 0.1, 1).unwrap_err();
        assert_eq!(refused(2, &[0.0; 7]), "length");
        assert_eq!(refused(2, &[f32::NAN; 6]), "not-finite");
    }
}
