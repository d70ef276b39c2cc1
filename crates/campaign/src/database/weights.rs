//! Check that each path was found once, without the paths: the weights of all that ended sum up to 1. The store calls it.
//!
//! [`Weight`] gives the proof, and the small probability that a lost or doubled path goes unnoticed. Each report
//! carries the sum of the weights since the last one. The database adds them up in the same transactions in which regions
//! become smaller, over all sessions.

use cleave_region::Weight;
use rusqlite::{Connection, Transaction, params};

use crate::accounting::counters::{EXPLORED_AGAIN, PATHS_PUT_BACK};
use crate::accounting::stats::Stats;
use crate::database::rows::meta_value;

/// The key of the sum in the table `meta`. It is missing if the run was begun by a version without weights; the value is empty
/// as long as nothing was weighed.
pub(crate) const KEY: &str = "measure";

/// Sets up the sum of a new run.
pub(crate) fn begin(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    tx.execute("INSERT INTO meta(key, value) VALUES (?1, '')", [KEY]).map(drop)
}

/// The key of the part of the sum that comes from a machine which keeps its paths itself.
fn key_of(host: &str) -> String {
    format!("{KEY} of {host}")
}

/// Adds the weight of a report, for its machine if that keeps its paths itself. It has no effect on a run that was not weighed
/// from its beginning.
pub(crate) fn add(tx: &Transaction<'_>, measure: Option<Weight>, host: Option<&str>) -> rusqlite::Result<()> {
    let Some(measure) = measure else { return Ok(()) };
    if let Some(host) = host {
        let before = meta_value(tx, &key_of(host))?.and_then(|value| Weight::parse(&value));
        let sum = before.unwrap_or_default() + measure;
        let sql = "INSERT OR REPLACE INTO meta(key, value) VALUES (?1, ?2)";
        tx.prepare_cached(sql)?.execute(params![key_of(host), sum.to_string()])?;
    }
    let sum = meta_value(tx, KEY)?.map(|before| Weight::parse(&before).unwrap_or_default() + measure);
    let Some(sum) = sum else { return Ok(()) };
    let sql = "UPDATE meta SET value = ?2 WHERE key = ?1";
    tx.prepare_cached(sql)?.execute(params![KEY, sum.to_string()]).map(drop)
}

/// Subtracts the weights of a machine whose paths are lost, because the paths will be found again.
pub(crate) fn lose(tx: &Transaction<'_>, host: &str) -> rusqlite::Result<()> {
    let lost = meta_value(tx, &key_of(host))?.and_then(|value| Weight::parse(&value));
    let sum = meta_value(tx, KEY)?.and_then(|value| Weight::parse(&value));
    if let Some((lost, sum)) = lost.zip(sum) {
        let left = sum - lost;
        tx.execute("UPDATE meta SET value = ?2 WHERE key = ?1", params![KEY, left.to_string()])?;
    }
    tx.execute("DELETE FROM meta WHERE key = ?1", [key_of(host)]).map(drop)
}

/// True if each path was found once; `None` as long as that is undecided. All must be explored, and the paths
/// of a region that was explored again, or that were put back, may have been weighed twice. `stats` are the run's counters.
pub(crate) fn each_once(db: &Connection, stats: &Stats) -> rusqlite::Result<Option<bool>> {
    let Some(sum) = meta_value(db, KEY)?.as_deref().and_then(Weight::parse) else { return Ok(None) };
    let open = db.query_row("SELECT EXISTS(SELECT 1 FROM regions)", [], |row| row.get::<_, bool>(0))?;
    let told = !open && stats.get(EXPLORED_AGAIN) == 0 && stats.get(PATHS_PUT_BACK) == 0;
    Ok(told.then_some(sum == Weight::ONE))
}
