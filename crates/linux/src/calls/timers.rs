//! Timers that send signals. They go by the kernel's clock, which moves when somebody looks at it or waits.

use crate::errno::{CallResult, EINVAL, fail, unsupported};
use crate::kernel::Call;
use crate::user::Record;

const SECOND: u64 = 1_000_000_000;
const MICROSECOND: u64 = 1000;
/// The timer of real time. The others count the processor's time, of which none passes here.
const ITIMER_REAL: u64 = 0;

impl Call<'_> {
    /// How long until the timer of real time goes off, and after how long again, in nanoseconds; 0 where it does not.
    fn real_timer(&self) -> (u64, u64) {
        match self.process().real_timer {
            // A timer that runs never shows zero.
            Some((due, interval)) => (due.saturating_sub(self.kernel.clock).max(MICROSECOND), interval),
            None => (0, 0),
        }
    }

    fn set_real_timer(&mut self, value: u64, interval: u64) {
        let due = self.kernel.later(value);
        self.process_mut().real_timer = (value != 0).then_some((due, interval));
    }

    /// A `struct timeval` that holds a length of time, in nanoseconds.
    fn microseconds(&mut self, address: u64) -> CallResult {
        let (seconds, microseconds) = self.pair(address)?;
        if seconds < 0 || !(0..1_000_000).contains(&microseconds) {
            return fail(EINVAL);
        }
        Ok((seconds as u64).saturating_mul(SECOND).saturating_add(microseconds as u64 * MICROSECOND))
    }

    fn put_timer(&mut self, address: u64, (value, interval): (u64, u64)) -> CallResult<()> {
        let parts = |n: u64| [n / SECOND, n % SECOND / MICROSECOND];
        let words = [parts(interval), parts(value)].concat();
        self.put_record(address, words.into_iter().fold(Record::default(), Record::u64))
    }
}

/// Gives the seconds that the timer had left, rounded to the nearest, but never to none.
pub(crate) fn alarm(call: &mut Call<'_>, [seconds, ..]: [u64; 6]) -> CallResult {
    let (left, _) = call.real_timer();
    call.set_real_timer(u64::from(seconds as u32) * SECOND, 0);
    let (whole, part) = (left / SECOND, left % SECOND);
    Ok(whole + u64::from(part >= SECOND / 2 || whole == 0 && part > 0))
}

pub(crate) fn setitimer(call: &mut Call<'_>, [which, new, old, ..]: [u64; 6]) -> CallResult {
    let (interval, value) = match new {
        0 => (0, 0),
        _ => (call.microseconds(new)?, call.microseconds(new.wrapping_add(16))?),
    };
    if which > 2 {
        return fail(EINVAL);
    }
    if which != ITIMER_REAL && value != 0 {
        return unsupported("a timer of the processor's time");
    }
    let before = if which == ITIMER_REAL { call.real_timer() } else { (0, 0) };
    if which == ITIMER_REAL {
        call.set_real_timer(value, interval);
    }
    if old != 0 {
        call.put_timer(old, before)?;
    }
    Ok(0)
}

pub(crate) fn getitimer(call: &mut Call<'_>, [which, value, ..]: [u64; 6]) -> CallResult {
    if which > 2 {
        return fail(EINVAL);
    }
    let now = if which == ITIMER_REAL { call.real_timer() } else { (0, 0) };
    call.put_timer(value, now)?;
    Ok(0)
}
