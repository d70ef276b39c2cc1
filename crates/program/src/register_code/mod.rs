//! The register code: its ops and their table, and all that reads or checks ops.

pub mod code; // The register code: a compact, immutable form of a program that the engine steps through.
pub(crate) mod dead_code; // Removes what a translation leaves: unreachable ops and blocks, unused registers.
pub(crate) mod dump; // Register code as text, for `cleave dump` and for the tests.
pub(crate) mod fields; // Roles of the fields of an op, for code that handles every op alike (walk, verifier, dump).
pub(crate) mod known_bits; // Bits of integers that are known for every input of the program.
pub(crate) mod operands; // Operands of ops: registers, constants, places in the code.
pub(crate) mod operations; // Forms of ops: the operations, comparisons and kinds of numbers that their fields name.
pub(crate) mod ops; // The table of ops, from which everything that knows all ops is made.
pub(crate) mod verify; // Verifies that register code keeps to its rules: images are not trusted.
pub(crate) mod walk; // Reads, writes and targets of an op, as its fields in the table say.
