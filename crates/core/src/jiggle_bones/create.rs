//! Making jiggle bones: joints are laid out in strands, and strands of the same length four in a block.

use super::limit::{self, Limit};
use super::options::{JiggleBonesOptions, JiggleChainOptions};
use super::state::clock;
use super::{Block, Center, Chain, Frame, Group, Input, JiggleBones, Joint, LimitRow, NONE, Row, Tip, chain_of};
use crate::collider::{out_of_reach, within_reach};
use crate::error::{Error, Result};
use crate::lanes::{F4, ON, V3, filled, splat};
use crate::options::{set, settings};
use crate::sort;
use crate::spatial::{Affine, Angles, Drawn, M3, Pose, Q4};
use crate::text;
use bytemuck::Zeroable;

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
    settings(text, &mut |path, value| match chain_of(path) {
        Some((i, _)) if i > MOST_JOINTS => Err(Error::option(text!["chains must be at most ", MOST_JOINTS])),
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
    first: u32,
    length: u32,
    level: u32,
    group: u32,
    /// The strand that hangs on nothing simulated.
    root: usize,
    /// Where it goes: the row of its first joint, and the block × 4 + lane.
    row: usize,
    place: u32,
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
        let order = Order::read(reals, indices, chain_options.len())?;
        chain_options.resize(order.chains.len(), JiggleChainOptions::default());

        // The fastest group first: its time is the simulation's.
        let mut rates: Vec<u32> = Vec::new();
        for chain in &chain_options {
            let place = rates.iter().position(|rate| *rate <= chain.rate).unwrap_or(rates.len());
            if rates.get(place) != Some(&chain.rate) {
                rates.insert(place, chain.rate);
            }
        }
        let mut chains = Vec::new();
        for (own, [flags, _]) in chain_options.iter().zip(order.chains) {
            let group = rates.iter().position(|rate| *rate == own.rate).unwrap_or_default();
            chains.push(Chain { vrm: flags & VRM != 0, group });
        }

        let mut slots = vec![0; order.joints.len()];
        let mut strands = strands(order.joints, &chains, &mut slots)?;
        let mut layout = Layout { blocks: Vec::new(), rows: Vec::new(), slots, roots: Vec::new() };
        layout.place(&mut strands);
        layout.hang(&strands, &order);
        let joints = layout.joints(&order);
        let Layout { blocks, rows, slots, roots } = layout;

        let mut groups = Vec::new();
        let mut first = 0;
        for (g, rate) in rates.iter().enumerate() {
            let count = blocks.iter().filter(|block| block.group == g).count();
            let blocks = first..first + count;
            first += count;
            groups.push(Group { rate: *rate, steps: 0, fresh: true, blocks });
        }
        let report =
            text!["{\"joints\":", joints.len(), ",\"chains\":", chains.len(), ",\"blocks\":", blocks.len(), "}"];
        let centers = order.centers.div_ceil(4);
        let matrices = |count| filled(Affine::IDENTITY, count);
        let poses = |count| filled(Pose::IDENTITY, count);
        let center = Center { from: Frame::IDENTITY, to: Frame::IDENTITY };
        let mut bones = JiggleBones {
            options,
            report,
            chain_options,
            chains,
            joints,
            clock: clock(rates[0]),
            worlds: matrices(rows.len()),
            from: poses(rows.len()),
            from_parents: matrices(blocks.len()),
            from_centers: matrices(centers),
            center_steps: matrices(centers),
            centers_now: matrices(centers * groups.len()),
            drawn: filled(Drawn::zeroed(), rows.len()),
            tips: filled(Tip::zeroed(), rows.len()),
            groups,
            input: Input {
                poses: poses(rows.len()),
                parents: matrices(blocks.len()),
                centers: matrices(centers),
                wind: [0.0; 3],
                gravity: [0.0, -4.32, 0.0],
                colliders: Vec::new(),
            },
            blocks,
            rows,
            centers: std::iter::repeat_n(center, centers).collect(),
            colliders: Vec::new(),
            solids: Vec::new(),
            collider_chains: Vec::new(),
            fresh: true,
            carry: false,
            centred: false,
            most_turn: -1.0,
            newest: true,
            exact: false,
            angles: Angles::new(),
            slots,
            roots,
            status: [0],
        };
        bones.options_changed();
        bones.restart();
        Ok(bones)
    }
}

/// The arrays from which jiggle bones are made, checked.
struct Order<'a> {
    joints: &'a [[u32; INDICES]],
    chains: &'a [[u32; 2]],
    centers: usize,
    reals: &'a [[f32; REALS]],
}

impl<'a> Order<'a> {
    /// `options` is how many chains have options.
    fn read(reals: &'a [f32], indices: &'a [u32], options: usize) -> Result<Self> {
        let broken = || Error::input("jiggle bones: the arrays do not fit together");
        let Some(([joints, chains, centers], rest)) = indices.split_first_chunk::<3>() else {
            return Err(broken());
        };
        let [joints, chains, centers] = [*joints, *chains, *centers].map(|n| n as usize);
        if joints == 0 || chains == 0 {
            return Err(Error::option("chains must hold at least one bone"));
        }
        if joints > MOST_JOINTS
            || chains > joints
            || centers > chains
            || options > chains
            || rest.len() != joints * INDICES + chains * 2
            || reals.len() != joints * REALS
        {
            return Err(broken());
        }
        if let Some(i) = reals.iter().position(|v| !within_reach(v)) {
            let what = if i % REALS < 3 { "tip of bone " } else { "options of bone " };
            return Err(out_of_reach(&text![what, i / REALS], "", reals[i]));
        }
        let (joint_rows, chain_rows) = rest.split_at(joints * INDICES);
        let order = Order {
            joints: joint_rows.as_chunks().0,
            chains: chain_rows.as_chunks().0,
            centers,
            reals: reals.as_chunks().0,
        };
        for (j, [parent, chain, _]) in order.joints.iter().enumerate() {
            if *parent != NONE && *parent as usize >= j || *chain as usize >= chains {
                return Err(broken());
            }
        }
        if order.chains.iter().any(|[_, center]| *center != NONE && *center as usize >= centers) {
            return Err(broken());
        }
        Ok(order)
    }
}

/// Cuts the joints into strands. Until these are placed, a joint's slot is its strand.
fn strands(joints: &[[u32; INDICES]], chains: &[Chain], slots: &mut [u32]) -> Result<Vec<Strand>> {
    let mut children = vec![0u32; joints.len()];
    for [parent, ..] in joints {
        if *parent != NONE {
            children[*parent as usize] += 1;
        }
    }
    let mut strands: Vec<Strand> = Vec::new();
    for (j, [parent, chain, _]) in joints.iter().enumerate() {
        let group = chains[*chain as usize].group as u32;
        let mut level = 0;
        let mut root = strands.len();
        if *parent != NONE {
            let above = slots[*parent as usize];
            let strand = &mut strands[above as usize];
            let [_, other, _] = joints[*parent as usize];
            if strand.group != group {
                return Err(Error::option(text![
                    "chains.",
                    chain,
                    ".rate must be that of chain ",
                    other,
                    ", on which it hangs"
                ]));
            }
            if other == *chain && children[*parent as usize] == 1 {
                strand.length += 1;
                slots[j] = above;
                continue;
            }
            level = strand.level + 1;
            root = strand.root;
        }
        slots[j] = strands.len() as u32;
        strands.push(Strand { first: j as u32, length: 1, level, group, root, row: 0, place: 0 });
    }
    Ok(strands)
}

/// Where strands and joints go.
struct Layout {
    blocks: Vec<Block>,
    rows: Vec<Row>,
    slots: Vec<u32>,
    roots: Vec<u32>,
}

impl Layout {
    /// By group, then those that hang on others after them, then by length; four of the same in a block.
    fn place(&mut self, strands: &mut [Strand]) {
        let mut order: Vec<sort::Row> = Vec::new();
        for (i, strand) in strands.iter().enumerate() {
            order.push([strand.group, strand.level, strand.length, i as u32]);
        }
        sort::sort(&mut order);
        let mut rest = &order[..];
        while let Some([group, level, length, _]) = rest.first().copied() {
            let alike = rest.iter().take(4).take_while(|row| row[..3] == [group, level, length]).count();
            let (four, others) = rest.split_at(alike);
            rest = others;
            let first = self.rows.len();
            let block = Block { row: first, rows: length as usize, group: group as usize, ..Block::EMPTY };
            for (lane, [.., strand]) in four.iter().enumerate() {
                let strand = &mut strands[*strand as usize];
                (strand.row, strand.place) = (first, (self.blocks.len() * 4 + lane) as u32);
            }
            self.rows.resize_with(first + length as usize, Row::empty);
            self.blocks.push(block);
        }
        // Joints of a strand come in their order.
        for slot in &mut self.slots {
            let strand = &mut strands[*slot as usize];
            *slot = strand.row as u32 * 4 + strand.place % 4;
            strand.row += 1;
        }
    }

    /// Says what each strand hangs on.
    fn hang(&mut self, strands: &[Strand], order: &Order) {
        for strand in strands {
            let (first, place) = (strand.first, strand.place);
            let (block, lane) = (&mut self.blocks[place as usize / 4], place as usize % 4);
            let [parent, chain, _] = order.joints[first as usize];
            block.chains[lane] = chain;
            block.centers[lane] = order.chains[chain as usize][1];
            block.source[lane] = strands[strand.root].place;
            if parent == NONE {
                self.roots.extend([first, place]);
            } else {
                let slot = self.slots[parent as usize];
                block.parents[lane] = slot;
                block.nested = true;
                self.rows[slot as usize / 4].branches = true;
            }
        }
    }

    /// Writes what is fixed of each joint to its row, and gives the rest.
    fn joints(&mut self, order: &Order) -> Vec<Joint> {
        let mut joints = Vec::with_capacity(order.joints.len());
        for ((numbers, [_, chain, flags]), slot) in order.reals.iter().zip(order.joints).zip(&self.slots) {
            let (row, lane) = (&mut self.rows[*slot as usize / 4], *slot as usize % 4);
            row.tip.set(lane, [numbers[0], numbers[1], numbers[2]]);
            if flags & BETWEEN == 0 && numbers[..3] != [0.0; 3] {
                row.live.as_mut_array()[lane] = ON;
            }
            if numbers[11] != 0.0 {
                row.limit.get_or_insert_with(LimitRow::none).set(lane, &numbers[11..]);
            }
            joints.push(Joint {
                slot: *slot,
                chain: *chain,
                stiffness: numbers[3],
                damping: numbers[4],
                gravity: numbers[5],
                wind: numbers[6],
                radius: numbers[7],
                own_gravity: (flags & OWN_GRAVITY != 0).then_some([numbers[8], numbers[9], numbers[10]]),
            });
        }
        joints
    }
}

impl LimitRow {
    fn none() -> Box<Self> {
        Box::new(LimitRow { limit: Limit::NONE, own: M3::IDENTITY })
    }

    fn set(&mut self, lane: usize, numbers: &[f32]) {
        self.limit.set(lane, numbers);
        let q = Q4 { v: V3::splat([numbers[3], numbers[4], numbers[5]]), w: splat(numbers[6]) }.normalized().matrix();
        self.own.x.set(lane, q.x.get(0));
        self.own.y.set(lane, q.y.get(0));
        self.own.z.set(lane, q.z.get(0));
    }
}

impl Block {
    /// No strands.
    const EMPTY: Block = Block {
        row: 0,
        rows: 0,
        group: 0,
        parents: [NONE; 4],
        nested: false,
        chains: [NONE; 4],
        source: [NONE; 4],
        centers: [NONE; 4],
        centred: false,
        carried: F4::ZERO,
        from: Frame::IDENTITY,
        to: Frame::IDENTITY,
        moving: false,
        jumped: F4::ZERO,
        colliders: Vec::new(),
    };
}

impl Row {
    /// No joints; what follows from their pose is worked out later.
    fn empty() -> Row {
        Row {
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
            pose: Pose::zeroed(),
            turn: M3::zeroed(),
            axis: V3::ZERO,
            side: V3::ZERO,
            length: F4::ZERO,
        }
    }
}
