//! Numbers and sentences as text, and roots.
//!
//! Rust's own formatting weighs 3 KB of WebAssembly, and 20 KB more with floats; this is exact enough for what people read and
//! write.

/// What [`text!`](crate::text) puts together.
pub trait Part {
    /// Adds it to a text.
    fn add_to(&self, text: &mut String);
}

impl<T: Part + ?Sized> Part for &T {
    fn add_to(&self, text: &mut String) {
        (**self).add_to(text);
    }
}

impl Part for str {
    #[inline(never)]
    fn add_to(&self, text: &mut String) {
        text.push_str(self);
    }
}

impl Part for String {
    fn add_to(&self, text: &mut String) {
        self.as_str().add_to(text);
    }
}

impl Part for u64 {
    #[inline(never)]
    fn add_to(&self, text: &mut String) {
        if *self > 9 {
            (*self / 10).add_to(text);
        }
        text.push(char::from(b'0' + (*self % 10) as u8));
    }
}

impl Part for u32 {
    fn add_to(&self, text: &mut String) {
        u64::from(*self).add_to(text);
    }
}

impl Part for usize {
    fn add_to(&self, text: &mut String) {
        (*self as u64).add_to(text);
    }
}

impl Part for f64 {
    #[inline(never)]
    fn add_to(&self, text: &mut String) {
        number(*self).add_to(text);
    }
}

impl Part for f32 {
    fn add_to(&self, text: &mut String) {
        f64::from(*self).add_to(text);
    }
}

/// A text of parts, each a text or a number.
#[macro_export]
macro_rules! text {
    ($($part:expr),* $(,)?) => {{
        let mut text = String::new();
        $crate::say![text, $($part),*];
        text
    }};
}

/// Adds parts to a text that there is.
#[macro_export]
macro_rules! say {
    ($text:ident, $($part:expr),* $(,)?) => {
        $($crate::number::Part::add_to(&$part, &mut $text);)*
    };
}

/// `n` as JavaScript writes it, with as few digits as tell it from its neighbours in f32, or where it is none, in f64 (but for
/// the last digit).
#[inline(never)]
pub fn number(n: f64) -> String {
    let mut text = String::from(if n < 0.0 { "-" } else { "" });
    let n = n.abs();
    if !(n > 0.0 && n <= f64::MAX) {
        return text
            + if n == 0.0 {
                "0"
            } else if n > 0.0 {
                "Infinity"
            } else {
                "NaN"
            };
    }
    if n <= 9_007_199_254_740_992.0 && n as u64 as f64 == n {
        return text![text, n as u64];
    }
    // n is `mantissa` × 10^power, where the mantissa lies from 1 to 10.
    let (mut mantissa, mut power) = (n, 0i32);
    while mantissa >= 10.0 {
        mantissa /= 10.0;
        power += 1;
    }
    while mantissa < 1.0 {
        mantissa *= 10.0;
        power -= 1;
    }
    let (mut digits, mut scale) = (0, 1.0);
    let single = f64::from(n as f32) == n;
    // Each power of ten may have rounded.
    let slack = n * (5e-16 + f64::from(power.unsigned_abs()) * 1.2e-16);
    for _ in 0..17 {
        digits = (mantissa * scale + 0.5) as u64;
        let read = digits as f64 / scale * (n / mantissa);
        if if single { read as f32 == n as f32 } else { (read - n).abs() <= slack } {
            break;
        }
        scale *= 10.0;
    }
    // Rounding up may have given 10.
    power += i32::from(digits as f64 >= scale * 10.0);
    while digits % 10 == 0 {
        digits /= 10;
    }
    let digits = text![digits];
    // As JavaScript, with a power of ten where there would be many zeros.
    let times = if (-6..21).contains(&power) { 0 } else { power };
    let first = power - times;
    let last = first + 1 - digits.len() as i32;
    for place in (last.min(0)..=first.max(0)).rev() {
        if place == -1 {
            text.push('.');
        }
        text.push(char::from(*digits.as_bytes().get((first - place) as usize).unwrap_or(&b'0')));
    }
    if times != 0 {
        text = text![text, if times > 0 { "e+" } else { "e-" }, times.unsigned_abs()];
    }
    text
}

/// The `degree`-th root of `n`, from 0 to 1, by Newton's method: the same bits everywhere.
#[inline(never)]
pub fn root(n: f64, degree: u32) -> f64 {
    let mut root = 1.0;
    for _ in 0..200 {
        let power = (1..degree).fold(1.0, |power, _| power * root);
        root -= (root * power - n) / (f64::from(degree) * power);
    }
    if n > 0.0 { root } else { 0.0 }
}

/// eˣ: a Taylor series near 0, squared ten times. A maths library would weigh 6 KB of WebAssembly.
#[inline(never)]
pub fn exp(x: f64) -> f64 {
    let x = x.clamp(-700.0, 700.0) / 1024.0;
    let mut power = (1..=8).rev().fold(1.0, |sum, n| 1.0 + sum * x / f64::from(n));
    for _ in 0..10 {
        power *= power;
    }
    power
}

/// The natural logarithm of `x` above 0: of the part from 3/4 to 3/2 by the series of the inverse hyperbolic tangent.
#[inline(never)]
pub fn ln(mut x: f64) -> f64 {
    let mut twos = 0;
    while x > 1.5 && twos < 1100 {
        x /= 2.0;
        twos += 1;
    }
    while x < 0.75 && twos > -1100 {
        x *= 2.0;
        twos -= 1;
    }
    let t = (x - 1.0) / (x + 1.0);
    let sum = (0..14).rev().fold(0.0, |sum, n| sum * t * t + 1.0 / f64::from(2 * n + 1));
    f64::from(twos) * std::f64::consts::LN_2 + 2.0 * t * sum
}

/// Sine and cosine of an angle from −4 to 4: Taylor series of a sixteenth of it, doubled four times.
#[inline(never)]
pub fn sin_cos(x: f64) -> (f64, f64) {
    let x = x / 16.0;
    // 1 − cos, so that small angles lose nothing.
    let (mut sin, mut less) = (0.0, 0.0);
    for n in (1..=6).rev() {
        let n = f64::from(2 * n);
        less = x * x / (n * (n - 1.0)) * (1.0 - less);
        sin = x * x / (n * (n + 1.0)) * (1.0 - sin);
    }
    sin = x * (1.0 - sin);
    for _ in 0..4 {
        sin *= 2.0 * (1.0 - less);
        less *= 2.0 * (2.0 - less);
    }
    (sin, 1.0 - less)
}

/// The angle from 0 to π with the cosine `cos`, by Newton's method.
#[inline(never)]
pub fn arccosine(cos: f64) -> f64 {
    let cos = cos.clamp(-1.0, 1.0);
    let near = |rest: f64| (2.0 * rest).sqrt();
    let mut angle = if cos > 0.0 { near(1.0 - cos) } else { std::f64::consts::PI - near(1.0 + cos) };
    for _ in 0..6 {
        let (sin, now) = sin_cos(angle);
        if sin > 1e-12 {
            angle += (now - cos) / sin;
        }
    }
    angle
}

#[cfg(test)]
mod tests {
    use super::{arccosine, exp, ln, number, root, sin_cos};

    #[test]
    fn the_functions_are_those_of_a_maths_library() {
        for i in -2000..=2000 {
            let x = f64::from(i) / 500.0;
            let (sin, cos) = sin_cos(x);
            assert!((sin - x.sin()).abs() < 1e-14 && (cos - x.cos()).abs() < 1e-14, "{x}");
            assert!((exp(x * 10.0) / (x * 10.0).exp() - 1.0).abs() < 1e-12, "{x}");
            if x > 0.0 {
                assert!((ln(x * x * x) - (x * x * x).ln()).abs() < 1e-13, "{x}");
            }
            if x.abs() <= 1.0 {
                assert!((arccosine(x) - x.acos()).abs() < 1e-8, "{x}");
            }
            if x.abs() <= 0.99 {
                assert!((arccosine(x) - x.acos()).abs() < 1e-13, "{x}");
            }
        }
        assert_eq!((exp(0.0), ln(1.0), arccosine(1.0), sin_cos(0.0)), (1.0, 0.0, 0.0, (0.0, 1.0)));
    }

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
            (9.9999999999, "9.9999999999"),
            (1000000001.0, "1000000001"),
            (4294967295.0, "4294967295"),
            (9007199254740992.0, "9007199254740992"),
            (1000.0000001, "1000.0000001"),
            (1.00000001, "1.00000001"),
            (100000.001, "100000.001"),
            (1e300, "1e+300"),
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
