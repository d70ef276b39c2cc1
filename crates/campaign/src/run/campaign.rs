//! A resumable run: its directory, its database, and the exclusive right to write there. Commands create, open and run it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cleave_coverage::Map;
use cleave_region::Region;

use crate::accounting::account::{Account, StopReason};
use crate::accounting::counters;
use crate::accounting::stats::Stats;
use crate::database::ledger::{Ledger, Totals};
use crate::database::recording::KnownPaths;
use crate::database::store::{DATABASE, Meta, Store};
use crate::error::CampaignError;
use crate::run::coordinator::Coordinator;
use crate::run::options::RunOptions;
use crate::run::owned_or_borrowed::Held;
use crate::run::sink::Sink;
use crate::transports::transport::Transport;

/// A run whose paths are explored in this process's sessions. Only one process has a run open this way.
pub struct Campaign {
    ledger: Ledger,
    directory: PathBuf,
    /// Locked while the run is open; the system unlocks it when the process ends in any way.
    _lock: Option<File>,
}

impl Campaign {
    /// Creates a run in `directory`, which must exist and hold no run; its paths are those of `regions`.
    ///
    /// # Errors
    /// If there is a run already, or the database cannot be created.
    pub fn create(directory: &Path, meta: &Meta, regions: &[Region]) -> Result<Campaign, CampaignError> {
        Campaign::create_without(directory, meta, regions, &[], "")
    }

    /// As [`Campaign::create`]; the regions `left_out` are kept for a later session, as cut, for this `reason`.
    ///
    /// # Errors
    /// Those of [`Campaign::create`].
    pub fn create_without(
        directory: &Path,
        meta: &Meta,
        regions: &[Region],
        left_out: &[Region],
        reason: &str,
    ) -> Result<Campaign, CampaignError> {
        let lock = lock(directory)?;
        if directory.join(DATABASE).exists() {
            return Err(CampaignError::Exists { path: directory.to_path_buf() });
        }
        let store = Store::create(directory, meta, (regions, left_out, reason))?;
        Ok(Campaign {
            ledger: Ledger::new(store, Totals::default()),
            directory: directory.to_path_buf(),
            _lock: Some(lock),
        })
    }

    /// A run without a directory, which exists as long as this value: for simulations.
    ///
    /// # Errors
    /// Those of the database.
    pub fn in_memory(meta: &Meta, regions: &[Region]) -> Result<Campaign, CampaignError> {
        let store = Store::in_memory(meta, (regions, &[], ""))?;
        Ok(Campaign { ledger: Ledger::new(store, Totals::default()), directory: PathBuf::new(), _lock: None })
    }

    /// Opens the run in `directory`, to resume it.
    ///
    /// # Errors
    /// If there is none, another process explores it, or the database cannot be read and written.
    pub fn open(directory: &Path) -> Result<Campaign, CampaignError> {
        if !is_run_directory(directory) {
            return Err(CampaignError::NotARun { path: directory.to_path_buf() });
        }
        let lock = lock(directory)?;
        let store = Store::open(directory)?;
        let totals = Totals { paths: store.path_counts()?, bugs: store.count_bugs()?, stats: store.stats()? };
        Ok(Campaign {
            ledger: Ledger::new(store, totals),
            directory: directory.to_path_buf(),
            _lock: Some(lock),
        })
    }

    /// Notes that the paths kept by a machine are lost: they lie in `regions`, which are open from now on.
    ///
    /// # Errors
    /// Those of the database.
    pub fn lose(&mut self, host: &str, regions: &[Region]) -> Result<(), CampaignError> {
        let store = &mut self.ledger.store;
        store.lose(host, regions)?;
        self.ledger.totals =
            Totals { paths: store.path_counts()?, bugs: store.count_bugs()?, stats: store.stats()? };
        Ok(())
    }

    /// Records paths of a new run that are known without being explored, in one transaction with the regions that are left to explore.
    ///
    /// # Errors
    /// Those of the database.
    pub fn keep(&mut self, map: Arc<Map>, known: KnownPaths) -> Result<(), CampaignError> {
        let store = &mut self.ledger.store;
        store.cover(map)?;
        store.keep(known)?;
        self.ledger.totals =
            Totals { paths: store.path_counts()?, bugs: store.count_bugs()?, stats: store.stats()? };
        Ok(())
    }

    /// Explores the open regions until something stops it, which may be an error; the rest stays open.
    ///
    /// # Errors
    /// Those of the database, of starting workers, and of the sink.
    pub fn run(
        &mut self,
        transport: &mut dyn Transport,
        options: &RunOptions,
        sink: &mut dyn Sink,
    ) -> Result<StopReason, CampaignError> {
        let ledger = Held::Ref(&mut self.ledger);
        Coordinator::new(ledger, Held::Ref(transport), Held::Ref(sink), options.clone())?.run()
    }

    /// Notes the wall time of the last session from its start to its end, writing of files included.
    ///
    /// # Errors
    /// Those of the database.
    pub fn close_session(&mut self, wall: Duration) -> Result<(), CampaignError> {
        let Some((session, stopped, reason)) = self.ledger.session.take() else { return Ok(()) };
        let writing = wall.saturating_sub(stopped).as_nanos();
        let mut stats = Stats::default();
        stats.add(counters::WRITING_NANOS, u64::try_from(writing).unwrap_or(u64::MAX));
        self.ledger.store.add(&stats)?;
        self.ledger.store.note_session(session, wall, Some(reason.name()))
    }

    /// Moves the recorded data from the log into the database, as closing it does.
    ///
    /// # Errors
    /// Those of the database.
    pub fn settle(&mut self) -> Result<(), CampaignError> {
        self.ledger.store.checkpoint()
    }

    /// The run's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The database, to read it.
    pub fn store(&self) -> &Store {
        &self.ledger.store
    }

    /// The current account.
    ///
    /// # Errors
    /// Those of the database.
    pub fn account(&self) -> Result<Account, CampaignError> {
        self.ledger.store.account()
    }
}

/// True if `directory` holds a run.
pub fn is_run_directory(directory: &Path) -> bool {
    directory.join(DATABASE).is_file()
}

fn lock(directory: &Path) -> Result<File, CampaignError> {
    let failed = |source| CampaignError::Directory { path: directory.to_path_buf(), source };
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(directory.join("lock"))
        .map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(CampaignError::Busy { path: directory.to_path_buf() }),
        Err(std::fs::TryLockError::Error(source)) => Err(failed(source)),
    }
}
