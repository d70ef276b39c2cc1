//! The solver: its questions, counters and checks, and the layers without a file of their own. The engine calls the
//! public methods; `pipeline.rs` has the order of the layers.

use std::time::Instant;

use cleave_assignments::CachedModels;
use cleave_expr::{ByteId, ByteSet, Term, Terms, Witness};
use cleave_path::{PathCondition, Relation};

use crate::answer::{Answer, Core, Counters, LayerAnswer, SolverStats};
use crate::backends::backend::{Backend, Conflict, Query, Verdict};
use crate::backends::chain::Chain;
use crate::backends::disagreement::query_text;
use crate::budget::{Budget, SWEEPING};
use crate::error::SolverError;
use crate::layers::patch::Patcher;
use crate::layers::recent::Recent;
use crate::layers::rewriting::Rewritten;
use crate::layers::slice::Slice;
use crate::layers::values::Values;
use crate::layers::words::Words;
use crate::options::{LayerName, SolverOptions};
use crate::policy::{back_ends, text};
use crate::question::{Cost, Mode, Question};
use crate::record::{Asked, Dumper, Kind, Recorder};

/// Time of the back ends for a question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// As long as most questions take; eight times as long in each further round.
    Round(u32),
    /// As long as a question may take.
    Whole,
}

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
    may_wait: bool,
    /// True if such a question waits sooner: others like it have had their part of the work.
    hurries: bool,
    /// True if the answer must name the conditions that refute the question at hand.
    pub(crate) explains: bool,
    pub(crate) error: Option<SolverError>,
    recorder: Option<Recorder>,
    dumper: Option<Dumper>,
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

    /// Asks if `cond` can hold together with `pc`. `near` satisfies `pc`, but in general not `cond`: the answer's
    /// witness satisfies both, and differs from `near` only in bytes that are linked to `cond`.
    pub fn ask(&mut self, terms: &mut Terms, pc: &PathCondition, cond: Term, near: &Witness) -> Answer {
        let start = self.begins(terms);
        let found = self.found(&mut Question::new(terms, pc, &[cond], near), Mode::Either);
        self.answered(terms, pc, cond, near, (start, found))
    }

    /// As [`Solver::ask`], but a core always has conditions.
    pub fn ask_why(&mut self, terms: &mut Terms, pc: &PathCondition, cond: Term, near: &Witness) -> Answer {
        self.explains = true;
        let answer = self.ask(terms, pc, cond, near);
        self.explains = false;
        answer
    }

    /// As [`Solver::ask`], but with little work, the same each time. `None` if that is not enough. Little work does not answer
    /// questions on floating-point numbers: without `hurry` they get the work of [`Solver::ask`], with it that of the layers before the
    /// back ends.
    pub fn ask_first(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        (cond, hurry): (Term, bool),
        near: &Witness,
    ) -> Option<Answer> {
        let start = self.begins(terms);
        (self.may_wait, self.hurries) = (true, hurry);
        let found = self.found(&mut Question::new(terms, pc, &[cond], near), Mode::Either);
        std::mem::take(&mut self.may_wait).then(|| self.answered(terms, pc, cond, near, (start, found)))
    }

    /// Checks, counts and records the result of a question.
    fn answered(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        cond: Term,
        near: &Witness,
        (start, (layer, found)): (Option<Instant>, (LayerName, LayerAnswer)),
    ) -> Answer {
        if self.options.self_check {
            self.check(terms, pc, &[cond], near, layer, &found);
        }
        self.count(layer, &found);
        self.ends(terms, start, (Kind::Whole, pc, &[cond], near), &found);
        self.answer(pc, cond, found)
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

    /// As [`Solver::ask`] without the back ends, and with little work in the layers before them. Returns a witness if
    /// they find one.
    pub fn ask_cheaply(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        cond: Term,
        near: &Witness,
    ) -> Option<Witness> {
        let start = self.begins(terms);
        self.brief = true;
        let mut q = Question::new(terms, pc, std::slice::from_ref(&cond), near);
        let found = self.walk(&mut q, Mode::Either, Cost::Cheap);
        self.brief = false;
        let (layer, found) = match found {
            Some(found) => found,
            None => (LayerName::Sat, LayerAnswer::Unknown("no cheap answer".into())),
        };
        self.count(layer, &found);
        self.ends(terms, start, (Kind::Cheap, pc, &[cond], near), &found);
        match found {
            LayerAnswer::Sat(w) => Some(w),
            LayerAnswer::Unsat(_) | LayerAnswer::Unknown(_) => None,
        }
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

    fn answer(&self, pc: &PathCondition, cond: Term, found: LayerAnswer) -> Answer {
        match found {
            LayerAnswer::Sat(w) => Answer::Sat(w),
            LayerAnswer::Unsat(_) if self.slice.blames_all => Answer::Unsat(Core::default()),
            LayerAnswer::Unsat(conflict) => {
                Answer::Unsat(Core::of(self.slice.blamed(pc, &[cond], &conflict)))
            }
            LayerAnswer::Unknown(why) => Answer::Unknown(why),
        }
    }

    pub(crate) fn by_constant(&self, q: &Question) -> Option<LayerAnswer> {
        let [cond] = q.conds else { return None };
        let value = q.terms.constant64(*cond)?;
        Some(match value {
            0 => LayerAnswer::Unsat(Conflict::default()),
            _ => LayerAnswer::Sat(q.near.clone()),
        })
    }

    pub(crate) fn by_witness(&self, q: &mut Question) -> Option<LayerAnswer> {
        let holds = q.conds.iter().all(|&cond| q.terms.holds(cond, q.near));
        holds.then(|| LayerAnswer::Sat(q.near.clone()))
    }

    pub(crate) fn by_path_rows(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        self.by_live_rows(q.terms, q.pc, q.conds, q.near).map(|(_, found)| found)
    }

    pub(crate) fn by_empty_byte(&self) -> Option<LayerAnswer> {
        let empty = *self.slice.narrowed.iter().find(|n| n.1.is_empty())?;
        Some(LayerAnswer::Unsat(Conflict { conditions: Vec::new(), domains: vec![empty] }))
    }

    pub(crate) fn by_free_bytes(&self, q: &mut Question) -> Option<LayerAnswer> {
        let slice = &self.slice;
        let is_free = |(id, set): &(ByteId, ByteSet)| !set.is_empty() && q.pc.component_of(*id).is_none();
        if !slice.asked.is_empty() || !slice.narrowed.iter().all(is_free) {
            return None;
        }
        let patch = slice
            .narrowed
            .iter()
            .map(|(id, set)| (*id, crate::layers::patch::preferred(set, q.near.get(*id))));
        Some(LayerAnswer::Sat(q.terms.patched(q.near, patch)))
    }

    pub(crate) fn by_one_byte(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        self.patcher.by_values(q.terms, &self.slice, q.near).map(LayerAnswer::Sat)
    }

    pub(crate) fn by_words(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        self.words.conflict(q.terms, q.pc, &self.slice).map(LayerAnswer::Unsat)
    }

    pub(crate) fn by_recent_core(&self, q: &Question) -> Option<LayerAnswer> {
        self.recent.core(q.pc, &self.slice).cloned().map(LayerAnswer::Unsat)
    }

    pub(crate) fn by_patch(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        self.patcher.patch(q.terms, q.pc, &self.slice, q.near).map(LayerAnswer::Sat)
    }

    /// An answer by the enumerated models of the path, if it has them for the bytes of the question; with it, the
    /// number of first conditions that contradict the path.
    pub(crate) fn by_live_rows(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        conds: &[Term],
        near: &Witness,
    ) -> Option<(usize, LayerAnswer)> {
        match pc.row_with(terms, conds, near)? {
            Ok(w) => Some((conds.len(), LayerAnswer::Sat(w))),
            Err(within) => {
                self.slice.begin(terms, pc, &conds[..within]);
                self.slice.link(terms, pc);
                self.slice.gather(pc, false);
                let slice = &self.slice;
                let conditions = slice.relations.iter().chain(&slice.asked).map(|r| r.term).collect();
                let domains = slice.bytes.iter().map(|&id| (id, slice.domain(pc, id))).collect();
                Some((within, LayerAnswer::Unsat(Conflict { conditions, domains })))
            }
        }
    }

    /// Asks the back ends in rounds, each eight times as long as the one before, with a sweep after each that gets as
    /// much work as they took. `listed` is the work that was allowed for a list of all solutions.
    pub(crate) fn by_rounds(&mut self, q: &mut Question, listed: usize) -> (LayerName, LayerAnswer) {
        let before = self.chain.work();
        let mut found = LayerAnswer::Unknown(String::new());
        let needs_time = self.may_wait && self.conditions.iter().any(|&c| q.terms.has_floats(c));
        if needs_time && self.hurries {
            return self.waits(0, found);
        }
        let may_wait = self.may_wait && !needs_time;
        for round in 0..if may_wait { back_ends::ROUNDS_OF_WAITING } else { back_ends::ROUNDS } {
            found = self.by_back_ends(q.terms, q.near, Effort::Round(round));
            let work = self.chain.work() - before;
            if !matches!(found, LayerAnswer::Unknown(_)) || work == 0 || self.error.is_some() {
                break;
            }
            if may_wait && work >= back_ends::WORK_OF_WAITING {
                return self.waits(work, found);
            }
            if let Some(found) = self.late(q.terms, q.pc, q.near, (listed, work)) {
                self.budget.took(work);
                return (LayerName::Sweeping, found);
            }
        }
        if matches!(found, LayerAnswer::Unknown(_)) && self.error.is_none() {
            let work = self.chain.work() - before;
            if may_wait && work > 0 {
                return self.waits(work, found);
            }
            found = self.by_back_ends(q.terms, q.near, Effort::Whole);
        }
        self.budget.took(self.chain.work() - before);
        (LayerName::Sat, found)
    }

    /// Leaves a question without an answer, to be asked again later, after this work of the back ends.
    fn waits(&mut self, work: u64, found: LayerAnswer) -> (LayerName, LayerAnswer) {
        self.may_wait = false;
        if work > 0 {
            self.budget.took(work);
        }
        (LayerName::Sat, found)
    }

    pub(crate) fn by_listed_solutions(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        let most = self.budget.solutions();
        self.by_solutions(q.terms, q.pc, q.near, most)
    }

    pub(crate) fn by_first_sweep(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        let most = self.budget.of(SWEEPING);
        self.by_sweeping(q.terms, q.pc, q.near, (SWEEPING, most))
    }

    /// Rewrites the query's conditions to simpler forms, and answers if these contradict each other.
    pub(crate) fn by_rewriting(&mut self, terms: &mut Terms) -> Option<LayerAnswer> {
        // A cross-check and feeding need the conditions as they are.
        if self.options.cross_check || self.options.feeding {
            return None;
        }
        let conflict = self.rewritten.simplify(terms, &self.conditions)?;
        self.recent.keep_core(&conflict);
        Some(LayerAnswer::Unsat(conflict))
    }

    /// A conflict with a condition of the path that negates the question or one of its conjuncts.
    pub(crate) fn by_contradiction(&mut self, terms: &mut Terms, cond: Term) -> Option<LayerAnswer> {
        if self.slice.relations.is_empty() || self.slice.asked.is_empty() {
            return None;
        }
        let opposite = terms.not(cond);
        for i in 0..self.slice.asked.len() {
            let asked = self.slice.asked[i].term;
            let against = if asked == cond { opposite } else { terms.not(asked) };
            let contradicts = |r: &&Relation| r.term == against || r.term == opposite;
            if let Some(r) = self.slice.relations.iter().find(contradicts) {
                let conditions = vec![r.term, asked];
                return Some(LayerAnswer::Unsat(Conflict { conditions, domains: Vec::new() }));
            }
        }
        None
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

    /// The answer of the back ends to the prepared query.
    fn by_back_ends(&mut self, terms: &mut Terms, near: &Witness, effort: Effort) -> LayerAnswer {
        if !self.on(LayerName::Sat) {
            return LayerAnswer::Unknown("the layer `sat` is switched off".into());
        }
        let start = Instant::now();
        let query = Query { conditions: &self.rewritten.forms, domains: &self.domains, near };
        let round = if let Effort::Round(round) = effort { Some(round) } else { None };
        if round.is_some() && (self.options.feeding || self.options.cross_check) {
            return LayerAnswer::Unknown("it is asked in another way".into());
        }
        let fed = if self.options.feeding { self.chain.feed(terms, &query) } else { None };
        let verdict = match fed {
            Some(conflict) => {
                self.chain.count_fed();
                Verdict::Unsat(conflict)
            }
            None if self.options.cross_check => {
                let (verdict, error) = self.chain.solve_by_all(terms, &query);
                self.error = self.error.take().or(error);
                verdict
            }
            None => match round {
                Some(round) => self.chain.solve_briefly(terms, &query, round),
                None => self.chain.solve(terms, &query),
            },
        };
        let took = start.elapsed();
        self.counters.smt_time += took;
        if round.is_some() && matches!(verdict, Verdict::Unknown(_)) {
            return LayerAnswer::Unknown("it takes longer".into());
        }
        if let Some(dumper) = &mut self.dumper {
            let query = Query { conditions: &self.conditions, domains: &self.domains, near };
            let written = dumper.write(terms, &query, &verdict, took);
            self.error = self.error.take().or(written.err());
        }
        if let Some(error) = &self.error {
            return LayerAnswer::Unknown(error.to_string());
        }
        match verdict {
            Verdict::Sat(values) => {
                // A bound on a word names bytes that it does not link. Those outside the slice stay as they are, as
                // their other conditions are not part of the query.
                let mine = values.into_iter().filter(|(id, _)| self.slice.bytes.binary_search(id).is_ok());
                let w = terms.patched(near, mine);
                if let Some(error) = self.wrong_model(terms, &w) {
                    let why = error.to_string();
                    self.error.get_or_insert(error);
                    return LayerAnswer::Unknown(why);
                }
                LayerAnswer::Sat(w)
            }
            Verdict::Unsat(conflict) => {
                let conflict = self.rewritten.of_conditions(conflict);
                self.recent.keep_core(&conflict);
                LayerAnswer::Unsat(conflict)
            }
            Verdict::Unknown(why) => LayerAnswer::Unknown(why),
        }
    }

    /// The error if a back end's model violates a condition on floating-point numbers: the circuits that the back ends
    /// get are a second description of the processor's arithmetic, which evaluation uses.
    fn wrong_model(&self, terms: &mut Terms, w: &Witness) -> Option<SolverError> {
        let floats = self.conditions.iter().copied().filter(|&c| terms.has_floats(c)).collect::<Vec<_>>();
        let wrong = floats.into_iter().find(|&c| !terms.holds(c, w))?;
        let question = terms.text(wrong, text::DEPTH);
        Some(SolverError::WrongModel { from: format!("the layer `{}`", LayerName::Sat), question })
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
