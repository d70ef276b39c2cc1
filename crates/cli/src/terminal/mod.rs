//! Progress of a run on the terminal.

pub(crate) mod display; // Progress of a run on the terminal: one live line, or a screen.
pub(crate) mod heading; // Heading of the status screen.
pub(crate) mod progress; // The live line of a run.
#[cfg(feature = "tui")]
pub(crate) mod screen; // The status screen of `--tui`: progress, coverage over time, and the newest bugs of a run.
