//! The process: descriptors, working directory, signals, mappings.

use std::collections::BTreeMap;

use crate::errno::{EBADF, EMFILE, Fail};
use crate::fs::{ROOT, STDERR, STDIN, STDOUT};
use crate::inode::Ino;
use crate::world;

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

/// An open file description: what descriptors made by `dup` share.
#[derive(Clone, Debug)]
pub(crate) struct OpenFile {
    pub(crate) ino: Ino,
    /// Access mode and status flags.
    pub(crate) flags: u32,
    /// Where the next read or write goes, in bytes; of a directory, how many entries were read.
    pub(crate) position: u64,
    /// Of a directory: entries of this age and above were read.
    pub(crate) read_down_to: u64,
    /// The lock that `flock` put: 1 shared, 2 exclusive, 0 none.
    pub(crate) lock: u32,
}

impl OpenFile {
    pub(crate) fn new(ino: Ino, flags: u32) -> OpenFile {
        OpenFile { ino, flags, position: 0, read_down_to: u64::MAX, lock: 0 }
    }

    pub(crate) fn readable(&self) -> bool {
        matches!(self.flags & O_ACCMODE, 0 | O_RDWR) && self.flags & O_PATH == 0
    }

    pub(crate) fn writable(&self) -> bool {
        matches!(self.flags & O_ACCMODE, O_WRONLY | O_RDWR) && self.flags & O_PATH == 0
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Descriptor {
    /// Key of the open file description.
    pub(crate) file: u32,
    pub(crate) close_on_exec: bool,
}

/// What a signal does.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Action {
    /// 0: the default; 1: ignore; else a function.
    pub(crate) handler: u64,
    pub(crate) flags: u64,
    pub(crate) restorer: u64,
    pub(crate) mask: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Process {
    descriptors: Vec<Option<Descriptor>>,
    files: BTreeMap<u32, OpenFile>,
    next_file: u32,
    pub(crate) cwd: Ino,
    pub(crate) umask: u32,
    pub(crate) actions: BTreeMap<u32, Action>,
    /// Blocked signals; bit 0 is signal 1.
    pub(crate) blocked: u64,
    /// Raised while blocked.
    pub(crate) pending: u64,
    /// The alternate signal stack as set: address, flags, size.
    pub(crate) alternate_stack: (u64, u32, u64),
    /// Mapped memory: address to size, in bytes.
    pub(crate) mappings: BTreeMap<u64, u64>,
    /// Limits by number: soft, hard.
    pub(crate) limits: BTreeMap<u32, (u64, u64)>,
    /// Name of the thread (`PR_SET_NAME`), NUL-padded.
    pub(crate) name: [u8; 16],
}

impl Process {
    pub(crate) fn new() -> Process {
        let infinite = (world::INFINITY, world::INFINITY);
        let both = |n: u64| (n, n);
        let mut limits: BTreeMap<u32, (u64, u64)> = (0..16).map(|n| (n, infinite)).collect();
        limits.extend([
            (0, world::LIMIT_CPU),
            (1, both(world::LIMIT_FILE_SIZE)),
            (3, (world::LIMIT_STACK, world::INFINITY)),
            (4, both(1)),
            (6, both(world::LIMIT_PROCESSES)),
            (7, both(world::LIMIT_OPEN_FILES)),
            (8, both(0)),
            (9, both(world::LIMIT_ADDRESS_SPACE)),
            (13, both(0)),
            (14, both(0)),
        ]);
        let mut process = Process {
            descriptors: Vec::new(),
            files: BTreeMap::new(),
            next_file: 0,
            cwd: ROOT,
            umask: world::UMASK,
            actions: BTreeMap::new(),
            blocked: 0,
            pending: 0,
            alternate_stack: (0, 2, 0),
            mappings: BTreeMap::new(),
            limits,
            name: *b"program\0\0\0\0\0\0\0\0\0",
        };
        for (ino, flags) in [(STDIN, O_RDWR | O_LARGEFILE), (STDOUT, O_WRONLY), (STDERR, O_WRONLY)] {
            // Three descriptors are always within the limit.
            let _ = process.install(OpenFile::new(ino, flags), 0, false);
        }
        process
    }

    /// The key of a descriptor's open file description.
    pub(crate) fn key(&self, fd: i32) -> Result<u32, Fail> {
        Ok(self.descriptor(fd)?.file)
    }

    pub(crate) fn descriptor(&self, fd: i32) -> Result<Descriptor, Fail> {
        let slot = usize::try_from(fd).ok().and_then(|fd| self.descriptors.get(fd));
        slot.copied().flatten().ok_or(Fail::Errno(EBADF))
    }

    pub(crate) fn set_close_on_exec(&mut self, fd: i32, on: bool) {
        let slot = usize::try_from(fd).ok().and_then(|fd| self.descriptors.get_mut(fd));
        if let Some(Some(descriptor)) = slot {
            descriptor.close_on_exec = on;
        }
    }

    /// What a descriptor stands for; also one that is only a path.
    pub(crate) fn any_file(&self, fd: i32) -> Result<&OpenFile, Fail> {
        self.files.get(&self.key(fd)?).ok_or(Fail::Errno(EBADF))
    }

    /// What a descriptor stands for; not one that is only a path.
    pub(crate) fn file(&self, fd: i32) -> Result<&OpenFile, Fail> {
        let file = self.any_file(fd)?;
        if file.flags & O_PATH == 0 { Ok(file) } else { Err(Fail::Errno(EBADF)) }
    }

    pub(crate) fn file_mut(&mut self, fd: i32) -> Result<&mut OpenFile, Fail> {
        let key = self.key(fd)?;
        self.files.get_mut(&key).ok_or(Fail::Errno(EBADF))
    }

    /// All open file descriptions.
    pub(crate) fn files(&self) -> impl Iterator<Item = &OpenFile> {
        self.files.values()
    }

    /// All open file descriptions with their keys.
    pub(crate) fn files_by_key(&self) -> impl Iterator<Item = (u32, &OpenFile)> {
        self.files.iter().map(|(&key, file)| (key, file))
    }

    /// How many descriptors there may be.
    fn descriptor_limit(&self) -> usize {
        self.limits.get(&7).map_or(0, |l| l.0.min(1 << 20) as usize)
    }

    /// The lowest free descriptor of at least `least`.
    pub(crate) fn free_descriptor(&self, least: usize) -> Result<usize, Fail> {
        let mut fd = least;
        while self.descriptors.get(fd).is_some_and(Option::is_some) {
            fd += 1;
        }
        if fd < self.descriptor_limit() { Ok(fd) } else { Err(Fail::Errno(EMFILE)) }
    }

    pub(crate) fn within_limit(&self, fd: i32) -> bool {
        usize::try_from(fd).is_ok_and(|fd| fd < self.descriptor_limit())
    }

    /// A new open file description at the lowest free descriptor of at least `least`.
    pub(crate) fn install(&mut self, file: OpenFile, least: usize, close_on_exec: bool) -> Result<u64, Fail> {
        let fd = self.free_descriptor(least)?;
        let key = self.next_file;
        self.next_file += 1;
        self.files.insert(key, file);
        self.set(fd, Some(Descriptor { file: key, close_on_exec }));
        Ok(fd as u64)
    }

    /// Makes `fd` stand for what `file` is the key of. The caller has closed it.
    pub(crate) fn set(&mut self, fd: usize, descriptor: Option<Descriptor>) {
        if self.descriptors.len() <= fd {
            self.descriptors.resize(fd + 1, None);
        }
        self.descriptors[fd] = descriptor;
    }

    /// Closes a descriptor; the inode, if its open file description ended with it.
    pub(crate) fn close(&mut self, fd: i32) -> Result<Option<Ino>, Fail> {
        let key = self.key(fd)?;
        if let Ok(fd) = usize::try_from(fd) {
            self.set(fd, None);
        }
        let shared = self.descriptors.iter().flatten().any(|d| d.file == key);
        Ok(if shared { None } else { self.files.remove(&key).map(|f| f.ino) })
    }

    /// The highest descriptor ever used, plus one.
    pub(crate) fn descriptor_end(&self) -> usize {
        self.descriptors.len()
    }
}
