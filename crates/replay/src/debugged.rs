//! Starts a program under a debugger, in place of this process, optionally isolated from the machine. Called by `cleave native`,
//! the wrapper through which gdb starts programs.
//!
//! The debugger traces the program, so the model cannot answer its system calls: the program sees this machine's clocks and ids.
#![allow(unsafe_code)]

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use cleave_linux::world;

use crate::{Error, Job, TEST_VARIABLE, isolation::request};

/// A test laid out on disk for a run under a debugger.
pub struct Laid {
    folder: tempfile::TempDir,
}

impl Laid {
    /// Makes the files of a job.
    ///
    /// # Errors
    /// If they cannot be made.
    pub fn out(job: &Job) -> Result<Laid, Error> {
        let system = |source| Error::System { step: "make the test's files", source };
        let folder = tempfile::tempdir().map_err(system)?;
        let laid = Laid { folder };
        std::fs::create_dir(laid.working_directory()).map_err(system)?;
        for (name, _) in &job.files {
            request::check_file_name(name)?;
        }
        crate::isolation::laid::lay_out(job, &laid.working_directory()).map_err(system)?;
        std::fs::write(laid.stdin(), &job.stdin).map_err(system)?;
        if let Some(ktest) = &job.ktest {
            std::fs::write(laid.ktest(), ktest).map_err(system)?;
        }
        Ok(laid)
    }

    /// The folder that contains all of these files. Dropping this value removes it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The program's working directory.
    pub fn working_directory(&self) -> PathBuf {
        self.folder.path().join("box")
    }

    /// The file with the program's standard input.
    pub fn stdin(&self) -> PathBuf {
        self.folder.path().join("stdin")
    }

    /// The test, for the program's own symbolic objects, if it has some.
    pub fn ktest(&self) -> PathBuf {
        self.folder.path().join("test.ktest")
    }
}

/// A program to start under a debugger.
pub struct Start<'a> {
    /// The executable.
    pub executable: &'a Path,
    /// Its arguments, the program's own name first.
    pub argv: &'a [Vec<u8>],
    /// Its environment variables; there are no others.
    pub env: &'a [(Vec<u8>, Vec<u8>)],
    /// The file with its standard input.
    pub stdin: &'a Path,
    /// Its working directory.
    pub directory: &'a Path,
    /// The test, for its own symbolic objects.
    pub ktest: Option<&'a Path>,
    /// True if the program may write only to its working directory and has no network.
    pub isolated: bool,
}

/// Executes the program in this process; returns only on failure.
pub fn become_program(start: &Start<'_>) -> Error {
    if start.isolated
        && let Err((step, source)) = isolate(start.directory)
    {
        return Error::NoIsolation { reason: format!("cannot {step}: {source}") };
    }
    let stdin = match std::fs::File::open(start.stdin) {
        Ok(file) => file,
        Err(source) => return Error::System { step: "open its standard input", source },
    };
    let mut command = Command::new(start.executable);
    if let Some((name, arguments)) = start.argv.split_first() {
        command.arg0(OsStr::from_bytes(name)).args(arguments.iter().map(|a| OsStr::from_bytes(a)));
    }
    let text = |(name, value): &(Vec<u8>, Vec<u8>)| {
        (OsStr::from_bytes(name).to_owned(), OsStr::from_bytes(value).to_owned())
    };
    command.env_clear().envs(start.env.iter().map(text)).stdin(stdin).current_dir(start.directory);
    if let Some(ktest) = start.ktest {
        command.env(TEST_VARIABLE, ktest);
    }
    Error::NotStarted { step: "execute the program", source: command.exec() }
}

type Step = Result<(), (&'static str, std::io::Error)>;

fn done(what: &'static str, result: i64) -> Step {
    if result >= 0 { Ok(()) } else { Err((what, std::io::Error::last_os_error())) }
}

/// Puts this process into new namespaces: no network, and all files read-only except those in `writable`.
fn isolate(writable: &Path) -> Step {
    #[repr(C)]
    struct MountAttributes {
        set: u64,
        clear: u64,
        propagation: u64,
        user_namespace: u64,
    }
    const READ_ONLY: u64 = 1;
    let folder = CString::new(writable.as_os_str().as_bytes()).unwrap_or_default();
    // SAFETY: these have no preconditions.
    let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
    let spaces = libc::CLONE_NEWUSER
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWNET
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS;
    // SAFETY: concerns this process only, which has one thread.
    done("make namespaces", unsafe { libc::unshare(spaces) }.into())?;
    let id = world::UID;
    let maps = [
        ("setgroups", "deny".into()),
        ("uid_map", format!("{id} {uid} 1")),
        ("gid_map", format!("{id} {gid} 1")),
    ];
    for (file, text) in maps {
        std::fs::write(format!("/proc/self/{file}"), text).map_err(|e| ("map a user", e))?;
    }
    let set = |path: &CString, flags: i32, set: u64, clear: u64| {
        let attributes = MountAttributes { set, clear, propagation: 0, user_namespace: 0 };
        let size = size_of::<MountAttributes>();
        // SAFETY: the path ends with a NUL; the structure has the layout and size that the call expects.
        unsafe {
            libc::syscall(
                libc::SYS_mount_setattr,
                libc::AT_FDCWD,
                path.as_ptr(),
                flags,
                &raw const attributes,
                size,
            )
        }
    };
    let (root, none) = (c"/".to_owned(), std::ptr::null());
    // SAFETY: paths end with a NUL; mounts in this process's own namespace.
    unsafe {
        let private = libc::mount(none, root.as_ptr(), none, libc::MS_REC | libc::MS_PRIVATE, none.cast());
        done("part with the machine's mounts", private.into())?;
        let bound = libc::mount(folder.as_ptr(), folder.as_ptr(), none, libc::MS_BIND, none.cast());
        done("mount the working directory", bound.into())?;
    }
    done("protect files from being written", set(&root, libc::AT_RECURSIVE, READ_ONLY, 0))?;
    done("let the working directory be written", set(&folder, 0, 0, READ_ONLY))
}

/// Runs a debugger in the foreground: an interrupt from the keyboard reaches only the debugger.
///
/// # Errors
/// If it cannot be started.
pub fn in_foreground(mut debugger: Command) -> std::io::Result<ExitStatus> {
    // SAFETY: sets what this process and, before it becomes the debugger, its child do on SIGINT.
    unsafe {
        let before = libc::signal(libc::SIGINT, libc::SIG_IGN);
        debugger.pre_exec(|| {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            Ok(())
        });
        let status = debugger.status();
        libc::signal(libc::SIGINT, before);
        status
    }
}
