//! Messages on standard error.

use std::io::Write;

/// Writes a line to standard error, after the name of the program. An error is ignored: the work goes on.
pub fn note(line: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "cleave: {line}");
}
