//! The tests of a run are in its database. Files are written of a few of them, and every command answers as if all were
//! files, byte for byte.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::session::{command, compile, digests, done, path_text, refused, run, succeeded, text};

/// Three ways for each byte of its input, and few that cover anything new.
const WORDS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int vowels = 0, digits = 0, c;
  while ((c = getchar()) != EOF) {
    if (c == 'a') vowels++;
    else if (c == '0') digits++;
  }
  if (vowels == 3 && digits == 2) abort();
  printf("%d %d\n", vowels, digits);
  return vowels > 2;
}
"#;

/// Runs `cleave` in a folder.
fn within(folder: &Path, words: &[&str]) -> Output {
    command().current_dir(folder).args(words).output().unwrap()
}

/// The same run twice, in folders of their own: in one each test is a file, in the other as usual.
struct Twins {
    _scratch: tempfile::TempDir,
    program: String,
    folders: [PathBuf; 2],
}

impl Twins {
    /// With inputs of so many bytes; the run is stopped and resumed once.
    fn new(bytes: &str, stop: &str) -> Twins {
        // In memory if that is there: a new file costs a fraction of what it costs on a disk.
        let scratch = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let program = compile(scratch.path(), "words", WORDS, &["-g"]);
        let folders = ["all", "usual"].map(|name| scratch.path().join(name));
        for (folder, which) in folders.iter().zip([&["--tests", "all"][..], &[]]) {
            std::fs::create_dir(folder).unwrap();
            let options = [&["--workers", "1", "--max-paths", stop], which].concat();
            assert!(done(&run(&folder.join("run"), &options, &program, &["--sym-stdin", bytes])));
            assert!(done(&within(folder, &["resume", "--workers", "1", "run"])));
        }
        Twins { program: path_text(&program).into(), _scratch: scratch, folders }
    }

    /// Both answer the same; the answer.
    #[track_caller]
    fn same(&self, words: &[&str]) -> String {
        let [all, usual] = self.folders.each_ref().map(|folder| {
            let output = within(folder, words);
            (output.status.code(), text(&output.stdout), text(&output.stderr))
        });
        assert!(all == usual, "{words:?}: {all:?} {usual:?}");
        assert!(!all.2.contains("error") && all.1.len() + all.2.len() > 9, "{words:?}: {all:?}");
        all.1
    }
}

/// The files of a folder with their contents.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_str().unwrap().to_string(), std::fs::read(&path).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(read).collect()
}

#[test]
fn of_ten_thousand_paths_few_are_files_and_every_command_answers_as_if_all_were() {
    let twins = Twins::new("9", "6000");
    let [all, usual] = twins.folders.each_ref().map(|folder| files(&folder.join("run/tests")));
    assert!(all.len() == 19_684 && usual.len() < 20, "{} {}", all.len(), usual.len());
    // Reports name the folder.
    let [tests, reports]: [BTreeMap<_, _>; 2] =
        [true, false].map(|test| usual.iter().filter(|(name, _)| name.ends_with(".ktest") == test).collect());
    assert!(tests.iter().all(|(name, bytes)| all[*name] == **bytes));
    assert!(reports.len() == 1 && reports.keys().all(|name| all.contains_key(*name)));
    let program = twins.program.as_str();

    assert_eq!(twins.same(&["list", "--json", "run"]).lines().count(), 19_684);
    twins.same(&["coverage", "--json", "run"]);
    assert!(twins.same(&["coverage", "--minimal", "run"]).lines().count() < 10);
    twins.same(&["tests", "follow", "--json", "run"]);
    let names = [7, 5000, 12345].map(|id| format!("run/tests/test{id:06}.ktest"));
    let [a, b, c] = names.each_ref().map(String::as_str);
    let compared = twins.same(&["tests", "compare", program, b, c, a]);
    assert_eq!(compared, format!("{a} < {b} < {c}\n"), "one worker finds paths in their order");

    // Beginnings of a new run.
    let begin = ["run", "--workers", "1", "--random-seed", "3", "--max-paths", "9", "--output-dir"];
    for (to, beginning) in [
        ("drawn", &["--split-at", "run", "--ranges", "40"][..]),
        ("split", &["--split-at", a, b, c]),
        ("seeded", &["--seed", a, "--seed", c]),
    ] {
        for folder in &twins.folders {
            let words = [&begin, &[to][..], beginning, &[program, "--sym-stdin", "9"]].concat();
            assert!(done(&within(folder, &words)), "{to}");
        }
        twins.same(&["list", "--json", to]);
    }
    let tree =
        twins.folders.each_ref().map(|f| text(&within(f, &["simulate", "run", "--workers", "1"]).stdout));
    let [all_tree, usual_tree] = tree.each_ref().map(|said| said.lines().next().unwrap());
    assert!(all_tree == usual_tree && all_tree.contains("19683 paths"), "{all_tree} {usual_tree}");

    let replayed = twins.same(&["replay", "--json", program, a, b, c]);
    assert_eq!(replayed.matches("\"verdict\":\"agrees\"").count(), 3, "{replayed}");
    // The others can be had later, as they would have been.
    twins.same(&["tests", "export", "run", "exported", "--to", "ktest"]);
    let exported = files(&twins.folders[1].join("exported"));
    assert!(exported.len() == 19_683 && exported.iter().all(|(name, bytes)| all[name] == *bytes));
}

#[test]
fn all_tests_of_a_run_are_replayed_seeded_sorted_and_minimized() {
    let twins = Twins::new("4", "30");
    let program = twins.program.as_str();
    // Nothing needs the files that are there.
    std::fs::remove_dir_all(twins.folders[1].join("run/tests")).unwrap();
    let replayed = twins.same(&["replay", "--json", program, "run"]);
    assert_eq!(replayed.matches("\"verdict\":\"agrees\"").count(), 81, "{replayed}");
    assert_eq!(twins.same(&["tests", "sort", program, "run"]).lines().count(), 81);
    twins.same(&["tests", "minimize", "run", "--output", "small", program, "--sym-stdin", "4"]);
    let [all, usual] = twins.folders.each_ref().map(|folder| files(&folder.join("small")));
    assert!(all.len() == 81 && all == usual);
    for folder in &twins.folders {
        let words = ["run", "--workers", "1", "--seed", "run", "--only-seeds", "--output-dir", "seeded"];
        assert!(done(&within(folder, &[&words[..], &[program, "--sym-stdin", "4"]].concat())));
        assert_eq!(digests(&folder.join("seeded")), digests(&folder.join("run")));
    }
    twins.same(&["list", "--json", "seeded"]);
    // A folder of files is what it was.
    twins.same(&["tests", "export", "run", "exported", "--to", "ktest", "--select", "3-9"]);
    let ran = twins.same(&["replay", "--json", program, "exported"]);
    assert_eq!((ran.lines().count(), ran.matches("\"verdict\":\"ran\"").count()), (7, 7), "{ran}");
    let usual = &twins.folders[1];
    let missing = within(usual, &["replay", program, "run/tests/test000082.ktest"]);
    refused(&missing, &["has no test 82", "cleave list"]);
    let none = within(usual, &["replay", program, "run/tests/test82.txt"]);
    assert!(!none.status.success(), "{none:?}");
}

#[test]
fn a_run_says_how_many_tests_are_files_and_how_to_get_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "words", WORDS, &["-g"]);
    for (options, part) in [
        (&[][..], "/tests; the others: cleave tests export "),
        (&["--tests", "all"], "81 of 81 tests written to "),
        (&["--tests", "none"], "none of 81 tests written; the others: cleave tests export "),
        (&["--emit", "err"], "none of 81 tests written; "),
    ] {
        let directory = folder.path().join(format!("run{}", options.concat()));
        let output =
            run(&directory, &[&["--max-paths", "30"], options].concat(), &program, &["--sym-stdin", "4"]);
        assert!(done(&output));
        let said = succeeded(&within(folder.path(), &["resume", path_text(&directory)]));
        assert!(said.contains(part), "{options:?}: {said}");
        let there = directory.join("tests").read_dir().unwrap().map(|f| f.unwrap().file_name());
        let there = there.filter(|name| name.to_string_lossy().ends_with(".ktest")).count();
        if options.is_empty() {
            assert!(
                (2..10).contains(&there) && said.contains(&format!("\n{there} of 81 tests written")),
                "{there}: {said}"
            );
        }
    }
}
