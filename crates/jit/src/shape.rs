//! The shape of a function: what of it is compiled, where it is entered, which registers live there.

use cleave_program::code::{
    Args, Builtin, ClampOp, FBinOp, FUnOp, Float, Function, NO_REG, Op, Operand, Pc, UnOp,
};

use crate::facts::Facts;

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Set(Vec<u64>);

impl Set {
    pub(crate) fn new(n: usize) -> Set {
        Set(vec![0; n.div_ceil(64)])
    }

    pub(crate) fn insert(&mut self, i: u32) {
        self.0[i as usize / 64] |= 1 << (i % 64);
    }

    fn remove(&mut self, i: u32) {
        self.0[i as usize / 64] &= !(1 << (i % 64));
    }

    pub(crate) fn contains(&self, i: u32) -> bool {
        self.0[i as usize / 64] >> (i % 64) & 1 != 0
    }

    fn clear(&mut self) {
        self.0.fill(0);
    }

    fn add(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 != 0);
        self.0.iter().enumerate().flat_map(move |(i, &word)| bits(word).map(move |bit| 64 * i as u32 + bit))
    }
}

/// Most registers that a function returns to compiled code.
pub(crate) const MOST_RESULTS: usize = 16;

/// Reads and writes of a compiled op.
pub(crate) struct Effects {
    pub(crate) reads: Vec<Operand>,
    /// The first register that it writes, and their number.
    pub(crate) writes: Option<(u32, u32)>,
}

/// The operands of a call that are passed, of a return or of a builtin.
pub(crate) fn run_of(function: &Function, args: Args) -> &[Operand] {
    &function.args[args.start as usize..args.start as usize + args.len as usize]
}

/// Reads and writes of an op that is compiled; `None` for an op that is left to the engine's loop.
pub(crate) fn effects(functions: &[Function], function: &Function, op: &Op) -> Option<Effects> {
    let (reads, writes) = match *op {
        Op::Call { func, dst, args, .. } => {
            let callee = functions.get(func as usize).filter(|callee| !callee.code.is_empty())?;
            let results = u32::from(callee.results);
            if results as usize > MOST_RESULTS || callee.params != u32::from(args.len) {
                return None;
            }
            (run_of(function, args).to_vec(), (dst != NO_REG && results > 0).then_some((dst, results)))
        }
        Op::Ret { vals, .. } => {
            let whole = vals.len == function.results && vals.len as usize <= MOST_RESULTS;
            (whole.then(|| run_of(function, vals).to_vec())?, None)
        }
        Op::Builtin { what: Builtin::Memcpy | Builtin::Memmove | Builtin::Memset, dst, args, .. } => {
            let args = run_of(function, args);
            ((args.len() == 3).then(|| args.to_vec())?, (dst != NO_REG).then_some((dst, 1)))
        }
        _ => return plain_effects(op).or_else(|| float_effects(op)),
    };
    Some(Effects { reads, writes })
}

fn float_effects(op: &Op) -> Option<Effects> {
    let fits = |k: Float| k != Float::X80;
    let (reads, dst) = match *op {
        Op::FBin { op, k, dst, a, b } if fits(k) && op != FBinOp::Rem => (vec![a, b], dst),
        Op::FUn { op, k, dst, a } if fits(k) && op != FUnOp::Round => (vec![a], dst),
        Op::FMulAdd { fused: false, k, dst, a, b, c } if fits(k) => (vec![a, b, c], dst),
        Op::FCmp { k, dst, a, b, .. } if fits(k) => (vec![a, b], dst),
        Op::FToF { from, to, dst, a } if fits(from) && fits(to) => (vec![a], dst),
        Op::FToInt { from, w, dst, a, .. } if fits(from) && w <= 64 => (vec![a], dst),
        Op::IntToF { w, to, dst, a, .. } if fits(to) && w <= 64 => (vec![a], dst),
        _ => return None,
    };
    Some(Effects { reads, writes: Some((dst, 1)) })
}

fn plain_effects(op: &Op) -> Option<Effects> {
    let (reads, writes) = match *op {
        Op::Move { dst, a }
        | Op::Trunc { dst, a, .. }
        | Op::Zext { dst, a, .. }
        | Op::Sext { dst, a, .. } => (vec![a], Some((dst, 1))),
        Op::Freeze { w, dst, a } if w <= 64 => (vec![a], Some((dst, 1))),
        Op::Unary { op, w, dst, a, .. } if unary_is_compiled(op, w) => (vec![a], Some((dst, 1))),
        Op::Alloca { dst, size, .. } => (vec![size], Some((dst, 1))),
        Op::Add { dst, a, b, .. }
        | Op::Sub { dst, a, b, .. }
        | Op::Mul { dst, a, b, .. }
        | Op::And { dst, a, b, .. }
        | Op::Or { dst, a, b, .. }
        | Op::Xor { dst, a, b, .. }
        | Op::Shl { dst, a, b, .. }
        | Op::LShr { dst, a, b, .. }
        | Op::AShr { dst, a, b, .. }
        | Op::Cmp { dst, a, b, .. }
        | Op::PtrCmp { dst, a, b, .. }
        | Op::PtrSub { dst, a, b }
        | Op::Index { dst, base: a, index: b, .. }
        | Op::Div { dst, a, b, .. } => (vec![a, b], Some((dst, 1))),
        Op::Clamp { op, dst, a, b, .. } if clamp_is_compiled(op) => (vec![a, b], Some((dst, 1))),
        Op::Overflow { w, dst, a, b, .. } if w <= 32 || w == 64 => (vec![a, b], Some((dst, 2))),
        Op::Select { dst, cond, a, b, .. } => (vec![cond, a, b], Some((dst, 1))),
        Op::Funnel { dst, a, b, c, .. } => (vec![a, b, c], Some((dst, 1))),
        Op::Load { dst, addr, .. } => (vec![addr], Some((dst, 1))),
        Op::Store { val, addr, .. } => (vec![val, addr], None),
        Op::Scope { at, .. } => (vec![at], None),
        Op::Branch { cond, .. } => (vec![cond], None),
        Op::CmpBranch { a, b, .. } | Op::PtrBranch { a, b, .. } => (vec![a, b], None),
        Op::Switch { val, .. } | Op::IndirectBranch { val, .. } => (vec![val], None),
        Op::Jump { .. } | Op::Count { .. } | Op::Lands { .. } => (Vec::new(), None),
        _ => return None,
    };
    Some(Effects { reads, writes })
}

/// The registers that an op of the engine's loop writes if control goes on behind it; `None` if it may be others.
pub(crate) fn written(functions: &[Function], function: &Function, op: &Op) -> Option<(u32, u32)> {
    if let Some(effects) = effects(functions, function, op) {
        return Some(effects.writes.unwrap_or((0, 0)));
    }
    match *op {
        Op::Builtin { dst: NO_REG, .. } => Some((0, 0)),
        Op::Builtin { dst, .. }
        | Op::PtrToInt { dst, .. }
        | Op::Clamp { dst, .. }
        | Op::Unary { dst, .. } => Some((dst, 1)),
        Op::FBin { dst, .. }
        | Op::FUn { dst, .. }
        | Op::FMulAdd { dst, .. }
        | Op::FCmp { dst, .. }
        | Op::FToF { dst, .. }
        | Op::FToInt { dst, .. }
        | Op::FToIntSat { dst, .. }
        | Op::IntToF { dst, .. }
        | Op::Undefined { dst, .. }
        | Op::Freeze { dst, .. }
        | Op::WideMove { dst, .. }
        | Op::WideBin { dst, .. }
        | Op::WideCmp { dst, .. }
        | Op::WideSelect { dst, .. }
        | Op::WideExt { dst, .. }
        | Op::WideTrunc { dst, .. }
        | Op::WideUnary { dst, .. }
        | Op::WideClamp { dst, .. }
        | Op::WideFunnel { dst, .. }
        | Op::WideLoad { dst, .. } => Some((dst, 2)),
        Op::Overflow { dst, .. } => Some((dst, 3)),
        Op::WideStore { .. } => Some((0, 0)),
        _ => None,
    }
}

pub(crate) fn clamp_is_compiled(op: ClampOp) -> bool {
    matches!(op, ClampOp::UMin | ClampOp::UMax | ClampOp::SMin | ClampOp::SMax | ClampOp::USubSat)
}

fn unary_is_compiled(op: UnOp, w: u8) -> bool {
    op != UnOp::Abs || w < 64
}

/// True if control goes on at one of the op's targets.
pub(crate) fn jumps(op: &Op) -> bool {
    matches!(
        op,
        Op::Jump { .. }
            | Op::Branch { .. }
            | Op::CmpBranch { .. }
            | Op::PtrBranch { .. }
            | Op::Switch { .. }
            | Op::IndirectBranch { .. }
            | Op::Lands { .. }
    )
}

/// The targets of a compiled jump.
pub(crate) fn targets(function: &Function, op: &Op) -> Vec<Pc> {
    match op {
        &Op::Lands { to, .. } => vec![to],
        op => function.targets(op),
    }
}

/// A place at which compiled code is entered.
pub(crate) struct Entrance {
    pub(crate) at: Pc,
    /// The registers whose values compiled code reads from there on before it writes them.
    pub(crate) lives: Set,
}

/// The shape of a function.
pub(crate) struct Shape {
    /// Ops at which control may come from elsewhere.
    pub(crate) leaders: Set,
    pub(crate) entrances: Vec<Entrance>,
    /// Registers that compiled code reads or writes.
    pub(crate) touched: Set,
    /// Ops that were looked at.
    pub(crate) seen: Set,
    /// By op: its effects if it is compiled.
    pub(crate) effects: Vec<Option<Effects>>,
}

impl Shape {
    /// The shape of what control has come to so far, as far as marks tell: the rest is not compiled. `more` are places that are
    /// entrances, too.
    pub(crate) fn of(facts: &Facts<'_>, more: &[Pc]) -> Shape {
        let function = &facts.functions[facts.func as usize];
        let code = &function.code[..];
        let (registers, ops) = (function.registers as usize, code.len());
        let mut shape = Shape {
            leaders: Set::new(ops + 1),
            entrances: Vec::new(),
            touched: Set::new(registers),
            seen: Set::new(ops + 1),
            effects: (0..ops).map(|_| None).collect(),
        };
        let mut entered = Set::new(ops + 1);
        let mut todo = vec![0];
        todo.extend_from_slice(more);
        todo.iter().for_each(|&pc| entered.insert(pc));
        while let Some(pc) = todo.pop() {
            if pc as usize >= ops || shape.seen.contains(pc) {
                continue;
            }
            shape.seen.insert(pc);
            shape.comes_to(facts, pc, &mut todo, &mut entered);
        }
        shape.leaders.add(&entered);
        let lives = live(function, &shape.effects, &shape.leaders);
        let none = || Set::new(registers);
        let entrances =
            entered.iter().filter(|&at| shape.effects.get(at as usize).is_some_and(Option::is_some));
        shape.entrances = entrances
            .map(|at| Entrance { at, lives: lives[at as usize].clone().unwrap_or_else(none) })
            .collect();
        shape
    }

    /// Adds an op, and the places behind it to those that are looked at.
    fn comes_to(&mut self, facts: &Facts<'_>, pc: Pc, todo: &mut Vec<Pc>, entered: &mut Set) {
        let function = &facts.functions[facts.func as usize];
        let op = &function.code[pc as usize];
        let effects = effects(facts.functions, function, op);
        let is_left = effects.is_none() || matches!(op, Op::Call { .. });
        if let Some(Effects { reads, writes }) = &effects {
            reads.iter().filter_map(|o| o.as_reg()).for_each(|r| self.touched.insert(r));
            writes.iter().flat_map(|&(dst, n)| dst..dst + n).for_each(|r| self.touched.insert(r));
        }
        self.effects[pc as usize] = effects;
        if jumps(op) {
            for to in targets(function, op).into_iter().filter(|&to| facts.has_passed(op, pc, to)) {
                self.leaders.insert(to);
                if to <= pc {
                    entered.insert(to);
                }
                todo.push(to);
            }
            return;
        }
        // Control comes back behind it.
        if !op.is_terminator() && (!is_left || facts.has_come_behind(pc)) {
            if is_left {
                entered.insert(pc + 1);
            }
            todo.push(pc + 1);
        }
    }
}

/// The registers that live at each leader.
fn live(function: &Function, effects: &[Option<Effects>], leaders: &Set) -> Vec<Option<Set>> {
    let code = &function.code[..];
    let registers = function.registers as usize;
    let mut at: Vec<Option<Set>> = vec![None; code.len() + 1];
    leaders.iter().for_each(|pc| at[pc as usize] = Some(Set::new(registers)));
    loop {
        let mut changed = false;
        let mut lives = Set::new(registers);
        for (pc, op) in code.iter().enumerate().rev() {
            match &effects[pc] {
                None => lives.clear(),
                Some(Effects { reads, writes }) => {
                    if jumps(op) || op.is_terminator() {
                        lives.clear();
                        for to in if jumps(op) { targets(function, op) } else { Vec::new() } {
                            at[to as usize].iter().for_each(|there| lives.add(there));
                        }
                    }
                    writes.iter().flat_map(|&(dst, n)| dst..dst + n).for_each(|r| lives.remove(r));
                    reads.iter().filter_map(|o| o.as_reg()).for_each(|r| lives.insert(r));
                }
            }
            if let Some(there) = &mut at[pc]
                && *there != lives
            {
                there.clone_from(&lives);
                changed = true;
            }
        }
        if !changed {
            return at;
        }
    }
}
