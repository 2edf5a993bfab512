//! What is drawn: the blend of the last two states.

use super::{AT, Boids, GOING, NOSE, Output, UP, heading, pick, points};
use crate::lanes::{F4, V3, larger, smaller, splat};
use crate::spatial::mix;

impl Boids {
    /// Writes the outputs.
    pub(super) fn show(&mut self) {
        let t = splat(if self.newest { 1.0 } else { self.clock.blend() });
        let world = self.world.lanes();
        let (last, state) = (&self.last, &self.state);
        let count = self.ids.len();
        let Output { positions, velocities, matrices, bounds } = &mut self.output;
        let (positions, velocities) = (positions.as_chunks_mut::<3>().0, velocities.as_chunks_mut::<3>().0);
        let matrices = matrices.as_chunks_mut::<16>().0;
        let (mut low, mut high) = (V3::splat([f32::MAX; 3]), V3::splat([f32::MIN; 3]));
        for b in 0..count.div_ceil(4) {
            // A last block that is not full repeats its first boid.
            let who = [0, 1, 2, 3].map(|lane| if b * 4 + lane < count { b * 4 + lane } else { b * 4 });
            let who = &who;
            let to = pick(state, who, AT);
            let (mut at, mut going) = (to, pick(state, who, GOING));
            if !self.newest {
                let from = pick(last, who, AT);
                at = world.keep_in(from + world.shorter(to - from) * t);
                going = mix(pick(last, who, GOING), going, t);
            }
            low = V3 { x: smaller(at.x, low.x), y: smaller(at.y, low.y), z: smaller(at.z, low.z) };
            high = V3 { x: larger(at.x, high.x), y: larger(at.y, high.y), z: larger(at.z, high.z) };
            let places = points(at);
            let own = b * 4..if b * 4 + 4 < count { b * 4 + 4 } else { count };
            for (i, (place, going)) in own.clone().zip(places.iter().zip(points(going))) {
                let ([x, y, z, _], [vx, vy, vz, _]) = (place.to_array(), going.to_array());
                (positions[i], velocities[i]) = ([x, y, z], [vx, vy, vz]);
            }
            if self.make.matrices {
                // Of two opposite headings the newer one.
                let newest = pick(state, who, NOSE);
                let (nose, _) = heading(mix(pick(last, who, NOSE), newest, t), newest);
                let newest = pick(state, who, UP);
                let up = mix(pick(last, who, UP), newest, t);
                let (up, _) = heading(up - nose * up.dot(nose), newest);
                let axes = [points(up.cross(nose)), points(up), points(nose)];
                for (lane, i) in own.enumerate() {
                    let [x, y, z, _] = places[lane].to_array();
                    let columns = [axes[0][lane], axes[1][lane], axes[2][lane], F4::new([x, y, z, 1.0])];
                    matrices[i] = bytemuck::cast(columns);
                }
            }
        }
        let ([a, b, c, d], [e, f, g, h]) = (points(low), points(high));
        let low = smaller(smaller(a, b), smaller(c, d));
        let high = larger(larger(e, f), larger(g, h));
        let half = (high - low) * splat(0.5);
        for (part, corner) in bounds.chunks_mut(3).zip([low, high, low + half]) {
            for (into, v) in part.iter_mut().zip(corner.to_array()) {
                *into = v;
            }
        }
        let [x, y, z, _] = (half * half).to_array();
        bounds[9] = (x + y + z).sqrt();
    }
}
