//! Programs: LLVM bitcode in, register code out. The one crate that touches LLVM.

pub mod code;
mod image;
pub mod layout;
mod llvm;

pub use image::ImageError;
pub use llvm::{Checked, LoadError, check, load};
