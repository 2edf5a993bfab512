//! What a user of boids may set.
//!
//! Weights are free of lengths: a flock whose world, radii and speeds are all twice as large moves as before, twice as far.

use crate::options;

options! {
    /// Keeping apart from those that are very near: the push of each is by its distance over the square of it.
    pub struct BoidsSeparation {
        /// Whether it acts.
        enabled: Bool(bool) = true;
        /// Who is nearer than this pushes away. The default is the sheet's, the root of 0.0012.
        radius: F32(f32) = 0.034_641_016, range 0..=100000, unit "m";
        /// Velocity gained a step is `weight` × `radius`² × the sum over those near of d / (|d|² + `radius`²/12), with d from them;
        /// nearer than `radius`/√12, where that is strongest, each pushes as strongly as there.
        /// The default, 5/24, is the sheet's 0.00025 m²/s at its radius.
        weight: F32(f32) = 0.208_333_33, range 0..=1000, unit "1/s";
        /// Only who is within this angle about the heading counts: half of it to either side. 2π is all around, as in the sheet.
        angle: F32(f32) = 6.283_185_5, range 0..=6.2831855, unit "rad";
    }
}

options! {
    /// Swimming as the others do.
    pub struct BoidsAlignment {
        /// Whether it acts.
        enabled: Bool(bool) = true;
        /// Who is nearer than this counts. The default is the sheet's, the root of 0.012.
        radius: F32(f32) = 0.109_544_51, range 0..=100000, unit "m";
        /// Part of the way to the mean velocity of those that count that a step takes. The default is the sheet's.
        weight: F32(f32) = 0.06, range 0..=1;
        /// Only who is within this angle about the heading counts: half of it to either side. 2π is all around, as in the sheet.
        angle: F32(f32) = 6.283_185_5, range 0..=6.2831855, unit "rad";
    }
}

options! {
    /// Drawing near to the middle of the others.
    pub struct BoidsCohesion {
        /// Whether it acts.
        enabled: Bool(bool) = true;
        /// Who is nearer than this counts. The default is the sheet's, the root of 0.012.
        radius: F32(f32) = 0.109_544_51, range 0..=100000, unit "m";
        /// Velocity gained a step, for each metre to the mean place of those that count. The default is the sheet's.
        weight: F32(f32) = 0.05, range 0..=1000, unit "1/s";
        /// Only who is within this angle about the heading counts: half of it to either side. 2π is all around, as in the sheet.
        angle: F32(f32) = 6.283_185_5, range 0..=6.2831855, unit "rad";
    }
}

options! {
    /// The three rules.
    pub struct BoidsRules {
        /// Keeping apart.
        separation: Nested(BoidsSeparation) = BoidsSeparation::default();
        /// Swimming as the others do.
        alignment: Nested(BoidsAlignment) = BoidsAlignment::default();
        /// Drawing near to the middle of the others.
        cohesion: Nested(BoidsCohesion) = BoidsCohesion::default();
    }
}

options! {
    /// How fast boids are. Both are scaled by the `speed` of a species.
    pub struct BoidsSpeed {
        /// Nobody is slower. The default is the sheet's.
        min: F32(f32) = 0.12, range 0..=100000, unit "m/s";
        /// Nobody is faster. The default is the sheet's.
        max: F32(f32) = 0.28, range 0.000001..=100000, unit "m/s";
    }
}

options! {
    /// Turning back at the walls of a box or a sphere; a torus has none.
    pub struct BoidsWalls {
        /// How far from the wall turning back begins, as a share of half the world's smallest side.
        margin: F32(f32) = 0.25, range 0..=1;
        /// Velocity gained a step at the wall, as a share of the largest speed; none at the margin.
        weight: F32(f32) = 0.15, range 0..=10;
    }
}

options! {
    /// Steering clear of obstacles.
    pub struct BoidsAvoidance {
        /// Steering begins as far ahead as the largest speed goes in this time.
        time: F32(f32) = 0.5, range 0..=60, unit "s";
        /// Velocity gained a step at the surface, as a share of the largest speed; none where steering begins.
        weight: F32(f32) = 0.2, range 0..=10;
    }
}

options! {
    /// Fleeing from those that a species `flees`.
    pub struct BoidsFlight {
        /// Who is nearer than this is fled from. The default is that of the sheet's pointer.
        radius: F32(f32) = 0.2, range 0..=100000, unit "m";
        /// Velocity gained a step is `weight` × `radius`² × d / (|d|² + `radius`²/20), with d from it. The default is that of the
        /// sheet's pointer.
        weight: F32(f32) = 0.1, range 0..=1000, unit "1/s";
    }
}

options! {
    /// Hunting those that a species `hunts`.
    pub struct BoidsHunt {
        /// The nearest of those within this is hunted.
        radius: F32(f32) = 0.4, range 0..=100000, unit "m";
        /// Velocity gained a step towards it, as a share of the largest speed, and less when it is near.
        weight: F32(f32) = 0.05, range 0..=10;
    }
}

options! {
    /// Options of boids; all may be changed while they run.
    pub struct BoidsOptions {
        /// The three rules.
        rules: Nested(BoidsRules) = BoidsRules::default();
        /// How fast boids are.
        speed: Nested(BoidsSpeed) = BoidsSpeed::default();
        /// Fastest turn, or `null` for none: then a boid may turn about in a step, as in the sheet. In 3D unless set it is 2π.
        turn_limit: Optional(Option<f32>) = None, range 0..=1000, unit "rad/s";
        /// Largest velocity gained a step along each axis by chance, as a share of the largest speed. The default, 1/56, is
        /// the sheet's 0.005 m/s.
        wander: F32(f32) = 0.017_857_144, range 0..=10;
        /// Only the `nearest` of those within the radii count for alignment and cohesion, instead of all.
        ///
        /// Starlings do that: Ballerini et al., "Interaction ruling animal collective behavior depends on topological rather
        /// than metric distance" (2008).
        topological: Bool(bool) = false;
        /// How many count where `topological` is on. The default is that of starlings.
        nearest: U32(u32) = 7, range 1..=32;
        /// Turning back at the walls of a box or a sphere.
        walls: Nested(BoidsWalls) = BoidsWalls::default();
        /// Steering clear of obstacles.
        avoidance: Nested(BoidsAvoidance) = BoidsAvoidance::default();
        /// Fleeing from those that a species flees.
        flight: Nested(BoidsFlight) = BoidsFlight::default();
        /// Hunting those that a species hunts.
        hunt: Nested(BoidsHunt) = BoidsHunt::default();
        /// How far 3D boids bank into a turn: 1 as a glider would under a gravity that suits its speed, 0 not at all.
        banking: F32(f32) = 1.0, range 0..=10;
        /// Threads that look for neighbours. Only the addon has more than one; the bits are the same.
        threads: U32(u32) = 1, range 1..=64;
        /// Draw a blend of the last two fixed states, which is smooth at any frame rate and one step late, instead of the
        /// newest.
        interpolate: Bool(bool) = true;
    }
}

options! {
    /// How boids are made; fixed once they are made.
    pub struct BoidsMake {
        /// How many.
        count: U32(u32) = 110, range 1..=1000000;
        /// 2 for a plane, whose z is 0; 3 for space.
        dimensions: U32(u32) = 3, range 2..=3;
        /// Which start, and which wandering: the same seed gives the same, on every platform.
        seed: U32(u32) = 0, range 0..=1000000000;
        /// Whether `matrices` are written, 64 bytes a boid.
        matrices: Bool(bool) = true;
    }
}
