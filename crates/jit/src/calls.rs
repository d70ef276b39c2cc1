//! Calls of functions and returns, builtins, and objects of the stack. A frame that compiled code makes is in the room of the context, with
//! a header in front of its registers; it becomes a frame of the state where compiled code leaves before it has returned.

use cleave_program::code::{Args, Builtin, FuncId, NO_REG, Operand, Reg};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::context::{self, HEADER, RETURNED, field, header};
use crate::facts::FRAME_COST;
use crate::shape::run_of;
use crate::translation::{REGISTER, REST, Translation, plain};

/// Most registers that are made zeros one by one.
const MOST_ZEROED: u32 = 40;

impl Translation<'_, '_> {
    fn field(&mut self, field: i32) -> Value {
        self.b.ins().load(I64, plain(), self.base.context, field)
    }

    fn set_field(&mut self, field: i32, value: Value) {
        self.b.ins().store(plain(), value, self.base.context, field);
    }

    /// Calls a function that is compiled; leaves in front of the call of another, or of one that the loop has to look at.
    pub(crate) fn call(&mut self, func: FuncId, dst: Reg, args: Args, n: u64) {
        let callee = &self.facts.functions[func as usize];
        let values: Vec<Value> = run_of(self.function, args).iter().map(|&o| self.read(o)).collect();
        let entry = self.number(&raw const self.codes[func as usize] as u64);
        let code = self.b.ins().load(I64, plain(), entry, 0);
        self.leaves_unless(code);
        if let Some(slot) = (self.facts.entry)(func) {
            self.passes(slot);
        }
        self.leaves_at_limit(n);
        let (top, stack_bytes) = (self.field(field::TOP), self.field(field::STACK_BYTES));
        let (frame, more) = self.makes_frame(callee.registers, [top, stack_bytes]);
        self.set_field(field::STACK_BYTES, more);
        self.counts(n);
        self.keeps_count();
        for (r, &value) in values.iter().enumerate() {
            let (at, flags, none) = (REGISTER * r as i32, self.frames(), self.number(0));
            self.b.ins().store(flags, value, frame, at);
            self.b.ins().store(flags, none, frame, at + REST);
        }
        self.zeroes(frame, values.len() as u32, callee.registers);
        self.visits(func, 0);
        let first = self.number32(0);
        let arguments = [self.base.context, frame, first];
        let call = self.b.ins().call_indirect(self.signatures.compiled, code, &arguments);
        let status = self.b.inst_results(call)[0];
        let (left, next) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(left);
        let returned = self.number32(RETURNED);
        let returned = self.b.ins().icmp(IntCC::Equal, status, returned);
        self.b.ins().brif(returned, next, &[], left, &[]);
        self.b.switch_to_block(left);
        self.leaves_frame(func, frame, status);
        self.b.switch_to_block(next);
        self.set_field(field::TOP, top);
        self.set_field(field::STACK_BYTES, stack_bytes);
        self.takes_count();
        for i in 0..if dst == NO_REG { 0 } else { u32::from(callee.results) } {
            let value = self.field(field::RESULTS + 8 * i as i32);
            self.write(dst + i, value);
        }
        self.visits(self.facts.func, self.pc + 1);
        self.arrives_behind(self.pc + 1);
    }

    /// The registers of a new frame, and the bytes of the program's stack that are in use with it.
    fn makes_frame(&mut self, registers: u32, [top, stack_bytes]: [Value; 2]) -> (Value, Value) {
        let cost = self.number(FRAME_COST);
        let (more, limit) = (self.b.ins().iadd(stack_bytes, cost), self.field(field::STACK_LIMIT));
        let fits = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, more, limit);
        self.leaves_unless(fits);
        let (header_size, size) = (self.number(16 * HEADER as u64), self.number(16 * u64::from(registers)));
        let frame = self.b.ins().iadd(top, header_size);
        let (behind, end) = (self.b.ins().iadd(frame, size), self.field(field::END));
        let fits = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, behind, end);
        self.leaves_unless(fits);
        self.set_field(field::TOP, behind);
        let (id, one, flags) = (self.field(field::NEXT_FRAME), self.number(1), self.frames());
        let next = self.b.ins().iadd(id, one);
        self.set_field(field::NEXT_FRAME, next);
        let mark = self.field(field::STACK_MARK);
        self.b.ins().store(flags, id, frame, header::ID);
        self.b.ins().store(flags, mark, frame, header::STACK_MARK);
        self.b.ins().store(flags, cost, frame, header::WEIGHT);
        (frame, more)
    }

    /// Makes registers of a frame known zeros.
    fn zeroes(&mut self, frame: Value, from: u32, to: u32) {
        if to - from > MOST_ZEROED {
            let (offset, n) = (self.number(16 * u64::from(from)), self.number(u64::from(to - from)));
            let first = self.b.ins().iadd(frame, offset);
            self.runs(0, context::zeros as *const () as usize, &[first, n]);
            return;
        }
        let none = self.number(0);
        let (zeros, flags) = (self.b.ins().splat(I64X2, none), self.unaligned_frames());
        for r in from..to {
            self.b.ins().store(flags, zeros, frame, REGISTER * r as i32);
        }
    }

    /// A function that was called has left at a place: it becomes a frame of the state, and so does the running one.
    fn leaves_frame(&mut self, func: FuncId, frame: Value, status: Value) {
        let at = self.b.ins().uextend(I64, status);
        let func = self.number(u64::from(func) << 32);
        let place = self.b.ins().bor(at, func);
        self.runs(0, context::leaves_frame as *const () as usize, &[frame, place]);
        let here = self.number32(self.pc);
        self.b.ins().return_(&[here]);
    }

    /// Leaves in front of an op behind a call if the mark there is to be passed.
    fn arrives_behind(&mut self, pc: u32) {
        let Some(first) = self.facts.first.filter(|_| (pc as usize) < self.function.code.len()) else {
            return;
        };
        let mark = self.mark(first + 4 * pc + 2);
        let (leaves, next) = (self.leaves_at(pc), self.b.create_block());
        self.b.ins().brif(mark, next, &[], leaves, &[]);
        self.b.switch_to_block(next);
    }

    /// Returns to compiled code, or to its caller, which then executes the op itself.
    pub(crate) fn returns(&mut self, vals: Args, n: u64) {
        let values: Vec<Value> = run_of(self.function, vals).iter().map(|&o| self.read(o)).collect();
        self.leaves_at_limit(n);
        let makes_objects =
            |op: &cleave_program::code::Op| matches!(op, cleave_program::code::Op::Alloca { .. });
        if self.function.code.iter().any(makes_objects) {
            let [ends, next] = [(); 2].map(|()| self.b.create_block());
            let outer = self.field(field::OUTER);
            let is_outer = self.b.ins().icmp(IntCC::Equal, outer, self.base.registers);
            self.b.ins().brif(is_outer, next, &[], ends, &[]);
            self.b.switch_to_block(ends);
            let op = self.op_number();
            self.runs(0, context::release as *const () as usize, &[self.base.registers, op]);
            self.b.ins().jump(next, &[]);
            self.b.switch_to_block(next);
        }
        for (i, &value) in values.iter().enumerate() {
            self.set_field(field::RESULTS + 8 * i as i32, value);
        }
        self.counts(n);
        self.keeps_count();
        let pc = self.number(self.pc.into());
        self.set_field(field::VALUE, pc);
        let returned = self.number32(RETURNED);
        self.b.ins().return_(&[returned]);
    }

    pub(crate) fn alloca(&mut self, dst: Reg, size: Operand, align: u32) {
        let size = self.read(size);
        let how = self.number(u64::from(self.facts.undefined) << 32 | u64::from(align));
        let op = self.op_number();
        let arguments = [self.base.registers, size, how, op];
        let address = self.calls(2, context::alloca as *const () as usize, &arguments);
        self.write(dst, address);
    }

    /// A copy or a filling of memory. Its result is its first argument.
    pub(crate) fn builtin(&mut self, what: Builtin, dst: Reg, args: Args, n: u64) {
        let args: Vec<Value> = run_of(self.function, args).iter().map(|&o| self.read(o)).collect();
        let [to, second, len] = args[..] else { return self.leaves_always() };
        if let Some(first) = self.facts.first {
            self.passes(first + 4 * (self.pc + 1) + 2);
        }
        if what == Builtin::Memset {
            self.calls(1, context::fill as *const () as usize, &[to, second, len]);
        } else {
            let apart = self.number(u64::from(what == Builtin::Memcpy));
            self.calls(2, context::copy as *const () as usize, &[to, second, len, apart]);
        }
        self.counts(n);
        if dst != NO_REG {
            self.write(dst, to);
        }
    }
}
