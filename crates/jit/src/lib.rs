//! A compiler from register code to machine code, for functions that run often with known values.
//!
//! Compiled code executes ops while their operands are known and no check finds a fault. Where an operand is not known, a check may
//! fail, or an op is not compiled, it leaves *in front of the op*, with the registers, the memory and the count of instructions
//! that the engine's loop has there. So the loop executes the op, and remains the judge of each op. Registers are in memory at each
//! place where compiled code may leave: it writes through, and reads what it knows from the machine's registers.
//!
//! `shape.rs`: the places at which compiled code is entered, the registers that live there, and the longest way between two looks at
//! the limit. `context.rs`: data that compiled code shares with its caller, windows into memory, and the functions that it calls.
//! `translation.rs`, `integers.rs`, `accesses.rs`: ops as Cranelift's instructions. `unit.rs`: a compiled function. `compiler.rs`:
//! all compiled functions of a program. Unsafe code is here because machine code is: it is called, and it reads and writes
//! through the pointers of the context.

mod accesses;
mod compiler;
mod context;
mod integers;
mod shape;
mod translation;
mod unit;

pub use compiler::{Compiler, Facts};
pub use context::Scopes;
pub use unit::{Left, Running, Unit};
