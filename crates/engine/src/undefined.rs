//! What a failed check of `-fsanitize=undefined` says: the handlers of clang's runtime as bugs, one kind each, with the
//! place that the compiler has put into the handler's data.

use cleave_program::undefined::{Check, Handler};

use crate::checks::Family;
use crate::engine::Engine;
use crate::state::{Reg, State};
use crate::stop::{BugKind, Stop};

/// Where things stand in a handler's data: every one begins with a source location of 16 bytes.
const FIRST_TYPE: u64 = 16;
const SECOND_TYPE: u64 = 24;
/// Where a type's name stands in its descriptor.
const TYPE_NAME: u64 = 4;
/// `__ubsan_handle_type_mismatch`: the kind of access, behind the type and the logarithm of its alignment.
const ACCESS_KIND: u64 = 25;

/// The kinds of access that clang numbers.
const ACCESSES: [&str; 8] = [
    "load of",
    "store to",
    "reference binding to",
    "member access within",
    "member call on",
    "constructor call on",
    "downcast of",
    "downcast of",
];

impl Engine {
    /// A check has failed: a bug, unless its family is off and the program would go on.
    pub(crate) fn undefined(&mut self, state: &State, args: &[Reg]) -> Result<(), Stop> {
        let number = args.first().map_or(u64::MAX, |r| r.value);
        let Some(handler) = Handler::of(number) else {
            return Err(Stop::unsupported("a check of -fsanitize that is not known"));
        };
        let args = &args[1..];
        let (family, kind, text) = match handler.check {
            Check::TypeMismatch | Check::TypeMismatch1 => {
                let data = args.first().copied().filter(|_| handler.has_data);
                self.mismatch(state, data, args)?
            }
            _ => self.failed(state, handler, args),
        };
        if !handler.ends && !self.options.checks.has(family) {
            return Ok(());
        }
        // A result has its place apart from the data.
        let apart = matches!(handler.check, Check::NonnullResult1 | Check::NullabilityResult);
        let place = args.get(usize::from(apart)).filter(|_| handler.has_data);
        let place = place.and_then(|&at| self.source_place(state, at));
        Err(Stop::bug(kind, text + &place.unwrap_or_default()))
    }

    fn failed(&self, state: &State, handler: Handler, args: &[Reg]) -> (Family, BugKind, String) {
        use Check::*;
        let data = if handler.has_data { args.first().copied() } else { None };
        let type_at = |offset| self.type_name(state, data, offset);
        let arithmetic = |what: &str| {
            let text = format!("{what}{} overflows", type_at(FIRST_TYPE));
            (Family::Overflow, BugKind::Overflow, text)
        };
        let undefined = |kind, text: &str| (Family::Undefined, kind, text.to_string());
        match handler.check {
            Add => arithmetic("an addition"),
            Sub => arithmetic("a subtraction"),
            Mul => arithmetic("a multiplication"),
            Negate => arithmetic("a negation"),
            Division => {
                let text = format!("a division{} by zero, or one that overflows", type_at(FIRST_TYPE));
                (Family::Division, BugKind::Division, text)
            }
            Shift => {
                let text = format!("a shift{} by too much, or one that overflows", type_at(FIRST_TYPE));
                (Family::Shift, BugKind::Overshift, text)
            }
            Bounds => {
                let text = format!("an index outside of the array{}", type_at(FIRST_TYPE));
                undefined(BugKind::Bounds, &text)
            }
            Alignment => undefined(BugKind::Alignment, "an address is not aligned as the program says it is"),
            Pointer => self.pointer_arithmetic(args, data.is_some()),
            NonnullArgument | NullabilityArgument => {
                undefined(BugKind::Nonnull, "null is passed as an argument that is declared never to be null")
            }
            NonnullResult | NonnullResult1 | NullabilityResult => {
                undefined(BugKind::Nonnull, "null is returned by a function that is declared never to do so")
            }
            VlaBound => {
                undefined(BugKind::VlaBound, "an array of variable length has a length that is not positive")
            }
            Unreachable => undefined(BugKind::Unreachable, "code that was said to be unreachable is reached"),
            MissingReturn => {
                undefined(BugKind::Unreachable, "a function that returns a value ends without one")
            }
            Value => {
                let text = format!("a value is read that is none{}", type_at(FIRST_TYPE));
                undefined(BugKind::InvalidValue, &text)
            }
            FloatCast => {
                let text =
                    format!("a conversion{}{} overflows", self.from(state, data), self.to(state, data));
                undefined(BugKind::FloatCast, &text)
            }
            Conversion => {
                let (from, to) = (self.from(state, data), self.to(state, data));
                undefined(BugKind::Conversion, &format!("an implicit conversion{from}{to} changes the value"))
            }
            Builtin => undefined(BugKind::InvalidBuiltin, "a builtin that counts zeros is given 0"),
            TypeMismatch | TypeMismatch1 | FunctionType => {
                undefined(BugKind::BadCall, "a function is called through a pointer to another type")
            }
        }
    }

    /// ` of type 'int'`, if the data has it.
    fn type_name(&self, state: &State, data: Option<Reg>, offset: u64) -> String {
        match self.type_text(state, data, offset) {
            Some(name) => format!(" of type {name}"),
            None => String::new(),
        }
    }

    fn from(&self, state: &State, data: Option<Reg>) -> String {
        self.type_text(state, data, FIRST_TYPE).map_or(String::new(), |name| format!(" from {name}"))
    }

    fn to(&self, state: &State, data: Option<Reg>) -> String {
        self.type_text(state, data, SECOND_TYPE).map_or(String::new(), |name| format!(" to {name}"))
    }

    fn type_text(&self, state: &State, data: Option<Reg>, offset: u64) -> Option<String> {
        let data = data.filter(|r| r.is_known())?;
        let descriptor = state.memory.load_known(data.value + offset, 8)?;
        self.text_at(state, Reg::known(descriptor + TYPE_NAME)).filter(|name| !name.is_empty())
    }

    /// An access through a pointer that is null, not aligned, or to too small an object.
    fn mismatch(
        &mut self,
        state: &State,
        data: Option<Reg>,
        args: &[Reg],
    ) -> Result<(Family, BugKind, String), Stop> {
        let known = |address: u64, n| state.memory.load_known(address, n);
        let at = data.filter(|r| r.is_known()).map(|r| r.value);
        let access = at.and_then(|a| known(a + ACCESS_KIND, 1)).and_then(|k| ACCESSES.get(k as usize));
        let access = format!(
            "{}{}",
            access.copied().unwrap_or("use of"),
            self.type_text(state, data, FIRST_TYPE).map_or(String::new(), |name| format!(" {name}"))
        );
        let align = at.and_then(|a| known(a + SECOND_TYPE, 1)).map_or(1, |log| 1u64 << log.min(63));
        let pointer = args.get(1).copied().unwrap_or(Reg::ZERO);
        let (pointer, zero) = (self.term(64, pointer), self.terms.constant_of(64, 0));
        let null = self.terms.eq(pointer, zero);
        let low = self.terms.constant_of(64, u128::from(align - 1));
        let rest = self.terms.binary(cleave_expr::BinaryOp::And, pointer, low);
        let aligned = self.terms.eq(rest, zero);
        let (kind, what) = if self.decide(state, null)? {
            (BugKind::NullPointer, "through a null pointer")
        } else if self.decide(state, aligned)? {
            (BugKind::OutOfBounds, "with too little space")
        } else {
            (BugKind::Alignment, "through a pointer that is not aligned for it")
        };
        Ok((Family::Undefined, kind, format!("{access} {what}")))
    }

    fn pointer_arithmetic(&self, args: &[Reg], has_data: bool) -> (Family, BugKind, String) {
        let base = args.get(1).copied().unwrap_or(Reg::ZERO);
        let text = match has_data && base.is_known() && base.value == 0 {
            true => "an offset is added to a null pointer",
            false => "arithmetic on a pointer overflows, or begins with null",
        };
        (Family::Undefined, BugKind::PointerOverflow, text.to_string())
    }

    /// ` (FILE:LINE:COLUMN)` of a source location.
    fn source_place(&self, state: &State, at: Reg) -> Option<String> {
        let at = at.is_known().then_some(at.value)?;
        let file = state.memory.load_known(at, 8).filter(|&file| file != 0)?;
        let file = self.text_at(state, Reg::known(file)).filter(|name| !name.is_empty())?;
        let (line, column) = (state.memory.load_known(at + 8, 4)?, state.memory.load_known(at + 12, 4)?);
        Some(format!(" ({file}:{line}:{column})"))
    }
}
