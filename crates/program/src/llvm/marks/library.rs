//! Marks the functions and variables of the C library. Only our own start-up code defines `cleave_start`; its debug information
//! names the tree from which the C library was built, and everything from that tree is the library's. Names prove nothing: a
//! program may have a `strlen` of its own, and a file of that name.

use std::ffi::c_uint;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{
    LLVMDIGlobalVariableExpressionGetVariable, LLVMDIScopeGetFile, LLVMDIVariableGetFile, LLVMGetSubprogram,
};
use llvm_sys::prelude::*;
use rustc_hash::FxHashSet;

use crate::llvm::modules::module::Module;
use crate::llvm::modules::places::{is_inlined_library, path_of};
use crate::llvm::modules::values::{blocks_of, instructions_of, name_of};
use crate::llvm::translation::loader::Loader;

/// The function of the start-up code, and its file in the tree of the C library.
const START: (&str, &str) = ("cleave_start", "runtime/start.c");
/// Folders of that tree with the C library, the compiler's and C++'s: our own parts, the sources, the headers with their inline
/// functions and templates.
const PARTS: [&str; 5] =
    ["runtime/", "build/src/musl/", "build/src/compiler-rt/", "build/src/llvm-cxx/", "build/sysroot/"];

/// Functions of Rust's library that rustc makes without debug information.
const MADE: [&str; 4] = ["__rust_alloc", "__rust_alloc_zeroed", "__rust_dealloc", "__rust_realloc"];

/// Marks the functions and variables of the C library. Without debug information none is.
pub(crate) fn mark_library(loader: &mut Loader<'_>) {
    let all = loader.all_functions();
    let Some(ours) = Ours::of(&all) else { return };
    let library: FxHashSet<_> =
        all.into_iter().filter(|&f| ours.has(source_of(f)) || MADE.contains(&name_of(f).as_str())).collect();
    for &f in &library {
        if let Some(id) = loader.function_id(f) {
            loader.program.functions[id as usize].library = true;
        }
    }
    let named = named_by_program(loader, &ours, &library);
    for g in loader.all_globals() {
        if let Some(&id) = loader.global_ids.get(&g) {
            let source = source_of_variable(g);
            let is_librarys = if source.is_some() { ours.has(source) } else { !named.contains(&g) };
            loader.program.globals[id as usize].library = is_librarys;
        }
    }
}

/// The variables without debug information, which the compiler has made, that the program's functions and variables name.
fn named_by_program(
    loader: &Loader<'_>,
    ours: &Ours,
    library: &FxHashSet<LLVMValueRef>,
) -> FxHashSet<LLVMValueRef> {
    let own = loader.all_functions().into_iter().filter(|f| !library.contains(f));
    let mut waiting: Vec<LLVMValueRef> = own.flat_map(blocks_of).flat_map(instructions_of).collect();
    waiting.extend(loader.all_globals().into_iter().filter(|&g| {
        let source = source_of_variable(g);
        source.is_some() && !ours.has(source)
    }));
    let (mut seen, mut named) = (FxHashSet::default(), FxHashSet::default());
    while let Some(value) = waiting.pop() {
        if !seen.insert(value) {
            continue;
        }
        // SAFETY: the casts give null for a value of another kind; a value has so many operands, of which none is null.
        unsafe {
            if !LLVMIsAGlobalVariable(value).is_null() {
                let source = source_of_variable(value);
                if ours.has(source.clone()) {
                    continue;
                }
                if source.is_none() {
                    named.insert(value);
                }
            } else if !LLVMIsAFunction(value).is_null() {
                continue;
            }
            let operands = LLVMGetNumOperands(value).max(0) as u32;
            let constant = |&v: &LLVMValueRef| !v.is_null() && !LLVMIsAConstant(v).is_null();
            waiting.extend((0..operands).map(|i| LLVMGetOperand(value, i)).filter(constant));
        }
    }
    named
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

/// As [`library_functions`], without the templates and inline functions of C++'s headers, and Rust's library: natively these are compiled with the program.
pub(crate) fn compiled_library_functions(module: &Module) -> Vec<LLVMValueRef> {
    let mut all = library_functions(module);
    all.retain(|&f| !source_of(f).is_some_and(|path| is_inlined_library(&path)));
    all
}

fn of_library(mut functions: Vec<LLVMValueRef>) -> Vec<LLVMValueRef> {
    let Some(ours) = Ours::of(&functions) else { return Vec::new() };
    functions.retain(|&f| ours.has(source_of(f)));
    functions
}

/// Folders that contain the parts of the C library.
struct Ours(Vec<String>);

impl Ours {
    /// As the start-up code among the functions says it, if it is there.
    fn of(functions: &[LLVMValueRef]) -> Option<Ours> {
        let start = functions.iter().find(|&&f| name_of(f) == START.0).and_then(|&f| source_of(f));
        let root = start.as_deref()?.strip_suffix(START.1)?;
        Some(Ours(PARTS.iter().map(|part| format!("{root}{part}")).collect()))
    }

    fn has(&self, path: Option<String>) -> bool {
        // A sysroot may have been moved since: C++'s headers are known by their folder.
        path.is_some_and(|path| {
            is_inlined_library(&path) || self.0.iter().any(|part| path.starts_with(part.as_str()))
        })
    }
}

/// The file that a function was compiled from, with its directory, as its debug information has it.
fn source_of(f: LLVMValueRef) -> Option<String> {
    // SAFETY: `f` is a function of the module; what is not there is null.
    unsafe {
        let subprogram = LLVMGetSubprogram(f);
        if subprogram.is_null() { None } else { path_of(LLVMDIScopeGetFile(subprogram)) }
    }
}

/// The file that a variable was compiled from, likewise.
fn source_of_variable(g: LLVMValueRef) -> Option<String> {
    // SAFETY: the variable lives; the list of its metadata is as long as LLVM says, and freed; what is not there is null.
    unsafe {
        let kind = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(g)), c"dbg".as_ptr(), 3);
        let mut count = 0;
        let entries = LLVMGlobalCopyAllMetadata(g, &mut count);
        let described = (0..count as c_uint).find(|&i| LLVMValueMetadataEntriesGetKind(entries, i) == kind);
        let node = described.map(|i| LLVMValueMetadataEntriesGetMetadata(entries, i));
        LLVMDisposeValueMetadataEntries(entries);
        let variable = node.map(|node| LLVMDIGlobalVariableExpressionGetVariable(node))?;
        if variable.is_null() { None } else { path_of(LLVMDIVariableGetFile(variable)) }
    }
}
