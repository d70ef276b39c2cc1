//! Errors as people see them: one sentence with the cause, the place, and the way out.

use crate::process::messages::note;
use clap::error::ErrorKind;
use std::fmt::Display;
use std::process::ExitCode;

/// Something went wrong; the exit code is 1, or 2 when the command line was wrong.
#[derive(Debug)]
pub struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// The work could not be done.
    pub fn new(message: impl Display) -> Self {
        Failure { message: message.to_string(), code: 1 }
    }

    /// The command line makes no sense.
    pub fn usage(message: impl Display) -> Self {
        Failure { message: message.to_string(), code: 2 }
    }

    /// The sentence.
    pub fn sentence(&self) -> &str {
        &self.message
    }

    /// Prints the sentence; the exit code.
    pub fn report(&self) -> ExitCode {
        note(format_args!("error: {}", on_one_line(&self.message)));
        ExitCode::from(self.code)
    }
}

/// Maximum length of a sentence, in characters.
const LONGEST: usize = 4_000;

/// A sentence may quote anything that a user has given: line ends and the like are escaped, and of too much the middle is
/// left out.
fn on_one_line(sentence: &str) -> String {
    let escaped = |c: char| if c.is_control() { c.escape_default().collect() } else { String::from(c) };
    let line: Vec<String> = sentence.chars().map(escaped).collect();
    if line.len() <= LONGEST {
        return line.concat();
    }
    let half = LONGEST / 2;
    format!("{} [...] {}", line[..half].concat(), line[line.len() - half..].concat())
}

/// Converts any error of the crates below: their texts are sentences already.
impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::new(error)
    }
}

/// Shows help, or prints the error of the command line in one sentence.
pub fn usage(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(2)
        }
        _ => {
            let sentence = sentence_of(error);
            Failure::usage(format!("{sentence}; see `cleave --help`, and --help after the name of a command"))
                .report()
        }
    }
}

/// The error of a command line in one sentence.
pub fn sentence_of(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let sentence: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .filter(|line| !line.is_empty())
        .collect();
    let sentence = sentence.join(" ").replace(" tip: ", "; ");
    sentence.strip_prefix("error: ").unwrap_or(&sentence).to_string()
}

/// Prints the impossible states that this process has met and not yet reported; returns the exit code if there are any.
pub fn internal_errors() -> Option<ExitCode> {
    let met = cleave_never::take();
    for what in met.keys() {
        note(format_args!(
            "internal error: {what}; this is a bug of Cleave: please report this line and the command that led to it"
        ));
    }
    (!met.is_empty()).then(|| ExitCode::from(101))
}

/// A panic is a bug of ours: one line, no trace unless RUST_BACKTRACE asks for it, exit code 101.
pub fn install_panic_hook() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|v| v != "0") {
            usual(panic);
        }
        let message = panic.payload_as_str().unwrap_or("no message").replace('\n', " ");
        let place = panic.location().map(|l| format!(" at {l}")).unwrap_or_default();
        note(format_args!(
            "internal error: {message}{place}; this is a bug of Cleave: please report this line and the command that \
             led to it"
        ));
        std::process::exit(101);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_stays_on_one_line_whatever_it_quotes() {
        assert_eq!(
            on_one_line("cannot read `a\nb\u{1b}[2J`; say another"),
            "cannot read `a\\nb\\u{1b}[2J`; say another"
        );
        assert_eq!(on_one_line("naïve – fine"), "naïve – fine");
        let long = on_one_line(&format!("no layer `{}`; the layers are x", "9".repeat(100_000)));
        assert!(
            long.starts_with("no layer `99") && long.ends_with("9`; the layers are x") && long.len() < 5_000
        );
    }
}
