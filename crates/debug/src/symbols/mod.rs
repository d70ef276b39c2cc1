//! The file that gdb reads before it connects: an executable without code. It holds symbols, source lines, types, variables and
//! the rules to unwind the stack.

mod elf;
mod frames;
mod functions;
mod lines;
mod types;
mod units;

pub(crate) use elf::file;
