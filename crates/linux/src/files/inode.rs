//! Inodes: the objects that names and descriptors refer to.

use std::rc::Rc;

use cleave_expr::{Term, Terms};
use cleave_memory::Byte;

use crate::env::world::{
    ANONYMOUS_NUMBER, DEVICE_ANONYMOUS, DEVICE_MEMORY, DEVICE_PIPES, DEVICE_ROOT, DEVICE_SOCKETS, FILE_MODE,
    GID, PAGE_SIZE, PROGRAM_SIZE, START_SECONDS, UID,
};
use crate::events::objects::Special;
use crate::files::content::Content;
pub(crate) use crate::files::inode_numbers::{Ino, Name};
use crate::files::pipe::Pipe;
use crate::files::stat_object::{Attributes, Fields, Unchanged};
use crate::sockets::socket::Socket;

/// Marks an inode of the memory files.
pub(crate) const MEMORY: Ino = 1 << 40;
/// Marks an inode of the pipes.
pub(crate) const PIPES: Ino = 1 << 41;
/// Marks an inode of an object without a file system: [`Special`].
pub(crate) const ANONYMOUS: Ino = 1 << 42;
/// Marks an inode of the sockets.
pub(crate) const SOCKETS: Ino = 1 << 43;

/// Bit of the refusals of a file: to be read.
pub(crate) const READING: u8 = 1;
/// To be written.
pub(crate) const WRITING: u8 = 2;

pub(crate) const S_IFMT: u32 = 0o170_000;
pub(crate) const S_IFSOCK: u32 = 0o140_000;
pub(crate) const S_IFLNK: u32 = 0o120_000;
pub(crate) const S_IFREG: u32 = 0o100_000;
pub(crate) const S_IFBLK: u32 = 0o060_000;
pub(crate) const S_IFDIR: u32 = 0o040_000;
pub(crate) const S_IFCHR: u32 = 0o020_000;
pub(crate) const S_IFIFO: u32 = 0o010_000;
pub(crate) const S_ISUID: u32 = 0o4000;
pub(crate) const S_ISGID: u32 = 0o2000;

/// A moment: seconds and nanoseconds since 1970.
pub(crate) type Time = (i64, u32);

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DirectoryEntry {
    pub(crate) name: Name,
    pub(crate) ino: Ino,
    /// Rises with each entry made; directories are listed from the highest down.
    pub(crate) age: u64,
}

/// Entries of a directory, `.` and `..` apart; oldest entry first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Directory {
    pub(crate) parent: Ino,
    pub(crate) entries: Vec<DirectoryEntry>,
}

/// One of the two streams that the replay reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Err,
}

/// The use of a descriptor of the terminal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Direction {
    /// To read what is typed.
    Input(Content),
    /// To write.
    Output(Stream),
}

/// An entry whose kind is not decided yet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Undecided {
    /// The byte that says it.
    pub(crate) kind: Term,
    pub(crate) content: Content,
    /// Target of the entry if it is a link to the next one.
    pub(crate) next: Name,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FileNode {
    Directory(Directory),
    File(Content),
    /// A file that nothing changes any more: standard input.
    Sealed(Content),
    /// A program that can be executed, as the engine numbers its images. The contents of its file are not modelled.
    Program(u32),
    Link(Name),
    /// A pipe or a named pipe.
    Pipe(Pipe),
    Stream(Stream),
    /// The terminal.
    Terminal(Direction),
    /// The name of a socket.
    Socket,
    /// A socket.
    Endpoint(Box<Socket>),
    /// An entry whose kind is an input that is not decided yet.
    Undecided(Undecided),
    /// A file of a kind of its own, without a name.
    Special(Special),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inode {
    pub(crate) node: FileNode,
    /// The lower 12 bits of its mode.
    pub(crate) mode: u32,
    /// Rights that it refuses nevertheless; see [`crate::files::refusal`].
    pub(crate) refused: Byte,
    /// Its fields that are inputs.
    pub(crate) inputs: Option<Rc<Unchanged>>,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) links: u64,
    pub(crate) accessed: Time,
    pub(crate) modified: Time,
    pub(crate) changed: Time,
    pub(crate) born: Time,
}

impl Inode {
    pub(crate) fn new(node: FileNode, mode: u32, now: Time) -> Inode {
        let links = if matches!(node, FileNode::Directory(_)) { 2 } else { 1 };
        let (uid, gid) = (UID, GID);
        let refused = Byte::Known(0);
        let inputs = None;
        let (accessed, modified, changed, born) = (now, now, now, now);
        Inode { node, mode, refused, inputs, uid, gid, links, accessed, modified, changed, born }
    }

    /// The bits of its mode that give its kind.
    pub(crate) fn kind(&self) -> u32 {
        match self.node {
            FileNode::Directory(_) => S_IFDIR,
            FileNode::File(_) | FileNode::Sealed(_) | FileNode::Program(_) | FileNode::Undecided(_) => {
                S_IFREG
            }
            FileNode::Link(_) => S_IFLNK,
            FileNode::Pipe(_) | FileNode::Stream(_) => S_IFIFO,
            FileNode::Socket | FileNode::Endpoint(_) => S_IFSOCK,
            FileNode::Terminal(_) => S_IFCHR,
            FileNode::Special(_) => 0,
        }
    }

    /// Returns true if one can read and write at a position.
    pub(crate) fn has_positions(&self) -> bool {
        !matches!(
            self.node,
            FileNode::Pipe(_)
                | FileNode::Stream(_)
                | FileNode::Terminal(_)
                | FileNode::Special(_)
                | FileNode::Endpoint(_)
        )
    }

    pub(crate) fn is_directory(&self) -> bool {
        matches!(self.node, FileNode::Directory(_))
    }

    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self.node, FileNode::Terminal(_))
    }

    pub(crate) fn is_link(&self) -> bool {
        matches!(self.node, FileNode::Link(_))
    }

    /// Number of bytes that can be read behind a position, at most; at least one where a reader may wait. `None` if the number that is asked
    /// for means something else.
    pub(crate) fn bytes_behind(&self, position: u64) -> Option<u64> {
        match &self.node {
            FileNode::File(c) | FileNode::Sealed(c) => Some(c.len().saturating_sub(position)),
            FileNode::Terminal(Direction::Input(typed)) => Some(typed.len().saturating_sub(position).max(1)),
            FileNode::Pipe(held) => Some((held.len() as u64).max(1)),
            _ => None,
        }
    }

    /// False if its size is an input that is not decided yet.
    pub(crate) fn has_known_size(&self) -> bool {
        self.inputs.as_ref().is_none_or(|inputs| inputs.size.is_none())
    }

    /// Its size in bytes, as tmpfs and pipes count it.
    pub(crate) fn size(&self) -> u64 {
        match &self.node {
            FileNode::Directory(d) => 40 + 20 * d.entries.len() as u64,
            FileNode::File(c) | FileNode::Sealed(c) => c.len(),
            FileNode::Link(target) => target.len() as u64,
            FileNode::Program(_) => PROGRAM_SIZE,
            FileNode::Pipe(_)
            | FileNode::Stream(_)
            | FileNode::Terminal(_)
            | FileNode::Socket
            | FileNode::Endpoint(_)
            | FileNode::Undecided(_)
            | FileNode::Special(_) => 0,
        }
    }

    /// Pages of the file system that it takes.
    pub(crate) fn pages(&self) -> u64 {
        match &self.node {
            FileNode::File(c) | FileNode::Sealed(c) => c.pages(),
            FileNode::Program(_) => PROGRAM_SIZE.div_ceil(PAGE_SIZE),
            // Short targets are kept in the inode itself.
            FileNode::Link(target) if target.len() >= 128 => 1,
            _ => 0,
        }
    }

    /// Blocks of 512 bytes, as `stat` counts them.
    pub(crate) fn blocks(&self) -> u64 {
        self.pages() * (PAGE_SIZE / 512)
    }

    /// Returns true if the process may read (4), write (2), execute or search (1), all that `wanted` has.
    pub(crate) fn allows(&self, wanted: u32) -> bool {
        let shift = match (self.uid, self.gid) {
            (UID, _) => 6,
            (_, GID) => 3,
            _ => 0,
        };
        self.mode >> shift & wanted == wanted
    }
}

impl Inode {
    /// Makes an object's fields the file's. Returns soft constraints for a test: the usual metadata of files.
    pub(crate) fn put_object(&mut self, terms: &mut Terms, object: &[Byte], most: u32) -> Vec<Term> {
        let Fields { mode, uid, gid, size, times } = Fields::of(terms, object, most);
        self.inputs = Some(Rc::new(Unchanged {
            mode: Some(mode),
            uid: Some(uid),
            gid: Some(gid),
            size: Some(size),
            times: times.map(Some),
        }));
        let usual = [(mode, 32, FILE_MODE.into()), (uid, 32, UID.into()), (gid, 32, GID.into())]
            .into_iter()
            .chain([(size, 64, most.into())])
            .chain(times.into_iter().flat_map(|[s, n]| [(s, 64, START_SECONDS as u64), (n, 64, 0)]));
        usual
            .map(|(term, width, value)| {
                let value = terms.constant_of(width, value.into());
                terms.eq(term, value)
            })
            .collect()
    }

    /// The same of a file whose fields are known.
    pub(crate) fn put_attributes(&mut self, known: &Attributes) {
        (self.mode, self.uid, self.gid) = (known.mode, known.uid, known.gid);
        [self.accessed, self.modified, self.changed] = known.times;
    }

    pub(crate) fn unchanged(&mut self) -> Option<&mut Unchanged> {
        self.inputs.as_mut().map(Rc::make_mut)
    }

    /// Sets one of its times.
    pub(crate) fn set_time(&mut self, which: usize, time: Time) {
        *[&mut self.accessed, &mut self.modified, &mut self.changed][which] = time;
        if let Some(inputs) = self.unchanged() {
            inputs.times[which] = None;
        }
    }

    pub(crate) fn set_mode(&mut self, mode: u32) {
        self.mode = mode;
        if let Some(inputs) = self.unchanged() {
            inputs.mode = None;
        }
    }

    pub(crate) fn set_gid(&mut self, gid: u32) {
        self.gid = gid;
        if let Some(inputs) = self.unchanged() {
            inputs.gid = None;
        }
    }

    /// Makes the length of its contents this term; no other field is an input.
    pub(crate) fn put_size(&mut self, size: Term) {
        self.inputs = Some(Rc::new(Unchanged { size: Some(size), ..Unchanged::default() }));
    }

    /// Its size is that of its contents from now on.
    pub(crate) fn forget_size(&mut self) {
        if let Some(inputs) = self.unchanged() {
            inputs.size = None;
        }
    }
}

/// The device that an inode is on.
pub(crate) fn device(ino: Ino) -> u64 {
    match ino {
        i if i & MEMORY != 0 => DEVICE_MEMORY,
        i if i & PIPES != 0 => DEVICE_PIPES,
        i if i & ANONYMOUS != 0 => DEVICE_ANONYMOUS,
        i if i & SOCKETS != 0 => DEVICE_SOCKETS,
        _ => DEVICE_ROOT,
    }
}

/// The number of an inode as programs see it.
pub(crate) fn number(ino: Ino) -> u64 {
    // Linux has one inode for all that is anonymous.
    if ino & ANONYMOUS != 0 { ANONYMOUS_NUMBER } else { ino & !(MEMORY | PIPES | SOCKETS) }
}
