//! Calls of several native processes and threads: whose turn it is, the model says, and the test where it foretells the order.

use crate::calls::{Answer, BROKEN_PIPE, Calls, Stopped};
use crate::family::Turn;
use crate::guest::{Program, Task};
use crate::listener::Asked;
use crate::order::is_point;
use crate::signals;
use crate::table::{is_the_models, nr};
use crate::{End, Error};
use cleave_linux::{AfterCall, Condition, INTERRUPTED, Kernel, Next, Point, RESTART, Status, Stop, Wait};
use cleave_memory::Byte;
use std::os::fd::OwnedFd;

/// The result (ERESTARTNOINTR) with which the real kernel runs handlers and then makes the same call.
const RUN_AGAIN: u64 = -513i64 as u64;

impl Calls<'_> {
    /// Readable when the process ends whose next call is waited for.
    pub(crate) fn end_of_running(&self) -> Option<&OwnedFd> {
        self.family.as_ref()?.end_of(self.kernel.running_thread())
    }

    /// A thread is at a point of the C library.
    pub(crate) fn come_to_point(&mut self, point: Point) -> Answer {
        let tid = self.kernel.running_thread();
        match self.course.next(&self.kernel, tid, point) {
            Some((pid, tid)) => {
                self.kernel.give_turn(pid, tid);
                Answer::Turned(Some(0))
            }
            None => Answer::Value(0),
        }
    }

    /// A thread is where cancellation is looked at, and perhaps makes a call at once, which is no point any more.
    pub(crate) fn come_to_cancellation(&mut self, calls: bool) -> Answer {
        let tid = self.kernel.running_thread();
        if calls
            && self.course.has_points(&self.kernel)
            && let Some(family) = &mut self.family
        {
            family.may_pass_next(tid);
        }
        self.come_to_point(Point::Cancellation)
    }

    /// A thread is in front of an access. It comes to it when it has the turn, and perhaps waits there until another thread
    /// changes what it has read.
    pub(crate) fn come_to_access(&mut self) -> Answer {
        let tid = self.kernel.running_thread();
        let Some(family) = self.family.as_mut().filter(|_| self.kernel.has_made().1) else {
            return Answer::Value(0);
        };
        if !family.may_pass(tid) {
            self.course.comes_to_access();
            let next = self.course.next(&self.kernel, tid, Point::Access);
            family.may_pass_next(tid);
            if let Some((pid, tid)) = next {
                self.kernel.give_turn(pid, tid);
                return Answer::Later;
            }
        }
        let Some((pid, next)) = self.course.spins(tid) else {
            family.passes(tid);
            // What others have sent in the meantime, the real kernel delivers now.
            signals::deliver(&mut self.kernel);
            return Answer::Value(0);
        };
        let wait = Wait { until: None, why: "it spins" };
        let found = self.kernel.schedule(&wait);
        if (pid, next) == (0, 0) && matches!(found, Next::Deadlock(_)) {
            self.course.waits_for_ever();
            return Answer::Wait;
        }
        if self.course.waits_at_access(&self.kernel, (pid, next)) {
            self.kernel.give_turn(pid, next);
        }
        Answer::Later
    }

    /// A thread is about to make a call. Gives it back if the thread makes it now; else another thread has the turn, and it is made
    /// when the thread gets it again.
    fn before_call(&mut self, call: Asked) -> Option<Asked> {
        if !self.course.has_points(&self.kernel) || !is_point(call.number, &self.kernel) {
            return Some(call);
        }
        let tid = self.kernel.running_thread();
        let Some(family) = &mut self.family else { return Some(call) };
        if family.may_pass(tid) {
            if self.kernel.signal_due() {
                // The thread is in front of its call: handlers of what came meanwhile run before it.
                signals::deliver(&mut self.kernel);
                self.listener.answer(call.id, RUN_AGAIN);
                return None;
            }
            family.passes(tid);
            return Some(call);
        }
        let Some((pid, next)) = self.course.next(&self.kernel, tid, Point::Call(call.number)) else {
            return Some(call);
        };
        family.lets_pass(tid, call);
        self.kernel.give_turn(pid, next);
        None
    }

    /// The thread that runs waits.
    fn waits(&mut self, kernel: &mut Kernel, wait: &Wait) -> Next {
        let tid = kernel.running_thread();
        let next = kernel.schedule(wait);
        self.follow_order(kernel, tid, Point::Wait, next)
    }

    /// The thread that runs ends, and another one of its process goes on. The real kernel writes where the thread has said, and
    /// nobody goes on before it is gone.
    fn thread_ends(&mut self, kernel: &mut Kernel, task: Task) -> Option<Next> {
        let tid = kernel.running_thread();
        let ended = kernel.end_thread(&mut Program::new(task, &self.listener, true));
        if !matches!(ended, Ok(true)) {
            return None;
        }
        let next = kernel.turn();
        Some(self.follow_order(kernel, tid, Point::End, next))
    }

    /// What follows where a thread waits or has ended: the test says who goes on if it foretells that.
    fn follow_order(&mut self, kernel: &mut Kernel, tid: u64, point: Point, next: Next) -> Next {
        if next == Next::Again
            && let Some((pid, tid)) = self.course.next(kernel, tid, point)
        {
            kernel.give_turn(pid, tid);
        }
        next
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
            let (process, running) = (self.kernel.running(), self.kernel.running_thread());
            let turn = self.family.as_mut().and_then(|family| family.next(running));
            let stopped = match turn {
                None => return Ok(None),
                Some(Turn::Call(call)) => match self.before_call(call) {
                    Some(call) => self.serve_one(call, false)?,
                    None => None,
                },
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
            if self.course.is_left() {
                return Ok(Some(Stopped::End(End::TimedOut)));
            }
            if self.kernel.condition(process) == Condition::Stopped
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
                let handed = kernel.handed().to_vec();
                if !self.place_sockets(number, &args, value, task) || !self.hand_on(&handed, task) {
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
                let (answer, turn) = self.returned(&mut kernel, ours.then_some(value), task);
                next = turn;
                answer
            }
            // Nobody else goes on where the engine's path has ended.
            Err(Stop::Wait(_)) if self.course.is_over() => return Answer::Wait,
            Err(Stop::Wait(wait)) => {
                next = Some(self.waits(&mut kernel, &wait));
                Answer::Later
            }
            Err(Stop::Exit(_)) if number == nr::EXIT && kernel.has_threads() => {
                let Some(turn) = self.thread_ends(&mut kernel, task) else { return Answer::End };
                next = Some(turn);
                Answer::Ends
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
    fn returned(&mut self, kernel: &mut Kernel, value: Option<u64>, task: Task) -> (Answer, Option<Next>) {
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
            AfterCall::BornThread { tid, .. } => {
                if let Some(family) = &mut self.family {
                    family.thread_born(running, tid, task.pid);
                }
                (answer, None)
            }
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
