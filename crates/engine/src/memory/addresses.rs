//! Marks of paths whose outcome depends on the addresses of objects.
//!
//! The model chooses addresses; another machine, or the next run of the same executable, chooses others. A path is marked with
//! the place if the order of two objects, or a number made of an address, decides or is written: its outcome is no certain
//! forecast. The distance of two pointers into one object, a comparison with null or of pointers in the bounds of two objects,
//! and the low bits that an object's alignment fixes depend on no address.
//!
//! An input may also be an address itself: a pointer that is made of the test's bytes alone is held against the address of an
//! object or of code, or comes to one. The test then has the address that the model chose.
//!
//! A number made of an address carries a handle like a pointer's object (`origins.rs`): [`Raw`] as long as it is the address
//! plus an offset that depends on no address. Operations on numbers pass the handle on; a branch, an index and a write to a
//! file set the mark.

use std::rc::Rc;

use cleave_expr::{BinaryOp, Node, Term};
use cleave_memory::Kind;
use cleave_program::code::{Op, Pred, SwitchTable};
use cleave_program::layout::{FUNCTION_BASE, GLOBAL_BASE, Target};
use cleave_region::BugKind;

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::ops::direct::mask64;
use crate::states::places::OpPlace;
use crate::states::state::{Reg, State};
use crate::stop::Stop;
use crate::undefined::shades::{Cause, Raw, Why};

/// The end of a path of a program for 32 bits that makes many objects.
pub(crate) const FEW_ADDRESSES: &str = "an object more than there are addresses for in 32 bits";

/// Maximum number of places kept of a path at which it depends on addresses; people look at the first.
const MOST_PLACES: usize = 4;
/// Alignment of the results of `malloc`, in bytes.
pub(crate) const HEAP_ALIGN: u64 = 16;
/// Alignment of functions, in bytes: a pointer to a member of a class has a bit below.
const CODE_ALIGN: u64 = 2;
/// Alignment of memory that `mmap` gives, in bytes: a page.
const MAPPED_ALIGN: u64 = 4096;
/// Size of a program's address space, in bytes: no machine gives a program more.
pub(crate) const MOST_ANYWHERE: u64 = 1 << 47;
/// Below this there are no objects: null and small numbers that stand for something else.
const FIRST_ADDRESS: u64 = FUNCTION_BASE;
/// Addresses of functions and labels.
const CODE: std::ops::Range<u64> = FUNCTION_BASE..GLOBAL_BASE;
/// A term with more nodes than this is not looked through for addresses: a word of eight bytes of the test has 29.
const MOST_NODES: usize = 64;

/// True if no object of a machine has this address: null, small numbers, what lies behind all addresses.
fn is_nowhere(target: Target, value: u64) -> bool {
    let end = match target {
        Target::X86_64 => MOST_ANYWHERE,
        // No kernel gives out the last page: the addresses there are errors.
        Target::I386 => (1 << 32) - MAPPED_ALIGN,
    };
    !(FIRST_ADDRESS..end).contains(&value)
}

/// True if the comparison of a number, which is at least `least`, with `bound` has one result. Numbers are unsigned.
fn is_below(pred: Pred, bound: Reg, least: u64) -> bool {
    bound.term().is_none()
        && match pred {
            Pred::Ult | Pred::Uge => bound.value <= least,
            Pred::Ule | Pred::Ugt | Pred::Eq | Pred::Ne => bound.value < least,
            Pred::Slt | Pred::Sle | Pred::Sgt | Pred::Sge => false,
        }
}

impl Engine {
    /// The path depends on addresses from here on.
    pub(crate) fn depends_on_addresses(&self, state: &mut State) {
        let place = self.here_in_program(state);
        if state.addresses.len() < MOST_PLACES && !state.addresses.contains(&place) {
            Rc::make_mut(&mut state.addresses).push(place);
        }
    }

    /// The places at which a path depends on addresses: `FILE:LINE`, or a function without line information.
    pub fn address_places(&self, state: &State) -> Vec<String> {
        let line = |place: &OpPlace| {
            self.place_line(*place).map(|l| match l.file {
                Some(file) if l.line > 0 => format!("{file}:{}", l.line),
                _ => l.function,
            })
        };
        let mut places: Vec<String> = Vec::new();
        for place in state.addresses.iter().filter_map(line) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    /// The origin of a number that was made of an address: the address, while the number still is that plus an offset, and the
    /// place.
    fn address_of(&self, r: Reg) -> Option<(Option<Raw>, OpPlace)> {
        let cause = self.shades.get(r.base()?).1;
        match cause.why {
            Why::Address(raw) => Some((raw, cause.place)),
            Why::Distance(_) | Why::Less(_) => Some((None, cause.place)),
            _ => None,
        }
    }

    /// The least that the distance of two places in different objects is, in bytes, if `r` is one.
    fn least_distance(&self, r: Reg) -> Option<u64> {
        match self.shades.get(r.base()?).1.why {
            Why::Distance(least) => Some(least),
            _ => None,
        }
    }

    /// The address that a number lacks, if it is one that depends on no address, less an address.
    fn lacks(&self, r: Reg) -> Option<Raw> {
        match self.shades.get(r.base()?).1.why {
            Why::Less(raw) => Some(raw),
            _ => None,
        }
    }

    /// `r`, which is one of these numbers. As [`Engine::derived`]; a choice of two distances is a distance, however it is made.
    pub(crate) fn derived_choice(&mut self, r: Reg, cond: Reg, sides: [Reg; 2]) -> Reg {
        let place = self.address_of(sides[0]).map(|(_, place)| place);
        match (sides.map(|side| self.least_distance(side)), place) {
            ([Some(a), Some(b)], Some(place)) if r.handle().is_none() => {
                self.with_cause(r, Why::Distance(a.min(b)), place)
            }
            _ => self.derived(r, &[cond, sides[0], sides[1]]),
        }
    }

    /// Marks the path if `r`, which decides something, is a number made of an address.
    #[inline]
    pub(crate) fn decides(&self, state: &mut State, r: Reg) {
        if self.is_of_addresses(r) {
            self.depends_on_addresses(state);
        }
    }

    /// True if a number is made of addresses.
    pub(crate) fn is_of_addresses(&self, r: Reg) -> bool {
        r.base().is_some() && self.address_of(r).is_some()
    }

    /// Marks the path if a pointer that is moved by a number made of addresses stays in its object, or becomes symbolic: the
    /// number is then an index. The distance to another object is no index, and sets no mark.
    pub(crate) fn index_of_addresses(&self, state: &mut State, base: Reg, to: Reg) {
        let start = self.object_start(state, base);
        if start.is_some() && (to.term().is_some() || self.object_start(state, to) == start) {
            self.depends_on_addresses(state);
        }
    }

    /// `r`, made of these registers, is made of an address if one of them is.
    #[inline]
    pub(crate) fn derived(&mut self, r: Reg, from: &[Reg]) -> Reg {
        if r.handle().is_some() || from.iter().all(|r| r.base().is_none()) {
            return r;
        }
        match from.iter().find_map(|r| self.address_of(*r)) {
            Some((_, place)) => self.with_address(r, None, place),
            None => r,
        }
    }

    pub(crate) fn with_address(&mut self, r: Reg, raw: Option<Raw>, place: OpPlace) -> Reg {
        self.with_cause(r, Why::Address(raw), place)
    }

    pub(crate) fn with_cause(&mut self, r: Reg, why: Why, place: OpPlace) -> Reg {
        r.with_shade(Some(self.shades.handle(&mut self.terms, Cause { why, place })))
    }

    /// True if an address has this width, in bits.
    fn is_word(&self, w: u8) -> bool {
        u64::from(w) == 8 * self.program.target.pointer_bytes()
    }

    /// As [`Engine::derived`], of the result of an operation of `w` bits on two numbers.
    pub(crate) fn derived_by(&mut self, op: BinaryOp, w: u8, r: Reg, x: Reg, y: Reg) -> Reg {
        let (a, b) = (self.address_of(x), self.address_of(y));
        let raw = match (op, a, b) {
            (_, None, None) => return r,
            // The distance of two places in one object.
            (BinaryOp::Sub, Some((Some(a), _)), Some((Some(b), _))) if self.is_word(w) && a.is_same(b) => {
                return r;
            }
            // Of two places with room behind each: whichever object lies first, all of its room is between them.
            (BinaryOp::Sub, Some((Some(a), place)), Some((Some(b), _)))
                if self.is_word(w) && x.term().is_none() && y.term().is_none() =>
            {
                let least = a.room(self.span(x)).min(b.room(self.span(y)));
                return self.with_cause(r, Why::Distance(least), place);
            }
            // An index that is counted as `index - old + new`, where `!old` is `-1 - old`.
            (BinaryOp::Sub, None, Some((Some(raw), place))) if self.is_word(w) => {
                return self.with_cause(r, Why::Less(raw), place);
            }
            (BinaryOp::Xor, Some((Some(raw), place)), None)
                if self.is_word(w) && y.term().is_none() && y.value == mask64(w) =>
            {
                return self.with_cause(r, Why::Less(raw), place);
            }
            (BinaryOp::Add, Some((raw, _)), Some((other, _)))
                if [(self.lacks(x), other), (self.lacks(y), raw)]
                    .iter()
                    .any(|(lacks, raw)| lacks.zip(*raw).is_some_and(|(a, b)| a.is_same(b))) =>
            {
                return r;
            }
            (BinaryOp::Sub | BinaryOp::Add, Some((None, place)), None)
            | (BinaryOp::Add, None, Some((None, place)))
                if let Some(raw) = self.lacks(x).or(self.lacks(y)) =>
            {
                return self.with_cause(r, Why::Less(raw), place);
            }
            (BinaryOp::Sub | BinaryOp::Add, Some((raw, _)), None) => raw,
            (BinaryOp::Add, None, Some((raw, _))) => raw,
            // The bits that the object's alignment fixes.
            (BinaryOp::And | BinaryOp::URem, Some((Some(raw), _)), None) if y.term().is_none() => {
                let fixed = match op {
                    BinaryOp::And => y.value < raw.align,
                    _ => y.value.is_power_of_two() && y.value <= raw.align,
                };
                if fixed {
                    return r;
                }
                None
            }
            _ => None,
        };
        match a.or(b) {
            Some((_, place)) => self.with_address(r, raw, place),
            None => r,
        }
    }

    /// As [`Engine::decides`], of a switch of `w` bits on `r`: among numbers that are no object's address it depends on no address.
    pub(crate) fn decides_switch(&self, state: &mut State, w: u8, r: Reg, table: &SwitchTable) {
        if !self.is_of_addresses(r) {
            return;
        }
        let is_address = matches!(self.address_of(r), Some((Some(_), _)));
        let target = self.program.target;
        let nowhere = || table.cases.iter().all(|(value, _)| is_nowhere(target, *value));
        if !self.is_word(w) || !is_address || !nowhere() {
            self.depends_on_addresses(state);
        }
    }

    /// As [`Engine::derived`], of a comparison of `w` bits: of two places in one object, with a number that no object's address is (null,
    /// the end of all addresses), and of the distance of two objects with a number that is less, it depends on no address.
    pub(crate) fn derived_comparison(&mut self, pred: Pred, w: u8, r: Reg, x: Reg, y: Reg) -> Reg {
        if let (Some(least), None) = (self.least_distance(x), y.handle())
            && self.is_word(w)
            && is_below(pred, y, least)
        {
            return r;
        }
        let nowhere = |r: Reg| r.term().is_none() && is_nowhere(self.program.target, r.value);
        match (self.address_of(x), self.address_of(y)) {
            (Some((Some(a), _)), Some((Some(b), _))) if self.is_word(w) && a.is_same(b) => r,
            (Some((Some(_), _)), None) if self.is_word(w) && nowhere(y) => r,
            (None, Some((Some(_), _))) if self.is_word(w) && nowhere(x) => r,
            _ => self.derived(r, &[x, y]),
        }
    }

    /// As [`Engine::derived`], of the low bits of a number.
    pub(crate) fn derived_low(&mut self, r: Reg, x: Reg) -> Reg {
        match self.address_of(x) {
            Some((raw, place)) if r.handle().is_none() => self.with_address(r, raw, place),
            _ => r,
        }
    }

    /// Marks the path if a pointer that came to an object or to code is an input.
    #[inline]
    pub(crate) fn came_to(&self, state: &mut State, pointer: Reg) {
        if pointer.base().is_none() && pointer.term().is_some_and(|t| self.is_input(state, t)) {
            self.depends_on_addresses(state);
        }
    }

    /// True if a term is made of the test's bytes alone: no address is in it, and it chooses among none.
    fn is_input(&self, state: &State, t: Term) -> bool {
        let (mut todo, mut steps) = (vec![t], 0);
        while let Some(t) = todo.pop() {
            match self.terms.node(t) {
                Node::Const(v) if self.is_place(state, v) => return false,
                Node::Ite(..) | Node::Table(..) | Node::Float(..) => return false,
                node => todo.extend(node.operands()),
            }
            steps += 1;
            if steps > MOST_NODES {
                return false;
            }
        }
        true
    }

    /// True if something is or was at this address.
    pub(crate) fn is_place(&self, state: &State, address: u64) -> bool {
        CODE.contains(&address)
            || address >= FIRST_ADDRESS
                && (state.memory.object(address).is_some() || state.memory.grave(address).is_some())
    }

    /// The start of the object that a pointer belongs to, as far as its value or its handle tells.
    pub(crate) fn object_start(&self, state: &State, r: Reg) -> Option<u64> {
        match (r.base(), r.term()) {
            (Some(handle), _) => self.terms.constant64(self.shades.base_of(handle)?),
            (None, None) if r.value >= FIRST_ADDRESS => state.memory.object(r.value).map(|o| o.base),
            (None, _) => None,
        }
    }

    /// The address of the function that a pointer of known value points to.
    fn function_start(&self, state: &State, r: Reg) -> Option<u64> {
        (r.is_known() && self.image(state).has_function_at(r.value)).then_some(r.value)
    }

    /// True if a pointer of known value is in the bounds of its object, and not at their end.
    pub(crate) fn is_in_bounds(&self, state: &State, r: Reg, start: u64) -> bool {
        let object = state.memory.object(start);
        // An object of zero bytes has an address of its own too.
        let within = |at: u64| object.is_some_and(|o| at < o.certain.max(1));
        r.term().is_none() && within(r.value.wrapping_sub(start))
    }

    /// Reports pointers into two objects that are compared by order, or subtracted, if that check is on.
    pub(crate) fn may_be_compared(&self, state: &State, how: &str, a: u64, b: u64) -> Result<(), Stop> {
        if !self.options.checks.has(Family::PointerCompare)
            || self.program.functions[state.frame.func as usize].library
        {
            return Ok(());
        }
        let name =
            |start| state.memory.object(start).map_or_else(|| "no object".into(), |o| self.object_name(o));
        let text = format!("pointers into two objects are {how}: into {} and {}", name(a), name(b));
        Err(Stop::bug(BugKind::PointerCompare, text))
    }

    /// A pointer as a number that the program computes with.
    pub(crate) fn pointer_as_number(&mut self, state: &State, x: Reg) -> Reg {
        if x.shade().is_some() {
            return x;
        }
        let raw = match self.object_start(state, x).or_else(|| self.function_start(state, x)) {
            Some(start) => Some(self.raw(state, start)),
            None => match self.objects_chosen(state, x) {
                Some(starts) if starts.is_empty() => return x.with_shade(None),
                Some(starts) => starts.iter().map(|start| self.raw(state, *start)).reduce(Raw::one_of),
                None => None,
            },
        };
        self.with_address(x.with_shade(None), raw, self.here_in_program(state))
    }

    /// The starts of the objects and functions among which the input chooses the one that a pointer belongs to; empty if it belongs
    /// to none, `None` if they are too many to be looked for.
    fn objects_chosen(&self, state: &State, x: Reg) -> Option<Vec<u64>> {
        let base = x.base().and_then(|handle| self.shades.base_of(handle));
        let (mut todo, mut starts) = (Vec::from_iter(base.or(x.term())), Vec::new());
        let mut take = |value: u64| {
            let start = self
                .object_start(state, Reg::known(value))
                .or_else(|| self.function_start(state, Reg::known(value)));
            starts.extend(start.filter(|start| !starts.contains(start)));
            starts.len() <= MOST_NODES
        };
        for _ in 0..MOST_NODES {
            let Some(t) = todo.pop() else { return Some(starts) };
            let goes_on = match self.terms.node(t) {
                Node::Const(value) => take(value),
                Node::Ite(_, a, b) => {
                    todo.extend([a, b]);
                    true
                }
                Node::Table(table, _) => self.terms.table_entries(table).iter().all(&mut take),
                node => {
                    todo.extend(node.operands());
                    true
                }
            };
            if !goes_on {
                return None;
            }
        }
        None
    }

    /// The least and the greatest value of a pointer.
    pub(crate) fn span(&self, r: Reg) -> (u64, u64) {
        r.term().map_or((r.value, r.value), |t| self.terms.range(t))
    }

    /// The facts of the object, or function, that starts at an address.
    pub(crate) fn raw(&self, state: &State, start: u64) -> Raw {
        let size = state.memory.object(start).map_or(0, |object| object.certain);
        Raw { start: Some(start), align: self.native_align(state, start), size }
    }

    /// The alignment, in bytes, that an object has wherever it lies.
    fn native_align(&self, state: &State, start: u64) -> u64 {
        let Some(object) = state.memory.object(start) else {
            return if CODE.contains(&start) { CODE_ALIGN } else { 1 };
        };
        match object.kind {
            Kind::Global => self.program.globals.get(object.origin as usize).map_or(1, |g| g.align.into()),
            Kind::Stack => match self.op_at(OpPlace::from_raw(object.birth)) {
                Some(Op::Alloca { align, .. }) => (*align).max(1).into(),
                _ => 1,
            },
            Kind::Heap => HEAP_ALIGN,
            Kind::Mapped => MAPPED_ALIGN,
            // An input of a fuzz target or a harness is born where it is made.
            Kind::Start if object.birth != 0 => HEAP_ALIGN,
            Kind::Start => self.align_of_start(state, start),
            Kind::Variable => 1,
        }
    }

    /// As [`Engine::native_align`], of an object that the start-up code or the beginning of a thread made.
    fn align_of_start(&self, state: &State, start: u64) -> u64 {
        let locals = state.parked.iter().flat_map(|parked| parked.locals.values()).flatten();
        if let Some((&variable, _)) = locals.into_iter().find(|(_, own)| **own == start) {
            return self.native_align(state, variable);
        }
        // The vector of arguments begins with a pointer to one, which lies anywhere.
        let word = self.program.target.pointer_bytes();
        let first = state.memory.load_known(start, word as usize);
        let is_argument = |at| state.memory.object(at).is_some_and(|o| o.kind == Kind::Start && o.base == at);
        if first.is_some_and(is_argument) { word } else { 1 }
    }
}
