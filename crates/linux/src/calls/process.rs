//! The life of the process: its end, its children (it has none), its scheduling and limits.

use crate::errno::{CallResult, ECHILD, EINVAL, EPERM, ESRCH, fail, unsupported};
use crate::guest::Stop;
use crate::kernel::Call;
use crate::user::Record;
use crate::world::{self, PID};

pub(crate) fn exit(_: &mut Call<'_>, [status, ..]: [u64; 6]) -> CallResult {
    Err(Stop::Exit(status as i32 & 0xff).into())
}

/// New processes: not modelled.
pub(crate) fn fork(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    unsupported("a new process")
}

/// New processes and threads, as the flags have it: not modelled.
pub(crate) fn clone(_: &mut Call<'_>, [flags, ..]: [u64; 6]) -> CallResult {
    const CLONE_THREAD: u64 = 0x10000;
    unsupported(if flags & CLONE_THREAD != 0 { "a new thread" } else { "a new process" })
}

/// The sandbox answers so, and the C library falls back on `clone`.
pub(crate) fn not_implemented(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    fail(crate::errno::ENOSYS)
}

pub(crate) fn execve(call: &mut Call<'_>, [path, ..]: [u64; 6]) -> CallResult {
    super::stat::executable(call, crate::path::AT_FDCWD as u64, path)?;
    unsupported("running a program that is there")
}

pub(crate) fn execveat(call: &mut Call<'_>, [directory, path, _, _, flags, _]: [u64; 6]) -> CallResult {
    if flags != 0 {
        return unsupported("flags");
    }
    super::stat::executable(call, directory, path)?;
    unsupported("running a program that is there")
}

pub(crate) fn wait4(_: &mut Call<'_>, [_, _, options, ..]: [u64; 6]) -> CallResult {
    const KNOWN: u64 = 0xe000_000b;
    if options & 0xffff_ffff & !KNOWN != 0 { fail(EINVAL) } else { fail(ECHILD) }
}

pub(crate) fn waitid(_: &mut Call<'_>, [kind, _, _, options, ..]: [u64; 6]) -> CallResult {
    const KNOWN: u64 = 0xe100_000f;
    if kind > 3 || options & 0xffff_ffff & !KNOWN != 0 || options & 0xe == 0 {
        fail(EINVAL)
    } else {
        fail(ECHILD)
    }
}

pub(crate) fn set_tid_address(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(PID)
}

/// Accepted; nothing ever looks at it, for threads do not die here.
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
            let mut name = [0; 16];
            for (i, byte) in name.iter_mut().take(15).enumerate() {
                *byte = call.word(argument.wrapping_add(i as u64), 1)? as u8;
                if *byte == 0 {
                    break;
                }
            }
            call.process_mut().name = name;
            Ok(0)
        }
        PR_GET_NAME => {
            let name = call.process().name;
            call.put(argument, &name)?;
            Ok(0)
        }
        other => unsupported(format!("option {other}")),
    }
}

pub(crate) fn sched_yield(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(0)
}

fn own(pid: u64) -> CallResult<()> {
    if matches!(pid as i32, 0) || pid as u32 as u64 == PID { Ok(()) } else { fail(ESRCH) }
}

pub(crate) fn sched_getaffinity(call: &mut Call<'_>, [pid, size, mask, ..]: [u64; 6]) -> CallResult {
    if size < 8 || size % 8 != 0 {
        return fail(EINVAL);
    }
    own(pid)?;
    call.put(mask, &((1u64 << world::PROCESSORS) - 1).to_le_bytes())?;
    Ok(8)
}

pub(crate) fn sched_setaffinity(call: &mut Call<'_>, [pid, size, mask, ..]: [u64; 6]) -> CallResult {
    own(pid)?;
    let wanted = call.word(mask, size.min(8))?;
    if wanted & ((1 << world::PROCESSORS) - 1) == 0 { fail(EINVAL) } else { Ok(0) }
}

pub(crate) fn sched_getscheduler(_: &mut Call<'_>, [pid, ..]: [u64; 6]) -> CallResult {
    own(pid)?;
    Ok(0)
}

pub(crate) fn sched_priority_bound(_: &mut Call<'_>, [policy, ..]: [u64; 6]) -> CallResult {
    if matches!(policy, 0 | 3 | 5) { Ok(0) } else { unsupported("real-time policies") }
}

pub(crate) fn getpriority(_: &mut Call<'_>, [which, who, ..]: [u64; 6]) -> CallResult {
    match which as u32 {
        0 | 1 => own(who)?,
        2 if matches!(who as u32, 0 | world::UID) => {}
        2 => return fail(ESRCH),
        _ => return fail(EINVAL),
    }
    // The kernel gives 20 minus the niceness.
    Ok(20)
}

pub(crate) fn setpriority(call: &mut Call<'_>, [which, who, niceness, ..]: [u64; 6]) -> CallResult {
    getpriority(call, [which, who, 0, 0, 0, 0])?;
    match niceness as i32 {
        ..0 => fail(crate::errno::EACCES),
        0 => Ok(0),
        _ => unsupported("another niceness"),
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
    own(pid)?;
    if let Some((soft, hard)) = new {
        if soft > hard {
            return fail(EINVAL);
        }
        if hard > before.1 {
            return fail(EPERM);
        }
        call.process_mut().limits.insert(resource as u32, (soft, hard));
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
