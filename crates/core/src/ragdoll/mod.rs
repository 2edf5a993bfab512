//! Ragdolls: bodies of points and links that fall, and the bones that the points turn.
//!
//! The model is the order sheet's: Verlet points with an inverse mass and a radius, links that are relaxed in their order,
//! a floor with friction. On top of it come limits of joints, limbs that keep out of one another, colliders, sleep, and the
//! way between a pose and points. Bodies of one build lie four in a block, a lane each. `create.rs` makes them, `step.rs`
//! holds one fixed step, `links.rs`, `limits.rs` and `contacts.rs` what acts in it, `pose.rs` goes from bones to points,
//! `show.rs` from points to bones, `state.rs` saves and carries.

pub mod channels;
mod contacts;
mod create;
mod limits;
mod links;
pub mod options;
mod pose;
mod show;
mod state;
mod step;
#[cfg(test)]
mod tests;

use crate::clock::Clock;
use crate::collider::{
    Collider, FARTHEST, Solid, check_all, check_reach, out_of_reach, poses, read_all, take_poses, within_reach,
};
use crate::error::{Error, Result};
use crate::lanes::{F4, ON, V3, all_within, greater, keep, select, splat};
use crate::options::{self as settings, describe as describe_options};
use crate::simulation::{Channel, ChannelInfo, Simulation};
use crate::spatial::{Affine, Angles, Drawn, Pose, Q4};
use crate::text;
use bytemuck::{Pod, Zeroable, cast_slice_mut};
use contacts::Capsule;
use limits::Limit;
use links::{Link, Row};
pub use options::RagdollOptions;

/// Seconds of a fixed step.
pub const STEP: f64 = 1.0 / 120.0;

/// Most fixed steps that one call runs.
pub const MAX_STEPS: u32 = 6;

/// A point that gets farther from the origin than this, in metres, has diverged.
const OUTERMOST: f32 = 2e6;

/// No point, no joint, no bone.
const NONE: u32 = u32::MAX;

/// The option structs of ragdolls, for the generator.
pub fn describe() -> Vec<crate::options::StructInfo> {
    vec![describe_options::<RagdollOptions>()]
}

/// One point of the build, as it arrives.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Point {
    /// Where it is in the space of the joint that carries it while the body is animated; without joints, in its body's.
    local: [f32; 3],
    /// Where it is in the rest pose, metres.
    rest: [f32; 3],
    radius: f32,
    /// 1/kg.
    weight: f32,
    /// With which a body without joints begins, m/s.
    velocity: [f32; 3],
}

/// Something of the skeleton whose pose is read: what is turned, and what lies between.
#[derive(Clone, Copy, Debug)]
struct Joint {
    /// The joint that it hangs on, or [`NONE`].
    parent: u32,
    /// Which of those that hang on no joint it is, or [`NONE`].
    root: u32,
    /// Which bone it is, or [`NONE`] where it only lies between.
    bone: u32,
}

/// What the points turn, as it arrives.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Bone {
    joint: u32,
    /// Origin, along, and side; without a side it is swung from its carrier.
    points: [u32; 3],
    /// The bone that carries it, or [`NONE`].
    carrier: u32,
    /// The next bone that its joint hangs on, or [`NONE`].
    above: u32,
}

/// What a bone was when its body went limp, four bodies.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Seed {
    /// The basis of its points. Of one without a side only the vector part counts: the direction from origin to along.
    basis: Q4,
    /// Its parent's rotation, turned back.
    before: Q4,
    /// Its parent's rotation, and its own after it.
    after: Q4,
    /// From its origin to the bone's head, world.
    head: V3,
    /// For limbs that seek the pose: how it is to be turned in its carrier.
    wanted: Q4,
}

/// What a joint of four bodies is, local.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Held {
    rotation: Q4,
    place: V3,
}

/// Four bodies.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Block {
    /// What their points are measured from: world, metres. So a body is as exact far from the origin as near it.
    origin: V3,
    /// How large each is against the rest pose.
    scale: F4,
    /// On where a body is simulated.
    limp: F4,
    /// On where one is simulated and does not sleep.
    awake: F4,
    /// On where some points follow the pose.
    driven: F4,
    /// Steps since it was last looked whether it has moved.
    since: F4,
}

/// What a body does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Animated,
    Limp,
    GettingUp,
}

/// One body.
#[derive(Clone, Copy, Debug)]
struct Body {
    mode: Mode,
    /// Of getting up: seconds that have passed, below 0 before its first frame, and that it takes.
    elapsed: f64,
    duration: f64,
    /// How much of that is drawn.
    shown: f64,
}

impl Body {
    fn new(mode: Mode) -> Body {
        Body { mode, elapsed: 0.0, duration: 0.0, shown: 0.0 }
    }
}

/// Poses of all bodies at one frame.
#[derive(Clone, Debug, Default)]
struct Frame {
    poses: Vec<Pose>,
    parents: Vec<Affine>,
}

/// What is the same for every body.
#[derive(Debug)]
struct Build {
    points: Vec<Point>,
    /// The joint of each; without joints 0.
    carriers: Vec<u32>,
    /// In the order in which they are solved.
    links: Vec<Link>,
    joints: Vec<Joint>,
    roots: usize,
    bones: Vec<Bone>,
    limits: Vec<Limit>,
    capsules: Vec<Capsule>,
    /// How far the points reach from the first in the rest pose, as against a human's from the pelvis: speeds of the solver
    /// are measured by that.
    unit: f32,
    /// Capsules that keep apart, and how far in the rest pose at most.
    pairs: Vec<([u32; 2], f32)>,
    /// Where bodies without joints are put: matrices.
    placed: Vec<Affine>,
}

/// Numbers of a small step, worked out when options change. In memory: as constants in the code they would be built up anew
/// wherever WebAssembly uses them.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// Small steps of a step, and their seconds.
    parts: u32,
    seconds: f32,
    /// Part of the velocity that one leaves.
    keep: F4,
    /// Part of the sideways velocity that one leaves on the floor.
    slide: F4,
    /// And what friction holds there, as a part of the pressure.
    hold: F4,
    /// Metres by which a step, and radians by which a pass, takes back what was inside or bent when the body went limp.
    ease: F4,
    ease_angle: F4,
    /// Metres, and radians, by which one takes back what came to be inside or bent otherwise.
    kick: F4,
    kick_angle: F4,
    /// Part of the way to its pose that a limb of strength 1 goes in one.
    strong: F4,
    tiny: F4,
}

/// What JavaScript writes.
#[derive(Debug)]
struct Input {
    frame: Frame,
    strengths: Vec<f32>,
    gravity: [f32; 3],
    colliders: Vec<f32>,
}

/// What JavaScript reads.
#[derive(Debug)]
struct Output {
    points: Vec<f32>,
    rotations: Vec<Drawn>,
    places: Vec<V3>,
    states: Vec<u32>,
    status: [u32; 2],
    links: Vec<u32>,
}

/// What all bodies are doing, by block.
#[derive(Debug)]
struct State {
    /// For each block the places of [`Own`], in their order.
    places: Vec<V3>,
    /// The same of its numbers.
    numbers: Vec<F4>,
    /// Rest lengths and shares: rows of `links × blocks`.
    rows: Vec<F4>,
    blocks: Vec<Block>,
}

/// Places of a point.
const PLACES: usize = 6;
/// Numbers of four bodies.
const FOURS_OF_ROW: usize = size_of::<Row>() / size_of::<F4>();
const FOURS_OF_SEED: usize = size_of::<Seed>() / size_of::<F4>();
const FOURS_OF_HELD: usize = size_of::<Held>() / size_of::<F4>();

/// What belongs to one block.
struct Own<'a> {
    block: &'a mut Block,
    /// Where its points are and where they were a small step ago, from its origin, metres.
    at: &'a mut [V3],
    was: &'a mut [V3],
    /// Where they were a step ago.
    last: &'a mut [V3],
    /// Where they were when it was last looked whether they move.
    mark: &'a mut [V3],
    /// Where those that follow the pose are to be, at the last call and at this one.
    goal_from: &'a mut [V3],
    goal: &'a mut [V3],
    /// 1/kg; of points that follow the pose 0.
    weight: &'a mut [F4],
    /// How high each point stands on the floor.
    heights: &'a mut [F4],
    /// By how much each point, each limit and each pair of capsules may still be beyond what it may, metres and radians.
    sunk: &'a mut [F4],
    slack: &'a mut [F4],
    gaps: &'a mut [F4],
    /// Rest lengths and shares.
    rows: &'a mut [Row],
    seeds: &'a mut [Seed],
    /// How joints of bodies that get up are drawn.
    held: &'a mut [Held],
}

impl State {
    /// What belongs to a block.
    #[inline(never)]
    fn own(&mut self, build: &Build, b: usize) -> Own<'_> {
        fn take<'a, T>(all: &mut &'a mut [T], count: usize) -> &'a mut [T] {
            let (head, tail) = std::mem::take(all).split_at_mut(count);
            *all = tail;
            head
        }
        let (n, links) = (build.points.len(), build.links.len());
        let (bones, joints) = (build.bones.len(), build.joints.len());
        let mut rows = &mut self.rows[b * links * FOURS_OF_ROW..];
        let mut places = &mut self.places[b * PLACES * n..];
        let mut numbers = &mut self.numbers[b * build.numbers()..];
        Own {
            block: &mut self.blocks[b],
            at: take(&mut places, n),
            was: take(&mut places, n),
            last: take(&mut places, n),
            mark: take(&mut places, n),
            goal_from: take(&mut places, n),
            goal: take(&mut places, n),
            weight: take(&mut numbers, n),
            heights: take(&mut numbers, n),
            sunk: take(&mut numbers, n),
            slack: take(&mut numbers, build.limits.len()),
            gaps: take(&mut numbers, build.pairs.len()),
            seeds: cast_slice_mut(take(&mut numbers, bones * FOURS_OF_SEED)),
            held: cast_slice_mut(take(&mut numbers, joints * FOURS_OF_HELD)),
            rows: cast_slice_mut(take(&mut rows, links * FOURS_OF_ROW)),
        }
    }
}

/// Running ragdolls of one build.
#[derive(Debug)]
pub struct Ragdoll {
    options: RagdollOptions,
    build: Build,
    pace: Pace,
    clock: Clock,
    bodies: Vec<Body>,
    state: State,

    /// The last two frames, and the seconds between them.
    from: Frame,
    to: Frame,
    between: f64,
    /// Seconds of a frame that the inputs of now are to become with the next step.
    due: Option<f64>,
    /// How many frames there have been, up to two.
    frames: u32,
    /// Gravity of the last call.
    gravity: [f32; 3],

    /// Colliders where they were at the end of the last call, and of the last step.
    colliders: Vec<Collider>,
    now: Vec<Collider>,
    /// Made ready for each small step, one row more than there are; only the first where none moves.
    solids: Vec<Solid>,
    /// Where they will be at the end of the step, and their friction.
    rubs: Vec<contacts::Rub>,
    /// Colliders and pairs that a block may meet in this step: four blocks.
    near: [contacts::Near; 4],
    /// How their points are pressed.
    pressed: Vec<contacts::Press>,
    /// Matrices of the joints of a block.
    worlds: Vec<Affine>,
    /// Points of a block that are kept aside.
    spare: Vec<V3>,
    /// By what the bones of a block have turned since they went limp.
    turns: Vec<Q4>,

    /// This call shows the newest step.
    newest: bool,
    /// The next step takes the inputs as they are.
    exact: bool,
    angles: Angles,
    input: Input,
    output: Output,
}

/// The mask of one lane.
fn lane_mask(lane: usize) -> F4 {
    F4::new([0, 1, 2, 3].map(|l| if l == lane { ON } else { 0.0 }))
}

fn is_on(mask: F4, lane: usize) -> bool {
    mask.as_array()[lane].to_bits() != 0
}

impl Ragdoll {
    fn set_colliders(&mut self, payload: &[f32]) -> Result<()> {
        self.colliders = read_all(payload)?;
        self.now.clone_from(&self.colliders);
        self.input.colliders = poses(&self.colliders);
        self.reserve_solids();
        self.wake_all();
        Ok(())
    }

    /// The body that a command is for.
    fn body(&self, payload: &[f32], least: usize) -> Result<usize> {
        match payload.first().map(|v| *v as usize) {
            Some(body) if body < self.bodies.len() && payload.len() >= least => Ok(body),
            _ => Err(Error::input(text![
                "the operation takes the number of a body below ",
                self.bodies.len(),
                " first, and ",
                least,
                " numbers in all"
            ])),
        }
    }

    fn wake_all(&mut self) {
        for b in 0..self.state.blocks.len() {
            self.wake(b, splat(ON));
        }
    }

    /// Wakes some bodies of a block.
    #[inline(never)]
    fn wake(&mut self, b: usize, mask: F4) {
        let Own { block, at, mark, .. } = self.state.own(&self.build, b);
        block.awake |= block.limp & mask;
        block.since = select(mask, F4::ZERO, block.since);
        keep(mark, at, mask);
    }

    /// Steps as the options say from now on; velocities of the state are those of a small step.
    fn take_pace(&mut self) {
        let old = self.pace.seconds;
        self.pace = Pace::of(&self.options);
        if self.pace.seconds == old {
            return;
        }
        for b in 0..self.state.blocks.len() {
            let Own { at, was, .. } = self.state.own(&self.build, b);
            for (at, was) in at.iter().zip(was) {
                *was = *at - (*at - *was) * splat(self.pace.seconds / old);
            }
        }
    }

    /// Works out what depends on the options.
    fn options_changed(&mut self) {
        self.take_pace();
        self.reserve_solids();
        self.wake_all();
    }

    /// So that a step need not allocate.
    fn reserve_solids(&mut self) {
        self.solids.clear();
        self.solids.reserve(self.colliders.len() * (self.pace.parts as usize + 1));
        let parts = self.pace.parts;
        self.rubs = self.colliders.iter().map(|collider| contacts::Rub::of(collider, parts)).collect();
        for near in &mut self.near {
            near.reserve(self.colliders.len(), self.build.pairs.len());
        }
    }

    fn hit(&mut self, payload: &[f32]) -> Result<()> {
        let body = self.body(payload, 8)?;
        check_reach("the hit", "", &payload[1..])?;
        let (b, lane) = (body / 4, body % 4);
        let (point, falloff) = (V3::splat([payload[1], payload[2], payload[3]]), payload[7]);
        let step = V3::splat([payload[4], payload[5], payload[6]]) * splat(self.pace.seconds);
        let Own { block, at, was, weight, .. } = self.state.own(&self.build, b);
        for ((at, was), weight) in at.iter().zip(was).zip(weight) {
            let away = *at + block.origin - point;
            let square = f64::from(away.dot(away).as_array()[lane]);
            let part = if falloff > 0.0 { crate::number::exp(-square / f64::from(falloff)) as f32 } else { 1.0 };
            let free = lane_mask(lane) & block.limp & greater(*weight, F4::ZERO);
            *was = V3::select(free, *was - step * splat(part), *was);
        }
        self.wake(b, lane_mask(lane));
        Ok(())
    }

    /// Makes a body that is limp begin to get up, from what is drawn now.
    fn get_up(&mut self, payload: &[f32]) -> Result<()> {
        let body = self.body(payload, 3)?;
        let seconds = payload[1];
        if !(0.0..=60.0).contains(&seconds) {
            return Err(Error::option("duration must be a number from 0 to 60 (s)"));
        }
        if self.bodies[body].mode != Mode::Limp {
            return Ok(());
        }
        let newest = self.newest;
        self.newest |= payload[2] != 0.0;
        self.begin_to_rise(body);
        self.newest = newest;
        self.bodies[body] = Body { elapsed: -1.0, duration: f64::from(seconds), ..Body::new(Mode::GettingUp) };
        self.leave(body);
        self.show_block(body / 4);
        Ok(())
    }

    /// A body is no longer simulated.
    fn leave(&mut self, body: usize) {
        let off = lane_mask(body % 4);
        let Own { block, at, was, .. } = self.state.own(&self.build, body / 4);
        for mask in [&mut block.limp, &mut block.awake, &mut block.driven] {
            *mask &= !off;
        }
        keep(was, at, off);
    }
}

impl Pace {
    fn of(options: &RagdollOptions) -> Pace {
        let parts = if options.classic { 1 } else { options.iterations };
        let part = |whole: f32| crate::number::root(f64::from(whole), parts) as f32;
        let seconds = (STEP / f64::from(parts)) as f32;
        let pass = (STEP / f64::from(options.iterations)) as f32;
        Pace {
            parts,
            seconds,
            keep: splat(part(options.velocity_keep)),
            slide: splat(part(1.0 - options.floor_friction)),
            hold: splat(contacts::hold_of(options.floor_friction)),
            ease: splat(EASE * STEP as f32),
            ease_angle: splat(EASE_ANGLE * pass),
            kick: splat(KICK * seconds),
            kick_angle: splat(KICK_ANGLE * seconds),
            strong: splat(1.0 - part(1.0 - STRONG)),
            tiny: splat(1e-12),
        }
    }
}

/// How fast what was inside something, or bent too far, when the body went limp comes back, m/s and rad/s.
const EASE: f32 = 0.2;
const EASE_ANGLE: f32 = 0.5;

/// Part of the way to its pose that a limb of strength 1 goes in a step of 1/120 s.
const STRONG: f32 = 0.7;

/// How fast what came to be inside, or bent too far, otherwise than by moving there comes back at most, m/s and rad/s.
const KICK: f32 = 0.3;
const KICK_ANGLE: f32 = 2.0;

impl Simulation for Ragdoll {
    fn options(&self) -> String {
        let (mut options, mut json) = (self.options, String::new());
        settings::write(&mut options, &mut json);
        json
    }

    fn configure(&mut self, text: &str) -> Result<()> {
        let mut options = self.options;
        settings::set_all(&mut options, text)?;
        self.options = options;
        self.options_changed();
        Ok(())
    }

    fn report(&self) -> String {
        let build = &self.build;
        text![
            "{\"bodies\":",
            self.bodies.len(),
            ",\"points\":",
            build.points.len(),
            ",\"links\":",
            build.links.len(),
            ",\"bones\":",
            build.bones.len(),
            ",\"pairs\":",
            build.pairs.len(),
            "}"
        ]
    }

    fn clock(&mut self) -> &mut Clock {
        &mut self.clock
    }

    fn read_inputs(&mut self) -> Result<()> {
        check_reach("gravity", "m/s²", &self.input.gravity)?;
        check_all(&self.input.colliders, &self.colliders)?;
        if let Some(bad) = self.input.strengths.iter().find(|v| !(0.0..=1.0).contains(*v)) {
            return Err(Error::option(text!["strength must be a number from 0 to 1, got ", bad]));
        }
        let (joints, roots) = (self.build.joints.len(), self.build.roots);
        for b in 0..self.state.blocks.len() {
            self.check_pose(b * joints..(b + 1) * joints, b * roots..(b + 1) * roots)?;
        }
        if self.gravity != self.input.gravity {
            self.gravity = self.input.gravity;
            self.wake_all();
        }
        self.wake_what_is_touched();
        Ok(())
    }

    fn start(&mut self, dt: Option<f64>) -> Result<()> {
        if dt.is_none_or(|dt| dt > 0.0) {
            self.newest = dt.is_none() || !self.options.interpolate;
            // A call without a step leaves its time to the next one's frame.
            self.due = Some(self.due.unwrap_or(0.0) + dt.unwrap_or(STEP));
        }
        self.exact = dt.is_none();
        Ok(())
    }

    fn start_alone(&mut self) {
        self.exact = true;
        // Each step has its own frame, whatever the calls.
        self.due = Some(STEP);
    }

    fn fixed_step(&mut self) {
        if let Some(dt) = self.due.take() {
            self.take_frame(dt);
        }
        self.step();
    }

    fn finish(&mut self) {
        self.show();
        self.settle_inputs();
    }

    fn channels(&self) -> &'static [ChannelInfo] {
        channels::CHANNELS
    }

    fn channel(&mut self, id: u32) -> Option<Channel<'_>> {
        Some(match id {
            channels::POINTS => Channel::F32(&mut self.output.points),
            channels::ROTATIONS => Channel::F32(cast_slice_mut(&mut self.output.rotations)),
            channels::PLACES => Channel::F32(cast_slice_mut(&mut self.output.places)),
            channels::STATES => Channel::U32(&mut self.output.states),
            channels::STATUS => Channel::U32(&mut self.output.status),
            channels::LINKS => Channel::U32(&mut self.output.links),
            channels::POSES => Channel::F32(cast_slice_mut(&mut self.input.frame.poses)),
            channels::PARENTS => Channel::F32(cast_slice_mut(&mut self.input.frame.parents)),
            channels::STRENGTHS => Channel::F32(&mut self.input.strengths),
            channels::GRAVITY => Channel::F32(&mut self.input.gravity),
            channels::COLLIDERS => Channel::F32(&mut self.input.colliders),
            _ => return None,
        })
    }

    fn command(&mut self, op: u32, payload: &[f32]) -> Result<Vec<f32>> {
        match op {
            channels::SET_COLLIDERS => self.set_colliders(payload)?,
            channels::ACTIVATE => self.activate(payload)?,
            channels::HIT => self.hit(payload)?,
            channels::GET_UP => self.get_up(payload)?,
            channels::SETTLE => {
                let body = self.body(payload, 1)?;
                if !self.build.joints.is_empty() {
                    self.bodies[body].mode = Mode::Animated;
                    self.leave(body);
                    self.show_block(body / 4);
                }
            }
            channels::WAKE => {
                let body = self.body(payload, 1)?;
                self.wake(body / 4, lane_mask(body % 4));
            }
            channels::SHOW => {
                // Nor the time that waits, which depends on the frame rate.
                let (newest, due) = (std::mem::replace(&mut self.newest, true), self.due.take());
                self.show();
                (self.newest, self.due) = (newest, due);
            }
            _ => return Err(Error::input(text!["ragdolls have no operation ", op])),
        }
        Ok(Vec::new())
    }

    fn reset(&mut self) {
        self.restart();
    }

    fn teleport(&mut self, matrix: &[f32; 16]) -> Result<()> {
        self.carry_all(matrix)
    }

    fn hash(&self) -> u64 {
        self.digest()
    }
}

impl Ragdoll {
    /// Refuses poses that are no places.
    fn check_pose(&self, joints: std::ops::Range<usize>, roots: std::ops::Range<usize>) -> Result<()> {
        let frame = &self.input.frame;
        if all_within(&frame.poses[joints], FARTHEST) && all_within(&frame.parents[roots], FARTHEST) {
            return Ok(());
        }
        let all: &[f32] = bytemuck::cast_slice(&self.input.frame.poses);
        let bad = all.iter().find(|v| !within_reach(v)).copied().unwrap_or(f32::NAN);
        Err(out_of_reach("the pose of each bone", "", bad))
    }

    /// The inputs of now are a frame.
    fn take_frame(&mut self, dt: f64) {
        self.between = dt;
        self.frames = if self.frames < 2 { self.frames + 1 } else { 2 };
        std::mem::swap(&mut self.from, &mut self.to);
        self.to.poses.copy_from_slice(&self.input.frame.poses);
        self.to.parents.copy_from_slice(&self.input.frame.parents);
        for body in self.bodies.iter_mut().filter(|body| body.mode == Mode::GettingUp) {
            // The first frame is the limp pose still.
            body.elapsed = if body.elapsed < 0.0 { 0.0 } else { body.elapsed + dt };
        }
        for b in 0..self.state.blocks.len() {
            self.rise(b, 0.0, true);
            self.seek_pose(b);
        }
    }

    /// How strongly the bodies of a block seek their poses.
    fn strengths(&self, b: usize) -> F4 {
        F4::new(self.input.strengths.as_chunks().0[b])
    }

    /// Takes the inputs as they are as what the next call interpolates from.
    fn settle_inputs(&mut self) {
        take_poses(&mut self.colliders, &self.input.colliders);
        for b in 0..self.state.blocks.len() {
            let own = self.state.own(&self.build, b);
            own.goal_from.copy_from_slice(own.goal);
        }
    }
}
