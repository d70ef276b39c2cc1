//! Signals: setting their actions, sending them, blocking them, waiting for them.

use cleave_memory::Byte;

use crate::kernel::errno::{CallResult, EAGAIN, EINVAL, ENOMEM, EPERM, ESRCH, fail};
use crate::kernel::state::Call;
use crate::kernel::user_memory::Record;
use crate::signals::info::{INFO_SIZE, Info};
use crate::signals::sending::{SI_TKILL, SI_USER};
use crate::signals::state::{
    Action, SA_KNOWN, SIGKILL, SIGSTOP, SS_AUTODISARM, SS_DISABLE, SS_ONSTACK, UNBLOCKABLE, bit,
};

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
            flags: call.long(new.wrapping_add(8))? & SA_KNOWN,
            restorer: call.long(new.wrapping_add(16))?,
            mask: call.long(new.wrapping_add(24))? & !UNBLOCKABLE,
        }),
    };
    if action.is_some() && matches!(signal, SIGKILL | SIGSTOP) {
        return fail(EINVAL);
    }
    let before = call.process().signals.action(signal);
    if let Some(action) = action {
        call.process_mut().signals.act(signal, action);
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
    let before = call.process().signals.own.blocked;
    if new != 0 {
        let set = call.long(new)?;
        let blocked = match how as u32 {
            0 => before | set,
            1 => before & !set,
            2 => set,
            _ => return fail(EINVAL),
        };
        call.process_mut().signals.own.blocked = blocked & !UNBLOCKABLE;
    }
    if old != 0 {
        call.put(old, &before.to_le_bytes())?;
    }
    Ok(0)
}

pub(crate) fn rt_sigpending(call: &mut Call<'_>, [set, size, ..]: [u64; 6]) -> CallResult {
    if size > SET {
        return fail(EINVAL);
    }
    let signals = &call.process().signals;
    let pending = (signals.pending() & signals.own.blocked).to_le_bytes();
    call.put(set, &pending[..size as usize])?;
    Ok(0)
}

impl Call<'_> {
    /// Sends a signal to the running thread, as an effect of its call.
    pub(crate) fn raise(&mut self, signal: u32) {
        let info = Info::sent(signal, SI_USER, self.process().pid);
        self.process_mut().signals.sent.by_calls |= bit(signal);
        let (pid, tid) = (self.process().pid, self.process().thread.tid);
        self.kernel.send_told(pid, signal, info, Some(tid));
    }

    /// Holds these signals blocked for this call alone; those from before are blocked again after it.
    pub(crate) fn block_for_call(&mut self, blocked: u64) {
        if self.kernel.resumes() {
            return;
        }
        let signals = &mut self.process_mut().signals;
        signals.own.saved_mask = Some(signals.own.blocked);
        signals.own.blocked = blocked & !UNBLOCKABLE;
    }

    /// As [`Call::block_for_call`] of the set at an address; nothing if that is 0.
    pub(crate) fn block_by(&mut self, set: u64, size: u64) -> CallResult<()> {
        if set == 0 {
            return Ok(());
        }
        if size != SET {
            return fail(EINVAL);
        }
        let blocked = self.long(set)?;
        self.block_for_call(blocked);
        Ok(())
    }

    /// A `siginfo_t` that the program made, of this signal.
    fn given_info(&mut self, signal: u64, address: u64) -> CallResult<Info> {
        const COPIED: u64 = 48;
        let mut bytes = self.guest.carry(address, COPIED)?;
        bytes.splice(..4, (signal as u32).to_le_bytes().map(Byte::Known));
        bytes.resize(INFO_SIZE, Byte::Known(0));
        Ok(Info { bytes: bytes.into(), timer: None })
    }
}

pub(crate) fn kill(call: &mut Call<'_>, [pid, signal, ..]: [u64; 6]) -> CallResult {
    call.send_to(pid as i32, signal, None, false)
}

pub(crate) fn tkill(call: &mut Call<'_>, [thread, signal, ..]: [u64; 6]) -> CallResult {
    if thread as i32 <= 0 {
        return fail(EINVAL);
    }
    call.send_to_thread(None, thread as i32, signal, None)
}

pub(crate) fn tgkill(call: &mut Call<'_>, [group, thread, signal, ..]: [u64; 6]) -> CallResult {
    if thread as i32 <= 0 || group as i32 <= 0 {
        return fail(EINVAL);
    }
    call.send_to_thread(Some(group as i32), thread as i32, signal, None)
}

/// A signal with a value, to a process.
pub(crate) fn rt_sigqueueinfo(call: &mut Call<'_>, [pid, signal, info, ..]: [u64; 6]) -> CallResult {
    let code = call.word(info.wrapping_add(8), 4)? as i32;
    let given = call.given_info(signal, info)?;
    if (code >= 0 || code == SI_TKILL) && pid as i32 != call.process().pid as i32 {
        return fail(EPERM);
    }
    if pid as i32 <= 0 {
        return fail(if signal as u32 > 64 { EINVAL } else { ESRCH });
    }
    call.send_to(pid as i32, signal, Some(given), false)
}

/// As [`rt_sigqueueinfo`], to a thread.
pub(crate) fn rt_tgsigqueueinfo(
    call: &mut Call<'_>,
    [group, thread, signal, info, ..]: [u64; 6],
) -> CallResult {
    let code = call.word(info.wrapping_add(8), 4)? as i32;
    let given = call.given_info(signal, info)?;
    if thread as i32 <= 0 || group as i32 <= 0 {
        return fail(EINVAL);
    }
    if (code >= 0 || code == SI_TKILL) && group as i32 != call.process().pid as i32 {
        return fail(EPERM);
    }
    call.send_to_thread(Some(group as i32), thread as i32, signal, Some(given))
}

pub(crate) fn sigaltstack(call: &mut Call<'_>, [new, old, ..]: [u64; 6]) -> CallResult {
    const MINSIGSTKSZ: u64 = 2048;
    let before = call.process().signals.told_stack();
    if new != 0 {
        let address = call.long(new)?;
        let flags = call.word(new.wrapping_add(8), 4)? as u32;
        let size = call.long(new.wrapping_add(16))?;
        if call.process().signals.on_alternate_stack() {
            return fail(EPERM);
        }
        let stack = match flags & !SS_AUTODISARM {
            SS_DISABLE => (0, flags, 0),
            0 | SS_ONSTACK => (address, flags, size),
            _ => return fail(EINVAL),
        };
        let same = call.process().signals.own.alternate_stack == (address, flags, size);
        if !same && flags & SS_DISABLE == 0 && size < MINSIGSTKSZ {
            return fail(ENOMEM);
        }
        call.process_mut().signals.own.alternate_stack = stack;
    }
    if old != 0 {
        let (address, flags, size) = before;
        // The four bytes between are padding.
        call.put_record(old, Record::default().u64(address).u32(flags))?;
        call.put(old.wrapping_add(16), &size.to_le_bytes())?;
    }
    Ok(0)
}

const NOBODY_SENDS: &str = "there is nobody who would send a signal";

/// Waiting for a handler to run.
pub(crate) fn pause(call: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    call.wait_at_most(None, NOBODY_SENDS)?;
    Ok(0)
}

/// Waiting for a handler to run, with other signals blocked.
pub(crate) fn rt_sigsuspend(call: &mut Call<'_>, [set, size, ..]: [u64; 6]) -> CallResult {
    if size != SET {
        return fail(EINVAL);
    }
    let blocked = call.long(set)?;
    call.block_for_call(blocked);
    call.wait_at_most(None, NOBODY_SENDS)?;
    Ok(0)
}

/// Taking a signal of a set that is pending, or becomes so.
pub(crate) fn rt_sigtimedwait(call: &mut Call<'_>, [set, info, timeout, size, ..]: [u64; 6]) -> CallResult {
    if size != SET {
        return fail(EINVAL);
    }
    let wanted = call.long(set)? & !UNBLOCKABLE;
    let patience = if timeout == 0 { None } else { Some(call.duration(timeout)?) };
    let now = call.kernel.clock;
    if let Some((signal, told)) = call.process_mut().signals.take(wanted, now) {
        if info != 0 {
            call.guest.write(info, &told.bytes)?;
        }
        return Ok(signal.into());
    }
    if patience != Some(0) {
        call.wait_at_most(patience, NOBODY_SENDS)?;
    }
    fail(EAGAIN)
}

/// Answers calls that need a privilege which the process does not have.
pub(crate) fn not_permitted(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    fail(EPERM)
}
