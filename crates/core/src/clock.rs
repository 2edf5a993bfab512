//! Real time in, fixed steps out.

use crate::snapshot::Tape;

/// How far a step may fall short of due and still run, as a share of the step: it absorbs the rounding of a sum of
/// frame times, so that n frames of 1/r s run exactly the steps expected.
const SLACK: f64 = 1e-6;

/// Cuts frame times into fixed steps and says where each lies between the inputs of two frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Clock {
    step: f64,
    max_steps: u32,
    owed: f64,
    steps: u64,
    /// Time owed before the current call, in steps.
    from: f64,
    /// Time owed with the current call, in steps.
    to: f64,
    /// Steps of the current call that have run.
    ran: u32,
}

impl Clock {
    /// A clock of `step` seconds that runs at most `max_steps` a call; time beyond them is dropped.
    pub const fn new(step: f64, max_steps: u32) -> Self {
        Clock { step, max_steps, owed: 0.0, steps: 0, from: 0.0, to: 0.0, ran: 0 }
    }

    /// Takes `dt` seconds and says how many steps are due. `dt ≤ 0` gives none.
    pub fn begin(&mut self, dt: f64) -> u32 {
        let dt = if dt > 0.0 { dt } else { 0.0 };
        self.from = self.owed / self.step;
        self.owed += dt;
        let whole = (self.owed / self.step + SLACK) as u64;
        let due = whole.min(u64::from(self.max_steps));
        // What falls short of a step is kept even when whole steps are dropped: a steady rate runs steadily.
        self.owed = if whole > due + 1_000_000 { 0.0 } else { self.owed - whole as f64 * self.step };
        self.to = due as f64 + self.owed / self.step;
        self.ran = 0;
        due as u32
    }

    /// Plans exactly one step that ends on this call's inputs; the time owed stays as it is.
    pub fn begin_one(&mut self) -> u32 {
        self.from = 0.0;
        self.to = 1.0;
        self.ran = 0;
        1
    }

    /// Counts the next step and says where it ends between the previous call's inputs (0) and this call's (1).
    pub fn advance(&mut self) -> f32 {
        self.ran += 1;
        self.steps += 1;
        let span = self.to - self.from;
        let at = f64::from(self.ran) - self.from;
        if at >= span - SLACK { 1.0 } else { (at / span) as f32 }
    }

    /// The place of a moment `behind` steps before the end of the step that [`Clock::advance`] counted last.
    pub fn place_behind(&self, behind: f64) -> f32 {
        let place = (f64::from(self.ran) - behind - self.from) / (self.to - self.from);
        if place > 0.0 { place as f32 } else { 0.0 }
    }

    /// How many steps have run.
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// How far the time owed reaches into the next step, from 0 to below 1: the place of a drawn frame between the last
    /// two states.
    pub fn blend(&self) -> f32 {
        let blend = self.owed / self.step;
        if blend > SLACK { blend as f32 } else { 0.0 }
    }

    /// Seconds of a fixed step.
    pub const fn step(&self) -> f64 {
        self.step
    }

    /// Simulated time in seconds.
    pub fn time(&self) -> f64 {
        self.steps as f64 * self.step
    }

    /// Simulated time at the end of the next step, in seconds.
    pub fn next_time(&self) -> f64 {
        (self.steps + 1) as f64 * self.step
    }

    /// Hands over its state.
    pub fn keep(&mut self, tape: &mut Tape) {
        tape.one(&mut self.owed);
        tape.one(&mut self.steps);
    }

    /// Whether a state that was read is one.
    pub fn is_sound(&self) -> bool {
        self.owed.abs() <= 1.0 && self.steps <= 1 << 52
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rate_runs_the_steps_of_its_time() {
        for rate in [24, 25, 30, 50, 60, 90, 120, 144, 240] {
            let mut clock = Clock::new(1.0 / 60.0, 3);
            let steps: u32 = (0..rate * 10).map(|_| clock.begin(1.0 / f64::from(rate))).sum();
            assert_eq!(steps, 600, "{rate} Hz");
            assert_eq!(clock.blend(), 0.0, "{rate} Hz owes nothing after whole seconds");
        }
    }

    #[test]
    fn a_stall_ends_on_the_inputs_of_its_call() {
        let mut clock = Clock::new(1.0 / 60.0, 3);
        assert_eq!(clock.begin(100.25 / 60.0), 3);
        let places = [clock.advance(), clock.advance(), clock.advance()];
        assert!((places[2] - 3.0 / 3.25).abs() < 1e-6, "{places:?}");
        assert!((clock.blend() - 0.25).abs() < 1e-6);
    }

    #[test]
    fn a_stall_runs_three_steps_and_owes_nothing() {
        let mut clock = Clock::new(1.0 / 60.0, 3);
        assert_eq!(clock.begin(30.0), 3);
        assert_eq!(clock.begin(0.0), 0);
        assert_eq!(clock.begin(-1.0), 0);
    }

    #[test]
    fn inputs_are_placed_at_the_time_of_each_step() {
        let mut clock = Clock::new(1.0 / 60.0, 3);
        assert_eq!(clock.begin(2.0 / 60.0), 2);
        assert_eq!([clock.advance(), clock.advance()], [0.5, 1.0]);
        assert_eq!(clock.begin(1.5 / 60.0), 1);
        assert!((clock.advance() - 1.0 / 1.5).abs() < 1e-6);
        assert!((clock.blend() - 0.5).abs() < 1e-6);
        assert_eq!(clock.begin(0.5 / 60.0), 1);
        assert_eq!(clock.advance(), 1.0);
    }
}
