//! Where the command line meets the crates that do the work.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cleave_campaign::{Campaign, Meta, Store, make_directory, next_directory};
use cleave_explore::{Order, compare};
use cleave_region::{PathKind, Region};
use cleave_replay::{End, Fault, Foretold};
use cleave_report::{ErrorKind, NativeEffect};
use serde_json::Value;

use crate::Failure;
use crate::list::{BugRecord, Record, RegionRecord, TestRecord};
use crate::loading::Image;
use crate::options::{ResumeOptions, RunOptions, YesNo};
use crate::program_file;
use crate::session::{self, IMAGE, Saved};

/// Tests on paths of more instructions are not compared.
const LONGEST_PATH: u64 = 1 << 33;

/// `cleave cc`.
pub fn cc(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let status = cleave_toolchain::cc(arguments)?;
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

/// `cleave run`.
pub fn run(options: &RunOptions) -> Result<ExitCode, Failure> {
    let path = options.program();
    check_program(path)?;
    let write_tests = options.write_tests == YesNo::Yes;
    let saved = Saved::new(path, options.arguments(), options.all_errors, write_tests);
    saved.environment()?;
    let image = program_file::load(path)?;
    let regions = split(options, &saved, &image)?;
    let directory = match &options.output_dir {
        Some(directory) => {
            make_directory(directory)?;
            directory.clone()
        }
        None => next_directory(Path::new("."))?,
    };
    let image_path = directory.join(IMAGE);
    std::fs::write(&image_path, &image.0).map_err(|e| {
        Failure::new(format!("cannot write {}: {e}; make room or give --output-dir", image_path.display()))
    })?;
    let meta = Meta {
        program: saved.program.clone(),
        program_hash: hex(&cleave_replay::sha256(&image.0)),
        options: serde_json::to_value(&saved).map_err(Failure::new)?,
        version: env!("CARGO_PKG_VERSION").into(),
    };
    let mut campaign = Campaign::create(&directory, &meta, &regions)?;
    session::explore(&mut campaign, &saved, &options.exploration, false)
}

/// The static ranges of `--split-at`: between the given tests, in the order of their paths.
fn split(options: &RunOptions, saved: &Saved, image: &Image) -> Result<Vec<Region>, Failure> {
    if options.split_at.is_empty() {
        return Ok(vec![Region::whole()]);
    }
    let mut tests = Vec::new();
    for path in crate::replay::test_files(&options.split_at)? {
        tests.push(session::from_ktest(&cleave_report::read_test(&path)?));
    }
    let mut space = session::space_of(image.program()?, saved)?;
    let (tests, endless) = cleave_explore::sort(&mut space, tests, LONGEST_PATH);
    if !endless.is_empty() {
        let n = endless.len();
        eprintln!(
            "cleave: warning: {n} tests of --split-at are on paths too long to be compared, and are left out"
        );
    }
    Ok(Region::between(tests))
}

/// `cleave resume`.
pub fn resume(options: &ResumeOptions) -> Result<ExitCode, Failure> {
    check_run_directory(&options.directory)?;
    let mut campaign = Campaign::open(&options.directory)?;
    let saved = saved_of(&campaign.store().meta()?)?;
    session::explore(&mut campaign, &saved, &options.exploration, true)
}

fn saved_of(meta: &Meta) -> Result<Saved, Failure> {
    serde_json::from_value(meta.options.clone())
        .map_err(|e| Failure::new(format!("the run's options are damaged ({e}); start a new run")))
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
    check_run_directory(directory)?;
    let store = Store::read(directory)?;
    store.each_path::<Failure>(0, |path| {
        let r = &path.record;
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
    for bug in store.bugs()? {
        each(&Record::Bug(BugRecord {
            kind: bug.record.kind,
            message: bug.record.message,
            place: bug.record.place,
            test: bug.first_path,
            paths: bug.paths,
        }))?;
    }
    store.each_region::<Failure>(|region| {
        let range = region.region.to_string();
        each(&Record::Region(RegionRecord { id: region.id, range, state: region.state }))
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The account of a run.
pub fn account(directory: &Path) -> Result<Value, Failure> {
    check_run_directory(directory)?;
    serde_json::to_value(Store::read(directory)?.account()?).map_err(Failure::new)
}

/// What a run foretells for its tests, by the test's number.
pub fn foretold(directory: &Path) -> Result<BTreeMap<u64, Foretold>, Failure> {
    let mut known = BTreeMap::new();
    Store::read(directory)?.each_path::<Failure>(0, |path| {
        let r = &path.record;
        if r.kind == PathKind::Unsupported {
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
fn foretold_by(
    end: Option<End>,
    stdout_sha256: Option<[u8; 32]>,
    bug: Option<ErrorKind>,
) -> Option<Foretold> {
    let Some(bug) = bug else {
        return Some(Foretold::Ends { end: end?, stdout_sha256: stdout_sha256? });
    };
    Some(Foretold::Fault(match bug.native_effect() {
        NativeEffect::Abort => Fault::Abort,
        NativeEffect::FloatingPointException => Fault::Division,
        NativeEffect::SegmentationFault => Fault::NullPointer,
        NativeEffect::Unknown => Fault::Other,
    }))
}

/// The native executable of a program, and what keeps it on disk if it was made for this.
pub fn native_executable(program: &Path) -> Result<(PathBuf, Option<tempfile::TempDir>), Failure> {
    check_program(program)?;
    program_file::native(program)
}

/// The tests in the order of their paths, those of one path together.
pub fn sort_tests(program: &Path, tests: Vec<PathBuf>) -> Result<Vec<Vec<PathBuf>>, Failure> {
    check_program(program)?;
    let mut read = Vec::new();
    for path in tests {
        let ktest = cleave_report::read_test(&path)?;
        read.push((path, ktest));
    }
    // The environment is that of the first test: tests of one run share it.
    let arguments = read.first().map(|(_, t)| t.args.clone()).unwrap_or_default();
    let rest: Vec<OsString> = arguments.into_iter().skip(1).map(OsString::from_vec).collect();
    let saved = Saved::new(program, &rest, false, false);
    let mut space = session::space_of(program_file::load(program)?.program()?, &saved)?;
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

/// Whether `directory` is what `cleave run` makes.
pub fn is_run_directory(directory: &Path) -> bool {
    cleave_campaign::is_run_directory(directory)
}

fn check_run_directory(directory: &Path) -> Result<(), Failure> {
    if is_run_directory(directory) {
        return Ok(());
    }
    let directory = directory.display();
    Err(Failure::new(format!(
        "{directory} is no run directory; give one that `cleave run` made, like cleave-last"
    )))
}

fn check_program(program: &Path) -> Result<(), Failure> {
    match std::fs::metadata(program) {
        Ok(data) if data.is_file() => Ok(()),
        Ok(_) => Err(Failure::new(format!("{} is not a file; give a program", program.display()))),
        Err(e) => Err(Failure::new(format!("cannot read the program {}: {e}", program.display()))),
    }
}
