use crate::{Fault, Fit, Limits, Motion, fit};

/// Positions and normals of a sheet of `n × n` vertices over `frames` frames, from a function of place and time.
fn sheet(n: usize, frames: usize, place: impl Fn(f64, f64, f64) -> [f64; 3]) -> (Vec<f32>, Vec<f32>) {
    let mut positions = Vec::new();
    for frame in 0..frames {
        for v in 0..n * n {
            let place = place((v % n) as f64 / n as f64, (v / n) as f64 / n as f64, frame as f64 / frames as f64);
            positions.extend(place.map(|number| number as f32));
        }
    }
    let normals = positions.chunks(3).flat_map(|_| [0.0, 0.0, 1.0]).collect();
    (positions, normals)
}

/// The largest distance of what a fit shows from the positions, with the weights of `frame` between its keyframes.
fn furthest(fit: &Fit, frames: usize, positions: &[f32]) -> f64 {
    let numbers = positions.len() / frames;
    let targets = fit.wide.len();
    let mut most: f64 = 0.0;
    for frame in 0..frames {
        let next = fit.keyframes.iter().position(|&key| key as usize >= frame).unwrap();
        let [from, to] = [next.saturating_sub(1), next].map(|key| fit.keyframes[key] as usize);
        let share = if to > from { (frame - from) as f64 / (to - from) as f64 } else { 0.0 };
        for v in 0..numbers / 3 {
            let mut square = 0.0;
            for c in 0..3 {
                let number = v * 3 + c;
                let mut shown = f64::from(positions[number]);
                for k in 0..targets {
                    let weight = |at: usize| f64::from(fit.weights[at * targets + k]);
                    let largest = if fit.wide[k] == 1 { 32767.0 } else { 127.0 };
                    let delta = f64::from(fit.codes[k * numbers * 2 + number]) / largest * f64::from(fit.unit);
                    shown += (weight(from) * (1.0 - share) + weight(to) * share) * delta;
                }
                square += (shown - f64::from(positions[frame * numbers + number])).powi(2);
            }
            most = most.max(square.sqrt());
        }
    }
    most
}

fn limits(tolerance: f64, targets: usize) -> Limits {
    Limits { tolerance, targets }
}

#[test]
fn three_motions_take_three_targets() {
    let (positions, normals) = sheet(12, 40, |x, y, t| {
        let turn = t * std::f64::consts::TAU;
        [x + 0.3 * turn.sin() * y, y + 0.2 * (2.0 * turn).sin() * x * x, 0.4 * ((3.0 * turn).cos() - 1.0) * x * y]
    });
    let motion = Motion::new(40, &positions, &normals).unwrap();
    for tolerance in [0.02, 0.002, 0.0002] {
        let fit = fit(&motion, limits(tolerance, 64)).unwrap();
        assert!(fit.wide.len() <= 3, "{} targets", fit.wide.len());
        let off = furthest(&fit, 40, &positions);
        assert!(off <= tolerance && off > tolerance / 1000.0, "{off} of {tolerance}");
        assert!(fit.weights[..fit.wide.len()].iter().all(|&weight| weight == 0.0));
    }
}

#[test]
fn a_tolerance_is_a_bound() {
    // A pulse that runs through the sheet: of a high rank.
    let (positions, normals) =
        sheet(16, 60, |x, y, t| [x, y, 0.2 * (-(6.0 * (x + 0.3 * y) - 9.0 * t).powi(2)).exp() * (1.0 + y)]);
    let motion = Motion::new(60, &positions, &normals).unwrap();
    let mut before = 0;
    for tolerance in [0.05, 0.01, 0.002, 0.0005] {
        let fit = fit(&motion, limits(tolerance, 64)).unwrap();
        assert!(furthest(&fit, 60, &positions) <= tolerance);
        assert!(fit.wide.len() >= before);
        before = fit.wide.len();
    }
    let Err(Fault::Tolerance(off)) = fit(&motion, limits(0.0005, 3)) else { panic!("three targets cannot be enough") };
    assert!(off > 0.0005 && off < 0.4, "{off}");
}

#[test]
fn what_stands_still_takes_one_target_of_zeros_and_two_keyframes() {
    let (positions, normals) = sheet(4, 30, |x, y, _| [x, y, 0.0]);
    let motion = Motion::new(30, &positions, &normals).unwrap();
    let fit = fit(&motion, limits(0.001, 64)).unwrap();
    assert_eq!([fit.wide.len(), fit.keyframes.len()], [1, 2]);
    assert!(fit.codes.iter().all(|&code| code == 0) && fit.weights.iter().all(|&weight| weight == 0.0));
}

#[test]
fn a_long_way_and_a_straight_one_need_few_keyframes() {
    let (positions, normals) = sheet(4, 200, |x, y, t| [x, y + 900.0 * t, 0.0]);
    let motion = Motion::new(200, &positions, &normals).unwrap();
    let fit = fit(&motion, limits(0.02, 64)).unwrap();
    assert!(furthest(&fit, 200, &positions) <= 0.02);
    assert_eq!(fit.wide, [1]);
    assert!(fit.keyframes.len() < 10, "{:?}", fit.keyframes);
}

#[test]
fn a_way_that_is_too_long_for_all_targets_says_how_far_off_they_leave_it() {
    let (positions, normals) = sheet(4, 30, |x, y, t| [x, y + t * t * (1.0 + 0.37 * x * y), 0.0]);
    let motion = Motion::new(30, &positions, &normals).unwrap();
    let Err(Fault::Tolerance(off)) = fit(&motion, limits(1e-6, 1)) else {
        panic!("one target of 16 bits is too coarse")
    };
    assert!(off > 1e-6 && off < 0.001, "{off}");
    assert!(fit(&motion, limits(off * 1.1, 1)).is_ok());
}

#[test]
fn more_frames_than_are_looked_at_hold_too() {
    let (positions, normals) =
        sheet(3, 1500, |x, y, t| [x + 0.1 * (40.0 * t * x).sin(), y, 0.1 * (90.0 * t * y).cos()]);
    let motion = Motion::new(1500, &positions, &normals).unwrap();
    let fit = fit(&motion, limits(0.003, 64)).unwrap();
    assert!(furthest(&fit, 1500, &positions) <= 0.003);
}

#[test]
fn arrays_of_other_lengths_and_numbers_that_are_none_are_refused() {
    let refused = |frames, positions: &[f32], normals: &[f32]| Motion::new(frames, positions, normals).err();
    assert_eq!(refused(0, &[], &[]), Some(Fault::Length));
    assert_eq!(refused(2, &[0.0; 7], &[0.0; 7]), Some(Fault::Length));
    assert_eq!(refused(2, &[0.0; 6], &[0.0; 12]), Some(Fault::Length));
    assert_eq!(refused(2, &[0.0, 0.0, f32::INFINITY, 0.0, 0.0, 0.0], &[0.0; 6]), Some(Fault::NotFinite));
}
