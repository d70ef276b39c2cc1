//! Schedules depth-first steps beside a strategy, by the rate at which paths end. A strategy may prefer states far from an end,
//! or with hard queries; depth-first search continues where a path has just ended, and often needs one decision for the next
//! path. The gain differs from program to program. So a part of the work is done depth-first from the first state of all, and its
//! work per path is compared with that of the whole search. If the search ends paths at less than three quarters of depth-first's
//! rate, the depth-first work continues until it does. If the search reaches that rate anyway, only the comparison remains; if no
//! path ends depth-first, as in an endless loop, hardly that. Rates are by counted work. By time a step of a strategy that moves
//! from state to state costs up to three times its counted work; so a state that was cold counts as more work (see decision 106).

/// Work that is remembered of a way to choose, in instructions: beyond it, the older half counts half.
const REMEMBERED: u64 = 1 << 26;
/// One part in this many of the work is depth-first, to measure its rate.
const TRIED: u64 = 16;
/// Steps within which a path should have ended.
const ENDLESS: u32 = 1 << 10;
/// Paths are to end at least at `[0] / [1]` of depth-first's rate.
const RATE: [u64; 2] = [3, 4];
/// Work done depth-first at once, in instructions: its states and terms are then still in the processor's caches.
const AT_ONCE: u64 = 1 << 18;

/// Work of one way to choose, and the number of paths that it ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Yield {
    work: u64,
    paths: u64,
}

impl Yield {
    pub(super) fn worked(&mut self, work: u64) {
        self.work = self.work.saturating_add(work);
        if self.work > REMEMBERED {
            self.fade();
        }
    }

    pub(super) fn found(&mut self, paths: u64) {
        self.paths += paths;
    }

    fn fade(&mut self) {
        (self.work, self.paths) = (self.work / 2, self.paths / 2);
    }

    /// True if a path took less work than `times[1] / times[0]` of that of the other way.
    fn exceeds(self, other: Yield, times: [u64; 2]) -> bool {
        let own = u128::from(self.paths) * u128::from(other.work) * u128::from(times[1]);
        own > u128::from(other.paths) * u128::from(self.work) * u128::from(times[0])
    }

    /// True if a path took less work.
    pub(super) fn is_better_than(self, other: Yield) -> bool {
        self.exceeds(other, [1, 1])
    }
}

/// Decides when depth-first search continues.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Minimum number of waiting states; 0 for never.
    from: usize,
    /// The yield of the depth-first work ...
    first: Yield,
    /// ... and that of all work, the depth-first part included.
    all: Yield,
    /// Depth-first steps since such a step ended a path.
    dry: u32,
    /// Work left of the current depth-first turn.
    left: u64,
    /// Work left before the next look for a state to continue.
    rest: u64,
}

impl Pace {
    pub(super) fn new(from: usize) -> Pace {
        Pace { from, ..Pace::default() }
    }

    pub(super) fn is_kept(&self) -> bool {
        self.from > 0
    }

    /// See [`Pace::new`].
    pub(super) fn from(&self) -> usize {
        self.from
    }

    /// Accounts for work, depth-first or not.
    pub(super) fn worked(&mut self, work: u64, first: bool) {
        self.all.work = self.all.work.saturating_add(work);
        if first {
            self.first.work = self.first.work.saturating_add(work);
            self.left = self.left.saturating_sub(work);
        }
        self.rest = self.rest.saturating_sub(work);
        // Both fade at once, because the depth-first work is a part of all.
        if self.all.work > 4 * REMEMBERED {
            self.all.fade();
            self.first.fade();
        }
    }

    /// Counts a step, depth-first or not.
    pub(super) fn stepped(&mut self, first: bool) {
        if first {
            self.dry = self.dry.saturating_add(1);
        }
    }

    /// Counts the paths that ended.
    pub(super) fn found(&mut self, paths: u64, first: bool) {
        self.all.found(paths);
        if first {
            self.first.found(paths);
        }
        if first && paths > 0 {
            self.dry = 0;
        }
    }

    /// Notes that there is no state now that depth-first search can continue.
    pub(super) fn rests(&mut self) {
        (self.left, self.rest) = (0, AT_ONCE);
    }

    /// Returns true if depth-first search continues now, with `waiting` states left to the strategy.
    pub(super) fn is_due(&mut self, waiting: usize) -> bool {
        if self.from == 0 || waiting < self.from || self.rest > 0 {
            return false;
        }
        if self.left == 0 {
            // If nothing ends depth-first, as in an endless loop, it is hardly ever tried again.
            let part = if self.dry >= ENDLESS { TRIED * TRIED } else { TRIED };
            let is_tried = self.first.work >= self.all.work / part;
            let is_slow = self.first.exceeds(self.all, [RATE[1], RATE[0]]);
            if is_slow || !is_tried {
                self.left = AT_ONCE;
            }
        }
        self.left > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: u64 = 4000;

    /// The depth-first share of the work, and the rate of ended paths as a share of depth-first's, if one path takes `of_first`
    /// depth-first steps or `of_strategy` / 1000 of the strategy's.
    fn shares(of_first: u64, of_strategy: u64) -> (f64, f64) {
        let mut pace = Pace::new(256);
        let (mut work, mut paths, mut due) = (0, 0, 0);
        let mut parts = [0; 2];
        while work < 64 * REMEMBERED {
            let first = pace.is_due(300);
            let part = &mut parts[usize::from(first)];
            *part += if first { of_first } else { of_strategy };
            let ended = *part / 1000;
            *part %= 1000;
            pace.stepped(first);
            pace.worked(STEP, first);
            pace.found(ended, first);
            (work, paths, due) = (work + STEP, paths + ended, due + if first { STEP } else { 0 });
        }
        let rate = (paths * 1000 * STEP) as f64 / (work * of_first.max(1)) as f64;
        (due as f64 / work as f64, rate)
    }

    #[test]
    fn a_slow_search_gets_depth_first_steps_until_it_ends_paths_at_three_quarters_of_their_rate() {
        for of_strategy in [0, 1, 10, 100] {
            let (share, rate) = shares(500, of_strategy);
            assert!((0.74..0.77).contains(&rate), "a rate of {rate} for {of_strategy}");
            assert!(share < 0.77, "a share of {share}");
        }
    }

    #[test]
    fn where_paths_end_soon_anyway_depth_first_only_a_sixteenth_is_tried() {
        for (of_first, of_strategy) in [(500, 450), (500, 900)] {
            let (share, _) = shares(of_first, of_strategy);
            assert!((0.05..0.07).contains(&share), "a share of {share} for {of_first}, {of_strategy}");
        }
    }

    #[test]
    fn where_nothing_ends_depth_first_it_is_hardly_tried() {
        for of_strategy in [0, 10] {
            let (share, _) = shares(0, of_strategy);
            assert!(share > 0.0 && share < 0.01, "a share of {share} for {of_strategy}");
        }
    }

    #[test]
    fn where_few_wait_nothing_is_compared() {
        let mut pace = Pace::new(256);
        pace.worked(REMEMBERED, false);
        assert!(!pace.is_due(255) && pace.is_due(256) && !Pace::new(0).is_due(10_000));
    }
}
