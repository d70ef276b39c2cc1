//! Entries of the file system that are there when a program starts, beside its symbolic files: those of a folder of the host
//! (`--fs`), and those whose kind is an input (`--sym-tree`).
//!
//! The kind of an entry of `--sym-tree` is decided when the program first finds it:
//!
//! | byte `A-kind` | what A is |
//! |---|---|
//! | 0 | a regular file with the bytes of `A-data` |
//! | 1 | a directory with one such file in it, `f` |
//! | 2 | a symbolic link to the next entry; the last one's leads to the first |
//! | 3 | a symbolic link to `none`, which is not there |
//! | 4 and more | nothing |

use std::sync::Arc;

use crate::env::world::{FILE_MODE, ROOT_MODE};

/// The name of the file in a directory of `--sym-tree`.
pub const INNER_NAME: &str = "f";
/// Target of the link of `--sym-tree` that leads nowhere.
pub const NOWHERE: &str = "none";
/// The permissions of a symbolic link.
pub(crate) const LINK_MODE: u32 = 0o777;

/// An entry of the file system at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// Its path: names with `/` between them, from the root on, which is also the working directory. The directories on the way
    /// stand before it.
    pub path: Vec<u8>,
    /// Its kind and contents.
    pub node: TreeNode,
    /// Its permissions: the lower 12 bits of its mode.
    pub mode: u32,
    /// When it was read, written and changed, if not at the start of the program.
    pub time: Option<(i64, u32)>,
}

/// Kind and contents of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeNode {
    /// A directory.
    Directory,
    /// A regular file with these bytes.
    File(Arc<[u8]>),
    /// A symbolic link that leads there.
    Link(Vec<u8>),
    /// There is no such entry; it only has a number, which no other inode gets.
    Nothing,
}

/// A kind of an entry of `--sym-tree`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeKind {
    File,
    Directory,
    NextLink,
    Dangling,
    Nothing,
}

impl TreeKind {
    /// In the order of the bytes that mean them.
    pub(crate) const ALL: [TreeKind; 5] =
        [TreeKind::File, TreeKind::Directory, TreeKind::NextLink, TreeKind::Dangling, TreeKind::Nothing];
}

/// An entry of `--sym-tree`, and the file in it: always two. `next` is the entry behind it.
pub(crate) fn entries_of(name: String, next: String, kind: u8, data: Vec<u8>) -> [TreeEntry; 2] {
    let kind = TreeKind::ALL[usize::from(kind).min(4)];
    let file = TreeNode::File(data.into());
    let (node, mode, inner) = match kind {
        TreeKind::File => (file, FILE_MODE, TreeNode::Nothing),
        TreeKind::Directory => (TreeNode::Directory, ROOT_MODE, file),
        TreeKind::NextLink => (TreeNode::Link(next.into()), LINK_MODE, TreeNode::Nothing),
        TreeKind::Dangling => (TreeNode::Link(NOWHERE.into()), LINK_MODE, TreeNode::Nothing),
        TreeKind::Nothing => (TreeNode::Nothing, 0, TreeNode::Nothing),
    };
    let inner_path = format!("{name}/{INNER_NAME}").into_bytes();
    [
        TreeEntry { path: name.into(), node, mode, time: None },
        TreeEntry { path: inner_path, node: inner, mode: FILE_MODE, time: None },
    ]
}
