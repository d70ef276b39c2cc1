//! Decisions of the op at hand, and values made concrete by decisions. An op that runs again gets the replies of its earlier
//! runs in the same order.

use std::rc::Rc;

use cleave_expr::{Node, Term};
use cleave_solver::PathCondition;

use crate::engine::Engine;
use crate::states::state::{Reg, Reply, State};
use crate::stop::Stop;

/// A choice among at most this many constants is decided constant by constant.
const FEW: usize = 16;

impl Engine {
    /// The branch direction of `cond` on this path.
    pub(crate) fn decide(&mut self, state: &State, cond: Term) -> Result<bool, Stop> {
        self.decide_or(state, cond, false)
    }

    /// As [`Engine::decide`]; with `assume` only the true side is a path.
    pub(crate) fn decide_or(&mut self, state: &State, cond: Term, assume: bool) -> Result<bool, Stop> {
        match self.decided(&state.answers, &state.path, cond) {
            Ok(side) => Ok(side),
            Err(cond) => match self.known_side(state, cond) {
                Some(side) => {
                    self.reply(Reply::Side(side));
                    Ok(side)
                }
                None => Err(Stop::Decide { cond, assume }),
            },
        }
    }

    /// The side of a condition, or as the error the simplified condition that is still open.
    pub(crate) fn decided(
        &mut self,
        answers: &[Reply],
        path: &PathCondition,
        cond: Term,
    ) -> Result<bool, Term> {
        if let Some(v) = self.terms.constant64(cond) {
            return Ok(v != 0);
        }
        let side = match self.replied(answers) {
            Some(Reply::Side(side)) => side,
            _ => {
                let left = path.simplified(&mut self.terms, cond);
                let side = self.terms.constant64(left).ok_or(left)? != 0;
                self.reply(Reply::Side(side));
                side
            }
        };
        if self.watch.is_some() {
            self.was_decided(cond, side);
        }
        Ok(side)
    }

    /// The reply that the op at hand got at this point when it ran before.
    fn replied(&mut self, answers: &[Reply]) -> Option<Reply> {
        let reply = match self.cursor.checked_sub(answers.len()) {
            None => answers.get(self.cursor),
            Some(i) => self.fresh.get(i),
        };
        self.cursor += reply.is_some() as usize;
        reply.copied()
    }

    fn reply(&mut self, reply: Reply) {
        self.fresh.push(reply);
        self.cursor += 1;
    }

    /// A term simplified by the path condition, as it was when the op at hand asked first.
    pub(crate) fn value(&mut self, state: &State, t: Term) -> Term {
        if !self.has_diagrams(state) {
            return self.value_on(&state.answers, &state.path, t);
        }
        if self.terms.constant64(t).is_some() {
            return t;
        }
        if let Some(Reply::Value(t)) = self.replied(&state.answers) {
            return t;
        }
        let left = state.path.simplified(&mut self.terms, t);
        let left = self.diagrams.simplified(&mut self.terms, left, state.care);
        self.reply(Reply::Value(left));
        left
    }

    pub(crate) fn value_on(&mut self, answers: &[Reply], path: &PathCondition, t: Term) -> Term {
        if self.terms.constant64(t).is_some() {
            return t;
        }
        if let Some(Reply::Value(t)) = self.replied(answers) {
            return t;
        }
        let left = path.simplified(&mut self.terms, t);
        self.reply(Reply::Value(left));
        left
    }

    /// As [`PathCondition::bounds`], of the path as it was when the op at hand asked first.
    pub(crate) fn bounds(&mut self, state: &State, t: Term) -> (u64, u64) {
        if let Some(Reply::Bounds(least, most)) = self.replied(&state.answers) {
            return (least, most);
        }
        let (least, most) = state.path.bounds(&mut self.terms, t);
        self.reply(Reply::Bounds(least, most));
        (least, most)
    }

    /// True if a condition of the path is about several bytes of a term, on the path as it was when the op at hand asked first.
    pub(crate) fn is_linked(&mut self, state: &State, t: Term) -> bool {
        if let Some(Reply::Side(linked)) = self.replied(&state.answers) {
            return linked;
        }
        let linked = state.path.links(&mut self.terms, t);
        self.reply(Reply::Side(linked));
        linked
    }

    /// To be called when an op that decides is done.
    #[inline(always)]
    pub(crate) fn settled(&mut self, state: &mut State) {
        if self.cursor != 0 {
            self.settle(state);
        }
    }

    fn settle(&mut self, state: &mut State) {
        // The path has grown while the op was stopped.
        let grown = !state.answers.is_empty();
        state.answers.clear();
        self.fresh.clear();
        self.cursor = 0;
        self.counted.end(grown);
        // The path does not know what an arm has made concrete.
        let known = if state.is_arm() { 0 } else { self.learned.len() };
        for (t, v) in self.learned.drain(..).take(known) {
            state.path.learn(&mut self.terms, t, v);
        }
        if grown && state.path.has_rows() {
            let path = Rc::new(state.path.clone());
            state.settled = Some(path.clone());
            self.settled = Some(path);
        }
    }

    /// To be called when an op stops for a decision: the replies that it got on the way are kept.
    pub(crate) fn suspended(&mut self, state: &mut State) {
        state.answers.append(&mut self.fresh);
        self.cursor = 0;
        self.learned.clear();
        self.counted.end(false);
    }

    /// To be called when an op is to run again from its start with the first `kept` of the answers it was given.
    pub(crate) fn again(&mut self, state: &mut State, kept: usize) {
        self.suspended(state);
        state.answers.truncate(kept);
        self.racing.iter_mut().for_each(|racing| racing.accessed.clear());
    }

    /// The value of a term of at most 64 bits, one path for each value it can have.
    pub(crate) fn concrete_term(&mut self, state: &State, t: Term) -> Result<u64, Stop> {
        let value = self.concrete_on(&state.answers, &state.path, t);
        value.map_err(|cond| Stop::Decide { cond, assume: false })
    }

    /// As [`Engine::concrete_term`]; the error is the open decision.
    pub(crate) fn concrete_on(
        &mut self,
        answers: &[Reply],
        path: &PathCondition,
        t: Term,
    ) -> Result<u64, Term> {
        let whole = t;
        let mut t = self.value_on(answers, path, t);
        let mut leaves = self.few_values(t);
        while leaves.is_none() {
            t = match self.terms.node(t) {
                Node::Zext(x) => x,
                // A clamped value: once the bound is decided, the value itself is made concrete.
                Node::Ite(c, a, b)
                    if self.terms.constant64(a).is_some() || self.terms.constant64(b).is_some() =>
                {
                    if self.decided(answers, path, c)? { a } else { b }
                }
                _ => break,
            };
            leaves = self.few_values(t);
        }
        let value = match leaves {
            Some(leaves) => self.chosen(answers, path, t, &leaves)?,
            None => {
                let (lo, hi) = self.terms.range(t);
                self.halved(answers, path, t, lo, hi)?
            }
        };
        self.learned.push((t, value));
        if self.watch.is_some() {
            self.was_made(whole, value);
        }
        Ok(value)
    }

    /// The value of a 64-bit term among these rising ones: a decision each if they are few, else by halving, once it is
    /// `certain` or decided that it is one of them. `None`, a single path, if it is none of them.
    pub(crate) fn among(
        &mut self,
        state: &State,
        t: Term,
        values: &[u64],
        certain: bool,
    ) -> Result<Option<u64>, Stop> {
        let mut equal = Vec::with_capacity(values.len());
        for &v in values {
            let k = self.terms.constant_of(64, v.into());
            equal.push(self.terms.eq(t, k));
        }
        if values.len() <= FEW {
            for (i, (&v, is)) in values.iter().zip(equal).enumerate() {
                if certain && i + 1 == values.len() || self.decide(state, is)? {
                    return Ok(Some(v));
                }
            }
            return Ok(None);
        }
        if !certain {
            let any = self.any_of(equal).expect("there are more than a few");
            if !self.decide(state, any)? {
                return Ok(None);
            }
        }
        let mut left = values;
        while left.len() > 1 {
            let (low, high) = left.split_at(left.len() / 2);
            let k = self.terms.constant_of(64, high[0].into());
            let below = self.terms.ult(t, k);
            left = if self.decide(state, below)? { low } else { high };
        }
        Ok(left.first().copied())
    }

    /// The disjunction of these conditions, as a tree of little depth; `None` if there are none.
    pub(crate) fn any_of(&mut self, mut any: Vec<Term>) -> Option<Term> {
        while any.len() > 1 {
            any = any
                .chunks(2)
                .map(|pair| if let [a, b] = *pair { self.terms.or(a, b) } else { pair[0] })
                .collect();
        }
        any.first().copied()
    }

    fn chosen(
        &mut self,
        answers: &[Reply],
        path: &PathCondition,
        t: Term,
        leaves: &[u64],
    ) -> Result<u64, Term> {
        let w = self.terms.width(t);
        let (last, others) = leaves.split_last().expect("a choice has leaves");
        for &v in others {
            let k = self.terms.constant_of(w, v as u128);
            let cond = self.terms.eq(t, k);
            if self.decided(answers, path, cond)? {
                return Ok(v);
            }
        }
        Ok(*last)
    }

    /// As [`Engine::concrete_term`], for a term that is known to lie in `lo ..= hi` (unsigned).
    pub(crate) fn concrete_within(&mut self, state: &State, t: Term, lo: u64, hi: u64) -> Result<u64, Stop> {
        let value = self.halved(&state.answers, &state.path, t, lo, hi);
        let value = value.map_err(|cond| Stop::Decide { cond, assume: false })?;
        self.learned.push((t, value));
        if self.watch.is_some() {
            self.was_made(t, value);
        }
        Ok(value)
    }

    /// Halves `lo ..= hi` until one value is left. Each halving is a decision, so their number depends on the
    /// path and the term alone.
    fn halved(
        &mut self,
        answers: &[Reply],
        path: &PathCondition,
        t: Term,
        lo: u64,
        hi: u64,
    ) -> Result<u64, Term> {
        let (mut lo, mut hi) = (lo, hi);
        let w = self.terms.width(t);
        while lo < hi {
            let middle = lo + (hi - lo) / 2;
            let k = self.terms.constant_of(w, middle as u128);
            let cond = self.terms.ule(t, k);
            if self.decided(answers, path, cond)? {
                hi = middle;
            } else {
                lo = middle + 1;
            }
        }
        Ok(lo)
    }

    /// The constants that a choice among few chooses from, rising.
    pub(crate) fn few_values(&self, t: Term) -> Option<Vec<u64>> {
        let mut leaves = Vec::new();
        let mut todo = vec![t];
        let mut steps = 0;
        while let Some(t) = todo.pop() {
            steps += 1;
            match self.terms.node(t) {
                Node::Const(v) => leaves.push(v),
                Node::Ite(_, a, b) => todo.extend([a, b]),
                _ => return None,
            }
            if steps > 4 * FEW {
                return None;
            }
        }
        leaves.sort_unstable();
        leaves.dedup();
        if leaves.len() <= FEW { Some(leaves) } else { None }
    }

    /// A register of `w` bits as a term.
    pub(crate) fn term(&mut self, w: u8, r: Reg) -> Term {
        match r.term() {
            Some(t) => t,
            None => self.terms.constant_of(w, r.value as u128),
        }
    }

    /// A term of at most 64 bits as a register's contents.
    #[inline]
    pub(crate) fn reg(&mut self, t: Term) -> Reg {
        let t = self.settled_term(t);
        match self.terms.constant64(t) {
            Some(v) => Reg::known(v),
            None => Reg::symbolic(t),
        }
    }

    /// Simplifies a term by the enumerated models of the path, as it was when the op at hand began. A term that they leave one
    /// value becomes a constant, which costs no more than a known value. A term of many steps becomes the entry of a table, if
    /// it is on one byte or the path lists few values of its bytes; that costs no more than a short term.
    #[inline(always)]
    pub(crate) fn settled_term(&mut self, t: Term) -> Term {
        if self.settled.is_none() && !self.terms.is_deep(t) { t } else { self.settle_term(t) }
    }

    fn settle_term(&mut self, t: Term) -> Term {
        if self.terms.constant(t).is_some() {
            return t;
        }
        if let Some(path) = &self.settled
            && let Some(v) = path.one_of_few(&mut self.terms, t)
        {
            return self.terms.constant_of(self.terms.width(t), v);
        }
        if !self.terms.is_deep(t) {
            return t;
        }
        let entry = self.terms.by_byte(t);
        let of_rows = || self.settled.as_ref()?.by_row(&mut self.terms, t);
        entry.or_else(of_rows).unwrap_or(t)
    }

    /// Decides a branch: where arms are joined its condition splits the path.
    pub(crate) fn decide_branch(&mut self, state: &State, cond: Term) -> Result<bool, Stop> {
        match self.decide(state, cond) {
            Err(Stop::Decide { cond, assume: false }) if self.merges(state) => Err(Stop::Branch(cond)),
            result => result,
        }
    }
}
