//! Clang's sanitizers are the judges: on each test of each path, Cleave reports a bug just where a sanitizer does, and
//! of a kind that fits. The programs are those of `programs/bugs` and generated ones with a planted bug each.
//!
//! CLEAVE_PLANTED_FILES says how many files of generated programs are judged, CLEAVE_PLANTED_SEED which.
//! CLEAVE_PLANTED_ALL judges at all levels, with and without checks, in both modes. CLEAVE_PLANTED_KEEP is a folder for
//! what is written.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use cleave_campaign::Store;
use cleave_region::Object;
use serde_json::Value;

use crate::support::planted_c::{self, Knows, Planted};
use crate::support::{Program, cleave, corpus, limited, succeeded};

/// Programs in one file.
const IN_A_FILE: usize = 20;

/// Reports of sanitizers that Cleave does not look for yet. One that is found is to be taken off.
const NOT_YET: &[&str] = &[];

/// Reports of sanitizers, and the kinds of bugs that Cleave may call them.
const SAYS: &[(&str, &[&str])] = &[
    ("AddressSanitizer: heap-use-after-free", &["use-after-free"]),
    // Inlined, the end of a function is that of a block.
    ("AddressSanitizer: stack-use-after-return", &["use-after-free", "use-after-scope"]),
    ("AddressSanitizer: stack-use-after-scope", &["use-after-free", "use-after-scope"]),
    ("AddressSanitizer: attempting double-free", &["double-free"]),
    ("AddressSanitizer: attempting free on address", &["invalid-free"]),
    ("AddressSanitizer: memcpy-param-overlap", &["overlap"]),
    ("AddressSanitizer: strcpy-param-overlap", &["overlap"]),
    ("AddressSanitizer: heap-buffer-overflow", &["out-of-bounds"]),
    ("AddressSanitizer: stack-buffer-overflow", &["out-of-bounds"]),
    ("AddressSanitizer: stack-buffer-underflow", &["out-of-bounds"]),
    ("AddressSanitizer: dynamic-stack-buffer-overflow", &["out-of-bounds"]),
    ("AddressSanitizer: global-buffer-overflow", &["out-of-bounds"]),
    ("AddressSanitizer: negative-size-param", &["bad-length"]),
    ("Sanitizer: stack-overflow", &["stack-overflow"]),
    ("Sanitizer: FPE", &["division"]),
    ("Sanitizer: SEGV", &["null-pointer", "wild-pointer", "read-only", "bad-call", "out-of-bounds"]),
    ("Sanitizer: BUS", &["wild-pointer"]),
    ("Sanitizer: ILL", &["trap", "bad-call"]),
    ("MemorySanitizer: bad pointer", &["invalid-free", "double-free"]),
    ("LeakSanitizer: detected memory leaks", &["leak"]),
    ("runtime error: signed integer overflow", &["overflow"]),
    ("runtime error: negation of", &["overflow"]),
    ("runtime error: division by zero", &["division"]),
    ("runtime error: division of", &["division", "overflow"]),
    ("runtime error: shift exponent", &["overshift", "shift"]),
    ("runtime error: left shift of", &["overshift", "shift"]),
    ("out of bounds for type", &["bounds", "out-of-bounds", "subobject"]),
    ("misaligned address", &["alignment"]),
    ("runtime error: assumption of", &["alignment"]),
    ("null pointer of type", &["null-pointer"]),
    ("runtime error: null pointer passed as argument", &["nonnull", "null-pointer"]),
    ("runtime error: null pointer returned", &["nonnull"]),
    ("runtime error: variable length array bound", &["vla-bound"]),
    ("runtime error: execution reached an unreachable", &["unreachable", "unreachable-call"]),
    ("not a valid value for type", &["invalid-value"]),
    ("outside the range of representable values", &["float-cast-overflow"]),
    ("runtime error: implicit conversion", &["implicit-conversion", "implicit-truncation"]),
    ("which is not a valid argument", &["invalid-builtin"]),
    ("runtime error: applying", &["pointer-overflow"]),
    ("runtime error: addition of unsigned offset", &["pointer-overflow"]),
    ("runtime error: pointer index expression", &["pointer-overflow"]),
    ("with insufficient space", &["out-of-bounds", "wild-pointer", "null-pointer"]),
    (UNSET, &["uninitialised"]),
];

const UNSET: &str = "MemorySanitizer: use-of-uninitialized-value";

/// Kinds that no sanitizer knows: what the program says itself.
const UNKNOWN: &[&str] = &["assertion", "abort", "trap", "breakpoint", "reported"];

/// Options with which the programs are compiled and explored.
#[derive(Clone, Copy, Debug)]
struct Round {
    level: &'static str,
    /// With the checks of -fsanitize=undefined.
    checked: bool,
    mode: &'static str,
}

const fn round(level: &'static str, checked: bool, mode: &'static str) -> Round {
    Round { level, checked, mode }
}

const ROUNDS: [Round; 8] = [
    round("-O0", false, "symbolic"),
    round("-O2", true, "symbolic"),
    round("-O2", false, "symbolic"),
    round("-O0", true, "symbolic"),
    round("-O0", false, "concolic"),
    round("-O2", true, "concolic"),
    round("-O2", false, "concolic"),
    round("-O0", true, "concolic"),
];

fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|v| !v.is_empty())
}

/// The first `few` rounds, or all of them.
fn rounds(few: usize) -> &'static [Round] {
    if setting("CLEAVE_PLANTED_ALL").is_some() { &ROUNDS } else { &ROUNDS[..few] }
}

/// The one of `count` programs in an executable that its first argument chooses.
struct Subject {
    name: String,
    arguments: Vec<String>,
    planted: Option<Planted>,
}

/// A source and definitions of its own.
type Source = (PathBuf, Vec<String>);

/// One program compiled for Cleave, and for AddressSanitizer and MemorySanitizer.
struct Built {
    ours: PathBuf,
    natives: [PathBuf; 2],
}

/// Compiles the sources with `compiler` and links them.
fn linked(compiler: impl Fn() -> Command, flags: &[&str], sources: &[Source], output: &Path) {
    let object = |(i, (source, definitions)): (usize, &Source)| {
        let object = output.with_extension(format!("{i}.o"));
        let mut compile = compiler();
        compile.args(["-c", "-g", "-w"]).args(flags).args(definitions).arg("-o").arg(&object).arg(source);
        succeeded(&mut compile);
        object
    };
    let objects: Vec<PathBuf> = sources.iter().enumerate().map(object).collect();
    succeeded(compiler().args(flags).arg("-o").arg(output).args(objects));
}

fn build(sources: &[Source], round: Round, folder: &Path) -> Built {
    let name = format!("{}{}", round.level, if round.checked { "checked" } else { "" });
    let path = |what: &str| folder.join(format!("{what}{name}"));
    let built = Built { ours: path("ours"), natives: [path("asan"), path("msan")] };
    let checks = if round.checked { "-fsanitize=undefined,implicit-conversion" } else { "-w" };
    // Without an optimiser and without checks, Cleave looks for these by itself.
    let by_itself = "-fsanitize=shift-exponent,integer-divide-by-zero,unreachable";
    let address = match round {
        Round { checked: false, level: "-O0", .. } => by_itself,
        _ => checks,
    };
    let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../../runtime/include");
    let common = [round.level, "-DNATIVE", "-fno-omit-frame-pointer", include];
    // A run goes on behind a failed check, as in our build: an optimiser drops less then.
    let but = ["-fno-sanitize=function"];
    let native = |flags: &[&str], output: &Path| {
        let flags = [&common, flags, &but[..]].concat();
        linked(|| limited("clang-19"), &flags, sources, output);
    };
    let compiler = || {
        let mut command = cleave();
        command.arg("cc");
        command
    };
    std::thread::scope(|scope| {
        scope.spawn(|| linked(compiler, &[round.level, checks], sources, &built.ours));
        native(&["-fsanitize=address", address], &built.natives[0]);
        // A value that is passed on is not used yet. Of sums that are checked, MemorySanitizer knows nothing.
        let memory = ["-fsanitize=memory", checks, "-fno-sanitize-memory-param-retval"];
        native(&[&memory[..], &["-fno-sanitize=signed-integer-overflow"]].concat(), &built.natives[1]);
    });
    built
}

/// Report of a sanitizer in a run on `input`: a line of the table.
fn says(native: &Path, k: usize, arguments: &[OsString], input: &[u8], leaks: bool) -> Option<usize> {
    let mut command = limited(native);
    // The place in the source costs more than the run.
    let options = format!("symbolize=0:detect_stack_use_after_return=1:detect_leaks={}", u8::from(leaks));
    command
        .env("MSAN_OPTIONS", "symbolize=0")
        .env("ASAN_OPTIONS", options)
        .env("UBSAN_OPTIONS", "symbolize=0");
    command.arg(k.to_string()).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It may end before it has read all.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if !said.contains("Sanitizer") && !said.contains("runtime error") {
        return None;
    }
    // A run goes on behind a failed check, which MemorySanitizer does not look into: what it says itself counts more.
    let own = SAYS.iter().position(|(text, _)| *text == UNSET).filter(|_| said.contains(UNSET));
    let places = SAYS.iter().enumerate().filter_map(|(i, (text, _))| Some((said.find(text)?, i)));
    let first = own.or(places.min().map(|(_, i)| i));
    assert!(first.is_some(), "a sanitizer says something else on {input:?}: {said}");
    first
}

/// A test of a run: what the native run gets, and how it is said to end.
struct Test {
    input: Vec<u8>,
    arguments: Vec<OsString>,
    record: Value,
}

fn tests(run: &Path) -> (Vec<Test>, Vec<Value>) {
    let listed = succeeded(cleave().args(["list", "--json"]).arg(run)).stdout;
    let records = String::from_utf8(listed).unwrap();
    let records = records.lines().map(|r| serde_json::from_str::<Value>(r).unwrap());
    let (tests, others): (Vec<Value>, Vec<Value>) = records.partition(|r| r["record"] == "test");
    let store = Store::read(run).unwrap();
    let test = |record: Value| {
        let test = store.path(record["id"].as_u64().unwrap()).unwrap().unwrap().record.test.decode().unwrap();
        let (mut input, mut arguments) = (Vec::new(), Vec::new());
        for Object { name, bytes } in &test.objects {
            if name.starts_with("arg") {
                let text = bytes.split(|b| *b == 0).next().unwrap();
                arguments.push(OsString::from_vec(text.to_vec()));
            } else if name != "model_version" && !name.ends_with("-stat") {
                input.extend(bytes);
            }
        }
        Test { input, arguments, record }
    };
    (tests.into_iter().map(test).collect(), others)
}

/// Explores the `k`-th program.
fn explore(built: &Built, k: usize, subject: &Subject, round: Round) -> (PathBuf, String) {
    let run = built.ours.with_extension(format!("{}{k}", round.mode));
    let mut explore = cleave();
    explore.args(["run", "--workers", "1", "--all-errors", "--mode", round.mode]);
    if subject.planted.is_some() {
        explore.args(["--check", "all"]);
    }
    explore.arg("--output-dir").arg(&run).arg(&built.ours).arg(k.to_string()).args(&subject.arguments);
    let output = explore.output().unwrap();
    (run, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Complaints about Cleave's results for the `k`-th program, as sentences.
fn judge(built: &Built, k: usize, subject: &Subject, round: Round) -> Vec<String> {
    let (run, stderr) = explore(built, k, subject, round);
    let (tests, others) = tests(&run);
    let mut complaints = Vec::new();
    if tests.is_empty() {
        complaints.push(format!("no path: {stderr}"));
    }
    let mut heard = HashMap::new();
    // The result of AddressSanitizer depends on the bytes that happen to be in unset memory.
    let unset = subject.planted.as_ref().is_some_and(|p| p.kind.knows == Knows::Memory);
    let mut hear = |input: &[u8], arguments: &[OsString]| {
        let key = (input.to_vec(), arguments.to_vec());
        let leaks = subject.planted.is_some();
        let hear = |native: &PathBuf| says(native, k, arguments, input, leaks);
        let [address, memory] = &built.natives;
        *heard.entry(key).or_insert_with(|| [if unset { None } else { hear(address) }, hear(memory)])
    };
    let mut found = Vec::new();
    for Test { input, arguments, record } in &tests {
        let said = hear(input, arguments);
        let texts: Vec<&str> = said.iter().flatten().map(|i| SAYS[*i].0).collect();
        let not_yet = !texts.is_empty() && texts.iter().all(|text| NOT_YET.contains(text));
        let ours = record["bug"].as_str().unwrap_or_default();
        let fine = match record["kind"].as_str() {
            Some("completed") => texts.is_empty() || not_yet,
            Some("failed") if not_yet => {
                complaints.push(format!("found now, so take it off the table NOT_YET: {texts:?}"));
                true
            }
            Some("failed") if UNKNOWN.contains(&ours) || round.cannot_know(ours) => texts.is_empty(),
            Some("failed") => said.iter().flatten().any(|i| SAYS[*i].1.contains(&ours)),
            _ => false,
        };
        found.extend((record["kind"] == "failed").then_some(ours));
        if !fine {
            complaints.push(format!("on {input:?} {arguments:?} sanitizers say {texts:?}; Cleave: {record}"));
        }
    }
    if let Some(planted) = &subject.planted {
        let said = hear(&planted.trigger, &[]);
        complaints.extend(planted.complaints(&found, said, &others, round));
    }
    complaints
}

impl Round {
    /// Returns true if no sanitizer looks for a kind that Cleave looks for by itself.
    fn cannot_know(self, bug: &str) -> bool {
        !self.checked && self.level != "-O0" && ["overshift", "unreachable"].contains(&bug)
    }

    /// Returns true if a kind is looked for.
    fn looks_for(self, kind: &planted_c::Kind) -> bool {
        self.checked || kind.knows != Knows::Undefined
    }
}

impl Planted {
    /// Complaints about the bugs that were found, and about their places.
    fn complaints(
        &self,
        found: &[&str],
        said: [Option<usize>; 2],
        others: &[Value],
        round: Round,
    ) -> Vec<String> {
        let mut complaints = Vec::new();
        let known = said.into_iter().flatten().find(|i| found.iter().any(|f| SAYS[*i].1.contains(f)));
        let texts: Vec<&str> = said.iter().flatten().map(|i| SAYS[*i].0).collect();
        if known.is_none() && !texts.iter().all(|text| NOT_YET.contains(text)) {
            complaints.push(format!("missed: on {:?} sanitizers say {texts:?}", self.trigger));
        }
        if texts.is_empty() && round.level == "-O0" && round.looks_for(self.kind) {
            complaints.push(format!("no sanitizer says anything on {:?}", self.trigger));
        }
        for bug in others.iter().filter(|r| r["record"] == "bug") {
            let place = bug["place"].as_str().unwrap();
            let line: usize = place.rsplit(':').next().unwrap().parse().unwrap();
            if round.level == "-O0" && line != self.line && line > planted_c::shared_lines() {
                complaints.push(format!("planted in line {}: {bug}", self.line));
            }
        }
        complaints
    }
}

/// Judges all programs of an executable, two at a time.
fn judged(subjects: &[Subject], sources: &[Source], round: Round, folder: &Path) -> Vec<String> {
    let built = build(sources, round, folder);
    let next = Mutex::new(subjects.iter().enumerate());
    let complaints = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some((k, subject)) = next.lock().unwrap().next() else { break };
            let planted = subject.planted.as_ref();
            if planted.is_some_and(|p| !round.looks_for(p.kind)) {
                continue;
            }
            let said = judge(&built, k, subject, round);
            let name = &subject.name;
            complaints.lock().unwrap().extend(said.iter().map(|s| format!("{name} ({k}), {round:?}: {s}")));
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    complaints.into_inner().unwrap()
}

fn folder(scratch: &tempfile::TempDir, name: &str) -> PathBuf {
    let folder =
        setting("CLEAVE_PLANTED_KEEP").map_or(scratch.path().to_path_buf(), PathBuf::from).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn planted_bugs_of_every_kind_are_those_that_sanitizers_find() {
    let files: u64 = setting("CLEAVE_PLANTED_FILES").map_or(1, |n| n.parse().unwrap());
    let first: u64 = setting("CLEAVE_PLANTED_SEED").map_or(1, |n| n.parse().unwrap());
    let scratch = tempfile::tempdir().unwrap();
    let mut complaints = Vec::new();
    for seed in first..first + files {
        let folder = folder(&scratch, &format!("planted-{seed}"));
        let source = folder.join("planted.c");
        let (text, planted) = planted_c::file(seed, (seed - 1) as usize * IN_A_FILE, IN_A_FILE);
        std::fs::write(&source, text).unwrap();
        let subject = |planted: Planted| Subject {
            name: format!("{} of seed {seed}", planted.kind.name),
            arguments: ["--sym-stdin", "3"].map(String::from).to_vec(),
            planted: Some(planted),
        };
        let subjects: Vec<Subject> = planted.into_iter().map(subject).collect();
        for round in rounds(2) {
            complaints.extend(judged(&subjects, &[(source.clone(), Vec::new())], *round, &folder));
        }
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

/// Natively, inputs come from standard input.
const INTRINSICS: &str = "#ifdef NATIVE\n#include <stdint.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
void klee_make_symbolic(void *p, size_t n, const char *name) { if (read(0, p, n) != (ssize_t)n) _exit(1); }\n\
void klee_assume(uintptr_t c) { if (!c) _exit(0); }\n\
_Noreturn void klee_report_error(const char *f, int l, const char *m, const char *s) { abort(); }\n\
void reach_error(void) { abort(); }\n#endif\n#include <stdlib.h>\n";

/// Programs whose inputs are addresses, which differ natively.
const ADDRESSES: &[&str] = &["wild_call"];

fn name(program: &Program) -> &str {
    program.source.file_stem().unwrap().to_str().unwrap()
}

/// These programs as functions of one executable.
fn together(programs: &[&Program], folder: &Path) -> Vec<Source> {
    let definition = |p: &&Program| (p.source.clone(), vec![format!("-Dmain=main_{}", name(p))]);
    let mut sources: Vec<Source> = programs.iter().map(definition).collect();
    let declared: String = programs.iter().map(|p| format!("int main_{}();\n", name(p))).collect();
    let table: Vec<_> = programs.iter().map(|p| format!("main_{}", name(p))).collect();
    let text = format!(
        "{INTRINSICS}{declared}static int (*const mains[])() = {{{}}};\n\
         int main(int argc, char **argv) {{ return mains[atoi(argv[1])](argc - 1, argv + 1); }}\n",
        table.join(", ")
    );
    let main = folder.join("main.c");
    std::fs::write(&main, text).unwrap();
    sources.push((main, Vec::new()));
    sources
}

#[test]
fn the_planted_bugs_of_the_corpus_are_those_that_sanitizers_find() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = folder(&scratch, "corpus");
    let programs = corpus("bugs");
    let programs: Vec<&Program> = programs.iter().filter(|p| !ADDRESSES.contains(&name(p))).collect();
    let mut complaints = Vec::new();
    // Half of them at each level, or all everywhere.
    let few = rounds(2).len() == 2;
    for (i, round) in rounds(2).iter().enumerate() {
        let here: Vec<&Program> =
            programs.iter().skip(if few { i } else { 0 }).step_by(1 + usize::from(few)).copied().collect();
        let subject = |p: &&Program| Subject {
            name: name(p).into(),
            arguments: p.words("args").into_iter().map(String::from).collect(),
            planted: None,
        };
        let subjects: Vec<Subject> = here.iter().map(subject).collect();
        complaints.extend(judged(&subjects, &together(&here, &folder), *round, &folder));
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}
