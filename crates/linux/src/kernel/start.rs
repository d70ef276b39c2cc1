//! The kernel's state at the start of a program: its files, its input and its peers, from inputs or with known bytes.

use std::rc::Rc;

use cleave_expr::Term;
use cleave_memory::Byte;

use crate::env::spec::{
    Connection, FilesSpec, STDIN_LENGTH_OBJECT, STDIN_OBJECT, StdinSpec, TERMINAL_OBJECT, connection_object,
    file_length_object, file_name, file_object, kind_object, length_object, next_name, refusal_object,
    segments_object, stat_object,
};
use crate::env::world;
use crate::files::content::Content;
use crate::files::descriptions::FileTable;
use crate::files::fs::{Fs, ROOT};
use crate::files::inode::{FileNode, Ino};
use crate::files::stat_object::{Attributes, STAT_LEN};
use crate::files::terminal::{STREAMS, Terminal};
use crate::files::tree::TreeEntry;
use crate::kernel::guest::{Guest, Stop};
use crate::kernel::state::{Kernel, KernelSpec};
use crate::processes::execution::ProgramFile;
use crate::processes::process::Process;
use crate::processes::status::AfterCall;
use crate::sockets::ports::Incoming;
use crate::streams::output::Output;

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
    /// The standard streams that are the terminal: bit 0 for standard input, then output and error.
    pub terminal: u8,
}

fn too_many() -> Stop {
    Stop::Unsupported("more files than the file system holds".into())
}

impl Kernel {
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
            terminal: None,
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
        if spec.terminal {
            let streams = guest.input(TERMINAL_OBJECT, 1);
            let terms = guest.terms();
            let streams = Byte::word(terms, &streams);
            let open = [0, 1, 2].map(|bit| Some(terms.extract(streams, bit, 1)));
            self.terminal = Some(Rc::new(Terminal::new(open)));
        }
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
        if files.terminal != 0 {
            kernel.terminal = Some(Rc::new(Terminal::new([None; 3])));
            let bits = STREAMS.iter().enumerate().filter(|(bit, _)| files.terminal >> bit & 1 != 0);
            bits.for_each(|(_, &stream)| Rc::make_mut(&mut kernel.fs).become_terminal(stream));
        }
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
}
