//! How much the layers for hard questions may do.

/// The way by sweeping.
pub(crate) const SWEEPING: usize = 0;
/// By all values of a term.
pub(crate) const VALUES: usize = 1;
/// By chance.
pub(crate) const CHANCE: usize = 2;
/// By the rows of values that a path leaves to few bytes.
pub(crate) const ROWS: usize = 3;
/// By sweeping, where a back end has tried for a while.
pub(crate) const LATE: usize = 4;

/// By all values of one byte, the others being as they are.
pub(crate) const ALONE: usize = 5;

/// The most work for a question, in units of [`Terms::sweep`](cleave_expr::Terms::sweep): about 400 milliseconds.
pub(crate) const MOST: usize = 1 << 23;
/// What is left of it where a way has found nothing for a while.
const LEAST: usize = 1 << 9;

/// How much work the ways may do: about what the back ends take, and less where they find nothing.
pub(crate) struct Budget {
    /// The work of the back ends for a question, on average.
    back_ends: usize,
    /// In sixty-fourths of that: for sweeping, for the values of a term, for chance, for rows, for what is tried late, for single bytes.
    shares: [usize; 6],
    /// How often each has found nothing.
    failures: [usize; 6],
    /// The work of the back ends since all solutions of a path were looked for in vain.
    credit: usize,
    /// How much that has to be before they are looked for again.
    need: usize,
}

/// What is needed at first: a tenth of a second. With less a program's questions are not hard, and a list would cost more than it saves.
const NEED: usize = 1 << 20;

const WHOLE: usize = 64;
/// After so many failures a way gets all that it had at first: the program may have gone elsewhere.
const AGAIN: usize = 64;

impl Default for Budget {
    fn default() -> Budget {
        // The first question is the back ends': it is easy as far as anybody knows, and they tell better.
        Budget { back_ends: 0, shares: [WHOLE; 6], failures: [0; 6], credit: 0, need: NEED }
    }
}

impl Budget {
    /// The work that a way may do for a question.
    pub(crate) fn of(&self, way: usize) -> usize {
        (self.back_ends / WHOLE * self.shares[way]).clamp(LEAST.min(self.back_ends), MOST)
    }

    /// What is left to a way of this much work.
    pub(crate) fn part_of(&self, way: usize, work: usize) -> usize {
        work / WHOLE * self.shares[way]
    }

    /// The same, but not less than what the back ends take for a question.
    pub(crate) fn part_or_as_back_ends(&self, way: usize, work: usize) -> usize {
        self.part_of(way, work).max(self.back_ends.min(work))
    }

    /// The work that sweeping may do for a question for which a back end has worked so much in vain.
    pub(crate) fn late(&self, work: u64) -> usize {
        let work = usize::try_from(work).unwrap_or(MOST).min(MOST);
        (4 * work / WHOLE * self.shares[LATE]).clamp(LEAST, MOST)
    }

    /// It pays, or it does not.
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

    /// The back ends took so much work for a question.
    pub(crate) fn took(&mut self, work: u64) {
        let work = usize::try_from(work).unwrap_or(MOST).min(64 * MOST);
        self.back_ends = (self.back_ends / 8 * 7).saturating_add(work / 8).max(LEAST);
        self.credit = self.credit.saturating_add(work).min(64 * MOST);
    }

    /// The work that looking for all solutions of a path may take; 0 if it is not time for it. They answer all questions to come,
    /// so they may cost more than the back ends have taken since the last time, but not much: they may be looked for in vain.
    pub(crate) fn solutions(&self) -> usize {
        if self.credit < self.need { 0 } else { (2 * self.credit).min(MOST) }
    }

    /// All solutions were looked for: in vain the more seldom.
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
