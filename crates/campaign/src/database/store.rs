//! The run's database of finished and open work. The coordinator writes it; commands read it, also while the run goes on.
//!
//! SQLite with a write-ahead log and `synchronous=NORMAL`. A commit is one write to the log and no fsync, so
//! tens of thousands of paths a second go in. A process that is killed loses nothing that it committed; when
//! the whole machine dies the last commits may be missing, but whole ones and in their order. As the paths of a
//! report and the region without them are one commit, either is a state in which each path is there once, or
//! still open.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cleave_coverage::{Counts, Map, Tally};
use cleave_path::PATH_FORMAT;
use cleave_region::{Encoded, EncodedPath, Expected, PathDigest, PathKind, PathRecord, Region, Weight};
use rusqlite::{Connection, OpenFlags, Row, Transaction, params};

use crate::accounting::counters;
use crate::accounting::stats::Stats;
use crate::database::batch::Batch;
use crate::database::path_set;
use crate::database::rows::{count_bug, insert_region, meta_value, not_encoded, signed};
use crate::database::weights;
use crate::error::CampaignError;
use crate::shards::kept_rows;
use crate::transports::protocol::{Aside, Report, SetAside, Shows};

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

/// Number of digests that are compared with each other at once: 64 MiB.
const AT_ONCE: u64 = 1 << 22;

/// Maximum number of paths in a row of the table `paths`: to read one path, its row is read up to it.
const IN_A_ROW: u64 = 1024;

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

/// Paths that a run has from its beginning.
#[derive(Clone, Debug, Default)]
pub struct KnownPaths {
    /// The paths.
    pub paths: Vec<PathRecord>,
    /// Coverage that each is the first to show.
    pub shows: Vec<Shows>,
    /// The regions to explore: all other paths are there.
    pub remaining: Vec<Region>,
    /// The weight of all that is not in these regions.
    pub measure: Weight,
    /// Counters of work.
    pub stats: Stats,
}

/// A region that waits for a worker.
#[derive(Clone, Debug)]
pub(crate) struct OpenRegion {
    pub(crate) row: i64,
    pub(crate) region: Encoded<Region>,
    pub(crate) deaths: u32,
    /// Expected number of its paths; `None` if unknown.
    pub(crate) expected: Option<Expected>,
}

/// Result of recording a report.
#[derive(Default)]
pub(crate) struct Recording {
    /// For each path of the report its id, and true if its bug is new. `None` for a known path. Paths beyond the maximum
    /// are left out; they are the last ones.
    pub(crate) paths: Vec<Option<(u64, bool)>>,
    /// Number of new paths, those in shards included.
    pub(crate) found: u64,
    /// The paths of the report that cover code which no path before them covers, by index, rising.
    pub(crate) covering: Vec<u32>,
    /// Rows of the regions given away.
    pub(crate) given: Vec<i64>,
    /// Rows of the regions that did not fit into memory.
    pub(crate) spilled: Vec<i64>,
    /// Paths beyond the maximum, each as a region.
    pub(crate) beyond: Vec<OpenRegion>,
    /// Counters in addition to those of the report itself.
    pub(crate) counts: Stats,
}

/// An open database of a run.
pub struct Store {
    pub(crate) db: Connection,
    pub(crate) path: PathBuf,
    /// True if known paths are not recorded again: there is an index of digests.
    indexed: bool,
    /// The number of the next path.
    next_path: u64,
    /// The coverage.
    coverage: Tally,
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

    pub(crate) fn error(&self, source: rusqlite::Error) -> CampaignError {
        CampaignError::database(&self.path, source)
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

    /// Records a report on the regions in `rows`, which are replaced by the remaining regions. If regions are
    /// explored `again` because their remaining work was not known exactly, paths may be found twice. At most
    /// `most` paths are recorded; each of the others stays open, as a region of its own.
    pub(crate) fn record(
        &mut self,
        report: &Report,
        rows: &mut Vec<i64>,
        again: bool,
        most: u64,
        host: Option<&str>,
    ) -> Result<Recording, CampaignError> {
        if again {
            self.index_digests()?;
        }
        let state = if report.over { "open" } else { "leased" };
        let old = rows.clone();
        let first = self.next_path;
        let mut coverage = std::mem::take(&mut self.coverage);
        let (recording, new) = self.transaction(|tx| {
            // Paths in shards count together with the remaining work, so they are always new.
            let paths = match report.kept.is_empty() {
                true => insert_paths(tx, first, &report.paths, again, most)?,
                false => kept_rows::insert_kept(tx, first, report)?,
            };
            let new_ones = paths.iter().flatten().count() as u64;
            let found = if report.kept.is_empty() { new_ones } else { report.found() };
            let mut recording = Recording { paths, found, ..Recording::default() };
            recording.covering = insert_marks(tx, &mut coverage, &report.shows, &recording.paths)?;
            let new = match &report.remaining {
                Some(remaining) => {
                    let each = each_of(report.expected.remaining, remaining.len());
                    if report.over {
                        kept_rows::note_sources(tx, host, false, remaining)?;
                    }
                    replace_regions(tx, &old, remaining, state, each, host.filter(|_| !report.over))?
                }
                None => {
                    expect(tx, &old, each_of(report.expected.remaining, old.len()))?;
                    old.clone()
                }
            };
            let moved = report.given.iter().flatten().chain(&report.spilled);
            let moved = moved.chain(report.set_aside.iter().map(|aside| &aside.region));
            kept_rows::note_sources(tx, host, false, moved)?;
            let each = each_of(report.expected.given, report.given.as_ref().map_or(0, Vec::len));
            for region in report.given.iter().flatten() {
                recording.given.push(insert_region(tx, "open", region, None, each)?);
                recording.counts.add(counters::STEAL_BYTES, region.bytes().len() as u64);
            }
            let each = each_of(report.expected.spilled, report.spilled.len());
            for region in &report.spilled {
                recording.spilled.push(insert_region(tx, "open", region, None, each)?);
            }
            for path in &report.paths[recording.paths.len()..] {
                let test = path.test.decode().map_err(not_encoded)?;
                let region = Encoded::new(&Region::prefix(test, path.depth, Some(path.digest)));
                let expected = Some(Expected::ONE);
                let row = insert_region(tx, "open", &region, None, expected)?;
                recording.beyond.push(OpenRegion { row, region, deaths: 0, expected });
            }
            for SetAside { region, aside, reason } in &report.set_aside {
                let name = name_of(*aside);
                if !(again && is_set_aside(tx, name, region)?) {
                    insert_region(tx, name, region, Some(reason), None)?;
                }
            }
            add_stats(tx, &report.stats)?;
            weights::add(tx, report.measure.as_deref().copied(), host)?;
            path_set::add(tx, report, &recording.paths)?;
            let known = recording.paths.iter().filter(|p| p.is_none()).count();
            let (given, spilled) = (recording.given.len(), recording.spilled.len());
            let beyond = recording.beyond.len();
            // The fact that paths may be found again must be recorded together with them.
            let inexact = usize::from(report.is_inexact());
            let counts = [
                (counters::FOUND_AGAIN, known),
                (counters::STOLEN_REGIONS, given),
                (counters::SPILLED_REGIONS, spilled),
                (counters::PATHS_PUT_BACK, beyond),
                (counters::INEXACT_REPORTS, inexact),
            ];
            counts
                .into_iter()
                .filter(|(_, n)| *n > 0)
                .for_each(|(name, n)| recording.counts.add(name, n as u64));
            add_stats(tx, &recording.counts)?;
            Ok((recording, new))
        })?;
        *rows = new;
        self.coverage = coverage;
        self.next_path += recording.found;
        Ok(recording)
    }

    /// From now on a known path is not recorded again. Digests come in no order, so that each path
    /// changes a page of the index: it costs many times the rest of recording a path, and is made only if
    /// paths may be found again.
    fn index_digests(&mut self) -> Result<(), CampaignError> {
        if !self.indexed {
            let mut all = Vec::new();
            self.each_digest(&mut |digest| {
                all.push(digest);
                Ok(())
            })?;
            self.transaction(|tx| {
                let sql = "CREATE TABLE digests(digest BLOB PRIMARY KEY) WITHOUT ROWID";
                let known = "SELECT EXISTS(SELECT 1 FROM sqlite_schema WHERE name = 'digests')";
                if tx.query_row(known, [], |row| row.get(0))? {
                    return Ok(());
                }
                tx.execute(sql, [])?;
                all.iter().try_for_each(|digest| is_new(tx, *digest).map(drop))
            })?;
            self.indexed = true;
        }
        Ok(())
    }

    /// Counts the paths that are stored more than once; there should be none.
    pub(crate) fn check_doubled(&mut self) -> Result<u64, CampaignError> {
        if self.indexed {
            return Ok(0);
        }
        // A part has as many digests as fit into the memory of any machine.
        let parts = (self.next_path / AT_ONCE + 1) as u128;
        let mut found = 0;
        for part in 0..parts {
            let mut all = Vec::new();
            self.each_digest(&mut |digest| {
                all.extend(Some(digest.0).filter(|d| d % parts == part));
                Ok(())
            })?;
            all.sort_unstable();
            found += all.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
        }
        let new = found.saturating_sub(self.stats()?.get(counters::DOUBLED));
        let mut stats = Stats::default();
        stats.add(counters::DOUBLED, new);
        self.add(&stats)?;
        Ok(new)
    }

    /// Records paths of a new run that are known without being explored; `remaining` is what there is beside them.
    pub(crate) fn keep(&mut self, kept: KnownPaths) -> Result<(), CampaignError> {
        let KnownPaths { paths, shows, remaining, measure, stats } = kept;
        let mut rows = Vec::new();
        let sql = "SELECT id FROM regions WHERE state = 'open' ORDER BY id";
        self.each_row(
            sql,
            |row| row.get::<_, i64>(0),
            |row| {
                rows.push(row);
                Ok::<(), CampaignError>(())
            },
        )?;
        let report = Report {
            paths: paths.into_iter().map(PathRecord::encoded).collect(),
            shows,
            remaining: Some(remaining.iter().map(Encoded::new).collect()),
            over: true,
            measure: Some(Box::new(measure)),
            stats,
            ..Report::default()
        };
        self.record(&report, &mut rows, false, u64::MAX, None).map(drop)
    }

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

    /// Deletes the paths themselves; the counts of them and of their shards stay.
    pub(crate) fn forget_paths(&mut self) -> Result<(), CampaignError> {
        self.transaction(|tx| {
            tx.execute_batch("DELETE FROM paths; DELETE FROM kept; DELETE FROM notable; DELETE FROM moments;")
        })
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

    /// Sets the map for the coverage from now on, and adds the marks of the database.
    pub(crate) fn cover(&mut self, map: Arc<Map>) -> Result<(), CampaignError> {
        let mut coverage = Tally::new(map);
        for mark in self.marks()?.iter() {
            coverage.add(mark);
        }
        let counts = coverage.counts();
        self.coverage = coverage;
        self.transaction(|tx| note_coverage(tx, &counts))
    }

    /// The current coverage.
    pub(crate) fn covered(&self) -> Counts {
        self.coverage.counts()
    }

    /// Adds counters of the coordinator.
    pub(crate) fn add(&mut self, stats: &Stats) -> Result<(), CampaignError> {
        self.transaction(|tx| add_stats(tx, stats))
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

/// Notes that regions which are no longer leased have left their machines.
fn take_from_hosts(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    let sql = "INSERT INTO sources(host, sign, region) SELECT host, -1, region FROM regions \
               WHERE host IS NOT NULL AND state != 'leased'";
    tx.prepare_cached(sql)?.execute([])?;
    let sql = "UPDATE regions SET host = NULL WHERE host IS NOT NULL AND state != 'leased'";
    tx.prepare_cached(sql)?.execute([]).map(drop)
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

/// Records paths under the numbers from `first` on; returns for each its number and true if its bug is new, `None` for
/// a known one; known paths are searched only if regions are explored `again`. Ends when `most` are recorded.
fn insert_paths(
    tx: &Transaction<'_>,
    first: u64,
    paths: &[EncodedPath],
    again: bool,
    most: u64,
) -> rusqlite::Result<Vec<Option<(u64, bool)>>> {
    let (mut done, mut batch) = (Vec::with_capacity(paths.len()), Batch::default());
    let mut counts: BTreeMap<PathKind, u64> = BTreeMap::new();
    let (mut id, mut start) = (first, first);
    for path in paths {
        if id - first == most {
            break;
        }
        if id - start == IN_A_ROW {
            insert_batch(tx, start, std::mem::take(&mut batch))?;
            start = id;
        }
        if again && !is_new(tx, path.digest)? {
            done.push(None);
            continue;
        }
        let bug = path.bug.as_ref().map(|bug| count_bug(tx, bug, path.kind, id)).transpose()?;
        batch.push(path, bug.map(|(row, _)| row)).map_err(not_encoded)?;
        *counts.entry(path.kind).or_default() += 1;
        done.push(Some((id, bug.is_some_and(|(_, count)| count == 1))));
        id += 1;
    }
    if id > start {
        insert_batch(tx, start, batch)?;
    }
    for (kind, n) in counts {
        kept_rows::add_path_count(tx, kind, n)?;
    }
    Ok(done)
}

fn insert_batch(tx: &Transaction<'_>, first: u64, batch: Batch) -> rusqlite::Result<()> {
    let sql = "INSERT INTO paths(first, digests, records) VALUES (?1, ?2, ?3)";
    tx.prepare_cached(sql)?.execute(params![signed(first), batch.digests, batch.records]).map(drop)
}

/// Records coverage that no path before these has; returns the indices of the paths that show it. The coverage of a path that
/// is not recorded does not count, unless the path was known: then other paths have shown it.
fn insert_marks(
    tx: &Transaction<'_>,
    coverage: &mut Tally,
    shows: &[Shows],
    paths: &[Option<(u64, bool)>],
) -> rusqlite::Result<Vec<u32>> {
    let mut covering = Vec::new();
    for Shows { path, marks } in shows {
        let Some(&Some((id, _))) = paths.get(*path as usize) else { continue };
        for &mark in marks {
            if coverage.add(mark) {
                let sql = "INSERT INTO marks(mark, path) VALUES (?1, ?2)";
                tx.prepare_cached(sql)?.execute(params![mark, signed(id)])?;
                if covering.last() != Some(path) {
                    covering.push(*path);
                }
            }
        }
    }
    if !covering.is_empty() {
        note_coverage(tx, &coverage.counts())?;
    }
    Ok(covering)
}

fn note_coverage(tx: &Transaction<'_>, counts: &Counts) -> rusqlite::Result<()> {
    let Counts { lines, branches, functions, blocks } = counts;
    let all = [("lines", lines), ("branches", branches), ("functions", functions), ("blocks", blocks)];
    for (kind, count) in all {
        let sql = "INSERT INTO coverage(kind, covered, total) VALUES (?1, ?2, ?3) \
                   ON CONFLICT(kind) DO UPDATE SET covered = excluded.covered, total = excluded.total";
        let (covered, total) = (signed(count.covered), signed(count.total));
        tx.prepare_cached(sql)?.execute(params![kind, covered, total])?;
    }
    Ok(())
}

/// Adds a digest to the index; returns false if it is there already.
fn is_new(tx: &Transaction<'_>, digest: PathDigest) -> rusqlite::Result<bool> {
    let sql = "INSERT INTO digests(digest) VALUES (?1) ON CONFLICT DO NOTHING";
    Ok(tx.prepare_cached(sql)?.execute([&digest.0.to_be_bytes()[..]])? > 0)
}

/// True if the same region is set aside under that name already.
fn is_set_aside(tx: &Transaction<'_>, state: &str, region: &Encoded<Region>) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS(SELECT 1 FROM regions WHERE state = ?1 AND region = ?2)";
    tx.prepare_cached(sql)?.query_row(params![state, region.bytes()], |row| row.get(0))
}

/// Replaces the regions in `rows` by `remaining`; returns their rows.
fn replace_regions(
    tx: &Transaction<'_>,
    rows: &[i64],
    remaining: &[Encoded<Region>],
    state: &str,
    each: Option<Expected>,
    host: Option<&str>,
) -> rusqlite::Result<Vec<i64>> {
    let mut now = Vec::with_capacity(remaining.len());
    for (i, region) in remaining.iter().enumerate() {
        match rows.get(i) {
            Some(row) => {
                let sql = "UPDATE regions SET region = ?2, state = ?3, expected = ?4, variance = ?5, host = ?6 WHERE id = ?1";
                let (paths, variance) = each.map(|e| (e.paths, e.variance)).unzip();
                tx.prepare_cached(sql)?.execute(params![
                    row,
                    region.bytes(),
                    state,
                    paths,
                    variance,
                    host
                ])?;
                now.push(*row);
            }
            None => {
                let row = insert_region(tx, state, region, None, each)?;
                if host.is_some() {
                    let sql = "UPDATE regions SET host = ?2 WHERE id = ?1";
                    tx.prepare_cached(sql)?.execute(params![row, host])?;
                }
                now.push(row);
            }
        }
    }
    for row in rows.iter().skip(remaining.len()) {
        tx.prepare_cached("DELETE FROM regions WHERE id = ?1")?.execute([row])?;
    }
    Ok(now)
}

/// Sets the number of paths expected of each of the regions in `rows`.
fn expect(tx: &Transaction<'_>, rows: &[i64], each: Option<Expected>) -> rusqlite::Result<()> {
    let (paths, variance) = each.map(|e| (e.paths, e.variance)).unzip();
    let sql = "UPDATE regions SET expected = ?2, variance = ?3 WHERE id = ?1";
    let mut update = tx.prepare_cached(sql)?;
    rows.iter().try_for_each(|row| update.execute(params![row, paths, variance]).map(drop))
}

/// The number of paths expected of each of `n` regions, from that of all together.
fn each_of(all: Option<Expected>, n: usize) -> Option<Expected> {
    all.map(|all| all.each_of(n))
}

/// The expectation of one or several regions, from this column of a row on: paths, then their variance.
pub(crate) fn expected_in(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Expected>> {
    let (paths, variance) = (row.get::<_, Option<f64>>(column)?, row.get::<_, Option<f64>>(column + 1)?);
    Ok(paths.zip(variance).map(|(paths, variance)| Expected { paths, variance }))
}

fn add_stats(tx: &Transaction<'_>, stats: &Stats) -> rusqlite::Result<()> {
    for (name, value) in stats.iter() {
        let sql = if Stats::is_peak(name) {
            "INSERT INTO stats(key, value) VALUES (?1, ?2) \
             ON CONFLICT(key) DO UPDATE SET value = max(value, excluded.value)"
        } else {
            "INSERT INTO stats(key, value) VALUES (?1, ?2) \
             ON CONFLICT(key) DO UPDATE SET value = value + excluded.value"
        };
        tx.prepare_cached(sql)?.execute(params![name, signed(value)])?;
    }
    Ok(())
}
