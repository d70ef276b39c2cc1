//! The loop of a run of a state: functions one after the other, by compiled code or `step.rs`, and what stops them that is no end of the run:
//! arms that meet, ends of processes, turns of threads.

use std::sync::Arc;

use cleave_coverage::NO_SLOT;
use cleave_expr::Witness;

use crate::engine::Engine;
use crate::looks::{Looks, WORK_OF_RUN};
use crate::merging::merge::MOST_ARMS;
use crate::states::state::State;
use crate::step::Code;
use crate::stop::Stop;

impl Engine {
    /// Runs until the path has `limit` instructions or something stops it.
    pub(crate) fn steps(&mut self, state: &mut State, witness: &Witness, limit: u64) -> Result<(), Stop> {
        let (sites, bytes) = self.coverage.parts();
        let code = Code { program: Arc::clone(&self.program), sites, bytes };
        let (work, whole, evaluated) = (self.diagrams.work(), limit, self.terms.work());
        loop {
            if let Some(leaving) = &state.leaving {
                // It was not told a side yet.
                return Err(Stop::Decide { cond: leaving.cond, assume: false });
            }
            if let Some(end) = state.ending.take() {
                self.process_ends(state, *end)?;
            }
            if state.merging.as_ref().is_some_and(|merging| merging.dropped) {
                self.next_arm(state)?;
            }
            self.in_arm = state.is_arm();
            if self.in_arm {
                if self.has_worked(work) || self.has_evaluated(evaluated, WORK_OF_RUN) {
                    return Ok(());
                }
                if self.costs_too_much(state) {
                    self.gives_up(state);
                    continue;
                }
            }
            let limit = limit.min(self.end_of_arms(state));
            let turn = self.end_of_turn(state);
            let ran = if self.visits.is_some() || self.racing.is_some() || self.in_arm {
                self.steps_in_functions::<true>(&code, state, witness, (limit.min(turn), evaluated))
            } else {
                self.steps_in_functions::<false>(&code, state, witness, (limit, evaluated))
            };
            match ran {
                Ok(()) if state.instructions >= turn && turn < limit => self.ends_turn(state)?,
                Ok(()) if self.in_arm && state.instructions < whole => {}
                Ok(()) => return Ok(()),
                Err(Stop::Uncertain { base, offset, end }) => {
                    let within = self.within_size(state, base, offset, end);
                    within.or_else(|stop| self.stopped(state, stop))?;
                }
                Err(Stop::AtPoint(access)) => self.comes_to_plain(state, access)?,
                Err(stop) => self.stopped(state, stop)?,
            }
        }
    }

    /// Goes on behind what stopped a state, if that is no decision or end of its path.
    fn stopped(&mut self, state: &mut State, stop: Stop) -> Result<(), Stop> {
        match stop {
            Stop::Branch(cond) => self.split(state, cond, MOST_ARMS),
            Stop::Arrives => self.arrives(state),
            Stop::Leaves => self.arm_leaves(state, None),
            Stop::Decide { cond, assume } if state.is_arm() => self.arm_decides(state, cond, assume),
            Stop::End(end) if state.is_arm() => self.arm_leaves(state, Some(end)),
            Stop::End(end) => self.process_ends(state, end),
            stop => Err(stop),
        }
    }

    fn steps_in_functions<const COUNT: bool>(
        &mut self,
        code: &Code,
        state: &mut State,
        witness: &Witness,
        (limit, evaluated): (u64, u64),
    ) -> Result<(), Stop> {
        if COUNT {
            self.visit(state.frame.func, state.frame.pc);
        }
        let mut looks = Looks { began: evaluated, before: evaluated, at: state.instructions };
        while state.instructions < limit {
            if state.instructions >= looks.at {
                if self.has_evaluated(looks.began, WORK_OF_RUN) {
                    return Ok(());
                }
                let is_hard = self.has_evaluated(looks.before, WORK_OF_RUN / 64);
                looks.at = Looks::is_due_behind(state.instructions, is_hard);
                looks.before = self.terms.work();
            }
            while COUNT && self.has_untold_race(state) {
                self.tell_race(state)?;
            }
            // A check that is due in the middle of a block comes with its jump, wherever this run began.
            let next = limit.min(state.recurrence.due);
            let next = self.runs_compiled::<COUNT>(code, state, witness, &mut looks, next)?;
            let Some(next) = next else {
                if state.instructions >= state.recurrence.due {
                    self.looks_for_recurrence(state)?;
                }
                continue;
            };
            if code.sites.first(state.frame.func) == NO_SLOT {
                self.steps_in_function::<COUNT, false, false>(code, state, witness, next)?;
            } else {
                self.steps_in_function::<COUNT, true, false>(code, state, witness, next)?;
            }
            if COUNT && self.has_arrived(state, state.frame.pc) {
                return Err(Stop::Arrives);
            }
            if state.instructions >= state.recurrence.due {
                self.looks_for_recurrence(state)?;
            }
        }
        Ok(())
    }
}
