//! What a user of jiggle bones may set.

use crate::options;

options! {
    /// Options of jiggle bones; all may be changed while they run.
    pub struct JiggleBonesOptions {
        /// Part of the way back to where the tip should be that a step of 1/120 s takes, for chains that have no stiffness
        /// or frequency of their own. Low is floppy, high trembles shortly. The default is that of a soft ear.
        stiffness: F32(f32) = 0.028, range 0..=1;
        /// Part of the velocity lost in a step of 1/120 s, for chains that have no damping or damping ratio of their own.
        /// Low swings for long, high stops soon. The default is for chains of one to three bones: each joint of a
        /// longer one adds to the swing of the one before it, and whips at the end. Give such a chain a damping of 0.15 and
        /// more, or a `dampingRatio` of 0.5.
        damping: F32(f32) = 0.04, range 0..=1;
        /// How often it swings in a second, instead of `stiffness`; `null` for `stiffness`. The default stiffness is 3.2 Hz.
        frequency: Optional(Option<f32>) = None, range 0.01..=60, unit "Hz";
        /// Damping as a share of what just stops swinging, instead of `damping`: 0 swings for ever, 1 returns without
        /// swinging. `null` for `damping`.
        damping_ratio: Optional(Option<f32>) = None, range 0..=10;
        /// How far gusts change the wind, as a share of it. The default is a breeze outdoors.
        gusts: F32(f32) = 0.4, range 0..=2;
        /// Which gusts: the same seed blows the same, on every platform.
        seed: U32(u32) = 0, range 0..=1000000000;
        /// Most passes over the colliders in a step, until tips are out of all and lengths hold. VRM chains take one, as
        /// their standard has it.
        iterations: U32(u32) = 8, range 1..=64;
        /// A chain whose root moves farther in one frame has been put there: it is carried along and does not swing. `null`
        /// for never. The default is faster than anything runs.
        teleport_distance: Optional(Option<f32>) = Some(3.0), range 0..=1000000, unit "m";
        /// A chain whose root turns farther in one frame has been put there, likewise; `null` for never. The default is a
        /// third of a turn.
        teleport_angle: Optional(Option<f32>) = Some(2.1), range 0..=3.2, unit "rad";
        /// Take the driven pose on its way from the last frame to this one, and draw a blend of the last two swings: the
        /// same motion at any frame rate, and smooth. `false` takes each frame's pose as it is and shows the newest swing.
        interpolate: Bool(bool) = true;
    }
}

options! {
    /// Options of one chain; all but `rate` may be changed while it runs.
    pub struct JiggleChainOptions {
        /// Its own stiffness, per 1/120 s; `null` for that of all.
        stiffness: Optional(Option<f32>) = None, range 0..=1;
        /// Its own damping, per 1/120 s; `null` for that of all.
        damping: Optional(Option<f32>) = None, range 0..=1;
        /// Its own frequency, instead of a stiffness; `null` for that of all.
        frequency: Optional(Option<f32>) = None, range 0.01..=60, unit "Hz";
        /// Its own damping ratio, instead of a damping; `null` for that of all.
        damping_ratio: Optional(Option<f32>) = None, range 0..=10;
        /// Multiplies the stiffness (and so the square of a frequency). Try 1.6 for a tail and 1.3 for hair.
        multiplier: F32(f32) = 1.0, range 0..=100;
        /// Radius of its tips, which meets colliders; the same in the world whatever the scale of the rig.
        radius: F32(f32) = 0.0, range 0..=1000, unit "m";
        /// Multiplies gravity.
        gravity_scale: F32(f32) = 1.0, range -100..=100;
        /// Acceleration by the wind, per m/s of it. With the default a wind of 4.3 m/s pushes as hard as gravity.
        wind_response: F32(f32) = 1.0, range 0..=100, unit "1/s";
        /// How much of the motion of `center` (of what the root hangs on, where there is none) it feels: 1 all, 0 none.
        inertia: F32(f32) = 1.0, range 0..=1;
        /// Steps a second; 60 for VRM chains. Fixed once it is made.
        rate: U32(u32) = 120, range 30..=1000, unit "1/s";
    }
}
