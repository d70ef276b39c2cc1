//! `cleave callers`: which callers reach the bugs of a function.

use std::path::Path;

use crate::session::{cleave, done, path_text, succeeded, text};

const CHAIN: &str = r#"
#include <stdio.h>
#include <string.h>
struct item { char name[8]; int kind; };
static void copy_name(struct item *it, const char *from, unsigned n) {
  for (unsigned i = 0; i < n; i++) it->name[i] = from[i];
}
static int careful(struct item *it, const char *from) {
  unsigned n = strlen(from);
  if (n > 8) return -1;
  copy_name(it, from, n);
  return 0;
}
//@ requires \valid(it) && \valid_read(from + (0..15)) && from[15] == 0;
static int careless(struct item *it, const char *from) {
  copy_name(it, from, strlen(from));
  return 0;
}
int load(struct item *it, const char *line) {
  return line[0] == '!' ? careless(it, line + 1) : careful(it, line);
}
int main(void) {
  struct item it = {0};
  char line[20];
  if (!fgets(line, sizeof line, stdin)) return 1;
  return load(&it, line);
}
"#;

/// A run of `copy_name`, which reads of a longer name than there is room for.
fn found(folder: &Path) -> std::path::PathBuf {
    let (file, directory) = (folder.join("chain.c"), folder.join("run"));
    std::fs::write(&file, CHAIN).unwrap();
    let entry = "copy_name(it, from[n], n <= 12)";
    let ran =
        cleave(["run", "--output-dir", path_text(&directory), "--entry-point", entry, path_text(&file)]);
    assert!(done(&ran), "{ran:?}");
    directory
}

#[test]
fn callers_reach_a_bug_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let directory = found(folder.path());
    let ran = cleave(["callers", path_text(&directory), "--", "--sym-stdin", "12"]);
    let said = text(&ran.stdout);
    assert_eq!(ran.status.code(), Some(3), "{said}{}", text(&ran.stderr));
    assert!(said.contains("\n  reached from careless("), "{said}");
    assert!(said.contains("\n  reachable from main: test "), "{said}");
    assert!(said.contains("\ncareful(it, from: string <= 8) reaches none of them in 9 paths\n"), "{said}");
    // Each run is one like any other: its test does natively what it foretells.
    let main = directory.join("callers/main");
    let replayed =
        succeeded(&cleave(["replay", path_text(&folder.path().join("chain.c")), path_text(&main)]));
    assert!(!replayed.contains("differs"), "{replayed}");
    // Eight bytes of input are seven letters behind the mark: no name is too long.
    let ran = cleave(["callers", path_text(&directory), "--", "--sym-stdin", "8"]);
    let said = succeeded(&ran);
    assert!(
        said.contains("\nmain reaches none of them in ") && !said.contains("reachable from main"),
        "{said}"
    );
}

#[test]
fn a_run_of_the_whole_program_has_no_callers() {
    let folder = tempfile::tempdir().unwrap();
    let (file, directory) = (folder.path().join("whole.c"), folder.path().join("run"));
    std::fs::write(&file, "int main(int n, char **v) { return 7 / (v[1] != 0 && v[1][0] != 'a'); }\n")
        .unwrap();
    let ran = cleave(["run", "--output-dir", path_text(&directory), path_text(&file), "--sym-arg", "1"]);
    assert!(done(&ran), "{ran:?}");
    let ran = cleave(["callers", path_text(&directory)]);
    let error = text(&ran.stderr);
    assert!(ran.status.code() == Some(2) && error.contains("began with `main`"), "{error}");
}
