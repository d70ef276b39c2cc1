//! Coverage of a run's tests: the same in all modes of exploration, and true of the tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cleave_campaign::{CampaignError, Store};
use cleave_region::PathKind;
use serde_json::Value;

use crate::session::{account, command, compile, digests, done, run, succeeded};

/// Branches, a switch with shared and empty cases, a computed goto, calls that do not come back, a function that is called
/// through a pointer, and one that nobody calls.
const MAZE: &str = r#"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf out;
static int up(int c) { return c + 1; }
static int down(int c) { return c - 1; }
static int nobody(int c) { return c * 2; } // missed
static int (*const ways[])(int) = {up, down, nobody};
static void leave(int c) {
  if (c == 'l')
    longjmp(out, 1);
  if (c == 'e')
    exit(3);
  puts("stays"); // missed
} // missed
static int through(int c) {
  void *labels[] = {&&one, &&two, &&three};
  goto *labels[c == '1' ? 0 : c == '2' ? 1 : 2];
one:
  return 10;
two:
  return 20;
three:
  return 30; // missed
}
int main(int argc, char **argv) {
  int sum = 0;
  if (setjmp(out)) {
    puts("back");
    return 7;
  }
  for (int i = 1; i < argc; i++)
    for (char *p = argv[i]; *p; p++)
      switch (*p) {
      case 'a':
      case 'b':
        sum += ways[*p == 'b'](*p);
        break;
      case 'l':
      case 'e':
        leave(*p);
        puts("not reached"); // missed
        break; // missed
      case '1':
      case '2':
        sum += through(*p);
        break;
      default:
        if (*p > 'z')
          abort();
      }
  printf("%d\n", sum);
  return sum > 100;
}
"#;

/// Options in which two runs of the program differ.
const WAYS: [&[&str]; 9] = [
    &[],
    &["--workers", "2"],
    &["--search", "bfs"],
    &["--search", "covnew", "--workers", "2"],
    &["--search", "random-path"],
    &["--mode", "concolic"],
    &["--mode", "concolic", "--workers", "2"],
    &["--feasibility", "lazy"],
    &["--feasibility", "speculative", "--workers", "2"],
];

const LINE: [&str; 4] = ["--sym-args", "0", "2", "2"];

fn marks(run: &Path) -> Vec<u32> {
    Store::read(run).unwrap().marks().unwrap().iter().collect()
}

fn coverage(run: &Path, tests: &[u64]) -> Value {
    let mut command = command();
    command.args(["coverage", "--json"]);
    if !tests.is_empty() {
        let tests: Vec<String> = tests.iter().map(u64::to_string).collect();
        command.arg("--tests").arg(tests.join(","));
    }
    serde_json::from_str(&succeeded(&command.arg(run).output().unwrap())).unwrap()
}

#[test]
fn every_way_of_exploring_covers_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "maze", MAZE, &["-g"]);
    let mut first: Option<(BTreeSet<String>, Vec<u32>, Value)> = None;
    for (i, options) in WAYS.iter().enumerate() {
        let directory = folder.path().join(format!("way{i}"));
        assert!(done(&run(&directory, options, &program, &LINE)), "{options:?}");
        let found = (digests(&directory), marks(&directory), account(&directory)["coverage"].clone());
        let expected = first.get_or_insert_with(|| found.clone());
        assert_eq!(&found, expected, "{options:?}");
    }
    // Stopped and gone on with, again and again.
    let directory = folder.path().join("stopped");
    assert!(done(&run(&directory, &["--max-paths", "7"], &program, &LINE)));
    for paths in ["8", "40", "41", "100000"] {
        let mut resume = command();
        resume.args(["resume", "--workers", "2", "--max-paths", paths]).arg(&directory);
        assert!(done(&resume.output().unwrap()));
    }
    let found = (digests(&directory), marks(&directory), account(&directory)["coverage"].clone());
    assert_eq!(Some(found), first);
    let covered = &account(&directory)["coverage"];
    let of = |name: &str| covered[name].as_u64().unwrap();
    // Nobody comes back from `leave`, or is led to `nobody` or to the third label.
    let missing: Vec<&str> = MAZE.lines().filter(|line| line.contains("missed")).collect();
    assert_eq!(of("lines") - of("lines_covered"), missing.len() as u64, "{covered}");
    let lines = coverage(&directory, &[])["files"].as_object().unwrap().values().next().unwrap().clone();
    for (i, line) in MAZE.lines().enumerate() {
        let covered = &lines[(i + 1).to_string()];
        assert_eq!(*covered == false, line.contains("missed"), "{line}: {covered}");
    }
    assert!(of("branches_covered") > 10 && of("blocks_covered") > 20, "{covered}");
}

#[test]
fn the_tests_of_a_run_pass_the_marks_that_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "maze", MAZE, &["-g"]);
    for options in [&["--search", "covnew", "--workers", "2"][..], &["--mode", "concolic"], &[]] {
        let directory = folder.path().join(format!("run{}", options.len()));
        assert!(done(&run(&directory, options, &program, &LINE)));
        let store = Store::read(&directory).unwrap();
        let covering: Vec<u64> = store.covering().unwrap().into_keys().collect();
        let paths = digests(&directory).len();
        assert!(covering.len() > 5 && covering.len() < paths / 2, "{} of {paths}", covering.len());
        // Followed from the start, the tests that show something show all that is shown, and the others nothing else.
        let whole = coverage(&directory, &[]);
        assert_eq!(coverage(&directory, &covering), whole, "{options:?}");
        assert_eq!(coverage(&directory, &(1..=paths as u64).collect::<Vec<_>>()), whole, "{options:?}");
        // A few of them are enough, chosen among them.
        let few = succeeded(&command().args(["coverage", "--minimal"]).arg(&directory).output().unwrap());
        let few: Vec<u64> = few.lines().map(|id| id.parse().unwrap()).collect();
        assert!(few.len() <= covering.len() && few.iter().all(|id| covering.contains(id)), "{few:?}");
        assert_eq!(coverage(&directory, &few), whole, "{options:?}");
        // Each of them is needed for what it is the first to show.
        let first = coverage(&directory, &covering[..1]);
        assert_ne!(first, whole);
        assert_eq!(whole["counts"], account(&directory)["coverage"]);
        let lines: BTreeMap<String, BTreeMap<u32, bool>> =
            serde_json::from_value(whole["files"].clone()).unwrap();
        let covered = lines.values().flatten().filter(|(_, covered)| **covered).count();
        assert_eq!(covered as u64, whole["counts"]["lines_covered"]);
    }
}

/// The numbers of the tests that have files with this suffix.
fn files(run: &Path, suffix: &str) -> Vec<u64> {
    let names = std::fs::read_dir(run.join("tests")).unwrap().map(|f| f.unwrap().file_name());
    let number = |name: String| name.strip_suffix(suffix)?.get(4..10)?.parse().ok();
    let mut all: Vec<u64> = names.filter_map(|name| number(name.into_string().unwrap())).collect();
    all.sort_unstable();
    all
}

#[test]
fn files_are_written_for_the_tests_that_are_asked_for_and_the_database_has_all() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "maze", MAZE, &["-g"]);
    for (which, more) in
        [("all", &[][..]), ("covering", &[]), ("covering", &["--all-errors"]), ("errors", &[]), ("none", &[])]
    {
        let directory = folder.path().join(format!("{which}{}", more.len()));
        let options = [&["--tests", which, "--max-paths", "60"], more].concat();
        assert!(done(&run(&directory, &options, &program, &LINE)));
        // The choice is kept.
        assert!(done(&command().arg("resume").arg(&directory).output().unwrap()));
        let (mut covering, mut bugs, mut all) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let store = Store::read(&directory).unwrap();
        covering.extend(store.covering_paths().unwrap());
        store
            .each_path::<CampaignError>(0, |path| {
                all.insert(path.id);
                let new = path.first_of_bug || !more.is_empty();
                bugs.extend((path.record.kind == PathKind::Failed && new).then_some(path.id));
                Ok(())
            })
            .unwrap();
        let expected: BTreeSet<u64> = match which {
            "all" => all.clone(),
            "covering" => covering.union(&bugs).copied().collect(),
            "errors" => bugs.clone(),
            _ => BTreeSet::new(),
        };
        assert_eq!(files(&directory, ".ktest"), Vec::from_iter(expected), "{which} {more:?}");
        let reported = if which == "none" { Vec::new() } else { Vec::from_iter(bugs) };
        let errors: Vec<u64> = files(&directory, ".abort.err");
        assert_eq!(errors, reported, "{which} {more:?}");
        assert_eq!(digests(&directory).len(), all.len());
    }
}

#[test]
fn files_of_one_name_are_told_apart_by_their_folders() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (name, text) in [
        ("a/part.c", "int first(const char *p) { return p[0]; }\n"),
        ("b/part.c", "\n\nint third(const char *p) {\n  return p[3];\n}\n"),
        (
            "main.c",
            "#include <stdio.h>\n#include <stdlib.h>\nint first(const char *), third(const char *);\nint main(void) {\n  char *p = malloc(3);\n  \
             return fread(p, 1, 3, stdin) == 3 && first(p) == 1 ? third(p) : 0;\n}\n",
        ),
    ] {
        std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        std::fs::write(root.join(name), text).unwrap();
    }
    let within = |place: &str, words: &str| {
        let mut command = command();
        let output = command.args(words.split(' ')).current_dir(root.join(place)).output().unwrap();
        assert!(done(&output), "{words}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    within("a", "cc -g -c part.c");
    within("b", "cc -g -c part.c");
    within("", "cc -g main.c a/part.o b/part.o -o program");
    let said = within("", "run --output-dir out program --sym-stdin 3");
    assert!(said.contains("b/part.c:4: "), "{said}");
    let lines: Value = serde_json::from_str(&within("", "coverage --json out")).unwrap();
    let files: Vec<_> = lines["files"].as_object().unwrap().keys().collect();
    assert_eq!(files, ["a/part.c", "b/part.c", "main.c"]);
    let explained = within("", "explain out 1") + &within("", "explain out 2");
    assert!(explained.contains("return p[3]"), "{explained}");
    // One name in one folder is one file, from wherever it is compiled.
    within("a", "cc -g -c ../a/part.c -o other.o");
    within("", "cc -g main.c a/other.o b/part.o -o program");
    within("", "run --output-dir again program --sym-stdin 3");
    let lines: Value = serde_json::from_str(&within("", "coverage --json again")).unwrap();
    assert_eq!(lines["files"].as_object().unwrap().len(), 3);
}
