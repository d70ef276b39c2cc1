//! Properties of LLVM's values, blocks and types.

use std::ffi::{CStr, c_char};

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

/// A copy of a text whose length LLVM gives; `None` where LLVM has none.
///
/// # Safety
/// `text` is null, or `len` bytes are there.
pub(crate) unsafe fn copied(text: *const c_char, len: usize) -> Option<String> {
    // SAFETY: as the caller says.
    let bytes = (!text.is_null()).then(|| unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) });
    bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// A value's name.
pub(crate) fn name_of(value: LLVMValueRef) -> String {
    let mut len = 0;
    // SAFETY: the name is `len` bytes long.
    unsafe { copied(LLVMGetValueName2(value, &mut len), len) }.unwrap_or_default()
}

/// A value as LLVM prints it.
pub(crate) fn text_of(value: LLVMValueRef) -> String {
    // SAFETY: the message is NUL-terminated and freed after the copy.
    unsafe {
        let message = LLVMPrintValueToString(value);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

pub(crate) fn blocks_of(f: LLVMValueRef) -> Vec<LLVMBasicBlockRef> {
    let mut out = Vec::new();
    // SAFETY: see the module's head.
    unsafe {
        let mut block = LLVMGetFirstBasicBlock(f);
        while !block.is_null() {
            out.push(block);
            block = LLVMGetNextBasicBlock(block);
        }
    }
    out
}

pub(crate) fn instructions_of(block: LLVMBasicBlockRef) -> Vec<LLVMValueRef> {
    let mut out = Vec::new();
    // SAFETY: see the module's head.
    unsafe {
        let mut i = LLVMGetFirstInstruction(block);
        while !i.is_null() {
            out.push(i);
            i = LLVMGetNextInstruction(i);
        }
    }
    out
}

/// Returns true if an instruction is a mark of an atomic access, which is none of the program's (`atomics.rs`).
pub(crate) fn is_mark(i: LLVMValueRef) -> bool {
    // SAFETY: the opcode says what it is.
    opcode(i) == LLVMOpcode::LLVMCall
        && name_of(unsafe { LLVMGetCalledValue(i) }).starts_with("cleave_atomic_")
}

pub(crate) fn opcode(i: LLVMValueRef) -> LLVMOpcode {
    // SAFETY: see the module's head.
    unsafe { LLVMGetInstructionOpcode(i) }
}

pub(crate) fn operand(v: LLVMValueRef, i: u32) -> LLVMValueRef {
    // SAFETY: the caller asks for operands that the opcode has.
    unsafe { LLVMGetOperand(v, i) }
}

pub(crate) fn type_of(v: LLVMValueRef) -> LLVMTypeRef {
    // SAFETY: see the module's head.
    unsafe { LLVMTypeOf(v) }
}

pub(crate) fn kind_of(ty: LLVMTypeRef) -> LLVMTypeKind {
    // SAFETY: see the module's head.
    unsafe { LLVMGetTypeKind(ty) }
}
