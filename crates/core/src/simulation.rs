//! What every technique offers to the handle API, and how its arrays are named.

use crate::clock::Clock;
use crate::collider::{out_of_reach, within_reach};
use crate::error::{Error, Result};
use crate::snapshot::Kept;
use crate::spatial::{Affine, M3};
use crate::text;

/// What a channel's numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// 32-bit floats, a `Float32Array` in JavaScript.
    F32,
    /// 32-bit unsigned integers, a `Uint32Array` in JavaScript.
    U32,
}

/// One array that a simulation shares with JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelInfo {
    /// The id by which the bindings ask for it: its place in [`Simulation::channels`].
    pub id: u32,
    /// What its numbers are.
    pub element: Element,
    /// `true` when JavaScript writes it and the simulation reads it.
    pub input: bool,
}

/// What the generator needs of a channel or command besides: it is apart, so that no comment ends up in the WebAssembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doc {
    /// Name in JavaScript, camelCase.
    pub name: &'static str,
    /// Of a channel its shape and unit, as in `[x, y, z] × vertices, world, metres`; of a command its payload, result and
    /// errors.
    pub text: &'static str,
}

/// The memory of a channel.
#[derive(Debug)]
pub enum Channel<'a> {
    /// Floats.
    F32(&'a mut [f32]),
    /// Unsigned integers.
    U32(&'a mut [u32]),
}

/// Takes `dt` seconds of real time (or, for `None`, exactly one step that is shown at once), reads the inputs, and says how
/// many fixed steps are due.
pub fn begin(of: &mut dyn Simulation, dt: Option<f64>) -> Result<u32> {
    if let Some(dt) = dt
        && !dt.is_finite()
    {
        return Err(Error::input(text!["dt must be a finite number of seconds, got ", dt]));
    }
    of.read_inputs()?;
    of.start(dt)?;
    Ok(match dt {
        Some(dt) => of.clock().begin(dt),
        None => of.clock().begin_one(),
    })
}

/// Reads the inputs afresh for the next fixed step only, without interpolation.
pub fn reread_inputs(of: &mut dyn Simulation) -> Result<()> {
    of.read_inputs()?;
    of.start_alone();
    of.clock().begin_one();
    Ok(())
}

/// The matrix of a teleport, checked.
#[inline(never)]
pub fn read_matrix(matrix: &[f32; 16]) -> Result<Affine> {
    if let Some(bad) = matrix.iter().find(|v| !within_reach(v)) {
        return Err(out_of_reach("a number of the matrix", "", *bad));
    }
    let way = Affine::of_columns(matrix);
    let M3 { x, y, z } = way.axes;
    let affine = [3, 7, 11, 15].map(|i| matrix[i]) == [0.0, 0.0, 0.0, 1.0];
    if !affine || z.dot(x.cross(y)).as_array()[0] == 0.0 {
        return Err(Error::input("teleport takes an affine matrix that can be inverted"));
    }
    Ok(way)
}

/// A running simulation. Every technique implements this and nothing else crosses the boundary.
///
/// A call from JavaScript runs [`begin`], then `fixed_step` as often as that said, then `finish`.
/// None of the three allocates or panics.
pub trait Simulation: Kept + Send {
    /// The options in force, as JSON.
    fn options(&self) -> String;

    /// Changes the options that `settings` name. On an error nothing has changed.
    fn configure(&mut self, settings: &str) -> Result<()>;

    /// What creation dropped or merged, as JSON.
    fn report(&self) -> String;

    /// What counts its steps.
    fn clock(&mut self) -> &mut Clock;

    /// Takes in what JavaScript has written, or refuses it.
    fn read_inputs(&mut self) -> Result<()>;

    /// Begins a call of `dt` seconds, or of one step that is shown at once, with the inputs that were read.
    fn start(&mut self, dt: Option<f64>) -> Result<()>;

    /// The next step takes the inputs that were read as they are.
    fn start_alone(&mut self) {}

    /// Runs one fixed step.
    fn fixed_step(&mut self);

    /// Writes the output arrays.
    fn finish(&mut self);

    /// The channels, in the order of their ids.
    fn channels(&self) -> &'static [ChannelInfo];

    /// The memory of channel `id`, or `None` when there is no such channel.
    fn channel(&mut self, id: u32) -> Option<Channel<'_>>;

    /// Runs operation `op` of this technique.
    fn command(&mut self, op: u32, payload: &[f32]) -> Result<Vec<f32>>;

    /// Back to the start, bit for bit.
    fn reset(&mut self);

    /// Moves everything by a column-major 4×4 matrix, without any swing.
    fn teleport(&mut self, matrix: &[f32; 16]) -> Result<()>;

    /// A digest of the state alone, equal on every platform.
    fn hash(&self) -> u64;
}
