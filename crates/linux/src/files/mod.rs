//! The file system: inodes and their contents, paths, open file descriptions, locks, pipes; files that are inputs.

pub(crate) mod calls; // Handlers of calls about files.
pub(crate) mod content; // The bytes of a file: holes, known pages, symbolic pages.
pub(crate) mod descriptions; // Open file descriptions, and the flags they are opened with.
pub(crate) mod entries; // Entries that exist at the start; the kinds of those of `--sym-tree` are decided.
pub(crate) mod fs; // The file system: inodes by number.
pub(crate) mod inode; // Inodes: the objects that names and descriptors refer to.
pub(crate) mod inode_numbers; // Numbers of inodes, and names.
pub(crate) mod locks; // Locks of parts of files (`fcntl`).
pub(crate) mod metadata; // The metadata of files that are inputs, as system calls look at them.
pub(crate) mod path; // Resolves paths to inodes.
pub(crate) mod pipe; // Pipes: their contents, and the room in them.
pub(crate) mod refusal; // Files that may refuse to be opened.
pub(crate) mod stat_object; // Metadata of symbolic files as inputs (`--sym-stat`).
pub(crate) mod terminal; // The state of the terminal that the standard streams may be (`--sym-terminal`).
pub(crate) mod tree; // Descriptions of entries that are there at the start (`--fs`, `--sym-tree`).
