//! The forms of `cleave report`: for people, and for the tools that read coverage, findings and figures. A form is a file
//! with an entry, and its line in [`FORMATS`].

mod bugs;
mod cobertura;
mod counted;
pub mod exposition;
mod folded;
mod html;
mod junit;
mod klee_stats;
mod lcov;
mod places;
mod prometheus;
mod sarif;
mod xml;

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The run that is reported, and folders of its sources.
pub struct Wanted<'a> {
    /// The run directory.
    pub directory: &'a Path,
    /// Folders with sources.
    pub sources: &'a [PathBuf],
}

/// A form, by name.
pub struct Format {
    /// Its name for `--to`.
    pub name: &'static str,
    /// Description in a few words.
    about: &'static str,
    /// Default name of the file, in the run directory.
    pub file: &'static str,
    /// Makes the text of the file.
    pub make: fn(&Wanted<'_>) -> Result<Vec<u8>, Failure>,
}

/// All forms; the first one is usual.
pub const FORMATS: &[&Format] = &[
    &html::FORMAT,
    &lcov::FORMAT,
    &cobertura::FORMAT,
    &sarif::FORMAT,
    &junit::FORMAT,
    &prometheus::FORMAT,
    &folded::FORMAT,
    &klee_stats::FORMAT,
];

/// The form of this name.
///
/// # Errors
/// A sentence with all names.
pub fn known(name: &str) -> Result<&'static Format, String> {
    let names = || FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
    let found = FORMATS.iter().find(|format| format.name == name);
    found.copied().ok_or_else(|| format!("there is no format `{name}`; the formats are {}", names()))
}

/// The table of forms, for `--help`.
pub fn table() -> String {
    let rows = FORMATS.iter().map(|format| format!("  {:<12} {}\n", format.name, format.about));
    format!("Formats:\n{}\nExample: cleave report cleave-last --to sarif", rows.collect::<String>())
}
