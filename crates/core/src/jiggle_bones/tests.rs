//! Golden values come from `tests/golden/jiggle.json` and the cases; nothing here is taken from the code under test.

use super::*;
use crate::collider::STRIDE;
use crate::rng::signed;
use crate::simulation::begin;
use crate::snapshot::{restore, save};
use glam::{Mat4, Quat, Vec3};
use proptest::prelude::*;
use serde_json::Value;

/// What a test says of a joint.
#[derive(Clone)]
struct Bone {
    parent: Option<u32>,
    chain: u32,
    flags: u32,
    tip: Vec3,
    position: Vec3,
    rotation: Quat,
    scale: Vec3,
    factors: [f32; 5],
    gravity: Vec3,
    limit: [f32; 7],
}

const BONE: Bone = Bone {
    parent: None,
    chain: 0,
    flags: 0,
    tip: Vec3::Y,
    position: Vec3::ZERO,
    rotation: Quat::IDENTITY,
    scale: Vec3::ONE,
    factors: [1.0, 1.0, 1.0, 1.0, 1.0],
    gravity: Vec3::ZERO,
    limit: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
};

fn line(path: &str, value: f64) -> String {
    format!("{path}=n{:016x}\n", value.to_bits())
}

struct Rig {
    bones: Vec<Bone>,
    jiggle: JiggleBones,
}

impl Rig {
    fn new(bones: &[Bone], chains: &[[u32; 2]], centers: u32, options: &str) -> Self {
        let mut indices = vec![bones.len() as u32, chains.len() as u32, centers];
        let mut reals = Vec::new();
        for bone in bones {
            indices.extend([bone.parent.unwrap_or(NONE), bone.chain, bone.flags]);
            reals.extend(bone.tip.to_array());
            reals.extend(bone.factors);
            reals.extend(bone.gravity.to_array());
            reals.extend(bone.limit);
        }
        indices.extend(chains.iter().flatten());
        let jiggle = JiggleBones::create(options, &reals, &indices).unwrap();
        let mut rig = Rig { bones: bones.to_vec(), jiggle };
        for j in 0..bones.len() {
            rig.pose(j);
        }
        rig
    }

    /// A chain whose bones hang each at the tip of the one before.
    fn chain(offsets: &[Vec3], options: &str) -> Self {
        let bones: Vec<Bone> = (0..offsets.len())
            .map(|i| Bone {
                parent: (i > 0).then(|| i as u32 - 1),
                tip: offsets[i],
                position: if i > 0 { offsets[i - 1] } else { Vec3::ZERO },
                ..BONE
            })
            .collect();
        Rig::new(&bones, &[[0, NONE]], 0, options)
    }

    fn pose(&mut self, j: usize) {
        let bone = &self.bones[j];
        let slot = self.jiggle.slots[j] as usize;
        let (pose, lane) = (&mut self.jiggle.input.poses[slot / 4], slot % 4);
        pose.position.set(lane, bone.position.to_array());
        let [x, y, z, w] = bone.rotation.to_array();
        pose.rotation.v.set(lane, [x, y, z]);
        pose.rotation.w.as_mut_array()[lane] = w;
        pose.scale.set(lane, bone.scale.to_array());
    }

    fn turn(&mut self, j: usize, rotation: Quat) {
        self.bones[j].rotation = rotation;
        self.pose(j);
    }

    /// Puts all roots at `matrix`.
    fn place(&mut self, matrix: Mat4) {
        let roots = self.jiggle.roots.clone();
        for [_, slot] in roots.as_chunks::<2>().0 {
            put(&mut self.jiggle.input.parents, *slot, matrix);
        }
    }

    fn center(&mut self, matrix: Mat4) {
        put(&mut self.jiggle.input.centers, 0, matrix);
    }

    fn run(&mut self, dt: Option<f64>) -> u32 {
        let steps = begin(&mut self.jiggle, dt).unwrap();
        for _ in 0..steps {
            self.jiggle.fixed_step();
        }
        self.jiggle.finish();
        steps
    }

    fn rotation(&self, j: usize) -> Quat {
        let slot = self.jiggle.slots[j] as usize;
        let q = &self.jiggle.drawn[slot / 4].rotation;
        let [x, y, z] = q.v.get(slot % 4);
        Quat::from_xyzw(x, y, z, q.w.as_array()[slot % 4])
    }

    fn tip(&self, j: usize) -> Vec3 {
        self.jiggle.tip(j)
    }

    fn finite(&self) -> bool {
        let finite = |v: &V3| (0..4).all(|lane| v.get(lane).iter().all(|v| v.is_finite()));
        let drawn: &[f32] = bytemuck::cast_slice(&self.jiggle.drawn);
        self.jiggle.tips.iter().all(|tip| finite(&tip.head) && finite(&tip.at)) && drawn.iter().all(|v| v.is_finite())
    }
}

fn put(into: &mut [Affine], slot: u32, matrix: Mat4) {
    let (into, lane) = (&mut into[slot as usize / 4], slot as usize % 4);
    let [x, y, z, o] = matrix.to_cols_array_2d().map(|[x, y, z, _]| [x, y, z]);
    into.axes.x.set(lane, x);
    into.axes.y.set(lane, y);
    into.axes.z.set(lane, z);
    into.origin.set(lane, o);
}

fn golden() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/jiggle.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn vec3(v: &Value) -> Vec3 {
    let n = |i: usize| v[i].as_f64().unwrap() as f32;
    Vec3::new(n(0), n(1), n(2))
}

fn quat(v: &Value) -> Quat {
    let n = |i: usize| v[i].as_f64().unwrap() as f32;
    Quat::from_xyzw(n(0), n(1), n(2), n(3))
}

#[test]
fn the_golden_is_met() {
    for case in golden()["cases"].as_array().unwrap() {
        let offsets: Vec<Vec3> = case["restOffsets"].as_array().unwrap().iter().map(vec3).collect();
        let options = line("stiffness", case["stiffness"].as_f64().unwrap())
            + &line("damping", case["damping"].as_f64().unwrap())
            + "interpolate=f\n";
        let mut rig = Rig::chain(&offsets, &options);
        let gravity = case["gravityPerSubstep"].as_f64().unwrap() * 120.0 * 120.0;
        rig.jiggle.input.gravity = [0.0, -gravity as f32, 0.0];
        let substeps = case["substepsPerFrame"].as_f64().unwrap();
        for (f, frame) in case["frames"].as_array().unwrap().iter().enumerate() {
            rig.place(Mat4::from_rotation_translation(quat(&frame["quaternion"]), vec3(&frame["position"])));
            assert_eq!(f64::from(rig.run(Some(substeps / 120.0))), substeps);
            let expected = &case["expect"][f.to_string()];
            for j in 0..offsets.len() {
                if expected.is_null() {
                    break;
                }
                let off = (rig.tip(j) - vec3(&expected["tips"][j])).length();
                assert!(off < 1e-4, "frame {f}, tip {j}: {off}");
                let (q, of) = (rig.rotation(j), quat(&expected["quaternions"][j]));
                let of = if q.dot(of) < 0.0 { -of } else { of };
                let off =
                    (q - of).to_array().into_iter().fold(0.0f32, |most, v| if v.abs() > most { v.abs() } else { most });
                assert!(off < 1e-3, "frame {f}, quaternion {j}: {off}");
            }
        }
    }
}

const VRM_BONE: Bone = Bone { tip: Vec3::NEG_Y, ..BONE };

fn vrm(stiffness: f32, gravity: Vec3, center: u32) -> Rig {
    let bone = Bone { flags: 2, gravity, factors: [stiffness, 0.4, 1.0, 1.0, 0.0], ..VRM_BONE };
    Rig::new(&[bone], &[[1, center]], u32::from(center != NONE), &(line("chains.0.rate", 60.0) + "interpolate=f\n"))
}

fn close(a: Vec3, b: [f32; 3], within: f32) {
    assert!((a - Vec3::from_array(b)).length() < within, "{a:?} {b:?}");
}

#[test]
fn j14_vrm_gravity() {
    let mut rig = vrm(0.0, Vec3::X, NONE);
    for tail in
        [[0.016_664_352, -0.999_861_1, 0.0], [0.043_298_615, -0.999_062_2, 0.0], [0.075_834_62, -0.997_120_4, 0.0]]
    {
        rig.run(Some(1.0 / 60.0));
        close(rig.tip(0), tail, 1e-6);
    }
}

#[test]
fn j15_vrm_stiffness() {
    let mut rig = vrm(1.0, Vec3::ZERO, NONE);
    // The tail is at rest before the root moves: a call that runs no step sees the pose.
    rig.jiggle.tips[0].at = V3::splat([0.0, -1.0, 0.0]);
    rig.jiggle.tips[0].was = V3::splat([0.0, -1.0, 0.0]);
    (rig.jiggle.groups[0].fresh, rig.jiggle.fresh) = (false, false);
    rig.place(Mat4::from_translation(Vec3::new(0.1, 0.0, 0.0)));
    for step in 1..=10 {
        rig.run(Some(1.0 / 60.0));
        match step {
            1 => {
                close(rig.tip(0), [0.002_111_73, -0.995_197_4, 0.0], 1e-6);
                let q = rig.rotation(0);
                assert!((q.z + 0.049_003_006).abs() < 1e-6 && (q.w - 0.998_798_6).abs() < 1e-6, "{q:?}");
            }
            2 => close(rig.tip(0), [0.004_675_02, -0.995_446_2, 0.0], 1e-6),
            10 => close(rig.tip(0), [0.030_723_25, -0.997_597_5, 0.0], 1e-6),
            _ => {}
        }
    }
}

#[test]
fn j16_vrm_center() {
    let mut rig = vrm(1.0, Vec3::ZERO, 0);
    rig.jiggle.configure(&line("chains.0.inertia", 0.0)).unwrap();
    for frame in 0..200 {
        let at = Mat4::from_translation(Vec3::new(0.5 * frame as f32, 0.0, 0.0));
        rig.place(at);
        rig.center(at);
        rig.run(Some(1.0 / 60.0));
        assert_eq!(rig.tip(0) - at.transform_point3(Vec3::ZERO), Vec3::NEG_Y, "frame {frame}");
    }
}

#[test]
fn a_still_chain_hangs_still() {
    for rate in [240.0, 1000.0] {
        let mut rig = Rig::chain(&[Vec3::new(0.0, 0.1, 0.0), Vec3::new(0.05, 0.1, 0.0)], "");
        rig.place(Mat4::from_translation(Vec3::new(0.3, 1.2, -0.4)));
        (0..rate as usize * 10).for_each(|_| void(rig.run(Some(1.0 / rate))));
        let (mut low, mut high) = (rig.tip(0), rig.tip(0));
        for _ in 0..rate as usize * 10 {
            rig.run(Some(1.0 / rate));
            (low, high) = (low.min(rig.tip(0)), high.max(rig.tip(0)));
        }
        assert!((high - low).length() < 1e-6, "{rate}: {}", high - low);
    }
}

fn void<T>(_: T) {}

/// Angle of a bone of a 0.1 m chain from upright, in a plane.
fn lean(rig: &Rig, root: Vec3) -> f32 {
    let d = rig.tip(0) - root;
    d.x.atan2(d.y)
}

#[test]
fn j1_the_frequency_does_not_depend_on_the_frame_rate() {
    let mut seen: Vec<(f64, f32)> = Vec::new();
    for rate in [30, 60, 120, 240] {
        let mut rig = Rig::chain(&[Vec3::new(0.0, 0.1, 0.0)], &(line("damping", 0.005)));
        rig.jiggle.input.gravity = [0.0; 3];
        rig.run(Some(1.0 / 120.0));
        // Released: the pose springs back upright from a lean of 0.2.
        rig.turn(0, Quat::from_rotation_z(-0.2));
        rig.jiggle.reset();
        rig.run(Some(1.0 / 120.0));
        rig.turn(0, Quat::IDENTITY);
        rig.jiggle.command(channels::CARRY, &[]).unwrap();
        let (mut zeros, mut last, mut most) = (Vec::new(), 0.0f32, 0.0f32);
        for frame in 0..2 * rate {
            for _ in 0..begin(&mut rig.jiggle, Some(1.0 / f64::from(rate))).unwrap() {
                rig.jiggle.fixed_step();
                let now = lean(&rig, Vec3::ZERO);
                let time = rig.jiggle.clock.time();
                if last < 0.0 && now >= 0.0 {
                    zeros.push(time - 1.0 / 120.0 * f64::from(now / (now - last)));
                }
                last = now;
                if frame >= rate && now > most {
                    most = now;
                }
            }
            rig.jiggle.finish();
        }
        let period = (zeros[zeros.len() - 1] - zeros[0]) / (zeros.len() - 1) as f64;
        seen.push((period, most));
    }
    for (period, most) in &seen {
        assert!((period / seen[0].0 - 1.0).abs() < 0.005, "{seen:?}");
        assert!((most / seen[0].1 - 1.0).abs() < 0.02, "{seen:?}");
    }
}

/// Tips after whole seconds, at a frame rate, for a driver of the root.
fn driven(rate: f64, jitter: f64, root: impl Fn(f64) -> Vec3) -> Vec<Vec3> {
    let mut rig = Rig::chain(&[Vec3::new(0.0, 0.1, 0.0), Vec3::new(0.0, 0.1, 0.0)], "");
    let mut tips = Vec::new();
    let (mut t, mut frame, mut second) = (0.0, 0u64, 1.0);
    rig.place(Mat4::from_translation(root(0.0)));
    rig.run(Some(0.0));
    while second <= 4.0 {
        let dt = (1.0 + jitter * f64::from(signed(frame))) / rate;
        let next = if t + dt > second - 1e-9 { second } else { t + dt };
        rig.place(Mat4::from_translation(root(next)));
        rig.run(Some(next - t));
        if next == second {
            tips.extend([rig.tip(0), rig.tip(1)]);
            second += 1.0;
        }
        (t, frame) = (next, frame + 1);
    }
    tips
}

#[test]
fn tips_do_not_depend_on_the_frame_rate() {
    let smooth = |t: f64| Vec3::new(0.1 * (t * 4.0 * std::f64::consts::PI).sin() as f32, 1.0, 0.0);
    let linear = |t: f64| {
        let frame = (t * 30.0 + 1e-9).floor();
        smooth(frame / 30.0).lerp(smooth((frame + 1.0) / 30.0), (t * 30.0 - frame) as f32)
    };
    let compare = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).fold(0.0f32, |most, (a, b)| most.max((*a - *b).length()));
    // Exact: what a driver at 1920 Hz gives.
    let (exact_linear, exact_smooth) = (driven(1920.0, 0.0, linear), driven(1920.0, 0.0, smooth));
    for rate in [30.0, 60.0, 120.0, 240.0] {
        let off = compare(&driven(rate, 0.0, linear), &exact_linear);
        assert!(off < 1e-3 * 0.1, "{rate} Hz, piecewise linear: {off}");
    }
    for (rate, jitter, within) in
        [(30.0, 0.0, 2.5e-2), (144.0, 0.0, 1e-3), (240.0, 0.0, 1e-3), (240.0, 0.5, 1e-3), (60.0, 0.5, 2.5e-2)]
    {
        let off = compare(&driven(rate, jitter, smooth), &exact_smooth);
        assert!(off < within * 0.1, "{rate} Hz ± {jitter}, smooth: {off}");
    }
}

#[test]
fn j5_the_scale_of_the_rig_does_not_matter() {
    let angles = |scale: f32| {
        let bone = Bone { tip: Vec3::new(0.0, 0.2, 0.0) / scale, ..BONE };
        let child = Bone { parent: Some(0), position: bone.tip, tip: Vec3::new(0.05, 0.1, 0.0) / scale, ..BONE };
        let mut rig = Rig::new(&[bone, child], &[[0, NONE]], 0, "");
        let mut seen = Vec::new();
        for frame in 0..180 {
            let t = frame as f32 / 60.0;
            let at = Vec3::new(0.2 * (9.0 * t).sin(), 1.0, 0.0);
            rig.place(Mat4::from_scale_rotation_translation(Vec3::splat(scale), Quat::from_rotation_x(t), at));
            rig.run(Some(1.0 / 60.0));
            seen.extend([rig.rotation(0), rig.rotation(1)]);
        }
        seen
    };
    let plain = angles(1.0);
    for scale in [0.01, 10.0] {
        for (a, b) in angles(scale).iter().zip(&plain) {
            assert!((*a * b.inverse()).to_scaled_axis().length() < 1e-4, "{scale}: {a:?} {b:?}");
        }
    }
}

#[test]
fn j7_a_jump_does_not_swing() {
    for announced in [true, false] {
        let mut rig = Rig::chain(&[Vec3::new(0.0, 0.1, 0.0)], "");
        rig.jiggle.input.gravity = [0.0; 3];
        (0..30).for_each(|_| void(rig.run(Some(1.0 / 60.0))));
        let jump = Mat4::from_rotation_translation(Quat::from_rotation_z(1.0), Vec3::new(100.0, 0.0, 0.0));
        if announced {
            rig.jiggle.teleport(&jump.to_cols_array()).unwrap();
        }
        rig.place(jump);
        rig.run(Some(1.0 / 60.0));
        let swing = rig.rotation(0).to_axis_angle().1;
        assert!(swing < 5e-4, "{announced}: {swing}");
    }
}

#[test]
fn j8_a_stall_is_bounded() {
    let mut rig = Rig::chain(&[Vec3::new(0.0, 0.1, 0.0)], "");
    rig.run(Some(1.0 / 60.0));
    rig.place(Mat4::from_translation(Vec3::new(0.05, 0.0, 0.0)));
    assert_eq!(rig.run(Some(60.0)), 8);
    assert!(rig.finite());
    let energy = lean(&rig, Vec3::new(0.05, 0.0, 0.0)).abs();
    assert!(energy < 0.5);
}

#[test]
fn j10_the_awkward_is_finite_and_holds_its_length() {
    // A bone without length between two with one.
    let offsets = [Vec3::new(0.0, 0.2, 0.0), Vec3::ZERO, Vec3::new(0.0, 0.1, 0.0)];
    let mut rig = Rig::chain(&offsets, "");
    // A collider in the tip.
    rig.jiggle.command(channels::SET_COLLIDERS, &ball(Vec3::new(0.0, 0.2, 0.0), 0.05)).unwrap();
    for frame in 0..120 {
        rig.place(Mat4::from_rotation_z(frame as f32 * 0.1));
        rig.run(Some(1.0 / 60.0));
        assert!(rig.finite());
        assert!((rig.tip(0).length() - 0.2).abs() < 1e-6);
        assert!(((rig.tip(2) - rig.tip(0)).length() - 0.1).abs() < 1e-6);
    }
    // Tip exactly opposite to rest.
    let mut rig = Rig::chain(&[Vec3::new(0.0, 0.2, 0.0)], &(line("stiffness", 0.0) + "interpolate=f\n"));
    rig.jiggle.input.gravity = [0.0; 3];
    rig.run(Some(1.0 / 60.0));
    rig.jiggle.tips[0].at = V3::splat([0.0, -0.2, 0.0]);
    rig.jiggle.tips[0].was = rig.jiggle.tips[0].at;
    rig.run(Some(1.0 / 60.0));
    assert!(rig.finite());
    let down = rig.rotation(0) * Vec3::Y;
    assert!((down + Vec3::Y).length() < 1e-6, "{down}");
}

fn ball(center: Vec3, radius: f32) -> Vec<f32> {
    let mut numbers = vec![0.0; STRIDE + 1];
    numbers[1..4].copy_from_slice(&center.to_array());
    numbers[7] = radius;
    numbers
}

#[test]
fn tips_stay_out_of_colliders_and_keep_their_length() {
    let mut rig = Rig::chain(&[Vec3::new(0.0, -0.2, 0.0), Vec3::new(0.0, -0.2, 0.0)], &line("chains.0.radius", 0.02));
    rig.jiggle.command(channels::SET_COLLIDERS, &ball(Vec3::new(0.12, -0.3, 0.0), 0.1)).unwrap();
    for frame in 0..600 {
        let root = Vec3::new(0.15 * (frame as f32 * 0.05).sin(), 0.0, 0.0);
        rig.place(Mat4::from_translation(root));
        rig.run(Some(1.0 / 60.0));
        for j in 0..2 {
            let deep = 0.12 - (rig.tip(j) - Vec3::new(0.12, -0.3, 0.0)).length();
            assert!(deep < 2e-4, "frame {frame}, tip {j}: {deep}");
        }
        assert!(((rig.tip(0) - root).length() - 0.2).abs() < 1e-6);
    }
}

#[test]
fn a_collider_is_for_the_chains_that_are_named() {
    let bones = [Bone { tip: Vec3::NEG_Y, ..BONE }, Bone { tip: Vec3::NEG_Y, chain: 1, ..BONE }];
    let mut rig = Rig::new(&bones, &[[0, NONE]; 2], 0, "");
    rig.jiggle.command(channels::SET_COLLIDERS, &ball(Vec3::new(0.1, -1.0, 0.0), 0.5)).unwrap();
    rig.jiggle.command(channels::SET_COLLIDER_CHAINS, &[0.0, 1.0]).unwrap();
    (0..60).for_each(|_| void(rig.run(Some(1.0 / 60.0))));
    close(rig.tip(0), [0.0, -1.0, 0.0], 1e-5);
    assert!(rig.tip(1).x < -0.3);
    assert!(rig.jiggle.command(channels::SET_COLLIDER_CHAINS, &[0.0, 2.0]).is_err());
    assert!(rig.jiggle.command(channels::SET_COLLIDER_CHAINS, &[1.0, 0.0]).is_err());
}

#[test]
fn j19_a_steady_run_does_not_stutter() {
    for rate in [144.0, 240.0] {
        let mut rig = Rig::chain(&[Vec3::new(0.0, 0.1, 0.0)], "");
        let mut last: Option<Quat> = None;
        for frame in 0..rate as u32 * 6 {
            rig.place(Mat4::from_translation(Vec3::new(3.0 * frame as f32 / rate as f32, 0.0, 0.0)));
            rig.run(Some(1.0 / rate));
            if frame > rate as u32 * 4 {
                let q = rig.rotation(0);
                if let Some(last) = last {
                    let step = (q * last.inverse()).to_scaled_axis().length();
                    assert!(step < 1e-3, "{rate}: {step}");
                }
                last = Some(q);
            }
        }
    }
}

#[test]
fn chains_of_other_rates_run_beside() {
    let bones = [BONE, Bone { chain: 1, ..BONE }, Bone { chain: 2, ..BONE }];
    let options = line("chains.0.rate", 60.0) + &line("chains.1.rate", 240.0) + &line("chains.2.rate", 90.0);
    let mut rig = Rig::new(&bones, &[[0, NONE]; 3], 0, &options);
    for frame in 0..60 {
        rig.place(Mat4::from_translation(Vec3::new((frame as f32 * 0.3).sin() * 0.2, 0.0, 0.0)));
        assert_eq!(rig.run(Some(1.0 / 60.0)), 4);
    }
    let steps: Vec<u64> = rig.jiggle.groups.iter().map(|group| group.steps).collect();
    assert_eq!(steps, [240, 90, 60]);
    assert!((rig.jiggle.clock.time() - 1.0).abs() < 1e-9);
    // All have the same spring.
    let tips = [0, 1, 2].map(|j| rig.tip(j));
    assert!((tips[0] - tips[1]).length() < 0.05 && (tips[1] - tips[2]).length() < 0.05, "{tips:?}");
    // One step of the fastest is time for the others too.
    (0..240).for_each(|_| assert_eq!(rig.run(None), 1));
    let steps: Vec<u64> = rig.jiggle.groups.iter().map(|group| group.steps).collect();
    assert_eq!(steps, [480, 180, 120]);
}

#[test]
fn a_branch_hangs_on_its_bone() {
    let up = Vec3::new(0.0, 0.2, 0.0);
    let side = |x: f32, parent| Bone { parent: Some(parent), position: up, tip: Vec3::new(x, 0.1, 0.0), ..BONE };
    let bones = [
        Bone { tip: up, ..BONE },
        side(0.1, 0),
        side(-0.1, 0),
        Bone { tip: up, chain: 1, parent: Some(2), position: up, ..BONE },
    ];
    let mut rig = Rig::new(&bones, &[[0, NONE]; 2], 0, "");
    for frame in 0..300 {
        let root = Vec3::new(0.2 * (frame as f32 * 0.2).sin(), 0.0, 0.0);
        rig.place(Mat4::from_translation(root));
        rig.run(Some(1.0 / 60.0));
        let length = Vec3::new(0.1, 0.1, 0.0).length();
        assert!(((rig.tip(1) - rig.tip(0)).length() - length).abs() < 1e-6);
        assert!(((rig.tip(2) - rig.tip(0)).length() - length).abs() < 1e-6);
        assert!(((rig.tip(0) - root).length() - 0.2).abs() < 1e-6);
    }
    // Mirror images swing alike up to the motion's direction; the drawn tips end where the bones say.
    let shown = rig.jiggle.command(channels::READ_TIPS, &[]).unwrap();
    for j in 0..4 {
        let [head, tip] = [0, 3].map(|i| Vec3::from_slice(&shown[j * 7 + i..]));
        assert!(((tip - head).length() - bones[j].tip.length()).abs() < 1e-6);
    }
    let joint = |j: usize, i: usize| Vec3::from_slice(&shown[j * 7 + i..]);
    assert!((joint(1, 0) - joint(0, 3)).length() < 1e-6);
    assert!((joint(2, 0) - joint(0, 3)).length() < 1e-6);
}

#[test]
fn a_nested_chain_needs_the_same_rate() {
    let bones = [BONE, Bone { parent: Some(0), chain: 1, ..BONE }];
    let indices = [2, 2, 0, NONE, 0, 0, 0, 1, 0, 0, NONE, 0, NONE];
    let mut reals = Vec::new();
    for bone in bones {
        reals.extend(bone.tip.to_array());
        reals.extend(bone.factors);
        reals.extend(bone.gravity.to_array());
        reals.extend(bone.limit);
    }
    let error = JiggleBones::create(&line("chains.1.rate", 60.0), &reals, &indices).unwrap_err();
    assert_eq!(error.to_string(), "invalid-option: chains.1.rate must be that of chain 0, on which it hangs");
}

#[test]
fn mirrored_and_uneven_parents_keep_the_tip_on_the_bone() {
    for scale in [Vec3::new(-1.0, 1.0, 1.0), Vec3::new(1.0, 2.0, 0.5), Vec3::new(-0.3, 1.0, -2.0)] {
        let mut rig = Rig::chain(&[Vec3::new(0.02, 0.2, 0.0), Vec3::new(0.0, 0.1, 0.03)], "interpolate=f\n");
        for frame in 0..240 {
            let t = frame as f32 / 60.0;
            let at = Vec3::new(0.1 * (8.0 * t).sin(), 1.0, 0.0);
            let root = Mat4::from_rotation_translation(Quat::from_rotation_y(0.5), at) * Mat4::from_scale(scale);
            rig.place(root);
            rig.run(Some(1.0 / 120.0));
            // The bone's matrix takes its tip to where the tip is.
            let one = root * Mat4::from_quat(rig.rotation(0));
            let two = one * Mat4::from_rotation_translation(rig.rotation(1), Vec3::new(0.02, 0.2, 0.0));
            assert!((one.transform_point3(Vec3::new(0.02, 0.2, 0.0)) - rig.tip(0)).length() < 2e-6, "{scale}");
            assert!((two.transform_point3(Vec3::new(0.0, 0.1, 0.03)) - rig.tip(1)).length() < 2e-6, "{scale}");
        }
    }
}

#[test]
fn j13_a_long_run_does_not_turn_the_bone_away() {
    let bone = Bone {
        tip: Vec3::new(0.1, 0.02, -0.1),
        rotation: Quat::from_euler(glam::EulerRot::XYZ, 0.4, -1.1, 2.0),
        ..BONE
    };
    let mut rig = Rig::new(std::slice::from_ref(&bone), &[[0, NONE]], 0, "");
    rig.jiggle.input.gravity = [0.0; 3];
    for frame in 0..6000 {
        let t = frame as f32 / 60.0;
        rig.turn(0, bone.rotation * Quat::from_rotation_x(0.3 * (t * 3.0).sin()));
        rig.place(Mat4::from_translation(Vec3::new(0.1 * (7.0 * t).sin(), 0.0, 0.0)));
        rig.run(Some(1.0 / 60.0));
    }
    rig.turn(0, bone.rotation);
    (0..1200).for_each(|_| void(rig.run(Some(1.0 / 60.0))));
    let off = (rig.rotation(0) * bone.rotation.inverse()).to_scaled_axis().length();
    assert!(off < 1e-4, "{off}");
}

#[test]
fn limits_hold_while_it_swings() {
    let bone = Bone { tip: Vec3::new(0.0, 0.2, 0.0), limit: [1.0, 0.3, 0.0, 0.0, 0.0, 0.0, 1.0], ..BONE };
    let mut rig = Rig::new(&[bone], &[[0, NONE]], 0, &line("stiffness", 0.001));
    for frame in 0..240 {
        let root = Vec3::new(0.3 * (frame as f32 * 0.3).sin(), 0.0, 0.0);
        rig.place(Mat4::from_translation(root));
        rig.run(Some(1.0 / 60.0));
        let angle = (rig.tip(0) - root).angle_between(Vec3::Y);
        assert!(angle < 0.3 + 1e-4, "{angle}");
    }
}

#[test]
fn a_snapshot_goes_on_with_the_same_bits() {
    let mut rig = Rig::chain(&[Vec3::new(0.0, 0.2, 0.0), Vec3::new(0.0, 0.1, 0.0)], "");
    let drive = |rig: &mut Rig, frame: u32| {
        rig.place(Mat4::from_translation(Vec3::new(0.2 * (frame as f32 * 0.2).sin(), 0.0, 0.0)));
        rig.run(Some(1.0 / 50.0));
    };
    (0..50).for_each(|frame| drive(&mut rig, frame));
    let saved = save(&mut rig.jiggle);
    (50..100).for_each(|frame| drive(&mut rig, frame));
    let hash = rig.jiggle.hash();
    let shown = rig.jiggle.drawn.clone();
    restore(&mut rig.jiggle, &saved).unwrap();
    assert_eq!(save(&mut rig.jiggle), saved);
    (50..100).for_each(|frame| drive(&mut rig, frame));
    assert_eq!((rig.jiggle.hash(), &rig.jiggle.drawn), (hash, &shown));
    // What is not a snapshot changes nothing.
    let before = save(&mut rig.jiggle);
    let mut bad = saved.clone();
    let end = bad.len() - 4;
    bad[end..].copy_from_slice(&f32::NAN.to_le_bytes());
    for bytes in [&[][..], &saved[..saved.len() - 4], &bad] {
        assert!(restore(&mut rig.jiggle, bytes).is_err());
    }
    assert_eq!(save(&mut rig.jiggle), before);
    // Another start, the same frames, the same bits.
    rig.jiggle.reset();
    (0..100).for_each(|frame| drive(&mut rig, frame));
    assert_eq!(rig.jiggle.hash(), hash);
}

#[test]
fn issue_a_vrm_child_began_at_rest_on_a_parent_that_had_stepped() {
    let bone = Bone { tip: Vec3::new(0.0, -0.2, 0.0), factors: [0.0, 0.4, 1.0, 1.0, 1.0], ..BONE };
    let child = Bone { parent: Some(0), position: bone.tip, ..bone.clone() };
    let options = line("chains.0.rate", 60.0) + "interpolate=f\n";
    let mut rig = Rig::new(&[bone, child], &[[1, NONE]], 0, &options);
    rig.jiggle.input.gravity = [0.0; 3];
    // Pushes the first tip aside in the first step; the second, on which nothing acts, only keeps its length.
    rig.jiggle.command(channels::SET_COLLIDERS, &ball(Vec3::new(0.05, -0.2, 0.0), 0.1)).unwrap();
    rig.run(Some(1.0 / 60.0));
    let pushed = rig.tip(0);
    assert!(pushed.x < -0.04);
    let at = Vec3::new(0.0, -0.4, 0.0);
    let expected = pushed + (at - pushed).normalize() * 0.2;
    assert!((rig.tip(1) - expected).length() < 1e-6, "{} {expected}", rig.tip(1));
}

#[test]
fn wind_blows_the_same_gusts_for_the_same_seed() {
    let blown = |seed: f64| {
        let mut rig = Rig::chain(&[Vec3::new(0.0, -0.3, 0.0)], &line("seed", seed));
        rig.jiggle.input.wind = [3.0, 0.0, 0.0];
        (0..300).for_each(|_| void(rig.run(Some(1.0 / 60.0))));
        (rig.tip(0), rig.jiggle.hash())
    };
    // With the sheet's spring 3 m/s² lift it by 3 / 120² / 0.028 m, if the gusts are at their mean.
    assert!((0.004..0.012).contains(&blown(1.0).0.x));
    assert_eq!(blown(1.0), blown(1.0));
    assert_ne!(blown(1.0).1, blown(2.0).1);
}

#[test]
fn options_say_what_is_wrong() {
    let mut rig = Rig::chain(&[Vec3::Y], "");
    let refusal = |rig: &mut Rig, text: &str| rig.jiggle.configure(text).unwrap_err().to_string();
    assert_eq!(
        refusal(&mut rig, &line("stiffness", 2.0)),
        "invalid-option: stiffness must be a number from 0 to 1, got 2"
    );
    assert_eq!(
        refusal(&mut rig, &line("chains.0.radius", -1.0)),
        "invalid-option: chains.0.radius must be a number from 0 to 1000 (m), got -1"
    );
    assert!(refusal(&mut rig, &line("chains.0.rate", 60.0)).contains("fixed"));
    assert!(refusal(&mut rig, &line("chains.4.radius", 0.0)).contains("there are 1 chains"));
    assert!(rig.jiggle.options().contains("\"chains\":[{\"stiffness\":null"));
    assert!(JiggleBones::create("", &[], &[0, 0, 0]).is_err());
    assert!(JiggleBones::create("", &[], &[]).is_err());
    assert!(JiggleBones::create("", &[0.0; 18], &[1, 1, 0, 0, 0, 0, 0, NONE]).is_err(), "a joint on itself");
}

#[test]
fn a_bad_matrix_is_refused_and_nothing_moves() {
    let mut rig = Rig::chain(&[Vec3::Y], "");
    rig.run(Some(0.1));
    let before = save(&mut rig.jiggle);
    rig.jiggle.input.parents[0].axes.y.x = splat(f32::NAN);
    assert!(begin(&mut rig.jiggle, Some(0.1)).unwrap_err().to_string().contains("world matrices above the bones"));
    rig.jiggle.input.parents[0].axes.y.x = F4::ZERO;
    assert_eq!(save(&mut rig.jiggle), before);
    rig.jiggle.input.poses[0].rotation.v.y = splat(f32::INFINITY);
    assert!(begin(&mut rig.jiggle, Some(0.1)).unwrap_err().to_string().contains("of each bone"));
}

/// A random rig, shaken.
fn shaken(seed: u64, frames: u32) {
    let mut n = seed.wrapping_mul(1000);
    let mut random = || {
        n += 1;
        signed(n)
    };
    let count = 1 + (seed % 6) as usize;
    let size = [0.0, 1e-3, 0.1, 1.0, 50.0, 1e3][(seed / 6 % 6) as usize];
    let mut bones: Vec<Bone> = Vec::new();
    for i in 0..count {
        let v = |r: &mut dyn FnMut() -> f32| Vec3::new(r(), r(), r());
        let parent =
            (i > 0).then(|| if random() > 0.3 { i as u32 - 1 } else { ((random() + 1.0) * 0.49 * i as f32) as u32 });
        let limit = [
            ((random() + 1.0) * 2.0).floor(),
            random().abs() * 3.0,
            random().abs(),
            random(),
            random(),
            random(),
            random(),
        ];
        bones.push(Bone {
            parent,
            tip: v(&mut random) * size * if random() > 0.8 { 0.0 } else { 1.0 },
            position: v(&mut random) * size,
            rotation: Quat::from_xyzw(random(), random(), random(), random() + 1e-3).normalize(),
            scale: if random() > 0.0 { Vec3::ONE } else { v(&mut random) * 2.0 },
            factors: [random().abs() * 3.0, random().abs() * 2.0, random() * 3.0, 1.0, 1.0],
            limit,
            ..BONE
        });
    }
    let options = line("chains.0.radius", f64::from(random().abs()));
    let mut rig = Rig::new(&bones, &[[0, NONE]], 0, &options);
    let mut colliders = Vec::new();
    for kind in [0.0, 1.0, 2.0, 3.0, 4.0, 8.0, 9.0, 12.0] {
        if random() > 0.6 {
            let mut numbers: Vec<f32> = (0..STRIDE + 1).map(|_| random() * size).collect();
            numbers[0] = kind;
            if kind == 2.0 {
                numbers[1..4].copy_from_slice(&[0.0, 1.0, 0.0]);
            }
            if kind == 4.0 || kind == 12.0 {
                (4..7).for_each(|i| numbers[i] = numbers[i].abs());
                numbers[9..13].copy_from_slice(&[0.0, 0.0, 0.6, 0.8]);
            }
            (numbers[7], numbers[8]) = (numbers[7].abs(), random().abs());
            numbers[9] = if kind == 3.0 { numbers[9].abs() } else { numbers[9] };
            colliders.extend(numbers);
        }
    }
    rig.jiggle.command(channels::SET_COLLIDERS, &colliders).unwrap();
    rig.jiggle.input.wind = [random() * 10.0, 0.0, random() * 10.0];
    let spin = random() * 0.3;
    for frame in 0..frames {
        let at = Vec3::new(random(), random(), random()) * size * 0.2;
        let scale = if seed.is_multiple_of(3) { Vec3::new(1.0, -2.0, 0.5) } else { Vec3::ONE };
        let root = Mat4::from_scale_rotation_translation(scale, Quat::from_rotation_y(spin * frame as f32), at);
        rig.place(root);
        rig.run(Some(1.0 / 60.0));
        assert!(rig.finite(), "seed {seed}");
        assert_eq!(rig.jiggle.status[0], 0, "seed {seed}");
        if frame % 20 != 19 {
            continue;
        }
        // Drawn bones have the lengths of their poses, whatever happened.
        let shown = rig.jiggle.command(channels::READ_TIPS, &[]).unwrap();
        let mut worlds: Vec<Mat4> = Vec::new();
        for (j, bone) in bones.iter().enumerate() {
            let parent = bone.parent.map_or(root, |p| worlds[p as usize]);
            let local = Mat4::from_scale_rotation_translation(bone.scale, rig.rotation(j), bone.position);
            worlds.push(parent * local);
            let q = rig.rotation(j);
            assert!((q.length() - 1.0).abs() < 1e-5, "seed {seed}: {q:?}");
            let [head, tip] = [0, 3].map(|i| Vec3::from_slice(&shown[j * 7 + i..]));
            let (h, t) = (worlds[j].transform_point3(Vec3::ZERO), worlds[j].transform_point3(bone.tip));
            let reach = 1e-3 * (size + t.length() + h.length()) + 1e-6;
            assert!((head - h).length() < reach && (tip - t).length() < reach, "seed {seed}, bone {j}: {tip} {t}");
        }
    }
}

/// Two halves, so that two cores share them.
#[test]
fn random_rigs_stay_finite_and_hold_their_lengths() {
    (0..50_000).for_each(|seed| shaken(seed, 60));
}

#[test]
fn more_random_rigs_stay_finite_and_hold_their_lengths() {
    (50_000..100_000).for_each(|seed| shaken(seed, 60));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn any_rig_stays_finite(seed in any::<u32>()) {
        shaken(u64::from(seed), 60);
    }
}
