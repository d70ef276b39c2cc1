//! Answers the system calls of a native program so that it sees the world of the kernel's model.
//!
//! The kernel hands calls to the replayer (seccomp's user notification). The model follows the run: it gets each call with the
//! program's memory, so that it knows the files, descriptors and clocks. In a sandbox with namespaces the real kernel executes
//! the calls; only calls that show the world ([`shows_world`]: clocks, ids, inode numbers and times of files, the machine) get
//! the model's answer. Without namespaces the model answers all calls, and none of them reaches the machine.

use crate::answers::calls::{Answer, BROKEN_PIPE, Calls};
use crate::answers::guest::{Program, Task};
use crate::answers::order::told;
use crate::answers::signals;
use crate::answers::table::{SCHEDULE, is_of_sockets, shows_world};
use crate::isolation::request::TEST_PATH;
use crate::isolation::seccomp::EXECUTABLE_FD;
use cleave_linux::{
    Execution, Failures, INTERRUPTED, Point, RESTART, Stop, Traits, call_is, nr, succeeded, world,
};

/// Maximum number of random bytes that the model makes for one call.
const MOST_RANDOM: u64 = 1 << 20;

/// The answer to `execve` that tells runtime/execute.c to execute [`EXECUTABLE_FD`] with the same arguments: an error number
/// that no kernel has.
const EXECUTE_GIVEN: u64 = -4000i64 as u64;
/// Last argument of an `execve` made by runtime/execute.c; it tells such a call from one made past the C library.
const FROM_RUNTIME: u64 = 0x636c_6576;

impl Calls<'_> {
    /// The answer to a call of the thread that has the turn.
    pub(super) fn answer_main(&mut self, number: u64, args: [u64; 6], task: Task) -> Answer {
        if matches!(number, nr::EXECVE | nr::EXECVEAT) && !self.programs.is_empty() {
            return self.execute(number, args, task);
        }
        if number == SCHEDULE {
            return self.told(args[0], args[1]);
        }
        if number == nr::CLONE && args[0] & libc::CLONE_THREAD as u64 != 0 && !self.tells {
            return Answer::Refused(
                "it makes threads, and was linked by an older `cleave cc`: link it again",
            );
        }
        if self.closed
            && let Some(answer) = self.answer_closed(number, &args, task)
        {
            return answer;
        }
        if let Some(answer) = self.answer_at_will(number, args, task) {
            return answer;
        }
        if number == nr::SET_TID_ADDRESS && !self.closed {
            self.ask_model(number, args, task, false);
            return Answer::Continue;
        }
        // Without namespaces, the real kernel would send the signal to processes of the machine.
        let outside = self.closed && call_is(number, Traits::SENDS);
        if call_is(number, Traits::SIGNALS) && self.family.is_none() && !outside {
            let value = signals::follow(&mut self.kernel, number, args, task, &self.listener);
            return value.map_or(Answer::Continue, Answer::Value);
        }
        // Calls whose result depends on the model's clock, files or terminal: timers, inotify, streams.
        let waiting = number == nr::IOCTL && args[1] as u32 == libc::FIONREAD as u32;
        let reads = matches!(number, nr::READ | nr::READV);
        let tells = reads && self.kernel.is_timer(args[0])
            || (reads || waiting) && self.kernel.is_inotify(args[0])
            || self.kernel.shows_terminal(number, &args);
        self.ask_model(number, args, task, self.closed || tells || shows_world(number, &args))
    }

    /// Handles a report of a thread about its position (see [`told`]).
    fn told(&mut self, what: u64, more: u64) -> Answer {
        match what {
            told::READY => self.tells = true,
            told::POINT => return self.come_to_point(Point::Use),
            told::CANCELLATION => return self.come_to_cancellation(more == 1),
            told::ACCESS => return self.come_to_access(),
            told::WRITTEN => self.kernel.something_changed(),
            told::STUCK => self.course.ends(),
            // Another process may have sent the thread a signal before it began.
            told::BORN => signals::deliver(&mut self.kernel),
            _ => return Answer::Value(-i64::from(libc::ENOSYS) as u64),
        }
        Answer::Value(0)
    }

    /// The answer to a call that fails, or moves one byte only, because the job says so; else `None`.
    fn answer_at_will(&mut self, number: u64, args: [u64; 6], task: Task) -> Option<Answer> {
        let (more_fail, more_short) =
            (self.maybe_failed < self.job.failing.len(), self.maybe_short < self.job.short.len());
        if !more_fail && !more_short {
            return None;
        }
        let failures = self.job.failures;
        let outcome = match more_short || failures == Failures::Named {
            true => self.outcome(number, args, task),
            false => None,
        };
        let errors = match more_fail && (failures == Failures::Klee || outcome.is_some()) {
            true => self.kernel.failures(failures, number, args),
            false => Vec::new(),
        };
        if !errors.is_empty() {
            self.maybe_failed += 1;
            if let Some(errno) = failures.chosen(&errors, self.job.failing[self.maybe_failed - 1]) {
                return Some(Answer::Value(errno.result()));
            }
        }
        if !more_short || outcome.is_none_or(|moved| moved < 2) {
            return None;
        }
        let (single, args) =
            self.kernel.shortened(number, args, &mut Program::new(task, &self.listener, true)).ok()??;
        self.maybe_short += 1;
        if !self.job.short[self.maybe_short - 1] {
            return None;
        }
        let answer = self.ask_model(single, args, task, self.closed);
        if self.closed || is_of_sockets(number, &args, &self.kernel) {
            return Some(answer);
        }
        crate::answers::short::one_byte(task, single, args).map(Answer::Value)
    }

    /// The result of the call in the model, if it succeeds there. The model's state does not change.
    fn outcome(&self, number: u64, args: [u64; 6], task: Task) -> Option<u64> {
        let mut program = Program::new(task, &self.listener, true);
        let result = self.kernel.clone().syscall_to_its_end(number, args, &mut program);
        result.ok().filter(|&result| succeeded(result))
    }

    /// Executes another program in place of this one. The model finds it; with namespaces, the kernel finds the same one.
    fn execute(&mut self, number: u64, args: [u64; 6], task: Task) -> Answer {
        let mut kernel = self.kernel.clone();
        let mut program = Program::new(task, &self.listener, true);
        let start = match kernel.syscall(number, args, &mut program) {
            Err(Stop::Execute(start)) => start,
            Ok(value) => return Answer::Value(value),
            Err(Stop::Fault { .. }) => return Answer::Value(-i64::from(libc::EFAULT) as u64),
            Err(_) => return if self.closed { Answer::End } else { Answer::Continue },
        };
        if self.closed && start.script {
            return Answer::Refused("it executes a script, which needs namespaces, and there are none here");
        }
        if self.closed && args[5] != FROM_RUNTIME {
            return Answer::Refused(
                "it executes a program past the C library, which needs namespaces, and there are none here; or it was linked by \
                 an older `cleave cc`: link it again",
            );
        }
        if self.closed && !self.give_program(&start, task) {
            return Answer::End;
        }
        let running = kernel.running();
        kernel.memory_given_back(running);
        (self.kernel, self.test_fd) = (kernel, None);
        // The process continues under the number of its first thread, whichever thread made the call.
        self.begins.insert(self.family.as_ref().map_or(task.pid, |family| family.leader(task.pid)));
        if self.closed { Answer::Value(EXECUTE_GIVEN) } else { Answer::Continue }
    }

    /// Without namespaces: gives the process the executable as the descriptor that its filter allows it to execute.
    fn give_program(&self, start: &Execution, task: Task) -> bool {
        let executable = self.programs.executable(start.image);
        executable.is_some_and(|file| self.listener.place_file(task.id, file, EXECUTABLE_FD, true))
    }

    /// Calls that the model cannot answer in a closed run: those on the test's file, and signals to the program itself.
    fn answer_closed(&mut self, number: u64, args: &[u64; 6], task: Task) -> Option<Answer> {
        let is_test = |fd| self.test_fd == Some(fd);
        match number {
            nr::OPEN | nr::OPENAT if self.job.ktest.is_some() => {
                let path = if number == nr::OPEN { args[0] } else { args[1] };
                let mut program = Program::new(task, &self.listener, false);
                program.holds_text(path, TEST_PATH).then_some(Answer::File)
            }
            nr::READ if is_test(args[0]) => Some(Answer::Continue),
            nr::CLOSE if is_test(args[0]) => {
                self.test_fd = None;
                Some(Answer::Continue)
            }
            nr::RT_SIGQUEUEINFO if args[0] == world::PID => {
                signals::follow(&mut self.kernel, number, *args, task, &self.listener);
                Some(Answer::Value(crate::answers::guest::queue_signal(task, args[1], args[2])))
            }
            nr::KILL | nr::TKILL | nr::TGKILL => {
                let (target, signal) =
                    if number == nr::TGKILL { (args[1], args[2]) } else { (args[0], args[1]) };
                let own = world::PID as i32;
                let to_itself = match target as i32 {
                    t if t == own => true,
                    0 => number == nr::KILL,
                    t => number == nr::KILL && t == -own,
                };
                to_itself.then(|| {
                    signals::follow(&mut self.kernel, number, *args, task, &self.listener);
                    Answer::Value(crate::answers::guest::send_signal(task, signal))
                })
            }
            _ => None,
        }
    }

    /// Executes the call in the model. If `answers`, the model's writes go to the program's memory, and its result is the answer.
    pub(super) fn ask_model(&mut self, number: u64, args: [u64; 6], task: Task, answers: bool) -> Answer {
        if number == nr::GETRANDOM && args[1] > MOST_RANDOM {
            return if self.closed { Answer::End } else { Answer::Continue };
        }
        if self.family.is_some() {
            return self.ask_family(number, args, task, answers);
        }
        let of_sockets = is_of_sockets(number, &args, &self.kernel);
        let answers = answers || of_sockets;
        let mut kernel = self.kernel.clone();
        let mut program = Program::new(task, &self.listener, !answers);
        let result = kernel.syscall_to_its_end(number, args, &mut program);
        let by_calls = match of_sockets {
            _ if self.closed => u64::MAX,
            true => BROKEN_PIPE,
            false => 0,
        };
        let sent = signals::pass_on(&mut kernel, task, by_calls);
        if let Ok(value) = result {
            if kernel.has_several() {
                return Answer::Several;
            }
            signals::deliver(&mut kernel);
            let handed = kernel.handed().to_vec();
            self.kernel = kernel;
            if !self.place_sockets(number, &args, value, task) || !self.hand_on(&handed, task) {
                return Answer::End;
            }
            if value == RESTART || value == INTERRUPTED {
                return self.interrupted(number, &args, value);
            }
            let real = self.is_real_too(&self.kernel, number, &args, value);
            return if (answers || self.refuses(value)) && !real {
                Answer::Value(value)
            } else {
                Answer::Continue
            };
        }
        match result {
            Err(Stop::Fault { .. }) if answers => Answer::Value(-i64::from(libc::EFAULT) as u64),
            Err(Stop::Signal(_)) if sent => Answer::Value(INTERRUPTED),
            Err(Stop::Wait(_)) if self.closed || answers && self.kernel.has_sockets() => Answer::Wait,
            _ if self.closed || of_sockets => Answer::End,
            _ => Answer::Continue,
        }
    }
}
