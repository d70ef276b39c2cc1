//! Calls that fit no other file: the machine's names, randomness.

use crate::env::world;
use crate::kernel::errno::{CallResult, EINVAL, EPERM, fail};
use crate::kernel::state::Call;
use crate::kernel::user_memory::{MAX_TRANSFER, Record};

pub(crate) fn uname(call: &mut Call<'_>, [buffer, ..]: [u64; 6]) -> CallResult {
    let mut record = Record::default();
    let fields = ["Linux", world::HOST_NAME, world::RELEASE, world::VERSION, "x86_64", world::DOMAIN_NAME];
    for field in fields {
        record = record.text(field, 65);
    }
    call.put_record(buffer, record)?;
    Ok(0)
}

pub(crate) fn sysinfo(call: &mut Call<'_>, [buffer, ..]: [u64; 6]) -> CallResult {
    let record = Record::default()
        .u64(world::UPTIME_SECONDS)
        .zeros(24)
        .u64(world::MEMORY)
        .u64(world::MEMORY / 2)
        .zeros(32)
        .u16(2)
        .zeros(6)
        .zeros(16)
        .u32(1)
        .zeros(4);
    call.put_record(buffer, record)?;
    Ok(0)
}

/// Bytes of a generator that starts the same on every path (splitmix64: Steele, Lea, Flood, OOPSLA 2014).
pub(crate) fn getrandom(call: &mut Call<'_>, [buffer, len, flags, ..]: [u64; 6]) -> CallResult {
    if flags & !7 != 0 || flags & 6 == 6 {
        return fail(EINVAL);
    }
    let len = len.min(MAX_TRANSFER);
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < len {
        let state = call.kernel.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        call.kernel.random = state;
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bytes.extend((mixed ^ mixed >> 31).to_le_bytes());
    }
    bytes.truncate(len as usize);
    call.put(buffer, &bytes)?;
    Ok(len)
}

pub(crate) fn sync(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    Ok(0)
}

pub(crate) fn umask(call: &mut Call<'_>, [mask, ..]: [u64; 6]) -> CallResult {
    let before = std::mem::replace(&mut call.process_mut().umask, mask as u32 & 0o777);
    Ok(before.into())
}

pub(crate) fn getcpu(call: &mut Call<'_>, [cpu, node, ..]: [u64; 6]) -> CallResult {
    for address in [cpu, node].into_iter().filter(|&a| a != 0) {
        call.put(address, &[0; 4])?;
    }
    Ok(0)
}

/// A call on an object of System V: there is none, as all that make one are refused.
pub(crate) fn no_object(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    fail(EINVAL)
}

/// The sandbox refuses this outright.
pub(crate) fn refused(_: &mut Call<'_>, _: [u64; 6]) -> CallResult {
    fail(EPERM)
}
