//! New processes, ends of processes, calls that wait. The state itself holds the parts of the thread that runs, and those of its process; the
//! parts of the others are parked (`switching.rs`). The model of the kernel chooses the one that runs.

use std::rc::Rc;

use cleave_linux::{AfterCall, Status, Wait};
use cleave_memory::AddressSpace;
use cleave_program::code::Reg as RegIndex;

use crate::engine::Engine;
use crate::states::state::State;
use crate::stop::{End, Stop};
use crate::threads::parked::{Belongings, Borrowed, Context};
use crate::threads::switching::{complete, keep_shared, parked};

impl Engine {
    /// A call that waits, perhaps for the futex at an address: follows the kernel's schedule.
    pub(crate) fn waits(&mut self, state: &mut State, wait: &Wait, futex: Option<u64>) -> Result<(), Stop> {
        if self.explores(state) {
            return self.waits_in_some_order(state, wait, futex);
        }
        let next = state.kernel.schedule(wait);
        self.follow(state, next)
    }

    /// Completes a call that has returned `result` and has effects beside it; the state may then stand elsewhere. `false` if it
    /// has none.
    pub(crate) fn after_call(&mut self, state: &mut State, dst: RegIndex, result: u64) -> Result<bool, Stop> {
        match state.kernel.take_after_call() {
            AfterCall::Nothing => return Ok(false),
            AfterCall::GivesWay => {
                complete(&mut state.frame, dst, result);
                self.gives_way(state);
            }
            AfterCall::Born { pid, lends } => {
                self.fork_process(state, dst, pid, lends);
                if !lends {
                    return Ok(true);
                }
            }
            AfterCall::BornThread { tid, pointer } => {
                self.make_thread(state, dst, tid, pointer)?;
                return Ok(true);
            }
        }
        let next = state.kernel.turn();
        self.follow(state, next).map(|()| true)
    }

    /// Parks a copy of the process that runs, in which the call at hand gives 0; in itself it gives the number of the copy.
    fn fork_process(&mut self, state: &mut State, dst: RegIndex, pid: u64, lends: bool) {
        let (parent, thread) = (state.kernel.running(), state.kernel.running_thread());
        parked(state);
        let mut child = Context {
            pid,
            frame: state.frame.clone(),
            callers: state.callers.clone(),
            stack_bytes: state.stack_bytes,
            stack: state.memory.stack_number(),
            jumps: state.jumps.clone(),
            thread_pointer: state.thread_pointer,
            rounding: state.rounding,
        };
        let mut belongings = Belongings {
            memory: AddressSpace::default(),
            closed: state.closed.clone(),
            start: state.start.clone(),
            borrowed: None,
        };
        if lends {
            belongings.borrowed = Some(Borrowed { parent, stack_mark: state.memory.stack_mark() });
            belongings.memory = std::mem::take(&mut state.memory);
            state.memory.change_stack(child.stack);
        } else {
            belongings.memory = state.memory.clone();
        }
        complete(&mut child.frame, dst, 0);
        complete(&mut state.frame, dst, pid);
        if self.looks_for_races(state) {
            self.order_of_new_thread(state, pid);
        }
        let there = parked(state);
        there.contexts.insert(pid, Rc::new(child));
        there.processes.insert(pid, Rc::new(belongings));
        if let Some(locals) = there.locals.get(&thread).cloned() {
            there.locals.insert(pid, locals);
        }
    }

    /// Gives the memory that the process that runs borrows back to its parent, which goes on when it gets the turn: to be
    /// called when the process executes a program. The process is left without any. `false` if its memory is its own.
    pub(crate) fn give_memory_back(&mut self, state: &mut State) -> bool {
        let Some(borrowed) = state.parked.as_ref().and_then(|there| there.borrowed) else { return false };
        let memory = std::mem::take(&mut state.memory);
        parked(state).borrowed = None;
        self.give_back(state, memory, Some(borrowed));
        let running = state.kernel.running();
        state.kernel.memory_given_back(running);
        true
    }

    /// Ends the process that runs: another goes on, if there is one. Else the path ends.
    ///
    /// # Errors
    /// The end of the path.
    pub(crate) fn process_ends(&mut self, state: &mut State, end: End) -> Result<(), Stop> {
        let status = match end {
            _ if state.parked.is_none() => return Err(Stop::End(end)),
            End::Exit(status) => Status::Exited(status),
            End::Signal(signal) => Status::Killed(signal as u32),
            _ => return Err(Stop::End(end)),
        };
        self.settled(state);
        keep_shared(state);
        self.give_memory_back(state);
        state.kernel.end_running(status);
        let next = state.kernel.turn();
        self.follow(state, next)
    }
}
