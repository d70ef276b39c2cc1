//! Answers the system calls of a native program so that it sees the world of the kernel's model.
//!
//! The kernel hands calls to the replayer (seccomp's user notification). The model follows the run: it gets each call with the
//! program's memory, so that it knows the files, descriptors and clocks. In a sandbox with namespaces the real kernel executes
//! the calls; only calls that show the world ([`shows_world`]: clocks, ids, inode numbers and times of files, the machine) get
//! the model's answer. Without namespaces the model answers all calls, and none of them reaches the machine.

use crate::answers::family::{Family, see_waiting};
use crate::answers::guest::{Program, Task};
use crate::answers::listener::{Asked, Listener};
use crate::answers::order::{Course, told};
use crate::answers::signals;
use crate::answers::table::{SCHEDULE, is_of_sockets, may_reach_machine, shows_before_its_end, shows_world};
use crate::isolation::request::TEST_PATH;
use crate::isolation::seccomp::EXECUTABLE_FD;
use crate::programs::Programs;
use crate::{End, Error, Job, Limits, isolation::stdin};
use cleave_linux::{
    Attributes, Execution, Failures, INTERRUPTED, Kernel, KnownFiles, Point, RESTART, Stop, Traits, call_is,
    nr, succeeded, world,
};
use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// Maximum number of random bytes that the model makes for one call.
const MOST_RANDOM: u64 = 1 << 20;

/// The answer to `execve` that tells runtime/execute.c to execute [`EXECUTABLE_FD`] with the same arguments: an error number
/// that no kernel has.
const EXECUTE_GIVEN: u64 = -4000i64 as u64;
/// SIGPIPE, as a set.
pub(crate) const BROKEN_PIPE: u64 = 1 << (libc::SIGPIPE - 1);
/// Last argument of an `execve` made by runtime/execute.c; it tells such a call from one made past the C library.
const FROM_RUNTIME: u64 = 0x636c_6576;

/// The treatment of a call.
pub(crate) enum Answer {
    /// The real kernel executes the call.
    Continue,
    /// The call returns this result, or the negated error number.
    Value(u64),
    /// The program gets the test's file.
    File,
    /// The call would wait until the run times out.
    Wait,
    /// The model cannot answer the call; the program ends.
    End,
    /// The call waits for another process or thread and is answered later.
    Later,
    /// The thread gives up its turn. Its call is answered when it gets the turn again: with this result, or by the real kernel.
    Turned(Option<u64>),
    /// The process or thread ends, and the real kernel executes that.
    Ends,
    /// The call makes a process, but the run was not started as a family.
    Several,
    /// The test cannot be run here; the reason.
    Refused(&'static str),
}

/// Reason to end a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The program cannot go on.
    End(End),
    /// The program makes processes: it must run again as a family.
    Several,
    /// The first process has ended, and the others wait forever.
    Over,
}

/// The model's kernel in its state before the job's program starts.
pub(crate) fn kernel_of(job: &Job, programs: &Programs) -> Result<Kernel, Error> {
    let many = |_| Error::BadJob("it has more files than the model holds".into());
    let Job { files, refused, attributes, tree, connections, .. } = job;
    let known = KnownFiles { files, refused, attributes, tree, connections };
    let mut kernel = Kernel::concrete(&job.stdin, &known).map_err(many)?;
    kernel.make_programs(programs.files()).map_err(many)?;
    Ok(kernel)
}

/// The calls of one run.
pub(crate) struct Calls<'a> {
    pub(crate) listener: Listener,
    pub(crate) kernel: Kernel,
    /// True if the model answers all calls (there are no namespaces).
    closed: bool,
    limits: &'a Limits,
    job: &'a Job,
    /// The program's first process; `None` before its first call.
    main: Option<Task>,
    /// The program's processes, if it may have several.
    pub(crate) family: Option<Family>,
    /// Progress in the foretold order of threads.
    pub(crate) course: Course<'a>,
    /// True if the program reports its points (see [`crate::answers::order`]).
    tells: bool,
    /// Signals that ended the program's processes as an effect of their own calls or faults.
    pub(crate) killed: BTreeSet<i32>,
    /// Reason to end the run, set while a call was answered.
    pub(crate) stopped: Option<Stopped>,
    /// The descriptor of the test's file, in a closed run.
    test_fd: Option<u64>,
    /// Number of calls so far that `Job::failing` could make fail.
    maybe_failed: usize,
    /// Number of reads and writes so far that `Job::short` could shorten.
    maybe_short: usize,
    programs: Arc<Programs>,
    /// Processes whose next call is the first one of a program.
    begins: BTreeSet<i32>,
    /// Real files that the program sent through sockets, by the model's numbers.
    pub(crate) sent_files: BTreeMap<u32, OwnedFd>,
}

impl<'a> Calls<'a> {
    pub(crate) fn new(
        listener: Listener,
        kernel: Kernel,
        closed: bool,
        several: bool,
        job: &'a Job,
        limits: &'a Limits,
        programs: Arc<Programs>,
    ) -> Self {
        Calls {
            listener,
            kernel,
            closed,
            limits,
            job,
            main: None,
            family: several.then(Family::default),
            course: Course::new(job.turns.as_ref()),
            tells: false,
            killed: BTreeSet::new(),
            stopped: None,
            test_fd: None,
            maybe_failed: 0,
            maybe_short: 0,
            programs,
            begins: BTreeSet::new(),
            sent_files: BTreeMap::new(),
        }
    }

    /// Returns true if the model answers all calls.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(crate) fn listener(&self) -> &Listener {
        &self.listener
    }

    /// The output that the model recorded, if it executes the writes.
    pub(crate) fn output(&self) -> Option<[Vec<u8>; 2]> {
        let known = |byte| crate::answers::guest::known(&byte);
        self.closed.then(|| [self.kernel.stdout(known), self.kernel.stderr(known)])
    }

    /// Bytes that the program sent to outside peers, if the real kernel executes its writes.
    pub(crate) fn sent_outside(&self) -> Vec<u8> {
        if self.closed {
            return Vec::new();
        }
        self.kernel.sent_outside().iter().map(crate::answers::guest::known).collect()
    }

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
    pub(crate) fn serve_one(&mut self, call: Asked, flies: bool) -> Result<Option<Stopped>, Error> {
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

    fn answer_main(&mut self, number: u64, args: [u64; 6], task: Task) -> Answer {
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
        // Reads whose result depends on the model's clock or files: timers and inotify.
        let waiting = number == nr::IOCTL && args[1] as u32 == libc::FIONREAD as u32;
        let reads = matches!(number, nr::READ | nr::READV);
        let tells =
            reads && self.kernel.is_timer(args[0]) || (reads || waiting) && self.kernel.is_inotify(args[0]);
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
    fn ask_model(&mut self, number: u64, args: [u64; 6], task: Task, answers: bool) -> Answer {
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

    /// Returns true if the result is a refusal by the model's files. Real files do not refuse such calls, because owners and
    /// permissions exist only in the model.
    pub(crate) fn refuses(&self, value: u64) -> bool {
        let refuse = !self.job.refused.is_empty() || !self.job.attributes.iter().all(Attributes::is_own);
        refuse && [libc::EACCES, libc::EPERM].map(|e| -i64::from(e)).contains(&(value as i64))
    }

    /// The answer to a call interrupted by a signal that is already pending for the real process. A call that replaces the signal
    /// mask while it waits must be executed by the real kernel.
    pub(crate) fn interrupted(&self, number: u64, args: &[u64; 6], value: u64) -> Answer {
        let holds = match number {
            nr::PSELECT6 => args[5] != 0,
            nr::PPOLL => args[3] != 0,
            nr::EPOLL_PWAIT | nr::EPOLL_PWAIT2 => args[4] != 0,
            _ => false,
        };
        match (holds, self.closed) {
            (false, _) => Answer::Value(value),
            // Without descriptors, the call depends on nothing in the model.
            (true, closed) if !closed || number == nr::PPOLL && args[1] == 0 => Answer::Continue,
            (true, _) => Answer::End,
        }
    }
}
