//! The shape of a function: what of it is compiled, where it is entered, which registers live there.

use cleave_program::code::{ClampOp, Function, NO_REG, Op, Operand, Pc, UnOp};

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

    fn add(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 != 0);
        self.0.iter().enumerate().flat_map(move |(i, &word)| bits(word).map(move |bit| 64 * i as u32 + bit))
    }
}

/// Operands that an op reads; the first register that it writes, and their number.
pub(crate) type Effects = ([Option<Operand>; 3], Option<(u32, u32)>);

/// The operands that a compiled op reads and the number of registers that it writes from the first one on; `None` for an op that is
/// left to the engine's loop.
pub(crate) fn effects(op: &Op) -> Option<Effects> {
    let one = |a: Operand| [Some(a), None, None];
    let two = |a: Operand, b: Operand| [Some(a), Some(b), None];
    Some(match *op {
        Op::Move { dst, a }
        | Op::Trunc { dst, a, .. }
        | Op::Zext { dst, a, .. }
        | Op::Sext { dst, a, .. } => (one(a), Some((dst, 1))),
        Op::Freeze { w, dst, a } if w <= 64 => (one(a), Some((dst, 1))),
        Op::Unary { op, w, dst, a, .. } if unary_is_compiled(op, w) => (one(a), Some((dst, 1))),
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
        | Op::Div { dst, a, b, .. } => (two(a, b), Some((dst, 1))),
        Op::Clamp { op, dst, a, b, .. } if clamp_is_compiled(op) => (two(a, b), Some((dst, 1))),
        Op::Overflow { w, dst, a, b, .. } if w <= 32 || w == 64 => (two(a, b), Some((dst, 2))),
        Op::Select { dst, cond, a, b, .. } => ([Some(cond), Some(a), Some(b)], Some((dst, 1))),
        Op::Funnel { dst, a, b, c, .. } => ([Some(a), Some(b), Some(c)], Some((dst, 1))),
        Op::Load { dst, addr, .. } => (one(addr), Some((dst, 1))),
        Op::Store { val, addr, .. } => (two(val, addr), None),
        Op::Scope { at, .. } => (one(at), None),
        Op::Branch { cond, .. } => (one(cond), None),
        Op::CmpBranch { a, b, .. } | Op::PtrBranch { a, b, .. } => (two(a, b), None),
        Op::Switch { val, .. } => (one(val), None),
        Op::Jump { .. } | Op::Count { .. } | Op::Lands { .. } => ([None; 3], None),
        _ => return None,
    })
}

pub(crate) fn clamp_is_compiled(op: ClampOp) -> bool {
    matches!(op, ClampOp::UMin | ClampOp::UMax | ClampOp::SMin | ClampOp::SMax | ClampOp::USubSat)
}

fn unary_is_compiled(op: UnOp, w: u8) -> bool {
    op != UnOp::Abs || w < 64
}

fn is_call(op: &Op) -> bool {
    matches!(op, Op::Call { .. } | Op::CallVar { .. } | Op::CallIndirect { .. })
}

/// LLVM instructions that an op counts when it is executed.
fn counted(op: &Op) -> u64 {
    match *op {
        Op::Count { n } => n.into(),
        Op::Jump { n, .. }
        | Op::Branch { n, .. }
        | Op::CmpBranch { n, .. }
        | Op::PtrBranch { n, .. }
        | Op::Switch { n, .. } => n.into(),
        _ => 0,
    }
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
    /// Most instructions that are counted between two looks at the limit.
    pub(crate) margin: u64,
}

impl Shape {
    pub(crate) fn of(function: &Function) -> Shape {
        let code = &function.code[..];
        let (registers, ops) = (function.registers as usize, code.len());
        let mut leaders = Set::new(ops + 1);
        let mut entered = Set::new(ops + 1);
        entered.insert(0);
        let mut touched = Set::new(registers);
        for (pc, op) in code.iter().enumerate() {
            for to in if jumps(op) { targets(function, op) } else { Vec::new() } {
                leaders.insert(to);
                if to <= pc as Pc {
                    entered.insert(to);
                }
            }
            match effects(op) {
                Some((reads, writes)) => {
                    reads.iter().flatten().filter_map(|o| o.as_reg()).for_each(|r| touched.insert(r));
                    let writes = writes.filter(|&(dst, _)| dst != NO_REG);
                    writes.iter().flat_map(|&(dst, n)| dst..dst + n).for_each(|r| touched.insert(r));
                }
                // Control comes back behind it.
                None if is_call(op) && pc + 1 < ops => entered.insert(pc as Pc + 1),
                None => {}
            }
        }
        leaders.add(&entered);
        let lives = live(function, &leaders);
        let entrances = entered
            .iter()
            .map(|at| Entrance { at, lives: lives[at as usize].clone().unwrap_or(Set::new(registers)) });
        let entrances = entrances.filter(|e| effects(&code[e.at as usize]).is_some()).collect();
        Shape { leaders, entrances, touched, margin: longest(function) }
    }
}

/// The registers that live at each leader.
fn live(function: &Function, leaders: &Set) -> Vec<Option<Set>> {
    let code = &function.code[..];
    let registers = function.registers as usize;
    let mut at: Vec<Option<Set>> = vec![None; code.len() + 1];
    leaders.iter().for_each(|pc| at[pc as usize] = Some(Set::new(registers)));
    loop {
        let mut changed = false;
        let mut lives = Set::new(registers);
        for (pc, op) in code.iter().enumerate().rev() {
            match effects(op) {
                None => lives = Set::new(registers),
                Some((reads, writes)) => {
                    if jumps(op) {
                        lives = Set::new(registers);
                        for to in targets(function, op) {
                            at[to as usize].iter().for_each(|there| lives.add(there));
                        }
                    }
                    writes.iter().flat_map(|&(dst, n)| dst..dst + n).for_each(|r| lives.remove(r));
                    reads.iter().flatten().filter_map(|o| o.as_reg()).for_each(|r| lives.insert(r));
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

/// Most instructions on a way that jumps forwards only.
fn longest(function: &Function) -> u64 {
    let code = &function.code[..];
    let mut from = vec![0u64; code.len() + 1];
    for (pc, op) in code.iter().enumerate().rev() {
        let next = if jumps(op) {
            let forwards = targets(function, op).into_iter().filter(|&to| to as usize > pc);
            forwards.map(|to| from[to as usize]).max().unwrap_or(0)
        } else if effects(op).is_some() {
            from[pc + 1]
        } else {
            0
        };
        from[pc] = next + counted(op);
    }
    from.into_iter().max().unwrap_or(0)
}
