//! The solver: layers that answer what they can, back ends behind them.

use std::time::Instant;

use cleave_expr::{ByteId, ByteSet, Term, Terms, Witness};

use crate::answer::{Answer, Core, Counters, LayerAnswer, SolverStats};
use crate::backend::{Backend, Conflict, Query, Verdict};
use crate::budget::{Budget, SWEEPING};
use crate::chain::Chain;
use crate::disagreement::{TEXT_DEPTH, query_text};
use crate::error::SolverError;
use crate::kept::Survivors;
use crate::options::{LayerName, SolverOptions};
use crate::patch::Patcher;
use crate::path::{PathCondition, Relation};
use crate::recent::Recent;
use crate::record::{Asked, Dumper, Kind, Recorder};
use crate::rewriting::Rewritten;
use crate::slice::Slice;
use crate::values::Values;
use crate::words::Words;

/// So often a sweep has its turn, too, while the first back end works on a question.
const ROUNDS: u32 = 3;
/// So many of these for a question that may wait: a tenth of a second.
const ROUNDS_FIRST: u32 = 2;
/// What a later back end takes for a question, beside what the first took in vain: its own work is not counted.
const LATER: u64 = 1 << 22;

/// How long the back ends may take.
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
    pub(crate) survivors: Survivors,
    pub(crate) domains: Vec<(ByteId, ByteSet)>,
    pub(crate) conditions: Vec<Term>,
    /// How many of `conditions` are the path's.
    pub(crate) of_path: usize,
    pub(crate) counters: Counters,
    /// The question at hand is not worth much work.
    pub(crate) brief: bool,
    /// The question at hand may wait, if it takes long.
    may_wait: bool,
    /// Which conditions refute the question at hand is wanted.
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

    /// A solver with back ends of one's own: the later ones are asked where those before them give up.
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
            survivors: Survivors::default(),
            domains: Vec::new(),
            conditions: Vec::new(),
            of_path: 0,
            counters: Counters::default(),
            brief: false,
            may_wait: false,
            explains: false,
            error: None,
            recorder: None,
            dumper: None,
        }
    }

    /// Adds `cond` (one bit, not constant false, possible together with `pc`) to `pc`.
    pub fn assume(&mut self, terms: &mut Terms, pc: &mut PathCondition, cond: Term) {
        pc.assume(terms, cond, 0);
    }

    /// As [`Solver::assume`]; the condition can be told from others by `mark` later. The mark means nothing to the
    /// solver.
    pub fn assume_marked(&mut self, terms: &mut Terms, pc: &mut PathCondition, cond: Term, mark: u32) {
        pc.assume(terms, cond, mark);
    }

    /// Can `cond` hold together with `pc`? `near` satisfies `pc`, but in general not `cond`: the answer's
    /// witness satisfies both, and differs from `near` only in bytes that are linked to `cond`.
    pub fn ask(&mut self, terms: &mut Terms, pc: &PathCondition, cond: Term, near: &Witness) -> Answer {
        let start = self.begins();
        let found = self.cheaply(terms, pc, cond, near);
        let found = found.unwrap_or_else(|| self.hard(terms, pc, &[cond], near));
        self.answered(terms, pc, cond, near, (start, found))
    }

    /// As [`Solver::ask`]; a core has conditions in any case.
    pub fn ask_why(&mut self, terms: &mut Terms, pc: &PathCondition, cond: Term, near: &Witness) -> Answer {
        self.explains = true;
        let answer = self.ask(terms, pc, cond, near);
        self.explains = false;
        answer
    }

    /// As [`Solver::ask`], but with little work, the same each time. `None` if that is not enough. Questions on floating-point
    /// numbers are asked as by [`Solver::ask`]: little work is not enough for any of them.
    pub fn ask_first(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        cond: Term,
        near: &Witness,
    ) -> Option<Answer> {
        let start = self.begins();
        let found = self.cheaply(terms, pc, cond, near);
        self.may_wait = true;
        let found = found.unwrap_or_else(|| self.hard(terms, pc, &[cond], near));
        std::mem::take(&mut self.may_wait).then(|| self.answered(terms, pc, cond, near, (start, found)))
    }

    /// What a layer has found for a whole question: checked, counted, and written down.
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

    /// A question is asked.
    pub(crate) fn begins(&mut self) -> Option<Instant> {
        self.counters.questions += 1;
        self.recorder.is_some().then(Instant::now)
    }

    /// A question has been answered.
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

    /// As [`Solver::ask`] without the back ends, and with little work in the layers before them: a witness, if one is found so.
    pub fn ask_cheaply(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        cond: Term,
        near: &Witness,
    ) -> Option<Witness> {
        let start = self.begins();
        self.brief = true;
        let found = self.cheaply(terms, pc, cond, near);
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

    /// Work in back ends so far: about a tenth of a microsecond each, and the same each time. That of the layers before them is
    /// mostly in [`Terms::work`].
    pub fn work(&self) -> u64 {
        self.chain.work() + LATER * self.chain.later_calls()
    }

    /// What was counted so far.
    pub fn stats(&self) -> SolverStats {
        self.counters.stats(&self.chain)
    }

    /// The first contradiction that a check found, once. Whoever gets one should stop: answers are not to be
    /// trusted.
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

    /// The layers that need nothing but the condition and the model at hand.
    fn at_once(&self, terms: &mut Terms, cond: Term, near: &Witness) -> Option<(LayerName, LayerAnswer)> {
        if let Some(v) = terms.constant64(cond)
            && self.on(LayerName::Constants)
        {
            let found =
                if v != 0 { LayerAnswer::Sat(near.clone()) } else { LayerAnswer::Unsat(Conflict::default()) };
            return Some((LayerName::Constants, found));
        }
        let holds = self.on(LayerName::Witness) && terms.holds(cond, near);
        holds.then(|| (LayerName::Witness, LayerAnswer::Sat(near.clone())))
    }

    /// All layers but the back ends.
    fn cheaply(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        cond: Term,
        near: &Witness,
    ) -> Option<(LayerName, LayerAnswer)> {
        if let Some(found) = self.at_once(terms, cond, near) {
            return Some(found);
        }
        if let Some((_, found)) = self.by_live_rows(terms, pc, &[cond], near) {
            return Some((LayerName::Trying, found));
        }
        self.slice.begin(terms, pc, &[cond]);
        if self.slice.impossible {
            return Some((LayerName::Constants, LayerAnswer::Unsat(Conflict::default())));
        }
        if self.on(LayerName::ByteSets)
            && let Some(found) = self.by_byte_sets(terms, pc, near)
        {
            return Some((LayerName::ByteSets, found));
        }
        let whole = !self.on(LayerName::Slices);
        self.slice.link(terms, pc);
        if !whole
            && self.on(LayerName::Trying)
            && let Some(found) = self.by_survivors(terms, pc, near, false)
        {
            return Some((LayerName::Trying, found));
        }
        if let Some(found) = self.by_facts(terms, pc, near) {
            return Some(found);
        }
        self.slice.gather(pc, whole);
        if !whole && let Some(found) = self.by_contradiction(terms, cond) {
            return Some((LayerName::Slices, found));
        }
        if self.on(LayerName::ByteSets)
            && let Some(w) = self.patcher.by_values(terms, &self.slice, near)
        {
            return Some((LayerName::ByteSets, LayerAnswer::Sat(w)));
        }
        if self.on(LayerName::Words)
            && let Some(conflict) = self.words.conflict(terms, pc, &self.slice)
        {
            return Some((LayerName::Words, LayerAnswer::Unsat(conflict)));
        }
        if self.on(LayerName::Models)
            && let Some(w) = self.recent.model(terms, pc, &self.slice, near)
        {
            return Some((LayerName::Models, LayerAnswer::Sat(w)));
        }
        if self.on(LayerName::Cores)
            && let Some(conflict) = self.recent.core(pc, &self.slice)
        {
            return Some((LayerName::Cores, LayerAnswer::Unsat(conflict.clone())));
        }
        if self.on(LayerName::Patching)
            && let Some(w) = self.patcher.patch(terms, pc, &self.slice, near)
        {
            return Some((LayerName::Patching, LayerAnswer::Sat(w)));
        }
        if self.on(LayerName::Values)
            && let Some(found) = self.by_known_values(terms, pc, near)
        {
            return Some((LayerName::Values, found));
        }
        if self.on(LayerName::Trying)
            && let Some(found) = self.by_trying(terms, pc, near)
        {
            return Some((LayerName::Trying, found));
        }
        if self.on(LayerName::Intervals)
            && let Some(found) = self.by_boxes(terms, pc, near)
        {
            return Some((LayerName::Intervals, found));
        }
        if self.on(LayerName::Search)
            && let Some(found) = self.by_search(terms, pc, near)
        {
            return Some((LayerName::Search, found));
        }
        None
    }

    /// An answer by the path's own list of values, if it has one for the bytes of the question: also how many of the first conditions
    /// contradict the path.
    pub(crate) fn by_live_rows(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        conds: &[Term],
        near: &Witness,
    ) -> Option<(usize, LayerAnswer)> {
        if !self.on(LayerName::Trying) {
            return None;
        }
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

    /// What no cheap layer answers; the slice is that of the question.
    pub(crate) fn hard(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        conds: &[Term],
        near: &Witness,
    ) -> (LayerName, LayerAnswer) {
        if let Some(found) = self.by_rewriting(terms, pc, conds) {
            return (LayerName::Rewriting, found);
        }
        if let Some(found) = self.by_all_values(terms, pc, near) {
            return (LayerName::Values, found);
        }
        let most = self.budget.solutions();
        if let Some(found) = self.by_solutions(terms, pc, near, most) {
            return (LayerName::Sweeping, found);
        }
        let of_sweep = self.budget.of(SWEEPING);
        if let Some(found) = self.by_sweeping(terms, pc, near, (SWEEPING, of_sweep)) {
            return (LayerName::Sweeping, found);
        }
        if let Some(found) = self.by_chance(terms, pc, near) {
            return (LayerName::Sampling, found);
        }
        let before = self.chain.work();
        let mut found = LayerAnswer::Unknown(String::new());
        for round in 0..if self.may_wait { ROUNDS_FIRST } else { ROUNDS } {
            found = self.by_back_ends(terms, near, Effort::Round(round));
            let work = self.chain.work() - before;
            if !matches!(found, LayerAnswer::Unknown(_)) || work == 0 || self.error.is_some() {
                break;
            }
            if let Some(found) = self.late(terms, pc, near, (most, work)) {
                self.budget.took(work);
                return (LayerName::Sweeping, found);
            }
        }
        if matches!(found, LayerAnswer::Unknown(_)) && self.error.is_none() {
            let work = self.chain.work() - before;
            if self.may_wait && work > 0 && !self.conditions.iter().any(|&c| terms.has_floats(c)) {
                // It waits.
                self.may_wait = false;
                self.budget.took(work);
                return (LayerName::Sat, found);
            }
            found = self.by_back_ends(terms, near, Effort::Whole);
        }
        self.budget.took(self.chain.work() - before);
        (LayerName::Sat, found)
    }

    /// Takes the conditions of the question, in simpler forms where that layer is on, which may contradict each other.
    pub(crate) fn by_rewriting(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        conds: &[Term],
    ) -> Option<LayerAnswer> {
        self.prepare(pc, conds);
        // A cross-check is of the conditions as they are, and so is feeding.
        if !self.on(LayerName::Rewriting) || self.options.cross_check || self.options.feeding {
            self.rewritten.keep(&self.conditions);
            return None;
        }
        let conflict = self.rewritten.simplify(terms, &self.conditions)?;
        self.recent.keep_core(&conflict);
        Some(LayerAnswer::Unsat(conflict))
    }

    /// Bytes without a value; bytes that nothing else depends on.
    pub(crate) fn by_byte_sets(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
    ) -> Option<LayerAnswer> {
        let slice = &self.slice;
        if let Some(&empty) = slice.narrowed.iter().find(|n| n.1.is_empty()) {
            return Some(LayerAnswer::Unsat(Conflict { conditions: Vec::new(), domains: vec![empty] }));
        }
        let free = slice.asked.is_empty() && slice.narrowed.iter().all(|n| pc.component_of(n.0).is_none());
        if !free {
            return None;
        }
        let patch = slice.narrowed.iter().map(|(id, set)| (*id, crate::patch::preferred(set, near.get(*id))));
        Some(LayerAnswer::Sat(terms.patched(near, patch)))
    }

    /// A condition of the path that is the question turned over.
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

    /// The slice as a query. Without byte sets each condition is as it was given, so that a core is exact.
    fn prepare(&mut self, pc: &PathCondition, conds: &[Term]) {
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

    /// Whether the query that was prepared can hold.
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
                // A bound on a word names bytes that it does not link: those outside the slice stay as they are, as their
                // other conditions were not asked about.
                let mine = values.into_iter().filter(|(id, _)| self.slice.bytes.binary_search(id).is_ok());
                let w = terms.patched(near, mine);
                if let Some(error) = self.wrong_model(terms, &w) {
                    let why = error.to_string();
                    self.error.get_or_insert(error);
                    return LayerAnswer::Unknown(why);
                }
                self.recent.keep_model(&w);
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

    /// A condition on floating-point numbers that a back end's model does not satisfy: the circuits that the back ends get
    /// are a second description of what evaluation does with the processor's own arithmetic.
    fn wrong_model(&self, terms: &mut Terms, w: &Witness) -> Option<SolverError> {
        let floats = self.conditions.iter().copied().filter(|&c| terms.has_floats(c)).collect::<Vec<_>>();
        let wrong = floats.into_iter().find(|&c| !terms.holds(c, w))?;
        let question = terms.text(wrong, TEXT_DEPTH);
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
                    let question = terms.text(c, TEXT_DEPTH);
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
