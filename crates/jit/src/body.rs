//! The body of a function: its entrances, its ops one after the other, its jumps, and the blocks in which compiled code leaves.

use cleave_program::code::{Op, Pc, SwitchTable};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use cranelift_frontend::Switch;

use crate::context::{field, same_object};
use crate::shape::{Set, Shape, jumps};
use crate::translation::{Home, Translation, plain};

impl Translation<'_, '_> {
    /// Translates everything.
    pub(crate) fn all(
        mut self,
        shape: &Shape,
        entrance: Value,
        config: cranelift_codegen::isa::TargetFrontendConfig,
    ) {
        for pc in shape.leaders.iter() {
            let block = self.b.create_block();
            self.blocks[pc as usize] = Some(block);
        }
        let never = self.b.create_block();
        self.b.set_cold_block(never);
        let mut switch = Switch::new();
        let stubs: Vec<Block> = shape.entrances.iter().map(|_| self.b.create_block()).collect();
        stubs.iter().enumerate().for_each(|(i, &stub)| switch.set_entry(i as u128, stub));
        switch.emit(&mut self.b, entrance, never);
        for (of, &stub) in shape.entrances.iter().zip(&stubs) {
            self.b.switch_to_block(stub);
            self.enters(of.at, &of.lives);
        }
        self.b.switch_to_block(never);
        self.b.ins().jump(stubs[0], &[]);
        self.body(shape);
        for pc in 0..self.limits.len() {
            let Some(block) = self.limits[pc] else { continue };
            self.b.switch_to_block(block);
            let yes = self.number(1);
            self.b.ins().store(plain(), yes, self.base.context, field::IS_AT_LIMIT);
            let leaves = self.leaves_at(pc as Pc);
            self.b.ins().jump(leaves, &[]);
        }
        for pc in 0..self.leaves.len() {
            let Some(block) = self.leaves[pc] else { continue };
            self.b.switch_to_block(block);
            self.keeps_count();
            let at = self.number32(pc as u32);
            self.b.ins().return_(&[at]);
        }
        self.b.seal_all_blocks();
        self.b.finalize(config);
    }

    /// The caller has seen that all registers are as their homes say.
    fn enters(&mut self, at: Pc, lives: &Set) {
        for r in lives.iter().filter(|&r| self.homes[r as usize] != Home::Memory) {
            let value = self.load_register(r, 0);
            self.b.def_var(self.variables[r as usize], value);
        }
        if let Some(to) = self.blocks[at as usize] {
            self.b.ins().jump(to, &[]);
        }
    }

    fn body(&mut self, shape: &Shape) {
        // Only code behind a leader is reached.
        let mut open = false;
        for (pc, op) in self.function.code.iter().enumerate() {
            self.pc = pc as Pc;
            if let Some(block) = self.blocks[pc] {
                if open {
                    self.b.ins().jump(block, &[]);
                }
                self.b.switch_to_block(block);
                open = true;
            }
            if !open {
                continue;
            }
            if shape.effects[pc].is_none() {
                self.leaves_here();
                open = false;
                continue;
            }
            match *op {
                Op::Count { n } => self.counts(n.into()),
                Op::Call { func, dst, args, n } => self.call(func, dst, args, n.into()),
                Op::Ret { vals, n } => {
                    self.returns(vals, n.into());
                    open = false;
                }
                Op::Builtin { what, dst, args, n } => self.builtin(what, dst, args, n.into()),
                _ if jumps(op) => {
                    self.jump_op(op);
                    open = false;
                }
                _ => self.plain_op(op),
            }
        }
        if open {
            self.leaves_here();
        }
    }

    /// Goes on at another op, unless the limit is reached there.
    fn goes_to(&mut self, to: Pc, n: u64) {
        let Some(block) = self.blocks[to as usize] else { return self.leaves_here() };
        self.visits(self.facts.func, to);
        self.counts(n);
        let leaves = match self.limits[to as usize] {
            Some(block) => block,
            None => self.b.create_block(),
        };
        self.limits[to as usize] = Some(leaves);
        self.b.set_cold_block(leaves);
        let count = self.b.use_var(self.instructions);
        let below = self.b.ins().icmp(IntCC::UnsignedLessThan, count, self.base.stop);
        self.b.ins().brif(below, block, &[], leaves, &[]);
    }

    fn jump_op(&mut self, op: &Op) {
        match *op {
            Op::Jump { to, n } => self.goes_to(to, n.into()),
            Op::Lands { to, .. } => self.goes_to(to, 0),
            Op::Branch { cond, then, other, n } => {
                let value = self.read(cond);
                let one = self.number(1);
                let taken = self.b.ins().band(value, one);
                self.branches(taken, op, [then, other], n.into());
            }
            Op::CmpBranch { pred, w, a, b, then, other, n } => {
                let (x, y) = (self.read(a), self.read(b));
                let taken = self.compared(pred, w, x, y);
                self.branches(taken, op, [then, other], n.into());
            }
            Op::PtrBranch { pred, a, b, then, other, n } => {
                let (x, y) = (self.read(a), self.read(b));
                self.same_slot(x, y, same_object as *const () as usize);
                let taken = self.compared(pred, 64, x, y);
                self.branches(taken, op, [then, other], n.into());
            }
            Op::Switch { val, table, n, .. } => {
                let value = self.read(val);
                let table = &self.function.switches[table as usize];
                self.switches(value, op, table, Some(table.default), n.into());
            }
            Op::IndirectBranch { val, table, n } => {
                let value = self.read(val);
                let table = &self.function.switches[table as usize];
                self.switches(value, op, table, None, n.into());
            }
            _ => self.leaves_here(),
        }
    }

    fn branches(&mut self, taken: Value, op: &Op, sides: [Pc; 2], n: u64) {
        let blocks = sides.map(|_| self.b.create_block());
        self.b.ins().brif(taken, blocks[0], &[], blocks[1], &[]);
        for ((block, to), side) in blocks.into_iter().zip(sides).zip([true, false]) {
            self.b.switch_to_block(block);
            self.takes(op, (to, side), n);
        }
    }

    /// Goes on at a target of the jump at hand, unless the mark of that side is to be passed.
    fn takes(&mut self, op: &Op, (to, side): (Pc, bool), n: u64) {
        if let Some(slot) =
            self.facts.slot_of(op, self.pc, to, side).filter(|_| self.blocks[to as usize].is_some())
        {
            self.passes(slot);
        }
        self.goes_to(to, n);
    }

    /// Goes on where a value says; leaves in front of the op at hand if that is nowhere.
    fn switches(&mut self, value: Value, op: &Op, table: &SwitchTable, default: Option<Pc>, n: u64) {
        let mut ways: Vec<(Pc, Block)> = Vec::new();
        let mut switch = Switch::new();
        let mut seen = std::collections::HashSet::new();
        let mut way = |s: &mut Self, to: Pc| match ways.iter().find(|way| way.0 == to) {
            Some(way) => way.1,
            None if s.blocks[to as usize].is_none() => s.leaves_at(s.pc),
            None => {
                let block = s.b.create_block();
                ways.push((to, block));
                block
            }
        };
        for &(case, to) in &table.cases {
            if seen.insert(case) {
                let block = way(self, to);
                switch.set_entry(case.into(), block);
            }
        }
        let default = match default {
            Some(to) => way(self, to),
            None => self.leaves_at(self.pc),
        };
        switch.emit(&mut self.b, value, default);
        for (to, block) in ways {
            self.b.switch_to_block(block);
            self.takes(op, (to, false), n);
        }
    }
}
