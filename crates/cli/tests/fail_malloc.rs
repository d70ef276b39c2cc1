//! `--fail-malloc`: calls that allocate fail at most so many times a path, and natively the same calls do.

use std::path::Path;

use crate::session::{account, agrees_on_all, cleave, compile, path_text, records, run, succeeded};

/// A program with several allocations in a row, each of which looks at its result.
const CODE: &str = "#include <errno.h>\n#include <stdlib.h>\n#include <string.h>\nstatic void *volatile kept;\n\
    static int one(int i) { errno = 0; void *p = i % 3 == 0 ? malloc(8) : i % 3 == 1 ? calloc(2, 4) : (void *)strdup(\"x\");\n\
    int failed = !p; kept = p; free(p); return failed && errno == ENOMEM; }\n\
    int main(void) { int failed = 0; for (int i = 0; i < 5; i++) failed += one(i); return failed; }\n";

/// Of `n` calls at most `most` fail: so many paths.
fn paths(n: u64, most: u64) -> u64 {
    let choose = |k: u64| (0..k).fold(1, |c, i| c * (n - i) / (i + 1));
    (0..=most.min(n)).map(choose).sum()
}

fn completed(directory: &Path) -> u64 {
    records(directory).iter().filter(|r| r["record"] == "test" && r["kind"] == "completed").count() as u64
}

#[test]
fn each_choice_of_at_most_n_failing_calls_is_a_path_that_runs_so_natively() {
    let folder = tempfile::tempdir().unwrap();
    for level in ["-O0", "-O2"] {
        let program = compile(folder.path(), &format!("p{level}"), CODE, &[level]);
        for (most, option) in [(0, None), (1, Some("--fail-malloc")), (2, Some("--fail-malloc=2"))] {
            for how in [["--mode", "symbolic"], ["--mode", "concolic"], ["--workers", "2"]] {
                let directory = folder.path().join(format!("{level}{most}{}", how[1]));
                let options: Vec<&str> = how.iter().copied().chain(option).collect();
                succeeded(&run(&directory, &options, &program, &[]));
                assert_eq!(completed(&directory), paths(5, most), "{options:?} {level}");
                agrees_on_all(&program, &directory, paths(5, most));
            }
        }
    }
}

#[test]
fn a_run_that_goes_on_keeps_how_many_calls_may_fail() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "p", CODE, &["-O0"]);
    for mode in ["symbolic", "concolic"] {
        let directory = folder.path().join(mode);
        let options = ["--fail-malloc=3", "--mode", mode, "--workers", "1", "--max-paths", "3"];
        let _ = run(&directory, &options, &program, &[]);
        assert_eq!(completed(&directory), 3);
        // In the other mode, on two workers.
        let other = if mode == "symbolic" { "concolic" } else { "symbolic" };
        succeeded(&cleave(["resume", "--workers", "2", "--mode", other, path_text(&directory)]));
        assert_eq!(completed(&directory), paths(5, 3));
        assert_eq!(account(&directory)["open_regions"], 0);
        agrees_on_all(&program, &directory, paths(5, 3));
    }
}
