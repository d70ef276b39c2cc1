//! Calls of several native processes and threads: the model chooses the next turn, and the test does if it foretells the order.

use crate::answers::calls::{Answer, BROKEN_PIPE, Calls, Stopped};
use crate::answers::guest::{Program, Task};
use crate::answers::listener::Asked;
use crate::answers::order::is_point;
use crate::answers::signals;
use crate::answers::table::is_the_models;
use cleave_linux::{
    AfterCall, Condition, INTERRUPTED, Kernel, Next, Point, RESTART, Status, Stop, Traits, Wait, call_is, nr,
};
use cleave_memory::Byte;
use std::os::fd::OwnedFd;

/// The result (ERESTARTNOINTR) upon which the real kernel runs handlers and then makes the same call again.
const RUN_AGAIN: u64 = -513i64 as u64;

impl Calls<'_> {
    /// A descriptor that becomes readable when the process ends whose next call is awaited.
    pub(crate) fn end_of_running(&self) -> Option<&OwnedFd> {
        self.family.as_ref()?.end_of(self.kernel.running_thread())
    }

    /// Handles a thread's report that it is at a point of the C library.
    pub(super) fn come_to_point(&mut self, point: Point) -> Answer {
        let tid = self.kernel.running_thread();
        match self.course.next(&self.kernel, tid, point) {
            Some((pid, tid)) => {
                self.kernel.give_turn(pid, tid);
                Answer::Turned(Some(0))
            }
            None => Answer::Value(0),
        }
    }

    /// Handles the report of a point of cancellation. If `calls`, the call that follows at once is no point any more.
    pub(super) fn come_to_cancellation(&mut self, calls: bool) -> Answer {
        let tid = self.kernel.running_thread();
        if calls
            && self.course.has_points(&self.kernel)
            && let Some(family) = &mut self.family
        {
            family.may_pass_next(tid);
        }
        self.come_to_point(Point::Cancellation)
    }

    /// Handles the report of an access. The thread makes it when it has the turn, or waits there until another thread changes the
    /// value that it has read.
    pub(super) fn come_to_access(&mut self) -> Answer {
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
            // The real kernel now delivers signals that other processes have sent in the meantime.
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

    /// Handles the point before a call. Returns the call if the thread makes it now; else another thread has the turn, and the
    /// call is made when this thread gets the turn again.
    pub(super) fn before_call(&mut self, call: Asked) -> Option<Asked> {
        if !self.course.has_points(&self.kernel) || !is_point(call.number, &self.kernel) {
            return Some(call);
        }
        let tid = self.kernel.running_thread();
        let Some(family) = &mut self.family else { return Some(call) };
        if family.may_pass(tid) {
            if self.kernel.signal_due() {
                // The thread is before its call: handlers of signals that arrived meanwhile run before it.
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

    /// The running thread waits; returns the next turn.
    fn waits(&mut self, kernel: &mut Kernel, wait: &Wait) -> Next {
        let tid = kernel.running_thread();
        let next = kernel.schedule(wait);
        self.follow_order(kernel, tid, Point::Wait, next)
    }

    /// The running thread ends, and another one of its process goes on. The real kernel writes to the address that the thread has
    /// registered, and no thread goes on before this one is gone.
    fn thread_ends(&mut self, kernel: &mut Kernel, task: Task) -> Option<Next> {
        let tid = kernel.running_thread();
        let ended = kernel.end_thread(&mut Program::new(task, &self.listener, true));
        if !matches!(ended, Ok(true)) {
            return None;
        }
        let next = kernel.turn();
        Some(self.follow_order(kernel, tid, Point::End, next))
    }

    /// Chooses the next thread after one waits or has ended: the one that the test foretells, else the model's.
    fn follow_order(&mut self, kernel: &mut Kernel, tid: u64, point: Point, next: Next) -> Next {
        if next == Next::Again
            && let Some((pid, tid)) = self.course.next(kernel, tid, point)
        {
            kernel.give_turn(pid, tid);
        }
        next
    }

    /// Executes a call of one of several processes in the model, and passes the turn on if this process waits, ends or gives way.
    pub(super) fn ask_family(&mut self, number: u64, args: [u64; 6], task: Task, answers: bool) -> Answer {
        let models = is_the_models(number, &args, &self.kernel);
        let answers = answers || models;
        let mut kernel = self.kernel.clone();
        let mut program = Program::new(task, &self.listener, !answers);
        let result = match number {
            nr::RT_SIGRETURN => signals::give_back(&mut kernel, task, &mut program),
            _ => kernel.syscall(number, args, &mut program),
        };
        // The real kernel would find something else in two cases, so the model answers. A child that lives on has stopped in the
        // model, but really stops only when it is answered. A result after which the thread gives up its turn (no child has
        // ended, a pipe is empty) holds now, but no more when the real kernel would execute the call.
        if !answers
            && let Ok(value) = result
            && (matches!(number, nr::WAIT4 | nr::WAITID) && kernel.lives(value) || makes_way(&kernel))
        {
            return self.ask_family(number, args, task, true);
        }
        // The real kernel sends signals between processes, except those that follow from a pipe, which exists in the model.
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
                    // The real call unblocks the signal that the program holds blocked outside of it.
                    let real = call_is(number, Traits::SIGNALS);
                    return if real { Answer::Continue } else { self.interrupted(number, &args, value) };
                }
                let (answer, turn) = self.returned(&mut kernel, ours.then_some(value), task);
                next = turn;
                answer
            }
            // No other thread goes on where the engine's path has ended.
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
                // The call itself does not send this signal.
                if answers {
                    Answer::Value(if sent {
                        INTERRUPTED
                    } else {
                        crate::answers::guest::send_signal(task, signal as u64)
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

    /// The answer to a call that has returned in the model, with the model's result `value` or with the real kernel's, and the
    /// next turn if another thread has it.
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
                // The real kernel stops the process by this call.
                let stopped = kernel.condition(running) == Condition::Stopped;
                (if stopped { answer } else { Answer::Turned(value) }, Some(next))
            }
        }
    }
}

/// Returns true if the calling process gives up its turn for another reason than being stopped, which the real kernel does.
fn makes_way(kernel: &Kernel) -> bool {
    kernel.gives_way() && kernel.condition(kernel.running()) != Condition::Stopped
}
