//! Sections whose bounds a program knows: `__start_NAME` and `__stop_NAME`, which the linker makes of a section whose name is
//! an identifier. Registries of plug-ins, commands and tests walk through such a section as if it were an array.
//!
//! So nothing of such a section is dropped, and `section_objects.rs` places it as the native link does.

use std::ffi::CStr;

use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::name_of;
use crate::undefined_names::bound_section;

/// The members of a section, and its bounds.
#[derive(Debug, Default)]
pub(crate) struct Section {
    /// Its name.
    pub(crate) name: String,
    /// Declarations that stand for its first byte.
    pub(crate) starts: Vec<LLVMValueRef>,
    /// Declarations that stand for the byte behind its last.
    pub(crate) stops: Vec<LLVMValueRef>,
    /// Its variables, in the order of the module.
    pub(crate) variables: Vec<LLVMValueRef>,
    /// Its functions.
    pub(crate) functions: Vec<LLVMValueRef>,
}

/// The sections of a module whose bounds it names.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    /// Section by section.
    pub(crate) all: Vec<Section>,
    /// The section of each member, by its place there.
    pub(crate) of: FxHashMap<LLVMValueRef, usize>,
    /// Symbols that stand for their bounds.
    bounds: FxHashSet<LLVMValueRef>,
}

/// The section that a variable or function is to be put into.
pub(crate) fn section_of(value: LLVMValueRef) -> Option<String> {
    // SAFETY: the value is a global; a section's name ends in a zero.
    unsafe {
        let name = LLVMGetSection(value);
        (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
    }
}

/// Returns true if the linker gets a definition of it.
fn is_defined(value: LLVMValueRef) -> bool {
    // SAFETY: the value is a global.
    unsafe {
        LLVMIsDeclaration(value) == 0 && LLVMGetLinkage(value) != LLVMLinkage::LLVMAvailableExternallyLinkage
    }
}

impl Sections {
    pub(crate) fn of(module: &Module) -> Sections {
        let mut sections = Sections::default();
        let (globals, functions) = (module.globals(), module.functions());
        let mut by_name: FxHashMap<String, usize> = FxHashMap::default();
        for &symbol in globals.iter().chain(&functions).filter(|&&symbol| !is_defined(symbol)) {
            let symbol_name = name_of(symbol);
            let Some((name, starts)) = bound_section(&symbol_name) else { continue };
            let index = *by_name.entry(name.to_string()).or_insert_with(|| {
                sections.all.push(Section { name: name.to_string(), ..Section::default() });
                sections.all.len() - 1
            });
            let section = &mut sections.all[index];
            if starts { section.starts.push(symbol) } else { section.stops.push(symbol) }
        }
        let mut note = |value: LLVMValueRef, is_function: bool| {
            let index = section_of(value).and_then(|name| by_name.get(&name).copied());
            let Some(index) = index.filter(|_| is_defined(value)) else { return };
            let section = &mut sections.all[index];
            if is_function {
                section.functions.push(value)
            } else {
                section.variables.push(value)
            }
            sections.of.insert(value, index);
        };
        // SAFETY: each is a global variable. Each thread has variables of its own: no section of the image has them.
        globals.iter().filter(|&&g| unsafe { LLVMIsThreadLocal(g) == 0 }).for_each(|&g| note(g, false));
        functions.iter().for_each(|&f| note(f, true));
        // Natively the bounds of a section without members are undefined.
        sections.all.iter_mut().filter(|s| s.variables.is_empty() && s.functions.is_empty()).for_each(|s| {
            s.starts.clear();
            s.stops.clear();
        });
        let bounds = sections.all.iter().flat_map(|s| s.starts.iter().chain(&s.stops).copied());
        sections.bounds = bounds.collect();
        sections
    }

    /// Returns true if a declaration stands for a bound of such a section.
    pub(crate) fn is_bound(&self, symbol: LLVMValueRef) -> bool {
        self.bounds.contains(&symbol)
    }

    /// Returns true if the module names the bounds of the section that a variable or function is in.
    pub(crate) fn has(&self, value: LLVMValueRef) -> bool {
        self.of.contains_key(&value)
    }

    /// The functions of these sections, section by section.
    pub(crate) fn functions(&self) -> impl Iterator<Item = LLVMValueRef> {
        self.all.iter().flat_map(|section| section.functions.iter().copied())
    }

    fn members(&self) -> impl Iterator<Item = LLVMValueRef> {
        self.all.iter().flat_map(|s| s.variables.iter().chain(&s.functions).copied())
    }
}

/// Keeps the members of such sections, which no code need name, from the passes.
pub(crate) fn keep_members(module: &Module) {
    let sections = Sections::of(module);
    let mut kept: Vec<LLVMValueRef> = sections.members().collect();
    if kept.is_empty() {
        return;
    }
    // SAFETY: see the module's head; the list is an array of pointers, and nothing but the passes looks at it.
    unsafe {
        let name = c"llvm.compiler.used";
        let old = LLVMGetNamedGlobal(module.module, name.as_ptr());
        if !old.is_null() {
            let list = LLVMGetInitializer(old);
            let n = if list.is_null() { 0 } else { LLVMGetNumOperands(list) };
            kept.extend((0..n).map(|i| LLVMGetOperand(list, i as u32)));
            LLVMDeleteGlobal(old);
        }
        let pointer = LLVMPointerTypeInContext(module.context, 0);
        let list = LLVMConstArray2(pointer, kept.as_mut_ptr(), kept.len() as u64);
        let global = LLVMAddGlobal(module.module, LLVMTypeOf(list), name.as_ptr());
        LLVMSetInitializer(global, list);
        LLVMSetLinkage(global, LLVMLinkage::LLVMAppendingLinkage);
        LLVMSetSection(global, c"llvm.metadata".as_ptr());
    }
}
