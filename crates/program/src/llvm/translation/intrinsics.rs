//! LLVM's intrinsics: one table. To add an intrinsic, add a line with its name and the function that lowers it, to ops that there
//! are already or to a new one of `ops.rs`. CONTRIBUTING.md goes through both.

use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::llvm::marks::conversions::is_of_halves;
use crate::llvm::modules::types::{Scalar, Soft};
use crate::llvm::modules::values::type_of;
use crate::llvm::translation::scalar_ops::{binary, compare};
use crate::llvm::translation::translator::{Home, Translator};
use crate::register_code::code::*;

/// Lowers the call `i` of the intrinsic `name` (without `llvm.`) to ops. Returns `None` if this form of it is not modelled: then
/// its call is unsupported, by name.
type Lower = fn(t: &mut Translator<'_, '_>, i: LLVMValueRef, name: &str) -> Option<()>;

/// The intrinsics, by their names without `llvm.`, `llvm.experimental.constrained.` and types. An entry is for all names
/// that go on behind it with a dot; the longest entry counts.
static INTRINSICS: &[(&str, Lower)] = &[
    // Hints, which mean nothing here.
    ("dbg", |t, i, name| t.debug(i, name)),
    ("assume", nothing),
    ("clear_cache", nothing),
    ("codeview", nothing),
    ("donothing", nothing),
    ("experimental.noalias.scope.decl", nothing),
    ("instrprof", nothing),
    ("invariant.end", nothing),
    ("prefetch", nothing),
    ("pseudoprobe", nothing),
    ("sideeffect", nothing),
    ("va_end", nothing),
    ("var.annotation", nothing),
    // The value is the first argument.
    ("annotation", same),
    ("arithmetic.fence", same),
    ("expect", same),
    ("launder.invariant", same),
    ("ptr.annotation", same),
    ("ssa.copy", same),
    ("strip.invariant", same),
    // Questions with a fixed answer.
    ("get.dynamic.area.offset", |t, i, _| t.fixed(i, |_| 0)),
    ("get.rounding", |t, i, _| t.done_by(i, Builtin::FltRounds)),
    ("invariant.start", |t, i, _| t.fixed(i, |_| 0)), // its token
    ("is.constant", |t, i, _| t.fixed(i, |_| 0)),
    ("objectsize", |t, i, _| t.object_size(i)),
    ("readcyclecounter", |t, i, _| t.done_by(i, Builtin::CycleCounter)),
    // Memory, the stack, ends of a path.
    ("addressofreturnaddress", |t, i, _| t.frame_address(i, RETURN_ADDRESS)),
    ("debugtrap", |t, i, _| t.done_by(i, Builtin::Breakpoint)),
    ("eh.typeid.for", |t, i, _| t.number_of_type(i)),
    ("eh.sjlj.longjmp", |t, i, _| t.long_jump(i)),
    ("eh.sjlj.setjmp", |t, i, _| t.done_by(i, Builtin::Setjmp)),
    ("frameaddress", |t, i, _| t.done_by(i, Builtin::FrameAddress)),
    ("lifetime.end", |t, i, _| t.scope(i, false)),
    ("lifetime.start", |t, i, _| t.scope(i, true)),
    ("load.relative", |t, i, _| t.load_relative(i)),
    ("memcpy", |t, i, _| t.done_by(i, Builtin::Memcpy)),
    ("memmove", |t, i, _| t.done_by(i, Builtin::Memmove)),
    ("memset", |t, i, _| t.done_by(i, Builtin::Memset)),
    ("ptrmask", |t, i, _| t.lanewise2(i, |s, dst, a, b| Some(binary(BinOp::And, s, dst, a, b)))),
    ("returnaddress", |t, i, _| t.done_by(i, Builtin::ReturnAddress)),
    ("sponentry", |t, i, _| t.frame_address(i, STACK_AT_ENTRY)),
    ("stackrestore", |t, i, _| t.done_by(i, Builtin::StackRestore)),
    ("stacksave", |t, i, _| t.done_by(i, Builtin::StackSave)),
    ("threadlocal.address", |t, i, _| t.done_by(i, Builtin::ThreadLocal)),
    ("trap", |t, i, _| t.done_by(i, Builtin::Trap)),
    ("ubsantrap", |t, i, _| t.done_by(i, Builtin::Trap)),
    ("va_copy", |t, i, _| t.done_by(i, Builtin::VaCopy)),
    ("va_start", |t, i, _| t.done_by(i, Builtin::VaStart)),
    // Integers.
    ("abs", |t, i, _| t.integer(i, UnOp::Abs)),
    ("bitreverse", |t, i, _| t.integer(i, UnOp::BitReverse)),
    ("bswap", |t, i, _| t.integer(i, UnOp::Bswap)),
    ("ctlz", |t, i, _| t.integer(i, UnOp::Ctlz)),
    ("ctpop", |t, i, _| t.integer(i, UnOp::Ctpop)),
    ("cttz", |t, i, _| t.integer(i, UnOp::Cttz)),
    ("fshl", |t, i, _| t.funnel(i, true)),
    ("fshr", |t, i, _| t.funnel(i, false)),
    ("sadd.sat", |t, i, _| t.clamped_lanes(i, ClampOp::SAddSat)),
    ("sadd.with.overflow", |t, i, _| t.overflow(i, OverflowOp::SAdd)),
    ("scmp", |t, i, _| t.three_way(i, true)),
    ("smax", |t, i, _| t.clamped_lanes(i, ClampOp::SMax)),
    ("smin", |t, i, _| t.clamped_lanes(i, ClampOp::SMin)),
    ("smul.with.overflow", |t, i, _| t.overflow(i, OverflowOp::SMul)),
    ("sshl.sat", |t, i, _| t.clamped_lanes(i, ClampOp::SShlSat)),
    ("ssub.sat", |t, i, _| t.clamped_lanes(i, ClampOp::SSubSat)),
    ("ssub.with.overflow", |t, i, _| t.overflow(i, OverflowOp::SSub)),
    ("uadd.sat", |t, i, _| t.clamped_lanes(i, ClampOp::UAddSat)),
    ("uadd.with.overflow", |t, i, _| t.overflow(i, OverflowOp::UAdd)),
    ("ucmp", |t, i, _| t.three_way(i, false)),
    ("umax", |t, i, _| t.clamped_lanes(i, ClampOp::UMax)),
    ("umin", |t, i, _| t.clamped_lanes(i, ClampOp::UMin)),
    ("umul.with.overflow", |t, i, _| t.overflow(i, OverflowOp::UMul)),
    ("ushl.sat", |t, i, _| t.clamped_lanes(i, ClampOp::UShlSat)),
    ("usub.sat", |t, i, _| t.clamped_lanes(i, ClampOp::USubSat)),
    ("usub.with.overflow", |t, i, _| t.overflow(i, OverflowOp::USub)),
    // Floating point.
    ("ceil", |t, i, _| t.float1(i, FUnOp::Ceil)),
    ("copysign", |t, i, _| t.float2(i, FBinOp::CopySign)),
    ("fabs", |t, i, _| t.float1(i, FUnOp::Abs)),
    ("fadd", |t, i, _| t.float2(i, FBinOp::Add)),
    ("fcmp", |t, i, _| t.constrained_comparison(i)),
    ("fcmps", |t, i, _| t.constrained_comparison(i)),
    ("fdiv", |t, i, _| t.float2(i, FBinOp::Div)),
    ("floor", |t, i, _| t.float1(i, FUnOp::Floor)),
    ("fma", |t, i, _| t.multiply_add(i, true)),
    ("fmul", |t, i, _| t.float2(i, FBinOp::Mul)),
    ("fmuladd", |t, i, _| t.multiply_add(i, false)),
    ("fpext", |t, i, _| t.float_to_float(i)),
    ("fptosi", |t, i, _| t.float_to_integer(i, true)),
    ("fptosi.sat", |t, i, _| t.float_to_integer_within(i, true)),
    ("fptoui", |t, i, _| t.float_to_integer(i, false)),
    ("fptoui.sat", |t, i, _| t.float_to_integer_within(i, false)),
    ("fptrunc", |t, i, _| t.float_to_float(i)),
    ("frem", |t, i, _| t.float2(i, FBinOp::Rem)),
    ("fsub", |t, i, _| t.float2(i, FBinOp::Sub)),
    ("is.fpclass", |t, i, _| t.float_class(i)),
    ("llrint", |t, i, _| t.rounded_to_integer(i, FUnOp::Rint)),
    ("llround", |t, i, _| t.rounded_to_integer(i, FUnOp::Round)),
    ("lrint", |t, i, _| t.rounded_to_integer(i, FUnOp::Rint)),
    ("lround", |t, i, _| t.rounded_to_integer(i, FUnOp::Round)),
    ("maximum", |t, i, _| t.float2(i, FBinOp::Maximum)),
    ("maxnum", |t, i, _| t.float2(i, FBinOp::MaxNum)),
    ("minimum", |t, i, _| t.float2(i, FBinOp::Minimum)),
    ("minnum", |t, i, _| t.float2(i, FBinOp::MinNum)),
    ("nearbyint", |t, i, _| t.float1(i, FUnOp::Rint)),
    ("rint", |t, i, _| t.float1(i, FUnOp::Rint)),
    ("round", |t, i, _| t.float1(i, FUnOp::Round)),
    ("roundeven", |t, i, _| t.float1(i, FUnOp::Rint)),
    ("sitofp", |t, i, _| t.integer_to_float(i, true)),
    ("sqrt", |t, i, _| t.float1(i, FUnOp::Sqrt)),
    ("trunc", |t, i, _| t.float1(i, FUnOp::Trunc)),
    ("uitofp", |t, i, _| t.integer_to_float(i, false)),
    // Vectors.
    ("vector.reduce.add", |t, i, _| t.reduce(i, |s, dst, a, b| binary(BinOp::Add, s, dst, a, b))),
    ("vector.reduce.and", |t, i, _| t.reduce(i, |s, dst, a, b| binary(BinOp::And, s, dst, a, b))),
    ("vector.reduce.mul", |t, i, _| t.reduce(i, |s, dst, a, b| binary(BinOp::Mul, s, dst, a, b))),
    ("vector.reduce.or", |t, i, _| t.reduce(i, |s, dst, a, b| binary(BinOp::Or, s, dst, a, b))),
    ("vector.reduce.smax", |t, i, _| t.reduce(i, |s, dst, a, b| clamped(ClampOp::SMax, s, dst, a, b))),
    ("vector.reduce.smin", |t, i, _| t.reduce(i, |s, dst, a, b| clamped(ClampOp::SMin, s, dst, a, b))),
    ("vector.reduce.umax", |t, i, _| t.reduce(i, |s, dst, a, b| clamped(ClampOp::UMax, s, dst, a, b))),
    ("vector.reduce.umin", |t, i, _| t.reduce(i, |s, dst, a, b| clamped(ClampOp::UMin, s, dst, a, b))),
    ("vector.reduce.xor", |t, i, _| t.reduce(i, |s, dst, a, b| binary(BinOp::Xor, s, dst, a, b))),
    // Instructions of the processor: `lanes.rs`.
    ("x86.rdtsc", |t, i, _| t.done_by(i, Builtin::CycleCounter)),
    ("x86.rdtscp", |t, i, _| t.counter_and_processor(i)),
    ("x86", |t, i, name| t.x86_intrinsic(i, name.strip_prefix("x86.")?)),
];

/// Offset of the return address in a frame of x86-64, in bytes from the frame's own address; and of the stack's end before the
/// call.
const RETURN_ADDRESS: i32 = 8;
const STACK_AT_ENTRY: i32 = 16;

fn nothing(_: &mut Translator<'_, '_>, _: LLVMValueRef, _: &str) -> Option<()> {
    Some(())
}

fn same(t: &mut Translator<'_, '_>, i: LLVMValueRef, _: &str) -> Option<()> {
    let operands = t.scalars(t.argument(i, 0))?.into_iter().map(|(_, o)| o).collect();
    t.homes.insert(i, Home::Operands(operands));
    Some(())
}

/// The entry for a name: itself, or the name without its last parts.
fn entry_of(name: &str) -> Option<&'static (&'static str, Lower)> {
    let mut entry = name;
    loop {
        if let Some(found) = INTRINSICS.iter().find(|&&(known, _)| known == entry) {
            return Some(found);
        }
        entry = entry.rsplit_once('.')?.0;
    }
}

impl Translator<'_, '_> {
    /// `None` if it is not known.
    pub(crate) fn intrinsic(&mut self, i: LLVMValueRef, full: &str) -> Option<()> {
        let name = full.strip_prefix("llvm.")?;
        let name = name.strip_prefix("experimental.constrained.").unwrap_or(name);
        let (_, lower) = entry_of(name)?;
        lower(self, i, name)
    }

    /// It counts as no instruction.
    fn debug(&mut self, i: LLVMValueRef, name: &str) -> Option<()> {
        self.pending = self.pending.saturating_sub(1);
        self.note_variable(i, name);
        Some(())
    }

    /// A builtin with the call's own arguments: bytes as `int`, other numbers as 64 bits.
    fn done_by(&mut self, i: LLVMValueRef, what: Builtin) -> Option<()> {
        let mut list = Vec::new();
        for k in 0..what.arguments() as u32 {
            let (s, mut o) = *self.scalars(self.argument(i, k))?.first()?;
            if s.width < 64 {
                let wide = self.fresh(1);
                let w = if s.width == 8 && k == 1 { 32 } else { 64 };
                self.push(Op::Zext { from: s.width as u8, w, dst: wide, a: o });
                o = Operand::reg(wide);
            }
            list.push(o);
        }
        self.builtin(i, what, &list);
        Some(())
    }

    /// A place of the function's own frame.
    fn frame_address(&mut self, i: LLVMValueRef, off: i32) -> Option<()> {
        let (dst, own) = (self.home(i), self.constant(0));
        let args = self.args(&[own]);
        self.push(Op::Builtin { what: Builtin::FrameAddress, dst, args, n: 0 });
        let (base, index) = (Operand::reg(dst), self.constant(0));
        self.push(Op::Index { dst, base, index, scale: 1, off });
        Some(())
    }

    /// The counter, and behind it the processor's number, which is 0.
    fn counter_and_processor(&mut self, i: LLVMValueRef) -> Option<()> {
        self.builtin(i, Builtin::CycleCounter, &[]);
        let (s, dst) = *self.homes_of(i)?.get(1)?;
        let zero = self.constant(0);
        self.copy(s, dst, zero);
        Some(())
    }

    /// `__builtin_longjmp` gives 1.
    fn long_jump(&mut self, i: LLVMValueRef) -> Option<()> {
        let list = [self.one(self.argument(i, 0))?, self.constant(1)];
        self.builtin(i, Builtin::Longjmp, &list);
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

    fn overflow(&mut self, i: LLVMValueRef, op: OverflowOp) -> Option<()> {
        let (xs, ys) = (self.scalars(self.argument(i, 0))?, self.scalars(self.argument(i, 1))?);
        let ([(s, a)], [(_, b)]) = (&xs[..], &ys[..]) else { return None };
        let dst = self.home(i);
        self.push(Op::Overflow { op, w: s.width as u8, dst, a: *a, b: *b });
        Some(())
    }

    fn clamped_lanes(&mut self, i: LLVMValueRef, op: ClampOp) -> Option<()> {
        self.lanewise2(i, |s, dst, a, b| Some(clamped(op, s, dst, a, b)))
    }

    fn integer(&mut self, i: LLVMValueRef, op: UnOp) -> Option<()> {
        // The second argument of some is true if they have a result for every value.
        let strict = match op {
            UnOp::Abs | UnOp::Ctlz | UnOp::Cttz => self.loader.scalar(self.argument(i, 1))? != 0,
            UnOp::Bswap | UnOp::BitReverse | UnOp::Ctpop => false,
        };
        self.lanewise1(i, |_, s, dst, _, a| {
            let w = s.width as u8;
            Some(match w > 64 {
                true => Op::WideUnary { op, strict, w, dst, a },
                false => Op::Unary { op, strict, w, dst, a },
            })
        })
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

    /// A fixed answer of as many bits as asked for.
    pub(crate) fn fixed(&mut self, i: LLVMValueRef, value: impl Fn(u32) -> u64) -> Option<()> {
        let dst = self.home(i);
        let s = *self.flat(type_of(i))?.first().filter(|s| s.width <= 64)?;
        let a = self.constant(value(s.width));
        self.copy(s, dst, a);
        Some(())
    }

    /// Not known: the least or the most that it can be, as the second argument says.
    fn object_size(&mut self, i: LLVMValueRef) -> Option<()> {
        let least = self.loader.scalar(self.argument(i, 1))? != 0;
        self.fixed(i, |w| if least { 0 } else { u64::MAX >> (64 - w) })
    }

    /// An op a lane, of the lane's type in the result, its register, its type in the first argument and its operand.
    fn lanewise1(
        &mut self,
        i: LLVMValueRef,
        make: impl Fn(&mut Self, Scalar, Reg, Scalar, Operand) -> Option<Op>,
    ) -> Option<()> {
        let (homes, xs) = (self.homes_of(i)?, self.scalars(self.argument(i, 0))?);
        for ((s, dst), (from, a)) in homes.into_iter().zip(xs) {
            let op = make(self, s, dst, from, a)?;
            self.push(op);
        }
        Some(())
    }

    /// An op a lane, of the first two arguments.
    fn lanewise2(
        &mut self,
        i: LLVMValueRef,
        make: impl Fn(Scalar, Reg, Operand, Operand) -> Option<Op>,
    ) -> Option<()> {
        let (xs, ys) = (self.scalars(self.argument(i, 0))?, self.scalars(self.argument(i, 1))?);
        for ((s, dst), ((_, a), (_, b))) in self.homes_of(i)?.into_iter().zip(xs.into_iter().zip(ys)) {
            let op = make(s, dst, a, b)?;
            self.push(op);
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

    fn float1(&mut self, i: LLVMValueRef, op: FUnOp) -> Option<()> {
        self.lanewise1(i, |_, s, dst, _, a| Some(Op::FUn { op, k: s.float?, dst, a }))
    }

    fn float2(&mut self, i: LLVMValueRef, op: FBinOp) -> Option<()> {
        self.lanewise2(i, |s, dst, a, b| Some(Op::FBin { op, k: s.float?, dst, a, b }))
    }

    fn multiply_add(&mut self, i: LLVMValueRef, fused: bool) -> Option<()> {
        let (xs, ys) = (self.scalars(self.argument(i, 0))?, self.scalars(self.argument(i, 1))?);
        let zs = self.scalars(self.argument(i, 2))?;
        let values = xs.into_iter().zip(ys).zip(zs);
        for ((s, dst), (((_, a), (_, b)), (_, c))) in self.homes_of(i)?.into_iter().zip(values) {
            self.push(Op::FMulAdd { fused, k: s.float?, dst, a, b, c });
        }
        Some(())
    }

    fn float_to_float(&mut self, i: LLVMValueRef) -> Option<()> {
        self.lanewise1(i, |_, to, dst, from, a| Some(Op::FToF { from: from.float?, to: to.float?, dst, a }))
    }

    fn rounded_to_integer(&mut self, i: LLVMValueRef, op: FUnOp) -> Option<()> {
        self.lanewise1(i, |t, to, dst, from, a| {
            let (k, whole) = (from.float?, t.fresh(from.registers()));
            t.push(Op::FUn { op, k, dst: whole, a });
            let a = Operand::reg(whole);
            Some(Op::FToInt { signed: true, from: k, w: to.width as u8, dst, a })
        })
    }

    fn float_to_integer(&mut self, i: LLVMValueRef, signed: bool) -> Option<()> {
        self.lanewise1(i, |_, to, dst, from, a| {
            Some(Op::FToInt { signed, from: from.float?, w: to.width as u8, dst, a })
        })
    }

    fn float_to_integer_within(&mut self, i: LLVMValueRef, signed: bool) -> Option<()> {
        self.lanewise1(i, |_, to, dst, from, a| {
            Some(Op::FToIntSat { signed, from: from.float?, w: to.width as u8, dst, a })
        })
    }

    fn integer_to_float(&mut self, i: LLVMValueRef, signed: bool) -> Option<()> {
        let halves = is_of_halves(i);
        self.lanewise1(i, |_, to, dst, from, a| {
            Some(Op::IntToF { signed, halves, w: from.width as u8, to: to.float?, dst, a })
        })
    }

    /// Tests if a number is of certain classes. They are intervals of its bits, so a number that depends on an input causes no
    /// fork.
    fn float_class(&mut self, i: LLVMValueRef) -> Option<()> {
        let classes = self.loader.scalar(self.argument(i, 1))?;
        self.lanewise1(i, |t, _, dst, from, a| {
            let mut any = t.constant(0);
            for (first, last) in intervals(from, classes)? {
                let (above, within, both) = (t.fresh(from.registers()), t.fresh(1), t.fresh(1));
                let [start, room] = [first, last - first].map(|v| t.scalar_constant(from.width, v));
                t.push(binary(BinOp::Sub, from, above, a, start));
                t.push(compare(Pred::Ule, from, within, Operand::reg(above), room));
                t.push(Op::Or { w: 1, dst: both, a: any, b: Operand::reg(within) });
                any = Operand::reg(both);
            }
            Some(Op::Move { dst, a: any })
        })
    }

    fn constrained_comparison(&mut self, i: LLVMValueRef) -> Option<()> {
        let pred = constrained_predicate(i)?;
        let (xs, ys) = (self.scalars(self.argument(i, 0))?, self.scalars(self.argument(i, 1))?);
        for ((_, dst), ((s, a), (_, b))) in self.homes_of(i)?.into_iter().zip(xs.into_iter().zip(ys)) {
            self.push(Op::FCmp { pred, k: s.float?, dst, a, b });
        }
        Some(())
    }

    /// All lanes of a vector put together.
    fn reduce(&mut self, i: LLVMValueRef, make: impl Fn(Scalar, Reg, Operand, Operand) -> Op) -> Option<()> {
        let (s, dst) = *self.homes_of(i)?.first()?;
        let lanes = self.scalars(self.argument(i, 0))?;
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

/// The bits of the numbers of some classes, as intervals: `classes` has a bit for each, as LLVM numbers them. `None` if the
/// scalar is no number. In extended precision a number of the least exponent is subnormal, even with the integer bit set.
fn intervals(s: Scalar, classes: u128) -> Option<Vec<(u128, u128)>> {
    // The least normal number, infinity, and the least quiet one that is no number.
    let (sign, normal, infinity, quiet) = match (s.float, s.soft) {
        (Some(Float::F32), _) => (1 << 31, 1 << 23, 0xff << 23, 0x1ff << 22),
        (Some(Float::F64), _) => (1 << 63, 1 << 52, 0x7ff << 52, 0xfff << 51),
        (Some(Float::X80), _) => (1 << 79, 3 << 63, 0xffff << 63, 0x1_ffff << 62),
        (_, Some(Soft::Half)) => (1 << 15, 1 << 10, 0x1f << 10, 0x3f << 9),
        (_, Some(Soft::BFloat)) => (1 << 15, 1 << 7, 0xff << 7, 0x1ff << 6),
        (_, Some(Soft::Quad)) => (1 << 127, 1 << 112, 0x7fff << 112, 0xffff << 111),
        (None, None) => return None,
    };
    // Signalling, quiet, infinite, normal, subnormal, zero: the bits of the classes of both signs, and the first number.
    let starts = [
        ((1 << 5, 1 << 6), 0),
        ((1 << 4, 1 << 7), 1),
        ((1 << 3, 1 << 8), normal),
        ((1 << 2, 1 << 9), infinity),
        ((1, 1), infinity + 1),
        ((2, 2), quiet),
    ];
    let mut out: Vec<(u128, u128)> = Vec::new();
    for negative in [false, true] {
        for (n, &((minus, plus), start)) in starts.iter().enumerate() {
            if classes & (if negative { minus } else { plus }) == 0 {
                continue;
            }
            let from: u128 = start | if negative { sign } else { 0 };
            let to = from + (starts.get(n + 1).map_or(sign, |next| next.1) - start - 1);
            match out.last_mut() {
                Some(last) if last.1 + 1 == from => last.1 = to,
                _ => out.push((from, to)),
            }
        }
    }
    Some(out)
}

/// The predicate of a constrained comparison is metadata: read off its text.
fn constrained_predicate(i: LLVMValueRef) -> Option<FPred> {
    // SAFETY: the third argument is metadata.
    let text = crate::llvm::modules::values::text_of(unsafe { LLVMGetOperand(i, 2) });
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

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(k: Float) -> Scalar {
        Scalar { width: k.bits().into(), stored: k.bits().into(), float: Some(k), soft: None, offset: 0 }
    }

    #[test]
    fn intervals_hold_the_numbers_of_their_classes_and_no_others() {
        let class = |v: f32| match (v.classify(), v.is_sign_negative()) {
            (std::num::FpCategory::Nan, _) => {
                if v.to_bits() >> 22 & 1 == 0 {
                    1
                } else {
                    2
                }
            }
            (std::num::FpCategory::Infinite, negative) => {
                if negative {
                    4
                } else {
                    512
                }
            }
            (std::num::FpCategory::Normal, negative) => {
                if negative {
                    8
                } else {
                    256
                }
            }
            (std::num::FpCategory::Subnormal, negative) => {
                if negative {
                    16
                } else {
                    128
                }
            }
            (std::num::FpCategory::Zero, negative) => {
                if negative {
                    32
                } else {
                    64
                }
            }
        };
        for classes in 0..1024u128 {
            let ranges = intervals(scalar(Float::F32), classes).unwrap();
            let edges = [
                0,
                1,
                (1 << 23) - 1,
                1 << 23,
                (0xff << 23) - 1,
                0xff << 23,
                (0xff << 23) + 1,
                (0x1ff << 22) - 1,
                0x1ff << 22,
                (1 << 31) - 1,
            ];
            for bits in edges.into_iter().flat_map(|e: u32| [e, e | 1 << 31]) {
                let held = ranges.iter().any(|&(a, b)| (a..=b).contains(&u128::from(bits)));
                assert_eq!(held, classes & class(f32::from_bits(bits)) != 0, "{bits:x} {classes:x}");
            }
        }
        let wide = intervals(scalar(Float::F64), 3).unwrap();
        let no_numbers = [(0x7ff0_0000_0000_0001, (1 << 63) - 1), (0xfff0_0000_0000_0001, u64::MAX.into())];
        assert_eq!(wide, no_numbers);
    }

    #[test]
    fn the_longest_entry_of_a_name_counts_and_none_stands_twice() {
        let is = |name: &str, entry: &str| assert_eq!(entry_of(name).map(|e| e.0), Some(entry), "{name}");
        is("memcpy.inline.p0.p0.i64", "memcpy");
        is("sadd.with.overflow.i32", "sadd.with.overflow");
        is("dbg.declare", "dbg");
        assert!(entry_of("sadd").is_none() && entry_of("vector.reduce.fadd.v4f32").is_none());
        for (k, entry) in INTRINSICS.iter().enumerate() {
            assert!(INTRINSICS[k + 1..].iter().all(|other| other.0 != entry.0), "{}", entry.0);
        }
    }
}
