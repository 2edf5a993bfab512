//! `limber-api` as WebAssembly: it converts and decides nothing.
//!
//! Only numbers cross, so that JavaScript may instantiate the module itself and call the exports (`backend_advance`, …,
//! the struct's pointer first). Everything longer goes through the instance's own memory:
//!
//! - **in**: `scratch(bytes)` gives an address, aligned to 8 bytes, where the caller writes what the next call reads;
//! - **out**: the call leaves a text, a snapshot or numbers at `outputPtr()`, `outputLen()` bytes, until the next call.
//!
//! A call that was refused returns −1 (a handle of 0, a time of NaN) and leaves `code: message` as its output.

#![forbid(unsafe_code)]
#![allow(clippy::new_without_default)]

use limber_api::{Channel, Result};
use wasm_bindgen::prelude::wasm_bindgen;

/// Owns simulations and knows each by a handle, which is never 0.
#[wasm_bindgen]
pub struct Backend {
    table: limber_api::Backend,
    /// What the caller wrote for the next call; of 8-byte elements for their alignment.
    scratch: Vec<u64>,
    output: Vec<u8>,
}

#[wasm_bindgen]
impl Backend {
    /// An empty table.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Backend {
        Backend { table: limber_api::Backend::new(), scratch: Vec::new(), output: Vec::new() }
    }

    /// Grows the memory so that `bytes` more can be had without growing it again. −1 when it cannot grow so far.
    pub fn reserve(&mut self, bytes: u32) -> i32 {
        let mut room = Vec::<u8>::new();
        let got = room.try_reserve_exact(bytes as usize);
        std::hint::black_box(&room);
        if got.is_ok() { 0 } else { -1 }
    }

    /// Address of at least `bytes` for what the next call reads, or 0 when they cannot be had.
    pub fn scratch(&mut self, bytes: u32) -> u32 {
        let words = (bytes as usize).div_ceil(8);
        if words > self.scratch.len() {
            if self.scratch.try_reserve_exact(words - self.scratch.len()).is_err() {
                return 0;
            }
            self.scratch.resize(words, 0);
        }
        self.scratch.as_ptr() as u32
    }

    /// Address of the last call's output.
    #[wasm_bindgen(js_name = outputPtr)]
    pub fn output_ptr(&self) -> u32 {
        self.output.as_ptr() as u32
    }

    /// Bytes of the last call's output.
    #[wasm_bindgen(js_name = outputLen)]
    pub fn output_len(&self) -> u32 {
        self.output.len() as u32
    }

    /// Checks creation options. Scratch: the settings.
    pub fn check(&mut self, kind: u32, settings_len: u32) -> i32 {
        let result = self.table.check(kind, text(&bytes(&self.scratch)[..settings_len as usize]));
        self.done(result)
    }

    /// Makes a simulation and gives its handle, or 0. Scratch: f32 × `reals_len`, u32 × `indices_len`, the settings.
    pub fn create(&mut self, kind: u32, reals_len: u32, indices_len: u32, settings_len: u32) -> u32 {
        // Taken, so that what a big creation needed is free for its simulation's neighbours afterwards.
        let scratch = std::mem::take(&mut self.scratch);
        let (reals, rest) = bytes(&scratch).split_at(4 * reals_len as usize);
        let (indices, rest) = rest.split_at(4 * indices_len as usize);
        let settings = text(&rest[..settings_len as usize]);
        let result = self.table.create(kind, settings, bytemuck::cast_slice(reals), bytemuck::cast_slice(indices));
        self.or(result, 0)
    }

    /// Frees a simulation.
    pub fn destroy(&mut self, handle: u32) -> i32 {
        let result = self.table.destroy(handle);
        self.done(result)
    }

    /// Changes options. Scratch: the settings.
    pub fn configure(&mut self, handle: u32, settings_len: u32) -> i32 {
        let result = self.table.configure(handle, text(&bytes(&self.scratch)[..settings_len as usize]));
        self.done(result)
    }

    /// Output: the options in force, as JSON.
    pub fn options(&mut self, handle: u32) -> i32 {
        let result = self.table.options(handle);
        self.give(result.map(String::into_bytes))
    }

    /// Output: what creation dropped or merged, as JSON.
    pub fn report(&mut self, handle: u32) -> i32 {
        let result = self.table.report(handle);
        self.give(result.map(String::into_bytes))
    }

    /// Takes `dt` seconds; gives the fixed steps that are due.
    pub fn begin(&mut self, handle: u32, dt: f64) -> i32 {
        let result = self.table.begin(handle, dt);
        self.count(result)
    }

    /// Plans exactly one fixed step.
    #[wasm_bindgen(js_name = beginOne)]
    pub fn begin_one(&mut self, handle: u32) -> i32 {
        let result = self.table.begin_one(handle);
        self.count(result)
    }

    /// Reads the inputs afresh for the next fixed step only.
    #[wasm_bindgen(js_name = rereadInputs)]
    pub fn reread_inputs(&mut self, handle: u32) -> i32 {
        let result = self.table.reread_inputs(handle);
        self.done(result)
    }

    /// Runs one fixed step.
    #[wasm_bindgen(js_name = fixedStep)]
    pub fn fixed_step(&mut self, handle: u32) -> i32 {
        let result = self.table.fixed_step(handle);
        self.done(result)
    }

    /// Writes the output arrays.
    pub fn finish(&mut self, handle: u32) -> i32 {
        let result = self.table.finish(handle);
        self.done(result)
    }

    /// Takes `dt` seconds, runs what is due, writes the output arrays; gives the fixed steps that ran.
    pub fn advance(&mut self, handle: u32, dt: f64) -> i32 {
        let result = self.table.advance(handle, dt);
        self.count(result)
    }

    /// Runs exactly one fixed step and writes the output arrays.
    #[wasm_bindgen(js_name = advanceOne)]
    pub fn advance_one(&mut self, handle: u32) -> i32 {
        let result = self.table.advance_one(handle);
        self.count(result)
    }

    /// Simulated time in seconds, or NaN.
    pub fn time(&mut self, handle: u32) -> f64 {
        let result = self.table.time(handle);
        self.or(result, f64::NAN)
    }

    /// Address of a channel's memory, or 0 where there is no such channel.
    #[wasm_bindgen(js_name = channelPtr)]
    pub fn channel_ptr(&mut self, handle: u32, id: u32) -> u32 {
        let result = self.table.channel(handle, id).map(|channel| match channel {
            Channel::F32(numbers) => numbers.as_ptr() as u32,
            Channel::U32(numbers) => numbers.as_ptr() as u32,
        });
        self.or(result, 0)
    }

    /// Numbers in a channel, or −1 where there is no such channel.
    #[wasm_bindgen(js_name = channelLen)]
    pub fn channel_len(&mut self, handle: u32, id: u32) -> i32 {
        let result = self.table.channel(handle, id).map(|channel| match channel {
            Channel::F32(numbers) => numbers.len() as u32,
            Channel::U32(numbers) => numbers.len() as u32,
        });
        self.count(result)
    }

    /// Runs operation `op`. Scratch: f32 × `payload_len`. Output: f32 numbers.
    pub fn command(&mut self, handle: u32, op: u32, payload_len: u32) -> i32 {
        let payload = bytemuck::cast_slice(&bytes(&self.scratch)[..4 * payload_len as usize]);
        let result = self.table.command(handle, op, payload);
        self.give(result.map(|numbers| bytemuck::cast_slice(&numbers).to_vec()))
    }

    /// Back to the start.
    pub fn reset(&mut self, handle: u32) -> i32 {
        let result = self.table.reset(handle);
        self.done(result)
    }

    /// Moves everything. Scratch: a column-major matrix, f32 × 16.
    pub fn teleport(&mut self, handle: u32) -> i32 {
        let result = self.table.teleport(handle, bytemuck::cast_slice(&bytes(&self.scratch)[..64]));
        self.done(result)
    }

    /// Output: the exact state.
    pub fn snapshot(&mut self, handle: u32) -> i32 {
        let result = self.table.snapshot(handle);
        self.give(result)
    }

    /// Takes a state back. Scratch: the bytes that `snapshot` gave.
    pub fn restore(&mut self, handle: u32, bytes_len: u32) -> i32 {
        let result = self.table.restore(handle, &bytes(&self.scratch)[..bytes_len as usize]);
        self.done(result)
    }

    /// Output: a digest of the state alone, 16 hexadecimal digits.
    pub fn hash(&mut self, handle: u32) -> i32 {
        let result = self.table.hash(handle);
        self.give(result.map(String::into_bytes))
    }
}

impl Backend {
    /// The value of `result`, or `refused` with the error as the output.
    fn or<T>(&mut self, result: Result<T>, refused: T) -> T {
        result.unwrap_or_else(|error| {
            self.output = error.text().into_bytes();
            refused
        })
    }

    fn count(&mut self, result: Result<u32>) -> i32 {
        self.or(result.map(|count| count as i32), -1)
    }

    fn done(&mut self, result: Result<()>) -> i32 {
        self.or(result.map(|()| 0), -1)
    }

    fn give(&mut self, result: Result<Vec<u8>>) -> i32 {
        let result = result.map(|bytes| self.output = bytes);
        self.done(result)
    }
}

/// What the caller encoded as UTF-8; settings that are none are refused as what they are not.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("bytes that are no text")
}

fn bytes(scratch: &[u64]) -> &[u8] {
    bytemuck::cast_slice(scratch)
}
