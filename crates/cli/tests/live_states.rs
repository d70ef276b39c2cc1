//! A search that keeps many states of a program with a large object stays within its memory, and finds depth-first's paths.

use std::collections::BTreeSet;
use std::path::Path;

use crate::session::*;

/// 2^14 paths. Each round writes to a hundred pages of the object, all of which a state has of its own after its next fork:
/// all states of the last round together have 1.6 GB.
const LARGE: &str = r#"
#include <klee/klee.h>
static unsigned char large[100 * 1024];
int main(void) {
  unsigned char bits[14];
  int sum = 0;
  klee_make_symbolic(bits, sizeof bits, "bits");
  for (int i = 0; i < 14; i++) {
    unsigned char add = 1;
    if (bits[i] & 1) add = 2;
    for (int page = 0; page < 100; page++) large[page * 1024 + i] += add;
  }
  for (int page = 0; page < 100; page++) sum += large[page * 1024 + 13];
  return sum & 127;
}
"#;

/// The paths of a finished run, and its largest worker in MB.
fn explored(folder: &Path, name: &str, program: &Path, options: &[&str]) -> (BTreeSet<String>, u64) {
    let directory = folder.join(name);
    let options = [&["--workers", "1", "--tests", "none"], options].concat();
    succeeded(&run(&directory, &options, program, &[]));
    (digests(&directory), account(&directory)["peak_memory_bytes"].as_u64().unwrap() / 1_000_000)
}

#[test]
fn broad_searches_stay_within_their_memory_and_find_depth_firsts_paths() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "large", LARGE, &["-O0"]);
    let (paths, alone) = explored(folder.path(), "dfs", &program, &["--search", "dfs"]);
    assert_eq!(paths.len(), 1 << 14);
    for (name, options, most) in [
        ("bfs", &["--search", "bfs"][..], 400),
        ("covnew", &["--search", "covnew"], 400),
        ("tight", &["--search", "bfs", "--max-memory", "64M"], 150),
    ] {
        let (found, megabytes) = explored(folder.path(), name, &program, options);
        assert_eq!(found, paths, "{name}");
        assert!(megabytes < alone + most, "{name} took {megabytes} MB, depth-first {alone} MB");
    }
}
