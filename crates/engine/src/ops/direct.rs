//! Integer operations on known values of 1 to 128 bits, without terms. Each result is that of the operation's term, which
//! `integers.rs` and `wide.rs` build where an operand depends on the input. An operation that a check stops has no result here.

use cleave_expr::{BinaryOp, binary64, binary128, mask, sign_extend};
use cleave_program::code::{BinOp, ClampOp, OverflowOp, Pred, UnOp};

/// The operator of terms for an op.
pub(crate) fn term_op(op: BinOp) -> BinaryOp {
    match op {
        BinOp::Add => BinaryOp::Add,
        BinOp::Sub => BinaryOp::Sub,
        BinOp::Mul => BinaryOp::Mul,
        BinOp::UDiv => BinaryOp::UDiv,
        BinOp::SDiv => BinaryOp::SDiv,
        BinOp::URem => BinaryOp::URem,
        BinOp::SRem => BinaryOp::SRem,
        BinOp::And => BinaryOp::And,
        BinOp::Or => BinaryOp::Or,
        BinOp::Xor => BinaryOp::Xor,
        BinOp::Shl => BinaryOp::Shl,
        BinOp::LShr => BinaryOp::LShr,
        BinOp::AShr => BinaryOp::AShr,
    }
}

/// The plain operation of an arithmetic one that is checked for overflow.
pub(crate) fn wrapping(op: OverflowOp) -> BinaryOp {
    match op {
        OverflowOp::UAdd | OverflowOp::SAdd => BinaryOp::Add,
        OverflowOp::USub | OverflowOp::SSub => BinaryOp::Sub,
        OverflowOp::UMul | OverflowOp::SMul => BinaryOp::Mul,
    }
}

/// The greatest value of `w` bits as a signed number.
fn most(w: u8) -> u128 {
    mask(w) >> 1
}

/// The least value of `w` bits as a signed number.
fn least(w: u8) -> u128 {
    1 << (w - 1)
}

/// The value of an operator of terms on operands of one width.
#[inline]
fn value(op: BinaryOp, w: u8, a: u128, b: u128) -> u128 {
    match w {
        ..=64 => binary64(op, w, w, a as u64, b as u64).into(),
        _ => binary128(op, w, w, a, b),
    }
}

/// `a op b`. `None` if a check finds a fault in it: a division by zero, a quotient that does not fit, a shift too far.
#[inline]
pub(crate) fn binary(op: BinOp, w: u8, a: u128, b: u128) -> Option<u128> {
    let faulty = match op {
        BinOp::UDiv | BinOp::URem => b == 0,
        BinOp::SDiv | BinOp::SRem => b == 0 || (a == least(w) && b == mask(w)),
        BinOp::Shl | BinOp::LShr | BinOp::AShr => b >= w.into(),
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor => false,
    };
    (!faulty).then(|| value(term_op(op), w, a, b))
}

/// A comparison of two numbers, which are given without a sign and with one.
#[inline(always)]
fn holds<U: Ord, S: Ord>(pred: Pred, [a, b]: [U; 2], [x, y]: [S; 2]) -> bool {
    match pred {
        Pred::Eq => a == b,
        Pred::Ne => a != b,
        Pred::Ult => a < b,
        Pred::Ule => a <= b,
        Pred::Ugt => a > b,
        Pred::Uge => a >= b,
        Pred::Slt => x < y,
        Pred::Sle => x <= y,
        Pred::Sgt => x > y,
        Pred::Sge => x >= y,
    }
}

/// A comparison.
pub(crate) fn compare(pred: Pred, w: u8, a: u128, b: u128) -> bool {
    holds(pred, [a, b], [a, b].map(|v| sign_extend(v, w)))
}

/// An operation on one operand; of a strict one without a result, the result that it has where it is not strict.
pub(crate) fn unary(op: UnOp, w: u8, v: u128) -> u128 {
    let unused = 128 - u32::from(w);
    match op {
        UnOp::Bswap => v.swap_bytes() >> unused,
        UnOp::BitReverse => v.reverse_bits() >> unused,
        UnOp::Ctpop => v.count_ones().into(),
        UnOp::Ctlz => (v.leading_zeros() - unused).into(),
        UnOp::Cttz => v.trailing_zeros().min(w.into()).into(),
        UnOp::Abs => sign_extend(v, w).unsigned_abs() & mask(w),
    }
}

/// The wrapped result, and true if it overflowed.
pub(crate) fn overflow(op: OverflowOp, w: u8, a: u128, b: u128) -> (u128, bool) {
    let t = value(wrapping(op), w, a, b);
    let signed = |v| sign_extend(v, w);
    let over = match op {
        OverflowOp::UAdd => t < a,
        OverflowOp::USub => a < b,
        OverflowOp::SAdd => (signed(b) < 0) != (signed(t) < signed(a)),
        OverflowOp::SSub => (signed(b) < 0) != (signed(a) < signed(t)),
        OverflowOp::UMul => a.checked_mul(b) != Some(t),
        OverflowOp::SMul => signed(a).checked_mul(signed(b)) != Some(signed(t)),
    };
    (t, over)
}

/// A minimum, a maximum, or arithmetic that stops at the least and the greatest value.
pub(crate) fn clamp(op: ClampOp, w: u8, a: u128, b: u128) -> u128 {
    let pick = |pred| if compare(pred, w, a, b) { a } else { b };
    let signed_limit = if sign_extend(a, w) < 0 { least(w) } else { most(w) };
    let saturated = |op, limit| match overflow(op, w, a, b) {
        (_, true) => limit,
        (t, false) => t,
    };
    let shifted = |back, limit| {
        let t = value(BinaryOp::Shl, w, a, b);
        if value(back, w, t, b) == a { t } else { limit }
    };
    match op {
        ClampOp::UMin => pick(Pred::Ult),
        ClampOp::UMax => pick(Pred::Ugt),
        ClampOp::SMin => pick(Pred::Slt),
        ClampOp::SMax => pick(Pred::Sgt),
        ClampOp::UAddSat => saturated(OverflowOp::UAdd, mask(w)),
        ClampOp::USubSat => saturated(OverflowOp::USub, 0),
        ClampOp::SAddSat => saturated(OverflowOp::SAdd, signed_limit),
        ClampOp::SSubSat => saturated(OverflowOp::SSub, signed_limit),
        ClampOp::UShlSat => shifted(BinaryOp::LShr, mask(w)),
        ClampOp::SShlSat => shifted(BinaryOp::AShr, signed_limit),
    }
}

/// `a:b` shifted by `c` modulo `w`: the high part for a left shift, the low part for a right one.
#[inline]
pub(crate) fn funnel(left: bool, w: u8, a: u128, b: u128, c: u128) -> u128 {
    let by = (c % u128::from(w)) as u32;
    let rest = u32::from(w) - by;
    match (by, left) {
        (0, true) => a,
        (0, false) => b,
        (_, true) => (a << by | b >> rest) & mask(w),
        (_, false) => (a << rest | b >> by) & mask(w),
    }
}

/// The low `w` bits set; `w` is 1 to 64.
#[inline(always)]
pub(crate) const fn mask64(w: u8) -> u64 {
    u64::MAX >> (64 - w as u32)
}

/// The `w`-bit value `v` as a signed number.
#[inline(always)]
pub(crate) const fn signed64(v: u64, w: u8) -> i64 {
    let shift = 64 - w as u32;
    ((v << shift) as i64) >> shift
}

/// A comparison of two known values of `w` bits.
#[inline(always)]
pub(crate) fn compare64(pred: Pred, w: u8, a: u64, b: u64) -> bool {
    holds(pred, [a, b], [signed64(a, w), signed64(b, w)])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cleave_expr::Term;
    use cleave_program::code::{Function, Op, Operand, Program};
    use cleave_region::BugKind;
    use cleave_solver::{Solver, SolverOptions};

    use super::*;
    use crate::engine::{Engine, EngineOptions};
    use crate::states::state::{Reg, State};
    use crate::stop::{End, Stop};

    const WIDTHS: [u8; 16] = [1, 2, 7, 8, 15, 16, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128];

    fn engine() -> (Engine, State) {
        let function = Function { registers: 16, ..Function::default() };
        let program = Program { functions: vec![function], ..Program::default() };
        let solver = Solver::new(SolverOptions::default()).unwrap();
        let mut engine = Engine::new(Arc::new(program), EngineOptions::default(), solver);
        let state = engine.root();
        (engine, state)
    }

    /// A fixed sequence of numbers without a pattern.
    struct Numbers(u128);

    impl Numbers {
        fn next(&mut self) -> u128 {
            self.0 = self.0.wrapping_mul(0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645).wrapping_add(0x5851_F42D);
            self.0.rotate_right(71) ^ self.0
        }

        /// A value of `w` bits, often near an edge.
        fn value(&mut self, w: u8) -> u128 {
            let near = self.next() % 5;
            let v = match self.next() % 8 {
                0 => near.wrapping_sub(2),
                1 => least(w).wrapping_add(near).wrapping_sub(2),
                2 => u128::from(w).wrapping_add(near).wrapping_sub(2),
                3 => 1 << (self.next() % u128::from(w)),
                4 => self.next() >> (self.next() % 128),
                _ => self.next(),
            };
            v & mask(w)
        }
    }

    /// Three values of `w` bits as terms of input bytes.
    fn inputs(e: &mut Engine, w: u8) -> [Term; 3] {
        [0, 1, 2].map(|k| {
            let mut t = e.terms.byte(0, 16 * k);
            for i in 1..16 {
                let byte = e.terms.byte(0, 16 * k + i);
                t = e.terms.concat(byte, t);
            }
            e.terms.extract(t, 0, w)
        })
    }

    /// Calls `check` with values and a function that evaluates terms of [`inputs`] under them.
    fn for_values(e: &mut Engine, w: u8, mut check: impl FnMut([u128; 3], &mut dyn FnMut(Term) -> u128)) {
        let mut numbers = Numbers(u128::from(w));
        for _ in 0..3000 {
            let values = [(); 3].map(|()| numbers.value(w));
            let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            let witness = e.terms.witness(&bytes);
            check(values, &mut |t| e.terms.eval_wide(t, &witness));
        }
    }

    const BINARY: [BinOp; 13] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::UDiv,
        BinOp::SDiv,
        BinOp::URem,
        BinOp::SRem,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Shl,
        BinOp::LShr,
        BinOp::AShr,
    ];
    const PREDS: [Pred; 10] = [
        Pred::Eq,
        Pred::Ne,
        Pred::Ult,
        Pred::Ule,
        Pred::Ugt,
        Pred::Uge,
        Pred::Slt,
        Pred::Sle,
        Pred::Sgt,
        Pred::Sge,
    ];
    const UNARY: [UnOp; 6] = [UnOp::Bswap, UnOp::BitReverse, UnOp::Ctpop, UnOp::Ctlz, UnOp::Cttz, UnOp::Abs];
    const CLAMPS: [ClampOp; 10] = [
        ClampOp::UMin,
        ClampOp::UMax,
        ClampOp::SMin,
        ClampOp::SMax,
        ClampOp::UAddSat,
        ClampOp::USubSat,
        ClampOp::SAddSat,
        ClampOp::SSubSat,
        ClampOp::UShlSat,
        ClampOp::SShlSat,
    ];
    const OVERFLOWS: [OverflowOp; 6] = [
        OverflowOp::UAdd,
        OverflowOp::USub,
        OverflowOp::SAdd,
        OverflowOp::SSub,
        OverflowOp::UMul,
        OverflowOp::SMul,
    ];

    #[test]
    fn known_values_give_what_their_terms_evaluate_to() {
        for w in WIDTHS {
            let (mut e, _) = engine();
            let [a, b, c] = inputs(&mut e, w);
            let of_binary = BINARY.map(|op| e.terms.binary(term_op(op), a, b));
            let of_preds = PREDS.map(|pred| e.comparison_of(pred, a, b));
            let unary_ops: Vec<UnOp> = UNARY.into_iter().filter(|op| op.fits(w)).collect();
            let of_unary: Vec<Term> = unary_ops.iter().map(|&op| e.unary_term(op, w, a)).collect();
            let of_clamps = CLAMPS.map(|op| e.clamp_term(op, w, a, b));
            let of_overflows = OVERFLOWS.map(|op| e.overflow_term(op, w, a, b));
            let of_funnels = [true, false].map(|left| e.funnel_term(left, w, a, b, c));
            let mut results = 0;
            for_values(&mut e, w, |[x, y, z], eval| {
                for (op, t) in BINARY.into_iter().zip(of_binary) {
                    if let Some(v) = binary(op, w, x, y) {
                        assert_eq!(v, eval(t), "{op:?}.{w} {x:#x} {y:#x}");
                        results += 1;
                    }
                }
                for (pred, t) in PREDS.into_iter().zip(of_preds) {
                    assert_eq!(u128::from(compare(pred, w, x, y)), eval(t), "{pred:?}.{w} {x:#x} {y:#x}");
                }
                for (&op, &t) in unary_ops.iter().zip(&of_unary) {
                    assert_eq!(unary(op, w, x), eval(t), "{op:?}.{w} {x:#x}");
                }
                for (op, t) in CLAMPS.into_iter().zip(of_clamps) {
                    assert_eq!(clamp(op, w, x, y), eval(t), "{op:?}.{w} {x:#x} {y:#x}");
                }
                for (op, (t, flag)) in OVERFLOWS.into_iter().zip(of_overflows) {
                    let (v, over) = overflow(op, w, x, y);
                    assert_eq!((v, over), (eval(t), eval(flag) != 0), "{op:?}.{w} {x:#x} {y:#x}");
                }
                for (left, t) in [true, false].into_iter().zip(of_funnels) {
                    assert_eq!(funnel(left, w, x, y, z), eval(t), "{left}.{w} {x:#x} {y:#x} {z:#x}");
                }
            });
            assert!(results > 20_000, "few operations have a result: {results}");
        }
    }

    /// Executes an op on the values of three registers, or pairs of registers.
    fn executed(e: &mut Engine, state: &mut State, values: [u128; 3], op: &Op) -> [u128; 2] {
        for (i, v) in values.into_iter().enumerate() {
            state.frame.regs[2 * i] = Reg::known(v as u64);
            state.frame.regs[2 * i + 1] = Reg::known((v >> 64) as u64);
        }
        e.wide(state, &[], op).unwrap();
        let regs = &state.frame.regs;
        assert!(regs.iter().all(|r| r.is_known()));
        [6, 8].map(|i: usize| u128::from(regs[i + 1].value) << 64 | u128::from(regs[i].value))
    }

    #[test]
    fn wide_ops_on_known_values_give_what_their_terms_evaluate_to() {
        let [a, b, cond] = [0, 2, 4].map(Operand::reg);
        for w in WIDTHS.into_iter().filter(|&w| w > 64) {
            let (mut e, mut state) = engine();
            let mut numbers = Numbers(7);
            for _ in 0..3000 {
                let [x, y] = [(); 2].map(|()| numbers.value(w));
                let c = x & 1;
                let op = OVERFLOWS[(x % 6) as usize];
                let [v, flag] =
                    executed(&mut e, &mut state, [x, y, 0], &Op::Overflow { op, w, dst: 6, a, b });
                let (t, over) = overflow(op, w, x, y);
                assert_eq!((v, flag as u64), (t, over.into()));
                let [v, _] =
                    executed(&mut e, &mut state, [x, y, c], &Op::WideSelect { w, dst: 6, cond, a, b });
                assert_eq!(v, if c == 1 { x } else { y });
                for from in [w, 64, 33, 1] {
                    let narrow = x & mask(from);
                    let k = e.terms.constant_of(from, narrow);
                    for signed in [true, false] {
                        let t = if signed { e.terms.sext(k, w) } else { e.terms.zext(k, w) };
                        let op = Op::WideExt { signed, from, w, dst: 6, a };
                        assert_eq!(
                            Some(executed(&mut e, &mut state, [narrow, 0, 0], &op)[0]),
                            e.terms.constant(t)
                        );
                    }
                    state.frame.regs[7] = Reg::ZERO;
                    let op = Op::WideTrunc { from: w, w: from, dst: 6, a };
                    assert_eq!(executed(&mut e, &mut state, [x, 0, 0], &op)[0], narrow);
                }
            }
        }
    }

    #[test]
    fn faulty_divisions_and_shifts_are_the_bugs_that_they_were() {
        for w in WIDTHS.into_iter().filter(|&w| w <= 64) {
            let (mut e, state) = engine();
            for (a, b) in [(5, 0), (0, 0), (least(w), mask(w)), (mask(w), mask(w)), (1, 1)] {
                for op in [BinOp::UDiv, BinOp::SDiv, BinOp::URem, BinOp::SRem] {
                    let [x, y] = [a, b].map(|v| Reg::known((v & mask(w)) as u64));
                    let signed = matches!(op, BinOp::SDiv | BinOp::SRem);
                    let faulty = b == 0 || signed && (x.value, y.value) == (least(w) as u64, mask(w) as u64);
                    match e.division(&state, op, w, x, y) {
                        Ok(r) => assert!(!faulty && r.is_known(), "{op:?}.{w} {a:#x} {b:#x}"),
                        Err(Stop::End(End::Bug(bug))) => {
                            assert!(faulty && bug.kind == BugKind::Division, "{op:?}.{w} {a:#x} {b:#x}");
                        }
                        Err(_) => panic!("{op:?}.{w} {a:#x} {b:#x}"),
                    }
                }
                for op in [BinOp::Shl, BinOp::LShr, BinOp::AShr] {
                    assert_eq!(binary(op, w, 1, u128::from(w)), None);
                }
            }
            // A strict operation without a result is undefined, though its operand is known.
            for (op, none) in [(UnOp::Ctlz, 0), (UnOp::Cttz, 0), (UnOp::Abs, least(w) as u64)] {
                let none = Reg::known(none);
                assert!(e.unary(&state, op, true, w, none).shade().is_some(), "{op:?}.{w}");
                assert!(e.unary(&state, op, false, w, none).is_known(), "{op:?}.{w}");
            }
        }
    }
}
