//! Signal handlers: a frame of the C library's `__restore_rt` (runtime/musl/signals.c) calls a handler. The engine looks for
//! due signals after system calls alone, so code without them pays nothing.

use std::sync::Arc;

use cleave_linux::{After, Delivery, INTERRUPTED, RESTART, Stop as KernelStop};
use cleave_program::code::{FuncId, NO_REG};
use cleave_program::layout::{FUNCTION_BASE, FUNCTION_STRIDE};
use cleave_region::BugKind;

use crate::engine::Engine;
use crate::library::guest::Called;
use crate::states::state::{Reg, State};
use crate::stop::{End, Flow, Stop};

/// The function of the C library that calls a handler.
const TRAMPOLINE: &str = "__restore_rt";

fn stopped(stop: KernelStop) -> Stop {
    match stop {
        KernelStop::Signal(signal) => Stop::End(End::Signal(signal)),
        KernelStop::Unsupported(what) => Stop::unsupported(what),
        _ => Stop::impossible("a delivery of signals that asks for something"),
    }
}

impl Engine {
    /// Ends a system call that has this result, and calls the handlers of the signals that are due.
    pub(crate) fn call_returns(&mut self, state: &mut State, dst: u32, result: Reg) -> Result<Flow, Stop> {
        let interrupted = result.is_known() && result.value == RESTART;
        let first = if interrupted || state.kernel.signal_due() {
            state.kernel.deliver().map_err(stopped)?
        } else {
            None
        };
        let again = match &first {
            Some(first) => interrupted && first.restarts,
            None => interrupted,
        };
        if !again && dst != NO_REG {
            state.frame.regs[dst as usize] = if interrupted { Reg::known(INTERRUPTED) } else { result };
        }
        match first {
            Some(first) => {
                self.call_handlers(state, first, if again { After::Again } else { After::Next })?;
                Ok(Flow::Elsewhere)
            }
            None => Ok(if again { Flow::Again } else { Flow::Next }),
        }
    }

    /// `abort`: a bug, unless a handler leaves by a jump.
    pub(crate) fn aborts(&mut self, state: &mut State) -> Result<Flow, Stop> {
        match state.kernel.deliver_abort().map_err(stopped)? {
            Some(delivery) => {
                self.call_handlers(state, delivery, After::Abort)?;
                Ok(Flow::Elsewhere)
            }
            None => Err(match self.panic(state) {
                Some(panic) => Stop::End(End::Bug(panic)),
                None => Stop::bug(BugKind::Abort, "the program calls abort"),
            }),
        }
    }

    /// As [`Engine::call_due`] of the process that has got the turn, unless it waits in a call: that finds out itself.
    pub(crate) fn call_due_elsewhere(&mut self, state: &mut State) -> Result<(), Stop> {
        if state.kernel.resumes() { Ok(()) } else { self.call_due(state) }
    }

    /// Calls the handlers of due signals before the op at which the state stands.
    fn call_due(&mut self, state: &mut State) -> Result<(), Stop> {
        if state.kernel.signal_due()
            && let Some(delivery) = state.kernel.deliver().map_err(stopped)?
        {
            self.call_handlers(state, delivery, After::Again)?;
        }
        Ok(())
    }

    /// Calls a handler, and those of the other signals that are due: the last one runs first. `after` says how the interrupted
    /// function goes on.
    fn call_handlers(&mut self, state: &mut State, first: Delivery, after: After) -> Result<(), Stop> {
        state.kernel.follow(after);
        self.call_handler(state, &first)?;
        while let Some(next) = state.kernel.deliver().map_err(stopped)? {
            self.call_handler(state, &next)?;
        }
        Ok(())
    }

    fn call_handler(&mut self, state: &mut State, delivery: &Delivery) -> Result<(), Stop> {
        let program = Arc::clone(&self.program);
        let offset = delivery.restorer.wrapping_sub(FUNCTION_BASE);
        let id = (offset / FUNCTION_STRIDE) as usize;
        let known = offset.is_multiple_of(FUNCTION_STRIDE)
            && program.functions.get(id).is_some_and(|f| f.name == TRAMPOLINE && f.params == 3);
        if !known {
            let signal = delivery.signal;
            return Err(Stop::unsupported(format!(
                "a handler of signal {signal} that was not set by the C library's sigaction"
            )));
        }
        let values = [u64::from(delivery.signal), delivery.handler, u64::from(delivery.tells)];
        self.enter_values(&program, state, id as FuncId, &values.map(Reg::known))
    }

    /// `cleave_signal_frame(info, context)`.
    pub(crate) fn signal_frame(&mut self, state: &mut State, info: Reg, context: Reg) -> Result<(), Stop> {
        let (info, context) = (self.concrete(state, info)?, self.concrete(state, context)?);
        self.kernel_call(state, |kernel, guest| kernel.tell_handler(info, context, guest))?;
        self.order_of_handler(state);
        Ok(())
    }

    /// `cleave_signal_return(context)`: ends the frame that called it.
    pub(crate) fn signal_return(&mut self, state: &mut State, context: Reg) -> Result<Flow, Stop> {
        let context = self.concrete(state, context)?;
        let called = self.kernel_call(state, |kernel, guest| kernel.signal_return(context, guest))?;
        let Called::Done(after) = called else {
            return Err(Stop::impossible("a return from a signal that waits"));
        };
        self.pop_frame(state);
        match after {
            After::Next => state.frame.pc += 1,
            After::Again => {}
            After::Abort => return Err(Stop::bug(BugKind::Abort, "the program calls abort")),
        }
        self.call_due(state)?;
        Ok(Flow::Elsewhere)
    }

    /// A jump leaves the running function.
    pub(crate) fn leave_by_jump(&mut self, state: &mut State) {
        if state.kernel.handler_runs() && self.program.functions[state.frame.func as usize].name == TRAMPOLINE
        {
            state.kernel.handler_left();
        }
        self.pop_frame(state);
    }

    /// A jump has come to a place that was set with these signals blocked.
    pub(crate) fn block_again(&mut self, state: &mut State, mask: Option<u64>) -> Result<(), Stop> {
        if let Some(mask) = mask {
            state.kernel.set_signal_mask(mask);
            self.call_due(state)?;
        }
        Ok(())
    }
}
