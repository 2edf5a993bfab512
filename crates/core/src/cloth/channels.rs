//! The arrays and operations of a cloth that JavaScript sees.

use crate::simulation::{ChannelInfo, CommandInfo, Element};

/// Positions that three.js draws.
pub const POSITIONS: u32 = 0;
/// Normals that three.js draws.
pub const NORMALS: u32 = 1;
/// Bounds of the drawn positions.
pub const BOUNDS: u32 = 2;
/// Counts of what went wrong.
pub const STATUS: u32 = 3;
/// Wind velocity.
pub const WIND: u32 = 4;
/// Acceleration of gravity.
pub const GRAVITY: u32 = 5;
/// Where pinned vertices are to be.
pub const PIN_TARGETS: u32 = 6;
/// Which vertices are pinned.
pub const PIN_VERTICES: u32 = 7;
/// Where colliders are to be.
pub const COLLIDERS: u32 = 8;
/// The links.
pub const LINKS: u32 = 9;
/// From the world into the space of the output.
pub const SPACE: u32 = 10;

const fn channel(id: u32, name: &'static str, element: Element, input: bool, doc: &'static str) -> ChannelInfo {
    ChannelInfo { id, name, element, input, doc }
}

/// All channels, by id.
pub const CHANNELS: &[ChannelInfo] = &[
    channel(POSITIONS, "positions", Element::F32, false, "`[x, y, z] × vertices`, in the output space, metres"),
    channel(
        NORMALS,
        "normals",
        Element::F32,
        false,
        "`[x, y, z] × vertices`, in the output space, of unit length, or 0 where no triangle is",
    ),
    channel(
        BOUNDS,
        "bounds",
        Element::F32,
        false,
        "`[min x, y, z, max x, y, z, centre x, y, z, radius]` of the drawn positions, metres",
    ),
    channel(STATUS, "status", Element::U32, false, "`[times the state stopped being finite and was put back]`"),
    channel(WIND, "wind", Element::F32, true, "`[x, y, z]`, world, m/s"),
    channel(GRAVITY, "gravity", Element::F32, true, "`[x, y, z]`, world, m/s²"),
    channel(
        PIN_TARGETS,
        "pinTargets",
        Element::F32,
        true,
        "`[x, y, z] × pins`, world, metres, in the order of `pinVertices`",
    ),
    channel(PIN_VERTICES, "pinVertices", Element::U32, false, "`[vertex] × pins`, ascending"),
    channel(
        COLLIDERS,
        "colliders",
        Element::F32,
        true,
        "`[ax, ay, az, bx, by, bz, radius, friction] × colliders`, world, metres: a sphere's centre is a; a capsule runs from a to b; a plane's normal is a and its offset bx",
    ),
    channel(LINKS, "links", Element::U32, false, "`[vertex, vertex] × links`, in the order in which they are solved"),
    channel(
        SPACE,
        "space",
        Element::F32,
        true,
        "16 numbers, column-major: from the world into the space of the output",
    ),
];

/// Replaces the pinned vertices.
pub const SET_PINS: u32 = 0;
/// Replaces the colliders.
pub const SET_COLLIDERS: u32 = 1;

/// All operations, by number.
pub const COMMANDS: &[CommandInfo] = &[
    CommandInfo {
        op: SET_PINS,
        name: "setPins",
        doc: "Pins exactly the vertices of the payload, each where it is. Throws `invalid-option` for a vertex that does not exist.",
    },
    CommandInfo {
        op: SET_COLLIDERS,
        name: "setColliders",
        doc: "Replaces the colliders by the payload's: `[kind, ax, ay, az, bx, by, bz, radius, friction]` each, kind 0 sphere, 1 capsule, 2 plane. Throws `invalid-option` for a radius below 0 or a number that is not finite.",
    },
];
