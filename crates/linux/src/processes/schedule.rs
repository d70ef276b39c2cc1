//! Waiting of calls that cannot return yet. This is the only place that decides about it.
//!
//! A call that waits is run again from its start when its process gets the turn; there is no other way to wake it. Its changes in
//! the kernel are kept, its writes to the program's memory are not. So a call looks first, and keeps in its thread's `Progress` the data for
//! its next run. When a call would wait,
//!
//! 1. a signal that is pending, not blocked and not ignored interrupts it (`waits.rs`);
//! 2. else the clock jumps to the earliest moment that somebody waits for, or at which a timer does something
//!    ([`Kernel::schedule`]), and the call is run again;
//! 3. if there is no such moment, nothing will ever happen: a deadlock.
//!
//! A timer whose time comes while the program runs is seen when the call at hand returns.

use std::rc::Rc;

use cleave_memory::Byte;

use crate::env::world::PID;
use crate::kernel::guest::Wait;
use crate::kernel::state::{Kernel, LAST_MOMENT};
use crate::processes::process::Process;
use crate::processes::status::{Life, Status};
use crate::processes::threads::Thread;
use crate::signals::info::Info;
use crate::signals::state::{Own, SIGALRM, Told, bit};
use crate::time::posix_timers::PosixTimers;

/// Next step after a call that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The thread that runs now goes on, with the call that it waited in if it did. It may be another than before.
    Again,
    /// The program is over: its first process has ended with this status, and the remaining ones wait for ever.
    Over(Status),
    /// It waits for ever: the reason, as a sentence without its full stop.
    Deadlock(String),
}

impl Kernel {
    /// Returns the next step, now that the call at hand waits.
    pub fn schedule(&mut self, wait: &Wait) -> Next {
        let Some(since) = self.others.as_ref().map(|others| others.returned) else {
            return match wait.until.into_iter().chain(self.timers()).min() {
                Some(moment) if self.is_idle_until(moment) && self.end_service() => Next::Again,
                Some(moment) => {
                    self.clock = self.clock.max(moment);
                    self.expire();
                    Next::Again
                }
                None if self.end_service() => Next::Again,
                None => Next::Deadlock(wait.why.into()),
            };
        };
        let thread = &mut Rc::make_mut(&mut self.process).thread;
        thread.life = Life::Waits { until: wait.until, why: wait.why, since };
        self.turn()
    }

    /// Gives the turn to the thread that is first in the queue and can go on: the one that runs, if that waits, has given
    /// up its turn or has ended.
    pub fn turn(&mut self) -> Next {
        self.queue_running();
        for pid in self.pids(|p| p.threads.is_some()) {
            if let Some(process) = self.process_of_mut(pid) {
                process.share_signals();
            }
        }
        loop {
            if let Some((pid, tid)) = self.first_able() {
                self.change_to(pid, tid);
                return Next::Again;
            }
            let waiting = self.processes().into_iter().filter(|p| p.lives() && p.stopped.is_none());
            let threads = waiting.flat_map(Process::each_thread);
            let moments = threads.filter_map(|(thread, _)| match thread.life {
                Life::Waits { until, .. } => until,
                _ => None,
            });
            let (moment, timer) = (moments.min(), self.timers().min());
            if moment.into_iter().chain(timer).min().is_some_and(|next| self.is_idle_until(next)) {
                return self.nobody_goes_on();
            }
            match (moment, timer) {
                (None, None) => return self.nobody_goes_on(),
                (Some(moment), timer) if timer.is_none_or(|timer| moment < timer) => {
                    self.clock = self.clock.max(moment);
                }
                (_, timer) => {
                    self.clock = self.clock.max(timer.unwrap_or(0));
                    self.expire();
                    self.note_return();
                }
            }
        }
    }

    /// The threads that can go on, by process and number, rising; the one that runs too if it has not ended and does not wait.
    pub fn able(&self) -> Vec<(u64, u64)> {
        let mut able = self.all_able();
        able.sort_unstable_by_key(|&(_, tid)| tid);
        able
    }

    /// Gives a thread that can go on the turn. The one that runs can go on too, and is the last in the queue.
    pub fn give_turn(&mut self, pid: u64, tid: u64) {
        self.queue_running();
        self.change_to(pid, tid);
    }

    /// The thread that runs is last in the queue, unless it is in it or has ended.
    fn queue_running(&mut self) {
        let ticket = self.ticket();
        let process = Rc::make_mut(&mut self.process);
        if process.lives() && process.thread.life != Life::Ended {
            process.thread.ticket.get_or_insert(ticket);
        }
    }

    /// Process and thread that are first in the queue of those that can go on.
    fn first_able(&self) -> Option<(u64, u64)> {
        self.all_able().first().copied()
    }

    /// Process and thread of all that can go on, in the order of the queue.
    fn all_able(&self) -> Vec<(u64, u64)> {
        let all = self.processes().into_iter().flat_map(|p| p.each_thread().map(move |(t, own)| (p, t, own)));
        let able = all.filter(|(p, thread, own)| self.can_go_on(p, thread, own));
        let mut able: Vec<_> = able.map(|(p, thread, _)| (thread.ticket, p.pid, thread.tid)).collect();
        able.sort_unstable_by_key(|&(ticket, _, _)| ticket);
        able.into_iter().map(|(_, pid, tid)| (pid, tid)).collect()
    }

    fn can_go_on(&self, process: &Process, thread: &Thread, own: &Own) -> bool {
        process.lives()
            && process.stopped.is_none()
            && match thread.life {
                Life::Ready => !process.lends(),
                Life::Waits { until, since, .. } => {
                    let due = until.is_some_and(|moment| moment <= self.clock);
                    !process.lends() && (due || self.may_return(process, thread, own, since))
                }
                Life::Lends { .. } | Life::Ended => false,
            }
    }

    /// Returns true if a call that has waited may return now. For a call that waits for a futex the answer is exact; for others
    /// it is true if any call has returned since it waited.
    fn may_return(&self, process: &Process, thread: &Thread, own: &Own, since: u64) -> bool {
        match thread.progress {
            Some(progress) if progress.queued => {
                !self.is_queued(thread.tid) || process.signals.would_interrupt(own)
            }
            _ => self.others.as_ref().is_some_and(|others| others.returned > since),
        }
    }

    /// Makes another thread, perhaps of another process, the one that runs.
    fn change_to(&mut self, pid: u64, tid: u64) {
        if pid != self.process.pid
            && let Some(others) = self.others.as_mut().map(Rc::make_mut)
            && let Some(next) = others.parked.remove(&pid)
        {
            let before = std::mem::replace(&mut self.process, next);
            if !before.buried {
                others.parked.insert(before.pid, before);
            }
        }
        if self.process.thread.tid != tid {
            Rc::make_mut(&mut self.process).change_thread(tid);
        }
        if matches!(self.process.thread.life, Life::Waits { .. }) {
            Rc::make_mut(&mut self.process).thread.life = Life::Ready;
        }
    }

    /// The program is over if its first process has ended. Else it waits for ever, and the first that does says why.
    fn nobody_goes_on(&mut self) -> Next {
        if let Some(status) = self.others.as_ref().and_then(|others| others.main) {
            return Next::Over(status);
        }
        if self.someone_was_served() {
            return self.end_by_signal();
        }
        let processes = self.processes();
        let first = processes.into_iter().find(|p| p.lives()).unwrap_or(&self.process);
        let thread = first_living(first);
        let why = match (first.stopped, &thread.life) {
            (Some(signal), _) => format!("signal {signal} has stopped it, and nobody lets it go on"),
            (None, Life::Waits { why, .. }) => (*why).into(),
            (None, Life::Lends { to }) => {
                format!("the process {to}, which has its memory, neither ends nor executes a program")
            }
            (None, Life::Ready | Life::Ended) => "nobody gives it the turn".into(),
        };
        let (pid, tid) = (first.pid, thread.tid);
        self.change_to(pid, tid);
        Next::Deadlock(why)
    }

    /// The signal that ends a server must find its first process running.
    fn end_by_signal(&mut self) -> Next {
        let tid = self.process_of(PID).map_or(PID, |first| first_living(first).tid);
        self.change_to(PID, tid);
        self.end_service();
        Next::Again
    }

    /// A call of the process that runs has returned: others may have waited for that.
    pub(crate) fn call_returned(&mut self) {
        if self.others.is_some() {
            self.note_return();
            if self.process.thread.ticket.is_some() {
                Rc::make_mut(&mut self.process).thread.ticket = None;
            }
        }
    }

    /// When timers go off that would change something, in nanoseconds on the kernel's clock.
    fn timers(&self) -> impl Iterator<Item = u64> {
        let sending = self.processes().into_iter().filter(|p| p.lives()).flat_map(moments);
        // A timer that is read and has gone off already changes nothing more.
        sending.chain(self.fs.timers().filter(|&due| due > self.clock))
    }

    /// Sends the signals of timers whose time has come.
    #[inline]
    pub(crate) fn expire(&mut self) {
        let due = |p: &Process, now: u64| {
            p.real_timer.is_some_and(|(due, _)| due <= now) || p.signals.timers.due() <= now as i64
        };
        if self.others.is_none() {
            if due(&self.process, self.clock) {
                self.timer_goes_off(self.process.pid);
            }
            return;
        }
        let now = self.clock;
        for pid in self.pids(|p| p.lives() && due(p, now)) {
            self.timer_goes_off(pid);
        }
    }

    /// Sends the signals of a process's timers whose time has come, the first of them first.
    #[cold]
    fn timer_goes_off(&mut self, pid: u64) {
        let now = self.clock as i64;
        while let Some(process) = self.process_of_mut(pid).filter(|p| p.lives()) {
            let real = process.real_timer.map_or(i64::MAX, |(due, _)| due as i64);
            let made = process.signals.timers.due();
            if made.min(real) > now {
                return;
            }
            if made < real {
                self.posix_timer_goes_off(pid);
            } else {
                self.real_timer_goes_off(pid);
            }
        }
    }

    fn posix_timer_goes_off(&mut self, pid: u64) {
        let Some(process) = self.process_of_mut(pid) else { return };
        let mut timers = std::mem::replace(&mut process.signals.timers, PosixTimers::new());
        let sends = timers.go_off(|signal| !process.signals.notices(signal));
        process.signals.timers = timers;
        if let Some((signal, info, to_thread)) = sends {
            let bytes =
                info.bytes.iter().map(|byte| if let Byte::Known(b) = byte { *b } else { 0 }).collect();
            process.signals.sent.told.push(Told { signal, to_thread, info: bytes });
            self.send_told(pid, signal, info, to_thread.then_some(pid));
        }
    }

    fn real_timer_goes_off(&mut self, pid: u64) {
        let now = self.clock;
        let Some(process) = self.process_of_mut(pid) else { return };
        let Some((due, interval)) = process.real_timer.take() else { return };
        if let Some(missed) = now.saturating_sub(due).checked_div(interval) {
            let next = due.saturating_add(interval.saturating_mul(missed + 1));
            process.real_timer = Some((next.min(LAST_MOMENT), interval));
        }
        process.signals.sent.by_timers |= bit(SIGALRM);
        self.send_told(pid, SIGALRM, Info::of_kernel(SIGALRM), None);
    }

    /// Returns true if the next call is one that has waited and is run again.
    pub fn resumes(&self) -> bool {
        self.process.thread.progress.is_some()
    }
}

/// When timers of a process go off that would change something, in nanoseconds on the kernel's clock.
fn moments(process: &Process) -> impl Iterator<Item = u64> {
    let signals = &process.signals;
    let pends = process.blocked_by_all() & signals.pending() & bit(SIGALRM) != 0;
    let real = process.real_timer.filter(|_| !pends && signals.notices(SIGALRM)).map(|(due, _)| due);
    let made = signals.timers.moments().filter(|&(_, signal)| signals.notices(signal));
    real.into_iter().chain(made.map(|(due, _)| due.max(0) as u64))
}

/// The thread of a process that lives and has the lowest number.
fn first_living(process: &Process) -> &Thread {
    let living = process.each_thread().map(|(thread, _)| thread).filter(|t| t.life != Life::Ended);
    living.min_by_key(|t| t.tid).unwrap_or(&process.thread)
}
