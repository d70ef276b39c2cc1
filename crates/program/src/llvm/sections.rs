//! Sections whose bounds a program knows: `__start_NAME` and `__stop_NAME`, which the linker makes of a section whose name is
//! an identifier. Registries of plug-ins, commands and tests walk through such a section as if it were an array.
//!
//! So the variables of such a section lie one behind the other, in the order of the module, each where its alignment
//! allows, as the native link has them, and are one object. An access that names one of them is still bound to it: see
//! [`Translator::check_section_member`]. An access through a pointer is bound to the section, as far as a pointer to one of them may
//! have come from a walk. Functions of such a section have addresses that follow one another.

use std::ffi::CStr;

use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::LoadError;
use super::function::Translator;
use super::loader::{Loader, all_functions_of, all_globals_of};
use super::module::Module;
use super::values::name_of;
use crate::code::*;
use crate::layout::*;
use crate::missing::bound_section;

/// The members of a section, and its bounds.
#[derive(Debug, Default)]
struct Section {
    name: String,
    /// Declarations that stand for its first byte.
    starts: Vec<LLVMValueRef>,
    /// Declarations that stand for the byte behind its last.
    stops: Vec<LLVMValueRef>,
    variables: Vec<LLVMValueRef>,
    functions: Vec<LLVMValueRef>,
}

/// The sections of a module whose bounds it names.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    all: Vec<Section>,
    of: FxHashMap<LLVMValueRef, usize>,
    /// What stands for their bounds.
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

/// Whether the linker gets a definition of it.
fn is_defined(value: LLVMValueRef) -> bool {
    // SAFETY: the value is a global.
    unsafe {
        LLVMIsDeclaration(value) == 0 && LLVMGetLinkage(value) != LLVMLinkage::LLVMAvailableExternallyLinkage
    }
}

impl Sections {
    pub(crate) fn of(module: &Module) -> Sections {
        let mut sections = Sections::default();
        let (globals, functions) = (all_globals_of(module), all_functions_of(module));
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
        // Natively nobody defines the bounds of a section without members.
        sections.all.iter_mut().filter(|s| s.variables.is_empty() && s.functions.is_empty()).for_each(|s| {
            s.starts.clear();
            s.stops.clear();
        });
        let bounds = sections.all.iter().flat_map(|s| s.starts.iter().chain(&s.stops).copied());
        sections.bounds = bounds.collect();
        sections
    }

    /// Whether a declaration stands for a bound of such a section.
    pub(crate) fn is_bound(&self, symbol: LLVMValueRef) -> bool {
        self.bounds.contains(&symbol)
    }

    /// Whether the module names the bounds of the section that a variable or function is in.
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

/// Keeps the members of such sections, which nobody need name, from the passes.
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

impl Loader<'_> {
    /// Places the section of a variable in slots from this one on; the number of slots.
    pub(crate) fn place_section(&mut self, variable: LLVMValueRef, slot: u64) -> Result<u64, LoadError> {
        let section = &mut self.sections.all[self.sections.of[&variable]];
        let (name, variables) = (section.name.clone(), section.variables.clone());
        let (starts, stops) = (std::mem::take(&mut section.starts), std::mem::take(&mut section.stops));
        let (mut size, mut most, mut constant, mut members) = (0u64, 1, true, Vec::new());
        for &g in &variables {
            let member = self.described(g)?;
            // SAFETY: the type of what is defined is sized.
            let natural = u64::from(self.layout.align(unsafe { LLVMGlobalGetValueType(g) }));
            let align = if member.1 == 0 { natural } else { member.1 }.max(1);
            let offset = size.next_multiple_of(align);
            (size, most) = (offset.saturating_add(member.0.size), most.max(align));
            constant &= member.0.constant;
            members.push((g, offset, member.0));
        }
        let address = (slot << SLOT_BITS) + start_in_slot(most);
        let whole = Global { size, constant, ..Global::named(name, address, Storage::Section) };
        self.program.globals.push(whole);
        for (g, offset, member) in members {
            self.members_of_sections.insert(g, member.size);
            self.put_global(g, Global { address: address + offset, storage: Storage::Member, ..member });
        }
        self.bounds.extend(starts.into_iter().map(|symbol| (symbol, address)));
        self.bounds.extend(stops.into_iter().map(|symbol| (symbol, address + size)));
        Ok(slots_of(address, size))
    }

    /// The bounds of sections of functions, which have their numbers by now.
    pub(crate) fn bound_functions(&mut self) {
        for section in &self.sections.all {
            let at = |f: &LLVMValueRef| self.functions.get(f).map(|&id| self.address_of_function(id));
            let (Some(first), Some(last)) =
                (section.functions.first().and_then(at), section.functions.last().and_then(at))
            else {
                continue;
            };
            let (starts, stops) = (section.starts.iter(), section.stops.iter());
            let bounds = starts.map(|&s| (s, first)).chain(stops.map(|&s| (s, last + FUNCTION_STRIDE)));
            self.bounds.extend(bounds);
        }
    }
}

impl Translator<'_, '_> {
    /// In front of an access of this type that names a variable of such a section: that it stays in the variable.
    pub(crate) fn check_section_member(&mut self, pointer: LLVMValueRef, ty: LLVMTypeRef) -> Option<()> {
        if self.loader.members_of_sections.is_empty() {
            return Some(());
        }
        let Some((variable, from)) = self.distance_from_global(pointer) else { return Some(()) };
        let Some(&size) = self.loader.members_of_sections.get(&variable) else { return Some(()) };
        let bound = Bound { what: Builtin::SectionMember, size, of: name_of(variable) };
        let n = self.bytes_of(ty)?;
        self.check_bound(&from, n, &bound)
    }
}

/// The room that an access must stay in.
pub(crate) struct Bound {
    /// The op that looks.
    pub(crate) what: Builtin,
    /// Bytes.
    pub(crate) size: u64,
    /// Whose room it is, for people.
    pub(crate) of: String,
}
