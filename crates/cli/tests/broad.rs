//! The search of a run with a limit: it says what it is, it covers more than depth-first search, and no loop keeps it
//! from a bug.

use std::path::{Path, PathBuf};

use crate::session::*;

fn loops() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/loops");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut programs: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    programs.sort();
    assert_eq!(programs.len(), 30);
    programs
}

/// Decisions within which each bug is found: some eight seconds. Most take less than 63,000; `elevator` took 39,000 and 110,000.
const MOST_DECISIONS: u64 = 200_000;

/// Programs that do not show the bug that their source names, at its line, within [`MOST_DECISIONS`].
fn missed(programs: &[PathBuf], folder: &Path) -> Vec<String> {
    let mut missed = Vec::new();
    for source in programs {
        let name = source.file_stem().unwrap().to_str().unwrap();
        let program = folder.join(name);
        let compiled =
            cleave(["cc".as_ref(), "-O0".as_ref(), "-o".as_ref(), program.as_os_str(), source.as_os_str()]);
        succeeded(&compiled);
        let text = std::fs::read_to_string(source).unwrap();
        let line = 1 + text.lines().position(|line| line.ends_with("//~ ERROR assert")).unwrap();
        let directory = folder.join(format!("{name}-run"));
        // Beside the bug, a program may have a loop that never ends.
        let options = [
            "--workers",
            "1",
            "--max-time",
            "60s",
            "--max-bugs",
            "1",
            "--tests",
            "errors",
            "--check",
            "-termination",
        ];
        let out = run(&directory, &options, &program, &[]);
        let said = succeeded(&out);
        let decisions = account(&directory)["decisions"].as_u64().unwrap();
        if !said.contains(&format!("{name}.c:{line}: ")) || decisions > MOST_DECISIONS {
            missed.push(format!("{name}: {said}"));
        }
    }
    missed
}

/// In three parts, so that they run side by side.
#[track_caller]
fn no_loop_hides_a_bug(part: usize) {
    let folder = tempfile::tempdir().unwrap();
    let missed = missed(&loops()[10 * part..10 * (part + 1)], folder.path());
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn no_loop_hides_a_bug_1() {
    no_loop_hides_a_bug(0);
}

#[test]
fn no_loop_hides_a_bug_2() {
    no_loop_hides_a_bug(1);
}

#[test]
fn no_loop_hides_a_bug_3() {
    no_loop_hides_a_bug(2);
}

#[test]
fn the_first_line_says_how_a_run_searches_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 3, 0);
    let first = |name: &str, options: &[&str]| {
        let directory = folder.path().join(name);
        let out = run(&directory, options, &program, &[]);
        succeeded(&out);
        let line = text(&out.stderr).lines().next().unwrap_or_default().to_string();
        assert!(line.contains(&format!("{name}: searching ")), "{line}");
        line
    };
    assert!(first("whole", &[]).ends_with("searching depth-first, to the last path (Ctrl-C stops)"));
    let broad = first("limited", &["--max-time", "20s"]);
    assert!(broad.contains("ending:covnew") && broad.contains("--max-time"), "{broad}");
    assert!(first("asked", &["--max-time", "20s", "--search", "bfs"]).ends_with("searching by bfs"));
}

/// 2^40 paths are behind each of several ways.
const LATE: &str = r#"
#include <klee/klee.h>
volatile int sink;
int main(void) {
  unsigned char bits[40], kind[4];
  int ones = 0;
  klee_make_symbolic(kind, sizeof kind, "kind");
  klee_make_symbolic(bits, sizeof bits, "bits");
  switch (kind[0]) {
  case 1: sink = 1; break;
  case 2: sink = 2; break;
  case 3: sink = 3; break;
  case 4: sink = 4; if (kind[1] == 5) { sink = 5; if (kind[2] == 6) sink = 6; } break;
  default: sink = 7;
  }
  for (int i = 0; i < 40; i++) if (bits[i] & 1) ones++;
  return ones;
}
"#;

#[test]
fn a_limited_run_covers_what_depth_first_search_does_not_come_to() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "late", LATE, &["-g"]);
    let branches = |name: &str, options: &[&str]| {
        let directory = folder.path().join(name);
        let options = [&["--workers", "1", "--max-time", "4s", "--tests", "none"], options].concat();
        succeeded(&run(&directory, &options, &program, &[]));
        let coverage = &account(&directory)["coverage"];
        [&coverage["branches_covered"], &coverage["branches"]].map(|n| n.as_u64().unwrap())
    };
    let [covered, all] = branches("broad", &[]);
    assert_eq!(covered, all, "all sides");
    assert!(branches("dfs", &["--search", "dfs"])[0] < all, "or the test shows nothing");
}
