//! Merging: one step of a path through what its inputs do differently, and what does not matter behind it.
//!
//! A branch whose condition is open does not fork the path but splits it into arms, each a state of its own under a guard. The arm that is
//! furthest behind runs, by the order of ops that [`cleave_program::Shape`] gives, until arms stand at the same op of the same call. There
//! they are joined: registers and bytes that differ become `ite(condition, a, b)`, and the path goes on with one arm less. With
//! one arm left the path is as it was in front of the branch: its conditions, its depth and its digest have not changed.
//!
//! An arm cannot go on beside others where it ends, calls the system, or can no more be joined. Then it leaves: "is this arm taken?" is a
//! decision of the path. On the side where it is, the path is this arm alone; on the other it has one arm less. A decision inside of an arm
//! (an access out of bounds, a division, a pointer to several objects) splits it further, so a bug is one decision for all inputs of the arm.
//!
//! All of this is a function of program, options and the decisions so far: what arms know is what their guards and the path's conditions
//! say without a solver, and the bounds count arms and instructions.

use std::cmp::Ordering;
use std::rc::Rc;

use cleave_diagram::Diagram;
use cleave_expr::{Node, Term};
use cleave_memory::{Byte, Object, Shadow};
use cleave_program::RegisterWidth;
use cleave_program::code::{Builtin, Operand};
use cleave_program::heap_builtins;

use crate::engine::Engine;
use crate::merging::arms::{Front, Leaving, Merging};
use crate::merging::known::MOST_COST;
use crate::states::state::{Reg, Reply, State};
use crate::stop::{End, Stop};
use crate::undefined::shades::Cause;

/// Arms that a path has at once; beyond that the arm that runs leaves. An arm is a copy of the registers and of the memory that it writes.
pub(crate) const MOST_ARMS: usize = 256;
/// As [`MOST_ARMS`], of arms that an op splits that is no branch: a pointer to several objects, a value that is made concrete.
const MOST_ARMS_OF_OPS: usize = 32;
/// Instructions of all arms of a merge; beyond that it costs too much.
const MOST_INSTRUCTIONS: u64 = 1 << 20;
/// Cost of looking whether a guard with comparisons has an input.
const COST_OF_QUESTION: u64 = 1 << 10;
/// Work on diagrams after which a run stops to let others look at the clock, some tenths of a second of it.
const WORK_OF_RUN: u64 = 1 << 20;

impl State {
    /// Another part of the path runs: its decisions, its cost and the instructions that were executed stay.
    fn goes_on_as(&mut self, other: Rc<State>) {
        let before = std::mem::replace(self, Rc::unwrap_or_clone(other));
        (self.path, self.depth, self.digest, self.aside) =
            (before.path, before.depth, before.digest, before.aside);
        self.inputs_of_path = before.inputs_of_path;
        (self.instructions, self.cost) = (before.instructions, before.cost);
    }

    /// The path goes on with the arm that runs alone.
    pub(crate) fn alone(&mut self) {
        if let Some(merging) = self.merging.take() {
            // A path whose merge cost too much does not merge again.
            self.cost = if self.cost > MOST_COST { self.cost } else { 0 };
            self.recurrence = merging.recurrence;
            self.recurrence.due = self.recurrence.due.max(self.instructions);
        }
    }
}

impl Engine {
    /// An arm that comes to a builtin which it cannot call beside others leaves first.
    pub(crate) fn beside_others(&self, state: &State, what: Builtin) -> Result<(), Stop> {
        if state.is_arm() && !keeps_to_memory(what) { Err(Stop::Leaves) } else { Ok(()) }
    }

    /// Where a run of a state stops for the sake of its arms, in instructions of the path.
    pub(crate) fn end_of_arms(&self, state: &State) -> u64 {
        state.merging.as_ref().map_or(u64::MAX, |merging| merging.since.saturating_add(MOST_INSTRUCTIONS))
    }

    /// Whether a merge has cost so much that it is given up.
    pub(crate) fn costs_too_much(&self, state: &State) -> bool {
        state.instructions >= self.end_of_arms(state) || state.cost > MOST_COST
    }

    /// Gives up a merge that costs too much: the path goes back to the branch with which it began, and branches without arms from there
    /// on. It does not take the arms that have left: its conditions say so.
    pub(crate) fn gives_up(&mut self, state: &mut State) {
        self.suspended(state);
        let Some(merging) = state.merging.take() else { return };
        state.goes_on_as(merging.begun);
        (state.inputs_of_path, state.care) = (Diagram::TRUE, Diagram::TRUE);
        state.cost = MOST_COST + 1;
        self.has_switched(state);
    }

    /// To be called when another part of the path runs than before.
    fn has_switched(&mut self, state: &mut State) {
        self.in_arm = state.is_arm();
        self.settled.clone_from(&state.settled);
        self.coverage.end_run();
        self.coverage.begin_run(&mut state.passed);
    }

    /// Whether a run that began with this work on diagrams behind it has done enough.
    pub(crate) fn has_worked(&self, before: u64) -> bool {
        self.diagrams.work().wrapping_sub(before) > WORK_OF_RUN
    }

    /// Whether the arm that runs has come to where others wait, or is ahead of them.
    #[inline]
    pub(crate) fn has_arrived(&mut self, state: &State, pc: u32) -> bool {
        let Some(merging) = &state.merging else { return false };
        let Front { frame, height, order } = merging.front;
        if state.frame.id == frame {
            return self.shapes.order(&self.program, state.frame.func, pc) >= order;
        }
        state.frame.height < height
    }

    /// Splits a state at a branch that has stopped at this condition.
    pub(crate) fn split(&mut self, state: &mut State, cond: Term, most: usize) -> Result<(), Stop> {
        let full = state.merging.as_ref().is_some_and(|merging| merging.waiting.len() >= most);
        let sides = if full { None } else { self.sides(state, cond) };
        let Some(sides) = sides else {
            return match state.is_arm() {
                true => self.arm_leaves(state, None),
                false => Err(Stop::Decide { cond, assume: false }),
            };
        };
        self.suspended(state);
        if state.merging.is_none() {
            let begun = Rc::new(state.clone());
            let recurrence = std::mem::take(&mut state.recurrence);
            state.recurrence.due = u64::MAX;
            state.merging = Some(Box::new(Merging {
                waiting: Vec::new(),
                front: Front::default(),
                since: state.instructions,
                begun,
                recurrence,
                dropped: false,
            }));
        }
        let Some(mut merging) = state.merging.take() else {
            return Err(Stop::impossible("a split of no arm"));
        };
        // An arm that no input takes goes, unless it is the only one: then the whole path has no input, and its next decision shows it.
        let taken = |(_, care): &&(bool, Diagram)| *care != Diagram::FALSE;
        let nowhere = merging.waiting.is_empty() && sides.iter().find(taken).is_none();
        for &(side, care) in sides.iter().filter(|side| nowhere || taken(side)) {
            state.cost += u64::from(self.diagrams.size(care)) + 1;
            state.cost += if self.diagrams.compares(care) { COST_OF_QUESTION } else { 0 };
            let mut arm = state.clone();
            arm.care = care;
            arm.answers.push(Reply::Side(side));
            merging.waiting.push(Rc::new(arm));
        }
        merging.dropped = true;
        state.merging = Some(merging);
        Ok(())
    }

    /// The inputs of both sides of a condition; `None` where a diagram would be too large.
    fn sides(&mut self, state: &State, cond: Term) -> Option<[(bool, Diagram); 2]> {
        let yes = self.diagrams.of(&mut self.terms, cond)?;
        let no = self.diagrams.not(yes);
        let mut sides =
            [(false, self.diagrams.and(state.care, no)?), (true, self.diagrams.and(state.care, yes)?)];
        match sides.map(|(_, care)| self.guards.is_possible(&mut self.terms, &mut self.diagrams, care)) {
            [true, true] => {}
            // The other side has all inputs that come here.
            [false, true] => sides = [(false, Diagram::FALSE), (true, state.care)],
            [true, false] => sides = [(false, state.care), (true, Diagram::FALSE)],
            [false, false] => sides = [(false, Diagram::FALSE), (true, Diagram::FALSE)],
        }
        Some(sides)
    }

    /// The arm that runs has come to where others wait.
    pub(crate) fn arrives(&mut self, state: &mut State) -> Result<(), Stop> {
        let Some(merging) = &state.merging else { return Ok(()) };
        if let Some(next) = merging.waiting.last()
            && self.shapes.compare(&self.program, state, next) == Ordering::Less
        {
            return Ok(());
        }
        self.puts_aside(state);
        self.next_arm(state)
    }

    /// The arm that runs becomes one that waits.
    fn puts_aside(&mut self, state: &mut State) {
        let Some(mut merging) = state.merging.take() else { return };
        let arm = Rc::new(state.clone());
        let place = self.place_among(&merging.waiting, &arm);
        merging.waiting.insert(place, arm);
        state.merging = Some(merging);
    }

    /// Where an arm belongs among those that wait: the one that is furthest behind is the last, of equal ones that which is in an op.
    fn place_among(&mut self, waiting: &[Rc<State>], arm: &State) -> usize {
        let in_op = |s: &State| !s.answers.is_empty();
        let (mut low, mut high) = (0, waiting.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let other = &waiting[middle];
            let order = self.shapes.compare(&self.program, other, arm).then(in_op(arm).cmp(&in_op(other)));
            if order == Ordering::Greater {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Lets the arm run that is furthest behind, joined with those that stand where it stands.
    pub(crate) fn next_arm(&mut self, state: &mut State) -> Result<(), Stop> {
        let Some(merging) = &mut state.merging else { return Ok(()) };
        merging.dropped = false;
        let Some(first) = merging.waiting.pop() else {
            return Err(Stop::impossible("a path without an arm"));
        };
        let mut group = vec![first];
        while group[0].answers.is_empty()
            && let Some(next) = merging.waiting.last()
            && next.answers.is_empty()
            && next.frame.pc == group[0].frame.pc
            && self.shapes.compare(&self.program, next, &group[0]) == Ordering::Equal
        {
            group.extend(merging.waiting.pop());
        }
        let left = self.join_all(state, &mut group);
        state.cost += std::mem::take(&mut self.cost_of_joins);
        let Some(arm) = group.pop() else { return Err(Stop::impossible("a group without an arm")) };
        self.runs(state, arm, group);
        if left || !state.is_arm() { Ok(()) } else { self.arm_leaves(state, None) }
    }

    /// Makes an arm the one that runs, beside those that wait and the `others` at its place.
    fn runs(&mut self, state: &mut State, arm: Rc<State>, others: Vec<Rc<State>>) {
        let Some(mut merging) = state.merging.take() else { return };
        merging.waiting.extend(others);
        let next_frame = state.next_frame;
        state.goes_on_as(arm);
        state.next_frame = state.next_frame.max(next_frame);
        merging.front = match merging.waiting.last() {
            None => Front::default(),
            Some(next) => {
                let frame = &next.frame;
                let order = self.shapes.order(&self.program, frame.func, frame.pc);
                Front { frame: frame.id, height: frame.height, order }
            }
        };
        let is_last = merging.waiting.is_empty();
        state.merging = Some(merging);
        if is_last {
            state.alone();
        }
        self.has_switched(state);
    }

    /// Joins arms that stand at one place. Returns false if some are left that cannot be joined.
    fn join_all(&mut self, state: &State, group: &mut Vec<Rc<State>>) -> bool {
        // Neighbours first: they split last.
        while group.len() > 1 {
            let mut joined = Vec::with_capacity(group.len().div_ceil(2));
            for pair in group.chunks(2) {
                match pair {
                    [a, b] => match self.join(state, a, b) {
                        Some(arm) => joined.push(Rc::new(arm)),
                        None => return false,
                    },
                    _ => joined.extend(pair.iter().cloned()),
                }
            }
            *group = joined;
        }
        true
    }

    /// Leaves the others, or ends: a decision whether the path takes the arm that runs, unless it is the only one.
    pub(crate) fn arm_leaves(&mut self, state: &mut State, end: Option<End>) -> Result<(), Stop> {
        self.suspended(state);
        if !state.is_arm() {
            return end.map_or(Ok(()), |end| Err(Stop::End(end)));
        }
        let taken = self.whether_taken(state, state.care);
        // Depth-first the false side is first: a bug is told before the other arms go on.
        let left = self.terms.not(taken);
        match self.terms.constant64(left) {
            Some(1) => self.next_arm(state),
            Some(_) => {
                state.alone();
                end.map_or(Ok(()), |end| Err(Stop::End(end)))
            }
            None => {
                state.leaving = Some(Leaving { cond: left, end: end.map(Box::new) });
                Err(Stop::Decide { cond: left, assume: false })
            }
        }
    }

    /// A decision of an op of an arm splits it further; the side on which a check fails ends and leaves. An assumption is for an arm that is
    /// alone.
    pub(crate) fn arm_decides(&mut self, state: &mut State, cond: Term, assume: bool) -> Result<(), Stop> {
        if assume { self.arm_leaves(state, None) } else { self.split(state, cond, MOST_ARMS_OF_OPS) }
    }

    /// The condition by which the path takes these inputs of the arm that runs.
    fn whether_taken(&mut self, state: &State, inputs: Diagram) -> Term {
        let within = self.diagrams.within(inputs, state.inputs_of_path);
        let cond = self.diagrams.term(&mut self.terms, within);
        state.path.simplified(&mut self.terms, cond)
    }

    /// Lets a path go on that was asked whether it takes an arm other than the one that runs.
    pub(crate) fn take_arm(&mut self, state: &mut State, leaving: Leaving, other: bool) {
        if !other {
            state.alone();
            state.ending = leaving.end;
        } else if let Some(merging) = &mut state.merging {
            merging.dropped = true;
        }
    }
}

/// Whether all that a builtin does is to read and write memory, or to end the path: an arm can do it beside others.
fn keeps_to_memory(what: Builtin) -> bool {
    use Builtin::*;
    match what {
        heap_builtins!() | Undefined | Member | SectionMember | Memcpy | Memmove | Memset | Copies => true,
        ExitStatus | Stuck | Misused | Closed | AssertFail | Abort | Rejects | ReachError | Trap
        | Breakpoint => true,
        ThreadLocal | ThreadPointer | VaStart | VaCopy | StackSave | StackRestore => true,
        // Without threads they do nothing.
        Point | Ordered | BadUnlock | AtomicPoint | AtomicBegins | AtomicEnds => true,
        GetRounding | FltRounds | Assume | ReportError | SilentExit | KleeAbort | IsSymbolic | GetObjSize => {
            true
        }
        CheckMemoryAccess | Nothing => true,
        _ => false,
    }
}

/// Bytes of two objects that are joined as one value.
struct Run {
    start: u64,
    len: u64,
}

impl Engine {
    /// One arm of two that stand at the same place; `None` if something differs that is no value.
    fn join(&mut self, state: &State, x: &State, y: &State) -> Option<State> {
        if !are_alike(x, y) {
            return None;
        }
        let care = self.diagrams.or(x.care, y.care)?;
        self.cost_of_joins += u64::from(self.diagrams.size(care)) + 1;
        let of_a = self.diagrams.within(x.care, care);
        let cond = self.diagrams.term(&mut self.terms, of_a);
        let memory =
            x.memory.join(&y.memory, &mut |a, b| self.join_objects(state, (cond, care), [x, y], a, b))?;
        let mut joined = x.clone();
        joined.care = care;
        self.join_registers(cond, &mut joined, y)?;
        joined.memory = memory;
        joined.settled = None;
        joined.passed = self.coverage.join(&mut self.terms, cond, &x.passed, &y.passed);
        let places = Rc::make_mut(&mut joined.addresses);
        places.extend(y.addresses.iter().filter(|place| !x.addresses.contains(place)));
        Some(joined)
    }

    fn join_registers(&mut self, cond: Term, joined: &mut State, other: &State) -> Option<()> {
        let shape = self.shapes.get(&self.program, joined.frame.func);
        let mut next = 0;
        while next < joined.frame.regs.len() {
            let r = next;
            let wide = matches!(shape.width(r as u32), RegisterWidth::Wide(_));
            let all = r..(r + 1 + usize::from(wide)).min(joined.frame.regs.len());
            next = all.end;
            if joined.frame.regs[all.clone()] == *other.frame.regs.get(all.clone())? {
                continue;
            }
            if !shape.is_live(joined.frame.pc, r as u32) {
                joined.frame.regs[all].fill(Reg::ZERO);
                continue;
            }
            let (x, y) = (joined.frame.regs[r], other.frame.regs[r]);
            joined.frame.regs[r] = match shape.width(r as u32) {
                RegisterWidth::Bits(w) => self.joined_value(joined, joined.care, w, cond, [x, y]),
                RegisterWidth::Wide(w) => {
                    self.join_wide(cond, w, joined, other, r)?;
                    continue;
                }
                RegisterWidth::Unknown | RegisterWidth::High => return None,
            };
        }
        Some(())
    }

    /// `cond ? x : y` in a form that is the same for equal choices between few values.
    fn joined_value(&mut self, state: &State, care: Diagram, w: u8, cond: Term, [x, y]: [Reg; 2]) -> Reg {
        let r = self.choice(state, w, self.condition(cond), x, y);
        let Some(t) = r.term() else { return r };
        let simple = self.diagrams.simplified(&mut self.terms, t, care);
        let value = self.diagrams.value(&mut self.terms, simple);
        self.cost_of_joins += u64::from(self.diagrams.size(value)) + 1;
        self.reg(simple).with_shade(r.handle())
    }

    /// A condition as a register.
    fn condition(&self, cond: Term) -> Reg {
        match self.terms.constant64(cond) {
            Some(v) => Reg::known(v),
            None => Reg::symbolic(cond),
        }
    }

    /// Joins a value that is in two registers.
    fn join_wide(&mut self, cond: Term, w: u8, joined: &mut State, other: &State, r: usize) -> Option<()> {
        let sides = [&*joined, other];
        let plain = |reg: &Reg| reg.handle().is_none();
        if !sides.iter().all(|side| side.frame.regs.get(r..r + 2).is_some_and(|regs| regs.iter().all(plain)))
        {
            return None;
        }
        let [x, y] = sides.map(|side| self.wide_term(side, &[], Operand::reg(r as u32), w));
        let both = self.terms.ite(cond, x, y);
        self.put(joined, r as u32, both);
        Some(())
    }

    fn join_objects(
        &mut self,
        state: &State,
        (cond, care): (Term, Diagram),
        sides: [&State; 2],
        a: &Object,
        b: &Object,
    ) -> Option<Object> {
        let mut joined = a.clone();
        for Run { start, len } in self.runs_of(sides, a, b) {
            let (x, y) = (self.value_in(a, start, len), self.value_in(b, start, len));
            let r = self.joined_value(state, care, 8 * len as u8, cond, [x, y]);
            let word = self.term(8 * len as u8, r);
            let bytes = Byte::of_word(&mut self.terms, word);
            joined.write(start, &bytes);
            if let Some(shade) = r.handle() {
                let shadows = self.shadows_of(shade, len);
                for (i, &shadow) in (start..).zip(&shadows) {
                    if shadow != Shadow::Defined {
                        joined.set_shadow(i, shadow);
                    }
                }
            }
        }
        Some(joined)
    }

    /// The value of some bytes of an object, with what is known of it.
    fn value_in(&mut self, object: &Object, start: u64, len: u64) -> Reg {
        let value = self.value_at(object, start, len);
        let r = self.reg(value);
        if let Some(base) = object.pointer_base(start, len) {
            return r.with_shade(Some(base));
        }
        let bits: Option<(Term, Cause)> = self.bits_at(object, start, len);
        let shade = bits.and_then(|(bits, cause)| self.shade_of(bits, cause));
        r.with_shade(shade)
    }

    /// The bytes that differ in two objects, in runs that are values: words of which they are parts, pointers, numbers.
    fn runs_of(&mut self, sides: [&State; 2], a: &Object, b: &Object) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let differing = a.differing(b);
        let mut next = 0;
        for (k, &i) in differing.iter().enumerate() {
            if i < next {
                continue;
            }
            let run = self.run_at(sides, [a, b], i, next).unwrap_or_else(|| {
                // Known neighbours are a number.
                let end = (i | 3) + 1;
                let known = |i: u64| [a, b].iter().all(|o| matches!(o.get(i), Byte::Known(_)));
                let behind = differing[k..].iter().zip(i..end).take_while(|&(&d, e)| d == e && known(e));
                Run { start: i, len: (behind.count() as u64).max(1) }
            });
            next = run.start + run.len;
            runs.push(run);
        }
        runs
    }

    /// The word that the byte at an offset is a part of, in one of two objects: it starts at `from` or behind it.
    fn run_at(&mut self, sides: [&State; 2], both: [&Object; 2], i: u64, from: u64) -> Option<Run> {
        let aligned = i & !7;
        if aligned >= from && aligned + 8 <= both[0].size {
            let pointer = |(o, s): (&Object, &State)| {
                let known = o.known(aligned, 8);
                o.pointer_base(aligned, 8).is_some() || known.is_some_and(|v| s.memory.object(v).is_some())
            };
            if both.into_iter().zip(sides).any(pointer) {
                return Some(Run { start: aligned, len: 8 });
            }
        }
        both.into_iter().find_map(|o| {
            let Byte::Symbolic(t) = o.get(i) else { return None };
            let Node::Extract(word, low) = self.terms.node(t) else { return None };
            let bits = self.terms.width(word);
            let (start, len) = (i.checked_sub(u64::from(low / 8))?, u64::from(bits) / 8);
            (low % 8 == 0 && matches!(len, 2 | 4 | 8) && start >= from && start + len <= o.size)
                .then_some(Run { start, len })
        })
    }
}

/// Whether two arms differ in values alone.
fn are_alike(x: &State, y: &State) -> bool {
    let frame = |s: &State| {
        let f = &s.frame;
        (f.func, f.pc, f.id, f.height, f.dst, f.stack_mark, f.weight, f.other_type)
    };
    let counts = |s: &State| (s.stack_bytes, s.thread_pointer, s.rounding);
    let failing = |s: &State| [s.failing, s.failing_calls, s.short_calls, s.preemptions];
    let callers = match (&x.callers, &y.callers) {
        (None, None) => true,
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        _ => false,
    };
    frame(x) == frame(y)
        && callers
        && x.frame.varargs == y.frame.varargs
        && counts(x) == counts(y)
        && failing(x) == failing(y)
        && x.answers.is_empty()
        && y.answers.is_empty()
        && x.inputs == y.inputs
        && x.preferences == y.preferences
        && x.jumps == y.jumps
        && x.closed == y.closed
        && x.of_library == y.of_library
        && x.kernel.is_again(&y.kernel)
        && x.kernel.written() == y.kernel.written()
}
