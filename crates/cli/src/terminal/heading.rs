//! Heading of the status screen.

/// Facts about the run that the screen shows and that do not change.
#[derive(Clone, Debug, Default)]
#[cfg_attr(not(feature = "tui"), expect(dead_code, reason = "only the screen shows it"))]
pub struct Heading {
    /// The program and its arguments.
    pub command: String,
    /// The search strategies of the run, in words.
    pub search: String,
}
