//! What a user of ragdolls may set.

use crate::options;

options! {
    /// Options of a ragdoll; all may be changed while it runs.
    pub struct RagdollOptions {
        /// Passes over the links in a step of 1/120 s. Few are rubbery, many stiff; the time that a step takes grows with them.
        iterations: U32(u32) = 10, range 1..=64;
        /// The plain arithmetic of position-based points: all passes follow one integration, and the friction of the floor
        /// acts in each of them. `false` makes each pass a small step of its own, so that lengths hold many times better,
        /// joints stop where their limits are, and friction does not depend on the passes; `fromSkeleton` sets that.
        classic: Bool(bool) = true;
        /// Part of the velocity that a step of 1/120 s leaves: the air.
        velocity_keep: F32(f32) = 0.995, range 0..=1;
        /// Part of the motion within a body, as against that of the body as a whole, lost in a step of 1/120 s: stiff joints.
        /// None by default, as a doll of sticks has; `fromSkeleton` sets 0.05, as flesh has.
        damping: F32(f32) = 0.0, range 0..=1;
        /// Height of the floor; `null` for none.
        floor: Optional(Option<f32>) = Some(0.0), range -1000000..=1000000, unit "m";
        /// Part of the sideways velocity that a point on the floor loses: in a step of 1/120 s, or with `classic` in each of
        /// its passes. The default lets a body slide a hand's breadth; 0.1 is a smooth floor.
        floor_friction: F32(f32) = 0.4, range 0..=1;
        /// Limbs of a body keep out of one another, but for neighbours.
        self_collision: Bool(bool) = true;
        /// A body whose points have all moved less than this within `sleepTime` falls asleep: it stands still and costs next
        /// to nothing until it is hit, or something it touches moves.
        sleep_distance: F32(f32) = 0.01, range 0..=1000, unit "m";
        /// See `sleepDistance`; `null` for never.
        sleep_time: Optional(Option<f32>) = Some(0.5), range 0.05..=1000, unit "s";
        /// Draw a blend of the last two steps, so that it is smooth at any frame rate, up to 1/120 s late. `false` shows the
        /// newest.
        interpolate: Bool(bool) = true;
    }
}
