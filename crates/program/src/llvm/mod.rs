//! Translates LLVM modules to register code. The only place that calls LLVM.
//!
//! Safety, for all of this module: every handle comes from the one module that [`module::Module`] owns and is used
//! only while it lives; the functions called do not keep what they are given; each is called on values of the
//! kind that it asks for, which the code around it has checked by opcode or kind.
#![allow(unsafe_code)]

pub(crate) mod asm; // Inline assembly, statement by statement.
pub(crate) mod load; // Loads a whole program: passes and addresses, functions, bytes of globals.
pub(crate) mod marks; // Passes that mark places of a module.
pub(crate) mod modules; // A module as LLVM has it: values, types, sections, debug information.
pub(crate) mod rewrites; // Passes that replace parts of a module.
pub(crate) mod translation; // Functions, instructions and constants as register code.

pub use load::{Checked, check, load, load_at, load_debuggable, load_with};
pub use marks::atomics::with_points;
pub use modules::places::is_of_rust;
pub use modules::prefix::{with_calls, with_prefix};
pub use rewrites::alias::{Replaced, with_aliases};
pub use rewrites::entry::{Entry, with_entry};
pub use rewrites::proofs::with_proofs;

/// A name out of a module, for a sentence: a module's names may have any characters.
fn shown(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '?' } else { c }).take(100).collect()
}

/// Reasons why a module cannot be loaded. Each is one sentence that says how to go on.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// LLVM cannot read it.
    #[error(
        "this is no LLVM bitcode or text that LLVM 19 can read ({0}); compile it again with `cleave cc`, or clang up to version 19"
    )]
    Unreadable(String),
    /// It is for another machine.
    #[error(
        "this module is for `{}`, not for x86_64 or i386; compile it with `cleave cc`, or with clang --target=x86_64-linux-musl",
        shown(.0)
    )]
    Target(String),
    /// It has no function to start at.
    #[error(
        "this module has no `main` (and no `LLVMFuzzerTestOneInput`); give a whole program, whose parts `cleave cc` links"
    )]
    NoMain,
    /// A global starts with a value that is not modelled.
    #[error(
        "the initial value of the global `{}` has a part that is not modelled, such as an integer of more than 128 bits or an indirect function's address; build the program without it",
        shown(.0)
    )]
    InitialValue(String),
    /// A global has an alignment that is not modelled: its bytes, and the most that are.
    #[error(
        "the global `{}` has an alignment of {} bytes, and no more than {} KiB is modelled; build the program without it",
        shown(.0),
        .1,
        .2 >> 10
    )]
    Alignment(String, u64, u64),
    /// The function to begin with cannot be begun with.
    #[error("the program cannot begin with `{0}`, which {1}; give another --entry-point")]
    Entry(String, String),
    /// Functions cannot be replaced as asked for.
    #[error("`{0}` {1}; give another --function-alias")]
    Alias(String, String),
    /// A pass failed.
    #[error("LLVM could not simplify this module ({0}); check it with `opt -passes=verify`")]
    Passes(String),
}
