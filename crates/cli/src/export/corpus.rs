//! A corpus for libFuzzer and AFL: a file for each input.

use std::collections::BTreeSet;
use std::path::Path;

use cleave_linux::env::fuzz_input;
use cleave_replay::sha256;

use super::cases::{Case, Suite};
use super::{Format, Runs, make_folder, write};
use crate::failure::Failure;

/// Its line in the table of formats.
pub(super) const FORMAT: Format = Format {
    name: "corpus",
    about: "a folder of input files for libFuzzer or AFL: what a fuzz target is given, or standard input, or file A, or the program's own symbolic objects",
    runs: Runs::No,
    write: folder,
};

/// Input that a fuzzer would give the program; `None` if the program takes arguments only.
fn input(case: &Case, is_fuzz_target: bool) -> Option<Vec<u8>> {
    if is_fuzz_target {
        return fuzz_input(|name| case.ktest.object(name));
    }
    if case.ktest.object(cleave_linux::env::STDIN_OBJECT).is_some() {
        return Some(case.job.stdin.clone());
    }
    if let Some((_, bytes)) = case.job.files.first() {
        return Some(bytes.clone());
    }
    (!case.own.is_empty()).then(|| case.own.clone())
}

fn folder(suite: &mut Suite, to: &Path) -> Result<(), Failure> {
    let mut written = BTreeSet::new();
    let is_fuzz_target = suite.saved.environment()?.fuzz_data.is_some();
    suite.each(&mut |case| {
        let Some(input) = input(case, is_fuzz_target) else {
            return Err(Failure::new(
                "the program takes no file: neither symbolic standard input, nor symbolic files, nor objects of its own; \
                 a fuzzer has nothing to give it, so choose another format",
            ));
        };
        make_folder(to)?;
        // Several tests may differ in their arguments only.
        if written.insert(sha256(&input)) { write(&to.join(&case.name), &input) } else { Ok(()) }
    })
}
