//! A parsed module: its contents, and passes over it.

use std::ffi::{CStr, CString, c_char};
use std::ptr::null_mut;

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::*;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVMByteOrder, LLVMByteOrdering, LLVMCopyStringRepOfTargetData, LLVMGetModuleDataLayout, LLVMPointerSize,
    LLVMTargetDataRef,
};
use llvm_sys::transforms::pass_builder::*;

use crate::layout::Target;
use crate::llvm::LoadError;

/// A module in a context of its own.
pub(crate) struct Module {
    pub(crate) context: LLVMContextRef,
    pub(crate) module: LLVMModuleRef,
}

fn values(
    first: LLVMValueRef,
    next: unsafe extern "C" fn(LLVMValueRef) -> LLVMValueRef,
) -> impl Iterator<Item = LLVMValueRef> {
    let mut at = first;
    std::iter::from_fn(move || {
        if at.is_null() {
            return None;
        }
        let value = at;
        // SAFETY: the chain ends in null.
        at = unsafe { next(value) };
        Some(value)
    })
}

/// The text that LLVM gave, which is freed.
fn taken(message: *mut c_char) -> String {
    if message.is_null() {
        return "no reason given".into();
    }
    // SAFETY: LLVM's messages are NUL-terminated and ours to free.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text.lines().next().unwrap_or_default().to_string()
    }
}

/// Returns true for a triple of x86 of 32 bits: i386 to i686.
fn is_i386(target: &str) -> bool {
    matches!(target.split('-').next(), Some("i386" | "i486" | "i586" | "i686"))
}

impl Module {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Module, LoadError> {
        // SAFETY: the buffer is copied; parsing takes it over whether it succeeds or not.
        unsafe {
            let context = LLVMContextCreate();
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bytes.as_ptr() as *const c_char,
                bytes.len(),
                c"module".as_ptr(),
            );
            let (mut module, mut message) = (null_mut(), null_mut());
            if LLVMParseIRInContext(context, buffer, &mut module, &mut message) != 0 {
                LLVMContextDispose(context);
                return Err(LoadError::Unreadable(taken(message)));
            }
            let parsed = Module { context, module };
            parsed.check()?;
            Ok(parsed)
        }
    }

    fn check(&self) -> Result<(), LoadError> {
        // SAFETY: see the module's head.
        unsafe {
            let target = CStr::from_ptr(LLVMGetTarget(self.module)).to_string_lossy().into_owned();
            let pointers = if is_i386(&target) { 4 } else { 8 };
            if !target.is_empty() && !target.starts_with("x86_64") && pointers == 8 {
                return Err(LoadError::Target(target));
            }
            let layout = LLVMGetModuleDataLayout(self.module);
            let little = LLVMByteOrder(layout) == LLVMByteOrdering::LLVMLittleEndian;
            if LLVMPointerSize(layout) != pointers || !little {
                let layout = taken(LLVMCopyStringRepOfTargetData(layout));
                return Err(LoadError::Target(format!("{target} {layout}").trim_start().to_string()));
            }
        }
        self.verified()
    }

    /// The machine that it is for.
    pub(crate) fn target(&self) -> Target {
        // SAFETY: see the module's head.
        let pointers = unsafe { LLVMPointerSize(self.layout()) };
        if pointers == 4 { Target::I386 } else { Target::X86_64 }
    }

    /// Runs LLVM's verifier; an error if the module is not well-formed.
    pub(crate) fn verified(&self) -> Result<(), LoadError> {
        // SAFETY: see the module's head.
        unsafe {
            let mut message = null_mut();
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let broken = LLVMVerifyModule(self.module, action, &mut message) != 0;
            let text = taken(message);
            if broken { Err(LoadError::Unreadable(text)) } else { Ok(()) }
        }
    }

    /// Returns true if there is a function of this name with a body.
    pub(crate) fn defines(&self, name: &CStr) -> bool {
        // SAFETY: see the module's head; a function that is not there is null.
        unsafe {
            let f = LLVMGetNamedFunction(self.module, name.as_ptr());
            !f.is_null() && LLVMCountBasicBlocks(f) > 0
        }
    }

    /// The functions, in their order.
    pub(crate) fn functions(&self) -> Vec<LLVMValueRef> {
        // SAFETY: see the module's head.
        values(unsafe { LLVMGetFirstFunction(self.module) }, LLVMGetNextFunction).collect()
    }

    /// The global variables, in their order.
    pub(crate) fn globals(&self) -> Vec<LLVMValueRef> {
        // SAFETY: see the module's head.
        values(unsafe { LLVMGetFirstGlobal(self.module) }, LLVMGetNextGlobal).collect()
    }

    /// Runs a pipeline of passes.
    pub(crate) fn run_passes(&self, passes: &str) -> Result<(), LoadError> {
        let passes = CString::new(passes).expect("the pipeline has no NUL");
        // SAFETY: no target machine is needed for these passes.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.module, passes.as_ptr(), null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let message = LLVMGetErrorMessage(error);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            Err(LoadError::Passes(text))
        }
    }

    pub(crate) fn layout(&self) -> LLVMTargetDataRef {
        // SAFETY: see the module's head.
        unsafe { LLVMGetModuleDataLayout(self.module) }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: nothing that came from the module outlives it.
        unsafe {
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}
