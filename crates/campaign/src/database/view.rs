//! Reading a run's database: tests, bugs, regions, counts. Commands call it, also while the run goes on.

use std::collections::{BTreeMap, BTreeSet};

use cleave_coverage::{Count, Counts, MarkId, Marks};
use cleave_region::{BugRecord, EncodedPath, Expected, FrameRecord, PathKind, Region, SUPPRESSED_BY};
use rusqlite::Row;

use crate::accounting::account::{Account, Coverage, PathCounts};
use crate::accounting::stats::Stats;
use crate::database::path_set::KEY as PATH_SET;
use crate::database::rows::{expected_in, meta_value};
use crate::database::store::{Meta, Store};
use crate::database::weights;
use crate::error::CampaignError;

/// A recorded path.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPath {
    /// Its number in the run, from 1; also that of its test.
    pub id: u64,
    /// Its record. The message and the trace of its bug are those of the bug's first path.
    pub record: EncodedPath,
    /// The number of its bug.
    pub bug: Option<u64>,
    /// True if it is the first path into its bug.
    pub first_of_bug: bool,
}

/// A recorded bug, or an unsupported operation.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredBug {
    /// Its number in the run, from 1.
    pub id: u64,
    /// Its description.
    pub record: BugRecord,
    /// The kind of its paths: failed, unsupported, suppressed, or assumed away.
    pub path_kind: PathKind,
    /// The first path into it.
    pub first_path: u64,
    /// Number of paths that end in it.
    pub paths: u64,
}

/// A region that is not explored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRegion {
    /// Its number in the run.
    pub id: u64,
    /// `open` or `leased`; set aside: `unknown`, `cut`, `diverged`, `crashed`.
    pub state: String,
    /// The region.
    pub region: Region,
    /// Reason if it is set aside.
    pub reason: Option<String>,
}

impl Store {
    /// Calls `each` for every path with an id larger than `after`, by id. Only the paths of one report are in memory at a
    /// time. Of shards that are not here ([`Store::paths_away`]), only the paths that show something new are read.
    ///
    /// # Errors
    /// Those of `each`, and those of the database.
    pub fn each_path<E: From<CampaignError>>(
        &self,
        after: u64,
        mut each: impl FnMut(StoredPath) -> Result<(), E>,
    ) -> Result<(), E> {
        // A snapshot, also while the run goes on.
        let whole = self.db.unchecked_transaction().map_err(|e| self.error(e))?;
        let bugs = self.bugs_by_id()?;
        self.read_paths(after, |(id, record, bug)| {
            each(self.stored(id, record, bug, &bugs)?)?;
            Ok::<bool, E>(true)
        })?;
        whole.finish().map_err(|e| self.error(e))?;
        Ok(())
    }

    fn bugs_by_id(&self) -> Result<BTreeMap<u64, StoredBug>, CampaignError> {
        Ok(self.bugs()?.into_iter().map(|bug| (bug.id, bug)).collect())
    }

    fn stored(
        &self,
        id: u64,
        mut record: EncodedPath,
        bug: Option<u64>,
        bugs: &BTreeMap<u64, StoredBug>,
    ) -> Result<StoredPath, CampaignError> {
        let mut first_of_bug = false;
        if let Some(bug) = bug {
            let known = bugs.get(&bug);
            let known = known
                .ok_or_else(|| self.damaged(format!("path {id} ends in bug {bug}, which is not there")))?;
            record.bug = Some(known.record.clone());
            first_of_bug = known.first_path == id;
        }
        Ok(StoredPath { id, record, bug, first_of_bug })
    }

    /// The path of this number, if it exists and is here.
    ///
    /// # Errors
    /// Those of the database.
    pub fn path(&self, id: u64) -> Result<Option<StoredPath>, CampaignError> {
        let Some((id, record, bug)) = self.read_path(id)? else { return Ok(None) };
        let bugs = if bug.is_some() { self.bugs_by_id()? } else { BTreeMap::new() };
        self.stored(id, record, bug, &bugs).map(Some)
    }

    fn bug(&self, [kind, place, message, trace]: [String; 4]) -> Result<BugRecord, CampaignError> {
        let trace: Vec<FrameRecord> =
            serde_json::from_str(&trace).map_err(|e| self.damaged(format!("the trace of a bug: {e}")))?;
        Ok(BugRecord { kind, message, place, trace })
    }

    fn path_kind(&self, name: &str) -> Result<PathKind, CampaignError> {
        PathKind::ALL
            .into_iter()
            .find(|k| k.name() == name)
            .ok_or_else(|| self.damaged(format!("there is no kind {name:?} of paths")))
    }

    /// The bugs and unsupported operations, by id.
    ///
    /// # Errors
    /// Those of the database.
    pub fn bugs(&self) -> Result<Vec<StoredBug>, CampaignError> {
        let mut bugs = Vec::new();
        self.each_row(
            "SELECT id, kind, place, message, trace, path_kind, first_path, count FROM bugs ORDER BY id",
            |r| {
                let text = [r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?];
                Ok((
                    r.get::<_, i64>(0)?,
                    text,
                    r.get::<_, String>(5)?,
                    r.get::<_, i64>(6)?,
                    r.get::<_, i64>(7)?,
                ))
            },
            |(id, text, kind, first, count)| {
                let record = self.bug(text)?;
                let path_kind = self.path_kind(&kind)?;
                bugs.push(StoredBug {
                    id: id as u64,
                    record,
                    path_kind,
                    first_path: first as u64,
                    paths: count as u64,
                });
                Ok::<(), CampaignError>(())
            },
        )?;
        Ok(bugs)
    }

    /// Calls `each` for every region that is not explored, by id.
    ///
    /// # Errors
    /// Those of `each`, and those of the database.
    pub fn each_region<E: From<CampaignError>>(
        &self,
        mut each: impl FnMut(StoredRegion) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_row(
            "SELECT id, state, region, reason FROM regions ORDER BY id",
            |r| Ok((r.get::<_, i64>(0)?, r.get(1)?, r.get::<_, Vec<u8>>(2)?, r.get(3)?)),
            |(id, state, region, reason)| {
                let region = self.decode(&region, "a region")?;
                each(StoredRegion { id: id as u64, state, region, reason })
            },
        )
    }

    /// Numbers of regions set aside, by state and reason. The reasons of diverged regions are all different,
    /// and are left out.
    ///
    /// # Errors
    /// Those of the database.
    pub fn set_aside(&self) -> Result<Vec<(String, String, u64)>, CampaignError> {
        let mut all = Vec::new();
        self.each_row(
            "SELECT state, CASE state WHEN 'diverged' THEN '' ELSE coalesce(reason, '') END AS why, count(*) \
             FROM regions WHERE state NOT IN ('open', 'leased') GROUP BY state, why",
            |r| Ok((r.get(0)?, r.get(1)?, r.get::<_, i64>(2)?)),
            |(state, reason, n)| {
                all.push((state, reason, n as u64));
                Ok::<(), CampaignError>(())
            },
        )?;
        Ok(all)
    }

    /// The description of the run's subject.
    ///
    /// # Errors
    /// Those of the database.
    pub fn meta(&self) -> Result<Meta, CampaignError> {
        let text = |key: &str| {
            let value = meta_value(&self.db, key).map_err(|e| self.error(e))?;
            value.ok_or_else(|| self.damaged(format!("{key} is missing")))
        };
        let options =
            serde_json::from_str(&text("options")?).map_err(|e| self.damaged(format!("the options: {e}")))?;
        let (program, program_hash) = (text("program")?, text("program_hash")?);
        Ok(Meta { program, program_hash, options, version: text("version")? })
    }

    /// Counters of work over all sessions.
    ///
    /// # Errors
    /// Those of the database.
    pub fn stats(&self) -> Result<Stats, CampaignError> {
        let mut stats = Stats::default();
        self.each_row(
            "SELECT key, value FROM stats",
            |r| Ok((r.get::<_, String>(0)?, r.get::<_, i64>(1)?)),
            |(name, value)| {
                stats.add(&name, value as u64);
                Ok::<(), CampaignError>(())
            },
        )?;
        Ok(stats)
    }

    /// The coverage, as marks of the program's image.
    ///
    /// # Errors
    /// Those of the database.
    pub fn marks(&self) -> Result<Marks, CampaignError> {
        let mut marks = Marks::default();
        self.each_row(
            "SELECT mark FROM marks",
            |r| r.get::<_, MarkId>(0),
            |mark| {
                marks.insert(mark);
                Ok::<(), CampaignError>(())
            },
        )?;
        Ok(marks)
    }

    /// The paths that cover code which no path before them covers.
    ///
    /// # Errors
    /// Those of the database.
    pub fn covering_paths(&self) -> Result<BTreeSet<u64>, CampaignError> {
        let mut paths = BTreeSet::new();
        self.each_row(
            "SELECT DISTINCT path FROM marks",
            |r| r.get::<_, i64>(0),
            |path| {
                paths.insert(path as u64);
                Ok::<(), CampaignError>(())
            },
        )?;
        Ok(paths)
    }

    /// For each path that covers code which no path before it covers, the marks of that code.
    ///
    /// # Errors
    /// Those of the database.
    pub fn covering(&self) -> Result<BTreeMap<u64, Vec<MarkId>>, CampaignError> {
        let mut covering: BTreeMap<u64, Vec<MarkId>> = BTreeMap::new();
        self.each_row(
            "SELECT path, mark FROM marks ORDER BY mark",
            |r| Ok((r.get::<_, i64>(0)? as u64, r.get::<_, MarkId>(1)?)),
            |(path, mark)| {
                covering.entry(path).or_default().push(mark);
                Ok::<(), CampaignError>(())
            },
        )?;
        Ok(covering)
    }

    /// The counts of coverage.
    ///
    /// # Errors
    /// Those of the database.
    pub fn coverage(&self) -> Result<Coverage, CampaignError> {
        let mut counts = Counts::default();
        self.each_row(
            "SELECT kind, covered, total FROM coverage",
            |r| Ok((r.get::<_, String>(0)?, r.get::<_, i64>(1)? as u64, r.get::<_, i64>(2)? as u64)),
            |(kind, covered, total)| {
                let of_kind = match kind.as_str() {
                    "lines" => &mut counts.lines,
                    "branches" => &mut counts.branches,
                    "functions" => &mut counts.functions,
                    "blocks" => &mut counts.blocks,
                    _ => return Err(self.damaged(format!("there is no kind {kind:?} of coverage"))),
                };
                *of_kind = Count { covered, total };
                Ok(())
            },
        )?;
        Ok(counts.into())
    }

    /// Paths by kind of end, without the regions set aside.
    pub(crate) fn path_counts(&self) -> Result<PathCounts, CampaignError> {
        let mut counts = PathCounts::default();
        self.each_row(
            "SELECT kind, n FROM path_counts",
            |r| Ok((r.get::<_, String>(0)?, r.get::<_, i64>(1)?)),
            |(kind, n)| {
                counts.add(self.path_kind(&kind)?, n as u64);
                Ok::<(), CampaignError>(())
            },
        )?;
        Ok(counts)
    }

    /// Number of bugs found, each place once, without unsupported operations.
    pub(crate) fn count_bugs(&self) -> Result<u64, CampaignError> {
        let sql = "SELECT count(*) FROM bugs WHERE path_kind = 'failed'";
        self.db.query_row(sql, [], |r| r.get::<_, i64>(0)).map(|n| n as u64).map_err(|e| self.error(e))
    }

    /// Expected number of paths of all open and leased regions; `None` if nothing is known.
    fn expected(&self) -> Result<Option<Expected>, CampaignError> {
        let sql = "SELECT count(expected), count(*) - count(expected), sum(expected), sum(variance) FROM regions \
                   WHERE state IN ('open', 'leased')";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, expected_in(row, 2)?));
        let (known, unknown, sum): (usize, usize, Option<Expected>) =
            self.db.query_row(sql, [], read).map_err(|e| self.error(e))?;
        Ok(sum.unwrap_or_default().with_unknown(known, unknown))
    }

    /// The sum of the digests of all paths, as 32 hexadecimal digits.
    fn path_set(&self) -> Result<String, CampaignError> {
        let text = meta_value(&self.db, PATH_SET).map_err(|e| self.error(e))?;
        Ok(text.unwrap_or_else(|| format!("{:032x}", 0)))
    }

    /// The current account of the run.
    ///
    /// # Errors
    /// Those of the database.
    pub fn account(&self) -> Result<Account, CampaignError> {
        let stats = self.stats()?;
        let mut account = Account::new(self.meta()?, &stats);
        account.bugs = self.count_bugs()?;
        for bug in self.bugs()?.into_iter().filter(|bug| bug.path_kind == PathKind::Suppressed) {
            let by = bug.record.kind.strip_prefix(SUPPRESSED_BY).unwrap_or(&bug.record.kind);
            *account.suppressed.entry(by.to_string()).or_default() += bug.paths;
        }
        self.each_row(
            "SELECT state, count(*) FROM regions GROUP BY state",
            |r| Ok((r.get::<_, String>(0)?, r.get::<_, i64>(1)?)),
            |(state, n)| {
                account.regions.insert(state, n as u64);
                Ok::<(), CampaignError>(())
            },
        )?;
        account.open_regions = account.regions.values().sum();
        account.paths = self.path_counts()?;
        account.coverage = self.coverage()?;
        account.paths.cut = account.regions.get("cut").copied().unwrap_or(0);
        account.paths.unknown = account.regions.get("unknown").copied().unwrap_or(0);
        account.expect(self.expected()?);
        account.each_once = weights::each_once(&self.db, &stats).map_err(|e| self.error(e))?;
        account.path_set = self.path_set()?;
        self.each_row(
            "SELECT workers, stop_reason, wall_ms FROM sessions ORDER BY id",
            |r| Ok((r.get::<_, u32>(0)?, r.get::<_, Option<String>>(1)?, r.get::<_, i64>(2)?)),
            |(workers, reason, wall_ms)| {
                account.sessions += 1;
                account.workers = workers;
                account.stop_reason = reason;
                account.wall_s += wall_ms as f64 / 1000.0;
                Ok::<(), CampaignError>(())
            },
        )?;
        Ok(account)
    }
}
