//! The whole program: addresses first, then functions one by one, then the globals' bytes.

use std::ffi::CStr;
use std::sync::Arc;

use llvm_sys::core::*;

use super::LoadError;
use super::atomics::mark_atomics;
use super::function::translate;
use super::lines::Lines;
use super::loader::Loader;
use super::module::Module;
use super::nodes::Nodes;
use super::origin::{library_functions, mark_library};
use super::unoptimised::gives_no_value;
use super::values::name_of;
use crate::code::*;
use crate::debug::{Debuggable, FunctionInfo};
use crate::layout::*;
use crate::sweep::sweep;

/// What a fuzz target has in the place of `main`.
const FUZZ_TARGET: &CStr = c"LLVMFuzzerTestOneInput";

/// Loads a linked module, bitcode or text.
///
/// # Errors
/// [`LoadError`] where LLVM cannot read it, it is for another machine, or it has no `main`, nor what a fuzz target has.
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
    module.prepare(false)?;
    let mut loader = Loader::new(&module, lines, place);
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
    module.prepare(true)?;
    let mut loader = Loader::new(&module, lines, place);
    loader.debug = Some(Nodes::new(module.context));
    module.show_variables(true);
    let functions = loader.translate(members)?;
    let info = loader.debug_info(functions);
    Ok(Debuggable { program: Arc::new(loader.program), info })
}

/// What [`check`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// A module with a `main`, which needs the C library and the start-up code.
    ToBeLinked,
    /// A whole program, with the start-up code in it.
    Linked,
}

/// Whether a module can be loaded, at once or when it is linked.
///
/// # Errors
/// [`LoadError`] where LLVM cannot read it, it is for another machine, or it has no `main`, nor what a fuzz target has.
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
    /// Makes the program. What a debugger wants to know of the functions is empty if none asks.
    fn translate(&mut self, members: bool) -> Result<Vec<FunctionInfo>, LoadError> {
        self.place_functions();
        mark_library(self);
        self.program.main.heap_slot = self.place_globals()?;
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
        for f in self.all_functions() {
            let name = name_of(f);
            if name.starts_with("llvm.") || gives_no_value(&name) {
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
                name,
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
        for g in self.all_globals() {
            let name = name_of(g);
            if name.starts_with("llvm.") {
                continue;
            }
            // SAFETY: a global's value type is sized, or opaque for a declaration.
            let (size, align, constant) = unsafe {
                let ty = LLVMGlobalGetValueType(g);
                let size = if LLVMTypeIsSized(ty) != 0 { self.layout.size(ty) } else { 0 };
                (size, u64::from(LLVMGetAlignment(g)), LLVMIsGlobalConstant(g) != 0)
            };
            if align > MOST_ALIGN {
                return Err(LoadError::Alignment(name, align));
            }
            let address = (slot << SLOT_BITS) + start_in_slot(align);
            slot += slots_of(address, size);
            self.globals.insert(g, address);
            self.program.globals.push(Global { name, address, size, init: Vec::new(), constant });
        }
        Ok(slot)
    }

    fn fill_globals(&mut self) -> Result<(), LoadError> {
        let all: Vec<_> = self.all_globals().into_iter().filter(|g| self.globals.contains_key(g)).collect();
        for (i, g) in all.into_iter().enumerate() {
            // SAFETY: see the module's head.
            let value = unsafe { LLVMGetInitializer(g) };
            // SAFETY: as above. What is zero is not written out: it may be as large as a program likes.
            if value.is_null() || unsafe { LLVMIsNull(value) } != 0 {
                continue;
            }
            let mut bytes = vec![0; self.program.globals[i].size as usize];
            if self.initialise(value, &mut bytes, 0).is_none() {
                return Err(LoadError::InitialValue(self.program.globals[i].name.clone()));
            }
            let used = bytes.iter().rposition(|&b| b != 0).map_or(0, |i| i + 1);
            bytes.truncate(used);
            self.program.globals[i].init = bytes;
        }
        Ok(())
    }

    fn translate_functions(&mut self, members: bool) -> Vec<FunctionInfo> {
        let mut all_notes = Vec::new();
        for f in self.all_functions() {
            let Some(&id) = self.functions.get(&f) else { continue };
            let name = self.program.functions[id as usize].name.clone();
            let made = match name.as_str() {
                "cleave_run_constructors" => self.run_list("llvm.global_ctors", false),
                "cleave_run_destructors" => self.run_list("llvm.global_dtors", true),
                _ => None,
            };
            let old = std::mem::take(&mut self.program.functions[id as usize]);
            self.members = members && !old.library;
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

    /// A function that calls those of a constructor list, by priority; destructors the other way round.
    fn run_list(&mut self, list: &str, reverse: bool) -> Option<Function> {
        let mut entries: Vec<(u64, usize, FuncId, bool)> = Vec::new();
        let global = self.all_globals().into_iter().find(|&g| name_of(g) == list);
        if let Some(g) = global {
            // SAFETY: the list is an array of { i32 priority, ptr function, ptr data }.
            unsafe {
                let value = LLVMGetInitializer(g);
                let n = LLVMGetArrayLength2(LLVMTypeOf(value));
                for i in 0..n {
                    let entry = LLVMGetAggregateElement(value, i as u32);
                    let priority = LLVMConstIntGetZExtValue(LLVMGetAggregateElement(entry, 0));
                    let function = LLVMGetAggregateElement(entry, 1);
                    if let Some(&id) = self.functions.get(&function) {
                        let plain = LLVMCountParams(function) == 0 && LLVMCountBasicBlocks(function) > 0;
                        entries.push((priority, i as usize, id, plain));
                    }
                }
            }
        }
        entries.sort();
        if reverse {
            entries.reverse();
        }
        let none = Args { start: 0, len: 0 };
        let mut code = Vec::new();
        for (_, _, func, plain) in entries {
            let name = self.program.functions[func as usize].name.clone();
            code.push(if plain {
                Op::Call { func, dst: NO_REG, args: none, n: 1 }
            } else {
                let what = format!(
                    "a call of `{name}`, in a list of constructors, but no function without arguments"
                );
                Op::Unsupported { what: self.string(&what), n: 1 }
            });
        }
        code.push(Op::Ret { vals: none, n: 1 });
        let positions = vec![u32::MAX; code.len()];
        Some(Function { code, positions, defined_at: u32::MAX, ..Function::default() })
    }
}
