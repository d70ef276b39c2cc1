//! Where the command line meets the crates that do the work.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cleave_campaign::{Campaign, CampaignError, DATABASE, Meta, Store, make_directory, next_directory};
use cleave_explore::{Order, compare};
use cleave_linux::env::EnvSpec;
use cleave_program::Entry;
use cleave_region::{BugKind, NativeEffect, PathKind, Region, Test};
use cleave_replay::{End, Fault, Foretold};
use cleave_report::KTest;
use serde_json::Value;

use crate::Failure;
use crate::cluster::Cluster;
use crate::gaps::OFF_SEEDS;
use crate::list::{BugRecord, Record, RegionRecord, TestRecord};
use crate::loading::Image;
use crate::options::{BuildSystem, ResumeOptions, RunOptions, YesNo};
use crate::output::note;
use crate::session::{self, IMAGE, Saved};
use crate::{misplaced, program_file, seeds};

/// Tests on paths of more instructions are not compared.
pub const LONGEST_PATH: u64 = 1 << 33;

/// `cleave cc`.
pub fn cc(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let status = cleave_toolchain::cc(arguments, &cleave_program::is_builtin)?;
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

/// `cleave toolchain`.
pub fn toolchain(build_system: BuildSystem) -> Result<ExitCode, Failure> {
    let own =
        std::env::current_exe().map_err(|e| Failure::new(format!("cannot find this executable: {e}")))?;
    let text = match build_system {
        BuildSystem::Cmake => cleave_toolchain::cmake_toolchain(&own),
        BuildSystem::Meson => cleave_toolchain::meson_cross(&own),
    };
    print!("{text}");
    Ok(ExitCode::SUCCESS)
}

/// `cleave run`.
pub fn run(options: &RunOptions, cluster: Option<Cluster<'_>>) -> Result<ExitCode, Failure> {
    let path = options.program();
    check_program(path)?;
    let write_tests = options.write_tests == YesNo::Yes;
    let mut saved = Saved::new(path, options.arguments(), options.all_errors, write_tests);
    saved.asking = saved.asking.with(&options.exploration.asking);
    saved.how = options.exploration.how.clone();
    saved.how.check(options.exploration.deal)?;
    saved.checks = options.checks()?.to_string();
    saved.fail_malloc = options.fail_malloc.unwrap_or(0);
    saved.max_stack_frames = options.max_stack_frames;
    saved.suppressions = options.suppressing.all()?;
    misplaced::warn(path, options.arguments());
    saved.environment()?;
    saved.entry = options
        .entry_point
        .as_ref()
        .map(|function| Entry { function: function.clone(), pointer_size: options.pointer_size });
    let image = program_file::load_from(path, saved.entry.as_ref(), saved.members()?)?;
    let Beginning { regions, left_out, seeds: first } = beginning(options, &saved, &image)?;
    let directory = match &options.output_dir {
        Some(directory) => {
            make_directory(directory)?;
            directory.clone()
        }
        None => next_directory(Path::new("."))?,
    };
    let mut campaign =
        create(&directory, &saved, &image, [&regions, &left_out]).inspect_err(|_| discard(&directory))?;
    seeds::keep(&directory, &saved, &first)?;
    let stealing = !options.no_stealing;
    session::explore(&mut campaign, &saved, &options.exploration, cluster, session::Begin::New { stealing })
}

/// A new run of these regions to explore, and those that are left out.
fn create(
    directory: &Path,
    saved: &Saved,
    image: &Image,
    [regions, left_out]: [&[Region]; 2],
) -> Result<Campaign, Failure> {
    let path = directory.join(IMAGE);
    std::fs::write(&path, &image.0).map_err(|e| {
        Failure::new(format!("cannot write {}: {e}; make room or give another --output-dir", path.display()))
    })?;
    let meta = Meta {
        program: saved.program.clone(),
        program_hash: hex(&cleave_replay::sha256(&image.0)),
        options: serde_json::to_value(saved).map_err(Failure::new)?,
        version: env!("CARGO_PKG_VERSION").into(),
    };
    Campaign::create_without(directory, &meta, regions, left_out, OFF_SEEDS).map_err(|error| {
        // Nothing is recorded yet that could be resumed.
        match error {
            CampaignError::DiskFull { .. } => Failure::new(format!(
                "the disk of {} is full, so the run did not start; make room or give another --output-dir",
                directory.display()
            )),
            error => error.into(),
        }
    })
}

/// Removes what there is of a run that could not be made, so that the next attempt finds the place free.
fn discard(directory: &Path) {
    for name in [IMAGE, DATABASE, "db.sqlite-wal", "db.sqlite-shm", "db.sqlite-journal", "lock"] {
        let _ = std::fs::remove_file(directory.join(name));
    }
    let _ = std::fs::remove_dir(directory);
}

/// The static ranges of `--split-at`: between the given tests, in the order of their paths.
fn split(options: &RunOptions, saved: &Saved, image: &Image) -> Result<Vec<Region>, Failure> {
    if options.split_at.is_empty() {
        return Ok(vec![Region::whole()]);
    }
    let mut tests = Vec::new();
    let mut files = crate::replay::test_files(&options.split_at)?;
    if let Some(ranges) = options.ranges {
        files = drawn(files, ranges as usize - 1, options.exploration.random_seed);
    }
    for path in files {
        let ktest = cleave_report::read_test(&path)?;
        check_command_line(&path, &ktest, saved)?;
        warn_of_other_program(options.program(), &path, &ktest);
        tests.push(session::from_ktest(&ktest));
    }
    Ok(Region::between(seeds::sorted(tests, saved, image, "--split-at")?))
}

/// What a run begins with.
#[derive(Default)]
struct Beginning {
    /// The regions to explore: those of `--split-at`, or around the paths of `--seed`.
    regions: Vec<Region>,
    /// Regions that are kept for a later session.
    left_out: Vec<Region>,
    /// The seeds that workers begin with themselves.
    seeds: Vec<Test>,
}

fn beginning(options: &RunOptions, saved: &Saved, image: &Image) -> Result<Beginning, Failure> {
    if options.seed.is_empty() {
        return Ok(Beginning { regions: split(options, saved, image)?, ..Beginning::default() });
    }
    let read = seeds::read(&options.seed, saved, options.seed_by_name)?;
    let mut tests = read.into_iter().map(|seed| seed.test).collect();
    if options.seed_by_name {
        tests = seeds::by_name(tests, saved, image)?;
    }
    let tests = seeds::sorted(tests, saved, image, "--seed")?;
    if saved.how.is_concolic() && !options.only_seeds {
        return Ok(Beginning { regions: vec![Region::whole()], seeds: tests, ..Beginning::default() });
    }
    let mut space = session::space_of(image.program()?, saved)?;
    let (mut regions, endless) = cleave_explore::around(&mut space, &tests, LONGEST_PATH);
    if endless > 0 {
        note(format_args!("warning: {endless} seeds are on paths too long to be followed, and are left out"));
    }
    let own = if options.only_seeds { tests.len() - endless } else { regions.len() };
    let left_out = regions.split_off(own);
    Ok(Beginning { regions, left_out, seeds: Vec::new() })
}

/// A test of another command line is refused.
pub fn check_command_line(path: &Path, ktest: &KTest, saved: &Saved) -> Result<(), Failure> {
    if same_environment(&ktest.args, &saved.arguments) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the test {} is for another command line ({}); give tests of a run with the same program and arguments",
        path.display(),
        command_line(ktest)
    )))
}

/// `n` of these, each as likely as the others.
fn drawn(mut files: Vec<PathBuf>, n: usize, seed: u64) -> Vec<PathBuf> {
    let mut random = cleave_explore::Random::new(seed);
    let n = n.min(files.len());
    for i in 0..n {
        let j = i + random.below((files.len() - i) as u64) as usize;
        files.swap(i, j);
    }
    files.truncate(n);
    files
}

/// `cleave resume`.
pub fn resume(options: &ResumeOptions, cluster: Option<Cluster<'_>>) -> Result<ExitCode, Failure> {
    let mut campaign = Campaign::open(&options.directory)?;
    let meta = campaign.store().meta()?;
    let saved = saved_of(&meta)?;
    check_image(&options.directory.join(IMAGE), &meta)?;
    session::explore(&mut campaign, &saved, &options.exploration, cluster, session::Begin::Resumed)
}

/// A run goes on with the code that it began with, whatever became of the program's file.
fn check_image(path: &Path, meta: &Meta) -> Result<(), Failure> {
    let why = match std::fs::read(path) {
        Ok(image) if hex(&cleave_replay::sha256(&image)) == meta.program_hash => return Ok(()),
        Ok(_) => "it is damaged, or of another run".to_string(),
        Err(e) => e.to_string(),
    };
    Err(Failure::new(format!(
        "cannot use {}, the program as the run began with it ({why}); restore it from a copy, or start a new run",
        path.display()
    )))
}

fn saved_of(meta: &Meta) -> Result<Saved, Failure> {
    serde_json::from_value(meta.options.clone())
        .map_err(|e| Failure::new(format!("the run's options are damaged ({e}); start a new run")))
}

/// A run to look at: its database, its options, and its program's image.
pub fn recorded(directory: &Path) -> Result<(Store, Saved, Image), Failure> {
    let store = Store::read(directory)?;
    let meta = store.meta()?;
    let saved = saved_of(&meta)?;
    let path = directory.join(IMAGE);
    check_image(&path, &meta)?;
    let image =
        std::fs::read(&path).map_err(|e| Failure::new(format!("cannot read {}: {e}", path.display())))?;
    Ok((store, saved, Image(image)))
}

/// `cleave worker`.
pub fn worker(_arguments: &[OsString]) -> Result<ExitCode, Failure> {
    session::worker()
}

/// Gives tests, then bugs, then open regions of a run to `each`.
pub fn records(
    directory: &Path,
    each: &mut dyn FnMut(&Record) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let store = Store::read(directory)?;
    store.each_path::<Failure>(0, |path| {
        let r = &path.record;
        // Such a path has no test file.
        if r.kind == PathKind::AssumedAway {
            return Ok(());
        }
        each(&Record::Test(TestRecord {
            id: path.id,
            path: r.digest.to_string(),
            depth: r.depth,
            kind: r.kind.name().into(),
            exit_status: r.exit_status,
            stdout_sha256: Some(hex(&r.stdout_sha256)),
            bug: r.bug.as_ref().map(|b| b.kind.clone()),
            message: r.bug.as_ref().map(|b| b.message.clone()),
        }))
    })?;
    let mut bugs = store.bugs()?;
    bugs.sort_by_key(|bug| bug.path_kind);
    for bug in bugs {
        each(&Record::Bug(BugRecord {
            kind: bug.record.kind,
            message: bug.record.message,
            place: bug.record.place,
            test: bug.first_path,
            paths: bug.paths,
            counts_as: bug.path_kind.name().into(),
        }))?;
    }
    store.each_region::<Failure>(|region| {
        let range = region.region.to_string();
        each(&Record::Region(RegionRecord {
            id: region.id,
            range,
            state: region.state,
            reason: region.reason,
        }))
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The account of a run.
pub fn account(directory: &Path) -> Result<Value, Failure> {
    let store = Store::read(directory)?;
    crate::summary::account_of(&store, &saved_of(&store.meta()?)?)
}

/// What a run foretells for its tests, by the test's number.
pub fn foretold(directory: &Path) -> Result<BTreeMap<u64, Foretold>, Failure> {
    let mut known = BTreeMap::new();
    Store::read(directory)?.each_path::<Failure>(0, |path| {
        let r = &path.record;
        if matches!(r.kind, PathKind::Unsupported | PathKind::Suppressed | PathKind::AssumedAway) {
            return Ok(());
        }
        let end = r.exit_status.map(End::Exited).or(r.signal.map(End::Signaled));
        let bug = r.bug.as_ref().map(session::error_kind);
        if let Some(foretold) = foretold_by(end, Some(r.stdout_sha256), bug) {
            known.insert(path.id, foretold);
        }
        Ok(())
    })?;
    Ok(known)
}

/// What a test's record in a run foretells; `None` where nothing can be (cut off, not decided, not supported).
fn foretold_by(end: Option<End>, stdout_sha256: Option<[u8; 32]>, bug: Option<BugKind>) -> Option<Foretold> {
    let Some(bug) = bug else {
        return Some(Foretold::Ends { end: end?, stdout_sha256: stdout_sha256? });
    };
    Some(Foretold::Fault(match bug.native_effect() {
        NativeEffect::Abort => Fault::Abort,
        NativeEffect::FloatingPointException => Fault::Division,
        NativeEffect::IllegalInstruction => Fault::Trap,
        NativeEffect::Breakpoint => Fault::Breakpoint,
        NativeEffect::SegmentationFault => Fault::NullPointer,
        NativeEffect::Hang => Fault::Hang,
        NativeEffect::Unknown => Fault::Other,
    }))
}

/// The native executable of a program, and what keeps it on disk if it was made for this.
/// `tests` are what it is to run: those of a run that began with another function say so.
pub fn native_executable(
    program: &Path,
    tests: &[PathBuf],
) -> Result<(PathBuf, Option<tempfile::TempDir>), Failure> {
    check_program(program)?;
    let entry = |path: &PathBuf| saved_of(&Store::read(path).ok()?.meta().ok()?).ok()?.entry;
    match tests.iter().filter(|path| is_run_directory(path)).find_map(entry) {
        Some(entry) => program_file::native_from(program, &entry),
        None => program_file::native(program),
    }
}

/// The tests in the order of their paths, those of one path together.
pub fn sort_tests(program: &Path, tests: Vec<PathBuf>) -> Result<Vec<Vec<PathBuf>>, Failure> {
    check_program(program)?;
    let mut read = Vec::new();
    for path in tests {
        let ktest = cleave_report::read_test(&path)?;
        warn_of_other_program(program, &path, &ktest);
        read.push((path, ktest));
    }
    // The environment is that of the first test: tests of one run share it.
    if let Some((other, ktest)) = read.iter().find(|(_, t)| !same_environment(&t.args, &read[0].1.args)) {
        return Err(Failure::new(format!(
            "the test {} is for another command line ({}) than {} ({}); give tests of one run",
            other.display(),
            command_line(ktest),
            read[0].0.display(),
            command_line(&read[0].1)
        )));
    }
    let arguments = read.first().map(|(_, t)| t.args.clone()).unwrap_or_default();
    let rest: Vec<OsString> = arguments.into_iter().skip(1).map(OsString::from_vec).collect();
    let saved = Saved::new(program, &rest, false, false);
    let mut space = session::space_of(program_file::load(program, false)?.program()?, &saved)?;
    let mut groups: Vec<(cleave_region::Test, Vec<PathBuf>)> = Vec::new();
    for (path, ktest) in read {
        let test = session::from_ktest(&ktest);
        let (mut lo, mut hi) = (0, groups.len());
        let mut same = None;
        while lo < hi && same.is_none() {
            let middle = (lo + hi) / 2;
            match compare(&mut space, &test, &groups[middle].0, LONGEST_PATH) {
                Some(Order::Smaller) => hi = middle,
                Some(Order::Bigger) => lo = middle + 1,
                Some(Order::Equivalent) => same = Some(middle),
                None => {
                    let path = path.display();
                    return Err(Failure::new(format!(
                        "the path of {path} is too long to be compared; leave it out"
                    )));
                }
            }
        }
        match same {
            Some(i) => groups[i].1.push(path),
            None => groups.insert(lo, (test, vec![path])),
        }
    }
    Ok(groups.into_iter().map(|(_, paths)| paths).collect())
}

/// Whether two command lines stand for the same environment, whatever the program is called.
fn same_environment(a: &[Vec<u8>], b: &[Vec<u8>]) -> bool {
    let spec = |line: &[Vec<u8>]| {
        let rest: Vec<OsString> = line.iter().skip(1).cloned().map(OsString::from_vec).collect();
        EnvSpec::parse(OsStr::new("program"), &rest).ok()
    };
    spec(a).is_some_and(|a| Some(a) == spec(b))
}

fn command_line(test: &KTest) -> String {
    let words: Vec<String> = test.args.iter().map(|a| a.escape_ascii().to_string()).collect();
    if words.is_empty() { "none".into() } else { words.join(" ") }
}

/// Says so if a test was made for a program of another name: then little can be made of it.
pub fn warn_of_other_program(program: &Path, path: &Path, test: &KTest) {
    let stem = |name: &Path| name.file_stem().map(ToOwned::to_owned);
    let Some(name) = test.args.first() else { return };
    let name = OsString::from_vec(name.clone());
    if stem(Path::new(&name)) != stem(program) {
        note(format_args!(
            "warning: the test {} was made for `{}`, not for `{}`",
            path.display(),
            name.display(),
            program.display()
        ));
    }
}

/// Says so if a run was of other code than the program has now.
pub fn warn_of_other_build(program: &Path, run: &Path) {
    let recorded = Store::read(run).and_then(|store| store.meta());
    let Ok(meta) = recorded else { return };
    let members = saved_of(&meta).and_then(|saved| saved.members()).unwrap_or(false);
    let Ok(image) = program_file::load(program, members) else { return };
    if hex(&cleave_replay::sha256(&image.0)) != meta.program_hash {
        note(format_args!(
            "warning: the tests in {} were made for other code than {} has now (another program or another build of \
             it), so what differs may come of that; explore it again",
            run.display(),
            program.display()
        ));
    }
}

/// Whether `directory` is what `cleave run` makes.
pub fn is_run_directory(directory: &Path) -> bool {
    cleave_campaign::is_run_directory(directory)
}

fn check_program(program: &Path) -> Result<(), Failure> {
    match std::fs::metadata(program) {
        Ok(data) if data.is_file() => Ok(()),
        Ok(_) => Err(Failure::new(format!("{} is not a file; give a program", program.display()))),
        Err(e) => Err(Failure::new(format!("cannot read the program {}: {e}", program.display()))),
    }
}
