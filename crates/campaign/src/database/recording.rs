//! Writes to the run's database what workers report: paths with their bugs and marks, what remains of their regions, counters.

use std::collections::BTreeMap;
use std::sync::Arc;

use cleave_coverage::{Counts, Map, Tally};
use cleave_region::{Encoded, EncodedPath, Expected, PathDigest, PathKind, PathRecord, Region, Weight};
use rusqlite::{Transaction, params};

use crate::accounting::counters;
use crate::accounting::stats::Stats;
use crate::database::batch::Batch;
use crate::database::open_regions::OpenRegion;
use crate::database::path_set;
use crate::database::rows::{count_bug, insert_region, name_of, not_encoded, signed};
use crate::database::store::Store;
use crate::database::weights;
use crate::error::CampaignError;
use crate::shards::kept_rows;
use crate::transports::protocol::{Report, SetAside, Shows};

/// Number of digests that are compared with each other at once: 64 MiB.
const AT_ONCE: u64 = 1 << 22;

/// Maximum number of paths in a row of the table `paths`: to read one path, its row is read up to it.
const IN_A_ROW: u64 = 1024;

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

impl Store {
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

    /// Deletes the paths themselves; the counts of them and of their shards stay.
    pub(crate) fn forget_paths(&mut self) -> Result<(), CampaignError> {
        self.transaction(|tx| {
            tx.execute_batch("DELETE FROM paths; DELETE FROM kept; DELETE FROM notable; DELETE FROM moments;")
        })
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
