//! Values that nobody gave: on each test of each path of random programs, MemorySanitizer reports the use of one just
//! where Cleave does, and so does an interpreter of the source.
//!
//! CLEAVE_UNDEFINED_FILES says how many files of programs are judged, CLEAVE_UNDEFINED_SEED which, CLEAVE_UNDEFINED_KEEP a folder
//! for what is written.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use cleave_campaign::Store;
use serde_json::Value;

use crate::support::c_text::Text;
use crate::support::interpreter::{End, Interpreter};
use crate::support::undefined_c;
use crate::support::{cleave, limited, succeeded};

/// Programs in one file.
const IN_A_FILE: usize = 20;

fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|v| !v.is_empty())
}

/// Returns true if MemorySanitizer reports a use in a run on `input`.
fn reports(native: &Path, program: usize, input: &[u8]) -> bool {
    let mut command = limited(native);
    // The place in the source costs more than the run.
    command.env("MSAN_OPTIONS", "symbolize=0");
    command.arg(program.to_string()).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some(), "{program} on {input:?}: {said}");
    said.contains("MemorySanitizer")
}

/// Returns true if the interpreter comes to a use in a run on `input`.
fn interpreted(text: &Text, program: usize, input: &[u8]) -> bool {
    let mut run = Interpreter::new(text, &[]);
    run.set("in", input);
    let ends = [format!("program_{program}"), "end".to_string()].map(|name| run.run(&name));
    assert!(ends.iter().all(|e| matches!(e, End::Exit(_) | End::Bug("uninitialised", _))), "{ends:?}");
    ends.iter().any(|e| matches!(e, End::Bug(..)))
}

/// The paths of a program on which the three differ, as sentences.
fn differences(built: &Path, native: &Path, text: &Text, program: usize, options: &[&str]) -> Vec<String> {
    let run = built.with_extension(format!("run{program}"));
    let mut explore = cleave();
    explore.args(["run", "--workers", "1", "--all-errors"]).args(options).arg("--output-dir").arg(&run);
    let output = explore.arg(built).arg(program.to_string()).args(["--sym-stdin", "3"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let listed = succeeded(cleave().args(["list", "--json"]).arg(&run)).stdout;
    let store = Store::read(&run).unwrap();
    let mut out = Vec::new();
    let mut paths = 0;
    for record in String::from_utf8(listed).unwrap().lines() {
        let record: Value = serde_json::from_str(record).unwrap();
        if record["record"] != "test" {
            continue;
        }
        paths += 1;
        let test = store.path(record["id"].as_u64().unwrap()).unwrap().unwrap().record.test.decode().unwrap();
        let stdin = test.objects.iter().find(|o| o.name == "stdin");
        let input = &stdin.expect("a test has its standard input").bytes[..];
        let ours = record["kind"] == "failed";
        let theirs = reports(native, program, input);
        let said = interpreted(text, program, input);
        if ours != theirs || ours != said || !matches!(record["kind"].as_str(), Some("completed" | "failed"))
        {
            out.push(format!(
                "program {program} on {input:?}: MemorySanitizer reports: {theirs}; the interpreter: {said}; Cleave: {record}"
            ));
        }
    }
    if paths == 0 {
        out.push(format!("program {program}: no path: {said}"));
    }
    out
}

#[test]
fn uses_of_what_has_no_value_are_those_that_memory_sanitizer_reports() {
    let files: u64 = setting("CLEAVE_UNDEFINED_FILES").map_or(1, |n| n.parse().unwrap());
    let first: u64 = setting("CLEAVE_UNDEFINED_SEED").map_or(1, |n| n.parse().unwrap());
    let scratch = tempfile::tempdir().unwrap();
    let kept = setting("CLEAVE_UNDEFINED_KEEP").map(PathBuf::from);
    let folder = kept.as_deref().unwrap_or(scratch.path());
    let mut complaints = Vec::new();
    for seed in first..first + files {
        let source = folder.join(format!("undefined-{seed}.c"));
        let text = undefined_c::file(seed, IN_A_FILE);
        std::fs::write(&source, &text).unwrap();
        // The text behind the programs chooses one of them and ends with this.
        let programs = text.split("static void (*const programs").next().unwrap();
        let text = Text::read(&format!("{programs}static int end(void) {{ return sum & 7; }}\n"), 1).unwrap();
        let (built, native) = (source.with_extension("program"), source.with_extension("msan"));
        succeeded(cleave().args(["cc", "-O0", "-w", "-o"]).arg(&built).arg(&source));
        // A value that is passed on is not used yet. Comparisons are exact, as Cleave's are.
        let msan = [
            "-fsanitize=memory",
            "-fno-sanitize-memory-param-retval",
            "-fno-sanitize-recover=all",
            "-mllvm",
            "-msan-handle-icmp-exact=1",
        ];
        succeeded(
            limited("clang-19").args(["-O0", "-g", "-w"]).args(msan).arg("-o").arg(&native).arg(&source),
        );
        for program in 0..IN_A_FILE {
            let options: &[&str] = if program % 4 == 3 { &["--mode", "concolic"] } else { &[] };
            let found = differences(&built, &native, &text, program, options);
            complaints.extend(found.into_iter().map(|d| format!("file {seed}, {d}")));
        }
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}
