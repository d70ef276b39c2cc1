//! Reports events of files by `inotify` to watchers of the files, or of their directories.

use std::rc::Rc;

use crate::events::objects::Special;
use crate::events::watches::{DELETE_SELF, DIRECTORY, Inotify, MOVE_SELF};
use crate::files::inode::{FileNode, Ino, Name};
use crate::kernel::state::Kernel;

impl Kernel {
    /// Returns true if anything is watched.
    #[inline]
    fn is_watched(&self) -> bool {
        !self.fs.inotifies.is_empty()
    }

    fn each_inotify(&mut self, tell: impl Fn(&mut Inotify)) {
        let fs = Rc::make_mut(&mut self.fs);
        for ino in fs.inotifies.clone() {
            if let Ok(inode) = fs.inode_mut(ino)
                && let FileNode::Special(Special::Inotify(inotify)) = &mut inode.node
            {
                tell(inotify);
            }
        }
    }

    fn kind_of(&self, ino: Ino) -> u32 {
        if self.fs.inode(ino).is_ok_and(|inode| inode.is_directory()) { DIRECTORY } else { 0 }
    }

    /// Reports an event of an inode to its own watchers.
    pub(crate) fn notify_itself(&mut self, ino: Ino, event: u32) {
        if self.is_watched() {
            // For these events Linux does not say that it is a directory.
            let kind = if event & (DELETE_SELF | MOVE_SELF) != 0 { 0 } else { self.kind_of(ino) };
            self.each_inotify(|inotify| inotify.tell(ino, event | kind, 0, &Name::new(), false));
        }
    }

    /// Something happens to an entry of a directory, which may stand for one itself.
    pub(crate) fn notify_entry(
        &mut self,
        directory: Ino,
        name: &Name,
        is_directory: bool,
        event: u32,
        cookie: u32,
    ) {
        if self.is_watched() {
            let kind = if is_directory { DIRECTORY } else { 0 };
            self.each_inotify(|inotify| inotify.tell(directory, event | kind, cookie, name, false));
        }
    }

    /// Returns true if a directory is watched.
    fn watches_directories(&self) -> bool {
        let inotifies = self.fs.inotifies.iter().filter_map(|&ino| self.fs.inode(ino).ok());
        let watches = inotifies.flat_map(|inode| match &inode.node {
            FileNode::Special(Special::Inotify(inotify)) => inotify.watches.as_slice(),
            _ => &[],
        });
        let mut watched = watches.filter_map(|watch| self.fs.inode(watch.ino).ok());
        watched.any(|inode| inode.is_directory())
    }

    /// Something happens to a file: who watches its directory is told, and who watches itself.
    pub(crate) fn notify(&mut self, ino: Ino, event: u32) {
        if !self.is_watched() {
            return;
        }
        let (entries, removed) = match self.fs.left.get(&ino) {
            Some(entry) => (vec![entry.clone()], true),
            None => (self.fs.entries_of(ino), false),
        };
        if self.fs.linked.contains(&ino) && self.watches_directories() {
            self.untold =
                Some("an inotify that watches a directory beside a file that has had several names");
            return;
        }
        let kind = self.kind_of(ino);
        self.each_inotify(|inotify| {
            if let Some((directory, name)) = entries.first() {
                inotify.tell(*directory, event | kind, 0, name, removed);
            }
            inotify.tell(ino, event | kind, 0, &Name::new(), false);
        });
    }

    /// An inode is no more: its watches are gone too.
    pub(crate) fn notify_end(&mut self, ino: Ino) {
        if self.is_watched() {
            self.notify_itself(ino, DELETE_SELF);
            self.each_inotify(|inotify| {
                if let Some(at) = inotify.watches.iter().position(|w| w.ino == ino) {
                    inotify.forget(at);
                }
            });
        }
    }
}
