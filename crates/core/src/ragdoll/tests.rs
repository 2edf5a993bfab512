//! Tests of ragdolls.

use super::*;
use crate::rng::signed;
use crate::simulation::begin;
use crate::snapshot::{restore, save};
use serde_json::Value;

const NOTHING: u32 = NONE;

/// What a build is made of, as JavaScript sends it.
#[derive(Default)]
struct Order {
    points: Vec<([f32; 3], f32, f32, [f32; 3])>,
    links: Vec<(u32, u32, u32, f32)>,
    limits: Vec<([u32; 7], [f32; 5])>,
    capsules: Vec<(u32, u32, f32)>,
    bodies: Vec<[f32; 3]>,
}

impl Order {
    fn create(&self, settings: &str) -> Result<Ragdoll> {
        let counts =
            [self.points.len(), self.links.len(), 0, 0, self.limits.len(), self.capsules.len(), self.bodies.len()];
        let mut indices: Vec<u32> = counts.iter().map(|count| *count as u32).collect();
        let mut reals = Vec::new();
        for (at, radius, weight, velocity) in &self.points {
            indices.push(NOTHING);
            reals.extend(at.iter().chain(at));
            reals.extend([*radius, *weight]);
            reals.extend(velocity);
        }
        for (a, b, flags, rest) in &self.links {
            indices.extend([*a, *b, *flags]);
            reals.push(*rest);
        }
        for (points, numbers) in &self.limits {
            indices.extend(points);
            reals.extend(numbers);
        }
        for (a, b, radius) in &self.capsules {
            indices.extend([*a, *b]);
            reals.push(*radius);
        }
        for at in &self.bodies {
            reals.extend([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
            reals.extend(at);
        }
        Ragdoll::create(settings, &reals, &indices)
    }
}

fn set(text: &[(&str, f64)]) -> String {
    text.iter()
        .map(|(name, v)| match *name {
            "classic" | "selfCollision" => format!("{name}={}", if *v != 0.0 { "t" } else { "f" }),
            _ => format!("{name}=n{:016x}", v.to_bits()),
        })
        .collect::<Vec<_>>()
        .join("\n")
}

fn run(ragdoll: &mut Ragdoll, steps: usize) {
    for _ in 0..steps {
        begin(ragdoll, None).unwrap();
        ragdoll.fixed_step();
        ragdoll.finish();
    }
}

fn point(ragdoll: &Ragdoll, body: usize, p: usize) -> glam::Vec3 {
    let n = ragdoll.build.points.len();
    glam::Vec3::from_slice(&ragdoll.output.points[(body * n + p) * 3..])
}

fn golden() -> Value {
    serde_json::from_str(include_str!("../../../../tests/golden/ragdoll.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn from_golden(case: &Value, bodies: Vec<[f32; 3]>) -> Ragdoll {
    let (at, was) = (numbers(&case["positions"]), numbers(&case["previous"]));
    let (weights, radii) = (numbers(&case["inverseMass"]), numbers(&case["radius"]));
    let mut order = Order { bodies, ..Order::default() };
    for i in 0..weights.len() {
        let three = |all: &[f64]| [all[i * 3] as f32, all[i * 3 + 1] as f32, all[i * 3 + 2] as f32];
        let velocity: Vec<f64> = (0..3).map(|c| (at[i * 3 + c] - was[i * 3 + c]) * 120.0).collect();
        order.points.push((three(&at), radii[i] as f32, weights[i] as f32, three(&velocity.repeat(i + 1))));
    }
    for link in case["links"].as_array().unwrap() {
        let flags = 2 + u32::from(link["minOnly"].as_bool().unwrap());
        let index = |name: &str| link[name].as_u64().unwrap() as u32;
        order.links.push((index("a"), index("b"), flags, link["rest"].as_f64().unwrap() as f32));
    }
    order.create(&set(&[("iterations", case["iterations"].as_f64().unwrap()), ("sleepTime", 1000.0)])).unwrap()
}

#[test]
fn the_golden_is_met() {
    for case in golden()["cases"].as_array().unwrap() {
        let mut ragdoll = from_golden(case, vec![[0.0; 3]]);
        let mut ran = 0;
        let mut steps: Vec<usize> =
            case["expect"].as_object().unwrap().keys().map(|key| key.parse().unwrap()).collect();
        steps.sort_unstable();
        for step in steps {
            run(&mut ragdoll, step - ran);
            ran = step;
            let expect = numbers(&case["expect"][step.to_string()]);
            let mut most = 0.0f64;
            for (i, v) in expect.iter().enumerate() {
                most = most.max((f64::from(ragdoll.output.points[i]) - v).abs());
            }
            println!("{step}: {most:e}");
            assert!(most <= if step <= 10 { 1e-5 } else { 5e-4 }, "step {step}: {most:e}");
        }
    }
}

#[test]
fn bodies_abreast_are_the_same_bits_as_one_alone() {
    let case = &golden()["cases"][2];
    let mut one = from_golden(case, vec![[0.0; 3]]);
    let mut many = from_golden(case, vec![[0.0; 3]; 23]);
    for ragdoll in [&mut one, &mut many] {
        run(ragdoll, 100);
    }
    let n = one.output.points.len();
    for body in 0..23 {
        assert_eq!(one.output.points, many.output.points[body * n..][..n], "body {body}");
    }
}

/// A stick figure of a limb: two bones that share a hinge line, and a free end.
fn limb() -> Order {
    let mut order = Order { bodies: vec![[0.0; 3]], ..Order::default() };
    for at in [[0.0, 2.0, 0.0], [0.0, 1.6, 0.0], [0.125, 1.6, 0.0], [0.0, 1.2, 0.0]] {
        order.points.push((at, 0.05, 1.0, [0.0; 3]));
    }
    for (a, b) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)] {
        order.links.push((a, b, 0, 0.0));
    }
    order.limits.push(([0, 0, 1, 2, 3, 0, 0], [0.0, 0.0, 0.0, 0.0, 2.4]));
    order
}

/// The flexion of the limb, radians.
fn flexion(ragdoll: &Ragdoll) -> f32 {
    let [a, j, x, b] = [0, 1, 2, 3].map(|p| point(ragdoll, 0, p));
    let axis = (x - j).normalize();
    let (u, v) = (axis.cross(j - a), axis.cross(b - j));
    u.cross(v).dot(axis).atan2(u.dot(v))
}

#[test]
fn a_hinge_does_not_bend_back() {
    for (seed, classic) in [(1, 0.0), (2, 0.0), (3, 0.0), (4, 1.0)] {
        let mut order = limb();
        for (i, point) in order.points.iter_mut().enumerate() {
            point.3 = std::array::from_fn(|c| 5.0 * signed(seed * 100 + i as u64 * 3 + c as u64));
        }
        let mut ragdoll = order.create(&set(&[("classic", classic)])).unwrap();
        let (mut least, mut most) = (0.0f32, 0.0f32);
        for _ in 0..600 {
            run(&mut ragdoll, 1);
            least = least.min(flexion(&ragdoll));
            most = most.max(flexion(&ragdoll));
        }
        println!("{seed}: {least} {most}");
        assert!(classic == 1.0 || least > -0.035, "{seed}: {least}");
        assert!(most < 2.5, "{seed}: {most}");
    }
}

#[test]
fn a_limb_without_gravity_keeps_its_momentum() {
    let mut order = limb();
    for (i, point) in order.points.iter_mut().enumerate() {
        point.0[1] += 3.0;
        point.3 = std::array::from_fn(|c| 3.0 * signed(7 + i as u64 * 3 + c as u64));
    }
    let mut ragdoll = order.create(&set(&[("classic", 0.0), ("velocityKeep", 1.0), ("damping", 0.1)])).unwrap();
    ragdoll.input.gravity = [0.0; 3];
    let momentum = |ragdoll: &mut Ragdoll| {
        let own = ragdoll.state.own(&ragdoll.build, 0);
        let (mut sum, mut moment) = (glam::DVec3::ZERO, glam::DVec3::ZERO);
        for p in 0..4 {
            let [at, was] = [&own.at, &own.was].map(|all| glam::Vec3::from_array(all[p].get(0)).as_dvec3());
            sum += (at - was) * 1200.0;
            moment += at.cross((at - was) * 1200.0);
        }
        (sum, moment)
    };
    let (sum, moment) = momentum(&mut ragdoll);
    run(&mut ragdoll, 60);
    let (after, turned) = momentum(&mut ragdoll);
    println!("{sum} {after} {moment} {turned}");
    assert!((sum - after).length() < 0.02 * sum.length());
    assert!((moment - turned).length() < 0.05 * moment.length());
}

#[test]
fn bodies_fall_asleep_and_wake() {
    let mut order = limb();
    order.bodies = vec![[0.0; 3], [3.0, 0.0, 0.0]];
    let mut ragdoll = order.create(&set(&[("classic", 0.0), ("damping", 0.05)])).unwrap();
    run(&mut ragdoll, 600);
    assert_eq!(ragdoll.output.states, [257, 257]);
    let hash = ragdoll.hash();
    let before = ragdoll.output.points.clone();
    run(&mut ragdoll, 60);
    assert_eq!(ragdoll.output.points, before);
    assert_ne!(ragdoll.hash(), hash, "time goes on");
    ragdoll.command(channels::HIT, &[1.0, 3.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0]).unwrap();
    run(&mut ragdoll, 10);
    assert_eq!(ragdoll.output.states, [257, 1]);
    assert_eq!(ragdoll.output.points[..12], before[..12]);
}

#[test]
fn far_from_the_origin_is_as_near_it() {
    let mut near = limb().create(&set(&[("classic", 0.0)])).unwrap();
    let mut order = limb();
    order.bodies = vec![[4096.0, 0.0, -2048.0]];
    let mut far = order.create(&set(&[("classic", 0.0)])).unwrap();
    run(&mut near, 120);
    run(&mut far, 120);
    for p in 0..4 {
        let off = point(&far, 0, p) - glam::Vec3::new(4096.0, 0.0, -2048.0) - point(&near, 0, p);
        // A number near 4096 is exact to 0.5 mm.
        assert!(off.length() < 1.5e-3, "{off}");
    }
}

#[test]
fn a_snapshot_goes_on_as_before() {
    let mut ragdoll = from_golden(&golden()["cases"][1], vec![[0.0; 3], [1.0, 2.0, 3.0]]);
    run(&mut ragdoll, 30);
    let bytes = save(&mut ragdoll);
    run(&mut ragdoll, 30);
    let hash = ragdoll.hash();
    restore(&mut ragdoll, &bytes).unwrap();
    run(&mut ragdoll, 30);
    assert_eq!(ragdoll.hash(), hash);
    ragdoll.reset();
    let mut fresh = from_golden(&golden()["cases"][1], vec![[0.0; 3], [1.0, 2.0, 3.0]]);
    run(&mut ragdoll, 60);
    run(&mut fresh, 60);
    assert_eq!(ragdoll.hash(), fresh.hash());
    assert!(restore(&mut ragdoll, &bytes[1..]).is_err());
}

#[test]
fn what_does_not_fit_is_refused() {
    let message = |order: &Order| order.create("").err().map(|error| error.to_string()).unwrap_or_default();
    let mut order = limb();
    order.links.push((0, 9, 0, 0.0));
    assert_eq!(message(&order), "invalid-option: links[5]: there is no point 9");
    let mut order = limb();
    order.points.iter_mut().for_each(|point| point.2 = 0.0);
    assert_eq!(message(&order), "invalid-option: points must have a mass: none of them can move");
    assert!(message(&Order { bodies: vec![[0.0; 3]], ..Order::default() }).contains("at least one"));
    let mut order = limb();
    order.points[1].0[0] = f32::NAN;
    assert!(message(&order).starts_with("invalid-input"));
    let mut order = limb();
    order.limits[0].0[3] = 1;
    assert!(message(&order).contains("limits[0]"));
}
