//! Compiled code where the loop of `step.rs` would run: the crate `jit` executes ops on known values and leaves in front of each
//! other op. The loop executes that op alone, and compiled code goes on behind it if it has an entrance there. Calls and returns that it
//! leaves are executed here. Without the feature `jit` there is no compiled code.

use cleave_expr::Witness;

use crate::engine::Engine;
use crate::looks::Looks;
use crate::states::state::State;
use crate::step::Code;
use crate::stop::Stop;

#[cfg(feature = "jit")]
const _: () = assert!(cleave_jit::FRAME_COST == crate::ops::frames::FRAME_COST);

/// Instructions that the loop executes of a function that is not compiled yet before it asks again.
#[cfg(feature = "jit")]
const TURN: u64 = 1024;
/// Instructions up to a limit that the loop executes alone.
#[cfg(feature = "jit")]
const NEAR: u64 = 64;

/// A run of compiled code.
#[cfg(feature = "jit")]
enum Entered {
    /// There is none, or it was not entered.
    No,
    /// It has come to an op that the loop executes.
    ToOp,
    /// It has come to the limit, behind a jump.
    ToLimit,
}

impl Engine {
    /// To be called when a state begins to run.
    pub(crate) fn begins_compiled_run(&mut self) {
        #[cfg(feature = "jit")]
        self.compiled.iter_mut().for_each(|compiled| compiled.begins_run());
    }

    /// Lets compiled code go on where a state stands, below `limit` instructions. Returns the number of instructions at which the
    /// loop, which executes the next op, asks again; `None` if a limit, or the next look, is reached.
    ///
    /// # Errors
    /// The stop of an op.
    #[inline(always)]
    pub(crate) fn runs_compiled<const COUNT: bool>(
        &mut self,
        code: &Code,
        state: &mut State,
        witness: &Witness,
        looks: &mut Looks,
        limit: u64,
    ) -> Result<Option<u64>, Stop> {
        match self.compiled {
            None => Ok(Some(limit.min(looks.at))),
            Some(_) if COUNT && (self.racing.is_some() || self.in_arm) => Ok(Some(limit.min(looks.at))),
            Some(_) => self.goes_on_compiled::<COUNT>(code, state, witness, looks, limit),
        }
    }

    #[cfg(not(feature = "jit"))]
    fn goes_on_compiled<const COUNT: bool>(
        &mut self,
        _: &Code,
        _: &mut State,
        _: &Witness,
        looks: &mut Looks,
        limit: u64,
    ) -> Result<Option<u64>, Stop> {
        Ok(Some(limit.min(looks.at)))
    }

    #[cfg(feature = "jit")]
    fn goes_on_compiled<const COUNT: bool>(
        &mut self,
        code: &Code,
        state: &mut State,
        witness: &Witness,
        looks: &mut Looks,
        limit: u64,
    ) -> Result<Option<u64>, Stop> {
        use cleave_jit::{Compiler, Wish};
        use cleave_program::code::Op;

        // The registers written since compiled code has left the running frame, if it has.
        let mut written = None;
        loop {
            let next = limit.min(looks.at);
            if state.parked.is_some()
                || state.clocks.is_some()
                || state.merging.is_some()
                || state.rounding != cleave_float::Rounding::Nearest
            {
                return Ok(Some(next));
            }
            // In the middle of a block: the loop comes to the jump at which it stops.
            if state.instructions >= next {
                return Ok(Some(next));
            }
            // An op that has asked runs again from its start in the loop, as one behind which a mark is to be passed.
            if self.cursor != 0 || !state.answers.is_empty() || code.is_fresh(state) {
                return Ok(Some(next.min(state.instructions)));
            }
            let ops = &code.program.functions[state.frame.func as usize].code;
            if !matches!(ops[state.frame.pc as usize], Op::Call { .. } | Op::Ret { .. }) {
                let (func, at) = (state.frame.func, state.instructions);
                let function = &code.program.functions[func as usize];
                let wish = self.compiler().map_or(Wish::Loop, |compiler| compiler.wish(func, at, function));
                match wish {
                    Wish::Cold => return Ok(Some(next.min(state.instructions + TURN))),
                    Wish::Loop => return Ok(Some(next)),
                    Wish::Compile => {
                        self.compiles(code, state, func);
                        written = None;
                    }
                    Wish::Run => {}
                }
                // No term is made in compiled code, so that there is nothing to look at meanwhile.
                let far = if self.is_quiet(looks) { limit } else { next };
                match self.enters_compiled(code, state, far, written.take())? {
                    Entered::No if far.saturating_sub(state.instructions) < NEAR => return Ok(Some(next)),
                    Entered::No => return Ok(Some(state.instructions)),
                    Entered::ToLimit => {
                        looks.passes(state.instructions, self.terms.work());
                        return Ok(None);
                    }
                    Entered::ToOp => looks.passes(state.instructions, self.terms.work()),
                }
            }
            let (func, pc, id) = (state.frame.func, state.frame.pc, state.frame.id);
            let op = &code.program.functions[func as usize].code[pc as usize];
            if matches!(op, Op::Call { .. } | Op::Ret { .. }) {
                written = None; // another frame
                self.call_op(&code.program, state, witness, op)?;
                self.settled(state);
                if COUNT {
                    self.visit(state.frame.func, state.frame.pc);
                }
            } else {
                self.executes_one::<COUNT>(code, state, witness)?;
                if (state.frame.func, state.frame.pc, state.frame.id) == (func, pc + 1, id) {
                    written = Compiler::written(&code.program.functions, func, pc);
                    continue;
                }
            }
            if state.instructions >= limit.min(looks.at) {
                return Ok(None);
            }
        }
    }

    /// The compiled functions that count what is counted now.
    #[cfg(feature = "jit")]
    fn compiler(&mut self) -> Option<&mut cleave_jit::Compiler> {
        self.compiled.as_mut()?.that_count(self.visits.as_ref())
    }

    #[cfg(feature = "jit")]
    fn compiles(&mut self, code: &Code, state: &State, func: cleave_program::code::FuncId) {
        use cleave_coverage::{NO_SLOT, Sites};

        use crate::checking::checks::Family;

        let sites = &code.sites;
        let first = |func| Some(sites.first(func)).filter(|&first| first != NO_SLOT);
        let first_op = &|func| self.visits.as_ref().map_or(0, |visits| visits.first(func));
        let facts = cleave_jit::Facts {
            functions: &code.program.functions,
            func,
            slot_bits: self.slot_bits,
            first: first(func),
            entry: &|func| first(func).map(|first| Sites::of_arrival(first, 0)),
            of_switch: &|at, to| sites.of_switch(func, at, to),
            is_passed: &|slot| {
                let now = code.bytes[slot as usize].get() != 0;
                now || sites.mark_of(slot).is_some_and(|mark| state.passed.has(mark))
            },
            first_op: self.places.of(func, 0).to_raw(),
            scopes: self.options.checks.has(Family::Scope),
            undefined: self.options.checks.has(Family::Uninitialised),
            counting: self
                .visits
                .as_ref()
                .map(|visits| cleave_jit::Counting { first: first_op, accesses: visits.marks_accesses() }),
        };
        let compiled = self.compiled.as_mut().and_then(|compiled| compiled.that_count(self.visits.as_ref()));
        if let Some(compiler) = compiled {
            compiler.compile(&facts);
        }
    }

    /// Runs compiled code from where a state stands, if there is some.
    #[cfg(feature = "jit")]
    fn enters_compiled(
        &mut self,
        code: &Code,
        state: &mut State,
        limit: u64,
        written: Option<(u32, u32)>,
    ) -> Result<Entered, Stop> {
        use cleave_jit::{Left, Running, Stack};
        use cleave_program::code::Op;

        use crate::ops::frames::{FRAME_COST, STACK_LIMIT, push_frame};

        let functions = &code.program.functions[..];
        let Engine { compiled, spare, options, visits, .. } = self;
        let compiled = compiled.as_mut().and_then(|compiled| compiled.that_count(visits.as_ref()));
        let Some(compiled) = compiled else { return Ok(Entered::No) };
        let frames = options
            .max_stack_frames
            .map_or(u64::MAX, |most| u64::from(most).saturating_sub(u64::from(state.frame.height) + 1));
        let frames = state.stack_bytes.saturating_add(frames.saturating_mul(FRAME_COST));
        let mut stack = Stack {
            bytes: state.stack_bytes,
            limit: STACK_LIMIT.min(frames),
            next_frame: state.next_frame.into(),
            weight: state.frame.weight,
        };
        let running = Running {
            registers: &mut state.frame.regs,
            written,
            memory: &mut state.memory,
            marks: &code.bytes,
            instructions: state.instructions,
            limit,
            stack: &mut stack,
            counting: visits.as_mut().map(|visits| visits.counts(state.depth)),
        };
        let func = state.frame.func;
        let left = compiled.run_from(functions, (func, state.frame.pc), running);
        match left {
            Left::NotEntered => return Ok(Entered::No),
            Left::At(pc, instructions) | Left::AtLimit(pc, instructions) => {
                (state.frame.pc, state.instructions) = (pc, instructions)
            }
            Left::Returned(pc, instructions) => {
                // The return is executed as the loop does it.
                let Op::Ret { n, .. } = functions[func as usize].code[pc as usize] else {
                    return Err(Stop::impossible("compiled code that returns at another op"));
                };
                (state.frame.pc, state.instructions) = (pc, instructions - u64::from(n));
            }
        }
        (state.stack_bytes, state.next_frame) = (stack.bytes, stack.next_frame as u32);
        state.frame.weight = stack.weight;
        for frame in compiled.left(functions) {
            push_frame(spare, state, functions, frame)?;
        }
        Ok(if matches!(left, Left::AtLimit(..)) { Entered::ToLimit } else { Entered::ToOp })
    }
}
