//! Boids: animals that flock by looking at their neighbours alone.
//!
//! The model is Reynolds, "Flocks, Herds, and Schools: A Distributed Behavioral Model" (1987), with the gains of the order
//! sheet: separation, alignment, cohesion, a little chance, and a speed between two bounds. Everybody reads the state before
//! the step, so that no order matters. `cells.rs` sorts boids by where they are, `look.rs` sums up what each sees, `step.rs`
//! steers and moves, `flight.rs` is for hunters and hunted, `influence.rs` for what else attracts and repels, `world.rs` for
//! where boids may be, `show.rs` for what is drawn, `create.rs` for how they are made, `state.rs` for how they are saved.

mod cells;
pub mod channels;
mod create;
mod flight;
mod influence;
mod look;
pub mod options;
mod show;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod world;

use crate::clock::Clock;
use crate::collider::{Collider, check_all, check_reach, poses, read_all, take_poses};
use crate::error::{Error, Result};
use crate::lanes::{F4, V3, less};
use crate::number::sin_cos;
use crate::options::{self as settings, describe as describe_options};
use crate::simulation::{Channel, ChannelInfo, Simulation};
use crate::spatial::direction;
use crate::text;
use cells::Cells;
use influence::Influence;
pub use options::{BoidsMake, BoidsOptions};
use step::Obstacle;
use world::World;

/// Seconds of a fixed step.
pub const STEP: f64 = 1.0 / 60.0;

/// Most fixed steps in one call; time beyond them is dropped.
pub const MAX_STEPS: u32 = 3;

/// Most species.
pub const MOST_SPECIES: usize = 32;

/// The option structs of boids, for the generator.
pub fn describe() -> Vec<crate::options::StructInfo> {
    vec![describe_options::<BoidsOptions>(), describe_options::<BoidsMake>()]
}

/// What a species is to the others, a bit for each of them.
#[derive(Clone, Copy, Debug)]
struct Species {
    /// It aligns with these and draws near to them.
    flocks: u32,
    flees: u32,
    hunts: u32,
    /// By this its speeds are scaled.
    speed: f32,
}

/// Where a boid is, its velocity, and unit vectors along its heading and out of its back; the fourth number of each is unused.
///
/// They lie together, as boids are read and written in the order of their cells: in lists of their own each would be a miss of the
/// cache, which cost 50,000 boids a tenth of a step.
type Body = [F4; 4];
const AT: usize = 0;
const GOING: usize = 1;
const NOSE: usize = 2;
const UP: usize = 3;

/// All boids, by their place among the ids.
type State = Vec<Body>;

/// A part of each of four boids.
#[inline(never)]
fn pick(all: &[Body], who: &[usize; 4], part: usize) -> V3 {
    V3::from_points([all[who[0]][part], all[who[1]][part], all[who[2]][part], all[who[3]][part]])
}

/// [`V3::to_points`], as one function wherever it is called from.
#[inline(never)]
fn points(v: V3) -> [F4; 4] {
    v.to_points()
}

/// [`direction`], as one function wherever it is called from.
#[inline(never)]
fn heading(v: V3, otherwise: V3) -> (V3, F4) {
    direction(v, otherwise)
}

/// How far and at what angle a rule sees.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    /// Radius², or −1 where the rule does not act.
    square: f32,
    /// Cosine of half the angle; below −1 all around.
    cosine: f32,
}

impl Reach {
    fn of(enabled: bool, weight: f32, radius: f32, angle: f32) -> Reach {
        let acts = enabled && weight > 0.0 && radius > 0.0;
        let around = angle >= std::f32::consts::TAU;
        let cosine = if around { -2.0 } else { sin_cos(f64::from(angle) * 0.5).1 as f32 };
        Reach { square: if acts { radius * radius } else { -1.0 }, cosine }
    }

    #[inline(always)]
    fn sees(&self, square: F4, ahead: F4) -> F4 {
        use crate::lanes::{greater, splat};
        less(square, splat(self.square)) & greater(ahead, splat(self.cosine))
    }
}

/// The rules made ready for looking.
#[derive(Clone, Copy, Debug, Default)]
struct Sight {
    separation: Reach,
    alignment: Reach,
    cohesion: Reach,
    /// Added to squares of distances, so that a push stays finite.
    soft: f32,
    /// Square of the farthest that anybody sees; below 0 nobody looks.
    farthest: f32,
    /// All rules see all around.
    around: bool,
    topological: bool,
    nearest: usize,
    /// One radius for alignment and cohesion, no larger one for separation, all around, one species.
    simple: bool,
}

/// What three.js draws.
#[derive(Clone, Debug, Default)]
struct Output {
    positions: Vec<f32>,
    velocities: Vec<f32>,
    matrices: Vec<f32>,
    bounds: [f32; 10],
}

/// What JavaScript writes.
#[derive(Clone, Debug, Default)]
struct Input {
    influences: Vec<f32>,
    colliders: Vec<f32>,
}

/// A running flock.
#[derive(Clone, Debug)]
pub struct Boids {
    make: BoidsMake,
    options: BoidsOptions,
    clock: Clock,
    world: World,
    ids: Vec<u32>,
    species: Vec<u32>,
    table: Vec<Species>,

    state: State,
    /// One fixed step ago: what a drawn frame blends from.
    last: State,
    start: State,

    sight: Sight,
    cells: Cells,
    /// What becomes of them, in the order of `cells`, four at a time.
    moved: Vec<step::Moved>,
    /// Velocity gained by fleeing and hunting, by place among the ids; empty where nobody does.
    urges: Vec<F4>,

    influences: Vec<Influence>,
    /// As in the channel, at the end of the last call.
    from: Vec<f32>,
    /// As in the channel, of the step being run.
    now: Vec<f32>,
    /// Points of paths.
    paths: Vec<[f32; 3]>,
    colliders: Vec<Collider>,
    /// The same in the step being run.
    obstacles: Vec<Obstacle>,
    /// The next step takes the inputs as they are: there is nothing to interpolate from.
    jump: bool,
    /// This call shows the newest state.
    newest: bool,

    input: Input,
    output: Output,
}

impl Boids {
    /// Takes the inputs as they are as what the next call interpolates from.
    fn settle_inputs(&mut self) {
        self.from.copy_from_slice(&self.input.influences);
        take_poses(&mut self.colliders, &self.input.colliders);
    }

    /// Works out what depends on options and world.
    fn options_changed(&mut self) {
        let rules = &self.options.rules;
        let (separation, alignment, cohesion) = (&rules.separation, &rules.alignment, &rules.cohesion);
        let mut sight = Sight {
            separation: Reach::of(separation.enabled, separation.weight, separation.radius, separation.angle),
            alignment: Reach::of(alignment.enabled, alignment.weight, alignment.radius, alignment.angle),
            cohesion: Reach::of(cohesion.enabled, cohesion.weight, cohesion.radius, cohesion.angle),
            soft: separation.radius * separation.radius * (1.0 / 12.0),
            farthest: -1.0,
            around: false,
            topological: self.options.topological,
            nearest: self.options.nearest as usize,
            simple: false,
        };
        let reaches = [sight.separation, sight.alignment, sight.cohesion];
        sight.farthest = reaches.iter().fold(-1.0, |most, reach| if reach.square > most { reach.square } else { most });
        sight.around = reaches.iter().all(|reach| reach.cosine < -1.0);
        sight.simple = sight.cohesion.square == sight.alignment.square
            && sight.separation.square <= sight.cohesion.square
            && sight.around
            && self.table.len() == 1
            && self.table[0].flocks != 0
            && !sight.topological;
        self.sight = sight;
        self.cells.lay_out(&self.world, sight.farthest.sqrt(), self.ids.len());
        self.moved.resize(self.cells.blocks.len(), Default::default());
    }

    fn set_colliders(&mut self, payload: &[f32]) -> Result<()> {
        self.colliders = read_all(payload)?;
        self.input.colliders = poses(&self.colliders);
        self.obstacles = Vec::with_capacity(self.colliders.len());
        Ok(())
    }

    fn set_bounds(&mut self, payload: &[f32]) -> Result<()> {
        let world = World::read(payload, self.make.dimensions)?;
        world.check_radii(&self.options, self.hunts())?;
        self.world = world;
        self.options_changed();
        self.bring_in();
        self.show();
        Ok(())
    }

    /// Brings all into the world.
    fn bring_in(&mut self) {
        let world = self.world.lanes();
        for body in self.state.iter_mut().chain(&mut self.last) {
            let [x, y, z, _] = body[AT].to_array();
            body[AT] = world.bring_in([x, y, z]);
        }
    }
}

/// Refuses options that contradict one another.
fn check_options(options: &BoidsOptions, world: &World, hunts: bool) -> Result<()> {
    let (min, max) = (options.speed.min, options.speed.max);
    if min > max {
        return Err(Error::option(text!["speed.min must be from 0 to speed.max (", max, " m/s), got ", min]));
    }
    world.check_radii(options, hunts)
}

impl Simulation for Boids {
    fn options(&self) -> String {
        let mut json = String::new();
        settings::write(&mut self.options.clone(), &mut json);
        json
    }

    fn configure(&mut self, settings: &str) -> Result<()> {
        let mut options = self.options;
        settings::set_all(&mut options, settings)?;
        check_options(&options, &self.world, self.hunts())?;
        self.options = options;
        self.options_changed();
        Ok(())
    }

    fn report(&self) -> String {
        "{}".into()
    }

    fn clock(&mut self) -> &mut Clock {
        &mut self.clock
    }

    fn read_inputs(&mut self) -> Result<()> {
        check_reach("influences", "", &self.input.influences)?;
        check_all(&self.input.colliders, &self.colliders)
    }

    fn start(&mut self, dt: Option<f64>) -> Result<()> {
        if self.jump {
            self.settle_inputs();
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
            channels::VELOCITIES => Channel::F32(&mut self.output.velocities),
            channels::MATRICES => Channel::F32(&mut self.output.matrices),
            channels::BOUNDS => Channel::F32(&mut self.output.bounds),
            channels::IDS => Channel::U32(&mut self.ids),
            channels::SPECIES => Channel::U32(&mut self.species),
            channels::INFLUENCES => Channel::F32(&mut self.input.influences),
            channels::COLLIDERS => Channel::F32(&mut self.input.colliders),
            _ => return None,
        })
    }

    fn command(&mut self, op: u32, payload: &[f32]) -> Result<Vec<f32>> {
        match op {
            channels::SET_COLLIDERS => self.set_colliders(payload)?,
            channels::SET_INFLUENCES => self.set_influences(payload)?,
            channels::SET_BOUNDS => self.set_bounds(payload)?,
            channels::READ_BOUNDS => return Ok(self.world.numbers().to_vec()),
            _ => return Err(Error::input(text!["boids have no operation ", op])),
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
