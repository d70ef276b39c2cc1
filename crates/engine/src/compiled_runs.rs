//! Compiled code where the loop of `step.rs` would run: the crate `jit` executes ops on known values and leaves in front of each
//! other op, which the loop executes. Calls and returns between functions are executed here, so that compiled code can go on in the
//! other function at once. Without the feature `jit` there is no compiled code.

use std::cell::Cell;
use std::rc::Rc;

use cleave_coverage::Sites;
use cleave_expr::Witness;

use crate::engine::Engine;
use crate::states::state::State;
use crate::stop::Stop;

impl Engine {
    /// To be called when a state begins to run.
    pub(crate) fn begins_compiled_run(&mut self) {
        #[cfg(feature = "jit")]
        self.compiled.iter_mut().for_each(|compiled| compiled.begins_run());
    }

    /// Lets compiled code go on where a state stands, below `limit` instructions. Returns the number of instructions at which the
    /// loop, which executes the next op, asks again; `None` if the limit is reached at a place where the loop would stop.
    ///
    /// # Errors
    /// The stop of a call or a return.
    #[inline(always)]
    pub(crate) fn runs_compiled(
        &mut self,
        sites: &Sites,
        marks: &Rc<[Cell<u8>]>,
        state: &mut State,
        witness: &Witness,
        limit: u64,
    ) -> Result<Option<u64>, Stop> {
        match self.compiled {
            None => Ok(Some(limit)),
            Some(_) => self.goes_on_compiled(sites, marks, state, witness, limit),
        }
    }

    #[cfg(not(feature = "jit"))]
    fn goes_on_compiled(
        &mut self,
        _: &Sites,
        _: &Rc<[Cell<u8>]>,
        _: &mut State,
        _: &Witness,
        limit: u64,
    ) -> Result<Option<u64>, Stop> {
        Ok(Some(limit))
    }

    #[cfg(feature = "jit")]
    fn goes_on_compiled(
        &mut self,
        sites: &Sites,
        marks: &Rc<[Cell<u8>]>,
        state: &mut State,
        witness: &Witness,
        limit: u64,
    ) -> Result<Option<u64>, Stop> {
        use cleave_program::code::Op;

        if state.parked.is_some() || state.clocks.is_some() || state.merging.is_some() {
            return Ok(Some(limit));
        }
        let program = std::sync::Arc::clone(&self.program);
        loop {
            // An op that has asked runs again from its start in the loop, as one behind which a mark is to be passed.
            let first = sites.first(state.frame.func);
            let fresh = first != cleave_coverage::NO_SLOT
                && marks[Sites::of_arrival(first, state.frame.pc) as usize].get() == 0;
            if fresh || self.cursor != 0 || !state.answers.is_empty() {
                return Ok(Some(limit.min(state.instructions)));
            }
            let code = &program.functions[state.frame.func as usize].code;
            let mut op = &code[state.frame.pc as usize];
            if !matches!(op, Op::Call { .. } | Op::Ret { .. }) {
                let next = self.enters_compiled(sites, marks, state, limit);
                op = &code[state.frame.pc as usize];
                if !matches!(op, Op::Call { .. } | Op::Ret { .. }) {
                    return Ok(Some(next));
                }
            }
            self.call_op(&program, state, witness, op)?;
            self.settled(state);
            if state.instructions >= limit {
                return Ok(None);
            }
        }
    }

    /// Runs compiled code from where a state stands, if there is some. Returns the number of instructions at which the loop asks
    /// again.
    #[cfg(feature = "jit")]
    fn enters_compiled(&mut self, sites: &Sites, marks: &[Cell<u8>], state: &mut State, limit: u64) -> u64 {
        use cleave_jit::{Facts, Left, Running, Scopes};

        use crate::checking::checks::Family;

        let (func, pc) = (state.frame.func, state.frame.pc);
        let first = Some(sites.first(func)).filter(|&first| first != cleave_coverage::NO_SLOT);
        let of_switch = |at, to| sites.of_switch(func, at, to);
        let checks = self.options.checks;
        let scopes = checks.has(Family::Scope).then(|| Scopes {
            undefined: checks.has(Family::Uninitialised),
            first_op: self.places.of(func, 0).to_raw(),
        });
        let facts = Facts { first, of_switch: &of_switch, scopes };
        let Some(compiled) = &mut self.compiled else { return limit };
        let running = Running {
            registers: &mut state.frame.regs,
            memory: &mut state.memory,
            marks,
            instructions: state.instructions,
            limit,
        };
        let function = &self.program.functions[func as usize];
        let (left, next) = compiled.run((func, pc), function, &facts, running);
        if let Left::At(pc, instructions) = left {
            (state.frame.pc, state.instructions) = (pc, instructions);
        }
        next
    }
}
