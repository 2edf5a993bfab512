use crate::Fault;
use crate::wide::each;

/// How far positions and normals of a mesh are from those of its first frame.
pub struct Motion {
    /// Recorded frames.
    pub frames: usize,
    /// Vertices.
    pub vertices: usize,
    positions: Vec<f32>,
    normals: Vec<f32>,
}

impl Motion {
    /// Of what was recorded: `[frame] × [x, y, z] × vertices`, positions in metres.
    pub fn new(frames: usize, positions: &[f32], normals: &[f32]) -> Result<Motion, Fault> {
        let numbers = positions.len().checked_div(frames).unwrap_or(0);
        if numbers == 0
            || !numbers.is_multiple_of(3)
            || positions.len() != numbers * frames
            || normals.len() != positions.len()
        {
            return Err(Fault::Length);
        }
        if !positions.iter().chain(normals).all(|number| number.is_finite()) {
            return Err(Fault::NotFinite);
        }
        Ok(Motion {
            frames,
            vertices: numbers / 3,
            positions: by_number(positions, frames),
            normals: by_number(normals, frames),
        })
    }

    /// How far coordinate `c` of a vertex is from its first place, at each frame.
    pub fn position(&self, vertex: usize, c: usize) -> &[f32] {
        &self.positions[(vertex * 3 + c) * self.frames..][..self.frames]
    }

    /// The same of its normal.
    pub fn normal(&self, vertex: usize, c: usize) -> &[f32] {
        &self.normals[(vertex * 3 + c) * self.frames..][..self.frames]
    }
}

/// Turns numbers that are given frame by frame into rows, one for each number, of how far it is from its first.
fn by_number(recorded: &[f32], frames: usize) -> Vec<f32> {
    const BLOCK: usize = 64;
    let numbers = recorded.len() / frames;
    let blocks = each(numbers.div_ceil(BLOCK), |block| {
        let first = block * BLOCK;
        let count = BLOCK.min(numbers - first);
        let mut rows = vec![0.0; count * frames];
        for (frame, now) in recorded.chunks_exact(numbers).enumerate() {
            for n in 0..count {
                rows[n * frames + frame] = now[first + n] - recorded[first + n];
            }
        }
        rows
    });
    blocks.concat()
}
