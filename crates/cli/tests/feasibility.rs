//! Whenever it is asked whether paths are feasible, the paths are the same.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::session::*;

fn oracle(folder: &Path, name: &str, n: usize) -> PathBuf {
    let oracles = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/oracles");
    let source = std::fs::read_to_string(oracles.join(format!("{name}.c"))).unwrap();
    compile(folder, name, &source, &[&format!("-DN={n}"), &format!("-I{}", path_text(&oracles))])
}

/// All ways of asking.
fn ways() -> Vec<Vec<String>> {
    let words = |text: &str| text.split(' ').map(str::to_string).collect::<Vec<_>>();
    let mut ways = vec![words("--feasibility eager"), words("--feasibility lazy"), words("--profile s2pf-a")];
    for depth in ["1", "2", "3", "max"] {
        for backtrack in ["core", "binary", "linear"] {
            ways.push(words(&format!(
                "--feasibility speculative --speculation-depth {depth} --backtrack {backtrack}"
            )));
        }
        for profile in ["b", "c", "d"] {
            ways.push(words(&format!("--profile s2pf-{profile} --speculation-depth {depth}")));
        }
    }
    ways
}

#[test]
fn every_way_of_asking_finds_the_known_paths_under_every_strategy_on_any_workers_and_resumed() {
    const STRATEGIES: [&str; 8] =
        ["dfs", "bfs", "random-state", "random-path", "covnew", "deepest", "depth", "icnt"];
    let folder = tempfile::tempdir().unwrap();
    for (name, n, paths) in [("bst_add_remove", 3, 48), ("insertion_sort", 4, 24)] {
        let program = oracle(folder.path(), name, n);
        let place = |what: &str| folder.path().join(format!("{name}-{what}"));
        succeeded(&run(&place("expected"), &["--workers", "1"], &program, &[]));
        let expected = digests(&place("expected"));
        assert_eq!(expected.len(), paths);
        let half = (paths / 2).to_string();
        for (i, way) in ways().iter().enumerate() {
            let way: Vec<&str> = way.iter().map(String::as_str).collect();
            // The second program has no infeasible loops; a part of the ways will do.
            if name == "insertion_sort" && i % 4 != 2 {
                continue;
            }
            // Each way meets each strategy in one of the two programs or the other way of running.
            for (k, workers) in ["1", "2"].into_iter().enumerate() {
                let search = STRATEGIES[(i + 3 * k) % STRATEGIES.len()];
                let directory = place(&format!("{i}-{k}"));
                let options =
                    [&["--search", search, "--workers", workers, "--write-tests", "no"], &way[..]].concat();
                let stopped = [&options[..], &["--max-paths", &half]].concat();
                succeeded(&run(&directory, &options, &program, &[]));
                assert!(digests(&directory) == expected, "{options:?}");
                if k == 1 {
                    let directory = place(&format!("{i}-stopped"));
                    succeeded(&run(&directory, &stopped, &program, &[]));
                    succeeded(&cleave([
                        "resume",
                        "--search",
                        search,
                        "--workers",
                        "2",
                        path_text(&directory),
                    ]));
                    assert!(digests(&directory) == expected, "{stopped:?}, resumed");
                }
            }
        }
    }
}

#[test]
fn a_run_goes_on_as_it_began() {
    let folder = tempfile::tempdir().unwrap();
    let program = oracle(folder.path(), "bst_add_remove", 3);
    let directory = folder.path().join("run");
    let options = ["--profile", "s2pf-a", "--workers", "1", "--max-paths", "10"];
    succeeded(&run(&directory, &options, &program, &[]));
    let answered = |directory: &Path| -> BTreeSet<String> {
        let layers = account(directory)["answered_by"].as_object().unwrap().clone();
        layers.into_iter().filter(|(_, n)| n.as_u64() > Some(0)).map(|(name, _)| name).collect()
    };
    let questions = |directory: &Path| account(directory)["questions"].as_u64().unwrap();
    let only_sat = BTreeSet::from(["sat".to_string()]);
    let before = questions(&directory);
    assert_eq!(answered(&directory), only_sat);
    succeeded(&cleave(["resume", "--workers", "1", path_text(&directory)]));
    assert_eq!(answered(&directory), only_sat, "the profile is the run's, not the session's");
    assert!(questions(&directory) > before);
}

/// Counts of one run: decisions, questions, and calls of a solver.
struct Asked {
    decisions: u64,
    questions: u64,
    smt_calls: u64,
}

fn asked(directory: &Path, program: &Path, options: &[&str]) -> Asked {
    let options = [&["--workers", "1", "--write-tests", "no"], options].concat();
    succeeded(&run(directory, &options, program, &[]));
    let account = account(directory);
    let count = |name: &str| account[name].as_u64().unwrap();
    let other = |name: &str| account["other"][name].as_u64().unwrap_or(0);
    let questions = count("questions");
    assert_eq!(
        questions,
        ["feasible", "infeasible", "unknown"].map(|a| other(&format!("questions_{a}"))).iter().sum::<u64>()
    );
    Asked { decisions: count("decisions"), questions, smt_calls: count("smt_calls") }
}

#[test]
fn speculation_saves_questions_as_the_paper_says_and_witnesses_save_more() {
    let folder = tempfile::tempdir().unwrap();
    let program = oracle(folder.path(), "bst_add_remove", 3);
    let ask = |name: &str, options: &[&str]| asked(&folder.path().join(name), &program, options);
    let a = ask("a", &["--profile", "s2pf-a"]);
    assert_eq!(a.questions, 2 * a.decisions, "a question for each side");
    assert_eq!(a.smt_calls, a.questions);
    for depth in ["2", "3", "max"] {
        let [b, c, d] = ["s2pf-b", "s2pf-c", "s2pf-d"].map(|profile| {
            let name = format!("{profile}{depth}");
            ask(&name, &["--profile", profile, "--speculation-depth", depth])
        });
        assert_eq!(b.questions, c.questions, "the heuristic search is the depth-first one, at depth {depth}");
        assert!(d.questions <= c.questions, "cores need no more questions than halving, at depth {depth}");
        for mode in [&b, &c, &d] {
            assert!(mode.questions < a.questions && 2 * mode.questions > a.questions, "S2PF's proposition 1");
        }
    }
    let ours = ask("ours", &[]);
    // The side of the witness needs no question: half of A's are left, and few of them come to a solver.
    assert_eq!(2 * ours.questions, a.questions);
    assert!(20 * ours.smt_calls < a.questions);
}

/// Two variables that are equal, so that a compiler sees no contradiction in `a < c`.
const FALSE_ALARM: &str = r#"
#include <klee/klee.h>
int main(void) {
  unsigned a, b, c, steps = 0;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  klee_make_symbolic(&c, sizeof c, "c");
  klee_assume(a == c);
  volatile int zero = 0;
  for (int i = 0; i < 8; i++)
    if (b >> i & 1) steps++;
  if (a < c) return 1 / zero;
  if (a < c && b > 7) while (a != 0) klee_warning("never");
  if (steps == 5 && b < 64 && a == 77) return 2 / zero;
  return 0;
}
"#;

#[test]
fn a_bug_behind_an_infeasible_condition_is_never_reported_and_one_deep_in_a_segment_always_is() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "alarm", FALSE_ALARM, &[]);
    let mut all = BTreeSet::new();
    for (i, way) in ways().iter().enumerate() {
        let directory = folder.path().join(i.to_string());
        let way: Vec<&str> = way.iter().map(String::as_str).chain(["--workers", "1"]).collect();
        let output = run(&directory, &way, &program, &[]);
        succeeded(&output);
        let bugs: Vec<_> = records(&directory).into_iter().filter(|r| r["record"] == "bug").collect();
        assert_eq!(bugs.len(), 1, "{way:?}: {bugs:?}");
        assert_eq!(bugs[0]["kind"], "division");
        assert!(bugs[0]["place"].as_str().unwrap().ends_with(":14"), "{way:?}: {bugs:?}");
        // Six choices of five bits.
        assert_eq!(bugs[0]["paths"], 6, "{way:?}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("never"), "{way:?}: a message of no path");
        all.insert(digests(&directory));
    }
    assert_eq!(all.len(), 1);
}

#[test]
fn a_bench_of_a_program_that_is_not_there_names_those_that_are() {
    let output = cleave(["bench", "s2pf", "wbs", "nosuch"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("`nosuch`") && said.contains("binheap, fibheap, list"), "{said}");
}
