//! Loads and stores, of values and at addresses that need not be known: `step.rs` does those of known ones itself.

use cleave_expr::Term;
use cleave_memory::{Byte, Fault, Kind, Object, Shade, Shadow};
use cleave_region::BugKind;

use crate::engine::Engine;
use crate::limits::Limit;
use crate::memory::nested_reads::Untangled;
use crate::memory::pointers::{AccessTarget, Places};
use crate::states::state::{Reg, State};
use crate::stop::{End, Stop};
use crate::undefined::shaded_memory::{birth_of, mixed};
use crate::undefined::shades::Cause;

/// A value that is read, and its undefined bits if it has some.
type Value = (Term, Option<(Term, Cause)>);

impl Engine {
    /// The value of `w` bits (at most 64) at `addr + off`.
    pub(crate) fn load(&mut self, state: &State, addr: Reg, off: i32, w: u8) -> Result<Reg, Stop> {
        let (t, shade) = self.load_term(state, addr, off, w)?;
        Ok(self.reg(t).with_shade(shade))
    }

    /// As [`Engine::load`], of any width, as a term and its shade.
    pub(crate) fn load_term(
        &mut self,
        state: &State,
        addr: Reg,
        off: i32,
        w: u8,
    ) -> Result<(Term, Option<Shade>), Stop> {
        match self.load_in_bounds(state, addr, off, w) {
            Err(Stop::End(End::Bug(bug)))
                if bug.kind == BugKind::OutOfBounds && !self.options.suppressions.0.is_empty() =>
            {
                let excused = self.excused_read(state, addr, off, w)?;
                excused.map(|t| (t, None)).ok_or(Stop::End(End::Bug(bug)))
            }
            // The object may end within the word.
            Err(stop @ Stop::Uncertain { .. }) if w > 8 && self.reads_by_words(state) => {
                let excused = self.excused_read(state, addr, off, w)?;
                excused.map(|t| (t, None)).ok_or(stop)
            }
            // Reads by words also read unset bytes behind a string.
            Ok((t, Some(_))) if w > 8 && self.reads_by_words(state) => Ok((t, None)),
            result => result,
        }
    }

    /// True if a suppression excuses the function at hand for reading by words.
    fn reads_by_words(&self, state: &State) -> bool {
        let name = &self.program.functions[state.frame.func as usize].name;
        let suppressions = &self.options.suppressions;
        suppressions.may_read_by_words(name) && suppressions.find_word_read(&self.trace(state)).is_some()
    }

    /// An aligned word of which a part lies in its object, if a suppression excuses the read: the rest is zero.
    fn excused_read(&mut self, state: &State, addr: Reg, off: i32, w: u8) -> Result<Option<Term>, Stop> {
        let trace = self.trace(state);
        let Some(by) = self.options.suppressions.find_word_read(&trace) else { return Ok(None) };
        let n = w.div_ceil(8) as u64;
        let address = match self.place(state, addr, off, 1) {
            Ok(AccessTarget::At(address)) => address,
            // The whole word was not inside, so it begins in the object's last bytes.
            Ok(AccessTarget::Within { base, size, offset }) => {
                let (lo, hi) = self.terms.range(offset);
                let symbolic = state.memory.object(base).is_some_and(|o| o.extent.is_some());
                let least = if symbolic { 0 } else { (size + 1).saturating_sub(n) };
                let first = lo.max(least).min(size - 1);
                base + self.concrete_within(state, offset, first, hi.min(size - 1).max(first))?
            }
            Err(Stop::End(End::Bug(_))) => return Ok(None),
            Err(stop) => return Err(stop),
        };
        let (object, offset) = match state.memory.resolve(address, 1) {
            Ok(found) => found,
            Err(fault @ Fault::Uncertain { .. }) => return Err(self.pointer_bug(&fault)),
            Err(_) => return Ok(None),
        };
        if !n.is_power_of_two() || address % n != 0 {
            return Ok(None);
        }
        let bytes: Vec<Byte> = (offset..offset + n).map(|i| self.byte_or_zero(object, i)).collect();
        let t = Byte::word(&mut self.terms, &bytes);
        self.excused[by] += 1;
        Ok(Some(self.terms.extract(t, 0, w)))
    }

    /// The byte at an offset of an object, or zero behind its end.
    fn byte_or_zero(&mut self, object: &Object, i: u64) -> Byte {
        match object.extent {
            _ if i >= object.size => Byte::Known(0),
            Some(extent) if i >= object.certain => {
                let byte = object.get(i).term(&mut self.terms);
                let (i, zero) = (self.terms.constant_of(64, i.into()), self.terms.constant_of(8, 0));
                let there = self.terms.ult(i, extent);
                let t = self.terms.ite(there, byte, zero);
                Byte::from_term(&self.terms, t)
            }
            _ => object.get(i),
        }
    }

    fn load_in_bounds(
        &mut self,
        state: &State,
        addr: Reg,
        off: i32,
        w: u8,
    ) -> Result<(Term, Option<Shade>), Stop> {
        if let Some(t) = self.load_of_several(state, addr, off, w)? {
            return Ok((t, None));
        }
        let n = w.div_ceil(8) as u64;
        let mut made_from = None;
        let place = self.place(state, addr, off, n)?;
        let (t, bits) = match self.noted_place(state, place, n, false)? {
            AccessTarget::At(address) => match state.memory.resolve(address, n) {
                Ok((object, offset)) => {
                    if object.kind == Kind::Variable {
                        self.argument_read(state, object, offset, n)?;
                    }
                    made_from = object.pointer_base(offset, n).filter(|_| w <= 64);
                    (self.value_at(object, offset, n), self.bits_at(object, offset, n))
                }
                Err(fault) => {
                    let moved = self.read_outside_of_scope(state, &fault, n);
                    moved.ok_or_else(|| self.pointer_bug(&fault))?
                }
            },
            AccessTarget::Within { base, size, offset } => self.load_within(state, base, size, offset, n)?,
        };
        let shade = self.shade_of_read(state, bits, w);
        Ok((self.terms.extract(t, 0, w), shade.or(made_from)))
    }

    /// The shade of a value of which the lowest `w` bits are read.
    pub(crate) fn shade_of_read(
        &mut self,
        state: &State,
        bits: Option<(Term, Cause)>,
        w: u8,
    ) -> Option<Shade> {
        let (bits, cause) = bits?;
        let bits = self.terms.extract(bits, 0, w);
        let defined = self.is_surely_defined(bits)
            || (self.options.merge
                && self.terms.constant(bits).is_none()
                && self.is_defined_here(state, bits));
        if defined { None } else { self.shade_of(bits, cause) }
    }

    /// The offsets that `offset` can have in an object of `size` bytes for an access of `n`: first, last, stride.
    fn positions(&self, offset: Term, size: u64, n: u64) -> (u64, u64, u64) {
        let (shift, rest) = self.alignment(offset);
        let stride = 1u64 << shift.min(32);
        let rest = rest & (stride - 1);
        let (lo, hi) = self.terms.range(offset);
        let hi = hi.min(size - n);
        let first =
            if lo % stride <= rest { lo - lo % stride + rest } else { lo - lo % stride + stride + rest };
        (first, hi, stride)
    }

    fn load_within(
        &mut self,
        state: &State,
        base: u64,
        size: u64,
        offset: Term,
        n: u64,
    ) -> Result<Value, Stop> {
        Ok(self.parts_within(state, (base, size, offset), n, &[(0, n)])?[0])
    }

    /// The values of the parts of an access of `n` bytes at a symbolic offset in the object of `size` bytes at `base`. A part is
    /// its start in the access and its size, at most 16 bytes. Each is a choice among all places, or else the place is decided.
    pub(crate) fn parts_within(
        &mut self,
        state: &State,
        (base, size, offset): (u64, u64, Term),
        n: u64,
        parts: &[(u64, u64)],
    ) -> Result<Vec<Value>, Stop> {
        let (first, last, stride) = self.positions(offset, size, n);
        let count = if last < first { 0 } else { (last - first) / stride + 1 };
        let Some(object) = state.memory.object(base) else {
            return Err(Stop::impossible("an access inside of an object that is not there"));
        };
        if let Some(few) = self.few_places(state, offset, size, n) {
            let part = |&part: &(u64, u64)| self.load_of_places(state, object, &few, part);
            if let Some(found) = parts.iter().map(part).collect() {
                return Ok(found);
            }
        }
        let places = Places { first, stride, count };
        let values = count.saturating_mul(parts.len() as u64);
        if (1..=self.options.limits.table_entries).contains(&values)
            && let Some(found) = self.parts_among(object, offset, places, parts, None)
        {
            return Ok(found);
        }
        match self.untangled_place(state, offset, last)? {
            Untangled::At(at) => return self.parts_at(state, base + at, n, parts),
            Untangled::Simpler(left) => return self.parts_within(state, (base, size, left), n, parts),
            Untangled::AsItWas => {}
        }
        let choices = self.options.limits.choices;
        let (most, at_once) = match object.extent {
            Some(_) => (choices.max(self.most_told_apart()), self.most_in_room()),
            None => (choices, self.most_bytes_at_once()),
        };
        if (1..=most.max(at_once)).contains(&values)
            && let Some(found) = self.parts_among(object, offset, places, parts, Some(most))
        {
            return Ok(found);
        }
        let is_known = values > self.options.limits.table_entries
            || parts.iter().all(|&(_, n)| n <= 8) && object_is_known(object, first, last + n);
        let at = self.concrete_within(state, offset, first, last.max(first))?;
        let limit = if is_known { Limit::TableEntries } else { Limit::Choices };
        self.decided_by_value(state, limit, count);
        self.parts_at(state, base + at, n, parts)
    }

    /// The parts of an access of `n` bytes at a known address.
    fn parts_at(
        &mut self,
        state: &State,
        address: u64,
        n: u64,
        parts: &[(u64, u64)],
    ) -> Result<Vec<Value>, Stop> {
        let (object, start) =
            state.memory.resolve_decided(address, n).map_err(|fault| self.pointer_bug(&fault))?;
        let part = |&(at, n): &(u64, u64)| {
            (self.value_at(object, start + at, n), self.bits_at(object, start + at, n))
        };
        Ok(parts.iter().map(part).collect())
    }

    /// The parts of an access at an offset that is one of these places. `None` if more than `most` of them would have to be told
    /// apart; without such a limit, if not all bytes there are known.
    fn parts_among(
        &mut self,
        object: &Object,
        offset: Term,
        places: Places,
        parts: &[(u64, u64)],
        most: Option<u64>,
    ) -> Option<Vec<Value>> {
        let part = |&(at, n): &(u64, u64)| {
            let places = Places { first: places.first + at, ..places };
            let behind = self.terms.constant_of(64, at.into());
            let offset = self.terms.add(offset, behind);
            match most {
                None => self.known_among(object, offset, places, n),
                Some(most) => self.any_among(object, offset, places, n, most),
            }
        };
        parts.iter().map(part).collect()
    }

    fn known_among(&mut self, object: &Object, offset: Term, places: Places, n: u64) -> Option<Value> {
        let Places { first, stride, count } = places;
        if n > 8 {
            return None;
        }
        let entries: Option<Vec<u64>> =
            (0..count).map(|i| self.known_entry(object, first + i * stride, n)).collect();
        let entries = entries?;
        let bits = self.bits_within(object, offset, places, n, u64::MAX)?;
        Some((self.terms.table_entry(offset, first, stride, 8 * n as u8, &entries), bits))
    }

    fn any_among(
        &mut self,
        object: &Object,
        offset: Term,
        places: Places,
        n: u64,
        most: u64,
    ) -> Option<Value> {
        let Places { first, stride, count } = places;
        let values = (0..count).map(|i| self.value_at(object, first + i * stride, n)).collect();
        let value = self.chosen_among(offset, places, values, most)?;
        Some((value, self.bits_within(object, offset, places, n, most)?))
    }

    fn known_entry(&self, object: &Object, at: u64, n: u64) -> Option<u64> {
        let mut v = 0;
        for i in (0..n).rev() {
            match object.get(at + i) {
                Byte::Known(b) => v = v << 8 | b as u64,
                Byte::Symbolic(_) => return None,
            }
        }
        Some(v)
    }

    /// Writes the low `w` bits (at most 64) of `value` to `addr + off`.
    pub(crate) fn store(
        &mut self,
        state: &mut State,
        value: Reg,
        addr: Reg,
        off: i32,
        w: u8,
    ) -> Result<(), Stop> {
        let t = self.term(w, value);
        self.store_term(state, t, value.handle(), addr, off)
    }

    /// Writes a value of any width.
    pub(crate) fn store_term(
        &mut self,
        state: &mut State,
        value: Term,
        shade: Option<Shade>,
        addr: Reg,
        off: i32,
    ) -> Result<(), Stop> {
        let n = self.terms.width(value).div_ceil(8) as u64;
        let value = self.terms.zext(value, 8 * n as u8);
        let place = self.place(state, addr, off, n)?;
        let place = self.noted_place(state, place, n, true)?;
        let bytes = match &self.settled {
            // Simplified forms of its bytes would be more work than all queries about them.
            Some(path) if self.terms.constant(value).is_none() && path.has_few(&mut self.terms, value) => {
                Byte::parts_of(&mut self.terms, value)
            }
            _ => Byte::of_word(&mut self.terms, value),
        };
        let shadows = shade.map(|shade| self.shadows_of(shade, n));
        match place {
            AccessTarget::At(address) => self.write_shadowed(state, address, &bytes, shadows.as_deref()),
            AccessTarget::Within { base, size, offset } => {
                self.store_within(state, base, size, offset, &bytes, shadows.as_deref())
            }
        }
    }

    /// Writes bytes at a symbolic offset in the object of `size` bytes at `base`.
    pub(crate) fn store_within(
        &mut self,
        state: &mut State,
        base: u64,
        size: u64,
        offset: Term,
        bytes: &[Byte],
        shadows: Option<&[Shadow]>,
    ) -> Result<(), Stop> {
        let n = bytes.len() as u64;
        if let Some(places) = self.few_places(state, offset, size, n)
            && let Some(each) = self.each_place(&places)
        {
            for (at, here) in each {
                self.write_where(state, base + at, here, bytes, shadows)?;
            }
            return Ok(());
        }
        let (first, last, stride) = self.positions(offset, size, n);
        let count = if last < first { 0 } else { (last - first) / stride + 1 };
        match self.untangled_place(state, offset, last)? {
            Untangled::At(at) => return self.write_shadowed(state, base + at, bytes, shadows),
            Untangled::Simpler(left) => return self.store_within(state, base, size, left, bytes, shadows),
            Untangled::AsItWas => {}
        }
        let of_symbolic_size = state.memory.object(base).is_some_and(|object| object.extent.is_some());
        let (most, limit) = match () {
            _ if of_symbolic_size => (self.most_in_room(), Limit::BytesAtOnce),
            _ if n == 1 => (self.most_bytes_at_once(), Limit::BytesAtOnce),
            _ => (0, Limit::Written),
        };
        if count == 0 || count * n > most.max(self.options.limits.choices) {
            let at = self.concrete_within(state, offset, first, last.max(first))?;
            self.decided_by_value(state, limit, count * n);
            return self.write_shadowed(state, base + at, bytes, shadows);
        }
        // The places exclude each other, so they can be written one after the other.
        for i in 0..count {
            let at = first + i * stride;
            let k = self.terms.constant_of(64, at as u128);
            let here = self.terms.eq(offset, k);
            self.write_where(state, base + at, here, bytes, shadows)?;
        }
        Ok(())
    }

    /// Writes bytes to an address if a condition holds.
    fn write_where(
        &mut self,
        state: &mut State,
        address: u64,
        here: Term,
        bytes: &[Byte],
        shadows: Option<&[Shadow]>,
    ) -> Result<(), Stop> {
        let n = bytes.len() as u64;
        let (object, at) = state.memory.resolve_decided_mut(address, n).map_err(|f| self.pointer_bug(&f))?;
        let defined = shadows.is_none() && object.is_plain(at, n);
        for (j, byte) in bytes.iter().enumerate() {
            let i = at + j as u64;
            let old = object.get(i).term(&mut self.terms);
            let new = byte.term(&mut self.terms);
            let t = self.terms.ite(here, new, old);
            let before = if defined { Shadow::Defined } else { object.shadow(i) };
            object.set(i, Byte::from_term(&self.terms, t));
            if !defined {
                let born = birth_of(object);
                let after = shadows.map_or(Shadow::Defined, |s| s[j]);
                let both = mixed(&mut self.terms, &mut self.shades, here, after, before, born);
                object.set_shadow(i, both);
            }
        }
        Ok(())
    }
}

/// True if an object holds known values from one place up to another.
fn object_is_known(object: &Object, from: u64, to: u64) -> bool {
    (from..to).all(|i| matches!(object.get(i), Byte::Known(_)))
}
