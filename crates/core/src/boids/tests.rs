//! Boids by themselves.

use super::cells::{Cells, Runs};
use super::world::{Shape, World};
use super::{AT, Body, Boids, GOING};
use crate::lanes::{F4, V3, splat};
use crate::rng;
use crate::simulation::Simulation;
use proptest::prelude::*;

fn world(shape: Shape, flat: bool) -> World {
    World {
        shape,
        low: [-1.0, 0.5, if flat { 0.0 } else { -2.0 }],
        high: [0.5, 2.0, if flat { 0.0 } else { -0.4 }],
        flat,
    }
}

/// The distance between two places, the shorter way round.
fn apart(world: &World, a: [f32; 3], b: [f32; 3]) -> f64 {
    (0..3)
        .map(|c| {
            let (way, side) = (f64::from(b[c]) - f64::from(a[c]), f64::from(world.high[c]) - f64::from(world.low[c]));
            let around = world.shape == Shape::Torus && side > 0.0;
            let way = if around { way - side * (way / side).round() } else { way };
            way * way
        })
        .sum::<f64>()
        .sqrt()
}

fn bring_in(world: &World, place: [f32; 3]) -> [f32; 3] {
    let [x, y, z, _] = world.lanes().bring_in(place).to_array();
    [x, y, z]
}

fn places(world: &World, count: usize, seed: u64) -> Vec<[f32; 3]> {
    // Half of them in a clump, some on the walls.
    (0..count as u64)
        .map(|i| {
            let t = rng::three(seed * 1000 + i).map(|v| if i % 2 == 0 { v * 0.1 } else { v });
            let p = std::array::from_fn(|c| world.low[c] + (world.high[c] - world.low[c]) * (t[c] * 0.5 + 0.5));
            bring_in(world, if i % 17 == 0 { [world.high[0], p[1], p[2]] } else { p })
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn who_is_near_is_visited_once_at_the_nearer_image(
        seed in 0u64..1000, count in 1usize..300, part in 0.01f32..0.5, kind in 0..3, flat in any::<bool>(),
        // Hunters may see farther than a row is wide.
        rows in 0.1f32..1.0,
    ) {
        let world = world([Shape::Torus, Shape::Box, Shape::Sphere][kind as usize], flat);
        let radius = world.least_side() * part;
        let all = places(&world, count, seed);
        let mut cells = Cells::default();
        cells.lay_out(&world, radius * rows, count);
        let bodies: Vec<Body> = all.iter().map(|[x, y, z]| [F4::new([*x, *y, *z, 0.0]); 4]).collect();
        cells.sort(&bodies, &vec![0; count]);
        // Everyone is in one block, once.
        let mut there: Vec<f32> = cells.ones().iter().map(|one| one.at[3]).filter(|who| *who >= 0.0).collect();
        there.sort_by(f32::total_cmp);
        prop_assert!(there.iter().copied().eq((0..count).map(|i| i as f32)));
        for (i, p) in all.iter().enumerate() {
            let mut seen = vec![0; count];
            let mut runs = Runs::default();
            let mut skip = 0;
            loop {
                cells.about(*p, *p, radius, skip, &mut runs);
                for run in runs.iter() {
                    for one in &cells.ones()[run.from as usize..run.to as usize] {
                        let d = V3::splat([one.at[0], one.at[1], one.at[2]]) + V3::splat(run.shift) - V3::splat(*p);
                        if d.dot(d).to_array()[0] < radius * radius {
                            seen[one.at[3] as usize] += 1;
                        }
                    }
                }
                skip += runs.len();
                if !runs.full() {
                    break;
                }
            }
            for (j, times) in seen.iter().enumerate() {
                let apart = apart(&world, *p, all[j]);
                let clear = (apart - f64::from(radius)).abs() > 1e-5;
                prop_assert!(!clear || *times == i32::from(apart < f64::from(radius)), "{i} sees {j} {times} times at {apart}");
            }
        }
    }

    #[test]
    fn places_are_kept_in_the_world(x in -9f32..9.0, y in -9f32..9.0, z in -9f32..9.0, kind in 0..3, flat in any::<bool>()) {
        let world = world([Shape::Torus, Shape::Box, Shape::Sphere][kind as usize], flat);
        let p = bring_in(&world, [x, y, z]);
        for c in 0..3 {
            prop_assert!(p[c] >= world.low[c] - 1e-6 && p[c] <= world.high[c] + 1e-6, "{p:?}");
        }
        if world.shape == Shape::Torus {
            let flattened = [x, y, if flat { 0.0 } else { z }];
            prop_assert!(apart(&world, p, flattened) < 1e-5);
        }
        let kept = world.lanes().keep_in(V3::splat(p));
        prop_assert!(apart(&world, kept.get(2), p) < 1e-6);
    }
}

#[test]
fn the_shorter_way_is_shorter_than_half_around() {
    let lanes = world(Shape::Torus, false).lanes();
    let way = lanes.shorter(V3 { x: splat(1.4), y: splat(-1.0), z: splat(0.5) });
    assert!((way.get(0)[0] + 0.1).abs() < 1e-6 && (way.get(0)[1] - 0.5).abs() < 1e-6 && way.get(0)[2] == 0.5);
}

fn number(n: f64) -> String {
    format!("n{:016x}", n.to_bits())
}

fn flock(count: u32, threads: u32) -> Boids {
    let settings = format!(
        "make.count={}\nmake.seed={}\noptions.threads={}",
        number(f64::from(count)),
        number(7.0),
        number(f64::from(threads))
    );
    let reals = [0.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0];
    let indices: Vec<u32> = [1, 1, 0, 0, 0, 0].into_iter().chain(0..count).chain((0..count).map(|_| 0)).collect();
    Boids::create(&settings, &reals, &indices).unwrap()
}

#[test]
fn threads_do_not_change_a_bit() {
    let mut hashes = Vec::new();
    for threads in [1, 2, 3, 7, 64] {
        let mut boids = flock(333, threads);
        for _ in 0..200 {
            boids.step();
        }
        hashes.push(boids.hash());
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}

#[test]
fn a_start_by_chance_fills_the_world_evenly() {
    let boids = flock(4000, 1);
    for c in 0..3 {
        let mean = boids.state.iter().map(|body| body[AT].to_array()[c]).sum::<f32>() / 4000.0;
        let low = boids.state.iter().filter(|body| body[AT].to_array()[c] < -0.5).count();
        assert!(mean.abs() < 0.04 && low.abs_diff(1000) < 120, "{c}: {mean}, {low}");
    }
    let mean = boids.state.iter().fold(F4::ZERO, |sum, body| sum + body[GOING]).to_array();
    assert!(mean.iter().all(|v| v.abs() < 0.2 * 4000.0 * 0.03), "{mean:?}");
}
