//! A cloth of any triangles: links solved in batches of four that do not touch, gathered from points.

use super::links::{Kind, LinkLanes, relax};
use crate::error::{Error, Result};
use crate::lanes::{F4, V3};
use glam::DVec3;

/// A triangle whose height is this small a share of its longest edge has no direction, and is dropped.
const FLATTEST: f64 = 1e-6;

/// Neighbours of a vertex closer to opposite than this (cosine of the angle between them) are linked over it.
const STRAIGHT: f64 = -0.9;

/// Most colours that one particle can tell apart; links beyond them are solved one at a time.
const COLOURS: usize = 64;

/// What a geometry became.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The particle of each vertex.
    pub particle_of: Vec<u32>,
    /// The first vertex of each particle.
    pub vertex_of: Vec<u32>,
    /// Triangles that are simulated, as particles.
    pub triangles: Vec<[u32; 3]>,
    /// Triangles of the index whose vertices lie apart, as vertices, in the order of the index: these give the normals.
    pub faces: Vec<[u32; 3]>,
    /// Triangles without an area.
    pub degenerate: u32,
    /// Triangles that lie on another, whatever their winding.
    pub duplicate: u32,
    /// Vertices that no simulated triangle uses.
    pub orphans: Vec<u32>,
}

impl Source {
    /// Welds vertices that lie within `weld` metres of each other, and drops the triangles that cannot be simulated.
    pub fn new(vertices: &[f32], triangles: &[u32], weld: f32) -> Result<Self> {
        let (particle_of, vertex_of) = welded(vertices, weld);
        let mut source = Source { particle_of, vertex_of, ..Source::default() };
        let count = vertices.len() / 3;
        let mut used = vec![false; source.vertex_of.len()];
        let mut seen = Vec::with_capacity(triangles.len() / 3);
        for (t, face) in triangles.chunks_exact(3).enumerate() {
            if let Some(bad) = face.iter().find(|v| **v as usize >= count) {
                return Err(Error::input(format!(
                    "index of triangle {t} must be a vertex from 0 to {}, got {bad}",
                    count - 1
                )));
            }
            let particles = [face[0], face[1], face[2]].map(|v| source.particle_of[v as usize]);
            if flat(particles.map(|p| source.place(vertices, p))) {
                source.degenerate += 1;
                continue;
            }
            source.faces.push([face[0], face[1], face[2]]);
            let mut key = particles;
            key.sort_unstable();
            seen.push((key, seen.len() as u32, particles));
        }
        seen.sort_unstable();
        let all = seen.len();
        seen.dedup_by_key(|(key, ..)| *key);
        source.duplicate = (all - seen.len()) as u32;
        seen.sort_unstable_by_key(|(_, order, _)| *order);
        source.triangles = seen.into_iter().map(|(.., particles)| particles).collect();
        for p in source.triangles.iter().flatten() {
            used[*p as usize] = true;
        }
        source.orphans = (0..count as u32).filter(|v| !used[source.particle_of[*v as usize] as usize]).collect();
        Ok(source)
    }

    /// The triangles of a grid, for one that is too narrow for strips.
    pub fn grid(columns: u32, rows: u32) -> Self {
        let id = |i, j| j * columns + i;
        let all: Vec<u32> = (0..columns * rows).collect();
        let triangles: Vec<[u32; 3]> = (0..rows - 1)
            .flat_map(|j| (0..columns - 1).map(move |i| (i, j)))
            .flat_map(|(i, j)| {
                let (a, b, c, d) = (id(i, j), id(i + 1, j), id(i, j + 1), id(i + 1, j + 1));
                [[a, c, b], [b, c, d]]
            })
            .collect();
        Source { particle_of: all.clone(), vertex_of: all, faces: triangles.clone(), triangles, ..Source::default() }
    }

    /// How many particles there are.
    pub fn particles(&self) -> usize {
        self.vertex_of.len()
    }

    fn place(&self, vertices: &[f32], particle: u32) -> DVec3 {
        let v = self.vertex_of[particle as usize] as usize * 3;
        DVec3::new(f64::from(vertices[v]), f64::from(vertices[v + 1]), f64::from(vertices[v + 2]))
    }

    /// The links that the triangles call for.
    ///
    /// Two triangles make up a cell, as on a grid, when the edge between them is the longest of both and about as long as
    /// the other diagonal: both diagonals are shear links. Every other edge is structural. Against folding, neighbours in
    /// line are tied over a corner of cells, and elsewhere the two corners opposite an edge.
    pub fn links(&self, vertices: &[f32]) -> Vec<(Kind, [u32; 2])> {
        let at = |p: u32| self.place(vertices, p);
        let tie = |a: u32, b: u32| [a.min(b), a.max(b)];
        // Each edge of each triangle: its ends, the corner opposite, the triangle.
        let mut sides: Vec<([u32; 2], u32, usize)> = Vec::with_capacity(self.triangles.len() * 3);
        for (t, [a, b, c]) in self.triangles.iter().enumerate() {
            sides.extend([(tie(*a, *b), *c, t), (tie(*b, *c), *a, t), (tie(*c, *a), *b, t)]);
        }
        sides.sort_unstable();
        let diagonal_of_cell = |[a, b]: [u32; 2], p: u32, q: u32| {
            let edge = at(a).distance(at(b));
            let other = at(p).distance(at(q));
            let longest = [(a, p), (a, q), (b, p), (b, q)].iter().all(|(from, to)| at(*from).distance(at(*to)) < edge);
            longest && other > 0.7 * edge && other < 1.43 * edge
        };
        let mut links: Vec<([u32; 2], Kind)> = Vec::with_capacity(sides.len() * 2);
        let mut corner_of_cell = vec![false; self.particles()];
        let mut in_cell = vec![false; self.triangles.len()];
        for side in sides.chunk_by(|a, b| a.0 == b.0) {
            let edge = side[0].0;
            match side {
                [(_, p, s), (_, q, t)] if p != q && diagonal_of_cell(edge, *p, *q) => {
                    links.extend([(edge, Kind::Shear), (tie(*p, *q), Kind::Shear)]);
                    (in_cell[*s], in_cell[*t]) = (true, true);
                    for corner in [edge[0], edge[1], *p, *q] {
                        corner_of_cell[corner as usize] = true;
                    }
                }
                _ => links.push((edge, Kind::Structural)),
            }
        }
        for side in sides.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, p, s), (_, q, t)] = side
                && p != q
                && !(in_cell[*s] && in_cell[*t])
            {
                links.push((tie(*p, *q), Kind::Bend));
            }
        }
        let mut spokes: Vec<[u32; 2]> = Vec::with_capacity(links.len());
        for ([a, b], kind) in &links {
            if *kind == Kind::Structural {
                spokes.extend([[*a, *b], [*b, *a]]);
            }
        }
        spokes.sort_unstable();
        for spoke in spokes.chunk_by(|a, b| a[0] == b[0]) {
            let hub = spoke[0][0];
            if !corner_of_cell[hub as usize] {
                continue;
            }
            for (k, [_, a]) in spoke.iter().enumerate() {
                let best = spoke[k + 1..].iter().map(|[_, b]| {
                    let (u, v) = ((at(*a) - at(hub)).normalize_or_zero(), (at(*b) - at(hub)).normalize_or_zero());
                    (u.dot(v), *b)
                });
                if let Some((cosine, b)) = best.min_by(|x, y| x.0.total_cmp(&y.0))
                    && cosine < STRAIGHT
                {
                    links.push((tie(*a, b), Kind::Bend));
                }
            }
        }
        // Where two rules tie the same pair, the stiffer stays.
        links.sort_unstable();
        links.dedup_by_key(|(ends, _)| *ends);
        let mut links: Vec<(Kind, [u32; 2])> = links.into_iter().map(|(ends, kind)| (kind, ends)).collect();
        links.sort_unstable();
        links
    }
}

/// Whether a triangle has no direction: two corners are one, or it is flatter than [`FLATTEST`].
fn flat([a, b, c]: [DVec3; 3]) -> bool {
    let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    (b - a).cross(c - a).length() <= FLATTEST * longest
}

/// The particle of each vertex, and the first vertex of each particle. Vertices are sorted into cells wider than the reach,
/// so that a cloth of n vertices takes about n log n.
fn welded(vertices: &[f32], reach: f32) -> (Vec<u32>, Vec<u32>) {
    let count = vertices.len() / 3;
    let reach = f64::from(reach);
    let cell = (reach * 16.0).max(1e-9);
    let at = |v: u32| DVec3::from_array(std::array::from_fn(|c| f64::from(vertices[v as usize * 3 + c])));
    let key = |p: DVec3| (p / cell).floor().to_array().map(|c| c as i64);
    let mut cells: Vec<([i64; 3], u32)> = (0..count as u32).map(|v| (key(at(v)), v)).collect();
    cells.sort_unstable();

    let mut particle_of = vec![u32::MAX; count];
    let mut vertex_of = Vec::new();
    for v in 0..count as u32 {
        if particle_of[v as usize] != u32::MAX {
            continue;
        }
        // The lowest vertex of a place stands for it.
        let particle = vertex_of.len() as u32;
        vertex_of.push(v);
        particle_of[v as usize] = particle;
        let here = at(v);
        let (low, high) = (key(here - reach), key(here + reach));
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let start = cells.partition_point(|(key, _)| *key < [x, y, z]);
                    for (_, other) in cells[start..].iter().take_while(|(key, _)| *key == [x, y, z]) {
                        let free = particle_of[*other as usize] == u32::MAX;
                        if free && here.distance_squared(at(*other)) <= reach * reach {
                            particle_of[*other as usize] = particle;
                        }
                    }
                }
            }
        }
    }
    (particle_of, vertex_of)
}

/// Links and triangles of a mesh, ready to be solved.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Particles of the ends of each batch, `first × 4` then `second × 4`.
    batches: Vec<[u32; 8]>,
    /// The same batches as slots, with `None` in a lane without a link.
    ends: Vec<(Kind, super::grid::Ends)>,
    triangles: Vec<[u32; 3]>,
    /// Positions as points, with one spare that lanes without a link point to.
    points: Vec<F4>,
    sums: Vec<F4>,
}

impl Mesh {
    /// A mesh of `particles`, held by `links`, which are sorted by kind.
    pub fn new(particles: usize, links: &[(Kind, [u32; 2])], triangles: &[[u32; 3]]) -> Self {
        let ends = coloured(particles, links);
        let spare = particles.div_ceil(4) as u32 * 4;
        let batches = ends
            .iter()
            .map(|(_, ends)| std::array::from_fn(|k| ends[k % 4].map_or(spare, |pair| pair[k / 4])))
            .collect();
        let points = vec![F4::ZERO; spare as usize + 1];
        Mesh { batches, ends, triangles: triangles.to_vec(), sums: points.clone(), points }
    }

    /// How many blocks hold the particles; slot and particle are one.
    pub fn blocks(&self) -> usize {
        self.points.len() / 4
    }

    /// Every batch in the order in which [`Mesh::relax`] solves them.
    pub fn ends(&self) -> Vec<(Kind, super::grid::Ends)> {
        self.ends.clone()
    }

    fn gather(&mut self, p: &[V3]) {
        for (points, p) in self.points.chunks_exact_mut(4).zip(p) {
            points.copy_from_slice(&p.to_points());
        }
    }

    /// One pass over all links.
    pub fn relax(&mut self, p: &mut [V3], links: &[LinkLanes]) {
        self.gather(p);
        let points = &mut self.points[..];
        for (batch, link) in self.batches.iter().zip(links) {
            let [a0, a1, a2, a3, b0, b1, b2, b3] = batch.map(|p| p as usize);
            let mut a = V3::from_points([points[a0], points[a1], points[a2], points[a3]]);
            let mut b = V3::from_points([points[b0], points[b1], points[b2], points[b3]]);
            relax(&mut a, &mut b, link);
            [points[a0], points[a1], points[a2], points[a3]] = a.to_points();
            [points[b0], points[b1], points[b2], points[b3]] = b.to_points();
        }
        for (points, p) in points.chunks_exact(4).zip(p) {
            *p = V3::from_points([points[0], points[1], points[2], points[3]]);
        }
    }

    /// Normals of all particles, summed over their triangles by area.
    pub fn normals(&mut self, p: &[V3], n: &mut [V3]) {
        self.gather(p);
        self.sums.fill(F4::ZERO);
        for four in self.triangles.chunks(4) {
            let normals = face_normals(&self.points, |k, c| four[k.min(four.len() - 1)][c] as usize);
            for (triangle, normal) in four.iter().zip(normals) {
                for p in triangle {
                    self.sums[*p as usize] += normal;
                }
            }
        }
        for (sums, n) in self.sums.chunks_exact(4).zip(n) {
            *n = V3::from_points([sums[0], sums[1], sums[2], sums[3]]).normalized();
        }
    }

    /// Normals of vertices that share a particle but not their triangles: `faces` are triangles of vertices, and
    /// `particle_of` says where each vertex is. Call after [`Mesh::normals`] of the same positions.
    pub fn split_normals(&self, faces: &[[u32; 3]], particle_of: &[u32], n: &mut [F4]) {
        n.fill(F4::ZERO);
        for four in faces.chunks(4) {
            let corner = |k: usize, c: usize| particle_of[four[k.min(four.len() - 1)][c] as usize] as usize;
            let normals = face_normals(&self.points, corner);
            for (face, normal) in four.iter().zip(normals) {
                for v in face {
                    n[*v as usize] += normal;
                }
            }
        }
        for four in n.chunks_mut(4) {
            let at = |k: usize| four.get(k).copied().unwrap_or(F4::ZERO);
            let unit = V3::from_points([at(0), at(1), at(2), at(3)]).normalized().to_points();
            for (n, unit) in four.iter_mut().zip(unit) {
                *n = unit;
            }
        }
    }
}

/// Normals of four triangles, twice their area long; `corner(k, c)` is the point at corner `c` of triangle `k`.
#[inline(always)]
fn face_normals(points: &[F4], corner: impl Fn(usize, usize) -> usize) -> [F4; 4] {
    let [a, b, c] = [0, 1, 2].map(|c| V3::from_points([0, 1, 2, 3].map(|k| points[corner(k, c)])));
    (c - b).cross(a - b).to_points()
}

/// Batches of four links that do not touch: kind after kind, and within a kind colour after colour, each link taking the
/// first colour that neither of its ends has.
fn coloured(particles: usize, links: &[(Kind, [u32; 2])]) -> Vec<(Kind, super::grid::Ends)> {
    let mut batches = Vec::new();
    for kind in links.chunk_by(|a, b| a.0 == b.0) {
        let mut taken = vec![0u64; particles];
        let mut colours: Vec<Vec<[u32; 2]>> = vec![Vec::new(); COLOURS];
        let mut alone = Vec::new();
        for (_, ends) in kind {
            let [a, b] = ends.map(|p| p as usize);
            let colour = (!(taken[a] | taken[b])).trailing_zeros() as usize;
            if let Some(links) = colours.get_mut(colour) {
                taken[a] |= 1 << colour;
                taken[b] |= 1 << colour;
                links.push(*ends);
            } else {
                alone.push(*ends);
            }
        }
        let fours = colours.iter().flat_map(|links| links.chunks(4)).chain(alone.chunks(1));
        batches.extend(fours.map(|four| (kind[0].0, std::array::from_fn(|lane| four.get(lane).copied()))));
    }
    batches
}
