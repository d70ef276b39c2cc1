//! Operands of ops: registers, constants, places in the code.

use serde::{Deserialize, Serialize};

/// A register of a function's frame.
pub type Reg = u32;
/// An index into [`Function::code`](crate::register_code::code::Function::code).
pub type Pc = u32;
/// An index into [`Program::functions`](crate::register_code::code::Program::functions).
pub type FuncId = u32;

/// The `dst` of an op whose result is unused.
pub const NO_REG: Reg = u32::MAX;

/// A register or an entry of the function's constant pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Operand(u32);

impl Operand {
    const CONSTANT: u32 = 1 << 31;

    /// Register `r`.
    pub const fn reg(r: Reg) -> Self {
        Operand(r)
    }
    /// Entry `i` of the constant pool.
    pub const fn constant(i: u32) -> Self {
        Operand(i | Self::CONSTANT)
    }
    /// The register, if it is one.
    #[inline(always)]
    pub const fn as_reg(self) -> Option<Reg> {
        if self.0 & Self::CONSTANT == 0 { Some(self.0) } else { None }
    }
    /// The index into the constant pool, if it is a constant.
    #[inline(always)]
    pub const fn as_constant(self) -> Option<u32> {
        if self.0 & Self::CONSTANT != 0 { Some(self.0 & !Self::CONSTANT) } else { None }
    }
    /// The high half of a wide operand whose low half this is.
    pub const fn high(self) -> Self {
        Operand(self.0 + 1)
    }
}

impl std::fmt::Debug for Operand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.as_constant() {
            Some(i) => write!(f, "k{i}"),
            None => write!(f, "r{}", self.0),
        }
    }
}

/// A run of operands in [`Function::args`](crate::register_code::code::Function::args).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Args {
    /// Index of the first.
    pub start: u32,
    /// Number of operands.
    pub len: u16,
}
