//! Check that all paths were found, each once: a path's digest is a square of its number, so that the digests of many paths
//! are summed up at once.

use cleave_campaign::{Kept, Shard};

use crate::error::SimulateError;

/// The sum of `n * n + n` for all `n` below `end`, modulo 2^128. Not for more than 2^41.
fn below(end: u64) -> u128 {
    let end = u128::from(end);
    // (end - 1) end (end + 1) / 3
    (end * end.saturating_sub(1) / 2) * (end + 1) * 2 / 3
}

/// The part of a shard behind `start` bytes: the number of its first path, and its number of paths.
pub(super) fn kept(shard: &str, start: u64, (first, n): (u64, u64)) -> Kept {
    Kept {
        shard: shard.to_string(),
        start,
        end: start + n,
        kinds: [n, 0, 0, 0, 0],
        bugs: Vec::new(),
        set: below(first + n).wrapping_sub(below(first)),
    }
}

/// Adds the next part of the same shard.
pub(super) fn join(kept: &mut Kept, next: &Kept) {
    kept.end = next.end;
    kept.kinds[0] += next.kinds[0];
    kept.set = kept.set.wrapping_add(next.set);
}

/// Checks that the counted paths of all shards are all `paths` paths of a grown tree, each once.
pub(super) fn check(shards: &[Shard], paths: u64) -> Result<(), SimulateError> {
    check_set(shards, paths, below(paths))
}

/// Checks that the counted paths of all shards are `paths` in number, with this sum of digests.
pub(crate) fn check_set(shards: &[Shard], paths: u64, all: u128) -> Result<(), SimulateError> {
    let found: u64 = shards.iter().map(|shard| shard.paths).sum();
    let set = shards.iter().fold(0u128, |sum, shard| sum.wrapping_add(shard.digest));
    if found == paths && set == all {
        return Ok(());
    }
    Err(SimulateError::Sums { found, paths })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_part_a_doubled_one_and_one_too_many_are_seen() {
        let check = |parts: &[(u64, u64)]| {
            let shard = |(i, part): (usize, &(u64, u64))| {
                let kept = kept("a", 7, *part);
                Shard {
                    name: i.to_string(),
                    counted: kept.end,
                    paths: kept.kinds[0],
                    digest: kept.set,
                    file: Default::default(),
                    host: None,
                }
            };
            check(&parts.iter().enumerate().map(shard).collect::<Vec<_>>(), 10).is_ok()
        };
        assert!(check(&[(7, 3), (0, 4), (4, 3)]));
        assert!(!check(&[(0, 4), (4, 3)]), "the end is lost");
        assert!(!check(&[(0, 4), (5, 5)]), "one is lost");
        assert!(!check(&[(0, 4), (4, 3), (4, 3), (7, 3)]), "some are there twice");
        assert!(!check(&[(0, 5), (4, 2), (7, 3)]), "one is lost, another there twice");
        assert!(!check(&[(0, 5), (5, 4), (0, 1)]), "one is lost, another there twice");
        assert!(!check(&[(0, 11)]), "one is too much");
    }

    #[test]
    fn the_sum_of_many_is_that_of_each() {
        let each = |n: u64| (0..n).map(|n| u128::from(n) * u128::from(n) + u128::from(n)).sum::<u128>();
        assert!((0..100).all(|n| below(n) == each(n)));
        let large = 1u64 << 40;
        let n = u128::from(large);
        assert_eq!(below(large + 1) - below(large), n * n + n);
    }
}
