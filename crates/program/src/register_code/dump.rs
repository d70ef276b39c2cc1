//! Register code as text, for `cleave dump` and for the tests: the same program gives the same text.

use std::fmt::{self, Debug, Display, Write};

use crate::register_code::code::*;
use crate::register_code::fields::Width;
use crate::register_code::ops::for_each_op;
use crate::register_code::walk::effects;

impl Program {
    /// The text of a function: a line an op, constants as their values, jumps by the index of an op.
    pub fn dump(&self, function: FuncId) -> String {
        let mut out = String::new();
        if let Some(f) = self.functions.get(function as usize) {
            let view = View { program: self, f, plain: true };
            // Writing to a string cannot fail.
            let _ = view.function(&mut out);
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
            let kind = match g.storage {
                Storage::Own if g.constant => "constant",
                Storage::Own => "global",
                Storage::Section => "section",
                Storage::Member => "member",
                Storage::Missing => "undefined",
            };
            let _ = write!(out, "{kind} {} at {:#x}, {} bytes:", g.name, g.address, g.size);
            for b in &g.init {
                let _ = write!(out, " {b:02x}");
            }
            out.push('\n');
        }
        out
    }
}

/// An op without the numbers of its registers and targets. Two ops with the same text do the same to the registers that they name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// The text of the op, with all that its tables say of it but registers and targets.
    pub text: String,
    /// The registers that are read, each half of a wide value for itself, in the order of the text.
    pub reads: Vec<Reg>,
    /// The registers that are written.
    pub writes: Vec<Reg>,
}

impl Program {
    /// An op of a function without the numbers of its registers and targets; `None` if an entry of its tables is missing.
    pub fn form(&self, f: &Function, op: &Op) -> Option<Form> {
        let mut text = View { program: self, f, plain: false }.op(op);
        let lists = match *op {
            Op::CallVar { varargs, .. } => Some(varargs),
            Op::CallIndirect { call, .. } => {
                let call = f.indirect_call(call).ok()?;
                // Writing to a string cannot fail.
                let _ = write!(text, " by {:?}", call.signature);
                call.varargs
            }
            _ => None,
        };
        for value in lists.map(|list| f.variable(list)).transpose().ok()?.unwrap_or_default() {
            let _ = write!(text, " {:?} {} {}", value.class, value.float, value.align);
        }
        let all = effects(self, f, op).ok()?;
        let mut reads = Vec::new();
        for (operand, width) in &all.reads {
            if let Some(first) = operand.as_reg() {
                reads.extend((0..width.registers()).map(|n| first + n));
            }
        }
        let writes = all.writes.map_or_else(Vec::new, |w| (0..w.registers()).map(|n| w.dst + n).collect());
        Some(Form { text, reads, writes })
    }
}

struct View<'p> {
    program: &'p Program,
    f: &'p Function,
    /// Registers and targets have their numbers.
    plain: bool,
}

/// A value as the text has it: small ones in decimal.
fn number(v: u64) -> String {
    if v < 1 << 16 { v.to_string() } else { format!("{v:#x}") }
}

impl View<'_> {
    fn function(&self, out: &mut String) -> fmt::Result {
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

    fn register(&self, r: Reg) -> String {
        if self.plain { format!("r{r}") } else { "r".into() }
    }

    fn operand(&self, o: Operand, w: Width) -> String {
        if let Some(r) = o.as_reg() {
            return self.register(r);
        }
        let Some(i) = o.as_constant() else { return String::new() };
        let at = |i: u32| self.f.constants.get(i as usize).copied();
        match (at(i), if w.registers() == 2 { at(i + 1) } else { Some(0) }) {
            (Some(low), Some(0)) => number(low),
            (Some(low), Some(high)) => format!("{high:#x}_{low:016x}"),
            _ => format!("{o:?}"),
        }
    }
}

/// The roles of the table: each gives the text of a field.
impl View<'_> {
    fn width(&self, bits: u8, _: u8, _: u8) -> String {
        bits.to_string()
    }
    fn read(&self, o: Operand, w: impl Into<Width>) -> String {
        self.operand(o, w.into())
    }
    fn carry(&self, o: Operand, w: impl Into<Width>) -> String {
        self.operand(o, w.into())
    }
    fn narrowed(&self, o: Operand, least: u8) -> String {
        self.operand(o, Width::Least(least))
    }
    fn write(&self, dst: Reg, _: impl Into<Width>) -> String {
        self.register(dst)
    }
    fn write_flagged(&self, dst: Reg, bits: u8) -> String {
        let flag = dst.saturating_add(Width::Bits(bits).registers());
        format!("{}, {}", self.register(dst), self.register(flag))
    }
    fn fresh(&self, dst: Reg) -> String {
        self.register(dst)
    }
    fn copy(&self, dst: Reg, _: Operand) -> String {
        self.register(dst)
    }
    fn copy_wide(&self, dst: Reg, _: Operand) -> String {
        self.register(dst)
    }
    fn result(&self, dst: Reg) -> String {
        if dst == NO_REG { String::new() } else { format!("{} = ", self.register(dst)) }
    }
    fn results(&self, dst: Reg, _: FuncId) -> String {
        self.result(dst)
    }
    fn landing(&self, dst: Reg) -> String {
        format!("{}, {}", self.register(dst), self.register(dst.saturating_add(1)))
    }
    fn of(&self, one: impl Word) -> String {
        one.word()
    }
    fn one_that(&self, one: impl Word, _: bool, _: u8) -> String {
        one.word()
    }
    fn mark(&self, is: bool, text: &str) -> String {
        if is { text.into() } else { String::new() }
    }
    fn either(&self, is: bool, yes: &str, no: &str) -> String {
        if is { yes.into() } else { no.into() }
    }
    fn number(&self, n: impl Display) -> String {
        n.to_string()
    }
    fn offset(&self, off: i32) -> String {
        if off < 0 { format!(" - {}", off.unsigned_abs()) } else { format!(" + {off}") }
    }
    fn count(&self, n: impl Display) -> String {
        n.to_string()
    }
    fn target(&self, pc: Pc) -> String {
        if self.plain { pc.to_string() } else { String::new() }
    }
    fn cases(&self, table: u32, _: u8) -> String {
        let default = self.f.switches.get(table as usize).map_or(Pc::MAX, |t| t.default);
        format!("{}, else {}", self.labels(table), self.target(default))
    }
    fn labels(&self, table: u32) -> String {
        let Some(table) = self.f.switches.get(table as usize) else { return "?".into() };
        let cases = table.cases.iter().map(|&(v, pc)| format!("{} -> {}", number(v), self.target(pc)));
        cases.collect::<Vec<_>>().join(", ")
    }
    fn callee(&self, func: FuncId, _: Args) -> String {
        self.program.functions.get(func as usize).map_or("?", |f| f.name.as_str()).into()
    }
    fn builtin(&self, what: Builtin, _: Args) -> String {
        format!("{what:?}")
    }
    fn list(&self, args: Args) -> String {
        let Ok(list) = self.f.run_of(args) else { return "?".into() };
        list.iter().map(|&o| self.operand(o, Width::Any)).collect::<Vec<_>>().join(", ")
    }
    fn variable(&self, list: u32) -> String {
        let one = |v: &VarArg| {
            let value = self.operand(v.value, Width::Bits(if v.byval.is_some() { 64 } else { v.bits }));
            match v.byval {
                Some(size) => format!("{size} bytes of {value} by {}", v.align),
                None => format!("{value}.{}", v.bits),
            }
        };
        self.f.variable(list).unwrap_or_default().iter().map(one).collect::<Vec<_>>().join(", ")
    }
    fn indirect(&self, call: u32) -> String {
        let Ok(call) = self.f.indirect_call(call) else { return "?".into() };
        let more = call.varargs.map_or(String::new(), |v| format!(" ... {}", self.variable(v)));
        let (dst, target) = (self.result(call.dst), self.operand(call.target, Width::Bits(64)));
        format!("{dst}call [{target}]({}{more}) -> {}", self.list(call.args), call.results)
    }
    fn text(&self, what: u32) -> String {
        self.program.strings.get(what as usize).map_or("?", String::as_str).into()
    }
}

/// The word for an operation, comparison or kind of number.
trait Word {
    fn word(&self) -> String;
}

fn lower(name: &impl Debug) -> String {
    format!("{name:?}").to_lowercase()
}

macro_rules! words {
    ($($type:ident)*) => {
        $(impl Word for $type {
            fn word(&self) -> String {
                lower(self)
            }
        })*
    };
}
words! { BinOp Pred Float FBinOp FUnOp UnOp ClampOp OverflowOp }

impl Word for FPred {
    fn word(&self) -> String {
        let marks = [(self.lt, ".lt"), (self.eq, ".eq"), (self.gt, ".gt"), (self.uno, ".uno")];
        marks.iter().map(|&(holds, mark)| if holds { mark } else { "" }).collect()
    }
}

macro_rules! define_text {
    ($($(#[$about:meta])* $section:ident { $(
        $(#[$doc:meta])*
        $name:ident($text:literal), $flow:ident {
            $($(#[$note:meta])* $field:ident: $type:ty = $role:ident($($arg:expr),*)),* $(,)?
        }
    )* })*) => {
        impl View<'_> {
            /// Ops that end a segment have `/ n`: the number of LLVM instructions in it.
            fn op(&self, op: &Op) -> String {
                match *op {
                    $($(Op::$name { $($field),* } => {
                        let ($($field,)*) = ($(self.$role($field, $($arg),*),)*);
                        format!($text)
                    })*)*
                }
            }
        }
    };
}

for_each_op!(define_text);
