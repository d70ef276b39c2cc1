//! Data of the HTML report, as its script reads it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use cleave_campaign::{Moment, Store};
use cleave_coverage::{Map, Marks};
use cleave_region::{FrameRecord, PathKind};
use serde::Serialize;
use serde_json::Value;

use super::parting_places::Splits;
use crate::explain::{self, Explainer, Short, short};
use crate::failure::Failure;
use crate::findings::test_coverage::{Chosen, Follower, Line};
use crate::findings::untaken_branches::{BranchOp, why_untaken};
use crate::formats::Wanted;
use crate::programs::loading::Image;
use crate::programs::sources::Sources;
use crate::sessions::run_dir::{recorded, test_of};
use crate::sessions::saved::Saved;
use crate::sessions::summary;

/// Maximum number of tests from which the table of splits is made, at equal distances over all of the run.
const MOST_WAYS: u64 = 4000;
/// Tests that are followed in any case, so that the report of a small run has all of them.
const LEAST_WAYS: u64 = 250;
/// The time in which further tests are followed. The user waits for a report: two seconds in all.
const FOLLOWING: Duration = Duration::from_secs(1);
/// Number of tests that are followed to measure the time for one.
const TIMED: u64 = 16;
/// Bugs that are explained, and the instructions of changed tests that are followed for each.
const MOST_EXPLAINED: usize = 24;
const MOST_FOLLOWED: u64 = 40_000_000;
/// Maximum size of all sources together, in bytes. Files with fewer covered lines are left out first.
const MOST_SOURCE: usize = 3 << 20;

/// All data of the report.
#[derive(Serialize)]
pub struct Data {
    /// As in summary.json.
    account: Value,
    program: String,
    arguments: Vec<String>,
    files: Vec<File>,
    functions: Vec<Function>,
    bugs: Vec<Bug>,
    tests: Vec<TestRow>,
    /// Number of tests of the run, with those that `tests` leaves out.
    tests_in_all: u64,
    /// Number of tests that are counted in the hits of lines.
    followed: u64,
    regions: BTreeMap<String, u64>,
    /// Work of each worker over time.
    history: Vec<Moment>,
    /// File, line, and number of times that the ways of tests part there.
    splits: Vec<(String, u32, u64)>,
    /// Number of tests that are counted in `splits`.
    splits_of: u64,
}

#[derive(Serialize)]
struct File {
    name: String,
    /// None if it was not found.
    source: Option<Vec<String>>,
    /// Line, true if it is covered, and number of the followed tests that execute it.
    lines: Vec<(u32, bool, u64)>,
    /// Line, and true for each side that is taken.
    branches: Vec<(u32, Vec<bool>)>,
    /// Line, and the reason why a side of an executed branch there is not taken.
    why: Vec<(u32, String)>,
}

#[derive(Serialize)]
struct Function {
    name: String,
    file: String,
    line: u32,
    covered: bool,
    lines: usize,
    lines_covered: usize,
}

#[derive(Serialize)]
struct Bug {
    kind: String,
    message: String,
    place: String,
    counts_as: &'static str,
    trace: Vec<Frame>,
    paths: u64,
    test: u64,
    inputs: Vec<(String, String)>,
    /// Of the first [`MOST_EXPLAINED`] bugs.
    explained: Option<Short>,
}

#[derive(Serialize)]
struct Frame {
    function: String,
    file: String,
    line: u32,
    arguments: String,
}

#[derive(Serialize)]
struct TestRow {
    id: u64,
    kind: &'static str,
    depth: u32,
    status: Option<i32>,
    what: Option<String>,
    /// Marks that no test before it covers.
    new: usize,
    inputs: Vec<(String, String)>,
}

/// The tests that are shown, and the number of all.
struct Tests {
    rows: Vec<TestRow>,
    in_all: u64,
    /// Coverage of each of them.
    covers: Vec<Marks>,
    /// The inputs of the first tests into bugs.
    inputs: BTreeMap<u64, Vec<(String, String)>>,
}

impl Data {
    /// Collects it.
    ///
    /// # Errors
    /// Those of the run directory.
    pub fn of(wanted: &Wanted<'_>) -> Result<Data, Failure> {
        let (store, saved, image) = recorded(wanted.directory)?;
        let program = image.program()?;
        let map = Map::new(&program);
        let marks = store.marks()?;
        let mut follower = Follower::new(&image, &saved)?;
        let mut splits = Splits::new(image.program()?);
        let tests = tests(&store, &mut follower, &mut splits)?;
        let mut explained = explained(&store, &mut Explainer::new(&image, &saved, MOST_FOLLOWED)?)?;
        let spec = saved.environment()?;
        let mut explaining = explain::Follower::new(&image, &saved)?;
        let why = why_untaken(&store, &map, &marks, (&mut explaining, &program, &spec))?;
        drop(explaining);
        let bugs = store.bugs()?.into_iter().map(|bug| Bug {
            explained: explained.remove(&bug.id),
            counts_as: bug.path_kind.name(),
            kind: bug.record.kind,
            message: bug.record.message,
            place: bug.record.place,
            trace: bug.record.trace.into_iter().map(Frame::from).collect(),
            paths: bug.paths,
            test: bug.first_path,
            inputs: tests.inputs.get(&bug.first_path).cloned().unwrap_or_default(),
        });
        let mut regions = BTreeMap::new();
        store.each_region::<Failure>(|region| {
            *regions.entry(region.state).or_default() += 1;
            Ok(())
        })?;
        let (splits_of, splits) = splits.counts();
        let sources = Sources::new(wanted.sources, Path::new(&store.meta()?.program));
        Ok(Data {
            account: summary::account_of(&store, &saved)?,
            program: store.meta()?.program,
            arguments: saved.arguments.iter().skip(1).map(|a| a.escape_ascii().to_string()).collect(),
            files: files(&map, &marks, &tests.covers, &why, &sources),
            functions: functions(&map, &marks),
            bugs: bugs.collect(),
            followed: tests.covers.len() as u64,
            tests: tests.rows,
            tests_in_all: tests.in_all,
            regions,
            history: store.history()?,
            splits: splits.into_iter().map(|((file, line), n)| (file, line, n)).collect(),
            splits_of,
        })
    }
}

impl From<FrameRecord> for Frame {
    fn from(frame: FrameRecord) -> Frame {
        let FrameRecord { function, file, line, arguments } = frame;
        Frame { function, file, line, arguments }
    }
}

/// Number of tests that can be followed in [`FOLLOWING`], estimated from the time for tests of all parts of the run.
fn affordable(store: &Store, follower: &mut Follower, in_all: u64) -> Result<u64, Failure> {
    let (apart, begun, mut timed) = (in_all.div_ceil(TIMED).max(1), Instant::now(), 0_u64);
    store.each_path::<Failure>(0, |path| {
        if path.id % apart == 0 && begun.elapsed() < FOLLOWING {
            follower.marks(&test_of(path.id, &path.record)?);
            timed += 1;
        }
        Ok(())
    })?;
    let each = begun.elapsed().as_nanos() / u128::from(timed.max(1));
    let ways = FOLLOWING.as_nanos().checked_div(each).unwrap_or(u128::MAX);
    Ok(u64::try_from(ways).unwrap_or(u64::MAX).clamp(LEAST_WAYS, MOST_WAYS))
}

/// The number of tests of a run that were followed, and the places at which their ways part, the most frequent first.
///
/// # Errors
/// Those of the run directory.
pub fn parting(store: &Store, saved: &Saved, image: &Image) -> Result<(u64, Vec<(Line, u64)>), Failure> {
    let mut splits = Splits::new(image.program()?);
    tests(store, &mut Follower::new(image, saved)?, &mut splits)?;
    Ok(splits.counts())
}

/// The tests that are shown, with the coverage of each. Tests for the table of splits are followed, too.
fn tests(store: &Store, follower: &mut Follower, splits: &mut Splits) -> Result<Tests, Failure> {
    let counts = store.account()?.paths;
    let in_all = counts.completed + counts.failed + counts.unsupported + counts.suppressed;
    let ways = if in_all > LEAST_WAYS { affordable(store, follower, in_all)? } else { MOST_WAYS };
    let apart = in_all.div_ceil(ways).max(1);
    let (mut chosen, covering) = (Chosen::at_most(store, ways as usize)?, store.covering()?);
    let mut tests = Tests { rows: Vec::new(), in_all: 0, covers: Vec::new(), inputs: BTreeMap::new() };
    store.each_path::<Failure>(0, |path| {
        if path.record.kind == PathKind::AssumedAway {
            return Ok(());
        }
        tests.in_all += 1;
        let (shown, way) = (chosen.takes(path.id), path.id % apart == 0);
        if !shown && !way {
            return Ok(());
        }
        let test = test_of(path.id, &path.record)?;
        let marks = follower.follow(
            &test,
            |passing| splits.visit(&passing),
            |space, state| shown.then(|| space.news(state, &test).into_iter().collect()),
        );
        if way && marks.is_some() {
            splits.count_last();
        }
        if !shown {
            return Ok(());
        }
        let objects = test.objects.iter().map(|o| (o.name.to_string(), o.bytes.escape_ascii().to_string()));
        let inputs: Vec<_> = objects.collect();
        if path.first_of_bug {
            tests.inputs.insert(path.id, inputs.clone());
        }
        tests.covers.extend(marks.flatten());
        tests.rows.push(TestRow {
            id: path.id,
            kind: path.record.kind.name(),
            depth: path.record.depth,
            status: path.record.exit_status,
            what: path.record.bug.as_ref().map(|bug| bug.message.clone()),
            new: covering.get(&path.id).map_or(0, Vec::len),
            inputs,
        });
        Ok(())
    })?;
    Ok(tests)
}

/// Explains the first bugs, each by its first test; by the bugs' numbers.
fn explained(store: &Store, explainer: &mut Explainer) -> Result<BTreeMap<u64, Short>, Failure> {
    let failed = store.bugs()?.into_iter().filter(|bug| bug.path_kind == PathKind::Failed);
    let wanted: BTreeMap<u64, u64> =
        failed.take(MOST_EXPLAINED).map(|bug| (bug.first_path, bug.id)).collect();
    let mut explained = BTreeMap::new();
    if !wanted.is_empty() {
        store.each_path::<Failure>(0, |path| {
            if let Some(bug) = wanted.get(&path.id) {
                let explanation = explainer.explain(&test_of(path.id, &path.record)?, &[]);
                explained.insert(*bug, short(&explanation));
            }
            Ok(())
        })?;
    }
    Ok(explained)
}

fn files(
    map: &Map,
    marks: &Marks,
    covers: &[Marks],
    why: &BTreeMap<BranchOp, String>,
    sources: &Sources,
) -> Vec<File> {
    let hits = map.hits(covers);
    let mut branches: BTreeMap<String, Vec<(u32, Vec<bool>)>> = BTreeMap::new();
    let mut reasons: BTreeMap<String, Vec<(u32, String)>> = BTreeMap::new();
    for branch in map.branches(marks) {
        if let Some((file, line)) = branch.place {
            if let Some(why) = why.get(&branch.at) {
                reasons.entry(file.clone()).or_default().push((line, why.clone()));
            }
            branches.entry(file).or_default().push((line, branch.taken));
        }
    }
    let mut files: Vec<File> = map
        .lines(marks)
        .into_iter()
        .map(|(name, lines)| File {
            source: sources.lines(&name),
            lines: lines
                .into_iter()
                .map(|(line, covered)| (line, covered, hits.get(&(name.clone(), line)).copied().unwrap_or(0)))
                .collect(),
            branches: branches.remove(&name).unwrap_or_default(),
            why: reasons.remove(&name).unwrap_or_default(),
            name,
        })
        .collect();
    keep_within(&mut files);
    files
}

/// Leaves out sources until the rest is small enough.
fn keep_within(files: &mut [File]) {
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|&i| {
        std::cmp::Reverse(files[i].lines.iter().filter(|(_, covered, _)| *covered).count())
    });
    let mut left = MOST_SOURCE;
    for i in order {
        let size: usize = files[i].source.iter().flatten().map(|line| line.len() + 4).sum();
        if size > left {
            files[i].source = None;
        } else {
            left -= size;
        }
    }
}

fn functions(map: &Map, marks: &Marks) -> Vec<Function> {
    let described = map.functions(marks).into_iter().map(|f| {
        let lines_covered = f.lines_covered();
        let (file, line) = f.defined.unwrap_or_default();
        Function { name: f.name, file, line, covered: f.covered, lines: f.lines.len(), lines_covered }
    });
    described.collect()
}
