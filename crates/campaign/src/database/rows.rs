//! Helpers of the files that write the database's rows. They do not depend on the [`Store`](crate::Store).

use cleave_region::{BugRecord, Encoded, Expected, PathKind, Region};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use crate::transports::protocol::Aside;

pub(crate) fn not_encoded(error: postcard::Error) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(error))
}

/// A count as SQLite's signed integer; no count here comes near 2^63.
pub(crate) fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Counts a path into a bug; returns the bug's number and its number of paths.
pub(crate) fn count_bug(
    tx: &Transaction<'_>,
    bug: &BugRecord,
    kind: PathKind,
    path: u64,
) -> rusqlite::Result<(u64, u64)> {
    let trace = serde_json::to_string(&bug.trace)
        .map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
    let sql = "INSERT INTO bugs(kind, place, path_kind, message, trace, first_path, count) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1) \
               ON CONFLICT(kind, place) DO UPDATE SET count = count + 1 RETURNING id, count";
    tx.prepare_cached(sql)?
        .query_row(params![bug.kind, bug.place, kind.name(), bug.message, trace, signed(path)], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
}

pub(crate) fn insert_region(
    tx: &Transaction<'_>,
    state: &str,
    region: &Encoded<Region>,
    reason: Option<&str>,
    expected: Option<Expected>,
) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO regions(state, region, reason, deaths, expected, variance) \
               VALUES (?1, ?2, ?3, 0, ?4, ?5)";
    let (paths, variance) = expected.map(|e| (e.paths, e.variance)).unzip();
    tx.prepare_cached(sql)?.execute(params![state, region.bytes(), reason, paths, variance])?;
    Ok(tx.last_insert_rowid())
}

/// The value of a key of the table `meta`.
pub(crate) fn meta_value(db: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    db.query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get(0)).optional()
}

/// The name of a region's state in the database.
pub(crate) fn name_of(aside: Aside) -> &'static str {
    match aside {
        Aside::Unknown => "unknown",
        Aside::Cut => "cut",
        Aside::Diverged => "diverged",
        Aside::Crashed => "crashed",
    }
}

/// The expectation of one or several regions, from this column of a row on: paths, then their variance.
pub(crate) fn expected_in(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Expected>> {
    let (paths, variance) = (row.get::<_, Option<f64>>(column)?, row.get::<_, Option<f64>>(column + 1)?);
    Ok(paths.zip(variance).map(|(paths, variance)| Expected { paths, variance }))
}
