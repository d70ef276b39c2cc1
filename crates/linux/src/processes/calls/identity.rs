//! Ids of process, user and group. The process is an ordinary user's and cannot become another's.

use crate::env::world::{GID, PARENT_PID, UID};
use crate::kernel::errno::{CallResult, EACCES, EINVAL, EPERM, ESRCH, fail};
use crate::kernel::state::Call;
use crate::processes::process::Process;

pub(crate) fn getpid(call: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(call.process().pid)
}

pub(crate) fn gettid(call: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(call.process().thread.tid)
}

/// An orphan's parent is init. A process that polls for that in a loop lets the others go on.
pub(crate) fn getppid(call: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    call.kernel.give_way();
    Ok(call.process().parent)
}

pub(crate) fn getuid(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(UID.into())
}

pub(crate) fn getgid(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(GID.into())
}

impl Call<'_> {
    /// A number of a process, its group or its session, of the process with this id; 0 is the own one.
    fn number_of(&self, pid: u64, number: fn(&Process) -> u64) -> CallResult {
        match pid as i32 as i64 as u64 {
            0 => Ok(number(self.process())),
            PARENT_PID => Ok(PARENT_PID),
            pid => self.kernel.process_of(pid).map_or_else(|| fail(ESRCH), |p| Ok(number(p))),
        }
    }
}

/// The program leads a session and a group of its own.
pub(crate) fn getpgid(call: &mut Call<'_>, [pid, ..]: [u64; 6]) -> CallResult {
    call.number_of(pid, |p| p.group)
}

pub(crate) fn getsid(call: &mut Call<'_>, [pid, ..]: [u64; 6]) -> CallResult {
    call.number_of(pid, |p| p.session)
}

pub(crate) fn getpgrp(call: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(call.process().group)
}

/// The leader of a group can found no session.
pub(crate) fn setsid(call: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    let own = call.process().pid;
    if call.kernel.processes().iter().any(|p| p.group == own) {
        return fail(EPERM);
    }
    let process = call.process_mut();
    (process.session, process.group) = (own, own);
    Ok(own)
}

/// Puts a process or a child of it into a group of the session, or into a new one that it leads.
pub(crate) fn setpgid(call: &mut Call<'_>, [pid, group, ..]: [u64; 6]) -> CallResult {
    let (own, session) = (call.process().pid, call.process().session);
    let pid = if pid as i32 == 0 { own } else { pid as i32 as i64 as u64 };
    let group = if group as i32 == 0 { pid } else { group as i32 as i64 as u64 };
    if (group as i64) < 0 {
        return fail(EINVAL);
    }
    let Some(process) = call.kernel.process_of(pid).filter(|p| p.pid == own || p.parent == own) else {
        return fail(ESRCH);
    };
    if process.session != session || process.session == pid {
        return fail(EPERM);
    }
    if process.executed && pid != own {
        return fail(EACCES);
    }
    let there = |p: &&Process| p.group == group && p.session == session;
    if group != pid && !call.kernel.processes().iter().any(there) {
        return fail(EPERM);
    }
    if let Some(process) = call.kernel.process_of_mut(pid) {
        process.group = group;
    }
    Ok(0)
}

/// Checks that ids may be set: each is the present one, or stays.
fn only(ids: &[u64], own: u32, keep: bool) -> CallResult {
    let fine = |&id: &u64| id as u32 == own || keep && id as u32 == u32::MAX;
    if !keep && ids.iter().any(|&id| id as u32 == u32::MAX) {
        return fail(EINVAL);
    }
    if ids.iter().all(fine) { Ok(0) } else { fail(EPERM) }
}

pub(crate) fn setuid(_: &mut Call<'_>, [id, ..]: [u64; 6]) -> CallResult {
    only(&[id], UID, false)
}

pub(crate) fn setgid(_: &mut Call<'_>, [id, ..]: [u64; 6]) -> CallResult {
    only(&[id], GID, false)
}

pub(crate) fn setreuid(_: &mut Call<'_>, [real, effective, ..]: [u64; 6]) -> CallResult {
    only(&[real, effective], UID, true)
}

pub(crate) fn setregid(_: &mut Call<'_>, [real, effective, ..]: [u64; 6]) -> CallResult {
    only(&[real, effective], GID, true)
}

pub(crate) fn setresuid(_: &mut Call<'_>, [real, effective, saved, ..]: [u64; 6]) -> CallResult {
    only(&[real, effective, saved], UID, true)
}

pub(crate) fn setresgid(_: &mut Call<'_>, [real, effective, saved, ..]: [u64; 6]) -> CallResult {
    only(&[real, effective, saved], GID, true)
}

fn put_three(call: &mut Call<'_>, addresses: [u64; 3], id: u32) -> CallResult {
    for address in addresses {
        call.put(address, &id.to_le_bytes())?;
    }
    Ok(0)
}

pub(crate) fn getresuid(call: &mut Call<'_>, [a, b, c, ..]: [u64; 6]) -> CallResult {
    put_three(call, [a, b, c], UID)
}

pub(crate) fn getresgid(call: &mut Call<'_>, [a, b, c, ..]: [u64; 6]) -> CallResult {
    put_three(call, [a, b, c], GID)
}

/// These two return the id before the call, even if they did nothing.
pub(crate) fn setfsuid(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(UID.into())
}

pub(crate) fn setfsgid(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(GID.into())
}

/// There are no further groups.
pub(crate) fn getgroups(_: &mut Call<'_>, [size, ..]: [u64; 6]) -> CallResult {
    if (size as i32) < 0 { fail(EINVAL) } else { Ok(0) }
}
