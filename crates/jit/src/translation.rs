//! A function as Cranelift's instructions: registers, jumps and the places where compiled code leaves.

use cleave_program::code::{Function, Op, Operand, Pc, Pred, Reg};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, SigRef, Type, Value};
use cranelift_frontend::{FunctionBuilder, Switch, Variable};

use crate::context::{NOT_ENTERED, Scopes, field, same_object};
use crate::shape::{Set, Shape, effects, jumps};

/// The size of a register in memory, in bytes.
const REGISTER: i32 = 16;
/// Offset of its second word, which is 0 if the register is known.
const REST: i32 = 8;

/// The home of a register while compiled code runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Home {
    /// A register of the machine; it is known from the entrance on.
    #[default]
    Known,
    /// As `Known`, but it need not be known at an entrance at which it does not live.
    Written,
    /// Memory: each read checks that it is known.
    Memory,
}

/// Places of coverage marks.
pub(crate) struct Marks<'a> {
    /// The first slot of the function.
    pub(crate) first: u32,
    /// The slot of a side of a switch.
    pub(crate) of_switch: &'a dyn Fn(Pc, Pc) -> u32,
}

/// The parameters of compiled code, and what it loads from the context first.
pub(crate) struct Base {
    pub(crate) context: Value,
    pub(crate) registers: Value,
    pub(crate) windows: Value,
    marks: Value,
    stop: Value,
}

pub(crate) struct Translation<'a, 'b> {
    pub(crate) b: FunctionBuilder<'b>,
    pub(crate) function: &'a Function,
    pub(crate) base: Base,
    /// Signatures of the functions that compiled code calls: load, store.
    pub(crate) signatures: [SigRef; 2],
    homes: &'a [Home],
    marks: Option<Marks<'a>>,
    pub(crate) scopes: Option<Scopes>,
    variables: Vec<Variable>,
    instructions: Variable,
    blocks: Vec<Option<Block>>,
    /// Blocks that leave in front of an op.
    leaves: Vec<Option<Block>>,
    /// The op at hand.
    pub(crate) pc: Pc,
}

/// Accesses to the context, to windows and to registers.
pub(crate) fn plain() -> MemFlagsData {
    MemFlagsData::trusted()
}

impl<'a, 'b> Translation<'a, 'b> {
    pub(crate) fn new(
        mut b: FunctionBuilder<'b>,
        function: &'a Function,
        homes: &'a [Home],
        (marks, scopes): (Option<Marks<'a>>, Option<Scopes>),
        signatures: [SigRef; 2],
    ) -> (Self, Value) {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let (context, entrance) = (b.block_params(entry)[0], b.block_params(entry)[1]);
        let mut load = |offset| b.ins().load(I64, plain(), context, offset);
        let [registers, windows, marks_base, stop] =
            [field::REGISTERS, field::WINDOWS, field::MARKS, field::STOP].map(&mut load);
        let first = load(field::INSTRUCTIONS);
        let variables = homes.iter().map(|_| b.declare_var(I64)).collect();
        let instructions = b.declare_var(I64);
        b.def_var(instructions, first);
        let ops = function.code.len() + 1;
        let base = Base { context, registers, windows, marks: marks_base, stop };
        let made = Translation {
            b,
            function,
            base,
            signatures,
            homes,
            marks,
            scopes,
            variables,
            instructions,
            blocks: vec![None; ops],
            leaves: vec![None; ops],
            pc: 0,
        };
        (made, entrance)
    }

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
        let fails = self.b.create_block();
        self.b.set_cold_block(fails);
        let mut switch = Switch::new();
        let stubs: Vec<Block> = shape.entrances.iter().map(|_| self.b.create_block()).collect();
        stubs.iter().enumerate().for_each(|(i, &stub)| switch.set_entry(i as u128, stub));
        switch.emit(&mut self.b, entrance, fails);
        for (of, &stub) in shape.entrances.iter().zip(&stubs) {
            self.b.switch_to_block(stub);
            self.enters(of.at, &of.lives, &shape.touched, fails);
        }
        self.b.switch_to_block(fails);
        let code = self.number32(NOT_ENTERED);
        self.b.ins().return_(&[code]);
        self.body();
        for pc in 0..self.leaves.len() {
            let Some(block) = self.leaves[pc] else { continue };
            self.b.switch_to_block(block);
            let count = self.b.use_var(self.instructions);
            self.b.ins().store(plain(), count, self.base.context, field::INSTRUCTIONS);
            let at = self.number32(pc as u32);
            self.b.ins().return_(&[at]);
        }
        self.b.seal_all_blocks();
        self.b.finalize(config);
    }

    fn enters(&mut self, at: Pc, lives: &Set, touched: &Set, fails: Block) {
        let mut rests: Option<Value> = None;
        for r in touched.iter() {
            let live = lives.contains(r);
            let checked = match self.homes[r as usize] {
                // A function that was just called has zeros in all but its parameters.
                Home::Known => at != 0 || r < self.function.params,
                Home::Written => live,
                Home::Memory => false,
            };
            if live && self.homes[r as usize] != Home::Memory {
                let value = self.load_register(r, 0);
                self.b.def_var(self.variables[r as usize], value);
            }
            if checked {
                let rest = self.load_register(r, REST);
                rests = Some(rests.map_or(rest, |all| self.b.ins().bor(all, rest)));
            }
        }
        let to = self.blocks[at as usize].unwrap_or(fails);
        match rests {
            Some(rests) => self.b.ins().brif(rests, fails, &[], to, &[]),
            None => self.b.ins().jump(to, &[]),
        };
    }

    fn body(&mut self) {
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
            if effects(op).is_none() {
                self.leaves_here();
                open = false;
                continue;
            }
            if jumps(op) {
                self.jump_op(op);
                open = false;
            } else if let &Op::Count { n } = op {
                self.counts(n.into());
            } else {
                self.plain_op(op);
            }
        }
        if open {
            self.leaves_here();
        }
    }

    fn load_register(&mut self, r: Reg, offset: i32) -> Value {
        self.b.ins().load(I64, plain(), self.base.registers, REGISTER * r as i32 + offset)
    }

    pub(crate) fn number(&mut self, v: u64) -> Value {
        self.b.ins().iconst(I64, v as i64)
    }

    pub(crate) fn number32(&mut self, v: u32) -> Value {
        self.b.ins().iconst(I32, i64::from(v))
    }

    /// The value of an operand if it is a constant.
    pub(crate) fn constant(&self, o: Operand) -> Option<u64> {
        o.as_constant().map(|i| self.function.constants[i as usize])
    }

    /// The value of an operand; leaves in front of the op at hand if it is not known.
    pub(crate) fn read(&mut self, o: Operand) -> Value {
        let Some(r) = o.as_reg() else {
            let value = self.constant(o).unwrap_or(0);
            return self.number(value);
        };
        if self.homes[r as usize] != Home::Memory {
            return self.b.use_var(self.variables[r as usize]);
        }
        let rest = self.load_register(r, REST);
        self.leaves_if(rest);
        self.load_register(r, 0)
    }

    /// Puts a known value into a register.
    pub(crate) fn write(&mut self, dst: Reg, value: Value) {
        let offset = REGISTER * dst as i32;
        self.b.ins().store(plain(), value, self.base.registers, offset);
        let home = self.homes[dst as usize];
        if home != Home::Known {
            let none = self.number(0);
            self.b.ins().store(plain(), none, self.base.registers, offset + REST);
        }
        if home != Home::Memory {
            self.b.def_var(self.variables[dst as usize], value);
        }
    }

    /// The block that leaves in front of an op.
    fn leaves_at(&mut self, pc: Pc) -> Block {
        if let Some(block) = self.leaves[pc as usize] {
            return block;
        }
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        self.leaves[pc as usize] = Some(block);
        block
    }

    fn leaves_here(&mut self) {
        let block = self.leaves_at(self.pc);
        self.b.ins().jump(block, &[]);
    }

    /// Leaves in front of the op at hand; what follows is not reached.
    pub(crate) fn leaves_always(&mut self) {
        self.leaves_here();
        let next = self.b.create_block();
        self.b.switch_to_block(next);
    }

    /// Leaves in front of the op at hand if a value is not 0.
    pub(crate) fn leaves_if(&mut self, condition: Value) {
        let (leaves, next) = (self.leaves_at(self.pc), self.b.create_block());
        self.b.ins().brif(condition, leaves, &[], next, &[]);
        self.b.switch_to_block(next);
    }

    /// Leaves in front of the op at hand if a value is 0.
    pub(crate) fn leaves_unless(&mut self, condition: Value) {
        let (leaves, next) = (self.leaves_at(self.pc), self.b.create_block());
        self.b.ins().brif(condition, next, &[], leaves, &[]);
        self.b.switch_to_block(next);
    }

    fn counts(&mut self, n: u64) {
        if n == 0 {
            return;
        }
        let before = self.b.use_var(self.instructions);
        let n = self.number(n);
        let after = self.b.ins().iadd(before, n);
        self.b.def_var(self.instructions, after);
    }

    /// Leaves in front of the op at hand if the mark of a slot is to be passed.
    fn passes(&mut self, slot: u32) {
        let mark = self.mark(slot);
        self.leaves_unless(mark);
    }

    fn mark(&mut self, slot: u32) -> Value {
        let offset = self.number(slot.into());
        let at = self.b.ins().iadd(self.base.marks, offset);
        self.b.ins().uload8(I64, plain(), at, 0)
    }

    /// Goes on at another op; a jump backwards looks at the limit.
    fn goes_to(&mut self, to: Pc, n: u64) {
        self.counts(n);
        let Some(block) = self.blocks[to as usize] else { return self.leaves_here() };
        if to > self.pc {
            self.b.ins().jump(block, &[]);
            return;
        }
        let leaves = self.leaves_at(to);
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
                self.branches(taken, [then, other], n.into());
            }
            Op::CmpBranch { pred, w, a, b, then, other, n } => {
                let (x, y) = (self.read(a), self.read(b));
                let taken = self.compared(pred, w, x, y);
                self.branches(taken, [then, other], n.into());
            }
            Op::PtrBranch { pred, a, b, then, other, n } => {
                let (x, y) = (self.read(a), self.read(b));
                self.same_slot(x, y, same_object as *const () as usize);
                let taken = self.compared(pred, 64, x, y);
                self.branches(taken, [then, other], n.into());
            }
            Op::Switch { val, table, n, .. } => {
                let value = self.read(val);
                self.switches(value, table, n.into());
            }
            _ => self.leaves_here(),
        }
    }

    fn branches(&mut self, taken: Value, sides: [Pc; 2], n: u64) {
        let blocks = sides.map(|_| self.b.create_block());
        self.b.ins().brif(taken, blocks[0], &[], blocks[1], &[]);
        let first = self.marks.as_ref().map(|marks| marks.first);
        for ((block, to), side) in blocks.into_iter().zip(sides).zip([1, 0]) {
            self.b.switch_to_block(block);
            if let Some(first) = first {
                self.passes(first + 4 * self.pc + side);
            }
            self.goes_to(to, n);
        }
    }

    fn switches(&mut self, value: Value, table: u32, n: u64) {
        let function = self.function;
        let table = &function.switches[table as usize];
        let mut ways: Vec<(Pc, Block)> = Vec::new();
        let mut switch = Switch::new();
        let mut seen = std::collections::HashSet::new();
        let mut way = |s: &mut Self, to: Pc| match ways.iter().find(|way| way.0 == to) {
            Some(way) => way.1,
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
        let default = way(self, table.default);
        switch.emit(&mut self.b, value, default);
        for (to, block) in ways {
            self.b.switch_to_block(block);
            let slot = self.marks.as_ref().map(|marks| (marks.of_switch)(self.pc, to));
            if let Some(slot) = slot.filter(|&slot| slot != u32::MAX) {
                self.passes(slot);
            }
            self.goes_to(to, n);
        }
    }

    /// Leaves in front of the op at hand if two pointers are in different slots, of the least size that a machine has, and `check`, a
    /// function of the context, returns 0 for them.
    pub(crate) fn same_slot(&mut self, x: Value, y: Value, check: usize) {
        let differ = self.b.ins().bxor(x, y);
        let bits = self.number(cleave_program::layout::Target::I386.slot_bits().into());
        let far = self.b.ins().ushr(differ, bits);
        let (apart, next) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(apart);
        self.b.ins().brif(far, apart, &[], next, &[]);
        self.b.switch_to_block(apart);
        self.calls(0, check, &[x, y]);
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
    }

    /// Calls a function of the context; leaves in front of the op at hand if it returns 0. `signature` is the number of arguments
    /// less two.
    pub(crate) fn calls(&mut self, signature: usize, function: usize, arguments: &[Value]) {
        let at = self.number(function as u64);
        let mut all = vec![self.base.context];
        all.extend_from_slice(arguments);
        let call = self.b.ins().call_indirect(self.signatures[signature], at, &all);
        let done = self.b.inst_results(call)[0];
        self.leaves_unless(done);
    }

    /// A comparison of known values of `w` bits: not 0 if it holds.
    pub(crate) fn compared(&mut self, pred: Pred, w: u8, x: Value, y: Value) -> Value {
        let (code, signed) = match pred {
            Pred::Eq => (IntCC::Equal, false),
            Pred::Ne => (IntCC::NotEqual, false),
            Pred::Ult => (IntCC::UnsignedLessThan, false),
            Pred::Ule => (IntCC::UnsignedLessThanOrEqual, false),
            Pred::Ugt => (IntCC::UnsignedGreaterThan, false),
            Pred::Uge => (IntCC::UnsignedGreaterThanOrEqual, false),
            Pred::Slt => (IntCC::SignedLessThan, true),
            Pred::Sle => (IntCC::SignedLessThanOrEqual, true),
            Pred::Sgt => (IntCC::SignedGreaterThan, true),
            Pred::Sge => (IntCC::SignedGreaterThanOrEqual, true),
        };
        let (x, y) = match w {
            32 => (self.b.ins().ireduce(I32, x), self.b.ins().ireduce(I32, y)),
            _ if signed => (self.signed(x, w), self.signed(y, w)),
            _ => (x, y),
        };
        self.b.ins().icmp(code, x, y)
    }

    /// A value of `w` bits with copies of its sign in front.
    pub(crate) fn signed(&mut self, v: Value, w: u8) -> Value {
        let narrow = match w {
            64 => return v,
            32 => I32,
            16 => cranelift_codegen::ir::types::I16,
            8 => cranelift_codegen::ir::types::I8,
            _ => {
                let shift = self.number(64 - u64::from(w));
                let high = self.b.ins().ishl(v, shift);
                return self.b.ins().sshr(high, shift);
            }
        };
        let low = self.b.ins().ireduce(narrow, v);
        self.b.ins().sextend(I64, low)
    }

    /// The low `w` bits of a value.
    pub(crate) fn masked(&mut self, v: Value, w: u8) -> Value {
        let narrow: Type = match w {
            64 => return v,
            32 => I32,
            16 => cranelift_codegen::ir::types::I16,
            8 => cranelift_codegen::ir::types::I8,
            _ => {
                let mask = self.number(u64::MAX >> (64 - u32::from(w)));
                return self.b.ins().band(v, mask);
            }
        };
        let low = self.b.ins().ireduce(narrow, v);
        self.b.ins().uextend(I64, low)
    }
}
