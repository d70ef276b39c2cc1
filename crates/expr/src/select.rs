//! Reads at an offset that is a term of what was written at such offsets.
//!
//! After `a[k] = c` each byte of `a` is `k == place ? c : what it was`. To read `a[i]` is to choose among all of these,
//! a term as large as the object, and so is each question about it. But it is no more than `i == k ? c : old[i]`.

use crate::histories::{Array, History, Write};
use crate::semantics::mask64;
use crate::term::{BinaryOp, Node, TableId, Term};
use crate::terms::Terms;

impl Terms {
    /// What is read at `offset` where the places from `first` on, `stride` (a power of two) apart, hold `values`, one or
    /// more; `offset` is one of these places.
    pub fn selected(&mut self, offset: Term, first: u64, stride: u64, values: Vec<Term>) -> Term {
        let mut id = self.history(Array { first, stride, values: values.into() });
        let mut writes = Vec::new();
        let mut t = loop {
            match self.histories.all[id as usize].clone() {
                History::Written(write, before) => {
                    writes.push(write);
                    id = before;
                }
                History::Known(table) => break self.entry(table, offset, first, stride),
                History::Unknown(values) => break self.choice(offset, Array { first, stride, values }),
            }
        };
        for Write { to, apart, value } in writes.into_iter().rev() {
            let w = self.width(to);
            let (read, apart) = (self.extract(offset, 0, w), self.constant_of(w, apart.into()));
            let from = self.sub(read, apart);
            let here = self.eq(to, from);
            t = self.ite(here, value, t);
        }
        t
    }

    /// The entry of a table of known values at `offset`: see [`Terms::selected`].
    pub fn table_entry(&mut self, offset: Term, first: u64, stride: u64, width: u8, entries: &[u64]) -> Term {
        let table = self.intern_table(width, entries);
        self.entry(table, offset, first, stride)
    }

    fn entry(&mut self, table: TableId, offset: Term, first: u64, stride: u64) -> Term {
        let start = self.constant_of(64, first as u128);
        let from_first = self.sub(offset, start);
        let shift = self.constant_of(64, stride.trailing_zeros() as u128);
        let index = self.binary(BinaryOp::LShr, from_first, shift);
        self.table(table, index)
    }

    /// What an array holds at `offset`, place for place.
    fn choice(&mut self, offset: Term, array: Array) -> Term {
        let last = array.values[0];
        array.places().skip(1).fold(last, |t, (place, value)| {
            let place = self.constant_of(64, place.into());
            let here = self.eq(offset, place);
            self.ite(here, value, t)
        })
    }

    /// The number of an array's history.
    fn history(&mut self, mut array: Array) -> u32 {
        let mut written = Vec::new();
        let mut id = loop {
            if let Some(&known) = self.histories.of.get(&array) {
                break known;
            }
            let Some((write, before)) = self.last_write(&array) else {
                let values: Option<Vec<u64>> = array.values.iter().map(|&v| self.constant64(v)).collect();
                let history = match values {
                    Some(entries) => {
                        let width = self.width(array.values[0]);
                        History::Known(self.intern_table(width, &entries))
                    }
                    None => History::Unknown(array.values.clone()),
                };
                break self.histories.add(array, history);
            };
            let before = Array { values: before.into(), ..array };
            let after = std::mem::replace(&mut array, before);
            written.push((after, write));
        };
        for (after, write) in written.into_iter().rev() {
            id = self.histories.add(after, History::Written(write, id));
        }
        id
    }

    /// The last write at a symbolic offset to an array, and what was held before.
    fn last_write(&mut self, array: &Array) -> Option<(Write, Vec<Term>)> {
        // Where a place held what was written there is nothing to be seen of that write, but perhaps of one before.
        let first = array.places().find_map(|at| self.write_to(at))?;
        let last = array.places().rev().find_map(|at| self.write_to(at))?;
        [first, last].into_iter().find_map(|write| Some((write, self.undone(write, array)?)))
    }

    /// What may be a write to a place.
    fn write_to(&self, (place, held): (u64, Term)) -> Option<Write> {
        let Node::Ite(cond, value, _) = self.node(held) else { return None };
        let (to, written) = self.is_at(cond)?;
        Some(Write { to, apart: place.wrapping_sub(written) & mask64(self.width(to)), value })
    }

    /// What an array held before a write, if all that it holds is what that has left.
    fn undone(&mut self, Write { to, apart, value }: Write, array: &Array) -> Option<Vec<Term>> {
        let w = self.width(to);
        let mut before = Vec::with_capacity(array.values.len());
        for (place, held) in array.places() {
            let written = self.constant_of(w, place.wrapping_sub(apart).into());
            let hit = self.eq(to, written);
            before.push(match self.node(held) {
                Node::Ite(cond, new, old) if cond == hit && new == value => old,
                // Of `hit ? c : c` and `false ? c : x` nothing is to be seen.
                _ if held == value || self.constant64(hit) == Some(0) => held,
                _ => return None,
            });
        }
        Some(before)
    }

    /// A condition as `term == constant`.
    fn is_at(&self, cond: Term) -> Option<(Term, u64)> {
        match self.node(cond) {
            Node::Binary(BinaryOp::Eq, a, b) => match (self.constant64(a), self.constant64(b)) {
                (_, Some(v)) => Some((a, v)),
                (Some(v), None) => Some((b, v)),
                (None, None) => None,
            },
            _ => None,
        }
    }
}
