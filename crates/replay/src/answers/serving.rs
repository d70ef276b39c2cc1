//! Serves the calls as they come, one at a time: to the thread that has the turn, if the program has several.

use crate::answers::calls::{Answer, Calls, Stopped};
use crate::answers::family::{Turn, see_waiting};
use crate::answers::guest::Task;
use crate::answers::listener::Asked;
use crate::answers::signals;
use crate::answers::table::{may_reach_machine, shows_before_its_end};
use crate::isolation::stdin;
use crate::{End, Error};
use cleave_linux::{Condition, Next, Status, Traits, call_is};

impl Calls<'_> {
    /// Serves one call, if there is one, and the calls that were waiting for it. Returns a reason if the run must end.
    pub(crate) fn serve(&mut self) -> Result<Option<Stopped>, Error> {
        let Some(call) = self.listener.receive()? else { return Ok(None) };
        let task = Task { pid: call.pid, id: call.id };
        if self.main.is_none() {
            self.begins.insert(task.pid);
        }
        let main = *self.main.get_or_insert(task);
        if self.begins.remove(&task.pid) && !crate::answers::guest::hide_auxiliary(task, &self.listener)? {
            // The process was killed meanwhile.
            return Ok(None);
        }
        if self.family.is_none() && main.pid != task.pid {
            self.serve_another(&call);
            return Ok(None);
        }
        if self.family.is_none() {
            return self.serve_one(call, false);
        }
        let first = self.kernel.running_thread();
        if let Some(family) = &mut self.family {
            family.park(call, first);
        }
        self.serve_family()
    }

    /// Serves a call of a thread or process whose creation the model did not see. The real kernel schedules it, but it sees the
    /// model's machine.
    fn serve_another(&mut self, call: &Asked) {
        let task = Task { pid: call.pid, id: call.id };
        let of_machine = call_is(call.number, Traits::MACHINE);
        let answer = of_machine.then(|| self.ask_model(call.number, call.args, task, true));
        match answer {
            Some(Answer::Value(value)) => self.listener.answer(call.id, value),
            _ if self.closed => self.listener.answer(call.id, -i64::from(libc::EPERM) as u64),
            _ => self.listener.let_go_on(call.id),
        }
    }

    /// Serves a call of the thread that has the turn. If `flies`, the real kernel already executes the call.
    fn serve_one(&mut self, call: Asked, flies: bool) -> Result<Option<Stopped>, Error> {
        let running = self.kernel.running_thread();
        let task = Task { pid: call.pid, id: call.id };
        let answer = match self.answer_main(call.number, call.args, task) {
            Answer::Continue if self.closed && !may_reach_machine(call.number, &call.args) => Answer::End,
            answer => answer,
        };
        match (answer, &mut self.family) {
            (Answer::Later, Some(family)) if flies => family.fly(running, call),
            (Answer::Later, Some(_))
                if shows_before_its_end(call.number, &call.args) && self.kernel.has_made().1 =>
            {
                let why = "it has threads, and one of them waits for a lock of a file or at a named pipe";
                return Err(Error::BadJob(why.into()));
            }
            (Answer::Later, Some(family)) if shows_before_its_end(call.number, &call.args) => {
                self.listener.let_go_on(call.id);
                see_waiting(call.pid);
                family.fly(running, call);
            }
            (Answer::Later, Some(family)) => family.keep(running, call),
            (Answer::Turned(value), Some(family)) => family.hold(running, call, value),
            (Answer::Continue | Answer::Ends | Answer::Value(_), _) if flies => {}
            (Answer::Continue | Answer::Ends, _) => self.listener.let_go_on(call.id),
            (Answer::Value(value), _) => self.listener.answer(call.id, value),
            (Answer::File, _) => {
                let file = stdin::sealed_file(self.job.ktest.as_deref().unwrap_or_default())?;
                self.test_fd = self.listener.give_file(call.id, &file);
            }
            (Answer::Refused(why), _) => return Err(Error::BadJob(why.into())),
            (Answer::Several, _) => return Ok(Some(Stopped::Several)),
            (Answer::Wait, _) => return Ok(Some(Stopped::End(End::TimedOut))),
            (Answer::End | Answer::Later | Answer::Turned(_), _) => {
                return Ok(Some(Stopped::End(End::Signaled(libc::SIGSYS))));
            }
        }
        let (out, err) = self.kernel.written();
        let over = self.closed && out.max(err) > self.limits.output;
        Ok(over.then_some(Stopped::End(End::OutputLimit)))
    }

    /// Serves calls as long as the thread that has the turn has made one.
    fn serve_family(&mut self) -> Result<Option<Stopped>, Error> {
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
                    // The real kernel delivers signals that other processes have sent in the meantime as the call ends.
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

    /// Handles the end of the running process without a call, by a fault of its own.
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
}
