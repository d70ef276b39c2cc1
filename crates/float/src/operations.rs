//! The kinds of numbers, and the operations on them.

use serde::{Deserialize, Serialize};

/// The kinds of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Float {
    /// IEEE single, in the low 32 bits of a register.
    F32,
    /// IEEE double.
    F64,
    /// x87 extended, 80 bits: a wide scalar.
    X80,
}

/// Floating-point operations of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FBinOp {
    /// Addition.
    Add,
    /// Subtraction.
    Sub,
    /// Multiplication.
    Mul,
    /// Division.
    Div,
    /// Remainder, as `fmod` gives it.
    Rem,
    /// The magnitude of the first, with the sign of the second.
    CopySign,
    /// The lesser one; if only one is a number, that one (`llvm.minnum`).
    MinNum,
    /// The greater one; if only one is a number, that one (`llvm.maxnum`).
    MaxNum,
    /// The lesser one, unless one is no number (`llvm.minimum`).
    Minimum,
    /// The greater one, unless one is no number (`llvm.maximum`).
    Maximum,
}

/// Floating-point operations of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FUnOp {
    /// The other sign.
    Neg,
    /// Without its sign.
    Abs,
    /// Square root.
    Sqrt,
    /// To an integer, down.
    Floor,
    /// To an integer, up.
    Ceil,
    /// To an integer, towards zero.
    Trunc,
    /// Round to even, as the current mode says (we know one mode).
    Rint,
    /// Half away from zero.
    Round,
}

/// Floating-point comparisons, bit by bit as LLVM has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FPred {
    /// True where the operands are equal.
    pub eq: bool,
    /// True where the first is greater.
    pub gt: bool,
    /// True where the first is less.
    pub lt: bool,
    /// Result if an operand is not a number.
    pub uno: bool,
}

impl Float {
    /// Number of bits of a number.
    pub const fn bits(self) -> u8 {
        match self {
            Float::F32 => 32,
            Float::F64 => 64,
            Float::X80 => 80,
        }
    }

    /// The kind of numbers with this number of bits.
    pub const fn of_bits(bits: u8) -> Option<Float> {
        match bits {
            32 => Some(Float::F32),
            64 => Some(Float::F64),
            80 => Some(Float::X80),
            _ => None,
        }
    }
}
