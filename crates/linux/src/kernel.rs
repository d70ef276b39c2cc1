//! The kernel's state, and the one door to it.

use std::rc::Rc;

use cleave_memory::Byte;

use crate::content::Content;
use crate::env::{EnvSpec, FilesSpec, STDIN_OBJECT, StdinSpec, file_name, file_object, refusal_object};
use crate::errno::Fail;
use crate::fs::{Fs, ROOT};
use crate::guest::{Guest, Stop};
use crate::inode::{FileNode, Ino, Inode, Time};
use crate::output::Output;
use crate::process::Process;
use crate::world;

/// What of a program's environment concerns the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelSpec {
    /// What standard input holds.
    pub stdin: StdinSpec,
    /// Symbolic files in the working directory.
    pub files: Option<FilesSpec>,
    /// What these files may refuse: bit 0 to be read, bit 1 to be written.
    pub refusing: u8,
}

impl KernelSpec {
    /// The kernel's part of an environment.
    pub fn of(env: &EnvSpec) -> KernelSpec {
        KernelSpec { stdin: env.stdin.clone(), files: env.files, refusing: env.refusing }
    }
}

/// The state of the kernel: files, streams, process, clock. A part of a state of the program: cloning it copies
/// a few counted references; a changed part is copied when it is changed.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) spec: Rc<KernelSpec>,
    pub(crate) fs: Rc<Fs>,
    pub(crate) process: Rc<Process>,
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
    /// Nanoseconds since the start of the path.
    pub(crate) clock: u64,
    /// State of the generator behind `getrandom`.
    pub(crate) random: u64,
    /// What the program was told that another machine would not tell it, each once: see [`Kernel::make_up`].
    made_up: Rc<Vec<Rc<str>>>,
}

impl Kernel {
    /// The kernel at the start of a program. Symbolic input and files are not there yet: see
    /// [`Kernel::make_files`].
    pub fn new(spec: &KernelSpec) -> Kernel {
        let stdin = match &spec.stdin {
            StdinSpec::Concrete(bytes) => bytes.iter().map(|&b| Byte::Known(b)).collect(),
            StdinSpec::Empty | StdinSpec::Symbolic(_) => Vec::new(),
        };
        Kernel {
            spec: Rc::new(spec.clone()),
            fs: Rc::new(Fs::new(Content::of(&stdin), (world::START_SECONDS, 0))),
            process: Rc::new(Process::new()),
            stdout: Output::default(),
            stderr: Output::default(),
            clock: 0,
            random: 0,
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
                let refused = match spec.refusing {
                    0 => None,
                    _ => guest.input(&refusal_object(n), 1).first().copied(),
                };
                let name = file_name(n).bytes().map(Byte::Known).collect();
                self.make_file(name, content, refused.unwrap_or(Byte::Known(0)))?;
            }
        }
        if let StdinSpec::Symbolic(len) = spec.stdin {
            let content = Content::of(&guest.input(STDIN_OBJECT, len));
            Rc::make_mut(&mut self.fs).set_stdin(content);
        }
        Ok(())
    }

    /// The kernel in front of a program whose inputs are all known: its standard input, and the files in its working
    /// directory, in the order in which [`Kernel::make_files`] makes them, with what each refuses (none where that is
    /// shorter).
    ///
    /// # Errors
    /// [`Stop::Unsupported`] where there are more files than the file system holds.
    pub fn concrete(stdin: &[u8], files: &[(String, Vec<u8>)], refused: &[u8]) -> Result<Kernel, Stop> {
        let known = |bytes: &[u8]| -> Vec<Byte> { bytes.iter().map(|&b| Byte::Known(b)).collect() };
        let mut kernel =
            Kernel::new(&KernelSpec { stdin: StdinSpec::Concrete(stdin.to_vec()), ..KernelSpec::default() });
        for (i, (name, data)) in files.iter().enumerate() {
            let refused = Byte::Known(refused.get(i).copied().unwrap_or(0));
            kernel.make_file(known(name.as_bytes()), Content::of(&known(data)), refused)?;
        }
        Ok(kernel)
    }

    fn make_file(&mut self, name: Vec<Byte>, content: Content, refused: Byte) -> Result<(), Stop> {
        let now = self.now();
        let fs = Rc::make_mut(&mut self.fs);
        let made = fs.create(ROOT, FileNode::File(content), world::FILE_MODE, now).and_then(|ino| {
            fs.inode_mut(ino)?.refused = refused;
            fs.enter(ROOT, name, ino, now)
        });
        made.map_err(|_| Stop::Unsupported("more symbolic files than the file system holds".into()))
    }

    /// How many bytes the program wrote to its standard output and its standard error.
    pub fn written(&self) -> (usize, usize) {
        (self.stdout.len(), self.stderr.len())
    }

    /// Notes that the program was given an answer that is the model's own, where the system would have done the thing
    /// asked for. The account shows it.
    pub fn make_up(&mut self, what: &str) {
        if !self.made_up.iter().any(|known| **known == *what) {
            Rc::make_mut(&mut self.made_up).push(what.into());
        }
    }

    /// What [`Kernel::make_up`] noted, in order.
    pub fn made_up(&self) -> &[Rc<str>] {
        &self.made_up
    }

    /// What the program wrote to the stream that it was given as standard output.
    pub fn stdout(&self) -> Vec<Byte> {
        self.stdout.collect()
    }

    /// What the program wrote to the stream that it was given as standard error.
    pub fn stderr(&self) -> Vec<Byte> {
        self.stderr.collect()
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

    pub(crate) fn inode(&self, ino: Ino) -> Result<&Inode, Fail> {
        self.kernel.fs.inode(ino)
    }

    pub(crate) fn now(&self) -> Time {
        self.kernel.now()
    }

    /// Forgets an inode if neither a name nor a descriptor nor the working directory keeps it.
    pub(crate) fn reap(&mut self, ino: Ino) {
        let Ok(inode) = self.inode(ino) else { return };
        let named_pipe = matches!(inode.node, FileNode::Pipe(_)) && ino < crate::inode::MEMORY;
        let unnamed = inode.links == 0 || (matches!(inode.node, FileNode::Pipe(_)) && !named_pipe);
        let open = self.process().files().any(|f| f.ino == ino);
        if open || self.process().cwd == ino {
            return;
        }
        if unnamed {
            self.fs_mut().forget(ino);
        } else if named_pipe && let Ok(inode) = self.fs_mut().inode_mut(ino) {
            // What nobody has open holds no data.
            inode.node = FileNode::Pipe(Default::default());
        }
    }
}
