//! Objects whose size depends on the input: the programs in `programs/sizes` have as many paths as their headers say, with
//! sizes that stay symbolic and with a path for each size; the bugs are the same, and each test replays natively.

mod session;
#[allow(dead_code)] // Each test uses a part of it.
mod support;

use std::collections::BTreeSet;
use std::path::Path;

use session::{account, cleave as told, digests, path_text, succeeded};
use support::{Program, corpus, each};

/// Kinds of bugs and their lines.
type Places = BTreeSet<(String, u64)>;

fn planted(program: &Program) -> Places {
    let mark =
        |(number, line): (u64, &str)| Some((line.split_once("//~ ERROR ")?.1.trim().to_string(), number));
    (1..).zip(program.text.lines()).filter_map(mark).collect()
}

/// The kinds, as suffixes of `.err` files, and lines of the bugs of a run.
fn found(run: &Path) -> Places {
    let files = std::fs::read_dir(run.join("tests")).unwrap().map(|file| file.unwrap().path());
    let place = |file: std::path::PathBuf| {
        let name = file.file_name()?.to_str()?.strip_suffix(".err")?.to_string();
        let text = std::fs::read_to_string(&file).unwrap();
        let line = text.lines().find_map(|l| l.strip_prefix("Line: ")).unwrap();
        Some((name.split_once('.')?.1.to_string(), line.parse().unwrap()))
    };
    files.filter_map(place).collect()
}

/// The completed and failed paths that a line of the header has.
fn counts(program: &Program, what: &str) -> (u64, u64) {
    let words = program.words(what);
    let count = |key: &str| words.iter().find_map(|w| w.strip_prefix(key)).unwrap_or("0").parse().unwrap();
    (count("paths="), count("failed="))
}

/// Every path is completed or failed.
fn ends(run: &Path) -> (u64, u64) {
    let paths = &account(run)["paths"];
    let count = |kind: &str| paths[kind].as_u64().unwrap();
    assert_eq!(
        ["cut", "unknown", "unsupported", "open"].map(|k| paths[k].as_u64().unwrap_or(0)),
        [0; 4],
        "{paths}"
    );
    (count("completed"), count("failed"))
}

fn judge(program: &Program) {
    let name = program.source.display();
    let scratch = tempfile::tempdir().unwrap();
    let executable = program.build(scratch.path());
    let explore = |folder: &str, options: &[&str]| {
        let run = scratch.path().join(folder);
        let options = [options, &program.words("run")].concat();
        let said = succeeded(&session::run(&run, &options, &executable, &program.words("args")));
        (run, said)
    };
    let (one, said) = explore("one", &["--workers=1", "--emit=ktest,err", "--tests=all"]);
    assert_eq!(ends(&one), counts(program, "expect"), "{name}: {said}");
    assert_eq!(found(&one), planted(program), "{name}");
    let (apart, said) = explore("apart", &["--workers=1", "--max-symbolic-size=0", "--emit=ktest,err"]);
    assert_eq!(ends(&apart), counts(program, "apart"), "{name}, a path for each size: {said}");
    assert_eq!(found(&apart), planted(program), "{name}, a path for each size");

    let expected = digests(&one);
    for (how, options) in [
        ("two", &["--workers=2"][..]),
        ("concolic", &["--workers=1", "--mode=concolic"]),
        ("self-check", &["--workers=1", "--self-check"]),
        ("speculative", &["--workers=1", "--feasibility=speculative"]),
        ("small", &["--workers=2", "--max-memory=2", "--search=random-path"]),
    ] {
        assert_eq!(digests(&explore(how, options).0), expected, "{name} {how}");
    }
    let (stopped, _) = explore("stopped", &["--workers=1", "--max-paths=2"]);
    assert!(digests(&stopped).len() < expected.len(), "{name}, stopped");
    succeeded(&told(["resume", "--workers=2", path_text(&stopped)]));
    assert_eq!(digests(&stopped), expected, "{name}, resumed");
    replays(program, &executable, &one);
}

/// Each test does natively what was foretold, as far as its path has an end without a bug.
fn replays(program: &Program, executable: &Path, run: &Path) {
    let name = program.source.display();
    let verdicts = succeeded(&told(["replay", "--json", path_text(executable), path_text(run)]));
    let of = |verdict: &str| {
        verdicts.lines().filter(|l| l.contains(&format!("\"verdict\":\"{verdict}\""))).count()
    };
    let (completed, failed) = counts(program, "expect");
    assert_eq!(verdicts.lines().count() as u64, completed + failed, "{name}: {verdicts}");
    assert!(of("agrees") as u64 >= completed && of("differs") == 0, "{name}: {verdicts}");
}

#[test]
fn a_size_that_depends_on_the_input_is_one_path_with_the_bugs_of_all_sizes() {
    each(&corpus("sizes"), judge);
}
