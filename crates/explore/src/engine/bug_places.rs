//! The place of a bug: the line by which bugs are told apart.

use cleave_engine::TraceLine;

/// The frame that identifies a bug: the innermost one of the program. Bugs in different lines of a program are
/// different bugs, although the same function of the C library detects them. If that frame has no line, its caller's
/// is used, and if the program has no frame, or no line at all, the innermost frame that has one.
pub(crate) fn place(trace: &[TraceLine]) -> Option<&TraceLine> {
    let own = || trace.iter().filter(|f| !f.library);
    own().find(|f| f.line > 0).or(own().next()).or(trace.iter().find(|f| f.line > 0)).or(trace.first())
}

/// The name of a bug's place, as records have it.
pub(crate) fn place_name(trace: &[TraceLine]) -> String {
    place(trace).map_or_else(String::new, |f| match f.line {
        0 => f.function.clone(),
        line => format!("{}:{line}", f.file.as_deref().unwrap_or_default()),
    })
}
