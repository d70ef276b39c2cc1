//! Runs native executables on tests in isolation, and compares the observed with the foretold behaviour.
//!
//! Generated arguments run real programs (think of `rm`), so a program runs as an unprivileged user in a root
//! of its own: new user, mount, process, network, IPC and host-name namespaces; an empty file system in memory
//! of limited size; no network; no capabilities, no way to gain any, and the system calls that configure a
//! machine refused; limits on time, memory, processes, files and output. If the machine allows no such isolation,
//! [`Replayer::sandboxed`] returns an error, and [`Wanted::Best`] lets the model of the kernel answer the program's system
//! calls, so that none reaches the machine.
//!
//! A program that gets its standard input as a file finds the model's world: its clocks, ids, machine, random
//! numbers, inode numbers and times of files are those of crate `linux` (see `answers/answering.rs`).
//!
//! One [`Replayer`] holds one long-lived helper process, the init process of its namespaces, that runs one test
//! at a time; for more at once make more of them, as [`replay_all`] does.
//!
//! ```no_run
//! use cleave_replay::{Job, Limits, Replayer};
//! let mut replayer = Replayer::sandboxed("./echo".as_ref(), Limits::default())?;
//! let seen = replayer.run(&Job { argv: vec![b"echo".to_vec(), b"hi".to_vec()], ..Job::default() })?;
//! assert_eq!(seen.stdout, b"hi\n");
//! # Ok::<(), cleave_replay::Error>(())
//! ```

mod answers; // answers to a native program's system calls in the kernel's place, so that it sees the model's world
mod debugged; // a program under a debugger, in place of this process
mod elf; // the head of an executable
mod isolation; // runs of a program apart from the machine, or with limits only
mod programs; // programs that the program under test can execute
mod replayer; // a replayer of one executable
mod verdict; // the native run compared with the forecast

pub use answers::order::{Order, Turns};
pub use debugged::{Laid, Start, become_program, in_foreground};
pub use programs::NativeProgram;
pub use replayer::{Replayer, replay_all};
pub use verdict::{Fault, Foretold, Verdict, compare, sha256};

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use cleave_linux::env::Connection;
use cleave_linux::{Attributes, Failures, TreeEntry, world};

/// Name of the environment variable that holds the path of the test's file for the native runtime.
pub const TEST_VARIABLE: &str = "CLEAVE_TEST";

/// Resource limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time; after it every process of the run is killed. Default is 10 s.
    pub wall: Duration,
    /// Processor time of each process, in seconds. Default is 10.
    pub cpu_seconds: u64,
    /// Memory in use by each process, in bytes; reserved memory does not count. Default is 256 MiB.
    pub memory: u64,
    /// Address space of each process, in bytes. Default is the model's. If the kernel does not list child processes, their memory
    /// in use cannot be measured, and this limit is [`Limits::memory`] at most.
    pub address_space: u64,
    /// Processes at once. Default is 16.
    pub processes: u64,
    /// Open files of each process. Default is 64.
    pub open_files: u64,
    /// The file system that holds all files of the run, in bytes; also the size of the largest file.
    /// Default is 16 MiB.
    pub disk: u64,
    /// Bytes of standard output kept; a run that writes more is stopped. The same holds for standard error.
    /// Default is 1 MiB.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            wall: Duration::from_secs(10),
            cpu_seconds: 10,
            memory: world::USED_MEMORY,
            address_space: world::LIMIT_ADDRESS_SPACE,
            processes: 16,
            open_files: 64,
            disk: 16 << 20,
            output: 1 << 20,
        }
    }
}

/// Kind of file behind standard input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StdinKind {
    /// A pipe: cannot be positioned.
    #[default]
    Pipe,
    /// A regular file, read-only, positioned at its start.
    File,
}

/// One run of the executable: a test with its environment spelt out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// Arguments, the program's own name first. No argument contains a NUL.
    pub argv: Vec<Vec<u8>>,
    /// Environment variables, name and value. There are no others.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// Everything standard input holds.
    pub stdin: Vec<u8>,
    /// Kind of file behind standard input.
    pub stdin_kind: StdinKind,
    /// Files in the working directory, name and contents; the names have no `/`.
    pub files: Vec<(String, Vec<u8>)>,
    /// Access that each of these files refuses: bit 0 reading, bit 1 writing. Empty if no file refuses any.
    pub refused: Vec<u8>,
    /// Owner, mode and times of each of these files. May be empty.
    pub attributes: Vec<Attributes>,
    /// Other entries of the file system; directories come before their contents.
    pub tree: Vec<TreeEntry>,
    /// Data sent by peers that connect to the program.
    pub connections: Vec<Connection>,
    /// The standard streams that are a terminal: bit 0 for standard input, then output and error.
    pub terminal: u8,
    /// Outcomes, in order, of the system calls that may fail ([`cleave_linux::Kernel::failures`]), read by [`Failures::chosen`].
    /// Calls after the last entry do not fail.
    pub failing: Vec<u8>,
    /// The policy that says which calls may fail, and with which errors.
    pub failures: Failures,
    /// For each read or write that would move more than one byte, in order: true if it moves one. Calls after the last entry move
    /// all bytes.
    pub short: Vec<bool>,
    /// The foretold order of threads. Without it the model's order holds: a thread runs until it waits.
    pub turns: Option<Turns>,
    /// The test in KLEE's format, for the program's own symbolic objects. It is put into a hidden file whose
    /// path [`TEST_VARIABLE`] gives; without it there is neither the file nor the variable.
    pub ktest: Option<Vec<u8>>,
    /// Puts stack and heap at random addresses, if the machine does so; else they have the same addresses in each run.
    pub elsewhere: bool,
}

impl Job {
    /// Returns true if the test makes system calls fail, files refuse access, or calls move fewer bytes.
    pub fn calls_differ(&self) -> bool {
        self.failing.iter().chain(&self.refused).any(|&byte| byte != 0) || self.short.contains(&true)
    }

    /// Returns true if the job needs system calls or files that differ from the machine's: calls that fail or move fewer bytes,
    /// other attributes of files, other entries of the file system, peers, or a terminal. Only a sandbox provides them.
    pub fn needs_sandbox(&self) -> bool {
        self.calls_differ()
            || !self.attributes.iter().all(Attributes::is_own)
            || !self.tree.is_empty()
            || !self.connections.is_empty()
            || self.terminal != 0
    }
}

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The program ended with this exit status, 0 to 255.
    Exited(i32),
    /// A signal of this number killed it.
    Signaled(i32),
    /// It used up its wall-clock or processor time.
    TimedOut,
    /// It wrote more than [`Limits::output`].
    OutputLimit,
    /// It used more memory than [`Limits::memory`].
    MemoryLimit,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Exited(status) => write!(f, "exit status {status}"),
            End::Signaled(signal) => {
                write!(f, "killed by signal {signal} ({})", verdict::signal_name(*signal))
            }
            End::TimedOut => f.write_str("out of time"),
            End::OutputLimit => f.write_str("too much output"),
            End::MemoryLimit => f.write_str("too much memory (see --max-memory)"),
        }
    }
}

/// Observed behaviour of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The end of the program.
    pub end: End,
    /// Its standard output, at most [`Limits::output`] bytes.
    pub stdout: Vec<u8>,
    /// Its standard error, at most [`Limits::output`] bytes.
    pub stderr: Vec<u8>,
    /// Signals that ended processes of the program as an effect of their own calls or faults. Known only if there were several
    /// processes.
    pub killed: BTreeSet<i32>,
    /// Comparison of the order of threads with the foretold one.
    pub order: Order,
}

/// Isolation requested for a replayer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Namespaces, or an error.
    Full,
    /// Namespaces if the machine allows them, else [`Isolation::Model`].
    #[default]
    Best,
    /// None.
    None,
}

/// Isolation of programs from the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Namespaces under a user namespace: no privilege of the host is involved.
    UserNamespace,
    /// Namespaces made by root, and an unprivileged user inside.
    RootNamespaces,
    /// No namespaces, but no access to the machine either: the kernel executes only calls on the program's own memory and its
    /// own signals, and the model answers all others.
    Model,
    /// None at all but resource limits and a temporary working directory.
    None,
}

/// Reason for which a run or its isolation failed. A program that misbehaves is no error but an [`End`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The executable cannot be read.
    #[error("cannot read the executable {path}: {source}; give the native executable that `cleave cc` made")]
    Executable {
        /// The executable.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file exists, but it is no static executable for this machine.
    #[error("{path} cannot be replayed: {reason}; compile the program with `cleave cc`")]
    NotNative {
        /// The executable.
        path: PathBuf,
        /// The defect of the file.
        reason: &'static str,
    },
    /// This machine allows no isolation, so nothing was run.
    #[error(
        "tests are not run natively because the program cannot be isolated here ({reason}); allow unprivileged \
         user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone), or run as root, or, \
         if the program is harmless on any arguments, give --no-sandbox"
    )]
    NoIsolation {
        /// The step that failed, and the system's error.
        reason: String,
    },
    /// The job cannot be given to a program.
    #[error("the test cannot be run natively: {0}")]
    BadJob(String),
    /// The program makes processes or threads, and there are no namespaces.
    #[error(
        "the program makes processes or threads, which run natively only in namespaces; allow unprivileged user namespaces \
         (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone), or run as root"
    )]
    Processes,
    /// The program did not start inside its sandbox.
    #[error("the program did not start in its sandbox: cannot {step}: {source}")]
    NotStarted {
        /// The step that failed.
        step: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
    /// The helper process ended unexpectedly.
    #[error("the sandbox's helper process ended unexpectedly (out of memory?); run the replay again")]
    Lost,
    /// A system call of the replayer itself failed.
    #[error("cannot {step}: {source}")]
    System {
        /// The step that failed.
        step: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
}

impl Error {
    /// The error of the system call just made while doing `step`.
    fn last(step: &'static str) -> Self {
        Error::System { step, source: std::io::Error::last_os_error() }
    }
}
