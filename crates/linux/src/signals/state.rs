//! The signals of a process: their actions, the blocked and the pending ones, and the handlers that run.

use std::collections::BTreeMap;

use crate::signals::info::Info;
use crate::time::posix_timers::PosixTimers;

pub(crate) const SIGABRT: u32 = 6;
pub(crate) const SIGKILL: u32 = 9;
pub(crate) const SIGPIPE: u32 = 13;
pub(crate) const SIGTERM: u32 = 15;
pub(crate) const SIGALRM: u32 = 14;
pub(crate) const SIGCHLD: u32 = 17;
pub(crate) const SIGCONT: u32 = 18;
pub(crate) const SIGSTOP: u32 = 19;
const SIGURG: u32 = 23;
const SIGWINCH: u32 = 28;
/// The first signal of which several may be pending.
const FIRST_QUEUED: u32 = 32;
/// Signals of faults, which are taken before others: SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS.
const SYNCHRONOUS: u64 = bit(4) | bit(5) | bit(7) | bit(8) | bit(11) | bit(31);
/// Signals that stop a process: SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU.
const STOPPING: u64 = bit(19) | bit(20) | bit(21) | bit(22);
/// Signals that cannot be caught, ignored or blocked.
pub(crate) const UNBLOCKABLE: u64 = bit(SIGKILL) | bit(SIGSTOP);

/// The default action of the signal, in place of a handler.
pub(crate) const DEFAULT: u64 = 0;
/// A handler that is none: the signal is ignored.
pub(crate) const IGNORE: u64 = 1;

/// The handler wants to know more (`SA_SIGINFO`).
pub(crate) const SA_SIGINFO: u64 = 4;
/// The handler runs on the alternate stack.
pub(crate) const SA_ONSTACK: u64 = 0x0800_0000;
/// Calls that the handler interrupts start again.
pub(crate) const SA_RESTART: u64 = 0x1000_0000;
/// The signal is not blocked while its handler runs.
pub(crate) const SA_NODEFER: u64 = 0x4000_0000;
/// The handler runs once.
pub(crate) const SA_RESETHAND: u64 = 0x8000_0000;
/// The flags of an action that Linux keeps: those above, `SA_NOCLDSTOP`, `SA_NOCLDWAIT`, `SA_EXPOSE_TAGBITS`, `SA_RESTORER`.
pub(crate) const SA_KNOWN: u64 = 0xdc00_0807;

/// Flag of an alternate stack: there is none.
pub(crate) const SS_DISABLE: u32 = 2;
/// Flag of an alternate stack: a handler runs on it.
pub(crate) const SS_ONSTACK: u32 = 1;
/// Flag of an alternate stack: it is taken away while a handler runs, on it or not.
pub(crate) const SS_AUTODISARM: u32 = 1 << 31;

/// The bit of a signal in a set: bit 0 is signal 1.
pub(crate) const fn bit(signal: u32) -> u64 {
    1 << (signal - 1)
}

/// Action of a signal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Action {
    /// [`DEFAULT`], [`IGNORE`], or a function.
    pub(crate) handler: u64,
    pub(crate) flags: u64,
    pub(crate) restorer: u64,
    pub(crate) mask: u64,
}

/// Signals that wait to be delivered, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
struct Pending {
    set: u64,
    queue: Vec<(u32, Info)>,
}

impl Pending {
    fn add(&mut self, signal: u32, info: Info) {
        // Signals of timers wait beside others of their number.
        if signal < FIRST_QUEUED && self.set & bit(signal) != 0 && info.timer.is_none() {
            return;
        }
        self.set |= bit(signal);
        self.queue.push((signal, info));
    }

    /// Takes out the signals that `which` picks.
    fn remove(&mut self, mut which: impl FnMut(u32, &Info) -> bool) {
        self.queue.retain(|(signal, info)| !which(*signal, info));
        self.set = self.queue.iter().fold(0, |set, &(signal, _)| set | bit(signal));
    }

    /// The signal of a set that is taken first.
    fn first(&self, wanted: u64) -> Option<u32> {
        let ready = self.set & wanted;
        let first = if ready & SYNCHRONOUS != 0 { ready & SYNCHRONOUS } else { ready };
        (ready != 0).then(|| first.trailing_zeros() + 1)
    }

    fn take(&mut self, wanted: u64) -> Option<(u32, Info)> {
        let signal = self.first(wanted)?;
        let at = self.queue.iter().position(|&(s, _)| s == signal)?;
        let taken = self.queue.remove(at);
        if !self.queue.iter().any(|&(s, _)| s == signal) {
            self.set &= !bit(signal);
        }
        Some(taken)
    }
}

/// Continuation when a handler has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The interrupted system call has a result: the program goes on behind it.
    Next,
    /// The op that was about to run, or the system call, runs.
    Again,
    /// `abort` ends the program.
    Abort,
}

/// A handler that runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Running {
    pub(crate) info: Info,
    /// The signals that are blocked again when it returns.
    pub(crate) mask: u64,
    pub(crate) after: After,
    pub(crate) on_alternate_stack: bool,
    /// The alternate stack as it was when the handler was called.
    pub(crate) alternate_stack: (u64, u32, u64),
}

/// Effect of a signal at its delivery.
pub(crate) enum Effect {
    Nothing,
    Stops,
    Ends,
    Handler(Action),
}

/// The part of the signals' state that belongs to one thread.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Own {
    /// Blocked signals.
    pub(crate) blocked: u64,
    /// Signals to the process that another thread takes.
    pub(crate) elsewhere: u64,
    /// Mask that is restored after the call at hand, which blocks others while it waits.
    pub(crate) saved_mask: Option<u64>,
    pending: Pending,
    /// The alternate stack as set: address, flags, size.
    pub(crate) alternate_stack: (u64, u32, u64),
    /// Handlers that have not returned, the innermost last.
    pub(crate) running: Vec<Running>,
}

impl Own {
    /// The state of a thread that another one with these blocked signals has made.
    pub(crate) fn new(blocked: u64) -> Own {
        Own {
            blocked,
            elsewhere: 0,
            saved_mask: None,
            pending: Pending::default(),
            alternate_stack: (0, SS_DISABLE, 0),
            running: Vec::new(),
        }
    }

    /// A signal to this thread is pending from now on.
    pub(crate) fn queue(&mut self, signal: u32, info: Info) {
        self.pending.add(signal, info);
    }

    /// The signals of a set are not pending any more.
    pub(crate) fn forget(&mut self, signals: u64) {
        self.pending.remove(|signal, _| signals & bit(signal) != 0);
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Signals {
    pub(crate) actions: BTreeMap<u32, Action>,
    /// Those of the thread that runs.
    pub(crate) own: Own,
    to_process: Pending,
    pub(crate) timers: PosixTimers,
    /// Signals that the kernel itself sent since the last query: see [`crate::Kernel::take_sent`].
    pub(crate) sent: Sent,
}

/// Signals that the kernel itself has sent to the process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// By the timer of real time, as a set.
    pub by_timers: u64,
    /// By timers that the program made: with the bytes of their `siginfo_t`.
    pub told: Vec<Told>,
    /// For effects of calls, such as writing to a pipe without a reader, as a set.
    pub by_calls: u64,
}

/// A signal of a timer that the program made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The signal's number.
    pub signal: u32,
    /// It goes to the thread and not to the process.
    pub to_thread: bool,
    /// Its `siginfo_t`.
    pub info: Vec<u8>,
}

impl Signals {
    pub(crate) fn new() -> Signals {
        Signals {
            actions: BTreeMap::new(),
            own: Own::new(0),
            to_process: Pending::default(),
            timers: PosixTimers::new(),
            sent: Sent::default(),
        }
    }

    /// Another program runs: nothing is caught any more, no handler returns, and timers and their signals are gone.
    pub(crate) fn execute(&mut self) {
        self.timers.clear();
        for pending in [&mut self.own.pending, &mut self.to_process] {
            pending.remove(|_, info| info.timer.is_some());
        }
        self.actions.retain(|_, action| action.handler == IGNORE);
        self.own.alternate_stack = (0, 2, 0);
        self.own.running.clear();
        self.own.saved_mask = None;
    }

    /// Returns true if a signal is pending that is not blocked.
    #[inline]
    pub(crate) fn due(&self) -> bool {
        self.due_of(&self.own) != 0
    }

    /// The signals that a thread would take now.
    #[inline]
    pub(crate) fn due_of(&self, own: &Own) -> u64 {
        (own.pending.set | self.to_process.set & !own.elsewhere) & !own.blocked
    }

    /// Returns true if one of the signals that a thread would take now ends a call that waits.
    pub(crate) fn would_interrupt(&self, own: &Own) -> bool {
        let due = self.due_of(own);
        (1..=64).any(|signal| due & bit(signal) != 0 && !matches!(self.effect(signal), Effect::Nothing))
    }

    pub(crate) fn pending(&self) -> u64 {
        self.own.pending.set | self.to_process.set
    }

    pub(crate) fn action(&self, signal: u32) -> Action {
        self.actions.get(&signal).copied().unwrap_or_default()
    }

    /// Effect of a signal when it is delivered.
    pub(crate) fn effect(&self, signal: u32) -> Effect {
        let action = self.action(signal);
        match action.handler {
            IGNORE => Effect::Nothing,
            DEFAULT if matches!(signal, SIGCHLD | SIGCONT | SIGURG | SIGWINCH) => Effect::Nothing,
            DEFAULT if STOPPING & bit(signal) != 0 => Effect::Stops,
            DEFAULT => Effect::Ends,
            _ => Effect::Handler(action),
        }
    }

    /// Returns true if a signal that is sent now changes anything: it is blocked, or not ignored.
    pub(crate) fn notices(&self, signal: u32) -> bool {
        self.own.blocked & bit(signal) != 0 || !matches!(self.effect(signal), Effect::Nothing)
    }

    /// Sends a signal to the process, or to its thread. An ignored signal is dropped, unless it is blocked.
    pub(crate) fn send(&mut self, signal: u32, info: Info, to_thread: bool) {
        let opposite = match signal {
            SIGCONT => STOPPING,
            _ if STOPPING & bit(signal) != 0 => bit(SIGCONT),
            _ => 0,
        };
        self.forget(opposite);
        let blocked = self.own.blocked & bit(signal) != 0;
        if !blocked && matches!(self.effect(signal), Effect::Nothing) {
            return;
        }
        self.queue(signal, info, to_thread);
    }

    /// A signal is pending from now on.
    pub(crate) fn queue(&mut self, signal: u32, info: Info, to_thread: bool) {
        let queue = if to_thread { &mut self.own.pending } else { &mut self.to_process };
        queue.add(signal, info);
    }

    /// The signals of a set are not pending any more.
    pub(crate) fn forget(&mut self, signals: u64) {
        for pending in [&mut self.own.pending, &mut self.to_process] {
            if pending.set & signals == 0 {
                continue;
            }
            let timers = &mut self.timers;
            pending.remove(|signal, info| {
                let gone = signals & bit(signal) != 0;
                if let (true, Some(number)) = (gone, info.timer) {
                    timers.forget(number);
                }
                gone
            });
        }
    }

    /// Sets another action for a signal. If it is ignored from now on, it is not pending any more; if it was ignored until now,
    /// the waiting signals of timers become pending.
    pub(crate) fn act(&mut self, signal: u32, action: Action) {
        let before = self.actions.insert(signal, action);
        if matches!(self.effect(signal), Effect::Nothing) {
            self.forget(bit(signal));
        } else if before.is_some_and(|before| before.handler == IGNORE) {
            for (info, to_thread) in self.timers.bring_back(signal) {
                self.queue(signal, info, to_thread);
            }
        }
    }

    /// Takes a pending signal of a set at a moment of the kernel's clock: those of the thread first, and of these the lowest.
    pub(crate) fn take(&mut self, wanted: u64, now: u64) -> Option<(u32, Info)> {
        loop {
            let (signal, info) = self
                .own
                .pending
                .take(wanted)
                .or_else(|| self.to_process.take(wanted & !self.own.elsewhere))?;
            let info = match info.timer {
                Some(number) => self.timers.deliver(number, info, now as i64),
                None => Some(info),
            };
            if let Some(info) = info {
                return Some((signal, info));
            }
        }
    }

    /// Drops pending signals of a set whose timers were set anew or deleted.
    pub(crate) fn drop_stale(&mut self, signals: u64) {
        for pending in [&mut self.own.pending, &mut self.to_process] {
            let stale = |signal: u32, info: &Info| {
                signals & bit(signal) != 0 && info.timer.is_some_and(|n| self.timers.is_stale(n))
            };
            if pending.queue.iter().any(|(signal, info)| stale(*signal, info)) {
                let mut dropped = Vec::new();
                pending.remove(|signal, info| {
                    let stale = stale(signal, info);
                    dropped.extend(info.timer.filter(|_| stale));
                    stale
                });
                for number in dropped {
                    self.timers.drop_signal(number);
                }
            }
        }
    }

    /// The pending signal of a set that is taken first.
    pub(crate) fn first(&self, wanted: u64) -> Option<u32> {
        self.own.pending.first(wanted).or_else(|| self.to_process.first(wanted & !self.own.elsewhere))
    }

    /// Returns true if a signal is pending that interrupts a call which waits. Signals without effect are dropped.
    pub(crate) fn interrupts(&mut self, now: u64) -> bool {
        self.drop_stale(!self.own.blocked);
        let mut due = self.due_of(&self.own);
        while due != 0 {
            let signal = due.trailing_zeros() + 1;
            if !matches!(self.effect(signal), Effect::Nothing) {
                return true;
            }
            while self.take(bit(signal), now).is_some() {}
            due &= due - 1;
        }
        false
    }

    /// Returns true if a handler runs on the alternate stack, so that it cannot be changed.
    pub(crate) fn on_alternate_stack(&self) -> bool {
        let (address, flags, size) = self.own.alternate_stack;
        let on_it = |running: &Running| {
            running.on_alternate_stack
                && (running.alternate_stack.0, running.alternate_stack.2) == (address, size)
        };
        flags & SS_AUTODISARM == 0 && self.own.running.iter().any(on_it)
    }

    /// The alternate stack as a program reads it: address, flags, size.
    pub(crate) fn told_stack(&self) -> (u64, u32, u64) {
        let (address, flags, size) = self.own.alternate_stack;
        let state = match size {
            0 => SS_DISABLE,
            _ if self.on_alternate_stack() => SS_ONSTACK,
            _ => 0,
        };
        (address, state | flags & SS_AUTODISARM, size)
    }

    /// Begins a handler: from now on it runs.
    pub(crate) fn begin(&mut self, signal: u32, action: Action, info: Info) {
        if action.flags & SA_RESETHAND != 0
            && let Some(action) = self.actions.get_mut(&signal)
        {
            action.handler = DEFAULT;
        }
        let mask = self.own.saved_mask.take().unwrap_or(self.own.blocked);
        let own = if action.flags & SA_NODEFER != 0 { 0 } else { bit(signal) };
        self.own.blocked = (self.own.blocked | action.mask | own) & !UNBLOCKABLE;
        let stack = self.own.alternate_stack;
        let alternate = action.flags & SA_ONSTACK != 0 && stack.2 != 0 && !self.on_alternate_stack();
        self.own.running.push(Running {
            info,
            mask,
            after: After::Again,
            on_alternate_stack: alternate,
            alternate_stack: stack,
        });
        if stack.1 & SS_AUTODISARM != 0 {
            self.own.alternate_stack = (0, SS_DISABLE, 0);
        }
    }

    /// The innermost handler has returned, and `mask` is blocked again.
    pub(crate) fn end(&mut self, mask: u64) -> Option<After> {
        // Linux puts the alternate stack back, except while it is in use: it still is when its handler returns.
        let in_use = self.on_alternate_stack();
        let ended = self.own.running.pop()?;
        self.own.blocked = mask & !UNBLOCKABLE;
        if !in_use {
            self.own.alternate_stack = ended.alternate_stack;
        }
        Some(ended.after)
    }
}
