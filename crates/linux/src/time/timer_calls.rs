//! Timers that send signals. They go by the kernel's clock, which moves when a process reads it or waits.

use cleave_memory::Byte;

use crate::env::world::{START_SECONDS, UPTIME_SECONDS};
use crate::kernel::errno::{CallResult, EINVAL, EOPNOTSUPP, EPERM, fail, unsupported};
use crate::kernel::state::Call;
use crate::kernel::state::LAST_MOMENT;
use crate::kernel::user_memory::Record;
use crate::signals::state::SIGALRM;
use crate::time::posix_timers::{Notice, Setting};

const SECOND: u64 = 1_000_000_000;
const MICROSECOND: u64 = 1000;
/// The timer of real time. The others count the processor's time, of which none passes here: they never go off.
const ITIMER_REAL: u64 = 0;

impl Call<'_> {
    /// Time until the timer of real time goes off, and its interval, in nanoseconds; 0 if it does not.
    fn real_timer(&self) -> (u64, u64) {
        match self.process().real_timer {
            // A timer that runs never shows zero.
            Some((due, interval)) => (due.saturating_sub(self.kernel.clock).max(MICROSECOND), interval),
            None => (0, 0),
        }
    }

    /// As [`Call::real_timer`], of the timers by their numbers. Those of the processor's time stand still.
    fn timer(&self, which: u64) -> (u64, u64) {
        match which {
            ITIMER_REAL => self.real_timer(),
            _ => self.process().processor_timers[which as usize - 1],
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

    /// A `struct itimerspec`.
    fn put_nanoseconds(&mut self, address: u64, (value, interval): (u64, u64)) -> CallResult<()> {
        let words = [interval / SECOND, interval % SECOND, value / SECOND, value % SECOND];
        self.put_record(address, words.into_iter().fold(Record::default(), Record::u64))
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
    let before = call.timer(which);
    if which == ITIMER_REAL {
        call.set_real_timer(value, interval);
    } else {
        if value != 0 {
            call.kernel.make_up("setitimer of the processor's time, of which none passes");
        }
        let setting = if value == 0 { (0, 0) } else { (value, interval) };
        call.process_mut().processor_timers[which as usize - 1] = setting;
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
    let now = call.timer(which);
    call.put_timer(value, now)?;
    Ok(0)
}

/// When a moment of this clock is, in nanoseconds on the kernel's clock: below 0 before the path began.
fn moment(clock: u32, nanoseconds: u64) -> i64 {
    let base = if matches!(clock, 0 | 11) { START_SECONDS as u64 } else { UPTIME_SECONDS };
    (nanoseconds.min(LAST_MOMENT) as i64).saturating_sub((base * SECOND) as i64)
}

/// The notice that a `struct sigevent` asks for.
fn notice(call: &mut Call<'_>, event: u64) -> CallResult<Notice> {
    const SIGNAL: u64 = 0;
    const NONE: u64 = 1;
    const THREAD: u64 = 2;
    const THREAD_ID: u64 = 4;
    let mut value = [Byte::Known(0); 8];
    value.copy_from_slice(&call.guest.carry(event, 8)?);
    let signal = call.word(event.wrapping_add(8), 4)? as u32;
    let kind = call.word(event.wrapping_add(12), 4)?;
    let thread = if kind == THREAD_ID { call.word(event.wrapping_add(16), 4)? } else { 0 };
    match kind {
        THREAD_ID if thread != call.process().pid => fail(EINVAL),
        SIGNAL | THREAD | THREAD_ID if !(1..=64).contains(&signal) => fail(EINVAL),
        SIGNAL | THREAD | THREAD_ID => {
            Ok(Notice { signal: Some(signal), to_thread: kind == THREAD_ID, value })
        }
        NONE => Ok(Notice { signal: None, to_thread: false, value }),
        _ => fail(EINVAL),
    }
}

pub(crate) fn timer_create(call: &mut Call<'_>, [clock, event, timer, ..]: [u64; 6]) -> CallResult {
    match clock as i32 {
        0 | 1 | 7 | 11 => {}
        4..=6 => return fail(EOPNOTSUPP),
        // Clocks that wake the machine need a privilege.
        8 | 9 => return fail(EPERM),
        2 | 3 => return unsupported("a timer of the processor's time"),
        i32::MIN..=-1 => return unsupported("a timer of another process's time"),
        _ => return fail(EINVAL),
    }
    let number = call.process_mut().signals.timers.reserve();
    let notice = match event {
        0 => {
            let mut value = [Byte::Known(0); 8];
            value[..4].copy_from_slice(&number.to_le_bytes().map(Byte::Known));
            Notice { signal: Some(SIGALRM), to_thread: false, value }
        }
        _ => notice(call, event)?,
    };
    call.put(timer, &number.to_le_bytes())?;
    call.process_mut().signals.timers.add(number, clock as u32, notice);
    Ok(0)
}

pub(crate) fn timer_settime(call: &mut Call<'_>, [timer, flags, new, old, ..]: [u64; 6]) -> CallResult {
    let timer = timer as u32;
    const ABSOLUTE: u64 = 1;
    if new == 0 {
        return fail(EINVAL);
    }
    let (interval, value) = (call.duration(new)?, call.duration(new.wrapping_add(16))?);
    let Some(clock) = call.process().signals.timers.get(timer).map(|timer| timer.clock) else {
        return fail(EINVAL);
    };
    let due = match value {
        0 => None,
        _ if flags & ABSOLUTE != 0 => Some(moment(clock, value)),
        _ => Some(call.kernel.later(value) as i64),
    };
    let setting = Setting { due, interval: interval.min(LAST_MOMENT) as i64 };
    let now = call.kernel.clock as i64;
    let before = call.process_mut().signals.timers.change(timer, |timer| {
        let before = timer.left(now);
        timer.set(setting);
        before
    });
    if let Some(before) = before.filter(|_| old != 0) {
        call.put_nanoseconds(old, before)?;
    }
    Ok(0)
}

pub(crate) fn timer_gettime(call: &mut Call<'_>, [timer, value, ..]: [u64; 6]) -> CallResult {
    let timer = timer as u32;
    let now = call.kernel.clock as i64;
    let left = call.process_mut().signals.timers.change(timer, |timer| timer.left(now));
    let Some(left) = left else { return fail(EINVAL) };
    call.put_nanoseconds(value, left)?;
    Ok(0)
}

pub(crate) fn timer_getoverrun(call: &mut Call<'_>, [timer, ..]: [u64; 6]) -> CallResult {
    let timer = timer as u32;
    match call.process().signals.timers.get(timer) {
        Some(timer) => Ok(timer.overrun()),
        None => fail(EINVAL),
    }
}

pub(crate) fn timer_delete(call: &mut Call<'_>, [timer, ..]: [u64; 6]) -> CallResult {
    let timer = timer as u32;
    if call.process_mut().signals.timers.remove(timer) { Ok(0) } else { fail(EINVAL) }
}
