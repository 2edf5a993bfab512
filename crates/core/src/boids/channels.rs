//! The arrays and operations of boids that JavaScript sees.

use crate::simulation::{ChannelInfo, Doc, Element};

/// Positions that are drawn.
pub const POSITIONS: u32 = 0;
/// Velocities that are drawn.
pub const VELOCITIES: u32 = 1;
/// Matrices that are drawn.
pub const MATRICES: u32 = 2;
/// Bounds of the drawn positions.
pub const BOUNDS: u32 = 3;
/// Ids.
pub const IDS: u32 = 4;
/// Species of each boid.
pub const SPECIES: u32 = 5;
/// Where what attracts or repels is.
pub const INFLUENCES: u32 = 6;
/// Where obstacles are.
pub const COLLIDERS: u32 = 7;

const fn channel(id: u32, element: Element, input: bool) -> ChannelInfo {
    ChannelInfo { id, element, input }
}

/// All channels, by id.
pub const CHANNELS: &[ChannelInfo] = &[
    channel(POSITIONS, Element::F32, false),
    channel(VELOCITIES, Element::F32, false),
    channel(MATRICES, Element::F32, false),
    channel(BOUNDS, Element::F32, false),
    channel(IDS, Element::U32, false),
    channel(SPECIES, Element::U32, false),
    channel(INFLUENCES, Element::F32, true),
    channel(COLLIDERS, Element::F32, true),
];

/// What they are called and hold.
pub const CHANNEL_DOCS: &[Doc] = &[
    Doc { name: "positions", text: "`[x, y, z] × boids`, world, metres, in the order of `ids`; z is 0 in 2D" },
    Doc { name: "velocities", text: "`[x, y, z] × boids`, world, m/s, in the order of `ids`" },
    Doc {
        name: "matrices",
        text: "16 numbers × boids, column-major, in the order of `ids`: rotations that take +z to the heading, and the place. Empty where `matrices` is `false`",
    },
    Doc { name: "bounds", text: "`[min x, y, z, max x, y, z, centre x, y, z, radius]` of the drawn positions, metres" },
    Doc { name: "ids", text: "`[id] × boids`, ascending" },
    Doc { name: "species", text: "`[species] × boids`, in the order of `ids`" },
    Doc {
        name: "influences",
        text: "`[x, y, z, direction x, y, z, radius, weight] × influences`, world: metres; a direction of length above 0 is that of a line through the point; a weight of 0 is none",
    },
    Doc { name: "colliders", text: crate::collider::CHANNEL_TEXT },
];

/// Replaces the colliders.
pub const SET_COLLIDERS: u32 = 0;
/// Replaces what attracts and repels.
pub const SET_INFLUENCES: u32 = 1;
/// Moves the walls.
pub const SET_BOUNDS: u32 = 2;
/// Says where they are.
pub const READ_BOUNDS: u32 = 3;

/// What the operations take, give and refuse, by number.
pub const COMMAND_DOCS: &[Doc] = &[
    Doc { name: "setColliders", text: crate::collider::COMMAND_TEXT },
    Doc {
        name: "setInfluences",
        text: "Replaces what attracts and repels by the payload's: `[kind, boid, points, x, y, z, direction x, y, z, radius, weight]` each, kind 0 attracts, 1 repels, 2 is a boid (its place among the ids) that attracts, 3 a path and 4 a closed one, whose `points` × `[x, y, z]` follow it.",
    },
    Doc {
        name: "setBounds",
        text: "Changes the world to the payload's: `[kind, min x, y, z, max x, y, z]`, kind 0 torus, 1 box; or `[2, centre x, y, z, radius, 0, 0]`. Boids outside are brought in. Throws `invalid-option` where a radius is larger than half a torus.",
    },
    Doc { name: "readBounds", text: "Gives the world as `setBounds` takes it." },
];
