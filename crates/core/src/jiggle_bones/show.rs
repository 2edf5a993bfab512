//! What is drawn.

use super::{Block, JiggleBones, POSE, ROTATION, Row, affine};
use crate::lanes::{F4, V3, select, splat};
use crate::spatial::{M3, Q4, direction, mix};

impl Row {
    /// The directions of the bones within this frame's pose, as drawn.
    #[inline(always)]
    fn shown(&self, blend: F4) -> V3 {
        direction(mix(self.swing_last, self.swing, blend), self.axis).0
    }
}

impl JiggleBones {
    /// How far what is drawn of a block lies from the last step but one to the last.
    fn blend_of(&self, block: &Block) -> F4 {
        splat(if self.newest { 1.0 } else { self.groups[block.group].clock.blend() })
    }

    /// Writes the rotations: the blend of the last two swings, on top of this frame's pose.
    ///
    /// Swings are blended, not tips in the world: the bones keep up with a body that moves steadily, and with a stiff chain
    /// the clip is shown as it is, without lag.
    pub(super) fn show(&mut self) {
        for b in 0..self.blocks.len() {
            let block = &self.blocks[b];
            let blend = self.blend_of(block);
            for r in block.row..block.row + block.rows {
                let row = &mut self.rows[r];
                let pose = r * POSE..(r + 1) * POSE;
                row.pose(&self.from[pose.clone()], &self.input.poses[pose], 1.0);
                let swing = Q4::between(row.axis, row.shown(blend), row.side);
                let turned = row.rotation.after(swing);
                let q = Q4 {
                    v: V3::select(row.live, turned.v, row.rotation.v),
                    w: select(row.live, turned.w, row.rotation.w),
                };
                let euler = q.euler();
                self.rotations[r * ROTATION..(r + 1) * ROTATION]
                    .copy_from_slice(&[q.v.x, q.v.y, q.v.z, q.w, euler.x, euler.y, euler.z]);
            }
        }
    }

    /// `[head, tip, radius] × joints` as drawn.
    pub(super) fn tips(&mut self) -> Vec<f32> {
        let mut places = vec![[V3::ZERO; 2]; self.rows.len()];
        let mut worlds = self.worlds.clone();
        for b in 0..self.blocks.len() {
            let block = &self.blocks[b];
            let blend = self.blend_of(block);
            let raw = self.input.parents.as_chunks().0.get(b).unwrap_or(&block.to.raw);
            let (mut matrix, mut origin) = if block.nested { super::step::gather(&worlds, block) } else { affine(raw) };
            for r in block.row..block.row + block.rows {
                let row = &mut self.rows[r];
                let pose = r * POSE..(r + 1) * POSE;
                row.pose(&self.from[pose.clone()], &self.input.poses[pose], 1.0);
                let swing = V3::select(row.live, row.shown(blend), row.axis);
                let bone = matrix.after(&row.turn);
                let head = origin + matrix.times(row.position);
                places[r] = [head, head + bone.times(swing * row.length)];
                matrix = bone.after(&M3::between(row.axis, swing, row.side)).scaled(row.scale);
                origin = head;
                worlds[r] = (matrix, origin);
            }
        }
        let joint = |slot: u32| {
            let (row, lane) = (slot as usize / 4, slot as usize % 4);
            let [head, tip] = places[row].map(|v| v.get(lane));
            let radius = self.rows[row].radius.as_array()[lane];
            [head[0], head[1], head[2], tip[0], tip[1], tip[2], radius]
        };
        self.slots.iter().flat_map(|slot| joint(*slot)).collect()
    }
}
