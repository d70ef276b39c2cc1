//! A parsed module, and the passes that prepare it.

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

use super::LoadError;
use super::conversions::note_halves;
use super::unoptimised::note_unoptimised;

/// A module in a context of its own.
pub(crate) struct Module {
    pub(crate) context: LLVMContextRef,
    pub(crate) module: LLVMModuleRef,
}

/// Registers instead of stack slots, and no more: a pass that folds branches into selects would hide decisions,
/// one that knows library functions would change what the program calls, one that simplifies would hide divisions
/// by zero: it knows that `16 % (a == b)` is 0 wherever it is defined. `sroa` would drop stores beyond a variable and
/// divisions that nobody uses; `mem2reg` keeps whatever is not a plain load or store of a whole variable. What a program
/// asks of the compiler (`__builtin_constant_p`, `__builtin_object_size`) is answered by the pass that answers it natively.
const PASSES: &str = "internalize<preserve-gv=cleave_start;preserve-gv=main>,globaldce,\
    function(lower-expect,lower-atomic,lower-constant-intrinsics,mem2reg)";

/// The same for debuggers, which find variables in memory.
const PASSES_FOR_DEBUGGERS: &str = "internalize<preserve-gv=cleave_start;preserve-gv=main>,globaldce,\
    function(lower-expect,lower-atomic,lower-constant-intrinsics)";

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
            if !target.is_empty() && !target.starts_with("x86_64") {
                return Err(LoadError::Target(target));
            }
            let layout = LLVMGetModuleDataLayout(self.module);
            if LLVMPointerSize(layout) != 8 || LLVMByteOrder(layout) != LLVMByteOrdering::LLVMLittleEndian {
                let layout = taken(LLVMCopyStringRepOfTargetData(layout));
                return Err(LoadError::Target(format!("{target} {layout}").trim_start().to_string()));
            }
        }
        self.verified()
    }

    /// Whether LLVM finds the module well-formed.
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

    /// Whether there is a function of this name with a body.
    pub(crate) fn defines(&self, name: &CStr) -> bool {
        // SAFETY: see the module's head; a function that is not there is null.
        unsafe {
            let f = LLVMGetNamedFunction(self.module, name.as_ptr());
            !f.is_null() && LLVMCountBasicBlocks(f) > 0
        }
    }

    /// Runs the passes, those for a debugger or the usual ones.
    pub(crate) fn prepare(&self, for_debugger: bool) -> Result<(), LoadError> {
        note_halves(self.context, self.module);
        note_unoptimised(self.context, self.module);
        let passes = if for_debugger { PASSES_FOR_DEBUGGERS } else { PASSES };
        let passes = CString::new(passes).expect("the pipeline has no NUL");
        self.run(&passes)
    }

    /// Runs passes by their names.
    pub(crate) fn run(&self, passes: &CStr) -> Result<(), LoadError> {
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
