//! The execution of register code, a function at a time. It handles known values itself; values with a term go through the functions of the
//! other files.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use cleave_coverage::{NO_SLOT, Sites};
use cleave_expr::{BinaryOp, Witness};
use cleave_program::code::{Op, Operand, Program};
use cleave_program::{branch_ops, call_ops, float_ops, other_ops, plain_ops, wide_ops};
use cleave_region::BugKind;
use smallvec::SmallVec;

use crate::engine::Engine;
use crate::ops::direct::{compare64, mask64, signed64};
use crate::states::state::{Reg, State};
use crate::stop::{Flow, Stop};

/// The tables that a run of a state reads.
pub(crate) struct Code {
    pub(crate) program: Arc<Program>,
    pub(crate) sites: Rc<Sites>,
    /// See [`crate::states::coverage`].
    pub(crate) bytes: Rc<[Cell<u8>]>,
}

impl Code {
    /// True if a mark is to be passed where a state stands, behind a call or a builtin.
    #[cfg(feature = "jit")]
    pub(crate) fn is_fresh(&self, state: &State) -> bool {
        let first = self.sites.first(state.frame.func);
        first != NO_SLOT && self.bytes[Sites::of_arrival(first, state.frame.pc) as usize].get() == 0
    }
}

impl Engine {
    /// Executes the op at which a state stands, which is no call and no return.
    #[cfg(feature = "jit")]
    pub(crate) fn executes_one<const COUNT: bool>(
        &mut self,
        code: &Code,
        state: &mut State,
        witness: &Witness,
    ) -> Result<(), Stop> {
        if code.sites.first(state.frame.func) == NO_SLOT {
            self.steps_in_function::<COUNT, false, true>(code, state, witness, 0)
        } else {
            self.steps_in_function::<COUNT, true, true>(code, state, witness, 0)
        }
    }

    /// Runs until control leaves the function, or at a jump if the limit is reached; with `ONE` it executes one op. Visits are counted if
    /// `COUNT`, marks are passed if `COVER`: a run without them does not pay for the question.
    #[expect(
        clippy::too_many_lines,
        reason = "one match on all short ops: a call for each would cost more than the op"
    )]
    pub(crate) fn steps_in_function<const COUNT: bool, const COVER: bool, const ONE: bool>(
        &mut self,
        Code { program, sites, bytes }: &Code,
        state: &mut State,
        witness: &Witness,
        limit: u64,
    ) -> Result<(), Stop> {
        let function = &program.functions[state.frame.func as usize];
        let (code, constants) = (&function.code[..], &function.constants[..]);
        let mut pc = state.frame.pc as usize;
        let first = if COVER { sites.first(state.frame.func) } else { NO_SLOT };
        // As long as the code, so that one look at bounds is enough for both.
        let marks = if COVER { &bytes[first as usize..].as_chunks::<4>().0[..code.len()] } else { &[][..] };
        if COVER && Sites::arrival_of(&marks[pc]).get() == 0 {
            self.pass(state, Sites::of_arrival(first, pc as u32));
        }
        macro_rules! get {
            ($o:expr) => {
                state.get(constants, $o)
            };
        }
        macro_rules! set {
            ($dst:expr, $value:expr) => {{
                let value = $value;
                state.frame.regs[$dst as usize] = value;
                pc += 1;
            }};
        }
        // A slow op may stop: the state must know where it stands.
        macro_rules! at {
            ($e:expr) => {{
                state.frame.pc = pc as u32;
                $e?
            }};
        }
        // The accesses of the op must not race.
        macro_rules! ordered {
            () => {
                if COUNT {
                    at!(self.accesses_are_ordered(state));
                }
            };
        }
        // A race that the op has met is reported in front of the next one.
        macro_rules! told {
            () => {
                if COUNT && self.has_untold_race(state) {
                    state.frame.pc = pc as u32;
                    return Ok(());
                }
            };
        }
        macro_rules! arithmetic {
            ($op:expr, $w:expr, $dst:expr, $a:expr, $b:expr, $known:expr) => {{
                let (x, y) = (get!($a), get!($b));
                if x.is_known() && y.is_known() {
                    set!($dst, Reg::known($known(x.value, y.value) & mask64($w)));
                } else {
                    set!($dst, self.binary_terms($op, $w, x, y));
                }
            }};
        }
        macro_rules! shift {
            ($op:expr, $lazy:expr, $w:expr, $dst:expr, $a:expr, $b:expr, $known:expr) => {{
                let (x, y) = (get!($a), get!($b));
                if x.is_known() && y.is_known() && y.value < $w as u64 {
                    set!($dst, Reg::known($known(x.value, y.value) & mask64($w)));
                } else {
                    let r = at!(self.shift_terms(state, $op, $lazy, $w, x, y));
                    self.settled(state);
                    set!($dst, r);
                }
            }};
        }
        macro_rules! jump {
            ($to:expr, $n:expr) => {{
                pc = $to as usize;
                if COUNT {
                    self.visit(state.frame.func, pc as u32);
                }
                state.instructions += $n as u64;
                if COUNT && self.has_arrived(state, pc as u32) {
                    state.frame.pc = pc as u32;
                    return Err(Stop::Arrives);
                }
                if state.instructions >= limit {
                    state.frame.pc = pc as u32;
                    return Ok(());
                }
            }};
        }
        macro_rules! side {
            ($taken:expr) => {
                if COVER && marks[pc][$taken as usize].get() == 0 {
                    self.pass(state, Sites::of_side(first, pc as u32, $taken));
                }
            };
        }
        macro_rules! waits {
            ($other:expr) => {
                if COUNT {
                    self.decided_by_known(state, pc as u32, $other);
                }
            };
        }
        loop {
            match &code[pc] {
                &Op::Move { dst, a } => set!(dst, get!(a)),
                &Op::Add { w, dst, a, b } => arithmetic!(BinaryOp::Add, w, dst, a, b, u64::wrapping_add),
                &Op::Sub { w, dst, a, b } => arithmetic!(BinaryOp::Sub, w, dst, a, b, u64::wrapping_sub),
                &Op::Mul { w, dst, a, b } => arithmetic!(BinaryOp::Mul, w, dst, a, b, u64::wrapping_mul),
                &Op::And { w, dst, a, b } => arithmetic!(BinaryOp::And, w, dst, a, b, |x, y| x & y),
                &Op::Or { w, dst, a, b } => arithmetic!(BinaryOp::Or, w, dst, a, b, |x, y| x | y),
                &Op::Xor { w, dst, a, b } => arithmetic!(BinaryOp::Xor, w, dst, a, b, |x, y| x ^ y),
                &Op::Shl { lazy, w, dst, a, b } => {
                    shift!(BinaryOp::Shl, lazy, w, dst, a, b, |x: u64, y| x << y)
                }
                &Op::LShr { lazy, w, dst, a, b } => {
                    shift!(BinaryOp::LShr, lazy, w, dst, a, b, |x: u64, y| x >> y)
                }
                &Op::AShr { lazy, w, dst, a, b } => {
                    shift!(BinaryOp::AShr, lazy, w, dst, a, b, |x: u64, y| (signed64(x, w) >> y) as u64)
                }
                &Op::Cmp { pred, w, dst, a, b } => {
                    let (x, y) = (get!(a), get!(b));
                    if x.is_known() && y.is_known() {
                        set!(dst, Reg::known(compare64(pred, w, x.value, y.value) as u64));
                    } else {
                        set!(dst, self.comparison(pred, w, x, y));
                    }
                }
                &Op::Load { w, dst, addr, off } => {
                    let x = get!(addr);
                    let bytes = w.div_ceil(8) as usize;
                    let address = x.value.wrapping_add(off as i64 as u64);
                    if COUNT && x.is_known() {
                        self.marks_access(state, pc as u32, address, bytes as u64);
                    }
                    let fast = x.is_known() && !(COUNT && self.looks_for_races(state));
                    let known = if fast { state.memory.load_known(address, bytes) } else { None };
                    match known {
                        Some(v) => set!(dst, Reg::known(v & mask64(w))),
                        None => {
                            let r = at!(self.load(state, x, off, w));
                            self.settled(state);
                            self.came_to(state, x);
                            ordered!();
                            set!(dst, r);
                            told!();
                        }
                    }
                }
                &Op::Store { w, val, addr, off } => {
                    let (v, x) = (get!(val), get!(addr));
                    let bytes = w.div_ceil(8) as usize;
                    let address = x.value.wrapping_add(off as i64 as u64);
                    if COUNT && x.is_known() {
                        self.marks_access(state, pc as u32, address, bytes as u64);
                        self.marks_value(state, pc as u32, v);
                    }
                    let slow = COUNT && self.looks_for_races(state);
                    let known = if x.is_known() && v.is_known() && !slow {
                        state.memory.store_known(address, bytes, v.value)
                    } else {
                        None
                    };
                    if known.is_none() {
                        at!(self.store(state, v, x, off, w));
                        self.settled(state);
                        self.came_to(state, x);
                        ordered!();
                        pc += 1;
                        told!();
                    } else {
                        pc += 1;
                    }
                }
                &Op::Index { dst, base, index, scale, off } => {
                    let (x, y) = (get!(base), get!(index));
                    if x.is_known() && y.is_known() {
                        let scaled = y.value.wrapping_mul(scale as i64 as u64);
                        let to = x.value.wrapping_add(scaled).wrapping_add(off as i64 as u64);
                        if (x.value ^ to) >> self.slot_bits == 0 {
                            set!(dst, Reg::known(to));
                        } else {
                            set!(dst, self.moved_far(state, x.value, to));
                        }
                    } else {
                        state.frame.pc = pc as u32;
                        set!(dst, self.index_terms(state, x, y, scale, off));
                    }
                }
                &Op::PtrCmp { pred, dst, a, b } => {
                    let (x, y) = (get!(a), get!(b));
                    if x.is_known() && y.is_known() && (x.value ^ y.value) >> self.slot_bits == 0 {
                        set!(dst, Reg::known(compare64(pred, 64, x.value, y.value) as u64));
                    } else {
                        set!(dst, at!(self.pointers_compared(state, pred, x, y)));
                    }
                }
                &Op::PtrSub { dst, a, b } => {
                    let (x, y) = (get!(a), get!(b));
                    if x.is_known() && y.is_known() && (x.value ^ y.value) >> self.slot_bits == 0 {
                        set!(dst, Reg::known(x.value.wrapping_sub(y.value)));
                    } else {
                        set!(dst, at!(self.pointers_subtracted(state, x, y)));
                    }
                }
                &Op::PtrToInt { dst, a } => {
                    let x = get!(a);
                    state.frame.pc = pc as u32;
                    set!(dst, self.pointer_as_number(state, x));
                }
                &Op::Jump { to, n } => jump!(to, n),
                &Op::Lands { to, .. } => jump!(to, 0),
                &Op::Branch { cond, then, other, n } => {
                    let c = get!(cond);
                    let taken = if c.is_known() {
                        let taken = c.value & 1 != 0;
                        waits!(if taken { other } else { then });
                        taken
                    } else {
                        let taken = at!(self.branch(state, c));
                        self.settled(state);
                        taken
                    };
                    side!(taken);
                    jump!(if taken { then } else { other }, n);
                }
                &Op::CmpBranch { pred, w, a, b, then, other, n } => {
                    let (x, y) = (get!(a), get!(b));
                    let taken = if x.is_known() && y.is_known() {
                        let taken = compare64(pred, w, x.value, y.value);
                        waits!(if taken { other } else { then });
                        taken
                    } else {
                        let c = self.comparison(pred, w, x, y);
                        let taken = at!(self.branch(state, c));
                        self.settled(state);
                        taken
                    };
                    side!(taken);
                    jump!(if taken { then } else { other }, n);
                }
                &Op::PtrBranch { pred, a, b, then, other, n } => {
                    let (x, y) = (get!(a), get!(b));
                    let taken = if x.is_known() && y.is_known() && (x.value ^ y.value) >> self.slot_bits == 0
                    {
                        compare64(pred, 64, x.value, y.value)
                    } else {
                        let c = at!(self.pointers_compared(state, pred, x, y));
                        let taken = at!(self.branch(state, c));
                        self.settled(state);
                        taken
                    };
                    side!(taken);
                    jump!(if taken { then } else { other }, n);
                }
                &Op::Select { w, dst, cond, a, b } => {
                    let c = get!(cond);
                    if c.is_known() {
                        set!(dst, if c.value & 1 != 0 { get!(a) } else { get!(b) });
                    } else {
                        let (x, y) = (get!(a), get!(b));
                        let r = self.choice(state, w, c, x, y);
                        // A pointer has the handle of its object in place of one that says what it was chosen by.
                        if !self.is_of_addresses(r) {
                            self.decides(state, c);
                        }
                        set!(dst, r);
                    }
                }
                &Op::Trunc { w, dst, a } => {
                    let x = get!(a);
                    if x.is_known() {
                        set!(dst, Reg::known(x.value & mask64(w)));
                    } else {
                        set!(dst, self.truncated(w, x));
                    }
                }
                &Op::Zext { from, w, dst, a } => {
                    let x = get!(a);
                    if x.is_known() {
                        set!(dst, x);
                    } else {
                        set!(dst, self.extended(false, from, w, x));
                    }
                }
                &Op::Sext { from, w, dst, a } => {
                    let x = get!(a);
                    if x.is_known() {
                        set!(dst, Reg::known(signed64(x.value, from) as u64 & mask64(w)));
                    } else {
                        set!(dst, self.extended(true, from, w, x));
                    }
                }
                &Op::Switch { w, val, table, n } => {
                    let v = get!(val);
                    let table = &function.switches[table as usize];
                    let to = at!(self.switch(state, w, v, table));
                    self.settled(state);
                    if COVER {
                        self.pass_switch(state, pc as u32, to);
                    }
                    jump!(to, n);
                }
                &Op::Count { n } => {
                    state.instructions += n as u64;
                    pc += 1;
                }
                &Op::Scope { begins, lazy: _, at } => {
                    let variable = get!(at);
                    state.frame.pc = pc as u32;
                    self.scope(state, begins, variable);
                    pc += 1;
                }
                op @ (other_ops!() | wide_ops!() | float_ops!() | call_ops!()) => {
                    state.frame.pc = pc as u32;
                    match self.other(program, state, witness, op)? {
                        Flow::Next => {
                            self.settled(state);
                            ordered!();
                            pc += 1;
                            state.frame.pc = pc as u32;
                            if COVER && Sites::arrival_of(&marks[pc]).get() == 0 {
                                self.pass(state, Sites::of_arrival(first, pc as u32));
                            }
                            told!();
                        }
                        Flow::Elsewhere | Flow::Again => {
                            self.settled(state);
                            if COUNT {
                                self.visit(state.frame.func, state.frame.pc);
                                self.forget_accesses();
                            }
                            return Ok(());
                        }
                    }
                }
            }
            if ONE {
                state.frame.pc = pc as u32;
                return Ok(());
            }
        }
    }

    /// The ops that are not in the loop: rarer, or not short.
    fn other(
        &mut self,
        program: &Arc<Program>,
        state: &mut State,
        witness: &Witness,
        op: &Op,
    ) -> Result<Flow, Stop> {
        let function = &program.functions[state.frame.func as usize];
        let constants = &function.constants[..];
        let get = |state: &State, o: Operand| state.get(constants, o);
        match op {
            &Op::Div { op, w, dst, a, b } => {
                let (x, y) = (get(state, a), get(state, b));
                let r = self.division(state, op, w, x, y)?;
                state.frame.regs[dst as usize] = r;
            }
            &Op::Unary { op, strict, w, dst, a } => {
                let x = get(state, a);
                state.frame.regs[dst as usize] = self.unary(state, op, strict, w, x);
            }
            &Op::Clamp { op, w, dst, a, b } => {
                let (x, y) = (get(state, a), get(state, b));
                state.frame.regs[dst as usize] = self.clamp(op, w, x, y);
            }
            &Op::Overflow { op, w, dst, a, b } if w <= 64 => {
                let (x, y) = (get(state, a), get(state, b));
                let (value, flag) = self.overflow(op, w, x, y);
                state.frame.regs[dst as usize] = value;
                state.frame.regs[dst as usize + 1] = flag;
            }
            &Op::Funnel { left, w, dst, a, b, c } => {
                let (x, y, z) = (get(state, a), get(state, b), get(state, c));
                state.frame.regs[dst as usize] = self.funnel(left, w, x, y, z);
            }
            &Op::Undefined { w, dst } => self.undefine(state, w, dst),
            &Op::Freeze { w, dst, a } => {
                if w > 64 {
                    state.frame.regs[dst as usize + 1] = get(state, a.high());
                }
                let x = get(state, a);
                state.frame.regs[dst as usize] = x.with_shade(x.base());
            }
            &Op::Alloca { dst, size, align } => {
                let object = self.stack_object(state, get(state, size), align)?;
                state.frame.regs[dst as usize] = object;
            }
            wide_ops!() => self.wide(state, constants, op)?,
            float_ops!() => self.float(state, constants, op)?,
            &Op::IndirectBranch { val, table, n } => {
                let cases = &function.switches[table as usize].cases;
                let label = get(state, val);
                let to = self.label(state, label, cases)?;
                self.came_to(state, label);
                let Some(&(_, pc)) = cases.iter().find(|(value, _)| *value == to) else {
                    return Err(Stop::bug(BugKind::BadCall, "a computed goto to no label of this function"));
                };
                let at = state.frame.pc;
                self.pass_switch(state, at, pc);
                state.instructions += n as u64;
                state.frame.pc = pc;
                return Ok(Flow::Elsewhere);
            }
            call_ops!() => return self.call_op(program, state, witness, op),
            &Op::Builtin { what, dst, args, n } => {
                let args = &function.args[args.start as usize..args.start as usize + args.len as usize];
                let mut values = SmallVec::<[Reg; 8]>::new();
                args.iter().for_each(|&o| values.push(get(state, o)));
                self.beside_others(state, what)?;
                let flow = self.builtin(state, witness, what, dst, &values)?;
                if !matches!(flow, Flow::Again) {
                    state.instructions += n as u64;
                }
                return Ok(flow);
            }
            Op::Unreachable { .. } => {
                return Err(Stop::bug(
                    BugKind::Unreachable,
                    "code that was said to be unreachable is reached",
                ));
            }
            &Op::Unsupported { what, .. } => {
                let text = program.strings.get(what as usize).map_or("an instruction", String::as_str);
                return Err(Stop::unsupported(text));
            }
            plain_ops!() | branch_ops!() => return Err(Stop::impossible("an op that the loop executes")),
        }
        Ok(Flow::Next)
    }
}
