//! Runs a job without isolation (`--no-sandbox`): with resource limits, an empty environment and a temporary working directory,
//! but with the caller's user, files and network.
#![allow(unsafe_code)]

use crate::isolation::capture::{self, Captured, Handle};
use crate::isolation::sandbox::end_of_status;
use crate::{
    Error, Job, Limits, Observed, Order, TEST_VARIABLE, isolation::memory, isolation::request,
    isolation::zygote,
};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A started process, leader of its own group.
struct Running {
    group: libc::pid_t,
    done: OwnedFd,
}

impl Handle for Running {
    fn most_memory(&self) -> u64 {
        memory::of(self.group).max(memory::most_below(self.group))
    }

    fn done(&self) -> &OwnedFd {
        &self.done
    }

    fn kill_rest(&self) {
        self.kill();
    }

    fn kill(&self) {
        // SAFETY: the group of a child that is not yet waited for.
        unsafe { libc::kill(-self.group, libc::SIGKILL) };
    }
}

/// Runs one job.
pub(crate) fn run(executable: &Path, limits: &Limits, job: &Job) -> Result<Observed, Error> {
    let system = |step| move |source| Error::System { step, source };
    if job.needs_sandbox() {
        let why = "its system calls fail or its files are others than yours, which needs the sandbox; leave --no-sandbox out";
        return Err(Error::BadJob(why.into()));
    }
    if job.turns.is_some() {
        let why = "the order of its threads is foretold, which needs the sandbox; leave --no-sandbox out";
        return Err(Error::BadJob(why.into()));
    }
    let directory = tempfile::tempdir().map_err(system("make a temporary directory"))?;
    for (name, _) in &job.files {
        request::check_file_name(name)?;
    }
    crate::isolation::laid::lay_out(job, directory.path()).map_err(system("make the test's files"))?;
    let mut command = command(executable, &memory::that_hold(*limits), job)?;
    command.current_dir(directory.path());
    if let Some(ktest) = &job.ktest {
        let path = directory.path().join(request::TEST_PATH.trim_start_matches('/'));
        std::fs::write(&path, ktest).map_err(system("make the test's files"))?;
        command.env(TEST_VARIABLE, path);
    }
    let (stdout, stdout_end) = crate::isolation::stdin::pipe()?;
    let (stderr, stderr_end) = crate::isolation::stdin::pipe()?;
    command
        .stdin(Stdio::from(crate::isolation::stdin::stdin(job)?))
        .stdout(Stdio::from(stdout_end))
        .stderr(Stdio::from(stderr_end));
    let began = Instant::now();
    let mut child =
        command.spawn().map_err(|source| Error::NotStarted { step: "execute the program", source })?;
    // The command holds the write ends of the pipes; only the program may hold them.
    drop(command);
    let group = child.id() as libc::pid_t;
    // SAFETY: a descriptor for our own child.
    let done = unsafe { libc::syscall(libc::SYS_pidfd_open, group, 0) };
    if done < 0 {
        let error = Error::last("watch the process");
        let _ = child.kill();
        let _ = child.wait();
        return Err(error);
    }
    // SAFETY: the descriptor was just opened for us.
    let running = Running { group, done: unsafe { OwnedFd::from_raw_fd(done as i32) } };
    let captured = capture::run(&running, [&stdout, &stderr], limits, None);
    running.kill();
    let status = child.wait().map_err(system("wait for the program"))?;
    let captured = captured?;
    let end = captured.forced_end.unwrap_or_else(|| end_of_status(status.into_raw(), began, limits));
    let Captured { stdout, stderr, .. } = captured;
    Ok(Observed { end, stdout, stderr, killed: BTreeSet::new(), order: Order::Kept })
}

fn command(executable: &Path, limits: &Limits, job: &Job) -> Result<Command, Error> {
    let (name, arguments) = job
        .argv
        .split_first()
        .ok_or_else(|| Error::BadJob("it has no argument for the program's name".into()))?;
    let mut command = Command::new(executable);
    command.arg0(OsStr::from_bytes(name)).args(arguments.iter().map(|a| OsStr::from_bytes(a))).env_clear();
    command.envs(job.env.iter().map(|(name, value)| (OsStr::from_bytes(name), OsStr::from_bytes(value))));
    // Processes are counted for the whole user here, so a limit on them would hit the caller's own.
    let limits = Limits { processes: libc::RLIM_INFINITY, ..*limits };
    // SAFETY: between fork and exec only system calls are made.
    unsafe {
        command.pre_exec(move || {
            libc::setsid();
            // If the replayer dies, so does the program.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            zygote::set_limits(&limits).map_err(|_| std::io::Error::last_os_error())
        });
    }
    Ok(command)
}
