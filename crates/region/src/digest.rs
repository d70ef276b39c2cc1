//! Digests of decisions.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A digest of the decisions of a path, or of a prefix of it: each with a hash of its condition and the side
/// taken. The same on every worker and machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PathDigest(pub u128);

/// Two odd multipliers (the fractional part of the golden ratio, and a multiplier known from LCGs).
const A: u64 = 0x9E37_79B9_7F4A_7C15;
const B: u64 = 0xDA94_2042_E4DD_58B5;

fn stir(x: u64, y: u64, k: u64) -> u64 {
    let z = (x ^ y).wrapping_mul(k);
    (z ^ (z >> 29)).rotate_left(23).wrapping_mul(k)
}

impl PathDigest {
    /// The digest with one more decision.
    #[must_use]
    pub fn extend(self, condition: u64, side: bool) -> PathDigest {
        let (high, low) = ((self.0 >> 64) as u64, self.0 as u64);
        let word = condition.wrapping_mul(2).wrapping_add(side as u64) ^ (condition >> 63);
        let high = stir(high, word, A);
        let low = stir(low.wrapping_add(1), word.rotate_left(32) ^ high, B);
        PathDigest((high as u128) << 64 | low as u128)
    }

    /// The digest written as [`fmt::Display`] writes it.
    pub fn parse(text: &str) -> Option<PathDigest> {
        u128::from_str_radix(text, 16).ok().map(PathDigest)
    }
}

impl fmt::Display for PathDigest {
    /// 32 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
