//! Numbers as text, and roots.
//!
//! Rust's own formatting of floats weighs 20 KB of WebAssembly; this is exact enough for what people read and write.

/// `n` with as few digits as tell it from its neighbours in f32 (where it is none: with nine), as JavaScript writes it.
#[inline(never)]
pub fn number(n: f64) -> String {
    let sign = if n < 0.0 { "-" } else { "" };
    let n = n.abs();
    if n.is_nan() {
        return "NaN".into();
    }
    if n > f64::MAX {
        return sign.to_string() + "Infinity";
    }
    if n == 0.0 {
        return "0".into();
    }
    // n is `mantissa` × 10^power, where the mantissa lies from 1 to 10.
    let (mut mantissa, mut power) = (n, 0);
    while mantissa >= 10.0 {
        mantissa /= 10.0;
        power += 1;
    }
    while mantissa < 1.0 {
        mantissa *= 10.0;
        power -= 1;
    }
    let (mut digits, mut scale) = (0, 1.0);
    for _ in 0..9 {
        digits = (mantissa * scale + 0.5) as u64;
        if (digits as f64 / scale * (n / mantissa)) as f32 == n as f32 {
            break;
        }
        scale *= 10.0;
    }
    let mut text = digits.to_string();
    while text.len() > 1 && text.ends_with('0') {
        text.pop();
    }
    // Rounding up may have given 10.
    power += i32::from(digits as f64 >= scale * 10.0);
    let mut written = String::from(sign);
    if !(-6..21).contains(&power) {
        if text.len() > 1 {
            text.insert(1, '.');
        }
        let plus = if power > 0 { "+" } else { "" };
        return written + &text + "e" + plus + &power.to_string();
    }
    if power < 0 {
        written += "0.";
        (1..-power).for_each(|_| written.push('0'));
        return written + &text;
    }
    while text.len() <= power as usize {
        text.push('0');
    }
    if text.len() > power as usize + 1 {
        text.insert(power as usize + 1, '.');
    }
    written + &text
}

/// The `degree`-th root of `n`, from 0 to 1, by Newton's method: the same bits everywhere.
pub fn root(n: f64, degree: u32) -> f64 {
    let mut root = 1.0;
    for _ in 0..200 {
        let power = (1..degree).fold(1.0, |power, _| power * root);
        root -= (root * power - n) / (f64::from(degree) * power);
    }
    if n > 0.0 { root } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::{number, root};

    #[test]
    fn numbers_read_as_javascript_writes_them() {
        for (n, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-1.0, "-1"),
            (0.25, "0.25"),
            (f64::from(0.012f32), "0.012"),
            (f64::from(0.6f32), "0.6"),
            (0.6, "0.6"),
            (0.1 + 0.2, "0.3"),
            (9.9999999999, "10"),
            (1e9, "1000000000"),
            (1e6, "1000000"),
            (-100000.0, "-100000"),
            (1e21, "1e+21"),
            (1e-6, "0.000001"),
            (1.5e-7, "1.5e-7"),
            (f64::from(f32::MAX), "3.4028235e+38"),
            (999.9999, "999.9999"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(number(n), text);
        }
    }

    #[test]
    fn roots_are_those_of_powf() {
        for degree in [1, 2, 3, 8, 64] {
            for n in [0.0, 1e-6, 0.012, 0.5, 0.988, 1.0] {
                assert!((root(n, degree) - n.powf(1.0 / f64::from(degree))).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn every_f32_comes_back() {
        for seed in 0..20_000 {
            let n = f32::from_bits((crate::rng::signed(seed) * 2e9) as i32 as u32);
            if n.is_finite() {
                assert_eq!(number(f64::from(n)).parse::<f32>().unwrap(), n);
            }
        }
    }
}
