//! The tests that are exported: the inputs of each, and the end and output that are expected.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cleave_campaign::Store;
use cleave_linux::env::EnvSpec;
use cleave_linux::{Attributes, Schedules};
use cleave_program::code::Program;
use cleave_region::{BugRecord, PathKind, PathRecord};
use cleave_replay::{End, Fault, Foretold, Job, sha256};
use cleave_report::KTest;
use cleave_toolchain::source_language;

use super::Runs;
use super::chosen_tests::Run;
use crate::failure::Failure;
use crate::findings::test_coverage::Follower;
use crate::inputs::ktests::to_ktest;
use crate::programs::loading::Image;
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

/// A test of a suite that is kept up to date.
pub(super) struct Member {
    pub(super) name: String,
    /// The path that it takes.
    pub(super) record: PathRecord,
}

/// Tests of a run. They are made one at a time, as a run may have millions.
pub(super) struct Suite {
    pub(super) saved: Saved,
    store: Store,
    environment: EnvSpec,
    image: Image,
    /// The tests that are meant; none is all.
    chosen: Option<BTreeSet<u64>>,
    /// The tests of a suite that is kept up to date, in place of the chosen ones.
    members: Option<Vec<Member>>,
    runs: Runs,
    /// There if the tests are native runs.
    follower: Option<Follower>,
    /// Number of tests of the run.
    pub(super) all: usize,
    /// Number of tests given out; the names of those of a suite that is kept up to date.
    pub(super) given: usize,
    given_names: BTreeSet<String>,
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
        let members = None;
        let given_names = BTreeSet::new();
        let (all, given) = (0, 0);
        Ok(Suite {
            saved,
            store,
            environment,
            image,
            chosen,
            members,
            runs,
            follower,
            all,
            given,
            given_names,
            left_out,
        })
    }

    /// The program of the run.
    pub(super) fn program(&self) -> Result<Program, Failure> {
        self.image.program()
    }

    /// Follows tests in the program of the run.
    pub(super) fn new_follower(&self) -> Result<Follower, Failure> {
        Follower::new(&self.image, &self.saved)
    }

    /// The tests that are the first to cover something; `None` if tests were chosen, which need not have one of them.
    pub(super) fn first_to_cover(&self) -> Result<Option<BTreeSet<u64>>, Failure> {
        if self.chosen.is_some() {
            return Ok(None);
        }
        Ok(Some(self.store.covering()?.into_keys().collect()))
    }

    /// Makes it a suite of these tests.
    pub(super) fn give(&mut self, members: Vec<Member>) {
        self.members = Some(members);
    }

    /// The names of the tests that were given out.
    pub(super) fn given_names(&self) -> BTreeSet<String> {
        self.given_names.clone()
    }

    /// Gives each chosen path to `see`, in their order.
    pub(super) fn each_chosen(
        &self,
        mut see: impl FnMut(u64, PathRecord) -> Result<(), Failure>,
    ) -> Result<usize, Failure> {
        let mut all = 0;
        self.store.each_path::<Failure>(0, |path| {
            if path.record.kind == PathKind::AssumedAway {
                return Ok(());
            }
            all += 1;
            if self.chosen.as_ref().is_some_and(|chosen| !chosen.contains(&path.id)) {
                return Ok(());
            }
            let test = test_of(path.id, &path.record)?;
            see(path.id, path.record.with_test(|_| test))
        })?;
        Ok(all)
    }

    /// Gives each test to `put`, in their order. To be called once.
    pub(super) fn each(&mut self, put: &mut dyn FnMut(&Case) -> Result<(), Failure>) -> Result<(), Failure> {
        let (mut follower, mut left_out) = (self.follower.take(), std::mem::take(&mut self.left_out));
        let (mut given, mut given_names) = (0, BTreeSet::new());
        let mut cases = Cases {
            saved: &self.saved,
            environment: &self.environment,
            runs: self.runs,
            follower: follower.as_mut(),
            left_out: &mut left_out,
        };
        let mut give = |name: String, record: &PathRecord| {
            let Some(case) = cases.case(name, record)? else { return Ok(false) };
            given += 1;
            put(&case).map(|()| true)
        };
        let all = match &self.members {
            Some(members) => {
                for member in members {
                    if give(member.name.clone(), &member.record)? {
                        given_names.insert(member.name.clone());
                    }
                }
                members.len()
            }
            None => self.each_chosen(|id, record| give(format!("test{id:06}"), &record).map(drop))?,
        };
        (self.all, self.given, self.given_names, self.left_out) = (all, given, given_names, left_out);
        Ok(())
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
    fn case(&mut self, name: String, record: &PathRecord) -> Result<Option<Case>, Failure> {
        let test = &record.test;
        let ktest = to_ktest(&self.saved.arguments, test);
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
        let (end, digest) = certain(foretold_of(record).as_ref());
        let mut stdout = None;
        if let (Some(follower), Some(digest)) = (&mut self.follower, digest)
            && let Some(written) = follower.stdout(test)
        {
            if sha256(&written) != digest {
                return Err(Failure::new(format!(
                    "{name} does not write what the run recorded; the run is of another version of Cleave, or damaged: start \
                     a new run"
                )));
            }
            stdout = Some(written);
        }
        let own = ktest.objects.iter().filter(|(name, _)| !self.environment.owns(name));
        let own = own.flat_map(|(_, bytes)| bytes.iter().copied()).collect();
        Ok(Some(Case { name, ktest, job, own, end, stdout, bug: record.bug.clone() }))
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
            _ if job.terminal != 0 => Some("their streams are a terminal, which only `cleave replay` makes"),
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
