//! Forms of ops: the operations, comparisons and kinds of numbers that their fields name.

pub use cleave_float::{FBinOp, FPred, FUnOp, Float};
use serde::{Deserialize, Serialize};

/// Integer operations of two operands of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BinOp {
    /// Addition.
    Add,
    /// Subtraction.
    Sub,
    /// Multiplication.
    Mul,
    /// Unsigned division.
    UDiv,
    /// Signed division, towards zero.
    SDiv,
    /// Unsigned remainder.
    URem,
    /// Signed remainder; it has the sign of the dividend.
    SRem,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift to the left.
    Shl,
    /// Shift to the right, zeros coming in.
    LShr,
    /// Shift to the right, copies of the sign coming in.
    AShr,
}

/// Integer comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Pred {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less, as unsigned numbers.
    Ult,
    /// Less or equal, as unsigned numbers.
    Ule,
    /// Greater, as unsigned numbers.
    Ugt,
    /// Greater or equal, as unsigned numbers.
    Uge,
    /// Less, as signed numbers.
    Slt,
    /// Less or equal, as signed numbers.
    Sle,
    /// Greater, as signed numbers.
    Sgt,
    /// Greater or equal, as signed numbers.
    Sge,
}

/// Integer operations of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnOp {
    /// Bytes in the other order; the width is a multiple of 8.
    Bswap,
    /// Bits in the other order.
    BitReverse,
    /// Number of bits that are 1.
    Ctpop,
    /// Number of leading zeros. Of zero: the width.
    Ctlz,
    /// Number of trailing zeros. Of zero: the width.
    Cttz,
    /// Without its sign. Of the least value: itself.
    Abs,
}

/// Minimum, maximum and saturating arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ClampOp {
    /// The lesser one, unsigned.
    UMin,
    /// The greater one, unsigned.
    UMax,
    /// The lesser one, signed.
    SMin,
    /// The greater one, signed.
    SMax,
    /// Unsigned addition that stops at the limits.
    UAddSat,
    /// Signed addition that stops at the limits.
    SAddSat,
    /// Unsigned subtraction that stops at the limits.
    USubSat,
    /// Signed subtraction that stops at the limits.
    SSubSat,
    /// Unsigned shift to the left that stops at the limits.
    UShlSat,
    /// Signed shift to the left that stops at the limits.
    SShlSat,
}

/// Arithmetic that reports overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OverflowOp {
    /// Unsigned addition.
    UAdd,
    /// Signed addition.
    SAdd,
    /// Unsigned subtraction.
    USub,
    /// Signed subtraction.
    SSub,
    /// Unsigned multiplication.
    UMul,
    /// Signed multiplication.
    SMul,
}

impl BinOp {
    /// Returns true if it is a division or a remainder.
    pub const fn divides(self) -> bool {
        match self {
            BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => true,
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor => false,
            BinOp::Shl | BinOp::LShr | BinOp::AShr => false,
        }
    }
}

impl UnOp {
    /// Returns true if a value of `w` bits has it.
    pub const fn fits(self, w: u8) -> bool {
        match self {
            UnOp::Bswap => w.is_multiple_of(8),
            UnOp::BitReverse | UnOp::Ctpop | UnOp::Ctlz | UnOp::Cttz | UnOp::Abs => true,
        }
    }
}
