//! Calls that wait: what a call keeps for its next run, and the end of a run that waits. `schedule.rs` decides what happens then.

use crate::kernel::errno::{CallResult, EINTR, ERESTART, Fail, fail};
use crate::kernel::guest::{Stop, Wait};
use crate::kernel::state::Call;
use crate::processes::threads::Progress;

impl Call<'_> {
    pub(crate) fn pass_time(&mut self, nanoseconds: u64) {
        self.kernel.clock = self.kernel.later(nanoseconds);
    }

    /// Data that this call kept when it waited; nothing on its first run.
    pub(crate) fn progress(&self) -> Progress {
        self.process().thread.progress.unwrap_or_default()
    }

    pub(crate) fn keep(&mut self, progress: Progress) {
        self.process_mut().thread.progress = Some(progress);
    }

    /// Waits for something without a limit of time; a handler may let the call start again. To be handed on at once.
    ///
    /// # Errors
    /// Always.
    pub(crate) fn wait<T>(&mut self, why: &'static str) -> CallResult<T> {
        self.wait_until(None, why)
    }

    /// As [`Call::wait`], for something that happens at a moment, in nanoseconds on the kernel's clock.
    ///
    /// # Errors
    /// Always.
    pub(crate) fn wait_until<T>(&mut self, until: Option<u64>, why: &'static str) -> CallResult<T> {
        if self.interrupted() {
            return fail(ERESTART);
        }
        Err(Fail::Stop(Stop::Wait(Wait { until, why })))
    }

    /// Waits at most this number of nanoseconds from the call's first run on, or without a limit; returns when the time is up.
    ///
    /// # Errors
    /// To be handed on at once: the time is not up, or a signal interrupts the call, which then does not start again.
    pub(crate) fn wait_at_most(&mut self, patience: Option<u64>, why: &'static str) -> CallResult<()> {
        if self.interrupted() {
            return fail(EINTR);
        }
        let mut progress = self.progress();
        let until = match patience {
            Some(patience) => Some(*progress.deadline.get_or_insert(self.kernel.later(patience))),
            None => None,
        };
        if until.is_some_and(|until| until <= self.kernel.clock) {
            return Ok(());
        }
        self.keep(progress);
        Err(Fail::Stop(Stop::Wait(Wait { until, why })))
    }

    fn interrupted(&mut self) -> bool {
        let now = self.kernel.clock;
        self.process().signals.due() && self.process_mut().signals.interrupts(now)
    }
}
