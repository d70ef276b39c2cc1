//! `--explore-schedules`: the numbers of orders are those of closed forms, with and without reduction and with few preemptions;
//! the paths are the same in all ways of running; and the reduction drops no outcome.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{Program, cleave, corpus, each, succeeded};

/// How each test's path of a run ended, by its digest: kind, and the digest of the output.
type Found = BTreeMap<String, (String, Value)>;

fn found(run: &Path) -> Found {
    let output = succeeded(cleave().args(["list", "--json"]).arg(run));
    let lines = String::from_utf8(output.stdout).unwrap();
    let records = lines.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    let tests = records.filter(|r| r["record"] == "test");
    tests
        .map(|t| {
            (
                t["path"].as_str().unwrap().to_owned(),
                (t["kind"].as_str().unwrap().to_owned(), t["stdout_sha256"].clone()),
            )
        })
        .collect()
}

fn explore(executable: &Path, run: &Path, options: &[&str], orders: &str, arguments: &[&str]) -> Found {
    let mut command = cleave();
    command.args(["run", "--tests=all", "--output-dir"]).arg(run).args(options).arg(executable);
    succeeded(command.args(["--explore-schedules", orders]).args(arguments));
    if options.contains(&"--max-paths") {
        succeeded(cleave().args(["resume", "--workers", "2"]).arg(run));
    }
    found(run)
}

fn build(source: &Path, to: &Path, defines: &[&str]) -> PathBuf {
    let executable = to.join("program");
    let mut compiler = cleave();
    succeeded(compiler.args(["cc", "-O0", "-w"]).args(defines).arg("-o").arg(&executable).arg(source));
    executable
}

fn judge(program: &Program) {
    for line in program.header("orders") {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (orders, rest) = words.split_first().unwrap();
        let (expected, defines): (Vec<&str>, Vec<&str>) =
            rest.iter().partition(|w| w.contains("s=") || w.contains("failed="));
        let scratch = tempfile::tempdir().unwrap();
        let executable = build(&program.source, scratch.path(), &defines);
        let place = |n: &str| scratch.path().join(n);
        let one = explore(&executable, &place("one"), &["--workers=1"], orders, &[]);
        let name = program.source.display();
        let count =
            |completed: bool| one.values().filter(|(kind, _)| (kind == "completed") == completed).count();
        for word in &expected {
            let (what, number) = word.split_once('=').unwrap();
            assert_eq!(count(what == "paths"), number.parse::<usize>().unwrap(), "{name}: {line}: {one:#?}");
        }
        assert!(
            expected.iter().any(|w| w.contains("failed")) || count(false) == 0,
            "{name}: {line}: {one:#?}"
        );
        let ways: [&[&str]; 4] = [
            &["--workers=2"],
            &["--workers=4"],
            &["--workers=1", "--max-paths", "1"],
            &["--mode", "concolic", "--workers=2"],
        ];
        for (i, options) in ways.iter().enumerate() {
            let there = explore(&executable, &place(&i.to_string()), options, orders, &[]);
            assert_eq!(there, one, "{name}: {line}: {options:?}");
        }
    }
}

#[test]
fn orders_are_as_many_as_closed_forms_say_in_all_ways_of_running() {
    each(
        &corpus("schedules").into_iter().filter(|p| !p.header("orders").is_empty()).collect::<Vec<_>>(),
        judge,
    );
}

/// Numbers that look random (xorshift: Marsaglia, Journal of Statistical Software 8, 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    /// Words of operations of `programs/schedules/script.c`, one a thread.
    fn script(&mut self) -> String {
        const OPERATIONS: &[u8] = b"aabbcdptlwso";
        let threads = 2 + self.below(2);
        let mut words = Vec::new();
        for _ in 0..threads {
            let length = 1 + self.below(4 - threads);
            words.push(
                (0..length).map(|_| char::from(OPERATIONS[self.below(OPERATIONS.len())])).collect::<String>(),
            );
        }
        words.join(".")
    }
}

#[test]
fn the_reduction_drops_no_outcome() {
    let wanted = std::env::var("CLEAVE_RANDOM_SCHEDULES").map_or(8, |n| n.parse().unwrap());
    let source = corpus("schedules").into_iter().find(|p| p.source.ends_with("script.c")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let executable = build(&source.source, scratch.path(), &[]);
    let mut random = Random(98);
    let mut fewer = 0;
    for k in 0..wanted {
        let script = random.script();
        let outcomes = |orders: &str| {
            let run = scratch.path().join(format!("{k}-{orders}"));
            let found = explore(&executable, &run, &["--workers=1"], orders, &[&script]);
            std::fs::remove_dir_all(run).unwrap();
            let outcomes: BTreeSet<String> = found.values().map(|o| format!("{o:?}")).collect();
            (found.len(), outcomes)
        };
        let ((all, reduced), (every, whole)) = (outcomes("all"), outcomes("every"));
        assert_eq!(reduced, whole, "{script}: {all} of {every} orders");
        assert!(all <= every, "{script}: {all} of {every} orders");
        fewer += usize::from(all < every);
    }
    assert!(fewer > 0 || wanted == 0, "nothing was reduced");
}

#[test]
fn a_wrong_choice_of_orders_is_refused_in_one_sentence() {
    let source = corpus("schedules").into_iter().find(|p| p.source.ends_with("script.c")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let executable = build(&source.source, scratch.path(), &[]);
    for given in
        [&["--explore-schedules"][..], &["--explore-schedules", "some"], &["--explore-schedules", "-1"]]
    {
        let output = cleave().arg("run").arg(&executable).args(given).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("give all, every, or a number of preemptions"), "{said}");
    }
}
