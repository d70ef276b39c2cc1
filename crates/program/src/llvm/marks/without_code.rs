//! Finds instructions that have no native code, so that no debugger stops at their lines. For a debugger, the translation leaves
//! their lines out.

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::llvm::modules::values::{instructions_of, name_of, opcode};
use crate::llvm::translation::scopes::mark;

/// Returns true if an instruction has no native code, so that debuggers never see its line: descriptions of variables, marks of
/// scopes, and jumps to the next block.
pub(crate) fn is_silent(i: LLVMValueRef) -> bool {
    is_description(i) || mark(i).is_some() || fallen_into(i).is_some()
}

fn is_description(i: LLVMValueRef) -> bool {
    // SAFETY: the opcode says what it is.
    opcode(i) == LLVMOpcode::LLVMCall && name_of(unsafe { LLVMGetCalledValue(i) }).starts_with("llvm.dbg.")
}

/// The block that a jump goes to, if that is the one behind it. A block of a jump alone keeps it, as clang has it.
pub(crate) fn fallen_into(i: LLVMValueRef) -> Option<LLVMBasicBlockRef> {
    if opcode(i) != LLVMOpcode::LLVMBr {
        return None;
    }
    // SAFETY: a branch is in a block, and has successors.
    let (block, next) = unsafe {
        let block = LLVMGetInstructionParent(i);
        let next = LLVMGetNextBasicBlock(block);
        (block, (LLVMGetNumSuccessors(i) == 1 && LLVMGetSuccessor(i, 0) == next).then_some(next)?)
    };
    instructions_of(block).into_iter().any(|other| other != i && !is_description(other)).then_some(next)
}

/// Returns true if no other instruction of its block has native code.
pub(crate) fn is_alone(i: LLVMValueRef) -> bool {
    // SAFETY: an instruction is in a block.
    let block = unsafe { LLVMGetInstructionParent(i) };
    instructions_of(block).into_iter().all(|other| other == i || is_description(other))
}
