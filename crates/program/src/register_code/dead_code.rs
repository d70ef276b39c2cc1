//! Removes the remains of a function's translation: ops behind one that ends the path, blocks that nothing jumps to, registers
//! for values that need none. Frames are copied at each fork, so registers that nothing writes cost.

use crate::debug::FunctionInfo;
use crate::register_code::code::*;
use crate::register_code::fields::FieldMut;
use crate::register_code::walk::effects;

/// Removes ops that no path reaches, then registers that no op writes. The notes for a debugger follow.
pub(crate) fn sweep(program: &Program, f: &mut Function, notes: Option<&mut FunctionInfo>) {
    let mut nothing = FunctionInfo::default();
    let notes = notes.unwrap_or(&mut nothing);
    remove_unreached(f, notes);
    renumber(program, f, notes);
}

fn reached(f: &Function) -> Vec<bool> {
    let mut reached = vec![false; f.code.len()];
    let mut open = vec![0usize];
    while let Some(mut pc) = open.pop() {
        while pc < f.code.len() && !reached[pc] {
            reached[pc] = true;
            open.extend(f.targets(&f.code[pc]).into_iter().map(|pc| pc as usize));
            if f.code[pc].is_terminator() {
                break;
            }
            pc += 1;
        }
    }
    reached
}

fn remove_unreached(f: &mut Function, notes: &mut FunctionInfo) {
    let keep = reached(f);
    if keep.iter().all(|&k| k) {
        return;
    }
    let mut place = Vec::with_capacity(keep.len());
    let mut next: Pc = 0;
    for &k in &keep {
        place.push(next);
        next += k as Pc;
    }
    let moved = |pc: &mut Pc| *pc = place[*pc as usize];
    let mut used = vec![false; f.switches.len()];
    for (op, _) in f.code.iter_mut().zip(&keep).filter(|&(_, &k)| k) {
        op.fields_mut(|field| match field {
            FieldMut::Target(to) => moved(to),
            FieldMut::Table(table) => used[*table as usize] = true,
            FieldMut::Reg(_) | FieldMut::Operand(_) => {}
            FieldMut::Callee(_) | FieldMut::Text(_) | FieldMut::Plain => {}
        });
    }
    for (table, used) in f.switches.iter_mut().zip(used) {
        if used {
            table.cases.iter_mut().for_each(|(_, pc)| moved(pc));
            moved(&mut table.default);
        } else {
            *table = SwitchTable { cases: Vec::new(), default: 0 };
        }
    }
    f.pieces.retain(|piece| keep.get(piece.at as usize) == Some(&true));
    f.pieces.iter_mut().for_each(|piece| moved(&mut piece.at));
    f.loops.retain(|known| keep.get(known.head as usize) == Some(&true));
    f.loops.iter_mut().for_each(|known| moved(&mut known.head));
    notes.ops_moved(&keep, &place);
    let mut kept = keep.iter();
    f.code.retain(|_| kept.next() == Some(&true));
    let mut kept = keep.iter();
    f.positions.retain(|_| kept.next() == Some(&true));
}

/// Numbers the parameters and what ops write from 0 without gaps, in the same order: neighbours stay neighbours.
fn renumber(program: &Program, f: &mut Function, notes: &mut FunctionInfo) {
    let mut used = vec![false; f.registers as usize];
    used[..f.params as usize].fill(true);
    let mut mark = |r: Reg, n: u32| {
        for r in r..r.saturating_add(n) {
            if let Some(used) = used.get_mut(r as usize) {
                *used = true;
            }
        }
    };
    for op in &f.code {
        let Ok(all) = effects(program, f, op) else { continue };
        if let Some(writes) = all.writes {
            mark(writes.dst, writes.registers());
        }
        for (o, w) in all.reads {
            if let Some(r) = o.as_reg() {
                mark(r, w.registers());
            }
        }
    }
    let mut place = Vec::with_capacity(used.len());
    let mut next: Reg = 0;
    for &u in &used {
        place.push(next);
        next += u as Reg;
    }
    let reg = |r: &mut Reg| {
        if *r != NO_REG {
            *r = place[*r as usize];
        }
    };
    let operand = |o: &mut Operand| {
        if let Some(r) = o.as_reg() {
            *o = Operand::reg(place[r as usize]);
        }
    };
    for op in &mut f.code {
        // Registers in lists are renamed there.
        op.fields_mut(|field| match field {
            FieldMut::Reg(r) => reg(r),
            FieldMut::Operand(o) => operand(o),
            FieldMut::Target(_) | FieldMut::Table(_) => {}
            FieldMut::Callee(_) | FieldMut::Text(_) | FieldMut::Plain => {}
        });
    }
    f.args.iter_mut().for_each(operand);
    f.varargs.iter_mut().flatten().for_each(|v| operand(&mut v.value));
    for call in &mut f.indirect {
        reg(&mut call.dst);
        operand(&mut call.target);
    }
    notes.registers_moved(&place);
    f.registers = next;
}
