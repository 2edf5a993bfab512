//! Saving a cloth, putting it back, and moving it as a whole.

use super::{Cloth, IDENTITY};
use crate::clock::Clock;
use crate::collider::{Collider, STRIDE, out_of_reach, within_reach};
use crate::error::Result;
use crate::lanes::{F4, V3};
use crate::rng;
use crate::simulation::read_matrix;
use glam::Vec3;
use xxhash_rust::xxh64::xxh64;

/// First bytes of a snapshot: what it is, and which layout.
const MAGIC: &[u8; 8] = b"LBcloth1";

/// How far a start is out of its plane, as a share of its largest coordinate: a few steps of f32, far too little to see.
///
/// Without it a cloth that starts exactly planar stays so, and stands out from its pole like a board.
const FLAW: f32 = 5e-7;

impl Cloth {
    /// Back to the start, with the pins and colliders of now.
    pub(super) fn restart(&mut self) {
        self.position.copy_from_slice(&self.start);
        self.last.copy_from_slice(&self.start);
        self.clock = Clock::new(super::STEP, super::MAX_STEPS);
        self.status = [0];
        self.weave.normals(&self.position, &mut self.normal);
        let largest = self.start.iter().zip(&self.real).fold(0.1f32, |most, (p, real)| {
            let p = V3::select(*real, *p, V3::ZERO);
            [p.x, p.y, p.z]
                .iter()
                .flat_map(|c| c.to_array())
                .fold(most, |most, c| if c.abs() > most { c.abs() } else { most })
        });
        self.previous.copy_from_slice(&self.start);
        for pin in &mut self.pins {
            pin.from = self.start[pin.slot as usize / 4].get(pin.slot as usize % 4);
        }
        self.input.pin_targets = self.pins.iter().flat_map(|pin| pin.from).collect();
        self.jump = true;
        self.newest = true;
        self.show();
        // By vertex, so that the flaw does not depend on how particles are laid out.
        for (vertex, slot) in self.slot_of.iter().enumerate() {
            let (block, lane) = (*slot as usize / 4, *slot as usize % 4);
            if super::is_on(self.free[block], *slot) {
                let push = rng::signed(vertex as u64) * FLAW * largest;
                let (p, n) = (self.start[block].get(lane), self.normal[block].get(lane));
                let flawed = [0, 1, 2].map(|c| p[c] + n[c] * push);
                self.position[block].set(lane, flawed);
                self.previous[block].set(lane, flawed);
            }
        }
    }

    /// Moves the cloth and its pins by `matrix`, without any swing.
    pub(super) fn carry(&mut self, matrix: &[f32; 16]) -> Result<()> {
        let m = read_matrix(matrix)?;
        if *matrix == IDENTITY {
            return Ok(());
        }
        let targets = self.input.pin_targets.as_chunks().0.iter().copied();
        let particles = self.slot_of.iter().map(|slot| self.position[*slot as usize / 4].get(*slot as usize % 4));
        let mut carried = targets.chain(particles).flat_map(|p| m.transform_point3(Vec3::from_array(p)).to_array());
        if let Some(far) = carried.find(|v| !within_reach(v)) {
            return Err(out_of_reach("the cloth after teleport", "m", far));
        }
        for p in self.position.iter_mut().chain(&mut self.previous).chain(&mut self.last) {
            for lane in 0..4 {
                p.set(lane, m.transform_point3(Vec3::from_array(p.get(lane))).to_array());
            }
        }
        for target in self.input.pin_targets.as_chunks_mut::<3>().0 {
            *target = m.transform_point3(Vec3::from_array(*target)).to_array();
        }
        self.weave.normals(&self.position, &mut self.normal);
        self.jump = true;
        self.show();
        Ok(())
    }

    /// What makes two cloths able to exchange snapshots: vertices, links and their lengths, pins, and what their colliders
    /// are.
    fn make(&self) -> u64 {
        let mut bytes = Vec::new();
        let shapes = self.colliders.iter().map(Collider::kind);
        let counts = [self.slot_of.len() as u32, self.pins.len() as u32, self.colliders.len() as u32];
        for n in self.link_vertices.iter().chain(&self.pin_vertices).copied().chain(shapes).chain(counts) {
            bytes.extend(n.to_le_bytes());
        }
        for length in self.links.iter().flat_map(|link| link.rest.to_array()) {
            bytes.extend(length.to_le_bytes());
        }
        xxh64(&bytes, 0)
    }

    /// The state as bytes: magic, make, clock, pins, colliders, particles.
    pub(super) fn save(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let (owed, steps) = self.clock.state();
        for n in [self.make(), owed.to_bits(), steps] {
            bytes.extend(n.to_le_bytes());
        }
        bytes.extend(u32::from(self.jump).to_le_bytes());
        bytes.extend(u32::from(self.newest).to_le_bytes());
        let inputs = self
            .input
            .pin_targets
            .iter()
            .chain(&self.input.colliders)
            .chain(&self.input.wind)
            .chain(&self.input.gravity);
        let pins = self.pins.iter().flat_map(|pin| &pin.from);
        for n in inputs.chain(pins).chain(self.colliders.iter().chain(&self.stepped).flat_map(|c| &c.pose)) {
            bytes.extend(n.to_le_bytes());
        }
        for blocks in [&self.position, &self.previous, &self.last] {
            write_blocks(blocks, &mut bytes);
        }
        bytes
    }

    /// Takes a state that [`Cloth::save`] gave; `None`, with nothing changed, when it is of another make.
    pub(super) fn load(&mut self, bytes: &[u8]) -> Option<()> {
        let mut reader = Reader(bytes);
        if reader.take::<8>()? != *MAGIC {
            return None;
        }
        if u64::from_le_bytes(reader.take()?) != self.make() {
            return None;
        }
        let owed = f64::from_bits(u64::from_le_bytes(reader.take()?));
        let steps = u64::from_le_bytes(reader.take()?);
        if owed.is_nan() || owed.abs() > 1.0 {
            return None;
        }
        let jump = u32::from_le_bytes(reader.take()?) != 0;
        let newest = u32::from_le_bytes(reader.take()?) != 0;
        let inputs = 2 * self.input.pin_targets.len() + 3 * self.input.colliders.len() + 6;
        let floats = inputs + self.position.len() * 36;
        if reader.0.len() != floats * 4 {
            return None;
        }
        let floats: Vec<f32> = reader.0.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let (targets, rest) = floats.split_at(self.input.pin_targets.len());
        let (poses, rest) = rest.split_at(self.input.colliders.len());
        let (air, rest) = rest.split_at(6);
        let (from, rest) = rest.split_at(targets.len());
        let (last_poses, particles) = rest.split_at(2 * poses.len());
        let collider =
            |(collider, pose): (&Collider, &[f32; STRIDE])| Collider { pose: *pose, ..*collider }.check(0).is_ok();
        let colliders = self.colliders.iter().cycle().zip(poses.as_chunks().0.iter().chain(last_poses.as_chunks().0));
        if !(targets.iter().chain(air).chain(from).all(within_reach)
            && particles.iter().all(|v| v.abs() < super::OUTERMOST)
            && colliders.into_iter().all(collider))
        {
            return None;
        }
        self.input.pin_targets.copy_from_slice(targets);
        self.input.colliders.copy_from_slice(poses);
        self.input.wind.copy_from_slice(&air[..3]);
        self.input.gravity.copy_from_slice(&air[3..]);
        for (pin, from) in self.pins.iter_mut().zip(from.as_chunks().0) {
            pin.from = *from;
        }
        for (collider, pose) in self.colliders.iter_mut().chain(&mut self.stepped).zip(last_poses.as_chunks().0) {
            collider.pose = *pose;
        }
        let mut particles = particles.as_chunks().0.iter();
        for p in self.position.iter_mut().chain(&mut self.previous).chain(&mut self.last) {
            for axis in [&mut p.x, &mut p.y, &mut p.z] {
                *axis = F4::new(particles.next().copied().unwrap_or_default());
            }
        }
        self.clock.set_state((owed, steps));
        (self.jump, self.newest) = (jump, newest);
        self.weave.normals(&self.position, &mut self.normal);
        self.show();
        Some(())
    }

    /// A digest of positions, velocities and steps.
    pub(super) fn digest(&self) -> u64 {
        let mut bytes = self.clock.state().1.to_le_bytes().to_vec();
        for blocks in [&self.position, &self.previous] {
            write_blocks(blocks, &mut bytes);
        }
        xxh64(&bytes, 0)
    }
}

fn write_blocks(blocks: &[V3], bytes: &mut Vec<u8>) {
    bytes.extend(
        blocks.iter().flat_map(|p| [p.x, p.y, p.z]).flat_map(|axis| axis.to_array()).flat_map(f32::to_le_bytes),
    );
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*head)
    }
}
