//! Reads at an offset that is a term of what was written at such offsets.
//!
//! After `a[k] = c` each byte of `a` is `k == place ? c : what it was`. To read `a[i]` is to choose among all of these,
//! a term as large as the object, and so is each question about it. But it is no more than `i == k ? c : old[i]`.

use crate::terms::{BinaryOp, Node, Term, Terms};

/// A write of `value` to the place `to + apart`, where `read` is the one that is read; all of one width.
#[derive(Clone, Copy)]
struct Write {
    to: Term,
    apart: u64,
    read: Term,
    value: Term,
}

impl Terms {
    /// What is read at `offset` where the places from `first` on, `stride` (a power of two) apart, hold `values`, one or
    /// more; `offset` is one of these places.
    pub fn selected(&mut self, offset: Term, first: u64, stride: u64, mut values: Vec<Term>) -> Term {
        let mut heres = Vec::with_capacity(values.len());
        for i in 0..values.len() as u64 {
            let place = self.constant_of(64, (first + i * stride) as u128);
            heres.push(self.eq(offset, place));
        }
        let mut written = Vec::new();
        while let Some((here, value, before)) = self.last_write(&heres, &values) {
            written.push((here, value));
            values = before;
        }
        let known: Option<Vec<u64>> = values.iter().map(|&v| self.constant64(v)).collect();
        let mut t = match known {
            Some(entries) => self.table_entry(offset, first, stride, self.width(values[0]), &entries),
            None => {
                let mut choices = values.iter().zip(&heres);
                let last = choices.next().map(|(&value, _)| value).expect("there is a place to read");
                choices.fold(last, |t, (&value, &here)| self.ite(here, value, t))
            }
        };
        for (here, value) in written.into_iter().rev() {
            t = self.ite(here, value, t);
        }
        t
    }

    /// The entry of a table of known values at `offset`: see [`Terms::selected`].
    pub fn table_entry(&mut self, offset: Term, first: u64, stride: u64, width: u8, entries: &[u64]) -> Term {
        let id = self.intern_table(width, entries);
        let start = self.constant_of(64, first as u128);
        let from_first = self.sub(offset, start);
        let shift = self.constant_of(64, stride.trailing_zeros() as u128);
        let index = self.binary(BinaryOp::LShr, from_first, shift);
        self.table(id, index)
    }

    /// The last write at a symbolic offset to places that hold `values`, where `heres` say that they are read: that it
    /// went to the place that is read, what it wrote, and what the places held before.
    fn last_write(&mut self, heres: &[Term], values: &[Term]) -> Option<(Term, Term, Vec<Term>)> {
        let places = || values.iter().zip(heres);
        // Where a place held what was written there is nothing to be seen of that write, but perhaps of one before.
        let first = places().find_map(|(&held, &here)| self.write_to(held, here))?;
        let last = places().rev().find_map(|(&held, &here)| self.write_to(held, here))?;
        [first, last].into_iter().find_map(|write| self.undone(write, heres, values))
    }

    /// What may be a write to a place, which holds `held` and is read if `here`.
    fn write_to(&self, held: Term, here: Term) -> Option<Write> {
        let Node::Ite(cond, value, _) = self.node(held) else { return None };
        let ((read, place), (to, written)) = (self.is_at(here)?, self.is_at(cond)?);
        let w = self.width(to);
        let apart = self.constant64(place)?.wrapping_sub(self.constant64(written)?);
        (w == self.width(read)).then_some(Write { to, apart, read, value })
    }

    /// As [`Terms::last_write`], if all of `values` are what `write` has left.
    fn undone(&mut self, write: Write, heres: &[Term], values: &[Term]) -> Option<(Term, Term, Vec<Term>)> {
        let Write { to, apart, read, value } = write;
        let apart = self.constant_of(self.width(to), apart as u128);
        let mut before = Vec::with_capacity(values.len());
        for (&held, &here) in values.iter().zip(heres) {
            if self.constant64(here) == Some(0) {
                before.push(held); // it is never read
                continue;
            }
            let (_, place) = self.is_at(here).filter(|at| at.0 == read)?;
            let written = self.sub(place, apart);
            let hit = self.eq(to, written);
            before.push(match self.node(held) {
                Node::Ite(cond, new, old) if cond == hit && new == value => old,
                // Of `hit ? c : c` and `false ? c : x` nothing is to be seen.
                _ if held == value || self.constant64(hit) == Some(0) => held,
                _ => return None,
            });
        }
        let to = self.add(to, apart);
        Some((self.eq(to, read), value, before))
    }

    /// A condition as `term == constant`.
    fn is_at(&self, cond: Term) -> Option<(Term, Term)> {
        match self.node(cond) {
            Node::Binary(BinaryOp::Eq, a, b) if self.constant64(b).is_some() => Some((a, b)),
            Node::Binary(BinaryOp::Eq, a, b) if self.constant64(a).is_some() => Some((b, a)),
            _ => None,
        }
    }
}
