//! The calls of one run: their state, which all that answers them shares, and the treatments of a call.

use crate::answers::family::Family;
use crate::answers::guest::Task;
use crate::answers::listener::Listener;
use crate::answers::order::Course;
use crate::programs::Programs;
use crate::{End, Error, Job, Limits};
use cleave_linux::{Attributes, Kernel, KnownFiles, nr};
use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// SIGPIPE, as a set.
pub(crate) const BROKEN_PIPE: u64 = 1 << (libc::SIGPIPE - 1);
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
    let &Job { ref files, ref refused, ref attributes, ref tree, ref connections, terminal, .. } = job;
    let known = KnownFiles { files, refused, attributes, tree, connections, terminal };
    let mut kernel = Kernel::concrete(&job.stdin, &known).map_err(many)?;
    kernel.make_programs(programs.files()).map_err(many)?;
    Ok(kernel)
}

/// The calls of one run.
pub(crate) struct Calls<'a> {
    pub(crate) listener: Listener,
    pub(crate) kernel: Kernel,
    /// True if the model answers all calls (there are no namespaces).
    pub(super) closed: bool,
    pub(super) limits: &'a Limits,
    pub(super) job: &'a Job,
    /// The program's first process; `None` before its first call.
    pub(super) main: Option<Task>,
    /// The program's processes, if it may have several.
    pub(crate) family: Option<Family>,
    /// Progress in the foretold order of threads.
    pub(crate) course: Course<'a>,
    /// True if the program reports its points (see [`crate::answers::order`]).
    pub(super) tells: bool,
    /// Signals that ended the program's processes as an effect of their own calls or faults.
    pub(crate) killed: BTreeSet<i32>,
    /// Reason to end the run, set while a call was answered.
    pub(crate) stopped: Option<Stopped>,
    /// The descriptor of the test's file, in a closed run.
    pub(super) test_fd: Option<u64>,
    /// Number of calls so far that `Job::failing` could make fail.
    pub(super) maybe_failed: usize,
    /// Number of reads and writes so far that `Job::short` could shorten.
    pub(super) maybe_short: usize,
    pub(super) programs: Arc<Programs>,
    /// Processes whose next call is the first one of a program.
    pub(super) begins: BTreeSet<i32>,
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
