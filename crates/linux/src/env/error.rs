//! The error of options for the environment.

/// An error in a program's arguments, or in a test for them: one sentence without its full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvError(pub(crate) String);

impl std::fmt::Display for EnvError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EnvError {}
