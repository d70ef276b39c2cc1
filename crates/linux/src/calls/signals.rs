//! Signals: a process that sends some to itself.

use crate::errno::{CallResult, EAGAIN, EINVAL, EPERM, ESRCH, fail, stuck, unsupported};
use crate::guest::Stop;
use crate::kernel::Call;
use crate::process::Action;
use crate::user::Record;
use crate::world::{PARENT_PID, PID};

const SIGKILL: u32 = 9;
const SIGCHLD: u32 = 17;
const SIGCONT: u32 = 18;
const SIGSTOP: u32 = 19;
const SIGURG: u32 = 23;
const SIGWINCH: u32 = 28;
const IGNORE: u64 = 1;
/// Signals that cannot be caught, ignored or blocked.
const UNBLOCKABLE: u64 = 1 << (SIGKILL - 1) | 1 << (SIGSTOP - 1);

/// Size of a set of signals, in bytes; the kernel wants to hear it.
const SET: u64 = 8;

pub(crate) fn rt_sigaction(call: &mut Call<'_>, [signal, new, old, size, ..]: [u64; 6]) -> CallResult {
    let signal = signal as u32;
    if size != SET || !(1..=64).contains(&signal) {
        return fail(EINVAL);
    }
    let action = match new {
        0 => None,
        _ => Some(Action {
            handler: call.long(new)?,
            flags: call.long(new.wrapping_add(8))?,
            restorer: call.long(new.wrapping_add(16))?,
            mask: call.long(new.wrapping_add(24))? & !UNBLOCKABLE,
        }),
    };
    if action.is_some() && matches!(signal, SIGKILL | SIGSTOP) {
        return fail(EINVAL);
    }
    let before = call.process().actions.get(&signal).copied().unwrap_or_default();
    if let Some(action) = action {
        call.process_mut().actions.insert(signal, action);
        // What is ignored from now on is not pending any more.
        if action.handler == IGNORE || action.handler == 0 && ignored_by_default(signal) {
            call.process_mut().pending &= !(1 << (signal - 1));
        }
    }
    if old != 0 {
        let Action { handler, flags, restorer, mask } = before;
        call.put_record(old, Record::default().u64(handler).u64(flags).u64(restorer).u64(mask))?;
    }
    Ok(0)
}

pub(crate) fn rt_sigprocmask(call: &mut Call<'_>, [how, new, old, size, ..]: [u64; 6]) -> CallResult {
    if size != SET {
        return fail(EINVAL);
    }
    let before = call.process().blocked;
    if new != 0 {
        let set = call.long(new)?;
        let blocked = match how as u32 {
            0 => before | set,
            1 => before & !set,
            2 => set,
            _ => return fail(EINVAL),
        };
        call.process_mut().blocked = blocked & !UNBLOCKABLE;
    }
    if old != 0 {
        call.put(old, &before.to_le_bytes())?;
    }
    let blocked = call.process().blocked;
    call.deliver_pending(blocked)?;
    Ok(0)
}

pub(crate) fn rt_sigpending(call: &mut Call<'_>, [set, size, ..]: [u64; 6]) -> CallResult {
    if size > SET {
        return fail(EINVAL);
    }
    let pending = (call.process().pending & call.process().blocked).to_le_bytes();
    call.put(set, &pending[..size as usize])?;
    Ok(0)
}

fn ignored_by_default(signal: u32) -> bool {
    matches!(signal, SIGCHLD | SIGCONT | SIGURG | SIGWINCH)
}

impl Call<'_> {
    /// Sends a signal to the process itself.
    pub(crate) fn raise(&mut self, signal: u32) -> CallResult<()> {
        let handler = self.process().actions.get(&signal).map_or(0, |a| a.handler);
        let blocked = self.process().blocked >> (signal - 1) & 1 != 0;
        if blocked && signal != SIGKILL {
            self.process_mut().pending |= 1 << (signal - 1);
            return Ok(());
        }
        if handler == IGNORE {
            return Ok(());
        }
        self.deliver(signal)
    }

    /// Delivers what is pending and not `blocked`: the lowest first, as the kernel does.
    fn deliver_pending(&mut self, blocked: u64) -> CallResult<()> {
        loop {
            let process = self.process_mut();
            let ready = process.pending & !blocked;
            if ready == 0 {
                return Ok(());
            }
            let signal = ready.trailing_zeros() + 1;
            process.pending &= !(1 << (signal - 1));
            self.deliver(signal)?;
        }
    }

    fn deliver(&mut self, signal: u32) -> CallResult<()> {
        let handler = self.process().actions.get(&signal).map_or(0, |a| a.handler);
        match handler {
            IGNORE => Ok(()),
            0 if ignored_by_default(signal) => Ok(()),
            0 if (SIGSTOP..=22).contains(&signal) => {
                unsupported(format!("signal {signal}, which stops the process"))
            }
            0 => Err(Stop::Signal(signal as i32).into()),
            _ => unsupported(format!("a handler of signal {signal}")),
        }
    }

    /// Sends to a process id, 0 for the own group, negative for a group.
    fn send(&mut self, pid: i32, signal: u64) -> CallResult {
        let signal = signal as u32;
        if signal > 64 {
            return fail(EINVAL);
        }
        const OWN: i32 = PID as i32;
        const OWN_GROUP: i32 = -OWN;
        const PARENT: i32 = PARENT_PID as i32;
        match pid {
            0 | OWN | OWN_GROUP if signal == 0 => Ok(0),
            0 | OWN | OWN_GROUP => self.raise(signal).map(|()| 0),
            // The namespace's init process takes no notice.
            PARENT => Ok(0),
            _ => fail(ESRCH),
        }
    }
}

pub(crate) fn kill(call: &mut Call<'_>, [pid, signal, ..]: [u64; 6]) -> CallResult {
    call.send(pid as i32, signal)
}

pub(crate) fn tkill(call: &mut Call<'_>, [thread, signal, ..]: [u64; 6]) -> CallResult {
    if thread as i32 <= 0 {
        return fail(EINVAL);
    }
    call.send(thread as i32, signal)
}

pub(crate) fn tgkill(call: &mut Call<'_>, [group, thread, signal, ..]: [u64; 6]) -> CallResult {
    if thread as i32 <= 0 || group as i32 <= 0 {
        return fail(EINVAL);
    }
    if group as i32 != thread as i32 { fail(ESRCH) } else { call.send(thread as i32, signal) }
}

pub(crate) fn sigaltstack(call: &mut Call<'_>, [new, old, ..]: [u64; 6]) -> CallResult {
    const SS_DISABLE: u32 = 2;
    const MINSIGSTKSZ: u64 = 2048;
    let before = call.process().alternate_stack;
    if new != 0 {
        let address = call.long(new)?;
        let flags = call.word(new.wrapping_add(8), 4)? as u32;
        let size = call.long(new.wrapping_add(16))?;
        call.process_mut().alternate_stack = match flags & !(1 << 31) {
            SS_DISABLE => (0, SS_DISABLE, 0),
            0 | 1 if size < MINSIGSTKSZ => return fail(crate::errno::ENOMEM),
            0 | 1 => (address, flags & 1 << 31, size),
            _ => return fail(EINVAL),
        };
    }
    if old != 0 {
        let (address, flags, size) = before;
        call.put_record(old, Record::default().u64(address).u32(flags).u32(0).u64(size))?;
    }
    Ok(0)
}

const NOBODY_SENDS: &str = "there is nobody who would send a signal";

/// Waiting for a signal that is not pending: it would have been delivered before.
pub(crate) fn pause(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    stuck(NOBODY_SENDS)
}

/// Waiting with other signals blocked: what is pending and not blocked comes at once. Where that is ignored, nothing else
/// will come.
pub(crate) fn rt_sigsuspend(call: &mut Call<'_>, [set, size, ..]: [u64; 6]) -> CallResult {
    if size != SET {
        return fail(EINVAL);
    }
    let blocked = call.long(set)? & !UNBLOCKABLE;
    call.deliver_pending(blocked)?;
    stuck(NOBODY_SENDS)
}

/// Taking a signal that is pending. None is sent while the program waits.
pub(crate) fn rt_sigtimedwait(call: &mut Call<'_>, [set, _, timeout, size, ..]: [u64; 6]) -> CallResult {
    if size != SET {
        return fail(EINVAL);
    }
    if call.long(set)? & call.process().pending != 0 {
        return unsupported("a pending signal that is waited for");
    }
    if timeout == 0 {
        return stuck(NOBODY_SENDS);
    }
    let patience = call.duration(timeout)?;
    call.pass_time(patience);
    fail(EAGAIN)
}

/// Timers would need a clock that runs by itself: one that is switched off is no timer.
pub(crate) fn alarm(_: &mut Call<'_>, [seconds, ..]: [u64; 6]) -> CallResult {
    if seconds as u32 == 0 { Ok(0) } else { unsupported("a timer") }
}

pub(crate) fn setitimer(call: &mut Call<'_>, [which, new, old, ..]: [u64; 6]) -> CallResult {
    if which > 2 {
        return fail(EINVAL);
    }
    if new != 0 && (call.pair(new.wrapping_add(16))? != (0, 0)) {
        return unsupported("a timer");
    }
    if old != 0 {
        call.put(old, &[0; 32])?;
    }
    Ok(0)
}

pub(crate) fn getitimer(call: &mut Call<'_>, [which, value, ..]: [u64; 6]) -> CallResult {
    if which > 2 {
        return fail(EINVAL);
    }
    call.put(value, &[0; 32])?;
    Ok(0)
}

/// What needs a privilege that the process does not have.
pub(crate) fn not_permitted(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    fail(EPERM)
}
