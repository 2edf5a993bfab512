//! What is drawn: the blend of the last two states.

use super::Boids;
use crate::lanes::{F4, V3, larger, smaller, splat};
use crate::spatial::{direction, mix};

impl Boids {
    /// Writes the outputs.
    pub(super) fn show(&mut self) {
        let t = splat(if self.newest { 1.0 } else { self.clock.blend() });
        let world = self.world.lanes();
        let (last, state) = (&self.last, &self.state);
        let count = self.ids.len();
        let (mut low, mut high) = (V3::splat([f32::MAX; 3]), V3::splat([f32::MIN; 3]));
        for b in 0..count.div_ceil(4) {
            // A last block that is not full repeats its first boid.
            let who = [0, 1, 2, 3].map(|lane| if b * 4 + lane < count { b * 4 + lane } else { b * 4 });
            let pick = |all: &[F4]| V3::from_points(who.map(|who| all[who]));
            let (from, to) = (pick(&last.at), pick(&state.at));
            let at = if self.newest { to } else { world.keep_in(from + world.shorter(to - from) * t) };
            let going = mix(pick(&last.going), pick(&state.going), t);
            low = V3 { x: smaller(at.x, low.x), y: smaller(at.y, low.y), z: smaller(at.z, low.z) };
            high = V3 { x: larger(at.x, high.x), y: larger(at.y, high.y), z: larger(at.z, high.z) };
            let places = F4::transpose([at.x, at.y, at.z, F4::ONE]);
            let own = b * 4..if b * 4 + 4 < count { b * 4 + 4 } else { count };
            for (i, (place, going)) in own.clone().zip(places.iter().zip(going.to_points())) {
                self.output.positions[i * 3..i * 3 + 3].copy_from_slice(&place.to_array()[..3]);
                self.output.velocities[i * 3..i * 3 + 3].copy_from_slice(&going.to_array()[..3]);
            }
            if self.make.matrices {
                // Of two opposite headings the newer one.
                let newest = pick(&state.nose);
                let (nose, _) = direction(mix(pick(&last.nose), newest, t), newest);
                let newest = pick(&state.up);
                let up = mix(pick(&last.up), newest, t);
                let (up, _) = direction(up - nose * up.dot(nose), newest);
                let axes = [up.cross(nose), up, nose].map(V3::to_points);
                for (lane, i) in own.enumerate() {
                    let columns = [axes[0][lane], axes[1][lane], axes[2][lane], places[lane]];
                    self.output.matrices[i * 16..i * 16 + 16].copy_from_slice(bytemuck::cast_slice(&columns));
                }
            }
        }
        let edge = |v: V3, better: fn(f32, f32) -> bool| {
            [v.x, v.y, v.z].map(|axis| axis.to_array().into_iter().reduce(|a, b| if better(a, b) { a } else { b }))
        };
        let (low, high) = (edge(low, |a, b| a < b), edge(high, |a, b| a > b));
        let mut square = 0.0;
        for c in 0..3 {
            let (low, high) = (low[c].unwrap_or_default(), high[c].unwrap_or_default());
            self.output.bounds[c] = low;
            self.output.bounds[3 + c] = high;
            self.output.bounds[6 + c] = (low + high) * 0.5;
            square += (high - low) * (high - low) * 0.25;
        }
        self.output.bounds[9] = square.sqrt();
    }
}
