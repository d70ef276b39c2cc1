//! Handlers of time. There is one clock, which moves when the program reads it or sleeps.

use crate::env::world::{START_SECONDS, TICK_NANOSECONDS, UPTIME_SECONDS};
use crate::kernel::errno::{CallResult, EINTR, EINVAL, Fail, fail};
use crate::kernel::state::Call;
use crate::kernel::user_memory::Record;

impl Call<'_> {
    /// Nanoseconds of a clock. Those of the processor's time show no more than their own ticks.
    fn look(&mut self, clock: u32) -> CallResult<(u64, u64)> {
        self.pass_time(TICK_NANOSECONDS);
        let since = self.kernel.clock;
        let base = match clock {
            0 | 5 | 8 | 11 => START_SECONDS as u64,
            1 | 4 | 6 | 7 | 9 => UPTIME_SECONDS,
            2 | 3 => 0,
            _ => return fail(EINVAL),
        };
        Ok((base + since / 1_000_000_000, since % 1_000_000_000))
    }
}

pub(crate) fn clock_gettime(call: &mut Call<'_>, [clock, time, ..]: [u64; 6]) -> CallResult {
    let (seconds, nanoseconds) = call.look(clock as u32)?;
    call.put_record(time, Record::default().u64(seconds).u64(nanoseconds))?;
    Ok(0)
}

pub(crate) fn clock_getres(call: &mut Call<'_>, [clock, time, ..]: [u64; 6]) -> CallResult {
    let resolution = match clock as u32 {
        0..=4 | 7..=9 | 11 => 1,
        5 | 6 => 4_000_000,
        _ => return fail(EINVAL),
    };
    if time != 0 {
        call.put_record(time, Record::default().u64(0).u64(resolution))?;
    }
    Ok(0)
}

pub(crate) fn gettimeofday(call: &mut Call<'_>, [time, zone, ..]: [u64; 6]) -> CallResult {
    let (seconds, nanoseconds) = call.look(0)?;
    if time != 0 {
        call.put_record(time, Record::default().u64(seconds).u64(nanoseconds / 1000))?;
    }
    if zone != 0 {
        call.put(zone, &[0; 8])?;
    }
    Ok(0)
}

pub(crate) fn time(call: &mut Call<'_>, [address, ..]: [u64; 6]) -> CallResult {
    let (seconds, _) = call.look(0)?;
    if address != 0 {
        call.put(address, &seconds.to_le_bytes())?;
    }
    Ok(seconds)
}

pub(crate) fn times(call: &mut Call<'_>, [buffer, ..]: [u64; 6]) -> CallResult {
    let (seconds, _) = call.look(1)?;
    if buffer != 0 {
        call.put(buffer, &[0; 32])?;
    }
    Ok(seconds * 100)
}

/// Why a program sleeps that nothing wakes: never seen, for its time comes.
const ASLEEP: &str = "it sleeps";

impl Call<'_> {
    /// Sleeps for this number of nanoseconds, counted from the call's first run. If a signal ends the sleep and `left` is not 0,
    /// the remaining time is written there.
    fn sleep(&mut self, nanoseconds: u64, left: u64) -> CallResult {
        let slept = self.wait_at_most(Some(nanoseconds), ASLEEP);
        if left != 0 && matches!(slept, Err(Fail::Errno(EINTR))) {
            let rest = self.progress().deadline.map_or(0, |until| until.saturating_sub(self.kernel.clock));
            let record = Record::default().u64(rest / 1_000_000_000).u64(rest % 1_000_000_000);
            self.put_record(left, record)?;
        }
        slept.map(|()| 0)
    }
}

/// Sleeping takes no time of the host.
pub(crate) fn nanosleep(call: &mut Call<'_>, [length, left, ..]: [u64; 6]) -> CallResult {
    let nanoseconds = call.duration(length)?;
    call.sleep(nanoseconds, left)
}

pub(crate) fn clock_nanosleep(call: &mut Call<'_>, [clock, flags, length, left, ..]: [u64; 6]) -> CallResult {
    const TIMER_ABSTIME: u64 = 1;
    if !matches!(clock, 0 | 1 | 7 | 8 | 9 | 11) {
        return fail(EINVAL);
    }
    let absolute = flags & TIMER_ABSTIME != 0;
    let left = if absolute { 0 } else { left };
    let nanoseconds = call.duration(length)?;
    if call.kernel.resumes() {
        return call.sleep(0, left);
    }
    let (seconds, part) = call.look(clock as u32)?;
    let passed = seconds.saturating_mul(1_000_000_000).saturating_add(part);
    let wait = if absolute { nanoseconds.saturating_sub(passed) } else { nanoseconds };
    call.sleep(wait, left)
}
