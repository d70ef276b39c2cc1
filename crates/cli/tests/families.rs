//! Several processes and threads natively: each test of programs/processes, programs/threads and programs/schedules replays as
//! foretold, each time; and a test that takes another order than the one it was foretold for is reported.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cleave_replay::{Error, Foretold, Isolation, Job, Limits, Order, Replayer, StdinKind, Verdict, compare};
use serde_json::Value;

use crate::support::{Program, built, cleave, corpus, each, json_lines, succeeded};

/// Number of replays of each test; CLEAVE_TEST_ALL wants more.
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
        // If a bug ends the path, natively the other processes may go on: there is no forecast for that.
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

/// The tests of a run, by what the list says of them.
fn tests(run: &Path) -> Vec<Value> {
    let all = json_lines(&cleave().args(["list", "--json"]).arg(run).output().unwrap());
    all.into_iter().filter(|r| r["record"] == "test").collect()
}

/// Each test of a run replays as foretold. Of one that ends in an error nothing certain may be foretold, nor of one in which a thread of
/// a program that races is interrupted at a plain access, where native threads do not stop.
#[track_caller]
fn replays(name: &str, executable: &Path, run: &Path) {
    let errors: BTreeSet<u64> =
        tests(run).iter().filter(|t| t["kind"] == "failed").map(|t| t["id"].as_u64().unwrap()).collect();
    let verdicts = json_lines(
        &cleave().args(["replay", "--json", "--isolation=full"]).arg(executable).arg(run).output().unwrap(),
    );
    assert_eq!(verdicts.len(), tests(run).len(), "{name}");
    for verdict in verdicts {
        let file = Path::new(verdict["test"].as_str().unwrap()).file_stem().unwrap();
        let number = file.to_str().unwrap().trim_start_matches("test").parse().unwrap();
        let loose = verdict["text"].as_str().unwrap().contains("where native threads do not stop");
        let ran = (errors.contains(&number) || loose) && verdict["verdict"] == "ran";
        assert!(ran || verdict["verdict"] == "agrees", "{name}: {verdict}");
    }
}

fn explore(executable: &Path, run: &Path, options: &[&str], arguments: &[&str]) {
    let mut command = cleave();
    command.args(["run", "--workers=1", "--tests=all", "--output-dir"]).arg(run).args(options);
    succeeded(command.arg(executable).args(arguments));
}

fn judge_threads(program: &Program) {
    let scratch = tempfile::tempdir().unwrap();
    let executable = program.build(scratch.path());
    let run = scratch.path().join("run");
    explore(&executable, &run, &program.words("run"), &program.words("args"));
    for time in 0..times() {
        replays(&format!("{}, replay {time}", program.source.display()), &executable, &run);
    }
    let some = scratch.path().join("some");
    let orders = [&["--explore-schedules", "1"][..], &program.words("args")].concat();
    explore(&executable, &some, &["--max-paths=15"], &orders);
    replays(&format!("{}, some orders", program.source.display()), &executable, &some);
}

#[test]
fn every_test_of_several_threads_replays_as_foretold_each_time() {
    each(&corpus("threads"), judge_threads);
}

fn build(source: &Path, folder: &Path, defines: &[&str]) -> PathBuf {
    let executable = folder.join("program");
    let mut compiler = cleave();
    built(compiler.args(["cc", "-O0", "-w"]).args(defines).arg("-o").arg(&executable).arg(source));
    executable
}

fn judge_orders(program: &Program) {
    for (number, line) in program.header("orders").into_iter().enumerate() {
        let mut words = line.split_whitespace();
        let orders = words.next().unwrap();
        let (defines, options): (Vec<&str>, Vec<&str>) =
            words.filter(|w| w.starts_with('-')).partition(|w| w.starts_with("-D"));
        let scratch = tempfile::tempdir().unwrap();
        let executable = build(&program.source, scratch.path(), &defines);
        let run = scratch.path().join(number.to_string());
        explore(&executable, &run, &options, &["--explore-schedules", orders]);
        replays(&format!("{}: {line}", program.source.display()), &executable, &run);
    }
}

#[test]
fn every_test_of_an_explored_order_replays_in_that_order() {
    let all = corpus("schedules");
    each(
        &all.into_iter()
            .filter(|p| !p.header("orders").is_empty() && p.header("native").is_empty())
            .collect::<Vec<_>>(),
        judge_orders,
    );
}

/// Random words of operations of `programs/schedules/script.c`, one a thread, for two or three threads (a linear congruential
/// generator: Knuth, The Art of Computer Programming, volume 2, 3.3.4).
fn random_script(seed: &mut u64) -> String {
    const OPERATIONS: &[u8] = b"aabbcdptlwsoouijkhgvren";
    let mut below = |end: usize| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as usize % end
    };
    let threads = 2 + below(2);
    let mut word = || {
        let length = 1 + below(3);
        (0..length).map(|_| char::from(OPERATIONS[below(OPERATIONS.len())])).collect::<String>()
    };
    (0..threads).map(|_| word()).collect::<Vec<_>>().join(".")
}

#[test]
fn orders_replay_in_random_programs_each_time() {
    let script = corpus("schedules").into_iter().find(|p| p.source.ends_with("script.c")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let executable = build(&script.source, scratch.path(), &[]);
    let wanted = std::env::var("CLEAVE_RANDOM_SCHEDULES").map_or(6, |n| n.parse().unwrap());
    let mut seed = 100;
    for k in 0..wanted {
        let (words, run) = (random_script(&mut seed), scratch.path().join(k.to_string()));
        let orders = ["1", "all", "every"][k % 3];
        explore(&executable, &run, &["--max-paths=60"], &["--explore-schedules", orders, &words]);
        replays(&format!("{orders} {words}"), &executable, &run);
        std::fs::remove_dir_all(run).unwrap();
    }
    let run = scratch.path().join("often");
    explore(&executable, &run, &[], &["--explore-schedules", "all", "ao.ob"]);
    for time in 0..20 {
        replays(&format!("replay {time}"), &executable, &run);
    }
}

/// A run of two threads of which each prints its number, in both orders.
fn two_orders(folder: &Path) -> (PathBuf, PathBuf) {
    let script = corpus("schedules").into_iter().find(|p| p.source.ends_with("script.c")).unwrap();
    let executable = build(&script.source, folder, &[]);
    let run = folder.join("run");
    explore(&executable, &run, &[], &["--explore-schedules", "all", "o.o"]);
    (executable, run)
}

#[test]
fn a_test_that_takes_the_order_of_another_is_reported() {
    let scratch = tempfile::tempdir().unwrap();
    let (executable, run) = two_orders(scratch.path());
    let file = |n: u64| run.join(format!("tests/test{n:06}.ktest"));
    let all = tests(&run);
    let other = all.iter().find(|t| t["stdout_sha256"] != all[0]["stdout_sha256"]).unwrap();
    let numbers = [&all[0], other].map(|t| t["id"].as_u64().unwrap());
    std::fs::copy(file(numbers[0]), file(numbers[1])).unwrap();
    let replay = |n: u64| {
        let verdicts =
            json_lines(&cleave().args(["replay", "--json"]).arg(&executable).arg(file(n)).output().unwrap());
        verdicts[0]["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!((replay(numbers[0]), replay(numbers[1])), ("agrees".into(), "differs".into()));
    // Its file alone does not say which thread goes on.
    let elsewhere = scratch.path().join("alone.ktest");
    std::fs::copy(file(numbers[0]), &elsewhere).unwrap();
    let verdicts =
        json_lines(&cleave().args(["replay", "--json"]).arg(&executable).arg(&elsewhere).output().unwrap());
    assert_eq!(verdicts[0]["verdict"], "error", "{verdicts:?}");
    assert!(verdicts[0]["text"].as_str().unwrap().contains("run directory"), "{verdicts:?}");
}

#[test]
fn threads_that_leave_the_foretold_turns_are_reported_and_without_namespaces_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let (executable, _) = two_orders(scratch.path());
    let arguments = ["script", "o.o"].map(|a| a.as_bytes().to_vec());
    let job = |turns| Job { argv: arguments.to_vec(), stdin_kind: StdinKind::File, turns, ..Job::default() };
    let explored = |list: &[_]| Some(cleave_replay::Turns::new(true, list.to_vec()));
    let mut replayer = Replayer::sandboxed(&executable, Limits::default()).unwrap();
    // Nothing is foretold: the fixed order.
    let free = replayer.run(&job(None)).unwrap();
    assert_eq!((free.order, &free.stdout[..]), (Order::Kept, &b"12 0 0 0 0 0 0 0\n"[..]));
    let certain = Foretold::Ends { end: free.end, stdout_sha256: cleave_replay::sha256(&free.stdout) };
    let turn = |tid, point, next| cleave_linux::Turn { tid, point, next };
    // No thread has this number; the order ends before the threads do; a thread goes on that there is not.
    let wrong = [
        vec![turn(9, cleave_linux::Point::Use, (2, 9))],
        Vec::new(),
        vec![turn(2, cleave_linux::Point::Use, (2, 77))],
    ];
    for turns in wrong {
        let seen = replayer.run(&job(explored(&turns))).unwrap();
        assert_ne!(seen.order, Order::Kept, "{turns:?}");
        assert!(matches!(compare(&certain, &seen), Verdict::Differs(_)), "{turns:?}: {seen:?}");
    }
    let mut closed = Replayer::sandboxed_by(&executable, Limits::default(), Isolation::Model).unwrap();
    let refused = closed.run(&job(None)).unwrap_err();
    assert!(matches!(refused, Error::Processes), "{refused}");
}
