//! A run that goes on with another program than it began with, as a planted error of ours: the regions whose tests
//! lead elsewhere are set aside with a report, and everything else goes on.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::session::{account, cleave, compile, digests, path_text, records, run, succeeded, text};

const BITS: &str = r#"
#include <klee/klee.h>
int main(void) {
  unsigned char bits[8];
  int ones = 0;
  klee_make_symbolic(bits, sizeof bits, "bits");
  for (int i = 0; i < 8; i++) {
#ifdef EXTRA
    if (i == 3 && bits[7] == 'x') ones++;
#endif
#ifdef SKIP
    if (i == 3) continue;
#endif
#ifdef MASK
    if (bits[i] & (i == 3 ? 2 : 1)) ones++; // changed
#else
    if (bits[i] & 1) ones++;
#endif
  }
  return ones;
}
"#;

/// A run of the program that `flag` makes of it.
fn other(folder: &Path, flag: &str) -> PathBuf {
    let folder = folder.join(format!("changed{flag}"));
    std::fs::create_dir(&folder).unwrap();
    let program = compile(&folder, "bits", BITS, &["-g", flag]);
    let other = folder.join("run");
    succeeded(&run(&other, &["--workers", "1"], &program, &[]));
    other
}

/// Copies the files of a run that [`replace_program`] needs.
fn copy(run: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for name in ["db.sqlite", "program.image"] {
        std::fs::copy(run.join(name), to.join(name)).unwrap();
    }
}

/// Puts another program into the run, as if the run had begun with it.
fn replace_program(run: &Path, other: &Path) {
    let hash: String = rusqlite::Connection::open(other.join("db.sqlite"))
        .unwrap()
        .query_row("SELECT value FROM meta WHERE key = 'program_hash'", [], |row| row.get(0))
        .unwrap();
    std::fs::copy(other.join("program.image"), run.join("program.image")).unwrap();
    let db = rusqlite::Connection::open(run.join("db.sqlite")).unwrap();
    assert_eq!(db.execute("UPDATE meta SET value = ?1 WHERE key = 'program_hash'", [hash]).unwrap(), 1);
}

fn resume(directory: &Path) -> Output {
    cleave(["resume", "--workers", "1", path_text(directory)])
}

/// A flag for compiling the program, and two texts that the report must have.
const CHANGES: [(&str, &str, &str); 3] = [
    ("-DMASK", "one decision is another", "(not ((_ extract 1 1) bits[3]))"),
    ("-DEXTRA", "one decision was found that was not expected", "bits[7]"),
    ("-DSKIP", "one decision that was expected is missing", "bits[4]"),
];

#[test]
fn a_run_that_goes_on_with_another_program_shows_where_its_decisions_are_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let program = compile(folder, "bits", BITS, &["-g"]);
    for (flag, likeness, place) in CHANGES {
        // Eight regions at the decision 3, and a ninth that is within the first of them.
        let directory = folder.join(format!("run{flag}"));
        let options = ["--workers", "1", "--split-states", "8", "--max-paths", "20"];
        succeeded(&run(&directory, &options, &program, &[]));
        let before = digests(&directory);
        assert_eq!(before.len(), 20);
        let kept = folder.join(format!("kept{flag}"));
        copy(&directory, &kept);

        let other = other(folder, flag);
        replace_program(&directory, &other);
        let output = resume(&directory);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let last = said.lines().last().unwrap();
        assert!(
            last.contains("1 regions whose tests did not lead where") && last.contains("diverged-"),
            "{said}"
        );

        // Everything else was explored, and what was there is there.
        let all = digests(&directory);
        assert!(before.is_subset(&all) && all.len() >= 20 + 7 * 16, "{}", all.len());
        let regions: Vec<_> = records(&directory).into_iter().filter(|r| r["record"] == "region").collect();
        assert!(regions.len() == 1 && regions[0]["state"] == "diverged", "{regions:?}");
        let listed = succeeded(&cleave(["list", path_text(&directory)]));
        let sentence = "found other decisions than those it was made with: the lists part at decision 3 (";
        assert!(listed.contains(sentence), "{listed}");

        let report =
            std::fs::read_to_string(directory.join(format!("diverged-{}.txt", regions[0]["id"]))).unwrap();
        for part in [sentence, likeness, place, "\n>        3  ", "bits.c:", "program.image"] {
            assert!(report.contains(part), "{part:?} is not in {report}");
        }
        assert!(report.contains(regions[0]["reason"].as_str().unwrap()), "{report}");

        // It diverges again, until the program is the right one again: then what is left is explored.
        assert_eq!(resume(&directory).status.code(), Some(1));
        assert_eq!(digests(&directory), all);
        replace_program(&directory, &kept);
        succeeded(&resume(&directory));
        assert_eq!(digests(&directory).len(), all.len() + 32 - 20);
        assert_eq!(account(&directory)["open_regions"], 0);
        let left = std::fs::read_dir(&directory).unwrap().flatten();
        assert!(left.into_iter().all(|f| !f.file_name().to_string_lossy().starts_with("diverged-")));
    }
}

#[test]
fn workers_that_share_a_run_with_another_program_lose_nothing_either() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let program = compile(folder, "bits", BITS, &["-g"]);
    let other = other(folder, "-DMASK");
    for search in ["bfs", "random-path"] {
        let (directory, kept) = (folder.join(search), folder.join(format!("{search}-kept")));
        // One worker finds no more than these; paths that others find beyond are regions without fingerprints.
        let options = ["--workers", "1", "--search", search, "--max-paths", "30"];
        succeeded(&run(&directory, &options, &program, &[]));
        copy(&directory, &kept);
        let before = digests(&directory);
        assert_eq!(before.len(), 30);
        replace_program(&directory, &other);
        let output = cleave(["resume", "--workers", "2", "--search", search, path_text(&directory)]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let diverged: Vec<_> = records(&directory).into_iter().filter(|r| r["record"] == "region").collect();
        assert!(diverged.len() > 3, "{}", diverged.len());
        for region in &diverged {
            let reason = region["reason"].as_str().unwrap();
            assert!(region["state"] == "diverged" && reason.contains("part at decision 3 ("), "{reason}");
        }
        replace_program(&directory, &kept);
        succeeded(&resume(&directory));
        let all = digests(&directory);
        assert!(before.is_subset(&all) && all.len() == 256, "{search}: {}", all.len());
    }
}
