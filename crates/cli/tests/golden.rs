//! The digests of paths are those of `PATH_FORMAT`: who changes a path's decisions or their conditions changes that number, too.
//!
//! `programs/golden/digests.txt` has a line a run: a program, its flags and arguments, and behind `=` the number of its paths and a
//! digest of their digests. No condition of these programs is about an address, because addresses change with the C library. With `CLEAVE_GOLDEN=write` in the environment the test writes the file anew.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use cleave_path::PATH_FORMAT;
use cleave_replay::sha256;

use crate::session::{bits, cleave, digests, path_text, refused, run, succeeded};

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs")
}

/// The number of the paths, and 32 hexadecimal digits for the set of their digests.
fn summary(digests: &BTreeSet<String>) -> String {
    let all: String = digests.iter().map(|digest| format!("{digest}\n")).collect();
    let hash: String = sha256(all.as_bytes())[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{} {hash}", digests.len())
}

/// Explores what a line names before its `=`: a program below `programs`, flags for the compiler, arguments after `--`.
fn explored(run_of: &str, folder: &Path) -> String {
    let (built, arguments) = run_of.split_once(" -- ").unwrap_or((run_of, ""));
    let (source, flags) = built.split_once(' ').unwrap_or((built, ""));
    let (program, directory) = (folder.join("program"), folder.join("run"));
    let source = programs().join(source);
    let mut words = vec!["cc", "-O0", "-o", path_text(&program), path_text(&source)];
    words.extend(flags.split_whitespace());
    succeeded(&cleave(words));
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let done =
        run(&directory, &["--workers", "1", "--tests", "none", "--search", "dfs"], &program, &arguments);
    assert!(matches!(done.status.code(), Some(0 | 3)), "{run_of}: {}", String::from_utf8_lossy(&done.stderr));
    let found = summary(&digests(&directory));
    std::fs::remove_dir_all(&directory).unwrap();
    found
}

#[test]
fn digests_of_paths_are_those_of_their_format() {
    let file = programs().join("golden/digests.txt");
    let known = std::fs::read_to_string(&file).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (mut now, mut changed, mut runs) = (String::new(), Vec::new(), 0);
    for line in known.lines() {
        if line.starts_with("format ") {
            writeln!(now, "format {PATH_FORMAT}").unwrap();
        } else if let Some((run_of, wanted)) = line.split_once(" = ") {
            let found = explored(run_of, folder.path());
            runs += 1;
            if found != wanted {
                changed.push(format!("{run_of} = {wanted}, now {found}"));
            }
            writeln!(now, "{run_of} = {found}").unwrap();
        } else {
            writeln!(now, "{line}").unwrap();
        }
    }
    assert!(runs >= 30, "only {runs} runs in {}", file.display());
    if std::env::var_os("CLEAVE_GOLDEN").is_some_and(|value| value == "write") {
        std::fs::write(&file, now).unwrap();
        return;
    }
    let format = known.lines().find_map(|line| line.strip_prefix("format ")).unwrap();
    assert!(
        changed.is_empty() && format == PATH_FORMAT.to_string(),
        "paths have other digests than {} says for format {format} (this is format {PATH_FORMAT}):\n{}\nIf that is meant, raise \
         PATH_FORMAT in crates/path/src/lib.rs and write the file anew: CLEAVE_GOLDEN=write.",
        file.display(),
        changed.join("\n")
    );
}

#[test]
fn a_run_with_paths_of_another_format_is_named_so_and_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let (program, directory) = (bits(folder.path(), 4, 0), folder.path().join("run"));
    let stopped = run(&directory, &["--max-paths", "3"], &program, &[]);
    assert_eq!(stopped.status.code(), Some(4));
    let db = rusqlite::Connection::open(directory.join("db.sqlite")).unwrap();
    let changed = db.execute("UPDATE meta SET value = '7777' WHERE key = 'path_format'", []).unwrap();
    assert_eq!(changed, 1);
    drop(db);
    let named = ["paths of format 7777", &format!("paths of format {PATH_FORMAT}")];
    refused(&cleave(["resume", path_text(&directory)]), &named);
    refused(&cleave(["gather", "--from", path_text(folder.path()), path_text(&directory)]), &named);
    // Its tests are inputs, whatever the format.
    let seeded = folder.path().join("seeded");
    let output = run(&seeded, &["--seed", path_text(&directory)], &program, &[]);
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(named.iter().all(|part| said.contains(part)), "{said}");
    assert_eq!(digests(&seeded).len(), 16);
}
