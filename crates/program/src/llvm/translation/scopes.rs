//! Scopes of local variables: `llvm.lifetime.start` and `llvm.lifetime.end`.
//!
//! Clang marks the scopes of all variables from `-O1` on, and at `-O0` if it is told to (`cleave cc` does). LLVM's passes keep a
//! mark if the variable stays in memory.

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::llvm::modules::types::Layout;
use crate::llvm::modules::values::{blocks_of, instructions_of, name_of, opcode, operand};

/// The mark that an instruction is: true for the beginning of a scope, false for its end; `None` for other instructions.
pub(crate) fn mark(i: LLVMValueRef) -> Option<bool> {
    if opcode(i) != LLVMOpcode::LLVMCall {
        return None;
    }
    // SAFETY: the opcode says what it is; the cast gives null for a value of another kind.
    let function = unsafe { LLVMIsAFunction(LLVMGetCalledValue(i)) };
    if function.is_null() {
        return None;
    }
    let name = name_of(function);
    Some(name.strip_prefix("llvm.lifetime.")?.starts_with("start"))
}

/// The variable that a mark is of, if it is one.
pub(crate) fn variable(mark: LLVMValueRef) -> Option<LLVMValueRef> {
    let variable = operand(mark, 1);
    // SAFETY: the cast gives null for a value of another kind.
    unsafe { !LLVMIsAAllocaInst(variable).is_null() }.then_some(variable)
}

/// Returns true if all marks of a function are of whole variables. If not, one could be the end of a scope whose beginning is not
/// understood, and all marks are ignored.
pub(crate) fn are_whole(f: LLVMValueRef, layout: &Layout) -> bool {
    let whole = |i: LLVMValueRef| {
        let Some(variable) = variable(i) else { return false };
        // SAFETY: the first operand of a mark is a constant, that of a variable an integer.
        unsafe {
            let (size, count) = (LLVMConstIntGetSExtValue(operand(i, 0)), operand(variable, 0));
            let one = !LLVMIsAConstantInt(count).is_null() && LLVMConstIntGetZExtValue(count) == 1;
            one && (size == -1 || size as u64 == layout.size(LLVMGetAllocatedType(variable)))
        }
    };
    blocks_of(f).into_iter().flat_map(instructions_of).all(|i| mark(i).is_none() || whole(i))
}
