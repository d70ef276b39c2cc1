//! The kernel's state, and its public interface.

use std::rc::Rc;
use std::sync::Arc;

use cleave_expr::Term;
use cleave_memory::Byte;

use crate::env::spec::{
    Connection, EnvSpec, FilesSpec, STDIN_LENGTH_OBJECT, STDIN_OBJECT, StdinSpec, connection_object,
    file_length_object, file_name, file_object, kind_object, length_object, next_name, refusal_object,
    segments_object, stat_object,
};
use crate::env::world;
use crate::events::watches::{CLOSE_NOWRITE, CLOSE_WRITE};
use crate::files::content::Content;
use crate::files::descriptions::{FileTable, O_PATH, OpenFile};
use crate::files::fs::{Fs, ROOT};
use crate::files::inode::{FileNode, Ino, Inode, Time};
use crate::files::locks::{Locks, Owner};
use crate::files::stat_object::{Attributes, STAT_LEN};
use crate::files::tree::TreeEntry;
use crate::kernel::errno::{CallResult, EBADF, Fail};
use crate::kernel::guest::{Guest, Stop};
use crate::processes::execution::ProgramFile;
use crate::processes::futexes::Waiter;
use crate::processes::parked::Others;
use crate::processes::process::{Descriptor, Process};
use crate::processes::status::AfterCall;
use crate::sockets::ports::{Incoming, Network};
use crate::streams::output::Output;

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
            programs: env.programs.clone(),
        }
    }
}

/// A new input for the length of a file in bytes: a value below the least or above the most means these.
fn size_input(guest: &mut dyn Guest, name: &str, [least, most]: [u32; 2]) -> Term {
    let bytes = guest.input(name, 4);
    let terms = guest.terms();
    let size = Byte::word(terms, &bytes);
    let [least, most] = [least, most].map(|bound| terms.constant_of(32, bound.into()));
    let (small, large) = (terms.ult(size, least), terms.ult(most, size));
    let size = terms.ite(large, most, size);
    let size = terms.ite(small, least, size);
    terms.zext(size, 64)
}

/// The files that a program with known inputs finds.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownFiles<'a> {
    /// Files in the working directory, name and contents.
    pub files: &'a [(String, Vec<u8>)],
    /// Rights that each of them refuses; none if this is shorter.
    pub refused: &'a [u8],
    /// Metadata of each of them; as usual if this is shorter.
    pub attributes: &'a [Attributes],
    /// Other entries, made before the files.
    pub tree: &'a [TreeEntry],
    /// Data of the peers that connect.
    pub connections: &'a [Connection],
}

fn too_many() -> Stop {
    Stop::Unsupported("more files than the file system holds".into())
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

    /// The kernel at the start of a program. Symbolic input and files are not there yet: see
    /// [`Kernel::make_files`].
    pub fn new(spec: &KernelSpec) -> Kernel {
        let stdin = match &spec.stdin {
            StdinSpec::Concrete(bytes) => bytes.iter().map(|&b| Byte::Known(b)).collect(),
            StdinSpec::Empty | StdinSpec::Symbolic(_) => Vec::new(),
        };
        let start = (world::START_SECONDS, 0);
        let mut fs = Fs::new(Content::of(&stdin), start);
        // The reader of the folders has made sure that they fit.
        let made = fs.put_tree(&spec.folders, start);
        debug_assert!(made.is_ok(), "{made:?}");
        Kernel {
            spec: Rc::new(spec.clone()),
            fs: Rc::new(fs),
            files: Rc::new(FileTable::new()),
            futexes: Rc::default(),
            locks: Rc::default(),
            network: Rc::default(),
            process: Rc::new(Process::new()),
            others: None,
            after: AfterCall::Nothing,
            shared: 0,
            handed: Vec::new(),
            untold: None,
            stdout: Output::default(),
            stderr: Output::default(),
            clock: 0,
            random: 0,
            asked: 0,
            made_up: Rc::default(),
        }
    }

    /// Makes the symbolic files and the symbolic standard input, each an input of the program, in KLEE's order
    /// and under its names. To be called once, before the program starts.
    ///
    /// # Errors
    /// None as things are; a [`Stop`] as from any call.
    pub fn make_files(&mut self, guest: &mut dyn Guest) -> Result<(), Stop> {
        let spec = self.spec.clone();
        if let Some(FilesSpec { count, len }) = spec.files {
            for n in 0..count {
                let content = Content::of(&guest.input(&file_object(n), len));
                let size =
                    spec.least_file.map(|least| size_input(guest, &file_length_object(n), [least, len]));
                let refused = match spec.refusing {
                    0 => None,
                    _ => guest.input(&refusal_object(n), 1).first().copied(),
                };
                let ino = self.make_file(&file_name(n), content, refused.unwrap_or(Byte::Known(0)))?;
                if let Some(size) = size {
                    let inode = Rc::make_mut(&mut self.fs).inode_mut(ino).map_err(|_| too_many())?;
                    inode.put_size(size);
                }
                if spec.stat {
                    let object = guest.input(&stat_object(n), STAT_LEN);
                    let inode = Rc::make_mut(&mut self.fs).inode_mut(ino).map_err(|_| too_many())?;
                    for wish in inode.put_object(guest.terms(), &object, len) {
                        guest.prefer(wish);
                    }
                }
            }
        }
        if let Some(FilesSpec { count, len }) = spec.tree {
            for n in 0..count {
                let data = guest.input(&file_object(n), len);
                let kind = guest.input(&kind_object(n), 1);
                let kind = Byte::word(guest.terms(), &kind);
                let now = self.now();
                let (name, next) = (file_name(n), next_name(n, count));
                let made = Rc::make_mut(&mut self.fs).put_undecided([&name, &next], kind, &data, now);
                made.map_err(|_| too_many())?;
            }
        }
        self.make_programs(&spec.programs)?;
        if let StdinSpec::Symbolic(len) = spec.stdin {
            let content = Content::of(&guest.input(STDIN_OBJECT, len));
            let size = spec.least_stdin.map(|least| size_input(guest, STDIN_LENGTH_OBJECT, [least, len]));
            Rc::make_mut(&mut self.fs).set_stdin(content, size);
        }
        if let Some(FilesSpec { count, len }) = spec.connections {
            let incoming = (0..count).map(|n| {
                let bytes = guest.input(&connection_object(n), len);
                let length = guest.input(&length_object(n), 4);
                let terms = guest.terms();
                let (sent, all) = (Byte::word(terms, &length), terms.constant_of(32, len.into()));
                let usual = terms.eq(sent, all);
                guest.prefer(usual);
                let segments = spec.segments.then(|| guest.input(&segments_object(n), len));
                Incoming { bytes, length, segments }
            });
            let incoming = incoming.collect();
            self.put_incoming(incoming);
        }
        Ok(())
    }

    /// The kernel in front of a program whose inputs are all known: its standard input, and the files in its working
    /// directory, in the order in which [`Kernel::make_files`] makes them.
    ///
    /// # Errors
    /// [`Stop::Unsupported`] if there are more files than the file system holds.
    pub fn concrete(stdin: &[u8], files: &KnownFiles<'_>) -> Result<Kernel, Stop> {
        let mut kernel =
            Kernel::new(&KernelSpec { stdin: StdinSpec::Concrete(stdin.to_vec()), ..KernelSpec::default() });
        let now = kernel.now();
        Rc::make_mut(&mut kernel.fs).put_tree(files.tree, now).map_err(|_| too_many())?;
        let known = |bytes: &[u8]| bytes.iter().map(|&b| Byte::Known(b)).collect();
        let incoming = files.connections.iter().map(|connection| Incoming {
            bytes: known(&connection.bytes),
            length: known(&(connection.bytes.len() as u32).to_le_bytes()),
            segments: (!connection.segments.is_empty()).then(|| known(&connection.segments)),
        });
        kernel.put_incoming(incoming.collect());
        for (i, (name, data)) in files.files.iter().enumerate() {
            let refused = Byte::Known(files.refused.get(i).copied().unwrap_or(0));
            let data: Vec<Byte> = data.iter().map(|&b| Byte::Known(b)).collect();
            let ino = kernel.make_file(name, Content::of(&data), refused)?;
            if let Some(attributes) = files.attributes.get(i) {
                let inode = Rc::make_mut(&mut kernel.fs).inode_mut(ino).map_err(|_| too_many())?;
                inode.put_attributes(attributes);
            }
        }
        Ok(kernel)
    }

    fn make_file(&mut self, name: &str, content: Content, refused: Byte) -> Result<Ino, Stop> {
        let now = self.now();
        let name = name.bytes().map(Byte::Known).collect();
        let fs = Rc::make_mut(&mut self.fs);
        let made = fs.create(ROOT, FileNode::File(content), world::FILE_MODE, now).and_then(|ino| {
            fs.inode_mut(ino)?.refused = refused;
            fs.enter(ROOT, name, ino, now)?;
            Ok(ino)
        });
        made.map_err(|_| too_many())
    }

    /// Makes the files of programs that can be executed.
    ///
    /// # Errors
    /// [`Stop::Unsupported`] if there are more files than the file system holds.
    pub fn make_programs(&mut self, programs: &[ProgramFile]) -> Result<(), Stop> {
        if programs.is_empty() {
            return Ok(());
        }
        let (now, fs) = (self.now(), Rc::make_mut(&mut self.fs));
        let made = programs.iter().try_for_each(|file| fs.make_program(file, now));
        made.map_err(|_| Stop::Unsupported("more programs than the file system holds".into()))
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

    /// The time, without moving it on.
    pub(crate) fn now(&self) -> Time {
        let seconds = world::START_SECONDS + (self.clock / 1_000_000_000) as i64;
        (seconds, (self.clock % 1_000_000_000) as u32)
    }

    /// One descriptor less holds an open file description.
    pub(crate) fn release(&mut self, key: u32) {
        self.let_go(key, true);
    }

    /// As [`Kernel::release`], of a named pipe whose opening has come to nothing.
    pub(crate) fn abandon(&mut self, key: u32) {
        self.let_go(key, false);
    }

    fn let_go(&mut self, key: u32, opened: bool) {
        if let Some(file) = Rc::make_mut(&mut self.files).drop_one(key) {
            let ino = file.ino;
            if opened && file.flags & O_PATH == 0 {
                self.notify(ino, if file.writable() { CLOSE_WRITE } else { CLOSE_NOWRITE });
            }
            self.unlock(Owner::File(key), Some(ino));
            self.reap(ino);
        }
    }

    /// Forgets an inode if neither a name nor a descriptor nor a working directory keeps it.
    pub(crate) fn reap(&mut self, ino: Ino) {
        let Ok(inode) = self.fs.inode(ino) else { return };
        let named_pipe = matches!(inode.node, FileNode::Pipe(_)) && ino < crate::files::inode::MEMORY;
        let socket = matches!(inode.node, FileNode::Endpoint(_));
        let nameless =
            socket || matches!(inode.node, FileNode::Pipe(_) | FileNode::Special(_)) && !named_pipe;
        let unnamed = inode.links == 0 || nameless;
        if !unnamed && !named_pipe {
            return;
        }
        let open = self.files.iter().any(|f| f.ino == ino);
        if open || self.processes().iter().any(|p| p.lives() && p.cwd == ino) {
            return;
        }
        if socket {
            self.close_socket(ino);
        } else if unnamed {
            self.notify_end(ino);
            Rc::make_mut(&mut self.fs).forget(ino);
        } else if named_pipe && let Ok(inode) = Rc::make_mut(&mut self.fs).inode_mut(ino) {
            // A pipe that no descriptor refers to holds no data.
            inode.node = FileNode::Pipe(Default::default());
        }
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

    pub(crate) fn file_mut(&mut self, fd: i32) -> CallResult<&mut OpenFile> {
        let key = self.process().key(fd)?;
        self.files_mut().get_mut(key)
    }

    /// A new open file description that has no descriptor yet: its key.
    pub(crate) fn hold(&mut self, file: OpenFile) -> u32 {
        self.files_mut().add(file)
    }

    /// A new open file description at the lowest free descriptor of at least `least`.
    pub(crate) fn install(&mut self, file: OpenFile, least: usize, close_on_exec: bool) -> CallResult {
        self.process().free_descriptor(least)?;
        let key = self.hold(file);
        self.install_held(key, least, close_on_exec)
    }

    /// Gives the file that [`Call::hold`] made the lowest free descriptor of at least `least`; closes it if there is none.
    pub(crate) fn install_held(&mut self, file: u32, least: usize, close_on_exec: bool) -> CallResult {
        let fd = self.process().free_descriptor(least).inspect_err(|_| self.kernel.release(file))?;
        self.process_mut().set(fd, Some(Descriptor { file, close_on_exec }));
        Ok(fd as u64)
    }

    /// One more descriptor, at `fd`, which is free, for a file that has one already.
    pub(crate) fn install_again(&mut self, fd: usize, descriptor: Descriptor) {
        self.files_mut().hold(descriptor.file);
        self.process_mut().set(fd, Some(descriptor));
    }

    /// Closes a descriptor.
    pub(crate) fn close(&mut self, fd: i32) -> CallResult<()> {
        let key = self.process().key(fd)?;
        let (owner, ino) = (Owner::Process(self.process().pid), self.files().get(key)?.ino);
        // A process that closes any of its descriptors of a file loses its locks of it.
        self.kernel.unlock(owner, Some(ino));
        if let Ok(fd) = usize::try_from(fd) {
            self.process_mut().set(fd, None);
        }
        self.kernel.release(key);
        Ok(())
    }

    pub(crate) fn inode(&self, ino: Ino) -> Result<&Inode, Fail> {
        self.kernel.fs.inode(ino)
    }

    pub(crate) fn now(&self) -> Time {
        self.kernel.now()
    }

    pub(crate) fn reap(&mut self, ino: Ino) {
        self.kernel.reap(ino);
    }
}
