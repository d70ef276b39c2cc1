//! Names and places of shards.

use std::path::{Path, PathBuf};

/// The folder of a run, or of a machine that has joined one, with its shards.
pub const SHARDS: &str = "shards";

/// The file of a shard.
pub fn file_of(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.paths"))
}

/// True if this is a valid name of a shard: it becomes a file name.
pub fn is_name(name: &str) -> bool {
    (1..=100).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}
