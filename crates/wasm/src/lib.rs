//! `limber-api` as WebAssembly: it converts and decides nothing.
//!
//! Only numbers cross, so that JavaScript may instantiate the module itself and call its export. Everything longer goes
//! through the instance's own memory:
//!
//! - **in**: [`Call::Scratch`] gives an address where the caller writes what the next call reads;
//! - **out**: the call leaves a text, a snapshot or numbers at [`Call::OutputAddress`], [`Call::OutputLength`] bytes, until
//!   the next call.

#![forbid(unsafe_code)]
#![allow(clippy::new_without_default)]

use limber_api::{Call, Channel, Result};
use wasm_bindgen::prelude::wasm_bindgen;

/// A third as large as the allocator that Rust brings.
#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

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

    /// Runs [`Call`] number `call`. Gives what the call gives, else 0; −1 when it was refused, with `code: message` as the
    /// output.
    pub fn call(&mut self, call: u32, handle: u32, a: f64, b: u32, c: u32) -> f64 {
        let Some(call) = Call::ALL.get(call as usize) else { return -1.0 };
        self.run(*call, handle, a, b as usize, c as usize).unwrap_or_else(|error| {
            self.output = error.text().into_bytes();
            -1.0
        })
    }
}

impl Backend {
    fn run(&mut self, call: Call, handle: u32, a: f64, b: usize, c: usize) -> Result<f64> {
        let Backend { table, scratch, output } = self;
        let n = a as usize;
        let given: &[u8] = bytemuck::cast_slice(scratch);
        match call {
            Call::Reserve => {
                let mut room = Vec::<u8>::new();
                let got = room.try_reserve_exact(n);
                std::hint::black_box(&room);
                return Ok(if got.is_ok() { 0.0 } else { -1.0 });
            }
            Call::Scratch => return Ok(f64::from(room(scratch, n.div_ceil(8)))),
            Call::OutputAddress => return Ok(f64::from(output.as_ptr() as u32)),
            Call::OutputLength => return Ok(output.len() as f64),
            Call::Check => table.check(handle, text(&given[..n]))?,
            Call::Create => {
                // Taken, so that what a big creation needed is free for its simulation's neighbours afterwards.
                let scratch = std::mem::take(scratch);
                let (reals, rest) = bytemuck::cast_slice(&scratch).split_at(4 * n);
                let (indices, rest) = rest.split_at(4 * b);
                let (reals, indices) = (bytemuck::cast_slice(reals), bytemuck::cast_slice(indices));
                return table.create(handle, text(&rest[..c]), reals, indices).map(f64::from);
            }
            Call::Destroy => table.destroy(handle)?,
            Call::Configure => table.configure(handle, text(&given[..n]))?,
            Call::Options => *output = table.options(handle)?.into_bytes(),
            Call::Report => *output = table.report(handle)?.into_bytes(),
            Call::Begin => return table.begin(handle, a).map(f64::from),
            Call::BeginOne => return table.begin_one(handle).map(f64::from),
            Call::RereadInputs => table.reread_inputs(handle)?,
            Call::FixedStep => table.fixed_step(handle)?,
            Call::Finish => table.finish(handle)?,
            Call::Advance => return table.advance(handle, a).map(f64::from),
            Call::AdvanceOne => return table.advance_one(handle).map(f64::from),
            Call::Time => return table.time(handle),
            Call::ChannelAddress | Call::ChannelLength => {
                let (address, length) = match table.channel(handle, n as u32)? {
                    Channel::F32(numbers) => (numbers.as_ptr() as u32, numbers.len()),
                    Channel::U32(numbers) => (numbers.as_ptr() as u32, numbers.len()),
                };
                return Ok(if call == Call::ChannelAddress { f64::from(address) } else { length as f64 });
            }
            Call::Command => {
                let numbers = table.command(handle, n as u32, bytemuck::cast_slice(&given[..4 * b]))?;
                *output = bytemuck::cast_slice(&numbers).to_vec();
            }
            Call::Reset => table.reset(handle)?,
            Call::Teleport => table.teleport(handle, bytemuck::cast_slice(&given[..64]))?,
            Call::Snapshot => *output = table.snapshot(handle)?,
            Call::Restore => table.restore(handle, &given[..n])?,
            Call::Hash => *output = table.hash(handle)?.into_bytes(),
        }
        Ok(0.0)
    }
}

/// Address of at least so many words, or 0 when they cannot be had.
fn room(scratch: &mut Vec<u64>, words: usize) -> u32 {
    if words > scratch.len() {
        if scratch.try_reserve_exact(words - scratch.len()).is_err() {
            return 0;
        }
        scratch.resize(words, 0);
    }
    scratch.as_ptr() as u32
}

/// What the caller encoded as UTF-8; settings that are none are refused as what they are not.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("bytes that are no text")
}
