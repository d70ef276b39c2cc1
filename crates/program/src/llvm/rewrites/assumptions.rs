//! Assumptions in the words of SV-COMP: a task defines `assume_abort_if_not` or `__VERIFIER_assume` itself, by `abort` or by a
//! loop without an end. By the competition's rules a path that ends there does not count. So the name decides: an `abort`, or a
//! jump to itself, in a function of such a name (inlined or not) is an assumption that does not hold.

use std::ffi::c_uint;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{
    LLVMDILocationGetInlinedAt, LLVMDILocationGetScope, LLVMGetMetadataKind, LLVMInstructionGetDebugLoc,
    LLVMMetadataKind,
};
use llvm_sys::prelude::*;

use crate::llvm::modules::values::{copied, name_of};

/// The functions whose `abort` is an assumption.
const ASSUMING: [&str; 2] = ["assume_abort_if_not", "__VERIFIER_assume"];

/// Scopes lie within one another at most so deep: damaged debug information must not go round in circles.
const MOST_SCOPES: usize = 1000;

/// Returns true if the instruction was written in a function that stands for an assumption.
pub(crate) fn is_in_assumption(i: LLVMValueRef) -> bool {
    // SAFETY: `i` is an instruction of a function; the context is that of its module.
    unsafe {
        let function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
        if assumes(&name_of(function)) {
            return true;
        }
        let mut location = LLVMInstructionGetDebugLoc(i);
        let context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
        for _ in 0..MOST_SCOPES {
            if location.is_null() {
                return false;
            }
            if subprogram(context, LLVMDILocationGetScope(location)).is_some_and(|name| assumes(&name)) {
                return true;
            }
            location = LLVMDILocationGetInlinedAt(location);
        }
    }
    false
}

/// Static functions of one name in several files have a number behind it.
fn assumes(name: &str) -> bool {
    ASSUMING.contains(&name.split('.').next().unwrap_or(name))
}

/// The name of the function that a scope lies in.
///
/// # Safety
/// The scope is null, or debug information of this context.
unsafe fn subprogram(context: LLVMContextRef, mut scope: LLVMMetadataRef) -> Option<String> {
    // Operands of a scope: its file, the scope around it; of a function behind these its name.
    const AROUND: usize = 1;
    const NAME: usize = 2;
    for _ in 0..MOST_SCOPES {
        if scope.is_null() {
            return None;
        }
        // SAFETY: the list is as long as LLVM says; what is not there is null.
        unsafe {
            let value = LLVMMetadataAsValue(context, scope);
            let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(value) as usize];
            LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            match LLVMGetMetadataKind(scope) {
                LLVMMetadataKind::LLVMDISubprogramMetadataKind => return text(*operands.get(NAME)?),
                LLVMMetadataKind::LLVMDILexicalBlockMetadataKind
                | LLVMMetadataKind::LLVMDILexicalBlockFileMetadataKind => {
                    let around = *operands.get(AROUND)?;
                    if around.is_null() {
                        return None;
                    }
                    scope = LLVMValueAsMetadata(around);
                }
                _ => return None,
            }
        }
    }
    None
}

/// The text of a string among metadata.
///
/// # Safety
/// The value is null or of a living module.
unsafe fn text(value: LLVMValueRef) -> Option<String> {
    // SAFETY: the cast gives null for a value of another kind; the text is as long as LLVM says, and copied.
    unsafe {
        if value.is_null() || LLVMIsAMDString(value).is_null() {
            return None;
        }
        let mut len: c_uint = 0;
        let start = LLVMGetMDString(value, &mut len);
        copied(start, len as usize)
    }
}
