//! Delivery: from a pending signal to the call of its handler, and back.

use std::rc::Rc;

use crate::kernel::errno::Fail;
use crate::kernel::guest::{Guest, Stop};
use crate::kernel::state::{Call, Kernel};
use crate::kernel::user_memory::Record;
use crate::signals::info::{INFO_SIZE, Info};
use crate::signals::state::{
    After, Effect, SA_RESTART, SA_SIGINFO, SIGABRT, SIGSTOP, Sent, UNBLOCKABLE, bit,
};

/// Value of `rax` for a call that a signal interrupts and that may start again. The engine makes it `EINTR`, or starts the call
/// again.
pub const RESTART: u64 = i64::wrapping_neg(512) as u64;
/// Result of an interrupted call that does not start again.
pub const INTERRUPTED: u64 = i64::wrapping_neg(4) as u64;

/// Offset of `uc_sigmask` in a `ucontext_t`, in bytes.
const MASK_OFFSET: u64 = 296;
/// Bytes of registers in a `ucontext_t`.
const REGISTERS: usize = 256;
/// Bytes of `sigset_t` in the C library.
const SET_BYTES: usize = 128;

/// A handler that is to be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The signal's number.
    pub signal: u32,
    /// The handler's address.
    pub handler: u64,
    /// Address of the C library's function that the handler returns to.
    pub restorer: u64,
    /// The handler gets the signal's data and the interrupted context (`SA_SIGINFO`).
    pub tells: bool,
    /// An interrupted call starts again (`SA_RESTART`).
    pub restarts: bool,
}

impl Kernel {
    /// Returns true if a signal is pending and not blocked: to be asked after each call.
    #[inline]
    pub fn signal_due(&self) -> bool {
        self.process.signals.due()
    }

    /// Returns true if some handler has not returned.
    #[inline]
    pub fn handler_runs(&self) -> bool {
        !self.process.signals.own.running.is_empty()
    }

    /// Takes the signals that are due, up to the first handler. To be called until there is none: the last of them runs first.
    ///
    /// # Errors
    /// [`Stop::Signal`] if the process ends; [`Stop::Unsupported`] if it would stop.
    pub fn deliver(&mut self) -> Result<Option<Delivery>, Stop> {
        while let Some((signal, info)) = self.take_due() {
            match self.process.signals.effect(signal) {
                Effect::Nothing => {}
                Effect::Stops => self.stopped_by(signal),
                Effect::Ends => return Err(Stop::Signal(signal as i32)),
                Effect::Handler(action) => {
                    Rc::make_mut(&mut self.process).signals.begin(signal, action, info);
                    return Ok(Some(Delivery {
                        signal,
                        handler: action.handler,
                        restorer: action.restorer,
                        tells: action.flags & SA_SIGINFO != 0,
                        restarts: action.flags & SA_RESTART != 0,
                    }));
                }
            }
        }
        let signals = &mut Rc::make_mut(&mut self.process).signals;
        if let Some(mask) = signals.own.saved_mask.take() {
            signals.own.blocked = mask;
        }
        Ok(None)
    }

    fn take_due(&mut self) -> Option<(u32, Info)> {
        let now = self.clock;
        let signals = &mut Rc::make_mut(&mut self.process).signals;
        signals.take(!signals.own.blocked, now)
    }

    /// A signal stops the running process, unless no process could continue it: an orphan is stopped by SIGSTOP alone.
    fn stopped_by(&mut self, signal: u32) {
        let (pid, group) = (self.process.pid, self.process.group);
        if signal == SIGSTOP || !self.is_orphaned(group) {
            self.stop(pid, signal);
        }
    }

    /// Applies the signals that are due before the first handler: the process stops or ends.
    pub(crate) fn do_without_handlers(&mut self) -> Result<(), Stop> {
        let signals = &mut Rc::make_mut(&mut self.process).signals;
        signals.drop_stale(!signals.own.blocked);
        loop {
            let signals = &self.process.signals;
            let Some(signal) = signals.first(!signals.own.blocked) else { return Ok(()) };
            let effect = signals.effect(signal);
            if matches!(effect, Effect::Handler(_)) {
                return Ok(());
            }
            self.take_due();
            match effect {
                Effect::Ends => return Err(Stop::Signal(signal as i32)),
                Effect::Stops => self.stopped_by(signal),
                Effect::Nothing | Effect::Handler(_) => {}
            }
        }
    }

    /// As [`Kernel::deliver`] of the signal that `abort` raises: none if it has no handler.
    ///
    /// # Errors
    /// As [`Kernel::deliver`].
    pub fn deliver_abort(&mut self) -> Result<Option<Delivery>, Stop> {
        let signals = &self.process.signals;
        let caught = matches!(signals.effect(SIGABRT), Effect::Handler(_));
        if !caught || signals.own.blocked & bit(SIGABRT) != 0 {
            return Ok(None);
        }
        let tkill = -6;
        let info = Info::sent(SIGABRT, tkill, self.process.pid);
        Rc::make_mut(&mut self.process).signals.send(SIGABRT, info, true);
        self.deliver()
    }

    /// Sets the continuation after the handler that was delivered last; it is [`After::Again`] by default.
    pub fn follow(&mut self, after: After) {
        if let Some(running) = Rc::make_mut(&mut self.process).signals.own.running.last_mut() {
            running.after = after;
        }
    }

    /// Writes the innermost handler's arguments: a `siginfo_t`, and a `ucontext_t` whose registers are zero.
    ///
    /// # Errors
    /// [`Stop::Fault`] if the memory is not the program's.
    pub fn tell_handler(&mut self, info: u64, context: u64, guest: &mut dyn Guest) -> Result<(), Stop> {
        let Some(running) = self.process.signals.own.running.last().cloned() else {
            return Err(Stop::Unsupported("a frame of a signal without a signal".into()));
        };
        guest.write(info, &running.info.bytes[..INFO_SIZE])?;
        let (address, flags, size) = running.alternate_stack;
        let record = Record::default()
            .zeros(16)
            .u64(address)
            .u64(flags.into())
            .u64(size)
            .zeros(REGISTERS)
            .u64(running.mask)
            .zeros(SET_BYTES - 8);
        let bytes: Vec<_> = record.into_bytes().into_iter().map(cleave_memory::Byte::Known).collect();
        guest.write(context, &bytes)
    }

    /// The innermost handler has returned: the signals are blocked that its `ucontext_t` names.
    ///
    /// # Errors
    /// As those of a call.
    pub fn signal_return(&mut self, context: u64, guest: &mut dyn Guest) -> Result<After, Stop> {
        let mask = Call { kernel: self, guest }.long(context.wrapping_add(MASK_OFFSET));
        let mask = mask.map_err(|fail| match fail {
            Fail::Stop(stop) => stop,
            Fail::Errno(errno) => Stop::Unsupported(format!("a signal's frame: {}", errno.name())),
        })?;
        let after = Rc::make_mut(&mut self.process).signals.end(mask);
        after.ok_or_else(|| Stop::Unsupported("a return from a signal that was not delivered".into()))
    }

    /// The program has left the innermost handler by a jump.
    pub fn handler_left(&mut self) {
        Rc::make_mut(&mut self.process).signals.own.running.pop();
    }

    /// Takes the signals that the kernel itself has sent to the process since the last call of this function. A native process
    /// that runs beside the model needs them too.
    pub fn take_sent(&mut self) -> Sent {
        if self.process.signals.sent == Sent::default() {
            return Sent::default();
        }
        std::mem::take(&mut Rc::make_mut(&mut self.process).signals.sent)
    }

    /// The blocked signals; bit 0 is signal 1.
    pub fn signal_mask(&self) -> u64 {
        self.process.signals.own.blocked
    }

    /// Blocks these signals and no others.
    pub fn set_signal_mask(&mut self, mask: u64) {
        Rc::make_mut(&mut self.process).signals.own.blocked = mask & !UNBLOCKABLE;
    }
}
