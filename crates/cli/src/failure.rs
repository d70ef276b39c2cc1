//! Errors as people see them: one sentence that says what, where, and what to do.

use crate::note::note;
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
        note(format_args!("error: {}", self.message));
        ExitCode::from(self.code)
    }
}

/// What every error of the crates below becomes: they are sentences already.
impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::new(error)
    }
}

/// Shows help, or says in one sentence what is wrong with the command line.
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
            let text = error.render().to_string();
            let sentence: Vec<&str> = text
                .lines()
                .map(str::trim)
                .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
                .filter(|line| !line.is_empty())
                .collect();
            let sentence = sentence.join(" ").replace(" tip: ", "; ");
            let sentence = sentence.strip_prefix("error: ").unwrap_or(&sentence);
            Failure::usage(format!("{sentence}; see `cleave --help`, and --help after the name of a command"))
                .report()
        }
    }
}

/// Says which impossible states this process has met and has told nobody of; then the exit code.
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
