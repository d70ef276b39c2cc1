//! A Rust program with functions that `#[cleave::proof]` marks begins at a `main` of the runtime (runtime/rust/main.c), which explores
//! one of them where it is asked to.

use llvm_sys::core::*;

use crate::llvm::LoadError;
use crate::llvm::modules::module::Module;
use crate::llvm::modules::sections::section_of;
use crate::llvm::rewrites::alias::bitcode_of;

/// The section of the records of proofs, as the attribute names it.
const SECTION: &str = "cleave_proofs";
/// The static `PROOF` in mangled names, which stand in a module byte by byte. To read a module with std in it takes a second.
const RECORD: &[u8] = b"5PROOF";

/// A module of rustc with another name for its `main`, if it has proofs.
///
/// # Errors
/// [`LoadError`] if LLVM cannot read the module.
pub fn with_proofs(bytes: &[u8]) -> Result<Option<Vec<u8>>, LoadError> {
    if !bytes.windows(RECORD.len()).any(|window| window == RECORD) {
        return Ok(None);
    }
    let module = Module::parse(bytes)?;
    if !module.globals().into_iter().any(|global| section_of(global).as_deref() == Some(SECTION)) {
        return Ok(None);
    }
    // SAFETY: see the module's head; the names are constants that end with a zero.
    unsafe {
        let main = LLVMGetNamedFunction(module.module, c"main".as_ptr());
        if main.is_null() {
            return Ok(None);
        }
        let name = c"cleave_rust_main";
        LLVMSetValueName2(main, name.as_ptr(), name.count_bytes());
    }
    module.verified()?;
    Ok(Some(bitcode_of(&module)))
}
