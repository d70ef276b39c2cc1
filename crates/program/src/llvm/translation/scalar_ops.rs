//! Ops on scalars for LLVM's opcodes and predicates.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};

use crate::llvm::modules::types::Scalar;
use crate::register_code::code::*;

pub(crate) fn binary_op(op: LLVMOpcode) -> Option<BinOp> {
    Some(match op {
        LLVMOpcode::LLVMAdd => BinOp::Add,
        LLVMOpcode::LLVMSub => BinOp::Sub,
        LLVMOpcode::LLVMMul => BinOp::Mul,
        LLVMOpcode::LLVMUDiv => BinOp::UDiv,
        LLVMOpcode::LLVMSDiv => BinOp::SDiv,
        LLVMOpcode::LLVMURem => BinOp::URem,
        LLVMOpcode::LLVMSRem => BinOp::SRem,
        LLVMOpcode::LLVMAnd => BinOp::And,
        LLVMOpcode::LLVMOr => BinOp::Or,
        LLVMOpcode::LLVMXor => BinOp::Xor,
        LLVMOpcode::LLVMShl => BinOp::Shl,
        LLVMOpcode::LLVMLShr => BinOp::LShr,
        LLVMOpcode::LLVMAShr => BinOp::AShr,
        _ => return None,
    })
}

pub(crate) fn float_op(op: LLVMOpcode) -> Option<FBinOp> {
    Some(match op {
        LLVMOpcode::LLVMFAdd => FBinOp::Add,
        LLVMOpcode::LLVMFSub => FBinOp::Sub,
        LLVMOpcode::LLVMFMul => FBinOp::Mul,
        LLVMOpcode::LLVMFDiv => FBinOp::Div,
        LLVMOpcode::LLVMFRem => FBinOp::Rem,
        _ => return None,
    })
}

pub(crate) fn predicate(p: LLVMIntPredicate) -> Pred {
    use LLVMIntPredicate::*;
    match p {
        LLVMIntEQ => Pred::Eq,
        LLVMIntNE => Pred::Ne,
        LLVMIntULT => Pred::Ult,
        LLVMIntULE => Pred::Ule,
        LLVMIntUGT => Pred::Ugt,
        LLVMIntUGE => Pred::Uge,
        LLVMIntSLT => Pred::Slt,
        LLVMIntSLE => Pred::Sle,
        LLVMIntSGT => Pred::Sgt,
        LLVMIntSGE => Pred::Sge,
    }
}

/// The bits of a floating-point predicate: LLVM numbers them so.
pub(crate) fn float_predicate(p: LLVMRealPredicate) -> FPred {
    let n = p as u32;
    FPred { eq: n & 1 != 0, gt: n & 2 != 0, lt: n & 4 != 0, uno: n & 8 != 0 }
}

/// An op of two scalars of one width, wide or not.
pub(crate) fn binary(op: BinOp, s: Scalar, dst: Reg, a: Operand, b: Operand) -> Op {
    let w = s.width as u8;
    if w > 64 {
        return Op::WideBin { op, lazy: false, w, dst, a, b };
    }
    match op {
        BinOp::Add => Op::Add { w, dst, a, b },
        BinOp::Sub => Op::Sub { w, dst, a, b },
        BinOp::Mul => Op::Mul { w, dst, a, b },
        BinOp::And => Op::And { w, dst, a, b },
        BinOp::Or => Op::Or { w, dst, a, b },
        BinOp::Xor => Op::Xor { w, dst, a, b },
        BinOp::Shl => Op::Shl { lazy: false, w, dst, a, b },
        BinOp::LShr => Op::LShr { lazy: false, w, dst, a, b },
        BinOp::AShr => Op::AShr { lazy: false, w, dst, a, b },
        BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => Op::Div { op, w, dst, a, b },
    }
}

/// The shift `op`, checked where its result is used if `lazy`; other ops as they are.
pub(crate) fn lazily(lazy: bool, mut op: Op) -> Op {
    if let Op::Shl { lazy: l, .. }
    | Op::LShr { lazy: l, .. }
    | Op::AShr { lazy: l, .. }
    | Op::WideBin { lazy: l, .. } = &mut op
    {
        *l = lazy;
    }
    op
}

pub(crate) fn compare(pred: Pred, s: Scalar, dst: Reg, a: Operand, b: Operand) -> Op {
    let w = s.width as u8;
    if w > 64 { Op::WideCmp { pred, w, dst, a, b } } else { Op::Cmp { pred, w, dst, a, b } }
}

/// Truncation and extension of one scalar.
pub(crate) fn resize(op: LLVMOpcode, from: Scalar, to: Scalar, dst: Reg, a: Operand) -> Op {
    let (f, w) = (from.width as u8, to.width as u8);
    match op {
        LLVMOpcode::LLVMTrunc if f > 64 => Op::WideTrunc { from: f, w, dst, a },
        LLVMOpcode::LLVMTrunc => Op::Trunc { w, dst, a },
        _ if w > 64 => Op::WideExt { signed: op == LLVMOpcode::LLVMSExt, from: f, w, dst, a },
        LLVMOpcode::LLVMSExt => Op::Sext { from: f, w, dst, a },
        _ => Op::Zext { from: f, w, dst, a },
    }
}
