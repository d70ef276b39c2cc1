//! Decides which shifts are checked at once, and which only where their result is used.
//!
//! An optimiser moves a shift in front of the check of its amount: `n < 32 ? x << n : 0` becomes a shift that is always
//! done and a choice behind it, and `strchr("=,", c)` a shift of a mask by any character. LLVM lets a shift by too much
//! do no harm until its result is used, so such a shift is *lazy*: its result is undefined, and using it is the bug.
//!
//! A shift is checked where it stands
//! - in a function that was compiled without optimisation: it was written there;
//! - where its result is stored, passed, returned, or decides something in its own block, not by way of a choice, and
//!   before anything is called: then the program asked for it whenever it comes here.

use llvm_sys::LLVMOpcode::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use rustc_hash::FxHashSet;

use crate::llvm::modules::values::name_of;
use crate::llvm::modules::values::{opcode, operand};
use crate::llvm::rewrites::unoptimised::is_unoptimised;
use crate::llvm::translation::translator::Translator;

/// More instructions than this behind a shift are not looked at.
const FAR: usize = 100;

/// Effect of a use of an undefined value.
enum Effect {
    /// Another undefined value, or nothing.
    Spreads,
    /// The program is bound to it.
    Binds,
    /// The program may be bound to it or not.
    Unsure,
}

fn effect(user: LLVMValueRef) -> Effect {
    match opcode(user) {
        LLVMStore | LLVMLoad | LLVMRet | LLVMBr | LLVMSwitch | LLVMIndirectBr => Effect::Binds,
        LLVMInvoke | LLVMResume => Effect::Binds,
        LLVMCall if !is_intrinsic(user) => Effect::Binds,
        LLVMSelect | LLVMFreeze | LLVMPHI | LLVMCall => Effect::Unsure,
        _ => Effect::Spreads,
    }
}

fn is_intrinsic(call: LLVMValueRef) -> bool {
    // SAFETY: the instruction is a call.
    let callee = unsafe { LLVMGetCalledValue(call) };
    name_of(callee).starts_with("llvm.")
}

/// Returns true if the program depends on the shift's result on every path that comes to the shift.
fn is_asked_for(shift: LLVMValueRef) -> bool {
    let mut made_of_it: FxHashSet<LLVMValueRef> = FxHashSet::from_iter([shift]);
    // SAFETY: the chain of a block's instructions ends in null.
    let next = |i| unsafe { LLVMGetNextInstruction(i) };
    let mut i = next(shift);
    for _ in 0..FAR {
        if i.is_null() {
            return false;
        }
        // SAFETY: an instruction has so many operands.
        let operands = unsafe { LLVMGetNumOperands(i) } as u32;
        let touched = (0..operands).any(|k| made_of_it.contains(&operand(i, k)));
        match effect(i) {
            Effect::Binds if touched => return true,
            Effect::Spreads if touched => {
                made_of_it.insert(i);
            }
            _ => {}
        }
        if opcode(i) == LLVMCall && !is_intrinsic(i) {
            return false; // it may not come back
        }
        i = next(i);
    }
    false
}

impl Translator<'_, '_> {
    /// Returns true if a shift is checked only where its result is used.
    pub(crate) fn is_lazy(&self, shift: LLVMValueRef) -> bool {
        // SAFETY: the shift stands in a block of a function; the cast gives null for a value of another kind.
        let (function, fixed) = unsafe {
            let function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(shift));
            (function, !LLVMIsAConstantInt(operand(shift, 1)).is_null())
        };
        !fixed && !is_unoptimised(function) && !is_asked_for(shift)
    }
}
