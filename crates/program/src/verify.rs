//! Whether register code keeps to its own rules. Bytes that say they are a program are not to be believed: after
//! this check nothing in them leads the engine out of bounds or into a register that no value was put into.

use crate::code::*;
use crate::layout::*;
use crate::walk::{ANY, Missing, Width, effects, is_terminator, registers_of, run_of, targets};

/// A frame of more registers than this is refused: no compiler makes one.
const MOST_REGISTERS: u32 = 1 << 24;
/// The flow of values is followed where registers times blocks stay below this many; above, widths and
/// definitions go unchecked, as checking them would take more memory than the program.
const MOST_FLOW: usize = 1 << 28;

/// What is wrong with a program.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum VerifyError {
    /// Something that belongs to no one op.
    #[error("the program is not whole ({0}); start the run anew")]
    Program(String),
    /// An op of a function, by its index in the function's code.
    #[error("the register code of `{function}` is wrong at op {op} ({problem}); start the run anew")]
    Op {
        /// The function's name.
        function: String,
        /// The index of the op.
        op: usize,
        /// What is wrong with it.
        problem: Problem,
    },
}

/// What is wrong with an op.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Problem {
    /// A register that the frame does not have.
    #[error("r{0} is no register of the frame")]
    Register(Reg),
    /// A constant that the pool does not have.
    #[error("k{0} is not in the constant pool")]
    Constant(u32),
    /// A constant with bits above its width.
    #[error("k{0} does not fit {1} bits")]
    Unfit(u32, u8),
    /// A width that the op cannot have.
    #[error("{0} bits is no width for this op")]
    Width(u8),
    /// A register read before it is written, on some path.
    #[error("r{0} is read before it is written")]
    Undefined(Reg),
    /// A register read with another width than it was written with.
    #[error("r{0} is read with {1} bits, but was not written so")]
    Mismatch(Reg, u8),
    /// An entry of a table that is not there.
    #[error("its {0} is not there")]
    Missing(&'static str),
    /// A jump to no op.
    #[error("a jump to op {0}, which is not there")]
    Target(Pc),
    /// Control runs off the end of the code.
    #[error("the code ends without a terminator")]
    NoEnd,
    /// No path leads here.
    #[error("no path leads here")]
    Unreachable,
    /// A call with too few or too many arguments, or of a function without code.
    #[error("a call with {given} arguments of a function with {wanted}")]
    Arguments {
        /// Registers given.
        given: usize,
        /// Registers wanted.
        wanted: usize,
    },
    /// A source position that is not there.
    #[error("its source position is not there")]
    Position,
}

impl From<Missing> for Problem {
    fn from(Missing(what): Missing) -> Problem {
        Problem::Missing(what)
    }
}

impl Program {
    /// Checks every function, global and table.
    ///
    /// # Errors
    /// [`VerifyError`] with the first thing that is wrong.
    pub fn verify(&self) -> Result<(), VerifyError> {
        let wrong = |what: &str| Err(VerifyError::Program(what.to_string()));
        match self.functions.get(self.entry as usize) {
            Some(f) if !f.code.is_empty() => {}
            _ => return wrong("its entry is no function with code"),
        }
        if self.positions.iter().any(|p| p.file as usize >= self.strings.len()) {
            return wrong("a source position names no file");
        }
        self.verify_globals()?;
        for f in &self.functions {
            if f.defined_at != u32::MAX && f.defined_at as usize >= self.positions.len() {
                return wrong("a function is defined at no source position");
            }
            if !f.code.is_empty() {
                let error = |(op, problem)| VerifyError::Op { function: f.name.clone(), op, problem };
                Checker { program: self, f }.check().map_err(error)?;
            }
        }
        Ok(())
    }

    /// Globals have the addresses that [`crate::layout`] gives them.
    fn verify_globals(&self) -> Result<(), VerifyError> {
        let wrong = |g: &Global, what: &str| VerifyError::Program(format!("the global `{}` {what}", g.name));
        let mut slot = FIRST_GLOBAL_SLOT;
        for g in &self.globals {
            let start = g.address % SLOT_SIZE;
            if g.address >> SLOT_BITS != slot || start < GUARD || !start.is_power_of_two() {
                return Err(wrong(g, "is not where it belongs"));
            }
            if g.init.len() as u64 > g.size {
                return Err(wrong(g, "is smaller than its initial value"));
            }
            slot = slot.saturating_add(slots_of(g.address, g.size));
            if slot >= STACK_BASE >> SLOT_BITS {
                return Err(wrong(g, "does not fit below the stack"));
            }
        }
        if self.heap_slot != slot {
            return Err(VerifyError::Program("the heap is not behind the globals".into()));
        }
        Ok(())
    }
}

/// A problem and the op that has it.
type Found<T> = Result<T, (usize, Problem)>;

struct Checker<'p> {
    program: &'p Program,
    f: &'p Function,
}

/// The content of a register on all paths to a place: nothing, a value of a width (of a wide one its low half),
/// the high half of a wide value, or a value whose width the code does not say.
type Content = u8;
const NOTHING: Content = 0;
const HIGH: Content = 200;
const UNKNOWN: Content = 201;

fn joined(a: Content, b: Content) -> Content {
    match (a, b) {
        _ if a == b => a,
        (NOTHING, _) | (_, NOTHING) => NOTHING,
        (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
        _ => NOTHING,
    }
}

impl Checker<'_> {
    fn check(&self) -> Found<()> {
        let f = self.f;
        if f.registers > MOST_REGISTERS || f.params > f.registers {
            return Err((0, Problem::Register(f.params.max(f.registers))));
        }
        if f.positions.len() != f.code.len() {
            return Err((0, Problem::Position));
        }
        let mut written = f.params as usize;
        for (pc, op) in f.code.iter().enumerate() {
            written += self.check_op(op, f.positions[pc]).map_err(|problem| (pc, problem))?;
        }
        if f.registers as usize > written {
            return Err((0, Problem::Register(f.registers - 1))); // which nothing ever writes
        }
        let leaders = self.check_reached()?;
        if leaders.len().saturating_mul(f.registers as usize) <= MOST_FLOW {
            self.check_flow(&leaders)?;
        }
        Ok(())
    }

    /// What an op says by itself. Gives the number of registers that it writes.
    fn check_op(&self, op: &Op, position: u32) -> Result<usize, Problem> {
        let f = self.f;
        if position != u32::MAX && position as usize >= self.program.positions.len() {
            return Err(Problem::Position);
        }
        check_widths(op)?;
        self.check_call(op)?;
        let mut to = Vec::new();
        targets(f, op, &mut to)?;
        if let Some(&pc) = to.iter().find(|&&pc| pc as usize >= f.code.len()) {
            return Err(Problem::Target(pc));
        }
        if let Op::Switch { w, table, .. } = *op
            && let Some(table) = f.switches.get(table as usize)
            && table.cases.iter().any(|&(v, _)| v & !mask(w) != 0)
        {
            return Err(Problem::Width(w));
        }
        if let Op::Unsupported { what, .. } = *op
            && what as usize >= self.program.strings.len()
        {
            return Err(Problem::Missing("text"));
        }
        let all = effects(self.program, f, op)?;
        let any_wide = matches!(op, Op::WideMove { .. });
        for &(o, w) in &all.reads {
            self.check_operand(o, w, any_wide)?;
        }
        let Some((first, widths)) = all.writes else { return Ok(0) };
        let n: u32 = widths.iter().map(|&w| registers_of(w)).sum();
        if first.checked_add(n).is_none_or(|end| end > f.registers) {
            return Err(Problem::Register(first));
        }
        Ok(n as usize)
    }

    fn check_operand(&self, o: Operand, w: Width, any_wide: bool) -> Result<(), Problem> {
        let f = self.f;
        let n = registers_of(w);
        if let Some(r) = o.as_reg() {
            let there = r.checked_add(n).is_some_and(|end| end <= f.registers);
            return if there { Ok(()) } else { Err(Problem::Register(r)) };
        }
        let i = o.as_constant().unwrap_or(u32::MAX);
        let last = f.constants.get(i as usize + n as usize - 1).ok_or(Problem::Constant(i))?;
        let top = match w {
            ANY => 64,
            _ if any_wide => 64,
            _ if w > 64 => w - 64,
            _ => w,
        };
        if last & !mask(top) != 0 { Err(Problem::Unfit(i, w)) } else { Ok(()) }
    }

    fn check_call(&self, op: &Op) -> Result<(), Problem> {
        let f = self.f;
        match *op {
            Op::Call { func, args, .. } | Op::CallVar { func, args, .. } => {
                let callee = self.program.functions.get(func as usize).ok_or(Problem::Missing("function"))?;
                let (given, wanted) = (run_of(f, args)?.len(), callee.params as usize);
                if callee.code.is_empty() || given != wanted {
                    return Err(Problem::Arguments { given, wanted });
                }
            }
            Op::Builtin { what, args, .. } => {
                let (given, wanted) = (run_of(f, args)?.len(), arity(what));
                if given < wanted {
                    return Err(Problem::Arguments { given, wanted });
                }
            }
            _ => {}
        }
        let lists = match *op {
            Op::CallVar { varargs, .. } => Some(varargs),
            Op::CallIndirect { call, .. } => f.indirect.get(call as usize).and_then(|c| c.varargs),
            _ => None,
        };
        let list = lists.and_then(|i| f.varargs.get(i as usize)).map_or(&[][..], |l| &l[..]);
        match list.iter().find(|v| !(1..=128).contains(&v.bits) || !v.align.is_power_of_two()) {
            Some(v) => Err(Problem::Width(v.bits)),
            None => Ok(()),
        }
    }

    /// Every op is on some path from the entry, and no path runs off the end. Gives the first ops of blocks.
    fn check_reached(&self) -> Found<Vec<u32>> {
        let code = &self.f.code;
        let mut reached = vec![false; code.len()];
        let mut leader = vec![false; code.len()];
        leader[0] = true;
        let mut open = vec![0usize];
        let mut to = Vec::new();
        while let Some(mut pc) = open.pop() {
            while !reached[pc] {
                reached[pc] = true;
                to.clear();
                targets(self.f, &code[pc], &mut to).map_err(|m| (pc, m.into()))?;
                for &t in &to {
                    leader[t as usize] = true;
                    open.push(t as usize);
                }
                if is_terminator(&code[pc]) {
                    break;
                }
                pc += 1;
                if pc == code.len() {
                    return Err((pc - 1, Problem::NoEnd));
                }
            }
        }
        match reached.iter().position(|&r| !r) {
            Some(pc) => Err((pc, Problem::Unreachable)),
            None => Ok((0..code.len() as u32).filter(|&pc| leader[pc as usize]).collect()),
        }
    }

    /// Each register is written before it is read, on every path, with the width that it is read with.
    fn check_flow(&self, leaders: &[u32]) -> Found<()> {
        let f = self.f;
        let mut block_of = vec![u32::MAX; f.code.len()];
        for (i, &pc) in leaders.iter().enumerate() {
            block_of[pc as usize] = i as u32;
        }
        let mut at_start: Vec<Option<Vec<Content>>> = vec![None; leaders.len()];
        let mut first = vec![NOTHING; f.registers as usize];
        first[..f.params as usize].fill(UNKNOWN);
        at_start[0] = Some(first);
        // In the order of the code, which is close to that of the flow.
        let mut open = std::collections::BTreeSet::from([0u32]);
        let mut to = Vec::new();
        while let Some(block) = open.pop_first() {
            let Some(mut now) = at_start[block as usize].clone() else { continue };
            let mut pc = leaders[block as usize] as usize;
            loop {
                let op = &f.code[pc];
                self.step(op, &mut now).map_err(|problem| (pc, problem))?;
                to.clear();
                targets(f, op, &mut to).map_err(|m| (pc, m.into()))?;
                let ends = is_terminator(op);
                if !ends && block_of[pc + 1] != u32::MAX {
                    to.push(pc as u32 + 1);
                }
                for &t in &to {
                    let next = block_of[t as usize];
                    if merge(&mut at_start[next as usize], &now) {
                        open.insert(next);
                    }
                }
                if ends || !to.is_empty() {
                    break;
                }
                pc += 1;
            }
        }
        Ok(())
    }

    /// What one op does to the contents of the registers.
    fn step(&self, op: &Op, now: &mut [Content]) -> Result<(), Problem> {
        let all = effects(self.program, self.f, op)?;
        let any_wide = matches!(op, Op::WideMove { .. });
        for &(o, w) in &all.reads {
            let Some(r) = o.as_reg() else { continue };
            let content = now[r as usize];
            let fits = match w {
                _ if content == NOTHING => return Err(Problem::Undefined(r)),
                ANY => true,
                _ if w > 64 => {
                    let high = now[r as usize + 1];
                    let low_fits =
                        content == UNKNOWN || content == w || any_wide && (65..=128).contains(&content);
                    low_fits && (high == HIGH || high == UNKNOWN)
                }
                _ => content == w || content == UNKNOWN,
            };
            let truncates =
                matches!(*op, Op::Trunc { w, .. } if content < w || (65..=HIGH).contains(&content));
            if !fits || truncates {
                return Err(Problem::Mismatch(r, w));
            }
        }
        let Some((dst, widths)) = all.writes else { return Ok(()) };
        let source = match *op {
            Op::Move { a, .. } | Op::WideMove { a, .. } => a.as_reg().map_or(UNKNOWN, |r| now[r as usize]),
            _ => UNKNOWN,
        };
        let mut r = dst as usize;
        for w in widths {
            now[r] = if w == ANY || any_wide { source } else { w };
            r += 1;
            if w > 64 {
                now[r] = HIGH;
                r += 1;
            }
        }
        Ok(())
    }
}

/// Joins the contents at the end of one path into those at the start of a block; whether that changed them.
fn merge(into: &mut Option<Vec<Content>>, from: &[Content]) -> bool {
    let Some(old) = into else {
        *into = Some(from.to_vec());
        return true;
    };
    let mut changed = false;
    for (a, &b) in old.iter_mut().zip(from) {
        let c = joined(*a, b);
        changed |= c != *a;
        *a = c;
    }
    changed
}

fn mask(w: u8) -> u64 {
    match w {
        0 => 0,
        1..=63 => (1 << w) - 1,
        _ => u64::MAX,
    }
}

/// Widths that an op can have at all.
fn check_widths(op: &Op) -> Result<(), Problem> {
    let within = |w: u8, low: u8, high: u8| {
        if (low..=high).contains(&w) { Ok(()) } else { Err(Problem::Width(w)) }
    };
    match *op {
        Op::Add { w, .. }
        | Op::Sub { w, .. }
        | Op::Mul { w, .. }
        | Op::And { w, .. }
        | Op::Or { w, .. }
        | Op::Xor { w, .. }
        | Op::Shl { w, .. }
        | Op::LShr { w, .. }
        | Op::AShr { w, .. }
        | Op::Cmp { w, .. }
        | Op::CmpBranch { w, .. }
        | Op::Select { w, .. }
        | Op::Trunc { w, .. }
        | Op::Clamp { w, .. }
        | Op::Funnel { w, .. }
        | Op::Load { w, .. }
        | Op::Store { w, .. }
        | Op::Switch { w, .. } => within(w, 1, 64),
        Op::Unary { op, w, .. } => within(w, 1, 64).and(whole_bytes(op, w)),
        Op::Div { op, w, .. } => within(w, 1, 64).and(division(op, w)),
        Op::Zext { from, w, .. } | Op::Sext { from, w, .. } => within(w, 1, 64).and(within(from, 1, w)),
        Op::WideBin { w, .. }
        | Op::WideCmp { w, .. }
        | Op::WideSelect { w, .. }
        | Op::WideClamp { w, .. }
        | Op::WideFunnel { w, .. }
        | Op::WideLoad { w, .. }
        | Op::WideStore { w, .. } => within(w, 65, 128),
        Op::WideUnary { op, w, .. } => within(w, 65, 128).and(whole_bytes(op, w)),
        Op::WideExt { from, w, .. } => within(w, 65, 128).and(within(from, 1, w)),
        Op::WideTrunc { from, w, .. } => within(from, 65, 128).and(within(w, 1, from)),
        Op::Undefined { w, .. } | Op::Freeze { w, .. } => within(w, 1, 128),
        Op::Overflow { w, .. } | Op::FToInt { w, .. } | Op::IntToF { w, .. } => within(w, 1, 128),
        _ => Ok(()),
    }
}

fn whole_bytes(op: UnOp, w: u8) -> Result<(), Problem> {
    if op == UnOp::Bswap && !w.is_multiple_of(8) { Err(Problem::Width(w)) } else { Ok(()) }
}

fn division(op: BinOp, w: u8) -> Result<(), Problem> {
    let divides = matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem);
    if divides { Ok(()) } else { Err(Problem::Width(w)) }
}

/// How many arguments the engine needs to do a builtin.
pub(crate) const fn arity(what: Builtin) -> usize {
    use Builtin::*;
    match what {
        Undefined | Allocate | Stuck | Misused | Closed | Syscall | SetThreadPointer | Malloc | Free
        | MallocUsableSize | Setjmp | VaStart | StackRestore | AssertFail | SilentExit | Assume
        | IsSymbolic | GetValue32 | GetValue64 | GetValueF32 | GetValueF64 | GetObjSize | SetRounding => 1,
        Calloc | Realloc | Memalign | EnvGet | EnvCopy | EnvCopyVar | Longjmp | VaCopy | PreferCex
        | CheckMemoryAccess | PrintExpr | DefineFixed => 2,
        Memcpy | Memmove | Memset | PosixMemalign | MakeSymbolic | Cpuid | Copies => 3,
        Member => 4,
        _ => 0,
    }
}
