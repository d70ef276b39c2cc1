//! `cleave replay`: the native judge.

use crate::commands::testing::native_gdb;
use crate::failure::Failure;
use crate::findings::orders::{Foreseen, Orders};
use crate::inputs::ktests::warn_of_other_program;
use crate::inputs::named_tests::{GivenTest, given_tests};
use crate::options::values;
use crate::process::messages::note;
use crate::process::number_words::{counted, verb_of};
use crate::process::output::Output;
use crate::programs::build::Build;
use crate::programs::loading::Changes;
use crate::programs::program_file;
use crate::sessions::forecast::{foretold_of, job_of};
use crate::sessions::run_dir::{is_run_directory, opened, saved_of, warn_of_other_build};
use crate::sessions::saved::Saved;
use clap::Args;
use cleave_campaign::Store;
use cleave_engine::Family;
use cleave_replay::{End, Foretold, Job, Limits, NativeProgram, Observed, Verdict, Wanted, compare, sha256};
use serde_json::json;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;
use std::time::Instant;

/// Options of `cleave replay`.
#[derive(Clone, Debug, Args)]
pub struct ReplayOptions {
    /// Runs at once. Default is the number of processor cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub workers: Option<u32>,
    /// Time for one run (seconds, or like 500ms, 2s). Default is 10s
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub max_time: Option<Duration>,
    /// Memory that one process of a run uses (MiB, or like 64M, 1G); what is only reserved does not count. Default is 256M
    #[arg(long, value_name = "SIZE", value_parser = values::size)]
    pub max_memory: Option<u64>,
    /// Isolation of the program from this machine: full (namespaces; refuses where there are none), auto (namespaces, or the
    /// model of the kernel answers its system calls), none (it may do whatever you may). Default is auto
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value_t,
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub isolation: Isolation,
    /// The same as --isolation none. Default is to isolate the program
    #[arg(long, conflicts_with = "isolation")]
    pub no_sandbox: bool,
    /// Run one test under gdb: `run` starts it with its arguments, standard input and files, as often as you like.
    /// Differences from the model's world are printed first. Default is to run the tests and to compare
    #[arg(long, conflicts_with_all = ["json", "workers", "max_time", "max_memory"])]
    pub gdb: bool,
    /// An argument for gdb, in front of the program (like --gdb-arg=--batch --gdb-arg=-ex --gdb-arg=run). May be repeated.
    /// Default is none
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true, requires = "gdb")]
    pub gdb_arg: Vec<OsString>,
    /// Print one JSON object a line for each test. Default is text
    #[arg(long)]
    pub json: bool,
    /// The native executable that `cleave cc` made
    #[arg(value_name = "PROGRAM")]
    pub program: PathBuf,
    /// Tests (.ktest), run directories for a test of each of their paths (DIR/tests for those that
    /// were written), or folders with tests
    #[arg(value_name = "TEST", required = true)]
    pub tests: Vec<PathBuf>,
}

/// Isolation of a replayed program from the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Isolation {
    /// By namespaces, or not at all.
    Full,
    /// By namespaces, or by the model of the kernel.
    #[default]
    Auto,
    /// Not at all.
    None,
}

/// Maximum number of further runs of a test that differs, each with its memory elsewhere. A single deciding bit of an address
/// is the same in all of them once in 64 times.
const MOST_LAYOUTS: usize = 6;

/// Maximum number of tests shown that differ or could not be run.
const SHOWN: usize = 20;

/// Outcome of one test.
struct ReplayOutcome {
    /// Observation of the native run, kept only if it is printed; `None` also if the test could not be run.
    seen: Option<Observed>,
    /// Its end and the digest of its output.
    trace: Option<(End, [u8; 32])>,
    judgement: Judgement,
}

enum Judgement {
    /// As foretold.
    Agrees,
    /// Not as foretold, with the difference.
    Differs(String),
    /// It ran without a certain forecast; the text says what it did.
    Ran(String),
    /// It could not be run, with the reason.
    Error(String),
}

/// Runs the tests and prints the differences; exit code 1 if a test differs or could not be run.
pub fn replay(options: &ReplayOptions) -> Result<ExitCode, Failure> {
    let tests = given_tests(&options.tests)?;
    let saved = saved_of_first(&tests);
    let (executable, _kept) = native_executable(&options.program, &options.tests, saved.as_ref())?;
    let (programs, _kept_too) = native_programs(saved.as_ref(), &executable)?;
    if options.gdb {
        return under_gdb(options, &executable, &tests);
    }
    let foretold = foretold(&tests)?;
    let mut orders = Orders::default();
    let orders = tests.iter().map(|test| orders.of(test)).collect::<Result<Vec<Foreseen>, Failure>>()?;
    // Only the first test is checked: mostly, the others are of the same run.
    if let Some((first, ktest)) = tests.iter().find_map(|t| t.read().ok().map(|ktest| (t, ktest))) {
        warn_of_other_program(&options.program, first.file(), &ktest);
    }
    let start = Instant::now();
    let outcomes = run_all(
        &Setting {
            options,
            executable: &executable,
            programs: &programs,
            tests: &tests,
            orders: &orders,
            checked: is_checked(&executable),
        },
        &foretold,
    )?;
    // Only where it matters, as the program has to be read for it.
    let differing = outcomes.iter().position(|o| matches!(o.judgement, Judgement::Differs(_)));
    if let Some((run, _)) = differing.and_then(|i| tests[i].origin()) {
        warn_of_other_build(&options.program, &run);
    }
    let mut out = Output::new();
    if options.json {
        for (test, outcome) in tests.iter().zip(&outcomes) {
            out.line(json_line(test, outcome))?;
        }
    } else {
        show(&tests, &outcomes, start, &mut out)?;
    }
    out.end()?;
    let bad = outcomes.iter().any(|o| matches!(o.judgement, Judgement::Differs(_) | Judgement::Error(_)));
    Ok(if bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Runs the one test that is given under gdb.
fn under_gdb(options: &ReplayOptions, executable: &Path, tests: &[GivenTest]) -> Result<ExitCode, Failure> {
    let [test] = tests else {
        return Err(Failure::usage(format!(
            "--gdb runs one test, and {} are given; name one of them",
            tests.len()
        )));
    };
    let isolated = !options.no_sandbox && options.isolation != Isolation::None;
    let job = read_job(test, is_checked(executable)).map_err(Failure::new)?;
    native_gdb::debug(executable, &job, isolated, &options.gdb_arg)
}

/// Forecast of each test, from the run that it belongs to.
fn foretold(tests: &[GivenTest]) -> Result<Vec<Option<Forecast>>, Failure> {
    let mut runs: BTreeMap<PathBuf, BTreeMap<u64, Forecast>> = BTreeMap::new();
    let mut result = Vec::with_capacity(tests.len());
    for test in tests {
        let Some((run, id)) = test.origin() else {
            result.push(None);
            continue;
        };
        if !runs.contains_key(&run) {
            let known = foretold_of_run(&run)?;
            runs.insert(run.clone(), known);
        }
        result.push(runs.get(&run).and_then(|known| known.get(&id)).cloned());
    }
    Ok(result)
}

/// The record that a run has of a test.
#[derive(Clone)]
struct Forecast {
    foretold: Foretold,
    /// Places where the path depends on the addresses of objects.
    addresses: Vec<String>,
    /// The run did not look for values that were never set. The engine has a zero for each, the machine has anything.
    unset_values: bool,
}

/// Settings that all native runs share.
struct Setting<'a> {
    options: &'a ReplayOptions,
    executable: &'a Path,
    programs: &'a [NativeProgram],
    tests: &'a [GivenTest],
    /// The order of threads of each.
    orders: &'a [Foreseen],
    /// See [`is_checked`].
    checked: bool,
}

impl Setting<'_> {
    /// Runs the tests of these numbers, with their memory `elsewhere` or at its usual place. `done` gets the result of each,
    /// in no particular order. Returns the reason if there are no namespaces.
    fn run(
        &self,
        numbers: &[usize],
        elsewhere: bool,
        done: &(dyn Fn(usize, Result<Observed, String>) + Sync),
    ) -> Result<Option<String>, Failure> {
        let (options, usual) = (self.options, Limits::default());
        let limits = Limits {
            wall: options.max_time.unwrap_or(usual.wall),
            cpu_seconds: options.max_time.map_or(usual.cpu_seconds, |t| t.as_secs() + 1),
            memory: options.max_memory.unwrap_or(usual.memory),
            ..usual
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let parallel = options.workers.map_or(cores, |n| n as usize);
        let wanted = match options.isolation {
            _ if options.no_sandbox => Wanted::None,
            Isolation::Full => Wanted::Full,
            Isolation::Auto => Wanted::Best,
            Isolation::None => Wanted::None,
        };
        let read = |n: usize| {
            Ok(Job { elsewhere, turns: self.orders[n].clone()?, ..read_job(&self.tests[n], self.checked)? })
        };
        let job = |i: usize| match read(numbers[i]) {
            Ok(job) => Some(job),
            Err(message) => {
                done(numbers[i], Err(message));
                None
            }
        };
        let done = |i: usize, result: Result<Observed, cleave_replay::Error>| {
            done(numbers[i], result.map_err(|e| e.to_string()));
        };
        let count = numbers.len();
        Ok(cleave_replay::replay_all(
            (self.executable, self.programs),
            limits,
            wanted,
            count,
            parallel,
            &job,
            &done,
        )?)
    }
}

fn run_all(setting: &Setting<'_>, foretold: &[Option<Forecast>]) -> Result<Vec<ReplayOutcome>, Failure> {
    let Setting { options, tests, .. } = *setting;
    let not_run =
        || ReplayOutcome { seen: None, trace: None, judgement: Judgement::Error("it was not run".into()) };
    let outcomes: Mutex<Vec<ReplayOutcome>> = Mutex::new(tests.iter().map(|_| not_run()).collect());
    let lock = || outcomes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let all: Vec<usize> = (0..tests.len()).collect();
    let without = setting.run(&all, false, &|i, result| {
        let outcome = match result {
            Ok(seen) => {
                let mut judgement = judge(foretold[i].as_ref(), &seen);
                let loose = matches!(&setting.orders[i], Ok(Some(turns)) if turns.loose);
                if let (true, Judgement::Differs(how)) = (loose, &judgement) {
                    let why = "a thread is interrupted where native threads do not stop: at a plain access, or at the end";
                    judgement = Judgement::Ran(format!("{why}; {how}"));
                }
                let trace = Some(trace_of(&seen));
                // Output is kept only where it will be shown.
                ReplayOutcome { judgement, trace, seen: (options.json || tests.len() == 1).then_some(seen) }
            }
            Err(message) => ReplayOutcome { seen: None, trace: None, judgement: Judgement::Error(message) },
        };
        lock()[i] = outcome;
    })?;
    if let Some(reason) = without {
        note(format_args!(
            "no namespaces here ({reason}): the model of the kernel answered the program's system calls; \
             --isolation full refuses instead"
        ));
    }
    let differ = |o: &ReplayOutcome| matches!(o.judgement, Judgement::Differs(_));
    for _ in 0..MOST_LAYOUTS {
        let doubtful: Vec<usize> = all.iter().copied().filter(|&i| differ(&lock()[i])).collect();
        if doubtful.is_empty() {
            break;
        }
        // No forecast is possible for a program whose runs differ from each other.
        setting.run(&doubtful, true, &|i, result| {
            let outcome = &mut lock()[i];
            if let (Ok(seen), Some(trace)) = (result, outcome.trace)
                && trace_of(&seen) != trace
            {
                let what =
                    "what it does depends on the addresses of its memory: elsewhere it is something else";
                outcome.judgement = Judgement::Ran(what.into());
            }
        })?;
    }
    Ok(outcomes.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// The part of a run that is compared with another run of the same test: its end, and the digest of its output.
fn trace_of(seen: &Observed) -> (End, [u8; 32]) {
    (seen.end, sha256(&seen.stdout))
}

fn judge(forecast: Option<&Forecast>, seen: &Observed) -> Judgement {
    let Some(Forecast { foretold, addresses, unset_values }) = forecast else {
        return Judgement::Ran(format!("nothing foretold; natively: {}", seen.end));
    };
    match compare(foretold, seen) {
        Verdict::Agrees => Judgement::Agrees,
        Verdict::Ran(what) => Judgement::Ran(what),
        Verdict::Differs(how) if !addresses.is_empty() => Judgement::Ran(format!(
            "what it does depends on the addresses of its objects, at {}: {how}",
            addresses.join(", ")
        )),
        Verdict::Differs(how) if *unset_values => {
            Judgement::Ran(format!("it may use values that were never set (--check -uninitialised): {how}"))
        }
        Verdict::Differs(how) => Judgement::Differs(how),
    }
}

/// Turns a test into a job: its command line describes the environment, its objects fill it in.
fn read_job(test: &GivenTest, checked: bool) -> Result<Job, String> {
    let ktest = test.read().map_err(|e| e.sentence().to_string())?;
    let job = job_of(&ktest);
    let mut job =
        job.map_err(|message| format!("cannot use the test {}: {message}", test.file().display()))?;
    if checked && job.ktest.is_none() {
        job.ktest = Some(ktest.to_bytes().map_err(|e| e.to_string())?);
    }
    Ok(job)
}

/// Returns true if clang's checks are compiled into an executable. They end the program if it has a test
/// (runtime/undefined.c), so it gets its test even if it makes nothing symbolic itself.
fn is_checked(executable: &Path) -> bool {
    const HANDLERS: &[u8] = b"__ubsan_handle_";
    std::fs::read(executable).is_ok_and(|bytes| bytes.windows(HANDLERS.len()).any(|part| part == HANDLERS))
}

fn json_line(test: &GivenTest, outcome: &ReplayOutcome) -> String {
    let (verdict, text) = match &outcome.judgement {
        Judgement::Agrees => ("agrees", ""),
        Judgement::Differs(how) => ("differs", how.as_str()),
        Judgement::Ran(what) => ("ran", what.as_str()),
        Judgement::Error(why) => ("error", why.as_str()),
    };
    let seen = outcome.seen.as_ref();
    json!({
        "test": test.file().to_string_lossy(),
        "verdict": verdict,
        "text": text,
        "end": seen.map(|s| s.end.to_string()),
        "stdout": seen.map(|s| s.stdout.escape_ascii().to_string()),
        "stderr": seen.map(|s| s.stderr.escape_ascii().to_string()),
    })
    .to_string()
}

fn show(
    tests: &[GivenTest],
    outcomes: &[ReplayOutcome],
    start: Instant,
    out: &mut Output,
) -> Result<(), Failure> {
    if let ([test], [outcome]) = (tests, outcomes) {
        show_one(test, outcome, out)?;
    }
    let (mut agree, mut differ, mut ran, mut errors) = (0u64, 0u64, 0u64, 0u64);
    let mut shown = 0;
    for (test, outcome) in tests.iter().zip(outcomes) {
        let (count, text) = match &outcome.judgement {
            Judgement::Agrees => (&mut agree, None),
            Judgement::Ran(_) => (&mut ran, None),
            Judgement::Differs(how) => (&mut differ, Some(how)),
            Judgement::Error(why) => (&mut errors, Some(why)),
        };
        *count += 1;
        if let Some(text) = text {
            shown += 1;
            if shown <= SHOWN {
                out.line(format_args!("{}: {text}", test.file().display()))?;
            }
        }
    }
    if shown > SHOWN {
        out.line(format_args!("... and {} more; --json shows all", shown - SHOWN))?;
    }
    let mut line = format!(
        "{} replayed in {:.1} s: {agree} as foretold",
        counted(tests.len() as u64, "test"),
        start.elapsed().as_secs_f64()
    );
    let differs = verb_of(differ, "differs", "differ");
    for (count, what) in
        [(differ, differs), (ran, "ran without a certain forecast"), (errors, "could not be run")]
    {
        if count > 0 {
            line.push_str(&format!(", {count} {what}"));
        }
    }
    out.line(line)
}

/// Shows a single test in full.
fn show_one(test: &GivenTest, outcome: &ReplayOutcome, out: &mut Output) -> Result<(), Failure> {
    if let Ok(job) = read_job(test, false) {
        let words: Vec<String> = job.argv.iter().map(|a| format!("\"{}\"", a.escape_ascii())).collect();
        out.line(format_args!("arguments: {}", words.join(" ")))?;
        if !job.stdin.is_empty() {
            out.line(format_args!("standard input: \"{}\"", job.stdin.escape_ascii()))?;
        }
    }
    if let Some(seen) = &outcome.seen {
        out.line(format_args!("natively: {}", seen.end))?;
        out.line(format_args!("standard output: \"{}\"", seen.stdout.escape_ascii()))?;
        if !seen.stderr.is_empty() {
            out.line(format_args!("standard error: \"{}\"", seen.stderr.escape_ascii()))?;
        }
    }
    Ok(())
}

/// Forecasts of a run for its tests, by the test's number.
fn foretold_of_run(directory: &Path) -> Result<BTreeMap<u64, Forecast>, Failure> {
    let mut known = BTreeMap::new();
    let store = opened(directory)?;
    let unset_values = !saved_of(&store.meta()?)?.checks()?.has(Family::Uninitialised);
    store.each_path::<Failure>(0, |path| {
        if let Some(foretold) = foretold_of(&path.record) {
            let addresses = path.record.addresses.clone();
            known.insert(path.id, Forecast { foretold, addresses, unset_values });
        }
        Ok(())
    })?;
    Ok(known)
}

/// The native executable of a program, and the temporary folder that keeps it on disk if it was made for this. `tests` are
/// the tests to run: a run among them may have changed the program.
fn native_executable(
    program: &Path,
    tests: &[PathBuf],
    of_first: Option<&Saved>,
) -> Result<(PathBuf, Option<tempfile::TempDir>), Failure> {
    program_file::check_program(program)?;
    let saved = |path: &PathBuf| saved_of(&Store::read(path).ok()?.meta().ok()?).ok();
    let changed = |saved: &Saved| !saved.changes().is_empty();
    let named = tests.iter().filter(|path| is_run_directory(path)).filter_map(saved).find(changed);
    let run = named.as_ref().or(of_first.filter(|&saved| changed(saved)));
    // Tests without a run are most probably of a program that Cleave compiled as it does by itself.
    let usual = Build::checked();
    let build = of_first.map_or(&usual, |saved| &saved.build);
    let changes = run.map_or(Changes { build: Some(build), ..Changes::default() }, Saved::changes);
    program_file::native_changed(program, changes)
}

/// Saved options of the run of the first test that belongs to one.
fn saved_of_first(tests: &[GivenTest]) -> Option<Saved> {
    let (run, _) = tests.iter().find_map(GivenTest::origin)?;
    saved_of(&Store::read(&run).ok()?.meta().ok()?).ok()
}

/// Programs that a run has put into the file system, as native executables, and the temporary folders that keep them on disk.
/// The program under test itself is `executable`.
fn native_programs(
    saved: Option<&Saved>,
    executable: &Path,
) -> Result<(Vec<NativeProgram>, Vec<tempfile::TempDir>), Failure> {
    let (mut programs, mut kept) = (Vec::new(), Vec::new());
    let build = Build { checked: saved.is_some_and(|saved| saved.build.checked), ..Build::default() };
    let mut made = BTreeMap::from([(0, executable.to_path_buf())]);
    for program in saved.map(|saved| &saved.programs[..]).unwrap_or_default() {
        let executable = match made.entry(program.image) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(new) => {
                let file = Path::new(&program.file);
                program_file::check_program(file)?;
                let (native, folder) = program_file::native(file, &build)?;
                kept.extend(folder);
                new.insert(native).clone()
            }
        };
        programs.push(NativeProgram { path: program.path.clone(), executable });
    }
    Ok((programs, kept))
}
