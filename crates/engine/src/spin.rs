//! What is kept of a thread that may spin; `spins.rs` says when it does.

use cleave_memory::{AddressSpace, Byte};
use cleave_program::code::{FuncId, Pc};

use crate::frame::Reg;

/// Where a thread stands: functions, ops and registers of all frames.
pub(crate) type Spot = Vec<(FuncId, Pc, Vec<Reg>)>;

/// A word as a thread has found it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    pub(crate) address: u64,
    pub(crate) bytes: Vec<Byte>,
}

/// What a thread has accessed since it last changed anything.
#[derive(Clone, Default)]
pub(crate) struct Spin {
    /// Accesses, and how many words were read before.
    pub(crate) visits: Vec<(Spot, usize)>,
    pub(crate) words: Vec<Word>,
    /// The memory when the last of them began.
    pub(crate) memory: Option<AddressSpace>,
    /// Where the next of them is, while the thread stands in front of it.
    pub(crate) next: Option<Spot>,
    /// Nothing new comes of it while these are as they are.
    pub(crate) awaited: Option<Vec<Word>>,
    /// Accesses before the first that was noted.
    pub(crate) patience: u32,
}
