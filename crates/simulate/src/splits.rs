//! Splits of a tree before the workers begin.

use std::collections::BTreeSet;

use cleave_region::Region;

use crate::tree::Tree;

/// `n` ranges between tests drawn at random from those of the run (Siddiqui and Khurshid 2012, section 4.2), or
/// as many as there are paths.
pub(crate) fn random_ranges(tree: &Tree, n: u64, seed: u64) -> Vec<Region> {
    let paths = tree.paths().len() as u64;
    let wanted = n.saturating_sub(1).min(paths - 1);
    // The first path as a cut would make an empty range; of the others `wanted` are drawn (Floyd's way).
    let mut random = Random(seed);
    let mut drawn = BTreeSet::new();
    for last in (paths - wanted)..paths {
        let one = 1 + random.below(last);
        drawn.insert(if drawn.contains(&one) { last } else { one });
    }
    Region::between(drawn.into_iter().map(|leaf| tree.paths()[leaf as usize].test.clone()).collect())
}

/// SplitMix64 (Steele, Lea and Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(z ^ (z >> 31)) * u128::from(n)) >> 64) as u64
    }
}
