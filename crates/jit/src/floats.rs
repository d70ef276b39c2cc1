//! Ops on floating-point numbers of single and double precision, as Cranelift's instructions. They round to nearest: no compiled code runs
//! in another mode. Where an operation gives no number, compiled code leaves in front of it: the loop knows which bits of it are set.

use cleave_program::code::{FBinOp, FPred, FUnOp, Float, Op, Operand};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32, F64, I32, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

use crate::translation::Translation;

impl Translation<'_, '_> {
    pub(crate) fn float_op(&mut self, op: &Op) {
        match *op {
            Op::FBin { op, k, dst, a, b } => {
                let (x, y) = (self.float(k, a), self.float(k, b));
                let result = self.float_binary(op, k, x, y);
                self.write_float(k, dst, result);
            }
            Op::FUn { op, k, dst, a } => self.float_unary(op, k, dst, a),
            Op::FMulAdd { k, dst, a, b, c, .. } => {
                let [x, y, z] = [a, b, c].map(|o| self.float(k, o));
                let product = self.float_binary(FBinOp::Mul, k, x, y);
                let sum = self.float_binary(FBinOp::Add, k, product, z);
                self.write_float(k, dst, sum);
            }
            Op::FCmp { pred, k, dst, a, b } => {
                let (x, y) = (self.float(k, a), self.float(k, b));
                let value = match condition(pred) {
                    Ok(condition) => {
                        let holds = self.b.ins().fcmp(condition, x, y);
                        self.b.ins().uextend(I64, holds)
                    }
                    Err(always) => self.number(always.into()),
                };
                self.write(dst, value);
            }
            Op::FToF { from, to, dst, a } if from == to => {
                let value = self.read(a);
                self.write(dst, value);
            }
            Op::FToF { from, to, dst, a } => {
                let x = self.float(from, a);
                self.leaves_if_no_number(x);
                let result = if to == Float::F64 {
                    self.b.ins().fpromote(F64, x)
                } else {
                    self.b.ins().fdemote(F32, x)
                };
                self.write_float(to, dst, result);
            }
            Op::FToInt { signed, from, w, dst, a } => self.float_to_integer((signed, from, w), dst, a),
            Op::IntToF { signed, w, to, dst, a, .. } => {
                let x = self.read(a);
                let x = if signed { self.signed(x, w) } else { x };
                let t = if to == Float::F64 { F64 } else { F32 };
                let result = if signed || w < 64 {
                    self.b.ins().fcvt_from_sint(t, x)
                } else {
                    self.b.ins().fcvt_from_uint(t, x)
                };
                self.write_float(to, dst, result);
            }
            _ => self.leaves_always(),
        }
    }

    fn float(&mut self, k: Float, o: Operand) -> Value {
        let bits = self.read(o);
        if k == Float::F64 {
            return self.b.ins().bitcast(F64, MemFlagsData::new(), bits);
        }
        let low = self.b.ins().ireduce(I32, bits);
        self.b.ins().bitcast(F32, MemFlagsData::new(), low)
    }

    fn write_float(&mut self, k: Float, dst: u32, value: Value) {
        let bits = if k == Float::F64 {
            self.b.ins().bitcast(I64, MemFlagsData::new(), value)
        } else {
            let low = self.b.ins().bitcast(I32, MemFlagsData::new(), value);
            self.b.ins().uextend(I64, low)
        };
        self.write(dst, bits);
    }

    fn leaves_if_no_number(&mut self, x: Value) {
        let none = self.b.ins().fcmp(FloatCC::Unordered, x, x);
        self.leaves_if(none);
    }

    fn float_binary(&mut self, op: FBinOp, k: Float, x: Value, y: Value) -> Value {
        let result = match op {
            FBinOp::Add => self.b.ins().fadd(x, y),
            FBinOp::Sub => self.b.ins().fsub(x, y),
            FBinOp::Mul => self.b.ins().fmul(x, y),
            FBinOp::Div => self.b.ins().fdiv(x, y),
            FBinOp::CopySign => return self.b.ins().fcopysign(x, y),
            FBinOp::MinNum | FBinOp::MaxNum | FBinOp::Minimum | FBinOp::Maximum | FBinOp::Rem => {
                return self.chosen(op, k, [x, y]);
            }
        };
        self.leaves_if_no_number(result);
        result
    }

    /// The lesser or the greater of two numbers: the second if it is that, else the first. Leaves if one is no number, and of two equal
    /// ones where the order of zeros counts.
    fn chosen(&mut self, op: FBinOp, k: Float, [x, y]: [Value; 2]) -> Value {
        let least = matches!(op, FBinOp::MinNum | FBinOp::Minimum);
        self.leaves_if_no_number(x);
        self.leaves_if_no_number(y);
        if matches!(op, FBinOp::Minimum | FBinOp::Maximum) {
            let zero = if k == Float::F64 { self.b.ins().f64const(0.0) } else { self.b.ins().f32const(0.0) };
            let is_zero = self.b.ins().fcmp(FloatCC::Equal, y, zero);
            self.leaves_if(is_zero);
        }
        let condition = if least { FloatCC::LessThan } else { FloatCC::GreaterThan };
        let second = self.b.ins().fcmp(condition, y, x);
        self.b.ins().select(second, y, x)
    }

    fn float_unary(&mut self, op: FUnOp, k: Float, dst: u32, a: Operand) {
        if matches!(op, FUnOp::Neg | FUnOp::Abs) {
            let (x, sign) = (self.read(a), 1 << (k.bits() - 1));
            let value = if op == FUnOp::Neg {
                let sign = self.number(sign);
                self.b.ins().bxor(x, sign)
            } else {
                let rest = self.number(sign - 1);
                self.b.ins().band(x, rest)
            };
            return self.write(dst, value);
        }
        let x = self.float(k, a);
        let result = match op {
            FUnOp::Sqrt => self.b.ins().sqrt(x),
            FUnOp::Floor => self.b.ins().floor(x),
            FUnOp::Ceil => self.b.ins().ceil(x),
            FUnOp::Trunc => self.b.ins().trunc(x),
            FUnOp::Rint => self.b.ins().nearest(x),
            FUnOp::Neg | FUnOp::Abs | FUnOp::Round => return self.leaves_always(),
        };
        self.leaves_if_no_number(result);
        self.write_float(k, dst, result);
    }

    /// To an integer, towards zero; leaves if the processor's instruction, of 32 or 64 bits, would not have the number.
    fn float_to_integer(&mut self, (signed, from, w): (bool, Float, u8), dst: u32, a: Operand) {
        let x = self.float(from, a);
        let half = if signed { w <= 32 } else { w <= 31 };
        let limit = if half { 2f64.powi(31) } else { 2f64.powi(63) };
        let limit = if from == Float::F64 {
            self.b.ins().f64const(limit)
        } else {
            self.b.ins().f32const(limit as f32)
        };
        let magnitude = self.b.ins().fabs(x);
        let within = self.b.ins().fcmp(FloatCC::LessThan, magnitude, limit);
        self.leaves_unless(within);
        let whole = self.b.ins().fcvt_to_sint_sat(I64, x);
        if !signed && w == 64 {
            let zero = self.number(0);
            let negative = self.b.ins().icmp(IntCC::SignedLessThan, whole, zero);
            self.leaves_if(negative);
        }
        let value = self.masked(whole, w);
        self.write(dst, value);
    }
}

/// The condition of a comparison; an error if it always holds, or never.
fn condition(pred: FPred) -> Result<FloatCC, bool> {
    Ok(match (pred.eq, pred.gt, pred.lt, pred.uno) {
        (false, false, false, false) => return Err(false),
        (true, true, true, true) => return Err(true),
        (true, true, true, false) => FloatCC::Ordered,
        (false, false, false, true) => FloatCC::Unordered,
        (true, false, false, false) => FloatCC::Equal,
        (false, true, true, true) => FloatCC::NotEqual,
        (false, true, true, false) => FloatCC::OrderedNotEqual,
        (true, false, false, true) => FloatCC::UnorderedOrEqual,
        (false, false, true, false) => FloatCC::LessThan,
        (true, false, true, false) => FloatCC::LessThanOrEqual,
        (false, true, false, false) => FloatCC::GreaterThan,
        (true, true, false, false) => FloatCC::GreaterThanOrEqual,
        (false, false, true, true) => FloatCC::UnorderedOrLessThan,
        (true, false, true, true) => FloatCC::UnorderedOrLessThanOrEqual,
        (false, true, false, true) => FloatCC::UnorderedOrGreaterThan,
        (true, true, false, true) => FloatCC::UnorderedOrGreaterThanOrEqual,
    })
}
