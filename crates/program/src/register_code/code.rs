//! The register code: a compact, immutable form of a program that the engine steps through.
//!
//! - A function has registers; a register holds a scalar of at most 64 bits. A *wide* scalar (65 to 128 bits,
//!   x87 extended floats among them) takes two consecutive registers, the low 64 bits first. Aggregates and
//!   vectors are flattened into consecutive registers, element by element.
//! - The concrete bits of a register above its width are zero.
//! - An operand is a register or an entry of the function's constant pool; addresses of globals and functions
//!   are constants, fixed by [`crate::layout`]. A wide operand names its low half; the high half is the next
//!   register, or the next constant.
//! - Phis are moves on edges, already put in an order that is right for parallel assignment.
//! - An op that ends a *segment* (jumps, branches, calls, returns ...) carries in `n` the number of LLVM instructions of the
//!   segment, itself included: the engine counts LLVM instructions, not ops.
//! - Values that nobody has set ([`Op::Undefined`]) and results that an operation does not have read as zero; the
//!   engine keeps beside each value which of its bits are undefined.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::layout::{FUNCTION_BASE, FUNCTION_STRIDE, Target};

pub use crate::builtins::{Builtin, Copying, UnwindValue};
pub use crate::register_code::dump::Form;
pub use crate::register_code::operands::*;
pub use crate::register_code::operations::*;
pub use crate::register_code::ops::{Flow, Op};

/// An argument of a call that goes into the callee's variable argument area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VarArg {
    /// The value, or the address of the aggregate that is passed by value.
    pub value: Operand,
    /// Width of the scalar in bits; above 64 the value is wide.
    pub bits: u8,
    /// True if it is a floating-point number.
    pub float: bool,
    /// Bytes of the aggregate passed by value, if it is one.
    pub byval: Option<u32>,
    /// Its alignment in the area, in bytes: 8 or 16, or its size if it is a further lane of a vector.
    pub align: u32,
    /// Class of the registers that it is passed in while there are some left.
    pub class: ArgClass,
}

/// Place of an argument in the calling convention of x86-64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgClass {
    /// Into an integer register, or two.
    Integer,
    /// Into a vector register.
    Float,
    /// Onto the stack.
    Memory,
    /// A lane of a vector.
    Lane,
}

/// A scalar of a function's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// Bits, at most 128; above 64 it takes two registers.
    pub width: u8,
    /// True if it is a floating-point number.
    pub float: bool,
}

impl Kind {
    /// Number of registers it takes.
    pub fn registers(self) -> usize {
        if self.width > 64 { 2 } else { 1 }
    }
}

/// The scalars that a function takes and gives, flattened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Of the fixed arguments.
    pub params: Vec<Kind>,
    /// Of the results.
    pub results: Vec<Kind>,
    /// True if each scalar is passed by itself: none is part of a vector, or of a structure in memory.
    pub plain: bool,
}

/// A call through a pointer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndirectCall {
    /// The function's address.
    pub target: Operand,
    /// First register of the results; [`NO_REG`] if there are none.
    pub dst: Reg,
    /// Number of registers the caller expects back.
    pub results: u16,
    /// The type that it is called by, which may be another than the function's own.
    pub signature: Signature,
    /// The fixed arguments as the call's own function type has them, flattened.
    pub args: Args,
    /// Index into [`Function::varargs`] of the variable ones, if the type is variadic.
    pub varargs: Option<u32>,
}

/// The cases of a switch, in the order of the source; then the default. Each target is one decision, in the order of its first
/// case; the default is the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SwitchTable {
    /// Value and target.
    pub cases: Vec<(u64, Pc)>,
    /// Target if no case holds. For an indirect branch: unused.
    pub default: Pc,
}

impl SwitchTable {
    /// The targets but the default's, in the order of their first cases: the order in which they are decided.
    pub fn targets(&self) -> impl Iterator<Item = Pc> + '_ {
        let first = |i: usize, pc: Pc| pc != self.default && self.cases[..i].iter().all(|c| c.1 != pc);
        let places = self.cases.iter().enumerate();
        places.filter_map(move |(i, &(_, pc))| first(i, pc).then_some(pc))
    }
}

/// A function in register code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its name in the module.
    pub name: String,
    /// Registers `0..params` receive the flattened arguments.
    pub params: u32,
    /// The name of each parameter in the module, which may be empty, and the number of these registers that it has.
    pub parameters: Vec<(String, u32)>,
    /// Number of registers of a frame.
    pub registers: u32,
    /// Number of registers it returns.
    pub results: u16,
    /// Its type, to be compared with that of a call through a pointer.
    pub signature: Signature,
    /// True if it takes variable arguments.
    pub variadic: bool,
    /// The registers that its own parameters take: integer ones, vector ones.
    pub fixed_registers: (u8, u8),
    /// The code; entry at 0. Empty for a function that is only declared: see `external`.
    pub code: Vec<Op>,
    /// The constant pool.
    pub constants: Vec<u64>,
    /// Operand lists of calls and returns.
    pub args: Vec<Operand>,
    /// Variable argument lists of calls.
    pub varargs: Vec<Vec<VarArg>>,
    /// Tables of switches and indirect branches.
    pub switches: Vec<SwitchTable>,
    /// Calls through pointers.
    pub indirect: Vec<IndirectCall>,
    /// For each op of `code` the index of its source position in [`Program::positions`]; `u32::MAX` for none.
    pub positions: Vec<u32>,
    /// File and line of its definition, as an index into [`Program::positions`]; `u32::MAX` for none.
    pub defined_at: u32,
    /// A name that the engine does itself: calls through a pointer to it do that.
    pub builtin: Option<Builtin>,
    /// It is the C library's, or the start-up code's, and not the program's.
    pub library: bool,
    /// The code as it was written, piece by piece, for the account of coverage. The C library has none.
    pub pieces: Vec<Piece>,
    /// Source positions at which loops begin: the first line executed in each round. Not all loops are known.
    pub loops: Vec<Loop>,
    /// The fate of exceptions that come to it.
    pub unwinding: Unwinding,
}

/// The fate of exceptions that come to a function out of its calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unwinding {
    /// The address of the function that says what its landing pads are for; 0 if it has none.
    pub personality: u64,
    /// The address of the table that this function reads: for each landing pad a row, at its number, as native code has it.
    pub table: u64,
    /// No exception leaves it, and one that comes to it from a call without a landing pad ends the program.
    pub never: bool,
}

/// A loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// The op that the branch goes back to.
    pub head: Pc,
    /// The source position of its statement, as an index into [`Program::positions`].
    pub line: u32,
}

/// A part of a basic block without a call in it, but perhaps at its end: all of it is executed once it begins, unless the path
/// ends in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The first op that was made for it, or the op executed in its place if there is none.
    pub at: Pc,
    /// True if a basic block begins with it.
    pub begins_block: bool,
    /// The source lines of its instructions before any pass, as indices into [`Program::positions`], each once.
    pub lines: Vec<u32>,
}

/// A global variable or constant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Global {
    /// Its name in the module.
    pub name: String,
    /// Its address, from [`crate::layout`].
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The first bytes of its initial value; the rest is zero.
    pub init: Vec<u8>,
    /// True if a write to it is an error.
    pub constant: bool,
    /// Place of its bytes.
    pub storage: Storage,
    /// It is the C library's, or the start-up code's, and not the program's.
    pub library: bool,
    /// The alignment in bytes that the program gives it, a power of two; its address has a larger one.
    pub align: u32,
}

impl Global {
    /// One without bytes, of the program's own.
    pub fn named(name: String, address: u64, storage: Storage) -> Global {
        Global {
            name,
            address,
            size: 0,
            init: Vec::new(),
            constant: false,
            storage,
            library: false,
            align: 1,
        }
    }
}

/// Place of a global's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Storage {
    /// In an object of its own.
    Own,
    /// In an object that is a section: all variables of a section whose bounds the program knows (`__start_NAME`), one behind
    /// the other. The global has the name of the section.
    Section,
    /// In the last section in front of it in the list.
    Member,
    /// Nowhere: the program declares it without a definition. It has an address, and no access to it is modelled.
    Missing,
}

/// A source position.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Position {
    /// Index of the file's name in [`Program::strings`].
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
}

/// A whole program, immutable, shared by all states of all workers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The functions; a [`FuncId`] is an index.
    pub functions: Vec<Function>,
    /// The globals in the order of their addresses.
    pub globals: Vec<Global>,
    /// The image that a run starts with.
    pub main: Image,
    /// The machine that it is for.
    pub target: Target,
    /// Images that the program can execute in its place; an image's number is its index here plus one.
    pub others: Vec<Image>,
    /// File names and texts of unsupported instructions.
    pub strings: Vec<String>,
    /// Source positions.
    pub positions: Vec<Position>,
}

/// The name by which the library's `main` for fuzz targets makes its input (runtime/fuzz.c).
const FUZZ_INPUT: &str = "cleave_sized_input";

impl Program {
    /// All images, by their numbers: [`Program::main`] is number 0.
    pub fn images(&self) -> impl Iterator<Item = &Image> {
        std::iter::once(&self.main).chain(&self.others)
    }

    /// The image of a number.
    pub fn image(&self, number: u32) -> Option<&Image> {
        match number.checked_sub(1) {
            None => Some(&self.main),
            Some(other) => self.others.get(other as usize),
        }
    }

    /// The image that a function belongs to; the first for one that is not there.
    pub fn image_of(&self, func: FuncId) -> &Image {
        self.others.iter().find(|image| image.functions.contains(&func)).unwrap_or(&self.main)
    }

    /// Returns true if threads come to points at atomic or volatile accesses.
    pub fn has_access_points(&self) -> bool {
        let is_point = |op: &Op| matches!(op, Op::Builtin { what: Builtin::AtomicPoint, .. });
        self.functions.iter().any(|function| function.code.iter().any(is_point))
    }

    /// Returns true if its `main` is the library's for fuzz targets (runtime/fuzz.c).
    pub fn is_fuzz_target(&self) -> bool {
        let is_its = |function: &Function| {
            function.builtin == Some(Builtin::SizedInput) && function.name == FUZZ_INPUT
        };
        self.functions.iter().any(is_its)
    }
}

/// First addresses of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The number that the address of its first function is made from.
    pub function: FuncId,
    /// The first slot of its globals.
    pub slot: u64,
}

impl Default for Place {
    /// The place of a program that is alone, on x86-64; see [`Place::on`].
    fn default() -> Place {
        Place { function: 0, slot: Target::X86_64.first_global_slot() }
    }
}

impl Place {
    /// The same place on a machine, whose globals may begin later.
    #[must_use]
    pub fn on(self, target: Target) -> Place {
        Place { slot: self.slot.max(target.first_global_slot()), ..self }
    }
}

/// A program that can run by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Its name, as users know it.
    pub name: String,
    /// Its first function: `cleave_start`, or `main` if there is no start-up code.
    pub entry: FuncId,
    /// Its functions.
    pub functions: Range<FuncId>,
    /// Its globals, as indices into [`Program::globals`].
    pub globals: Range<u32>,
    /// Its first addresses.
    pub place: Place,
    /// The first slot behind its globals: the heap starts there.
    pub heap_slot: u64,
}

impl Image {
    /// Returns true if `address` is one of its functions'.
    pub fn has_function_at(&self, address: u64) -> bool {
        let (start, end) = self.function_addresses();
        (start..end).contains(&address) && address.is_multiple_of(FUNCTION_STRIDE)
    }

    /// The first address of its functions, and the one behind them.
    pub fn function_addresses(&self) -> (u64, u64) {
        let at = |id: FuncId| FUNCTION_BASE + u64::from(id) * FUNCTION_STRIDE;
        (at(self.functions.start), at(self.functions.end))
    }
}
