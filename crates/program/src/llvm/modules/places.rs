//! Source places of code that an optimiser has taken out of a header of the C++ library, or of a generic function of Rust's: they count
//! for the line of the program that called it.

use std::ffi::{c_char, c_uint};

use llvm_sys::debuginfo::{
    LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDILocationGetInlinedAt, LLVMDILocationGetLine,
    LLVMDILocationGetScope, LLVMDIScopeGetFile, LLVMInstructionGetDebugLoc,
};
use llvm_sys::prelude::*;

/// Folders that rustc names as those of its own library, as Debian builds it and elsewhere, and of the crates that it is made of; the crate
/// `cleave` is called after these.
const OF_RUST: [&str; 3] = ["/usr/src/rustc-", "/rustc/", "/rust/deps/"];

/// Returns true if a path is that of a header of the C++ library, or of a source of Rust's: parts of them are compiled into the program's
/// own code.
pub(crate) fn is_inlined_library(path: &str) -> bool {
    path.contains("/include/c++/v1/") || is_of_rust(path)
}

/// Returns true if a path is that of a source of Rust's library.
pub fn is_of_rust(path: &str) -> bool {
    OF_RUST.iter().any(|folder| path.starts_with(folder))
}

/// As [`is_inlined_library`], of a name that may be relative to a folder that is not known here.
pub(crate) fn may_be_inlined_library(name: &str) -> bool {
    is_inlined_library(name) || name.ends_with(".rs")
}

/// The file and line from which the code of an instruction was called that is a part of such a library; `None` if the function of the
/// instruction is.
pub(crate) fn calling_place(i: LLVMValueRef) -> Option<(String, u32)> {
    // SAFETY: an instruction's location is one, or null, and so is what it was inlined at; a location has a scope.
    unsafe {
        let mut place = LLVMInstructionGetDebugLoc(i);
        while !place.is_null() {
            let file = LLVMDIScopeGetFile(LLVMDILocationGetScope(place));
            let (name, path) = if file.is_null() { Default::default() } else { names_of_file(file) };
            let line = LLVMDILocationGetLine(place);
            if line > 0 && !name.is_empty() && !is_inlined_library(&path) {
                return Some((name, line));
            }
            place = LLVMDILocationGetInlinedAt(place);
        }
    }
    None
}

/// The name of a file as debug information has it, and the same with its folder.
///
/// # Safety
/// It is a `DIFile`.
pub(crate) unsafe fn names_of_file(file: LLVMMetadataRef) -> (String, String) {
    let text = |get: unsafe extern "C" fn(LLVMMetadataRef, *mut c_uint) -> *const c_char| {
        let mut len: c_uint = 0;
        // SAFETY: the file is one; its text is as long as LLVM says, and copied.
        unsafe {
            let text = get(file, &mut len);
            if text.is_null() {
                return String::new();
            }
            String::from_utf8_lossy(std::slice::from_raw_parts(text.cast::<u8>(), len as usize)).into_owned()
        }
    };
    let (name, folder) = (text(LLVMDIFileGetFilename), text(LLVMDIFileGetDirectory));
    let path =
        if name.starts_with('/') || folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
    (name, path)
}

/// The path of a file of the debug information.
///
/// # Safety
/// The file is null, or a `DIFile` of the module.
pub(crate) unsafe fn path_of(file: LLVMMetadataRef) -> Option<String> {
    // SAFETY: it is one where it is not null.
    if file.is_null() { None } else { Some(unsafe { names_of_file(file) }.1) }
}
