//! A compiler from register code to machine code, for functions that run often with known values.
//!
//! Compiled code executes ops while their operands are known and no check finds a fault. Where an operand is not known, a check may
//! fail, or an op is not compiled, it leaves *in front of the op*, with the registers, the memory, the frames and the count of
//! instructions that the engine's loop has there. So the loop executes the op, and remains the judge of each op. Registers are in memory
//! at each place where compiled code may leave: it writes through, and reads what it knows from the machine's registers.
//!
//! `shape.rs`: the ops that are compiled, the places at which compiled code is entered, and the registers that live there.
//! `windows.rs`: windows into memory. `context.rs`: data that compiled code shares with its caller, and the functions that it calls.
//! `facts.rs`: facts of a function that are not in its code. `counts.rs`: counts of visits and marks of accesses; `counting.rs`: compiled code
//! that keeps them. `translation.rs`: the state of a translation. `integers.rs`, `floats.rs`, `accesses.rs`, `calls.rs`: ops as Cranelift's instructions. `body.rs`: a whole function. `unit.rs`: a
//! compiled function. `compiler.rs`: all compiled functions of a program. Unsafe code is here because machine code is: it is called, and it reads
//! and writes through the pointers of the context.

mod accesses;
mod body;
mod calls;
mod compiler;
mod context;
mod counting;
mod counts;
mod facts;
mod floats;
mod integers;
mod shape;
mod translation;
mod unit;
mod windows;

pub use compiler::{Compiler, Wish};
pub use counts::{AccessMarks, Counting, Counts};
pub use facts::{FRAME_COST, Facts};
pub use unit::{Frame, Left, Running, Stack};
