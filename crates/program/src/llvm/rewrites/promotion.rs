//! Moves variables from memory to registers if no access can follow the end of their scope.
//!
//! The pass `mem2reg` removes the marks of a scope together with the variable. It works in rounds: a pointer that becomes a
//! register leaves direct accesses of its pointee, and so the next round takes a variable whose address was taken. Behind its
//! scope such an access is a bug, and it must not read the variable's last value. So a variable that has a scope, and whose
//! address is stored or passed, is pinned in memory while pointers become registers. Then all remaining accesses to it are known,
//! and it may move too if none of them can follow the end of its scope.

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use rustc_hash::FxHashSet;

use crate::llvm::LoadError;
use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::{blocks_of, instructions_of, opcode, operand};
use crate::llvm::translation::scopes::{mark, variable};

/// The pass that moves variables.
const PROMOTE: &str = "function(mem2reg)";
/// A call of this keeps a variable in memory.
const PIN: &std::ffi::CStr = c"cleave.pin";

/// Moves variables from memory to registers.
pub(crate) fn promote(module: &Module) -> Result<(), LoadError> {
    let mut pinned = pin(module);
    loop {
        module.run_passes(PROMOTE)?;
        let before = pinned.len();
        pinned.retain(|pin| {
            let free = is_free(pin.variable);
            if free {
                // SAFETY: the call is ours, and nothing uses it.
                unsafe { LLVMInstructionEraseFromParent(pin.call) };
            }
            !free
        });
        if pinned.len() == before {
            break;
        }
    }
    // SAFETY: the calls are ours, and then nothing uses the function.
    unsafe {
        pinned.into_iter().for_each(|pin| LLVMInstructionEraseFromParent(pin.call));
        let function = LLVMGetNamedFunction(module.module, PIN.as_ptr());
        if !function.is_null() {
            LLVMDeleteFunction(function);
        }
    }
    Ok(())
}

struct Pin {
    variable: LLVMValueRef,
    call: LLVMValueRef,
}

/// Pins each variable that has a scope and whose address goes anywhere.
fn pin(module: &Module) -> Vec<Pin> {
    let mut found = Vec::new();
    for f in module.functions() {
        let all = blocks_of(f).into_iter().flat_map(instructions_of);
        let ended = all.filter(|&i| mark(i) == Some(false)).filter_map(variable);
        let ended: FxHashSet<LLVMValueRef> = ended.collect();
        // In the order of the function, so that the result is the same each time.
        let variables = blocks_of(f).into_iter().flat_map(instructions_of).filter(|i| ended.contains(i));
        found.extend(variables.filter(|&v| users(v).into_iter().any(|user| !is_access(user, v))));
    }
    if found.is_empty() {
        return Vec::new();
    }
    // SAFETY: see the module's head; a variable is not the last instruction of its block.
    unsafe {
        let builder = LLVMCreateBuilderInContext(module.context);
        let mut params = [LLVMPointerTypeInContext(module.context, 0)];
        let ty = LLVMFunctionType(LLVMVoidTypeInContext(module.context), params.as_mut_ptr(), 1, 0);
        let function = LLVMAddFunction(module.module, PIN.as_ptr(), ty);
        let pins = found.into_iter().map(|variable| {
            LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(variable));
            let mut argument = variable;
            Pin { variable, call: LLVMBuildCall2(builder, ty, function, &mut argument, 1, c"".as_ptr()) }
        });
        let pins = pins.collect();
        LLVMDisposeBuilder(builder);
        pins
    }
}

/// The instructions that use a value.
fn users(value: LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut out = Vec::new();
    // SAFETY: the chain of uses ends in null.
    unsafe {
        let mut next = LLVMGetFirstUse(value);
        while !next.is_null() {
            out.push(LLVMGetUser(next));
            next = LLVMGetNextUse(next);
        }
    }
    out
}

/// Returns true if a user of a variable's address only accesses the variable, or marks its scope.
fn is_access(user: LLVMValueRef, variable: LLVMValueRef) -> bool {
    match opcode(user) {
        LLVMOpcode::LLVMLoad => true,
        LLVMOpcode::LLVMStore => operand(user, 0) != variable,
        _ => mark(user).is_some(),
    }
}

/// Returns true if a pinned variable may move: all remaining uses are accesses, and none can follow the end of its scope.
fn is_free(variable: LLVMValueRef) -> bool {
    let all = users(variable);
    // One of them is the pin.
    if all.iter().filter(|&&user| !is_access(user, variable)).count() > 1 {
        return false;
    }
    let ends = all.iter().filter(|&&user| mark(user) == Some(false));
    let users: FxHashSet<LLVMValueRef> = all.iter().copied().collect();
    ends.into_iter().all(|&end| !is_accessed_behind(end, &users))
}

/// Returns true if an access, of these users of a variable, can follow the end of its scope before the scope begins again.
fn is_accessed_behind(end: LLVMValueRef, users: &FxHashSet<LLVMValueRef>) -> bool {
    // SAFETY: an instruction is in a block, a block has an end, and that so many successors; the chain of a block's instructions ends in null.
    unsafe {
        let mut seen: FxHashSet<LLVMBasicBlockRef> = FxHashSet::default();
        let mut waiting = vec![LLVMGetNextInstruction(end)];
        while let Some(first) = waiting.pop() {
            let mut i = first;
            let mut last = first;
            while !i.is_null() {
                if users.contains(&i) {
                    match mark(i) {
                        Some(true) => break,
                        Some(false) => {}
                        None => return true,
                    }
                }
                (last, i) = (i, LLVMGetNextInstruction(i));
            }
            if i.is_null() {
                let next = (0..LLVMGetNumSuccessors(last)).map(|k| LLVMGetSuccessor(last, k));
                waiting.extend(next.filter(|&b| seen.insert(b)).map(|b| LLVMGetFirstInstruction(b)));
            }
        }
        false
    }
}
