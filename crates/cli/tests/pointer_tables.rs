//! Pointers that an input chooses out of a table: random programs that read and write through them have bugs on the same lines
//! as with each choice made by a branch first, no more paths, and each test does natively what was foretold.
//!
//! CLEAVE_POINTERS_FILES says how many files of random programs are judged, CLEAVE_POINTERS_SEED which.

use std::collections::BTreeSet;
use std::path::Path;

use crate::session::{self, account, cleave as told, digests, path_text, succeeded};
use crate::support::dice::{Dice, setting};

/// Random programs in one file: an input chooses among them.
const IN_A_FILE: usize = 30;
const MOST_STEPS: usize = 5;

/// Text that the programs have in common. With `APART` each value of an input is a path of its own.
const START: &str = r#"#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
struct node { int key; struct node *next; };
static int apart(unsigned char v) {
#ifdef APART
  for (int i = 0; i < 8; i++)
    if (v == i) return i;
#endif
  return v;
}
"#;

/// The objects of a program, and tables of pointers to them.
fn objects(dice: &mut Dice) -> String {
    let mut text = String::new();
    let words = ["alpha", "be", "gamma", "d", "eps", "", "zeta", "be"];
    let names: Vec<String> = (0..5).map(|_| format!("\"{}\"", words[dice.below(words.len())])).collect();
    text += &format!("const char *names[5] = {{{}}};\n", names.join(", "));
    text +=
        &format!("int one = {}, three[3] = {{4, 5, {}}}, local = k, unset;\n", dice.below(9), dice.below(9));
    text += "char *heap = calloc(4, 1);\n";
    let place = ["&one", "three", "three + 1", "&local", "three + 2", "(int *)heap", "&unset", "0"];
    let few = place.len() - [0, 1, 2, 2][dice.below(4)];
    let places: Vec<&str> = (0..4).map(|_| place[dice.below(few)]).collect();
    text += &format!("int *ints[4] = {{{}}};\n", places.join(", "));
    for i in 0..4 {
        let next = if i == 0 { "0".to_string() } else { format!("&n{}", dice.below(i)) };
        text += &format!("struct node n{i} = {{{}, {next}}};\n", dice.below(9));
    }
    text += "struct node *heads[4] = {&n0, &n1, &n2, &n3}, *p = heads[n & 3];\n";
    text
}

fn step(dice: &mut Dice) -> String {
    let (c, v) = (dice.below(4), dice.below(6));
    let most = if dice.below(4) == 0 { 5 } else { 3 };
    let at = ["n & 3", "k & 3", "(n + k) & 3", "k % 5", "n"][dice.below(most)];
    match dice.below(17) {
        0 | 1 => format!("s += names[n % 5][{c}];"),
        2 => format!("if (names[k % 5][0] == 'e' && names[k % 5][{c}] != 'p') s += {v};"),
        3 => "s += strlen(names[n % 5]);".into(),
        4 => "if (strcmp(names[k % 5], \"eps\") == 0) s += 3;".into(),
        5 | 6 => format!("s += *ints[{at}];"),
        7 => format!("s += ints[{at}][{}];", c / 2),
        8 => format!("*ints[{at}] = {v};"),
        9 => format!("ints[{at}] = three + {c};"),
        10 => "s += p->key;".into(),
        11 => "if (p) p = p->next;".into(),
        12 => "p = p->next;".into(),
        13 => format!("if (p) s += p->key * {v};"),
        14 => format!("p = heads[{at}]; s += p->key;"),
        15 => format!("heads[{at}] = heads[(n + {c}) & 3];"),
        _ => "free(heap), heap = calloc(2 + k, 2);".into(),
    }
}

fn random_programs(seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut text = START.to_string();
    for i in 0..IN_A_FILE {
        text += &format!("static int f{i}(int n, int k) {{\nint s = 0;\n{}", objects(&mut dice));
        for _ in 0..1 + dice.below(MOST_STEPS) {
            text += &step(&mut dice);
            text.push('\n');
        }
        text += "free(heap);\nif (s & 1) return 1;\nreturn s > 9 ? 2 : 0;\n}\n";
    }
    text += "int main(void) {\nunsigned char n, k, which;\nklee_make_symbolic(&n, 1, \"n\");\n\
             klee_make_symbolic(&k, 1, \"k\");\nklee_make_symbolic(&which, 1, \"which\");\nif (n > 4 || k > 5) return 0;\n\
             switch (which) {\n";
    for i in 0..IN_A_FILE {
        text += &format!("case {i}: return f{i}(apart(n), apart(k));\n");
    }
    text + "}\nreturn 0;\n}\n"
}

/// The lines of the bugs of a run.
fn lines(run: &Path) -> BTreeSet<u64> {
    let files = std::fs::read_dir(run.join("tests")).unwrap().map(|file| file.unwrap().path());
    let line = |file: std::path::PathBuf| {
        file.extension().filter(|end| *end == "err")?;
        let text = std::fs::read_to_string(&file).unwrap();
        text.lines().find_map(|l| l.strip_prefix("Line: ")).map(|line| line.parse().unwrap())
    };
    files.filter_map(line).collect()
}

/// Number of paths that ended, with bugs and without.
fn ends(run: &Path) -> u64 {
    let paths = &account(run)["paths"];
    let count = |kind: &str| paths[kind].as_u64().unwrap_or(0);
    assert_eq!(["cut", "unknown", "unsupported", "open"].map(count), [0; 4], "{paths}");
    count("completed") + count("failed")
}

#[test]
fn what_is_read_through_tables_of_pointers_is_what_each_choice_alone_reads() {
    let first = setting("CLEAVE_POINTERS_SEED", 1);
    for seed in first..first + setting("CLEAVE_POINTERS_FILES", 2) {
        let scratch = tempfile::tempdir().unwrap();
        let text = random_programs(seed);
        let flags = ["-fno-builtin", "-w", "-g"];
        let together = session::compile(scratch.path(), "together", &text, &flags);
        let apart = session::compile(scratch.path(), "apart", &text, &[&flags[..], &["-DAPART"]].concat());
        let explore = |folder: &str, executable: &Path, options: &[&str]| {
            let run = scratch.path().join(folder);
            let options = [&["--workers=2", "--emit=err"], options].concat();
            succeeded(&session::run(&run, &options, executable, &[]));
            run
        };
        let run = explore("one", &together, &["--self-check"]);
        let of_each = explore("each", &apart, &[]);
        let (bugs, expected) = (lines(&run), lines(&of_each));
        let shown = |lines: &BTreeSet<u64>, others: &BTreeSet<u64>| {
            let text: Vec<&str> = text.lines().collect();
            lines.difference(others).map(|l| format!("{l}: {}", text[*l as usize - 1])).collect::<Vec<_>>()
        };
        let (more, less) = (shown(&bugs, &expected), shown(&expected, &bugs));
        assert!(more.is_empty() && less.is_empty(), "seed {seed}: alone {more:?}, not {less:?}\n{text}");
        assert!(bugs.len() > IN_A_FILE / 10, "seed {seed}: only {bugs:?}");
        assert!(2 * ends(&run) < ends(&of_each), "seed {seed}: {} and {}", ends(&run), ends(&of_each));
        let concolic = explore("concolic", &together, &["--mode=concolic"]);
        assert_eq!(digests(&concolic), digests(&run), "seed {seed}");
        let verdicts = succeeded(&told(["replay", "--json", path_text(&together), path_text(&run)]));
        assert!(!verdicts.contains("\"verdict\":\"differs\""), "seed {seed}: {verdicts}\n{text}");
    }
}

/// A walk in a search tree goes on from a pointer that conditions choose. If that is not decided where it is read, all later
/// conditions have the whole walk in them.
#[test]
fn a_pointer_that_conditions_choose_is_decided_where_it_is_read() {
    let scratch = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = format!("#define N 5\n#include \"{}/programs/oracles/bst_add.c\"\n", root.display());
    let tree = session::compile(scratch.path(), "tree", &text, &["-O1"]);
    let run = scratch.path().join("run");
    succeeded(&session::run(&run, &["--search=dfs"], &tree, &[]));
    let account = account(&run);
    assert_eq!((ends(&run), account["smt_calls"].as_u64()), (541, Some(0)), "{account}");
}
