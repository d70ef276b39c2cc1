//! Estimates of the number of paths in unexplored regions. Explorers make them; the coordinator adds them up.

use serde::{Deserialize, Serialize};

/// An estimate of a number of paths, with its variance. Estimates of different regions add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// The number.
    pub paths: f64,
    /// The variance: the square of the likely error.
    pub variance: f64,
}

impl Expected {
    /// No paths at all, for certain.
    pub const NONE: Expected = Expected { paths: 0.0, variance: 0.0 };
    /// A single path, for certain.
    pub const ONE: Expected = Expected { paths: 1.0, variance: 0.0 };

    /// Its part `share` (0 to 1), with the same relative error.
    #[must_use]
    pub fn part(self, share: f64) -> Expected {
        Expected { paths: self.paths * share, variance: self.variance * share * share }
    }

    /// Each of `n` equal parts, whose total has the variance of the whole.
    #[must_use]
    pub fn each_of(self, n: usize) -> Expected {
        let n = n.max(1) as f64;
        Expected { paths: self.paths / n, variance: self.variance / n }
    }

    /// The estimate of `known` regions, for which it was made, and of `unknown` more without estimates: each of those is
    /// assumed to be like the average, with a deviation of the same size. `None` if no region has an estimate.
    pub fn with_unknown(self, known: usize, unknown: usize) -> Option<Expected> {
        if unknown == 0 {
            return Some(self);
        }
        if known == 0 {
            return None;
        }
        let (average, n) = (self.paths / known as f64, unknown as f64);
        Some(self + Expected { paths: average * n, variance: average * average * n * n })
    }

    /// The estimate without a part that was given away.
    #[must_use]
    pub fn without(self, part: Expected) -> Expected {
        let paths = (self.paths - part.paths).max(0.0);
        let share = if self.paths > 0.0 { paths / self.paths } else { 0.0 };
        Expected { paths, variance: self.variance * share * share }
    }

    /// The variance in proportion to the square of the number.
    pub fn relative_variance(self) -> f64 {
        if self.paths > 0.0 { self.variance / (self.paths * self.paths) } else { 0.0 }
    }

    /// The range that contains about two in three numbers estimated so. An error is a factor, so the lower end is
    /// never negative.
    pub fn range(self) -> (f64, f64) {
        let factor = self.relative_variance().ln_1p().sqrt().exp();
        (self.paths / factor, self.paths * factor)
    }
}

impl std::ops::Add for Expected {
    type Output = Expected;

    fn add(self, other: Expected) -> Expected {
        Expected { paths: self.paths + other.paths, variance: self.variance + other.variance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_whole() {
        let whole = Expected { paths: 12.0, variance: 9.0 };
        let parts = (0..3).fold(Expected::NONE, |sum, _| sum + whole.each_of(3));
        assert!((parts.paths - 12.0).abs() < 1e-9 && (parts.variance - 9.0).abs() < 1e-9);
        assert_eq!(whole.without(whole.part(0.25)).paths, 9.0);
        assert_eq!(whole.with_unknown(3, 2).map(|e| e.paths), Some(20.0));
        assert_eq!((whole.with_unknown(1, 0), whole.with_unknown(0, 1)), (Some(whole), None));
        assert_eq!(whole.without(Expected { paths: 13.0, variance: 0.0 }), Expected::NONE);
    }

    #[test]
    fn a_range_is_around_its_number_and_never_negative() {
        for variance in [0.0, 1.0, 1e9] {
            let (low, high) = Expected { paths: 10.0, variance }.range();
            assert!(0.0 < low && low <= 10.0 && 10.0 <= high, "{low} {high}");
        }
        assert_eq!(Expected::ONE.range(), (1.0, 1.0));
        assert_eq!(Expected::NONE.range(), (0.0, 0.0));
    }
}
