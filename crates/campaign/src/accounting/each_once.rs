//! Verdict on a run, from the sum of weights: each path was found once. The coordinator checks it at the end of a run; views show
//! it.

use crate::accounting::counters::INTERNAL;
use crate::accounting::stats::Stats;
use crate::database::rows::meta_value;
use crate::database::store::Store;
use crate::database::weights;
use crate::error::CampaignError;

/// Name of the counter for a wrong sum.
const WRONG: &str =
    "crates/campaign/src/accounting/each_once.rs: the weights of all that ended do not sum up to 1";

impl Store {
    /// At the end of a run: if a path was lost or found twice, counts an internal error and returns the sum.
    pub(crate) fn check_measure(&mut self) -> Result<Option<String>, CampaignError> {
        let counted = self.stats()?;
        if weights::each_once(&self.db, &counted).map_err(|e| self.error(e))? != Some(false) {
            return Ok(None);
        }
        let name = format!("{INTERNAL}{WRONG}");
        if counted.get(&name) == 0 {
            let mut stats = Stats::default();
            stats.add(&name, 1);
            self.add(&stats)?;
        }
        meta_value(&self.db, weights::KEY).map_err(|e| self.error(e))
    }
}
