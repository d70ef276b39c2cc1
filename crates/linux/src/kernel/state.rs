//! The kernel's state, and a call on it: what it looks at, and the time.

use std::rc::Rc;
use std::sync::Arc;

use cleave_memory::Byte;

use crate::env::spec::{EnvSpec, FilesSpec, StdinSpec};
use crate::env::world;
use crate::files::descriptions::{FileTable, O_PATH, OpenFile};
use crate::files::fs::Fs;
use crate::files::inode::{Ino, Inode, Time};
use crate::files::locks::Locks;
use crate::files::terminal::Terminal;
use crate::files::tree::TreeEntry;
use crate::kernel::errno::{CallResult, EBADF, Fail};
use crate::kernel::guest::Guest;
use crate::processes::execution::ProgramFile;
use crate::processes::futexes::Waiter;
use crate::processes::parked::Others;
use crate::processes::process::{Descriptor, Process};
use crate::processes::status::AfterCall;
use crate::sockets::ports::Network;
use crate::streams::output::Output;

/// The last moment that there is: seconds since 1970 must not overflow.
pub(crate) const LAST_MOMENT: u64 = 1 << 62;

/// The part of a program's environment that concerns the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelSpec {
    /// Contents of standard input.
    pub stdin: StdinSpec,
    /// The fewest bytes of a symbolic standard input, if their number is an input.
    pub least_stdin: Option<u32>,
    /// Symbolic files in the working directory.
    pub files: Option<FilesSpec>,
    /// The fewest bytes of such a file, if their number is an input.
    pub least_file: Option<u32>,
    /// Rights that these files may refuse: bit 0 to be read, bit 1 to be written.
    pub refusing: u8,
    /// True if the metadata of the symbolic files are inputs.
    pub stat: bool,
    /// Entries of the working directory whose kind is an input.
    pub tree: Option<FilesSpec>,
    /// Other entries that exist at the start.
    pub folders: Arc<Vec<TreeEntry>>,
    /// Peers that connect.
    pub connections: Option<FilesSpec>,
    /// True if the number of bytes that each read from them gives is an input.
    pub segments: bool,
    /// True if it is an input which of the standard streams are a terminal.
    pub terminal: bool,
    /// Programs that can be executed.
    pub programs: Vec<ProgramFile>,
}

impl KernelSpec {
    /// The kernel's part of an environment.
    pub fn of(env: &EnvSpec) -> KernelSpec {
        KernelSpec {
            stdin: env.stdin.clone(),
            least_stdin: env.least_stdin,
            files: env.files,
            least_file: env.least_file,
            refusing: env.refusing,
            stat: env.stat,
            tree: env.tree,
            folders: env.entries.clone(),
            connections: env.connections,
            segments: env.segments,
            terminal: env.terminal,
            programs: env.programs.clone(),
        }
    }
}

/// The state of the kernel: files, streams, process, clock. A part of a state of the program: cloning it copies
/// a few counted references; a changed part is copied when it is changed.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) spec: Rc<KernelSpec>,
    pub(crate) fs: Rc<Fs>,
    /// The open file descriptions of all processes.
    pub(crate) files: Rc<FileTable>,
    /// Threads that wait for futexes.
    pub(crate) futexes: Rc<Vec<Waiter>>,
    /// Locks of parts of files.
    pub(crate) locks: Rc<Locks>,
    /// The terminal, if there is one.
    pub(crate) terminal: Option<Rc<Terminal>>,
    /// State of the network beside the sockets.
    pub(crate) network: Rc<Network>,
    /// The process that runs.
    pub(crate) process: Rc<Process>,
    /// The other processes, once the program has made one.
    pub(crate) others: Option<Rc<Others>>,
    /// Action after the call that has returned.
    pub(crate) after: AfterCall,
    /// Number of pieces of memory that were mapped to be shared.
    pub(crate) shared: u64,
    /// Descriptors that the last call has sent or received.
    pub(crate) handed: Vec<Handed>,
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
    /// An event that watchers of files should hear of, and the model cannot report.
    pub(crate) untold: Option<&'static str>,
    /// Nanoseconds since the start of the path.
    pub(crate) clock: u64,
    /// State of the generator behind `getrandom`.
    pub(crate) random: u64,
    /// Number of calls that asked for the effects of others: see [`Kernel::is_again`].
    pub(crate) asked: u64,
    /// Answers that another machine would not give the program, each once: see [`Kernel::make_up`].
    pub(crate) made_up: Rc<Vec<Rc<str>>>,
}

/// A descriptor that a call has sent through a socket, or received from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handed {
    /// A number of the open file description.
    pub key: u32,
    /// The descriptor, of the process that has made the call.
    pub fd: u64,
    /// It was sent.
    pub sends: bool,
    /// It is closed when its process executes another program.
    pub closes: bool,
}

impl Kernel {
    /// The descriptors that the last call has sent or received.
    pub fn handed(&self) -> &[Handed] {
        &self.handed
    }

    /// Lengths of the program's standard output and standard error: bytes, and one for each number that has no text yet.
    pub fn written(&self) -> (usize, usize) {
        (self.stdout.len(), self.stderr.len())
    }

    /// Notes that the program was given an answer of the model's own, because the system would have done the thing asked for. The
    /// account shows it.
    pub fn make_up(&mut self, what: &str) {
        if !self.made_up.iter().any(|known| **known == *what) {
            Rc::make_mut(&mut self.made_up).push(what.into());
        }
    }

    /// Nanoseconds since the system's start, as the processor counts them. As for a system call that asks, time goes on.
    pub fn look_at_clock(&mut self) -> u64 {
        self.clock = self.later(world::TICK_NANOSECONDS);
        world::UPTIME_SECONDS * 1_000_000_000 + self.clock
    }

    /// The notes of [`Kernel::make_up`], in order.
    pub fn made_up(&self) -> &[Rc<str>] {
        &self.made_up
    }

    /// The program's output to the stream that it was given as standard output; and behind that, its messages to peers outside,
    /// one peer after the other. Each byte has the value that `value` gives it.
    pub fn stdout(&self, mut value: impl FnMut(Byte) -> u8) -> Vec<u8> {
        let mut all = self.stdout.collect(&mut value);
        all.extend(self.sent_outside().into_iter().map(value));
        all
    }

    /// The program's output to the stream that it was given as standard error; see [`Kernel::stdout`].
    pub fn stderr(&self, mut value: impl FnMut(Byte) -> u8) -> Vec<u8> {
        self.stderr.collect(&mut value)
    }

    /// The program's messages to its peers, one after the other.
    pub fn sent_outside(&self) -> Vec<Byte> {
        self.network.sent.values().flat_map(Output::bytes).collect()
    }

    /// The time this number of nanoseconds from now.
    pub(crate) fn later(&self, nanoseconds: u64) -> u64 {
        self.clock.saturating_add(nanoseconds).min(LAST_MOMENT)
    }

    /// The time, without moving it on.
    pub(crate) fn now(&self) -> Time {
        let seconds = world::START_SECONDS + (self.clock / 1_000_000_000) as i64;
        (seconds, (self.clock % 1_000_000_000) as u32)
    }
}

/// One call under way: the kernel, and the program that it serves.
pub(crate) struct Call<'a> {
    pub(crate) kernel: &'a mut Kernel,
    pub(crate) guest: &'a mut dyn Guest,
}

impl Call<'_> {
    pub(crate) fn fs(&self) -> &Fs {
        &self.kernel.fs
    }

    pub(crate) fn fs_mut(&mut self) -> &mut Fs {
        Rc::make_mut(&mut self.kernel.fs)
    }

    pub(crate) fn process(&self) -> &Process {
        &self.kernel.process
    }

    pub(crate) fn process_mut(&mut self) -> &mut Process {
        Rc::make_mut(&mut self.kernel.process)
    }

    /// The open file descriptions of all processes.
    pub(crate) fn files(&self) -> &FileTable {
        &self.kernel.files
    }

    pub(crate) fn files_mut(&mut self) -> &mut FileTable {
        Rc::make_mut(&mut self.kernel.files)
    }

    /// The open file of a descriptor; also one that is only a path.
    pub(crate) fn any_file(&self, fd: i32) -> CallResult<&OpenFile> {
        self.files().get(self.process().key(fd)?)
    }

    /// The open file of a descriptor; not one that is only a path.
    pub(crate) fn file(&self, fd: i32) -> CallResult<&OpenFile> {
        let file = self.any_file(fd)?;
        if file.flags & O_PATH == 0 { Ok(file) } else { Err(Fail::Errno(EBADF)) }
    }

    /// The open file of a descriptor, with a position that is known: a path for each that it can have.
    pub(crate) fn settled_file(&mut self, fd: i32) -> CallResult<OpenFile> {
        let file = self.file(fd)?;
        let Some(far) = file.far else { return Ok(file.clone()) };
        let position = self.guest.value(far)?;
        let file = self.file_mut(fd)?;
        (file.position, file.far) = (position, None);
        Ok(file.clone())
    }

    pub(crate) fn file_mut(&mut self, fd: i32) -> CallResult<&mut OpenFile> {
        let key = self.process().key(fd)?;
        self.files_mut().get_mut(key)
    }

    /// A new open file description that has no descriptor yet: its key.
    pub(crate) fn hold(&mut self, file: OpenFile) -> u32 {
        self.files_mut().add(file)
    }

    /// One more descriptor, at `fd`, which is free, for a file that has one already.
    pub(crate) fn install_again(&mut self, fd: usize, descriptor: Descriptor) {
        self.files_mut().hold(descriptor.file);
        self.process_mut().set(fd, Some(descriptor));
    }

    pub(crate) fn inode(&self, ino: Ino) -> Result<&Inode, Fail> {
        self.kernel.fs.inode(ino)
    }

    pub(crate) fn now(&self) -> Time {
        self.kernel.now()
    }
}
