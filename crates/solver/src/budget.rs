//! Fuel of the strategies for hard questions, in proportion to the work of the back ends. The solver asks for the fuel
//! of a strategy before each attempt and records the outcome; a strategy that fails gets less.

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

/// Maximum fuel for a question, in units of [`Terms::sweep`](cleave_expr::Terms::sweep): about 400 milliseconds.
pub(crate) const MOST: usize = 1 << 23;
/// Minimum fuel of a strategy that has failed for a while, in the same units.
const LEAST: usize = 1 << 9;

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

/// First value of `need`: a tenth of a second. A program with less back-end work asks no hard questions, and a list
/// would cost more than it saves.
const NEED: usize = 1 << 20;

const WHOLE: usize = 64;
/// Failures between two resets of a strategy's share to its first value: the program may have moved on.
const AGAIN: usize = 64;

impl Default for Budget {
    fn default() -> Budget {
        // The first question goes to the back ends: nothing says yet that it is hard, and their work is measured.
        Budget { back_ends: 0, shares: [WHOLE; 6], failures: [0; 6], credit: 0, need: NEED }
    }
}

impl Budget {
    /// Fuel of a strategy for one question.
    pub(crate) fn of(&self, way: usize) -> usize {
        (self.back_ends / WHOLE * self.shares[way]).clamp(LEAST.min(self.back_ends), MOST)
    }

    /// The share of `work` that a strategy may use.
    pub(crate) fn part_of(&self, way: usize, work: usize) -> usize {
        work / WHOLE * self.shares[way]
    }

    /// As [`Budget::part_of`], but at least the average work of the back ends for a question (`work` at most).
    pub(crate) fn part_or_as_back_ends(&self, way: usize, work: usize) -> usize {
        self.part_of(way, work).max(self.back_ends.min(work))
    }

    /// Fuel for sweeping on a question on which a back end has spent `work` without an answer.
    pub(crate) fn late(&self, work: u64) -> usize {
        let work = usize::try_from(work).unwrap_or(MOST).min(MOST);
        (4 * work / WHOLE * self.shares[LATE]).clamp(LEAST, MOST)
    }

    /// Records if a strategy found an answer: its share grows fourfold, or is halved.
    pub(crate) fn learn(&mut self, way: usize, found: bool) {
        self.failures[way] += usize::from(!found);
        let again = self.failures[way].is_multiple_of(AGAIN);
        let share = &mut self.shares[way];
        *share = match found {
            true => WHOLE.min(*share * 4),
            false if again => WHOLE,
            false => (*share / 2).max(1),
        };
    }

    /// Records the work of the back ends for a question.
    pub(crate) fn took(&mut self, work: u64) {
        let work = usize::try_from(work).unwrap_or(MOST).min(64 * MOST);
        self.back_ends = (self.back_ends / 8 * 7).saturating_add(work / 8).max(LEAST);
        self.credit = self.credit.saturating_add(work).min(64 * MOST);
    }

    /// Fuel for a search for all solutions of a path; 0 if none is due. The solutions answer all later questions of the
    /// path, so the search may cost twice the credit, but not more: it may fail.
    pub(crate) fn solutions(&self) -> usize {
        if self.credit < self.need { 0 } else { (2 * self.credit).min(MOST) }
    }

    /// Records the outcome of a search for all solutions: after a failure the next one is due later.
    pub(crate) fn looked_for_solutions(&mut self, found: bool) {
        if found {
            self.need = (self.need / 2).max(NEED);
        } else {
            self.credit = 0;
            self.need = (self.need * 2).min(16 * MOST);
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
        assert_eq!(budget.of(SWEEPING), LEAST);
        budget.took(1 << 20);
        assert!(budget.of(CHANCE) > 100 * LEAST);
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
