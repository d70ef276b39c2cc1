//! Signals that go from one process to another, and their immediate effects: end, stop, continue. Handlers run when their process
//! gets the turn.

use cleave_memory::Byte;

use crate::env::world::PARENT_PID;
use crate::kernel::errno::{CallResult, EINVAL, ESRCH, fail};
use crate::kernel::state::{Call, Kernel};
use crate::processes::process::Process;
use crate::processes::status::{AfterCall, News, Status};
use crate::signals::info::Info;
use crate::signals::state::{Effect as Delivered, SIGCHLD, SIGCONT, SIGKILL, SIGSTOP, bit};

/// The signals that stop: SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU.
const STOPS: std::ops::RangeInclusive<u32> = SIGSTOP..=22;
const SA_NOCLDSTOP: u64 = 1;
/// The code of a signal that `kill` sent.
pub(crate) const SI_USER: i32 = 0;
/// The code of a signal that was sent to a thread.
pub(crate) const SI_TKILL: i32 = -6;

/// All signals that stop, as a set.
const STOP_SET: u64 = 0xf << (SIGSTOP - 1);

/// Effect of a signal on a process that gets it.
enum Effect {
    Nothing,
    /// It waits until the process does not block it, or has its turn.
    Pends,
    Stops,
    Ends,
}

impl Process {
    /// Effect on it of a signal that is meant for one of its threads, or for all.
    fn effect(&self, signal: u32, orphaned: bool, thread: Option<u64>) -> Effect {
        let only = |tid| self.each_thread().find(|(t, _)| t.tid == tid).map(|(_, own)| own.blocked);
        let mask = thread.and_then(only).unwrap_or_else(|| self.blocked_by_all());
        let blocked = mask & bit(signal) != 0 && signal != SIGKILL && signal != SIGSTOP;
        // A stopped process gets its signals when it goes on.
        let waits = blocked || self.stopped.is_some() && signal != SIGKILL;
        match self.signals.effect(signal) {
            _ if blocked => Effect::Pends,
            Delivered::Nothing => Effect::Nothing,
            Delivered::Stops if signal != SIGSTOP && orphaned => Effect::Nothing,
            _ if waits => Effect::Pends,
            Delivered::Stops => Effect::Stops,
            Delivered::Ends => Effect::Ends,
            Delivered::Handler(_) => Effect::Pends,
        }
    }
}

impl Kernel {
    /// Sends a signal to a process. The effect on a process that does not run comes at once; on the running one, when the call at
    /// hand has returned.
    pub(crate) fn send(&mut self, pid: u64, signal: u32) {
        let by_kill = 0;
        let info = Info::sent(signal, by_kill, self.process.pid);
        self.send_told(pid, signal, info, None);
    }

    /// As [`Kernel::send`], with the data for a handler, to the process or to one of its threads.
    pub(crate) fn send_told(&mut self, pid: u64, signal: u32, info: Info, thread: Option<u64>) {
        let Some(process) = self.process_of(pid).filter(|p| p.lives()) else { return };
        let orphaned = STOPS.contains(&signal) && self.is_orphaned(process.group);
        let effect = process.effect(signal, orphaned, thread);
        if let Some(process) = self.process_of_mut(pid) {
            match signal {
                SIGCONT => process.forget_signals(STOP_SET),
                _ if STOPS.contains(&signal) => process.forget_signals(bit(SIGCONT)),
                _ => {}
            }
        }
        if signal == SIGCONT || signal == SIGKILL {
            self.wake(pid, signal);
        }
        let (running, now) = (self.process.pid == pid, self.clock as i64);
        let Some(process) = self.process_of_mut(pid) else { return };
        if let (Some(number), Effect::Nothing | Effect::Stops) = (info.timer, &effect) {
            process.signals.timers.deliver(number, info.clone(), now);
        }
        match effect {
            Effect::Nothing => {}
            Effect::Stops => self.stop(pid, signal),
            Effect::Ends if !running => self.end(pid, Status::Killed(signal)),
            Effect::Ends if process.threads.is_some() => {
                // It ends all threads, and this one is the first to notice.
                process.signals.own.blocked &= !bit(signal);
                process.signals.own.queue(signal, info);
            }
            Effect::Pends | Effect::Ends => match thread {
                Some(tid) => {
                    if let Some(own) = process.own_of_mut(tid) {
                        own.queue(signal, info);
                    }
                }
                None => process.signals.queue(signal, info, false),
            },
        }
        self.note_return();
    }

    /// Lets a process that is stopped go on.
    fn wake(&mut self, pid: u64, signal: u32) {
        let ticket = self.ticket();
        let Some(process) = self.process_of_mut(pid) else { return };
        if process.stopped.take().is_none() {
            return;
        }
        process.thread.ticket.get_or_insert(ticket);
        if signal == SIGCONT {
            process.news = Some(News::Continued);
            self.tell_parent(pid);
        }
        self.deliver_what_waited(pid);
    }

    /// Applies the signals that came while a process was stopped, but for handlers: the lowest first.
    fn deliver_what_waited(&mut self, pid: u64) {
        for signal in 1..=64 {
            let Some(process) = self.process_of_mut(pid).filter(|p| p.lives() && p.stopped.is_none()) else {
                return;
            };
            let signals = &mut process.signals;
            let handled = matches!(signals.effect(signal), Delivered::Handler(_));
            if signals.pending() & !signals.own.blocked & bit(signal) != 0 && !handled {
                signals.forget(bit(signal));
                self.send(pid, signal);
            }
        }
    }

    /// Stops a process.
    pub(crate) fn stop(&mut self, pid: u64, signal: u32) {
        if self.process.pid == pid {
            self.after = AfterCall::GivesWay;
        }
        let Some(process) = self.process_of_mut(pid) else { return };
        if process.stopped.is_none() {
            (process.stopped, process.news) = (Some(signal), Some(News::Stopped(signal)));
            // Linux takes a call that waits back, and makes it again when the process goes on.
            let mut openings = Vec::new();
            for progress in process.each_progress_mut() {
                progress.cut = progress.written > 0;
                openings.extend(progress.opening.take());
            }
            for opening in openings {
                self.abandon(opening.key);
            }
            self.tell_parent(pid);
        }
    }

    /// Tells the parent that a child was stopped or continued.
    fn tell_parent(&mut self, pid: u64) {
        const CLD_STOPPED: i32 = 5;
        const CLD_CONTINUED: i32 = 6;
        let Some(child) = self.process_of(pid) else { return };
        let (code, signal) = match child.stopped {
            Some(signal) => (CLD_STOPPED, signal),
            None => (CLD_CONTINUED, SIGCONT),
        };
        let parent = child.parent;
        let flags = self.process_of(parent).map_or(0, |p| p.signals.action(SIGCHLD).flags);
        if flags & SA_NOCLDSTOP == 0 {
            let info = Info::of_child(SIGCHLD, code, pid, Byte::Known(signal as u8));
            self.send_told(parent, SIGCHLD, info, None);
        }
    }
}

impl Call<'_> {
    /// Sends to a process id, 0 for the own group, -1 for all others, negative for a group.
    pub(crate) fn send_to(
        &mut self,
        to: i32,
        signal: u64,
        info: Option<Info>,
        to_thread: bool,
    ) -> CallResult {
        let signal = signal as u32;
        if signal > 64 {
            return fail(EINVAL);
        }
        let own = self.process().pid;
        let group = if to == 0 { self.process().group } else { u64::from(to.unsigned_abs()) };
        let targets = match to {
            -1 => self.kernel.pids(|p| p.pid != own),
            // The namespace's init process takes no notice.
            1.. if to as u64 == PARENT_PID => return Ok(0),
            1.. => self.kernel.pids(|p| p.pid == to as u64),
            _ => self.kernel.pids(|p| p.group == group),
        };
        if targets.is_empty() {
            return fail(ESRCH);
        }
        if signal == 0 {
            self.kernel.give_way();
            return Ok(0);
        }
        // All of them count as dead before the first one's end makes the kernel look for stopped processes.
        for &pid in targets.iter().filter(|_| signal == SIGKILL) {
            if let Some(process) = self.kernel.process_of_mut(pid) {
                process.stopped = None;
            }
        }
        // The own process last: it may be its end.
        let code = if to_thread { SI_TKILL } else { SI_USER };
        let info = info.unwrap_or_else(|| Info::sent(signal, code, own));
        let (last, others): (Vec<u64>, Vec<u64>) = targets.into_iter().partition(|&pid| pid == own);
        for pid in others.into_iter().chain(last) {
            self.kernel.send_told(pid, signal, info.clone(), to_thread.then_some(pid));
        }
        Ok(0)
    }

    /// Sends to a thread, of this process if one is given.
    pub(crate) fn send_to_thread(
        &mut self,
        group: Option<i32>,
        thread: i32,
        signal: u64,
        info: Option<Info>,
    ) -> CallResult {
        let tid = u64::from(thread.unsigned_abs());
        let home = self.kernel.pids(|p| p.has_thread(tid)).first().copied().unwrap_or(tid);
        if group.is_some_and(|group| u64::from(group.unsigned_abs()) != home) {
            return fail(ESRCH);
        }
        if home == tid {
            return self.send_to(thread, signal, info, true);
        }
        let signal = signal as u32;
        if signal > 64 {
            return fail(EINVAL);
        }
        if signal == 0 {
            self.kernel.give_way();
        } else {
            let own = self.process().pid;
            let info = info.unwrap_or_else(|| Info::sent(signal, SI_TKILL, own));
            self.kernel.send_told(home, signal, info, Some(tid));
        }
        Ok(0)
    }
}
