//! The text of an `.err` file: KLEE's layout, and a note of what to do.

use cleave_region::BugKind;
use std::fmt::Write;

/// One call on the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function's name.
    pub function: String,
    /// The source file, where the program has line information.
    pub file: Option<String>,
    /// The line in it, from 1; 0 if unknown.
    pub line: u32,
    /// The arguments of the call, `NAME=VALUE` or `VALUE` each.
    pub arguments: String,
}

/// An error at the end of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorReport {
    /// Kind of the error.
    pub kind: BugKind,
    /// Details of the error; empty for the kind's headline.
    pub message: String,
    /// Calls, the innermost first.
    pub stack: Vec<Frame>,
    /// The frame of the stack that the error is known by: the innermost of the program, not of its C library.
    pub at: usize,
    /// Further facts, name and value: the address, the objects beside it.
    pub info: Vec<(String, String)>,
}

impl ErrorReport {
    /// Suffix of the file's name before `.err`: that of the kind. For an error that the program reports itself it is the
    /// program's own suffix, which the message has in parentheses at its end.
    pub fn suffix(&self) -> &str {
        let said = || self.message.strip_suffix(')')?.rsplit_once(" (").map(|(_, suffix)| suffix);
        let usable = |s: &&str| {
            let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
            (1..=64).contains(&s.len()) && s.bytes().all(plain)
        };
        match self.kind {
            BugKind::Reported => said().filter(usable).unwrap_or(self.kind.suffix()),
            _ => self.kind.suffix(),
        }
    }

    /// The file's text. `test` is the name of the test's file and `program` the program, for the advice.
    pub fn text(&self, program: &str, test: &str) -> String {
        let headline = if self.message.is_empty() { self.kind.headline() } else { &self.message };
        let mut text = format!("Error: {headline}\n");
        // If a function has no line information, the place is the nearest caller that has some.
        if let Some(frame) = self.stack.iter().skip(self.at).find(|f| f.file.is_some()) {
            let _ = writeln!(text, "File: {}\nLine: {}", frame.file.as_deref().unwrap_or(""), frame.line);
        }
        text.push_str("Stack: \n");
        for (i, frame) in self.stack.iter().enumerate() {
            let _ = write!(text, "\t#{i} in {}({})", frame.function, frame.arguments);
            if let Some(file) = &frame.file {
                let _ = write!(text, " at {file}:{}", frame.line);
            }
            text.push('\n');
        }
        if !self.info.is_empty() {
            text.push_str("Info: \n");
            for (name, value) in &self.info {
                let _ = writeln!(text, "\t{name}: {value}");
            }
        }
        let advice = self.kind.advice();
        let _ = writeln!(text, "Note: {advice}\n\tTo run it natively: cleave replay {program} {test}");
        text
    }
}
