//! Marks the places where a program's exit status gets its value: returns of `main`.
//!
//! An undefined status is noticed only when the C library ends the process; by then nothing of the program is on the stack. So
//! there is a mark at each return of `main`. In code that was compiled without optimisation there is also one at each `return`
//! statement, which is a store to the one variable that is returned.

use llvm_sys::LLVMOpcode;
use llvm_sys::LLVMTypeKind::LLVMIntegerTypeKind;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::*;

use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::{blocks_of, instructions_of, kind_of, name_of, opcode, operand, type_of};
use crate::llvm::rewrites::unoptimised::{is_birth, is_unoptimised};

/// The name of the mark; the table of builtins has it too.
const MARK: &std::ffi::CStr = c"cleave_exit_status";

/// Puts the marks into a module that no pass has changed.
pub(crate) fn mark_exit_status(module: &Module) {
    // SAFETY: see the module's head; what is not there is null, and a return has a value if its type is one.
    unsafe {
        let main = LLVMGetNamedFunction(module.module, c"main".as_ptr());
        if main.is_null() || LLVMCountBasicBlocks(main) == 0 {
            return;
        }
        let result = LLVMGetReturnType(LLVMGlobalGetValueType(main));
        // A `main` of another type gives no status.
        let gives_none = kind_of(result) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(result) > 64;
        let result = if gives_none { LLVMInt32TypeInContext(module.context) } else { result };
        let all: Vec<_> = blocks_of(main).into_iter().flat_map(instructions_of).collect();
        let mut marked = Vec::new();
        for &end in all.iter().filter(|&&i| opcode(i) == LLVMOpcode::LLVMRet) {
            if gives_none {
                marked.push((end, LLVMGetUndef(result)));
                continue;
            }
            let value = operand(end, 0);
            marked.push((end, value));
            if !is_unoptimised(main) || LLVMIsALoadInst(value).is_null() {
                continue;
            }
            let variable = operand(value, 0);
            let stores = all.iter().filter(|&&i| opcode(i) == LLVMOpcode::LLVMStore && !is_birth(i));
            let returns = stores.filter(|&&i| operand(i, 1) == variable && type_of(operand(i, 0)) == result);
            marked.extend(returns.map(|&i| (i, operand(i, 0))));
        }
        marked.retain(|&(_, value)| LLVMIsAConstantInt(value).is_null());
        if marked.is_empty() {
            return;
        }
        let void = LLVMVoidTypeInContext(module.context);
        let mut params = [result];
        let ty = LLVMFunctionType(void, params.as_mut_ptr(), 1, 0);
        let known = LLVMGetNamedFunction(module.module, MARK.as_ptr());
        let mark = if known.is_null() { LLVMAddFunction(module.module, MARK.as_ptr(), ty) } else { known };
        let builder = LLVMCreateBuilderInContext(module.context);
        for (before, mut value) in marked {
            LLVMPositionBuilderBefore(builder, before);
            let call = LLVMBuildCall2(builder, ty, mark, &mut value, 1, c"".as_ptr());
            LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(before));
        }
        LLVMDisposeBuilder(builder);
    }
}

/// Returns true if an instruction is such a mark.
pub(crate) fn is_status_mark(i: LLVMValueRef) -> bool {
    // SAFETY: the opcode says what it is.
    opcode(i) == LLVMOpcode::LLVMCall && is_status_function(&name_of(unsafe { LLVMGetCalledValue(i) }))
}

/// Returns true if calls of a function are such marks.
pub(crate) fn is_status_function(name: &str) -> bool {
    name.as_bytes() == MARK.to_bytes()
}
