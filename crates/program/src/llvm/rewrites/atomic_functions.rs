//! Atomic functions in the words of SV-COMP: no thread interrupts a function whose name begins with `__VERIFIER_atomic_`. Calls at its
//! beginning and in front of its returns say so, as `__VERIFIER_atomic_begin` and `__VERIFIER_atomic_end` do (runtime/atomic_sections.c).

use std::ffi::CStr;

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::*;

use crate::atomics::{SECTION_BEGINS, SECTION_ENDS};
use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::{blocks_of, instructions_of, name_of, opcode};

const PREFIX: &str = "__VERIFIER_atomic_";
/// These are calls of a program that say it themselves.
const CALLS: [&str; 2] = ["__VERIFIER_atomic_begin", "__VERIFIER_atomic_end"];
const POINT: &CStr = c"cleave_point";
const ORDERED: &CStr = c"cleave_ordered";

/// Inserts the calls into those of `functions` that are atomic by their names. Returns true if there are any.
pub(crate) fn mark(module: &Module, functions: &[LLVMValueRef]) -> bool {
    let is_atomic = |&f: &LLVMValueRef| {
        let name = name_of(f);
        name.starts_with(PREFIX) && !CALLS.contains(&name.as_str())
    };
    let atomic: Vec<LLVMValueRef> = functions.iter().copied().filter(is_atomic).collect();
    // SAFETY: the types and the builder belong to the module's context; the builder is disposed of.
    unsafe {
        let context = module.context;
        let (number, pointer) = (LLVMInt32TypeInContext(context), LLVMPointerTypeInContext(context, 0));
        let calls = Calls { module, builder: LLVMCreateBuilderInContext(context), number, pointer };
        atomic.iter().for_each(|&function| calls.put(function));
        LLVMDisposeBuilder(calls.builder);
    }
    !atomic.is_empty()
}

struct Calls<'m> {
    module: &'m Module,
    builder: LLVMBuilderRef,
    number: LLVMTypeRef,
    pointer: LLVMTypeRef,
}

impl Calls<'_> {
    fn put(&self, function: LLVMValueRef) {
        let instructions: Vec<_> = blocks_of(function).into_iter().flat_map(instructions_of).collect();
        let Some(&first) = instructions.iter().find(|&&i| opcode(i) != LLVMOpcode::LLVMAlloca) else {
            return;
        };
        // SAFETY: constants of types of the context.
        let (none, anything) = unsafe {
            let all = LLVMConstAllOnes(LLVMInt64TypeInContext(self.module.context));
            (LLVMConstNull(self.pointer), LLVMConstIntToPtr(all, self.pointer))
        };
        self.call(POINT, first, &mut [anything, none, none], &mut [self.pointer; 3]);
        self.section(first, SECTION_BEGINS);
        for &ret in instructions.iter().filter(|&&i| opcode(i) == LLVMOpcode::LLVMRet) {
            self.section(ret, SECTION_ENDS);
        }
    }

    fn section(&self, before: LLVMValueRef, how: u32) {
        // SAFETY: constants of types of the context.
        let mut arguments =
            unsafe { [LLVMConstNull(self.pointer), LLVMConstInt(self.number, how.into(), 0)] };
        self.call(ORDERED, before, &mut arguments, &mut [self.pointer, self.number]);
    }

    fn call(
        &self,
        name: &CStr,
        before: LLVMValueRef,
        arguments: &mut [LLVMValueRef],
        parameters: &mut [LLVMTypeRef],
    ) {
        let count = arguments.len() as u32;
        // SAFETY: the name is NUL-terminated, the arguments are of the types of the parameters, and `before` is in a block.
        unsafe {
            let nothing = LLVMVoidTypeInContext(self.module.context);
            let ty = LLVMFunctionType(nothing, parameters.as_mut_ptr(), count, 0);
            let known = LLVMGetNamedFunction(self.module.module, name.as_ptr());
            let function =
                if known.is_null() { LLVMAddFunction(self.module.module, name.as_ptr(), ty) } else { known };
            LLVMPositionBuilderBefore(self.builder, before);
            let call =
                LLVMBuildCall2(self.builder, ty, function, arguments.as_mut_ptr(), count, c"".as_ptr());
            LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(before));
        }
    }
}
