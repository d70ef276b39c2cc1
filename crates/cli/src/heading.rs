//! What stands at the top of the status screen.

/// What the screen says of the run and does not change.
#[derive(Clone, Debug, Default)]
#[cfg_attr(not(feature = "tui"), expect(dead_code, reason = "only the screen shows it"))]
pub struct Heading {
    /// The program and its arguments.
    pub command: String,
    /// How the run searches.
    pub search: String,
}
