//! Replaces functions by others: each use of the one in the program's code then names the other. The command line asks for it
//! before a program is loaded.

use std::ffi::CString;

use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use regex_lite::Regex;

use crate::llvm::LoadError;
use crate::llvm::marks::library::library_functions;
use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::name_of;

/// Outcome of replacing functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replaced {
    /// The module's bitcode.
    pub bitcode: Vec<u8>,
    /// Sentences for the user: the functions that were replaced, and those that could not be.
    pub notes: Vec<String>,
}

/// The module with each function that `NAME:REPLACEMENT` names replaced; NAME may be a regular expression for whole names.
/// Calls from the replacement's own body and from the C library still go to the original.
///
/// # Errors
/// [`LoadError`] where LLVM cannot read the module, or there is nothing to replace, or nothing to replace it by.
pub fn with_aliases(bytes: &[u8], aliases: &[String]) -> Result<Replaced, LoadError> {
    let module = Module::parse(bytes)?;
    let mut replacer = Replacer { module: &module, notes: Vec::new() };
    for alias in aliases {
        let no = |why: String| LoadError::Alias(alias.clone(), why);
        replacer.replace_all(alias).map_err(no)?;
    }
    let notes = replacer.notes;
    module.verified()?;
    Ok(Replaced { bitcode: bitcode_of(&module), notes })
}

/// A module as bitcode.
pub(crate) fn bitcode_of(module: &Module) -> Vec<u8> {
    // SAFETY: see the module's head; the buffer is copied and freed.
    unsafe {
        let buffer = LLVMWriteBitcodeToMemoryBuffer(module.module);
        let start = LLVMGetBufferStart(buffer) as *const u8;
        let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
        LLVMDisposeMemoryBuffer(buffer);
        bytes
    }
}

struct Replacer<'m> {
    module: &'m Module,
    notes: Vec<String>,
}

impl Replacer<'_> {
    fn replace_all(&mut self, alias: &str) -> Result<(), String> {
        // A pattern may have colons; the name of a function has none.
        let (pattern, by) = alias.rsplit_once(':').ok_or("has no colon; write NAME:REPLACEMENT")?;
        if pattern.is_empty() || by.is_empty() {
            return Err("has an empty name; write NAME:REPLACEMENT".into());
        }
        if pattern == by {
            return Err("replaces a function by itself".into());
        }
        let replacement = self.named(by).ok_or(format!("names the replacement `{by}`, which is no function here (executables have only those that are used)"))?;
        let matching = match self.named(pattern) {
            Some(function) => vec![function],
            None => self.matching(pattern, by)?,
        };
        let shown = if self.named(pattern).is_some() { String::new() } else { format!(" (`{pattern}`)") };
        let before = self.notes.len();
        let mut replaced = 0;
        for function in matching {
            let name = name_of(function);
            match difference(function, replacement) {
                Some(what) => self.notes.push(format!("warning: `{name}` is not replaced by `{by}`: {what}")),
                None => {
                    self.replace(function, replacement);
                    self.notes.push(format!("`{name}`{shown} is replaced by `{by}`"));
                    replaced += 1;
                }
            }
        }
        if replaced == 0 {
            let why: Vec<String> = self.notes.drain(before..).collect();
            let why = why
                .first()
                .map_or(String::new(), |why| format!(" ({})", why.trim_start_matches("warning: ")));
            return Err(format!("replaces no function{why}"));
        }
        Ok(())
    }

    /// The functions whose whole name a regular expression matches, without the replacement.
    fn matching(&mut self, pattern: &str, by: &str) -> Result<Vec<LLVMValueRef>, String> {
        let regex = Regex::new(&format!("^(?:{pattern})$"));
        let regex =
            regex.map_err(|e| format!("is neither a function's name nor a regular expression ({e})"))?;
        let mut all = self.functions();
        all.retain(|&f| {
            let name = name_of(f);
            !name.starts_with("llvm.") && regex.is_match(&name)
        });
        if all.iter().any(|&f| name_of(f) == by) {
            self.notes.push(format!("warning: `{by}` matches `{pattern}`, and is not replaced by itself"));
        }
        all.retain(|&f| name_of(f) != by);
        Ok(all)
    }

    /// All functions, then all aliases of functions.
    fn functions(&self) -> Vec<LLVMValueRef> {
        let mut all = Vec::new();
        // SAFETY: see the module's head.
        unsafe {
            let mut function = LLVMGetFirstFunction(self.module.module);
            while !function.is_null() {
                all.push(function);
                function = LLVMGetNextFunction(function);
            }
            let mut alias = LLVMGetFirstGlobalAlias(self.module.module);
            while !alias.is_null() {
                all.extend(body(alias).map(|_| alias));
                alias = LLVMGetNextGlobalAlias(alias);
            }
        }
        all
    }

    /// The function, or alias of one, of this name.
    fn named(&self, name: &str) -> Option<LLVMValueRef> {
        let text = CString::new(name).ok()?;
        // SAFETY: see the module's head; what is not there is null.
        unsafe {
            let function = LLVMGetNamedFunction(self.module.module, text.as_ptr());
            if !function.is_null() {
                return Some(function);
            }
            let alias = LLVMGetNamedGlobalAlias(self.module.module, text.as_ptr(), name.len());
            (!alias.is_null() && body(alias).is_some()).then_some(alias)
        }
    }

    fn replace(&self, function: LLVMValueRef, replacement: LLVMValueRef) {
        let mut kept = Vec::new();
        for keeper in library_functions(self.module).into_iter().chain(body(replacement)) {
            uses_in(keeper, function, &mut kept);
        }
        // SAFETY: see the module's head; both have the same type, a pointer.
        unsafe {
            LLVMReplaceAllUsesWith(function, replacement);
            for (instruction, operand) in kept {
                LLVMSetOperand(instruction, operand, function);
            }
        }
    }
}

/// The function that a function or alias stands for.
fn body(value: LLVMValueRef) -> Option<LLVMValueRef> {
    let mut value = value;
    // SAFETY: see the module's head; a value that is not of the kind is null, and aliases have no circles.
    unsafe {
        while LLVMIsAFunction(value).is_null() {
            value = LLVMIsAGlobalAlias(value);
            if value.is_null() {
                return None;
            }
            value = LLVMAliasGetAliasee(value);
        }
    }
    Some(value)
}

/// Adds the operands of `keeper`'s instructions that name `function` to `uses`.
fn uses_in(keeper: LLVMValueRef, function: LLVMValueRef, uses: &mut Vec<(LLVMValueRef, u32)>) {
    // SAFETY: see the module's head.
    unsafe {
        let mut block = LLVMGetFirstBasicBlock(keeper);
        while !block.is_null() {
            let mut instruction = LLVMGetFirstInstruction(block);
            while !instruction.is_null() {
                for i in 0..LLVMGetNumOperands(instruction) as u32 {
                    if LLVMGetOperand(instruction, i) == function {
                        uses.push((instruction, i));
                    }
                }
                instruction = LLVMGetNextInstruction(instruction);
            }
            block = LLVMGetNextBasicBlock(block);
        }
    }
}

/// The difference of two functions' types that forbids a replacement, if there is one.
fn difference(function: LLVMValueRef, replacement: LLVMValueRef) -> Option<&'static str> {
    // SAFETY: see the module's head: both are functions or their aliases, whose value type is a function's.
    unsafe {
        let (a, b) = (LLVMGlobalGetValueType(function), LLVMGlobalGetValueType(replacement));
        let parameters = |ty: LLVMTypeRef| {
            let mut all = vec![std::ptr::null_mut(); LLVMCountParamTypes(ty) as usize];
            LLVMGetParamTypes(ty, all.as_mut_ptr());
            all
        };
        if LLVMGetReturnType(a) != LLVMGetReturnType(b) {
            Some("they return different types")
        } else if LLVMIsFunctionVarArg(a) != LLVMIsFunctionVarArg(b) {
            Some("one takes variable arguments and the other does not")
        } else if LLVMCountParamTypes(a) != LLVMCountParamTypes(b) {
            Some("they take different numbers of arguments")
        } else if parameters(a) != parameters(b) {
            Some("they take arguments of different types")
        } else {
            None
        }
    }
}
