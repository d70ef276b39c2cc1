//! Gives the names that a module defines a prefix, so that two versions of one program can be linked into one.

use std::ffi::CString;

use llvm_sys::LLVMLinkage;
use llvm_sys::comdat::LLVMSetComdat;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::llvm::LoadError;
use crate::llvm::modules::module::Module;
use crate::llvm::modules::values::name_of;
use crate::llvm::rewrites::alias::bitcode_of;

/// The module with `prefix` in front of each name that it defines and that others see. References to names of other modules stay. Others see
/// the names of `shared`, too, which the module may have for itself alone.
///
/// # Errors
/// [`LoadError`] where LLVM cannot read the module.
pub fn with_prefix(bytes: &[u8], prefix: &str, shared: &[String]) -> Result<Vec<u8>, LoadError> {
    let module = Module::parse(bytes)?;
    for name in shared.iter().filter_map(|name| CString::new(name.as_str()).ok()) {
        // SAFETY: see the module's head; what is not there is null.
        unsafe {
            let function = LLVMGetNamedFunction(module.module, name.as_ptr());
            let variable = LLVMGetNamedGlobal(module.module, name.as_ptr());
            for value in [function, variable].into_iter().filter(|value| !value.is_null()) {
                if LLVMGetLinkage(value) == LLVMLinkage::LLVMInternalLinkage {
                    LLVMSetLinkage(value, LLVMLinkage::LLVMExternalLinkage);
                }
            }
        }
    }
    // SAFETY: see the module's head; an iterator ends with null.
    unsafe {
        let mut value = LLVMGetFirstFunction(module.module);
        while !value.is_null() {
            rename(value, prefix);
            value = LLVMGetNextFunction(value);
        }
        let mut value = LLVMGetFirstGlobal(module.module);
        while !value.is_null() {
            rename(value, prefix);
            // A name of one module alone needs no choice among several.
            LLVMSetComdat(value, std::ptr::null_mut());
            value = LLVMGetNextGlobal(value);
        }
        let mut value = LLVMGetFirstGlobalAlias(module.module);
        while !value.is_null() {
            rename(value, prefix);
            value = LLVMGetNextGlobalAlias(value);
        }
    }
    module.verified()?;
    Ok(bitcode_of(&module))
}

/// The module, in which each use of one of the functions `from` that it does not define itself is one of `to`, of the same type.
///
/// # Errors
/// [`LoadError`] where LLVM cannot read the module.
pub fn with_calls(bytes: &[u8], from: &[&str], to: &str) -> Result<Vec<u8>, LoadError> {
    let module = Module::parse(bytes)?;
    let named = |name: &str| {
        let name = CString::new(name).ok()?;
        // SAFETY: see the module's head; what is not there is null.
        let function = unsafe { LLVMGetNamedFunction(module.module, name.as_ptr()) };
        (!function.is_null()).then_some(function)
    };
    for function in from.iter().filter_map(|name| named(name)) {
        // SAFETY: see the module's head; functions are pointers, all of one type.
        unsafe {
            if LLVMIsDeclaration(function) == 0 {
                continue;
            }
            match named(to) {
                Some(other) => LLVMReplaceAllUsesWith(function, other),
                None => LLVMSetValueName2(function, to.as_ptr().cast(), to.len()),
            }
        }
    }
    module.verified()?;
    Ok(bitcode_of(&module))
}

/// # Safety
/// The value is a global one of a module that is alive.
unsafe fn rename(value: LLVMValueRef, prefix: &str) {
    use LLVMLinkage::*;
    // SAFETY: by the caller.
    unsafe {
        let name = name_of(value);
        let is_local = matches!(LLVMGetLinkage(value), LLVMInternalLinkage | LLVMPrivateLinkage);
        if LLVMIsDeclaration(value) != 0 || is_local || name.starts_with("llvm.") {
            return;
        }
        let renamed = format!("{prefix}{name}");
        LLVMSetValueName2(value, renamed.as_ptr().cast(), renamed.len());
        if !LLVMIsAFunction(value).is_null() {
            LLVMSetComdat(value, std::ptr::null_mut());
        }
    }
}
