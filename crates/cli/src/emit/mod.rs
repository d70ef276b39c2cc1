//! The files that a run writes of its paths, each kind by a [`Sink`] in a file of its own. A new kind is a file with an
//! entry, and its line in [`OUTPUTS`].

pub(crate) mod err; // Reports of bugs, with KLEE's names: `test000001.ptr.err`.
pub(crate) mod inputs; // Tests as text, for people and scripts: `test000001.inputs`.
pub(crate) mod ktest; // Tests in KLEE's format: `test000001.ktest`.
pub(crate) mod selection; // Selection of the tests that get files; the database has all tests.
pub(crate) mod suite; // Tests in Test-Comp's XML, in a suite that is whole at any time.
pub(crate) mod test_files; // A file for each test, in some format, written beside the exploration.
pub(crate) mod writers; // Threads that write files beside the exploration.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use cleave_campaign::{Campaign, RecordedPath, Snapshot, StoredPath};
use cleave_report::RunFiles;

use crate::failure::Failure;
use crate::process::messages::note;
use crate::terminal::display::Display;

pub use selection::Which;

/// A kind of files, by name.
pub struct Output {
    /// Its name for `--emit`.
    pub name: &'static str,
    /// Description in a few words.
    pub about: &'static str,
    /// True if it is written by default.
    pub usual: bool,
    /// True if it is the test itself, in some form.
    is_test: bool,
    /// Starts to write it.
    open: fn(&OutputPlace<'_>) -> Box<dyn Sink>,
}

/// Destination of the files, and facts about the run for the sinks.
pub struct OutputPlace<'a> {
    /// The program's file.
    pub program: &'a str,
    /// The command line of the program.
    pub arguments: &'a [Vec<u8>],
    /// True if each path that ends in a bug is reported, not only the first.
    pub all_errors: bool,
    /// The folder.
    pub files: RunFiles,
    /// The folder of Test-Comp's suite, if it is another one.
    pub suite: Option<&'a Path>,
}

/// All kinds of files.
pub const OUTPUTS: &[&Output] = &[&ktest::OUTPUT, &err::OUTPUT, &inputs::OUTPUT, &suite::OUTPUT];

/// Name of no files at all, for `--emit`.
const NONE: &str = "none";

/// Writes one kind of files. An error is a sentence with the cause and the way out.
trait Sink {
    /// Writes the file of a path, if it has one, at once or later.
    fn path(&mut self, path: &RecordedPath<'_>) -> Result<(), String>;

    /// Like [`Sink::path`], for a path of an earlier session: a file that is there and whole need not be written again.
    fn complete(&mut self, path: &RecordedPath<'_>) -> Result<(), String> {
        self.path(path)
    }

    /// Writes the files of all paths so far without waiting for more.
    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// Returns true if the caller should wait before it brings more paths.
    fn is_full(&self) -> bool {
        false
    }

    /// Number of files that wait to be written.
    fn waiting(&self) -> usize {
        0
    }

    /// Estimate of the time to write them.
    fn behind(&self) -> Duration {
        Duration::ZERO
    }

    /// Waits until all is written; calls `look` now and then with the number of files that still wait.
    fn finish(&mut self, look: &mut dyn FnMut(usize)) -> Result<(), String> {
        let _ = look;
        Ok(())
    }
}

/// The names of `--emit` as a list without repetitions: all must be known.
pub fn chosen(names: &[String]) -> Result<Vec<String>, Failure> {
    let mut chosen: Vec<String> = Vec::new();
    for name in names {
        known(name).map_err(Failure::usage)?;
        if !chosen.contains(name) {
            chosen.push(name.clone());
        }
    }
    if chosen.len() > 1 && chosen.iter().any(|name| name == NONE) {
        return Err(Failure::usage(format!("--emit {NONE} goes with no other name")));
    }
    chosen.retain(|name| name != NONE);
    Ok(chosen)
}

/// A word of `--emit`.
pub fn known(name: &str) -> Result<String, String> {
    if name == NONE || OUTPUTS.iter().any(|output| output.name == name) {
        return Ok(name.to_string());
    }
    let names: Vec<&str> = OUTPUTS.iter().map(|output| output.name).collect();
    Err(format!("there is no output `{name}`; the outputs are {}, or {NONE}", names.join(", ")))
}

/// Names of the outputs that are written by default.
pub fn usual() -> Vec<String> {
    OUTPUTS.iter().filter(|output| output.usual).map(|output| output.name.to_string()).collect()
}

/// Writes files as paths come in, and shows the progress of the run.
pub struct Files {
    which: Which,
    all_errors: bool,
    sinks: Vec<Box<dyn Sink>>,
    /// Tests of the run that have files.
    tests: u64,
    /// True if one of the files is the test itself.
    has_tests: bool,
    display: Display,
    /// The snapshot that was shown last.
    last: Snapshot,
}

impl Files {
    /// Starts to write the kinds of these names, for these tests.
    pub fn new(names: &[String], which: Which, place: &OutputPlace<'_>, display: Display) -> Files {
        let named = OUTPUTS.iter().filter(|output| names.iter().any(|name| name == output.name));
        let has_tests = named.clone().any(|output| output.is_test);
        let sinks = named.map(|output| (output.open)(place)).collect();
        let (all_errors, last) = (place.all_errors, Snapshot::default());
        Files { which, all_errors, sinks, tests: 0, has_tests, display, last }
    }

    /// Number of tests of the run that are written.
    pub fn tests(&self) -> u64 {
        if self.has_tests { self.tests } else { 0 }
    }

    /// Returns true if files are made of more paths than those that show something new: then all have to come here.
    pub fn wants_all(&self) -> bool {
        !self.sinks.is_empty() && (self.which == Which::All || self.all_errors)
    }

    fn waiting(&self) -> usize {
        self.sinks.iter().map(|sink| sink.waiting()).sum()
    }

    /// Writes files that a session before this one could not write, or not to their end.
    pub fn complete(&mut self, campaign: &Campaign) -> Result<(), Failure> {
        if self.sinks.is_empty() {
            return Ok(());
        }
        let store = campaign.store();
        let covering = store.covering_paths()?;
        let many = self.wants_all();
        let mut complete = |path: StoredPath| {
            let (id, record, covers) = (path.id, &path.record, covering.contains(&path.id));
            let path = RecordedPath { id, record, new_bug: path.first_of_bug, covers };
            if self.which.has(&path, self.all_errors) { self.complete_one(&path) } else { Ok(()) }
        };
        if many {
            return store.each_path::<Failure>(0, complete);
        }
        // Few of millions of paths: the others are not read.
        let first_of_bugs = store.bugs()?.into_iter().map(|bug| bug.first_path);
        let few: BTreeSet<u64> = first_of_bugs.chain(covering.iter().copied()).collect();
        for id in few {
            if let Some(path) = store.path(id)? {
                complete(path)?;
            }
        }
        Ok(())
    }

    fn complete_one(&mut self, path: &RecordedPath<'_>) -> Result<(), Failure> {
        self.tests += 1;
        while self.sinks.iter().any(|sink| sink.is_full()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.sinks.iter_mut().try_for_each(|sink| sink.complete(path)).map_err(Failure::new)
    }

    /// Waits until all is written.
    pub fn finish(&mut self) -> Result<(), String> {
        let (display, now) = (&mut self.display, Snapshot { stopping: true, busy: 0, ..self.last });
        let mut written = Ok(());
        for sink in &mut self.sinks {
            written = written.and(sink.finish(&mut |waiting| display.show(&now, waiting)));
        }
        self.display.clear();
        written
    }
}

impl cleave_campaign::Sink for Files {
    fn paths(&mut self, paths: &[RecordedPath<'_>]) -> Result<(), String> {
        self.display.paths(paths);
        let wanted = paths.iter().filter(|p| self.which.has(p, self.all_errors));
        let wanted: Vec<&RecordedPath<'_>> = wanted.collect();
        self.tests += wanted.len() as u64;
        for sink in &mut self.sinks {
            wanted.iter().try_for_each(|p| sink.path(p))?;
            sink.flush()?;
        }
        Ok(())
    }

    fn is_full(&mut self) -> bool {
        self.sinks.iter().any(|sink| sink.is_full())
    }

    fn behind(&self) -> Duration {
        self.sinks.iter().map(|sink| sink.behind()).max().unwrap_or_default()
    }

    fn progress(&mut self, now: &Snapshot) {
        self.last = *now;
        let waiting = self.waiting();
        self.display.show(now, waiting);
    }

    fn message(&mut self, text: &str) {
        self.display.clear();
        note(format_args!("{text}"));
    }
}
