//! Calls by another type of function than that of the one called: through a pointer, without a prototype, with a wrong one. C
//! leaves them undefined; the calling convention of x86-64 says where each side puts and looks for arguments, so the result is
//! often certain: surplus arguments are not looked at, floating-point arguments have registers of their own, the low bits of a
//! wider integer are taken, and arguments beyond the fixed ones of a variadic function are variable. A value that is looked for
//! and was never put is undefined, and its use is a bug; so are the bits above a small result. If an argument depends on the
//! side that extends it, the call is unsupported.

use std::rc::Rc;

use cleave_program::code::{ArgClass, Function, IndirectCall, Kind, NO_REG, Op, Program};
use cleave_program::layout::Target;
use cleave_program::{branch_ops, float_ops, klee_builtins, other_ops, plain_ops, wide_ops};

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::states::places::OpPlace;
use crate::states::state::{Frame, Reg, State, Variable};
use crate::stop::Stop;
use crate::undefined::shades::{Cause, Why};

/// Integer and vector registers that pass arguments.
const INTEGERS: u32 = 6;
const VECTORS: u32 = 8;

/// The place of a passed scalar: the number of the first register of its class, or bytes into the stack's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArgumentPlace {
    Integer(u32),
    Vector(u32),
    Stack(u32),
}

/// The parts of registers and stack that are used up.
struct ArgumentPlaces {
    integers: u32,
    vectors: u32,
    stack: u32,
    /// Numbers of integer and vector registers that there are.
    most: (u32, u32),
}

impl ArgumentPlaces {
    const ARGUMENTS: ArgumentPlaces =
        ArgumentPlaces { integers: 0, vectors: 0, stack: 0, most: (INTEGERS, VECTORS) };
    /// Results stand in two registers of each class; the stack stands for those of the x87.
    const RESULTS: ArgumentPlaces = ArgumentPlaces { integers: 0, vectors: 0, stack: 0, most: (2, 2) };

    fn next(&mut self, kind: Kind) -> ArgumentPlace {
        let wide = kind.width > 64;
        let take = |used: &mut u32, n: u32, most: u32| {
            let first = *used;
            (first + n <= most).then(|| {
                *used += n;
                first
            })
        };
        let register = match (kind.float, wide) {
            (true, true) => None,
            (true, false) => take(&mut self.vectors, 1, self.most.1).map(ArgumentPlace::Vector),
            (false, _) => take(&mut self.integers, 1 + wide as u32, self.most.0).map(ArgumentPlace::Integer),
        };
        register.unwrap_or_else(|| {
            let size = if wide { 16 } else { 8 };
            let at = self.stack.next_multiple_of(size);
            self.stack = at + size;
            ArgumentPlace::Stack(at)
        })
    }
}

/// A scalar that a caller passes.
#[derive(Clone, Copy)]
struct PassedScalar {
    kind: Kind,
    low: Reg,
    high: Reg,
}

/// The arguments that the called function finds.
pub(crate) struct Passed {
    /// Its fixed arguments.
    pub(crate) regs: Vec<Reg>,
    /// Its variable ones.
    pub(crate) variable: Option<Rc<[Variable]>>,
}

/// The class of a scalar's place while there are registers.
fn class_of(kind: Kind) -> ArgClass {
    match (kind.float, kind.width > 64) {
        (true, true) => ArgClass::Memory,
        (true, false) => ArgClass::Float,
        (false, _) => ArgClass::Integer,
    }
}

/// True unless a builtin's result does not fit a call: a builtin puts it in place itself.
fn builtin_fits(call: &IndirectCall, callee: &Function) -> bool {
    callee.builtin.is_none() || call.dst == NO_REG || callee.signature.results == call.signature.results
}

/// The cause of a value that a wrong prototype leaves undefined.
fn missing(place: OpPlace, argument: Option<usize>) -> Cause {
    let number = argument.map(|i| u16::try_from(i + 1).unwrap_or(u16::MAX));
    Cause { why: Why::OtherType(number), place }
}

/// The results that the call which a frame stands at wants; `None` if it wants none.
pub(crate) fn wanted<'a>(program: &'a Program, frame: &Frame) -> Option<&'a [Kind]> {
    let function = program.functions.get(frame.func as usize)?;
    match function.code.get(frame.pc as usize)? {
        Op::CallIndirect { call, .. } => {
            let call = function.indirect.get(*call as usize)?;
            (call.dst != NO_REG).then_some(&call.signature.results)
        }
        // The callee is known, and its results are those of the op.
        Op::Call { .. } | Op::CallVar { .. } => None,
        // These call nothing, but a frame may stand at a builtin that does.
        Op::Ret { .. } | plain_ops!() | branch_ops!() | other_ops!() | wide_ops!() | float_ops!() => None,
    }
}

/// The scalars of a call in their order; `None` if an argument is no scalar.
fn given(call: &IndirectCall, fixed: &[Reg], variable: Option<&[Variable]>) -> Option<Vec<PassedScalar>> {
    let mut out = Vec::new();
    let mut at = 0;
    for &kind in &call.signature.params {
        let high = if kind.registers() > 1 { *fixed.get(at + 1)? } else { Reg::ZERO };
        out.push(PassedScalar { kind, low: *fixed.get(at)?, high });
        at += kind.registers();
    }
    for v in variable.unwrap_or_default() {
        if v.byval.is_some() {
            return None;
        }
        out.push(PassedScalar { kind: Kind { width: v.bits, float: v.float }, low: v.low, high: v.high });
    }
    Some(out)
}

impl Engine {
    /// The arguments that the callee of a call by another type finds.
    pub(crate) fn passed(
        &mut self,
        state: &State,
        call: &IndirectCall,
        callee: &Function,
        fixed: &[Reg],
        variable: Option<Rc<[Variable]>>,
    ) -> Result<Passed, Stop> {
        if self.program.target != Target::X86_64 {
            return Err(unclear(callee, "in a program for 32 bits"));
        }
        if !builtin_fits(call, callee) {
            return Err(unclear(callee, "whose result it does not give"));
        }
        if !call.signature.plain || !callee.signature.plain {
            return Err(unclear(callee, "with vectors or whole structures"));
        }
        let given = given(call, fixed, variable.as_deref())
            .ok_or_else(|| unclear(callee, "with whole structures"))?;
        let mut places = ArgumentPlaces::ARGUMENTS;
        let mut given: Vec<(ArgumentPlace, PassedScalar)> =
            given.into_iter().map(|g| (places.next(g.kind), g)).collect();
        let mut own = ArgumentPlaces::ARGUMENTS;
        let mut regs = Vec::with_capacity(callee.params as usize);
        for (i, &kind) in callee.signature.params.iter().enumerate() {
            let place = own.next(kind);
            let source = given.iter().position(|(p, _)| *p == place).map(|at| given.remove(at).1);
            let cause = missing(self.here(state), Some(i));
            let (low, high) = match source {
                Some(g) => match self.as_kind(state, g, kind, cause)? {
                    Some(found) => found,
                    None => {
                        return Err(unclear(
                            callee,
                            &format!("which is not clear of its argument {}", i + 1),
                        ));
                    }
                },
                // Functions of KLEE are no functions natively.
                None if matches!(callee.builtin, Some(klee_builtins!())) => {
                    return Err(unclear(callee, &format!("which lacks its argument {}", i + 1)));
                }
                None => (self.undefined_from(Reg::ZERO, kind.width, 0, cause), Reg::ZERO),
            };
            regs.push(low);
            regs.extend((kind.registers() > 1).then_some(high));
        }
        if !callee.variadic {
            return Ok(Passed { regs, variable: None });
        }
        // A call by a type that is not variadic does not say how many vector registers are used.
        if call.varargs.is_none() && given.iter().any(|(_, g)| g.kind.float) {
            return Err(unclear(callee, "which is variadic, with floating-point arguments"));
        }
        let variable = given.iter().map(|(_, g)| Variable {
            low: g.low,
            high: g.high,
            bits: g.kind.width,
            float: g.kind.float,
            byval: None,
            align: if g.kind.width > 64 { 16 } else { 8 },
            class: class_of(g.kind),
        });
        Ok(Passed { regs, variable: Some(variable.collect()) })
    }

    /// The results of a function for a caller that called by another type: the values that it finds where it looks for those
    /// that it `wanted`.
    pub(crate) fn returned(
        &mut self,
        state: &State,
        callee: &Function,
        regs: &[Reg],
        wanted: &[Kind],
    ) -> Result<Vec<Reg>, Stop> {
        let mut places = ArgumentPlaces::RESULTS;
        let mut given = Vec::new();
        let mut at = 0;
        for &kind in &callee.signature.results {
            let reg = |i: usize| regs.get(i).copied().unwrap_or(Reg::ZERO);
            given.push((places.next(kind), PassedScalar { kind, low: reg(at), high: reg(at + 1) }));
            at += kind.registers();
        }
        let mut places = ArgumentPlaces::RESULTS;
        let mut found = Vec::new();
        let cause = missing(self.here(state), None);
        for &kind in wanted {
            let place = places.next(kind);
            let (low, high) = match given.iter().find(|(p, _)| *p == place) {
                Some(&(_, g)) => self
                    .as_result(state, g, kind, cause)?
                    .ok_or_else(|| unclear(callee, "whose result is of another kind"))?,
                None => (self.undefined_from(Reg::ZERO, kind.width, 0, cause), Reg::ZERO),
            };
            found.push(low);
            found.extend((kind.registers() > 1).then_some(high));
        }
        Ok(found)
    }

    /// `r` of `w` bits, of which those from `low` on are undefined.
    fn undefined_from(&mut self, r: Reg, w: u8, low: u8, cause: Cause) -> Reg {
        if low >= w || !self.options.checks.has(Family::Uninitialised) {
            return r;
        }
        let all = if w >= 128 { u128::MAX } else { (1 << w) - 1 };
        let (old, above) = (self.undefined_bits(w, r), self.terms.constant_of(w, all >> low << low));
        let bits = self.terms.or(old, above);
        let cause = self.cause_of(&[r]).unwrap_or(cause);
        r.with_shade(self.shade_of(bits, cause))
    }

    /// The value of a `kind` that is found in the place of a passed scalar; `None` if that is not certain.
    fn as_kind(
        &mut self,
        state: &State,
        given: PassedScalar,
        kind: Kind,
        cause: Cause,
    ) -> Result<Option<(Reg, Reg)>, Stop> {
        let (from, to) = (given.kind.width, kind.width);
        if given.kind == kind {
            return Ok(Some((given.low, given.high)));
        }
        if from > 64 || to > 64 {
            return Ok(None);
        }
        if to >= 32 && to <= from {
            return Ok(Some((self.low_bits(given.low, from, to), Reg::ZERO)));
        }
        if from >= 32 && to > from {
            // The bits above are not set.
            let value = self.extended(false, from, to, given.low);
            return Ok(Some((self.undefined_from(value, to, from, cause), Reg::ZERO)));
        }
        if kind.float || given.kind.float {
            return Ok(None);
        }
        if from == 1 && to == 8 {
            return Ok(Some((self.extended(false, from, to, given.low), Reg::ZERO)));
        }
        // Below 32 bits a caller extends its arguments, by sign or by zeros, and a callee relies on that: both are the same if
        // the value is small.
        let narrow = from.min(to);
        // A truth value has one bit, and the others are zero.
        let bits = if to == 1 { 1 } else { narrow - 1 };
        if !self.is_small(state, given.low, from, bits)? {
            return Ok(None);
        }
        let value = if to < from {
            self.low_bits(given.low, from, to)
        } else {
            self.extended(false, from, to, given.low)
        };
        Ok(Some((self.undefined_from(value, to, 32, cause), Reg::ZERO)))
    }

    /// The value of a `kind` that a caller finds in the place of a result; `None` if that is not certain. Unlike arguments,
    /// results of less than 32 bits are not extended: compilers set the eight bits of a truth value, and of other integers
    /// their own.
    fn as_result(
        &mut self,
        state: &State,
        given: PassedScalar,
        kind: Kind,
        cause: Cause,
    ) -> Result<Option<(Reg, Reg)>, Stop> {
        let (from, to) = (given.kind.width, kind.width);
        let floats = given.kind.float || kind.float;
        if floats || from.min(to) >= 32 || from.max(to) > 64 || from == to {
            return self.as_kind(state, given, kind, cause);
        }
        if to > from {
            let value = self.extended(false, from, to, given.low);
            return Ok(Some((self.undefined_from(value, to, from.max(8), cause), Reg::ZERO)));
        }
        let set = self.low_bits(given.low, from, to.max(8));
        // A caller relies on a truth value being 0 or 1.
        if to == 1 && !self.is_small(state, set, from.min(8), 1)? {
            return Ok(None);
        }
        Ok(Some((self.low_bits(set, to.max(8), to), Reg::ZERO)))
    }

    /// Decides if a value of `w` bits is less than `2^bits`.
    fn is_small(&mut self, state: &State, r: Reg, w: u8, bits: u8) -> Result<bool, Stop> {
        match r.term() {
            None => Ok(r.value >> bits == 0),
            Some(t) => {
                let bound = self.terms.constant_of(w, 1 << bits);
                let small = self.terms.ult(t, bound);
                self.decide(state, small)
            }
        }
    }

    fn low_bits(&mut self, r: Reg, from: u8, to: u8) -> Reg {
        if to < from { self.truncated(to, r) } else { r }
    }
}

/// The end of a path on which a value that a call finds is not certain.
fn unclear(callee: &Function, why: &str) -> Stop {
    let name = &callee.name;
    Stop::unsupported(format!("a call of `{name}` by another type of function than its own, {why}"))
}
