//! Handles, operators and nodes of terms. The engine, the solver and its back ends use them.

use std::num::NonZeroU32;

use crate::float::float_op::FloatOp;

/// A handle to a term in a [`Terms`](crate::Terms).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(pub(crate) NonZeroU32);

impl Term {
    /// A dense index, from 1. Terms are made after their operands, so operands have smaller indices.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0.get() as usize
    }

    /// The handle as a nonzero number, for packed representations.
    #[inline(always)]
    pub fn to_raw(self) -> u32 {
        self.0.get()
    }

    /// The handle that [`Term::to_raw`] gave; `None` for zero.
    #[inline(always)]
    pub fn from_raw(raw: u32) -> Option<Term> {
        NonZeroU32::new(raw).map(Term)
    }
}

/// A byte of the test: equal pairs (object, offset) have equal ids within one [`Terms`](crate::Terms).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ByteId(pub u32);

/// A constant table that terms read from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TableId(pub u32);

/// Operators of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    /// One bit.
    Eq,
    /// Unsigned less than; one bit.
    Ult,
    /// Signed less than; one bit.
    Slt,
    /// The first operand is the high part.
    Concat,
}

impl BinaryOp {
    /// All operators.
    pub const ALL: [BinaryOp; 17] = {
        use BinaryOp::*;
        [Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, Eq, Ult, Slt, Concat]
    };

    /// Its name in printed terms.
    pub fn name(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Add => "add",
            Sub => "sub",
            Mul => "mul",
            UDiv => "udiv",
            SDiv => "sdiv",
            URem => "urem",
            SRem => "srem",
            And => "and",
            Or => "or",
            Xor => "xor",
            Shl => "shl",
            LShr => "lshr",
            AShr => "ashr",
            Eq => "eq",
            Ult => "ult",
            Slt => "slt",
            Concat => "concat",
        }
    }

    /// The operator with this name.
    pub fn of_name(name: &str) -> Option<BinaryOp> {
        BinaryOp::ALL.into_iter().find(|op| op.name() == name)
    }

    /// True if the result is one bit for operands of any width.
    #[inline]
    pub fn is_comparison(self) -> bool {
        matches!(self, BinaryOp::Eq | BinaryOp::Ult | BinaryOp::Slt)
    }
    /// True if the operator is commutative.
    #[inline]
    pub fn commutes(self) -> bool {
        use BinaryOp::*;
        matches!(self, Add | Mul | And | Or | Xor | Eq)
    }
}

/// The operator and operands of a term. Operands of a binary operator have the same width, except for `Concat`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A constant of at most 64 bits.
    Const(u64),
    /// A constant of more than 64 bits; see [`Terms::constant`](crate::Terms::constant).
    WideConst(u32),
    /// A byte of the test; 8 bits.
    Byte(ByteId),
    /// All bits inverted.
    Not(Term),
    /// An operator of two operands.
    Binary(BinaryOp, Term, Term),
    /// `if the first then the second else the third`.
    Ite(Term, Term, Term),
    /// Bits `low ..` of a term, as many as this term is wide.
    Extract(Term, u32),
    /// Zeros in front.
    Zext(Term),
    /// Copies of the sign bit in front.
    Sext(Term),
    /// Entry of a constant table; zero if the index is behind the last entry.
    Table(TableId, Term),
    /// An operator on floating-point numbers, given by their bit patterns. Operands beyond [`FloatOp::operands`] repeat
    /// the first.
    Float(FloatOp, Term, Term, Term),
}

/// The input bytes that a term depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    /// None: it is a constant.
    None,
    /// Exactly one.
    One(ByteId),
    /// Two or more: see [`Terms::bytes_of`](crate::Terms::bytes_of).
    Many,
}

impl Node {
    /// Its operands, in order.
    #[inline]
    pub fn operands(self) -> Children {
        const NONE: Term = Term(NonZeroU32::MIN);
        let (operands, end) = match self {
            Node::Const(_) | Node::WideConst(_) | Node::Byte(_) => ([NONE; 3], 0),
            Node::Not(a) | Node::Extract(a, _) | Node::Zext(a) | Node::Sext(a) | Node::Table(_, a) => {
                ([a; 3], 1)
            }
            Node::Binary(_, a, b) => ([a, b, b], 2),
            Node::Ite(a, b, c) => ([a, b, c], 3),
            Node::Float(op, a, b, c) => ([a, b, c], op.operands()),
        };
        Children { operands, next: 0, end }
    }
}

/// The operands of a term, in order.
#[derive(Clone, Debug)]
pub struct Children {
    operands: [Term; 3],
    next: u8,
    end: u8,
}

impl Iterator for Children {
    type Item = Term;

    #[inline]
    fn next(&mut self) -> Option<Term> {
        if self.next == self.end {
            return None;
        }
        let operand = self.operands[self.next as usize];
        self.next += 1;
        Some(operand)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::from(self.end - self.next);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Children {}
