//! The expected number of paths is compared with programs of which the number is known.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::session::{self, account, bits, compile, path_text, run, succeeded};
use crate::support::{self, built, corpus};

/// Programs with fewer paths are over before anybody asks.
const LEAST: u64 = 100;
const MOST: u64 = 60_000;

struct Known {
    name: String,
    program: PathBuf,
    arguments: Vec<String>,
    paths: u64,
}

/// The programs with known numbers of paths, in each size that their headers have.
fn known(folder: &Path, most: u64) -> Vec<Known> {
    let mut all = Vec::new();
    for source in corpus("oracles") {
        for line in source.header("expect") {
            let number = |key: &str| line.split_whitespace().find_map(|w| w.strip_prefix(key));
            let Some(paths) = number("paths=").map(|n| n.parse().unwrap()) else { continue };
            if !(LEAST..=most).contains(&paths) {
                continue;
            }
            let name = source.source.file_stem().unwrap().to_str().unwrap();
            let size = number("-DN=").unwrap_or_default();
            let name = format!("{name} {size}").trim_end().to_owned();
            let program = folder.join(name.replace(' ', "_"));
            let mut cc: Vec<&str> = vec!["cc", "-O0", "-o", path_text(&program), path_text(&source.source)];
            cc.extend(line.split_whitespace().filter(|word| word.starts_with("-D")));
            built(support::cleave().args(&cc));
            let arguments = source.words("args").into_iter().map(String::from).collect();
            all.push(Known { name, program, arguments, paths });
        }
    }
    assert!(all.len() > 10);
    all
}

fn expected(account: &Value) -> [f64; 3] {
    ["expected_paths", "expected_paths_low", "expected_paths_high"]
        .map(|name| account[name].as_f64().unwrap_or_else(|| panic!("no {name} in {account}")))
}

/// A run of a tenth of the paths; what is expected then.
fn tenth(case: &Known, directory: &Path) -> [f64; 3] {
    let most = (case.paths / 10).to_string();
    let options = ["--workers", "1", "--write-tests", "no", "--max-paths", &most];
    let arguments: Vec<&str> = case.arguments.iter().map(String::as_str).collect();
    succeeded(&run(directory, &options, &case.program, &arguments));
    expected(&account(directory))
}

/// After a tenth of the paths. With `--no-capture` it shows the table of bench/results.
#[test]
fn the_estimate_is_within_a_factor_of_two_for_two_programs_in_three() {
    let folder = tempfile::tempdir().unwrap();
    let cases = known(folder.path(), MOST);
    let (mut near, mut inside) = (0, 0);
    println!("{:36} {:>7} {:>8} {:>7} {:>8} {:>8}", "program", "paths", "expected", "ratio", "from", "to");
    for (i, case) in cases.iter().enumerate() {
        let [all, low, high] = tenth(case, &folder.path().join(format!("run{i}")));
        let ratio = all / case.paths as f64;
        println!("{:36} {:>7} {all:>8} {ratio:>7.2} {low:>8} {high:>8}", case.name, case.paths);
        near += usize::from((0.5..=2.0).contains(&ratio));
        inside += usize::from((low..=high).contains(&(case.paths as f64)));
    }
    println!("within a factor of two: {near} of {}; within its range: {inside}", cases.len());
    assert!(near * 3 >= cases.len() * 2, "{near} of {}", cases.len());
    assert!(inside * 2 >= cases.len(), "{inside} of {} ranges hold the number", cases.len());
}

#[test]
fn what_is_expected_is_kept_and_is_exact_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    for (i, case) in known(folder.path(), 1_000).iter().enumerate().step_by(2) {
        let directory = folder.path().join(format!("run{i}"));
        let [before, ..] = tenth(case, &directory);
        let most = (case.paths / 10 + 2).to_string();
        let resume = |options: &[&str]| {
            let line = [&["resume", "--workers", "2"], options, &[path_text(&directory)]].concat();
            succeeded(&session::cleave(line));
            account(&directory)
        };
        let [now, ..] = expected(&resume(&["--max-paths", &most]));
        assert!((0.5..2.0).contains(&(now / before)), "{}: {before} became {now}", case.name);
        let end = resume(&[]);
        assert_eq!(expected(&end), [case.paths as f64; 3], "{}", case.name);
        assert_eq!(end["expected_s"], 0.0);
    }
}

#[test]
fn every_strategy_and_number_of_workers_expects_the_paths_of_a_tree_that_is_alike_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 12, 0);
    for (i, options) in [
        &["--workers", "1"][..],
        &["--workers", "2"],
        &["--workers", "1", "--feasibility", "speculative"],
        &["--workers", "1", "--search", "random-path"],
        &["--workers", "2", "--search", "dfs-false"],
        &["--workers", "1", "--search", "covnew", "--search", "random-path"],
    ]
    .iter()
    .enumerate()
    {
        let directory = folder.path().join(format!("run{i}"));
        let options = [*options, &["--write-tests", "no", "--max-paths", "400"]].concat();
        succeeded(&run(&directory, &options, &program, &[]));
        let [all, low, high] = expected(&account(&directory));
        assert!((2_000.0..8_300.0).contains(&all), "{options:?}: {all}");
        assert!(400.0 < low && low <= all && all <= high, "{options:?}: {low} to {high}");
    }
}

#[test]
fn nothing_is_said_where_nobody_knows() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 12, 0);
    let directory = folder.path().join("concolic");
    let options = ["--mode", "concolic", "--workers", "1", "--max-paths", "100"];
    succeeded(&run(&directory, &options, &program, &[]));
    let open = account(&directory);
    assert!(open["expected_paths"].is_null() && open["expected_s"].is_null(), "{open}");
    succeeded(&session::cleave(["resume", path_text(&directory)]));
    assert_eq!(expected(&account(&directory)), [4096.0; 3]);
    // A single path, and none left.
    let program = compile(folder.path(), "one", "int main(void) { return 0; }", &[]);
    let directory = folder.path().join("one-run");
    succeeded(&run(&directory, &[], &program, &[]));
    assert_eq!(expected(&account(&directory)), [1.0; 3]);
}
