//! Shards: paths on the machine that found them, and the database's records of them.

pub(crate) mod counted_rows; // The counted part of each shard in the run's database, and the numbers of its paths.
pub(crate) mod kept_rows; // The database's rows of ranges and regions that machines keep.
pub(crate) mod names; // Names and places of shards.
pub(crate) mod shard; // Shards: files with the paths of one worker, on the machine that found them.
