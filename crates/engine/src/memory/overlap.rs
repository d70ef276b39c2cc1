//! Copies whose source and destination overlap, and lengths that no object has.
//!
//! `memcpy` is the engine's own and knows its copy. The functions that copy strings are the C library's code, which looks at a
//! string a character at a time: they announce at their start the copy that follows. One decision then tells the inputs for
//! which the two strings overlap from the others. AddressSanitizer reports the same overlaps.

use cleave_expr::Term;
use cleave_memory::{Byte, Word};
use cleave_program::code::{Builtin, Copying};
use cleave_region::BugKind;

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::memory::pointers::AccessTarget;
use crate::states::state::{Reg, State};
use crate::stop::Stop;

/// Longest length in bytes that may be meant: an object could have it.
pub(crate) const LONGEST: u64 = 1 << 30;

/// The name of a memory function, as programs write it.
pub(crate) fn name(what: Builtin) -> &'static str {
    match what {
        Builtin::Memset => "memset",
        Builtin::Memmove => "memmove",
        _ => "memcpy",
    }
}

/// True if a length is longer than [`LONGEST`], and no object on this path has as many bytes.
pub(crate) fn no_object_has(state: &State, length: u64) -> bool {
    length > LONGEST && state.memory.objects().all(|o| o.size < length)
}

/// The bug of a length that cannot have been meant.
pub(crate) fn bad_length(function: &str, length: u64) -> Stop {
    let text = match (length as i64, length as u32 as i32) {
        (signed @ i64::MIN..0, _) => format!("{signed} ({length})"),
        (_, narrow @ i32::MIN..0) if length <= u32::MAX.into() => format!("{length} ({narrow} in 32 bits)"),
        _ => format!("{length}, more than any object has"),
    };
    Stop::bug(BugKind::BadLength, format!("`{function}` is given a length of {text}"))
}

impl Engine {
    /// Reports a copy of `len` bytes, at least one, between places that overlap, unless its destination is wrong in itself.
    pub(crate) fn overlapping_places(
        &mut self,
        state: &State,
        (to, from): (AccessTarget, AccessTarget),
        len: u64,
    ) -> Result<(), Stop> {
        if !self.options.checks.has(Family::Overlap) {
            return Ok(());
        }
        if let (AccessTarget::At(to), AccessTarget::At(from)) = (to, from) {
            let overlap = to != from && to.abs_diff(from) < len && state.memory.resolve(to, len).is_ok();
            let text = || format!("a copy of {len} bytes");
            return if overlap { Err(self.overlap(state, &text(), (to, from))) } else { Ok(()) };
        }
        let object = |target| match target {
            AccessTarget::At(address) => state.memory.resolve(address, len).ok().map(|(object, _)| object),
            AccessTarget::Within { base, .. } => state.memory.object(base),
        };
        let (Some(written), Some(read)) = (object(to), object(from)) else { return Ok(()) };
        if written.base != read.base {
            return Ok(());
        }
        let distance = {
            let (to, from) = (self.target_address(to), self.target_address(from));
            self.terms.sub(to, from)
        };
        // The distance is above -len, below len, and not 0.
        let [zero, longest, both] = [0, len - 1, 2 * len - 1].map(|n| self.terms.constant_of(64, n.into()));
        let shifted = self.terms.add(distance, longest);
        let (near, other) = (self.terms.ult(shifted, both), self.terms.ne(distance, zero));
        let overlap = self.terms.and(near, other);
        if !self.decide(state, overlap)? {
            return Ok(());
        }
        let name = self.object_name(written);
        let text = format!(
            "a copy of {len} bytes inside of {name}: the two places, which depend on the input, overlap"
        );
        Err(Stop::bug(BugKind::Overlap, text))
    }

    fn target_address(&mut self, target: AccessTarget) -> Term {
        match target {
            AccessTarget::At(address) => self.terms.constant_of(64, address.into()),
            AccessTarget::Within { base, offset, .. } => {
                let base = self.terms.constant_of(64, base.into());
                self.terms.add(base, offset)
            }
        }
    }

    pub(crate) fn overlap(&self, state: &State, what: &str, (to, from): (u64, u64)) -> Stop {
        let object = state.memory.object(from);
        let (base, name) = match object {
            Some(o) => (o.base, self.object_name(o)),
            None => (0, "no object".into()),
        };
        let (to, from) = (to.wrapping_sub(base) as i64, from.wrapping_sub(base) as i64);
        Stop::bug(
            BugKind::Overlap,
            format!("{what} from offset {from} to offset {to} of {name}: the two places overlap"),
        )
    }

    /// Checks the copy that a function of the C library announces at its start: its kind, destination, source, and perhaps the
    /// element to stop at and a length.
    pub(crate) fn copies(&mut self, state: &State, args: &[Reg]) -> Result<(), Stop> {
        let function = &self.program.functions[state.frame.func as usize];
        let [what, dst, src, rest @ ..] = args else { return Ok(()) };
        // Such a function may call another, which does a part of the copy that was judged already.
        let caller = state.callers.as_deref().map(|c| &self.program.functions[c.frame.func as usize]);
        if caller.is_some_and(|f| f.library && Copying::of(&f.name).is_some()) {
            return Ok(());
        }
        let Some(what) = Copying::from_raw(what.value).filter(|_| function.library) else { return Ok(()) };
        let name = function.name.trim_start_matches('_').to_string();
        let most = rest.last().copied().filter(|_| what.bounded());
        if what.writes_all()
            && let Some(length) = most.filter(|n| n.is_known() && no_object_has(state, n.value))
        {
            return Err(bad_length(&name, length.value));
        }
        if !self.options.checks.has(Family::Overlap) || most.is_some_and(|n| n.shade().is_some()) {
            return Ok(()); // a length that is not defined is a bug of its own, where it is used
        }
        let some = self.at_least(most, 1);
        let Some((to, from)) = self.in_one_object(state, *dst, *src, some)? else { return Ok(()) };
        let distance = to.abs_diff(from);
        let overlap = match what {
            Copying::Wide if distance == 0 => self.constant_truth(false),
            Copying::Wide => self.at_least(most, distance / what.element() + 1),
            Copying::Append | Copying::AppendStart if from >= to => {
                self.appended_reaches(state, to, from, most)
            }
            Copying::Until if rest[0].shade().is_some() => return Ok(()),
            _ => {
                let stop = if what == Copying::Until { rest[0] } else { Reg::ZERO };
                let stop = self.term(32, stop);
                let stop = self.terms.resize(stop, 8 * what.element() as u8);
                let elements = distance / what.element();
                let far = self.at_least(most, elements + 1);
                self.elements_reach(state, from, elements, far, stop)
            }
        };
        if self.decide(state, overlap)? {
            return Err(self.overlap(state, &format!("`{name}`"), (to, from)));
        }
        Ok(())
    }

    fn constant_truth(&mut self, holds: bool) -> Term {
        self.terms.constant_of(1, holds.into())
    }

    /// The condition that a length, if there is one, is at least `least`.
    pub(crate) fn at_least(&mut self, length: Option<Reg>, least: u64) -> Term {
        let Some(length) = length else { return self.constant_truth(true) };
        let (length, least) = (self.term(64, length), self.terms.constant_of(64, least.into()));
        self.terms.ule(least, length)
    }

    /// Destination and source, if they lie in the same object: only there they can overlap. `some` is the condition that
    /// anything is copied at all.
    fn in_one_object(
        &mut self,
        state: &State,
        dst: Reg,
        src: Reg,
        some: Term,
    ) -> Result<Option<(u64, u64)>, Stop> {
        if dst.shade().is_some() || src.shade().is_some() {
            return Ok(None); // that is a bug of its own, where it is used
        }
        let base = |address: u64| state.memory.object(address).map(|o| o.base);
        if dst.term().is_none() && src.term().is_none() {
            let one = base(dst.value).is_some() && base(dst.value) == base(src.value);
            return Ok(one.then_some((dst.value, src.value)));
        }
        if !self.may_meet(state, dst, src) || !self.decide(state, some)? {
            return Ok(None);
        }
        let (to, from) = (self.address(state, dst, 1)?, self.address(state, src, 1)?);
        Ok((base(to) == base(from)).then_some((to, from)))
    }

    /// The condition that a string at `from` has at least `distance` characters in front of its zero, and `far` holds.
    pub(crate) fn reaches(&mut self, state: &State, from: u64, distance: u64, far: Term) -> Term {
        let zero = self.terms.constant_of(8, 0);
        self.elements_reach(state, from, distance, far, zero)
    }

    /// The condition that none of `count` elements at `from`, as wide as `stop`, equals it, and `far` holds.
    fn elements_reach(&mut self, state: &State, from: u64, count: u64, far: Term, stop: Term) -> Term {
        let size = u64::from(self.terms.width(stop) / 8);
        let mut all = far;
        for i in 0..count {
            if self.terms.constant64(all) == Some(0) {
                break;
            }
            let more = self.is_another(state, from + i * size, stop);
            all = self.terms.and(all, more);
        }
        all
    }

    /// The condition that a string at `from`, which is at `to` or behind it, is a part of the string at `to`, or is reached by
    /// what is appended to that.
    fn appended_reaches(&mut self, state: &State, to: u64, from: u64, most: Option<Reg>) -> Term {
        let distance = from - to;
        // Without anything appended, nothing overlaps either.
        let some = self.at_least(most, 1);
        let (mut so_far, mut ways) = (self.reaches(state, from, 1, some), Vec::new());
        for length in 0..distance {
            let more = self.character(state, to + length);
            let ends = self.terms.not(more);
            let here = self.terms.and(so_far, ends);
            // The characters go to `to + length` and on: `distance - length` of them and their zero reach `from`.
            let far = self.at_least(most, distance - length);
            let far = self.terms.and(here, far);
            ways.push(self.reaches(state, from, distance - length, far));
            so_far = self.terms.and(so_far, more);
            if self.terms.constant64(so_far) == Some(0) {
                break;
            }
        }
        ways.push(so_far);
        let none = self.constant_truth(false);
        self.any_of(ways).unwrap_or(none)
    }

    /// The condition that a character of a string is not its zero; false beyond its object.
    fn character(&mut self, state: &State, address: u64) -> Term {
        let zero = self.terms.constant_of(8, 0);
        self.is_another(state, address, zero)
    }

    /// The condition that an element is not the one to stop at; false beyond its object. In the room of an object of symbolic
    /// size there may be one beyond the object: then the copy is out of bounds as well.
    fn is_another(&mut self, state: &State, address: u64, stop: Term) -> Term {
        let size = u64::from(self.terms.width(stop) / 8);
        let Ok((object, offset)) = state.memory.resolve_decided(address, size) else {
            return self.constant_truth(false);
        };
        let bytes: Word = (offset..offset + size).map(|i| object.get(i)).collect();
        let element = Byte::word(&mut self.terms, &bytes);
        let ends = self.terms.eq(element, stop);
        self.terms.not(ends)
    }
}
