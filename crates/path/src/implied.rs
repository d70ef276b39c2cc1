//! Simplification implied by the path condition: parts of a term that have one value on the path are replaced by it.
//!
//! A compiler turns `w > l ? a : b` into a value without a branch, and the program tests that value again after the
//! path has decided the condition. With the decided conditions replaced, the value is a constant and needs no query.
//! The result is a function of the path and the term alone. The engine calls it before it asks the solver.

use cleave_expr::{BinaryOp, ByteSet, Node, Note, Support, Term, TermMap, Terms, mask};

use crate::condition::PathCondition;
use crate::lookup::Lookup;
use crate::policy::listing;

impl PathCondition {
    /// The value of `cond` (one bit) if the path has decided it, as far as that can be seen without a search: it or its
    /// opposite is assumed, or the values left to its only byte decide it.
    pub fn known(&self, terms: &mut Terms, cond: Term) -> Option<bool> {
        match terms.support(cond) {
            Support::None => terms.constant64(cond).map(|v| v != 0),
            Support::One(id) => {
                let domain = self.domain(id);
                if domain == ByteSet::FULL {
                    return None; // a term that has one value for all values of its byte is rare
                }
                let set = terms.byte_set(cond)?;
                let left = domain.intersect(&set);
                if left == domain {
                    Some(true)
                } else if left.is_empty() {
                    Some(false)
                } else {
                    None
                }
            }
            Support::Many => {
                // All bytes of an assumed condition are in one component, so any of them finds it.
                let mut lookup = self.lookup.borrow_mut();
                lookup.begin();
                self.assumed(terms, &mut lookup, cond)
            }
        }
    }

    /// The value of a condition on several bytes if it or its opposite is assumed.
    fn assumed(&self, terms: &mut Terms, lookup: &mut Lookup, cond: Term) -> Option<bool> {
        if !terms.is_noted(cond, Note::Assumed) {
            return None;
        }
        let slot = self.component_of(terms.some_byte(cond)?)?;
        let opposite = terms.not(cond);
        lookup.assumed(slot, self.component(slot)?, cond, opposite)
    }

    /// Records that `t` has only this value under the assumptions, as after it was made concrete. A term from which `t`
    /// is made by invertible steps then has one value too.
    pub fn learn(&mut self, terms: &mut Terms, t: Term, value: u64) {
        let (mut t, mut value) = (t, value);
        loop {
            if terms.support(t) != Support::Many {
                return;
            }
            if let Some(id) = terms.some_byte(t) {
                terms.note(t, Note::HasValue);
                self.note_value(id, t, value);
            }
            let w = terms.width(t);
            (t, value) = match terms.node(t) {
                Node::Zext(x) | Node::Sext(x) => (x, value & mask(terms.width(x)) as u64),
                Node::Not(x) => (x, !value & mask(w) as u64),
                Node::Binary(BinaryOp::Add, x, k) if w <= 64 => match terms.constant64(k) {
                    Some(k) => (x, value.wrapping_sub(k) & mask(w) as u64),
                    None => return,
                },
                Node::Binary(BinaryOp::Sub, k, x) if w <= 64 => match terms.constant64(k) {
                    Some(k) => (x, k.wrapping_sub(value) & mask(w) as u64),
                    None => return,
                },
                _ => return,
            };
        }
    }

    /// Returns true if a condition on several bytes concerns one of the bytes of `t`.
    pub fn links(&self, terms: &mut Terms, t: Term) -> bool {
        terms.bytes_of(t).iter().any(|&id| self.component_of(id).is_some())
    }

    /// `t` with everything that the path has decided replaced by its value: conditions, bytes, and terms that were made
    /// concrete.
    pub fn simplified(&self, terms: &mut Terms, t: Term) -> Term {
        if self.is_empty() {
            return t;
        }
        if let Some(found) = self.by_rows(terms, t) {
            return found;
        }
        if terms.width(t) == 1
            && let Some(v) = self.known(terms, t)
        {
            return terms.bool(v);
        }
        if self.concerns(terms, t) { self.rebuilt(terms, t).unwrap_or(t) } else { t }
    }

    /// Returns true if a part of `t` may have one value on the path.
    fn concerns(&self, terms: &mut Terms, t: Term) -> bool {
        match terms.support(t) {
            Support::None => false,
            Support::One(id) => {
                let domain = self.domain(id);
                domain.len() == 1 || (domain != ByteSet::FULL && terms.has_conditions(t))
            }
            Support::Many => {
                terms.has_conditions(t)
                    || terms.bytes_of(t).iter().any(|&id| {
                        self.domain(id).len() == 1
                            || self
                                .component_of(id)
                                .and_then(|slot| self.component(slot))
                                .is_some_and(|c| c.models.is_some() || c.values.iter().next().is_some())
                    })
            }
        }
    }

    /// The value of a part if the path leaves it only one; the part itself if it is known to have several.
    fn one_value(&self, terms: &mut Terms, lookup: &mut Lookup, part: Term) -> Option<Term> {
        if let Some(found) = self.by_rows(terms, part) {
            return Some(found);
        }
        let w = terms.width(part);
        if w == 1 {
            let v = match terms.support(part) {
                Support::Many => self.assumed(terms, lookup, part)?,
                _ => self.known(terms, part)?,
            };
            return Some(terms.bool(v));
        }
        let v = match terms.support(part) {
            Support::None => return None,
            Support::One(id) if terms.node(part) == Node::Byte(id) => {
                let domain = self.domain(id);
                if domain.len() != 1 {
                    return None;
                }
                domain.first()? as u64
            }
            Support::One(_) => return None,
            Support::Many => {
                if !terms.is_noted(part, Note::HasValue) {
                    return None;
                }
                let slot = self.component_of(terms.some_byte(part)?)?;
                lookup.value(slot, self.component(slot)?, part)?
            }
        };
        Some(terms.constant_of(w, v as u128))
    }

    /// Rebuilds `t` part by part, operands first; `None` if there are too many parts.
    fn rebuilt(&self, terms: &mut Terms, t: Term) -> Option<Term> {
        let mut done = terms.lend_map();
        let found = self.rebuilt_in(terms, t, &mut done);
        terms.take_back(done);
        found
    }

    fn rebuilt_in(&self, terms: &mut Terms, t: Term, done: &mut TermMap) -> Option<Term> {
        let mut lookup = self.lookup.borrow_mut();
        lookup.begin();
        let mut todo = vec![t];
        while let Some(&part) = todo.last() {
            if done.get(part).is_some() {
                todo.pop();
                continue;
            }
            if done.len() + todo.len() > listing::KNOWN_PARTS {
                return None;
            }
            if let Some(v) = self.one_value(terms, &mut lookup, part) {
                done.insert(part, v);
                todo.pop();
                continue;
            }
            let before = todo.len();
            todo.extend(terms.children(part).filter(|c| done.get(*c).is_none()));
            if todo.len() == before {
                todo.pop();
                let new = with_parts(terms, part, done);
                // The rebuilt part may itself be decided.
                let value = if new == part { None } else { self.one_value(terms, &mut lookup, new) };
                done.insert(part, value.unwrap_or(new));
            }
        }
        done.get(t)
    }
}

/// `t` rebuilt from its replaced operands.
fn with_parts(terms: &mut Terms, t: Term, done: &TermMap) -> Term {
    let new = |x: Term| done.get(x).unwrap_or(x);
    if terms.children(t).all(|c| new(c) == c) {
        return t;
    }
    let w = terms.width(t);
    match terms.node(t) {
        Node::Const(_) | Node::WideConst(_) | Node::Byte(_) => t,
        Node::Not(a) => terms.not(new(a)),
        Node::Binary(op, a, b) => terms.binary(op, new(a), new(b)),
        Node::Ite(c, a, b) => terms.ite(new(c), new(a), new(b)),
        Node::Extract(a, low) => terms.extract(new(a), low, w),
        Node::Zext(a) => terms.zext(new(a), w),
        Node::Sext(a) => terms.sext(new(a), w),
        Node::Table(id, a) => terms.table(id, new(a)),
        Node::Float(op, ..) => {
            let operands: Vec<Term> = terms.children(t).map(new).collect();
            terms.float(op, w, &operands)
        }
    }
}
