//! What a cloth must do. Figures come from `tests/golden/cloth.json` or from reasoning about the scene, never from a run of
//! this code.

use super::links::Kind;
use super::settings as options_of;
use super::*;
use crate::collider::STRIDE;
use crate::error::Code;
use crate::lanes::splat;
use crate::simulation::{begin, reread_inputs};
use crate::snapshot::{restore, save};
use serde_json::{Value, json};

const FRAME: Option<f64> = None;

/// Options as settings, as `npm/limber/src/settings.ts` writes them.
fn settings(value: &Value) -> String {
    fn write(path: &str, value: &Value, out: &mut String) {
        let value = match value {
            Value::Object(fields) if fields.is_empty() && !path.is_empty() => "o".into(),
            Value::Object(fields) => {
                let dot = if path.is_empty() { "" } else { "." };
                fields.iter().for_each(|(name, value)| write(&format!("{path}{dot}{name}"), value, out));
                return;
            }
            Value::Number(n) => format!("n{:016x}", n.as_f64().unwrap().to_bits()),
            Value::Bool(b) => if *b { "t" } else { "f" }.into(),
            Value::Null => "0".into(),
            Value::String(s) if s == "NaN" => format!("n{:016x}", f64::NAN.to_bits()),
            other => format!("s{other}"),
        };
        *out += &format!("{path}={value}\n");
    }
    let mut out = String::new();
    write("", value, &mut out);
    out
}

fn golden() -> Value {
    serde_json::from_str(include_str!("../../../../tests/golden/cloth.json")).unwrap()
}

/// Vertices of a grid, by a function of column and row.
fn placed(columns: u32, rows: u32, place: impl Fn(f64, f64) -> [f64; 3]) -> Vec<f32> {
    (0..rows)
        .flat_map(|j| (0..columns).map(move |i| (i, j)))
        .flat_map(|(i, j)| place(f64::from(i) / f64::from(columns - 1), f64::from(j) / f64::from(rows - 1)))
        .map(|c| c as f32)
        .collect()
}

fn grid(columns: u32, rows: u32, vertices: &[f32], pinned: &[u32], options: Value) -> Cloth {
    let order = json!({ "grid": { "columns": columns, "rows": rows }, "options": options });
    Cloth::create(&settings(&order), vertices, pinned).unwrap()
}

fn capsule(a: [f32; 3], b: [f32; 3], radius: f32) -> [f32; 13] {
    [1.0, a[0], a[1], a[2], b[0], b[1], b[2], radius, 0.0, 0.0, 0.0, 0.0, 0.0]
}

const BODY: [([f32; 3], [f32; 3], f32); 3] = [
    ([0.0, 0.95, 0.0], [0.0, 1.45, 0.0], 0.2),
    ([-0.11, 0.1, 0.0], [-0.11, 0.9, 0.0], 0.1),
    ([0.11, 0.1, 0.0], [0.11, 0.9, 0.0], 0.1),
];

/// The golden's cape, with its body.
fn cape(options: Value) -> Cloth {
    let vertices = placed(12, 17, |u, v| [(u - 0.5) * 0.54, 1.5 - v * 1.2, -0.24]);
    let mut cape = grid(12, 17, &vertices, &(0..12).collect::<Vec<_>>(), options);
    let capsules: Vec<f32> = BODY.iter().flat_map(|(a, b, r)| capsule(*a, *b, *r)).collect();
    cape.command(channels::SET_COLLIDERS, &capsules).unwrap();
    cape
}

/// The golden's flag.
fn flag() -> Cloth {
    let vertices = placed(16, 10, |u, v| [u * 1.2, 2.6 - v * 0.75, 0.0]);
    grid(16, 10, &vertices, &(0..10).map(|j| j * 16).collect::<Vec<_>>(), json!({}))
}

fn run(cloth: &mut Cloth, dt: Option<f64>) -> u32 {
    let steps = begin(cloth, dt).unwrap();
    for _ in 0..steps {
        cloth.fixed_step();
    }
    cloth.finish();
    steps
}

/// Moves shoulders and body to `offset` from where the golden starts.
fn carry_body(cape: &mut Cloth, offset: [f32; 3]) {
    for (k, target) in cape.input.pin_targets.as_chunks_mut::<3>().0.iter_mut().enumerate() {
        let x = (k as f64 / 11.0 - 0.5) * 0.54;
        *target = [x as f32 + offset[0], 1.5 + offset[1], -0.24 + offset[2]];
    }
    for (pose, (a, b, _)) in cape.input.colliders.as_chunks_mut::<STRIDE>().0.iter_mut().zip(BODY) {
        for c in 0..3 {
            pose[c] = a[c] + offset[c];
            pose[3 + c] = b[c] + offset[c];
        }
    }
}

fn walk(t: f64) -> [f32; 3] {
    let t = t.min(5.0);
    let bob = if t < 5.0 { 0.02 * (9.0 * t).sin() } else { 0.0 };
    [0.0, bob as f32, (1.2 * t) as f32]
}

fn vertices(cloth: &Cloth) -> Vec<[f32; 3]> {
    cloth.output.positions.as_chunks().0.to_vec()
}

fn centre(cloth: &Cloth) -> [f64; 3] {
    let all = vertices(cloth);
    [0, 1, 2].map(|c| all.iter().map(|v| f64::from(v[c])).sum::<f64>() / all.len() as f64)
}

fn length(a: [f32; 3], b: [f32; 3]) -> f64 {
    [0, 1, 2].map(|c| f64::from(b[c]) - f64::from(a[c])).iter().map(|d| d * d).sum::<f64>().sqrt()
}

/// Largest and mean length of structural links, as a share of their length at rest.
fn stretch(cloth: &Cloth) -> (f64, f64) {
    let all = vertices(cloth);
    let (mut largest, mut sum, mut count, mut at) = (0.0f64, 0.0, 0.0, 0);
    for (batch, link) in cloth.batches.iter().zip(&cloth.links) {
        for (lane, _) in batch.pairs() {
            let [a, b] = [0, 1].map(|end| all[cloth.link_vertices[at * 2 + end] as usize]);
            at += 1;
            if batch.kind == Kind::Structural {
                let ratio = length(a, b) / f64::from(link.rest.as_array()[lane]);
                largest = largest.max(ratio);
                sum += ratio;
                count += 1.0;
            }
        }
    }
    (largest, sum / count)
}

/// Root mean square speed of all free particles, m/s.
fn speed(cloth: &Cloth) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0f64);
    for (block, free) in cloth.free.iter().enumerate() {
        for lane in (0..4).filter(|lane| free.as_array()[*lane].to_bits() != 0) {
            let way = length(cloth.previous[block].get(lane), cloth.position[block].get(lane));
            sum += (way * 60.0 * f64::from(cloth.options.substeps)).powi(2);
            count += 1.0;
        }
    }
    (sum / count).sqrt()
}

/// Signed distance from `p` to the surface of the golden's body at `offset`, its capsules made smaller by `inset`.
fn outside_body(p: [f32; 3], offset: [f32; 3], inset: f64) -> f64 {
    let p = [0, 1, 2].map(|c| f64::from(p[c]) - f64::from(offset[c]));
    BODY.iter()
        .map(|(a, b, r)| {
            let (a, b) = (a.map(f64::from), b.map(f64::from));
            let axis = [0, 1, 2].map(|c| b[c] - a[c]);
            let dot = |u: [f64; 3], v: [f64; 3]| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
            let from_a = [0, 1, 2].map(|c| p[c] - a[c]);
            let t = (dot(from_a, axis) / dot(axis, axis)).clamp(0.0, 1.0);
            let q = [0, 1, 2].map(|c| from_a[c] - axis[c] * t);
            dot(q, q).sqrt() - (f64::from(*r) - inset)
        })
        .fold(f64::MAX, f64::min)
}

/// The triangles of a grid, as on its index.
fn cells(columns: usize, rows: usize) -> Vec<[usize; 3]> {
    (0..rows - 1)
        .flat_map(|j| (0..columns - 1).map(move |i| j * columns + i))
        .flat_map(|a| [[a, a + columns, a + 1], [a + 1, a + columns, a + columns + 1]])
        .collect()
}

/// `computeVertexNormals` of three.js, in f64.
fn vertex_normals(positions: &[[f32; 3]], triangles: &[[usize; 3]]) -> Vec<[f64; 3]> {
    let mut sums = vec![[0.0; 3]; positions.len()];
    for t in triangles {
        let [a, b, c] = t.map(|v| positions[v].map(f64::from));
        let (u, v) = ([0, 1, 2].map(|k| c[k] - b[k]), [0, 1, 2].map(|k| a[k] - b[k]));
        let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        for v in t {
            (0..3).for_each(|k| sums[*v][k] += n[k]);
        }
    }
    sums.iter()
        .map(|n| {
            let l = n.iter().map(|c| c * c).sum::<f64>().sqrt();
            n.map(|c| if l > 0.0 { c / l } else { 0.0 })
        })
        .collect()
}

fn assert_normals(cloth: &Cloth, triangles: &[[usize; 3]]) {
    let expected = vertex_normals(&vertices(cloth), triangles);
    for (v, (n, e)) in cloth.output.normals.as_chunks::<3>().0.iter().zip(&expected).enumerate() {
        for c in 0..3 {
            assert!((f64::from(n[c]) - e[c]).abs() < 1e-5, "normal of vertex {v}: {n:?}, not {e:?}");
        }
    }
}

// --- the golden ---

#[test]
fn a_standing_cape_stretches_by_its_iterations() {
    let mut before = f64::MAX;
    for (iterations, bound) in [(1, 0.15), (2, 0.1), (4, 0.05), (8, 0.03), (20, 0.03)] {
        let mut cape = cape(json!({ "iterations": iterations }));
        for _ in 0..600 {
            run(&mut cape, FRAME);
        }
        let golden = &golden()["cape"]["standing"][iterations.to_string()][9];
        let (largest, _) = stretch(&cape);
        assert!(
            (largest - golden["stretch"]["max"].as_f64().unwrap()).abs() < bound,
            "{iterations} iterations: {largest}"
        );
        assert!(
            (centre(&cape)[1] - golden["com"][1].as_f64().unwrap()).abs() < 0.005,
            "{iterations} iterations: {:?}",
            centre(&cape)
        );
        assert!(largest < before, "{iterations} iterations stretch more than fewer");
        before = largest;
    }
}

#[test]
fn a_walking_cape_trails_and_settles_on_the_back() {
    for iterations in [8, 20] {
        let mut cape = cape(json!({ "iterations": iterations }));
        cape.input.wind = [0.0, 0.0, -0.5];
        let triangles = cells(12, 17);
        let mut mean = 0.0;
        for frame in 1..=600 {
            let offset = walk(f64::from(frame) / 60.0);
            carry_body(&mut cape, offset);
            run(&mut cape, FRAME);
            let all = vertices(&cape);
            for p in &all[12..] {
                assert!(outside_body(*p, offset, 0.0) > -0.002, "frame {frame}: a vertex is inside the body at {p:?}");
            }
            for t in &triangles {
                // A few points inside each triangle stand for all: they are less than 1 cm apart.
                for u in 0..=8 {
                    for v in 0..=8 - u {
                        let weights = [u as f32 / 8.0, v as f32 / 8.0, (8 - u - v) as f32 / 8.0];
                        let p = [0, 1, 2].map(|c| (0..3).map(|k| all[t[k]][c] * weights[k]).sum());
                        assert!(
                            outside_body(p, offset, 0.015) > 0.0,
                            "frame {frame}: a triangle reaches the body at {p:?}"
                        );
                    }
                }
            }
            let z = centre(&cape)[2] - f64::from(offset[2]);
            // The golden's figures stand at whole seconds. Between them the bob swings the sheet's own cape up to -0.288.
            if frame <= 300 && frame % 60 == 0 {
                assert!(z <= -0.33, "walking, frame {frame}: {z}");
            }
            if (60..=300).contains(&frame) {
                mean += z / 241.0;
            }
            if frame >= 480 {
                assert!((-0.29..=-0.23).contains(&z), "standing, frame {frame}: {z}");
            }
        }
        assert!(mean <= -0.33, "walking: {mean}");
    }
}

#[test]
fn a_flag_stands_out_in_wind_and_droops_without() {
    for (wind, low, high) in [(10.0, 0.15, 0.6), (5.0, 0.0, 0.4)] {
        let mut flag = flag();
        let mut reach = 0.0;
        for frame in 0..900 {
            let t = f64::from(frame) / 60.0;
            let gust = (wind * (1.0 + 0.3 * (2.1 * t).sin())) as f32;
            flag.input.wind = [gust, 0.0, (wind * 0.35 * (1.3 * t).sin()) as f32];
            run(&mut flag, FRAME);
            if frame >= 300 {
                reach += centre(&flag)[0] / 600.0;
            }
        }
        assert!(reach > low && reach < high, "wind {wind}: the centre is {reach} m from the pole");
        flag.input.wind = [0.0; 3];
        for _ in 0..600 {
            run(&mut flag, FRAME);
        }
        let rest = centre(&flag);
        assert!(
            (rest[0].powi(2) + rest[2].powi(2)).sqrt() < 0.12,
            "after wind {wind} it hangs {rest:?} away from the pole"
        );
        assert!(speed(&flag) < 0.01, "after wind {wind} it moves at {} m/s", speed(&flag));
    }
}

#[test]
fn issue_planar_flag_stood_out_like_a_board() {
    // C23, C22: nothing but gravity, from an exactly planar start.
    for offset in [0.0, 5.0, -300.0] {
        let vertices = placed(16, 10, |u, v| [u * 1.2, 2.6 - v * 0.75, offset]);
        let mut flag = grid(16, 10, &vertices, &(0..10).map(|j| j * 16).collect::<Vec<_>>(), json!({}));
        for _ in 0..600 {
            run(&mut flag, FRAME);
        }
        let centre = centre(&flag);
        let away = (centre[0].powi(2) + (centre[2] - offset).powi(2)).sqrt();
        // The sheet's flag, once disturbed, hangs with its centre 0.08 m from the pole and at 1.83 m.
        assert!(away < 0.2, "at z = {offset}: {away} m from the pole");
        assert!((centre[1] - 1.83).abs() < 0.05, "at z = {offset}: {centre:?}");
        assert!(speed(&flag) < 0.01, "at z = {offset}: {} m/s", speed(&flag));
    }
}

#[test]
fn substeps_stretch_a_tall_sheet_less_than_iterations() {
    let tall = |iterations: u32, substeps: u32| {
        let vertices = placed(64, 64, |u, v| [u - 0.5, 1.0 - v, 0.0]);
        let options = json!({ "iterations": iterations, "substeps": substeps, "floor": null });
        let mut sheet = grid(64, 64, &vertices, &(0..64).collect::<Vec<_>>(), options);
        for _ in 0..600 {
            run(&mut sheet, FRAME);
        }
        stretch(&sheet).0
    };
    let (many_iterations, many_substeps) = (tall(8, 1), tall(1, 8));
    // The sheet's solver: 1.88 and 1.14.
    assert!(many_iterations > 1.5, "{many_iterations}");
    assert!(many_substeps < 1.2, "{many_substeps}");
}

// --- how it is computed ---

/// The same links in the same order, one at a time.
fn relax_one_by_one(cloth: &Cloth, in_row: usize, p: &mut [[f32; 3]]) {
    let mut solve = |k: usize, strength: f32| {
        let link = &cloth.links[k];
        for (lane, [a, b]) in cloth.batches[k].pairs() {
            let d = [0, 1, 2].map(|c| p[b][c] - p[a][c]);
            let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-20).sqrt();
            let error = 1.0 - link.rest.as_array()[lane] / length;
            for c in 0..3 {
                p[a][c] += d[c] * (error * (link.share_a.as_array()[lane] * strength));
                p[b][c] -= d[c] * (error * (link.share_b.as_array()[lane] * strength));
            }
        }
    };
    // The structural links down the columns come first of their kind; those of the first row are solved once more.
    let structural: Vec<usize> =
        (0..cloth.links.len()).filter(|k| cloth.batches[*k].kind == Kind::Structural).collect();
    let row_of = |slot: usize| cloth.slot_of.iter().position(|s| *s as usize == slot).unwrap() / in_row;
    let columns = structural.iter().filter(|k| {
        let pair = cloth.batches[**k].pairs().next();
        pair.is_some_and(|(_, [a, b])| row_of(a) != row_of(b))
    });
    let columns: Vec<usize> = columns.copied().collect();
    let first_row = columns.iter().filter(|k| {
        let pair = cloth.batches[**k].pairs().next();
        pair.is_some_and(|(_, [a, _])| row_of(a) == 0)
    });
    let first_row: Vec<usize> = first_row.copied().collect();
    assert!(!first_row.is_empty());
    for k in 0..cloth.links.len() {
        solve(k, 1.0);
        if Some(&k) == columns.last() {
            first_row.iter().for_each(|k| solve(*k, grid::AGAIN));
        }
    }
}

#[test]
fn wide_links_are_the_listed_links_bit_for_bit() {
    for columns in [9, 10, 11, 12, 13, 16, 17, 21, 30] {
        for rows in [2, 3, 4, 5, 6, 7, 17] {
            let vertices = placed(columns, rows, |u, v| [u + 0.1 * (v * 9.0).sin(), -v, 0.2 * (u * 7.0).cos()]);
            let mut cloth = grid(columns, rows, &vertices, &[0, columns - 1], json!({}));
            let (c, r) = (columns as usize, rows as usize);
            let expected = (c - 1) * r + c * (r - 1) + 2 * (c - 1) * (r - 1) + (c - 2) * r + c * r.saturating_sub(2);
            assert_eq!(cloth.link_vertices.len() / 2, expected, "{columns} × {rows}");
            for (k, p) in cloth.position.iter_mut().enumerate() {
                (0..4).for_each(|lane| {
                    p.set(lane, p.get(lane).map(|v| v * (1.0 + 0.3 * crate::rng::signed((k * 4 + lane) as u64))))
                });
            }
            let mut p: Vec<[f32; 3]> =
                cloth.position.iter().flat_map(|p| [0, 1, 2, 3].map(|lane| p.get(lane))).collect();
            cloth.weave.relax(&mut cloth.position, &cloth.batches, &cloth.links);
            relax_one_by_one(&cloth, columns as usize, &mut p);
            for slot in &cloth.slot_of {
                let slot = *slot as usize;
                assert_eq!(cloth.position[slot / 4].get(slot % 4), p[slot], "{columns} × {rows}, slot {slot}");
            }
        }
    }
}

#[test]
fn every_link_stands_once_and_links_of_a_batch_do_not_touch() {
    for cloth in [cape(json!({})), grid(5, 9, &[], &[], json!({})), sphere(24, 12, false)] {
        let mut seen = std::collections::HashSet::new();
        for pair in cloth.link_vertices.as_chunks::<2>().0 {
            assert_ne!(pair[0], pair[1]);
            assert!(seen.insert([pair[0].min(pair[1]), pair[0].max(pair[1])]), "{pair:?} twice");
        }
        for batch in &cloth.batches {
            let mut slots: Vec<usize> = batch.pairs().flat_map(|(_, pair)| pair).collect();
            let count = slots.len();
            slots.sort_unstable();
            slots.dedup();
            assert_eq!(slots.len(), count);
        }
    }
}

#[test]
fn a_plane_given_as_a_mesh_has_the_links_of_a_grid() {
    let vertices = placed(13, 11, |u, v| [u * 1.2, -v, 0.0]);
    let pairs = |cloth: &Cloth| {
        let mut all: Vec<[u32; 2]> =
            cloth.link_vertices.as_chunks().0.iter().map(|p: &[u32; 2]| [p[0].min(p[1]), p[0].max(p[1])]).collect();
        all.sort_unstable();
        all
    };
    let indices: Vec<u32> = cells(13, 11).iter().flatten().map(|v| *v as u32).collect();
    assert_eq!(pairs(&mesh(&vertices, &indices, &[], json!({}))), pairs(&grid(13, 11, &vertices, &[], json!({}))));
    // A grid too narrow for strips is solved as a mesh.
    let narrow = placed(8, 11, |u, v| [u * 1.2, -v, 0.0]);
    let indices: Vec<u32> = cells(8, 11).iter().flatten().map(|v| *v as u32).collect();
    assert_eq!(pairs(&mesh(&narrow, &indices, &[], json!({}))), pairs(&grid(8, 11, &narrow, &[], json!({}))));
}

#[test]
fn normals_are_those_of_three() {
    for columns in [9, 12, 14, 16, 4] {
        let vertices = placed(columns, 7, |u, v| [u, 0.2 * (u * 5.0).sin() - v, 0.3 * (v * 4.0 + u).cos()]);
        let mut cloth = grid(columns, 7, &vertices, &[0, columns - 1], json!({}));
        cloth.input.wind = [1.0, 0.5, 3.0];
        for frame in 0..60 {
            run(&mut cloth, if frame % 2 == 0 { FRAME } else { Some(0.01) });
            assert_normals(&cloth, &cells(columns as usize, 7));
        }
    }
}

#[test]
fn a_cloth_in_a_space_is_drawn_there() {
    let (mut world, mut local) = (cape(json!({})), cape(json!({})));
    // World to space: a quarter turn about y, twice the size, and a shift.
    local.input.space = [0.0, 0.0, -2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 1.0];
    for _ in 0..30 {
        run(&mut world, FRAME);
        run(&mut local, FRAME);
    }
    assert_eq!(world.hash(), local.hash());
    for (w, l) in vertices(&world).iter().zip(vertices(&local)) {
        assert!(length([2.0 * w[2] + 1.0, 2.0 * w[1] + 2.0, -2.0 * w[0] + 3.0], l) < 1e-5);
    }
    assert_normals(&local, &cells(12, 17));
}

// --- cases ---

fn mesh(vertices: &[f32], indices: &[u32], pinned: &[u32], options: Value) -> Cloth {
    let order = json!({ "mesh": { "triangles": indices.len() / 3 }, "options": options });
    Cloth::create(&settings(&order), vertices, &[indices, pinned].concat()).unwrap()
}

/// A ball as `SphereGeometry` makes it: a seam, and poles of many vertices; without an index every triangle has its own.
fn sphere(around: u32, down: u32, split: bool) -> Cloth {
    let mut vertices = Vec::new();
    for j in 0..=down {
        for i in 0..=around {
            let (u, v) = (
                f64::from(i) / f64::from(around) * std::f64::consts::TAU,
                f64::from(j) / f64::from(down) * std::f64::consts::PI,
            );
            vertices.extend([-0.5 * u.cos() * v.sin(), 1.0 + 0.5 * v.cos(), 0.5 * u.sin() * v.sin()].map(|c| c as f32));
        }
    }
    let mut indices = Vec::new();
    for j in 0..down {
        for i in 0..around {
            let a = j * (around + 1) + i;
            let (b, c, d) = (a + 1, a + around + 1, a + around + 2);
            if j > 0 {
                indices.extend([b, a, d]);
            }
            if j < down - 1 {
                indices.extend([a, c, d]);
            }
        }
    }
    if split {
        vertices = indices.iter().flat_map(|v| vertices[*v as usize * 3..][..3].to_vec()).collect();
        indices = (0..indices.len() as u32).collect();
    }
    mesh(&vertices, &indices, &[], json!({ "floor": 0.0 }))
}

#[test]
fn issue_seams_cracked_open() {
    // C1: vertices that share a place stay bit-equal.
    for split in [false, true] {
        let mut ball = sphere(32, 16, split);
        let start = vertices(&ball);
        // 32 × 15 places around and 2 poles.
        assert_eq!(ball.slot_of.iter().collect::<std::collections::HashSet<_>>().len(), 482);
        let mut twins = Vec::new();
        for a in 0..start.len() {
            twins.extend((a + 1..start.len()).filter(|b| length(start[a], start[*b]) < 1e-6).map(|b| (a, b)));
        }
        assert!(twins.len() > 15);
        for _ in 0..300 {
            run(&mut ball, FRAME);
            let now = vertices(&ball);
            for (a, b) in &twins {
                assert_eq!(now[*a].map(f32::to_bits), now[*b].map(f32::to_bits));
            }
        }
        assert!(vertices(&ball).iter().flatten().all(|v| v.is_finite()));
    }
}

#[test]
fn split_normals_are_those_of_three() {
    let mut ball = sphere(16, 8, true);
    for _ in 0..20 {
        run(&mut ball, FRAME);
    }
    let triangles: Vec<[usize; 3]> = (0..vertices(&ball).len() / 3).map(|t| [t * 3, t * 3 + 1, t * 3 + 2]).collect();
    assert_normals(&ball, &triangles);
}

#[test]
fn issue_double_sided_leaf_made_links_of_no_length() {
    // C2: a quad, and the same with reversed winding on vertices of its own.
    let quad = [0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let both = [quad, quad].concat();
    let mut leaf = mesh(&both, &[0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6], &[0, 1], json!({}));
    let report: Value = serde_json::from_str(&leaf.report).unwrap();
    assert_eq!(report["welded"], 4);
    assert_eq!(report["duplicateTriangles"], 2);
    assert_eq!(leaf.link_vertices.len(), 12);
    for _ in 0..120 {
        run(&mut leaf, FRAME);
    }
    let all = vertices(&leaf);
    assert!(all.iter().flatten().all(|v| v.is_finite()));
    // The copy faces the other way, and so do its normals.
    let normals = leaf.output.normals.as_chunks::<3>().0;
    for v in 0..4 {
        assert_eq!(all[v], all[v + 4]);
        assert!(length(normals[v], normals[v + 4].map(|c| -c)) < 1e-5 && length(normals[v], [0.0; 3]) > 0.99);
    }
}

#[test]
fn issue_orphans_and_dead_triangles_broke_the_solver() {
    // C3: a vertex that no face uses.
    let vertices_ = [placed(3, 3, |u, v| [u, 1.0 - v, 0.0]), vec![7.0, 8.0, 9.0]].concat();
    let indices: Vec<u32> = cells(3, 3).iter().flatten().map(|v| *v as u32).collect();
    let mut cloth = mesh(&vertices_, &indices, &[0], json!({}));
    run(&mut cloth, Some(0.04));
    assert_eq!(serde_json::from_str::<Value>(&cloth.report).unwrap()["orphanVertices"], json!([9]));
    assert_eq!(vertices(&cloth)[9], [7.0, 8.0, 9.0]);

    // C4: no area, of three sorts.
    let sliver = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 2e-12, 0.0, 0.0, 1.0, 0.0];
    let mut cloth = mesh(&sliver, &[0, 0, 1, 0, 1, 2, 0, 1, 3], &[], json!({}));
    assert_eq!(serde_json::from_str::<Value>(&cloth.report).unwrap()["degenerateTriangles"], 2);
    run(&mut cloth, FRAME);
    let flat: Vec<f32> = placed(4, 4, |u, v| [u, 0.0 * v, 0.0]);
    let indices: Vec<u32> = cells(4, 4).iter().flatten().map(|v| *v as u32).collect();
    let mut line = mesh(&flat, &indices, &[], json!({}));
    assert_eq!(serde_json::from_str::<Value>(&line.report).unwrap()["degenerateTriangles"], 18);
    run(&mut line, FRAME);
    for cloth in [&cloth, &line] {
        assert!(
            cloth
                .output
                .positions
                .iter()
                .chain(&cloth.output.normals)
                .chain(&cloth.output.bounds)
                .all(|v| v.is_finite())
        );
    }
}

/// A disc of triangles around one vertex, as `CircleGeometry` makes it.
fn disc(around: u32, pinned: &[u32], options: Value) -> Cloth {
    let mut vertices = vec![0.0, 1.0, 0.0];
    for i in 0..around {
        let u = f64::from(i) / f64::from(around) * std::f64::consts::TAU;
        vertices.extend([0.5 * u.cos() as f32, 1.0 + 0.5 * u.sin() as f32, 0.0]);
    }
    let indices: Vec<u32> = (0..around).flat_map(|i| [0, 1 + i, 1 + (i + 1) % around]).collect();
    mesh(&vertices, &indices, pinned, options)
}

#[test]
fn issue_the_hub_of_many_triangles_flew_away() {
    for around in [12, 64, 96, 100, 110, 120, 128, 200, 500] {
        for options in [json!({}), json!({ "iterations": 1 }), json!({ "iterations": 1, "substeps": 8 })] {
            let mut disc = disc(around, &[1], options.clone());
            for frame in 0..600 {
                run(&mut disc, FRAME);
                assert_eq!(disc.status, [0], "{around} triangles, {options}, frame {frame}");
                let radius = disc.output.bounds[9];
                assert!(radius < 2.0, "{around} triangles, {options}, frame {frame}: radius {radius}");
            }
            assert!(speed(&disc) < 0.01, "{around} triangles, {options}: {} m/s", speed(&disc));
        }
    }
}

#[test]
fn issue_a_state_far_out_was_drawn() {
    let mut cape = cape(json!({}));
    run(&mut cape, FRAME);
    cape.previous[9].y = splat(-1e12);
    run(&mut cape, FRAME);
    assert_eq!(cape.status, [1]);
    assert!(cape.output.normals.iter().chain(&cape.output.bounds).all(|v| v.is_finite()));
    let saved = save(&mut cape);
    restore(&mut cape, &saved).unwrap();
}

#[test]
fn issue_a_snapshot_of_another_cloth_was_taken() {
    let of = |kind: f32, width: f64| {
        let vertices = placed(12, 5, |u, v| [u * width, 1.0 - v, 0.0]);
        let mut cloth = grid(12, 5, &vertices, &[0], json!({}));
        cloth
            .command(channels::SET_COLLIDERS, &[kind, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
            .unwrap();
        cloth
    };
    let saved = save(&mut of(0.0, 1.0));
    assert!(restore(&mut of(0.0, 1.0), &saved).is_ok());
    for mut other in [of(1.0, 1.0), of(2.0, 1.0), of(0.0, 10.0), cape(json!({}))] {
        assert_eq!(restore(&mut other, &saved).unwrap_err().code, Code::InvalidSnapshot);
    }
}

#[test]
fn welding_a_soup_takes_no_square_of_time() {
    let random = |k: u64| crate::rng::signed(k);
    let vertices: Vec<f32> = (0..300_000).map(random).collect();
    let indices: Vec<u32> = (0..100_000 / 3 * 3).collect();
    let order = json!({ "mesh": { "triangles": indices.len() / 3, "weld": 0.05 } });
    let soup = Cloth::create(&settings(&order), &vertices, &indices).unwrap();
    let report: Value = serde_json::from_str(&soup.report).unwrap();
    assert!(report["welded"].as_u64().unwrap() > 60_000, "{report}");
}

#[test]
fn issue_free_fall_strained() {
    // C6: an unpinned flat sheet that nothing holds.
    let vertices_ = placed(20, 20, |u, v| [u, 10.0, v]);
    let free = json!({ "damping": 0, "drag": 0, "windResponse": 0, "floor": null });
    let mut sheet = grid(20, 20, &vertices_, &[], free);
    for _ in 0..120 {
        run(&mut sheet, FRAME);
    }
    // Verlet falls g h² (1 + 2 + … + n).
    let fallen = 9.8 / 3600.0 * (120.0 * 121.0 / 2.0);
    assert!((10.0 - centre(&sheet)[1] - fallen).abs() < 0.001 * fallen, "{:?}", centre(&sheet));
    let all = vertices(&sheet);
    for pair in sheet.link_vertices.as_chunks::<2>().0 {
        let [a, b] = pair.map(|v| v as usize);
        let rest = [0, 1, 2].map(|c| vertices_[a * 3 + c] - vertices_[b * 3 + c]);
        let strain = length(all[a], all[b]) / length(rest, [0.0; 3]) - 1.0;
        assert!(strain.abs() < 1e-4, "{strain}");
    }
}

#[test]
fn issue_frame_rate_changed_the_result() {
    // C7: no matter how time is cut, equal numbers of steps give equal bits.
    let mut expected = None;
    let steady = [24, 30, 60, 144, 240].map(|rate| vec![1.0 / f64::from(rate); rate as usize * 10]);
    let jitter: Vec<f64> = (0..800).map(|k| 1.0 / 60.0 * (1.0 + 0.5 * f64::from(crate::rng::signed(k)))).collect();
    for (k, frames) in steady.into_iter().chain([jitter]).enumerate() {
        let mut flag = flag();
        let mut steps = 0;
        for dt in frames {
            let due = begin(&mut flag, Some(dt)).unwrap();
            for _ in 0..due {
                if steps == 600 {
                    break;
                }
                let t = flag.clock.next_time();
                flag.input.wind = [(6.0 * (1.0 + 0.3 * (2.1 * t).sin())) as f32, 0.0, (2.0 * (1.3 * t).sin()) as f32];
                reread_inputs(&mut flag).unwrap();
                flag.fixed_step();
                steps += 1;
            }
            flag.finish();
        }
        assert_eq!(steps, 600, "run {k}");
        assert_eq!(*expected.get_or_insert(flag.hash()), flag.hash(), "run {k}");
    }
}

#[test]
fn issue_pins_lagged_a_frame_behind_their_bone() {
    // C10: pinned vertices sit at this frame's pose, and the cape's lag behind its body is steady.
    for (rate, speed) in [(60, 10.0), (144, 10.0), (144, 1.2)] {
        let mut cape = cape(json!({}));
        cape.command(channels::SET_COLLIDERS, &[]).unwrap();
        let mut lags = Vec::new();
        for frame in 1..=rate * 4 {
            let z = speed * f64::from(frame) / f64::from(rate);
            carry_body(&mut cape, [0.0, 0.0, z as f32]);
            run(&mut cape, Some(1.0 / f64::from(rate)));
            for (pin, target) in cape.pins.iter().zip(cape.input.pin_targets.as_chunks::<3>().0) {
                let vertex = cape.slot_of.iter().position(|s| *s == pin.slot).unwrap();
                assert!(length(vertices(&cape)[vertex], *target) < 1e-6);
            }
            lags.push(z - centre(&cape)[2]);
        }
        if speed == 1.2 {
            let settled = &lags[lags.len() - rate as usize..];
            let jump = settled.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
            assert!(jump < 0.001, "{jump}");
        }
    }
}

#[test]
fn issue_fast_pins_tore_the_first_row() {
    // C11: 15 m/s from a standing start.
    let mut cape = cape(json!({ "iterations": 20 }));
    cape.command(channels::SET_COLLIDERS, &[]).unwrap();
    let first_row = |cape: &Cloth| {
        let all = vertices(cape);
        (0..12).map(|i| length(all[i], all[i + 12]) / 0.075 - 1.0).fold(0.0, f64::max)
    };
    for frame in 1..=60 {
        carry_body(&mut cape, [0.0, 0.0, 15.0 * frame as f32 / 60.0]);
        run(&mut cape, FRAME);
        let strain = first_row(&cape);
        assert!(strain < if frame > 30 { 0.05 } else { 0.35 }, "frame {frame}: {strain}");
    }
}

#[test]
fn issue_resting_cloth_did_not_wake() {
    // C14: after ten seconds of rest, a pin, a collider or the wind is answered within one step.
    let mut rested = cape(json!({}));
    for _ in 0..600 {
        run(&mut rested, FRAME);
    }
    let moved = |change: fn(&mut Cloth)| {
        let mut cape = rested.clone();
        let before = vertices(&cape);
        change(&mut cape);
        run(&mut cape, FRAME);
        vertices(&cape).iter().zip(before).map(|(a, b)| length(*a, b)).fold(0.0, f64::max)
    };
    assert!(moved(|_| {}) < 1e-4);
    assert!(moved(|cape| cape.input.wind = [0.0, 0.0, -5.0]) > 5e-4);
    assert!(moved(|cape| cape.input.pin_targets[2] -= 0.05) > 0.01);
    assert!(moved(|cape| cape.input.colliders[2] -= 0.1) > 0.01);
}

#[test]
fn issue_bounds_lost_a_falling_sheet() {
    // C15
    let vertices_ = placed(10, 10, |u, v| [u, 10.0, v]);
    let mut sheet = grid(10, 10, &vertices_, &[], json!({}));
    for frame in 0..120 {
        run(&mut sheet, Some(if frame % 3 == 0 { 0.004 } else { 0.02 }));
        let b = sheet.output.bounds;
        for v in vertices(&sheet) {
            assert!((0..3).all(|c| v[c] >= b[c] && v[c] <= b[3 + c]));
            assert!(length(v, [b[6], b[7], b[8]]) <= f64::from(b[9]) * (1.0 + 1e-6));
        }
    }
}

#[test]
fn a_fast_collider_does_not_pass_through() {
    // A ball of 20 cm crosses a hanging sheet at 30 m/s, 50 cm a step.
    let vertices_ = placed(17, 17, |u, v| [u - 0.5, 1.5 - v, 0.0]);
    let mut sheet = grid(17, 17, &vertices_, &(0..17).collect::<Vec<_>>(), json!({}));
    let ball = [0.0, 0.0, 1.0, -0.25, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0];
    sheet.command(channels::SET_COLLIDERS, &ball).unwrap();
    run(&mut sheet, FRAME);
    sheet.input.colliders[2] = 0.25;
    run(&mut sheet, FRAME);
    let middle = vertices(&sheet)[8 * 17 + 8];
    assert!(middle[2] > 0.35, "the ball left the cloth behind at z = {}", middle[2]);
    // And a sheet that falls fast is caught by a thin bar.
    let vertices_ = placed(17, 17, |u, v| [u - 0.5, 8.0, v - 0.5]);
    let mut sheet = grid(17, 17, &vertices_, &[], json!({ "drag": 0, "windResponse": 0 }));
    sheet.command(channels::SET_COLLIDERS, &capsule([-2.0, 1.0, 0.0], [2.0, 1.0, 0.0], 0.03)).unwrap();
    for _ in 0..75 {
        run(&mut sheet, FRAME);
    }
    let highest = vertices(&sheet).iter().map(|v| v[1]).fold(0.0, f32::max);
    assert!(highest > 0.9, "the sheet fell through the bar: {highest}");
}

#[test]
fn issue_time_was_not_checked() {
    // C24
    let mut cape = cape(json!({}));
    run(&mut cape, FRAME);
    let before = save(&mut cape);
    for dt in [0.0, -1.0] {
        assert_eq!(run(&mut cape, Some(dt)), 0);
        assert_eq!(cape.hash(), {
            let mut other = cape.clone();
            restore(&mut other, &before).unwrap();
            other.hash()
        });
    }
    for dt in [f64::NAN, f64::INFINITY] {
        let error = begin(&mut cape, Some(dt)).unwrap_err();
        assert_eq!(error.code, Code::InvalidInput);
        assert!(error.message.starts_with("dt must be a finite number"), "{error}");
    }
    assert_eq!(run(&mut cape, Some(30.0)), 3);
}

#[test]
fn issue_bad_options_were_let_in() {
    // C25: each is refused before anything is allocated, with its name and range.
    for (order, message) in [
        (json!({ "grid": { "columns": 1 } }), "columns must be a whole number from 2 to 4096, got 1"),
        (json!({ "grid": { "columns": 0 } }), "columns must be a whole number from 2 to 4096, got 0"),
        (json!({ "grid": { "rows": 1e9 } }), "rows must be a whole number from 2 to 4096, got 1000000000"),
        (
            json!({ "grid": { "columns": 4096, "rows": 4096 } }),
            "columns × rows must be from 4 to 4000000, got 16777216",
        ),
        (
            json!({ "grid": { "rows": 3 }, "options": { "iterations": 1e9 } }),
            "iterations must be a whole number from 1 to 1000, got 1000000000",
        ),
        (
            json!({ "grid": { "rows": 3 }, "options": { "stiffness": { "shear": "NaN" } } }),
            "stiffness.shear must be a number from 0 to 1, got NaN",
        ),
        (
            json!({ "grid": { "rows": 3 }, "options": { "stifness": 1 } }),
            "stifness is no option of ClothOptions; known: iterations, substeps, stiffness, damping, drag, windResponse, friction, floor, interpolate",
        ),
        (
            json!({ "grid": { "rows": 3 }, "options": { "floor": "low" } }),
            "floor must be null or a number from -100000 to 100000 (m), got \"low\"",
        ),
    ] {
        let error = Cloth::check(&settings(&order)).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (Code::InvalidOption, message));
    }
    let error =
        Cloth::create(&settings(&json!({ "grid": { "columns": 12, "rows": 17 } })), &[], &[3, 204]).unwrap_err();
    assert_eq!(error.message, "pinned[1] must be a vertex from 0 to 203, got 204");
}

#[test]
fn options_read_as_serde_writes_them() {
    let cape = cape(json!({ "floor": null, "damping": 0.5, "stiffness": { "bend": 0.125 }, "interpolate": false }));
    let ours: Value = serde_json::from_str(&cape.options()).unwrap();
    assert_eq!(ours["damping"], 0.5);
    let mut read = ClothOptions::default();
    options_of::set_all(&mut read, &settings(&ours)).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), serde_json::to_value(cape.options).unwrap());
}

#[test]
fn a_refused_change_changes_nothing() {
    let mut cape = cape(json!({}));
    run(&mut cape, FRAME);
    let (options, snapshot) = (cape.options(), save(&mut cape));
    assert!(cape.configure(&settings(&json!({ "iterations": 3, "drag": -1 }))).is_err());
    assert!(cape.command(channels::SET_PINS, &[1.0, 9999.0]).is_err());
    assert!(cape.command(channels::SET_COLLIDERS, &[0.0; 5]).is_err());
    assert!(cape.command(9, &[]).is_err());
    assert!(restore(&mut cape, &snapshot[1..]).is_err());
    assert!(cape.teleport(&[f32::NAN; 16]).is_err());
    assert!(cape.teleport(&[0.0; 16]).is_err());
    let mut huge = IDENTITY;
    (huge[0], huge[5], huge[10]) = (1e6, 1e6, 1e6);
    assert!(cape.teleport(&huge).unwrap_err().message.starts_with("teleport takes the cloth farther than 1000000 m"));
    let mut perspective = IDENTITY;
    perspective[11] = -1.0;
    assert!(cape.teleport(&perspective).is_err());
    cape.input.wind[1] = f32::NAN;
    assert_eq!(begin(&mut cape, FRAME).unwrap_err().message, "wind[1] must be from -1000000 to 1000000 m/s, got NaN");
    cape.input.wind[1] = 0.0;
    assert_eq!(cape.options(), options);
    assert!(save(&mut cape) == snapshot);
}

#[test]
fn snapshots_bring_back_the_exact_run() {
    let mut cape = cape(json!({}));
    cape.input.wind = [1.0, 0.0, 2.0];
    let start = cape.hash();
    let frames = |cape: &mut Cloth| {
        for frame in 0..50 {
            carry_body(cape, [0.0, 0.0, frame as f32 * 0.01]);
            run(cape, Some(0.011));
        }
        (cape.hash(), cape.output.positions.clone())
    };
    frames(&mut cape);
    let saved = save(&mut cape);
    let first = frames(&mut cape);
    restore(&mut cape, &saved).unwrap();
    assert!(save(&mut cape) == saved);
    assert!(frames(&mut cape) == first);
    cape.reset();
    assert_eq!(cape.hash(), start);
}

#[test]
fn a_teleport_leaves_no_swing() {
    let mut cape = cape(json!({}));
    for _ in 0..300 {
        run(&mut cape, FRAME);
    }
    let before = vertices(&cape);
    let mut jump = IDENTITY;
    jump[12..15].copy_from_slice(&[100.0, 0.0, -50.0]);
    cape.teleport(&jump).unwrap();
    for frame in 0..60 {
        carry_body(&mut cape, [100.0, 0.0, -50.0]);
        run(&mut cape, FRAME);
        for (a, b) in vertices(&cape).iter().zip(&before) {
            // Coordinates of 100 m are 4 to 8 µm apart in f32.
            assert!(length(*a, [b[0] + 100.0, b[1], b[2] - 50.0]) < 2e-3, "frame {frame}");
        }
    }
}

#[test]
fn a_state_that_breaks_is_put_back() {
    let mut cape = cape(json!({}));
    run(&mut cape, FRAME);
    let good = cape.position.clone();
    cape.previous[9].y = splat(f32::INFINITY);
    run(&mut cape, FRAME);
    assert_eq!(cape.status, [1]);
    assert!(cape.position == good);
    run(&mut cape, FRAME);
    assert_eq!(cape.status, [1]);
    assert!(cape.output.positions.iter().all(|v| v.is_finite()));
}

#[test]
fn an_hour_of_wind_and_walking_leaves_no_trace() {
    let mut cape = cape(json!({}));
    let (mut early, mut late) = (0.0, 0.0);
    let minutes = 60;
    for frame in 0..minutes * 3600 {
        let t = f64::from(frame) / 60.0;
        cape.input.wind = [(3.0 * (0.7 * t).sin()) as f32, 0.0, (-0.5 + 4.0 * (0.31 * t).sin()) as f32];
        // To and fro along the wall, ten seconds each way.
        let z = 6.0 * (t * std::f64::consts::TAU / 20.0).sin();
        carry_body(&mut cape, [0.0, (0.02 * (9.0 * t).sin()) as f32, z as f32]);
        run(&mut cape, FRAME);
        if frame % 600 == 599 {
            let (_, mean) = stretch(&cape);
            assert!(mean < 1.05, "minute {}: {mean}", frame / 3600);
            if frame < minutes * 1800 { early += mean } else { late += mean }
        }
    }
    let samples = f64::from(minutes * 3);
    assert!((early - late).abs() / samples < 0.002, "mean stretch went from {} to {}", early / samples, late / samples);
    assert_eq!(cape.status, [0]);
}

mod fuzz {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

        #[test]
        fn any_options_and_inputs_stay_finite(
            columns in 2u32..14, rows in 2u32..14, iterations in 1u32..12, substeps in 1u32..5,
            stiffness in prop::array::uniform3(0.0f32..=1.0), damping in 0.0f32..=1.0, drag in 0.0f32..=10.0, wind_response in 0.0f32..=10.0,
            size in prop_oneof![Just(1e-5f32), Just(1.0), Just(1000.0)],
            wind in prop::array::uniform3(-1e6f32..1e6), calm in any::<bool>(),
            colliders in prop::collection::vec((prop::sample::select(vec![0u8, 1, 2, 3, 4, 8, 9, 11, 12]), prop::array::uniform12(-2.0f32..2.0)), 0..4),
            targets in prop::collection::vec(-1e3f32..1e3, 3), frames in prop::collection::vec(0.0f64..0.2, 1..12),
        ) {
            let order = json!({
                "grid": { "columns": columns, "rows": rows, "width": size, "height": size },
                "options": { "iterations": iterations, "substeps": substeps, "damping": damping, "drag": drag, "windResponse": wind_response,
                    "stiffness": { "structural": stiffness[0], "shear": stiffness[1], "bend": stiffness[2] } },
            });
            let mut cloth = Cloth::create(&settings(&order), &[], &[0]).unwrap();
            let payload: Vec<f32> = colliders.iter().flat_map(|(kind, n)| {
                let mut n = *n;
                n[6] = n[6].abs();
                n[7] = n[7].abs() * 0.5;
                if kind % 8 > 2 {
                    n[3..=8].iter_mut().for_each(|v| *v = v.abs());
                }
                [f32::from(*kind)].into_iter().chain(n).collect::<Vec<_>>()
            }).collect();
            cloth.command(channels::SET_COLLIDERS, &payload).unwrap();
            cloth.input.wind = if calm { [0.0; 3] } else { wind };
            for (k, dt) in frames.iter().enumerate() {
                if k % 3 == 2 {
                    cloth.input.pin_targets.copy_from_slice(&targets);
                }
                run(&mut cloth, Some(*dt));
                let all = cloth.output.positions.iter().chain(&cloth.output.normals).chain(&cloth.output.bounds);
                prop_assert!(all.clone().all(|v| v.is_finite()));
                if cloth.solids.is_empty() && cloth.clock.time() > 0.0 {
                    let above = |(free, p): (&F4, &V3)| (0..4).all(|l| free.as_array()[l].to_bits() == 0 || p.get(l)[1] >= 0.02);
                    prop_assert!(cloth.free.iter().zip(&cloth.position).all(above));
                }
            }
            let saved = save(&mut cloth);
            restore(&mut cloth, &saved).unwrap();
            prop_assert!(save(&mut cloth) == saved);
        }

        #[test]
        fn any_bytes_are_refused_or_restored(mut at in 0usize..4000, byte in any::<u8>(), cut in 0usize..4000) {
            let mut cloth = flag();
            run(&mut cloth, FRAME);
            let mut bytes = save(&mut cloth);
            at %= bytes.len();
            bytes[at] = byte;
            bytes.truncate(bytes.len() - cut.min(bytes.len()) * (byte as usize % 2));
            let _ = restore(&mut cloth, &bytes);
            run(&mut cloth, Some(0.05));
            prop_assert!(cloth.output.positions.iter().all(|v| v.is_finite()));
        }

        #[test]
        fn any_triangles_make_a_cloth(
            vertices in prop::collection::vec(-1.0f32..1.0, 9..90), triangles in prop::collection::vec(0u32..30, 3..120), weld in 0.0f32..0.5,
        ) {
            let vertices = &vertices[..vertices.len() / 3 * 3];
            let count = vertices.len() as u32 / 3;
            let triangles: Vec<u32> = triangles[..triangles.len() / 3 * 3].iter().map(|v| v % count).collect();
            let order = json!({ "mesh": { "triangles": triangles.len() / 3, "weld": weld } });
            let mut cloth = Cloth::create(&settings(&order), vertices, &triangles).unwrap();
            for _ in 0..20 {
                run(&mut cloth, Some(0.03));
            }
            prop_assert!(cloth.output.positions.iter().chain(&cloth.output.normals).all(|v| v.is_finite()));
        }
    }
}
