//! Making a cloth of a grid or of a geometry.

use super::grid::{Grid, LEAST_COLUMNS};
use super::links::{Batch, LinkLanes};
use super::mesh::{Mesh, Source, coloured};
use super::options::{ClothGrid, ClothMesh, ClothOptions};
use super::{Cloth, Contact, IDENTITY, Input, MAX_STEPS, Output, STEP, Seams, Weave};
use crate::clock::Clock;
use crate::collider::{out_of_reach, within_reach};
use crate::error::{Error, Result};
use crate::lanes::{F4, ON, V3, filled};
use crate::number::Part;
use crate::options::{Value, cut, set, settings};
use crate::text;

/// Most vertices of a cloth.
const MOST_VERTICES: u64 = 4_000_000;

/// Where the lower edge of a grid hangs that nobody placed, in metres: clear of the default floor, and of the length by
/// which a cloth gives.
const CLEARANCE: f64 = 0.1;

/// A particle of more links is heavier, and its links weaker, in proportion. Corrections in turn throw a light hub of many
/// strong links about: the hub of a disc of 96 triangles and more flew away. On a grid a particle has at most 12 links.
/// Refused: heavier alone (a disc of 64 still explodes with substeps), weaker alone (it trembles at 10 m/s).
const MOST_LINKS: u32 = 16;

/// What a cloth is made of.
enum Shape {
    Grid(ClothGrid),
    Mesh(ClothMesh),
}

/// The options of a cloth that is to be made, checked.
struct Order {
    shape: Shape,
    options: ClothOptions,
}

impl Order {
    fn read(text: &str) -> Result<Self> {
        let mut shape = None;
        let mut options = ClothOptions::default();
        // A cloth made of a geometry may be anywhere, below 0 too.
        if text.starts_with("mesh.") {
            options.floor = None;
        }
        settings(text, &mut |path, value| match cut(path, b'.') {
            Some(("grid", name)) => match shape.get_or_insert(Shape::Grid(ClothGrid::default())) {
                Shape::Grid(grid) => set(grid, name, name, value),
                Shape::Mesh(_) => Err(Error::option("a cloth is made of a grid or of a mesh")),
            },
            Some(("mesh", name)) => match shape.get_or_insert(Shape::Mesh(ClothMesh::default())) {
                Shape::Mesh(mesh) => set(mesh, name, name, value),
                Shape::Grid(_) => Err(Error::option("a cloth is made of a grid or of a mesh")),
            },
            Some(("options", name)) => set(&mut options, name, name, value),
            _ if value == Value::Empty => Ok(()),
            _ => Err(Error::option(text![path, " is not known; a cloth is made of grid or mesh, and options"])),
        })?;
        let shape = shape.ok_or_else(|| Error::option("a cloth is made of grid or mesh"))?;
        if let Shape::Grid(grid) = &shape {
            let vertices = u64::from(grid.columns) * u64::from(grid.rows);
            if vertices > MOST_VERTICES {
                return Err(Error::option(text![
                    "columns × rows must be from 4 to ",
                    MOST_VERTICES,
                    ", got ",
                    vertices
                ]));
            }
        }
        Ok(Order { shape, options })
    }
}

impl Cloth {
    /// Refuses what [`Cloth::create`] would refuse of `settings`, before anything is allocated for it.
    pub fn check(settings: &str) -> Result<()> {
        Order::read(settings).map(drop)
    }

    /// A cloth of the settings `grid.…` or `mesh.…` first, and `options.…`.
    ///
    /// `reals` are the vertices, `[x, y, z]` each, in metres; a grid without any hangs flat, with its lower edge at y = 0.1. `indices` are, for a
    /// mesh, the three vertices of each triangle, and then the pinned vertices.
    pub fn create(settings: &str, reals: &[f32], indices: &[u32]) -> Result<Self> {
        let Order { shape, options } = Order::read(settings)?;
        if let Some(i) = reals.iter().position(|v| !within_reach(v)) {
            let name = text![["x", "y", "z"][i % 3], " of vertex ", i / 3];
            return Err(out_of_reach(&name, "m", reals[i]));
        }
        match shape {
            Shape::Grid(grid) => {
                let count = (grid.columns * grid.rows) as usize;
                let (flat, placed);
                if reals.is_empty() {
                    flat = even(&grid);
                    placed = &flat[..];
                } else {
                    placed = reals;
                }
                if placed.len() != count * 3 {
                    return Err(Error::input(text![
                        "a grid of ",
                        count,
                        " vertices takes ",
                        count * 3,
                        " numbers, got ",
                        reals.len()
                    ]));
                }
                let (columns, rows) = (grid.columns as usize, grid.rows as usize);
                if columns < LEAST_COLUMNS {
                    return woven(options, placed, Source::grid(grid.columns, grid.rows), indices);
                }
                let strips = Grid::new(columns, rows);
                let slot_of = (0..count).map(|v| strips.slot(v % columns, v / columns)).collect();
                let batches = strips.links();
                let blocks = strips.blocks();
                hung(
                    options,
                    Weave::Grid(strips),
                    batches,
                    slot_of,
                    blocks,
                    placed,
                    report(&Source::default()),
                    None,
                    Vec::new(),
                    indices,
                )
            }
            Shape::Mesh(mesh) => {
                let corners = mesh.triangles as usize * 3;
                if reals.len() < 3 || !reals.len().is_multiple_of(3) || indices.len() < corners {
                    return Err(Error::input(text![
                        "a mesh takes 3 numbers a vertex and 3 indices a triangle, got ",
                        reals.len(),
                        " numbers and ",
                        indices.len(),
                        " indices"
                    ]));
                }
                let (triangles, pinned) = indices.split_at(corners);
                woven(options, reals, Source::new(reals, triangles, mesh.weld)?, pinned)
            }
        }
    }
}

/// A cloth of triangles.
fn woven(options: ClothOptions, vertices: &[f32], source: Source, pinned: &[u32]) -> Result<Cloth> {
    let batches = coloured(source.particles(), &mut source.links(vertices));
    let (split, report) = (source.particle_of.len() > source.particles(), report(&source));
    let orphans = source.orphans.iter().map(|v| source.particle_of[*v as usize]).collect();
    let mesh = Mesh::new(source.particles(), source.triangles);
    let seams = split.then(|| Seams {
        faces: source.faces,
        particle_of: source.particle_of.clone(),
        normals: filled(F4::ZERO, source.particle_of.len().next_multiple_of(4)),
    });
    let blocks = mesh.blocks();
    hung(options, Weave::Mesh(mesh), batches, source.particle_of, blocks, vertices, report, seams, orphans, pinned)
}

/// The particles of a weave, in place.
#[allow(clippy::too_many_arguments)]
fn hung(
    options: ClothOptions,
    weave: Weave,
    batches: Vec<Batch>,
    slot_of: Vec<u32>,
    blocks: usize,
    vertices: &[f32],
    report: String,
    seams: Option<Seams>,
    orphans: Vec<u32>,
    pinned: &[u32],
) -> Result<Cloth> {
    let zeros = || filled(V3::ZERO, blocks);
    let mut start = zeros();
    let mut real = filled(F4::ZERO, blocks);
    let mut vertex_in = vec![0u32; blocks * 4];
    // The first vertex of a particle comes last, and so gives its place.
    for (v, slot) in slot_of.iter().enumerate().rev() {
        let (block, lane) = (*slot as usize / 4, *slot as usize % 4);
        start[block].set(lane, [vertices[v * 3], vertices[v * 3 + 1], vertices[v * 3 + 2]]);
        real[block].as_mut_array()[lane] = ON;
        vertex_in[*slot as usize] = v as u32;
    }
    let distance = |pair: [usize; 2]| {
        let [p, q] = pair.map(|slot| start[slot / 4].get(slot % 4).map(f64::from));
        let [x, y, z] = [0, 1, 2].map(|c| q[c] - p[c]);
        (x * x + y * y + z * z).sqrt() as f32
    };
    let mut links = Vec::with_capacity(batches.len());
    let mut link_vertices = Vec::new();
    let mut links_at = vec![0u32; blocks * 4];
    for batch in &batches {
        let mut link = LinkLanes { rest: F4::ONE, ..LinkLanes::default() };
        for (lane, pair) in batch.pairs() {
            link.rest.as_mut_array()[lane] = distance(pair);
            for slot in pair {
                link_vertices.push(vertex_in[slot]);
                links_at[slot] += 1;
            }
        }
        links.push(link);
    }
    let lightness =
        links_at.iter().map(|links| if *links > MOST_LINKS { MOST_LINKS as f32 / *links as f32 } else { 1.0 });
    let count = slot_of.len();
    let mut cloth = Cloth {
        lightness: lightness.collect(),
        options,
        keep: 1.0,
        clock: Clock::new(STEP, MAX_STEPS),
        weave,
        seams,
        report,
        position: zeros(),
        previous: zeros(),
        last: zeros(),
        normal: zeros(),
        shown: zeros(),
        shown_normal: zeros(),
        free: real.clone(),
        real,
        start,
        links,
        batches,
        link_vertices,
        slot_of,
        orphans,
        pins: Vec::new(),
        pin_vertices: Vec::new(),
        colliders: Vec::new(),
        stepped: Vec::new(),
        solids: Vec::new(),
        parts: Vec::new(),
        near: vec![0; blocks],
        contacts: vec![Contact::default(); blocks],
        swept: false,
        jump: true,
        newest: true,
        input: Input {
            wind: [0.0; 3],
            gravity: [0.0, -9.8, 0.0],
            pin_targets: Vec::new(),
            colliders: Vec::new(),
            space: IDENTITY,
        },
        output: Output { positions: vec![0.0; count * 3], normals: vec![0.0; count * 3], bounds: [0.0; 10] },
        status: [0],
    };
    let pinned: Vec<f32> = pinned.iter().map(|v| *v as f32).collect();
    cloth.set_pins(&pinned)?;
    cloth.options_changed();
    cloth.restart();
    Ok(cloth)
}

/// A flat grid: x from −width/2 to width/2, hanging with its lower edge a little above the ground.
fn even(grid: &ClothGrid) -> Vec<f32> {
    let mut vertices = Vec::with_capacity(grid.columns as usize * grid.rows as usize * 3);
    for j in 0..grid.rows {
        for i in 0..grid.columns {
            let (u, v) = (f64::from(i) / f64::from(grid.columns - 1), f64::from(j) / f64::from(grid.rows - 1));
            vertices.push(((u - 0.5) * f64::from(grid.width)) as f32);
            vertices.push(((1.0 - v) * f64::from(grid.height) + CLEARANCE) as f32);
            vertices.push(0.0);
        }
    }
    vertices
}

/// What creation merged or dropped, as JSON for `cloth.report`.
fn report(source: &Source) -> String {
    let mut orphans = String::new();
    for orphan in &source.orphans {
        orphans += if orphans.is_empty() { "" } else { "," };
        orphan.add_to(&mut orphans);
    }
    text![
        "{\"welded\":",
        source.particle_of.len() - source.particles(),
        ",\"degenerateTriangles\":",
        source.degenerate,
        ",\"duplicateTriangles\":",
        source.duplicate,
        ",\"orphanVertices\":[",
        orphans,
        "]}"
    ]
}
