//! `poll` and `select`: calls that wait until one of several descriptors is ready.

use crate::kernel::errno::{CallResult, EBADF, EINVAL, Fail, fail};
use crate::kernel::state::Call;
use crate::kernel::user_memory::Record;

/// Why a call that watches descriptors waits for ever.
const NOTHING_HAPPENS: &str = "nothing of what it waits for can happen";

pub(crate) fn poll(call: &mut Call<'_>, [fds, count, timeout, ..]: [u64; 6]) -> CallResult {
    const ALWAYS: u16 = 8 | 16 | 32;
    if count > call.process().limits.get(&7).map_or(0, |l| l.0) {
        return fail(EINVAL);
    }
    let mut ready = 0;
    for i in 0..count {
        let entry = fds.wrapping_add(8 * i);
        let fd = call.word(entry, 4)? as i32;
        let wanted = call.word(entry.wrapping_add(4), 2)? as u16;
        call.asked_if_ready(fd)?;
        let events = if fd < 0 { 0 } else { call.readiness(fd) & (wanted | ALWAYS) };
        ready += u64::from(events != 0);
        call.put_record(entry.wrapping_add(6), Record::default().u16(events))?;
    }
    if ready == 0 {
        let limited = timeout as i32 >= 0;
        call.wait_at_most(limited.then_some(u64::from(timeout as u32) * 1_000_000), NOTHING_HAPPENS)?;
    }
    Ok(ready)
}

pub(crate) fn ppoll(call: &mut Call<'_>, [fds, count, timeout, mask, size, _]: [u64; 6]) -> CallResult {
    call.block_by(mask, size)?;
    let milliseconds = match timeout {
        0 => u64::MAX,
        _ => (call.duration(timeout)? / 1_000_000).min(i32::MAX as u64),
    };
    poll(call, [fds, count, milliseconds, 0, 0, 0])
}

/// Descriptors in sets of bits: reading, writing, exceptional.
pub(crate) fn select(call: &mut Call<'_>, [count, read, write, except, timeout, _]: [u64; 6]) -> CallResult {
    let patience = match timeout {
        0 => None,
        _ => {
            let (seconds, microseconds) = call.pair(timeout)?;
            if seconds < 0 || microseconds < 0 {
                return fail(EINVAL);
            }
            Some((seconds as u64).saturating_mul(1_000_000_000).saturating_add(microseconds as u64 * 1000))
        }
    };
    call.select(count, [read, write, except], patience)
}

pub(crate) fn pselect6(
    call: &mut Call<'_>,
    [count, read, write, except, timeout, mask]: [u64; 6],
) -> CallResult {
    if mask != 0 {
        let (set, size) = (call.long(mask)?, call.long(mask.wrapping_add(8))?);
        call.block_by(set, size)?;
    }
    let patience = if timeout == 0 { None } else { Some(call.duration(timeout)?) };
    call.select(count, [read, write, except], patience)
}

impl Call<'_> {
    fn select(&mut self, count: u64, sets: [u64; 3], patience: Option<u64>) -> CallResult {
        if count as i32 <= -1 {
            return fail(EINVAL);
        }
        let count = (count as usize).min(1024);
        let mut ready = 0;
        let mut results = Vec::new();
        for (address, events) in sets.into_iter().zip([0x59, 0x30c, 2u16]) {
            let mut words = vec![0u64; count.div_ceil(64)];
            for (i, word) in words.iter_mut().enumerate().filter(|_| address != 0) {
                let asked = self.long(address.wrapping_add(8 * i as u64))?;
                for bit in (0..64).filter(|bit| i * 64 + bit < count && asked >> bit & 1 != 0) {
                    let fd = (i * 64 + bit) as i32;
                    self.file(fd).map_err(|_| Fail::Errno(EBADF))?;
                    self.asked_if_ready(fd)?;
                    if self.readiness(fd) & events != 0 {
                        *word |= 1 << bit;
                        ready += 1;
                    }
                }
            }
            results.push((address, words));
        }
        if ready == 0 {
            self.wait_at_most(patience, NOTHING_HAPPENS)?;
        }
        for (address, words) in results {
            if address != 0 {
                self.put(address, &words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>())?;
            }
        }
        Ok(ready)
    }
}
