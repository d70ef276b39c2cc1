//! Signals of a native program in the model's world. Its handlers are called by the real kernel, with real masks and real stacks;
//! the model follows, so that it knows when its timers interrupt what. Time is the model's: where one of its timers goes off
//! during a call, the program gets the real signal while it waits for the answer, and the handler runs as the call ends.

use crate::guest::{Program, Task, send_signal, tell_signal};
use crate::listener::Listener;
use cleave_linux::{Kernel, Stop};

/// Returning from a handler.
const SIGRETURN: u64 = 15;
const SIGTIMEDWAIT: u64 = 128;
/// What `rt_sigtimedwait` gives when its time is up.
const TIME_IS_UP: u64 = -(libc::EAGAIN as i64) as u64;

/// Whether a call is about signals alone: rt_sigaction, rt_sigprocmask, rt_sigreturn, pause, kill, rt_sigpending to rt_sigsuspend,
/// sigaltstack, tkill, tgkill, rt_tgsigqueueinfo. The real kernel does it, and the model too.
pub(crate) fn concerns(number: u64) -> bool {
    matches!(number, 13..=15 | 34 | 62 | 127..=131 | 200 | 234 | 297)
}

/// Whether a call sends to processes by their numbers: kill, rt_sigqueueinfo, tkill, tgkill, rt_tgsigqueueinfo.
pub(crate) fn reaches_others(number: u64) -> bool {
    matches!(number, 62 | 129 | 200 | 234 | 297)
}

/// Has the model do what the real kernel does for a call of [`concerns`]. Gives the answer where the real kernel must not do the
/// call: it would wait for a time that passes in the model alone.
pub(crate) fn follow(
    kernel: &mut Kernel,
    number: u64,
    args: [u64; 6],
    task: Task,
    listener: &Listener,
) -> Option<u64> {
    let mut program = Program::new(task, listener, true);
    let before = kernel.clone();
    let result = match number {
        SIGRETURN => give_back(kernel, task, &mut program),
        _ => kernel.syscall_to_its_end(number, args, &mut program),
    };
    pass_on(kernel, task, 0);
    match result {
        Ok(value) => {
            deliver(kernel);
            (number == SIGTIMEDWAIT && value == TIME_IS_UP).then_some(value)
        }
        // It ends, or waits for ever, or the model cannot tell: the real kernel decides.
        Err(_) => {
            *kernel = before;
            None
        }
    }
}

/// The model puts the mask back that a handler found.
pub(crate) fn give_back(kernel: &mut Kernel, task: Task, program: &mut Program<'_>) -> Result<u64, Stop> {
    let context = task.stack_pointer().ok_or_else(|| Stop::Unsupported("a process that is gone".into()))?;
    kernel.signal_return(context, program).map(|_| 0)
}

/// Sends to the program, which waits for the answer to a call, what the model's kernel has sent: by timers, and of what a call
/// did the signals of `by_calls`, a set: those that the real kernel does not send itself.
pub(crate) fn pass_on(kernel: &mut Kernel, task: Task, by_calls: u64) -> bool {
    let sent = kernel.take_sent();
    let set = sent.by_timers | sent.by_calls & by_calls;
    for signal in (1..=64).filter(|signal| set >> (signal - 1) & 1 != 0) {
        send_signal(task, signal);
    }
    for told in &sent.told {
        tell_signal(task, told);
    }
    set != 0 || !sent.told.is_empty()
}

/// The model delivers what the real kernel delivers when the call ends. Where that ends the program, the real one ends too.
pub(crate) fn deliver(kernel: &mut Kernel) {
    while kernel.signal_due() {
        if !matches!(kernel.deliver(), Ok(Some(_))) {
            return;
        }
    }
}
