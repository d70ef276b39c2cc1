//! Sets of unsigned numbers of at most 64 bits, as intervals: the values that comparisons with constants leave to a
//! word. The facts of a component keep one set for each word.

use rpds::RedBlackTreeMap;

/// A wrapped interval: `span + 1` numbers from `start` on, modulo a power of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arc {
    /// The first number.
    pub start: u64,
    /// Number of further numbers.
    pub span: u64,
}

impl Arc {
    /// The arc from one number to another, both included.
    pub(crate) fn between(start: u64, end: u64, whole: u64) -> Arc {
        Arc { start: start & whole, span: end.wrapping_sub(start) & whole }
    }

    /// The complement; `None` if the arc has all numbers.
    pub(crate) fn complement(self, whole: u64) -> Option<Arc> {
        let rest = (whole - self.span).checked_sub(1)?;
        Some(Arc { start: self.start.wrapping_add(self.span).wrapping_add(1) & whole, span: rest })
    }

    /// The arc as one interval, or as two if it goes on behind the greatest number with 0.
    pub fn intervals(self, whole: u64) -> impl Iterator<Item = (u64, u64)> {
        let end = self.start.wrapping_add(self.span) & whole;
        let parts = if self.start <= end {
            [Some((self.start, end)), None]
        } else {
            [Some((self.start, whole)), Some((0, end))]
        };
        parts.into_iter().flatten()
    }
}

/// The numbers of `0 ..= whole` without some intervals. A clone shares everything. Look-ups and removals take
/// logarithmic time in the number of intervals.
#[derive(Clone)]
pub struct Ranges {
    whole: u64,
    /// The removed intervals, the last number by the first; no two touch.
    out: RedBlackTreeMap<u64, u64>,
}

impl Ranges {
    pub(crate) fn all(whole: u64) -> Ranges {
        Ranges { whole, out: RedBlackTreeMap::new() }
    }

    /// The greatest number of the width.
    pub fn whole(&self) -> u64 {
        self.whole
    }

    /// The removed interval that contains a number.
    fn around(&self, value: u64) -> Option<(u64, u64)> {
        let (&start, &end) = self.out.range(..=value).next_back()?;
        (value <= end).then_some((start, end))
    }

    pub(crate) fn contains(&self, value: u64) -> bool {
        value <= self.whole && self.around(value).is_none()
    }

    /// The least remaining number of an interval.
    pub fn first_in(&self, (from, to): (u64, u64)) -> Option<u64> {
        let first = match self.around(from) {
            Some((_, end)) => end.checked_add(1)?,
            None => from,
        };
        (first <= to.min(self.whole)).then_some(first)
    }

    /// The greatest remaining number of an interval.
    pub fn last_in(&self, (from, to): (u64, u64)) -> Option<u64> {
        let to = to.min(self.whole);
        let last = match self.around(to) {
            Some((start, _)) => start.checked_sub(1)?,
            None => to,
        };
        (from <= last).then_some(last)
    }

    /// Removes an interval.
    pub(crate) fn remove(&mut self, (from, to): (u64, u64)) {
        let (mut from, mut to) = (from, to);
        if let Some((start, end)) = self.around(from) {
            if to <= end {
                return;
            }
            from = start;
        } else if let Some(before) = from.checked_sub(1)
            && let Some((start, _)) = self.around(before)
        {
            from = start;
        }
        // Merges the intervals that it covers or touches.
        loop {
            let next = self.out.range(from..=to.saturating_add(1)).next().map(|(s, e)| (*s, *e));
            let Some((start, end)) = next else { break };
            self.out.remove_mut(&start);
            to = to.max(end);
        }
        self.out.insert_mut(from, to);
    }

    /// Removes all numbers outside an arc; all numbers if there is no arc.
    pub(crate) fn restrict(&mut self, arc: Option<Arc>) {
        let out = match arc {
            Some(arc) => arc.complement(self.whole),
            None => Some(Arc { start: 0, span: self.whole }),
        };
        let whole = self.whole;
        out.into_iter().flat_map(|out| out.intervals(whole)).for_each(|part| self.remove(part));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranges_are_the_numbers_that_no_arc_has_excluded(
            arcs in proptest::collection::vec((any::<u8>(), any::<u8>(), 0u8..4), 0..40),
            asked in proptest::collection::vec((any::<u8>(), any::<u8>()), 20),
        ) {
            let whole = 0xFF;
            let (mut ranges, mut model) = (Ranges::all(whole), [true; 256]);
            for (start, end, form) in arcs {
                let (start, end) = (start.into(), if form == 0 { u64::from(start) } else { end.into() });
                let arc = Arc::between(start, end, whole);
                let inside = |v: u64| v.wrapping_sub(arc.start) & whole <= arc.span;
                if form < 3 {
                    arc.intervals(whole).for_each(|part| ranges.remove(part));
                } else {
                    ranges.restrict(Some(arc));
                }
                (0..256).filter(|v| inside(*v) == (form < 3)).for_each(|v| model[v as usize] = false);
                for (a, b) in &asked {
                    let (from, to) = (u64::from(*a.min(b)), u64::from(*a.max(b)));
                    let mut left = (from..=to).filter(|v| model[*v as usize]);
                    prop_assert_eq!(ranges.first_in((from, to)), left.clone().next());
                    prop_assert_eq!(ranges.last_in((from, to)), left.next_back());
                    prop_assert_eq!(ranges.contains(from), model[from as usize]);
                }
                let touching = ranges.out.iter().zip(ranges.out.iter().skip(1)).any(|(a, b)| a.1 + 1 >= *b.0);
                prop_assert!(!touching);
            }
        }
    }
}
