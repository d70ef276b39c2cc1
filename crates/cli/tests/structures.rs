//! Bounded exhaustive generation: the programs in `programs/structures` yield each valid structure once, as many as
//! are known, on one, two and four workers, symbolic and concolic, and each replays natively.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::session::{account, cleave, compile, digests_of, records, run, succeeded};

/// The counts that the header of a program has: the definitions and the number of structures.
fn expectations(source: &str) -> Vec<(Vec<String>, usize)> {
    let lines = source.lines().filter_map(|l| l.strip_prefix("// cleave: expect "));
    let parse = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (paths, defines) = words.split_last().unwrap();
        let defines = defines.iter().map(|d| d.to_string()).collect();
        (defines, paths.strip_prefix("paths=").unwrap().parse().unwrap())
    };
    lines.map(parse).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/structures")
}

/// Explores with these options; there are as many paths as `structures`. Returns the records of `cleave list`.
#[track_caller]
fn explore(directory: &Path, program: &Path, options: &[&str], structures: usize) -> Vec<Value> {
    succeeded(&run(directory, options, program, &[]));
    let found = account(directory);
    let others =
        ["failed", "cut", "unknown", "unsupported"].map(|kind| found["paths"][kind].as_u64().unwrap());
    assert_eq!((found["paths"]["completed"].as_u64(), others), (Some(structures as u64), [0; 4]), "{found}");
    records(directory)
}

/// The valid structures of a program from 5 to `most` nodes; up to `concolic` nodes in concolic mode too.
#[track_caller]
fn yields_each_structure_once(name: &str, most: usize, concolic: usize) {
    let source = std::fs::read_to_string(folder().join(format!("{name}.c"))).unwrap();
    let include = format!("-I{}", folder().display());
    let expectations = expectations(&source);
    for nodes in 5..=most {
        let (defines, structures) = &expectations[nodes - 1];
        assert_eq!(defines[0], format!("-DN={nodes}"), "{name}");
        let scratch = tempfile::tempdir().unwrap();
        let flags: Vec<&str> = [&include].into_iter().chain(defines).map(String::as_str).collect();
        let program = compile(scratch.path(), name, &source, &flags);
        let one = explore(&scratch.path().join("1"), &program, &["--workers", "1"], *structures);
        let ways =
            [("symbolic", "2"), ("symbolic", "4"), ("concolic", "1"), ("concolic", "2"), ("concolic", "4")];
        for (mode, workers) in ways.into_iter().filter(|(mode, _)| *mode == "symbolic" || nodes <= concolic) {
            let options = ["--workers", workers, "--mode", mode, "--write-tests", "no"];
            let more =
                explore(&scratch.path().join(mode.to_owned() + workers), &program, &options, *structures);
            assert_eq!(digests_of(&one), digests_of(&more), "{name} {nodes}: {mode} on {workers} workers");
        }
        // The programs print what they made: no structure is there twice.
        let printed: BTreeSet<&str> = one.iter().filter_map(|r| r["stdout_sha256"].as_str()).collect();
        assert_eq!(printed.len(), *structures, "{name} {nodes}: structures that are the same");
        let tests = scratch.path().join("1");
        let replayed = cleave(["replay", program.to_str().unwrap(), tests.to_str().unwrap()]);
        let all = format!("{structures} as foretold");
        assert!(succeeded(&replayed).lines().last().unwrap().ends_with(&all), "{name} {nodes}: {replayed:?}");
    }
}

#[test]
fn binary_trees_are_as_many_as_the_catalan_numbers() {
    yields_each_structure_once("binary_trees", 9, 7);
}

#[test]
fn the_example_finds_its_bug_for_each_length_of_list() {
    let example = folder().join("../../examples/structures.c");
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path().join("run");
    succeeded(&run(&directory, &["--workers", "1"], &example, &[]));
    let found = account(&directory);
    assert_eq!((&found["paths"]["completed"], &found["paths"]["failed"]), (&6.into(), &4.into()), "{found}");
    let places: BTreeSet<String> = records(&directory)
        .iter()
        .filter(|r| r["record"] == "test" && r["kind"] == "failed")
        .map(|r| r["message"].to_string())
        .collect();
    // A source is compiled with clang's checks, and the run tells what they find.
    let member = "\"null-pointer-use: member access within 'struct node' through a null pointer";
    assert!(places.len() == 1 && places.iter().all(|text| text.starts_with(member)), "{places:?}");
    assert_eq!(found["bugs"], 1);
}

#[test]
fn search_trees_are_as_many_as_the_catalan_numbers() {
    yields_each_structure_once("search_trees", 8, 6);
}

#[test]
fn red_black_trees_are_as_many_as_are_known() {
    yields_each_structure_once("red_black_trees", 8, 6);
}

#[test]
fn sorted_lists_are_as_many_as_the_binomial_coefficients() {
    yields_each_structure_once("sorted_lists", 8, 6);
}
