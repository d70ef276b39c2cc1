//! Each word of `cleave tests export --select` chooses the tests that a model of the program says it means.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Output;

use cleave_campaign::{CampaignError, Store};

use crate::session::{cleave, compile, done, path_text, run, succeeded, text};

const CODE: &str = r#"#include <stdio.h>
#include <stdlib.h>
int digit(int c) { return c - '0'; }
int letter(int c) {
  if (c == 'q')
    abort(); // aborts
  return c == 'z' ? 1 / (c - 'z') : 9;
}
int never(int c) { return c; }
int main(int argc, char **argv) {
  int a = getchar(), b = getchar(), status = 0;
  if (a >= '0' && a <= '9')
    status = digit(a) > 6;
  else if (a >= 'a' && a <= 'z')
    status = letter(a);
  if (b == '!') {
    puts("loud"); // is loud
    status += 2;
  }
  if (argc > 5)
    status = never(a);
  return status;
}
"#;

/// The line of the program with this comment.
fn line(comment: &str) -> usize {
    CODE.lines().position(|line| line.ends_with(comment)).unwrap() + 1
}

/// Model of the program on its two bytes.
#[derive(Clone, Copy)]
struct Model {
    a: u8,
    b: u8,
}

impl Model {
    fn bug(self) -> Option<&'static str> {
        match self.a {
            b'q' => Some("abort"),
            b'z' => Some("division"),
            _ => None,
        }
    }

    fn exit(self) -> Option<u8> {
        let status = match self.a {
            b'0'..=b'9' => u8::from(self.a > b'6'),
            b'a'..=b'z' => 9,
            _ => 0,
        };
        let loud = if self.b == b'!' { 2 } else { 0 };
        self.bug().is_none().then_some(status + loud)
    }

    fn loud(self) -> bool {
        self.b == b'!' && self.bug().is_none()
    }
}

struct Explored {
    folder: tempfile::TempDir,
    run: PathBuf,
    tests: BTreeMap<u64, Model>,
}

impl Explored {
    fn new() -> Explored {
        let folder = tempfile::tempdir().unwrap();
        let program = compile(folder.path(), "chosen", CODE, &["-g"]);
        let run_directory = folder.path().join("run");
        let output = run(&run_directory, &["--workers", "1"], &program, &["--sym-stdin", "2"]);
        assert!(done(&output), "{output:?}");
        let mut tests = BTreeMap::new();
        Store::read(&run_directory)
            .unwrap()
            .each_path::<CampaignError>(0, |path| {
                let test = path.record.test.decode().unwrap();
                let stdin = &test.objects.iter().find(|o| o.name == "stdin").unwrap().bytes;
                tests.insert(path.id, Model { a: stdin[0], b: stdin[1] });
                Ok(())
            })
            .unwrap();
        assert!(tests.len() >= 12, "{}", tests.len());
        Explored { folder, run: run_directory, tests }
    }

    fn export(&self, values: &[&str]) -> (Output, PathBuf) {
        let to = self.folder.path().join(values.join(" ").replace('/', "_"));
        let mut words = vec!["tests", "export", "--to", "ktest"];
        values.iter().for_each(|value| words.extend(["--select", value]));
        (cleave([&words[..], &[path_text(&self.run), path_text(&to)]].concat()), to)
    }

    /// The tests that are chosen.
    #[track_caller]
    fn chosen(&self, values: &[&str]) -> BTreeSet<u64> {
        let (output, to) = self.export(values);
        let said = succeeded(&output);
        let chosen = numbers(&to);
        assert!(
            said.starts_with(&format!(
                "{} of {} tests {} in ",
                chosen.len(),
                self.tests.len(),
                if chosen.len() == 1 { "is" } else { "are" }
            )),
            "{said}"
        );
        chosen
    }

    fn those(&self, meant: impl Fn(Model) -> bool) -> BTreeSet<u64> {
        self.tests.iter().filter(|(_, model)| meant(**model)).map(|(id, _)| *id).collect()
    }

    /// The first of each kind.
    fn first_of<K: Ord>(&self, kind: impl Fn(Model) -> Option<K>) -> BTreeSet<u64> {
        let mut seen = BTreeSet::new();
        self.tests
            .iter()
            .filter(|(_, m)| kind(**m).is_some_and(|k| seen.insert(k)))
            .map(|(id, _)| *id)
            .collect()
    }

    #[track_caller]
    fn coverage(&self, tests: &BTreeSet<u64>) -> serde_json::Value {
        let tests: Vec<String> = tests.iter().map(u64::to_string).collect();
        let said = cleave(["coverage", "--json", "--tests", &tests.join(","), path_text(&self.run)]);
        serde_json::from_str(&succeeded(&said)).unwrap()
    }
}

/// The numbers of the tests in a folder.
fn numbers(folder: &Path) -> BTreeSet<u64> {
    let names = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| name.strip_prefix("test")?.strip_suffix(".ktest")?.parse().ok()).collect()
}

#[test]
fn words_choose_by_what_tests_reach_and_how_they_end() {
    let explored = Explored::new();
    let (chosen, those) =
        (|word: &str| explored.chosen(&[word]), |meant: fn(Model) -> bool| explored.those(meant));
    assert_eq!(chosen("all"), those(|_| true));
    assert_eq!(chosen("function:main"), those(|_| true));
    assert_eq!(chosen("function:digit"), those(|m| m.a.is_ascii_digit()));
    assert_eq!(chosen("function:letter"), those(|m| m.a.is_ascii_lowercase()));
    assert_eq!(chosen("function:never"), BTreeSet::new());
    assert_eq!(chosen(&format!("line:chosen.c:{}", line("is loud"))), those(Model::loud));
    let whole = explored.folder.path().join("chosen.c");
    assert_eq!(chosen(&format!("line:{}:{}", whole.display(), line("aborts"))), those(|m| m.a == b'q'));
    assert_eq!(chosen("bug:abort"), those(|m| m.bug() == Some("abort")));
    assert_eq!(chosen("bug:division"), those(|m| m.bug() == Some("division")));
    for id in those(|m| m.bug().is_some()) {
        let bug = explored.tests[&id].bug();
        assert_eq!(chosen(&format!("bug:{id}")), explored.those(|m| m.bug() == bug));
    }
    assert_eq!(chosen("errors"), explored.first_of(Model::bug));
    let mut ended = 0;
    for status in 0..=11 {
        let tests = explored.those(|m| m.exit() == Some(status));
        assert_eq!(chosen(&format!("exit:{status}")), tests);
        ended += tests.len();
    }
    assert_eq!(ended, those(|m| m.bug().is_none()).len());
    assert_eq!(chosen("distinct-output"), explored.first_of(|m| Some(m.loud())));
    assert_eq!(chosen("outputs"), explored.first_of(|m| Some((m.bug(), m.exit(), m.loud()))));
    assert_eq!(chosen("2-4,9"), BTreeSet::from([2, 3, 4, 9]));
    assert_eq!(chosen("covering"), numbers(&explored.run.join("tests")), "as the run has written them");
}

#[test]
fn words_are_joined_by_commas_and_narrowed_by_options() {
    let explored = Explored::new();
    let both = explored.chosen(&["function:digit,bug:abort"]);
    assert_eq!(both, explored.those(|m| m.a.is_ascii_digit() || m.a == b'q'));
    let narrowed = explored.chosen(&["function:digit", "exit:3,exit:2"]);
    assert_eq!(narrowed, explored.those(|m| m.a.is_ascii_digit() && m.loud()));
    assert_eq!(explored.chosen(&["function:digit", "function:letter"]), BTreeSet::new());
    let firsts = explored.chosen(&["function:letter", "outputs"]);
    let letter = |m: Model| m.a.is_ascii_lowercase().then(|| (m.bug(), m.exit(), m.loud()));
    assert_eq!(firsts, explored.first_of(letter));
    assert_eq!(explored.chosen(&["all", "errors", "all"]), explored.chosen(&["errors"]));
}

#[test]
fn the_minimal_suite_covers_what_all_that_it_is_chosen_from_cover() {
    let explored = Explored::new();
    let minimal = explored.chosen(&["minimal"]);
    assert_eq!(explored.coverage(&minimal), explored.coverage(&explored.tests.keys().copied().collect()));
    assert!(minimal.len() < explored.chosen(&["covering"]).len(), "{minimal:?}");
    // Each of them is needed.
    for id in &minimal {
        let others = minimal.iter().filter(|other| *other != id).copied().collect();
        assert_ne!(explored.coverage(&others), explored.coverage(&minimal), "{id}");
    }
    for others in ["exit:0", "function:digit", "bug:abort,exit:9", "3-8"] {
        let (few, all) = (explored.chosen(&[others, "minimal"]), explored.chosen(&[others]));
        assert!(few.is_subset(&all) && few.len() < 6, "{others}: {few:?} of {all:?}");
        assert_eq!(explored.coverage(&few), explored.coverage(&all), "{others}");
    }
    let none = explored.chosen(&["function:never", "minimal"]);
    assert!(none.is_empty());
    let with_bugs = explored.chosen(&["minimal,errors"]);
    assert_eq!(with_bugs, &minimal | &explored.chosen(&["errors"]));
}

#[test]
fn words_that_mean_nothing_in_the_run_are_refused_in_one_sentence() {
    let explored = Explored::new();
    let fine = explored.those(|m| m.bug().is_none());
    let fine = format!("bug:{}", fine.first().unwrap());
    let last = format!("nearest line that has some is {}", CODE.lines().count());
    for (word, parts) in [
        ("function:dgit", &["no function `dgit`", "nearest name is `digit`"][..]),
        ("function:xyxyxy", &["no function `xyxyxy`", "cleave coverage --json"]),
        ("function:printf", &["no function `printf` of its own"]),
        ("line:chose.c:3", &["no source file `chose.c`", "nearest name is `chosen.c`"]),
        ("line:osen.c:3", &["no source file `osen.c`"]),
        ("line:chosen.c:9999", &["line 9999", "no code", &last]),
        (fine.as_str(), &["ends in no bug", "cleave list"]),
        ("bug:9999", &["no test 9999"]),
        ("minimum", &["no selection `minimum`", "minimal"]),
    ] {
        let (output, to) = explored.export(&[word]);
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{word}: {said}");
        assert!(
            said.starts_with("cleave: error: ") && parts.iter().all(|part| said.contains(part)),
            "{word}: {said}"
        );
        assert!(!to.exists());
    }
}
