//! Bugs that are one bug, bugs that are excused, and warnings about options in the wrong place.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::session::*;

const MODES: [&str; 2] = ["symbolic", "concolic"];
const LEVELS: [&str; 2] = ["-O0", "-O2"];

fn explore(directory: &Path, mode: &str, options: &[&str], program: &Path) -> Output {
    run(directory, &[&["--workers", "1", "--mode", mode], options].concat(), program, &[])
}

/// Places of the bugs, in their order, without their directories.
fn places(directory: &Path) -> Vec<String> {
    let bugs = records(directory).into_iter().filter(|r| r["record"] == "bug");
    let name = |place: &str| place.rsplit('/').next().unwrap().to_owned();
    let mut places: Vec<String> = bugs.map(|b| name(b["place"].as_str().unwrap())).collect();
    places.sort();
    places
}

/// Two functions that give `strlen` what has no end.
const TWO: &str = r#"#include <klee/klee.h>
#include <string.h>
__attribute__((noinline)) static size_t first(const char *p) {
  return strlen(p) + 1;
}
__attribute__((noinline)) static size_t second(const char *p) {
  return strlen(p) + 2;
}
int main(void) {
  char a[3];
  klee_make_symbolic(a, sizeof a, "a");
  a[1] = a[2] = LAST;
  if (a[0] == 'x') return first(a);
  if (a[0] == 'y') return second(a);
  return 0;
}
"#;

/// Three ways to one bug, each through lines of its own.
const THREE: &str = r#"#include <stdio.h>
int main(void) {
  int c = getchar();
  volatile int none = 0;
  if (c == 'a') puts("a");
  else if (c == 'b') puts("b");
  else puts("c");
  return 1 / none;
}
"#;

#[test]
fn a_bug_has_as_many_paths_as_end_in_it_also_where_these_cover_something_new() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "three", THREE, &["-O0"]);
    for mode in MODES {
        for workers in ["1", "2"] {
            let directory = folder.path().join(format!("{mode}{workers}"));
            let options = ["--workers", workers, "--mode", mode];
            run(&directory, &options, &program, &["--sym-stdin", "1"]);
            let failed = &account(&directory)["paths"]["failed"];
            let bugs: Vec<Value> = records(&directory).into_iter().filter(|r| r["record"] == "bug").collect();
            assert_eq!(
                (bugs.len(), &bugs[0]["paths"], failed),
                (1, &3.into(), &3.into()),
                "{mode} {workers}"
            );
        }
    }
}

#[test]
fn bugs_in_different_lines_of_the_program_are_two_though_the_library_notices_both_in_one() {
    let folder = tempfile::tempdir().unwrap();
    for level in LEVELS {
        let program =
            compile(folder.path(), &format!("two{level}"), TWO, &[level, "-fno-builtin", "-DLAST='a'"]);
        let clean =
            compile(folder.path(), &format!("clean{level}"), TWO, &[level, "-fno-builtin", "-DLAST=0"]);
        for mode in MODES {
            let directory = folder.path().join(format!("{level}{mode}"));
            assert_eq!(explore(&directory, mode, &[], &program).status.code(), Some(3));
            let file = format!("two{level}.c");
            assert_eq!(places(&directory), [format!("{file}:4"), format!("{file}:7")]);
            let errors = std::fs::read_dir(directory.join("tests")).unwrap().map(|f| f.unwrap().path());
            let errors: Vec<_> = errors.filter(|f| f.extension() == Some("err".as_ref())).collect();
            assert_eq!(errors.len(), 2);
            for error in errors {
                let text = std::fs::read_to_string(error).unwrap();
                let file = text.lines().find(|l| l.starts_with("File: ")).unwrap();
                assert!(file.ends_with(".c") && !file.contains("strlen"), "{text}");
                assert!(
                    text.contains("#0 in strlen(") && text.contains("strlen.c:"),
                    "the whole stack: {text}"
                );
            }
            let directory = folder.path().join(format!("clean{level}{mode}"));
            assert_eq!(explore(&directory, mode, &[], &clean).status.code(), Some(0));
        }
    }
}

#[test]
fn code_of_the_program_that_is_named_like_the_library_is_the_programs() {
    let folder = tempfile::tempdir().unwrap();
    let own = TWO.replace("#include <string.h>", "#include <stddef.h>").replace(
        "__attribute__((noinline)) static size_t first",
        "__attribute__((noinline)) static size_t strlen(const char *p) { size_t n = 0; while (p[n]) n++; return n; }\n\
         __attribute__((noinline)) static size_t first",
    );
    let place = folder.path().join("src/string");
    std::fs::create_dir_all(&place).unwrap();
    let program = compile(&place, "strlen", &own, &["-fno-builtin", "-DLAST='a'"]);
    let directory = folder.path().join("run");
    explore(&directory, "symbolic", &[], &program);
    assert_eq!(places(&directory), ["strlen.c:3"], "its own strlen has one bug, whoever calls it");
}

#[test]
fn a_place_without_lines_is_where_the_program_called_it() {
    let folder = tempfile::tempdir().unwrap();
    let (hidden, object) = (folder.path().join("hidden.c"), folder.path().join("hidden.o"));
    std::fs::write(&hidden, "int hidden(int *p) { return *p; }\n").unwrap();
    succeeded(&command().args(["cc", "-g0", "-c", "-o"]).args([&object, &hidden]).output().unwrap());
    let code = "#include <klee/klee.h>\nint hidden(int *p);\nint main(void) {\n  int x;\n\
                klee_make_symbolic(&x, sizeof x, \"x\");\n  if (x == 1) return hidden(0);\n\
                if (x == 2) return hidden(0);\n  return 0;\n}\n";
    let program = compile(folder.path(), "calls", code, &[path_text(&object)]);
    let directory = folder.path().join("run");
    explore(&directory, "symbolic", &[], &program);
    assert_eq!(places(&directory), ["calls.c:6", "calls.c:7"]);
}

#[test]
fn suppressed_bugs_are_none_and_are_counted_and_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list");
    std::fs::write(&list, "# known\n\n  out-of-bounds:first:two.c\nout-of-bounds:sec*\n").unwrap();
    let program = compile(folder.path(), "two", TWO, &["-fno-builtin", "-DLAST='a'"]);
    let cases: [(&[&str], i32, u64, &str); 4] = [
        (&["--suppress", "out-of-bounds:first"], 3, 1, "out-of-bounds:first"),
        (&["--suppress", "out-of-bounds:strlen"], 0, 2, "out-of-bounds:strlen"),
        (&["--suppressions", path_text(&list)], 0, 2, "out-of-bounds:sec*"),
        (&["--suppress", "division:*", "--suppress", "*:main"], 3, 0, "division:*"),
    ];
    for (i, (options, code, suppressed, by)) in cases.into_iter().enumerate() {
        for mode in MODES {
            let directory = folder.path().join(format!("{i}{mode}"));
            let output = explore(&directory, mode, options, &program);
            let said = text(&output.stdout);
            assert_eq!(output.status.code(), Some(code), "{said}");
            let account = account(&directory);
            assert_eq!(account["paths"]["suppressed"], suppressed, "{account}");
            assert_eq!(account["paths"]["failed"], 2 - suppressed, "{account}");
            assert_eq!(account["suppressed"][by] == Value::Null, suppressed == 0, "{account}");
            assert_eq!(said.contains("suppressed by"), suppressed > 0, "{said}");
            assert!(suppressed == 0 || !said.contains("every path is explored"), "{said}");
            // They are kept.
            assert_eq!(cleave(["resume", path_text(&directory)]).status.code(), Some(code));
        }
    }
    for (what, part) in
        [("nonsense:f", "the kinds are"), ("division", "KIND:FUNCTION"), ("unsupported:f", "no bug")]
    {
        let output = explore(&folder.path().join("none"), "symbolic", &["--suppress", what], &program);
        assert!(output.status.code() == Some(2) && text(&output.stderr).contains(part), "{what}");
    }
}

/// A search by words, as gnulib has it; `LEN` bytes without the terminator.
const WORDS: &str = r#"#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) char *(rawmemchr)(const char *s, int c) {
  const uint64_t *w = (const uint64_t *)s;
  const uint64_t ones = ~(uint64_t)0 / 255, all = ones * (unsigned char)c;
  for (;; w++) {
    uint64_t x = *w ^ all;
    if (((x - ones) & ~x) & (ones << 7)) break;
  }
  char *p = (char *)w;
  while (*p != (char)c) p++;
  return p;
}
int main(void) {
  char *a = malloc(LEN + MORE);
  char in[LEN];
  klee_make_symbolic(in, LEN, "a");
  memcpy(a, in, LEN);
  a[LEN - 1] = END;
  return (int)((rawmemchr)(a, '.') - a);
}
"#;

#[test]
fn words_read_beyond_the_end_of_a_string_are_excused_and_the_path_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    for level in LEVELS {
        let place = folder.path().join(level);
        std::fs::create_dir(&place).unwrap();
        let program = compile(&place, "rawmemchr", WORDS, &[level, "-DLEN=11", "-DMORE=0", "-DEND='.'"]);
        for mode in MODES {
            let directory = place.join(mode);
            let output = explore(&directory, mode, &[], &program);
            assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
            let account = account(&directory);
            assert!(
                account["excused_reads"]["word-read:rawmemchr:rawmemchr.c"].as_u64() > Some(0),
                "{account}"
            );
            assert_eq!(account["paths"]["completed"], 11, "{account}");
            let replayed = cleave(["replay", path_text(&program), path_text(&directory)]);
            assert!(succeeded(&replayed).contains("11 as foretold"), "{}", text(&replayed.stdout));
            let directory = place.join(format!("all-{mode}"));
            let output = explore(&directory, mode, &["--no-shipped-suppressions"], &program);
            assert_eq!((output.status.code(), places(&directory)), (Some(3), vec!["rawmemchr.c:9".into()]));
        }
        // The bytes behind the string in its buffer were never set, which does no harm either.
        let program = compile(&place, "rawmemchr", WORDS, &[level, "-DLEN=11", "-DMORE=9", "-DEND='.'"]);
        let directory = place.join("unset");
        let output = explore(&directory, "symbolic", &[], &program);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
        assert_eq!(account(&directory)["paths"]["completed"], 11);
    }
    // A string that ends nowhere is no deliberate read of a word: it stays a bug.
    let program = compile(folder.path(), "rawmemchr", WORDS, &["-DLEN=11", "-DMORE=0", "-DEND=0"]);
    let directory = folder.path().join("endless");
    assert_eq!(explore(&directory, "symbolic", &[], &program).status.code(), Some(3));
    assert_eq!(places(&directory), ["rawmemchr.c:9"]);
}

#[test]
fn options_that_stand_in_the_wrong_place_are_warned_of_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 1, 0);
    let program = path_text(&program);
    let said = |line: &[&str]| -> String {
        let output = folder.path().join("run");
        let _ = std::fs::remove_dir_all(&output);
        let first = ["run", "--workers", "1", "--output-dir", path_text(&output)];
        let output = cleave(first.iter().chain(line));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let said = text(&output.stderr);
        said.lines().filter(|line| !line.contains(": searching ")).map(|line| format!("{line}\n")).collect()
    };
    let behind: String = said(&[program, "--sym-stdin", "4", "--max-time", "5", "--sym-stdin", "6"]);
    assert_eq!(behind.lines().count(), 2, "{behind}");
    assert!(behind.contains("--sym-stdin is given 2 times"), "{behind}");
    assert!(
        behind.contains("--max-time stands behind") && behind.contains("cleave run --max-time"),
        "{behind}"
    );
    for line in [
        &["--max-time", "50", program, "--sym-stdin", "4", "--lines", "--help"][..],
        &["--", program, "--max-time", "5"],
        &[program, "x", "--", "--max-time", "5"],
    ] {
        assert_eq!(said(line), "", "{line:?}");
    }
}

/// Each option with a number, and what it needs beside it.
const NUMBERS: [(&str, &[&str]); 11] = [
    ("--max-paths", &[]),
    ("--max-time", &[]),
    ("--max-depth", &[]),
    ("--max-path-instructions", &[]),
    ("--max-memory", &[]),
    ("--keep-states", &[]),
    ("--random-seed", &[]),
    ("--solver-timeout", &[]),
    ("--split-states", &[]),
    ("--speculation-depth", &["--feasibility", "speculative"]),
    ("--depth-bound", &["--mode", "concolic"]),
];
const EXTREMES: [&str; 6] =
    ["0", "4294967295", "18000000000000000000", "18446744073709551615", "1e300", "-1"];

#[test]
fn no_value_of_an_option_makes_cleave_fail_inside() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 1, 0);
    let program = path_text(&program);
    let base = folder.path().join("base");
    succeeded(&run(&base, &["--workers", "1"], Path::new(program), &[]));
    let test = base.join("tests/test000001.ktest");
    let sane = |line: &[&str]| {
        let output = cleave(line);
        let error = text(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 2..=5)), "{line:?}: {:?} {error}", output.status);
        assert!(!error.contains("panicked") && !error.contains("internal error"), "{line:?}: {error}");
    };
    let place = folder.path().join("run");
    for value in EXTREMES {
        for (option, more) in NUMBERS {
            let _ = std::fs::remove_dir_all(&place);
            let given = format!("{option}={value}");
            let line = ["run", "--workers", "1", "--output-dir", path_text(&place), &given];
            sane(&[&line[..], more, &[program]].concat());
        }
        for option in ["--max-time", "--max-memory", "--workers"] {
            // A run of no time, or without memory, differs from what was foretold.
            if !matches!((option, value), ("--max-time" | "--max-memory", "0" | "1")) {
                sane(&["replay", &format!("{option}={value}"), program, path_text(&test)]);
            }
        }
        sane(&["bound", &format!("--time={value}"), program]);
        for option in ["--cores", "--latency-us", "--startup-ms", "--ms-per-path"] {
            sane(&["simulate", &format!("{option}={value}"), path_text(&base)]);
        }
        for words in [["--sym-arg", value], ["--sym-stdin", value]] {
            let _ = std::fs::remove_dir_all(&place);
            let limits = ["--workers", "1", "--max-paths", "1", "--output-dir", path_text(&place)];
            sane(&[&["run"][..], &limits, &[program], &words].concat());
        }
    }
}
