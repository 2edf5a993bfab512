//! One fixed step: sort, look, steer, move.

use super::cells::{Block, lanes, places};
use super::influence::{self, Four};
use super::look::{Scratch, Seen, look};
use super::world::{Lanes, Shape, World};
use super::{AT, Boids, GOING, NOSE, STEP, UP, heading, pick, points};
use crate::collider::{Collider, Shape as Solidity, Solid};
use crate::lanes::{F4, V3, greater, larger, less, select, smaller, splat};
use crate::number::sin_cos;
use crate::rng;

/// Fastest roll where turning is not limited, radians a step, and the part of what is wanting that a step rolls.
const ROLL: f32 = 0.1;
const ROLL_PART: f32 = 0.15;

/// How often boids are put out of what they are in.
const PASSES: usize = 3;

/// A glider that turns so fast, in radians a second at its largest speed, banks by 45°.
const HALF_BANKED: f32 = 2.0;

/// Four boids after a step, the parts in the order of `Body`.
pub type Moved = [V3; 4];

/// What boids steer clear of, made ready for a step.
#[derive(Clone, Debug)]
pub struct Obstacle {
    solid: Solid,
    /// From where it is seen the shorter way round: its middle, in a torus. A plane has none.
    middle: Option<V3>,
}

impl Obstacle {
    fn of(mut collider: Collider, world: &World) -> Obstacle {
        if world.flat {
            collider = collider.upright();
        }
        let mut middle = None;
        if world.shape == Shape::Torus && collider.shape != Solidity::Plane {
            let long = matches!(collider.shape, Solidity::Capsule | Solidity::TaperedCapsule);
            let mut place = [0.0; 3];
            for (c, place) in place.iter_mut().enumerate().take(world.axes()) {
                let [a, b] = [c, if long { c + 3 } else { c }];
                let (low, side) = (world.low[c], world.high[c] - world.low[c]);
                *place = (collider.pose[a] + collider.pose[b]) * 0.5;
                let beyond = ((*place - low) / side).floor() * side;
                *place -= beyond;
                collider.pose[c] -= beyond;
                if long {
                    collider.pose[c + 3] -= beyond;
                }
            }
            middle = Some(V3::splat(place));
        }
        Obstacle { solid: collider.solid(), middle }
    }
}

/// What is the same for all boids of a step.
struct Steering<'a> {
    boids: &'a Boids,
    world: Lanes,
    /// Cosine and sine of the farthest turn.
    turn: Option<[F4; 2]>,
    /// Square of the farthest that a matrix turns.
    most: F4,
    margin: F4,
    hash: u64,
}

impl Boids {
    pub(super) fn step(&mut self) {
        let t = self.clock.advance();
        // All is read from the last state and written to the new one.
        std::mem::swap(&mut self.last, &mut self.state);
        self.place_influences(t);
        self.obstacles.clear();
        for (collider, pose) in self.colliders.iter().zip(self.input.colliders.as_chunks().0) {
            self.obstacles.push(Obstacle::of(collider.towards(*pose, t), &self.world));
        }
        self.cells.sort(&self.last, &self.species);
        self.flee();
        let mut moved = std::mem::take(&mut self.moved);
        self.steer(&mut moved);
        for (block, moved) in self.cells.blocks.iter().zip(&moved) {
            let parts = [points(moved[AT]), points(moved[GOING]), points(moved[NOSE]), points(moved[UP])];
            for (lane, one) in block.iter().enumerate() {
                if one.at[3] >= 0.0 {
                    self.state[one.at[3] as usize] = [parts[0][lane], parts[1][lane], parts[2][lane], parts[3][lane]];
                }
            }
        }
        self.moved = moved;
    }

    fn steer(&self, moved: &mut [Moved]) {
        let limit = self.options.turn_limit;
        let farthest = limit.map_or(ROLL, |limit| limit * STEP as f32);
        let turn = limit.filter(|_| farthest < std::f32::consts::PI).map(|_| {
            let (sin, cos) = sin_cos(f64::from(farthest));
            [splat(cos as f32), splat(sin as f32)]
        });
        let steering = Steering {
            boids: self,
            world: self.world.lanes(),
            turn,
            // A little less, as numbers are rounded.
            most: splat(farthest * farthest * 0.999),
            margin: splat(self.options.walls.margin * self.world.least_side() * 0.5),
            hash: u64::from(self.make.seed) << 32 ^ self.clock.steps().wrapping_mul(0xd6e8_feb8_6659_fd93),
        };
        let threads = if cfg!(feature = "threads") { self.options.threads as usize } else { 1 };
        let each = moved.len().div_ceil(threads);
        let parts = moved.chunks_mut(each).zip(self.cells.blocks.chunks(each));
        in_parts(parts, |(moved, blocks)| {
            let mut scratch = Scratch::default();
            for (moved, block) in moved.iter_mut().zip(blocks) {
                // Those who are nobody come last.
                if block[0].at[3] >= 0.0 {
                    *moved = steering.block(block, &look(self, block, &mut scratch));
                }
            }
        });
    }
}

/// Runs all parts, which do not touch one another: where there are threads, each on one of its own.
#[cfg(feature = "threads")]
fn in_parts<T: Send>(mut parts: impl ExactSizeIterator<Item = T> + Send, run: impl Fn(T) + Sync) {
    if parts.len() == 1 {
        return parts.for_each(run);
    }
    let run = &run;
    rayon::scope(|scope| parts.by_ref().for_each(|part| scope.spawn(move |_| run(part))));
}

/// Runs all parts.
#[cfg(not(feature = "threads"))]
fn in_parts<T>(parts: impl Iterator<Item = T>, run: impl FnMut(T)) {
    parts.for_each(run);
}

impl Steering<'_> {
    /// Steers and moves four boids that see this.
    #[inline(never)]
    fn block(&self, block: &Block, seen: &Seen) -> Moved {
        let boids = self.boids;
        let options = &boids.options;
        let [a, b, c, d] = block;
        let (at, _) = lanes(&a.at, &b.at, &c.at, &d.at);
        let (going, _) = lanes(&a.going, &b.going, &c.going, &d.going);
        let who = &places(block);
        let (nose, up) = (pick(&boids.last, who, NOSE), pick(&boids.last, who, UP));
        let scale = |lane: usize| boids.table[boids.species[who[lane]] as usize].speed;
        let speed = F4::new([scale(0), scale(1), scale(2), scale(3)]);
        let (slowest, fastest) = (splat(options.speed.min) * speed, splat(options.speed.max) * speed);

        let mut v = self.flock(seen, going, who);
        if !boids.urges.is_empty() {
            let urge = |lane: usize| boids.urges[who[lane]];
            v = v + V3::from_points([urge(0), urge(1), urge(2), urge(3)]);
        }
        let four = Four { at, world: &self.world, fastest };
        if !boids.influences.is_empty() {
            v = v + influence::add(&boids.influences, &boids.now, &boids.paths, &boids.last, &four);
        }
        if !boids.obstacles.is_empty() {
            v = v + self.avoid(&four);
        }
        v = v + self.world.back(at, self.margin) * (fastest * splat(options.walls.weight));
        if options.wander > 0.0 {
            v = v + self.chance(who, 0) * (fastest * splat(options.wander));
        }
        if boids.world.flat {
            v.z = F4::ZERO;
        }

        let (way, pace) = self.limit(v, going, nose, who, slowest, fastest);
        let way = self.turn(way, nose, up);
        let v = way * pace;
        let mut to = at + v * splat(STEP as f32);
        // One solid may push into another.
        for _ in 0..PASSES {
            let mut pushed = F4::ZERO;
            for obstacle in &boids.obstacles {
                let (out, distance) = self.way_out(obstacle, to);
                let depth = less(distance, F4::ZERO) & (F4::ZERO - distance);
                to = to + out * depth;
                pushed += depth;
            }
            if pushed == F4::ZERO {
                break;
            }
        }
        if boids.world.flat {
            to.z = F4::ZERO;
        }
        let up = if boids.world.flat {
            up
        } else {
            self.bank(nose, way, up, (v - going) * splat(1.0 / STEP as f32), fastest)
        };
        [self.world.keep_in(to), v, way, up]
    }

    /// Velocities after the three rules, in the sheet's order.
    fn flock(&self, seen: &Seen, going: V3, who: &[usize; 4]) -> V3 {
        let rules = &self.boids.options.rules;
        let radius = rules.separation.radius;
        let push = rules.separation.weight * radius * radius;
        let mut v = going + seen.push * splat(push);
        let coincident = greater(seen.coincident, F4::ZERO);
        if coincident.any() {
            // The largest push that there is, somewhere.
            let most = 0.5 * push / (self.boids.sight.soft + 1e-30).sqrt();
            v = v + self.chance(who, 1) * (coincident & splat(most));
        }
        let some = greater(seen.aligned, F4::ZERO);
        let per = F4::ONE / larger(seen.aligned, F4::ONE);
        v = v + (seen.velocity * per - v) * (some & splat(rules.alignment.weight));
        let per = F4::ONE / larger(seen.cohering, F4::ONE);
        v + seen.way * per * splat(rules.cohesion.weight)
    }

    /// Three numbers from −1 to 1 for each, which depend on seed, step, id and `salt` alone.
    #[inline(never)]
    fn chance(&self, who: &[usize; 4], salt: u64) -> V3 {
        let mut out = V3::ZERO;
        for (lane, who) in who.iter().enumerate() {
            let id = u64::from(self.boids.ids[*who]);
            let numbers = rng::three(self.hash ^ (id | salt << 32).wrapping_mul(0x9fb2_1c65_1e98_df25));
            out.set(lane, if self.boids.world.flat { [numbers[0], numbers[1], 0.0] } else { numbers });
        }
        out
    }

    /// The way out of a solid and the distance along it, which in a plane lies in the plane.
    fn way_out(&self, obstacle: &Obstacle, at: V3) -> (V3, F4) {
        let at = obstacle.middle.map_or(at, |middle| middle + self.world.shorter(at - middle));
        let (out, distance) = obstacle.solid.separation(at);
        if !self.boids.world.flat {
            return (out, distance);
        }
        let (way, part) = heading(V3 { z: F4::ZERO, ..out }, V3::ZERO);
        (way, distance / larger(part, splat(1e-3)))
    }

    /// Velocity gained by steering clear of obstacles.
    #[inline(never)]
    fn avoid(&self, four: &Four) -> V3 {
        let avoidance = &self.boids.options.avoidance;
        let mut sum = V3::ZERO;
        let reach = four.fastest * splat(avoidance.time) + splat(1e-30);
        for obstacle in &self.boids.obstacles {
            let (out, distance) = self.way_out(obstacle, four.at);
            let part = smaller(larger(F4::ONE - distance / reach, F4::ZERO), F4::ONE);
            sum = sum + out * (part * four.fastest * splat(avoidance.weight));
        }
        sum
    }

    /// Direction and speed of a velocity whose size is kept between two.
    fn limit(&self, v: V3, going: V3, nose: V3, who: &[usize; 4], slowest: F4, fastest: F4) -> (V3, F4) {
        // What is no number any more leaves the boid as it was.
        let largest = larger(larger(v.x.abs(), v.y.abs()), v.z.abs());
        let sound = less(largest, splat(f32::MAX)) & less((v.x + v.y + v.z).abs(), splat(f32::MAX));
        let v = V3::select(sound, v, going);
        let huge = greater(largest, splat(1e15)) & sound;
        let v = v * select(huge, F4::ONE / select(huge, largest, F4::ONE), F4::ONE);
        let still = less(v.dot(v), splat(1e-30));
        let (way, speed) = heading(v, nose);
        let speed = select(huge, fastest, speed);
        let mut way = way;
        if still.any() {
            // Any direction, each its own.
            let (any, _) = heading(self.chance(who, 2), nose);
            way = V3::select(still & greater(slowest, F4::ZERO), any, way);
        }
        (way, smaller(larger(speed, slowest), fastest))
    }

    /// The direction `way`, or as far towards it as a boid may turn in a step.
    fn turn(&self, way: V3, nose: V3, up: V3) -> V3 {
        let Some([cos, sin]) = self.turn else { return way };
        let along = way.dot(nose);
        let far = less(along, cos);
        // Right behind it is on the left.
        let left = up.cross(nose);
        let beside = way - nose * along;
        let beside = V3::select(greater(beside.dot(beside), splat(1e-6)), beside, left);
        // What is left of two large numbers is not quite at a right angle.
        let (beside, _) = heading(beside - nose * beside.dot(nose), left);
        V3::select(far, heading(nose * cos + beside * sin, nose).0, way)
    }

    /// The direction out of the back of boids that turned from `nose` to `way` while they were accelerated so.
    ///
    /// The back is carried along by the shortest turn, which never flips, and then rolled a little towards that of a glider: up, and
    /// into the turn. Where the heading is near the vertical there is no such direction, and it is not rolled. What turned less than
    /// the limit may roll by the rest.
    fn bank(&self, nose: V3, way: V3, up: V3, acceleration: V3, fastest: F4) -> V3 {
        // The shortest turn of what is at a right angle to `nose`; where that turns about, it is about the back.
        let sum = nose + way;
        let square = sum.dot(sum);
        let per = greater(square, splat(1e-9)) & (way.dot(up) * splat(2.0) / larger(square, splat(1e-9)));
        let carried = up - sum * per;
        let gravity = fastest * splat(HALF_BANKED);
        let wanted = acceleration * splat(self.boids.options.banking);
        let wanted = V3 { x: wanted.x, y: wanted.y + gravity, z: wanted.z };
        let wanted = wanted - way * wanted.dot(way);
        let length = larger(wanted.dot(wanted).sqrt(), splat(1e-20));
        let (sin, cos) = (way.cross(carried).dot(wanted) / length, carried.dot(wanted) / length);
        let whole = select(less(sin, F4::ZERO), splat(-1.0), F4::ONE);
        let roll = select(less(cos, F4::ZERO), whole, sin) * splat(ROLL_PART) * smaller(length / gravity, F4::ONE);
        let moved = way - nose;
        // The square of the angle, of the chord's.
        let chord = moved.dot(moved);
        let angle = chord * (F4::ONE + chord * splat(0.1));
        let most = larger(self.most - angle, F4::ZERO).sqrt();
        let roll = larger(smaller(roll, most), F4::ZERO - most);
        let rolled = carried + way.cross(carried) * roll;
        let square = rolled - way * rolled.dot(way);
        heading(square, carried).0
    }
}
