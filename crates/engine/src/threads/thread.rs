//! Threads of one process: their begin and end, and the variables that each has of its own.

use std::rc::Rc;

use cleave_memory::Kind;
use cleave_program::code::{NO_REG, Reg as RegIndex, Storage};

use crate::engine::Engine;
use crate::library::guest::Called;
use crate::states::state::{Frame, Reg, State};
use crate::stop::{Flow, Stop};
use crate::threads::parked::{Context, Locals};
use crate::threads::switching::{complete, parked};

impl Engine {
    /// Parks a new thread, in which the call at hand gives 0; in the running thread it gives the number of the new one. The new
    /// thread begins with a copy of the running frame alone, from which it never returns (`__clone`, runtime/musl/processes.c).
    ///
    /// # Errors
    /// If there is no room for the thread's stack.
    pub(crate) fn make_thread(
        &mut self,
        state: &mut State,
        dst: RegIndex,
        tid: u64,
        pointer: Option<u64>,
    ) -> Result<(), Stop> {
        let pid = state.kernel.running();
        let mut stacks: Vec<u64> = parked(state).threads_of(pid).map(|context| context.stack).collect();
        stacks.push(state.memory.stack_number());
        let most = self.program.target.most_stacks();
        let Some(stack) = (0..most).find(|number| !stacks.contains(number)) else {
            return Err(Stop::unsupported(format!("more than {most} threads at a time in 32 bits")));
        };
        let mut frame =
            Frame { id: state.next_frame, height: 0, stack_mark: 0, dst: NO_REG, ..state.frame.clone() };
        state.next_frame += 1;
        complete(&mut frame, dst, 0);
        complete(&mut state.frame, dst, tid);
        let thread = Context {
            pid,
            stack_bytes: frame.weight,
            frame,
            callers: None,
            stack,
            jumps: Rc::default(),
            thread_pointer: pointer.unwrap_or(state.thread_pointer),
            rounding: state.rounding,
        };
        self.order_of_new_thread(state, tid);
        let there = parked(state);
        there.contexts.insert(tid, Rc::new(thread));
        there.locals.insert(tid, Locals::new());
        Ok(())
    }

    /// `exit` of one of several threads: another goes on.
    pub(crate) fn thread_ends(&mut self, state: &mut State) -> Result<Flow, Stop> {
        let chosen = self.next_after_end(state)?;
        self.order_of_ended_thread(state);
        let ended = self.kernel_call(state, |kernel, guest| kernel.end_thread(guest))?;
        if !matches!(ended, Called::Done(true)) {
            return Err(Stop::impossible("the end of a thread that is the last one"));
        }
        self.forget_step(state);
        let death = self.here(state).to_raw();
        state.memory.release_stack(0, death);
        let (_, tid) = parked(state).current;
        for address in parked(state).locals.remove(&tid).unwrap_or_default().into_values() {
            // It was made by `thread_local`, once.
            let freed = state.memory.free(address, Kind::Start, death);
            debug_assert!(freed.is_ok(), "{freed:?}");
        }
        let next = state.kernel.turn();
        if let Some((pid, tid)) = chosen {
            state.kernel.give_turn(pid, tid);
        }
        self.follow(state, next)?;
        self.call_due_elsewhere(state)?;
        Ok(Flow::Elsewhere)
    }

    /// Makes the running thread the only one of its process: the others have ended because one of them executes a program.
    pub(crate) fn alone_in_process(&mut self, state: &mut State) {
        if state.parked.is_none() {
            return;
        }
        let now = (state.kernel.running(), state.kernel.running_thread());
        let (_, before) = parked(state).current;
        parked(state).current = now;
        for tid in [before, now.1] {
            parked(state).locals.remove(&tid);
        }
        self.bury(state);
    }

    /// The address of the running thread's own copy of a thread-local variable, given that of the program's first thread.
    pub(crate) fn thread_local(&mut self, state: &mut State, variable: Reg) -> Result<u64, Stop> {
        let variable = self.concrete(state, variable)?;
        let Some(there) = &state.parked else { return Ok(variable) };
        let Some(own) = there.locals.get(&state.kernel.running_thread()) else { return Ok(variable) };
        if let Some(&address) = own.get(&variable) {
            return Ok(address);
        }
        let program = &self.program;
        let Some(global) = state.memory.object(variable).filter(|o| o.base == variable).map(|o| o.origin)
        else {
            return Err(Stop::impossible("a thread-local variable that is no variable"));
        };
        let Some(global) = program.globals.get(global as usize) else {
            return Err(Stop::impossible("a thread-local variable that no program has"));
        };
        if global.storage == Storage::Missing {
            return Ok(variable); // where an access is told
        }
        let known: Vec<_> = global.init.iter().take(global.size as usize).copied().collect();
        let Some(address) = state.memory.allocate(global.size, Kind::Start) else {
            return Err(Stop::unsupported("a thread-local variable of more than 16 GiB"));
        };
        state.memory.initialise(address, &known);
        let tid = state.kernel.running_thread();
        parked(state).locals.entry(tid).or_default().insert(variable, address);
        Ok(address)
    }
}
