//! Calls by another type of function than that of the one called: through a pointer, without a prototype, with a wrong
//! one. C leaves them undefined; the calling convention of x86-64 says where each side puts and looks for arguments, so
//! what happens is often certain: arguments too many are not looked at, floating-point arguments have registers of their
//! own, of a wider integer the low bits are taken, what is beyond the fixed arguments of a variadic function is variable.
//! Where what is looked for was never put, or depends on who extends what, the call is unsupported.

use std::rc::Rc;

use cleave_program::code::{ArgClass, Function, IndirectCall, Kind, NO_REG, Op, Program};
use cleave_program::{branch_ops, float_ops, other_ops, plain_ops, wide_ops};

use crate::engine::Engine;
use crate::state::{Frame, Reg, State, Variable};
use crate::stop::Stop;

/// Integer and vector registers that pass arguments.
const INTEGERS: u32 = 6;
const VECTORS: u32 = 8;

/// Where a scalar is passed: the number of the first register of its class, or bytes into the stack's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArgumentPlace {
    Integer(u32),
    Vector(u32),
    Stack(u32),
}

/// What is used up of registers and stack.
#[derive(Default)]
struct ArgumentPlaces {
    integers: u32,
    vectors: u32,
    stack: u32,
}

impl ArgumentPlaces {
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
            (true, false) => take(&mut self.vectors, 1, VECTORS).map(ArgumentPlace::Vector),
            (false, _) => take(&mut self.integers, 1 + wide as u32, INTEGERS).map(ArgumentPlace::Integer),
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

/// What the function that is called finds.
pub(crate) struct Passed {
    /// Its fixed arguments.
    pub(crate) regs: Vec<Reg>,
    /// Its variable ones.
    pub(crate) variable: Option<Rc<[Variable]>>,
}

/// How a scalar is passed while there are registers.
fn class_of(kind: Kind) -> ArgClass {
    match (kind.float, kind.width > 64) {
        (true, true) => ArgClass::Memory,
        (true, false) => ArgClass::Float,
        (false, _) => ArgClass::Integer,
    }
}

/// Whether a result that is given as `from` and taken as `to` may have a certain value: see [`Engine::certain_results`].
fn becomes(from: Kind, to: Kind) -> bool {
    from == to || (!from.float && !to.float && to.width < from.width && from.width <= 64)
}

fn results_fit(call: &IndirectCall, callee: &Function) -> bool {
    let (own, wanted) = (&callee.signature.results, &call.signature.results);
    match callee.builtin {
        _ if call.dst == NO_REG => true,
        // A builtin puts its result in place itself.
        Some(_) => own == wanted,
        None => own.len() >= wanted.len() && own.iter().zip(wanted).all(|(&from, &to)| becomes(from, to)),
    }
}

/// The results that the call which a frame stands at wants; `None` where it wants none.
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

/// The scalars of a call in their order; `None` where one has no place that scalars say.
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
    /// What the callee of a call by another type finds.
    pub(crate) fn passed(
        &mut self,
        state: &State,
        call: &IndirectCall,
        callee: &Function,
        fixed: &[Reg],
        variable: Option<Rc<[Variable]>>,
    ) -> Result<Passed, Stop> {
        let name = &callee.name;
        let unclear = |why: &str| {
            Stop::unsupported(format!("a call of `{name}` by another type of function than its own, {why}"))
        };
        if !results_fit(call, callee) {
            return Err(unclear("whose result it does not give"));
        }
        if !call.signature.plain || !callee.signature.plain {
            return Err(unclear("with vectors or whole structures"));
        }
        let given =
            given(call, fixed, variable.as_deref()).ok_or_else(|| unclear("with whole structures"))?;
        let mut places = ArgumentPlaces::default();
        let given: Vec<(ArgumentPlace, PassedScalar)> =
            given.into_iter().map(|g| (places.next(g.kind), g)).collect();
        let mut own = ArgumentPlaces::default();
        let mut regs = Vec::with_capacity(callee.params as usize);
        let mut taken = 0;
        for (i, &kind) in callee.signature.params.iter().enumerate() {
            let place = own.next(kind);
            let source = given.iter().find(|(p, _)| *p == place);
            taken += source.is_some() as usize;
            let found = match source {
                Some((_, g)) => self.as_kind(state, *g, kind)?,
                None => None,
            };
            match found {
                Some((low, high)) => {
                    regs.push(low);
                    regs.extend((kind.registers() > 1).then_some(high));
                }
                // What it does not look at may be missing.
                None if callee.builtin.is_none() && !self.program.reads(callee, regs.len() as u32) => {
                    regs.extend(std::iter::repeat_n(Reg::ZERO, kind.registers()));
                }
                None => return Err(unclear(&format!("which lacks its argument {}", i + 1))),
            }
        }
        if !callee.variadic {
            return Ok(Passed { regs, variable: None });
        }
        // Whoever calls it as not variadic does not say how many vector registers are used.
        let rest: Vec<PassedScalar> = given[taken.min(given.len())..].iter().map(|(_, g)| *g).collect();
        if call.varargs.is_none() && rest.iter().any(|g| g.kind.float) {
            return Err(unclear("which is variadic, with floating-point arguments"));
        }
        let variable = rest.iter().map(|g| Variable {
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

    /// What whoever looks for a `kind` finds where a scalar was put; `None` where that is not certain.
    fn as_kind(
        &mut self,
        state: &State,
        given: PassedScalar,
        kind: Kind,
    ) -> Result<Option<(Reg, Reg)>, Stop> {
        let (from, to) = (given.kind.width, kind.width);
        if given.kind == kind {
            return Ok(Some((given.low, given.high)));
        }
        if from > 64 || to > 64 || given.kind.float != kind.float {
            return Ok(None);
        }
        if kind.float {
            // The low half of a double stands where a float is looked for.
            return Ok((to < from).then(|| (self.low_bits(given.low, from, to), Reg::ZERO)));
        }
        if to >= 32 && to < from {
            return Ok(Some((self.low_bits(given.low, from, to), Reg::ZERO)));
        }
        if from == 1 && to == 8 {
            return Ok(Some((self.extended(false, from, to, given.low), Reg::ZERO)));
        }
        // Below 32 bits a caller extends what it passes and a callee relies on that, by sign or by zeros: both are the
        // same where the value is small.
        let narrow = from.min(to);
        if narrow > 32 || to > 32 {
            return Ok(None);
        }
        // A truth value has one bit, and the others are zero.
        let bits = if to == 1 { 1 } else { narrow - 1 };
        if narrow == 32 || !self.is_small(state, given.low, from, bits)? {
            return Ok(None);
        }
        let value = if to < from {
            self.low_bits(given.low, from, to)
        } else {
            self.extended(false, from, to, given.low)
        };
        Ok(Some((value, Reg::ZERO)))
    }

    /// Whether a value of `w` bits is less than `2^bits`.
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

    /// Whether results that are given as `from` have certain values for whoever takes them as `to`: below 32 bits either
    /// side may extend them, by sign or by zeros, so they must be small.
    pub(crate) fn certain_results(
        &mut self,
        state: &State,
        regs: &[Reg],
        from: &[Kind],
        to: &[Kind],
    ) -> Result<bool, Stop> {
        let mut at = 0;
        for (from, to) in from.iter().zip(to) {
            if to.width < 32 && to.width < from.width {
                let bits = if to.width == 1 { 1 } else { to.width - 1 };
                let Some(&r) = regs.get(at) else { return Ok(false) };
                if !self.is_small(state, r, from.width, bits)? {
                    return Ok(false);
                }
            }
            at += from.registers();
        }
        Ok(true)
    }

    /// Cuts results that were given as `from` to what they are taken as.
    pub(crate) fn narrow(&mut self, regs: &mut [Reg], from: &[Kind], to: &[Kind]) {
        let mut at = 0;
        for (from, to) in from.iter().zip(to) {
            if let Some(r) = regs.get_mut(at).filter(|_| to.width < from.width && to.width < 64) {
                *r = self.low_bits(*r, from.width, to.width);
            }
            at += to.registers();
        }
    }
}
