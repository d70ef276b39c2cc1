//! Timers that a process makes (`timer_create`). Each sends one signal at a time: one with an interval starts again when its signal
//! is delivered, and counts what it missed until then.
//!
//! As in Linux since 6.13, a signal that waits while its timer is set anew or deleted is dropped at its delivery. That of a timer
//! with an interval that is ignored waits aside until it is ignored no more.

use std::collections::BTreeMap;

use cleave_memory::Byte;

use crate::kernel::record::Record;
use crate::signals::info::Info;

/// The code of a signal that a timer sent.
pub(crate) const SI_TIMER: i32 = -2;
/// Offset of `si_overrun` in a `siginfo_t`, in bytes.
const OVERRUN_OFFSET: usize = 20;

/// Action of a timer when its time comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Notice {
    /// The signal; none if the program asks for the time that is left.
    pub(crate) signal: Option<u32>,
    /// It goes to the thread and not to the process.
    pub(crate) to_thread: bool,
    /// The value that the program gets with the signal. It may be symbolic.
    pub(crate) value: [Byte; 8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Off,
    Armed,
    /// Its signal was sent; it starts again when that is delivered.
    Sent,
}

/// A timer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PosixTimer {
    /// The number of its clock.
    pub(crate) clock: u32,
    notice: Notice,
    status: Status,
    /// When it goes off next, or went off last, in nanoseconds on the kernel's clock: below 0 before the path began.
    due: i64,
    /// After how many nanoseconds again; 0 for once.
    interval: i64,
    /// Rises when it is set and when its signal is delivered.
    setting: u64,
    /// The setting for which its signal was sent last.
    sent_for: u64,
    /// Its last signal was sent by an interval.
    periodic: bool,
    /// Its signal waits.
    queued: bool,
    /// Its signal is ignored and waits aside, since this turn.
    aside: Option<u64>,
    /// Number of times it went off since its signal was sent, less one.
    missed: i64,
    /// The same of the signal that was delivered last.
    told: i64,
}

/// Setting of a timer: the time when it goes off, in nanoseconds on the kernel's clock, and its interval (0: none).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// None turns it off.
    pub(crate) due: Option<i64>,
    pub(crate) interval: i64,
}

impl PosixTimer {
    fn valid(&self) -> bool {
        self.sent_for == self.setting
    }

    /// Moves on by whole intervals to the next moment after this one; by how many.
    fn forward(&mut self, now: i64) -> i64 {
        if now < self.due {
            return 0;
        }
        let count = (now - self.due) / self.interval + 1;
        self.due = self.due.saturating_add(count.saturating_mul(self.interval));
        count
    }

    /// Time until it goes off, and its interval, in nanoseconds.
    pub(crate) fn left(&mut self, now: i64) -> (u64, u64) {
        let silent = self.notice.signal.is_none();
        if self.interval == 0 && self.status == Status::Off && !silent {
            return (0, 0);
        }
        if self.interval != 0 && self.status != Status::Armed {
            self.missed += self.forward(now);
        }
        // One that runs never shows zero.
        let least = i64::from(!silent);
        ((self.due - now).max(least) as u64, self.interval as u64)
    }

    /// Sets it anew. A signal that waits is for the setting before, and will be dropped.
    pub(crate) fn set(&mut self, setting: Setting) {
        self.setting += 1;
        (self.missed, self.told) = (-1, 0);
        self.status = Status::Off;
        self.interval = 0;
        if let Some(due) = setting.due {
            (self.due, self.interval) = (due, setting.interval);
            if self.notice.signal.is_some() {
                self.status = Status::Armed;
            }
        }
    }

    /// Number of further signals it would have sent before the last one was delivered.
    pub(crate) fn overrun(&self) -> u64 {
        self.told.min(i32::MAX.into()) as u64
    }
}

/// The timers of a process.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PosixTimers {
    timers: BTreeMap<u32, PosixTimer>,
    /// The number of the next one.
    next: u32,
    /// When the first of them goes off; the last moment there is if none does.
    due: i64,
    /// Number of signals that were put aside.
    aside: u64,
}

impl PosixTimers {
    pub(crate) fn new() -> PosixTimers {
        PosixTimers { timers: BTreeMap::new(), next: 0, due: i64::MAX, aside: 0 }
    }

    /// Takes the next number, which is lost if no timer comes of it.
    pub(crate) fn reserve(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    pub(crate) fn add(&mut self, number: u32, clock: u32, notice: Notice) {
        let timer = PosixTimer {
            clock,
            notice,
            status: Status::Off,
            due: 0,
            interval: 0,
            setting: 0,
            sent_for: 0,
            periodic: false,
            queued: false,
            aside: None,
            missed: -1,
            told: 0,
        };
        self.timers.insert(number, timer);
    }

    pub(crate) fn get(&self, number: u32) -> Option<&PosixTimer> {
        self.timers.get(&number)
    }

    /// Does something with a timer.
    pub(crate) fn change<T>(&mut self, number: u32, change: impl FnOnce(&mut PosixTimer) -> T) -> Option<T> {
        let done = self.timers.get_mut(&number).map(change);
        self.note_due();
        done
    }

    /// Removes a timer. Returns true if there was one of this number.
    pub(crate) fn remove(&mut self, number: u32) -> bool {
        let removed = self.timers.remove(&number).is_some();
        self.note_due();
        removed
    }

    /// There are no timers any more, but their numbers are not used again.
    pub(crate) fn clear(&mut self) {
        self.timers.clear();
        self.note_due();
    }

    fn armed(&self) -> impl Iterator<Item = (u32, &PosixTimer)> {
        self.timers.iter().filter(|(_, t)| t.status == Status::Armed).map(|(&number, t)| (number, t))
    }

    fn note_due(&mut self) {
        self.due = self.armed().map(|(_, t)| t.due).min().unwrap_or(i64::MAX);
    }

    /// When the first of them goes off; the last moment there is if none does.
    #[inline]
    pub(crate) fn due(&self) -> i64 {
        self.due
    }

    /// When those go off that run, with their signals.
    pub(crate) fn moments(&self) -> impl Iterator<Item = (i64, u32)> {
        self.armed().filter_map(|(_, t)| Some((t.due, t.notice.signal?)))
    }

    /// The first of them goes off. Gives its signal if that is to be sent: `ignores` says which are not.
    pub(crate) fn go_off(&mut self, ignores: impl Fn(u32) -> bool) -> Option<(u32, Info, bool)> {
        let number = self.armed().min_by_key(|(_, t)| t.due)?.0;
        let turn = self.aside;
        let timer = self.timers.get_mut(&number)?;
        timer.periodic = timer.interval != 0;
        timer.status = if timer.periodic { Status::Sent } else { Status::Off };
        timer.sent_for = timer.setting;
        let Notice { signal, to_thread, value } = timer.notice;
        let signal = signal?;
        let sends = if timer.queued {
            false
        } else if ignores(signal) {
            timer.aside = if timer.periodic { timer.aside.or(Some(turn)) } else { None };
            false
        } else {
            (timer.queued, timer.aside) = (true, None);
            true
        };
        self.aside += 1;
        self.note_due();
        sends.then(|| (signal, info(number, signal, value), to_thread))
    }

    /// The signal of a timer is delivered, and the timer starts again. `None` where the signal is to be dropped.
    pub(crate) fn deliver(&mut self, number: u32, told: Info, now: i64) -> Option<Info> {
        let timer = self.timers.get_mut(&number)?;
        timer.queued = false;
        if !timer.valid() {
            return None;
        }
        if timer.interval == 0 {
            return Some(told);
        }
        timer.missed += timer.forward(now);
        timer.status = Status::Armed;
        (timer.told, timer.missed) = (timer.missed, -1);
        timer.setting += 1;
        let overrun = (timer.overrun() as u32).to_le_bytes();
        self.note_due();
        let mut bytes = told.bytes.to_vec();
        for (byte, value) in bytes[OVERRUN_OFFSET..].iter_mut().zip(overrun) {
            *byte = Byte::Known(value);
        }
        Some(Info { bytes: bytes.into(), timer: Some(number) })
    }

    /// Returns true if the signal of a timer is to be dropped when it is delivered.
    pub(crate) fn is_stale(&self, number: u32) -> bool {
        self.timers.get(&number).is_none_or(|timer| !timer.valid())
    }

    /// The signal of a timer does not wait any more, and was not delivered.
    pub(crate) fn forget(&mut self, number: u32) {
        let Some(timer) = self.timers.get_mut(&number) else { return };
        timer.queued = false;
        timer.aside = timer.periodic.then_some(self.aside);
        self.aside += 1;
    }

    /// The signal of a timer was dropped.
    pub(crate) fn drop_signal(&mut self, number: u32) {
        if let Some(timer) = self.timers.get_mut(&number) {
            timer.queued = false;
        }
    }

    /// A signal is ignored no more: those that were put aside, the last first.
    pub(crate) fn bring_back(&mut self, signal: u32) -> Vec<(Info, bool)> {
        let wanted = self.timers.iter_mut().filter(|(_, t)| t.notice.signal == Some(signal));
        let mut aside: Vec<_> = wanted.filter_map(|(&n, t)| Some((t.aside?, n, t))).collect();
        aside.sort_unstable_by_key(|&(turn, ..)| std::cmp::Reverse(turn));
        let back = aside.into_iter().map(|(_, number, timer)| {
            (timer.queued, timer.aside) = (true, None);
            (info(number, signal, timer.notice.value), timer.notice.to_thread)
        });
        back.collect()
    }
}

fn info(number: u32, signal: u32, value: [Byte; 8]) -> Info {
    let mut bytes = Info::new(signal, SI_TIMER, Record::default().u32(number)).bytes.to_vec();
    bytes[24..32].copy_from_slice(&value);
    Info { bytes: bytes.into(), timer: Some(number) }
}
