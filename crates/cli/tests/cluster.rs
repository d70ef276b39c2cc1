//! `mpiexec -n 4 cleave run` finds the paths that one worker finds, whatever is killed or stopped; and without MPI it
//! is refused.

use crate::session::*;

#[cfg(not(feature = "mpi"))]
#[test]
fn without_mpi_one_rank_refuses_and_the_others_are_silent() {
    let folder = tempfile::tempdir().unwrap();
    let start = |rank: &str, size: &str| {
        let mut command = command();
        command.args(["run", "no such program"]).current_dir(&folder);
        command.env("PMI_RANK", rank).env("PMI_SIZE", size).output().unwrap()
    };
    refused(&start("0", "4"), &["built without MPI", "4 ranks", "--features mpi", "without mpiexec"]);
    let silent = start("3", "4");
    assert_eq!((silent.status.code(), silent.stdout, silent.stderr), (Some(0), vec![], vec![]));
    refused(&start("0", "1"), &["cannot read the program"]);
}

#[cfg(feature = "mpi")]
mod ranks {
    use super::*;
    use std::collections::BTreeSet;
    use std::ffi::OsStr;
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Output, Stdio};
    use std::time::{Duration, Instant};

    const CLEAVE: &str = env!("CARGO_BIN_EXE_cleave");

    /// The launcher of the MPI that `cleave` is linked with, and whether that is Open MPI: Debian may have both.
    fn launcher() -> (&'static str, bool) {
        let libraries = text(&Command::new("ldd").arg(CLEAVE).output().unwrap().stdout);
        let open = libraries.contains("libmpi.so") || libraries.contains("libopen-rte");
        let named = if open { "mpiexec.openmpi" } else { "mpiexec.mpich" };
        let found = Command::new(named).arg("--version").output().is_ok();
        (if found { named } else { "mpiexec" }, open)
    }

    /// `mpiexec -n ranks cleave`, which is killed if it takes too long.
    fn mpiexec(ranks: u32) -> Command {
        let (launcher, open) = launcher();
        let mut command = Command::new("timeout");
        command.args(["--kill-after=5", "60", launcher]);
        if open {
            command.args(["--oversubscribe", "--allow-run-as-root"]);
        }
        command.args(["-n", &ranks.to_string(), CLEAVE]).stdin(Stdio::null());
        command
    }

    fn on_ranks<S: AsRef<OsStr>>(ranks: u32, arguments: impl IntoIterator<Item = S>) -> Output {
        mpiexec(ranks).args(arguments).output().unwrap()
    }

    /// `cleave run` on four ranks.
    #[track_caller]
    fn run_on_ranks(directory: &Path, options: &[&str], program: &Path, arguments: &[&str]) -> String {
        let mut command = mpiexec(4);
        command.args(["run", "--output-dir"]).arg(directory).args(options).arg(program).args(arguments);
        succeeded(&command.output().unwrap())
    }

    fn oracle(folder: &Path, name: &str, n: usize) -> PathBuf {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/oracles");
        let code = std::fs::read_to_string(sources.join(format!("{name}.c"))).unwrap();
        compile(folder, name, &code, &[&format!("-DN={n}"), &format!("-I{}", sources.display())])
    }

    fn signal(name: &str, pid: u32) {
        Command::new("kill").args([name, &pid.to_string()]).stderr(Stdio::null()).status().unwrap();
    }

    fn command_line(pid: u32) -> Vec<String> {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).map(text).collect()
    }

    /// Processes below `pid`, those of launchers' helpers among them, that run `cleave COMMAND`.
    fn below(pid: u32, command: &str) -> Vec<u32> {
        let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        let mut found = Vec::new();
        for child in list.split_whitespace().filter_map(|pid| pid.parse().ok()) {
            let line = command_line(child);
            let is_cleave = line.first().is_some_and(|name| name == "cleave" || name == CLEAVE);
            if is_cleave && line.get(1).is_some_and(|word| word == command) {
                found.push(child);
            }
            found.extend(below(child, command));
        }
        found
    }

    /// The rank of a process.
    fn rank(pid: u32) -> Option<u32> {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
        let of = |line: &[u8]| {
            let line = text(line);
            let (name, value) = line.split_once('=')?;
            ["PMI_RANK", "OMPI_COMM_WORLD_RANK"].contains(&name).then(|| value.parse().ok())?
        };
        environment.split(|byte| *byte == 0).find_map(of)
    }

    fn has_paths(directory: &Path) -> bool {
        std::fs::metadata(directory.join("db.sqlite-wal")).is_ok_and(|data| data.len() > 200_000)
    }

    const SLOW: u32 = 12;

    /// A program with 2^[`SLOW`] paths that take some seconds of one worker.
    fn slow(folder: &Path) -> PathBuf {
        // Open MPI takes a second to pass a signal on.
        bits(folder, SLOW, if launcher().1 { 20_000 } else { 12_000 })
    }

    /// The slow program on four ranks, once paths are recorded.
    fn started(folder: &Path) -> (Child, PathBuf) {
        let (program, directory) = (slow(folder), folder.join("run"));
        let mut command = mpiexec(4);
        command.args(["run", "--write-tests", "no", "--output-dir"]).arg(&directory).arg(&program);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        soon("paths", || has_paths(&directory).then_some(()));
        (child, directory)
    }

    /// The run was stopped half-way, and is whole after `cleave resume` without MPI.
    #[track_caller]
    fn goes_on(directory: &Path) {
        let before = digests(directory);
        assert!(!before.is_empty() && before.len() < 1 << SLOW, "stopped after {} paths", before.len());
        assert!(succeeded(&cleave(["resume", path_text(directory)])).contains("every path is explored"));
        let after = digests(directory);
        assert_eq!(after.len(), 1 << SLOW);
        assert!(before.is_subset(&after));
        assert_eq!(account(directory)["doubled"], 0);
    }

    #[test]
    fn oracles_come_out_the_same_plain_and_split_and_stopped() {
        let cases = [
            ("bst_add_remove", 4, 384),
            ("binomial_insert_delete_extract", 4, 450),
            ("fibonacci_heap", 6, 415),
            ("bintree_shapes", 8, 1430),
        ];
        for (name, n, paths) in cases {
            let folder = tempfile::tempdir().unwrap();
            let place = |name: &str| folder.path().join(name);
            let program = oracle(folder.path(), name, n);
            succeeded(&run(&place("one"), &["--workers", "1"], &program, &[]));
            let expected = digests(&place("one"));
            assert_eq!(expected.len(), paths, "{name}");
            let same = |how: &str| assert_eq!(digests(&place(how)), expected, "{name} {how}");

            let said = run_on_ranks(&place("plain"), &["--tests", "all"], &program, &[]);
            assert!(said.contains("every path is explored"), "{said}");
            same("plain");
            assert_eq!(account(&place("plain"))["workers"], 3);
            let tests = std::fs::read_dir(place("plain").join("tests")).unwrap().count();
            assert_eq!(tests, paths, "{name}: each test is a file");

            let test = |n: usize| place("one").join(format!("tests/test{n:06}.ktest")).display().to_string();
            let split = [test(paths / 3), test(paths / 2), test(1)].join(",");
            let half = (paths / 2).to_string();
            let options = ["--write-tests", "no", "--split-at", &split, "--max-paths", &half];
            run_on_ranks(&place("stopped"), &options, &program, &[]);
            assert_eq!(digests(&place("stopped")).len(), paths / 2, "{name}");
            assert!(account(&place("stopped"))["open_regions"].as_u64() >= Some(1));
            succeeded(&on_ranks(4, ["resume", path_text(&place("stopped"))]));
            same("stopped");
        }
    }

    /// Waits for the end of a run on ranks, and kills one of its workers every now and then; returns the number of kills. If
    /// a region was set aside the run is not whole, and says so.
    #[track_caller]
    fn kill_until_it_ends(mut child: Child, random: &mut Random) -> u32 {
        // The first as soon as there is one.
        let (mut next, mut kills) = (Instant::now(), 0);
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success() || kills >= 3, "{status}, {kills} kills");
                return kills;
            }
            if Instant::now() >= next {
                let alive = below(child.id(), "worker");
                if !alive.is_empty() {
                    signal("-KILL", alive[random.below(alive.len())]);
                    (next, kills) = (Instant::now() + Duration::from_millis(60), kills + 1);
                }
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The strategies on four ranks: plain, split statically, stopped and resumed, with 64 MB for states, and with
    /// workers that are killed.
    fn counts_are_exact_on_ranks(strategies: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let (program, mut random, mut kills) = (oracle(folder.path(), "rb_put", 5), Random(11), 0);
        succeeded(&run(&place("one"), &["--workers", "1"], &program, &[]));
        let expected = digests(&place("one"));
        assert_eq!(expected.len(), 541);
        // Longer, as workers are to be killed at work and not only when they start.
        let folder_of_longer = tempfile::tempdir().unwrap();
        let longer = oracle(folder_of_longer.path(), "rb_put", 6);
        succeeded(&run(&place("longer"), &["--write-tests", "no"], &longer, &[]));
        let longer_expected = digests(&place("longer"));
        assert_eq!(longer_expected.len(), 4683);
        let test = |n: usize| place("one").join(format!("tests/test{n:06}.ktest")).display().to_string();
        let split = [test(100), test(300), test(500)].join(",");
        for search in strategies {
            let ways: [(&str, &[&str]); 4] = [
                ("plain", &[]),
                ("split", &["--split-at", &split]),
                ("64 MB", &["--max-memory", "64M"]),
                ("stopped", &["--max-paths", "300"]),
            ];
            for (how, options) in ways {
                let directory = place(&format!("{search} {how}"));
                let options = [&["--search", search, "--write-tests", "no"], options].concat();
                run_on_ranks(&directory, &options, &program, &[]);
                if how == "stopped" {
                    assert_eq!(digests(&directory).len(), 300, "{search}");
                    assert!(account(&directory)["open_regions"].as_u64() >= Some(1), "{search}");
                    let resumed = ["resume", "--search", search, path_text(&directory)];
                    succeeded(&on_ranks(4, resumed));
                }
                assert!(digests(&directory) == expected, "{search} {how}");
                assert_eq!(account(&directory)["workers"], 3);
            }
            let directory = place(&format!("{search} killed"));
            let mut command = mpiexec(4);
            command.args(["run", "--search", search, "--write-tests", "no", "--output-dir"]);
            command.arg(&directory).arg(&longer).stdout(Stdio::null()).stderr(Stdio::null());
            kills += kill_until_it_ends(command.spawn().unwrap(), &mut random);
            if account(&directory)["open_regions"] != 0 {
                succeeded(&on_ranks(4, ["resume", path_text(&directory)]));
            }
            assert!(digests(&directory) == longer_expected, "{search}, workers killed");
            assert_eq!(account(&directory)["doubled"], 0);
        }
        assert!(kills as usize >= strategies.len(), "{kills} workers were killed");
    }

    #[test]
    fn counts_are_exact_on_ranks_for_strategies_of_one_order() {
        counts_are_exact_on_ranks(&["dfs", "bfs", "depth"]);
    }

    #[test]
    fn counts_are_exact_on_ranks_for_strategies_that_draw_or_look_at_code() {
        counts_are_exact_on_ranks(&["random-state", "random-path", "covnew", "icnt"]);
    }

    #[test]
    fn a_real_program_has_the_same_paths_on_ranks_as_with_processes() {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/coreutils/bin/basename");
        assert!(program.exists(), "`make test` builds it: scripts/build-coreutils.sh basename");
        let folder = tempfile::tempdir().unwrap();
        let (processes, ranks) = (folder.path().join("processes"), folder.path().join("ranks"));
        let (options, arguments) = (["--write-tests", "no"], ["--sym-args", "0", "2", "4"]);
        succeeded(&run(&processes, &options, &program, &arguments));
        run_on_ranks(&ranks, &options, &program, &arguments);
        let expected = digests(&processes);
        assert!(expected.len() > 1000);
        assert_eq!(digests(&ranks), expected);
    }

    #[test]
    fn workers_of_ranks_may_die_and_the_run_does_not_notice() {
        let folder = tempfile::tempdir().unwrap();
        let (mut child, directory) = started(folder.path());
        let workers = below(child.id(), "worker");
        assert_eq!(workers.len(), 3);
        workers[1..].iter().for_each(|pid| signal("-KILL", *pid));
        soon("new workers", || (below(child.id(), "worker").len() == 3).then_some(()));
        assert!(soon("the end", || child.try_wait().unwrap()).success());
        assert_eq!(digests(&directory).len(), 1 << SLOW);
        let account = account(&directory);
        assert_eq!((&account["worker_deaths"], &account["doubled"]), (&2.into(), &0.into()));
    }

    #[test]
    fn a_rank_that_dies_ends_the_job_and_the_run_goes_on_where_it_was() {
        for victim in [2, 0] {
            let folder = tempfile::tempdir().unwrap();
            let (child, directory) = started(folder.path());
            let workers = below(child.id(), "worker");
            let ranks = below(child.id(), "run");
            let pid = ranks.iter().find(|pid| rank(**pid) == Some(victim)).expect("the rank runs");
            signal("-KILL", *pid);
            let output = child.wait_with_output().unwrap();
            assert!(!output.status.success());
            let said = text(&output.stderr);
            assert!(said.contains("go on with: cleave resume"), "rank {victim}: {said}");
            let alive = |pid: &&u32| command_line(**pid).get(1).is_some_and(|word| word == "worker");
            soon("its workers end", || workers.iter().find(alive).is_none().then_some(()));
            goes_on(&directory);
        }
    }

    #[test]
    fn ctrl_c_stops_a_run_on_ranks_and_it_goes_on_later() {
        // The exit code is the launcher's own after a signal: 1 of Open MPI, the run's or 0 of MPICH, as it happens.
        for name in ["-INT", "-TERM"] {
            let folder = tempfile::tempdir().unwrap();
            let (child, directory) = started(folder.path());
            // `timeout` is the parent of the launcher, and passes on what it is sent; a terminal sends to both.
            let below_timeout =
                std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id())).unwrap();
            signal(name, below_timeout.trim().parse().unwrap());
            let output = child.wait_with_output().unwrap();
            let said = text(&output.stderr);
            let account = account(&directory);
            assert_eq!(account["stop_reason"], "interrupted", "{said}");
            assert!(account["open_regions"].as_u64() >= Some(1), "{account}");
            goes_on(&directory);
        }
    }

    #[test]
    fn what_is_wrong_is_said_once() {
        let folder = tempfile::tempdir().unwrap();
        let program = bits(folder.path(), 2, 0);
        let program = path_text(&program);
        let own = |output: &Output| -> Vec<String> {
            text(&output.stderr).lines().filter(|l| l.starts_with("cleave: ")).map(String::from).collect()
        };
        let cases: [(&[&str], i32, &str); 3] = [
            (&["run", "no such program"], 1, "cannot read the program no such program"),
            (&["run", "--no-such-option", program], 2, "unexpected argument '--no-such-option'"),
            (&["run", "--workers", "7", program], 2, "leave --workers out, or use mpiexec -n 8"),
        ];
        for (arguments, code, part) in cases {
            let output = on_ranks(4, arguments);
            let said = own(&output);
            assert_eq!((output.status.code(), said.len()), (Some(code), 1), "{said:?}");
            assert!(said[0].contains(part), "{said:?}");
        }
        let directory = folder.path().join("agreed");
        succeeded(&on_ranks(4, ["run", "--workers", "3", "--output-dir", path_text(&directory), program]));
        assert_eq!(digests(&directory).len(), 4);
        let directory = folder.path().join("alone");
        let output = on_ranks(1, ["run", "--workers", "2", "--output-dir", path_text(&directory), program]);
        assert!(succeeded(&output).contains("every path is explored"));
        assert!(text(&output.stderr).contains("one rank alone"), "{}", text(&output.stderr));
        let paths: BTreeSet<String> = digests(&directory);
        assert_eq!((paths.len(), &account(&directory)["workers"]), (4, &2.into()));
    }
}
