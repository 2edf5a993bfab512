//! Cloth: particles held together by distance links, blown by the wind and kept out of colliders.
//!
//! The model is Verlet integration with position-based constraints (Jakobsen, "Advanced Character Physics", 2001; Müller
//! et al., "Position Based Dynamics", 2007). `step.rs` holds one fixed step, `grid.rs` and `mesh.rs` the two ways in which
//! links are solved, `create.rs` how a cloth is made, `state.rs` how it is saved and put back.

pub mod channels;
mod create;
mod grid;
mod links;
mod mesh;
pub mod options;
mod state;
mod step;
#[cfg(test)]
mod tests;

use crate::clock::Clock;
use crate::collider::{Collider, Solid, check_all, check_reach, poses, read_all, solids, take_poses};
use crate::error::{Error, Result};
use crate::lanes::{F4, V3};
use crate::number::root;
use crate::options::{self as settings, describe as describe_options};
use crate::simulation::{Channel, ChannelInfo, Simulation};
use crate::text;
use links::{Batch, LinkLanes};
pub use options::{ClothGrid, ClothMesh, ClothOptions, ClothStiffness};

/// Seconds of a fixed step.
pub const STEP: f64 = 1.0 / 60.0;

/// Most fixed steps in one call; time beyond them is dropped.
pub const MAX_STEPS: u32 = 3;

/// A cloth that gets farther from the origin than this, in metres, has diverged; squares and areas are still finite here.
const OUTERMOST: f32 = 1e7;

/// The option structs of a cloth, for the generator.
pub fn describe() -> Vec<crate::options::StructInfo> {
    vec![describe_options::<ClothOptions>(), describe_options::<ClothGrid>(), describe_options::<ClothMesh>()]
}

/// How particles are laid out in slots, and which links hold them.
#[derive(Clone, Debug)]
enum Weave {
    Grid(grid::Grid),
    Mesh(mesh::Mesh),
}

impl Weave {
    fn relax(&mut self, p: &mut [V3], batches: &[Batch], links: &[LinkLanes]) {
        match self {
            Weave::Grid(grid) => grid.relax(p, links),
            Weave::Mesh(mesh) => mesh.relax(p, batches, links),
        }
    }

    fn normals(&mut self, p: &[V3], n: &mut [V3]) {
        match self {
            Weave::Grid(grid) => grid.normals(p, n),
            Weave::Mesh(mesh) => mesh.normals(p, n),
        }
    }
}

/// Normals of vertices that were split along a seam: the vertices of one particle, each with the triangles of its own.
#[derive(Clone, Debug)]
struct Seams {
    faces: Vec<[u32; 3]>,
    particle_of: Vec<u32>,
    normals: Vec<F4>,
}

/// A pinned vertex.
#[derive(Clone, Copy, Debug)]
struct Pin {
    slot: u32,
    /// Where it was at the end of the last call.
    from: [f32; 3],
}

/// Half-spaces, one a lane, that particles stay in; all of space by default.
#[derive(Clone, Copy, Debug, Default)]
struct Contact {
    normal: V3,
    offset: F4,
}

/// What three.js draws.
#[derive(Clone, Debug, Default)]
struct Output {
    positions: Vec<f32>,
    normals: Vec<f32>,
    bounds: [f32; 10],
}

/// What JavaScript writes.
#[derive(Clone, Debug)]
struct Input {
    wind: [f32; 3],
    gravity: [f32; 3],
    pin_targets: Vec<f32>,
    colliders: Vec<f32>,
    space: [f32; 16],
}

const IDENTITY: [f32; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// A running cloth.
#[derive(Clone, Debug)]
pub struct Cloth {
    options: ClothOptions,
    /// Part of the velocity that a substep leaves.
    keep: f32,
    clock: Clock,
    weave: Weave,
    seams: Option<Seams>,
    report: String,

    /// Positions, by slot. A slot that holds no particle stays where it is and is drawn nowhere.
    position: Vec<V3>,
    /// Positions one substep ago: the velocity, in Verlet's way.
    previous: Vec<V3>,
    /// Positions one fixed step ago: what a drawn frame blends from.
    last: Vec<V3>,
    /// Normals of `position`, which the wind reads.
    normal: Vec<V3>,
    /// What is drawn, before it is laid out by vertex.
    shown: Vec<V3>,
    shown_normal: Vec<V3>,
    /// On where a particle moves by itself: not pinned, not an orphan, not padding.
    free: Vec<F4>,
    /// On where there is a particle.
    real: Vec<F4>,
    /// Positions at the start.
    start: Vec<V3>,
    /// Inverse mass of the particle in each slot, as a share of the usual one.
    lightness: Vec<f32>,

    links: Vec<LinkLanes>,
    batches: Vec<Batch>,
    /// `[vertex, vertex] × links`, in the order in which they are solved.
    link_vertices: Vec<u32>,
    /// The slot of each vertex.
    slot_of: Vec<u32>,
    /// Slots of vertices that no triangle uses.
    orphans: Vec<u32>,

    pins: Vec<Pin>,
    pin_vertices: Vec<u32>,
    /// Colliders where they were at the end of the last call.
    colliders: Vec<Collider>,
    /// Colliders where they were at the end of the last fixed step.
    stepped: Vec<Collider>,
    /// Colliders of the substep being run.
    solids: Vec<Solid>,
    /// The collider that is being swept, on its way.
    parts: Vec<Solid>,
    /// Which colliders each block may meet in this substep, a bit each.
    near: Vec<u32>,
    /// Planes that a fast collision of this substep keeps particles above.
    contacts: Vec<Contact>,
    /// Some of `contacts` are set.
    swept: bool,
    /// The next step takes the inputs as they are: there is nothing to interpolate from.
    jump: bool,
    /// This call shows the newest state.
    newest: bool,

    input: Input,
    output: Output,
    status: [u32; 1],
}

impl Cloth {
    /// Takes the inputs as they are as the place to interpolate from.
    fn settle_inputs(&mut self) {
        for (pin, target) in self.pins.iter_mut().zip(self.input.pin_targets.as_chunks().0) {
            pin.from = *target;
        }
        take_poses(&mut self.colliders, &self.input.colliders);
    }

    /// Works out what depends on the options.
    fn options_changed(&mut self) {
        self.keep = root(f64::from(1.0 - self.options.damping), self.options.substeps) as f32;
        self.share_links();
    }

    /// Works out how far each end of each link moves.
    fn share_links(&mut self) {
        let ClothStiffness { structural, shear, bend } = self.options.stiffness;
        for (link, batch) in self.links.iter_mut().zip(&self.batches) {
            (link.share_a, link.share_b) = (F4::ZERO, F4::ZERO);
            for (lane, pair) in batch.pairs() {
                let [a, b] = pair.map(|slot| self.lightness[slot]);
                let strength = [structural, shear, bend][batch.kind as usize] * if a < b { a } else { b };
                let [a, b] =
                    pair.map(|slot| if is_on(self.free[slot / 4], slot as u32) { self.lightness[slot] } else { 0.0 });
                let both = a + b;
                if both > 0.0 {
                    link.share_a.as_mut_array()[lane] = strength * a / both;
                    link.share_b.as_mut_array()[lane] = strength * b / both;
                }
            }
        }
    }

    /// Pins exactly `vertices`, each where it is.
    fn set_pins(&mut self, vertices: &[f32]) -> Result<()> {
        let count = self.slot_of.len();
        let mut pinned = vec![false; count];
        for (i, v) in vertices.iter().enumerate() {
            // What is no number becomes 0, and is not the same.
            match pinned.get_mut(*v as usize) {
                Some(pinned) if *v == (*v as u32) as f32 => *pinned = true,
                _ => {
                    return Err(Error::option(text![
                        "pinned[",
                        i,
                        "] must be a vertex from 0 to ",
                        count - 1,
                        ", got ",
                        v
                    ]));
                }
            }
        }
        self.free.copy_from_slice(&self.real);
        for slot in &self.orphans {
            turn_off(&mut self.free, *slot);
        }
        self.pins.clear();
        self.pin_vertices.clear();
        self.input.pin_targets.clear();
        for (v, slot) in self.slot_of.iter().enumerate().filter(|(v, _)| pinned[*v]) {
            turn_off(&mut self.free, *slot);
            let from = self.position[*slot as usize / 4].get(*slot as usize % 4);
            self.pins.push(Pin { slot: *slot, from });
            self.pin_vertices.push(v as u32);
            self.input.pin_targets.extend(from);
        }
        self.share_links();
        Ok(())
    }

    fn set_colliders(&mut self, payload: &[f32]) -> Result<()> {
        self.colliders = read_all(payload)?;
        self.input.colliders = poses(&self.colliders);
        self.stepped = self.colliders.clone();
        self.solids = solids(&self.colliders);
        self.parts = self.solids.first().map_or(Vec::new(), |solid| vec![*solid; step::MOST_SWEEPS as usize]);
        Ok(())
    }
}

fn is_on(mask: F4, slot: u32) -> bool {
    mask.as_array()[slot as usize % 4].to_bits() != 0
}

fn turn_off(masks: &mut [F4], slot: u32) {
    masks[slot as usize / 4].as_mut_array()[slot as usize % 4] = 0.0;
}

impl Simulation for Cloth {
    fn options(&self) -> String {
        let (mut options, mut json) = (self.options, String::new());
        settings::write(&mut options, &mut json);
        json
    }

    fn configure(&mut self, settings: &str) -> Result<()> {
        let mut options = self.options;
        settings::set_all(&mut options, settings)?;
        self.options = options;
        self.options_changed();
        Ok(())
    }

    fn report(&self) -> String {
        self.report.clone()
    }

    fn clock(&mut self) -> &mut Clock {
        &mut self.clock
    }

    fn read_inputs(&mut self) -> Result<()> {
        check_reach("wind", "m/s", &self.input.wind)?;
        check_reach("gravity", "m/s²", &self.input.gravity)?;
        check_reach("pins.targets", "m", &self.input.pin_targets)?;
        check_reach("space", "m", &self.input.space)?;
        check_all(&self.input.colliders, &self.colliders)
    }

    fn start(&mut self, dt: Option<f64>) -> Result<()> {
        if self.jump {
            self.settle_inputs();
            self.stepped.copy_from_slice(&self.colliders);
            self.jump = false;
        }
        // A call of no time leaves what is shown as it is.
        if dt.is_none_or(|dt| dt > 0.0) {
            self.newest = dt.is_none() || !self.options.interpolate;
        }
        Ok(())
    }

    fn fixed_step(&mut self) {
        self.step();
    }

    fn finish(&mut self) {
        self.settle_inputs();
        self.show();
    }

    fn channels(&self) -> &'static [ChannelInfo] {
        channels::CHANNELS
    }

    fn channel(&mut self, id: u32) -> Option<Channel<'_>> {
        Some(match id {
            channels::POSITIONS => Channel::F32(&mut self.output.positions),
            channels::NORMALS => Channel::F32(&mut self.output.normals),
            channels::BOUNDS => Channel::F32(&mut self.output.bounds),
            channels::STATUS => Channel::U32(&mut self.status),
            channels::WIND => Channel::F32(&mut self.input.wind),
            channels::GRAVITY => Channel::F32(&mut self.input.gravity),
            channels::PIN_TARGETS => Channel::F32(&mut self.input.pin_targets),
            channels::PIN_VERTICES => Channel::U32(&mut self.pin_vertices),
            channels::COLLIDERS => Channel::F32(&mut self.input.colliders),
            channels::LINKS => Channel::U32(&mut self.link_vertices),
            channels::SPACE => Channel::F32(&mut self.input.space),
            _ => return None,
        })
    }

    fn command(&mut self, op: u32, payload: &[f32]) -> Result<Vec<f32>> {
        match op {
            channels::SET_PINS => self.set_pins(payload)?,
            channels::SET_COLLIDERS => self.set_colliders(payload)?,
            _ => return Err(Error::input(text!["a cloth has no operation ", op])),
        }
        Ok(Vec::new())
    }

    fn reset(&mut self) {
        self.restart();
    }

    fn teleport(&mut self, matrix: &[f32; 16]) -> Result<()> {
        self.carry(matrix)
    }

    fn hash(&self) -> u64 {
        self.digest()
    }
}
