//! Numbers of inodes, and names.

use cleave_memory::Byte;

/// The number of an inode; those of other file systems than the root's have a bit set that says which (`inode.rs`).
pub(crate) type Ino = u64;

/// A name in a directory, or a component of a path. Its bytes may be symbolic; on the path of a state they
/// are known to differ from those of all other names in the directory.
pub(crate) type Name = Vec<Byte>;
