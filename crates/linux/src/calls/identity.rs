//! Who the process is: ids of process, user and group. It is nobody special and cannot become it.

use crate::errno::{CallResult, EINVAL, EPERM, ESRCH, fail};
use crate::kernel::Call;
use crate::world::{GID, PARENT_PID, PID, UID};

pub(crate) fn getpid(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(PID)
}

pub(crate) fn getppid(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(PARENT_PID)
}

pub(crate) fn getuid(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(UID.into())
}

pub(crate) fn getgid(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(GID.into())
}

/// The process leads a session and a group of its own.
pub(crate) fn getpgid(_: &mut Call<'_>, [pid, ..]: [u64; 6]) -> CallResult {
    match pid as i32 as i64 as u64 {
        0 | PID => Ok(PID),
        PARENT_PID => Ok(PARENT_PID),
        _ => fail(ESRCH),
    }
}

pub(crate) fn getpgrp(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(PID)
}

/// A session's leader can neither leave it nor move.
pub(crate) fn setsid(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    fail(EPERM)
}

pub(crate) fn setpgid(_: &mut Call<'_>, [pid, group, ..]: [u64; 6]) -> CallResult {
    if (group as i32) < 0 {
        return fail(EINVAL);
    }
    if matches!(pid as u32 as u64, 0 | PID) { fail(EPERM) } else { fail(ESRCH) }
}

/// Whether ids may be set: each is the one there is, or stays.
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

/// These two answer with the id before, whether or not they did anything.
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
