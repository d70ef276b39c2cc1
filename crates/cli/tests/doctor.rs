//! `cleave doctor` on runs that went badly: the cause that was planted comes first.

use crate::support::{cleave, succeeded};

/// The first line of the doctor, of a run of this source.
fn first(name: &str, text: &str, options: &[&str], arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("{name}.c"));
    std::fs::write(&file, text).unwrap();
    let run = folder.path().join("run");
    cleave()
        .args(["run", "--output-dir"])
        .arg(&run)
        .args(options)
        .arg(&file)
        .args(arguments)
        .output()
        .unwrap();
    let told = succeeded(cleave().arg("doctor").arg(&run));
    String::from_utf8(told.stdout).unwrap().lines().next().unwrap_or_default().to_string()
}

#[test]
fn the_cause_of_a_bad_run_comes_first() {
    let stdin = |body: &str| {
        format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\nint outside(int);\nvoid klee_assume(unsigned long);\nint main(void) {{ int c, n = 0; {body} return n; }}\n"
        )
    };
    let blanks =
        stdin("while ((c = getchar()) != EOF)\nif (c == ' ' || c == 9) n++;\nelse if (c > 90) n += 2;\n");
    for (name, text, options, arguments, cause) in [
        ("no_input", stdin("n = 3;"), &[][..], &[][..], "no decision depends on an input"),
        (
            "outside",
            stdin("c = getchar(); if (c > 3) n = outside(c);"),
            &[],
            &["--sym-stdin", "1"],
            "`outside`",
        ),
        ("depth", blanks.clone(), &["--max-depth", "5"], &["--sym-stdin", "8"], "--max-depth"),
        (
            "many",
            blanks.clone(),
            &["--max-paths", "500", "--workers", "2"],
            &["--sym-stdin", "40"],
            "of the paths part at",
        ),
        (
            "instructions",
            stdin("c = getchar(); for (int i = 0; i < c * 1000; i++) n += i;"),
            &["--max-path-instructions", "20000"],
            &["--sym-stdin", "1"],
            "instructions",
        ),
        (
            "unset",
            stdin("int set; c = getchar(); if (set) n = 1; if (c == 3) n = 2;"),
            &[],
            &["--sym-stdin", "1"],
            "1 of 1 path ends in a bug at",
        ),
        (
            "first_bug",
            stdin("int *p = 0; c = getchar(); if (c != 3) *p = 1; if (c > 9) n = 2;"),
            &[],
            &["--sym-stdin", "1"],
            "(null-pointer), and what lies behind it is not explored: mend it first",
        ),
        (
            "leaks",
            stdin("char *p = malloc(3); c = getchar(); p[0] = c; if (c > 3) n = 1; p = 0;"),
            &["--check", "leak"],
            &["--sym-stdin", "1"],
            "nothing: every path is explored",
        ),
        (
            "assumed",
            stdin("for (int i = 0; i < 5; i++) if (getchar() > 90) n++; klee_assume(n == 5);"),
            &[],
            &["--sym-stdin", "5"],
            "are assumed away",
        ),
        (
            "solver",
            stdin(
                "unsigned char b[12]; unsigned long x = 0, y = 0; fread(b, 1, 12, stdin); memcpy(&x, b, 6); memcpy(&y, b + 6, 6); \
                 if (x * y == 0xb4ec0a1d9e5c0b3dUL && x > 1 && y > x) n = 1;",
            ),
            &["--max-time", "5"],
            &["--sym-stdin", "12"],
            "the solver has",
        ),
        (
            "values",
            stdin("c = getchar(); if (c != EOF) lseek(0, c, SEEK_SET);"),
            &[],
            &["--sym-stdin", "1"],
            "256 paths differ only in a value at",
        ),
        (
            "whole",
            stdin("c = getchar(); if (c > 3) n = 1;"),
            &[],
            &["--sym-stdin", "1"],
            "nothing: every path is explored",
        ),
    ] {
        let told = first(name, &text, options, arguments);
        assert!(told.contains(cause), "{name}: {told}");
    }
}
