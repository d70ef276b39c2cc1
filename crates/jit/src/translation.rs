//! The state of a translation to Cranelift's instructions: registers, constants, counts, and the places where compiled code leaves.

use cleave_program::code::{Function, Operand, Pc, Pred, Reg};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{
    AliasRegion, AliasRegionData, Block, Inst, InstBuilder, MemFlagsData, SigRef, Type, Value,
};
use cranelift_frontend::{FunctionBuilder, Variable};

use crate::context::field;
use crate::counts::Sites;
use crate::facts::Facts;

/// The size of a register in memory, in bytes.
pub(crate) const REGISTER: i32 = 16;
/// Offset of its second word, which is 0 if the register is known.
pub(crate) const REST: i32 = 8;

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

/// The parameters of compiled code, and what it loads from the context first.
pub(crate) struct Base {
    pub(crate) context: Value,
    pub(crate) registers: Value,
    pub(crate) windows: Value,
    marks: Value,
    pub(crate) stop: Value,
}

/// Signatures of compiled code and of the functions that it calls.
#[derive(Clone, Copy)]
pub(crate) struct Signatures {
    pub(crate) compiled: SigRef,
    /// By the number of arguments less three, the context among them.
    pub(crate) functions: [SigRef; 3],
}

/// Parts of memory that no access to another part reads or writes.
#[derive(Clone, Copy)]
pub(crate) struct Regions {
    frames: AliasRegion,
    windows: AliasRegion,
    bytes: AliasRegion,
    visits: AliasRegion,
}

pub(crate) struct Translation<'a, 'b> {
    pub(crate) b: FunctionBuilder<'b>,
    pub(crate) function: &'a Function,
    pub(crate) facts: &'a Facts<'a>,
    /// The table of compiled functions: by function the address of its code, or 0.
    pub(crate) codes: &'a [usize],
    pub(crate) sites: &'a mut Sites,
    pub(crate) base: Base,
    pub(crate) signatures: Signatures,
    regions: Regions,
    pub(crate) homes: &'a [Home],
    pub(crate) variables: Vec<Variable>,
    pub(crate) instructions: Variable,
    pub(crate) blocks: Vec<Option<Block>>,
    /// Blocks that leave in front of an op.
    pub(crate) leaves: Vec<Option<Block>>,
    /// Blocks that leave because the limit is reached behind a jump to an op.
    pub(crate) limits: Vec<Option<Block>>,
    /// The op at hand.
    pub(crate) pc: Pc,
}

/// Accesses to the context and to marks.
pub(crate) fn plain() -> MemFlagsData {
    MemFlagsData::trusted()
}

impl Regions {
    fn of(b: &mut FunctionBuilder<'_>) -> Regions {
        let regions = &mut b.func.dfg.alias_regions;
        let mut region = |user_id, name: &'static str| {
            regions.insert(AliasRegionData { user_id, description: name.into() })
        };
        let [frames, windows, bytes, visits] =
            [(1, "frames"), (2, "windows"), (3, "bytes"), (4, "visits")].map(|(id, name)| region(id, name));
        Regions { frames, windows, bytes, visits }
    }
}

impl<'a, 'b> Translation<'a, 'b> {
    pub(crate) fn new(
        mut b: FunctionBuilder<'b>,
        function: &'a Function,
        facts: &'a Facts<'a>,
        (codes, sites): (&'a [usize], &'a mut Sites),
        homes: &'a [Home],
        signatures: Signatures,
    ) -> (Self, Value) {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let parameters = b.block_params(entry);
        let (context, registers, entrance) = (parameters[0], parameters[1], parameters[2]);
        let mut load = |offset| b.ins().load(I64, plain(), context, offset);
        let [windows, marks, stop] = [field::WINDOWS, field::MARKS, field::STOP].map(&mut load);
        let first = load(field::INSTRUCTIONS);
        let variables = homes.iter().map(|_| b.declare_var(I64)).collect();
        let instructions = b.declare_var(I64);
        b.def_var(instructions, first);
        let ops = function.code.len() + 1;
        let made = Translation {
            regions: Regions::of(&mut b),
            b,
            function,
            facts,
            codes,
            sites,
            base: Base { context, registers, windows, marks, stop },
            signatures,
            homes,
            variables,
            instructions,
            blocks: vec![None; ops],
            leaves: vec![None; ops],
            limits: vec![None; ops],
            pc: 0,
        };
        (made, entrance)
    }

    /// Accesses to registers of frames.
    pub(crate) fn frames(&self) -> MemFlagsData {
        plain().with_alias_region(Some(self.regions.frames))
    }

    /// As [`Translation::frames`], of two words at once.
    pub(crate) fn unaligned_frames(&self) -> MemFlagsData {
        MemFlagsData::new().with_notrap().with_alias_region(Some(self.regions.frames))
    }

    /// Accesses to the table of windows.
    pub(crate) fn table(&self) -> MemFlagsData {
        plain().with_alias_region(Some(self.regions.windows))
    }

    /// Accesses to the counts of visits.
    pub(crate) fn visited(&self) -> MemFlagsData {
        plain().with_alias_region(Some(self.regions.visits))
    }

    /// Accesses to the program's bytes, which need not be aligned.
    pub(crate) fn bytes(&self) -> MemFlagsData {
        MemFlagsData::new().with_notrap().with_alias_region(Some(self.regions.bytes))
    }

    pub(crate) fn load_register(&mut self, r: Reg, offset: i32) -> Value {
        let flags = self.frames();
        self.b.ins().load(I64, flags, self.base.registers, REGISTER * r as i32 + offset)
    }

    /// The count of instructions is in the context from here on.
    pub(crate) fn keeps_count(&mut self) {
        let count = self.b.use_var(self.instructions);
        self.b.ins().store(plain(), count, self.base.context, field::INSTRUCTIONS);
    }

    /// Takes the count of instructions out of the context.
    pub(crate) fn takes_count(&mut self) {
        let count = self.b.ins().load(I64, plain(), self.base.context, field::INSTRUCTIONS);
        self.b.def_var(self.instructions, count);
    }

    /// Leaves in front of the op at hand if `n` more instructions come to the limit.
    pub(crate) fn leaves_at_limit(&mut self, n: u64) {
        let (count, n) = (self.b.use_var(self.instructions), self.number(n));
        let after = self.b.ins().iadd(count, n);
        let below = self.b.ins().icmp(IntCC::UnsignedLessThan, after, self.base.stop);
        self.leaves_unless(below);
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
        let (offset, flags) = (REGISTER * dst as i32, self.frames());
        self.b.ins().store(flags, value, self.base.registers, offset);
        let home = self.homes[dst as usize];
        if home != Home::Known {
            let none = self.number(0);
            self.b.ins().store(flags, none, self.base.registers, offset + REST);
        }
        if home != Home::Memory {
            self.b.def_var(self.variables[dst as usize], value);
        }
    }

    /// The block that leaves in front of an op.
    pub(crate) fn leaves_at(&mut self, pc: Pc) -> Block {
        if let Some(block) = self.leaves[pc as usize] {
            return block;
        }
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        self.leaves[pc as usize] = Some(block);
        block
    }

    pub(crate) fn leaves_here(&mut self) {
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

    pub(crate) fn counts(&mut self, n: u64) {
        if n == 0 {
            return;
        }
        let before = self.b.use_var(self.instructions);
        let n = self.number(n);
        let after = self.b.ins().iadd(before, n);
        self.b.def_var(self.instructions, after);
    }

    /// Leaves in front of the op at hand if the mark of a slot is to be passed.
    pub(crate) fn passes(&mut self, slot: u32) {
        let mark = self.mark(slot);
        self.leaves_unless(mark);
    }

    pub(crate) fn mark(&mut self, slot: u32) -> Value {
        let offset = self.number(slot.into());
        let at = self.b.ins().iadd(self.base.marks, offset);
        self.b.ins().uload8(I64, plain(), at, 0)
    }

    /// Leaves in front of the op at hand if two pointers are in different slots and `check`, a function of the context, returns 0 for
    /// them. Those that are in the object for which it did not are not asked about.
    pub(crate) fn same_slot(&mut self, x: Value, y: Value, check: usize) {
        let differ = self.b.ins().bxor(x, y);
        let bits = self.number(self.facts.slot_bits.into());
        let far = self.b.ins().ushr(differ, bits);
        let [apart, asks, next] = [(); 3].map(|()| self.b.create_block());
        self.b.set_cold_block(apart);
        self.b.set_cold_block(asks);
        self.b.ins().brif(far, apart, &[], next, &[]);
        self.b.switch_to_block(apart);
        let [start, size] = [field::FAR_START, field::FAR_SIZE]
            .map(|field| self.b.ins().load(I64, plain(), self.base.context, field));
        let [p, q] = [x, y].map(|v| {
            let at = self.b.ins().isub(v, start);
            self.b.ins().icmp(IntCC::UnsignedLessThan, at, size)
        });
        let both = self.b.ins().band(p, q);
        self.b.ins().brif(both, next, &[], asks, &[]);
        self.b.switch_to_block(asks);
        self.calls(0, check, &[x, y]);
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
    }

    /// Calls a function of the context; leaves in front of the op at hand if it returns 0. `signature` is the number of arguments
    /// less two. Returns the result.
    pub(crate) fn calls(&mut self, signature: usize, function: usize, arguments: &[Value]) -> Value {
        let call = self.runs(signature, function, arguments);
        let done = self.b.inst_results(call)[0];
        self.leaves_unless(done);
        done
    }

    /// The number of the op at hand, which the ops of all functions have.
    pub(crate) fn op_number(&mut self) -> Value {
        self.number(self.facts.first_op.saturating_add(self.pc).into())
    }

    /// Calls a function of the context. Its result is not looked at: see [`Translation::calls`] for one that may return 0. Returns the call.
    pub(crate) fn runs(&mut self, signature: usize, function: usize, arguments: &[Value]) -> Inst {
        let at = self.number(function as u64);
        let mut all = vec![self.base.context];
        all.extend_from_slice(arguments);
        self.b.ins().call_indirect(self.signatures.functions[signature], at, &all)
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
