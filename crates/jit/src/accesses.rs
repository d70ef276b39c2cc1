//! Loads and stores: those within a window are some instructions, others a call.

use cleave_program::code::{Op, Operand};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value};

use crate::context::{self, field};
use crate::translation::{Translation, plain};
use crate::windows::{ENTRY_BITS, ENTRY_MASK, ENTRY_SHIFTS, entry};

/// Most bytes between a pointer and an access through it that is looked for in the window of the pointer, which several accesses then
/// look up once.
const NEAR: i32 = 256;

impl Translation<'_, '_> {
    /// The address of an access, and one whose window it may be in.
    fn address(&mut self, addr: Operand, off: i32) -> [Value; 2] {
        let base = self.read(addr);
        if off == 0 {
            return [base; 2];
        }
        let offset = self.number(i64::from(off) as u64);
        let address = self.b.ins().iadd(base, offset);
        [address, if (0..NEAR).contains(&off) { base } else { address }]
    }

    /// The entry of the windows for an address.
    fn entry(&mut self, address: Value) -> Value {
        let shifts = ENTRY_SHIFTS.map(|n| self.number(n.into()));
        let [page, slot] = shifts.map(|n| self.b.ins().ushr(address, n));
        let sum = self.b.ins().iadd(page, slot);
        let size = self.number(ENTRY_BITS.into());
        let scaled = self.b.ins().ishl(sum, size);
        let mask = self.number(ENTRY_MASK);
        let offset = self.b.ins().band(scaled, mask);
        self.b.ins().iadd(self.base.windows, offset)
    }

    /// The address of the bytes of an access of `n` bytes, a power of two, in the block that this makes the one at hand; and a
    /// block for an access that is in no window.
    fn in_window(
        &mut self,
        [address, near]: [Value; 2],
        n: u8,
        limits: i32,
    ) -> (Value, cranelift_codegen::ir::Block) {
        let (entry, flags) = (self.entry(near), self.table());
        let start = self.b.ins().load(I64, flags, entry, entry::START);
        let at = self.b.ins().isub(address, start);
        let limit = limits + 2 * n.ilog2() as i32;
        let limit = self.b.ins().uload16(I64, flags, entry, limit);
        let inside = self.b.ins().icmp(IntCC::UnsignedLessThan, at, limit);
        let (fast, slow) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(slow);
        self.b.ins().brif(inside, fast, &[], slow, &[]);
        self.b.switch_to_block(fast);
        let delta = self.b.ins().load(I64, flags, entry, entry::DELTA);
        (self.b.ins().iadd(address, delta), slow)
    }

    pub(crate) fn access_op(&mut self, op: &Op) {
        let bytes = self.bytes();
        match *op {
            Op::Load { w, dst, addr, off } => {
                let address = self.address(addr, off);
                let n = w.div_ceil(8);
                self.marks(address[0], n, None);
                let done = self.b.create_block();
                let value = self.b.append_block_param(done, I64);
                if n.is_power_of_two() {
                    let (at, slow) = self.in_window(address, n, entry::READ);
                    let loaded = match n {
                        1 => self.b.ins().uload8(I64, bytes, at, 0),
                        2 => self.b.ins().uload16(I64, bytes, at, 0),
                        4 => self.b.ins().uload32(bytes, at, 0),
                        _ => self.b.ins().load(I64, bytes, at, 0),
                    };
                    self.b.ins().jump(done, &[BlockArg::Value(loaded)]);
                    self.b.switch_to_block(slow);
                }
                let n = self.number(n.into());
                self.calls(0, context::load as *const () as usize, &[address[0], n]);
                let loaded = self.b.ins().load(I64, plain(), self.base.context, field::VALUE);
                self.b.ins().jump(done, &[BlockArg::Value(loaded)]);
                self.b.switch_to_block(done);
                let value = if w.is_multiple_of(8) { value } else { self.masked(value, w) };
                self.write(dst, value);
            }
            Op::Store { w, val, addr, off } => {
                let value = self.read(val);
                let address = self.address(addr, off);
                let n = w.div_ceil(8);
                self.marks(address[0], n, Some(value));
                let done = self.b.create_block();
                if n.is_power_of_two() {
                    let (at, slow) = self.in_window(address, n, entry::WRITE);
                    match n {
                        1 => self.b.ins().istore8(bytes, value, at, 0),
                        2 => self.b.ins().istore16(bytes, value, at, 0),
                        4 => self.b.ins().istore32(bytes, value, at, 0),
                        _ => self.b.ins().store(bytes, value, at, 0),
                    };
                    self.b.ins().jump(done, &[]);
                    self.b.switch_to_block(slow);
                }
                let n = self.number(n.into());
                self.calls(1, context::store as *const () as usize, &[address[0], n, value]);
                self.b.ins().jump(done, &[]);
                self.b.switch_to_block(done);
            }
            _ => {}
        }
    }

    /// The scope of a variable begins or ends.
    pub(crate) fn scope(&mut self, begins: bool, at: Operand) {
        let address = self.read(at);
        if !self.facts.scopes {
            return;
        }
        let op = self.op_number();
        let begins = self.number(if begins { 1 + u64::from(self.facts.undefined) } else { 0 });
        self.calls(1, context::scope as *const () as usize, &[address, op, begins]);
    }
}
