//! The table of handles.

use crate::kinds::{self, Kind};
use limber_core::error::{Code, Error, Result};
use limber_core::simulation::{Channel, Simulation, begin, reread_inputs};
use limber_core::{snapshot, text};

/// Handles carry their slot in the low half and the slot's generation in the high half.
const SLOT_BITS: u32 = 16;

/// Slots that a handle can name.
const MAX_SLOTS: usize = 1 << SLOT_BITS;

/// Owns simulations and knows each by a handle.
///
/// A handle is never 0. It dies with its simulation: a slot that is used again has a new generation, and one whose
/// generations are used up stays empty.
#[derive(Default)]
pub struct Backend {
    slots: Vec<Slot>,
    /// Empty slots that may be used again, the longest empty first.
    free: Vec<u16>,
}

struct Slot {
    generation: u16,
    live: Option<Live>,
}

/// A simulation and the technique it is of.
pub(crate) struct Live {
    pub simulation: Box<dyn Simulation>,
    /// See [`Kind::fixed`].
    pub fixed: &'static [u32],
}

impl Backend {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks the creation options of technique `kind`, without allocating for them.
    pub fn check(&self, kind: u32, settings: &str) -> Result<()> {
        (kinds::kind(kind)?.check)(settings)
    }

    /// Makes a simulation of technique `kind`; what the arrays mean is its own.
    pub fn create(&mut self, kind: u32, settings: &str, reals: &[f32], indices: &[u32]) -> Result<u32> {
        let Kind { create, fixed, .. } = kinds::kind(kind)?;
        let simulation = create(settings, reals, indices)?;
        self.insert(Live { simulation, fixed })
    }

    pub(crate) fn insert(&mut self, live: Live) -> Result<u32> {
        let index = match self.free.first() {
            Some(_) => usize::from(self.free.remove(0)),
            None if self.slots.len() < MAX_SLOTS => {
                self.slots.push(Slot { generation: 1, live: None });
                self.slots.len() - 1
            }
            None => return Err(Error::new(Code::OutOfMemory, text![MAX_SLOTS, " simulations are the most"])),
        };
        let slot = &mut self.slots[index];
        slot.live = Some(live);
        Ok(u32::from(slot.generation) << SLOT_BITS | index as u32)
    }

    /// Frees a simulation at once; its handle is never another's.
    pub fn destroy(&mut self, handle: u32) -> Result<()> {
        self.live(handle)?;
        let index = handle as u16;
        let slot = &mut self.slots[usize::from(index)];
        slot.live = None;
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(index);
        }
        Ok(())
    }

    pub(crate) fn live(&mut self, handle: u32) -> Result<&mut Live> {
        let (generation, index) = (handle >> SLOT_BITS, handle as u16);
        self.slots
            .get_mut(usize::from(index))
            .filter(|slot| u32::from(slot.generation) == generation)
            .and_then(|slot| slot.live.as_mut())
            .ok_or_else(|| Error::new(Code::InvalidHandle, "this simulation was disposed"))
    }

    fn simulation(&mut self, handle: u32) -> Result<&mut dyn Simulation> {
        Ok(&mut *self.live(handle)?.simulation)
    }

    /// Changes the options that `settings` name. On an error nothing has changed.
    pub fn configure(&mut self, handle: u32, settings: &str) -> Result<()> {
        self.simulation(handle)?.configure(settings)
    }

    /// The options in force, as JSON.
    pub fn options(&mut self, handle: u32) -> Result<String> {
        Ok(self.simulation(handle)?.options())
    }

    /// What creation dropped or merged, as JSON.
    pub fn report(&mut self, handle: u32) -> Result<String> {
        Ok(self.simulation(handle)?.report())
    }

    /// Takes `dt` seconds and says how many fixed steps are due; `finish` ends the call.
    pub fn begin(&mut self, handle: u32, dt: f64) -> Result<u32> {
        begin(self.simulation(handle)?, Some(dt))
    }

    /// Plans exactly one fixed step that is shown at once; `finish` ends the call.
    pub fn begin_one(&mut self, handle: u32) -> Result<u32> {
        begin(self.simulation(handle)?, None)
    }

    /// Reads the inputs afresh for the next fixed step only, without interpolation.
    pub fn reread_inputs(&mut self, handle: u32) -> Result<()> {
        reread_inputs(self.simulation(handle)?)
    }

    /// Runs one fixed step.
    pub fn fixed_step(&mut self, handle: u32) -> Result<()> {
        self.simulation(handle)?.fixed_step();
        Ok(())
    }

    /// Writes the output arrays.
    pub fn finish(&mut self, handle: u32) -> Result<()> {
        self.simulation(handle)?.finish();
        Ok(())
    }

    /// `begin`, every step that is due, `finish`. Says how many steps ran.
    pub fn advance(&mut self, handle: u32, dt: f64) -> Result<u32> {
        run(self.simulation(handle)?, Some(dt))
    }

    /// `begin_one`, one step, `finish`.
    pub fn advance_one(&mut self, handle: u32) -> Result<u32> {
        run(self.simulation(handle)?, None)
    }

    /// Simulated time in seconds.
    pub fn time(&mut self, handle: u32) -> Result<f64> {
        Ok(self.simulation(handle)?.clock().time())
    }

    /// The memory of channel `id`. It may move in every call but `begin`, `fixed_step`, `finish` and `advance`.
    pub fn channel(&mut self, handle: u32, id: u32) -> Result<Channel<'_>> {
        self.simulation(handle)?.channel(id).ok_or_else(|| Error::input(text!["there is no channel ", id]))
    }

    /// Runs operation `op` of the technique.
    pub fn command(&mut self, handle: u32, op: u32, payload: &[f32]) -> Result<Vec<f32>> {
        self.simulation(handle)?.command(op, payload)
    }

    /// Back to the start, bit for bit.
    pub fn reset(&mut self, handle: u32) -> Result<()> {
        self.simulation(handle)?.reset();
        Ok(())
    }

    /// Moves everything by a column-major 4×4 matrix, without any swing.
    pub fn teleport(&mut self, handle: u32, matrix: &[f32]) -> Result<()> {
        let simulation = self.simulation(handle)?;
        let refuse = |_| Error::input(text!["a matrix has 16 numbers, got ", matrix.len()]);
        simulation.teleport(matrix.try_into().map_err(refuse)?)
    }

    /// The exact state as bytes, time owed included.
    pub fn snapshot(&mut self, handle: u32) -> Result<Vec<u8>> {
        Ok(snapshot::save(self.simulation(handle)?))
    }

    /// Takes a state that `snapshot` gave. On an error nothing has changed.
    pub fn restore(&mut self, handle: u32, bytes: &[u8]) -> Result<()> {
        snapshot::restore(self.simulation(handle)?, bytes)
    }

    /// A digest of the state alone, 16 hexadecimal digits.
    pub fn hash(&mut self, handle: u32) -> Result<String> {
        let hash = self.simulation(handle)?.hash();
        let digit = |place: u32| char::from(b"0123456789abcdef"[(hash >> (4 * place)) as usize % 16]);
        Ok((0..16).rev().map(digit).collect())
    }
}

fn run(simulation: &mut dyn Simulation, dt: Option<f64>) -> Result<u32> {
    let steps = begin(simulation, dt)?;
    for _ in 0..steps {
        simulation.fixed_step();
    }
    simulation.finish();
    Ok(steps)
}
