//! Interface from the kernel to the program it serves: its memory, its inputs, and decisions.

use cleave_expr::{Term, Terms};
use cleave_memory::Byte;

use crate::processes::execution::Execution;

/// A call that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// When it waits no longer: nanoseconds on the kernel's clock, which starts at 0 with the path.
    pub until: Option<u64>,
    /// The reason why it would wait for ever, as a sentence without its full stop.
    pub why: &'static str,
}

/// Why a system call did not return to the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The call depends on a condition that is not decided yet. The engine forks and runs the call again from the start, with the
    /// answer; all changes by the call before are thrown away.
    Decide(Term),
    /// The program passed a pointer to memory that is not its own: the text of the error.
    Fault {
        /// The address.
        address: u64,
        /// The error, as a sentence without its full stop.
        message: String,
    },
    /// Something that is not modelled, by name; ends the path as unsupported.
    Unsupported(String),
    /// The call cannot return yet: to be run again when [`crate::Kernel::schedule`] says so, on the kernel as the call
    /// leaves it and on the memory as it was before.
    Wait(Wait),
    /// The process runs another program from here on.
    Execute(Box<Execution>),
    /// The program ends with this exit status (0 to 255).
    Exit(i32),
    /// The program ends by a signal.
    Signal(i32),
}

/// The program that a system call serves.
pub trait Guest {
    /// The terms of this exploration.
    fn terms(&mut self) -> &mut Terms;
    /// The branch direction of a condition (one bit) on this path.
    ///
    /// # Errors
    /// [`Stop::Decide`] if it is open: to be handed on at once.
    fn decide(&mut self, condition: Term) -> Result<bool, Stop>;
    /// The value of a term of at most 64 bits on this path, decided step by step.
    ///
    /// # Errors
    /// [`Stop::Decide`] if it is open: to be handed on at once.
    fn value(&mut self, term: Term) -> Result<u64, Stop>;
    /// Reads `len` bytes of the program's memory.
    ///
    /// # Errors
    /// [`Stop::Fault`] if they are not all readable.
    fn read(&mut self, address: u64, len: u64) -> Result<Vec<Byte>, Stop>;
    /// As [`Guest::read`], of bytes that the kernel only keeps for the program, or does not look at: they need not be set.
    ///
    /// # Errors
    /// [`Stop::Fault`] if they are not all readable.
    fn carry(&mut self, address: u64, len: u64) -> Result<Vec<Byte>, Stop> {
        self.read(address, len)
    }
    /// The little-endian number in `len` bytes (1 to 8) of the program's memory, if it is at hand; `None` does not mean that the
    /// bytes are unreadable.
    fn known(&self, address: u64, len: u64) -> Option<u64> {
        let _ = (address, len);
        None
    }
    /// As [`Guest::read`], but never stops the call; `None` if the bytes are not all readable.
    fn peek(&mut self, address: u64, len: u64) -> Option<Vec<Byte>> {
        self.read(address, len).ok()
    }
    /// Writes bytes to the program's memory.
    ///
    /// # Errors
    /// [`Stop::Fault`] if they are not all writable.
    fn write(&mut self, address: u64, bytes: &[Byte]) -> Result<(), Stop>;
    /// Returns true if any of the `len` bytes at `address` belongs to the program; their values do not matter.
    fn present(&self, address: u64, len: u64) -> bool;
    /// A new zeroed object of `size` bytes in the program's memory, page-aligned (`mmap`); its address.
    ///
    /// # Errors
    /// [`Stop::Unsupported`] if it is larger than the engine allows.
    fn map(&mut self, size: u64) -> Result<u64, Stop>;
    /// As [`Guest::map`], at an address of the program's choice; `false` if that cannot be had.
    fn map_at(&mut self, address: u64, size: u64) -> bool {
        let _ = (address, size);
        false
    }
    /// Zeros in place of bytes of an object that [`Guest::map`] gave, even if they were given back; `false` if they are not all
    /// of one.
    fn map_again(&mut self, address: u64, size: u64) -> bool {
        let _ = (address, size);
        false
    }
    /// Gives back bytes of objects that [`Guest::map`] gave; `false` if there are none.
    fn unmap(&mut self, address: u64, size: u64) -> bool;
    /// Place of a word in memory that processes share, if the kernel's mappings do not have it: a number that the piece of memory
    /// has for all of them, and the word's place in it, in bytes.
    fn shared_word(&self, address: u64) -> Option<(u64, u64)> {
        let _ = address;
        None
    }
    /// A new input of `len` bytes under this name: its bytes.
    fn input(&mut self, name: &str, len: u32) -> Vec<Byte>;
    /// Soft constraint: tests should satisfy this condition (one bit) if they can.
    fn prefer(&mut self, condition: Term) {
        let _ = condition;
    }
}
