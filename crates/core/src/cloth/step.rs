//! One fixed step of a cloth, and what is drawn of it. Nothing here allocates or panics.

use super::Cloth;
use crate::collider::Collider;
use crate::lanes::{F4, V3, all_within, greater, larger, less, select, splat};
use crate::spatial::{Affine, M3};

/// Besides its part of the velocity, damping takes that part of this velocity, in m/s: dry friction, which vanishes with
/// the option `damping`.
///
/// Position-based solving in a fixed order adds a little angular momentum in every step, since the corrections of one
/// particle are not collinear. A flag that hangs from its pole would spin about it for ever, at 3 to 15 cm/s by the sheet's
/// model. Proportional damping only balances that drive; a dry part stops it. At the default damping it decelerates by
/// 0.29 m/s², 3 % of gravity, so that a moving cape moves as before (centre of mass within 2 cm of the sheet's).
/// Refused: solving forward and backward in turn (26 cm/s), damping relative velocity (no effect on a rigid spin), more
/// damping (a fivefold one still spins at 2.6 cm/s and hangs the walking cape 20 cm lower).
const DRY_VELOCITY: f32 = 0.4;

/// Below about this speed, in m/s, the dry part fades, so that it never holds a cloth that would buckle or slide.
const SLOW: f32 = 0.001;

/// Passes over the colliders at the end of a step, so that a particle pushed out of one is not left in another.
const LAST_PASSES: u32 = 4;

/// How far from a collider, in metres, particles are still taken to it in every iteration. Farther ones are looked at
/// again at the end of the substep, so that the margin is for speed alone.
const MARGIN: f32 = 0.03;

/// The floor's bit of `near`.
const FLOOR_BIT: u32 = 1 << 31;

/// A collider's bit of `near`; those from number 30 on share one.
fn bit(collider: usize) -> u32 {
    1 << if collider < 30 { collider } else { 30 }
}

/// A particle this deep inside a collider, in metres, counts as outside: rounding alone leaves some a little inside.
const SETTLED: f32 = 1e-4;

/// Most parts into which a step is cut to find a fast collision.
pub(super) const MOST_SWEEPS: u32 = 64;

impl Cloth {
    /// Runs one fixed step.
    pub(super) fn step(&mut self) {
        self.last.copy_from_slice(&self.position);
        let at = self.clock.advance();
        for substep in 1..=self.options.substeps {
            self.substep(at, substep);
        }
        for i in 0..self.stepped.len() {
            self.stepped[i] = self.collider_at(i, at);
        }
        self.weave.normals(&self.position, &mut self.normal);
        self.keep_finite();
    }

    /// Moves everything by one substep. The step ends with the inputs at `at`, where 0 is the last call's and 1 this
    /// call's; its substeps are evenly on the way there.
    fn substep(&mut self, at: f32, substep: u32) {
        let part = |substep| {
            if substep == self.options.substeps { 1.0 } else { substep as f32 / self.options.substeps as f32 }
        };
        let (before, after) = (part(substep - 1), part(substep));
        self.integrate();
        self.place_pins(at, after);
        self.meet_colliders(at, before, after);
        let touching = !self.solids.is_empty() || self.options.floor.is_some();
        let near = touching && self.find_near();
        for _ in 0..self.options.iterations {
            self.weave.relax(&mut self.position, &self.batches, &self.links);
            if near {
                self.push_out(false);
            }
        }
        for _ in 0..LAST_PASSES {
            if !touching || !self.push_out(true) {
                break;
            }
        }
    }

    /// Verlet: velocity is the way since the last substep. Wind pushes along the normal by the relative flow.
    fn integrate(&mut self) {
        let o = &self.options;
        let substeps = o.substeps as f32;
        let h = super::STEP as f32 / substeps;
        let square = splat(h * h);
        let per_h = splat(1.0 / h);
        let keep = splat(self.keep);
        let dry = splat((1.0 - self.keep) * DRY_VELOCITY * h);
        let slow = splat(SLOW * h);
        let (wind, gravity) = (V3::splat(self.input.wind), V3::splat(self.input.gravity));
        let (response, drag) = (splat(o.wind_response), splat(o.drag));
        let particles = self.position.iter_mut().zip(&mut self.previous);
        for (((p, q), n), free) in particles.zip(&self.normal).zip(&self.free) {
            let way = *p - *q;
            let kept = keep - dry / (way.dot(way).sqrt() + slow);
            let way = way * select(greater(kept, F4::ZERO), kept, F4::ZERO);
            let flow = wind - way * per_h;
            let force = *n * (n.dot(flow) * response) + flow * drag + gravity;
            let next = *p + way + force * square;
            *q = V3::select(*free, *p, *q);
            *p = V3::select(*free, next, *p);
        }
    }

    /// Pinned particles carry their previous position along, so that they start no jerk.
    fn place_pins(&mut self, at: f32, after: f32) {
        for (pin, to) in self.pins.iter().zip(self.input.pin_targets.as_chunks::<3>().0) {
            let (block, lane) = (pin.slot as usize / 4, pin.slot as usize % 4);
            let end = between(pin.from, *to, at);
            self.previous[block].set(lane, self.position[block].get(lane));
            self.position[block].set(lane, between(self.last[block].get(lane), end, after));
        }
    }

    /// Collider `i` between the last call's inputs (0) and this call's (1).
    fn collider_at(&self, i: usize, at: f32) -> Collider {
        let to = self.input.colliders.as_chunks().0.get(i);
        self.colliders[i].towards(to.copied().unwrap_or(self.colliders[i].pose), at)
    }

    /// Takes the colliders to where they are at `after`. Where a collider or a particle moves far for the collider's size
    /// since `before`, both are swept, so that neither passes through the other.
    fn meet_colliders(&mut self, at: f32, before: f32, after: f32) {
        if self.solids.is_empty() {
            return;
        }
        if self.swept {
            self.contacts.fill(super::Contact::default());
            self.swept = false;
        }
        let mut fastest = F4::ZERO;
        for ((p, q), free) in self.position.iter().zip(&self.previous).zip(&self.free) {
            let way = *p - *q;
            fastest = larger(select(*free, way.dot(way), F4::ZERO), fastest);
        }
        let fastest = largest(fastest).sqrt();
        for i in 0..self.solids.len() {
            let step_end = self.collider_at(i, at).pose;
            let start = self.stepped[i].towards(step_end, before);
            let end = self.stepped[i].towards(step_end, after);
            self.solids[i] = end.solid();
            let reach = end.thickness() * 0.5;
            let motion = start.motion(&end) + fastest;
            if motion > reach && reach > 0.0 {
                let sweeps = (motion / reach) as u32;
                self.sweep(&start, &end, if sweeps < MOST_SWEEPS { sweeps + 1 } else { MOST_SWEEPS });
            }
        }
    }

    /// Moves collider and particles from the start of the substep to its end in `sweeps` parts, pushing out after each.
    /// What was met stays, for this substep, on its side of the plane where it was met: links may pull it far.
    fn sweep(&mut self, start: &Collider, end: &Collider, sweeps: u32) {
        let part = splat(1.0 / sweeps as f32);
        let solid = end.solid();
        let sweeps = sweeps as usize;
        for (s, solid) in self.parts.iter_mut().take(sweeps).enumerate() {
            *solid = start.towards(end.pose, (s + 1) as f32 / sweeps as f32).solid();
        }
        let particles = self.position.iter_mut().zip(&mut self.previous).zip(&self.free);
        for (((p, q), free), contact) in particles.zip(&mut self.contacts) {
            let way = (*p - *q) * part;
            let mut at = *q;
            let mut met = F4::ZERO;
            for solid in self.parts.iter().take(sweeps) {
                at = at + way;
                met |= greater(solid.push_out(&mut at, q, *free), F4::ZERO);
            }
            if met.any() {
                *p = V3::select(met, at, *p);
                let normal = solid.normal(at);
                contact.normal = V3::select(met, normal, contact.normal);
                contact.offset = select(met, normal.dot(at), contact.offset);
                self.swept = true;
            }
        }
    }

    /// Finds which colliders each block may meet in this substep, and whether the floor, where links move particles by less
    /// than [`MARGIN`]. Says whether there is any.
    fn find_near(&mut self) -> bool {
        let floor = splat(self.options.floor.map_or(f32::MIN, |floor| floor + MARGIN));
        let mut any = 0;
        for ((near, p), free) in self.near.iter_mut().zip(&self.position).zip(&self.free) {
            *near = if (*free & less(p.y, floor)).any() { FLOOR_BIT } else { 0 };
            for (i, solid) in self.solids.iter().enumerate() {
                if solid.within(*p, *free, MARGIN) {
                    *near |= bit(i);
                }
            }
            any |= *near;
        }
        any != 0 || self.swept
    }

    /// Pushes particles out of the colliders near their block and above the floor (where `all` says so, out of all
    /// colliders). Says whether one was deeper inside a collider than [`SETTLED`].
    fn push_out(&mut self, all: bool) -> bool {
        let floor = splat(self.options.floor.unwrap_or(f32::MIN));
        let slip = splat(self.options.friction);
        let mut held = F4::ZERO;
        let particles = self.position.iter_mut().zip(&mut self.previous).zip(&self.free);
        for ((((p, q), free), contact), near) in particles.zip(&self.contacts).zip(&self.near) {
            let near = if all { u32::MAX } else { *near };
            if near == 0 && !self.swept {
                continue;
            }
            for (i, solid) in self.solids.iter().enumerate() {
                if near & bit(i) != 0 {
                    held |= greater(solid.push_out(p, q, *free), splat(SETTLED));
                }
            }
            if self.swept {
                let distance = contact.normal.dot(*p) - contact.offset;
                *p = *p - contact.normal * select(*free & less(distance, F4::ZERO), distance, F4::ZERO);
            }
            let below = *free & less(p.y, floor);
            if below.any() {
                p.y = select(below, floor, p.y);
                q.x = select(below, q.x + (p.x - q.x) * slip, q.x);
                q.z = select(below, q.z + (p.z - q.z) * slip, q.z);
            }
        }
        held.any()
    }

    /// Puts a state that is not finite any more, or farther out than [`super::OUTERMOST`] along an axis, back to the last one that was, at
    /// rest.
    fn keep_finite(&mut self) {
        if all_within(&self.position, super::OUTERMOST) {
            return;
        }
        self.position.copy_from_slice(&self.last);
        self.previous.copy_from_slice(&self.last);
        self.weave.normals(&self.position, &mut self.normal);
        self.status[0] = self.status[0].wrapping_add(1);
    }

    /// Writes the output: the newest state, or a blend of the last two, with pins where they are in this frame.
    pub(super) fn show(&mut self) {
        if self.newest {
            self.shown.copy_from_slice(&self.position);
        } else {
            let blend = splat(self.clock.blend());
            for ((shown, p), last) in self.shown.iter_mut().zip(&self.position).zip(&self.last) {
                *shown = *last + (*p - *last) * blend;
            }
        }
        let mut moved = !self.newest;
        for (pin, target) in self.pins.iter().zip(self.input.pin_targets.as_chunks::<3>().0) {
            let shown = &mut self.shown[pin.slot as usize / 4];
            let lane = pin.slot as usize % 4;
            moved |= shown.get(lane) != *target;
            shown.set(lane, *target);
        }
        if moved || self.seams.is_some() {
            self.weave.normals(&self.shown, &mut self.shown_normal);
        } else {
            self.shown_normal.copy_from_slice(&self.normal);
        }
        let turn = self.move_to_space();
        self.bound();
        self.write(turn);
    }

    /// Takes what is shown into the output space; gives the turn of normals, or `None` where the space is the world.
    fn move_to_space(&mut self) -> Option<M3> {
        if self.input.space == super::IDENTITY {
            return None;
        }
        let space = Affine::of_columns(&self.input.space);
        carry(&mut self.shown, &space);
        // The transpose of the inverse.
        let M3 { x, y, z } = space.axes;
        let (yz, zx, xy) = (y.cross(z), z.cross(x), x.cross(y));
        let volume = z.dot(xy);
        let per = select(volume.simd_ne(F4::ZERO), F4::ONE / volume, F4::ZERO);
        let turn = M3 { x: yz * per, y: zx * per, z: xy * per };
        for n in &mut self.shown_normal {
            *n = turn.times(*n).normalized();
        }
        Some(turn)
    }

    /// The box of what is shown and the sphere around its centre, as `computeBoundingBox` and `computeBoundingSphere`
    /// have them.
    fn bound(&mut self) {
        // Of the box one corner is negated, so that both are the largest.
        let mut ends = [V3::splat([f32::MIN; 3]); 2];
        for (p, real) in self.shown.iter().zip(&self.real) {
            for (end, p) in ends.iter_mut().zip([V3::ZERO - *p, *p]) {
                let p = V3::select(*real, p, *end);
                *end = V3 { x: larger(p.x, end.x), y: larger(p.y, end.y), z: larger(p.z, end.z) };
            }
        }
        let [low, high] = ends.map(|end| [end.x, end.y, end.z].map(largest));
        let low = low.map(|v| 0.0 - v);
        let centre = [0, 1, 2].map(|c| (low[c] + high[c]) * 0.5);
        let middle = V3::splat(centre);
        let mut far = F4::ZERO;
        for (p, real) in self.shown.iter().zip(&self.real) {
            let d = *p - middle;
            far = larger(select(*real, d.dot(d), F4::ZERO), far);
        }
        let bounds = &mut self.output.bounds;
        bounds[..3].copy_from_slice(&low);
        bounds[3..6].copy_from_slice(&high);
        bounds[6..9].copy_from_slice(&centre);
        bounds[9] = largest(far).sqrt();
    }

    /// Lays what is shown out by vertex.
    fn write(&mut self, turn: Option<M3>) {
        let positions = self.output.positions.as_chunks_mut::<3>().0.iter_mut();
        let normals = self.output.normals.as_chunks_mut::<3>().0.iter_mut();
        for ((position, normal), slot) in positions.zip(normals).zip(&self.slot_of) {
            let (block, lane) = (*slot as usize / 4, *slot as usize % 4);
            *position = self.shown[block].get(lane);
            *normal = self.shown_normal[block].get(lane);
        }
        if let Some(seams) = &mut self.seams
            && let super::Weave::Mesh(mesh) = &self.weave
        {
            mesh.split_normals(&seams.faces, &seams.particle_of, turn, &mut seams.normals);
            for (normal, split) in self.output.normals.as_chunks_mut::<3>().0.iter_mut().zip(&seams.normals) {
                let [x, y, z, _] = split.to_array();
                *normal = [x, y, z];
            }
        }
    }
}

/// The largest of four numbers.
#[inline(never)]
pub(super) fn largest(v: F4) -> f32 {
    v.to_array().into_iter().fold(f32::MIN, |most, v| if v > most { v } else { most })
}

/// Takes places to where a matrix takes them.
#[inline(never)]
pub(super) fn carry(places: &mut [V3], way: &Affine) {
    for p in places {
        *p = way.times(*p);
    }
}

/// From `from` (0) to `to` (1); exactly `to` at 1.
fn between(from: [f32; 3], to: [f32; 3], t: f32) -> [f32; 3] {
    if t == 1.0 { to } else { [0, 1, 2].map(|c| from[c] + (to[c] - from[c]) * t) }
}
