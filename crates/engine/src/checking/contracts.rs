//! Contracts of the C library: breaches that its own code finds (runtime/musl/contracts.c), waits that nobody ends, and streams
//! that are used after they were closed.

use std::rc::Rc;

use cleave_region::BugKind;

use crate::checking::checks::Family;
use crate::engine::Engine;
use crate::states::state::{Frame, Reg, State};
use crate::stop::{Bug, End, Stop};

/// Other threads that the message of a deadlock names: two make the usual cycle, and a line stays readable.
const MOST_NAMED: usize = 4;

impl Engine {
    /// The C library's code says that it waits for an event that never comes; `why` is the address of a text.
    pub(crate) fn stuck(&self, state: &State, why: Reg) -> Stop {
        let why = self.text_at(state, why).unwrap_or_default();
        self.waits_for_ever(state, &why)
    }

    /// The C library's code says that a call breaks its contract; `how` is the address of a text.
    pub(crate) fn misused(&self, state: &State, how: Reg) -> Result<(), Stop> {
        if !self.options.checks.has(Family::Contract) {
            return Ok(());
        }
        Err(Stop::bug(BugKind::Contract, self.text_at(state, how).unwrap_or_default()))
    }

    /// The C library's code says that a lock is unlocked by a thread that does not hold it; `what` is the address of a text.
    pub(crate) fn unlocked_badly(&self, state: &State, what: Reg) -> Result<(), Stop> {
        if !self.options.checks.has(Family::Contract) {
            return Ok(());
        }
        Err(Stop::bug(BugKind::BadUnlock, self.text_at(state, what).unwrap_or_default()))
    }

    /// The C library's code says that a stream is closed from now on.
    pub(crate) fn closed(&mut self, state: &mut State, stream: Reg) -> Result<(), Stop> {
        let stream = self.concrete(state, stream)?;
        Rc::make_mut(&mut state.closed).push(stream);
        Ok(())
    }

    /// The end of a path that waits for an event that can never happen.
    pub(crate) fn waits_for_ever(&self, state: &State, why: &str) -> Stop {
        if !self.options.checks.has(Family::Deadlock) {
            return Stop::unsupported(format!("waiting for ever: {why}"));
        }
        let who = self.library_call(state).map_or("the program", |f| self.name_of(f));
        Stop::bug(BugKind::Deadlock, format!("{who} waits for ever: {why}"))
    }

    /// The places where the other threads of the process wait, for a message that they all do.
    pub(crate) fn others_that_wait(&self, state: &State) -> String {
        let Some(there) = &state.parked else { return String::new() };
        let (pid, own) = (state.kernel.running(), state.kernel.running_thread());
        let others = there.contexts.iter().filter(|&(&tid, context)| context.pid == pid && tid != own);
        let mut text = String::new();
        for (n, (tid, context)) in others.enumerate() {
            if n == MOST_NAMED {
                text.push_str("; and others");
                break;
            }
            let programs = context.frames().find(|f| !self.program.functions[f.func as usize].library);
            if let Some(frame) = programs {
                let place = self.place_text(self.places.of(frame.func, frame.pc));
                text.push_str(&format!("; thread {tid} waits in {place}"));
            }
        }
        text
    }

    /// The function of the C library that the program has called, while that runs.
    fn library_call<'s>(&self, state: &'s State) -> Option<&'s Frame> {
        state.frames().take_while(|f| self.program.functions[f.func as usize].library).last()
    }

    fn name_of(&self, frame: &Frame) -> &str {
        self.program.functions[frame.func as usize].name.trim_start_matches('_')
    }

    /// A use of freed memory by a function of the C library that was given a closed stream says so.
    pub(crate) fn told_of_streams(&self, state: &State, end: End) -> End {
        match end {
            End::Bug(bug) if bug.kind == BugKind::UseAfterFree && !state.closed.is_empty() => {
                let given = |f: &&Frame| {
                    let parameters = self.program.functions[f.func as usize].params as usize;
                    f.regs.iter().take(parameters).any(|r| r.is_known() && state.closed.contains(&r.value))
                };
                match self.library_call(state).filter(given) {
                    Some(frame) => {
                        let message =
                            format!("{} is given a stream that has been closed", self.name_of(frame));
                        End::Bug(Bug { message, ..bug })
                    }
                    None => End::Bug(bug),
                }
            }
            end => end,
        }
    }
}
