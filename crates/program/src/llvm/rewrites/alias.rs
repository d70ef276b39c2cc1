//! Replaces functions by others: each use of the one in the program's code then names the other. The command line asks for it
//! before a program is loaded.

mod call; // A function that calls the replacement with other arguments.

use std::ffi::CString;

use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use regex_lite::Regex;

use crate::llvm::LoadError;
use crate::llvm::marks::library::library_functions;
use crate::llvm::modules::module::Module;
use crate::llvm::modules::types::Layout;
use crate::llvm::modules::values::name_of;
use crate::llvm::rewrites::alias::call::{Alias, Call};

/// Outcome of replacing functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replaced {
    /// The module's bitcode.
    pub bitcode: Vec<u8>,
    /// Sentences for the user: the functions that were replaced, and those that could not be.
    pub notes: Vec<String>,
}

/// The module with each function that `NAME:REPLACEMENT` names replaced; NAME may be a regular expression for whole names.
/// Calls from the replacement's own body and from the C library still go to the original. Where parameters differ,
/// `NAME(a, b):REPLACEMENT(b, 1)` says which of them the replacement is given.
///
/// # Errors
/// [`LoadError`] where LLVM cannot read the module, or there is nothing to replace, or nothing to replace it by.
pub fn with_aliases(bytes: &[u8], aliases: &[String]) -> Result<Replaced, LoadError> {
    let module = Module::parse(bytes)?;
    let mut replacer = Replacer { module: &module, notes: Vec::new(), has_calls: false };
    for alias in aliases {
        let no = |why: String| LoadError::Alias(alias.clone(), why);
        replacer.replace_all(alias).map_err(no)?;
    }
    let Replacer { notes, has_calls, .. } = replacer;
    if has_calls {
        // So an object is told as allocated where the program asks for it.
        module.run_passes("always-inline")?;
    }
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
    /// Some function is replaced by a call with other arguments.
    has_calls: bool,
}

impl Replacer<'_> {
    fn replace_all(&mut self, alias: &str) -> Result<(), String> {
        let Alias { pattern, by, call } = Alias::read(alias)?;
        self.has_calls |= call.is_some();
        let replacement = self.named(by).or_else(|| self.of_the_heap(by));
        let replacement = replacement.ok_or(format!("names the replacement `{by}`, which is no function here (executables have only those that are used)"))?;
        let matching = match self.named(pattern) {
            Some(function) => vec![function],
            None => self.matching(pattern, by)?,
        };
        let shown = if self.named(pattern).is_some() { String::new() } else { format!(" (`{pattern}`)") };
        let before = self.notes.len();
        let mut replaced = 0;
        for function in matching {
            let name = name_of(function);
            match self.in_its_place(function, replacement, call.as_ref()) {
                Err(what) => self.notes.push(format!("warning: `{name}` is not replaced by `{by}`: {what}")),
                Ok(standing) => {
                    self.replace(function, standing, replacement);
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

    /// The function that stands in the place of another one, or the difference that forbids it.
    fn in_its_place(
        &self,
        function: LLVMValueRef,
        replacement: LLVMValueRef,
        call: Option<&Call>,
    ) -> Result<LLVMValueRef, &'static str> {
        match call {
            Some(call) => call.made(self.module, function, replacement),
            None => difference(function, replacement).map_or(Ok(replacement), Err),
        }
    }

    /// The function of the C library's heap of this name, which the engine has for every program.
    fn of_the_heap(&self, name: &str) -> Option<LLVMValueRef> {
        // SAFETY: see the module's head.
        unsafe {
            let context = LLVMGetModuleContext(self.module.module);
            let pointer = LLVMPointerTypeInContext(context, 0);
            let size = LLVMIntTypeInContext(context, Layout(self.module.layout()).pointer_bits());
            let (result, mut parameters) = match name {
                "malloc" => (pointer, vec![size]),
                "calloc" | "aligned_alloc" => (pointer, vec![size, size]),
                "realloc" => (pointer, vec![pointer, size]),
                "free" => (LLVMVoidTypeInContext(context), vec![pointer]),
                _ => return None,
            };
            let ty = LLVMFunctionType(result, parameters.as_mut_ptr(), parameters.len() as u32, 0);
            let name = CString::new(name).ok()?;
            Some(LLVMAddFunction(self.module.module, name.as_ptr(), ty))
        }
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

    /// Lets each use of a function name `standing`, but for those in the C library and in the replacement.
    fn replace(&self, function: LLVMValueRef, standing: LLVMValueRef, replacement: LLVMValueRef) {
        let mut kept = Vec::new();
        for keeper in library_functions(self.module).into_iter().chain(body(replacement)) {
            uses_in(keeper, function, &mut kept);
        }
        // SAFETY: see the module's head; both have the same type, a pointer.
        unsafe {
            LLVMReplaceAllUsesWith(function, standing);
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
