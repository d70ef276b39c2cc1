//! The run's database of finished and open work. The coordinator writes it; commands read it, also while the run goes on. Here are its
//! tables, its opening, its transactions and its sessions; other files of the crate add what is written and read.
//!
//! SQLite with a write-ahead log and `synchronous=NORMAL`. A commit is one write to the log and no fsync, so
//! tens of thousands of paths a second go in. A process that is killed loses nothing that it committed; when
//! the whole machine dies the last commits may be missing, but whole ones and in their order. As the paths of a
//! report and the region without them are one commit, either is a state in which each path is there once, or
//! still open.

use std::path::{Path, PathBuf};

use cleave_coverage::Tally;
use cleave_path::PATH_FORMAT;
use cleave_region::{Encoded, Region};
use rusqlite::{Connection, OpenFlags, Row, Transaction, params};

use crate::database::batch::DIGEST;
use crate::database::rows::{insert_region, meta_value, name_of};
use crate::database::weights;
use crate::error::CampaignError;
use crate::shards::kept_rows;
use crate::transports::protocol::Aside;

/// The name of the database in a run directory.
pub const DATABASE: &str = "db.sqlite";

/// The format that this version writes, and the mark of our databases ("Clve").
const FORMAT: i64 = 13;
const APPLICATION: i64 = 0x436c_7665;

/// The key of the format of paths in the table `meta`.
const PATH_FORMAT_KEY: &str = "path_format";

const SCHEMA: &str = "
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE regions(
    id INTEGER PRIMARY KEY,
    state TEXT NOT NULL,      -- open, leased; set aside: unknown, cut, diverged, crashed
    region BLOB NOT NULL,     -- postcard
    reason TEXT,
    deaths INTEGER NOT NULL,  -- workers that died on it without reporting a path
    expected REAL,            -- how many paths it is believed to have; nothing where nobody knows
    variance REAL,
    host TEXT                 -- who explores it, if a machine that keeps its paths itself
);
CREATE TABLE bugs(
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    place TEXT NOT NULL,
    path_kind TEXT NOT NULL,  -- failed, unsupported, assumed_away
    message TEXT NOT NULL,
    trace TEXT NOT NULL,      -- JSON
    first_path INTEGER NOT NULL,
    count INTEGER NOT NULL,
    UNIQUE(kind, place)
);
CREATE TABLE paths(
    first INTEGER PRIMARY KEY,    -- the number of the first of the paths in this row, from 1
    digests BLOB NOT NULL,        -- 16 bytes each, the first is the most significant
    records BLOB NOT NULL         -- all else of them; see batch.rs
);
CREATE TABLE path_counts(
    kind TEXT PRIMARY KEY,        -- completed, failed, unsupported, assumed_away
    n INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE marks(
    mark INTEGER PRIMARY KEY,     -- as cleave-coverage numbers them for the program's image
    path INTEGER NOT NULL         -- the first path that passed it
);
CREATE TABLE coverage(
    kind TEXT PRIMARY KEY,        -- lines, branches, functions, blocks
    covered INTEGER NOT NULL,
    total INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE stats(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions(
    id INTEGER PRIMARY KEY,
    started INTEGER NOT NULL,     -- seconds since 1970
    workers INTEGER NOT NULL,
    stop_reason TEXT,             -- none: killed, or still running
    wall_ms INTEGER NOT NULL
);
CREATE TABLE moments(             -- what a worker has done by a moment of its session; see history.rs
    session INTEGER NOT NULL,
    tick INTEGER NOT NULL,        -- rises from moment to moment, from 0
    worker INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,       -- since the session began
    paths INTEGER NOT NULL,
    lines INTEGER NOT NULL,       -- covered first by its paths
    busy_ms INTEGER NOT NULL,
    solver_ms INTEGER NOT NULL,
    PRIMARY KEY(session, tick, worker)
) WITHOUT ROWID;
";

/// Description of a run's subject.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// The program's file.
    pub program: String,
    /// A digest of the program's code.
    pub program_hash: String,
    /// The options, stored for the program that started the run.
    pub options: serde_json::Value,
    /// The version of Cleave.
    pub version: String,
}

/// An open database of a run.
pub struct Store {
    pub(crate) db: Connection,
    pub(crate) path: PathBuf,
    /// True if known paths are not recorded again: there is an index of digests.
    pub(super) indexed: bool,
    /// The number of the next path.
    pub(super) next_path: u64,
    /// The coverage.
    pub(super) coverage: Tally,
}

/// Initial content of a run: regions to explore, and regions that are set aside as cut, with the reason.
pub(crate) type Beginning<'a> = (&'a [Region], &'a [Region], &'a str);

impl Store {
    /// Creates the database of a new run whose paths are those of `regions`.
    pub(crate) fn create(
        directory: &Path,
        meta: &Meta,
        regions: Beginning<'_>,
    ) -> Result<Store, CampaignError> {
        Store::create_at(directory.join(DATABASE), meta, regions)
    }

    /// A database in memory, which exists as long as the value.
    pub(crate) fn in_memory(meta: &Meta, regions: Beginning<'_>) -> Result<Store, CampaignError> {
        Store::create_at(PathBuf::from(":memory:"), meta, regions)
    }

    fn create_at(
        path: PathBuf,
        meta: &Meta,
        (regions, left_out, reason): Beginning<'_>,
    ) -> Result<Store, CampaignError> {
        let mut store =
            Store::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        store.settings()?;
        store
            .transaction(|tx| {
                tx.execute_batch(SCHEMA)?;
                tx.execute_batch(kept_rows::SCHEMA)?;
                let mut insert = tx.prepare("INSERT INTO meta(key, value) VALUES (?1, ?2)")?;
                insert.execute(["program", &meta.program])?;
                insert.execute(["program_hash", &meta.program_hash])?;
                insert.execute(["options", &meta.options.to_string()])?;
                insert.execute(["version", &meta.version])?;
                insert.execute([PATH_FORMAT_KEY, &PATH_FORMAT.to_string()])?;
                weights::begin(tx)?;
                for region in regions {
                    insert_region(tx, "open", &Encoded::new(region), None, None)?;
                }
                for region in left_out {
                    insert_region(tx, name_of(Aside::Cut), &Encoded::new(region), Some(reason), None)?;
                }
                // Last: a database without its marks is not accepted as a run's.
                tx.pragma_update(None, "application_id", APPLICATION)?;
                tx.pragma_update(None, "user_version", FORMAT)
            })
            .map(|()| store)
    }

    /// Opens the database of a run to resume it.
    pub(crate) fn open(directory: &Path) -> Result<Store, CampaignError> {
        let mut store = Store::connect(existing(directory)?, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        store.check(directory)?;
        store.check_paths(directory)?;
        store.settings()?;
        store.next_path = store.last_number()?;
        Ok(store)
    }

    /// Opens the database of a run to read it, also while the run goes on.
    ///
    /// # Errors
    /// If there is no run in the directory, or its database cannot be read.
    pub fn read(directory: &Path) -> Result<Store, CampaignError> {
        let path = existing(directory)?;
        let store = Store::connect(path.clone(), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        match store.check(directory) {
            Ok(()) => Ok(store),
            // The log of a database in a folder that cannot be written cannot be opened; a closed one has none.
            Err(CampaignError::ReadOnly { .. }) => {
                let name = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
                let uri = PathBuf::from(format!("file:{name}?immutable=1"));
                let mut store = Store::connect(uri, flags)?;
                store.path = path;
                store.check(directory)?;
                Ok(store)
            }
            Err(e) => Err(e),
        }
    }

    fn connect(path: PathBuf, flags: OpenFlags) -> Result<Store, CampaignError> {
        let db = Connection::open_with_flags(&path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .map_err(|e| CampaignError::database(&path, e))?;
        db.set_prepared_statement_cache_capacity(64);
        // Readers block a checkpoint for a moment only.
        let _ = db.busy_timeout(std::time::Duration::from_secs(10));
        Ok(Store { db, path, indexed: false, next_path: 1, coverage: Tally::default() })
    }

    /// Simulates a disk with room for a database of `pages` pages (of 4 KiB) from now on.
    ///
    /// # Errors
    /// Those of the database.
    pub fn limit_size(&self, pages: u32) -> Result<(), CampaignError> {
        let set = self.db.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()));
        set.map_err(|e| self.error(e))
    }

    fn settings(&self) -> Result<(), CampaignError> {
        let set = || {
            // In a file system without shared memory this stays another mode: slower, but as safe.
            self.db.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
            self.db.pragma_update(None, "synchronous", "normal")?;
            self.db.pragma_update(None, "wal_autocheckpoint", 8_000)?;
            self.db.pragma_update(None, "cache_size", -65_536)
        };
        set().map_err(|e| self.error(e))
    }

    /// Moves the log into the database, as far as readers do not prevent it.
    pub(crate) fn checkpoint(&self) -> Result<(), CampaignError> {
        let moved = self.db.pragma_update_and_check(None, "wal_checkpoint", "passive", |_| Ok(()));
        moved.map_err(|e| self.error(e))
    }

    fn check(&self, directory: &Path) -> Result<(), CampaignError> {
        let pragma = |name| self.db.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let application = pragma("application_id").map_err(|e| self.error(e))?;
        if application != APPLICATION {
            return Err(CampaignError::NotARun { path: directory.to_path_buf() });
        }
        let found = pragma("user_version").map_err(|e| self.error(e))?;
        if found != FORMAT {
            return Err(CampaignError::Format { path: self.path.clone(), found, expected: FORMAT });
        }
        Ok(())
    }

    /// Checks that the paths of the run have this version's format ([`PATH_FORMAT`]), so that its regions and digests have the
    /// same meaning here as in the version that made them.
    ///
    /// # Errors
    /// [`CampaignError::PathFormat`] if they have another one; those of the database.
    pub fn check_paths(&self, directory: &Path) -> Result<(), CampaignError> {
        let found = self.path_format()?;
        if found == PATH_FORMAT {
            return Ok(());
        }
        let version = meta_value(&self.db, "version").map_err(|e| self.error(e))?.unwrap_or_default();
        let path = directory.to_path_buf();
        Err(CampaignError::PathFormat { path, found, version, expected: PATH_FORMAT })
    }

    /// The format of the run's paths; see [`PATH_FORMAT`].
    ///
    /// # Errors
    /// Those of the database.
    pub fn path_format(&self) -> Result<u32, CampaignError> {
        let text = meta_value(&self.db, PATH_FORMAT_KEY).map_err(|e| self.error(e))?;
        let number = text.and_then(|text| text.parse().ok());
        number.ok_or_else(|| self.damaged("the format of its paths is missing".into()))
    }

    pub(crate) fn damaged(&self, what: String) -> CampaignError {
        CampaignError::Damaged { path: self.path.clone(), what }
    }

    pub(crate) fn error(&self, source: rusqlite::Error) -> CampaignError {
        CampaignError::database(&self.path, source)
    }

    /// Calls `each` for the rows of a query.
    pub(crate) fn each_row<T, E: From<CampaignError>>(
        &self,
        sql: &str,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
        mut each: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E> {
        let wrap = |e| E::from(self.error(e));
        let mut statement = self.db.prepare(sql).map_err(wrap)?;
        let mut rows = statement.query([]).map_err(wrap)?;
        while let Some(row) = rows.next().map_err(wrap)? {
            each(read(row).map_err(wrap)?)?;
        }
        Ok(())
    }

    pub(crate) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, CampaignError> {
        let done = (|| {
            let tx = self.db.transaction()?;
            let value = work(&tx)?;
            tx.commit()?;
            Ok(value)
        })();
        done.map_err(|e| self.error(e))
    }

    pub(crate) fn start_session(&mut self, workers: u32) -> Result<i64, CampaignError> {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let started = since.map_or(0, |d| d.as_secs() as i64);
        self.transaction(|tx| {
            let sql = "INSERT INTO sessions(started, workers, wall_ms) VALUES (?1, ?2, 0)";
            tx.execute(sql, params![started, workers])?;
            Ok(tx.last_insert_rowid())
        })
    }

    /// Notes that a session has more workers than at its beginning.
    pub(crate) fn note_workers(&mut self, session: i64, workers: u32) -> Result<(), CampaignError> {
        self.transaction(|tx| {
            let sql = "UPDATE sessions SET workers = ?2 WHERE id = ?1";
            tx.execute(sql, params![session, workers]).map(drop)
        })
    }

    pub(crate) fn note_session(
        &mut self,
        session: i64,
        wall: std::time::Duration,
        stop_reason: Option<&str>,
    ) -> Result<(), CampaignError> {
        let wall_ms = i64::try_from(wall.as_millis()).unwrap_or(i64::MAX);
        self.transaction(|tx| {
            let sql = "UPDATE sessions SET wall_ms = ?2, stop_reason = ?3 WHERE id = ?1";
            tx.prepare_cached(sql)?.execute(params![session, wall_ms, stop_reason]).map(drop)
        })
    }

    /// The number of the next path.
    pub(crate) fn last_number(&self) -> Result<u64, CampaignError> {
        let sql = "SELECT max(coalesce((SELECT first + length(digests) / ?1 FROM paths ORDER BY first DESC LIMIT 1), 1), \
                   coalesce((SELECT first + n FROM kept ORDER BY first DESC LIMIT 1), 1))";
        let next = self.db.query_row(sql, [DIGEST as i64], |row| row.get::<_, i64>(0));
        next.map(|n| n as u64).map_err(|e| self.error(e))
    }

    pub(crate) fn decode<T: serde::de::DeserializeOwned>(
        &self,
        bytes: &[u8],
        what: &str,
    ) -> Result<T, CampaignError> {
        postcard::from_bytes(bytes).map_err(|e| CampaignError::Damaged {
            path: self.path.clone(),
            what: format!("{what} cannot be read: {e}"),
        })
    }
}

fn existing(directory: &Path) -> Result<PathBuf, CampaignError> {
    let path = directory.join(DATABASE);
    if path.is_file() { Ok(path) } else { Err(CampaignError::NotARun { path: directory.to_path_buf() }) }
}
