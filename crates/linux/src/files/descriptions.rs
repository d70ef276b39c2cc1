//! Open file descriptions, and the flags they are opened with. One table serves all processes: a process's descriptors hold
//! keys of it.

use std::collections::BTreeMap;

use cleave_expr::Term;

use crate::files::fs::{STDERR, STDIN, STDOUT};
use crate::files::inode::Ino;
use crate::kernel::errno::{EBADF, Fail};

pub(crate) const O_ACCMODE: u32 = 3;
pub(crate) const O_WRONLY: u32 = 1;
pub(crate) const O_RDWR: u32 = 2;
pub(crate) const O_CREAT: u32 = 0o100;
pub(crate) const O_EXCL: u32 = 0o200;
pub(crate) const O_TRUNC: u32 = 0o1000;
pub(crate) const O_APPEND: u32 = 0o2000;
pub(crate) const O_NONBLOCK: u32 = 0o4000;
pub(crate) const O_DIRECT: u32 = 0o40_000;
pub(crate) const O_LARGEFILE: u32 = 0o100_000;
pub(crate) const O_DIRECTORY: u32 = 0o200_000;
pub(crate) const O_NOFOLLOW: u32 = 0o400_000;
pub(crate) const O_NOATIME: u32 = 0o1_000_000;
pub(crate) const O_CLOEXEC: u32 = 0o2_000_000;
pub(crate) const O_PATH: u32 = 0o10_000_000;
pub(crate) const O_TMPFILE: u32 = 0o20_000_000;

/// An open file description: the state that descriptors made by `dup` share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OpenFile {
    pub(crate) ino: Ino,
    /// Access mode and status flags.
    pub(crate) flags: u32,
    /// Position of the next read or write, in bytes; of a directory, the number of entries that were read.
    pub(crate) position: u64,
    /// The position, if a seek behind the end of the file has made it depend on the input: `position` is then the first one behind the
    /// end that the file had.
    pub(crate) far: Option<Term>,
    /// Of a directory: entries of this age and above were read.
    pub(crate) read_down_to: u64,
    /// The lock that `flock` put: 1 shared, 2 exclusive, 0 none.
    pub(crate) lock: u32,
    /// Of a named pipe that was opened to be read before it was opened to be written: the number of openings to write at that
    /// time. It does not count as hung up before that number changes.
    pub(crate) writers_before: u64,
}

impl OpenFile {
    pub(crate) fn new(ino: Ino, flags: u32) -> OpenFile {
        OpenFile { ino, flags, position: 0, far: None, read_down_to: u64::MAX, lock: 0, writers_before: 0 }
    }

    pub(crate) fn readable(&self) -> bool {
        matches!(self.flags & O_ACCMODE, 0 | O_RDWR) && self.flags & O_PATH == 0
    }

    pub(crate) fn writable(&self) -> bool {
        matches!(self.flags & O_ACCMODE, O_WRONLY | O_RDWR) && self.flags & O_PATH == 0
    }
}

/// An open file description, and how many descriptors of all processes stand for it.
#[derive(Clone, Debug, PartialEq)]
struct Held {
    file: OpenFile,
    count: u32,
}

/// All open file descriptions of the system, by key. Keys rise and are never used again.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FileTable {
    held: BTreeMap<u32, Held>,
    next: u32,
}

impl FileTable {
    /// The table with the three standard streams, under the keys 0, 1 and 2, each held once.
    pub(crate) fn new() -> FileTable {
        let mut table = FileTable { held: BTreeMap::new(), next: 0 };
        for (ino, flags) in [(STDIN, O_RDWR | O_LARGEFILE), (STDOUT, O_WRONLY), (STDERR, O_WRONLY)] {
            table.add(OpenFile::new(ino, flags));
        }
        table
    }

    /// A new open file description that one descriptor holds: its key.
    pub(crate) fn add(&mut self, file: OpenFile) -> u32 {
        let key = self.next;
        self.next += 1;
        self.held.insert(key, Held { file, count: 1 });
        key
    }

    /// One more descriptor holds it.
    pub(crate) fn hold(&mut self, key: u32) {
        if let Some(held) = self.held.get_mut(&key) {
            held.count += 1;
        }
    }

    /// One descriptor less holds it; the description, if it ended with that.
    pub(crate) fn drop_one(&mut self, key: u32) -> Option<OpenFile> {
        let held = self.held.get_mut(&key)?;
        held.count -= 1;
        if held.count > 0 { None } else { self.held.remove(&key).map(|h| h.file) }
    }

    pub(crate) fn get(&self, key: u32) -> Result<&OpenFile, Fail> {
        self.held.get(&key).map(|h| &h.file).ok_or(Fail::Errno(EBADF))
    }

    pub(crate) fn get_mut(&mut self, key: u32) -> Result<&mut OpenFile, Fail> {
        self.held.get_mut(&key).map(|h| &mut h.file).ok_or(Fail::Errno(EBADF))
    }

    /// All open file descriptions with their keys.
    pub(crate) fn by_key(&self) -> impl Iterator<Item = (u32, &OpenFile)> {
        self.held.iter().map(|(&key, held)| (key, &held.file))
    }

    /// All open file descriptions.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &OpenFile> {
        self.held.values().map(|held| &held.file)
    }
}
