//! What an op reads, writes and jumps to: one description for the verifier, the text form and the sweep.

use crate::code::*;

/// The width of an operand or result in bits; above 64 it is a wide one.
pub(crate) type Width = u8;
/// A register whose width the code does not say: arguments and results of calls.
pub(crate) const ANY: Width = 0;

/// How wide a floating-point number is.
pub(crate) const fn float_width(k: Float) -> Width {
    match k {
        Float::F32 => 32,
        Float::F64 => 64,
        Float::X80 => 80,
    }
}

/// What an op reads and writes.
#[derive(Default)]
pub(crate) struct Effects {
    /// Operands with their widths, in the order of the text form.
    pub(crate) reads: Vec<(Operand, Width)>,
    /// The first register written, and the widths of the values from there on.
    pub(crate) writes: Option<(Reg, Vec<Width>)>,
}

/// How many registers a value of a width takes.
pub(crate) const fn registers_of(w: Width) -> u32 {
    if w > 64 { 2 } else { 1 }
}

/// An entry of an op's tables that is not there.
#[derive(Debug)]
pub(crate) struct Missing(pub(crate) &'static str);

/// The operands of a run; checked, as all of this module's look-ups are.
pub(crate) fn run_of(f: &Function, args: Args) -> Result<&[Operand], Missing> {
    let start = args.start as usize;
    f.args.get(start..start + args.len as usize).ok_or(Missing("operand list"))
}

fn variable_reads(f: &Function, list: u32, reads: &mut Vec<(Operand, Width)>) -> Result<(), Missing> {
    let list = f.varargs.get(list as usize).ok_or(Missing("variable argument list"))?;
    reads.extend(list.iter().map(|v| (v.value, if v.byval.is_some() { 64 } else { v.bits })));
    Ok(())
}

/// What `op` of `f` reads and writes.
pub(crate) fn effects(program: &Program, f: &Function, op: &Op) -> Result<Effects, Missing> {
    let mut reads = Vec::new();
    let one = |dst: Reg, w: Width| Some((dst, vec![w]));
    let writes = match *op {
        Op::Move { dst, a } => {
            reads.push((a, ANY));
            one(dst, ANY)
        }
        Op::Undefined { w, dst } => one(dst, w),
        Op::Freeze { w, dst, a } => {
            reads.push((a, w));
            one(dst, w)
        }
        Op::WideMove { dst, a } => {
            reads.push((a, 128));
            one(dst, 128)
        }
        Op::Add { w, dst, a, b }
        | Op::Sub { w, dst, a, b }
        | Op::Mul { w, dst, a, b }
        | Op::And { w, dst, a, b }
        | Op::Or { w, dst, a, b }
        | Op::Xor { w, dst, a, b }
        | Op::Shl { w, dst, a, b, .. }
        | Op::LShr { w, dst, a, b, .. }
        | Op::AShr { w, dst, a, b, .. }
        | Op::Div { w, dst, a, b, .. }
        | Op::Clamp { w, dst, a, b, .. }
        | Op::WideBin { w, dst, a, b, .. }
        | Op::WideClamp { w, dst, a, b, .. } => {
            reads.extend([(a, w), (b, w)]);
            one(dst, w)
        }
        Op::Cmp { w, dst, a, b, .. } | Op::WideCmp { w, dst, a, b, .. } => {
            reads.extend([(a, w), (b, w)]);
            one(dst, 1)
        }
        Op::Select { w, dst, cond, a, b } | Op::WideSelect { w, dst, cond, a, b } => {
            reads.extend([(cond, 1), (a, w), (b, w)]);
            one(dst, w)
        }
        // The width of what is truncated is not said, only that it is at most 64.
        Op::Trunc { w, dst, a } => {
            reads.push((a, ANY));
            one(dst, w)
        }
        Op::Zext { from, w, dst, a }
        | Op::Sext { from, w, dst, a }
        | Op::WideExt { from, w, dst, a, .. }
        | Op::WideTrunc { from, w, dst, a } => {
            reads.push((a, from));
            one(dst, w)
        }
        Op::Unary { w, dst, a, .. } | Op::WideUnary { w, dst, a, .. } => {
            reads.push((a, w));
            one(dst, w)
        }
        Op::Overflow { w, dst, a, b, .. } => {
            reads.extend([(a, w), (b, w)]);
            Some((dst, vec![w, 1]))
        }
        Op::Funnel { w, dst, a, b, c, .. } | Op::WideFunnel { w, dst, a, b, c, .. } => {
            reads.extend([(a, w), (b, w), (c, w)]);
            one(dst, w)
        }
        Op::FBin { k, dst, a, b, .. } => {
            reads.extend([(a, float_width(k)), (b, float_width(k))]);
            one(dst, float_width(k))
        }
        Op::FUn { k, dst, a, .. } => {
            reads.push((a, float_width(k)));
            one(dst, float_width(k))
        }
        Op::FMulAdd { k, dst, a, b, c, .. } => {
            let w = float_width(k);
            reads.extend([(a, w), (b, w), (c, w)]);
            one(dst, w)
        }
        Op::FCmp { k, dst, a, b, .. } => {
            reads.extend([(a, float_width(k)), (b, float_width(k))]);
            one(dst, 1)
        }
        Op::FToF { from, to, dst, a } => {
            reads.push((a, float_width(from)));
            one(dst, float_width(to))
        }
        Op::FToInt { from, w, dst, a, .. } => {
            reads.push((a, float_width(from)));
            one(dst, w)
        }
        Op::IntToF { w, to, dst, a, .. } => {
            reads.push((a, w));
            one(dst, float_width(to))
        }
        Op::Load { w, dst, addr, .. } | Op::WideLoad { w, dst, addr, .. } => {
            reads.push((addr, 64));
            one(dst, w)
        }
        Op::Store { w, val, addr, .. } | Op::WideStore { w, val, addr, .. } => {
            reads.extend([(val, w), (addr, 64)]);
            None
        }
        Op::Index { dst, base, index, .. } => {
            reads.extend([(base, 64), (index, 64)]);
            one(dst, 64)
        }
        Op::Alloca { dst, size, .. } => {
            reads.push((size, 64));
            one(dst, 64)
        }
        Op::Scope { at, .. } => {
            reads.push((at, 64));
            None
        }
        Op::Branch { cond, .. } => {
            reads.push((cond, 1));
            None
        }
        Op::CmpBranch { w, a, b, .. } => {
            reads.extend([(a, w), (b, w)]);
            None
        }
        Op::Switch { w, val, .. } => {
            reads.push((val, w));
            None
        }
        Op::IndirectBranch { val, .. } => {
            reads.push((val, 64));
            None
        }
        Op::Call { func, dst, args, .. } | Op::CallVar { func, dst, args, .. } => {
            reads.extend(run_of(f, args)?.iter().map(|&o| (o, ANY)));
            if let Op::CallVar { varargs, .. } = *op {
                variable_reads(f, varargs, &mut reads)?;
            }
            let callee = program.functions.get(func as usize).ok_or(Missing("function"))?;
            (dst != NO_REG).then(|| (dst, vec![ANY; callee.results as usize]))
        }
        Op::CallIndirect { call, .. } => {
            let call = f.indirect.get(call as usize).ok_or(Missing("indirect call"))?;
            reads.push((call.target, 64));
            reads.extend(run_of(f, call.args)?.iter().map(|&o| (o, ANY)));
            if let Some(list) = call.varargs {
                variable_reads(f, list, &mut reads)?;
            }
            (call.dst != NO_REG).then(|| (call.dst, vec![ANY; call.results as usize]))
        }
        Op::Builtin { dst, args, .. } => {
            reads.extend(run_of(f, args)?.iter().map(|&o| (o, ANY)));
            if dst == NO_REG { None } else { one(dst, ANY) }
        }
        Op::Ret { vals, .. } => {
            reads.extend(run_of(f, vals)?.iter().map(|&o| (o, ANY)));
            None
        }
        Op::Jump { .. } | Op::Unreachable { .. } | Op::Unsupported { .. } | Op::Count { .. } => None,
    };
    Ok(Effects { reads, writes })
}

impl Program {
    /// Whether some op of `f` reads register `r`.
    pub fn reads(&self, f: &Function, r: Reg) -> bool {
        let is = |&(o, w): &(Operand, Width)| {
            o.as_reg().is_some_and(|first| (first..first + registers_of(w)).contains(&r))
        };
        f.code.iter().any(|op| effects(self, f, op).map_or(true, |all| all.reads.iter().any(is)))
    }
}

impl Function {
    /// Whether a register may have the address of a stack object that the function computes by itself, and has not read
    /// from memory or got from another function.
    pub fn may_be_local(&self, r: Reg) -> bool {
        let (mut todo, mut next) = (vec![r], 0);
        while let Some(&r) = todo.get(next) {
            next += 1;
            for op in &self.code {
                let sources = match *op {
                    Op::Alloca { dst, .. } if dst == r => return true,
                    Op::Move { dst, a } | Op::Index { dst, base: a, .. } if dst == r => [Some(a), None],
                    Op::Select { dst, a, b, .. } | Op::Add { dst, a, b, .. } if dst == r => {
                        [Some(a), Some(b)]
                    }
                    _ => continue,
                };
                for source in sources.into_iter().flatten().filter_map(Operand::as_reg) {
                    if !todo.contains(&source) {
                        todo.push(source);
                    }
                }
            }
        }
        false
    }
}

/// Whether control never goes on to the next op.
pub(crate) const fn is_terminator(op: &Op) -> bool {
    matches!(
        op,
        Op::Jump { .. }
            | Op::Branch { .. }
            | Op::CmpBranch { .. }
            | Op::Switch { .. }
            | Op::IndirectBranch { .. }
            | Op::Ret { .. }
            | Op::Unreachable { .. }
            | Op::Unsupported { .. }
    )
}

/// The targets of an op's jumps.
pub(crate) fn targets(f: &Function, op: &Op, out: &mut Vec<Pc>) -> Result<(), Missing> {
    match *op {
        Op::Jump { to, .. } => out.push(to),
        Op::Branch { then, other, .. } | Op::CmpBranch { then, other, .. } => out.extend([then, other]),
        Op::Switch { table, .. } => {
            let table = f.switches.get(table as usize).ok_or(Missing("switch table"))?;
            out.extend(table.cases.iter().map(|&(_, pc)| pc));
            out.push(table.default);
        }
        Op::IndirectBranch { table, .. } => {
            let table = f.switches.get(table as usize).ok_or(Missing("table of labels"))?;
            out.extend(table.cases.iter().map(|&(_, pc)| pc));
        }
        _ => {}
    }
    Ok(())
}

/// Changes each register and operand that stands in the op itself; those in the function's lists are not seen.
pub(crate) fn rename(op: &mut Op, reg: &impl Fn(&mut Reg), operand: &impl Fn(&mut Operand)) {
    match op {
        Op::Move { dst, a }
        | Op::WideMove { dst, a }
        | Op::Freeze { dst, a, .. }
        | Op::Trunc { dst, a, .. }
        | Op::Zext { dst, a, .. }
        | Op::Sext { dst, a, .. }
        | Op::WideExt { dst, a, .. }
        | Op::WideTrunc { dst, a, .. }
        | Op::Unary { dst, a, .. }
        | Op::WideUnary { dst, a, .. }
        | Op::FUn { dst, a, .. }
        | Op::FToF { dst, a, .. }
        | Op::FToInt { dst, a, .. }
        | Op::IntToF { dst, a, .. }
        | Op::Load { dst, addr: a, .. }
        | Op::WideLoad { dst, addr: a, .. }
        | Op::Alloca { dst, size: a, .. } => {
            reg(dst);
            operand(a);
        }
        Op::Add { dst, a, b, .. }
        | Op::Sub { dst, a, b, .. }
        | Op::Mul { dst, a, b, .. }
        | Op::And { dst, a, b, .. }
        | Op::Or { dst, a, b, .. }
        | Op::Xor { dst, a, b, .. }
        | Op::Shl { dst, a, b, .. }
        | Op::LShr { dst, a, b, .. }
        | Op::AShr { dst, a, b, .. }
        | Op::Div { dst, a, b, .. }
        | Op::Cmp { dst, a, b, .. }
        | Op::Clamp { dst, a, b, .. }
        | Op::Overflow { dst, a, b, .. }
        | Op::WideBin { dst, a, b, .. }
        | Op::WideCmp { dst, a, b, .. }
        | Op::WideClamp { dst, a, b, .. }
        | Op::FBin { dst, a, b, .. }
        | Op::FCmp { dst, a, b, .. }
        | Op::Index { dst, base: a, index: b, .. } => {
            reg(dst);
            operand(a);
            operand(b);
        }
        Op::Select { dst, cond: c, a, b, .. }
        | Op::WideSelect { dst, cond: c, a, b, .. }
        | Op::Funnel { dst, a, b, c, .. }
        | Op::WideFunnel { dst, a, b, c, .. }
        | Op::FMulAdd { dst, a, b, c, .. } => {
            reg(dst);
            operand(a);
            operand(b);
            operand(c);
        }
        Op::Store { val: a, addr: b, .. }
        | Op::WideStore { val: a, addr: b, .. }
        | Op::CmpBranch { a, b, .. } => {
            operand(a);
            operand(b);
        }
        Op::Branch { cond: a, .. }
        | Op::Switch { val: a, .. }
        | Op::IndirectBranch { val: a, .. }
        | Op::Scope { at: a, .. } => {
            operand(a);
        }
        Op::Call { dst, .. }
        | Op::CallVar { dst, .. }
        | Op::Builtin { dst, .. }
        | Op::Undefined { dst, .. } => {
            reg(dst);
        }
        Op::Jump { .. }
        | Op::CallIndirect { .. }
        | Op::Ret { .. }
        | Op::Unreachable { .. }
        | Op::Unsupported { .. }
        | Op::Count { .. } => {}
    }
}
