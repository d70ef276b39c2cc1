//! The regions that wait for workers, in the run's database: they are leased, given back, given away and reopened.

use cleave_region::{Encoded, Expected, Region};
use rusqlite::{Transaction, params};

use crate::database::rows::{expected_in, insert_region};
use crate::database::store::Store;
use crate::error::CampaignError;
use crate::shards::kept_rows;

/// A region that waits for a worker.
#[derive(Clone, Debug)]
pub(crate) struct OpenRegion {
    pub(crate) row: i64,
    pub(crate) region: Encoded<Region>,
    pub(crate) deaths: u32,
    /// Expected number of its paths; `None` if unknown.
    pub(crate) expected: Option<Expected>,
}

impl Store {
    /// Leases regions to a worker, on `host` if that machine keeps its paths, with the number of deaths on them.
    pub(crate) fn lease(
        &mut self,
        (rows, regions): (&[i64], &[Encoded<Region>]),
        deaths: u32,
        host: Option<&str>,
    ) -> Result<(), CampaignError> {
        self.transaction(|tx| {
            kept_rows::note_sources(tx, host, true, regions)?;
            let sql = "UPDATE regions SET state = 'leased', deaths = ?2, host = ?3 WHERE id = ?1";
            let mut update = tx.prepare_cached(sql)?;
            rows.iter().try_for_each(|row| update.execute(params![row, deaths, host]).map(drop))
        })
    }

    /// Reopens leased regions, with the number of deaths on them.
    pub(crate) fn give_back(&mut self, rows: &[i64], deaths: u32) -> Result<(), CampaignError> {
        self.transaction(|tx| {
            let sql = "UPDATE regions SET state = 'open', deaths = ?2 WHERE id = ?1";
            let mut update = tx.prepare_cached(sql)?;
            rows.iter().try_for_each(|row| update.execute(params![row, deaths]).map(drop))?;
            take_from_hosts(tx)
        })
    }

    /// Opens regions that came from elsewhere; returns their rows.
    pub(crate) fn insert_open(
        &mut self,
        regions: &[Encoded<Region>],
        each: Option<Expected>,
    ) -> Result<Vec<i64>, CampaignError> {
        self.transaction(|tx| {
            regions.iter().map(|region| insert_region(tx, "open", region, None, each)).collect()
        })
    }

    /// Deletes regions that belong to others now.
    pub(crate) fn give_away(&mut self, rows: &[i64]) -> Result<(), CampaignError> {
        self.transaction(|tx| {
            let mut delete = tx.prepare_cached("DELETE FROM regions WHERE id = ?1")?;
            rows.iter().try_for_each(|row| delete.execute([row]).map(drop))
        })
    }

    /// Forgets all regions.
    pub(crate) fn forget(&mut self) -> Result<(), CampaignError> {
        self.transaction(|tx| tx.execute("DELETE FROM regions", []).map(drop))
    }

    /// Sets regions aside because workers die on them.
    pub(crate) fn set_aside_crashed(&mut self, rows: &[i64], reason: &str) -> Result<(), CampaignError> {
        self.transaction(|tx| {
            let sql = "UPDATE regions SET state = 'crashed', reason = ?2 WHERE id = ?1";
            let mut update = tx.prepare_cached(sql)?;
            rows.iter().try_for_each(|row| update.execute(params![row, reason]).map(drop))?;
            take_from_hosts(tx)
        })
    }

    /// Opens the regions that were leased when the run was killed, and those set aside under one of `retry`'s names.
    /// If their remaining work was not known exactly, their paths may be found again.
    pub(crate) fn reopen(&mut self, retry: &[&str]) -> Result<Vec<OpenRegion>, CampaignError> {
        self.transaction(|tx| {
            let sql = "INSERT INTO stats(key, value) SELECT 'explored_again', count(*) FROM regions \
                       WHERE state = 'leased' AND EXISTS(SELECT 1 FROM stats WHERE key = 'inexact_reports') \
                       ON CONFLICT(key) DO UPDATE SET value = value + excluded.value";
            tx.execute(sql, [])?;
            let sql = "UPDATE regions SET state = 'open', reason = NULL, deaths = 0 WHERE state = ?1";
            for state in [&["leased"], retry].concat() {
                tx.execute(sql, [state])?;
            }
            take_from_hosts(tx)
        })?;
        let mut rows = Vec::new();
        self.each_row(
            "SELECT id, region, deaths, expected, variance FROM regions WHERE state = 'open' ORDER BY id",
            |row| {
                let (id, deaths) = (row.get::<_, i64>(0)?, row.get::<_, u32>(2)?);
                Ok((id, row.get::<_, Vec<u8>>(1)?, deaths, expected_in(row, 3)?))
            },
            |row| {
                rows.push(row);
                Ok::<(), CampaignError>(())
            },
        )?;
        rows.into_iter()
            .map(|(row, bytes, deaths, expected)| {
                self.decode::<Region>(&bytes, "a region")?;
                Ok(OpenRegion { row, region: Encoded::from_bytes(&bytes), deaths, expected })
            })
            .collect()
    }
}

/// Notes that regions which are no longer leased have left their machines.
fn take_from_hosts(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    let sql = "INSERT INTO sources(host, sign, region) SELECT host, -1, region FROM regions \
               WHERE host IS NOT NULL AND state != 'leased'";
    tx.prepare_cached(sql)?.execute([])?;
    let sql = "UPDATE regions SET host = NULL WHERE host IS NOT NULL AND state != 'leased'";
    tx.prepare_cached(sql)?.execute([]).map(drop)
}
