//! Copying and filling of memory: `builtins.rs` calls it. A length or a place that depends on the input stays one operation.
//!
//! - Length: byte `i` of the destination becomes "if `i < n` then the new byte, else the old one". One decision for each way in
//!   which the length can be wrong comes before that: beyond the destination, beyond the source, or long enough that the two
//!   overlap.
//! - Place: as for a load or a store there, of many bytes. Where both depend on the input, the place is decided.

use cleave_expr::Term;
use cleave_memory::{Byte, Fault, Object, Shadow};
use cleave_program::code::Builtin;
use cleave_region::BugKind;

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::limits::Limit;
use crate::memory::overlap::{LONGEST, bad_length, name, no_object_has};
use crate::memory::pointers::AccessTarget;
use crate::states::state::{Reg, State};
use crate::stop::Stop;
use crate::undefined::shaded_memory::{birth_of, mixed};

/// Copies and fills of more bytes than this share pages, so that unwritten memory stays cheap; their place is decided.
const MANY: u64 = 1 << 16;

/// Maximum number of bytes that are copied out of one of several objects without a decision which one.
const LONGEST_OF_SEVERAL: u64 = 1 << 8;

/// A length that depends on the input, with its bounds on the path.
#[derive(Clone, Copy)]
struct Length {
    term: Term,
    least: u64,
    most: u64,
}

/// A length that was given, known or symbolic.
enum Given {
    Known(u64),
    Symbolic(Length),
}

impl Engine {
    /// `memcpy`, `memmove` and `memset`; the result is the first argument.
    pub(crate) fn copy_or_fill(
        &mut self,
        state: &mut State,
        what: Builtin,
        args: &[Reg],
    ) -> Result<Reg, Stop> {
        let [dst, second, len] = args else {
            return Err(Stop::impossible("a memory function without arguments"));
        };
        let len = match self.length(state, what, *len)? {
            Given::Known(len) => len,
            Given::Symbolic(length) => {
                match self.copy_or_fill_symbolic(state, what, (*dst, *second), length)? {
                    Some(result) => return Ok(result),
                    None => {
                        let len = self.concrete_term(state, length.term)?;
                        self.decided_by_value(state, Limit::Length, length.most);
                        len
                    }
                }
            }
        };
        if len == 0 {
            return Ok(*dst);
        }
        if no_object_has(state, len) {
            return Err(bad_length(name(what), len));
        }
        let to = self.copy_target(state, *dst, len)?;
        self.plain_point(state, None)?;
        if what == Builtin::Memset {
            let filling = self.filling(*second);
            self.filled(state, to, len, filling)?;
        } else {
            match self.bytes_of_several(state, (*dst, *second), len)? {
                Some(bytes) => self.write_target(state, to, &bytes, None)?,
                None => self.copied_from(state, what, to, *second, len)?,
            }
        }
        Ok(match to {
            AccessTarget::At(to) => Reg::known(to),
            AccessTarget::Within { .. } => *dst,
        })
    }

    /// Copies bytes out of one object.
    fn copied_from(
        &mut self,
        state: &mut State,
        what: Builtin,
        to: AccessTarget,
        source: Reg,
        len: u64,
    ) -> Result<(), Stop> {
        let from = self.copy_target(state, source, len)?;
        if let AccessTarget::At(from) = from {
            state.memory.resolve(from, len).map_err(|f| self.pointer_bug(&f))?;
        }
        if what == Builtin::Memcpy {
            self.overlapping_places(state, (to, from), len)?;
        }
        self.copied(state, to, from, len)
    }

    /// The bytes at a pointer out of a table of pointers to several objects, none of which is that of the destination.
    fn bytes_of_several(
        &mut self,
        state: &State,
        (dst, source): (Reg, Reg),
        len: u64,
    ) -> Result<Option<Vec<Byte>>, Stop> {
        let is_choice = source.term().is_some_and(|pointer| self.is_choice(pointer));
        if !is_choice || len > LONGEST_OF_SEVERAL || self.may_meet(state, dst, source) {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        for (at, n) in words(len) {
            let Some(word) = self.load_of_several(state, source, at as i32, 8 * n as u8)? else {
                return Ok(None);
            };
            bytes.extend(Byte::of_word(&mut self.terms, word));
        }
        Ok(Some(bytes))
    }

    /// The target of `len` bytes that are copied or filled.
    fn copy_target(&mut self, state: &State, pointer: Reg, len: u64) -> Result<AccessTarget, Stop> {
        match len > MANY || self.looks_for_races(state) {
            true => self.address(state, pointer, len).map(AccessTarget::At),
            false => self.place(state, pointer, 0, len),
        }
    }

    fn filled(
        &mut self,
        state: &mut State,
        to: AccessTarget,
        len: u64,
        (byte, shadow): (Byte, Shadow),
    ) -> Result<(), Stop> {
        if let AccessTarget::At(to) = to {
            self.note_access(state, to, len, true);
            if len > MANY {
                return state.memory.fill(to, len, byte, shadow).map_err(|f| self.pointer_bug(&f));
            }
            state.memory.resolve(to, len).map_err(|f| self.pointer_bug(&f))?;
        }
        let shadows = (shadow != Shadow::Defined).then(|| vec![shadow; len as usize]);
        self.write_target(state, to, &vec![byte; len as usize], shadows.as_deref())
    }

    /// Copies bytes with their shadows; the two places may overlap.
    pub(crate) fn copied(
        &mut self,
        state: &mut State,
        to: AccessTarget,
        from: AccessTarget,
        len: u64,
    ) -> Result<(), Stop> {
        if let (AccessTarget::At(to), AccessTarget::At(from)) = (to, from) {
            self.note_access(state, from, len, false);
            self.note_access(state, to, len, true);
            if len > MANY {
                let fresh = self.fresh_shadow(state, from);
                return state.memory.copy(to, from, len, fresh).map_err(|f| self.pointer_bug(&f));
            }
        }
        let (bytes, shadows) = match from {
            AccessTarget::At(from) => {
                let bytes = state.memory.read(from, len).map_err(|f| self.pointer_bug(&f))?;
                (bytes, self.shadows_at(state, from, len))
            }
            AccessTarget::Within { base, size, offset } => {
                self.bytes_within(state, (base, size, offset), len)?
            }
        };
        self.write_target(state, to, &bytes, shadows.as_deref())
    }

    /// The bytes at a symbolic offset of an object, and their shadows if one is not defined.
    fn bytes_within(
        &mut self,
        state: &State,
        place: (u64, u64, Term),
        len: u64,
    ) -> Result<(Vec<Byte>, Option<Vec<Shadow>>), Stop> {
        let parts = words(len);
        let values = self.parts_within(state, place, len, &parts)?;
        let (mut bytes, mut shadows) = (Vec::new(), Vec::new());
        for (&(_, n), (value, bits)) in parts.iter().zip(values) {
            bytes.extend(Byte::of_word(&mut self.terms, value));
            match self.shade_of_read(state, bits, 8 * n as u8) {
                Some(shade) => shadows.extend(self.shadows_of(shade, n)),
                None => shadows.extend(std::iter::repeat_n(Shadow::Defined, n as usize)),
            }
        }
        let all_defined = shadows.iter().all(|shadow| *shadow == Shadow::Defined);
        Ok((bytes, (!all_defined).then_some(shadows)))
    }

    fn write_target(
        &mut self,
        state: &mut State,
        to: AccessTarget,
        bytes: &[Byte],
        shadows: Option<&[Shadow]>,
    ) -> Result<(), Stop> {
        match to {
            AccessTarget::At(to) => self.write_shadowed(state, to, bytes, shadows),
            AccessTarget::Within { base, size, offset } => {
                self.store_within(state, base, size, offset, bytes, shadows)
            }
        }
    }

    /// The length of a copy or fill. It must be defined. One that no object has is a bug.
    fn length(&mut self, state: &State, what: Builtin, r: Reg) -> Result<Given, Stop> {
        let library = self.program.functions[state.frame.func as usize].library;
        // The C library's own copies go into buffers whose positions follow from the lengths, and would be symbolic, too.
        let decided = library || self.options.max_symbolic_size == 0 || self.looks_for_races(state);
        if r.term().is_none() || decided {
            let length = self.concrete(state, r)?;
            if let Some(t) = r.term()
                && library
            {
                self.decided_by_value(state, Limit::LibraryLength, self.terms.range(t).1);
            }
            return Ok(Given::Known(length));
        }
        self.used(state, r, "an argument or a size")?;
        let term = self.term(64, r);
        let term = self.value(state, term);
        if let Some(length) = self.terms.constant64(term) {
            return Ok(Given::Known(length));
        }
        let (least, most) = self.bounds(state, term);
        let largest = state.memory.objects().map(|o| o.size).fold(LONGEST, u64::max);
        if most > largest && !self.is_at_most(state, term, largest)? {
            let text = format!(
                "`{}` is given a length that depends on the input, and is more than any object has",
                name(what)
            );
            return Err(Stop::bug(BugKind::BadLength, text));
        }
        Ok(Given::Symbolic(Length { term, least, most: most.min(largest) }))
    }

    /// `memcpy`, `memmove` and `memset` of a length that depends on the input; the result is the first argument. `None` if the
    /// length has to be made concrete: it is then at most the size of the objects.
    fn copy_or_fill_symbolic(
        &mut self,
        state: &mut State,
        what: Builtin,
        (dst, second): (Reg, Reg),
        length: Length,
    ) -> Result<Option<Reg>, Stop> {
        let Some((to, mut length)) = self.reach(state, what, (dst, true), length)? else {
            return Ok(Some(dst));
        };
        let mut from = None;
        if what != Builtin::Memset {
            let reached = self.reach(state, what, (second, false), length)?;
            let Some((address, nearer)) = reached else { return Ok(Some(dst)) };
            (from, length) = (Some(address), nearer);
        }
        if length.most > self.most_in_room() {
            let all = state.memory.object(to).is_some_and(|o| o.base == to && o.extent == Some(length.term));
            if all && what == Builtin::Memset {
                let (byte, shadow) = self.filling(second);
                state.memory.fill_room(to, byte, shadow).map_err(|f| self.pointer_bug(&f))?;
                return Ok(Some(Reg::known(to)));
            }
            return Ok(None);
        }
        if let Some(from) = from.filter(|_| what == Builtin::Memcpy) {
            self.apart(state, (to, from), length)?;
        }
        let bytes = match from {
            Some(from) => self.bytes_with_shadows(state, from, length.most)?,
            None => vec![self.filling(second); length.most as usize],
        };
        self.write_some(state, to, &bytes, length)?;
        Ok(Some(Reg::known(to)))
    }

    /// The address of an access of this length, and the length with its bounds inside of the object there. `None` if nothing is
    /// accessed.
    fn reach(
        &mut self,
        state: &State,
        what: Builtin,
        (pointer, writes): (Reg, bool),
        mut length: Length,
    ) -> Result<Option<(u64, Length)>, Stop> {
        // An access of no bytes is valid through any pointer.
        let valid = pointer.is_known() && accessible(state, pointer.value, writes).is_ok();
        if !valid && length.least == 0 {
            let zero = self.terms.constant_of(64, 0);
            let nothing = self.terms.eq(length.term, zero);
            if self.decide(state, nothing)? {
                return Ok(None);
            }
            length.least = 1;
        }
        let address = if pointer.is_known() { pointer.value } else { self.address(state, pointer, 1)? };
        let object = accessible(state, address, writes).map_err(|fault| self.pointer_bug(&fault))?;
        let offset = address - object.base;
        let room = object.end_from(offset).saturating_sub(offset);
        if length.most > object.certain.saturating_sub(offset) {
            let fits = self.fits(length, offset, object);
            if !self.decide(state, fits)? {
                let verb = if writes { "writes" } else { "reads" };
                let (name, object) = (name(what), self.object_name(object));
                let text =
                    format!("`{name}` {verb} beyond the end of {object}; its length depends on the input");
                return Err(Stop::bug(BugKind::OutOfBounds, text));
            }
        }
        length.most = length.most.min(room);
        Ok(Some((address, length)))
    }

    /// The condition that bytes of this length from an offset on, which is inside of the object's room, are inside of the
    /// object.
    fn fits(&mut self, length: Length, offset: u64, object: &Object) -> Term {
        let room = self.terms.constant_of(64, object.end_from(offset).saturating_sub(offset).into());
        let near = self.terms.ule(length.term, room);
        let Some(extent) = object.extent else { return near };
        let start = self.terms.constant_of(64, offset.into());
        let behind = self.terms.sub(extent, start);
        let inside = self.terms.ule(length.term, behind);
        let inside = self.terms.and(near, inside);
        if offset <= object.certain {
            return inside;
        }
        let (begins, zero) = (self.terms.ule(start, extent), self.terms.constant_of(64, 0));
        let inside = self.terms.and(begins, inside);
        let nothing = self.terms.eq(length.term, zero);
        self.terms.or(nothing, inside)
    }

    /// Reports a `memcpy` whose two places overlap.
    fn apart(&mut self, state: &State, (to, from): (u64, u64), length: Length) -> Result<(), Stop> {
        let distance = to.abs_diff(from);
        if distance == 0 || distance >= length.most || !self.options.checks.has(Family::Overlap) {
            return Ok(());
        }
        let distance = self.terms.constant_of(64, distance.into());
        let overlap = self.terms.ult(distance, length.term);
        match self.decide(state, overlap)? {
            true => Err(self.overlap(state, "a copy whose length depends on the input", (to, from))),
            false => Ok(()),
        }
    }

    /// Bytes inside of the room of their object, with the shadows that they have in a copy elsewhere.
    fn bytes_with_shadows(&mut self, state: &State, from: u64, n: u64) -> Result<Vec<(Byte, Shadow)>, Stop> {
        self.note_access(state, from, n, false);
        let fresh = self.fresh_shadow(state, from);
        let (object, start) = state.memory.resolve_decided(from, n).map_err(|f| self.pointer_bug(&f))?;
        let elsewhere = |shadow| if shadow == Shadow::Fresh { fresh } else { shadow };
        Ok((start..start + n).map(|i| (object.get(i), elsewhere(object.shadow(i)))).collect())
    }

    /// Writes the first bytes, as many as the length says.
    fn write_some(
        &mut self,
        state: &mut State,
        to: u64,
        bytes: &[(Byte, Shadow)],
        Length { term, least, .. }: Length,
    ) -> Result<(), Stop> {
        let n = bytes.len() as u64;
        self.note_access(state, to, n, true);
        let (object, start) = state.memory.resolve_decided_mut(to, n).map_err(|f| self.pointer_bug(&f))?;
        let born = birth_of(object);
        // Bytes that every length has together or not at all are written on one condition.
        let together = match self.alignment(term) {
            (zeros, 0) => !0 << zeros.min(32),
            _ => !0,
        };
        for (i, &(byte, shadow)) in (0..).zip(bytes) {
            let (at, index) = (start + i, self.terms.constant_of(64, (i & together).into()));
            let here = if i < least { self.terms.bool(true) } else { self.terms.ult(index, term) };
            let (new, old) = (byte.term(&mut self.terms), object.get(at).term(&mut self.terms));
            let t = self.terms.ite(here, new, old);
            let shadow = mixed(&mut self.terms, &mut self.shades, here, shadow, object.shadow(at), born);
            object.set(at, Byte::from_term(&self.terms, t));
            if shadow != Shadow::Defined {
                object.set_shadow(at, shadow);
            }
        }
        Ok(())
    }

    /// The byte that `memset` writes for its second argument, with its shadow.
    pub(crate) fn filling(&mut self, value: Reg) -> (Byte, Shadow) {
        let t = self.term(32, value);
        let t = self.terms.resize(t, 8);
        let shadow = self.truncated(8, value).shade().map_or(Shadow::Defined, Shadow::Shaded);
        (Byte::from_term(&self.terms, t), shadow)
    }
}

/// Start and size of the words of eight bytes that `len` bytes are, and of smaller ones for the rest.
fn words(len: u64) -> Vec<(u64, u64)> {
    let (mut words, mut at) = (Vec::new(), 0);
    while at < len {
        let n = 1 << (len - at).min(8).ilog2();
        words.push((at, n));
        at += n;
    }
    words
}

/// The object of a byte that is read, or written; a symbolic size is not checked here.
fn accessible(state: &State, address: u64, writes: bool) -> Result<&Object, Fault> {
    let (object, _) = state.memory.resolve_decided(address, 1)?;
    match object.constant && writes {
        true => Err(Fault::Constant { origin: object.origin }),
        false => Ok(object),
    }
}
