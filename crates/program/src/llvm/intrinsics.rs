//! LLVM's intrinsics.

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::function::{Home, Translator, type_of};
use super::instructions::{binary, compare};
use super::types::Scalar;
use crate::code::*;

/// Hints, which mean nothing here.
const IGNORED: [&str; 12] = [
    "llvm.dbg.",
    "llvm.assume",
    "llvm.experimental.noalias.scope.decl",
    "llvm.donothing",
    "llvm.prefetch",
    "llvm.va_end",
    "llvm.sideeffect",
    "llvm.invariant.end",
    "llvm.pseudoprobe",
    "llvm.instrprof",
    "llvm.var.annotation",
    "llvm.codeview",
];

/// Intrinsics whose value is their first argument.
const SAME: [&str; 8] = [
    "llvm.expect",
    "llvm.launder.invariant",
    "llvm.strip.invariant",
    "llvm.threadlocal.address",
    "llvm.ptr.annotation",
    "llvm.annotation",
    "llvm.ssa.copy",
    "llvm.arithmetic.fence",
];

impl Translator<'_, '_> {
    /// `None` where it is not known.
    pub(crate) fn intrinsic(&mut self, i: LLVMValueRef, full: &str) -> Option<()> {
        if IGNORED.iter().any(|p| full.starts_with(p)) {
            if full.starts_with("llvm.dbg.") {
                self.pending = self.pending.saturating_sub(1);
            }
            return Some(());
        }
        if let Some(mark) = full.strip_prefix("llvm.lifetime.") {
            return self.scope(i, mark.starts_with("start"));
        }
        if SAME.iter().any(|p| full.starts_with(p)) {
            let operands = self.scalars(self.argument(i, 0))?.into_iter().map(|(_, o)| o).collect();
            self.homes.insert(i, Home::Operands(operands));
            return Some(());
        }
        let name = full.strip_prefix("llvm.")?;
        if let Some(name) = name.strip_prefix("x86.") {
            return self.x86_intrinsic(i, name);
        }
        let name = name.strip_prefix("experimental.constrained.").unwrap_or(name);
        let short = name.split('.').next()?;
        if short == "load" && name.starts_with("load.relative") {
            return self.load_relative(i);
        }
        self.memory_intrinsic(i, short)
            .or_else(|| self.integer_intrinsic(i, name, short))
            .or_else(|| self.float_intrinsic(i, name, short))
            .or_else(|| self.vector_intrinsic(i, name))
    }

    fn memory_intrinsic(&mut self, i: LLVMValueRef, short: &str) -> Option<()> {
        let what = match short {
            "memcpy" => Builtin::Memcpy,
            "memmove" => Builtin::Memmove,
            "memset" => Builtin::Memset,
            "va_start" => Builtin::VaStart,
            "va_copy" => Builtin::VaCopy,
            "stacksave" => Builtin::StackSave,
            "stackrestore" => Builtin::StackRestore,
            "trap" | "ubsantrap" => Builtin::Trap,
            "debugtrap" => Builtin::Breakpoint,
            _ => return None,
        };
        let arguments = match short {
            "memcpy" | "memmove" | "memset" => 3,
            "va_copy" => 2,
            "va_start" | "stackrestore" => 1,
            _ => 0,
        };
        let mut list = Vec::new();
        for k in 0..arguments {
            let (s, mut o) = *self.scalars(self.argument(i, k))?.first()?;
            if s.width == 8 && k == 1 {
                let wide = self.fresh(1);
                self.push(Op::Zext { from: 8, w: 32, dst: wide, a: o });
                o = Operand::reg(wide);
            } else if s.width < 64 {
                let wide = self.fresh(1);
                self.push(Op::Zext { from: s.width as u8, w: 64, dst: wide, a: o });
                o = Operand::reg(wide);
            }
            list.push(o);
        }
        self.builtin(i, what, &list);
        Some(())
    }

    /// The address that a table of distances, of 32 bits each, has at an offset.
    fn load_relative(&mut self, i: LLVMValueRef) -> Option<()> {
        let table = self.one(self.argument(i, 0))?;
        let (s, offset) = *self.scalars(self.argument(i, 1))?.first()?;
        let (wide, place, dst) = (self.fresh(1), self.fresh(1), self.home(i));
        let offset = if s.width == 64 {
            offset
        } else {
            self.push(Op::Sext { from: u8::try_from(s.width).ok()?, w: 64, dst: wide, a: offset });
            Operand::reg(wide)
        };
        self.push(Op::Add { w: 64, dst: place, a: table, b: offset });
        let (distance, far) = (self.fresh(1), self.fresh(1));
        self.push(Op::Load { w: 32, dst: distance, addr: Operand::reg(place), off: 0 });
        self.push(Op::Sext { from: 32, w: 64, dst: far, a: Operand::reg(distance) });
        self.push(Op::Add { w: 64, dst, a: table, b: Operand::reg(far) });
        Some(())
    }

    fn integer_intrinsic(&mut self, i: LLVMValueRef, name: &str, short: &str) -> Option<()> {
        if let Some(op) = overflow(name) {
            let xs = self.scalars(self.argument(i, 0))?;
            let ys = self.scalars(self.argument(i, 1))?;
            let ([(s, a)], [(_, b)]) = (&xs[..], &ys[..]) else { return None };
            let dst = self.home(i);
            self.push(Op::Overflow { op, w: s.width as u8, dst, a: *a, b: *b });
            return Some(());
        }
        let clamp = match (short, name.split('.').nth(1)) {
            ("umin", _) => ClampOp::UMin,
            ("umax", _) => ClampOp::UMax,
            ("smin", _) => ClampOp::SMin,
            ("smax", _) => ClampOp::SMax,
            ("uadd", Some("sat")) => ClampOp::UAddSat,
            ("sadd", Some("sat")) => ClampOp::SAddSat,
            ("usub", Some("sat")) => ClampOp::USubSat,
            ("ssub", Some("sat")) => ClampOp::SSubSat,
            ("ushl", Some("sat")) => ClampOp::UShlSat,
            ("sshl", Some("sat")) => ClampOp::SShlSat,
            _ => return self.integer_unary(i, name, short),
        };
        self.lanewise2(i, |s, dst, a, b| clamped(clamp, s, dst, a, b))
    }

    fn integer_unary(&mut self, i: LLVMValueRef, name: &str, short: &str) -> Option<()> {
        let op = match short {
            "abs" => UnOp::Abs,
            "bswap" => UnOp::Bswap,
            "bitreverse" => UnOp::BitReverse,
            "ctpop" => UnOp::Ctpop,
            "ctlz" => UnOp::Ctlz,
            "cttz" => UnOp::Cttz,
            "fshl" | "fshr" => return self.funnel(i, short == "fshl"),
            "ptrmask" => return self.lanewise2(i, |s, dst, a, b| binary(BinOp::And, s, dst, a, b)),
            "scmp" | "ucmp" => return self.three_way(i, short == "scmp"),
            _ => return self.fixed(i, name, short),
        };
        let (homes, xs) = (self.homes_of(i)?, self.scalars(self.argument(i, 0))?);
        // Their second argument says whether there is a result for every value.
        let strict = match op {
            UnOp::Abs | UnOp::Ctlz | UnOp::Cttz => self.loader.scalar(self.argument(i, 1))? != 0,
            _ => false,
        };
        for ((s, dst), (_, a)) in homes.into_iter().zip(xs) {
            let w = s.width as u8;
            self.push(if w > 64 {
                Op::WideUnary { op, strict, w, dst, a }
            } else {
                Op::Unary { op, strict, w, dst, a }
            });
        }
        Some(())
    }

    fn three_way(&mut self, i: LLVMValueRef, signed: bool) -> Option<()> {
        let (xs, ys) = (self.scalars(self.argument(i, 0))?, self.scalars(self.argument(i, 1))?);
        let (less, more) = if signed { (Pred::Slt, Pred::Sgt) } else { (Pred::Ult, Pred::Ugt) };
        let (l, m) = (self.fresh(1), self.fresh(1));
        for ((s, dst), ((x, a), (_, b))) in self.homes_of(i)?.into_iter().zip(xs.into_iter().zip(ys)) {
            let w = u8::try_from(s.width).ok().filter(|&w| w <= 64)?;
            self.push(compare(less, x, l, a, b));
            self.push(compare(more, x, m, a, b));
            self.push(Op::Zext { from: 1, w, dst: l, a: Operand::reg(l) });
            self.push(Op::Zext { from: 1, w, dst: m, a: Operand::reg(m) });
            self.push(Op::Sub { w, dst, a: Operand::reg(m), b: Operand::reg(l) });
        }
        Some(())
    }

    /// Questions with a fixed answer.
    fn fixed(&mut self, i: LLVMValueRef, name: &str, short: &str) -> Option<()> {
        let dst = self.home(i);
        let s = *self.flat(type_of(i))?.first().filter(|s| s.width <= 64)?;
        let value = match short {
            "is" if name.starts_with("is.constant") => 0,
            // Not known: the least or the most that it can be, as the second argument says.
            "objectsize" if self.loader.scalar(self.argument(i, 1))? != 0 => 0,
            "objectsize" => u64::MAX >> (64 - s.width),
            "get" if name == "get.rounding" => 1, // to nearest
            "get" if name.starts_with("get.dynamic.area.offset") => 0,
            "readcyclecounter" => 0,
            "invariant" => 0, // the token of llvm.invariant.start
            _ => return None,
        };
        let a = self.constant(value);
        self.copy(s, dst, a);
        Some(())
    }

    fn lanewise2(
        &mut self,
        i: LLVMValueRef,
        make: impl Fn(Scalar, Reg, Operand, Operand) -> Op,
    ) -> Option<()> {
        let (xs, ys) = (self.scalars(self.argument(i, 0))?, self.scalars(self.argument(i, 1))?);
        for ((s, dst), ((_, a), (_, b))) in self.homes_of(i)?.into_iter().zip(xs.into_iter().zip(ys)) {
            self.push(make(s, dst, a, b));
        }
        Some(())
    }

    fn funnel(&mut self, i: LLVMValueRef, left: bool) -> Option<()> {
        let (xs, ys) = (self.scalars(self.argument(i, 0))?, self.scalars(self.argument(i, 1))?);
        let zs = self.scalars(self.argument(i, 2))?;
        let values = xs.into_iter().zip(ys).zip(zs);
        for ((s, dst), (((_, a), (_, b)), (_, c))) in self.homes_of(i)?.into_iter().zip(values) {
            let w = s.width as u8;
            self.push(if w > 64 {
                Op::WideFunnel { left, w, dst, a, b, c }
            } else {
                Op::Funnel { left, w, dst, a, b, c }
            });
        }
        Some(())
    }

    fn float_intrinsic(&mut self, i: LLVMValueRef, name: &str, short: &str) -> Option<()> {
        let arg = |t: &Self, k| t.argument(i, k);
        let two = match short {
            "fadd" => Some(FBinOp::Add),
            "fsub" => Some(FBinOp::Sub),
            "fmul" => Some(FBinOp::Mul),
            "fdiv" => Some(FBinOp::Div),
            "frem" => Some(FBinOp::Rem),
            "copysign" => Some(FBinOp::CopySign),
            "minnum" => Some(FBinOp::MinNum),
            "maxnum" => Some(FBinOp::MaxNum),
            "minimum" => Some(FBinOp::Minimum),
            "maximum" => Some(FBinOp::Maximum),
            _ => None,
        };
        if let Some(op) = two {
            let (xs, ys) = (self.scalars(arg(self, 0))?, self.scalars(arg(self, 1))?);
            for ((s, dst), ((_, a), (_, b))) in self.homes_of(i)?.into_iter().zip(xs.into_iter().zip(ys)) {
                self.push(Op::FBin { op, k: s.float?, dst, a, b });
            }
            return Some(());
        }
        let one = match short {
            "fabs" => Some(FUnOp::Abs),
            "sqrt" => Some(FUnOp::Sqrt),
            "floor" => Some(FUnOp::Floor),
            "ceil" => Some(FUnOp::Ceil),
            "trunc" => Some(FUnOp::Trunc),
            "rint" | "nearbyint" | "roundeven" => Some(FUnOp::Rint),
            "round" => Some(FUnOp::Round),
            _ => None,
        };
        let (homes, xs) = (self.homes_of(i)?, self.scalars(arg(self, 0))?);
        let pairs = homes.into_iter().zip(xs);
        if let Some(op) = one {
            for ((s, dst), (_, a)) in pairs {
                self.push(Op::FUn { op, k: s.float?, dst, a });
            }
            return Some(());
        }
        match short {
            "fma" | "fmuladd" => {
                let (ys, zs) = (self.scalars(arg(self, 1))?, self.scalars(arg(self, 2))?);
                for (((s, dst), (_, a)), ((_, b), (_, c))) in pairs.zip(ys.into_iter().zip(zs)) {
                    self.push(Op::FMulAdd { fused: short == "fma", k: s.float?, dst, a, b, c });
                }
            }
            "fptrunc" | "fpext" => {
                for ((to, dst), (from, a)) in pairs {
                    self.push(Op::FToF { from: from.float?, to: to.float?, dst, a });
                }
            }
            "lrint" | "llrint" | "lround" | "llround" => {
                let op = if short.ends_with("rint") { FUnOp::Rint } else { FUnOp::Round };
                for ((to, dst), (from, a)) in pairs {
                    let (k, whole) = (from.float?, self.fresh(from.registers()));
                    self.push(Op::FUn { op, k, dst: whole, a });
                    let a = Operand::reg(whole);
                    self.push(Op::FToInt { signed: true, from: k, w: to.width as u8, dst, a });
                }
            }
            "fptosi" | "fptoui" => {
                let signed = short == "fptosi";
                if name.contains(".sat.") {
                    return None;
                }
                for ((to, dst), (from, a)) in pairs {
                    self.push(Op::FToInt { signed, from: from.float?, w: to.width as u8, dst, a });
                }
            }
            "sitofp" | "uitofp" => {
                for ((to, dst), (from, a)) in pairs {
                    self.push(Op::IntToF {
                        signed: short == "sitofp",
                        w: from.width as u8,
                        to: to.float?,
                        dst,
                        a,
                    });
                }
            }
            "fcmp" | "fcmps" => {
                let pred = constrained_predicate(i)?;
                let ys = self.scalars(arg(self, 1))?;
                for (((_, dst), (s, a)), (_, b)) in pairs.zip(ys) {
                    self.push(Op::FCmp { pred, k: s.float?, dst, a, b });
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn vector_intrinsic(&mut self, i: LLVMValueRef, name: &str) -> Option<()> {
        let rest = name.strip_prefix("vector.reduce.")?;
        let (s, dst) = *self.homes_of(i)?.first()?;
        let lanes = self.scalars(self.argument(i, 0))?;
        let clamp = |op| move |s: Scalar, dst, a, b| clamped(op, s, dst, a, b);
        let plain = |op| move |s: Scalar, dst, a, b| binary(op, s, dst, a, b);
        let make: Box<dyn Fn(Scalar, Reg, Operand, Operand) -> Op> = match rest.split('.').next()? {
            "add" => Box::new(plain(BinOp::Add)),
            "mul" => Box::new(plain(BinOp::Mul)),
            "and" => Box::new(plain(BinOp::And)),
            "or" => Box::new(plain(BinOp::Or)),
            "xor" => Box::new(plain(BinOp::Xor)),
            "umin" => Box::new(clamp(ClampOp::UMin)),
            "umax" => Box::new(clamp(ClampOp::UMax)),
            "smin" => Box::new(clamp(ClampOp::SMin)),
            "smax" => Box::new(clamp(ClampOp::SMax)),
            _ => return None,
        };
        self.copy(s, dst, lanes.first()?.1);
        for &(_, b) in &lanes[1..] {
            self.push(make(s, dst, Operand::reg(dst), b));
        }
        Some(())
    }
}

fn clamped(op: ClampOp, s: Scalar, dst: Reg, a: Operand, b: Operand) -> Op {
    let w = s.width as u8;
    if w > 64 { Op::WideClamp { op, w, dst, a, b } } else { Op::Clamp { op, w, dst, a, b } }
}

fn overflow(name: &str) -> Option<OverflowOp> {
    let (op, rest) = name.split_once('.')?;
    if !rest.starts_with("with.overflow") {
        return None;
    }
    Some(match op {
        "uadd" => OverflowOp::UAdd,
        "sadd" => OverflowOp::SAdd,
        "usub" => OverflowOp::USub,
        "ssub" => OverflowOp::SSub,
        "umul" => OverflowOp::UMul,
        "smul" => OverflowOp::SMul,
        _ => return None,
    })
}

/// The predicate of a constrained comparison is metadata: read off its text.
fn constrained_predicate(i: LLVMValueRef) -> Option<FPred> {
    // SAFETY: the third argument is metadata.
    let text = super::module::text_of(unsafe { LLVMGetOperand(i, 2) });
    let name = text.split('"').nth(1)?;
    let (uno, base) = match name {
        "ord" => return Some(FPred { eq: true, gt: true, lt: true, uno: false }),
        "uno" => return Some(FPred { eq: false, gt: false, lt: false, uno: true }),
        _ => (name.starts_with('u'), &name[1..]),
    };
    let (eq, gt, lt) = match base {
        "eq" => (true, false, false),
        "gt" => (false, true, false),
        "ge" => (true, true, false),
        "lt" => (false, false, true),
        "le" => (true, false, true),
        "ne" => (false, true, true),
        _ => return None,
    };
    Some(FPred { eq, gt, lt, uno })
}
