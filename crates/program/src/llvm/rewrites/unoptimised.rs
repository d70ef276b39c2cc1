//! Keeps functions that were compiled without optimisation as they were written.
//!
//! Clang marks them so that no pass touches them. Our passes must, so the mark is kept under a name of our own. A variable that
//! moves from memory to a register is given a first value of ours: LLVM may choose any value for a variable without one, so that
//! `int x; if (c) x = 1; if (x) ...` would become `if (1) ...`, and the bug would be gone.

use std::ffi::{CStr, CString};

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMOpcode, LLVMTypeKind};

use crate::llvm::modules::values::name_of;
use crate::llvm::modules::values::{blocks_of, instructions_of, kind_of, opcode};
use crate::llvm::translation::scopes::{mark, variable};

/// Our own mark of functions that were compiled without optimisation.
const UNOPTIMISED: &CStr = c"cleave-unoptimised";
/// Calls of functions whose names begin so stand for undefined values.
const NO_VALUE: &str = "cleave.no.value.";
/// The mark of a store that gives a variable its first value of ours.
const BIRTH: &str = "cleave.birth";

/// Returns true if a function of a prepared module was compiled without optimisation.
pub(crate) fn is_unoptimised(function: LLVMValueRef) -> bool {
    let len = UNOPTIMISED.count_bytes() as u32;
    // SAFETY: the name is as long as we say; what is not there is null.
    unsafe {
        !LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, UNOPTIMISED.as_ptr(), len)
            .is_null()
    }
}

/// Returns true if a function stands for undefined values.
pub(crate) fn gives_no_value(function: &str) -> bool {
    function.starts_with(NO_VALUE)
}

fn birth_kind(context: LLVMContextRef) -> u32 {
    // SAFETY: the name is as long as we say.
    unsafe { LLVMGetMDKindIDInContext(context, BIRTH.as_ptr().cast(), BIRTH.len() as u32) }
}

/// Returns true if a store only says that a variable has no value yet: it stayed in memory, which knows that.
pub(crate) fn is_birth(store: LLVMValueRef) -> bool {
    // SAFETY: the instruction is a store; what is not there is null.
    unsafe { !LLVMGetMetadata(store, birth_kind(LLVMGetTypeContext(LLVMTypeOf(store)))).is_null() }
}

/// Marks functions that were compiled without optimisation, for the passes and for ourselves.
pub(crate) fn note_unoptimised(context: LLVMContextRef, module: LLVMModuleRef) {
    // SAFETY: see the module's head; the names are as long as we say.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(c"optnone".as_ptr(), 7);
        let mut f = LLVMGetFirstFunction(module);
        while !f.is_null() {
            if !LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind).is_null() {
                LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind);
                let (name, len) = (UNOPTIMISED.as_ptr(), UNOPTIMISED.count_bytes() as u32);
                let mark = LLVMCreateStringAttribute(context, name, len, c"".as_ptr(), 0);
                LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, mark);
                if LLVMCountBasicBlocks(f) > 0 {
                    give_first_values(context, module, f);
                }
            }
            f = LLVMGetNextFunction(f);
        }
    }
}

/// Returns true if a variable is one scalar.
fn is_scalar_variable(i: LLVMValueRef) -> bool {
    use LLVMTypeKind::*;
    if opcode(i) != LLVMOpcode::LLVMAlloca {
        return false;
    }
    // SAFETY: the opcode says what it is; the constant is asked of what is one.
    unsafe {
        let count = LLVMGetOperand(i, 0);
        let one = !LLVMIsAConstantInt(count).is_null() && LLVMConstIntGetZExtValue(count) == 1;
        let ty = LLVMGetAllocatedType(i);
        let narrow = kind_of(ty) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(ty) <= 128;
        let kinds = [LLVMIntegerTypeKind, LLVMPointerTypeKind, LLVMFloatTypeKind, LLVMDoubleTypeKind];
        one && narrow && (kinds.contains(&kind_of(ty)) || kind_of(ty) == LLVMX86_FP80TypeKind)
    }
}

/// The function whose calls give undefined values of a type.
unsafe fn no_value(module: LLVMModuleRef, ty: LLVMTypeRef) -> (LLVMTypeRef, LLVMValueRef) {
    // SAFETY: the texts are NUL-terminated, and LLVM's own is freed.
    unsafe {
        let text = LLVMPrintTypeToString(ty);
        let name = format!("{NO_VALUE}{}", CStr::from_ptr(text).to_string_lossy());
        LLVMDisposeMessage(text);
        let name = CString::new(name).unwrap_or_default();
        let function_type = LLVMFunctionType(ty, std::ptr::null_mut(), 0, 0);
        let known = LLVMGetNamedFunction(module, name.as_ptr());
        let function =
            if known.is_null() { LLVMAddFunction(module, name.as_ptr(), function_type) } else { known };
        (function_type, function)
    }
}

unsafe fn give_first_values(context: LLVMContextRef, module: LLVMModuleRef, f: LLVMValueRef) {
    // SAFETY: the function has blocks, and a block an end; the builder is disposed of.
    unsafe {
        let instructions = instructions_of(LLVMGetEntryBasicBlock(f));
        let start = instructions.iter().position(|&i| opcode(i) != LLVMOpcode::LLVMAlloca);
        let Some(start) = start else { return };
        let builder = LLVMCreateBuilderInContext(context);
        let nothing = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0));
        let scalars = instructions[..start].iter().copied().filter(|&i| is_scalar_variable(i));
        let mut births: Vec<_> = scalars.map(|variable| (instructions[start], variable)).collect();
        // A scope that begins again begins without values.
        let scalar = |i| Some((LLVMGetNextInstruction(i), variable(i).filter(|&v| is_scalar_variable(v))?));
        let all = blocks_of(f).into_iter().flat_map(instructions_of);
        births.extend(all.filter(|&i| mark(i) == Some(true)).filter_map(scalar));
        for (before, variable) in births {
            LLVMPositionBuilderBefore(builder, before);
            let (ty, function) = no_value(module, LLVMGetAllocatedType(variable));
            let value = LLVMBuildCall2(builder, ty, function, std::ptr::null_mut(), 0, c"".as_ptr());
            let store = LLVMBuildStore(builder, value, variable);
            LLVMSetAlignment(store, LLVMGetAlignment(variable));
            LLVMSetMetadata(store, birth_kind(context), nothing);
        }
        LLVMDisposeBuilder(builder);
    }
}

/// Returns true if an undefined value has more users than the store that marks it.
pub(crate) fn is_wanted(value: LLVMValueRef) -> bool {
    // SAFETY: the chain of uses ends in null; users of an instruction's value are instructions.
    unsafe {
        let mut next = LLVMGetFirstUse(value);
        while !next.is_null() {
            let user = LLVMGetUser(next);
            if opcode(user) != LLVMOpcode::LLVMStore || !is_birth(user) {
                return true;
            }
            next = LLVMGetNextUse(next);
        }
        false
    }
}

/// Returns true if an instruction is one of ours, which do not count.
pub(crate) fn is_ours(i: LLVMValueRef) -> bool {
    match opcode(i) {
        LLVMOpcode::LLVMStore => is_birth(i),
        // SAFETY: the opcode says what it is.
        LLVMOpcode::LLVMCall => gives_no_value(&name_of(unsafe { LLVMGetCalledValue(i) })),
        _ => false,
    }
}
