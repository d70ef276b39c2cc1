//! The file that gdb reads before it connects: an executable without code, with symbols, source lines, types, variables and
//! how to unwind the stack.

mod elf;
mod frames;
mod functions;
mod lines;
mod types;
mod units;

pub(crate) use elf::file;
