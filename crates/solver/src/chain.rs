//! The running back ends of a solver: which is asked when, and for how long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cleave_expr::Terms;

use crate::backend::{Backend, Conflict, Query, Verdict};
use crate::disagreement::disagreement;
use crate::error::SolverError;
use crate::options::SolverOptions;

/// A running back end.
struct Tier {
    back_end: Box<dyn Backend>,
    /// Queries that it was asked.
    calls: u64,
}

impl Tier {
    fn new(back_end: Box<dyn Backend>) -> Tier {
        Tier { back_end, calls: 0 }
    }

    fn solve(&mut self, terms: &mut Terms, query: &Query<'_>, limit: Duration) -> Verdict {
        self.calls += 1;
        self.back_end.solve(terms, query, limit)
    }
}

/// The back ends of a solver, in their order.
pub(crate) struct Chain {
    first: Tier,
    /// Asked where all before gave up.
    later: Vec<Tier>,
    /// Checks answers of `first` where there is no `later`.
    checker: Option<Tier>,
    first_limit: Duration,
    timeout: Duration,
    stop: Arc<AtomicBool>,
}

impl Chain {
    /// Starts what the options name, and for checks a second one.
    pub(crate) fn start(options: &SolverOptions) -> Result<Chain, SolverError> {
        let mut started = options.tiers.start(&options.stop)?.into_iter();
        let first = started.next().ok_or_else(|| crate::tiers::unknown(""))?;
        let mut chain = Chain::of(options, first, started.collect());
        if chain.later.is_empty() && (options.cross_check || options.self_check) {
            let other = options.tiers.start_other(&options.stop).transpose();
            chain.checker = match (other, options.cross_check) {
                (Ok(None), true) => return Err(SolverError::NoSecond),
                (Err(error), true) => return Err(error),
                // A single back end checks itself.
                (other, _) => other.ok().flatten().map(Tier::new),
            };
        }
        Ok(chain)
    }

    pub(crate) fn of(
        options: &SolverOptions,
        first: Box<dyn Backend>,
        later: Vec<Box<dyn Backend>>,
    ) -> Chain {
        Chain {
            first: Tier::new(first),
            later: later.into_iter().map(Tier::new).collect(),
            checker: None,
            first_limit: options.first_limit,
            timeout: options.timeout,
            stop: options.stop.clone(),
        }
    }

    /// Asks one after the other until one answers.
    pub(crate) fn solve(&mut self, terms: &mut Terms, query: &Query<'_>) -> Verdict {
        let mut left = self.timeout;
        let mut waiting = self.later.len();
        for tier in std::iter::once(&mut self.first).chain(&mut self.later) {
            let limit = if waiting == 0 { left } else { left.min(self.first_limit) };
            let verdict = tier.solve(terms, query, limit);
            left -= limit;
            let over = left.is_zero() || self.stop.load(Ordering::Relaxed);
            if waiting == 0 || over || !matches!(verdict, Verdict::Unknown(_)) {
                return verdict;
            }
            waiting -= 1;
        }
        Verdict::Unknown("there is no back end".into())
    }

    /// Asks all of them, each for as long as a query may take. The first that does not give up answers; the error says
    /// that two contradict each other.
    pub(crate) fn solve_by_all(
        &mut self,
        terms: &mut Terms,
        query: &Query<'_>,
    ) -> (Verdict, Option<SolverError>) {
        let mut answer = self.first.solve(terms, query, self.timeout);
        let mut who = self.first.back_end.name();
        let mut error = None;
        for tier in self.later.iter_mut().chain(&mut self.checker) {
            let verdict = tier.solve(terms, query, self.timeout);
            let name = tier.back_end.name();
            error = error.or_else(|| disagreement(terms, query, (who, name), (&answer, &verdict)));
            if matches!(answer, Verdict::Unknown(_)) {
                (answer, who) = (verdict, name);
            }
        }
        (answer, error)
    }

    /// Asks another one than the first, if there is one; returns its name too.
    pub(crate) fn solve_by_other(&mut self, terms: &mut Terms, query: &Query<'_>) -> (Verdict, &'static str) {
        let other = self.later.first_mut().or(self.checker.as_mut()).unwrap_or(&mut self.first);
        (other.solve(terms, query, self.timeout), other.back_end.name())
    }

    /// The work of all so far; see [`Backend::work`].
    pub(crate) fn work(&self) -> u64 {
        // Others are asked where the first gave up, which took long.
        const LATER: u64 = 1 << 20;
        let later: u64 = self.later.iter().map(|tier| tier.calls).sum();
        self.first.back_end.work() + LATER * later
    }

    /// As [`Backend::feed`], of the first.
    pub(crate) fn feed(&mut self, terms: &mut Terms, query: &Query<'_>) -> Option<Conflict> {
        self.first.back_end.feed(terms, query, self.timeout)
    }

    /// The first has answered by being fed: counts that.
    pub(crate) fn count_fed(&mut self) {
        self.first.calls += 1;
    }

    /// Names, and how many queries each was asked.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = std::iter::once(&self.first).chain(&self.later).chain(&self.checker);
        all.map(|tier| (tier.back_end.name(), tier.calls))
    }
}
