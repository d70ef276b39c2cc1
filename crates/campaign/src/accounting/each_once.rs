//! Verdict on a run, from the sum of weights: each path was found once. The coordinator checks it at the end of a run; views show
//! it.

use cleave_region::Weight;

use crate::accounting::counters::{EXPLORED_AGAIN, INTERNAL, PATHS_PUT_BACK};
use crate::accounting::stats::Stats;
use crate::database::rows::meta_value;
use crate::database::store::Store;
use crate::database::weights::KEY;
use crate::error::CampaignError;

/// Name of the counter for a wrong sum.
const WRONG: &str =
    "crates/campaign/src/accounting/each_once.rs: the weights of all that ended do not sum up to 1";

impl Store {
    /// True if each path was found once; `None` as long as that is undecided. All must be explored, and the paths
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

    /// At the end of a run: if a path was lost or found twice, counts an internal error and returns the sum.
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
