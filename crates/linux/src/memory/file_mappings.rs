//! Files that a process has mapped to be shared. The program's writes to the mapping go to the file at its next call, because no
//! other process sees them before; writes of others to the file come into the mapping when a call returns. The writer of a byte
//! is found by comparison with the mapping's bytes when the two were last the same.

use std::rc::Rc;

use cleave_memory::Byte;

use crate::files::inode::{FileNode, Ino};
use crate::kernel::guest::Guest;
use crate::kernel::state::Kernel;
use crate::memory::mappings::FileMapping;
use crate::processes::process::Process;

impl Process {
    /// Returns true if a file is mapped already, and a write through one of the two mappings must be visible in the other at
    /// once.
    pub(crate) fn maps_file(&self, ino: Ino, writable: bool) -> bool {
        self.file_mappings.values().any(|mapping| mapping.ino == ino && (writable || mapping.writable))
    }

    /// Returns true if such a mapping lies between two addresses.
    pub(crate) fn maps_file_between(&self, from: u64, to: u64) -> bool {
        self.file_mappings.iter().any(|(&start, mapping)| start < to && from < start + mapping.size())
    }

    /// Forgets the mappings of files between two addresses. Returns the keys that no mapping holds any more, and those that two
    /// mappings now hold.
    pub(crate) fn unmap_files(&mut self, from: u64, to: u64) -> (Vec<u32>, Vec<u32>) {
        let (mut let_go, mut held) = (Vec::new(), Vec::new());
        let met = |(&start, mapping): (&u64, &FileMapping)| start < to && from < start + mapping.size();
        let starts: Vec<u64> =
            self.file_mappings.iter().filter(|&m| met(m)).map(|(&start, _)| start).collect();
        for start in starts {
            let Some(mapping) = self.file_mappings.remove(&start) else { continue };
            let end = start + mapping.size();
            let mut parts = 0;
            if start < from {
                self.file_mappings.insert(start, mapping.part(0, from - start));
                parts += 1;
            }
            if to < end {
                self.file_mappings.insert(to, mapping.part(to - start, end - start));
                parts += 1;
            }
            match parts {
                0 => let_go.push(mapping.key),
                1 => {}
                _ => held.push(mapping.key),
            }
        }
        (let_go, held)
    }

    /// Forgets all that is mapped of files; the keys that were held for it.
    pub(crate) fn forget_file_mappings(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.file_mappings).into_values().map(|mapping| mapping.key).collect()
    }
}

/// Differences of two rows of bytes: runs, as places and lengths.
fn differences(one: &[Byte], other: &[Byte]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (i, (a, b)) in one.iter().zip(other).enumerate() {
        match runs.last_mut() {
            _ if a == b => {}
            Some((start, len)) if *start + *len == i => *len += 1,
            _ => runs.push((i, 1)),
        }
    }
    runs
}

impl Kernel {
    /// Writes the running process's changes in its mappings to their files.
    pub(crate) fn flush_mappings(&mut self, guest: &mut dyn Guest) {
        for (start, mapping) in self.process.file_mappings.clone() {
            let Some(now) = guest.peek(start, mapping.size()) else { continue };
            let runs = differences(&now, &mapping.seen);
            if runs.is_empty() {
                continue;
            }
            if let Ok(inode) = Rc::make_mut(&mut self.fs).inode_mut(mapping.ino)
                && let FileNode::File(content) = &mut inode.node
            {
                for (at, len) in runs {
                    // Bytes behind the file's end are in no file.
                    let place = mapping.offset + at as u64;
                    let len = len.min(content.len().saturating_sub(place) as usize);
                    content.write(place, &now[at..at + len]);
                }
            }
            self.has_seen(start, now);
        }
    }

    /// Copies the contents of the files into the running process's mappings.
    pub(crate) fn refresh_mappings(&mut self, guest: &mut dyn Guest) {
        for (start, mapping) in self.process.file_mappings.clone() {
            let Ok(inode) = self.fs.inode(mapping.ino) else { continue };
            let FileNode::File(content) = &inode.node else { continue };
            let mut now = content.read(mapping.offset, mapping.size());
            // Behind the end of the file the last page is the process's own.
            now.extend_from_slice(&mapping.seen[now.len()..]);
            for (at, len) in differences(&now, &mapping.seen) {
                let _ = guest.write(start + at as u64, &now[at..at + len]);
            }
            self.has_seen(start, now);
        }
    }

    fn has_seen(&mut self, start: u64, now: Vec<Byte>) {
        if let Some(mapping) = Rc::make_mut(&mut self.process).file_mappings.get_mut(&start)
            && *mapping.seen != now
        {
            mapping.seen = Rc::new(now);
        }
    }

    /// Returns true if the running process has such mappings.
    pub fn maps_files(&self) -> bool {
        !self.process.file_mappings.is_empty()
    }

    /// Writes the running process's changes in mapped memory to the files: it makes no call any more.
    pub fn leave_files(&mut self, guest: &mut dyn Guest) {
        self.flush_mappings(guest);
    }
}
