//! Known path counts under every strategy, with workers that have memory, little of it, or are killed every now and
//! then; and what killed workers leave is gone on with.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::session::*;

/// All strategies, and concrete runs instead of states.
const STRATEGIES: [&str; 8] =
    ["dfs", "bfs", "random-state", "random-path", "covnew", "depth", "icnt", "concolic"];

/// The options for one of them.
fn how(strategy: &str) -> [&str; 2] {
    if strategy == "concolic" { ["--mode", strategy] } else { ["--search", strategy] }
}

fn oracle(folder: &Path, name: &str, n: usize) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/oracles");
    let code = std::fs::read_to_string(sources.join(format!("{name}.c"))).unwrap();
    compile(folder, name, &code, &[&format!("-DN={n}"), &format!("-I{}", sources.display())])
}

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cleave"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// The worker processes that a coordinator has.
fn workers(coordinator: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{coordinator}/task/{coordinator}/children"));
    let is_worker = |pid: &u32| {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        command.split(|byte| *byte == 0).any(|word| word == b"worker")
    };
    list.unwrap_or_default().split_whitespace().filter_map(|pid| pid.parse().ok()).filter(is_worker).collect()
}

fn kill(pid: u32) {
    Command::new("kill").args(["-KILL", &pid.to_string()]).stderr(Stdio::null()).status().unwrap();
}

/// Waits for the end of a run, and kills one of its workers in each interval `every`; returns the number of kills. If a
/// region was set aside the run is not whole, and says so.
#[track_caller]
fn kill_until_it_ends(child: &mut Child, every: Duration, random: &mut Random) -> u32 {
    let (start, mut last, mut kills) = (Instant::now(), Instant::now(), 0);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success() || (status.code() == Some(1) && kills >= 3), "{status}, {kills} kills");
            return kills;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "it does not end");
        if last.elapsed() >= every {
            let alive = workers(child.id());
            if !alive.is_empty() {
                kill(alive[random.below(alive.len())]);
                (last, kills) = (Instant::now(), kills + 1);
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Each strategy and number of workers, with memory as it comes, 64 MB of it, 2 MB of it, and under kills.
fn counts_are_exact_in_all_ways(name: &str, n: usize, paths: usize) {
    let folder = tempfile::tempdir().unwrap();
    let (mut random, mut kills) = (Random(1), 0);
    let program = oracle(folder.path(), name, n);
    let all = folder.path().join("all");
    succeeded(&run(&all, &["--workers", "1", "--write-tests", "no"], &program, &[]));
    let expected = digests(&all);
    assert_eq!(expected.len(), paths);
    for search in STRATEGIES {
        for workers in ["1", "2", "4"] {
            let place = |how: &str| folder.path().join(format!("{search}-{workers}-{how}"));
            let [option, name] = how(search);
            let common = [option, name, "--workers", workers, "--write-tests", "no"];
            for memory in [None, Some("64M"), Some("2M")] {
                let directory = place(memory.unwrap_or("plain"));
                let mut options = common.to_vec();
                options.extend(memory.iter().flat_map(|size| ["--max-memory", size]));
                succeeded(&run(&directory, &options, &program, &[]));
                assert!(digests(&directory) == expected, "{} {options:?}", program.display());
            }
            let directory = place("killed");
            let mut arguments = vec!["run", "--output-dir", path_text(&directory)];
            arguments.extend(common);
            arguments.push(path_text(&program));
            let mut child = start(&arguments);
            kills += kill_until_it_ends(&mut child, Duration::from_millis(40), &mut random);
            go_on_to_the_end(&directory);
            assert!(digests(&directory) == expected, "{arguments:?} under kills");
        }
    }
    assert!(kills > 10, "{kills} workers were killed");
}

/// Regions that too many kills have set aside are explored when the run is resumed.
#[track_caller]
fn go_on_to_the_end(directory: &Path) {
    let mut now = account(directory);
    if now["open_regions"] != 0 {
        succeeded(&cleave(["resume", path_text(directory)]));
        now = account(directory);
    }
    assert_eq!((&now["doubled"], &now["open_regions"]), (&0.into(), &0.into()), "{now}");
}

#[test]
fn counts_of_a_red_black_tree_are_exact_in_all_ways() {
    counts_are_exact_in_all_ways("rb_put", 5, 541);
}

#[test]
fn counts_of_a_sort_are_exact_in_all_ways() {
    counts_are_exact_in_all_ways("insertion_sort", 6, 720);
}

#[test]
fn counts_are_exact_for_each_strategy_where_states_do_not_fit_into_memory() {
    let folder = tempfile::tempdir().unwrap();
    let run = |program: &Path, search: &str, workers: &str, paths: usize| {
        let directory = folder.path().join(format!("{search} {paths}"));
        let [option, name] = how(search);
        let options = [option, name, "--workers", workers, "--max-memory", "2M", "--write-tests", "no"];
        succeeded(&run(&directory, &options, program, &[]));
        assert_eq!(digests(&directory).len(), paths, "{options:?}");
        account(&directory)["other"]["spilled_regions"].as_u64().unwrap_or(0)
    };
    let program = oracle(folder.path(), "rb_put", 6);
    for (search, workers) in STRATEGIES.into_iter().zip(["1", "2", "4"].into_iter().cycle()) {
        run(&program, search, workers, 4683);
    }
    // As it ends paths depth-first in between, a search needs more than that to run out of memory.
    let spills = run(&oracle(folder.path(), "rb_put", 7), "bfs", "2", 47_293);
    assert!(spills > 100, "{spills} regions did not fit");
}

#[test]
fn a_long_run_whose_workers_are_killed_all_the_time_comes_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 11, 30_000);
    let mut random = Random(7);
    for search in ["dfs", "random-state", "concolic"] {
        let [option, name] = how(search);
        let directory = folder.path().join(search);
        let mut child = start(&[
            "run",
            "--output-dir",
            path_text(&directory),
            option,
            name,
            "--workers",
            "2",
            "--write-tests",
            "no",
            "--max-memory",
            "2M",
            path_text(&program),
        ]);
        let kills = kill_until_it_ends(&mut child, Duration::from_millis(400), &mut random);
        // On a slow machine three workers may die on a region before any of them comes to a path.
        go_on_to_the_end(&directory);
        let account = account(&directory);
        assert_eq!(digests(&directory).len(), 1 << 11, "{search}, {kills} kills");
        assert!(kills >= 1 && account["worker_deaths"].as_u64() >= Some(1), "{search}: {kills} kills");
    }
}

#[test]
fn a_region_whose_workers_were_killed_too_often_is_explored_when_the_run_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    // One path, of some seconds.
    let program = bits(folder.path(), 1, 20_000_000);
    let directory = folder.path().join("run");
    let mut child = start(&[
        "run",
        "--output-dir",
        path_text(&directory),
        "--workers",
        "1",
        "--write-tests",
        "no",
        path_text(&program),
    ]);
    let kills = kill_until_it_ends(&mut child, Duration::from_millis(300), &mut Random(3));
    let crashed = account(&directory);
    assert!(kills >= 3 && crashed["regions"]["crashed"].as_u64() >= Some(1), "{kills} kills: {crashed}");
    succeeded(&cleave(["resume", path_text(&directory)]));
    assert_eq!((digests(&directory).len(), &account(&directory)["open_regions"]), (2, &0.into()));
}
