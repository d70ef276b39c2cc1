//! The database rows about shards: the counted range of each, and the regions of paths that machines keep. The store calls it.

use cleave_region::{Encoded, PathKind, Region};
use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::database::batch::Batch;
use crate::database::rows::{count_bug, not_encoded, signed};
use crate::transports::protocol::{Kept, Report};

/// The tables of shards.
pub(crate) const SCHEMA: &str = "
CREATE TABLE shards(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,    -- of the file, up to its suffix
    counted INTEGER NOT NULL,     -- bytes that count
    paths INTEGER NOT NULL,       -- how many paths it has that count
    digest BLOB NOT NULL,         -- the sum of their digests modulo 2^128, the most significant byte first
    host TEXT                     -- the machine that keeps it; nothing where it lies with the run
);
CREATE TABLE kept_kinds(          -- how many of a shard's paths ended in which way
    shard INTEGER NOT NULL,
    kind TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY(shard, kind)
) WITHOUT ROWID;
CREATE TABLE kept_bugs(           -- how many of a shard's paths end in which bug
    shard INTEGER NOT NULL,
    bug INTEGER NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY(shard, bug)
) WITHOUT ROWID;
CREATE TABLE sources(             -- where the paths that a machine keeps come from: regions that it got (1), and those of
    id INTEGER PRIMARY KEY,       -- them that it has given back or away (-1)
    host TEXT NOT NULL,
    sign INTEGER NOT NULL,
    region BLOB NOT NULL
);
CREATE TABLE kept(
    first INTEGER PRIMARY KEY,    -- the number of the first of these paths in the run
    n INTEGER NOT NULL,           -- how many there are
    shard INTEGER NOT NULL,       -- where they lie: shard, and bytes of it
    start INTEGER NOT NULL,
    end INTEGER NOT NULL
);
CREATE TABLE notable(
    path INTEGER PRIMARY KEY,     -- the number of a path that lies in a shard, and shows something new
    digest BLOB NOT NULL,
    record BLOB NOT NULL          -- as in paths.records
);
";

pub(crate) fn digest_bytes(row: &Row<'_>, column: usize) -> rusqlite::Result<u128> {
    let bytes = row.get_ref(column)?.as_blob()?;
    Ok(bytes.try_into().map_or(0, u128::from_be_bytes))
}

/// Records the shards' part of a report's paths, under the numbers from `first` on; returns the numbers of the paths in the
/// report, with true for those with a new bug.
pub(crate) fn insert_kept(
    tx: &Transaction<'_>,
    first: u64,
    report: &Report,
) -> rusqlite::Result<Vec<Option<(u64, bool)>>> {
    let mut firsts = Vec::with_capacity(report.kept.len());
    let mut shards = Vec::with_capacity(report.kept.len());
    let mut next = first;
    for kept in &report.kept {
        firsts.push(next);
        shards.push(count_shard(tx, next, kept)?);
        next += kept.paths();
    }
    let mut done = Vec::with_capacity(report.paths.len());
    for (path, (kept, number)) in report.paths.iter().zip(&report.places) {
        // The sender was checked.
        let id = firsts.get(*kept as usize).map_or(first, |first| first + number);
        let bug = path.bug.as_ref().map(|bug| count_bug(tx, bug, path.kind, id)).transpose()?;
        if let (Some((bug, _)), Some(shard)) = (bug, shards.get(*kept as usize)) {
            count_kept_bug(tx, *shard, signed(bug), 1)?;
        }
        let mut one = Batch::default();
        one.push(path, bug.map(|(row, _)| row)).map_err(not_encoded)?;
        let sql = "INSERT OR REPLACE INTO notable(path, digest, record) VALUES (?1, ?2, ?3)";
        tx.prepare_cached(sql)?.execute(params![signed(id), one.digests, one.records])?;
        done.push(Some((id, bug.is_some_and(|(_, count)| count == 1))));
    }
    for (kept, shard) in report.kept.iter().zip(shards) {
        for (kind, place, n) in &kept.bugs {
            let sql = "UPDATE bugs SET count = count + ?3 WHERE kind = ?1 AND place = ?2 RETURNING id";
            let bug = tx.prepare_cached(sql)?.query_row(params![kind, place, signed(*n)], |row| row.get(0));
            if let Some(bug) = bug.optional()? {
                count_kept_bug(tx, shard, bug, *n)?;
            }
        }
    }
    Ok(done)
}

fn count_kept_bug(tx: &Transaction<'_>, shard: i64, bug: i64, n: u64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO kept_bugs(shard, bug, n) VALUES (?1, ?2, ?3) \
               ON CONFLICT(shard, bug) DO UPDATE SET n = n + excluded.n";
    tx.prepare_cached(sql)?.execute(params![shard, bug, signed(n)]).map(drop)
}

/// Notes that a machine has received regions, or returned them or given them away.
pub(crate) fn note_sources<'a>(
    tx: &Transaction<'_>,
    host: Option<&str>,
    got: bool,
    regions: impl IntoIterator<Item = &'a Encoded<Region>>,
) -> rusqlite::Result<()> {
    let Some(host) = host else { return Ok(()) };
    let sql = "INSERT INTO sources(host, sign, region) VALUES (?1, ?2, ?3)";
    let mut insert = tx.prepare_cached(sql)?;
    let sign = if got { 1 } else { -1 };
    regions.into_iter().try_for_each(|region| insert.execute(params![host, sign, region.bytes()]).map(drop))
}

/// Counts paths of one shard.
fn count_shard(tx: &Transaction<'_>, first: u64, kept: &Kept) -> rusqlite::Result<i64> {
    let known = "SELECT id, counted, digest FROM shards WHERE name = ?1";
    let known = tx
        .prepare_cached(known)?
        .query_row([&kept.shard], |row| Ok((row.get(0)?, row.get(1)?, digest_bytes(row, 2)?)))
        .optional()?;
    let (shard, counted, digest): (i64, i64, u128) = match known {
        Some(known) => known,
        None => {
            let sql =
                "INSERT INTO shards(name, counted, paths, digest, host) VALUES (?1, 0, 0, zeroblob(16), ?2)";
            tx.prepare_cached(sql)?.execute(params![kept.shard, kept.host()])?;
            (tx.last_insert_rowid(), 0, 0)
        }
    };
    if signed(kept.start) < counted {
        // A worker continues at its last position: no bytes are counted twice.
        return Err(rusqlite::Error::IntegralValueOutOfRange(0, counted));
    }
    let (n, start, end) = (signed(kept.paths()), signed(kept.start), signed(kept.end));
    let sql = "UPDATE shards SET counted = ?2, paths = paths + ?3, digest = ?4 WHERE id = ?1";
    let digest = digest.wrapping_add(kept.set).to_be_bytes();
    tx.prepare_cached(sql)?.execute(params![shard, end, n, &digest[..]])?;
    // Consecutive reports of one worker make one row.
    let sql = "UPDATE kept SET n = n + ?2, end = ?5 WHERE first = (SELECT max(first) FROM kept) \
               AND first + n = ?1 AND shard = ?3 AND end = ?4";
    if tx.prepare_cached(sql)?.execute(params![signed(first), n, shard, start, end])? == 0 {
        let sql = "INSERT INTO kept(first, n, shard, start, end) VALUES (?1, ?2, ?3, ?4, ?5)";
        tx.prepare_cached(sql)?.execute(params![signed(first), n, shard, start, end])?;
    }
    for (kind, n) in PathKind::ALL.into_iter().zip(kept.kinds).filter(|(_, n)| *n > 0) {
        add_path_count(tx, kind, n)?;
        let sql = "INSERT INTO kept_kinds(shard, kind, n) VALUES (?1, ?2, ?3) \
                   ON CONFLICT(shard, kind) DO UPDATE SET n = n + excluded.n";
        tx.prepare_cached(sql)?.execute(params![shard, kind.name(), signed(n)])?;
    }
    Ok(shard)
}

/// Counts paths of one kind of end.
pub(crate) fn add_path_count(tx: &Transaction<'_>, kind: PathKind, n: u64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO path_counts(kind, n) VALUES (?1, ?2) \
               ON CONFLICT(kind) DO UPDATE SET n = n + excluded.n";
    tx.prepare_cached(sql)?.execute(params![kind.name(), signed(n)]).map(drop)
}
