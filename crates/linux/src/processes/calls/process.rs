//! Handlers for the life of a process: its end, its scheduling and limits.

use std::rc::Rc;

use cleave_memory::Byte;

use crate::env::world;
use crate::kernel::errno::{CallResult, EINVAL, EPERM, ESRCH, fail, unsupported};
use crate::kernel::guest::Stop;
use crate::kernel::state::Call;
use crate::kernel::user_memory::Record;

pub(crate) fn exit(_: &mut Call<'_>, [status, ..]: [u64; 6]) -> CallResult {
    Err(Stop::Exit(status as i32 & 0xff).into())
}

/// The sandbox answers so, and the C library falls back on `clone`.
pub(crate) fn not_implemented(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    fail(crate::kernel::errno::ENOSYS)
}

pub(crate) fn set_tid_address(call: &mut Call<'_>, [address, ..]: [u64; 6]) -> CallResult {
    let thread = &mut call.process_mut().thread;
    thread.cleared = address;
    Ok(thread.tid)
}

/// Accepted; nothing ever looks at it: the C library gives back what a thread holds that it ends, and a thread that ends
/// without the C library gives nothing back.
pub(crate) fn set_robust_list(_: &mut Call<'_>, [_, len, ..]: [u64; 6]) -> CallResult {
    if len == 24 { Ok(0) } else { fail(EINVAL) }
}

/// The thread pointer is the engine's own.
pub(crate) fn arch_prctl(_: &mut Call<'_>, [code, ..]: [u64; 6]) -> CallResult {
    unsupported(format!("code {code:#x}"))
}

pub(crate) fn prctl(call: &mut Call<'_>, [option, argument, ..]: [u64; 6]) -> CallResult {
    const PR_GET_DUMPABLE: u32 = 3;
    const PR_SET_NAME: u32 = 15;
    const PR_GET_NAME: u32 = 16;
    const PR_GET_SECCOMP: u32 = 21;
    const PR_SET_NO_NEW_PRIVS: u32 = 38;
    const PR_GET_NO_NEW_PRIVS: u32 = 39;
    match option as u32 {
        PR_GET_DUMPABLE | PR_GET_NO_NEW_PRIVS => Ok(1),
        PR_GET_SECCOMP => Ok(2),
        PR_SET_NO_NEW_PRIVS => Ok(0),
        PR_SET_NAME => {
            let mut name = [Byte::Known(0); 16];
            for (i, byte) in name.iter_mut().take(15).enumerate() {
                *byte = Byte::Known(call.word(argument.wrapping_add(i as u64), 1)? as u8);
                if *byte == Byte::Known(0) {
                    break;
                }
            }
            call.process_mut().thread.name = name;
            Ok(0)
        }
        PR_GET_NAME => {
            let name = call.process().thread.name;
            call.guest.write(argument, &name)?;
            Ok(0)
        }
        other => unsupported(format!("option {other}")),
    }
}

pub(crate) fn sched_yield(call: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    call.kernel.give_way();
    Ok(0)
}

/// Checks that a process id is that of a process of the program, or 0 for the own one.
fn known(call: &Call<'_>, pid: u64) -> CallResult<()> {
    let pid = u64::from(pid as u32);
    if pid == 0 || call.kernel.process_of(pid).is_some() { Ok(()) } else { fail(ESRCH) }
}

/// As [`known`]; properties of another process cannot be had.
fn own(call: &Call<'_>, pid: u64) -> CallResult<()> {
    known(call, pid)?;
    let pid = u64::from(pid as u32);
    if pid == 0 || pid == call.process().pid { Ok(()) } else { unsupported("another process") }
}

pub(crate) fn sched_getaffinity(call: &mut Call<'_>, [pid, size, mask, ..]: [u64; 6]) -> CallResult {
    if size < 8 || size % 8 != 0 {
        return fail(EINVAL);
    }
    known(call, pid)?;
    call.put(mask, &((1u64 << world::PROCESSORS) - 1).to_le_bytes())?;
    Ok(8)
}

pub(crate) fn sched_setaffinity(call: &mut Call<'_>, [pid, size, mask, ..]: [u64; 6]) -> CallResult {
    known(call, pid)?;
    let wanted = call.word(mask, size.min(8))?;
    if wanted & ((1 << world::PROCESSORS) - 1) == 0 { fail(EINVAL) } else { Ok(0) }
}

pub(crate) fn sched_getscheduler(call: &mut Call<'_>, [pid, ..]: [u64; 6]) -> CallResult {
    known(call, pid)?;
    Ok(0)
}

pub(crate) fn sched_priority_bound(_: &mut Call<'_>, [policy, ..]: [u64; 6]) -> CallResult {
    if matches!(policy, 0 | 3 | 5) { Ok(0) } else { unsupported("real-time policies") }
}

/// Whose niceness a call means: that of the process itself, of its group or of its user.
fn own_niceness(call: &Call<'_>, which: u64, who: u64) -> CallResult<()> {
    match which as u32 {
        1 | 2 if call.kernel.has_several() => unsupported("the niceness of several processes"),
        0 | 1 => own(call, who),
        2 if matches!(who as u32, 0 | world::UID) => Ok(()),
        2 => fail(ESRCH),
        _ => fail(EINVAL),
    }
}

pub(crate) fn getpriority(call: &mut Call<'_>, [which, who, ..]: [u64; 6]) -> CallResult {
    own_niceness(call, which, who)?;
    // The kernel gives 20 minus the niceness.
    Ok(20 - u64::from(call.process().niceness))
}

/// Without privileges and with a limit of 0 (RLIMIT_NICE), niceness only rises. It does not change the speed of any process here.
pub(crate) fn setpriority(call: &mut Call<'_>, [which, who, niceness, ..]: [u64; 6]) -> CallResult {
    own_niceness(call, which, who)?;
    let wanted = (niceness as i32).clamp(-20, 19);
    match u8::try_from(wanted) {
        Ok(wanted) if wanted >= call.process().niceness => {
            call.process_mut().niceness = wanted;
            Ok(0)
        }
        _ => fail(crate::kernel::errno::EACCES),
    }
}

pub(crate) fn getrlimit(call: &mut Call<'_>, [resource, limit, ..]: [u64; 6]) -> CallResult {
    prlimit64(call, [0, resource, 0, limit, 0, 0])
}

pub(crate) fn setrlimit(call: &mut Call<'_>, [resource, limit, ..]: [u64; 6]) -> CallResult {
    prlimit64(call, [0, resource, limit, 0, 0, 0])
}

pub(crate) fn prlimit64(call: &mut Call<'_>, [pid, resource, new, old, ..]: [u64; 6]) -> CallResult {
    let Some(&before) = call.process().limits.get(&(resource as u32)) else { return fail(EINVAL) };
    let new = match new {
        0 => None,
        _ => Some((call.long(new)?, call.long(new.wrapping_add(8))?)),
    };
    own(call, pid)?;
    if let Some((soft, hard)) = new {
        if soft > hard {
            return fail(EINVAL);
        }
        if hard > before.1 {
            return fail(EPERM);
        }
        Rc::make_mut(&mut call.process_mut().limits).insert(resource as u32, (soft, hard));
    }
    if old != 0 {
        call.put_record(old, Record::default().u64(before.0).u64(before.1))?;
    }
    Ok(0)
}

/// Nothing is counted: no time passes in the program itself.
pub(crate) fn getrusage(call: &mut Call<'_>, [who, usage, ..]: [u64; 6]) -> CallResult {
    if !matches!(who as i32, -1..=1) {
        return fail(EINVAL);
    }
    call.put(usage, &[0; 144])?;
    Ok(0)
}
