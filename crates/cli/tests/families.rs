//! Several processes natively: each test of programs/processes replays as foretold, each time.

mod support;

use support::{Program, cleave, corpus, each, succeeded};

/// How often each test is replayed; CLEAVE_TEST_ALL wants more.
fn times() -> usize {
    if std::env::var_os("CLEAVE_TEST_ALL").is_some() { 100 } else { 3 }
}

fn judge(program: &Program) {
    let name = program.source.display().to_string();
    let scratch = tempfile::tempdir().unwrap();
    let executable = program.build(scratch.path());
    let run = scratch.path().join("run");
    let mut explore = cleave();
    explore.args(["run", "--workers=1", "--tests=all", "--output-dir"]).arg(&run);
    succeeded(explore.args(program.words("run")).arg(&executable).args(program.words("args")));
    let tests = std::fs::read_dir(run.join("tests")).unwrap();
    let tests =
        tests.filter(|t| t.as_ref().unwrap().path().extension().is_some_and(|e| e == "ktest")).count();
    for time in 0..times() {
        let mut replay = cleave();
        let output = succeeded(replay.args(["replay", "--isolation=full"]).arg(&executable).arg(&run));
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        // Where a bug ends the path, natively the other processes may go on: nobody foretells that.
        let bugs = program.expected().1 as usize;
        let foretold =
            text.split(" as foretold").next().and_then(|t| t.rsplit(' ').next()?.parse::<usize>().ok());
        let whole = foretold.is_some_and(|foretold| (tests - bugs..=tests).contains(&foretold));
        assert!(whole && !text.contains("differ"), "{name}, replay {time}: {text}");
    }
}

#[test]
fn every_test_of_several_processes_replays_as_foretold_each_time() {
    each(&corpus("processes"), judge);
}
