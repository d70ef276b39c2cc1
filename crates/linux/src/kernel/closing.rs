//! Descriptors are opened and closed. With the last one of a file go its locks, and with its last name too the file itself. A socket that
//! goes takes the descriptors in its messages along.

use std::rc::Rc;

use crate::events::watches::{CLOSE_NOWRITE, CLOSE_WRITE};
use crate::files::descriptions::{O_PATH, OpenFile};
use crate::files::inode::{FileNode, Ino};
use crate::files::locks::{Lock, Owner};
use crate::kernel::errno::{CallResult, ECONNRESET};
use crate::kernel::state::{Call, Kernel};
use crate::processes::process::Descriptor;
use crate::sockets::socket::{Carries, State};

impl Kernel {
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

    /// Closes a socket whose last descriptor is gone, with the effects on its peers.
    pub(crate) fn close_socket(&mut self, ino: Ino) {
        let Some(socket) = self.socket(ino).cloned() else { return };
        // If the socket carries packets, an empty one at the front does not count.
        let empty = socket.queue.front().is_some_and(|first| first.bytes.is_empty());
        let unread = socket.queue.len() > usize::from(empty && socket.is_unix());
        if socket.is_unix() {
            self.keep_name(ino, &socket);
        }
        if let State::Listening { waiting, .. } = &socket.state {
            for &embryo in waiting {
                self.refuse(embryo);
            }
        }
        if socket.is_unix() && socket.carries == Carries::Datagrams {
            let told: Vec<Ino> = self.sockets(|s| s.peer == Some(ino)).map(|(other, _)| other).collect();
            for other in told {
                if let Some(other) = self.socket_mut(other) {
                    other.peer_name.clone_from(&socket.name);
                }
            }
        }
        if let Some(peer) = socket.peer.filter(|_| socket.is_connected()) {
            self.part(ino, &socket, peer, unread);
        }
        Rc::make_mut(&mut self.fs).forget(ino);
        socket.queue.into_iter().flat_map(|message| message.rights).for_each(|key| self.release(key));
    }

    /// A socket of datagrams of `AF_UNIX` gets another peer, or none: the messages that it has got are dropped.
    pub(crate) fn part_from(&mut self, ino: Ino, peer: Option<Ino>) {
        let Some(socket) = self.socket_mut(ino) else { return };
        let queue = std::mem::take(&mut socket.queue);
        let unread = !queue.is_empty();
        queue.into_iter().flat_map(|message| message.rights).for_each(|key| self.release(key));
        if let Some(peer) = peer.filter(|&peer| peer != ino).and_then(|peer| self.socket_mut(peer))
            && unread
            && peer.peer == Some(ino)
        {
            peer.error = Some(ECONNRESET);
        }
    }

    /// An owner gives up its locks, of one file or of all.
    pub(crate) fn unlock(&mut self, owner: Owner, of: Option<Ino>) {
        if self.locks.0.is_empty() {
            return;
        }
        let has = |(&ino, locks): (&Ino, &Vec<Lock>)| {
            of.is_none_or(|of| of == ino) && locks.iter().any(|l| l.owner == owner)
        };
        if !self.locks.0.iter().any(has) {
            return;
        }
        let locks = Rc::make_mut(&mut self.locks);
        for (_, locks) in locks.0.iter_mut().filter(|(ino, _)| of.is_none_or(|of| of == **ino)) {
            locks.retain(|l| l.owner != owner);
        }
        locks.0.retain(|_, locks| !locks.is_empty());
    }
}

impl Call<'_> {
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

    pub(crate) fn reap(&mut self, ino: Ino) {
        self.kernel.reap(ino);
    }
}
