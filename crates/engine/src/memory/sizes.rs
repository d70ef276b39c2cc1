//! Objects whose size depends on the input.
//!
//! `malloc(n)` with a symbolic `n` makes one object with room for the largest `n`; its size is a term. The memory knows the
//! number of bytes that such an object has for certain. An access to more than these stops its op, and one decision tells if
//! the object has them on this path. If it has, they are certain from then on, and the op runs again from its start, as if it
//! had never been asked; if not, the access is out of bounds.
//!
//! A symbolic argument is such an object: it ends behind its first NUL. A program that looks at each byte before it reads the next
//! has decided that already.

use std::rc::Rc;

use cleave_expr::{Node, Term};
use cleave_linux::env::FUZZ_OBJECT;
use cleave_memory::{Birth, Fault, Kind, MAX_OBJECT, Object};
use cleave_program::code::Builtin;
use cleave_program::layout::Target;
use cleave_region::BugKind;

use crate::checking::checks::Family;
use crate::engine::{Engine, MAX_SYMBOLIC_SIZE};
use crate::limits::Limit;
use crate::memory::addresses::{FEW_ADDRESSES, HEAP_ALIGN};
use crate::ops::frames::STACK_LIMIT;
use crate::states::state::{Reg, State};
use crate::stop::Stop;

/// The largest symbolic object, in bytes.
pub(crate) const MAX_INPUT: u64 = 1 << 24;

/// The largest object of the heap in 32 bits: half of its addresses. `malloc` of more returns null, as under `ulimit -v`.
const LARGEST_OF_32_BITS: u64 = 1 << 30;

/// Maximum number of bytes that local objects of symbolic sizes may have beyond their certain ones, all together: certain bytes
/// count towards the limit of the stack, and this room does not.
const MOST_SLACK: u64 = 1 << 20;

/// [`Engine::most_bytes_at_once`] in bytes for a usual limit; an eighth of a limit that is much higher.
const MOST_AT_ONCE: u64 = 4096;
/// [`Engine::most_told_apart`] in places for a usual limit; an eighth of one that is much higher.
const MOST_TOLD_APART: u64 = 512;

/// The size of a new object, in bytes.
#[derive(Clone, Copy)]
pub(crate) enum Size {
    Known(u64),
    /// This term of 64 bits, which lies in `least ..= most` on the path.
    Symbolic {
        term: Term,
        least: u64,
        most: u64,
        /// That it is not much more than the least, as tests should have it, so that they need no gigabytes natively.
        small: Option<Term>,
    },
}

impl Size {
    /// The most that it can be.
    pub(crate) fn most(self) -> u64 {
        match self {
            Size::Known(size) => size,
            Size::Symbolic { most, .. } => most,
        }
    }

    /// Tells the object that was made with room for [`Size::most`] bytes.
    pub(crate) fn tell(self, state: &mut State, base: u64) {
        if let Size::Symbolic { term, least, small, .. } = self {
            state.memory.set_extent(base, least, term);
            if let Some(small) = small {
                Rc::make_mut(&mut state.preferences).push(small);
            }
        }
    }
}

impl Engine {
    /// Maximum number of bytes that one copy or fill of a length that depends on the input concerns, or one write of a byte (or
    /// any, in an object of symbolic size) at a place that does; a read concerns as many places. Above it the length or place
    /// is decided.
    pub(crate) fn most_bytes_at_once(&self) -> u64 {
        self.within_limit(MOST_AT_ONCE)
    }

    /// As [`Engine::most_bytes_at_once`], of a copy or fill, and of an access in an object of symbolic size: at least the size
    /// up to which the path's bounds keep such an object one, for else its size would be decided with the place.
    pub(crate) fn most_in_room(&self) -> u64 {
        self.most_bytes_at_once().max(self.most_bounded())
    }

    /// Maximum size in bytes, by the path's own bounds, that stays symbolic as a whole. A limit below the usual one is the
    /// limit of all sizes.
    fn most_bounded(&self) -> u64 {
        let limit = self.options.max_symbolic_size;
        if limit < MAX_SYMBOLIC_SIZE { limit } else { limit.max(self.options.limits.bounded_size) }
    }

    /// Maximum number of different places among which a read in an object of symbolic size is a choice. Above it the place is
    /// decided: the choices would be more than a solver gets through.
    pub(crate) fn most_told_apart(&self) -> u64 {
        self.within_limit(MOST_TOLD_APART)
    }

    fn within_limit(&self, most: u64) -> u64 {
        let limit = self.options.max_symbolic_size;
        limit.min(most.max(limit / 8))
    }

    /// The size that an allocation is given. It must be defined. Sizes above the limit of the options are a path each, but
    /// for those that no object has.
    pub(crate) fn size_given(&mut self, state: &State, r: Reg) -> Result<Size, Stop> {
        self.used(state, r, "an argument or a size")?;
        match r.term() {
            None => Ok(Size::Known(r.value)),
            Some(t) => self.size_of_term(state, t, self.largest_object(), u64::MAX),
        }
    }

    /// As [`Engine::size_given`], of a term. Sizes above `largest` are not told apart: all are `largest + 1`. A size that the path
    /// bounds by `room` and [`Engine::most_bounded`] needs no decision.
    fn size_of_term(&mut self, state: &State, t: Term, largest: u64, room: u64) -> Result<Size, Stop> {
        let limit = self.options.max_symbolic_size;
        if limit == 0 {
            return self.concrete_term(state, t).map(Size::Known);
        }
        let term = self.value(state, t);
        if let Some(size) = self.terms.constant64(term) {
            return Ok(Size::Known(size));
        }
        let (least, most) = self.bounds(state, term);
        if most <= self.most_bounded().min(room) {
            return Ok(Size::Symbolic { term, least, most, small: None });
        }
        if least > limit || most > limit && !self.is_at_most(state, term, limit)? {
            if most > largest && !self.is_at_most(state, term, largest)? {
                return Ok(Size::Known(largest + 1));
            }
            // Of the heap, all that are larger are one object, unless there is too little room for the largest of them.
            let (above, most) = (least.max(limit + 1), most.min(largest));
            if limit >= MAX_SYMBOLIC_SIZE && room == u64::MAX && state.memory.has_ample_room(most) {
                let small = self.terms.constant_of(64, (above + limit).into());
                let small = Some(self.terms.ule(term, small));
                return Ok(Size::Symbolic { term, least: above, most, small });
            }
            let size = self.concrete_term(state, term)?;
            self.decided_by_value(state, Limit::Size, most);
            return Ok(Size::Known(size));
        }
        Ok(Size::Symbolic { term, least, most: most.min(limit), small: None })
    }

    pub(crate) fn is_at_most(&mut self, state: &State, term: Term, most: u64) -> Result<bool, Stop> {
        let most = self.terms.constant_of(64, most.into());
        let small = self.terms.ule(term, most);
        self.decide(state, small)
    }

    /// The size of `count` elements of `size` bytes each; `None` where that is more than 64 bits hold.
    pub(crate) fn size_of_elements(
        &mut self,
        state: &State,
        count: Reg,
        size: Reg,
    ) -> Result<Option<Size>, Stop> {
        self.used(state, count, "an argument or a size")?;
        self.used(state, size, "an argument or a size")?;
        if self.options.max_symbolic_size == 0 || count.term().is_none() && size.term().is_none() {
            let (count, size) = (self.concrete(state, count)?, self.concrete(state, size)?);
            return Ok(count.checked_mul(size).map(Size::Known));
        }
        let (count, size) = (self.term(64, count), self.term(64, size));
        let (count, size) = (self.value(state, count), self.value(state, size));
        let most = [count, size].map(|t| self.bounds(state, t).1);
        if most[0].checked_mul(most[1]).is_none() {
            let (count, size) = (self.terms.zext(count, 128), self.terms.zext(size, 128));
            let (product, most) = (self.terms.mul(count, size), self.terms.constant_of(128, u64::MAX.into()));
            let fits = self.terms.ule(product, most);
            if !self.decide(state, fits)? {
                return Ok(None);
            }
        }
        let product = self.terms.mul(count, size);
        self.size_of_term(state, product, self.largest_object(), u64::MAX).map(Some)
    }

    /// A new object of the frame: its address.
    pub(crate) fn stack_object(&mut self, state: &mut State, size: Reg, align: u32) -> Result<Reg, Stop> {
        self.used(state, size, "an argument or a size")?;
        let size = match size.term() {
            None => Size::Known(size.value),
            Some(t) => self.stack_size(state, t)?,
        };
        let birth = self.birth(self.here(state));
        if u64::from(align) > self.program.target.most_align() {
            return Err(Stop::unsupported(format!("a local variable with an alignment of {align} bytes")));
        }
        let got = state.memory.allocate_stack_born(size.most(), align.into(), Kind::Stack, birth);
        let address = got.ok_or_else(|| {
            if size.most() < STACK_LIMIT && !state.memory.has_stack_room(size.most()) {
                return Stop::unsupported(FEW_ADDRESSES);
            }
            Stop::bug(BugKind::StackOverflow, format!("a stack object of {} bytes", size.most()))
        })?;
        size.tell(state, address);
        let weight = match size {
            Size::Known(size) => size,
            Size::Symbolic { least, .. } => least,
        };
        state.frame.weight += weight;
        state.stack_bytes += weight;
        self.check_stack(state)?;
        Ok(Reg::known(address))
    }

    fn stack_size(&mut self, state: &State, t: Term) -> Result<Size, Stop> {
        let room = MOST_SLACK.saturating_sub(self.stack_slack(state));
        if self.options.max_symbolic_size <= room {
            return self.size_of_term(state, t, STACK_LIMIT, room);
        }
        let size = self.concrete_term(state, t)?;
        self.decided_by_value(state, Limit::StackRoom, self.terms.range(t).1);
        Ok(Size::Known(size))
    }

    /// Number of bytes that local objects have beyond their certain ones.
    fn stack_slack(&self, state: &State) -> u64 {
        let symbolic = state.memory.objects().filter(|o| o.kind == Kind::Stack && o.extent.is_some());
        symbolic.map(|o| o.size - o.certain).sum()
    }

    /// A new object of the heap; its address, or `None` if there is no memory for it.
    pub(crate) fn heap_object(&self, state: &mut State, size: Size, align: u64, birth: Birth) -> Option<u64> {
        let address = state.memory.allocate_born(size.most(), align, Kind::Heap, birth)?;
        size.tell(state, address);
        Some(address)
    }

    /// Memory of the start-up code: for arguments and environment, or for an input of a fuzz target or a harness.
    pub(crate) fn start_object(
        &mut self,
        state: &mut State,
        what: Builtin,
        [size, most, name]: [Reg; 3],
    ) -> Result<Reg, Stop> {
        if what == Builtin::SizedInput {
            return self.sized_input(state, size, most, name);
        }
        let size = self.concrete(state, size)?;
        Ok(Reg::known(state.memory.allocate(size, Kind::Start).unwrap_or(0)))
    }

    /// The input `name` of a fuzz target (runtime/fuzz.c) or a harness: `size` symbolic bytes, which is at most `most`.
    fn sized_input(&mut self, state: &mut State, size: Reg, most: Reg, name: Reg) -> Result<Reg, Stop> {
        let most = self.concrete(state, most)?;
        let name = self.text_at(state, name).unwrap_or_else(|| FUZZ_OBJECT.into());
        if most > MAX_INPUT {
            return Err(Stop::unsupported(format!("an input of {most} bytes (the limit is {MAX_INPUT})")));
        }
        let size = match size.term().map(|t| self.value(state, t)) {
            Some(term) if self.terms.constant64(term).is_none() => {
                Size::Symbolic { term, least: 0, most, small: None }
            }
            Some(term) => Size::Known(self.terms.constant64(term).unwrap_or(most)),
            None => Size::Known(size.value),
        };
        let birth = Birth { undefined: false, ..self.birth(self.here(state)) };
        let Some(base) = state.memory.allocate_born(size.most(), HEAP_ALIGN, Kind::Start, birth) else {
            return Err(Stop::unsupported(format!("an input of {most} bytes")));
        };
        let bytes = self.new_input(&mut state.inputs, &name, most as u32);
        let there = bytes.len().min(size.most() as usize);
        state.memory.write(base, &bytes[..there]).map_err(|f| self.pointer_bug(&f))?;
        size.tell(state, base);
        Ok(Reg::known(base))
    }

    /// The text at the start of an object has been made: it ends behind the first NUL from offset `from` on.
    pub(crate) fn text_ends(&mut self, state: &mut State, text: Reg, from: Reg) -> Result<(), Stop> {
        let (base, from) = (self.concrete(state, text)?, self.concrete(state, from)?);
        let Some(object) = state.memory.object(base).filter(|_| self.options.checks.has(Family::Argument))
        else {
            return Ok(());
        };
        let zero = self.terms.constant_of(8, 0);
        let mut extent = self.terms.constant_of(64, object.size.into());
        // The last byte is a NUL.
        for size in (from + 1..object.size).rev() {
            let byte = object.get(size - 1).term(&mut self.terms);
            let (is_end, size) = (self.terms.eq(byte, zero), self.terms.constant_of(64, size.into()));
            extent = self.terms.ite(is_end, size, extent);
        }
        if self.terms.constant64(extent).is_none() {
            state.memory.set_extent(base, from + 1, extent);
        }
        Ok(())
    }

    /// An object's size without the alternatives that are less than `certain`, which the path excludes.
    fn extent_from(&self, mut extent: Term, certain: u64) -> Term {
        while let Node::Ite(_, size, rest) = self.terms.node(extent)
            && self.terms.constant64(size).is_some_and(|size| size < certain)
        {
            extent = rest;
        }
        extent
    }

    /// Decides if an object has the bytes that an op has accessed. If it has them, the op is to run again.
    ///
    /// # Errors
    /// The bug of an access out of bounds, or the open decision.
    pub(crate) fn within_size(
        &mut self,
        state: &mut State,
        base: u64,
        offset: u64,
        end: u64,
    ) -> Result<(), Stop> {
        let Some((object, extent)) = state.memory.object(base).and_then(|o| Some((o, o.extent?))) else {
            return Err(Stop::impossible("an object without a symbolic size that may have bytes or not"));
        };
        let Object { kind, size, origin, birth, certain, .. } = *object;
        let answers = self.cursor;
        let extent = self.extent_from(extent, certain);
        let last = self.terms.constant_of(64, u128::from(end - 1));
        let has_them = self.terms.ult(last, extent);
        if !self.decide(state, has_them)? {
            let offset = offset as i64;
            let fault = Fault::OutOfBounds { kind, size, symbolic: true, offset, origin, base, birth };
            return Err(self.pointer_bug(&fault));
        }
        self.again(state, answers);
        state.memory.make_certain(base, end);
        Ok(())
    }

    /// Size in bytes above which an allocation returns null.
    pub(crate) fn largest_object(&self) -> u64 {
        match self.program.target {
            Target::X86_64 => MAX_OBJECT,
            Target::I386 => LARGEST_OF_32_BITS,
        }
    }
}
