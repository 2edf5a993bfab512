//! Saving a cloth, putting it back, and moving it as a whole.

use super::{Cloth, IDENTITY, OUTERMOST, step};
use crate::clock::Clock;
use crate::collider::{FARTHEST, all_sound, kinds, within_reach};
use crate::error::{Error, Result};
use crate::lanes::{V3, all_within, larger, splat};
use crate::rng;
use crate::simulation::{Simulation, read_matrix};
use crate::snapshot::{Kept, Tape, hash};
use bytemuck::{bytes_of, cast_slice};
use std::slice::from_ref;

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
        let mut largest = splat(0.1);
        for (p, real) in self.start.iter().zip(&self.real) {
            for c in [p.x, p.y, p.z] {
                largest = larger((c & *real).abs(), largest);
            }
        }
        let largest = step::largest(largest);
        self.previous.copy_from_slice(&self.start);
        for (pin, target) in self.pins.iter_mut().zip(self.input.pin_targets.as_chunks_mut().0) {
            pin.from = self.start[pin.slot as usize / 4].get(pin.slot as usize % 4);
            *target = pin.from;
        }
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
        let way = read_matrix(matrix)?;
        if *matrix == IDENTITY {
            return Ok(());
        }
        let far = |p: V3| !all_within(&[way.times(p)], FARTHEST);
        let targets = self.input.pin_targets.as_chunks_mut().0;
        if self.position.iter().any(|p| far(*p)) || targets.iter().any(|target| far(V3::splat(*target))) {
            return Err(Error::input("teleport takes the cloth farther than 1000000 m"));
        }
        for target in targets {
            *target = way.times(V3::splat(*target)).get(0);
        }
        for places in [&mut self.position, &mut self.previous, &mut self.last] {
            step::carry(places, &way);
        }
        self.weave.normals(&self.position, &mut self.normal);
        self.jump = true;
        self.show();
        Ok(())
    }

    /// A digest of positions, velocities and steps.
    pub(super) fn digest(&self) -> u64 {
        let mut state = bytes_of(&self.clock.steps()).to_vec();
        state.extend_from_slice(cast_slice(&self.position));
        state.extend_from_slice(cast_slice(&self.previous));
        hash(&state)
    }
}

impl Kept for Cloth {
    fn label(&self) -> (&'static [u8; 8], &'static str) {
        (b"LBcloth1", "a cloth with the vertices, links, pins and colliders of this one")
    }

    /// Vertices, links and their lengths, pins, and what the colliders are.
    fn make(&self, words: &mut Vec<u32>) {
        words.extend_from_slice(&self.link_vertices);
        words.extend_from_slice(&self.pin_vertices);
        kinds(&self.colliders, words);
        for count in [self.slot_of.len(), self.pins.len(), self.colliders.len()] {
            words.push(count as u32);
        }
        for link in &self.links {
            words.extend_from_slice(cast_slice(from_ref(&link.rest)));
        }
    }

    /// Clock, pins, colliders, particles.
    fn keep(&mut self, tape: &mut Tape) {
        self.clock.keep(tape);
        tape.flag(&mut self.jump);
        tape.flag(&mut self.newest);
        tape.all(&mut self.input.pin_targets);
        tape.all(&mut self.input.colliders);
        tape.all(&mut self.input.wind);
        tape.all(&mut self.input.gravity);
        self.pins.iter_mut().for_each(|pin| tape.all(&mut pin.from));
        tape.poses(&mut self.colliders);
        tape.poses(&mut self.stepped);
        for blocks in [&mut self.position, &mut self.previous, &mut self.last] {
            tape.all(blocks);
        }
    }

    fn is_sound(&mut self) -> bool {
        self.clock.is_sound()
            && self.read_inputs().is_ok()
            && all_sound(&self.colliders)
            && all_sound(&self.stepped)
            && self.pins.iter().all(|pin| pin.from.iter().all(within_reach))
            && [&self.position, &self.previous, &self.last].into_iter().all(|blocks| all_within(blocks, OUTERMOST))
    }

    fn restored(&mut self) {
        self.weave.normals(&self.position, &mut self.normal);
        self.show();
    }
}
