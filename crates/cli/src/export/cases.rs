//! The tests that are exported: the inputs of each, and the end and output that are expected.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cleave_campaign::{Store, StoredPath};
use cleave_linux::env::EnvSpec;
use cleave_linux::{Attributes, Schedules};
use cleave_region::{BugRecord, PathKind};
use cleave_replay::{End, Fault, Foretold, Job, sha256};
use cleave_report::KTest;
use cleave_toolchain::source_language;

use super::Runs;
use super::chosen_tests::Run;
use crate::failure::Failure;
use crate::findings::test_coverage::Follower;
use crate::inputs::ktests::to_ktest;
use crate::programs::program_file;
use crate::sessions::forecast::{foretold_of, job_of};
use crate::sessions::run_dir;
use crate::sessions::run_dir::{recorded, test_of};
use crate::sessions::saved::Saved;

/// A test.
pub(super) struct Case {
    /// Name of its file or folder.
    pub(super) name: String,
    pub(super) ktest: KTest,
    /// Inputs given to the program.
    pub(super) job: Job,
    /// The bytes of the objects that the program makes symbolic itself, one after the other.
    pub(super) own: Vec<u8>,
    /// End of the native run, if it is certain.
    pub(super) end: Option<Ends>,
    /// Bytes written to standard output; only if the program ends by itself.
    pub(super) stdout: Option<Vec<u8>>,
    /// The bug that it ends in.
    pub(super) bug: Option<BugRecord>,
}

/// End of a native run of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Exit(i32),
    Signal(i32),
}

/// Tests of a run. They are made one at a time, as a run may have millions.
pub(super) struct Suite {
    pub(super) saved: Saved,
    store: Store,
    environment: EnvSpec,
    /// The tests that are meant; none is all.
    chosen: Option<BTreeSet<u64>>,
    runs: Runs,
    /// There if the tests are native runs.
    follower: Option<Follower>,
    /// Number of tests of the run, and number of tests given out.
    pub(super) all: usize,
    pub(super) given: usize,
    /// Tests that were chosen and cannot be exported: their number by reason.
    pub(super) left_out: BTreeMap<&'static str, usize>,
}

impl Suite {
    /// The tests of a run that are chosen. If they are native runs, each has its standard output, and tests that only
    /// `cleave replay` can run are left out.
    pub(super) fn of(directory: &Path, selections: &[String], runs: Runs) -> Result<Suite, Failure> {
        let (store, saved, image) = recorded(directory)?;
        let chosen = Run { store: &store, saved: &saved, image: &image }.chosen(selections)?;
        let follower = if runs != Runs::No { Some(Follower::new(&image, &saved)?) } else { None };
        let (environment, left_out) = (saved.environment()?, BTreeMap::new());
        Ok(Suite { saved, store, environment, chosen, runs, follower, all: 0, given: 0, left_out })
    }

    /// Gives each test to `put`, in their order. To be called once.
    pub(super) fn each(&mut self, put: &mut dyn FnMut(&Case) -> Result<(), Failure>) -> Result<(), Failure> {
        let Suite { saved, store, environment, chosen, runs, follower, all, given, left_out } = self;
        let mut cases = Cases { saved, environment, runs: *runs, follower: follower.as_mut(), left_out };
        store.each_path::<Failure>(0, |path| {
            if path.record.kind == PathKind::AssumedAway {
                return Ok(());
            }
            *all += 1;
            if chosen.as_ref().is_none_or(|chosen| chosen.contains(&path.id))
                && let Some(case) = cases.case(path)?
            {
                *given += 1;
                put(&case)?;
            }
            Ok(())
        })
    }

    /// Puts the native executable of the program into a file.
    pub(super) fn put_program(&self, file: &Path) -> Result<(), Failure> {
        let program = PathBuf::from(&self.saved.program);
        program_file::check_program(&program)?;
        let (executable, _kept) = program_file::native_changed(&program, self.saved.changes())?;
        let bytes = std::fs::read(&executable)
            .map_err(|e| Failure::new(format!("cannot read {}: {e}", executable.display())))?;
        super::write_executable(file, bytes)
    }

    /// The digest of the program's file, in hexadecimal; nothing if it is gone.
    pub(super) fn program_hash(&self) -> String {
        std::fs::read(&self.saved.program).map(|bytes| run_dir::hex(&sha256(&bytes))).unwrap_or_default()
    }
}

/// Makes test cases of paths.
struct Cases<'a> {
    saved: &'a Saved,
    environment: &'a EnvSpec,
    runs: Runs,
    follower: Option<&'a mut Follower>,
    left_out: &'a mut BTreeMap<&'static str, usize>,
}

impl Cases<'_> {
    fn case(&mut self, path: StoredPath) -> Result<Option<Case>, Failure> {
        let test = test_of(path.id, &path.record)?;
        let ktest = to_ktest(&self.saved.arguments, &test);
        let mut job = job_of(&ktest).map_err(Failure::new)?;
        // Checks that Cleave compiled in end a native run that has its test.
        if self.saved.build.checked
            && source_language(Path::new(&self.saved.program)).is_some()
            && job.ktest.is_none()
        {
            job.ktest = Some(ktest.to_bytes().map_err(Failure::new)?);
        }
        if let Some(why) = self.cannot_run(&job) {
            *self.left_out.entry(why).or_default() += 1;
            return Ok(None);
        }
        let (end, digest) = certain(foretold_of(&path.record).as_ref());
        let mut stdout = None;
        if let (Some(follower), Some(digest)) = (&mut self.follower, digest)
            && let Some(written) = follower.stdout(&test)
        {
            if sha256(&written) != digest {
                return Err(Failure::new(format!(
                    "test {} does not write what the run recorded; the run is of another version of Cleave, or damaged: \
                     start a new run",
                    path.id
                )));
            }
            stdout = Some(written);
        }
        let name = format!("test{:06}", path.id);
        let own = ktest.objects.iter().filter(|(name, _)| !self.environment.owns(name));
        let own = own.flat_map(|(_, bytes)| bytes.iter().copied()).collect();
        Ok(Some(Case { name, ktest, job, own, end, stdout, bug: path.record.bug }))
    }
}

impl Cases<'_> {
    /// Reason why a test cannot be a native run of this form; `None` if it can.
    fn cannot_run(&self, job: &Job) -> Option<&'static str> {
        let usual = Attributes::default();
        match self.runs {
            Runs::No => None,
            _ if job.calls_differ() => {
                Some("they need system calls or files that fail, which only `cleave replay` makes")
            }
            _ if self.environment.schedules != Schedules::Fixed => {
                Some("their threads take turns in an order that only `cleave replay` gives them")
            }
            _ if !self.environment.folders.is_empty() => {
                Some("they need a folder at its place (--fs), which only `cleave replay` puts there")
            }
            _ if !job.attributes.iter().all(Attributes::is_own) => {
                Some("their files belong to somebody else, which only `cleave replay` shows")
            }
            Runs::Files if !job.tree.is_empty() || job.attributes.iter().any(|a| *a != usual) => {
                Some("they need directories, links, permissions or times, which --to plain makes")
            }
            _ => None,
        }
    }
}

/// End of a native run and digest of its output, each if it is certain.
fn certain(foretold: Option<&Foretold>) -> (Option<Ends>, Option<[u8; 32]>) {
    match foretold {
        Some(Foretold::Ends { end: End::Exited(status), stdout_sha256 }) => {
            (Some(Ends::Exit(*status)), Some(*stdout_sha256))
        }
        Some(Foretold::Ends { end: End::Signaled(signal), stdout_sha256 }) => {
            (Some(Ends::Signal(*signal)), Some(*stdout_sha256))
        }
        Some(Foretold::Fault(Fault::Abort)) => (Some(Ends::Signal(6)), None),
        Some(Foretold::Fault(Fault::Trap)) => (Some(Ends::Signal(4)), None),
        Some(Foretold::Fault(Fault::Breakpoint)) => (Some(Ends::Signal(5)), None),
        // A test that hangs, or whose end depends on the compiler or the memory layout, is run and not judged.
        _ => (None, None),
    }
}
