//! The arrays and operations of a cloth that JavaScript sees.

use crate::simulation::{ChannelInfo, Doc, Element};

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

const fn channel(id: u32, element: Element, input: bool) -> ChannelInfo {
    ChannelInfo { id, element, input }
}

/// All channels, by id.
pub const CHANNELS: &[ChannelInfo] = &[
    channel(POSITIONS, Element::F32, false),
    channel(NORMALS, Element::F32, false),
    channel(BOUNDS, Element::F32, false),
    channel(STATUS, Element::U32, false),
    channel(WIND, Element::F32, true),
    channel(GRAVITY, Element::F32, true),
    channel(PIN_TARGETS, Element::F32, true),
    channel(PIN_VERTICES, Element::U32, false),
    channel(COLLIDERS, Element::F32, true),
    channel(LINKS, Element::U32, false),
    channel(SPACE, Element::F32, true),
];

/// What they are called and hold.
pub const CHANNEL_DOCS: &[Doc] = &[
    Doc { name: "positions", text: "`[x, y, z] × vertices`, in the output space, metres" },
    Doc {
        name: "normals",
        text: "`[x, y, z] × vertices`, in the output space, of unit length, or 0 where no triangle is",
    },
    Doc { name: "bounds", text: "`[min x, y, z, max x, y, z, centre x, y, z, radius]` of the drawn positions, metres" },
    Doc { name: "status", text: "`[times the state stopped being finite and was put back]`" },
    Doc { name: "wind", text: "`[x, y, z]`, world, m/s" },
    Doc { name: "gravity", text: "`[x, y, z]`, world, m/s²" },
    Doc { name: "pinTargets", text: "`[x, y, z] × pins`, world, metres, in the order of `pinVertices`" },
    Doc { name: "pinVertices", text: "`[vertex] × pins`, ascending" },
    Doc { name: "colliders", text: crate::collider::CHANNEL_TEXT },
    Doc { name: "links", text: "`[vertex, vertex] × links`, in the order in which they are solved" },
    Doc { name: "space", text: "16 numbers, column-major: from the world into the space of the output" },
];

/// Replaces the pinned vertices.
pub const SET_PINS: u32 = 0;
/// Replaces the colliders.
pub const SET_COLLIDERS: u32 = 1;

/// All operations, by number.
pub const COMMAND_DOCS: &[Doc] = &[
    Doc {
        name: "setPins",
        text: "Pins exactly the vertices of the payload, each where it is. Throws `invalid-option` for a vertex that does not exist.",
    },
    Doc { name: "setColliders", text: crate::collider::COMMAND_TEXT },
];
