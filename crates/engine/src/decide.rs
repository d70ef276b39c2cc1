//! Decisions of the op at hand, and values made concrete by decisions.

use cleave_expr::{Node, Term};

use crate::engine::Engine;
use crate::state::{Reg, State};
use crate::stop::Stop;

/// A choice among at most this many constants is decided constant by constant.
const FEW: usize = 16;

impl Engine {
    /// Which way `cond` goes on this path.
    pub(crate) fn decide(&mut self, state: &State, cond: Term) -> Result<bool, Stop> {
        self.decide_or(state, cond, false)
    }

    /// As [`Engine::decide`]; with `assume` only the true side is a path.
    pub(crate) fn decide_or(&mut self, state: &State, cond: Term, assume: bool) -> Result<bool, Stop> {
        if let Some(v) = self.terms.constant64(cond) {
            return Ok(v != 0);
        }
        match state.answers.get(self.cursor) {
            Some(&side) => {
                self.cursor += 1;
                Ok(side)
            }
            None => Err(Stop::Decide { cond, assume }),
        }
    }

    /// To be called when an op that decides is done.
    #[inline(always)]
    pub(crate) fn settled(&mut self, state: &mut State) {
        if !state.answers.is_empty() {
            state.answers.clear();
            self.cursor = 0;
        }
    }

    /// The value of a register, one path for each it can have.
    pub(crate) fn concrete(&mut self, state: &State, r: Reg) -> Result<u64, Stop> {
        match r.term {
            None => Ok(r.value),
            Some(t) => self.concrete_term(state, t),
        }
    }

    /// The value of a term of at most 64 bits, one path for each value it can have.
    pub(crate) fn concrete_term(&mut self, state: &State, t: Term) -> Result<u64, Stop> {
        if let Some(leaves) = self.few_values(t) {
            let last = leaves.len() - 1;
            for &v in &leaves[..last] {
                let w = self.terms.width(t);
                let k = self.terms.constant_of(w, v as u128);
                let cond = self.terms.eq(t, k);
                if self.decide(state, cond)? {
                    return Ok(v);
                }
            }
            return Ok(leaves[last]);
        }
        let (lo, hi) = self.terms.range(t);
        self.concrete_within(state, t, lo, hi)
    }

    /// As [`Engine::concrete_term`], for a term that is known to lie in `lo ..= hi` (unsigned): halves that
    /// until one value is left. Each halving is a decision, so their number depends on the term alone.
    pub(crate) fn concrete_within(&mut self, state: &State, t: Term, lo: u64, hi: u64) -> Result<u64, Stop> {
        let (mut lo, mut hi) = (lo, hi);
        let w = self.terms.width(t);
        while lo < hi {
            let middle = lo + (hi - lo) / 2;
            let k = self.terms.constant_of(w, middle as u128);
            let cond = self.terms.ule(t, k);
            if self.decide(state, cond)? {
                hi = middle;
            } else {
                lo = middle + 1;
            }
        }
        Ok(lo)
    }

    /// The constants that a choice among few chooses from, rising.
    fn few_values(&self, t: Term) -> Option<Vec<u64>> {
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
        match r.term {
            Some(t) => t,
            None => self.terms.constant_of(w, r.value as u128),
        }
    }

    /// A term as a register's contents.
    #[inline]
    pub(crate) fn reg(&self, t: Term) -> Reg {
        match self.terms.constant64(t) {
            Some(v) => Reg::known(v),
            None => Reg { value: 0, term: Some(t) },
        }
    }
}
