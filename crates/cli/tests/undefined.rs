//! Values that nobody has set: using them is a bug, at every level of optimisation and in both modes; whatever else a
//! program does with them is none.

use std::path::{Path, PathBuf};

use crate::support::{Program, built, cleave, corpus, each};

fn compiled(source: &Path, level: &str, folder: &Path) -> PathBuf {
    let program = folder.join(format!("{}{level}", source.file_stem().unwrap().display()));
    let mut command = cleave();
    command.args(["cc", "-w", level, "-o"]).arg(&program).arg(source);
    built(&mut command);
    program
}

/// The bugs that are found, as the run says them.
fn bugs(program: &Path, mode: &str, arguments: &[&str]) -> Vec<String> {
    let run = program.with_extension(mode);
    let mut command = cleave();
    command.args(["run", "--workers", "1", "--mode", mode, "--output-dir"]).arg(&run);
    let output = command.arg(program).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("completed"), "{text}");
    text.lines().filter(|line| line.contains(", test ")).map(str::to_string).collect()
}

/// In both modes, at each of these levels.
fn found(source: &Path, levels: &[&str], arguments: &[&str]) -> Vec<(String, Vec<String>)> {
    let scratch = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for level in levels {
        let program = compiled(source, level, scratch.path());
        for mode in ["symbolic", "concolic"] {
            all.push((format!("{} {level} {mode}", source.display()), bugs(&program, mode, arguments)));
        }
    }
    all
}

#[test]
fn uses_of_what_nobody_has_set_are_told_at_every_level() {
    let mut planted = corpus("bugs");
    planted
        .retain(|p| p.source.file_stem().is_some_and(|n| n.to_string_lossy().starts_with("uninitialised")));
    assert!(planted.len() >= 3);
    each(&planted, |program: &Program| {
        // An optimiser gives a local variable the value that it has on the other paths: the bug is gone with it.
        let local = program.source.ends_with("uninitialised_local.c");
        let levels: &[&str] = if local { &["-O0"] } else { &["-O0", "-O1", "-O2"] };
        for (what, bugs) in found(&program.source, levels, &[]) {
            assert!(matches!(&bugs[..], [bug] if bug.contains("(uninitialised,")), "{what}: {bugs:#?}");
        }
    });
}

#[test]
fn what_goes_out_must_be_set() {
    let text = "#include <klee/klee.h>\n#include <unistd.h>\nstruct gap { char c; int i; };\n\
        int main(void) {\n  struct gap g;\n  int k;\n  klee_make_symbolic(&k, sizeof k, \"k\");\n  g.c = 'c';\n  g.i = 0;\n\
        if (k) return write(1, &g.c, 1) + write(1, &g.i, sizeof g.i) != 5;\n\
        return write(1, &g, sizeof g) != sizeof g;\n}\n";
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("gap.c");
    std::fs::write(&source, text).unwrap();
    for (what, bugs) in found(&source, &["-O0", "-O2"], &[]) {
        assert!(
            matches!(&bugs[..], [bug] if bug.contains("what is given to the system")),
            "{what}: {bugs:#?}"
        );
    }
}

/// Uses at the end of the program, in the heap, in a system call and in a computed goto; bytes that the system does not look
/// at may be unset.
const USES: &str = "#include <klee/klee.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
    int main(void) {\n  void *pointers[2];\n  int numbers[2], k;\n  klee_make_symbolic(&k, sizeof k, \"k\");\n\
    \x20 pointers[0] = &&set;\n  numbers[0] = 1;\n\
    \x20 switch (k) {\n  case 0: free(pointers[1]); break;\n  case 1: pointers[0] = realloc(pointers[1], 4); break;\n\
    \x20 case 2: goto *pointers[1];\n  case 3: return close(numbers[1]);\n  case 4: return numbers[1] & 7;\n\
    \x20 case 5: _exit(numbers[1] & 7);\n  case 6: goto *pointers[0];\n  case 7: free(pointers[0] = 0); return numbers[0];\n\
    \x20 default: return numbers[1] << 8;\n  }\nset:\n  return 0;\nunset:\n  pointers[1] = &&unset;\n  return 1;\n}\n";

#[test]
fn whatever_a_program_ends_with_frees_or_goes_to_must_be_set() {
    let expected = [
        "a pointer to the heap",
        "a pointer to the heap",
        "a computed goto",
        "an argument or a size",
        "the exit status",
        "the exit status",
    ];
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("uses.c");
    std::fs::write(&source, USES).unwrap();
    let program = compiled(&source, "-O0", scratch.path());
    for mode in ["symbolic", "concolic"] {
        let run = program.with_extension(mode);
        let mut command = cleave();
        command.args(["run", "--workers", "1", "--all-errors", "--mode", mode, "--output-dir"]).arg(&run);
        let output = command.arg(&program).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        let bugs: Vec<_> = text.lines().filter(|line| line.contains("(uninitialised,")).collect();
        for what in expected {
            let times = expected.iter().filter(|e| **e == what).count();
            let said = bugs.iter().filter(|b| b.contains(what)).count();
            assert_eq!(said, times, "{mode}: {what}: {text}");
        }
        assert!(text.contains("3 completed, 6 failed") && bugs.len() == 6, "{mode}: {text}");
    }
}

#[test]
fn what_an_optimiser_moves_in_front_of_its_check_is_no_bug() {
    let clean: Vec<Program> = corpus("features");
    let clean = clean.iter().find(|p| p.source.ends_with("undefined_values.c")).unwrap();
    for (what, bugs) in found(&clean.source, &["-O1", "-O2"], &clean.words("args")) {
        assert!(bugs.is_empty(), "{what}: {bugs:#?}");
    }
}

#[test]
fn a_shift_that_goes_too_far_is_told_where_its_result_is_used() {
    let text = "#include <klee/klee.h>\n\
        int main(void) {\n  unsigned n, c;\n  klee_make_symbolic(&n, sizeof n, \"n\");\n\
        klee_make_symbolic(&c, sizeof c, \"c\");\n  unsigned r = 0;\n  if (c & 1) r = c << n;\n\
        if (n > 40) return 1;\n  if (r > 1000) return 2;\n  return 0;\n}\n";
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("far.c");
    std::fs::write(&source, text).unwrap();
    for (what, bugs) in found(&source, &["-O0", "-O1", "-O2"], &[]) {
        assert!(matches!(&bugs[..], [bug] if bug.contains("(overshift,")), "{what}: {bugs:#?}");
    }
}

#[test]
fn the_family_is_switched_off_by_name() {
    let planted = corpus("bugs");
    let local = planted.iter().find(|p| p.source.ends_with("uninitialised_local.c")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let program = compiled(&local.source, "-O0", scratch.path());
    let mut command = cleave();
    command.args(["run", "--workers", "1", "--check", "-uninitialised", "--output-dir"]);
    let output = command.arg(scratch.path().join("off")).arg(&program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("0 bugs"), "{text}");
}
