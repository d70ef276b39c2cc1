//! Fingerprints of the decisions behind a cut: they show the first difference if a replay finds other decisions.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The decisions behind a cut in their order, a byte each: seven bits of a hash of the condition, and in the
/// lowest bit the side taken. A cut is sent around and stored many times, so that a list of more than
/// [`Fingerprints::MOST`] decisions is folded: then a byte is a hash of 2, 4, 8... neighbours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprints {
    bytes: Arc<[u8]>,
    /// Number of decisions per byte; the last byte may stand for fewer. 0 if nothing is known.
    fold: u32,
}

impl Fingerprints {
    /// Maximum number of bytes.
    pub const MOST: usize = 512;

    /// The byte of a decision.
    pub fn one(condition: u64, side: bool) -> u8 {
        let mixed = condition.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 57;
        (mixed as u8) << 1 | u8::from(side)
    }

    /// The fingerprints of decisions, each in the form of [`Fingerprints::one`].
    pub fn of(decisions: &[u8]) -> Fingerprints {
        if decisions.is_empty() {
            return Fingerprints::default();
        }
        let fold = decisions.len().div_ceil(Fingerprints::MOST).next_power_of_two();
        Fingerprints::folded(decisions, fold)
    }

    fn folded(decisions: &[u8], fold: usize) -> Fingerprints {
        let bytes: Arc<[u8]> =
            if fold == 1 { decisions.into() } else { decisions.chunks(fold).map(folded).collect() };
        Fingerprints { bytes, fold: u32::try_from(fold).unwrap_or(u32::MAX) }
    }

    /// True if nothing is known of the decisions.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty() || self.fold == 0
    }

    /// Number of decisions per byte; 1 except for very long paths.
    pub fn fold(&self) -> usize {
        (self.fold as usize).max(1)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The first byte in which other decisions differ from these, of which there are `depth`; the length of the shorter
    /// list if it is a prefix of the other, and `None` if no difference shows.
    pub fn parting(&self, depth: usize, others: &[u8]) -> Option<usize> {
        let other = Fingerprints::folded(others, self.fold());
        let common = self.bytes.iter().zip(other.bytes.iter()).take_while(|(a, b)| a == b).count();
        (common < self.bytes.len() || common < other.bytes.len() || depth != others.len()).then_some(common)
    }
}

fn folded(decisions: &[u8]) -> u8 {
    let mix = |h: u64, d: &u8| (h ^ u64::from(*d)).wrapping_mul(0xDA94_2042_E4DD_58B5).rotate_left(29);
    (decisions.iter().fold(0x9E37_79B9_7F4A_7C15, mix) >> 32) as u8
}

/// The decisions of a path as they are taken and taken back, for repeated computation of the fingerprints. Bytes of several
/// decisions are cached, so that each decision is hashed once for each fold in use.
#[derive(Default)]
pub struct FingerprintLog {
    decisions: Vec<u8>,
    /// At index `i` the bytes of whole chunks of 2^i decisions, as far as they were needed.
    levels: Vec<Vec<u8>>,
}

impl FingerprintLog {
    /// The number of decisions.
    pub fn len(&self) -> usize {
        self.decisions.len()
    }

    /// Returns true if there are no decisions.
    pub fn is_empty(&self) -> bool {
        self.decisions.is_empty()
    }

    /// Adds a decision, in the form of [`Fingerprints::one`].
    pub fn push(&mut self, decision: u8) {
        self.decisions.push(decision);
    }

    /// Removes all decisions except the first `n`.
    pub fn truncate(&mut self, n: usize) {
        self.decisions.truncate(n);
        for (i, level) in self.levels.iter_mut().enumerate() {
            level.truncate(n >> i);
        }
    }

    /// The fingerprints of the decisions, equal to those of [`Fingerprints::of`].
    pub fn fingerprints(&mut self) -> Fingerprints {
        let fold = self.decisions.len().div_ceil(Fingerprints::MOST).next_power_of_two();
        if self.decisions.is_empty() || fold == 1 {
            return Fingerprints::of(&self.decisions);
        }
        let i = fold.trailing_zeros() as usize;
        if self.levels.len() <= i {
            self.levels.resize(i + 1, Vec::new());
        }
        let level = &mut self.levels[i];
        let known = level.len() * fold;
        let whole = self.decisions.len() / fold * fold;
        level.extend(self.decisions[known..whole].chunks(fold).map(folded));
        let rest = &self.decisions[whole..];
        let last = (!rest.is_empty()).then(|| folded(rest));
        let bytes: Arc<[u8]> = level.iter().copied().chain(last).collect();
        Fingerprints { bytes, fold: u32::try_from(fold).unwrap_or(u32::MAX) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_log_has_the_fingerprints_of_its_decisions(
            steps in proptest::collection::vec((0usize..3000, any::<u8>(), 0usize..2500), 1..20),
        ) {
            let (mut log, mut model) = (FingerprintLog::default(), Vec::new());
            for (added, first, kept) in steps {
                for i in 0..added {
                    log.push(first.wrapping_add(i as u8));
                    model.push(first.wrapping_add(i as u8));
                }
                prop_assert_eq!(log.fingerprints(), Fingerprints::of(&model));
                log.truncate(kept);
                model.truncate(kept);
                prop_assert_eq!(log.fingerprints(), Fingerprints::of(&model));
            }
        }
    }
}
