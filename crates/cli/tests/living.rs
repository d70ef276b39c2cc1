//! Suites that are kept up to date: `cleave tests export --update`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::session::{account, cleave, compile, done, path_text, run, succeeded, text};
use crate::support::dice::{Dice, setting};
use crate::support::edited_c::{EDITS, edited, program};

const PARSER: &str = r#"
#include <stdio.h>
#include <string.h>
static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : -1; }
static int number(const char *s, int n) {
  int v = 0;
  for (int i = 0; i < n; i++) {
    if (digit(s[i]) < 0) return -1;
    v = v * 10 + digit(s[i]);
  }
  return v;
}
int main(void) {
  char line[6];
  if (!fgets(line, sizeof line, stdin)) return 9;
  char *colon = strchr(line, ':');
  if (!colon) return 1;
  int n = number(line, colon - line);
  if (n < 0) return 2;
  if (n > 20) return 3;
  puts("ok");
  return 0;
}
"#;

/// Explores a source; its run directory.
#[track_caller]
fn explored(folder: &Path, name: &str, source: &str, arguments: &[&str]) -> PathBuf {
    let file = folder.join("program.c");
    std::fs::write(&file, source).unwrap();
    let directory = folder.join(name);
    let ran = run(&directory, &["--workers", "2"], &file, arguments);
    assert!(done(&ran), "{ran:?}");
    directory
}

#[track_caller]
fn update(run: &Path, suite: &Path, format: &str) -> String {
    succeeded(&cleave(["tests", "export", "--update", "--to", format, path_text(run), path_text(suite)]))
}

/// Every file below a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                all.insert(path.clone(), std::fs::read(&path).unwrap());
            }
        }
    }
    all
}

/// The tests in a suite's list: their ends by name.
fn tests(suite: &Path) -> BTreeMap<String, String> {
    let list: Value = serde_json::from_slice(&std::fs::read(suite.join("suite.json")).unwrap()).unwrap();
    let word = |test: &Value, name: &str| test[name].as_str().unwrap().to_string();
    list["tests"].as_array().unwrap().iter().map(|test| (word(test, "name"), word(test, "ends"))).collect()
}

#[track_caller]
fn passes(suite: &Path) {
    let ran = Command::new("bash").arg(suite.join("run-all.sh")).output().unwrap();
    assert!(text(&ran.stdout).contains(", 0 failed, "), "{}{}", text(&ran.stdout), text(&ran.stderr));
}

#[test]
fn nothing_changes_where_the_program_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let first = explored(folder.path(), "first", PARSER, &["--sym-stdin", "5"]);
    // Another run of the program, with lines that moved.
    let moved = PARSER.replace("static int number", "/* a comment\n */\n\nstatic int number");
    let second = explored(folder.path(), "second", &moved, &["--sym-stdin", "5"]);
    for format in ["plain", "ktest", "corpus", "ctest", "cmocka", "googletest", "unity"] {
        let suite = folder.path().join(format);
        update(&first, &suite, format);
        let before = files(&suite);
        let said = update(&second, &suite, format);
        assert!(said.contains(" 0 new, 0 removed\n") && said.lines().count() == 1, "{said}");
        let mut after = files(&suite);
        // The executable has the lines in its debug information.
        for (path, bytes) in &before {
            let same = after.remove(path).is_some_and(|now| now == *bytes);
            assert!(same || path.ends_with("program"), "{}", path.display());
        }
        assert!(after.is_empty(), "{after:?}");
    }
    passes(&folder.path().join("plain"));
}

#[test]
fn a_change_is_a_small_difference_and_a_test_of_a_bug_stays() {
    let folder = tempfile::tempdir().unwrap();
    let suite = folder.path().join("suite");
    update(&explored(folder.path(), "a", PARSER, &["--sym-stdin", "5"]), &suite, "plain");
    let first = tests(&suite);
    assert!(first.len() < 10 && first.contains_key("test_digit"), "{first:?}");
    std::fs::write(suite.join("README"), "of the project\n").unwrap();
    // Another exit status: a test of it ends otherwise, and nothing else is new.
    let other = PARSER.replace("return 3", "return 4");
    let said = update(&explored(folder.path(), "b", &other, &["--sym-stdin", "5"]), &suite, "plain");
    assert!(said.contains(" 0 new, 0 removed\n") && said.contains(": exit 4, before exit 3\n"), "{said}");
    assert!(tests(&suite).keys().eq(first.keys()));
    passes(&suite);
    // A bug gets a test of its own, by the name of its function and kind.
    let bug = PARSER.replace("puts(\"ok\")", "char b[20]; memset(b, 0, 20); b[n] = 1; puts(b)");
    let said = update(&explored(folder.path(), "c", &bug, &["--sym-stdin", "5"]), &suite, "plain");
    let of_bug = "test_main_bounds";
    assert!(said.contains(&format!("{of_bug} is new: bounds in main\n")), "{said}");
    assert!(said.contains("with other output than before"), "{said}");
    passes(&suite);
    // The mended program has it still, with its end now, although others cover as much.
    let said = update(&explored(folder.path(), "d", PARSER, &["--sym-stdin", "5"]), &suite, "plain");
    assert!(said.contains(&format!("{of_bug}: exit 0, before bounds in main\n")), "{said}");
    assert!(said.contains(" 0 new, "), "{said}");
    passes(&suite);
    assert!(suite.join("README").exists() && !suite.join(of_bug).join("bug").exists());
    // Longer inputs: tests stay, by their first bytes.
    let said = update(&explored(folder.path(), "e", PARSER, &["--sym-stdin", "6"]), &suite, "plain");
    assert!(said.contains(" 0 new, 0 removed\n"), "{said}");
    passes(&suite);
}

#[test]
fn an_old_suite_covers_as_much_as_a_new_one_after_random_edits() {
    let seed = setting("CLEAVE_LIVING_SEED", 1);
    let mut dice = Dice(seed);
    let folder = tempfile::tempdir().unwrap();
    let suite = folder.path().join("suite");
    let mut version = program(&mut dice);
    let mut before = BTreeSet::new();
    for round in 0..8 {
        let text = version.text();
        let executable = compile(folder.path(), "program", &text, &["-g"]);
        let directory = folder.path().join(round.to_string());
        succeeded(&run(&directory, &["--workers", "2"], &executable, &[]));
        let said = update(&directory, &suite, "ktest");
        let now: BTreeSet<String> = tests(&suite).into_keys().collect();
        let gone: Vec<&String> = before.difference(&now).collect();
        assert!(gone.iter().all(|name| said.contains(&format!("  {name} is removed: "))), "{said}");
        // Only the suite's inputs: they cover all that the run covers, and find each of its bugs.
        let only = folder.path().join(format!("only {round}"));
        let options = ["--only-seeds", "--seed", path_text(&suite)];
        let ran = run(&only, &options, &executable, &[]);
        assert!(done(&ran), "{ran:?}");
        let (all, own) = (account(&directory), account(&only));
        for what in ["bugs", "coverage"] {
            assert_eq!(all[what], own[what], "round {round} of seed {seed}: {what}\n{said}\n{text}");
        }
        before = now;
        let edit = EDITS[dice.below(EDITS.len())];
        version = edited(&version, edit, &mut dice);
    }
}

/// The command failed by one sentence that has all these parts.
#[track_caller]
fn says_no(output: &Output, parts: &[&str]) {
    let error = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{error}");
    assert!(error.starts_with("cleave: error: ") && parts.iter().all(|part| error.contains(part)), "{error}");
}

#[test]
fn what_is_no_suite_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let directory = explored(folder.path(), "run", PARSER, &["--sym-stdin", "5"]);
    let suite = folder.path().join("suite");
    std::fs::create_dir(&suite).unwrap();
    let asked = |format: &str, place: &Path| {
        cleave(["tests", "export", "--update", "--to", format, path_text(&directory), path_text(place)])
    };
    says_no(&asked("plain", &suite), &["is there already", "give another place"]);
    says_no(&asked("testcomp", &folder.path().join("suite.zip")), &["leave out .zip"]);
    std::fs::remove_dir(&suite).unwrap();
    succeeded(&asked("plain", &suite));
    says_no(&asked("ktest", &suite), &["is a suite in the form plain", "give --to plain"]);
    let list = suite.join("suite.json");
    let sound = std::fs::read_to_string(&list).unwrap();
    for (from, to) in [("test_main", "test_/../x"), ("\"tests\"", "\"others\""), ("test_main", "test_digit")]
    {
        std::fs::write(&list, sound.replace(from, to)).unwrap();
        says_no(&asked("plain", &suite), &["is damaged", "restore it"]);
    }
}
