//! `--explore-schedules`: the numbers of orders are those of closed forms, with and without reduction and with few preemptions;
//! the paths are the same in all ways of running; and the reduction drops no outcome.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Program, built, cleave, corpus, each, succeeded};

/// End of the path of each test of a run, by its digest: the kind of its bug or `completed`, and the digest of the output.
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
                (t["bug"].as_str().or(t["kind"].as_str()).unwrap().to_owned(), t["stdout_sha256"].clone()),
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
    built(compiler.args(["cc", "-O0", "-w"]).args(defines).arg("-o").arg(&executable).arg(source));
    executable
}

/// The kinds of bugs are those of the line (`bug=KIND,KIND`), and each stands in a line of the source that has its suffix.
fn bugs_are_where_the_source_says(program: &Program, run: &Path, expected: &[&str], found: &Found) {
    let name = program.source.display();
    let kinds: BTreeSet<&str> =
        found.values().map(|(kind, _)| kind.as_str()).filter(|kind| *kind != "completed").collect();
    let wanted = expected.iter().filter_map(|word| word.strip_prefix("bug=")).flat_map(|k| k.split(','));
    assert_eq!(kinds, wanted.collect(), "{name}: {expected:?}");
    let lines: Vec<&str> = program.text.lines().collect();
    let files = std::fs::read_dir(run.join("tests")).unwrap().map(|entry| entry.unwrap().path());
    for file in files.filter(|file| file.extension().is_some_and(|e| e == "err")) {
        let suffix = Path::new(file.file_stem().unwrap()).extension().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        let line = text.lines().find_map(|l| l.strip_prefix("Line: ")).unwrap().parse::<usize>().unwrap();
        assert!(lines[line - 1].ends_with(&format!("//~ ERROR {suffix}")), "{name}:{line}: {text}");
    }
}

fn judge(program: &Program) {
    for line in program.header("orders") {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (orders, rest) = words.split_first().unwrap();
        let counts = |w: &&str| ["paths=", "failed=", "bug="].iter().any(|key| w.starts_with(key));
        let (expected, others): (Vec<&str>, Vec<&str>) = rest.iter().partition(|w| counts(w));
        let (given, defines): (Vec<&str>, Vec<&str>) = others.iter().partition(|w| w.starts_with("--"));
        let scratch = tempfile::tempdir().unwrap();
        let executable = build(&program.source, scratch.path(), &defines);
        let place = |n: &str| scratch.path().join(n);
        let explored = |to: &str, options: &[&str]| {
            explore(&executable, &place(to), &[&given[..], options].concat(), orders, &[])
        };
        let one = explored("one", &["--workers=1"]);
        let name = program.source.display();
        let count =
            |completed: bool| one.values().filter(|(kind, _)| (kind == "completed") == completed).count();
        for word in expected.iter().filter(|word| !word.starts_with("bug=")) {
            let (what, number) = word.split_once('=').unwrap();
            assert_eq!(count(what == "paths"), number.parse::<usize>().unwrap(), "{name}: {line}: {one:#?}");
        }
        assert!(
            expected.iter().any(|w| w.contains("failed")) || count(false) == 0,
            "{name}: {line}: {one:#?}"
        );
        bugs_are_where_the_source_says(program, &place("one"), &expected, &one);
        let ways: [&[&str]; 5] = [
            &["--workers=2"],
            &["--workers=4"],
            &["--workers=1", "--max-paths", "1"],
            &["--mode", "concolic", "--workers=2"],
            &["--workers=1", "--max-memory", "1"],
        ];
        for (i, options) in ways.iter().enumerate() {
            let there = explored(&i.to_string(), options);
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

    /// Words of operations of `programs/schedules/script.c`, one a thread, that come to so few points that all orders can be explored.
    fn script(&mut self) -> String {
        // Approximate number of points of each operation.
        const OPERATIONS: [(u8, usize); 20] = [
            (b'a', 2),
            (b'b', 2),
            (b'c', 4),
            (b'd', 4),
            (b'p', 1),
            (b't', 3),
            (b'l', 2),
            (b'w', 4),
            (b's', 3),
            (b'o', 3),
            (b'u', 1),
            (b'i', 1),
            (b'j', 2),
            (b'k', 1),
            (b'h', 3),
            (b'g', 2),
            (b'v', 2),
            (b'r', 3),
            (b'e', 2),
            (b'n', 3),
        ];
        loop {
            let threads = 2 + self.below(2);
            let (mut words, mut points) = (Vec::new(), 0);
            for _ in 0..threads {
                let length = 1 + self.below(4 - threads);
                let operations: Vec<(u8, usize)> =
                    (0..length).map(|_| OPERATIONS[self.below(OPERATIONS.len())]).collect();
                points += operations.iter().map(|(_, points)| points).sum::<usize>();
                words.push(operations.iter().map(|(op, _)| char::from(*op)).collect::<String>());
            }
            if points <= if threads == 2 { 8 } else { 4 } {
                return words.join(".");
            }
        }
    }
}

/// The outcomes of a run over some of the scripts, and how many orders it has.
fn outcomes(executable: &Path, run: &Path, orders: &str, scripts: &[String]) -> (usize, BTreeSet<String>) {
    let scripts: Vec<&str> = scripts.iter().map(String::as_str).collect();
    let found = explore(executable, run, &["--workers=1", "--emit=none"], orders, &scripts);
    std::fs::remove_dir_all(run).unwrap();
    (found.len(), found.values().map(|o| format!("{o:?}")).collect())
}

/// Number of scripts in one run, of which an input chooses one. The first output names the script.
const BATCH: usize = 25;

#[test]
fn the_reduction_drops_no_outcome() {
    let wanted = std::env::var("CLEAVE_SEQUENCES").map_or(200, |n| n.parse::<usize>().unwrap());
    let seed = std::env::var("CLEAVE_SEED").map_or(98, |n| n.parse::<u64>().unwrap());
    let source = corpus("schedules").into_iter().find(|p| p.source.ends_with("script.c")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let executable = build(&source.source, scratch.path(), &[]);
    let mut random = Random(seed);
    let scripts: Vec<String> = (0..wanted).map(|_| random.script()).collect();
    let batches: Vec<&[String]> = scripts.chunks(BATCH).collect();
    let counts = std::sync::Mutex::new((0, 0));
    let judge = |batch: &[String]| {
        let place = tempfile::tempdir_in(scratch.path()).unwrap();
        let both = |scripts: &[String]| {
            let explored = |orders: &str| outcomes(&executable, &place.path().join(orders), orders, scripts);
            (explored("all"), explored("every"))
        };
        let ((all, reduced), (every, whole)) = both(batch);
        if reduced != whole {
            // Finds the script that differs.
            for script in batch {
                let ((all, reduced), (every, whole)) = both(std::slice::from_ref(script));
                assert_eq!(reduced, whole, "{script}: {all} of {every} orders");
            }
        }
        assert_eq!(reduced, whole, "{batch:?}: {all} of {every} orders");
        let mut counts = counts.lock().unwrap();
        *counts = (counts.0 + all, counts.1 + every);
    };
    std::thread::scope(|scope| {
        for half in batches.chunks(batches.len().div_ceil(2).max(1)) {
            scope.spawn(|| half.iter().for_each(|batch| judge(batch)));
        }
    });
    let (all, every) = *counts.lock().unwrap();
    println!("{wanted} programs: {all} of {every} orders");
    assert!(all < every || wanted == 0, "{all} of {every} orders: nothing was reduced");
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
