//! Concolic mode: the same paths as in symbolic mode, in every way of running. The programs with known counts are
//! run in this mode by `oracles.rs` too.

use std::path::{Path, PathBuf};

use crate::session::*;

fn oracle(folder: &Path, name: &str, n: usize) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/oracles");
    let code = std::fs::read_to_string(sources.join(format!("{name}.c"))).unwrap();
    compile(folder, name, &code, &[&format!("-DN={n}"), &format!("-I{}", sources.display())])
}

#[test]
fn a_run_is_stopped_split_dealt_and_resumed_in_either_mode_and_finds_the_same_paths() {
    let folder = tempfile::tempdir().unwrap();
    let program = oracle(folder.path(), "bst_add", 5);
    let place = |what: &str| folder.path().join(what);
    succeeded(&run(&place("all"), &["--workers", "1"], &program, &[]));
    let expected = digests(&place("all"));
    assert_eq!(expected.len(), 541);

    let stop = ["--max-paths", "200", "--write-tests", "no", "--workers", "2"];
    for (mode, then) in [("concolic", None), ("concolic", Some("symbolic")), ("symbolic", Some("concolic"))] {
        let stopped = place(&format!("{mode}-{then:?}"));
        succeeded(&run(&stopped, &[&["--mode", mode], &stop[..]].concat(), &program, &[]));
        assert_eq!(digests(&stopped).len(), 200);
        assert_eq!(account(&stopped)["mode"], mode);
        let mut arguments = vec!["resume", "--workers", "2"];
        arguments.extend(then.map(|then| ["--mode", then]).into_iter().flatten());
        arguments.push(path_text(&stopped));
        succeeded(&cleave(arguments));
        assert!(digests(&stopped) == expected, "{mode} resumed as {then:?}");
    }

    let test = |k: usize| path_text(&place("all").join(format!("tests/test{k:06}.ktest"))).to_owned();
    let tests = [test(100), test(300), test(540)].join(",");
    for (name, options) in [
        ("split", &["--mode", "concolic", "--workers", "2", "--split-at", &tests][..]),
        ("fifo", &["--mode", "concolic", "--workers", "1", "--order", "fifo"]),
        ("states", &["--mode", "concolic", "--workers", "2", "--split-states", "30"]),
        ("small", &["--mode", "concolic", "--workers", "1", "--max-memory", "2"]),
        ("dealt", &["--mode", "concolic", "--mode", "symbolic", "--deal", "--workers", "3"]),
        ("self-check", &["--mode", "concolic", "--workers", "1", "--self-check"]),
    ] {
        succeeded(&run(&place(name), &[options, &["--write-tests", "no"]].concat(), &program, &[]));
        assert!(digests(&place(name)) == expected, "{options:?}");
    }
    assert_eq!(account(&place("dealt"))["mode"], "concolic+symbolic");
}

#[test]
fn concolic_runs_ask_as_many_questions_as_symbolic_ones() {
    // All sides are feasible: a full tree. Symbolic and concolic runs ask the same of the solver.
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 8, 0);
    for mode in ["symbolic", "concolic"] {
        let directory = folder.path().join(mode);
        succeeded(&run(&directory, &["--mode", mode, "--workers", "1"], &program, &[]));
        let account = account(&directory);
        assert_eq!(account["paths"]["completed"], 256);
        assert_eq!(account["questions"], 255, "{mode}");
    }
}

#[test]
fn answers_are_counted_in_both_modes() {
    // No product of two numbers above 1 is a prime: two sides that only a question rules out.
    const CODE: &str = "#include <klee/klee.h>\nint main(void) { unsigned char x, y; klee_make_symbolic(&x, 1, \"x\");\n\
        klee_make_symbolic(&y, 1, \"y\"); int r = 0; if (x > 1 && y > 1) { if (x * y == 131) r++; if (x * y == 143) r++;\n\
        if (x * y == 127) r++; } return r ? 1 : 0; }\n";
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "p", CODE, &["-O0"]);
    for mode in ["symbolic", "concolic"] {
        let directory = folder.path().join(mode);
        succeeded(&run(&directory, &["--mode", mode, "--workers", "1"], &program, &[]));
        let account = account(&directory);
        let answers = |name: &str| account["other"][name].as_u64().unwrap_or(0);
        let (yes, no) = (answers("questions_feasible"), answers("questions_infeasible"));
        assert!(no >= 2, "{mode}: {account}");
        assert_eq!(yes + no + answers("questions_unknown"), account["questions"].as_u64().unwrap(), "{mode}");
    }
}

#[test]
fn the_oldest_inputs_are_first_in_a_queue() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 6, 0);
    let directory = folder.path().join("run");
    let options = ["--mode", "concolic", "--order", "fifo", "--workers", "1"];
    succeeded(&run(&directory, &options, &program, &[]));
    let exits: Vec<u64> = records(&directory).iter().filter_map(|r| r["exit_status"].as_u64()).collect();
    assert_eq!(exits.len(), 64);
    // The first run decides six times; what is found beside it is run next, and has one bit turned, the first first.
    let first = exits[0];
    let turned: Vec<u32> = exits[1..7].iter().map(|e| (e ^ first).count_ones()).collect();
    assert_eq!(turned, [1; 6], "{exits:?}");
}

#[test]
fn a_depth_bound_cuts_what_it_leaves_and_a_resume_without_it_finds_the_rest() {
    // A full tree of 6 decisions: of an item with bound n come n items, so that there are 2^n paths.
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 6, 0);
    for workers in ["1", "3"] {
        let directory = folder.path().join(workers);
        let options = ["--mode", "concolic", "--depth-bound", "3", "--workers", workers];
        succeeded(&run(&directory, &options, &program, &[]));
        let bounded = account(&directory);
        assert_eq!(bounded["paths"]["completed"], 8);
        assert!(bounded["paths"]["cut"].as_u64().unwrap() >= 4);
        succeeded(&cleave([
            "resume",
            "--depth-bound",
            "unlimited",
            "--workers",
            workers,
            path_text(&directory),
        ]));
        let all = account(&directory);
        assert_eq!((&all["paths"]["completed"], &all["paths"]["cut"]), (&64.into(), &0.into()));
        assert_eq!(digests(&directory).len(), 64);
    }
}

#[test]
fn modes_that_do_not_fit_are_refused() {
    for (options, part) in [
        (&["--mode", "concolic", "--mode", "symbolic"][..], "add --deal"),
        (&["--order", "fifo"], "add --mode concolic"),
        (&["--depth-bound", "5"], "add --mode concolic, and no other"),
    ] {
        let program = std::env::current_exe().unwrap();
        let output = cleave([&["run"], options, &[path_text(&program)]].concat());
        assert_eq!(output.status.code(), Some(2));
        let error = text(&output.stderr);
        assert!(error.contains(part), "{error}");
    }
}
