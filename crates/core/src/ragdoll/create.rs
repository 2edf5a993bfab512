//! Making ragdolls: the arrays in which a build arrives, checked.

use super::contacts::{Capsule, Press, closest};
use super::limits::Limit;
use super::links::{Link, Row};
use super::{
    Block, Body, Bone, Build, Frame, Held, Input, Joint, MAX_STEPS, Mode, NONE, Output, Pace, Point, Ragdoll,
    RagdollOptions, STEP, Seed, State,
};
use crate::clock::Clock;
use crate::collider::{out_of_reach, within_reach};
use crate::error::{Error, Result};
use crate::lanes::{F4, V3, filled};
use crate::options::set_all;
use crate::sort;
use crate::spatial::{Affine, Angles, Drawn, M3, Pose, Q4, unit};
use crate::text;
use bytemuck::Zeroable;
use glam::{Mat3, Vec3};

/// Most points of all bodies.
const MOST_POINTS: usize = 4_000_000;

/// Numbers of a point: `[local x, y, z, rest x, y, z, radius, inverse mass, velocity x, y, z]`.
const POINT: usize = 11;
/// Numbers of a limit: `[axis x, y, z, least, most]`.
const LIMIT: usize = 5;
/// Numbers of the matrix of a body without joints: its upper three rows, column by column.
const MATRIX: usize = 12;
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
        let points = || filled(V3::ZERO, n * blocks);
        let frame = || Frame {
            poses: filled(Pose::IDENTITY, joints * blocks),
            parents: filled(Affine::IDENTITY, roots * blocks),
        };
        let report = text![
            "{\"bodies\":",
            bodies,
            ",\"points\":",
            n,
            ",\"links\":",
            m,
            ",\"bones\":",
            bones,
            ",\"pairs\":",
            build.pairs.len(),
            "}"
        ];
        let links = build.links.iter().flat_map(|link| [link.a, link.b]).collect();
        build.schedule();
        let drawn = Drawn { rotation: Q4::IDENTITY, euler: V3::ZERO };
        let mut ragdoll = Ragdoll {
            report,
            pace: Pace::of(&options),
            options,
            clock: Clock::new(STEP, MAX_STEPS),
            bodies: vec![Body { mode: Mode::Animated, elapsed: 0.0, duration: 0.0 }; bodies],
            state: State {
                at: points(),
                was: points(),
                last: points(),
                mark: points(),
                goal: points(),
                goal_from: points(),
                weight: filled(F4::ZERO, n * blocks),
                mass: filled(F4::ZERO, n * blocks),
                rows: filled(Row::zeroed(), m * blocks),
                slack: filled(F4::ZERO, build.limits.len() * blocks),
                gaps: filled(F4::ZERO, build.pairs.len() * blocks),
                sunk: filled(F4::ZERO, n * blocks),
                seeds: filled(Seed::zeroed(), bones * blocks),
                held: filled(Held::zeroed(), joints * blocks),
                wanted: filled(Q4::IDENTITY, bones * blocks),
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
            motion: Vec::new(),
            near: Default::default(),
            pressed: vec![Press::NONE; n * 4],
            worlds: filled(Affine::IDENTITY, joints),
            heights: filled(F4::ZERO, n * 4),
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

/// Takes the first `count` rows of `N` numbers off an array.
fn rows<'a, T, const N: usize>(all: &mut &'a [T], count: usize) -> Result<&'a [[T; N]]> {
    let (rows, rest) = count.checked_mul(N).and_then(|n| all.split_at_checked(n)).ok_or_else(broken)?;
    *all = rest;
    Ok(rows.as_chunks().0)
}

/// The error for a number of something that there are many of.
#[cold]
fn wrong(list: &str, index: usize, what: &str) -> Error {
    Error::option(text![list, "[", index, "]", what])
}

fn read(mut reals: &[f32], mut indices: &[u32]) -> Result<(Build, usize)> {
    if let Some(bad) = reals.iter().find(|v| !within_reach(v)) {
        return Err(out_of_reach("a number of the ragdoll", "", *bad));
    }
    let [counts] = rows::<_, 7>(&mut indices, 1)? else { return Err(broken()) };
    let [n, m, joints, bones, limits, capsules, bodies] = counts.map(|count| count as usize);
    if n == 0 || bodies == 0 {
        return Err(Error::option("points must hold at least one, and bodies be at least 1"));
    }
    if n.checked_mul(bodies).is_none_or(|all| all > MOST_POINTS) {
        return Err(Error::option(text!["points of all bodies must be at most ", MOST_POINTS]));
    }
    let exists = |p: u32, count: usize| (p as usize) < count;
    let mut build = Build {
        points: Vec::new(),
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
    for (i, (numbers, [joint])) in
        rows::<_, POINT>(&mut reals, n)?.iter().zip(rows::<_, 1>(&mut indices, n)?).enumerate()
    {
        let [x, y, z, rx, ry, rz, radius, weight, vx, vy, vz] = *numbers;
        if (joints > 0) != exists(*joint, joints) {
            return Err(wrong("points", i, " must have a bone, as the others have, or none as they have none"));
        }
        if radius < 0.0 || weight < 0.0 {
            return Err(wrong("points", i, " must have a radius and a mass of at least 0"));
        }
        heavy |= weight > 0.0;
        build.points.push(Point {
            joint: *joint,
            local: [x, y, z],
            rest: [rx, ry, rz],
            radius,
            weight,
            velocity: [vx, vy, vz],
        });
    }
    if !heavy {
        return Err(Error::option("points must have a mass: none of them can move"));
    }
    for (i, ([a, b, flags], [rest])) in
        rows::<_, 3>(&mut indices, m)?.iter().zip(rows::<_, 1>(&mut reals, m)?).enumerate()
    {
        if let Some(p) = [a, b].into_iter().find(|p| !exists(**p, n)) {
            return Err(wrong("links", i, &text![": there is no point ", p]));
        }
        if a == b || *rest < 0.0 {
            return Err(wrong("links", i, " must link two points, at a distance of at least 0"));
        }
        let rest = (flags & GIVEN != 0).then_some(*rest);
        build.links.push(Link { a: *a, b: *b, min: flags & MIN != 0, rest });
    }
    for (j, [parent]) in rows::<_, 1>(&mut indices, joints)?.iter().enumerate() {
        if *parent != NONE && *parent as usize >= j {
            return Err(broken());
        }
        let root = if *parent == NONE { build.roots as u32 } else { NONE };
        build.roots += usize::from(*parent == NONE);
        build.joints.push(Joint { parent: *parent, root, bone: NONE });
    }
    for (i, [joint, points @ .., carrier, above]) in rows::<_, 6>(&mut indices, bones)?.iter().enumerate() {
        let points: [u32; 3] = *points;
        let earlier = |bone: u32| bone == NONE || (bone as usize) < i;
        if !exists(*joint, joints) || !earlier(*carrier) || !earlier(*above) {
            return Err(broken());
        }
        let [o, along, side] = points;
        if !exists(o, n) || !exists(along, n) || (side != NONE && !exists(side, n)) {
            return Err(wrong("bones", i, ".points must be points of the ragdoll"));
        }
        if o == along || o == side || along == side {
            return Err(wrong("bones", i, ".points must be different points"));
        }
        if side != NONE && flat(&build, &points) {
            return Err(wrong("bones", i, ".points must not lie in a line: they give the roll"));
        }
        build.joints[*joint as usize].bone = i as u32;
        build.bones.push(Bone { joint: *joint, points, carrier: *carrier, above: *above });
    }
    if build.joints.iter().any(|joint| joint.parent == NONE && joint.bone == NONE) {
        return Err(broken());
    }
    for (i, ([kind, points @ ..], numbers)) in
        rows::<_, 7>(&mut indices, limits)?.iter().zip(rows::<_, LIMIT>(&mut reals, limits)?).enumerate()
    {
        let used = [4, 5, 6].get(*kind as usize).copied().ok_or_else(broken)?;
        if points[..used].iter().any(|p| !exists(*p, n)) {
            return Err(wrong("limits", i, " must be of points of the ragdoll"));
        }
        build.limits.push(limit(&build, *kind, points, numbers).ok_or_else(|| {
            wrong("limits", i, " must be of points that do not lie in a line, with an axis that is not 0 and angles from -π to π, the least first")
        })?);
    }
    for (i, (points, [radius])) in
        rows::<_, 2>(&mut indices, capsules)?.iter().zip(rows::<_, 1>(&mut reals, capsules)?).enumerate()
    {
        if points.iter().any(|p| !exists(*p, n)) || *radius < 0.0 {
            return Err(wrong("capsules", i, " must be of points of the ragdoll, with a radius of at least 0"));
        }
        build.capsules.push(Capsule { points: *points, radius: *radius });
    }
    if joints == 0 {
        for columns in rows::<_, MATRIX>(&mut reals, bodies)? {
            let [x, y, z, origin] = std::array::from_fn(|c| V3::splat([0, 1, 2].map(|r| columns[c * 3 + r])));
            build.placed.push(Affine { axes: M3 { x, y, z }, origin });
        }
    }
    if !reals.is_empty() || !indices.is_empty() {
        return Err(broken());
    }
    let middle = rest(&build, 0);
    let far = build.points.iter().map(|point| (Vec3::from_array(point.rest) - middle).length());
    let far = far.fold(0.0, |most, v| if v > most { v } else { most });
    // As against a human.
    build.unit = if far > 0.0 { far / HUMAN } else { 1.0 };
    build.find_pairs();
    Ok((build, bodies))
}

/// Where a point is in the rest pose.
fn rest(build: &Build, p: u32) -> Vec3 {
    Vec3::from_array(build.points[p as usize].rest)
}

/// Whether three points lie in a line in the rest pose.
fn flat(build: &Build, points: &[u32; 3]) -> bool {
    let [o, along, side] = points.map(|p| rest(build, p));
    let (along, side) = (along - o, side - o);
    along.cross(side).length() <= 1e-4 * along.length() * side.length()
}

/// The basis of three points in the rest pose.
fn basis(build: &Build, points: &[u32; 3]) -> Mat3 {
    let [o, along, side] = points.map(|p| V3::splat(rest(build, p).to_array()));
    let M3 { x, y, z } = M3::basis(o, along, side);
    Mat3::from_cols_array_2d(&[x, y, z].map(|axis| axis.get(0)))
}

/// A limit with what it needs of the rest pose, which is widened to hold that pose.
fn limit(build: &Build, kind: u32, points: &[u32; 6], numbers: &[f32; LIMIT]) -> Option<Limit> {
    let [ax, ay, az, least, most] = *numbers;
    let (least, most) = (f64::from(least), f64::from(most));
    let pi = std::f64::consts::PI;
    if !(least >= -pi - 1e-6 && most <= pi + 1e-6 && least <= most) {
        return None;
    }
    if kind == 0 {
        let four = [points[0], points[1], points[2], points[3]];
        let [a, j, x, b] = four.map(|p| rest(build, p));
        let axis = unit(x - j, Vec3::ZERO);
        let (before, behind) = (axis.cross(j - a), axis.cross(b - j));
        let product = before.length() * behind.length();
        if product.is_nan() || product <= 0.0 {
            return None;
        }
        let cos = crate::number::arccosine(f64::from(before.dot(behind) / product));
        let now = if before.cross(behind).dot(axis) < 0.0 { -cos } else { cos };
        let (least, most) = (if now < least { now } else { least }, if now > most { now } else { most });
        let (middle, half) = (((least + most) / 2.0) as f32, ((most - least) / 2.0) as f32);
        return Some(Limit::Hinge { points: four, middle, half });
    }
    let [f0, f1, f2, limb @ ..] = *points;
    let frame = [f0, f1, f2];
    let used = if kind == 1 { [limb[0], limb[1], NONE] } else { limb };
    if flat(build, &frame) || (kind == 2 && flat(build, &limb)) || limb[0] == limb[1] {
        return None;
    }
    let basis = basis(build, &frame);
    let way = unit(rest(build, limb[1]) - rest(build, limb[0]), Vec3::ZERO);
    if kind == 1 {
        let axis = unit(Vec3::new(ax, ay, az), Vec3::ZERO);
        if axis == Vec3::ZERO || way == Vec3::ZERO {
            return None;
        }
        let now = crate::number::arccosine(f64::from(axis.dot(way))) + 1e-3;
        let most = if now > most { now } else { most };
        let axis = (basis.transpose() * axis).to_array();
        let most = (if most < pi { most } else { pi }) as f32;
        return Some(Limit::Cone { frame, limb: used, axis, most });
    }
    let side = rest(build, limb[2]) - rest(build, limb[0]);
    let side = unit(side - way * way.dot(side), Vec3::ZERO);
    let inside = |v: Vec3| (basis.transpose() * v).to_array();
    Some(Limit::Twist { frame, limb, axis: inside(way), side: inside(side), most: most as f32 })
}

impl Build {
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
    fn find_pairs(&mut self) {
        let neighbours = |a: &Capsule, b: &Capsule| a.points.iter().any(|p| b.points.contains(p));
        let at: Vec<V3> = self.points.iter().map(|point| V3::splat(point.rest)).collect();
        let mut pairs = Vec::new();
        for (i, a) in self.capsules.iter().enumerate() {
            for (j, b) in self.capsules.iter().enumerate().skip(i + 1) {
                if neighbours(a, b) {
                    continue;
                }
                let apart = closest(&at, self.ends([i as u32, j as u32])).distance.as_array()[0] * REST_GAP;
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
