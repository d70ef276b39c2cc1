//! `cleave debug`: the path of a test under gdb, forwards and backwards.
//!
//! [`timeline`] is a position on the path of a test that moves in both directions. [`machine`] presents it as a machine with
//! registers, a stack and memory. [`symbols`] describes that machine to gdb in a file. [`target`] and [`serve`] speak gdb's
//! remote protocol.

mod addresses;
mod machine;
mod monitor;
mod serve;
mod session;
mod symbols;
mod target;
mod timeline;

pub use serve::serve;
pub use session::{Save, Session};

/// Reason for which a path cannot be debugged. Each is one sentence.
#[derive(Debug, thiserror::Error)]
pub enum DebugError {
    /// The file for gdb cannot be made.
    #[error(
        "the symbols of this program cannot be written for gdb ({0}); build it without debug information"
    )]
    Symbols(String),
    /// The connection to gdb broke.
    #[error("the connection to gdb broke ({0}); start `cleave debug` again")]
    Connection(String),
}
