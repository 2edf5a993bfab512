//! Our own random numbers: the same on every platform and for ever.

/// The SplitMix64 finaliser (Steele, Lea and Flood 2014).
fn bits(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number from −1 to 1 that depends on `seed` alone, of 24 bits.
pub fn signed(seed: u64) -> f32 {
    (bits(seed) >> 40) as f32 / 8_388_608.0 - 1.0
}

/// Three numbers from −1 to 1 that depend on `seed` alone, of 21 bits each.
pub fn three(seed: u64) -> [f32; 3] {
    let bits = bits(seed);
    [43, 22, 1].map(|shift| (bits >> shift & 0x1f_ffff) as f32 / 1_048_576.0 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::{signed, three};

    #[test]
    fn numbers_fill_the_range_evenly() {
        for numbers in [(0..10_000).map(signed).collect::<Vec<f32>>(), (0..3333).flat_map(three).chain([0.0]).collect()]
        {
            check(&numbers);
        }
    }

    fn check(numbers: &[f32]) {
        let mean = numbers.iter().sum::<f32>() / 10_000.0;
        assert!(mean.abs() < 0.02, "{mean}");
        assert!(numbers.iter().all(|n| (-1.0..=1.0).contains(n)));
        assert!(numbers.iter().filter(|n| n.abs() < 0.1).count().abs_diff(1000) < 150);
    }
}
