//! The forms of `cleave report`: for people, and for the tools that read coverage, findings and figures. A form is a file
//! with an entry, and its line in [`FORMATS`].

pub(crate) mod bugs; // The bugs of a run, each with its place and a test that shows it.
pub(crate) mod cobertura; // Coverage as Cobertura's XML, which GitLab, Jenkins and Azure Pipelines show.
pub(crate) mod coverage_counts; // Coverage with counts: numbers of tests that execute each line.
pub mod exposition; // Prometheus' text format.
pub(crate) mod folded; // Instructions of a run's paths by stack, as folded stacks.
pub(crate) mod html; // One HTML file to look at: see `crate::page`.
pub(crate) mod junit; // A run as a suite of JUnit, which a service for continuous integration shows as tests.
pub(crate) mod klee_stats; // The account of a run as KLEE 3.1's `run.stats`.
pub(crate) mod lcov; // Coverage as lcov's tracefile, which `genhtml`, editors and services for coverage read.
pub(crate) mod markdown; // A run in a few lines of Markdown, for a comment on a change.
pub(crate) mod prometheus; // The account of a run as Prometheus' text format, for a textfile collector or a push gateway.
pub(crate) mod sarif; // Bugs as SARIF 2.1.0, which GitHub and other viewers of findings show.
pub(crate) mod source_names; // Names of source files as other tools find them.
pub(crate) mod xml; // XML for the forms that are made of it.

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
    &markdown::FORMAT,
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
