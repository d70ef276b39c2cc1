//! How a tree is split before the workers begin.

use std::collections::VecDeque;

use cleave_region::{PathDigest, Region};

use crate::clock::Picos;
use crate::costs::Costs;
use crate::space::digest_after;
use crate::tree::{NodeId, Tree};

/// `n` ranges between tests drawn at random from those of the run (Siddiqui and Khurshid 2012, section 4.2), or
/// as many as there are paths.
pub(crate) fn random_ranges(tree: &Tree, n: u64, seed: u64) -> Vec<Region> {
    let paths = tree.paths().len() as u64;
    let wanted = n.saturating_sub(1).min(paths - 1);
    // The first path as a cut would make an empty range; of the others `wanted` are drawn (Floyd's way).
    let mut random = Random(seed);
    let mut drawn = std::collections::BTreeSet::new();
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

/// What a first phase came to.
pub(crate) struct Pairs {
    /// Test-depth pairs as regions.
    pub(crate) regions: Vec<Region>,
    /// Paths that ended in the first phase, by number.
    pub(crate) ended: Vec<u32>,
    /// What it took one worker.
    pub(crate) cost: Picos,
}

/// Explores breadth-first until there are `n` states, and makes a pair of each (Singh and Khurshid 2020,
/// algorithm 2, line 6).
pub(crate) fn pairs(tree: &Tree, costs: &Costs, n: usize) -> Pairs {
    let mut pairs = Pairs { regions: Vec::new(), ended: Vec::new(), cost: 0 };
    let mut states: VecDeque<(NodeId, PathDigest)> = [(0, PathDigest::default())].into();
    while states.len() < n {
        let Some((id, digest)) = states.pop_front() else { break };
        let node = tree.node(id);
        pairs.cost += node.instructions * costs.instruction;
        if node.children == [None, None] {
            pairs.ended.push(node.leaves.0);
            continue;
        }
        if !node.assume {
            pairs.cost += costs.question;
        }
        for side in [true, false] {
            states.extend(node.child(side).map(|child| (child, digest_after(digest, id, side))));
        }
    }
    let mut states = Vec::from(states);
    // In the order of their paths.
    states.sort_by_key(|(id, _)| tree.node(*id).leaves.0);
    for (id, digest) in states {
        let node = tree.node(id);
        let test = tree.paths()[node.leaves.0 as usize].test.clone();
        pairs.regions.push(Region::prefix(test, node.depth, Some(digest)));
    }
    pairs
}
