//! The file system: inodes by number, shared between states until changed.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cleave_expr::Term;

use crate::env::world;
use crate::events::objects::Special;
use crate::files::content::Content;
use crate::files::inode::{
    ANONYMOUS, Directory, DirectoryEntry, FileNode, Ino, Inode, MEMORY, Name, PIPES, S_ISGID, SOCKETS,
    Stream, Time,
};
use crate::files::pipe::Pipe;
use crate::files::stat_object::{CHANGED, MODIFIED};
use crate::kernel::errno::{EDEADLK, ENOENT, ENOSPC, Errno, Fail};
use crate::sockets::socket::Socket;

/// The root directory.
pub(crate) const ROOT: Ino = 1;
/// The file behind standard input, and the pipes behind standard output and error.
pub(crate) const STDIN: Ino = MEMORY | 1;
pub(crate) const STDOUT: Ino = PIPES | 1;
pub(crate) const STDERR: Ino = PIPES | 2;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fs {
    inodes: BTreeMap<Ino, Rc<Inode>>,
    next: Ino,
    next_pipe: Ino,
    next_age: u64,
    /// The inodes of `inotify`s.
    pub(crate) inotifies: Vec<Ino>,
    /// The directory and the name that an inode had which has none any more but is open.
    pub(crate) left: BTreeMap<Ino, (Ino, Name)>,
    /// Inodes that have had several names at once.
    pub(crate) linked: BTreeSet<Ino>,
    /// Number of renames.
    renames: u32,
}

impl Fs {
    pub(crate) fn new(stdin: Content, now: Time) -> Fs {
        let mut fs = Fs {
            inodes: BTreeMap::new(),
            next: ROOT,
            next_pipe: STDERR + 1,
            next_age: 0,
            inotifies: Vec::new(),
            left: BTreeMap::new(),
            linked: BTreeSet::new(),
            renames: 0,
        };
        let root = FileNode::Directory(Directory { parent: ROOT, entries: Vec::new() });
        fs.put(Inode::new(root, world::ROOT_MODE, now));
        let foreign = |node, mode, links| Inode { links, ..Inode::new(node, mode, now) };
        let mut input = foreign(FileNode::Sealed(stdin), world::STDIN_MODE, 0);
        (input.uid, input.gid) = (world::OVERFLOW_ID, world::OVERFLOW_ID);
        fs.inodes.insert(STDIN, Rc::new(input));
        for (ino, stream) in [(STDOUT, Stream::Out), (STDERR, Stream::Err)] {
            let mut pipe = foreign(FileNode::Stream(stream), world::PIPE_MODE, 1);
            (pipe.uid, pipe.gid) = (world::OVERFLOW_ID, world::OVERFLOW_ID);
            fs.inodes.insert(ino, Rc::new(pipe));
        }
        fs
    }

    /// An inode that exists: the number was read from an entry or a descriptor, which keep it alive.
    pub(crate) fn inode(&self, ino: Ino) -> Result<&Inode, Fail> {
        self.inodes.get(&ino).map(Rc::as_ref).ok_or(Fail::Errno(ENOENT))
    }

    pub(crate) fn inode_mut(&mut self, ino: Ino) -> Result<&mut Inode, Fail> {
        self.inodes.get_mut(&ino).map(Rc::make_mut).ok_or(Fail::Errno(ENOENT))
    }

    pub(crate) fn directory(&self, ino: Ino) -> Result<&Directory, Fail> {
        match &self.inode(ino)?.node {
            FileNode::Directory(d) => Ok(d),
            _ => Err(Fail::Errno(crate::kernel::errno::ENOTDIR)),
        }
    }

    fn directory_mut(&mut self, ino: Ino) -> Result<&mut Directory, Fail> {
        match &mut self.inode_mut(ino)?.node {
            FileNode::Directory(d) => Ok(d),
            _ => Err(Fail::Errno(crate::kernel::errno::ENOTDIR)),
        }
    }

    fn put(&mut self, inode: Inode) -> Ino {
        let ino = self.next;
        self.next += 1;
        self.inodes.insert(ino, Rc::new(inode));
        ino
    }

    /// Takes the next number for an inode that may come to be.
    pub(crate) fn reserve(&mut self) {
        self.next += 1;
    }

    /// An inode under a number that was reserved.
    pub(crate) fn put_reserved(&mut self, ino: Ino, inode: Inode) {
        self.inodes.insert(ino, Rc::new(inode));
    }

    /// Takes an entry out that never was: nothing shows that it is gone.
    pub(crate) fn cross_out(&mut self, parent: Ino, ino: Ino) -> Result<(), Fail> {
        self.directory_mut(parent)?.entries.retain(|entry| entry.ino != ino);
        Ok(())
    }

    /// The inodes of the root file system, by number.
    pub(crate) fn numbers(&self) -> Vec<Ino> {
        self.inodes.range(..MEMORY).map(|(&ino, _)| ino).collect()
    }

    /// A new inode for an entry in `parent`, whose group it takes where the directory says so; not entered yet.
    pub(crate) fn create(&mut self, parent: Ino, node: FileNode, mode: u32, now: Time) -> Result<Ino, Fail> {
        if self.used_inodes() >= world::LIMIT_INODES {
            return Err(Fail::Errno(ENOSPC));
        }
        let directory = self.inode(parent)?;
        let mut inode = Inode::new(node, mode, now);
        if directory.mode & S_ISGID != 0 {
            inode.gid = directory.gid;
            if inode.is_directory() {
                inode.mode |= S_ISGID;
            }
        }
        Ok(self.put(inode))
    }

    /// A new pipe without a name.
    pub(crate) fn pipe(&mut self, now: Time) -> Ino {
        let ino = self.next_pipe;
        self.next_pipe += 1;
        let pipe = Inode::new(FileNode::Pipe(Pipe::opened()), world::PIPE_MODE, now);
        self.inodes.insert(ino, Rc::new(pipe));
        ino
    }

    /// A new inode without name or file system, of a file of a kind of its own.
    pub(crate) fn anonymous(&mut self, node: FileNode, now: Time) -> Ino {
        let ino = self.next_pipe - PIPES + ANONYMOUS;
        self.next_pipe += 1;
        self.inodes.insert(ino, Rc::new(Inode::new(node, world::PIPE_MODE, now)));
        ino
    }

    /// A new socket.
    pub(crate) fn endpoint(&mut self, socket: Socket, now: Time) -> Ino {
        let ino = self.next_pipe - PIPES + SOCKETS;
        self.next_pipe += 1;
        let inode = Inode::new(FileNode::Endpoint(Box::new(socket)), world::SOCKET_MODE, now);
        self.inodes.insert(ino, Rc::new(inode));
        ino
    }

    /// All sockets, oldest first.
    pub(crate) fn endpoints(&self) -> impl Iterator<Item = (Ino, &Socket)> {
        self.inodes.range(SOCKETS..).filter_map(|(&ino, inode)| match &inode.node {
            FileNode::Endpoint(socket) => Some((ino, &**socket)),
            _ => None,
        })
    }

    /// The sets of descriptors that are watched.
    pub(crate) fn epolls(&self) -> impl Iterator<Item = Ino> {
        let special = self.inodes.range(ANONYMOUS..);
        special.filter(|(_, i)| matches!(i.node, FileNode::Special(Special::Epoll(_)))).map(|(&ino, _)| ino)
    }

    /// Returns true if an inode is a timer that is read.
    pub(crate) fn is_timer(&self, ino: Ino) -> bool {
        self.inode(ino).is_ok_and(|inode| matches!(inode.node, FileNode::Special(Special::Timer(_))))
    }

    /// When timers go off that are read, in nanoseconds on the kernel's clock.
    pub(crate) fn timers(&self) -> impl Iterator<Item = u64> {
        self.inodes.range(ANONYMOUS..).filter_map(|(_, inode)| match inode.node {
            FileNode::Special(Special::Timer(timer)) => timer.due,
            _ => None,
        })
    }

    /// Enters `name` for an inode.
    pub(crate) fn enter(&mut self, parent: Ino, name: Name, ino: Ino, now: Time) -> Result<(), Fail> {
        let age = self.next_age;
        self.next_age += 1;
        if self.inode(ino)?.is_directory() {
            self.inode_mut(parent)?.links += 1;
            self.directory_mut(ino)?.parent = parent;
        }
        self.directory_mut(parent)?.entries.push(DirectoryEntry { name, ino, age });
        self.touch(parent, now)
    }

    /// Takes the entry for an inode at `index` out of a directory; the inode's links are not counted down.
    pub(crate) fn leave(&mut self, parent: Ino, index: usize, now: Time) -> Result<DirectoryEntry, Fail> {
        let directory = self.directory_mut(parent)?;
        if index >= directory.entries.len() {
            return Err(Fail::Errno(ENOENT));
        }
        let entry = directory.entries.remove(index);
        if self.inode(entry.ino)?.is_directory() {
            self.inode_mut(parent)?.links -= 1;
        }
        self.touch(parent, now)?;
        Ok(entry)
    }

    /// A directory or file was changed just now.
    pub(crate) fn touch(&mut self, ino: Ino, now: Time) -> Result<(), Fail> {
        let inode = self.inode_mut(ino)?;
        inode.set_time(MODIFIED, now);
        inode.set_time(CHANGED, now);
        Ok(())
    }

    /// Forgets an inode that nothing refers to any more.
    pub(crate) fn forget(&mut self, ino: Ino) {
        self.inodes.remove(&ino);
        self.left.remove(&ino);
        self.linked.remove(&ino);
        self.inotifies.retain(|&i| i != ino);
    }

    fn on_root(&self) -> impl Iterator<Item = &Inode> {
        self.inodes.range(..MEMORY).map(|(_, inode)| inode.as_ref())
    }

    /// Inodes of the root file system. Every link of a file beyond its first counts as one.
    pub(crate) fn used_inodes(&self) -> u64 {
        let extra = |i: &Inode| if i.is_directory() { 0 } else { i.links.saturating_sub(1) };
        self.on_root().map(|i| 1 + extra(i)).sum()
    }

    /// Pages of the root file system that are taken.
    pub(crate) fn used_pages(&self) -> u64 {
        self.on_root().map(Inode::pages).sum()
    }

    /// Pages that the root file system has.
    pub(crate) fn total_pages(&self) -> u64 {
        world::LIMIT_FILE_SIZE / world::PAGE_SIZE
    }

    /// Returns true if `ino` is `directory` or lies above it.
    pub(crate) fn contains(&self, ino: Ino, directory: Ino) -> Result<bool, Fail> {
        let mut at = directory;
        for _ in 0..=self.inodes.len() {
            if at == ino {
                return Ok(true);
            }
            if at == ROOT {
                return Ok(false);
            }
            at = self.directory(at)?.parent;
        }
        Err(Fail::Errno(EDEADLK))
    }

    /// The names from the root down to a directory; an error if it was removed.
    pub(crate) fn names_to(&self, directory: Ino, removed: Errno) -> Result<Vec<Name>, Fail> {
        let mut names = Vec::new();
        let mut at = directory;
        while at != ROOT {
            let parent = self.directory(at)?.parent;
            let entry = self.directory(parent)?.entries.iter().find(|e| e.ino == at);
            names.push(entry.ok_or(Fail::Errno(removed))?.name.clone());
            at = parent;
        }
        names.reverse();
        Ok(names)
    }

    /// The directories and names of an inode's entries.
    pub(crate) fn entries_of(&self, ino: Ino) -> Vec<(Ino, Name)> {
        let directories = self.inodes.range(..MEMORY).filter_map(|(&at, inode)| match &inode.node {
            FileNode::Directory(directory) => Some((at, directory)),
            _ => None,
        });
        let entries = directories.flat_map(|(at, directory)| directory.entries.iter().map(move |e| (at, e)));
        entries.filter(|(_, e)| e.ino == ino).map(|(at, e)| (at, e.name.clone())).collect()
    }

    /// A number for one rename.
    pub(crate) fn rename_number(&mut self) -> u32 {
        self.renames += 1;
        self.renames
    }

    /// Replaces the contents of standard input, and sets the term for their length, if that is an input.
    pub(crate) fn set_stdin(&mut self, content: Content, size: Option<Term>) {
        if let Some(inode) = self.inodes.get_mut(&STDIN) {
            let inode = Rc::make_mut(inode);
            inode.node = FileNode::Sealed(content);
            if let Some(size) = size {
                inode.put_size(size);
            }
        }
    }
}
