//! Whether the kernel stands where it stood before, so that a program that does the same is told the same for ever.

use std::rc::Rc;

use crate::errno::{CallResult, EAGAIN, Fail};
use crate::kernel::Kernel;
use crate::signals::IGNORE;
use crate::world;

/// The calls that tell a program nothing of what others do meanwhile: read, write, lseek, rt_sigprocmask, ioctl, pread, pwrite,
/// readv, writev, sched_yield, getpid, gettid, by their x86-64 numbers. What the others of a path asked is counted.
const QUIET: [u64; 12] = [0, 1, 8, 14, 16, 17, 18, 19, 20, 24, 39, 186];

impl Kernel {
    /// Notes a call that returns. What is not there yet may come by itself: that is no quiet answer either.
    pub(crate) fn note_call(&mut self, number: u64, result: &CallResult) {
        let quiet = QUIET.contains(&number) && !matches!(result, Err(Fail::Errno(EAGAIN)));
        self.asked += u64::from(!quiet);
    }

    /// Whether it is as it was `then`, but for what was written to the streams that the program was given as standard output and
    /// standard error.
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

    /// Whether something other than the thread that runs may change what that finds, or end it: another thread or process, a
    /// peer outside, a timer, a limit on its time, a signal that is caught. Time and users of a terminal do that natively, also
    /// where nothing happens in the model.
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
