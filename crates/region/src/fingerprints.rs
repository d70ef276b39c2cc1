//! Fingerprints of the decisions behind a cut: what is left to show of them where a replay finds others.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The decisions behind a cut in their order, a byte each: seven bits of a hash of the condition, and in the
/// lowest bit the side taken. A cut is sent around and stored many times, so that a list of more than
/// [`Fingerprints::MOST`] decisions is folded: then a byte is a hash of 2, 4, 8... neighbours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprints {
    bytes: Arc<[u8]>,
    /// Decisions that a byte stands for; the last may stand for fewer. 0 where nothing is known.
    fold: u32,
}

impl Fingerprints {
    /// So many bytes at most.
    pub const MOST: usize = 512;

    /// The byte of a decision.
    pub fn one(condition: u64, side: bool) -> u8 {
        let mixed = condition.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 57;
        (mixed as u8) << 1 | u8::from(side)
    }

    /// Of decisions, each as [`Fingerprints::one`] has it.
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

    /// Whether nothing is known of the decisions.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty() || self.fold == 0
    }

    /// How many decisions a byte stands for; 1 but for very long paths.
    pub fn fold(&self) -> usize {
        (self.fold as usize).max(1)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The first byte in which other decisions differ from these, of which there are `depth`; as many bytes as
    /// there are where one list is the beginning of the other, and `None` where no difference shows.
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
