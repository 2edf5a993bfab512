//! What a user of a cloth may set.

use crate::options;

options! {
    /// How strongly each kind of link holds its length, per iteration.
    pub struct ClothStiffness {
        /// Links between neighbours along rows and columns (or along the edges of a mesh). The default, the sheet's,
        /// closes the whole error in every iteration.
        structural: F32(f32) = 1.0, range 0..=1;
        /// Links across the diagonals of a cell; without them cells collapse into rhombs. The default is the sheet's:
        /// cloth shears more easily than it stretches.
        shear: F32(f32) = 0.6, range 0..=1;
        /// Links that skip one vertex and resist folding. The default is the sheet's: soft folds that still open.
        bend: F32(f32) = 0.25, range 0..=1;
    }
}

options! {
    /// Options of a cloth; all may be changed while it runs.
    pub struct ClothOptions {
        /// Passes over all links in every substep. The default, the sheet's, keeps a cape within 4 % of its length; 1 is
        /// rubber, 20 is stiff.
        iterations: U32(u32) = 8, range 1..=1000;
        /// Parts into which each fixed step is cut. Many substeps of one iteration stretch a tall cloth far less than one
        /// substep of many iterations. The default is the sheet's.
        substeps: U32(u32) = 1, range 1..=64;
        /// How strongly links hold their length.
        stiffness: Nested(ClothStiffness) = ClothStiffness::default();
        /// Part of the velocity lost in each fixed step of 1/60 s. The default is the sheet's.
        damping: F32(f32) = 0.012, range 0..=1;
        /// Acceleration by moving air whatever the cloth's direction, per m/s of relative wind. The default is the
        /// sheet's.
        drag: F32(f32) = 0.08, range 0..=10, unit "1/s";
        /// Acceleration along the normal, per m/s of relative wind along it. The default is the sheet's.
        wind_response: F32(f32) = 0.6, range 0..=10, unit "1/s";
        /// Part of the sideways velocity lost where the cloth touches the floor, in each iteration. The default is the
        /// sheet's.
        friction: F32(f32) = 0.5, range 0..=1;
        /// Height that no particle falls below, or `null` for no floor. The default of a grid is the sheet's, just above
        /// a ground at 0; a cloth made of a geometry has none unless it is given.
        floor: Optional(Option<f32>) = Some(0.02), range -100000..=100000, unit "m";
        /// Draw a blend of the last two fixed states, which is smooth at any frame rate and one step late, instead of the
        /// newest.
        interpolate: Bool(bool) = true;
    }
}

options! {
    /// The size of a cloth made of a grid; fixed once it is made.
    pub struct ClothGrid {
        /// Vertices in a row.
        columns: U32(u32) = 12, range 2..=4096;
        /// Vertices in a column.
        rows: U32(u32) = 17, range 2..=4096;
        /// Length of the top edge, where no `place` is given.
        width: F32(f32) = 1.0, range 0.000001..=100000, unit "m";
        /// Length of the side edge, where no `place` is given.
        height: F32(f32) = 1.0, range 0.000001..=100000, unit "m";
    }
}

options! {
    /// How a cloth is made of a geometry; fixed once it is made.
    pub struct ClothMesh {
        /// Triangles of the index.
        triangles: U32(u32) = 0, range 1..=4000000;
        /// Vertices closer than this are one particle, so that UV and normal seams do not tear.
        weld: F32(f32) = 0.00001, range 0..=1, unit "m";
    }
}
