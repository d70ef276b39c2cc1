//! Counts of visits and marks of accesses, for searches that look for new code: compiled code counts and marks as the loop does.
//!
//! A visit adds one to a counter. Each load and store has a [`Site`]: the addresses at which it is known to be no mark. Sites are empty
//! when a run begins, because a mark depends on the number of decisions, and when an object ends.

use cleave_program::code::{FuncId, Pc};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::context::{Context, field};
use crate::counts::{Site, site};
use crate::translation::{Translation, plain};

/// The first visit to an op, or one more than can be counted.
///
/// # Safety
/// As [`crate::context::load`]; the counts have this op.
unsafe extern "C" fn first_visit(context: *mut Context<'_>, op: u64, place: u64) -> u64 {
    // SAFETY: as in `load`.
    let context = unsafe { &mut *context };
    if let Some(counts) = &mut context.counting
        && let Some(count) = counts.visits.get_mut(op as usize)
        && *count == 0
    {
        *count = 1;
        counts.order.push(((place >> 32) as FuncId, place as Pc));
    }
    1
}

/// An access by an op: the upper half of `what` is its number, the lower half the number of bytes.
///
/// # Safety
/// As [`crate::context::load`]; the site is one of the context's.
unsafe extern "C" fn marks_access(context: *mut Context<'_>, address: u64, what: u64, at: *mut Site) -> u64 {
    // SAFETY: as in `load`.
    let (context, memory) = unsafe { (&mut *context, &*(*context).memory) };
    let (op, n) = ((what >> 32) as u32, what & u64::from(u32::MAX));
    let Some(counts) = &mut context.counting else { return 1 };
    let Some(marks) = &mut counts.marks else { return 1 };
    let Ok((object, offset)) = memory.resolve(address, n) else { return 1 };
    let floor = marks.accessed(op, object.size, object.size - offset - n, counts.depth);
    let len = (object.size + 1).saturating_sub(n).saturating_sub(floor);
    // SAFETY: the caller says so, and is waiting.
    let (site, sites) = unsafe { (&mut *at, &mut *context.sites) };
    if site.len == 0 && site.is_known == 0 {
        sites.used.push(at);
    }
    (site.start, site.len) = (object.base, len);
    1
}

/// An op stores a value.
///
/// # Safety
/// As [`marks_access`].
unsafe extern "C" fn marks_value(context: *mut Context<'_>, value: u64, op: u64, at: *mut Site) -> u64 {
    // SAFETY: as in `load`.
    let context = unsafe { &mut *context };
    let Some(counts) = &mut context.counting else { return 1 };
    let Some(marks) = &mut counts.marks else { return 1 };
    let goes_on = marks.stored(op as u32, value);
    // SAFETY: the caller says so, and is waiting.
    let (site, sites) = unsafe { (&mut *at, &mut *context.sites) };
    if site.len == 0 && site.is_known == 0 {
        sites.used.push(at);
    }
    (site.last, site.is_known) = (value, if goes_on { 1 } else { 3 });
    1
}

impl Translation<'_, '_> {
    /// Counts a visit, if visits are counted.
    pub(crate) fn visits(&mut self, func: FuncId, pc: Pc) {
        let Some(counting) = &self.facts.counting else { return };
        let op = (counting.first)(func) + pc;
        let counts = self.b.ins().load(I64, plain(), self.base.context, field::VISITS);
        let offset = self.number(4 * u64::from(op));
        let at = self.b.ins().iadd(counts, offset);
        let flags = self.visited();
        let count = self.b.ins().load(I32, flags, at, 0);
        let one = self.number32(1);
        let more = self.b.ins().iadd(count, one);
        let [rare, usual, next] = [(); 3].map(|()| self.b.create_block());
        self.b.set_cold_block(rare);
        let is_usual = self.b.ins().icmp(IntCC::UnsignedGreaterThan, more, one);
        self.b.ins().brif(is_usual, usual, &[], rare, &[]);
        self.b.switch_to_block(rare);
        let (op, place) = (self.number(op.into()), self.number(u64::from(func) << 32 | u64::from(pc)));
        self.runs(0, first_visit as *const () as usize, &[op, place]);
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(usual);
        self.b.ins().store(flags, more, at, 0);
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
    }

    /// Marks an access of `n` bytes by the op at hand, and the value that it stores.
    pub(crate) fn marks(&mut self, address: Value, n: u8, stored: Option<Value>) {
        let Some(counting) = self.facts.counting.as_ref().filter(|counting| counting.accesses) else {
            return;
        };
        let op = u64::from((counting.first)(self.facts.func) + self.pc);
        let at = self.sites.add();
        let site = self.number(at as u64);
        let start = self.b.ins().load(I64, plain(), site, site::START);
        let len = self.b.ins().load(I64, plain(), site, site::LEN);
        let distance = self.b.ins().isub(address, start);
        let is_none = self.b.ins().icmp(IntCC::UnsignedLessThan, distance, len);
        self.unless(is_none, |s| {
            let (what, site) = (s.number(op << 32 | u64::from(n)), s.number(at as u64));
            s.runs(1, marks_access as *const () as usize, &[address, what, site]);
        });
        let Some(value) = stored else { return };
        let last = self.b.ins().load(I64, plain(), site, site::LAST);
        let is_known = self.b.ins().load(I64, plain(), site, site::IS_KNOWN);
        let same = self.b.ins().icmp(IntCC::Equal, value, last);
        let same = self.b.ins().uextend(I64, same);
        let (same, one) = (self.b.ins().band(same, is_known), self.number(1));
        let over = self.b.ins().ushr(is_known, one);
        let is_none = self.b.ins().bor(same, over);
        self.unless(is_none, |s| {
            let (op, site) = (s.number(op), s.number(at as u64));
            s.runs(1, marks_value as *const () as usize, &[value, op, site]);
        });
    }

    /// Does something rare if a value is 0.
    fn unless(&mut self, condition: Value, rare: impl FnOnce(&mut Self)) {
        let [block, next] = [(); 2].map(|()| self.b.create_block());
        self.b.set_cold_block(block);
        self.b.ins().brif(condition, next, &[], block, &[]);
        self.b.switch_to_block(block);
        rare(self);
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
    }
}
