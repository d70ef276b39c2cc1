//! `--fail-calls` and `--short-io`: system calls fail with each error that their manual pages name, and reads and writes
//! move one byte. Natively the same calls do.

use std::collections::BTreeSet;
use std::path::Path;

use crate::session::{agrees_on_all, cleave, compile, digests, path_text, records, run, succeeded};

/// Calls that succeed, one after the other: with 3, 2, 5, 1 and 1 errors in the table, and output with 3.
const CALLS: &str = "#include <errno.h>\n#include <stdio.h>\n#include <string.h>\n#include <sys/stat.h>\n#include <unistd.h>\n\
    static int failed[5];\n\
    int main(void) {\n  char b[4] = \"\", line[64];\n  struct stat st;\n\
    \x20 if (access(\"A\", R_OK)) failed[0] = errno;\n  if (stat(\"A\", &st)) failed[1] = errno;\n\
    \x20 if (chmod(\"A\", 0600)) failed[2] = errno;\n  if (read(0, b, 4) < 0) failed[3] = errno;\n\
    \x20 if (fstat(0, &st)) failed[4] = errno;\n\
    \x20 int n = snprintf(line, sizeof line, \"%d %d %d %d %d\\n\", failed[0], failed[1], failed[2], failed[3], failed[4]);\n\
    \x20 return write(1, line, n) == n ? 0 : errno;\n}\n";
const ERRORS: [u64; 6] = [3, 2, 5, 1, 1, 3];

/// Number of ways to let at most `most` of the calls fail, each with one of its errors.
fn ways(most: usize) -> u64 {
    // Number of ways for exactly k calls: the elementary symmetric polynomials.
    let mut exactly = [1, 0, 0, 0, 0, 0, 0];
    for errors in ERRORS {
        for k in (1..exactly.len()).rev() {
            exactly[k] += exactly[k - 1] * errors;
        }
    }
    exactly[..=most].iter().sum()
}

#[test]
fn each_choice_of_at_most_n_calls_and_errors_is_a_path_that_runs_so_natively() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "calls", CALLS, &["-O1"]);
    for most in 0..=2 {
        let number = most.to_string();
        let arguments = ["--sym-files", "1", "4", "--sym-stdin", "4", "--fail-calls", &number];
        let mut known = BTreeSet::new();
        for how in [["--mode", "symbolic"], ["--mode", "concolic"], ["--workers", "2"], ["--max-paths", "3"]]
        {
            let directory = folder.path().join(format!("{most}{}{}", how[0], how[1]));
            let _ = run(&directory, &how, &program, &arguments);
            if how[0] == "--max-paths" {
                succeeded(&cleave(["resume", "--workers", "2", path_text(&directory)]));
            }
            let found = digests(&directory);
            assert_eq!(found.len() as u64, ways(most), "{how:?} {most}");
            if !known.is_empty() {
                assert_eq!(found, known, "{how:?} {most}");
            }
            known = found;
        }
        agrees_on_all(&program, &folder.path().join(format!("{most}--modesymbolic")), ways(most));
    }
}

#[test]
fn a_test_names_the_error_and_interrupted_calls_need_a_handler() {
    let folder = tempfile::tempdir().unwrap();
    let code = "#include <errno.h>\n#include <signal.h>\n#include <unistd.h>\n\
        static void ignore(int signal) { (void)signal; }\n\
        int main(void) { char b[2]; struct sigaction a = {0}; a.sa_handler = ignore; a.sa_flags = FLAGS;\n\
        if (sigaction(SIGUSR1, &a, 0)) return 99;\n return read(0, b, 2) < 0 ? errno : 0; }\n";
    for (flags, expected) in [("0", vec![0, 4, 5]), ("SA_RESTART", vec![0, 5])] {
        let name = format!("interrupted{flags}");
        let program = compile(folder.path(), &name, code, &[&format!("-DFLAGS={flags}")]);
        let directory = folder.path().join(format!("{name}-run"));
        succeeded(&run(&directory, &[], &program, &["--sym-stdin", "2", "--fail-calls", "1"]));
        let mut statuses: Vec<_> =
            records(&directory).iter().filter_map(|r| r["exit_status"].as_u64()).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, expected, "{flags}");
        agrees_on_all(&program, &directory, expected.len() as u64);
    }
}

/// Calls on sockets, timers and events, each with the number of its errors in the table. A call that needs a failed one is
/// not made.
const SOCKETS: &str = "#include <arpa/inet.h>\n#include <errno.h>\n#include <signal.h>\n#include <stdio.h>\n#include <sys/epoll.h>\n\
    #include <sys/eventfd.h>\n#include <sys/inotify.h>\n#include <sys/socket.h>\n#include <sys/timerfd.h>\n#include <time.h>\n#include <unistd.h>\n\
    int main(void) {\n  struct sockaddr_in a = {AF_INET, htons(7000), {htonl(INADDR_LOOPBACK)}};\n\
    \x20 struct epoll_event e = {EPOLLIN};\n  timer_t t;\n  char b, line[64];\n  int l, c, p = -1, f;\n  errno = 0;\n\
    \x20 (l = socket(AF_INET, SOCK_STREAM, 0)) < 0 || bind(l, (void *)&a, sizeof a) || listen(l, 1)\n\
    \x20   || (c = socket(AF_INET, SOCK_STREAM, 0)) < 0 || connect(c, (void *)&a, sizeof a)\n\
    \x20   || (p = accept(l, 0, 0)) < 0 || send(p, \"x\", 1, 0) < 0 || recv(c, &b, 1, 0) < 0\n\
    \x20   || (f = epoll_create1(0)) < 0 || epoll_ctl(f, EPOLL_CTL_ADD, c, &e) || eventfd(0, 0) < 0\n\
    \x20   || timerfd_create(CLOCK_MONOTONIC, 0) < 0 || timer_create(CLOCK_MONOTONIC, 0, &t)\n\
    \x20   || (f = inotify_init1(0)) < 0 || inotify_add_watch(f, \"/\", IN_CREATE) < 0;\n\
    \x20 int n = snprintf(line, sizeof line, \"%d %d\\n\", errno, p);\n\
    \x20 return write(1, line, n) == n ? 0 : errno;\n}\n";
const SOCKET_ERRORS: [u64; 16] = [4, 3, 1, 4, 4, 6, 3, 2, 3, 1, 3, 3, 2, 3, 3, 3];

#[test]
fn calls_on_sockets_timers_and_events_fail_with_each_of_their_errors() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "sockets", SOCKETS, &["-O1"]);
    let directory = folder.path().join("run");
    succeeded(&run(&directory, &["--workers", "2"], &program, &["--fail-calls", "1"]));
    let expected = 1 + SOCKET_ERRORS.iter().sum::<u64>();
    assert_eq!(digests(&directory).len() as u64, expected);
    agrees_on_all(&program, &directory, expected);
}

#[test]
fn reads_and_writes_fall_short_natively_too() {
    let folder = tempfile::tempdir().unwrap();
    // Reads of a file, of standard input, and by vector; writes to a file, a pipe and by vector.
    let code = "#include <fcntl.h>\n#include <stdio.h>\n#include <string.h>\n#include <sys/uio.h>\n#include <unistd.h>\n\
        int main(void) {\n  char b[8] = \"\", c[4] = \"\";\n  int p[2], fd = open(\"A\", O_RDWR), n[6];\n\
        \x20 struct iovec none = {b, 0}, v[3] = {none, {b, 2}, {c, 2}};\n\
        \x20 n[0] = read(fd, b, 3);\n  n[1] = pread(0, b, 4, 1);\n  lseek(fd, 0, SEEK_SET);\n  n[2] = readv(fd, v, 3);\n\
        \x20 lseek(fd, 0, SEEK_END);\n  n[3] = write(fd, \"tail\", 4);\n  pipe(p);\n  n[4] = write(p[1], \"pq\", 2);\n\
        \x20 n[5] = writev(fd, v, 3);\n\
        \x20 char all[16] = \"\";\n  int size = lseek(fd, 0, SEEK_END);\n\
        \x20 dprintf(2, \"%d%d%d%d%d%d %d\", n[0], n[1], n[2], n[3], n[4], n[5], size);\n\
        \x20 snprintf(all, sizeof all, \"%d%d%d%d%d%d %02d\\n\", n[0], n[1], n[2], n[3], n[4], n[5], size);\n\
        \x20 return write(1, all, 10) == 10 ? 0 : 1;\n}\n";
    let program = compile(folder.path(), "short", code, &[]);
    for (most, paths) in [(1, 1 + 7), (2, 1 + 7 + 21)] {
        let directory = folder.path().join(format!("run{most}"));
        let number = most.to_string();
        let arguments = ["--sym-files", "1", "4", "--sym-stdin", "5", "--short-io", &number];
        succeeded(&run(&directory, &["--workers", "2"], &program, &arguments));
        assert_eq!(digests(&directory).len(), paths, "{most}");
        agrees_on_all(&program, &directory, paths as u64);
    }
}

#[test]
fn each_message_of_cat_is_reached() {
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/coreutils/bin/cat");
    assert!(program.exists(), "build/coreutils/bin/cat is not there; `make coreutils` builds it");
    let directory = folder.path().join("run");
    let arguments = ["A", "--sym-files", "1", "2", "--fail-calls", "1"];
    let out = succeeded(&run(&directory, &[], &program, &arguments));
    assert!(out.contains("every path is explored"), "{out}");
    let verdicts = succeeded(&cleave(["replay", "--json", path_text(&program), path_text(&directory)]));
    assert!(verdicts.lines().all(|l| l.contains("\"verdict\":\"agrees\"")), "{verdicts}");
    for message in [
        "cat: standard output: Out of memory",
        "cat: A: Permission denied",
        "cat: A: No file descriptors available",
        "cat: A: Too many open files in system",
        "cat: A: I/O error",
        "cat: write error: No space left on device",
        "cat: write error: Quota exceeded",
    ] {
        assert!(verdicts.contains(message), "{message}: {verdicts}");
    }
}
