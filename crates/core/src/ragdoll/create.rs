//! Making ragdolls: the arrays in which a build arrives, checked.

use super::contacts::{Capsule, Press, closest};
use super::limits::{Limit, Points, basis_of};
use super::links::Link;
use super::{
    Block, Body, Bone, Build, FOURS_OF_HELD, FOURS_OF_ROW, FOURS_OF_SEED, Frame, Input, Joint, MAX_STEPS, Mode, NONE,
    Output, PLACES, Pace, Point, Ragdoll, RagdollOptions, STEP, State,
};
use crate::clock::Clock;
use crate::collider::{out_of_reach, within_reach};
use crate::error::{Error, Result};
use crate::lanes::{F4, V3, filled, greater, larger};
use crate::options::set_all;
use crate::sort;
use crate::spatial::{Affine, Angles, Drawn, M3, Pose, Q4, direction};
use crate::text;
use bytemuck::{Pod, Zeroable, cast_slice};

/// Most points of all bodies.
const MOST_POINTS: usize = 4_000_000;

/// Numbers of a point: `[local x, y, z, rest x, y, z, radius, inverse mass, velocity x, y, z]`.
const POINT: usize = 11;
/// Numbers of a limit: `[axis x, y, z, least, most]`.
const LIMIT: usize = 5;
/// Numbers of a bone: `[joint, origin, along, side, carrier, above]`.
const BONE: usize = 6;
/// A link's flags: it keeps its ends from coming nearer only; its rest length is given.
const MIN: u32 = 1;
const GIVEN: u32 = 2;

/// From the first point of a human to the farthest, metres.
const HUMAN: f32 = 1.0;

/// Of what lies nearer than its radii in the rest pose, this part of the distance is kept.
const REST_GAP: f32 = 0.98;

impl Ragdoll {
    /// Refuses what [`Ragdoll::create`] would refuse of `settings`, before anything is allocated for it.
    pub fn check(settings: &str) -> Result<()> {
        set_all(&mut RagdollOptions::default(), settings)
    }

    /// Ragdolls of one build.
    ///
    /// `indices` are `[points, links, joints, bones, limits, capsules, bodies]`; for each point its joint or 2³² − 1; for each
    /// link `[a, b, flags]`, flags 1 for one-sided, 2 for a rest length that is given; for each joint its parent or 2³² − 1,
    /// parents first; for each bone `[joint, origin, along, side or 2³² − 1, carrier or 2³² − 1, next bone above or 2³² − 1]`,
    /// carriers and bones above first; for each limit `[kind, six points]`, kind 0 hinge `[a, joint, axis, b, …]`, 1 cone and
    /// 2 twist `[frame × 3, limb × 3]`; for each capsule `[a, b]`. `reals` are for each point `[local x, y, z, rest x, y, z,
    /// radius, inverse mass, velocity x, y, z]`; for each link its rest length; for each limit `[axis x, y, z, least, most]`;
    /// for each capsule its radius; and without joints for each body a matrix of three rows, column by column.
    pub fn create(settings: &str, reals: &[f32], indices: &[u32]) -> Result<Self> {
        let mut options = RagdollOptions::default();
        set_all(&mut options, settings)?;
        let (mut build, bodies) = read(reals, indices)?;
        let blocks = bodies.div_ceil(4);
        let (n, m) = (build.points.len(), build.links.len());
        let (joints, roots, bones) = (build.joints.len(), build.roots, build.bones.len());
        let frame = || Frame {
            poses: filled(Pose::IDENTITY, joints * blocks),
            parents: filled(Affine::IDENTITY, roots * blocks),
        };
        let mut links = Vec::new();
        build.links.iter().for_each(|link| links.extend_from_slice(&[link.a, link.b]));
        build.schedule();
        let drawn = Drawn { rotation: Q4::IDENTITY, euler: V3::ZERO };
        let mut ragdoll = Ragdoll {
            pace: Pace::of(&options),
            options,
            clock: Clock::new(STEP, MAX_STEPS),
            bodies: vec![Body::new(Mode::Animated); bodies],
            state: State {
                places: filled(V3::ZERO, PLACES * n * blocks),
                numbers: filled(F4::ZERO, build.numbers() * blocks),
                rows: filled(F4::ZERO, m * FOURS_OF_ROW * blocks),
                blocks: filled(Block::zeroed(), blocks),
            },
            from: frame(),
            to: frame(),
            between: STEP,
            due: None,
            frames: 0,
            gravity: [0.0, -9.8, 0.0],
            colliders: Vec::new(),
            now: Vec::new(),
            solids: Vec::new(),
            rubs: Vec::new(),
            near: Default::default(),
            pressed: vec![Press::NONE; n * 4],
            worlds: filled(Affine::IDENTITY, joints + 1),
            spare: filled(V3::ZERO, n),
            turns: filled(Q4::IDENTITY, bones),
            newest: true,
            exact: false,
            angles: Angles::new(),
            input: Input {
                frame: frame(),
                strengths: vec![0.0; blocks * 4],
                gravity: [0.0, -9.8, 0.0],
                colliders: Vec::new(),
            },
            output: Output {
                points: vec![0.0; n * bodies * 3],
                rotations: filled(drawn, joints * blocks),
                places: filled(V3::ZERO, joints * blocks),
                states: vec![0; bodies],
                status: [0, 0],
                links,
            },
            build,
        };
        ragdoll.reserve_solids();
        ragdoll.restart();
        Ok(ragdoll)
    }
}

#[cold]
fn broken() -> Error {
    Error::input("ragdoll: the arrays do not fit together")
}

/// Takes the first `count` rows of `width` numbers off an array.
#[inline(never)]
fn take<'a>(all: &mut &'a [u32], count: usize, width: usize) -> Result<&'a [u32]> {
    let (rows, rest) = count.checked_mul(width).and_then(|n| all.split_at_checked(n)).ok_or_else(broken)?;
    *all = rest;
    Ok(rows)
}

/// The same, as rows.
fn rows<'a, T: Pod, const N: usize>(all: &mut &'a [u32], count: usize) -> Result<&'a [[T; N]]> {
    Ok(cast_slice(take(all, count, N * size_of::<T>() / 4)?).as_chunks().0)
}

/// Whether all are numbers of something of which there are `count`.
#[inline(never)]
fn exist(all: &[u32], count: usize) -> bool {
    all.iter().all(|index| (*index as usize) < count)
}

/// The error for a number of something that there are many of.
#[cold]
fn wrong(list: &str, index: usize, what: &str) -> Error {
    Error::option(text![list, "[", index, "]", what])
}

/// Refuses something that is made of points which there are not.
#[inline(never)]
fn of_points(list: &str, index: usize, points: &[u32], count: usize) -> Result<()> {
    match points.iter().find(|p| !exist(&[**p], count)) {
        Some(p) => Err(wrong(list, index, &text![": there is no point ", p])),
        None => Ok(()),
    }
}

fn read(reals: &[f32], mut indices: &[u32]) -> Result<(Build, usize)> {
    if let Some(bad) = reals.iter().find(|v| !within_reach(v)) {
        return Err(out_of_reach("a number of the ragdoll", "", *bad));
    }
    let mut reals: &[u32] = cast_slice(reals);
    let [counts] = rows::<u32, 7>(&mut indices, 1)? else { return Err(broken()) };
    let [n, m, joints, bones, limits, capsules, bodies] = counts.map(|count| count as usize);
    if n == 0 || bodies == 0 {
        return Err(Error::option("points and bodies must be at least one"));
    }
    if n.checked_mul(bodies).is_none_or(|all| all > MOST_POINTS) {
        return Err(Error::option(text!["points of all bodies must be at most ", MOST_POINTS]));
    }
    let points: &[Point] = cast_slice(take(&mut reals, n, POINT)?);
    let carriers = take(&mut indices, n, 1)?;
    let mut build = Build {
        points: points.to_vec(),
        carriers: carriers.to_vec(),
        links: Vec::new(),
        joints: Vec::new(),
        roots: 0,
        bones: Vec::new(),
        limits: Vec::new(),
        capsules: Vec::new(),
        unit: 1.0,
        pairs: Vec::new(),
        placed: Vec::new(),
    };
    let mut heavy = false;
    let mut rest = filled(V3::ZERO, n);
    for (i, point) in points.iter().enumerate() {
        if (joints > 0) != exist(&carriers[i..=i], joints) {
            return Err(wrong("points", i, " must have a bone where others have one, and else none"));
        }
        if joints == 0 {
            build.carriers[i] = 0;
        }
        if point.radius < 0.0 || point.weight < 0.0 {
            return Err(wrong("points", i, " must have a radius and a mass of at least 0"));
        }
        heavy |= point.weight > 0.0;
        rest[i] = V3::splat(point.rest);
    }
    if !heavy {
        return Err(Error::option("points must have a mass: none of them can move"));
    }
    let rests: &[f32] = cast_slice(take(&mut reals, m, 1)?);
    for (i, ([ends @ .., flags], length)) in rows::<u32, 3>(&mut indices, m)?.iter().zip(rests).enumerate() {
        let [a, b] = *ends;
        of_points("links", i, ends, n)?;
        if a == b || *length < 0.0 {
            return Err(wrong("links", i, " must link two points, at a distance of at least 0"));
        }
        let rest = (flags & GIVEN != 0).then_some(*length);
        build.links.push(Link { a, b, min: flags & MIN != 0, rest });
    }
    for (j, parent) in take(&mut indices, joints, 1)?.iter().enumerate() {
        let hangs = *parent != NONE;
        if hangs && *parent as usize >= j {
            return Err(broken());
        }
        let root = if hangs { NONE } else { build.roots as u32 };
        build.roots += usize::from(!hangs);
        build.joints.push(Joint { parent: *parent, root, bone: NONE });
    }
    let all: &[Bone] = cast_slice(take(&mut indices, bones, BONE)?);
    build.bones = all.to_vec();
    for (i, bone) in all.iter().enumerate() {
        let earlier = |bone: u32| bone == NONE || exist(&[bone], i);
        if !exist(&[bone.joint], joints) || !earlier(bone.carrier) || !earlier(bone.above) {
            return Err(broken());
        }
        let [o, along, side] = bone.points;
        of_points("bones", i, if side == NONE { &bone.points[..2] } else { &bone.points }, n)?;
        if o == along || o == side || along == side {
            return Err(wrong("bones", i, ".points must differ"));
        }
        if side != NONE && flat(&rest, &bone.points) {
            return Err(wrong("bones", i, ".points must not lie in a line"));
        }
        build.joints[bone.joint as usize].bone = i as u32;
    }
    if build.joints.iter().any(|joint| joint.parent == NONE && joint.bone == NONE) {
        return Err(broken());
    }
    let numbers = rows::<f32, LIMIT>(&mut reals, limits)?;
    for (i, ([kind, points @ ..], numbers)) in rows::<u32, 7>(&mut indices, limits)?.iter().zip(numbers).enumerate() {
        let used = [4, 5, 6].get(*kind as usize).copied().ok_or_else(broken)?;
        of_points("limits", i, &points[..used], n)?;
        build.limits.push(limit(&mut rest, *kind, points, numbers).ok_or_else(|| {
            wrong(
                "limits",
                i,
                " must have points that do not lie in a line, an axis, and angles from -π to π, the least first",
            )
        })?);
    }
    let radii: &[f32] = cast_slice(take(&mut reals, capsules, 1)?);
    for (i, (points, radius)) in rows::<u32, 2>(&mut indices, capsules)?.iter().zip(radii).enumerate() {
        of_points("capsules", i, points, n)?;
        if *radius < 0.0 {
            return Err(wrong("capsules", i, " must have a radius of at least 0"));
        }
        build.capsules.push(Capsule { points: *points, radius: *radius });
    }
    if joints == 0 {
        for columns in rows::<[f32; 3], 4>(&mut reals, bodies)? {
            let [x, y, z, origin] = columns.map(V3::splat);
            build.placed.push(Affine { axes: M3 { x, y, z }, origin });
        }
    }
    if !reals.is_empty() || !indices.is_empty() {
        return Err(broken());
    }
    let far = rest.iter().fold(F4::ZERO, |most, at| larger((*at - rest[0]).dot(*at - rest[0]), most)).sqrt();
    // As against a human.
    let far = far.as_array()[0];
    build.unit = if far > 0.0 { far / HUMAN } else { 1.0 };
    build.find_pairs(&rest);
    Ok((build, bodies))
}

/// Whether three points lie in a line in the rest pose.
fn flat(rest: &[V3], points: &[u32; 3]) -> bool {
    let [o, along, side] = points.map(|p| rest[p as usize]);
    let (along, side) = (along - o, side - o);
    let square = |v: V3| v.dot(v).as_array()[0];
    square(along.cross(side)) <= 1e-8 * square(along) * square(side)
}

/// A limit with what it needs of the rest pose, which is widened to hold that pose.
fn limit(rest: &mut [V3], kind: u32, points: &[u32; 6], numbers: &[f32; LIMIT]) -> Option<Limit> {
    let [ax, ay, az, least, most] = *numbers;
    let pi = std::f32::consts::PI;
    if !(least >= -pi - 1e-6 && most <= pi + 1e-6 && least <= most) {
        return None;
    }
    let [f0, f1, f2, limb @ ..] = *points;
    let frame = [f0, f1, f2];
    let points = Points { at: rest, was: &mut [], weight: &[], angles: &Angles::new(), kick: F4::ZERO };
    if kind == 0 {
        let four = [f0, f1, f2, limb[0]];
        let (now, [before, behind]) = points.bend(&four, 0.0);
        let line = points.at[f2 as usize] - points.at[f1 as usize];
        let product = (before.dot(before) * behind.dot(behind) * line.dot(line)).as_array()[0];
        if product.is_nan() || product <= 0.0 {
            return None;
        }
        let now = now.as_array()[0];
        let (least, most) = (if now < least { now } else { least }, if now > most { now } else { most });
        return Some(Limit::Hinge { points: four, middle: (least + most) / 2.0, half: (most - least) / 2.0 });
    }
    if flat(points.at, &frame) || (kind == 2 && flat(points.at, &limb)) || limb[0] == limb[1] {
        return None;
    }
    let basis = basis_of(points.at, &frame);
    let [j, tip] = [limb[0], limb[1]].map(|p| points.at[p as usize]);
    let (way, length) = direction(tip - j, V3::ZERO);
    let inside = |v: V3| basis.transposed_times(v).get(0);
    if kind == 1 {
        let (axis, size) = direction(V3::splat([ax, ay, az]), V3::ZERO);
        if !greater(length * size, F4::ZERO).all() {
            return None;
        }
        let (axis, limb) = (inside(axis), [limb[0], limb[1], NONE]);
        let now = points.swing(&frame, &limb, axis).0.as_array()[0] + 1e-3;
        let most = if now > most { now } else { most };
        return Some(Limit::Cone { frame, limb, axis, most: if most < pi { most } else { pi } });
    }
    let side = points.at[limb[2] as usize] - j;
    let (side, _) = direction(side - way * way.dot(side), V3::ZERO);
    Some(Limit::Twist { frame, limb, axis: inside(way), side: inside(side), most })
}

impl Build {
    /// Numbers of a block, of which [`super::Own`] is made.
    pub(super) fn numbers(&self) -> usize {
        3 * self.points.len()
            + self.limits.len()
            + self.pairs.len()
            + FOURS_OF_SEED * self.bones.len()
            + FOURS_OF_HELD * self.joints.len()
    }

    /// Puts links that share no point beside one another, so that none waits for the one before it. Links that share one stay
    /// in their order, and others may change places without a bit of difference.
    fn schedule(&mut self) {
        let mut next = vec![0u32; self.points.len()];
        let mut order: Vec<sort::Row> = Vec::new();
        for (l, link) in self.links.iter().enumerate() {
            let [a, b] = [link.a, link.b].map(|p| p as usize);
            let level = if next[a] > next[b] { next[a] } else { next[b] };
            (next[a], next[b]) = (level + 1, level + 1);
            order.push([level, l as u32, 0, 0]);
        }
        sort::sort(&mut order);
        self.links = order.iter().map(|[_, l, ..]| self.links[*l as usize]).collect();
    }

    /// The points of two capsules.
    pub(super) fn ends(&self, pair: [u32; 2]) -> [usize; 4] {
        let [[a, b], [c, d]] = pair.map(|capsule| self.capsules[capsule as usize].points);
        [a, b, c, d].map(|p| p as usize)
    }

    /// Capsules that share no point keep apart: by their radii, or by less where they are nearer in the rest pose.
    fn find_pairs(&mut self, rest: &[V3]) {
        let neighbours = |a: &Capsule, b: &Capsule| a.points.iter().any(|p| b.points.contains(p));
        let mut pairs = Vec::new();
        for (i, a) in self.capsules.iter().enumerate() {
            for (j, b) in self.capsules.iter().enumerate().skip(i + 1) {
                if neighbours(a, b) {
                    continue;
                }
                let apart = closest(rest, self.ends([i as u32, j as u32])).distance.as_array()[0] * REST_GAP;
                let most = a.radius + b.radius;
                let most = if apart < most { apart } else { most };
                if most > 0.0 {
                    pairs.push(([i as u32, j as u32], most));
                }
            }
        }
        self.pairs = pairs;
    }
}
