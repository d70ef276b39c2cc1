//! The account of a run as KLEE 3.1's `run.stats`: an SQLite table `stats` whose last row `klee-stats` shows. Only columns that
//! Cleave knows are there; docs/klee.md says what each is, and why others are not.

use std::path::Path;

use cleave_campaign::{Account, counters};
use cleave_coverage::{Map, Marks};
use cleave_region::{BugKind, PathKind};
use rusqlite::{Connection, params_from_iter};

use super::{Format, Wanted};
use crate::failure::Failure;
use crate::sessions::run_dir::recorded;

/// Its line in the table of forms.
pub(super) const FORMAT: Format = Format {
    name: "klee-stats",
    about: "KLEE's run.stats, an SQLite table for `klee-stats RUN`",
    file: "run.stats",
    make,
};

/// A column: its name in KLEE, and its value. Times are in microseconds.
type Column = (&'static str, u64);

fn make(wanted: &Wanted<'_>) -> Result<Vec<u8>, Failure> {
    let (store, _, image) = recorded(wanted.directory)?;
    let account = store.account()?;
    let misused = BugKind::User.name();
    let user = store
        .bugs()?
        .into_iter()
        .filter(|bug| bug.path_kind == PathKind::Failed && bug.record.kind == misused);
    let user = user.map(|bug| bug.paths).sum();
    let map = Map::new(&image.program()?);
    let mut columns = branches(&map, &store.marks()?).to_vec();
    columns.extend(counts(&account, user));
    let folder =
        tempfile::tempdir().map_err(|e| Failure::new(format!("cannot make a file for run.stats: {e}")))?;
    let file = folder.path().join("run.stats");
    write(&file, &columns).map_err(|e| {
        Failure::new(format!("cannot make run.stats: {e}; make room in {}", folder.path().display()))
    })?;
    std::fs::read(&file).map_err(|e| Failure::new(format!("cannot read {}: {e}", file.display())))
}

/// Branches of two sides in the program, and those of which all sides and one side are taken.
fn branches(map: &Map, marks: &Marks) -> [Column; 3] {
    let taken: Vec<usize> = map
        .branches(marks)
        .iter()
        .filter(|branch| branch.taken.len() == 2)
        .map(|branch| branch.taken.iter().filter(|taken| **taken).count())
        .collect();
    let with = |sides: usize| taken.iter().filter(|n| **n == sides).count() as u64;
    [("FullBranches", with(2)), ("PartialBranches", with(1)), ("NumBranches", taken.len() as u64)]
}

/// Columns from the account; `user` is the number of paths that end in wrong calls of intrinsics.
fn counts(account: &Account, user: u64) -> Vec<Column> {
    let micros = |seconds: f64| (seconds * 1e6) as u64;
    let (paths, other) = (account.paths, |name: &str| account.other.get(name).copied().unwrap_or(0));
    let waiting: u64 = ["open", "leased"].iter().filter_map(|state| account.regions.get(*state)).sum();
    let silent = other(counters::SILENT_PATHS);
    vec![
        ("Instructions", account.instructions),
        ("UserTime", micros(account.busy_seconds)),
        ("WallTime", micros(account.wall_s)),
        ("SolverTime", micros(account.solver_seconds)),
        ("QueryTime", micros(account.smt_seconds)),
        ("Queries", other(counters::SOLVER_QUESTIONS).max(account.questions)),
        ("SolverQueries", account.smt_calls),
        ("NumStates", waiting),
        ("States", paths.ended() + silent + account.open_regions),
        ("MallocUsage", account.peak_memory_bytes),
        ("InhibitedForks", 0),
        ("ExternalCalls", 0),
        ("TerminationExit", paths.completed),
        ("TerminationEarly", paths.cut),
        ("TerminationSolverError", paths.unknown),
        ("TerminationProgramError", paths.failed.saturating_sub(user)),
        ("TerminationUserError", user),
        ("TerminationExecutionError", paths.unsupported),
        ("TerminationEarlyAlgorithm", 0),
        ("TerminationEarlyUser", silent),
    ]
}

fn write(file: &Path, columns: &[Column]) -> rusqlite::Result<()> {
    let db = Connection::open(file)?;
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let typed: Vec<String> = names.iter().map(|name| format!("{name} INTEGER")).collect();
    db.execute(&format!("CREATE TABLE stats ({})", typed.join(", ")), [])?;
    let places = vec!["?"; names.len()].join(", ");
    let values = columns.iter().map(|(_, value)| i64::try_from(*value).unwrap_or(i64::MAX));
    db.execute(
        &format!("INSERT INTO stats ({}) VALUES ({places})", names.join(", ")),
        params_from_iter(values),
    )?;
    db.close().map_err(|(_, e)| e)
}
