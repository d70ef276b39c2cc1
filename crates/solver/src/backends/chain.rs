//! The running back ends of a solver, their order and their time limits. The last layer and the checks call it.
//!
//! Back ends know bit-vectors only. The chain lowers conditions on floating-point numbers before a query, and maps
//! conflicts back to the conditions of the query.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cleave_expr::{Term, Terms};

use crate::backends::backend::{Backend, Conflict, Query, Verdict};
use crate::backends::disagreement::disagreement;
use crate::error::SolverError;
use crate::options::SolverOptions;
use crate::policy::back_ends;

/// A running back end.
struct Tier {
    back_end: Box<dyn Backend>,
    /// Number of queries.
    calls: u64,
    /// Flag that ends the query at hand.
    stop: Arc<AtomicBool>,
}

impl Tier {
    fn new(back_end: Box<dyn Backend>, stop: &Arc<AtomicBool>) -> Tier {
        Tier { back_end, calls: 0, stop: stop.clone() }
    }

    fn solve(&mut self, terms: &mut Terms, query: &Query<'_>, limit: Duration) -> Verdict {
        self.calls += 1;
        if !has_floats(terms, query) {
            return self.back_end.solve(terms, query, limit);
        }
        let start = Instant::now();
        let over = || self.stop.load(Ordering::Relaxed) || start.elapsed() >= limit;
        let Some(lowered) = lowered(terms, query, over) else {
            let why = if over() { "the time limit came while circuits were made" } else { NO_CIRCUIT };
            return Verdict::Unknown(why.into());
        };
        let left = || limit.saturating_sub(start.elapsed());
        let premises = premises(terms, query.conditions);
        if premises.is_empty() {
            return match self.back_end.solve(terms, &Query { conditions: &lowered, ..*query }, left()) {
                Verdict::Unsat(conflict) => Verdict::Unsat(as_asked(conflict, query, &lowered)),
                verdict => verdict,
            };
        }
        self.solve_by_parts(terms, query, lowered, &premises, left)
    }

    /// Solves a query whose circuits are right only under premises. If all premises hold, the circuits answer. The
    /// negation of the premises is refuted, if it can be, from the conditions that need none.
    fn solve_by_parts(
        &mut self,
        terms: &mut Terms,
        query: &Query<'_>,
        lowered: Vec<Term>,
        premises: &[Term],
        left: impl Fn() -> Duration,
    ) -> Verdict {
        let conditions = [&lowered[..], premises].concat();
        let near = match self.back_end.solve(terms, &Query { conditions: &conditions, ..*query }, left()) {
            Verdict::Unsat(conflict) => as_asked(conflict, query, &lowered),
            verdict => return verdict,
        };
        let (mut plain, mut of) = (Vec::new(), Vec::new());
        for (&c, &low) in query.conditions.iter().zip(&lowered) {
            if terms.premises(c).is_empty() {
                plain.push(c);
                of.push(low);
            }
        }
        let all = premises.iter().fold(terms.bool(true), |all, &p| terms.and(all, p));
        let far = terms.not(all);
        let asked = Query { conditions: &plain, ..*query };
        let conditions = [&of[..], &[far]].concat();
        match self.back_end.solve(terms, &Query { conditions: &conditions, ..*query }, left()) {
            Verdict::Unsat(conflict) => {
                let far = as_asked(conflict, &asked, &of);
                Verdict::Unsat(Conflict {
                    conditions: union(near.conditions, far.conditions),
                    domains: union(near.domains, far.domains),
                })
            }
            _ => Verdict::Unknown(NO_CIRCUIT.into()),
        }
    }

    fn feed(&mut self, terms: &mut Terms, query: &Query<'_>, limit: Duration) -> Option<Conflict> {
        if !has_floats(terms, query) {
            return self.back_end.feed(terms, query, limit);
        }
        let lowered = lowered(terms, query, || self.stop.load(Ordering::Relaxed))?;
        if !premises(terms, query.conditions).is_empty() {
            return None;
        }
        let conflict = self.back_end.feed(terms, &Query { conditions: &lowered, ..*query }, limit)?;
        Some(as_asked(conflict, query, &lowered))
    }
}

const NO_CIRCUIT: &str = "a floating-point operation has no form in bit-vectors";

fn has_floats(terms: &Terms, query: &Query<'_>) -> bool {
    query.conditions.iter().any(|&c| terms.has_floats(c))
}

/// The query's conditions in bit-vectors alone, in their order; `None` if one has no such form, or `over` returns true.
fn lowered(terms: &mut Terms, query: &Query<'_>, over: impl Fn() -> bool) -> Option<Vec<Term>> {
    query.conditions.iter().map(|&c| terms.lowered_until(c, &over)).collect()
}

/// The premises of the circuits of conditions, each once.
fn premises(terms: &Terms, conditions: &[Term]) -> Vec<Term> {
    let mut all: Vec<Term> = conditions.iter().flat_map(|&c| terms.premises(c)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The union of two lists.
fn union<T: PartialEq>(mut some: Vec<T>, others: Vec<T>) -> Vec<T> {
    for other in others {
        if !some.contains(&other) {
            some.push(other);
        }
    }
    some
}

/// Maps a conflict of lowered conditions to the conditions of the query.
fn as_asked(conflict: Conflict, query: &Query<'_>, lowered: &[Term]) -> Conflict {
    let blamed = query.conditions.iter().zip(lowered).filter(|(_, low)| conflict.conditions.contains(low));
    Conflict { conditions: blamed.map(|(c, _)| *c).collect(), domains: conflict.domains }
}

/// The back ends of a solver, in their order.
pub(crate) struct Chain {
    first: Tier,
    /// Back ends after the first, each asked if all before it gave up.
    later: Vec<Tier>,
    /// Checks answers of `first` if `later` is empty.
    checker: Option<Tier>,
    first_limit: Duration,
    timeout: Duration,
    stop: Arc<AtomicBool>,
}

impl Chain {
    /// Starts the back ends that the options name, and a second one for checks.
    pub(crate) fn start(options: &SolverOptions) -> Result<Chain, SolverError> {
        let mut started = options.tiers.start(&options.stop)?.into_iter();
        let first = started.next().ok_or_else(|| crate::backends::tiers::unknown(""))?;
        let mut chain = Chain::of(options, first, started.collect());
        if chain.later.is_empty() && (options.cross_check || options.self_check) {
            let other = options.tiers.start_other(&options.stop).transpose();
            chain.checker = match (other, options.cross_check) {
                (Ok(None), true) => return Err(SolverError::NoSecond),
                (Err(error), true) => return Err(error),
                // A single back end checks itself.
                (other, _) => other.ok().flatten().map(|back_end| Tier::new(back_end, &options.stop)),
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
            first: Tier::new(first, &options.stop),
            later: later.into_iter().map(|back_end| Tier::new(back_end, &options.stop)).collect(),
            checker: None,
            first_limit: options.first_limit,
            timeout: options.timeout,
            stop: options.stop.clone(),
        }
    }

    /// Asks one after the other until one answers.
    pub(crate) fn solve(&mut self, terms: &mut Terms, query: &Query<'_>) -> Verdict {
        let mut left = self.timeout;
        // The first back end is skipped for floating-point numbers if there is another: their circuits are too large
        // for it.
        let skipped = usize::from(!self.later.is_empty() && has_floats(terms, query));
        let mut waiting = self.later.len() - skipped;
        for tier in std::iter::once(&mut self.first).chain(&mut self.later).skip(skipped) {
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

    /// Asks the first back end with little work, more in later rounds; it keeps what it has learnt.
    pub(crate) fn solve_briefly(&mut self, terms: &mut Terms, query: &Query<'_>, round: u32) -> Verdict {
        if has_floats(terms, query) {
            return Verdict::Unknown("numbers take long".into());
        }
        let limit = self.first_limit.min(self.timeout);
        let verdict = self.first.back_end.solve_briefly(terms, query, limit, round);
        self.first.calls += u64::from(!matches!(verdict, Verdict::Unknown(_)));
        verdict
    }

    /// Asks all back ends, each with the full time limit. Returns the first answer that is not unknown; the error says
    /// that two answers contradict each other.
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

    /// Asks a back end other than the first, if there is one; returns its name too.
    pub(crate) fn solve_by_other(&mut self, terms: &mut Terms, query: &Query<'_>) -> (Verdict, &'static str) {
        let other = self.later.first_mut().or(self.checker.as_mut()).unwrap_or(&mut self.first);
        (other.solve(terms, query, self.timeout), other.back_end.name())
    }

    /// Work of all back ends so far; see [`Backend::work`].
    pub(crate) fn work(&self) -> u64 {
        // A later back end is asked only after the first has spent its time limit.
        self.first.back_end.work() + back_ends::LATER_CALL * self.later_calls()
    }

    /// Number of queries to the back ends behind the first.
    pub(crate) fn later_calls(&self) -> u64 {
        self.later.iter().map(|tier| tier.calls).sum()
    }

    /// As [`Backend::feed`], by the first back end.
    pub(crate) fn feed(&mut self, terms: &mut Terms, query: &Query<'_>) -> Option<Conflict> {
        self.first.feed(terms, query, self.timeout)
    }

    /// Counts a query that the first back end answered in [`Chain::feed`].
    pub(crate) fn count_fed(&mut self) {
        self.first.calls += 1;
    }

    /// The names of the back ends with their numbers of queries.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = std::iter::once(&self.first).chain(&self.later).chain(&self.checker);
        all.map(|tier| (tier.back_end.name(), tier.calls))
    }
}
