//! Programs for 32 bits: the native run is the judge of them too.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Program, built, cleave, corpus, each, json_lines, records, succeeded};

/// Programs of `programs` that are judged here, by their folders; `CLEAVE_BITS32` names folders which are judged whole.
const JUDGED: [(&str, &[&str]); 5] = [
    (
        "features",
        &[
            "atomics",
            "bit_fields",
            "c23_library",
            "call_structures",
            "complex_numbers",
            "far_jumps",
            "files",
            "fixed_objects",
            "floating_point",
            "heap",
            "long_doubles",
            "printf_formats",
            "sym_number",
            "waiting",
        ],
    ),
    ("processes", &["borrowed_memory", "pipeline", "spawn", "exit_status"]),
    ("signals", &["handlers", "stacks", "timers"]),
    ("sockets", &["echo", "names", "select"]),
    ("threads", &["barrier", "counter", "once_local_key"]),
];

/// Compiles a program for 32 bits into a folder.
fn built_narrow(program: &Program, folder: &Path) -> PathBuf {
    let executable = folder.join(program.source.file_stem().unwrap());
    let mut command = cleave();
    command.args(["cc", "-m32", "-O0"]).args(program.words("flags")).arg("-o").arg(&executable);
    built(command.arg(&program.source));
    executable
}

/// The verdicts of the replay of all tests, and the tests.
fn replayed(executable: &Path, arguments: &[&str], folder: &Path) -> (Vec<Value>, Vec<Value>) {
    let run = folder.join("run");
    let mut explore = cleave();
    explore.args(["run", "--workers", "1", "--output-dir"]).arg(&run).arg(executable).args(arguments);
    succeeded(&mut explore);
    let listed = records(cleave().args(["list", "--json"]).arg(&run));
    let verdicts =
        json_lines(&cleave().args(["replay", "--json"]).arg(executable).arg(&run).output().unwrap());
    (listed.into_iter().filter(|r| r["record"] == "test").collect(), verdicts)
}

fn judge(program: &Program) {
    let name = program.source.display();
    let scratch = tempfile::tempdir().unwrap();
    let executable = built_narrow(program, scratch.path());
    let (tests, verdicts) = replayed(&executable, &program.words("args"), scratch.path());
    let other: Vec<_> = tests.iter().filter(|r| r["kind"] != "completed" && r["kind"] != "failed").collect();
    assert!(other.is_empty() && !tests.is_empty(), "{name}: {other:#?}");
    let differ: Vec<_> = verdicts.iter().filter(|v| v["verdict"] != "agrees").collect();
    assert!(differ.is_empty(), "{name}: {differ:#?}");
    assert_eq!(verdicts.len(), tests.len(), "{name}: every test runs natively");
}

#[test]
fn features_do_for_32_bits_what_they_do_natively() {
    let mut all = Vec::new();
    for (folder, names) in JUDGED {
        let mut programs = corpus(folder);
        programs.retain(|p| names.contains(&p.source.file_stem().unwrap().to_str().unwrap()));
        assert_eq!(programs.len(), names.len(), "{folder}");
        all.append(&mut programs);
    }
    each(&all, judge);
    for folder in std::env::var("CLEAVE_BITS32").unwrap_or_default().split_whitespace() {
        each(&corpus(folder), judge);
    }
}

#[test]
fn a_source_for_32_bits_is_explored_and_replayed_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (source, run) = (folder.path().join("area.c"), folder.path().join("run"));
    let text = "#include <klee/klee.h>\n#include <stdio.h>\nint main(void) {\n  long side = klee_range(0, 100000, \"side\");\n  \
                printf(\"%zu\\n\", sizeof side);\n  if (side > 7)\n    return 1;\n  return 0;\n}\n";
    std::fs::write(&source, text).unwrap();
    succeeded(cleave().args(["run", "-m32", "--output-dir"]).arg(&run).arg(&source));
    let verdicts = records(cleave().args(["replay", "--json"]).arg(&source).arg(&run));
    assert_eq!(verdicts.len(), 2, "{verdicts:#?}");
    assert!(verdicts.iter().all(|v| v["verdict"] == "agrees"), "{verdicts:#?}");
}

#[test]
fn an_alignment_that_32_bits_do_not_have_is_refused_with_the_largest() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("aligned.c");
    std::fs::write(&source, "_Alignas(16384) char page[8];\nint main(void) { return page[0]; }\n").unwrap();
    let run = folder.path().join("run");
    let output = cleave().args(["run", "-m32", "--output-dir"]).arg(&run).arg(&source).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("16384 bytes, and no more than 8 KiB"), "{said}");
}

/// A function of a table, which the input chooses, and an object to which a pointer leads that the input moves.
const POINTERS: &str = "
    #include <klee/klee.h>
    #include <stdlib.h>
    static int left(int p) { return p * 3 + 1; }
    static int right(int p) { return p ^ 21; }
    static int (*const table[])(int) = {left, right};
    static char *kept;
    int main(void)
    {
        unsigned char x;
        klee_make_symbolic(&x, sizeof x, \"x\");
        char *object = malloc(16);
        if (!object)
            return 1;
        kept = object + (x & 7);
        return table[x & 1](3);
    }";

#[test]
fn pointers_of_32_bits_that_depend_on_the_input_lead_where_they_point() {
    let folder = tempfile::tempdir().unwrap();
    let (source, executable) = (folder.path().join("pointers.c"), folder.path().join("pointers"));
    std::fs::write(&source, POINTERS).unwrap();
    built(cleave().args(["cc", "-m32", "-O0", "-o"]).arg(&executable).arg(&source));
    let (tests, verdicts) = replayed(&executable, &[], folder.path());
    let mut statuses: Vec<_> = tests.iter().map(|t| t["exit_status"].as_i64()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [Some(10), Some(22)], "{tests:#?}");
    assert!(verdicts.iter().all(|v| v["verdict"] == "agrees"), "{verdicts:#?}");
    let run = folder.path().join("leaks");
    let mut leaks = cleave();
    leaks.args(["run", "--workers", "1", "--check", "leak", "--output-dir"]).arg(&run).arg(&executable);
    succeeded(&mut leaks);
    let listed = records(cleave().args(["list", "--json"]).arg(&run));
    assert!(listed.iter().all(|r| r["record"] != "bug"), "{listed:#?}");
}
