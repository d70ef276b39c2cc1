//! The shape of a function, for an engine that runs arms of one path side by side: the order in which its ops are reached, the registers
//! that are live at an op, and the width of each register. The engine asks for it once a function, and never changes it.
//!
//! The order is a weak topological one: an op stands behind all ops that lead to it, but for jumps back to the head of a loop. The head of
//! a loop stands behind the rest of the loop and in front of what follows the loop, so that arms that wait for the one furthest behind meet
//! at the head after each round, and behind the loop when all of them have left it.

use std::rc::Rc;

use crate::code::*;
use crate::fields::Width;
use crate::walk::effects;

/// The width of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegisterWidth {
    /// The code does not say it.
    Unknown,
    /// This number of bits, at most 64.
    Bits(u8),
    /// The first of two registers with a value of this number of bits, more than 64.
    Wide(u8),
    /// The second of them.
    High,
}

/// A set of registers.
type Registers = Vec<u64>;

/// The shape of a function.
#[derive(Clone, Debug)]
pub struct Shape {
    order: Vec<u32>,
    widths: Vec<RegisterWidth>,
    /// For each op the registers that are read behind its start before they are written.
    live: Vec<Rc<Registers>>,
}

fn insert(set: &mut Registers, r: Reg) {
    if let Some(word) = set.get_mut(r as usize / 64) {
        *word |= 1 << (r % 64);
    }
}

fn remove(set: &mut Registers, r: Reg) {
    if let Some(word) = set.get_mut(r as usize / 64) {
        *word &= !(1 << (r % 64));
    }
}

/// Runs of ops without a jump into or out of their middle.
struct Blocks {
    /// The first op of each, rising.
    starts: Vec<usize>,
    /// The op behind each.
    ends: Vec<usize>,
    next: Vec<Vec<usize>>,
}

impl Blocks {
    fn of(f: &Function) -> Blocks {
        let mut leads = vec![false; f.code.len() + 1];
        leads[0] = true;
        for (pc, op) in f.code.iter().enumerate() {
            for to in f.targets(op) {
                if let Some(lead) = leads.get_mut(to as usize) {
                    *lead = true;
                }
            }
            leads[pc + 1] |= op.is_terminator();
        }
        let starts: Vec<usize> = (0..f.code.len()).filter(|&pc| leads[pc]).collect();
        let ends: Vec<usize> = starts.iter().skip(1).copied().chain([f.code.len()]).collect();
        let block = |pc: usize| starts.partition_point(|&start| start <= pc) - 1;
        let next = ends
            .iter()
            .map(|&end| {
                let Some(last) = end.checked_sub(1).and_then(|pc| f.code.get(pc)) else { return Vec::new() };
                let mut all: Vec<usize> = f.targets(last).into_iter().map(|pc| block(pc as usize)).collect();
                if !last.is_terminator() && end < f.code.len() {
                    all.push(block(end));
                }
                all.sort_unstable();
                all.dedup();
                all
            })
            .collect();
        Blocks { starts, ends, next }
    }
}

/// Puts the blocks of `part` in order: strongly connected parts by what leads to them, in each its head last and the rest
/// of it in the same way. Only jumps within `part` count.
fn put_in_order(next: &[Vec<usize>], part: &[usize], out: &mut Vec<usize>) {
    let mut todo: Vec<Step> = vec![Step::Part(part.to_vec())];
    while let Some(step) = todo.pop() {
        match step {
            Step::Block(block) => out.push(block),
            Step::Part(part) => {
                for component in components(next, &part).into_iter().rev() {
                    // The component that others lead to is handled last, so it lies deepest.
                    let (head, rest) = (component[0], component[1..].to_vec());
                    todo.push(Step::Block(head));
                    if !rest.is_empty() {
                        todo.push(Step::Part(rest));
                    }
                }
            }
        }
    }
}

enum Step {
    Part(Vec<usize>),
    Block(usize),
}

/// The strongly connected components of `part`, what leads to others first; each begins with its block that a walk from the first
/// block of `part` reaches first. After Tarjan (1972), without recursion.
fn components(next: &[Vec<usize>], part: &[usize]) -> Vec<Vec<usize>> {
    const UNSEEN: u32 = u32::MAX;
    let mut inside = vec![false; next.len()];
    part.iter().for_each(|&block| inside[block] = true);
    let (mut index, mut low) = (vec![UNSEEN; next.len()], vec![0u32; next.len()]);
    let mut open = vec![false; next.len()];
    let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    for &root in part {
        if index[root] != UNSEEN {
            continue;
        }
        let mut walk = vec![(root, 0usize)];
        while let Some(&mut (block, ref mut edge)) = walk.last_mut() {
            if *edge == 0 {
                (index[block], low[block]) = (count, count);
                count += 1;
                stack.push(block);
                open[block] = true;
            }
            let followed = next[block].get(*edge).copied();
            *edge += 1;
            match followed {
                Some(to) if !inside[to] => {}
                Some(to) if index[to] == UNSEEN => walk.push((to, 0)),
                Some(to) if open[to] => low[block] = low[block].min(index[to]),
                Some(_) => {}
                None => {
                    walk.pop();
                    if let Some(&(before, _)) = walk.last() {
                        low[before] = low[before].min(low[block]);
                    }
                    if low[block] == index[block] {
                        let start = stack.iter().rposition(|&b| b == block).unwrap_or(0);
                        let component: Vec<usize> = stack.drain(start..).collect();
                        component.iter().for_each(|&b| open[b] = false);
                        found.push(component);
                    }
                }
            }
        }
    }
    found.reverse();
    found
}

impl Shape {
    /// The shape of function `func` of `program`.
    pub fn of(program: &Program, func: FuncId) -> Shape {
        let Some(f) = program.functions.get(func as usize).filter(|f| !f.code.is_empty()) else {
            return Shape { order: Vec::new(), widths: Vec::new(), live: Vec::new() };
        };
        let blocks = Blocks::of(f);
        let mut ordered = Vec::with_capacity(blocks.starts.len());
        put_in_order(&blocks.next, &(0..blocks.starts.len()).collect::<Vec<usize>>(), &mut ordered);
        let (mut order, mut place) = (vec![u32::MAX; f.code.len()], 0);
        for block in ordered {
            for at in &mut order[blocks.starts[block]..blocks.ends[block]] {
                *at = place;
                place += 1;
            }
        }
        Shape { order, widths: widths(program, f), live: live(program, f, &blocks) }
    }

    /// The place of an op in the order.
    #[inline]
    pub fn order(&self, pc: Pc) -> u32 {
        self.order.get(pc as usize).copied().unwrap_or(u32::MAX)
    }

    /// The width of a register.
    pub fn width(&self, r: Reg) -> RegisterWidth {
        self.widths.get(r as usize).copied().unwrap_or(RegisterWidth::Unknown)
    }

    /// Returns true if the value of a register in front of an op may be read later.
    pub fn is_live(&self, pc: Pc, r: Reg) -> bool {
        let set = self.live.get(pc as usize).and_then(|set| set.get(r as usize / 64));
        set.is_none_or(|word| word >> (r % 64) & 1 == 1)
    }
}

/// The live registers in front of each op, found backwards until nothing changes.
fn live(program: &Program, f: &Function, blocks: &Blocks) -> Vec<Rc<Registers>> {
    let nothing: Registers = vec![0; (f.registers as usize).div_ceil(64)];
    let mut at_start = vec![nothing.clone(); blocks.starts.len()];
    let across = |block: usize, at_start: &[Registers]| {
        let mut set = nothing.clone();
        for &next in &blocks.next[block] {
            set.iter_mut().zip(&at_start[next]).for_each(|(a, b)| *a |= b);
        }
        set
    };
    let before = |pc: usize, set: &mut Registers| {
        let Ok(all) = effects(program, f, &f.code[pc]) else { return };
        if let Some(writes) = all.writes {
            (writes.dst..writes.dst.saturating_add(writes.registers())).for_each(|r| remove(set, r));
        }
        for (operand, width) in all.reads {
            if let Some(r) = operand.as_reg() {
                (r..r + width.registers()).for_each(|r| insert(set, r));
            }
        }
    };
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..blocks.starts.len()).rev() {
            let mut set = across(block, &at_start);
            (blocks.starts[block]..blocks.ends[block]).rev().for_each(|pc| before(pc, &mut set));
            if set != at_start[block] {
                at_start[block] = set;
                changed = true;
            }
        }
    }
    let mut live: Vec<Rc<Registers>> = vec![Rc::default(); f.code.len()];
    for block in 0..blocks.starts.len() {
        let mut set = across(block, &at_start);
        let mut last: Rc<Registers> = Rc::new(set.clone());
        for pc in (blocks.starts[block]..blocks.ends[block]).rev() {
            before(pc, &mut set);
            if set != *last {
                last = Rc::new(set.clone());
            }
            live[pc] = last.clone();
        }
    }
    live
}

/// Notes that a register has a value of this width.
fn note(widths: &mut [RegisterWidth], r: Reg, width: Width) -> bool {
    let new = match width {
        Width::Bits(w @ 1..=64) => RegisterWidth::Bits(w),
        Width::Bits(w @ 65..=128) => RegisterWidth::Wide(w),
        Width::Bits(_) | Width::Any | Width::AnyWide | Width::Least(_) => return false,
    };
    let Some(at) = widths.get_mut(r as usize).filter(|w| **w == RegisterWidth::Unknown) else { return false };
    *at = new;
    if matches!(new, RegisterWidth::Wide(_))
        && let Some(high) = widths.get_mut(r as usize + 1)
    {
        *high = RegisterWidth::High;
    }
    true
}

/// Notes the widths of operands that are passed as these scalars.
fn note_operands(widths: &mut [RegisterWidth], f: &Function, operands: Args, scalars: &[Kind]) {
    let Ok(operands) = f.run_of(operands) else { return };
    let mut next = operands.iter();
    for kind in scalars {
        let first = next.next().and_then(|operand| operand.as_reg());
        if kind.registers() == 2 {
            next.next();
        }
        if let Some(r) = first {
            note(widths, r, Width::Bits(kind.width));
        }
    }
}

/// Notes the widths of registers one behind the other; those of an unused result are none.
fn note_scalars(widths: &mut [RegisterWidth], first: Reg, scalars: &[Kind]) {
    if first == NO_REG {
        return;
    }
    let mut r = first;
    for kind in scalars {
        note(widths, r, Width::Bits(kind.width));
        r += kind.registers() as Reg;
    }
}

/// The widths of the registers, as far as ops that write or read them, and copies, tell them.
fn widths(program: &Program, f: &Function) -> Vec<RegisterWidth> {
    let mut widths = vec![RegisterWidth::Unknown; f.registers as usize];
    note_scalars(&mut widths, 0, &f.signature.params);
    let mut copies = Vec::new();
    for op in &f.code {
        match *op {
            Op::Call { func, dst, args, .. } | Op::CallVar { func, dst, args, .. } => {
                if let Some(callee) = program.functions.get(func as usize) {
                    note_scalars(&mut widths, dst, &callee.signature.results);
                    note_operands(&mut widths, f, args, &callee.signature.params);
                }
            }
            Op::CallIndirect { call, .. } => {
                if let Some(call) = f.indirect.get(call as usize) {
                    note_scalars(&mut widths, call.dst, &call.signature.results);
                    note_operands(&mut widths, f, call.args, &call.signature.params);
                }
            }
            Op::Ret { vals, .. } => note_operands(&mut widths, f, vals, &f.signature.results),
            _ => {}
        }
        let Ok(all) = effects(program, f, op) else { continue };
        if let Some(writes) = &all.writes {
            let mut r = writes.dst;
            for &width in &writes.widths {
                note(&mut widths, r, width);
                r += width.registers();
            }
            if let Some(from) = writes.copied.and_then(|from| from.as_reg()) {
                copies.push((writes.dst, from));
            }
        }
    }
    for op in &f.code {
        let Ok(all) = effects(program, f, op) else { continue };
        for (operand, width) in all.reads {
            if let Some(r) = operand.as_reg() {
                note(&mut widths, r, width);
            }
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &(a, b) in copies.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect::<Vec<_>>().iter() {
            if let Some(RegisterWidth::Bits(w) | RegisterWidth::Wide(w)) = widths.get(b as usize).copied() {
                changed |= note(&mut widths, a, Width::Bits(w));
            }
        }
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of blocks with these edges from block to block.
    fn order(edges: &[&[usize]]) -> Vec<usize> {
        let next: Vec<Vec<usize>> = edges.iter().map(|to| to.to_vec()).collect();
        let mut out = Vec::new();
        put_in_order(&next, &(0..next.len()).collect::<Vec<usize>>(), &mut out);
        out
    }

    #[test]
    fn a_join_stands_behind_its_branches() {
        let at = order(&[&[1, 2], &[3], &[3], &[]]);
        assert_eq!((at[0], at[3]), (0, 3));
    }

    #[test]
    fn the_head_of_a_loop_stands_behind_its_body_and_in_front_of_its_exit() {
        // 0: entry; 1: head, to body 2 or exit 5; 2: to 3 or 4; 3, 4: back to 1.
        assert_eq!(order(&[&[1], &[2, 5], &[3, 4], &[1], &[1], &[]]).iter().position(|&b| b == 1), Some(4));
        let at = order(&[&[1], &[2, 5], &[3, 4], &[1], &[1], &[]]);
        assert_eq!((at[0], at[1], at[5]), (0, 2, 5));
    }

    #[test]
    fn loops_nest_in_the_order() {
        // Outer head 1 with inner head 2, inner body 3, latch 4, exit 5.
        let at = order(&[&[1], &[2, 5], &[3, 4], &[2], &[1], &[]]);
        assert_eq!(at, [0, 3, 2, 4, 1, 5]);
    }
}
