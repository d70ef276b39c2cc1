//! Which functions are the C library's. The module says so itself: the start-up code, which nobody but us defines, tells
//! by its debug information from which tree the C library was built, and what lies there is the library's. Names prove
//! nothing: a program may have a `strlen` of its own, and a file of that name.

use std::ffi::{c_char, c_uint};

use llvm_sys::core::{LLVMGetFirstFunction, LLVMGetNextFunction};
use llvm_sys::debuginfo::{
    LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDIScopeGetFile, LLVMGetSubprogram,
};
use llvm_sys::prelude::*;

use super::loader::Loader;
use super::module::Module;
use super::values::name_of;

/// The function of the start-up code, and its file in the tree of the C library.
const START: (&str, &str) = ("cleave_start", "runtime/start.c");
/// Where that tree has the C library and the compiler's: our own parts, the sources, the headers with their inline functions.
const PARTS: [&str; 4] = ["runtime/", "build/src/musl/", "build/src/compiler-rt/", "build/sysroot/"];

/// Marks the functions of the C library. Without debug information none is.
pub(crate) fn mark_library(loader: &mut Loader<'_>) {
    for f in of_library(loader.all_functions()) {
        if let Some(id) = loader.function_id(f) {
            loader.program.functions[id as usize].library = true;
        }
    }
}

/// The functions of a module that are the C library's; none where the module has none of it.
pub(crate) fn library_functions(module: &Module) -> Vec<LLVMValueRef> {
    let mut all = Vec::new();
    // SAFETY: see the module's head.
    unsafe {
        let mut function = LLVMGetFirstFunction(module.module);
        while !function.is_null() {
            all.push(function);
            function = LLVMGetNextFunction(function);
        }
    }
    of_library(all)
}

fn of_library(mut functions: Vec<LLVMValueRef>) -> Vec<LLVMValueRef> {
    let start = functions.iter().find(|&&f| name_of(f) == START.0).and_then(|&f| source_of(f));
    let Some(root) = start.as_deref().and_then(|path| path.strip_suffix(START.1)) else { return Vec::new() };
    let parts = PARTS.map(|part| format!("{root}{part}"));
    let ours = |path: String| parts.iter().any(|part| path.starts_with(part.as_str()));
    functions.retain(|&f| source_of(f).is_some_and(ours));
    functions
}

/// The file that a function was compiled from, with its directory, as its debug information has it.
fn source_of(f: LLVMValueRef) -> Option<String> {
    // SAFETY: `f` is a function of the module; what its metadata gives is checked for null, and copied.
    unsafe {
        let subprogram = LLVMGetSubprogram(f);
        if subprogram.is_null() {
            return None;
        }
        let file = LLVMDIScopeGetFile(subprogram);
        if file.is_null() {
            return None;
        }
        let text = |get: unsafe extern "C" fn(LLVMMetadataRef, *mut c_uint) -> *const c_char| {
            let mut len: c_uint = 0;
            let text = get(file, &mut len);
            if text.is_null() {
                return String::new();
            }
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), len as usize);
            String::from_utf8_lossy(bytes).into_owned()
        };
        let name = text(LLVMDIFileGetFilename);
        let directory = text(LLVMDIFileGetDirectory);
        Some(if name.starts_with('/') || directory.is_empty() { name } else { format!("{directory}/{name}") })
    }
}
