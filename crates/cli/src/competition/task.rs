//! The exploration of a task, by `cleave run`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Parser;
use cleave_region::BugKind;

use super::options::{DataModel, TaskOptions};
use crate::cli::{Cli, Command};
use crate::commands::exploring::run;
use crate::failure::{Failure, sentence_of};
use crate::process::output::Output;
use crate::sessions::cluster;

/// Tasks are C as GCC takes it by default: functions that are declared nowhere, `inline` as before C99. Their warnings are of
/// no use to anybody. Many declare glibc's `__assert_fail`, beside a header that declares musl's: both become `abort`.
const FLAGS: [&str; 12] = [
    "-D__assert_fail(text,file,line,function)=abort()",
    "-std=gnu11",
    "-fgnu89-inline",
    "-w",
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
    "-Wno-int-conversion",
    "-Wno-incompatible-pointer-types",
    "-Wno-incompatible-function-pointer-types",
    "-Wno-return-mismatch",
    "-Wno-return-type",
    "-Wno-deprecated-non-prototype",
];

/// The run of a task.
pub struct TaskRun {
    /// Its directory.
    pub directory: PathBuf,
    /// Keeps a temporary directory on disk.
    _kept: Option<tempfile::TempDir>,
}

impl TaskRun {
    /// Explores the task with further options of `cleave run`, flags of the compiler, and words behind the program.
    ///
    /// # Errors
    /// If it does not compile, or the run cannot be made.
    pub fn explore(
        task: &TaskOptions,
        options: &[String],
        flags: &[&str],
        behind: &[&str],
    ) -> Result<TaskRun, Failure> {
        for source in &task.sources {
            TaskOptions::hash(source)?;
        }
        let (directory, kept) = match &task.output_dir {
            Some(directory) => (directory.clone(), None),
            None => {
                let folder = tempfile::tempdir()
                    .map_err(|e| Failure::new(format!("cannot make a temporary folder: {e}; set TMPDIR")))?;
                (folder.path().join("run"), Some(folder))
            }
        };
        let mut words = words(task, &directory);
        words.extend(options.iter().map(OsString::from));
        let width: &[&str] = if task.data_model == DataModel::Ilp32 { &["-m32"] } else { &[] };
        words.extend(
            FLAGS.iter().chain(width).chain(flags).map(|flag| OsString::from(format!("--c-flag={flag}"))),
        );
        for source in task.sources.iter().skip(1) {
            words.extend(["--c-source".into(), source.into()]);
        }
        words.extend(["--".into(), task.source().into()]);
        words.extend(behind.iter().map(OsString::from));
        let cli = Cli::try_parse_from(words).map_err(|error| Failure::usage(sentence_of(&error)))?;
        let Command::Run(options) = cli.command else {
            return Err(Failure::new("a task became another command than `run`; please report it"));
        };
        cluster::session(&options.exploration, |cluster| run::run(&options, cluster))?;
        Ok(TaskRun { directory, _kept: kept })
    }
}

/// The beginning of the command line of `cleave run`: limits, and the place of the run.
fn words(task: &TaskOptions, directory: &Path) -> Vec<OsString> {
    let workers = task.workers;
    // Counted memory takes up to twice as much in pages of the process.
    let memory = (task.max_memory >> 20) / 2 / u64::from(workers);
    let mut words: Vec<OsString> =
        ["cleave", "run", "--unchecked", "--output-dir"].map(OsString::from).to_vec();
    words.push(directory.into());
    let limits = [
        format!("--workers={workers}"),
        format!("--max-memory={}M", memory.max(64)),
        format!("--max-time={}ms", task.max_time.as_millis()),
    ];
    words.extend(limits.map(OsString::from));
    words
}

/// Options of `cleave run` that stop it at the first bug of one of these kinds, and let it go past all others.
pub fn stop_at(kinds: &[BugKind]) -> Vec<String> {
    let others = BugKind::ALL.iter().filter(|kind| kind.is_bug() && !kinds.contains(kind));
    let excused = others.map(|kind| format!("--suppress={}:*", kind.name()));
    ["--max-bugs=1".to_string(), "--no-shipped-suppressions".into()].into_iter().chain(excused).collect()
}

/// Prints the last line, which the competition's scripts read.
pub fn answer(line: &str) -> Result<(), Failure> {
    let mut out = Output::new();
    out.line(line)?;
    out.end()
}
