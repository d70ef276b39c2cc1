//! Every search strategy finds the paths that are known to be there, each once: on one, two and four workers, split at
//! tests, stopped and resumed under another strategy, and with little memory. Plain runs on these are in `kills.rs`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::session::*;

const STRATEGIES: [&str; 13] = [
    "dfs",
    "bfs",
    "random-state",
    "random-path",
    "covnew",
    "generational",
    "deepest",
    "depth",
    "icnt",
    "ending:generational",
    "ending:novelty",
    "guards",
    "ending:guards",
];

/// Programs with known path counts.
const PROGRAMS: [(&str, usize, usize); 2] = [("bst_add", 5, 541), ("bintree_shapes", 7, 429)];

fn oracle(folder: &Path, name: &str, n: usize) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/oracles");
    let code = std::fs::read_to_string(sources.join(format!("{name}.c"))).unwrap();
    compile(folder, name, &code, &[&format!("-DN={n}"), &format!("-I{}", sources.display())])
}

/// The paths of a run; there are `paths` of them.
#[track_caller]
fn found(directory: &Path, options: &[&str], program: &Path, paths: usize) -> BTreeSet<String> {
    let options = [options, &["--write-tests", "no"]].concat();
    succeeded(&run(directory, &options, program, &[]));
    let found = digests(directory);
    assert_eq!(found.len(), paths, "{options:?} {}", program.display());
    found
}

#[test]
fn every_strategy_finds_the_known_paths_in_every_way_of_running() {
    let folder = tempfile::tempdir().unwrap();
    for (k, (name, n, paths)) in PROGRAMS.into_iter().enumerate() {
        let program = oracle(folder.path(), name, n);
        let place = |what: &str| folder.path().join(format!("{name}-{what}"));
        let all = place("dfs");
        succeeded(&run(&all, &["--workers", "1"], &program, &[]));
        let expected = digests(&all);
        assert_eq!(expected.len(), paths);
        let test = |k: usize| path_text(&all.join(format!("tests/test{k:06}.ktest"))).to_owned();
        let tests = [test(paths / 4), test(paths / 2), test(paths - 1)].join(",");
        for (i, search) in STRATEGIES.iter().enumerate() {
            let workers: &[&str] = if k == 0 { &["1", "2", "4"] } else { &["2"] };
            let options = ["--search", search, "--workers", "1"];
            assert!(
                found(&place(&format!("{search}-plain")), &options, &program, paths) == expected,
                "{search}"
            );
            for workers in workers {
                let options = ["--search", search, "--workers", workers, "--split-at", &tests];
                let found = found(&place(&format!("{search}-{workers}-split")), &options, &program, paths);
                assert!(found == expected, "{options:?}");
                let stopped = place(&format!("{search}-{workers}-stopped"));
                let (few, none) = ((paths / 2).to_string(), ["--write-tests", "no"]);
                let options = ["--search", search, "--workers", workers, "--max-paths", &few];
                succeeded(&run(
                    &stopped,
                    &[&options[..], &none, &["--max-memory", "1"]].concat(),
                    &program,
                    &[],
                ));
                assert_eq!(digests(&stopped).len(), paths / 2, "{options:?}");
                assert!(account(&stopped)["open_regions"].as_u64() >= Some(1), "{options:?} stopped nothing");
                let other = STRATEGIES[(i + 1) % STRATEGIES.len()];
                succeeded(&cleave(["resume", "--search", other, "--workers", workers, path_text(&stopped)]));
                assert!(digests(&stopped) == expected, "{options:?}, resumed with {other}");
            }
        }
    }
}

#[test]
fn strategies_take_turns_or_are_dealt_and_find_the_same_paths() {
    let folder = tempfile::tempdir().unwrap();
    let (name, n, paths) = PROGRAMS[0];
    let program = oracle(folder.path(), name, n);
    let several = ["--search", "batch=500:covnew", "--search", "deepening:dfs", "--search", "random-path"];
    let mut all = BTreeSet::new();
    for (k, options) in [
        &["--workers", "2"][..],
        &["--workers", "3", "--deal"],
        &["--workers", "2", "--deal", "--random-seed", "5"],
    ]
    .into_iter()
    .enumerate()
    {
        let options = [&several, options].concat();
        all.insert(found(&folder.path().join(k.to_string()), &options, &program, paths));
    }
    assert_eq!(all.len(), 1);
}

/// The tests of a run in the order in which they were found.
fn order(directory: &Path) -> Vec<String> {
    let tests = records(directory).into_iter().filter(|r| r["record"] == "test");
    tests.map(|r| r["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_strategy_and_a_seed_determine_the_order_on_one_worker() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 7, 0);
    let mut orders = BTreeSet::new();
    for search in STRATEGIES {
        let go = |name: &str, seed: &str| {
            let directory = folder.path().join(format!("{search}{name}"));
            let options = ["--search", search, "--workers", "1", "--random-seed", seed];
            succeeded(&run(&directory, &options, &program, &[]));
            order(&directory)
        };
        let first = go("a", "1");
        assert_eq!(first, go("b", "1"), "{search}");
        let random = !["dfs", "bfs", "deepest"].contains(&search);
        assert_eq!(first != go("c", "2"), random, "{search} depends on the seed if it is random");
        orders.insert(first);
    }
    // In a full tree without loops breadth-first finds all ends in their order, as depth-first does.
    assert!(orders.len() >= 6, "the strategies differ");
}

/// Behind the gate, a loop of many paths; beside it, one path to code of its own.
const GATE: &str = r#"
#include <klee/klee.h>
volatile int sink;
int main(void) {
  unsigned char bits[12], gate[3];
  int ones = 0;
  klee_make_symbolic(bits, sizeof bits, "bits");
  klee_make_symbolic(gate, sizeof gate, "gate");
  if (gate[0] < 200) {
    for (int i = 0; i < 12; i++) if (bits[i] & 1) ones++;
    return ones;
  }
  if (gate[1] == 7) sink = 1;
  if (gate[2] == 9) klee_report_error("gate.c", 1, "behind the gate", "gate");
  return 100;
}
"#;

#[test]
fn covnew_comes_to_new_code_before_it_repeats_old_code() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "gate", GATE, &[]);
    let bugs = |search: &str| {
        let directory = folder.path().join(search);
        let options = ["--search", search, "--workers", "1", "--max-paths", "40", "--write-tests", "no"];
        succeeded(&run(&directory, &options, &program, &[]));
        account(&directory)["bugs"].as_u64().unwrap()
    };
    assert_eq!((bugs("dfs"), bugs("covnew")), (0, 1), "4096 paths come first in their order");
}

#[test]
fn an_unknown_strategy_is_refused_with_the_list() {
    for (name, part) in
        [("sideways", "the strategies are dfs, dfs-false, bfs, "), ("twice:dfs", "may stand `batch:`")]
    {
        let output = cleave(["run", "--search", name, "prog"]);
        assert_eq!(output.status.code(), Some(2));
        let error = text(&output.stderr);
        assert!(error.contains(name) && error.contains(part), "{error}");
    }
}
