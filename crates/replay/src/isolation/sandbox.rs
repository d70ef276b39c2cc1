//! The replayer's side of a sandbox: makes the namespaces and the helper process in them, and sends jobs to it.
#![allow(unsafe_code)]

use crate::answers::calls::{self, Calls};
use crate::answers::listener::Listener;
use crate::isolation::capture::{self, Captured, Handle};
use crate::isolation::memory;
use crate::isolation::request::Shared;
use crate::isolation::seccomp::{Filter, has_listeners};
use crate::isolation::zygote::{self, Config, Reply};
use crate::programs::Programs;
use crate::{End, Error, Isolation, Job, Limits, Observed, StdinKind};
use cleave_linux::world;
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Id of the user and group as the program sees them, inside a user namespace.
const INNER_ID: u32 = world::UID;
/// First id for a program on the host, if the caller is root. No user has these ids, so no files or processes are within the
/// program's reach. The host process's id is added.
const UNUSED_ID: u32 = 1_879_048_192;
/// Id of the usual unprivileged user, for containers in which only a few ids exist.
const NOBODY: u32 = 65_534;
/// Time limit for set-up, and for the end of killed processes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running helper process in namespaces of its own.
pub(crate) struct Sandbox {
    shared: Shared,
    control: OwnedFd,
    helper: libc::pid_t,
    limits: Limits,
    programs: Arc<Programs>,
    pub(crate) isolation: Isolation,
    /// The reason for which there are no namespaces, if the model is the second choice.
    pub(crate) no_namespaces: Option<String>,
}

impl Sandbox {
    /// Makes the namespaces: under a user namespace if that is allowed, else as root.
    pub(crate) fn start(executable: &File, programs: &Arc<Programs>, limits: Limits) -> Result<Self, Error> {
        // SAFETY: has no preconditions.
        let root = unsafe { libc::geteuid() } == 0;
        let first = match Self::start_as(executable, programs, limits, Isolation::UserNamespace) {
            Ok(sandbox) => return Ok(sandbox),
            Err(reason) => reason,
        };
        if root {
            match Self::start_as(executable, programs, limits, Isolation::RootNamespaces) {
                Ok(sandbox) => return Ok(sandbox),
                Err(second) => {
                    let reason = format!("user namespace: {first}; as root: {second}");
                    return Err(Error::NoIsolation { reason });
                }
            }
        }
        Err(Error::NoIsolation { reason: first })
    }

    /// As [`Sandbox::start`], but without namespaces the model answers the program's system calls.
    pub(crate) fn start_somehow(
        executable: &File,
        programs: &Arc<Programs>,
        limits: Limits,
    ) -> Result<Self, Error> {
        let reason = match Self::start(executable, programs, limits) {
            Err(Error::NoIsolation { reason }) => reason,
            other => return other,
        };
        match Self::start_as(executable, programs, limits, Isolation::Model) {
            Ok(mut sandbox) => {
                sandbox.no_namespaces = Some(reason);
                Ok(sandbox)
            }
            Err(second) => Err(Error::NoIsolation { reason: format!("{reason}; by the model: {second}") }),
        }
    }

    /// Starts a sandbox with exactly this isolation; the error is a phrase for people.
    pub(crate) fn start_as(
        executable: &File,
        programs: &Arc<Programs>,
        limits: Limits,
        isolation: Isolation,
    ) -> Result<Self, String> {
        let limits = memory::that_hold(limits);
        let shared = Shared::new().map_err(|e| e.to_string())?;
        let (control, theirs) = socket_pair().map_err(|e| format!("cannot make a socket: {e}"))?;
        let drop_to = match isolation {
            Isolation::RootNamespaces => Some(unprivileged_id().ok_or("there is no unprivileged user here")?),
            _ => None,
        };
        let owner = drop_to.map(|id| format!(",uid={id},gid={id}")).unwrap_or_default();
        let (inodes, mode) = (world::LIMIT_INODES, world::ROOT_MODE);
        let options =
            format!("size={},nr_inodes={inodes},mode={mode:04o}{owner}", limits.disk + programs.size());
        let options = CString::new(options).expect("digits and letters hold no NUL");
        let closed = isolation == Isolation::Model;
        if closed && !has_listeners() {
            return Err("the kernel hands no system calls to others".into());
        }
        let plain = Filter::plain();
        let world = |several| Filter::with_world(crate::answers::table::asked(several), !programs.is_empty());
        let family = world(true);
        let world = if closed { Filter::closed() } else { world(false) };
        let entries = programs.entries();
        let mut kept: Vec<_> =
            programs.descriptors().chain([theirs.as_raw_fd(), executable.as_raw_fd()]).collect();
        kept.sort_unstable();
        let config = Config {
            programs: entries.as_ptr(),
            program_count: entries.len(),
            kept: kept.as_ptr(),
            kept_count: kept.len(),
            shared: shared.header(),
            control: theirs.as_raw_fd(),
            executable: executable.as_raw_fd(),
            inner_id: (isolation == Isolation::UserNamespace).then_some(INNER_ID),
            drop_to_id: drop_to,
            limits,
            mount_options: options.as_ptr(),
            closed,
            plain: &raw const plain,
            world: &raw const world,
            family: &raw const family,
        };
        let helper =
            fork_into_namespaces(&config, isolation).map_err(|e| format!("cannot make namespaces: {e}"))?;
        drop(theirs);
        // From here on, dropping the sandbox ends the helper.
        let programs = programs.clone();
        let sandbox = Sandbox { shared, control, helper, limits, programs, isolation, no_namespaces: None };
        if isolation == Isolation::UserNamespace {
            write_id_maps(helper).map_err(|e| format!("cannot map a user: {e}"))?;
        }
        // SAFETY: sends one byte.
        unsafe { libc::send(sandbox.control.as_raw_fd(), c"g".as_ptr().cast(), 1, libc::MSG_NOSIGNAL) };
        match sandbox.reply(PATIENCE) {
            Some(Reply { failed: 0, .. }) => Ok(sandbox),
            _ => Err(match sandbox.shared.failure() {
                Some((step, source)) => format!("cannot {step}: {source}"),
                None => "its helper process ended early".into(),
            }),
        }
    }

    /// Runs one job: first as a program with one thread, and again as a family if it makes processes or threads.
    pub(crate) fn run(&mut self, job: &Job) -> Result<Observed, Error> {
        // A job with an order of threads makes some.
        let several = self.isolation != Isolation::Model
            && job.turns.as_ref().is_some_and(|turns| !turns.list.is_empty());
        match self.run_as(job, several)? {
            Some(observed) => Ok(observed),
            None if self.isolation == Isolation::Model => Err(Error::Processes),
            None => self.run_as(job, true)?.ok_or(Error::Lost),
        }
    }

    /// Runs one job; `None` if it makes processes or threads and `several` is false.
    fn run_as(&mut self, job: &Job, several: bool) -> Result<Option<Observed>, Error> {
        let closed = self.isolation == Isolation::Model;
        let with_world = closed || job.stdin_kind == StdinKind::File && has_listeners();
        if job.turns.is_some() && !with_world {
            let why = "the order of its threads is foretold, and this machine's kernel hands no system calls to others";
            return Err(Error::BadJob(why.into()));
        }
        let kernel = calls::kernel_of(job, &self.programs)?;
        self.shared.write(job, with_world, several)?;
        let stdin = crate::isolation::stdin::stdin(job)?;
        let (stdout, stdout_end) = crate::isolation::stdin::pipe()?;
        let (stderr, stderr_end) = crate::isolation::stdin::pipe()?;
        let began = Instant::now();
        self.send_job([&stdin, &stdout_end, &stderr_end])?;
        drop((stdin, stdout_end, stderr_end));
        let mut calls = None;
        let mut early = None;
        if with_world {
            match self.listener(PATIENCE).ok_or(Error::Lost)? {
                Ok(listener) => {
                    let programs = self.programs.clone();
                    calls = Some(Calls::new(listener, kernel, closed, several, job, &self.limits, programs))
                }
                Err(reply) => early = Some(reply),
            }
        }
        let captured = match early {
            None => capture::run(self, [&stdout, &stderr], &self.limits, calls.as_mut()),
            Some(_) => Ok(Captured::default()),
        };
        if captured.is_err() {
            self.kill();
        }
        let reply = early.or_else(|| self.reply(PATIENCE)).ok_or(Error::Lost)?;
        let mut captured = captured?;
        if let Some([out, err]) = calls.as_ref().and_then(Calls::output) {
            (captured.stdout, captured.stderr) = (out, err);
            captured.stdout.truncate(self.limits.output);
            captured.stderr.truncate(self.limits.output);
        }
        captured.stdout.extend(calls.as_ref().map(Calls::sent_outside).unwrap_or_default());
        if reply.failed != 0 {
            let (step, source) = self.shared.failure().ok_or(Error::Lost)?;
            return Err(Error::NotStarted { step, source });
        }
        if captured.several {
            return Ok(None);
        }
        let end = captured.forced_end.unwrap_or_else(|| end_of_status(reply.status, began, &self.limits));
        let order = calls.as_ref().map(|calls| calls.course.kept()).unwrap_or_default();
        let killed = calls.map(|calls| calls.killed).unwrap_or_default();
        let Captured { stdout, stderr, .. } = captured;
        Ok(Some(Observed { end, stdout, stderr, killed, order }))
    }

    /// Sends the command to run the job in the shared memory, with the three standard streams.
    fn send_job(&self, streams: [&OwnedFd; 3]) -> Result<(), Error> {
        #[repr(C, align(8))]
        struct Ancillary([u8; 64]);
        let fds = streams.map(AsRawFd::as_raw_fd);
        let mut command = zygote::RUN;
        let mut ancillary = Ancillary([0; 64]);
        let mut vector = libc::iovec { iov_base: (&raw mut command).cast(), iov_len: 1 };
        // SAFETY: the message points to live buffers; three descriptors take less than 64 bytes with their
        // header, which is filled in with the macros made for it.
        let sent = unsafe {
            let mut message = std::mem::zeroed::<libc::msghdr>();
            message.msg_iov = &raw mut vector;
            message.msg_iovlen = 1;
            message.msg_control = (&raw mut ancillary).cast();
            message.msg_controllen = libc::CMSG_SPACE(size_of_val(&fds) as u32) as usize;
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(size_of_val(&fds) as u32) as usize;
            libc::CMSG_DATA(header).cast::<[i32; 3]>().write_unaligned(fds);
            libc::sendmsg(self.control.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL)
        };
        if sent == 1 { Ok(()) } else { Err(Error::Lost) }
    }

    /// The listener for the program's system calls, or the helper's reply if the program did not start.
    fn listener(&self, patience: Duration) -> Option<Result<Listener, Reply>> {
        #[repr(C, align(8))]
        struct Ancillary([u8; 64]);
        if !crate::answers::poll::readable(&self.control, patience) {
            return None;
        }
        let mut reply = Reply::default();
        let mut ancillary = Ancillary([0; 64]);
        let size = size_of::<Reply>();
        let mut vector = libc::iovec { iov_base: (&raw mut reply).cast(), iov_len: size };
        // SAFETY: the message points to live buffers of the lengths given; for the reply any bytes are valid; the
        // header the kernel filled in is read with the macros made for it, and its descriptor is ours alone.
        unsafe {
            let mut message = std::mem::zeroed::<libc::msghdr>();
            message.msg_iov = &raw mut vector;
            message.msg_iovlen = 1;
            message.msg_control = (&raw mut ancillary).cast();
            message.msg_controllen = 64;
            let flags = libc::MSG_CMSG_CLOEXEC;
            let got = libc::recvmsg(self.control.as_raw_fd(), &raw mut message, flags);
            if got == size as isize {
                return Some(Err(reply));
            }
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            if got != 1 || header.is_null() || (*header).cmsg_type != libc::SCM_RIGHTS {
                return None;
            }
            let fd = libc::CMSG_DATA(header).cast::<i32>().read_unaligned();
            Some(Ok(Listener::new(OwnedFd::from_raw_fd(fd))))
        }
    }

    /// The helper's next message; `None` if it is gone or silent for too long.
    fn reply(&self, patience: Duration) -> Option<Reply> {
        if !crate::answers::poll::readable(&self.control, patience) {
            return None;
        }
        let mut reply = Reply::default();
        let size = size_of::<Reply>();
        // SAFETY: receives at most the size of a struct for which any bytes are valid.
        let got = unsafe { libc::recv(self.control.as_raw_fd(), (&raw mut reply).cast(), size, 0) };
        (got == size as isize).then_some(reply)
    }
}

impl Handle for Sandbox {
    fn most_memory(&self) -> u64 {
        memory::most_below(self.helper)
    }

    fn done(&self) -> &OwnedFd {
        &self.control
    }

    fn kill_rest(&self) {
        let late = Instant::now() + PATIENCE;
        while !self.shared.ended() && Instant::now() < late {
            std::thread::sleep(Duration::from_micros(50));
        }
        self.kill();
    }

    fn kill(&self) {
        let command = [zygote::KILL];
        // SAFETY: sends one byte. If the helper is gone, the next receive will say so.
        unsafe { libc::send(self.control.as_raw_fd(), command.as_ptr().cast(), 1, libc::MSG_NOSIGNAL) };
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // The helper is the init process of its namespace: when it ends, the kernel kills all processes in there.
        // SAFETY: the process is our own child, and not yet waited for, so the id is still its.
        unsafe {
            libc::kill(self.helper, libc::SIGKILL);
            let mut status = 0;
            while libc::waitpid(self.helper, &raw mut status, 0) < 0
                && io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
            {}
        }
    }
}

fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds = [0; 2];
    // SAFETY: an array of two.
    let made = unsafe {
        libc::socketpair(libc::AF_UNIX, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0, fds.as_mut_ptr())
    };
    if made != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call gave two open descriptors that are nobody else's.
    unsafe { Ok((OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1]))) }
}

/// Forks the helper as the init process of new namespaces.
fn fork_into_namespaces(config: &Config, isolation: Isolation) -> io::Result<libc::pid_t> {
    let namespaces =
        libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWNET | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
    let flags = match isolation {
        Isolation::UserNamespace => namespaces | libc::CLONE_NEWUSER,
        Isolation::RootNamespaces => namespaces,
        Isolation::Model | Isolation::None => 0,
    };
    // SAFETY: clone without a stack is fork. All signals are blocked meanwhile, so that no handler of ours runs
    // in the child before it resets them; the child calls `main`, which makes system calls only and never returns.
    unsafe {
        let mut all = std::mem::zeroed::<libc::sigset_t>();
        let mut before = std::mem::zeroed::<libc::sigset_t>();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let pid = libc::syscall(libc::SYS_clone, (flags | libc::SIGCHLD) as libc::c_ulong, 0, 0, 0, 0);
        if pid == 0 {
            zygote::main(config);
        }
        let error = io::Error::last_os_error();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        if pid > 0 { Ok(pid as libc::pid_t) } else { Err(error) }
    }
}

/// Gives the helper's user namespace its one user and group.
fn write_id_maps(helper: libc::pid_t) -> io::Result<()> {
    // SAFETY: these have no preconditions.
    let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
    let write = |name: &str, text: String| std::fs::write(format!("/proc/{helper}/{name}"), text);
    if uid == 0
        && let Some(id) = unprivileged_id()
    {
        write("uid_map", format!("{INNER_ID} {id} 1"))?;
        return write("gid_map", format!("{INNER_ID} {id} 1"));
    }
    write("uid_map", format!("{INNER_ID} {uid} 1"))?;
    write("setgroups", "deny".into())?;
    write("gid_map", format!("{INNER_ID} {gid} 1"))
}

/// An unprivileged user and group for a caller that is root. In a container only some ids exist.
fn unprivileged_id() -> Option<u32> {
    let exists = |map: &str, id: u32| {
        let text = std::fs::read_to_string(map).unwrap_or_default();
        text.lines().any(|line| {
            let mut numbers = line.split_whitespace().map_while(|n| n.parse::<u64>().ok());
            let (first, _, count) = (numbers.next(), numbers.next(), numbers.next());
            matches!((first, count), (Some(first), Some(count)) if (first..first + count).contains(&id.into()))
        })
    };
    let unused = UNUSED_ID + (std::process::id() & 0xffff);
    [unused, NOBODY]
        .into_iter()
        .find(|&id| exists("/proc/self/uid_map", id) && exists("/proc/self/gid_map", id))
}

/// Decodes a status as `waitpid` gives it, of a run that began at `began`. A SIGXCPU counts as the processor-time limit only if
/// that much time has passed; else a process of the program has sent it.
pub(crate) fn end_of_status(status: i32, began: Instant, limits: &Limits) -> End {
    if libc::WIFEXITED(status) {
        return End::Exited(libc::WEXITSTATUS(status));
    }
    match libc::WTERMSIG(status) {
        libc::SIGXCPU if began.elapsed() >= Duration::from_secs(limits.cpu_seconds) => End::TimedOut,
        signal => End::Signaled(signal),
    }
}
