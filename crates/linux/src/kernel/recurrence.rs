//! Detects that the kernel's state recurs, so that a program that repeats its calls gets the same answers for ever. The engine
//! asks this when it looks for paths without an end.

use std::rc::Rc;

use crate::calls::row::Traits;
use crate::calls::table::call_is;
use crate::env::world;
use crate::kernel::errno::{CallResult, EAGAIN, Fail};
use crate::kernel::state::Kernel;
use crate::signals::state::IGNORE;

impl Kernel {
    /// Notes a call that returns; those of [`Traits::QUIET`] are not counted. A read that fails because nothing is there yet may succeed later, so `EAGAIN` is counted too.
    pub(crate) fn note_call(&mut self, number: u64, result: &CallResult) {
        let quiet = call_is(number, Traits::QUIET) && !matches!(result, Err(Fail::Errno(EAGAIN)));
        self.asked += u64::from(!quiet);
    }

    /// Returns true if its state equals `then`, except for the output to the streams that the program was given as standard
    /// output and standard error.
    pub fn is_again(&self, then: &Kernel) -> bool {
        let simple = |k: &Kernel| (k.asked, k.clock, k.random, k.shared, k.after, k.untold);
        simple(self) == simple(then)
            && self.made_up.len() == then.made_up.len()
            && (Rc::ptr_eq(&self.process, &then.process) || self.process == then.process)
            && (Rc::ptr_eq(&self.files, &then.files) || self.files == then.files)
            && (Rc::ptr_eq(&self.fs, &then.fs) || self.fs == then.fs)
            && (Rc::ptr_eq(&self.futexes, &then.futexes) || self.futexes == then.futexes)
            && (Rc::ptr_eq(&self.locks, &then.locks) || self.locks == then.locks)
            && Rc::ptr_eq(&self.network, &then.network)
    }

    /// Returns true if something other than the running thread may change its view, or end it: another thread or process, a peer
    /// outside, a timer, a limit on its time, a signal that is caught. Time and users of a terminal do that natively, even if
    /// nothing happens in the model.
    pub fn may_be_disturbed(&self) -> bool {
        let process = &self.process;
        let timers = process.real_timer.is_some() || process.processor_timers.iter().any(|t| *t != (0, 0));
        self.others.is_some()
            || process.threads.is_some()
            || !self.network.incoming.is_empty()
            || timers
            || process.signals.timers.moments().next().is_some()
            || process.signals.actions.values().any(|action| action.handler > IGNORE)
            || process.limits.get(&0).is_some_and(|limit| *limit != world::LIMIT_CPU)
    }
}
