//! The file that gdb reads before it connects: an executable without code. It holds symbols, source lines, types, variables and
//! the rules to unwind the stack.

mod builder; // A translation unit that is being written.
mod elf; // The file itself.
mod frames; // The rules to unwind the stack.
mod functions; // Functions, their blocks and variables.
mod lines; // Source lines.
mod types; // Types.
mod units; // All translation units: functions, globals, ranges of code.

pub(crate) use elf::file;
