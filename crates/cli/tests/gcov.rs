//! The lines that Cleave says are covered are those of `gcov`: a native executable is compiled by the same compiler with
//! counters in it, runs the same tests, and its counters are compared line by line.
//!
//! Three differences are known, and no other is let pass:
//!
//! - gcov counts a basic block as a whole. Where a call in it does not come back (`exit`, `longjmp`), the lines behind the
//!   call are covered for gcov, and not for Cleave.
//! - gcov computes most counts from those of neighbours: what comes into a block goes out of it. A block that control never
//!   leaves, as it ends in a call of `error` that does not come back, may have the count 0 although it was executed.
//! - The processor of the model has no AVX2, and the one that the test runs on may have it: `wc` asks for it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cleave_campaign::Store;
use cleave_linux::env::EnvSpec;
use cleave_program::code::{Op, Program};
use cleave_region::{Object, PathKind};

use crate::support::{cleave, corpus, each, limited, succeeded};

/// Of each file, by its own name, its lines and whether they are covered.
type Lines = BTreeMap<String, BTreeMap<u32, bool>>;

/// The runtime that writes the counters.
fn runtime() -> String {
    let asked = Command::new("clang-19").arg("--print-resource-dir").output().unwrap();
    let folder = String::from_utf8(asked.stdout).unwrap();
    let file = Path::new(folder.trim()).join("lib/linux/libclang_rt.profile-x86_64.a");
    assert!(file.exists(), "{} is not there; scripts/setup.sh installs it", file.display());
    file.display().to_string()
}

fn own_name(file: &str) -> String {
    Path::new(file).file_name().unwrap().to_str().unwrap().to_string()
}

/// Compiles for Cleave, as `program`, and with counters, as `counting`, in `folder`, from where `at` is.
fn build(folder: &Path, at: &Path, source: &Path, flags: &[&str], link: &[&str]) -> [PathBuf; 2] {
    let object = |name: &str, more: &str| {
        let object = folder.join(name);
        let mut command = cleave();
        command.current_dir(at).args(["cc", "-O0", "-g", "-w", more]).args(flags).arg("-c").arg(source);
        if more == "--coverage" {
            command.env("CLEAVE_CC_NATIVE_ONLY", "1");
        }
        succeeded(command.arg("-o").arg(&object));
        object
    };
    let (plain, counted) = (object("plain.o", "-g"), object("counted.o", "--coverage"));
    let (program, counting) = (folder.join("program"), folder.join("counting"));
    let (mut linked, mut with_runtime) = (cleave(), cleave());
    succeeded(linked.current_dir(at).arg("cc").arg(plain).args(link).arg("-o").arg(&program));
    with_runtime.current_dir(at).env("CLEAVE_CC_NATIVE_ONLY", "1").arg("cc").arg(counted).args(link);
    succeeded(with_runtime.arg(runtime()).arg("-o").arg(&counting));
    [program, counting]
}

/// Lines from the counters; `None` if the program did not end by `exit`, which writes them.
fn counted(folder: &Path) -> Option<Lines> {
    let counters = folder.join("counted.gcda");
    if !counters.exists() {
        return None;
    }
    let mut gcov = limited("llvm-cov-19");
    assert!(gcov.current_dir(folder).args(["gcov", "-i"]).arg(&counters).output().unwrap().status.success());
    let text = std::fs::read_to_string(folder.join("counted.gcda.gcov")).unwrap();
    let (mut lines, mut file) = (Lines::new(), String::new());
    for line in text.lines() {
        let (kind, value) = line.split_once(':').unwrap();
        match kind {
            "file" => file = own_name(value),
            "lcount" => {
                let (line, times) = value.split_once(',').unwrap();
                let times = times.split(',').next().unwrap();
                lines.entry(file.clone()).or_default().insert(line.parse().unwrap(), times != "0");
            }
            _ => {}
        }
    }
    Some(lines)
}

/// Lines that these tests of a run cover for Cleave, or all tests.
fn told(run: &Path, tests: &[u64]) -> Lines {
    let mut command = cleave();
    command.args(["coverage", "--json"]);
    if !tests.is_empty() {
        let tests: Vec<String> = tests.iter().map(u64::to_string).collect();
        command.arg("--tests").arg(tests.join(","));
    }
    let said: serde_json::Value = serde_json::from_slice(&succeeded(command.arg(run)).stdout).unwrap();
    let files: Lines = serde_json::from_value(said["files"].clone()).unwrap();
    files.into_iter().map(|(file, lines)| (own_name(&file), lines)).collect()
}

/// The lines that may differ.
#[derive(Default)]
struct Known {
    /// Those behind a call in a block whose lines before the call are covered.
    behind_calls: BTreeSet<(String, u32)>,
    /// Those of blocks that control never leaves.
    never_left: BTreeSet<(String, u32)>,
}

fn known_differences(run: &Path, told: &Lines) -> Known {
    let program = Program::from_bytes(&std::fs::read(run.join("program.image")).unwrap()).unwrap();
    let line = |position: &u32| {
        let position = &program.positions[*position as usize];
        (own_name(&program.strings[position.file as usize]), position.line)
    };
    let covered = |(file, line): &(String, u32)| told.get(file).and_then(|f| f.get(line)) == Some(&true);
    let mut differences = Known::default();
    for function in program.functions.iter().filter(|f| !f.library) {
        let mut head_is_covered = false;
        for piece in &function.pieces {
            if piece.begins_block {
                head_is_covered = piece.lines.iter().map(line).all(|line| covered(&line));
            } else if head_is_covered {
                differences.behind_calls.extend(piece.lines.iter().map(line));
            }
            let last = function.code[piece.at as usize..].iter().find(|op| op.is_terminator());
            if matches!(last, Some(Op::Unreachable { .. })) {
                differences.never_left.extend(piece.lines.iter().map(line));
            }
        }
    }
    differences
}

/// Lines of `wc` that ask whether the processor has AVX2, or are executed where it has none.
fn lines_of_avx2(program: &str, line: u32) -> bool {
    program == "wc"
        && ((131..=182).contains(&line) || (285..=348).contains(&line) || (450..=456).contains(&line))
}

/// The two agree in `files`; returns how many lines there are, how many are covered, and how many differ for a known
/// reason.
fn compare(name: &str, run: &Path, counted: &Lines, told: &Lines, files: &[&str]) -> [usize; 3] {
    let known = known_differences(run, told);
    let (mut all, mut covered, mut excused) = (0, 0, 0);
    let mut differing = Vec::new();
    for file in files {
        let (native, own) = (counted.get(*file).unwrap(), told.get(*file).unwrap());
        let lines: BTreeSet<u32> = native.keys().chain(own.keys()).copied().collect();
        for line in lines {
            let pair = (native.get(&line).copied(), own.get(&line).copied());
            match pair {
                (native, own) if native == own => {}
                (Some(true), Some(false)) if known.behind_calls.contains(&(file.to_string(), line)) => {
                    excused += 1
                }
                (Some(false), Some(true)) if known.never_left.contains(&(file.to_string(), line)) => {
                    excused += 1
                }
                _ if lines_of_avx2(name, line) => excused += 1,
                // Functions that nothing leads to are not linked in.
                (Some(false), None) => {}
                _ => differing.push(format!("{file}:{line}: gcov {:?}, cleave {:?}", pair.0, pair.1)),
            }
            all += usize::from(pair.1.is_some());
            covered += usize::from(pair.1 == Some(true));
        }
    }
    assert!(differing.is_empty(), "{name}: {differing:#?}");
    [all, covered, excused]
}

/// A quarter of them, and those that jump far; all with `CLEAVE_GCOV_ALL` set.
#[test]
fn language_features_cover_the_lines_that_gcov_counts() {
    let mut programs = corpus("features");
    programs.retain(|p| !p.text.contains("klee") && p.words("args").is_empty());
    if std::env::var_os("CLEAVE_GCOV_ALL").is_none() {
        let mut n = 0;
        programs.retain(|p| {
            n += 1;
            n % 4 == 0 || p.text.contains("setjmp")
        });
    }
    let sums = std::sync::Mutex::new([0usize; 3]);
    each(&programs, |program| {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        let (flags, at) = (program.words("flags"), program.source.parent().unwrap());
        let [own, counting] = build(folder, at, &program.source, &flags, &flags);
        let run = folder.join("run");
        succeeded(cleave().arg("run").arg("--output-dir").arg(&run).arg(&own));
        let _ = limited(&counting).current_dir(folder).output().unwrap();
        let Some(counted) = counted(folder) else { return };
        let files: Vec<&str> = counted.keys().filter(|f| f.ends_with(".c")).map(String::as_str).collect();
        let name = own_name(program.source.to_str().unwrap());
        let found = compare(&name, &run, &counted, &told(&run, &[]), &files);
        let mut sums = sums.lock().unwrap();
        sums.iter_mut().zip(found).for_each(|(sum, n)| *sum += n);
    });
    let [all, covered, excused] = sums.into_inner().unwrap();
    assert!(
        all > 300 && covered > 250 && (1..10).contains(&excused),
        "{all} lines, {covered} covered, {excused} differ as known"
    );
}

/// A program of coreutils: its name, its source and macros, what it is linked with, its arguments.
type Util = (&'static str, &'static str, &'static [&'static str], &'static [&'static str], &'static str);

const UTILS: [Util; 12] = [
    ("basename", "basename", &[], &[], "--sym-args 0 2 2"),
    ("cut", "cut", &[], &["src/set-fields.o"], "--sym-args 0 1 3 --sym-stdin 3"),
    ("tr", "tr", &[], &[], "--sym-args 0 2 2 --sym-stdin 2"),
    ("cat", "cat", &[], &[], "--sym-args 0 1 3 --sym-stdin 3"),
    ("echo", "echo", &[], &[], "--sym-args 0 2 3"),
    ("base64", "basenc", &["-DBASE_TYPE=64"], &[], "--sym-args 0 1 3 --sym-stdin 4"),
    ("uniq", "uniq", &[], &[], "--sym-args 0 1 3 --sym-stdin 4"),
    ("wc", "wc", &[], &["src/libwc_avx2.a"], "--sym-args 0 1 3 --sym-stdin 3"),
    ("expand", "expand", &[], &["src/expand-common.o"], "--sym-args 0 1 3 --sym-stdin 3"),
    ("fold", "fold", &[], &[], "--sym-args 0 1 3 --sym-stdin 3"),
    ("printf", "printf", &[], &[], "--sym-args 0 2 3"),
    ("sum", "sum", &["-DHASH_ALGO_SUM=1"], &["src/sum-digest.o"], "--sym-args 0 1 2 --sym-stdin 3"),
];

/// Seconds that each is explored.
const SECONDS: &str = "8";

/// Three of them; all with `CLEAVE_GCOV_ALL` set, which prints a table.
#[test]
fn coreutils_cover_the_lines_that_gcov_counts() {
    let all = std::env::var_os("CLEAVE_GCOV_ALL").is_some();
    let build_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build").canonicalize().unwrap();
    for util in &UTILS[..if all { UTILS.len() } else { 3 }] {
        let [lines, covered, excused, tests, left_out] = judge(util, &build_folder);
        println!(
            "{:<10} {covered:>4} of {lines:>4} lines, {tests:>4} tests, {left_out} left out, {excused} lines differ as known",
            util.0
        );
        assert!(
            covered > 30 && tests > 5 && left_out <= tests / 4,
            "{}: {covered} {tests} {left_out}",
            util.0
        );
    }
}

/// A program of coreutils in a folder of its own, explored.
struct Explored {
    scratch: tempfile::TempDir,
    name: &'static str,
    source: String,
    run: PathBuf,
    counting: PathBuf,
    arguments: Vec<&'static str>,
}

impl Explored {
    fn new(
        (name, source, macros, more, arguments): &Util,
        build_folder: &Path,
        options: &[&str],
    ) -> Explored {
        let (tree, sources) = (build_folder.join("coreutils/tree"), build_folder.join("src/coreutils"));
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        let include = [".", "lib", "src"].map(|part| format!("-I{}", sources.join(part).display()));
        let mut flags: Vec<&str> = macros.to_vec();
        flags.extend(["-I.", "-Ilib", "-Isrc"]);
        flags.extend(include.iter().map(String::as_str));
        let link = [*more, &["src/libver.a", "lib/libcoreutils.a"]].concat();
        let file = sources.join(format!("src/{source}.c"));
        let [program, counting] = build(folder, &tree, &file, &flags, &link);
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let run = folder.join("run");
        let mut explore = cleave();
        explore.arg("run").args(options).arg("--output-dir").arg(&run).arg(&program).args(&arguments);
        succeeded(&mut explore);
        Explored { source: format!("{source}.c"), name, run, counting, arguments, scratch }
    }

    fn folder(&self) -> &Path {
        self.scratch.path()
    }
}

fn judge(util: &Util, build_folder: &Path) -> [usize; 5] {
    let explored = Explored::new(util, build_folder, &["--max-time", SECONDS]);
    let covering = Store::read(&explored.run).unwrap().covering_paths().unwrap();
    let (ran, left_out) = natively(&explored, &|id| covering.contains(&id));
    let (counted, told) = (counted(explored.folder()).unwrap(), told(&explored.run, &ran));
    let [lines, covered, excused] =
        compare(explored.name, &explored.run, &counted, &told, &[&explored.source]);
    [lines, covered, excused, ran.len(), left_out.len()]
}

/// Runs natively those tests that are asked for and end by `exit`: which they are, and which do not end so.
fn natively(explored: &Explored, wanted: &dyn Fn(u64) -> bool) -> (Vec<u64>, Vec<u64>) {
    let (name, folder) = (explored.name, explored.folder());
    let words: Vec<OsString> = explored.arguments.iter().map(OsString::from).collect();
    let env = EnvSpec::parse(name.as_ref(), &words).unwrap();
    let empty = folder.join("empty");
    std::fs::create_dir_all(&empty).unwrap();
    let (mut ran, mut left_out) = (Vec::new(), Vec::new());
    Store::read(&explored.run)
        .unwrap()
        .each_path::<cleave_campaign::CampaignError>(0, |path| {
            if !wanted(path.id) {
                return Ok(());
            }
            if path.record.kind != PathKind::Completed || path.record.exit_status.is_none() {
                left_out.push(path.id);
                return Ok(());
            }
            let test = path.record.test.decode().unwrap();
            let bytes =
                |name: &str| test.objects.iter().find(|o: &&Object| o.name == name).map(|o| &o.bytes[..]);
            let concrete = env.expand(bytes).unwrap();
            let argv = concrete.argv[1..].iter().map(|a| OsString::from_vec(a.clone()));
            let mut child = Command::new(&explored.counting);
            child
                .arg0(std::ffi::OsStr::from_bytes(&concrete.argv[0]))
                .args(argv)
                .current_dir(&empty)
                .env_clear();
            // A file, as in the model.
            let input = folder.join("input");
            std::fs::write(&input, &concrete.stdin).unwrap();
            child.stdin(std::fs::File::open(&input).unwrap()).stdout(Stdio::null()).stderr(Stdio::null());
            let status = child.status().unwrap().code();
            assert_eq!(status, path.record.exit_status, "{name}, test {}", path.id);
            ran.push(path.id);
            Ok(())
        })
        .unwrap();
    (ran, left_out)
}

/// No suite has more tests.
const MOST_TESTS: usize = 200;
/// Tests that are run natively, at most, taken at the same distance from all.
const MOST_NATIVE: u64 = 20_000;

/// Two of them, of 2,000 paths each; all, as long as above, with `CLEAVE_GCOV_ALL` set, which prints a table.
#[test]
fn minimal_suites_of_coreutils_are_small_and_cover_what_all_tests_cover() {
    let all = std::env::var_os("CLEAVE_GCOV_ALL").is_some();
    let build_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build").canonicalize().unwrap();
    let limit = if all { ["--max-time", SECONDS] } else { ["--max-paths", "2000"] };
    println!(
        "program       tests  covering  minimal  lines  branch sides  blocks  run by gcov  lines by gcov"
    );
    for util in &UTILS[..if all { UTILS.len() } else { 2 }] {
        println!("{}", judge_minimal(&Explored::new(util, &build_folder, &limit)));
    }
}

/// The minimal suite is held against all tests: by marks that are followed from the entry, and by gcov's counters. Its row
/// of the table.
fn judge_minimal(explored: &Explored) -> String {
    let (name, run) = (explored.name, &explored.run);
    let said = succeeded(cleave().args(["coverage", "--minimal"]).arg(run)).stdout;
    let minimal: Vec<u64> = String::from_utf8(said).unwrap().lines().map(|id| id.parse().unwrap()).collect();
    assert!((2..=MOST_TESTS).contains(&minimal.len()), "{name}: {}", minimal.len());
    let coverage = |tests: &[u64]| -> serde_json::Value {
        let mut command = cleave();
        command.args(["coverage", "--json"]);
        if !tests.is_empty() {
            command.arg("--tests").arg(tests.iter().map(u64::to_string).collect::<Vec<_>>().join(","));
        }
        serde_json::from_slice(&succeeded(command.arg(run)).stdout).unwrap()
    };
    let whole = coverage(&[]);
    assert_eq!(coverage(&minimal), whole, "{name}");

    let store = Store::read(run).unwrap();
    let tests = store.account().unwrap().paths.ended();
    let apart = tests.div_ceil(MOST_NATIVE).max(1);
    let (few, unseen) = natively(explored, &|id| minimal.contains(&id));
    let by_few = counted(explored.folder()).unwrap();
    // The counters go on from there.
    let (many, _) = natively(explored, &|id| id % apart == 0 && !minimal.contains(&id));
    let by_all = counted(explored.folder()).unwrap();
    // gcov does not see the lines of tests of the suite that do not end by `exit`.
    let unseen = if unseen.is_empty() { Lines::new() } else { told(run, &unseen) };
    let known = known_differences(run, &told(run, &[]));
    let covered =
        |lines: &Lines, line: u32| lines.get(&explored.source).and_then(|f| f.get(&line)) == Some(&true);
    let missing: Vec<u32> = by_all[&explored.source]
        .iter()
        .filter(|(line, covered_by_all)| {
            let excused = known.never_left.contains(&(explored.source.clone(), **line));
            **covered_by_all && !covered(&by_few, **line) && !covered(&unseen, **line) && !excused
        })
        .map(|(line, _)| *line)
        .collect();
    assert!(
        missing.is_empty(),
        "{name}: gcov counts lines of all tests that the minimal suite lacks: {missing:?}"
    );
    let count = |what: &str| whole["counts"][what].as_u64().unwrap();
    let lines = by_all[&explored.source].values().filter(|covered| **covered).count();
    format!(
        "{name:<10} {tests:>8} {:>9} {:>8} {:>6} {:>13} {:>7} {:>12} {lines:>14}",
        store.covering_paths().unwrap().len(),
        minimal.len(),
        count("lines_covered"),
        count("branches_covered"),
        count("blocks_covered"),
        few.len() + many.len(),
    )
}
