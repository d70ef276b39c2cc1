//! How soon paths end. A strategy may prefer states far from an end, or with hard questions; depth-first search goes on where a
//! path has just ended, and often needs a single decision for the next one. How much that is worth differs from program to
//! program. So a part of the work is done depth-first from the first state of all, and what a path takes there is compared
//! with what it takes in the whole search. Where paths end at less than three quarters of depth-first's rate, that goes on
//! until they do. Where they do anyway, nothing but the comparison is left of it; where none ends depth-first, as in a loop
//! without end, hardly that. The rates are those by counted work. By time a step of a strategy that moves from state to state
//! costs up to three times as much as its count says; what was asleep for long is counted as more for that (see decision 106).

/// Work that is remembered of a way to choose, in instructions: of more, the older half counts half.
const REMEMBERED: u64 = 1 << 26;
/// One of so many parts of the work is depth-first, to know what that takes.
const TRIED: u64 = 16;
/// Steps in which a path should have ended.
const ENDLESS: u32 = 1 << 10;
/// Paths end at `[0] / [1]` of depth-first's rate at least.
const RATE: [u64; 2] = [3, 4];
/// So much work is done depth-first at once: then its states and terms are still in the processor's caches.
const AT_ONCE: u64 = 1 << 18;

/// What was done in some way, and the paths that it ended.
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

    /// Whether a path took less work than `times[1] / times[0]` of what it takes in the other way.
    fn exceeds(self, other: Yield, times: [u64; 2]) -> bool {
        let own = u128::from(self.paths) * u128::from(other.work) * u128::from(times[1]);
        own > u128::from(other.paths) * u128::from(self.work) * u128::from(times[0])
    }

    /// Whether a path took less work.
    pub(super) fn is_better_than(self, other: Yield) -> bool {
        self.exceeds(other, [1, 1])
    }
}

/// Says when depth-first search goes on.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// It does so only where so many states wait; 0 for never.
    from: usize,
    /// What was done depth-first ...
    first: Yield,
    /// ... and in all, that included.
    all: Yield,
    /// Depth-first steps since a path ended so.
    dry: u32,
    /// Work that is left of what is done at once.
    left: u64,
    /// Work before it is looked again whether there is something to go on with.
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

    /// So much was done, depth-first or not.
    pub(super) fn worked(&mut self, work: u64, first: bool) {
        self.all.work = self.all.work.saturating_add(work);
        if first {
            self.first.work = self.first.work.saturating_add(work);
            self.left = self.left.saturating_sub(work);
        }
        self.rest = self.rest.saturating_sub(work);
        // Both fade at once: what was done depth-first is a part of all.
        if self.all.work > 4 * REMEMBERED {
            self.all.fade();
            self.first.fade();
        }
    }

    /// A step was made, depth-first or not.
    pub(super) fn stepped(&mut self, first: bool) {
        if first {
            self.dry = self.dry.saturating_add(1);
        }
    }

    /// So many paths ended.
    pub(super) fn found(&mut self, paths: u64, first: bool) {
        self.all.found(paths);
        if first {
            self.first.found(paths);
        }
        if first && paths > 0 {
            self.dry = 0;
        }
    }

    /// There is nothing that depth-first search can go on with now.
    pub(super) fn rests(&mut self) {
        (self.left, self.rest) = (0, AT_ONCE);
    }

    /// Whether depth-first search goes on now, where so many states wait for the strategy.
    pub(super) fn is_due(&mut self, waiting: usize) -> bool {
        if self.from == 0 || waiting < self.from || self.rest > 0 {
            return false;
        }
        if self.left == 0 {
            // Where nothing ends depth-first, as in a loop without end, it is hardly ever tried again.
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

    /// The shares of the work that is done depth-first, and of depth-first's rate at which paths end, where steps so many of which end a path
    /// are as many as 1000 of the strategy's.
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
