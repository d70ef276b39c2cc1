//! The helper process: the init process of a sandbox's namespaces. It prepares an empty root for each job,
//! starts the program in it, and afterwards kills whatever the program left running.
//!
//! It is forked from a process that may have threads, so all functions here make only plain system calls on memory that existed
//! before: no allocation, no locks, no panics. The shared [`Header`] records the step that failed.
#![allow(unsafe_code)]

use crate::Limits;
use crate::isolation::request::{FileEntry, Header, STEPS};
use crate::isolation::seccomp::{CONTROL_FD, EXECUTABLE_FD, Filter};
use libc::{c_char, c_int, c_ulong};
use std::sync::atomic::Ordering;

/// A message to the replayer that carries the listener for the program's system calls.
const LISTENER: u8 = b'L';

/// The helper's configuration, made before the fork. Pointers stay valid, because the child has a copy of the memory.
pub(crate) struct Config {
    pub shared: *mut Header,
    /// The helper's end of the control socket.
    pub control: c_int,
    /// The executable, open for reading.
    pub executable: c_int,
    /// The user and group the helper takes inside a user namespace.
    pub inner_id: Option<u32>,
    /// The user and group that the program takes, where there is no user namespace.
    pub drop_to_id: Option<u32>,
    pub limits: Limits,
    /// Mount options of a job's file system, NUL-terminated.
    pub mount_options: *const c_char,
    /// True if there are no namespaces: the kernel executes only the calls that the filter allows.
    pub closed: bool,
    /// Files and folders of programs that can be executed: an array of `program_count` entries.
    pub programs: *const ProgramEntry,
    pub program_count: usize,
    /// Descriptors that stay open, ascending: an array of `kept_count` numbers.
    pub kept: *const c_int,
    pub kept_count: usize,
    /// Filters: for a job that sees the machine as it is, for one that sees the model's world, and for one that sees the model's
    /// world and makes processes or threads.
    pub plain: *const Filter,
    pub world: *const Filter,
    pub family: *const Filter,
}

/// The file of a program that can be executed, or a folder that contains one.
#[repr(C)]
pub(crate) struct ProgramEntry {
    /// NUL-terminated, relative to the sandbox's root.
    pub path: *const c_char,
    /// Its executable, open for reading; negative for a folder.
    pub executable: c_int,
}

/// A message from the replayer: run the job in the shared memory; carries stdin, stdout, stderr.
pub(crate) const RUN: u8 = b'R';
/// A message from the replayer: end the job now. Ignored when none runs.
pub(crate) const KILL: u8 = b'K';

/// The helper's answer: set-up is done (status 0), or a job ended.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Reply {
    /// The program's status as `waitpid` gives it.
    pub status: c_int,
    /// 1 if something failed before the program ran: see the shared header.
    pub failed: c_int,
}

/// The process id that every program under test sees as its own.
const PROGRAM_PID: libc::pid_t = cleave_linux::world::PID as libc::pid_t;

const BASE: &[u8] = b"/tmp\0";
const BASE_FALLBACK: &[u8] = b"/usr\0";
const BOX: *const c_char = c"/box".as_ptr();
const EXECUTABLE: *const c_char = c"/exe".as_ptr();
const TMPFS: *const c_char = c"tmpfs".as_ptr();

/// The index of a step's name, found when the crate is compiled.
const fn step(name: &str) -> u32 {
    let mut i = 0;
    while i < STEPS.len() {
        let (a, b) = (STEPS[i].as_bytes(), name.as_bytes());
        let mut same = a.len() == b.len();
        let mut j = 0;
        while same && j < a.len() {
            same = a[j] == b[j];
            j += 1;
        }
        if same {
            return i as u32;
        }
        i += 1;
    }
    panic!("no such step")
}

type Step = Result<(), u32>;

/// `Ok` if `done`, else the step that failed.
fn must(done: bool, failed: u32) -> Step {
    if done { Ok(()) } else { Err(failed) }
}

/// Records the failed step and the error number.
unsafe fn note(shared: *mut Header, failed: u32) {
    // SAFETY: errno is this thread's own; the header is mapped as long as the process lives.
    unsafe {
        (*shared).failed_errno.store(*libc::__errno_location(), Ordering::SeqCst);
        (*shared).failed_step.store(failed, Ordering::SeqCst);
    }
}

/// The main function of the helper.
///
/// # Safety
/// Call only in a freshly forked process, which this function ends. `config` must be as [`Config`] says.
pub(crate) unsafe extern "C" fn main(config: &Config) -> ! {
    // SAFETY: plain system calls in a process of its own; see each function.
    unsafe {
        // The replayer first writes the user mapping and then sends a byte.
        let mut go = 0u8;
        if libc::recv(config.control, (&raw mut go).cast(), 1, 0) != 1 {
            libc::_exit(1);
        }
        let mut reply = Reply::default();
        let executable = match set_up(config) {
            Ok(fd) => fd,
            Err(failed) => {
                note(config.shared, failed);
                reply.failed = 1;
                send(config.control, &reply);
                libc::_exit(1);
            }
        };
        send(config.control, &reply);
        loop {
            let fresh = if config.closed { Ok(()) } else { mount_box(config) };
            let Some(streams) = receive(config.control) else { libc::_exit(0) };
            let result = match fresh {
                Ok(()) => run(config, executable, &streams),
                Err(failed) => Err(failed),
            };
            for fd in streams {
                libc::close(fd);
            }
            let reply = match result {
                Ok(status) => {
                    let failed = (*config.shared).failed_step.load(Ordering::SeqCst) != 0;
                    Reply { status, failed: failed.into() }
                }
                Err(failed) => {
                    note(config.shared, failed);
                    Reply { status: 0, failed: 1 }
                }
            };
            send(config.control, &reply);
            // Unmounting happens between the jobs, so that it costs none of them time.
            if !config.closed {
                libc::umount2(BOX, libc::MNT_DETACH);
            }
        }
    }
}

unsafe fn send(control: c_int, reply: &Reply) {
    // SAFETY: sends the bytes of a plain struct.
    let sent =
        unsafe { libc::send(control, (&raw const *reply).cast(), size_of::<Reply>(), libc::MSG_NOSIGNAL) };
    if sent < 0 {
        // SAFETY: the replayer is gone; this process has nothing else to do.
        unsafe { libc::_exit(0) };
    }
}

/// Sets up identity, mounts and the executable. Returns the executable's descriptor.
unsafe fn set_up(config: &Config) -> Result<c_int, u32> {
    // SAFETY: system calls that concern this process and its own namespaces only.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
        must(libc::setsid() >= 0, step("make the session"))?;
        // If memory runs out, the kernel shall kill a process of the sandbox.
        let score = libc::open(c"/proc/self/oom_score_adj".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if score >= 0 {
            libc::write(score, c"1000".as_ptr().cast(), 4);
            libc::close(score);
        }
        close_all_but(std::slice::from_raw_parts(config.kept, config.kept_count));
        if config.closed {
            return Ok(config.executable);
        }
        if let Some(id) = config.inner_id {
            // Fails if the mapping was written without privilege; then there are no groups of root to drop.
            set_groups_to_none();
            must(set_ids(id), step("take its identity"))?;
        }
        let private = libc::MS_REC | libc::MS_PRIVATE;
        must(
            libc::mount(std::ptr::null(), c"/".as_ptr(), std::ptr::null(), private, std::ptr::null()) == 0,
            step("make its mounts private"),
        )?;
        enter_base()?;
        // A trial mount finds an error before the first job.
        mount_box(config)?;
        libc::umount2(BOX, libc::MNT_DETACH);
        copy_executable(config.executable)
    }
}

// The C library's functions for these calls address all threads of the process and would wait for threads that do not exist after
// the fork, so the calls are made directly.

unsafe fn set_groups_to_none() -> bool {
    // SAFETY: an empty list.
    unsafe { libc::syscall(libc::SYS_setgroups, 0usize, std::ptr::null::<u32>()) == 0 }
}

unsafe fn set_ids(id: u32) -> bool {
    // SAFETY: concerns this process only.
    unsafe {
        libc::syscall(libc::SYS_setresgid, id, id, id) == 0
            && libc::syscall(libc::SYS_setresuid, id, id, id) == 0
    }
}

/// Closes every descriptor except `kept`, which is ascending.
unsafe fn close_all_but(kept: &[c_int]) {
    let mut first = 0u32;
    for &fd in kept {
        let fd = fd as u32;
        if fd > first {
            // SAFETY: descriptors of this process; those that are used stay.
            unsafe { libc::syscall(libc::SYS_close_range, first, fd - 1, 0u32) };
        }
        first = fd + 1;
    }
    // SAFETY: as above.
    unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0u32) };
}

/// Makes an empty file system the root and removes the host's from this mount namespace.
unsafe fn enter_base() -> Step {
    let flags: c_ulong = libc::MS_NOSUID | libc::MS_NODEV;
    let options = c"mode=0755,nr_inodes=64,size=512m".as_ptr();
    // SAFETY: mounts in this process's own mount namespace.
    unsafe {
        let mut base: *const c_char = BASE.as_ptr().cast();
        if libc::mount(TMPFS, base, TMPFS, flags, options.cast()) != 0 {
            base = BASE_FALLBACK.as_ptr().cast();
            let mounted = libc::mount(TMPFS, base, TMPFS, flags, options.cast()) == 0;
            must(mounted, step("mount the base file system"))?;
        }
        must(libc::chdir(base) == 0, step("enter the base file system"))?;
        let dot = c".".as_ptr();
        if libc::syscall(libc::SYS_pivot_root, dot, dot) == 0 {
            // The old root is now stacked on the new one; it is removed with everything below it.
            must(libc::umount2(dot, libc::MNT_DETACH) == 0, step("leave the old file system"))?;
        } else {
            // On an initial ramdisk `pivot_root` fails; moving the mount onto the root does the same.
            let moved = libc::mount(dot, c"/".as_ptr(), std::ptr::null(), libc::MS_MOVE, std::ptr::null())
                == 0
                && libc::chroot(dot) == 0;
            must(moved, step("leave the old file system"))?;
        }
        must(libc::chdir(c"/".as_ptr()) == 0, step("enter the base file system"))?;
        libc::umask(0);
        must(libc::mkdir(BOX, 0o755) == 0, step("mount the program's file system"))
    }
}

/// Copies the executable, so that neither its permissions nor a later rebuild matter.
unsafe fn copy_executable(from: c_int) -> Result<c_int, u32> {
    const FAILED: u32 = step("copy the executable");
    // SAFETY: writes into a file just made in the base file system.
    unsafe {
        let to =
            libc::open(EXECUTABLE, libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY | libc::O_CLOEXEC, 0o555);
        must(to >= 0, FAILED)?;
        let copied = copy(from, to);
        libc::close(to);
        libc::close(from);
        must(copied, FAILED)?;
        let executable = libc::open(EXECUTABLE, libc::O_RDONLY | libc::O_CLOEXEC);
        must(executable >= 0, FAILED)?;
        Ok(executable)
    }
}

/// Copies a whole file; returns false on failure.
unsafe fn copy(from: c_int, to: c_int) -> bool {
    let mut offset: libc::off_t = 0;
    loop {
        // SAFETY: reads and writes files of this process; the offset is its own.
        match unsafe { libc::sendfile(to, from, &raw mut offset, 1 << 30) } {
            0 => return true,
            copied if copied < 0 => return false,
            _ => {}
        }
    }
}

/// Mounts an empty root for the next job.
unsafe fn mount_box(config: &Config) -> Step {
    let flags = libc::MS_NOSUID | libc::MS_NODEV;
    // SAFETY: the options are NUL-terminated; a mount in this process's own mount namespace.
    let mounted = unsafe { libc::mount(TMPFS, BOX, TMPFS, flags, config.mount_options.cast()) == 0 };
    must(mounted, step("mount the program's file system"))
}

/// Waits for a job; returns its three standard streams, or `None` if the replayer is gone.
unsafe fn receive(control: c_int) -> Option<[c_int; 3]> {
    #[repr(C, align(8))]
    struct Ancillary([u8; 64]);
    loop {
        let mut command = 0u8;
        let mut ancillary = Ancillary([0; 64]);
        let mut vector = libc::iovec { iov_base: (&raw mut command).cast(), iov_len: 1 };
        // SAFETY: the message points to live buffers of the lengths given; the header the kernel filled in is
        // read with the macros made for it.
        unsafe {
            let mut message = std::mem::zeroed::<libc::msghdr>();
            message.msg_iov = &raw mut vector;
            message.msg_iovlen = 1;
            message.msg_control = (&raw mut ancillary).cast();
            message.msg_controllen = 64;
            let received = libc::recvmsg(control, &raw mut message, libc::MSG_CMSG_CLOEXEC);
            if received < 0 && *libc::__errno_location() == libc::EINTR {
                continue;
            }
            if received != 1 {
                return None;
            }
            if command != RUN {
                continue;
            }
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            if header.is_null() || (*header).cmsg_type != libc::SCM_RIGHTS {
                return None;
            }
            return Some(libc::CMSG_DATA(header).cast::<[c_int; 3]>().read_unaligned());
        }
    }
}

/// Runs one job to its end and kills all of its processes; returns the program's status.
unsafe fn run(config: &Config, executable: c_int, streams: &[c_int; 3]) -> Result<c_int, u32> {
    // SAFETY: see the functions called; the child never returns.
    unsafe {
        if !config.closed {
            make_files(config)?;
            make_programs(config)?;
        }
        let mut pidfd: c_int = -1;
        let family = !config.closed && (*config.shared).several.load(Ordering::SeqCst);
        let pid =
            if family { fork_family(&raw mut pidfd) } else { fork_program(&raw mut pidfd, config.closed) };
        must(pid >= 0, step("start a process"))?;
        if pid == 0 && family {
            be_init(config, executable, streams);
        }
        if pid == 0 {
            let failed = become_program(config, executable, streams);
            note(config.shared, failed);
            libc::_exit(127);
        }
        await_end(config.control, pidfd);
        libc::close(pidfd);
        if config.closed || libc::getpid() != 1 {
            // The program cannot have started others.
            libc::kill(pid, libc::SIGKILL);
        } else {
            // All processes of the namespace but this one. The kernel holds the list of processes still
            // meanwhile, and a process with a signal pending cannot fork, so none escapes.
            libc::kill(-1, libc::SIGKILL);
        }
        let mut status = 0;
        loop {
            let mut other = 0;
            let ended = libc::waitpid(-1, &raw mut other, libc::__WALL);
            if ended == pid {
                status = if family { (*config.shared).status.load(Ordering::SeqCst) } else { other };
            }
            if ended < 0 && *libc::__errno_location() != libc::EINTR {
                return Ok(status);
            }
        }
    }
}

/// Forks the init process of a new namespace of process ids, so that the program and its children have the ids that the model
/// gives them.
unsafe fn fork_family(pidfd: *mut c_int) -> c_int {
    let flags = (libc::CLONE_NEWPID | libc::CLONE_PIDFD | libc::SIGCHLD) as c_ulong;
    // SAFETY: clone without a stack or shared memory is fork.
    unsafe { libc::syscall(libc::SYS_clone, flags, 0, pidfd, 0, 0, 0) as c_int }
}

/// The main function of that init process: it starts the program, and waits for it and for the processes that it leaves behind.
/// It stores the program's status in the shared memory.
unsafe fn be_init(config: &Config, executable: c_int, streams: &[c_int; 3]) -> ! {
    // SAFETY: see the functions called; the child never returns.
    unsafe {
        let pid = libc::syscall(libc::SYS_clone, libc::SIGCHLD as c_ulong, 0, 0, 0, 0, 0) as c_int;
        if pid <= 0 {
            let failed =
                if pid == 0 { become_program(config, executable, streams) } else { step("start a process") };
            note(config.shared, failed);
            libc::_exit(127);
        }
        for fd in streams {
            libc::close(*fd);
        }
        loop {
            let mut status = 0;
            let ended = libc::waitpid(-1, &raw mut status, libc::__WALL);
            if ended == pid {
                (*config.shared).status.store(status, Ordering::SeqCst);
                (*config.shared).ended.store(true, Ordering::SeqCst);
            }
            if ended < 0 && *libc::__errno_location() != libc::EINTR {
                libc::_exit(0);
            }
        }
    }
}

/// Forks with a descriptor to wait on. In a namespace the process id is always the same, if the kernel allows to choose it.
unsafe fn fork_program(pidfd: *mut c_int, closed: bool) -> c_int {
    // SAFETY: clone3 without a stack or shared memory is fork.
    unsafe {
        let wanted = PROGRAM_PID;
        let mut args = std::mem::zeroed::<libc::clone_args>();
        args.flags = libc::CLONE_PIDFD as u64;
        args.pidfd = pidfd as u64;
        args.exit_signal = libc::SIGCHLD as u64;
        args.set_tid = (&raw const wanted) as u64;
        args.set_tid_size = 1;
        let size = size_of::<libc::clone_args>();
        if !closed {
            let pid = libc::syscall(libc::SYS_clone3, &raw const args, size);
            if pid >= 0 {
                return pid as c_int;
            }
        }
        // Containers refuse clone3, because a filter cannot read its flags.
        let flags = (libc::CLONE_PIDFD | libc::SIGCHLD) as c_ulong;
        libc::syscall(libc::SYS_clone, flags, 0, pidfd, 0, 0, 0) as c_int
    }
}

/// Waits until the program has ended, the replayer sends a message, or the replayer is gone.
unsafe fn await_end(control: c_int, pidfd: c_int) {
    let mut fds = [
        libc::pollfd { fd: pidfd, events: libc::POLLIN, revents: 0 },
        libc::pollfd { fd: control, events: libc::POLLIN, revents: 0 },
    ];
    loop {
        // SAFETY: an array of two, as said.
        let ready = unsafe { libc::poll(fds.as_mut_ptr(), 2, -1) };
        if ready > 0 && fds.iter().any(|fd| fd.revents != 0) {
            return;
        }
    }
}

unsafe fn make_files(config: &Config) -> Step {
    const FAILED: u32 = step("make the test's files");
    // SAFETY: the header's pointers are set by the replayer to valid entries inside the shared memory.
    unsafe {
        must(libc::chdir(BOX) == 0, FAILED)?;
        let mut made = Ok(());
        for i in 0..(*config.shared).file_count {
            made = made.and(make_file(&*(*config.shared).files.add(i), config.drop_to_id));
        }
        // Directories get their permissions last, because these may forbid writing.
        for i in (0..(*config.shared).file_count).rev() {
            let entry = &*(*config.shared).files.add(i);
            if made.is_ok() && entry.mode & libc::S_IFMT == libc::S_IFDIR {
                made = must(libc::chmod(entry.path, entry.mode & 0o7777) == 0, FAILED);
            }
        }
        libc::chdir(c"/".as_ptr());
        made
    }
}

/// Makes the files of programs that can be executed, each with a copy of its executable, and the folders above them.
unsafe fn make_programs(config: &Config) -> Step {
    const FAILED: u32 = step("make the files of its programs");
    // SAFETY: the replayer gives `program_count` entries with NUL-terminated paths.
    unsafe {
        must(libc::chdir(BOX) == 0, FAILED)?;
        let mut made = true;
        for i in 0..config.program_count {
            made = made && make_program(&*config.programs.add(i), config.drop_to_id);
        }
        libc::chdir(c"/".as_ptr());
        must(made, FAILED)
    }
}

unsafe fn make_program(entry: &ProgramEntry, owner: Option<u32>) -> bool {
    const FOLDER: libc::mode_t = cleave_linux::world::FOLDER_MODE;
    const FILE: libc::mode_t = cleave_linux::world::PROGRAM_MODE;
    // SAFETY: as in `make_programs`.
    unsafe {
        let mut made = if entry.executable < 0 {
            libc::mkdir(entry.path, FOLDER) == 0
        } else {
            let flags = libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY | libc::O_CLOEXEC;
            let to = libc::open(entry.path, flags, FILE);
            let copied = to >= 0 && copy(entry.executable, to);
            libc::close(to);
            copied
        };
        if let Some(id) = owner {
            made = made && libc::chown(entry.path, id, id) == 0;
        }
        made
    }
}

unsafe fn make_file(entry: &FileEntry, owner: Option<u32>) -> Step {
    const FAILED: u32 = step("make the test's files");
    // SAFETY: as in `make_files`; the data has `len` bytes.
    unsafe {
        let (kind, mode) = (entry.mode & libc::S_IFMT, entry.mode & 0o7777);
        if kind == libc::S_IFLNK {
            must(libc::symlink(entry.data.cast(), entry.path) == 0, FAILED)?;
        }
        if kind == libc::S_IFDIR {
            must(libc::mkdir(entry.path, 0o755) == 0, FAILED)?;
        }
        if kind != libc::S_IFREG {
            let kept = owner.is_none_or(|id| libc::lchown(entry.path, id, id) == 0);
            return must(kept, FAILED);
        }
        let fd =
            libc::open(entry.path, libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY | libc::O_CLOEXEC, mode);
        must(fd >= 0, FAILED)?;
        let mut done = 0;
        while done < entry.len {
            let written = libc::write(fd, entry.data.add(done).cast(), entry.len - done);
            if written <= 0 {
                libc::close(fd);
                return Err(FAILED);
            }
            done += written as usize;
        }
        if let Some(id) = owner {
            libc::fchown(fd, id, id);
        }
        libc::fchmod(fd, mode);
        libc::close(fd);
        Ok(())
    }
}

/// Runs in the forked child up to the program's first instruction. Returns only on failure, with the failed step.
unsafe fn become_program(config: &Config, executable: c_int, streams: &[c_int; 3]) -> u32 {
    // SAFETY: concerns this process only, which is about to become another program.
    unsafe {
        match restrict(config, executable, streams) {
            Ok(fd) => {
                let (argv, envp) = ((*config.shared).argv, (*config.shared).envp);
                libc::syscall(libc::SYS_execveat, fd, c"".as_ptr(), argv, envp, libc::AT_EMPTY_PATH);
                step("execute the program")
            }
            Err(failed) => failed,
        }
    }
}

/// Sets streams, root, limits, identity, privileges and filter, in this order; returns the executable's new descriptor.
unsafe fn restrict(config: &Config, executable: c_int, streams: &[c_int; 3]) -> Result<c_int, u32> {
    const STREAMS: u32 = step("prepare standard streams");
    // SAFETY: concerns this process only.
    unsafe {
        must(libc::setsid() >= 0, step("make the session"))?;
        // The streams are duplicated to high numbers first, because the received descriptors may themselves be 0, 1 or 2.
        let (mut high, mut kept) = ([0; 3], [0; 2]);
        for (high, &fd) in high.iter_mut().zip(streams) {
            *high = libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 30);
            must(*high >= 0, STREAMS)?;
        }
        for (fd, place) in [(executable, EXECUTABLE_FD), (config.control, CONTROL_FD)] {
            let high = libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 30);
            must(high >= 0, STREAMS)?;
            kept[(place - EXECUTABLE_FD) as usize] = high;
        }
        for (place, &fd) in (EXECUTABLE_FD..).zip(&kept) {
            must(libc::dup3(fd, place, libc::O_CLOEXEC) >= 0, STREAMS)?;
        }
        for (target, &fd) in (0..).zip(&high) {
            must(libc::dup2(fd, target) >= 0, STREAMS)?;
        }
        let closed = libc::syscall(libc::SYS_close_range, 3u32, EXECUTABLE_FD as u32 - 1, 0u32) == 0
            && libc::syscall(libc::SYS_close_range, CONTROL_FD as u32 + 1, u32::MAX, 0u32) == 0;
        must(closed, step("close other files"))?;
        if !config.closed {
            let entered = libc::chroot(BOX) == 0 && libc::chdir(c"/".as_ptr()) == 0;
            must(entered, step("enter the program's file system"))?;
        }
        libc::umask(0o022);
        if !(*config.shared).elsewhere.load(Ordering::SeqCst) {
            // The same addresses in each run give faulty programs the same behaviour.
            libc::personality(libc::ADDR_NO_RANDOMIZE as c_ulong);
        }
        // In a user namespace the helper and the init process of a family count against the program's limit; the model does not
        // count them.
        let several = (*config.shared).several.load(Ordering::SeqCst);
        let own = if several && config.inner_id.is_some() { 2 } else { 0 };
        set_limits(&Limits { processes: config.limits.processes + own, ..config.limits })?;
        give_up_privileges(config)?;
        if config.closed {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        }
        let with_world = (*config.shared).with_world.load(Ordering::SeqCst);
        let filter = match (with_world, several) {
            (false, _) => config.plain,
            (true, false) => config.world,
            (true, true) => config.family,
        };
        let listener = (*filter).install();
        must(listener >= 0, step("filter system calls"))?;
        must(!with_world || send_listener(listener), step("hand over its system calls"))?;
        Ok(EXECUTABLE_FD)
    }
}

/// Sends the listener to the replayer by one call, which the filter allows.
unsafe fn send_listener(listener: c_int) -> bool {
    #[repr(C, align(8))]
    struct Ancillary([u8; 64]);
    let mut text = LISTENER;
    let mut ancillary = Ancillary([0; 64]);
    let mut vector = libc::iovec { iov_base: (&raw mut text).cast(), iov_len: 1 };
    // SAFETY: the message points to live buffers; one descriptor takes less than 64 bytes with its header.
    unsafe {
        let mut message = std::mem::zeroed::<libc::msghdr>();
        message.msg_iov = &raw mut vector;
        message.msg_iovlen = 1;
        message.msg_control = (&raw mut ancillary).cast();
        message.msg_controllen = libc::CMSG_SPACE(size_of::<c_int>() as u32) as usize;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<c_int>() as u32) as usize;
        libc::CMSG_DATA(header).cast::<c_int>().write_unaligned(listener);
        libc::sendmsg(CONTROL_FD, &raw const message, libc::MSG_NOSIGNAL) == 1
    }
}

/// Sets resource limits of the calling process and its future children; a limit that is already lower stays.
pub(crate) fn set_limits(limits: &Limits) -> Step {
    let set = |resource, soft: u64, hard: u64, failed: u32| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: writes and reads one struct.
        unsafe {
            must(libc::getrlimit(resource, &raw mut limit) == 0, failed)?;
            limit.rlim_max = hard.min(limit.rlim_max);
            limit.rlim_cur = soft.min(limit.rlim_max);
            must(libc::setrlimit(resource, &raw const limit) == 0, failed)
        }
    };
    set(libc::RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1, step("limit processor time"))?;
    set(libc::RLIMIT_AS, limits.address_space, limits.address_space, step("limit memory"))?;
    // With huge pages, the first used byte of a large area would take 2 MiB. A kernel without them refuses the call; no harm.
    // SAFETY: concerns this process and its children only.
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    // The limit is 1, because 0 would not prevent the start of a handler of core files.
    set(libc::RLIMIT_CORE, 1, 1, step("limit memory"))?;
    set(libc::RLIMIT_MEMLOCK, 0, 0, step("limit memory"))?;
    set(libc::RLIMIT_NPROC, limits.processes, limits.processes, step("limit processes"))?;
    set(libc::RLIMIT_FSIZE, limits.disk, limits.disk, step("limit file size"))?;
    set(libc::RLIMIT_NOFILE, limits.open_files, limits.open_files, step("limit open files"))
}

/// Drops all privileges, and the means to gain any.
unsafe fn give_up_privileges(config: &Config) -> Step {
    const FAILED: u32 = step("give up privileges");
    #[repr(C)]
    struct CapabilityHeader {
        version: u32,
        pid: c_int,
    }
    // SAFETY: concerns this process only; the capability structs have the layout of version 3.
    unsafe {
        if let Some(id) = config.drop_to_id {
            must(set_groups_to_none() && set_ids(id), FAILED)?;
        }
        must(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, FAILED)?;
        let header = CapabilityHeader { version: 0x2008_0522, pid: 0 };
        let nothing = [0u32; 6];
        must(libc::syscall(libc::SYS_capset, &raw const header, nothing.as_ptr()) == 0, FAILED)
    }
}
