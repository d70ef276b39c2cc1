//! Runs a target on changed inputs for a time, without a nightly toolchain: `cleave-fuzz TARGET [SECONDS [SEED]]`, or
//! `cleave-fuzz TARGET FILE` for one input.
//!
//! The inputs run in a child process, which the driver starts anew when it dies. What panics, dies or takes long is
//! kept in `cleave-fuzz-findings/`, one input for each place.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use cleave_fuzz::mutate::Mutator;
use cleave_fuzz::{TARGETS, Target};
use rustix::process::{Resource, Rlimit, setrlimit};

const FINDINGS: &str = "cleave-fuzz-findings";
/// An input that takes longer is a finding; one that has no end is given up after twice that.
const SLOW: Duration = Duration::from_secs(20);
/// Bytes of address space that a child has: LLVM may ask for any number of them.
const MEMORY: u64 = 2 << 30;
/// So many inputs are kept, seeds among them.
const MOST_KEPT: usize = 4096;

/// What the last panic said, and where.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let named = |name: &str| TARGETS.into_iter().find(|t| t.name == name);
    let Some(target) = arguments.first().and_then(|name| named(name)) else {
        let names: Vec<&str> = TARGETS.iter().map(|t| t.name).collect();
        eprintln!("usage: cleave-fuzz TARGET [SECONDS [SEED]] | TARGET FILE; targets: {}", names.join(", "));
        return ExitCode::from(2);
    };
    let second = arguments.get(1).map(String::as_str).unwrap_or("60");
    let Ok(seconds) = second.parse::<u64>() else {
        return match std::fs::read(second) {
            Ok(bytes) => {
                println!("{}", (target.run)(&bytes));
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("cannot read {second}: {error}");
                ExitCode::FAILURE
            }
        };
    };
    let seed = arguments.get(2).and_then(|s| s.parse().ok()).unwrap_or(1);
    if let Some(folder) = std::env::var_os("CLEAVE_FUZZ_CHILD") {
        child(&target, Path::new(&folder), Duration::from_secs(seconds), seed);
        return ExitCode::SUCCESS;
    }
    parent(&target, Duration::from_secs(seconds), seed)
}

/// Writes a file whose loss would make what follows senseless.
fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap_or_else(|e| panic!("cannot write {}: {e}", path.display()));
}

/// A folder for the inputs of a campaign: in memory where there is such a place.
fn scratch() -> tempfile::TempDir {
    let shared = Path::new("/dev/shm");
    let made = if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() };
    made.expect("a scratch folder")
}

/// The input at hand, for when the process dies.
fn current(folder: &Path) -> PathBuf {
    folder.join("current")
}

/// Starts children until the time is over. They share the inputs of a folder.
fn parent(target: &Target, time: Duration, mut seed: u64) -> ExitCode {
    std::fs::create_dir_all(FINDINGS).expect("a folder for findings");
    let scratch = scratch();
    let (folder, words) = (scratch.path(), scratch.path().join("words"));
    for (number, input) in (target.seeds)().iter().enumerate() {
        write(&folder.join(format!("input-{number:05}")), input);
    }
    let (start, mut died, mut llvm) = (Instant::now(), 0, 0);
    while start.elapsed() < time {
        let left = (time - start.elapsed()).as_secs().max(1);
        let itself = std::env::current_exe().expect("this executable");
        let mut command = Command::new(itself);
        command.args([target.name, &left.to_string(), &seed.to_string()]).env("CLEAVE_FUZZ_CHILD", folder);
        command.stderr(std::fs::File::create(&words).expect("a file for last words"));
        // Its age is that of this child.
        write(&current(folder), b"");
        let (status, hangs) = watched(&mut command, folder);
        seed += 1_000_003;
        let words = String::from_utf8_lossy(&std::fs::read(&words).unwrap_or_default()).into_owned();
        let ours = ["panicked", "overflowed its stack", "memory allocation of"];
        if status.success() {
            continue;
        }
        if target.llvm && !hangs && !ours.iter().any(|w| words.contains(w)) {
            llvm += 1;
            continue;
        }
        died += 1;
        let kept = Path::new(FINDINGS).join(format!("{}-died-{died}", target.name));
        // Where nothing was written yet there is nothing to keep.
        let _ = std::fs::copy(current(folder), &kept);
        let what = if hangs { "an input has no end" } else { "the process died" };
        println!("{}: {what} ({status}): {}\n{words}", target.name, kept.display());
    }
    if llvm > 0 {
        println!("{}: LLVM ended the process {llvm} times", target.name);
    }
    if died == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Waits for a child, and kills it where an input has no end; says whether it was so.
fn watched(command: &mut Command, folder: &Path) -> (ExitStatus, bool) {
    let mut child = command.spawn().expect("a child process");
    let mut hangs = false;
    loop {
        if let Some(status) = child.try_wait().expect("a child process") {
            return (status, hangs);
        }
        std::thread::sleep(Duration::from_millis(50));
        let written = std::fs::metadata(current(folder)).and_then(|m| m.modified());
        let age = written.ok().and_then(|t| t.elapsed().ok()).unwrap_or_default();
        if age > 2 * SLOW && !hangs {
            hangs = true;
            // If it has just ended, that is as well.
            let _ = child.kill();
        }
    }
}

/// The inputs of a campaign so far: its seeds, and those whose outcome was new.
fn inputs(folder: &Path) -> Vec<Vec<u8>> {
    let files = std::fs::read_dir(folder).expect("the folder of the campaign").flatten().map(|e| e.path());
    let is_input = |p: &PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("input-"));
    let mut files: Vec<_> = files.filter(is_input).collect();
    files.sort();
    files.iter().filter_map(|f| std::fs::read(f).ok()).collect()
}

fn child(target: &Target, folder: &Path, time: Duration, seed: u64) {
    // Where it cannot be set there is a lower one.
    let _ = setrlimit(Resource::As, Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) });
    std::panic::set_hook(Box::new(|info| {
        let mut last = PANIC.lock().unwrap_or_else(|e| e.into_inner());
        *last = info.to_string();
    }));
    let mut mutator = Mutator::new(seed);
    let mut pool = inputs(folder);
    // Once per campaign the seeds run as they are.
    let done = folder.join("done");
    let as_they_are = if done.exists() { 0 } else { pool.len() as u64 };
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let mut places = BTreeSet::new();
    let (start, mut runs, mut slowest) = (Instant::now(), 0u64, Duration::ZERO);
    while start.elapsed() < time {
        let input = if runs < as_they_are {
            pool[runs as usize].clone()
        } else {
            let (a, b) = (mutator.below(pool.len()), mutator.below(pool.len()));
            mutator.changed(&pool[a], &pool[b])
        };
        if runs == as_they_are && runs > 0 {
            write(&done, b"");
        }
        write(&current(folder), &input);
        let begun = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        runs += 1;
        let took = begun.elapsed();
        slowest = slowest.max(took);
        let place = match &result {
            Err(_) => PANIC.lock().unwrap_or_else(|e| e.into_inner()).clone(),
            Ok(kind) if took > SLOW => format!("slow: {kind}"),
            Ok(_) => String::new(),
        };
        if !place.is_empty() && places.insert(place.lines().next().unwrap_or_default().to_string()) {
            let kept = Path::new(FINDINGS).join(format!("{}-{seed}-{}", target.name, places.len()));
            write(&kept, &input);
            println!("{}: {place} ({took:.1?}): {}", target.name, kept.display());
        }
        let Ok(kind) = result else { continue };
        let count = kinds.entry(kind).or_default();
        *count += 1;
        if *count == 1 && runs > as_they_are && pool.len() < MOST_KEPT {
            write(&folder.join(format!("input-{:05}-{seed}", pool.len())), &input);
            pool.push(input);
        }
    }
    println!(
        "{}: {runs} inputs in {:.0?}, {} kinds of outcomes, {} findings; the slowest took {slowest:.1?}",
        target.name,
        start.elapsed(),
        kinds.len(),
        places.len()
    );
    if std::env::var_os("CLEAVE_FUZZ_KINDS").is_some() {
        for (kind, count) in &kinds {
            println!("{count:8} {kind}");
        }
    }
}
