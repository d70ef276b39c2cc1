//! `--mutate`: executions of mutated inputs beside the exploration. They find what it would find later, and change no path.

use std::path::Path;

use serde_json::Value;

use crate::session::*;

/// A program whose bug is behind a word of 12 characters, and a loop that makes many paths.
const WORD: &str = r#"
#include <assert.h>
#include <unistd.h>
static const char *const words[] = {"hocus", "pocusfidibus", "simsalabim"};
static int same(const char *a, const char *b) {
    while (*b && *a == *b)
        a++, b++;
    return *b == 0;
}
int main(void) {
    char in[18] = {0};
    int open = 0;
    if (read(0, in, 16) != 16)
        return 1;
    for (int i = 0; i < 16; i++)
        if (in[i] == '(')
            open++;
    if (in[0] == '!' && same(in + 1, words[1]) && open == 1)
        assert(!"found");
    return open;
}
"#;

/// A server whose bug is behind two of its commands, one after the other.
const COMMANDS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const char *const commands[] = {"create", "delete", "rename", "shutdown", "restart", "status"};
int main(void) {
    char line[40];
    int restarted = 0;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        for (unsigned i = 0; i < 6; i++)
            if (!strcmp(line, commands[i])) {
                if (i == 4)
                    restarted++;
                if (i == 2 && restarted)
                    abort();
                printf("%u\n", i);
            }
    }
}
"#;

fn count(account: &Value, name: &str) -> u64 {
    account["other"][name].as_u64().unwrap_or(0)
}

fn oracle(folder: &Path, name: &str, n: usize) -> std::path::PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/oracles");
    let code = std::fs::read_to_string(sources.join(format!("{name}.c"))).unwrap();
    compile(folder, name, &code, &[&format!("-DN={n}"), &format!("-I{}", sources.display())])
}

#[test]
fn executions_change_no_path_and_are_no_paths() {
    let folder = tempfile::tempdir().unwrap();
    for (name, n, paths) in [("bst_add", 5, 541), ("bintree_shapes", 7, 429)] {
        let program = oracle(folder.path(), name, n);
        let place = |what: &str| folder.path().join(format!("{name}-{what}"));
        succeeded(&run(&place("without"), &["--workers", "1", "--write-tests", "no"], &program, &[]));
        let without = account(&place("without"));
        for options in
            [&["--workers", "1"][..], &["--workers", "2"], &["--workers", "1", "--max-memory", "2M"]]
        {
            let directory = place(&options.concat());
            let options = [options, &["--mutate", "50", "--self-check", "--write-tests", "no"]].concat();
            succeeded(&run(&directory, &options, &program, &[]));
            let with = account(&directory);
            assert_eq!(with["path_set"], without["path_set"], "{options:?}");
            assert_eq!(with["paths"]["completed"], paths, "{options:?}");
            assert!(count(&with, "executions") > 10, "{with}");
            assert_eq!(count(&with, "executions_disagree"), 0, "{with}");
        }
    }
}

#[test]
fn a_worker_alone_makes_the_same_executions_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "word", WORD, &[]);
    let told = |k: u32, seed: &str| {
        let directory = folder.path().join(format!("{k}"));
        let options = ["--workers", "1", "--mutate", "50", "--max-paths", "150", "--random-seed", seed];
        succeeded(&run(&directory, &options, &program, &["--sym-stdin", "16"]));
        let account = account(&directory);
        let counts = ["executions", "execution_instructions", "executions_followed", "executions_elsewhere"];
        (counts.map(|name| count(&account, name)), digests(&directory))
    };
    let [first, second, other] = [told(1, "0"), told(2, "0"), told(3, "1")];
    assert_eq!(first, second);
    assert!(first.0[0] > 100 && first.0[2] > 0, "{:?}", first.0);
    assert_ne!(first.0, other.0);
}

#[test]
fn a_bug_that_an_execution_finds_is_a_path_and_a_native_failure() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "word", WORD, &[]);
    let directory = folder.path().join("run");
    let options = ["--workers", "1", "--mutate", "90", "--max-bugs", "1", "--max-time", "60s"];
    let said = succeeded(&run(&directory, &options, &program, &["--sym-stdin", "16"]));
    assert!(said.contains("1 bug"), "{said}");
    let account = account(&directory);
    assert!(
        count(&account, "executions_followed") > 0 && count(&account, "executions_disagree") == 0,
        "{account}"
    );
    let replayed = succeeded(&cleave(["replay", "--json", path_text(&program), path_text(&directory)]));
    assert!(replayed.lines().all(|line| line.contains("\"verdict\":\"agrees\"")), "{replayed}");
}

#[test]
fn searches_that_cannot_follow_a_find_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "word", WORD, &[]);
    for (options, why) in [
        (&["--search", "dfs"][..], "give another --search"),
        (&["--mode", "concolic"][..], "leave --mode concolic out"),
        (&["--feasibility", "speculative", "--search", "bfs"][..], "speculation"),
    ] {
        let options = [options, &["--mutate", "50"]].concat();
        let directory = folder.path().join("refused");
        let output = run(&directory, &options, &program, &["--sym-stdin", "16"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("--mutate") && said.contains(why), "{said}");
        let _ = std::fs::remove_dir_all(&directory);
    }
}

/// Almost all values of the argument lead to a recursion of a hundred thousand decisions; the bug is at a depth of 20.
#[test]
fn a_find_behind_many_decisions_holds_up_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let code = "#include <assert.h>\n#include <klee/klee.h>\n\
                unsigned id(unsigned x) { return x ? id(x - 1) + 1 : 0; }\n\
                int main(void) {\n    unsigned x;\n    klee_make_symbolic(&x, sizeof x, \"x\");\n\
                \x20   assert(id(x) != 20);\n    return 0;\n}\n";
    let program = compile(folder.path(), "deep", code, &[]);
    let directory = folder.path().join("run");
    let options = ["--workers", "1", "--mutate", "25", "--max-paths", "1000", "--max-time", "60s"];
    let said = succeeded(&run(&directory, &options, &program, &[]));
    assert!(said.starts_with("1000 paths") && said.contains("1 bug"), "{said}");
}

/// A machine with states: each way through it is alike to what came before, but for the last.
const STATES: &str = r#"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static int state, count;
static void step(unsigned char c) {
    switch (state) {
    case 0: state = c == 'g' ? 1 : 0; break;
    case 1: state = c == 'o' ? 2 : c == 'g'; break;
    case 2: count += c == '+'; state = count >= 3 ? 3 : 2; break;
    case 3: if (c == '!') abort();
    }
}
int main(int argc, char **argv) {
    unsigned char in[40];
    struct stat stat;
    int from = argc > 1 ? open(argv[1], O_RDONLY) : 0;
    if (fstat(from, &stat) || stat.st_size != sizeof in || lseek(from, 0, SEEK_SET))
        return 1;
    long n = read(from, in, sizeof in);
    for (long i = 0; i < n; i++)
        step(in[i]);
    return 0;
}
"#;

#[test]
fn native_executions_choose_what_the_engine_executes() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "states", STATES, &[]);
    for (name, arguments) in
        [("stdin", &["--sym-stdin", "40"][..]), ("file", &["A", "--sym-files", "1", "40"])]
    {
        let directory = folder.path().join(name);
        let options = ["--workers", "1", "--mutate", "75", "--max-time", "8s", "--write-tests", "no"];
        succeeded(&run(&directory, &options, &program, arguments));
        let account = account(&directory);
        let native = count(&account, "native_executions");
        assert!(native > 10_000, "{name}: {native} native executions: {account}");
        assert!(native > count(&account, "executions"), "{name}: {account}");
        assert_eq!(count(&account, "executions_disagree"), 0, "{name}: {account}");
        assert!(account["bugs"].as_u64() == Some(1), "{name}: {account}");
        assert!(!directory.join("executor").exists() && !directory.join("executor.new").exists());
    }
}

/// The ends of native executions, each with one object: 0 if the program exits, 1 if it crashes.
fn native_ends(executor: &Path, inputs: &[Vec<u8>]) -> Vec<u32> {
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};
    let text = |bytes: &[u8]| {
        let mut all = (bytes.len() as u32).to_le_bytes().to_vec();
        all.extend(bytes);
        all.resize(all.len().next_multiple_of(4), 0);
        all
    };
    let numbers = |all: &[u32]| all.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    // Standard input is symbolic; one argument, which is known; one variable.
    let environment = [
        numbers(&[1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]),
        text(b"program"),
        numbers(&[1]),
        text(b"A=b"),
        text(b""),
    ]
    .concat();
    let batch: Vec<u8> = inputs.iter().flat_map(|input| [numbers(&[1]), text(input)].concat()).collect();
    let mut child = Command::new(executor).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for message in [environment, batch] {
        stdin.write_all(&(message.len() as u32).to_le_bytes()).unwrap();
        stdin.write_all(&message).unwrap();
    }
    drop(stdin);
    let mut replies = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut replies).unwrap();
    assert!(child.wait().unwrap().success());
    replies.chunks_exact(32).map(|reply| u32::from_le_bytes(reply[..4].try_into().unwrap())).collect()
}

#[test]
fn planted_bugs_crash_natively_and_ordinary_inputs_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let planted = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/classes/planted");
    // An overflow, a failed assertion, a check of clang's, a use after free, a double free, a null pointer.
    for name in ["ini", "vending", "bitmap", "modem", "symtab", "crc8"] {
        let source = planted.join(name).with_extension("c");
        let code = std::fs::read_to_string(&source).unwrap();
        let flags = ["-fsanitize=undefined", &format!("-I{}", planted.display())];
        let program = compile(folder.path(), name, &code, &flags);
        let bitcode = cleave_toolchain::extract_bitcode(&program).unwrap();
        let executor = folder.path().join("executor");
        cleave_toolchain::build_executor(&bitcode, &executor, &|| true).unwrap();
        let input = |kind: &str| std::fs::read(planted.join(name).with_extension(kind)).unwrap();
        let inputs = ["ordinary", "input", "ordinary", "input", "ordinary"].map(input);
        assert_eq!(native_ends(&executor, &inputs), [0, 1, 0, 1, 0], "{name}");
    }
}

#[test]
fn words_that_the_program_compares_with_are_tried_where_it_compares_them() {
    let folder = tempfile::tempdir().unwrap();
    let inlined = "static inline __attribute__((always_inline)) int differs(const char *a, const char *b) {\n\
        while (*b && *a == *b) a++, b++;\n  return *a != *b; }\n";
    let in_place = format!("{inlined}{}", COMMANDS.replace("strcmp", "differs"));
    // An optimiser may hand the outcome of a comparison on to a branch elsewhere.
    for (name, code, seeds, found) in [("called", COMMANDS, 1..=3, 3), ("inlined", &in_place, 1..=6, 4)] {
        let program = compile(folder.path(), name, code, &[]);
        let finds = |kind: &str, options: &[&str]| {
            let directory = folder.path().join(format!("{name}-{kind}"));
            let limits = ["--workers", "1", "--max-bugs", "1", "--max-paths", "30000"];
            let _ = run(&directory, &[&limits[..], options].concat(), &program, &["--sym-stdin", "30"]);
            account(&directory)["bugs"] == 1
        };
        let seeds = seeds.map(|seed: u32| seed.to_string());
        let with = seeds.filter(|seed| finds(seed, &["--random-seed", seed])).count();
        assert!(with >= found, "{name}: with {with} seeds");
        assert!(!finds("without", &["--mutate", "0"]), "{name}: without mutation it is as far away as ever");
    }
}

#[test]
fn a_pointer_in_front_of_its_object_is_no_word() {
    let folder = tempfile::tempdir().unwrap();
    let code = "#include <unistd.h>\n\
        static const char table[] = \"abcdefghijklmnopqrstuvwxyz\";\n\
        static int counted(const char *before, const char *in) {\n\
          int n = 0;\n  for (int i = 1; i <= 4; i++) if (before[i] == in[i]) n++;\n  return n;\n}\n\
        int main(void) { char in[8]; if (read(0, in, 8) != 8) return 9;\n\
          return counted(table - 1, in) + counted(in - 1, table) + counted(table, in - 1); }\n";
    let program = compile(folder.path(), "before", code, &["-fno-sanitize=all"]);
    let directory = folder.path().join("run");
    let done = run(&directory, &["--workers", "1", "--mutate", "20"], &program, &["--sym-stdin", "8"]);
    let said = text(&done.stderr);
    assert!(!said.contains("died") && account(&directory)["open_regions"] == 0, "{said}");
}
