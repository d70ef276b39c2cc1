//! Objects whose size depends on the input: the programs in `programs/sizes` have as many paths as their headers say, with
//! sizes that stay symbolic and with a path for each size; the bugs are the same, and each test replays natively. So it is
//! with random sequences of accesses to random objects.
//!
//! CLEAVE_SIZES_FILES says how many files of random programs are judged, CLEAVE_SIZES_SEED which.

use std::collections::BTreeSet;
use std::path::Path;

use crate::session::{self, account, cleave as told, digests, path_text, succeeded};
use crate::support::dice::Dice;
use crate::support::{Program, corpus, each};

const LIMIT: &str = "--max-symbolic-size=";
/// Each size is a path of its own.
const APART: &str = "--max-symbolic-size=0";

/// Kinds of bugs and their lines.
type Places = BTreeSet<(String, u64)>;

fn planted(program: &Program) -> Places {
    let mark =
        |(number, line): (u64, &str)| Some((line.split_once("//~ ERROR ")?.1.trim().to_string(), number));
    (1..).zip(program.text.lines()).filter_map(mark).collect()
}

/// The kinds, as suffixes of `.err` files, and lines of the bugs of a run.
fn found(run: &Path) -> Places {
    let files = std::fs::read_dir(run.join("tests")).unwrap().map(|file| file.unwrap().path());
    let place = |file: std::path::PathBuf| {
        let name = file.file_name()?.to_str()?.strip_suffix(".err")?.to_string();
        let text = std::fs::read_to_string(&file).unwrap();
        let line = text.lines().find_map(|l| l.strip_prefix("Line: ")).unwrap();
        Some((name.split_once('.')?.1.to_string(), line.parse().unwrap()))
    };
    files.filter_map(place).collect()
}

/// The completed and failed paths that a line of the header has.
fn counts(program: &Program, what: &str) -> (u64, u64) {
    let words = program.words(what);
    let count = |key: &str| words.iter().find_map(|w| w.strip_prefix(key)).unwrap_or("0").parse().unwrap();
    (count("paths="), count("failed="))
}

/// Every path is completed or failed.
fn ends(run: &Path) -> (u64, u64) {
    let paths = &account(run)["paths"];
    let count = |kind: &str| paths[kind].as_u64().unwrap();
    assert_eq!(
        ["cut", "unknown", "unsupported", "open"].map(|k| paths[k].as_u64().unwrap_or(0)),
        [0; 4],
        "{paths}"
    );
    (count("completed"), count("failed"))
}

fn judge(program: &Program) {
    let name = program.source.display();
    let scratch = tempfile::tempdir().unwrap();
    let executable = program.build(scratch.path());
    let explore = |folder: &str, options: &[&str]| {
        let run = scratch.path().join(folder);
        let apart = options.contains(&APART);
        let of_header = program.words("run").into_iter().filter(|w| !(apart && w.starts_with(LIMIT)));
        let options: Vec<&str> = options.iter().copied().chain(of_header).collect();
        let said = succeeded(&session::run(&run, &options, &executable, &program.words("args")));
        (run, said)
    };
    let (one, said) = explore("one", &["--workers=1", "--emit=ktest,err", "--tests=all"]);
    assert_eq!(ends(&one), counts(program, "expect"), "{name}: {said}");
    assert_eq!(found(&one), planted(program), "{name}");
    let (apart, said) = explore("apart", &["--workers=1", APART, "--emit=ktest,err"]);
    assert_eq!(ends(&apart), counts(program, "apart"), "{name}, a path for each size: {said}");
    assert_eq!(found(&apart), planted(program), "{name}, a path for each size");

    let expected = digests(&one);
    for (how, options) in [
        ("two", &["--workers=2"][..]),
        ("concolic", &["--workers=1", "--mode=concolic"]),
        ("self-check", &["--workers=1", "--self-check"]),
        ("speculative", &["--workers=1", "--feasibility=speculative"]),
        ("small", &["--workers=2", "--max-memory=2", "--search=random-path"]),
    ] {
        assert_eq!(digests(&explore(how, options).0), expected, "{name} {how}");
    }
    let (stopped, _) = explore("stopped", &["--workers=1", "--max-paths=2"]);
    assert!(digests(&stopped).len() < expected.len(), "{name}, stopped");
    succeeded(&told(["resume", "--workers=2", path_text(&stopped)]));
    assert_eq!(digests(&stopped), expected, "{name}, resumed");
    replays(program, &executable, &one);
}

/// Each test does natively what was foretold, as far as its path has an end without a bug.
fn replays(program: &Program, executable: &Path, run: &Path) {
    let name = program.source.display();
    let verdicts = succeeded(&told(["replay", "--json", path_text(executable), path_text(run)]));
    let of = |verdict: &str| {
        verdicts.lines().filter(|l| l.contains(&format!("\"verdict\":\"{verdict}\""))).count()
    };
    let (completed, failed) = counts(program, "expect");
    assert_eq!(verdicts.lines().count() as u64, completed + failed, "{name}: {verdicts}");
    assert!(of("agrees") as u64 >= completed && of("differs") == 0, "{name}: {verdicts}");
}

#[test]
fn a_size_that_depends_on_the_input_is_one_path_with_the_bugs_of_all_sizes() {
    each(&corpus("sizes"), judge);
}

/// Random programs in one file: an input chooses among them.
const IN_A_FILE: usize = 40;
/// Maximum number of other steps in a program.
const MOST_STEPS: usize = 5;

/// A statement that makes the object `p`, and whether it is of the heap.
fn object(dice: &mut Dice) -> (String, bool) {
    let kind = ["signed char", "short", "int", "long"][dice.below(4)];
    let more = dice.below(4);
    match dice.below(5) {
        0 => (format!("{kind} *p = malloc(n * sizeof *p + {more});"), true),
        1 => (format!("{kind} *p = calloc(n + {more}, sizeof *p);"), true),
        2 => (format!("{kind} *p = calloc(n, k + {more});"), true),
        3 => (format!("{kind} *p = realloc(malloc({more} + 3), n * sizeof *p + {more});"), true),
        _ => (format!("{kind} a[n + {more} + 1], *p = a;"), false),
    }
}

/// A statement that reads or writes `p`, or another object `q`.
fn step(dice: &mut Dice, heap: bool) -> String {
    let (c, v) = (dice.below(6), dice.below(100));
    match dice.below(if heap { 20 } else { 17 }) {
        0 | 1 => format!("p[{c}] = {v};"),
        2 | 3 => format!("p[k] = {v};"),
        4 => format!("p[n - {c}] = {v};"),
        5 => format!("if (n > {c}) p[n - 1] = {v};"),
        6 => format!("s += p[{c}];"),
        7 => "s += p[k];".into(),
        8 => format!("if (p[{c}] == {v}) s += 2;"),
        9 => format!("if (n > {c} && p[n - 1] < {v}) s += 4;"),
        10 => format!("memset(p, {v}, n);"),
        11 => format!("memset(p + 1, {v}, k * sizeof *p);"),
        12 => "memcpy(p, q, k);".into(),
        13 => format!("memcpy(q, p, n + {c});"),
        14 => format!("memmove(p + 1, p, n + {c});"),
        15 => "memcpy(p, p + 1, k);".into(),
        16 => format!("s += q[n - {c}];"),
        17 => format!("p = realloc(p, n + {c});"),
        18 => format!("p = realloc(p, k * {c} + 1);"),
        _ => format!("free(q), q = malloc(k + {c});"),
    }
}

/// Programs of which each has two objects, and does something with them. A statement has a line of its own.
fn random_programs(seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut text = String::from("#include <klee/klee.h>\n#include <stdlib.h>\n#include <string.h>\n");
    for i in 0..IN_A_FILE {
        let ((object, heap), first) = (object(&mut dice), dice.below(4));
        text += &format!(
            "static int f{i}(int n, int k) {{\nint s = 0;\n{object}\nchar *q = calloc(n + {first}, 1);\n"
        );
        for _ in 0..1 + dice.below(MOST_STEPS) {
            text += &step(&mut dice, heap);
            text.push('\n');
        }
        if heap && dice.below(8) > 0 {
            text += "free(p);\n";
        }
        text += "free(q);\nif (s & 1) return 1;\nreturn 0;\n}\n";
    }
    text += "int main(void) {\nunsigned char n, k, which;\nklee_make_symbolic(&n, 1, \"n\");\n\
             klee_make_symbolic(&k, 1, \"k\");\nklee_make_symbolic(&which, 1, \"which\");\nif (n > 6 || k > 5) return 0;\n\
             switch (which) {\n";
    for i in 0..IN_A_FILE {
        text += &format!("case {i}: return f{i}(n, k);\n");
    }
    text + "}\nreturn 0;\n}\n"
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |v| v.parse().unwrap())
}

#[test]
fn random_accesses_have_the_bugs_that_they_have_with_each_size_apart() {
    let first = setting("CLEAVE_SIZES_SEED", 1);
    for seed in first..first + setting("CLEAVE_SIZES_FILES", 2) {
        let scratch = tempfile::tempdir().unwrap();
        let text = random_programs(seed);
        let flags = ["-fno-builtin", "-w", "-g"];
        let executable = session::compile(scratch.path(), "random", &text, &flags);
        let explore = |folder: &str, options: &[&str]| {
            let run = scratch.path().join(folder);
            let options = [&["--workers=2", "--emit=err"], options].concat();
            succeeded(&session::run(&run, &options, &executable, &[]));
            (found(&run), ends(&run), run)
        };
        let (bugs, (completed, failed), run) = explore("one", &["--self-check"]);
        let (expected, (all_completed, all_failed), _) = explore("apart", &[APART]);
        let lines: Vec<&str> = text.lines().collect();
        let shown = |places: &Places, others: &Places| {
            let places = places.difference(others);
            places
                .map(|(kind, line)| format!("{kind} {line}: {}", lines[*line as usize - 1]))
                .collect::<Vec<_>>()
        };
        let (more, less) = (shown(&bugs, &expected), shown(&expected, &bugs));
        assert!(
            more.is_empty() && less.is_empty(),
            "seed {seed}: found alone {more:?}, not found {less:?}\n{text}"
        );
        let (between, ..) = explore("between", &["--max-symbolic-size=5"]);
        assert_eq!(between, expected, "seed {seed}: sizes and lengths above the limit\n{text}");
        assert!(bugs.len() > IN_A_FILE / 2, "seed {seed}: only {bugs:?}");
        assert!(completed < all_completed && failed < all_failed, "seed {seed}: no fewer paths");
        let verdicts = succeeded(&told(["replay", "--json", path_text(&executable), path_text(&run)]));
        assert!(!verdicts.contains("\"verdict\":\"differs\""), "seed {seed}: {verdicts}");
    }
}
