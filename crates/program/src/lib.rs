//! Programs: LLVM bitcode in, register code out. The one crate that touches LLVM.

pub mod atomics;
mod builtins;
pub mod code;
pub mod debug;
mod dump;
mod fields;
mod image;
mod images;
mod known_bits;
pub mod layout;
mod llvm;
mod missing;
mod operands;
mod operations;
mod ops;
mod shape;
mod sweep;
pub mod undefined;
mod verify;
mod walk;

pub use builtins::is_known;
pub use image::ImageError;
pub use llvm::{
    Checked, Entry, LoadError, Replaced, check, load, load_at, load_debuggable, load_with, with_aliases,
    with_entry, with_points,
};
pub use missing::{missing, missing_data};
pub use shape::{RegisterWidth, Shape};
pub use verify::{Problem, VerifyError};
