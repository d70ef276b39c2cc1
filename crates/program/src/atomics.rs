//! Marks of an access that a thread makes without the C library: an argument of the calls that `atomics.rs` inserts.

/// Kinds of `cleave_ordered` for a section that no other thread interrupts; runtime/atomic_sections.c has the numbers, too.
pub const SECTION_BEGINS: u32 = 3;
/// Its end.
pub const SECTION_ENDS: u32 = 4;

/// The third argument of [`crate::register_code::code::Builtin::AtomicPoint`] and its kin: bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared(pub u64);

impl Shared {
    /// It reads.
    pub const READS: u64 = 1;
    /// It writes.
    pub const WRITES: u64 = 2;
    /// Acquire: later accesses of the thread happen after everything that was released there.
    pub const ACQUIRES: u64 = 4;
    /// Release: earlier accesses of the thread happen before the accesses of a thread that acquires it.
    pub const RELEASES: u64 = 8;
    /// It is no atomic one.
    pub const VOLATILE: u64 = 16;
    /// Its order is weaker than sequential consistency.
    pub const WEAK: u64 = 32;

    /// Returns true if it has one of these bits.
    pub fn has(self, bits: u64) -> bool {
        self.0 & bits != 0
    }

    /// Returns true if it reads and writes at once.
    pub fn modifies(self) -> bool {
        self.has(Self::READS) && self.has(Self::WRITES)
    }
}
