//! Loads a whole program: passes and addresses first, then functions one by one, then the globals' bytes. The passes that prepare
//! a module run from here.

use std::ffi::CStr;
use std::sync::Arc;

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::LoadError;
use super::marks::atomics::mark_atomics;
use super::marks::conversions::note_halves;
use super::marks::exit_status::{is_status_function, mark_exit_status};
use super::marks::library::{library_functions, mark_library};
use super::marks::lines::Lines;
use super::modules::constructors::{CONSTRUCTORS, DESTRUCTORS};
use super::modules::module::Module;
use super::modules::nodes::Nodes;
use super::modules::sections::keep_members;
use super::modules::values::name_of;
use super::rewrites::library_calls::lower_library_calls;
use super::rewrites::pads::{lower_resumes, pads_of};
use super::rewrites::promotion::promote;
use super::rewrites::quad_floats::lower_quad_floats;
use super::rewrites::small_floats::lower_small_floats;
use super::rewrites::thread_locals::lower_thread_locals;
use super::rewrites::unoptimised::{gives_no_value, note_unoptimised};
use super::rewrites::wide_switches::lower_wide_switches;
use super::translation::function::translate;
use super::translation::loader::Loader;
use crate::debug::{Debuggable, FunctionInfo};
use crate::demangled::demangled;
use crate::layout::*;
use crate::register_code::code::*;
use crate::register_code::dead_code::sweep;
use crate::undefined_names::side_of_image;

/// The function that a fuzz target has in the place of `main`.
const FUZZ_TARGET: &CStr = c"LLVMFuzzerTestOneInput";

/// Registers instead of stack slots, and no more. A pass that folds branches into selects would hide branch conditions; one that
/// knows library functions would change the program's calls; one that simplifies would hide divisions by zero: it knows that
/// `16 % (a == b)` is 0 wherever it is defined. `sroa` would drop stores beyond a variable and divisions whose result is unused;
/// `mem2reg` keeps everything but plain loads and stores of a whole variable. Queries to the compiler (`__builtin_constant_p`,
/// `__builtin_object_size`) are answered by the pass that answers them natively. `mem2reg` runs behind these passes, as
/// [`promote`] has it.
const PASSES: &str = "internalize<preserve-gv=cleave_start;preserve-gv=main>,globaldce,\
    function(lower-expect,lower-atomic,lower-constant-intrinsics)";

/// Runs the passes. For debuggers, which find variables in memory, these stay there.
fn prepare(module: &Module, for_debugger: bool) -> Result<(), LoadError> {
    note_halves(module.context, module.module);
    note_unoptimised(module.context, module.module);
    mark_exit_status(module);
    keep_members(module);
    module.run_passes(PASSES)?;
    if for_debugger { Ok(()) } else { promote(module) }
}

/// Loads a linked module, bitcode or text.
///
/// # Errors
/// [`LoadError`] if LLVM cannot read it, it is for another machine, or it has neither a `main` nor a fuzz target's function.
pub fn load(bytes: &[u8]) -> Result<Program, LoadError> {
    load_with(bytes, false)
}

/// As [`load`]; with `members`, an op in front of each access to an array inside of a structure looks at its bounds.
///
/// # Errors
/// As [`load`].
pub fn load_with(bytes: &[u8], members: bool) -> Result<Program, LoadError> {
    load_at(bytes, members, Place::default())
}

/// As [`load_with`], with addresses from `place` on: to be added to another program ([`Program::add_image`]).
///
/// # Errors
/// As [`load`].
pub fn load_at(bytes: &[u8], members: bool, place: Place) -> Result<Program, LoadError> {
    let module = Module::parse(bytes)?;
    let lines = Lines::of(&module, library_functions(&module));
    mark_atomics(&module);
    lower_to_calls(&module)?;
    prepare(&module, false)?;
    let pads = pads_of(&module);
    let mut loader = Loader::new(&module, lines, place);
    loader.pads = pads;
    loader.translate(members)?;
    Ok(loader.program)
}

/// As [`load_at`], for a debugger: variables stay in memory, where they are found by their names, and there is a place to
/// stop in front of each instruction. The decisions of a path are the same, but its instructions are others.
///
/// # Errors
/// As [`load`].
pub fn load_debuggable(bytes: &[u8], members: bool, place: Place) -> Result<Debuggable, LoadError> {
    let module = Module::parse(bytes)?;
    let lines = Lines::of(&module, library_functions(&module));
    mark_atomics(&module);
    lower_to_calls(&module)?;
    prepare(&module, true)?;
    let pads = pads_of(&module);
    let mut loader = Loader::new(&module, lines, place);
    loader.pads = pads;
    loader.debug = Some(Nodes::new(module.context));
    module.show_variables(true);
    let functions = loader.translate(members)?;
    let info = loader.debug_info(functions);
    Ok(Debuggable { program: Arc::new(loader.program), info })
}

/// Replaces operations that no op does by other instructions, and by calls of functions that the passes would drop.
fn lower_to_calls(module: &Module) -> Result<(), LoadError> {
    lower_small_floats(module)?;
    lower_quad_floats(module);
    lower_wide_switches(module);
    lower_thread_locals(module);
    lower_library_calls(module);
    lower_resumes(module);
    Ok(())
}

/// Result of [`check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// A module with a `main`, which needs the C library and the start-up code.
    ToBeLinked,
    /// A whole program, with the start-up code in it.
    Linked,
}

/// Checks if a module can be loaded, at once or when it is linked.
///
/// # Errors
/// [`LoadError`] if LLVM cannot read it, it is for another machine, or it has neither a `main` nor a fuzz target's function.
pub fn check(bytes: &[u8]) -> Result<Checked, LoadError> {
    let module = Module::parse(bytes)?;
    if module.defines(c"cleave_start") {
        Ok(Checked::Linked)
    } else if module.defines(c"main") || module.defines(FUZZ_TARGET) {
        Ok(Checked::ToBeLinked)
    } else {
        Err(LoadError::NoMain)
    }
}

impl Loader<'_> {
    /// Makes the program. Returns debuggers' notes on the functions; they are empty if no debugger asks.
    fn translate(&mut self, members: bool) -> Result<Vec<FunctionInfo>, LoadError> {
        self.place_functions();
        self.bound_functions();
        self.program.main.heap_slot = self.place_globals()?;
        mark_library(self);
        let entry = ["cleave_start", "main"]
            .iter()
            .find_map(|wanted| self.program.functions.iter().position(|f| f.name == *wanted));
        let (functions, globals) = (self.program.functions.len() as u32, self.program.globals.len() as u32);
        let main = &mut self.program.main;
        (main.functions, main.globals) = (0..functions, 0..globals);
        main.entry = entry.ok_or(LoadError::NoMain)? as FuncId;
        let functions = self.translate_functions(members);
        // The start-up code calls `main`, which a linked program may still lack.
        let lacks = |f: &Function| f.code.is_empty();
        let named = |name: &[u8]| self.program.functions.iter().find(|f| f.name.as_bytes() == name);
        // So does the `main` of fuzz targets with its target, which comes out of the library where the program has no `main`.
        let no_target = self.program.is_fuzz_target() && named(FUZZ_TARGET.to_bytes()).is_none_or(lacks);
        if lacks(&self.program.functions[self.program.main.entry as usize])
            || named(b"main").is_some_and(lacks)
            || no_target
        {
            return Err(LoadError::NoMain);
        }
        self.fill_globals()?;
        Ok(functions)
    }

    fn place_functions(&mut self) {
        // Those of a section with bounds follow one another.
        let others = self.all_functions().into_iter().filter(|&f| !self.sections.has(f));
        let all: Vec<_> = others.chain(self.sections.functions()).collect();
        for f in all {
            let name = name_of(f);
            if name.starts_with("llvm.") || gives_no_value(&name) || is_status_function(&name) {
                continue;
            }
            let id = self.program.functions.len() as FuncId;
            self.functions.insert(f, id);
            let builtin = Builtin::named(&name);
            // SAFETY: see the module's head; `f` is a function, and attribute indices of arguments start at 1.
            let (ty, in_memory) = unsafe {
                let byval = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
                let is = |k| !LLVMGetEnumAttributeAtIndex(f, k + 1, byval).is_null();
                (LLVMGlobalGetValueType(f), (0..LLVMCountParams(f)).any(is))
            };
            let signature = self.signature(ty, in_memory).unwrap_or_default();
            self.program.functions.push(Function {
                name: demangled(&name),
                signature,
                builtin,
                defined_at: u32::MAX,
                ..Function::default()
            });
        }
    }

    /// Gives every global its slots; returns the first slot behind them.
    fn place_globals(&mut self) -> Result<u64, LoadError> {
        let mut slot = self.program.main.place.slot;
        let mut all: Vec<_> = self.all_globals().into_iter().map(|g| (self.side_of_image(g), g)).collect();
        all.sort_by_key(|&(side, _)| side);
        let mut last = None;
        for (side, g) in all {
            let placed = self.globals.contains_key(&g) || self.sections.is_bound(g);
            if placed || name_of(g).starts_with("llvm.") {
                continue;
            }
            if self.sections.has(g) {
                slot += self.place_section(g, slot)?;
                continue;
            }
            if let Some((_, address)) = last.filter(|&(other, _)| side != 0 && side == other) {
                self.bounds.insert(g, address);
                continue;
            }
            let (global, align) = self.described(g)?;
            let address = (slot << self.program.target.slot_bits()) + start_in_slot(align);
            slot += self.program.target.slots_of(address, global.size);
            last = Some((side, address));
            self.put_global(g, Global { address, ..global });
        }
        Ok(slot)
    }

    /// Side of a global among the symbols that the linker makes; see `missing::side_of_image`.
    fn side_of_image(&self, g: LLVMValueRef) -> i8 {
        // SAFETY: see the module's head.
        let declared = unsafe { LLVMIsDeclaration(g) != 0 };
        if declared { side_of_image(&name_of(g)) } else { 0 }
    }

    fn fill_globals(&mut self) -> Result<(), LoadError> {
        for g in self.all_globals() {
            let Some(&id) = self.global_ids.get(&g) else { continue };
            // SAFETY: see the module's head.
            let value = unsafe { LLVMGetInitializer(g) };
            // SAFETY: as above. Zeros are not written out: a global of zeros may be of any size.
            if value.is_null() || unsafe { LLVMIsNull(value) } != 0 {
                continue;
            }
            let (size, address) = (self.program.globals[id as usize].size, self.globals[&g]);
            let mut bytes = vec![0; size as usize];
            if self.initialise(value, &mut bytes, 0).is_none() {
                return Err(LoadError::InitialValue(self.program.globals[id as usize].name.clone()));
            }
            let used = bytes.iter().rposition(|&b| b != 0).map_or(0, |i| i + 1);
            bytes.truncate(used);
            let globals = &mut self.program.globals[..=id as usize];
            match globals.iter_mut().rfind(|global| global.storage != Storage::Member) {
                Some(section) if section.storage == Storage::Section => {
                    let at = (address - section.address) as usize;
                    section.init.resize(section.init.len().max(at + bytes.len()), 0);
                    section.init[at..at + bytes.len()].copy_from_slice(&bytes);
                }
                Some(own) => own.init = bytes,
                None => {}
            }
        }
        Ok(())
    }

    fn translate_functions(&mut self, members: bool) -> Vec<FunctionInfo> {
        let mut all_notes = Vec::new();
        let mut all: Vec<_> = self.functions.iter().map(|(&f, &id)| (id, f)).collect();
        all.sort_unstable();
        for (id, f) in all {
            let name = self.program.functions[id as usize].name.clone();
            let made = match name.as_str() {
                "cleave_run_constructors" => self.run_list(&CONSTRUCTORS),
                "cleave_run_destructors" => self.run_list(&DESTRUCTORS),
                _ => None,
            };
            let old = std::mem::take(&mut self.program.functions[id as usize]);
            self.own = !old.library;
            self.members = members && self.own;
            let (new, notes) = match made {
                Some(function) => (function, None),
                // SAFETY: see the module's head.
                None if old.builtin.is_none() && unsafe { LLVMCountBasicBlocks(f) } > 0 => translate(self, f),
                None => (old.clone(), None),
            };
            all_notes.push(notes.unwrap_or_default());
            self.program.functions[id as usize] = Function {
                name,
                builtin: old.builtin,
                library: old.library,
                signature: old.signature,
                ..new
            };
        }
        // Only now the results of every function are known.
        for id in 0..self.program.functions.len() {
            let mut function = std::mem::take(&mut self.program.functions[id]);
            let own_results =
                Function { params: function.params, results: function.results, ..Function::default() };
            self.program.functions[id] = own_results; // it may call itself
            sweep(&self.program, &mut function, all_notes.get_mut(id));
            self.program.functions[id] = function;
        }
        all_notes
    }
}
