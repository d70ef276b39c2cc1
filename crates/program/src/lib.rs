//! Programs: LLVM bitcode in, register code out. The one crate that touches LLVM.

pub mod code;
mod dump;
mod image;
pub mod layout;
mod llvm;
mod missing;
mod sweep;
pub mod undefined;
mod verify;
mod walk;

pub use image::ImageError;
pub use llvm::{Checked, Entry, LoadError, check, is_builtin, load, load_with, with_entry};
pub use missing::missing;
pub use verify::{Problem, VerifyError};
