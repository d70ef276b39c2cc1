//! Register code as text, for people and for the tests: the same program gives the same text.

use std::fmt::{self, Display, Write};

use crate::code::*;
use crate::walk::{ANY, Width, effects, run_of};

impl Program {
    /// The text of a function: a line an op, constants as their values, jumps by the index of an op.
    pub fn dump(&self, function: FuncId) -> String {
        let mut out = String::new();
        if let Some(f) = self.functions.get(function as usize) {
            let view = View { program: self, f };
            // Writing to a string cannot fail.
            let _ = view.write(&mut out);
        }
        out
    }

    /// The text of the whole program: its globals, then its functions.
    pub fn dump_all(&self) -> String {
        let mut out = self.dump_globals();
        for id in 0..self.functions.len() as FuncId {
            out.push_str(&self.dump(id));
        }
        out
    }

    /// The text of the globals: address, size, and the bytes up to the last that is not zero.
    pub fn dump_globals(&self) -> String {
        let mut out = String::new();
        for g in &self.globals {
            let kind = if g.constant { "constant" } else { "global" };
            let _ = write!(out, "{kind} {} at {:#x}, {} bytes:", g.name, g.address, g.size);
            for b in &g.init {
                let _ = write!(out, " {b:02x}");
            }
            out.push('\n');
        }
        out
    }
}

struct View<'p> {
    program: &'p Program,
    f: &'p Function,
}

/// A value as the text has it: small ones in decimal.
fn number(v: u64) -> String {
    if v < 1 << 16 { v.to_string() } else { format!("{v:#x}") }
}

impl View<'_> {
    fn write(&self, out: &mut String) -> fmt::Result {
        let f = self.f;
        let more = if f.variadic { ", ..." } else { "" };
        write!(out, "{}({}{more}) -> {}", f.name, f.params, f.results)?;
        if let Some(builtin) = f.builtin {
            return writeln!(out, " = {builtin:?}");
        }
        if f.code.is_empty() {
            return writeln!(out, " is defined nowhere");
        }
        writeln!(out, ", {} registers", f.registers)?;
        let mut line = u32::MAX;
        for (pc, op) in f.code.iter().enumerate() {
            write!(out, "{pc:5}: {}", self.op(op))?;
            let position = f.positions.get(pc).copied().unwrap_or(u32::MAX);
            if position != line {
                line = position;
                if let Some(p) = self.program.positions.get(position as usize) {
                    let file = self.program.strings.get(p.file as usize).map_or("?", String::as_str);
                    write!(out, "    ; {file}:{}", p.line)?;
                }
            }
            out.push('\n');
        }
        Ok(())
    }

    fn operand(&self, o: Operand, w: Width) -> String {
        let Some(i) = o.as_constant() else { return format!("{o:?}") };
        let at = |i: u32| self.f.constants.get(i as usize).copied();
        match (at(i), if w > 64 { at(i + 1) } else { Some(0) }) {
            (Some(low), Some(0)) => number(low),
            (Some(low), Some(high)) => format!("{high:#x}_{low:016x}"),
            _ => format!("{o:?}"),
        }
    }

    fn operands(&self, list: &[(Operand, Width)]) -> String {
        let texts: Vec<String> = list.iter().map(|&(o, w)| self.operand(o, w)).collect();
        texts.join(", ")
    }

    fn list(&self, args: Args) -> String {
        match run_of(self.f, args) {
            Ok(list) => self.operands(&list.iter().map(|&o| (o, ANY)).collect::<Vec<_>>()),
            Err(_) => "?".into(),
        }
    }

    fn variable(&self, list: u32) -> String {
        let list = self.f.varargs.get(list as usize).map_or(&[][..], |l| &l[..]);
        let one = |v: &VarArg| {
            let value = self.operand(v.value, if v.byval.is_some() { 64 } else { v.bits });
            match v.byval {
                Some(size) => format!("{size} bytes of {value} by {}", v.align),
                None => format!("{value}.{}", v.bits),
            }
        };
        list.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn name(&self, func: FuncId) -> &str {
        self.program.functions.get(func as usize).map_or("?", |f| f.name.as_str())
    }

    fn cases(&self, table: u32) -> String {
        let Some(table) = self.f.switches.get(table as usize) else { return "?".into() };
        let cases = table.cases.iter().map(|&(v, pc)| format!("{} -> {pc}", number(v)));
        cases.collect::<Vec<_>>().join(", ")
    }

    fn op(&self, op: &Op) -> String {
        if let Some(text) = self.control(op) {
            return text;
        }
        let Ok(all) = effects(self.program, self.f, op) else { return format!("{op:?}") };
        let operands = self.operands(&all.reads);
        let name = mnemonic(op);
        match (op, all.writes) {
            (&Op::Load { addr, off, .. } | &Op::WideLoad { addr, off, .. }, Some((dst, _))) => {
                format!("r{dst} = {name} [{}{}]", self.operand(addr, 64), offset(off))
            }
            (&Op::Store { w, val, addr, off } | &Op::WideStore { w, val, addr, off }, _) => {
                format!("{name} {} to [{}{}]", self.operand(val, w), self.operand(addr, 64), offset(off))
            }
            (&Op::Index { dst, base, index, scale, off }, _) => {
                let (base, index) = (self.operand(base, 64), self.operand(index, 64));
                format!("r{dst} = index {base} + {index} * {scale}{}", offset(off))
            }
            (&Op::Alloca { align, .. }, Some((dst, _))) => format!("r{dst} = alloca {operands} by {align}"),
            (&Op::Scope { begins, .. }, _) => {
                format!("{name} of {operands} {}", if begins { "begins" } else { "ends" })
            }
            (&Op::Overflow { w, .. }, Some((dst, _))) => {
                format!("r{dst}, r{} = {name} {operands}", dst + if w > 64 { 2 } else { 1 })
            }
            (_, Some((dst, _))) => format!("r{dst} = {name} {operands}"),
            (_, None) => format!("{name} {operands}"),
        }
    }

    /// Ops that end a segment; `/ n` is the number of LLVM instructions in it.
    fn control(&self, op: &Op) -> Option<String> {
        let to = |dst: Reg| if dst == NO_REG { String::new() } else { format!("r{dst} = ") };
        Some(match *op {
            Op::Jump { to, n } => format!("jump {to} / {n}"),
            Op::Branch { cond, then, other, n } => {
                format!("branch {} ? {then} : {other} / {n}", self.operand(cond, 1))
            }
            Op::CmpBranch { pred, w, a, b, then, other, n } => {
                let (a, b) = (self.operand(a, w), self.operand(b, w));
                format!("branch {}.{w} {a}, {b} ? {then} : {other} / {n}", lower(&pred))
            }
            Op::Switch { w, val, table, n } => {
                let default = self.f.switches.get(table as usize).map_or(Pc::MAX, |t| t.default);
                format!("switch.{w} {}: {}, else {default} / {n}", self.operand(val, w), self.cases(table))
            }
            Op::IndirectBranch { val, table, n } => {
                format!("goto {}: {} / {n}", self.operand(val, 64), self.cases(table))
            }
            Op::Call { func, dst, args, n } => {
                format!("{}call {}({}) / {n}", to(dst), self.name(func), self.list(args))
            }
            Op::CallVar { func, dst, args, varargs, n } => {
                let (args, more) = (self.list(args), self.variable(varargs));
                format!("{}call {}({args} ... {more}) / {n}", to(dst), self.name(func))
            }
            Op::CallIndirect { call, n } => {
                let call = self.f.indirect.get(call as usize)?;
                let more = call.varargs.map_or(String::new(), |v| format!(" ... {}", self.variable(v)));
                let (dst, target) = (to(call.dst), self.operand(call.target, 64));
                format!("{dst}call [{target}]({}{more}) -> {} / {n}", self.list(call.args), call.results)
            }
            Op::Builtin { what, dst, args, n } => {
                format!("{}{what:?}({}) / {n}", to(dst), self.list(args))
            }
            Op::Ret { vals, n } => format!("ret {} / {n}", self.list(vals)),
            Op::Unreachable { n } => format!("unreachable / {n}"),
            Op::Unsupported { what, n } => {
                let text = self.program.strings.get(what as usize).map_or("?", String::as_str);
                format!("unsupported: {text} / {n}")
            }
            Op::Count { n } => format!("count {n}"),
            _ => return None,
        })
    }
}

fn offset(off: i32) -> String {
    if off < 0 { format!(" - {}", off.unsigned_abs()) } else { format!(" + {off}") }
}

fn lower(name: &impl fmt::Debug) -> String {
    format!("{name:?}").to_lowercase()
}

/// A name with a mark behind it, where `is` says so.
fn marked(name: &str, is: bool, mark: &str) -> String {
    if is { format!("{name}.{mark}") } else { name.into() }
}

fn float(k: Float) -> &'static str {
    match k {
        Float::F32 => "f32",
        Float::F64 => "f64",
        Float::X80 => "x80",
    }
}

/// The op's name with its widths: the width of the result last.
fn mnemonic(op: &Op) -> String {
    let plain = |name: &dyn Display, w: u8| format!("{name}.{w}");
    let signs = |signed: bool| if signed { "s" } else { "z" };
    let side = |left: bool| if left { "fshl" } else { "fshr" };
    match *op {
        Op::Move { .. } => "move".into(),
        Op::WideMove { .. } => "move.wide".into(),
        Op::Add { w, .. } => plain(&"add", w),
        Op::Sub { w, .. } => plain(&"sub", w),
        Op::Mul { w, .. } => plain(&"mul", w),
        Op::And { w, .. } => plain(&"and", w),
        Op::Or { w, .. } => plain(&"or", w),
        Op::Xor { w, .. } => plain(&"xor", w),
        Op::Undefined { w, .. } => plain(&"undefined", w),
        Op::Freeze { w, .. } => plain(&"freeze", w),
        Op::Shl { lazy, w, .. } => plain(&marked("shl", lazy, "lazy"), w),
        Op::LShr { lazy, w, .. } => plain(&marked("lshr", lazy, "lazy"), w),
        Op::AShr { lazy, w, .. } => plain(&marked("ashr", lazy, "lazy"), w),
        Op::Div { op, w, .. } => plain(&lower(&op), w),
        Op::WideBin { op, lazy, w, .. } => plain(&marked(&lower(&op), lazy, "lazy"), w),
        Op::Cmp { pred, w, .. } | Op::WideCmp { pred, w, .. } => plain(&lower(&pred), w),
        Op::Select { w, .. } | Op::WideSelect { w, .. } => plain(&"select", w),
        Op::Trunc { w, .. } => plain(&"trunc", w),
        Op::Zext { from, w, .. } => format!("zext.{from}.{w}"),
        Op::Sext { from, w, .. } => format!("sext.{from}.{w}"),
        Op::WideExt { signed, from, w, .. } => format!("{}ext.{from}.{w}", signs(signed)),
        Op::WideTrunc { from, w, .. } => format!("trunc.{from}.{w}"),
        Op::Unary { op, strict, w, .. } | Op::WideUnary { op, strict, w, .. } => {
            plain(&marked(&lower(&op), strict, "strict"), w)
        }
        Op::Clamp { op, w, .. } | Op::WideClamp { op, w, .. } => plain(&lower(&op), w),
        Op::Overflow { op, w, .. } => format!("{}.overflow.{w}", lower(&op)),
        Op::Funnel { left, w, .. } | Op::WideFunnel { left, w, .. } => plain(&side(left), w),
        Op::FBin { op, k, .. } => format!("f{}.{}", lower(&op), float(k)),
        Op::FUn { op, k, .. } => format!("f{}.{}", lower(&op), float(k)),
        Op::FMulAdd { fused, k, .. } => format!("{}.{}", if fused { "fma" } else { "fmuladd" }, float(k)),
        Op::FCmp { pred, k, .. } => {
            let mut text = String::from("fcmp");
            for (holds, name) in [(pred.lt, ".lt"), (pred.eq, ".eq"), (pred.gt, ".gt"), (pred.uno, ".uno")] {
                text.push_str(if holds { name } else { "" });
            }
            format!("{text}.{}", float(k))
        }
        Op::FToF { from, to, .. } => format!("float.{}.{}", float(from), float(to)),
        Op::FToInt { signed, from, w, .. } => {
            format!("{}int.{}.{w}", if signed { "s" } else { "u" }, float(from))
        }
        Op::IntToF { signed, w, to, .. } => {
            format!("float.{}{w}.{}", if signed { "s" } else { "u" }, float(to))
        }
        Op::Load { w, .. } | Op::WideLoad { w, .. } => plain(&"load", w),
        Op::Store { w, .. } | Op::WideStore { w, .. } => plain(&"store", w),
        _ => format!("{op:?}"),
    }
}
