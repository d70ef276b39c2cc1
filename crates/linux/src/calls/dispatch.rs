//! The interface to the kernel: one system call.

use std::rc::Rc;

use crate::calls::table::{call, name_of};
use crate::kernel::errno::{EINTR, ERESTART, Fail};
use crate::kernel::guest::{Guest, Stop};
use crate::kernel::state::{Call, Kernel};
use crate::processes::schedule::Next;
use crate::processes::threads::Progress;

impl Kernel {
    /// One system call: its x86-64 number and arguments. Returns the value of `rax`: the result, or the negated error number.
    ///
    /// # Errors
    /// [`Stop`], if the call does not return. After [`Stop::Decide`] the kernel and the memory are to be thrown away and the call
    /// to be made again with the answer; after [`Stop::Wait`] the memory alone, and [`Kernel::schedule`] gives the next step.
    pub fn syscall(&mut self, nr: u64, args: [u64; 6], guest: &mut dyn Guest) -> Result<u64, Stop> {
        let Some(handler) = call(nr).and_then(|call| call.handler) else {
            return Err(Stop::Unsupported(format!("system call {} ({nr})", name_of(nr))));
        };
        self.handed.clear();
        if !self.process.file_mappings.is_empty() {
            self.flush_mappings(guest);
        }
        let mut served = Call { kernel: self, guest };
        let result = served.settle_terminal(nr, &args).and_then(|()| handler(&mut served, args));
        if let Some(what) = self.untold {
            return Err(Stop::Unsupported(what.into()));
        }
        let waits = matches!(result, Err(Fail::Stop(Stop::Wait(_))));
        if waits != self.process.thread.progress.is_some() {
            Rc::make_mut(&mut self.process).thread.progress = waits.then(Progress::default);
        }
        if result.is_ok() || matches!(result, Err(Fail::Errno(_))) {
            if !self.process.file_mappings.is_empty() {
                // The call itself may have written there.
                self.flush_mappings(guest);
                self.refresh_mappings(guest);
            }
            self.note_call(nr, &result);
            self.watch(guest);
            self.call_returns(matches!(result, Err(Fail::Errno(ERESTART | EINTR))))?;
        }
        match result {
            Ok(value) => Ok(value),
            Err(Fail::Errno(errno)) => {
                if call(nr).is_some_and(|call| call.invented.contains(&errno)) {
                    self.make_up(&format!("{} fails ({})", name_of(nr), errno.name()));
                }
                Ok(i64::from(-errno.0) as u64)
            }
            Err(Fail::Stop(Stop::Unsupported(what))) => {
                Err(Stop::Unsupported(format!("system call {} ({nr}): {what}", name_of(nr))))
            }
            Err(Fail::Stop(stop)) => Err(stop),
        }
    }

    /// Handles the events that are due when a call returns: timers whose time has come, and signals that end the process. The
    /// mask that held for the call alone stays for the delivery of the signal that has `interrupted` it.
    fn call_returns(&mut self, interrupted: bool) -> Result<(), Stop> {
        self.call_returned();
        self.expire();
        if !interrupted && self.process.signals.own.saved_mask.is_some() {
            let signals = &mut Rc::make_mut(&mut self.process).signals;
            signals.own.blocked = signals.own.saved_mask.take().unwrap_or(signals.own.blocked);
        }
        if self.signal_due() { self.do_without_handlers() } else { Ok(()) }
    }

    /// Like [`Kernel::syscall`], of a process that is alone: a call that waits is run again until it returns. Its writes to
    /// memory in the meantime stay there.
    ///
    /// # Errors
    /// [`Stop`], if the call does not return; [`Stop::Wait`] if it never will.
    pub fn syscall_to_its_end(
        &mut self,
        nr: u64,
        args: [u64; 6],
        guest: &mut dyn Guest,
    ) -> Result<u64, Stop> {
        loop {
            match self.syscall(nr, args, guest) {
                Err(Stop::Wait(wait)) if self.schedule(&wait) == Next::Again => {}
                result => return result,
            }
        }
    }
}
