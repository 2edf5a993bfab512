//! Jiggle bones: bones whose tips come late, as points on springs.
//!
//! The model is the order sheet's: a tip is a Verlet point that is pulled to where the pose has it, is kept at the bone's
//! length, and turns the bone by the shortest rotation. `create.rs` lays joints out in rows of four, `step.rs` holds one
//! fixed step, `spring.rs` and `limit.rs` the arithmetic of one joint, `show.rs` what is drawn, `state.rs` how it is saved
//! and carried.

pub mod channels;
mod create;
mod limit;
pub mod options;
mod show;
mod spring;
mod state;
mod step;
#[cfg(test)]
mod tests;

use crate::clock::Clock;
use crate::collider::{Collider, FARTHEST, Solid, check_all, check_reach, poses, read_all, solids, take_poses};
use crate::error::{Error, Result};
use crate::lanes::{F4, V3, all_within, splat};
use crate::number::{exp, ln, sin_cos};
use crate::options::{self as settings, describe as describe_options};
use crate::simulation::{Channel, ChannelInfo, Simulation};
use crate::spatial::{Affine, Angles, Drawn, M3, Pose, Q4};
use crate::text;
use bytemuck::{Pod, Zeroable};
use limit::Limit;
pub use options::{JiggleBonesOptions, JiggleChainOptions};
use spring::Spring;
use std::slice::from_ref;

/// The longest time that one call simulates, in seconds; what lies beyond is dropped.
pub const LONGEST: f64 = 1.0 / 15.0;

/// A tip that gets farther from the origin than this, in metres, has diverged.
const OUTERMOST: f32 = 1e7;

/// No joint, no centre.
const NONE: u32 = u32::MAX;

/// The option structs of jiggle bones, for the generator.
pub fn describe() -> Vec<crate::options::StructInfo> {
    vec![describe_options::<JiggleBonesOptions>(), describe_options::<JiggleChainOptions>()]
}

/// One joint of each of four strands.
#[derive(Debug)]
struct Row {
    /// From the head to the tip, in the bones' own space.
    tip: V3,
    /// On where a bone swings: there is a joint, and it is not one that only lies between two others.
    live: F4,
    /// Part of the way back to rest that a step takes.
    stiffness: F4,
    /// Part of the velocity that a step leaves.
    keep: F4,
    /// Towards the rest direction, in metres a step: the stiffness of VRM.
    push: F4,
    /// Some lane is pushed.
    pushes: bool,
    /// The joint's own gravity, metres a step.
    gravity: V3,
    /// What the simulation's gravity, and the wind, do in a step.
    pull: F4,
    breeze: F4,
    radius: F4,
    /// Contacts are looked at once, as VRM has it.
    once: F4,
    limit: Option<Box<LimitRow>>,
    /// Another strand hangs on one of these joints.
    branches: bool,

    /// The pose that the numbers below are of: the last frame's and this one's are the same.
    settled: bool,
    /// The pose has changed since the last frame.
    moving: bool,
    pose: Pose,
    turn: M3,
    /// From the head to the tip as the scale leaves it: direction and length.
    axis: V3,
    side: V3,
    length: F4,
}

/// The tips of a row: its state.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Tip {
    /// Where the heads are: world, metres.
    head: V3,
    /// Where the tips are, and where they were a step ago, from the heads of now: in the axes of the world, metres. Far from
    /// the origin that is as exact as near it.
    at: V3,
    was: V3,
    /// Directions of the bones within their rest pose, of this step and of the last.
    swing: V3,
    swing_last: V3,
}

#[derive(Debug)]
struct LimitRow {
    limit: Limit,
    /// The limits' own rotations.
    own: M3,
}

/// Something that moves as a whole, four of them: world matrices, taken apart.
#[derive(Clone, Copy, Debug)]
struct Frame {
    raw: Affine,
    turn: Q4,
    rest: M3,
}

impl Frame {
    const IDENTITY: Frame = Frame { raw: Affine::IDENTITY, turn: Q4::IDENTITY, rest: M3::IDENTITY };

    #[inline(never)]
    fn of(raw: &Affine) -> Self {
        let (turn, rest) = raw.axes.split();
        Frame { raw: *raw, turn, rest }
    }

    /// Takes the matrix of this call; taken apart anew only where it has changed. Says whether its numbers are within reach.
    fn follow(&mut self, raw: &Affine) -> bool {
        let changed = differ(&self.raw, raw);
        let sound = !changed || all_within(from_ref(raw), FARTHEST);
        if changed && sound {
            *self = Frame::of(raw);
        }
        sound
    }

    /// The matrix on its way to `to`; `to` itself at 1.
    #[inline(never)]
    fn towards(&self, to: &Frame, t: f32) -> Affine {
        if t == 1.0 {
            return to.raw;
        }
        let t = splat(t);
        Affine {
            axes: self.turn.towards(to.turn, t).matrix().after(&self.rest.towards(&to.rest, t)),
            origin: crate::spatial::mix(self.raw.origin, to.raw.origin, t),
        }
    }
}

/// The lanes of the matrices in the slots `places`; no change where there is none.
#[inline(never)]
fn gather(all: &[Affine], places: &[u32; 4]) -> Affine {
    let mut gathered = Affine::IDENTITY;
    for (lane, place) in places.iter().enumerate() {
        if let Some(from) = all.get(*place as usize / 4) {
            gathered.take_lane(lane, from, *place as usize % 4);
        }
    }
    gathered
}

/// Whether any number is another one, or none.
#[inline(always)]
fn differ<T: Pod>(a: &T, b: &T) -> bool {
    let (a, b): (&[F4], &[F4]) = (bytemuck::cast_slice(from_ref(a)), bytemuck::cast_slice(from_ref(b)));
    a.iter().zip(b).fold(F4::ZERO, |other, (a, b)| other | a.simd_ne(*b)).any()
}

/// Four strands of the same length: joints that hang on one another without a branch.
#[derive(Debug)]
struct Block {
    /// First row, and how many.
    row: usize,
    rows: usize,
    /// Which group of chains.
    group: usize,
    /// Slots of the joints on which the strands hang, or [`NONE`].
    parents: [u32; 4],
    /// All hang on joints, rather than on something outside.
    nested: bool,
    /// The chain of each strand, or [`NONE`] where there is no strand.
    chains: [u32; 4],
    /// The block and lane of the root that carries each strand.
    source: [u32; 4],
    /// The centre of each strand, or [`NONE`]; some lane has one.
    centers: [u32; 4],
    centred: bool,
    /// How much of the centre's motion is not felt.
    carried: F4,
    from: Frame,
    to: Frame,
    /// What they hang on has moved since the last frame.
    moving: bool,
    /// On where the root has been put somewhere else in this frame.
    jumped: F4,
    /// Colliders that these strands meet, and on where they do.
    colliders: Vec<(u32, F4)>,
}

/// Four centres, on their way from the last frame to this one.
#[derive(Clone, Copy, Debug)]
struct Center {
    from: Frame,
    to: Frame,
}

/// Chains of one rate.
#[derive(Debug)]
struct Group {
    rate: u32,
    /// Steps that have run.
    steps: u64,
    /// The next step begins at rest.
    fresh: bool,
    /// Blocks, those that hang on others after them.
    blocks: std::ops::Range<usize>,
}

/// What is fixed of a chain besides its options.
#[derive(Clone, Copy, Debug)]
struct Chain {
    vrm: bool,
    group: usize,
}

/// What is fixed of a joint, and by which its chain's options are multiplied.
#[derive(Clone, Copy, Debug)]
struct Joint {
    slot: u32,
    chain: u32,
    stiffness: f32,
    damping: f32,
    gravity: f32,
    wind: f32,
    radius: f32,
    /// Its own gravity, instead of the simulation's.
    own_gravity: Option<[f32; 3]>,
}

/// What JavaScript writes.
#[derive(Debug)]
struct Input {
    poses: Vec<Pose>,
    parents: Vec<Affine>,
    centers: Vec<Affine>,
    wind: [f32; 3],
    gravity: [f32; 3],
    colliders: Vec<f32>,
}

/// Running jiggle bones.
#[derive(Debug)]
pub struct JiggleBones {
    options: JiggleBonesOptions,
    chain_options: Vec<JiggleChainOptions>,
    chains: Vec<Chain>,
    joints: Vec<Joint>,
    report: String,

    /// Counts the steps of the fastest group; the others follow it.
    clock: Clock,
    groups: Vec<Group>,
    blocks: Vec<Block>,
    rows: Vec<Row>,
    tips: Vec<Tip>,
    centers: Vec<Center>,
    /// What took the centres where they are in the step that is run.
    center_steps: Vec<Affine>,
    /// Where the centres were at the last step of each group: `[centre] × groups`.
    centers_now: Vec<Affine>,
    /// World matrices of joints on which other strands hang, by row.
    worlds: Vec<Affine>,
    /// Inputs of the last frame.
    from: Vec<Pose>,
    from_parents: Vec<Affine>,
    from_centers: Vec<Affine>,

    /// Colliders where they were at the end of the last call.
    colliders: Vec<Collider>,
    solids: Vec<Solid>,
    collider_chains: Vec<[u32; 2]>,

    /// There is no frame yet to interpolate from.
    fresh: bool,
    /// The next call carries every strand along with its root.
    carry: bool,
    /// Some strand feels only part of its centre's motion.
    centred: bool,
    /// Cosine of half the angle past which a root has been put somewhere else.
    most_turn: f32,
    /// This call shows the newest swing.
    newest: bool,
    /// The next step takes the inputs as they are.
    exact: bool,

    angles: Angles,
    input: Input,
    slots: Vec<u32>,
    roots: Vec<u32>,
    drawn: Vec<Drawn>,
    status: [u32; 1],
}

impl JiggleBones {
    /// Refuses wind, gravity and colliders that cannot be simulated.
    fn check_air(&self) -> Result<()> {
        check_reach("wind", "m/s", &self.input.wind)?;
        check_reach("gravity", "m/s²", &self.input.gravity)?;
        check_all(&self.input.colliders, &self.colliders)
    }

    /// Takes the inputs as they are as what the next call interpolates from.
    fn settle_inputs(&mut self) {
        for (block, raw) in self.blocks.iter_mut().zip(&mut self.from_parents) {
            if block.moving {
                *raw = block.to.raw;
                block.from = block.to;
            }
        }
        for (center, raw) in self.centers.iter_mut().zip(&mut self.from_centers) {
            *raw = center.to.raw;
            center.from = center.to;
        }
        for ((row, from), to) in self.rows.iter().zip(&mut self.from).zip(&self.input.poses) {
            if row.moving {
                *from = *to;
            }
        }
        take_poses(&mut self.colliders, &self.input.colliders);
    }

    /// Works out what depends on the options.
    fn options_changed(&mut self) {
        let all = &self.options;
        for joint in &self.joints {
            let (chain, own) = (self.chains[joint.chain as usize], &self.chain_options[joint.chain as usize]);
            let (row, lane) = (&mut self.rows[joint.slot as usize / 4], joint.slot as usize % 4);
            let rate = f64::from(self.groups[chain.group].rate);
            let h = 1.0 / rate;
            let factor = f64::from(own.multiplier) * f64::from(joint.stiffness);
            let (stiffness, keep, push, square);
            if chain.vrm {
                // The standard's forces are those of 60 steps a second.
                let slow = 60.0 / rate;
                let kept = f64::from(1.0 - joint.damping);
                let drag = if slow == 1.0 { kept } else { exp(ln(kept.max(1e-9)) * slow) };
                (stiffness, keep, push) = (0.0, drag.max(0.0) as f32, (factor / 60.0 * slow * slow) as f32);
                square = slow * slow / 60.0;
            } else {
                let own_stiffness = own.stiffness.is_some();
                let own_damping = own.damping.is_some();
                let frequency = own.frequency.or(if own_stiffness { None } else { all.frequency });
                let ratio = own.damping_ratio.or(if own_damping { None } else { all.damping_ratio });
                let damping = f64::from(joint.damping);
                let spring = Spring {
                    stiffness: f64::from(own.stiffness.unwrap_or(all.stiffness)) * factor,
                    damping: f64::from(own.damping.unwrap_or(all.damping)) * damping,
                    frequency: frequency.map(|f| f64::from(f) * factor.sqrt()),
                    damping_ratio: ratio.map(|ratio| f64::from(ratio) * damping),
                };
                (stiffness, keep) = spring.step(rate);
                push = 0.0;
                square = h * h;
            }
            let heavy = own.gravity_scale * joint.gravity;
            let gravity = joint.own_gravity.map_or([0.0; 3], |g| g.map(|g| (f64::from(g * heavy) * square) as f32));
            let pull = if joint.own_gravity.is_some() { 0.0 } else { f64::from(heavy) * h * h };
            let put = |into: &mut F4, v: f32| into.as_mut_array()[lane] = v;
            put(&mut row.stiffness, stiffness);
            put(&mut row.keep, keep);
            put(&mut row.push, push);
            row.gravity.set(lane, gravity);
            put(&mut row.pull, pull as f32);
            put(&mut row.breeze, (f64::from(own.wind_response * joint.wind) * h * h) as f32);
            put(&mut row.radius, own.radius * joint.radius);
            put(&mut row.once, if chain.vrm { crate::lanes::ON } else { 0.0 });
        }
        self.most_turn = all.teleport_angle.map_or(-1.0, |angle| sin_cos(f64::from(angle) / 2.0).1 as f32);
        for row in &mut self.rows {
            row.pushes = row.push != F4::ZERO;
        }
        for block in &mut self.blocks {
            for lane in 0..4 {
                let own = self.chain_options.get(block.chains[lane] as usize);
                let felt = own.map_or(1.0, |own| own.inertia);
                block.carried.as_mut_array()[lane] = if block.centers[lane] == NONE { 0.0 } else { 1.0 - felt };
            }
            block.centred = block.carried != F4::ZERO;
        }
        let centred = self.blocks.iter().any(|block| block.centred);
        if centred && !self.centred {
            // They were not followed so far.
            for (c, (center, raw)) in self.centers.iter_mut().zip(&self.input.centers).enumerate() {
                center.to = Frame::of(raw);
                center.from = center.to;
                self.from_centers[c] = *raw;
            }
            self.stand_still();
        }
        self.centred = centred;
    }

    /// The centres have not moved since the last step.
    fn stand_still(&mut self) {
        for (c, now) in self.centers_now.iter_mut().enumerate() {
            *now = self.from_centers[c % self.from_centers.len()];
        }
    }

    fn set_colliders(&mut self, payload: &[f32]) -> Result<()> {
        self.colliders = read_all(payload)?;
        self.input.colliders = poses(&self.colliders);
        self.solids = solids(&self.colliders);
        self.collider_chains.clear();
        self.share_colliders();
        Ok(())
    }

    fn set_collider_chains(&mut self, payload: &[f32]) -> Result<()> {
        let (pairs, rest) = payload.as_chunks::<2>();
        let (colliders, chains) = (self.colliders.len() as f32, self.chains.len() as f32);
        let exists = |v: f32, count: f32| v >= 0.0 && v < count && v == (v as u32) as f32;
        if !rest.is_empty() || !pairs.iter().all(|[a, b]| exists(*a, colliders) && exists(*b, chains)) {
            return Err(Error::option("chains of a collider must be indices of chains"));
        }
        self.collider_chains = pairs.iter().map(|pair| pair.map(|v| v as u32)).collect();
        self.share_colliders();
        Ok(())
    }

    /// Gives each block the colliders that its strands meet.
    fn share_colliders(&mut self) {
        for block in &mut self.blocks {
            block.colliders.clear();
            for collider in 0..self.colliders.len() as u32 {
                let for_all = !self.collider_chains.iter().any(|pair| pair[0] == collider);
                let mut mask = F4::ZERO;
                for lane in 0..4 {
                    let chain = block.chains[lane];
                    if chain != NONE && (for_all || self.collider_chains.contains(&[collider, chain])) {
                        mask.as_mut_array()[lane] = crate::lanes::ON;
                    }
                }
                if mask.any() {
                    block.colliders.push((collider, mask));
                }
            }
        }
    }

    /// Sets options of all and of chains. On an error nothing has changed.
    fn set_options(&mut self, text: &str) -> Result<()> {
        let (mut all, mut chains) = (self.options, self.chain_options.clone());
        settings::settings(text, &mut |path, value| match chain_of(path) {
            Some((i, name)) => match chains.get_mut(i) {
                Some(chain) => settings::set(chain, path, name, value),
                None => Err(Error::option(text![path, ": there are ", self.chains.len(), " chains"])),
            },
            None => settings::set(&mut all, path, path, value),
        })?;
        for (i, (new, old)) in chains.iter().zip(&self.chain_options).enumerate() {
            if new.rate != old.rate {
                return Err(Error::option(text!["chains.", i, ".rate is fixed once it is made"]));
            }
        }
        (self.options, self.chain_options) = (all, chains);
        Ok(())
    }
}

#[cold]
fn bad(what: &str) -> Error {
    Error::input(text!["the ", what, " must be numbers from -", FARTHEST, " to ", FARTHEST])
}

/// `chains.3.stiffness` as the chain 3 and `stiffness`.
fn chain_of(path: &str) -> Option<(usize, &str)> {
    let (i, name) = settings::cut(path.strip_prefix("chains.")?, b'.')?;
    Some((i.parse().ok()?, name))
}

impl Simulation for JiggleBones {
    fn options(&self) -> String {
        let (mut options, mut json) = (self.options, String::new());
        settings::write(&mut options, &mut json);
        json.pop();
        json += ",\"chains\":[";
        for (i, mut chain) in self.chain_options.iter().copied().enumerate() {
            json += if i > 0 { "," } else { "" };
            settings::write(&mut chain, &mut json);
        }
        json + "]}"
    }

    fn configure(&mut self, settings: &str) -> Result<()> {
        self.set_options(settings)?;
        self.options_changed();
        Ok(())
    }

    fn report(&self) -> String {
        self.report.clone()
    }

    fn clock(&mut self) -> &mut Clock {
        &mut self.clock
    }

    fn read_inputs(&mut self) -> Result<()> {
        self.check_air()?;
        let mut sound = true;
        for (block, raw) in self.blocks.iter_mut().zip(&self.input.parents) {
            sound &= block.to.follow(raw);
            block.moving = differ(&block.from.raw, &block.to.raw);
        }
        if self.centred {
            for (center, raw) in self.centers.iter_mut().zip(&self.input.centers) {
                sound &= center.to.follow(raw);
            }
        }
        if !sound {
            return Err(bad("world matrices above the bones"));
        }
        for (r, (row, from)) in self.rows.iter_mut().zip(&self.from).enumerate() {
            let pose = &self.input.poses[r];
            row.moving = differ(from, pose);
            row.settled &= !row.moving;
            if row.moving && !all_within(from_ref(pose), FARTHEST) {
                return Err(bad("position, rotation and scale of each bone"));
            }
        }
        Ok(())
    }

    fn start(&mut self, dt: Option<f64>) -> Result<()> {
        if self.fresh {
            self.settle_inputs();
            self.read_inputs()?;
            self.stand_still();
            self.fresh = false;
        }
        self.follow_jumps();
        // A call of no time leaves what is shown as it is.
        if dt.is_none_or(|dt| dt > 0.0) {
            self.newest = dt.is_none() || !self.options.interpolate;
        }
        self.exact = dt.is_none();
        Ok(())
    }

    fn start_alone(&mut self) {
        self.exact = true;
    }

    fn fixed_step(&mut self) {
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
            channels::ROTATIONS => Channel::F32(bytemuck::cast_slice_mut(&mut self.drawn)),
            channels::STATUS => Channel::U32(&mut self.status),
            channels::SLOTS => Channel::U32(&mut self.slots),
            channels::ROOTS => Channel::U32(&mut self.roots),
            channels::POSES => Channel::F32(bytemuck::cast_slice_mut(&mut self.input.poses)),
            channels::PARENTS => Channel::F32(bytemuck::cast_slice_mut(&mut self.input.parents)),
            channels::CENTERS => Channel::F32(bytemuck::cast_slice_mut(&mut self.input.centers)),
            channels::WIND => Channel::F32(&mut self.input.wind),
            channels::GRAVITY => Channel::F32(&mut self.input.gravity),
            channels::COLLIDERS => Channel::F32(&mut self.input.colliders),
            _ => return None,
        })
    }

    fn command(&mut self, op: u32, payload: &[f32]) -> Result<Vec<f32>> {
        match op {
            channels::SET_COLLIDERS => self.set_colliders(payload)?,
            channels::SET_COLLIDER_CHAINS => self.set_collider_chains(payload)?,
            channels::CARRY => self.carry = true,
            channels::SETTLE => self.settle(),
            channels::READ_TIPS => return Ok(self.drawn_tips()),
            _ => return Err(Error::input(text!["jiggle bones have no operation ", op])),
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
