//! Programs that mean harm, run natively: nothing outside changes, and all of them come to an end.

use cleave_replay::{
    End, Error, Isolation, Job, Limits, Observed, Replayer, StdinKind, TEST_VARIABLE, Wanted,
};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Set in the second life of a test, in which it is not root.
const UNPRIVILEGED: &str = "CLEAVE_TEST_UNPRIVILEGED";

/// The test program, compiled unless an earlier test has done it.
static HOSTILE: LazyLock<PathBuf> = LazyLock::new(|| {
    if let Ok(built) = std::env::var(UNPRIVILEGED) {
        return built.into();
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile.c");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let built = directory.join("hostile");
    let time = |path: &Path| std::fs::metadata(path).and_then(|m| m.modified()).ok();
    if time(&built) <= time(&source) {
        let fresh = directory.join(format!("hostile-{}", std::process::id()));
        let mut gcc = Command::new("gcc");
        gcc.args(["-static", "-O1", "-w", "-o"]).arg(&fresh).arg(&source);
        assert!(gcc.status().unwrap().success(), "gcc -static compiles the test program");
        std::fs::rename(&fresh, &built).unwrap();
    }
    built
});

fn am_root() -> bool {
    std::fs::metadata("/proc/self").map(|m| std::os::unix::fs::MetadataExt::uid(&m)).unwrap() == 0
}

/// Every kind of isolation that this user can have.
fn isolations() -> Vec<Isolation> {
    if am_root() {
        vec![Isolation::UserNamespace, Isolation::RootNamespaces]
    } else {
        vec![Isolation::UserNamespace]
    }
}

/// For runs that end by themselves: the time does not matter.
fn limits() -> Limits {
    Limits { wall: Duration::from_secs(60), cpu_seconds: 60, ..Limits::default() }
}

/// For runs that never end.
fn short() -> Limits {
    Limits { wall: Duration::from_millis(700), ..Limits::default() }
}

fn job(arguments: &[&str]) -> Job {
    let argv =
        std::iter::once("hostile").chain(arguments.iter().copied()).map(|a| a.as_bytes().to_vec()).collect();
    Job { argv, ..Job::default() }
}

fn stdout(seen: &Observed) -> String {
    String::from_utf8_lossy(&seen.stdout).into_owned()
}

/// Runs `check` under each kind of isolation.
fn everywhere(check: impl Fn(&mut Replayer)) {
    everywhere_within(limits(), check);
}

fn everywhere_within(limits: Limits, check: impl Fn(&mut Replayer)) {
    for isolation in isolations() {
        let mut replayer = Replayer::sandboxed_by(&HOSTILE, limits, isolation).unwrap();
        assert_eq!(replayer.isolation(), isolation);
        check(&mut replayer);
    }
}

#[test]
fn a_program_cannot_write_or_look_outside_nor_gain_privileges() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::set_permissions(outside.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let target = outside.path().join("target");
    let mut expected = String::new();
    for what in [
        "target",
        "passwd",
        "chroot",
        "up",
        "proc",
        "setuid",
        "root",
        "mount",
        "namespace",
        "clone",
        "device",
        "group",
    ] {
        expected += &format!("{what} 0\n");
    }
    everywhere(|replayer| {
        let seen = replayer.run(&job(&["escape", target.to_str().unwrap()])).unwrap();
        assert_eq!((stdout(&seen), seen.end), (expected.clone(), End::Exited(0)));
        assert!(
            std::fs::read_dir(outside.path()).unwrap().next().is_none(),
            "the host's directory is as it was"
        );
    });
}

#[test]
fn a_program_cannot_connect_to_the_host() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    everywhere(|replayer| {
        let seen = replayer.run(&job(&["connect", &port])).unwrap();
        assert_eq!(stdout(&seen), "connect 0\n");
        assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    });
}

/// Processes on this machine whose arguments contain `mark`.
fn processes_with(mark: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|e| std::fs::read(e.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(mark)).count()
}

#[test]
fn forking_without_end_is_bounded_and_leaves_no_process() {
    everywhere_within(short(), |replayer| {
        let mark = format!("mark-{}", std::process::id());
        let most = std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                let start = Instant::now();
                let mut most = 0;
                while start.elapsed() < Duration::from_millis(500) {
                    most = most.max(processes_with(&mark));
                    std::thread::sleep(Duration::from_millis(20));
                }
                most
            });
            let seen = replayer.run(&job(&["forkbomb", &mark])).unwrap();
            assert_eq!(seen.end, End::TimedOut);
            watcher.join().unwrap()
        });
        assert!((2..=16).contains(&most), "{most} processes at once");
        assert_eq!(processes_with(&mark), 0, "all are gone when the run is over");
        assert_eq!(replayer.run(&job(&["exit", "3"])).unwrap().end, End::Exited(3), "the sandbox lives on");
    });
}

#[test]
fn filling_the_disk_stops_at_the_size_of_the_sandbox() {
    everywhere(|replayer| {
        for _ in 0..3 {
            let seen = replayer.run(&job(&["disk"])).unwrap();
            let written: u64 = stdout(&seen).trim().parse().unwrap();
            assert!((8 << 20..=16 << 20).contains(&written), "{written} bytes");
        }
    });
}

#[test]
fn allocating_without_end_stops_at_the_limit_of_memory() {
    everywhere(|replayer| {
        let seen = replayer.run(&job(&["memory"])).unwrap();
        let got: u64 = stdout(&seen).lines().last().unwrap().parse().unwrap();
        assert_eq!(seen.end, End::MemoryLimit);
        assert!((100 << 20..800 << 20).contains(&got), "{got} bytes");
    });
}

#[test]
fn memory_that_is_reserved_and_not_used_does_not_count() {
    everywhere(|replayer| {
        let seen = replayer.run(&job(&["reserve"])).unwrap();
        assert_eq!((stdout(&seen), seen.end), ("1001\n".into(), End::Exited(0)));
    });
}

#[test]
fn endless_loops_sleeps_and_output_come_to_an_end() {
    everywhere_within(short(), |replayer| {
        for what in ["loop", "sleep"] {
            let start = Instant::now();
            assert_eq!(replayer.run(&job(&[what])).unwrap().end, End::TimedOut);
            assert!(start.elapsed() < Duration::from_secs(5));
        }
    });
    everywhere(|replayer| {
        let seen = replayer.run(&job(&["output"])).unwrap();
        assert_eq!((seen.end, seen.stdout.len()), (End::OutputLimit, limits().output));
        let seen = replayer.run(&job(&["errors"])).unwrap();
        assert_eq!((seen.end, seen.stderr.len()), (End::OutputLimit, limits().output));
    });
}

#[test]
fn processes_left_behind_or_killing_everything_do_not_outlive_or_break_a_run() {
    everywhere(|replayer| {
        let start = Instant::now();
        let seen = replayer.run(&job(&["linger"])).unwrap();
        assert_eq!((stdout(&seen).as_str(), seen.end), ("left\n", End::Exited(0)));
        assert!(start.elapsed() < limits().wall / 2, "not waited for");
        let seen = replayer.run(&job(&["kill"])).unwrap();
        assert_eq!(stdout(&seen), "alive\n", "neither the helper nor anybody else was hit");
        assert_eq!(replayer.run(&job(&["exit", "7"])).unwrap().end, End::Exited(7));
    });
}

#[test]
fn a_program_sees_only_what_the_job_gives_it() {
    everywhere(|replayer| {
        let mut with_world = job(&["world"]);
        with_world.env = vec![(b"LANG".to_vec(), b"C".to_vec())];
        let expected = "LANG=C\nfd 0\nfd 1\nfd 2\nsigpipe 1 pid 2 cwd /\n";
        for _ in 0..2 {
            assert_eq!(stdout(&replayer.run(&with_world).unwrap()), expected);
        }
        with_world.ktest = Some(b"KTEST".to_vec());
        let seen = stdout(&replayer.run(&with_world).unwrap());
        let path =
            seen.lines().find_map(|l| l.strip_prefix(&format!("{TEST_VARIABLE}="))).unwrap().to_owned();
        let mut reader = job(&["file", &path]);
        reader.ktest = Some(b"KTEST".to_vec());
        assert_eq!(stdout(&replayer.run(&reader).unwrap()), "5 KTEST\n");
    });
}

#[test]
fn standard_input_and_files_arrive_and_each_run_starts_empty() {
    everywhere(|replayer| {
        for size in [0, 1, 65_536, 200_000] {
            let bytes: Vec<u8> = (0..size).map(|i: u32| (i % 251) as u8).collect();
            for stdin_kind in [StdinKind::Pipe, StdinKind::File] {
                let seen = replayer.run(&Job { stdin: bytes.clone(), stdin_kind, ..job(&["cat"]) }).unwrap();
                assert!(seen.stdout == bytes, "{size} bytes, {stdin_kind:?}");
            }
        }
        let seek = |stdin_kind| Job { stdin: b"abc".to_vec(), stdin_kind, ..job(&["seek"]) };
        assert_eq!(stdout(&replayer.run(&seek(StdinKind::Pipe)).unwrap()), "0 0\n");
        assert_eq!(stdout(&replayer.run(&seek(StdinKind::File)).unwrap()), "1 0\n");
        let files = vec![("A".to_owned(), b"one".to_vec()), ("B".to_owned(), vec![])];
        assert_eq!(
            stdout(&replayer.run(&Job { files: files.clone(), ..job(&["file", "A"]) }).unwrap()),
            "3 one\n"
        );
        assert_eq!(stdout(&replayer.run(&Job { files, ..job(&["file", "B"]) }).unwrap()), "0 \n");
        assert_eq!(stdout(&replayer.run(&job(&["file", "A"])).unwrap()), "-1 \n");
        for _ in 0..2 {
            assert_eq!(stdout(&replayer.run(&job(&["make", "new"])).unwrap()), "1\n");
        }
    });
}

#[test]
fn faults_are_told_by_their_signals() {
    everywhere(|replayer| {
        for (what, signal) in [("abort", 6), ("null", 11), ("divide", 8)] {
            assert_eq!(replayer.run(&job(&[what])).unwrap().end, End::Signaled(signal), "{what}");
        }
    });
}

#[test]
fn jobs_that_cannot_be_run_are_refused_and_the_next_one_runs() {
    everywhere(|replayer| {
        let bad = [
            Job::default(),
            job(&["a\0b"]),
            Job { files: vec![("../x".into(), vec![])], ..job(&["exit", "0"]) },
            Job { files: vec![("big".into(), vec![0; 80 << 20])], ..job(&["exit", "0"]) },
        ];
        for bad in bad {
            assert!(matches!(replayer.run(&bad), Err(Error::BadJob(_))));
        }
        let too_big = Job { files: vec![("big".into(), vec![0; 20 << 20])], ..job(&["exit", "0"]) };
        let refused = replayer.run(&too_big).unwrap_err();
        assert!(refused.to_string().contains("make the test's files"), "{refused}");
        assert_eq!(replayer.run(&job(&["exit", "5"])).unwrap().end, End::Exited(5));
    });
}

#[test]
fn only_static_executables_for_this_machine_are_taken() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let hostile = std::fs::read(&*HOSTILE).unwrap();
    let mut other_machine = hostile.clone();
    other_machine[18] = 8;
    let cases = [
        (file("script", b"#!/bin/sh\n"), "not an executable"),
        (file("empty", b""), "not an executable"),
        (file("bitcode", b"BC\xc0\xde1234"), "LLVM bitcode"),
        (file("truncated", &hostile[..60]), "truncated"),
        (file("arm", &other_machine), "another machine"),
        (directory.path().into(), "a directory"),
        ("/bin/ls".into(), "linked dynamically"),
    ];
    for (path, reason) in cases {
        let refused = Replayer::sandboxed(&path, limits()).err().unwrap().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
    let missing = Replayer::sandboxed("/no/such/file".as_ref(), limits()).err().unwrap();
    assert!(matches!(missing, Error::Executable { .. }));
}

#[test]
fn without_a_sandbox_limits_and_captures_hold_too() {
    let mut replayer = Replayer::unsandboxed(&HOSTILE, short()).unwrap();
    assert_eq!(replayer.isolation(), Isolation::None);
    assert_eq!(replayer.run(&job(&["exit", "9"])).unwrap().end, End::Exited(9));
    assert_eq!(replayer.run(&job(&["loop"])).unwrap().end, End::TimedOut);
    let mut replayer = Replayer::unsandboxed(&HOSTILE, limits()).unwrap();
    assert_eq!(replayer.run(&job(&["output"])).unwrap().end, End::OutputLimit);
    assert_eq!(replayer.run(&job(&["abort"])).unwrap().end, End::Signaled(6));
    let with_file = Job { files: vec![("A".into(), b"one".to_vec())], ..job(&["file", "A"]) };
    assert_eq!(stdout(&replayer.run(&with_file).unwrap()), "3 one\n");
}

#[test]
fn without_namespaces_nothing_of_a_program_reaches_the_machine() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::set_permissions(outside.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let target = outside.path().join("target");
    let with = |limits| Replayer::sandboxed_by(&HOSTILE, limits, Isolation::Model).unwrap();
    let mut replayer = with(limits());
    let run = |replayer: &mut Replayer, arguments: &[&str]| {
        let seen = replayer.run(&job(arguments)).unwrap();
        (stdout(&seen), seen.end)
    };
    // A call that the model does not know ends the program: here a clone, after many files of the host.
    let ended = (String::new(), End::Signaled(libc::SIGSYS));
    assert_eq!(run(&mut replayer, &["escape", target.to_str().unwrap()]), ended);
    assert_eq!(run(&mut replayer, &["forkbomb"]), ended);
    assert!(std::fs::read_dir(outside.path()).unwrap().next().is_none(), "the host's directory is as it was");
    assert_eq!(run(&mut replayer, &["connect", "22"]), ("connect 0\n".into(), End::Exited(0)));
    // Had this reached the kernel, the tests would not be here any more.
    assert_eq!(run(&mut replayer, &["kill"]), ("alive\n".into(), End::Exited(0)));
    assert_eq!(run(&mut replayer, &["file", "/etc/passwd"]).0, "-1 \n");
    assert_eq!(run(&mut replayer, &["abort"]).1, End::Signaled(6));
    assert_eq!(run(&mut replayer, &["null"]).1, End::Signaled(11));
    assert_eq!(run(&mut replayer, &["divide"]).1, End::Signaled(8));
    assert_eq!(run(&mut replayer, &["exit", "9"]).1, End::Exited(9));
    assert_eq!(run(&mut replayer, &["memory"]).1, End::MemoryLimit);
    assert_eq!(run(&mut replayer, &["reserve"]), ("1001\n".into(), End::Exited(0)));
    let mut replayer = with(short());
    assert_eq!(run(&mut replayer, &["loop"]).1, End::TimedOut);
    assert_eq!(run(&mut replayer, &["sleep"]).1, End::TimedOut);
    assert_eq!(run(&mut replayer, &["exit", "3"]).1, End::Exited(3));
    let mut replayer = with(Limits { output: 10_000, ..limits() });
    assert_eq!(run(&mut replayer, &["output"]).1, End::OutputLimit);
}

#[test]
fn without_namespaces_a_program_finds_its_input_its_files_and_its_test() {
    let mut replayer = Replayer::sandboxed_by(&HOSTILE, limits(), Isolation::Model).unwrap();
    let given = Job {
        stdin: b"some input".to_vec(),
        stdin_kind: StdinKind::File,
        files: vec![("A".into(), b"one".to_vec())],
        ktest: Some(b"KTEST".to_vec()),
        env: vec![(b"NAME".to_vec(), b"value".to_vec())],
        ..Job::default()
    };
    let mut run = |arguments: &[&str]| {
        stdout(&replayer.run(&Job { argv: job(arguments).argv, ..given.clone() }).unwrap())
    };
    assert_eq!(run(&["cat"]), "some input");
    assert_eq!(run(&["file", "A"]), "3 one\n");
    assert_eq!(run(&["file", "/A"]), "3 one\n");
    assert_eq!(run(&["file", "B"]), "-1 \n");
    assert_eq!(run(&["file", "/.cleave.ktest"]), "5 KTEST\n");
    // Each run starts with the files of its job.
    assert_eq!(run(&["file", "A"]), "3 one\n");
}

/// The world of the model, whatever machine this is, under each kind of isolation.
#[test]
fn a_program_that_gets_a_file_as_input_finds_the_models_world() {
    use cleave_linux::world;
    let expected = format!(
        "{} {} {} {} {}\n",
        world::PID,
        world::UID,
        world::START_SECONDS,
        world::HOST_NAME,
        world::DEVICE_ROOT
    );
    for isolation in isolations().into_iter().chain([Isolation::Model]) {
        let mut replayer = Replayer::sandboxed_by(&HOSTILE, limits(), isolation).unwrap();
        for _ in 0..2 {
            let asked = Job { stdin_kind: StdinKind::File, ..job(&["model"]) };
            assert_eq!(stdout(&replayer.run(&asked).unwrap()), expected, "{isolation:?}");
        }
    }
}

#[test]
fn many_jobs_run_in_parallel_and_each_gives_its_own_result() {
    let seen = std::sync::Mutex::new(vec![None; 300]);
    let start = Instant::now();
    let make = |i: usize| (i != 7).then(|| job(&["exit", &(i % 200).to_string()]));
    cleave_replay::replay_all((&HOSTILE, &[]), limits(), Wanted::Full, 300, 2, &make, &|i, result| {
        seen.lock().unwrap()[i] = Some(result.unwrap().end);
    })
    .unwrap();
    eprintln!("{:.3} ms a run", start.elapsed().as_secs_f64() * 1000.0 / 300.0);
    for (i, end) in seen.into_inner().unwrap().into_iter().enumerate() {
        assert_eq!(end, (i != 7).then_some(End::Exited((i % 200) as i32)));
    }
}

/// The tests above, once more as a user without privileges.
#[test]
fn an_unprivileged_user_gets_the_same_isolation() {
    if !am_root() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let tests = directory.path().join("tests");
    let hostile = directory.path().join("hostile");
    std::fs::copy(std::env::current_exe().unwrap(), &tests).unwrap();
    std::fs::copy(&*HOSTILE, &hostile).unwrap();
    let output = Command::new(&tests)
        .args(["a_program_", "forking_", "filling_", "processes_left_", "standard_input", "many_jobs"])
        .arg("without_namespaces_")
        .env(UNPRIVILEGED, &hostile)
        .current_dir("/")
        .uid(65_534)
        .gid(65_534)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("12 passed"), "{text}");
}

/// Inside a user namespace in which no further ones are allowed and only root exists, there are no namespaces to be
/// had: who wants them gets nothing, who does not gets the model's world.
#[test]
fn where_isolation_cannot_be_had_nothing_is_run_and_the_error_says_how_to_allow_it() {
    if std::env::var_os("CLEAVE_TEST_WITHOUT_NAMESPACES").is_some() {
        let refused = Replayer::sandboxed(&HOSTILE, limits()).err().unwrap();
        assert!(matches!(refused, Error::NoIsolation { .. }));
        println!("<{refused}>");
        let mut replayer = Replayer::new(&HOSTILE, limits(), Wanted::Best).unwrap();
        assert_eq!(replayer.isolation(), Isolation::Model);
        assert!(replayer.without_namespaces().unwrap().contains("user namespace"));
        assert_eq!(replayer.run(&job(&["exit", "9"])).unwrap().end, End::Exited(9));
        return;
    }
    let again = format!(
        "echo 0 > /proc/sys/user/max_user_namespaces && CLEAVE_TEST_WITHOUT_NAMESPACES=1 exec {:?} --exact \
         --nocapture replay::where_isolation_cannot_be_had_nothing_is_run_and_the_error_says_how_to_allow_it",
        std::env::current_exe().unwrap()
    );
    let output =
        Command::new("unshare").args(["--user", "--map-root-user", "sh", "-c", &again]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for part in ["cannot be isolated", "max_user_namespaces", "as root", "--no-sandbox"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    println!("{text}");
}

/// Docker's default: a filter refuses new namespaces and mounts, and says of clone3 that it is not there.
#[allow(unsafe_code)]
fn as_in_a_container(command: &mut Command) -> &mut Command {
    use libc::{BPF_ABS, BPF_JEQ, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W};
    let op = |code: u32, jt, jf, k| libc::sock_filter { code: code as u16, jt, jf, k };
    let ret = |value: u32| op(BPF_RET | BPF_K, 0, 0, value);
    let refuse = |errno: i32| libc::SECCOMP_RET_ERRNO | errno as u32;
    let new = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWNET;
    let mut filter = vec![op(BPF_LD | BPF_W | BPF_ABS, 0, 0, 0)];
    let refused =
        [(libc::SYS_clone3, libc::ENOSYS), (libc::SYS_unshare, libc::EPERM), (libc::SYS_mount, libc::EPERM)];
    for (number, errno) in refused {
        filter.push(op(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, number as u32));
        filter.push(ret(refuse(errno)));
    }
    filter.extend([
        op(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, libc::SYS_clone as u32),
        op(BPF_LD | BPF_W | BPF_ABS, 0, 0, 16),
        op(BPF_JMP | BPF_JSET | BPF_K, 0, 1, new as u32),
        ret(refuse(libc::EPERM)),
        ret(libc::SECCOMP_RET_ALLOW),
    ]);
    // SAFETY: between fork and exec two system calls are made; the filter lives in the closure.
    unsafe {
        command.pre_exec(move || {
            let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
            let filtered = libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0;
            if filtered { Ok(()) } else { Err(std::io::Error::last_os_error()) }
        })
    }
}

/// In such a container, as root and, where this is root, as another user.
#[test]
fn without_namespaces_in_a_container_the_model_answers() {
    const INSIDE: &str = "CLEAVE_TEST_CONTAINER";
    if std::env::var_os(INSIDE).is_some() {
        assert!(Replayer::new(&HOSTILE, limits(), Wanted::Full).is_err());
        let mut replayer = Replayer::new(&HOSTILE, limits(), Wanted::Best).unwrap();
        assert_eq!(replayer.isolation(), Isolation::Model);
        assert_eq!(replayer.run(&job(&["exit", "9"])).unwrap().end, End::Exited(9));
        return;
    }
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "replay::without_namespaces_in_a_container_the_model_answers"]).env(INSIDE, "1");
    again.env(UNPRIVILEGED, &*HOSTILE);
    let output = as_in_a_container(&mut again).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}
