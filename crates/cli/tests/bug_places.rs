//! Planted bugs are reported with their kind and line, and nothing else is: once a place, or once a path.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::reported;
use crate::support::{Program, cleave, corpus, each, succeeded};

/// Number of reports of a kind in a line.
type Places = BTreeMap<(String, u64), u64>;

/// The annotations of the source, each once.
fn annotated(program: &Program) -> Places {
    let mut places = Places::new();
    for (number, line) in (1..).zip(program.text.lines()) {
        if let Some((_, kind)) = line.split_once("//~ ERROR ") {
            *places.entry((kind.trim().to_string(), number)).or_default() += 1;
        }
    }
    places
}

/// The `.err` files of a run: the kind from the name, the line from the text.
fn reported(program: &Program, run: &Path) -> Places {
    let mut places = Places::new();
    for place in reported::reported(program, run) {
        *places.entry(place).or_default() += 1;
    }
    places
}

fn judge(program: &Program) {
    let name = program.source.display();
    let scratch = tempfile::tempdir().unwrap();
    let executable = program.build(scratch.path());
    let explore = |folder: &str, options: &[&str]| {
        let run = scratch.path().join(folder);
        let mut command = cleave();
        command.args(["run", "--workers", "1"]).args(options).arg("--output-dir").arg(&run);
        succeeded(command.arg(&executable).args(program.words("args")));
        reported(program, &run)
    };
    let planted = annotated(program);
    let mut kinds: Vec<_> = planted.keys().map(|(kind, _)| kind.as_str()).collect();
    let mut header = program.words("bug");
    kinds.sort_unstable();
    header.sort_unstable();
    assert_eq!(kinds, header, "{name}: the header and the annotations name the same bugs");
    assert_eq!(explore("once", &[]), planted, "{name}: each place once");
    let all = explore("all", &["--all-errors"]);
    assert!(all.keys().eq(planted.keys()), "{name}: the same places with all errors: {all:?}");
    assert_eq!(all.values().sum::<u64>(), program.expected().1, "{name}: one for each failing path");
}

#[test]
fn planted_bugs_are_reported_in_their_lines_and_nothing_else_is() {
    each(&corpus("bugs"), judge);
}
