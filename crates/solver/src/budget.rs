//! Fuel of the strategies for hard questions, in proportion to the work of the back ends. The solver asks for the fuel
//! of a strategy before each attempt and records the outcome; a strategy that fails gets less.

use crate::policy::fuel;

/// Strategy: sweeping.
pub(crate) const SWEEPING: usize = 0;
/// Strategy: all values of a term.
pub(crate) const VALUES: usize = 1;
/// Strategy: random inputs.
pub(crate) const CHANCE: usize = 2;
/// Strategy: rows of values that a path leaves to a few bytes.
pub(crate) const ROWS: usize = 3;
/// Strategy: sweeping after a back end has tried for a while.
pub(crate) const LATE: usize = 4;

/// Strategy: all values of one byte while the others keep theirs.
pub(crate) const ALONE: usize = 5;

/// Fuel of the strategies: about the work of the back ends, and less for strategies that find nothing.
pub(crate) struct Budget {
    /// Work of the back ends for a question, a moving average.
    back_ends: usize,
    /// The share of each strategy in sixty-fourths of `back_ends`; the constants above are the indices.
    shares: [usize; 6],
    /// Failures of each strategy so far.
    failures: [usize; 6],
    /// Work of the back ends since the last search for all solutions of a path that failed.
    credit: usize,
    /// Value of `credit` at which the next search for all solutions is due.
    need: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        // The first question goes to the back ends: nothing says yet that it is hard, and their work is measured.
        Budget {
            back_ends: 0,
            shares: [fuel::WHOLE_SHARE; 6],
            failures: [0; 6],
            credit: 0,
            need: fuel::ALL_MODELS,
        }
    }
}

impl Budget {
    /// Fuel of a strategy for one question.
    pub(crate) fn of(&self, way: usize) -> usize {
        (self.back_ends / fuel::WHOLE_SHARE * self.shares[way])
            .clamp(fuel::LEAST.min(self.back_ends), fuel::MOST)
    }

    /// The share of `work` that a strategy may use.
    pub(crate) fn part_of(&self, way: usize, work: usize) -> usize {
        work / fuel::WHOLE_SHARE * self.shares[way]
    }

    /// As [`Budget::part_of`], but at least the average work of the back ends for a question (`work` at most).
    pub(crate) fn part_or_as_back_ends(&self, way: usize, work: usize) -> usize {
        self.part_of(way, work).max(self.back_ends.min(work))
    }

    /// Fuel for sweeping on a question on which a back end has spent `work` without an answer.
    pub(crate) fn late(&self, work: u64) -> usize {
        let work = usize::try_from(work).unwrap_or(fuel::MOST).min(fuel::MOST);
        (fuel::LATE * work / fuel::WHOLE_SHARE * self.shares[LATE]).clamp(fuel::LEAST, fuel::MOST)
    }

    /// Records if a strategy found an answer: its share grows fourfold, or is halved.
    pub(crate) fn learn(&mut self, way: usize, found: bool) {
        self.failures[way] += usize::from(!found);
        let again = self.failures[way].is_multiple_of(fuel::FORGIVEN);
        let share = &mut self.shares[way];
        *share = match found {
            true => fuel::WHOLE_SHARE.min(*share * fuel::GROWTH),
            false if again => fuel::WHOLE_SHARE,
            false => (*share / 2).max(1),
        };
    }

    /// Records the work of the back ends for a question.
    pub(crate) fn took(&mut self, work: u64) {
        let work = usize::try_from(work).unwrap_or(fuel::MOST).min(64 * fuel::MOST);
        self.back_ends = (self.back_ends / fuel::AVERAGED * (fuel::AVERAGED - 1))
            .saturating_add(work / fuel::AVERAGED)
            .max(fuel::LEAST);
        self.credit = self.credit.saturating_add(work).min(64 * fuel::MOST);
    }

    /// Fuel for a search for all solutions of a path; 0 if none is due. The solutions answer all later questions of the
    /// path, so the search may cost twice the credit, but not more: it may fail.
    pub(crate) fn solutions(&self) -> usize {
        if self.credit < self.need { 0 } else { (fuel::SEARCHED * self.credit).min(fuel::MOST) }
    }

    /// Records the outcome of a search for all solutions: after a failure the next one is due later.
    pub(crate) fn looked_for_solutions(&mut self, found: bool) {
        if found {
            self.need = (self.need / 2).max(fuel::ALL_MODELS);
        } else {
            self.credit = 0;
            self.need = (self.need * 2).min(16 * fuel::MOST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_question_is_the_back_ends_and_the_next_get_what_they_took() {
        let mut budget = Budget::default();
        for way in [SWEEPING, VALUES, CHANCE, ROWS] {
            assert_eq!(budget.of(way), 0);
            budget.learn(way, false);
            assert_eq!(budget.of(way), 0);
        }
        budget.took(10);
        assert_eq!(budget.of(SWEEPING), fuel::LEAST);
        budget.took(1 << 20);
        assert!(budget.of(CHANCE) > 100 * fuel::LEAST);
    }

    #[test]
    fn a_way_that_finds_nothing_gets_less_but_as_much_as_the_back_ends_take() {
        let mut budget = Budget::default();
        assert_eq!(budget.part_of(ALONE, 6400), 6400);
        (0..20).for_each(|_| budget.learn(ALONE, false));
        assert_eq!((budget.part_of(ALONE, 6400), budget.part_or_as_back_ends(ALONE, 6400)), (100, 100));
        (0..20).for_each(|_| budget.took(3200));
        let now = budget.part_or_as_back_ends(ALONE, 6400);
        assert!(now > 1600 && now <= 3200, "{now}");
        budget.learn(ALONE, true);
        assert_eq!(budget.part_of(ALONE, 6400), 400);
    }
}
