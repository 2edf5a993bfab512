//! The arrays and operations of a ragdoll that JavaScript sees.

use crate::simulation::{ChannelInfo, Doc, Element};

/// Where points are drawn.
pub const POINTS: u32 = 0;
/// Rotations that three.js draws.
pub const ROTATIONS: u32 = 1;
/// Where joints are in what they hang on.
pub const PLACES: u32 = 2;
/// What each body does.
pub const STATES: u32 = 3;
/// Counts.
pub const STATUS: u32 = 4;
/// Which points are linked.
pub const LINKS: u32 = 5;
/// What bones are given.
pub const POSES: u32 = 6;
/// What the first of them hang on.
pub const PARENTS: u32 = 7;
/// How strongly limbs seek the pose.
pub const STRENGTHS: u32 = 8;
/// Acceleration of gravity.
pub const GRAVITY: u32 = 9;
/// Where colliders are to be.
pub const COLLIDERS: u32 = 10;

const fn channel(id: u32, element: Element, input: bool) -> ChannelInfo {
    ChannelInfo { id, element, input }
}

/// All channels, by id.
pub const CHANNELS: &[ChannelInfo] = &[
    channel(POINTS, Element::F32, false),
    channel(ROTATIONS, Element::F32, false),
    channel(PLACES, Element::F32, false),
    channel(STATES, Element::U32, false),
    channel(STATUS, Element::U32, false),
    channel(LINKS, Element::U32, false),
    channel(POSES, Element::F32, true),
    channel(PARENTS, Element::F32, true),
    channel(STRENGTHS, Element::F32, true),
    channel(GRAVITY, Element::F32, true),
    channel(COLLIDERS, Element::F32, true),
];

/// What they are called and hold.
pub const CHANNEL_DOCS: &[Doc] = &[
    Doc { name: "points", text: "`[x, y, z] × points × bodies`, world, metres" },
    Doc {
        name: "rotations",
        text: "`[quaternion x, y, z, w, Euler x, y, z] × joints × blocks of four bodies`, each number four times, once a body: \
               local, radians, order XYZ",
    },
    Doc {
        name: "places",
        text: "`[x, y, z] × joints × blocks of four bodies`, each number four times, once a body: local positions",
    },
    Doc { name: "states", text: "`[0 animated, 1 limp or 2 getting up, and 256 more where it sleeps] × bodies`" },
    Doc {
        name: "status",
        text: "`[times the state stopped being finite and was put back, bodies that are limp and awake]`",
    },
    Doc { name: "links", text: "`[a, b] × links`: points of a body" },
    Doc {
        name: "poses",
        text: "`[position x, y, z, quaternion x, y, z, w, scale x, y, z] × joints × blocks of four bodies`, each number four \
               times, once a body: local",
    },
    Doc {
        name: "parents",
        text: "`[x axis, y axis, z axis, origin] × joints that hang on nothing simulated × blocks of four bodies`, of three \
               numbers each, each number four times: world matrices, metres",
    },
    Doc { name: "strengths", text: "`[from 0 to 1] × bodies`, filled up to a multiple of four" },
    Doc { name: "gravity", text: "`[x, y, z]`, world, m/s²" },
    Doc { name: "colliders", text: crate::collider::CHANNEL_TEXT },
];

/// Replaces the colliders.
pub const SET_COLLIDERS: u32 = 0;
/// Lets a body fall.
pub const ACTIVATE: u32 = 1;
/// Gives points a velocity.
pub const HIT: u32 = 2;
/// Blends a body back to its pose.
pub const GET_UP: u32 = 3;
/// Gives a body back to its pose at once.
pub const SETTLE: u32 = 4;
/// Wakes a body.
pub const WAKE: u32 = 5;
/// Shows the newest step.
pub const SHOW: u32 = 6;

/// What the operations take, give and refuse, by number.
pub const COMMAND_DOCS: &[Doc] = &[
    Doc { name: "setColliders", text: crate::collider::COMMAND_TEXT },
    Doc {
        name: "activate",
        text: "`[body]`, or `[body, velocity x, y, z]` in m/s, or `[body, (velocity or NaN × 3), free × points]`: it goes \
               limp with the pose of the inputs and that velocity, or the velocity of the last two frames; of the points only \
               those that are free (not 0), the others follow the pose.",
    },
    Doc {
        name: "hit",
        text: "`[body, point x, y, z, velocity x, y, z, falloff]`: its limp points gain the velocity × exp(−d²/falloff), d from \
               the point; with a falloff of 0 all gain it alike.",
    },
    Doc {
        name: "getUp",
        text: "`[body, seconds, newest]`: a limp body blends, from what is drawn now, or from the newest step where `newest` is \
               not 0, to the pose of the inputs in so many seconds, or in up to a quarter more where a bone would turn too fast.",
    },
    Doc { name: "settle", text: "`[body]`: it is animated again, at once." },
    Doc { name: "wake", text: "`[body]`: it does not sleep." },
    Doc { name: "show", text: "Writes the outputs of the newest step, not of a blend: between the steps of a call." },
];
