//! Source positions of loops, as clang attaches them to the branch that goes back. The translation of a function notes them.

use std::ffi::CStr;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{
    LLVMDILocationGetLine, LLVMDILocationGetScope, LLVMDIScopeGetFile, LLVMGetMetadataKind, LLVMMetadataKind,
};
use llvm_sys::prelude::*;

use crate::llvm::modules::places::{SharedNames, folder_of_file, names_of_file};
use crate::llvm::modules::values::type_of;

const LOOP: &CStr = c"llvm.loop";

/// File and line of the loop that a branch goes back in; `None` if no metadata says it.
pub(crate) fn line_of_loop(branch: LLVMValueRef, names: &SharedNames) -> Option<(String, u32)> {
    // SAFETY: `branch` is an instruction of a valid module; what is not there is null, and texts are copied.
    unsafe {
        let context = LLVMGetTypeContext(type_of(branch));
        let kind = LLVMGetMDKindIDInContext(context, LOOP.as_ptr().cast(), LOOP.count_bytes() as u32);
        let node = LLVMGetMetadata(branch, kind);
        if node.is_null() {
            return None;
        }
        let mut parts = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
        LLVMGetMDNodeOperands(node, parts.as_mut_ptr());
        // The first of its two places is the start.
        let start = parts.into_iter().filter(|part| !part.is_null()).find_map(location)?;
        let file = LLVMDIScopeGetFile(LLVMDILocationGetScope(start));
        let name = match file.is_null() {
            true => String::new(),
            false => names.shown(names_of_file(file).0, folder_of_file(file)),
        };
        (!name.is_empty()).then(|| (name, LLVMDILocationGetLine(start)))
    }
}

/// The part as a source location, if it is one.
fn location(part: LLVMValueRef) -> Option<LLVMMetadataRef> {
    // SAFETY: `part` is an operand of a node.
    unsafe {
        if LLVMIsAMDNode(part).is_null() {
            return None;
        }
        let part = LLVMValueAsMetadata(part);
        matches!(LLVMGetMetadataKind(part), LLVMMetadataKind::LLVMDILocationMetadataKind).then_some(part)
    }
}
