//! Our own random numbers: the same on every platform and for ever.

/// A number from −1 to 1 that depends on `seed` alone: the SplitMix64 finaliser (Steele, Lea and Flood 2014), top 24 bits.
pub fn signed(seed: u64) -> f32 {
    let mut z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 40) as f32 / 8_388_608.0 - 1.0
}

#[cfg(test)]
mod tests {
    use super::signed;

    #[test]
    fn numbers_fill_the_range_evenly() {
        let numbers: Vec<f32> = (0..10_000).map(signed).collect();
        let mean = numbers.iter().sum::<f32>() / 10_000.0;
        assert!(mean.abs() < 0.02, "{mean}");
        assert!(numbers.iter().all(|n| (-1.0..=1.0).contains(n)));
        assert!(numbers.iter().filter(|n| n.abs() < 0.1).count().abs_diff(1000) < 150);
    }
}
