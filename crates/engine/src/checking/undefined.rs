//! Failed checks of `-fsanitize=undefined`: the handlers of clang's runtime as bugs, one kind each, with the place that the
//! compiler has put into the handler's data. A message begins with the name that the summaries of clang's runtime, and KLEE,
//! have for the check.

use cleave_program::undefined::{Check, Handler};
use cleave_region::BugKind;

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::states::state::{Reg, State};
use crate::stop::Stop;

/// Bytes of a source location without its file: a line and a column. Every handler's data begin with one.
const PLACE: u64 = 8;
/// Offset of a type's name in its descriptor, in bytes.
const TYPE_NAME: u64 = 4;
/// The kinds of implicit conversions that clang numbers: the names in its runtime's summaries, and true if they drop bits.
const CONVERSIONS: [(&str, bool); 5] = [
    ("implicit-integer-truncation", true),
    ("implicit-unsigned-integer-truncation", true),
    ("implicit-signed-integer-truncation", true),
    ("implicit-integer-sign-change", false),
    ("implicit-signed-integer-truncation-or-sign-change", false),
];

/// An address as machines of 64 bits give objects, in the middle of a program's.
const USUAL_ADDRESS: u64 = 1 << 46;

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
    /// Bytes of a pointer in a handler's data.
    fn pointer(&self) -> usize {
        self.program.target.pointer_bytes() as usize
    }

    /// Offset in a handler's data behind so many pointers and the place: behind one is the first type, behind two the second one, or
    /// the logarithm of an alignment and the kind of access, behind three the kind of conversion.
    fn behind(&self, pointers: u64) -> u64 {
        PLACE + pointers * self.pointer() as u64
    }

    /// A check has failed: a bug, unless its family is off and the program would go on.
    pub(crate) fn undefined(&mut self, state: &mut State, args: &[Reg]) -> Result<(), Stop> {
        let number = args.first().map_or(u64::MAX, |r| r.value);
        let Some(handler) = Handler::of(number) else {
            return Err(Stop::impossible("a check of -fsanitize that has no entry"));
        };
        let args = &args[1..];
        let data = args.first().copied().filter(|_| handler.has_data);
        let (family, kind, text) = match handler.check {
            Check::TypeMismatch | Check::TypeMismatch1 => self.mismatch(state, data, args)?,
            Check::Pointer => {
                let found = self.pointer_arithmetic(state, data, args)?;
                if let [_, base, result, ..] = args
                    && !self.overflows_anywhere(state, *base, *result)?
                {
                    self.depends_on_addresses(state);
                }
                found
            }
            Check::Division => self.division_failed(state, data, args)?,
            check => self.failed(state, check, data),
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

    fn failed(&self, state: &State, check: Check, data: Option<Reg>) -> (Family, BugKind, String) {
        use Check::*;
        let type_at = |offset| self.type_name(state, data, offset);
        let arithmetic = |what: &str| {
            let sign = if self.is_unsigned(state, data) { "unsigned" } else { "signed" };
            let text = format!("{sign}-integer-overflow: {what}{} overflows", type_at(self.behind(1)));
            (Family::Overflow, BugKind::Overflow, text)
        };
        let undefined = |kind, text: &str| (Family::Undefined, kind, text.to_string());
        match check {
            Add => arithmetic("an addition"),
            Sub => arithmetic("a subtraction"),
            Mul => arithmetic("a multiplication"),
            Negate => arithmetic("a negation"),
            // A build asks for this check by itself: it is not one of the family that looks at every shift.
            Shift => {
                let what = format!("a shift{} by too much, or one that overflows", type_at(self.behind(1)));
                undefined(BugKind::Shift, &format!("invalid-shift: {what}"))
            }
            Bounds => {
                let text =
                    format!("out-of-bounds-index: an index outside of the array{}", type_at(self.behind(1)));
                undefined(BugKind::Bounds, &text)
            }
            Alignment => undefined(
                BugKind::Alignment,
                "alignment-assumption: an address is not aligned as the program says it is",
            ),
            NonnullArgument | NullabilityArgument => undefined(
                BugKind::Nonnull,
                "invalid-null-argument: null is passed as an argument that is declared never to be null",
            ),
            NonnullResult | NonnullResult1 | NullabilityResult => undefined(
                BugKind::Nonnull,
                "invalid-null-return: null is returned by a function that is declared never to do so",
            ),
            VlaBound => undefined(
                BugKind::VlaBound,
                "non-positive-vla-index: an array of variable length has a length that is not positive",
            ),
            Unreachable => undefined(
                BugKind::UnreachableCall,
                "unreachable-call: code that was said to be unreachable is reached",
            ),
            MissingReturn => undefined(
                BugKind::MissingReturn,
                "missing-return: a function that returns a value ends without one",
            ),
            Value => {
                let name = self.type_text(state, data, self.behind(1));
                let which = if name.is_some_and(|n| n.contains("ool")) { "bool" } else { "enum" };
                let what = format!("a value is read that is none{}", type_at(self.behind(1)));
                undefined(BugKind::InvalidValue, &format!("invalid-{which}-load: {what}"))
            }
            FloatCast => {
                let (from, to) = (self.from(state, data), self.to(state, data));
                let text = format!("float-cast-overflow: a conversion{from}{to} overflows");
                undefined(BugKind::FloatCast, &text)
            }
            Conversion => self.conversion(state, data),
            Builtin => undefined(
                BugKind::InvalidBuiltin,
                "invalid-builtin-use: a builtin that counts zeros is given 0",
            ),
            TypeMismatch | TypeMismatch1 | Pointer | Division | FunctionType => undefined(
                BugKind::BadCall,
                "function-type-mismatch: a function is called through a pointer to another type",
            ),
        }
    }

    /// A division by zero, or that of the least number by -1: then clang's runtime calls it an overflow.
    fn division_failed(
        &mut self,
        state: &State,
        data: Option<Reg>,
        args: &[Reg],
    ) -> Result<(Family, BugKind, String), Stop> {
        let of = self.type_name(state, data, self.behind(1));
        let divisor = args.get(2).copied().filter(|_| data.is_some());
        let divisor = divisor.filter(|_| self.of_type(state, data, 0) == Some(0));
        if let (Some(divisor), Some(info)) = (divisor, self.of_type(state, data, 2))
            && info & 1 == 1
        {
            let width = 1u32 << (info >> 1 & 31);
            if !self.is_zero(state, divisor, width)? {
                let least =
                    1u128.checked_shl(width - 1).map_or("the least number".into(), |n| format!("-{n}"));
                let name = self.type_text(state, data, self.behind(1)).unwrap_or_default();
                let text = format!(
                    "signed-integer-overflow: division of {least} by -1 cannot be represented in type {name}"
                );
                return Ok((Family::Overflow, BugKind::Overflow, text));
            }
        }
        let name = if self.is_float(state, data) { "float" } else { "integer" };
        Ok((Family::Division, BugKind::Division, format!("{name}-divide-by-zero: a division{of} by zero")))
    }

    /// Decides if an integer that a handler was given is zero: up to 64 bits by its value, above that by its address.
    fn is_zero(&mut self, state: &State, value: Reg, width: u32) -> Result<bool, Stop> {
        let mut all = self.terms.constant_of(64, 0);
        if u64::from(width) <= 8 * self.pointer() as u64 {
            all = self.term(64, value);
        } else {
            for word in 0..width.div_ceil(64) as i32 {
                let part = self.load(state, value, 8 * word, 64)?;
                let part = self.term(64, part);
                all = self.terms.or(all, part);
            }
        }
        let zero = self.terms.constant_of(64, 0);
        let is_zero = self.terms.eq(all, zero);
        self.decide(state, is_zero)
    }

    /// An implicit conversion that drops bits, or changes the sign alone.
    fn conversion(&self, state: &State, data: Option<Reg>) -> (Family, BugKind, String) {
        let at = data.filter(|r| r.is_known()).map(|r| r.value + self.behind(3));
        let number = at.and_then(|at| state.memory.load_known(at, 1));
        let (name, truncates) = number
            .and_then(|n| CONVERSIONS.get(n as usize).copied())
            .unwrap_or(("implicit-conversion", false));
        let kind = if truncates { BugKind::Truncation } else { BugKind::Conversion };
        let (from, to) = (self.from(state, data), self.to(state, data));
        let text = format!("{name}: an implicit conversion{from}{to} changes the value");
        (Family::Undefined, kind, text)
    }

    /// Two bytes of the first type's descriptor: its kind at 0 (0 is an integer), at 2 its lowest bit (1 is signed).
    fn of_type(&self, state: &State, data: Option<Reg>, offset: u64) -> Option<u64> {
        let data = data.filter(|r| r.is_known())?;
        let descriptor = state.memory.load_known(data.value + self.behind(1), self.pointer())?;
        state.memory.load_known(descriptor + offset, 2)
    }

    fn is_float(&self, state: &State, data: Option<Reg>) -> bool {
        self.of_type(state, data, 0) == Some(1)
    }

    fn is_unsigned(&self, state: &State, data: Option<Reg>) -> bool {
        self.of_type(state, data, 2).is_some_and(|info| info & 1 == 0)
    }

    /// ` of type 'int'`, if the data has it.
    fn type_name(&self, state: &State, data: Option<Reg>, offset: u64) -> String {
        match self.type_text(state, data, offset) {
            Some(name) => format!(" of type {name}"),
            None => String::new(),
        }
    }

    fn from(&self, state: &State, data: Option<Reg>) -> String {
        self.type_text(state, data, self.behind(1)).map_or(String::new(), |name| format!(" from {name}"))
    }

    fn to(&self, state: &State, data: Option<Reg>) -> String {
        self.type_text(state, data, self.behind(2)).map_or(String::new(), |name| format!(" to {name}"))
    }

    fn type_text(&self, state: &State, data: Option<Reg>, offset: u64) -> Option<String> {
        let data = data.filter(|r| r.is_known())?;
        let descriptor = state.memory.load_known(data.value + offset, self.pointer())?;
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
        let access = at.and_then(|a| known(a + self.behind(2) + 1, 1)).and_then(|k| ACCESSES.get(k as usize));
        let access = format!(
            "{}{}",
            access.copied().unwrap_or("use of"),
            self.type_text(state, data, self.behind(1)).map_or(String::new(), |name| format!(" {name}"))
        );
        let align = at.and_then(|a| known(a + self.behind(2), 1)).map_or(1, |log| 1u64 << log.min(63));
        let pointer = args.get(1).copied().unwrap_or(Reg::ZERO);
        let is_null = self.is_null(state, pointer)?;
        let (pointer, zero) = (self.term(64, pointer), self.terms.constant_of(64, 0));
        let low = self.terms.constant_of(64, u128::from(align - 1));
        let rest = self.terms.binary(cleave_expr::BinaryOp::And, pointer, low);
        let aligned = self.terms.eq(rest, zero);
        let (kind, name, what) = if is_null {
            (BugKind::NullPointer, "null-pointer-use", "through a null pointer")
        } else if self.decide(state, aligned)? {
            (BugKind::OutOfBounds, "insufficient-object-size", "with too little space")
        } else {
            (BugKind::Alignment, "misaligned-pointer-use", "through a pointer that is not aligned for it")
        };
        Ok((Family::Undefined, kind, format!("{name}: {access} {what}")))
    }

    /// Decides if the address before the arithmetic is null, and if the one behind it is.
    fn pointer_arithmetic(
        &mut self,
        state: &State,
        data: Option<Reg>,
        args: &[Reg],
    ) -> Result<(Family, BugKind, String), Stop> {
        let text = match (data, args) {
            (Some(_), [_, base, result, ..]) => {
                match (self.is_null(state, *base)?, self.is_null(state, *result)?) {
                    (true, true) => "nullptr-with-offset: an offset of zero is added to a null pointer",
                    (true, false) => "nullptr-with-nonzero-offset: an offset is added to a null pointer",
                    (false, true) => "nullptr-after-nonzero-offset: arithmetic on a pointer gives null",
                    (false, false) => "pointer-overflow: arithmetic on a pointer overflows",
                }
            }
            _ => "pointer-overflow: arithmetic on a pointer overflows, or begins with null",
        };
        Ok((Family::Undefined, BugKind::PointerOverflow, text.to_string()))
    }

    /// Returns true if the arithmetic from one address to the other does not depend on where the object lies: it begins with null, or
    /// comes out as it would on a machine, whose objects lie higher than the model's.
    fn overflows_anywhere(&mut self, state: &State, base: Reg, result: Reg) -> Result<bool, Stop> {
        if self.is_null(state, base)? {
            return Ok(true);
        }
        let offset = result.value.wrapping_sub(base.value);
        let is_below = USUAL_ADDRESS.wrapping_add(offset) < USUAL_ADDRESS;
        let is_known = base.is_known() && result.is_known();
        Ok(is_known && result.value != 0 && (result.value < base.value) == is_below)
    }

    fn is_null(&mut self, state: &State, pointer: Reg) -> Result<bool, Stop> {
        let (pointer, zero) = (self.term(64, pointer), self.terms.constant_of(64, 0));
        let null = self.terms.eq(pointer, zero);
        self.decide(state, null)
    }

    /// ` (FILE:LINE:COLUMN)` of a source location.
    fn source_place(&self, state: &State, at: Reg) -> Option<String> {
        let at = at.is_known().then_some(at.value)?;
        let file = state.memory.load_known(at, self.pointer()).filter(|&file| file != 0)?;
        let file = self.text_at(state, Reg::known(file)).filter(|name| !name.is_empty())?;
        let line_at = at + self.pointer() as u64;
        let (line, column) = (state.memory.load_known(line_at, 4)?, state.memory.load_known(line_at + 4, 4)?);
        Some(format!(" ({file}:{line}:{column})"))
    }
}
