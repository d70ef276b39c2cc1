//! Handlers that rename entries of directories.

use crate::events::watches::{ATTRIB, MOVE_SELF, MOVED_FROM, MOVED_TO};
use crate::files::inode::{FileNode, Ino, Name};
use crate::files::path::{AT_FDCWD, Last, LookupMode, ResolvedPath};
use crate::files::stat_object::CHANGED;
use crate::kernel::errno::{
    CallResult, EACCES, EBUSY, EEXIST, EINVAL, EISDIR, ENAMETOOLONG, ENOENT, ENOTDIR, ENOTEMPTY, fail,
    unsupported,
};
use crate::kernel::state::Call;

const NOREPLACE: u32 = 1;
const EXCHANGE: u32 = 2;
const WHITEOUT: u32 = 4;

pub(crate) fn rename(call: &mut Call<'_>, [from, to, ..]: [u64; 6]) -> CallResult {
    renameat2(call, [AT_FDCWD as u64, from, AT_FDCWD as u64, to, 0, 0])
}

pub(crate) fn renameat(
    call: &mut Call<'_>,
    [from_directory, from, to_directory, to, ..]: [u64; 6],
) -> CallResult {
    renameat2(call, [from_directory, from, to_directory, to, 0, 0])
}

pub(crate) fn renameat2(call: &mut Call<'_>, args: [u64; 6]) -> CallResult {
    let [from_directory, from, to_directory, to, flags, _] = args;
    let flags = flags as u32;
    if flags & !(NOREPLACE | EXCHANGE | WHITEOUT) != 0
        || flags & (NOREPLACE | WHITEOUT) != 0 && flags & EXCHANGE != 0
    {
        return fail(EINVAL);
    }
    if flags & WHITEOUT != 0 {
        return unsupported("RENAME_WHITEOUT");
    }
    let (from, to) = (call.string(from)?, call.string(to)?);
    let old = call.walk(from_directory as i32, &from, LookupMode::Entry)?;
    let new = call.walk(to_directory as i32, &to, LookupMode::Entry)?;
    if !matches!(old.last, Last::Name(_)) {
        return fail(EBUSY);
    }
    if !matches!(new.last, Last::Name(_)) {
        return fail(if flags & NOREPLACE != 0 { EEXIST } else { EBUSY });
    }
    let Some(ino) = old.ino else { return fail(if old.too_long { ENAMETOOLONG } else { ENOENT }) };
    if new.too_long {
        return fail(ENAMETOOLONG);
    }
    call.check_rename_shape(&old, ino, &new, flags)?;
    if new.ino == Some(ino) {
        return Ok(0);
    }
    call.check_rename_rights(&old, ino, &new, flags)?;
    match new.ino {
        Some(other) if flags & EXCHANGE != 0 => call.exchange(&old, ino, &new, other)?,
        _ => call.move_entry(&old, ino, new)?,
    }
    Ok(0)
}

impl Call<'_> {
    /// Checks the form of the two paths, in Linux's order; it does not depend on the process.
    fn check_rename_shape(
        &self,
        old: &ResolvedPath,
        ino: Ino,
        new: &ResolvedPath,
        flags: u32,
    ) -> CallResult<()> {
        if flags & NOREPLACE != 0 && new.ino.is_some() {
            return fail(EEXIST);
        }
        if flags & EXCHANGE != 0 {
            let Some(other) = new.ino else { return fail(ENOENT) };
            if new.slash && !self.inode(other)?.is_directory() {
                return fail(ENOTDIR);
            }
        }
        if !self.inode(ino)?.is_directory() && (old.slash || flags & EXCHANGE == 0 && new.slash) {
            return fail(ENOTDIR);
        }
        // A directory does not go below itself.
        if self.fs().contains(ino, new.parent)? {
            return fail(EINVAL);
        }
        match new.ino {
            Some(other) if self.fs().contains(other, old.parent)? => {
                fail(if flags & EXCHANGE != 0 { EINVAL } else { ENOTEMPTY })
            }
            _ => Ok(()),
        }
    }

    fn check_rename_rights(
        &self,
        old: &ResolvedPath,
        ino: Ino,
        new: &ResolvedPath,
        flags: u32,
    ) -> CallResult<()> {
        let is_directory = self.inode(ino)?.is_directory();
        if !self.inode(old.parent)?.allows(3) {
            return fail(EACCES);
        }
        let parent = self.inode(new.parent)?;
        if parent.links == 0 {
            return fail(ENOENT);
        }
        if !parent.allows(3) {
            return fail(EACCES);
        }
        let apart = old.parent != new.parent;
        let other = match new.ino {
            Some(other) => Some(self.inode(other)?),
            None => None,
        };
        if let Some(other) = other
            && flags & EXCHANGE == 0
        {
            match (is_directory, other.is_directory()) {
                (true, false) => return fail(ENOTDIR),
                (false, true) => return fail(EISDIR),
                _ => {}
            }
        }
        // A directory whose `..` changes must be writable.
        if apart && is_directory && !self.inode(ino)?.allows(2) {
            return fail(EACCES);
        }
        if let Some(other) = other {
            if flags & EXCHANGE != 0 && apart && other.is_directory() && !other.allows(2) {
                return fail(EACCES);
            }
            if flags & EXCHANGE == 0 && matches!(&other.node, FileNode::Directory(d) if !d.entries.is_empty())
            {
                return fail(ENOTEMPTY);
            }
        }
        Ok(())
    }

    /// The index of the entry for an inode under this name.
    fn index_of(&self, place: &ResolvedPath, ino: Ino) -> CallResult<usize> {
        let Last::Name(name) = &place.last else { return fail(ENOENT) };
        let entries = &self.fs().directory(place.parent)?.entries;
        // A name may be symbolic: the walk has found which entry it is.
        // The walk to the other place may have found that an entry before it is not there.
        let found = place.index.and_then(|i| entries.get(i)).filter(|e| e.ino == ino);
        let name = found.map_or(name, |e| &e.name);
        let exact = entries.iter().position(|e| e.ino == ino && e.name == *name);
        exact.or_else(|| entries.iter().position(|e| e.ino == ino)).ok_or(ENOENT.into())
    }

    fn move_entry(&mut self, old: &ResolvedPath, ino: Ino, new: ResolvedPath) -> CallResult<()> {
        let now = self.now();
        let Last::Name(mut name) = new.last.clone() else { return fail(ENOENT) };
        let from = self.index_of(old, ino)?;
        let replaced = match new.ino {
            Some(other) => {
                let index = self.index_of(&new, other)?;
                name = self.fs().directory(new.parent)?.entries[index].name.clone();
                Some(index)
            }
            None => None,
        };
        let moved = self.fs_mut().leave(old.parent, from, now)?;
        let ended = match replaced {
            Some(index) => {
                let index = index - usize::from(old.parent == new.parent && from < index);
                Some(self.take_entry(new.parent, index)?.0)
            }
            None => None,
        };
        let fs = self.fs_mut();
        fs.enter(new.parent, name.clone(), ino, now)?;
        fs.inode_mut(ino)?.set_time(CHANGED, now);
        self.tell_of_move(ino, (old.parent, &moved.name), (new.parent, &name), ended)?;
        if let Some(ended) = ended {
            self.reap(ended);
        }
        Ok(())
    }

    /// Tells watchers of a rename, and of the inode whose name was taken.
    fn tell_of_move(
        &mut self,
        ino: Ino,
        old: (Ino, &Name),
        new: (Ino, &Name),
        ended: Option<Ino>,
    ) -> CallResult<()> {
        let cookie = self.fs_mut().rename_number();
        let directory = self.inode(ino)?.is_directory();
        self.kernel.notify_entry(old.0, old.1, directory, MOVED_FROM, cookie);
        self.kernel.notify_entry(new.0, new.1, directory, MOVED_TO, cookie);
        if let Some(ended) = ended {
            self.kernel.notify_itself(ended, ATTRIB);
        }
        self.kernel.notify_itself(ino, MOVE_SELF);
        Ok(())
    }

    fn exchange(&mut self, old: &ResolvedPath, ino: Ino, new: &ResolvedPath, other: Ino) -> CallResult<()> {
        let now = self.now();
        let from = self.index_of(old, ino)?;
        let first = self.fs_mut().leave(old.parent, from, now)?;
        let to = self.index_of(
            &ResolvedPath {
                index: new.index.map(|i| i - usize::from(old.parent == new.parent && from < i)),
                ..new.clone()
            },
            other,
        )?;
        let fs = self.fs_mut();
        let second = fs.leave(new.parent, to, now)?;
        fs.enter(old.parent, first.name.clone(), other, now)?;
        fs.enter(new.parent, second.name.clone(), ino, now)?;
        fs.inode_mut(ino)?.set_time(CHANGED, now);
        fs.inode_mut(other)?.set_time(CHANGED, now);
        let (old, new) = ((old.parent, &first.name), (new.parent, &second.name));
        self.tell_of_move(ino, old, new, None)?;
        self.tell_of_move(other, new, old, None)
    }
}
