//! Helpers of tests that look at runs from outside: programs with known paths, commands, and the contents of a run.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// 2^N paths of N decisions each, and WORK steps of a loop on each path.
pub const BITS: &str = r#"
#include <klee/klee.h>
int main(void) {
  unsigned char bits[N];
  volatile int work = 0;
  int ones = 0;
  klee_make_symbolic(bits, sizeof bits, "bits");
  for (int i = 0; i < N; i++) if (bits[i] & 1) ones++;
  while (work < WORK) work++;
  return ones;
}
"#;

/// `cleave`, which is killed if it takes longer than a minute.
pub fn command() -> Command {
    command_within("60")
}

/// `cleave`, which is killed if it takes so many seconds.
pub fn command_within(seconds: &str) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", seconds, env!("CARGO_BIN_EXE_cleave")]).stdin(Stdio::null());
    command
}

/// Runs `cleave`.
pub fn cleave<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Output {
    command().args(arguments).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The standard output of a command that has to do its work. The exit code of a run also says what it found and what
/// is open: then it is the one that its last lines stand for.
#[track_caller]
pub fn succeeded(output: &Output) -> String {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(told(&out)), "{:?}: {out}{err}", output.status);
    out
}

/// Returns true if a command did its work, with any findings or open regions.
pub fn done(output: &Output) -> bool {
    matches!(output.status.code(), Some(0 | 3 | 4 | 5))
}

/// The exit code that the output of a command stands for.
pub fn told(out: &str) -> i32 {
    let Some(counts) = out.lines().find(|l| {
        (l.contains(" paths in ") || l.contains(" path in ")) && (l.ends_with(" bugs") || l.ends_with(" bug"))
    }) else {
        return 0;
    };
    let number = |word: &str| -> u64 {
        let before = counts.split(word).next().unwrap().trim_end();
        before.rsplit(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{word} in {counts}"))
    };
    let last = out.lines().last().unwrap();
    match (number(" bug"), number(" unsupported")) {
        (1.., _) => 3,
        _ if last.contains("cleave resume") => 4,
        (_, 1..) => 5,
        _ => 0,
    }
}

/// The command failed, and its last line on standard error is one sentence that has all `parts` in it.
#[track_caller]
pub fn refused(output: &Output, parts: &[&str]) -> String {
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{parts:?}: {}{error}", text(&output.stdout));
    let last = error.lines().last().unwrap_or("").to_owned();
    assert!(last.starts_with("cleave: error: "), "{error}");
    for part in parts {
        assert!(last.contains(part), "{part:?} is not in: {error}");
    }
    assert!(!error.contains("internal error") && !error.contains("panicked"), "{error}");
    last
}

pub fn path_text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Compiles C with `cleave cc -O0` and `flags`.
#[track_caller]
pub fn compile(folder: &Path, name: &str, code: &str, flags: &[&str]) -> PathBuf {
    let (source, program) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&source, code).unwrap();
    let mut command = command();
    succeeded(&command.args(["cc", "-O0", "-o"]).args([&program, &source]).args(flags).output().unwrap());
    program
}

/// [`BITS`] compiled.
#[track_caller]
pub fn bits(folder: &Path, n: u32, work: u32) -> PathBuf {
    compile(folder, &format!("bits{n}"), BITS, &[&format!("-DN={n}"), &format!("-DWORK={work}")])
}

/// `cleave run` into `directory`.
pub fn run(directory: &Path, options: &[&str], program: &Path, arguments: &[&str]) -> Output {
    let mut command = command();
    command.args(["run", "--output-dir"]).arg(directory).args(options).arg(program).args(arguments);
    command.output().unwrap()
}

/// Each test of a run does natively what was foretold, and there are so many; what the replay said.
#[track_caller]
pub fn agrees_on_all(program: &Path, directory: &Path, expected: u64) -> String {
    let verdicts = succeeded(&cleave(["replay", "--json", path_text(program), path_text(directory)]));
    assert_eq!(verdicts.lines().count() as u64, expected, "{verdicts}");
    assert!(verdicts.lines().all(|l| l.contains("\"verdict\":\"agrees\"")), "{verdicts}");
    verdicts
}

/// The lines of `cleave list --json`.
#[track_caller]
pub fn records(directory: &Path) -> Vec<Value> {
    let listing = succeeded(&cleave([OsStr::new("list"), "--json".as_ref(), directory.as_ref()]));
    listing.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The digests of the paths in a listing; no path is there twice.
#[track_caller]
pub fn digests_of(records: &[Value]) -> BTreeSet<String> {
    let mut digests = BTreeSet::new();
    for record in records.iter().filter(|r| r["record"] == "test") {
        assert!(digests.insert(record["path"].as_str().unwrap().to_owned()), "a path twice: {record}");
    }
    digests
}

/// The digests of the paths of a run.
#[track_caller]
pub fn digests(directory: &Path) -> BTreeSet<String> {
    digests_of(&records(directory))
}

/// `cleave stats --json`.
#[track_caller]
pub fn account(directory: &Path) -> Value {
    let stats = succeeded(&cleave([OsStr::new("stats"), "--json".as_ref(), directory.as_ref()]));
    serde_json::from_str(&stats).unwrap()
}

/// A number that differs each time, and is the same in each run of the tests.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % n
    }
}

/// Waits until `look` gives something.
#[track_caller]
pub fn soon<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "not in time: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
