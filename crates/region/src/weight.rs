//! Weights of places in the tree of decisions: a check, in one number, that each end was met exactly once.
//!
//! The decisions of a program are a full binary tree (each has two sides). Give its root the weight 1. A decision hands its
//! weight `w` on: `w·r` to the true side and `w − w·r` to the false side, where `r` is a hash of the decision's position.
//! At an assumption the true side gets all, because the false side is no path. By induction over the decisions, the weights
//! of all ends sum up to 1, whatever the hashes are (Kraft's equality, for any shares in place of 1/2). An end is the end
//! of a path, a side that no input takes, or an assumption that no input of its path satisfies.
//!
//! The weights are numbers modulo the prime `p = 2^61 − 1`. So each sum and product is exact, and the order of adding makes
//! no difference: workers add up what they met in any order, and the coordinator adds their sums.
//!
//! Errors that the sum can miss: as polynomials in the shares `r`, the weights of the ends are linearly independent, because
//! shares of 0 and 1 can lead all weight to any one end. So if an end is missing or counted twice, the sum minus 1 is a
//! polynomial that is not zero, and its degree is the number of decisions before the deepest end in question. If the shares
//! were drawn at random it would be 0 with a chance of at most degree / p (Schwartz 1980, Zippel 1979): 2^-51 for a path of a
//! thousand decisions. The hash that stands for chance is no secret. So this is a check of Cleave on itself, and not
//! of a stranger's reports.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

use serde::{Deserialize, Serialize};

use crate::PathDigest;

/// The prime 2^61 − 1.
const P: u64 = (1 << 61) - 1;

/// A number modulo 2^61 − 1: the weight of a place in the tree of decisions, or a sum of weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "u64", into = "u64")]
pub struct Weight(u64);

impl Weight {
    /// The weight of nothing.
    pub const ZERO: Weight = Weight(0);
    /// The weight of the entry, and of all ends together.
    pub const ONE: Weight = Weight(1);

    /// The weight of a side of a decision that has this weight; `position` is the digest of the decisions before it.
    #[must_use]
    pub fn of_side(self, position: PathDigest, side: bool) -> Weight {
        let on_true = self * share(position);
        if side { on_true } else { self - on_true }
    }

    /// The weight of the only side that can be a path at an assumption, or else of a side of a decision.
    #[must_use]
    pub fn behind(self, position: PathDigest, side: bool, assume: bool) -> Weight {
        match (assume, side) {
            (false, _) => self.of_side(position, side),
            (true, true) => self,
            (true, false) => Weight::ZERO,
        }
    }

    /// The weight written as [`fmt::Display`] writes it.
    pub fn parse(text: &str) -> Option<Weight> {
        text.parse().ok().filter(|n| *n < P).map(Weight)
    }
}

/// The true side's share of a decision. Of 64 mixed bits 61 are left; the one value of these that is not below the prime
/// becomes 0.
fn share(position: PathDigest) -> Weight {
    let (high, low) = ((position.0 >> 64) as u64, position.0 as u64);
    // The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
    let mut z = (high.rotate_left(32) ^ low).wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    Weight::from((z ^ (z >> 31)) >> 3)
}

impl From<u64> for Weight {
    /// The number modulo the prime.
    fn from(n: u64) -> Weight {
        Weight(n % P)
    }
}

impl From<Weight> for u64 {
    fn from(weight: Weight) -> u64 {
        weight.0
    }
}

impl Add for Weight {
    type Output = Weight;
    fn add(self, other: Weight) -> Weight {
        // Both are below 2^61, so nothing overflows.
        let sum = self.0 + other.0;
        Weight(if sum >= P { sum - P } else { sum })
    }
}

impl Sub for Weight {
    type Output = Weight;
    fn sub(self, other: Weight) -> Weight {
        Weight(if self.0 >= other.0 { self.0 - other.0 } else { self.0 + P - other.0 })
    }
}

impl Mul for Weight {
    type Output = Weight;
    fn mul(self, other: Weight) -> Weight {
        // Below 2^122. As 2^61 is 1 modulo the prime, the upper 61 bits are added to the lower ones.
        let product = u128::from(self.0) * u128::from(other.0);
        Weight(product as u64 & P) + Weight((product >> 61) as u64)
    }
}

impl AddAssign for Weight {
    fn add_assign(&mut self, other: Weight) {
        *self = *self + other;
    }
}

impl SubAssign for Weight {
    fn sub_assign(&mut self, other: Weight) {
        *self = *self - other;
    }
}

impl Sum for Weight {
    fn sum<I: Iterator<Item = Weight>>(weights: I) -> Weight {
        weights.fold(Weight::ZERO, Add::add)
    }
}

impl fmt::Display for Weight {
    /// In decimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    /// Numbers at the edges of carries and reductions, and some others.
    fn numbers() -> Vec<u64> {
        let mut state = 7;
        let edges = [0, 1, 2, 3, P / 2, P / 2 + 1, P - 2, P - 1];
        edges.into_iter().chain((0..40).map(|_| random(&mut state) % P)).collect()
    }

    #[test]
    fn arithmetic_is_that_of_whole_numbers_modulo_the_prime() {
        let p = u128::from(P);
        for a in numbers() {
            for b in numbers() {
                let (x, y) = (Weight::from(a), Weight::from(b));
                let (a, b) = (u128::from(a), u128::from(b));
                assert_eq!(u128::from(u64::from(x + y)), (a + b) % p);
                assert_eq!(u128::from(u64::from(x - y)), (a + p - b) % p);
                assert_eq!(u128::from(u64::from(x * y)), a * b % p);
            }
        }
        assert_eq!(Weight::from(P), Weight::ZERO);
        assert_eq!(Weight::from(u64::MAX), Weight(7));
    }

    /// The weights of the ends of a random tree, in the order of paths.
    fn ends(weight: Weight, digest: PathDigest, depth: u32, state: &mut u64, out: &mut Vec<Weight>) {
        if depth == 0 || random(state).is_multiple_of(5) {
            return out.push(weight);
        }
        let (cond, assume) = (random(state), random(state).is_multiple_of(6));
        for side in [true, false] {
            let weight = weight.behind(digest, side, assume);
            if assume && !side {
                assert_eq!(weight, Weight::ZERO);
            } else {
                ends(weight, digest.extend(cond, side), depth - 1, state, out);
            }
        }
    }

    #[test]
    fn the_weights_of_all_ends_sum_up_to_one_and_those_of_no_other_choice_do() {
        for seed in 1..400u64 {
            let (mut state, mut all) = (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), Vec::new());
            ends(Weight::ONE, PathDigest::default(), 9, &mut state, &mut all);
            let sum: Weight = all.iter().copied().sum();
            assert_eq!(sum, Weight::ONE, "{} ends", all.len());
            for (i, &one) in all.iter().enumerate() {
                assert_ne!(sum - one, Weight::ONE, "one is missing");
                assert_ne!(sum + one, Weight::ONE, "one is counted twice");
                let other = all[(i + 1) % all.len()];
                assert!(all.len() == 1 || sum - one + other != Weight::ONE, "one stands for another");
            }
        }
    }

    #[test]
    fn shares_spread_over_all_numbers() {
        let mut digest = PathDigest::default();
        let mut buckets = [0u32; 64];
        for i in 0..64_000u64 {
            digest = digest.extend(i, i % 3 == 0);
            buckets[(u64::from(share(digest)) >> 55) as usize] += 1;
        }
        assert!(buckets.iter().all(|n| (850..1150).contains(n)), "{buckets:?}");
    }

    #[test]
    fn a_weight_reads_what_it_writes_and_others_bytes_are_reduced() {
        for n in numbers() {
            let weight = Weight::from(n);
            assert_eq!(Weight::parse(&weight.to_string()), Some(weight));
            let bytes = postcard::to_stdvec(&weight).unwrap();
            assert_eq!(postcard::from_bytes::<Weight>(&bytes).unwrap(), weight);
        }
        assert_eq!(Weight::parse(&P.to_string()), None);
        assert_eq!(Weight::parse(""), None);
        let bytes = postcard::to_stdvec(&u64::MAX).unwrap();
        assert_eq!(postcard::from_bytes::<Weight>(&bytes).unwrap(), Weight(7));
    }
}
