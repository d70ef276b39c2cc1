//! Programs: LLVM bitcode in, register code out. The one crate that touches LLVM.

pub mod code;
pub mod layout;
