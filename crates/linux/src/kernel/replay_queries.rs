//! Queries of a native replay to the model beside its calls: they tell it how far the real kernel can carry a call out.

use crate::files::inode::{FileNode, Ino};
use crate::kernel::errno::CallResult;
use crate::kernel::state::Kernel;
use crate::sockets::socket::Address;

impl Kernel {
    /// Returns true if a descriptor of the running process stands for a pipe of the program's own, named or not: not for the
    /// streams that it was given.
    pub fn is_pipe(&self, fd: u64) -> bool {
        self.file_of(fd)
            .and_then(|ino| self.fs.inode(ino))
            .is_ok_and(|inode| matches!(inode.node, FileNode::Pipe(_)))
    }

    /// Returns true if a descriptor of the running process stands for a socket.
    pub fn is_socket(&self, fd: u64) -> bool {
        self.file_of(fd).is_ok_and(|ino| self.socket(ino).is_some())
    }

    /// Returns true if a descriptor of the running process is a socket whose name stands in a directory.
    pub fn has_path(&self, fd: u64) -> bool {
        let name =
            self.file_of(fd).ok().and_then(|ino| self.socket(ino)).and_then(|socket| socket.name.as_ref());
        matches!(name, Some(Address::Path(..)))
    }

    /// Returns true if the program has made sockets.
    pub fn has_sockets(&self) -> bool {
        self.fs.endpoints().next().is_some()
    }

    /// Returns true if a descriptor is a timer: its reads tell of the time.
    pub fn is_timer(&self, fd: u64) -> bool {
        self.file_of(fd).is_ok_and(|ino| self.fs.is_timer(ino))
    }

    /// Returns true if a descriptor is an `inotify`: its reads tell of files as the model has them.
    pub fn is_inotify(&self, fd: u64) -> bool {
        self.file_of(fd).is_ok_and(|ino| self.fs.inotifies.contains(&ino))
    }

    /// The inode of a descriptor of the running process.
    pub(crate) fn file_of(&self, fd: u64) -> CallResult<Ino> {
        let key = self.process.key(fd as i32)?;
        self.files.get(key).map(|file| file.ino)
    }
}
