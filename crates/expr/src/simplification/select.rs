//! Reads at symbolic offsets of arrays that were written at symbolic offsets. The engine's memory calls it.
//!
//! After `a[k] = c` each byte of `a` is `k == place ? c : old`. A read of `a[i]` as a choice among all bytes would be
//! a term as large as the object, and so would each query about it. The read is simplified to `i == k ? c : old[i]`.
//! After a copy of `n` bytes each byte is `place < n ? new : old`, and the read is `i < n ? new[i] : old[i]`.

use crate::evaluation::semantics::mask64;
use crate::policy::paths;
use crate::store::histories::{Array, Fill, History, Write};
use crate::store::term::{BinaryOp, ByteId, Node, TableId, Term};
use crate::store::terms::Terms;

/// A change of an array; a copy or fill also has the data that it wrote.
enum Step<T> {
    Write(Write),
    Fill(Fill, T),
}

impl Terms {
    /// The value at `offset` of an array whose places from `first` on, `stride` (a power of two) apart, hold `values`, one or
    /// more; `offset` must be one of these places.
    pub fn selected(&mut self, offset: Term, first: u64, stride: u64, values: Vec<Term>) -> Term {
        let id = self.history(Array { first, stride, values: values.into() });
        self.read(id, offset, first, stride)
    }

    /// Number of places that [`Terms::selected`] would have to distinguish to read one of these values; 0 if all values are
    /// constants, except for writes at symbolic offsets and lengths.
    pub fn told_apart(&mut self, first: u64, stride: u64, values: &[Term]) -> usize {
        let mut id = self.history(Array { first, stride, values: values.into() });
        let mut most = 0;
        loop {
            match &self.histories.all[id as usize] {
                History::Written(_, before) => id = *before,
                History::Filled(_, new, before) => {
                    if let History::Unknown(values) = &self.histories.all[*new as usize] {
                        most = most.max(values.len());
                    }
                    id = *before;
                }
                History::Known(_) => return most,
                History::Unknown(values) => return most.max(values.len()),
            }
        }
    }

    /// The value at `offset` of an array with this history.
    fn read(&mut self, mut id: u32, offset: Term, first: u64, stride: u64) -> Term {
        let mut steps = Vec::new();
        let mut t = loop {
            match self.histories.all[id as usize].clone() {
                History::Written(write, before) => {
                    steps.push(Step::Write(write));
                    id = before;
                }
                History::Filled(fill, new, before) => {
                    let new = self.read(new, offset, first, stride);
                    steps.push(Step::Fill(fill, new));
                    id = before;
                }
                History::Known(table) => break self.entry(table, offset, first, stride),
                History::Unknown(values) => break self.choice(offset, Array { first, stride, values }),
            }
        };
        for step in steps.into_iter().rev() {
            let (here, value) = match step {
                Step::Write(Write { to, apart, shift, value }) => {
                    let w = self.width(to);
                    let (read, apart) = (self.extract(offset, shift, w), self.constant_of(w, apart.into()));
                    let from = self.sub(read, apart);
                    (self.eq(to, from), value)
                }
                Step::Fill(Fill { length, start, last }, new) => {
                    let [start, last] = [start, last].map(|place| self.constant_of(64, place.into()));
                    let (from, length) = (self.sub(offset, start), self.zext(length, 64));
                    let (behind, before) = (self.ule(start, offset), self.ule(offset, last));
                    let (inside, near) = (self.and(behind, before), self.ult(from, length));
                    (self.and(inside, near), new)
                }
            };
            t = self.ite(here, value, t);
        }
        t
    }

    /// The entry of a table of constants at `offset`; see [`Terms::selected`].
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

    /// The value at `offset` of an array as a choice among all its places.
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
        let mut steps = Vec::new();
        let mut id = loop {
            if let Some(&known) = self.histories.of.get(&array) {
                break known;
            }
            let (step, before) = if let Some((write, before)) = self.last_write(&array) {
                (Step::Write(write), before)
            } else if let Some((fill, new, before)) = self.last_fill(&array) {
                let new = self.history(Array { values: new.into(), ..array });
                (Step::Fill(fill, new), before)
            } else {
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
            steps.push((after, step));
        };
        for (after, step) in steps.into_iter().rev() {
            let history = match step {
                Step::Write(write) => History::Written(write, id),
                Step::Fill(fill, new) => History::Filled(fill, new, id),
            };
            id = self.histories.add(after, history);
        }
        id
    }

    /// The last write at a symbolic offset to an array, and the values before it.
    fn last_write(&mut self, array: &Array) -> Option<(Write, Vec<Term>)> {
        // A place that already held the written value shows no trace of the write, but perhaps of an earlier one.
        let first = array.places().find(|&(_, held)| self.is_choice_of_place(held))?;
        let last = array.places().rev().find(|&(_, held)| self.is_choice_of_place(held))?;
        let mut writes = Vec::new();
        for at in if first == last { vec![first] } else { vec![first, last] } {
            self.writes_to(at, array.stride.trailing_zeros(), &mut writes);
        }
        writes.into_iter().find_map(|write| Some((write, self.undone(write, array)?)))
    }

    /// True if a place may have been written at a symbolic offset.
    fn is_choice_of_place(&self, held: Term) -> bool {
        self.condition_of(held).is_some_and(|cond| self.is_at(cond).is_some())
    }

    /// The condition of a term that is a choice; for concatenated choices that of the lowest byte.
    fn condition_of(&self, held: Term) -> Option<Term> {
        match self.node(held) {
            Node::Ite(cond, ..) => Some(cond),
            Node::Binary(BinaryOp::Concat, high, low) => {
                self.condition_of(low).or_else(|| self.condition_of(high))
            }
            _ => None,
        }
    }

    /// Collects possible writes to a place.
    fn writes_to(&mut self, (place, held): (u64, Term), stride: u32, writes: &mut Vec<Write>) {
        let Some(cond) = self.condition_of(held) else { return };
        let (Some(parts), Some((value, _))) = (self.is_at(cond), self.sides(held, cond)) else { return };
        if parts.iter().map(|&(t, _)| u32::from(self.width(t))).sum::<u32>() > 64 {
            return;
        }
        let upside_down = parts.iter().rev().copied().collect();
        let orders = if parts.len() == 1 { vec![parts] } else { vec![parts, upside_down] };
        for parts in orders {
            let (mut to, mut written) = parts[0];
            for &(low, number) in &parts[1..] {
                written = written << self.width(low) | number;
                to = self.concat(to, low);
            }
            let w = self.width(to);
            let shifts = if stride == 0 { &[0][..] } else { &[0, stride] };
            for &shift in shifts.iter().filter(|&shift| u32::from(w) + shift <= 64) {
                let apart = (place >> shift).wrapping_sub(written) & mask64(w);
                writes.push(Write { to, apart, shift, value });
            }
        }
    }

    /// The values of an array before a write; `None` if its values cannot be the result of that write.
    fn undone(&mut self, Write { to, apart, shift, value }: Write, array: &Array) -> Option<Vec<Term>> {
        let w = self.width(to);
        let mut before = Vec::with_capacity(array.values.len());
        for (place, held) in array.places() {
            let written = self.constant_of(w, (place >> shift).wrapping_sub(apart).into());
            let hit = self.eq(to, written);
            let choice = if held == value { None } else { self.sides(held, hit) };
            before.push(match choice {
                Some((new, old)) if new == value => old,
                // `hit ? c : c` and `false ? c : x` are simplified: they show no trace.
                _ if held == value || self.constant64(hit) == Some(0) => held,
                _ => return None,
            });
        }
        // If nothing changes, the write can hit no place: it is none.
        (before[..] != *array.values).then_some(before)
    }

    /// The last copy or fill of a symbolic length, the data that it wrote, and the values before it. The data must not have a
    /// history itself: with copies of copies the size of a read would double with each.
    fn last_fill(&mut self, array: &Array) -> Option<(Fill, Vec<Term>, Vec<Term>)> {
        let mut fills: Vec<Fill> = Vec::new();
        for (place, held) in array.places() {
            let Some((length, start)) = self.fill_to(place, held) else { continue };
            match fills.iter().position(|fill| fill.length == length && fill.start == start) {
                Some(i) => fills[i].last = place,
                None if fills.len() == paths::FILLS => return None,
                None => fills.push(Fill { length, start, last: place }),
            }
        }
        fills.into_iter().find_map(|fill| {
            let (new, old) = self.unfilled(fill, array)?;
            Some((fill, new, old))
        })
    }

    /// The length and the start of a possible copy or fill to this place and others.
    fn fill_to(&self, place: u64, held: Term) -> Option<(Term, u64)> {
        match self.node(held) {
            Node::Ite(cond, ..) => {
                let Node::Binary(BinaryOp::Ult, index, length) = self.node(cond) else { return None };
                Some((length, place.wrapping_sub(self.constant64(index)?)))
            }
            Node::Binary(BinaryOp::Concat, high, low) => {
                self.fill_to(place, low).or_else(|| self.fill_to(place, high))
            }
            _ => None,
        }
    }

    /// The data of a copy or fill and the values of an array before it; `None` if its values cannot be the result of it.
    fn unfilled(
        &mut self,
        Fill { length, start, last }: Fill,
        array: &Array,
    ) -> Option<(Vec<Term>, Vec<Term>)> {
        let w = self.width(length);
        let (mut new, mut old) = (Vec::new(), Vec::new());
        let mut seen = false;
        for (place, held) in array.places() {
            let index = place.wrapping_sub(start);
            // A place before the start, or behind all places that were or can be written.
            let outside = place < start || place > last || index > mask64(w);
            let here = if outside {
                self.bool(false)
            } else {
                let index = self.constant_of(w, index.into());
                self.ult(index, length)
            };
            let (cond, not) = match self.node(here) {
                Node::Not(not_here) => (not_here, true),
                _ => (here, false),
            };
            let sides = match self.node(held) {
                // The copy does not reach this place: its data is never read there.
                _ if self.constant(here) == Some(0) => (self.constant_of(self.width(held), 0), held),
                // The choice was simplified: it shows no trace.
                _ if self.is_constant(here) => (held, held),
                Node::Ite(..) | Node::Binary(BinaryOp::Concat, ..) => {
                    let (yes, no) = self.sides(held, cond)?;
                    seen = true;
                    if not { (no, yes) } else { (yes, no) }
                }
                // The copy wrote the value that was there.
                _ => (held, held),
            };
            if self.fill_to(place, sides.0).is_some() || self.is_choice_of_place(sides.0) {
                return None;
            }
            new.push(sides.0);
            old.push(sides.1);
        }
        seen.then_some((new, old))
    }

    /// The values of a term if a condition holds and if it does not, for a choice by it or a concatenation of such choices.
    fn sides(&mut self, t: Term, cond: Term) -> Option<(Term, Term)> {
        match self.node(t) {
            Node::Ite(c, a, b) if c == cond => Some((a, b)),
            Node::Const(_) => Some((t, t)),
            Node::Binary(BinaryOp::Concat, high, low) => {
                let ((a, b), (x, y)) = (self.sides(high, cond)?, self.sides(low, cond)?);
                Some((self.concat(a, x), self.concat(b, y)))
            }
            _ => None,
        }
    }

    /// A condition as `term == constant`. A term of several parts, each compared separately, is given as these parts, the
    /// highest or the lowest first.
    fn is_at(&self, cond: Term) -> Option<Vec<(Term, u64)>> {
        let mut parts = Vec::new();
        self.compared(cond, &mut parts)?;
        if parts.len() > 2 || parts.iter().all(|&(t, _)| self.bits_of_byte(t).is_some()) {
            // Ids of bytes depend on which path used one first; their positions do not.
            let place =
                |&(t, _): &(Term, u64)| self.bits_of_byte(t).map(|(id, low)| (self.byte_position(id), low));
            let places: Option<Vec<_>> = parts.iter().map(place).collect();
            let mut placed: Vec<_> = places?.into_iter().zip(parts).collect();
            placed.sort_by_key(|&(place, _)| std::cmp::Reverse(place));
            parts = placed.into_iter().map(|(_, part)| part).collect();
        }
        Some(parts)
    }

    /// The comparisons with constants whose conjunction a condition is; at most eight.
    pub(crate) fn compared(&self, cond: Term, parts: &mut Vec<(Term, u64)>) -> Option<()> {
        match self.node(cond) {
            Node::Binary(BinaryOp::And, a, b) => {
                self.compared(a, parts)?;
                self.compared(b, parts)
            }
            Node::Binary(BinaryOp::Eq, a, b) if parts.len() < paths::COMPARED_PARTS => {
                parts.push(match (self.constant64(a), self.constant64(b)) {
                    (_, Some(v)) => (a, v),
                    (Some(v), None) => (b, v),
                    (None, None) => return None,
                });
                Some(())
            }
            _ => None,
        }
    }

    /// The input byte and the lowest bit of a term that is bits of one byte.
    fn bits_of_byte(&self, t: Term) -> Option<(ByteId, u32)> {
        match self.node(t) {
            Node::Byte(byte) => Some((byte, 0)),
            Node::Extract(whole, low) => match self.node(whole) {
                Node::Byte(byte) => Some((byte, low)),
                _ => None,
            },
            _ => None,
        }
    }
}
