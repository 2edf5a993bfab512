//! Making boids.

use super::cells::Cells;
use super::options::{BoidsMake, BoidsOptions};
use super::state::{facing, four};
use super::world::{Shape, World};
use super::{Boids, Input, MAX_STEPS, MOST_SPECIES, Output, STEP, Sight, Species, State, check_options};
use crate::clock::Clock;
use crate::collider::check_reach;
use crate::error::{Error, Result};
use crate::lanes::F4;
use crate::options::{Value, set, settings};
use crate::spatial::unit;
use crate::{rng, text};
use glam::Vec3;

/// Fastest turn of 3D boids in radians a second, unless it is given.
const TURN_LIMIT: f32 = std::f32::consts::TAU;

fn read(text: &str) -> Result<(BoidsMake, BoidsOptions)> {
    let (mut make, mut options, mut turns) = (BoidsMake::default(), BoidsOptions::default(), false);
    settings(text, &mut |path, value| match path.split_once('.') {
        Some(("make", name)) => set(&mut make, name, name, value),
        Some(("options", name)) => {
            turns |= name == "turnLimit";
            set(&mut options, name, name, value)
        }
        _ if value == Value::Empty => Ok(()),
        _ => Err(Error::option(text![path, " is not known; boids are made of make and options"])),
    })?;
    if make.dimensions == 3 && !turns {
        options.turn_limit = Some(TURN_LIMIT);
    }
    Ok((make, options))
}

impl Boids {
    /// Refuses what [`Boids::create`] would refuse of `settings`, before anything is allocated for it.
    pub fn check(settings: &str) -> Result<()> {
        read(settings).map(drop)
    }

    /// Boids of the settings `make.…` and `options.…`.
    ///
    /// `indices` are the number of species; what each flocks with, flees and hunts, three numbers of a bit for each species; whether
    /// places and whether velocities are given; the ids, ascending; and the species of each. `reals` are the seven numbers of
    /// `setBounds`, what the speeds of each species are scaled by, and the places and velocities that are given, `[x, y, z]` each.
    pub fn create(settings: &str, reals: &[f32], indices: &[u32]) -> Result<Self> {
        let (make, options) = read(settings)?;
        let count = make.count as usize;
        let kinds = indices.first().map_or(0, |kinds| *kinds as usize);
        if !(1..=MOST_SPECIES).contains(&kinds) {
            return Err(Error::option(text!["species must be a list of 1 to ", MOST_SPECIES, ", got ", kinds]));
        }
        if indices.len() != 3 + kinds * 3 + count * 2 || reals.len() < 7 + kinds {
            return Err(short());
        }
        let (relations, rest) = indices[1..].split_at(kinds * 3);
        let (given, rest) = rest.split_at(2);
        let (ids, species) = rest.split_at(count);
        let (bounds, rest) = reals.split_at(7);
        let (speeds, rest) = rest.split_at(kinds);
        let (places, velocities) =
            rest.split_at_checked(if given[0] != 0 { count * 3 } else { 0 }).ok_or_else(short)?;
        if velocities.len() != if given[1] != 0 { count * 3 } else { 0 } {
            return Err(short());
        }
        if !ids.is_sorted_by(|a, b| a < b) {
            return Err(Error::option("initial.ids must be different"));
        }
        if species.iter().any(|kind| *kind as usize >= kinds) || speeds.iter().any(|v| !(*v > 0.0 && *v <= 1000.0)) {
            return Err(Error::option("every species must exist, and have a speed above 0 and up to 1000"));
        }
        check_reach("initial.positions", "m", places)?;
        check_reach("initial.velocities", "m/s", velocities)?;
        let world = World::read(bounds, make.dimensions)?;
        let table: Vec<Species> = relations
            .as_chunks::<3>()
            .0
            .iter()
            .zip(speeds)
            .map(|([flocks, flees, hunts], speed)| Species {
                flocks: *flocks,
                flees: *flees,
                hunts: *hunts,
                speed: *speed,
            })
            .collect();

        check_options(&options, &world, table.iter().any(Species::hunts))?;

        let (mut start, lanes) = (State::new(), world.lanes());
        let pace = (options.speed.min + options.speed.max) * 0.5;
        for (i, id) in ids.iter().enumerate() {
            let place = places.as_chunks().0.get(i).copied();
            let place = place.unwrap_or_else(|| anywhere(&world, make.seed, *id));
            let v = velocities.as_chunks().0.get(i).map(|v| Vec3::from_array(*v));
            let mut v = v.unwrap_or_else(|| {
                let way = inside(&world, true, make.seed, *id, 1 << 20);
                unit(way, Vec3::X) * pace * table[species[i] as usize].speed
            });
            let mut back = Vec3::Y;
            if world.flat {
                (v.z, back) = (0.0, Vec3::Z);
            }
            let [nose, up] = facing(v, back);
            start.push([lanes.bring_in(place), four(v), nose, up]);
        }
        let matrices = if make.matrices { count * 16 } else { 0 };
        let mut boids = Boids {
            make,
            options,
            clock: Clock::new(STEP, MAX_STEPS),
            world,
            ids: ids.to_vec(),
            species: species.to_vec(),
            state: start.clone(),
            last: start.clone(),
            start,
            sight: Sight::default(),
            cells: Cells::default(),
            moved: Vec::new(),
            urges: Vec::new(),
            influences: Vec::new(),
            from: Vec::new(),
            now: Vec::new(),
            paths: Vec::new(),
            colliders: Vec::new(),
            obstacles: Vec::new(),
            jump: true,
            newest: true,
            input: Input::default(),
            output: Output {
                positions: vec![0.0; count * 3],
                velocities: vec![0.0; count * 3],
                matrices: vec![0.0; matrices],
                bounds: [0.0; 10],
            },
            table,
        };
        if boids.hunts() {
            boids.urges = vec![F4::ZERO; count];
        }
        boids.options_changed();
        boids.show();
        Ok(boids)
    }
}

#[cold]
fn short() -> Error {
    Error::input("boids take bounds, species and numbers for each boid")
}

/// A point from −1 to 1 along each axis, in a ball if asked for; each as likely.
#[inline(never)]
fn inside(world: &World, ball: bool, seed: u32, id: u32, salt: u64) -> Vec3 {
    for again in 0..64 {
        let place = u64::from(seed) << 32 ^ (u64::from(id) << 24).wrapping_add(salt + again);
        let mut point = Vec3::from_array(rng::three(place));
        if world.flat {
            point.z = 0.0;
        }
        if !ball || (1e-6..=1.0).contains(&point.length_squared()) {
            return point;
        }
    }
    Vec3::ZERO
}

/// A place in the world, each as likely.
fn anywhere(world: &World, seed: u32, id: u32) -> [f32; 3] {
    let t = inside(world, world.shape == Shape::Sphere, seed, id, 0);
    std::array::from_fn(|c| world.low[c] + (world.high[c] - world.low[c]) * (t[c] * 0.5 + 0.5))
}
