//! Source places of code that an optimiser has taken out of a header of the C++ library: they count for the line of the program that
//! called it.

use std::ffi::c_uint;

use llvm_sys::debuginfo::{
    LLVMDIFileGetFilename, LLVMDILocationGetInlinedAt, LLVMDILocationGetLine, LLVMDILocationGetScope,
    LLVMDIScopeGetFile, LLVMInstructionGetDebugLoc,
};
use llvm_sys::prelude::*;

/// Returns true if a path is that of a header of the C++ library.
pub(crate) fn is_cxx_header(path: &str) -> bool {
    path.contains("/include/c++/v1/")
}

/// The file and line from which the code of an instruction was called that comes out of a header of the C++ library; `None` if the
/// function of the instruction does.
pub(crate) fn calling_place(i: LLVMValueRef) -> Option<(String, u32)> {
    // SAFETY: an instruction's location is one, or null, and so is what it was inlined at; a location has a scope.
    unsafe {
        let mut place = LLVMInstructionGetDebugLoc(i);
        while !place.is_null() {
            let file = LLVMDIScopeGetFile(LLVMDILocationGetScope(place));
            let name = if file.is_null() { String::new() } else { name_of_file(file) };
            let line = LLVMDILocationGetLine(place);
            if line > 0 && !name.is_empty() && !is_cxx_header(&name) {
                return Some((name, line));
            }
            place = LLVMDILocationGetInlinedAt(place);
        }
    }
    None
}

/// The name of a file as debug information has it.
///
/// # Safety
/// It is a `DIFile`.
unsafe fn name_of_file(file: LLVMMetadataRef) -> String {
    let mut len: c_uint = 0;
    // SAFETY: a name is as long as LLVM says, and copied.
    unsafe {
        let text = LLVMDIFileGetFilename(file, &mut len);
        if text.is_null() {
            return String::new();
        }
        String::from_utf8_lossy(std::slice::from_raw_parts(text.cast::<u8>(), len as usize)).into_owned()
    }
}
