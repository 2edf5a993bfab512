//! What is drawn.

use super::{Block, JiggleBones, gather};
use crate::lanes::{F4, V3, select, splat};
use crate::spatial::{Drawn, Pose, Q4, mix};

impl JiggleBones {
    /// How far what is drawn of a block lies from the last step but one to the last.
    fn blend_of(&self, block: &Block) -> F4 {
        let group = &self.groups[block.group];
        let (fastest, rate) = (u64::from(self.groups[0].rate), u64::from(group.rate));
        // Of a slower group: also the steps of the fastest since its own last one.
        let since = self.clock.steps() * rate - group.steps * fastest;
        let blend = (since as f64 + f64::from(self.clock.blend()) * rate as f64) / fastest as f64;
        splat(if self.newest || blend > 1.0 { 1.0 } else { blend as f32 })
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
                if !row.settled {
                    row.pose(&self.from[r], &self.input.poses[r], 1.0);
                }
                let rest = row.pose.rotation;
                let swing = mix(self.tips[r].swing_last, self.tips[r].swing, blend);
                let turned = rest.after(Q4::between(row.axis, swing, row.side));
                let rotation = Q4 { v: V3::select(row.live, turned.v, rest.v), w: select(row.live, turned.w, rest.w) };
                self.drawn[r] = Drawn::of(rotation, &self.angles);
            }
        }
    }

    /// `[head, tip, radius] × joints` as drawn.
    pub(super) fn drawn_tips(&mut self) -> Vec<f32> {
        let mut places = vec![[V3::ZERO; 2]; self.rows.len()];
        let mut worlds = self.worlds.clone();
        for (b, block) in self.blocks.iter().enumerate() {
            let mut world = if block.nested { gather(&worlds, &block.parents) } else { self.input.parents[b] };
            for r in block.row..block.row + block.rows {
                let bone = Pose { rotation: self.drawn[r].rotation, ..self.input.poses[r] };
                world = world.after(&bone.matrix());
                places[r] = [world.origin, world.times(self.rows[r].tip)];
                worlds[r] = world;
            }
        }
        let mut tips = Vec::new();
        for slot in &self.slots {
            let (row, lane) = (*slot as usize / 4, *slot as usize % 4);
            places[row].iter().for_each(|v| tips.extend_from_slice(&v.get(lane)));
            tips.push(self.rows[row].radius.as_array()[lane]);
        }
        tips
    }
}
