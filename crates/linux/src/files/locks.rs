//! Locks of parts of files (`fcntl`): each belongs to a process, or to an open file description.

use std::collections::BTreeMap;

use crate::files::inode::Ino;

/// The last byte of a file.
pub(crate) const LAST: u64 = i64::MAX as u64;

/// Whose a lock is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Process(u64),
    /// The key of an open file description.
    File(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lock {
    pub(crate) owner: Owner,
    pub(crate) first: u64,
    /// The last byte, which is in it.
    pub(crate) last: u64,
    pub(crate) exclusive: bool,
}

/// All locks of parts of files.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Locks(pub(crate) BTreeMap<Ino, Vec<Lock>>);

impl Locks {
    /// A lock of another owner that conflicts with this one.
    pub(crate) fn conflict(&self, ino: Ino, wanted: Lock) -> Option<Lock> {
        let meets = |l: &&Lock| {
            l.owner != wanted.owner
                && l.first <= wanted.last
                && wanted.first <= l.last
                && (l.exclusive || wanted.exclusive)
        };
        self.0.get(&ino)?.iter().find(meets).copied()
    }

    /// Removes an owner's locks of a range, and puts a lock there if there is one to put.
    pub(crate) fn replace(&mut self, ino: Ino, range: Lock, put: bool) {
        let all = self.0.entry(ino).or_default();
        // New locks join those that the owner has already.
        let at = all.iter().position(|l| l.owner == range.owner).unwrap_or(all.len());
        let (own, mut rest): (Vec<Lock>, Vec<Lock>) = all.iter().partition(|l| l.owner == range.owner);
        let mut now = Vec::new();
        for lock in own {
            if lock.first < range.first {
                now.push(Lock { last: lock.last.min(range.first - 1), ..lock });
            }
            if lock.last > range.last {
                now.push(Lock { first: lock.first.max(range.last + 1), ..lock });
            }
        }
        if put {
            now.push(range);
        }
        now.sort_unstable_by_key(|l| l.first);
        let mut joined: Vec<Lock> = Vec::new();
        for lock in now {
            match joined.last_mut() {
                Some(before) if before.exclusive == lock.exclusive && before.last + 1 == lock.first => {
                    before.last = lock.last;
                }
                _ => joined.push(lock),
            }
        }
        rest.splice(at.min(rest.len())..at.min(rest.len()), joined);
        *all = rest;
        if all.is_empty() {
            self.0.remove(&ino);
        }
    }
}
