//! Runs a target on changed inputs for a time, without a nightly toolchain: `cleave-fuzz TARGET [SECONDS [SEED]]`, or
//! `cleave-fuzz TARGET FILE` for one input.
//!
//! The inputs run in a child process, which the driver starts anew when it dies. What panics, dies or takes long is
//! kept in `cleave-fuzz-findings/`, one input for each place.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use cleave_fuzz::mutate::Mutator;
use cleave_fuzz::{TARGETS, Target};

const FINDINGS: &str = "cleave-fuzz-findings";
/// An input that takes longer is a finding.
const SLOW: Duration = Duration::from_secs(20);
/// So many inputs of new kinds are kept beside the seeds.
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
    if std::env::var_os("CLEAVE_FUZZ_CHILD").is_some() {
        child(&target, Duration::from_secs(seconds), seed);
        return ExitCode::SUCCESS;
    }
    parent(&target, Duration::from_secs(seconds), seed)
}

/// Where the input at hand is kept, for when the process dies: in memory where there is such a place.
fn current(target: &Target) -> PathBuf {
    let shared = Path::new("/dev/shm");
    let folder = if shared.is_dir() { shared.to_path_buf() } else { std::env::temp_dir() };
    folder.join(format!("cleave-fuzz-{}-current", target.name))
}

/// Starts children until the time is over.
fn parent(target: &Target, time: Duration, mut seed: u64) -> ExitCode {
    std::fs::create_dir_all(FINDINGS).expect("a folder for findings");
    let start = Instant::now();
    let mut died = 0;
    while start.elapsed() < time {
        let left = (time - start.elapsed()).as_secs().max(1);
        let itself = std::env::current_exe().expect("this executable");
        let mut command = Command::new(itself);
        command.args([target.name, &left.to_string(), &seed.to_string()]).env("CLEAVE_FUZZ_CHILD", "1");
        let status = command.status().expect("a child process");
        seed += 1_000_003;
        if !status.success() {
            died += 1;
            let kept = Path::new(FINDINGS).join(format!("{}-died-{died}", target.name));
            // Where nothing was written yet there is nothing to keep.
            let _ = std::fs::copy(current(target), &kept);
            println!("{}: the process died ({status}): {}", target.name, kept.display());
        }
    }
    let _ = std::fs::remove_file(current(target));
    if died == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn child(target: &Target, time: Duration, seed: u64) {
    std::panic::set_hook(Box::new(|info| {
        let mut last = PANIC.lock().unwrap_or_else(|e| e.into_inner());
        *last = info.to_string();
    }));
    let mut mutator = Mutator::new(seed);
    let mut pool = (target.seeds)();
    let seeds = pool.len();
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let mut places = BTreeSet::new();
    let (start, mut runs, mut slowest) = (Instant::now(), 0u64, Duration::ZERO);
    while start.elapsed() < time {
        let first = runs as usize;
        let input = if first < seeds {
            pool[first].clone()
        } else {
            let (a, b) = (mutator.below(pool.len()), mutator.below(pool.len()));
            mutator.changed(&pool[a], &pool[b])
        };
        std::fs::write(current(target), &input).expect("room for an input");
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
            std::fs::write(&kept, &input).expect("room for a finding");
            println!("{}: {place} ({took:.1?}): {}", target.name, kept.display());
        }
        let Ok(kind) = result else { continue };
        let count = kinds.entry(kind).or_default();
        *count += 1;
        if *count == 1 && pool.len() < seeds + MOST_KEPT {
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
