//! Signals of a native program in the model's world. The real kernel calls the handlers, with real masks and stacks. The model
//! follows, so that it knows which calls its timers interrupt. Time is the model's: if one of its timers expires during a call,
//! the program gets the real signal while it waits for the answer, and the handler runs as the call ends.

use crate::answers::guest::{Program, Task, send_signal, tell_signal};
use crate::answers::listener::Listener;
use cleave_linux::{Kernel, Stop, nr};

/// The result of `rt_sigtimedwait` after a timeout.
const TIME_IS_UP: u64 = -(libc::EAGAIN as i64) as u64;

/// Executes a call of [`cleave_linux::Traits::SIGNALS`] in the model, too. Returns an answer if the real kernel must not execute the call, because it
/// would wait for a time that passes only in the model.
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
        nr::RT_SIGRETURN => give_back(kernel, task, &mut program),
        _ => kernel.syscall_to_its_end(number, args, &mut program),
    };
    pass_on(kernel, task, 0);
    match result {
        Ok(value) => {
            deliver(kernel);
            (number == nr::RT_SIGTIMEDWAIT && value == TIME_IS_UP).then_some(value)
        }
        // The call ends the program, waits forever, or is unknown to the model: the real kernel decides.
        Err(_) => {
            *kernel = before;
            None
        }
    }
}

/// Restores in the model the mask from before the handler.
pub(crate) fn give_back(kernel: &mut Kernel, task: Task, program: &mut Program<'_>) -> Result<u64, Stop> {
    let context = task.stack_pointer().ok_or_else(|| Stop::Unsupported("a process that is gone".into()))?;
    kernel.signal_return(context, program).map(|_| 0)
}

/// Sends the model's signals to the program, which waits for the answer to a call: signals of timers, and those signals of the
/// call that are in the set `by_calls`, because the real kernel does not send them. Returns true if any was sent.
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

/// Delivers in the model the signals that the real kernel delivers when the call ends. If one ends the program, the real one
/// ends, too.
pub(crate) fn deliver(kernel: &mut Kernel) {
    while kernel.signal_due() {
        if !matches!(kernel.deliver(), Ok(Some(_))) {
            return;
        }
    }
}
