//! Whether each path was found once, checked without the paths: the weights of all that ended sum up to 1.
//!
//! [`Weight`] says why, and how small the chance is that a path which is lost or found twice goes unnoticed. Each report
//! carries the sum of what ended since the last one. The database adds them up in the same transactions in which regions
//! become smaller, over all sessions.

use cleave_region::Weight;
use rusqlite::{Transaction, params};

use crate::counters::{EXPLORED_AGAIN, INTERNAL, PATHS_PUT_BACK};
use crate::error::CampaignError;
use crate::stats::Stats;
use crate::store::{Store, meta_value};

/// The key of the sum in the table `meta`. A run that has none was begun by a version that did not weigh; where nothing was
/// weighed by now it is empty.
const KEY: &str = "measure";

/// What is counted where the sum is wrong.
const WRONG: &str = "crates/campaign/src/measure.rs: the weights of all that ended do not sum up to 1";

/// A run begins.
pub(crate) fn begin(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    tx.execute("INSERT INTO meta(key, value) VALUES (?1, '')", [KEY]).map(drop)
}

/// The key of the part of the sum that comes from a machine which keeps its paths itself.
fn key_of(host: &str) -> String {
    format!("{KEY} of {host}")
}

/// Adds what a report says, of a machine if it keeps its paths itself; nothing to a run that was not weighed from its
/// beginning.
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

/// What a machine has found is lost, and will be found again.
pub(crate) fn lose(tx: &Transaction<'_>, host: &str) -> rusqlite::Result<()> {
    let lost = meta_value(tx, &key_of(host))?.and_then(|value| Weight::parse(&value));
    let sum = meta_value(tx, KEY)?.and_then(|value| Weight::parse(&value));
    if let Some((lost, sum)) = lost.zip(sum) {
        let left = sum - lost;
        tx.execute("UPDATE meta SET value = ?2 WHERE key = ?1", params![KEY, left.to_string()])?;
    }
    tx.execute("DELETE FROM meta WHERE key = ?1", [key_of(host)]).map(drop)
}

impl Store {
    /// Whether each path was found once; `None` as long as that cannot be told. All must be explored, and the paths
    /// of a region that was explored again, or that were put back, may have been weighed twice.
    ///
    /// # Errors
    /// Those of the database.
    pub(crate) fn each_once(&self) -> Result<Option<bool>, CampaignError> {
        let sum = meta_value(&self.db, KEY).map_err(|e| self.error(e))?;
        let Some(sum) = sum.as_deref().and_then(Weight::parse) else { return Ok(None) };
        let stats = self.stats()?;
        let open = self.db.query_row("SELECT EXISTS(SELECT 1 FROM regions)", [], |row| row.get::<_, bool>(0));
        let told = !open.map_err(|e| self.error(e))?
            && stats.get(EXPLORED_AGAIN) == 0
            && stats.get(PATHS_PUT_BACK) == 0;
        Ok(told.then_some(sum == Weight::ONE))
    }

    /// At the end of a run: counts an internal error where a path was lost or found twice, and returns the sum then.
    pub(crate) fn check_measure(&mut self) -> Result<Option<String>, CampaignError> {
        if self.each_once()? != Some(false) {
            return Ok(None);
        }
        let name = format!("{INTERNAL}{WRONG}");
        if self.stats()?.get(&name) == 0 {
            let mut stats = Stats::default();
            stats.add(&name, 1);
            self.add(&stats)?;
        }
        meta_value(&self.db, KEY).map_err(|e| self.error(e))
    }
}
