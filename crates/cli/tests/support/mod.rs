//! Helpers of tests that judge the programs in `programs/`: their headers, and commands with a limit on time.

pub mod c_text;
mod compiled;
pub mod dice;
pub mod edited_c;
pub mod interpreter;
pub mod numbers;
pub mod pages;
pub mod planted_c;
pub mod random_c;
pub mod random_cxx;
pub mod reported;
pub mod undefined_c;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

use serde_json::Value;

/// Seconds that one command may take: far more than any needs, so that a program that never ends fails its test.
const LIMIT: &str = "120";

/// A program of the corpus and its header.
pub struct Program {
    pub source: PathBuf,
    pub text: String,
}

impl Program {
    /// The texts behind `// cleave: WHAT`, one for each line.
    pub fn header(&self, what: &str) -> Vec<&str> {
        let mark = format!("// cleave: {what} ");
        self.text.lines().filter_map(|l| l.trim().strip_prefix(mark.as_str())).collect()
    }

    /// The words behind all lines of one kind.
    pub fn words(&self, what: &str) -> Vec<&str> {
        self.header(what).into_iter().flat_map(str::split_whitespace).collect()
    }

    /// Its completed and failed paths, as the first `expect` line has them.
    pub fn expected(&self) -> (u64, u64) {
        let words = self.header("expect").first().map_or("", |l| *l);
        let count = |key: &str| {
            let number = words.split_whitespace().find_map(|w| w.strip_prefix(key));
            number.map_or(0, |n| n.parse().unwrap())
        };
        (count("paths="), count("failed="))
    }

    /// Compiles it with `cleave cc -O0` into `folder`.
    pub fn build(&self, folder: &Path) -> PathBuf {
        let program = folder.join(self.source.file_stem().unwrap());
        let mut command = cleave();
        command.args(["cc", "-O0"]).args(self.words("flags")).arg("-o").arg(&program).arg(&self.source);
        built(&mut command);
        program
    }
}

/// The C and C++ programs in a folder of `programs/`, by name.
pub fn corpus(folder: &str) -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs").join(folder);
    let folder = folder.canonicalize().unwrap();
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "c" || e == "cpp" || e == "rs")).collect();
    files.sort();
    assert!(!files.is_empty(), "no programs in {}", folder.display());
    let read = |source: PathBuf| Program { text: std::fs::read_to_string(&source).unwrap(), source };
    files.into_iter().map(read).collect()
}

/// A command that is killed when it takes too long.
pub fn limited(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", LIMIT]).arg(program).stdin(Stdio::null());
    command
}

/// The lines of JSON that a command has printed.
pub fn json_lines(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same of a command that has to do its work.
#[track_caller]
pub fn records(command: &mut Command) -> Vec<Value> {
    json_lines(&succeeded(command))
}

/// `cleave`, with a limit on time.
pub fn cleave() -> Command {
    limited(env!("CARGO_BIN_EXE_cleave"))
}

/// Exit codes of a run that did its work: explored and clean, with bugs, with open regions, with unsupported paths.
/// Tests of the exit code itself tell them apart.
const DONE: [i32; 4] = [0, 3, 4, 5];

/// The output of a command that has to do its work.
#[track_caller]
pub fn succeeded(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let done = output.status.code().is_some_and(|code| DONE.contains(&code));
    assert!(done, "{command:?}: {:?}\n{stdout}{stderr}", output.status.code());
    output
}

/// The output of a `cleave cc` that succeeds; each program of the corpus is compiled once.
#[track_caller]
pub fn built(command: &mut Command) -> Output {
    let output = compiled::compiled(command);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{stdout}{stderr}", output.status);
    output
}

/// Runs `judge` on each program, two at a time, and fails with all complaints at once.
pub fn each(programs: &[Program], judge: impl Fn(&Program) + Sync) {
    let next = Mutex::new(programs.iter());
    let complaints = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some(program) = next.lock().unwrap().next() else { break };
            let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| judge(program)));
            if judged.is_err() {
                complaints.lock().unwrap().push(program.source.file_name().unwrap().to_owned());
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "{} of {} failed: {complaints:?}", complaints.len(), programs.len());
}
