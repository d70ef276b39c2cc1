//! Switches between threads and processes: the state takes the parts of the thread that the kernel has chosen, and those of the other are
//! parked.

use std::rc::Rc;

use cleave_linux::{Next, Status};
use cleave_memory::AddressSpace;
use cleave_program::code::{NO_REG, Reg as RegIndex};

use crate::engine::Engine;
use crate::states::state::{Frame, Reg, State};
use crate::stop::{End, Stop};
use crate::threads::parked::{Belongings, Borrowed, Context, Parked};

impl Engine {
    /// Goes on with the thread that the kernel has chosen.
    pub(crate) fn follow(&mut self, state: &mut State, next: Next) -> Result<(), Stop> {
        if let Some(there) = &state.parked
            && there.current != (state.kernel.running(), state.kernel.running_thread())
        {
            self.change_thread(state)?;
        }
        match next {
            Next::Again => Ok(()),
            Next::Over(Status::Exited(status)) => Err(Stop::End(End::Exit(status))),
            Next::Over(Status::Killed(signal)) => Err(Stop::End(End::Signal(signal as i32))),
            Next::Deadlock(why) => {
                Err(self.waits_for_ever(state, &format!("{why}{}", self.others_that_wait(state))))
            }
        }
    }

    /// Parks the thread whose parts the state has, and takes those of the thread that runs.
    fn change_thread(&mut self, state: &mut State) -> Result<(), Stop> {
        let before = parked(state).current;
        let now = (state.kernel.running(), state.kernel.running_thread());
        let other_process = before.0 != now.0;
        if other_process {
            keep_shared(state);
        }
        let context = take_context(state);
        if state.kernel.thread_lives(before.0, before.1) {
            parked(state).contexts.insert(before.1, Rc::new(context));
        }
        if other_process {
            let belongings = take_belongings(state);
            if state.kernel.lives(before.0) {
                parked(state).processes.insert(before.0, Rc::new(belongings));
            }
        }
        self.bury(state);
        if other_process {
            let next = parked(state).processes.remove(&now.0);
            let next = next.ok_or_else(|| Stop::impossible("a process that runs and is not parked"))?;
            put_belongings(state, Rc::unwrap_or_clone(next));
        }
        let next = parked(state).contexts.remove(&now.1);
        let next = next.ok_or_else(|| Stop::impossible("a thread that runs and is not parked"))?;
        put_context(state, Rc::unwrap_or_clone(next));
        parked(state).current = now;
        if other_process {
            take_shared(state);
        }
        Ok(())
    }

    /// Forgets the parts of threads and processes that have ended while they were parked.
    pub(crate) fn bury(&mut self, state: &mut State) {
        let Some(there) = &state.parked else { return };
        let kernel = &state.kernel;
        let gone =
            |(&tid, context): (&u64, &Rc<Context>)| (!kernel.thread_lives(context.pid, tid)).then_some(tid);
        let threads: Vec<u64> = there.contexts.iter().filter_map(gone).collect();
        let processes: Vec<u64> = there.processes.keys().copied().filter(|&pid| !kernel.lives(pid)).collect();
        for tid in threads {
            parked(state).contexts.remove(&tid);
        }
        for pid in processes {
            let Some(belongings) = parked(state).processes.remove(&pid) else { continue };
            let Belongings { memory, borrowed, .. } = Rc::unwrap_or_clone(belongings);
            self.give_back(state, memory, borrowed);
        }
    }

    /// Gives the memory that a process borrows back to its parent.
    pub(crate) fn give_back(
        &mut self,
        state: &mut State,
        mut memory: AddressSpace,
        borrowed: Option<Borrowed>,
    ) {
        let Some(Borrowed { parent, stack_mark }) = borrowed else { return };
        memory.release_stack(stack_mark, self.here(state).to_raw());
        if let Some(belongings) = parked(state).processes.get_mut(&parent) {
            Rc::make_mut(belongings).memory = memory;
        }
    }
}

/// Ends the call at hand of a frame with this result.
pub(crate) fn complete(frame: &mut Frame, dst: RegIndex, result: u64) {
    if let Some(r) = frame.regs.get_mut(dst as usize).filter(|_| dst != NO_REG) {
        *r = Reg::known(result);
    }
    frame.pc += 1;
}

pub(crate) fn parked(state: &mut State) -> &mut Parked {
    let current = (state.kernel.running(), state.kernel.running_thread());
    Rc::make_mut(state.parked.get_or_insert_with(|| Rc::new(Parked::new(current))))
}

/// Takes the parts of the thread that runs out of the state.
fn take_context(state: &mut State) -> Context {
    Context {
        pid: parked(state).current.0,
        frame: std::mem::take(&mut state.frame),
        callers: state.callers.take(),
        stack_bytes: state.stack_bytes,
        stack: state.memory.stack_number(),
        jumps: std::mem::take(&mut state.jumps),
        thread_pointer: state.thread_pointer,
        rounding: state.rounding,
    }
}

fn put_context(state: &mut State, context: Context) {
    let Context { pid: _, frame, callers, stack_bytes, stack, jumps, thread_pointer, rounding } = context;
    (state.frame, state.callers, state.stack_bytes) = (frame, callers, stack_bytes);
    (state.jumps, state.thread_pointer, state.rounding) = (jumps, thread_pointer, rounding);
    state.memory.change_stack(stack);
}

/// Takes the parts that belong to the running process out of the state.
fn take_belongings(state: &mut State) -> Belongings {
    Belongings {
        memory: std::mem::take(&mut state.memory),
        closed: std::mem::take(&mut state.closed),
        start: state.start.take(),
        borrowed: parked(state).borrowed.take(),
    }
}

fn put_belongings(state: &mut State, belongings: Belongings) {
    let Belongings { memory, closed, start, borrowed } = belongings;
    (state.memory, state.closed, state.start) = (memory, closed, start);
    parked(state).borrowed = borrowed;
}

/// Keeps the objects that the process that runs shares with others, as they are now.
pub(crate) fn keep_shared(state: &mut State) {
    if state.parked.is_none() {
        return;
    }
    let (current, _) = parked(state).current;
    for (number, address) in state.kernel.shared_mappings(current) {
        if let Some(object) = state.memory.shared(address) {
            parked(state).shared.insert(number, object);
        }
    }
}

/// Gives the process that runs the shared objects as others have left them.
fn take_shared(state: &mut State) {
    let (current, _) = parked(state).current;
    for (number, address) in state.kernel.shared_mappings(current) {
        if let Some(object) = parked(state).shared.get(&number).cloned() {
            state.memory.replace(address, &object);
        }
    }
}
