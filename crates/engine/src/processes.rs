//! Several processes in one state. The one that runs has its parts in the state itself; of the others they are parked here.
//! Which one runs, the model of the kernel says.

use std::rc::Rc;

use cleave_linux::{AfterCall, Next, Status, Wait};
use cleave_memory::AddressSpace;
use cleave_program::code::{NO_REG, Reg as RegIndex};

use crate::engine::Engine;
use crate::parked::{Borrowed, Context, Parked};
use crate::state::{Frame, Reg, State};
use crate::stop::{End, Stop};

/// Ends the call at hand of a frame with this result.
fn complete(frame: &mut Frame, dst: RegIndex, result: u64) {
    if let Some(r) = frame.regs.get_mut(dst as usize).filter(|_| dst != NO_REG) {
        *r = Reg::known(result);
    }
    frame.pc += 1;
}

fn parked(state: &mut State) -> &mut Parked {
    let current = state.kernel.running();
    Rc::make_mut(state.parked.get_or_insert_with(|| Rc::new(Parked::new(current))))
}

/// Takes the parts of the process that runs out of the state.
fn take_context(state: &mut State) -> Context {
    let borrowed = parked(state).borrowed.take();
    Context {
        frame: std::mem::take(&mut state.frame),
        callers: state.callers.take(),
        stack_bytes: state.stack_bytes,
        memory: std::mem::take(&mut state.memory),
        jumps: std::mem::take(&mut state.jumps),
        thread_pointer: state.thread_pointer,
        rounding: state.rounding,
        closed: std::mem::take(&mut state.closed),
        start: state.start.take(),
        borrowed,
    }
}

fn put_context(state: &mut State, context: Context) {
    let Context {
        frame,
        callers,
        stack_bytes,
        memory,
        jumps,
        thread_pointer,
        rounding,
        closed,
        start,
        borrowed,
    } = context;
    (state.frame, state.callers, state.stack_bytes, state.memory) = (frame, callers, stack_bytes, memory);
    (state.jumps, state.thread_pointer) = (jumps, thread_pointer);
    (state.rounding, state.closed, state.start) = (rounding, closed, start);
    parked(state).borrowed = borrowed;
}

/// Keeps what the process that runs shares with others as it is now.
pub(crate) fn keep_shared(state: &mut State) {
    if state.parked.is_none() {
        return;
    }
    let current = parked(state).current;
    for (number, address) in state.kernel.shared_mappings(current) {
        if let Some(object) = state.memory.shared(address) {
            parked(state).shared.insert(number, object);
        }
    }
}

/// Gives the process that runs what others have made of what it shares with them.
fn take_shared(state: &mut State) {
    let current = parked(state).current;
    for (number, address) in state.kernel.shared_mappings(current) {
        if let Some(object) = parked(state).shared.get(&number).cloned() {
            state.memory.replace(address, &object);
        }
    }
}

impl Engine {
    /// A call that waits: does what the kernel's schedule says.
    pub(crate) fn waits(&mut self, state: &mut State, wait: &Wait) -> Result<(), Stop> {
        let next = state.kernel.schedule(wait);
        self.follow(state, next)
    }

    /// What follows a call that has returned `result`, beside its result. `false` for nothing. Else the call has been
    /// completed, and the state may stand elsewhere.
    pub(crate) fn after_call(&mut self, state: &mut State, dst: RegIndex, result: u64) -> Result<bool, Stop> {
        match state.kernel.take_after_call() {
            AfterCall::Nothing => return Ok(false),
            AfterCall::GivesWay => complete(&mut state.frame, dst, result),
            AfterCall::Born { pid, lends } => {
                self.fork_process(state, dst, pid, lends);
                if !lends {
                    return Ok(true);
                }
            }
        }
        let next = state.kernel.turn();
        self.follow(state, next).map(|()| true)
    }

    /// Parks a copy of the process that runs, in which the call at hand gives 0; in itself it gives the number of the copy.
    fn fork_process(&mut self, state: &mut State, dst: RegIndex, pid: u64, lends: bool) {
        let parent = state.kernel.running();
        parked(state);
        let mut child = Context {
            frame: state.frame.clone(),
            callers: state.callers.clone(),
            stack_bytes: state.stack_bytes,
            memory: AddressSpace::default(),
            jumps: state.jumps.clone(),
            thread_pointer: state.thread_pointer,
            rounding: state.rounding,
            closed: state.closed.clone(),
            start: state.start.clone(),
            borrowed: None,
        };
        if lends {
            child.borrowed = Some(Borrowed { parent, stack_mark: state.memory.stack_mark() });
            child.memory = std::mem::take(&mut state.memory);
        } else {
            child.memory = state.memory.clone();
        }
        complete(&mut child.frame, dst, 0);
        complete(&mut state.frame, dst, pid);
        parked(state).contexts.insert(pid, Rc::new(child));
    }

    /// Goes on with the process that the kernel has chosen.
    fn follow(&mut self, state: &mut State, next: Next) -> Result<(), Stop> {
        if let Some(there) = &state.parked
            && there.current != state.kernel.running()
        {
            self.change_process(state)?;
        }
        match next {
            Next::Again => Ok(()),
            Next::Over(Status::Exited(status)) => Err(Stop::End(End::Exit(status))),
            Next::Over(Status::Killed(signal)) => Err(Stop::End(End::Signal(signal as i32))),
            Next::Deadlock(why) => Err(self.waits_for_ever(state, &why)),
        }
    }

    /// Parks the process whose parts the state has, and takes those of the process that runs.
    fn change_process(&mut self, state: &mut State) -> Result<(), Stop> {
        keep_shared(state);
        let (before, now) = (parked(state).current, state.kernel.running());
        let context = take_context(state);
        if state.kernel.lives(before) {
            parked(state).contexts.insert(before, Rc::new(context));
        }
        self.bury(state);
        let next = parked(state).contexts.remove(&now);
        let next = next.ok_or_else(|| Stop::impossible("a process that runs and is not parked"))?;
        put_context(state, Rc::unwrap_or_clone(next));
        parked(state).current = now;
        take_shared(state);
        Ok(())
    }

    /// Forgets the parts of processes that have ended while they were parked.
    fn bury(&mut self, state: &mut State) {
        let Some(there) = &state.parked else { return };
        let ended: Vec<u64> =
            there.contexts.keys().copied().filter(|&pid| !state.kernel.lives(pid)).collect();
        for pid in ended {
            let Some(context) = parked(state).contexts.remove(&pid) else { continue };
            let Context { memory, borrowed, .. } = Rc::unwrap_or_clone(context);
            self.give_back(state, memory, borrowed);
        }
    }

    /// Gives memory back that a process has of its parent.
    fn give_back(&mut self, state: &mut State, mut memory: AddressSpace, borrowed: Option<Borrowed>) {
        let Some(Borrowed { parent, stack_mark }) = borrowed else { return };
        memory.release_stack(stack_mark, self.here(state).to_raw());
        if let Some(context) = parked(state).contexts.get_mut(&parent) {
            Rc::make_mut(context).memory = memory;
        }
    }

    /// Gives the memory that the process that runs has of its parent back to that, which goes on when it gets the turn: to be
    /// called when the process executes a program. The process is left without any. `false` where its memory is its own.
    pub(crate) fn give_memory_back(&mut self, state: &mut State) -> bool {
        let Some(borrowed) = state.parked.as_ref().and_then(|there| there.borrowed) else { return false };
        let memory = std::mem::take(&mut state.memory);
        parked(state).borrowed = None;
        self.give_back(state, memory, Some(borrowed));
        let running = state.kernel.running();
        state.kernel.memory_given_back(running);
        true
    }

    /// The process that runs ends so: another goes on, if there are any. Else the path ends.
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
