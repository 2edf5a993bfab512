//! Making jiggle bones: joints are laid out in strands, and strands of the same length four in a block.

use super::limit::{self, Limit};
use super::options::{JiggleBonesOptions, JiggleChainOptions};
use super::state::clock;
use super::{
    Block, Center, Chain, Drawn, Frame, Group, Input, JiggleBones, Joint, LimitRow, NONE, Pose, Row, Tip, chain_of,
};
use crate::collider::{out_of_reach, within_reach};
use crate::error::{Error, Result};
use crate::lanes::{F4, ON, V3, splat};
use crate::options::{set, settings};
use crate::spatial::{Affine, M3, Q4};

/// Most joints of a simulation.
const MOST_JOINTS: usize = 1_000_000;

/// Numbers of a joint: `[tip x, y, z, factors of stiffness, damping, gravity, wind and radius, own gravity x, y, z]` and those
/// of its limit.
const REALS: usize = 11 + limit::NUMBERS;

/// Indices of a joint: `[parent or none, chain, flags]`.
const INDICES: usize = 3;
/// A joint's flag: it only lies between two that swing.
const BETWEEN: u32 = 1;
/// A joint's flag: it has a gravity of its own.
const OWN_GRAVITY: u32 = 2;
/// A chain's flag: it follows the arithmetic of VRM.
const VRM: u32 = 1;

/// Options of all and of each chain, checked.
fn read(text: &str) -> Result<(JiggleBonesOptions, Vec<JiggleChainOptions>)> {
    let (mut all, mut chains) = (JiggleBonesOptions::default(), Vec::new());
    settings(text, |path, value| match chain_of(path) {
        Some((i, _)) if i > MOST_JOINTS => Err(Error::option(format!("chains must be at most {MOST_JOINTS}"))),
        Some((i, name)) => {
            if chains.len() <= i {
                chains.resize(i + 1, JiggleChainOptions::default());
            }
            set(&mut chains[i], path, name, value)
        }
        None => set(&mut all, path, path, value),
    })?;
    Ok((all, chains))
}

/// Joints that hang on one another without a branch.
struct Strand {
    joints: Vec<u32>,
    level: u32,
    group: u32,
    root: usize,
}

impl JiggleBones {
    /// Refuses what [`JiggleBones::create`] would refuse of `settings`, before anything is allocated for it.
    pub fn check(settings: &str) -> Result<()> {
        read(settings).map(drop)
    }

    /// Jiggle bones of the settings `chains.N.…` for chain N, and others for all.
    ///
    /// `indices` are `[joints, chains, centres]`; for each joint `[parent, chain, flags]`, parents first, a parent of
    /// 2³² − 1 for a root, flags 1 for one that only lies between two others and 2 for one with a gravity of its own; and for
    /// each chain `[flags, centre]`, flags 1 for VRM's arithmetic. `reals` are for each joint
    /// `[tip x, y, z, factors of stiffness, damping, gravity, wind and radius, own gravity x, y, z, limit's kind, angle, theta,
    /// rotation x, y, z, w]`.
    pub fn create(settings: &str, reals: &[f32], indices: &[u32]) -> Result<Self> {
        let (options, mut chain_options) = read(settings)?;
        let broken = || Error::input("jiggle bones: the arrays do not fit together");
        let ([joints, chains, centers], rest) = match indices.split_first_chunk::<3>() {
            Some((counts, rest)) => (counts.map(|n| n as usize), rest),
            None => return Err(broken()),
        };
        if joints == 0 || chains == 0 {
            return Err(Error::option("chains must hold at least one bone"));
        }
        if joints > MOST_JOINTS || chains > joints || centers > chains || chain_options.len() > chains {
            return Err(broken());
        }
        if rest.len() != joints * INDICES + chains * 2 || reals.len() != joints * REALS {
            return Err(broken());
        }
        if let Some(i) = reals.iter().position(|v| !within_reach(v)) {
            let what = if i % REALS < 3 { "tip" } else { "options" };
            return Err(out_of_reach(&format!("{what} of bone {}", i / REALS), "", reals[i]));
        }
        let (joint_indices, chain_indices) = rest.split_at(joints * INDICES);
        let joint_indices = joint_indices.as_chunks::<INDICES>().0;
        let chain_indices = chain_indices.as_chunks::<2>().0;
        let sound = |(j, [parent, chain, _]): (usize, &[u32; INDICES])| {
            (*parent == NONE || (*parent as usize) < j) && (*chain as usize) < chains
        };
        if !joint_indices.iter().enumerate().all(sound)
            || !chain_indices.iter().all(|[_, center]| *center == NONE || (*center as usize) < centers)
        {
            return Err(broken());
        }
        chain_options.resize(chains, JiggleChainOptions::default());

        // The fastest group first: its time is the simulation's.
        let mut rates: Vec<u32> = Vec::new();
        for chain in &chain_options {
            let place = rates.iter().position(|rate| *rate <= chain.rate).unwrap_or(rates.len());
            if rates.get(place) != Some(&chain.rate) {
                rates.insert(place, chain.rate);
            }
        }
        let group_of = |chain: u32| {
            let rate = chain_options[chain as usize].rate;
            rates.iter().position(|other| *other == rate).unwrap_or_default()
        };

        let strands = strands(joint_indices, &group_of)?;
        let mut layout = Layout { made: Vec::new(), rows: Vec::new(), slots: vec![0; joints] };
        layout.place(&strands, joint_indices);
        let Layout { made, mut rows, slots } = layout;

        let mut blocks: Vec<Block> = Vec::new();
        let mut place_of = vec![NONE; strands.len()];
        for (b, lanes) in made.iter().enumerate() {
            for (lane, strand) in lanes.strands.iter().enumerate() {
                if *strand != NONE {
                    place_of[*strand as usize] = (b * 4 + lane) as u32;
                }
            }
        }
        let mut roots = Vec::new();
        for (b, lanes) in made.iter().enumerate() {
            let mut block = Block {
                row: lanes.row,
                rows: lanes.rows,
                group: lanes.group,
                parents: [NONE; 4],
                nested: false,
                chains: [NONE; 4],
                source: [NONE; 4],
                centers: [NONE; 4],
                centred: false,
                carried: F4::ZERO,
                from: Frame::IDENTITY,
                to: Frame::IDENTITY,
                jumped: F4::ZERO,
                colliders: Vec::new(),
            };
            for (lane, strand) in lanes.strands.iter().enumerate() {
                let Some(strand) = strands.get(*strand as usize) else { continue };
                let first = strand.joints[0];
                let [parent, chain, _] = joint_indices[first as usize];
                block.chains[lane] = chain;
                block.centers[lane] = chain_indices[chain as usize][1];
                block.source[lane] = place_of[strand.root];
                if parent == NONE {
                    roots.extend([first, (b * 4 + lane) as u32]);
                } else {
                    block.parents[lane] = slots[parent as usize];
                    block.nested = true;
                    rows[slots[parent as usize] as usize / 4].branches = true;
                }
            }
            blocks.push(block);
        }

        let mut all_joints = Vec::with_capacity(joints);
        for (j, (numbers, [_, chain, flags])) in reals.as_chunks::<REALS>().0.iter().zip(joint_indices).enumerate() {
            let (row, lane) = (&mut rows[slots[j] as usize / 4], slots[j] as usize % 4);
            row.tip.set(lane, [numbers[0], numbers[1], numbers[2]]);
            if flags & BETWEEN == 0 && numbers[..3] != [0.0; 3] {
                row.live.as_mut_array()[lane] = ON;
            }
            let own = &numbers[11..];
            if own[0] != 0.0 {
                let limits =
                    row.limit.get_or_insert_with(|| Box::new(LimitRow { limit: Limit::NONE, own: M3::IDENTITY }));
                limits.limit.set(lane, own);
                let q = Q4 { v: V3::splat([own[3], own[4], own[5]]), w: splat(own[6]) }.normalized().matrix();
                limits.own.x.set(lane, q.x.get(0));
                limits.own.y.set(lane, q.y.get(0));
                limits.own.z.set(lane, q.z.get(0));
            }
            all_joints.push(Joint {
                slot: slots[j],
                chain: *chain,
                stiffness: numbers[3],
                damping: numbers[4],
                gravity: numbers[5],
                wind: numbers[6],
                radius: numbers[7],
                own_gravity: (flags & OWN_GRAVITY != 0).then_some([numbers[8], numbers[9], numbers[10]]),
            });
        }

        let groups = rates.iter().enumerate().map(|(g, rate)| {
            let first = blocks.iter().position(|block| block.group == g).unwrap_or(blocks.len());
            let count = blocks.iter().filter(|block| block.group == g).count();
            Group { rate: *rate, clock: clock(*rate), due: 0, ran: 0, fresh: true, blocks: first..first + count }
        });
        let groups: Vec<Group> = groups.collect();
        let chains = chain_indices
            .iter()
            .enumerate()
            .map(|(c, [flags, _])| Chain { vrm: flags & VRM != 0, group: group_of(c as u32) });
        let chains: Vec<Chain> = chains.collect();
        let centers =
            vec![Center { from: Frame::IDENTITY, to: Frame::IDENTITY, step: Affine::IDENTITY }; centers.div_ceil(4)];
        let poses = vec![Pose::IDENTITY; rows.len()];
        let parents = vec![Affine::IDENTITY; blocks.len()];
        let center_matrices = vec![Affine::IDENTITY; centers.len()];
        let mut bones = JiggleBones {
            options,
            report: format!("{{\"joints\":{joints},\"chains\":{},\"blocks\":{}}}", chains.len(), blocks.len()),
            chain_options,
            chains,
            joints: all_joints,
            worlds: vec![Affine::IDENTITY; rows.len()],
            from: poses.clone(),
            from_parents: parents.clone(),
            from_centers: center_matrices.clone(),
            centers_now: vec![Affine::IDENTITY; centers.len() * groups.len()],
            drawn: vec![Drawn { rotation: Q4::IDENTITY, euler: V3::ZERO }; rows.len()],
            tips: vec![Tip::REST; rows.len()],
            groups,
            input: Input {
                poses,
                parents,
                centers: center_matrices,
                wind: [0.0; 3],
                gravity: [0.0, -4.32, 0.0],
                colliders: Vec::new(),
            },
            blocks,
            rows,
            centers,
            colliders: Vec::new(),
            solids: Vec::new(),
            collider_chains: Vec::new(),
            fresh: true,
            carry: false,
            centred: false,
            most_turn: -1.0,
            newest: true,
            due: 0,
            ran: 0,
            reread: false,
            slots,
            roots,
            status: [0],
        };
        bones.options_changed();
        bones.restart();
        Ok(bones)
    }
}

/// Cuts the joints into strands.
fn strands(joints: &[[u32; INDICES]], group_of: &impl Fn(u32) -> usize) -> Result<Vec<Strand>> {
    let mut children = vec![0u32; joints.len()];
    for [parent, ..] in joints {
        if *parent != NONE {
            children[*parent as usize] += 1;
        }
    }
    let mut strands: Vec<Strand> = Vec::new();
    let mut strand_of = vec![0usize; joints.len()];
    for (j, [parent, chain, _]) in joints.iter().enumerate() {
        let group = group_of(*chain) as u32;
        let mut level = 0;
        let mut root = strands.len();
        if *parent != NONE {
            let above = strand_of[*parent as usize];
            let [_, other, _] = joints[*parent as usize];
            if strands[above].group != group {
                return Err(Error::option(format!(
                    "chains.{chain}.rate must be that of chain {other}, on which it hangs"
                )));
            }
            if other == *chain && children[*parent as usize] == 1 {
                strands[above].joints.push(j as u32);
                strand_of[j] = above;
                continue;
            }
            level = strands[above].level + 1;
            root = strands[above].root;
        }
        strand_of[j] = strands.len();
        strands.push(Strand { joints: vec![j as u32], level, group, root });
    }
    Ok(strands)
}

/// Which strands share a block.
struct Lanes {
    strands: [u32; 4],
    row: usize,
    rows: usize,
    group: usize,
}

/// Where strands and joints go.
struct Layout {
    made: Vec<Lanes>,
    rows: Vec<Row>,
    slots: Vec<u32>,
}

impl Layout {
    /// By group, then those that hang on others after them, then by length; four of the same in a block.
    fn place(&mut self, strands: &[Strand], joints: &[[u32; INDICES]]) {
        let mut order: Vec<[u32; 4]> =
            strands.iter().enumerate().map(|(i, s)| [s.group, s.level, s.joints.len() as u32, i as u32]).collect();
        order.sort_unstable();
        let mut rest = &order[..];
        while let Some([group, level, length, _]) = rest.first().copied() {
            let alike = rest.iter().take(4).take_while(|row| row[..3] == [group, level, length]).count();
            let (four, others) = rest.split_at(alike);
            rest = others;
            let mut lanes = [NONE; 4];
            let first = self.rows.len();
            for (lane, [.., strand]) in four.iter().enumerate() {
                lanes[lane] = *strand;
                for (i, joint) in strands[*strand as usize].joints.iter().enumerate() {
                    self.slots[*joint as usize] = ((first + i) * 4 + lane) as u32;
                }
            }
            self.rows.extend(std::iter::repeat_n(Row::EMPTY, length as usize));
            self.made.push(Lanes { strands: lanes, row: first, rows: length as usize, group: group as usize });
        }
        debug_assert_eq!(joints.len(), self.slots.len());
    }
}

impl Row {
    /// No joints.
    const EMPTY: Row = Row {
        tip: V3::ZERO,
        live: F4::ZERO,
        stiffness: F4::ZERO,
        keep: F4::ZERO,
        push: F4::ZERO,
        pushes: false,
        gravity: V3::ZERO,
        pull: F4::ZERO,
        breeze: F4::ZERO,
        radius: F4::ZERO,
        once: F4::ZERO,
        limit: None,
        branches: false,
        settled: false,
        moving: false,
        pose: Pose::IDENTITY,
        turn: M3::IDENTITY,
        axis: M3::IDENTITY.y,
        side: M3::IDENTITY.x,
        length: F4::ZERO,
    };
}

impl Tip {
    /// At rest.
    const REST: Tip =
        Tip { head: V3::ZERO, at: V3::ZERO, was: V3::ZERO, swing: M3::IDENTITY.y, swing_last: M3::IDENTITY.y };
}
