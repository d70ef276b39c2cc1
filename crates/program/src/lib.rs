//! Programs: LLVM bitcode in, register code out. The one crate that touches LLVM.

pub mod atomics; // Marks of an access that a thread makes without the C library.
mod builtins; // Functions that the engine executes itself when a program calls them by name: one table.
pub mod debug; // Debug information: nodes of the compiler, and the code that stands for them.
mod demangled; // Names of C++ as people write them.
mod image; // Programs as bytes, which a run keeps beside its database.
mod images; // Images: the programs that can be executed in one run, as parts of one `Program`.
pub mod layout; // Places of functions, globals, heap and stack in the address space of a program under test.
mod llvm; // Translates LLVM modules to register code.
mod register_code; // The register code: ops, their table, verifier, text.
mod shape; // The shape of a function, for an engine that runs arms of one path side by side.
pub mod undefined; // The handlers that clang calls where a check of `-fsanitize=undefined` fails.
mod undefined_names; // Names that are defined nowhere, as messages to users.

pub use builtins::is_known;
pub use demangled::{demangled, shortened};
pub use image::ImageError;
pub use llvm::{
    Checked, Entry, LoadError, Replaced, check, is_of_rust, load, load_at, load_debuggable, load_with,
    with_aliases, with_calls, with_entry, with_points, with_prefix, with_proofs,
};
pub use register_code::code;
pub use register_code::verify::{Problem, VerifyError};
pub use shape::{RegisterWidth, Shape};
pub use undefined_names::{missing, missing_data};

// `shape.rs` names these files as the crate's own.
use register_code::{fields, walk};
