//! The output of `cleave explain` is true: of the paths of tests, of their inputs, and of the bytes that a bug depends on.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;

use cleave_report::KTest;
use serde_json::Value;

use crate::support::{self, planted_c};
use crate::support::{cleave, corpus, limited, records, succeeded};

/// Random values that a free byte is tried with.
const VALUES: usize = 100;
/// Free bytes of one test that are tried.
const MOST_FREE: usize = 8;
/// Of these the sanitizers judge so many inputs of a bug.
const NATIVE: usize = 12;

fn list(run: &Path) -> Vec<Value> {
    records(cleave().args(["list", "--json"]).arg(run))
}

fn explained(run: &Path, options: &[&str], tests: &[String]) -> Vec<Value> {
    let all = tests
        .chunks(2000)
        .map(|some| records(cleave().args(["explain", "--json"]).args(options).arg(run).args(some)));
    all.flatten().collect()
}

/// Explores a program.
fn explore(run: &Path, program: &Path, arguments: &[&str]) {
    let mut command = cleave();
    command.args(["run", "--workers", "1", "--output-dir"]).arg(run).arg(program).args(arguments);
    succeeded(&mut command);
}

/// Steps with the times that each is executed, loops unfolded into their parts.
fn steps(nodes: &Value, into: &mut Vec<Value>) {
    for node in nodes.as_array().unwrap() {
        match node.get("loop") {
            Some(body) => steps(body, into),
            None => into.push(node.clone()),
        }
    }
}

const LOOPS: &str = r#"#include <string.h>
static int count(const char *text) {
  int n = 0;
  for (int i = 0; i < 37; i++)
    if (text[i % 3] == 'x')
      n++;
    else
      n += 2;
  return n;
}
static int twice(int a) { return a + a; }
int main(int argc, char **argv) {
  char line[4];
  if (argc < 2)
    return 1;
  int sum = 0;
  for (int i = 0; i < 9; i++) {
    sum += i;
    for (int j = 0; j < i; j++)
      sum ^= twice(j);
  }
  strncpy(line, argv[1], 4);
  if (strlen(argv[1]) > 2 && argv[1][1] == '=')
    sum++;
  return line[0] == 'a' ? count("yyy") == 74 : sum & 1;
}
"#;

#[test]
fn paths_are_those_that_are_covered_and_all_decisions_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let loops = folder.path().join("loops.c");
    std::fs::write(&loops, LOOPS).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let programs: [(PathBuf, &[&str]); 3] = [
        (loops, &["--sym-args", "0", "1", "4"]),
        (root.join("examples/parse.c"), &["--sym-arg", "5"]),
        (root.join("programs/features/sym_switch.c"), &[]),
    ];
    for (i, (program, arguments)) in programs.iter().enumerate() {
        let run = folder.path().join(format!("run{i}"));
        explore(&run, program, arguments);
        let records: Vec<Value> = list(&run).into_iter().filter(|r| r["record"] == "test").collect();
        let ids: Vec<String> = records.iter().map(|r| r["id"].to_string()).collect();
        let mut told = BTreeSet::new();
        for (record, explanation) in records.iter().zip(explained(&run, &[], &ids)) {
            let mut all = Vec::new();
            steps(&explanation["steps"], &mut all);
            let decisions: usize = all.iter().map(|s| s["decisions"].as_array().unwrap().len()).sum();
            assert_eq!(record["depth"], decisions, "{record}");
            assert_eq!(explanation["end"]["kind"], record["kind"]);
            assert_eq!(explanation["end"]["status"], record["exit_status"]);
            told.extend(all.iter().filter(|s| s["line"] != 0).map(|s| {
                let source = s["source"].as_str().unwrap().to_string();
                (s["file"].as_str().unwrap().to_string(), s["line"].as_u64().unwrap(), source)
            }));
        }
        let coverage = succeeded(cleave().args(["coverage", "--json"]).arg(&run)).stdout;
        let coverage: Value = serde_json::from_slice(&coverage).unwrap();
        let mut covered = BTreeSet::new();
        for (file, lines) in coverage["files"].as_object().unwrap() {
            let text = std::fs::read_to_string(program).unwrap();
            for (line, _) in lines.as_object().unwrap().iter().filter(|(_, covered)| **covered == true) {
                let line: u64 = line.parse().unwrap();
                let source = text.lines().nth(line as usize - 1).unwrap().to_string();
                covered.insert((file.clone(), line, source));
            }
        }
        assert_eq!(told, covered, "{}", program.display());
    }
}

#[test]
fn loops_are_folded_and_conditions_are_in_c() {
    let folder = tempfile::tempdir().unwrap();
    let (source, run) = (folder.path().join("loops.c"), folder.path().join("run"));
    std::fs::write(&source, LOOPS).unwrap();
    explore(&run, &source, &["--sym-arg", "4"]);
    let tests = list(&run);
    let ids = tests.iter().filter(|r| r["record"] == "test").map(|r| r["id"].to_string());
    let text = |id: String| {
        let output = succeeded(cleave().arg("explain").arg(&run).arg(id)).stdout;
        String::from_utf8(output).unwrap()
    };
    let texts: Vec<String> = ids.map(text).collect();
    for part in ["main (", "sum += i;", "sum ^= twice(j);", "for (int i = 0; i < 9; i++) {"] {
        assert!(texts.iter().all(|text| text.contains(part)), "{part}: {}", texts[0]);
    }
    for part in [
        "lines 4..8, 37 times:",
        "->  argv[1][0] == 'a'",
        "[in __stpncpy]",
        "argv[1][1] == '='",
        "fixed: 'a'",
    ] {
        assert!(texts.iter().any(|text| text.contains(part)), "{part}: {}", texts[0]);
    }
}

#[test]
fn a_test_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (source, run) = (folder.path().join("loops.c"), folder.path().join("run"));
    std::fs::write(&source, LOOPS).unwrap();
    explore(&run, &source, &["--sym-arg", "1"]);
    let output = cleave().arg("explain").arg(&run).arg("4711").output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(error.contains("no test 4711") && error.lines().count() == 1, "{error}");
}

/// Expected end with a changed input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    SameBug,
    Another,
}

/// An input that is like that of a bug's test, but for some bytes.
struct Variant {
    objects: Vec<(String, Vec<u8>)>,
    expected: Expected,
    why: String,
}

fn bytes_of(object: &Value) -> Vec<u8> {
    object["bytes"].as_array().unwrap().iter().map(|b| b.as_u64().unwrap() as u8).collect()
}

fn objects_of(input: &Value) -> Vec<(String, Vec<u8>)> {
    let one = |o: &Value| (o["object"].as_str().unwrap().to_string(), bytes_of(o));
    input.as_array().unwrap().iter().map(one).collect()
}

/// The inputs that an explanation speaks of, and what it says of them.
fn variants(explanation: &Value, random: &mut dyn FnMut(usize) -> usize) -> Vec<Variant> {
    use Expected::{Another, SameBug};
    let objects = objects_of(&explanation["input"]);
    let mut all = Vec::new();
    let mut free = Vec::new();
    let mut with = |object: usize, offset: usize, value: u8, expected, why: &str| {
        let mut objects = objects.clone();
        objects[object].1[offset] = value;
        all.push(Variant {
            objects,
            expected,
            why: format!("{why}: {value} at {offset} of object {object}"),
        });
    };
    for (i, object) in explanation["input"].as_array().unwrap().iter().enumerate() {
        for part in object["parts"].as_array().unwrap() {
            let at = |name: &str| part[name].as_u64().unwrap() as usize;
            for offset in at("from")..=at("to") {
                let inside = |value: usize| {
                    part["values"].as_array().unwrap().iter().any(|range| {
                        let bound = |i: usize| range[i].as_u64().unwrap() as usize;
                        (bound(0)..=bound(1)).contains(&value)
                    })
                };
                assert!(inside(bytes_of(object)[offset].into()), "{explanation}");
                if part["is"] == "free" {
                    free.push((i, offset));
                    continue;
                }
                let (ins, outs): (Vec<usize>, Vec<usize>) = (0..256).partition(|&value| inside(value));
                for _ in 0..6 {
                    let value = ins[random(ins.len())];
                    with(i, offset, value as u8, SameBug, "kept");
                    if part["values_are_all"] == true {
                        with(i, offset, outs[random(outs.len())] as u8, Another, "not kept");
                    }
                }
                match part["is"].as_str().unwrap() {
                    // A byte that matters has a value that makes the bug go away.
                    "fixed" | "constrained" => {
                        let value = part["otherwise"]["value"].as_u64().unwrap();
                        with(i, offset, value as u8, Another, "otherwise");
                    }
                    is => assert_eq!(is, "unknown"),
                }
            }
        }
    }
    for &(i, offset) in free.iter().take(MOST_FREE) {
        for _ in 0..VALUES {
            with(i, offset, random(256) as u8, SameBug, "free");
        }
    }
    if explanation["free_together"] == true && !free.is_empty() {
        for _ in 0..VALUES {
            let mut objects = objects.clone();
            free.iter().for_each(|&(i, offset)| objects[i].1[offset] = random(256) as u8);
            all.push(Variant { objects, expected: SameBug, why: "free together".into() });
        }
    }
    let smallest = objects_of(&explanation["smallest"]["input"]);
    let size = |objects: &[(String, Vec<u8>)]| objects.iter().flat_map(|o| &o.1).filter(|b| **b != 0).count();
    assert!(size(&smallest) <= size(&objects), "{explanation}");
    all.push(Variant { objects: smallest, expected: SameBug, why: "smallest".into() });
    all
}

/// Judges what is said of all bugs of a run by following the inputs that it speaks of; gives of each bug its test's inputs and
/// those that must show it as well.
fn judge(run: &Path, seed: &mut u64) -> Vec<(Value, Vec<Variant>)> {
    let mut random = |n: usize| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as usize % n
    };
    let bugs = list(run).into_iter().filter(|r| r["record"] == "bug" && r["counts_as"] == "failed");
    let ids: Vec<String> = bugs.map(|bug| bug["test"].to_string()).collect();
    let mut judged = Vec::new();
    for (id, explanation) in ids.iter().zip(explained(run, &[], &ids)) {
        let end = &explanation["end"];
        let known =
            KTest::parse(&std::fs::read(run.join(format!("tests/test{id:0>6}.ktest"))).unwrap()).unwrap();
        assert_eq!(objects_of(&explanation["input"]), known.objects, "{id}");
        let variants = variants(&explanation, &mut random);
        let folder = tempfile::tempdir().unwrap();
        let files: Vec<String> = (0..variants.len())
            .map(|i| folder.path().join(format!("{i}.ktest")).display().to_string())
            .collect();
        for (file, variant) in files.iter().zip(&variants) {
            let test = KTest { objects: variant.objects.clone(), ..known.clone() };
            std::fs::write(file, test.to_bytes().unwrap()).unwrap();
        }
        for (variant, seen) in variants.iter().zip(explained(run, &["--max-instructions", "0"], &files)) {
            let bug = |end: &Value| (end["kind"].clone(), end["bug"].clone(), end["place"].clone());
            let same = bug(&seen["end"]) == bug(end);
            let why = &variant.why;
            assert_eq!(
                same,
                variant.expected == Expected::SameBug,
                "{why}: {} for {explanation}",
                seen["end"]
            );
        }
        judged.push((explanation, variants));
    }
    judged
}

/// All programs of `programs/bugs` as functions of one executable, which its first argument chooses.
fn corpus_executable(folder: &Path) -> (PathBuf, Vec<Vec<String>>) {
    let programs = corpus("bugs");
    let name = |p: &support::Program| p.source.file_stem().unwrap().to_str().unwrap().to_string();
    let mut table = String::from("#include <stdlib.h>\n");
    for program in &programs {
        table += &format!("int main_{}();\n", name(program));
    }
    let mains: Vec<String> = programs.iter().map(|p| format!("main_{}", name(p))).collect();
    table += &format!("static int (*const mains[])() = {{{}}};\n", mains.join(", "));
    table += "int main(int argc, char **argv) { return mains[atoi(argv[1])](argc - 1, argv + 1); }\n";
    let main = folder.join("main.c");
    std::fs::write(&main, table).unwrap();
    let sources = programs.iter().map(|p| (p.source.clone(), vec![format!("-Dmain=main_{}", name(p))]));
    let mut objects = Vec::new();
    for (i, (source, definitions)) in sources.chain([(main, Vec::new())]).enumerate() {
        let object = folder.join(format!("{i}.o"));
        let mut compile = cleave();
        compile.args(["cc", "-O0", "-g", "-w", "-c"]).args(definitions).arg("-o").arg(&object).arg(source);
        succeeded(&mut compile);
        objects.push(object);
    }
    let executable = folder.join("corpus");
    succeeded(cleave().args(["cc", "-O0", "-o"]).arg(&executable).args(objects));
    let arguments = |p: &support::Program| p.words("args").into_iter().map(String::from).collect();
    (executable, programs.iter().map(arguments).collect())
}

#[test]
fn what_is_said_of_the_bytes_of_the_corpus_bugs_is_true() {
    let folder = tempfile::tempdir().unwrap();
    let (executable, arguments) = corpus_executable(folder.path());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let subject = |(k, own): (usize, Vec<String>)| {
        let number = k.to_string();
        (k, executable.clone(), [number].into_iter().chain(own).collect::<Vec<String>>())
    };
    let mut subjects: Vec<_> = arguments.into_iter().enumerate().map(subject).collect();
    let parse = ["--sym-args", "0", "2", "6"].map(String::from).to_vec();
    subjects.push((subjects.len(), root.join("examples/parse.c"), parse));
    let next = Mutex::new(subjects.into_iter());
    let judged = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some((k, program, arguments)) = next.lock().unwrap().next() else { break };
            let run = folder.path().join(format!("run{k}"));
            explore(&run, &program, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
            let own = judge(&run, &mut (k as u64));
            judged.lock().unwrap().extend(own);
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(work);
        work();
        other.join().unwrap();
    });
    let (mut bugs, mut free, mut needed, mut unknown) = (0, 0, 0, 0);
    for (explanation, _) in judged.into_inner().unwrap() {
        bugs += 1;
        let objects = explanation["input"].as_array().unwrap();
        for part in objects.iter().flat_map(|o| o["parts"].as_array().unwrap()) {
            let count = part["to"].as_u64().unwrap() - part["from"].as_u64().unwrap() + 1;
            match part["is"].as_str().unwrap() {
                "free" => free += count,
                "unknown" => unknown += count,
                _ => needed += count,
            }
        }
    }
    // The test sees something.
    println!("{bugs} bugs; bytes: {free} free, {needed} needed, {unknown} unknown");
    assert!(
        bugs > 40 && free > 10 && needed > 40,
        "{bugs} bugs; bytes: {free} free, {needed} needed, {unknown} unknown"
    );
    assert_eq!(unknown, 0);
}

/// The kind of what AddressSanitizer says of a run, if it says something.
fn address_sanitizer(native: &Path, k: usize, input: &[u8]) -> Option<String> {
    let mut command = limited(native);
    command
        .env("ASAN_OPTIONS", "symbolize=0:detect_stack_use_after_return=1:detect_leaks=0")
        .arg(k.to_string());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    let said = String::from_utf8_lossy(&child.wait_with_output().unwrap().stderr).into_owned();
    let kind = said.split("ERROR: AddressSanitizer: ").nth(1)?;
    Some(kind.split_whitespace().next()?.to_string())
}

/// Random programs with a bug each, and AddressSanitizer as a second judge.
#[test]
fn what_is_said_of_the_bytes_of_random_bugs_is_true_natively_too() {
    let folder = tempfile::tempdir().unwrap();
    let (source, ours, native) =
        (folder.path().join("planted.c"), folder.path().join("ours"), folder.path().join("native"));
    const PROGRAMS: usize = 12;
    let (text, planted) = planted_c::file(3, 40, PROGRAMS);
    std::fs::write(&source, text).unwrap();
    succeeded(cleave().args(["cc", "-O0", "-w", "-o"]).arg(&ours).arg(&source));
    let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../../runtime/include");
    let mut compile = limited("clang-19");
    compile
        .args(["-O0", "-g", "-w", "-DNATIVE", "-fsanitize=address", include, "-o"])
        .arg(&native)
        .arg(&source);
    succeeded(&mut compile);
    let (mut seed, mut heard) = (7, 0);
    for k in 0..planted.len() {
        let run = folder.path().join(format!("run{k}"));
        explore(&run, &ours, &[&k.to_string(), "--sym-stdin", "3"]);
        for (explanation, variants) in judge(&run, &mut seed) {
            let input = |objects: &[(String, Vec<u8>)]| objects[0].1.clone();
            let Some(said) = address_sanitizer(&native, k, &input(&objects_of(&explanation["input"]))) else {
                continue;
            };
            let same: Vec<&Variant> = variants.iter().filter(|v| v.expected == Expected::SameBug).collect();
            for variant in same.iter().step_by(same.len().div_ceil(NATIVE)) {
                let now = address_sanitizer(&native, k, &input(&variant.objects));
                assert_eq!(now.as_ref(), Some(&said), "{}: {explanation}", variant.why);
                heard += 1;
            }
        }
    }
    println!("{heard} inputs were judged by AddressSanitizer");
    assert!(heard > 20, "{heard}");
}
