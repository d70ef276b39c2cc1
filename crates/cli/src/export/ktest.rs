//! Tests in KLEE's format.

use std::path::Path;

use super::cases::Suite;
use super::{Format, Runs, make_folder, write};
use crate::failure::Failure;

/// Its line in the table of formats.
pub(super) const FORMAT: Format =
    Format { name: "ktest", about: "a folder of tests in KLEE's format", runs: Runs::No, write: folder };

fn folder(suite: &mut Suite, to: &Path) -> Result<(), Failure> {
    make_folder(to)?;
    suite.each(&mut |case| {
        write(&to.join(format!("{}.ktest", case.name)), case.ktest.to_bytes().map_err(Failure::new)?)
    })
}
