//! Classes of paths (`--merge on`): the same bugs as without it, fewer paths, and the same classes however they are explored.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::session::{cleave, digests, path_text, run, succeeded};

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs").join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    files
}

fn compiled(source: &Path, folder: &Path) -> PathBuf {
    let program = folder.join("program");
    succeeded(&cleave(["cc", "-O0", "-g", "-w", "-o", path_text(&program), path_text(source)]));
    program
}

/// Explores a program to its end; the digests of its paths, and its bugs by kind and place.
fn explored(
    program: &Path,
    folder: &Path,
    options: &[&str],
    arguments: &[&str],
) -> (BTreeSet<String>, BTreeSet<String>) {
    let directory = folder.join("run");
    let _ = std::fs::remove_dir_all(&directory);
    let done = run(&directory, options, program, arguments);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(matches!(done.status.code(), Some(0 | 3 | 5)), "{} {options:?}: {said}", program.display());
    let listed = succeeded(&cleave(["list", path_text(&directory)]));
    let bugs = listed.lines().skip_while(|line| *line != "bugs").skip(1);
    // A number in front, the number of paths behind.
    let bug = |line: &str| {
        line.trim()
            .split_once("  ")
            .map(|(_, text)| text.rsplit_once(" (").unwrap_or((text, "")).0.to_string())
    };
    (digests(&directory), bugs.filter_map(bug).collect())
}

/// A line is parsed by functions of the C library, and a section's name is one byte too long.
const INI: &str = r#"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static char section[8];
static int keys;

static char *trim(char *s) {
  while (isspace((unsigned char)*s)) s++;
  char *end = s + strlen(s);
  while (end > s && isspace((unsigned char)end[-1])) *--end = 0;
  return s;
}

static int line(char *s) {
  s = trim(s);
  if (!*s || *s == ';' || *s == '#') return 0;
  if (*s == '[') {
    char *end = strchr(s, ']');
    if (!end) return -1;
    size_t n = end - s - 1;
    if (n > sizeof section) return -1;
    for (size_t i = 0; i < n; i++) section[i] = s[1 + i];
    section[n] = 0;
    return 1;
  }
  char *eq = strchr(s, '=');
  if (!eq) return -1;
  *eq = 0;
  if (!*trim(s)) return -1;
  keys++;
  return 2;
}

int main(void) {
  char text[64];
  size_t n = fread(text, 1, sizeof text - 1, stdin);
  text[n] = 0;
  int bad = 0;
  for (char *l = strtok(text, "\n"); l; l = strtok(NULL, "\n"))
    if (line(l) < 0) bad++;
  return bad > 3;
}
"#;

#[test]
fn the_overflow_behind_a_million_paths_is_one_class() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("ini.c");
    std::fs::write(&source, INI).unwrap();
    let program = compiled(&source, folder.path());
    let (classes, bugs) = explored(
        &program,
        folder.path(),
        &["--merge", "on", "--workers", "1", "--search", "dfs"],
        &["--sym-stdin", "10"],
    );
    assert!(classes.len() <= 4, "{} classes", classes.len());
    assert!(bugs.iter().any(|bug| bug.starts_with("out-of-bounds")), "{bugs:?}");
}

#[test]
fn joined_arms_have_the_bugs_of_the_paths() {
    let folder = tempfile::tempdir().unwrap();
    let (mut fewer, mut all) = (0, 0);
    // The write of wild_write.c is found too, but told as one outside of all objects, because its address is not seen to be one value.
    for source in programs("bugs").into_iter().filter(|source| !source.ends_with("wild_write.c")) {
        let program = compiled(&source, folder.path());
        let plain = explored(&program, folder.path(), &["--workers", "1"], &[]);
        let merged = explored(&program, folder.path(), &["--merge", "on", "--workers", "1"], &[]);
        assert_eq!(merged.1, plain.1, "{}", source.display());
        fewer += usize::from(merged.0.len() < plain.0.len());
        all += 1;
    }
    assert!(2 * fewer > all, "only {fewer} of {all} programs have fewer classes than paths");
}

#[test]
fn classes_are_the_same_however_they_are_explored() {
    let folder = tempfile::tempdir().unwrap();
    for name in
        ["bst_add_remove.c", "list_add_remove.c", "rb_put_remove_contains.c", "fibonacci_heap.c", "abs_sum.c"]
    {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/oracles").join(name);
        let program = compiled(&source, folder.path());
        let plain = explored(&program, folder.path(), &["--workers", "1"], &[]).0.len();
        let ways: [&[&str]; 4] = [
            &["--workers", "1", "--search", "dfs", "--self-check"],
            &["--workers", "1", "--mode", "concolic"],
            &["--workers", "1", "--search", "random-path"],
            &["--workers", "2"],
        ];
        let sets =
            ways.map(|way| explored(&program, folder.path(), &[&["--merge", "on"], way].concat(), &[]).0);
        assert!(sets.iter().all(|set| *set == sets[0]), "{name}: {:?}", sets.map(|set| set.len()));
        assert!(sets[0].len() < plain, "{name}: {} classes, {plain} paths", sets[0].len());
    }
}

/// The paths of each class, expanded, are all paths of a run without merging, and none is in two classes.
fn expands_to_its_paths(program: &Path, folder: &Path, arguments: &[&str]) -> (usize, usize) {
    let name = program.display();
    let paths = explored(program, folder, &["--workers", "1"], arguments).0;
    let merged = folder.join("merged");
    let _ = std::fs::remove_dir_all(&merged);
    run(&merged, &["--merge", "on", "--workers", "1"], program, arguments);
    let classes = digests(&merged).len();
    let mut found = BTreeSet::new();
    for class in 1..=classes {
        let directory = folder.join("expanded");
        let _ = std::fs::remove_dir_all(&directory);
        let workers = if class.is_multiple_of(2) { "1" } else { "2" };
        let words = ["expand", "--workers", workers, "--output-dir", path_text(&directory)];
        let done = cleave(words.into_iter().chain([path_text(&merged), &class.to_string()]));
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(matches!(done.status.code(), Some(0 | 3 | 5)), "{name}, class {class}: {said}");
        let about = format!("only the class of test {class} of ");
        assert!(String::from_utf8_lossy(&done.stdout).contains(&about), "{done:?}");
        for path in digests(&directory) {
            assert!(paths.contains(&path), "{name}, class {class}: {path} is no path without merging");
            assert!(found.insert(path.clone()), "{name}, class {class}: {path} is in another class, too");
        }
    }
    assert_eq!(found.len(), paths.len(), "{name}: some paths are in no class");
    (classes, paths.len())
}

#[test]
fn classes_expand_to_the_paths_of_a_run_without_merging() {
    let folder = tempfile::tempdir().unwrap();
    let (mut classes, mut paths) = (0, 0);
    let mut add = |(of_classes, of_paths)| {
        classes += of_classes;
        paths += of_paths;
    };
    for name in ["bst_add_remove.c", "list_add_remove.c", "rb_put_remove_contains.c", "abs_sum.c"] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/oracles").join(name);
        let program = compiled(&source, folder.path());
        add(expands_to_its_paths(&program, folder.path(), &[]));
    }
    let source = folder.path().join("ini.c");
    std::fs::write(&source, INI).unwrap();
    let program = compiled(&source, folder.path());
    add(expands_to_its_paths(&program, folder.path(), &["--sym-stdin", "4"]));
    assert!(2 * classes < paths, "{classes} classes, {paths} paths");
}

#[test]
fn only_a_class_can_be_expanded() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("ini.c");
    std::fs::write(&source, INI).unwrap();
    let program = compiled(&source, folder.path());
    for (merge, test, says) in
        [("off", "1", "only a run with --merge on has classes"), ("on", "99", "there is no test 99")]
    {
        let directory = folder.path().join(merge);
        run(&directory, &["--merge", merge, "--workers", "1"], &program, &["--sym-stdin", "2"]);
        let done = cleave(["expand", path_text(&directory), test]);
        assert_eq!(done.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&done.stderr).contains(says), "{done:?}");
    }
}
