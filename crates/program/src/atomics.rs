//! What an access does that threads make without the C library, as an argument of its marks (`llvm/atomics.rs`).

/// What `cleave_ordered` says of a section that no other thread interrupts; runtime/atomic_sections.c has the numbers, too.
pub const SECTION_BEGINS: u32 = 3;
/// Its end.
pub const SECTION_ENDS: u32 = 4;

/// The third argument of [`crate::code::Builtin::AtomicPoint`] and its kin: bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared(pub u64);

impl Shared {
    /// It reads.
    pub const READS: u64 = 1;
    /// It writes.
    pub const WRITES: u64 = 2;
    /// What the thread does behind it is behind what was released there.
    pub const ACQUIRES: u64 = 4;
    /// What the thread did in front of it is in front of who acquires it.
    pub const RELEASES: u64 = 8;
    /// It is no atomic one.
    pub const VOLATILE: u64 = 16;
    /// Its order is weaker than sequential consistency.
    pub const WEAK: u64 = 32;

    /// Whether it has one of these bits.
    pub fn has(self, bits: u64) -> bool {
        self.0 & bits != 0
    }

    /// Whether it reads and writes at once.
    pub fn modifies(self) -> bool {
        self.has(Self::READS) && self.has(Self::WRITES)
    }
}
