//! Verifies that register code keeps to its own rules. Program images come from files and are not trusted: after this check
//! nothing in them leads the engine out of bounds or into a register that no value was put into.

use crate::layout::*;
use crate::register_code::code::*;
use crate::register_code::fields::{Field, Width};
use crate::register_code::walk::{Missing, effects};

/// A frame of more registers than this is refused: no compiler makes one.
const MOST_REGISTERS: u32 = 1 << 24;
/// The flow of values is followed where registers times blocks stay below this many; above, widths and
/// definitions go unchecked, as checking them would take more memory than the program.
const MOST_FLOW: usize = 1 << 28;

/// An error of a program.
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
        /// The error.
        problem: Problem,
    },
}

/// An error of an op.
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
    /// Checks every image, function, global and table.
    ///
    /// # Errors
    /// [`VerifyError`] with the first thing that is wrong.
    pub fn verify(&self) -> Result<(), VerifyError> {
        self.verify_whole()?;
        self.verify_part()
    }

    /// Functions have the addresses that they are called by.
    pub(crate) fn verify_whole(&self) -> Result<(), VerifyError> {
        if self.images().any(|image| image.place.function != image.functions.start) {
            return Err(VerifyError::Program("the addresses of an image's functions are not its own".into()));
        }
        if self.main.place != Place::default().on(self.target) {
            return Err(VerifyError::Program("it is a part of a program and no whole one".into()));
        }
        Ok(())
    }

    /// As [`Program::verify`], of a program that was loaded for [`Program::add_image`].
    ///
    /// # Errors
    /// [`VerifyError`] with the first thing that is wrong.
    pub fn verify_part(&self) -> Result<(), VerifyError> {
        let wrong = |what: &str| Err(VerifyError::Program(what.to_string()));
        self.verify_images()?;
        if self.positions.iter().any(|p| p.file as usize >= self.strings.len()) {
            return wrong("a source position names no file");
        }
        self.verify_globals()?;
        for (id, f) in self.functions.iter().enumerate() {
            if f.defined_at != u32::MAX && f.defined_at as usize >= self.positions.len() {
                return wrong("a function is defined at no source position");
            }
            let lines = || f.pieces.iter().flat_map(|piece| &piece.lines);
            if lines().any(|&line| line as usize >= self.positions.len())
                || f.pieces.iter().any(|piece| piece.at as usize >= f.code.len())
            {
                return wrong("a piece of a function has no code or no source position");
            }
            let wrong_loop = |known: &Loop| {
                known.line as usize >= self.positions.len() || known.head as usize >= f.code.len()
            };
            if f.loops.iter().any(wrong_loop) {
                return wrong("a loop of a function has no code or no source position");
            }
            if !f.code.is_empty() {
                let error = |(op, problem)| VerifyError::Op { function: f.name.clone(), op, problem };
                let own = &self.image_of(id as FuncId).functions;
                Checker { program: self, f, own }.check().map_err(error)?;
            }
        }
        Ok(())
    }

    /// Images follow one another, and each has an entry of its own.
    fn verify_images(&self) -> Result<(), VerifyError> {
        let wrong = |what: &str| Err(VerifyError::Program(what.to_string()));
        let (mut function, mut global, mut slot) = (0, 0, self.main.place.slot);
        for image in self.images() {
            let entry = self.functions.get(image.entry as usize);
            if !image.functions.contains(&image.entry) || entry.is_none_or(|f| f.code.is_empty()) {
                return wrong("its entry is no function with code");
            }
            let follows = image.functions.start == function && image.globals.start == global;
            if !follows
                || image.place.slot != slot
                || image.functions.end < function
                || image.globals.end < global
            {
                return wrong("its images do not follow one another");
            }
            (function, global, slot) = (image.functions.end, image.globals.end, image.heap_slot);
        }
        if function as usize != self.functions.len() || global as usize != self.globals.len() {
            return wrong("a function or global is no image's");
        }
        Ok(())
    }

    /// Globals have the addresses that [`crate::layout`] gives them.
    fn verify_globals(&self) -> Result<(), VerifyError> {
        self.images().try_for_each(|image| self.verify_globals_of(image))
    }

    fn verify_globals_of(&self, image: &Image) -> Result<(), VerifyError> {
        let wrong = |g: &Global, what: &str| VerifyError::Program(format!("the global `{}` {what}", g.name));
        let (mut slot, mut section) = (image.place.slot, None::<&Global>);
        for g in &self.globals[image.globals.start as usize..image.globals.end as usize] {
            if g.storage == Storage::Member {
                let inside = section.is_some_and(|section| {
                    let offset = g.address.checked_sub(section.address);
                    offset.and_then(|o| o.checked_add(g.size)).is_some_and(|end| end <= section.size)
                });
                if !inside || !g.init.is_empty() {
                    return Err(wrong(g, "is not in its section"));
                }
                continue;
            }
            if g.storage == Storage::Section {
                section = Some(g);
            }
            let start = g.address % self.target.slot_size();
            if g.address >> self.target.slot_bits() != slot || start < GUARD || !start.is_power_of_two() {
                return Err(wrong(g, "is not where it belongs"));
            }
            if g.init.len() as u64 > g.size {
                return Err(wrong(g, "is smaller than its initial value"));
            }
            slot = slot.saturating_add(self.target.slots_of(g.address, g.size));
            if slot >= self.target.stack_base() >> self.target.slot_bits() {
                return Err(wrong(g, "does not fit below the stack"));
            }
        }
        if image.heap_slot != slot {
            return Err(VerifyError::Program("the heap is not behind the globals".into()));
        }
        Ok(())
    }
}

/// A problem and the op that has it.
type Verified<T> = Result<T, (usize, Problem)>;

struct Checker<'p> {
    program: &'p Program,
    f: &'p Function,
    /// The functions of its image: it calls no others.
    own: &'p std::ops::Range<FuncId>,
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
    fn check(&self) -> Verified<()> {
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

    /// Checks an op by itself. Returns the number of registers that it writes.
    fn check_op(&self, op: &Op, position: u32) -> Result<usize, Problem> {
        let f = self.f;
        if position != u32::MAX && position as usize >= self.program.positions.len() {
            return Err(Problem::Position);
        }
        op.fields(|field| self.check_field(field))?;
        let Some(writes) = effects(self.program, f, op)?.writes else { return Ok(0) };
        let n = writes.registers();
        if writes.dst.checked_add(n).is_none_or(|end| end > f.registers) {
            return Err(Problem::Register(writes.dst));
        }
        Ok(n as usize)
    }

    fn check_field(&self, field: Field) -> Result<(), Problem> {
        let f = self.f;
        match field {
            Field::Width { bits, least, most } => match (least..=most).contains(&bits) {
                true => Ok(()),
                false => Err(Problem::Width(bits)),
            },
            Field::OneThat { holds: false, bits } => Err(Problem::Width(bits)),
            Field::Read { operand, width, .. } => self.check_operand(operand, width),
            Field::Target(pc) => self.check_target(pc),
            Field::Cases { table, bits } => {
                let table = f.switches.get(table as usize).ok_or(Missing("switch table"))?;
                if table.cases.iter().any(|&(v, _)| v & !mask(bits) != 0) {
                    return Err(Problem::Width(bits));
                }
                self.check_target(table.default)?;
                table.cases.iter().try_for_each(|&(_, pc)| self.check_target(pc))
            }
            Field::Labels(table) => {
                let table = f.switches.get(table as usize).ok_or(Missing("table of labels"))?;
                table.cases.iter().try_for_each(|&(_, pc)| self.check_target(pc))
            }
            Field::Callee { func, args } => {
                let callee = self.program.functions.get(func as usize).filter(|_| self.own.contains(&func));
                let callee = callee.ok_or(Missing("function"))?;
                let (given, wanted) = (f.run_of(args)?.len(), callee.params as usize);
                match callee.code.is_empty() || given != wanted {
                    true => Err(Problem::Arguments { given, wanted }),
                    false => Ok(()),
                }
            }
            Field::Builtin { what, args } => {
                let (given, wanted) = (f.run_of(args)?.len(), what.arguments());
                if given < wanted { Err(Problem::Arguments { given, wanted }) } else { Ok(()) }
            }
            Field::List(args) => f.run_of(args)?.iter().try_for_each(|&o| self.check_operand(o, Width::Any)),
            Field::Variable(list) => self.check_variable(list),
            Field::Indirect(call) => {
                let call = f.indirect_call(call)?;
                self.check_operand(call.target, Width::Bits(64))?;
                self.check_field(Field::List(call.args))?;
                call.varargs.map_or(Ok(()), |list| self.check_variable(list))
            }
            Field::Text(what) => match self.program.strings.get(what as usize) {
                Some(_) => Ok(()),
                None => Err(Problem::Missing("text")),
            },
            // Written registers are counted for the whole op.
            Field::Write { .. } | Field::Copy { .. } | Field::Result { .. } | Field::Results { .. } => Ok(()),
            Field::Landing { .. } => Ok(()),
            Field::OneThat { holds: true, .. } | Field::Plain => Ok(()),
        }
    }

    fn check_target(&self, pc: Pc) -> Result<(), Problem> {
        if (pc as usize) < self.f.code.len() { Ok(()) } else { Err(Problem::Target(pc)) }
    }

    fn check_variable(&self, list: u32) -> Result<(), Problem> {
        for v in self.f.variable(list)? {
            if !(1..=128).contains(&v.bits) || !v.align.is_power_of_two() {
                return Err(Problem::Width(v.bits));
            }
            let bits = if v.byval.is_some() { 64 } else { v.bits };
            self.check_operand(v.value, Width::Bits(bits))?;
        }
        Ok(())
    }

    fn check_operand(&self, o: Operand, w: Width) -> Result<(), Problem> {
        let f = self.f;
        let n = w.registers();
        if let Some(r) = o.as_reg() {
            let there = r.checked_add(n).is_some_and(|end| end <= f.registers);
            return if there { Ok(()) } else { Err(Problem::Register(r)) };
        }
        let i = o.as_constant().unwrap_or(u32::MAX);
        let last = f.constants.get(i as usize + n as usize - 1).ok_or(Problem::Constant(i))?;
        let top = match w {
            Width::Any | Width::AnyWide | Width::Least(_) => 64,
            Width::Bits(w) if w > 64 => w - 64,
            Width::Bits(w) => w,
        };
        if last & !mask(top) != 0 { Err(Problem::Unfit(i, w.bits())) } else { Ok(()) }
    }

    /// Every op is on some path from the entry, and no path runs off the end. Gives the first ops of blocks.
    fn check_reached(&self) -> Verified<Vec<u32>> {
        let code = &self.f.code;
        let mut reached = vec![false; code.len()];
        let mut leader = vec![false; code.len()];
        leader[0] = true;
        let mut open = vec![0usize];
        while let Some(mut pc) = open.pop() {
            while !reached[pc] {
                reached[pc] = true;
                for t in self.f.targets(&code[pc]) {
                    leader[t as usize] = true;
                    open.push(t as usize);
                }
                if code[pc].is_terminator() {
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
    fn check_flow(&self, leaders: &[u32]) -> Verified<()> {
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
        while let Some(block) = open.pop_first() {
            let Some(mut now) = at_start[block as usize].clone() else { continue };
            let mut pc = leaders[block as usize] as usize;
            loop {
                let op = &f.code[pc];
                self.step(op, &mut now).map_err(|problem| (pc, problem))?;
                let mut to = f.targets(op);
                let ends = op.is_terminator();
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

    /// Applies one op to the contents of the registers.
    fn step(&self, op: &Op, now: &mut [Content]) -> Result<(), Problem> {
        let all = effects(self.program, self.f, op)?;
        for &(o, w) in &all.reads {
            let Some(r) = o.as_reg() else { continue };
            let (content, high) = (now[r as usize], now.get(r as usize + 1).copied().unwrap_or(NOTHING));
            if content == NOTHING {
                return Err(Problem::Undefined(r));
            }
            if !fits(content, high, w) {
                return Err(Problem::Mismatch(r, w.bits()));
            }
        }
        let Some(writes) = all.writes else { return Ok(()) };
        let source = writes.copied.and_then(Operand::as_reg).map_or(UNKNOWN, |r| now[r as usize]);
        let mut r = writes.dst as usize;
        for w in writes.widths {
            now[r] = match w {
                Width::Any | Width::AnyWide | Width::Least(_) => source,
                Width::Bits(w) => w,
            };
            if w.registers() == 2 {
                now[r + 1] = HIGH;
            }
            r += w.registers() as usize;
        }
        Ok(())
    }
}

/// Returns true if a register with this content, and `high` behind it, is read with a width that it was written with.
fn fits(content: Content, high: Content, w: Width) -> bool {
    let has_high = high == HIGH || high == UNKNOWN;
    match w {
        Width::Any => true,
        Width::AnyWide => (content == UNKNOWN || (65..=128).contains(&content)) && has_high,
        Width::Bits(w) => (content == UNKNOWN || content == w) && (w <= 64 || has_high),
        Width::Least(w) => content == UNKNOWN || (w..=64).contains(&content),
    }
}

/// Joins the contents at the end of one path into those at the start of a block. Returns true if that changed them.
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
