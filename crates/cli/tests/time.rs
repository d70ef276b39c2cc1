//! Limits on time are kept, whatever the run is doing; what is stopped is whole; and a run takes as long as it says. Loops that never
//! end are told from those that do.
//! The bounds are wide: other tests run beside these.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::session::*;

/// Behind the third decision stands a question that no solver answers soon: the factors of a product of two primes.
const HARD: &str = r#"
#include <klee/klee.h>
#include <stdio.h>
int main(void) {
  unsigned char easy[2];
  unsigned long a, b;
  klee_make_symbolic(easy, sizeof easy, "easy");
  if (easy[0] == 1) return puts("one");
  if (easy[0] == 2) return putchar('2');
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  if (a > 1 && b > 1 && a <= b && b < 1ul << 32 && a * b == 8670687648630721837ul) return 3;
  return 0;
}
"#;

const ENDLESS: &str = "int main(void) { volatile unsigned n = 0; for (;;) n++; }\n";

/// Tens of thousands of states are open at once, behind as many decisions.
const COUNTED: &str = r#"
#include <klee/klee.h>
int main(void) {
  unsigned n, sum = 0;
  klee_make_symbolic(&n, sizeof n, "n");
  for (unsigned i = 0; i < n; i++) sum = 0;
  return sum;
}
"#;

/// Behind a race stand questions that take long, one after the other.
const RACE_BEFORE_TEXTS: &str = r#"
#include <klee/klee.h>
#include <pthread.h>
#include <stdio.h>
int shared;
static void *other(void *p) { shared++; return p; }
int main(void) {
  double x[30]; klee_make_symbolic(x, sizeof x, "x");
  char text[400];
  pthread_t t; pthread_create(&t, 0, other, 0);
  shared += 2;
  for (int i = 0; i < 30; i++) sprintf(text, "%f", x[i]);
  pthread_join(t, 0);
  return shared;
}
"#;

/// Later than the limit on a machine that does much else.
const LATE: Duration = Duration::from_secs(6);

/// Runs for at most three seconds; returns the account.
#[track_caller]
fn stopped(directory: &Path, program: &Path, options: &[&str]) -> Value {
    let limit = Duration::from_secs(3);
    let start = Instant::now();
    let said = succeeded(&run(directory, &[options, &["--max-time", "3"]].concat(), program, &[]));
    let took = start.elapsed();
    // Loading is not cut short.
    let loading = Duration::from_secs_f64(account(directory)["loading_s"].as_f64().unwrap());
    assert!(took < limit.max(loading) + LATE, "{took:?}: {said}");
    assert!(said.contains("stopped: max_time"), "{said}");
    let account = account(directory);
    assert!(account["regions"]["open"].as_u64() > Some(0), "{account}");
    for aside in ["leased", "unknown", "cut", "crashed", "diverged"] {
        assert_eq!(account["regions"][aside], Value::Null, "{aside}: {account}");
    }
    assert_eq!(account["worker_deaths"], 0);
    account
}

/// The search for races comes before the run, and takes no time of it; its own work is counted.
#[test]
fn a_search_for_races_ends_where_questions_are_hard() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "texts", RACE_BEFORE_TEXTS, &[]);
    let start = Instant::now();
    let options = ["--workers", "1", "--explore-schedules", "all", "--max-time", "3"];
    let said = run(&folder.path().join("run"), &options, &program, &[]);
    assert!(
        text(&said.stderr).contains("stopped: max_time") || text(&said.stdout).contains("stopped: max_time")
    );
    assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());
}

#[test]
fn many_open_states_on_long_paths_are_written_down_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let counted = compile(folder.path(), "counted", COUNTED, &[]);
    for search in ["bfs", "random-state", "dfs"] {
        let options = ["--workers", "1", "--search", search];
        stopped(&folder.path().join(search), &counted, &options);
    }
}

/// One path of ten thousand decisions: it takes more memory than there is, and each of its other sides is infeasible.
const COUNTDOWN: &str = r#"
#include <klee/klee.h>
int main(void) {
  unsigned n, k = 0;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n > 1000000);
  while (n != 0 && k < 10000) n--, k++;
  return k;
}
"#;

#[test]
fn a_path_that_fills_the_memory_by_itself_is_not_followed_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "countdown", COUNTDOWN, &["-O0"]);
    for (search, workers) in [("random-path", "1"), ("covnew", "1"), ("random-path", "2"), ("covnew", "2")] {
        let options = ["--search", search, "--workers", workers, "--max-memory", "8", "--max-time", "60"];
        let directory = folder.path().join(format!("{search}-{workers}"));
        succeeded(&run(&directory, &options, &program, &[]));
        let account = account(&directory);
        assert_eq!(account["stop_reason"], "exhausted", "{search}, {workers} workers: {account}");
        assert_eq!(account["paths"]["completed"], 1);
        let decisions = account["decisions"].as_u64().unwrap();
        assert!(decisions < 150_000, "{search}, {workers} workers: {account}");
    }
}

#[test]
fn a_path_without_an_end_and_a_broad_frontier_are_stopped_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let endless = compile(folder.path(), "endless", ENDLESS, &[]);
    let account = stopped(&folder.path().join("endless-run"), &endless, &["--workers", "1"]);
    assert_eq!(account["paths"]["completed"], 0);
    let broad = bits(folder.path(), 40, 0);
    let account = stopped(&folder.path().join("broad-run"), &broad, &["--workers", "2", "--search", "bfs"]);
    let explored = account["exploring_s"].as_f64() > Some(0.5);
    assert!(!explored || account["open_regions"].as_u64() > Some(100), "{account}");
}

/// If the first byte is 1, its path has no end, and no decision; if it is 2, it has no end of decisions. No state comes
/// again.
const TWO_ENDLESS: &str = r#"
#include <unistd.h>
int main(void) {
  unsigned char c[2] = { 0 };
  volatile unsigned n = 0;
  read(0, c, 2);
  if (c[0] == 1) for (;;) n++;
  if (c[0] == 2) for (;;) { n++; if ((c[1] + n) % 7 == 3) n++; }
  return c[1] > 3;
}
"#;

#[test]
fn limits_hold_in_whatever_runs_a_path_without_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "endless", TWO_ENDLESS, &["-O0"]);
    let seeds = [b"\x01\x05", b"\x02\x05"].map(|bytes| {
        let file = folder.path().join(format!("seed{}", bytes[0]));
        std::fs::write(&file, bytes).unwrap();
        file
    });
    let both = folder.path().join("both");
    std::fs::create_dir(&both).unwrap();
    for (i, seed) in seeds.iter().enumerate() {
        std::fs::copy(seed, both.join(i.to_string())).unwrap();
    }
    let given = [path_text(&seeds[0]), path_text(&seeds[1]), path_text(&both)];
    let [first, second, both] = given.map(|seed| ["--seed", seed]);
    for (i, (options, seed)) in [
        (&["--mode", "symbolic"][..], Some(first)),
        (&["--mode", "symbolic", "--only-seeds"], Some(second)),
        (&["--mode", "symbolic", "--search", "bfs", "--feasibility", "lazy"], Some(second)),
        (&["--mode", "symbolic", "--search", "covnew", "--feasibility", "speculative"], Some(both)),
        (&["--mode", "symbolic", "--search", "generational", "--workers", "2"], None),
        (&["--mode", "symbolic", "--search", "random-path", "--seed-by-name"], Some(both)),
        (&["--mode", "concolic"], Some(second)),
        (&["--mode", "concolic", "--only-seeds"], Some(first)),
        (&["--mode", "concolic", "--only-seeds", "--workers", "2"], Some(both)),
    ]
    .into_iter()
    .enumerate()
    {
        let directory = folder.path().join(i.to_string());
        let workers = if options.contains(&"--workers") { &[][..] } else { &["--workers", "1"] };
        let options = [options, workers, seed.as_ref().map_or(&[][..], |seed| &seed[..])].concat();
        let start = Instant::now();
        let limited = [&options[..], &["--max-time", "1"]].concat();
        let said = succeeded(&run(&directory, &limited, &program, &["--sym-stdin", "2"]));
        let resumed = succeeded(&cleave(["resume", "--max-time", "1", path_text(&directory)]));
        let took = start.elapsed();
        assert!(took < 3 * LATE, "{options:?} took {took:?}: {said}{resumed}");
        assert!(
            said.contains("stopped: max_time") && resumed.contains("stopped: max_time"),
            "{said}{resumed}"
        );
        // A limit on instructions ends such a path, and the run.
        let directory = folder.path().join(format!("{i}-cut"));
        let limited = [&options[..], &["--max-path-instructions", "200000"]].concat();
        succeeded(&run(&directory, &limited, &program, &["--sym-stdin", "2"]));
        let account = account(&directory);
        assert!(account["regions"]["cut"].as_u64() > Some(0), "{options:?}: {account}");
        assert_eq!(account["stop_reason"], "exhausted", "{options:?}: {account}");
    }
}

/// Counters modulo [`MODULUS`], [`REGISTERS`] of them, and a program of [`OPS`] ops.
type Machine = [(usize, usize, usize); OPS];

const MACHINES: usize = 100;
const OPS: usize = 5;
const REGISTERS: usize = 3;
const MODULUS: usize = 6;

/// Runs the machine that the input names. With `COUNTS` it counts its steps.
const INTERPRETER: &str = r#"
#include <unistd.h>
struct op { unsigned char what, reg, to; };
static const struct op machines[][OPS] = { TABLE };
static volatile unsigned long steps;
static void run(const struct op *ops) {
  unsigned char r[3] = { 0 };
  unsigned pc = 0;
  while (pc < OPS) {
    const struct op o = ops[pc++];
    if (o.what == 0) r[o.reg] = (r[o.reg] + 1) % MODULUS;
    else if (r[o.reg] == 0) pc = o.to;
    else r[o.reg]--;
    if (COUNTS) steps++;
  }
}
int main(void) {
  unsigned char which = 0;
  read(0, &which, 1);
  for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++)
    if (which == i) { run(machines[i]); return i; }
  return 255;
}
"#;

/// Returns true if a machine halts: it has no more states than these, so after as many steps it never will.
fn halts(ops: &Machine) -> bool {
    let (mut registers, mut pc) = ([0; REGISTERS], 0);
    for _ in 0..=OPS * MODULUS.pow(REGISTERS as u32) {
        let Some(&(what, register, to)) = ops.get(pc) else { return true };
        pc += 1;
        match (what, registers[register]) {
            (0, n) => registers[register] = (n + 1) % MODULUS,
            (_, 0) => pc = to,
            (_, n) => registers[register] = n - 1,
        }
    }
    false
}

#[test]
fn machines_that_never_halt_are_told_from_those_that_do() {
    let mut random = Random(121);
    let mut op = || (random.below(2), random.below(REGISTERS), random.below(OPS + 1));
    let machines: Vec<Machine> = (0..MACHINES).map(|_| std::array::from_fn(|_| op())).collect();
    let halting: BTreeSet<u64> = (0..).zip(&machines).filter(|(_, m)| halts(m)).map(|(i, _)| i).collect();
    let endless = (MACHINES - halting.len()) as u64;
    assert!(endless > 20 && halting.len() > 20, "{endless} machines never halt");
    let table = machines.iter().map(|ops| {
        let ops: String = ops.iter().map(|(what, reg, to)| format!("{{{what},{reg},{to}}},")).collect();
        format!("{{{ops}}},")
    });
    let code = INTERPRETER.replace("TABLE", &table.collect::<String>());
    let folder = tempfile::tempdir().unwrap();
    let build = |counts: u8| {
        let flags = [format!("-DOPS={OPS}"), format!("-DMODULUS={MODULUS}"), format!("-DCOUNTS={counts}")];
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        compile(folder.path(), &format!("machines{counts}"), &code, &flags)
    };
    let (plain, counting) = (build(0), build(1));
    let mut paths = BTreeSet::new();
    for (i, options) in [
        &["--workers", "1"][..],
        &["--workers", "2", "--mode", "concolic"],
        &["--workers", "2", "--search", "covnew", "--feasibility", "speculative"],
    ]
    .into_iter()
    .enumerate()
    {
        let directory = folder.path().join(i.to_string());
        succeeded(&run(&directory, options, &plain, &["--sym-stdin", "1"]));
        let exits: BTreeSet<u64> = records(&directory)
            .iter()
            .filter_map(|r| r["exit_status"].as_u64())
            .filter(|&e| e < 255)
            .collect();
        assert!(exits == halting, "{options:?}: {exits:?} halt, not {halting:?}");
        let account = account(&directory);
        assert_eq!(account["paths"]["failed"], endless, "{options:?}: {account}");
        paths.insert(digests(&directory));
    }
    assert_eq!(paths.len(), 1, "which paths there are depends on how they are explored");
    // A machine that counts its steps is never where it was before.
    let directory = folder.path().join("counting");
    let limit = ["--workers", "2", "--max-path-instructions", "300000"];
    let said = succeeded(&run(&directory, &limit, &counting, &["--sym-stdin", "1"]));
    let account = account(&directory);
    assert_eq!(
        (&account["paths"]["failed"], &account["paths"]["cut"]),
        (&0.into(), &endless.into()),
        "{said}"
    );
    assert!(said.contains(", in the loop at") && said.contains("machines1.c:9"), "{said}");
}

#[test]
fn a_hard_question_is_stopped_in_time_and_asked_again_later() {
    let folder = tempfile::tempdir().unwrap();
    let hard = compile(folder.path(), "hard", HARD, &[]);
    for (name, options) in
        [("dfs", &[][..]), ("bfs", &["--search", "bfs"]), ("concolic", &["--mode", "concolic"])]
    {
        let directory = folder.path().join(name);
        let options = [options, &["--workers", "1", "--solver-timeout", "60000"]].concat();
        let account = stopped(&directory, &hard, &options);
        assert_eq!(account["paths"]["unsupported"], 0, "{name}: {account}");
        // Paths that were found before the question are not lost with it, and none is there twice.
        let (paths, explored) = (digests(&directory).len(), account["exploring_s"].as_f64() > Some(1.0));
        assert!(paths <= 8 && (paths >= 2 || !explored), "{name}: {account}");
        assert_eq!(account["other"]["explored_again"], Value::Null, "{name}: {account}");
    }
}

#[test]
fn an_interrupt_does_not_wait_for_a_hard_question() {
    let folder = tempfile::tempdir().unwrap();
    let hard = compile(folder.path(), "hard", HARD, &[]);
    let directory = folder.path().join("run");
    let mut child = Command::new(env!("CARGO_BIN_EXE_cleave"))
        .args(["run", "--workers", "1", "--solver-timeout", "60000", "--output-dir"])
        .args([&directory, &hard])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Soon after that it is at the question, which keeps it from telling of its first paths.
    soon("the run begins", || directory.join("tests").exists().then_some(()));
    std::thread::sleep(Duration::from_millis(1500));
    let start = Instant::now();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let status = soon("the run ends", || child.try_wait().unwrap());
    assert!(start.elapsed() < LATE, "{:?}", start.elapsed());
    assert_eq!(status.code(), Some(130));
    let account = account(&directory);
    assert_eq!(
        (&account["stop_reason"], &account["regions"]["unknown"]),
        (&"interrupted".into(), &Value::Null)
    );
}

#[test]
fn paths_of_sessions_that_time_ended_are_those_of_one_run_each_once() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 13, 100);
    for search in ["dfs", "bfs", "random-state"] {
        let directory = folder.path().join(search);
        let options = ["--workers", "2", "--search", search, "--max-time", "1", "--tests", "all"];
        succeeded(&run(&directory, &options, &program, &[]));
        for _ in 0..2 {
            let resume = ["resume", "--search", search, "--max-time", "700ms", path_text(&directory)];
            succeeded(&cleave(resume));
        }
        succeeded(&cleave(["resume", "--search", search, path_text(&directory)]));
        let account = account(&directory);
        assert_eq!((digests(&directory).len(), &account["open_regions"]), (1 << 13, &0.into()), "{account}");
        // Each stop was whole: nothing was explored again.
        for count in ["explored_again", "found_again"] {
            assert_eq!(account["other"][count], Value::Null, "{search}: {account}");
        }
        assert_eq!(std::fs::read_dir(directory.join("tests")).unwrap().count(), 1 << 13);
    }
}

/// Measured time, and what the account says.
fn timed(folder: &Path, name: &str, program: &Path, arguments: &[&str]) -> (f64, Value) {
    let directory = folder.join(name);
    let start = Instant::now();
    succeeded(&run(&directory, &[], program, arguments));
    let measured = start.elapsed().as_secs_f64();
    (measured, account(&directory))
}

#[test]
fn a_run_takes_as_long_as_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let coreutils = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/coreutils/bin");
    let small = bits(folder.path(), 2, 0);
    let many = bits(folder.path(), 12, 0);
    let programs = [
        ("small", &small, &[][..]),
        ("many", &many, &[]),
        ("echo", &coreutils.join("echo"), &["--sym-arg", "3"]),
    ];
    for (name, program, arguments) in programs {
        let (measured, account) = timed(folder.path(), name, program, arguments);
        let seconds = |part: &str| account[part].as_f64().unwrap();
        let (wall, parts) =
            (seconds("wall_s"), seconds("loading_s") + seconds("exploring_s") + seconds("writing_s"));
        assert!(
            wall <= measured && measured - wall < 0.05 * measured + 2.0,
            "{name}: {wall} s of {measured} s"
        );
        assert!((wall - parts).abs() < 0.01, "{name}: {account}");
        assert!(seconds("loading_s") > 0.0 && seconds("writing_s") > 0.0, "{name}: {account}");
    }
}

#[test]
fn a_limit_beyond_all_time_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 2, 0);
    let huge = "18000000000000000000";
    let options = ["--max-time", huge, "--solver-timeout", "18446744073709551615"];
    let directory = folder.path().join("run");
    succeeded(&run(&directory, &options, &program, &[]));
    assert_eq!(digests(&directory).len(), 4);
    succeeded(&cleave(["replay", "--max-time", huge, path_text(&program), path_text(&directory)]));
}
