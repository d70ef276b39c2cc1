//! Standard output, which its reader may close early, as `cleave list | head` does.

use std::io::{BufWriter, ErrorKind, StdoutLock, Write};

/// Buffered standard output. A closed pipe ends the program quietly; another error is a failure.
pub struct Output(BufWriter<StdoutLock<'static>>);

impl Output {
    /// Locks standard output.
    pub fn new() -> Self {
        Output(BufWriter::new(std::io::stdout().lock()))
    }

    /// Writes a line.
    pub fn line(&mut self, line: impl std::fmt::Display) -> Result<(), crate::failure::Failure> {
        Self::check(writeln!(self.0, "{line}"))
    }

    /// Shows what was written so far.
    pub fn flush(&mut self) -> Result<(), crate::failure::Failure> {
        Self::check(self.0.flush())
    }

    /// Writes what is still in the buffer.
    pub fn end(mut self) -> Result<(), crate::failure::Failure> {
        Self::check(self.0.flush())
    }

    fn check(result: std::io::Result<()>) -> Result<(), crate::failure::Failure> {
        match result {
            Err(e) if e.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
            Err(e) => Err(crate::failure::Failure::new(format!("cannot write to standard output: {e}"))),
            Ok(()) => Ok(()),
        }
    }
}
