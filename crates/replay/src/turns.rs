//! Calls of several native processes: whose turn it is, the model says.

use crate::calls::{Answer, BROKEN_PIPE, Calls, Stopped};
use crate::family::Turn;
use crate::guest::{Program, Task};
use crate::signals;
use crate::table::{is_the_models, nr};
use crate::{End, Error};
use cleave_linux::{AfterCall, Condition, INTERRUPTED, Kernel, Next, RESTART, Status, Stop};
use cleave_memory::Byte;
use std::os::fd::OwnedFd;

impl Calls<'_> {
    /// Readable when the process ends whose next call is waited for.
    pub(crate) fn end_of_running(&self) -> Option<&OwnedFd> {
        self.family.as_ref()?.end_of(self.kernel.running())
    }

    /// The process that runs has ended without a call: by a fault of its own.
    pub(crate) fn running_has_ended(&mut self) -> Result<Option<Stopped>, Error> {
        let running = self.kernel.running();
        let signal = self.family.as_ref().map_or(libc::SIGKILL as u32, |family| family.ended_by(running));
        self.killed.insert(signal as i32);
        self.kernel.end_running(Status::Killed(signal));
        let next = self.kernel.turn();
        if let Some(family) = &mut self.family {
            family.settle(&self.kernel, &self.listener)?;
        }
        match next {
            Next::Again => self.serve_family(),
            Next::Over(_) => Ok(Some(Stopped::Over)),
            Next::Deadlock(_) => Ok(Some(Stopped::End(End::TimedOut))),
        }
    }

    /// Serves processes as long as the one whose turn it is has called.
    pub(crate) fn serve_family(&mut self) -> Result<Option<Stopped>, Error> {
        loop {
            let running = self.kernel.running();
            let turn = self.family.as_mut().and_then(|family| family.next(running));
            let stopped = match turn {
                None => return Ok(None),
                Some(Turn::Call(call)) => self.serve_one(call, false)?,
                Some(Turn::Flies(call)) => self.serve_one(call, true)?,
                Some(Turn::Answer(call, value)) => {
                    // What others have sent in the meantime, the real kernel delivers as the call ends.
                    signals::deliver(&mut self.kernel);
                    match value {
                        Some(value) => self.listener.answer(call.id, value),
                        None => self.listener.let_go_on(call.id),
                    }
                    None
                }
            };
            if self.kernel.condition(running) == Condition::Stopped
                && let Some(family) = &self.family
            {
                family.see_stopped(running)?;
            }
            if let Some(family) = &mut self.family {
                family.settle(&self.kernel, &self.listener)?;
            }
            if let Some(stopped) = stopped.or(self.stopped.take()) {
                return Ok(Some(stopped));
            }
        }
    }

    /// Lets the model do a call of one of several processes, and gives the turn to the next where this one waits, ends or
    /// makes way.
    pub(crate) fn ask_family(&mut self, number: u64, args: [u64; 6], task: Task, answers: bool) -> Answer {
        let models = is_the_models(number, &args, &self.kernel);
        let answers = answers || models;
        let mut kernel = self.kernel.clone();
        let mut program = Program::new(task, &self.listener, !answers);
        let result = match number {
            nr::RT_SIGRETURN => signals::give_back(&mut kernel, task, &mut program),
            _ => kernel.syscall(number, args, &mut program),
        };
        // What is heard of a child that lives on is not yet so: it stops when it is answered. And what a call finds that then gives
        // up its turn (no child has ended, a pipe is empty) is so now, but no more when the real kernel would do the call.
        if !answers
            && let Ok(value) = result
            && (matches!(number, nr::WAIT4 | nr::WAITID) && kernel.lives(value) || makes_way(&kernel))
        {
            return self.ask_family(number, args, task, true);
        }
        // What processes send to each other the real kernel sends, but for what follows from a pipe, which is the model's.
        let sent = signals::pass_on(&mut kernel, task, if models { BROKEN_PIPE } else { 0 });
        let next;
        let answer = match result {
            Ok(value) => {
                let fails = value as i64 == -i64::from(libc::EAGAIN);
                if !self.place_sockets(number, &args, value, task) {
                    return Answer::End;
                }
                let ours = (answers && !self.is_real_too(&kernel, number, &args, value))
                    || self.refuses(value)
                    || fails && matches!(number, nr::CLONE | nr::FORK | nr::VFORK);
                signals::deliver(&mut kernel);
                if value == RESTART || value == INTERRUPTED {
                    self.kernel = kernel;
                    // The real call lets the signal in that the program holds blocked outside of it.
                    let real = signals::concerns(number);
                    return if real { Answer::Continue } else { self.interrupted(number, &args, value) };
                }
                let (answer, turn) = self.returned(&mut kernel, ours.then_some(value));
                next = turn;
                answer
            }
            Err(Stop::Wait(wait)) => {
                next = Some(kernel.schedule(&wait));
                Answer::Later
            }
            Err(Stop::Exit(status)) => {
                kernel.end_running(Status::Exited(Byte::Known(status as u8)));
                next = Some(kernel.turn());
                Answer::Ends
            }
            Err(Stop::Signal(signal)) => {
                self.killed.insert(signal);
                kernel.end_running(Status::Killed(signal as u32));
                next = Some(kernel.turn());
                // A signal that the call itself does not send.
                if answers {
                    Answer::Value(if sent {
                        INTERRUPTED
                    } else {
                        crate::guest::send_signal(task, signal as u64)
                    })
                } else {
                    Answer::Ends
                }
            }
            Err(Stop::Fault { .. }) if answers => return Answer::Value(-i64::from(libc::EFAULT) as u64),
            Err(Stop::Fault { .. }) => return Answer::Continue,
            Err(_) => return Answer::End,
        };
        self.kernel = kernel;
        match next {
            None | Some(Next::Again) => answer,
            Some(Next::Over(_)) => {
                self.stopped = Some(Stopped::Over);
                answer
            }
            Some(Next::Deadlock(_)) => Answer::Wait,
        }
    }

    /// What becomes of a call that has returned in the model, with this result or with the real kernel's, and whose turn is
    /// next, if it is another's.
    fn returned(&mut self, kernel: &mut Kernel, value: Option<u64>) -> (Answer, Option<Next>) {
        let running = kernel.running();
        let answer = value.map_or(Answer::Continue, Answer::Value);
        match kernel.take_after_call() {
            AfterCall::Nothing => (answer, None),
            AfterCall::Born { pid, lends } => {
                if let Some(family) = &mut self.family {
                    family.born(pid);
                }
                (answer, lends.then(|| kernel.turn()))
            }
            // Such a call was refused before.
            AfterCall::BornThread { .. } => (Answer::End, None),
            AfterCall::GivesWay => {
                let next = kernel.turn();
                // A process that is stopped is so by what the real kernel does now.
                let stopped = kernel.condition(running) == Condition::Stopped;
                (if stopped { answer } else { Answer::Turned(value) }, Some(next))
            }
        }
    }
}

/// Whether the process that has called gives up its turn, and not because it is stopped: the real kernel does that.
fn makes_way(kernel: &Kernel) -> bool {
    kernel.gives_way() && kernel.condition(kernel.running()) != Condition::Stopped
}
