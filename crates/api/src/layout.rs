//! All channels of a simulation in one block of bytes, for a binding that cannot share the core's own memory.

use crate::backend::{Backend, Live};
use limber_core::error::{Error, Result};
use limber_core::simulation::{Channel, ChannelInfo, Element};
use limber_core::text;

/// Sections begin at multiples of this many bytes.
const ALIGN: usize = 16;

/// Where a channel lies in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// The channel's id.
    pub id: u32,
    /// What its numbers are.
    pub element: Element,
    /// `true` when JavaScript writes it.
    pub input: bool,
    /// Where it begins, in bytes, a multiple of 16.
    pub byte_offset: usize,
    /// How many numbers it has.
    pub length: usize,
}

impl Section {
    /// Where it ends, in bytes.
    pub const fn end(&self) -> usize {
        self.byte_offset + 4 * self.length
    }
}

/// Calls `visit` with each section, its memory, and whether a step writes it. Allocates nothing.
fn sections(live: &mut Live, mut visit: impl FnMut(Section, &mut [u8], bool) -> Result<()>) -> Result<()> {
    let mut byte_offset = 0;
    for &ChannelInfo { id, element, input, .. } in live.simulation.channels() {
        let memory: &mut [u8] = match live.simulation.channel(id) {
            Some(Channel::F32(numbers)) => bytemuck::cast_slice_mut(numbers),
            Some(Channel::U32(numbers)) => bytemuck::cast_slice_mut(numbers),
            None => continue,
        };
        let section = Section { id, element, input, byte_offset, length: memory.len() / 4 };
        visit(section, memory, !input && !live.fixed.contains(&id))?;
        byte_offset = section.end().next_multiple_of(ALIGN);
    }
    Ok(())
}

fn short(section: Section, block: usize) -> Error {
    Error::input(text!["the block ends at byte ", block, ", channel ", section.id, " at byte ", section.end()])
}

impl Backend {
    /// Where each channel lies in the block, in the order of their ids.
    pub fn layout(&mut self, handle: u32) -> Result<Vec<Section>> {
        let mut layout = Vec::new();
        sections(self.live(handle)?, |section, _, _| {
            layout.push(section);
            Ok(())
        })?;
        Ok(layout)
    }

    /// Reads the inputs from `block`.
    pub fn push(&mut self, handle: u32, block: &[u8]) -> Result<()> {
        sections(self.live(handle)?, |section, memory, _| {
            if section.input {
                let from = block.get(section.byte_offset..section.end());
                memory.copy_from_slice(from.ok_or_else(|| short(section, block.len()))?);
            }
            Ok(())
        })
    }

    /// Writes every channel to `block`, inputs too: for after a call that may have changed them.
    pub fn pull(&mut self, handle: u32, block: &mut [u8]) -> Result<()> {
        self.write(handle, block, false)
    }

    /// Writes to `block` what a step writes.
    pub fn pull_step(&mut self, handle: u32, block: &mut [u8]) -> Result<()> {
        self.write(handle, block, true)
    }

    fn write(&mut self, handle: u32, block: &mut [u8], step_only: bool) -> Result<()> {
        let end = block.len();
        sections(self.live(handle)?, |section, memory, step_writes| {
            if step_writes || !step_only {
                let into = block.get_mut(section.byte_offset..section.end());
                into.ok_or_else(|| short(section, end))?.copy_from_slice(memory);
            }
            Ok(())
        })
    }
}
