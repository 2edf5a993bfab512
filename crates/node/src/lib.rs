//! `limber-api` as a Node addon: it converts and decides nothing.
//!
//! JavaScript owns one block of bytes per simulation (see `Backend.layout`): electron forbids arrays over native
//! memory. `advance` reads the inputs from it and writes there what a step writes; after any other call that may have
//! changed an array, `pull` writes them all.

pub mod bake;

use limber_api::{Element, Section};
use napi::bindgen_prelude::{AsyncTask, Float32Array, Task, Uint8Array};
use napi::{Env, Error, Result};
use napi_derive::napi;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

type Table = Arc<Mutex<limber_api::Backend>>;

/// A simulation's block, written to. (An alias, since `napi` takes `&mut` for a class of its own.)
type Block<'a> = &'a mut [u8];

/// Runs `call` on the table and throws what it refuses.
fn call<T>(table: &Table, call: impl FnOnce(&mut limber_api::Backend) -> limber_api::Result<T>) -> Result<T> {
    guarded(table, call).map_err(Error::from_reason)
}

/// Runs `call` on the table. A refusal says `code: message`; after a panic, which is a bug of ours, this and every later
/// call says `backend-lost`, as a WebAssembly trap has it.
fn guarded<T>(
    table: &Table,
    call: impl FnOnce(&mut limber_api::Backend) -> limber_api::Result<T>,
) -> std::result::Result<T, String> {
    // The lock's guard is dropped inside, while unwinding, which poisons the lock.
    let result = catch_unwind(AssertUnwindSafe(|| table.lock().map(|mut table| call(&mut table)).ok()));
    let lost = || "backend-lost: the native simulation panicked".to_string();
    result.ok().flatten().ok_or_else(lost)?.map_err(|error| error.to_string())
}

/// Where a channel lies in a simulation's block.
#[napi(object)]
pub struct ChannelSection {
    /// The channel's id.
    pub id: u32,
    /// What its numbers are: `f32` or `u32`.
    #[napi(ts_type = "'f32' | 'u32'")]
    pub element: String,
    /// `true` when JavaScript writes it.
    pub input: bool,
    /// Where it begins, in bytes, a multiple of 16.
    pub byte_offset: u32,
    /// How many numbers it has.
    pub length: u32,
}

impl From<Section> for ChannelSection {
    fn from(Section { id, element, input, byte_offset, length }: Section) -> Self {
        let element = match element {
            Element::F32 => "f32",
            Element::U32 => "u32",
        };
        ChannelSection { id, element: element.into(), input, byte_offset: byte_offset as u32, length: length as u32 }
    }
}

/// Owns simulations and knows each by a handle, which is never 0.
#[napi]
#[derive(Default)]
pub struct Backend {
    table: Table,
}

#[napi]
impl Backend {
    /// An empty table.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks creation options, without allocating for them.
    #[napi]
    pub fn check(&self, kind: u32, settings: String) -> Result<()> {
        call(&self.table, |table| table.check(kind, &settings))
    }

    /// Makes a simulation and gives its handle.
    #[napi]
    pub fn create(&self, kind: u32, settings: String, reals: &[f32], indices: &[u32]) -> Result<u32> {
        call(&self.table, |table| table.create(kind, &settings, reals, indices))
    }

    /// Frees a simulation at once.
    #[napi]
    pub fn destroy(&self, handle: u32) -> Result<()> {
        call(&self.table, |table| table.destroy(handle))
    }

    /// Changes the options that `settings` name.
    #[napi]
    pub fn configure(&self, handle: u32, settings: String) -> Result<()> {
        call(&self.table, |table| table.configure(handle, &settings))
    }

    /// The options in force, as JSON.
    #[napi]
    pub fn options(&self, handle: u32) -> Result<String> {
        call(&self.table, |table| table.options(handle))
    }

    /// What creation dropped or merged, as JSON.
    #[napi]
    pub fn report(&self, handle: u32) -> Result<String> {
        call(&self.table, |table| table.report(handle))
    }

    /// Reads the inputs from `block`, takes `dt` seconds, and says how many fixed steps are due.
    #[napi]
    pub fn begin(&self, handle: u32, dt: f64, block: &[u8]) -> Result<u32> {
        call(&self.table, |table| {
            table.push(handle, block)?;
            table.begin(handle, dt)
        })
    }

    /// Reads the inputs from `block` and plans exactly one fixed step.
    #[napi]
    pub fn begin_one(&self, handle: u32, block: &[u8]) -> Result<u32> {
        call(&self.table, |table| {
            table.push(handle, block)?;
            table.begin_one(handle)
        })
    }

    /// Reads the inputs afresh from `block`, for the next fixed step only.
    #[napi]
    pub fn reread_inputs(&self, handle: u32, block: &[u8]) -> Result<()> {
        call(&self.table, |table| {
            table.push(handle, block)?;
            table.reread_inputs(handle)
        })
    }

    /// Runs one fixed step.
    #[napi]
    pub fn fixed_step(&self, handle: u32) -> Result<()> {
        call(&self.table, |table| table.fixed_step(handle))
    }

    /// Writes the outputs to `block`.
    #[napi]
    pub fn finish(&self, handle: u32, #[napi(ts_arg_type = "Uint8Array")] block: Block) -> Result<()> {
        call(&self.table, |table| {
            table.finish(handle)?;
            table.pull_step(handle, block)
        })
    }

    /// Reads the inputs from `block`, takes `dt` seconds, runs what is due, writes the outputs to `block`; says how many
    /// fixed steps ran.
    #[napi]
    pub fn advance(&self, handle: u32, dt: f64, #[napi(ts_arg_type = "Uint8Array")] block: Block) -> Result<u32> {
        call(&self.table, |table| {
            table.push(handle, block)?;
            let steps = table.advance(handle, dt)?;
            table.pull_step(handle, block)?;
            Ok(steps)
        })
    }

    /// As `advance`, with exactly one fixed step.
    #[napi]
    pub fn advance_one(&self, handle: u32, #[napi(ts_arg_type = "Uint8Array")] block: Block) -> Result<u32> {
        call(&self.table, |table| {
            table.push(handle, block)?;
            let steps = table.advance_one(handle)?;
            table.pull_step(handle, block)?;
            Ok(steps)
        })
    }

    /// As `advance`, with the steps on a thread of Node's pool: `block` is read in the call and written when the promise
    /// resolves. Until then other calls wait.
    #[napi(ts_return_type = "Promise<number>")]
    pub fn advance_async(&self, handle: u32, dt: f64, block: Uint8Array) -> Result<AsyncTask<Advance>> {
        call(&self.table, |table| table.push(handle, &block))?;
        Ok(AsyncTask::new(Advance { table: self.table.clone(), handle, dt, block }))
    }

    /// Simulated time in seconds.
    #[napi]
    pub fn time(&self, handle: u32) -> Result<f64> {
        call(&self.table, |table| table.time(handle))
    }

    /// Where each channel lies in the simulation's block. A command may change it.
    #[napi]
    pub fn layout(&self, handle: u32) -> Result<Vec<ChannelSection>> {
        let layout = call(&self.table, |table| table.layout(handle))?;
        Ok(layout.into_iter().map(ChannelSection::from).collect())
    }

    /// Reads the inputs from `block`.
    #[napi]
    pub fn push(&self, handle: u32, block: &[u8]) -> Result<()> {
        call(&self.table, |table| table.push(handle, block))
    }

    /// Writes every channel to `block`, inputs too.
    #[napi]
    pub fn pull(&self, handle: u32, #[napi(ts_arg_type = "Uint8Array")] block: Block) -> Result<()> {
        call(&self.table, |table| table.pull(handle, block))
    }

    /// Runs operation `op` of the technique.
    #[napi(ts_return_type = "Float32Array")]
    pub fn command(&self, handle: u32, op: u32, payload: &[f32]) -> Result<Float32Array> {
        call(&self.table, |table| table.command(handle, op, payload)).map(Float32Array::new)
    }

    /// Back to the start, bit for bit.
    #[napi]
    pub fn reset(&self, handle: u32) -> Result<()> {
        call(&self.table, |table| table.reset(handle))
    }

    /// Moves everything by a column-major 4×4 matrix, without any swing.
    #[napi]
    pub fn teleport(&self, handle: u32, matrix: &[f32]) -> Result<()> {
        call(&self.table, |table| table.teleport(handle, matrix))
    }

    /// The exact state, time owed included.
    #[napi]
    pub fn snapshot(&self, handle: u32) -> Result<Uint8Array> {
        call(&self.table, |table| table.snapshot(handle)).map(Uint8Array::new)
    }

    /// Takes a state that `snapshot` gave.
    #[napi]
    pub fn restore(&self, handle: u32, bytes: &[u8]) -> Result<()> {
        call(&self.table, |table| table.restore(handle, bytes))
    }

    /// A digest of the state alone, 16 hexadecimal digits.
    #[napi]
    pub fn hash(&self, handle: u32) -> Result<String> {
        call(&self.table, |table| table.hash(handle))
    }
}

/// An `advance` on a thread of Node's pool.
pub struct Advance {
    table: Table,
    handle: u32,
    dt: f64,
    block: Uint8Array,
}

impl Task for Advance {
    type Output = u32;
    type JsValue = u32;

    fn compute(&mut self) -> Result<u32> {
        call(&self.table, |table| table.advance(self.handle, self.dt))
    }

    fn resolve(&mut self, _: Env, steps: u32) -> Result<u32> {
        // SAFETY: this runs on JavaScript's thread, the task's reference keeps the array, and nobody borrows from it.
        let block = unsafe { self.block.as_mut() };
        call(&self.table, |table| table.pull_step(self.handle, block))?;
        Ok(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, guarded};

    #[test]
    fn a_panic_is_an_error_and_loses_the_backend() {
        let table = Table::default();
        let lost = Err("backend-lost: the native simulation panicked".to_string());
        assert_eq!(guarded::<()>(&table, |_| panic!("on purpose")), lost);
        assert_eq!(guarded(&table, |table| table.time(0)), lost.map(|()| 0.0));
    }

    #[test]
    fn a_refusal_loses_nothing() {
        let table = Table::default();
        for _ in 0..2 {
            let refused = guarded(&table, |table| table.time(0));
            assert_eq!(refused, Err("invalid-handle: this simulation was disposed".to_string()));
        }
    }
}
