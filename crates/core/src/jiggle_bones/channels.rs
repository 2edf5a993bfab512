//! The arrays and operations of jiggle bones that JavaScript sees.

use crate::simulation::{ChannelInfo, Doc, Element};

/// Rotations that three.js draws.
pub const ROTATIONS: u32 = 0;
/// Counts of what went wrong.
pub const STATUS: u32 = 1;
/// Where each joint lies in the other arrays.
pub const SLOTS: u32 = 2;
/// Which joints hang on something that is not simulated.
pub const ROOTS: u32 = 3;
/// What the joints are without swinging.
pub const POSES: u32 = 4;
/// What the roots hang on.
pub const PARENTS: u32 = 5;
/// Objects whose motion is felt only in part.
pub const CENTERS: u32 = 6;
/// Wind velocity.
pub const WIND: u32 = 7;
/// Acceleration of gravity.
pub const GRAVITY: u32 = 8;
/// Where colliders are to be.
pub const COLLIDERS: u32 = 9;

const fn channel(id: u32, element: Element, input: bool) -> ChannelInfo {
    ChannelInfo { id, element, input }
}

/// All channels, by id.
pub const CHANNELS: &[ChannelInfo] = &[
    channel(ROTATIONS, Element::F32, false),
    channel(STATUS, Element::U32, false),
    channel(SLOTS, Element::U32, false),
    channel(ROOTS, Element::U32, false),
    channel(POSES, Element::F32, true),
    channel(PARENTS, Element::F32, true),
    channel(CENTERS, Element::F32, true),
    channel(WIND, Element::F32, true),
    channel(GRAVITY, Element::F32, true),
    channel(COLLIDERS, Element::F32, true),
];

/// What they are called and hold.
pub const CHANNEL_DOCS: &[Doc] = &[
    Doc {
        name: "rotations",
        text: "`[quaternion x, y, z, w, Euler x, y, z] × rows`, each number four times, once a lane: local, radians, order \
               XYZ",
    },
    Doc { name: "status", text: "`[times the state stopped being finite and was put back]`" },
    Doc { name: "slots", text: "`[slot] × joints`: row × 4 + lane" },
    Doc { name: "roots", text: "`[joint, slot among the parents] × roots`: block × 4 + lane" },
    Doc {
        name: "poses",
        text: "`[position x, y, z, quaternion x, y, z, w, scale x, y, z] × rows`, each number four times, once a lane: local, \
               without swing",
    },
    Doc {
        name: "parents",
        text: "`[x axis, y axis, z axis, origin] × blocks`, of three numbers each, each number four times, once a lane: world \
               matrices, metres",
    },
    Doc { name: "centers", text: "as `parents`, for the centres, four in a block" },
    Doc { name: "wind", text: "`[x, y, z]`, world, m/s" },
    Doc { name: "gravity", text: "`[x, y, z]`, world, m/s²" },
    Doc { name: "colliders", text: crate::collider::CHANNEL_TEXT },
];

/// Replaces the colliders.
pub const SET_COLLIDERS: u32 = 0;
/// Says which chains a collider is for.
pub const SET_COLLIDER_CHAINS: u32 = 1;
/// Lets the chains follow their roots without swing in the next step.
pub const CARRY: u32 = 2;
/// Where heads and tips are drawn.
pub const READ_TIPS: u32 = 3;
/// Puts all tips at rest.
pub const SETTLE: u32 = 4;

/// What the operations take, give and refuse, by number.
pub const COMMAND_DOCS: &[Doc] = &[
    Doc { name: "setColliders", text: crate::collider::COMMAND_TEXT },
    Doc {
        name: "setColliderChains",
        text: "The payload is `[collider, chain]` each: a collider that is named is for the chains that are named with it, \
               one that is not is for all. Throws `invalid-option` for one that does not exist.",
    },
    Doc { name: "carry", text: "The next call moves every chain along with its root, without any swing." },
    Doc {
        name: "readTips",
        text: "Gives `[head x, y, z, tip x, y, z, radius] × joints`, world, metres, as they are drawn under the inputs of now.",
    },
    Doc { name: "settle", text: "Every tip begins the next step at rest, without velocity." },
];
