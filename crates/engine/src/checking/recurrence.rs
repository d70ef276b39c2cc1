//! Detection of paths without an end. A state comes again if registers, memory and kernel are what they were at an earlier
//! visit of the same place, for each input of the path. The next steps of a program are a function of these and the input, so
//! it repeats them for ever. Two values are the same if they are one term, or if the path condition simplifies them to the
//! same, which is a function of the path: no solver is asked.
//!
//! The method is Brent's (1980): at certain numbers of instructions, each twice the one before, the engine keeps the state, and
//! compares the states that follow with it, for a part of that number. These numbers are counted from the path's entry, so the
//! end of a path does not depend on how its run is divided. A loop whose state changes each time, be it by a counter alone, is
//! not found.

use std::rc::Rc;

use cleave_expr::Term;
use cleave_memory::Byte;
use cleave_program::code::{FuncId, Pc};
use cleave_region::BugKind;
use cleave_solver::PathCondition;

use crate::checking::checks::Family;
use crate::checking::rounds::{Lowest, Recurrence, Spinning, Window};
use crate::engine::Engine;
use crate::states::frame::{Frame, JumpPoint, Reg};
use crate::states::state::State;
use crate::stop::{Bug, End, Stop, TraceLine};

/// Part of a path that is compared with a state which was kept there: one in this many instructions. To stop at each jump takes
/// some three times as long as to run on, so that looking costs less than two instructions of a hundred. A loop is found after
/// as many of its rounds.
const PART: u64 = 128;
/// Least number of visits in a window of a loop that is named.
const ROUNDS: u64 = 2;

/// Values that differ, as terms, between two states that are the same otherwise.
type Pairs = Vec<(Term, Term)>;

/// Maximum number of values that are compared as terms: a loop with more of them is taken to change its state.
const MOST_PAIRS: usize = 256;

/// True if the number of a frame means the same in both states: only places that `setjmp` remembers hold numbers.
fn same_number(a: &Frame, b: &Frame, jumps: &[JumpPoint]) -> bool {
    a.id == b.id || !jumps.iter().any(|point| point.frame == a.id || point.frame == b.id)
}

impl Engine {
    /// Notes two values of one place that are to be the same; `false` if they cannot be.
    fn pair(&mut self, a: Reg, b: Reg, pairs: &mut Pairs) -> bool {
        if a == b {
            return true;
        }
        let width = a.term().or(b.term()).map(|t| self.terms.width(t));
        let Some(width) = width.filter(|_| a.shade() == b.shade() && pairs.len() < MOST_PAIRS) else {
            return false;
        };
        let both = (self.term(width, a), self.term(width, b));
        if self.terms.width(both.0) != self.terms.width(both.1) {
            return false;
        }
        pairs.push(both);
        true
    }

    fn same_frame(&mut self, a: &Frame, b: &Frame, jumps: &[JumpPoint], pairs: &mut Pairs) -> bool {
        let simple = |f: &Frame| (f.func, f.pc, f.stack_mark, f.height, f.dst, f.weight, f.other_type);
        simple(a) == simple(b)
            && a.varargs == b.varargs
            && a.regs.len() == b.regs.len()
            && same_number(a, b, jumps)
            && a.regs.iter().zip(&b.regs).all(|(x, y)| self.pair(*x, *y, pairs))
    }

    fn same_stack(&mut self, a: &State, b: &State, pairs: &mut Pairs) -> bool {
        if !self.same_frame(&a.frame, &b.frame, &a.jumps, pairs) {
            return false;
        }
        let (mut a_next, mut b_next) = (&a.callers, &b.callers);
        loop {
            match (a_next, b_next) {
                (None, None) => return true,
                (Some(x), Some(y)) if Rc::ptr_eq(x, y) => return true,
                (Some(x), Some(y)) if self.same_frame(&x.frame, &y.frame, &a.jumps, pairs) => {
                    (a_next, b_next) = (&x.next, &y.next);
                }
                _ => return false,
            }
        }
    }

    /// True if two terms have the same value for each input of a path, as far as that is a function of path and terms.
    fn same_on(&mut self, path: &PathCondition, (a, b): (Term, Term)) -> bool {
        let equal = self.terms.eq(a, b);
        let left = path.simplified(&mut self.terms, equal);
        match self.terms.constant64(left) {
            Some(equal) => equal != 0,
            None => path.simplified(&mut self.terms, a) == path.simplified(&mut self.terms, b),
        }
    }

    /// True if a state is as it was `then`, for each input of its path, but for its counts and its output to the streams that
    /// it was started with.
    fn is_again(&mut self, now: &State, then: &State) -> bool {
        let failing = |s: &State| [s.failing, s.failing_calls, s.short_calls, s.preemptions];
        let simple = |s: &State| (s.stack_bytes, s.thread_pointer, s.rounding, failing(s));
        let lists = |s: &State| (s.inputs.len(), s.preferences.len());
        // The short tests first: most places that a path comes to are others.
        if (now.frame.pc, now.frame.func) != (then.frame.pc, then.frame.func)
            || simple(now) != simple(then)
            || lists(now) != lists(then)
            || !now.answers.is_empty()
        {
            return false;
        }
        let mut pairs = Pairs::new();
        let same = self.same_stack(now, then, &mut pairs)
            && now.jumps == then.jumps
            && now.closed == then.closed
            && now.parked.is_none()
            && then.parked.is_none()
            && now.clocks.is_none()
            && then.clocks.is_none()
            && now.of_library == then.of_library
            && now.kernel.is_again(&then.kernel);
        if !same {
            return false;
        }
        let memory = now.memory.is_again(&then.memory, &mut |a, b| {
            let [a, b] = [a, b].map(|byte| match byte {
                Byte::Known(v) => self.terms.constant_of(8, v.into()),
                Byte::Symbolic(t) => t,
            });
            pairs.push((a, b));
            pairs.len() <= MOST_PAIRS
        });
        memory && pairs.into_iter().all(|pair| self.same_on(&now.path, pair))
    }
}

impl Engine {
    /// To be called when a path has as many instructions as [`Recurrence::due`] says, behind a jump, a call or a return.
    ///
    /// # Errors
    /// The end of a path whose state has come again.
    #[cold]
    pub(crate) fn looks_for_recurrence(&mut self, state: &mut State) -> Result<(), Stop> {
        let Some(mut window) = state.recurrence.window.take() else {
            self.begins_window(state);
            return Ok(());
        };
        let moved = state.instructions > window.then.instructions;
        if moved && self.is_again(state, &window.then) && !state.kernel.may_be_disturbed() {
            if self.options.checks.has(Family::Termination) {
                return Err(self.never_ends(state, &window));
            }
            ends_window(state, &window);
            return Ok(());
        }
        window.lowest.comes_to(&state.frame);
        if state.instructions >= window.until {
            ends_window(state, &window);
        } else {
            // At each jump, also at those between that count no instruction: a loop may begin behind one.
            state.recurrence.due = state.instructions;
            state.recurrence.window = Some(window);
        }
        Ok(())
    }

    fn begins_window(&self, state: &mut State) {
        let until = state.instructions + state.instructions / PART;
        let then = State { recurrence: Recurrence::default(), ..state.clone() };
        state.recurrence.window =
            Some(Window { then: Rc::new(then), until, lowest: Lowest::of(&state.frame) });
        state.recurrence.due = state.instructions;
    }

    /// The end of a path that goes round for ever, as it has since a window began.
    fn never_ends(&self, state: &State, window: &Window<State>) -> Stop {
        let mut lowest = window.lowest;
        lowest.comes_to(&state.frame);
        let (now, then) = (state.kernel.written(), window.then.kernel.written());
        let message = if now == then {
            "this loop never ends: all registers and bytes of memory are what they were a round before, and nothing was read"
        } else {
            "this loop writes for ever: all else is what it was some rounds before, and nothing was read"
        };
        let trace = self.trace_from(state, &lowest);
        Stop::End(End::Bug(Bug { kind: BugKind::NonTermination, message: message.into(), trace }))
    }

    /// The stack from the function on that has the loop, which is named by its first line.
    fn trace_from(&self, state: &State, lowest: &Lowest) -> Vec<TraceLine> {
        let above = (state.frame.height - lowest.height) as usize;
        let mut trace = self.trace(state);
        // The trace of a very deep stack is cut; its last line stays.
        trace.drain(..above.min(trace.len().saturating_sub(1)));
        if let Some(line) = trace.first_mut() {
            let head = self.line_of_loop(lowest.func, lowest.head);
            *line = TraceLine { arguments: std::mem::take(&mut line.arguments), ..head };
        }
        trace
    }

    /// The line of a loop's statement, or of the first op of each round.
    fn line_of_loop(&self, func: FuncId, head: Pc) -> TraceLine {
        let function = &self.program.functions[func as usize];
        let known = function.loops.iter().find(|known| known.head == head);
        let own = || function.positions.get(head as usize..)?.iter().copied().find(|&p| p != u32::MAX);
        let position = known.map(|known| known.line).or_else(own);
        let position = position.and_then(|p| self.program.positions.get(p as usize));
        TraceLine {
            file: position.and_then(|p| self.program.strings.get(p.file as usize)).cloned(),
            line: position.map_or(0, |p| p.line),
            ..self.trace_line(func, head)
        }
    }

    /// The loop that the path of a state has been in for long: its first line, and about the number of its rounds. `None` if
    /// none is known.
    pub fn spinning(&self, state: &State) -> Option<(TraceLine, u64)> {
        let seen = state.recurrence.seen?;
        let rounds = state.instructions.saturating_sub(seen.since) / seen.period.max(1);
        Some((self.line_of_loop(seen.func, seen.head), rounds))
    }
}

/// Ends a window; the next one begins when the path is twice as long as at the start of this one.
fn ends_window(state: &mut State, window: &Window<State>) {
    let began = window.then.instructions;
    state.recurrence.due = began.saturating_mul(2).max(state.instructions + 1);
    let Lowest { func, head, visits, .. } = window.lowest;
    let before = state.recurrence.seen.filter(|seen| (seen.func, seen.head) == (func, head));
    state.recurrence.seen = (visits >= ROUNDS).then(|| Spinning {
        func,
        head,
        since: before.map_or(began, |seen| seen.since),
        period: (state.instructions - began) / visits,
    });
}
