//! `cleave doctor` on runs that went badly: the cause that was planted comes first.

use crate::support::{cleave, succeeded};

/// A run that went badly on purpose.
struct Bad {
    name: &'static str,
    /// Statements of `main` before it returns `n`; `c` is an `int` for a byte of input.
    body: &'static str,
    options: &'static [&'static str],
    /// Of the program.
    arguments: &'static [&'static str],
    /// A part of what the doctor says first.
    cause: &'static str,
}

const BLANKS: &str = "while ((c = getchar()) != EOF) if (c == ' ' || c == 9) n++; else if (c > 90) n += 2;";

const RUNS: [Bad; 12] = [
    Bad {
        name: "no_input",
        body: "n = 3;",
        options: &[],
        arguments: &[],
        cause: "no decision depends on an input",
    },
    Bad {
        name: "outside",
        body: "c = getchar(); if (c > 3) n = outside(c);",
        options: &[],
        arguments: &["--sym-stdin", "1"],
        cause: "`outside`",
    },
    Bad {
        name: "depth",
        body: BLANKS,
        options: &["--max-depth", "5"],
        arguments: &["--sym-stdin", "8"],
        cause: "--max-depth",
    },
    Bad {
        name: "many",
        body: BLANKS,
        options: &["--max-paths", "500", "--workers", "2"],
        arguments: &["--sym-stdin", "40"],
        cause: "of the paths part at",
    },
    Bad {
        name: "instructions",
        body: "c = getchar(); for (int i = 0; i < c * 1000; i++) n += i;",
        options: &["--max-path-instructions", "20000"],
        arguments: &["--sym-stdin", "1"],
        cause: "instructions",
    },
    Bad {
        name: "unset",
        body: "int set; c = getchar(); if (set) n = 1; if (c == 3) n = 2;",
        options: &[],
        arguments: &["--sym-stdin", "1"],
        cause: "1 of 1 path ends in a bug at",
    },
    Bad {
        name: "first_bug",
        body: "int *p = 0; c = getchar(); if (c != 3) *p = 1; if (c > 9) n = 2;",
        options: &[],
        arguments: &["--sym-stdin", "1"],
        cause: "(null-pointer), and what lies behind it is not explored: mend it first",
    },
    Bad {
        name: "leaks",
        body: "char *p = malloc(3); c = getchar(); p[0] = c; if (c > 3) n = 1; p = 0;",
        options: &["--check", "leak"],
        arguments: &["--sym-stdin", "1"],
        cause: "nothing: every path is explored",
    },
    Bad {
        name: "assumed",
        body: "for (int i = 0; i < 5; i++) if (getchar() > 90) n++; klee_assume(n == 5);",
        options: &[],
        arguments: &["--sym-stdin", "5"],
        cause: "are assumed away",
    },
    Bad {
        name: "solver",
        body: "unsigned char b[12]; unsigned long x = 0, y = 0; fread(b, 1, 12, stdin); memcpy(&x, b, 6); memcpy(&y, b + 6, 6); \
             if (x * y == 0xb4ec0a1d9e5c0b3dUL && x > 1 && y > x) n = 1;",
        options: &["--max-time", "5"],
        arguments: &["--sym-stdin", "12"],
        cause: "the solver has",
    },
    Bad {
        name: "values",
        body: "c = getchar(); if (c != EOF) ftruncate(0, c);",
        options: &[],
        arguments: &["--sym-stdin", "1"],
        cause: "256 paths differ only in a value at",
    },
    Bad {
        name: "whole",
        body: "c = getchar(); if (c > 3) n = 1;",
        options: &[],
        arguments: &["--sym-stdin", "1"],
        cause: "nothing: every path is explored",
    },
];

/// The first line of the doctor, of this run.
fn first(bad: &Bad) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("{}.c", bad.name));
    let text = format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n\
         int outside(int);\nvoid klee_assume(unsigned long);\n\
         int main(void) {{ int c, n = 0; {} return n; }}\n",
        bad.body
    );
    std::fs::write(&file, text).unwrap();
    let run = folder.path().join("run");
    cleave()
        .args(["run", "--output-dir"])
        .arg(&run)
        .args(bad.options)
        .arg(&file)
        .args(bad.arguments)
        .output()
        .unwrap();
    let told = succeeded(cleave().arg("doctor").arg(&run));
    String::from_utf8(told.stdout).unwrap().lines().next().unwrap_or_default().to_string()
}

#[test]
fn the_cause_of_a_bad_run_comes_first() {
    for bad in &RUNS {
        let told = first(bad);
        assert!(told.contains(bad.cause), "{}: {told}", bad.name);
    }
}
