//! The translation of functions, instructions and constants to register code.

pub(crate) mod calls; // Calls: of functions, of builtins, through pointers, with variable arguments, of intrinsics.
pub(crate) mod constants; // Constants: as lists of scalars for registers, and as bytes for globals.
pub(crate) mod debug; // Source positions, and notes for debuggers: scopes, variables, and places to stop.
pub(crate) mod function; // One function: registers for its values, code for its blocks, moves for its phis.
pub(crate) mod instructions; // Instructions on scalars, and control flow.
pub(crate) mod intrinsics; // LLVM's intrinsics: one table from names to ops.
pub(crate) mod lanes; // Vector instructions of x86-64: a table from intrinsics to operations on lanes.
pub(crate) mod loader; // State of a module's translation: the layout, and tables of its functions, globals and names.
pub(crate) mod memory; // Loads, stores, stack objects, and casts that keep a value's bits.
pub(crate) mod scalar_ops; // Ops on scalars for LLVM's opcodes and predicates.
pub(crate) mod scopes; // Scopes of local variables: `llvm.lifetime.start` and `llvm.lifetime.end`.
pub(crate) mod translator; // The state of a function's translation: operands, registers, constants, targets.
pub(crate) mod unwinding; // Calls that an exception may leave, and landing pads.
pub(crate) mod vectors; // Instructions on parts of aggregates and vectors.
