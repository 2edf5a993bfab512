//! Sums in lanes of a fixed width, and work spread over threads where there are any.

const LANES: usize = 4;

/// `Σ a·b`, summed in lanes: the same bits whatever the compiler makes of it.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    dots(a, [b])[0]
}

/// `Σ a·b` for several `b` of the length of `a`.
pub fn dots<const N: usize>(a: &[f64], b: [&[f64]; N]) -> [f64; N] {
    let mut sums = [[0.0; LANES]; N];
    let whole = a.len() / LANES * LANES;
    for at in (0..whole).step_by(LANES) {
        let x: [f64; LANES] = std::array::from_fn(|lane| a[at + lane]);
        for (sum, b) in sums.iter_mut().zip(b) {
            let y = &b[at..at + LANES];
            for lane in 0..LANES {
                sum[lane] += x[lane] * y[lane];
            }
        }
    }
    std::array::from_fn(|n| {
        let rest: f64 = (whole..a.len()).map(|at| a[at] * b[n][at]).sum();
        let [p, q, r, s] = sums[n];
        (p + q) + (r + s) + rest
    })
}

/// `Σ a·b` of `a` and each row.
pub fn products(a: &[f64], rows: &[Vec<f64>]) -> Vec<f64> {
    let mut products = Vec::with_capacity(rows.len() + 3);
    for four in rows.chunks(4) {
        products.extend(dots::<4>(a, std::array::from_fn(|k| &four[k.min(four.len() - 1)][..])));
    }
    products.truncate(rows.len());
    products
}

/// `a += b · factor`.
pub fn add(a: &mut [f64], b: &[f64], factor: f64) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b * factor;
    }
}

/// `make` of each number below `count`, in order.
#[cfg(feature = "threads")]
pub fn each<T: Send>(count: usize, make: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    use rayon::prelude::*;
    (0..count).into_par_iter().map(make).collect()
}

/// `make` of each number below `count`, in order.
#[cfg(not(feature = "threads"))]
pub fn each<T: Send>(count: usize, make: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    (0..count).map(make).collect()
}
