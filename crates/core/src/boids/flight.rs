//! Hunters and hunted. Hunters are few: each of them looks at all about it, so that the others need not look farther than their
//! flock.

use super::cells::Runs;
use super::{AT, Boids, Species};
use crate::lanes::F4;

impl Species {
    /// Whether it flees or hunts another.
    pub fn hunts(&self) -> bool {
        self.flees | self.hunts != 0
    }
}

impl Boids {
    /// Whether any species flees or hunts another.
    pub(super) fn hunts(&self) -> bool {
        self.table.iter().any(Species::hunts)
    }

    /// Works out the velocity that boids gain by fleeing and hunting.
    #[inline(never)]
    pub(super) fn flee(&mut self) {
        if self.urges.is_empty() {
            return;
        }
        self.urges.fill(F4::ZERO);
        let (flight, hunt) = (&self.options.flight, &self.options.hunt);
        let (far, soft) = (flight.radius * flight.radius, flight.radius * flight.radius * 0.05 + 1e-30);
        let (mut fled, mut runs) = (0, Runs::default());
        for species in &self.table {
            fled |= species.flees;
        }
        for (i, species) in self.species.iter().enumerate() {
            let (own, kind) = (1 << species, self.table[*species as usize]);
            if (fled & own == 0 || flight.weight == 0.0) && (kind.hunts == 0 || hunt.weight == 0.0) {
                continue;
            }
            let [px, py, pz, _] = self.last[i][AT].to_array();
            let p = [px, py, pz];
            let reach = if kind.hunts != 0 && hunt.radius > flight.radius { hunt.radius } else { flight.radius };
            let (mut nearest, mut prey) = (hunt.radius * hunt.radius, None);
            let mut skip = 0;
            loop {
                self.cells.about(p, p, reach, skip, &mut runs);
                for run in runs.iter() {
                    for one in &self.cells.ones()[run.from as usize..run.to as usize] {
                        let d: [f32; 3] = std::array::from_fn(|c| one.at[c] + run.shift[c] - p[c]);
                        let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                        let who = one.at[3] as usize;
                        if who == i || !(square < far || square < nearest) {
                            continue;
                        }
                        let species = one.going[3].to_bits();
                        if self.table[self.species[who] as usize].flees & own != 0 && square < far {
                            let push = flight.weight * far / (square + soft);
                            self.urges[who] += F4::new([d[0] * push, d[1] * push, d[2] * push, 0.0]);
                        }
                        if kind.hunts & species != 0 && square < nearest {
                            (nearest, prey) = (square, Some(d));
                        }
                    }
                }
                skip += runs.len();
                if !runs.full() {
                    break;
                }
            }
            if let Some(d) = prey {
                let fastest = self.options.speed.max * kind.speed;
                let pull = hunt.weight * fastest / (nearest.sqrt() + fastest * 0.25);
                self.urges[i] += F4::new([d[0] * pull, d[1] * pull, d[2] * pull, 0.0]);
            }
        }
    }
}
