//! The digest of the set of a run's paths: the sum of their digests, modulo 2^128. Two runs with equal numbers of paths and equal
//! sums have the same paths, wherever these are stored.

use rusqlite::{Transaction, params};

use crate::database::rows::meta_value;
use crate::shards::kept_rows::digest_bytes;
use crate::transports::protocol::Report;

/// The key of the sum in the table `meta`, as hexadecimal digits.
pub(crate) const KEY: &str = "path_set";

fn parse(text: &str) -> u128 {
    u128::from_str_radix(text, 16).unwrap_or(0)
}

fn change(tx: &Transaction<'_>, by: u128) -> rusqlite::Result<()> {
    if by == 0 {
        return Ok(());
    }
    let sum = meta_value(tx, KEY)?.map_or(0, |text| parse(&text)).wrapping_add(by);
    let sql = "INSERT OR REPLACE INTO meta(key, value) VALUES (?1, ?2)";
    tx.prepare_cached(sql)?.execute(params![KEY, format!("{sum:032x}")]).map(drop)
}

/// Adds the new paths of a report.
pub(crate) fn add(
    tx: &Transaction<'_>,
    report: &Report,
    done: &[Option<(u64, bool)>],
) -> rusqlite::Result<()> {
    let mut sum = report.kept.iter().fold(0u128, |sum, kept| sum.wrapping_add(kept.set));
    if report.kept.is_empty() {
        let new = report.paths.iter().zip(done).filter(|(_, done)| done.is_some());
        sum = new.fold(0, |sum, (path, _)| sum.wrapping_add(path.digest.0));
    }
    change(tx, sum)
}

/// Subtracts the paths kept by a machine, which are lost.
pub(crate) fn lose(tx: &Transaction<'_>, host: &str) -> rusqlite::Result<()> {
    let mut lost = 0u128;
    let mut shards = tx.prepare("SELECT digest FROM shards WHERE host = ?1")?;
    let mut rows = shards.query([host])?;
    while let Some(row) = rows.next()? {
        lost = lost.wrapping_add(digest_bytes(row, 0)?);
    }
    change(tx, lost.wrapping_neg())
}
