//! Marks of novelty. A fork's side that a path takes for the n-th time is a mark (place under its callers, n), once counted from the
//! path's start and once from the start of its current call. The first path of a worker that comes to a mark is novel: lines are soon
//! covered where a loop still goes round more often than before. [`crate::states::prioritised`] finds the marks, strategies
//! choose by them; they change no path and belong to no suite.

use std::collections::BTreeMap;
use std::rc::Rc;

/// Number of counters of a path. Sides that share one are counted together, which only makes a mark come sooner.
const COUNTERS: usize = 128;
/// Up to this count each is a mark of its own, above only powers of two: input of a few bytes goes round a loop a few times.
const EXACT: u16 = 16;

/// A side in the function at some depth of the call stack, and how often the current call has taken it.
#[derive(Clone, Copy, Debug)]
struct OfCall {
    depth: u16,
    count: u16,
    side: u64,
}

/// Counts of the sides of its forks that a path has taken: from its start, and in the calls that have not returned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    counts: Option<Rc<[u8; COUNTERS]>>,
    of_calls: Rc<[OfCall]>,
    /// The side of its last fork, until the mark is looked at: a side that is not asked yet may have no paths.
    last: Option<u64>,
}

impl Taken {
    fn counter(side: u64) -> usize {
        (side >> 57) as usize
    }

    /// After one more fork, whose side has this hash, in a function with this many frames on the stack.
    pub(crate) fn and(&self, side: u64, depth: usize) -> Taken {
        let mut counts = self.counts.clone().unwrap_or_else(|| Rc::new([0; COUNTERS]));
        let count = &mut Rc::make_mut(&mut counts)[Taken::counter(side)];
        *count = count.saturating_add(1);
        let depth = u16::try_from(depth).unwrap_or(u16::MAX);
        let mut of_calls: Vec<OfCall> =
            self.of_calls.iter().copied().filter(|of| of.depth <= depth).collect();
        match of_calls.iter_mut().find(|of| of.side == side) {
            Some(of) => of.count = of.count.saturating_add(1),
            None => of_calls.push(OfCall { depth, count: 1, side }),
        }
        Taken { counts: Some(counts), of_calls: of_calls.into(), last: Some(side) }
    }
}

/// The marks that the paths of a worker have come to.
#[derive(Default)]
pub(crate) struct Novelty {
    seen: BTreeMap<(u64, u16, bool), u32>,
}

impl Novelty {
    /// Number of marks at which a path of `depth` decisions, whose last side is known to have inputs, is the first, or comes
    /// with much fewer decisions than those before: there is more input left behind it.
    pub(crate) fn firsts(&mut self, taken: &mut Taken, depth: u32) -> u64 {
        let (Some(side), Some(counts)) = (taken.last.take(), &taken.counts) else { return 0 };
        let of_call = taken.of_calls.iter().find(|of| of.side == side).map_or(0, |of| of.count);
        let of_path = counts[Taken::counter(side)].into();
        let mut first = |count: u16, call: bool| {
            if count > EXACT && !count.is_power_of_two() {
                return false;
            }
            let least = self.seen.entry((side, count, call)).or_insert(u32::MAX);
            let is_less = depth < *least - *least / 4;
            if is_less {
                *least = depth;
            }
            is_less
        };
        u64::from(first(of_path, false)) + u64::from(first(of_call, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A side, and one of a function that it calls.
    const SIDES: [u64; 2] = [3 << 60, 5 << 59];

    /// Number of marks of a path that takes one side `times` times.
    fn marks(novelty: &mut Novelty, times: u32, depth: u32) -> u64 {
        let mut taken = Taken::default();
        let mut take = || {
            taken = taken.and(SIDES[0], 1);
            novelty.firsts(&mut taken, depth)
        };
        (0..times).map(|_| take()).sum()
    }

    #[test]
    fn each_count_up_to_sixteen_and_each_power_of_two_is_new_once_for_the_path_and_once_for_the_call() {
        let mut novelty = Novelty::default();
        let new: Vec<u64> = [1, 1, 5, 5, 100].map(|times| marks(&mut novelty, times, 9) / 2).into();
        assert_eq!(new, [1, 0, 4, 0, 13]);
    }

    #[test]
    fn much_fewer_decisions_are_new_again() {
        let mut novelty = Novelty::default();
        let new: Vec<u64> = [20, 16, 15, 14, 3].map(|depth| marks(&mut novelty, 1, depth)).into();
        assert_eq!(new, [2, 0, 0, 2, 2]);
    }

    #[test]
    fn a_call_begins_to_count_anew_and_a_side_counts_when_it_is_looked_at() {
        let mut novelty = Novelty::default();
        let mut taken = Taken::default().and(SIDES[1], 2).and(SIDES[0], 1).and(SIDES[1], 2);
        let mut other = taken.clone();
        let of_call = taken.of_calls.iter().map(|of| of.count);
        assert_eq!(of_call.collect::<Vec<_>>(), [1, 1], "the first call has returned");
        assert_eq!(novelty.firsts(&mut taken, 1), 2);
        assert_eq!(novelty.firsts(&mut taken, 1), 0, "nothing was taken since");
        assert_eq!(novelty.firsts(&mut other, 1), 0, "another path was there");
    }
}
