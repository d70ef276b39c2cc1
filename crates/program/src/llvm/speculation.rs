//! Shifts that the optimiser moved in front of their check.
//!
//! `n < 32 ? x << n : 0` becomes a shift that is always done and a choice behind it: LLVM lets a shift by too much
//! do no harm until its value is used. Reporting it where it stands would blame a program that checks its amounts.
//! So such a shift is not translated where it stands but where its value is asked for:
//!
//! - in an arm of a `select` with the amount `select c, n, 0`, so that the engine's own check holds just where the
//!   arm is chosen. Where `c` itself bounds the amount, as above, it is `n & 31`, and there is nothing to check;
//! - in another block, if it was moved out of there.
//!
//! Who moved it? Passes that speculate take the source position away, or put that of the branch, which becomes the
//! select's. A shift with a position of its own was written where it stands, and is checked there. Without any
//! debug information LLVM's own rule holds: what no `select` chooses does no harm.

use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMDILocationGetLine, LLVMGetSubprogram, LLVMInstructionGetDebugLoc};
use llvm_sys::prelude::*;

use super::function::{Home, Translator, instructions_of, opcode, operand, type_of};
use super::instructions::{binary, binary_op, compare, predicate, resize};
use super::types::Scalar;
use crate::code::*;

/// A shift is done again at each place that uses it, with what is computed from it: no more than this many ops.
const MOST_USES: usize = 8;

/// The arm of a select that is being translated: its condition, and the value of that which chooses the arm.
#[derive(Clone, Copy)]
pub(crate) struct Guard {
    cond: LLVMValueRef,
    operand: Operand,
    side: bool,
}

impl Guard {
    /// Whether the arm is chosen only where `amount` is less than `width`.
    fn bounds(self, amount: LLVMValueRef, width: u64) -> bool {
        if !is_instruction(self.cond) || opcode(self.cond) != LLVMICmp {
            return false;
        }
        let (compared, Some(k)) = (operand(self.cond, 0), constant_of(operand(self.cond, 1))) else {
            return false;
        };
        // What is less than the width is the same number before the cast.
        let cast = is_instruction(amount) && matches!(opcode(amount), LLVMZExt | LLVMTrunc);
        if compared != amount && !(cast && operand(amount, 0) == compared) {
            return false;
        }
        // SAFETY: it is a comparison.
        match (unsafe { LLVMGetICmpPredicate(self.cond) }, self.side) {
            (LLVMIntULT, true) | (LLVMIntUGE, false) => k <= width,
            (LLVMIntULE | LLVMIntEQ, true) | (LLVMIntUGT | LLVMIntNE, false) => k < width,
            _ => false,
        }
    }
}

fn is_shift(op: LLVMOpcode) -> bool {
    matches!(op, LLVMShl | LLVMLShr | LLVMAShr)
}

fn constant_of(v: LLVMValueRef) -> Option<u64> {
    // SAFETY: see the module's head; asked of integers of at most 64 bits.
    unsafe {
        let narrow = !LLVMIsAConstantInt(v).is_null() && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64;
        narrow.then(|| LLVMConstIntGetZExtValue(v))
    }
}

fn is_instruction(v: LLVMValueRef) -> bool {
    // SAFETY: the cast gives null for a value of another kind.
    unsafe { !LLVMIsAInstruction(v).is_null() }
}

/// Whether a shift's amount is below its width whatever the input.
fn is_in_range(shift: LLVMValueRef, width: u64) -> bool {
    let amount = operand(shift, 1);
    if let Some(k) = constant_of(amount) {
        return k < width;
    }
    is_instruction(amount)
        && match opcode(amount) {
            LLVMAnd => constant_of(operand(amount, 1)).is_some_and(|k| k < width),
            LLVMURem => constant_of(operand(amount, 1)).is_some_and(|k| k <= width),
            _ => false,
        }
}

fn users(v: LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut out = Vec::new();
    // SAFETY: the chain of uses ends in null.
    unsafe {
        let mut next = LLVMGetFirstUse(v);
        while !next.is_null() && out.len() <= MOST_USES {
            out.push(LLVMGetUser(next));
            next = LLVMGetNextUse(next);
        }
    }
    out
}

/// Shows that what needs a shift's value are arms of selects, or other blocks.
struct Search {
    shift: LLVMValueRef,
    /// The function has debug information.
    located: bool,
    /// The shift has lost its own position.
    moved: bool,
    found: Vec<LLVMValueRef>,
}

impl Search {
    fn new(shift: LLVMValueRef, located: bool) -> Search {
        let moved = located && has_no_place(shift);
        Search { shift, located, moved, found: Vec::new() }
    }

    /// Whether the shift was not written where `with` is, as far as positions tell.
    fn is_speculated_like(&self, with: LLVMValueRef) -> bool {
        // SAFETY: both are instructions.
        let same = unsafe { LLVMInstructionGetDebugLoc(self.shift) == LLVMInstructionGetDebugLoc(with) };
        !self.located || self.moved || same
    }

    fn all_uses(&mut self, v: LLVMValueRef) -> bool {
        self.found.push(v);
        let users = users(v);
        !users.is_empty()
            && users.len() + self.found.len() <= MOST_USES
            && (1..=64).contains(&integer_width(v))
            && users.into_iter().all(|user| self.one_use(v, user))
    }

    fn one_use(&mut self, v: LLVMValueRef, user: LLVMValueRef) -> bool {
        if !is_instruction(user) {
            return false;
        }
        // SAFETY: both are instructions.
        let elsewhere = unsafe { LLVMGetInstructionParent(user) != LLVMGetInstructionParent(v) };
        match opcode(user) {
            LLVMSelect if operand(user, 0) == v => self.all_uses(user),
            LLVMSelect => self.is_speculated_like(user),
            _ if elsewhere && self.moved => true,
            LLVMAdd | LLVMSub | LLVMMul | LLVMAnd | LLVMOr | LLVMXor | LLVMTrunc | LLVMZExt | LLVMSExt
            | LLVMICmp => self.all_uses(user),
            op if is_shift(op) => {
                (is_in_range(user, integer_width(user)) || self.is_speculated_like(user))
                    && self.all_uses(user)
            }
            _ => false,
        }
    }
}

/// The width of an integer; of other values 0.
fn integer_width(v: LLVMValueRef) -> u64 {
    // SAFETY: the width is asked of an integer type.
    unsafe {
        match LLVMGetTypeKind(type_of(v)) {
            LLVMTypeKind::LLVMIntegerTypeKind => LLVMGetIntTypeWidth(type_of(v)) as u64,
            _ => 0,
        }
    }
}

fn has_no_place(i: LLVMValueRef) -> bool {
    // SAFETY: the position of an instruction is null or a location.
    unsafe {
        let place = LLVMInstructionGetDebugLoc(i);
        place.is_null() || LLVMDILocationGetLine(place) == 0
    }
}

impl Translator<'_, '_> {
    /// Finds the shifts of the function whose translation waits until they are asked for.
    pub(crate) fn defer_shifts(&mut self, f: LLVMValueRef, blocks: &[LLVMBasicBlockRef]) {
        // SAFETY: see the module's head.
        let located = unsafe { !LLVMGetSubprogram(f).is_null() };
        for shift in blocks.iter().flat_map(|&b| instructions_of(b)).filter(|&i| is_shift(opcode(i))) {
            let width = integer_width(shift);
            if !(1..=64).contains(&width) || is_in_range(shift, width) {
                continue;
            }
            let mut search = Search::new(shift, located);
            if search.all_uses(shift) {
                self.homes.extend(search.found.into_iter().map(|v| (v, Home::Deferred)));
            }
        }
    }

    /// Translates a value that was deferred, here, where it is asked for.
    pub(crate) fn demanded(&mut self, v: LLVMValueRef) -> Option<Operand> {
        let s = *self.flat(type_of(v))?.first()?;
        if opcode(v) == LLVMSelect {
            let cond = self.one(operand(v, 0))?;
            let (a, b) = (self.arm(v, 1, cond)?.first()?.1, self.arm(v, 2, cond)?.first()?.1);
            let dst = self.fresh(1);
            self.push(Op::Select { w: s.width as u8, dst, cond, a, b });
            return Some(Operand::reg(dst));
        }
        let (from, a) = *self.scalars(operand(v, 0))?.first()?;
        let op = opcode(v);
        if matches!(op, LLVMTrunc | LLVMZExt | LLVMSExt) {
            let dst = self.fresh(1);
            self.push(resize(op, from, s, dst, a));
            return Some(Operand::reg(dst));
        }
        let mut b = self.one(operand(v, 1))?;
        if is_shift(op) && !is_in_range(v, s.width as u64) {
            b = self.guarded(operand(v, 1), s.width as u8, b);
        }
        let dst = self.fresh(1);
        if op == LLVMICmp {
            // SAFETY: the opcode says what it is.
            let pred = predicate(unsafe { LLVMGetICmpPredicate(v) });
            self.push(compare(pred, from, dst, a, b));
        } else {
            self.push(binary(binary_op(op)?, s, dst, a, b));
        }
        Some(Operand::reg(dst))
    }

    /// The value of arm 1 or 2 of a select of one condition.
    pub(crate) fn arm(
        &mut self,
        select: LLVMValueRef,
        k: u32,
        cond: Operand,
    ) -> Option<Vec<(Scalar, Operand)>> {
        self.guards.push(Guard { cond: operand(select, 0), operand: cond, side: k == 1 });
        let values = self.scalars(operand(select, k));
        self.guards.pop();
        values
    }

    /// The amount of a shift of `w` bits in the arms that are being translated: where one of them is not chosen, an
    /// amount that does no harm.
    fn guarded(&mut self, amount: LLVMValueRef, w: u8, b: Operand) -> Operand {
        if w.is_power_of_two() && self.guards.iter().any(|g| g.bounds(amount, w as u64)) {
            let (dst, most) = (self.fresh(1), self.constant(w as u64 - 1));
            self.push(Op::And { w, dst, a: b, b: most });
            return Operand::reg(dst);
        }
        let (zero, mut amount) = (self.constant(0), b);
        for guard in self.guards.clone() {
            let dst = self.fresh(1);
            let (a, b) = if guard.side { (amount, zero) } else { (zero, amount) };
            self.push(Op::Select { w, dst, cond: guard.operand, a, b });
            amount = Operand::reg(dst);
        }
        amount
    }
}
