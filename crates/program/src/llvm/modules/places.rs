//! Names of source files, where several share one, and source places of code that an optimiser has taken out of a header of the C++
//! library, or of a generic function of Rust's: they count for the line of the program that called it.

use std::ffi::{c_char, c_uint};
use std::path::{Component, Path, PathBuf};

use llvm_sys::core::LLVMGetDebugLocDirectory;
use llvm_sys::debuginfo::{
    LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDILocationGetInlinedAt, LLVMDILocationGetLine,
    LLVMDILocationGetScope, LLVMDIScopeGetFile, LLVMGetSubprogram, LLVMInstructionGetDebugLoc,
};
use llvm_sys::prelude::*;
use rustc_hash::FxHashMap;

use crate::llvm::modules::values::{copied, name_of};

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

/// Files of one name, such as `src/lib.rs` of two packages: by the name and the folder in which it was compiled, the name by which people
/// see it. Most modules have none.
#[derive(Default)]
pub(crate) struct SharedNames(FxHashMap<(String, String), String>);

impl SharedNames {
    /// Of the files in which functions are defined. A file keeps its name in the folder where the file of `main` was compiled. Others get
    /// their path, below that folder if they are.
    pub(crate) fn of(functions: impl Iterator<Item = LLVMValueRef>) -> SharedNames {
        let mut files: FxHashMap<String, Vec<(String, PathBuf)>> = FxHashMap::default();
        let mut base = None;
        for f in functions {
            // SAFETY: `f` is a function of the module; what is not there is null.
            let file = unsafe {
                let subprogram = LLVMGetSubprogram(f);
                if subprogram.is_null() { std::ptr::null_mut() } else { LLVMDIScopeGetFile(subprogram) }
            };
            if file.is_null() {
                continue;
            }
            // SAFETY: it is a file.
            let ((name, path), folder) = unsafe { (names_of_file(file), folder_of_file(file)) };
            if base.is_none() && is_main(&name_of(f)) && !is_inlined_library(&path) {
                base = Some(PathBuf::from(&folder));
            }
            let known = files.entry(name).or_default();
            if !known.iter().any(|(other, _)| *other == folder) {
                known.push((folder, resolved(Path::new(&path))));
            }
        }
        let mut shown = FxHashMap::default();
        for (name, places) in files {
            if places.iter().all(|(_, path)| *path == places[0].1) {
                continue;
            }
            for (folder, path) in places {
                let path = match &base {
                    Some(base) if resolved(&base.join(&name)) == path => PathBuf::from(&name),
                    Some(base) => path.strip_prefix(base).map(PathBuf::from).unwrap_or(path),
                    None => path,
                };
                shown.insert((name.clone(), folder), path.display().to_string());
            }
        }
        SharedNames(shown)
    }

    /// True if no two files have one name.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name by which people see a file.
    pub(crate) fn shown(&self, name: String, folder: String) -> String {
        let key = (name, folder);
        self.0.get(&key).cloned().unwrap_or(key.0)
    }

    /// As [`SharedNames::shown`], of the file of an instruction or a function that debug information gives this name.
    pub(crate) fn shown_at(&self, at: LLVMValueRef, name: String) -> String {
        if self.is_empty() { name } else { self.shown(name, folder_at(at)) }
    }
}

/// Returns true for the function that a program begins with, of Rust that of its crate.
fn is_main(name: &str) -> bool {
    name == "main" || name.contains("4main17h")
}

/// A path without `.` and `..`.
fn resolved(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// The folder in which the file of an instruction or a function was compiled.
fn folder_at(at: LLVMValueRef) -> String {
    let mut len: c_uint = 0;
    // SAFETY: it is an instruction or a function; the text is as long as LLVM says.
    unsafe { copied(LLVMGetDebugLocDirectory(at, &mut len), len as usize) }.unwrap_or_default()
}

/// The file and line from which the code of an instruction was called that is a part of such a library; `None` if the function of the
/// instruction is.
pub(crate) fn calling_place(i: LLVMValueRef, names: &SharedNames) -> Option<(String, u32)> {
    // SAFETY: an instruction's location is one, or null, and so is what it was inlined at; a location has a scope.
    unsafe {
        let mut place = LLVMInstructionGetDebugLoc(i);
        while !place.is_null() {
            let file = LLVMDIScopeGetFile(LLVMDILocationGetScope(place));
            let (name, path) = if file.is_null() { Default::default() } else { names_of_file(file) };
            let line = LLVMDILocationGetLine(place);
            if line > 0 && !name.is_empty() && !is_inlined_library(&path) {
                let folder = if names.is_empty() { String::new() } else { folder_of_file(file) };
                return Some((names.shown(name, folder), line));
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
    // SAFETY: the caller says so.
    let (name, folder) = unsafe { (text_of_file(file, LLVMDIFileGetFilename), folder_of_file(file)) };
    let path =
        if name.starts_with('/') || folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
    (name, path)
}

/// The folder in which a file was compiled.
///
/// # Safety
/// It is a `DIFile`.
pub(crate) unsafe fn folder_of_file(file: LLVMMetadataRef) -> String {
    // SAFETY: the caller says so.
    unsafe { text_of_file(file, LLVMDIFileGetDirectory) }
}

/// A text of a file.
///
/// # Safety
/// It is a `DIFile`.
unsafe fn text_of_file(
    file: LLVMMetadataRef,
    get: unsafe extern "C" fn(LLVMMetadataRef, *mut c_uint) -> *const c_char,
) -> String {
    let mut len: c_uint = 0;
    // SAFETY: the file is one; its text is as long as LLVM says.
    unsafe { copied(get(file, &mut len), len as usize) }.unwrap_or_default()
}

/// The path of a file of the debug information.
///
/// # Safety
/// The file is null, or a `DIFile` of the module.
pub(crate) unsafe fn path_of(file: LLVMMetadataRef) -> Option<String> {
    // SAFETY: it is one where it is not null.
    if file.is_null() { None } else { Some(unsafe { names_of_file(file) }.1) }
}
