//! Inodes: what a name or a descriptor stands for.

use std::collections::VecDeque;

use cleave_memory::Byte;

use crate::content::Content;
use crate::world::{DEVICE_MEMORY, DEVICE_PIPES, DEVICE_ROOT, GID, PAGE_SIZE, UID};

/// The number of an inode; those of other file systems than the root's have [`MEMORY`] or [`PIPES`] set.
pub(crate) type Ino = u64;
/// Marks an inode of the memory files.
pub(crate) const MEMORY: Ino = 1 << 40;
/// Marks an inode of the pipes.
pub(crate) const PIPES: Ino = 1 << 41;

/// In the byte that says what a file refuses: to be read.
pub(crate) const READING: u8 = 1;
/// To be written.
pub(crate) const WRITING: u8 = 2;

/// A name in a directory, or a component of a path. Its bytes may be symbolic; on the path of a state they
/// are known to differ from those of all other names in the directory.
pub(crate) type Name = Vec<Byte>;

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
#[derive(Clone, Debug)]
pub(crate) struct DirectoryEntry {
    pub(crate) name: Name,
    pub(crate) ino: Ino,
    /// Rises with each entry made; directories are listed from the highest down.
    pub(crate) age: u64,
}

/// What a directory holds, `.` and `..` apart; oldest entry first.
#[derive(Clone, Debug)]
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

#[derive(Clone, Debug)]
pub(crate) enum FileNode {
    Directory(Directory),
    File(Content),
    /// A file that nothing changes any more: standard input.
    Sealed(Content),
    Link(Name),
    /// A pipe or a named pipe.
    Pipe(VecDeque<Byte>),
    Stream(Stream),
    Socket,
}

#[derive(Clone, Debug)]
pub(crate) struct Inode {
    pub(crate) node: FileNode,
    /// The lower 12 bits of its mode.
    pub(crate) mode: u32,
    /// What of that it refuses nevertheless; see [`crate::refusal`].
    pub(crate) refused: Byte,
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
        Inode { node, mode, refused, uid, gid, links, accessed: now, modified: now, changed: now, born: now }
    }

    /// The bits of its mode that say what it is.
    pub(crate) fn kind(&self) -> u32 {
        match self.node {
            FileNode::Directory(_) => S_IFDIR,
            FileNode::File(_) | FileNode::Sealed(_) => S_IFREG,
            FileNode::Link(_) => S_IFLNK,
            FileNode::Pipe(_) | FileNode::Stream(_) => S_IFIFO,
            FileNode::Socket => S_IFSOCK,
        }
    }

    pub(crate) fn is_directory(&self) -> bool {
        matches!(self.node, FileNode::Directory(_))
    }

    pub(crate) fn is_link(&self) -> bool {
        matches!(self.node, FileNode::Link(_))
    }

    /// Its size in bytes, as tmpfs and pipes count it.
    pub(crate) fn size(&self) -> u64 {
        match &self.node {
            FileNode::Directory(d) => 40 + 20 * d.entries.len() as u64,
            FileNode::File(c) | FileNode::Sealed(c) => c.len(),
            FileNode::Link(target) => target.len() as u64,
            FileNode::Pipe(_) | FileNode::Stream(_) | FileNode::Socket => 0,
        }
    }

    /// Pages of the file system that it takes.
    pub(crate) fn pages(&self) -> u64 {
        match &self.node {
            FileNode::File(c) | FileNode::Sealed(c) => c.pages(),
            // Short targets are kept in the inode itself.
            FileNode::Link(target) if target.len() >= 128 => 1,
            _ => 0,
        }
    }

    /// Blocks of 512 bytes, as `stat` counts them.
    pub(crate) fn blocks(&self) -> u64 {
        self.pages() * (PAGE_SIZE / 512)
    }

    /// Whether the process may read (4), write (2), execute or search (1), all that `wanted` has.
    pub(crate) fn allows(&self, wanted: u32) -> bool {
        let shift = match (self.uid, self.gid) {
            (UID, _) => 6,
            (_, GID) => 3,
            _ => 0,
        };
        self.mode >> shift & wanted == wanted
    }
}

/// The device that an inode is on.
pub(crate) fn device(ino: Ino) -> u64 {
    match ino {
        i if i & MEMORY != 0 => DEVICE_MEMORY,
        i if i & PIPES != 0 => DEVICE_PIPES,
        _ => DEVICE_ROOT,
    }
}

/// The number of an inode as programs see it.
pub(crate) fn number(ino: Ino) -> u64 {
    ino & !(MEMORY | PIPES)
}
