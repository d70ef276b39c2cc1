//! Shards: paths on the machine that found them, and the database's records of them.

pub(crate) mod counted_rows; // The shards in the run's database.
pub(crate) mod kept_rows; // The database rows about shards.
pub(crate) mod names; // Names and places of shards.
pub(crate) mod shard; // Shards: files with the paths of one worker, on the machine that found them.
