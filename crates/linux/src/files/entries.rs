//! Makes the entries that exist at the start, and decides the kinds of those of `--sym-tree`.

use cleave_expr::Term;
use cleave_memory::Byte;

use crate::env::world::{FILE_MODE, ROOT_MODE};
use crate::files::content::Content;
use crate::files::fs::{Fs, ROOT};
use crate::files::inode::{Directory, FileNode, Ino, Inode, Time, Undecided};
use crate::files::stat_object::{ACCESSED, CHANGED, MODIFIED};
use crate::files::tree::{INNER_NAME, LINK_MODE, NOWHERE, TreeEntry, TreeKind, TreeNode};
use crate::kernel::errno::{CallResult, ENOENT, Fail};
use crate::kernel::state::Call;

fn known(bytes: &[u8]) -> Vec<Byte> {
    bytes.iter().map(|&b| Byte::Known(b)).collect()
}

impl Fs {
    /// Makes these entries, in their order.
    pub(crate) fn put_tree(&mut self, entries: &[TreeEntry], now: Time) -> Result<(), Fail> {
        let mut dated = Vec::new();
        for entry in entries {
            let node = match &entry.node {
                TreeNode::Directory => FileNode::Directory(Directory { parent: ROOT, entries: Vec::new() }),
                TreeNode::File(bytes) => FileNode::File(Content::of_known(bytes)),
                TreeNode::Link(target) => FileNode::Link(known(target)),
                TreeNode::Nothing => {
                    self.reserve();
                    continue;
                }
            };
            let names: Vec<&[u8]> = entry.path.split(|&b| b == b'/').filter(|n| !n.is_empty()).collect();
            let Some((last, way)) = names.split_last() else { continue };
            let mut parent = ROOT;
            for name in way {
                let name = known(name);
                let found = self.directory(parent)?.entries.iter().find(|e| e.name == name);
                parent = found.ok_or(Fail::Errno(ENOENT))?.ino;
            }
            let ino = self.create(parent, node, entry.mode, now)?;
            self.enter(parent, known(last), ino, now)?;
            dated.extend(entry.time.map(|time| (ino, time)));
        }
        // The entries that were made later have changed the directories.
        for (ino, time) in dated {
            let inode = self.inode_mut(ino)?;
            for which in [ACCESSED, MODIFIED, CHANGED] {
                inode.set_time(which, time);
            }
            inode.born = time;
        }
        Ok(())
    }

    /// Makes an entry of `--sym-tree`: its name, and that of the entry behind it.
    pub(crate) fn put_undecided(
        &mut self,
        [name, next]: [&str; 2],
        kind: Term,
        data: &[Byte],
        now: Time,
    ) -> Result<(), Fail> {
        let next = known(next.as_bytes());
        let node = FileNode::Undecided(Undecided { kind, content: Content::of(data), next });
        let ino = self.create(ROOT, node, FILE_MODE, now)?;
        self.reserve();
        self.enter(ROOT, known(name.as_bytes()), ino, now)
    }
}

impl Call<'_> {
    /// Decides the kind of a directory's entry, if that is open. Returns true if the entry exists.
    pub(crate) fn settle_kind(&mut self, directory: Ino, ino: Ino) -> CallResult<bool> {
        let FileNode::Undecided(undecided) = &self.inode(ino)?.node else { return Ok(true) };
        let undecided = undecided.clone();
        let mut kind = TreeKind::Nothing;
        for (value, &possible) in TreeKind::ALL.iter().enumerate().take(4) {
            let terms = self.guest.terms();
            let value = terms.constant_of(8, value as u128);
            let same = terms.eq(undecided.kind, value);
            if self.guest.decide(same)? {
                kind = possible;
                break;
            }
        }
        let (node, mode) = match kind {
            TreeKind::File => (FileNode::File(undecided.content), FILE_MODE),
            TreeKind::NextLink => (FileNode::Link(undecided.next), LINK_MODE),
            TreeKind::Dangling => (FileNode::Link(known(NOWHERE.as_bytes())), LINK_MODE),
            TreeKind::Directory => {
                self.settle_directory(directory, ino, undecided.content)?;
                return Ok(true);
            }
            TreeKind::Nothing => {
                let fs = self.fs_mut();
                fs.cross_out(directory, ino)?;
                fs.forget(ino);
                return Ok(false);
            }
        };
        let inode = self.fs_mut().inode_mut(ino)?;
        (inode.node, inode.mode) = (node, mode);
        Ok(true)
    }

    fn settle_directory(&mut self, directory: Ino, ino: Ino, content: Content) -> CallResult<()> {
        let fs = self.fs_mut();
        let inode = fs.inode_mut(ino)?;
        let born = inode.born;
        inode.node = FileNode::Directory(Directory { parent: directory, entries: Vec::new() });
        (inode.mode, inode.links) = (ROOT_MODE, 2);
        fs.inode_mut(directory)?.links += 1;
        fs.put_reserved(ino + 1, Inode::new(FileNode::File(content), FILE_MODE, born));
        fs.enter(ino, known(INNER_NAME.as_bytes()), ino + 1, born)
    }

    /// Decides the kinds of all entries of a directory.
    pub(crate) fn settle_entries(&mut self, directory: Ino) -> CallResult<()> {
        let FileNode::Directory(held) = &self.inode(directory)?.node else { return Ok(()) };
        let fs = self.fs();
        let open = |ino: &Ino| fs.inode(*ino).is_ok_and(|i| matches!(i.node, FileNode::Undecided(_)));
        let undecided: Vec<Ino> = held.entries.iter().map(|e| e.ino).filter(open).collect();
        for ino in undecided {
            self.settle_kind(directory, ino)?;
        }
        Ok(())
    }
}
