//! A cloth of any triangles: links solved in batches of four that do not touch, gathered from points.

use super::links::{Batch, Kind, LinkLanes, relax};
use crate::error::{Error, Result};
use crate::lanes::{F4, V3, filled};
use crate::sort::{Row, sort};
use crate::spatial::{M3, unit};
use crate::text;
use glam::Vec3;

/// A triangle whose height is this small a share of its longest edge has no direction, and is dropped.
const FLATTEST: f32 = 1e-6;

/// Neighbours of a vertex closer to opposite than this (cosine of the angle between them) are linked over it.
const STRAIGHT: f32 = -0.9;

/// Most colours that one particle can tell apart; links beyond them are solved one at a time.
const COLOURS: u32 = 64;

/// What a geometry became.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The particle of each vertex.
    pub particle_of: Vec<u32>,
    /// The first vertex of each particle.
    pub vertex_of: Vec<u32>,
    /// Triangles that are simulated, as particles.
    pub triangles: Vec<[u32; 3]>,
    /// Triangles of an index whose vertices lie apart, as vertices, in the order of the index: these give the normals.
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
        // Each triangle that has an area: its particles in ascending order, its place among the faces.
        let mut seen: Vec<Row> = Vec::with_capacity(triangles.len() / 3);
        for (t, face) in triangles.as_chunks::<3>().0.iter().enumerate() {
            if let Some(bad) = face.iter().find(|v| **v as usize >= count) {
                let last = count - 1;
                return Err(Error::input(text![
                    "index of triangle ",
                    t,
                    " must be a vertex from 0 to ",
                    last,
                    ", got ",
                    bad
                ]));
            }
            let [a, b, c] = face.map(|v| source.particle_of[v as usize]);
            if flat([a, b, c].map(|p| source.place(vertices, p))) {
                source.degenerate += 1;
                continue;
            }
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            seen.push([low, a ^ b ^ c ^ low ^ high, high, source.faces.len() as u32]);
            source.faces.push(*face);
        }
        sort(&mut seen);
        let mut kept = vec![false; seen.len()];
        source.duplicate = seen.len() as u32;
        for same in seen.chunk_by(|x, y| x[..3] == y[..3]) {
            kept[same[0][3] as usize] = true;
            source.duplicate -= 1;
        }
        for (face, _) in source.faces.iter().zip(&kept).filter(|(_, kept)| **kept) {
            let triangle = face.map(|v| source.particle_of[v as usize]);
            triangle.iter().for_each(|p| used[*p as usize] = true);
            source.triangles.push(triangle);
        }
        for (v, particle) in source.particle_of.iter().enumerate() {
            if !used[*particle as usize] {
                source.orphans.push(v as u32);
            }
        }
        Ok(source)
    }

    /// The triangles of a grid, for one that is too narrow for strips.
    pub fn grid(columns: u32, rows: u32) -> Self {
        let mut triangles = Vec::new();
        for j in 0..rows - 1 {
            for i in 0..columns - 1 {
                let a = j * columns + i;
                let (b, c, d) = (a + 1, a + columns, a + columns + 1);
                triangles.push([a, c, b]);
                triangles.push([b, c, d]);
            }
        }
        let all = || (0..columns * rows).collect();
        Source { particle_of: all(), vertex_of: all(), triangles, ..Source::default() }
    }

    /// How many particles there are.
    pub fn particles(&self) -> usize {
        self.vertex_of.len()
    }

    fn place(&self, vertices: &[f32], particle: u32) -> Vec3 {
        vertex(vertices, self.vertex_of[particle as usize])
    }

    #[inline(never)]
    fn distance(&self, vertices: &[f32], a: u32, b: u32) -> f32 {
        self.place(vertices, a).distance(self.place(vertices, b))
    }

    /// The links that the triangles call for, `[kind, end, end, 0]` each, by kind.
    ///
    /// Two triangles make up a cell, as on a grid, when the edge between them is the longest of both and about as long as
    /// the other diagonal: both diagonals are shear links. Every other edge is structural. Against folding, neighbours in
    /// line are tied over a corner of cells, and elsewhere the two corners opposite an edge.
    pub fn links(&self, vertices: &[f32]) -> Vec<Row> {
        let at = |p: u32| self.place(vertices, p);
        let distance = |a: u32, b: u32| self.distance(vertices, a, b);
        let tie = |a: u32, b: u32, kind: Kind| [a.min(b), a.max(b), kind as u32, 0];
        // Each edge of each triangle: its ends, the corner opposite, the triangle.
        let mut sides: Vec<Row> = Vec::with_capacity(self.triangles.len() * 3);
        for (t, [a, b, c]) in self.triangles.iter().enumerate() {
            for (a, b, opposite) in [(a, b, c), (b, c, a), (c, a, b)] {
                sides.push([*a.min(b), *a.max(b), *opposite, t as u32]);
            }
        }
        sort(&mut sides);
        let same_edge = |x: &Row, y: &Row| x[..2] == y[..2];
        let diagonal_of_cell = |a: u32, b: u32, p: u32, q: u32| {
            let (edge, other) = (distance(a, b), distance(p, q));
            let longest = [(a, p), (a, q), (b, p), (b, q)].iter().all(|(from, to)| distance(*from, *to) < edge);
            longest && other > 0.7 * edge && other < 1.43 * edge
        };
        let mut links: Vec<Row> = Vec::with_capacity(sides.len() * 2);
        let mut corner_of_cell = vec![false; self.particles()];
        let mut in_cell = vec![false; self.triangles.len()];
        for side in sides.chunk_by(same_edge) {
            let [a, b, ..] = side[0];
            match side {
                [[.., p, s], [.., q, t]] if p != q && diagonal_of_cell(a, b, *p, *q) => {
                    links.extend([tie(a, b, Kind::Shear), tie(*p, *q, Kind::Shear)]);
                    (in_cell[*s as usize], in_cell[*t as usize]) = (true, true);
                    for corner in [a, b, *p, *q] {
                        corner_of_cell[corner as usize] = true;
                    }
                }
                _ => links.push(tie(a, b, Kind::Structural)),
            }
        }
        let mut spokes: Vec<Row> = Vec::with_capacity(links.len() * 2);
        for [a, b, ..] in links.iter().filter(|[_, _, kind, _]| *kind == Kind::Structural as u32) {
            spokes.extend([[*a, *b, 0, 0], [*b, *a, 0, 0]]);
        }
        for side in sides.chunk_by(same_edge) {
            if let [[.., p, s], [.., q, t]] = side
                && p != q
                && !(in_cell[*s as usize] && in_cell[*t as usize])
            {
                links.push(tie(*p, *q, Kind::Bend));
            }
        }
        sort(&mut spokes);
        for spoke in spokes.chunk_by(|x, y| x[0] == y[0]) {
            let hub = spoke[0][0];
            if !corner_of_cell[hub as usize] {
                continue;
            }
            for (k, [_, a, ..]) in spoke.iter().enumerate() {
                let mut straightest = (STRAIGHT, *a);
                for [_, b, ..] in &spoke[k + 1..] {
                    let [to_a, to_b] = [a, b].map(|end| unit(at(*end) - at(hub), Vec3::ZERO));
                    let cosine = to_a.dot(to_b);
                    if cosine < straightest.0 {
                        straightest = (cosine, *b);
                    }
                }
                if straightest.1 != *a {
                    links.push(tie(*a, straightest.1, Kind::Bend));
                }
            }
        }
        // Where two rules tie the same pair, the stiffer stays.
        sort(&mut links);
        let mut by_kind = Vec::with_capacity(links.len());
        for tied in links.chunk_by(same_edge) {
            let [a, b, kind, _] = tied[0];
            by_kind.push([kind, a, b, 0]);
        }
        sort(&mut by_kind);
        by_kind
    }
}

/// Whether a triangle has no direction: two corners are one, or it is flatter than [`FLATTEST`].
fn flat([a, b, c]: [Vec3; 3]) -> bool {
    let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    (b - a).cross(c - a).length() <= FLATTEST * longest
}

#[inline(never)]
fn vertex(vertices: &[f32], v: u32) -> Vec3 {
    Vec3::from_slice(&vertices[v as usize * 3..])
}

/// The particle of each vertex, and the first vertex of each particle. Vertices are sorted into cells wider than the reach,
/// so that a cloth of n vertices takes about n log n.
fn welded(vertices: &[f32], reach: f32) -> (Vec<u32>, Vec<u32>) {
    let count = vertices.len() as u32 / 3;
    let (mut low, mut high) = (f32::MAX, f32::MIN);
    for c in vertices {
        low = if *c < low { *c } else { low };
        high = if *c > high { *c } else { high };
    }
    // No more cells along an axis than a u32 can count, and none below 0.
    let least = (high - low) * 1e-8 + 1e-9;
    let cell = f64::from(if reach * 2.0 > least { reach * 2.0 } else { least });
    let key = |c: f32| ((f64::from(c) - f64::from(low)) / cell + 1.0) as u32;
    let mut cells: Vec<Row> = Vec::with_capacity(count as usize);
    for v in 0..count {
        let p = vertex(vertices, v);
        cells.push([key(p.x), key(p.y), key(p.z), v]);
    }
    sort(&mut cells);

    let mut particle_of = vec![u32::MAX; count as usize];
    let mut vertex_of = Vec::new();
    for v in 0..count {
        if particle_of[v as usize] != u32::MAX {
            continue;
        }
        // The lowest vertex of a place stands for it.
        let particle = vertex_of.len() as u32;
        vertex_of.push(v);
        particle_of[v as usize] = particle;
        let here = vertex(vertices, v);
        for x in key(here.x - reach)..=key(here.x + reach) {
            for y in key(here.y - reach)..=key(here.y + reach) {
                for z in key(here.z - reach)..=key(here.z + reach) {
                    let mut at = cells.partition_point(|row| *row < [x, y, z, 0]);
                    while at < cells.len() && cells[at][..3] == [x, y, z] {
                        let other = cells[at][3];
                        at += 1;
                        let near = here.distance_squared(vertex(vertices, other)) <= reach * reach;
                        if near && particle_of[other as usize] == u32::MAX {
                            particle_of[other as usize] = particle;
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
    triangles: Vec<[u32; 3]>,
    /// Positions as points, with one spare that lanes without a link point to.
    points: Vec<F4>,
    sums: Vec<F4>,
}

impl Mesh {
    /// A mesh of `particles`.
    pub fn new(particles: usize, triangles: Vec<[u32; 3]>) -> Self {
        let points = || filled(F4::ZERO, spare(particles) as usize + 1);
        Mesh { triangles, points: points(), sums: points() }
    }

    /// How many blocks hold the particles; slot and particle are one.
    pub fn blocks(&self) -> usize {
        self.points.len() / 4
    }

    #[inline(never)]
    fn gather(&mut self, p: &[V3]) {
        for (points, p) in self.points.as_chunks_mut().0.iter_mut().zip(p) {
            *points = p.to_points();
        }
    }

    /// One pass over all links.
    pub fn relax(&mut self, p: &mut [V3], batches: &[Batch], links: &[LinkLanes]) {
        self.gather(p);
        let points = &mut self.points[..];
        for (batch, link) in batches.iter().zip(links) {
            let [a0, a1, a2, a3, b0, b1, b2, b3] = batch.ends.map(|p| p as usize);
            let mut a = V3::from_points([points[a0], points[a1], points[a2], points[a3]]);
            let mut b = V3::from_points([points[b0], points[b1], points[b2], points[b3]]);
            relax(&mut a, &mut b, link);
            [points[a0], points[a1], points[a2], points[a3]] = a.to_points();
            [points[b0], points[b1], points[b2], points[b3]] = b.to_points();
        }
        for (points, p) in points.as_chunks().0.iter().zip(p) {
            *p = V3::from_points(*points);
        }
    }

    /// Normals of all particles, summed over their triangles by area.
    pub fn normals(&mut self, p: &[V3], n: &mut [V3]) {
        self.gather(p);
        sum_normals(&self.points, &self.triangles, None, &mut self.sums);
        for (sums, n) in self.sums.as_chunks().0.iter().zip(n) {
            *n = V3::from_points(*sums).normalized();
        }
    }

    /// Normals of vertices that share a particle but not their triangles, turned: `faces` are triangles of vertices, and
    /// `particle_of` says where each vertex is. Call after [`Mesh::normals`] of the same positions. `n` is of a whole number of
    /// fours.
    pub fn split_normals(&self, faces: &[[u32; 3]], particle_of: &[u32], turn: Option<M3>, n: &mut [F4]) {
        sum_normals(&self.points, faces, Some(particle_of), n);
        for four in n.as_chunks_mut().0 {
            let mut unit = V3::from_points(*four).normalized();
            if let Some(turn) = turn {
                unit = turn.times(unit).normalized();
            }
            *four = unit.to_points();
        }
    }
}

/// Sums at each corner the normals of its triangles, twice their area long. The point of a corner is `point_of` it, or the
/// corner itself.
#[inline(never)]
fn sum_normals(points: &[F4], triangles: &[[u32; 3]], point_of: Option<&[u32]>, sums: &mut [F4]) {
    sums.fill(F4::ZERO);
    for four in triangles.chunks(4) {
        let mut corners = [[F4::ZERO; 4]; 3];
        for (k, triangle) in four.iter().enumerate() {
            for (c, corner) in triangle.iter().enumerate() {
                let point = point_of.map_or(*corner, |point_of| point_of[*corner as usize]);
                corners[c][k] = points[point as usize];
            }
        }
        let [a, b, c] = corners.map(V3::from_points);
        let normals = (c - b).cross(a - b).to_points();
        for (triangle, normal) in four.iter().zip(normals) {
            for corner in triangle {
                sums[*corner as usize] += normal;
            }
        }
    }
}

/// The slot of no particle, for lanes without a link.
fn spare(particles: usize) -> u32 {
    particles.div_ceil(4) as u32 * 4
}

/// Batches of four links that do not touch: kind after kind, and within a kind colour after colour, each link taking the
/// first colour that neither of its ends has. `links` are sorted by kind.
pub fn coloured(particles: usize, links: &mut [Row]) -> Vec<Batch> {
    let mut taken = vec![0u64; particles];
    let mut before = 0;
    for link in &mut *links {
        let [kind, a, b, _] = *link;
        if kind != before {
            before = kind;
            taken.fill(0);
        }
        let colour = (!(taken[a as usize] | taken[b as usize])).trailing_zeros();
        if colour < COLOURS {
            for end in [a, b] {
                taken[end as usize] |= 1 << colour;
            }
        }
        // Those that are left over come first.
        *link = [kind, (colour + 1) % (COLOURS + 1), a, b];
    }
    sort(links);
    let mut batches = Vec::new();
    for alike in links.chunk_by(|x, y| x[..2] == y[..2]) {
        for some in alike.chunks(if alike[0][1] == 0 { 1 } else { 4 }) {
            let kind = [Kind::Structural, Kind::Shear, Kind::Bend][some[0][0] as usize];
            let mut batch = Batch { kind, ends: [spare(particles); 8] };
            for (lane, [.., a, b]) in some.iter().enumerate() {
                (batch.ends[lane], batch.ends[lane + 4]) = (*a, *b);
            }
            batches.push(batch);
        }
    }
    batches
}
