//! The solver: what it keeps from question to question, its counters and its checks. `asking.rs` has the questions that the engine
//! asks, `pipeline.rs` the order of the layers, which share all of this.

use std::sync::atomic::Ordering;
use std::time::Instant;

use cleave_assignments::CachedModels;
use cleave_expr::{ByteId, ByteSet, Term, Terms, Witness};
use cleave_path::PathCondition;

use crate::answer::{Counters, LayerAnswer, SolverStats};
use crate::backends::backend::{Backend, Query, Verdict};
use crate::backends::chain::Chain;
use crate::backends::disagreement::query_text;
use crate::budget::Budget;
use crate::error::SolverError;
use crate::layers::patch::Patcher;
use crate::layers::recent::Recent;
use crate::layers::rewriting::Rewritten;
use crate::layers::slice::Slice;
use crate::layers::values::Values;
use crate::layers::words::Words;
use crate::options::{LayerName, SolverOptions};
use crate::policy::{back_ends, text};
use crate::record::{Asked, Dumper, Kind, Recorder};

/// Answers whether conditions can hold on a path. One for each exploration: it has no global state, and keeps
/// what it has learnt about the terms of one [`Terms`].
pub struct Solver {
    pub(crate) options: SolverOptions,
    pub(crate) disabled: u32,
    pub(crate) chain: Chain,
    pub(crate) slice: Slice,
    pub(crate) patcher: Patcher,
    pub(crate) words: Words,
    pub(crate) recent: Recent,
    pub(crate) rewritten: Rewritten,
    pub(crate) values: Values,
    pub(crate) budget: Budget,
    pub(crate) survivors: CachedModels,
    pub(crate) domains: Vec<(ByteId, ByteSet)>,
    pub(crate) conditions: Vec<Term>,
    /// Number of `conditions` that are the path's.
    pub(crate) of_path: usize,
    pub(crate) counters: Counters,
    /// True if the question at hand is not worth much work.
    pub(crate) brief: bool,
    /// True if the question at hand may wait if it takes long.
    pub(crate) may_wait: bool,
    /// True if such a question waits sooner: others like it have had their part of the work.
    pub(crate) hurries: bool,
    /// True if the answer must name the conditions that refute the question at hand.
    pub(crate) explains: bool,
    pub(crate) error: Option<SolverError>,
    recorder: Option<Recorder>,
    pub(crate) dumper: Option<Dumper>,
}

impl Solver {
    /// A solver with the back ends that the options choose.
    ///
    /// # Errors
    /// If the options need a back end that is not built in or does not start.
    pub fn new(options: SolverOptions) -> Result<Self, SolverError> {
        let chain = Chain::start(&options)?;
        let recorder = options.record.as_deref().map(Recorder::start).transpose()?;
        let dumper = options.dump.as_deref().map(Dumper::start).transpose()?;
        Ok(Solver { recorder, dumper, ..Solver::with_chain(options, chain) })
    }

    /// A solver with the caller's back ends. Each later one is asked if those before it give up.
    pub fn with_backends(
        options: SolverOptions,
        first: Box<dyn Backend>,
        later: Vec<Box<dyn Backend>>,
    ) -> Self {
        let chain = Chain::of(&options, first, later);
        Solver::with_chain(options, chain)
    }

    fn with_chain(options: SolverOptions, chain: Chain) -> Self {
        let disabled = options.disabled.iter().fold(0, |d, l| d | 1 << *l as u32);
        Solver {
            options,
            disabled,
            chain,
            slice: Slice::default(),
            patcher: Patcher::default(),
            words: Words::default(),
            recent: Recent::default(),
            rewritten: Rewritten::default(),
            values: Values::default(),
            budget: Budget::default(),
            survivors: CachedModels::default(),
            domains: Vec::new(),
            conditions: Vec::new(),
            of_path: 0,
            counters: Counters::default(),
            brief: false,
            may_wait: false,
            hurries: false,
            explains: false,
            error: None,
            recorder: None,
            dumper: None,
        }
    }

    /// Adds `cond` (one bit, not constant false, possible together with `pc`) to `pc`.
    pub fn assume(&mut self, terms: &mut Terms, pc: &mut PathCondition, cond: Term) {
        pc.assume(terms, cond);
    }

    /// As [`Solver::assume`]. The caller can find the condition by `mark` later; the solver does not interpret it.
    pub fn assume_marked(&mut self, terms: &mut Terms, pc: &mut PathCondition, cond: Term, mark: u32) {
        pc.assume_marked(terms, cond, mark);
    }

    /// Counts a question. Returns its start if questions are recorded.
    pub(crate) fn begins(&mut self, terms: &Terms) -> Option<Instant> {
        terms.limit_tables(self.options.table_memory);
        self.counters.questions += 1;
        self.recorder.is_some().then(Instant::now)
    }

    /// Records a question that has been answered.
    pub(crate) fn ends(
        &mut self,
        terms: &Terms,
        start: Option<Instant>,
        (kind, pc, conds, near): (Kind, &PathCondition, &[Term], &Witness),
        found: &LayerAnswer,
    ) {
        let (Some(start), Some(recorder)) = (start, &mut self.recorder) else { return };
        let took = start.elapsed();
        let asked = Asked { kind, pc, conds, near, verdict: found.name(), took };
        let written = recorder.write(terms, &asked);
        self.error = self.error.take().or(written.err());
    }

    /// Work in back ends so far, the same each time; a unit is about a tenth of a microsecond. The work of the layers
    /// before them is mostly in [`Terms::work`].
    pub fn work(&self) -> u64 {
        self.chain.work() + back_ends::LATER_CALL_METERED * self.chain.later_calls()
    }

    /// The counters so far.
    pub fn stats(&self) -> SolverStats {
        self.counters.stats(&self.chain)
    }

    /// The first error so far, which later calls do not return again: a contradiction that a check found, or a file
    /// that could not be written. The caller should stop: after a contradiction answers are not to be trusted.
    pub fn take_error(&mut self) -> Option<SolverError> {
        self.error.take()
    }

    #[inline]
    pub(crate) fn on(&self, layer: LayerName) -> bool {
        self.disabled >> layer as u32 & 1 == 0
    }

    /// Returns true if questions are to end without an answer.
    pub(crate) fn is_stopped(&self) -> bool {
        self.options.stop.load(Ordering::Relaxed)
    }

    /// Records if a strategy found an answer. A failure counts only if the solver was not told to stop.
    pub(crate) fn learn(&mut self, way: usize, found: bool) {
        if found || !self.is_stopped() {
            self.budget.learn(way, found);
        }
    }

    pub(crate) fn count(&mut self, layer: LayerName, found: &LayerAnswer) {
        let c = &mut self.counters;
        if !matches!(found, LayerAnswer::Unknown(_)) {
            c.layers[layer as usize] += 1;
        }
        *match found {
            LayerAnswer::Sat(_) => &mut c.sat,
            LayerAnswer::Unsat(_) => &mut c.unsat,
            LayerAnswer::Unknown(_) => &mut c.unknown,
        } += 1;
    }

    /// Makes the slice a query. Without byte sets each condition is as it was given, so that a core is exact.
    pub(crate) fn make_query(&mut self, pc: &PathCondition, conds: &[Term]) {
        self.list_conditions(pc, conds);
        self.rewritten.keep(&self.conditions);
    }

    fn list_conditions(&mut self, pc: &PathCondition, conds: &[Term]) {
        self.domains.clear();
        self.conditions.clear();
        if !self.on(LayerName::ByteSets) {
            if self.on(LayerName::Slices) {
                self.conditions.extend(self.slice.relations.iter().rev().map(|r| r.term));
                for &id in &self.slice.bytes {
                    self.conditions.extend(pc.byte_conditions(id));
                }
            } else {
                self.conditions = pc.conditions();
            }
            self.of_path = self.conditions.len();
            self.conditions.extend_from_slice(conds);
            return;
        }
        for &id in &self.slice.bytes {
            let set = self.slice.domain(pc, id);
            if set != ByteSet::FULL {
                self.domains.push((id, set));
            }
        }
        self.conditions.extend(self.slice.relations.iter().rev().map(|r| r.term));
        self.of_path = self.conditions.len();
        self.conditions.extend(self.slice.asked.iter().map(|r| r.term));
    }

    /// Checks an answer against the whole path condition; a contradiction is kept for [`Self::take_error`]. An
    /// unsatisfiable core is solved alone, by the other back end if there is one.
    pub(crate) fn check(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        conds: &[Term],
        near: &Witness,
        layer: LayerName,
        found: &LayerAnswer,
    ) {
        let from = || format!("the layer `{layer}`");
        match found {
            LayerAnswer::Unknown(_) => {}
            LayerAnswer::Sat(w) => {
                let all = pc.conditions();
                let wrong = all.iter().chain(conds).find(|&&c| !terms.holds(c, w));
                if let Some(&c) = wrong {
                    let question = terms.text(c, text::DEPTH);
                    self.error.get_or_insert(SolverError::WrongModel { from: from(), question });
                }
            }
            LayerAnswer::Unsat(conflict) => {
                // Both the core and the whole have to be unsatisfiable; the core suffices for both, as it is
                // part of the whole.
                let mut conditions = match self.slice.blames_all {
                    true => pc.conditions(),
                    false => self.slice.blamed(pc, conds, conflict),
                };
                conditions.extend_from_slice(conds);
                let query = Query { conditions: &conditions, domains: &[], near };
                let start = Instant::now();
                let (verdict, second) = self.chain.solve_by_other(terms, &query);
                self.counters.smt_time += start.elapsed();
                if let Verdict::Sat(_) = verdict {
                    let second = second.to_string();
                    self.error.get_or_insert(SolverError::Disagreement {
                        first: from(),
                        first_says: "unsat",
                        second,
                        second_says: "sat",
                        question: query_text(terms, &query),
                    });
                }
            }
        }
    }
}
