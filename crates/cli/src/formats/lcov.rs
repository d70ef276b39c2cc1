//! Coverage as lcov's tracefile, which `genhtml`, editors and services for coverage read.

use std::fmt::Write;

use super::coverage_counts::{Counted, FileCounts};
use super::{Format, Wanted};
use crate::failure::Failure;

/// Its line in the table of forms.
pub(super) const FORMAT: Format = Format {
    name: "lcov",
    about: "lcov's tracefile (.info): lines, branches and functions, with how many tests reach each",
    file: "coverage.info",
    make,
};

fn make(wanted: &Wanted<'_>) -> Result<Vec<u8>, Failure> {
    let counted = Counted::of(wanted)?;
    let mut text = String::from("TN:cleave\n");
    for (name, file) in &counted.files {
        // Writing to a string cannot fail.
        let _ = record(&mut text, &counted.places.whole(name), file);
    }
    Ok(text.into_bytes())
}

/// The record of a file.
fn record(text: &mut String, name: &str, file: &FileCounts) -> std::fmt::Result {
    writeln!(text, "SF:{name}")?;
    for function in &file.functions {
        writeln!(text, "FN:{},{}", function.line, function.name)?;
    }
    for function in &file.functions {
        writeln!(text, "FNDA:{},{}", function.calls, function.name)?;
    }
    let called = file.functions.iter().filter(|f| f.calls > 0).count();
    writeln!(text, "FNF:{}\nFNH:{called}", file.functions.len())?;
    for (line, branches) in &file.branches {
        for (block, sides) in branches.iter().enumerate() {
            let reached = sides.iter().any(|n| *n > 0);
            for (side, n) in sides.iter().enumerate() {
                // A dash means that the branch itself was not reached.
                let n = if reached { n.to_string() } else { "-".into() };
                writeln!(text, "BRDA:{line},{block},{side},{n}")?;
            }
        }
    }
    let (taken, sides) = file.sides();
    writeln!(text, "BRF:{sides}\nBRH:{taken}")?;
    for (line, n) in &file.lines {
        writeln!(text, "DA:{line},{n}")?;
    }
    let (executed, lines) = file.executed();
    writeln!(text, "LF:{lines}\nLH:{executed}\nend_of_record")
}
