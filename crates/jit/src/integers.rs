//! Ops on integers of at most 64 bits as Cranelift's instructions. A register has zeros above its width.

use cleave_program::code::{BinOp, ClampOp, Op, Operand, OverflowOp, Pred, UnOp};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I16, I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::context::{moved, same_object};
use crate::translation::Translation;

impl Translation<'_, '_> {
    pub(crate) fn plain_op(&mut self, op: &Op) {
        match *op {
            Op::Move { dst, a } | Op::Freeze { dst, a, .. } | Op::Zext { dst, a, .. } => {
                let value = self.read(a);
                self.write(dst, value);
            }
            Op::Trunc { w, dst, a } => {
                let x = self.read(a);
                let value = self.masked(x, w);
                self.write(dst, value);
            }
            Op::Sext { from, w, dst, a } => {
                let x = self.read(a);
                let x = self.signed(x, from);
                let value = self.masked(x, w);
                self.write(dst, value);
            }
            Op::Cmp { pred, w, dst, a, b } => {
                let (x, y) = (self.read(a), self.read(b));
                let holds = self.compared(pred, w, x, y);
                let value = self.b.ins().uextend(I64, holds);
                self.write(dst, value);
            }
            Op::Select { dst, cond, a, b, .. } => {
                let (c, x, y) = (self.read(cond), self.read(a), self.read(b));
                let one = self.number(1);
                let holds = self.b.ins().band(c, one);
                let value = self.b.ins().select(holds, x, y);
                self.write(dst, value);
            }
            Op::PtrCmp { pred, dst, a, b } => {
                let (x, y) = (self.read(a), self.read(b));
                self.same_slot(x, y, same_object as *const () as usize);
                let holds = self.compared(pred, 64, x, y);
                let value = self.b.ins().uextend(I64, holds);
                self.write(dst, value);
            }
            Op::PtrSub { dst, a, b } => {
                let (x, y) = (self.read(a), self.read(b));
                self.same_slot(x, y, same_object as *const () as usize);
                let value = self.b.ins().isub(x, y);
                self.write(dst, value);
            }
            Op::Index { dst, base, index, scale, off } => {
                let (x, i) = (self.read(base), self.read(index));
                let scale = self.number(i64::from(scale) as u64);
                let scaled = self.b.ins().imul(i, scale);
                let sum = self.b.ins().iadd(x, scaled);
                let off = self.number(i64::from(off) as u64);
                let to = self.b.ins().iadd(sum, off);
                self.same_slot(x, to, moved as *const () as usize);
                self.write(dst, to);
            }
            Op::Load { .. } | Op::Store { .. } => self.access_op(op),
            Op::Alloca { dst, size, align } => self.alloca(dst, size, align),
            Op::Scope { begins, at, .. } => self.scope(begins, at),
            Op::Unary { op, strict, w, dst, a } => self.unary(op, strict, w, dst, a),
            Op::Clamp { op, w, dst, a, b } => self.clamp(op, w, dst, [a, b]),
            Op::Overflow { op, w, dst, a, b } => self.overflow(op, w, dst, [a, b]),
            Op::Funnel { left, w, dst, a, b, c } => self.funnel(left, w, dst, [a, b, c]),
            Op::Div { op, w, dst, a, b } => self.division(op, w, dst, [a, b]),
            Op::FBin { .. }
            | Op::FUn { .. }
            | Op::FMulAdd { .. }
            | Op::FCmp { .. }
            | Op::FToF { .. }
            | Op::FToInt { .. }
            | Op::IntToF { .. } => self.float_op(op),
            _ => self.two(op),
        }
    }

    /// Operations of two operands that are the same for all widths.
    fn two(&mut self, op: &Op) {
        let (w, dst, a, b) = match *op {
            Op::Add { w, dst, a, b }
            | Op::Sub { w, dst, a, b }
            | Op::Mul { w, dst, a, b }
            | Op::And { w, dst, a, b }
            | Op::Or { w, dst, a, b }
            | Op::Xor { w, dst, a, b }
            | Op::Shl { w, dst, a, b, .. }
            | Op::LShr { w, dst, a, b, .. }
            | Op::AShr { w, dst, a, b, .. } => (w, dst, a, b),
            _ => return,
        };
        let (x, y) = (self.read(a), self.read(b));
        let value = match op {
            Op::Add { .. } => self.b.ins().iadd(x, y),
            Op::Sub { .. } => self.b.ins().isub(x, y),
            Op::Mul { .. } => self.b.ins().imul(x, y),
            Op::And { .. } => self.b.ins().band(x, y),
            Op::Or { .. } => self.b.ins().bor(x, y),
            Op::Xor { .. } => self.b.ins().bxor(x, y),
            _ => {
                self.shifts_within(w, b, y);
                match op {
                    Op::Shl { .. } => self.b.ins().ishl(x, y),
                    Op::LShr { .. } => self.b.ins().ushr(x, y),
                    _ => {
                        let x = self.signed(x, w);
                        self.b.ins().sshr(x, y)
                    }
                }
            }
        };
        let narrow = matches!(op, Op::And { .. } | Op::Or { .. } | Op::Xor { .. } | Op::LShr { .. });
        let value = if narrow { value } else { self.masked(value, w) };
        self.write(dst, value);
    }

    /// Leaves if a shift goes too far.
    fn shifts_within(&mut self, w: u8, amount: Operand, y: Value) {
        if self.constant(amount).is_some_and(|n| n < w.into()) {
            return;
        }
        let width = self.number(w.into());
        let within = self.b.ins().icmp(IntCC::UnsignedLessThan, y, width);
        self.leaves_unless(within);
    }

    fn division(&mut self, op: BinOp, w: u8, dst: u32, [a, b]: [Operand; 2]) {
        let (mut x, mut y) = (self.read(a), self.read(b));
        self.leaves_unless(y);
        let signed = matches!(op, BinOp::SDiv | BinOp::SRem);
        if signed {
            (x, y) = (self.signed(x, w), self.signed(y, w));
            if self.constant(b).is_none_or(|v| v == u64::MAX >> (64 - u32::from(w))) {
                // The one quotient that does not fit.
                let (least, minus_one) =
                    (self.number((i64::MIN >> (64 - u32::from(w))) as u64), self.number(u64::MAX));
                let p = self.b.ins().icmp(IntCC::Equal, x, least);
                let q = self.b.ins().icmp(IntCC::Equal, y, minus_one);
                let both = self.b.ins().band(p, q);
                self.leaves_if(both);
            }
        }
        let half = w <= 32;
        if half {
            (x, y) = (self.b.ins().ireduce(I32, x), self.b.ins().ireduce(I32, y));
        }
        let value = match op {
            BinOp::UDiv => self.b.ins().udiv(x, y),
            BinOp::URem => self.b.ins().urem(x, y),
            BinOp::SDiv => self.b.ins().sdiv(x, y),
            _ => self.b.ins().srem(x, y),
        };
        let value = if half { self.b.ins().uextend(I64, value) } else { value };
        let value = if signed { self.masked(value, w) } else { value };
        self.write(dst, value);
    }

    fn unary(&mut self, op: UnOp, strict: bool, w: u8, dst: u32, a: Operand) {
        let x = self.read(a);
        let unused = 64 - u64::from(w);
        if strict && matches!(op, UnOp::Ctlz | UnOp::Cttz) {
            self.leaves_unless(x);
        }
        let value = match op {
            UnOp::Bswap | UnOp::BitReverse => {
                let turned = match op {
                    UnOp::Bswap if w == 32 || w == 16 => {
                        let narrow = self.b.ins().ireduce(if w == 32 { I32 } else { I16 }, x);
                        let turned = self.b.ins().bswap(narrow);
                        let value = self.b.ins().uextend(I64, turned);
                        return self.write(dst, value);
                    }
                    UnOp::Bswap => self.b.ins().bswap(x),
                    _ => self.b.ins().bitrev(x),
                };
                let shift = self.number(unused);
                self.b.ins().ushr(turned, shift)
            }
            UnOp::Ctpop => self.b.ins().popcnt(x),
            UnOp::Ctlz => {
                let zeros = self.b.ins().clz(x);
                let unused = self.number(unused);
                self.b.ins().isub(zeros, unused)
            }
            UnOp::Cttz if w < 64 => {
                let end = self.number(1 << w);
                let x = self.b.ins().bor(x, end);
                self.b.ins().ctz(x)
            }
            UnOp::Cttz => self.b.ins().ctz(x),
            UnOp::Abs => {
                let signed = self.signed(x, w);
                if strict {
                    let least = self.number((i64::MIN >> unused) as u64);
                    let is_least = self.b.ins().icmp(IntCC::Equal, signed, least);
                    self.leaves_if(is_least);
                }
                let value = self.b.ins().iabs(signed);
                self.masked(value, w)
            }
        };
        self.write(dst, value);
    }

    fn clamp(&mut self, op: ClampOp, w: u8, dst: u32, [a, b]: [Operand; 2]) {
        let pred = match op {
            ClampOp::UMin | ClampOp::USubSat => Pred::Ult,
            ClampOp::UMax => Pred::Ugt,
            ClampOp::SMin => Pred::Slt,
            ClampOp::SMax => Pred::Sgt,
            ClampOp::UAddSat | ClampOp::SAddSat | ClampOp::SSubSat | ClampOp::UShlSat | ClampOp::SShlSat => {
                return self.leaves_always();
            }
        };
        let (x, y) = (self.read(a), self.read(b));
        let holds = self.compared(pred, w, x, y);
        let value = if op == ClampOp::USubSat {
            let (none, difference) = (self.number(0), self.b.ins().isub(x, y));
            self.b.ins().select(holds, none, difference)
        } else {
            self.b.ins().select(holds, x, y)
        };
        self.write(dst, value);
    }

    fn overflow(&mut self, op: OverflowOp, w: u8, dst: u32, [a, b]: [Operand; 2]) {
        let (x, y) = (self.read(a), self.read(b));
        let signed = matches!(op, OverflowOp::SAdd | OverflowOp::SSub | OverflowOp::SMul);
        let (p, q) = if signed { (self.signed(x, w), self.signed(y, w)) } else { (x, y) };
        let whole = match op {
            OverflowOp::UAdd | OverflowOp::SAdd => self.b.ins().iadd(p, q),
            OverflowOp::USub | OverflowOp::SSub => self.b.ins().isub(p, q),
            OverflowOp::UMul | OverflowOp::SMul => self.b.ins().imul(p, q),
        };
        let value = self.masked(whole, w);
        let over = if w < 64 {
            // The whole result has room in 64 bits; a difference below zero wraps.
            let back = if signed { self.signed(value, w) } else { value };
            self.b.ins().icmp(IntCC::NotEqual, whole, back)
        } else {
            self.overflow_of_word(op, [x, y], whole)
        };
        let over = self.b.ins().uextend(I64, over);
        self.write(dst, value);
        self.write(dst + 1, over);
    }

    /// True if an operation on 64 bits has overflowed.
    fn overflow_of_word(&mut self, op: OverflowOp, [x, y]: [Value; 2], t: Value) -> Value {
        let zero = self.number(0);
        match op {
            OverflowOp::UAdd => self.b.ins().icmp(IntCC::UnsignedLessThan, t, x),
            OverflowOp::USub => self.b.ins().icmp(IntCC::UnsignedLessThan, x, y),
            OverflowOp::SAdd | OverflowOp::SSub => {
                // The signs of the operands, and of the result, differ as they do in no sum or difference that fits.
                let turned = self.b.ins().bxor(x, t);
                let other =
                    if op == OverflowOp::SAdd { self.b.ins().bxor(y, t) } else { self.b.ins().bxor(x, y) };
                let both = self.b.ins().band(turned, other);
                self.b.ins().icmp(IntCC::SignedLessThan, both, zero)
            }
            OverflowOp::UMul => {
                let high = self.b.ins().umulhi(x, y);
                self.b.ins().icmp(IntCC::NotEqual, high, zero)
            }
            OverflowOp::SMul => {
                let high = self.b.ins().smulhi(x, y);
                let bits = self.number(63);
                let sign = self.b.ins().sshr(t, bits);
                self.b.ins().icmp(IntCC::NotEqual, high, sign)
            }
        }
    }

    fn funnel(&mut self, left: bool, w: u8, dst: u32, [a, b, c]: [Operand; 3]) {
        let (x, y, z) = (self.read(a), self.read(b), self.read(c));
        if a == b && (w == 32 || w == 64) {
            let value = if w == 32 {
                let (x, z) = (self.b.ins().ireduce(I32, x), self.b.ins().ireduce(I32, z));
                let turned = if left { self.b.ins().rotl(x, z) } else { self.b.ins().rotr(x, z) };
                self.b.ins().uextend(I64, turned)
            } else if left {
                self.b.ins().rotl(x, z)
            } else {
                self.b.ins().rotr(x, z)
            };
            return self.write(dst, value);
        }
        let (width, zero) = (self.number(w.into()), self.number(0));
        let by = self.b.ins().urem(z, width);
        let rest = self.b.ins().isub(width, by);
        // A shift by 64 is one by 0 here; it is not chosen.
        let (high, low) = if left {
            (self.b.ins().ishl(x, by), self.b.ins().ushr(y, rest))
        } else {
            (self.b.ins().ishl(x, rest), self.b.ins().ushr(y, by))
        };
        let both = self.b.ins().bor(high, low);
        let both = self.masked(both, w);
        let none = self.b.ins().icmp(IntCC::Equal, by, zero);
        let value = self.b.ins().select(none, if left { x } else { y }, both);
        self.write(dst, value);
    }
}
