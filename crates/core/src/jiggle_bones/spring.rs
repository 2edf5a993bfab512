//! What a step's stiffness and damping are, in either form and at any rate.

use crate::number::{arccosine, exp, ln, sin_cos};

/// Steps a second for which the sheet gives stiffness and damping.
pub const SHEET_RATE: f64 = 120.0;

/// A spring in the sheet's form or in a physical one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Part of the way back that 1/120 s takes.
    pub stiffness: f64,
    /// Part of the velocity lost in 1/120 s.
    pub damping: f64,
    /// Hz, instead of the stiffness.
    pub frequency: Option<f64>,
    /// Instead of the damping.
    pub damping_ratio: Option<f64>,
}

impl Spring {
    /// Stiffness and the part of the velocity that is kept, of a step of 1/`rate` s.
    ///
    /// A step moves the tip by `x' = A (x + B (x − x before))` about its rest, A = 1 − stiffness and B = 1 − damping: the
    /// roots of z² − A (1 + B) z + A B are what a step does to the two modes of motion. A damped oscillator of angular
    /// frequency ω and damping ratio ζ has z = exp((−ζ ± √(ζ² − 1)) ω / rate). Matching both makes frequency and decay
    /// exactly the same at every rate.
    pub fn step(&self, rate: f64) -> (f32, f32) {
        let within = |v: f64| v.clamp(0.0, 1.0);
        let (a, b) = (1.0 - within(self.stiffness), 1.0 - within(self.damping));
        if self.frequency.is_none() && self.damping_ratio.is_none() && rate == SHEET_RATE {
            return (within(self.stiffness) as f32, b as f32);
        }
        // Of the sheet's numbers: the modes' decay and, squared, what they turn by (below 0 for what does not swing).
        let size = (a * b).sqrt().max(1e-6);
        let decay = -ln(size) * SHEET_RATE;
        let cos = a * (1.0 + b) / 2.0 / size;
        let turn = if cos < 1.0 { arccosine(cos) } else { ln(cos + (cos * cos - 1.0).sqrt()) };
        let swing = turn * turn * SHEET_RATE * SHEET_RATE * if cos < 1.0 { 1.0 } else { -1.0 };

        let omega = self.frequency.map_or((decay * decay + swing).max(0.0).sqrt(), |f| f * std::f64::consts::TAU);
        let ratio = self.damping_ratio.unwrap_or(if omega > 0.0 { decay / omega } else { 0.0 });
        let (decay, swing) = if self.frequency.is_none() && self.damping_ratio.is_none() {
            (decay, swing)
        } else {
            (ratio * omega, omega * omega * (1.0 - ratio * ratio))
        };
        let size = exp(-decay / rate);
        let turn = swing.abs().sqrt() / rate;
        let cos = if swing >= 0.0 { sin_cos(turn).1 } else { (exp(turn) + exp(-turn)) / 2.0 };
        // Faster than a step can follow: as stiff as it gets.
        let a = 2.0 * size * cos - size * size;
        if a <= 1e-6 || turn > 1.5 && swing >= 0.0 {
            return (1.0, 0.0);
        }
        ((1.0 - a) as f32, (size * size / a) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(stiffness: f64, damping: f64) -> Spring {
        Spring { stiffness, damping, frequency: None, damping_ratio: None }
    }

    /// Times at which the swing passes 0 upwards, and the largest swing after each, in f64.
    fn swings((stiffness, keep): (f32, f32), rate: f64) -> (Vec<f64>, Vec<f64>) {
        let (a, b) = (1.0 - f64::from(stiffness), f64::from(keep));
        let (mut x, mut before) = (1.0f64, 1.0f64);
        let (mut zeros, mut peaks) = (Vec::new(), Vec::new());
        for step in 1..(rate * 4.0) as usize {
            let next = a * (x + b * (x - before));
            if x < 0.0 && next >= 0.0 {
                zeros.push((step as f64 - 1.0 + x / (x - next)) / rate);
                peaks.push(0.0);
            }
            if let Some(peak) = peaks.last_mut() {
                *peak = next.max(*peak);
            }
            (before, x) = (x, next);
        }
        (zeros, peaks)
    }

    #[test]
    fn the_sheets_numbers_stay_at_its_rate() {
        assert_eq!(sheet(0.028, 0.04).step(120.0), (0.028, 0.96));
    }

    #[test]
    fn any_rate_swings_alike() {
        let (zeros, peaks) = swings(sheet(0.028, 0.01).step(120.0), 120.0);
        for rate in [60.0, 90.0, 240.0, 1000.0] {
            let (other, other_peaks) = swings(sheet(0.028, 0.01).step(rate), rate);
            assert!((zeros[3] - zeros[2] - other[3] + other[2]).abs() < 1e-3, "{rate}");
            let decay = |p: &[f64]| p[4] / p[1];
            assert!((decay(&peaks) / decay(&other_peaks) - 1.0).abs() < 0.05, "{rate}");
        }
    }

    #[test]
    fn a_frequency_is_what_it_says() {
        for (f, rate) in [(1.0, 120.0), (3.0, 60.0), (5.0, 240.0)] {
            let spring = Spring { frequency: Some(f), damping_ratio: Some(0.02), ..sheet(0.028, 0.04) };
            let (zeros, _) = swings(spring.step(rate), rate);
            let swings_a_second = 2.0 / (zeros[2] - zeros[0]);
            assert!((swings_a_second / f - 1.0).abs() < 0.005, "{f} Hz at {rate}: {swings_a_second}");
        }
    }

    #[test]
    fn a_ratio_of_one_does_not_swing() {
        let spring = Spring { frequency: Some(3.0), damping_ratio: Some(1.0), ..sheet(0.028, 0.04) };
        let (stiffness, keep) = spring.step(120.0);
        let (mut x, mut before) = (1.0f64, 1.0f64);
        for _ in 0..600 {
            (before, x) = (x, (1.0 - f64::from(stiffness)) * (x + f64::from(keep) * (x - before)));
            assert!(x > -1e-9);
        }
    }

    #[test]
    fn the_extremes_are_finite() {
        for spring in [
            sheet(0.0, 0.0),
            sheet(1.0, 1.0),
            sheet(0.0, 1.0),
            sheet(0.5, 0.9),
            Spring { frequency: Some(60.0), damping_ratio: Some(0.0), ..sheet(0.0, 0.0) },
            Spring { frequency: Some(0.01), damping_ratio: Some(10.0), ..sheet(0.0, 0.0) },
            Spring { frequency: None, damping_ratio: Some(0.5), ..sheet(0.0, 0.0) },
        ] {
            for rate in [30.0, 60.0, 120.0, 1000.0] {
                let (stiffness, keep) = spring.step(rate);
                assert!(
                    (-1e-6..=1.0).contains(&stiffness) && (0.0..=1.5).contains(&keep),
                    "{spring:?} {rate} {stiffness} {keep}"
                );
            }
        }
    }
}
