//! Saving boids, putting them back, and moving them as a whole.

use super::world::Shape;
use super::{Boids, MAX_STEPS, NOSE, STEP, check_options, points};
use crate::clock::Clock;
use crate::collider::{all_sound, kinds, within_reach};
use crate::error::Result;
use crate::lanes::{F4, all_within, splat};
use crate::simulation::{Simulation, read_matrix};
use crate::snapshot::{Kept, Tape, hash};
use crate::spatial::unit;
use bytemuck::{bytes_of, cast_slice};
use glam::Vec3;

/// No number of a state is larger: speeds are up to 100000 m/s times the 1000 of a species.
const OUTERMOST: f32 = 2e8;

/// A vector as it is kept.
pub fn four(v: Vec3) -> F4 {
    F4::new([v.x, v.y, v.z, 0.0])
}

/// A heading, and the direction out of the back nearest to `back`.
#[inline(never)]
pub fn facing(way: Vec3, back: Vec3) -> [F4; 2] {
    let nose = unit(way, Vec3::X);
    let side = if nose.x * nose.x < 0.5 { Vec3::X.cross(nose) } else { Vec3::Y.cross(nose) };
    [four(nose), four(unit(back - nose * nose.dot(back), unit(side, Vec3::Z)))]
}

impl Boids {
    /// Back to the start, with the options, influences and colliders of now.
    pub(super) fn restart(&mut self) {
        self.state.copy_from_slice(&self.start);
        self.last.copy_from_slice(&self.start);
        // The world may have become another.
        self.bring_in();
        self.clock = Clock::new(STEP, MAX_STEPS);
        (self.jump, self.newest) = (true, true);
        self.show();
    }

    /// Moves the boids, and not their world, into which they are brought.
    pub(super) fn carry(&mut self, matrix: &[f32; 16]) -> Result<()> {
        let way = read_matrix(matrix)?;
        let world = self.world.lanes();
        let [x, y, z, origin] = [way.axes.x, way.axes.y, way.axes.z, way.origin].map(|column| points(column)[0]);
        let turned = |v: F4| {
            let [a, b, c, _] = v.to_array();
            x * splat(a) + y * splat(b) + z * splat(c)
        };
        let vector = |v: F4| {
            let [a, b, c, _] = v.to_array();
            let sound = |v: f32| if within_reach(&v) { v } else { 0.0 };
            Vec3::new(sound(a), sound(b), if world.flat { 0.0 } else { sound(c) })
        };
        for body in self.state.iter_mut().chain(&mut self.last) {
            let [at, going, nose, up] = *body;
            let back = if world.flat { Vec3::Z } else { vector(turned(up)) };
            let [nose, up] = facing(vector(turned(nose)), back);
            let place = vector(origin + turned(at)).to_array();
            *body = [world.bring_in(place), four(vector(turned(going))), nose, up];
        }
        self.jump = true;
        self.show();
        Ok(())
    }

    /// A digest of places, velocities and steps.
    pub(super) fn digest(&self) -> u64 {
        let mut state = bytes_of(&self.clock.steps()).to_vec();
        for body in &self.state {
            state.extend_from_slice(cast_slice(&body[..NOSE]));
        }
        hash(&state)
    }
}

impl Kept for Boids {
    fn label(&self) -> (&'static [u8; 8], &'static str) {
        (b"LBboids2", "boids with the ids, species, influences and colliders of these")
    }

    /// Ids, species, influences, and what the colliders are.
    fn make(&self, words: &mut Vec<u32>) {
        words.extend_from_slice(&self.ids);
        words.extend_from_slice(&self.species);
        kinds(&self.colliders, words);
        words.extend([self.influences.len() as u32, self.make.dimensions]);
    }

    /// Clock, world, boids, influences, colliders.
    fn keep(&mut self, tape: &mut Tape) {
        self.clock.keep(tape);
        tape.flag(&mut self.jump);
        tape.flag(&mut self.newest);
        let mut shape = self.world.shape as u32;
        tape.one(&mut shape);
        match Shape::of(shape) {
            Some(shape) => self.world.shape = shape,
            None => tape.refuse(),
        }
        tape.all(&mut self.world.low);
        tape.all(&mut self.world.high);
        tape.all(&mut self.state);
        tape.all(&mut self.last);
        tape.all(&mut self.from);
        tape.all(&mut self.input.influences);
        tape.poses(&mut self.colliders);
        tape.all(&mut self.input.colliders);
    }

    fn is_sound(&mut self) -> bool {
        self.clock.is_sound()
            && self.read_inputs().is_ok()
            && self.from.iter().all(within_reach)
            && all_sound(&self.colliders)
            && all_within(&self.state, OUTERMOST)
            && all_within(&self.last, OUTERMOST)
            && self.world.check().is_ok()
            && check_options(&self.options, &self.world, self.hunts()).is_ok()
    }

    fn restored(&mut self) {
        self.options_changed();
        self.show();
    }
}
