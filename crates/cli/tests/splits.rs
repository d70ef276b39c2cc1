//! Static splits: at tests of one's own, at tests drawn from an earlier run, without stealing.

use std::path::Path;

use crate::session::{self, account, cleave, command, digests, refused, succeeded};

const MENU: &str = r#"
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  int total = 0;
  for (int i = 1; i < argc; i++)
    for (char *p = argv[i]; *p; p++) {
      if (*p == 'a') total += 1;
      else if (*p >= '0' && *p <= '9') total += 2;
      else total += 3;
    }
  int c = getchar();
  if (c == 'x') total = -total;
  printf("%s\n", total < 0 ? "negative" : total > 6 ? "large" : "small");
  return total & 1;
}
"#;

const LINE: [&str; 6] = ["--sym-args", "0", "2", "2", "--sym-stdin", "1"];

fn program(folder: &Path) -> String {
    let (source, program) = (folder.join("menu.c"), folder.join("menu"));
    std::fs::write(&source, MENU).unwrap();
    succeeded(&cleave([
        "cc".as_ref(),
        "-O1".as_ref(),
        "-o".as_ref(),
        program.as_os_str(),
        source.as_os_str(),
    ]));
    program.display().to_string()
}

fn run(directory: &Path, options: &[&str], program: &str) {
    let directory = directory.display().to_string();
    let first = ["run", "--workers", "2", "--output-dir", &directory];
    succeeded(&cleave([&first, options, &[program], &LINE].concat()));
}

#[test]
fn static_ranges_have_the_paths_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path());
    let whole = folder.path().join("whole");
    run(&whole, &[], &program);
    let expected = digests(&whole);
    assert!(expected.len() > 100, "{}", expected.len());

    // Tests of one's own, one of them for two ranges that begin at the same path.
    let input = folder.path().join("input");
    std::fs::write(&input, "x").unwrap();
    let input = input.display().to_string();
    let mut tests = Vec::new();
    for (i, arguments) in [&["a", "12"][..], &["zz"], &[], &["a", "12"]].iter().enumerate() {
        let test = folder.path().join(format!("own{i}.ktest")).display().to_string();
        let arguments: Vec<&str> = arguments.iter().flat_map(|a| ["--arg", a]).collect();
        let make = ["tests", "make", "--output", &test, "--stdin", &input];
        succeeded(&cleave([&make, &arguments[..], &[&program], &LINE].concat()));
        tests.push(test);
    }
    let replayed = command().args(["replay", &program, &tests[0]]).output().unwrap();
    let said = succeeded(&replayed);
    assert!(said.contains("\"a\" \"12\"") && said.contains("negative"), "{said}");
    let own = folder.path().join("own");
    run(&own, &["--static", "--split-at", &tests.join(",")], &program);
    assert_eq!(digests(&own), expected);
    assert_eq!(account(&own)["stolen_regions"], 0, "static ranges are not stolen from");

    // Tests drawn from a run, more ranges than workers.
    let from = whole.display().to_string();
    for seed in ["1", "2"] {
        let drawn = folder.path().join(format!("drawn{seed}"));
        run(&drawn, &["--static", "--split-at", &from, "--ranges", "7", "--random-seed", seed], &program);
        assert_eq!(digests(&drawn), expected);
    }

    // Split breadth-first before it is shared.
    let pairs = folder.path().join("pairs");
    run(&pairs, &["--split-states", "20", "--keep-states", "2", "--search", "random-path"], &program);
    assert_eq!(digests(&pairs), expected);
}

/// As [`refused`], for what is wrong with the command line.
fn misused(output: &std::process::Output, parts: &[&str]) {
    let error = session::text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.starts_with("cleave: error: ") && parts.iter().all(|p| error.contains(p)), "{error}");
}

#[test]
fn inputs_that_are_no_test_of_the_command_line_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let test = folder.path().join("own.ktest").display().to_string();
    let make = |rest: &[&str]| cleave([&["tests", "make", "--output", &test], rest].concat());
    misused(&make(&["--arg", "abc", "program", "--sym-arg", "2"]), &["abc", "longer"]);
    refused(&make(&["--stdin", "/nowhere", "program"]), &["/nowhere"]);
    misused(&make(&["--file", "A", "program", "--sym-files", "1", "1"]), &["NAME=FILE"]);
    assert!(!Path::new(&test).exists());
}
