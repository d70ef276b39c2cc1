//! Resolves paths to the inodes that they name.

use std::collections::VecDeque;

use cleave_memory::Byte;

use crate::files::fs::ROOT;
use crate::files::inode::{FileNode, Ino, Name};
use crate::kernel::errno::{CallResult, EACCES, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR, fail};
use crate::kernel::state::Call;

/// The longest component, in bytes.
const NAME_MAX: usize = 255;
/// The most symbolic links on the way.
const MAX_LINKS: u32 = 40;
/// Stands for the working directory in `*at` calls.
pub(crate) const AT_FDCWD: i32 = -100;

/// The last component of a path.
#[derive(Clone, Debug)]
pub(crate) enum Last {
    Name(Name),
    Dot,
    DotDot,
    /// There is none: the path is the root.
    Root,
}

/// Result of resolving a path.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedPath {
    /// The directory that holds, or would hold, the last component.
    pub(crate) parent: Ino,
    pub(crate) last: Last,
    /// True if slashes follow the last component.
    pub(crate) slash: bool,
    /// The entry in the parent, for a name that exists.
    pub(crate) index: Option<usize>,
    /// The inode that it names, if it exists.
    pub(crate) ino: Option<Ino>,
    /// True if the last component is longer than a name can be; then it was not looked up.
    pub(crate) too_long: bool,
}

/// A byte for a sentence.
pub(crate) fn shown(byte: &Byte) -> char {
    match byte {
        Byte::Known(b @ b' '..=b'~') => char::from(*b),
        _ => '?',
    }
}

/// Says that a file is not there which Linux has, if the path leads to one: devices, and the file systems of the kernel itself.
fn missing_here(first: &Name, path: &Name) -> Option<String> {
    let text = |name: &Name| name.iter().map(shown).collect::<String>();
    match &*text(first) {
        "dev" => Some(format!("no {}", text(path))),
        // Programs ask for as many files there as there are processes.
        file_system @ ("proc" | "sys") => Some(format!("no /{file_system}")),
        _ => None,
    }
}

impl ResolvedPath {
    fn new(parent: Ino, last: Last, slash: bool, index: Option<usize>, ino: Option<Ino>) -> ResolvedPath {
        ResolvedPath { parent, last, slash, index, ino, too_long: false }
    }
}

/// Treatment of a symbolic link as the last component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LookupMode {
    /// Follow it.
    Follow,
    /// Keep it, unless slashes follow.
    Keep,
    /// Follow it, to a file that may have to be made: no slashes may follow a name.
    Create,
    /// The entry itself is meant: to be made, removed or renamed.
    Entry,
}

struct Split {
    absolute: bool,
    names: VecDeque<Name>,
    slash: bool,
}

impl Call<'_> {
    /// The components of a path. The slashes are decided byte by byte, from the first on.
    fn split(&mut self, path: &[cleave_memory::Byte]) -> CallResult<Split> {
        let mut names = VecDeque::new();
        let mut name = Name::new();
        let (mut absolute, mut slash) = (false, false);
        for (i, &byte) in path.iter().enumerate() {
            slash = self.is(byte, b'/')?;
            if !slash {
                name.push(byte);
            } else if i == 0 {
                absolute = true;
            } else if !name.is_empty() {
                names.push_back(std::mem::take(&mut name));
            }
        }
        if !name.is_empty() {
            names.push_back(name);
        }
        Ok(Split { absolute, names, slash })
    }

    /// The kind of a component: `.`, `..`, or a name.
    fn component(&mut self, name: Name) -> CallResult<Last> {
        const DOT: cleave_memory::Byte = cleave_memory::Byte::Known(b'.');
        Ok(match name.len() {
            1 if self.same(&name, &[DOT])? => Last::Dot,
            2 if self.same(&name, &[DOT, DOT])? => Last::DotDot,
            _ => Last::Name(name),
        })
    }

    /// The entry of a directory with this name: compared with the entries of its length, oldest first.
    fn find(&mut self, directory: Ino, name: &Name) -> CallResult<Option<usize>> {
        let entries = self.fs().directory(directory)?.entries.clone();
        for (i, entry) in entries.iter().enumerate() {
            if self.same(name, &entry.name)? {
                // If it turns out not to exist, the entries behind it move up, and none of them has its name.
                return Ok(self.settle_kind(directory, entry.ino)?.then_some(i));
            }
        }
        Ok(None)
    }

    /// The directory that a relative path starts from.
    fn start(&self, directory: i32) -> CallResult<Ino> {
        if directory == AT_FDCWD {
            return Ok(self.process().cwd);
        }
        let ino = self.any_file(directory)?.ino;
        if self.inode(ino)?.is_directory() { Ok(ino) } else { fail(ENOTDIR) }
    }

    /// Notes that a directory does not have the file that a path leads to, where Linux has it.
    fn misses(&mut self, directory: Ino, name: &Name, path: &Name) {
        if directory == ROOT
            && let Some(what) = missing_here(name, path)
        {
            self.kernel.make_up(&what);
        }
    }

    /// Resolves a path, from the directory of a descriptor or [`AT_FDCWD`].
    pub(crate) fn walk(&mut self, directory: i32, path: &Name, mode: LookupMode) -> CallResult<ResolvedPath> {
        if path.is_empty() {
            return fail(ENOENT);
        }
        let Split { absolute, mut names, mut slash } = self.split(path)?;
        let mut at = if absolute { ROOT } else { self.start(directory)? };
        let mut links = 0;
        loop {
            let Some(name) = names.pop_front() else {
                return Ok(ResolvedPath::new(at, Last::Root, slash, None, Some(at)));
            };
            let inode = self.inode(at)?;
            if !inode.is_directory() {
                return fail(ENOTDIR);
            }
            if !inode.allows(1) {
                return fail(EACCES);
            }
            let is_last = names.is_empty();
            let last = self.component(name)?;
            let name = match &last {
                Last::Name(name) => name,
                Last::Dot | Last::Root if is_last => {
                    return Ok(ResolvedPath::new(at, last, slash, None, Some(at)));
                }
                Last::Dot | Last::Root => continue,
                Last::DotDot => {
                    let parent = self.fs().directory(at)?.parent;
                    if is_last {
                        return Ok(ResolvedPath::new(at, last, slash, None, Some(parent)));
                    }
                    at = parent;
                    continue;
                }
            };
            if is_last && slash && mode == LookupMode::Create {
                return fail(EISDIR);
            }
            if name.len() > NAME_MAX && is_last && mode == LookupMode::Entry {
                return Ok(ResolvedPath { too_long: true, ..ResolvedPath::new(at, last, slash, None, None) });
            }
            if name.len() > NAME_MAX {
                return fail(ENAMETOOLONG);
            }
            let index = self.find(at, name)?;
            let Some(i) = index else {
                self.misses(at, name, path);
                if is_last {
                    return Ok(ResolvedPath::new(at, last, slash, index, None));
                }
                return fail(ENOENT);
            };
            let ino = self.fs().directory(at)?.entries[i].ino;
            let follow = match mode {
                LookupMode::Follow | LookupMode::Create => true,
                LookupMode::Keep => slash,
                LookupMode::Entry => false,
            };
            match &self.inode(ino)?.node {
                FileNode::Link(target) if !is_last || follow => {
                    let target = target.clone();
                    links += 1;
                    if links > MAX_LINKS {
                        return fail(ELOOP);
                    }
                    let mut split = self.split(&target)?;
                    if split.absolute {
                        at = ROOT;
                    }
                    if is_last {
                        slash |= split.slash;
                    }
                    split.names.append(&mut names);
                    names = split.names;
                }
                _ if is_last => {
                    return Ok(ResolvedPath::new(at, last, slash, index, Some(ino)));
                }
                _ => at = ino,
            }
        }
    }

    /// Resolves a path whose last component is an entry to be made or removed.
    pub(crate) fn entry(&mut self, directory: i32, path: &Name) -> CallResult<ResolvedPath> {
        let place = self.walk(directory, path, LookupMode::Entry)?;
        if place.too_long { fail(ENAMETOOLONG) } else { Ok(place) }
    }

    /// The inode that a path names.
    pub(crate) fn lookup(&mut self, directory: i32, path: &Name, mode: LookupMode) -> CallResult<Ino> {
        let place = self.walk(directory, path, mode)?;
        let Some(ino) = place.ino else { return fail(ENOENT) };
        if place.slash && !self.inode(ino)?.is_directory() {
            return fail(ENOTDIR);
        }
        Ok(ino)
    }

    /// As [`Call::lookup`], for the path at an address.
    pub(crate) fn lookup_at(&mut self, directory: u64, address: u64, mode: LookupMode) -> CallResult<Ino> {
        let path = self.string(address)?;
        self.lookup(directory as i32, &path, mode)
    }

    /// As [`Call::lookup_at`], but an empty path may name the descriptor itself.
    pub(crate) fn lookup_or_self(
        &mut self,
        directory: u64,
        address: u64,
        mode: LookupMode,
        empty: bool,
    ) -> CallResult<Ino> {
        let path = if empty && address == 0 { Name::new() } else { self.string(address)? };
        if !(empty && path.is_empty()) {
            return self.lookup(directory as i32, &path, mode);
        }
        if directory as i32 == AT_FDCWD {
            return Ok(self.process().cwd);
        }
        Ok(self.any_file(directory as i32)?.ino)
    }
}
