//! Data that is kept of a thread that may spin; `spins.rs` looks at it.

use cleave_memory::{AddressSpace, Byte};
use cleave_program::code::{FuncId, Pc};

use crate::states::frame::Reg;

/// The place of a thread: functions, ops and registers of all frames.
pub(crate) type Spot = Vec<(FuncId, Pc, Vec<Reg>)>;

/// A word as a thread has found it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    pub(crate) address: u64,
    pub(crate) bytes: Vec<Byte>,
}

/// The accesses of a thread since it last changed anything.
#[derive(Clone, Default)]
pub(crate) struct Spin {
    /// Accesses, each with the number of words that were read before.
    pub(crate) visits: Vec<(Spot, usize)>,
    pub(crate) words: Vec<Word>,
    /// The memory when the last of them began.
    pub(crate) memory: Option<AddressSpace>,
    /// The place of the next access, while the thread stands in front of it.
    pub(crate) next: Option<Spot>,
    /// The thread does nothing new while these words are as they are.
    pub(crate) awaited: Option<Vec<Word>>,
    /// Number of accesses before the first that was noted.
    pub(crate) patience: u32,
}
