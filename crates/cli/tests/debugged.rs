//! `cleave replay --gdb`: gdb shows the program where it fails, with the test's bytes.

use std::path::Path;
use std::process::Output;

use crate::support::{cleave, succeeded};

/// It fails in `inner`, tells all that it finds, and tries to write a file that it is not to write.
const PROGRAM: &str = r#"#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
static void hexes(const char *name, const unsigned char *bytes, size_t n) {
  printf("%s:", name);
  for (size_t i = 0; i < n; i++)
    printf(" %02x", bytes[i]);
  printf("\n");
}
static int inner(int *p) { return *p; }
int main(int argc, char **argv) {
  unsigned char in[8];
  size_t n = fread(in, 1, 8, stdin);
  hexes("stdin", in, n);
  FILE *a = fopen("A", "r");
  n = fread(in, 1, 8, a);
  hexes("A", in, n);
  n = 0;
  while (argv[1][n])
    n++;
  hexes("argv", (unsigned char *)argv[1], n);
  printf("%s %d\n", argv[0], argc);
  FILE *escaped = fopen(ESCAPED, "w");
  printf("escaped: %d\n", escaped != 0);
  FILE *own = fopen("own", "w");
  printf("own: %d\n", own != 0);
  fflush(stdout);
  return inner(argv[1][0] == '"' ? 0 : &argc);
}
"#;

fn gdb(program: &Path, test: &Path, commands: &[&str], more: &[&str]) -> Output {
    let mut replay = cleave();
    replay.args(["replay", "--gdb", "--gdb-arg=-nx", "--gdb-arg=--batch"]).args(more);
    for command in commands {
        replay.arg("--gdb-arg=-ex").arg(format!("--gdb-arg={command}"));
    }
    let output = replay.arg(program).arg(test).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!error.contains("cannot start gdb"), "{error}: scripts/setup.sh tests installs it");
    output
}

#[test]
fn gdb_stops_where_the_bug_is_in_the_tests_world() {
    let folder = tempfile::tempdir().unwrap();
    let (source, program, test) =
        (folder.path().join("p.c"), folder.path().join("p"), folder.path().join("t.ktest"));
    let escaped = folder.path().join("escaped");
    std::fs::write(&source, format!("#define ESCAPED \"{}\"\n{PROGRAM}", escaped.display())).unwrap();
    succeeded(cleave().args(["cc", "-O0", "-g", "-o"]).arg(&program).arg(&source));
    let (stdin, file) = (folder.path().join("in"), folder.path().join("file"));
    std::fs::write(&stdin, b"\x00\n'\xff").unwrap();
    std::fs::write(&file, b"A\x80").unwrap();
    let mut make = cleave();
    make.args(["tests", "make", "--output"]).arg(&test).args(["--arg", "\"'$(x)\n *\\"]);
    make.arg("--stdin").arg(&stdin).arg("--file").arg(format!("A={}", file.display())).arg(&program);
    succeeded(make.args(["--sym-arg", "10", "--sym-stdin", "4", "--sym-files", "1", "2"]));
    // Twice: each `run` begins anew.
    let commands = ["run", "bt", "kill", "run", "print n"];
    let output = gdb(&program, &test, &commands, &[]);
    let (said, notes) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let told = format!("{said}\n{notes}");
    let expected =
        ["stdin: 00 0a 27 ff\n", "A: 41 80\n", "argv: 22 27 24 28 78 29 0a 20 2a 5c\n", "p 2\n", "own: 1\n"];
    for part in expected {
        assert_eq!(said.matches(part).count(), 2, "{part}: {told}");
    }
    assert!(
        said.contains("SIGSEGV") && said.contains("inner (p=0x0)") && said.contains("main (argc=2"),
        "{told}"
    );
    assert!(notes.contains("under gdb the program has the test's arguments"), "{told}");
    // It cannot write elsewhere; who asks for no isolation gets none.
    assert!(said.contains("escaped: 0") && !escaped.exists(), "{told}");
    let output = gdb(&program, &test, &["run"], &["--no-sandbox"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("escaped: 1") && escaped.exists());
}

#[test]
fn gdb_runs_one_test() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("p.c");
    std::fs::write(&source, "int main(int argc, char **argv) { if (argv[1][0] == 'a') return 1; return 0; }")
        .unwrap();
    let (program, run) = (folder.path().join("p"), folder.path().join("run"));
    succeeded(cleave().args(["cc", "-g", "-o"]).arg(&program).arg(&source));
    succeeded(cleave().args(["run", "--output-dir"]).arg(&run).arg(&program).args(["--sym-arg", "1"]));
    let output = cleave().args(["replay", "--gdb"]).arg(&program).arg(&run).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("--gdb runs one test, and 2 are given"), "{error}");
}
